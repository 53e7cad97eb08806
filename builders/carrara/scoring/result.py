"""The result file: `carrara score --out` writes it, `carrara compare` and `carrara plot` read it.

It is one JSON object:

- `format` = "carrara/result", `version` = 4. Versions 1, which lists rows that were not run among the scores, 2, which
  knows no samples, and 3, which knows no root, are read as well; other versions are rejected.
- `model`: the name of the model, 1 to 80 printable characters. `release`: `name@version`; `stream`: its stream;
  `root`: its root. `unverified`: whether nobody checked that the rows are those of the root (`--unverified`).
- `metric`: the metric used instead of the rows' own, or null.
- `release_configs`: one object for each config of the release, run or not: `task`, `variant`, `bucket`, `rows`,
  `tokens` (of its shortest prompt) and `complexities`.
- `scores`: one object for each row that was run, sorted by id: `id`, `score` (a number in [0, 1], or null without a
  response or verdict), `reason` (the metric, or why there is no score), `metric`, `item`, `task`, `variant`, `bucket`,
  `tokens`, `max_output_tokens`, `complexity`, `group`, `depths` (a list of numbers in [0, 1]); and if there are any:
  `numbers` (top-level numbers of the row's facts), `chance` (what guessing scores on the row), `classes` (the score of
  each class), `samples` (the scores of a row that was asked several times, null where there is none; `score` is their
  mean, null counted 0), `cut` (which of its responses, counted from 0, were cut at their limit), `thinking` (which
  ended within a thought), `reported` (the score by the metric of the paper's summary, where that is another one) and
  `context` (the document that the row asks about).
- `overall`, `buckets`, `tasks`, `cells` (task and bucket), `configs`, `complexity`, `depths`: averages over the rows
  that were run (`Average.to_json`); `not_run`: the configs that were not; `papers`: the summaries as the papers report
  them; `samples`: what several samples a row say (`SampleSummary`), or null; `missing`, `empty`, `unjudged`, `unknown`,
  `duplicates`, `thinking`: ids and their number; `cut`: the same of the rows with a response that was cut, and their
  bounds (`Bounds`): of `overall`, `tasks`, `cells` and `configs` that have such rows.
- `errata`, if errata of the release were given (`carrara erratum`): their numbers, the number of affected `rows`, and
  whether these were `left_out` of the scores.

A result file is untrusted when it is read. Only the keys up to `scores` are read, each with its type and bounds, and
all averages are computed again from the rows, so that a file cannot contradict itself. Prompts and responses are never
stored. `RowScore.question` and `RowScore.length` must not change: every average of a paper rests on them.
"""

import math
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from carrara.scoring.facts import FIELD, MAX_CHANCE, MAX_NUMBERS, FormRule, is_number
from carrara.scoring.judge.judge import judge_of, stand_in
from carrara.text.json import strict_json

FORMAT: Final = "carrara/result"
VERSION: Final = 4
MAX_BYTES: Final = 256 << 20
MAX_ROWS: Final = 1_000_000
MAX_MODEL: Final = 80
# Bounds on what is copied from a row: a release is untrusted.
MAX_REASON: Final = 2_000
MAX_DEPTHS: Final = 4_096
MAX_CONTEXT: Final = 400
MAX_CLASSES: Final = 64
MAX_SAMPLES: Final = 1_000
MAX_CONFIGS: Final = 10_000
MAX_COMPLEXITIES: Final = 1_000
# Why a row has no score that the responses do not name. In a file of version 1 it also stands with what was not run.
NO_LINE: Final = "no response with this id"
UNVERIFIED: Final = "unverified: nobody checked that the rows are those of the release (--unverified)"
_AGAIN: Final = "write it again: carrara score DIR responses.jsonl --out FILE"
_RELEASE: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}@[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}")
_ROOT: Final = re.compile(r"([0-9a-f]{64})?")
_WORD: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_BUCKET: Final = re.compile(r"([0-9]{1,4})([kM])")

# Variants that change only the instruction: their items share the material.
_INSTRUCTIONS: Final = re.compile(r"^(direct|reasoned)_|_?verbatim$|^(ascending|descending)$")

# (task and material, complexity, number of the item)
QuestionKey = tuple[str, int, str]


@dataclass(frozen=True, slots=True)
class RowScore:
    """The score of one row, in [0, 1] or None with a reason, and the columns of the row that averages need.

    `metric`: the name under which the score is recorded; `tokens`: those of the prompt; `numbers`: top-level numbers of
    the row's facts (digits, depth, ...); `chance`: what guessing scores on this row, if its facts say so; `classes`:
    the score of each class, for metrics that are a mean over classes; `samples`: the scores of a row that was asked
    several times, of which `score` is the mean. `cut` and `thinking`: the places among the samples, 0 where there is
    one, of the responses that were cut at their limit, and of those that end within a thought. `reported`: the score by
    the metric with which the paper reports the task (`REPORTED`), None where that is `metric` or is not known.
    `context`: the document that the row asks about, if its facts name one.
    """

    id: str
    score: float | None
    reason: str
    metric: str = ""
    item: str = ""
    task: str = ""
    variant: str = ""
    bucket: str = ""
    tokens: int = 0
    max_output_tokens: int = 0
    complexity: int = 0
    group: str = ""
    depths: tuple[float, ...] = ()
    numbers: Mapping[str, float] = field(default_factory=dict)
    chance: tuple[float, ...] = ()
    classes: Mapping[str, float] = field(default_factory=dict)
    samples: tuple[float | None, ...] = ()
    cut: tuple[int, ...] = ()
    thinking: tuple[int, ...] = ()
    reported: float | None = None
    context: str = ""

    @property
    def uncut(self) -> list[float]:
        """The scores of the responses that were not cut; none counts 0."""
        values = [value or 0.0 for value in self.samples] or [self.value]
        return [value for place, value in enumerate(values) if place not in self.cut]

    @property
    def value(self) -> float:
        """The score; 0 if it is None."""
        return self.score or 0.0

    @property
    def answered(self) -> float | None:
        """The score without what has none: of several samples the mean of the others."""
        if not self.samples:
            return self.score
        kept = [value for value in self.samples if value is not None]
        return mean(kept) if kept else None

    @property
    def paper_value(self) -> float:
        """The score by the metric with which the paper reports the task, where that is another one; else the score."""
        return self.value if self.reported is None else self.reported

    @property
    def is_run(self) -> bool:
        """Whether the row was run; one that was not (`HeldConfig.stand_ins`) has the score NaN."""
        return self.score is None or not math.isnan(self.score)

    @property
    def judge(self) -> str:
        """The judge on whom the score depends, or what stands in place of one; "" for neither."""
        return stand_in(self.reason) or judge_of(self.metric)

    @property
    def dataset(self) -> str:
        """Task and variant: the row's config without its bucket."""
        return f"{self.task}_{self.variant}" if self.variant else self.task

    @property
    def config(self) -> str:
        """Task, variant if there is one, bucket."""
        return f"{self.dataset}_{self.bucket}"

    @property
    def group_key(self) -> tuple[str, str]:
        """The key of rows that are one question in one bucket. Two variants may use the same group name."""
        return self.variant, self.group or self.id

    @property
    def question(self) -> QuestionKey:
        """What is asked: an item. In another bucket or with another instruction it is the same question."""
        material = f"{self.task} {_INSTRUCTIONS.sub('', self.variant)}".strip()
        return material, self.complexity, self.item.rpartition("/")[2] or self.group or self.id

    @property
    def cluster(self) -> QuestionKey:
        """What counts as one in an interval: all questions about a document, else a question."""
        return (self.question[0], 0, f"document {self.context}") if self.context else self.question

    @property
    def length(self) -> int:
        """The row's nominal length in tokens, prompt and answer: a multiple of a quarter (up to 8k) or an eighth of its
        bucket. Rows of a grid of lengths get their grid length, full rows the size of their bucket.
        """
        size = bucket_tokens(self.bucket)
        parts = 4 if size <= 8_192 else 8
        step = -(-(self.tokens + self.max_output_tokens) * parts // size) if size and self.tokens else parts
        return size * min(parts, max(1, step)) // parts

    @property
    def depth(self) -> float | None:
        """The requested depth, 0 to 1, or else the only depth of the row; None if it has none or several."""
        asked = self.numbers.get("depth")
        if asked is not None and 0 <= asked <= 1:
            return asked
        return self.depths[0] if len(self.depths) == 1 else None

    def to_json(self) -> dict[str, Any]:
        """Return the row as JSON-able data; what is empty behind `COLUMNS` is left out."""
        table: dict[str, Any] = {name: getattr(self, name) for name in COLUMNS}
        table["depths"] = list(self.depths)
        optional: dict[str, object] = {"numbers": dict(self.numbers), "chance": list(self.chance)}
        optional |= {"classes": dict(self.classes), "samples": list(self.samples), "context": self.context}
        optional |= {"cut": list(self.cut), "thinking": list(self.thinking)}
        table |= {} if self.reported is None else {"reported": self.reported}
        return table | {name: value for name, value in optional.items() if value}


COLUMNS: Final = (
    *("id", "score", "reason", "metric", "item", "task", "variant", "bucket", "tokens", "max_output_tokens"),
    *("complexity", "group", "depths"),
)


@dataclass(frozen=True, slots=True)
class Average:
    """One average: means in [0, 1] over `groups`, and a 95 % interval of `mean` (`intervals.py`) or why there is none.

    `questions` are what the interval counts: groups of one item in several buckets are one. `apart` is the smallest
    difference from another model that is told with 80 % power, if they fail on questions of their own; None for none.
    """

    mean: float
    mean_answered: float | None
    interval: tuple[float, float] | None
    interval_reason: str
    apart: float | None
    questions: int
    groups: int
    rows: int
    scored: int
    missing: int
    metrics: tuple[str, ...]
    unjudged: int = 0

    def to_json(self) -> dict[str, Any]:
        """Return the cell as JSON-able data."""
        return {
            "apart": self.apart,
            "groups": self.groups,
            "interval": list(self.interval) if self.interval else None,
            "interval_reason": self.interval_reason,
            "mean": self.mean,
            "mean_answered": self.mean_answered,
            "metrics": list(self.metrics),
            "missing": self.missing,
            "questions": self.questions,
            "rows": self.rows,
            "scored": self.scored,
            "unjudged": self.unjudged,
        }


@dataclass(frozen=True, slots=True)
class Bounds:
    """What an average is if every response that was cut at its limit is wrong (`wrong`), and without them (`left_out`).

    The average itself takes them as they stand: a right answer before the cut is right. `rows` are those with such a
    response; `left_out` is None where nothing is left.
    """

    rows: int
    wrong: float
    left_out: float | None

    @property
    def told(self) -> str:
        """Both bounds in points."""
        without = "nothing is left without them" if self.left_out is None else f"{100 * self.left_out:.1f} without them"
        return f"{100 * self.wrong:.1f} with all of them wrong, {without}"

    def to_json(self) -> dict[str, float | None]:
        """Return the bounds as JSON-able data."""
        return {"rows": self.rows, "wrong": self.wrong, "left_out": self.left_out}


def bounds(*parts: Iterable[RowScore]) -> Bounds:
    """Return the bounds of a mean of parts, each averaged over its groups of rows."""
    rows = 0
    wrong: list[float] = []
    left: list[float] = []
    for part in parts:
        groups: dict[tuple[str, str], list[RowScore]] = {}
        for row in part:
            groups.setdefault(row.group_key, []).append(row)
            rows += bool(row.cut)
        wrong.append(mean([mean([_if_wrong(row) for row in own]) for own in groups.values()]))
        kept = [[mean(row.uncut) for row in own if row.uncut] for own in groups.values()]
        if any(kept):
            left.append(mean([mean(values) for values in kept if values]))
    return Bounds(rows, mean(wrong), mean(left) if left else None)


def _if_wrong(row: RowScore) -> float:
    return math.fsum(row.uncut) / max(1, len(row.samples))


@dataclass(frozen=True, slots=True)
class KnownErrors:
    """How many rows have known errors, by which errata (`carrara erratum`), and whether they were left out."""

    errata: tuple[int, ...]
    rows: int
    left_out: bool

    def to_json(self) -> dict[str, object]:
        """Return what a result file says of these rows."""
        return {"errata": list(self.errata), "rows": self.rows, "left_out": self.left_out}


@dataclass(frozen=True, slots=True)
class SampleSummary:
    """What several samples a row say: `samples` a row, at most, and how many of all have no score and count 0.

    `pass_at[k]` is the mean of the tasks of pass@k: how likely one of k samples of a row scores 1 (the unbiased
    estimator of arXiv:2107.03374). `within` is the standard deviation of the samples of a row, `between` that of the
    rows' expected scores (by analysis of variance); both over the rows of a task, then the root mean square of tasks.
    """

    samples: int
    unscored: int
    pass_at: dict[int, Average]
    within: float
    between: float

    def to_json(self) -> dict[str, object]:
        """Return what a result file says of samples."""
        pass_at = {str(k): average.to_json() for k, average in self.pass_at.items()}
        told = {"samples": self.samples, "unscored": self.unscored, "pass_at": pass_at}
        return told | {"within": self.within, "between": self.between}

    @property
    def told(self) -> str:
        """The summary on one line."""
        passed = ", ".join(f"pass@{k} {100 * average.mean:.1f}" for k, average in self.pass_at.items())
        return (
            f"{self.samples:,} samples a row: {passed}; standard deviation within a question "
            f"{100 * self.within:.1f}, between questions {100 * self.between:.1f}."
        )


@dataclass(frozen=True, slots=True)
class Ids:
    """How many ids, and the first twenty of them in order."""

    count: int
    first: tuple[str, ...]

    def to_json(self) -> dict[str, object]:
        """Return the ids as JSON-able data."""
        return {"count": self.count, "first": list(self.first)}


@dataclass(frozen=True, slots=True)
class HeldConfig:
    """A config as the release holds it, run or not: how many rows, the tokens of the shortest prompt, complexities."""

    task: str
    variant: str
    bucket: str
    rows: int
    tokens: int = 0
    complexities: tuple[int, ...] = ()

    @property
    def config(self) -> str:
        """Task, variant if there is one, bucket."""
        return "_".join(filter(None, (self.task, self.variant, self.bucket)))

    def stand_ins(self) -> list[RowScore]:
        """Rows that stand for the config where it was not run: one a complexity, of the shortest prompt, scored NaN."""
        return [
            RowScore(
                id=f"not run/{self.config}/{complexity}",
                score=math.nan,
                reason="not run",
                task=self.task,
                variant=self.variant,
                bucket=self.bucket,
                tokens=self.tokens,
                complexity=complexity,
            )
            for complexity in self.complexities or (0,)
        ]

    def to_json(self) -> dict[str, Any]:
        """Return the config as JSON-able data."""
        table = {name: getattr(self, name) for name in ("task", "variant", "bucket", "rows", "tokens")}
        return table | {"complexities": list(self.complexities)}


def held_configs(rows: Iterable[RowScore]) -> tuple[HeldConfig, ...]:
    """The configs of these rows, as if the release held no other rows, by their names."""
    configs: dict[str, list[RowScore]] = {}
    for row in rows:
        configs.setdefault(row.config, []).append(row)
    return tuple(
        HeldConfig(
            own[0].task,
            own[0].variant,
            own[0].bucket,
            len(own),
            min(row.tokens for row in own),
            tuple(sorted({row.complexity for row in own})[:MAX_COMPLEXITIES]),
        )
        for _, own in sorted(configs.items())
    )


def bucket_tokens(bucket: str) -> int:
    """Return the size of a bucket, for its rank, with k = 1,024 (32k is 32,768); 0 for any other word."""
    match = _BUCKET.fullmatch(bucket)
    return int(match[1]) * (1 << 10 if match[2] == "k" else 1 << 20) if match else 0


def mean(values: Iterable[float]) -> float:
    """Return the mean of at least one value by an exact sum, independent of their order."""
    kept = list(values)
    return math.fsum(kept) / len(kept)


class ResultError(ValueError):
    """A file that is not a result file; the message says where, got and expected."""


@dataclass(frozen=True, slots=True)
class Result:
    """The scores of one model over the rows of one release that were run, in the order of ids.

    `held` are the configs of the release, run or not; `root` is the release's, "" where the file is too old to say.
    """

    model: str
    release: str
    stream: str
    rows: tuple[RowScore, ...]
    held: tuple[HeldConfig, ...] = ()
    root: str = ""
    unverified: bool = False


def is_model(name: str) -> bool:
    """Tell whether a name of a model is valid: 1 to 80 printable characters, with single spaces only."""
    return 0 < len(name) <= MAX_MODEL and name.isprintable() and name == " ".join(name.split())


def read_result(path: Path | str) -> Result:
    """Read a result file. Raises ResultError for any other content and OSError if it cannot be opened.

    At most 256 MiB and a million rows are read; a file takes about ten times its size in memory.
    """
    path = Path(path)
    table = _load(path)
    if not isinstance(table, dict) or table.get("format") != FORMAT:
        raise ResultError(f"{path.name}: got another format than {FORMAT!r}, expected a result file; {_AGAIN}")
    if (version := table.get("version")) not in range(1, VERSION + 1) or type(version) is not int:
        raise ResultError(f"{path.name}: got version {_shown(version)}, expected 1 to {VERSION}; {_AGAIN}")
    table = table if version > 3 else table | {"root": "", "unverified": False}
    for key, (fits, expected) in _TOP.items():
        if not fits(table.get(key)):
            raise ResultError(f"{path.name}: got {key} = {_shown(table.get(key))}, expected {expected}; {_AGAIN}")
    rows = [_row(f"{path.name}, row {number}", row) for number, row in enumerate(table["scores"], start=1)]
    if len({row.id for row in rows}) != len(rows):
        raise ResultError(f"{path.name}: got a row id twice, expected every id once; {_AGAIN}")
    rows.sort(key=lambda row: row.id)
    if version == 1:
        held = held_configs(rows)
        run = {row.config for row in rows if row.score is not None or row.reason != NO_LINE}
        rows = [row for row in rows if row.config in run]
    else:
        held = _held(path.name, table.get("release_configs"))
    if not rows:
        raise ResultError(f"{path.name}: got no row that was run, expected some; {_AGAIN}")
    told = table["root"], table["unverified"]
    return Result(table["model"], table["release"], table["stream"], tuple(rows), held, *told)


def _load(path: Path) -> Any:
    with path.open("rb") as stream:
        # The size of a pipe or a device says nothing, so the read is bounded too.
        size = os.fstat(stream.fileno()).st_size
        if size > MAX_BYTES or len(raw := stream.read(MAX_BYTES + 1)) > MAX_BYTES:
            raise ResultError(f"{path.name}: got {size:,} bytes or more, expected at most {MAX_BYTES:,}")
    try:
        return strict_json(raw)
    except ValueError as error:
        raise ResultError(f"{path.name}: got invalid JSON ({_shown(str(error))}); {_AGAIN}") from None


def _held(name: str, configs: Any) -> tuple[HeldConfig, ...]:
    if not isinstance(configs, list) or len(configs) > MAX_CONFIGS:
        expected = f"expected a list of at most {MAX_CONFIGS:,}; {_AGAIN}"
        raise ResultError(f"{name}: got release_configs = {_shown(configs)}, {expected}")
    held = []
    for number, table in enumerate(configs, start=1):
        for key, (fits, expected) in _HELD.items():
            value = table.get(key) if isinstance(table, dict) else table
            if not fits(value):
                where = f"{name}, config {number}"
                raise ResultError(f"{where}: got {key} = {_shown(value)}, expected {expected}; {_AGAIN}")
        kept = {key: table[key] for key in _HELD}
        held.append(HeldConfig(**kept | {"complexities": tuple(kept["complexities"])}))
    return tuple(held)


def _row(where: str, row: Any) -> RowScore:
    if not isinstance(row, dict):
        raise ResultError(f"{where}: got {_shown(row)}, expected a table; {_AGAIN}")
    for key, (fits, expected) in _ROW.items():
        if key not in row and key in COLUMNS:
            raise ResultError(f"{where}: got no {key}, expected {expected}; {_AGAIN}")
        if key in row and not fits(row[key]):
            raise ResultError(f"{where}: got {key} = {_shown(row[key])}, expected {expected}; {_AGAIN}")
    kept = {key: row[key] for key in _ROW if key in row}
    kept["depths"] = tuple(float(depth) for depth in kept["depths"])
    kept["chance"] = tuple(float(chance) for chance in kept.get("chance", ()))
    for key in ("samples", "cut", "thinking"):
        kept[key] = tuple(kept.get(key, ()))
    if samples := kept["samples"]:
        # A score that says otherwise would contradict them.
        known = any(value is not None for value in samples)
        kept["score"] = mean([value or 0.0 for value in samples]) if known else None
    for key in ("numbers", "classes"):
        kept[key] = {name: kept[key][name] for name in sorted(kept.get(key, {}))}
    return RowScore(**kept)


def _shown(value: Any) -> str:
    text = ascii(value if not isinstance(value, (dict, list)) else type(value).__name__)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _is_text(value: Any, most: int) -> bool:
    return isinstance(value, str) and len(value) <= most and not any("\ud800" <= part <= "\udfff" for part in value)


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < 1 << 31


def _is_share(value: Any) -> bool:
    return is_number(value) and 0 <= value <= 1


def _is_shares(value: Any, most: int) -> bool:
    return isinstance(value, list) and len(value) <= most and all(map(_is_share, value))


def _is_table(value: Any, most: int, key: Callable[[str], bool], fits: Callable[[Any], bool]) -> bool:
    return isinstance(value, dict) and len(value) <= most and all(map(key, value)) and all(map(fits, value.values()))


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and bool(_WORD.fullmatch(value))


_COUNT: Final[FormRule] = (_is_count, "a whole number")
_TOP: Final[Mapping[str, FormRule]] = {
    "model": (lambda value: isinstance(value, str) and is_model(value), f"1 to {MAX_MODEL} printable characters"),
    "release": (lambda value: isinstance(value, str) and bool(_RELEASE.fullmatch(value)), "name@version"),
    "stream": (lambda value: _is_text(value, 20_000), "a text of at most 20,000 characters"),
    "root": (lambda value: isinstance(value, str) and bool(_ROOT.fullmatch(value)), "64 hexadecimal digits, or none"),
    "unverified": (lambda value: isinstance(value, bool), "true or false"),
    "scores": (lambda value: isinstance(value, list) and 0 < len(value) <= MAX_ROWS, f"a list of 1 to {MAX_ROWS} rows"),
}
_ROW: Final[Mapping[str, FormRule]] = {
    "id": (lambda value: _is_text(value, 400) and value != "", "a text of 1 to 400 characters"),
    "score": (lambda value: value is None or _is_share(value), "a number in [0, 1] or null"),
    "reported": (_is_share, "a number in [0, 1]"),
    **dict.fromkeys(
        ("item", "group", "context"), (lambda value: _is_text(value, 400), "a text of at most 400 characters")
    ),
    "reason": (lambda value: isinstance(value, str) and len(value) <= MAX_REASON, f"a text of at most {MAX_REASON}"),
    # The name of a metric may hold the folder of a model.
    "metric": (lambda value: _is_text(value, 400), "the name of a metric"),
    "task": (_is_word, "the name of a task"),
    "variant": (lambda value: value == "" or _is_word(value), "the name of a variant, or nothing"),
    "bucket": (lambda value: isinstance(value, str) and bucket_tokens(value) > 0, "a bucket such as 32k or 1M"),
    **dict.fromkeys(("tokens", "max_output_tokens", "complexity"), _COUNT),
    "depths": (lambda value: _is_shares(value, MAX_DEPTHS), f"a list of at most {MAX_DEPTHS} numbers in [0, 1]"),
    "numbers": (
        lambda value: _is_table(value, MAX_NUMBERS, lambda name: bool(FIELD.fullmatch(name)), is_number),
        f"a table of at most {MAX_NUMBERS} numbers",
    ),
    "chance": (lambda value: _is_shares(value, MAX_CHANCE), f"a list of at most {MAX_CHANCE} numbers in [0, 1]"),
    "classes": (
        lambda value: _is_table(value, MAX_CLASSES, lambda name: 0 < len(name) <= 100, _is_share),
        f"a table of at most {MAX_CLASSES} numbers in [0, 1]",
    ),
    **dict.fromkeys(
        ("cut", "thinking"),
        (
            lambda value: isinstance(value, list) and len(value) <= MAX_SAMPLES and all(map(_is_count, value)),
            f"a list of at most {MAX_SAMPLES:,} whole numbers",
        ),
    ),
    "samples": (
        lambda value: _is_shares([one or 0 for one in value] if isinstance(value, list) else None, MAX_SAMPLES),
        f"a list of at most {MAX_SAMPLES:,} numbers in [0, 1] or null",
    ),
}
_HELD: Final[Mapping[str, FormRule]] = {
    **{key: _ROW[key] for key in ("task", "variant", "bucket", "tokens")},
    "rows": _COUNT,
    "complexities": (
        lambda value: isinstance(value, list) and len(value) <= MAX_COMPLEXITIES and all(map(_is_count, value)),
        f"a list of at most {MAX_COMPLEXITIES:,} whole numbers",
    ),
}
