"""Reads responses from logs of Inspect (inspect-ai): `.eval` (a ZIP archive), `.json`, or a folder of them.

A sample's id is the row's id, and its output's completion is the response, even if it is empty. There is no response
if the sample ended with an error or was declared invalid, if the output has no choice, or if the provider refused
before it generated anything (a prompt too long, or filtered); then the completion is the provider's message. In a
folder the newest finished log of each task is read, or the newest one if none is finished; all must be of one model.
Epochs are samples of a row. Parts of a message of type reasoning are thoughts.

A log is untrusted: nothing is extracted to disk, samples are decompressed one at a time, and the output is counted. No
size that the archive states may ever be trusted; a member unpacks to so many times its packed size at most. Stored,
deflated and Zstandard members are read, the last by the standard library from Python 3.14 on, before that by the
library `zstandard`.
"""

import importlib
import io
import json
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final, TypedDict

from carrara.scoring.errors import ResponsesError
from carrara.scoring.responses.reading import parts

# The directory is read in one piece and takes fifteen times its size: of 100,000 samples it has 14 MB.
MAX_DIRECTORY: Final = 16 << 20
_CHUNK: Final = 1 << 20
# What a member may unpack to: this much, and so many times its packed size.
FREE_MEMBER: Final = 32 << 20
PACKING: Final = 64
_ZSTANDARD: Final = 93
_READ: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTANDARD)
_ENCRYPTED: Final = 1
_MOST: Final = (1 << 63) - 1
_LOCAL: Final = struct.Struct("<4s22xHH")


class ArchiveError(ValueError):
    """An archive that cannot be read; the message says got and expected."""


def members(path: Path, wanted: Callable[[str], bool], most: int, most_together: int) -> Iterator[tuple[str, bytes]]:
    """Yield the members whose names are wanted, in directory order; of two with the same name, the last.

    At most `most` bytes are read of each and `most_together` of all. Raises ArchiveError for a broken or oversized
    archive or an unsupported compression, and OSError if the file cannot be opened.
    """
    total = 0
    try:
        with path.open("rb") as stream:
            source, size = _Source(stream), path.stat().st_size
            with zipfile.ZipFile(source) as archive:
                source.most = None
                for name in filter(wanted, dict.fromkeys(archive.namelist())):
                    info = archive.getinfo(name)
                    # The packed size is what is read of the file, so that it cannot lie for long.
                    packed = FREE_MEMBER + PACKING * min(info.compress_size, size)
                    raw = _read(archive, source, info, min(most, most_together - total, packed))
                    total += len(raw)
                    yield name, raw
    except ArchiveError:
        raise
    # All that the standard library raises for broken archives; ValueError for bad names and offsets.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, ValueError) as error:
        raise ArchiveError(f"got a broken ZIP archive ({error}), expected a whole one") from None


class _Source(io.RawIOBase):
    """A file that refuses to read more than `most` bytes at once: zipfile reads the whole directory in one call."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__()
        self.most: int | None = MAX_DIRECTORY
        self._stream = stream

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_SET and not 0 <= offset <= _MOST:
            raise ArchiveError("got an offset outside of the archive, expected a whole archive")
        return self._stream.seek(offset, whence)

    def tell(self) -> int:
        return self._stream.tell()

    def read(self, size: int | None = -1) -> bytes:
        asked = -1 if size is None else size
        if self.most is None:
            return self._stream.read(asked)
        data = self._stream.read(asked if 0 <= asked <= self.most else self.most + 1)
        if len(data) > self.most:
            raise ArchiveError(f"got a directory of more than {self.most:,} bytes, expected at most that")
        return data


class _MemberBytes(io.RawIOBase):
    """A range of a file, read from its start."""

    def __init__(self, stream: _Source, start: int, size: int) -> None:
        super().__init__()
        self._stream, self._at, self._end = stream, start, start + size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._stream.seek(self._at)
        data = self._stream.read(max(0, min(len(buffer), self._end - self._at)))
        buffer[: len(data)] = data
        self._at += len(data)
        return len(data)


def _read(archive: zipfile.ZipFile, source: _Source, info: zipfile.ZipInfo, most: int) -> bytes:
    if info.flag_bits & _ENCRYPTED or info.compress_type not in _READ:
        how = "encryption" if info.flag_bits & _ENCRYPTED else f"compression {info.compress_type}"
        raise ArchiveError(f"got {how}, expected a member that is stored, deflated or Zstandard")
    if info.compress_type != _ZSTANDARD:
        with archive.open(info) as member:
            return _bounded(member, most)
    source.seek(info.header_offset)
    mark, name, extra = _LOCAL.unpack(source.read(_LOCAL.size))
    if mark != b"PK\x03\x04":
        raise ArchiveError("got no member where the directory names one, expected a whole archive")
    part = _MemberBytes(source, info.header_offset + _LOCAL.size + name + extra, info.compress_size)
    opened, error_type = _zstandard(part)
    try:
        with opened:
            raw = _bounded(opened, most)
    except error_type as error:
        raise ArchiveError(f"got broken Zstandard data ({error}), expected a whole archive") from None
    if zlib.crc32(raw) != info.CRC:
        raise ArchiveError("got data with another checksum than the directory's, expected a whole archive")
    return raw


def _bounded(member: Any, most: int) -> bytes:
    parts, size = [], 0
    while part := member.read(_CHUNK):
        parts.append(part)
        size += len(part)
        if size > most:
            raise ArchiveError(f"got more than {most:,} bytes, expected at most that")
    return b"".join(parts)


def _zstandard(part: _MemberBytes) -> tuple[Any, type[Exception]]:
    """A reader of Zstandard data across frames, and the error that it raises. By name, for either library may exist."""
    for name in ("compression.zstd", "zstandard"):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        if name == "zstandard":
            return library.ZstdDecompressor().stream_reader(part, read_across_frames=True), library.ZstdError
        return library.ZstdFile(part), library.ZstdError
    raise ArchiveError("got Zstandard data, which needs the library zstandard (pip install zstandard) or Python 3.14")


# A sample holds its prompt four times, and a prompt of 16M tokens has 64 MB. A JSON log is parsed in one piece.
MAX_SAMPLE: Final = 512 << 20
MAX_BYTES: Final = 16 << 30
MAX_JSON: Final = 1 << 30
MAX_LOGS: Final = 10_000
MAX_REASON: Final = 300
# The header of a finished log, else of one that was only started.
_HEADERS: Final = ("header.json", "_journal/start.json")
_SAMPLE: Final = re.compile(r"samples/.+_epoch_[0-9]{1,9}\.json", re.DOTALL)
# The first bytes of every JSON log: other files end in .json too.
_BEGINNING: Final = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"version"\s*:\s*[0-9]{1,3}\s*,\s*"status"\s*:')
# Providers' refusals, returned in place of a completion and never billed.
_REFUSED: Final = frozenset(("model_length", "content_filter"))


def is_log(path: Path) -> bool:
    """Tell whether a path is a log of Inspect, or a folder that holds one."""
    if path.is_dir():
        return any(map(is_log, _inside(path)))
    if path.suffix != ".json":
        return path.suffix == ".eval"
    with path.open("rb") as stream:
        return _BEGINNING.match(stream.read(4_096)) is not None


class LoggedResponse(TypedDict):
    """A response from a log, in the form of a line of a responses file; the reader checks the id's type."""

    id: object
    response: str | None
    reason: str
    sample: int
    stop_reason: str
    thoughts: str


def records(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the samples of a log, or of the logs in a folder: the location, and `id`, `response`, `reason`, `sample`.

    Raises ResponsesError for a log that is broken, oversized or empty, and OSError if a file cannot be opened.
    """
    for log in _newest(path) if path.is_dir() else [path]:
        is_empty = True
        for where, sample in _samples(log):
            is_empty = False
            yield where, _record(where, sample)
        if is_empty:
            raise ResponsesError(f"{log.name}: got no samples, expected at least one; run without --no-log-samples")


def answered(output: Any) -> tuple[str | None, str]:
    """Return the response in an output of Inspect, or None and the reason why there is none."""
    choices = output.get("choices") if isinstance(output, Mapping) else None
    if not isinstance(choices, list) or not choices:
        return None, "no output"
    text, error = output.get("completion"), output.get("error")
    stop, message = _choice(choices)
    if not isinstance(text, str):
        text = parts(message)[0]
    if stop in _REFUSED and not output.get("usage"):
        return None, _reason(stop, error or text)
    if not isinstance(text, str) or (not text and (error or stop in _REFUSED)):
        return None, _reason(stop, error)
    return text, ""


def _choice(choices: Any) -> tuple[str, Any]:
    """Why the first choice ended, and its message."""
    first = choices[0] if isinstance(choices, list) and choices else None
    table = first if isinstance(first, Mapping) else {}
    stop = table.get("stop_reason")
    return stop if isinstance(stop, str) else "no output", table.get("message")


def _record(where: str, sample: Any) -> LoggedResponse:
    if not isinstance(sample, dict) or "id" not in sample:
        raise ResponsesError(f"{where}: got no sample with an id, expected a sample from a log of Inspect")
    error, limit = sample.get("error"), sample.get("limit")
    if error:
        text, why = None, _reason("error", error.get("message") if isinstance(error, Mapping) else error)
    elif sample.get("invalidation"):
        text, why = None, "declared invalid"
    else:
        text, why = answered(sample.get("output"))
        if text is None and isinstance(limit, Mapping):
            why = _reason(f"{why}, limit", limit.get("type"))
    epoch, output = sample.get("epoch"), sample.get("output")
    stop, message = _choice(output.get("choices") if isinstance(output, Mapping) else None)
    return {
        "id": sample["id"],
        "response": text,
        "reason": why,
        "sample": epoch if type(epoch) is int else 1,
        "stop_reason": stop if text is not None else "",
        # Of interest only where nothing else was said.
        "thoughts": parts(message)[1] if text is not None and not text.strip() else "",
    }


def _reason(what: str, detail: Any) -> str:
    return " ".join((f"{what}: {detail}" if detail and isinstance(detail, str) else what).split())[:MAX_REASON]


def _inside(folder: Path) -> list[Path]:
    logs = [path for path in folder.iterdir() if path.suffix in (".eval", ".json") and path.is_file()]
    if len(logs) > MAX_LOGS:
        raise ResponsesError(f"{folder.name}: got {len(logs):,} logs, expected at most {MAX_LOGS:,}")
    return sorted(logs)


def _newest(folder: Path) -> list[Path]:
    """The log that counts for each task, sorted by task."""
    best: dict[str, tuple[bool, datetime, Path]] = {}
    models: dict[str, None] = {}
    for path in filter(is_log, _inside(folder)):
        finished, created, task, model = _head(path)
        best[task] = max(best.get(task, (False, created, path)), (finished, created, path))
        models[model] = None
    if len(models) > 1:
        named = ", ".join(map(_shown, sorted(models)[:5]))
        raise ResponsesError(
            f"{folder.name}: got logs of {len(models)} models ({named}), expected one; score each model separately"
        )
    return [best[task][-1] for task in sorted(best)]


def _head(path: Path) -> tuple[bool, datetime, str, str]:
    """Whether a log is finished, when it was started, its task and its model."""
    log = _json_log(path) if path.suffix == ".json" else _header(path)
    log = log if isinstance(log, dict) else {}
    header = log["eval"] if isinstance(log.get("eval"), dict) else {}
    try:
        created = datetime.fromisoformat(header["created"] if isinstance(header.get("created"), str) else "")
        created = created if created.tzinfo else created.replace(tzinfo=UTC)
    except ValueError:
        created = None
    task, model = header.get("task"), header.get("model")
    if created is None or not isinstance(task, str) or not isinstance(model, str):
        raise ResponsesError(f"{path.name}: got no task, model or date in the header, expected a log of Inspect")
    return log.get("status") == "success", created, task, model


def _header(path: Path) -> Any:
    return next((log for name in _HEADERS for _, log in _members(path, name.__eq__)), None)


def _samples(path: Path) -> Iterator[tuple[str, Any]]:
    if path.suffix != ".json":
        yield from _members(path, lambda name: _SAMPLE.fullmatch(name) is not None)
        return
    log = _json_log(path)
    samples = log.get("samples") if isinstance(log, dict) else None
    for number, sample in enumerate(samples if isinstance(samples, list) else (), start=1):
        yield f"{path.name}, sample {number}", sample


def _members(path: Path, wanted: Callable[[str], bool]) -> Iterator[tuple[str, Any]]:
    try:
        for name, raw in members(path, wanted, MAX_SAMPLE, MAX_BYTES):
            where = f"{path.name}, {_shown(name)}"
            yield where, _loaded(where, raw)
    except ArchiveError as error:
        raise ResponsesError(f"{path.name}: {_shown(str(error), 300)}") from None


def _json_log(path: Path) -> Any:
    with path.open("rb") as stream:
        raw = stream.read(MAX_JSON + 1)
    if len(raw) > MAX_JSON:
        raise ResponsesError(
            f"{path.name}: got more than {MAX_JSON:,} bytes, expected at most that; "
            "convert it: inspect log convert LOG --to eval --output-dir FOLDER"
        )
    return _loaded(path.name, raw)


def _loaded(where: str, raw: bytes) -> Any:
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise ResponsesError(f"{where}: got invalid JSON ({_shown(str(error))}), expected a complete log") from None


def _shown(text: str, most: int = 80) -> str:
    return ascii(text if len(text) <= most else f"{text[: most - 3]}...")
