"""Old scores under a new version: exact where that can be known, else bounds that hold the truth."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from commands import here, is_refusal
from hypothesis import given, settings
from hypothesis import strategies as st
from toys import write_parquet
from versions import PLACEMENTS, TASKS, all_right, id_of, responses, version

from carrara.errors import CarraraError, ReleaseError
from carrara.making.rescore import KINDS, SCORED, Before, beside, rebase, scored_before
from carrara.release.manifest import canonical
from carrara.release.reader import open_release, rows
from carrara.scoring.report import Means, means, score

ITEMS = 2
ALPHA, BETA = "alpha_en_1k", "beta_en_1k"

# One wrong gold put right, a prompt written anew, a complexity that was wrong, an item more.
CHANGES = {
    id_of("alpha", 1): {"answers": ["other 1", "more 1"]},
    id_of("beta", 2): {"prompt": "Another question of its own, what is it?"},
    id_of("beta", 0): {"complexity": 3},
}
MORE = {"alpha": 3, "beta": 2}


@pytest.fixture(scope="session")
def home(tmp_path_factory) -> Path:
    """Versions of a release side by side; a twin and another release beside them. Never altered."""
    folder = tmp_path_factory.mktemp("rebase") / "toys"
    version(folder / "1.0.0")
    version(folder / "1.1.0", "1.1.0", changes={id_of("alpha", 1): CHANGES[id_of("alpha", 1)]})
    version(folder / "1.1.1", "1.1.1", MORE, CHANGES)
    version(folder / "1.10.0", "1.10.0", {"alpha": 2})
    version(folder / "2.0.0", "2.0.0", {"alpha": 1, "beta": 2})
    version(folder / "twin", stream="toys/2")
    version(folder / "others", name="others")
    return folder


def scored(folder: Path, texts, **options) -> Before:
    return scored_before(open_release(folder), texts, **options)


def forgotten(before: Before) -> Before:
    """The scores alone, as a result file has them."""
    return replace(before, texts=None)


def under(home: Path, new: str, before: Before, *configs: str, old: str = "1.0.0"):
    return rebase(open_release(home / old), open_release(home / new), before, configs or None)


def counts(value) -> dict:
    return {kind: number for kind, number in value.counts.items() if number}


# By hand


def test_a_wrong_gold_put_right(home):
    # The model said what is right: by the wrong gold half of one row was lost, of two rows in one of two groups.
    texts = all_right() | {id_of("alpha", 1): "other 1 and more 1"}
    found = under(home, "1.1.0", scored(home / "1.0.0", texts))
    assert found.overall.is_exact and found.configs[ALPHA].is_exact
    assert (found.tasks["alpha"].old, found.tasks["alpha"].low, found.tasks["alpha"].high) == (0.875, 1, 1)
    assert (found.overall.old, found.overall.low, found.overall.high) == (0.9375, 1, 1)
    (change,) = found.changes
    assert change.to_json() == {
        "id": id_of("alpha", 1),
        "kind": "rescored",
        "columns": ["answers"],
        "old": 0.5,
        "new": 1.0,
    }
    assert counts(found.configs[ALPHA]) == {"same": 3, "rescored": 1} and counts(found.configs[BETA]) == {"same": 4}


def test_without_the_response_there_are_bounds(home):
    found = under(home, "1.1.0", forgotten(scored(home / "1.0.0", all_right())))
    # One of two rows of one of two groups of one of two tasks is not known.
    assert (found.configs[ALPHA].low, found.configs[ALPHA].high) == (0.75, 1)
    assert (found.overall.low, found.overall.high) == (0.875, 1) and not found.overall.is_exact
    assert [(one.kind, one.old, one.new) for one in found.changes] == [("open", 1.0, None)]
    assert (found.configs[BETA].low, found.configs[BETA].high) == (1, 1) and found.configs[BETA].is_exact


def test_changed_prompts_and_added_rows_are_bounds(home):
    found = under(home, "1.1.1", scored(home / "1.0.0", all_right()))
    assert counts(found.configs[ALPHA]) == {"same": 3, "rescored": 1, "added": 2}
    # Groups: known 1 and (1 + 0.5) / 2, and one that nobody answered.
    assert (found.configs[ALPHA].low, found.configs[ALPHA].high) == (pytest.approx(1.75 / 3), pytest.approx(2.75 / 3))
    assert counts(found.configs[BETA]) == {"same": 2, "rescored": 1, "open": 1}
    assert (found.configs[BETA].low, found.configs[BETA].high) == (0.75, 1)
    assert counts(found.overall) == {"same": 5, "rescored": 2, "open": 1, "added": 2}
    kinds = {change.id: (change.kind, change.columns) for change in found.changes}
    assert kinds == {
        id_of("alpha", 1): ("rescored", ("answers",)),
        id_of("beta", 0): ("rescored", ("complexity",)),
        id_of("beta", 2): ("open", ("prompt",)),
    }


def test_a_score_alone_stands_where_nothing_changed_that_it_rests_on(home):
    texts = all_right() | {id_of("beta", 0): "gold 0"}
    found = under(home, "1.1.1", forgotten(scored(home / "1.0.0", texts)))
    assert counts(found.configs[BETA]) == {"same": 2, "kept": 1, "open": 1}
    (kept,) = (change for change in found.changes if change.kind == "kept")
    assert (kept.id, kept.columns, kept.old, kept.new) == (id_of("beta", 0), ("complexity",), 0.5, 0.5)
    assert (found.configs[BETA].low, found.configs[BETA].high) == (0.625, 0.875)


def test_rows_of_a_group_are_averaged_first(home, tmp_path):
    # Three rows become one group, a fourth stays alone: half of the score is its own.
    changes = {id_of("alpha", index): {"group": "toys/all"} for index in range(3)}
    new = open_release(version(tmp_path / "1.2.0", "1.2.0", {"alpha": 2}, changes))
    texts = {id_of("alpha", index): f"gold {index}, more {index}" for index in range(3)}
    found = rebase(open_release(home / "1.10.0"), new, scored(home / "1.10.0", texts))
    assert (found.overall.old, found.overall.low, found.overall.high) == (0.75, 0.5, 0.5)


def test_removed_rows_and_configs_are_dropped(home):
    texts = all_right() | {id_of("alpha", 3): "no", id_of("alpha", 2): "no"}
    found = under(home, "2.0.0", scored(home / "1.0.0", texts))
    assert counts(found.configs[ALPHA]) == {"same": 2, "removed": 2}
    assert (found.configs[ALPHA].old, found.configs[ALPHA].low, found.configs[ALPHA].high) == (0.5, 1, 1)
    found = under(home, "1.10.0", scored(home / "1.0.0", texts))
    beta = found.configs[BETA]
    assert (beta.old, beta.low, beta.high, counts(beta)) == (1, None, None, {"removed": 4})
    assert (found.overall.old, found.overall.low, found.overall.high) == (0.75, 0.5, 0.5)
    back = under(home, "1.0.0", scored(home / "1.10.0", texts), old="1.10.0")
    assert (back.configs[BETA].old, back.configs[BETA].low, back.configs[BETA].high) == (None, 0, 1)
    assert (back.overall.low, back.overall.high) == (0.25, 0.75)


def test_scores_of_some_configs_say_nothing_of_the_others(home):
    before = scored(home / "1.0.0", all_right(), configs=[BETA])
    found = under(home, "1.1.1", before)
    assert list(found.configs) == [BETA] and (found.overall.low, found.overall.high) == (0.75, 1)
    found = under(home, "1.1.1", scored(home / "1.0.0", all_right()), ALPHA)
    assert (list(found.configs), list(found.tasks)) == ([ALPHA], ["alpha"])


def test_responses_to_some_configs_say_nothing_of_the_others(home):
    before = scored(home / "1.0.0", {key: text for key, text in all_right().items() if "/beta_en/" in key})
    assert {row.config for row in before.rows.values()} == {BETA}
    assert list(under(home, "1.1.1", before).configs) == [BETA]


def test_rows_that_the_scores_leave_out_are_open(home):
    # As carrara score --without-errata leaves them out.
    before = scored(home / "1.0.0", all_right())
    left = {key: row for key, row in before.rows.items() if key not in {id_of("alpha", 1), id_of("beta", 3)}}
    found = under(home, "1.1.0", forgotten(replace(before, rows=left)))
    assert counts(found.configs[ALPHA]) == {"same": 3, "open": 1} and counts(found.configs[BETA]) == {
        "same": 3,
        "open": 1,
    }
    assert (found.configs[BETA].old, found.configs[BETA].low, found.configs[BETA].high) == (1, 0.75, 1)
    assert [(change.id, change.old) for change in found.changes] == [(id_of("alpha", 1), None)]


def test_the_same_version_changes_nothing(home):
    texts = all_right() | {id_of("alpha", 3): "more 3"}
    for before in (scored(home / "1.0.0", texts), forgotten(scored(home / "1.0.0", texts))):
        found = under(home, "1.0.0", before)
        assert found.changes == () and counts(found.overall) == {"same": 8}
        for value in (found.overall, *found.tasks.values(), *found.configs.values()):
            assert value.old == value.low == value.high and value.is_exact


def test_missing_responses(home):
    texts = {key: text for key, text in all_right().items() if key not in {id_of("alpha", 1), id_of("beta", 2)}}
    found = under(home, "1.1.1", scored(home / "1.0.0", texts))
    # A row that was not answered is not answered by another gold either; one that asks something else may be.
    kinds = {change.id: (change.kind, change.old, change.new) for change in found.changes}
    assert kinds[id_of("alpha", 1)] == ("rescored", None, None) and kinds[id_of("beta", 2)] == ("open", None, None)
    assert (found.configs[BETA].low, found.configs[BETA].high) == (0.75, 1)


@pytest.mark.parametrize("column", ["prompt", "answer_prefix", "max_output_tokens"])
def test_a_response_is_to_what_was_asked(home, tmp_path, column):
    value = 64 if column == "max_output_tokens" else "Another text that is given to the model."
    new = version(tmp_path / "1.2.0", "1.2.0", changes={id_of("alpha", 0): {column: value}})
    found = rebase(open_release(home / "1.0.0"), open_release(new), scored(home / "1.0.0", all_right()))
    assert [(change.kind, change.columns) for change in found.changes] == [("open", (column,))]


def test_another_metric_scores_the_new_rows_too(home):
    texts = all_right() | {id_of("alpha", 1): "other 1"}
    found = under(home, "1.1.0", scored(home / "1.0.0", texts, metric="ruler/any"))
    (change,) = found.changes
    assert (change.old, change.new) == (0, 1) and found.overall.low == found.overall.high == 1


# Nothing else may be said


def test_no_metric_reads_what_scores_are_said_not_to_rest_on():
    import carrara.scoring

    folder = Path(carrara.scoring.__file__).parent
    files = [
        folder / "facts.py",
        *(file for room in ("metrics", "published", "judge") for file in (folder / room).glob("*.py")),
    ]
    read = set()
    for file in files:
        read |= set(re.findall(r"\brow(?:\[|\.get\()\"(\w+)\"", file.read_text(encoding="utf-8")))
    # Its id is read for errors alone.
    assert {"answers", "choices", "facts", "prompt"} == read - {"id"} <= set(SCORED)


columns = st.fixed_dictionaries(
    {},
    optional={
        "answers": st.sampled_from([["gold 1", "more 1"], ["other", "more 2"], ["third"]]),
        "prompt": st.sampled_from(["What else?", "What then?"]),
        "max_output_tokens": st.sampled_from([32, 64]),
        "complexity": st.sampled_from([1, 2]),
        "facts": st.sampled_from(["{}", '{"number":7}']),
        "depths": st.sampled_from([[], [0.25]]),
        "group": st.sampled_from(["", "toys/all"]),
    },
)
ids = [id_of(task, index) for task in TASKS for index in range(ITEMS * PLACEMENTS)]
answer = st.sampled_from([None, "", "gold 1", "more 1 and gold 1", "other and more 2", "third", "gold 2, more 2", "x"])


def asked(texts) -> dict:
    """The texts, and no response to every other row."""
    return dict.fromkeys(ids) | texts


def direct(release, texts) -> Means:
    """What `carrara score` says of the same responses."""
    report = score((row for name in release.configs for row in rows(release, name)), texts)
    tasks, configs = ({name: one.mean for name, one in part.items()} for part in (report.tasks, report.configs))
    assert means(report.scores) == Means(report.overall.mean, tasks, configs)
    return Means(report.overall.mean, tasks, configs)


@settings(max_examples=20)
@given(
    changes=st.dictionaries(st.sampled_from(ids), columns, max_size=5),
    items=st.fixed_dictionaries(dict.fromkeys(TASKS, st.integers(0, 3))).filter(lambda items: any(items.values())),
    texts=st.dictionaries(st.sampled_from(ids), answer, max_size=8).map(asked),
)
def test_the_bounds_hold_the_score_of_the_same_responses(home, tmp_path_factory, changes, items, texts):
    old = open_release(home / "1.0.0")
    new = open_release(version(tmp_path_factory.mktemp("new") / "1.2.0", "1.2.0", items, changes))
    was, truth = (direct(release, texts) for release in (old, new))
    before = scored_before(old, texts)
    table = before.rows
    assert means(table.values()) == was
    for known in (before, forgotten(before)):
        found = rebase(old, new, known)
        pairs = [(found.overall, truth.overall)]
        pairs += [(value, truth.tasks.get(name)) for name, value in found.tasks.items()]
        pairs += [(value, truth.configs.get(name)) for name, value in found.configs.items()]
        for value, true in pairs:
            assert (value.low is None) == (value.high is None) == (true is None)
            if true is not None:
                assert 0 <= value.low <= true <= value.high <= 1
                assert not value.is_exact or value.low == true == value.high
                # Rows that may score anything make bounds that are not one number.
                assert value.is_exact == (value.low == value.high)
        assert truth.configs.keys() <= found.configs.keys()
        now = {row["id"] for name in new.configs for row in rows(new, name, ["id"])}
        assert sum(found.overall.counts.values()) == len(now | set(table))
        assert found.overall.counts["added"] == len(now - set(table))
        assert found.overall.counts["removed"] == len(set(table) - now)


def test_many_changed_rows_are_read_at_once_and_few_one_by_one(home, tmp_path, monkeypatch):
    changes = {id_of("alpha", index): {"complexity": 2} for index in range(12)}
    old, new = version(tmp_path / "1.0.0", items={"alpha": 6}), tmp_path / "1.1.0"
    version(new, "1.1.0", {"alpha": 6}, changes)
    texts = {id_of("alpha", index): f"gold {index}" for index in range(12)}
    one_by_one = []

    def counted(release, row_id):
        one_by_one.append(row_id)
        return next(row for row in rows(release, ALPHA) if row["id"] == row_id)

    monkeypatch.setattr("carrara.making.rescore.read_row", counted)
    found = rebase(open_release(old), open_release(new), scored(old, texts))
    assert counts(found.overall) == {"rescored": 12} and one_by_one == []
    assert {change.new for change in found.changes} == {0.5} and found.overall.low == 0.5
    under(home, "1.1.0", scored(home / "1.0.0", all_right()))
    assert one_by_one == [id_of("alpha", 1)] * 2


# What is refused


def test_releases_that_are_not_versions_of_one(home):
    before = scored(home / "1.0.0", all_right())
    for other, said in (("others", "the name 'others'"), ("twin", "the stream 'toys/2'")):
        with pytest.raises(ReleaseError, match=said):
            under(home, other, before)


def test_a_score_of_a_row_that_there_is_not(home):
    before = scored(home / "1.0.0", all_right())
    first = before.rows[id_of("alpha", 0)]
    for row in (
        replace(first, id=id_of("alpha", 4)),
        replace(first, id="../../x"),
        replace(first, bucket="2k"),
        replace(first, task="alpha_en", variant=""),
        replace(first, id=id_of("beta", 0)),
    ):
        with pytest.raises(ReleaseError, match=r"no row|under config"):
            under(home, "1.1.0", Before("m", {row.id: row}))


def swapped(table: list[dict]) -> None:
    table[0], table[1] = table[1], table[0]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda table: table[1].update(answers=["forged"]), "is not the row of its digest"),
        (lambda table: table[1].update(depths=[float("nan")]), "is not the row of its digest"),
        (swapped, "is at the position of"),
        (lambda table: table.clear(), "is at the position of"),
    ],
)
def test_rows_that_are_not_those_of_the_digests(home, tmp_path, change, said):
    folder = version(tmp_path / "1.2.0", "1.2.0", changes={id_of("alpha", 1): {"answers": ["other 1"]}})
    table = list(rows(open_release(folder), ALPHA))[:3]
    change(table)
    write_parquet(folder / f"data/{ALPHA}/test-00000-of-00002.parquet", table)
    with pytest.raises(ReleaseError, match=f"{said}|holds 1 rows, no row 1"):
        rebase(open_release(home / "1.0.0"), open_release(folder), scored(home / "1.0.0", all_right()))


def test_added_rows_that_are_not_there(home, tmp_path):
    folder = version(tmp_path / "1.2.0", "1.2.0", MORE)
    write_parquet(folder / f"data/{ALPHA}/test-00001-of-00002.parquet", [])
    with pytest.raises(ReleaseError, match=r"00004. is in the digests of 1\.2\.0, but not among its rows"):
        rebase(open_release(home / "1.0.0"), open_release(folder), scored(home / "1.0.0", all_right()))


def test_digest_lists_that_are_not_those_of_the_manifest(home, tmp_path):
    folder = version(tmp_path / "1.2.0", "1.2.0")
    file = folder / f"digests/{ALPHA}.txt"
    lines = file.read_text().splitlines(keepends=True)
    for forged in (lines[:-1], [*lines, lines[-1]], [f"{'0' * 64}{lines[0][64:]}", *lines[1:]], []):
        file.write_text("".join(forged))
        with pytest.raises(ReleaseError, match="not the list that its manifest names"):
            rebase(open_release(home / "1.0.0"), open_release(folder), scored(home / "1.0.0", all_right()))


def test_a_changed_row_that_no_task_makes(home, tmp_path):
    for number, columns in enumerate(({"facts": "{"}, {"facts": "[]"}, {"metric": "charm"}, {"task": "gamma"})):
        folder = version(tmp_path / f"{number}", "1.2.0", changes={id_of("alpha", 1): columns})
        with pytest.raises(ReleaseError):
            rebase(open_release(home / "1.0.0"), open_release(folder), scored(home / "1.0.0", all_right()))


# The command


def test_a_version_beside_the_old_one(home, tmp_path, monkeypatch):
    old = home / "1.0.0"
    for wanted, found in (
        ("1.1.0", "1.1.0"),
        ("v1.1.0", "1.1.0"),
        ("v1.1", "1.1.1"),
        ("1.1", "1.1.1"),
        ("1.10", "1.10.0"),
        ("v1", "1.10.0"),
        ("2", "2.0.0"),
    ):
        assert beside(old, wanted) == home / found
    assert beside(old, str(home / "1.1.0")) == home / "1.1.0"
    for wanted in ("3", "v1.2", "1.1.2", "1.0.1", "11"):
        with pytest.raises(CarraraError, match="no such version lies beside") as caught:
            beside(old, wanted)
        assert "1.0.0, 1.1.0, 1.1.1, 1.10.0, 2.0.0" in caught.value.hint
    # What is there under that very name is meant; a folder without a release is not.
    monkeypatch.chdir(tmp_path)
    (tmp_path / "2").mkdir()
    assert beside(old, "2") == home / "2.0.0"
    (tmp_path / "2" / "manifest.json").touch()
    assert beside(old, "2") == Path("2")
    monkeypatch.chdir(home / "1.0.0")
    assert beside(Path(), "v2") == home / "2.0.0"


def test_the_command_on_responses_and_on_their_result(home, tmp_path):
    old, texts = home / "1.0.0", all_right() | {id_of("alpha", 1): "other 1 and more 1"}
    given = responses(tmp_path / "a model.jsonl", texts)
    done = here("score", old, given, "--out", tmp_path / "result.json")
    assert done.code == 0
    for file, low, kind in ((given, 1, "responses"), (tmp_path / "result.json", 0.75, "scores")):
        done = here("score", old, file, "--rebase", "1.1.0", "--json", "--out", tmp_path / "deep" / "rebase.json")
        assert done.code == 0, done
        table = json.loads(done.out)
        assert table == json.loads((tmp_path / "deep" / "rebase.json").read_text())
        assert (table["model"], table["old"], table["new"]) == ("a model", "toys@1.0.0", "toys@1.1.0")
        assert (table["format"], table["from"]) == ("carrara/rebase", kind)
        alpha = table["tasks"]["alpha"]
        assert (alpha["old"], alpha["low"], alpha["high"], alpha["exact"]) == (0.875, low, 1, low == 1)
        assert list(alpha["rows"]) == sorted(KINDS) and sum(alpha["rows"].values()) == 4
        (change,) = table["changed"]
        assert (change["id"], change["columns"]) == (id_of("alpha", 1), ["answers"])
    done = here("score", old, given, "--rebase", home / "1.1.1")
    assert done.code == 0 and f"{id_of('beta', 2)}" in done.out and "0.0–100.0" in done.out
    alpha = next(line for line in done.out.splitlines() if line.strip().startswith("alpha "))
    assert alpha.split() == ["alpha", "87.5", "66.7–100.0", "3", "0", "1", "0", "2", "0"]
    done = here("score", old, given, "--rebase", "2.0.0", "--config", BETA)
    assert done.code == 0 and "configs in which no row differs: 1" in done.out and "alpha" not in done.out
    done = here("score", old, given, "--rebase", "1.1.0", "--metric", "ruler/any", "--model", "B", "--json")
    assert json.loads(done.out)["model"] == "B"
    for words, name in (((), "a model"), (("--model", "C"), "C")):
        done = here("score", old, tmp_path / "result.json", "--rebase", "1.1.0", "--json", *words)
        assert json.loads(done.out)["model"] == name
    rebased = tmp_path / "deep" / "rebase.json"
    assert is_refusal(here("compare", rebased, rebased), "carrara/result")


@pytest.mark.parametrize("form", ["compact", "one line of responses", "byte order mark"])
def test_a_result_is_told_from_responses(home, tmp_path, form):
    given = responses(tmp_path / "m.json", {id_of("alpha", 1): "gold 1 and more 1"})
    here("score", home / "1.0.0", given, "--out", tmp_path / "result.json")
    file = given
    if form == "compact":
        file = tmp_path / "compact.json"
        file.write_text(json.dumps(json.loads((tmp_path / "result.json").read_text())))
    elif form == "byte order mark":
        file.write_bytes(b"\xef\xbb\xbf" + given.read_bytes())
    done = here("score", home / "1.0.0", file, "--rebase", "1.1.0", "--json")
    assert json.loads(done.out)["from"] == ("scores" if form == "compact" else "responses"), done


def test_no_text_of_a_release_reaches_the_terminal(home, tmp_path):
    given = responses(tmp_path / "m.jsonl", all_right())
    new = version(tmp_path / "1.2.0", "1.2.0", changes={id_of("alpha", 1): {"variant": "\x1b[2J[red]"}})
    done = here("score", home / "1.0.0", given, "--rebase", new)
    assert is_refusal(done, r"says that it is of 'alpha_\x1b[2J[red]_1k'") and "\x1b" not in done.err + done.out


def test_what_the_command_refuses(home, tmp_path):
    old = home / "1.0.0"
    given = responses(tmp_path / "m.jsonl", all_right())
    result = tmp_path / "result.json"
    assert here("score", old, given, "--out", result).code == 0
    good = json.loads(result.read_text())

    def forged(name: str, **columns) -> Path:
        file = tmp_path / name
        file.write_text(json.dumps(good | columns))
        return file

    first = good["scores"][0]
    for words, said in (
        ((old, "--rebase", "1.1.0"), "expected one file of responses or their result"),
        ((old, given, given, "--rebase", "1.1.0"), "expected one file of responses"),
        ((old, given, "--rebase", "1.1.0", "--gold"), "neither --gold"),
        ((old, given, "--rebase", "1.1.0", "--chance"), "neither --gold"),
        ((old, given, "--rebase", "1.1.0", "--first", 2), "neither --gold"),
        ((old, given, "--rebase", "1.1.0", "--format", "md"), "a --format to paste"),
        ((old, given, "--rebase", "1.1.0", "--without-errata"), "errata"),
        ((old, given, "--rebase", "1.1.0", "--metric", "charm"), "got the unknown metric 'charm'"),
        ((old, given, "--rebase", "1.1.0", "--config", "gamma"), "got config 'gamma', expected a config"),
        ((old, result, "--rebase", "1.1.0", "--metric", "ruler/any"), "scored already"),
        ((old, given, "--rebase", "7"), "no such version"),
        ((old, given, "--rebase", home / "nowhere"), "is not a release"),
        ((old, given, "--rebase", home / "others"), "expected a version of toys"),
        ((old, given, "--rebase", home / "twin"), "the stream"),
        ((home / "1.1.0", result, "--rebase", "1.1.1"), "scores of the release 'toys@1.0.0', expected 'toys@1.1.0'"),
        ((home / "twin", result, "--rebase", old), "the stream"),
        ((old, forged("other.json", release="others@1.0.0"), "--rebase", "1.1.0"), "others@1.0.0"),
        ((old, forged("stream.json", stream="toys/2"), "--rebase", "1.1.0"), "scores of the stream 'toys/2'"),
        ((old, forged("twice.json", scores=[first, first]), "--rebase", "1.1.0"), "a row id twice"),
        ((old, forged("score.json", scores=[first | {"score": 2}]), "--rebase", "1.1.0"), "score = 2"),
        ((old, forged("row.json", scores=[first | {"id": id_of("alpha", 9)}]), "--rebase", "1.1.0"), "has rows"),
        ((old, forged("task.json", scores=[first | {"task": "gamma"}]), "--rebase", "1.1.0"), "under config"),
        ((old, forged("none.json", scores=[]), "--rebase", "1.1.0"), "scores ="),
        ((old, tmp_path / "none.jsonl", "--rebase", "1.1.0"), "none.jsonl"),
        ((old, tmp_path, "--rebase", "1.1.0"), str(tmp_path)),
    ):
        done = here("score", *words, "--out", tmp_path / "out.json")
        assert is_refusal(done, said), words
    for name, text in (("torn.json", "{"), ("list.json", "[1]"), ("deep.json", "[" * 100_000), ("empty.json", "")):
        (tmp_path / name).write_text(text)
        assert is_refusal(here("score", old, tmp_path / name, "--rebase", "1.1.0"), name, "or give the responses"), name
    assert not (tmp_path / "out.json").exists()


def test_a_manifest_that_claims_a_config_of_another_shape(home, tmp_path):
    folder = version(tmp_path / "1.2.0", "1.2.0", changes={id_of("alpha", 1): {"complexity": 2}})
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["content"]["configs"][ALPHA]["task"] = "beta"
    (folder / "manifest.json").write_bytes(canonical(manifest))
    with pytest.raises(ReleaseError, match="says that it is of"):
        rebase(open_release(home / "1.0.0"), open_release(folder), scored(home / "1.0.0", all_right()))
