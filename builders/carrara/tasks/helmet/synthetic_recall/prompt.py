"""The words of synthetic recall's prompts, kind by kind: what writes a prompt and what reads it back share these alone.

A change of any of them changes every released row of its kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from carrara.tasks.helmet.synthetic_recall.kind import Params

# Behind which the answer of every kind stands.
ANSWER_PREFIX: Final = "Answer:"
# How a prompt asks for one answer, and for several, which `answer_list` writes.
_ASK_ONE: Final = "Reply with one line of the form “Answer: {form}”, where {form} is the {what} alone.\n"
_ASK_LIST: Final = (
    "Reply with “Answer:” and below it a numbered list of {what}, one on each line: “1. {form}”, “2. {form}” and so "
    "on.\n"
)


def answer_list(answers: Sequence[str]) -> str:
    """Several answers in the form that the prompts ask for."""
    return "\n".join([ANSWER_PREFIX, *(f"{number}. {answer}" for number, answer in enumerate(answers, 1))])


# Around a worked example of variable tracking and of common words, which is a small prompt with its solution.
WORKED: Final = "Here is an example of the task, with its solution.\n\n"
SOLVED: Final = "\n\nThis was the example. Now the task itself.\n\n"


def worked_example(prompt: str, answers: Sequence[str]) -> str:
    """What stands before a prompt as its worked example."""
    return f"{WORKED}{prompt}{answer_list(answers)}{SOLVED}"


def parts_of(params: Params, variant: str) -> dict[str, str]:
    """The parts of a variant's prompts that a recipe may word otherwise."""
    if variant in SHAPES:
        shape = SHAPES[variant]
        value, form = VALUE[shape.values], VALUE[shape.values].upper()
        return {
            "introduction": (HINTED if params.hint else HEADS)[shape.hay].format(value=value, key=KEY_NOUN[shape.keys]),
            "begin": HAY_BEGIN[shape.hay],
            "end": HAY_END[shape.hay],
            "request": QUESTIONS[shape.asks].format(value=value, form=form, keys="{keys}"),
        }
    if variant == "json_kv":
        examples = {"examples": EXAMPLES} if params.shots else {}
        return {"introduction": OBJECT_INTRODUCTION, **examples, "begin": OBJECT, "request": TAIL}
    if variant.startswith("qa_"):
        return {"introduction": DOCUMENTS_INTRODUCTION, "request": DOCUMENTS_TAIL}
    worked = {"example": WORKED, "problem": SOLVED} if params.shots == 1 else {}
    if variant.startswith("vt"):
        return {**worked, "introduction": INTRODUCTION, "begin": BEGIN, "end": END, "request": QUESTION}
    if variant.startswith("cwe"):
        tail = LIST_TAIL_ONE if params.common == 1 else LIST_TAIL.format(count=params.common)
        return {**worked, "introduction": LIST_HEAD, "request": tail}
    return {"introduction": CODE_HEAD, "request": CODE_TAIL}


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
    "Which variables have the value {value}, those that got it by way of other variables included?\n\n"
    + _ASK_LIST.format(what="their names alone", form="NAME")
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
_ASKED_OF: Final = "After it you are asked what a register lists under a name.\n\n"
_REGISTER: Final = (
    "Below is a register. Each line says which {value} it lists under {key}. After the lines you are asked about one "
    "of them.\n\n"
)
HEADS: Final[dict[Hay, str]] = {
    "phrase": f"Below is a text. {_ASKED_OF}",
    "prose": f"Below is a long text. {_ASKED_OF}",
    "needles": _REGISTER,
}
# With `hint`: like the papers' prompts, they say that needles are hidden in the text.
HINTED: Final[dict[Hay, str]] = {
    "phrase": (
        "Below is a text that repeats itself. One sentence of it is unlike the others: it says which {value} a "
        "register lists under a name. After the text you are asked for that {value}.\n\n"
    ),
    "prose": (
        "Below is a long text. One or more of its sentences have nothing to do with the rest: they say which {value} a "
        "register lists under a name. After the text you are asked what they say.\n\n"
    ),
    "needles": _REGISTER,
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
    "one": "Which {value} does the register list under {keys}?\n\n" + _ASK_ONE.format(what="{value}", form="{form}"),
    "all": (
        "Which {value}s does the register list under {keys}?\n\n" + _ASK_LIST.format(what="all of them", form="{form}")
    ),
    "each": (
        "Which {value}s does the register list under {keys}?\n\n"
        + _ASK_LIST.format(what="the {value}s alone, in the order of the names in the question", form="{form}")
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
    "Below is a JSON object whose keys and values are UUIDs, and after it one of the keys. You are asked for the value "
    "of that key.\n\n"
)
EXAMPLES: Final = "First, two examples with short objects.\n\n"
EXAMPLE: Final = "Example {number}\n\n{shown}\n\nKey: {key}\nAnswer: {value}\n\n"
OBJECT: Final = "Here is the object.\n\n"
OPEN: Final = "{\n"
# A line of the object; the last one has no comma.
PAIR: Final = '"{key}": "{value}",\n'
CLOSE: Final = "\n}"
TAIL: Final = (
    "\n\nThe object ends here.\n\nKey: {key}\n\n"
    "Reply with one line of the form “Answer: VALUE”, where VALUE is the value of this key alone, as it stands in the "
    "object.\n"
)


# --- questions among documents ----------------------------------------------------------------------------------------

DOCUMENTS_INTRODUCTION: Final = (
    "Below are numbered documents on many subjects, and after the last of them a question. Answer it from the "
    "documents.\n\n"
)
DOCUMENT_NUMBER: Final = "Document {number}:\n"
TITLED: Final = "{title}\n{text}\n\n"
UNTITLED: Final = "{text}\n\n"
DOCUMENTS_TAIL: Final = (
    "These were all the documents.\n\nQuestion: {question}\n\n"
    "Reply with one line of the form “Answer: ANSWER”, where ANSWER is the answer alone, as the documents write it: a "
    "name, a number, a date or a few words.\n"
)


# --- common and frequent words ----------------------------------------------------------------------------------------

LIST_HEAD: Final = (
    "Below stands a numbered list of words. The same words come up in it again and again, some of them more often than "
    "others. Read the list to its end and keep count of every word.\n\n[The list begins]\n"
)
# An entry is its number, this, a word and a new line.
MARK: Final = ". "
LIST_TAIL: Final = "[The list ends]\n\nWhich {count} words stand in the list most often?\n\n" + _ASK_LIST.format(
    what="these {count} words alone", form="WORD"
)
LIST_TAIL_ONE: Final = "[The list ends]\n\nWhich word stands in the list most often?\n\n" + _ASK_ONE.format(
    what="word", form="WORD"
)
CODE_HEAD: Final = (
    "The text below is written in a code. It is made of coded words of six letters; wherever three dots stand, nothing "
    "is said. Read the text to its end and keep count of every coded word.\n\n[The coded text begins]"
)
DOTS: Final = "..."
CODE_TAIL: Final = (
    " [The coded text ends]\n\nWhich three coded words stand in the text most often? The dots do not count.\n\n"
    + _ASK_LIST.format(what="these three words alone", form="WORD")
)
