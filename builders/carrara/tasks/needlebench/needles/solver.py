"""Answers a needle task from its prompt alone, finds prompts in which a wrong response could score, and guesses."""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding, Lang
from carrara.tasks.needlebench.needles.prompt import ASK, BEGIN, END, NEEDLES, QUESTION
from carrara.world import latent

# Longer than any needle, so that a window around a place's name holds the whole sentence.
_WINDOW = 300
_SENTENCE: Final[dict[Lang, re.Pattern[str]]] = {
    "en": re.compile(r"[^.?!\n]+[.?!]?”?"),
    "zh": re.compile(r"[^。？！\n]+[。？！]?”?"),
}
# What tells an English sentence from others at a glance.
_NAMES: Final = re.compile(r"\b[A-Z][a-z]+")
# The name of a latent needle.
_NAME: Final[dict[Lang, str]] = {"en": r"[A-Z][a-z]+ [A-Z][a-z]+", "zh": "[\u3400-\u9fff]{2,6}?(?=。)"}
# About 4,000 tokens, in characters.
_GLANCE: Final[dict[Lang, int]] = {"en": 18_000, "zh": 6_000}
_SMALL: Final = frozenset(
    {"a", "an", "at", "by", "in", "is", "of", "the", "to", "was", "what", "which", "who", "whose"}
)


def solve_needles(prompt: str) -> tuple[str, ...]:
    """The names asked for, in the order of the questions; () if one is not stated exactly once."""
    lang: Lang = "zh" if BEGIN["zh"] in prompt else "en"
    start, end = prompt.find(BEGIN[lang]), prompt.rfind(END[lang])
    if start < 0 or end < start:
        return ()
    body = prompt[start + len(BEGIN[lang]) : end]
    asked = [*_questions(prompt[:start], lang), *_questions(prompt[end:], lang)]
    if not asked and (said := _asked(prompt[:start] + prompt[end:], lang)):
        return tuple(names) if len(names := _of_kinds(body, said, lang)) == 1 else ()
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
    yield from _audit_latent(draft)
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


def _audit_latent(draft: Draft) -> Iterator[Finding]:
    """Check that question and evidence of a latent needle share no content word."""
    lang: Lang = "zh" if BEGIN["zh"] in draft.prompt else "en"
    if not draft.facts["needles"][0].get("owner"):
        return
    start, end = draft.prompt.find(BEGIN[lang]), draft.prompt.rfind(END[lang])
    question = _asked(draft.prompt[:start] + draft.prompt[end:], lang)
    for reference, name in zip(draft.facts["reference"], draft.answers, strict=False):
        if shared := latent.overlap(lang, question, reference.replace(name, "")):
            yield Finding("overlap", f"question and evidence share {sorted(shared)}")


def guesses(draft: Draft, _stream: Stream) -> dict[str, tuple[str, ...]]:
    """Responses of readers who look for the question's words, or for what is unlike the rest, and copy sentences."""
    lang: Lang = "zh" if BEGIN["zh"] in draft.prompt else "en"
    start, end = draft.prompt.find(BEGIN[lang]), draft.prompt.rfind(END[lang])
    body = draft.prompt[start + len(BEGIN[lang]) : end]
    asked = [" ".join(each) for each in _questions(draft.prompt[:start] + draft.prompt[end:], lang)]
    asked = asked or [_asked(draft.prompt[:start] + draft.prompt[end:], lang)]
    near = "sentences with most of the questions' words" if len(asked) > 1 else "the sentence with most of its words"
    texts = {near: body, f"{near}, first 4k": body[: _GLANCE[lang]], f"{near}, last 4k": body[-_GLANCE[lang] :]}
    sentences = {name: [match.span() for match in _SENTENCE[lang].finditer(text)] for name, text in texts.items()}
    found: dict[str, tuple[str, ...]] = {
        name: ("\n".join(_fullest(text, sentences[name], each, lang) for each in asked),)
        for name, text in texts.items()
    }
    odd = _oddest(body, sentences[near], len(asked), lang)
    return found | {"the sentence with most names of its own": ("\n".join(odd),)}


def _fullest(text: str, spans: Sequence[tuple[int, int]], question: str, lang: Lang) -> str:
    """The sentence (of `spans`) that holds most of a question's words, each the more, the rarer it is in the text."""
    if lang == "en":
        words = {word for word in re.findall(r"\w+", question) if word.lower() not in _SMALL}
        pattern = r"\b(?:" + "|".join(map(re.escape, sorted(words))) + r")\b"
    else:
        words = {question[at : at + 2] for at in range(len(question) - 1)}
        pattern = f"(?={'|'.join(map(re.escape, sorted(words)))})"
    starts = [begin for begin, _ in spans]
    held: dict[int, set[str]] = {}
    counts: Counter[str] = Counter()
    for match in re.finditer(pattern, text):
        word = match[0] or text[match.start() : match.start() + 2]
        counts[word] += 1
        held.setdefault(bisect_right(starts, match.start()) - 1, set()).add(word)
    best = max(held, key=lambda at: sum(1 / counts[word] for word in held[at]), default=0)
    return text[slice(*spans[best])].strip() if spans else ""


def _oddest(text: str, spans: Sequence[tuple[int, int]], count: int, lang: Lang) -> Sequence[str]:
    """The sentences with most names (in Chinese, characters) that stand nowhere else in the text."""
    if lang == "zh":
        once = [mark for mark, times in Counter(text).items() if times == 1 and "\u3400" <= mark <= "\u9fff"]
        starts = [begin for begin, _ in spans]
        own = Counter(bisect_right(starts, at) - 1 for at in sorted(map(text.find, once)))
    else:
        marks = [_NAMES.findall(text, *span) for span in spans]
        counts = Counter(chain.from_iterable(marks))
        own = Counter(at for at, names in enumerate(marks) for name in names if counts[name] == 1)
    return [text[slice(*spans[at])].strip() for at, _ in own.most_common(count)]


def _questions(text: str, lang: Lang) -> list[tuple[str, str]]:
    pattern = re.escape(QUESTION[lang])
    # Thing and place are short and contain no full stop; the bound keeps the match linear.
    letter = r"[^.?？。：:\n]" if lang == "en" else r"[^.?？。：:\s]"
    for field in ("object", "place"):
        pattern = pattern.replace(re.escape(f"{{{field}}}"), f"(?P<{field}>{letter}{{1,60}}?)")
    return [(match["object"], match["place"]) for match in re.finditer(pattern, text)]


def _of_kinds(body: str, asked: str, lang: Lang) -> list[str]:
    """The names that the body gives to what a latent question asks for by its kinds; [] if it is no such question."""
    pattern = re.escape(latent.QUESTION[lang])
    for slot, kinds in zip(latent.SLOTS, latent.KINDS[lang], strict=True):
        pattern = pattern.replace(re.escape(f"{{{slot}}}"), f"(?P<{slot}>{'|'.join(map(re.escape, kinds))})")
    if (match := re.fullmatch(pattern, asked)) is None:
        return []
    found = []
    for wording in latent.NEEDLES[lang]:
        pattern = re.escape(wording).replace(re.escape("{name}"), f"(?P<name>{_NAME[lang]})")
        for slot, kinds in zip(latent.SLOTS, latent.KINDS[lang], strict=True):
            members = "|".join(re.escape(member) for member in kinds[match[slot]])
            pattern = pattern.replace(re.escape(f"{{{slot}}}"), f"(?:{members})")
        found += [said["name"] for said in re.finditer(pattern, body)]
    return found


def _asked(text: str, lang: Lang) -> str:
    """The one question of a row whose words are not those of `QUESTION`."""
    lines = (line.removeprefix(ASK[lang][0]) for line in text.split("\n") if line.startswith(ASK[lang][0]))
    return next(lines, "")


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
