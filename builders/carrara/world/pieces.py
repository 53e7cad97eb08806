"""Short pieces of writing on request, for conversations in which the same request comes again and again (MRCR).

A key is a format, a topic and a style. Piece `number` of a key is a text of its own, known without the others: its plan
(how many paragraphs of which kinds of sentences), persons, deeds, things and arguments are drawn for it alone.

    pieces.txt          lists of all pieces, wordings of requests, rhymes
    pieces_styles.txt   [style]: lists `lead`, `tail`, `mood`, `manner`; [remark style]: sentences
    pieces_prose.txt, pieces_scenes.txt, pieces_verse.txt    [plans] of formats, and the sections that plans name
    pieces_topics_*.txt the topics, each with words of its own (below)

    number  how the topic word is said: plural, mass or one
    thing   countable things, without an article     adj    adjectives of the topic
    do      what a person does, an infinitive        place  where, with its preposition
    claim   a short clause                           clue   what the topic says of itself after "I"

A text that two streams or two numbers of a key give alike is not ruled out, but none is known in millions. Must not
change: what is drawn, and the order of the draws.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from math import prod
from typing import Final, Literal

from carrara.stream import Draws, Stream
from carrara.world.language.grammar import (
    Alternatives,
    Person,
    Phrase,
    PhraseLists,
    Speller,
    WordingLine,
    parse,
    read_lists,
    read_sections,
    split_top,
)
from carrara.world.names.names import WorldNames

GrammaticalNumber = Literal["plural", "mass", "one"]
_NUMBERS: Final[Mapping[str, GrammaticalNumber]] = {"plural": "plural", "mass": "mass", "one": "one"}
# Fields of a topic, and the fewest phrases of each.
_FIELDS: Final = {"thing": 8, "adj": 6, "do": 6, "place": 4, "claim": 4, "clue": 4}
FILES: Final = ("pieces_topics_nature", "pieces_topics_home", "pieces_topics_life")

# Verbs that form their past and participle otherwise than with -ed.
_IRREGULAR: Final[Mapping[str, tuple[str, ...]]] = {
    entry.split()[0]: tuple(entry.split()[1:])
    for entry in re.split(
        r",\s+",
        """bear bore borne, beat beat beaten, begin began begun, bite bit bitten, blow blew blown, break broke broken,
breed bred bred, bring brought brought, build built built, buy bought bought, catch caught caught, choose chose
chosen, come came come, cut cut cut, cast cast cast, dig dug dug, do did done, draw drew drawn, drink drank
drunk, eat ate eaten, fall fell fallen, feed fed fed, fight fought fought, find found found, flee fled fled, fly
flew flown, forget forgot forgotten, get got got, give gave given, go went gone, grow grew grown, hang hung
hung, have had had, hear heard heard, hide hid hidden, hold held held, keep kept kept, kneel knelt knelt, knit
knitted knitted, lay laid laid, lead led led, leave left left, lend lent lent, let let let, lie lay lain, light
lit lit, lose lost lost, make made made, meet met met, pay paid paid, put put put, read read read, ride rode
ridden, ring rang rung, rise rose risen, run ran run, say said said, see saw seen, sell sold sold, send sent
sent, set set set, sew sewed sewn, shake shook shaken, shoot shot shot, shut shut shut, sing sang sung, sit sat
sat, sleep slept slept, slide slid slid, sow sowed sown, speak spoke spoken, spin spun spun, split split split,
spread spread spread, stand stood stood, strike struck struck, string strung strung, sweep swept swept, swear
swore sworn, swim swam swum, swing swung swung, take took taken, teach taught taught, tell told told, think
thought thought, throw threw thrown, wake woke woken, wear wore worn, weave wove woven, wind wound wound, write
wrote written""",
    )
}
# Verbs that double their last consonant: those of one short syllable, and these.
_DOUBLED: Final = ("begin", "forget", "label", "shovel", "towel", "unplug")
_DOUBLING: Final = re.compile(r"[^aeiou]*[aeiou][bdgklmnprtz]|[^aeiou]*qu[aeiou][bdgklmnprtz]")

_IRREGULAR_PLURALS: Final = {
    **{"scarf": "scarves", "loaf": "loaves", "leaf": "leaves", "shelf": "shelves", "knife": "knives"},
    **{"mouse": "mice", "goose": "geese", "man": "men"},
}
_PLURALS: Final = re.compile(f"(?:{'|'.join(_IRREGULAR_PLURALS)})$")
_JOINT: Final = re.compile(r" (?:of|in|on|to) .*")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic and its words; `do`, `doing`, `did`, `done` are forms of the same phrases, so are `thing`, `things`."""

    name: str
    number: GrammaticalNumber
    words: Mapping[str, tuple[str, ...]]


def past(phrase: str, *, participle: bool = False) -> str:
    """The past of a verb phrase: its first word is the verb."""
    verb, space, rest = phrase.partition(" ")
    if verb in _IRREGULAR:
        form = _IRREGULAR[verb][participle]
    elif verb.endswith("e"):
        form = verb + "d"
    elif re.search(r"[^aeiou]y$", verb):
        form = verb[:-1] + "ied"
    else:
        form = _doubled(verb) + "ed"
    return form + space + rest


def doing(phrase: str) -> str:
    """The -ing form of a verb phrase."""
    verb, space, rest = phrase.partition(" ")
    if verb.endswith("ie"):
        stem = verb[:-2] + "y"
    elif verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        stem = verb[:-1]
    else:
        stem = _doubled(verb)
    return stem + "ing" + space + rest


def _doubled(verb: str) -> str:
    return verb + verb[-1] if _DOUBLING.fullmatch(verb) or verb in _DOUBLED else verb


def plural(thing: str) -> str:
    """The plural of a countable phrase: of its last word, or of the one before "of", "in", "on" or "to"."""
    joint = _JOINT.search(thing)
    head, rest = (thing[: joint.start()], joint[0]) if joint else (thing, "")
    if irregular := _PLURALS.search(head):
        head = head[: irregular.start()] + _IRREGULAR_PLURALS[irregular[0]]
    elif re.search(r"(?:s|x|z|ch|sh)$", head):
        head += "es"
    elif re.search(r"[^aeiou]y$", head):
        head = head[:-1] + "ies"
    else:
        head += "s"
    return head + rest


@cache
def topics() -> Mapping[str, Topic]:
    """All topics by name, in the order of the files; ValueError with file and line where a text is wrong."""
    by_name: dict[str, Topic] = {}
    for file in FILES:
        for name, lines in read_sections("en", file).items():
            if name in by_name:
                raise ValueError(f"{lines[0].where}: the topic {name!r} stands twice; give one another name")
            by_name[name] = _topic(name, lines)
    return by_name


def _topic(name: str, lines: Iterable[WordingLine]) -> Topic:
    words: dict[str, tuple[str, ...]] = {}
    number: GrammaticalNumber | None = None
    where = ""
    for line in lines:
        field, _, rest = line.text.partition(":")
        where = line.where
        if field == "number":
            number = _NUMBERS.get(rest.strip())
            continue
        phrases = tuple(text.strip() for text in split_top(rest, "/"))
        if field not in _FIELDS or len(phrases) < _FIELDS[field] or len(set(phrases)) < len(phrases):
            raise ValueError(f"{where}: got {line.text[:40]!r}, expected one of {_FIELDS} with different phrases")
        words[field] = phrases
    if number is None or len(words) != len(_FIELDS):
        raise ValueError(f"{where}: topic {name!r} wants a number and {', '.join(_FIELDS)}, got {', '.join(words)}")
    words["things"] = tuple(map(plural, words["thing"]))
    words["doing"] = tuple(map(doing, words["do"]))
    words["did"] = tuple(map(past, words["do"]))
    words["done"] = tuple(past(phrase, participle=True) for phrase in words["do"])
    return Topic(name, number, words)


FORMATS: Final[tuple[str, ...]] = (
    "poem",
    "riddle",
    "essay",
    "email",
    "play",
    "blog post",
    "story",
    "news item",
    "set of instructions",
    "diary entry",
    "speech",
    "letter",
    "song",
)
TOPICS: Final[tuple[str, ...]] = tuple(topics())
STYLES: Final[tuple[str, ...]] = tuple(
    name for name in read_sections("en", "pieces_styles") if not name.startswith("remark ")
)
# A request without a style is answered in this one.
_DEFAULT: Final = "plain"
_FILES: Final = ("pieces_prose", "pieces_scenes", "pieces_verse")
# Numbers of names: far below what `WorldNames` has, and few pieces of a conversation share one.
_NAMES: Final = 100_000
# A list of up to so many spellings is spelled out once: it then takes one draw, and twice as many pieces come a second.
_SPELLED: Final = 6000
# Words of a topic that are drawn one after the other, and the forms of one phrase.
_FORMS: Final[Mapping[str, str]] = {
    "thing": "thing",
    "things": "thing",
    "adj": "adj",
    "do": "do",
    "doing": "do",
    "did": "do",
    "done": "do",
    "place": "place",
    "claim": "claim",
    "clue": "clue",
}
_GRAMMAR: Final[Mapping[str, Mapping[str, str]]] = {
    "plural": {"is": "are", "was": "were", "has": "have", "s": "", "es": "", "them": "them"},
    "mass": {"is": "is", "was": "was", "has": "has", "s": "s", "es": "es", "them": "it"},
    "one": {"is": "is", "was": "was", "has": "has", "s": "s", "es": "es", "them": "it"},
}
# Sentences that are tried for a piece, which takes about ten: far more than one that can be written ever wants.
_TRIES: Final = 1_000
_Rhymes = tuple[tuple[str, ...], ...]
_PRONOUNS: Final = (("she", "her"), ("he", "him"))
# What is drawn once for a piece: names, and the phrases of which one is drawn for all of them together.
_ONCE: Final = tuple(
    (
        tuple(name.strip() for name in line.text.partition(":")[0].split(",")),
        tuple(tuple(word.strip() for word in text.split(",")) for text in line.text.partition(":")[2].split("/")),
    )
    for line in read_sections("en", "pieces")["once"]
)
_VALUES: Final = (
    *_FORMS,
    *(name for names, _ in _ONCE for name in names),
    *_GRAMMAR["mass"],
    *("topic", "key", "goal", "goaling", "goaled", "spot", "r", "q"),
    *("A", "B", "C", "TOWN", "UA", "UB", "UC", "ahe", "ahim"),
)


@dataclass(frozen=True, slots=True)
class _OutlineStep:
    """A part of a plan: what stands before it, its section, and the bounds of how many sentences."""

    joint: str
    section: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class _StyleText:
    """All wordings of one style."""

    plans: Mapping[str, tuple[tuple[_OutlineStep, ...], ...]]
    sections: Mapping[str, tuple[Phrase, ...]]
    rhymes: _Rhymes


class _PieceValues(Mapping[str, str]):
    """The values of a piece: fixed ones, rhymes, and words of the topic, none twice while there are others."""

    __slots__ = ("_at", "_draws", "_families", "_fixed", "_orders", "_rhymes", "_topic")

    def __init__(self, draws: Draws, topic: Topic, fixed: Mapping[str, str], families: _Rhymes) -> None:
        self._draws = draws
        self._topic = topic
        self._fixed = fixed
        self._families = families
        # The deed, thing and place that a piece keeps to its end come last among those that it names in passing.
        self._orders: dict[str, list[int]] = {}
        for name, kept in (("do", "goal"), ("thing", "key"), ("place", "spot")):
            last = topic.words[name].index(fixed[kept])
            self._orders[name] = [*draws.shuffled([i for i in range(len(topic.words[name])) if i != last]), last]
        self._at: dict[str, int] = {}
        self._rhymes: dict[str, list[str]] = {}

    def new_rhymes(self) -> None:
        """Another stanza: its two rhymes are drawn when it asks for them."""
        self._rhymes = {}

    def __getitem__(self, name: str) -> str:
        if (value := self._fixed.get(name)) is not None:
            return value
        base = _FORMS.get(name)
        if base is None:
            ends = self._rhymes.get(name)
            if not ends:
                family = self._next("rhymes", len(self._families))
                ends = self._rhymes[name] = self._draws.shuffled(self._families[family])
            return ends.pop()
        forms = self._topic.words[name]
        return forms[self._next(base, len(forms))]

    def _next(self, name: str, count: int) -> int:
        """The next number of a random order of range(count), which begins again at its end."""
        order = self._orders.get(name)
        if order is None:
            order = self._orders[name] = self._draws.shuffled(range(count))
        at = self._at.get(name, 0)
        self._at[name] = (at + 1) % count
        return order[at]

    def __iter__(self) -> Iterator[str]:
        return iter(_VALUES)

    def __len__(self) -> int:
        return len(_VALUES)


def request(stream: Stream, format: str, topic: str, style: str | None, number: int) -> str:
    """The wording of request `number` of a key, which it names; ValueError for an unknown key."""
    draws = Draws(stream.child("pieces", "request", format, topic, style or "", number))
    _check(format, topic, style)
    requests, manners = _requests()
    manner = ""
    if style is not None:
        manner = Speller(draws, Person(""), {"manner": style}).phrase(draws.choice(manners))[0]
        manner = manner if manner.startswith(",") else f" {manner}"
    values = {"format": format, "topic": topic, "style": manner}
    return Speller(draws, Person(""), values).text(draws.choice(requests))


def piece(stream: Stream, format: str, topic: str, style: str | None, number: int) -> str:
    """Piece `number` of a key: 120 to 350 words in lines and paragraphs; ValueError for an unknown key."""
    _check(format, topic, style)
    draws = Draws(stream.child("pieces", format, topic, style or "", number))
    text, subject = _text(style or _DEFAULT), topics()[topic]
    fixed = _fixed(stream, draws, subject)
    while True:
        written = _written(draws, text, format, subject, fixed)
        # A riddle does not name its topic (see `_written`); anything else does, if need be at the next attempt.
        if written and (format == "riddle" or topic in written.lower()):
            return written
        if not written:
            fixed = _fixed(stream, draws, subject)


def _written(draws: Draws, text: _StyleText, format: str, topic: Topic, fixed: Mapping[str, str]) -> str:
    """A piece; "" for a riddle with a name that gives it away wherever it stands: Riveretobal, of rivers."""
    words = _PieceValues(draws, topic, fixed, text.rhymes)
    speller = Speller(draws, Person(""), words)
    taboo = _taboo(topic.name) if format == "riddle" else None
    decks: dict[str, list[Phrase]] = {}
    out: list[str] = []
    tried = 0
    for step in draws.choice(text.plans[format]):
        for turn in range(step.low + draws.below(step.high - step.low + 1)):
            sentence = ""
            while not sentence or (taboo is not None and taboo.search(sentence)):
                # A template whose own words or whose topic words give the answer away would do so again: take another.
                deck = decks.get(step.section)
                if not deck:
                    deck = decks[step.section] = draws.shuffled(text.sections[step.section])
                words.new_rhymes()
                sentence = speller.text(deck.pop())
                tried += 1
                if tried > _TRIES:
                    return ""
            out += (step.joint if turn == 0 else " ", sentence)
    return _CAPITAL.sub(_upper, "".join(out[1:]))


# A line of verse and what stands after "^" begin with a capital.
_CAPITAL: Final = re.compile(r" ¶ (\W*\w)|\^(\w)")


def _upper(match: re.Match[str]) -> str:
    return f"\n{match[1].lstrip('^').upper()}" if match[1] else match[2].upper()


@cache
def _taboo(topic: str) -> re.Pattern[str]:
    stems = [re.sub(r"s$", "", word) for word in topic.split() if word not in ("a", "the", "old")]
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, stems))})", re.IGNORECASE)


def _fixed(stream: Stream, draws: Draws, topic: Topic) -> dict[str, str]:
    """The values that stay the same throughout a piece."""
    names = _names(stream.key)
    a, b, c, town = (names.word("en", "pieces", draws.below(_NAMES)) for _ in range(4))
    goal = draws.below(len(topic.words["do"]))
    she, her = draws.choice(_PRONOUNS)
    once = {name: word for names, phrases in _ONCE for name, word in zip(names, draws.choice(phrases), strict=True)}
    return {
        **_GRAMMAR[topic.number],
        **once,
        **{"topic": topic.name, "key": draws.choice(topic.words["thing"]), "spot": draws.choice(topic.words["place"])},
        **{"goal": topic.words["do"][goal], "goaling": topic.words["doing"][goal], "goaled": topic.words["did"][goal]},
        **{"A": a, "B": b, "C": c, "TOWN": town, "UA": a.upper(), "UB": b.upper(), "UC": c.upper()},
        **{"ahe": she, "ahim": her if she == "she" else "him"},
    }


@lru_cache(maxsize=64)
def _names(key: tuple[str | int, ...]) -> WorldNames:
    return WorldNames(Stream(*key))


def _check(format: str, topic: str, style: str | None) -> None:
    for what, value, known in (("format", format, FORMATS), ("topic", topic, TOPICS), ("style", style, STYLES)):
        if value not in known and value is not None:
            raise ValueError(f"unknown {what}: got {value!r}, expected one of {', '.join(known)}")


@cache
def _requests() -> tuple[tuple[Phrase, ...], tuple[Phrase, ...]]:
    sections = read_sections("en", "pieces")
    lists = _shared()
    requests = tuple(parse(line, lists.get, ("format", "topic", "style")) for line in sections["requests"])
    return requests, tuple(parse(line, lists.get, ("manner",)) for line in sections["style of a request"])


class _Odometer(Draws):
    """Draws that go through all their outcomes, one after the other, from one `advance` to the next."""

    __slots__ = ("_at", "_digits")

    def __init__(self) -> None:
        super().__init__(Stream())
        self._digits: list[tuple[int, int]] = []
        self._at = 0

    def below(self, n: int) -> int:
        if self._at == len(self._digits):
            self._digits.append((0, n))
        self._at += 1
        return self._digits[self._at - 1][0]

    def advance(self) -> bool:
        """Go to the next outcome; False after the last one."""
        self._at = 0
        while self._digits:
            digit, size = self._digits.pop()
            if digit + 1 < size:
                self._digits.append((digit + 1, size))
                return True
        return False


def _spellings(phrase: Phrase) -> int:
    """How many spellings a phrase without values has."""
    return prod(sum(map(_spellings, part.phrases)) for part in phrase if isinstance(part, Alternatives))


def _spelled_out(lists: PhraseLists, known: PhraseLists) -> dict[str, Alternatives]:
    """The lists, each of few spellings as the list of its spellings, also where another list names it."""
    memory: dict[int, Alternatives] = {id(alternatives): alternatives for alternatives in known.values()}

    def flat(alternatives: Alternatives) -> Alternatives:
        if id(alternatives) in memory:
            return memory[id(alternatives)]
        out = alternatives
        if not alternatives.texts and _spellings((alternatives,)) <= _SPELLED:
            odometer = _Odometer()
            texts: dict[str, None] = {}
            while True:
                texts[Speller(odometer, Person(""), {}).phrase((alternatives,))[0]] = None
                if not odometer.advance():
                    break
            out = Alternatives(alternatives.name, tuple((text,) for text in texts))
        elif not alternatives.texts:
            phrases = (
                tuple(flat(part) if isinstance(part, Alternatives) else part for part in phrase)
                for phrase in alternatives.phrases
            )
            out = Alternatives(alternatives.name, tuple(phrases))
        memory[id(alternatives)] = out
        return out

    return {name: flat(alternatives) for name, alternatives in lists.items()}


@cache
def _shared() -> PhraseLists:
    """The lists of all styles: read once."""
    return _spelled_out(read_lists(read_sections("en", "pieces")["lists"], {}), {})


@cache
def _text(style: str) -> _StyleText:
    """Read the wordings of a style; ValueError with file and line where a text is wrong."""
    shared, styles = read_sections("en", "pieces"), read_sections("en", "pieces_styles")
    lists = {**_shared(), **_spelled_out(read_lists(styles[style], _shared()), _shared())}
    sections: dict[str, tuple[Phrase, ...]] = {}
    plans: dict[str, list[tuple[_OutlineStep, ...]]] = {}
    for file in _FILES:
        read = read_sections("en", file)
        own = {**lists, **_spelled_out(read_lists(read.pop("lists", []), lists), lists)}
        for line in read.pop("plans"):
            format, _, plan = line.text.partition(":")
            plans.setdefault(format, []).append(_plan(line, plan))
        for name, lines in read.items():
            sections[name] = tuple(parse(line, own.get, _VALUES) for line in lines)
    sections["remark"] = tuple(parse(line, lists.get, _VALUES) for line in styles[f"remark {style}"])
    used = {step.section for some in plans.values() for plan in some for step in plan}
    if missing := sorted(used - set(sections)):
        raise ValueError(f"pieces: a plan names {missing[0]!r}, which is no section; write it or mend the plan")
    if set(plans) != set(FORMATS):
        raise ValueError(f"pieces: got plans for {sorted(plans)}, expected one or more for each of {sorted(FORMATS)}")
    rhymes = tuple(tuple(end.strip() for end in split_top(line.text, "/")) for line in shared["rhymes"])
    return _StyleText({name: tuple(some) for name, some in plans.items()}, sections, rhymes)


def _plan(line: WordingLine, plan: str) -> tuple[_OutlineStep, ...]:
    steps: list[_OutlineStep] = []
    joint = " "
    for token in plan.split():
        if token in ("/", "//"):
            joint = "\n" * len(token)
            continue
        match = re.fullmatch(r"([a-z_]+)(?:\*(\d)(?:-(\d))?)?", token)
        if match is None:
            raise ValueError(f"{line.where}: got {token!r}, expected a section, section*2, section*2-3, / or //")
        low = int(match[2] or 1)
        steps.append(_OutlineStep(joint, match[1], low, int(match[3] or low)))
        joint = " "
    return tuple(steps)
