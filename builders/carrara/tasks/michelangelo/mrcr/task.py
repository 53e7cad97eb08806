"""MRCR: repeat a piece of a long conversation, named by key and ordinal (Michelangelo, arXiv:2409.12640, section 2.2).

A user asks for pieces of writing (format, topic, sometimes style), and a model writes them. The last turn gives a
string to begin with and asks for the k-th of the n pieces of one key. The gold is the string followed by that piece.

Differs from the paper: wording and pieces are ours. There are 1, 2, 4 or 8 needles. Every item has a conversation of
its own, and no two items share a number of a piece. Ordinals are balanced over the items; for each ordinal the asked
piece's depths are even, with the other needles spread before and after it. The prompt is filled exactly to its length.

A bank of pieces must keep these rules, which `audit` proves row by row. A request is one line; it names format, topic
and style of its key as whole words, and never those of another key with the same format or topic. No line of a piece
begins with "User:". No two pieces of a key are more alike than ALIKE. A format has no " about ", a style no " in ".
Must not change: the key, numbers and depths of an item, and filler unit j: they depend only on stream and item number.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

import numpy as np
from rapidfuzz.distance import Indel

from carrara.context import Assembly, corrected, fill
from carrara.errors import BudgetError, SourceError
from carrara.scoring.metrics.mrcr import likeness
from carrara.stream import Stream
from carrara.tables import PieceKey, Pieces
from carrara.task import Budget, Draft, Finding, Inputs, Item, Key, Slot, Task, Variant
from carrara.tasks.michelangelo.mrcr.filler import GROUPS, FillerTurn, PricedTurns, TurnDeal, group_keys, write_turn
from carrara.tasks.michelangelo.mrcr.frame import (
    Remarks,
    draw_string,
    spare_remarks,
    usable_remarks,
    write_head,
    write_question,
)
from carrara.tasks.michelangelo.mrcr.prompt import (
    ABOUT,
    ANSWER_PREFIX,
    CONVERSATION,
    IN,
    INTRODUCTION,
    MODEL,
    ORDINALS,
    QUESTION,
)
from carrara.tasks.michelangelo.mrcr.solver import Conversation, answer, guesses, matching, names_key, read_conversation

NEEDLES: Final = {"1needle": 1, "2needle": 2, "4needle": 4, "8needle": 8}
# Similarity of two needles: 1 - (insertions + deletions) / (sum of the lengths), an upper bound of difflib's ratio.
# The world's pieces of one key: 0.49 on average, at most 0.79 in 210,000 pairs.
ALIKE: Final = 0.9
_OUTPUT: Final = 64
# Prose of the world that shares no key is alike by 0.19 on average.
_FLOOR: Final = 0.25
# Numbers of a key reserved for one item; a prime, so that items step through a bank of any size.
_NUMBERS: Final = 65_537
# Tokens left to remarks if turns alone do not add up.
_SPARE: Final = (0, 12, 18, 24, 30, 36, 48, 60, 80, 100, 130, 160)
# If no remarks fit either (short prompts with many needles), up to so many first units are skipped to try others.
_SKIPPED: Final = 32
_PARTS: Final = ("format", "topic", "style")


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: how many parts of filler share format, topic, both (not style) or neither with the key.

    If the asked key has no style, no filler shares both, and the other parts stay as they are.
    """

    mix: tuple[int, int, int, int] = (3, 3, 1, 3)

    def __post_init__(self) -> None:
        if min(self.mix) < 0 or not 0 < sum(self.mix) <= 1_000 or not sum(self.mix) - self.mix[2]:
            raise ValueError(f"mix = {list(self.mix)}: expected four parts of 0 or more for {', '.join(GROUPS)}")


@dataclass(frozen=True, slots=True)
class Plan:
    """The asked key, the numbers of its pieces in order, the ordinal asked for (from 1), and the depths in the filler.

    `depths`: the share of the filler before each piece. `first`: the item's first number of every key.
    """

    asked: PieceKey
    numbers: tuple[int, ...]
    ordinal: int
    depths: tuple[float, ...]
    string: str
    first: int
    mix: tuple[int, int, int, int]
    stream: Key


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's key, ordinal and depths, from the bank's keys and counts alone, without its texts.

    Raises SourceError if no key has enough pieces.
    """
    count = NEEDLES[item.variant]
    own = stream.child(item.index)
    bank = inputs.tables.pieces()
    asked = _draw_key(stream, item.index, bank, count)
    first = (len(NEEDLES) * item.index + list(NEEDLES).index(item.variant)) * _NUMBERS
    ordinal = stream.child("ordinal").balanced(range(1, count + 1), item.index)
    # Each ordinal has an even sequence of its own. Those of one block are a step apart, so that all together are even.
    depth = (stream.child("depth").even(item.index // count) + (ordinal - 1) / count) % 1
    return Plan(
        asked=asked,
        numbers=tuple((first + index) % bank.count(asked) for index in range(count)),
        ordinal=ordinal,
        depths=_depths(own.child("depths"), depth, ordinal, count),
        string=draw_string(own.child("string")),
        first=first,
        mix=params.mix,
        stream=own.key,
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The conversation, filled with turns of other keys to the slot's length.

    Raises BudgetError if the fixed text does not fit, or the bank has too few pieces for the length.
    """
    stream, bank = Stream(*plan.stream), inputs.tables.pieces()
    needles = [FillerTurn(bank.request(plan.asked, number), bank.piece(plan.asked, number)) for number in plan.numbers]
    gold = plan.string + needles[plan.ordinal - 1].piece
    several = len(needles) > 1
    head = write_head(stream.child("head"), plan.asked, several)
    tail = write_question(plan.string, plan.asked, plan.ordinal if several else 0)
    output = budget.count(gold) + _OUTPUT
    wanted = slot.length - output
    fixed = sum(int(cost) for cost in budget.count_many([head, tail, *map(write_turn, needles)]))
    deal = TurnDeal(stream.child("filler"), bank, group_keys(plan.asked, bank.keys()), plan.mix, plan.first)
    units = PricedTurns(deal, bank, budget)
    remarks = usable_remarks(stream.child("remarks"), plan.asked, budget)

    def lay_out(aim: int) -> Assembly:
        if aim < 0:
            raise BudgetError(
                f"examples, {len(needles)} pieces of the asked key and the question take {fixed} tokens; "
                f"the prompt has {wanted}",
                "use a larger bucket or fewer needles",
            )
        return _lay_out(head, tail, needles, plan.depths, units, remarks, aim)

    laid = corrected(lay_out, wanted - fixed, wanted, budget)
    return Draft(
        prompt=laid.prompt,
        answers=(gold,),
        complexity=len(needles),
        max_output_tokens=output,
        depths=laid.depths,
        evidence=laid.spans,
        facts={
            "key": {"format": plan.asked.format, "topic": plan.asked.topic, "style": plan.asked.style},
            "needles": len(needles),
            "ordinal": plan.ordinal,
            "string": plan.string,
            "floor": _floor([needle.piece for needle in needles], plan.ordinal),
        },
    )


def solve(prompt: str) -> tuple[str, ...]:
    """The string and the piece asked for; () if the layout is not this task's, or the request names no single piece."""
    response = answer(prompt)
    return () if response is None else (response,)


def audit(draft: Draft) -> Iterator[Finding]:
    """Check the pieces of the asked key (number, spans, each once, unlike the others), the question and the gold."""
    facts, prompt = draft.facts, draft.prompt
    string, gold = facts["string"], draft.answers[0] if draft.answers else ""
    if (read := read_conversation(prompt)) is None:
        yield Finding("layout", "the prompt is not two examples, a conversation of whole turns, and its question")
        return
    asked = read.request
    recorded = (facts["ordinal"] if facts["needles"] > 1 else 0, *(facts["key"][part] for part in _PARTS), string)
    if recorded != (shown := (asked.ordinal, asked.format, asked.topic, asked.style, asked.string)):
        yield Finding("question", f"it asks for {shown}, recorded {recorded}")
    turns = list(matching(read))
    if not len(turns) == facts["needles"] == draft.complexity == len(draft.evidence) == len(draft.depths):
        yield Finding(
            "needles",
            f"{len(turns)} turns ask for the key, recorded {facts['needles']}, complexity {draft.complexity}, "
            f"{len(draft.evidence)} spans, {len(draft.depths)} depths",
        )
        return
    if [(turn.start, turn.end) for turn in turns] != list(draft.evidence):
        yield Finding("evidence", f"the pieces stand at {[(turn.start, turn.end) for turn in turns]}, not as recorded")
    pieces = [prompt[turn.start : turn.end] for turn in turns]
    if not 1 <= facts["ordinal"] <= len(pieces) or string + pieces[facts["ordinal"] - 1] != gold:
        yield Finding("gold", f"it is not the string and piece {facts['ordinal']}")
    elif (floor := _floor(pieces, facts["ordinal"])) != facts["floor"]:
        yield Finding("floor", f"another piece is alike by {floor}, recorded {facts['floor']}")
    for (first, text), (two, other) in combinations(enumerate(pieces, 1), 2):
        if (alike := Indel.normalized_similarity(text, other)) > ALIKE:
            yield Finding("alike", f"pieces {first} and {two} by {alike:.2f}; at most {ALIKE}")
    yield from _elsewhere(prompt, read, string, pieces)


def _elsewhere(prompt: str, read: Conversation, string: str, pieces: list[str]) -> Iterator[Finding]:
    """Check that string, needles and other pieces occur once, and that the examples do not name the asked key."""
    if prompt.count(string) != 1:
        yield Finding("string", f"{string} stands {prompt.count(string)} times in the prompt")
    for number, piece in enumerate(pieces, 1):
        if prompt.count(piece) != 1:
            yield Finding("gold elsewhere", f"piece {number} stands {prompt.count(piece)} times in the prompt")
    if twice := len(read.turns) - len({prompt[turn.start : turn.end] for turn in read.turns}):
        yield Finding("repetition", f"{twice} pieces of the conversation came before")
    if names_key(read.request, prompt[: read.start]):
        yield Finding("example", "the examples name the asked key")


def _floor(pieces: Sequence[str], ordinal: int) -> float:
    """What scores 0: how similar the most similar other piece is to the asked one, in [0.25, 1)."""
    asked = pieces[ordinal - 1]
    others = (likeness(other, asked) for number, other in enumerate(pieces, 1) if number != ordinal)
    return round(max([_FLOOR, *others]) + 5e-5, 4)


# --- plan -------------------------------------------------------------------------------------------------------------


def _draw_key(stream: Stream, index: int, bank: Pieces, count: int) -> PieceKey:
    """A key with enough pieces: formats in turn, with and without a style as far as the bank has both."""
    known = bank.keys()
    by_format: dict[str, list[PieceKey]] = {}
    for key in known:
        by_format.setdefault(key.format, []).append(key)
    formats = list(by_format)
    first = formats.index(stream.child("format").balanced(formats, index)) if formats else 0
    styled = stream.child("style").balanced((False, True), index)
    for number in range(len(formats)):
        keys = by_format[formats[(first + number) % len(formats)]]
        usable = [key for key in keys if _askable(key) and bank.count(key) >= count]
        if usable:
            wanted = [key for key in usable if bool(key.style) == styled] or usable
            return stream.child(index, "key").choice(wanted)
    most = max((bank.count(key) for key in known), default=0)
    raise SourceError(
        f"no key of the bank has {count} pieces; the most that one has is {most}",
        "use a variant of fewer needles or a larger bank",
    )


def _askable(key: PieceKey) -> bool:
    """Whether the solver can read the key back from a question that names it."""
    if not key.format or not key.topic or key.format.split(" ")[0] in ORDINALS:
        return False
    named = "\n" not in "".join((key.format, key.topic, key.style)) and ABOUT not in key.format and IN not in key.style
    return named and (bool(key.style) or not (key.topic.endswith(" style") and IN in key.topic))


def _depths(stream: Stream, depth: float, ordinal: int, count: int) -> tuple[float, ...]:
    """The asked piece at `depth`; each piece before it and each after it in one of equal stretches of the rest."""
    before, behind = ordinal - 1, count - ordinal
    draws = [stream.below(1 << 20) / (1 << 20) for _ in range(count - 1)]
    depths = [depth * (index + draws[index]) / before for index in range(before)]
    depths.append(depth)
    depths += [depth + (1 - depth) * (index + draws[before + index]) / behind for index in range(behind)]
    return tuple(round(value, 6) for value in depths)


# --- render -----------------------------------------------------------------------------------------------------------


def _lay_out(
    head: str,
    tail: str,
    needles: Sequence[FillerTurn],
    depths: Sequence[float],
    units: PricedTurns,
    remarks: Remarks,
    room: int,
) -> Assembly:
    """Turns of `room` tokens (less if nothing adds up), each needle at the joint nearest to its depth."""
    kept, said, short = _choose(units, remarks, len(needles), room)
    before = np.concatenate([np.zeros(1, dtype=np.int64), units.costs[kept].cumsum()])
    turns: list[tuple[FillerTurn, bool]] = []
    reached, at = [], 0
    for needle, depth in zip(needles, depths, strict=True):
        joint = int(np.searchsorted(before, depth * int(before[-1])))
        if joint and depth * int(before[-1]) - before[joint - 1] <= before[joint] - depth * int(before[-1]):
            joint -= 1
        turns += [*((units.turns[index], False) for index in kept[at:joint]), (needle, True)]
        reached.append(round(int(before[joint]) / int(before[-1]), 6) if kept else 0.0)
        at = joint
    turns += ((units.turns[index], False) for index in kept[at:])
    parts, spans, length = [head], [], len(head)
    for (turn, is_needle), remark in zip(turns, spare_remarks(said, len(turns)), strict=True):
        text = write_turn(turn, remark)
        if is_needle:
            start = length + text.index(MODEL) + len(MODEL)
            spans.append((start, start + len(turn.piece)))
        parts.append(text)
        length += len(text)
    return Assembly("".join([*parts, tail]), tuple(spans), tuple(reached), room - short, short)


def _choose(units: PricedTurns, remarks: Remarks, needles: int, room: int) -> tuple[list[int], list[str], int]:
    """The units, the remarks (see `spare_remarks`), and the tokens missing from `room`."""
    best: tuple[list[int], list[str], int] = ([], [], room)
    for skipped, spare in product(range(_SKIPPED), _SPARE):
        if not spare and not _reach(units, skipped, room):
            break
        if spare > room:
            continue
        filling = fill(units.costs[skipped:], room - spare)
        kept, left = [skipped + index for index in filling.kept], room - filling.tokens
        # The first turn has no remark.
        said = remarks.fit(left, len(kept) + needles - 1) if left else []
        if said is not None:
            return kept, said, 0
        if left < best[2]:
            best = (kept, [], left)
    return best


def _reach(units: PricedTurns, skipped: int, room: int) -> bool:
    """Whether enough units follow the skipped ones. Raises BudgetError if all units together are too few."""
    units.reach(room + int(units.costs[:skipped].sum()))
    have = int(units.costs.sum())
    if have < room:
        raise BudgetError(
            f"the bank's pieces take {have} tokens besides those of the asked key; {room} are needed: "
            f"{room - have} are missing",
            "use a larger bank or a smaller bucket",
        )
    return have - int(units.costs[:skipped].sum()) >= room


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    return {"introduction": INTRODUCTION, "conversation": CONVERSATION, "request": QUESTION}


TASK = Task(
    name="mrcr",
    benchmark="michelangelo",
    paper="Michelangelo (arXiv:2409.12640), section 2.2",
    asks="Repeat one of several pieces of writing that were given on the same request, told apart by their order.",
    facts={
        "key": "format, topic and style of the piece asked for; a style may be empty",
        "needles": "pieces that were given on the same request",
        "ordinal": "which of them is asked for, from 1",
        "string": "the characters that the response must begin with",
        "floor": "the similarity that scores 0: that of the most similar other piece on the request, at least 0.25",
    },
    metrics=("mrcr", "mrcr/paper", "mrcr/openai", "mrcr/deepmind"),
    sources=("world",),
    # Fixed text, pieces and answer take up to 2,429 tokens with four needles, 3,907 with eight (400 and 500 items).
    variants={
        "1needle": Variant(),
        "2needle": Variant(),
        "4needle": Variant(floor=3_072),
        "8needle": Variant(floor=4_095),
    },
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    guesses=guesses,
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
