"""Answers an ancestral trace from its prompt alone: reads every statement, walks from the asked person, counts.

The layout must match to the character. Statements are read line by line; if a line has no known form, the prompt is not
this task's. Every pattern is bounded, so reading takes time linear in the text, even for a hostile text.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from carrara.task import Lang
from carrara.tasks.needlebench.ancestral_trace.prompt import (
    ANSWER,
    BEGIN,
    BETWEEN,
    CALLED,
    ELDER,
    END,
    EXAMPLE,
    EXAMPLES,
    HOW,
    INTRODUCTION,
    LETTERS,
    NUMBERS,
    OPTION,
    PARENT,
    PROBLEM,
    QUESTIONS,
    REASONING,
    STATEMENTS,
    TOLD,
    YOUNGER,
    KinshipQuestion,
)

_LANGS: Final[tuple[Lang, ...]] = ("en", "zh")


class StatementForm(NamedTuple):
    """What a statement says besides its two names; None: it leaves that open. Sides and sexes as in the wording."""

    elder_first: bool
    generations: int
    side: int | None
    elder_sex: int | None
    younger_sex: int | None


# A statement as read: the younger person, the elder, the form. A plain tuple, for a row can have 57,000 of them.
ReadTie = tuple[str, str, StatementForm]


@dataclass(frozen=True, slots=True)
class ProblemReading:
    """A problem as read. Its statements are prompt[start:end]; `answer`: an example's letter, "" for the problem."""

    lang: Lang
    start: int
    end: int
    ties: Sequence[ReadTie]
    question: KinshipQuestion
    asked: str
    other: str
    count: int
    options: tuple[str, ...]
    answer: str


def solve_trace(prompt: str) -> tuple[str, ...]:
    """The letter of the right option; () if the prompt is not exactly this task's, or has no single right option."""
    problems = read_prompt(prompt)
    letter = answer(problems[-1]) if problems else ""
    return (letter,) if letter else ()


def answer(problem: ProblemReading) -> str:
    """The letter of the single option that answers a problem; "" if there is none."""
    down = problem.question == "descendant"
    nearest: dict[str, list[tuple[str, int]]] = {}
    for younger, elder, form in problem.ties:
        near, other = (elder, younger) if down else (younger, elder)
        if near in nearest:
            nearest[near].append((other, form.generations))
        else:
            nearest[near] = [(other, form.generations)]
    reached = {problem.asked: 0}
    todo = [problem.asked]
    while todo:
        person = todo.pop()
        for other, generations in nearest.get(person, ()):
            away = reached[person] + generations
            if other not in reached:
                reached[other] = away
                todo.append(other)
            elif reached[other] != away:
                # A person with two generations: a cycle, or statements that contradict each other.
                return ""
    return _letter(problem, reached)


def _letter(problem: ProblemReading, reached: Mapping[str, int]) -> str:
    if problem.question == "distance":
        right = [str(reached[problem.other])] if problem.other in reached else []
    else:
        away = problem.count if problem.question != "eldest" else max(reached.values())
        right = [person for person, generations in reached.items() if generations == away > 0]
    if len(right) != 1 or problem.options.count(right[0]) != 1:
        return ""
    return LETTERS[problem.options.index(right[0])]


@lru_cache(maxsize=1)
def read_prompt(prompt: str) -> tuple[ProblemReading, ...]:
    """The examples and, last, the problem; () if the layout is not exactly this task's.

    The last result is cached: solver and audit read the same row in turn, and reading takes most of their time.
    """
    for lang in _LANGS:
        for question in QUESTIONS[lang]:
            opening = INTRODUCTION[lang] + TOLD[lang][question]
            if prompt.startswith(opening):
                return tuple(_read(prompt, len(opening), lang, question))
    return ()


def read_ties(body: str, lang: Lang) -> list[ReadTie] | None:
    """The statements of a text, one a line; None if a line is not a statement."""
    forms = _FORMS[lang]
    ties = []
    lines = _LINES[lang].findall(body)
    if len(lines) != body.count("\n"):
        return None
    for before, first, between, other, after in lines:
        form = forms.get((before, between, after))
        if form is None:
            return None
        ties.append((other, first, form) if form[0] else (first, other, form))
    return ties


def _read(prompt: str, at: int, lang: Lang, question: KinshipQuestion) -> list[ProblemReading]:
    heading = PROBLEM[lang] + BEGIN[lang]
    if prompt.count(heading) != 1:
        return []
    last = prompt.index(heading)
    shots = 0
    for count in range(1, len(NUMBERS[lang])):
        promise = EXAMPLES[lang][count > 1].format(count=NUMBERS[lang][count])
        if prompt.startswith(promise, at):
            shots, at = count, at + len(promise)
            break
    problems = []
    for number in range(1, shots + 1):
        begin = EXAMPLE[lang].format(number=number) + BEGIN[lang]
        end = prompt.find(END[lang], at, last)
        asked = _ASKED[lang][question].match(prompt, end + len(END[lang]), last)
        answered = _ANSWERS[lang].match(prompt, asked.end(), last) if asked else None
        if not prompt.startswith(begin, at) or not asked or not answered:
            return []
        example = _reading(prompt, at + len(begin), end, lang, question, asked, answered["letter"])
        if example is None:
            return []
        problems.append(example)
        at = answered.end()
    end = prompt.find(END[lang], last)
    asked = _ASKED[lang][question].match(prompt, end + len(END[lang]))
    if at != last or end < 0 or not asked or prompt[asked.end() :] not in ["\n" + how for how in HOW[lang]]:
        return []
    problem = _reading(prompt, last + len(heading), end, lang, question, asked, "")
    return [*problems, problem] if problem else []


def _reading(
    prompt: str, start: int, end: int, lang: Lang, question: KinshipQuestion, asked: re.Match[str], letter: str
) -> ProblemReading | None:
    if (ties := read_ties(prompt[start:end], lang)) is None:
        return None
    groups = asked.groupdict()
    return ProblemReading(
        lang=lang,
        start=start,
        end=end,
        ties=ties,
        question=question,
        asked=groups["asked"],
        other=groups.get("other", ""),
        count=int(groups.get("count", "0")),
        options=tuple(groups[letter] for letter in LETTERS),
        answer=letter,
    )


def _forms(lang: Lang) -> dict[tuple[str, str, str], StatementForm]:
    """Every form of a statement, by the text before, between and after its names."""
    said: dict[tuple[str, str, str], set[StatementForm]] = {}
    for generations, wordings in enumerate(STATEMENTS[lang], 1):
        for wording in wordings:
            for code in range(8):
                side, elder, younger = code // 4, code // 2 % 2, code % 2
                parts = re.split(
                    "(<|>)",
                    wording.format(
                        elder="<",
                        younger=">",
                        elder_term=ELDER[lang][generations - 1][side][elder],
                        younger_term=YOUNGER[lang][generations - 1][side][younger],
                        called=CALLED[lang][generations - 1][side][elder],
                        parent=PARENT[lang][elder],
                        between=BETWEEN[lang][side],
                    ),
                )
                form = StatementForm(
                    parts[1] == "<", generations, side if generations == 2 else 1 - elder, elder, younger
                )
                said.setdefault((parts[0], parts[2], parts[4]), set()).add(form)
    return {key: _common(forms) for key, forms in said.items()}


def _common(forms: set[StatementForm]) -> StatementForm:
    """What all forms of one wording have in common; the order and the number of generations must be certain."""
    values = [set(column) for column in zip(*forms, strict=True)]
    first, generations, side, elder, younger = (column.pop() if len(column) == 1 else None for column in values)
    if first is None or not generations:
        raise ValueError("two statements are worded alike")
    return StatementForm(bool(first), generations, side, elder, younger)


def _name(lang: Lang) -> str:
    """The pattern of a name; a Chinese name has no character of a statement's wording."""
    if lang == "en":
        return r"[A-Z][a-z]{1,20} [A-Z][a-z]{1,20} [A-Z][a-z]{1,20}"
    return f"[^{''.join(sorted({character for form in _FORMS[lang] for part in form for character in part}))}\\s]{{3}}"


def _lines(lang: Lang) -> re.Pattern[str]:
    words = r"[^\n]{0,80}?" if lang == "en" else r"[^\n]{0,20}?"
    name = _name(lang)
    return re.compile(rf"^({words})({name})({words})({name})([^\n]{{0,80}})\n", re.MULTILINE)


def _asked(lang: Lang, question: KinshipQuestion) -> re.Pattern[str]:
    pattern = re.escape(QUESTIONS[lang][question])
    name = _name(lang)
    for field, what in (("asked", name), ("other", name), ("count", "[1-9][0-9]{0,5}")):
        pattern = pattern.replace(re.escape(f"{{{field}}}"), f"(?P<{field}>{what})", 1)
        pattern = pattern.replace(re.escape(f"{{{field}}}"), f"(?P={field})")
    for letter in LETTERS:
        text = f"(?P<{letter}>{'[1-9][0-9]{0,5}' if question == 'distance' else name})"
        pattern += re.escape(OPTION).replace(re.escape("{letter}"), letter).replace(re.escape("{text}"), text)
    return re.compile(pattern)


def _answers(lang: Lang) -> re.Pattern[str]:
    """An example's answer, after its reasoning if it has any."""
    letter = re.escape(ANSWER[lang]).replace(re.escape("{letter}"), "(?P<letter>[A-D])")
    return re.compile(rf"(?:{re.escape(REASONING[lang])}[^\n]{{1,4000}}\n)?{letter}")


_FORMS: Final = {lang: _forms(lang) for lang in _LANGS}
_LINES: Final = {lang: _lines(lang) for lang in _LANGS}
_ASKED: Final = {lang: {question: _asked(lang, question) for question in QUESTIONS[lang]} for lang in _LANGS}
_ANSWERS: Final = {lang: _answers(lang) for lang in _LANGS}
