"""Recipes: TOML files that hold everything that decides a release's content, and the configs they spell out.

Data, not code: no includes, no imports, no templating; an unknown key is refused with the nearest known one.
"""

import difflib
import hashlib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import TypeAdapter, ValidationError

from carrara.engine.files import inside
from carrara.errors import RecipeError, SourceError
from carrara.recipe.config import Config as Config
from carrara.recipe.config import Lengths, read_grid
from carrara.recipe.publication import Publication
from carrara.recipe.wording import PromptWording, parsed_toml, read_template, wordings, wordings_json
from carrara.row import canonical_json, config_name
from carrara.task import Retrieval, Search, Task
from carrara.tasks import TASKS
from carrara.text.json import strict_json

MAX_CONFIGS = 120
MAX_ROWS = 1_000_000
MAX_BUCKET = 16 * 1024 * 1024
# What a recipe's file reserves that does not say.
RESERVE = 1_024
MAX_REALMS = 1_000
# Characters of the card's hand-written sections, which go into the manifest and croissant.json.
MAX_CARD = 20_000
_MAX_MANIFEST_BYTES = 64 * 1024 * 1024
# Names of the invented world as a source; releases before 0.2 say "prose", and still build the same rows.
EMBEDDED = frozenset(("world", "prose"))
# A file is the unit of commit and of parallel work: about this many tokens of it.
_TOKENS_PER_FILE = 8 * 1024 * 1024
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_BUCKET = re.compile(r"[0-9]{1,4}[kM]")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")


@dataclass(frozen=True, slots=True)
class Cell:
    """One task with its variants: `questions` items per bucket, each in every placement and length."""

    task: str
    variants: tuple[str, ...]
    buckets: tuple[str, ...]
    questions: Mapping[str, int]
    lengths: Lengths
    source: str
    params: Any
    # By variant, of a task that reads retrieved passages.
    retrieval: Mapping[str, Retrieval]
    # By variant, where the recipe words its prompts otherwise.
    template: Mapping[str, PromptWording]
    # The lengths of the grid; empty for even steps up to each bucket.
    grid: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class Recipe:
    """A checked recipe. `own_sources` are the user's own pins, as written under [source.<name>].

    `file`: where it was read from, None where it was not; no part of what it is.
    """

    name: str
    version: str
    stream: str
    tokenizer: str
    buckets: Mapping[str, int]
    cells: tuple[Cell, ...]
    title: str = ""
    own_sources: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    rows_per_file: int = 0
    # Tokens of each bucket that stay free for a chat template and a system prompt.
    reserve: int = 0
    publication: Publication | None = None
    # The card's hand-written sections, in Markdown: in manifest and card, but not in the fingerprint.
    card: str = field(default="", compare=False)
    file: Path | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"Recipe {self.name}@{self.version}: {len(self.configs()):,} configs, buckets {', '.join(self.buckets)}"

    @classmethod
    def from_toml(cls, recipe: str | Path) -> "Recipe":
        """Read a recipe: a TOML file, a release's `recipe.json`, or the name of one in the package.

        Raises RecipeError with what was got, what was expected, what to do.

        >>> carrara.Recipe.from_toml("michelangelo-mini")
        Recipe michelangelo-mini@...: 18 configs, buckets 32k, 128k, 1M
        """
        file = recipe_path(str(recipe))
        return replace(load_recipe(file), file=file)

    def configs(self) -> list[Config]:
        """Every config, in the order of the cells, their variants and the buckets."""
        return [
            Config(
                name=config_name(cell.task, variant, bucket),
                task=TASKS[cell.task],
                variant=variant,
                bucket=bucket,
                bucket_tokens=self.buckets[bucket],
                room=self.buckets[bucket] - self.reserve,
                items=cell.questions[bucket],
                lengths=cell.lengths,
                source=cell.source,
                params=cell.params,
                stream=self.stream,
                rows_per_file=self.rows_per_file or max(1, min(512, _TOKENS_PER_FILE // self.buckets[bucket])),
                retrieval=cell.retrieval.get(variant),
                wording=cell.template.get(variant),
                grid=cell.grid,
            )
            for cell in self.cells
            for variant in cell.variants
            for bucket in cell.buckets
        ]

    def to_json(self) -> dict[str, Any]:
        """The recipe with every default filled in: what its fingerprint is taken of."""
        return {
            "name": self.name,
            "version": self.version,
            "title": self.title,
            "stream": self.stream,
            "tokenizer": self.tokenizer,
            "buckets": dict(self.buckets),
            "rows_per_file": self.rows_per_file,
            "own_sources": {name: dict(table) for name, table in self.own_sources.items()},
            "cells": [
                {
                    "task": cell.task,
                    "variants": list(cell.variants),
                    "buckets": list(cell.buckets),
                    "questions": dict(cell.questions),
                    "lengths": cell.lengths,
                    "source": cell.source,
                    "params": _params_json(cell.params),
                    **_retrieval_json(cell),
                    **({"grid": list(cell.grid)} if cell.grid else {}),
                    **({"template": wordings_json(cell.template)} if cell.template else {}),
                }
                for cell in self.cells
            ],
            # Only when given: the fingerprints of recipes without them stay.
            **({"reserve": self.reserve} if self.reserve else {}),
            **({"publication": self.publication.to_json()} if self.publication else {}),
        }

    def fingerprint(self) -> str:
        """The sha256 of the recipe with its defaults filled in."""
        return hashlib.sha256(canonical_json(self.to_json()).encode()).hexdigest()

    def twin(self, stream: str) -> "Recipe":
        """The same recipe with another stream: its release is named after both."""
        if stream == self.stream:
            return self
        slug = stream_slug(stream)
        if not slug:
            raise RecipeError(f"stream {stream!r} has no letter or digit", "give it a name like 2027-spring")
        published = self.publication and self.publication.of_twin()
        return replace(self, name=f"{self.name}-{slug}"[:64].rstrip("-."), stream=stream, publication=published)


def without(recipe: Recipe, sources: Collection[str]) -> Recipe:
    """The recipe without the cells that need one of these sources; its name says so."""
    gone, needed = set(sources), {name for config in recipe.configs() for name in config.sources}
    if unknown := sorted(gone - needed):
        raise RecipeError(f"no cell needs {unknown[0]!r}, to do without", _nearest(unknown[0], sorted(needed)))
    corpora = [{cell.source, *(one.corpus for one in cell.retrieval.values())} for cell in recipe.cells]
    kept = tuple(cell for cell, read in zip(recipe.cells, corpora, strict=True) if gone.isdisjoint(read))
    if not kept:
        raise RecipeError(f"every cell needs one of {', '.join(sorted(gone))}", "leave fewer out")
    name = f"{recipe.name}-without-{'-'.join(map(stream_slug, sorted(gone)))}"[:64].rstrip("-.")
    own = {name: table for name, table in recipe.own_sources.items() if name not in gone}
    return replace(recipe, name=name, cells=kept, own_sources=own)


# Params that came after the first releases, with their defaults: told only when set, so that the fingerprints stay.
_LATER: Final = {"hint": False, "short": "refused"}


def _params_json(params: object) -> dict[str, object]:
    dumped = TypeAdapter(type(params)).dump_python(params, mode="json")
    return {name: value for name, value in dumped.items() if name not in _LATER or value != _LATER[name]}


def stream_slug(stream: str) -> str:
    """What of a stream stands in the name of a twin."""
    return re.sub(r"[^a-z0-9]+", "-", stream.lower()).strip("-")


def load_recipe(path: Path) -> Recipe:
    """Read and check a recipe file: TOML, or the `recipe.json` of a release or of its frozen record.

    The card is that of [card], else `dataset_cards/<name>.md` beside the folder of a TOML file, else that of the
    manifest beside a `recipe.json` older than its key `card`.

    Raises RecipeError with what was got, what was expected, what to do.
    """
    try:
        if path.stat().st_size > 1 << 20:
            raise RecipeError(f"{path} has {path.stat().st_size} bytes, expected at most 1 MiB")
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RecipeError(f"cannot read recipe {path}: {error}", "give the path of a TOML file") from error
    form = "JSON" if path.suffix == ".json" else "TOML"
    try:
        table = strict_json(text) if form == "JSON" else parsed_toml(text)
    except (ValueError, RecursionError) as error:
        raise RecipeError(f"cannot parse {path} as {form}: {error}") from error
    try:
        if form == "JSON":
            made = recipe_from_json(table)
            return made if made.card else replace(made, card=_card_beside(path))
        made = recipe_from_table({"reserve": RESERVE, **table}, path.parent)
        return made if made.card else replace(made, card=_usual_card(path, made.name))
    except RecipeError as error:
        raise RecipeError(f"{path}: {error.message}", error.hint) from error


def recipe_path(name: str) -> Path:
    """A recipe file as given, or the one of that name that comes along. Raises RecipeError for another name."""
    path = Path(name)
    if path.is_file() or path.suffix in {".toml", ".json"} or len(path.parts) != 1:
        return path
    packaged = {file.stem: file for file in sorted(recipe_folder().glob("*.toml"))}
    if name not in packaged:
        raise RecipeError(
            f"got recipe {name!r}, expected a TOML file or the name of a recipe in the package",
            _nearest(name, packaged),
        )
    return packaged[name]


def recipe_folder() -> Path:
    """Where the recipes that come along lie: in the package once installed, else in the checkout."""
    installed = Path(__file__).parents[1] / "recipes"
    return installed if installed.is_dir() else Path(__file__).parents[3] / "recipes"


def beside(recipe: str, folder: str) -> Path | None:
    """`dataset_cards` or `releases` beside the folder that a recipe lies in, if there is one."""
    path = recipe_path(recipe).resolve().parent.parent / folder
    return path if path.is_dir() else None


def _usual_card(recipe: Path, name: str) -> str:
    """The text of `dataset_cards/<name>.md` beside the recipe's folder; "" where there is none."""
    cards = beside(str(recipe), "dataset_cards")
    file = cards / f"{name}.md" if cards else None
    return _card_text(file, file.name) if file is not None and file.is_file() else ""


def _card_beside(recipe: Path) -> str:
    """The card's sections in the manifest beside a `recipe.json`; "" where there is none."""
    file = recipe.with_name("manifest.json")
    if recipe.name != "recipe.json" or not file.is_file():
        return ""
    try:
        raw = file.read_bytes() if file.stat().st_size <= _MAX_MANIFEST_BYTES else b""
        manifest = strict_json(raw)
    except (OSError, ValueError) as error:
        problem = f"the {file.name} beside it, which may hold sections of its card, cannot be read"
        raise RecipeError(f"{problem} ({error})", "restore it, or move the recipe away") from error
    content = manifest.get("content") if isinstance(manifest, dict) else None
    written = content.get("written", "") if isinstance(content, dict) else None
    return _checked_card(written, f"content.written of {file.name}")


def _card(table: object, folder: Path | None) -> str:
    """The card's sections that a recipe's [card] gives: a `text`, or a `file` inside the recipe's folder."""
    if not isinstance(table, dict) or len(table) != 1:
        raise RecipeError(f"card = {table!r}", 'expected a table with one key, like [card] with file = "ours.md"')
    _known(table, ("file", "text"), "card")
    if "text" in table:
        return _checked_card(table["text"], "card.text")
    named = table["file"]
    if not isinstance(named, str) or folder is None:
        problem = f"card.file = {named!r}" + (" in a recipe without a folder" if folder is None else "")
        raise RecipeError(problem, "expected the name of a Markdown file in the folder of a TOML recipe, or card.text")
    try:
        file = inside(folder, named)
    except SourceError as error:
        raise RecipeError(f"card.file: {error.message}", error.hint) from error
    return _card_text(file, f"card.file = {named!r}")


def _card_text(file: Path, what: str) -> str:
    try:
        with file.open(encoding="utf-8") as opened:
            return _checked_card(opened.read(MAX_CARD + 1), what)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise RecipeError(f"{what} cannot be read: {reason}", "expected a Markdown file in UTF-8") from error


def _checked_card(text: object, what: str) -> str:
    if not isinstance(text, str):
        raise RecipeError(f"{what} = {text!r}", "expected a text in Markdown")
    if len(text) > MAX_CARD:
        raise RecipeError(
            f"{what} has more than {MAX_CARD:,} characters, expected at most so many",
            "make it shorter: it goes into the manifest and croissant.json",
        )
    return text.strip()


_KEYS = (
    "name",
    "version",
    "title",
    "stream",
    "tokenizer",
    "buckets",
    "rows_per_file",
    "reserve",
    "publication",
    "card",
    "cell",
    "source",
)
_LENGTHS: Final[tuple[Lengths, ...]] = get_args(Lengths)
_CELL_KEYS = (
    "task",
    "variants",
    "buckets",
    "questions",
    "lengths",
    "grid",
    "source",
    "params",
    "retrieval",
    "template",
)


def recipe_from_table(table: Mapping[str, object], folder: Path | None = None) -> Recipe:
    """Check a recipe given as parsed TOML (or as `Recipe.to_json` gives it, through `recipe_from_json`).

    `folder` is the recipe's own, where [card] and a cell's `template` may name a file. A table without `reserve` has
    none; a TOML file has `RESERVE`.
    """
    _known(table, _KEYS, "recipe")
    name = _text(table, "name")
    if not _NAME.fullmatch(name):
        raise RecipeError(f"name = {name!r}", "expected lower-case letters, digits, '.', '_', '-', at most 64")
    version = _text(table, "version")
    if not _VERSION.fullmatch(version):
        raise RecipeError(f"version = {version!r}", 'expected MAJOR.MINOR.PATCH, like "1.0.0"')
    buckets = table.get("buckets")
    if not isinstance(buckets, dict) or not buckets:
        raise RecipeError("the recipe names no buckets", "write buckets = { 32k = 32000, 128k = 128000 }")
    for bucket, tokens in buckets.items():
        if not _BUCKET.fullmatch(bucket) or not isinstance(tokens, int) or isinstance(tokens, bool):
            raise RecipeError(f"bucket {bucket} = {tokens!r}", "expected a name like 32k or 1M and a number of tokens")
        sizes = [_bucket_size(bucket, k) for k in (1_000, 1_024)]
        if tokens not in sizes:
            raise RecipeError(f"bucket {bucket} = {tokens}", f"expected {sizes[0]}, or {sizes[1]} where k is 2^10")
        if not 1 <= tokens <= MAX_BUCKET:
            raise RecipeError(f"bucket {bucket} = {tokens}", f"expected at most {MAX_BUCKET} tokens")
    reserve = table.get("reserve", 0)
    if not isinstance(reserve, int) or isinstance(reserve, bool) or not 0 <= reserve < min(buckets.values()):
        raise RecipeError(
            f"reserve = {reserve!r}",
            f"expected the tokens of a bucket that stay free for a chat template: 0 to {min(buckets.values()) - 1}",
        )
    own = table.get("source", {})
    if not isinstance(own, dict) or not all(isinstance(value, dict) for value in own.values()):
        raise RecipeError(
            f"source = {own!r}, expected tables", "write [source.my_documents] with reader, lang, licence, files"
        )
    if taken := sorted(EMBEDDED & own.keys()):
        raise RecipeError(f"[source.{taken[0]}] has the name of the invented world", "give your source another name")
    cells = table.get("cell")
    if not isinstance(cells, list) or not cells or not all(isinstance(cell, dict) for cell in cells):
        raise RecipeError("the recipe has no [[cell]]", "add at least one, with the keys task and questions")
    rows_per_file = table.get("rows_per_file", 0)
    if not isinstance(rows_per_file, int) or isinstance(rows_per_file, bool) or not 0 <= rows_per_file <= 10_000:
        raise RecipeError(f"rows_per_file = {rows_per_file!r}", "expected a number from 1 to 10,000, or leave it out")
    recipe = Recipe(
        name=name,
        version=version,
        stream=_text(table, "stream"),
        tokenizer=_text(table, "tokenizer"),
        buckets=buckets,
        cells=tuple(_cell(cell, buckets, folder) for cell in cells),
        title=_text(table, "title") if "title" in table else "",
        own_sources=own,
        rows_per_file=rows_per_file,
        reserve=reserve,
        publication=_publication(table["publication"]) if "publication" in table else None,
        card=_card(table["card"], folder) if "card" in table else "",
    )
    _check_configs(recipe.configs())
    return recipe


def recipe_from_json(table: object) -> Recipe:
    """The recipe that `Recipe.to_json` wrote into a manifest, or `recipe_file` into `recipe.json`."""
    if not isinstance(table, Mapping):
        raise RecipeError(f"got {type(table).__name__}, expected a table")
    outer = {key: value for key, value in table.items() if key not in {"cells", "own_sources"}}
    if not outer.get("title"):
        outer.pop("title", None)
    return recipe_from_table({**outer, "cell": table.get("cells"), "source": table.get("own_sources", {})})


def _publication(table: object) -> Publication | None:
    if not isinstance(table, dict) or not table:
        raise RecipeError(f"publication = {table!r}", "expected a table, like [publication] with date and creators")
    _known(table, [item.name for item in fields(Publication)], "publication")
    made: Publication = _checked(Publication, table, "publication")
    return made.if_any()


def _cell(table: Mapping[str, object], buckets: Mapping[str, int], folder: Path | None) -> Cell:
    _known(table, _CELL_KEYS, "cell")
    name = _text(table, "task")
    if name not in TASKS:
        raise RecipeError(f"unknown task {name!r}", _nearest(name, TASKS))
    task = TASKS[name]
    variants = _texts(table, "variants", tuple(task.variants) if len(task.variants) == 1 else None)
    for variant in variants:
        if variant not in task.variants:
            raise RecipeError(f"task {name} has no variant {variant!r}", _nearest(variant, task.variants))
    # By size: the order of the keys of a table decides nothing.
    chosen = _texts(table, "buckets", tuple(sorted(buckets, key=lambda bucket: buckets[bucket])))
    for bucket in chosen:
        if bucket not in buckets:
            raise RecipeError(f"bucket {bucket!r} is not among the recipe's buckets", _nearest(bucket, buckets))
    given = table.get("lengths", "full")
    lengths = next((known for known in _LENGTHS if known == given), None)
    if lengths is None:
        raise RecipeError(f"lengths = {given!r}", 'expected "full", "cumulative", "grid" or "given"')
    source = _source(task, variants, table)
    params = _params(task, table.get("params", {}))
    template = read_template(folder, table["template"]) if "template" in table else {}
    return Cell(
        task=name,
        variants=variants,
        buckets=chosen,
        questions=_questions(table.get("questions"), chosen),
        lengths=lengths,
        source=source,
        params=params,
        template=wordings(task, variants, params, template) if template else {},
        retrieval={
            variant: _retrieval(task, search, source, table)
            for variant in variants
            if (search := task.variants[variant].search)
        },
        grid=read_grid(table["grid"], lengths) if "grid" in table else (),
    )


def _source(task: Task[Any, Any], variants: tuple[str, ...], table: Mapping[str, object]) -> str:
    """The source that the cell names, checked: a variant may be made of one source alone."""
    wanted = sorted({task.variants[variant].source for variant in variants})
    if len(wanted) > 1:
        named = ", ".join(f"{variant!r} of {task.variants[variant].source or 'any'}" for variant in variants)
        raise RecipeError(f"task {task.name} with variants {named}", "give each source a cell of its own")
    source = table.get("source", wanted[0] or (task.sources[0] if task.sources else ""))
    if not isinstance(source, str) or (source and not task.sources):
        raise RecipeError(f"task {task.name} with source = {source!r}", "this task takes no source: leave the key out")
    # Other files of the same dataset, such as nq_full, are pinned under a name that begins with its name.
    own = source == wanted[0] or source.startswith(f"{wanted[0]}_") or {source, wanted[0]} <= EMBEDDED
    if wanted[0] and not own:
        raise RecipeError(
            f"task {task.name}, variant {variants[0]!r} with source = {source!r}",
            f"expected {wanted[0]!r}, or a source of yours whose name begins with {wanted[0] + '_'!r}",
        )
    return source


def _retrieval(task: Task[Any, Any], search: Search, source: str, table: Mapping[str, object]) -> Retrieval:
    """How the cell's corpus is searched; by default with BM25, in the corpus that belongs to the variant."""
    given = table.get("retrieval", {})
    if not isinstance(given, dict):
        raise RecipeError(f"retrieval = {given!r}", 'expected a table, like retrieval = { retriever = "bm25" }')
    _known(given, [item.name for item in fields(Retrieval)], f"retrieval of {task.name}")
    default = "world" if source in EMBEDDED else search.corpus or source
    made: Retrieval = _checked(Retrieval, {"corpus": default, **given}, f"retrieval of {task.name}")
    if not 1 <= made.realms <= MAX_REALMS:
        raise RecipeError(f"retrieval of {task.name}: realms = {made.realms}", f"expected 1 to {MAX_REALMS}")
    return made


def _retrieval_json(cell: Cell) -> dict[str, dict[str, object]]:
    """The key `retrieval` of a cell: one table, for its variants differ in nothing that it may say."""
    tables = [asdict(retrieval) for retrieval in cell.retrieval.values()]
    return {"retrieval": tables[0]} if tables else {}


def _questions(value: object, buckets: tuple[str, ...]) -> dict[str, int]:
    table: Mapping[str, object] = value if isinstance(value, dict) else dict.fromkeys(buckets, value)
    _known(table, buckets, "questions")
    counts: dict[str, int] = {}
    for bucket in buckets:
        number = table.get(bucket)
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise RecipeError(f"questions = {value!r}", f"expected a number of at least 1 (for bucket {bucket})")
        counts[bucket] = number
    return counts


def _params(task: Task[Any, Any], table: object) -> Any:
    if not isinstance(table, dict):
        raise RecipeError(f"params = {table!r}", "expected a table, like params = { depths = 11 }")
    _known(table, [item.name for item in fields(task.params)], f"params of {task.name}")
    return _checked(task.params, table, f"params of {task.name}")


def _checked(kind: type[Any], table: Mapping[str, object], what: str) -> Any:
    try:
        return TypeAdapter(kind).validate_python(table)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        got = f" (got {first['input']!r})" if first["loc"] else ""
        message = first["msg"].removeprefix("Value error, ")
        raise RecipeError(f"{what}: {where + ': ' if where else ''}{message}{got}") from error


def _check_configs(configs: list[Config]) -> None:
    seen: set[str] = set()
    searched: dict[str, tuple[str, Retrieval]] = {}
    for config in configs:
        if config.retrieval:
            name, how = f"{config.task.name}_{config.variant}", (config.source, config.retrieval)
            if searched.setdefault(name, how) != how:
                raise RecipeError(
                    f"two cells search differently for {name}",
                    "an item is the same in every bucket: give both cells the same retrieval",
                )
        if config.name in seen:
            raise RecipeError(f"two cells make the config {config.name}", "give each cell its own variants or buckets")
        seen.add(config.name)
        if config.lengths == "cumulative" and config.room <= config.cumulative_floor:
            raise RecipeError(
                f"{config.name}: cumulative lengths begin at {config.cumulative_floor} tokens", "use a larger bucket"
            )
        if config.grid and config.grid[-1] > config.room:
            raise RecipeError(
                f"{config.name}: grid ends at {config.grid[-1]} tokens, its rows have {config.room}",
                "give each bucket a cell with a grid that it holds; reserve = 0 leaves its rows the whole bucket",
            )
        if config.rows > MAX_ROWS:
            raise RecipeError(f"{config.name} would have {config.rows} rows", f"expected at most {MAX_ROWS}")
    if len(configs) > MAX_CONFIGS:
        raise RecipeError(
            f"the recipe makes {len(configs)} configs", f"expected at most {MAX_CONFIGS}: split the recipe"
        )


def _bucket_size(name: str, k: int) -> int:
    return int(name[:-1]) * (k if name.endswith("k") else k * k)


def _known(table: Iterable[str], known: Collection[str], what: str) -> None:
    for key in table:
        if key not in known:
            raise RecipeError(f"unknown key {key!r} in {what}", _nearest(key, known))


def _nearest(name: str, known: Iterable[str]) -> str:
    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    listed = ", ".join(repr(key) for key in known)
    return f"did you mean {close[0]!r}? Known: {listed}" if close else f"known: {listed}"


def _text(table: Mapping[str, object], key: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise RecipeError(f"{key} = {value!r}", "expected a non-empty text")
    return value


def _texts(table: Mapping[str, object], key: str, default: tuple[str, ...] | None) -> tuple[str, ...]:
    value = table.get(key, list(default) if default is not None else None)
    if not isinstance(value, list) or not value or not all(isinstance(part, str) for part in value):
        raise RecipeError(f"{key} = {value!r}", "expected a list of texts")
    if len(set(value)) != len(value):
        raise RecipeError(f"{key} = {value!r}", "expected each text once")
    return tuple(value)
