"""The words of a long document prompt: what writes it and what reads it back have these in common and nothing else."""

from collections.abc import Mapping
from typing import Final, Literal

Form = Literal["story", "story_choice", "chronicle", "chronicle_choice", "meeting"]

_STORY: Final = "Below is a long text, the beginning of a book or a script, as much of it as there is room for."
_CHRONICLE: Final = "Below is a part of a long chronicle: the lives of some people in a town, chapter by chapter."
_CHOICE: Final = (
    "After it comes a question with options, of which one is right. Reply with one line of the form "
    '"Answer: B", which names the right option by its letter, and with nothing else.\n\n'
)
INTRODUCTION: Final[Mapping[Form, str]] = {
    "story": f"{_STORY} After it comes a question. Reply with the answer alone, in as few words as it takes.\n\n",
    "story_choice": f"{_STORY} {_CHOICE}",
    "chronicle": (
        f"{_CHRONICLE} After it comes a question, which one sentence of the chronicle answers. Reply with the answer "
        "alone, a name or a sum as the chronicle has it.\n\n"
    ),
    "chronicle_choice": f"{_CHRONICLE} {_CHOICE}",
    "meeting": (
        "Below is a part of the minutes of a town council, item by item. After it comes a question, which one sentence "
        "of the minutes answers. Reply with the answer alone, a name, a sum or a date as the minutes have it.\n\n"
    ),
}
EXAMPLES: Final = "Two examples show the form of a reply; the text that each of them asks about is left out.\n\n"
EXAMPLE: Final = "Example {number}\n{placeholder}\nQuestion: {question}\n{options}Answer: {answer}\n\n"
PLACEHOLDER: Final[Mapping[Form, str]] = {
    "story": "[the text of another story]",
    "story_choice": "[the text of another story]",
    "chronicle": "[a part of another chronicle]",
    "chronicle_choice": "[a part of another chronicle]",
    "meeting": "[a part of the minutes of another council]",
}
OPTION: Final = "{letter}. {text}\n"
TEXT: Final = "[The text begins]\n\n"
TAIL: Final = "\n\n[The text ends]\n\n{reminder}\n\nQuestion: {question}\n{options}"
_ALONE: Final = "Reply to the question with the answer alone."
_LETTER: Final = 'Reply to the question with one line of the form "Answer: B".'
REMINDER: Final[Mapping[Form, str]] = {
    "story": _ALONE,
    "story_choice": _LETTER,
    "chronicle": _ALONE,
    "chronicle_choice": _LETTER,
    "meeting": _ALONE,
}
ANSWER_PREFIX: Final = "Answer:"
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
