"""How a response is read before a metric sees it: thoughts, markup, the line "Answer:", lists."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.scoring.responses.reading import (
    ANSWERS,
    THOUGHTS,
    answer,
    boxed,
    entries,
    first_line,
    is_cut,
    is_thinking,
    parts,
    plain,
    said,
)


@pytest.mark.parametrize(("opening", "closing"), THOUGHTS)
def test_every_form_of_a_thought(opening, closing):
    thought = f"{opening}\nA, or C?\n{closing}"
    assert said(f"{thought}B") == said(f"A, or C?{closing}B") == said(f"{thought}{thought}B") == "B"
    assert opening[0] not in "<[" or said(f"{thought.upper()}B") == "B"
    assert said(f"Let me see. {thought}B") == "Let me see. B"
    # A word of the text, and one of the thought.
    assert said(f'B. It has no "{opening}" in it.') == f'B. It has no "{opening}" in it.'
    assert said(f"{opening}I may write `{closing}` here.{closing}B") == "B"
    for unfinished in (f"{opening}A is the answer", f"Answer: B{opening}or A", f"{thought}B{opening}", opening):
        assert said(unfinished) == ""
        assert is_thinking(unfinished)
    assert not is_thinking(f"{thought}B") and not is_thinking("B") and not is_thinking("")


@pytest.mark.parametrize(("opening", "closing"), ANSWERS)
def test_every_form_of_a_marked_answer(opening, closing):
    assert said(f"<think>A</think>It is told.{opening}B{closing} So.") == "B"
    assert said(f"It is told.{opening}B") == "B"
    assert said(f"{opening}A{closing} no: {opening}B{closing}{opening}{closing}") == "B"
    assert said(f"B in `{opening}` and `{closing}`") == f"B in `{opening}` and `{closing}`"


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("Answer: B", "Answer: B"),
        ("<think>A?</think><thinking>C?</thinking>B", "B"),
        ("<THINK >A</THINK\t>B", "B"),
        ("<think>a <think> tag</think>B", "B"),
        ("<think>I close with </think> soon.</think>B", "B"),
        ("<seed:think>A<seed:cot_budget_reflect>much</seed:cot_budget_reflect></seed:think>B", "B"),
        ('<thinking mode="long">A</thinking>B', "B"),
        ("<|channel>thought\nA<channel|>B<turn|>", "B"),
        ("<|START_THINKING|>A<|END_THINKING|><|START_RESPONSE|>B<|END_RESPONSE|><|END_OF_TURN_TOKEN|>", "B"),
        ("<|begin_of_thought|>A<|end_of_thought|>\n<|begin_of_solution|>B<|end_of_solution|>", "B"),
        ("<think>A</think>\n<answer>\nAnswer: B\n</answer>", "\nAnswer: B\n"),
        ("<|channel|>analysis<|message|>A<|end|><|start|>assistant<|channel|>final<|message|>B<|return|>", "B"),
        ("<|channel|>final <|constrain|>json<|message|>B", "B"),
        ("<|channel|>commentary to=tool<|message|>A<|call|>", ""),
        ("<|channel|>analysis<|message|>The answer is A", ""),
        ("<|channel|>anal", ""),
        ("analysisThe user asks for A.assistantfinalB", "B"),
        ("analysisthe user asks for A.assistantcommentaryC.assistantfinalB", "B"),
        ("analysisThe user asks", ""),
        ("assistantfinalB", "B"),
        ("finalAnswer: B", "Answer: B"),
        ("Analysis of the text: B", "Analysis of the text: B"),
        ("analysis of the text: B", "analysis of the text: B"),
        ("finally B", "finally B"),
        ("analysis(B)", "analysis(B)"),
        ("final**B**", "**B**"),
        ("B<|im_end|>\n<|im_start|>user\nA?", "B"),
        ("<|im_start|>assistant\nB<|im_end|>", "B"),
        ("<|start_header_id|>assistant<|end_header_id|>\n\nB<|eot_id|>", "B"),
        ("<start_of_turn>model\nB<end_of_turn>", "B"),
        ("<\uff5cAssistant\uff5c>B<\uff5cend\u2581of\u2581sentence\uff5c>", "B"),
        ("[|assistant|]B[|endofturn|]", "B"),
        ("</s>B</s>", "B"),
        ("if a < b and [b] then c", "if a < b and [b] then c"),
        ("<b>B</b> <i>", "<b>B</b> <i>"),
    ],
)
def test_what_a_response_says(response, text):
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
        (r"\textcolor{red}{\textbf{B}}", "B"),
        ("[B](https://b.org/a_b) [C](d)", "B [C](d)"),
        ("R&amp;D &lt;", "R&D <"),
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
        ("It was him. Answer: B", "B"),
        ("他最年长。答案:B", "B"),
        ("综上所述,最终答案为B", "B"),
        ("答: B", "B"),
        ("Final Answer\n\nB", "B"),
        ("| Answer | B |", "B |"),
        ("Answer - B", "B"),
        ("Answer (name only): B", "B"),
        ("Result: B", "B"),
        ("Answer: B\nResult: C", "B\nResult: C"),
        ("Answer 1: Ada\nAnswer 2: Bo", "1. Ada\n2. Bo"),
        ("I am not sure.\nAnswer: Cy\nAnswer 1: Ada\nAnswer 2: Bo", "1. Ada\n2. Bo"),
        ("1. Answer: Ada\n2. Answer: Bo", "1. Ada\n2. Bo"),
        ("1. They met.\n2. So it was her.\n3. Final answer: Ada", "Ada"),
        ("Answer 3: Ada", "Ada"),
        ("Answer:\nQuestion 1: Ada\nQuestion 2: Bo", "Question 1: Ada\nQuestion 2: Bo"),
        ("Answer:\nQuestion: who?\nAnswer: B", "B"),
        ('{"answer": "B"}', "B"),
        ('{"why": "Answer: C", "final_answer": "B"}', "B"),
        ("{'answer': 'B'}", "B"),
        ('{\n  "answer": 17,\n  "why": "so"\n}', "17"),
        ('{"answers": ["Ada", "Bo"]}', "Ada\nBo"),
        ('{"answer": {"1": "Ada", "2": "Bo"}}', "1. Ada\n2. Bo"),
        ('{"答案": "B"}', "B"),
        ('{"answer": "A"}\nAnswer: B', "B"),
        ('{"answer": "B', "B"),
        ("An answer is a reply", None),
        ("B", None),
        ("Answering questions is B", None),
        (" B\n\nQuestion: who?\nAnswer: A", "B"),
        ("B.\n\nExample 4\nQuestion: who?\nAnswer: A", "B."),
        ("乙\n\n问题:谁?\n答案:甲", "乙"),
        ("1. Ada\n2. Bo\n\nQuestions:\n1. Who?\nAnswer:\n1. Cy", "1. Ada\n2. Bo"),
        ("B\n\nStory 4\nAnn Lee was kind.\n\nQuestion 4: who?\nAnswer: A", "B"),
        ("1. It is said.\n2. It is so.\n\nQuestion: who?\nAnswer: B", "B"),
        ("Story 3\n\nQuestion 3: who?\nAnswer: B", "B"),
        ("Sure!\n\nQuestion: who?\nAnswer: B", "B"),
        ("Let me answer the question.\n\nQuestion: who?\nAnswer: B", "B"),
        ("It says so.\nThat is plain.\n\nQuestion: who?\nAnswer: B", "B"),
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
        ("| No. | Name |\n|---|---|\n| 1 | Ada |\n| 2 | Bo |", [(1, "Ada"), (2, "Bo")]),
        ("Name | Class\n--- | ---\nAda | x\nBo | y", [(None, "Ada | x"), (None, "Bo | y")]),
        ("| Ada 3 | x |\n| Bo 4 | y |", [(None, "x"), (None, "y")]),
        ("They are\n1. Ada\n2. Bo\nThat is all.", [(1, "Ada"), (2, "Bo")]),
        ("They are\n- Ada\n- Bo\nThat is all.", [(None, "Ada"), (None, "Bo")]),
        ("1. Ada 2. Bo 3. Cy", [(1, "Ada"), (2, "Bo"), (3, "Cy")]),
        ("(1) Ada; (2) Bo", [(1, "Ada"), (2, "Bo")]),
        ("1 - Ada\n2 \u2013 Bo", [(1, "Ada"), (2, "Bo")]),
        ("1. Ada, Bo", [(1, "Ada, Bo")]),
        ('[\n  "Ada",\n  "Bo, Cy"\n]', [(None, "Ada"), (None, "Bo, Cy")]),
        ('{"q1": "Ada", "2": "Bo"}', [(1, "Ada"), (2, "Bo")]),
        ('{"answers": [1, 2]}', [(None, "1"), (None, "2")]),
        ("[" * 100_000, []),
        ("1953\n1954", [(None, "1953"), (None, "1954")]),
        ("Question 1: Ada\nQuestion 2: Bo", [(1, "Ada"), (2, "Bo")]),
        ("", []),
    ],
)
def test_lists_are_read_by_any_mark(text, items):
    assert [(entry.number, entry.text) for entry in entries(text)] == items


@pytest.mark.parametrize(
    ("text", "read"),
    [
        (r"so that $x = \boxed{\text{Ada}}$", "Ada"),
        (r"\boxed{A}, no: \boxed{B \textbf{C}}.", "B C"),
        (r"\boxed{", None),
        ("B", None),
    ],
)
def test_what_stands_in_a_box(text, read):
    assert boxed(text) == read


def test_the_first_line_holds_a_letter():
    assert first_line("\n---\n B \nA") == "B"


@pytest.mark.parametrize(
    "unit",
    [
        "<think>",
        "Answer: A\n",
        *(
            pytest.param(unit, marks=pytest.mark.repeat)
            for unit in (
                "</think>",
                "[",
                "<",
                "<answer>",
                "Answer:",
                "\\boxed{",
                "\\boxed{{a}",
                "\\textcolor{a}{",
                "&lt;think&gt;",
                "<|a",
                "<|a|>",
                '"answer": ',
                '"answer": [',
                "'answer': '",
                "Answer 1: A\n",
                "1. A ",
                "|-|\n",
                "{",
                "`<think>`",
                "[a](/",
                "analysisA",
                "**",
                "_a",
                "| ",
                "1. ",
                ", ",
                " ",
                "\n",
            )
        ),
    ],
)
def test_a_megabyte_is_read_in_seconds(unit):
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    boxed(text)
    shown = plain(said(text))
    answer(shown)
    entries(shown)
    # 0.2 to 0.95 s on a quiet machine.
    assert time.process_time() - start < 3


MARKS = st.sampled_from(
    [
        *(mark for pair in (*THOUGHTS, *ANSWERS) for mark in pair),
        *("<|channel|>", "final", "analysis", "<|message|>", "assistantfinal", "<|end|>", "assistant", "</s>"),
        *(
            "Answer",
            "答案",
            ":",
            "1",
            "1.",
            "\n",
            " ",
            "|",
            "|-|",
            "- ",
            ", ",
            "{",
            "}",
            "[",
            "]",
            '"',
            "'",
            "`",
            "```",
        ),
        *('"answer": ', "Question 1:", r"\boxed{", r"\text{", "$", "**", "_", "&lt;", "\u0300", "\ud800", "９"),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(MARKS, st.text(max_size=5)), max_size=30).map("".join))
def test_any_text_is_read(text):
    spoken = said(text)
    assert not (is_thinking(text) and spoken)
    shown = plain(spoken)
    boxed(spoken)
    for read in (shown, answer(shown) or "", first_line(shown)):
        assert all(isinstance(entry.text, str) for entry in entries(read))


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        st.none() | st.text(max_size=3) | st.integers(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(st.sampled_from(["type", "text", "content", "reasoning", "thinking"]), inner, max_size=3)
        ),
    )
)
def test_any_content_has_parts_or_none(content):
    text, thoughts = parts(content)
    assert (text is None or isinstance(text, str)) and isinstance(thoughts, str)


@pytest.mark.parametrize(
    ("stop", "cut"),
    [
        *((stop, True) for stop in ("length", "max_tokens", "MAX_TOKENS", "FinishReason.MAX_TOKENS", "model_length")),
        *((stop, True) for stop in ("max-output-tokens", "Length", "model_context_window_exceeded")),
        *((stop, False) for stop in ("stop", "end_turn", "eos", "content_filter", "", None, 2, ["length"], "x" * 999)),
    ],
)
def test_stop_reasons(stop, cut):
    assert is_cut(stop) is cut
