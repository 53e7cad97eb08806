"""What commands print: text made safe for a terminal, and the tables of `score`, `compare`, `verify` and `plan`.

Releases and reports are hostile input: every text passes through `visible`, and none is read as rich markup.
"""

import os
import re
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from carrara.text.display import count, size, visible

if TYPE_CHECKING:
    from carrara.making.forecast import BuildPlan, PlannedSource
    from carrara.making.mutants import MutantResult
    from carrara.making.reproduce import Reproduction
    from carrara.release.selection import BucketLength, ModelWindow, RowLength
    from carrara.release.verify import Verification
    from carrara.scoring import Report
    from carrara.scoring.compare import Comparison, Comparisons
    from carrara.scoring.judge.agreement import Agreement
    from carrara.sources import Pin, Whereabouts

MAX_CELL = 200
MAX_PROBLEMS = 50
# Of a sha256, as many digits as a person compares.
_SHORT_HASH = 16
_LISTED_FILES = 5
MAX_VALUES = 40
MAX_CONFIGS = 6
_PIPE_WIDTH = 200
_BUCKET = re.compile(r"([0-9]{1,4})([kM])")


def terminal() -> Console:
    """Standard output; wide where it is no terminal, so that an id in a file or a pipe stays on one line."""
    if sys.stdout.isatty() or "COLUMNS" in os.environ:
        return Console()
    # Without a height, a dumb terminal (TERM=dumb, as in many pipelines) has 80 columns whatever is asked for.
    return Console(width=_PIPE_WIDTH, height=50)


def cell(text: Any, style: str = "", limit: int = MAX_CELL) -> Text:
    """A cell of a table: one line, bounded, never markup."""
    return Text(visible(text, limit).replace("\n", "␊"), style=style, overflow="fold")


def score_screen(report: "Report", width: int, details: bool = False) -> RenderableType:
    """A report for a person: of what, one line of warnings, the table; `details`: everything else below it."""
    parts: list[RenderableType] = [Text(report.title, "bold")]
    if told := report.warnings():
        parts.append(Text(f"warning: {'; '.join(told)}", "yellow"))
    parts += [Text(), _dimmed(report.table(width=width)), Text()]
    if details:
        return Group(*parts, score_table(report.to_json()))
    more = "More with --details: by config, complexity and depth, and as the papers report."
    return Group(*parts, Text(f"Scores are 0 to 100 with 95 % intervals. {more}", "dim"))


def score_table(report: Mapping[str, Any]) -> RenderableType:
    """The details of a score report (`Report.to_json`): by task, config, complexity and depth, papers, judges, ids."""
    from carrara.scoring.result import Bounds

    parts: list[RenderableType] = []
    cells = [(name, value) for name, value in report["tasks"].items()]
    parts.append(_scores("task", [*cells, ("mean of the tasks", report["overall"])], last=True))
    parts.append(_scores("config", sorted(report["configs"].items(), key=_by_bucket)))
    for field in ("complexity", "depths"):
        key = "depth" if field == "depths" else field
        rows = [(f"{value['task']}  {value[key]}", value) for value in report[field]]
        if rows:
            parts.append(_scores(f"task and {key}", rows))
    for paper, summary in report["papers"].items():
        headed = (
            _values(paper, summary["values"]) if summary["values"] else Text(f"as {paper} reports: no value", "bold")
        )
        parts += [headed, *_without_value(summary["not_run"])]
        parts += [Text(visible(note), "dim") for note in summary["notes"]]
    parts.append(
        Text(
            "Scores are 0 to 100 with their 95 % interval; a missing response counts 0, not in 'answered'. Apart: how "
            "far another model must be to be told apart in four of five comparisons, if it fails on other questions; "
            "on the same ones less will do (carrara compare). n: questions, those about one document counted once.",
            "dim",
        )
    )
    for task, limits in report["cut"].get("tasks", {}).items():
        parts.append(Text(f"{visible(task, MAX_CELL)}, {limits['rows']:,} rows cut: {Bounds(**limits).told}", "dim"))
    parts += _not_run(report)
    for field, meaning in (
        ("missing", "rows without a response, counted 0"),
        ("unjudged", "rows whose response no judge judged, counted 0 (carrara judge)"),
        ("empty", "rows with an empty response"),
        ("cut", "rows cut at the output limit, scored as far as they go"),
        ("thinking", "rows still thinking at the end, so without an answer"),
        ("unknown", "ids of no row of this release"),
        ("duplicates", "ids given twice with the same response"),
    ):
        if number := report[field]["count"]:
            first = ", ".join(visible(key, MAX_CELL) for key in report[field]["first"])
            more = ", …" if number > len(report[field]["first"]) else ""
            parts.append(Text(f"{meaning}: {number:,} ({first}{more})", "yellow"))
    return Group(*parts)


def _dimmed(table: str) -> Text:
    """A table with its rules, its notes and what was not run dimmed."""
    text = Text(table, overflow="fold")
    text.highlight_regex(r"\bnot run\b|─+|(?m:^(\* |Mean of the tasks,|Cut at|tasks run).*$)", "dim")
    return text


def compare_screen(comparison: "Comparison | Comparisons", width: int, details: bool = False) -> RenderableType:
    """A comparison for a person: of what, warnings, the table; `details`: every value of it below."""
    from carrara.scoring.compare import Comparison

    pairs = [comparison] if isinstance(comparison, Comparison) else comparison.pairs
    parts: list[RenderableType] = [Text(comparison.title, "bold")]
    parts += [Text(f"warning: {told}", "yellow") for told in comparison.warnings()]
    parts += [Text(), _dimmed(comparison.table(width=width)), Text()]
    if details:
        return Group(*parts, *map(compare_table, pairs))
    more = "More with --details: both scores, by config and complexity, and as the papers report."
    return Group(*parts, Text(f"Differences are in points, question by question, with 95 % intervals. {more}", "dim"))


def compare_table(comparison: "Comparison") -> RenderableType:
    """The details of a comparison: every value of it, in both results."""
    first, second = (cell(name, limit=40) for name in (comparison.first, comparison.second))
    grid = _table(
        ("value", first.plain, second.plain, "difference", "95 %", "questions", "ahead"), right=(1, 2, 3, 4, 5, 6)
    )
    shown = comparison.differences
    for place, one in enumerate(shown):
        style = "" if not one.is_told_apart else "bold green" if one.difference > 0 else "bold red"
        grid.add_row(
            cell(one.name),
            _points(one.first),
            _points(one.second),
            Text(f"{100 * one.difference:+.1f}{'*' if one.is_told_apart else ' '}", style),
            _limits(one.interval, one.interval_reason, "+"),
            f"{one.questions:,}",
            f"{one.first_ahead:,} : {one.second_ahead:,}",
            end_section=place + 1 < len(shown) and shown[place + 1].part != one.part,
        )
    told = (
        "Second minus first in points, * where the 95 % interval leaves out 0 (of twenty equal values one does so by "
        "chance). Ahead: questions on which the first, the second scores more; on all others they are tied."
    )
    return Group(grid, Text(told, "dim"))


def rebase_table(rebase: Mapping[str, Any]) -> RenderableType:
    """The tables of a rebase (`Rebase.to_json`): averages before and now, how many rows changed, and which."""
    differs = {
        name: one
        for name, one in rebase["configs"].items()
        if any(number for kind, number in one["rows"].items() if kind != "same")
    }
    parts: list[RenderableType] = []
    tasks = [*rebase["tasks"].items(), ("mean of the tasks", rebase["overall"])]
    for what, cells in (("task", tasks), ("config", sorted(differs.items(), key=_by_bucket))):
        header = (what, rebase["old"].rpartition("@")[2], rebase["new"].rpartition("@")[2], *rebase["overall"]["rows"])
        grid = _table(tuple(visible(name, 40) for name in header), right=tuple(range(1, len(header))))
        for place, (name, one) in enumerate(cells):
            now = _points(one["low"])
            grid.add_row(
                cell(name),
                _points(one["old"]),
                Text(now if one["exact"] or one["low"] is None else f"{now}–{_points(one['high'])}", "bold"),
                *(Text(f"{number:,}", "" if number else "dim") for number in one["rows"].values()),
                end_section=what == "task" and place == len(cells) - 2,
            )
        if cells:
            parts.append(grid)
    if changed := rebase["changed"]:
        grid = _table(("changed row", "before", "now", "differs in"), right=(1, 2))
        for one in changed[:MAX_PROBLEMS]:
            now = _points(one["new"]) if one["kind"] != "open" else "0.0–100.0"
            grid.add_row(cell(one["id"]), _points(one["old"]), now, cell(", ".join(one["columns"])))
        parts.append(grid)
        if len(changed) > MAX_PROBLEMS:
            parts.append(Text(f"and {len(changed) - MAX_PROBLEMS:,} more (--json)", "dim"))
    told = (
        "Rows: same in both; kept: changed in nothing that a score rests on; rescored: the old response scored by the "
        "new row; open: changed so that the old score says nothing, or never scored. Where rows are open or added, the "
        "score lies between the two numbers: as if all of them scored 0, or 100."
    )
    same = len(rebase["configs"]) - len(differs)
    return Group(
        *parts, *([Text(f"configs in which no row differs: {same:,}", "dim")] if same else []), Text(told, "dim")
    )


def agreement_table(agreement: "Agreement") -> RenderableType:
    """The tables of a judge's agreement with people or another judge: kappas, then how often each said what."""
    from carrara.scoring.judge.agreement import PEOPLE

    grid = _table(
        ("grade", "kappa", "95 %", "observed", "expected", "decisions", "responses"), right=(1, 2, 3, 4, 5, 6)
    )
    counts: list[RenderableType] = []
    for name, one in agreement.compared.items():
        for which, kappa in ((name, one.kappa), (f"{name}, quadratic weights", one.weighted)):
            if kappa:
                value, limits = kappa.value, kappa.interval
                grid.add_row(
                    cell(which),
                    Text("undefined" if value is None else f"{value:.2f}", "yellow" if value is None else "bold"),
                    f"{limits[0]:.2f} to {limits[1]:.2f}" if limits else "–",
                    f"{kappa.observed:.2f}",
                    f"{kappa.expected:.2f}",
                    f"{kappa.n:,}",
                    f"{one.responses:,}",
                )
                if kappa.reason:
                    counts.append(Text(f"{visible(which)}: {visible(kappa.reason)}", "yellow"))
        grades = range(len(one.table))
        other = "people" if agreement.other == PEOPLE else "other"
        table = _table((f"{name}: {other}", *(f"judge {grade}" for grade in grades)), right=tuple(range(1, 5)))
        for grade in grades:
            table.add_row(str(grade), *(f"{number:,}" for number in one.table[grade]))
        counts.append(table)
    parts: list[RenderableType] = [Text(f"judge: {visible(agreement.judge, MAX_CELL)}")]
    if agreement.other != PEOPLE:
        parts.append(Text(f"other: {visible(agreement.other, MAX_CELL)}"))
    parts += [grid, *counts]
    if agreement.left_out:
        parts.append(Text(f"labels left out: {len(agreement.left_out):,}", "yellow"))
        parts += [Text(f"  {visible(one, MAX_CELL)}", "yellow") for one in agreement.left_out[:5]]
    return Group(*parts)


def verify_table(report: "Verification") -> RenderableType:
    """The tables of a verification: what was checked, then what is wrong."""
    checked = ", ".join(f"{number:,} {visible(what, MAX_CELL)}" for what, number in report.checked.items() if number)
    parts: list[RenderableType] = [Text(f"checked: {checked or 'nothing'}")]
    if report.root:
        parts.append(Text(f"release root: {report.root}", overflow="fold"))
    problems, reencoded = report.problems, report.reencoded
    if reencoded:
        parts.append(Text(f"re-encoded (other bytes, the same rows): {len(reencoded):,} of the files", "yellow"))
    if problems:
        grid = _table(("level", "where", "problem"))
        for problem in problems[:MAX_PROBLEMS]:
            where = " ".join(filter(None, (problem.row, problem.column)))
            grid.add_row(cell(problem.level), cell(where or problem.config), cell(problem.message, limit=1_000))
        parts.append(grid)
        if len(problems) > MAX_PROBLEMS:
            parts.append(Text(f"and {len(problems) - MAX_PROBLEMS:,} more", "dim"))
    number = f"{len(problems):,} problem{'s' if len(problems) != 1 else ''}"
    good = bool(checked) and not problems
    parts.append(Text("all is as the manifest says" if good else number, "bold green" if good else "bold red"))
    return Group(*parts)


def mutants_table(results: "Sequence[MutantResult]") -> RenderableType:
    """How many damages of each kind each proof noticed; those that none did, by name."""
    grid = _table(("damage", "made", "audit", "rows", "rebuild", "missed"))
    for kind in dict.fromkeys(sorted(result.kind for result in results)):
        proofs = Counter(result.proof for result in results if result.kind == kind)
        counts = [proofs.total(), *(proofs[proof] for proof in ("audit", "rows", "rebuild", ""))]
        grid.add_row(cell(kind), *(cell(f"{count:,}" if count else "") for count in counts))
    missed = [result for result in results if not result.proof]
    parts: list[RenderableType] = [grid]
    parts += [Text(visible(f"missed: {result.kind} in {result.where}", MAX_CELL)) for result in missed[:MAX_PROBLEMS]]
    said = f"{len(results) - len(missed):,} of {len(results):,} damages were noticed"
    parts.append(Text(said, "bold red" if missed or not results else "bold green"))
    return Group(*parts)


def reproduction_table(report: "Reproduction") -> RenderableType:
    """The content roots of every config that was built, then what they say of the release."""
    grid = _table(("config", "root expected", "root got"))
    differ = 0
    for name in sorted({*report.expected, *report.got}):
        expected, got = report.expected.get(name, "none"), report.got.get(name, "none")
        differ += expected != got
        told = cell("the same") if expected == got else cell(got[:_SHORT_HASH], "bold red")
        grid.add_row(cell(name), cell(expected[:_SHORT_HASH]), told)
    all_of = f"{len(report.expected):,} config{'s' if len(report.expected) != 1 else ''} of {report.release}"
    parts: list[RenderableType] = [grid]
    if report.is_good:
        parts.append(Text(f"{all_of} built again: the same rows", "bold green"))
    else:
        parts.append(Text(f"{all_of} built again: other rows in {differ:,}", "bold red"))
    # Hashes have a line of their own: 80 columns hold one, to be copied.
    if not report.got_root:
        parts.append(Text(f"release root of the whole; only a part was built:\n  {report.root}"))
    elif report.got_root == report.root:
        parts.append(Text(f"release root, expected and got:\n  {report.root}"))
    else:
        parts.append(Text(f"release root, expected:\n  {report.root}\nrelease root, got:\n  {report.got_root}"))
    if report.got_root and not report.files:
        parts.append(Text("manifest: the same, byte for byte"))
    elif report.files:
        listed = ", ".join(visible(path, MAX_CELL) for path in report.files[:_LISTED_FILES])
        more = f" and {len(report.files) - _LISTED_FILES:,} more" if len(report.files) > _LISTED_FILES else ""
        parts.append(Text(f"files with other bytes: {listed}{more}"))
    return Group(*parts)


def plan_table(planned: "BuildPlan") -> RenderableType:
    """What a build will make of every config, what that can tell, and the sums."""
    from carrara.scoring.intervals import questions_for

    rows = planned.configs
    header = ("config", "rows", "questions", "apart", "tokens", "size", "time")
    grid = _table(header, right=range(1, 7), footer=True)
    for row in rows:
        amounts = _amounts(row.tokens, row.bytes, row.seconds)
        grid.add_row(cell(row.config), f"{row.rows:,}", f"{row.questions:,}", _points(row.apart), *amounts)
    amounts = _amounts(planned.tokens, planned.bytes, planned.seconds)
    sums = (f"{planned.rows:,}", "", _points(planned.apart), *amounts)
    for column, text in zip(grid.columns, ("all", *sums), strict=True):
        column.footer = Text(text)
    around = duration(planned.around)
    told = (
        "Apart: by how many points two models must differ to be told apart in four of five comparisons, at worst (each "
        "right half the time, on questions of its own); in the last line of the mean of the tasks. "
        f"{questions_for(0.05):,} questions tell 5 points. "
        f"Times are estimates for a quiet machine. That of all includes {around} to begin, search and finish."
    )
    return Group(grid, Text(told, "dim"))


def selection_table(
    every: "Mapping[str, Sequence[RowLength]]", found: "Mapping[str, Sequence[RowLength]]", window: "ModelWindow"
) -> RenderableType:
    """Of every config its rows, those that fit a window, and of these the longest prompt and what it takes at most."""
    grid = _table(("config", "rows", "selected", "longest prompt", "of the window"), right=range(1, 5), footer=True)
    for config, own in sorted(every.items(), key=_by_bucket):
        kept = found[config]
        grid.add_row(cell(config), f"{len(own):,}", f"{len(kept):,}", *_longest(kept, window))
    whole = [row for kept in found.values() for row in kept]
    sums = (f"{sum(map(len, every.values())):,}", f"{len(whole):,}", *_longest(whole, window))
    for column, text in zip(grid.columns, ("all", *sums), strict=True):
        column.footer = Text(text)
    return grid


def _longest(rows: "Sequence[RowLength]", window: "ModelWindow") -> tuple[str, str]:
    if not rows:
        return "–", "–"
    return f"{max(row.tokens for row in rows):,}", f"{max(map(window.taken, rows)):,}"


def lengths_table(own: str, lengths: "Sequence[BucketLength]") -> RenderableType:
    """The longest and the median prompt of every bucket by each tokenizer, and how many times the release's own."""
    grid = _table(("bucket", "rows", "tokenizer", "longest", "times", "median", "times"), right=(1, 3, 4, 5, 6))
    for one in sorted(lengths, key=lambda one: (one.own_longest, one.bucket)):
        times = [
            f"{a / b:.3f}" if b else "–" for a, b in ((one.longest, one.own_longest), (one.median, one.own_median))
        ]
        sizes = (f"{one.longest:,}", times[0], f"{one.median:,}", times[1])
        grid.add_row(cell(one.bucket), f"{one.rows:,}", cell(one.tokenizer), *sizes)
    return Group(
        grid, Text(f"Tokens of prompts. Times: of what {visible(own)} counts, in which buckets are filled.", "dim")
    )


def source_line(source: "PlannedSource") -> Text:
    """A source of a plan: whether it can be had here, and where, or what to do."""
    style = "bold red" if source.state == "missing" else ""
    return Text.assemble(f"source {visible(source.source)}: ", (source.state, style), f": {visible(source.told)}")


def sources_table(listed: "Sequence[tuple[Pin, Whereabouts]]") -> RenderableType:
    """Sources with their language, licence, size, and whether they are here."""
    grid = _table(("source", "lang", "files", "size", "here", "licence"), right=(2, 3))
    for pin, where in listed:
        whole = sum(file.bytes or 0 for file in pin.files)
        state = {"folder": "yes", "hub": "on the Hub"}.get(where.state, "no")
        grid.add_row(cell(pin.name), pin.lang, str(len(pin.files)), size(whole), state, cell(pin.licence))
    return Group(grid, Text("Fetch one: carrara sources get NAME --sources FOLDER", "dim"))


def duration(seconds: float) -> str:
    """A time for a person: 0.3 s, 12 s, 3 min 05 s, 2 h 10 min."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3_600} h {whole % 3_600 // 60:02d} min"


def _by_bucket(entry: tuple[str, Any]) -> tuple[str, int, str]:
    """32k stands before 128k and 1M, which the order of letters does not know."""
    stem, _, bucket = entry[0].rpartition("_")
    found = _BUCKET.fullmatch(bucket)
    return (stem, int(found[1]) * (1 if found[2] == "k" else 1024), bucket) if found else (entry[0], 0, "")


def _scores(what: str, cells: Sequence[tuple[str, Mapping[str, Any]]], last: bool = False) -> Table:
    grid = _table((what, "score", "95 %", "apart", "answered", "rows", "missing"), right=(1, 2, 3, 4, 5, 6))
    for place, (name, value) in enumerate(cells):
        grid.add_row(
            cell(name),
            Text(_points(value["mean"]), "bold"),
            _limits(value["interval"], value["interval_reason"]),
            _points(value["apart"]),
            _points(value["mean_answered"]),
            f"{value['rows']:,}",
            Text(f"{value['missing']:,}", "yellow" if value["missing"] else "dim"),
            end_section=last and place == len(cells) - 2,
        )
    return grid


def _values(paper: str, values: Sequence[Mapping[str, Any]]) -> Table:
    grid = _table((f"as {paper} reports", "score", "95 %", "apart", "n"), right=(1, 2, 3, 4))
    headlines = [value for value in values if value["headline"]]
    for value in headlines[:MAX_VALUES]:
        grid.add_row(
            cell(value["name"]),
            Text(_points(value["value"]), "bold"),
            _limits(value["interval"], value["interval_reason"]),
            _points(value["apart"]),
            "–" if value["questions"] is None else f"{value['questions']:,}",
        )
    if len(headlines) > MAX_VALUES:
        grid.add_row(Text(f"and {len(headlines) - MAX_VALUES:,} more (--format json)", "dim"))
    return grid


def _without_value(not_run: Mapping[str, Sequence[str]]) -> list[RenderableType]:
    """The headlines of a paper that would average configs that were not run, by these."""
    needs: dict[str, list[str]] = {}
    for name, configs in not_run.items():
        more = f" and {len(configs) - MAX_CONFIGS:,} more" if len(configs) > MAX_CONFIGS else ""
        needs.setdefault(f"{', '.join(configs[:MAX_CONFIGS])}{more}", []).append(name)
    return [
        Text(visible(f"no value of {'; '.join(names)}: not run: {configs}", 1_000), "yellow")
        for configs, names in list(needs.items())[:MAX_VALUES]
    ]


def _not_run(report: Mapping[str, Any]) -> list[RenderableType]:
    """The configs that were not run, by bucket; of a bucket that was not run at all, how many."""
    missing = set(report["not_run"])
    buckets: dict[str, list[str]] = {}
    for one in report["release_configs"]:
        name = "_".join(filter(None, (one["task"], one["variant"], one["bucket"])))
        if name in missing:
            buckets.setdefault(one["bucket"], []).append(name)
    return [
        Text(
            f"not run at {visible(bucket)}: {len(names):,} configs"
            + (f" ({visible(', '.join(names), 5_000)})" if bucket in report["buckets"] else ", all"),
            "yellow",
        )
        for bucket, names in buckets.items()
    ]


def _limits(interval: Sequence[float] | None, reason: str, sign: str = "") -> str:
    if not interval:
        return reason
    # Of differences an en dash would stand beside a minus.
    join = " to " if sign or interval[0] < 0 else "–"
    return join.join(f"{100 * value:{sign}.1f}" for value in interval)


def _points(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _amounts(tokens: int, held: int, seconds: float) -> tuple[str, str, str]:
    return count(tokens), size(held), duration(seconds)


def _table(header: Sequence[str], right: Sequence[int] = (), footer: bool = False) -> Table:
    grid = Table(
        box=box.SIMPLE_HEAD,
        show_footer=footer,
        pad_edge=False,
        collapse_padding=True,
        header_style="dim",
        footer_style="bold",
    )
    for place, name in enumerate(header):
        flush = place in right
        grid.add_column(Text(name), justify="right" if flush else "left", no_wrap=flush, overflow="fold")
    return grid
