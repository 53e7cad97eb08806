"""The words of a json_kv prompt: what writes it and what reads it back have these in common and nothing else."""

from typing import Final

INTRODUCTION: Final = (
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
ANSWER_PREFIX: Final = "Value:"
