"""The table of a report, task by bucket, and of a comparison: as text, Markdown, LaTeX or CSV, ready to paste.

Scores are 0 to 100. What was not run says so, in every format; a value over a part of its rows has an asterisk, and the
line below the table says of which part. Names come from strangers and are escaped.
"""

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, product, zip_longest
from typing import Final, Literal, NamedTuple

from carrara.scoring.result import Average, Bounds, HeldConfig, Ids, RowScore, bucket_tokens
from carrara.text.display import visible
from carrara.text.markdown import escape

TableFormat = Literal["text", "md", "csv", "latex", "json"]
NOT_RUN: Final = "not run"
MEAN: Final = "mean of the tasks"
_NONE: Final = "–"
_NAMED: Final = 3
_MAX_NAME: Final = 60
_MAX_JUDGE: Final = 240
_LATEX: Final = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "*": r"$^{*}$",
    "–": "--",
    **{character: f"${character}$" for character in "<>"},
    "…": r"\dots{}",
}


_NUMBER: Final = re.compile(r"[+-]?[0-9]+\.[0-9]\*?")
_MINUS: Final = re.compile(r"(?<![\w.-])-(?=[0-9])")


class GridCell(NamedTuple):
    """A cell: a value, with its asterisk, or what stands for it, and the interval of the value or nothing."""

    value: str
    interval: str = ""


class GridLine(NamedTuple):
    """A line of a table: its name, its cells, and whether a rule stands above it."""

    name: str
    cells: tuple[GridCell, ...]
    is_below_rule: bool = False


@dataclass(frozen=True, slots=True)
class Grid:
    """A table to be written: what it and each line is of, its columns, lines, and what is to be known of its values."""

    title: str
    columns: tuple[str, ...]
    lines: tuple[GridLine, ...]
    notes: tuple[str, ...] = ()
    what: str = "task"

    def written(self, format: TableFormat, width: int | None = None) -> str:
        """In a format that is to be read by people; text and its notes fit `width` columns where they can."""
        if format == "text":
            return "\n".join([self.text(width), *self.notes])
        return self.latex() if format == "latex" else self.markdown()

    def text(self, width: int | None = None) -> str:
        """As text; in less than its width the intervals stand below the values."""
        wide = self._text(False)
        return wide if width is None or max(map(len, wide.splitlines())) <= width else self._text(True)

    def _text(self, is_narrow: bool) -> str:
        columns = [_column([line.cells[place] for line in self.lines], is_narrow) for place in range(len(self.columns))]
        widths = [max(map(len, (name, *chain(*cells)))) for name, cells in zip(self.columns, columns, strict=True)]
        widths.insert(0, max(len(name) for name in (self.what, *(line.name for line in self.lines))))
        rule = "─" * (sum(widths) + 2 * len(columns))
        told = [_padded([self.what, *self.columns], widths), rule]
        for number, line in enumerate(self.lines):
            told += [rule] * line.is_below_rule
            parts = [[line.name], *(cells[number] for cells in columns)]
            told += [_padded(row, widths) for row in zip_longest(*parts, fillvalue="")]
        return "\n".join(told)

    def markdown(self) -> str:
        """As a table of Markdown, values flush right."""
        lines = [[self.what, *self.columns], ["---", *("---:" for _ in self.columns)]]
        for line in self.lines:
            cells = [f"{cell.value} ({cell.interval})" if cell.interval else cell.value for cell in line.cells]
            lines.append([line.name, *cells])
        escaped = [line if number == 1 else [escape(cell) for cell in line] for number, line in enumerate(lines)]
        notes = [f"\n{escape(note)}" for note in self.notes]
        return "\n".join([*(f"| {' | '.join(line)} |" for line in escaped), *notes])

    def latex(self) -> str:
        """As a table of LaTeX, for the package booktabs."""
        wide = len(self.columns) + 1
        told = [f"% {_latex(self.title)}", rf"\begin{{tabular}}{{l{'r' * len(self.columns)}}}", r"\toprule"]
        told += [" & ".join([self.what, *map(_latex, self.columns)]) + r" \\", r"\midrule"]
        for line in self.lines:
            told += [r"\midrule"] * line.is_below_rule
            cells = [
                _latex(cell.value) + (rf" {{\footnotesize ({_latex(cell.interval)})}}" if cell.interval else "")
                for cell in line.cells
            ]
            told.append(" & ".join([_latex(line.name), *cells]) + r" \\")
        told.append(r"\bottomrule")
        told += [rf"\multicolumn{{{wide}}}{{l}}{{\footnotesize {_latex(note)}}} \\" for note in self.notes]
        return "\n".join([*told, r"\end{tabular}"])


def comma_separated(lines: Sequence[Mapping[str, str | int | float | None]]) -> str:
    """Records as CSV, under the names of the first one; nothing for None."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(lines[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(lines)
    return stream.getvalue().rstrip("\n")


class Coverage:
    """What a release holds and how much of it was run, task by bucket; shown are those of the chosen configs."""

    def __init__(
        self,
        held: Iterable[HeldConfig],
        cells: Mapping[tuple[str, str], Average],
        chosen: Iterable[str] = (),
        selected: Mapping[str, int] | None = None,
    ) -> None:
        """`cells` are the averages by task and bucket; without `chosen` all configs are. `selected`: how many rows of
        each config were selected by their ids, if rows were.
        """
        configs = list(held)
        self._run = cells
        self._selected = selected or {}
        self._chosen = set(chosen) or {one.config for one in configs}
        shown = [one for one in configs if one.config in self._chosen]
        self.tasks = tuple(dict.fromkeys(one.task for one in shown))
        self.buckets = tuple(sorted({one.bucket for one in shown}, key=lambda name: (bucket_tokens(name), name)))
        self._held: dict[tuple[str, str], list[HeldConfig]] = {}
        for one in configs:
            self._held.setdefault((one.task, one.bucket), []).append(one)

    def grid(self, title: str, buckets: Mapping[str, Average], overall: Average) -> Grid:
        """The table: every task by every bucket, and the means of the tasks in each bucket."""
        lines = [
            GridLine(one_line(task), tuple(self._cell(task, bucket) for bucket in self.buckets)) for task in self.tasks
        ]
        partial = {bucket for task, bucket in self._run if self._is_partial(task, bucket)}
        means = tuple(_average(buckets.get(bucket), bucket in partial) for bucket in self.buckets)
        shares = tuple(GridCell(self._share(bucket)) for bucket in self.buckets)
        notes = [f"* Over a part of the rows: {told}." for told in (self._partial(),) if told]
        notes += [f"Selected rows only: {told}." for told in (self._selection(),) if told]
        if len(buckets) > 1:
            mean = _average(overall, bool(partial))
            limits = f" ({mean.interval})" if mean.interval else ""
            run = [one_line(bucket) for bucket in self.buckets if bucket in buckets]
            notes.append(f"Mean of the tasks, each over its rows at {', '.join(run)}: {mean.value}{limits}.")
        means_below = (GridLine(MEAN, means, True), GridLine("tasks run", shares))
        return Grid(title, tuple(map(one_line, self.buckets)), (*lines, *means_below), tuple(notes))

    def records(
        self, cut: Mapping[tuple[str, str], Bounds], rows_run: Iterable[RowScore]
    ) -> list[dict[str, str | int | float | None]]:
        """The cells: task, bucket, rows that were run, score, interval, rows of the release, what was cut, judges."""
        judges = _judges(rows_run)
        found: list[dict[str, str | int | float | None]] = []
        for task, bucket in product(self.tasks, self.buckets):
            if (task, bucket) in self._held:
                average = self._run.get((task, bucket))
                limits = (average.interval if average else None) or (None, None)
                score, low, high = (points(value) for value in (average.mean if average else None, *limits))
                rows, of = average.rows if average else 0, self._rows_of(task, bucket)
                found.append(
                    {
                        "task": one_line(task),
                        "bucket": one_line(bucket),
                        "rows": rows,
                        "score": score,
                        "low": low,
                        "high": high,
                        "of": of,
                        "judge": judges.get((task, bucket), ""),
                        "cut": bounded.rows if (bounded := cut.get((task, bucket))) else 0,
                        "cut_wrong": points(bounded.wrong) if bounded else None,
                        "cut_left_out": points(bounded.left_out) if bounded else None,
                    }
                )
        return found

    def not_run(self) -> str:
        """Which of the buckets shown were not run at all, and which tasks in the others; "" for none."""
        cells = {key for key, own in self._held.items() if any(one.config in self._chosen for one in own)}
        run = {bucket for _, bucket in self._run}
        told = [", ".join(one_line(bucket) for bucket in self.buckets if bucket not in run)]
        for bucket in self.buckets:
            tasks = [task for task in self.tasks if (task, bucket) in cells - self._run.keys()]
            if tasks and bucket in run:
                more = f" and {len(tasks) - _NAMED:,} more" if len(tasks) > _NAMED else ""
                told.append(f"{', '.join(map(one_line, tasks[:_NAMED]))}{more} at {one_line(bucket)}")
        return "; ".join(filter(None, told))

    def _rows_of(self, task: str, bucket: str) -> int:
        return sum(one.rows for one in self._held.get((task, bucket), ()))

    def _is_partial(self, task: str, bucket: str) -> bool:
        average = self._run.get((task, bucket))
        return average is not None and average.rows < self._rows_of(task, bucket)

    def _cell(self, task: str, bucket: str) -> GridCell:
        if (task, bucket) not in self._held:
            return GridCell(_NONE)
        return _average(self._run.get((task, bucket)), self._is_partial(task, bucket))

    def _share(self, bucket: str) -> str:
        """How many of the release's tasks in a bucket were run."""
        tasks = [task for task, held in self._held if held == bucket]
        return f"{sum((task, bucket) in self._run for task in tasks):,} of {len(tasks):,}"

    def _selection(self) -> str:
        """How many rows of each config were selected by their ids; "" where none were."""
        rows = {one.config: one.rows for own in self._held.values() for one in own}
        some = {name: few for name, few in self._selected.items() if few < rows[name]}
        whole, none = len(self._selected) - len(some), len(rows) - len(self._selected)
        told = [f"{one_line(name)} {few:,} of {rows[name]:,}" for name, few in some.items()]
        told += [f"all of {whole:,} config{'s' * (whole != 1)}"] * bool(whole)
        told += [f"none of {none:,} other{'s' * (none != 1)}"] * bool(none)
        return ", ".join(told) if self._selected else ""

    def _partial(self) -> str:
        """Of which cells a part was run, and how much of it; "" where all were run whole."""
        cells = [key for key in self._run if self._is_partial(*key)]
        run, of = [self._run[key].rows for key in cells], [self._rows_of(*key) for key in cells]
        if len(cells) > _NAMED:
            return f"{sum(run):,} of {sum(of):,} rows, in {len(cells):,} cells"
        each = zip(cells, run, of, strict=True)
        return ", ".join(
            f"{one_line(task)} {one_line(bucket)} {few:,} of {whole:,}" for (task, bucket), few, whole in each
        )


def judge_notes(rows: Iterable[RowScore]) -> list[str]:
    """The judges on whom scores rest, each with its tasks: models, the lexical judge, ROUGE-L in a model's place."""
    tasks: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.judge:
            tasks.setdefault(row.judge, {})[one_line(row.task)] = None
    return [f"Judged by {one_line(judge, _MAX_JUDGE)}: {', '.join(own)}." for judge, own in sorted(tasks.items())]


def _judges(rows: Iterable[RowScore]) -> dict[tuple[str, str], str]:
    """The judges of the scores of every task and bucket; "" for none."""
    judges: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        judges.setdefault((row.task, row.bucket), set()).add(row.judge)
    return {cell: one_line("; ".join(sorted(names - {""})), 2 * _MAX_JUDGE) for cell, names in judges.items()}


def listed_ids(ids: Ids) -> str:
    """The first three ids."""
    return ", ".join(one_line(key, 100) for key in ids.first[:_NAMED]) + (", …" if ids.count > _NAMED else "")


def _average(average: Average | None, is_partial: bool) -> GridCell:
    if average is None:
        return GridCell(NOT_RUN)
    limits = "–".join(f"{100 * limit:.1f}" for limit in average.interval or ()) or average.interval_reason
    return GridCell(f"{100 * average.mean:.1f}{'*' * is_partial}", limits)


def _column(cells: Sequence[GridCell], is_narrow: bool) -> list[list[str]]:
    """The lines of every cell of a column: values flush right before their intervals, or above them."""
    if is_narrow:
        return [[cell.value, *cell.interval.split(", ")] if cell.interval else [cell.value] for cell in cells]
    numbers = [cell.value for cell in cells if _NUMBER.fullmatch(cell.value)]
    most = max((len(value.rstrip("*")) for value in numbers), default=0)
    stars = max((value.count("*") for value in numbers), default=0)
    told = []
    for cell in cells:
        bare = cell.value.rstrip("*")
        if _NUMBER.fullmatch(cell.value):
            mark = cell.value[len(bare) :]
            told.append([f"{bare:>{most}}{mark:<{stars}}  {cell.interval}".rstrip()])
        else:
            told.append([cell.value])
    return told


def _padded(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)).rstrip()


def points(share: float | None) -> float | None:
    """A share in points with two decimals: 0.73333 -> 73.33."""
    return None if share is None else round(100 * share, 2)


def one_line(text: str, limit: int = _MAX_NAME) -> str:
    """A stranger's text on one line, bounded, without control characters."""
    return visible(text, limit).replace("\n", "␊")


def _latex(text: str) -> str:
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return _MINUS.sub("$-$", escaped)
