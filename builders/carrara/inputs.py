"""What tasks read besides their plan: the haystack of a source, from the invented world or from pinned files."""

import hashlib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from carrara.errors import RecipeError
from carrara.fingerprint import code_fingerprint
from carrara.recipe import Recipe
from carrara.sources import documents, open_source
from carrara.sources.haystack import Haystack, Ordered, Paragraph, open_haystack, sections_of
from carrara.sources.sentences import split
from carrara.stream import Stream
from carrara.task import Lang
from carrara.tokens import Tokenizer

EMBEDDED = "prose"
# Sections of embedded prose: 1.4 million tokens under o200k_base in English, 1.6 in Chinese; a row of 1M takes 1,049k.
PROSE_SECTIONS = 1_000


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
            self._opened[lang] = self._open(lang)
        return self._opened[lang].ordered(order, tokens, repeat)

    def prepare(self, lang: Lang) -> None:
        """Make the haystack and its token costs, so that workers find them in the cache."""
        self._opened[lang] = self._open(lang)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What the manifest says of the source. Opening it checks every file against its pin."""
        if self._source == EMBEDDED:
            key = hashlib.sha256(f"prose of {self._recipe.stream}".encode()).hexdigest()
            return {
                "title": "Prose of the invented world, written from the release's stream",
                "lang": "en, zh",
                "licence": "Apache-2.0",
                "citation": "",
                "url": "",
                "fingerprint": key,
                "files": {},
            }
        source = open_source(self._source, self._folder, self._recipe.own_sources)
        return {
            "title": source.title,
            "lang": source.lang,
            "licence": source.licence,
            "citation": source.citation,
            "url": source.url,
            "fingerprint": source.fingerprint,
            "files": {path: hashlib.sha256(file.read_bytes()).hexdigest() for path, file in source.files},
        }

    def _open(self, lang: Lang) -> Haystack:
        if self._source != EMBEDDED and self.facts["lang"] != lang:
            raise RecipeError(
                f"source {self._source} is in {self.facts['lang']}, the variant in {lang}",
                "give each language a cell of its own with a source in that language",
            )
        key = self.facts["fingerprint"]
        if self._source == EMBEDDED:
            key += code_fingerprint("world")
        return open_haystack(self._source, key, lang, self._sections(lang), self._tokenizer)

    def _sections(self, lang: Lang) -> Iterator[list[Paragraph]]:
        if self._source == EMBEDDED:
            # Its word lists take a while to read in, and are not wanted where the cache holds the haystack.
            from carrara.world import prose

            stream = Stream(self._recipe.stream, EMBEDDED)
            for index in range(PROSE_SECTIONS):
                section = prose.section(stream, lang, index)
                yield [(section.title,), *section.paragraphs]
            return
        source = open_source(self._source, self._folder, self._recipe.own_sources)
        for document in documents(source):
            yield from sections_of((split(paragraph, lang) for paragraph in document.paragraphs), lang)
