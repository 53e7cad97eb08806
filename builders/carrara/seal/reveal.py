"""Proves row by row that answers are those of a sealed release's commitments; a folder of answers is hostile input.

A reveal is good when every row of every config has exactly one line whose columns, put back into the public row, give
the committed digest; every config then has the content root of the original manifest, to which the sealed one
committed; and the manifest and the stream open their commitments. For single configs (`configs`) only the rows are
proven, by their own salts, and the rest if it is revealed.

The commitments may be to wrong answers: whether the recipe makes these rows, `carrara verify --level rebuild` shows on
the restored release (`restore.py`).
"""

import hashlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from carrara.engine.processes import Silent, Steps, steps
from carrara.errors import CarraraError, ReleaseError
from carrara.release.manifest import stream_entry
from carrara.release.reader import Release, open_release, rows
from carrara.release.schema import MANIFEST, commitments, shown
from carrara.release.store import Folder, Place
from carrara.release.verify import DIAGNOSED, Level, Problem, Verification
from carrara.row import ArrowRow, DigestLine, canonical_json, row_digest
from carrara.seal.answers_file import FOLDER, REVEAL, Line, answers_path, lines, read_secrets
from carrara.seal.scheme import SCHEME, WITHHELD, Salts, commitment, joined, withheld
from carrara.seal.seal import MADE_AGAIN, ORIGINAL

# Row id -> the row that the recipe makes.
Remake = Callable[[str], ArrowRow]
# Per config at most this many problems are listed; the rest are counted.
LISTED: Final = 20
_FACTS: Final = re.compile(r'\{"sealed":"([0-9a-f]{64})"\}')
_INDEX: Final = re.compile(r"[0-9]{5,7}")


@dataclass(frozen=True, slots=True)
class Told:
    """What is revealed besides the rows: all salts, and the original release without its rows."""

    salts: Salts
    original: Release

    def opens_stream(self, sealed: Release) -> bool:
        """Whether the original's stream opens the commitment of a sealed release."""
        return self.salts.commitment("stream", "", self.original.content.stream) == commitments(sealed.content).stream


def open_sealed(place: Place) -> Release:
    """Open the public part. Raises ReleaseError on a release that is not sealed, or under an unknown scheme."""
    release = open_release(place)
    if (scheme := commitments(release.content).scheme) != SCHEME:
        raise ReleaseError(f"got scheme {shown(scheme)}, expected {SCHEME}", "Use a newer carrara.")
    return release


def open_told(sealed: Release, answers: Folder) -> Told:
    """Read `reveal.json` and the original manifest, and check their form. Raises ReleaseError."""
    secrets = read_secrets(answers)
    # Opened here first, because the place refuses links to other folders.
    answers.open(f"{ORIGINAL}/{MANIFEST}").close()
    revealed = Told(secrets.salts, open_release(answers.path / ORIGINAL))
    if (secrets.name, secrets.version) != (sealed.name, sealed.version) and not revealed.opens_stream(sealed):
        raise ReleaseError(
            f"{answers.label} holds the answers of {secrets.name}@{secrets.version}, expected those of "
            f"{sealed.name}@{sealed.version}",
            "Give the answers that belong to the sealed release.",
        )
    return revealed


def reveal(
    sealed: Release,
    answers: Folder,
    configs: Sequence[str] = (),
    remake: Callable[[], Remake] | None = None,
    on_progress: Steps | None = None,
) -> Verification:
    """Check the answers of all or some configs against the commitments. Raises ReleaseError where they cannot be read.

    `remake` returns the function that remakes rows from the original's recipe, to name the altered columns of a wrong
    row; it is used only if the original manifest opens its commitment. `on_progress(config, rows done, rows)`.
    """
    for name in configs:
        if name not in sealed.configs:
            raise ReleaseError(f"no config {shown(name)} in {sealed.name}@{sealed.version}", "See carrara list DIR.")
    revealed = None if configs and not answers.has(REVEAL) else open_told(sealed, answers)
    work = _Reveal(sealed, answers, revealed, on_progress or steps(Silent()))
    if revealed is not None:
        work.check_told(revealed)
    work.remake = remake if revealed is not None and work.report.checked["manifest"] else None
    for name in configs or sealed.configs:
        work.check_config(name)
    if not sealed.configs:
        work.object("the sealed release has no configs: nothing to check")
    if not configs:
        work.check_extra()
    return work.done()


class _Reveal:
    """One check of one folder of answers: collects the report."""

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
        """Add a problem; beyond the limit of a config problems are only counted."""
        level: Level = "rows" if config else "files"
        self._listed[config] = self._listed.get(config, 0) + 1
        if self._listed[config] <= LISTED:
            self.report.problems.append(Problem(level, config, row, column, message))

    def check_told(self, revealed: Told) -> None:
        """Check manifest, stream, roots and plans of the original against their commitments."""
        original, salts = revealed.original, revealed.salts
        raw = hashlib.sha256(original.small_file(MANIFEST)).hexdigest()
        if salts.commitment("manifest", "", raw) == self._committed.manifest:
            self.report.checked["manifest"] = 1
        else:
            self.object(f"{ORIGINAL}/{MANIFEST} is not the manifest that was committed to, or the key is wrong")
        if revealed.opens_stream(self.sealed):
            self.report.checked["stream"] = 1
        else:
            self.object(f"stream {shown(original.content.stream)} is not the one that was committed to")
        self._check_files(original)
        for name in sorted(set(self.sealed.configs) - set(original.configs)):
            self.object(f"{ORIGINAL}/{MANIFEST} has no such config", name)
        for name in sorted(set(self.sealed.configs) & set(original.configs)):
            public, hidden = self.sealed.configs[name], original.configs[name]
            if salts.commitment("root", name, hidden.root) == self._committed.roots[name]:
                self._roots[name] = hidden.root
            else:
                self.object("its content root is not the one that was committed to", name)
            if salts.commitment("plans", name, hidden.plans) != public.plans:
                self.object("the digest of its plans is not the one that was committed to", name)
            if hidden.files != public.files or hidden.rows != public.rows:
                self.object("its data files or its number of rows differ from the original's", name)

    def check_config(self, config: str) -> None:
        """Check every row against its line; rows and lines must pair up in the same order."""
        original, public = hashlib.sha256(), hashlib.sha256()
        done, facts = 0, self.sealed.configs[config]
        try:
            pairing = _InOrder(lines(self.answers, config), lambda message, row: self.object(message, config, row))
            for row in rows(self.sealed, config):
                done += 1
                public.update(f"{DigestLine(row_digest(row), row['id'])}\n".encode())
                if (line := pairing.of(row["id"])) is None:
                    self.object("the answers have no line for this row at its position", config, shown(row["id"])[1:-1])
                else:
                    digest = self._check_row(config, row, line)
                    original.update(f"{DigestLine(digest, row['id'])}\n".encode())
                self.progress(config, done, facts.rows)
            pairing.rest()
        # ValueError: NaN in a depth of a public row.
        except (ReleaseError, ValueError) as error:
            self.object(error.message if isinstance(error, ReleaseError) else "a row holds NaN", config)
        else:
            self.report.checked["configs"] += 1
            if done != facts.rows or not done:
                self.object(f"got {done} sealed rows, expected {facts.rows}", config)
            self._check_roots(config, public.hexdigest(), original.hexdigest())

    def done(self) -> Verification:
        """The report, with the number of unlisted problems."""
        for config, count in self._listed.items():
            if count > LISTED:
                message = f"and {count - LISTED:,} more problems"
                self.report.problems.append(Problem("rows" if config else "files", config, "", "", message))
        return self.report

    def check_extra(self) -> None:
        """Object to answers that belong to no config."""
        known = {*self.sealed.configs, *(self.told.original.configs if self.told else ())}
        files, odd = self.answers.listing()
        for path in odd:
            self.object(f"{shown(path)} is a link or no regular file")
        for path in files:
            if path.startswith(f"{FOLDER}/") and path not in {answers_path(name) for name in known}:
                self.object(f"{shown(path)} belongs to no config: extra answers")

    def _check_files(self, original: Release) -> None:
        """Check the original's other files (card, figures, frozen runs) against its manifest."""
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
            self.object("the rows with their answers do not have the original's content root", config)
        elif config in self._roots:
            self.report.checked["roots"] += 1

    def _check_row(self, config: str, row: ArrowRow, line: Line) -> str:
        """The digest of the row with its answers; reports whether it opens the row's commitment."""
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
        """Report what was altered in a line: its salt, or the columns that differ from the committed row."""
        salt = self.told.salts.salt("row", line.id) if self.told else line.salt
        if salt != line.salt and commitment("row", line.id, salt, digest) == committed:
            self.object("its salt was altered; its columns are the committed ones", config, line.id, "salt")
            return
        what = "it is not the row that was committed to"
        remade, why = self._remade(line.id)
        if remade is None:
            self.object(f"{what} ({why})", config, line.id)
        elif commitment("row", line.id, salt, row_digest(remade)) != committed:
            why = "the recipe here makes another row than the committed one"
            self.object(f"{what} (column unknown: {why})", config, line.id)
        else:
            told: Mapping[str, object] = line.told
            expected: Mapping[str, object] = withheld(remade)
            altered = [name for name in WITHHELD if canonical_json(told[name]) != canonical_json(expected[name])]
            for name in altered:
                message = f"{what}: got {shown(told[name])}, committed {shown(expected[name])}"
                self.object(message, config, line.id, name)
            if not altered:
                self.object(f"{what}: the public columns were altered", config, line.id)

    def _remade(self, row_id: str) -> tuple[ArrowRow | None, str]:
        self._diagnosed += 1
        if self.remake is None or self._diagnosed > DIAGNOSED:
            return None, "one digest covers the whole row; its columns were not compared"
        try:
            return self.remake()(row_id), ""
        except CarraraError as error:
            return None, f"one digest covers the whole row, and the recipe cannot remake it: {error.message}"


class _InOrder:
    """Pairs lines with rows, both in the order of their indices; reports lines that are duplicate or out of place.

    Keeps one line in memory. `tell(message, row id)` is called for every skipped line.
    """

    def __init__(self, answers: Iterator[Line], tell: Callable[[str, str], None]) -> None:
        self._found, self._tell = answers, tell
        self._next = next(answers, None)

    def of(self, row_id: str) -> Line | None:
        """The line of a row; None where another row's line comes next."""
        while self._next is not None and self._next.id != row_id:
            if _after(self._next.id, row_id):
                return None
            self._pass_over()
        line, self._next = self._next, next(self._found, None) if self._next else None
        return line

    def rest(self) -> None:
        """Skip the lines left after the last row."""
        while self._next is not None:
            self._pass_over()

    def _pass_over(self) -> None:
        assert self._next is not None
        line, self._next = self._next, next(self._found, None)
        self._tell(f"line {line.number} of the answers is duplicate, out of place or of no row", shown(line.id)[1:-1])


def _after(row_id: str, earlier_id: str) -> bool:
    """Whether a row comes after another of the same config."""
    (prefix, _, index), (earlier_prefix, _, earlier_index) = row_id.rpartition("/"), earlier_id.rpartition("/")
    numbers = bool(_INDEX.fullmatch(index) and _INDEX.fullmatch(earlier_index))
    return prefix == earlier_prefix and numbers and int(index) > int(earlier_index)


def _committed(row: ArrowRow) -> str | None:
    """The commitment in a sealed row; None where the row is not sealed."""
    match = _FACTS.fullmatch(row["facts"])
    has_answer = row["answers"] or row["evidence"] or row["depths"] or row["complexity"]
    return match[1] if match and not has_answer else None
