"""The words of a citations prompt and of its ideal response: what planner and solver share."""

from collections.abc import Mapping
from typing import Final, Literal

Kind = Literal["statements", "items"]

INSTRUCTION: Final[Mapping[Kind, str]] = {
    "statements": (
        "Below are numbered passages, and after them a question that can be understood in several ways. Answer it for "
        "every meaning that the passages answer, and from the passages alone. Write one sentence for each meaning, and "
        "close it with the number of a passage that supports it, in square brackets: [3], or [3][5] where only the two "
        "together do.\n\n"
    ),
    "items": (
        "Below are numbered passages, and after them a question that has several answers. Give every answer that the "
        "passages support, and no other. Reply with one list, its items separated by commas, each followed by the "
        "number of a passage that supports it, in square brackets: [3], or [3][5] where only the two together do.\n\n"
    ),
}
EXAMPLES: Final = "Two worked examples with a few short passages each come first.\n\n"
EXAMPLE: Final = "--- Example {number} ---\n\n"
TASK_HEADING: Final = "--- Your task ---\n\n"
NUMBER: Final = "[{number}]"
TITLED: Final = " {title}\n{text}\n\n"
UNTITLED: Final = "Untitled"
QUESTION: Final = "Question: {question}\n"
ANSWER_PREFIX: Final = "Answer:"
ANSWERED: Final = "Answer: {response}\n\n"

# How the ideal response says what it cites. Where the answer is a person the subject goes unnamed, for it may be the
# answer of another reading, which this passage does not support.
STATEMENTS: Final[Mapping[str, str]] = {
    "birth_date": "{subject} was born on {answer}",
    "birth_place": "{subject} was born in {answer}",
    "death_date": "{subject} died on {answer}",
    "father": "The father of one of them was {answer}",
    "mother": "The mother of one of them was {answer}",
    "spouse": "One of them was married to {answer}",
    "married": "{subject} was married in {answer}",
    "education": "{subject} was educated at {answer}",
    "residence": "{subject} lived in {answer}",
    "style": "The style of {subject} is called {answer}",
    "teacher": "One of them was taught by {answer}",
    "first_exhibited": "{subject} first exhibited in {answer}",
    "award": "{subject} was given the {answer}",
    "award_year": "{subject} was given an award in {answer}",
    "took_office": "{subject} took office in {answer}",
    "left_office": "{subject} left office in {answer}",
    "successor": "One of them was succeeded by {answer}",
    "party": "{subject} was a member of the {answer}",
}
OTHER_STATEMENT: Final = "For one of them the answer is {answer}"
# Of questions by people: the question that one reading asks, without its mark.
READING: Final = "Asked “{question}”, the answer is {answer}"
PLAIN: Final = "One answer is {answer}"
CITED: Final = "{statement} [{number}]."
ITEM: Final = "{answer} [{number}]"
