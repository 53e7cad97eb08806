"""One HTML file to read a release by: what it is, its rows with their evidence in place, lengths, depths, chance.

With a model's responses it shows them beside the gold, and their scores.

The file asks the network for nothing and runs no text of the release: its policy allows the one script and the one
style that come along, and all data is escaped. The same release gives the same bytes.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

import jinja2

from carrara.errors import ReleaseError
from carrara.page.charts import chance, coverage, lengths, maps, thousand
from carrara.page.overview import (
    configs_table,
    hashes,
    in_task_order,
    licences,
    sentences,
    sources,
    tasks_by_bucket,
)
from carrara.page.rows import (
    ANSWERED_ROWS,
    MAX_CHARACTERS,
    MOST_ANSWERED,
    MOST_ROWS,
    ROWS,
    Chosen,
    ModelAnswers,
    PlacedRow,
    choose,
    index_of,
    page_rows,
    rows_per_config,
)
from carrara.release.configs import config_order
from carrara.release.reader import Release, config_of
from carrara.release.schema import MANIFEST
from carrara.release.selection import SelectedRows
from carrara.text.display import count, visible
from carrara.text.html import MAX_TEXT, Html, block, element, escaped, joined, number, script_json

_MAX_NOTES = 100_000


class Page(NamedTuple):
    """A page: its bytes, and how many rows of how many it holds."""

    data: bytes
    held: int
    rows: int


def page(
    release: Release,
    each: int | None = None,
    ids: Sequence[str] = (),
    note: Callable[[str], None] = lambda text: None,
    *,
    configs: Sequence[str] | None = None,
    answered: ModelAnswers | None = None,
    selected: SelectedRows | None = None,
) -> Page:
    """The page of a release with `each` rows of every config and those named by id; `note` hears what is under way.

    `configs`: only these (all without), and of them only rows `selected`. `answered`: what a model answered; then the
    page holds rows that were asked.
    Reads the columns of lengths and depths of all rows, and of prompts those that the page holds. Raises ReleaseError.
    """
    content = release.content
    indices: dict[str, Sequence[int]] = {
        name: selected.places[name] if selected else range(int(release.configs[name].rows))
        for name in configs or config_order(content)
    }
    usual, most = ROWS, MOST_ROWS
    if answered:
        indices, usual, most = _asked(release, answered), ANSWERED_ROWS, MOST_ANSWERED
    if each is None:
        each = rows_per_config([len(own) for own in indices.values()], usual, most)
    chosen = choose(release, indices, each, ids)
    chosen = {name: chosen[name] for name in in_task_order(content, config_order(content)) if name in chosen}
    note(f"reading {sum(map(len, chosen.values())):,} rows of {len(chosen)} configs")
    held = page_rows(release, chosen, answered)
    note("counting depths by length")
    return _assembled(release, chosen, held, answered)


def _asked(release: Release, answered: ModelAnswers) -> dict[str, Sequence[int]]:
    """The indices of the rows that were scored, by config."""
    asked: dict[str, list[int]] = {}
    for score in answered.report.scores:
        asked.setdefault(config_of(release, score.id), []).append(index_of(score.id))
    return {name: sorted(indices) for name, indices in asked.items()}


def file_name(release: Release) -> str:
    """What the page of a release is called where nobody says."""
    return f"{release.name}-{release.version}.html"


def outside(out: Path) -> Path:
    """The path, where no folder above it is a release: a file more, and the release is no longer what it says."""
    for folder in out.absolute().parents:
        if (folder / MANIFEST).is_file() or (folder.resolve() / MANIFEST).is_file():
            raise ReleaseError(
                f"got --out {out}, which lies in a release ({folder})", "Give --out FILE in another folder."
            )
    return out


def _assembled(release: Release, chosen: Chosen, held: Sequence[PlacedRow], answered: ModelAnswers | None) -> Page:
    content, names = release.content, list(chosen)
    rows = sum(int(facts.rows) for facts in release.configs.values())
    counts = {name: len(indices) for name, indices in chosen.items()}
    style, script = (_asset(name) for name in ("page.css", "page.js"))
    # Of a sealed release nothing tells where evidence stands.
    sealed = content.is_sealed
    depths = {} if sealed else coverage(release, names)
    of_chance = list(chance([release.configs[name] for name in names]))
    recipe = json.dumps(content.recipe.to_json(), ensure_ascii=False, indent=1, sort_keys=True)
    report = answered.report if answered else None
    text = _template().render(
        policy=Html(_policy(style, script)),
        title=escaped(content.title or content.name),
        release=escaped(f"{release.name}@{release.version}"),
        style=Html(style),
        sentences=sentences(content),
        tasks=tasks_by_bucket(content, names, report),
        scored=_scored(answered) if answered else "",
        hashes=hashes(content),
        licences=licences(content, names),
        sources=sources(content),
        written=element("pre", block(content.written.strip(), _MAX_NOTES)) if content.written.strip() else "",
        recipe=element("pre", block(recipe, _MAX_NOTES)),
        configs=configs_table(content, names, counts),
        lengths=lengths(content, names),
        maps=element("p", "Withheld: this release is sealed.", class_="note")
        if sealed
        else maps(depths, thousand(content)),
        notice=_notice() if sealed else "",
        chance=joined(of_chance) if of_chance else element("p", "Nothing was probed here.", class_="note"),
        held=_held(counts, release),
        data=script_json(_data(release, names, held, answered)),
        script=Html(script),
    )
    return Page(text.encode(), len(held), rows)


@cache
def _template() -> jinja2.Template:
    """The page's frame. What is not `Html` already is escaped, and a name that is not given is an error."""
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    return environment.from_string(_asset("page.html.jinja"))


def _scored(answered: ModelAnswers) -> Html:
    """Whose scores the table holds, and what is to be known of them."""
    report = answered.report
    return element(
        "div",
        element("p", element("strong", report.title)),
        element("p", "Points (0 to 100) with 95 % intervals, over what was run.", class_="note"),
        [element("p", warning, class_="note") for warning in (*report.notes, *report.warnings())],
    )


def _notice() -> Html:
    return element(
        "p",
        element("strong", "Sealed: the answers are withheld. "),
        "Answers, evidence and depths of every row are left out, and so are probes; facts hold the row’s commitment. ",
        element("code", "carrara reveal DIR ANSWERS"),
        " proves the answers, once they are published.",
        class_="warning",
    )


def _held(counts: dict[str, int], release: Release) -> Html:
    """How many rows of how many the page holds, and how the others are read."""
    total = sum(int(facts.rows) for facts in release.configs.values())
    held = sum(counts.values())
    if held == total:
        return element("p", f"All {number(total)} rows of the release are in this page; long texts are cut.")
    some = len(counts) < len(release.configs)
    of = f"of {len(counts)} of its {len(release.configs)} configs" if some else "spread evenly over each config"
    return element(
        "p",
        f"This page holds {number(held)} of the release’s {number(total)} rows, {of}; long "
        f"texts are cut (a page holds at most {count(MAX_CHARACTERS)} characters of rows). ",
        element("code", "carrara show RELEASE ID"),
        " prints any row; ",
        element("code", "carrara page RELEASE --row ID"),
        " puts it into a page.",
    )


def _data(
    release: Release, names: Sequence[str], held: Sequence[PlacedRow], answered: ModelAnswers | None
) -> dict[str, object]:
    """What the script reads. `stem`: what the ids of a config's rows begin with."""
    configs = []
    for name in names:
        facts = release.configs[name]
        bucket = str(facts.bucket)
        stem = f"{facts.benchmark}/{name.removesuffix(f'_{bucket}')}/{bucket}/"
        configs.append(
            {
                "name": name,
                "stem": visible(stem, MAX_TEXT),
                "task": visible(facts.task, MAX_TEXT),
                "bucket": visible(facts.bucket, MAX_TEXT),
                "rows": int(facts.rows),
                "size": int(facts.bucket_tokens),
            }
        )
    model = visible(answered.report.model or "the model", MAX_TEXT) if answered else None
    return {"configs": configs, "rows": held, "sealed": release.content.is_sealed, "model": model}


def _policy(style: str, script: str) -> str:
    """What the page may do: run this script, use this style. No address is asked, no other text runs."""
    hashes = (base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in (script, style))
    allowed = "script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:".format(*hashes)
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'"


def _asset(name: str) -> str:
    return files("carrara").joinpath("page", "assets", name).read_text(encoding="utf-8").strip()
