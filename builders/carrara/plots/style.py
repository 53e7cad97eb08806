"""How figures of results look: widths of columns, colours for colour-blind readers, names, axes, legends, files.

The same results give the same bytes under one matplotlib: no date, no version, no name made by chance in the file, the
user's style ignored. Letters of an SVG are outlines, so that it looks the same where DejaVu Sans is missing; a PDF
carries the font. matplotlib is imported inside functions only: it takes half a second.
"""

import io
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final, Literal, TypedDict, TypeVar

from carrara.errors import library
from carrara.scoring.papers.weights import field_value
from carrara.scoring.result import Result, RowScore

# Inches: one column of a two-column paper, and its whole text width.
COLUMN: Final = 3.35
PAGE: Final = 7.0
DPI: Final = 300
MAX_MODELS: Final = 24
MAX_LABEL: Final = 28
PANELS: Final = 12
# A map or a curve over fewer depths would show nothing of them.
MIN_DEPTHS: Final = 3
_ACROSS: Final = 3
GREY: Final = "#555555"
PALE: Final = "#d9d9d9"
# Okabe and Ito, without the yellow, which is too pale for a line.
COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C6D31")
MARKERS: Final = ("o", "s", "^", "D", "v", "P", "X", "*")
DASHES: Final = ("-", (0, (4, 1.5)), (0, (1, 1.2)))
STYLE: Final[dict[str, object]] = {
    "font.family": "DejaVu Sans",
    "font.size": 7,
    "axes.titlesize": 7.5,
    "axes.labelsize": 7,
    "xtick.labelsize": 6.5,
    "ytick.labelsize": 6.5,
    "legend.fontsize": 6.5,
    "text.parse_math": False,
    "text.usetex": False,
    "axes.unicode_minus": True,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "axes.titlepad": 4,
    "axes.labelpad": 2.5,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.1,
    "lines.markersize": 3.2,
    "hatch.linewidth": 0.4,
    # The first line of panels has a title right at the edge otherwise.
    "figure.constrained_layout.h_pad": 0.06,
    "savefig.bbox": None,
    "savefig.dpi": DPI,
    "svg.fonttype": "path",
    # Type 3, matplotlib's own choice, is refused by the printers of many conferences.
    "pdf.fonttype": 42,
    "svg.hashsalt": "carrara",
}

# What the papers call tasks and their data; other names are written in words.
TASK_NAMES: Final = {
    "latent_list": "Latent List",
    "mrcr": "MRCR",
    "idk": "IDK",
    "single_needle": "Single-Needle Retrieval",
    "multi_needle": "Multi-Needle Retrieval",
    "needle_reasoning": "Multi-Needle Reasoning",
    "ancestral_trace": "Ancestral Trace Challenge",
    "numeric_sorting": "Numeric Sorting",
    "sentence_arrangement": "Sentence Arrangement",
    "entity_grouping": "Entity Grouping",
    "rag": "RAG",
    "reranking": "Re-rank",
    "citations": "Cite",
    "long_document_qa": "LongQA",
    "summarization": "Summ",
    "in_context_learning": "ICL",
    "synthetic_recall": "Recall",
}
VARIANT_NAMES: Final = {
    **{f"{needles}needle": f"{needles} needle{'s' if needles > 1 else ''}" for needles in (1, 2, 4, 8)},
    "en": "EN",
    "zh": "ZH",
    "nq": "NQ",
    "triviaqa": "TriviaQA",
    "popqa": "PopQA",
    "hotpotqa": "HotpotQA",
    "msmarco": "MS MARCO",
    "asqa": "ALCE ASQA",
    "qampari": "ALCE QAMPARI",
    "narrativeqa": "NarrativeQA",
    "infbench_qa": "InfiniteBench QA",
    "infbench_choice": "InfiniteBench MC",
    "infbench_sum": "InfiniteBench Sum",
    "multilexsum": "Multi-LexSum",
    "qmsum": "QMSum",
    "squality": "SQuALITY",
    "trec_coarse": "TREC Coarse",
    "trec_fine": "TREC Fine",
    "banking77": "BANKING77",
    "clinc150": "CLINC150",
    "nlu": "NLU",
    "json_kv": "JSON KV",
    **{f"niah_single_{number}": f"S-NIAH {number}" for number in (1, 2, 3)},
    **{f"niah_multikey_{number}": f"MK-NIAH {number}" for number in (1, 2, 3)},
    "niah_multivalue": "MV-NIAH",
    "niah_multiquery": "MQ-NIAH",
    "vt": "VT",
    "cwe": "CWE",
    "fwe": "FWE",
    "qa_squad": "QA, SQuAD",
    "qa_hotpotqa": "QA, HotpotQA",
    "qa_world": "QA, world",
    "govreport": "GovReport",
    "qasper": "QASPER",
    "meetingbank": "MeetingBank",
    "wiki727k": "Wiki-727K",
    "dbpedia": "DBpedia",
}
# Columns of a row that a condition compares as texts.
TEXTS: Final = ("task", "variant", "bucket")
# Labels of an axis stand at least so far apart, in shares of its length.
_APART: Final = 0.15

ThingT = TypeVar("ThingT")


@dataclass(frozen=True, slots=True)
class RowCondition:
    """Which rows are drawn: those whose task, variant or bucket fits a glob, or whose number lies in low..high."""

    field: str
    text: str
    low: float = 0.0
    high: float = 0.0

    def holds(self, row: RowScore) -> bool:
        """Whether a row is drawn."""
        if self.field in TEXTS:
            return fnmatchcase(getattr(row, self.field), self.text)
        value = field_value(row, self.field)
        return value is not None and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class Options:
    """What a user may ask of the figures.

    `fields` to draw curves over (none: those that vary), `band` of a curve, and which rows: of the conditions on one
    field one must hold.
    """

    fields: tuple[str, ...] = ()
    band: Literal["interval", "deviation", "range"] = "interval"
    where: tuple[RowCondition, ...] = ()

    @property
    def slice(self) -> str:
        """What the conditions say, in the words of a figure; "" without any."""
        said: dict[str, list[str]] = {}
        for condition in self.where:
            said.setdefault(condition.field, []).append(condition.text)
        return ", ".join(f"{field} {' or '.join(texts)}" for field, texts in said.items())

    def chosen(self, rows: Sequence[RowScore]) -> list[RowScore]:
        """The rows that are drawn."""
        fields = {condition.field for condition in self.where}
        return [
            row
            for row in rows
            if all(any(one.field == field and one.holds(row) for one in self.where) for field in fields)
        ]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure with the name of its files, without an ending."""

    name: str
    figure: Any


class NothingToDraw(Exception):
    """A kind of figure that does not apply to the results: why."""


def new_figure(**options: Any) -> Any:
    """matplotlib's Figure. Raises MissingLibraryError where it is not installed."""
    return library("matplotlib.figure", "plot").Figure(**options)


def panels(count: int, labels: Sequence[str] = (), title: str = "", **options: Any) -> Any:
    """A figure of `count` panels, and their axes in order: one panel is as wide as a column, several as a page.

    Below is room for a legend of `labels` under a `title`. At most `PANELS` fit a page.
    """
    # Lines of equal length: four panels are two and two, not three and one.
    lines = -(-count // _ACROSS)
    columns = -(-count // lines)
    width, tall = (COLUMN, 2.1) if count == 1 else (PAGE, 1.75)
    figure = new_figure(figsize=(width, lines * tall + legend_height(width, labels, title)), layout="constrained")
    grid = figure.subplots(lines, columns, squeeze=False, **options)
    axes = [panel for line in grid for panel in line]
    for spare in axes[count:]:
        spare.remove()
    return figure, axes[:count]


def pages(things: Sequence[ThingT], most: int = PANELS) -> list[tuple[str, Sequence[ThingT]]]:
    """Things to draw by page, each with the number of its page, which is empty where there is one page."""
    parts = [things[start : start + most] for start in range(0, len(things), most)]
    return [(str(number) if len(parts) > 1 else "", part) for number, part in enumerate(parts, 1)]


def legend_height(width: float, labels: Sequence[str], title: str = "") -> float:
    """The inches that a legend takes below the panels of a figure."""
    return 0.12 + 0.145 * (-(-len(labels) // _legend_columns(width, labels)) + bool(title)) if labels else 0.05


def legend(figure: Any, handles: Sequence[Any], labels: Sequence[str], title: str = "") -> None:
    """A legend below the panels, in as many columns as the figure has room for."""
    figure.legend(
        handles,
        labels,
        loc="outside lower center",
        ncols=_legend_columns(figure.get_figwidth(), labels),
        frameon=False,
        handlelength=1.9,
        columnspacing=1.2,
        title=title or None,
        title_fontsize=6.5,
    )


def _legend_columns(width: float, labels: Sequence[str]) -> int:
    each = 0.38 + 0.056 * max(map(len, labels))
    columns = max(1, min(len(labels), int((width - 0.1) / each)))
    # Lines of equal length.
    return -(-len(labels) // -(-len(labels) // columns))


def heading(figure: Any, text: str) -> None:
    """What all panels are about, above them."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=7.5, fontweight="bold")


class LineStyle(TypedDict):
    """How a model's line is drawn, in matplotlib's names; a dash is a name or (offset, lengths)."""

    color: str
    marker: str
    linestyle: str | tuple[int, tuple[float, ...]]


def model_styles(results: Sequence[Result]) -> list[LineStyle]:
    """Colour, marker and dash of every model: no two alike, and apart without colours."""
    if len(results) > MAX_MODELS:
        raise NothingToDraw(f"of {len(results)} models, {MAX_MODELS} at most can be told apart by their lines")
    return [
        {
            "color": COLOURS[number % len(COLOURS)],
            "marker": MARKERS[number % len(MARKERS)],
            "linestyle": DASHES[number // len(COLOURS)],
        }
        for number in range(len(results))
    ]


def marker_size(number: int) -> float:
    """The size of the marks of a model's line, by its number: those below are larger, and are seen where lines meet."""
    return 3.2 + 1.1 * min(number, 3)


def model_labels(results: Sequence[Result], limit: int = MAX_LABEL) -> list[str]:
    """The names of the models as they are drawn, no two alike; without what all begin with, where they are long."""
    names = [result.model for result in results]
    if len(names) > 1 and max(map(len, names)) > limit:
        same = [len(set(letters)) == 1 for letters in zip(*names, strict=False)]
        shared = names[0][: same.index(False) if False in same else len(same)]
        cut = max(shared.rfind(mark) for mark in (["/"] if "/" in shared else [" ", "-", "_"])) + 1
        names = [name[cut:] or name for name in names]
    labels: list[str] = []
    for name in names:
        shown, number = label(name, limit), 1
        while shown in labels:
            number += 1
            shown = f"{label(name, limit - 4)} ({number})"
        labels.append(shown)
    return labels


def label(text: str, limit: int = MAX_LABEL) -> str:
    """A name as it is drawn: printing ASCII, `?` for the rest, its middle left out where it is long."""
    # The font that matplotlib carries has no Chinese; a missing letter would print a warning and a box.
    plain = "".join(part if part.isascii() and part.isprintable() else "?" for part in text[: 20 * limit])
    end = (limit - 3) // 3
    return plain if len(plain) <= limit else f"{plain[: limit - 3 - end]}...{plain[len(plain) - end :]}"


def task_name(task: str, limit: int = 32) -> str:
    """What its paper calls a task; else its name in words."""
    return TASK_NAMES.get(task) or label(task.replace("_", " "), limit)


def variant_name(variant: str, limit: int = 24) -> str:
    """What its paper calls a variant of a task; else its name in words."""
    for ending in ("_verbatim", "_hard"):
        if variant.endswith(ending):
            return f"{variant_name(variant.removesuffix(ending), limit)}, {ending[1:]}"
    for manner in ("direct_", "reasoned_"):
        if variant.startswith(manner):
            return f"{manner[:-1]}, {variant_name(variant.removeprefix(manner), limit)}"
    return VARIANT_NAMES.get(variant) or label(variant.replace("_", " "), limit)


def titled(row: RowScore) -> str:
    """What a figure of a dataset is called: its task and variant."""
    return f"{task_name(row.task)}, {variant_name(row.variant)}" if row.variant else task_name(row.task)


def file_name(*parts: str) -> str:
    """The name of a file, of kind, task, variant and model: lower-case letters, digits, `.`, `-`, `_`."""
    words = (re.sub(r"[^a-z0-9._]+", "-", part.lower()).strip("-._") for part in parts if part)
    return "_".join(word for word in words if word)[:120]


def tokens_label(count: float) -> str:
    """Tokens as buckets count them: 4k, 1.5M, in units of 1,024."""
    if count >= 1 << 20:
        return f"{count / (1 << 20):.3g}M"
    return f"{count / 1024:.3g}k" if count >= 1024 else f"{count:.0f}"


def count_label(number: float) -> str:
    """A number of things: 400, 3.3k, 105k, in thousands."""
    if number >= 999_500:
        return f"{number / 1e6:.3g}M"
    return f"{number / 1e3:.3g}k" if number >= 999.5 else f"{number:.3g}"


def score_axis(axes: Any, name: str = "score (0–100)") -> None:
    """The vertical axis of scores: 0 to 100, with a little room, so that a line at 100 is seen whole."""
    axes.set_ylim(-3, 103)
    axes.set_yticks([0, 25, 50, 75, 100])
    axes.grid(axis="y", color=PALE, linewidth=0.4)
    axes.set_axisbelow(True)
    axes.set_ylabel(name)


def length_axis(axes: Any, lengths: Sequence[float], name: str) -> None:
    """A horizontal axis of tokens, logarithmic: ticks at few lengths, else at powers of two.

    `lengths` are those of all panels of the figure, so that they share the axis.
    """
    low, high = min(lengths), max(lengths)
    axes.set_xscale("log", base=2)
    axes.set_xlim(low / (high / low) ** 0.06, high * (high / low) ** 0.06)
    ticks = sorted(set(lengths))
    if len(_apart(ticks, is_log=True)) < len(ticks):
        powers = [float(1 << power) for power in range(8, 26) if low / 1.1 <= 1 << power <= high * 1.1]
        ticks = _apart(powers if len(powers) > 1 else ticks, is_log=True)
    axes.set_xticks(ticks, [tokens_label(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(name)


def number_axis(axes: Any, numbers: Sequence[float], name: str) -> None:
    """A horizontal axis of a number of things, logarithmic where they differ tenfold: ticks at the numbers drawn.

    `numbers` are those of all panels of the figure, so that they share the axis.
    """
    low, high = min(numbers), max(numbers)
    is_log = low > 0 and high / low >= 10
    if is_log:
        axes.set_xscale("log")
        axes.set_xlim(low / (high / low) ** 0.06, high * (high / low) ** 0.06)
    else:
        axes.set_xlim(low - 0.06 * (high - low), high + 0.06 * (high - low))
    ticks = _apart(sorted(set(numbers)), is_log=is_log)
    axes.set_xticks(ticks, [count_label(tick) for tick in ticks])
    axes.minorticks_off()
    axes.set_xlabel(name)


def _apart(ticks: Sequence[float], *, is_log: bool) -> list[float]:
    """Those of rising ticks whose labels have room: even steps where there are many, and none close to the next."""
    if len(ticks) > 6:
        ticks = ticks[::-1][:: -(-(len(ticks) - 1) // 5)][::-1]
    places = [math.log(tick) if is_log else tick for tick in ticks]
    whole = places[-1] - places[0]
    kept = [len(ticks) - 1]
    for number in range(len(ticks) - 2, -1, -1):
        if places[kept[-1]] - places[number] >= _APART * whole:
            kept.append(number)
    return [ticks[number] for number in reversed(kept)]


def outer(axes: Sequence[Any]) -> None:
    """Name the axes once: the vertical one at the first panel of a line, the horizontal one at the last of a column."""
    columns = axes[0].get_subplotspec().get_gridspec().ncols
    for number, panel in enumerate(axes):
        if number % columns:
            panel.set_ylabel("")
        if number + columns < len(axes):
            panel.set_xlabel("")


Form = Literal["png", "svg", "pdf"]
FORMS: Final[tuple[Form, ...]] = ("png", "svg", "pdf")
# What would say when, and by which version of what, a file was made.
_UNSAID: Final[dict[Form, tuple[str, ...]]] = {
    "png": ("Software",),
    "svg": ("Date", "Creator", "Format", "Type"),
    "pdf": ("CreationDate", "Creator", "Producer"),
}


def save(figure: Any, form: Form) -> bytes:
    """The bytes of a figure, without date, version or anything else that another day would change."""
    stream = io.BytesIO()
    figure.savefig(stream, format=form, metadata=dict.fromkeys(_UNSAID[form]))
    return stream.getvalue()
