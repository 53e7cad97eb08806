"""Frozen runs: what is written is what is read, and a run that is torn, altered or of something else is refused."""

import json
from dataclasses import asdict, replace

import pyarrow as pa
import pytest

from carrara.errors import BudgetError, SourceError
from carrara.retrieval.corpus import open_corpus
from carrara.retrieval.run import SCHEMA, FrozenRun, Kept, RunRecord, RunRequest, read_run, write_run
from carrara.tables import Passage, Question
from carrara.task import Retrieval

WANTED = RunRequest("rag", "world", "world", "runs/1", Retrieval("world"), items=2, tokens=4_096)
PASSAGES = [Passage(f"p{number}", f"Title {number}", f"Text of passage {number}.") for number in range(6)]
QUESTIONS = [Question(f"q{number}", "one_hop", f"What is {number}?", (("six", "6"),)) for number in range(3)]


@pytest.fixture
def corpus(tmp_path, monkeypatch):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path / "cache"))
    return open_corpus("six", "six", lambda: PASSAGES)


def lines():
    rows = []
    for item in range(2):
        for rank, number in enumerate((3, 1, 4, 0, 5), 1):
            reason = {1: "gold", 4: "answer"}.get(number, "")
            rows.append((item, f"q{item}", rank, f"p{number}", 9.0 - rank, reason))
    return pa.table([list(column) for column in zip(*rows, strict=True)], names=SCHEMA.names).cast(SCHEMA)


def record(corpus, wanted, queries, demonstrations):
    made_over = {"name": "six", "digest": corpus.digest, "passages": 6}
    retriever = {"name": "hand"}
    return RunRecord(
        wanted=wanted, corpus=made_over, retriever=retriever, queries=queries, demonstrations=demonstrations
    )


def written(corpus, folder, wanted=WANTED):
    queries = [Kept(QUESTIONS[0], ("p1",)), Kept(QUESTIONS[1], ("p1",), {"p1": 3})]
    run = record(corpus, wanted, queries, [Kept(QUESTIONS[2], ("p2",))]).with_digest(lines())
    write_run(folder, wanted.name, run, lines())
    return run


def test_what_is_written_is_read(corpus, tmp_path):
    made = written(corpus, tmp_path)
    run = read_run(tmp_path, WANTED, corpus)
    assert isinstance(run, FrozenRun) and run.digest == made.digest
    assert [query.question for query in run.queries] == QUESTIONS[:2]
    assert run.queries[0].gold == (PASSAGES[1],) and run.queries[1].grades == {"p1": 3}
    assert [query.question.id for query in run.demonstrations] == ["q2"]
    assert [passage.id for passage in run.ranked(0, 3)] == ["p3", "p0", "p5"]
    assert [passage.id for passage in run.ranked(1, 2)] == ["p3", "p0"]
    assert run.rank(0, "p1") == 2 and run.rank(0, "p2") == 0


def test_a_run_that_is_not_there_is_none(corpus, tmp_path):
    assert read_run(tmp_path, WANTED, corpus) is None


def test_a_run_that_is_too_shallow_says_so(corpus, tmp_path):
    written(corpus, tmp_path)
    run = read_run(tmp_path, WANTED, corpus)
    with pytest.raises(BudgetError, match="holds 3 passages for item 0; 4 are wanted"):
        run.ranked(0, 4)


@pytest.mark.parametrize(
    "other",
    [
        replace(WANTED, stream="runs/2"),
        replace(WANTED, items=3),
        replace(WANTED, source="0" * 64),
        replace(WANTED, retrieval=Retrieval("world", realms=5)),
    ],
)
def test_a_run_of_another_recipe_is_refused(corpus, tmp_path, other):
    written(corpus, tmp_path)
    changed = next(name for name, value in asdict(other).items() if asdict(WANTED)[name] != value)
    with pytest.raises(SourceError, match=f"another recipe: got {changed}"):
        read_run(tmp_path, other, corpus)


def test_a_run_over_another_corpus_is_refused(corpus, tmp_path):
    written(corpus, tmp_path)
    with pytest.raises(SourceError, match="was searched in corpus"):
        read_run(tmp_path, WANTED, open_corpus("five", "five", lambda: PASSAGES[:5]))


def test_an_altered_run_is_refused(corpus, tmp_path):
    written(corpus, tmp_path)
    path = tmp_path / "rag_world.json"
    facts = json.loads(path.read_text())
    facts["queries"][0]["question"]["answers"] = [["seven"]]
    path.write_text(json.dumps(facts))
    with pytest.raises(SourceError, match="has digest"):
        read_run(tmp_path, WANTED, corpus)


@pytest.mark.parametrize(
    "damage",
    [
        "",
        "{}",
        "[]",
        "null",
        "[" * 100_000,
        '{"queries": 3}',
        '{"queries": [], "demonstrations": [], "wanted": 1, "corpus": 2, "digest": 3}',
    ],
)
def test_hostile_runs_are_refused(corpus, tmp_path, damage):
    written(corpus, tmp_path)
    (tmp_path / "rag_world.json").write_text(damage)
    with pytest.raises(SourceError):
        read_run(tmp_path, WANTED, corpus)


def test_a_torn_table_is_refused(corpus, tmp_path):
    written(corpus, tmp_path)
    path = tmp_path / "rag_world.parquet"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(SourceError, match="cannot be read"):
        read_run(tmp_path, WANTED, corpus)


def test_a_passage_that_the_corpus_has_not_is_named(corpus, tmp_path):
    table = lines().set_column(3, SCHEMA.field(3), pa.array([f"x{number}" for number in range(10)]))
    run = record(corpus, WANTED, [Kept(QUESTIONS[0]), Kept(QUESTIONS[1])], [Kept(QUESTIONS[2])]).with_digest(table)
    write_run(tmp_path, WANTED.name, run, table)
    with pytest.raises(SourceError, match="names passage 'x0'"):
        read_run(tmp_path, WANTED, corpus).ranked(0, 1)
