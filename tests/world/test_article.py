"""Articles: the order of their sentences can be recovered from what the sentences say."""

import datetime
import hashlib
import re

import pytest

from carrara.stream import Stream
from carrara.world.documents.article import EPISODE, WORKS, Course, article, article_plan, clock, episode_plan
from carrara.world.names.names import WorldNames

STREAM = Stream("article test")
LANGS = ("en", "zh")
# Articles of all works.
NUMBERS = {article_plan(STREAM.child("article", number)).work: number for number in range(40)}
GOLDEN = {
    "en": "31f6f8900b14ca3a1c94b7edb3b8bc17d066c937cd2d7f0ae064cb5cbe6551a2",
    "zh": "7922955df712472170adb73fae128c2692c852fa05f259145565f0ff93a0d2d4",
}
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
HOURS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
MINUTES = {"five": 5, "ten": 10, "a quarter": 15, "twenty": 20, "twenty-five": 25, "half": 30}
HOURS_ZH = ["一", "两", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]
MINUTES_ZH = [
    "整",
    "零五分",
    "十分",
    "一刻",
    "二十分",
    "二十五分",
    "半",
    "三十五分",
    "四十分",
    "三刻",
    "五十分",
    "五十五分",
]


def lines(lang: str, number: int, size: int) -> list[str]:
    whole = article(STREAM, lang, number, size)
    return [whole.text[start:end] for start, end in whole.sentences]


def read_day(lang: str, sentence: str) -> int | None:
    if lang == "zh":
        found = re.search(r"(\d{4})年(\d+)月(\d+)日", sentence)
        return datetime.date(*map(int, found.groups())).toordinal() if found else None
    found = re.search(rf"(\d+) ({'|'.join(MONTHS)}) (\d{{4}})", sentence)
    return datetime.date(int(found[3]), MONTHS.index(found[2]) + 1, int(found[1])).toordinal() if found else None


def read_clock(lang: str, sentence: str) -> int | None:
    """Minutes after midnight."""
    if lang == "zh":
        hours = "|".join(sorted(HOURS_ZH, key=len, reverse=True))
        minutes = "|".join(sorted(MINUTES_ZH, key=len, reverse=True))
        part = "(清晨|清早|早上|上午|午前|前晌|中午|正午|晌午|下午|午后|后晌|晚上|夜里|晚间)"
        if not (found := re.search(f"{part}({hours})点({minutes})", sentence)):
            return None
        hour = HOURS_ZH.index(found[2]) + 1
        late = found[1] in ("下午", "午后", "后晌", "晚上", "夜里", "晚间")
        return (hour % 12 + 12 * (late or hour == 12)) * 60 + 5 * MINUTES_ZH.index(found[3])
    if re.search(r"\bnoon\b", sentence):
        return 720
    hours = "|".join(HOURS)
    part = r"(?:in the|that|of the|at) (morning|afternoon|evening|night)"
    if found := re.search(rf"\b({hours}) o’clock {part}", sentence):
        minutes, hour, side, name = 0, found[1], "past", found[2]
    elif found := re.search(rf"\b(five|ten|a quarter|twenty-five|twenty|half) (past|to) ({hours}) {part}", sentence):
        minutes, side, hour, name = MINUTES[found[1]], found[2], found[3], found[4]
    else:
        return None
    at = (HOURS.index(hour) + 1) * 60 + (minutes if side == "past" else -minutes)
    if name == "morning":
        return at
    return at if at >= 720 else at + 720


def names(lang: str, sentences: list[str], number: int) -> list[set[str]]:
    """The invented words of each sentence of an article: those that are capital wherever they stand, and no month."""
    if lang == "zh":
        world, own = WorldNames(STREAM), f"article-{number}"
        known = {world.word("zh", f"{own} place", place) for place in range(100)}
        known |= {world.person("zh", f"{own} person", n, female=female) for n in range(200) for female in (False, True)}
        return [{name for name in known if name in one} for one in sentences]
    words = [set(re.findall(r"(?<=[a-z,] )[A-Z][a-z]+", one)) - set(MONTHS) for one in sentences]
    known = set().union(*words)
    return [set(re.findall(r"[A-Z][a-z]+", one)) & known for one in sentences]


def sorted_by_clues(lang: str, sentences: list[str], number: int) -> list[str]:
    """Sentences in the order of their clues: days, hours, and who was brought in when."""
    named = names(lang, sentences, number)
    days = [read_day(lang, one) for one in sentences]
    clocks = [read_clock(lang, one) for one in sentences]
    # The day of a name is the first that is told in one sentence with it, directly or by way of another name.
    first: dict[str, int] = {}
    for day, found in zip(days, named, strict=True):
        for name in found if day else ():
            first[name] = min(day, first.get(name, day))
    for _ in range(3):
        for found in named:
            if known := [first[name] for name in found if name in first]:
                for name in found:
                    first.setdefault(name, min(known))
    keys = []
    for day, at, found in zip(days, clocks, named, strict=True):
        if day:
            keys.append((day, -1, 0))
            continue
        when = min(first[name] for name in found)
        if at is not None:
            keys.append((when, at, 0))
            continue
        # No hour: right after the persons in it were brought in.
        since = [
            min(other for other, its in zip(clocks, named, strict=True) if other is not None and name in its)
            for name in found
        ]
        keys.append((when, max(since), 1))
    return [sentences[place] for place in sorted(range(len(sentences)), key=lambda place: keys[place])]


def tau(order: list[int]) -> float:
    pairs = [order[i] < order[j] for j in range(len(order)) for i in range(j)]
    return 2 * sum(pairs) / len(pairs) - 1


@pytest.mark.parametrize("lang", LANGS)
def test_an_article_has_exactly_so_many_sentences_and_begins_every_longer_one(lang):
    whole = lines(lang, 0, 500)
    assert len(whole) == 500
    for size in (1, 2, 7, 8, 9, 333):
        assert lines(lang, 0, size) == whole[:size]
        assert article(STREAM, lang, 0, 500).text.startswith(article(STREAM, lang, 0, size).text)
    assert article(Stream("article test"), lang, 3, 50) == article(STREAM, lang, 3, 50)


@pytest.mark.parametrize("lang", LANGS)
def test_text_is_pinned(lang):
    texts = "".join(article(STREAM, lang, place, 40).text for _, place in sorted(NUMBERS.items()))
    assert hashlib.sha256(texts.encode()).hexdigest() == GOLDEN[lang]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("work", WORKS)
def test_sentences_are_whole_and_cover_the_text(lang, work):
    whole = article(STREAM, lang, NUMBERS[work], 400)
    at, rest = 0, ""
    for start, end in whole.sentences:
        assert at <= start < end
        rest += whole.text[at:start]
        at = end
        inner, last = whole.text[start : end - 1], whole.text[end - 1]
        assert last == {"en": ".", "zh": "。"}[lang]
        assert not re.search(r"[.!?。！？\n{}\[\]|“”]|  | ,|,,|，，|的的", inner), inner
    assert not (rest + whole.text[at:]).strip()


@pytest.mark.parametrize("lang", LANGS)
def test_no_sentence_is_another_or_a_part_of_one(lang):
    whole = lines(lang, 1, 400)
    assert len(set(whole)) == 400
    joined = "\n".join(whole)
    assert all(joined.count(one) == 1 for one in whole)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("work", WORKS)
def test_the_order_of_shuffled_sentences_is_recovered(lang, work):
    whole = lines(lang, NUMBERS[work], 200)
    shuffled = Stream("shuffle", work).shuffled(whole)
    found = sorted_by_clues(lang, shuffled, NUMBERS[work])
    assert tau([whole.index(one) for one in found]) >= 0.99
    assert tau([whole.index(one) for one in shuffled]) < 0.5


@pytest.mark.parametrize("lang", LANGS)
def test_every_sentence_is_tied_to_the_one_before(lang):
    for number in NUMBERS.values():
        whole = lines(lang, number, 320)
        named = names(lang, whole, number)
        seen: set[str] = set()
        day, now = 0, -1
        for place, sentence in enumerate(whole):
            on, at = read_day(lang, sentence), read_clock(lang, sentence)
            new = named[place - 1] - seen if place else set()
            if place:
                seen |= named[place - 1]
            if on:
                assert on > day
                day, now = on, -1
            elif at is not None:
                assert at > now, sentence
                now = at
            else:
                assert named[place] & new, sentence


def test_hours_are_written_as_they_are_read():
    for minutes in range(360, 1435, 5):
        for way in range(3):
            for lang in LANGS:
                assert read_clock(lang, f"At {clock(lang, minutes, way)} all was quiet") == minutes


def test_totals_are_the_sums_of_what_was_done():
    key = STREAM.child("article", 0)
    course = Course(key, 650_000, 12)
    total = 0
    for number in range(300):
        plan = episode_plan(key, course, number)
        total += plan.done
        assert plan.total == total and plan.done > 0
        assert plan.day == Course(key, 650_000, 12).day(number)
        assert list(plan.minutes) == sorted(plan.minutes) and len(plan.minutes) == EPISODE - 1


@pytest.mark.parametrize("lang", LANGS)
def test_dates_are_the_same_in_both_languages(lang):
    days = [read_day(lang, one) for one in lines(lang, 2, 160)]
    assert days == [read_day("en", one) for one in lines("en", 2, 160)]
    years = [datetime.date.fromordinal(day).year for day in days if day]
    assert min(years) >= 1750 and max(years) < 1990


def test_an_article_has_a_sentence():
    with pytest.raises(ValueError, match="one sentence or more"):
        article(STREAM, "en", 0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
def test_an_article_of_twenty_thousand_sentences_says_nothing_twice(lang):
    whole = lines(lang, 5, 20_000)
    assert len(set(whole)) == len(whole) == 20_000
