"""Meetings: the minutes of a town council, item by item, with questions whose answers are known.

What an item decides is planned from the stream's key, the number of the meeting and the item's own number alone, the
same in every language; then it is written down. Items are dealt to sittings, which come every other week.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final, Literal, get_args

from carrara.stream import Draws, Stream
from carrara.tables import Document
from carrara.task import Lang
from carrara.world.documents.pages import (
    DocumentText,
    DocumentUnit,
    DocumentWriter,
    UnitQuestion,
    assembled,
    date,
    document_text,
    money,
    near,
    options,
)
from carrara.world.names.names import WorldNames

ItemKind = Literal["grant", "permit", "purchase", "rule", "post"]
KINDS: Final[tuple[ItemKind, ...]] = get_args(ItemKind)
# Reasons that a kind may be objected to for.
REASONS: Final = 14
# Items of a sitting, and days from one sitting to the next.
SITTING: Final = 9
_DAYS: Final = 14
# The sums of a kind: least and most units, and the unit in marks.
_SUMS: Final[Mapping[ItemKind, tuple[int, int, int]]] = {
    "grant": (12, 240, 50),
    "permit": (6, 60, 5),
    "purchase": (10, 120, 50),
    "rule": (2, 30, 1),
    "post": (12, 48, 25),
}
# The officers who introduce a kind, by their places among the terms.
_OFFICERS: Final[Mapping[ItemKind, tuple[int, ...]]] = {
    "grant": (0, 1, 4),
    "permit": (2, 3, 5),
    "purchase": (1, 2, 3),
    "rule": (3, 5),
    "post": (3, 4),
}
_VALUES: Final = (
    "W thing sub short app k noun work off asked granted for against abstaining reporter deadline reason O P pk psub "
    "town n date present members chair away"
)
_OWN: Final = ("W", "thing", "sub", "short", "app", "k", "date")
_FREE: Final = ("head", "chair", "councillor", "officer_turn", "clerk_turn")
_REMARKS: Final = (
    *("open", "report", "cost", "move", "second", "pro", "con", "object", "reply", "interrupt", "order", "back"),
    *("amend", "accept", "noise", "vote", "decided", "action", "close"),
)
_CONDITIONS: Final = (("kind", KINDS), ("noun", ()), ("carried", ("yes", "no")))
# Items that are kept after they were written: two rows of 1M tokens.
_KEPT: Final = 3_600
# Persons of the council: the mayor is person 0, members follow.
_STRIDE: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class CouncilPlan:
    """What all items share: the members (numbers of persons, women among them) and the day of the first sitting."""

    members: int
    women: frozenset[int]
    first_day: int

    def day(self, sitting: int) -> int:
        """The ordinal of a sitting's day."""
        return self.first_day + _DAYS * sitting


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """What happens under an item; persons are numbers of members who are present."""

    number: int
    kind: ItemKind
    noun: int
    work: int
    officer: int
    woman: bool
    mover: int
    seconder: int
    objector: int
    amender: int
    reporter: int
    others: tuple[int, ...]
    asked: int
    granted: int
    votes: tuple[int, int, int]
    reason: int
    deadline: int

    @property
    def amended(self) -> bool:
        """Whether another sum took the place of the one that was asked."""
        return self.granted != self.asked

    @property
    def carried(self) -> bool:
        """Whether the motion was carried."""
        return self.votes[0] > self.votes[1]


def meeting(stream: Stream, lang: Lang, number: int, size: int) -> Document:
    """Meeting `number` with `size` items (one at least); its text begins that of every larger one."""
    if size < 1:
        raise ValueError(f"a meeting has one item or more, got {size}")
    return _Minutes(stream, lang, number).document(size)


def excerpt(stream: Stream, lang: Lang, number: int, start: int, size: int) -> Document:
    """Items `start` .. `start + size - 1` of meeting `number`, word for word as the whole minutes have them."""
    if start < 0 or size < 1:
        raise ValueError(f"a meeting has one item or more from item 0 on, got {size} from {start}")
    return _minutes(stream.key, lang, number).document(size, start)


@lru_cache(maxsize=2)
def _minutes(key: tuple[str | int, ...], lang: Lang, number: int) -> "_Minutes":
    return _Minutes(Stream(*key), lang, number)


@cache
def _text(lang: Lang) -> DocumentText:
    return document_text(lang, "meeting", tuple(_VALUES.split()), _OWN, _FREE, "", _REMARKS, _CONDITIONS)


def council_plan(key: Stream) -> CouncilPlan:
    """The council of a meeting's key."""
    draws = Draws(key.child("council"))
    members = 11 + 2 * draws.below(8)
    women = frozenset(person for person in range(members + 1) if draws.below(5) < 2)
    # 1750 to 1969, so that 500 sittings end before 1990.
    return CouncilPlan(members, women, 639_000 + draws.below(80_000))


def absent(key: Stream, council: CouncilPlan, sitting: int) -> tuple[int, ...]:
    """The members who are not at a sitting: none to three."""
    draws = Draws(key.child("sitting", sitting))
    return tuple(sorted(draws.shuffled(range(1, council.members + 1))[: draws.below(4)]))


def item_plan(
    key: Stream, council: CouncilPlan, away: tuple[int, ...], number: int, nouns: Mapping[ItemKind, int], works: int
) -> ItemPlan:
    """What happens under item `number` (from 0).

    `away` are the members who are not at its sitting, `nouns` counts the things that a kind may be about.
    """
    draws = Draws(key.child("item", number))
    kind = KINDS[draws.below(len(KINDS))]
    there = draws.shuffled([person for person in range(1, council.members + 1) if person not in away])
    least, most, unit = _SUMS[kind]
    asked = (least + draws.below(most - least)) * unit
    granted = asked
    if draws.below(5) < 2:
        granted = max(unit, asked * (4 + draws.below(5)) // 10 // unit * unit)
    against = 1 + draws.below(max(1, len(there) * 2 // 5))
    if draws.below(5) == 0:
        against = len(there) // 2 + draws.below(2)
    # At least three for: there are 8 members or more.
    abstaining = draws.below(min(4, len(there) - against - 2))
    sitting = council.day(number // SITTING)
    return ItemPlan(
        number=number,
        kind=kind,
        noun=draws.below(nouns[kind]),
        work=draws.below(works),
        officer=draws.choice(_OFFICERS[kind]),
        woman=draws.below(2) == 0,
        mover=there[0],
        seconder=there[1],
        objector=there[2],
        amender=there[3],
        reporter=there[4],
        others=tuple(there[5:]),
        asked=asked,
        granted=granted,
        votes=(len(there) - against - abstaining, against, abstaining),
        reason=draws.below(REASONS),
        deadline=sitting + 14 + draws.below(100),
    )


class _Minutes:
    """Writes the items of one meeting."""

    def __init__(self, stream: Stream, lang: Lang, number: int) -> None:
        self._key = stream.child("meeting", number)
        self._id = f"meeting-{number}"
        self._lang = lang
        self._names = WorldNames(stream)
        self._text = _text(lang)
        self._nouns = {kind: len(self._text.terms[f"noun_{kind}"]) for kind in KINDS}
        self._council = council_plan(self._key)
        self._town = self._names.word(lang, f"meeting {number} town", 0)
        self._people = self._called()
        self._absent: dict[int, tuple[int, ...]] = {}
        self._units: dict[int, DocumentUnit] = {}

    def document(self, size: int, start: int = 0) -> Document:
        """`size` items from item `start` on; the head stands before item 0."""
        head = DocumentWriter(self._text, self._key.child("head", self._lang), {"town": self._town})
        title = head.sentence("head")
        if len(self._units) + size > _KEPT:
            self._units.clear()
        for number in range(start, start + size):
            if number not in self._units:
                self._units[number] = self._item(self._plan(number))
        units = [self._units[number] for number in range(start, start + size)]
        return assembled(self._id, "meeting", self._lang, title, [title] * (not start), units, start)

    def _called(self) -> list[str]:
        """The names of the mayor and the members; no two share a word."""
        names: list[str] = []
        taken: set[str] = set()
        for person in range(self._council.members + 1):
            for step in range(50):
                number, female = person + step * _STRIDE, person in self._council.women
                name = self._names.person(self._lang, f"{self._id} member", number, female=female)
                if not taken & set(name.split()):
                    break
            taken.update(name.split())
            names.append(name)
        return names

    def _plan(self, number: int) -> ItemPlan:
        away = self._away(number // SITTING)
        return item_plan(self._key, self._council, away, number, self._nouns, len(self._text.terms["work"]))

    def _away(self, sitting: int) -> tuple[int, ...]:
        if sitting not in self._absent:
            # The debate refers back to the sitting before at most.
            self._absent = {member: away for member, away in self._absent.items() if member >= sitting - 1}
            self._absent[sitting] = absent(self._key, self._council, sitting)
        return self._absent[sitting]

    def _subject(self, plan: ItemPlan) -> dict[str, str]:
        """How an item is called: its place, its thing, the subject of its motion."""
        terms, kind = self._text.terms, plan.kind
        values = {
            "k": str(plan.number + 1),
            "W": self._names.word(self._lang, f"{self._id} place", plan.number),
            "app": self._names.person(self._lang, f"{self._id} applicant", plan.number, female=plan.woman),
            "noun": terms[f"noun_{kind}"][plan.noun],
            "work": terms["work"][plan.work],
        }
        # Nothing is drawn: these sections have one template without a choice.
        writer = DocumentWriter(self._text, self._key, values)
        writer.values["thing"] = writer.phrase(f"thing_{kind}")
        writer.values["sub"] = writer.phrase(f"sub_{kind}")
        writer.values["short"] = writer.phrase(f"short_{kind}")
        return writer.values

    def _item(self, plan: ItemPlan) -> DocumentUnit:
        lang, people = self._lang, self._people
        values = self._subject(plan) | {
            "off": self._text.terms["officer"][plan.officer],
            "asked": money(lang, plan.asked),
            "granted": money(lang, plan.granted),
            "for": str(plan.votes[0]),
            "against": str(plan.votes[1]),
            "abstaining": str(plan.votes[2]),
            "deadline": date(lang, plan.deadline),
            "reason": self._text.terms[f"reason_{plan.kind}"][plan.reason],
            "O": people[plan.objector],
        }
        stream = self._key.child("words", lang, plan.number)
        writer = DocumentWriter(self._text, stream, values, self._key.child("deal"), plan.number)
        writer.values["reporter"] = self._label(writer, plan.reporter)
        unit = DocumentUnit()
        if plan.number % SITTING == 0:
            self._sitting(writer, unit, plan.number // SITTING)
        unit.line()
        unit.add(f"{values['k']}. " * (lang == "en") + f"{values['k']}、" * (lang == "zh") + writer.sentence("titles"))
        self._introduce(writer, unit, plan)
        self._debate(writer, unit, plan)
        self._decide(writer, unit, plan)
        self._ask(writer, unit, plan)
        return unit

    def _sitting(self, writer: DocumentWriter, unit: DocumentUnit, sitting: int) -> None:
        council = self._council
        away = self._away(sitting)
        joint = ", " if self._lang == "en" else "、"
        writer.values |= {
            "n": str(sitting + 1),
            "town": self._town,
            "date": date(self._lang, council.day(sitting)),
            "present": str(council.members - len(away)),
            "members": str(council.members),
            "chair": self._people[0],
            "away": joint.join(self._people[person] for person in away),
        }
        unit.line()
        unit.add(writer.sentence("sitting"))
        unit.add(writer.sentence("excused" if away else "excused_none"))

    def _introduce(self, writer: DocumentWriter, unit: DocumentUnit, plan: ItemPlan) -> None:
        self._turn(writer, unit, plan, "chair", "open")
        self._turn(writer, unit, plan, "officer_turn", "report", "cost")
        self._speak(writer, unit, plan, plan.mover, "move")
        self._speak(writer, unit, plan, plan.seconder, "second")

    def _debate(self, writer: DocumentWriter, unit: DocumentUnit, plan: ItemPlan) -> None:
        voices = list(plan.others)
        turns = ["pro", "pro", "con", "con", "interrupt", "noise", "reply"] + ["back"] * (plan.number > 0)
        chosen: list[str] = []
        for _ in range(2 + writer.below(4)):
            chosen.append(turns.pop(writer.below(len(turns))))
        before = writer.below(2)
        for position, turn in enumerate([*chosen[:before], "object", *chosen[before:]]):
            voice = voices[position % len(voices)]
            if turn == "noise":
                unit.line()
                self._remark(writer, unit, plan, turn)
                continue
            if turn == "back":
                self._earlier(writer, plan)
            self._speak(writer, unit, plan, {"object": plan.objector, "reply": plan.mover}.get(turn, voice), turn)
            if turn == "interrupt":
                self._turn(writer, unit, plan, "chair", "order")
        if plan.amended:
            self._speak(writer, unit, plan, plan.amender, "amend")
            self._speak(writer, unit, plan, plan.mover, "accept")

    def _earlier(self, writer: DocumentWriter, plan: ItemPlan) -> None:
        """Set the item that the debate refers back to: one of the last dozen."""
        earlier = self._subject(self._plan(plan.number - 1 - writer.below(min(12, plan.number))))
        writer.values |= {"pk": earlier["k"], "psub": earlier["short"]}

    def _decide(self, writer: DocumentWriter, unit: DocumentUnit, plan: ItemPlan) -> None:
        unit.line()
        for aspect in ("vote", "decided", "action"):
            self._remark(writer, unit, plan, aspect)
        if writer.below(3) == 0:
            self._turn(writer, unit, plan, "chair", "close")

    def _ask(self, writer: DocumentWriter, unit: DocumentUnit, plan: ItemPlan) -> None:
        lang, people, values = self._lang, self._people, writer.values
        draws = Draws(self._key.child("questions", plan.number))
        unit_sum = _SUMS[plan.kind][2]

        def ask(name: str, answer: str, wrong: list[str], fact: str) -> None:
            asked = writer.sentence(f"q_{name}")
            unit.questions.append(UnitQuestion(name, asked, answer, options(draws.below, answer, wrong), (fact,)))

        def sums(value: int) -> list[str]:
            return [money(lang, amount) for amount in near(value, unit_sum * (1 + draws.below(4)), unit_sum)]

        named = [people[person] for person in (plan.seconder, plan.objector, plan.amender, *plan.others[:3])]
        ask("mover", people[plan.mover], [*named, people[plan.reporter]], "mover")
        if plan.carried:
            ask("granted", values["granted"], [*sums(plan.granted), values["asked"]], "decision")
        else:
            ask("asked", values["asked"], [*sums(plan.asked), values["granted"]], "asked")
        ask("against", values["against"], [str(count) for count in (*near(plan.votes[1], 1), *plan.votes)], "votes")
        reasons = self._text.terms[f"reason_{plan.kind}"]
        ask("reason", values["reason"], list(reasons), "reason")
        if draws.below(2):
            ask("reporter", people[plan.reporter], [*named, people[plan.mover]], "action")
        else:
            days = near(plan.deadline, 7 * (1 + draws.below(2)), plan.deadline - 30)
            ask("deadline", values["deadline"], [date(lang, day) for day in days], "action")
        weight = plan.granted * len(reasons) + plan.votes[0]
        said = writer.sentence("key_carried" if plan.carried else "key_lost")
        unit.points.append((said, weight, ("votes", "decision", "action")))

    def _label(self, writer: DocumentWriter, person: int) -> str:
        writer.values["P"] = self._people[person]
        writer.again("councillor")
        return writer.phrase("councillor")

    def _speak(self, writer: DocumentWriter, unit: DocumentUnit, plan: ItemPlan, person: int, *aspects: str) -> None:
        """A member's turn."""
        self._label_turn(writer, unit, plan, self._label(writer, person), aspects)

    def _turn(self, writer: DocumentWriter, unit: DocumentUnit, plan: ItemPlan, label: str, *aspects: str) -> None:
        """A turn of the mayor or an officer."""
        writer.again(label)
        self._label_turn(writer, unit, plan, writer.phrase(label), aspects)

    def _label_turn(
        self, writer: DocumentWriter, unit: DocumentUnit, plan: ItemPlan, label: str, aspects: tuple[str, ...]
    ) -> None:
        unit.line()
        start = label + (": " if self._lang == "en" else "：")
        for aspect in aspects:
            self._remark(writer, unit, plan, aspect, start)
            start = ""

    def _remark(self, writer: DocumentWriter, unit: DocumentUnit, plan: ItemPlan, aspect: str, start: str = "") -> None:
        """A remark goes into the last line, behind `start`."""
        noun = self._text.terms[f"noun_{plan.kind}"][plan.noun]
        traits = {"kind": plan.kind, "noun": noun, "carried": "yes" if plan.carried else "no"}
        for sentence, fact in writer.remark(aspect, traits):
            unit.add(start + sentence, *[fact] * bool(fact))
            start = ""
