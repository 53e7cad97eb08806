"""The topics of pieces: each has words of its own, read from `text/en/pieces_topics_*.txt`.

number  how the topic word is said: plural, mass or one
thing   countable things, without an article     adj    adjectives of the topic
do      what a person does, an infinitive        place  where, with its preposition
claim   a short clause                           clue   what the topic says of itself after "I"
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final, Literal

from carrara.world.grammar import Line, read_sections, split_top

Number = Literal["plural", "mass", "one"]
_NUMBERS: Final[Mapping[str, Number]] = {"plural": "plural", "mass": "mass", "one": "one"}
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
    number: Number
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
    found: dict[str, Topic] = {}
    for file in FILES:
        for name, lines in read_sections("en", file).items():
            if name in found:
                raise ValueError(f"{lines[0].where}: the topic {name!r} stands twice; give one another name")
            found[name] = _topic(name, lines)
    return found


def _topic(name: str, lines: Iterable[Line]) -> Topic:
    words: dict[str, tuple[str, ...]] = {}
    number: Number | None = None
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
