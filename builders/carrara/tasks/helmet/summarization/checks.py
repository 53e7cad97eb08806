"""The audit of summarization rows, and the scores of guesses that read little.

The audit proves the frame, the stated length, and the positions of the world's key points. The summaries of people
cannot be proven. In the invented world every key point is made from its evidence, so that each name and number of the
summary can be found in the shown text. The guesses are the first sentences, the last ones, and random ones, each of
about the requested length.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.summarization.prompt import ENDED, SHOWN, TAIL, WORDINGS

# A name or a number; what begins a sentence is a name unless it is one of these.
_SAID: Final = re.compile(r"[A-Z][\w-]+|\d(?:[\d,]*\d)?")
_NO_NAMES: Final = frozenset(("The", "With"))
# Words of a key point that need not stand in its evidence, if they stand before its end: who owned what is sold, where
# somebody came to.
_BEFORE: Final = 2
# Where the parts of a key point stand: of the minutes in its item, whose title names the matter.
_FROM: Final[Mapping[str, str]] = {"world": "sentence", "world_meeting": "item"}
_NEAREST: Final = 5.0
_END: Final = re.compile(r"(?<=[.!?”])\s+")
# How many characters at each end of a text are searched for a word.
_EACH: Final = 40
_DRAWN: Final = 4


def audit_row(draft: Draft) -> Iterator[Finding]:
    """Yield every finding in a row's prompt, answers and facts."""
    facts, prompt = draft.facts, draft.prompt
    start, end = facts["body"]
    wording = WORDINGS[facts["variant"]]
    noun, words = wording.noun, facts["words"]
    asked = TAIL.format(noun=noun, request=facts["request"], words=words)
    if not (0 <= start < end) or prompt[end:] != ENDED.format(noun=noun) + asked:
        yield Finding("layout", f"behind {end} does not stand the request {facts['request']!r} for {words} words")
        return
    if not prompt.startswith(wording.introduction) or not prompt[:start].endswith(SHOWN.format(noun=noun)):
        yield Finding("layout", f"before {start} does not stand the introduction of a {noun}")
        return
    body = prompt[start:end]
    if hashlib.sha256(body.encode("utf-8", "surrogatepass")).hexdigest() != facts["body_sha256"]:
        yield Finding("document", f"what stands at {start}..{end} is not what was shown of {facts['document']}")
    if "\ufffd" in prompt:
        yield Finding("damage", f"U+FFFD at {prompt.index(chr(0xFFFD))}")
    mean = sum(len(answer.split()) for answer in draft.answers) / max(1, len(draft.answers))
    if abs(words - mean) > max(_NEAREST, 10 - mean):
        yield Finding("length", f"about {words} words are asked for; the references have {mean:.1f}")
    for answer in draft.answers:
        if answer in prompt:
            yield Finding("gold", f"the summary {answer[:60]!r} stands in the prompt")
    if not draft.answers:
        return
    yield from _key_points(draft)
    if facts["variant"] in _FROM:
        yield from _world(draft, body)


def _key_points(draft: Draft) -> Iterator[Finding]:
    facts = draft.facts
    if facts["key_points_from"] not in ("world", "model", "sentences") or not facts["key_points"]:
        yield Finding("key points", f"{len(facts['key_points'])} from {facts['key_points_from']!r}")
    elif facts["key_points_from"] != "model" and "".join(draft.answers[0].split()) != _joined(facts["key_points"]):
        yield Finding("key points", "together they are not the reference summary")


def _joined(points: Iterable[str]) -> str:
    return "".join("".join(point.split()) for point in points)


def _world(draft: Draft, body: str) -> Iterator[Finding]:
    facts = draft.facts
    points = facts["key_points"]
    if len(points) != len(draft.evidence) or not facts["evidence_inside"]:
        yield Finding("evidence", f"{len(draft.evidence)} places of {len(points)} key points")
        return
    at = facts["body"][0]
    for point, (start, end) in zip(points, draft.evidence, strict=True):
        if not at <= start < end <= facts["body"][1]:
            yield Finding("evidence", f"{point!r} stands at {start}..{end}, not behind {at} and inside the document")
            return
        at = start
        sentence, around = draft.prompt[start:end], draft.prompt[max(0, start - 1) : end + 1]
        if around.strip() != sentence or sentence != sentence.strip() or not sentence.endswith((".", "!", "?", "”")):
            yield Finding("evidence", f"{sentence[:80]!r} is no whole sentence")
        if _FROM[facts["variant"]] == "item":
            sentence = draft.prompt[draft.prompt.rindex("\n\n", 0, start) : end]
        held = {*_SAID.findall(sentence), "Councillor"}
        missing = [
            said
            for number, said in enumerate(_SAID.findall(point))
            if said not in held and not (number == 0 and said in _NO_NAMES)
        ]
        if len(missing) > _BEFORE or any(said not in draft.prompt[facts["body"][0] : end] for said in missing):
            yield Finding("evidence", f"{missing} of {point!r} do not stand in its evidence")
            return


def guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Return guesses by name: the lead (a strong baseline for news, weak for stories), the end, random sentences."""
    start, end = draft.facts["body"]
    words = draft.facts["words"]
    far = min(end - start, _EACH * words + 1_000)
    first = _END.split(draft.prompt[start : start + far])
    last = _END.split(draft.prompt[end - far : end])
    return {
        "first sentences": (" ".join(_taken(first, words)),),
        "last sentences": (" ".join(reversed(list(_taken(reversed(last), words)))),),
        "random sentences": tuple(
            _random(draft.prompt, start, end, words, stream.child(turn)) for turn in range(_DRAWN)
        ),
    }


def _taken(sentences: Iterable[str], words: int) -> Iterator[str]:
    for sentence in sentences:
        if words <= 0:
            return
        words -= len(sentence.split())
        yield sentence


def _random(prompt: str, start: int, end: int, words: int, stream: Stream) -> str:
    """Whole sentences at places drawn by key, in the order of the text."""
    sentences: dict[int, str] = {}
    for _ in range(words):
        position = start + stream.below(end - start)
        parts = _END.split(prompt[position : min(end, position + 2_000)], maxsplit=2)
        if len(parts) > 2:
            sentences[position] = parts[1]
            if (words := words - len(parts[1].split())) <= 0:
                break
    return " ".join(sentences[position] for position in sorted(sentences))
