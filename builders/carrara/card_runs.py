"""The card's section on frozen runs: what was searched with what, and what was left out for which reason."""

from collections.abc import Iterable, Mapping
from typing import Any

from carrara.card_text import code, escape, number, table

_REASONS = {
    "gold": "gold passages",
    "answer": "held an accepted answer",
    "duplicate": "nearly the gold's text",
}


def runs(content: Mapping[str, Any]) -> Iterable[str]:
    """The section; nothing for a release without retrieved passages."""
    found = content.get("runs", {})
    if not found:
        return
    yield "## Retrieved passages"
    yield ""
    yield "Passages come from frozen runs (`runs/`): a rebuild reads them and needs neither encoder nor index. Every"
    yield "ranked passage stands there, with the reason where it was left out of the rows."
    yield ""
    header = ("run", "questions", "corpus", "passages", "retriever", *_REASONS.values(), "questions dropped")
    lines = [
        [
            code(name),
            number(run["questions"]),
            code(str(run["corpus"]["name"])),
            number(int(run["corpus"]["passages"])),
            code(str(run["retriever"]["name"])),
            *(number(run["removed"].get(reason, 0)) for reason in _REASONS),
            "; ".join(f"{number(count)} {escape(reason)}" for reason, count in sorted(run["dropped"].items()))
            or "none",
        ]
        for name, run in sorted(found.items())
    ]
    yield from table(header, lines, right=(1, 3, 5, 6, 7))
    yield ""
