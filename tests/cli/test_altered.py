"""Copies of a release that somebody altered: what reads rows refuses them, and says so where it was told to go on."""

import json
from pathlib import Path

import pytest
from commands import here, is_refusal, relist
from toys import FIRST, read, toy_recipe, toy_task, write_parquet, write_release

import carrara
from carrara.release.reader import checked_rows, checked_rows_at, open_release

ROW = "toys/alpha_en/1k/00001"


@pytest.fixture
def sound(tmp_path, monkeypatch) -> Path:
    monkeypatch.setattr(
        "carrara.recipe.recipe.TASKS", {name: toy_task(name, metric="subem") for name in ("alpha", "beta")}
    )
    monkeypatch.chdir(tmp_path)
    rows = carrara.load(folder := write_release(tmp_path / "sound", toy_recipe()))
    lines = [json.dumps({"id": row.id, "response": row.answers[0]}) for row in rows]
    Path("responses.jsonl").write_text("\n".join(lines))
    return folder


@pytest.fixture
def altered(sound, tmp_path) -> Path:
    folder = write_release(tmp_path / "altered", toy_recipe())
    write_parquet(folder / FIRST, [{**row, "answers": ["another"]} for row in read(folder / FIRST)])
    return folder


@pytest.mark.parametrize(
    "words",
    [
        ("score", "responses.jsonl"),
        ("score", "--gold"),
        ("score", "responses.jsonl", "--rebase", "sound"),
        ("judge", "responses.jsonl", "--out", "v.jsonl", "--base-url", "http://localhost:1/v1", "--model", "m"),
        ("page", "--out", "page.html"),
        ("page", "--responses", "responses.jsonl", "--out", "page.html"),
        ("export", "lm-eval", "--out", "tasks"),
        ("export", "inspect", "--out", "tasks"),
        ("show", ROW),
    ],
    ids=lambda words: " ".join(words[:2]),
)
def test_an_altered_copy_is_refused(altered, words):
    verbs = 1 + (words[0] == "export")
    before = set(Path().iterdir())
    done = here(*words[:verbs], altered, *words[verbs:])
    assert is_refusal(done, "which is not as released: expected row toys/alpha_en/1k/0000", "carrara verify")
    assert set(Path().iterdir()) == before


def test_the_way_out_is_named_in_the_result_and_roots_are_compared(sound, altered):
    def scored(folder: Path, name: str, *more: str) -> dict:
        done = here("score", folder, "responses.jsonl", "--model", name, "--out", name, *more)
        assert done.code == 0, done
        return json.loads(Path(name).read_text())

    root = open_release(sound).root
    first = scored(sound, "first")
    assert (first["root"], first["unverified"], first["overall"]["mean"]) == (root, False, 1)
    second = scored(altered, "second", "--unverified")
    assert (second["root"], second["unverified"]) == (root, True) and second["overall"]["mean"] < 1
    assert "unverified: nobody checked" in here("score", altered, "responses.jsonl", "--unverified").out
    told = here("compare", "first", "second", "--format", "csv")
    assert told.code == 0 and "warning: unverified: nobody checked" in told.err and told.err.rstrip().endswith("second")
    # Put right for its own list of digests and its manifest: another root, and the result says so.
    listed = altered / "digests/alpha_en_1k.txt"
    listed.write_text(listed.read_text().replace("0", "1"))
    assert is_refusal(here("score", altered, "responses.jsonl"), "digests/alpha_en_1k.txt is not the list of 5 digests")
    relist(altered, "alpha_en_1k")
    third = scored(altered, "third")
    assert third["unverified"] is False and third["root"] == open_release(altered).root != root
    assert is_refusal(here("compare", "first", "third"), f"root {root[:16]}… of 'first'", "score both responses")
    assert is_refusal(here("compare", "third", "second", "first"), "two releases that call themselves toys@1.0.0")
    assert is_refusal(here("score", altered, "first", "--rebase", sound), "scores of the root")
    # Files of before roots were recorded name none.
    Path("old").write_text(
        json.dumps({name: first[name] for name in first if name != "root"} | {"version": 3, "model": "o"})
    )
    assert here("compare", "old", "third").code == 0


def test_missing_and_swapped_rows_are_found_wherever_one_reads(sound):
    release = open_release(sound)
    assert [row["id"] for row in checked_rows(release, "alpha_en_1k")][1] == ROW
    rows = read(sound / FIRST)
    write_parquet(sound / FIRST, [rows[1], rows[0], rows[2]])
    for read_some in (
        lambda: checked_rows(release, "alpha_en_1k"),
        lambda: checked_rows_at(release, "alpha_en_1k", [1]),
    ):
        with pytest.raises(carrara.ReleaseError, match="is not as released"):
            list(read_some())
    second = sound / FIRST.replace("00000-of", "00001-of")
    write_parquet(sound / FIRST, rows)
    write_parquet(second, read(second)[:1])
    with pytest.raises(carrara.ReleaseError, match="row toys/alpha_en/1k/00004 is missing"):
        list(carrara.load(sound, config="alpha_en_1k"))
    assert len(list(carrara.load(sound, config="alpha_en_1k", unverified=True))) == 4
