"""Figures of bars: differences of paired variants with their intervals, and how chance scores are spread.

And the radar of what every class got: one axis a class, one outline a model.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from carrara.plots.style import (
    COLOURS,
    COLUMN,
    DASHES,
    GREY,
    PAGE,
    PALE,
    Drawing,
    NothingToDraw,
    Options,
    file_name,
    heading,
    label,
    legend,
    legend_height,
    marker_size,
    model_labels,
    model_styles,
    new_figure,
    outer,
    pages,
    panels,
    task_name,
    titled,
    variant_name,
)
from carrara.scoring.intervals import estimates
from carrara.scoring.papers.weights import PairedRows, by, by_bucket, difference, shares
from carrara.scoring.papers.weights import pairs as paired_rows
from carrara.scoring.result import Result, RowScore, bucket_tokens, mean

_BINS: Final = 20
_HATCHES: Final = ("", "////", "....")


def pairs(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """What another instruction costs on the same items: sorted less copied, reasoned less direct; bars by bucket."""
    of_results = [paired_rows(result.rows) for result in results]
    shared = [key for key in of_results[0] if all(key in pairings for pairings in of_results)]
    if not shared:
        raise NothingToDraw("no task has two variants over the same items (such as ascending and verbatim)")
    for task in dict.fromkeys(key[0] for key in shared):
        keys = [key for key in shared if key[0] == task]
        labels = model_labels(results)
        figure, axes = panels(len(keys), labels, sharey=True)
        for panel, (_, variant, base) in zip(axes, keys, strict=True):
            handles = _differences(panel, [pairings[task, variant, base] for pairings in of_results], results)
            panel.set_title(f"{variant_name(variant, 20)} − {variant_name(base, 20)}")
        outer(axes)
        heading(figure, task_name(task))
        legend(figure, handles, labels)
        yield Drawing(file_name("pairs", task), figure)


def chance(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """How the scores of guesses are spread, over all rows whose facts say what guesses score, and their mean."""
    rows = {row.id: row for result in results for row in result.rows if row.chance}
    if not rows:
        raise NothingToDraw("no row says what guesses score on it (`chance`)")
    for task, own in by(rows.values(), lambda row: row.task).items():
        datasets = list(by(own, lambda row: row.dataset).values())
        # Guesses score little: up to the next ten, or 100, and alike in every panel.
        top = min(100, 10 * (int(max(100 * value for row in own for value in row.chance) // 10) + 1))
        for number, few in pages(datasets):
            figure, axes = panels(len(few), sharey=True)
            for panel, part in zip(axes, few, strict=True):
                _histogram(panel, part, top)
            outer(axes)
            heading(figure, task_name(task))
            yield Drawing(file_name("chance", task, number), figure)


def _differences(axes: Any, parts: Sequence[Sequence[PairedRows]], results: Sequence[Result]) -> list[Any]:
    buckets = sorted({pair.row.bucket for part in parts for pair in part}, key=bucket_tokens)
    each = 0.8 / len(parts)
    handles = []
    axes.axhline(0, color=GREY, linewidth=0.6, zorder=3)
    for number, (part, style) in enumerate(zip(parts, model_styles(results), strict=True)):
        value, rows = difference(part), [pair.row for pair in part]
        units = {bucket: shares(own, value=value) for bucket, own in by_bucket(rows).items()}
        differences = estimates(rows, units, units)
        at = [buckets.index(bucket) - 0.4 + each * (number + 0.5) for bucket in differences]
        high = [100 * estimate.value for estimate in differences.values()]
        handles.append(
            axes.bar(
                at,
                high,
                width=each * 0.9,
                color=style["color"],
                hatch=_HATCHES[DASHES.index(style["linestyle"])],
                edgecolor="white",
                linewidth=0,
                zorder=2,
            )
        )
        known = [
            (x, 100 * estimate.value, estimate.interval)
            for x, estimate in zip(at, differences.values(), strict=True)
            if estimate.interval
        ]
        axes.errorbar(
            [x for x, _, _ in known],
            [y for _, y, _ in known],
            yerr=[
                [max(0.0, y - 100 * limits[0]) for _, y, limits in known],
                [max(0.0, 100 * limits[1] - y) for _, y, limits in known],
            ],
            fmt="none",
            ecolor="black",
            elinewidth=0.7,
            capsize=min(2.0, 10 * each),
            capthick=0.7,
            zorder=4,
        )
    axes.set_xticks(range(len(buckets)), buckets)
    axes.set_xlim(-0.6, len(buckets) - 0.4)
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("bucket (tokens)")
    axes.set_ylabel("difference (points)")
    axes.grid(axis="y", color=PALE, linewidth=0.4)
    axes.set_axisbelow(True)
    return handles


def _histogram(axes: Any, rows: Sequence[RowScore], top: int) -> None:
    values = [100 * value for row in rows for value in row.chance]
    middle = mean(values)
    width = top / _BINS
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(value / width))] += 1
    shown = [100 * count / len(values) for count in counts]
    axes.bar([number * width for number in range(_BINS)], shown, width=width * 0.9, align="edge", color=COLOURS[0])
    axes.axvline(middle, color=COLOURS[1], linewidth=1, linestyle=(0, (4, 1.5)))
    variant = f"{variant_name(rows[0].variant)}: " if rows[0].variant else ""
    axes.set_title(f"{variant}mean {middle:.1f}")
    axes.set_xlim(0, top)
    axes.set_xticks([top * part / 5 for part in range(6)], [f"{top * part / 5:g}" for part in range(6)])
    axes.set_ylim(0, 100)
    axes.set_xlabel("score of a guess (0–100)")
    axes.set_ylabel("share of guesses (%)")


_FEWEST: Final = 3
_MOST: Final = 24
_PANELS: Final = 6


def radar(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """The mean part of every class, 0 in the middle and 100 at the rim; one figure a task, one panel a dataset."""
    datasets = [by((row for row in result.rows if row.classes), lambda row: row.dataset) for result in results]
    shared = [name for name in datasets[0] if all(name in of_model for of_model in datasets)]
    if not shared:
        raise NothingToDraw("no row says what its classes got (`classes`)")
    classes = {name: _classes([of_model[name] for of_model in datasets]) for name in shared}
    kept = [name for name, own in classes.items() if _FEWEST <= len(own) <= _MOST]
    if not kept:
        raise NothingToDraw(f"no task has {_FEWEST} to {_MOST} classes that every result has")
    for task, rows in by((datasets[0][name][0] for name in kept), lambda row: row.task).items():
        for number, few in pages([row.dataset for row in rows], _PANELS):
            figure = _figure(results, [[of_model[name] for of_model in datasets] for name in few])
            yield Drawing(file_name("radar", task, number), figure)


def _figure(results: Sequence[Result], parts: Sequence[Sequence[Sequence[RowScore]]]) -> Any:
    columns = 1 if len(parts) == 1 else 2
    lines = -(-len(parts) // columns)
    width, labels = COLUMN if columns == 1 else PAGE, model_labels(results)
    figure = new_figure(figsize=(width, 2.9 * lines + legend_height(width, labels)), layout="constrained")
    handles: list[Any] = []
    for number, part in enumerate(parts, 1):
        axes = figure.add_subplot(lines, columns, number, projection="polar")
        handles = _radar(axes, part, results)
        axes.set_title(titled(part[0][0]), loc="center", pad=22)
    legend(figure, handles, labels)
    return figure


def _radar(axes: Any, parts: Sequence[Sequence[RowScore]], results: Sequence[Result]) -> list[Any]:
    names = _classes(parts)
    angles = [2 * math.pi * number / len(names) for number in range(len(names))]
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    handles = []
    for number, (rows, style) in enumerate(zip(parts, model_styles(results), strict=True)):
        values = [100 * mean(row.classes[name] for row in rows if name in row.classes) for name in names]
        handles += axes.plot(
            [*angles, angles[0]],
            [*values, values[0]],
            markersize=marker_size(number) - 1,
            zorder=3 + len(parts) - number,
            clip_on=False,
            **{**style, "linewidth": 0.9},
        )
        axes.fill(angles, values, color=style["color"], alpha=0.08, linewidth=0)
    axes.set_ylim(0, 100)
    axes.set_yticks([25, 50, 75, 100], ["25", "50", "75", "100"], fontsize=5, color=GREY)
    axes.set_rlabel_position(180 / len(names))
    axes.grid(color=PALE, linewidth=0.4)
    axes.spines["polar"].set_color(PALE)
    axes.set_xticks(angles, [_broken(name) for name in names], fontsize=6)
    axes.tick_params(axis="x", pad=1)
    for text, angle in zip(axes.get_xticklabels(), angles, strict=True):
        side = math.sin(angle)
        text.set_horizontalalignment("center" if abs(side) < 0.2 else "left" if side > 0 else "right")
    return handles


def _classes(parts: Sequence[Sequence[RowScore]]) -> list[str]:
    held = [{name for row in rows for name in row.classes} for rows in parts]
    return sorted(set.intersection(*held))


def _broken(name: str) -> str:
    """A class name in words, on two lines where it is long: MeanOfTransportation."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", label(name, 30)).split(" ")
    if len(words) == 1 or sum(map(len, words)) < 11:
        return " ".join(words)
    half = min(range(1, len(words)), key=lambda cut: abs(sum(map(len, words[:cut])) - sum(map(len, words[cut:]))))
    return " ".join(words[:half]) + "\n" + " ".join(words[half:])
