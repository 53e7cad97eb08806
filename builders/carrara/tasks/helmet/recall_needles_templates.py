"""The words of a NIAH prompt: what writes it and what reads it back have these in common and nothing else."""

from dataclasses import dataclass
from typing import Final, Literal

Hay = Literal["phrase", "prose", "needles"]
Form = Literal["words", "number", "uuid"]
Asks = Literal["one", "all", "each"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a variant's haystack is made of, the form of its keys and values, and what is asked: values of one key
    (the one, or all) or one of each of several keys."""

    hay: Hay
    keys: Form
    values: Form
    asks: Asks


SHAPES: Final[dict[str, Shape]] = {
    "niah_single_1": Shape("phrase", "words", "number", "one"),
    "niah_single_2": Shape("prose", "words", "number", "one"),
    "niah_single_3": Shape("prose", "words", "uuid", "one"),
    "niah_multikey_1": Shape("prose", "words", "number", "one"),
    "niah_multikey_2": Shape("needles", "words", "number", "one"),
    "niah_multikey_3": Shape("needles", "uuid", "uuid", "one"),
    "niah_multivalue": Shape("prose", "words", "number", "all"),
    "niah_multiquery": Shape("prose", "words", "number", "each"),
}
# Keys of words are an adjective, a hyphen and a noun.
KEY: Final = "{adjective}-{noun}"
NEEDLE: Final = "Under {key} the register lists {value}."
# (number, UUID).
VALUE: Final[dict[Form, str]] = {"number": "number", "uuid": "UUID"}
HEADS: Final[dict[Hay, str]] = {
    "phrase": (
        "Below is a text that repeats itself. One sentence of it is unlike the others: it says which {value} a "
        "register lists under a name. After the text you are asked for that {value}.\n\n"
    ),
    "prose": (
        "Below is a long text. One or more of its sentences have nothing to do with the rest: they say which {value} a "
        "register lists under a name. After the text you are asked what they say.\n\n"
    ),
    "needles": (
        "Below is a register. Each line says which {value} it lists under {key}. After the lines you are asked about "
        "one of them.\n\n"
    ),
}
KEY_NOUN: Final[dict[Form, str]] = {"words": "a name", "uuid": "another UUID"}
BEGIN: Final[dict[Hay, str]] = {
    "phrase": "Here is the text.\n\n",
    "prose": "Here is the text.\n\n",
    "needles": "Here is the register.\n\n",
}
END: Final[dict[Hay, str]] = {
    "phrase": "The text ends here. ",
    "prose": "The text ends here. ",
    "needles": "\nThe register ends here. ",
}
QUESTIONS: Final[dict[Asks, str]] = {
    "one": "Which {value} does the register list under {keys}? Reply with the {value} alone.\n",
    "all": (
        "Several {value}s are listed under {keys}, each in a sentence of its own. Which are they? Reply with all of "
        "them and nothing else, one on each line.\n"
    ),
    "each": (
        "Which {value}s does the register list under {keys}? Reply with the {value}s alone, one on each line, in the "
        "order of the names in this question.\n"
    ),
}
LAST_JOINT: Final = " and "
JOINT: Final = ", "
ANSWER_PREFIX: Final = "Answer:"
# The haystack of niah_single_1. Inner sentences may be left out; the second and fourth differ in length by a few words.
PHRASE: Final = (
    "The kettle is on.",
    "Rain runs down the glass.",
    "Nobody is in a hurry.",
    "A cart goes by on its way to the mill.",
    "Then it is quiet again.",
)
