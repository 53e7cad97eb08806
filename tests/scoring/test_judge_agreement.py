"""Cohen's kappa by hand and by its definition, undefined kappas, labels and hostile labels."""

import asyncio
import hashlib
import itertools
import json

import pytest
from commands import here, is_refusal
from endpoint import completion, endpoint
from judges import is_by_paper, kind_of, material

from carrara.llm.client import Address
from carrara.llm.judges import Asker
from carrara.scoring.judge.agreement import Label, LabelsError, agree, kappa, read_labels
from carrara.scoring.judge.rubrics import RUBRICS, JudgeQuestion, Verdict, ask
from carrara.scoring.judge.verdicts import Judge, VerdictFile, Verdicts

__all__ = ["endpoint"]


def key(number):
    return f"{number:064x}"


def verdicts(said):
    """Of (kind, row id, verdict): keys count from 0."""
    found = Verdicts(Judge("tester"))
    for number, (kind, row_id, verdict) in enumerate(said):
        found.places[key(number)] = (kind, row_id)
        if isinstance(verdict, str):
            found.unjudged[key(number)] = verdict
        else:
            found.known[key(number)] = verdict
    return found


def qa(*grades):
    return verdicts([("qa", f"row{n}", Verdict(fluency=f, correctness=c)) for n, (f, c) in enumerate(grades)])


def lines(tmp_path, *tables):
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(f"{one if isinstance(one, str) else json.dumps(one)}\n" for one in tables))
    return path


def test_kappa_by_hand():
    # Cohen's textbook table: 20 both yes, 5 and 10 apart, 15 both no. Observed 0.7, expected 0.5.
    pairs = [(1, 1)] * 20 + [(1, 0)] * 5 + [(0, 1)] * 10 + [(0, 0)] * 15
    assert kappa(pairs, 2) == pytest.approx((0.4, 0.7, 0.5))
    assert kappa([(0, 0), (1, 1)], 2)[0] == 1 and kappa([(0, 1), (1, 0)], 2)[0] == -1
    # Of two grades the weights change nothing.
    assert kappa(pairs, 2, quadratic=True)[0] == pytest.approx(0.4)


def test_quadratic_kappa_by_the_definition():
    pairs = [(0, 0), (0, 1), (1, 1), (2, 2), (2, 3), (3, 3), (3, 0), (1, 2), (3, 3), (2, 1)]
    n = len(pairs)
    for quadratic in (False, True):
        weight = {(i, j): ((i - j) / 3) ** 2 if quadratic else float(i != j) for i in range(4) for j in range(4)}
        seen = sum(weight[pair] for pair in pairs) / n
        chance = sum(weight[one[0], other[1]] for one, other in itertools.product(pairs, pairs)) / n**2
        assert kappa(pairs, 4, quadratic) == pytest.approx((1 - seen / chance, 1 - seen, 1 - chance))
    # By hand: 5 of 10 alike, 25 of 100 by chance; squared distances 13 of 10, 246 of 100 by chance.
    assert kappa(pairs, 4)[0] == pytest.approx(1 / 3)
    assert kappa(pairs, 4, quadratic=True)[0] == pytest.approx(1 - 130 / 246)


def test_one_grade_throughout_is_undefined_and_says_so(tmp_path):
    found = agree(
        qa((1, 3), (1, 3), (1, 3)), read_labels(lines(tmp_path, *({"id": f"row{n}", "fluency": 1} for n in range(3))))
    )
    one = found.compared["qa fluency"]
    assert one.kappa.value is None and one.kappa.interval is None and "same grade" in one.kappa.reason
    assert (one.kappa.observed, one.kappa.n) == (1, 3)
    json.dumps(found.to_json(), allow_nan=False)
    # One grade by the judge alone: agreement is what chance gives, kappa 0.
    mixed = [Label("", f"row{n}", {"fluency": (n % 2,)}) for n in range(3)]
    assert agree(qa((1, 3), (1, 3), (1, 3)), mixed).compared["qa fluency"].kappa.value == 0


def test_each_kind_is_compared(tmp_path):
    held = Verdict(held=(True, True, False))
    said = [(kind, f"row{n}", held) for n in range(6) for kind in ("recall", "precision")]
    said += [("fluency", f"row{n}", Verdict(fluency=n % 2)) for n in range(6)]
    said += [("qa", "ask0", Verdict(fluency=1, correctness=2)), ("qa", "ask1", Verdict(fluency=0, correctness=0))]
    labels = [
        *({"id": f"row{n}", "recall": [True, n > 2, False], "precision": [True, True, False]} for n in range(5)),
        *({"id": f"row{n}", "fluency": n % 2} for n in range(4)),
        {"key": key(10), "held": [True, True, False]},
        {"id": "ask0", "fluency": 1, "correctness": 3},
        {"key": key(19), "fluency": 0, "correctness": 0},
    ]
    found = agree(verdicts(said), read_labels(lines(tmp_path, *labels, "")))
    assert found.left_out == () and found.judge.startswith("tester#")
    sizes = {name: (one.responses, one.kappa.n) for name, one in found.compared.items()}
    assert sizes == {
        "qa fluency": (2, 2),
        "qa correctness": (2, 2),
        "summary fluency": (4, 4),
        "recall": (6, 18),
        "precision": (5, 15),
    }
    assert found.compared["precision"].kappa.value == 1
    assert found.compared["recall"].table == ((6, 3), (0, 9))
    assert found.compared["qa correctness"].weighted is not None and found.compared["recall"].weighted is None


def test_the_interval_draws_responses(tmp_path):
    # Ten decisions on a response go together: counted singly the interval would be too narrow.
    apart = [Verdict(held=(n % 2 == 0, n % 3 == 0) * 5) for n in range(12)]
    people = [(n % 2 == 0, n % 3 == 0 or n > 8) * 5 for n in range(12)]
    said = [("recall", f"row{n}", one) for n, one in enumerate(apart)]
    labels = [Label("", f"row{n}", {"recall": tuple(map(int, held))}) for n, held in enumerate(people)]
    one = agree(verdicts(said), labels).compared["recall"]
    assert one.kappa.interval is not None
    low, high = one.kappa.interval
    assert low < one.kappa.value < high and one.kappa.n == 120 and high - low > 0.2
    assert agree(verdicts(said), labels).compared["recall"] == one
    few = agree(verdicts(said[:4]), labels[:4]).compared["recall"]
    assert (few.kappa.interval, few.kappa.reason) == (None, "n = 4 responses, too few")


def test_labels_that_cannot_be_compared_are_named(tmp_path):
    said = [("qa", "row0", Verdict(fluency=1, correctness=3)), ("qa", "twice", Verdict(fluency=1, correctness=3))]
    said += [("qa", "twice", Verdict(fluency=0, correctness=3)), ("qa", "none", "the endpoint answered 500")]
    said += [("recall", "row0", Verdict(held=(True, False)))]
    labels = [
        {"id": "row0", "fluency": 1, "recall": [True]},
        *({"id": one, "fluency": 1} for one in ("twice", "none", "strange")),
        {"key": key(0), "held": [True]},
        {"key": "f" * 64, "fluency": 1},
    ]
    found = agree(verdicts(said), read_labels(lines(tmp_path, *labels)))
    assert [one.rpartition(": ")[2][:12] for one in found.left_out] == [
        *("got 1 values", "the file has", "the endpoint", "no verdict", "the verdict ", "no verdict"),
    ]
    assert found.to_json()["left_out"]["count"] == 6 and list(found.compared) == ["qa fluency"]
    with pytest.raises(LabelsError, match="no verdict for any of them"):
        agree(verdicts(said), [Label("", "strange", {"fluency": (1,)})])


@pytest.mark.parametrize(
    "line",
    [
        *("no JSON", "[]", "3", "[" * 100_000, '{"id": "a"}', '{"fluency": 1}', '{"id": "a", "held": [true]}'),
        *({"id": "a", "fluency": one} for one in (2, -1, 0.5, True, "1")),
        *({"id": "a", "correctness": one} for one in (4, True, [1])),
        *({"id": "a", "recall": one} for one in ([1], True, {}, [True] * 10_001)),
        *({"id": one, "fluency": 1} for one in (3, "x" * 501, [])),
        {"id": "a", "fluency": 1, "note": "x" * (1 << 20)},
    ],
    ids=lambda line: str(line)[:40],
)
def test_hostile_labels_are_refused(tmp_path, line):
    with pytest.raises(LabelsError, match=r"labels.jsonl, line 2"):
        read_labels(lines(tmp_path, {"id": "a", "fluency": 1}, line))
    with pytest.raises(LabelsError, match="no labels"):
        read_labels(lines(tmp_path))


# --- two rubrics ------------------------------------------------------------------------------------------------------

# What a text is by ours, and by HELMET's definitions: they differ in what is more than asked or less than whole.
GRADES = {
    "exact": ((1, 3), (1, 3)),
    "detailed": ((1, 2), (1, 3)),
    "half": ((1, 1), (1, 1)),
    "wrong": ((1, 0), (1, 0)),
    "repeated": ((0, 3), (0, 3)),
}
FLUENCY = {"whole": (1, 1), "cut": (0, 1), "garbled": (0, 0), "long": (1, 1)}
HELD = {"stated": (True, True), "mostly": (False, True), "missing": (False, False), "clear": (True, True)}


def simulated(number):
    """The number-th of 200 questions: 80 answers, 40 each of fluency, key points and sentences; of every kind."""
    if number < 80:
        texts = {"question": "Where?", "references": ["The mill."]}
        return JudgeQuestion("qa", {**texts, "response": f"{list(GRADES)[number % 5]} {number}"})
    if number < 120:
        return JudgeQuestion("fluency", {"response": f"{list(FLUENCY)[number % 4]} {number}"})
    three = [f"It is {list(HELD)[(number + place) % 4]} {number}." for place in range(3)]
    if number < 160:
        return JudgeQuestion("recall", {"key_points": three, "response": f"Summary {number}."})
    return JudgeQuestion("precision", {"reference": "Long.", "response": " ".join(three)})


def noisy(body, errors):
    """A judge that knows what every text is, and errs in so many of 256 decisions."""
    texts, kind, which = material(body), kind_of(body), is_by_paper(body)

    def grade(truth, most, about):
        drawn = hashlib.sha256(f"{which} {kind} {about}".encode()).digest()
        return (truth + 1 + drawn[1] % most) % (most + 1) if drawn[0] < errors else truth

    if kind in ("recall", "precision"):
        shown = [one["text"] for one in texts["key_points" if kind == "recall" else "sentences"]]
        held = [bool(grade(int(HELD[text.split()[2]][which]), 1, text)) for text in shown]
        return completion(json.dumps({"reasons": "One by one.", "held": held} if which else {"held": held}))
    word = texts["response"].split()[0]
    if kind == "fluency":
        said = {"fluency": grade(FLUENCY[word][which], 1, texts["response"])}
    else:
        fluency, correctness = GRADES[word][which]
        said = {"fluency": grade(fluency, 1, f"f {texts['response']}")}
        said["correctness"] = grade(correctness, 3, texts["response"])
    return completion(json.dumps({"reasons": "It is so.", **said} if which else said))


@pytest.mark.parametrize(
    ("errors", "kappas"),
    [
        # What the definitions differ in: a fifth of the answers, a quarter of the summaries and of the statements.
        (
            0,
            {
                "qa fluency": 1.0,
                "qa correctness": 0.71,
                "summary fluency": 0.5,
                "recall": 0.5,
                "precision": 0.5,
            },
        ),
        # And 5 % of the decisions wrong under either rubric.
        (
            13,
            {
                "qa fluency": 0.74,
                "qa correctness": 0.62,
                "summary fluency": 0.44,
                "recall": 0.35,
                "precision": 0.37,
            },
        ),
    ],
)
@pytest.mark.integration
def test_two_rubrics_on_two_hundred_pairs_of_verdicts(endpoint, tmp_path, errors, kappas):
    endpoint.answer = lambda body: noisy(body, errors)
    for name, rubric in RUBRICS.items():
        by = Judge("noisy", rubric=rubric.fingerprint)
        asked = {by.key(question): (f"row{n}", question) for n, question in enumerate(map(simulated, range(200)))}
        with VerdictFile(tmp_path / f"{name}.jsonl", by) as file:

            async def all_of_it(by=by, rubric=rubric, asked=asked, file=file):
                def tell(key, verdict):
                    file.add(key, asked[key][1].kind, asked[key][0], verdict)

                async with Asker(Address(endpoint.url, "noisy")) as asker:
                    return await asker.ask_all([(key, ask(one, rubric)) for key, (_, one) in asked.items()], tell)

            assert asyncio.run(all_of_it()) == ""
    assert endpoint.requests == 400
    done = here("agreement", tmp_path / "paper.jsonl", tmp_path / "carrara.jsonl", "--json")
    assert done.code == 0, done
    table = json.loads(done.out)
    assert table["judge"].endswith(" by HELMET's rubric") and table["other"].startswith("noisy#")
    assert table["left_out"]["count"] == 0
    found = table["agreement"]
    assert {name: (one["responses"], one["n"]) for name, one in found.items()} == {
        "qa fluency": (80, 80),
        "qa correctness": (80, 80),
        "summary fluency": (40, 40),
        "recall": (40, 120),
        "precision": (40, 120),
    }
    # By definition, from what the judge is known to have said under either rubric.
    for name, one in found.items():
        counts = one["table"]
        n, size = one["n"], range(len(counts))
        alike = sum(counts[i][i] for i in size) / n
        chance = sum(sum(counts[i]) * sum(line[i] for line in counts) for i in size) / n**2
        assert one["kappa"] == pytest.approx((alike - chance) / (1 - chance)), name
    assert {name: round(one["kappa"], 2) for name, one in found.items()} == kappas
    shown = here("agreement", tmp_path / "paper.jsonl", tmp_path / "carrara.jsonl")
    assert shown.code == 0 and "other: noisy#" in shown.out and "people" not in shown.out
    # The first line is a head, and no verdict at all is no grade.
    (tmp_path / "empty.jsonl").write_text((tmp_path / "paper.jsonl").read_text().splitlines()[0] + "\n")
    assert is_refusal(here("agreement", tmp_path / "paper.jsonl", tmp_path / "empty.jsonl"), "got no verdict")
