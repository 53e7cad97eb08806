"""The passage of sentence_arrangement and the wording around it: different sentences of one document, as many as fit.

Item i takes document i of the source's documents in a keyed order. If that document is too short for the row, the item
takes a long enough one from the end of the order: the first such item takes the last document, and so on. So an item
keeps its document in every row for which it is long enough, and items share one only if long documents run out.

In a real document, a sentence with the words of an earlier one (letters and digits, in any case) is left out, and so is
a line that does not end like a sentence: a heading, a caption, an entry of a list.
Must not change: which sentences a passage has, and the wording.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from carrara.context import fill
from carrara.errors import BudgetError, SourceError
from carrara.stream import Permutation, Stream
from carrara.tables import Lang, Tables
from carrara.task import Budget, Key
from carrara.world.documents.article import EPISODE, LOOSE

_FIRST = 256
_WORDS = re.compile(r"\w+")
_ENDED = re.compile(r"[.?!…。！？．][\"'”’」』）)\]]{0,4}\Z")
SentenceOrder = Literal["text", "verbatim"]
ORDERS: Final[dict[Lang, dict[SentenceOrder, str]]] = {
    "en": {
        "text": "in the order in which they stood in the text",
        "verbatim": "in exactly the order in which they stand here",
    },
    "zh": {
        "text": "按照它们在原文中的先后次序",
        "verbatim": "完全按照它们在这里的先后次序",
    },
}
HEAD: Final[dict[Lang, str]] = {
    "en": (
        "Below are sentences of one text, each on a line of its own, in mixed order. Write all of them again, {order}. "
        "Leave no sentence out, add none and change none.\n\n[The sentences begin]\n"
    ),
    "zh": (
        "下面是同一篇文章中的一些句子，每句一行，次序已经打乱。请把它们全部重新写出来，{order}。"
        "不要遗漏、增添或改动任何一句。\n\n【句子开始】\n"
    ),
}
TAIL: Final[dict[Lang, str]] = {
    "en": (
        "[The sentences end]\n\nNow write the sentences {order}, each on a line of its own, with nothing else before, "
        "between or after them.\n"
    ),
    "zh": "【句子结束】\n\n现在请写出这些句子，{order}，每句一行，前后和中间都不要写别的内容。\n",
}
ANSWER_PREFIX: Final[dict[Lang, str]] = {"en": "Answer:\n", "zh": "答案：\n"}


@dataclass(frozen=True, slots=True)
class SentencePassage:
    """Sentences in the order of their document; `numbers`: their positions in it; `tokens`: the cost of their lines."""

    document: str
    sentences: tuple[str, ...]
    numbers: NDArray[np.int64]
    tokens: int


class SentenceSupply:
    """The sentences of one document, read on demand, and the cost of each one's line."""

    def __init__(self, tables: Tables, lang: Lang, kind: str, number: int, budget: Budget) -> None:
        self._tables, self._lang, self._kind, self._number, self._budget = tables, lang, kind, number, budget
        self.document = ""
        self._read = 0
        self._whole = False
        self._seen: set[str] = set()
        self._texts: list[str] = []
        self._costs: NDArray[np.int64] = np.empty(0, dtype=np.int64)

    def reach(self, count: int) -> bool:
        """Read at least `count` sentences; False if the document has fewer."""
        while len(self._texts) < count and not self._whole:
            self._more(max(count, self._read + count - len(self._texts)))
        return len(self._texts) >= count

    def reach_tokens(self, wanted: int) -> bool:
        """Read sentences until their lines cost `wanted` tokens and a reserve; False if there are too few."""
        self.reach(_FIRST)
        while (have := self._spent()) < wanted + 8 * (mean := have // max(1, len(self._texts)) + 1) and not self._whole:
            self.reach(len(self._texts) + (wanted - have) // mean * 102 // 100 + 16)
        return have >= wanted

    def first(self, count: int) -> SentencePassage:
        """The first `count` sentences, or all if there are fewer."""
        self.reach(count)
        self._spent()
        return self._passage(list(range(min(count, len(self._texts)))))

    def filling(self, wanted: int) -> SentencePassage:
        """The first sentences except a few of the last, whose lines cost `wanted` tokens or the nearest sum below."""
        self.reach_tokens(wanted)
        return self._passage(fill(self._costs, wanted, self._droppable()).kept)

    def _passage(self, kept: list[int]) -> SentencePassage:
        numbers = np.array(kept, dtype=np.int64)
        texts = tuple(self._texts[number] for number in kept)
        return SentencePassage(self.document, texts, numbers, int(self._costs[numbers].sum()))

    def _droppable(self) -> NDArray[np.bool_]:
        if self._kind != "article":
            return np.ones(len(self._texts), dtype=np.bool_)
        return np.array([number % EPISODE in LOOSE for number in range(len(self._texts))], dtype=np.bool_)

    def _spent(self) -> int:
        """Tokens of the lines of all sentences read."""
        fresh = [f"{text}\n" for text in self._texts[len(self._costs) :]]
        if fresh:
            self._costs = np.append(self._costs, self._budget.count_many(fresh).astype(np.int64))
        return int(self._costs.sum())

    def _more(self, size: int) -> None:
        document = self._tables.document(self._lang, self._kind, self._number, size)
        self.document = document.id
        spans = document.sentences
        self._whole = len(spans) < size
        for start, end in spans[self._read :]:
            text = document.text[start:end]
            # The sentences of a world article are whole and all different; the audit proves it.
            if self._kind == "article" or self._is_new(text):
                self._texts.append(text)
        self._read = len(spans)

    def _is_new(self, text: str) -> bool:
        words = " ".join(_WORDS.findall(text.casefold())).replace("_", "")
        if not words.strip() or words in self._seen or not _ENDED.search(text):
            return False
        self._seen.add(words)
        return True


def chosen(
    tables: Tables,
    lang: Lang,
    kind: str,
    item: int,
    order: Key,
    repeat: bool,
    budget: Budget,
    enough: Callable[[SentenceSupply], bool],
    wanted: str,
) -> SentenceSupply:
    """The document of an item: its own, or one from the end of the order if its own is not long `enough`.

    `wanted`: what a document should have, for the error message. Raises BudgetError if no document is left, SourceError
    if the source has no documents of this kind.
    """
    try:
        count = tables.document_count(lang, kind)
    except ValueError as error:
        raise SourceError(f"the world's tables have no such documents: {error}", "take the variant world") from error
    if item >= count and not repeat:
        raise BudgetError(
            f"item {item} needs a document of its own, the source has {count}",
            "ask for fewer questions, or set repeat = true",
        )
    documents = Permutation(Stream(*order), count)

    def supply(position: int) -> SentenceSupply:
        return SentenceSupply(tables, lang, kind, documents[position], budget)

    position = item % count
    if enough(own := supply(position)):
        return own
    rank = sum(not enough(supply(before)) for before in range(position))
    for last in range(count - 1, position, -1):
        if enough(other := supply(last)):
            if not rank:
                return other
            rank -= 1
    raise BudgetError(
        f"too few of the source's {count} documents have {wanted} for item {item}",
        "use a smaller bucket, fewer sentences, fewer questions, or a source of longer documents",
    )


def shuffled(passage: SentencePassage, order: Key) -> Sequence[str]:
    """The sentences sorted by a key per sentence of the document."""
    size = int(passage.numbers[-1]) + 1 if len(passage.numbers) else 0
    keys = Stream(*order).words(0, size)[passage.numbers]
    return [passage.sentences[index] for index in np.argsort(keys, kind="stable").tolist()]
