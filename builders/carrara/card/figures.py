"""Figures of a release, drawn from the manifest's `content` alone.

The same content gives the same bytes under one matplotlib: no date, no version in the file, the user's style ignored.
"""

from pathlib import Path
from typing import Any

from carrara.card.chance import outcomes
from carrara.errors import ReleaseError, library
from carrara.release.configs import config_order
from carrara.release.schema import ConfigFacts, Content, shown

# Inches: one strip a config, panels side by side, at most as wide as the text of a paper.
_WIDTH, _PANEL = 7.0, 3.2
_STRIP = 0.2
_COLUMNS = 3
_TOP, _BOTTOM, _RIGHT, _GAP = 0.3, 0.5, 0.2, 0.3
_CHARACTER = 0.073
_MAX_NAME = 34
_MAX_CONFIGS = 1_000
_MAX_PANELS = 12
_BLUE, _GREY, _PALE = "#0072B2", "#555555", "#d0d0d0"
_STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 7.5,
    "text.parse_math": False,
    "text.usetex": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "savefig.bbox": None,
}


def _matplotlib() -> tuple[Any, Any]:
    """Its module of styles and its class of figures: loaded here alone, as it takes half a second."""
    return library("matplotlib.style", "plot"), library("matplotlib.figure", "plot").Figure


def length_histogram(content: Content, path: Path) -> None:
    """Write a PNG: one panel a bucket, one strip a config, its rows by tokens of the prompt."""
    style, new_figure = _matplotlib()

    panels = _panels(content)
    # Lines of equal length: four panels are two and two, not three and one.
    columns = -(-len(panels) // -(-len(panels) // _COLUMNS))
    lines = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    names = list(dict.fromkeys(_stem(content.configs[config]) for config in config_order(content)))
    shown = [[name for name in names if any(name in strips for _, _, strips in line)] for line in lines]
    left = 0.15 + _CHARACTER * max(len(_label(name, _MAX_NAME)) for name in names)
    panel = min(_PANEL, (_WIDTH - left - _RIGHT - _GAP * (columns - 1)) / columns)
    width = left + columns * panel + (columns - 1) * _GAP + _RIGHT
    height = top = sum(_TOP + _STRIP * len(rows) + _BOTTOM for rows in shown)
    with style.context(["default", _STYLE]):
        figure = new_figure(figsize=(width, height), dpi=200)
        for line, rows in zip(lines, shown, strict=True):
            top -= _TOP + _STRIP * len(rows) + _BOTTOM
            for column, drawn in enumerate(line):
                start = (left + column * (panel + _GAP)) / width
                box = (start, (top + _BOTTOM) / height, panel / width, _STRIP * len(rows) / height)
                _draw(figure.add_axes(box), drawn, rows, named=column == 0)
        figure.savefig(path, format="png", metadata={"Software": None})


def chance_histograms(content: Content, path: Path) -> bool:
    """Write a PNG: a panel a strategy whose score spreads, its outcomes by score; False where there is none to draw."""
    style, new_figure = _matplotlib()

    configs = content.configs
    panels = [
        (f"{task}: {name}", bins)
        for task in dict.fromkeys(configs[config].task for config in config_order(content))
        for name, bins in outcomes([one for one in configs.values() if one.task == task]).items()
    ][:_MAX_PANELS]
    if not panels:
        return False
    columns = min(2, len(panels))
    lines = -(-len(panels) // columns)
    with style.context(["default", _STYLE]):
        figure = new_figure(figsize=(_WIDTH / 2 * columns, 1.7 * lines), dpi=200, layout="constrained")
        for place, (name, bins) in enumerate(panels, 1):
            axes = figure.add_subplot(lines, columns, place)
            step, total = 1 / len(bins), sum(bins)
            edges = [number * step for number in range(len(bins))]
            axes.bar(edges, [count / total * 100 for count in bins], width=step * 0.9, align="edge", color=_BLUE)
            axes.set_xlim(0, 1)
            axes.set_title(_label(name, 48), loc="left", fontsize=7.5, fontweight="bold")
            axes.set_xlabel("score of a guess", color=_GREY, labelpad=2)
            axes.set_ylabel("guesses, %", color=_GREY, labelpad=2)
            for side in ("top", "right"):
                axes.spines[side].set_visible(False)
        figure.savefig(path, format="png", metadata={"Software": None})
    return True


Panel = tuple[str, int, dict[str, list[int]]]


def _panels(content: Content) -> list[Panel]:
    """(bucket, its tokens, histogram by config without the bucket), smallest bucket first, configs as in the recipe."""
    configs = content.configs
    if not 1 <= len(configs) <= _MAX_CONFIGS:
        raise ReleaseError(f"{len(configs)} configs", f"expected 1 to {_MAX_CONFIGS} to draw")
    found: dict[tuple[int, str], dict[str, list[int]]] = {}
    for config in (configs[name] for name in config_order(content)):
        size, bucket = config.bucket_tokens, config.bucket
        if size < 1:
            raise ReleaseError(f"bucket {shown(bucket)} of {size} tokens, expected at least 1", "build it again")
        found.setdefault((size, bucket), {})[_stem(config)] = list(config.histogram)
    return [(_label(bucket, 8), size, found[size, bucket]) for size, bucket in sorted(found)]


def _stem(config: ConfigFacts) -> str:
    """The name of a config without its bucket: the same strip in every panel."""
    return "_".join(str(part) for part in (config.task, config.variant) if part)


def _draw(axes: Any, panel: Panel, names: list[str], named: bool) -> None:
    bucket, size, strips = panel
    for row, name in enumerate(names):
        base = len(names) - 1 - row
        if name not in strips:
            continue
        counts = strips[name]
        axes.axhline(base, color=_PALE, linewidth=0.5, zorder=1)
        if highest := max(counts):
            step = size / len(counts)
            bars = [(place * step, count / highest * 0.8) for place, count in enumerate(counts) if count]
            axes.bar(
                [start for start, _ in bars],
                [tall for _, tall in bars],
                width=step * 0.9,
                bottom=base,
                align="edge",
                color=_BLUE,
                linewidth=0,
                zorder=2,
            )
    axes.set_xlim(0, size)
    axes.set_ylim(0, len(names))
    # A narrow panel has room for three numbers.
    parts = 4 if axes.get_position().width * axes.figure.get_figwidth() >= 1.6 else 2
    ticks = [size * part // parts for part in range(parts + 1)]
    axes.set_xticks(ticks, [_tokens(tick) for tick in ticks])
    labels = [_label(name, _MAX_NAME) for name in names]
    axes.set_yticks([len(names) - 1 - row + 0.38 for row in range(len(names))], labels if named else [""] * len(names))
    axes.tick_params(axis="y", length=0)
    axes.set_title(bucket, loc="left", fontsize=8, fontweight="bold", pad=4)
    axes.set_xlabel("tokens of the prompt", color=_GREY, labelpad=2)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)


def _tokens(count: int) -> str:
    """k = 2^10, M = 2^20: the buckets' own units."""
    if count >= 1 << 20:
        return f"{count / (1 << 20):g}M"
    return f"{count / 1024:g}k" if count >= 1024 else str(count)


def _label(text: str, limit: int) -> str:
    # The font that matplotlib carries has no Chinese; a missing letter would print a warning and a box.
    plain = "".join(part if part.isascii() and part.isprintable() else "?" for part in text[: limit + 1])
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}~"
