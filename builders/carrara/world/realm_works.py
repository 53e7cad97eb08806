"""The books, albums and films of a realm."""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from carrara.world.realm_draft import MOST_ANSWERS, Dealer, Draft, between
from carrara.world.realm_entity import SIZES
from carrara.world.realm_firms import Firms
from carrara.world.realm_people import PEOPLE, People
from carrara.world.schema import Class
from carrara.world.terms import entries

LAST_WORK: Final = 2019
FIRST_ALBUM, FIRST_FILM = 1925, 1905


class Works:
    """The works of one class by slot: whose they are (person), of which year, and what an artist made before each."""

    __slots__ = ("before", "class_", "makers", "oldest_first", "size", "years")

    def __init__(
        self, draft: Draft, people: People, class_: Class, ages: tuple[int, int], first: int, roles: tuple[str, str]
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

    def put_companies(self, draft: Draft, firms: Firms, relation: str) -> None:
        """Who brought each work out: a company founded before, none with more than `MOST_ANSWERS` works."""
        words = draft.words(self.class_, relation, self.size)
        dealer = Dealer(draft.words(self.class_, f"{relation} fame", SIZES["company"]), MOST_ANSWERS, rounds=1)
        column: list[int | None] = [None] * self.size
        for slot in self.oldest_first:
            column[slot] = dealer.deal(firms.before(self.class_, self.years[slot]), words[slot])
        draft.put_references(self.class_, relation, "company", column)

    def put_helper(
        self, draft: Draft, people: People, relation: str, ages: tuple[int, int], taken: Sequence[Sequence[int | None]]
    ) -> list[int | None]:
        """Somebody of the ages, alive in the year of each work and none of those taken; returns them."""
        words = draft.words(self.class_, relation, self.size)
        dealer = Dealer(draft.words(self.class_, f"{relation} fame", PEOPLE), MOST_ANSWERS, rounds=4)
        column: list[int | None] = []
        for slot, (year, word) in enumerate(zip(self.years, words, strict=True)):
            busy = [one[slot] for one in taken]

            def free(one: int, busy: list[int | None] = busy) -> bool:
                return one not in busy

            column.append(dealer.deal(people.aged(year, *ages), word, free))
        draft.put(self.class_, relation, map(people.reference, column))
        return column

    def put_genres_and_sequels(self, draft: Draft, share: int) -> None:
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


def draw_works(draft: Draft, people: People, firms: Firms) -> list[dict[str, int]]:
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


def _draw_books(draft: Draft, people: People, firms: Firms) -> Works:
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


def _draw_albums(draft: Draft, people: People, firms: Firms) -> Works:
    opening = max(FIRST_ALBUM, firms.founded[firms.serving["album"][0]] + 1)
    albums = Works(draft, people, "album", (18, 75), opening, ("performer", "released"))
    albums.put_companies(draft, firms, "label")
    albums.put_helper(draft, people, "producer", (22, 75), (albums.makers,))
    draft.put_references("album", "previous_album", "album", albums.before)
    genres = entries("music_genre")
    known = []
    for year, word in zip(albums.years, draft.words("album", "genre", albums.size), strict=True):
        fit = []
        for place, genre in enumerate(genres):
            first, last = genre.ranges.get("released", (year, year))
            if first <= year <= last:
                fit.append(place)
        known.append(fit[word % len(fit)])
    draft.put("album", "genre", known)
    draft.put_terms("album", "lead_instrument")
    tracks = [between(word, 6, 18) for word in draft.words("album", "tracks", albums.size)]
    draft.put("album", "tracks", tracks)
    words = zip(tracks, draft.words("album", "duration", albums.size), strict=True)
    draft.put("album", "duration", (many * between(word, 22, 52) // 10 + word % 5 for many, word in words))
    draft.put_octaves("album", "copies", 4, 9_000, step=100)
    draft.put_villages("album", "recorded_in")
    return albums


def _draw_films(draft: Draft, people: People, firms: Firms, books: Works) -> Works:
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
