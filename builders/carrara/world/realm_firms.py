"""The companies of a realm and the vehicles that some of them make."""

from bisect import bisect_left
from itertools import pairwise
from typing import Final

from carrara.world.realm_draft import MOST_ANSWERS, PRESENT, Dealer, Draft, between, octave
from carrara.world.realm_entity import SIZES
from carrara.world.realm_people import PEOPLE, People
from carrara.world.realm_places import FIRST_DEED
from carrara.world.schema import Class
from carrara.world.terms import Term, entries

# Companies of each kind in a realm: so many that none needs more than `MOST_ANSWERS` works; the rest do other things.
PUBLISHERS, LABELS, STUDIOS, MAKERS = 16, 13, 13, 15
LAST_FOUNDED: Final = {"written_work": 1985, "album": 1985, "film": 1985, "mean_of_transportation": 1975}
MOST_FOUNDED: Final = 4
LAST_BUILT: Final = 2014
OLDEST_FOUNDER: Final = 60


class Firms:
    """The companies by slot: when each was founded, and the slots of those that bring out each class of works."""

    __slots__ = ("founded", "industries", "serving")

    def __init__(self, draft: Draft, people: People) -> None:
        size = SIZES["company"]
        terms = entries("industry")
        counts: dict[Class, int] = {
            "written_work": PUBLISHERS,
            "album": LABELS,
            "film": STUDIOS,
            "mean_of_transportation": MAKERS,
        }
        kinds: list[Class | None] = [kind for kind, count in counts.items() for _ in range(count)]
        kinds += [None] * (size - len(kinds))
        order = draft.order("company", "industry", size)
        fitting = {
            kind: [place for place, one in enumerate(terms) if _serves(one, kind)] for kind in dict.fromkeys(kinds)
        }
        self.industries = [0] * size
        self.founded = [0] * size
        self.serving: dict[Class, list[int]] = {}
        industry_words = draft.words("company", "industry word", size)
        founded_words = draft.words("company", "founded", size)
        founder_words = draft.words("company", "founder", size)
        dealer = Dealer(draft.words("company", "founder fame", PEOPLE), MOST_FOUNDED, rounds=2)
        founders: list[int | None] = [None] * size
        for rank, (slot, kind) in enumerate(zip(order, kinds, strict=True)):
            fit = fitting[kind]
            # Makers of vehicles take turns, so that a realm has some of each.
            industry = fit[(rank if kind == "mean_of_transportation" else industry_words[slot]) % len(fit)]
            first, last = terms[industry].ranges.get("founded", (0, PRESENT))
            first = max(first, people.base + FIRST_DEED)
            last = min(last, LAST_FOUNDED.get(kind or "", 2012))
            place, among = rank - kinds.index(kind), kinds.count(kind)
            span = last - first + 1
            year = between(founded_words[slot], first + place * span // among, first + (place + 1) * span // among - 1)
            while (founder := dealer.deal(people.aged(year, 22, OLDEST_FOUNDER), founder_words[slot])) is None:
                year = year + 1 if year < last else first
            founders[slot] = founder
            self.industries[slot], self.founded[slot] = industry, year
            if kind is not None:
                self.serving.setdefault(kind, []).append(slot)
        for served in self.serving.values():
            served.sort(key=lambda slot: (self.founded[slot], slot))
        draft.put("company", "founder", map(people.reference, founders))
        draft.put("company", "founded", self.founded)
        draft.put("company", "industry", self.industries)
        self._draw_rest(draft)

    def before(self, class_: Class, year: int) -> list[int]:
        """The companies that bring out works of the class and were founded before the year, oldest first."""
        return [slot for slot in self.serving[class_] if self.founded[slot] < year]

    def _draw_rest(self, draft: Draft) -> None:
        size = SIZES["company"]
        draft.put_villages("company", "headquarters")
        draft.put_terms("company", "emblem")
        employees = draft.put_octaves("company", "employees", 12, 48_000)
        shares = zip(employees, draft.words("company", "revenue", size), strict=True)
        draft.put("company", "revenue", (2 + many * between(word, 20, 160) // 1000 for many, word in shares))
        shares = zip(employees, draft.words("company", "branches", size), strict=True)
        draft.put("company", "branches", (octave(word, 2, max(2, min(240, many // 6))) for many, word in shares))
        dealer = Dealer(draft.words("company", "parent_company fame", size), 5)
        by_age = sorted(range(size), key=lambda slot: (self.founded[slot], slot))
        years = [self.founded[slot] for slot in by_age]
        parents: list[int | None] = []
        for year, word in zip(self.founded, draft.words("company", "parent_company", size), strict=True):
            parents.append(dealer.deal(by_age[: bisect_left(years, year)], word >> 8) if word % 8 < 3 else None)
        draft.put_references("company", "parent_company", "company", parents)


def draw_vehicles(draft: Draft, people: People, firms: Firms) -> None:
    """Everything of a means of transport: what its maker makes, at a time when it was made."""
    size = SIZES["mean_of_transportation"]
    kinds = entries("vehicle")
    makes = _makes(draft, firms)
    makers = [slot for slot in firms.serving["mean_of_transportation"] if makes[slot]]
    dealer = Dealer(draft.words("mean_of_transportation", "manufacturer fame", SIZES["company"]), MOST_ANSWERS, 2)
    words = zip(
        draft.words("mean_of_transportation", "manufacturer", size),
        draft.words("mean_of_transportation", "introduced", size),
        strict=True,
    )
    made_by: list[int] = []
    types: list[int] = []
    introduced: list[int] = []
    # One vehicle of a type and maker a year: which came before is never in doubt.
    seen: dict[tuple[int, int], dict[int, int]] = {}
    for slot, (maker_word, word) in enumerate(words):
        maker = dealer.deal(makers, maker_word)
        if maker is None:
            raise AssertionError(f"{len(makers)} makers cannot make {size} vehicles, {MOST_ANSWERS} each")
        type_ = makes[maker][word % len(makes[maker])]
        first, last = _made(kinds[type_], firms.founded[maker])
        done = seen.setdefault((maker, type_), {})
        year = between(word >> 8, first, last)
        while year in done:
            year = year + 1 if year < last else first
        done[year] = slot
        made_by.append(maker)
        types.append(type_)
        introduced.append(year)
    draft.put_references("mean_of_transportation", "manufacturer", "company", made_by)
    draft.put("mean_of_transportation", "type", types)
    draft.put("mean_of_transportation", "introduced", introduced)
    predecessors: list[int | None] = [None] * size
    for done in seen.values():
        years = sorted(done)
        for earlier, later in pairwise(years):
            predecessors[done[later]] = done[earlier]
    draft.put_references("mean_of_transportation", "predecessor", "mean_of_transportation", predecessors)
    draft.put_ranged("mean_of_transportation", ("units_built", "top_speed", "length"), by="type")
    _draw_vehicle_rest(draft, people, types, introduced)


def _draw_vehicle_rest(draft: Draft, people: People, types: list[int], introduced: list[int]) -> None:
    class_: Class = "mean_of_transportation"
    size = SIZES[class_]
    kinds, powers = entries("vehicle"), entries("power")
    place_of = {one.en: place for place, one in enumerate(powers)}
    dealer = Dealer(draft.words(class_, "designer fame", PEOPLE), 4, rounds=2)
    designers: list[int | None] = []
    withdrawn: list[int | None] = []
    power: list[int] = []
    words = zip(
        types,
        introduced,
        draft.words(class_, "designer", size),
        draft.words(class_, "withdrawn", size),
        draft.words(class_, "power", size),
        strict=True,
    )
    for type_, year, designer_word, withdrawn_word, power_word in words:
        designers.append(dealer.deal(people.aged(year, 22, 69), designer_word))
        end = year + between(withdrawn_word >> 8, 6, 44)
        withdrawn.append(end if withdrawn_word % 10 and end < PRESENT else None)
        fit = [place_of[name] for name in kinds[type_].links["power"]]
        known = [place for place in fit if _within(year, powers[place].ranges.get("introduced"))]
        power.append(known[power_word % len(known)])
    draft.put(class_, "designer", map(people.reference, designers))
    draft.put(class_, "withdrawn", withdrawn)
    draft.put(class_, "power", power)
    draft.put_villages(class_, "home_base")


def _makes(draft: Draft, firms: Firms) -> dict[int, list[int]]:
    """The one or two types of vehicle that each maker makes, by its slot."""
    kinds, industries = entries("vehicle"), entries("industry")
    words = draft.words("company", "vehicles", SIZES["company"])
    made: dict[int, list[int]] = {}
    for slot in firms.serving["mean_of_transportation"]:
        industry = industries[firms.industries[slot]].en
        fit: list[int] = []
        for place, kind in enumerate(kinds):
            first, last = _made(kind, firms.founded[slot])
            # Ten years are room for all that one maker can make.
            if industry in kind.links["industry"] and last - first >= 10:
                fit.append(place)
        count = min(len(fit), 1 + words[slot] % 2)
        start = (words[slot] >> 8) % max(1, len(fit))
        made[slot] = [fit[(start + step) % len(fit)] for step in range(count)]
    return made


def _made(kind: Term, founded: int) -> tuple[int, int]:
    first, last = kind.ranges["introduced"]
    return max(first, founded + 1), min(last, LAST_BUILT)


def _within(year: int, years: tuple[int, int] | None) -> bool:
    return years is None or years[0] <= year <= years[1]


def _serves(industry: Term, kind: Class | None) -> bool:
    served = industry.links.get("serves", ())
    return kind in served if kind else not served
