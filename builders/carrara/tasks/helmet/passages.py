"""Retrieved passages in a prompt: written as blocks, priced once a process, fitted to the token, with known spans.

The rank decides which passages a prompt has; an arrangement decides their order. A block ends with a blank line, so
that costs add up; a block's number is priced separately, because it depends on the other blocks.

A worked example shows the sentences of a passage that state its fact, otherwise the first ones; a passage without a
clear end of a sentence is kept whole. Names are found in texts word by word, without regard to case, accents and
punctuation. Only planning and rendering use this; solvers find names by other means.

Must not change without a major version: which ranks are kept, what is left out as no passage, how a block ends, where a
sentence ends, what counts as a word.
"""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from carrara.context import Assembly, corrected, fill
from carrara.errors import BudgetError
from carrara.tables import Evidence, Passage
from carrara.task import Budget

_WORD: Final = re.compile(r"[^\W_]+")
_MARKS: Final = re.compile("[\u0300-\u036f]")
# Scripts that are written without spaces: a name may begin and end anywhere in a run of letters.
_UNSPACED: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
WORDS: Final = 45
# After a word of four letters or more, so that neither "St. Louis" nor "U.S. Army" is cut.
_END: Final = re.compile(r"(?<=[\w’'\")\]]{4}[.!?])\s+(?=[\"“(‘]?[A-Z0-9])")
Costs = NDArray[np.int64]
Ranked = Callable[[int], Sequence[Passage]]
Arrange = Callable[[Sequence[Passage], Sequence[Passage]], Sequence[Passage]]
BLANK_LINE: Final = "\n\n"
# Letters and digits below which a passage says nothing.
NEAR_EMPTY: Final = 10
# Passages read beyond the wanted length, in mean costs: `fill` looks four ahead, and as far as _FURTHER.
_RESERVE: Final = 24
# Tokens for each passage in the first reading: chosen so that it is rarely too deep.
_MANY_TOKENS: Final = 256
# Tokens that numbers may save together when earlier passages go: one each, where the count passes 1,000.
_SAVED: Final = 32
# How many of the last ranks may be left out, tried in turn: at 4k (23 ranks) ten suffice in all but a few rows.
_LAST: Final = (10, 12, 16, 24, 32)
# Further ranks to choose from if no choice adds up: one row of 4k in ten needs a few.
_FURTHER: Final = 16
# 100 bytes each.
_PRICES_KEPT: Final = 1 << 18
_PRICES: WeakKeyDictionary[Budget, dict[bytes, int]] = WeakKeyDictionary()


def words(text: str) -> str:
    """The words of a text in lower case without accents, a space before and after each; numbers without commas."""
    text = text.casefold()
    if not text.isascii():
        text = _MARKS.sub("", unicodedata.normalize("NFKD", text))
        text = _UNSPACED.sub(r" \g<0> ", text)
    return f" {' '.join(_WORD.findall(_joined_numbers(text)))} "


def holds(text: str, names: Sequence[str]) -> bool:
    """Whether a text contains one of some names, on word boundaries."""
    return bool(holding([text], [names])[0])


def holding(texts: Sequence[str], groups: Sequence[Sequence[str]]) -> list[list[int]]:
    """For every group of names, the numbers of the texts that contain one of them, ascending.

    A name without a letter or digit is in no text. Linear in the texts, whatever the number of names.
    """
    sought: dict[str, list[tuple[str, int]]] = {}
    for group, names in enumerate(groups):
        for name in {words(name) for name in names} - {"  "}:
            sought.setdefault(name.split(maxsplit=1)[0], []).append((name, group))
    numbers: list[list[int]] = [[] for _ in groups]
    for number, text in enumerate(texts):
        flat = words(text)
        here = {group for first in sought.keys() & set(flat.split()) for name, group in sought[first] if name in flat}
        for group in here:
            numbers[group].append(number)
    return numbers


def _joined_numbers(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3})", "", text) if "," in text else text


def excerpt(passage: Passage, evidence: Sequence[Evidence] = (), names: Sequence[str] = ()) -> Passage:
    """A passage cut to whole sentences of at most `WORDS` words together, but at least one sentence.

    The sentences with this passage's evidence come first, or otherwise the first sentence with one of the names; the
    chosen sentences stay in order.
    """
    spans = _sentences(passage.text)
    wanted = [span for span in evidence if span.passage == passage.id]
    chosen = [
        number
        for number, (start, end) in enumerate(spans)
        if any(span.start < end and span.end > start for span in wanted)
    ]
    if not chosen and names and not holds(passage.title, names):
        chosen = [number for number, (start, end) in enumerate(spans) if holds(passage.text[start:end], names)][:1]
    size = sum(len(passage.text[slice(*spans[number])].split()) for number in chosen)
    for number, (start, end) in enumerate(spans):
        if number not in chosen:
            size += passage.text[start:end].count(" ") + 1
            if chosen and size > WORDS:
                break
            chosen.append(number)
    return replace(passage, text=" ".join(passage.text[slice(*spans[number])] for number in sorted(chosen)))


def _sentences(text: str) -> list[tuple[int, int]]:
    starts = [0, *(match.end() for match in _END.finditer(text))]
    ends = [*(match.start() for match in _END.finditer(text)), len(text)]
    return list(zip(starts, ends, strict=True))


@dataclass(frozen=True, slots=True)
class BlockForm:
    """The form of a block.

    `write` gives a passage's block, which ends with its text and a blank line. `label` gives the text before it, which
    depends only on the passage (an id); `number` gives the text before that, from the passage's index. Each ends with a
    newline, or the next part begins with a space, so that tokens add up.
    """

    write: Callable[[Passage], str]
    label: Callable[[Passage], str] | None = None
    number: Callable[[int], str] | None = None


@dataclass(frozen=True, slots=True)
class PassageListing(Assembly):
    """A finished prompt with its passages.

    `passages` in the order in which they stand; of each, `spans` is where its text stands, `blocks` where its block
    without the blank line (both in code points), `depths` the tokens before it / tokens of all passages
    (`filler_tokens`). `body`: from the first block to the blank line behind the last.
    """

    passages: tuple[Passage, ...]
    blocks: tuple[tuple[int, int], ...]
    body: tuple[int, int]

    @property
    def place(self) -> dict[str, int]:
        """The index of each passage, from 0, by its id."""
        return {passage.id: index for index, passage in enumerate(self.passages)}


def prices(texts: Sequence[str], budget: Budget) -> Costs:
    """Tokens of each text: shape (n,). Counts are cached for the process, by budget."""
    known = _PRICES.setdefault(budget, {})
    keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
    if len(known) + len(keys) > _PRICES_KEPT:
        known.clear()
    new = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if new:
        known.update(zip(new, budget.count_many(list(new.values())).tolist(), strict=True))
    return np.fromiter((known[key] for key in keys), dtype=np.int64, count=len(keys))


def is_sound(passage: Passage) -> bool:
    """Whether a passage can stand in a prompt: neither nearly empty nor damaged, and text and title one line each."""
    letters = sum(map(str.isalnum, passage.text[: 8 * NEAR_EMPTY]))
    if letters < NEAR_EMPTY and sum(map(str.isalnum, passage.text)) < NEAR_EMPTY:
        return False
    return not any(mark in text for text in (passage.title, passage.text) for mark in ("�", "\n", "\r"))


@dataclass(slots=True)
class PassageSupply:
    """The passages of a run, best first, read and priced as deep as a length needs.

    Left out are passages of `without` (ids), unsound ones, and exact copies of better ones. Those of `kept` (ids) are
    not among the few that an exact fit leaves out.
    """

    ranked: Ranked
    form: BlockForm
    budget: Budget
    without: Collection[str] = ()
    kept: Collection[str] = ()
    passages: list[Passage] = field(default_factory=list)
    # Tokens of each passage's block with its label, without its number: shape (n,).
    costs: Costs = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    _depth: int = 0
    _said: set[tuple[str, str]] = field(default_factory=set)

    def reach(self, tokens: int) -> None:
        """Read until the passages cost `tokens` and a reserve, so that the depth of reading never changes what is kept.

        At the end of the run, `tokens` suffice. Raises BudgetError if the run has less.
        """
        step, ended = max(16, tokens // _MANY_TOKENS), False
        while (missing := tokens + _RESERVE * self._mean - (held := int(self.costs.sum()))) > 0:
            if self._depth and not ended:
                step = missing // self._mean + 1
            try:
                self._read(self._depth + step)
            except BudgetError:
                if step == 1 and held >= tokens:
                    return
                if step == 1:
                    raise
                step, ended = step // 2, True

    @property
    def _mean(self) -> int:
        return int(self.costs.mean()) + 1 if len(self.costs) else _MANY_TOKENS

    def _read(self, depth: int) -> None:
        ranked = self.ranked(depth)
        new = []
        for passage in ranked[self._depth : depth]:
            said = (passage.title, passage.text)
            if passage.id not in self.without and said not in self._said and is_sound(passage):
                new.append(passage)
                self._said.add(said)
        self.passages += new
        self.costs = np.append(self.costs, costs_of(self.form, new, self.budget))
        self._depth = depth


def costs_of(form: BlockForm, passages: Sequence[Passage], budget: Budget) -> Costs:
    """Tokens of each passage's block with its label, without its number: shape (n,)."""
    costs = prices([form.write(passage) for passage in passages], budget)
    return costs + prices([form.label(passage) for passage in passages], budget) if form.label else costs


def fit(
    head: str,
    tail: str,
    supply: PassageSupply,
    placed: Sequence[Passage],
    arrange: Arrange,
    wanted: int,
    budget: Budget,
) -> PassageListing:
    """The prompt of `wanted` tokens: head, the `placed` passages and as many ranks as fill it, tail.

    It takes the first ranks, except for a few of the last that are left out so that costs add up, none of those that
    `supply` has to keep. `arrange(taken,
    placed)` gives all passages in their final order. `head` and every block end with a newline. Raises BudgetError if
    head, tail and placed passages alone are longer, or the run is too short.
    """
    fixed = costs_of(supply.form, placed, budget)
    cost = {passage.id: int(tokens) for passage, tokens in zip(placed, fixed, strict=True)}
    bare = sum(prices([head, tail], budget).tolist()) + sum(cost.values())

    def lay_out(aim: int) -> PassageListing:
        if (room := aim - bare) < 0:
            raise BudgetError(
                f"instruction, demonstrations, question and {len(placed)} placed passages take {bare} tokens; "
                f"the prompt has {aim}",
                "use a larger bucket, or shots = 0",
            )
        supply.reach(room)
        taken, short = _taken(supply, room, len(placed), budget)
        ranks = [supply.passages[rank] for rank in taken]
        cost.update((supply.passages[rank].id, int(supply.costs[rank])) for rank in taken)
        return _write(head, tail, supply.form, arrange(ranks, placed), cost, short, budget)

    return corrected(lay_out, wanted, wanted, budget)


def _taken(supply: PassageSupply, room: int, placed: int, budget: Budget) -> tuple[list[int], int]:
    """The ranks that fill `room` tokens, and the tokens that they leave."""
    # A passage moves up when others before it go: its number then costs less where it loses a digit.
    numbers = _number_costs(supply.form, placed + len(supply.costs), budget)
    first = np.concatenate([np.zeros(1, dtype=np.int64), numbers.cumsum()])
    costs, room = supply.costs + numbers[placed:], room - int(first[placed])
    free = np.array([passage.id not in supply.kept for passage in supply.passages], dtype=np.bool_)
    best: tuple[list[int], int] = ([], room)
    for saved in range(_SAVED if supply.form.number else 1):
        for last in _LAST:
            kept = _filled(costs, free, max(0, room + saved), last)
            tokens = int(supply.costs[kept].sum() + first[placed + len(kept)] - first[placed])
            if tokens == room:
                return kept, 0
            if 0 <= room - tokens < best[1]:
                best = kept, room - tokens
    return best


def _filled(costs: Costs, free: NDArray[np.bool_], room: int, last: int) -> list[int]:
    """The first ranks except a few of the last, with a sum of `room` or the nearest below.

    Only the `last` ranks before the end may be left out, so that the best stay, and of them those that are `free`.
    """
    low = fill(costs, room).stop - last
    filling = fill(costs, room, free & (np.arange(len(costs)) >= low), _FURTHER)
    return filling.kept if filling.tokens <= room else []


def _number_costs(form: BlockForm, count: int, budget: Budget) -> Costs:
    return prices([form.number(index) for index in range(count)], budget) if form.number else np.zeros(count, np.int64)


def _write(
    head: str,
    tail: str,
    form: BlockForm,
    passages: Sequence[Passage],
    cost: dict[str, int],
    short: int,
    budget: Budget,
) -> PassageListing:
    parts, blocks, spans = [head], [], []
    at = len(head)
    for index, passage in enumerate(passages):
        block = (form.number(index) if form.number else "") + (form.label(passage) if form.label else "")
        block += form.write(passage)
        end = at + len(block) - len(BLANK_LINE)
        parts.append(block)
        blocks.append((at, end))
        spans.append((end - len(passage.text), end))
        at = end + len(BLANK_LINE)
    tokens = np.array([cost[passage.id] for passage in passages], dtype=np.int64)
    tokens += _number_costs(form, len(passages), budget)
    total = int(tokens.sum())
    before = np.cumsum(tokens) - tokens
    return PassageListing(
        prompt="".join([*parts, tail]),
        spans=tuple(spans),
        depths=tuple(round(spent / max(1, total), 6) for spent in before.tolist()),
        filler_tokens=total,
        short=short,
        passages=tuple(passages),
        blocks=tuple(blocks),
        body=(len(head), at),
    )
