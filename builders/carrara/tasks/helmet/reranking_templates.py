"""The words of a reranking prompt: what planner and solver share."""

from typing import Final

INSTRUCTION: Final = (
    "Below are passages, each with an ID, and after them a question. Rank the passages by how well they answer the "
    "question. First come passages that state the answer; then other passages about the subject of the question; then "
    "passages about something closely related to it; all others come last. Reply with one line: the IDs of the ten "
    "best passages, the best first, in the form\n"
    "Ranking: ID > ID > ID\n\n"
)
EXAMPLES: Final = "Two worked examples with a few short passages each come first.\n\n"
EXAMPLE: Final = "--- Example {number} ---\n\n"
TASK_HEADING: Final = "--- Your task ---\n\n"
ID_LINE: Final = "ID: {id}\n"
TITLE_LINE: Final = "Title: {title}\n"
QUESTION: Final = "Question: {question}\n"
ANSWER_PREFIX: Final = "Ranking:"
RANKED: Final = "Ranking: {ranking}\n\n"
JOINT: Final = " > "
BEST: Final = 10
# IDs have six digits.
FIRST_ID: Final = 100_000
IDS: Final = 900_000
