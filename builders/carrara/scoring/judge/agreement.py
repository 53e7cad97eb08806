"""Agreement of a judge with people, or with another judge or rubric: Cohen's kappa (1960) of their grades.

Kappa = (observed - expected) / (1 - expected), where `expected` is the agreement of two independent graders with the
same grade frequencies. For correctness (0 to 3) kappa is also given with quadratic weights (Cohen, 1968). Each grade of
an answer, each key point and each sentence is one decision. Decisions on one response are not independent, so the 95 %
interval resamples responses, not decisions. If both graders always give the same single grade, kappa is undefined:
it is None with a reason, never NaN.

Labels are JSON Lines and untrusted (`read_labels`). A second file of verdicts stands in their place as it is
(`read_second`): two rubrics, or two models, on the same responses.
"""

import hashlib
import json
import struct
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any, Final

from carrara.scoring.intervals import FEWEST
from carrara.scoring.judge.judge import QA, judge_of
from carrara.scoring.judge.rubrics import Verdict
from carrara.scoring.judge.verdicts import FORMAT, MAX_HELD, Verdicts, read_verdicts

MAX_LINE: Final = 1 << 20
MAX_LABELS: Final = 1_000_000
NAMED: Final = 20
_RESAMPLES: Final = 1_000
ONE_GRADE: Final = "both give the same grade throughout"
# Each comparison: its name, the kind of question, the field of the verdict, the number of grades.
_FIELDS: Final = (
    ("qa fluency", "qa", "fluency", 2),
    ("qa correctness", "qa", "correctness", 4),
    ("summary fluency", "fluency", "fluency", 2),
    ("recall", "recall", "held", 2),
    ("precision", "precision", "held", 2),
)
_HELD: Final = ("held", "recall", "precision")
PEOPLE: Final = "people"
Grades = tuple[int, int]


class LabelsError(ValueError):
    """A file of labels that cannot be read; the message says where, got and expected."""


@dataclass(frozen=True, slots=True)
class Label:
    """Grades of one response by field, a person's or another judge's; a verdict's `key` or a row's `id` names it."""

    key: str
    id: str
    grades: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Agreement of two graders over `n` decisions; where `value` or `interval` is None, `reason` says why."""

    value: float | None
    observed: float
    expected: float
    n: int
    interval: tuple[float, float] | None
    reason: str

    def to_json(self) -> dict[str, Any]:
        """The agreement as JSON-able data."""
        limits = list(self.interval) if self.interval else None
        numbers = {"kappa": self.value, "observed": self.observed, "expected": self.expected, "n": self.n}
        return {**numbers, "interval": limits, "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Compared:
    """One kind of grade: the number of responses, kappa, quadratically weighted kappa if grades are ordered, counts.

    `table[i][j]`: how often the person gave i and the judge j.
    """

    responses: int
    kappa: Kappa
    weighted: Kappa | None
    table: tuple[tuple[int, ...], ...]

    def to_json(self) -> dict[str, Any]:
        """The comparison as JSON-able data."""
        weighted = self.weighted.to_json() if self.weighted else None
        counts = [list(line) for line in self.table]
        return {"responses": self.responses, **self.kappa.to_json(), "quadratic": weighted, "table": counts}


@dataclass(frozen=True, slots=True)
class Agreement:
    """A judge against people or another judge (`other`): comparisons by kind of grade.

    `left_out` names labels without a verdict, and why.
    """

    judge: str
    compared: Mapping[str, Compared]
    left_out: tuple[str, ...] = field(default=())
    other: str = PEOPLE

    def to_json(self) -> dict[str, Any]:
        """The agreement as JSON-able data."""
        return {
            "judge": self.judge,
            "other": self.other,
            "agreement": {name: comparison.to_json() for name, comparison in self.compared.items()},
            "left_out": {"count": len(self.left_out), "first": list(self.left_out[:NAMED])},
        }


def read_labels(path: Path | str) -> list[Label]:
    """Read people's labels: one object a line with `id` or `key` and at least one grade.

    Grades: `fluency` (0 or 1), `correctness` (0 to 3), `recall` and `precision` (lists of true and false), or `held` (a
    list of the same) with a `key`. Other fields are ignored.

        {"id": "toys/alpha_en/1k/00004", "fluency": 1, "correctness": 2}

    Raises LabelsError for anything else and OSError if the file cannot be opened.
    """
    path = Path(path)
    labels: list[Label] = []
    with path.open("rb") as stream:
        for number in count(1):
            if not (line := stream.readline(MAX_LINE + 1)):
                break
            where = f"{path.name}, line {number}"
            if len(line) > MAX_LINE or number > MAX_LABELS:
                raise LabelsError(f"{where}: got over {MAX_LINE:,} bytes in a line or over {MAX_LABELS:,} lines")
            if not line.strip():
                continue
            try:
                table = json.loads(line)
            except (ValueError, RecursionError):
                table = None
            labels.append(_label(where, table))
    if not labels:
        raise LabelsError(f"{path.name}: got no labels, expected at least one")
    return labels


def read_second(path: Path | str) -> tuple[str, list[Label]]:
    """Read what a judge is compared with, and whose it is: people's labels, or another file of verdicts.

    Raises LabelsError and VerdictsError as the readers of both do.
    """
    with Path(path).open("rb") as stream:
        head = stream.readline(MAX_LINE)
    try:
        table = json.loads(head)
    except (ValueError, RecursionError):
        table = None
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        return PEOPLE, read_labels(path)
    verdicts = read_verdicts(path)
    if not verdicts.known:
        raise LabelsError(f"{Path(path).name}: got no verdict, expected at least one")
    labels = []
    for key, verdict in verdicts.known.items():
        kind, row_id = verdicts.places[key]
        grades = {name: _grades(verdict, name) for name in ("fluency", "correctness")}
        grades = {name: grade for name, grade in grades.items() if grade} or {kind: _grades(verdict, "held")}
        labels.append(Label("", row_id, grades))
    return named(verdicts), labels


def named(verdicts: Verdicts) -> str:
    """Return the judge of verdicts with its rubric if that is HELMET's."""
    return judge_of(verdicts.metric(QA))


def agree(verdicts: Verdicts, labels: Iterable[Label], other: str = PEOPLE) -> Agreement:
    """Compare verdicts with labels, which are `other`'s. Raises LabelsError if no label matches a verdict."""
    keys: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for key, (kind, row_id) in verdicts.places.items():
        keys[row_id, kind].append(key)
    # By what is compared: for each response the pairs (person, judge).
    pairs: defaultdict[str, list[list[Grades]]] = defaultdict(list)
    left_out = []
    for label in labels:
        for name, grades in label.grades.items():
            outcome = _pairs(verdicts, keys, label, name, grades)
            if isinstance(outcome, str):
                left_out.append(f"{label.id or label.key[:12]}, {name}: {outcome}")
            else:
                pairs[outcome[0]].append(outcome[1])
    if not pairs:
        raise LabelsError(
            f"got {len(left_out):,} labels and no verdict for any of them (first: {left_out[0]}); "
            "expected labels of the judged responses"
        )
    compared = {
        what: _compared(what, pairs[what], classes) for what, _, _, classes in _FIELDS if any(pairs.get(what, ()))
    }
    return Agreement(named(verdicts), compared, tuple(left_out), other)


def kappa(pairs: Sequence[Grades], classes: int, quadratic: bool = False) -> tuple[float | None, float, float]:
    """Return kappa (None if undefined), observed and expected agreement over pairs of grades 0 .. classes - 1.

    `pairs` holds at least one. With quadratic weights the agreement of a pair is 1 - (i - j)^2 / (classes - 1)^2, else
    1 for equal grades and 0 for others.
    """
    return _kappa(Counter(pairs), classes, quadratic)


def _kappa(counts: Mapping[Grades, int], classes: int, quadratic: bool) -> tuple[float | None, float, float]:
    n = sum(counts.values())
    first, second = [0] * classes, [0] * classes
    # In integers, so that full agreement gives exactly 1.
    span = (classes - 1) ** 2 if quadratic else 1
    seen = 0
    for (person, judge), number in counts.items():
        seen += number * _distance(person, judge, quadratic)
        first[person] += number
        second[judge] += number
    chance = sum(
        first[person] * second[judge] * _distance(person, judge, quadratic)
        for person in range(classes)
        for judge in range(classes)
    )
    value = None if not chance else 1 - seen * n / chance
    return value, 1 - seen / (span * n), 1 - chance / (span * n * n)


def _distance(grade: int, other: int, quadratic: bool) -> int:
    return (grade - other) ** 2 if quadratic else int(grade != other)


def _compared(what: str, responses: list[list[Grades]], classes: int) -> Compared:
    counts = [Counter(pairs) for pairs in responses if pairs]
    whole = _sum(counts)
    table = tuple(tuple(whole[person, judge] for judge in range(classes)) for person in range(classes))
    weighted = _estimate(what, counts, classes, True) if classes > 2 else None
    return Compared(len(counts), _estimate(what, counts, classes, False), weighted, table)


def _estimate(what: str, counts: Sequence[Counter[Grades]], classes: int, quadratic: bool) -> Kappa:
    whole = _sum(counts)
    value, observed, expected = _kappa(whole, classes, quadratic)
    n = sum(whole.values())
    if value is None:
        return Kappa(None, observed, expected, n, None, ONE_GRADE)
    if len(counts) < FEWEST:
        return Kappa(value, observed, expected, n, None, f"n = {len(counts)} responses, too few")
    drawn = sorted(
        resampled
        for indices in _draws(f"agreement:{what}", len(counts))
        if (resampled := _kappa(_sum(counts[index] for index in indices), classes, quadratic)[0]) is not None
    )
    # Below that, the remaining draws are not representative.
    if len(drawn) < 900:
        return Kappa(value, observed, expected, n, None, "in most draws both give the same grade throughout")
    cut = len(drawn) // 40
    return Kappa(value, observed, expected, n, (drawn[cut], drawn[-1 - cut]), "")


def _draws(name: str, size: int) -> Iterator[list[int]]:
    """1,000 resamples of `size` things as lists of indices: resample i from SHAKE-128 of (name, i), on any machine.

    An index is (word x size) >> 32 of a 32-bit little-endian word: integers only, within n / 2^32 of uniform.
    """
    unpack = struct.Struct(f"<{size}I").unpack
    for resample in range(_RESAMPLES):
        key = f"carrara.bootstrap/{resample}/{name}".encode()
        yield [word * size >> 32 for word in unpack(hashlib.shake_128(key).digest(4 * size))]


def _sum(counts: Iterable[Counter[Grades]]) -> Counter[Grades]:
    whole: Counter[Grades] = Counter()
    for counter in counts:
        whole.update(counter)
    return whole


def _pairs(
    verdicts: Verdicts, keys: Mapping[tuple[str, str], list[str]], label: Label, name: str, grades: tuple[int, ...]
) -> tuple[str, list[Grades]] | str:
    """The name of the comparison and the label's pairs of grades; or why there are none."""
    if label.key:
        kind = verdicts.places.get(label.key, ("", ""))[0]
        matches = [label.key] if kind else []
    else:
        kinds = ("qa",) if name == "correctness" else ("qa", "fluency") if name == "fluency" else (name,)
        kind, matches = next(
            ((candidate, keys[label.id, candidate]) for candidate in kinds if (label.id, candidate) in keys), ("", [])
        )
    if not matches:
        return "no verdict"
    if len(matches) > 1:
        return "the file has verdicts on several responses to this row; label them by key"
    if (verdict := verdicts.known.get(matches[0])) is None:
        return f"unjudged: {verdicts.unjudged.get(matches[0], '')[:200]}"
    what = next((entry for entry in _FIELDS if entry[1] == kind and (entry[2] == name or name == kind)), None)
    if what is None:
        return f"the verdict is about {kind}"
    judged = _grades(verdict, what[2])
    if len(judged) != len(grades):
        return f"got {len(grades):,} values, the verdict has {len(judged):,}"
    return what[0], list(zip(grades, judged, strict=True))


def _grades(verdict: Verdict, field_name: str) -> tuple[int, ...]:
    if field_name == "held":
        return tuple(map(int, verdict.held or ()))
    grade = verdict.fluency if field_name == "fluency" else verdict.correctness
    return () if grade is None else (grade,)


def _label(where: str, table: Any) -> Label:
    if not isinstance(table, dict):
        raise LabelsError(f"{where}: expected a JSON object with `id` or `key`, and grades")
    key, row_id = table.get("key", ""), table.get("id", "")
    if not isinstance(key, str) or not isinstance(row_id, str) or not (key or row_id) or len(key + row_id) > 500:
        raise LabelsError(f"{where}: got neither `id` nor `key`, expected the id of a row or the key of a verdict")
    grades: dict[str, tuple[int, ...]] = {}
    for name, most in (("fluency", 1), ("correctness", 3)):
        if (grade := table.get(name)) is not None:
            if type(grade) is not int or not 0 <= grade <= most:
                raise LabelsError(f"{where}: got no valid {name}, expected an integer from 0 to {most}")
            grades[name] = (grade,)
    for name in _HELD:
        if (held := table.get(name)) is not None:
            if not isinstance(held, list) or len(held) > MAX_HELD or any(type(flag) is not bool for flag in held):
                raise LabelsError(f"{where}: got no valid {name}, expected a list of true and false")
            grades[name] = tuple(map(int, held))
    if not grades or ("held" in grades and not key):
        raise LabelsError(
            f"{where}: got no grades, expected fluency, correctness, recall, precision, or held with a key"
        )
    return Label(key, row_id, grades)
