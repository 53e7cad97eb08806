"""The page's overview: what the release is, its tasks by bucket, sources, configs, hashes; read without a script."""

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from carrara.release.manifest import release_root
from carrara.release.schema import ConfigFacts, Content
from carrara.scoring import Report
from carrara.text.display import count
from carrara.text.html import Child, Html, element, link, number, scrolled
from carrara.text.markdown import percent

_NUMBERS = ("rows", "questions", "mean tokens", "shortest", "longest", "fill", "least fill")


def sentences(content: Content) -> Html:
    """What the release is, in two sentences."""
    configs = content.configs.values()
    rows, tasks = sum(int(facts.rows) for facts in configs), len({facts.task for facts in configs})
    papers = list(dict.fromkeys(str(facts.paper).partition(" (")[0] for facts in configs))
    listed = " and ".join(filter(None, [", ".join(papers[:-1]), *papers[-1:]]))
    return element(
        "p",
        element("code", f"{content.name}@{content.version}"),
        f" is a long-context benchmark: {number(rows)} prompts of up to "
        f"{number(max(facts.tokens.max for facts in configs))} tokens (counted by {content.tokenizer.name}, "
        f"{count(sum(facts.tokens.sum for facts in configs))} in all), for {number(tasks)} "
        f"task{'s' if tasks != 1 else ''} of {listed}. ",
        "It was built with Carrara, a program that writes such benchmarks from a recipe, checks every row, freezes "
        "them as versions, and scores what models answer.",
    )


def tasks_by_bucket(content: Content, names: Sequence[str], report: Report | None) -> Html:
    """A table, task by bucket: the rows of the configs; with a report, the scores in points with their intervals."""
    configs = [content.configs[name] for name in names]
    buckets = [bucket for _, bucket in sorted({(int(facts.bucket_tokens), str(facts.bucket)) for facts in configs})]
    head = [element("th", "task", scope="col"), element("th", "asks to", scope="col", class_="asks")]
    head += [element("th", bucket, scope="col", class_="right") for bucket in buckets]
    lines = []
    for task in dict.fromkeys(str(facts.task) for facts in configs):
        of_task = [facts for facts in configs if facts.task == task]
        cells = []
        for bucket in buckets:
            rows = sum(int(facts.rows) for facts in of_task if facts.bucket == bucket)
            if not rows:
                cells.append(element("td", element("span", "–", class_="none"), class_="right"))
            elif report:
                cells.append(_score_cell(report, task, bucket))
            else:
                cells.append(element("td", number(rows), class_="right"))
        asks = element("td", of_task[0].asks, class_="asks")
        lines.append(element("tr", element("th", element("b", task), scope="row"), asks, cells))
    table = element("table", element("thead", element("tr", head)), element("tbody", lines), class_="tasks")
    return scrolled("Scores by task and bucket" if report else "Rows by task and bucket", table)


def _score_cell(report: Report, task: str, bucket: str) -> Html:
    average = report.cells.get((task, bucket))
    if average is None:
        return element("td", element("span", "not run", class_="none"), class_="right")
    limits = average.interval
    told = f"{100 * limits[0]:.1f}–{100 * limits[1]:.1f}" if limits else average.interval_reason
    return element("td", f"{100 * average.mean:.1f}", element("small", told), class_="right")


def hashes(content: Content) -> Html:
    """What identifies the release and what it was made of."""
    tokenizer = content.tokenizer
    facts: list[tuple[str, Child]] = [
        ("Release root", [_digest(release_root(content)), " – the one hash to cite; carrara verify prints it, too"]),
        ("Stream", [element("code", content.stream), " – another stream gives a twin: other rows, alike"]),
        ("Tokenizer", [element("code", tokenizer.name), " vocabulary ", _digest(tokenizer.fingerprint)]),
        ("Recipe", ["fingerprint ", _digest(content.recipe_fingerprint)]),
        ("Canary", [element("code", content.canary), " – not for training: no prompt holds it"]),
        *((f"Source {name}", _digest(source.fingerprint)) for name, source in sorted(content.sources.items())),
    ]
    return element("dl", [(element("dt", name), element("dd", value)) for name, value in facts], class_="facts")


def licences(content: Content, names: Sequence[str]) -> Html:
    """Which configs stand under which licence."""
    configs = content.configs
    lines = []
    for licence in dict.fromkeys(str(configs[name].licence) for name in names):
        under = [name for name in names if configs[name].licence == licence]
        if len(under) == len(names):
            which: Child = "all configs"
        else:
            which = [(", " if index else "", element("code", name)) for index, name in enumerate(under)]
        lines.append(element("li", element("strong", licence), ": ", which))
    return element("ul", lines, class_="plain")


def sources(content: Content) -> Html:
    """A table of the sources, each with its licence, language and origin."""
    head = [element("th", name, scope="col") for name in ("source", "licence", "language", "origin", "files")]
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
        [element("td", text, class_="right", data_value=value) for value, text in values],
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
