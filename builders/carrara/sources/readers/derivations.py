"""People's derivations: questions whose answer follows from facts that an annotator wrote down (R4C, NeedleBench).

Read are R4C's layout (a JSON object: question id -> annotators -> [title, sentence, [head, relation, tail]], of which
the first annotator counts) with a list of questions beside it, and NeedleBench's (a JSON list of `question`, `answer`,
`derivations`). A triplet becomes the sentence "head relation tail." A question is dropped, and counted by its reason,
where nothing but a guess or a repetition would be asked, or it is damaged: its answer is yes or no, stands in the
question, or stands in no fact; a fact stands in another one; the facts are not two to five; a Chinese question or fact
was left untranslated.

What must not change without a new version of the readers: which questions are kept, their order and their texts.
"""

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import TypeAdapter, ValidationError

from carrara.errors import SourceError
from carrara.sources.document import decode, read_bytes, tidy
from carrara.sources.fields import Fields
from carrara.sources.formats import parsed
from carrara.sources.tables import Lacking
from carrara.tables import Derivation, Lang

STEPS: Final = (2, 3, 4, 5)
_YES_NO: Final = frozenset(("yes", "no", "是", "否", "是的", "不是", "不", "没有", "有", "对", "不对"))
_CJK: Final = "\u2e80-\u2fdf\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
# Two letters or digits of a script that is written with spaces.
_LETTERS: Final = re.compile(f"[^\\W{_CJK}]{{2}}")
_CHINESE: Final = re.compile(f"[{_CJK}]")
_MARKS: Final = (("《", "》"), ("“", "”"), ("‘", "’"), ('"', '"'), ("'", "'"))
_ENDS: Final = (".", "!", "?", "。", "！", "？")
_DERIVATIONS: Final = TypeAdapter(list[tuple[object, object, tuple[object, object, object]]])
_CLOSING: Final = "\"'”’)）》"


class _Annotated(NamedTuple):
    """One question as its files give it."""

    id: str
    question: str
    answer: str
    facts: tuple[str, ...]


class Derivations(Lacking):
    """The derivations of one language. `steps` counts all questions by facts, `dropped` those left out by reason."""

    def __init__(self, name: str, lang: Lang, records: Iterator[_Annotated]) -> None:
        super().__init__(f"source {name!r}")
        self._lang = lang
        self._kept: dict[int, list[Derivation]] = {steps: [] for steps in STEPS}
        self.steps: Counter[int] = Counter()
        self.dropped: Counter[str] = Counter()
        for record in records:
            self.steps[len(record.facts)] += 1
            answer = _without_marks(tidy(record.answer))
            facts = tuple(_sentence(fact, lang) for fact in record.facts)
            question = tidy(record.question)
            if reason := _objection(question, answer, facts, lang):
                self.dropped[reason] += 1
            else:
                self._kept[len(facts)].append(Derivation(record.id, question, facts, (answer,)))

    def derivations(self, lang: Lang, hops: int) -> Sequence[Derivation]:
        """Questions of so many facts, in the order of the files."""
        if lang != self._lang:
            raise SourceError(f"{self._what} is in {self._lang}, asked for {lang}", "take a source in that language")
        if hops not in self._kept:
            raise SourceError(f"{self._what} has no questions of {hops} facts", "ask for 2 to 5")
        return self._kept[hops]


def english(name: str, files: Mapping[str, Path]) -> Derivations:
    """The derivations of some files in English."""
    return Derivations(name, "en", _records(name, files))


def chinese(name: str, files: Mapping[str, Path]) -> Derivations:
    """The derivations of some files in Chinese."""
    return Derivations(name, "zh", _records(name, files))


def _records(name: str, files: Mapping[str, Path]) -> Iterator[_Annotated]:
    loaded = {path: parsed(path, decode(read_bytes(files[path], path), path)) for path in sorted(files)}
    lists = {path: value for path, value in loaded.items() if isinstance(value, list)}
    objects = {path: value for path, value in loaded.items() if isinstance(value, dict)}
    if len(lists) + len(objects) < len(loaded) or not lists:
        raise SourceError(
            f"source {name!r}: expected a JSON list of questions, and JSON objects of derivations if they lie apart",
            "See the layouts of NeedleBench and R4C.",
        )
    questions: dict[str, Fields] = {}
    for path, rows in lists.items():
        for number, row in enumerate(rows):
            where = f"{path}, question {number}"
            if not isinstance(row, dict):
                raise SourceError(f"{where}: got {str(row)[:60]!r}, expected a JSON object", "Fetch the file again.")
            questions[_text(row, "id" if "id" in row else "_id", where)] = row
    if not objects:
        for id_, row in questions.items():
            yield _record(id_, row, row.get("derivations"))
    for value in objects.values():
        for id_, annotators in value.items():
            if id_ in questions:
                yield _record(id_, questions[id_], _first_annotator(id_, annotators))


def _first_annotator(id_: str, annotators: Any) -> list[str]:
    try:
        first = _DERIVATIONS.validate_python(annotators[0] if isinstance(annotators, list) and annotators else None)
    except ValidationError as error:
        raise SourceError(
            f"question {id_}: got {str(annotators)[:60]!r}, expected lists of annotators' derivations",
            "A derivation is [title, sentence, [head, relation, tail]].",
        ) from error
    return [" ".join(map(str, fact)) for _, _, fact in first]


def _record(id_: str, row: Fields, facts: Any) -> _Annotated:
    where = f"question {id_}"
    if not isinstance(facts, list) or not all(isinstance(fact, str) for fact in facts):
        raise SourceError(f"{where}: derivations are {str(facts)[:60]!r}, expected a list of texts", "Fetch it again.")
    return _Annotated(id_, _text(row, "question", where), _text(row, "answer", where), tuple(facts))


def _text(row: Fields, field: str, where: str) -> str:
    value = row.get(field)
    if not isinstance(value, str):
        raise SourceError(f"{where}: {field} is {str(value)[:60]!r}, expected text", "Fetch the file again.")
    return value


def _objection(question: str, answer: str, facts: Sequence[str], lang: Lang) -> str:
    """Why a question is left out; "" for one that is kept."""
    if len(facts) not in STEPS:
        return "not 2 to 5 facts"
    if answer.casefold() in _YES_NO:
        return "yes or no"
    if lang == "zh" and not all(_CHINESE.search(text) for text in (question, *facts)):
        return "not translated"
    if not any(character.isalnum() for character in answer) or not any(_holds(fact, answer) for fact in facts):
        return "answer in no fact"
    if _holds(question, answer):
        return "answer in the question"
    bare = [fact.rstrip("".join(_ENDS)).casefold() for fact in facts]
    if any(name in other for index, name in enumerate(bare) for other in bare[:index] + bare[index + 1 :]):
        return "a fact in another"
    return ""


def _holds(text: str, answer: str) -> bool:
    """Whether a text holds an answer, without case, not as a part of a longer word or number."""
    text, answer = text.casefold(), answer.casefold()
    at = text.find(answer)
    while at >= 0:
        end = at + len(answer)
        if not (_LETTERS.fullmatch(text[max(0, at - 1) : at + 1]) or _LETTERS.fullmatch(text[end - 1 : end + 1])):
            return True
        at = text.find(answer, at + 1)
    return False


def _sentence(fact: str, lang: Lang) -> str:
    """A fact as a sentence: white space tidied, no HTML entities, no marks around all of it, a full stop."""
    text = tidy(html.unescape(fact))
    for opening, closing in _MARKS[1:]:
        if len(text) > 2 and text[0] == opening and text[-1] == closing and opening not in text[1:-1]:
            text = text[1:-1].strip()
    if not text.rstrip(_CLOSING).endswith(_ENDS):
        text += "。" if lang == "zh" else "."
    # Not "eBay".
    return text[:1].upper() + text[1:] if text.partition(" ")[0].islower() else text


def _without_marks(answer: str) -> str:
    """An answer without a full stop and the quotation or title marks around all of it: no response has to hold them."""
    text = html.unescape(answer).rstrip("。")
    text = text[:-1] if text.endswith(".") and text.count(".") == 1 and " " in text else text
    for opening, closing in _MARKS:
        if len(text) > 2 and text[0] == opening and text[-1] == closing and opening not in text[1:-1]:
            text = text[1:-1].strip()
    return text
