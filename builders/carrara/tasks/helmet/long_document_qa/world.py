"""Questions on the world's chronicles and minutes: the questions, accepted answers, wrong options and examples.

Must not change: which questions are asked, the forms of an answer, what is drawn.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Final

from carrara.stream import Stream
from carrara.tables import DocumentQuestion, Tables
from carrara.tasks.helmet.documents import unlike
from carrara.tasks.helmet.long_document_qa.prompt import DocumentForm, LongDocumentKind

# The questions are spread over so many chapters or items: a few more than a row of 1M tokens shows.
HORIZON: Final = {"chronicle": 540, "meeting": 1_800}
# So many successive items ask about one document, so that a process writes it once.
ITEMS_A_DOCUMENT: Final = 8
# The document of the demonstrations, which no item uses, and its chapters or items.
APART: Final = 1 << 30
_SHOWN: Final = {"chronicle": (10, 20), "meeting": (20, 60)}
# What is asked of chronicles, by alike kinds of value, and of minutes. A solver reads these exactly; what is said of
# an event in more words (a reason, a remedy) would ask a reader for the very words.
VALUES: Final = {
    **dict.fromkeys(("cast", "woman", "man", "goer", "owner"), "cast"),
    **{"person": "person", "child": "child", "place": "place", "sum": "sum"},
}
NAMES: Final = ("cast", "person", "place")
MINUTES: Final = ("mover", "granted", "asked", "reporter", "deadline")
WRONG: Final = 3
# A single figure occurs in too many responses.
_SMALL: Final = re.compile("[0-9] marks")
# Chapters on either side that are written together for wrong options.
_NEAR: Final = 4


def question_of(
    tables: Tables, form: DocumentForm, kind: LongDocumentKind, document: int, unit: int, order: Stream
) -> tuple[int, DocumentQuestion]:
    """The first question by key of a chapter or item, or of the next one that has any; with that one's number."""
    for number in count(unit):
        questions = tables.excerpt("en", kind, document, number, 1).questions
        if asked := [question for question in questions if _is_asked(question, form)]:
            return number, min(asked, key=lambda candidate: order.child(candidate.kind).word())
    raise AssertionError("a document of the world does not end")


def wrong_options(
    tables: Tables, document: int, chapter: int, question: DocumentQuestion, order: Stream
) -> tuple[str, ...]:
    """Answers of the same kind from the nearest chapters, on both sides, so that small rows show them too."""
    value = VALUES[question.value]
    wrong: list[str] = []
    first = max(0, chapter - _NEAR)
    # Written together, which is cheaper than one by one.
    tables.excerpt("en", "chronicle", document, first, chapter + _NEAR + 1 - first)
    for distance in count():
        near: set[str] = set()
        for number in (chapter - distance, chapter + distance):
            if number >= 0:
                asked = tables.excerpt("en", "chronicle", document, number, 1).questions
                near |= {other.answers[0] for other in asked if VALUES.get(other.value) == value}
        near -= {question.answers[0], *wrong}
        wrong += sorted(
            (answer for answer in near if answer not in question.text), key=lambda answer: order.child(answer).word()
        )
        if len(wrong) >= WRONG:
            return tuple(wrong[:WRONG])
    raise AssertionError("a chronicle does not end")


def demonstrations(
    tables: Tables, form: DocumentForm, kind: LongDocumentKind, shots: int, question: DocumentQuestion, order: Stream
) -> list[DocumentQuestion]:
    """Questions on a document of no item: the first in a keyed order that are unlike the item's and each other."""
    first, last = _SHOWN[kind]
    asked = [
        candidate
        for candidate in tables.excerpt("en", kind, APART, first, last - first).questions
        if _is_asked(candidate, form)
    ]
    shown: list[DocumentQuestion] = []
    for number in order.order(len(asked)).tolist():
        candidate = asked[number]
        other = (candidate.value or candidate.kind) not in {before.value or before.kind for before in shown}
        if len(shown) < shots and other and unlike(candidate, [question, *shown]):
            shown.append(candidate)
    return shown


def forms(answer: str) -> Iterator[str]:
    """The accepted forms: a person's name and its parts, a sum without unit or commas, a day as Americans write it."""
    yield answer
    words = answer.split(" ")
    if words[-1] == "marks":
        sums = (answer.replace(",", ""), words[0], words[0].replace(",", ""))
        yield from dict.fromkeys(spelling for spelling in sums if spelling != answer)
    elif len(words) == 3 and words[0].isdecimal():
        yield f"{words[1]} {words[0]}, {words[2]}"
    elif len(words) == 3 and answer.istitle():
        # A person of two given names and a surname.
        yield from (f"{words[0]} {words[2]}", words[0], words[2])


def _is_asked(question: DocumentQuestion, form: DocumentForm) -> bool:
    if _SMALL.fullmatch(question.answers[0]):
        return False
    if form == "meeting":
        return question.kind in MINUTES
    value = VALUES.get(question.value, "")
    return value in NAMES if form == "chronicle_choice" else bool(value)
