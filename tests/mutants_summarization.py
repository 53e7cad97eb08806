"""Damaged drafts of summaries: the document, the summary, what is asked and what is said of all three."""

from collections.abc import Iterator
from dataclasses import replace

from edits import edited

from carrara.task import Draft


def damaged(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with prompt[start:end] of its document replaced, and the end of the document moved."""
    low, high = draft.facts["body"]
    moved = edited(draft, start, end, text)
    return replace(moved, facts={**draft.facts, "body": [low, high + len(text) - (end - start)]})


def _places(draft: Draft) -> tuple[tuple[int, int], ...]:
    """The evidence; where nobody knows it, a sentence in the middle of the document."""
    if draft.evidence:
        return draft.evidence
    low, high = draft.facts["body"]
    start = draft.prompt.index(". ", (low + high) // 2) + 2
    return ((start, draft.prompt.index(".", start) + 1),)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What states a key point is taken out, and its span points at what came to stand there."""
    for start, end in _places(draft):
        yield damaged(draft, start, end + 1, "")


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What states a key point stands there a second time, of somebody else."""
    for start, end in _places(draft):
        said = draft.prompt[start:end]
        name = next(word for word in said.split() if word[:1].isalpha())
        yield damaged(draft, end, end, " " + said.replace(name, "Brown"))


def name_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A key point names another person than the document; so does the summary."""
    if draft.facts["key_points_from"] == "world":
        for number, point in enumerate(draft.facts["key_points"]):
            name = next(word for word in point.split() if word.istitle() and word not in ("The", "With"))
            points = list(draft.facts["key_points"])
            points[number] = point.replace(name, "Brown")
            answers = (draft.answers[0].replace(point, points[number]),)
            yield replace(draft, answers=answers, facts={**draft.facts, "key_points": points})


def points_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two key points change places in the summary."""
    if len(draft.facts["key_points"]) < 2:
        return
    first, second, *rest = draft.facts["key_points"]
    swapped = draft.answers[0].replace(first, "\x00").replace(second, first).replace("\x00", second)
    yield replace(draft, answers=(swapped, *draft.answers[1:]))
    yield replace(draft, facts={**draft.facts, "key_points": [second, first, *rest]})


def point_dropped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The summary lacks a key point, or has one more."""
    points = draft.facts["key_points"]
    for number in range(len(points)):
        yield replace(draft, facts={**draft.facts, "key_points": points[:number] + points[number + 1 :]})
    yield replace(draft, facts={**draft.facts, "key_points": [*points, "Brown was there."]})


def gold_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The summary stands in the document."""
    low, high = draft.facts["body"]
    middle = draft.prompt.index(" ", (low + high) // 2)
    yield damaged(draft, middle, middle, " " + draft.answers[0])


def request_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What stands behind the document is another item's."""
    ours, theirs = (one.prompt[one.facts["body"][1] :] for one in (draft, other))
    if ours != theirs:
        yield edited(draft, len(draft.prompt) - len(ours), len(draft.prompt), theirs)


def length_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The request states twice the length of the reference."""
    words = draft.facts["words"]
    at = draft.prompt.rindex(f"about {words} words")
    longer = edited(draft, at, len(draft.prompt), f"about {2 * words} words\n")
    yield replace(longer, facts={**draft.facts, "words": 2 * words})


def document_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The document is another item's."""
    low, high = other.facts["body"]
    # Two items may ask of one document.
    if draft.facts["document"] != other.facts["document"]:
        yield damaged(draft, *draft.facts["body"], other.prompt[low:high])


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The recorded summary is that of another item."""
    if draft.answers != other.answers:
        yield replace(draft, answers=other.answers)


SUMMARIZATION = (
    evidence_removed,
    evidence_doubled,
    name_changed,
    points_swapped,
    point_dropped,
    gold_in_filler,
    request_of_another,
    length_doubled,
    document_of_another,
    gold_of_another,
)
