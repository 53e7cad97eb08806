"""The words of common-words and frequent-words prompts: what writes them and what reads them back share these alone."""

from typing import Final

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
ANSWER_PREFIX: Final = "Answer:"
