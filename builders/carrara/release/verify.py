"""Verifies a release: files < rows < plans < rebuild, each level with those below it.

`files` asks whether this is the download, `rows` whether it is the dataset, `plans` and `rebuild` whether the recipe
makes it. From `rows` on, a data file with other bytes but the same rows is accepted as re-encoded. Fails closed: having
nothing to check is a problem. The caller passes what needs the recipe's code as a `Remaker`.
"""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import SEEK_END
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

from carrara.engine.processes import Silent, Steps, steps
from carrara.errors import CarraraError, ReleaseError
from carrara.release.manifest import PROVENANCE, canary, lines_difference, manifest_bytes, recipe_file, stream_entry
from carrara.release.reader import (
    Release,
    config_of,
    digest_line,
    digest_line_of,
    digest_lines,
    open_release,
    parsed_json,
    row_at,
    rows,
)
from carrara.release.schema import (
    CROISSANT,
    ERRATA,
    MANIFEST,
    PREFIX,
    SIGNATURE,
    ConfigFacts,
    Content,
    FileEntry,
    Manifest,
    shown,
)
from carrara.release.store import Place
from carrara.row import SCHEMA, ArrowRow, DigestLine, canonical_json, content_root
from carrara.scoring import RowError

T = TypeVar("T")
Level = Literal["files", "rows", "plans", "rebuild"]
# Remaking a row may take seconds: a few show what was changed.
DIAGNOSED = 5
_LISTED = 5
# Keys that word what a task is: another version of Carrara may word them otherwise over the same rows.
_WORDING = frozenset(("asks", "paper", "metrics"))
_RECORDS = ".cache/huggingface/"
_DELETE = f"; huggingface_hub leaves records of a download there: delete the folder {_RECORDS[:-1]}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One difference from the manifest; config, row and column are empty where they are not known."""

    level: Level
    config: str
    row: str
    column: str
    message: str


@dataclass(slots=True)
class Verification:
    """The problems, and how much was checked: `checked` counts files, configs, rows, plans and roots.

    `reencoded` names the data files with other bytes but identical rows. `root` is the release root by the manifest
    (see `release_root`), "" where not the whole release was checked; from level `rows` on it is proven.
    """

    problems: list[Problem] = field(default_factory=list)
    checked: dict[str, int] = field(default_factory=dict)
    reencoded: list[str] = field(default_factory=list)
    root: str = ""

    @property
    def is_good(self) -> bool:
        """Whether something was checked and no problem was found."""
        return not self.problems and any(self.checked.values())


@dataclass(frozen=True, slots=True)
class Remaker:
    """What the recipe's code can do for a verification; None where the caller has no such function.

    remake: row id -> the row that the recipe makes, as Arrow returns it. replan: plans digest by config. rebuild: the
    manifest of a fresh build. row_ids: config -> the ids of its rows by the recipe. recount: the manifest's content as
    the rows bear it out.
    """

    remake: Callable[[str], ArrowRow] | None = None
    replan: Callable[[], Mapping[str, str]] | None = None
    rebuild: Callable[[], Manifest] | None = None
    row_ids: Callable[[str], Sequence[str]] | None = None
    recount: Callable[[], Content] | None = None


def verify(
    where: Path | Place, level: Level = "files", remaker: Remaker | None = None, on_progress: Steps | None = None
) -> Verification:
    """Check a release, in a folder or at the Hub, up to a level. Raises ReleaseError for a frozen
    record, and if there is no readable manifest.

    `on_progress(what, done, total)` is called for every file and for the rows of every config.
    """
    if level not in get_args(Level):
        raise ReleaseError(
            f"got level {level!r}, expected one of {', '.join(get_args(Level))}", "Give --level one of these."
        )
    release = open_release(where)
    release.refuse_record()
    work = _Verification(release, remaker or Remaker(), on_progress or steps(Silent()))
    work.check_manifest()
    work.check_files(level)
    if level != "files" and not work.report.problems and not release.content.is_sealed:
        work.recount()
    if level in ("plans", "rebuild"):
        work.compare_ids()
        work.compare_plans()
    if level == "rebuild":
        work.compare_build()
    work.report.root = release.root
    return work.report


def verify_row(where: Path | Place, row_id: str, remaker: Remaker | None = None) -> Verification:
    """Check one row against its digest line; reads only its row group and that line."""
    release = open_release(where)
    release.refuse_record()
    config = config_of(release, row_id)
    work = _Verification(release, remaker or Remaker(), steps(Silent()))
    work.check_version()
    try:
        line = digest_line_of(release, row_id)
        row = row_at(release, config, int(row_id.rpartition("/")[2]))
        if row["id"] != row_id:
            work.object("rows", f"got row {shown(row['id'])} at its position: rows are out of order", config, row_id)
        elif digest_line(row) != line:
            work.diagnose(config, row_id, row, line)
        work.report.checked["rows"] = 1
    except ReleaseError as error:
        work.object("rows", error.message, config, row_id)
    return work.report


class _Verification:
    """One verification of one release: collects the report."""

    def __init__(self, release: Release, remaker: Remaker, progress: Steps) -> None:
        self.release = release
        self.remaker = remaker
        self.progress = progress
        self.report = Verification(checked={"files": 0, "configs": 0, "rows": 0})
        self._diagnosed = 0

    def object(self, level: Level, message: str, config: str = "", row: str = "", column: str = "") -> None:
        """Add a problem."""
        self.report.problems.append(Problem(level, config, row, column, message))

    def check_version(self) -> None:
        """The release has the version that its address names."""
        release = self.release
        if release.place.version not in (None, release.version):
            self.object("files", f"{release.place.label} holds version {release.version}: its tag was moved")

    def check_manifest(self) -> None:
        """The manifest is consistent: form, recipe, canary, and one owner for every file."""
        release, content = self.release, self.release.content
        if manifest_bytes(release.manifest) != release.small_file(MANIFEST):
            self.object("files", f"{MANIFEST} is not in its canonical form: it was edited")
        self.check_version()
        recipe = content.recipe
        if hashlib.sha256(canonical_json(recipe.to_json()).encode()).hexdigest() != content.recipe_fingerprint:
            self.object("files", "recipe_fingerprint is not that of the recipe in the manifest")
        for key, stated, in_recipe in (
            ("name", content.name, recipe.name),
            ("version", content.version, recipe.version),
            ("stream", content.stream, recipe.stream),
        ):
            if in_recipe != stated:
                self.object("files", f"{key} is {shown(stated)}, the recipe's is {shown(in_recipe)}")
        if content.canary != (expected := canary(release.name, release.version, content.stream)):
            self.object("files", f"canary is {shown(content.canary)}, expected {expected}")
        sealed = PREFIX + content.sealed.stream if content.sealed else None
        if content.stream != sealed if sealed else content.stream.startswith(PREFIX):
            self.object("files", f"stream is {shown(content.stream)}, sealed is {shown(sealed)}")
        if not release.configs:
            self.object("files", "the manifest has no configs: nothing to check")
        owned: set[str] = set()
        for name, facts in release.configs.items():
            for path in [f"digests/{name}.txt", *facts.files]:
                if path not in release.files or path in owned:
                    why = "belongs to two configs" if path in owned else "is not in the manifest's files"
                    self.object("files", f"{path} {why}", name)
                owned.add(path)
            listed = release.files.get(f"digests/{name}.txt")
            if listed and listed.sha256 != facts.root:
                self.object("files", f"root is {facts.root}, digests/{name}.txt has {listed.sha256}", name)
        for path in sorted(release.files):
            if path.startswith(("data/", "digests/")) and path not in owned:
                self.object("files", f"{path} belongs to no config")

    def check_files(self, level: Level) -> None:
        """Check every file against the manifest; then the rows of all configs, or only of altered data files."""
        altered, missing = self._altered_files()
        self._check_recipe_file()
        for message in disagreements(self.release):
            self.object("files", message)
        data = {path for facts in self.release.configs.values() for path in facts.files}
        for path in sorted(set(altered) - data):
            self.object("files", altered[path])
        for name, facts in self.release.configs.items():
            suspects = [path for path in facts.files if path in altered]
            if level == "files" and not suspects:
                continue
            if not missing.intersection(suspects) and self._check_rows(name, facts):
                for path in suspects:
                    if level == "files":
                        self.object("files", f"{altered[path]}; re-encoded: rows are identical", name)
                    else:
                        self.report.reencoded.append(path)
            else:
                for path in suspects:
                    self.object("files", altered[path], name)
        if level != "files" and not self.report.checked["rows"]:
            self.object("rows", "no row was checked")

    def recount(self) -> None:
        """Compare what the manifest says of the rows with what they bear out."""
        if self.remaker.recount is None:
            return
        self.report.checked["facts"] = 0
        try:
            made = self.remaker.recount()
        except (CarraraError, RowError) as error:
            self.object("rows", f"the manifest's facts cannot be counted again: {shown(str(error))[1:-1]}")
            return
        self._differ("rows", made.to_json(), self.release.content.to_json(), "the rows bear out")

    def compare_ids(self) -> None:
        """Compare the ids of the rows with those that the recipe makes."""
        if self.remaker.row_ids is None:
            return
        for name, facts in self.release.configs.items():
            try:
                expected = self.remaker.row_ids(name)
                got = [line.id for line in digest_lines(self.release, name)]
            except CarraraError as error:
                self.object("plans", f"the ids cannot be compared: {error.message}", name)
                continue
            if len(expected) != facts.rows:
                self.object("plans", f"{facts.rows} rows, the recipe makes {len(expected)}", name)
            for position, (one, other) in enumerate(zip(got, expected, strict=False)):
                if one != other:
                    self.object("plans", f"row {position} is {shown(one)}, the recipe's is {shown(other)}", name)
                    break

    def compare_plans(self) -> None:
        """Compare the digests of the recipe's plans with the manifest, config by config."""
        self.report.checked["plans"] = 0
        if (made := self._made("plans", self.remaker.replan)) is None:
            return
        for name in sorted(set(made) - set(self.release.configs)):
            self.object("plans", "the recipe makes this config, but the manifest does not list it", name)
        for name, facts in self.release.configs.items():
            self.report.checked["plans"] += 1
            if made.get(name) != facts.plans:
                got = shown(made.get(name, "nothing"))
                self.object("plans", f"the recipe gives plans {got}, the manifest says {facts.plans}", name)

    def compare_build(self) -> None:
        """Compare a fresh build with the release: the whole content of the manifest, and the files made from it."""
        self.report.checked["root"] = 0
        if (made := self._made("rebuild", self.remaker.rebuild)) is None:
            return
        self.report.checked["root"] = len(self.release.configs)
        self._differ("rebuild", made.content.to_json(), self.release.content.to_json(), "the recipe gives")
        # Rows are compared by their digests: other tools may write other bytes of them.
        for path in sorted({*made.files, *self.release.files}):
            there, here = made.files.get(path), self.release.files.get(path)
            if there != here and not (there and here and path.startswith("data/")):
                what = "is not made" if there is None else "is missing" if here is None else "has other bytes"
                self.object("rebuild", f"{path} {what} by a fresh build" if here else f"{path}, of a build, {what}")

    def _made(self, level: Level, make: Callable[[], T] | None) -> T | None:
        """What the recipe's code makes; None, and a problem, where it cannot."""
        if make is None:
            self.object(level, "nothing to compare with: the recipe's code was not given")
            return None
        try:
            return make()
        except CarraraError as error:
            self.object(level, f"the recipe cannot be run: {error.message}")
            return None

    def _differ(self, level: Level, made: Any, stated: Any, who: str, at: tuple[str, ...] = ()) -> None:
        """A problem for every key in which two contents differ."""
        if isinstance(made, Mapping) and isinstance(stated, Mapping):
            for key in sorted({*made, *stated} - (_WORDING if level == "rows" else frozenset())):
                self._differ(level, made.get(key), stated.get(key), who, (*at, str(key)))
            return
        if not at or at[0] not in ("recipe", "recipe_fingerprint"):
            self.report.checked["facts"] = self.report.checked.get("facts", 0) + 1
        if made != stated:
            config = at[1] if len(at) > 1 and at[0] == "configs" else ""
            named = ".".join(at[2:] if config else at)
            self.object(level, f"{named} is {_brief(stated)}, {who} {_brief(made)}", config)

    def diagnose(self, config: str, row_id: str, row: ArrowRow, line: DigestLine) -> None:
        """Name the columns of a row that differ from the row that the recipe makes."""
        what = f"digest {digest_line(row).digest[:16]}..., expected {line.digest[:16]}..."
        remade, why = self._remade(row_id)
        if remade is None:
            self.object("rows", f"{what}; column unknown: {why}", config, row_id)
            return
        if digest_line(remade) == digest_line(row):
            self.object(
                "rows", f"{what}; the row is the one that the recipe makes: its digest line was altered", config, row_id
            )
            return
        if digest_line(remade) != line:
            why = "the recipe here makes another row than the release's (other code or sources)"
            self.object("rows", f"{what}; column unknown: {why}", config, row_id)
            return
        got: Mapping[str, object] = row
        expected: Mapping[str, object] = remade
        for column in SCHEMA.names:
            if not _same(got[column], expected[column]):
                self.object("rows", _contrast(got[column], expected[column]), config, row_id, column)

    def _altered_files(self) -> tuple[dict[str, str], set[str]]:
        altered: dict[str, str] = {}
        files, odd = self.release.place.listing()
        for path in odd:
            self.object("files", f"{shown(path)} is a link or no regular file")
        table = self.release.files
        extra = set(files) - set(table) - {MANIFEST, PROVENANCE, ERRATA, SIGNATURE}
        for path in sorted(path for path in extra if not self.release.place.is_own(path)):
            hint = _DELETE if path.startswith(_RECORDS) else ""
            self.object("files", f"{shown(path)} is not in the manifest: an extra file{hint}")
        if not table:
            self.object("files", "the manifest lists no files: nothing to check")
        missing = set(table) - set(files)
        for number, (path, expected) in enumerate(sorted(table.items()), 1):
            if path in missing:
                altered[path] = f"{path} is missing"
                continue
            try:
                got = self._entry(path, expected.bytes)
            except ReleaseError as error:
                altered[path] = error.message
                continue
            self.report.checked["files"] += 1
            self.progress("files", number, len(table))
            if got.bytes != expected.bytes:
                altered[path] = f"{path} has {got.bytes} bytes, expected {expected.bytes}"
            elif got.sha256 != expected.sha256:
                altered[path] = f"{path} has sha256 {got.sha256}, expected {expected.sha256}"
        return altered, missing

    def _entry(self, path: str, size: int) -> FileEntry:
        with self.release.open(path) as stream:
            # A file of another size differs already: it is not read, however long it is.
            if (there := stream.seek(0, SEEK_END)) != size:
                return FileEntry(bytes=there, sha256="0" * 64)
            stream.seek(0)
            return stream_entry(stream)

    def _check_recipe_file(self) -> None:
        try:
            recipe = parsed_json(self.release.small_file("recipe.json"), "recipe.json")
            content = self.release.content
            # Releases before the key `card` have the manifest's recipe alone.
            if canonical_json(recipe) not in map(canonical_json, (recipe_file(content), content.recipe.to_json())):
                self.object("files", "recipe.json is not the recipe in the manifest")
        except ReleaseError as error:
            self.object("files", error.message)

    def _check_rows(self, config: str, facts: ConfigFacts) -> bool:
        before = len(self.report.problems)
        self.report.checked["configs"] += 1
        lines: list[DigestLine] = []
        try:
            for row in rows(self.release, config):
                lines.append(digest_line(row))
                self.report.checked["rows"] += 1
                # A release may hold more rows than it says: stop as soon as that is certain.
                if len(lines) > facts.rows + _LISTED:
                    break
                self.progress(config, len(lines), facts.rows)
        except ReleaseError as error:
            self.object("rows", error.message, config)
        else:
            self._compare_lines(config, facts, lines)
        return len(self.report.problems) == before

    def _compare_lines(self, config: str, facts: ConfigFacts, got_lines: list[DigestLine]) -> None:
        if not got_lines:
            self.object("rows", "no rows: nothing to check", config)
        if len(got_lines) != facts.rows:
            more = "more than " if len(got_lines) > facts.rows + _LISTED else ""
            self.object("rows", f"{more}{len(got_lines) - bool(more)} rows, expected {facts.rows}", config)
        try:
            expected = list(digest_lines(self.release, config))
        except ReleaseError as error:
            self.object("rows", error.message, config)
            return
        if len({line.id for line in got_lines}) != len(got_lines):
            self.object("rows", "two rows have the same id", config)
        good = content_root(got_lines) == facts.root
        if content_root(expected) != facts.root:
            which = "the rows are intact" if good else "the rows differ from it, too"
            self.object("rows", f"digests/{config}.txt does not have the manifest's content root; {which}", config)
        if good or got_lines == expected:
            return
        gap = lines_difference(expected, got_lines)
        self._list(config, gap.removed, "the row is missing")
        self._list(config, gap.added, "the row is not in the digest list")
        if gap.reordered and not gap.removed:
            for position, (got, line) in enumerate(zip(got_lines, expected, strict=False)):
                if got.id != line.id:
                    message = f"row {position} is {shown(got.id)}: rows are out of order"
                    self.object("rows", message, config, line.id)
                    break
        lines = {line.id: line for line in expected}
        positions = {line.id: position for position, line in reversed(list(enumerate(got_lines)))}
        here = gap.changed[: max(0, DIAGNOSED - self._diagnosed)]
        for row_id in here:
            self._diagnosed += 1
            self.diagnose(config, row_id, row_at(self.release, config, positions[row_id]), lines[row_id])
        self._list(config, gap.changed[len(here) :], "the row has another digest; its columns were not compared")

    def _list(self, config: str, ids: tuple[str, ...], message: str) -> None:
        for row_id in ids[:_LISTED]:
            self.object("rows", message, config, shown(row_id)[1:-1])
        if len(ids) > _LISTED:
            self.object("rows", f"{message} ({len(ids) - _LISTED} more)", config)

    def _remade(self, row_id: str) -> tuple[ArrowRow | None, str]:
        if self.remaker.remake is None:
            return None, "the digest covers the whole row, and the recipe's code was not given to remake it"
        try:
            return self.remaker.remake(row_id), ""
        except CarraraError as error:
            return None, f"the recipe cannot remake the row: {error.message}"


def _brief(value: object) -> str:
    text = shown(value)
    return text if len(text) <= 100 else f"{text[:100]}..."


def _same(got: Any, expected: Any) -> bool:
    return repr(got) == repr(expected) if not isinstance(got, str) else bool(got == expected)


def _contrast(got: Any, expected: Any) -> str:
    """Got and expected, escaped and shortened; long texts from just before the first character that differs."""
    if not (isinstance(got, str) and isinstance(expected, str)) or max(len(got), len(expected)) <= 60:
        return f"got {shown(got)}, expected {shown(expected)}"
    low, high = 0, min(len(got), len(expected))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if got[:middle] == expected[:middle] else (low, middle - 1)
    start = max(0, low - 20)
    parts = shown(got[start : low + 40]), shown(expected[start : low + 40])
    return f"got {parts[0]}, expected {parts[1]} (from character {start}; first difference at {low})"


def disagreements(release: Release) -> list[str]:
    """Where croissant.json contradicts the manifest: at most five messages; none where the release has no such file.

    Compares name, version, and every file's hash and size. The text is not derived again: another version of this
    program may word it differently. The file must only never vouch for files that the manifest does not.
    """
    if CROISSANT not in release.files or not release.place.has(CROISSANT):
        return []
    try:
        described = parsed_json(release.small_file(CROISSANT), CROISSANT)
    except ReleaseError as error:
        return [error.message]
    if not isinstance(described, dict):
        return [f"{CROISSANT} is a {type(described).__name__}, expected an object"]
    messages = [f"{CROISSANT}: {message}" for message in _differences(described, release)]
    more = [f"{CROISSANT}: {len(messages) - _LISTED} more"] if len(messages) > _LISTED else []
    return messages[:_LISTED] + more


def fetches(described: Any) -> bool:
    """Whether reading a description as JSON-LD may fetch something: its context is not a table, is nested, or imports.

    A library that reads JSON-LD follows what a hostile file names.
    """
    if not isinstance(described, dict) or not isinstance(described.get("@context"), dict):
        return True
    left: list[Any] = [described["@context"], *(value for key, value in described.items() if key != "@context")]
    while left:
        value = left.pop()
        if isinstance(value, dict):
            if "@context" in value or "@import" in value:
                return True
            left.extend(value.values())
        elif isinstance(value, list):
            left.extend(value)
    return False


def _is_pattern_inside(entry: object) -> bool:
    """Whether an entry is a set of the release's data files: a pattern, over the folder alone, that lists no file."""
    if not isinstance(entry, dict) or entry.get("@type") != "cr:FileSet" or {"containedIn", "contentUrl"} & set(entry):
        return False
    patterns = entry.get("includes")
    return isinstance(patterns, list) and all(
        isinstance(pattern, str) and pattern.startswith("data/") and ".." not in pattern for pattern in patterns
    )


def _differences(described: Mapping[str, object], release: Release) -> Iterator[str]:
    for key, value in (("name", release.name), ("version", release.version)):
        if described.get(key) != value:
            yield f"{key} is {shown(described.get(key))}, the manifest's is {shown(value)}"
    distribution = described.get("distribution")
    if not isinstance(distribution, list):
        yield f"distribution is {shown(distribution)}, expected a list of files"
        return
    listed: set[str] = set()
    for entry in distribution:
        if _is_pattern_inside(entry):
            continue
        path = entry.get("contentUrl") if isinstance(entry, dict) else None
        known = release.files.get(path) if isinstance(path, str) else None
        if known is None or path == CROISSANT:
            yield f"it lists {shown(path)}, which the manifest does not"
        elif path in listed:
            yield f"it lists {path} twice"
        elif entry.get("sha256") != known.sha256:
            yield f"{path} has sha256 {shown(entry.get('sha256'))}, the manifest says {known.sha256}"
        elif entry.get("contentSize") != f"{known.bytes} B":
            yield f"{path} has {shown(entry.get('contentSize'))}, the manifest says {known.bytes} bytes"
        if isinstance(path, str):
            listed.add(path)
    for path in sorted(set(release.files) - listed - {CROISSANT}):
        yield f"it does not list {path}"
