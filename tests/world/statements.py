"""What a corpus states of an entity: its own passages, those that name it, and the other side of mutual relations.

Whether a passage about one entity also says something of another that it names is judged by the sentence: it holds a
cue of the other's relation and a value, and does not merely say what the other is to the passage's own subject.
"""

import re
from collections.abc import Iterable

from world.reading import MONTHS, SELF, Sentence, Sentences, class_of, cue, relations

from carrara.tables import Passage

# Relations that hold both ways: the other side's passage states them too; `married` through its `spouse`.
BOTH_WAYS = {"spouse": "spouse", "married": "spouse", "twin_village": "twin_village"}
# Words other than its name for the subject of a passage.
_SUBJECT = {
    "en": re.compile(
        r"\b(s?he|his|hers?|him|its?)\b|\bthe (film|picture|feature|movie|production|work|book|volume|text|title|record"
        r"|collection|album|recording|disc|company|firm|concern|enterprise|business|school|institution|college|academy|place|site|spot"
        r"|area|landmark|building|structure|edifice|village|settlement|community|species|animal|creature|plant|herb|model|type"
        r"|vehicle|machine|design)\b"
    ),
    "zh": re.compile(r"[他她它该此其这本]|影片|专辑|唱片|全书"),
}


class Statements:
    """A corpus that was read once."""

    def __init__(self, lang: str, passages: Iterable[Passage], others: Iterable[str]) -> None:
        self.lang = lang
        self.text = Sentences(lang, passages, others)
        self.titles = {id_.partition("/")[0]: passage.title for id_, passage in self.text.passages.items()}
        # What `_calling` found.
        self.callings: dict[str, tuple[set[str], set[str]]] = {}

    def learn(self, class_: str, relation: str, terms: Iterable[str]) -> None:
        """Remember terms of a relation: no text says which words are sports."""
        self.text.learn(class_, relation, terms)
        self.callings.clear()

    def also(self, passage: Passage) -> None:
        """Read one passage more."""
        self.text.also(passage)
        self.callings.pop(passage.title, None)

    def without(self, passage: Passage) -> None:
        """Undo `also`."""
        self.text.without(passage)
        self.callings.pop(passage.title, None)

    # --- what passages state ------------------------------------------------------------------------------------------

    def stating(self, name: str, class_: str, relation: str) -> set[str]:
        """Every passage that states a relation of the entity of a name."""
        found = {
            passage.id
            for passage in self.text.by_title.get(name, ())
            if any(self.text.states(sentence, class_, relation) for sentence in self.text.of(passage.id))
        }
        found |= {id_ for id_ in self.text.naming(name) if self._states_of(id_, name, class_, relation)}
        return found

    def where(self, id_: str, name: str, class_: str, relation: str) -> list[str]:
        """The sentences of a passage that may state a relation of the entity of a name."""
        return [
            sentence.text
            for sentence in self.text.of(id_)
            if self.text.cued(sentence, class_, relation)
            and (sentence.names(name) or self.text.passages[id_].title == name)
        ]

    def _states_of(self, id_: str, name: str, class_: str, relation: str) -> bool:
        """Whether a passage about another entity states the relation of the one that it names."""
        if relation in BOTH_WAYS and self.other_side(id_, name, relation):
            return True
        return any(
            self._speaks_of(sentence, class_of(id_), name, class_, relation)
            for sentence in self.text.of(id_)
            if sentence.names(name)
        )

    def other_side(self, id_: str, name: str, relation: str) -> bool:
        way = BOTH_WAYS[relation]
        linked = any(name in self.text.values(sentence, class_of(id_), way) for sentence in self.text.of(id_))
        if relation == way or not linked:
            return linked
        return any(self.text.states(sentence, class_of(id_), relation) for sentence in self.text.of(id_))

    def _speaks_of(self, sentence: Sentence, about: str, name: str, class_: str, relation: str) -> bool:
        """Whether a sentence in a passage about an entity of class `about` states the relation of `name`.

        It does if it holds a cue and a value, unless it says what `name` is to the passage's own subject.
        """
        found = cue(self.lang, class_, relation)
        if not found or not self.text.cued(sentence, class_, relation):
            return False
        if "term" not in found.kinds:
            values = [mark for mark in sentence.marks if self.text.fits(mark, found.kinds) and mark.text != name]
            own = any(mark.symbol == SELF for mark in sentence.marks) and about in found.kinds
            if not values and not own:
                return False
        if not any(mark.symbol == SELF for mark in sentence.marks) and not _SUBJECT[self.lang].search(sentence.marked):
            return True
        return not any(name in self.text.values(sentence, about, other) for other in relations(about))


def amount(text: str) -> tuple[int, ...] | None:
    """A date, a year or a number as something to compare; None for anything else."""
    if found := re.fullmatch(r"(\d+)年(\d+)月(\d+)日", text):
        return tuple(int(part) for part in found.groups())
    if (found := re.fullmatch(r"(\d+) ([A-Z][a-z]+) (\d+)", text)) and found[2] in MONTHS:
        return int(found[3]), MONTHS.index(found[2]) + 1, int(found[1])
    if (found := re.fullmatch(r"([A-Z][a-z]+) (\d+), (\d+)", text)) and found[1] in MONTHS:
        return int(found[3]), MONTHS.index(found[1]) + 1, int(found[2])
    if re.fullmatch(r"\d[\d,]*年?", text):
        return (int(text.replace(",", "").removesuffix("年")),)
    return None
