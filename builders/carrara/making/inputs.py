"""What tasks read besides their plan: the haystack, tables and runs of a source, the invented world or pinned files."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

from carrara.engine import processes as engine
from carrara.engine.code import code_fingerprint
from carrara.engine.files import cache_folder
from carrara.engine.processes import Watch
from carrara.errors import RecipeError
from carrara.recipe.recipe import EMBEDDED, Config, Recipe, recipe_from_json
from carrara.release.schema import SourceFacts
from carrara.retrieval.build_run import Candidate, make_run
from carrara.retrieval.corpus import PassageCorpus, open_corpus
from carrara.retrieval.rankers import open_ranker
from carrara.retrieval.run import FrozenRun, RunRequest, read_run, write_run
from carrara.row import canonical_json
from carrara.sources import Source, documents, has_text, open_source
from carrara.sources import tables as source_tables
from carrara.sources.haystack import Haystack, HaystackPart, Ordered, Paragraph, make_part, open_haystack, sections_of
from carrara.sources.sentences import split
from carrara.stream import Stream
from carrara.tables import Tables
from carrara.task import Lang, Retrieval, Retrieved
from carrara.tokens import Tokenizer, load_tokenizer

# Sections of embedded prose: 1.4 million o200k_base tokens in English, 1.6 in Chinese; a row of 1M takes 1,049k.
PROSE_SECTIONS = 1_000
_PROSE_PARTS = 8
# Realms of the embedded corpus: 62,000 entities and 200,000 passages.
WORLD_REALMS = 62
# Questions of a kind per realm of a searched world; a real source offers all it has.
_EACH, _ALL = 200, 1 << 40
# The code that cached material depends on, of a source, of the world and of a frozen run: a change remakes it.
_SOURCE_CODE = ("sources", "text", "stream.py")
_WORLD_CODE = ("world", "stream.py")
_RUN_CODE = ("retrieval", *_SOURCE_CODE, "tables.py", "making/inputs.py")


class SourceInputs:
    """The inputs of the cells that name one source ("" for tasks that need none)."""

    def __init__(
        self, source: str, recipe: Recipe, folder: Path | None, tokenizer: Tokenizer, runs: Path | None = None
    ) -> None:
        self._source = source
        self._runs = runs
        self._searched: dict[str, FrozenRun] = {}
        self._recipe = recipe
        self._folder = folder
        self._tokenizer = tokenizer
        self._opened: dict[Lang, Haystack] = {}

    def haystack(self, lang: Lang, order: Stream, tokens: int, repeat: bool, without: Sequence[str] = ()) -> Ordered:
        """At least `tokens` tokens of prose (all there is, if it holds fewer), sections in the order of a stream.

        Sections that hold one of the texts `without` are passed over.
        """
        if lang not in self._opened:
            self.prepare(lang)
        return self._opened[lang].ordered(order, tokens, repeat, without)

    def prepare(self, lang: Lang, workers: int = 1) -> None:
        """Open the haystack; if it is not cached, `workers` processes read its parts and count their tokens."""
        if self.facts.lang not in (lang, "en, zh"):
            raise RecipeError(
                f"source {self._source} is in {self.facts.lang}, the variant in {lang}",
                "give each language a cell of its own with a source in that language",
            )
        key = self._prose_key + code_fingerprint(*_WORLD_CODE) if self._is_prose_embedded else self.facts.fingerprint
        self._opened[lang] = open_haystack(self._source, key, lang, lambda: self._parts(lang, workers), self._tokenizer)

    @cached_property
    def tables(self) -> Tables:
        """The source's normalised tables: those of the invented world, if the cell names it."""
        if self._source not in EMBEDDED:
            return source_tables(self._files)
        # Imported here: the world's word lists load slowly, and a cell that needs only the haystack does without.
        from carrara.world.world import shared_world

        return shared_world(self._recipe.stream, WORLD_REALMS)

    def retrieved(self, task: str, variant: str) -> Retrieved:
        """The frozen run of a task's variant: from the folder of runs, else from the cache, else made now."""
        return self.run(task, variant)

    def run(self, task: str, variant: str, watch: Watch | None = None) -> FrozenRun:
        """The frozen run of a task's variant, as `retrieved` gives it; `watch` gets a note before a long search."""
        name = f"{task}_{variant}"
        if name not in self._searched:
            configs = [
                config for config in self._recipe.configs() if (config.task.name, config.variant) == (task, variant)
            ]
            self._searched[name] = self._open_run(configs, watch or engine.Silent())
        return self._searched[name]

    def _open_run(self, configs: list[Config], watch: Watch) -> FrozenRun:
        first = configs[0]
        search = first.task.variants[first.variant].search
        if search is None or first.retrieval is None:
            raise RecipeError(f"task {first.task.name} retrieves no passages")
        wanted = RunRequest(
            task=first.task.name,
            variant=first.variant,
            source=self._searched_key,
            stream=self._recipe.stream,
            retrieval=first.retrieval,
            items=max(config.items for config in configs),
            tokens=max(config.bucket_tokens for config in configs),
        )
        corpus = self._corpus(first.retrieval)
        if self._runs is not None and (frozen := read_run(self._runs, wanted, corpus)) is not None:
            return frozen
        parts = [
            canonical_json(wanted.to_json()),
            corpus.digest,
            code_fingerprint(*_RUN_CODE),
            code_fingerprint(*_WORLD_CODE),
        ]
        folder = cache_folder() / "runs" / hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]
        if (frozen := read_run(folder, wanted, corpus)) is not None:
            return frozen
        watch.note(
            f"searching {corpus.name} ({corpus.size} passages) with {first.retrieval.retriever} for {wanted.name}"
        )
        ranker = open_ranker(first.retrieval, corpus, watch)
        record, table = make_run(wanted, search, self._candidates(first), corpus, ranker, watch)
        write_run(folder, wanted.name, record, table)
        return FrozenRun(record, table, corpus)

    def _corpus(self, retrieval: Retrieval) -> PassageCorpus:
        """The corpus of passages to search."""
        if retrieval.corpus in EMBEDDED:
            from carrara.world.world import shared_world

            world = shared_world(self._recipe.stream, retrieval.realms)
            key = f"world {self._recipe.stream} {retrieval.realms} {code_fingerprint(*_WORLD_CODE)}"
            return open_corpus("world", key, lambda: world.passages("en"))
        source = open_source(retrieval.corpus, self._folder, self._recipe.own_sources)
        key = f"{source.fingerprint} {code_fingerprint(*_SOURCE_CODE)}"
        return open_corpus(source.name, key, lambda: source_tables(source).passages("en"))

    def _candidates(self, config: Config) -> list[Candidate]:
        """The questions of a variant from the source's tables; for the world, from the searched realms."""
        search, retrieval = config.task.variants[config.variant].search, config.retrieval
        assert search is not None and retrieval is not None
        tables, each = self.tables, _ALL
        if self._source in EMBEDDED:
            from carrara.world.world import shared_world

            tables, each = shared_world(self._recipe.stream, retrieval.realms), _EACH
        if search.judged:
            judged = tables.judgements("en", each)
            return [(question, {judgement.passage: judgement.grade for judgement in few}) for question, few in judged]
        return [(question, {}) for question in tables.questions("en", search.kind, each)]

    @property
    def _searched_key(self) -> str:
        """The origin of the questions, as a run records it."""
        return "world" if self._source in EMBEDDED else self.facts.fingerprint

    @cached_property
    def facts(self) -> SourceFacts:
        """The manifest's facts of the source. Opening a source checks every file against its pin."""
        if self._source in EMBEDDED:
            return SourceFacts(
                title="Prose of the invented world, written from the release's stream",
                lang="en, zh",
                licence="Apache-2.0",
                citation="",
                url="",
                fingerprint=self._prose_key,
                files={},
            )
        source = self._files
        return SourceFacts(
            title=source.title,
            lang=source.lang,
            licence=source.licence,
            citation=source.citation,
            url=source.url,
            fingerprint=source.fingerprint,
            files=dict(source.sha256),
        )

    def part(self, lang: Lang, number: int) -> HaystackPart:
        """Part `number` of the haystack: some sections of embedded prose, or one file of a real source."""
        return make_part(self._sections(lang, number), lang, self._tokenizer)

    @property
    def _prose_key(self) -> str:
        return hashlib.sha256(f"prose of {self._recipe.stream}".encode()).hexdigest()

    @property
    def _is_prose_embedded(self) -> bool:
        """Whether the haystack is the world's prose, as it also is for a source of tables without running text."""
        return self._source in EMBEDDED or not has_text(self._files)

    @cached_property
    def _files(self) -> Source:
        return open_source(self._source, self._folder, self._recipe.own_sources)

    def _parts(self, lang: Lang, workers: int) -> list[HaystackPart]:
        count = _PROSE_PARTS if self._is_prose_embedded else len(self.facts.files)
        folder = str(self._folder) if self._folder else ""
        arguments = (self._source, canonical_json(self._recipe.to_json()), folder, lang)
        done = dict(engine.run(range(count), _make_part, workers=workers, start=_start, arguments=arguments))
        return [done[number] for number in range(count)]

    def _sections(self, lang: Lang, number: int) -> Iterator[list[Paragraph]]:
        if self._is_prose_embedded:
            # Imported here: the word lists load slowly, and a cached haystack does without.
            from carrara.world.prose import prose

            stream = Stream(self._recipe.stream, "prose")
            each = PROSE_SECTIONS // _PROSE_PARTS
            for index in range(each * number, each * (number + 1)):
                section = prose.section(stream, lang, index)
                yield [(section.title,), *section.paragraphs]
            return
        for document in documents(self._files, self._files.files[number][0]):
            yield from sections_of((split(paragraph, lang) for paragraph in document.paragraphs), lang)


def _start(source: str, recipe_json: str, folder: str, lang: Lang) -> tuple[SourceInputs, Lang]:
    recipe = recipe_from_json(json.loads(recipe_json))
    inputs = SourceInputs(source, recipe, Path(folder) if folder else None, load_tokenizer(recipe.tokenizer))
    return inputs, lang


def _make_part(making: tuple[SourceInputs, Lang], number: int) -> HaystackPart:
    inputs, lang = making
    return inputs.part(lang, number)
