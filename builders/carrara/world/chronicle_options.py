"""Wrong options: values of the right one's kind that the chronicle told of before, for something else."""

from collections.abc import Callable, Sequence
from typing import Final

from carrara.world.chronicle_kinds import KINDS, TERMS
from carrara.world.chronicle_plot import Event

WRONG: Final = 3
# So many values back are options drawn from.
_KEPT: Final = 60
# Places that no chapter tells of, where too few are told of yet.
_NOWHERE: Final = 60_000
_CAST: Final = ("cast", "woman", "man", "goer", "owner")


class Options:
    """What was told until now, by kind of value."""

    def __init__(self) -> None:
        self._told: dict[str, list[int]] = {}

    def told(self, event: Event) -> None:
        """Remember the values of an event."""
        for letter, filling in KINDS[event.kind].slots:
            kept = self._told.setdefault(_kind(event.kind, filling), [])
            if event.slots[letter] not in kept:
                kept.append(event.slots[letter])
                del kept[:-_KEPT]

    def wrong(
        self,
        below: Callable[[int], int],
        event: Event,
        letter: str,
        filling: str,
        events: Sequence[Event],
        cast: Sequence[int],
    ) -> list[int]:
        """Three values of the slot's kind that no event of `events` holds."""
        held = {one.slots[slot] for one in events for slot, other in KINDS[one.kind].slots if _alike(filling, other)}
        right = event.slots[letter]
        pool = [value for value in self._told.get(_kind(event.kind, filling), []) if value not in held]
        if filling in _CAST or (filling in ("person", "child") and len(pool) < WRONG):
            pool += [person for person in cast if person not in held and person not in pool]
        out: list[int] = []
        while pool and len(out) < WRONG:
            out.append(pool.pop(below(len(pool))))
        step = 0
        while len(out) < WRONG:
            step += 1
            value = _other(below, filling, right, step)
            if value not in out and value not in held:
                out.append(value)
        return out


def _kind(event: str, filling: str) -> str:
    if filling in _CAST:
        return "cast"
    return f"sum {event}" if filling == "sum" else filling


def _alike(one: str, other: str) -> bool:
    people = (*_CAST, "person", "child")
    return one == other or (one in people and other in people)


def _other(below: Callable[[int], int], filling: str, right: int, step: int) -> int:
    """A value of the kind that was not told of."""
    if filling == "sum":
        # Between two thirds and three halves of the right one, at even steps.
        return max(2, right * (66 + below(85)) // 100 + step) // 2 * 2
    if filling == "place":
        return _NOWHERE + right * WRONG + step
    if filling in TERMS:
        return (right + below(TERMS[filling])) % TERMS[filling]
    raise ValueError(f"no wrong option for a {filling}: a chronicle's cast has four persons or more")
