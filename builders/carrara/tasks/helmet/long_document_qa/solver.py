"""Reads a prompt and answers a question on a chronicle or on minutes of the invented world, from the prompt alone.

It reads the question by its wording, then every sentence that contains the question's names and matches a wording of
the fact asked for. Unless these give exactly one answer, it gives none. It uses nothing that writes prompts or the
world.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.tasks.helmet.long_document_qa.prompt import (
    ASK,
    EXAMPLES,
    INTRODUCTION,
    LETTERS,
    PLACEHOLDER,
    TAIL,
    TEXT,
    DocumentForm,
)
from carrara.tasks.helmet.long_document_qa.wordings import (
    ChronicleFact,
    asked_of_minutes,
    facts,
    minutes_pattern,
    pattern,
    stated_in_minutes,
)

_LONGEST_TAIL: Final = 8_000
# The longest sentence of the world has a third of it.
_LONGEST: Final = 1_500
_FORMS: Final[tuple[DocumentForm, ...]] = ("story_choice", "story", "chronicle_choice", "chronicle", "meeting")
_ENDS: Final = re.compile(r"(?:(?<=[.?!])|(?<=[.?!]”)) ")
_OPTION: Final = re.compile(r"([A-Z])\. ([^\n]+)\n")
_EXAMPLE: Final = re.compile(
    r"Example ([12])\n([^\n]+)\nQuestion: ([^\n]+)\n((?:[A-Z]\. [^\n]+\n)*)Answer: ([^\n]+)\n\n"
)
_SPEAKER: Final = re.compile(r"Councillor ([A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+): ")
_DAY: Final = re.compile(r"([0-9]{1,2}) ([A-Z][a-z]+) ([0-9]{4})")
_SUM: Final = re.compile(r"([0-9,]+) marks")


@dataclass(frozen=True, slots=True)
class LongDocumentReading:
    """The parts of a prompt; examples as (question, answer); `body`: the span of the text."""

    form: DocumentForm
    examples: tuple[tuple[str, str], ...]
    body: tuple[int, int]
    text: str
    question: str
    options: tuple[str, ...]


def read_prompt(prompt: str) -> LongDocumentReading | None:
    """The parts of a prompt; None if it is not exactly of this task's form."""
    form = next((name for name in _FORMS if prompt.startswith(INTRODUCTION[name])), None)
    if form is None:
        return None
    before, _, after = TAIL.format(question="\0", options="", ask=ASK[form]).partition("\0")
    end = prompt.rfind(before, max(0, len(prompt) - _LONGEST_TAIL))
    start = prompt.find(TEXT, len(INTRODUCTION[form]))
    examples = _examples(prompt[len(INTRODUCTION[form]) : start], form) if 0 <= start < end else None
    if examples is None or not prompt.endswith(after):
        return None
    # The line break that ends the question, or the last option, is the first of `after`.
    question, _, rest = prompt[end + len(before) : len(prompt) - len(after) + 1].partition("\n")
    options = _options(rest)
    if not question or options is None or bool(options) != form.endswith("_choice"):
        return None
    body = (start + len(TEXT), end)
    return LongDocumentReading(form, examples, body, prompt[slice(*body)], question, options)


def solve_world(prompt: str) -> tuple[str, ...]:
    """The answer in every accepted form, or the letter of its option; () unless there is exactly one."""
    if (reading := read_prompt(prompt)) is None or reading.form.startswith("story"):
        return ()
    find = minutes_answers if reading.form == "meeting" else chronicle_answers
    answers = dict.fromkeys(find(reading.question, reading.text))
    if len(answers) != 1:
        return ()
    (answer,) = answers
    if not reading.options:
        return spelled(answer)
    return (LETTERS[reading.options.index(answer)],) if reading.options.count(answer) == 1 else ()


def chronicle_answers(question: str, text: str) -> Iterator[str]:
    """The answers that sentences of a chronicle give to a question."""
    for fact in facts():
        for wording in fact.questions:
            if (match := re.fullmatch(pattern(wording, fact.slots, {}), question)) is not None:
                yield from _stated(fact, match.groupdict(), text)


def minutes_answers(question: str, text: str) -> Iterator[str]:
    """The answers to a question that the item of the minutes named in it gives."""
    for name, asked in asked_of_minutes().items():
        if (match := asked.fullmatch(question)) is None:
            continue
        given = {"sub": match["sub"], "k": match["k"]}
        title = f"{given['k']}. {given['sub'][:1].upper()}{given['sub'][1:]}\n"
        at = 0 if text.startswith(title) else text.find(f"\n{title}") + 1
        if not text.startswith(title, at):
            continue
        end = text.find("\n\n", at)
        wordings = [re.compile(minutes_pattern(template, name, given)) for template in stated_in_minutes(name)]
        for line in text[at + len(title) : end if end >= 0 else len(text)].split("\n"):
            yield from _said(line, name, wordings)


def spelled(answer: str) -> tuple[str, ...]:
    """The accepted forms: parts of a person's name, a sum without its unit or commas, a day as Americans write it."""
    if (sum_ := _SUM.fullmatch(answer)) is not None:
        plain = sum_[1].replace(",", "")
        return tuple(dict.fromkeys((answer, f"{plain} marks", sum_[1], plain)))
    if (day := _DAY.fullmatch(answer)) is not None:
        return answer, f"{day[2]} {day[1]}, {day[3]}"
    parts = answer.split(" ")
    if len(parts) == 3 and answer.istitle():
        return answer, f"{parts[0]} {parts[2]}", parts[0], parts[2]
    return (answer,)


def _stated(fact: ChronicleFact, given: Mapping[str, str], text: str) -> Iterator[str]:
    """The answers of the sentences that contain the question's names and match a wording of the fact."""
    wordings = [re.compile(pattern(template, fact.slots, given)) for template in fact.sentences]
    # The first word of a sentence has a capital in any case.
    keys = sorted((words[1:] for words in given.values()), key=text.count)
    if not keys:
        return
    end = 0
    while (at := text.find(keys[0], end)) >= 0:
        start = text.rfind("\n", 0, at) + 1
        end = stop if (stop := text.find("\n", at)) >= 0 else len(text)
        if all(key in text[start:end] for key in keys):
            for sentence in _units(_ENDS.split(text[start:end])):
                for match in _matched(wordings, sentence):
                    yield match[fact.answer]


def _units(sentences: Sequence[str]) -> Iterator[str]:
    """The sentences of a paragraph, and two or three of them together: one may quote a question."""
    for count in (1, 2, 3):
        for first in range(len(sentences) - count + 1):
            yield " ".join(sentences[first : first + count])


def _matched(wordings: list[re.Pattern[str]], sentence: str) -> Iterator[re.Match[str]]:
    if len(sentence) > _LONGEST:
        return
    for spelling in (sentence, sentence[:1].lower() + sentence[1:]):
        for wording in wordings:
            if (match := wording.fullmatch(spelling)) is not None:
                yield match


def _said(line: str, name: str, wordings: list[re.Pattern[str]]) -> Iterator[str]:
    speaker = _SPEAKER.match(line)
    for sentence in _ENDS.split(line[speaker.end() if speaker else 0 :]):
        for match in _matched(wordings, sentence):
            if name != "mover":
                yield match[name].removeprefix("Councillor ")
            elif speaker is not None:
                yield speaker[1]


def _options(text: str) -> tuple[str, ...] | None:
    options = tuple(option for _, option in _OPTION.findall(text))
    written = "".join(f"{letter}. {option}\n" for letter, option in zip(LETTERS, options, strict=False))
    return options if written == text else None


def _examples(text: str, form: DocumentForm) -> tuple[tuple[str, str], ...] | None:
    """The examples of a part of the prompt; None if it is not exactly examples."""
    if not text:
        return ()
    if not text.startswith(EXAMPLES):
        return None
    examples = []
    at = len(EXAMPLES)
    for number in "12":
        match = _EXAMPLE.match(text, at)
        if match is None or match[1] != number or match[2] != PLACEHOLDER[form]:
            return None
        examples.append((match[3], match[5]))
        at = match.end()
    return tuple(examples) if at == len(text) else None
