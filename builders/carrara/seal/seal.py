"""Seals a release: a public part without the answers, with a commitment for every row; a private part to reveal later.

What a person learns who has the public part (and this program, for nothing here rests on its being secret):

- Every prompt, and with it whatever can be worked out of it. Where a task has a solver (`computable` in the manifest)
  anyone may run it: sealing keeps these answers out of training data as text and fixes them, it makes no secret of
  them. Where the questions are of a public source, its answers are as public as before.
- `choices`, `tokens`, `metric`, `answer_prefix`: they are in the prompt, or the same for a whole config.
- `max_output_tokens`. Some tasks give an answer as much room as its gold needs, so it may tell how long the gold is.
  It stays: prompt and answer together fill a row's length, so that the length of the prompt tells as much.
- The row's index, and with it the placement: where a recipe puts an item at several depths, the index tells the depth
  (row i of an item with 11 stands at i/10), and rows of one item can be laid side by side. It does not tell which
  option is right: options are turned from a place that the stream draws. Where a task is balanced, the answers of a
  whole block tell the last one: whoever is told some of them learns something of the others.
- Nothing else of the answers: no depths, evidence, facts or complexity (1 in `idk` says that there is an answer), no
  count of different golds, no probes (what "always A" scores says how often it is A), no scores of wrong answers, no
  notes, no frozen runs (which name the gold passages). Hashes of what could be guessed are commitments with salts: of
  plans, of the invented world's prose (its fingerprint is a hash of the stream), of roots, of the whole manifest.

The stream makes every answer, so it must be one that nobody guesses: with one prompt a guess is tested in a moment.
Whoever sealed knows all answers and could have committed to wrong ones; after the reveal `carrara verify --level
rebuild` says whether the recipe makes them.

The key is the one thing here that a clock or a system may draw, and must: with a key that could be made again, so could
the salts, and an answer of four options would be found by trying four. It is no part of the content (law 1): what is
revealed has the roots of the original.
"""

import hashlib
import json
import os
import platform
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from carrara import __version__
from carrara.card.derived import finish
from carrara.engine.code import code_origin, library_versions
from carrara.engine.files import owned, sync_folder, write_bytes
from carrara.engine.parquet import write_rows
from carrara.engine.processes import Watch
from carrara.errors import CarraraError, ReleaseError
from carrara.recipe.recipe import EMBEDDED, recipe_from_json
from carrara.release import manifest
from carrara.release.manifest import PROVENANCE
from carrara.release.reader import Release, file_rows, open_release
from carrara.release.schema import MANIFEST, ConfigFacts, Content, RecipeFacts, SealFacts, SourceFacts
from carrara.release.sealed import PREFIX, commitments, refuse_sealed
from carrara.release.verify import verify
from carrara.row import ArrowRow, DigestLine, Row, canonical_json, row_digest
from carrara.seal.answers_file import answers_path, copy_private, line_of, private_file
from carrara.seal.scheme import KEY_BYTES, SCHEME, Salts
from carrara.seal.secrecy import ENOUGH_BITS, HINT, guessable_bits, public_name, refuse_known

REVEAL: Final = "reveal.json"
# The files of the original release, but for its rows and their digests, which can be put together again.
ORIGINAL: Final = "original"
MADE_AGAIN: Final = ("data/", "digests/")
_SHORTEST: Final = 8
# What a sealed manifest keeps; all else, also what a later version adds, is left out until it is known to tell nothing.
_KEPT: Final = ("tokenizer", "written", "publication")
_KEPT_FACTS: Final = (
    *("task", "benchmark", "paper", "asks", "variant", "bucket", "bucket_tokens", "source", "lengths", "metric"),
    *("metrics", "rows", "items", "groups", "files", "tokens", "output_tokens", "fill", "histogram", "licence"),
)
_KEEP: Final = """\
These are the answers of {name}@{version}, whose public part is the folder {version} beside this one.

Keep this folder, and do not publish it before the answers are to be known: nothing else can open the commitments, and
its key cannot be made again. Then publish it whole; anyone checks it with

    carrara reveal {version} {folder}

To tell the answers of some configs only, publish their files of answers/ and nothing else of this folder: reveal.json
holds the key of all salts, and original/ the stream, which makes all the answers.
"""


@dataclass(frozen=True, slots=True)
class Order:
    """What to seal: where the parts go, the public part's name (else the recipe's), folders of frozen releases."""

    out: Path
    name: str | None = None
    releases: Sequence[Path] = ()


class Sealed(NamedTuple):
    """The folders of the two parts."""

    public: Path
    answers: Path


def seal(folder: Path, order: Order, watch: Watch, key: bytes | None = None) -> Sealed:
    """Seal a built release and return the folders of its parts; `key` is drawn by the system, but in tests.

    Both are there whole or not at all, the private one first. Raises CarraraError on a stream that others know, on a
    release that does not verify or is sealed, and where a part is there already.
    """
    release = open_release(folder)
    refuse_sealed(release.content, "sealed again")
    stream = release.content.stream
    refuse_known(stream, order.releases)
    if guessable_bits(stream) < ENOUGH_BITS:
        watch.note(f"WARNING: the stream may be guessed, and whoever guesses it has all the answers. {HINT}")
    name = public_name(release.name, stream, order.name)
    home = order.out / name
    parts = Sealed(home / release.version, home / f"{release.version}.answers")
    work = home / f".{release.version}.sealing"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with owned(home, "seal"):
            if _goes_on(work, parts):
                watch.note("giving the parts of an earlier seal their names")
            else:
                _refuse_old(parts)
                _check(folder, watch)
                shutil.rmtree(work, ignore_errors=True)
                try:
                    drawn = key if key is not None else os.urandom(KEY_BYTES)
                    _Sealing(release, name, Salts(drawn), watch).run(work, drawn, parts.answers.name)
                except BaseException:
                    # Half of the answers, and a key, are not to lie about.
                    shutil.rmtree(work, ignore_errors=True)
                    raise
            _give_names(work, parts, home)
    except OSError as error:
        raise CarraraError(
            f"cannot write {error.filename or home}: {error.strerror or error}", "mend that and seal again"
        ) from error
    return parts


def _check(folder: Path, watch: Watch) -> None:
    watch.note("checking the release's files")
    if problems := verify(folder, "files").problems:
        listed = "; ".join(problem.message for problem in problems[:3])
        raise ReleaseError(f"{folder} does not verify: {listed}", "Build it again: what is sealed must be whole.")


def _refuse_old(parts: Sealed) -> None:
    for part in parts:
        if os.path.lexists(part):
            raise ReleaseError(
                f"{part} is there already: a seal never replaces one, for its key cannot be made again",
                "Move it away, or give another --out or --name.",
            )


def _goes_on(work: Path, parts: Sealed) -> bool:
    """Whether an earlier seal was killed between the two renames: its answers have their name, its public part not."""
    try:
        key = bytes.fromhex(json.loads((parts.answers / REVEAL).read_text())["key"])
        stream = open_release(parts.answers / ORIGINAL).content.stream
        committed = commitments(open_release(work / "public").content).stream
        opened = Salts(key).commitment("stream", "", stream) == committed
    except (OSError, ValueError, KeyError, TypeError, CarraraError):
        return False
    return opened and not os.path.lexists(parts.public)


def _give_names(work: Path, parts: Sealed, home: Path) -> None:
    """The private part first: a public part without its answers could never be opened."""
    if not parts.answers.exists():
        (work / "answers").rename(parts.answers)
        sync_folder(home)
    (work / "public").rename(parts.public)
    sync_folder(home)
    shutil.rmtree(work)


class _Sealing:
    """One run over one release; memory is bounded by a row group."""

    def __init__(self, release: Release, name: str, salts: Salts, watch: Watch) -> None:
        self.release, self.name, self.salts, self.watch = release, name, salts, watch
        self.stream = release.content.stream
        self.roots: dict[str, str] = {}

    def run(self, work: Path, key: bytes, answers: str) -> None:
        """Write both parts; the file that makes a folder a release, or answers, comes last in each."""
        public, private = work / "public", work / "answers"
        work.mkdir(mode=0o700)
        public.mkdir()
        private.mkdir(mode=0o700)
        for config, facts in self.release.configs.items():
            self.watch.start(config, facts.rows)
        for config in self.release.configs:
            self._config(config, public, private)
        self.watch.note("writing the card, the manifest and the original's files")
        content = self._content()
        finish(content, public)
        provenance = {
            "carrara": __version__,
            "code": code_origin(),
            "python": platform.python_version(),
            "libraries": library_versions(),
            "sealed": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        }
        write_bytes(public / PROVENANCE, (json.dumps(provenance, indent=1, sort_keys=True) + "\n").encode())
        manifest.write_manifest(public, content)
        self._refuse_told(public)
        self._originals(private / ORIGINAL)
        with private_file(private / "README.md") as file:
            file.write(_KEEP.format(name=self.name, version=self.release.version, folder=answers).encode())
        told = {"scheme": SCHEME, "name": self.name, "version": self.release.version, "key": key.hex()}
        with private_file(private / REVEAL) as file:
            file.write(f"{canonical_json(told)}\n".encode())
        for folder in (private, private / ORIGINAL, private / "answers"):
            sync_folder(folder)

    def _config(self, config: str, public: Path, private: Path) -> None:
        facts = self.release.configs[config]
        original, sealed = hashlib.sha256(), hashlib.sha256()
        digests = public / "digests" / f"{config}.txt"
        digests.parent.mkdir(exist_ok=True)
        with private_file(private / answers_path(config)) as told, digests.open("wb") as lines:

            def rows(path: str) -> Iterator[Row]:
                for row in file_rows(self.release, path):
                    digest = row_digest(row)
                    original.update(f"{DigestLine(digest, row['id'])}\n".encode())
                    made = self._sealed(row, digest)
                    line = f"{DigestLine(row_digest(made.to_arrow()), made.id)}\n".encode()
                    sealed.update(line)
                    lines.write(line)
                    told.write(line_of(row, self.salts.salt("row", row["id"])))
                    self.watch.advance(config, 1, row["tokens"])
                    yield made

            for path in facts.files:
                write_rows(public / path, rows(path))
        if original.hexdigest() != facts.root:
            raise ReleaseError(
                f"{config}: the rows do not have the manifest's content root", "Run carrara verify DIR --level rows."
            )
        self.roots[config] = sealed.hexdigest()

    def _sealed(self, row: ArrowRow, digest: str) -> Row:
        if self._tells(row["prompt"]):
            raise ReleaseError(f"the prompt of {row['id']} holds the stream", HINT)
        facts = canonical_json({"sealed": self.salts.commitment("row", row["id"], digest)})
        return replace(
            Row.from_arrow({**row, "evidence": []}), answers=(), complexity=0, depths=(), evidence=(), facts=facts
        )

    def _content(self) -> Content:
        content, commit = self.release.content, self.salts.commitment
        stream = commit("stream", "", self.stream)
        title = f"{content.title or content.name}, answers sealed"
        recipe = content.recipe.to_json() | {"name": self.name, "title": title, "stream": PREFIX + stream}
        raw = self.release.small_file(MANIFEST)
        given = content.to_json()
        return Content(
            **{name: given[name] for name in _KEPT if name in given},
            name=self.name,
            version=self.release.version,
            title=title,
            stream=PREFIX + stream,
            canary=manifest.canary(self.name, self.release.version, PREFIX + stream),
            recipe=RecipeFacts.model_validate(recipe),
            recipe_fingerprint=hashlib.sha256(canonical_json(recipe).encode()).hexdigest(),
            sources={name: self._source(name, source) for name, source in content.sources.items()},
            configs={name: self._facts(name) for name in content.configs},
            sealed=SealFacts(
                scheme=SCHEME,
                stream=stream,
                manifest=commit("manifest", "", hashlib.sha256(raw).hexdigest()),
                roots={name: commit("root", name, facts.root) for name, facts in self.release.configs.items()},
                computable=tuple(self._computable()),
            ),
        )

    def _source(self, name: str, source: SourceFacts) -> SourceFacts:
        """A source as it is; the invented world's fingerprint is a hash of the stream, by which guesses are tested."""
        if source.files and name not in EMBEDDED:
            return source
        fingerprint = PREFIX + self.salts.commitment("source", name, source.fingerprint)
        return source.model_copy(update={"fingerprint": fingerprint})

    def _facts(self, config: str) -> ConfigFacts:
        facts = self.release.configs[config]
        return ConfigFacts(
            **{name: getattr(facts, name) for name in _KEPT_FACTS},
            root=self.roots[config],
            plans=self.salts.commitment("plans", config, facts.plans),
            answers=0,
            complexity={"0": facts.rows},
            depths=(0,) * 10,
            paper_scores={},
            probes=(),
        )

    def _computable(self) -> list[str]:
        """The configs whose answers a solver of ours computes from the prompt: the card says so."""
        configs = recipe_from_json(self.release.content.recipe.to_json()).configs()
        return sorted(
            config.name
            for config in configs
            if config.task.solve is not None and config.task.solvable(config.variant, config.source)
        )

    def _originals(self, folder: Path) -> None:
        others = [path for path in self.release.files if not path.startswith(MADE_AGAIN)]
        for path in (*others, *(name for name in (PROVENANCE, MANIFEST) if self.release.place.has(name))):
            with self.release.open(path) as source:
                copy_private(source, folder / path)

    def _tells(self, text: str) -> bool:
        # As it is or as JSON writes it. A shorter stream is no secret, and may well stand in a prompt by chance.
        written = json.dumps(self.stream, ensure_ascii=False)[1:-1]
        return len(self.stream) >= _SHORTEST and (self.stream in text or written in text)

    def _refuse_told(self, public: Path) -> None:
        """The last look: no text that is to be published holds the stream, however it came there."""
        for path in sorted(public.rglob("*")):
            told = path.read_bytes() if path.is_file() and path.suffix != ".parquet" else b""
            if self._tells(told.decode("utf-8", "replace")):
                name = path.relative_to(public)
                raise ReleaseError(f"{name} would hold the stream", "Take it out of the recipe's texts.")
