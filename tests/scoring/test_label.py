import time

import pytest

from carrara.scoring import METRICS
from carrara.scoring.metrics.label import read_label

PROMPT = "".join(f"Text number {n} about things.\nlabel: {n % 7}\n\n" for n in range(400)) + "The last text\n"
ROW = {"answers": ["57"], "prompt": PROMPT}


@pytest.mark.parametrize(
    ("response", "read"),
    [
        ("label: 57", "57"),
        ("57", "57"),
        (" 57\n", "57"),
        ("57.", "57"),
        ("**57**", "57"),
        ("**Label:** 57", "57"),
        ("Label: **57**.", "57"),
        ("label:57", "57"),
        ("label = 57", "57"),
        ('{"label": 57}', "57"),
        ('{"label": "57"}', "57"),
        ("label:\n57", "57"),
        ("label: 57 (a water bill)", "57"),
        ("label: 057", "57"),
        ("ｌａｂｅｌ：５７", "57"),
        ("The label is 57.", "57"),
        ("The label number is 57, as the other bills show.", "57"),
        ("The answer is 57.", "57"),
        ("\\boxed{57}", "57"),
        ("$\\boxed{\\text{label: }57}$", "57"),
        ("It is like the texts of label 12, but these are about bills.\nlabel: 57", "57"),
        ("Texts 1 to 3 have label 12, the others label 9. \\boxed{57}", "57"),
        ("label: 57\nlabel: 57", "57"),
        ("I would say 57", "57"),
        ("57\nIt is about bills, unlike label 12.", "57"),
        ("Texts of label 12 are about letters.\n\n57", "57"),
        # A model that goes on as the prompt does.
        ("57\n\nAnother text about things.\nlabel: 12\n\nOne more.\nlabel: 3", "57"),
        ("label: 0", "0"),
        ("This text belongs to class 57, which covers bills.", "57"),
        ("It is like the texts of label 12, but about bills, so I'd go with 57.", "57"),
        ("Examples of label 12 are about letters, those of label 58 about boats. Therefore label: 57", "57"),
        ("The label is not 12 but 57.", "57"),
        ("| Text | Label |\n|---|---|\n| the last | 57 |", "57"),
        ('{"text": "A bill", "label": "57"}', "57"),
        # The last word of a model that quotes examples, or corrects itself.
        ("Similar texts:\nA letter\nlabel: 12\n\nA bill\nlabel: 57\n\nThe text is about a bill.\n\nlabel: 57", "57"),
        ("label: 12\n\nWait, that is about letters.\nlabel: 57", "57"),
        ("It is 12, not 57.", "12"),
        # Several labels, or none.
        ("I cannot tell whether it is 57 or 12.", ""),
        ("It is 57 or maybe it is 12.", ""),
        ("Not 57.", ""),
        ("label: 57\nlabel: 58", ""),
        ("label: 57 or 58", ""),
        ("label: 57, 58", ""),
        ("label: 57, label: 58", ""),
        ("57, 58", ""),
        ("57\n58", ""),
        ("57\n\n58", ""),
        ("57\n\nlabel: 58", ""),
        ("label: 58\n57", ""),
        ("The answer is 57 or maybe label 58", ""),
        ("Either label 57 or label 58.", ""),
        ("", ""),
        ("label:", ""),
        ("water bill", ""),
        ("label: 57.5", ""),
        ("label: 5,700", ""),
        ("label: x57", ""),
        ("label: -57", "-57"),
        ("1" * 4_000, ""),
        ("label: " + "9" * 4_000, ""),
    ],
)
def test_what_is_read(response, read):
    assert read_label(response) == read
    assert METRICS["label"](response, ROW) == float(read == "57")


def test_an_echo_and_a_list_of_all_labels_are_no_answers():
    row = {"answers": ["3"], "prompt": PROMPT}
    assert METRICS["label"](PROMPT, row) == 0
    assert METRICS["label"]("\n".join(f"label: {n}" for n in range(7)), row) == 0
    assert METRICS["label"](f"3\n\n{PROMPT}", row) == 0
    assert METRICS["label"]("3", row) == METRICS["label/paper"]("3", row) == 1


@pytest.mark.parametrize(
    ("response", "value"),
    [
        ("label: 57", 1),
        ("Label: 57.", 1),
        ("57\nlabel: 58", 0),
        ("57\n\nText\n", 1),
        ("label: 57\n\nlabel: 58", 1),
        ("label:\n57", 0),
        ("label: label: 57", 1),
        ("The label is 57", 0),
        ("5 7", 0),
        ("5-7", 1),
        ("", 0),
    ],
)
def test_the_published_reader(response, value):
    assert METRICS["label/paper"](response, ROW) == value


@pytest.mark.parametrize("metric", ["label", "label/paper"])
@pytest.mark.parametrize(
    "text",
    [
        *("label" * 200_000, "label: " * 150_000, "label: 5 or " * 80_000, "label is " * 120_000, "1 " * 500_000),
        *("1" * 1_000_000, "\n" * 1_000_000, " " * 1_000_000, "[" * 10_000, "\ud800" * 1_000, "\x00" * 1_000_000),
        *("\\boxed{" * 100_000, "5\n" + "\n" * 1_000_000 + "5", "“" * 1_000_000, "label:" + "\n" * 500_000 + "5"),
        *("the my final " * 80_000, "\u0301" * 300_000, "label\n" * 150_000),
    ],
)
def test_any_text_gets_a_score_soon(metric, text):
    start = time.perf_counter()
    assert 0 <= METRICS[metric](text, ROW) <= 1
    assert time.perf_counter() - start < 1
