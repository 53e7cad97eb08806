"""The card's tables of what a task tells of its rows (`Task.notes`), config by config.

The card's section on frozen runs: what was searched with what, and what was left out for which reason.

The card's sections of a sealed release: what is withheld, what is committed, how a reveal is checked.
"""

from collections.abc import Iterable, Sequence

from carrara.release.schema import ConfigFacts, Content, NoteSummary
from carrara.text.markdown import code, escape, number, table


def notes(configs: Sequence[tuple[str, ConfigFacts]]) -> Iterable[str]:
    """Lines of Markdown for the (name, facts) of one task's configs; none where the task tells nothing."""
    told = [(name, config.notes) for name, config in configs if config.notes]
    if not told:
        return
    # A manifest that was read again has lost their order.
    names = sorted({note for _, found in told for note in found})
    yield ""
    yield "What a row holds, lowest to highest (mean):"
    yield ""
    lines = [[code(name), *(_range(found.get(note)) for note in names)] for name, found in told]
    yield from table(("config", *map(escape, names)), lines, right=range(1, len(names) + 1))


def _range(found: NoteSummary | None) -> str:
    if found is None:
        return ""
    if found.min == found.max:
        return number(found.min)
    return f"{number(found.min)}–{number(found.max)} ({number(found.mean)})"


_REASONS = {
    "gold": "gold passages",
    "answer": "held an accepted answer",
    "duplicate": "nearly the gold's text",
}


def runs(content: Content) -> Iterable[str]:
    """The section; nothing for a release without retrieved passages."""
    found = content.runs
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
            number(run.questions),
            code(run.corpus.name),
            number(run.corpus.passages),
            code(run.retriever.name),
            *(number(run.removed.get(reason, 0)) for reason in _REASONS),
            "; ".join(f"{number(count)} {escape(reason)}" for reason, count in sorted(run.dropped.items())) or "none",
        ]
        for name, run in sorted(found.items())
    ]
    yield from table(header, lines, right=(1, 3, 5, 6, 7))
    yield ""


_LISTED = 20


def sealed(content: Content) -> Iterable[str]:
    """The section on what is withheld."""
    yield """\
## Sealed: the answers are withheld

In every row `answers`, `evidence` and `depths` are empty and `complexity` is 0; `facts` holds the row's commitment
alone. Prompts, choices, lengths and ids are those of the whole release. The stream, plans, content roots and manifest
of the whole release are committed to as well (`sealed` in `manifest.json`); probes, scores of wrong answers and runs
are left out.

A commitment is the sha256 of a salt of 32 random bytes and of the digest of the whole row: it cannot be opened by
trying answers, and it can be opened to one answer only. When the answers are published, anyone can prove that they are
the ones committed to here, and put the whole release together again:

```sh
carrara reveal DIR ANSWERS
carrara reveal DIR ANSWERS --out out
```

Until then this release cannot be scored: send responses to those who hold the answers, or wait. What sealing cannot
hide: `max_output_tokens` may tell how long an answer is, and the index of a row at which depth its evidence stands,
where the recipe puts an item at several."""
    yield ""
    yield from _computable(content)


def _computable(content: Content) -> Iterable[str]:
    configs = content.configs
    computable = [name for name in content.sealed.computable if name in configs] if content.sealed else []
    if not computable:
        yield "No solver of the package computes an answer from a prompt here."
        return
    others = [name for name in configs if name not in set(computable)]
    if not others:
        which = "all configs"
    elif len(others) < len(computable):
        which = f"all configs but {_listed(others)}"
    else:
        which = _listed(computable)
    yield f"**Answers that can be computed.** Of {which} a solver of the package computes the answers from the prompts"
    yield "(`sealed.computable` in `manifest.json`). There sealing keeps the answers out of training data as text, and"
    yield "fixes them; it does not keep them from whoever runs the solver."


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(code(name) for name in names[:_LISTED])
    return f"{listed} and {number(len(names) - _LISTED)} more" if len(names) > _LISTED else listed


def use_sealed() -> Iterable[str]:
    """How a sealed release is used, behind how it is loaded."""
    yield """
`prompt` is ready to send and ends where the answer begins; `group` binds the rows that are one question,
`max_output_tokens` is the room for the answer. Keep the responses as JSON lines with `id` and `response`.

Verify a copy (`DIR` is the folder of this file); the recipe makes none of these rows without the stream, so there are
two levels:

```sh
carrara verify DIR
carrara verify DIR --level rows
```"""
