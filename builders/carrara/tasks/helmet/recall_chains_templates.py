"""The words of variable-tracking prompts: what writes them and what reads them back have these in common alone."""

from typing import Final

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
ANSWER_PREFIX: Final = "Answer:"
