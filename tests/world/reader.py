"""A checker of questions: reads passages' text alone and objects to gold that they do not bear out.

It knows what `statements.py` reads, what a question's id asks for, and how relations run backwards; nothing of what the
world knows or how it writes. An objection is a sentence of what is wrong.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from world.reading import PERSONS, Sentence, class_of, cue
from world.statements import BOTH_WAYS, Statements, amount

from carrara.tables import Evidence, Judgement, Question

# A list question by its name: the relation that it reads backwards, and of which classes.
INVERSES: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "natives": ("birth_place", PERSONS),
    "children": ("father", PERSONS),
    "alumni": ("education", PERSONS),
    "pupils": ("teacher", ("artist",)),
    "companies_founded": ("founder", ("company",)),
    "companies_seated": ("headquarters", ("company",)),
    "subsidiaries": ("parent_company", ("company",)),
    "schools": ("location", ("educational_institution",)),
    "vehicles": ("manufacturer", ("mean_of_transportation",)),
    "buildings": ("location", ("building",)),
    "buildings_designed": ("architect", ("building",)),
    "natural_places": ("nearest_village", ("natural_place",)),
    "surveys": ("surveyor", ("natural_place",)),
    "animals_described": ("discoverer", ("animal",)),
    "animals": ("habitat", ("animal",)),
    "plants_described": ("discoverer", ("plant",)),
    "plants": ("habitat", ("plant",)),
    "albums": ("performer", ("album",)),
    "records_issued": ("label", ("album",)),
    "films_directed": ("director", ("film",)),
    "films_starred": ("lead_actor", ("film",)),
    "films_produced": ("studio", ("film",)),
    "books": ("author", ("written_work",)),
    "books_published": ("publisher", ("written_work",)),
}
# What a comparison may ask for, the less or the earlier; and what would turn it round.
_LESS = {
    "en": re.compile(
        r"\b(first|earlier|before|sooner|fewer|fewest|smaller|less|lower|lighter|shorter|longer ago|older|nearer|closer"
        r"|slower|cheaper|younger|poorer|narrower)\b"
    ),
    "zh": re.compile(r"早|先|少|小|短|低|轻|矮|近|慢|便宜|省|薄|在前"),
}
_MORE = {
    "en": re.compile(
        r"\b(later|last|more|bigger|larger|greater|higher|heavier|longer(?! ago)|taller|farther|further|faster"
        r"|dearer)\b"
    ),
    "zh": re.compile(r"更晚|更迟|更多|更大|更长|更高|更重|更远|更快|更贵|后于"),
}


class Reader(Statements):
    """Says of a question whether its gold is what the corpus says."""

    # --- questions ----------------------------------------------------------------------------------------------------

    def objections(self, question: Question) -> Iterator[str]:
        """What is wrong with a question's gold, judged from the passages alone."""
        if question.kind == "unanswerable":
            yield from self._unanswerable(question)
            return
        if not question.evidence or not question.answers:
            yield "no evidence or no answer"
            return
        if len(set(question.evidence)) != len(question.evidence):
            yield "an evidence span is given twice"
        for one in question.evidence:
            if one.passage not in self.text.passages:
                yield f"{one.passage} is not in the corpus"
                return
        for group in question.answers:
            yield from self._group(group)
        if question.kind == "ambiguous":
            yield from self._ambiguous(question)
        elif question.kind == "list":
            yield from self._list(question)
        elif question.kind == "comparison":
            yield from self._comparison(question)
        elif question.kind == "bridge":
            yield from self._chain(question)
        else:
            yield from self._one_hop(question)

    def _title(self, reference: str, question: Question | None = None) -> Iterator[str]:
        if reference not in self.titles:
            yield f"no passage about {reference}"
        elif question and self.titles[reference] not in question.text:
            yield f"the question does not name {self.titles[reference]}"

    def _one_hop(self, question: Question) -> Iterator[str]:
        kind, reference, relation = question.id.split("/")
        yield from self._title(reference, question if kind == "one_hop" else None)
        if len(question.answers) != 1:
            yield f"{len(question.answers)} answers"
        name, class_ = self.titles[reference], reference.split(":")[0]
        yield from self._hop(name, class_, relation, question.evidence, question.answers[0])

    def _unanswerable(self, question: Question) -> Iterator[str]:
        _, reference, relation = question.id.split("/")
        yield from self._title(reference, question)
        name, class_ = self.titles[reference], reference.split(":")[0]
        for passage in sorted(self.stating(name, class_, relation)):
            where = self.where(passage, name, class_, relation)
            yield f"{passage} states what is said to be unanswerable: {where}"
        if question.answers or question.evidence or question.readings:
            yield "an unanswerable question has answers"
        if len(set(question.options)) != 4 or len(question.options) != 4:
            yield f"options {question.options}"

    def _group(self, group: Sequence[str]) -> Iterator[str]:
        """Every accepted spelling is the same figure, or a name of the same entity."""
        first = group[0].strip("《》")
        if len(set(group)) != len(group):
            yield f"{group} has a spelling twice"
        for other in (one.strip("《》") for one in group[1:]):
            if other == first:
                continue
            if first not in self.text.by_title:
                if amount(first) != amount(other) or amount(first) is None:
                    yield f"{other!r} is not {first!r}"
            elif not any(
                other in sentence.text and self.text.states(sentence, class_of(passage.id), "also_known_as")
                for passage in self.text.by_title[first]
                for sentence in self.text.of(passage.id)
            ):
                yield f"no passage calls {first} {other!r}"

    def _hop(
        self, name: str, class_: str, relation: str, evidence: Sequence[Evidence], answers: Sequence[str]
    ) -> Iterator[str]:
        """Each evidence span is an accepted answer that its sentence gives; no other passage states the relation."""
        for one in evidence:
            yield from self._span(one, name, class_, relation, answers)
        unlisted = self.stating(name, class_, relation) - {one.passage for one in evidence}
        for passage in sorted(unlisted):
            yield f"{passage} states {relation} of {name} too: {self.where(passage, name, class_, relation)}"

    def _span(self, one: Evidence, name: str, class_: str, relation: str, answers: Sequence[str]) -> Iterator[str]:
        passage = self.text.passages[one.passage]
        said = passage.text[one.start : one.end]
        sentence = self._sentence(one)
        if sentence is None:
            yield f"{one.passage} [{one.start}:{one.end}] is {said!r}, no part of a sentence"
            return
        mine = passage.title == name
        expected = answers if mine or relation not in ("spouse", "twin_village") else (name,)
        if not any(same(said, answer) for answer in expected):
            yield f"{one.passage} says {said!r}, not one of {expected}"
        if not self._whole(one, sentence, class_, relation):
            yield f"{one.passage} [{one.start}:{one.end}] is {said!r} in {sentence.text!r}"
        if not mine:
            if relation not in BOTH_WAYS or not self.other_side(one.passage, name, relation):
                yield f"{one.passage} does not state {relation} of {name}"
        elif not self._gives(sentence, class_, relation, said):
            yield f"{one.passage} does not give {said!r} as {relation}: {sentence.text}"

    def _sentence(self, one: Evidence) -> Sentence | None:
        for sentence in self.text.of(one.passage):
            if sentence.start <= one.start < one.end <= sentence.end:
                return sentence
        return None

    def _whole(self, one: Evidence, sentence: Sentence, class_: str, relation: str) -> bool:
        """Whether the span is a whole name, figure or term."""
        text = self.text.passages[one.passage].text
        found = cue(self.lang, class_, relation)
        if self.lang == "en" and (text[one.start - 1 : one.start].isalnum() or text[one.end : one.end + 1].isalnum()):
            return False
        if not found or {"term", "strange"} & set(found.kinds):
            return True
        said = text[one.start : one.end]
        at = one.start + said.startswith("《")
        return any(mark.start == at and mark.text == said.strip("《》") for mark in sentence.marks)

    def _gives(self, sentence: Sentence, class_: str, relation: str, said: str) -> bool:
        found = cue(self.lang, class_, relation)
        if not found or not self.text.states(sentence, class_, relation):
            return False
        if "term" in found.kinds:
            return True
        values = self.text.values(sentence, class_, relation)
        said = said.strip("《》")
        return any(value in said or said in value if "strange" in found.kinds else value == said for value in values)

    def _ambiguous(self, question: Question) -> Iterator[str]:
        """Every reading is right, every entity that fits what the question calls it is a reading."""
        titles = {self.titles[reading.id.split("/")[1]] for reading in question.readings}
        if len(titles) != len(question.readings) or len(titles) < 2:
            yield f"readings {titles}"
        if len({group[0] for group in question.answers}) != len(question.answers):
            yield f"answers {question.answers}"
        if question.answers != tuple(reading.answers[0] for reading in question.readings):
            yield "the answers are not those of the readings"
        if question.evidence != tuple(dict.fromkeys(one for each in question.readings for one in each.evidence)):
            yield "the evidence is not that of the readings"
        for reading in question.readings:
            if reading.id.rsplit("/", 1)[1] != question.id.rsplit("/", 1)[1]:
                yield f"{reading.id} asks for another relation"
            yield from self.objections(reading)
        meant = set(self._meant(question))
        if meant != titles:
            yield f"the question may mean {sorted(meant)}, its readings are {sorted(titles)}"

    def _meant(self, question: Question) -> Iterator[str]:
        """The entities that fit the calling in the question and its surname or region."""
        class_ = question.id.split("/")[1].split(":")[0]
        calling = "office" if class_ == "office_holder" else "field"
        words = {one.lower() for one in self.text.terms.get((class_, calling), ()) if one in question.text}
        word = max(words, key=len, default="")
        for title, passages in self.text.by_title.items():
            if class_of(passages[0].id) != class_:
                continue
            if class_ == "artist" and title.rsplit(" ", 1)[1] not in question.text:
                continue
            callings, regions = self._calling(title, class_, calling)
            if word in callings and (class_ == "artist" or any(region in question.text for region in regions)):
                yield title

    def _calling(self, title: str, class_: str, calling: str) -> tuple[set[str], set[str]]:
        """The callings and the regions that the passages about a person give."""
        if title not in self.callings:
            callings: set[str] = set()
            regions: set[str] = set()
            for passage in self.text.by_title[title]:
                for sentence in self.text.of(passage.id):
                    callings |= self.text.terms_in(sentence, class_, calling)
                    regions |= self.text.values(sentence, class_, "region")
            self.callings[title] = callings, regions
        return self.callings[title]

    def _list(self, question: Question) -> Iterator[str]:
        """Each answer has evidence that names the asked entity; no passage about another one does."""
        _, reference, inverse = question.id.split("/")
        yield from self._title(reference, question)
        asked = self.titles[reference]
        relation, classes = INVERSES[inverse]
        if not 2 <= len(question.answers) <= 8:
            yield f"{len(question.answers)} answers"
        by_answer: dict[str, list[Evidence]] = {}
        for one in question.evidence:
            by_answer.setdefault(self.text.passages[one.passage].title, []).append(one)
        answers = [group[0].strip("《》") for group in question.answers]
        if set(by_answer) != set(answers) or len(set(answers)) != len(answers):
            yield f"evidence for {sorted(by_answer)}, answers {sorted(answers)}"
        for title, evidence in by_answer.items():
            class_ = class_of(evidence[0].passage)
            if class_ not in classes:
                yield f"{title} is a {class_}"
            yield from self._hop(title, class_, relation, evidence, (asked,))
        listed = {one.passage for one in question.evidence}
        for id_ in self.text.naming(asked):
            if id_ not in listed and class_of(id_) in classes:
                for sentence in self.text.of(id_):
                    if sentence.names(asked) and asked in self.text.values(sentence, class_of(id_), relation):
                        yield f"{id_} states {relation} {asked} too: {sentence.text}"

    def _comparison(self, question: Question) -> Iterator[str]:
        """Read both values off their evidence, and compare."""
        _, *pair, relation = question.id.split("/")
        values = {}
        left = list(question.evidence)
        for reference in pair:
            yield from self._title(reference, question)
            title, class_ = self.titles[reference], reference.split(":")[0]
            mine = [one for one in left if self.text.passages[one.passage].title == title]
            told = {self.text.passages[one.passage].text[one.start : one.end] for one in mine}
            value = amount(next(iter(told), ""))
            if len(told) != 1 or value is None:
                yield f"{title} has values {told}"
                return
            values[title] = value
            if relation in BOTH_WAYS:
                mine += [
                    one for one in left if one not in mine and self.other_side(one.passage, title, BOTH_WAYS[relation])
                ]
            left = [one for one in left if one not in mine]
            yield from self._hop(title, class_, relation, mine, tuple(told))
        if left:
            yield f"evidence of neither: {left}"
        least = min(values, key=lambda title: values[title])
        if len(set(values.values())) != 2:
            yield f"a tie: {values}"
        if len(question.answers) != 1 or least != question.answers[0][0].strip("《》"):
            yield f"values {values}, answer {question.answers}"
        if {option.strip("《》") for option in question.options} != set(values):
            yield f"options {question.options} of {sorted(values)}"
        asked = question.text.lower()
        for title in values:
            asked = asked.replace(title.lower(), " ")
        if not _LESS[self.lang].search(asked) or _MORE[self.lang].search(asked):
            yield f"does it ask for the less? {question.text}"

    def _chain(self, question: Question) -> Iterator[str]:
        """Follow the relations from the named entity, each step read off the evidence."""
        _, start, *path = question.id.split("/")
        yield from self._title(start, question)
        if question.hops != len(path):
            yield f"{question.hops} hops, {len(path)} relations"
        title, met, left = self.titles[start], [self.titles[start]], list(question.evidence)
        for step, relation in enumerate(path):
            class_ = class_of(self.text.by_title[title][0].id)
            mine = [one for one in left if self._step(one, title, class_, relation, met)]
            said = sorted({self._said(one) for one in mine})
            value = said[-1] if said else ""
            if not said or not all(same(one, value) for one in said):
                yield f"{relation} of {title} is {said} by the evidence"
                return
            sides = [one for one in left if one not in mine and self._sides(one, title, relation, value)]
            answers = question.answers[0] if step == len(path) - 1 else (value,)
            yield from self._hop(title, class_, relation, [*mine, *sides], answers)
            left = [one for one in left if one not in mine and one not in sides]
            if step < len(path) - 1:
                if value not in self.text.by_title:
                    yield f"{value!r} has no passage"
                    return
                title = value
                met.append(title)
        if left:
            yield f"evidence of no step: {left}"

    def _said(self, one: Evidence) -> str:
        return self.text.passages[one.passage].text[one.start : one.end].strip("《》")

    def _step(self, one: Evidence, title: str, class_: str, relation: str, met: Sequence[str]) -> bool:
        """Whether an evidence span gives a relation of the title as a value not met before."""
        if self.text.passages[one.passage].title != title or self._said(one) in met:
            return False
        sentence = self._sentence(one)
        return sentence is not None and self._gives(sentence, class_, relation, self._said(one))

    def _sides(self, one: Evidence, title: str, relation: str, value: str) -> bool:
        """Whether an evidence span is the other side's word for a relation that holds both ways."""
        if relation not in BOTH_WAYS or not self.other_side(one.passage, title, relation):
            return False
        return self._said(one) == (value if relation == "married" else title)

    # --- judgements ---------------------------------------------------------------------------------------------------

    def misjudged(self, question: Question, judgements: Sequence[Judgement]) -> Iterator[str]:
        """What is wrong with graded passages of a one-hop question.

        3 states the answer; 2 is another passage of the entity; 1 is any other that names the entity or, where the
        answer is one, that entity, or is about it; 0 states the relation of another one of the class.
        """
        _, reference, relation = question.id.split("/")
        name, class_ = self.titles[reference], reference.split(":")[0]
        graded = {one.passage: one.grade for one in judgements}
        if len(graded) != len(judgements) or {one.question for one in judgements} != {question.id}:
            yield "a passage is judged twice, or for another question"
        if {id_ for id_, grade in graded.items() if grade == 3} != {one.passage for one in question.evidence}:
            yield "grade 3 is not the evidence"
        stating = self.stating(name, class_, relation)
        related = self._related(name, question.answers[0][0].strip("《》"))
        for id_, grade in graded.items():
            title = self.text.passages[id_].title
            if (grade == 3) != (id_ in stating):
                yield f"{id_} has grade {grade}, it states {relation} of {name}: {id_ in stating}"
            if grade == 2 and title != name:
                yield f"{id_} has grade 2, it is about {title}"
            if grade < 2 and (title == name or (grade == 1) != (id_ in related)):
                yield f"{id_} about {title} has grade {grade}, related: {id_ in related}"
            if not grade and (class_of(id_) != class_ or id_ not in self.stating(title, class_, relation)):
                yield f"{id_} has grade 0, it does not state {relation} of another {class_}"
        missed = ({passage.id for passage in self.text.by_title[name]} | related) - set(graded)
        if missed:
            yield f"{sorted(missed)} are not judged"

    def _related(self, name: str, answer: str) -> set[str]:
        """The passages that name the entity or its answer, or are about the answer, if that is an entity."""
        found = set(self.text.naming(name))
        if answer in self.text.by_title:
            found |= {passage.id for passage in self.text.by_title[answer]} | set(self.text.naming(answer))
        return {id_ for id_ in found if self.text.passages[id_].title != name}


def same(said: str, answer: str) -> bool:
    """Whether a text writes an answer: a sentence may begin with it, with a capital."""
    return said == answer or said.strip("《》") == answer.strip("《》") or said[:1].lower() + said[1:] == answer
