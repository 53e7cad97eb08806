"""order/lcs, order/kendall, order/numbers: tables of responses, every defect costs, brute force, bounded time."""

import json
import time
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.scoring import METRICS
from carrara.scoring.metrics.order import align

GOLDS = [
    "The council met on Monday at nine, and nobody was late.",
    "Item four of the agenda was moved to consent without a vote.",
    "Mr. Reyes asked about the levy (see p. 4).",
    "“Is it final?” he wanted to know!",
    "The motion passed seven to one.",
    "Then the lights went out.",
]
CHINESE = ["第一天他们到了河边。", "夜里下了一场大雨。", "“水涨了！”有人喊道。", "天亮时桥已经不见了。"]
ROW = {"answers": GOLDS}
LCS, KENDALL = METRICS["order/lcs"], METRICS["order/kendall"]


def lines(sentences) -> str:
    return "\n".join(sentences)


@pytest.mark.parametrize(
    ("response", "lcs", "kendall"),
    [
        (GOLDS, 1, 1),
        (GOLDS[::-1], 1 / 6, 0),
        ([GOLDS[1], GOLDS[0], *GOLDS[2:]], 5 / 6, 14 / 15),
        (GOLDS[:-1], 5 / 6, 10 / 15),
        (GOLDS[1:], 5 / 6, 10 / 15),
        ([*GOLDS, GOLDS[2]], 6 / 7, 15 / 21),
        ([GOLDS[0], *GOLDS], 6 / 7, 15 / 21),
        ([*GOLDS[:3], "A goat walked in from the yard.", *GOLDS[3:]], 6 / 7, 15 / 21),
        ([*GOLDS[:5], "A goat walked in from the yard."], 5 / 7, 10 / 21),
        ([*GOLDS[3:], *GOLDS[:3]], 3 / 6, 6 / 15),
        ([], 0, 0),
        (["nothing of the kind"], 0, 0),
    ],
)
def test_scores(response, lcs, kendall):
    assert LCS(lines(response), ROW) == pytest.approx(lcs)
    assert KENDALL(lines(response), ROW) == pytest.approx(kendall)


def test_a_changed_sentence_counts_in_part():
    changed = [*GOLDS[:4], GOLDS[4].replace("seven", "eleven"), GOLDS[5]]
    for metric in (LCS, KENDALL):
        assert 0.9 < metric(lines(changed), ROW) < 1
    unlike = [*GOLDS[:4], "The motion was dropped for good.", GOLDS[5]]
    assert LCS(lines(unlike), ROW) == pytest.approx(5 / 7)
    # The exact one is taken, wherever it stands; the like one is surplus then.
    assert LCS(lines([changed[4], *GOLDS]), ROW) == pytest.approx(6 / 7)


@pytest.mark.parametrize(
    "response",
    [
        " ".join(GOLDS),
        f"{' '.join(GOLDS[:3])}\n\n{' '.join(GOLDS[3:])}",
        "\n\n".join(GOLDS),
        lines(f"{number}. {gold}" for number, gold in enumerate(GOLDS, 1)),
        lines(f"({number}) {gold}" for number, gold in enumerate(GOLDS, 1)),
        lines(f"- {gold}" for gold in GOLDS),
        f"```\n{lines(GOLDS)}\n```",
        lines(f"  {gold.replace(' ', '  ')} " for gold in GOLDS),
        lines(f"**{number}.** {gold}" for number, gold in enumerate(GOLDS, 1)),
        lines(f'"{gold}"' for gold in GOLDS),
        lines(GOLDS).replace("“", '"').replace("”", '"'),
        json.dumps(GOLDS, indent=1),
        "| # | Sentence |\n|---|---|\n" + lines(f"| {number} | {gold} |" for number, gold in enumerate(GOLDS, 1)),
        f"Here are the sentences:\n\n{lines(GOLDS)}",
        f"Sure!\n\n## In order\n{lines(GOLDS)}",
        f"Answer:\n{lines(GOLDS)}",
        f"The list was:\n{lines(GOLDS[::-1])}\n\nAnswer:\n{lines(GOLDS)}",
        f"{lines(GOLDS)}\n\nLet me know if you need anything else!",
    ],
)
def test_layout_is_not_counted(response):
    assert LCS(response, ROW) == KENDALL(response, ROW) == 1


def test_chinese_in_one_paragraph():
    row = {"answers": CHINESE}
    assert LCS("".join(CHINESE), row) == LCS(lines(CHINESE), row) == 1
    assert LCS("".join(CHINESE[::-1]), row) == 0.25
    assert LCS("\n".join(f"{n}、{one}" for n, one in enumerate(CHINESE, 1)), row) == 1
    assert 0.7 < LCS("".join(CHINESE).replace("河", "湖"), row) < 1


def test_gold_cut_by_a_tenth_costs_and_so_does_a_sentence_of_ones_own():
    for count in (2, 6):
        gold = lines(GOLDS[:count])
        assert LCS(gold[: -len(gold) // 10], {"answers": GOLDS[:count]}) < 1
    for more in (f"It was a long day.\n{lines(GOLDS)}", f"{lines(GOLDS)}\nIt was a long day."):
        assert LCS(more, ROW) == pytest.approx(6 / 7)


def test_one_sentence_and_none():
    row = {"answers": GOLDS[:1]}
    assert LCS(GOLDS[0], row) == KENDALL(GOLDS[0], row) == 1
    assert LCS("", row) == KENDALL("", row) == 0
    assert KENDALL(lines(GOLDS), row) == 0


NUMBERS = [str(10_000_000 + 7_054_321 * n) for n in range(1, 13)]
NUMBERS_ROW = {"answers": [", ".join(NUMBERS)], "prompt": f"Sort {', '.join(NUMBERS[::-1])} upwards."}
SEPARATED = [f"{int(number):,}" for number in NUMBERS]


@pytest.mark.parametrize(
    "response",
    [
        ", ".join(NUMBERS),
        ",".join(NUMBERS),
        " ".join(NUMBERS),
        lines(NUMBERS),
        lines(f"{n}. {number}" for n, number in enumerate(NUMBERS, 1)),
        lines(f"- **{number}**" for number in NUMBERS),
        f"[{', '.join(NUMBERS)}]",
        json.dumps({"answer": NUMBERS}),
        f"```\n{', '.join(NUMBERS)}\n```",
        "| # | Number |\n|---|---|\n" + lines(f"| {n} | {number} |" for n, number in enumerate(NUMBERS, 1)),
        ", ".join(SEPARATED),
        ",".join(SEPARATED),
        lines(number.replace(",", " ") for number in SEPARATED),
        f"Here are the 12 numbers:\n{', '.join(NUMBERS)}.\nAsk me if you need 2 more lists.",
        f"The list was {', '.join(NUMBERS[::-1])}.\n\nAnswer: {', '.join(NUMBERS)}",
        f"{', '.join(NUMBERS)}\n\nQuestion: sort 12345678, 87654321.\nAnswer: 12345678, 87654321",
    ],
)
def test_numbers_in_order_however_written(response):
    assert METRICS["order/numbers"](response, NUMBERS_ROW) == 1


def test_numbers_out_of_order_left_out_or_made_up_cost():
    found = METRICS["order/numbers"]
    for response, value in (
        (NUMBERS[::-1], 1 / 12),
        (NUMBERS[:6], 6 / 12),
        ([*NUMBERS, "99999999"], 12 / 13),
        ([*NUMBERS[:5], NUMBERS[5][:-1] + "x", *NUMBERS[6:]], 11 / 12),
        (NUMBERS * 2, 12 / 24),
        ([str(10_000_000 + 7_500_000 * n) for n in range(1, 13)], 0),
        ([], 0),
    ):
        assert found(", ".join(response), NUMBERS_ROW) == pytest.approx(value)
    echo = {**NUMBERS_ROW, "prompt": f"Copy {', '.join(NUMBERS)}."}
    assert found(echo["prompt"], echo) == 0 and found(", ".join(NUMBERS), echo) == 1


@pytest.mark.parametrize(
    "unit", ["1,", "1 ", "123,", "12345678", "1. ", "\n1. ", "12,345,678 ", "\ud800", "Answer: 1\n"]
)
def test_hostile_megabytes_of_numbers(unit):
    start = time.process_time()
    assert 0 <= METRICS["order/numbers"](unit * (2_000_000 // len(unit)), NUMBERS_ROW) < 0.1
    assert time.process_time() - start < 0.5


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(0, 9), max_size=14), st.integers(2, 8))
def test_brute_force(order, count):
    golds = [f"Boat number {n} of {n * n + 7} came home after {n + 2} days at sea." for n in range(10)]
    row = {"answers": golds[:count]}
    response = lines(golds[n] for n in order)
    found = align(response, row)
    firsts = list(dict.fromkeys(n for n in order if n < count))
    # What is like a missing sentence may stand for it: then only the bounds are checked.
    if any(n >= count for n in order):
        assert 0 <= LCS(response, row) <= 1 and 0 <= KENDALL(response, row) <= 1
        return
    surplus = len(order) - len(firsts)
    assert (list(found.places), found.surplus) == (firsts, surplus)
    longest = max(
        (size for size in range(len(firsts) + 1) for one in combinations(firsts, size) if list(one) == sorted(one)),
        default=0,
    )
    pairs = sum(a < b for a, b in combinations(firsts, 2))
    total = count + surplus
    assert LCS(response, row) == pytest.approx(longest / total)
    assert KENDALL(response, row) == pytest.approx(pairs / (total * (total - 1) / 2))


@settings(max_examples=200, deadline=None)
@given(
    st.text(st.one_of(st.characters(), st.sampled_from(".?!…。！？\n\t 1-*)”’\"'"), st.characters(categories=["Cs"])))
)
def test_any_text_scores(response):
    for row in (ROW, {"answers": CHINESE}, {"answers": []}):
        for metric in (LCS, KENDALL):
            assert 0 <= metric(response, row) <= 1


@pytest.mark.parametrize(
    "unit",
    ["[", "1, ", "。", "The ", ". ", "\n", "x\n", "\0", "\ud800 ", '."', "Mr. ", f"{GOLDS[2]} ", f"{GOLDS[4][:-2]}. "],
)
def test_hostile_megabytes(unit):
    response = unit * (2_000_000 // len(unit))
    for row in (ROW, {"answers": [f"Sentence {n}, {n * n} and {n**3 % 97}." for n in range(600)]}):
        start = time.monotonic()
        assert 0 <= LCS(response, row) < 1
        assert time.monotonic() - start < 3


def test_a_long_gold_takes_little_time():
    golds = [
        f"On day {n} the keeper of gate {n * 7 % 1013} counted {n * 3} boats and {n + 2} carts." for n in range(5_000)
    ]
    other = [gold.replace("boats", "sheep").replace("counted", "sold") for gold in golds]
    for response, low, high in ((golds, 1, 1), (golds[::-1], 0, 0.01), (other, 0.5, 1)):
        start = time.monotonic()
        assert low <= LCS(lines(response), {"answers": golds}) <= high
        assert time.monotonic() - start < 20
