"""The audit of a built release: silent on a sound one, a finding for every answer, count or prompt that was changed."""

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from carrara.engine.parquet import write_rows
from carrara.errors import ProofError
from carrara.making.build import Run, build
from carrara.making.proofs import audit_release, gold_response, prove, wrong_findings, wrong_responses, wrong_scores
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_json, recipe_from_table
from carrara.release.reader import open_release
from carrara.row import SCHEMA, DigestLine, Row, content_root, row_digest
from carrara.task import Draft

RECIPE = {
    "name": "tiny",
    "version": "1.0.0",
    "stream": "conformance/1",
    "tokenizer": "o200k_base",
    "buckets": {"4k": 4_096},
    "cell": [
        {"task": "single_needle", "variants": ["en"], "questions": 2, "params": {"depths": 2}},
        {"task": "multi_needle", "variants": ["zh"], "questions": 2, "params": {"depths": 1, "needles": 3}},
        {"task": "latent_list", "questions": 4},
        {"task": "numeric_sorting", "variants": ["ascending", "verbatim"], "questions": 2},
    ],
}
CONFIGS = [
    "single_needle_en_4k",
    "multi_needle_zh_4k",
    "latent_list_4k",
    "numeric_sorting_ascending_4k",
    "numeric_sorting_verbatim_4k",
]


class Silent:
    def start(self, config: str, rows: int) -> None: ...

    def advance(self, config: str, rows: int, tokens: int) -> None: ...

    def note(self, text: str) -> None: ...


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    return build(recipe_from_table(RECIPE), Run(tmp_path_factory.mktemp("out")), Silent())


@pytest.fixture
def copy(built, tmp_path) -> Path:
    return Path(shutil.copytree(built, tmp_path / "copy"))


def audited(folder: Path):
    release = open_release(folder)
    notes: list[str] = []
    number, findings = audit_release(release, recipe_from_json(release.content.recipe.to_json()), notes.append)
    assert [note.split(":")[0] for note in notes] == CONFIGS
    return number, findings


def changed(folder: Path, config: str, at: int, **changes) -> str:
    """Change a row of a release and all that vouches for it: file, digest list, manifest. Returns the row's id."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    facts = manifest["content"]["configs"][config]
    (path,) = facts["files"]
    rows = pq.read_table(folder / path).to_pylist()
    rows[at].update(changes)
    write_rows(
        folder / path,
        (Row(**{**row, "evidence": [(span["start"], span["end"]) for span in row["evidence"]]}) for row in rows),
    )
    lines = [DigestLine(row_digest(row), row["id"]) for row in rows]
    text = "".join(f"{line}\n" for line in lines).encode()
    (folder / "digests" / f"{config}.txt").write_bytes(text)
    facts["root"] = content_root(lines)
    for name in (path, f"digests/{config}.txt"):
        data = (folder / name).read_bytes()
        manifest["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    (folder / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return rows[at]["id"]


def read(folder: Path, config: str, at: int) -> dict:
    (path,) = open_release(folder).configs[config].files
    return pq.read_table(folder / path).to_pylist()[at]


def test_a_sound_release_has_no_findings(built):
    assert audited(built) == (2 * 2 + 2 + 4 + 2 + 2, [])


@pytest.mark.parametrize(
    ("config", "at", "what"),
    [
        ("single_needle_en_4k", 1, {"solver", "evidence", "answer elsewhere"}),
        ("multi_needle_zh_4k", 0, {"solver", "evidence", "answer elsewhere"}),
        ("latent_list_4k", 2, {"solver"}),
        ("numeric_sorting_ascending_4k", 1, {"solver"}),
    ],
)
def test_a_changed_answer_is_found(copy, config, at, what):
    answers = read(copy, config, at)["answers"]
    wrong = [answers[0][:-1] + ("7" if answers[0][-1] != "7" else "8"), *answers[1:]]
    where = changed(copy, config, at, answers=wrong)
    _, findings = audited(copy)
    assert {finding.what for finding in findings} >= what
    assert all(finding.detail.startswith(where) for finding in findings)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        (lambda row: {"tokens": row["tokens"] - 1}, "length"),
        (lambda row: {"max_output_tokens": row["max_output_tokens"] + 1}, "length"),
        (lambda row: {"max_output_tokens": 1}, "output"),
        (lambda row: {"answers": []}, "gold"),
        (lambda row: {"answers": ["…"]}, "gold"),
        (lambda row: {"prompt": row["prompt"] + "x"}, "length"),
        (lambda row: {"prompt": row["prompt"].replace(row["answers"][0], "Somebody Else")}, "solver"),
        (lambda row: {"evidence": [{"start": 0, "end": 20}]}, "evidence"),
        (lambda row: {"evidence": [{"start": 0, "end": 10**9}]}, "evidence"),
        (lambda row: {"depths": [1.5]}, "evidence"),
    ],
)
def test_every_change_of_a_row_is_found(copy, changes, what):
    row = read(copy, "single_needle_en_4k", 0)
    changed(copy, "single_needle_en_4k", 0, **changes(row))
    _, findings = audited(copy)
    assert what in {finding.what for finding in findings}, findings


@pytest.mark.parametrize("facts", ["{}", "[", "[]", "3", '{"reference": 3}'])
def test_facts_that_no_task_wrote_are_a_finding(copy, facts):
    where = changed(copy, "single_needle_en_4k", 0, facts=facts)
    number, findings = audited(copy)
    assert number == 14 and any(where in finding.detail for finding in findings)
    told = " ".join(finding.detail for finding in findings)
    assert facts != "{}" or "the task's audit fails on them at" in told


def test_the_audit_goes_on_after_a_finding(copy):
    for at in range(2):
        changed(copy, "latent_list_4k", at, answers=["123456"])
    number, findings = audited(copy)
    assert number == 14
    assert len({finding.detail.split(":")[0] for finding in findings if finding.what == "solver"}) == 2


# --- single proofs ----------------------------------------------------------------------------------------------------


def test_wrong_answers_are_made_from_what_is_there():
    wrong = wrong_responses("the prompt", ("a long answer", "another"), ("gold of one",))
    assert wrong == {
        "empty": "",
        "prompt echo": "the prompt",
        "gold cut by a tenth": "a long answer\nanoth",
        "gold of another item": "gold of one",
    }
    # A short gold cut by a tenth may still be right; equal golds in another order are no wrong answer.
    assert set(wrong_responses("p", ("abc",), None)) == {"empty", "prompt echo"}
    assert "gold of another item" not in wrong_responses("p", ("a", "b"), ("b", "a"))
    assert gold_response(("a", "b")) == "a\nb"


def test_a_metric_that_gives_a_wrong_answer_its_full_score_is_found(monkeypatch):
    from carrara.making import proofs as audit

    recipe = recipe_from_table(RECIPE)
    maker, config = RowMaker(recipe, None), recipe.configs()[0]
    slot = config.slot(0)
    draft = config.task.render(maker.plan(config, 0), slot, maker.inputs("world"), maker.budget)
    row = maker.make(config, slot).row.to_arrow()

    def proven() -> list[str]:
        return [finding.detail for finding in prove(config.task, draft, row, slot, True, maker.tokenizer.count)]

    def wrong() -> set[str]:
        return {
            one.detail.split(" scores")[0]
            for one in wrong_findings(row["metric"], wrong_scores(row, ("Somebody Else",)))
        }

    assert wrong() == set()
    monkeypatch.setitem(audit.METRICS, "needlebench/answer", lambda response, row: 1.0)
    assert proven() == []
    assert wrong() == {"empty", "prompt echo", "gold cut by a tenth", "gold of another item"}
    monkeypatch.setitem(audit.METRICS, "needlebench/answer", lambda response, row: 0.99)
    assert [detail for detail in proven() if "scores 0.99" in detail]


def test_wrong_answers_are_scored_on_a_short_prompt_of_the_same_item(monkeypatch):
    from carrara.making import proofs as audit

    recipe = recipe_from_table({**RECIPE, "buckets": {"128k": 131_072}})
    maker, config = RowMaker(recipe, None), recipe.configs()[0]
    monkeypatch.setattr("carrara.making.row_maker.probe", lambda *_: None)
    seen = []

    def metric(response, row):
        seen.append(row["tokens"])
        return float(response == "\n".join(row["answers"]))

    monkeypatch.setitem(audit.METRICS, "needlebench/answer", metric)
    made = maker.make(config, config.slot(0)).row
    assert (
        made.tokens > 100_000
        and seen[0] == made.tokens
        and set(seen[1:]) == {audit.TRIAL_TOKENS - made.max_output_tokens}
    )
    monkeypatch.setitem(audit.METRICS, "needlebench/answer", lambda response, row: 1.0)
    with pytest.raises(ProofError, match="wrong answer"):
        maker.make(config, config.slot(0))


def test_a_prompt_that_lacks_one_token_is_a_finding_where_the_task_can_fill_it():
    recipe = recipe_from_table(RECIPE)
    maker, config = RowMaker(recipe, None), recipe.configs()[0]
    slot = config.slot(0)
    row = maker.make(config, slot).row.to_arrow()
    draft = config.task.render(maker.plan(config, 0), slot, maker.inputs("world"), maker.budget)

    def found(task, additive: bool) -> set[str]:
        longer = replace(slot, length=slot.length + 1)
        return {finding.what for finding in prove(task, draft, row, longer, additive, maker.tokenizer.count)}

    assert found(config.task, True) == {"fill"}
    assert found(config.task, False) == found(replace(config.task, exact=False), True) == set()


def test_a_solver_that_fails_is_a_finding_and_not_a_silence():
    recipe = recipe_from_table(RECIPE)
    maker, config = RowMaker(recipe, None), recipe.configs()[0]
    slot = config.slot(0)
    row = maker.make(config, slot).row.to_arrow()
    draft = config.task.render(maker.plan(config, 0), slot, maker.inputs("world"), maker.budget)
    silent = Draft(**{**{name: getattr(draft, name) for name in Draft.__slots__}, "prompt": "nothing"})
    found = {finding.what for finding in prove(config.task, silent, row, slot, True, len)}
    assert {"solver", "evidence"} <= found


def test_the_release_has_the_one_schema(built):
    for facts in open_release(built).configs.values():
        for path in facts.files:
            assert pq.read_schema(built / path).equals(SCHEMA)
    tables = [pq.read_table(built / path) for facts in open_release(built).configs.values() for path in facts.files]
    assert pa.concat_tables(tables).num_rows == 14


def test_a_row_that_names_another_metric_than_its_task_is_found():
    recipe = recipe_from_table(RECIPE)
    maker, config = RowMaker(recipe, None), recipe.configs()[0]
    slot = config.slot(0)
    draft = config.task.render(maker.plan(config, 0), slot, maker.inputs("world"), maker.budget)
    row = {**maker.make(config, slot).row.to_arrow(), "metric": "needlebench/first"}
    assert [one.what for one in prove(config.task, draft, row, slot, True, maker.tokenizer.count)] == ["metric"]


def test_a_cut_that_takes_only_marks_away_is_no_wrong_response():
    assert "gold cut by a tenth" not in wrong_responses("p", ("twelve miles.",), None)
    assert wrong_responses("p", ("twelve miles",), None)["gold cut by a tenth"] == "twelve mile"


def test_a_cut_that_still_is_another_name_without_its_article_is_no_wrong_response():
    names = ("Liberty, Statue of", "The Liberty Statue")
    assert "gold cut by a tenth" not in wrong_responses("p", names, None, names)
    assert "gold cut by a tenth" in wrong_responses(
        "p", ("Liberty, Statue of",), None, ("Liberty, Statue of", "The Who")
    )
