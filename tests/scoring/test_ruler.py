"""RULER's values: every way to give them is right, more than what is asked costs, a key has its own value."""

import json
import time

import pytest

from carrara.scoring import METRICS

VALUES = {
    "numbers": ("1234567", "7654321", "2468135", "9753186", "1111111", "2222222"),
    "UUIDs": tuple(f"{digit}f1c9a52-3b1e-4c7d-9f00-aa12bc34de56" for digit in "123456"),
    "variables": ("BCDFG", "HJKLM", "NPQRS", "TVWXZ", "ZZZZB", "ZZZZC"),
    "words": ("bakilo", "medipo", "zavuro", "refiti", "kakaka", "lalala"),
    "coded words": ("bcdfgh", "jklmnp", "zqrstv", "wxzbcd", "zzzzzz", "qqqqqq"),
}
KEYS = ("calm-otter", "red-fox", "old-barn", "wet-hill")
of_every_form = pytest.mark.parametrize("form", VALUES)


def precise(response, answers, asked=None):
    row = {"answers": list(answers), "prompt": "A long text. " * 20, "facts": json.dumps({"asked": asked})}
    return METRICS["ruler/precise"](response, row)


def filled(response, form):
    return response.format(**dict(zip("abcdvw", VALUES[form], strict=True)))


@of_every_form
@pytest.mark.parametrize(
    "response",
    [
        "{a}\n{b}\n{c}\n{d}",
        "Answer:\n1. {a}\n2. {b}\n3. {c}\n4. {d}",
        "Answer: {d}, {c}, {b}, {a}",
        "1. {d}\n\n2. {b}\n\n3. {a}\n\n4. {c}",
        "- **{a}**\n- `{b}`\n- {c}\n- {d}",
        "The values are {a}, {b}, {c} and {d}.",
        '```json\n{{"answer": ["{a}", "{b}", "{c}", "{d}"]}}\n```',
        "| # | value |\n|---|---|\n| 1 | {a} |\n| 2 | {b} |\n| 3 | {c} |\n| 4 | {d} |",
        "{a}, {b}, {c}, {d} (not {w})",
        "Before {w} the text has a figure, {v}. So these four remain:\n\nAnswer: {a}, {b}, {c}, {d}",
        "Answer: {a}, {b}, {c}, {d}\n\nI left out {w}, which is of another kind.",
        "I see {w} and {v} as well.\n\nWhat is asked for is {a}, {b}, {c}, {d}.",
        "I see {w} and {v} as well. The list is:\n\n1. {a}\n2. {b}\n3. {c}\n4. {d}",
    ],
)
def test_what_is_asked_in_any_order_and_form(form, response):
    assert precise(filled(response, form), VALUES[form][:4]) == 1


@of_every_form
@pytest.mark.parametrize(
    ("response", "score"),
    [
        ("{a}, {b}, {c}", 0.75),
        ("{a}, {b}, {c}, {w}", 0.75),
        ("{a}, {b}, {c}, {d}, {w}", 0.75),
        ("{a}, {b}, {c}, {d}, {v}, {w}", 0.5),
        ("not {a}, not {b}, {w}", 0),
        ("", 0),
    ],
)
def test_with_no_more_than_asked_it_is_recall_and_what_is_too_much_costs(form, response, score):
    assert precise(filled(response, form), VALUES[form][:4]) == score


def test_twice_as_many_as_asked_score_nothing():
    held = [str(number) for number in range(1_000_000, 1_000_120)]
    assert precise("\n".join(held), held[:4]) == precise("\n\n".join(held), held[:4]) == 0
    assert precise("\n".join(held[:8]), held[:4]) == 0
    row = {"answers": held[:4]}
    assert METRICS["ruler/all/paper"]("\n".join(held), row) == METRICS["ruler/all"]("\n".join(held[:8]), row) == 1


@of_every_form
def test_one_value(form):
    for response in (
        "{a}",
        "Answer: {a}",
        "I see {w}.\nThe answer is {a}.",
        "There is {w}.\n\n{a}",
        "Under calm-otter the register lists {a}.",
    ):
        assert precise(filled(response, form), VALUES[form][:1]) == 1, response
    for response in ("{w}", "{a} or {w}", "{w}\n{a}", "{w}\n\n{a}", "not {a}", "Answer: {w}\n\n{a} is of another key."):
        assert precise(filled(response, form), VALUES[form][:1]) == 0, response


@pytest.mark.parametrize(
    "response",
    [
        "1. {a}\n2. {b}\n3. {c}\n4. {d}",
        "2. {b}\n1. {a}\n4. {d}\n3. {c}",
        "Answer: {a}, {b}, {c}, {d}",
        "red-fox: {b}\ncalm-otter: {a}\nwet-hill: {d}\nold-barn: {c}",
        "| red-fox | {b} |\n| calm-otter | {a} |\n| wet-hill | {d} |\n| old-barn | {c} |",
        '{{"red fox": "{b}", "calm-otter": {a}, "wet-hill": {d}, "old-barn": {c}}}',
        "The register lists {b} under red-fox, {a} under calm-otter, {c} under old-barn and {d} under wet-hill.",
        "Under calm-otter, red-fox, old-barn and wet-hill:\n{a}\n{b}\n{c}\n{d}",
    ],
)
def test_each_key_has_its_own_value(response):
    numbers = VALUES["numbers"]
    assert precise(filled(response, "numbers"), numbers[:4], KEYS) == 1
    shifted = response.format(a=numbers[1], b=numbers[2], c=numbers[3], d=numbers[0])
    assert precise(shifted, numbers[:4], KEYS) == 0
    assert METRICS["ruler/all"](shifted, {"answers": list(numbers[:4])}) == 1


def test_a_key_without_a_value_moves_no_other():
    a, b, c, d, *_ = VALUES["numbers"]
    assert precise(f"1. {a}\n2. none\n3. {c}\n4. {d}", (a, b, c, d), KEYS) == 0.75
    assert precise(f"calm-otter: {a}\nred-fox: ?\nold-barn: {c}", (a, b, c, d), KEYS) == 0.5


def test_numbers_may_have_separators():
    assert precise("1. 1,234,567\n2. 7 654 321\n3. 2'468'135\n4. 9753186", VALUES["numbers"][:4]) == 1
    assert precise("1234567,7654321", VALUES["numbers"][:2]) == 1


def test_answers_without_a_form_are_read_as_a_list():
    assert precise("1. Ann\n2. Bo Tarrin", ("Bo Tarrin", "Ann")) == 1
    assert precise("Ann, Bo Tarrin, Cy, Di", ("Bo Tarrin", "Ann")) == 0


@pytest.mark.parametrize(
    "unit",
    [
        "1. 1234567\n\n",
        *(
            pytest.param(unit, marks=pytest.mark.repeat)
            for unit in ("1234567 ", "1,234,", "bakilo ", "answer: ", "not ", "\n\n", "\ufdfa")
        ),
    ],
)
def test_a_megabyte_is_fast(unit):
    for form, values in VALUES.items():
        started = time.process_time()
        precise(unit * (1_000_000 // len(unit)), values[:4], KEYS)
        assert time.process_time() - started < 1, form
