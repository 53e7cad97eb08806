"""The words of synthetic recall's prompts, kind by kind: what writes a prompt and what reads it back share these alone.

A change of any of them changes every released row of its kind.
"""

from dataclasses import dataclass
from typing import Final, Literal

# Behind which the answer of every kind but json_kv stands.
ANSWER_PREFIX: Final = "Answer:"

# --- variable tracking ------------------------------------------------------------------------------------------------

INTRODUCTION: Final = (
    "Here and there in the text below, a variable is given a value. “VAR name = number” sets the variable of that name "
    "to a number, and “VAR name = VAR other” sets it to the value that the other variable has. Keep track of them: you "
    "will be asked which variables have a certain value.\n\n"
)
BEGIN: Final = "[The text begins]\n\n"
NUMBER: Final = "VAR {name} = {value}.\n\n"
COPY: Final = "VAR {name} = VAR {other}.\n\n"
END: Final = "[The text ends]\n\n"
QUESTION: Final = (
    "Which variables have the value {value}? Name all of them, including those that got it by way of other variables. "
    "Write the names alone, one on each line, and nothing else.\n"
)


# --- needles ----------------------------------------------------------------------------------------------------------

Hay = Literal["phrase", "prose", "needles"]
KeyForm = Literal["words", "number", "uuid"]
Asks = Literal["one", "all", "each"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a variant's haystack is made of, the form of its keys and values, and what is asked: values of one key
    (the one, or all) or one of each of several keys."""

    hay: Hay
    keys: KeyForm
    values: KeyForm
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
VALUE: Final[dict[KeyForm, str]] = {"number": "number", "uuid": "UUID"}
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
KEY_NOUN: Final[dict[KeyForm, str]] = {"words": "a name", "uuid": "another UUID"}
HAY_BEGIN: Final[dict[Hay, str]] = {
    "phrase": "Here is the text.\n\n",
    "prose": "Here is the text.\n\n",
    "needles": "Here is the register.\n\n",
}
HAY_END: Final[dict[Hay, str]] = {
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
# The haystack of niah_single_1. Inner sentences may be left out; the second and fourth differ in length by a few words.
PHRASE: Final = (
    "The kettle is on.",
    "Rain runs down the glass.",
    "Nobody is in a hurry.",
    "A cart goes by on its way to the mill.",
    "Then it is quiet again.",
)


# --- pairs of a JSON object -------------------------------------------------------------------------------------------

OBJECT_INTRODUCTION: Final = (
    "Below is a JSON object whose keys and values are UUIDs, and after it one of the keys. Reply with the value of "
    "that key, written exactly as it stands in the object, and with nothing else.\n\n"
)
EXAMPLES: Final = "First, two examples with short objects.\n\n"
EXAMPLE: Final = "Example {number}\n\n{shown}\n\nKey: {key}\nValue: {value}\n\n"
OBJECT: Final = "Here is the object.\n\n"
OPEN: Final = "{\n"
# A line of the object; the last one has no comma.
PAIR: Final = '"{key}": "{value}",\n'
CLOSE: Final = "\n}"
TAIL: Final = "\n\nThe object ends here. Reply with the value of this key alone.\n\nKey: {key}\n"
VALUE_PREFIX: Final = "Value:"


# --- questions among documents ----------------------------------------------------------------------------------------

DOCUMENTS_INTRODUCTION: Final = (
    "Below are numbered documents on many subjects, and after the last of them a question. One or two of the documents "
    "hold what it asks for; the others do not matter. Reply with the answer alone, as the documents write it: a name, "
    "a number, a date or a few words.\n\n"
)
DOCUMENT_NUMBER: Final = "Document {number}:\n"
TITLED: Final = "{title}\n{text}\n\n"
UNTITLED: Final = "{text}\n\n"
DOCUMENTS_TAIL: Final = (
    "These were all the documents. Answer from them, with the answer alone and no other word.\n\nQuestion: {question}\n"
)


# --- common and frequent words ----------------------------------------------------------------------------------------

LIST_HEAD: Final = (
    "Below stands a numbered list of words. The same words come up in it again and again, some of them more often than "
    "others. Read the list to its end and keep count of every word.\n\n[The list begins]\n"
)
# An entry is its number, this, a word and a new line.
MARK: Final = ". "
LIST_TAIL: Final = (
    "[The list ends]\n\nWhich {count} words stand in the list most often? Write these {count} words, one on each line, "
    "and nothing else.\n"
)
LIST_TAIL_ONE: Final = (
    "[The list ends]\n\nWhich word stands in the list most often? Write this one word and nothing else.\n"
)
CODE_HEAD: Final = (
    "The text below is written in a code. It is made of coded words of six letters; wherever three dots stand, nothing "
    "is said. Read the text to its end and keep count of every coded word.\n\n[The coded text begins]"
)
DOTS: Final = "..."
CODE_TAIL: Final = (
    " [The coded text ends]\n\nWhich three coded words stand in the text most often? The dots do not count. Write "
    "these three words, one on each line, the most frequent first, and nothing else.\n"
)
