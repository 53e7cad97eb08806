"""The wording of a summarization prompt by variant: the kind of document, and the request if there is no query."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SHOWN: Final = "[The {noun} begins]\n\n"
# The text after the cut is not part of the task.
ENDED: Final = "\n\n[The {noun} is shown up to here]\n\n"
EXAMPLES: Final = "First, two examples of what is wanted, of other {nouns}, which are not shown.\n\n"
EXAMPLE: Final = (
    "Example {number}\n\n[Here stands a {noun}]\n\n"
    "Request: {request}\nLength: about {words} words\nSummary: {summary}\n\n"
)
INTRODUCED: Final = "Now the {noun} that you are asked about.\n\n"
TAIL: Final = (
    "Request: {request}\nLength: about {words} words\n\n"
    "Reply in the form “Summary: TEXT”, where TEXT is the summary alone, in plain prose, from the {noun} above and "
    "nothing else.\n"
)
ANSWER_PREFIX: Final = "Summary:"


@dataclass(frozen=True, slots=True)
class Wording:
    """What a variant calls its documents, its first sentence, and its request; "" where documents bring queries."""

    noun: str
    nouns: str
    introduction: str
    request: str = ""


WORDINGS: Final[Mapping[str, Wording]] = {
    "multilexsum": Wording(
        "case file",
        "case files",
        "Below are the papers of a civil rights case in the United States, such as complaints, orders and settlements, "
        "and after them a request for a summary.\n\n",
        "Summarize the case: who sued whom and why, what the courts decided, and how it ended or where it stands.",
    ),
    "infbench_sum": Wording(
        "novel",
        "novels",
        "Below is a novel, in which names may have been changed, and after it a request for a summary.\n\n",
        "Summarize the plot of the novel as far as it is shown, from its beginning on, with its main characters.",
    ),
    "squality": Wording(
        "story",
        "stories",
        "Below is a story, and after it a request for a summary of the whole story or of one side of it.\n\n",
    ),
    "qmsum": Wording(
        "transcript",
        "meetings",
        "Below is the transcript of a meeting, a turn in each paragraph, and after it a request for a summary of the "
        "whole meeting or of one matter in it.\n\n",
    ),
    "world": Wording(
        "chronicle",
        "chronicles",
        "Below is a chronicle of a town, chapter by chapter, and after it a request for a summary.\n\n",
        "Summarize the chronicle as far as it is shown: what happened that mattered most in the lives of its people, "
        "in the order in which it is told, a plain sentence for each event, with full names and places.",
    ),
    "world_meeting": Wording(
        "record",
        "records",
        "Below are the minutes of a town council, item by item, and after them a request for a summary.\n\n",
        "Summarize the minutes as far as they are shown: the decisions on the largest sums, in the order of the items, "
        "a sentence for each, with the votes, the sum, and who is to report and when.",
    ),
    "own": Wording(
        "document",
        "documents",
        "Below is a document, and after it a request for a summary of all of it or of one matter in it.\n\n",
        "Summarize the document as far as it is shown.",
    ),
}
