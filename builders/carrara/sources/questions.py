"""The questions of a real dataset with its passages: what every reader of questions shares.

The same question in two files is one: its evidence is joined, its answers are those of the copy that has evidence. Two
questions in the same words with other answers cannot be answered: both are left out. `dropped` counts what was left
out by its reason. Evidence is the span of the first accepted name that stands in a passage as words of its own.

Must not change without a new version of the readers: which questions are kept, their order, and the spans.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Final, NamedTuple

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.passages import content_id
from carrara.sources.tables import Lacking
from carrara.tables import Evidence, Lang, Passage, Question

# Places where a name stands inside a longer word; a text made of nothing else would take the square of its length.
_TRIES: Final = 1_000


def accepted(names: Iterable[str]) -> tuple[str, ...]:
    """The names of one answer: tidied, each once, none empty, in their order."""
    return tuple(dict.fromkeys(name for name in map(tidy, names) if name))


def find(text: str, names: Iterable[str]) -> tuple[int, int] | None:
    """The span of the first name that the text holds, without case and not inside a longer word; None where none is."""
    lowered = text.lower()
    # A character that grows in lower case (İ) would move the span.
    folds = len(lowered) == len(text)
    for name in names:
        wanted, within = (name.lower(), lowered) if folds else (name, text)
        at = -1
        for _ in range(_TRIES if wanted else 0):
            if (at := within.find(wanted, at + 1)) < 0:
                break
            end = at + len(wanted)
            if not (_inside_a_word(within, at) or _inside_a_word(within, end)):
                return at, end
    return None


def of_passages(passages: Iterable[Passage], groups: Sequence[Sequence[str]], whole: bool) -> Iterator[Evidence]:
    """The evidence of each passage, each once: where it first names an answer.

    Where it names none: all of its text if `whole`, else nothing.
    """
    names = [name for group in groups for name in group]
    for passage in dict.fromkeys(passages):
        span = find(passage.text, names)
        if span is not None or whole:
            yield Evidence(passage.id, *(span or (0, len(passage.text))))


def _inside_a_word(text: str, at: int) -> bool:
    """Whether the characters on both sides of a place are of one word."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()


NO_ANSWER: Final = "no answer"


class QuestionRecord(NamedTuple):
    """A row of a dataset: its question (or why it has none that counts) and the passages beside it."""

    question: Question | str
    passages: tuple[Passage, ...] = ()


# The rows of one file, by where it lies and its pinned path.
ReadFile = Callable[[Path, str], Iterator[QuestionRecord]]
# Kinds of question that only who names them gets.
APART: Final = frozenset(("demonstration",))


class QuestionFiles(Lacking):
    """The questions of some files, in English. The files are read when a table is asked for."""

    def __init__(self, name: str, files: Mapping[str, Path], read: ReadFile) -> None:
        super().__init__(f"source {name!r}")
        self._files = files
        self._read = read
        self.dropped: Counter[str] = Counter()

    def questions(self, lang: Lang, kind: str, each: int) -> Iterator[Question]:
        """The questions of a kind ("" for all but demonstrations), the first `each` of them (0 or less: all)."""
        self._speaks(lang)
        wanted = [
            question for question in self._kept if question.kind == kind or (not kind and question.kind not in APART)
        ]
        if not wanted:
            kinds = sorted({question.kind for question in self._kept})
            raise SourceError(
                f"{self._what} has no questions of kind {kind!r}, expected one of {', '.join(kinds)}", 'ask for "": all'
            )
        return islice(wanted, each if each > 0 else None)

    def passages(self, lang: Lang) -> Iterator[Passage]:
        """The passages beside the questions, each once, in the order of the files."""
        self._speaks(lang)
        held: set[str] = set()
        for asked in self._rows():
            for passage in asked.passages:
                if passage.id not in held:
                    held.add(passage.id)
                    yield passage
        if not held:
            self._lacks("passages")

    @cached_property
    def _kept(self) -> list[Question]:
        kept: dict[str, Question] = {}
        mixed: set[str] = set()
        self.dropped.clear()
        for asked in self._rows():
            if isinstance(new := asked.question, str):
                self.dropped[new] += 1
                continue
            wording = new.text.casefold()
            old = kept.get(wording)
            if wording in mixed:
                self.dropped["same words, other answers"] += 1
            elif old is None:
                kept[wording] = new
            elif old.id == new.id or _names(old) == _names(new):
                kept[wording] = _merged(old, new)
                self.dropped["repeated"] += 1
            else:
                del kept[wording]
                mixed.add(wording)
                self.dropped["same words, other answers"] += 2
        ids = Counter(question.id for question in kept.values())
        if not kept:
            raise SourceError(f"{self._what}: no questions found", "Check that the reader fits the files.")
        if twice := [id_ for id_, count in ids.items() if count > 1]:
            raise SourceError(f"{self._what}: two questions have the id {twice[0]!r}", "Give each its own.")
        return list(kept.values())

    def _rows(self) -> Iterator[QuestionRecord]:
        for path in sorted(self._files):
            yield from self._read(self._files[path], path)

    def _speaks(self, lang: Lang) -> None:
        if lang != "en":
            raise SourceError(f"{self._what} is in en, asked for {lang}", "take a source in that language")


def question_id(given: str, text: str) -> str:
    """The id that the dataset gives; without one, a question is called by its text."""
    return given or content_id(text)


def _names(question: Question) -> set[str]:
    return {name.casefold() for group in question.answers for name in group}


def _merged(old: Question, new: Question) -> Question:
    best = old if old.evidence or not new.evidence else replace(new, id=old.id)
    evidence = {span.passage: span for span in (*new.evidence, *old.evidence)}
    return replace(best, evidence=tuple(evidence.values()))
