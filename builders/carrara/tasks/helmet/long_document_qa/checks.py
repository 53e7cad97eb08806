"""The audit of long-document rows from any source, and guesses that read no sentence.

The audit proves the frame, the options and the position of the answer. The guesses count and find names: for the
world's rows names and sums; for a real document's row all that question and options alone allow.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.long_document_qa.prompt import ASK, INTRODUCTION, LETTERS, TAIL, TEXT
from carrara.tasks.helmet.long_document_qa.solver import LongDocumentReading, read_prompt

_NAME: Final = re.compile(r"(?<!^)\b[A-Z][a-z]{3,}\b")
# Tokens and characters of a text agree to within so much of it.
_DEPTH: Final = 0.05
# A row of a few lines begins at one, wherever that leaves the evidence.
_LINE: Final = 2_500
_FULL_NAME: Final = re.compile(r"[A-Z][a-z]{3,} [A-Z][a-z]{2,4} [A-Z][a-z]{3,}")
_PLACE: Final = re.compile(r"[A-Z][a-z]{3,} [A-Z][a-z]{3,}")
_SUM: Final = re.compile(r"[0-9][0-9,]* marks")
_DAY: Final = re.compile(r"[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}")
_WORD: Final = re.compile(r"[A-Z][a-z]{3,}")


def audit_row(draft: Draft) -> Iterator[Finding]:
    """Whatever is wrong with the row."""
    facts, prompt = draft.facts, draft.prompt
    form, (start, end) = facts["form"], facts["body"]
    options = "".join(f"{letter}. {text}\n" for letter, text in zip(LETTERS, facts["options"], strict=False))
    tail = TAIL.format(question=facts["question"], options=options, ask=ASK[form])
    head = prompt[:start]
    if not head.startswith(INTRODUCTION[form]) or not head.endswith(TEXT) or prompt[end:] != tail:
        yield Finding("layout", f"the text at {start}..{end} does not stand before {facts['question']!r}")
        return
    text = prompt[start:end]
    if text != text.strip() or "\ufffd" in text:
        yield Finding("damage", f"the text begins {text[:40]!r}, ends {text[-40:]!r}, or holds U+FFFD")
    if not draft.answers:
        return
    findings = list(_asked(draft))
    yield from findings
    if findings:
        return
    if facts.get("evidence_inside"):
        yield from _answered(draft, start, end)
    elif draft.evidence or draft.depths or draft.complexity:
        yield Finding("evidence", f"{draft.evidence} at {draft.depths}, though nobody knows where the answer stands")


def _asked(draft: Draft) -> Iterator[Finding]:
    question, options = draft.facts["question"], draft.facts["options"]
    if "\n" in question or not any(map(str.isalnum, question)):
        yield Finding("question", f"{question[:80]!r} is no line of words")
    if list(draft.choices) != options or bool(options) != draft.facts["form"].endswith("_choice"):
        yield Finding("options", f"{draft.choices} are the choices, {options} are shown")
    if len({option.casefold() for option in options}) < len(options) or not all(map(str.strip, options)):
        yield Finding("options", f"{options} are not distinct, or one is empty")
    if any("\n" in option for option in options):
        yield Finding("options", f"one of {options} is more than a line")
    if options and (len(draft.answers) > 1 or draft.answers[0] not in LETTERS[: len(options)]):
        yield Finding("gold", f"{draft.answers} is no letter of {len(options)} options")
    # A real question may: "Did he die or did he live?"
    if draft.evidence and not options and draft.answers[0].casefold() in question.casefold():
        yield Finding("question", f"{question!r} holds its answer {draft.answers[0]!r}")


def _answered(draft: Draft, start: int, end: int) -> Iterator[Finding]:
    """Check that the evidence is one whole sentence, at the wanted depth, with the answer and the question's names."""
    facts = draft.facts
    if len(draft.evidence) != 1 or len(draft.depths) != 1 or draft.complexity != 1:
        yield Finding("evidence", f"{draft.evidence} at {draft.depths}: one sentence is expected")
        return
    ((first, last),) = draft.evidence
    sentence = draft.prompt[first:last]
    if not start <= first < last <= end or draft.prompt[first - 1] not in " \n" or sentence[-1] not in ".?!”":
        yield Finding("evidence", f"{first}..{last} is no whole sentence of the text: {sentence[:80]!r}")
        return
    answer = draft.answers[0] if not facts["options"] else facts["options"][LETTERS.index(draft.answers[0])]
    if answer not in sentence:
        yield Finding("evidence", f"{sentence!r} does not hold {answer!r}")
    names = set(_NAME.findall(facts["question"]))
    # A motion is named only by its place.
    held = [name for name in names if name in sentence]
    if not held or (facts["form"] != "meeting" and len(held) < len(names - {"Councillor"})):
        yield Finding("evidence", f"{sentence!r} holds {held} of the names of {facts['question']!r}")
    share = (first - start) / (end - start)
    if abs(draft.depths[0] - share) > max(_DEPTH, 400 / (end - start)):
        yield Finding("depth", f"the evidence stands at {share:.3f} of the text; depth says {draft.depths[0]}")
    if abs(share - facts["depth"]) > _DEPTH + _LINE / (end - start):
        yield Finding("depth", f"the evidence stands at {share:.3f} of the text; {facts['depth']:.3f} was wanted")


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Equally likely responses of each guesser."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        return {}
    if reading.options:
        return _options(reading)
    guessed = {"no text: an example's answer": tuple(answer for _, answer in reading.examples)}
    if reading.form != "story":
        guessed |= _values(reading)
    return {name: responses for name, responses in guessed.items() if responses}


def _options(reading: LongDocumentReading) -> dict[str, tuple[str, ...]]:
    text, near = reading.text, _nearness(reading)
    return {
        "the option that stands most often in the text": _best(reading, text.count),
        "the option that stands least often in the text": _best(reading, lambda option: -text.count(option)),
        "the option that stands first in the text": _best(reading, lambda option: -_where(text, option)),
        "the option nearest to where the question's names stand first": _best(reading, near),
        "the longest option": _best(reading, len),
    }


def _best(reading: LongDocumentReading, score: Callable[[str], float]) -> tuple[str, ...]:
    """The letters of the options with the best score."""
    scores = [score(option) for option in reading.options]
    return tuple(f"Answer: {chr(ord('A') + number)}" for number, value in enumerate(scores) if value == max(scores))


def _where(text: str, option: str) -> int:
    return at if (at := text.find(option)) >= 0 else len(text)


def _nearness(reading: LongDocumentReading) -> Callable[[str], float]:
    """How near to the first place of a name of the question an option stands, larger is nearer."""
    text = reading.text
    names = [name for name in _WORD.findall(reading.question) if name in text]
    at = min((text.find(name) for name in names), default=0)

    def near(option: str) -> float:
        after = text.find(option, at)
        before = text.rfind(option, 0, at)
        return -min([abs(position - at) for position in (after, before) if position >= 0], default=len(text))

    return near


def _values(reading: LongDocumentReading) -> dict[str, tuple[str, ...]]:
    """A name, sum or day of the kind that the question's first words ask for."""
    asked = reading.question
    if re.search(r"[Hh]ow much|[Ww]hat sum|cost|stake|prize|price", asked):
        shape = _SUM
    elif asked.startswith("By what date"):
        shape = _DAY
    elif re.search(r"[Ww]here|[Tt]own|[Pp]lace", asked):
        shape = _PLACE
    else:
        shape = _FULL_NAME
    text = reading.text
    known = [value for value in shape.findall(text) if value not in asked]
    if not known:
        return {}
    names = [name for name in _WORD.findall(asked)[1:] if name in text]
    at = min((text.find(name) for name in names), default=0)
    after = next((match[0] for match in shape.finditer(text, at) if match[0] not in asked), known[-1])
    return {
        "the name or sum that stands most often in the text": (Counter(known).most_common(1)[0][0],),
        "the last name or sum of the text": (known[-1],),
        "the next name or sum where the question's names stand first": (after,),
    }
