"""Known errors of frozen releases: `releases/<name>/errata.json`, beside the versions, which never change.

One table: `format` = "carrara/errata", `version` = 1, `name` (of the release), `errata`: a list of entries.

- `number`: 1, 2, 3, ... in the order of the list; `version`: the frozen version that has the error.
- `rows`: row ids, or config names, which stand for all of their rows.
- `what` is wrong, in a sentence; `severity`: "gold wrong", "prompt wrong", "metadata", or null.
- `fixed_in`: the later version that corrects it, or null; `date`: when it was noted, YYYY-MM-DD.

Must not change: the list only grows, and an entry is edited once at most: `fixed_in`, from null to a version. The bytes
are canonical: they change only with the content. Files are read as hostile input (law 17).
"""

import datetime
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from carrara.engine.files import write_bytes
from carrara.errors import ReleaseError
from carrara.recipe.recipe import beside, recipe_folder
from carrara.release.manifest import canonical
from carrara.release.reader import Release, config_of, open_release, parsed_json
from carrara.release.schema import ERRATA, ConfigFacts, is_version, shown, version_order

FORMAT: Final = "carrara/errata"
VERSION: Final = 1
SEVERITIES: Final = ("gold wrong", "prompt wrong", "metadata")
MAX_BYTES: Final = 16 << 20
MAX_ENTRIES: Final = 10_000
MAX_ROWS: Final = 100_000
MAX_WHAT: Final = 2_000

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_ROW = re.compile(r"[!-~]{1,400}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HINT: Final = "Restore the file from version control, or leave it out."


@dataclass(frozen=True, slots=True)
class Erratum:
    """One known error; `number` 0 until it is added."""

    version: str
    rows: tuple[str, ...]
    what: str
    severity: str | None
    fixed_in: str | None
    date: str
    number: int = 0

    def holds_for(self, version: str) -> bool:
        """Whether that version has the error, as far as is known.

        Rows do not change within a MAJOR (law 10): earlier versions that hold the row have its error, too, and later
        ones keep it until the version that fixes it.
        """
        at, noted = version_order(version), version_order(self.version)
        is_fixed = self.fixed_in is not None and at >= version_order(self.fixed_in)
        return not is_fixed and (at >= noted or at[0] == noted[0])

    def to_json(self) -> dict[str, Any]:
        """The entry as JSON-able data."""
        return {name: getattr(self, name) for name in _ENTRY} | {"rows": list(self.rows)}


@dataclass(frozen=True, slots=True)
class Errata:
    """The known errors of one release, over all its versions, ordered by number."""

    name: str
    entries: tuple[Erratum, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The file as JSON-able data."""
        entries = [entry.to_json() for entry in self.entries]
        return {"format": FORMAT, "version": VERSION, "name": self.name, "errata": entries}


@dataclass(frozen=True, slots=True)
class Affected:
    """The rows of one release with known errors: row ids, the id prefixes of whole configs, and the `count` of rows."""

    numbers: tuple[int, ...]
    whole: frozenset[str]
    ids: frozenset[str]
    count: int

    def has(self, row_id: str) -> bool:
        """Whether the row has a known error."""
        return row_id in self.ids or row_id.rpartition("/")[0] in self.whole

    def to_json(self, left_out: bool) -> dict[str, Any]:
        """What a result file says of these rows."""
        return {"errata": list(self.numbers), "rows": self.count, "left_out": left_out}


def read_errata(file: Path) -> Errata:
    """Read a file of errata of at most 16 MiB. Raises ReleaseError on any other form than the module's."""
    if not file.is_file():
        raise ReleaseError(
            f"{file} is not a file, expected {ERRATA} of a release", "To use no errata, leave out --errata."
        )
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            raise ReleaseError(f"{file.name} has more than {MAX_BYTES} bytes", _HINT)
        table = parsed_json(raw, file.name)
    except ReleaseError as error:
        raise ReleaseError(error.message, _HINT) from error
    _check(file.name, table, _TOP)
    entries = []
    for number, entry in enumerate(table["errata"], start=1):
        where = f"{file.name}, erratum {number}"
        _check(where, entry, _ENTRY)
        erratum = Erratum(**(entry | {"rows": tuple(entry["rows"])}))
        if erratum.number != number:
            raise ReleaseError(f"{where}: got number {erratum.number}, expected 1, 2, 3, ... in order", _HINT)
        if erratum.fixed_in is not None and version_order(erratum.fixed_in) <= version_order(erratum.version):
            raise ReleaseError(
                f"{where}: got fixed_in {erratum.fixed_in} for {erratum.version}, expected a later version", _HINT
            )
        entries.append(erratum)
    return Errata(table["name"], tuple(entries))


def come_along(name: str) -> Path | None:
    """The errata file of a release among the frozen releases of this checkout; None where there is none.

    Errata that were downloaded with a published release are not looked for: `--errata` names them.
    """
    releases = beside(str(recipe_folder() / f"{name}.toml"), "releases")
    file = releases / name / ERRATA if releases and _is_name(name) else None
    return file if file is not None and file.is_file() else None


def errata_of(releases: Path, name: str) -> Errata:
    """The errata of a frozen release; an empty list where there is no file.

    Raises ReleaseError for a name without a frozen version, and for a file with the errata of another release.
    """
    _home(releases, name)
    file = releases / name / ERRATA
    errata = read_errata(file) if file.exists() or file.is_symlink() else Errata(name)
    if errata.name != name:
        raise ReleaseError(f"{file} holds errata of {shown(errata.name)}, expected errata of {name}", _HINT)
    return errata


def add(releases: Path, name: str, entry: Erratum) -> tuple[Erratum, list[str]]:
    """Add an entry to the errata of a frozen release; return it with its number, and remarks for the user.

    Raises ReleaseError where the version is not frozen or has no such row or config, and where `fixed_in` is not a
    later version or its frozen manifest shows the same rows.
    """
    errata = errata_of(releases, name)
    if len(errata.entries) == MAX_ENTRIES:
        raise ReleaseError(
            f"{name} has {MAX_ENTRIES} errata already, expected at most that many",
            "Correct the release, then freeze it.",
        )
    added = replace(entry, rows=tuple(sorted(set(entry.rows))), number=len(errata.entries) + 1)
    remarks = check_entry(releases, name, added)
    _write(releases, Errata(name, (*errata.entries, added)))
    return added, remarks


def mark_fixed(releases: Path, name: str, version: str, number: int, fixed_in: str) -> tuple[Erratum, list[str]]:
    """Record the version that fixes an error; return the entry, and remarks for the user. Raises ReleaseError."""
    errata = errata_of(releases, name)
    erratum = next((entry for entry in errata.entries if (entry.number, entry.version) == (number, version)), None)
    if erratum is None:
        known = ", ".join(str(entry.number) for entry in errata.entries if entry.version == version) or "none"
        raise ReleaseError(f"{name}@{version} has no erratum {number}", f"Its errata: {known}.")
    if erratum.fixed_in is not None:
        raise ReleaseError(
            f"erratum {number} of {name}@{version} is fixed in {erratum.fixed_in}, expected one that is not fixed",
            "A fix is recorded once: add another entry.",
        )
    fixed = replace(erratum, fixed_in=fixed_in)
    remarks = check_entry(releases, name, fixed)
    _write(releases, Errata(name, tuple(fixed if entry is erratum else entry for entry in errata.entries)))
    return fixed, remarks


def check_entry(releases: Path, name: str, entry: Erratum) -> list[str]:
    """Check an entry against the frozen manifests; return remarks on what they cannot show. Raises ReleaseError."""
    where = f"erratum {entry.number}"
    _check(where, entry.to_json(), _ENTRY, "Nothing was written.")
    release = _frozen(releases, name, entry.version)
    configs = {row: row if row in release.configs else config_of(release, row) for row in entry.rows}
    if entry.fixed_in is None:
        return []
    if version_order(entry.fixed_in) <= version_order(entry.version):
        raise ReleaseError(
            f"{where}: got fixed_in {entry.fixed_in}, expected a later version than {entry.version}",
            "Name the version whose rows are right.",
        )
    remarks = []
    same_major = version_order(entry.fixed_in)[0] == version_order(entry.version)[0]
    if same_major and entry.severity != "metadata":
        remarks.append(
            f"{entry.fixed_in} has the MAJOR of {entry.version}: carrara freeze allows no changed row there. Freeze a "
            "release with changed rows under the next MAJOR."
        )
    if not (releases / name / entry.fixed_in).is_dir():
        return [*remarks, f"{name}@{entry.fixed_in} is not frozen in {releases}: the fix cannot be checked yet."]
    return remarks + _changed(release, _frozen(releases, name, entry.fixed_in), entry, configs)


def affected(errata: Errata, release: Release, configs: Iterable[str]) -> Affected:
    """The rows of these configs with known errors. Ids that this version does not hold are left out.

    Raises ReleaseError on errata of another release.
    """
    if errata.name != release.name:
        raise ReleaseError(
            f"got errata of {shown(errata.name)}, expected errata of {release.name}", "Give the errata of this release."
        )
    chosen = set(configs)
    whole: set[str] = set()
    ids: dict[str, str] = {}
    numbers = []
    for entry in errata.entries:
        if not entry.holds_for(release.version):
            continue
        named = {row: row if row in release.configs else _config(release, row) for row in entry.rows}
        held = {row: config for row, config in named.items() if config in chosen}
        whole |= held.keys() & release.configs.keys()
        ids |= {row: config for row, config in held.items() if row not in release.configs}
        if held:
            numbers.append(entry.number)
    kept = frozenset(row for row, config in ids.items() if config not in whole)
    count = len(kept) + sum(int(release.configs[name].rows) for name in whole)
    return Affected(tuple(numbers), frozenset(_stem(name, release.configs[name]) for name in whole), kept, count)


def _changed(old: Release, new: Release, entry: Erratum, configs: Mapping[str, str]) -> list[str]:
    """Refuse a fix that changed nothing; remark on what the frozen manifests cannot show."""
    remarks = []
    for config in sorted(set(configs.values())):
        after = new.configs.get(config)
        if after is None:
            remarks.append(f"{new.version} has no config {config}: its rows are gone.")
            continue
        before = old.configs[config]
        # A wrong licence is in the facts of a config, other metadata in its rows.
        if before == after if entry.severity == "metadata" else before.root == after.root:
            raise ReleaseError(
                f"{config} is the same in {old.version} and {new.version} (content root {str(after.root)[:12]}…), "
                "expected a version that changed it",
                "Name the version whose rows are right, or leave the erratum open.",
            )
        remarks.append(
            f"{config} differs between {old.version} and {new.version}. Frozen releases keep only its content root, "
            "which does not show which rows changed: run carrara diff OLD NEW on the built releases."
        )
    return remarks


def _stem(config: str, facts: ConfigFacts) -> str:
    """The prefix of a config's row ids, up to the index."""
    return f"{facts.benchmark}/{config.removesuffix('_' + facts.bucket)}/{facts.bucket}"


def _config(release: Release, row_id: str) -> str | None:
    try:
        return config_of(release, row_id)
    except ReleaseError:
        return None


def _home(releases: Path, name: str) -> list[str]:
    """The frozen versions of a release, in order. Raises ReleaseError where there are none."""
    home = releases / name
    versions = [folder.name for folder in home.glob("*") if is_version(folder.name)] if _is_name(name) else []
    if not versions:
        raise ReleaseError(
            f"no frozen release {shown(name)} in {releases}", "Give --releases, the folder that carrara freeze wrote."
        )
    return sorted(versions, key=version_order)


def _frozen(releases: Path, name: str, version: str) -> Release:
    versions = _home(releases, name)
    if version not in versions:
        raise ReleaseError(f"{name}@{version} is not frozen in {releases}", f"Frozen: {', '.join(versions)}.")
    release = open_release(releases / name / version)
    if (release.name, release.version) != (name, version):
        raise ReleaseError(
            f"{releases / name / version} holds {release.name}@{release.version}", "Restore it from version control."
        )
    return release


def _write(releases: Path, errata: Errata) -> None:
    data = canonical(errata.to_json())
    if len(data) > MAX_BYTES:
        raise ReleaseError(
            f"{ERRATA} would have {len(data):,} bytes, expected at most {MAX_BYTES:,}",
            "Name a config instead of all of its rows.",
        )
    write_bytes(releases / errata.name / ERRATA, data)


_Rule = tuple[Callable[[Any], bool], str]


def _check(where: str, table: Any, rules: Mapping[str, _Rule], hint: str = _HINT) -> None:
    if not isinstance(table, dict):
        raise ReleaseError(f"{where} is a {type(table).__name__}, expected a table", hint)
    if unknown := sorted(set(table) - set(rules)):
        # It would be lost when the file is written again.
        raise ReleaseError(f"{where}: unknown key {shown(unknown[0])}, expected {', '.join(rules)}", hint)
    for key, (fits, expected) in rules.items():
        if key not in table or not fits(table[key]):
            raise ReleaseError(f"{where}: got {key} = {shown(table.get(key))}, expected {expected}", hint)


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and bool(_NAME.fullmatch(value))


def _is_date(value: Any) -> bool:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        datetime.date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _are_rows(value: Any) -> bool:
    if not isinstance(value, Sequence) or isinstance(value, str) or not 0 < len(value) <= MAX_ROWS:
        return False
    return all(isinstance(row, str) and _ROW.fullmatch(row) for row in value) and len(set(value)) == len(value)


_TOP: Final[Mapping[str, _Rule]] = {
    "format": (lambda value: value == FORMAT, repr(FORMAT)),
    "version": (lambda value: type(value) is int and value == VERSION, str(VERSION)),
    "name": (_is_name, "the name of a release"),
    "errata": (
        lambda value: isinstance(value, list) and len(value) <= MAX_ENTRIES,
        f"a list of at most {MAX_ENTRIES} entries",
    ),
}
_ENTRY: Final[Mapping[str, _Rule]] = {
    "number": (lambda value: type(value) is int and 0 < value <= MAX_ENTRIES, "a whole number from 1"),
    "version": (is_version, "a version like 1.0.0"),
    "rows": (_are_rows, f"1 to {MAX_ROWS} ids of rows or names of configs, each once"),
    "what": (
        lambda value: isinstance(value, str) and bool(value.strip()) and len(value) <= MAX_WHAT,
        f"a text of 1 to {MAX_WHAT} characters",
    ),
    "severity": (
        lambda value: value is None or (isinstance(value, str) and value in SEVERITIES),
        f"{', '.join(map(repr, SEVERITIES))} or null",
    ),
    "fixed_in": (lambda value: value is None or is_version(value), "a version like 1.1.0, or null"),
    "date": (_is_date, "a date as YYYY-MM-DD"),
}
