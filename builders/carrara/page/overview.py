"""The page's overview: what the release is, its sources and licences, its configs; read without a script."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from carrara.release.schema import ConfigFacts, Content
from carrara.text.display import count
from carrara.text.html import Child, Html, element, link, number, scrolled
from carrara.text.markdown import percent

_NUMBERS = ("rows", "questions", "mean tokens", "shortest", "longest", "fill", "least fill")


def numbers(content: Content) -> Html:
    """The release in five numbers."""
    configs = content.configs.values()
    buckets = sorted({(int(facts.bucket_tokens), str(facts.bucket)) for facts in configs})
    shown = buckets if len(buckets) <= 4 else [buckets[0], (0, "…"), buckets[-1]]
    told = [
        (number(sum(int(facts.rows) for facts in configs)), "rows"),
        (number(len(configs)), "configs"),
        (number(len({facts.task for facts in configs})), "tasks"),
        (count(sum(facts.tokens.sum for facts in configs)), "tokens of prompt"),
        (" ".join(bucket for _, bucket in shown), "buckets"),
    ]
    return element("ul", [element("li", element("b", value), " ", name) for value, name in told], class_="numbers")


def facts_of(content: Content) -> Html:
    """What identifies the release."""
    tokenizer = content.tokenizer
    told: list[tuple[str, Child]] = [
        ("Release", element("code", f"{content.name}@{content.version}")),
        ("Stream", [element("code", content.stream), " – another stream gives a twin: other rows, alike"]),
        ("Tokenizer", [element("code", tokenizer.name), " vocabulary ", _digest(tokenizer.fingerprint)]),
        ("Recipe", ["fingerprint ", _digest(content.recipe_fingerprint)]),
        ("Canary", [element("code", content.canary), " – not for training: no prompt holds it"]),
    ]
    return element("dl", [(element("dt", name), element("dd", value)) for name, value in told], class_="facts")


def licences(content: Content, names: Sequence[str]) -> Html:
    """Which configs stand under which licence."""
    configs = content.configs
    lines = []
    for licence in dict.fromkeys(str(configs[name].licence) for name in names):
        under = [name for name in names if configs[name].licence == licence]
        if len(under) == len(names):
            which: Child = "all configs"
        else:
            which = [(", " if place else "", element("code", name)) for place, name in enumerate(under)]
        lines.append(element("li", element("strong", licence), ": ", which))
    return element("ul", lines, class_="plain")


def sources(content: Content) -> Html:
    """A table of the sources, each with its licence, language, origin and fingerprint."""
    head = [
        element("th", name, scope="col") for name in ("source", "licence", "language", "origin", "files", "fingerprint")
    ]
    lines = []
    for name, source in sorted(content.sources.items()):
        about = [source.title or name, element("small", element("code", name))]
        if source.citation:
            about.append(element("small", source.citation))
        lines.append(
            element(
                "tr",
                element("th", about, scope="row"),
                element("td", source.licence),
                element("td", source.lang),
                element("td", link(source.url) if source.url else "written by this project"),
                element("td", number(len(source.files)), class_="right"),
                element("td", _digest(source.fingerprint)),
            )
        )
    table = element("table", element("thead", element("tr", head)), element("tbody", lines), class_="sources")
    return scrolled("Sources", table) if lines else element("p", "No source: the tasks write their rows themselves.")


def configs_table(content: Content, names: Sequence[str], held: Mapping[str, int]) -> Html:
    """The configs, one group of lines for every task; `held`: how many rows of each are in the page."""
    configs = content.configs
    head = [element("th", "config", scope="col")]
    # Where every row is in the page, a column need not say so.
    partly = any(held.get(name, 0) < configs[name].rows for name in names)
    named = [*_NUMBERS[:1], *(["in page"] if partly else []), *_NUMBERS[1:]]
    head += [element("th", name, scope="col", class_="right") for name in named]
    head.append(element("th", "metric", scope="col"))
    bodies = []
    for task, group in groupby(names, key=lambda name: str(configs[name].task)):
        of_task = list(group)
        about = element("small", configs[of_task[0]].asks, " ", element("i", configs[of_task[0]].paper))
        title = element("th", element("b", task), about, scope="rowgroup", colspan=len(head))
        lines = [_config(name, configs[name], held.get(name, 0) if partly else None) for name in of_task]
        bodies.append(element("tbody", element("tr", title, class_="group"), lines))
    table = element("table", element("thead", element("tr", head)), bodies, class_="configs", id="configs-table")
    return scrolled("Configs", table)


def _config(name: str, facts: ConfigFacts, held: int | None) -> Html:
    tokens, fill = facts.tokens, facts.fill
    values: list[tuple[float, str]] = [
        (facts.rows, number(facts.rows)),
        *([] if held is None else [(held, number(held))]),
        (facts.items, number(facts.items)),
        *((value, number(value)) for value in (tokens.mean, tokens.min, tokens.max)),
        *((value, percent(value)) for value in (fill.mean, fill.min)),
    ]
    return element(
        "tr",
        element("th", element("a", _parted(name), href=f"#config={name}"), scope="row"),
        [element("td", told, class_="right", data_value=value) for value, told in values],
        element("td", element("code", facts.metric)),
    )


def _parted(name: str) -> Child:
    """A config's name, which may go on in the next line after an underscore."""
    first, *rest = name.split("_")
    return [first, [("_", element("wbr"), part) for part in rest]]


def in_task_order(content: Content, names: Sequence[str]) -> list[str]:
    """The configs in the recipe's order, those of one task together."""
    configs = content.configs
    tasks = list(dict.fromkeys(str(configs[name].task) for name in names))
    return sorted(names, key=lambda name: tasks.index(str(configs[name].task)))


def _digest(digest: Any) -> Html:
    return element("code", str(digest), class_="digest")


def more(title: str, *children: Child) -> Html:
    """A part that is folded away."""
    return element("details", element("summary", title), children)
