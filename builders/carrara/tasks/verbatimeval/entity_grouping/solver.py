"""The solver of entity_grouping: reads the prompt, finds the class of every gloss by its words, writes the answer.

It shares only the wording with what draws and renders. It understands a gloss whose words are cues of exactly one
class. It can copy a list of bare names but not group it. A test checks every gloss that the world can write.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from carrara.tasks.verbatimeval.entity_grouping.supply import HEADS, LABELS, TAILS, GroupingRequest, Layout

# Words that occur only in glosses of one class.
CUES: Final = {
    "company": """
        concern undertaking employer manufacturer supplier seller shareholders shares directors dividends creditors
        profit profits wages trading trader commercial management accounts customers goods investors invoices
        """,
    "educational_institution": """
        classrooms desks dormitories lecture blackboards libraries laboratories lessons lectures dictation essays
        examinations exercises pupils boarders learners beginners scholars undergraduates trainees apprentices tutors
        masters curriculum diplomas graduating instruction study taught teaches teaching enrols trains learn mater term
        holidays
        """,
    "artist": """
        creator creative imagination imaginative masterpieces talent gifted gifts originator pioneer perfectionist
        dreamer seeker expression beauty recluse inspired
        """,
    "athlete": """
        competitor contender challenger finalist medallist opponent favourite winner training stadium trophy medal
        championships competitions tournaments meetings contests fixtures events rounds stamina suppleness endurance
        """,
    "office_holder": """
        administrator bureaucrat dignitary government lawmaker legislator statesperson servant public state decree
        decrees reformer memoranda petitioners petitions governing
        """,
    "mean_of_transportation": """
        carrier carries carrying conveyor hauler hauls transport traffic rails tramways routes canals passengers freight
        parcels mail travellers trippers cargo luggage wheels couplings lamps brakes pistons springs axles signals
        levers gauges driver depot boarded aboard timetabled stops means crewed fuelled steered ride across schedule
        """,
    "building": """
        architect architect’s architectural builders’ masons’ masonry façade walls roof roofed roofline storeys premises
        scaffolding foundations entrance interior caretaker forecourt
        """,
    "natural_place": """
        wilderness scenery scenic landscape terrain untamed unspoilt untouched reserve refuge haunt geographical
        """,
    "village": """
        parish cottages farmhouses farmsteads dwellings rural rooftops homes lanes barns orchards inhabited
        neighbourhood
        """,
    "animal": """
        being breathes eyes appetite offspring rears young mates living fauna prey nibbles zoologist zoologists zoos
        flees alive bite furtive gregarious solitary nocturnal timid agile wary keen-eyed warm-blooded hungry restless
        inquisitive hunts forages hides breeds prowls sleeps wanders migrates nests stalks
        """,
    "plant": """
        grows growth blooms sprouts wilts germinates withers rooted roots stems soil pollinated petals pods buds nectar
        flora herbaria sown weeds embankment heath leathery downy waxy wrinkled glossy fleshy felted sticky bluish
        speckled rough smooth silvery mottled bristly dull pale dark bees bearer prize rich
        """,
    "album": """
        vinyl sleeve gramophone turntable loudspeakers needle tape taped remixed mastered lyrics singer singer’s singing
        music songs ballads tunes refrains melodies choruses laments dances lullabies instrumentals opening sides
        several heard
        """,
    "film": """
        actors acting camera celluloid cinemas projectionists reels soundtrack screened projected premiere trailers
        stunts edited viewing script show images drama cast credits subtitles close-ups cuts plot cut story
        darkened picture performance told
        """,
    "written_work": """
        prose pages page chapters manuscript hardback paragraphs footnotes sentences stanzas digressions prefaces
        preface author’s edition proofread reading read narration covers bedside evenings print
        """,
}
# Pairs of words that together imply a class though neither does alone.
PAIRS: Final = {
    ("maker", "works"): "artist",
    ("moves", "along"): "mean_of_transportation",
    ("gathered", "from"): "plant",
}
_CLASS_OF: Final = {word: class_ for class_, words in CUES.items() for word in words.split()}
_BEGIN: Final = "\n\n[The list begins]\n"
_END: Final = "\n[The list ends]\n\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """The request of a prompt, its list as it stands, and the names and glosses in order (bare names: no glosses)."""

    asked: GroupingRequest
    listed: str
    names: list[str]
    glosses: list[str]


def solve(prompt: str) -> tuple[str, ...]:
    """The names by class or as they stand; () if the prompt is not exactly this task's, or a gloss is unclear.

    The answer to a prompt that asks to group bare names is not computed here: people gave it.
    """
    if (reading := read(prompt)) is None:
        return ()
    if reading.asked == "copy":
        return (", ".join(reading.names),)
    if not reading.glosses:
        return ()
    lines: dict[str, list[str]] = {class_: [] for class_ in LABELS}
    for name, gloss in zip(reading.names, reading.glosses, strict=True):
        if (class_ := class_of(gloss)) is None:
            return ()
        lines[class_].append(name)
    return ("\n".join(f"{LABELS[class_]}: " + "; ".join(names) for class_, names in lines.items()),)


@lru_cache(maxsize=1 << 16)
def class_of(gloss: str) -> str | None:
    """The class that a gloss implies; None if its words are cues of no class or of several."""
    words = [word.strip(",:;.") for word in gloss.split()]
    classes = {_CLASS_OF[word] for word in words if word in _CLASS_OF}
    if not classes:
        classes = {class_ for (first, second), class_ in PAIRS.items() if first in words and second in words}
    return classes.pop() if len(classes) == 1 else None


def read(prompt: str) -> Prompt | None:
    """The parts of a prompt; None if it is not exactly this task's."""
    begin = prompt.find(_BEGIN) + len(_BEGIN)
    end = prompt.find(_END, begin)
    if begin < len(_BEGIN) or end < 0:
        return None
    head, tail = prompt[:begin], prompt[end:]
    for (asked, layout), wording in HEADS.items():
        if head == wording and tail == TAILS[asked, layout]:
            return _listed(asked, layout, prompt[begin:end])
    return None


def _listed(asked: GroupingRequest, layout: Layout, text: str) -> Prompt | None:
    if layout == "bare":
        return Prompt(asked, text, text.split(", "), [])
    lines = [line.partition(" (") for line in text.split("\n")]
    # A name, then a gloss in one pair of brackets.
    if not all(name and gloss[1:] and gloss[-1] == ")" for name, _, gloss in lines):
        return None
    if not text.count("(") == text.count(")") == len(lines):
        return None
    return Prompt(asked, text, [name for name, _, _ in lines], [gloss[:-1] for _, _, gloss in lines])
