"""Answers a reasoning task from its prompt alone, and finds prompts in which a wrong response could score.

The solver splits the question into the name that it gives and the steps from there, and looks up each step in the
text, where exactly one sentence may state it.
"""

import re
from collections.abc import Iterator, Mapping

from carrara.task import Draft, Finding, Lang
from carrara.tasks.needlebench.needles.prompt import ASK, BEGIN, END
from carrara.world.chains import chinese as chains_zh
from carrara.world.chains import english as chains_en
from carrara.world.language.surface import STAND_INS

# A step: every (relation, whether forwards) that its wording can mean.
_FactStep = tuple[tuple[str, bool], ...]
_Parse = tuple[str, tuple[_FactStep, ...]]

_WORDINGS: dict[Lang, Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "en": chains_en.WORDINGS,
    "zh": chains_zh.WORDINGS,
}
_CALLED: dict[Lang, Mapping[str, str]] = {"en": chains_en.CALLED, "zh": chains_zh.CALLED}
# The pattern of a name, which contains no mark that ends a sentence; a title may have a comma or an apostrophe.
_NAMES: dict[Lang, str] = {
    "en": "[A-Z][^.?!;:()\\[\\]\"“”‘'…\n—–]{1,79}?",
    "zh": "(?:《[^《》\n]{1,20}》|[\u3400-\u9fff]{2,8}?)",
}
_BEFORE_NAME: dict[Lang, str] = {"en": r"(?<!\w)", "zh": "(?<![\u3400-\u9fff《》])"}
# Longer than any fact, so that a window around a name holds the whole sentence.
_WINDOW = 300
_LONGEST_QUESTION = 1_000
_MOST_STEPS = 8


def solve_reasoning(prompt: str) -> tuple[str, ...]:
    """The name to which the chain of facts leads; () if a step is not stated exactly once."""
    lang: Lang = "zh" if BEGIN["zh"] in prompt else "en"
    start, end = prompt.find(BEGIN[lang]), prompt.rfind(END[lang])
    if start < 0 or end < start:
        return ()
    body = prompt[start + len(BEGIN[lang]) : end]
    lines = f"{prompt[:start]}\n{prompt[end:]}".split("\n")
    asked = [line.removeprefix(ASK[lang][0]) for line in lines if line.startswith(ASK[lang][0])]
    if len(asked) != 1 or len(asked[0]) > _LONGEST_QUESTION:
        return ()
    parses = list(_parses(asked[0], body, lang))
    if len(parses) != 1:
        return ()
    ((here, steps),) = parses
    for step in steps:
        names = _stated(body, here, step, lang)
        if len(names) != 1:
            return ()
        (here,) = names
    return (here.strip("《》"),)


def audit_reasoning(draft: Draft) -> Iterator[Finding]:
    """Check that each fact stands once, at its span, and each name of a chain only in the facts that it joins."""
    if "\ufffd" in draft.prompt:
        yield Finding("cut character", "the prompt holds U+FFFD")
    references, names = draft.facts["reference"], draft.facts["names"]
    if not len(draft.evidence) == len(draft.depths) == len(references) == draft.complexity:
        yield Finding(
            "evidence",
            f"{len(draft.evidence)} spans, {len(draft.depths)} depths, {len(references)} references, "
            f"complexity {draft.complexity}",
        )
        return
    for (start, end), reference in zip(draft.evidence, references, strict=True):
        if draft.prompt[start:end] != reference:
            yield Finding("evidence", f"span {start}..{end} holds {draft.prompt[start:end]!r}, not {reference!r}")
        if (times := draft.prompt.count(reference)) != 1:
            yield Finding("fact elsewhere", f"the fact {reference!r} stands {times} times in the prompt, not once")
    if draft.prompt.count(draft.facts["asked"]) != 1:
        yield Finding("question", f"the question {draft.facts['asked']!r} does not stand once in the prompt")
    if len(draft.answers) != 1:
        yield Finding("gold", f"{len(draft.answers)} answers, not one")
        return
    (answer,) = draft.answers
    if answer not in draft.facts["accepted"]:
        yield Finding("gold", f"answer {answer!r} is not among the accepted {draft.facts['accepted']}")
    if names:
        yield from _audit_chain(draft.prompt, references, names, answer)
    elif not any(answer.casefold() in reference.casefold() for reference in references):
        yield Finding("gold", f"answer {answer!r} stands in no fact")


def _audit_chain(prompt: str, references: list[str], names: list[str], answer: str) -> Iterator[Finding]:
    if len(set(names)) != len(names) or len(names) != len(references) + 1 or names[-1].strip("《》") != answer:
        yield Finding("chain", f"{len(references)} facts, names {names}, answer {answer!r}")
        return
    for number, name in enumerate(names):
        held = [index for index, reference in enumerate(references) if name in reference]
        if held != [index for index in (number - 1, number) if 0 <= index < len(references)]:
            yield Finding("chain", f"{name!r}, number {number} of the chain, stands in the facts {held}")
        # The first stands in the question too.
        wanted = len(held) + (number == 0)
        if (times := prompt.count(answer if name == names[-1] else name)) != wanted:
            yield Finding("answer elsewhere", f"{name!r} occurs {times} times in the prompt, not {wanted}")


def _parses(question: str, body: str, lang: Lang) -> Iterator[_Parse]:
    """Every way to read the question as a name of the text and the steps from there, the first step first."""
    last, inner = _tables(lang)
    *clauses, asked = _breaths(question, lang)
    # What the question called a thing anew, and the ways to read what it had said of the thing.
    anew: dict[str, list[_Parse]] = {}
    for clause in clauses:
        for some, that in set(STAND_INS.values()):
            if clause.startswith(f"{some}是"):
                anew = {
                    that: list(_phrases(clause.removeprefix(f"{some}是"), body, inner, _MOST_STEPS - 1, lang, anew))
                }
    for step, rest in _split(asked, last):
        for name, steps in _phrases(rest, body, inner, _MOST_STEPS - 1, lang, anew):
            yield name, (*steps, step)


def _breaths(question: str, lang: Lang) -> list[str]:
    """The clauses of a long Chinese question that come to something, and what it asks in the end."""
    opening, between, ask = chains_zh.BREATHS
    told, found, asked = question.removeprefix(opening).partition(ask)
    long = lang == "zh" and found and question.startswith(opening)
    return [*told.split(between), asked] if long else [question]


def _phrases(
    text: str, body: str, inner: Mapping[str, _FactStep], left: int, lang: Lang, anew: Mapping[str, list[_Parse]]
) -> list[_Parse]:
    """Every way to read a phrase; it is a name only if it is no phrase, for a fact may say "the father of"."""
    if text in anew:
        return anew[text]
    parses = [
        (name, (*steps, step))
        for step, rest in _split(text, inner)
        if left
        for name, steps in _phrases(rest, body, inner, left - 1, lang, anew)
    ]
    name = next((rest for _, rest in _split(text, dict.fromkeys(_CALLED[lang].values(), ()))), text)
    return parses or ([(name, ())] if 2 <= len(name) <= 80 and name in body else [])


def _split(text: str, table: Mapping[str, _FactStep]) -> Iterator[tuple[_FactStep, str]]:
    """The step of every wording of the table that matches the text, and the text in place of its `{x}`."""
    for wording, step in table.items():
        before, after = wording.split("{x}")
        if len(text) > len(before) + len(after) and text.startswith(before) and text.endswith(after):
            yield step, text[len(before) : len(text) - len(after)]


def _tables(lang: Lang) -> tuple[dict[str, _FactStep], dict[str, _FactStep]]:
    """The steps by the wordings of a whole question, and by the wordings inside one."""
    tables: list[dict[str, _FactStep]] = []
    for onward, back in (("asked", "back_asked"), ("of", "back")):
        table: dict[str, _FactStep] = {}
        for relation, sections in _WORDINGS[lang].items():
            for section in (onward, back):
                for wording in sections.get(section, ()):
                    table[wording] = (*table.get(wording, ()), (relation, section == onward))
        tables.append(table)
    return tables[0], tables[1]


def _stated(body: str, here: str, step: _FactStep, lang: Lang) -> list[str]:
    """The names that the body states to be one step away from `here`, one for every such sentence."""
    patterns = [
        _pattern(fact, here, onward, lang) for relation, onward in step for fact in _WORDINGS[lang][relation]["facts"]
    ]
    names: dict[int, str] = {}
    at = body.find(here)
    while at >= 0:
        low = max(0, at - _WINDOW)
        window = body[low : at + len(here) + _WINDOW]
        for pattern in patterns:
            for match in pattern.finditer(window):
                # Only matches at this mention: at the window's edge a name may be cut in two.
                if match.start() <= at - low < match.end():
                    names[low + match.start("other")] = match["other"]
        at = body.find(here, at + 1)
    return [names[position] for position in sorted(names)]


def _pattern(fact: str, here: str, onward: bool, lang: Lang) -> re.Pattern[str]:
    """The pattern of one wording's sentences that name `here` at the start of the step."""
    known, other = ("{a}", "{b}") if onward else ("{b}", "{a}")
    pattern = re.escape(fact).replace(re.escape(known), re.escape(here))
    return re.compile(_BEFORE_NAME[lang] + pattern.replace(re.escape(other), f"(?P<other>{_NAMES[lang]})"))
