"""The companies of a realm, the vehicles that some of them make, and its books, albums and films.

Must not change: the columns that are drawn, and the order of the draws.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from carrara.world.language.terms import Term, entries
from carrara.world.realm.draft import MOST_ANSWERS, PRESENT, Dealer, RealmDraft, between, octave
from carrara.world.realm.people import PEOPLE, People
from carrara.world.realm.places import FIRST_DEED
from carrara.world.realm.schema import SIZES, EntityClass

# Companies of each kind in a realm: so many that none needs more than `MOST_ANSWERS` works; the rest do other things.
PUBLISHERS, LABELS, STUDIOS, MAKERS = 16, 13, 13, 15
LAST_FOUNDED: Final = {"written_work": 1985, "album": 1985, "film": 1985, "mean_of_transportation": 1975}
MOST_FOUNDED: Final = 4
LAST_BUILT: Final = 2014
OLDEST_FOUNDER: Final = 60


class Firms:
    """The companies by slot: when each was founded, and the slots of those that bring out each class of works."""

    __slots__ = ("founded", "industries", "serving")

    def __init__(self, draft: RealmDraft, people: People) -> None:
        size = SIZES["company"]
        terms = entries("industry")
        counts: dict[EntityClass, int] = {
            "written_work": PUBLISHERS,
            "album": LABELS,
            "film": STUDIOS,
            "mean_of_transportation": MAKERS,
        }
        kinds: list[EntityClass | None] = [kind for kind, count in counts.items() for _ in range(count)]
        kinds += [None] * (size - len(kinds))
        order = draft.order("company", "industry", size)
        fitting = {
            kind: [index for index, term in enumerate(terms) if _serves(term, kind)] for kind in dict.fromkeys(kinds)
        }
        self.industries = [0] * size
        self.founded = [0] * size
        self.serving: dict[EntityClass, list[int]] = {}
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
            index, among = rank - kinds.index(kind), kinds.count(kind)
            span = last - first + 1
            year = between(founded_words[slot], first + index * span // among, first + (index + 1) * span // among - 1)
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

    def before(self, class_: EntityClass, year: int) -> list[int]:
        """The companies that bring out works of the class and were founded before the year, oldest first."""
        return [slot for slot in self.serving[class_] if self.founded[slot] < year]

    def _draw_rest(self, draft: RealmDraft) -> None:
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


def draw_vehicles(draft: RealmDraft, people: People, firms: Firms) -> None:
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


def _draw_vehicle_rest(draft: RealmDraft, people: People, types: list[int], introduced: list[int]) -> None:
    class_: EntityClass = "mean_of_transportation"
    size = SIZES[class_]
    kinds, powers = entries("vehicle"), entries("power")
    place_of = {term.en: index for index, term in enumerate(powers)}
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
        known = [index for index in fit if _within(year, powers[index].ranges.get("introduced"))]
        power.append(known[power_word % len(known)])
    draft.put(class_, "designer", map(people.reference, designers))
    draft.put(class_, "withdrawn", withdrawn)
    draft.put(class_, "power", power)
    draft.put_villages(class_, "home_base")


def _makes(draft: RealmDraft, firms: Firms) -> dict[int, list[int]]:
    """The one or two types of vehicle that each maker makes, by its slot."""
    kinds, industries = entries("vehicle"), entries("industry")
    words = draft.words("company", "vehicles", SIZES["company"])
    made: dict[int, list[int]] = {}
    for slot in firms.serving["mean_of_transportation"]:
        industry = industries[firms.industries[slot]].en
        fit: list[int] = []
        for index, kind in enumerate(kinds):
            first, last = _made(kind, firms.founded[slot])
            # Ten years are room for all that one maker can make.
            if industry in kind.links["industry"] and last - first >= 10:
                fit.append(index)
        count = min(len(fit), 1 + words[slot] % 2)
        start = (words[slot] >> 8) % max(1, len(fit))
        made[slot] = [fit[(start + step) % len(fit)] for step in range(count)]
    return made


def _made(kind: Term, founded: int) -> tuple[int, int]:
    first, last = kind.ranges["introduced"]
    return max(first, founded + 1), min(last, LAST_BUILT)


def _within(year: int, years: tuple[int, int] | None) -> bool:
    return years is None or years[0] <= year <= years[1]


def _serves(industry: Term, kind: EntityClass | None) -> bool:
    served = industry.links.get("serves", ())
    return kind in served if kind else not served


LAST_WORK: Final = 2019
FIRST_ALBUM, FIRST_FILM = 1925, 1905


class Works:
    """The works of one class by slot: whose they are (person), of which year, and what an artist made before each."""

    __slots__ = ("before", "class_", "makers", "oldest_first", "size", "years")

    def __init__(
        self,
        draft: RealmDraft,
        people: People,
        class_: EntityClass,
        ages: tuple[int, int],
        first: int,
        roles: tuple[str, str],
    ) -> None:
        maker_relation, year_relation = roles
        self.class_ = class_
        self.size = SIZES[class_]
        dealer = Dealer(draft.words(class_, f"{maker_relation} fame", PEOPLE), MOST_ANSWERS, rounds=4)
        spans = {artist: people.span(artist, *ages, first, LAST_WORK) for artist in people.by_class["artist"]}
        able = [artist for artist, (start, end) in spans.items() if end - start >= MOST_ANSWERS]
        self.makers: list[int] = []
        self.years: list[int] = []
        words = zip(
            draft.words(class_, maker_relation, self.size), draft.words(class_, year_relation, self.size), strict=True
        )
        made: dict[int, dict[int, int]] = {}
        for slot, (maker_word, year_word) in enumerate(words):
            maker = dealer.deal(able, maker_word)
            if maker is None:
                raise AssertionError(f"{len(able)} artists cannot make {self.size} of {class_}, {MOST_ANSWERS} each")
            start, end = spans[maker]
            year = between(year_word, start, end)
            # One work of a kind a year: which came before is never in doubt.
            done = made.setdefault(maker, {})
            while year in done:
                year = year + 1 if year < end else start
            done[year] = slot
            self.makers.append(maker)
            self.years.append(year)
        self.before: list[int | None] = [None] * self.size
        for done in made.values():
            years = sorted(done)
            for earlier, later in pairwise(years):
                self.before[done[later]] = done[earlier]
        self.oldest_first = sorted(range(self.size), key=lambda slot: (self.years[slot], slot))
        draft.put(class_, maker_relation, map(people.reference, self.makers))
        draft.put(class_, year_relation, self.years)

    def put_companies(self, draft: RealmDraft, firms: Firms, relation: str) -> None:
        """Who brought each work out: a company founded before, none with more than `MOST_ANSWERS` works."""
        words = draft.words(self.class_, relation, self.size)
        dealer = Dealer(draft.words(self.class_, f"{relation} fame", SIZES["company"]), MOST_ANSWERS, rounds=1)
        column: list[int | None] = [None] * self.size
        for slot in self.oldest_first:
            column[slot] = dealer.deal(firms.before(self.class_, self.years[slot]), words[slot])
        draft.put_references(self.class_, relation, "company", column)

    def put_helper(
        self,
        draft: RealmDraft,
        people: People,
        relation: str,
        ages: tuple[int, int],
        taken: Sequence[Sequence[int | None]],
    ) -> list[int | None]:
        """Somebody of the ages, alive in the year of each work and none of those taken; returns them."""
        words = draft.words(self.class_, relation, self.size)
        dealer = Dealer(draft.words(self.class_, f"{relation} fame", PEOPLE), MOST_ANSWERS, rounds=4)
        column: list[int | None] = []
        for slot, (year, word) in enumerate(zip(self.years, words, strict=True)):
            busy = [person[slot] for person in taken]

            def free(person: int, busy: list[int | None] = busy) -> bool:
                return person not in busy

            column.append(dealer.deal(people.aged(year, *ages), word, free))
        draft.put(self.class_, relation, map(people.reference, column))
        return column

    def put_genres_and_sequels(self, draft: RealmDraft, share: int) -> None:
        """Genres; of eight works that are not their maker's first, `share` continue the one before, in its genre."""
        genres = draft.put_terms(self.class_, "genre")
        sequel_words = draft.words(self.class_, "sequel_to", self.size)
        sequels: list[int | None] = [None] * self.size
        for slot in self.oldest_first:
            before = self.before[slot]
            if before is not None and sequel_words[slot] % 8 < share:
                sequels[slot] = before
                genres[slot] = genres[before]
        draft.put(self.class_, "genre", genres)
        draft.put_references(self.class_, "sequel_to", self.class_, sequels)


def draw_works(draft: RealmDraft, people: People, firms: Firms) -> list[dict[str, int]]:
    """Everything of the books, albums and films; returns how many works of which class each artist slot has made."""
    books = _draw_books(draft, people, firms)
    albums = _draw_albums(draft, people, firms)
    films = _draw_films(draft, people, firms, books)
    counts: list[dict[str, int]] = [{} for _ in range(SIZES["artist"])]
    for works in (books, albums, films):
        for maker in works.makers:
            done = counts[people.slots[maker]]
            done[works.class_] = done.get(works.class_, 0) + 1
    return counts


def _draw_books(draft: RealmDraft, people: People, firms: Firms) -> Works:
    opening = firms.founded[firms.serving["written_work"][0]] + 1
    books = Works(draft, people, "written_work", (20, 80), opening, ("author", "published"))
    books.put_companies(draft, firms, "publisher")
    books.put_helper(draft, people, "dedicated_to", (8, 82), (books.makers,))
    books.put_genres_and_sequels(draft, share=5)
    chapters = draft.put_octaves("written_work", "chapters", 5, 48)
    words = zip(chapters, draft.words("written_work", "pages", books.size), strict=True)
    draft.put("written_work", "pages", (max(64, many * between(word, 9, 21) + word % 7) for many, word in words))
    draft.put_octaves("written_work", "copies", 3, 6_000, step=100)
    draft.put_villages("written_work", "setting")
    return books


def _draw_albums(draft: RealmDraft, people: People, firms: Firms) -> Works:
    opening = max(FIRST_ALBUM, firms.founded[firms.serving["album"][0]] + 1)
    albums = Works(draft, people, "album", (18, 75), opening, ("performer", "released"))
    albums.put_companies(draft, firms, "label")
    albums.put_helper(draft, people, "producer", (22, 75), (albums.makers,))
    draft.put_references("album", "previous_album", "album", albums.before)
    genres = entries("music_genre")
    known = []
    for year, word in zip(albums.years, draft.words("album", "genre", albums.size), strict=True):
        fit = []
        for index, genre in enumerate(genres):
            first, last = genre.ranges.get("released", (year, year))
            if first <= year <= last:
                fit.append(index)
        known.append(fit[word % len(fit)])
    draft.put("album", "genre", known)
    draft.put_linked("album", "lead_instrument", by="genre")
    tracks = [between(word, 6, 18) for word in draft.words("album", "tracks", albums.size)]
    draft.put("album", "tracks", tracks)
    words = zip(tracks, draft.words("album", "duration", albums.size), strict=True)
    draft.put("album", "duration", (many * between(word, 22, 52) // 10 + word % 5 for many, word in words))
    draft.put_octaves("album", "copies", 4, 9_000, step=100)
    draft.put_villages("album", "recorded_in")
    return albums


def _draw_films(draft: RealmDraft, people: People, firms: Firms, books: Works) -> Works:
    opening = max(FIRST_FILM, firms.founded[firms.serving["film"][0]] + 1)
    films = Works(draft, people, "film", (24, 75), opening, ("director", "released"))
    films.put_companies(draft, firms, "studio")
    leads = films.put_helper(draft, people, "lead_actor", (16, 80), (films.makers,))
    films.put_helper(draft, people, "screenwriter", (16, 80), (films.makers, leads))
    films.put_genres_and_sequels(draft, share=3)
    dealer = Dealer(draft.words("film", "based_on fame", books.size), 3, rounds=2)
    sources: list[int | None] = []
    published = [books.years[slot] for slot in books.oldest_first]
    for year, word in zip(films.years, draft.words("film", "based_on", films.size), strict=True):
        out = books.oldest_first[: bisect_left(published, year)]
        sources.append(dealer.deal(out, word >> 8) if word % 8 < 5 else None)
    draft.put_references("film", "based_on", "written_work", sources)
    draft.put_numbers("film", "running_time", 58, 189)
    draft.put_octaves("film", "budget", 2, 9_000, step=10)
    draft.put_villages("film", "filmed_in")
    return films
