"""Every template of the world's texts, spelled so often that each inline alternative comes at least once."""

from collections.abc import Iterator, Mapping, Sequence

from carrara.stream import Draws, Stream
from carrara.task import Lang
from carrara.world.documents import meeting, report
from carrara.world.documents.chronicle.kinds import KINDS
from carrara.world.documents.chronicle.plot import SETTINGS
from carrara.world.documents.chronicle.scripts import Script, scripts
from carrara.world.language.cast import Called, CastValues, PersonGender
from carrara.world.language.class_texts import class_text
from carrara.world.language.grammar import Person, Phrase, PhraseLists, Speller
from carrara.world.language.paragraphs import ClassParagraphs, TextParagraph, plain
from carrara.world.pieces import FORMATS, _skeletons
from carrara.world.prose.scenes import BYSTANDERS, PERIODS, SEASONS, scenes
from carrara.world.prose.scenes import KINDS as PROSE_KINDS
from carrara.world.realm.schema import CLASSES

# How often a template is spelled: inline choices have up to so many alternatives, and longer lists are of one kind.
TURNS = 6
_NAMES: Mapping[Lang, Mapping[PersonGender, tuple[str, str]]] = {
    "en": {"male": ("Tomas Orbeck", "Tomas"), "female": ("Ansa Varnell", "Ansa")},
    "zh": {"male": ("周文远", "周文远"), "female": ("林秀兰", "林秀兰")},
}
# What an unknown slot stands for, by language.
_VALUES: Mapping[Lang, Mapping[str, str]] = {
    "en": {
        **dict.fromkeys("PQTR", "Hollmere"),
        **{"H": "Tarn Hill", "O": "the Harl clock", "N": "340 marks", "U": "a wet coat", "town": "Hollmere"},
        **{
            "inn": "the Red Anchor",
            "house": "the mill",
            "year": "1887",
            "month": "May",
            "day": "12",
            "weekday": "Monday",
        },
        **{"date": "3 May 1874", "topic": "tea"},
    },
    "zh": {
        **dict.fromkeys("PQTR", "石桥村"),
        **{"H": "青山", "O": "柳云座钟", "N": "340马克", "U": "一件湿衣裳", "town": "石桥镇"},
        **{"inn": "悦来客栈", "house": "磨坊", "year": "1887", "month": "五月", "day": "12"},
        **{"date": "1874年5月3日"},
    },
}


class _Values(CastValues):
    """Values for all slots of texts with several persons; dates and roles are the same everywhere."""

    def __init__(self, lang: Lang, terms: Mapping[str, str] | None = None) -> None:
        super().__init__({**_VALUES[lang], **(terms or {})})
        self._lang = lang

    def __missing__(self, name: str) -> str:
        if name.startswith("ago:"):
            return "1861"
        if name in BYSTANDERS[self._lang]:
            return "Silas Crew"
        if name.startswith("role:"):
            return "miller" if self._lang == "en" else "磨坊主"
        return super().__missing__(name)


def _called(lang: Lang, gender: PersonGender) -> Called:
    return Called(*_NAMES[lang][gender], gender, lang)


def _turns(
    paragraph: TextParagraph, speller: Speller, variables: Mapping[str, Sequence[Phrase]]
) -> Iterator[tuple[str, str]]:
    most = max(len(wordings) for wordings in paragraph.sentences)
    for turn in range(TURNS * most):
        speller.begin(turn, paragraph.salt | 1)
        own = {name: entries[speller.among(name, len(entries))] for name, entries in paragraph.variables.items()}
        speller.variables = {**variables, **own}
        for index, wordings in enumerate(paragraph.sentences):
            if turn < TURNS * len(wordings):
                yield paragraph.where, speller.text(speller.wording(str(index), wordings))


def _facts(lang: Lang) -> Iterator[tuple[str, str]]:
    for class_ in CLASSES:
        for head, templates in class_text(lang, class_).facts.items():
            for template in templates:
                for number in range(TURNS):
                    speller = Speller(Draws(Stream("facts", number)), Person("Orbeck"), dict.fromkeys(head, "V9"))
                    yield f"{lang} {class_} {head}", speller.text(template.phrase)


def of_passages(lang: Lang) -> Iterator[tuple[str, str]]:
    """Where a template stands, and a sentence of it: facts, and every paragraph with two subtypes that it fits."""
    yield from _facts(lang)
    for class_ in CLASSES:
        known = class_text(lang, class_).paragraphs
        for paragraphs in known.by_aspect.values():
            for paragraph in paragraphs:
                yield from _of_paragraph(lang, known, paragraph)


def _of_paragraph(lang: Lang, known: ClassParagraphs, paragraph: TextParagraph) -> Iterator[tuple[str, str]]:
    keyless = [condition for condition in paragraph.conditions if not condition.key]
    fitting = [
        subtype
        for subtype in known.subtypes.values()
        if all(condition.holds(subtype.tags, {}) for condition in keyless)
    ] or [None]
    asked = {condition.key: condition for condition in paragraph.conditions}
    for subtype in dict.fromkeys((0, len(fitting) - 1)):
        kind = fitting[subtype]
        variables: dict[str, Sequence[Phrase]] = {}
        traits: dict[str, str] = {}
        for state in known.states:
            held = all(condition.holds(kind.tags if kind else (), traits) for condition in state.conditions)
            if state.name not in variables and held:
                wanted = asked.get(state.name)
                fits = [each for each in state.entries if not wanted or wanted.holds((), {state.name: plain(each[0])})]
                variables[state.name] = fits[subtype % len(fits)]
                traits[state.name] = plain(variables[state.name][0])
        gender: PersonGender = "female" if subtype else "male"
        if "gender" in asked and not asked["gender"].holds((), {"gender": gender}):
            gender = "male" if subtype else "female"
        pronouns = ("she", "her", "her", "herself") if gender == "female" else ("he", "him", "his", "himself")
        subject = Person("Orbeck" if lang == "en" else "柳塘", (), ("她",) * 4 if lang == "zh" else pronouns)
        speller = Speller(Draws(Stream(paragraph.where)), subject, {})
        speller.names_stay = True
        if kind:
            speller.own_lists = kind.lists
        yield from _turns(paragraph, speller, variables)


def of_prose(lang: Lang) -> Iterator[tuple[str, str]]:
    """The same of the prose, in every season and period that a thread fits."""
    for kind in PROSE_KINDS:
        for season in SEASONS:
            for time in PERIODS:
                for thread in scenes(lang).fitting[kind, season, time]:
                    for part in thread.parts:
                        yield from _with_cast(lang, part, thread.lists[season, time], "ABCDEF")


def of_chronicles(lang: Lang) -> Iterator[tuple[str, str]]:
    """The same of the scripts of chronicles."""
    known = scripts(lang, SETTINGS[0])
    of_kinds = {kind: (*known.events[kind], *known.after[kind]) for kind in KINDS}
    free = (
        *known.intros,
        *known.opens,
        *known.closes,
        *known.daily,
        *(each for all_ in known.recalls.values() for each in all_),
    )
    each: Script
    for each in (*free, *(script for all_ in of_kinds.values() for script in all_)):
        season = next((value for one in each.text.conditions if one.key == "season" for value in one.values), "summer")
        yield from _with_cast(lang, each.text, each.lists[season], "ABCDKSXY", {"T": "T9", "U": "U9"})


def of_documents(lang: Lang) -> Iterator[tuple[str, str]]:
    """The same of the remarks of minutes and reports."""
    for text, names, traits in (
        (meeting._text(lang), meeting._VALUES.split(), {}),
        *((report._text(lang, board), report._VALUES, {"board": board}) for board in report.BOARDS),
    ):
        values = {name: f"V{number}" for number, name in enumerate(names)}
        for remark in (each for all_ in text.remarks.by_aspect.values() for each in all_):
            if all(condition.holds((), traits) for condition in remark.conditions):
                yield from _turns(remark, Speller(Draws(Stream(remark.where)), Person(""), values), {})


def of_pieces() -> Iterator[tuple[str, str]]:
    """The same of the pieces of writing, each with two topics that it fits."""
    for format in FORMATS:
        for skeleton in _skeletons()[format]:
            keyless = [condition for condition in skeleton.text.conditions if not condition.key]
            fitting = [
                name for name, topic in skeleton.topics.items() if all(one.holds(topic.tags, {}) for one in keyless)
            ]
            style = next(
                (value for one in skeleton.text.conditions if one.key == "style" for value in one.values), "plain"
            )
            for name in dict.fromkeys((fitting[0], fitting[-1])):
                lists = {**skeleton.lists[style], **skeleton.topics[name].lists}
                yield from _with_cast("en", skeleton.text, lists, "ABC", {"topic": name})


def _with_cast(
    lang: Lang, text: TextParagraph, lists: PhraseLists, letters: str, values: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    asked = {condition.key: condition for condition in text.conditions}
    people: dict[str, Called] = {}
    for index, letter in enumerate(letters):
        genders: tuple[PersonGender, PersonGender] = ("male", "female") if index % 2 else ("female", "male")
        fits = [one for one in genders if letter not in asked or asked[letter].holds((), {letter: one})]
        people[letter] = _called(lang, (fits or genders)[0])
    given = _Values(lang, values)
    given.people = people
    speller = Speller(Draws(Stream(text.where)), Person(""), given)
    speller.own_lists = lists
    yield from _turns(text, speller, {})
