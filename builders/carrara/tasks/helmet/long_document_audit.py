"""What is proven of a long document row whoever gave its gold: the frame, the options, and where the answer stands."""

import re
from collections.abc import Iterator
from typing import Final

from carrara.task import Draft, Finding
from carrara.tasks.helmet.long_document_templates import INTRODUCTION, LETTERS, REMINDER, TAIL, TEXT

_NAME: Final = re.compile(r"(?<!^)\b[A-Z][a-z]{3,}\b")
# Tokens and characters of a text agree to within so much of it.
_DEPTH: Final = 0.05
# A row of a few lines begins at one, wherever that leaves the evidence.
_LINE: Final = 2_500


def audit_row(draft: Draft) -> Iterator[Finding]:
    """Whatever is wrong with the row."""
    facts, prompt = draft.facts, draft.prompt
    form, (start, end) = facts["form"], facts["body"]
    options = "".join(f"{letter}. {text}\n" for letter, text in zip(LETTERS, facts["options"], strict=False))
    tail = TAIL.format(reminder=REMINDER[form], question=facts["question"], options=options)
    head = prompt[:start]
    if not head.startswith(INTRODUCTION[form]) or not head.endswith(TEXT) or prompt[end:] != tail:
        yield Finding("layout", f"the text at {start}..{end} does not stand before {facts['question']!r}")
        return
    text = prompt[start:end]
    if text != text.strip() or "\ufffd" in text:
        yield Finding("damage", f"the text begins {text[:40]!r}, ends {text[-40:]!r}, or holds U+FFFD")
    if not draft.answers:
        return
    found = list(_asked(draft))
    yield from found
    if found:
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
    """The evidence is one whole sentence of the text, at the wanted depth, with the answer and the question's names."""
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
    # A motion goes by the name of its place alone.
    held = [name for name in names if name in sentence]
    if not held or (facts["form"] != "meeting" and len(held) < len(names - {"Councillor"})):
        yield Finding("evidence", f"{sentence!r} holds {held} of the names of {facts['question']!r}")
    share = (first - start) / (end - start)
    if abs(draft.depths[0] - share) > max(_DEPTH, 400 / (end - start)):
        yield Finding("depth", f"the evidence stands at {share:.3f} of the text; depth says {draft.depths[0]}")
    if abs(share - facts["depth"]) > _DEPTH + _LINE / (end - start):
        yield Finding("depth", f"the evidence stands at {share:.3f} of the text; {facts['depth']:.3f} was wanted")
