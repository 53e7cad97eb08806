"""A user's own tables: what is read, from which files, and that every mistake is named."""

import hashlib

import pytest
from made_files import nested, write

from carrara.errors import SourceError
from carrara.sources import documents, open_source
from carrara.sources import tables as tables_of
from carrara.sources.passages import passage
from carrara.sources.readers.own_tables import chinese, english
from carrara.tables import Derivation, EntityRow, Evidence, Judgement, LabelledText, Question

PASSAGES = [
    {"id": "p1", "title": "Vase", "text": "The  vase was made by Ann Marn."},
    {"id": 2, "text": "It was sold to Bob."},
    {"title": "Third", "text": "Nothing."},
]
READING = {"id": "r1", "text": "Made by whom?", "answers": [["Ann Marn"]], "evidence": [{"passage": "p1"}]}
QUESTIONS = [
    {
        "id": "q1",
        "kind": "one_hop",
        "text": "Who made\nit?",
        "answers": [["Ann Marn", "A. Marn"]],
        "evidence": [{"passage": "p1"}, {"passage": "2", "start": 4, "end": 7}],
        "popularity": 12,
        "hops": 2,
        "options": ["Ann Marn", "Bob"],
        "readings": [READING],
    },
    {"text": "Who knows?", "answers": []},
]
JUDGEMENTS = [{"question": "q1", "passage": "p1", "grade": 3}, {"question": "q1", "passage": 2, "grade": 0}]
ENTITIES = [
    {"name": "HMS Dove", "class": "mean_of_transportation", "gloss": "a ship"},
    {"id": "e2", "name": "Oskel", "class": "village", "aliases": ["Old Oskel", " "]},
]
DERIVATIONS = [{"question": "Whose?", "facts": ["A is B's.", "B is C."], "answers": ["C", "Cee"], "names": ["B"]}]
LABELLED = [
    {"text": "pay  my rent", "label": "rent", "part": "demonstration"},
    {"id": "x", "text": "a bill", "label": "bill", "part": "demonstration"},
    {"text": "rent due", "label": "rent", "part": "test"},
]
ALL = {
    "passages__jsonl": PASSAGES,
    "questions__jsonl__gz": QUESTIONS,
    "judgements__jsonl": JUDGEMENTS,
    "entities__jsonl": ENTITIES,
    "derivations__jsonl": DERIVATIONS,
    "labelled__jsonl": LABELLED,
}


@pytest.fixture
def made(tmp_path):
    def made(lang="en", **contents):
        return (english if lang == "en" else chinese)("mine", write(tmp_path, **contents))

    return made


def everything(source, lang="en"):
    """Reads every table that there is."""
    for read in (
        lambda: list(source.passages(lang)),
        lambda: list(source.questions(lang, "", 0)),
        lambda: list(source.judgements(lang, 0)),
        lambda: list(source.entities(lang)),
        lambda: list(source.derivations(lang, 2)),
        lambda: list(source.labelled_texts("test")),
    ):
        try:
            read()
        except SourceError as error:
            if "holds no" not in str(error):
                raise


def test_every_table(made):
    source = made(**ALL)
    third = passage("Third", "Nothing.")
    assert list(source.passages("en")) == [
        passage("Vase", "The vase was made by Ann Marn.", "p1"),
        passage("", "It was sold to Bob.", "2"),
        third,
    ]
    one, other = source.questions("en", "", 0)
    gold = Evidence("p1", 21, 29)
    assert one == Question(
        *("q1", "one_hop", "Who made it?", (("Ann Marn", "A. Marn"),)),
        (gold, Evidence("2", 4, 7)),
        ("Ann Marn", "Bob"),
        hops=2,
        popularity=12,
        readings=(Question("r1", "", "Made by whom?", (("Ann Marn",),), (gold,)),),
    )
    assert (other.text, other.answers, other.evidence, other.hops) == ("Who knows?", (), (), 1)
    assert list(source.judgements("en", 0)) == [(one, [Judgement("q1", "p1", 3), Judgement("q1", "2", 0)])]
    ship = EntityRow("mean_of_transportation:0", "HMS Dove", (), "mean_of_transportation", "a ship")
    assert list(source.entities("en")) == [ship, EntityRow("e2", "Oskel", ("Old Oskel",), "village", "")]
    roll = source.entity_roll("en")
    assert (roll.size, roll.class_of(1), roll.named([1, 0])) == (2, "village", [("Oskel", ""), ("HMS Dove", "a ship")])
    (derivation,) = source.derivations("en", 2)
    assert derivation == Derivation(derivation.id, "Whose?", ("A is B's.", "B is C."), ("C", "Cee"), ("B",))


def test_kinds_and_counts(made):
    source = made(**ALL)
    assert [one.id for one in source.questions("en", "one_hop", 5)] == ["q1"]
    assert [len(list(source.questions("en", "", each))) for each in (-1, 0, 1, 9)] == [2, 2, 1, 2]
    with pytest.raises(SourceError, match=r"kind 'onehop' \(nearest: one_hop\)"):
        source.questions("en", "onehop", 0)
    with pytest.raises(SourceError, match=r"no derivations of 3 facts\n  Ask for one of \[2\]"):
        source.derivations("en", 3)


def test_each_language_has_its_reader(made):
    with pytest.raises(SourceError, match="is in en, asked for zh"):
        made(**ALL).questions("zh", "", 0)
    source = made("zh", passages__jsonl=[{"text": "瓶是安做的。"}])
    assert [one.text for one in source.passages("zh")] == ["瓶是安做的。"]
    with pytest.raises(SourceError, match="is in zh, asked for en"):
        source.passages("en")


def test_questions_may_stand_without_passages(made):
    row = {"text": "Who?", "answers": [["A"]], "evidence": [{"passage": "x", "start": 1, "end": 5}]}
    (one,) = made(questions__jsonl=[row]).questions("en", "", 0)
    assert one.evidence == (Evidence("x", 1, 5),)
    with pytest.raises(SourceError, match=r"questions.jsonl:1, evidence\[0\]: no start and end"):
        made(questions__jsonl=[{**row, "evidence": [{"passage": "x"}]}]).questions("en", "", 0)


@pytest.mark.parametrize(
    ("name", "row", "said"),
    [
        ("passages", {"text": "x", "titel": "y"}, "unknown field 'titel' (nearest: title)"),
        ("passages", {"id": "z", "text": ""}, "text is '', expected text that is not empty"),
        ("passages", {"id": "z"}, "text is None, expected text"),
        ("passages", {"id": [], "text": "x"}, "id is [], expected text or a number"),
        ("passages", {"id": "p1", "text": "x"}, "the id 'p1' is used before"),
        ("passages", {"title": "Third", "text": "Nothing."}, "is used before"),
        ("passages", [1], "got [1], expected an object"),
        ("questions", {"text": "x", "answer": [["y"]]}, "unknown field 'answer' (nearest: answers)"),
        ("questions", {"text": "x"}, "no answers, expected a list"),
        ("questions", {"text": "x", "answers": ["y"]}, 'Write [["a", "b"]] for one answer with two names'),
        ("questions", {"text": "x", "answers": [[]]}, "answers is [], expected a list of names"),
        ("questions", {"text": "x", "answers": [[1]]}, "answers is 1, expected text in the list"),
        ("questions", {"text": " ", "answers": []}, "text is ' ', expected a question"),
        ("questions", {"id": "q1", "text": "x", "answers": []}, "the id 'q1' is used before"),
        ("questions", {"text": "x", "answers": [], "hops": 0}, "hops 0, popularity 0, expected at least 1 and 0"),
        ("questions", {"text": "x", "answers": [], "popularity": 1.5}, "popularity is 1.5, expected an integer"),
        (
            "questions",
            {"text": "x", "answers": [], "evidence": [{"passage": "p9"}]},
            "passage is 'p9', expected the id",
        ),
        ("questions", {"text": "x", "answers": [], "evidence": [{}]}, "passage is '', expected the id"),
        ("questions", {"text": "x", "answers": [], "evidence": [{"passage": "p1", "from": 1}]}, "unknown field 'from'"),
        (
            "questions",
            {"text": "x", "answers": [], "evidence": [{"passage": "p1", "start": 3, "end": 99}]},
            "evidence[0]: span 3 to 99, expected one within the text (30)",
        ),
        ("questions", {"text": "x", "answers": [], "readings": [{"text": "y"}]}, "readings[0]: no answers"),
        ("questions", {"text": "x", "answers": [], "readings": 3}, "readings is 3, expected a list"),
        ("judgements", {"question": "q1", "passage": "p1", "grade": 2}, "'p1' was judged for 'q1' before"),
        ("judgements", {"question": "q9", "passage": "p1", "grade": 2}, "question is 'q9', expected the id"),
        ("judgements", {"question": "q1", "passage": "p9", "grade": 2}, "passage is 'p9', expected the id"),
        ("judgements", {"question": "q1", "passage": "p1", "grade": 4}, "grade is 4, expected 0"),
        ("judgements", {"question": "q1", "passage": "p1"}, "grade is None, expected an integer"),
        ("entities", {"name": "A", "class": "ship"}, "class is 'ship', expected one of the 14 classes"),
        ("entities", {"name": "A, B", "class": "film"}, "a name without comma or semicolon"),
        ("entities", {"name": "Oskel", "class": "film"}, "the name 'Oskel' stands at entities.jsonl:2, too"),
        ("derivations", {"question": "x", "facts": [], "answers": ["y"]}, "question, facts or answers are empty"),
        ("derivations", {"question": "x", "facts": ["y"], "answers": [], "hop": 1}, "unknown field 'hop'"),
        ("labelled", {"text": "x", "label": "y"}, "part is None, expected text"),
        (
            "labelled",
            {"text": "x", "label": "y", "part": "train"},
            'part is \'train\', expected "demonstration" or "test"',
        ),
        ("labelled", {"text": " ", "label": "y", "part": "test"}, "text or label are empty"),
        ("labelled", {"id": "x", "text": "x", "label": "y", "part": "test"}, "the id 'x' is used before"),
    ],
)
def test_every_mistake_is_named(made, name, row, said):
    contents = {file: [*rows, row] if file.startswith(name) else rows for file, rows in ALL.items()}
    with pytest.raises(SourceError) as caught:
        everything(made(**contents))
    assert said in str(caught.value) and f"{name}.jsonl" in str(caught.value) and len(str(caught.value)) < 600
    line = len(contents[next(file for file in contents if file.startswith(name))])
    assert f":{line}" in str(caught.value)


@pytest.mark.parametrize(
    "content",
    [b"", b"\n\n", b"[]", b"{", b'{"text": "x"', b"\xff", b"\0", b"[" * 100_000, nested(300).encode(), b'"text"'],
)
@pytest.mark.parametrize("name", ["passages", "questions", "judgements", "entities", "derivations", "labelled"])
def test_a_damaged_file_is_refused(made, name, content):
    with pytest.raises(SourceError, match=name):
        everything(
            made(
                **{**ALL, "questions__jsonl__gz": QUESTIONS, f"{name}__jsonl{'__gz' * (name == 'questions')}": content}
            )
        )


def test_labelled_texts_come_by_part_and_label(made):
    source = made(labelled__jsonl=LABELLED)
    assert list(source.labelled_texts("demonstration")) == [
        LabelledText("x", "a bill", "bill"),
        LabelledText("demonstration/0", "pay my rent", "rent"),
    ]
    assert [one.id for one in source.labelled_texts("test")] == ["test/2"]
    with pytest.raises(SourceError, match="holds no labelled texts"):
        made(passages__jsonl=PASSAGES).labelled_texts("test")


def test_files_are_named_after_tables(tmp_path):
    for name in ("passage.jsonl", "passages.json", "passages", "passages.gz", "notes.jsonl"):
        with pytest.raises(SourceError, match="no name of a table"):
            english("mine", {name: tmp_path / name})
    with pytest.raises(SourceError, match=r"b/passages\.jsonl: a/passages\.jsonl holds passages already"):
        english("mine", {name: tmp_path / name for name in ("a/passages.jsonl", "b/passages.jsonl")})


def test_as_a_source_of_a_recipe(tmp_path):
    files = write(tmp_path, **ALL)
    table = {
        "reader": "tables",
        "lang": "en",
        "licence": "CC0-1.0",
        "files": {path: hashlib.sha256(file.read_bytes()).hexdigest() for path, file in files.items()},
    }
    source = open_source("mine", tmp_path, {"mine": table})
    assert [one.id for one in tables_of(source).questions("en", "", 1)] == ["q1"]
    with pytest.raises(SourceError, match="holds tables"):
        list(documents(source))
