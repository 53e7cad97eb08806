"""Reads the prompts of idk with a grammar of its own, sentence by sentence; it shares nothing with the story writer.

Every sentence must match a known pattern. It states one attribute of one of the two persons, or nothing that is ever
asked. A pronoun means the person whom the sentences are about at that point, and must not fit the other. If any
sentence does not match, the solver gives no answer. The patterns are written by hand: a new wording of the stories
needs a new line here.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from carrara.tasks.michelangelo.idk.prompt import (
    ANSWER_PREFIX,
    BLANK,
    CHOICE,
    CLOSING,
    INTRODUCTIONS,
    LETTERS,
    QUESTION,
    STORY,
    UNKNOWN,
)

_NAME: Final = r"[A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+"
# The person as subject, object and owner; the value; the reason or manner.
_S: Final = rf"(?P<who>{_NAME}|[Ss]he|[Hh]e)"
_O: Final = rf"(?P<who>{_NAME}|her|him)"
_OWN: Final = rf"(?P<who>{_NAME}(?=’)|[Hh]er|[Hh]is)(?:’s?)?"
_V: Final = r"(?P<value>[^,.]+?)"
_WHY: Final = (
    r"(?:out of habit|for no reason that .+ could name|because it saved money|to please a grandmother"
    r"|because nothing else was to be had|after a long [a-z]+|to the (?:surprise|amusement|despair) of .+"
    r"|without telling anyone|on the advice of .+)"
)
_HE: Final = r"(?:he|she)"
_HIS: Final = r"(?:his|her)"
_HIMSELF: Final = r"(?:himself|herself)"

# By kind of attribute: how a question asks for it, and how a story states it.
_ASKED: Final[dict[str, tuple[str, ...]]] = {
    "pet": (rf"What animal did (?P<who>{_NAME}) keep", rf"Which pet lived with (?P<who>{_NAME})"),
    "coat": (rf"What colour was {_OWN} coat", rf"What was the colour of {_OWN} coat"),
    "instrument": (rf"W(?:hich|hat) instrument (?:did|could) (?P<who>{_NAME}) play",),
    "vehicle": (rf"What did (?P<who>{_NAME}) use (?:to get about|for transport)",),
    "breakfast": (rf"What did (?P<who>{_NAME}) (?:eat for breakfast|have each morning)",),
    "trade": (rf"What was {_OWN} trade", rf"What did (?P<who>{_NAME}) do for a living"),
    "pastime": (rf"What did (?P<who>{_NAME}) do in free hours", rf"How did (?P<who>{_NAME}) spend free hours"),
    "birthday": (rf"In which month was {_OWN} birthday", rf"When in the year did (?P<who>{_NAME}) have a birthday"),
    "brothers": (rf"How many brothers did (?P<who>{_NAME}) have", rf"What was the number of {_OWN} brothers"),
    "fruit": (rf"Which fruit did (?P<who>{_NAME}) like best", rf"What was {_OWN} favourite fruit"),
    "tool": (rf"What did (?P<who>{_NAME}) always carry along", rf"Without what did (?P<who>{_NAME}) never go out"),
    "drink": (rf"What did (?P<who>{_NAME}) drink", rf"Which drink did (?P<who>{_NAME}) always take"),
    "flower": (rf"Which flowers did (?P<who>{_NAME}) grow", rf"What grew in {_OWN} garden"),
    "journey": (rf"(?:Where|To what place) had (?P<who>{_NAME}) once travelled",),
    "lost": (rf"Wh(?:at|ich thing) did (?P<who>{_NAME}) lose",),
    "gift": (rf"What present was (?P<who>{_NAME}) given", rf"What did (?P<who>{_NAME}) receive as a present"),
    "door": (rf"What colour was {_OWN} front door", rf"In what colour was {_OWN} front door painted"),
    "fear": (rf"What was (?P<who>{_NAME}) afraid of", rf"What frightened (?P<who>{_NAME})"),
    "study": (rf"Which subject did (?P<who>{_NAME}) study", rf"What was (?P<who>{_NAME}) studying"),
    "room": (rf"Where did (?P<who>{_NAME}) sleep", rf"In which room or building did (?P<who>{_NAME}) sleep"),
}
_STATED: Final[dict[str, tuple[str, ...]]] = {
    "pet": (
        rf"{_S} kept {_V}, .+",
        rf"For company {_S} had {_V}, .+",
        rf"The only other creature in {_OWN} household was {_V}",
    ),
    "coat": (
        rf"Winter and summer {_S} wore an? {_V} coat, .+",
        rf"{_S} owned a single coat, and it was {_V}",
        rf"People recognised {_O} from afar by {_HIS} {_V} coat",
    ),
    "instrument": (
        rf"[^,]+, {_S} played {_V}, .+",
        rf"{_S} had learned to play {_V} {_WHY}",
        rf"[^,]+, .+ could hear {_O} practise {_V}",
    ),
    "vehicle": (
        rf"{_S} got about with {_V}, .+",
        rf"To get about, {_S} used {_V}, .+",
        rf"{_OWN} only means of transport was {_V}, .+",
    ),
    "breakfast": (
        rf"{_S} began every day with {_V}, .+",
        rf"For breakfast {_S} would have {_V} and nothing else",
        rf"Each morning {_S} ate {_V}, .+",
    ),
    "trade": (
        rf"By trade {_S} was an? {_V}, .+",
        rf"{_S} earned a living as an? {_V}",
        rf"{_S} had become an? {_V} {_WHY}",
    ),
    "pastime": (
        rf"{_OWN} favourite pastime was {_V}, .+",
        rf"In free hours {_S} was busy {_V}, .+",
        rf"Free hours {_S} spent {_V}, .+",
    ),
    "birthday": (
        rf"{_OWN} birthday fell in {_V} and was always (?:kept|spent) with .+",
        rf"{_S} celebrated a birthday in {_V}, usually with .+",
        rf"Every {_V} {_S} had a birthday and pretended to forget it",
    ),
    "brothers": (
        rf"{_S} had {_V} brothers and (?:wrote|listened|lent money) to none of them",
        rf"Of {_OWN} {_V} brothers not one had stayed nearby",
        rf"{_OWN} {_V} brothers had left home early, .+",
    ),
    "fruit": (
        rf"No fruit pleased {_O} more than {_V}",
        rf"{_S} would walk a mile for {_V}, the fruit that {_HE} liked best",
        rf"Of all fruit {_S} preferred {_V}, .+",
    ),
    "tool": (
        rf"{_S} never left the house without {_V}",
        rf"In {_OWN} pocket there was always {_V}, .+",
        rf"Wherever {_S} went, {_V} went along, .+",
    ),
    "drink": (
        rf"{_S} drank {_V} and nothing stronger or weaker, .+",
        rf"{_OWN} guests were offered {_V}, which {_HE} always drank {_HIMSELF}",
        rf"{_S} would drink only {_V}, .+",
    ),
    "flower": (
        rf"In the garden {_S} grew {_V}, .+",
        rf"{_OWN} garden was full of {_V}",
        rf"Along the garden wall {_S} had planted {_V} {_WHY}",
    ),
    "journey": (
        rf"{_S} had once travelled to {_V}, .+",
        rf"The longest journey of {_OWN} life had led to {_V}",
        rf"Years ago {_S} made a journey to {_V}, .+",
    ),
    "lost": (
        rf"One day {_S} lost {_V}, and .+ helped to look for it in vain",
        rf"{_S} had never got over the loss of {_V}",
        rf"What {_S} lost that autumn was {_V}",
    ),
    "gift": (
        rf"[^,]+ had given {_O} (?P<value>an? [^,.]+)",
        rf"As a present {_S} received {_V}, .+",
        rf"{_S} was given {_V} as a wedding present that came too late",
    ),
    "door": (
        rf"The front door of {_OWN} home was painted {_V}",
        rf"{_S} had painted the front door {_V} {_WHY}",
        rf"Visitors found {_OWN} house by its {_V} front door",
    ),
    "fear": (
        rf"{_S} was afraid of {_V}, .+",
        rf"Nothing frightened {_O} but {_V}",
        rf"{_S} had been frightened of {_V} since childhood",
    ),
    "study": (
        rf"[^,]+, {_S} studied {_V}",
        rf"{_S} had taken up the study of {_V} {_WHY}",
        rf"A shelf of books on {_V} showed what {_S} was studying",
    ),
    "room": (
        rf"{_S} slept in {_V}, .+",
        rf"At night {_S} preferred to sleep in {_V}",
        rf"{_OWN} bed stood in {_V}, .+",
    ),
}
_OPENINGS: Final = (
    rf"(?P<who>{_NAME}) lived in .+, where life was .+ and the days began .+",
    rf"In .+ there lived an? .+ person (?:called|named|by the name of) (?P<who>{_NAME})",
    rf"Everyone in the district had heard of (?P<who>{_NAME}), who had come to .+",
    rf"(?P<who>{_NAME}) was known to .+ as .+ and .+, and had spent years in .+",
    rf"(?P<who>{_NAME}), whom one could (?:see|find|meet) .+, lived in .+",
    rf"The story of (?P<who>{_NAME}) begins in .+, on a [a-z]+ (?:morning|evening|Sunday)",
)
# Sentences that introduce the second person, and whom that person knows.
_SECOND: Final = (
    rf"Not far away lived (?P<who>{_NAME}), who had been at school with (?P<whom>{_NAME}) and was quite another sort",
    rf"(?P<whom>{_NAME}) was often visited by (?P<who>{_NAME}), an? [a-z-]+ cousin",
    rf"On the other side of the hedge lived (?P<who>{_NAME}), with whom (?P<whom>{_NAME}) exchanged an? .+ word .+",
    rf"Then there was (?P<who>{_NAME}), (?P<whom>{_NAME})’s? oldest friend, .+ where others were .+",
    rf"(?P<who>{_NAME}) had known (?P<whom>{_NAME}) since childhood and differed from (?P=whom) in almost everything",
)
_ASIDES: Final = (
    rf".+ could never decide whether {_S} was [a-z-]+ or merely [a-z-]+",
    rf"[^,]+, {_S} was usually (?:seen|found) .+",
    rf"{_S} disliked .+, and (?:did it|put it off|bargained over it) {_WHY}",
    rf"A (?:visit|letter|question|complaint) from .+ could upset {_OWN} whole (?:day|week|routine)",
    rf"{_S} (?:could spend|often spent|once spent) half a day .+, .+",
    rf"With .+ {_S} was (?:always|mostly|seldom) [a-z-]+, with everyone else [a-z-]+",
    rf"{_S} answered questions with a (?:nod|shrug|proverb|smile) and went on .+",
)
_CLOSINGS: Final = (
    r"So the years went by, and .+ saw little reason to wish them otherwise",
    r"Years later .+ still told of it .+",
    r"Nothing more is told of those days, except that it rained a good deal",
    r"What became of them later, .+ never found out",
)
_QUESTIONS: Final = [(kind, re.compile(pattern + r"\?")) for kind, many in _ASKED.items() for pattern in many]
_STATEMENTS: Final = [(kind, re.compile(pattern)) for kind, many in _STATED.items() for pattern in many]
_FIRST: Final = [re.compile(pattern) for pattern in _OPENINGS]
_COMPANION: Final = [re.compile(pattern) for pattern in _SECOND]
_IDLE: Final = [re.compile(pattern) for pattern in _ASIDES]
_LAST: Final = [re.compile(pattern) for pattern in _CLOSINGS]
_FEMALE: Final = frozenset(("she", "her", "herself"))
_PRONOUNS: Final = _FEMALE | {"he", "him", "his", "himself"}
# A story has at most 1,700 characters, a sentence 180. Longer texts would only slow the patterns down.
_LONGEST: Final = 4_000
_LONGEST_SENTENCE: Final = 400


@dataclass(frozen=True, slots=True)
class StoryBlock:
    """A story with its letters, question and choices as a prompt holds them.

    `begin`: where the story begins in the prompt; `before`: how many of the letters stand before it.
    """

    begin: int
    story: str
    letters: str
    before: int
    question: str
    choices: tuple[str, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class StoryStatement:
    """One attribute that a story states of a person; `value`: as the story words it."""

    kind: str
    who: str
    value: str


def read_prompt(prompt: str) -> tuple[StoryBlock, ...] | None:
    """The two examples and the third story; None if the layout differs from this task's by a single character."""
    introduction = next((text for text in INTRODUCTIONS.values() if prompt.startswith(text)), None)
    if introduction is None:
        return None
    blocks = []
    at = len(introduction)
    for number in (1, 2, 3):
        title = STORY.format(number=number)
        begin = at + len(title)
        asked = prompt.find(BLANK + QUESTION.format(number=number), begin) + len(BLANK)
        if not prompt.startswith(title, at) or asked < begin + len(BLANK):
            return None
        end = prompt.find(BLANK, asked) if number < 3 else len(prompt) - len(CLOSING)
        lines = prompt[asked:end].split("\n")
        heads = [QUESTION.format(number=number), *(CHOICE.format(letter=letter) for letter in LETTERS)]
        # The last question is followed by the instruction, not by an answer.
        heads.append(f"{ANSWER_PREFIX} " if number < 3 else "")
        if len(lines) != len(heads) or not all(map(str.startswith, lines, heads)):
            return None
        texts = [line.removeprefix(head) for line, head in zip(lines, heads, strict=True)]
        shown = prompt[begin : asked - len(BLANK)].split(BLANK)
        runs = [part for part in shown if _is_letters(part)]
        told = [part for part in shown if not _is_letters(part)]
        if len(told) != 1 or not 1 <= len(runs) <= 2 or (len(runs) == 2 and shown[1] != told[0]):
            return None
        before = (len(shown[0]) + 1) // 2 if shown[0] == runs[0] else 0
        start = begin + (len(shown[0]) + len(BLANK) if before else 0)
        blocks.append(StoryBlock(start, told[0], " ".join(runs), before, texts[0], tuple(texts[1:5]), texts[5]))
        at = end + len(BLANK)
    return tuple(blocks) if prompt.endswith(CLOSING) and not blocks[2].answer else None


def decide(block: StoryBlock) -> str | None:
    """The letter of the right choice, from the story alone; None if any sentence or the question is not understood."""
    asked = [(kind, match["who"]) for kind, pattern in _QUESTIONS if (match := pattern.fullmatch(block.question))]
    statements = read_story(block.story)
    if len(asked) != 1 or statements is None or block.choices[-1] != UNKNOWN:
        return None
    kind, who = asked[0]
    if who not in block.story:
        return None
    values = [statement.value.casefold() for statement in statements if (statement.kind, statement.who) == (kind, who)]
    if not values:
        return LETTERS[-1]
    right = [letter for letter, text in zip(LETTERS[:-1], block.choices, strict=False) if [text.casefold()] == values]
    return right[0] if len(right) == 1 else None


def read_story(story: str) -> tuple[StoryStatement, ...] | None:
    """Everything that a story states of its persons; None if a sentence matches no pattern."""
    if len(story) > _LONGEST or not story.endswith("."):
        return None
    first, *others = story[:-1].split(". ")
    if max(map(len, (first, *others))) > _LONGEST_SENTENCE:
        return None
    opening = _matches(_FIRST, first)
    if len(opening) != 1 or not others or len(_matches(_LAST, others.pop())) != 1:
        return None
    main = now = opening[0]["who"]
    # Whether pronouns of the main person were female: until another is named, all are of the main person.
    mine: set[bool] = set()
    statements = []
    for sentence in others:
        if second := _matches(_COMPANION, sentence):
            # With a third person, pronouns would be ambiguous.
            if len(second) > 1 or now != main or second[0]["whom"] != main or second[0]["who"] == main:
                return None
            now = second[0]["who"]
            continue
        if now == main:
            mine.update(word in _FEMALE for word in re.findall(r"\w+", sentence.lower()) if word in _PRONOUNS)
        stated = [(kind, match) for kind, pattern in _STATEMENTS if (match := pattern.fullmatch(sentence))]
        idle = _matches(_IDLE, sentence)
        if len(stated) + len(idle) != 1:
            return None
        who = (stated[0][1] if stated else idle[0])["who"]
        if who.lower() not in _PRONOUNS:
            if who not in (main, now):
                return None
        elif now != main and mine != {who.lower() not in _FEMALE}:
            # It could be read of either of them.
            return None
        if stated:
            kind, match = stated[0]
            statements.append(StoryStatement(kind, now if who.lower() in _PRONOUNS else who, match["value"]))
    return tuple(statements)


def _matches(patterns: Sequence[re.Pattern[str]], sentence: str) -> list[re.Match[str]]:
    return [match for pattern in patterns if (match := pattern.fullmatch(sentence))]


def _is_letters(line: str) -> bool:
    """Whether a line consists of capital letters separated by single spaces."""
    letters, gaps = line[::2], line[1::2]
    return (
        len(letters) == len(gaps) + 1
        and letters.isascii()
        and letters.isalpha()
        and letters.isupper()
        and gaps.count(" ") == len(gaps)
    )
