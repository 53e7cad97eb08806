"""The wording of a rag prompt; writer and solver share nothing else."""

from typing import Final

INTRODUCTION: Final = (
    "Below are passages from many articles, and after them a question. The passages answer it, though most of them "
    "have nothing to do with it. Reply with the answer alone, as short as it can be: a name, a number, a date or a few "
    "words, as the passages have it.\n\n"
)
EXAMPLES: Final = "First, two examples with only the passages that matter.\n\n"
EXAMPLE: Final = "Example {number}\n\n{passages}Question: {question}\nAnswer: {answer}\n\n"
PASSAGES: Final = "Here are the passages.\n\n"
TITLED: Final = "Title: {title}\n{text}\n\n"
UNTITLED: Final = "{text}\n\n"
TAIL: Final = "The passages end here. Reply to the question with the answer alone.\n\nQuestion: {question}\n"
ANSWER_PREFIX: Final = "Answer:"
