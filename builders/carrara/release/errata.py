"""Known errors of frozen releases: `releases/<name>/errata.json`, beside the versions, which never change.

One table: `format` = "carrara/errata", `version` = 1, `name` (of the release), `errata`: a list of entries.

- `number`: 1, 2, 3, ... in the order of the list; `version`: the frozen version that has the error.
- `rows`: row ids, or config names, which stand for all of their rows.
- `what` is wrong, in a sentence; `severity`: "gold wrong", "prompt wrong", "metadata", or null.
- `fixed_in`: the later version that corrects it, or null; `date`: when it was noted, YYYY-MM-DD.

Must not change: the list only grows, and an entry is edited once at most: `fixed_in`, from null to a version. The bytes
are canonical: they change only with the content. Files are read as hostile input.
"""

import datetime
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, PlainValidator, ValidationError, model_validator

from carrara.engine.files import in_turn, write_bytes
from carrara.errors import ReleaseError
from carrara.recipe.recipe import beside, recipe_folder
from carrara.release.manifest import canonical
from carrara.release.reader import Release, config_of, id_stem, open_release, parsed_json
from carrara.release.schema import (
    ERRATA,
    Closed,
    Name,
    Version,
    at_most,
    expected,
    is_name,
    is_version,
    matching,
    refusal,
    refused,
    shown,
    version_order,
)

MAX_BYTES: Final = 16 << 20
MAX_ENTRIES: Final = 10_000
MAX_ROWS: Final = 100_000

_ROW = re.compile(r"[!-~]{1,400}")
_WHAT = re.compile(r"(?=\s*\S)[\s\S]{1,2000}")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HINT: Final = "Restore the file from version control, or leave it out."


def _each_once(rows: tuple[str, ...]) -> tuple[str, ...]:
    if not rows or len(set(rows)) < len(rows):
        raise expected(f"1 to {MAX_ROWS:,} ids of rows or names of configs, each once")
    return rows


def _day(date: Any) -> str:
    try:
        if isinstance(date, str) and _DATE.fullmatch(date) and datetime.date.fromisoformat(date):
            return date
    except ValueError:
        pass
    raise expected("a date as YYYY-MM-DD")


class Erratum(Closed):
    """One known error; `number` 0 until it is added."""

    version: Version
    rows: Annotated[
        tuple[Annotated[str, matching(_ROW, "the id of a row or the name of a config")], ...],
        Field(strict=False, fail_fast=True),
        at_most(MAX_ROWS, "ids of rows or names of configs"),
        AfterValidator(_each_once),
    ]
    what: Annotated[str, matching(_WHAT, "a text of 1 to 2,000 characters, not blank")]
    severity: Literal["gold wrong", "prompt wrong", "metadata"] | None
    fixed_in: Version | None
    date: Annotated[str, PlainValidator(_day)]
    number: Annotated[int, Field(ge=0, le=MAX_ENTRIES)] = 0

    @model_validator(mode="after")
    def _is_fixed_later(self) -> Self:
        if self.fixed_in is not None and version_order(self.fixed_in) <= version_order(self.version):
            raise refused(f": fixed_in = {self.fixed_in!r}, expected a later version than {self.version}")
        return self

    @classmethod
    def of(cls, **columns: object) -> "Erratum":
        """An entry as somebody gives it. Raises ReleaseError on what the file would not hold."""
        try:
            return cls.model_validate(columns)
        except ValidationError as error:
            raise ReleaseError(refusal(error, "the erratum"), "Nothing was written.") from error

    def holds_for(self, version: str) -> bool:
        """Whether that version has the error, as far as is known.

        Rows do not change within a MAJOR: earlier versions that hold the row have its error, too, and later
        ones keep it until the version that fixes it.
        """
        at, noted = version_order(version), version_order(self.version)
        is_fixed = self.fixed_in is not None and at >= version_order(self.fixed_in)
        return not is_fixed and (at >= noted or at[0] == noted[0])


class Errata(Closed):
    """The file: known errors of one release, over all its versions, ordered by number."""

    format: Literal["carrara/errata"]
    # A literal would take true for 1.
    version: Annotated[int, Field(ge=1, le=1)]
    name: Name
    errata: Annotated[
        tuple[Erratum, ...], Field(strict=False, fail_fast=True), at_most(MAX_ENTRIES, "a list of entries")
    ]

    @model_validator(mode="after")
    def _is_in_order(self) -> Self:
        for number, entry in enumerate(self.errata, start=1):
            if entry.number != number:
                raise refused(f": errata[{number - 1}].number = {entry.number}, expected {number}")
        return self

    @classmethod
    def of(cls, name: str, *entries: Erratum) -> "Errata":
        """The file of these entries."""
        return cls(format="carrara/errata", version=1, name=name, errata=entries)


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
    try:
        return Errata.model_validate(table)
    except ValidationError as error:
        raise ReleaseError(f"{file.name}: {refusal(error, 'the file')}", _HINT) from error


def come_along(name: str) -> Path | None:
    """The errata file of a release among the frozen releases of this checkout; None where there is none.

    Errata that were downloaded with a published release are not looked for: `--errata` names them.
    """
    releases = beside(str(recipe_folder() / f"{name}.toml"), "releases")
    file = releases / name / ERRATA if releases and is_name(name) else None
    return file if file is not None and file.is_file() else None


def errata_of(releases: Path, name: str) -> Errata:
    """The errata of a frozen release; an empty list where there is no file.

    Raises ReleaseError for a name without a frozen version, and for a file with the errata of another release.
    """
    _home(releases, name)
    file = releases / name / ERRATA
    errata = read_errata(file) if file.exists() or file.is_symlink() else Errata.of(name)
    if errata.name != name:
        raise ReleaseError(f"{file} holds errata of {shown(errata.name)}, expected errata of {name}", _HINT)
    return errata


def add(releases: Path, name: str, entry: Erratum) -> tuple[Erratum, list[str]]:
    """Add an entry to the errata of a frozen release; return it with its number, and remarks for the user.

    Raises ReleaseError where the version is not frozen or has no such row or config, and where `fixed_in` is not a
    later version or its frozen manifest shows the same rows.
    """
    _home(releases, name)
    with in_turn(releases / name, "add the erratum"):
        errata = errata_of(releases, name)
        if len(errata.errata) == MAX_ENTRIES:
            raise ReleaseError(
                f"{name} has {MAX_ENTRIES} errata already, expected at most that many",
                "Correct the release, then freeze it.",
            )
        added = entry.model_copy(update={"number": len(errata.errata) + 1})
        remarks = check_entry(releases, name, added)
        _write(releases, Errata.of(name, *errata.errata, added))
        return added, remarks


def mark_fixed(releases: Path, name: str, version: str, number: int, fixed_in: str) -> tuple[Erratum, list[str]]:
    """Record the version that fixes an error; return the entry, and remarks for the user. Raises ReleaseError."""
    _home(releases, name)
    with in_turn(releases / name, "record the fix"):
        errata = errata_of(releases, name)
        erratum = next((entry for entry in errata.errata if (entry.number, entry.version) == (number, version)), None)
        if erratum is None:
            known = ", ".join(str(entry.number) for entry in errata.errata if entry.version == version) or "none"
            raise ReleaseError(f"{name}@{version} has no erratum {number}", f"Its errata: {known}.")
        if erratum.fixed_in is not None:
            raise ReleaseError(
                f"erratum {number} of {name}@{version} is fixed in {erratum.fixed_in}, expected one that is not fixed",
                "A fix is recorded once: add another entry.",
            )
        fixed = Erratum.of(**erratum.to_json() | {"fixed_in": fixed_in})
        remarks = check_entry(releases, name, fixed)
        _write(releases, Errata.of(name, *(fixed if entry is erratum else entry for entry in errata.errata)))
        return fixed, remarks


def check_entry(releases: Path, name: str, entry: Erratum) -> list[str]:
    """Check an entry against the frozen manifests; return remarks on what they cannot show. Raises ReleaseError."""
    release = _frozen(releases, name, entry.version)
    configs = {row: row if row in release.configs else config_of(release, row) for row in entry.rows}
    if entry.fixed_in is None:
        return []
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
    for entry in errata.errata:
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
    return Affected(tuple(numbers), frozenset(id_stem(name, release.configs[name]) for name in whole), kept, count)


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


def _config(release: Release, row_id: str) -> str | None:
    try:
        return config_of(release, row_id)
    except ReleaseError:
        return None


def _home(releases: Path, name: str) -> list[str]:
    """The frozen versions of a release, in order. Raises ReleaseError where there are none."""
    home = releases / name
    versions = [folder.name for folder in home.glob("*") if is_version(folder.name)] if is_name(name) else []
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
