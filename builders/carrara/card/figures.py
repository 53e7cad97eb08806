"""Figures of a release, drawn from the manifest's `content` alone.

The same content gives the same bytes: an SVG of plain shapes and texts, with no library to decide them. The letters are
those of the viewer's font, so nothing is placed by the width of a text.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from carrara.card.chance import outcomes
from carrara.engine.files import write_bytes
from carrara.errors import ReleaseError
from carrara.release.configs import config_order
from carrara.release.schema import ConfigFacts, Content, shown
from carrara.text.display import visible
from carrara.text.html import Html, element, kilo, size_label

# Pixels: one strip a config, panels side by side, at most as wide as the text of a card.
_WIDTH, _PANEL = 840.0, 380.0
_STRIP, _BAR = 22.0, 17.0
_COLUMNS = 3
_TOP, _BOTTOM, _RIGHT, _GAP = 34.0, 52.0, 22.0, 36.0
# A letter of the size of the labels, in the widest of the usual fonts.
_CHARACTER = 7.6
_MAX_NAME = 34
_MAX_CONFIGS = 1_000
_MAX_PANELS = 12
# A panel of chance: its plot, and all of it.
_PLOT_HEIGHT, _CHANCE_HEIGHT, _PLOT_LEFT = 96.0, 176.0, 52.0
_BLUE, _BLACK, _GREY, _PALE = "#0072B2", "#222222", "#555555", "#d0d0d0"
_FONT = "DejaVu Sans, Verdana, Arial, sans-serif"


def length_histogram(content: Content, path: Path) -> None:
    """Write an SVG: one panel a bucket, one strip a config, its rows by tokens of the prompt."""
    panels = _panels(content)
    # Lines of equal length: four panels are two and two, not three and one.
    columns = -(-len(panels) // -(-len(panels) // _COLUMNS))
    lines = [panels[start : start + columns] for start in range(0, len(panels), columns)]
    names = list(dict.fromkeys(_stem(content.configs[config]) for config in config_order(content)))
    left = 14 + _CHARACTER * max(len(_label(name, _MAX_NAME)) for name in names)
    wide = min(_PANEL, (_WIDTH - left - _RIGHT - _GAP * (columns - 1)) / columns)
    marks: list[Html] = []
    top = 0.0
    for line in lines:
        strips = [name for name in names if any(name in drawn for _, _, drawn in line)]
        top += _TOP
        marks.extend(
            _text(left - 8, top + _STRIP * (row + 0.72), _label(name, _MAX_NAME), anchor="end")
            for row, name in enumerate(strips)
        )
        for column, panel in enumerate(line):
            marks.extend(_strips(panel, strips, left + column * (wide + _GAP), top, wide))
        top += _STRIP * len(strips) + _BOTTOM
    width = left + columns * wide + (columns - 1) * _GAP + _RIGHT
    _write(path, "Rows by tokens of the prompt, one panel a bucket, one strip a config", width, top, marks)


def chance_histograms(content: Content, path: Path) -> bool:
    """Write an SVG: a panel a strategy whose score spreads, its outcomes by score. False where there is none."""
    configs = content.configs
    panels = [
        (f"{task}: {name}", bins)
        for task in dict.fromkeys(configs[config].task for config in config_order(content))
        for name, bins in outcomes([one for one in configs.values() if one.task == task]).items()
    ][:_MAX_PANELS]
    if not panels:
        return False
    columns = min(2, len(panels))
    wide = _WIDTH / 2
    marks: list[Html] = []
    for place, (name, bins) in enumerate(panels):
        line, column = divmod(place, columns)
        marks.extend(_bars(name, bins, column * wide, line * _CHANCE_HEIGHT, wide))
    height = _CHANCE_HEIGHT * -(-len(panels) // columns)
    _write(path, "Scores of strategies that do not read the context", wide * columns, height, marks)
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


def _strips(panel: Panel, names: Sequence[str], left: float, top: float, wide: float) -> Iterable[Html]:
    bucket, size, strips = panel
    yield _text(left, top - 10, bucket, weight="bold")
    for row, name in enumerate(names):
        if name not in strips:
            continue
        counts, base = strips[name], top + _STRIP * (row + 1)
        yield _path(f"M{_px(left)} {_px(base)}h{_px(wide)}", stroke=_PALE)
        if highest := max(counts):
            step = wide / len(counts)
            bars = [
                _bar(left + place * step, base, step * 0.9, count / highest * _BAR)
                for place, count in enumerate(counts)
                if count
            ]
            yield _path("".join(bars), fill=_BLUE)
    # A narrow panel has room for three numbers.
    ticks = [(size * part // 4, part / 4) for part in range(0, 5, 1 if wide >= 160 else 2)]
    bottom = top + _STRIP * len(names)
    shown_ticks = [(size_label(tick, kilo(size)), share) for tick, share in ticks]
    yield from _axis(left, bottom, wide, shown_ticks, "tokens of the prompt")


def _bars(name: str, bins: Sequence[int], left: float, top: float, wide: float) -> Iterable[Html]:
    """One strategy: the share of its guesses that score so much."""
    plot, base = left + _PLOT_LEFT, top + 28 + _PLOT_HEIGHT
    across = wide - _PLOT_LEFT - _RIGHT
    step, highest = across / len(bins), max(bins)
    yield _text(plot, top + 18, _label(name, 48), weight="bold")
    yield _text(plot - 6, base, "0 %", anchor="end", fill=_GREY)
    yield _text(
        plot - 6, base - _PLOT_HEIGHT + 8, f"{highest / sum(bins):.0%}".replace("%", " %"), anchor="end", fill=_GREY
    )
    bars = [
        _bar(plot + place * step, base, step * 0.9, count / highest * _PLOT_HEIGHT)
        for place, count in enumerate(bins)
        if count
    ]
    yield _path("".join(bars), fill=_BLUE)
    ticks = [(f"{part / 4:g}", part / 4) for part in range(5)]
    yield from _axis(plot, base, across, ticks, "score of a guess, and the share of guesses that get it")


def _axis(left: float, base: float, wide: float, ticks: Iterable[tuple[str, float]], title: str) -> Iterable[Html]:
    yield _path(f"M{_px(left)} {_px(base)}h{_px(wide)}", stroke=_BLACK)
    for label, share in ticks:
        yield _path(f"M{_px(left + share * wide)} {_px(base)}v4", stroke=_BLACK)
        yield _text(left + share * wide, base + 16, label, anchor="middle")
    yield _text(left + wide / 2, base + 34, title, anchor="middle", fill=_GREY)


def _bar(left: float, base: float, wide: float, tall: float) -> str:
    return f"M{_px(left)} {_px(base)}v-{_px(tall)}h{_px(wide)}V{_px(base)}z"


def _path(shape: str, fill: str = "none", stroke: str = "none") -> Html:
    return element("path", d=shape, fill=fill, stroke=stroke)


def _text(
    left: float, base: float, text: str, anchor: str = "start", weight: str = "normal", fill: str = _BLACK
) -> Html:
    place = {"x": _px(left), "y": _px(base), "text_anchor": anchor, "font_weight": weight}
    return element("text", text, **place, fill=fill)


def _px(length: float) -> str:
    """A length in the drawing: a tenth of a pixel is finer than a screen."""
    return f"{length:.1f}".removesuffix(".0")


def _write(path: Path, title: str, width: float, height: float, marks: Sequence[Html]) -> None:
    size = {"width": _px(width), "height": _px(height), "viewBox": f"0 0 {_px(width)} {_px(height)}"}
    # A ground of its own: the card is also read on a dark page.
    ground = element("rect", width="100%", height="100%", fill="#ffffff")
    drawing = element(
        "svg",
        element("title", title),
        ground,
        marks,
        xmlns="http://www.w3.org/2000/svg",
        **size,
        role="img",
        font_family=_FONT,
        font_size="12",
    )
    write_bytes(path, f"{drawing}\n".encode())


def _label(text: str, limit: int) -> str:
    plain = visible(text, limit + 1).replace("\n", " ")
    return plain if len(plain) <= limit else f"{plain[: limit - 1]}…"
