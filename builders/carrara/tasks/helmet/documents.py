"""Long documents of a source as items: the document and question of item n, and how much of it a row shows.

A row shows as much of a document's beginning as it has room for, cut at a sentence. By default it never uses a shorter
document: the document's text fills a bucket, never padding. So the items with the longest documents come first: by
classes of length, and inside a class in rounds over its documents in a keyed order, with one question of each document
a round. With `short = "whole"`, as in HELMET's paper, shorter documents are shown whole, and all are one class. Every
bucket takes the first items, so item n does not depend on how many the bucket asks for.

Worked examples come from documents of their own: those that the source sets apart for training, otherwise a keyed few
of the shorter half. Must not change without a major version: the order of the items, which documents are examples,
which sentences are kept.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from carrara.context import Assembly, corrected
from carrara.errors import BudgetError, RecipeError, SourceError
from carrara.stream import Stream
from carrara.tables import Document, DocumentQuestion, Tables
from carrara.task import Budget

# The documents for worked examples if the source sets none apart: an eighth, within these bounds.
_FEWEST: Final = 2
_MOST: Final = 16
_SHARE: Final = 8
# A class spans 9 % of length, so that its documents mostly fill the same buckets. If documents have several questions,
# a class has at least so many documents; otherwise a few long documents would get all the questions.
_SPAN: Final = 1.09
_LEAST: Final = 8
# More characters than a token of prose has.
_CHARACTERS: Final = 6
# Kinds of documents that a source sets apart from its questions.
TRAINING: Final = frozenset(("train", "validation"))
# The numbers of a document's questions; (-1,) if the document itself is the question.
QuestionsOf = Callable[[Document], Sequence[int]]
# (number of the document, number of its question).
QuestionPlace = tuple[int, int]
# What becomes of a document that is shorter than its row.
Short = Literal["refused", "whole"]


@dataclass(frozen=True, slots=True)
class ShownDocument(Assembly):
    """A prompt with the beginning of a document: `spans` of its sentences in the prompt, in code points.

    `next_unit`: tokens of the first sentence that did not fit. A span includes the white space that its sentence owns.
    """

    next_unit: int


def show(
    head: str,
    sentences: Sequence[str],
    tail: str,
    wanted: int,
    budget: Budget,
    costs: NDArray[np.int64] | None = None,
    short: Short = "refused",
) -> ShownDocument:
    """The longest prompt of at most `wanted` tokens: `head`, the first sentences, `tail`.

    Sentences come with the white space that they own: a newline ends one, a space begins one (English); the last one
    shown loses its own at the end, so that `tail` brings what stands before it. `costs`: their tokens, shape (n,),
    where they are counted already. Raises BudgetError for a document that ends before the prompt is full, where `short`
    does not say that it is shown whole.
    """
    if costs is None:
        costs = budget.count_many(list(sentences))
    totals = np.cumsum(costs)
    # A full stop and the newlines behind it are one token of many tokenizers.
    around = budget.count(head) + budget.count("." + tail) - budget.count(".")

    def lay_out(aim: int) -> ShownDocument:
        kept = int(np.searchsorted(totals, aim - around, side="right"))
        if kept == len(sentences) and (short == "refused" or not kept):
            raise BudgetError(
                f"the document has {int(totals[-1]) if kept else 0} tokens; its row has room for {aim - around}",
                "ask for fewer questions in this bucket (the longest documents come first), use a smaller bucket, or "
                'show such documents whole: short = "whole"',
            )
        if not kept:
            raise BudgetError(
                f"no sentence of the document fits: the fixed text takes {around} of {aim} tokens",
                "use a larger bucket, or shots = 0",
            )
        taken = [*sentences[: kept - 1], sentences[kept - 1].rstrip()]
        ends = (len(head) + np.cumsum([len(sentence) for sentence in taken])).tolist()
        text = "".join(taken)
        return ShownDocument(
            prompt=head + text + tail,
            spans=tuple(zip([len(head), *ends[:-1]], ends, strict=True)),
            depths=(),
            filler_tokens=int(totals[kept - 1]),
            short=aim - around - int(totals[kept - 1]),
            next_unit=int(costs[kept]) if kept < len(sentences) else 0,
        )

    shown = corrected(lay_out, wanted, wanted, budget)
    # The whole has fewer tokens than its parts where the last sentence meets the tail; one more would cost these too.
    seams = around + shown.filler_tokens - budget.measure(shown.prompt)
    return replace(shown, next_unit=shown.next_unit + max(0, seams))


@dataclass(frozen=True, slots=True)
class DealtItems:
    """The items of a source in order, and its possible worked examples in a keyed order."""

    items: tuple[QuestionPlace, ...]
    demonstrations: tuple[QuestionPlace, ...]


_DEALT: WeakKeyDictionary[Tables, dict[tuple[object, ...], DealtItems]] = WeakKeyDictionary()


def deal(tables: Tables, stream: Stream, asked: QuestionsOf, short: Short = "refused") -> DealtItems:
    """The items of a source for the variant of this stream; cached as long as the tables live.

    A document without a question is neither item nor example.
    """
    known = _DEALT.setdefault(tables, {})
    if (key := (*stream.key, short)) not in known:
        known[key] = _deal(tables, stream.child("documents"), asked, short)
    return known[key]


def refuse_whole(short: Short) -> None:
    """Refuse `short = "whole"` with RecipeError: for documents of the world, which are never short."""
    if short == "whole":
        raise RecipeError('short = "whole" with documents of the world, which fill every bucket', "leave it out")


def demonstrations(dealt: DealtItems, shots: int, stream: Stream) -> tuple[QuestionPlace, ...]:
    """`shots` worked examples, each from a document of its own. Raises SourceError if there are fewer."""
    firsts: dict[int, QuestionPlace] = {}
    for number in stream.order(len(dealt.demonstrations)).tolist() if shots else ():
        position = dealt.demonstrations[number]
        firsts.setdefault(position[0], position)
    if len(firsts) < shots:
        raise SourceError(
            f"{len(firsts)} documents are set apart for worked examples, expected at least {shots}",
            "take a source with more documents, or set shots = 0",
        )
    return tuple(firsts.values())[:shots]


def unlike(question: DocumentQuestion, others: Sequence[DocumentQuestion]) -> bool:
    """Whether a demonstration gives nothing away of other questions: neither their texts nor answers nor options."""
    held = {text.casefold() for other in others for text in (*other.answers, *other.options, other.text)}
    return not held & {text.casefold() for text in (*question.answers, question.text)}


def units(document: Document, characters: int) -> list[str]:
    """The first sentences with the white space that they own, at least `characters` long (all, if shorter).

    A newline belongs to the sentence before it, a space to the sentence after it, so that tokens add up.
    """
    texts: list[str] = []
    at = 0
    before: tuple[int, int] | None = None
    for span in document.sentences:
        if before is not None:
            texts.append(_unit(document.text, at, before[1], span[0]))
            at += len(texts[-1])
            if at >= characters:
                return texts
        before = span
    if before is not None:
        texts.append(document.text[at : before[1]])
    return texts


def opening(document: Document, tokens: int, budget: Budget) -> tuple[list[str], NDArray[np.int64]]:
    """The first sentences of a document with the tokens of each, more than `tokens` together (all, if shorter)."""
    characters = _CHARACTERS * tokens
    while True:
        sentences = units(document, characters)
        costs = budget.count_many(sentences)
        if int(costs.sum()) > tokens or characters >= len(document.text):
            return sentences, costs
        characters *= 2


def _unit(text: str, start: int, end: int, following: int) -> str:
    """A sentence from `start` with the gap before the `following` one up to the gap's last newline."""
    between = text[end:following]
    return text[start : end + between.rfind("\n") + 1]


def _deal(tables: Tables, stream: Stream, asked: QuestionsOf, short: Short) -> DealtItems:
    count = tables.document_count("en", "")
    sizes, numbers, training = [], [], []
    for number in range(count):
        document = tables.document("en", "", number, 0)
        sizes.append(len(document.text))
        numbers.append(tuple(asked(document)))
        training.append(document.kind in TRAINING)
    used = [number for number in range(count) if numbers[number]]
    keys = {number: stream.child(number).word() for number in used}
    examples = [number for number in used if training[number]] or _examples(used, sizes, keys)
    apart = set(examples)
    rest = sorted((number for number in used if number not in apart), key=lambda number: (-sizes[number], number))
    least = _LEAST if any(len(numbers[number]) > 1 for number in rest) else 1
    return DealtItems(
        items=tuple(
            item
            for few in ([rest] if short == "whole" else _classes(rest, sizes, least))
            for item in _rounds(sorted(few, key=keys.__getitem__), numbers, stream)
        ),
        demonstrations=tuple(_rounds(sorted(examples, key=keys.__getitem__), numbers, stream)),
    )


def _classes(documents: Sequence[int], sizes: Sequence[int], least: int) -> Iterator[list[int]]:
    """Documents, longest first, cut into classes of at least `least`; the last class may have fewer."""
    members: list[int] = []
    for number in documents:
        if len(members) >= least and sizes[members[0]] >= _SPAN * sizes[number]:
            yield members
            members = []
        members.append(number)
    yield members


def _examples(used: Sequence[int], sizes: Sequence[int], keys: dict[int, int]) -> list[int]:
    """A keyed few of the shorter half of the documents; the longer half is for questions."""
    shorter = sorted(used, key=lambda number: (sizes[number], number))[: len(used) // 2]
    count = min(_MOST, max(_FEWEST, len(used) // _SHARE))
    return sorted(shorter, key=keys.__getitem__)[:count]


def _rounds(documents: Sequence[int], numbers: Sequence[Sequence[int]], stream: Stream) -> Iterator[QuestionPlace]:
    """One question of each document, then a second of each that has two, and so on; each document's in keyed order."""
    orders = {
        document: stream.child(document, "questions").order(len(numbers[document])).tolist() for document in documents
    }
    for turn in range(max((len(numbers[document]) for document in documents), default=0)):
        for document in documents:
            if turn < len(numbers[document]):
                yield document, numbers[document][orders[document][turn]]
