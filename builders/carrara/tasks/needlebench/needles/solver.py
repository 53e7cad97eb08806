"""Answers a needle task from its prompt alone, and finds prompts in which a wrong response could score."""

import re
from collections.abc import Iterator

from carrara.task import Draft, Finding, Lang
from carrara.tasks.needlebench.needles.prompt import BEGIN, END, NEEDLES, QUESTION

# Longer than any needle, so that a window around a place's name holds the whole sentence.
_WINDOW = 300


def solve_needles(prompt: str) -> tuple[str, ...]:
    """The names asked for, in the order of the questions; () if one is not stated exactly once."""
    lang: Lang = "zh" if BEGIN["zh"] in prompt else "en"
    start, end = prompt.find(BEGIN[lang]), prompt.rfind(END[lang])
    if start < 0 or end < start:
        return ()
    body = prompt[start + len(BEGIN[lang]) : end]
    asked = [*_questions(prompt[:start], lang), *_questions(prompt[end:], lang)]
    answers = []
    for thing, place in asked:
        names = _stated(body, thing, place, lang)
        if len(names) != 1:
            return ()
        answers.append(names[0])
    return tuple(answers)


def audit_needles(draft: Draft) -> Iterator[Finding]:
    """Check that each answer stands once, inside its evidence, that needles are whole, and no character is cut."""
    if "\ufffd" in draft.prompt:
        yield Finding("cut character", "the prompt holds U+FFFD")
    if not len(draft.answers) == len(draft.evidence) == len(draft.depths) == len(draft.facts["reference"]):
        yield Finding(
            "evidence",
            f"{len(draft.answers)} answers, {len(draft.evidence)} spans, {len(draft.depths)} depths, "
            f"{len(draft.facts['reference'])} references",
        )
        return
    if [needle["name"] for needle in draft.facts["needles"]] != list(draft.answers):
        yield Finding("facts", f"the needles {draft.facts['needles']} do not have the names {draft.answers}")
    if draft.complexity != len(draft.answers):
        yield Finding("complexity", f"complexity {draft.complexity} with {len(draft.answers)} answers")
    if len(set(draft.answers)) != len(draft.answers):
        yield Finding("ambiguous", f"two needles share an answer: {draft.answers}")
    for answer, (start, end), reference in zip(draft.answers, draft.evidence, draft.facts["reference"], strict=True):
        if draft.prompt[start:end] != reference:
            yield Finding("evidence", f"span {start}..{end} holds {draft.prompt[start:end]!r}, not {reference!r}")
        if answer not in reference:
            yield Finding("evidence", f"answer {answer!r} is not in its needle {reference!r}")
        if (times := draft.prompt.count(answer)) != 1:
            yield Finding("answer elsewhere", f"answer {answer!r} occurs {times} times in the prompt, not once")


def _questions(text: str, lang: Lang) -> list[tuple[str, str]]:
    pattern = re.escape(QUESTION[lang])
    # Thing and place are short and contain no full stop; the bound keeps the match linear.
    letter = r"[^.?？。：:\n]" if lang == "en" else r"[^.?？。：:\s]"
    for field in ("object", "place"):
        pattern = pattern.replace(re.escape(f"{{{field}}}"), f"(?P<{field}>{letter}{{1,60}}?)")
    return [(match["object"], match["place"]) for match in re.finditer(pattern, text)]


def _stated(body: str, thing: str, place: str, lang: Lang) -> list[str]:
    """The names that the body states for a thing at a place, one for every needle."""
    names: dict[int, str] = {}
    at = body.find(place)
    while at >= 0:
        low = max(0, at - _WINDOW)
        window = body[low : at + _WINDOW]
        for wording in NEEDLES[lang]:
            before, after = wording.replace("{object}", thing).replace("{place}", place).split("{name}")
            place_of = window.find(before)
            while place_of >= 0:
                begin = place_of + len(before)
                stop = window.find(after, begin)
                if stop > begin:
                    names[low + begin] = window[begin:stop]
                place_of = window.find(before, begin)
        at = body.find(place, at + 1)
    return [names[position] for position in sorted(names)]
