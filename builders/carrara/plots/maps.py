"""Figures of coloured cells: depth x length maps, the table of categories by length, rank correlations of datasets.

Cells have a fixed size in inches, so that numbers in them can be read whatever the number of cells.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from carrara.errors import library
from carrara.plots.style import (
    COLUMN,
    GREY,
    MIN_DEPTHS,
    PAGE,
    PALE,
    Drawing,
    NothingToDraw,
    Options,
    file_name,
    label,
    model_labels,
    new_figure,
    pages,
    task_name,
    titled,
    tokens_label,
)
from carrara.scoring.intervals import Estimate, estimates
from carrara.scoring.papers.helmet import counting
from carrara.scoring.papers.needlebench import WEIGHTS
from carrara.scoring.papers.weights import AverageLevel, by, by_bucket, depth_bins, shares, weighted
from carrara.scoring.result import Result, RowScore, bucket_tokens, mean

# How a title calls the tasks of NeedleBench's mean.
_PARTS: Final = {"single_needle": "single", "multi_needle": "multi", "needle_reasoning": "reasoning"}
_SCORES: Final = "cividis"
_CORRELATIONS: Final = "PuOr"
_NAMES: Final = 40
_MODELS: Final = 3
_ACROSS: Final = 26
_GAP: Final = 0.16
# The width of a character of a row's name, and of a block's.
_CHARACTER: Final = 0.05
_TITLE_CHARACTER: Final = 0.062
# A cell narrower than this has no room for a number.
_NUMBERED: Final = 0.195


@dataclass(frozen=True, slots=True)
class Block:
    """A panel of cells: values by (column, row), None where there is none, with the text of each."""

    title: str
    columns: Sequence[str]
    values: Mapping[tuple[int, int], float]
    texts: Mapping[tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class Sheet:
    """How blocks are laid out: the names of their rows, the size of a cell in inches, the range of the colours."""

    rows: Sequence[str]
    width: float
    height: float
    colours: str
    low: float
    high: float
    bar: str
    title: str
    across: str = ""
    down: str = ""
    is_upright: bool = False
    size: float = 5.0


def depth_map(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """The score at every depth and length, one figure a dataset and model, one panel a bucket."""
    drawn = False
    for result, name in zip(results, model_labels(results), strict=True):
        for dataset, rows in by(result.rows, lambda row: row.dataset).items():
            depths = depth_bins(rows)
            if len(set(depths.values())) >= MIN_DEPTHS:
                drawn = True
                kept = [row for row in rows if row.id in depths]
                yield Drawing(
                    file_name("depth_map", dataset, result.model),
                    _depth_map(kept, depths, f"{titled(rows[0])}: {name}"),
                )
        needles = [row for row in result.rows if row.task in WEIGHTS]
        depths = depth_bins(needles)
        if len({row.task for row in needles}) == len(WEIGHTS) and len(set(depths.values())) >= MIN_DEPTHS:
            kept = [row for row in needles if row.id in depths]
            parts = ", ".join(f"{weight} {_PARTS[task]}" for task, weight in WEIGHTS.items())
            title = f"NeedleBench ({parts}): {name}"
            yield Drawing(file_name("depth_map", "needlebench", result.model), _depth_map(kept, depths, title, WEIGHTS))
    if not drawn:
        raise NothingToDraw("no task has evidence at three depths or more, in tenths")


def categories(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """The table of categories (tasks) by length: scores with half their interval, one block a model."""
    rows = [_counting(result.rows) for result in results]
    tasks = sorted(set.intersection(*({row.task for row in part} for part in rows)))
    if len(tasks) < 2:
        raise NothingToDraw("a table of categories wants two tasks or more that every result has")
    buckets = sorted({row.bucket for part in rows for row in part}, key=bucket_tokens)
    names = [task_name(task, 26) for task in tasks]
    across = min(_MODELS, len(results)) * len(buckets)
    # As wide as the longest name of a model wants, within the page.
    wanted = max(0.46, _TITLE_CHARACTER * max(map(len, model_labels(results))) / len(buckets))
    width = min(wanted, (PAGE - _left(names) - 0.7 - _GAP * (_MODELS - 1)) / across)
    sheet = Sheet(
        rows=[*names, f"mean of {len(tasks)}"],
        width=width,
        height=0.27,
        colours=_SCORES,
        low=0,
        high=100,
        bar="score (0–100)",
        title="score ± half its 95 % interval",
        across="length (tokens)",
        size=5.6,
    )
    models = model_labels(results, max(10, int((width * len(buckets) + _GAP) / _TITLE_CHARACTER)))
    # As many lines of models as a page is high.
    lines = max(1, int(8.8 / (0.27 * len(sheet.rows) + 0.5)))
    for number, few in pages(list(zip(models, rows, strict=True)), _MODELS * lines):
        blocks = [_category_block(name, part, tasks, buckets) for name, part in few]
        yield Drawing(file_name("categories", number), _sheet(blocks, sheet, _MODELS * len(buckets)))


def spearman(results: Sequence[Result], options: Options) -> Iterator[Drawing]:
    """How alike datasets and categories rank the models: Spearman's correlation, ties at their mean rank."""
    if len(results) < 3:
        raise NothingToDraw(f"rank correlations want three models or more, got {len(results)}")
    scores = _ranked(results)
    if len(scores) < 2:
        raise NothingToDraw("rank correlations want two datasets or more that every result has")
    names = list(scores)
    values: dict[tuple[int, int], float] = {}
    for row, name in enumerate(names):
        for column, other in enumerate(names[: row + 1]):
            if (correlated := correlation(scores[name], scores[other])) is not None:
                values[column, row] = correlated
    texts = {cell: f"{value:.1f}".replace("-", "−") for cell, value in values.items()}
    width = min(0.26, (PAGE - _left(names) - 0.7) / len(names))
    sheet = Sheet(
        rows=names,
        width=width,
        height=width,
        colours=_CORRELATIONS,
        low=-1,
        high=1,
        bar="Spearman correlation",
        title=f"ranks of {len(results)} models",
        is_upright=True,
        size=min(5.0, 22 * width),
    )
    yield Drawing(file_name("spearman"), _sheet([Block("", names, values, texts)], sheet, len(names)))


def correlation(first: Sequence[float], second: Sequence[float]) -> float | None:
    """Spearman's rank correlation; None where all values of one are equal, and there is no rank."""
    of_first, of_second = _ranks(first), _ranks(second)
    middle = mean(of_first)
    spread = [sum((rank - middle) ** 2 for rank in ranks) for ranks in (of_first, of_second)]
    if not all(spread):
        return None
    product = sum((a - middle) * (b - middle) for a, b in zip(of_first, of_second, strict=True))
    return float(max(-1.0, min(1.0, product / (spread[0] * spread[1]) ** 0.5)))


def _depth_map(
    rows: Sequence[RowScore], depths: Mapping[str, float], title: str, weights: Mapping[str, float] | None = None
) -> Any:
    """Cells of depth and length; the last line is their mean over depths. `weights`: of tasks, if there are several."""
    parts = by_bucket(rows)
    if all(len({row.length for row in part}) == 1 for part in parts.values()):
        # Full rows: a column a bucket.
        parts = {"": list(rows)}
    steps = 20 if any(round(20 * depth) % 2 for depth in depths.values()) else 10
    # All of them, so that the maps of two tasks can be laid side by side.
    levels = [level / steps for level in range(steps + 1)]
    blocks = [_depth_block(bucket, part, depths, levels, weights) for bucket, part in parts.items()]
    columns = [len(block.columns) for block in blocks]
    lines = _lines(blocks, _ACROSS)
    widest = max(sum(len(block.columns) for block in line) for line in lines)
    gaps = _GAP * (max(map(len, lines)) - 1)
    sheet = Sheet(
        rows=[*(f"{100 * level:g}" for level in levels), "mean"],
        width=min(0.27 if max(columns) > 1 else 0.4, (PAGE - 1.25 - gaps) / widest),
        height=0.17,
        colours=_SCORES,
        low=0,
        high=100,
        bar="score (0–100)",
        title=title,
        across="length (tokens)",
        down="depth of the evidence (%)",
    )
    return _sheet(blocks, sheet, _ACROSS)


def _depth_block(
    bucket: str,
    rows: Sequence[RowScore],
    depths: Mapping[str, float],
    levels: Sequence[float],
    weights: Mapping[str, float] | None,
) -> Block:
    lengths = sorted({row.length for row in rows})
    cells = by(rows, lambda row: (lengths.index(row.length), levels.index(depths[row.id])))
    above = [AverageLevel(lambda row: row.task, weights), AverageLevel(lambda row: row.variant)] if weights else []
    # A mean over tasks wants all of them.
    values = {
        cell: 100 * weighted(shares(own, *above))
        for cell, own in cells.items()
        if not weights or {row.task for row in own} == weights.keys()
    }
    for column in dict.fromkeys(column for column, _ in values):
        values[column, len(levels)] = mean(value for (across, _), value in values.items() if across == column)
    title = f"{bucket} bucket" if bucket else ""
    return Block(title, [tokens_label(length) for length in lengths], values, _whole(values))


def _category_block(name: str, rows: Sequence[RowScore], tasks: Sequence[str], buckets: Sequence[str]) -> Block:
    dataset, category = AverageLevel(lambda row: row.variant), AverageLevel(lambda row: row.task)
    kept = [row for row in rows if row.task in tasks]
    units = {}
    for (bucket, task), own in by(kept, lambda row: (row.bucket, row.task)).items():
        units[buckets.index(bucket), tasks.index(task)] = shares(own, dataset)
    for bucket, own in by_bucket(kept).items():
        if len({row.task for row in own}) == len(tasks):
            units[buckets.index(bucket), len(tasks)] = shares(own, category, dataset)
    cells = estimates(kept, units)
    values = {cell: 100 * score.value for cell, score in cells.items()}
    texts = {cell: f"{values[cell]:.1f}{_half_interval(score)}" for cell, score in cells.items()}
    return Block(name, buckets, values, texts)


def _half_interval(score: Estimate) -> str:
    """Half the 95 % interval, on a line of its own; "" where too few questions have none."""
    return f"\n±{50 * (score.interval[1] - score.interval[0]):.1f}" if score.interval else ""


def _counting(rows: Sequence[RowScore]) -> list[RowScore]:
    """The rows that count in a category's mean; all of a task of which none do, as one of people's own datasets."""
    kept = counting(rows)
    tasks = {row.task for row in kept}
    return [*kept, *(row for row in rows if row.task not in tasks)]


def _ranked(results: Sequence[Result]) -> dict[str, list[float]]:
    """The mean of every category, then of every dataset, that all results have, in the order of the results."""
    by_task = [by(_counting(result.rows), lambda row: row.task) for result in results]
    datasets = [by(result.rows, lambda row: row.dataset) for result in results]
    several = {task for task, rows in by_task[0].items() if len({row.dataset for row in rows}) > 1}
    of_tasks: dict[str, list[float]] = {}
    for task in several & set.intersection(*map(set, by_task)):
        of_tasks[task_name(task, 36)] = [
            weighted(shares(rows[task], AverageLevel(lambda row: row.variant))) for rows in by_task
        ]
    categories = dict(sorted(of_tasks.items()))
    of_datasets = {}
    for dataset in sorted(set.intersection(*map(set, datasets))):
        row = datasets[0][dataset][0]
        # The rows of a task with one variant here are the task.
        name = label(titled(row) if row.task in several else task_name(row.task), 36)
        of_datasets[name] = [weighted(shares(rows[dataset])) for rows in datasets]
    whole = categories | of_datasets
    # Many datasets do not fit a page: their categories do.
    return whole if len(whole) <= _NAMES else categories or dict(list(of_datasets.items())[:_NAMES])


def _ranks(values: Sequence[float]) -> list[float]:
    return [
        sum(other < value for other in values) + (sum(other == value for other in values) + 1) / 2 for value in values
    ]


def _left(names: Sequence[str]) -> float:
    """The inches that the names of rows take."""
    return 0.1 + _CHARACTER * max(map(len, names))


def _whole(values: Mapping[tuple[int, int], float]) -> dict[tuple[int, int], str]:
    return {cell: f"{value:.0f}" for cell, value in values.items()}


def _lines(blocks: Sequence[Block], across: int) -> list[list[Block]]:
    lines: list[list[Block]] = [[]]
    for block in blocks:
        if lines[-1] and sum(len(beside.columns) for beside in lines[-1]) + len(block.columns) > across:
            lines.append([])
        lines[-1].append(block)
    return lines


def _sheet(blocks: Sequence[Block], sheet: Sheet, across: int) -> Any:
    """Blocks side by side, in lines of at most `across` columns, with one bar of colours at the right."""
    lines = _lines(blocks, across)
    left = _left(sheet.rows) + (0.2 if sheet.down else 0.0)
    names = max(len(name) for block in blocks for name in block.columns)
    size = max(4.5, min(6.0, 30 * sheet.width))
    below = (_CHARACTER * names * size / 6 if sheet.is_upright else 0.1) + 0.12 + (0.18 if sheet.across else 0.0)
    above = 0.22 if any(block.title for block in blocks) else 0.06
    widest = max(sum(len(block.columns) for block in line) * sheet.width + _GAP * (len(line) - 1) for line in lines)
    tall = sheet.height * len(sheet.rows)
    width = max(left + widest + 0.7, COLUMN if left + widest + 0.7 < COLUMN else 0.0)
    height = 0.24 + len(lines) * (above + tall + below)
    figure = new_figure(figsize=(width, height))
    figure.text(0.1 / width, 1 - 0.07 / height, sheet.title, ha="left", va="top", fontsize=7.5)
    top = height - 0.24
    image: Any = None
    for line in lines:
        start, bottom = left, top - above - tall
        for number, block in enumerate(line):
            across_here = len(block.columns) * sheet.width
            axes = figure.add_axes((start / width, bottom / height, across_here / width, tall / height))
            image = _draw(axes, block, sheet, size, is_first=number == 0)
            start += across_here + _GAP
        top = bottom - below
    first = height - 0.24 - above
    bar = figure.add_axes(
        ((left + widest + 0.1) / width, (first - min(tall, 1.9)) / height, 0.09 / width, min(tall, 1.9) / height)
    )
    drawn = figure.colorbar(image, cax=bar)
    drawn.set_ticks([sheet.low + part * (sheet.high - sheet.low) / 4 for part in range(5)])
    drawn.set_label(sheet.bar, labelpad=2)
    drawn.outline.set_linewidth(0.4)
    drawn.ax.tick_params(length=2, labelsize=6)
    return figure


def _draw(axes: Any, block: Block, sheet: Sheet, size: float, *, is_first: bool) -> Any:
    import numpy as np

    cells = np.full((len(sheet.rows), len(block.columns)), np.nan)
    for (column, row), value in block.values.items():
        cells[row, column] = value
    axes.set_facecolor("white")
    image = axes.imshow(cells, cmap=sheet.colours, vmin=sheet.low, vmax=sheet.high, aspect="auto")
    for row, column in zip(*np.nonzero(np.isnan(cells)), strict=True):
        if not sheet.is_upright:
            box = {"fill": False, "hatch": "////", "edgecolor": PALE, "linewidth": 0}
            axes.add_patch(_rectangle(column - 0.5, row - 0.5, box))
    if sheet.width >= _NUMBERED:
        for (column, row), text in block.texts.items():
            shade = image.cmap(image.norm(block.values[column, row]))
            dark = 0.299 * shade[0] + 0.587 * shade[1] + 0.114 * shade[2] < 0.5
            axes.text(
                column,
                row,
                text,
                ha="center",
                va="center",
                fontsize=sheet.size,
                color="white" if dark else "black",
                linespacing=1.1,
            )
    turn = {"rotation": 90} if sheet.is_upright else {}
    axes.set_xticks(range(len(block.columns)), block.columns, fontsize=size, **turn)
    axes.set_yticks(range(len(sheet.rows)), sheet.rows if is_first else [""] * len(sheet.rows), fontsize=size)
    axes.tick_params(length=0, pad=2)
    for side in axes.spines.values():
        side.set_visible(False)
    if block.title:
        axes.set_title(block.title, fontsize=7, color=GREY, pad=3)
    if sheet.across:
        axes.set_xlabel(sheet.across)
    if sheet.down and is_first:
        axes.set_ylabel(sheet.down)
    return image


def _rectangle(left: float, top: float, look: Mapping[str, object]) -> Any:
    return library("matplotlib.patches", "plot").Rectangle((left, top), 1, 1, **look)
