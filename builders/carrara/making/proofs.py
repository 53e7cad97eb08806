"""Proves rows before they are written, the release as a whole, and the rows of a release that was built before.

Any finding stops a build. The solver gets only the prompt text; wrong answers are scored once per
item. What no single row shows (missing rows, shared golds) is audited from the sidecars.
"""

import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from carrara.making.probes import TRIAL_TOKENS
from carrara.making.sidecar import RowRecord, Sidecar, row_record
from carrara.recipe.recipe import Config, Recipe
from carrara.recipe.wording import unworded_draft
from carrara.release.reader import Release, rows
from carrara.release.schema import shown
from carrara.row import ArrowRow
from carrara.scoring import ALTERNATIVES, METRICS, RowError
from carrara.scoring.facts import facts_of
from carrara.scoring.metrics.short_answers import accepted
from carrara.task import Draft, Finding, Slot, Task
from carrara.tokens import Tokenizer, load_tokenizer

# The output must have room for the gold and 5 % more.
_OUTPUT_MARGIN = 1.05
_FILL = 0.995
_ARTICLE = re.compile(r"^(?:the|an?)\s+", re.IGNORECASE)
_LONG_NAME = 7
# A shorter gold is not cut by a tenth: the rest could still be right.
_CUT_FROM = 10
# How far a depth by tokens may be from one by characters. Measured: 0.006 at 8k and more, 0.03 at 4k of long passages.
_NEAR = 0.05
# A sentence, a passage or an example takes at most so many tokens of a short prompt.
_LONG_UNIT = 600
# Sources that are made here: what cannot stand in them is a fault.
_OURS = ("", "world", "prose")
# Metrics of benchmarks with long random answers: two items with the same gold are a defect, not chance.
_UNSHARED = ("needlebench/", "verbatim/", "order/", "grouping/", "mrcr")


def gold_response(answers: tuple[str, ...], metric: str = "") -> str:
    """The response of a perfect model: the answers, one a line; only the first where the metric accepts any of them."""
    return "\n".join(answers[:1] if metric in ALTERNATIVES else answers)


def gold_responses(release: Release, configs: list[str]) -> dict[str, str | None]:
    """The gold response to every row of some configs, by row id."""
    return {
        row["id"]: gold_response(tuple(row["answers"]), row["metric"])
        for config in configs
        for row in rows(release, config, ["id", "answers", "metric"])
    }


def wrong_responses(
    prompt: str, answers: tuple[str, ...], other: tuple[str, ...] | None, names: Sequence[str] = ()
) -> dict[str, str]:
    """Wrong responses by name: no default metric may give them 1.

    `names`: the accepted names, where the metric accepts any; a response that holds one is not wrong and is left out.
    """
    gold = gold_response(answers[:1] if names else answers)
    wrong = {"empty": "", "prompt echo": prompt}
    if len(gold) >= _CUT_FROM:
        wrong["gold cut by a tenth"] = gold[: len(gold) - max(1, len(gold) // 10)]
    if other is not None and sorted(other) != sorted(answers):
        wrong["gold of another item"] = gold_response(other[:1] if names else other)
    held = tuple(form for name in names for form in _held(name))
    if _letters(wrong.get("gold cut by a tenth", "")) == _letters(gold):
        # Only punctuation was cut off, which a metric may ignore.
        wrong.pop("gold cut by a tenth", None)
    return {
        name: text
        for name, text in wrong.items()
        if text in ("", prompt) or not any(letters in _letters(text) for letters in held)
    }


def _held(name: str) -> Iterator[str]:
    """The letters of a name, and those without its article if long enough to identify it."""
    if letters := _letters(name):
        yield letters
    bare = _letters(_ARTICLE.sub("", name))
    if len(bare) >= _LONG_NAME:
        yield bare


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _wrong(row: ArrowRow, other: tuple[str, ...] | None) -> dict[str, str]:
    names = accepted(row) if row["metric"] in ALTERNATIVES else ()
    return wrong_responses(row["prompt"], tuple(row["answers"]), other, names)


def paper_scores(task: Task[Any, Any], row: ArrowRow, other: tuple[str, ...] | None) -> dict[str, dict[str, float]]:
    """The scores of wrong answers by published scorer (`/paper`, exempt from the proof): by metric, by wrong answer."""
    wrong = _wrong(row, other)
    return {
        metric: {name: round(METRICS[metric](response, row), 4) for name, response in wrong.items()}
        for metric in task.metrics_of(row["variant"])
        if metric.endswith("/paper")
    }


def prove(
    task: Task[Any, Any],
    draft: Draft,
    row: ArrowRow,
    slot: Slot,
    additive: bool,
    count: Callable[[str], int],
    source: str = "",
    unused: int | None = 0,
    is_foreign: bool = False,
) -> Iterator[Finding]:
    """Yield the findings on a row. `source` is the source of its cell, `unused` what `Task.unused` says of its recipe.

    A foreign row was read from a file: RowError is raised where its facts are not those of its task.
    """
    if row["metric"] != (metric := task.metric(slot.item.variant)):
        yield Finding("metric", f"got {_short((str(row['metric']),))}, expected {metric}")
        return
    yield from _length(task, draft, int(row["tokens"]), slot, additive, unused)
    yield from _gold(draft, row, count)
    yield from _evidence(draft)
    findings = _task_findings(task, draft, slot, source)
    yield from _of_foreign_facts(findings) if is_foreign else findings


def _task_findings(task: Task[Any, Any], draft: Draft, slot: Slot, source: str) -> Iterator[Finding]:
    """The findings of the task's own audit and solver."""
    yield from task.audit(draft)
    if task.solve is None or not task.solvable(slot.item.variant, source):
        return
    if (solved := task.solve(draft.prompt)) != draft.answers:
        yield Finding("solver", f"from the prompt {_short(solved)}, recorded {_short(draft.answers)}")


class OtherAnswers:
    """Of the rows of a data file, one after another: the answers of another item, which must not score 1 here."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[str, ...]] = {}

    def of(self, item: int) -> tuple[str, ...] | None:
        """The answers of the item before; None where there is none."""
        others = [known for number, known in self._known.items() if number != item]
        return others[-1] if others else None

    def saw(self, item: int, answers: tuple[str, ...]) -> None:
        """A row of an item has these answers."""
        other = self.of(item)
        self._known = {item - 1: other} if other is not None else {}
        self._known[item] = answers


def wrong_scores(row: ArrowRow, other: tuple[str, ...] | None) -> dict[str, float]:
    """The scores of the wrong answers by the default metric; `other`: the gold of another item."""
    wrong = _wrong(row, other)
    return {name: METRICS[row["metric"]](response, row) for name, response in wrong.items()}


def wrong_findings(metric: str, scores: Mapping[str, float]) -> Iterator[Finding]:
    """Yield a finding for every wrong answer to which the default metric gives 1."""
    for name, value in scores.items():
        if value >= 1:
            yield Finding("wrong answer", f"{name} scores {value} by {metric}")


def _length(
    task: Task[Any, Any], draft: Draft, tokens: int, slot: Slot, additive: bool, unused: int | None
) -> Iterator[Finding]:
    used = tokens + draft.max_output_tokens + (unused or 0)
    if used > slot.length:
        yield Finding("length", f"got {used} tokens with the answer, expected at most {slot.length}")
    if unused is None:
        return
    if task.exact and additive and used != slot.length:
        yield Finding(
            "fill", f"got {used} tokens with the answer, expected exactly {slot.length}: is the filler too short?"
        )
    if used < _FILL * slot.length and used + draft.next_unit <= slot.length:
        yield Finding("fill", f"got {used} tokens with the answer, expected at least {_FILL:.1%} of {slot.length}")


def _gold(draft: Draft, row: ArrowRow, count: Callable[[str], int]) -> Iterator[Finding]:
    if not draft.answers:
        yield Finding("gold", "got no answer, expected one or more")
        return
    for answer in draft.answers:
        if not any(character.isalnum() for character in answer):
            yield Finding("gold", f"{answer!r} normalises to nothing")
    metric = row["metric"]
    golds = draft.answers if metric in ALTERNATIVES else (gold_response(draft.answers),)
    for gold in golds:
        if (value := METRICS[metric](gold, row)) != 1:
            yield Finding("gold", f"the gold {_short((gold,))} scores {value} by {metric}, expected 1")
    if (wanted := _OUTPUT_MARGIN * count(golds[0])) > draft.max_output_tokens:
        yield Finding(
            "output", f"got max_output_tokens {draft.max_output_tokens}, expected at least {wanted:.0f} for the gold"
        )


def _evidence(draft: Draft) -> Iterator[Finding]:
    for start, end in draft.evidence:
        if not 0 <= start < end <= len(draft.prompt):
            yield Finding("evidence", f"span {start}..{end} is not in a prompt of {len(draft.prompt)} characters")
    for depth in draft.depths:
        if not 0 <= depth <= 1:
            yield Finding("evidence", f"depth {depth} is not in [0, 1]")
    yield from _depths(draft)


def _depths(draft: Draft) -> Iterator[Finding]:
    """Each piece of evidence has a depth, or none has; they follow each other, and where the task tells where its body
    stands, each stands about as deep in that as it says: a share of characters, where a depth is one of tokens."""
    if not draft.depths:
        return
    if len(draft.depths) != len(draft.evidence):
        yield Finding("evidence", f"{len(draft.depths)} depths of {len(draft.evidence)} pieces of evidence")
        return
    found = sorted(zip(draft.evidence, draft.depths, strict=True))
    if any(depth > after for (_, depth), (_, after) in pairwise(found)):
        yield Finding("evidence", "depths and evidence do not stand in one order")
    body = draft.facts.get("body")
    if not isinstance(body, list) or len(body) != 2 or not all(type(at) is int for at in body):
        return
    for (first, _), depth in found:
        share = (first - body[0]) / max(1, body[1] - body[0])
        if abs(depth - share) > _NEAR:
            yield Finding("evidence", f"depth {depth} of evidence at {share:.3f} of the text")


def _short(answers: tuple[str, ...]) -> str:
    text = repr(answers)
    return text if len(text) <= 200 else f"{text[:200]}… ({len(text)} characters)"


def audit_release(release: Release, recipe: Recipe, note: Callable[[str], None]) -> tuple[int, list[Finding]]:
    """Prove every row of a built release from its files alone: the number of rows, and the findings."""
    tokenizer = load_tokenizer(recipe.tokenizer)
    findings: list[Finding] = []
    records: dict[str, list[RowRecord]] = {}
    for config in recipe.configs():
        other: tuple[str, ...] | None = None
        kept = records.setdefault(config.name, [])
        for index, row in enumerate(rows(release, config.name)):
            if index == config.rows:
                break
            slot = config.slot(index)
            found = row_findings(config, slot, row, tokenizer)
            try:
                kept.append(row_record(row, slot))
            except ValueError as error:
                found.append(Finding("column", f"the row has no canonical form: {error}"))
            is_scorable = row["metric"] == config.task.metric(slot.item.variant)
            if is_scorable and row["tokens"] <= TRIAL_TOKENS and not any(one.what == "facts" for one in found):
                found += wrong_findings(row["metric"], wrong_scores(row, other))
            findings += [Finding(finding.what, f"{row['id']}: {finding.detail}") for finding in found]
            other = tuple(row["answers"])
        note(f"{config.name}: audited")
    findings += record_findings(recipe.configs(), recipe.buckets, records)
    return sum(map(len, records.values())), findings


def row_findings(config: Config, slot: Slot, row: ArrowRow, tokenizer: Tokenizer) -> list[Finding]:
    """Prove a released row in its slot, from its columns alone."""
    findings: list[Finding] = []
    try:
        findings += _placed(config, slot, row)
        draft = read_back(config, slot, row)
        additive, count = tokenizer.additive, tokenizer.count
        unused = config.task.unused(config.params)
        findings += prove(config.task, draft, row, slot, additive, count, config.source, unused, is_foreign=True)
    except RowError as error:
        return [*findings, Finding("facts", shown(error.message))]
    if (tokens := tokenizer.count(row["prompt"])) != row["tokens"]:
        findings.append(Finding("length", f"{tokens} tokens, recorded {row['tokens']}"))
    return findings


def _placed(config: Config, slot: Slot, row: ArrowRow) -> Iterator[Finding]:
    """What the slot alone says of a row; and what no row may hold."""
    task = config.task
    columns: Mapping[str, object] = row
    for column, expected in (
        ("id", task.row_id(slot)),
        ("item", task.item_id(slot.item)),
        ("task", task.name),
        ("variant", config.variant),
        ("bucket", config.bucket),
        ("group", task.group_id(slot)),
        ("answer_prefix", task.answer_prefix(config.params, config.variant)),
    ):
        if (got := columns[column]) != expected:
            yield Finding("column", f"{column} is {shown(got)}, expected {shown(expected)}")
    facts = facts_of(row)
    for name, settled in task.settled(config.params, slot).items():
        got = facts.get(name.removeprefix("facts.")) if name.startswith("facts.") else columns[name]
        if got != settled or type(got) is not type(settled):
            yield Finding("settled", f"{name} is {shown(got)}, the recipe settles {shown(settled)}")
    if "\ufffd" in row["prompt"] and config.source in _OURS:
        yield Finding("cut character", "the prompt holds U+FFFD, which its source does not")


def _of_foreign_facts(findings: Iterator[Finding]) -> Iterator[Finding]:
    """Pass on the findings of a task's audit and solver over untrusted facts and prompts.

    Raises RowError where they fail. They hold facts against each other and against the prompt, so that a check of types
    beforehand would leave most of what can fail here: no other code of ours runs in here, and the error says where.
    """
    try:
        yield from findings
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(frame.filename).name}:{frame.lineno}"
        raise RowError(f"the task's audit fails on them at {where}: {type(error).__name__} {error}") from error


def read_back(config: Config, slot: Slot, row: ArrowRow) -> Draft:
    """The draft of a row, in its task's own wording. Raises RowError where facts or wording are not of its recipe."""
    facts = facts_of(row)
    draft = Draft(
        prompt=row["prompt"],
        answers=tuple(row["answers"]),
        complexity=row["complexity"],
        max_output_tokens=row["max_output_tokens"],
        choices=tuple(row["choices"]),
        depths=tuple(row["depths"]),
        evidence=tuple((span["start"], span["end"]) for span in row["evidence"]),
        facts=dict(facts),
        # How long the unit was that came next, no row says.
        next_unit=max(_LONG_UNIT, slot.length // 50),
    )
    try:
        return unworded_draft(draft, config.wording) if config.wording else draft
    except ValueError as error:
        raise RowError(f"the prompt is not in the recipe's wording: {error}") from error


def release_audit(recipe: Recipe, sidecars: Mapping[str, Sequence[Sidecar]]) -> list[Finding]:
    """The findings on the whole release: missing, misplaced or duplicate rows, shared golds, unbalanced options."""
    records = {name: [row for file in files for row in file.rows] for name, files in sidecars.items()}
    return record_findings(recipe.configs(), recipe.buckets, records)


def record_findings(
    configs: Sequence[Config], buckets: Mapping[str, int], records: Mapping[str, Sequence[RowRecord]]
) -> list[Finding]:
    """The same by the records of every config's rows, in order."""
    findings: list[Finding] = []
    ids: set[str] = set()
    prompts: dict[str, tuple[str, str, str]] = {}
    if not configs:
        findings.append(Finding("nothing to audit", "the recipe has no config"))
    for name in sorted(set(records) - {config.name for config in configs}):
        findings.append(Finding("unknown config", f"{name} is not in the recipe"))
    for config in configs:
        rows = records.get(config.name, ())
        if len(rows) != config.rows:
            findings.append(Finding("row count", f"{config.name} has {len(rows)} rows, expected {config.rows}"))
        for row in rows:
            if row.id in ids:
                findings.append(Finding("duplicate id", row.id))
            first, item, owner = prompts.setdefault(row.prompt, (row.id, row.item, config.name))
            # Length grids overlap (16k is in those of 32k and of 128k): an item may have one prompt in two buckets.
            if first != row.id and row.id not in ids and (item != row.item or owner == config.name):
                findings.append(Finding("duplicate prompt", f"{row.id} has the prompt of {first}"))
            ids.add(row.id)
        findings += _disorder(config, rows)
        findings += _shared_golds(config, rows)
        findings += _unbalanced(config, rows)
        findings += _too_roomy(config, buckets, rows)
    return findings


def _disorder(config: Config, rows: Sequence[RowRecord]) -> Iterator[Finding]:
    for index, row in enumerate(rows):
        if row.id != (expected := config.task.row_id(config.slot(index))):
            yield Finding("order", f"{config.name}: row {index} is {row.id}, expected {expected}")
            return


def _shared_golds(config: Config, rows: Sequence[RowRecord]) -> Iterator[Finding]:
    # Questions written by people may share an answer.
    task, variant = config.task, config.variant
    if not task.metric(variant).startswith(_UNSHARED) or not task.solvable(variant, config.source):
        return
    owners: dict[str, str] = {}
    for row in rows:
        if row.choices == 0 and (first := owners.setdefault(row.answers, row.item)) != row.item:
            yield Finding("shared gold", f"{row.id} has the answers of {first}")


def _too_roomy(config: Config, buckets: Mapping[str, int], rows: Sequence[RowRecord]) -> Iterator[Finding]:
    """A config of given problem sizes belongs in a small bucket: not where one of half its size holds all its rows."""
    smaller = {size: name for name, size in buckets.items() if 2 * size <= config.bucket_tokens}
    if config.lengths != "given" or not smaller or not rows:
        return
    longest = max(row.tokens + row.max_output_tokens for row in rows)
    if longest <= max(smaller) - (config.bucket_tokens - config.room):
        yield Finding("bucket", f"{config.name}: no row has over {longest} tokens: put it into {smaller[max(smaller)]}")


def _unbalanced(config: Config, rows: Sequence[RowRecord]) -> Iterator[Finding]:
    """In full blocks of as many items as options each option is gold equally often, within 1 + 10 %.

    Blocks count items: the rows of one item may share their gold (permutations) or rotate it. Rows whose gold is not an
    option (-1) and configs with a varying number of options are not checked.
    """
    options = {row.choices for row in rows}
    if len(options) != 1 or 0 in options or not config.task.balanced:
        return
    number = options.pop()
    items = list(dict.fromkeys(row.item for row in rows))
    full = set(items[: len(items) // number * number])
    counts = Counter(row.gold_choice for row in rows if row.item in full and row.gold_choice >= 0)
    if not counts:
        return
    each = [counts[option] for option in range(number)]
    if max(each) - min(each) > 1 + 0.1 * sum(each) / number:
        yield Finding("unbalanced options", f"{config.name}: the gold is option 0, 1, ... in {each} rows")
