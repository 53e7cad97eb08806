"""Where a passage states an accepted answer: the span of the first name that stands in it as words of its own."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from carrara.sources.document import tidy
from carrara.tables import Evidence, Passage

# Places where a name stands inside a longer word; a text made of nothing else would take the square of its length.
_TRIES: Final = 1_000


def accepted(names: Iterable[str]) -> tuple[str, ...]:
    """The names of one answer: tidied, each once, none empty, in their order."""
    return tuple(dict.fromkeys(name for name in map(tidy, names) if name))


def find(text: str, names: Iterable[str]) -> tuple[int, int] | None:
    """The span of the first name that the text holds, without case and not inside a longer word; None where none is."""
    lowered = text.lower()
    # A character that grows in lower case (İ) would move the span.
    folds = len(lowered) == len(text)
    for name in names:
        wanted, within = (name.lower(), lowered) if folds else (name, text)
        at = -1
        for _ in range(_TRIES if wanted else 0):
            if (at := within.find(wanted, at + 1)) < 0:
                break
            end = at + len(wanted)
            if not (_joined(within, at) or _joined(within, end)):
                return at, end
    return None


def of_passages(passages: Iterable[Passage], groups: Sequence[Sequence[str]], whole: bool) -> Iterator[Evidence]:
    """The evidence of each passage, each once: where it first names an answer.

    Where it names none: all of its text if `whole`, else nothing.
    """
    names = [name for group in groups for name in group]
    for passage in dict.fromkeys(passages):
        span = find(passage.text, names)
        if span is not None or whole:
            yield Evidence(passage.id, *(span or (0, len(passage.text))))


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of a place are of one word."""
    return 0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum()
