"""Ancestral trace: the boxed answer as published, defects included; total over any text."""

import time

import pytest

from carrara.scoring import METRICS

BOXED = METRICS["ancestral_trace/boxed/paper"]
ROW = {"answers": ["C"], "choices": ["Kevin Lee", "Ada Moor", "Jasmine Lane", "Tom Hill"]}


@pytest.mark.parametrize(
    ("response", "score"),
    [
        ("\\boxed{Jasmine Lane}", 1),
        ("It is \\boxed{ Jasmine Lane }.", 1),
        ("\\boxed{{Jasmine Lane}}", 1),
        ("\\boxed{Jasmine Lane} or \\boxed{Ada Moor}", 0),
        ("\\boxed{Ada Moor} no: \\boxed{'Jasmine Lane'}", 1),
        ("so that $\\boxed{\\text{Jasmine Lane}}$", 1),
        ("\\boxed{Jasmine~Lane}", 1),
        ("\\boxed{\\text{Jasmine }\\text{Lane}}", 1),
        ("\\boxed{\\textbf{Jasmine Lane}}", 0),
        ("\\boxed{Jasmine Lane}, or \\boxed Ada Moor", 0),
        ("\\boxed{Jasmine Lane", 0),
        ("\\boxed{}", 0),
        ("\\boxed{C}", 0),
        ("Jasmine Lane", 0),
        ("", 0),
    ],
)
def test_boxed_answers(response, score):
    assert BOXED(response, ROW) == score


def test_any_text_gets_a_score_soon():
    for hostile in (
        "{" * 1_000_000,
        "\\boxed{" * 150_000,
        "\\boxed{" + "{" * 10_000 + "}" * 10_000,
        "\ud800\x00" * 1_000,
    ):
        start = time.perf_counter()
        assert BOXED(hostile, ROW) == 0
        assert time.perf_counter() - start < 1
    assert BOXED("\\boxed{Jasmine Lane}", {"answers": ["Z"], "choices": []}) == 0
