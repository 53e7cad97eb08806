"""Proves that answers are those that a sealed release committed to, row by row; a folder of answers is hostile input.

Good is a reveal that leaves nothing out: every row of every config has exactly one line whose columns, put back into
the public row, have the committed digest; so put together, every config has the content root that the original
manifest says and the sealed one committed to; the manifest and the stream open their commitments. Of single configs
(`configs`) the rows alone are proven, by their own salts, and the rest is proven too where it is told.

Whoever sealed may have committed to wrong answers: that the recipe makes these rows, `carrara verify --level rebuild`
of the release put together says (`restore.py`).
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.engine.processes import Silent, Steps, steps
from carrara.errors import CarraraError, ReleaseError
from carrara.release.manifest import stream_entry
from carrara.release.reader import Release, open_release, parsed_json, rows
from carrara.release.schema import HINT, MANIFEST, shown
from carrara.release.sealed import commitments
from carrara.release.store import Folder, Place
from carrara.release.verify import DIAGNOSED, Level, Problem, Verification
from carrara.row import ArrowRow, DigestLine, canonical_json, row_digest
from carrara.seal.answers_file import FOLDER, Line, answers_path, lines
from carrara.seal.scheme import SCHEME, WITHHELD, Salts, commitment, joined, withheld
from carrara.seal.seal import MADE_AGAIN, ORIGINAL, REVEAL

# Row id -> the row as the recipe makes it.
Remake = Callable[[str], ArrowRow]
# Of a config at most so many problems are listed; the rest are counted.
LISTED: Final = 20
_SMALL: Final = 4_096
_KEY: Final = re.compile(r"[0-9a-f]{64}")
_FACTS: Final = re.compile(r'\{"sealed":"([0-9a-f]{64})"\}')
_INDEX: Final = re.compile(r"[0-9]{5,7}")


@dataclass(frozen=True, slots=True)
class Told:
    """What is told besides the rows: the salts of everything, and the release that was sealed, without its rows."""

    salts: Salts
    original: Release

    def opens_stream(self, sealed: Release) -> bool:
        """Whether the original's stream is the one that a sealed release committed to."""
        return self.salts.commitment("stream", "", self.original.content.stream) == commitments(sealed.content).stream


def open_sealed(place: Place) -> Release:
    """Read the public part. Raises ReleaseError on a release that is not sealed, or by a scheme that is unknown."""
    release = open_release(place)
    if (scheme := commitments(release.content).scheme) != SCHEME:
        raise ReleaseError(f"sealed by scheme {shown(scheme)}, expected {SCHEME}", "Use a newer carrara.")
    return release


def open_told(sealed: Release, answers: Folder) -> Told:
    """What `reveal.json` and the original manifest say, their form checked. Raises ReleaseError."""
    with answers.open(REVEAL) as stream:
        private = parsed_json(stream.read(_SMALL), REVEAL)
    if not isinstance(private, dict) or set(private) != {"scheme", "name", "version", "key"}:
        raise ReleaseError(f"{REVEAL}: {shown(private)}, expected scheme, name, version, key", HINT)
    key = private["key"]
    if private["scheme"] != SCHEME or not isinstance(key, str) or not _KEY.fullmatch(key):
        told = f"{REVEAL}: scheme {shown(private['scheme'])}, key {shown(key)}"
        raise ReleaseError(f"{told}, expected {SCHEME} and 64 hexadecimal digits", HINT)
    # Opened here first: no link may lead to another folder.
    answers.open(f"{ORIGINAL}/{MANIFEST}").close()
    told_of = Told(Salts(bytes.fromhex(key)), open_release(answers.path / ORIGINAL))
    named = (private["name"], private["version"])
    if named != (sealed.name, sealed.version) and not told_of.opens_stream(sealed):
        raise ReleaseError(
            f"{answers.label} holds the answers of {shown(named[0])}@{shown(named[1])}, expected those of "
            f"{sealed.name}@{sealed.version}",
            "Give the answers that belong to the sealed release.",
        )
    return told_of


def reveal(
    sealed: Release,
    answers: Folder,
    configs: Sequence[str] = (),
    remake: Callable[[], Remake] | None = None,
    on_progress: Steps | None = None,
) -> Verification:
    """Check answers against the commitments: of all configs, or of some. Raises ReleaseError where nothing is to read.

    `remake` gives what makes rows from the original's recipe, to say which column of a wrong row was altered; it is
    asked only once the original manifest has opened its commitment. `on_progress(config, rows done, rows)`.
    """
    for name in configs:
        if name not in sealed.configs:
            raise ReleaseError(f"no config {shown(name)} in {sealed.name}@{sealed.version}", "See carrara list DIR.")
    told = None if configs and not answers.has(REVEAL) else open_told(sealed, answers)
    work = _Reveal(sealed, answers, told, on_progress or steps(Silent()))
    if told is not None:
        work.check_told(told)
    work.remake = remake if told is not None and work.report.checked["manifest"] else None
    for name in configs or sealed.configs:
        work.check_config(name)
    if not sealed.configs:
        work.object("the sealed release has no configs: nothing to check")
    if not configs:
        work.check_extra()
    return work.done()


class _Reveal:
    """One run over one folder of answers: collects the report."""

    def __init__(self, sealed: Release, answers: Folder, told: Told | None, progress: Steps) -> None:
        self.sealed, self.answers, self.told, self.progress = sealed, answers, told, progress
        self.remake: Callable[[], Remake] | None = None
        self.report = Verification(checked={"rows": 0, "configs": 0, "roots": 0, "manifest": 0, "stream": 0})
        self._committed = commitments(sealed.content)
        # Content roots of the original that open their commitments.
        self._roots: dict[str, str] = {}
        self._diagnosed = 0
        self._listed: dict[str, int] = {}

    def object(self, message: str, config: str = "", row: str = "", column: str = "") -> None:
        """Add a problem; of a config that has many, the number of those left out."""
        level: Level = "rows" if config else "files"
        self._listed[config] = self._listed.get(config, 0) + 1
        if self._listed[config] <= LISTED:
            self.report.problems.append(Problem(level, config, row, column, message))

    def check_told(self, told: Told) -> None:
        """Manifest, stream, roots and plans of the original against their commitments."""
        original, salts = told.original, told.salts
        raw = hashlib.sha256(original.small_file(MANIFEST)).hexdigest()
        if salts.commitment("manifest", "", raw) == self._committed.manifest:
            self.report.checked["manifest"] = 1
        else:
            self.object(f"{ORIGINAL}/{MANIFEST} is not the manifest that was committed to, or the key is another")
        if told.opens_stream(self.sealed):
            self.report.checked["stream"] = 1
        else:
            self.object(f"stream {shown(original.content.stream)} is not the one that was committed to")
        self._check_files(original)
        for name in sorted(set(self.sealed.configs) - set(original.configs)):
            self.object(f"{ORIGINAL}/{MANIFEST} has no such config", name)
        for name in sorted(set(self.sealed.configs) & set(original.configs)):
            mine, its = self.sealed.configs[name], original.configs[name]
            if salts.commitment("root", name, its.root) == self._committed.roots[name]:
                self._roots[name] = its.root
            else:
                self.object("its content root is not the one that was committed to", name)
            if salts.commitment("plans", name, its.plans) != mine.plans:
                self.object("the digest of its plans is not the one that was committed to", name)
            if its.files != mine.files or its.rows != mine.rows:
                self.object("the original has other data files or another number of rows", name)

    def check_config(self, config: str) -> None:
        """Every row against its line: each of the one has one of the other, in the same order."""
        original, public = hashlib.sha256(), hashlib.sha256()
        done, facts = 0, self.sealed.configs[config]
        try:
            told = _InOrder(lines(self.answers, config), lambda message, row: self.object(message, config, row))
            for row in rows(self.sealed, config):
                done += 1
                public.update(f"{DigestLine(row_digest(row), row['id'])}\n".encode())
                if (line := told.of(row["id"])) is None:
                    self.object("no line of the answers stands in its place", config, shown(row["id"])[1:-1])
                else:
                    digest = self._check_row(config, row, line)
                    original.update(f"{DigestLine(digest, row['id'])}\n".encode())
                self.progress(config, done, facts.rows)
            told.rest()
        # ValueError: NaN in a depth of a row of the public part.
        except (ReleaseError, ValueError) as error:
            self.object(error.message if isinstance(error, ReleaseError) else "a row holds NaN", config)
        else:
            self.report.checked["configs"] += 1
            if done != facts.rows or not done:
                self.object(f"{done} sealed rows, expected {facts.rows}", config)
            self._check_roots(config, public.hexdigest(), original.hexdigest())

    def done(self) -> Verification:
        """The report, with the number of problems that are not listed."""
        for config, count in self._listed.items():
            if count > LISTED:
                message = f"and {count - LISTED:,} more problems"
                self.report.problems.append(Problem("rows" if config else "files", config, "", "", message))
        return self.report

    def check_extra(self) -> None:
        """Files of answers that are of no config."""
        known = {*self.sealed.configs, *(self.told.original.configs if self.told else ())}
        files, odd = self.answers.listing()
        for path in odd:
            self.object(f"{shown(path)} is a link or no regular file")
        for path in files:
            if path.startswith(f"{FOLDER}/") and path not in {answers_path(name) for name in known}:
                self.object(f"{shown(path)} belongs to no config: extra answers")

    def _check_files(self, original: Release) -> None:
        """The original's other files (card, figures, frozen runs) against its manifest."""
        for path in sorted(original.files):
            if path.startswith(MADE_AGAIN):
                continue
            try:
                with original.open(path) as stream:
                    if stream_entry(stream) != original.files[path]:
                        self.object(f"{ORIGINAL}/{path} is not the original's file")
            except ReleaseError as error:
                self.object(f"{ORIGINAL}/{error.message}")

    def _check_roots(self, config: str, public: str, original: str) -> None:
        if public != self.sealed.configs[config].root:
            self.object("the sealed rows do not have the content root of their manifest: they were altered", config)
        elif config in self._roots and original != self._roots[config]:
            self.object("the rows put together do not have the original's content root", config)
        elif config in self._roots:
            self.report.checked["roots"] += 1

    def _check_row(self, config: str, row: ArrowRow, line: Line) -> str:
        """The digest of the row put together; whether it opens the row's commitment goes into the report."""
        digest = row_digest(joined(row, line.told))
        committed = _committed(row)
        if committed is None:
            self.object("the sealed row holds no commitment, or an answer", config, line.id)
        elif commitment("row", line.id, line.salt, digest) == committed:
            self.report.checked["rows"] += 1
        else:
            self._diagnose(config, row, line, digest, committed)
        return digest

    def _diagnose(self, config: str, row: ArrowRow, line: Line, digest: str, committed: str) -> None:
        """Say what of a line was altered: its salt, or the columns that differ from the row as it was committed to."""
        salt = self.told.salts.salt("row", line.id) if self.told else line.salt
        if salt != line.salt and commitment("row", line.id, salt, digest) == committed:
            self.object("its salt is altered; its columns are the committed ones", config, line.id, "salt")
            return
        what = "it is not the row that was committed to"
        should, why = self._remade(line.id)
        if should is None:
            self.object(f"{what} ({why})", config, line.id)
        elif commitment("row", line.id, salt, row_digest(should)) != committed:
            why = "the recipe here makes another row than the committed one"
            self.object(f"{what} (column unknown: {why})", config, line.id)
        else:
            told: Mapping[str, object] = line.told
            true: Mapping[str, object] = withheld(should)
            altered = [name for name in WITHHELD if canonical_json(told[name]) != canonical_json(true[name])]
            for name in altered:
                message = f"{what}: got {shown(told[name])}, committed {shown(true[name])}"
                self.object(message, config, line.id, name)
            if not altered:
                self.object(f"{what}: the public columns were altered", config, line.id)

    def _remade(self, row_id: str) -> tuple[ArrowRow | None, str]:
        self._diagnosed += 1
        if self.remake is None or self._diagnosed > DIAGNOSED:
            return None, "one digest covers the whole row; not looked into"
        try:
            return self.remake()(row_id), ""
        except CarraraError as error:
            return None, f"one digest covers the whole row, and it cannot be made again: {error.message}"


class _InOrder:
    """Lines beside rows, both in the order of their indices: what is missing, double or out of place is told.

    Nothing is kept but one line. `tell(message, row id)` is told of lines that are passed over.
    """

    def __init__(self, found: Iterator[Line], tell: Callable[[str, str], None]) -> None:
        self._found, self._tell = found, tell
        self._next = next(found, None)

    def of(self, row_id: str) -> Line | None:
        """The line of a row; None where it is not the next one."""
        while self._next is not None and self._next.id != row_id:
            if _after(self._next.id, row_id):
                return None
            self._pass_over()
        line, self._next = self._next, next(self._found, None) if self._next else None
        return line

    def rest(self) -> None:
        """Pass over what is left when the rows are done."""
        while self._next is not None:
            self._pass_over()

    def _pass_over(self) -> None:
        assert self._next is not None
        line, self._next = self._next, next(self._found, None)
        self._tell(f"line {line.number} of the answers is of no row here, double or out of place", shown(line.id)[1:-1])


def _after(one: str, other: str) -> bool:
    """Whether a row of the same config stands behind another."""
    (name, _, index), (stem, _, place) = one.rpartition("/"), other.rpartition("/")
    numbers = bool(_INDEX.fullmatch(index) and _INDEX.fullmatch(place))
    return name == stem and numbers and int(index) > int(place)


def _committed(row: ArrowRow) -> str | None:
    """The commitment that a sealed row holds; None where it is no sealed row."""
    found = _FACTS.fullmatch(row["facts"])
    told = row["answers"] or row["evidence"] or row["depths"] or row["complexity"]
    return found[1] if found and not told else None
