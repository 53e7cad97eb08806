"""choice: the forms in which a model names an option, what must never count as one, and the circular evaluation."""

import json
import os
import time
from pathlib import Path

import pytest
from folders import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.scoring import METRICS
from carrara.scoring.metrics.choice import LETTERS, circular, options_of, read_option
from carrara.scoring.published.ancestral_trace import first_option

OPTIONS = ["a barn owl", "a lame goat", "a man of few words", "I don't know"]
GOLDEN = Path(os.environ.get("CARRARA_GOLDEN", ROOT.parent / "shared" / "golden")) / "needle_metrics.json"


def named(response, choices=OPTIONS):
    """The letter that a response names, "" for none: the metric gives 1 to it and 0 to every other."""
    row = {"choices": choices}
    values = {letter: METRICS["choice"](response, row | {"answers": [letter]}) for letter in LETTERS[: len(choices)]}
    assert set(values.values()) <= {0.0, 1.0} and sum(values.values()) <= 1
    return "".join(letter for letter, value in values.items() if value)


@pytest.mark.parametrize(
    "response",
    [
        # The asked form.
        "Answer: B",
        "answer: b",
        "ANSWER: B.",
        "Answer:B",
        "Answer : B",
        "Answer: (B)",
        "Answer: [B]",
        "Answer: **B**",
        "**Answer: B**",
        "**Answer:** B",
        "### Final answer: B",
        "> Answer: `B`",
        "- Answer: B",
        "Answer: \\boxed{B}",
        "Answer: $\\boxed{B}$",
        'Answer: "B"',
        "Answer: B) a lame goat",
        "Answer: B. a lame goat",
        "Answer: (B) a lame goat",
        "Answer: B - a lame goat",
        "Answer: B (a lame goat)",
        "Answer: B, because the story says so",
        "Answer: B because the story says so",
        "Answer: B. The story says so.",
        "Answer: b) a lame goat",
        "Answer: option B",
        "Answer: Option (B).",
        "Answer: B, not C",
        "Answer:\nB",
        "Answer:\n\n(B) a lame goat",
        "Answer: a lame goat",
        "Answer: A lame goat.",
        "Answer: a lame goat\nShe had it for years.",
        "Answer: The correct option is B.",
        "The answer: B",
        "The final answer is: B",
        "My answer: B",
        "So the answer is: B",
        "Answer 3: B",
        "Answer to question 3: B",
        "The answer to question 3 is B.",
        "Choice: B",
        "Option: B",
        "Answer = B",
        "Answer: A\nWait.\nAnswer: B",
        "(A) is wrong, (C) is wrong.\nAnswer: B",
        "\\boxed{A} at first, but\nAnswer: B",
        "A long thought about (A) and (C). The answer is A.\r\n\r\nAnswer: B\r\n",
        # Full-width, mathematical and Chinese.
        "Ａｎｓｗｅｒ：Ｂ",
        "答案：B",
        "答案：Ｂ。",
        "答案: （B）",
        "**答案：B**",
        "最终答案：B",
        "正确答案：B",
        "回答：B",
        "【答案】：B",
        "答案：选项B",
        "答案是B",
        "答案是 B。",
        "答案为B",
        "答案应该是B",
        "因此选B",
        "我选择B",
        "我会选B，因为文中说了。",
        "正确答案应为B",
        "所以最后的答案是：B。",
        "选B",
        "选择B。",
        "应选B",
        "选项B",
        "选项B正确",
        "B是正确的",
        "由此可知，答案是B项。",
        "\\boxed{\U0001d401}",
        # JSON.
        '{"answer": "B"}',
        '{"answer":"B"}',
        '```json\n{\n  "answer": "B"\n}\n```',
        '{"answer": "(B) a lame goat"}',
        '{"answer": "a lame goat"}',
        '{"reason": "it is told", "answer": "B"}',
        '{"answer": "B", "confidence": 0.9}',
        "{'choice': 'B'}",
        # Boxed and said.
        "\\boxed{B}",
        "It is \\boxed{\\text{B}}.",
        "$\\boxed{\\mathrm{B}}$",
        "\\boxed{B. a lame goat}",
        "\\boxed{a lame goat}",
        "\\boxed{A}, no: \\boxed{B}",
        "The answer is B",
        "The answer is (B).",
        "The answer is **B**.",
        "The answer is option B.",
        "The answer is B because of the first line.",
        "I think the correct answer is B, a lame goat.",
        "the answer is a lame goat",
        "The right choice is B.",
        "The answer to the question is B.",
        "I would choose B.",
        "I would not choose A. The answer is B.",
        "The wrong answer is A. The right one is B.",
        "不应该选A，应该选B",
        "I'll go with (B).",
        "B is correct.",
        "(B) is the right answer.",
        "Option B is correct.",
        "She kept a lame goat. Answer: B",
        # A letter alone.
        "B",
        "b",
        "B.",
        "(B)",
        "(b)",
        "[B]",
        "**B**",
        "*B*",
        "`B`",
        "__B__",
        '"B"',
        " \n B \n",
        "Option B",
        "option (b)",
        "<B>",
        "B)",
        "B:",
        "B。",
        # The text of an option.
        "a lame goat",
        "A lame goat.",
        "A LAME GOAT",
        "*a lame goat*",
        "“a lame goat”",
        "I look at the first line of it.\na lame goat",
        # Set apart.
        "B) a lame goat",
        "B. a lame goat",
        "B: a lame goat",
        "(B) a lame goat",
        "(b) a lame goat",
        "B - a lame goat",
        "B, since she kept one.",
        "B because she kept one.",
        "B. The story says that she kept one.",
        "I read that she kept one (B).",
        "It must be option B then.",
        "Let me see.\nB) a lame goat\nThat is all.",
        # Told.
        "It is B.",
        "It's B.",
        "I believe that it is B, for she told so.",
        "B is the answer.",
        "She kept it.\n\nB",
        "It was a lame goat.",
        "She kept a lame goat.",
        "A lame goat was her pet.",
        "The pet is called a lame goat, because it limps.",
        "我觉得是B",
        "选B，因为文中说了",
        f"{'It is told on page one. ' * 40}\nAnswer: B",
    ],
)
def test_forms_of_b(response):
    assert named(response) == "B"


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("Answer: A", "A"),
        ("Answer: A because it is told", "A"),
        ("Answer: A - a barn owl", "A"),
        ("The answer is A.", "A"),
        ("The answer is A, as told", "A"),
        ("A", "A"),
        ("A is correct", "A"),
        ("a", "A"),
        ("a.", "A"),
        # Nothing follows that would make it an article.
        ("The answer is a", "A"),
        ("A. a barn owl", "A"),
        ("A a barn owl", "A"),
        ("(A)", "A"),
        ("选A", "A"),
        ("I don't know", "D"),
        ("I don’t know.", "D"),
        ("I DON'T KNOW", "D"),
        ("(D) I don't know", "D"),
        ("D) I don't know", "D"),
        ("Answer: I don't know", "D"),
        ("It was neither (A) nor (B).\nI don't know.", "D"),
        ("a man of few words", "C"),
        ("A man of few words.", "C"),
        ("Answer: A man of few words", "C"),
        ("The answer is a man of few words.", "C"),
        ("C, a man of few words", "C"),
    ],
)
def test_other_letters(response, letter):
    assert named(response) == letter


@pytest.mark.parametrize(
    "response",
    [
        "",
        " ",
        "\n\n",
        "?",
        "E",
        "(E)",
        "Answer: E",
        "Answer:",
        "Answer: ",
        "Answer: none",
        "Answer: unclear",
        "Answer: A\nAnswer: unclear",
        # Articles, initials, words.
        "A man who kept an owl",
        "A man who kept an owl.",
        "Answer: A man who kept an owl",
        "The answer is A man who kept an owl",
        "The answer is a man who kept an owl.",
        "A group of people are at the park.",
        "a cart",
        "Answer: a cart",
        "the answer is a cart",
        "A. Smith kept it.",
        "B. Smith kept it.",
        "Answer: B. Smith",
        "A-level",
        "Answer: A-frame",
        "A's",
        "Answer: A's",
        "Answer: A’s house",
        "Berkeley",
        "Because it is told",
        "Band",
        "vitamin B12",
        "B2",
        "ABCD",
        "Answer: AB",
        "Answer: Bob",
        "Answer: because",
        "\\boxed{Bob}",
        "\\boxed{}",
        # Several letters.
        "A or B",
        "B or C",
        "A and B",
        "A, B",
        "A/B",
        "A B C D",
        "(A) (B)",
        "(A) or (B)",
        "Answer: A or B",
        "Answer: B or C",
        "Answer: B/C",
        "Answer: (B) or (C)",
        "Answer: B, C",
        "Answer: B and C",
        "Answer: B & C",
        "答案：B或C",
        "答案：B、C",
        "\\boxed{B, C}",
        "The answer is B or C.",
        "The answer is B. The answer is C.",
        "Either (B) or (C).",
        "(A) a barn owl\n(B) a lame goat\n(C) a man of few words\n(D) I don't know",
        "A) a barn owl\nB) a lame goat",
        "A. a barn owl\nB. a lame goat",
        "选项A和选项B",
        "a barn owl or a lame goat",
        "a barn owl, a lame goat, a man of few words, I don't know",
        # The text is not what was named, and no option is quoted whole.
        "a lame",
        "goat",
        "The answer is not B.",
        "I would not pick B.",
        "The wrong choice is B.",
        "不应该选B",
        "There is a lame goat and a barn owl in it.",
        "Neither A nor B is correct.",
        "A or B is correct.",
        "I don't think the answer is B.",
        "Nobody knows whether it is B.",
        "It was not a lame goat.",
        "Was it a lame goat?",
        "It may be a lame goat.",
        "It was a lame goat or a barn owl.",
        "a barn owl\na lame goat\na man of few words\nI don't know",
        "Which one?\n(A) a barn owl\n(B) a lame goat\n(C) a man of few words\n(D) I don't know",
    ],
)
def test_what_names_nothing(response):
    assert named(response) == ""


# Options as of novels: articles, initials, titles.
NOVEL = ["A red house by the sea", "Mrs. Peregrine", "The plague", "A Tale of the I"]


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("A", "A"),
        ("A.", "A"),
        ("(a)", "A"),
        ("A. A red house by the sea", "A"),
        ("A red house by the sea.", "A"),
        ("Answer: A red house by the sea", "A"),
        ("Answer: A A red house by the sea", "A"),
        ("A Tale of the I", "D"),
        ("Answer: A Tale of the I", "D"),
        ("The answer is A Tale of the I.", "D"),
        ("The plague", "C"),
        ("Answer: Mrs. Peregrine.", "B"),
        ("the", ""),
        ("a", "A"),
        ("an", ""),
        ("Answer: The", ""),
        ("Answer: a house", ""),
        ("A house in the story", ""),
    ],
)
def test_an_article_is_no_letter(response, letter):
    assert named(response, NOVEL) == letter


CHINESE = ["王明", "李红", "张三", "不知道"]


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("所以最年长的祖先是李红。", "B"),
        ("李红是最年长的祖先。", "B"),
        ("最年长的是李红或张三。", ""),
        ("不是李红。", ""),
        ("可能是李红。", ""),
        ("王明的父亲是李红", ""),
        ("我不知道。", "D"),
    ],
)
def test_an_option_is_named_by_its_text(response, letter):
    assert named(response, CHINESE) == letter


def test_the_next_question_is_not_answered():
    assert named("Answer: A\n\nQuestion: Who came?\nAnswer: B") == "A"
    assert named("**Answer:** C\n\n### Next question 2: Who came?\nA. one\nAnswer: B") == "C"
    # A question told again, and one that no answer stands before.
    assert named("Question: Who came?\nAnswer: B") == "B"
    assert named("Answer:\nQuestion: Who came?\nAnswer: B") == "B"


def test_decided_or_set_apart():
    options = options_of({"choices": OPTIONS})
    for response, decided in (("Answer: B", True), ("B", True), ("a lame goat", True), ("(B) a lame goat", False)):
        read = read_option(response, options)
        assert (read.letter, read.decided) == ("B", decided)


def test_two_and_26_options():
    yes_no = ["yes", "no"]
    assert [named(text, yes_no) for text in ("Answer: A", "B", "C", "no", "Answer: Yes.")] == ["A", "B", "", "B", "A"]
    many = [f"word{letter}" for letter in LETTERS]
    for letter in LETTERS:
        for form in ("Answer: {}", "{}", "({})", "\\boxed{{{}}}", "The answer is {}.", "答案：{}"):
            assert named(form.format(letter), many) == letter
    # A pronoun is no ninth option.
    assert named("I kept a goat", many) == named("I think so", many) == named("Answer: I think so", many) == ""


def test_equal_texts_name_nothing_and_numbers_do():
    assert named("owl", ["owl", "Owl", "goat", "hen"]) == ""
    assert named("two", ["two", "three", "twenty-two", "I don't know"]) == "A"
    assert named("twenty-two", ["two", "three", "twenty-two", "I don't know"]) == "C"


def test_an_echo_and_a_row_without_options_score_nothing():
    prompt = "Here is a story about a lame goat and those who kept it for years.\nAnswer: B\n"
    row = {"answers": ["B"], "choices": OPTIONS, "prompt": prompt}
    assert METRICS["choice"]("Answer: B", row) == 1
    assert METRICS["choice"](prompt, row) == METRICS["choice"](f"{prompt}Answer: B", row) == 0
    for name in ("choice", "choice/paper", "idk"):
        assert METRICS[name]("A", {"answers": ["A"]}) == METRICS[name]("A", {"answers": ["A"], "choices": []}) == 0


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("(D) I don't know", "D"),
        ("I don't know.", ""),
        ("A group of people", "A"),
        ("Berkeley", "B"),
        ("回答: C", "C"),
        ("答案是B", "B"),
        ("答案：C", "C"),
        ("选D", "D"),
        ("The answer is C. A is wrong.", "C"),
        ("The correct answer is option B", "B"),
        ("It was said that B", "B"),
        ("C:", "C"),
        ("nothing", ""),
        ("x" * 5_000 + "B", ""),
    ],
)
def test_the_published_reader(response, letter):
    assert first_option(response, "ABCD") == letter
    row = {"choices": OPTIONS}
    assert [METRICS["choice/paper"](response, row | {"answers": [one]}) for one in "ABCD"] == [
        float(one == letter) for one in "ABCD"
    ]


def test_circular():
    assert circular([1.0, 1.0, 1.0, 1.0]) == 1
    assert circular([1.0, 0.0, 1.0, 1.0]) == circular([0.0] * 4) == circular([1.0, 0.99]) == 0
    with pytest.raises(ValueError, match="no values"):
        circular([])


def circular_cases():
    if not GOLDEN.is_file():
        return []
    return [case for case in json.loads(GOLDEN.read_text(encoding="utf-8")) if case["metric"] == "circular_eval"]


@pytest.mark.skipif(not circular_cases(), reason=f"no golden files at {GOLDEN.parent}; set CARRARA_GOLDEN")
def test_circular_golden_cases():
    for case in circular_cases():
        groups = {}
        for prediction, reference in zip(case["prediction"], case["reference"], strict=True):
            # "0--D--BCDA": the question, the gold, and the order of the options.
            group, gold, order = reference.split("--")
            row = {"answers": [gold], "choices": [f"text {letter}" for letter in order]}
            groups.setdefault(group, []).append(METRICS["choice"](prediction, row))
        values = [circular(values) for values in groups.values()]
        assert sum(values) / len(values) == pytest.approx(case["expected"] / 100)


UNITS = (
    "[",
    "(",
    "((((",
    ")]}",
    "A",
    "A ",
    "(A) ",
    "(A)",
    "Answer: ",
    "Answer: A\n",
    "answer",
    "\n",
    "\n(",
    "-" * 39 + "\n",
    "the answer is ",
    "The answer is A ",
    "the answer is a lame goat. ",
    "\\boxed{",
    "\\boxed{A}",
    "\\boxed{\\text{",
    "{",
    '{"answer": "',
    "答案",
    "答案是",
    "答案是A",
    "选",
    "选项",
    "选项A",
    "因此选",
    "option ",
    "option A ",
    "A or ",
    "A, ",
    "A. ",
    "B) ",
    "B)\n",
    "B)x\n",
    "*",
    "`",
    " ",
    "\u3000",
    "\u0300\u0316",
    "\ufdfa",
    "\ud800",
    "\x00",
    "0123456789",
    "does not ",
    "not " * 3,
    "no x ",
    "is the correct ",
    "A is ",
    "说法不正确的是",
    "1. ",
    "the correct answer to the question is ",
)


@pytest.mark.repeat
@pytest.mark.parametrize("name", ["choice", "choice/paper", "idk"])
def test_a_megabyte_takes_less_than_a_second(name):
    row = {"answers": ["A"], "choices": OPTIONS, "prompt": "A story of a goat, an owl and a man of few words. " * 20}
    for unit in UNITS:
        text = unit * (1_000_000 // len(unit))
        took = []
        for _ in range(2):
            start = time.process_time()
            assert 0 <= METRICS[name](text, row) <= 1
            took.append(time.process_time() - start)
        # 0.03 to 0.2 s on a quiet machine.
        assert min(took) < 1, unit


def test_ten_thousand_nested_brackets_are_read():
    text = "(" * 10_000 + "B" + ")" * 10_000
    assert named(text) in ("", "B")


PARTS = st.lists(
    st.one_of(st.sampled_from(UNITS), st.text(max_size=6), st.characters(categories=["Cs"]), st.sampled_from("ABCDE")),
    max_size=30,
)


@settings(max_examples=400, deadline=None)
@given(PARTS)
def test_any_text_names_one_option_or_none(parts):
    text = "".join(parts)
    assert named(text) in {"", "A", "B", "C", "D"}
    for name in ("choice/paper", "idk"):
        values = [METRICS[name](text, {"answers": [letter], "choices": OPTIONS}) for letter in "ABCD"]
        assert set(values) <= {0.0, 1.0} and sum(values) <= 1
