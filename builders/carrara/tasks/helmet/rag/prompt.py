"""The wording of a rag prompt; writer and solver share nothing else."""

from typing import Final

INTRODUCTION: Final = (
    "Below are passages from many articles, and after them a question. Answer it from the passages.\n\n"
)
EXAMPLES: Final = "First, two examples with only the passages that matter.\n\n"
EXAMPLE: Final = "Example {number}\n\n{passages}Question: {question}\nAnswer: {answer}\n\n"
PASSAGES: Final = "Here are the passages.\n\n"
TITLED: Final = "Title: {title}\n{text}\n\n"
UNTITLED: Final = "{text}\n\n"
TAIL: Final = (
    "The passages end here.\n\nQuestion: {question}\n\n"
    "Reply with one line of the form “Answer: ANSWER”, where ANSWER is the answer alone, as the passages write it: a "
    "name, a number, a date or a few words.\n"
)
ANSWER_PREFIX: Final = "Answer:"
