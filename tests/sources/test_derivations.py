"""People's derivations: which questions are kept, how facts become sentences, and the paper's counts."""

import gzip
import json
from pathlib import Path

import pytest
from folders import CORPORA

from carrara.errors import SourceError
from carrara.sources import open_source, tables
from carrara.sources.readers.derivations import STEPS, chinese, english
from carrara.text.fold import fold, occurs

corpora = [
    pytest.mark.repeat,
    pytest.mark.corpora,
    pytest.mark.skipif(
        not (CORPORA / "r4c").is_dir() or not (CORPORA / "needlebench").is_dir(),
        reason="no folder of real sources with r4c and needlebench: set CARRARA_SOURCES",
    ),
]


def write(folder: Path, name: str, value) -> Path:
    data = json.dumps(value, ensure_ascii=False).encode()
    (folder / name).write_bytes(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)
    return folder / name


def row(id_: str, question: str, answer: str, *facts: str, **more) -> dict:
    return {"id": id_, "question": question, "answer": answer, "derivations": list(facts), **more}


GOOD = ("A tower stands in Velm", "Velm is ruled by Orsa Dann")


def test_needlebench_layout(tmp_path):
    file = write(tmp_path, "q.json.gz", [row("a", "Who rules the town of the  tower?", " Orsa Dann", *GOOD)])
    (one,) = english("mine", {"q.json.gz": file}).derivations("en", 2)
    assert one.id == "a" and one.question == "Who rules the town of the tower?" and one.answers == ("Orsa Dann",)
    assert one.facts == ("A tower stands in Velm.", "Velm is ruled by Orsa Dann.") and one.names == ()


def test_r4c_layout_takes_the_first_annotator_and_questions_by_id(tmp_path):
    triplets = [["T", 1, ["a tower", "stands  in", "Velm"]], ["V", 0, ["Velm", "is ruled by", "Orsa Dann"]]]
    other = [["T", 1, ["Velm", "has", "a tower"]]]
    files = {
        "train.json": write(tmp_path, "train.json", {"b": [triplets, other], "unasked": [triplets]}),
        # HotpotQA's own layout calls the id `_id`.
        "q.json": write(tmp_path, "q.json", [{"_id": "b", "question": "Who rules it?", "answer": "Orsa Dann"}]),
    }
    found = english("mine", files)
    (one,) = found.derivations("en", 2)
    assert one.facts == ("A tower stands in Velm.", "Velm is ruled by Orsa Dann.")
    assert found.steps == {2: 1} and not found.dropped


@pytest.mark.parametrize(
    ("question", "answer", "facts", "reason"),
    [
        ("Who rules it?", "Orsa Dann", GOOD, ""),
        ("Who rules it?", "Orsa", GOOD, ""),
        ("Does Orsa Dann rule it?", "Yes", GOOD, "yes or no"),
        ("Who rules it, Orsa Dann or not?", "Orsa Dann", GOOD, "answer in the question"),
        ("Who rules Orsabel?", "Orsa", GOOD, ""),
        ("Who rules it?", "Ors", GOOD, "answer in no fact"),
        ("Who rules it?", "...", GOOD, "answer in no fact"),
        ("Who rules it?", "Orsa Dann", GOOD[1:], "not 2 to 5 facts"),
        ("Who rules it?", "Orsa Dann", (*GOOD, "c", "d", "e", "f"), "not 2 to 5 facts"),
        ("Who rules it?", "Orsa Dann", (*GOOD, GOOD[0]), "a fact in another"),
        ("Who rules it?", "Orsa Dann", (*GOOD, "Surely a tower stands in Velm"), "a fact in another"),
    ],
)
def test_what_is_dropped_and_why(tmp_path, question, answer, facts, reason):
    found = english("mine", {"q.json": write(tmp_path, "q.json", [row("a", question, answer, *facts)])})
    assert dict(found.dropped) == ({reason: 1} if reason else {})
    assert sum(len(found.derivations("en", steps)) for steps in STEPS) == (not reason)
    assert found.steps[len(facts)] == 1


def test_chinese_facts_and_what_was_left_untranslated(tmp_path):
    rows = [
        row("a", "谁写了它？", "《奥尔萨》。", '"甲城有一座塔"', "“甲城”由《奥尔萨》统治"),
        row("b", "Who rules it?", "奥尔萨", "甲城有一座塔", "甲城由奥尔萨统治"),
        row("c", "谁统治甲城？", "奥尔萨", "A tower stands there", "甲城由奥尔萨统治"),
        row("d", "甲城有塔吗？", "是的", "甲城有一座塔", "塔很高"),
    ]
    found = chinese("mine", {"q.json": write(tmp_path, "q.json", rows)})
    (one,) = found.derivations("zh", 2)
    assert one.answers == ("奥尔萨",)
    assert one.facts == ("甲城有一座塔。", "“甲城”由《奥尔萨》统治。")
    assert dict(found.dropped) == {"not translated": 2, "yes or no": 1}


def test_facts_are_tidied(tmp_path):
    facts = ("the  firm L&amp;J is in  Velm", "eBay lent Orsa Dann money!", "the song is called “Velm.”")
    found = english("mine", {"q.json": write(tmp_path, "q.json", [row("a", "Who got money?", "Orsa Dann", *facts)])})
    (one,) = found.derivations("en", 3)
    assert one.facts == ("The firm L&J is in Velm.", "eBay lent Orsa Dann money!", "The song is called “Velm.”")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"q.json": "text"}, "expected a JSON list of questions"),
        ({"q.json": {"a": []}}, "expected a JSON list of questions"),
        ({"q.json": [3]}, "question 0: got '3'"),
        ({"q.json": [{"question": "Q"}]}, "_id is 'None'"),
        ({"q.json": [{"id": "a", "question": "Q", "answer": "A"}]}, "derivations are 'None'"),
        ({"q.json": [row("a", "Q", 3, "x", "y")]}, "answer is '3'"),
        ({"q.json": [row("a", "Q", "A")], "t.json": {"a": [[["T", 1, ["a", "b"]]]]}}, "question a: got"),
        ({"q.json": [row("a", "Q", "A")], "t.json": {"a": []}}, "question a: got"),
        ({"q.json": [row("a", "Q", "A")], "t.json": {"a": 7}}, "question a: got"),
    ],
)
def test_damaged_files_are_named(tmp_path, files, said):
    written = {name: write(tmp_path, name, value) for name, value in files.items()}
    with pytest.raises(SourceError) as caught:
        english("mine", written)
    assert said in caught.value.message


def test_files_that_are_no_json_are_named(tmp_path):
    for text in ("{", "[" * 100_000):
        (tmp_path / "q.json").write_text(text)
        with pytest.raises(SourceError, match=r"q\.json: got .*expected JSON"):
            english("mine", {"q.json": tmp_path / "q.json"})


def test_other_languages_and_kinds_are_refused(tmp_path):
    found = english("mine", {"q.json": write(tmp_path, "q.json", [row("a", "Who?", "Orsa Dann", *GOOD)])})
    with pytest.raises(SourceError, match="'mine' is in en, asked for zh"):
        found.derivations("zh", 2)
    with pytest.raises(SourceError, match="no questions of 6 facts"):
        found.derivations("en", 6)
    with pytest.raises(SourceError, match="holds no passages"):
        found.passages("en")


class TestRealSources:
    pytestmark = corpora

    def test_the_counts_are_those_of_the_paper_s_figure_3(self):
        """R4C's training part, first annotator: 1670 / 520 / 133 / 56 questions of 2 / 3 / 4 / 5 and more steps."""
        steps = tables(open_source("r4c", CORPORA)).steps
        more = sum(count for number, count in steps.items() if number >= 5)
        assert (steps[2], steps[3], steps[4], more, sum(steps.values())) == (1670, 520, 133, 56, 2379)

    @pytest.mark.parametrize(
        ("name", "lang", "kept", "dropped"),
        [
            (
                "r4c",
                "en",
                {2: 1389, 3: 496, 4: 126, 5: 42},
                {
                    "yes or no": 142,
                    "answer in the question": 167,
                    "answer in no fact": 2,
                    "a fact in another": 2,
                    "not 2 to 5 facts": 13,
                },
            ),
            (
                "needlebench_reasoning_zh",
                "zh",
                {2: 1271, 3: 450, 4: 120, 5: 36},
                {
                    "yes or no": 142,
                    "answer in the question": 184,
                    "answer in no fact": 72,
                    "not translated": 91,
                    "not 2 to 5 facts": 13,
                },
            ),
        ],
    )
    def test_what_a_real_source_keeps(self, name, lang, kept, dropped):
        found = tables(open_source(name, CORPORA))
        assert {steps: len(found.derivations(lang, steps)) for steps in STEPS} == kept
        assert dict(found.dropped) == dropped
        assert sum(kept.values()) + sum(dropped.values()) == 2379
        marks = (".", "!", "?", "。", "！", "？", "\"'”’)）》")
        for steps in STEPS:
            for one in found.derivations(lang, steps):
                assert len(one.facts) == steps and len(one.answers) == 1
                assert all("  " not in fact and "\ufffd" not in fact for fact in (*one.facts, one.question))
                assert all(fact.rstrip(marks[-1]).endswith(marks[:-1]) for fact in one.facts)
                # The metric finds it where the reader did.
                answer = fold(one.answers[0])
                assert any(occurs(answer, fold(fact)) for fact in one.facts) and not occurs(answer, fold(one.question))

    def test_r4c_joined_by_id_is_needlebench_s_file(self):
        joined, given = (tables(open_source(name, CORPORA)) for name in ("r4c", "needlebench_reasoning_en"))
        for steps in STEPS:
            assert list(joined.derivations("en", steps)) == list(given.derivations("en", steps))
