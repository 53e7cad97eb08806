"""Citations: how statements and items are read, what is supported, what is of use; gold 1, wrong answers below."""

import json
import re
import time

import pytest
from cited_rows import BODY, COUNT, ITEMS, ITEMS_GOLD, STATEMENTS, STATEMENTS_GOLD
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.scoring import METRICS, PARTS, parts_of, score_response
from carrara.scoring.metrics import citations
from carrara.scoring.metrics.citations import MOST, statements
from carrara.scoring.metrics.entailment import cited
from carrara.text.sentences import Punkt, Rules, splitter

FAMILY = sorted(name for name in METRICS if name.startswith("citations"))
SOUND = [name for name in FAMILY if not name.endswith("/paper")]
SPLITTERS = {"punkt": splitter, "rules": Rules}


def read(response, row=STATEMENTS, by=None):
    found, _ = statements(citations.read(response, cited(row), 10_000), cited(row), by or splitter())
    return [(one.text, one.cited, one.invented) for one in found]


def marks(response, row=STATEMENTS):
    found = citations.marks(response, row)
    return found.correctness, found.recall, found.precision


@pytest.mark.parametrize("name", SPLITTERS)
def test_sentences(name):
    by = SPLITTERS[name]()
    assert read(STATEMENTS_GOLD, by=by) == [
        ("The town called it the Lower Brine.", (1,), 0),
        ("Boatmen have used that name since 27 November 1806.", (3,), 0),
        ("The surveyor named it Dr. J. Tarn's Water.", (4,), 0),
    ]
    # One that follows the full stop belongs to the sentence before, one that begins a line to what follows.
    assert read("It rose. [1] It fell [2].[3]\n[4] It froze.\n[5]", by=by) == [
        ("It rose.", (1,), 0),
        ("It fell.", (2, 3), 0),
        ("It froze.", (4, 5), 0),
    ]
    assert [text for text, _, _ in read("1. It rose [1].\n- It fell [2].\n\n---\nAnd froze", by=by)] == [
        *("It rose.", "It fell.", "And froze"),
    ]


@pytest.mark.parametrize(
    ("text", "numbers", "invented", "left"),
    [
        ("It rose [3].", (3,), 0, "It rose."),
        ("It rose[3].", (3,), 0, "It rose."),
        ("It rose [3][5].", (3, 5), 0, "It rose."),
        ("It rose [3] [5].", (3, 5), 0, "It rose."),
        ("It rose [3, 5; 3].", (3, 5), 0, "It rose."),
        ("It rose [Passage 3].", (3,), 0, "It rose."),
        ("It rose ［３］.", (3,), 0, "It rose."),
        ("It rose [3][3][3].", (3,), 0, "It rose."),
        ("It rose [0].", (), 1, "It rose."),
        ("It rose [999][0][3].", (3,), 2, "It rose."),
        ("array[0] stays [3].", (3,), 0, "array[0] stays."),
        ("array[999] stays.", (), 0, "array[999] stays."),
        ("It rose [3.", (), 0, "It rose [3."),
        ("It rose [a].", (), 0, "It rose [a]."),
        ("It rose [12345678901].", (), 0, "It rose [12345678901]."),
        ("Answer: It rose [3].", (3,), 0, "It rose."),
        ("It rose [3-5].", (3, 4, 5), 0, "It rose."),
        ("It rose [3 and 5].", (3, 5), 0, "It rose."),
        ("It rose [Document 3; Document 5].", (3, 5), 0, "It rose."),
        ("It rose [[3]](https://a.b/3), [5](#5).", (3, 5), 0, "It rose,."),
        ("It rose【3†source】.", (3,), 0, "It rose."),
        ("It rose [^3].", (3,), 0, "It rose."),
        # Where no bracket cites.
        ("It rose (3).", (3,), 0, "It rose."),
        ("It rose³.", (3,), 0, "It rose."),
        ("It rose <sup>3, 5</sup>.", (3, 5), 0, "It rose."),
        ("It rose (see passages 3 and 5).", (3, 5), 0, "It rose."),
        ("According to passage 3, it rose.", (3,), 0, "According to, it rose."),
        ("It rose in 1806 (1806).", (), 0, "It rose in 1806 (1806)."),
        ("It rose by 3 m² [3] (5).", (3,), 0, "It rose by 3 m2 (5)."),
    ],
)
def test_what_is_a_citation(text, numbers, invented, left):
    assert read(text) == [(left, numbers, invented)]


def test_items():
    gold = [
        ("Long Span", (6,), 0),
        ("Ostrel, Upper Gate", (6,), 0),
        ("Marn Hilton", (4,), 0),
        ("Marn", (5,), 0),
    ]
    assert read(ITEMS_GOLD, ITEMS) == gold
    assert read(ITEMS_GOLD.replace("], ", "]\n"), ITEMS) == gold
    assert read(ITEMS_GOLD.replace("], ", "]; ").replace("; Marn [", " and Marn ["), ITEMS) == gold
    assert read("1. Long Span [6], 2. Ostrel, Upper Gate [6], 3. Marn Hilton [4], and Marn [5]", ITEMS) == gold
    assert read("2006 [1],1977 [2]", ITEMS) == [("2006", (1,), 0), ("1977", (2,), 0)]
    assert read("1,000 boats [1]", ITEMS) == [("1,000 boats", (1,), 0)]


def test_gold_is_1_by_every_sound_metric_and_splitter(monkeypatch):
    for by in (splitter(), Rules()):
        monkeypatch.setattr(citations, "splitter", lambda by=by: by)
        for row in (STATEMENTS, ITEMS):
            for name in SOUND:
                assert METRICS[name](row["answers"][0], row) == 1, (by.name, name)


def test_statements():
    assert marks("The town called it the Lower Brine [1].") == (1 / 3, 1, 1)
    # The passage does not state it; another one does.
    assert marks("The town called it the Lower Brine [2].") == (1 / 3, 0, 0)
    assert marks("The town called it the Lower Brine.") == (1 / 3, 0, 0)
    assert marks("The town called it the Lower Brine [0].") == (1 / 3, 0, 0)
    # Each alone: neither is needless. One that says nothing is.
    assert marks("It was the Lower Brine [1][3].") == (1 / 3, 1, 1)
    assert marks("It was the Lower Brine [1][2].") == (1 / 3, 1, 1 / 2)
    assert marks("It was the Lower Brine [1][999].") == (1 / 3, 1, 1 / 2)
    # Both are needed where two names are.
    assert marks("The Lower Brine, or Dr. J. Tarn's Water [1][4].") == (2 / 3, 1, 1)
    assert marks("The Lower Brine, or Dr. J. Tarn's Water [1].") == (2 / 3, 0, 0)
    # A statement more, without a name or a citation, lowers recall and nothing else.
    assert marks("It froze in winter. It was the Lower Brine [1].") == (1 / 3, 1 / 2, 1)
    assert marks("It was the Lower Brine [1]. The passages call it Grey Water, too.") == (1 / 3, 1 / 2, 1)
    # An answer that cannot be found does not count as right, and cannot be supported.
    assert marks("It was Old Silt [1].") == (0, 0, 0)
    assert marks("") == marks("[1]") == marks("...") == (0, 0, 0)


def test_one_sentence_that_cites_everything_is_of_little_use():
    everything = "It was the Lower Brine, since 27 November 1806, or Dr. J. Tarn's Water " + "".join(
        f"[{n}]" for n in range(1, COUNT + 1)
    )
    correct, recall, precision = marks(everything)
    assert (correct, recall, precision) == (1, 0, 0)
    # Few citations of which some are needless only lower precision.
    assert marks("It was the Lower Brine [1][2][5][6].") == (1 / 3, 1, 1 / 4)
    assert marks("It was the Lower Brine [1][2][3][5][6][7].") == (1 / 3, 0, 0)


def test_a_name_inside_a_longer_one_is_not_named():
    assert marks("Marn Hilton [4]", ITEMS)[0] == pytest.approx(2 / 5)
    row = json.loads(json.dumps(ITEMS)) | {"facts": json.dumps(json.loads(ITEMS["facts"]) | {"kind": "statements"})}
    assert marks("It was Marn Hilton [4].", row) == (1 / 4, 1, 1)
    assert marks("It was Marn Hilton of Marn [4].", row) == (2 / 4, 0, 0)


def test_answers_that_share_a_name_are_supported_where_one_is():
    facts = {"kind": "statements", "question": "?", "answers": [["1806"], ["1806"]], "support": [[1], [2]]}
    row = {"answers": ["In the first sense 1806 [1]. In the other 1806 [2]."], "facts": json.dumps(facts)}
    assert marks(row["answers"][0], row) == (1, 1, 1)


def test_items_count_whole_and_once():
    assert marks("Long Span [6], Long Span [7]", ITEMS) == (pytest.approx(2 / 5), 1, 1)
    # The words around a name name nothing else, or the item is another.
    assert marks("The Long Span bridge [6]", ITEMS) == (pytest.approx(2 / 5), 1, 1)
    for wrong in ("The Long Span Junior [6]", "Not Long Span [6]", "Long Span of 1806 [6]", "the bridge [6]"):
        assert marks(wrong, ITEMS) == (0, 0, 0)
    assert marks("Long Span (bridge) [6]", ITEMS) == (pytest.approx(2 / 5), 1, 1)
    # An invented item lowers correctness and recall; a true one that cannot be found only recall.
    assert marks(f"{ITEMS_GOLD[:-1]}, Mill Bridge [2]", ITEMS) == (pytest.approx(8 / 9), 4 / 5, 4 / 5)
    assert marks(f"{ITEMS_GOLD[:-1]}, Tarn Ford [2]", ITEMS) == (1, 4 / 5, 4 / 5)


PAIRS = [("Long Span", 6), ("Ostrel, Upper Gate", 6), ("Marn Hilton", 4), ("Marn", 5)]
FORMS = ("- **{}** [{}]", "- {} [{}] – as it is told there", "- {}, of which the text speaks [{}]", "| {} | [{}] |")


@pytest.mark.parametrize(
    "response",
    [
        "The answers are Long Span [6], Ostrel, Upper Gate [6], Marn Hilton [4], and Marn [5].",
        f"{ITEMS_GOLD} The passages do not mention any other.",
        f"{ITEMS_GOLD}\n\nI hope this helps!",
        f"I read the passages. As far as I can tell, the answers are {ITEMS_GOLD}",
        f"Passage 6 names two.\n\n**Answer:** {ITEMS_GOLD}",
        f"{ITEMS_GOLD}\n\nSources:\n[6] Bridges\n[4] Marn Hilton",
        f"{ITEMS_GOLD}\n\nQuestion: Which towns?\nAnswer: Varn [2].",
        ITEMS_GOLD.replace("], ", "] and "),
        *("The following are named:\n\n" + "\n".join(form.format(*pair) for pair in PAIRS) for form in FORMS),
        "| Name | Passage |\n|---|---|\n" + "\n".join(FORMS[-1].format(*pair) for pair in PAIRS),
        " ".join(f"{place}. {name} [{number}]" for place, (name, number) in enumerate(PAIRS, 1)),
        " ".join(f"{name} is one of them [{number}]." for name, number in PAIRS),
    ],
)
def test_lists_as_models_write_them(response):
    assert marks(response, ITEMS) == (1, 1, 1)


@pytest.mark.parametrize(
    "response",
    [
        f"{STATEMENTS_GOLD} The passages do not mention any other.",
        f"The question can be understood in three ways. {STATEMENTS_GOLD}",
        f"Here is what the passages say:\n\n{STATEMENTS_GOLD}\n\nLet me know if you need more details.",
        f"Let me see what is asked.\nAnswer: {STATEMENTS_GOLD}",
        STATEMENTS_GOLD.replace(" Boat", "\n- Boat").replace(" The surv", "\n- The surv"),
    ],
)
def test_sentences_as_models_write_them(response):
    assert marks(response) == (1, 1, 1)


@pytest.mark.parametrize("row", [STATEMENTS, ITEMS], ids=["statements", "items"])
def test_what_is_wrong_gets_less_than_half(row):
    gold = row["answers"][0]
    everything = "".join(f"[{number}]" for number in range(1, COUNT + 1))
    for wrong in (
        re.sub(r" \[\d+\]", "", gold),
        re.sub(r"\[\d+\]", "[40]", gold),
        re.sub(r"\[\d+\]", everything, gold),
        "Iron Gate [6], and Peter Stone [4].",
        "The passages do not answer it.",
    ):
        assert METRICS["citations"](wrong, row) < 0.5, wrong


@pytest.mark.parametrize("row", [STATEMENTS, ITEMS], ids=["statements", "items"])
def test_wrong_answers(row):
    gold, other = row["answers"][0], (ITEMS if row is STATEMENTS else STATEMENTS)["answers"][0]
    for wrong in ("", row["prompt"], BODY, gold[: len(gold) * 9 // 10], other, gold.replace("[", "[9")):
        assert METRICS["citations"](wrong, row) < 1, wrong
    for echo in (row["prompt"], BODY):
        assert METRICS["citations"](echo, row) == 0
    assert METRICS["citations"]("", row) == METRICS["citations/paper"]("", row) == 0


def test_what_normalises_to_nothing_is_never_there():
    facts = {"kind": "statements", "answers": [["A"], ["?!"], ["The"]], "support": [[1], [1], [1]]}
    row = {"answers": ["A [1]."], "facts": json.dumps(facts)}
    assert marks("A the ?! [1].", row) == (0, 0, 0)


def test_parts_and_names():
    found = PARTS["citations"]("It was the Lower Brine [1][2].", STATEMENTS)
    assert found == {"correctness": 1 / 3, "citation recall": 1, "citation precision": 1 / 2}
    assert METRICS["citations"]("It was the Lower Brine [1][2].", STATEMENTS) == pytest.approx(sum(found.values()) / 3)
    assert parts_of("citations/recall", "x", STATEMENTS) == {} == parts_of("latent_list", "x", STATEMENTS)
    score = score_response(STATEMENTS, STATEMENTS_GOLD)
    assert score.value == 1 and score.reason == f"citations, sentences by {splitter().name}"
    # Items are cut at commas.
    assert score_response(ITEMS, ITEMS_GOLD).reason == "citations"
    assert score_response(STATEMENTS, "x", "citations/str_em/paper").reason == "citations/str_em/paper"


def test_only_so_many_statements_are_read():
    line = "It was the Lower Brine [1].\n"
    gold = line * (MOST + 100)
    row = {**STATEMENTS, "answers": [gold]}
    assert citations.marks(line * MOST, row).recall == 1
    assert citations.marks(gold, row).recall == pytest.approx(MOST / (MOST + 100))


def test_a_row_without_facts_gives_0():
    for name in FAMILY:
        assert METRICS[name]("It was the Lower Brine [1].", {"answers": ["x"]}) == 0


def test_published():
    assert METRICS["citations/paper"](STATEMENTS_GOLD, STATEMENTS) == pytest.approx((3 / 4 + 1 + 1) / 3)
    assert METRICS["citations/paper"]("Long Span [6], Marn Hilton [4].", ITEMS) == pytest.approx((2 / 5 + 1 + 1) / 3)
    # Where the sound ones differ: [0] is the last passage, and one of no passage leaves all of its sentence uncounted.
    last = {**STATEMENTS, "facts": json.dumps(json.loads(STATEMENTS["facts"]) | {"support": [[COUNT], [3], [4], []]})}
    assert METRICS["citations/recall/paper"]("It was the Lower Brine [0].", last) == 1
    assert METRICS["citations/recall"]("It was the Lower Brine [0].", last) == 0
    text = "It was the Lower Brine [1]. It was the Lower Brine [1][999]."
    assert METRICS["citations/precision/paper"](text, STATEMENTS) == 1
    assert METRICS["citations/precision"](text, STATEMENTS) == pytest.approx(2 / 3)


def test_punkt_cuts_as_the_golden_cases_say():
    if not isinstance(splitter(), Punkt):
        pytest.skip("nltk's punkt_tab is not on this machine")
    for text, sentences in (("1. Paris is big [1].", ["1.", "Paris is big [1]."]), ("Hi.", ["Hi."])):
        assert [text[start:end] for start, end in splitter().spans(text)] == sentences


@pytest.mark.parametrize("name", SPLITTERS)
def test_splitters(name):
    by = SPLITTERS[name]()
    text = 'Dr. J. R. Smith came to St. Oskel [1]. "Was he?" Yes! In 1806. He left.'
    assert [text[start:end] for start, end in by.spans(text)] == [
        *("Dr. J. R. Smith came to St. Oskel [1].", '"Was he?"', "Yes!", "In 1806.", "He left."),
    ]
    assert by.spans("") == [] and by.spans("no end") == [(0, 6)]
    for hostile in (". " * 10_000, "." * 20_000, "a. " * 6_000, ("." * 190 + " ") * 100, '"' * 20_000, "A.B. " * 4_000):
        started = time.process_time()
        spans = by.spans(hostile)
        assert time.process_time() - started < 0.5, hostile[:8]
        assert all(0 <= start < end <= len(hostile) for start, end in spans)


@settings(max_examples=150, deadline=None)
@given(
    st.text(
        st.one_of(st.characters(), st.sampled_from("[]0123456789.,; \nLong Span"), st.characters(categories=["Cs"]))
    )
)
def test_any_text(text):
    for row in (STATEMENTS, ITEMS):
        for name in FAMILY:
            assert 0 <= METRICS[name](text, row) <= 1, name


def seconds(name, text, row):
    started = time.process_time()
    METRICS[name](text, row)
    return time.process_time() - started


@pytest.mark.repeat
@pytest.mark.parametrize("name", ["citations", "citations/paper", "citations/qampari_f1/paper"])
def test_a_megabyte_is_fast(name):
    long = {**STATEMENTS, "answers": [STATEMENTS_GOLD * 15]}
    units = (
        "[1]",
        "[",
        "a [1]. ",
        "a [1]\n",
        ". ",
        "Lower Brine [1][2][3]. ",
        "Lower ",
        "9",
        "\x00",
        "\ud800",
        "\ufdfa",
    )
    # What cuts sentences is loaded once for a process.
    METRICS[name]("Lower Brine [1].", long)
    for unit in (*units, "[1, ", "Marn, ", "[999999999]", "a-", "?! ", "e\u0301"):
        for row in (long, {**ITEMS, "answers": [ITEMS_GOLD * 40]}):
            text = unit * (1_000_000 // len(unit))
            # The better of two: a collection of garbage may fall into one.
            assert min(seconds(name, text, row) for _ in range(2)) < 1, unit
