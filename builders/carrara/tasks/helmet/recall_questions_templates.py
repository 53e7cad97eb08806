"""The words of a question among documents: what writes the prompt and what reads it back share these alone."""

from typing import Final

INTRODUCTION: Final = (
    "Below are numbered documents on many subjects, and after the last of them a question. One or two of the documents "
    "hold what it asks for; the others do not matter. Reply with the answer alone, as the documents write it: a name, "
    "a number, a date or a few words.\n\n"
)
NUMBER: Final = "Document {number}:\n"
TITLED: Final = "{title}\n{text}\n\n"
UNTITLED: Final = "{text}\n\n"
TAIL: Final = (
    "These were all the documents. Answer from them, with the answer alone and no other word.\n\nQuestion: {question}\n"
)
ANSWER_PREFIX: Final = "Answer:"
