"""Figures of results: every kind that a paper of long-context scores would show, as PNG, SVG and PDF.

A kind takes the results of one or more models and gives drawings, or says why it does not apply. All models have rows
of the same release, or of the same releases: then a model's results are joined. Tasks that not every model has are
drawn for none where models are compared. Rotations of one ancestral trace question count as one row, right only
together, in every figure.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from carrara.errors import CarraraError, library
from carrara.plots.bars import chance, pairs, radar
from carrara.plots.lines import cumulative, curve, depth_curves
from carrara.plots.maps import categories, depth_map, spearman
from carrara.plots.style import (
    FORMS,
    STYLE,
    TEXTS,
    Drawing,
    NothingToDraw,
    Options,
    RowCondition,
    file_name,
    heading,
    label,
    save,
)
from carrara.scoring.papers.needlebench import circular
from carrara.scoring.result import Result
from carrara.text.display import nearest

FigureKind = Callable[[Sequence[Result], Options], Iterator[Drawing]]

KINDS: Final[Mapping[str, FigureKind]] = {
    "cumulative": cumulative,
    "curve": curve,
    "depth_map": depth_map,
    "depth_curves": depth_curves,
    "categories": categories,
    "pairs": pairs,
    "spearman": spearman,
    "chance": chance,
    "radar": radar,
}
_MAX_FIGURES: Final = 2_000
MAX_RESULTS: Final = 1_000
_CONDITION: Final = re.compile(r"([a-z_]{1,40})=(.{1,100})")
_NUMBERS: Final = re.compile(r"([0-9]{1,9}(?:\.[0-9]{1,6})?)(?:\.\.([0-9]{1,9}(?:\.[0-9]{1,6})?))?")


@dataclass(frozen=True, slots=True)
class Drawn:
    """The files of one figure: name without ending, and the bytes of each form."""

    name: str
    png: bytes
    svg: bytes
    pdf: bytes


def draw(
    results: Sequence[Result],
    kinds: Sequence[str] = (),
    options: Options | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> Iterator[Drawn]:
    """Draw the kinds asked for (none: all), each as often as the rows have tasks for it.

    `note` is told which kinds are skipped and why. Raises CarraraError for results that cannot stand in one figure and
    where nothing at all is drawn.
    """
    options = options or Options()
    joined = join(results)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise CarraraError(f"got --kind {unknown[0][:80]!a}, expected a kind of figure", nearest(unknown[0], KINDS))
    rotated = [_chosen(replace(result, rows=tuple(circular(result.rows))), options) for result in joined]
    drawn = 0
    for kind in dict.fromkeys(kinds) or KINDS:
        try:
            for files in _drawn(KINDS[kind], rotated, options):
                drawn += 1
                if drawn > _MAX_FIGURES:
                    raise CarraraError(
                        f"got results of more than {_MAX_FIGURES:,} figures", "name fewer kinds or draw fewer results"
                    )
                yield files
        except NothingToDraw as reason:
            note(f"skipped {kind}: {reason}")
    if not drawn:
        raise CarraraError(
            "got results with nothing to draw, expected rows for one kind of figure at least",
            "score more of the release, or other kinds: every kind says above why it was skipped",
        )


def condition(text: str) -> RowCondition:
    """Read which rows to draw: `bucket=128k`, `complexity=20`, `digits=4..8`. Raises CarraraError for anything else."""
    if match := _CONDITION.fullmatch(text):
        field, value = match.groups()
        if field in TEXTS:
            return RowCondition(field, value)
        if numbers := _NUMBERS.fullmatch(value):
            low = float(numbers[1])
            return RowCondition(field, value, low, float(numbers[2] or low))
    raise CarraraError(
        f"got --where {text[:80]!a}, expected FIELD=VALUE or FIELD=LOW..HIGH",
        f"fields: {', '.join(TEXTS)}, length, complexity, depth, or a number of the rows' facts: --where complexity=20",
    )


def join(results: Sequence[Result]) -> list[Result]:
    """One result for each model, in their order: of several releases, with the rows of all.

    Raises CarraraError for none or too many, for two of one model and release, and for models over other releases.
    """
    if not 1 <= len(results) <= MAX_RESULTS:
        raise CarraraError(f"got {len(results):,} results, expected 1 to {MAX_RESULTS:,}", "draw fewer at once")
    of_models: dict[str, dict[tuple[str, str], Result]] = {}
    for result in results:
        releases = of_models.setdefault(result.model, {})
        if (result.release, result.stream) in releases:
            raise CarraraError(
                f"got two results of a model called {result.model!a} over {result.release}",
                "score one again under its own name: carrara score --model",
            )
        releases[result.release, result.stream] = result
    first, *others = of_models
    for other in others:
        if apart := of_models[first].keys() ^ of_models[other].keys():
            release, stream = min(apart)
            has, lacks = (first, other) if (release, stream) in of_models[first] else (other, first)
            raise CarraraError(
                f"got {release} (stream {stream}) of {has!a} and not of {lacks!a}: other questions",
                "draw models over the same releases together",
            )
    return [_joined(list(releases.values())) for releases in of_models.values()]


def _joined(results: Sequence[Result]) -> Result:
    """The results of one model as one: questions and rows of two releases are never the same."""
    first, *others = results
    further = [
        replace(row, id=f"{row.id}.{number}", item=f"{row.item}.{number}", group=row.group and f"{row.group}.{number}")
        for number, result in enumerate(others, 2)
        for row in result.rows
    ]
    return replace(first, rows=(*first.rows, *further))


def _chosen(result: Result, options: Options) -> Result:
    """A result with the rows that are drawn. Raises CarraraError where it has none."""
    if rows := options.chosen(result.rows):
        return replace(result, rows=tuple(rows))
    numbers = sorted(set(chain.from_iterable(row.numbers for row in result.rows)))
    raise CarraraError(
        f"got no row of {result.model!a} with {options.slice}",
        f"fields of its rows: {', '.join([*TEXTS, 'length', 'complexity', 'depth', *numbers])[:400]}",
    )


def _drawn(kind: FigureKind, results: Sequence[Result], options: Options) -> Iterator[Drawn]:
    style = library("matplotlib.style", "plot")

    drawings = kind(results, options)
    while True:
        # The style holds while a figure is made and saved, and not while the caller has its turn.
        with style.context(["default", STYLE]):
            if (drawing := next(drawings, None)) is None:
                return
            name = file_name(drawing.name, options.slice)
            if options.where:
                _say(drawing.figure, options.slice)
            files = Drawn(name, *(save(drawing.figure, form) for form in FORMS))
        yield files


def _say(figure: Any, chosen: str) -> None:
    """Write above a figure which rows it shows."""
    if figure.get_layout_engine() is None:
        # A sheet of cells has its title as a text.
        title = figure.texts[0]
        title.set_text(label(f"{title.get_text()}; {chosen}", 90))
    else:
        heading(figure, label("; ".join(filter(None, (figure.get_suptitle(), chosen))), 90))
