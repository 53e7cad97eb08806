"""The sentences of a passage that a worked example shows: those that state the fact, else the first ones.

Real passages are cut where a sentence plainly ends; one that does not is kept whole.
Must not change without a major version: where a sentence ends.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from carrara.tables import Evidence, Passage
from carrara.tasks.helmet.naming import holds

WORDS: Final = 45
# Behind a word of four letters or more, so that neither "St. Louis" nor "U.S. Army" is cut.
_END: Final = re.compile(r"(?<=[\w’'\")\]]{4}[.!?])\s+(?=[\"“(‘]?[A-Z0-9])")


def excerpt(passage: Passage, evidence: Sequence[Evidence] = (), names: Sequence[str] = ()) -> Passage:
    """A passage cut to at most `WORDS` words of whole sentences, but to one sentence at least.

    First among them is what holds the evidence of this passage, or else the first sentence that holds one of the names;
    sentences stay in order.
    """
    spans = _sentences(passage.text)
    wanted = [one for one in evidence if one.passage == passage.id]
    chosen = [
        number
        for number, (start, end) in enumerate(spans)
        if any(one.start < end and one.end > start for one in wanted)
    ]
    if not chosen and names and not holds(passage.title, names):
        chosen = [number for number, (start, end) in enumerate(spans) if holds(passage.text[start:end], names)][:1]
    size = sum(len(passage.text[slice(*spans[number])].split()) for number in chosen)
    for number, (start, end) in enumerate(spans):
        if number not in chosen:
            size += passage.text[start:end].count(" ") + 1
            if chosen and size > WORDS:
                break
            chosen.append(number)
    return replace(passage, text=" ".join(passage.text[slice(*spans[number])] for number in sorted(chosen)))


def _sentences(text: str) -> list[tuple[int, int]]:
    starts = [0, *(match.end() for match in _END.finditer(text))]
    ends = [*(match.start() for match in _END.finditer(text)), len(text)]
    return list(zip(starts, ends, strict=True))
