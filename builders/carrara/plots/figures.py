"""Figures of results: every kind that a paper of long-context scores would show, as PNG, SVG and PDF.

A kind takes the results of one or more models over the rows of one release and gives drawings, or says why it does not
apply. Tasks that not every model has are drawn for none where models are compared. Rotations of one ancestral trace
question count as one row, right only together, in every figure.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from carrara.errors import CarraraError, library
from carrara.plots.bars import chance, pairs, radar
from carrara.plots.lines import cumulative, curve, depth_curves
from carrara.plots.maps import categories, depth_map, spearman
from carrara.plots.style import FORMS, MAX_MODELS, STYLE, Drawing, NothingToDraw, Options, save
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
    check(results)
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        raise CarraraError(f"got --kind {unknown[0][:80]!a}, expected a kind of figure", nearest(unknown[0], KINDS))
    rotated = [replace(result, rows=tuple(circular(result.rows))) for result in results]
    drawn = 0
    for kind in dict.fromkeys(kinds) or KINDS:
        try:
            for files in _drawn(KINDS[kind], rotated, options or Options()):
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


def check(results: Sequence[Result]) -> None:
    """Refuse results that cannot stand in one figure: none or too many, two of one name, other releases' rows."""
    if not 1 <= len(results) <= MAX_MODELS:
        raise CarraraError(f"got {len(results)} results, expected 1 to {MAX_MODELS}", "draw fewer at once")
    first = results[0]
    names = [result.model for result in results]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise CarraraError(
            f"got two results of a model called {twice!a}", "score one again under its own name: carrara score --model"
        )
    for other in results[1:]:
        if (other.release, other.stream) != (first.release, first.stream):
            stream = ", of another stream" if other.release == first.release else ""
            raise CarraraError(
                f"got results of {first.release} and of {other.release}{stream}: other questions",
                "draw the results of one release together",
            )


def _drawn(kind: FigureKind, results: Sequence[Result], options: Options) -> Iterator[Drawn]:
    style = library("matplotlib.style", "plot")

    drawings = kind(results, options)
    while True:
        # The style holds while a figure is made and saved, and not while the caller has its turn.
        with style.context(["default", STYLE]):
            if (drawing := next(drawings, None)) is None:
                return
            files = Drawn(drawing.name, *(save(drawing.figure, form) for form in FORMS))
        yield files
