"""Damaged drafts of synthetic recall by tracking and counting: statements, links and values, words and how often."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from edits import edited

from carrara.task import Draft


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The recorded gold is that of another item."""
    yield replace(draft, answers=other.answers)


def answers_shifted(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The answers in another order; one of them left out."""
    yield replace(draft, answers=(*draft.answers[1:], draft.answers[0]))
    yield replace(draft, answers=draft.answers[:-1])


def evidence_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each span points elsewhere."""
    for number, (start, end) in enumerate(draft.evidence):
        spans = list(draft.evidence)
        spans[number] = (start + 1, end + 1)
        yield replace(draft, evidence=tuple(spans))


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What is asked is another item's, in the record too."""
    start = draft.prompt.rindex(" ends]\n\n")
    yield edited(draft, start, len(draft.prompt), other.prompt[other.prompt.rindex(" ends]\n\n") :])


# --- variable tracking ------------------------------------------------------------------------------------------------


def statement_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each statement of the chain is taken out."""
    for start, end in draft.evidence:
        yield edited(draft, start, end + 2, "")


def statement_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A variable of the chain is given another value below: a number, and that of another variable."""
    end = draft.prompt.index("[The text ends]")
    for name in draft.answers:
        yield edited(draft, end, end, f"VAR {name} = 99999.\n\n")
        yield edited(draft, end, end, f"VAR {name} = VAR {draft.answers[0]}.\n\n")


def link_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A variable takes its value from an earlier one of the chain, from one of nowhere, or from itself."""
    for number in range(2, len(draft.answers)):
        start, end = draft.evidence[number]
        for source in (draft.answers[0], other.answers[0], draft.answers[number]):
            yield edited(draft, start, end, f"VAR {draft.answers[number]} = VAR {source}.")


def value_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The chain begins with another number than is asked for."""
    start, end = draft.evidence[0]
    value = draft.prompt[start:end][-6:-1]
    changed = value[::-1] if value[::-1] != value and value[-1] != "0" else str(int(value) % 80_000 + 10_001)
    yield edited(draft, start, end, draft.prompt[start:end].replace(value, changed))


def statements_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two neighbours of the chain change places: a variable is used before it has a value."""
    for first, last in zip(draft.evidence, draft.evidence[1:], strict=False):
        one, two = draft.prompt[slice(*first)], draft.prompt[slice(*last)]
        prompt = draft.prompt[: first[0]] + two + draft.prompt[first[1] : last[0]] + one + draft.prompt[last[1] :]
        if len(one) == len(two):
            yield replace(draft, prompt=prompt)


def filler_made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """One more variable takes the value; in the middle of a sentence too."""
    end = draft.prompt.index("[The text ends]")
    for name in (draft.answers[0], draft.answers[-1]):
        yield edited(draft, end, end, f"VAR {other.answers[0]} = VAR {name}.\n\n")
        yield edited(draft, end - 2, end - 2, f" VAR {other.answers[0]} = VAR {name}.")


def gold_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A variable's name stands in a sentence, in small letters or as a part of a word too."""
    end = draft.prompt.index("[The text ends]") - 2
    for name in (draft.answers[0], draft.answers[-1]):
        for shown in (name, name.lower(), f"X{name}"):
            yield edited(draft, end, end, f" So much for {shown}.")


def another_chain_asked(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The value asked for is another chain's, or nobody's."""
    chains = draft.facts["chains"]
    asked = str(chains[draft.facts["asked"]]["value"])
    at = draft.prompt.rindex(asked)
    for value in (*(str(chain["value"]) for chain in chains if str(chain["value"]) != asked), "10000"):
        yield edited(draft, at, at + 5, value)


def chains_joined(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another chain has the asked value too, in the text and in the record; and one has another's name."""
    chains = [dict(chain) for chain in draft.facts["chains"]]
    asked = chains[draft.facts["asked"]]
    for chain in chains:
        if chain is not asked:
            text = draft.prompt.replace(f" = {chain['value']}.", f" = {asked['value']}.")
            changed = [{**one, "value": asked["value"]} if one is chain else one for one in chains]
            yield with_facts(replace(draft, prompt=text), chains=changed)
            renamed = [{**one, "names": asked["names"]} if one is chain else one for one in chains]
            yield with_facts(draft, chains=renamed)
            return


# --- common words -----------------------------------------------------------------------------------------------------

_LINE = re.compile("^[0-9]+\\. ([a-z]+)\n", re.MULTILINE)


def entries(draft: Draft) -> list[re.Match[str]]:
    """The entries of the list."""
    return list(_LINE.finditer(draft.prompt))


def seldom(draft: Draft) -> str:
    """A word that is neither asked nor a decoy."""
    known = {*draft.answers, *draft.facts["decoys"]}
    return next(one[1] for one in entries(draft) if one[1] not in known)


def entry_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The last entry is missing; one from the middle, so that a number is."""
    listed = entries(draft)
    for one in (listed[-1], listed[len(listed) // 2]):
        yield edited(draft, one.start(), one.end(), "")


def numbers_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two entries change places, numbers and all."""
    one, two = entries(draft)[20:22]
    yield edited(draft, one.start(), two.end(), two[0] + one[0])


def word_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """One occurrence of a word becomes another word: a common one a seldom one, the other way round, a new one."""
    rare = seldom(draft)
    listed = entries(draft)
    last = [one for one in listed if one[1] == draft.answers[0]][-1]
    yield edited(draft, last.start(1), last.end(1), rare)
    yield edited(draft, last.start(1), last.end(1), "zzzzzz")
    (found, *_) = [one for one in listed if one[1] == rare][1:]
    yield edited(draft, found.start(1), found.end(1), draft.answers[0])
    yield edited(draft, found.start(1), found.end(1), draft.answers[0][:4])
    yield edited(draft, found.start(1), found.end(1), draft.answers[0] + "s")


def counts_tied(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A word that is not asked stands as often as one that is, in the record too."""
    decoys = draft.facts["decoys"]
    if decoys:
        yield with_facts(draft, nearly=draft.facts["often"])
        yield with_facts(draft, decoys=[draft.answers[0], *decoys[1:]])
    yield with_facts(draft, often=draft.facts["seldom"])


def another_number_asked(draft: Draft, other: Draft) -> Iterator[Draft]:
    """One word fewer is asked for, or one more, or in one place only."""
    for wanted in ("9", "11"):
        yield replace(
            draft, prompt=draft.prompt.replace("Which 10 ", f"Which {wanted} ").replace("e 10 w", f"e {wanted} w")
        )
    yield replace(draft, prompt=draft.prompt.replace("Which 10 ", "Which 12 "))


def decoy_as_gold(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An answer is exchanged for a word that stands less often."""
    wrong = (draft.facts["decoys"] or [seldom(draft)])[0]
    yield replace(draft, answers=tuple(sorted((*draft.answers[1:], wrong))))


# --- frequent words ---------------------------------------------------------------------------------------------------


def ranked(draft: Draft) -> list[str]:
    """The coded words, the most frequent first."""
    start = draft.prompt.index("begins]")
    found = Counter(
        re.findall(" ([a-z]{6})(?= )", draft.prompt[start : draft.prompt.index(" [The coded text ends]") + 1])
    )
    return [word for word, _ in found.most_common()]


def ranks_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The third word and the fourth change names; the gold's first two do."""
    third, fourth = ranked(draft)[2:4]
    table = {third: fourth, fourth: third}
    yield replace(draft, prompt=re.sub(f"{third}|{fourth}", lambda match: table[match[0]], draft.prompt))
    yield replace(draft, answers=(draft.answers[1], draft.answers[0], draft.answers[2]))
    yield replace(draft, answers=(*draft.answers[:2], fourth))


def occurrences_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Occurrences of the third word are those of the fourth: all but a few, and as many as make both equal."""
    third, fourth = ranked(draft)[2:4]
    text = draft.prompt
    ahead = text.count(third) - text.count(fourth)
    for times in {ahead, (ahead + 1) // 2}:
        pieces = text.rsplit(f" {third} ", times)
        yield replace(draft, prompt=f" {fourth} ".join(pieces))
    if not ahead % 2:
        return
    # Made equal by one that is lost.
    pieces = text.rsplit(f" {third} ", ahead)
    yield replace(draft, prompt=" ... ".join(pieces))


def word_spoiled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A word is longer, shorter, or a word of English."""
    at = draft.prompt.rindex(f" {draft.answers[0]} ")
    for shown in (draft.answers[0][:5], draft.answers[0] + "s", "banana", "....", draft.answers[0].upper()):
        yield edited(draft, at + 1, at + 7, shown)


def dots_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Half of the dots are missing: the words follow no law beside them."""
    middle = len(draft.prompt) // 2
    end = draft.prompt.index(" [The coded text ends]")
    yield replace(
        draft, prompt=draft.prompt[:middle] + draft.prompt[middle:end].replace(" ...", "") + draft.prompt[end:]
    )


_ALWAYS = (gold_of_another, answers_shifted, evidence_moved)
_TRACKED = (
    *_ALWAYS,
    question_of_another,
    statement_lost,
    statement_doubled,
    link_changed,
    value_changed,
    statements_swapped,
    filler_made_relevant,
    gold_in_filler,
    another_chain_asked,
)
_LISTED = (
    *_ALWAYS,
    entry_lost,
    numbers_swapped,
    word_exchanged,
    counts_tied,
    another_number_asked,
    decoy_as_gold,
)
_CODED = (*_ALWAYS, ranks_exchanged, occurrences_moved, word_spoiled, dots_lost)
# By variant.
RECALL_WORDS = {
    "vt": _TRACKED,
    "vt_hard": (*_TRACKED, chains_joined),
    "cwe": _LISTED,
    "cwe_hard": _LISTED,
    "fwe": _CODED,
    "fwe_hard": _CODED,
}
