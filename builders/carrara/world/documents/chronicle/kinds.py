"""The kinds of event of a chronicle: who and what takes part, what is stated and asked, what follows later.

A slot is a capital letter; its filling tells what may stand there:

    cast        a person of the cast, no other slot's
    woman, man  an unmarried woman and an unmarried man of the cast
    goer        one of the cast who may leave or die
    owner, held a person of the cast and a thing of that person
    thing, place, person, child   a new one, named nowhere before
    sum         an amount of marks
    <list>      a term of that list of `text/<lang>/chronicle.txt`

Every fact is one sentence, which holds all of `with_` and the answer; `with_` is what the question names. The slots of
the first fact's sentence are all that a key point tells. An event never comes twice with the same `once` slots.
"""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class EventFact:
    """A statement: its name, the slot asked for, and the slots that the question names."""

    name: str
    answer: str
    with_: str


@dataclass(frozen=True, slots=True)
class ChapterLink:
    """A question over two chapters: asks a slot of the earlier event, named by slots of the later one."""

    name: str
    # The earlier event's kind, the slot of it that is the answer, the fact that states it.
    first: str
    answer: str
    fact: str
    # The fact of the later event that the question begins from, and the slots it names.
    later: str
    with_: str


@dataclass(frozen=True, slots=True)
class EventKind:
    """A kind of event."""

    slots: tuple[tuple[str, str], ...]
    facts: tuple[EventFact, ...]
    # The slots that make the event the only one of its kind; a sorted pair where the order of persons is nothing.
    once: str = ""
    # How often it begins, relative to others; 0: it only follows.
    weight: int = 0
    # What follows, after at least and at most so many chapters, and the slots handed on (old and new letters).
    follow: tuple[str, int, int, str] | None = None
    # How much it weighs in a summary, 0 (never) to 3.
    rank: int = 1
    joints: tuple[ChapterLink, ...] = ()


def _slots(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((pair[0], pair[2:]) for pair in text.split())


def _facts(text: str) -> tuple[EventFact, ...]:
    return tuple(EventFact(*part.split(":")) for part in text.split())


# The number of terms of every list; both languages have just so many, in the same order.
TERMS: Final[dict[str, int]] = {
    "noun": 48,
    "trade": 40,
    "occasion": 24,
    "nook": 30,
    "clue": 24,
    "need": 28,
    "means": 24,
    "errand": 30,
    "travel": 16,
    "news": 30,
    "disease": 20,
    "remedy": 28,
    "office": 28,
    "deed": 30,
    "favour": 24,
    "cause": 30,
    "room": 20,
    "mending": 22,
    "wager": 26,
    "death": 20,
    "contest": 24,
    "building": 24,
    "skill": 30,
    "return": 24,
    "parting": 22,
    "leaving": 22,
}

KINDS: Final[dict[str, EventKind]] = {
    "hear": EventKind(
        _slots("A=cast B=cast O=thing P=place"),
        _facts("teller:B:AO where:P:O"),
        weight=9,
        follow=("buy", 1, 4, "AA OO PP"),
        rank=0,
    ),
    "buy": EventKind(
        _slots("A=cast O=thing P=place S=person N=sum"),
        _facts("seller:S:AO price:N:AO"),
        rank=1,
        joints=(
            ChapterLink("heard", "hear", "B", "teller", "seller", "OS"),
            ChapterLink("town", "hear", "P", "where", "seller", "AS"),
        ),
    ),
    "find": EventKind(
        _slots("A=cast O=thing P=place T=nook"), _facts("finder:A:O spot:T:O town:P:O"), weight=5, rank=2
    ),
    "gift": EventKind(_slots("A=owner O=held B=cast T=occasion"), _facts("giver:A:BO occasion:T:BO"), "O", 8),
    "theft": EventKind(
        _slots("A=owner O=held C=cast T=nook"),
        _facts("spot:T:O seen:C:O"),
        "O",
        6,
        ("unmask", 2, 9, "AA OO"),
        2,
    ),
    "unmask": EventKind(
        _slots("A=cast O=held S=person C=cast T=clue"),
        _facts("thief:S:O clue:T:O finder:C:O"),
        rank=3,
        joints=(
            ChapterLink("spot", "theft", "T", "spot", "thief", "S"),
            ChapterLink("seen", "theft", "C", "seen", "thief", "S"),
        ),
    ),
    "pawn": EventKind(
        _slots("A=owner O=held S=person P=place N=sum"),
        _facts("broker:S:O sum:N:O town:P:O"),
        "O",
        5,
        ("redeem", 2, 8, "AA OO"),
        1,
    ),
    "redeem": EventKind(_slots("A=cast O=held B=cast T=means"), _facts("who:B:O means:T:BO"), "O", rank=2),
    "final": EventKind(
        _slots("A=owner O=held S=person P=place T=parting"),
        _facts("taker:S:O reason:T:O town:P:OS"),
        "O",
        5,
        rank=2,
        joints=(
            ChapterLink("finder", "find", "A", "finder", "taker", "S"),
            ChapterLink("buyer", "buy", "A", "seller", "taker", "S"),
            ChapterLink("price", "buy", "N", "price", "taker", "S"),
        ),
    ),
    "lend": EventKind(
        _slots("A=cast B=cast N=sum T=need"),
        _facts("sum:N:AB need:T:AB"),
        "AB",
        7,
        ("repay", 3, 12, "AA BB NN"),
        2,
    ),
    "repay": EventKind(_slots("A=cast B=cast N=sum C=cast T=means"), _facts("means:T:AB witness:C:AB"), "AB", rank=2),
    "promise": EventKind(
        _slots("A=cast B=cast P=place T=deed U=favour"),
        _facts("deed:T:AB favour:U:AB"),
        "AB",
        7,
        ("kept", 2, 10, "AA BB PP TT"),
        2,
    ),
    "kept": EventKind(
        _slots("A=cast B=cast P=place T=deed C=cast"),
        _facts("helper:C:AP"),
        "AB",
        rank=3,
        joints=(
            ChapterLink("whom", "promise", "B", "deed", "helper", "AP"),
            ChapterLink("favour", "promise", "U", "favour", "helper", "AP"),
        ),
    ),
    "quarrel": EventKind(
        _slots("A=cast B=cast T=cause U=room"),
        _facts("cause:T:AB room:U:AB"),
        "A+B",
        7,
        ("peace", 1, 8, "AA BB"),
        2,
    ),
    "peace": EventKind(_slots("A=cast B=cast C=cast T=mending"), _facts("who:C:AB way:T:AB"), "A+B", rank=2),
    "journey": EventKind(
        _slots("A=cast B=cast P=place T=errand U=travel"), _facts("companion:B:AP errand:T:AP travel:U:AP"), weight=8
    ),
    "letter": EventKind(_slots("A=cast S=person P=place T=news"), _facts("sender:S:AP news:T:AP"), weight=8),
    "illness": EventKind(_slots("A=cast T=disease B=cast U=remedy"), _facts("nurse:B:AT remedy:U:AT"), "AT", 6),
    "wedding": EventKind(
        _slots("A=woman B=man P=place C=cast"),
        _facts("place:P:AB witness:C:AB"),
        "AB",
        4,
        ("birth", 22, 40, "AA BB"),
        3,
    ),
    "birth": EventKind(_slots("A=cast B=cast K=child C=cast"), _facts("name:K:AB sponsor:C:K"), "AB", rank=3),
    "office": EventKind(_slots("A=cast P=place T=office C=cast"), _facts("who:A:TP friend:C:AP"), weight=6, rank=2),
    "bet": EventKind(_slots("A=cast B=cast T=wager N=sum"), _facts("wager:T:AB stake:N:AB"), "A+B", 5, rank=0),
    "contest": EventKind(
        _slots("T=contest P=place A=cast B=cast N=sum"), _facts("winner:A:TP second:B:TP prize:N:TP"), weight=5
    ),
    "build": EventKind(
        _slots("A=cast P=place T=building S=person N=sum"), _facts("what:T:AP builder:S:AP cost:N:AP"), weight=5
    ),
    "lesson": EventKind(_slots("A=cast B=cast T=skill U=return"), _facts("skill:T:AB return:U:AB"), "AB", 5, rank=0),
    "arrive": EventKind(_slots("D=person P=place T=trade C=cast"), _facts("origin:P:D trade:T:D host:C:D"), weight=6),
    "leave": EventKind(_slots("A=goer P=place T=leaving"), _facts("goal:P:A reason:T:A"), weight=3, rank=2),
    "death": EventKind(_slots("A=goer T=death B=cast"), _facts("cause:T:A heir:B:A"), weight=2, rank=3),
}
