"""Seals a release: a public part with a commitment in place of every answer, and a private part to reveal later.

What the public part tells (to anyone, who may also have this program):

- Every prompt, and whatever can be computed from it. Where a task has a solver (`computable` in the manifest) anyone
  may run it: sealing commits to these answers and keeps their text out of training data, but does not hide them. Where
  the questions are from a public source, its answers are as public as before.
- `choices`, `tokens`, `metric`, `answer_prefix`: they are in the prompt, or the same for a whole config.
- `max_output_tokens`. Some tasks give an answer as much room as its gold needs, so it may tell how long the gold is.
  It stays, because the length of the prompt tells as much: prompt and answer together fill a row's length.
- The row's index, and with it the placement: where a recipe places an item at several depths, the index tells the depth
  (row i of an item with 11 rows is at depth i/10), and rows of one item can be compared. It does not tell which option
  is right: the stream draws where the rotation of options starts. In a balanced task the other answers of a block
  determine the last: some answers tell something of the others.
- Nothing else about the answers: no depths, evidence, facts or complexity (1 in `idk` means that there is an answer),
  no number of distinct golds, no probes (the score of "always A" tells how often A is gold), no scores of wrong
  answers, no notes, no frozen runs (which name the gold passages). Salted commitments replace the hashes of guessable
  values: of plans, of the invented world's prose (its fingerprint is a hash of the stream), of roots, of the manifest.

The stream makes every answer, so it must be hard to guess: one prompt is enough to test a guess. The owner of a sealed
release could have committed to wrong answers; after the reveal `carrara verify --level rebuild` shows whether the
recipe makes them.

The key must come from the system's randomness: with a key that can be made again anyone could derive the salts and find
a choice among four options by trying all four. It is not part of the content: the revealed release has the
roots of the original.
"""

import hashlib
import json
import os
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, NamedTuple

from carrara.card.card import finish
from carrara.engine.files import owned, sync_folder, write_bytes
from carrara.engine.parquet import write_rows
from carrara.engine.processes import Watch
from carrara.errors import CarraraError, ReleaseError
from carrara.recipe.recipe import EMBEDDED, recipe_from_json
from carrara.release import manifest
from carrara.release.manifest import PROVENANCE
from carrara.release.provenance import Provenance, now
from carrara.release.reader import Release, file_rows, open_release
from carrara.release.schema import (
    MANIFEST,
    PREFIX,
    ConfigFacts,
    Content,
    RecipeFacts,
    SealFacts,
    SourceFacts,
    commitments,
    refuse_sealed,
)
from carrara.release.store import Folder
from carrara.release.verify import verify
from carrara.row import ArrowRow, DigestLine, Row, canonical_json, row_digest
from carrara.seal.answers_file import REVEAL, Secrets, answers_path, copy_private, line_of, private_file, read_secrets
from carrara.seal.scheme import KEY_BYTES, SCHEME, Salts
from carrara.seal.secrecy import ENOUGH_BITS, HINT, guessable_bits, public_name, refuse_known

# The original's files but for its rows and their digests, which can be restored.
ORIGINAL: Final = "original"
MADE_AGAIN: Final = ("data/", "digests/")
_SHORTEST: Final = 8
# The keys that a sealed manifest keeps; new keys of later versions are left out unless they are listed here.
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
    """How to seal: the output folder, the public part's name (default: from the recipe), folders of frozen releases."""

    out: Path
    name: str | None = None
    releases: Sequence[Path] = ()


class Sealed(NamedTuple):
    """The folders of the two parts."""

    public: Path
    answers: Path


def seal(folder: Path, order: Order, watch: Watch, key: bytes | None = None) -> Sealed:
    """Seal a built release and return the folders of its parts; only tests give a `key`, else the system draws it.

    Each part is written whole or not at all, the private one first. Raises CarraraError on a public stream, on a
    release that does not verify or is sealed already, and where a part exists.
    """
    release = open_release(folder)
    refuse_sealed(release.content, "sealed again")
    stream = release.content.stream
    refuse_known(stream, order.releases)
    if guessable_bits(stream) < ENOUGH_BITS:
        watch.note(f"WARNING: the stream may be guessed, and it gives all the answers. {HINT}")
    name = public_name(release.name, stream, order.name)
    home = order.out / name
    parts = Sealed(home / release.version, home / f"{release.version}.answers")
    work = home / f".{release.version}.sealing"
    try:
        home.mkdir(parents=True, exist_ok=True)
        with owned(home, "seal"):
            if _goes_on(work, parts):
                watch.note("renaming the finished parts of an earlier seal")
            else:
                _refuse_old(parts)
                _check(folder, watch)
                shutil.rmtree(work, ignore_errors=True)
                try:
                    drawn = key if key is not None else os.urandom(KEY_BYTES)
                    _Sealing(release, name, Salts(drawn), watch).run(work, drawn, parts.answers.name)
                except BaseException:
                    # Never leave a key and half of the answers behind.
                    shutil.rmtree(work, ignore_errors=True)
                    raise
            _give_names(work, parts, home)
    except OSError as error:
        raise CarraraError(
            f"cannot write {error.filename or home}: {error.strerror or error}",
            "check the disk and the permissions, then seal again",
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
                f"{part} is there already: it is never replaced, for its key cannot be made again",
                "Move it away, or give another --out or --name.",
            )


def _goes_on(work: Path, parts: Sealed) -> bool:
    """Whether an earlier seal was killed between the two renames: the answers are in place, the public part is not."""
    try:
        salts = read_secrets(Folder(parts.answers)).salts
        stream = open_release(parts.answers / ORIGINAL).content.stream
        committed = commitments(open_release(work / "public").content).stream
    except ReleaseError:
        return False
    return salts.commitment("stream", "", stream) == committed and not os.path.lexists(parts.public)


def _give_names(work: Path, parts: Sealed, home: Path) -> None:
    """Rename both parts, the private one first: a public part without its answers could never be opened."""
    if not parts.answers.exists():
        (work / "answers").rename(parts.answers)
        sync_folder(home)
    (work / "public").rename(parts.public)
    sync_folder(home)
    shutil.rmtree(work)


class _Sealing:
    """Seals one release; memory is bounded by a row group."""

    def __init__(self, release: Release, name: str, salts: Salts, watch: Watch) -> None:
        self.release, self.name, self.salts, self.watch = release, name, salts, watch
        self.stream = release.content.stream
        self.roots: dict[str, str] = {}

    def run(self, work: Path, key: bytes, answers: str) -> None:
        """Write both parts; in each the file that makes it valid comes last."""
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
        write_bytes(public / PROVENANCE, Provenance.here(sealed=now()).to_bytes())
        manifest.write_manifest(public, content)
        self._refuse_told(public)
        self._originals(private / ORIGINAL)
        with private_file(private / "README.md") as file:
            file.write(_KEEP.format(name=self.name, version=self.release.version, folder=answers).encode())
        secrets = Secrets(scheme=SCHEME, name=self.name, version=self.release.version, key=key.hex())
        with private_file(private / REVEAL) as file:
            file.write(f"{canonical_json(secrets.to_json())}\n".encode())
        for folder in (private, private / ORIGINAL, private / "answers"):
            sync_folder(folder)

    def _config(self, config: str, public: Path, private: Path) -> None:
        facts = self.release.configs[config]
        original, sealed = hashlib.sha256(), hashlib.sha256()
        digests = public / "digests" / f"{config}.txt"
        digests.parent.mkdir(exist_ok=True)
        with private_file(private / answers_path(config)) as answers, digests.open("wb") as lines:

            def rows(path: str) -> Iterator[Row]:
                for row in file_rows(self.release, path):
                    digest = row_digest(row)
                    original.update(f"{DigestLine(digest, row['id'])}\n".encode())
                    sealed_row = self._sealed(row, digest)
                    line = f"{DigestLine(row_digest(sealed_row.to_arrow()), sealed_row.id)}\n".encode()
                    sealed.update(line)
                    lines.write(line)
                    answers.write(line_of(row, self.salts.salt("row", row["id"])))
                    self.watch.advance(config, 1, row["tokens"])
                    yield sealed_row

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
        # The name of a twin holds its stream.
        title = f"{content.title or self.name}, answers sealed"
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
        """The facts of a source; the invented world's fingerprint, a hash of the stream, becomes a commitment."""
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
        """The configs whose answers a task's solver computes from the prompt, for the manifest and the card."""
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
        # Verbatim or as JSON escapes it. A shorter stream is not secret, and may be in a prompt by chance.
        written = json.dumps(self.stream, ensure_ascii=False)[1:-1]
        return len(self.stream) >= _SHORTEST and (self.stream in text or written in text)

    def _refuse_told(self, public: Path) -> None:
        """Raise ReleaseError where a text of the public part holds the stream."""
        for path in sorted(public.rglob("*")):
            text = path.read_bytes() if path.is_file() and path.suffix != ".parquet" else b""
            if self._tells(text.decode("utf-8", "replace")):
                name = path.relative_to(public)
                raise ReleaseError(f"{name} would hold the stream", "Take it out of the recipe's texts.")
