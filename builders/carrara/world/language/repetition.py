"""How likely a sentence comes again: the chance that two spellings of a template are the same."""

from collections.abc import Mapping
from dataclasses import dataclass

from carrara.world.language.grammar import Alternatives, Phrase, ValueField


@dataclass(frozen=True, slots=True)
class SentenceTemplate:
    """A sentence: its phrase, and how likely two spellings of it are the same but for the subject.

    `alike` is the chance between two worlds, which share no name; `repeats` that within one, where two subjects may
    have a value in common that is a name.
    """

    phrase: Phrase
    alike: float
    repeats: float


def chance(phrase: Phrase, values: Mapping[str, float]) -> float:
    """The probability that two spellings of a phrase, drawn independently, are equal, the subject left out.

    `values` gives that probability for each value of the caller: 0 for a name that nothing else has.
    """
    out = 1.0
    for part in phrase:
        if isinstance(part, ValueField):
            out *= values[part.name]
        elif isinstance(part, Alternatives):
            out *= _alike(part)
    return out


_ALIKE: dict[int, tuple[Alternatives, float]] = {}


def _alike(part: Alternatives) -> float:
    """The same for a list: looked at once, for it stands in many templates, and kept, so that its id is its own."""
    if id(part) not in _ALIKE:
        share = sum(chance(phrase, {}) if _free(phrase) else 1.0 for phrase in part.phrases) / len(part.phrases) ** 2
        _ALIKE[id(part)] = (part, share)
    return _ALIKE[id(part)][1]


def _free(phrase: Phrase) -> bool:
    return not any(isinstance(part, ValueField) for part in phrase)
