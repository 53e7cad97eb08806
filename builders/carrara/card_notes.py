"""The card's tables of what a task tells of its rows (`Task.notes`), config by config."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from carrara.card_text import code, escape, number, table


def notes(configs: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterable[str]:
    """Lines of Markdown for the (name, facts) of one task's configs; none where the task tells nothing."""
    told = [(name, config["notes"]) for name, config in configs if config.get("notes")]
    if not told:
        return
    # A manifest that was read again has lost their order.
    names = sorted({note for _, found in told for note in found})
    yield ""
    yield "What a row holds, lowest to highest (mean):"
    yield ""
    lines = [[code(name), *(_range(found.get(note)) for note in names)] for name, found in told]
    yield from table(("config", *map(escape, names)), lines, right=range(1, len(names) + 1))


def _range(found: Mapping[str, float] | None) -> str:
    if found is None:
        return ""
    if found["min"] == found["max"]:
        return number(found["min"])
    return f"{number(found['min'])}–{number(found['max'])} ({number(found['mean'])})"
