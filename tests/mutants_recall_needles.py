"""Damaged drafts of synthetic recall by key: JSON pairs and needles lost, doubled, moved or changed, keys exchanged."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from edits import edited

from carrara.task import Draft

_LINE = re.compile(r'"([0-9a-f-]{36})": "([0-9a-f-]{36})",?\n')
_NEEDLE = re.compile(r"Under ([a-z0-9-]+) the register lists ([a-z0-9-]+)\.")


def is_pairs(draft: Draft) -> bool:
    return draft.facts["variant"] == "json_kv"


def is_register(draft: Draft) -> bool:
    return draft.facts["variant"] in ("niah_multikey_2", "niah_multikey_3")


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def statements(draft: Draft) -> list[re.Match[str]]:
    """The pairs of the object, or the needles: of each its key and its value."""
    if is_pairs(draft):
        return list(_LINE.finditer(draft.prompt, draft.prompt.index("Here is the object.")))
    return list(_NEEDLE.finditer(draft.prompt))


def fillers(draft: Draft) -> list[re.Match[str]]:
    """Those that are not asked."""
    held = [start for start, _ in draft.evidence]
    return [one for one in statements(draft) if one.start() not in held]


def key_and_value(draft: Draft, number: int) -> tuple[str, str]:
    """What the evidence says."""
    start, end = draft.evidence[number]
    (found,) = [one for one in statements(draft) if start <= one.start() < end]
    return found[1], found[2]


def another(text: str) -> str:
    """A value of the same form that is another one."""
    digit = "8" if text[0] != "8" else "3"
    return digit + text[1:]


def evidence_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each pair or needle that is asked is taken out, with its line or its space."""
    for start, end in draft.evidence:
        after = 2 if draft.prompt[end] == "," else 1
        yield edited(draft, start, min(end + after, len(draft.prompt)), "")


def evidence_stated_again(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What is asked is stated again: the same, and with another value."""
    for number, (start, end) in enumerate(draft.evidence):
        _, value = key_and_value(draft, number)
        said = draft.prompt[start:end]
        joint = ",\n" if is_pairs(draft) else "\n" if is_register(draft) else " "
        for again in (said, said.replace(value, another(value)), said.replace(value, other.answers[0])):
            yield edited(draft, end, end, joint + again)
            yield edited(draft, start, start, again + joint)


def value_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The value in the text is another one; the record is as it was."""
    for number, (start, end) in enumerate(draft.evidence):
        _, value = key_and_value(draft, number)
        yield edited(draft, start, end, draft.prompt[start:end].replace(value, another(value)))


def key_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The key in the text is another one, so that nothing is listed under what is asked."""
    for number, (start, end) in enumerate(draft.evidence):
        key, _ = key_and_value(draft, number)
        yield edited(draft, start, end, draft.prompt[start:end].replace(key, another(key)))


def filler_given_the_key(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Filler is made relevant: another pair or needle gets the key that is asked."""
    found = fillers(draft)
    key, _ = key_and_value(draft, 0)
    for one in (found[0], found[-1]):
        yield edited(draft, one.start(1), one.end(1), key)


def gold_beside(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold stands in filler too: as another value, and in the text."""
    for one in fillers(draft)[:1]:
        yield edited(draft, one.start(2), one.end(2), draft.answers[0])
    if not is_pairs(draft):
        middle = draft.prompt.index("\n", len(draft.prompt) // 3)
        yield edited(draft, middle, middle, f" {draft.answers[0]}")
        yield edited(draft, middle, middle, f" It was number 1{draft.answers[-1]}2.")


def key_in_the_text(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The key stands in a sentence of another form."""
    if not is_pairs(draft):
        middle = draft.prompt.index("\n", len(draft.prompt) // 3)
        yield edited(draft, middle, middle, f" There was once talk of un{draft.facts['asked'][-1]}s.")


def filler_repeated(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A pair or needle that is not asked stands twice, or gets the key or the value of another such one."""
    found = fillers(draft)
    one, last = found[0], found[-1]
    yield edited(draft, one.start(1), one.end(1), last[1])
    yield edited(draft, one.start(2), one.end(2), last[2])
    text = one[0] if is_pairs(draft) else one[0] + ("\n" if is_register(draft) else " ")
    yield edited(draft, one.start(), one.start(), text)


def swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two values change places."""
    one = fillers(draft)[-1]
    _, value = key_and_value(draft, 0)
    first = edited(draft, one.start(2), one.end(2), value)
    start, end = first.evidence[0]
    yield edited(first, start, end, draft.prompt[slice(*draft.evidence[0])].replace(value, one[2]))


def moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What is asked stands at the other end of the text."""
    for number, (start, end) in enumerate(draft.evidence):
        said, prompt = draft.prompt[start:end], draft.prompt
        found = statements(draft)
        # The last line of an object has no comma: pairs change places with their neighbour only in the middle.
        if is_pairs(draft) or is_register(draft):
            place = next(at for at, one in enumerate(found) if one.start() == start)
            target = found[-4 if place < len(found) // 2 else 3]
            lines = [found[place], target]
            a, b = sorted(lines, key=lambda one: one.start())
            if a[0][-2:] == ",\n" or is_register(draft):
                text = prompt[: a.start()] + b[0] + prompt[a.end() : b.start()] + a[0] + prompt[b.end() :]
                at = text.index(said)
                yield replace(draft, prompt=text, evidence=((at, at + len(said)),))
            return
        low = prompt.index("\n\n", prompt.index("Here is the text.") + 40)
        high = prompt.rindex("\n\n", 0, len(prompt) - 700)
        target = high if start < len(prompt) // 2 else low
        text = prompt[:target] + f" {said}" + prompt[target:]
        old = start if start < target else start + len(said) + 1
        text = (
            text[: old - 1] + text[old + len(said) :] if text[old - 1] == " " else text[:old] + text[old + len(said) :]
        )
        spans = list(draft.evidence)
        at = text.index(said)
        spans[number] = (at, at + len(said))
        yield replace(draft, prompt=text, evidence=tuple(spans))


def record_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The record says another place, another depth, another number of things."""
    if is_pairs(draft):
        placement, positions = draft.facts["position"]
        yield with_facts(draft, position=[positions - 1 - placement, positions])
        yield with_facts(draft, shots=2 - draft.facts["shots"])
    if not is_pairs(draft):
        wrong = [[key, value, 1 - depth if abs(depth - 0.5) > 0.1 else 0.0] for key, value, depth in _needles(draft)]
        yield with_facts(draft, needles=wrong)
        yield with_facts(draft, needles=[*_needles(draft), ["no-such", "1234567", 0.5]])
        yield with_facts(draft, values=draft.facts["values"] + 1)
    wrong_depth = 1 - draft.depths[0] if abs(draft.depths[0] - 0.5) > 0.1 else 0.9
    yield replace(draft, depths=(wrong_depth, *draft.depths[1:]))
    yield replace(draft, complexity=2)


def _needles(draft: Draft) -> list[list[Any]]:
    return [list(one) for one in draft.facts["needles"]]


def another_key_asked(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another key is asked: one of the text, and one of no text, in the record too."""
    key = draft.facts["key"] if is_pairs(draft) else draft.facts["asked"][0]
    at = draft.prompt.rindex(key)
    keys = [one[1] for one in fillers(draft)[-1:]]
    keys.append(other.facts["key"] if is_pairs(draft) else other.facts["asked"][0])
    for new in keys:
        asked = edited(draft, at, at + len(key), new)
        yield asked
        if is_pairs(draft):
            yield with_facts(asked, key=new)
        else:
            yield with_facts(asked, asked=[new, *draft.facts["asked"][1:]])


def example_wrong(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example gives the value of another key, or asks what the row asks."""
    found = re.search(r"\nValue: (.{36})\n", draft.prompt)
    first = _LINE.search(draft.prompt)
    assert found and first
    yield edited(draft, found.start(1), found.end(1), another(found[1]))
    yield edited(draft, first.start(1), first.end(1), draft.facts["key"])
    yield edited(draft, first.start(2), first.end(2), draft.answers[0])


def layout_broken(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A line that is no pair, a needle of another wording, a character that was lost."""
    for one in fillers(draft)[:1]:
        yield edited(draft, one.start(), one.end(), one[0].upper())
        if is_pairs(draft):
            yield edited(draft, one.end() - 2, one.end() - 1, "")
    if not is_pairs(draft):
        middle = draft.prompt.index("\n", len(draft.prompt) // 3)
        yield edited(draft, middle, middle, " \ufffd")
    for number, (start, end) in enumerate(() if is_pairs(draft) else draft.evidence):
        _, value = key_and_value(draft, number)
        yield edited(draft, start, end, draft.prompt[start:end].replace(f"lists {value}", f"has {value}"))


def answers_in_another_order(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The answers stand for other questions."""
    yield replace(draft, answers=(*draft.answers[1:], draft.answers[0]))
    order = [*range(1, len(draft.evidence)), 0]
    yield replace(draft, evidence=tuple(draft.evidence[number] for number in order))


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is that of another item."""
    yield replace(draft, answers=other.answers)


_ALL = (
    evidence_lost,
    evidence_stated_again,
    value_changed,
    key_changed,
    gold_beside,
    moved,
    record_moved,
    another_key_asked,
    layout_broken,
    gold_of_another,
)
_OTHERS = (filler_given_the_key, filler_repeated, swapped)
RECALL_NEEDLES = {
    "json_kv": (*_ALL, *_OTHERS, example_wrong),
    **{f"niah_single_{number}": (*_ALL, key_in_the_text) for number in (1, 2, 3)},
    **{f"niah_multikey_{number}": (*_ALL, *_OTHERS, key_in_the_text) for number in (1, 2, 3)},
    **{f"niah_{name}": (*_ALL, key_in_the_text, answers_in_another_order) for name in ("multivalue", "multiquery")},
}
