"""How a response is read before a metric sees it: thoughts, markup, the line "Answer:", lists."""

import time

import pytest

from carrara.scoring.responses.reading import answer, entries, first_line, plain, said

THOUGHTS = [
    ("Answer: B", "Answer: B"),
    ("<think>A?</think>B", "B"),
    ("<think>A?</think><think>C?</think>B", "B"),
    ("Let me see. <thinking>A?</thinking>B", "Let me see. B"),
    ("<THINK>A</THINK >B", "B"),
    ("<reasoning>A</reasoning>B<reflection>C</reflection>", "B"),
    ("<seed:think>A</seed:think>B", "B"),
    ("[THINK]A[/THINK]B", "B"),
    ("◁think▷A◁/think▷B", "B"),
    ("<|begin_of_thought|>A<|end_of_thought|><|begin_of_solution|>B<|end_of_solution|>", "B"),
    ("<|START_THINKING|>A<|END_THINKING|><|START_RESPONSE|>B<|END_RESPONSE|>", "B"),
    ("A, or C?</think>B", "B"),
    ("<think>a <think> tag</think>B", "B"),
    ("<think>A is the answer", ""),
    ("Answer: B <think>or A", ""),
    ("<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "B"),
    ("<|channel|>analysis<|message|>The answer is A", ""),
    ("analysisThe user asks for A.assistantfinalB", "B"),
    ("analysisThe user asks", ""),
    ("Analysis of the text: B", "Analysis of the text: B"),
    ("B<|im_end|>\n<|im_start|>user\nA?", "B"),
    ("</s>B</s>", "B"),
    ("if a < b and [b] then c", "if a < b and [b] then c"),
]


@pytest.mark.parametrize(("response", "text"), THOUGHTS)
def test_thoughts_are_taken_off(response, text):
    assert said(response) == text


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("**Answer:** *B*", "Answer: B"),
        ("# Answer\n> `B`", "Answer\nB"),
        ("```json\nB\n```", "B\n"),
        (r"$\boxed{\text{B}}$", "B"),
        (r"\(\boxed{17}\)", "17"),
        (r"a\_b_c", "a_b_c"),
        ("<b>B</b> \u200bC", " B C"),
        ("* one\n* two", "* one\n* two"),
        ("Ａｎｓｗｅｒ：Ｂ", "Answer:B"),
    ],
)
def test_markup_is_taken_off(text, read):
    assert plain(text) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("It may be A.\nAnswer: B", "B"),
        ("Answer: A\nWait.\nFinal answer: B\nBecause it is so.", "B\nBecause it is so."),
        ("The answer is B", "B"),
        ("So, the correct answer to question 3 is: B", "B"),
        ("答案:B", "B"),
        ("所以,我的答案是 B", "B"),
        ("最终答案:B", "B"),
        ("Answer:\n1. Ada\n2. Bo", "1. Ada\n2. Bo"),
        ("Answer: B\n\nQuestion 4: who?\nAnswer: A", "B"),
        ("Answer: B\nAnswer:", "B"),
        ("<answer>A</answer> no <answer> B </answer>", "B"),
        ("<answer>B", "B"),
        ("An answer is a reply", None),
        ("B", None),
        ("Answering questions is B", None),
    ],
)
def test_the_last_label_wins(text, read):
    assert answer(text) == read


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("1. Ada\n2) Bo\n(3) Cy", [(1, "Ada"), (2, "Bo"), (3, "Cy")]),
        ("1.Ada\n2.Bo", [(1, "Ada"), (2, "Bo")]),
        ("1、甲\n2、乙", [(1, "甲"), (2, "乙")]),
        ("① 甲\n② 乙", [(1, "甲"), (2, "乙")]),
        ("Here they are:\n- Ada\n- Bo", [(None, "Ada"), (None, "Bo")]),
        ("Ada\nBo", [(None, "Ada"), (None, "Bo")]),
        ("Ada, Bo; Cy", [(None, "Ada"), (None, "Bo"), (None, "Cy")]),
        ("甲、乙、丙", [(None, "甲"), (None, "乙"), (None, "丙")]),
        ('["Ada", "Bo"]', [(None, "Ada"), (None, "Bo")]),
        ("1,234, 5", [(None, "1,234"), (None, "5")]),
        ("| No. | Name |\n|---|---|\n| 1 | Ada |\n| 2 | Bo |", [(None, "Name"), (1, "Ada"), (2, "Bo")]),
        ("1953\n1954", [(None, "1953"), (None, "1954")]),
        ("Question 1: Ada\nQuestion 2: Bo", [(1, "Ada"), (2, "Bo")]),
        ("", []),
    ],
)
def test_lists_are_read_by_any_mark(text, items):
    assert [(entry.number, entry.text) for entry in entries(text)] == items


def test_the_first_line_holds_a_letter():
    assert first_line("\n---\n B \nA") == "B"


@pytest.mark.parametrize(
    "unit",
    [
        "<think>",
        "</think>",
        "[",
        "<",
        "<answer>",
        "Answer:",
        "Answer: A\n",
        "\\boxed{",
        "**",
        "_a",
        "| ",
        "1. ",
        ", ",
        " ",
        "\n",
    ],
)
def test_a_megabyte_is_read_in_a_second(unit):
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    shown = plain(said(text))
    answer(shown)
    entries(shown)
    assert time.process_time() - start < 2
