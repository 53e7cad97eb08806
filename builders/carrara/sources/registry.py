"""Pinned sources: what each is, where it comes from, under which licence, and the sha256 of every file.

`registry.toml` beside this file holds ours; a recipe may add its own in `[source.<name>]` tables. A pin says what is
read, never where it lies. The fingerprint must not depend on anything but the reader and the pinned bytes.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, get_args

from carrara.engine import files as disk
from carrara.engine.hub import REVISION
from carrara.errors import SourceError
from carrara.sources.fields import nearest
from carrara.sources.readers.registry import READERS
from carrara.tables import Lang

_TEXT_FIELDS = ("title", "lang", "reader", "licence", "citation", "url", "folder", "from")
_FIELDS = (*_TEXT_FIELDS, "hub", "files")
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_REPO = re.compile(r"[\w.-]{1,96}/[\w.-]{1,96}", re.ASCII)
_ADDRESS = re.compile(r"https://[\w.-]+/[\w./%~+-]*", re.ASCII)
_FILE_FIELDS = ("sha256", "bytes", "from")
# In the `from` of a source: the path of a file, without .gz.
_PATH = "{path}"


class PinnedFile(NamedTuple):
    """One file of a source; `bytes` is None where a recipe gave the hash alone.

    `address` is where its publisher has it, as it is or (of `x.gz`) as `x`, which is then packed; "" if unknown.
    """

    path: str
    sha256: str
    bytes: int | None
    address: str = ""


class HubPin(NamedTuple):
    """A dataset repository on the Hub at one commit."""

    repo: str
    revision: str


@dataclass(frozen=True, slots=True)
class Pin:
    """A source as it is pinned: files sorted by path."""

    name: str
    title: str
    lang: Lang
    reader: str
    licence: str
    citation: str
    url: str
    folder: str
    files: tuple[PinnedFile, ...]
    hub: HubPin | None


@cache
def pins() -> Mapping[str, Pin]:
    """The sources that come with the package, by name."""
    text = resources.files("carrara.sources").joinpath("registry.toml").read_text(encoding="utf-8")
    return MappingProxyType({name: pin_from_table(name, table) for name, table in tomllib.loads(text).items()})


def pin_from_table(name: str, table: Mapping[str, object], folder: Path | None = None) -> Pin:
    """Check a `[source.<name>]` table. `folder` is where an unpinned file is looked for, to print its line.

    Needed: reader, lang, licence, files. Raises SourceError on anything unknown, missing or unpinned.
    """
    if not _NAME.fullmatch(name):
        raise SourceError(
            f"got the source name {name!r}, expected at most 64 lower-case letters, digits and '_'",
            "Rename the source.",
        )
    if not isinstance(table, Mapping):
        raise SourceError(f"source {name!r}: got {table!r}, expected a table", f"Begin it with [source.{name}].")
    for key in table:
        if key not in _FIELDS:
            raise SourceError(f"source {name!r}: unknown field {key!r}{nearest(key, _FIELDS)}", f"Known: {_FIELDS}.")
    text = {field: _text(name, field, table.get(field, "")) for field in _TEXT_FIELDS}
    if not text["licence"]:
        raise SourceError(
            f"source {name!r}: no licence given, expected one",
            'Find out what the text may be used for and write it: licence = "CC-BY-4.0"',
        )
    _one_of(name, "lang", text["lang"], get_args(Lang))
    _one_of(name, "reader", text["reader"], READERS)
    subfolder = text["folder"] or name
    disk.inside(Path(), subfolder)
    return Pin(
        name=name,
        title=text["title"] or name,
        lang="zh" if text["lang"] == "zh" else "en",
        reader=text["reader"],
        licence=text["licence"],
        citation=text["citation"],
        url=text["url"],
        folder=subfolder,
        files=_files(name, subfolder, table.get("files"), folder, text["from"], text["url"]),
        hub=_hub(name, table.get("hub")),
    )


def fingerprint(pin: Pin) -> str:
    """sha256 (hex) over reader, reader version and the pinned bytes: equal fingerprints read as equal documents."""
    lines = [f"{pin.reader}/{READERS[pin.reader].version}"]
    lines += [json.dumps([file.path, file.sha256], ensure_ascii=True) for file in sorted(pin.files)]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _text(name: str, field: str, value: object) -> str:
    if not isinstance(value, str):
        raise SourceError(f"source {name!r}: {field} is {value!r}, expected text", f'Write {field} = "…".')
    return value.strip()


def _one_of(name: str, field: str, got: str, known: Iterable[str]) -> None:
    if got not in (names := sorted(known)):
        raise SourceError(
            f"source {name!r}: {field} is {got!r}{nearest(got, names)}, expected one of {', '.join(names)}",
            f'Write {field} = "{names[0]}" or another of these.',
        )


def _hub(name: str, value: object) -> HubPin | None:
    if value is None:
        return None
    if (
        isinstance(value, Mapping)
        and set(value) == {"repo", "revision"}
        and all(isinstance(part, str) for part in value.values())
        and _REPO.fullmatch(value["repo"])
        and REVISION.fullmatch(value["revision"])
    ):
        return HubPin(value["repo"], value["revision"])
    raise SourceError(
        f"source {name!r}: hub is {value!r}, expected a repository and the 40 hex digits of a commit",
        'Write hub = { repo = "owner/name", revision = "<40 hex digits>" }; a branch or tag moves.',
    )


def _files(
    name: str, subfolder: str, value: object, folder: Path | None, address: str, url: str
) -> tuple[PinnedFile, ...]:
    entries: dict[str, object] = {}
    if isinstance(value, Mapping):
        entries = dict(value)
    elif isinstance(value, list) and all(isinstance(path, str) for path in value):
        entries = dict.fromkeys(value, "")
    if not entries:
        raise SourceError(
            f"source {name!r}: files is {value!r}, expected at least one file",
            f'Write [source.{name}.files] and below it "path" = {{ sha256 = "…", bytes = … }}.',
        )
    files = [_file(name, subfolder, path, entry, folder, address, url) for path, entry in sorted(entries.items())]
    return tuple(files)


def _file(
    name: str, subfolder: str, path: str, entry: object, folder: Path | None, of_source: str, url: str
) -> PinnedFile:
    disk.inside(Path(), path)
    table = entry if isinstance(entry, Mapping) else {"sha256": entry}
    for key in table:
        if key not in _FILE_FIELDS:
            raise SourceError(
                f"source {name!r}, file {path!r}: unknown field {key!r}{nearest(key, _FILE_FIELDS)}",
                f"Known: {', '.join(_FILE_FIELDS)}.",
            )
    sha256, size = table.get("sha256") or "", table.get("bytes")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 0):
        raise SourceError(f"source {name!r}, file {path!r}: bytes is {size!r}, expected a size", "Leave it out.")
    if not isinstance(sha256, str) or not _SHA256.fullmatch(sha256):
        raise SourceError(
            f"source {name!r}, file {path!r}: sha256 is {sha256!r}, expected 64 hex digits",
            _line_to_paste(name, subfolder, path, folder, url),
        )
    address = table.get("from") or of_source.replace(_PATH, path.removesuffix(".gz"))
    if not isinstance(address, str) or (address and not _ADDRESS.fullmatch(address)):
        raise SourceError(
            f"source {name!r}, file {path!r}: from is {address!r}, expected an https address",
            f'Write from = "https://HOST/FOLDER/{_PATH}" for the source, or an address for each file.',
        )
    return PinnedFile(path, sha256, size, address)


def _line_to_paste(name: str, subfolder: str, path: str, folder: Path | None, url: str) -> str:
    for start in [] if folder is None else [folder / subfolder, folder]:
        if (full := disk.inside(start, path)).is_file():
            sha256, size = disk.digest(full, path)
            line = f'{json.dumps(path, ensure_ascii=False)} = {{ sha256 = "{sha256}", bytes = {size} }}'
            return f"To pin the file that is there, paste below [source.{name}.files]:\n  {line}"
    get = f"Get it from {url}. " if url else ""
    return (
        f"{get}Put it below the sources folder as {subfolder}/{path} and run again: the line to paste is then printed."
    )
