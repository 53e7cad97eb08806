"""What tasks read besides their plan: haystack and tables of a source, of the invented world or of pinned files."""

import hashlib
import json
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from carrara import engine
from carrara.errors import RecipeError
from carrara.fingerprint import code_fingerprint
from carrara.recipe import EMBEDDED, Recipe, recipe_from_json
from carrara.row import canonical_json
from carrara.sources import Source, documents, has_text, open_source
from carrara.sources import tables as source_tables
from carrara.sources.haystack import Haystack, Ordered, Paragraph, Part, make_part, open_haystack, sections_of
from carrara.sources.sentences import split
from carrara.stream import Stream
from carrara.tables import Tables
from carrara.task import Lang, Retrieved
from carrara.tokens import Tokenizer, load_tokenizer

# Sections of embedded prose: 1.4 million tokens under o200k_base in English, 1.6 in Chinese; a row of 1M takes 1,049k.
PROSE_SECTIONS = 1_000
_PROSE_PARTS = 8
# Realms of the embedded corpus: 62,000 entities and 200,000 passages.
WORLD_REALMS = 62


class SourceInputs:
    """The inputs of the cells that name one source ("" for tasks that need none)."""

    def __init__(self, source: str, recipe: Recipe, folder: Path | None, tokenizer: Tokenizer) -> None:
        self._source = source
        self._recipe = recipe
        self._folder = folder
        self._tokenizer = tokenizer
        self._opened: dict[Lang, Haystack] = {}

    def haystack(self, lang: Lang, order: Stream, tokens: int, repeat: bool) -> Ordered:
        """At least `tokens` tokens of prose (all there is, if it holds fewer), sections in the order of a stream."""
        if lang not in self._opened:
            self.prepare(lang)
        return self._opened[lang].ordered(order, tokens, repeat)

    def prepare(self, lang: Lang, workers: int = 1) -> None:
        """Open the haystack; where the cache does not hold it, its parts are read and counted by so many processes."""
        if self.facts["lang"] not in (lang, "en, zh"):
            raise RecipeError(
                f"source {self._source} is in {self.facts['lang']}, the variant in {lang}",
                "give each language a cell of its own with a source in that language",
            )
        key = self._prose_key + code_fingerprint("world") if self._is_prose_embedded else self.facts["fingerprint"]
        self._opened[lang] = open_haystack(self._source, key, lang, lambda: self._parts(lang, workers), self._tokenizer)

    @cached_property
    def tables(self) -> Tables:
        """The source's normalised tables: those of the invented world, if the cell names it."""
        if self._source not in EMBEDDED:
            return source_tables(self._files)
        # The world's word lists take a while to read in, and are not wanted where only the haystack is.
        from carrara.world.world import World

        return World(self._recipe.stream, WORLD_REALMS)

    def retrieved(self, task: str, variant: str) -> Retrieved:
        """The frozen run of a task's variant."""
        raise RecipeError(f"{task}_{variant} has no frozen run")

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What the manifest says of the source. Opening it checks every file against its pin."""
        if self._source in EMBEDDED:
            return {
                "title": "Prose of the invented world, written from the release's stream",
                "lang": "en, zh",
                "licence": "Apache-2.0",
                "citation": "",
                "url": "",
                "fingerprint": self._prose_key,
                "files": {},
            }
        source = self._files
        return {
            "title": source.title,
            "lang": source.lang,
            "licence": source.licence,
            "citation": source.citation,
            "url": source.url,
            "fingerprint": source.fingerprint,
            "files": dict(source.sha256),
        }

    def part(self, lang: Lang, number: int) -> Part:
        """Part `number` of the haystack: some sections of embedded prose, or one file of a real source."""
        return make_part(self._sections(lang, number), lang, self._tokenizer)

    @property
    def _prose_key(self) -> str:
        return hashlib.sha256(f"prose of {self._recipe.stream}".encode()).hexdigest()

    @property
    def _is_prose_embedded(self) -> bool:
        """Whether the haystack is the world's prose: also that of a source of tables, which has no running text."""
        return self._source in EMBEDDED or not has_text(self._files)

    @cached_property
    def _files(self) -> Source:
        return open_source(self._source, self._folder, self._recipe.own_sources)

    def _parts(self, lang: Lang, workers: int) -> list[Part]:
        count = _PROSE_PARTS if self._is_prose_embedded else len(self.facts["files"])
        folder = str(self._folder) if self._folder else ""
        arguments = (self._source, canonical_json(self._recipe.to_json()), folder, lang)
        done = dict(engine.run(range(count), _make_part, workers=workers, start=_start, arguments=arguments))
        return [done[number] for number in range(count)]

    def _sections(self, lang: Lang, number: int) -> Iterator[list[Paragraph]]:
        if self._is_prose_embedded:
            # Its word lists take a while to read in, and are not wanted where the cache holds the haystack.
            from carrara.world import prose

            stream = Stream(self._recipe.stream, "prose")
            each = PROSE_SECTIONS // _PROSE_PARTS
            for index in range(each * number, each * (number + 1)):
                section = prose.section(stream, lang, index)
                yield [(section.title,), *section.paragraphs]
            return
        for document in documents(self._files, self._files.files[number][0]):
            yield from sections_of((split(paragraph, lang) for paragraph in document.paragraphs), lang)


_MAKING: list[tuple[SourceInputs, Lang]] = []


def _start(source: str, recipe_json: str, folder: str, lang: Lang) -> None:
    recipe = recipe_from_json(json.loads(recipe_json))
    inputs = SourceInputs(source, recipe, Path(folder) if folder else None, load_tokenizer(recipe.tokenizer))
    _MAKING[:] = [(inputs, lang)]


def _make_part(number: int) -> Part:
    inputs, lang = _MAKING[0]
    return inputs.part(lang, number)
