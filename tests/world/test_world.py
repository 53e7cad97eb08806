"""The public face: the tables of a world, their order and sizes, and `carrara world`."""

import json
import re

import pytest
from typer.testing import CliRunner

from carrara.cli.app import app
from carrara.errors import SourceError
from carrara.making.inputs import SourceInputs
from carrara.recipe.recipe import recipe_from_table
from carrara.stream import Stream
from carrara.tables import Document, EntityRow, Judgement, LabelledText, Passage, Question
from carrara.tokens import load_tokenizer
from carrara.world.pieces import FORMATS, TOPICS, piece
from carrara.world.questions import QUESTION_KINDS
from carrara.world.stories import story
from carrara.world.world import DOCUMENT_KINDS, World

STREAM = "world test/1"


def run(*arguments: str):
    return CliRunner().invoke(app, ["world", "--stream", STREAM, *arguments], env={"COLUMNS": "120"})


def test_a_larger_world_begins_as_a_smaller_one():
    small, large = World(STREAM, 1), World(STREAM, 2)
    passages = list(small.passages("en"))
    assert [one for one, _ in zip(large.passages("en"), passages, strict=False)] == passages
    entities = list(large.entities("en"))
    assert entities[:1_000] == list(small.entities("en")) and len(entities) == 2_000
    assert all(isinstance(one, EntityRow) for one in entities) and all(isinstance(one, Passage) for one in passages)
    with pytest.raises(ValueError, match="1 realm or more, got 0"):
        World(STREAM, 0)
    with pytest.raises(ValueError, match=r"writes edition 2 of the world, got 1; .* releases/CODE\.toml"):
        World(STREAM, edition=1)


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.repeat)])
def test_questions_and_judgements_stay_in_the_corpus(lang):
    world = World(STREAM, 2)
    ids = {one.id for one in world.passages(lang)}
    for kind in QUESTION_KINDS:
        found = list(world.questions(lang, kind, 15))
        assert len(found) == 30 and all(isinstance(one, Question) and one.kind == kind for one in found)
        assert {one.passage for question in found for one in question.evidence} <= ids
    for question, judged in world.judgements(lang, 5):
        assert {one.grade for one in judged} >= {0, 2, 3} and all(isinstance(one, Judgement) for one in judged)
        assert {one.passage for one in judged} <= ids and {one.question for one in judged} == {question.id}
    with pytest.raises(ValueError, match="no questions of kind 'riddle'; there are one_hop"):
        world.questions(lang, "riddle", 1)


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("kind", DOCUMENT_KINDS)
def test_documents_of_every_kind(lang, kind):
    world = World(STREAM)
    short, long = (world.document(lang, kind, 4, size) for size in (3, 5))
    assert isinstance(short, Document) and short.kind == kind and long.text.startswith(short.text.rstrip())
    assert short != world.document(lang, kind, 5, 3) != World("another").document(lang, kind, 5, 3)
    with pytest.raises(ValueError, match="no documents of kind 'ode'; there are chronicle, meeting"):
        world.document(lang, "ode", 1, 1)


def test_utterances_come_intent_by_intent():
    found = list(World(STREAM).labelled_texts("test"))
    assert all(isinstance(one, LabelledText) for one in found)
    labels = [one.label for one in found]
    assert labels == sorted(labels, key=list(dict.fromkeys(labels)).index) and len(set(labels)) >= 150


def test_a_recipe_reaches_the_tables_by_its_source():
    recipe = recipe_from_table(
        {
            "name": "tables",
            "version": "1.0.0",
            "stream": STREAM,
            "tokenizer": "o200k_base",
            "buckets": {"4k": 4096},
            "cell": [{"task": "single_needle", "variants": ["en"], "questions": 1}],
        }
    )
    tokenizer = load_tokenizer("o200k_base")
    assert recipe.cells[0].source == "world"
    world = SourceInputs("world", recipe, None, tokenizer).tables
    assert next(world.passages("en")) == next(World(STREAM).passages("en"))
    with pytest.raises(SourceError, match="is missing"):
        _ = SourceInputs("gutenberg", recipe, None, tokenizer).tables


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_show_prints_card_passages_and_questions(lang):
    shown = run("--show", "village:1234", "--lang", lang)
    assert shown.exit_code == 0
    card = json.loads(run("--show", "village:1234", "--lang", lang, "--json").output)
    assert card["id"] == "village:1234" and card["names"][0] in shown.output
    flat = re.sub(r"\s+", "", shown.output)
    for passage in card["passages"]:
        assert re.sub(r"\s+", "", passage["text"]) in flat
        for start, end in passage["states"].values():
            assert passage["text"][start:end]
    assert len(card["questions"]) >= len(card["facts"]) >= 8
    for question in card["questions"]:
        assert re.sub(r"\s+", "", question["text"]) in flat


def test_overview_names_one_entity_of_every_class():
    shown = run()
    assert shown.exit_code == 0 and shown.output.count(":0 ") == 14
    assert len(json.loads(run("--json").output)) == 14


def test_a_document_is_printed():
    shown = run("--show", "meeting:3", "--size", "2")
    assert shown.exit_code == 0 and len(shown.output) > 1_000
    assert json.loads(run("--show", "meeting:3", "--size", "2", "--json").output)["questions"]


@pytest.mark.parametrize("show", ["story:3", "piece:5", "piece:99999"])
def test_stories_and_pieces_are_printed(show):
    shown = json.loads(run("--show", show, "--json").output)
    assert shown["text"] in run("--show", show).output and len(shown["text"].split()) > 60


def test_the_face_gives_what_the_rooms_give():
    world = World(STREAM)
    assert world.story(3) == story(Stream(STREAM).child("world"), 3) != World("another").story(3)
    key = (FORMATS[0], TOPICS[0], None, 2)
    assert world.piece(*key) == piece(Stream(STREAM).child("world"), *key)
    assert TOPICS[0].split()[-1] in world.request(*key)


@pytest.mark.parametrize(
    ("show", "told"),
    [
        ("village", "village:1234"),
        ("town:3", "no class 'town'"),
        ("village:-1", "plain digits"),
        ("village:٣", "plain digits"),
        ("chronicle:x", "chronicle:NUMBER"),
        ("village:99999999999999999999", "realms"),
    ],
)
def test_a_wrong_reference_is_told(show, told):
    shown = run("--show", show)
    assert shown.exit_code != 0 and told in f"{shown.output}{shown.exception}"


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        ("passages", {"id", "title", "text"}),
        ("entities", {"id", "name", "aliases", "class_", "gloss"}),
        ("judgements", {"question", "passage", "grade"}),
    ],
)
def test_tables_are_written_as_json_lines(tmp_path, table, keys):
    out = tmp_path / f"{table}.jsonl"
    shown = run("--table", table, "--out", str(out), "--each", "2", "--quiet")
    assert shown.exit_code == 0, shown.output
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert f"{len(rows):,} rows" in shown.output and all(set(row) == keys for row in rows)
    assert [file.name for file in tmp_path.iterdir()] == [out.name]


def test_questions_are_written_with_their_gold():
    rows = [json.loads(line) for line in run("--table", "questions", "--each", "2", "--quiet").output.splitlines()]
    assert {row["kind"] for row in rows} == set(QUESTION_KINDS) and len(rows) == 2 * len(QUESTION_KINDS)


def test_check_validates_every_fact():
    shown = run("--check", "--realms", "2", "--workers", "1", "--quiet")
    assert shown.exit_code == 0 and shown.output.strip() == "2,000 entities: no contradiction"


def test_help_teaches():
    shown = CliRunner().invoke(app, ["world", "--help"], env={"COLUMNS": "120"})
    assert "--show village:1234" in shown.output and "--table passages" in shown.output
