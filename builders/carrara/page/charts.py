"""The page's charts, drawn without a script: lengths of the rows, depth by length, and what strategies score by chance.

Each is a table with headers, so that it is read by eye and by ear; the colours stand for the numbers beside them.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from carrara.card.chance import Chance, by_strategy
from carrara.release.manifest import highest_scores
from carrara.release.reader import Release, rows
from carrara.release.schema import ConfigFacts, Content
from carrara.text.html import Html, element, joined, kilo, number, scrolled, size_label

# (length of a row, tenth of its depth) -> pieces of evidence.
DepthCounts = Counter[tuple[int, int]]

_BAR, _HEIGHT = 5, 24
_COLUMNS = 16
# A column holds lengths up to so many times its shortest: the first of these that needs few enough columns.
_RATIOS = (1.04, 1.1, 1.2, 1.35, 1.5, 2.0, 4.0)
_SHADES = 5
_STRIP, _STRIP_HEIGHT = 200, 16


def lengths(content: Content, names: Sequence[str]) -> Html:
    """A table of small histograms: a line for every task and variant, a column for every bucket."""
    configs = content.configs
    buckets = sorted({(int(configs[name].bucket_tokens), str(configs[name].bucket)) for name in names})
    cells = {(_stem(configs[name]), configs[name].bucket_tokens, configs[name].bucket): name for name in names}
    head = [element("th", "task and variant", scope="col")]
    for size, bucket in buckets:
        head.append(element("th", bucket, element("small", f"0 to {number(size)} tokens"), scope="col"))
    lines = [
        element(
            "tr",
            element("th", element("code", stem), scope="row"),
            [_histogram(configs, cells.get((stem, *bucket)), thousand(content)) for bucket in buckets],
        )
        for stem in dict.fromkeys(stem for stem, _, _ in cells)
    ]
    table = element("table", element("thead", element("tr", head)), element("tbody", lines), class_="lengths")
    return scrolled("Lengths of the rows", table)


def thousand(content: Content) -> int:
    """What a k of this release's buckets is: 1,000 tokens, or 1,024."""
    return max(kilo(facts.bucket_tokens) for facts in content.configs.values())


def _histogram(configs: Mapping[str, ConfigFacts], name: str | None, k: int) -> Html:
    if name is None:
        return element("td", element("span", "–", class_="none"))
    facts = configs[name]
    counts, highest = facts.histogram, max(facts.histogram)
    bars = "".join(
        f"M{twentieth * _BAR} {_HEIGHT}v-{max(1.5, count / highest * _HEIGHT):.3g}h{_BAR - 1}V{_HEIGHT}z"
        for twentieth, count in enumerate(counts)
        if count
    )
    tokens, count = facts.tokens, int(facts.rows)
    said = f"{number(count)} row{'s' if count != 1 else ''}"
    span = size_label(round(tokens.min), k)
    if tokens.max != tokens.min:
        span += f" to {size_label(round(tokens.max), k)}"
    drawing = element(
        "svg",
        element("path", d=f"M0 {_HEIGHT}h{_BAR * len(counts)}", class_="axis"),
        element("path", d=bars or "M0 0", class_="bar"),
        viewBox=f"0 0 {_BAR * len(counts)} {_HEIGHT + 1}",
        role="img",
        aria_label=f"{said} of {span} tokens in a bucket of {number(facts.bucket_tokens)}",
    )
    return element("td", element("div", drawing, element("small", said, element("br"), span), class_="length"))


def coverage(release: Release, names: Sequence[str]) -> dict[str, tuple[DepthCounts, int]]:
    """By task: how much evidence stands where in rows of which length, and how many rows there are. Reads no prompt.

    The length of a row is what it takes of a window: prompt, room for its answer, and what the recipe reserves.
    """
    of_tasks: dict[str, tuple[DepthCounts, int]] = {}
    for name in names:
        task = str(release.configs[name].task)
        depths, count = of_tasks.get(task, (Counter(), 0))
        for row in rows(release, name, ("tokens", "max_output_tokens", "depths")):
            count += 1
            length = int(row["tokens"]) + int(row["max_output_tokens"]) + release.content.recipe.reserve
            # A depth that is no number, or lies outside the prompt, is none.
            depths.update((length, min(9, int(depth * 10))) for depth in row["depths"] if 0 <= depth <= 1)
        of_tasks[task] = depths, count
    return of_tasks


def maps(of_tasks: Mapping[str, tuple[DepthCounts, int]], k: int = 1_024) -> Html:
    """A heat map for every task that places its evidence, and the names of those that do not. `k`: see `thousand`."""
    drawn = [_heat_map(task, depths, count, k) for task, (depths, count) in of_tasks.items() if depths]
    without = [task for task, (depths, _) in of_tasks.items() if not depths]
    note = None
    if without:
        names = [(", " if index else "", element("code", task)) for index, task in enumerate(without)]
        note = element(
            "p", "Without depths, for the whole prompt is the evidence or places it anew: ", names, class_="note"
        )
    return joined([element("div", drawn, class_="maps"), note])


def _heat_map(task: str, depths: DepthCounts, count: int, k: int) -> Html:
    """One task: a line for every tenth of the depth, a column for rows of like length, pieces of evidence in cells."""
    rows_here = f"{number(count)} row{'s' if count != 1 else ''}"
    title = element("h3", element("code", task), element("small", f"{rows_here}, {number(depths.total())} pieces"))
    columns = _columns(sorted({length for length, _ in depths}))
    column = {length: index for index, group in enumerate(columns) for length in group}
    cells: Counter[tuple[int, int]] = Counter()
    for (length, tenth), pieces in depths.items():
        cells[tenth, column[length]] += pieces
    highest = max(cells.values())
    head = [element("th", "depth", scope="col"), *(_column_head(group, k) for group in columns)]
    lines = [
        element(
            "tr",
            element("th", f"{10 * tenth} %", scope="row"),
            [_cell(cells[tenth, index], highest) for index in range(len(columns))],
        )
        for tenth in range(10)
    ]
    table = element("table", element("thead", element("tr", head)), element("tbody", lines), class_="heat")
    return element("section", title, scrolled(f"Depth by length of {task}", table), class_="map")


def _columns(sizes: Sequence[int]) -> list[list[int]]:
    """Rising lengths in groups of like ones, at most so many groups as fit a page."""
    for ratio in _RATIOS:
        groups: list[list[int]] = []
        for size in sizes:
            if groups and size <= groups[-1][0] * ratio:
                groups[-1].append(size)
            else:
                groups.append([size])
        if len(groups) <= _COLUMNS:
            return groups
    step = -(-len(groups) // _COLUMNS)
    return [[size for group in groups[start : start + step] for size in group] for start in range(0, len(groups), step)]


def _column_head(group: Sequence[int], k: int) -> Html:
    low, high = group[0], group[-1]
    said = f"{number(low)} tokens" if low == high else f"{number(low)} to {number(high)} tokens"
    return element("th", size_label(high, k), scope="col", title=said)


def _cell(pieces: int, highest: int) -> Html:
    if not pieces:
        return element("td")
    return element("td", number(pieces), class_=f"heat-{-(-pieces * _SHADES // highest)}")


def chance(configs: Iterable[ConfigFacts]) -> Iterable[Html]:
    """By task (configs of one task stand together): what strategies score that do not do what is asked."""
    for task, group in groupby(configs, key=lambda facts: str(facts.task)):
        of_task = list(group)
        strategies = by_strategy([cell for facts in of_task for cell in facts.probes])
        published = _published(of_task)
        if strategies or published:
            title = element("h3", element("code", task), element("small", f"by {of_task[0].metric}"))
            table = _strategies(task, strategies) if strategies else None
            yield element("section", title, table, published, class_="chance")


def _strategies(task: str, strategies: Sequence[Chance]) -> Html:
    header = ("strategy", "questions", "mean", "lowest", "highest")
    head = [element("th", name, scope="col", class_="right" if name != "strategy" else None) for name in header]
    head.append(element("th", "0 to 100", scope="col", class_="strip-head"))
    lines = [
        element(
            "tr",
            element("th", scores.strategy, scope="row"),
            element("td", number(scores.questions), class_="right"),
            [element("td", _hundred(value), class_="right") for value in (scores.mean, scores.lowest, scores.highest)],
            element("td", _strip(scores)),
        )
        for scores in strategies
    ]
    table = element("table", element("thead", element("tr", head)), element("tbody", lines))
    return scrolled(f"What strategies score on {task}", table)


def _strip(scores: Chance) -> Html:
    middle = _STRIP_HEIGHT // 2
    marks = [element("path", d=f"M0 {middle}h{_STRIP}", class_="axis")]
    if scores.mean is not None and scores.lowest is not None and scores.highest is not None:
        low, high = round(scores.lowest * _STRIP, 1), round(scores.highest * _STRIP, 1)
        marks.append(element("path", d=f"M{low} {middle}H{high}", class_="range"))
        marks.append(element("circle", cx=round(scores.mean * _STRIP, 1), cy=middle, r=4, class_="bar"))
    box = f"-5 0 {_STRIP + 10} {_STRIP_HEIGHT}"
    return element("svg", marks, viewBox=box, class_="strip", aria_hidden="true")


def _published(configs: Sequence[ConfigFacts]) -> Html | None:
    """Published scorers that reward wrong answers are named with what they give."""
    most = highest_scores(facts.paper_scores for facts in configs)
    lines = []
    for metric in sorted(most):
        given = [f"{answer} {100 * score:.0f}" for answer, score in sorted(most[metric].items()) if score > 0]
        if given:
            lines.append(element("li", element("code", metric), ": ", "; ".join(given)))
    if not lines:
        return None
    return element(
        "div",
        element("p", "Published scorers, kept as they are, give wrong answers up to:"),
        element("ul", lines),
        class_="note",
    )


def _hundred(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f}"


def _stem(facts: ConfigFacts) -> str:
    return "_".join(str(part) for part in (facts.task, facts.variant) if part)
