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
        shareholders dividends profits losses suppliers merger takeover balance directors staff board customers auditors
        sells buys ships creditors bankers invoices ledgers contracts
        """,
    "educational_institution": """
        lessons lectures classes pupils boarders graduates teachers tutors students examinations examination diplomas
        prizes scholarships classroom classrooms grammar drawing arithmetic homework prayers dormitory laboratory essays
        """,
    "artist": """
        works creative creator creating created creations masterpieces galleries patrons patron critics collectors
        imagination studio heirs
        """,
    "athlete": """
        trains trainer trainers training contest competition competitions competing competitor championship
        championships champion medals medal opponent opponents stands record finalist trophies pennants finish
        spectators
        """,
    "office_holder": """
        public petitions petitioners speeches assembly seals delegations mayors government campaigned vote taxpayers
        voters oath reforms decree decrees circulars
        """,
    "mean_of_transportation": """
        carries seats travel journeys passengers travellers freight mail crew crews spare routes timetables tickets
        terminus halt
        """,
    "building": """
        floors roof walls wall windows ceilings cellar scaffolding ivy plaque stairs corridors rooms door downstairs
        foundations balconies staircase gutters shutters skylights lodge attic balcony gateway gable
        """,
    "natural_place": """
        wilderness scenery terrain landscape contours country untouched camp
        """,
    "village": """
        cottages farmhouses farmsteads farms farmers inhabitants families lanes barns orchards stables chimneys bus
        households roofs yards inn smithy shop cows geese
        """,
    "animal": """
        creature hides freezes flees meals sluggish feeds rears startled frightened feed young defends tracks droppings
        gnawed mates grooms suns drinks keepers bites bluffs breeding
        """,
    "plant": """
        flowers roots seeds seed seedlings blooms herbarium herbalists soil stems petals catkins cuttings berries buds
        sap
        """,
    "album": """
        music rehearsed recorded mixed track encores sleeve needle radio side strings brass choir parties pieces
        versions
        """,
    "film": """
        reels cameras camera trailer scene scenes cinema close-ups takes shots actors subtitles credits intertitles
        screenings soundtrack score villain lover sheriff censors distributors posters stills
        """,
    "written_work": """
        print evenings bound wrapped pages page preface pencil coffee printing sentence manuscript lent aloud
        recommended narrated told epigraph glossary index heroine hero narrator edition
        """,
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
