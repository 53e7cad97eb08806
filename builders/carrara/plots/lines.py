"""Figures of lines, one a model: the cumulative score, curves over a field of the rows, depth curves by length."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from carrara.errors import library
from carrara.plots.style import (
    MARKERS,
    MIN_DEPTHS,
    Drawing,
    NothingToDraw,
    Options,
    file_name,
    heading,
    label,
    legend,
    length_axis,
    marker_size,
    model_labels,
    model_styles,
    number_axis,
    outer,
    pages,
    panels,
    score_axis,
    task_name,
    titled,
    tokens_label,
)
from carrara.scoring.intervals import Estimate, deviation, estimates
from carrara.scoring.papers.michelangelo import michelangelo
from carrara.scoring.papers.weights import VERBATIM, base_variant, by, by_bucket, by_level, depth_bins, shares, weighted
from carrara.scoring.result import Result, RowScore, mean

_LENGTHS: Final = 8
_BANDS: Final = 5
# What a row's complexity is, by its task; other tasks have none that a curve could be drawn over.
COMPLEXITY: Final = {
    "latent_list": "relevant operations",
    "mrcr": "pieces of the key",
    "idk": "answer absent (0) or there (1)",
    "multi_needle": "needles",
    "needle_reasoning": "needles",
    "ancestral_trace": "steps",
    "numeric_sorting": "N (numbers)",
    "sentence_arrangement": "N (sentences)",
    "entity_grouping": "N (entities)",
    "rag": "gold passages",
    "synthetic_recall": "hops",
}
# Facts that a paper draws a curve over, where they vary.
_SWEPT: Final = ("digits", "hops", "steps", "needles", "distance")

# The rows of one task or dataset, of every result in their order.
Parts = Sequence[Sequence[RowScore]]


@dataclass(frozen=True, slots=True)
class Point:
    """A point of a curve: scores in points, `low` and `high` the band, None where too few questions have none."""

    x: float
    y: float
    low: float | None
    high: float | None


def cumulative(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """Michelangelo's score over all rows of at most L tokens, against the mean tokens of these rows."""
    summaries = [summary for result in results if (summary := michelangelo(result.rows))]
    if len(summaries) != len(results):
        raise NothingToDraw("not every result has rows of Michelangelo's tasks (latent_list, mrcr, idk)")
    tasks: dict[str, list[list[Point]]] = {}
    for model, summary in enumerate(summaries):
        for value in summary.values:
            # MRCR with more needles than the paper's stands apart.
            if "mean_tokens" in value.keys and "variants" not in value.keys and value.estimate:
                lines = tasks.setdefault(str(value.keys.get("task", "")), [[] for _ in results])
                lines[model].append(_point(float(value.keys["mean_tokens"]), value.estimate))
    # The mean over the tasks, where there are several, stands last.
    names = sorted(tasks, key=lambda task: (not task, task))
    labels = model_labels(results)
    figure, axes = panels(len(names), labels)
    lengths = [point.x for lines in tasks.values() for line in lines for point in line]
    for panel, name in zip(axes, names, strict=True):
        panel.set_title(task_name(name) if name else f"mean of {len(names) - 1} tasks")
        handles = _lines(panel, tasks[name], results)
        score_axis(panel, "cumulative score (0–100)")
        length_axis(panel, lengths, "mean tokens of rows up to L")
    outer(axes)
    legend(figure, handles, labels)
    yield Drawing(file_name("cumulative"), figure)


def curve(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """The score over a field of the rows: length, complexity (in the task's words), or a number of their facts."""
    drawn = False
    for task, parts in _parts(results, lambda row: row.task).items():
        for field in dict.fromkeys(options.fields) or ("length", "complexity", *_SWEPT):
            if not options.fields and field == "complexity" and task not in COMPLEXITY:
                continue
            variants = _parts(parts, lambda row: row.variant)
            bases = {variant: base for variant in variants if (base := base_variant(variant, variants))}
            # A variant that others are compared with stands in their panels.
            datasets = [
                (own, variants.get(bases.get(variant, "")))
                for variant, own in variants.items()
                if variant not in bases.values() and _varies(own, field)
            ]
            if not datasets and _varies(parts, field):
                # What differs from variant to variant (the needles of mrcr): one curve over all of them.
                datasets = [(parts, None)]
            for number, few in pages(datasets):
                drawn = True
                yield Drawing(file_name("curve", task, field, number), _curves(results, few, field, options))
    if not drawn:
        raise NothingToDraw(f"no task has two values of {' or '.join(options.fields) or 'any field'} over its rows")


def depth_curves(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """The score over the depth of the evidence, one line a length."""
    drawn = False
    for dataset, parts in _parts(results, lambda row: row.dataset).items():
        if min(len(set(depth_bins(part).values())) for part in parts) >= MIN_DEPTHS:
            drawn = True
            named = list(zip(model_labels(results), parts, strict=True))
            for number, few in pages(named):
                yield Drawing(file_name("depth_curves", dataset, number), _depths(few))
    if not drawn:
        raise NothingToDraw("no task has evidence at three depths or more, in tenths")


def _curves(
    results: Sequence[Result], datasets: Sequence[tuple[Parts, Parts | None]], field: str, options: Options
) -> Any:
    """Panels of (the rows of a dataset, the rows that it is compared with, drawn dotted)."""
    labels = model_labels(results)
    bases = [base[0][0].variant for _, base in datasets if base]
    # What others are compared with has the same items.
    compared = f"dotted: the same items, {'copied' if bases[0].endswith(VERBATIM) else 'direct'}" if bases else ""
    figure, axes = panels(len(datasets), labels, compared)
    curves = [[_points(part, field, options) for part in parts] for parts, _ in datasets]
    x = [point.x for lines in curves for line in lines for point in line]
    for panel, (parts, base), lines in zip(axes, datasets, curves, strict=True):
        row = parts[0][0]
        panel.set_title(titled(row) if len({row.variant for row in parts[0]}) == 1 else task_name(row.task))
        handles = _lines(panel, lines, results)
        for part, style in zip(base or (), model_styles(results), strict=False):
            points = sorted(_points(part, field, options), key=lambda point: point.x)
            panel.plot(
                [point.x for point in points],
                [point.y for point in points],
                color=style["color"],
                linestyle=":",
                linewidth=0.9,
            )
        score_axis(panel)
        if field == "length":
            length_axis(panel, x, "length (tokens)")
        else:
            name = COMPLEXITY.get(row.task, field) if field == "complexity" else field
            number_axis(panel, x, label(name.replace("_", " "), 40))
    outer(axes)
    legend(figure, handles, labels, compared)
    return figure


def _depths(parts: Sequence[tuple[str, Sequence[RowScore]]]) -> Any:
    """Panels of (model, its rows)."""
    groups = _lengths([row for _, part in parts for row in part])
    colours = library("matplotlib", "plot").colormaps["viridis"]
    shades = [colours(0.9 * (1 - number / max(1, len(groups) - 1))) for number in range(len(groups))]
    figure, axes = panels(len(parts), list(groups), "length (tokens)")
    for panel, (name, part) in zip(axes, parts, strict=True):
        handles = []
        depths = depth_bins(part)
        for number, (ids, shade) in enumerate(zip(groups.values(), shades, strict=True)):
            line = _by_depth([row for row in part if row.id in ids and row.id in depths], depths)
            marker = MARKERS[number % len(MARKERS)]
            handles += panel.plot(*line, color=shade, marker=marker, markersize=2.6, linewidth=1)
        panel.set_title(name)
        panel.set_xlim(-3, 103)
        panel.set_xticks([0, 25, 50, 75, 100])
        panel.set_xlabel("depth of the evidence (%)")
        score_axis(panel)
    outer(axes)
    heading(figure, titled(parts[0][1][0]))
    legend(figure, handles, list(groups), "length (tokens)")
    return figure


def _parts(results: Sequence[Any], key: Callable[[RowScore], str]) -> dict[str, Parts]:
    """The rows of every result by a key that all results have."""
    grouped = [by(rows.rows if isinstance(rows, Result) else rows, key) for rows in results]
    return {name: [part[name] for part in grouped] for name in grouped[0] if all(name in part for part in grouped)}


def _varies(parts: Parts, field: str) -> bool:
    return all(len(by_level(part, field)) > 1 for part in parts)


def _points(rows: Sequence[RowScore], field: str, options: Options) -> list[Point]:
    levels = dict(by_level(rows, field))
    at_levels = estimates(rows, {x: shares(own) for x, own in levels.items()})
    if options.band == "interval":
        return [_point(x, estimate) for x, estimate in at_levels.items()]
    # Scores of single questions lie around their mean like this, whatever their number.
    return [
        Point(x, 100 * level.value, *_spread(level.value, levels[x], options.band)) for x, level in at_levels.items()
    ]


def _spread(value: float, rows: Sequence[RowScore], band: str) -> tuple[float | None, float | None]:
    groups = [mean(row.value for row in own) for own in by(rows, lambda row: row.group_key).values()]
    if len(groups) < 2:
        return None, None
    if band == "range":
        return 100 * min(groups), 100 * max(groups)
    apart = deviation(groups)
    return 100 * max(0.0, value - apart), 100 * min(1.0, value + apart)


def _point(x: float, estimate: Estimate) -> Point:
    low, high = estimate.interval or (None, None)
    return Point(x, 100 * estimate.value, *(None if limit is None else 100 * limit for limit in (low, high)))


def _lines(axes: Any, lines: Sequence[Sequence[Point]], results: Sequence[Result]) -> list[Any]:
    """Draw a line with its band for every model, the first models on top; many bands would hide each other."""
    handles = []
    for number, (line, style) in enumerate(zip(lines, model_styles(results), strict=True)):
        ordered = sorted(line, key=lambda point: point.x)
        banded = [point for point in ordered if point.low is not None and len(lines) <= _BANDS]
        axes.fill_between(
            [point.x for point in banded],
            [point.low for point in banded],
            [point.high for point in banded],
            color=style["color"],
            alpha=0.16,
            linewidth=0,
            zorder=2,
        )
        handles += axes.plot(
            [point.x for point in ordered],
            [point.y for point in ordered],
            markersize=marker_size(number),
            zorder=3 + len(lines) - number,
            **style,
        )
    return handles


def _by_depth(rows: Sequence[RowScore], depths: Mapping[str, float]) -> tuple[list[float], list[float]]:
    levels = by(rows, lambda row: depths[row.id])
    return [100 * depth for depth in levels], [100 * weighted(shares(own)) for own in levels.values()]


def _lengths(rows: Sequence[RowScore]) -> dict[str, set[str]]:
    """The ids of rows by length; by bucket where there are more than eight lengths."""
    lengths = by(rows, lambda row: row.length)
    if len(lengths) <= _LENGTHS:
        return {tokens_label(length): {row.id for row in own} for length, own in lengths.items()}
    return {bucket: {row.id for row in own} for bucket, own in by_bucket(rows).items()}
