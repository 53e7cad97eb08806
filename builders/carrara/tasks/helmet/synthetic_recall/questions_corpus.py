"""The material of questions among documents: the usable questions of a source, and its passages in order.

A source is read once in a process. The invented world is used realm by realm as far as a row needs: all questions are
about the first realm, so that every row contains it in full, and longer rows continue with the next. Any other source
is a single part. Names are found in passages word by word, ignoring case, accents, apostrophes and a leading article;
longer names also by their letters alone.

Must not change without a major version: which questions are usable, what contains a name, the order of the passages.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import Final

from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.tables import Passage, Question, Tables
from carrara.task import Key
from carrara.tasks.helmet.passages import words
from carrara.tasks.helmet.synthetic_recall.prompt import DOCUMENTS_INTRODUCTION, DOCUMENTS_TAIL
from carrara.world.encyclopedia import ENTITIES_A_REALM, PASSAGES_A_REALM

# A name with fewer letters and digits occurs in too many texts to be an answer.
LEAST_NAME: Final = 3
_DECIDED: Final = frozenset((" yes ", " no ", " noanswer "))
_ARTICLES: Final = (" the ", " a ", " an ")
# After an article a shorter name may be any word: "The Who".
_LONG_NAME: Final = 7
# Letters from which on a name may stand anywhere in a text's letters.
_LONG_LETTERS: Final = 8
# A realm of the world is 20 MB.
_CORPORA_KEPT: Final = 4
_APOSTROPHES: Final = str.maketrans(dict.fromkeys("'‘’ʼ′`´＇"))


@dataclass(frozen=True, slots=True)
class Sought:
    """Names in the forms to search for: as words, and as letters alone."""

    words: tuple[str, ...]
    letters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CorpusPart:
    """A part of a corpus: its passages, and each of them with its title as words, with and without apostrophes."""

    passages: tuple[Passage, ...]
    words: tuple[str, ...]

    def without(self, sought: Sought) -> list[bool]:
        """Return for each passage whether it contains none of the names."""
        return [not _found(text, sought) for text in self.words]


@dataclass(slots=True)
class QuestionCorpus:
    """The questions and passages of a source, read on demand."""

    asked: Sequence[Question]
    _parts: Iterator[tuple[Passage, ...]]
    # The world's spans are right as they are; of others the text is looked at.
    _trusted: bool
    _read: list[CorpusPart] = field(default_factory=list)
    _places: dict[str, Passage] = field(default_factory=dict)
    _chosen: dict[Key, tuple[Iterator[Question], list[Question]]] = field(default_factory=dict)

    def question(self, number: int, order: Stream) -> Question | None:
        """Return usable question `number` in the order of a stream; None if there are fewer."""
        if order.key not in self._chosen:
            ranked = (self.asked[int(index)] for index in order.order(len(self.asked)))
            self._chosen[order.key] = (question for question in ranked if self._may_be_asked(question)), []
        source, chosen = self._chosen[order.key]
        chosen += islice(source, max(0, number + 1 - len(chosen)))
        return chosen[number] if number < len(chosen) else None

    def passage(self, id: str) -> Passage:
        """Return the passage with an id. Raises BudgetError if there is none."""
        while id not in self._places:
            if self.part(len(self._read)) is None:
                raise BudgetError(f"the source has no passage {id!r}", "its files changed since the row was planned")
        return self._places[id]

    def part(self, number: int) -> CorpusPart | None:
        """Return part `number` of the passages; None after the last."""
        while len(self._read) <= number:
            passages = next(self._parts, ())
            if not passages:
                return None
            self._read.append(
                CorpusPart(passages, tuple(_words(f"{passage.title} {passage.text}") for passage in passages))
            )
            self._places.update((passage.id, passage) for passage in passages)
        return self._read[number]

    def golds(self, question: Question) -> list[str]:
        """Return the distinct passages of a question's evidence; the last one contains the answer."""
        ids = list(dict.fromkeys(evidence.passage for evidence in question.evidence))
        if self._trusted:
            return ids
        names = sought(question.answers[0])
        return sorted(ids, key=lambda id: _found(_words(self.passage(id).text), names))

    def _may_be_asked(self, question: Question) -> bool:
        """Whether a question has one answer that says something, that the question does not say, and its evidence does.

        As many passages as hops: each is a step.
        """
        if len(question.answers) != 1 or not question.evidence:
            return False
        names = question.answers[0]
        if any(sum(map(str.isalnum, _bare(name))) < LEAST_NAME or _bare(name) in _DECIDED for name in names):
            return False
        frame = f"{DOCUMENTS_INTRODUCTION} {DOCUMENTS_TAIL.format(question=question.text)}"
        if _found(_words(frame), sought(names)):
            return False
        if self._trusted:
            return True
        golds = self.golds(question)
        last = self.passage(golds[-1])
        return len(golds) == question.hops and any(_stands(name, f"{last.title}\n{last.text}") for name in names)


@lru_cache(maxsize=_CORPORA_KEPT)
def corpus_of(tables: Tables, kind: str) -> QuestionCorpus:
    """The questions of a kind ("" for those of a real source) and the passages of a source's tables."""
    if kind:
        asked = list(islice(tables.questions("en", kind, ENTITIES_A_REALM), ENTITIES_A_REALM))
        passages = tables.passages("en")
        parts = iter(lambda: tuple(islice(passages, PASSAGES_A_REALM)), ())
        return QuestionCorpus(asked, parts, _trusted=True)
    return QuestionCorpus(list(tables.questions("en", "", 0)), iter([tuple(tables.passages("en"))]), _trusted=False)


def ranking(corpus: QuestionCorpus, names: Sequence[str], order: Key) -> Callable[[int], Sequence[Passage]]:
    """Return a function from n to the first n passages, in the order of a key, that contain none of the names.

    It raises BudgetError if there are fewer. Parts follow each other; within a part the order is keyed.
    """
    forms = sought(names)
    passages: list[Passage] = []
    parts = 0

    def ranked(count: int) -> Sequence[Passage]:
        nonlocal parts
        while len(passages) < count:
            part = corpus.part(parts)
            if part is None:
                raise BudgetError(f"the source has {len(passages)} passages without an answer", "use a smaller bucket")
            kept = part.without(forms)
            places = Stream(*order, parts).order(len(kept)).tolist()
            passages.extend(part.passages[index] for index in places if kept[index])
            parts += 1
        return passages[:count]

    return ranked


def sought(names: Sequence[str]) -> Sought:
    """Return the forms of names to search for."""
    forms = dict.fromkeys(form for name in names for form in _forms(name))
    letters = {form.replace(" ", ""): None for form in forms}
    return Sought(tuple(forms), tuple(form for form in letters if len(form) >= _LONG_LETTERS))


def _words(text: str) -> str:
    """A text as words; once more without apostrophes where it has one."""
    plain = words(text)
    joined = text.translate(_APOSTROPHES)
    return plain if joined == text else f"{plain}|{words(joined)}"


def _forms(name: str) -> Iterator[str]:
    for form in dict.fromkeys((words(name), words(name.translate(_APOSTROPHES)))):
        if form.strip():
            yield _without_article(form)


def _without_article(form: str) -> str:
    for article in _ARTICLES:
        rest = form.removeprefix(article)
        if rest != form and (" " in rest.strip() or len(rest.strip()) >= _LONG_NAME):
            return f" {rest}"
    return form


def _bare(name: str) -> str:
    """A name as words without the articles that SQuAD's normalisation drops."""
    return f" {' '.join(word for word in words(name).split() if word not in ('a', 'an', 'the'))} "


def _found(text: str, names: Sought) -> bool:
    if any(form in text for form in names.words):
        return True
    if not names.letters:
        return False
    letters = text.replace(" ", "")
    return any(form in letters for form in names.letters)


def _stands(name: str, text: str) -> bool:
    """Whether a text holds a name letter for letter, and no longer word that it is part of."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        if not (text[at - 1 : at].isalnum() or text[end : end + 1].isalnum()):
            return True
        at = text.find(name, at + 1)
    return False
