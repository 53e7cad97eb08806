"""Makes one row: plan, render, count the prompt's tokens, prove; any finding stops the build."""

import hashlib
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from carrara.errors import BudgetError, CarraraError, ProofError
from carrara.making.inputs import SourceInputs
from carrara.making.probes import TRIAL_TOKENS, probe
from carrara.making.proofs import paper_scores, prove, wrong_findings, wrong_scores
from carrara.making.sidecar import RowProbes, RowRecord, row_record
from carrara.recipe.recipe import Config, Recipe
from carrara.recipe.wording import WordedBudget, worded_draft
from carrara.release.schema import refuse_sealed_stream
from carrara.row import ArrowRow, Row, canonical_json
from carrara.stream import Stream
from carrara.task import Draft, Item, Slot, plan_json, plan_stream
from carrara.tokens import PieceCounts, Tokenizer, load_tokenizer

# Which functions of a task to look at, by what its row is objected to for; `render` lays out all else that is proven,
# and a finding that only the task's own `audit` knows is between the two.
_BLAMED = {
    "solver": ("solve", "render"),
    "metric": ("TASK.metrics",),
    "wrong answer": ("TASK.metrics", "render"),
    "gold": ("plan", "render"),
    **dict.fromkeys(("length", "fill", "output", "evidence"), ("render",)),
}


class TokenBudget:
    """Counts with the recipe's tokenizer; keeps the last measured prompt, so that it is counted once.

    `pieces`: prompts are counted by their pieces, which other prompts may have, too.
    """

    def __init__(self, tokenizer: Tokenizer, pieces: bool = False) -> None:
        self._tokenizer = tokenizer
        self._measured = PieceCounts(tokenizer).count if pieces else tokenizer.count
        self._last: tuple[str, int] | None = None

    def count(self, text: str) -> int:
        """Tokens of a short text."""
        return self._tokenizer.count(text)

    def count_many(self, texts: list[str]) -> NDArray[np.int64]:
        """Tokens of each text."""
        return self._tokenizer.count_many(texts)

    def measure(self, prompt: str) -> int:
        """Tokens of the finished prompt."""
        if self._last is None or self._last[0] is not prompt:
            self._last = (prompt, self._measured(prompt))
        return self._last[1]


@dataclass(frozen=True, slots=True)
class Made:
    """A proven row and its record for the sidecar."""

    row: Row
    record: RowRecord


class RowMaker:
    """Makes the rows of a recipe; one per process, because it holds the tokenizer and the sources."""

    def __init__(self, recipe: Recipe, sources: Path | None, runs: Path | None = None) -> None:
        refuse_sealed_stream(recipe.stream)
        self.recipe = recipe
        self.tokenizer = load_tokenizer(recipe.tokenizer)
        self.budget = TokenBudget(self.tokenizer)
        # Rows of running text share most of its paragraphs. Lines of lists and records repeat too seldom: cutting them
        # took twice the time of encoding them whole.
        self._running = TokenBudget(self.tokenizer, pieces=True)
        self._sources = sources
        self._runs = runs
        self._smallest: dict[tuple[str, str], int] = {}
        for config in recipe.configs():
            key = (config.task.name, config.variant)
            self._smallest[key] = min(config.bucket_tokens, self._smallest.get(key, config.bucket_tokens))
        self.inputs = lru_cache(maxsize=8)(self._inputs)
        self.planned = lru_cache(maxsize=64)(self._planned)
        # A task keeps what its texts cost by the budget that counted them.
        self.worded = lru_cache(maxsize=None)(WordedBudget)

    def _inputs(self, source: str) -> SourceInputs:
        return SourceInputs(source, self.recipe, self._sources, self.tokenizer, self._runs)

    def plan(self, config: Config, item: int) -> Any:
        """The plan of an item: the same in every bucket."""
        return self.planned(_Planning(config), item)[0]

    def plan_digest(self, config: Config, item: int) -> str:
        """The sha256 of an item's plan in canonical JSON."""
        return self.planned(_Planning(config), item)[1]

    def _planned(self, planning: "_Planning", item: int) -> tuple[Any, str]:
        config = planning.config
        task = config.task
        try:
            plan = task.plan(
                config.params,
                Item(task.name, config.variant, item),
                self.inputs(config.source),
                plan_stream(task, self.recipe.stream, config.variant),
            )
            return plan, hashlib.sha256(plan_json(plan).encode()).hexdigest()
        except ValueError as error:
            raise ProofError(f"{task.name} item {item} cannot be planned: {error}") from error

    def make(self, config: Config, slot: Slot, other: tuple[str, ...] | None = None) -> Made:
        """The proven row of a slot. `other`: the answers of another item, which must not score 1 here.

        Wrong answers are scored once per item, in its first row in its smallest bucket; guesses in its first row of
        every bucket.
        """
        task = config.task
        try:
            draft, row = self._render(config, slot)
        except BudgetError as error:
            raise BudgetError(f"{task.row_id(slot)}: {error.message}", error.hint) from error
        table = row.to_arrow()
        additive, count, unused = self.tokenizer.additive, self.budget.count, task.unused(config.params)
        findings = list(prove(task, draft, table, slot, additive, count, config.source, unused))
        paper: dict[str, dict[str, float]] = {}
        probes: RowProbes | None = None
        first = slot.index % (config.rows // config.items) == 0
        if first:
            wrong: dict[str, float] = {}
            if slot.bucket_tokens == self._smallest[task.name, slot.item.variant]:
                trial = self._trial(config, slot, table)
                wrong = wrong_scores(trial, other)
                findings += wrong_findings(row.metric, wrong)
                paper = paper_scores(task, trial, other)
            probes = probe(task, draft, table, Stream("probes", task.item_id(slot.item)), wrong)
        if findings:
            listed = "; ".join(f"{finding.what}: {finding.detail}" for finding in findings[:5])
            blamed = {name for finding in findings for name in _BLAMED.get(finding.what, ("audit", "render"))}
            raise ProofError(
                f"{row.id} is not proven: {listed[:2_000]}",
                f"The task is at fault: see {', '.join(sorted(blamed))} in {task.plan.__module__}. "
                "Is it a task of Carrara? Then please report it.",
            )
        notes = dict(task.notes(draft)) if task.notes else {}
        return Made(row, row_record(table, slot, self.plan_digest(config, slot.item.index), paper, probes, notes))

    def encode_whole(self, row: Row) -> None:
        """Encode a row's prompt whole. Raises RuntimeError where it has not the tokens of its pieces (law 3)."""
        if (tokens := self.tokenizer.count(row.prompt)) != row.tokens:
            raise RuntimeError(f"{row.id} has {tokens} tokens, by its pieces {row.tokens}: {self.tokenizer.joint}")

    def _trial(self, config: Config, slot: Slot, table: ArrowRow) -> ArrowRow:
        """The item in a prompt of at most 32k tokens, on which wrong answers are scored.

        The edit distance of two lists of a megabyte takes a minute and says no more of the item than a short one.
        """
        if slot.length <= TRIAL_TOKENS:
            return table
        try:
            return self._render(config, replace(slot, length=TRIAL_TOKENS))[1].to_arrow()
        except BudgetError:
            return table

    def _render(self, config: Config, slot: Slot) -> tuple[Draft, Row]:
        task = config.task
        plan, inputs, worded = self.plan(config, slot.item.index), self.inputs(config.source), config.wording
        budget = self._running if task.variants[config.variant].haystack else self.budget
        draft = task.render(plan, slot, inputs, self.worded(budget, worded) if worded else budget)
        final = worded_draft(draft, worded) if worded else draft
        row = Row(
            id=task.row_id(slot),
            item=task.item_id(slot.item),
            task=task.name,
            variant=slot.item.variant,
            bucket=slot.bucket,
            tokens=budget.measure(final.prompt),
            max_output_tokens=draft.max_output_tokens,
            metric=task.metric(slot.item.variant),
            answers=draft.answers,
            choices=draft.choices,
            complexity=draft.complexity,
            group=task.group_id(slot),
            depths=draft.depths,
            evidence=final.evidence,
            facts=canonical_json(final.facts),
            answer_prefix=task.answer_prefix(config.params, config.variant),
            prompt=final.prompt,
        )
        return draft, row

    def remake(self, row_id: str) -> ArrowRow:
        """The row that the recipe makes for an id, as Arrow returns it. Raises CarraraError for an unknown id."""
        for config in self.recipe.configs():
            prefix = config.task.row_id(config.slot(0)).rsplit("/", 1)[0] + "/"
            number = row_id.removeprefix(prefix)
            if row_id.startswith(prefix) and number.isdecimal() and int(number) < config.rows:
                return self.make(config, config.slot(int(number))).row.to_arrow()
        raise CarraraError(f"the recipe makes no row {row_id!r}")


@dataclass(frozen=True, slots=True, eq=False)
class _Planning:
    """A config as a cache key of plans, which do not depend on the bucket."""

    config: Config

    def _key(self) -> tuple[str, str, Any, str]:
        return (self.config.task.name, self.config.variant, self.config.params, self.config.source)

    def __hash__(self) -> int:
        return hash(self._key())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Planning) and self._key() == other._key()


def plans_digest(maker: RowMaker, config: Config) -> str:
    """The digest of a config's plans: sha256 over lines `<plan digest>  <item id>`, items in order."""
    digest = hashlib.sha256()
    for item in range(config.items):
        item_id = config.task.item_id(Item(config.task.name, config.variant, item))
        digest.update(f"{maker.plan_digest(config, item)}  {item_id}\n".encode())
    return digest.hexdigest()
