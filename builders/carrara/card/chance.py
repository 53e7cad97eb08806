"""The card's tables of chance: what strategies that do not read the context score, from the manifest's probes."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from carrara.release.schema import ConfigFacts, ProbeFacts
from carrara.text.markdown import escape, number, table

# Where `figures.chance_histograms` draws what the card shows.
CHANCE: Final = "figures/chance.svg"
# A table with a line for every view and complexity, where it has at most so many lines and columns. More complexities
# than so many are numbers of things that fill a length.
_LEVELS: Final = 6
_LINES: Final = 20
_COLUMNS: Final = 6
_MAX_STRATEGIES: Final = 60
# How the names of strategies begin whose responses are drawn, not found.
_RANDOM: Final = ("any ", "random ", "no ")


def chance(configs: Sequence[ConfigFacts]) -> Iterable[str]:
    """Lines of a table in Markdown for the configs of one task; none where nothing was probed."""
    cells = [cell for config in configs for cell in config.probes]
    if not cells:
        return
    strategies = strategies_of(cells)
    places = sorted({(str(cell.view), int(cell.complexity)) for cell in cells})
    if len(list(_pooled(places))) <= _LINES and len(strategies) <= _COLUMNS:
        yield from _by_place(cells, places, strategies)
    else:
        yield from _by_strategy(cells)


def strategies_of(cells: Sequence[ProbeFacts]) -> list[str]:
    """The strategies that were tried, in the order of the manifest, a bounded number of them."""
    return list(dict.fromkeys(str(cell.probe) for cell in cells))[:_MAX_STRATEGIES]


class Chance(NamedTuple):
    """What a strategy scores: over how many questions, the mean, and the lowest and highest mean of a complexity."""

    strategy: str
    questions: int
    mean: float | None
    lowest: float | None
    highest: float | None


def by_strategy(cells: Sequence[ProbeFacts]) -> list[Chance]:
    """What each strategy scores over all views and complexities of a task."""
    strategies = strategies_of(cells)
    # Grouped once: a manifest that nobody vouches for may have a complexity for every cell.
    found: dict[str, dict[int, list[ProbeFacts]]] = {name: {} for name in strategies}
    for cell in cells:
        if (own := found.get(str(cell.probe))) is not None:
            own.setdefault(int(cell.complexity), []).append(cell)
    told = []
    for name, by_complexity in found.items():
        every = [cell for group in by_complexity.values() for cell in group]
        means = [mean for group in by_complexity.values() if (mean := _mean(group)) is not None]
        told.append(Chance(name, _items(every), _mean(every), min(means, default=None), max(means, default=None)))
    return told


class Shortcut(NamedTuple):
    """Of a variant's questions: what answers at random score, the best strategy, its mean in every bucket, and what it
    leaves of 100 where the prompts are longest."""

    questions: str
    chance: float | None
    strategy: str
    by_bucket: dict[str, float | None]
    left: float


def shortcuts(configs: Iterable[ConfigFacts]) -> list[Shortcut]:
    """The best strategy of every variant: the one with the highest mean over all of its questions."""
    variants: dict[str, list[ConfigFacts]] = {}
    for config in configs:
        if config.probes:
            variants.setdefault(f"{config.task}_{config.variant}".removesuffix("_"), []).append(config)
    found = []
    for name, group in variants.items():
        group.sort(key=lambda config: int(config.bucket_tokens))
        told = [one for one in by_strategy([cell for config in group for cell in config.probes]) if one.questions]
        random = [one.mean for one in told if one.strategy.startswith(_RANDOM) and one.mean is not None]
        best = max(told, key=lambda one: (one.mean or 0, one.questions), default=None)
        if best is None:
            continue
        by_bucket = {
            str(config.bucket): _mean([cell for cell in config.probes if cell.probe == best.strategy])
            for config in group
        }
        longest = next((mean for mean in reversed(by_bucket.values()) if mean is not None), 0.0)
        found.append(Shortcut(name, max(random, default=None), best.strategy, by_bucket, 1 - longest))
    return found


def outcomes(configs: Sequence[ConfigFacts]) -> dict[str, list[int]]:
    """Histograms (20 bins of [0, 1]) of the strategies of one task that have many outcomes an item."""
    found: dict[str, list[int]] = {}
    items: dict[str, int] = {}
    for cell in (cell for config in configs for cell in config.probes):
        bins = found.setdefault(str(cell.probe), [0] * len(cell.histogram))
        items[str(cell.probe)] = items.get(str(cell.probe), 0) + int(cell.items)
        for place, count in enumerate(cell.histogram):
            bins[place] += int(count)
    # Options are known without a picture: it is the spread of a score that wants one.
    return {name: bins for name, bins in found.items() if sum(bins) >= 4 * items[name] and sum(map(bool, bins)) > 2}


def _by_place(
    cells: Sequence[ProbeFacts], places: Sequence[tuple[str, int]], strategies: Sequence[str]
) -> Iterable[str]:
    views = any(view for view, _ in places)
    header = [*(["view"] if views else []), "complexity", "questions", *map(escape, strategies)]
    lines = []
    for view, low, high in _pooled(places):
        here = [cell for cell in cells if cell.view == view and low <= cell.complexity <= high]
        asked = max(_items([cell for cell in here if cell.probe == name]) for name in strategies)
        means = (_mean([cell for cell in here if cell.probe == name]) for name in strategies)
        complexity = number(low) if low == high else f"{number(low)}–{number(high)}"
        lines.append([*([escape(view)] if views else []), complexity, number(asked), *map(hundred, means)])
    yield from table(header, lines, right=range(int(views), len(header)))


def _pooled(places: Sequence[tuple[str, int]]) -> Iterable[tuple[str, int, int]]:
    """(view, lowest, highest complexity) of a line: of each, or of a whole view where they follow from the length."""
    if len({complexity for _, complexity in places}) <= _LEVELS:
        return [(view, complexity, complexity) for view, complexity in places]
    by_view: dict[str, list[int]] = {}
    for view, complexity in places:
        by_view.setdefault(view, []).append(complexity)
    return [(view, min(found), max(found)) for view, found in by_view.items()]


def _by_strategy(cells: Sequence[ProbeFacts]) -> Iterable[str]:
    lines = [
        [escape(one.strategy), number(one.questions), *map(hundred, (one.mean, one.lowest, one.highest))]
        for one in by_strategy(cells)
    ]
    header = ("strategy", "questions", "mean", "lowest of a complexity", "highest")
    yield from table(header, lines, right=range(1, len(header)))


def _items(cells: Sequence[ProbeFacts]) -> int:
    return sum(int(cell.items) for cell in cells)


def _mean(cells: Sequence[ProbeFacts]) -> float | None:
    # A model's own chance rests on no question: it counts once.
    weights = [int(cell.items) or 1 for cell in cells]
    return sum(w * float(cell.mean) for w, cell in zip(weights, cells, strict=True)) / sum(weights) if cells else None


def hundred(mean: float | None) -> str:
    """A mean x 100 with one decimal; empty where there is none."""
    return "" if mean is None else f"{100 * mean:.1f}"
