"""Figures of bars: differences of paired variants with their intervals, and how chance scores are spread.

A figure of what every class got: one axis a class, one outline a model.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from carrara.plots.style import (
    COLOURS,
    COLUMN,
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
    model_labels,
    model_styles,
    new_figure,
    outer,
    pages,
    panels,
    titled,
)
from carrara.scoring.bootstrap import estimates
from carrara.scoring.papers.weights import PairedRows, by, by_bucket, difference, shares
from carrara.scoring.papers.weights import pairs as paired_rows
from carrara.scoring.result import Result, RowScore, bucket_tokens, mean

_BINS: Final = 20
_HATCHES: Final = ("", "////", "....")


def pairs(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """What another instruction costs on the same items: sorted less copied, reasoned less direct; bars by bucket."""
    found = [paired_rows(result.rows) for result in results]
    shared = [key for key in found[0] if all(key in one for one in found)]
    if not shared:
        raise NothingToDraw("no task has two variants over the same items (such as ascending and verbatim)")
    for task in dict.fromkeys(key[0] for key in shared):
        keys = [key for key in shared if key[0] == task]
        labels = model_labels(results)
        figure, axes = panels(len(keys), labels, sharey=True)
        for one, key in zip(axes, keys, strict=True):
            handles = _differences(one, [part[key] for part in found], results)
            shown = [label(word.replace("_", " "), 20) for word in key[1:]]
            one.set_title(f"{shown[0]} − {shown[1]}")
        outer(axes)
        heading(figure, label(task.replace("_", " ")))
        legend(figure, handles, labels)
        yield Drawing(file_name("pairs", task), figure)


def chance(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """How the scores of guesses are spread, over all rows whose facts say what guesses score, and their mean."""
    rows = {row.id: row for result in results for row in result.rows if row.chance}
    if not rows:
        raise NothingToDraw("no row says what guesses score on it (`chance`)")
    for task, own in by(rows.values(), lambda row: row.task).items():
        datasets = list(by(own, lambda row: row.dataset).values())
        for number, few in pages(datasets):
            figure, axes = panels(len(few))
            for one, part in zip(axes, few, strict=True):
                _histogram(one, part)
            outer(axes)
            yield Drawing(file_name("chance", task, number), figure)


def _differences(axes: Any, parts: Sequence[Sequence[PairedRows]], results: Sequence[Result]) -> list[Any]:
    buckets = sorted({pair.row.bucket for part in parts for pair in part}, key=bucket_tokens)
    each = 0.8 / len(parts)
    handles = []
    axes.axhline(0, color=GREY, linewidth=0.6, zorder=3)
    for place, (part, style) in enumerate(zip(parts, model_styles(results), strict=True)):
        value, rows = difference(part), [pair.row for pair in part]
        units = {bucket: shares(own, value=value) for bucket, own in by_bucket(rows).items()}
        found = estimates(rows, units)
        at = [buckets.index(bucket) - 0.4 + each * (place + 0.5) for bucket in found]
        high = [100 * one.value for one in found.values()]
        dash = list(dict.fromkeys(str(one["linestyle"]) for one in model_styles(results))).index(
            str(style["linestyle"])
        )
        handles.append(
            axes.bar(
                at,
                high,
                width=each * 0.9,
                color=style["color"],
                hatch=_HATCHES[dash],
                edgecolor="white",
                linewidth=0,
                zorder=2,
            )
        )
        known = [(x, 100 * one.value, one.interval) for x, one in zip(at, found.values(), strict=True) if one.interval]
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


def _histogram(axes: Any, rows: Sequence[RowScore]) -> None:
    values = [100 * value for row in rows for value in row.chance]
    middle = mean(values)
    # Guesses score little: up to the next ten, or 100.
    top = min(100, 10 * (int(max(values) // 10) + 1))
    width = top / _BINS
    counts = [0] * _BINS
    for value in values:
        counts[min(_BINS - 1, int(value / width))] += 1
    shown = [100 * count / len(values) for count in counts]
    axes.bar([place * width for place in range(_BINS)], shown, width=width * 0.9, align="edge", color=COLOURS[0])
    axes.axvline(middle, color=COLOURS[1], linewidth=1, linestyle=(0, (4, 1.5)))
    axes.set_title(f"{titled(rows[0])}: mean {middle:.1f}")
    axes.set_xlim(0, top)
    axes.set_xticks([top * part / 5 for part in range(6)], [f"{top * part / 5:g}" for part in range(6)])
    axes.set_ylim(0, max(shown) * 1.08)
    axes.set_xlabel("score of a guess (0–100)")
    axes.set_ylabel("share of guesses (%)")


_FEWEST: Final = 3
_MOST: Final = 24
_PANELS: Final = 6


def radar(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """The mean part of every class, 0 in the middle and 100 at the rim; one figure a task, one panel a dataset."""
    found = [by((row for row in result.rows if row.classes), lambda row: row.dataset) for result in results]
    shared = [name for name in found[0] if all(name in one for one in found)]
    if not shared:
        raise NothingToDraw("no row says what its classes got (`classes`)")
    panels = {name: _classes([one[name] for one in found]) for name in shared}
    kept = {name: classes for name, classes in panels.items() if _FEWEST <= len(classes) <= _MOST}
    if not kept:
        raise NothingToDraw(f"no task has {_FEWEST} to {_MOST} classes that every result has")
    for task, datasets in by((one[name][0] for one in found[:1] for name in kept), lambda row: row.task).items():
        for number, few in pages([row.dataset for row in datasets], _PANELS):
            figure = _figure(results, [[one[name] for one in found] for name in few])
            yield Drawing(file_name("radar", task, number), figure)


def _figure(results: Sequence[Result], parts: Sequence[Sequence[Sequence[RowScore]]]) -> Any:
    columns = 1 if len(parts) == 1 else 2
    lines = -(-len(parts) // columns)
    width, labels = COLUMN if columns == 1 else PAGE, model_labels(results)
    figure = new_figure(figsize=(width, 2.9 * lines + legend_height(width, labels)), layout="constrained")
    handles: list[Any] = []
    for place, part in enumerate(parts, 1):
        axes = figure.add_subplot(lines, columns, place, projection="polar")
        handles = _radar(axes, part, results)
        axes.set_title(titled(part[0][0]), loc="center", pad=22)
    legend(figure, handles, labels)
    return figure


def _radar(axes: Any, parts: Sequence[Sequence[RowScore]], results: Sequence[Result]) -> list[Any]:
    names = _classes(parts)
    angles = [2 * math.pi * place / len(names) for place in range(len(names))]
    axes.set_theta_zero_location("N")
    axes.set_theta_direction(-1)
    handles = []
    for rows, style in zip(parts, model_styles(results), strict=True):
        values = [100 * mean(row.classes[name] for row in rows if name in row.classes) for name in names]
        handles += axes.plot(
            [*angles, angles[0]], [*values, values[0]], markersize=2.2, zorder=3, **{**style, "linewidth": 0.9}
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
