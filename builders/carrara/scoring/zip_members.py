"""Members of a ZIP archive that nobody vouches for, one at a time, by bounds on what really comes out.

Nothing is extracted. Stored, deflated and Zstandard members are read, the last ones by the standard library from Python
3.14 on, else by the library `zstandard`. What must not change: no size that the archive names is trusted.
"""

import importlib
import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Final

# The directory is read in one piece and takes fifteen times its size: of 100,000 samples it has 14 MB.
MAX_DIRECTORY: Final = 16 << 20
_CHUNK: Final = 1 << 20
_ZSTANDARD: Final = 93
_READ: Final = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, _ZSTANDARD)
_ENCRYPTED: Final = 1
_MOST: Final = (1 << 63) - 1
_LOCAL: Final = struct.Struct("<4s22xHH")


class ArchiveError(ValueError):
    """An archive that cannot be read: what was got, what was expected."""


def members(path: Path, wanted: Callable[[str], bool], most: int, most_together: int) -> Iterator[tuple[str, bytes]]:
    """The members whose names are wanted, in the order of the directory; of a name that stands twice the last one.

    `most` bytes of each and `most_together` of all are read. Raises ArchiveError for a broken or oversized archive and
    for what cannot be decompressed, OSError where it cannot be opened.
    """
    total = 0
    try:
        with path.open("rb") as stream:
            source = _Source(stream)
            with zipfile.ZipFile(source) as archive:
                source.most = None
                for name in filter(wanted, dict.fromkeys(archive.namelist())):
                    raw = _read(archive, source, archive.getinfo(name), min(most, most_together - total))
                    total += len(raw)
                    yield name, raw
    except ArchiveError:
        raise
    # What the standard library raises over broken archives; the last over names and offsets.
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, struct.error, ValueError) as error:
        raise ArchiveError(f"got a broken ZIP archive ({error}), expected a whole one") from None


class _Source(io.RawIOBase):
    """A file of which no more than `most` bytes are read at a time: the directory of an archive is read at once."""

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
        found = self._stream.read(asked if 0 <= asked <= self.most else self.most + 1)
        if len(found) > self.most:
            raise ArchiveError(f"got a directory of more than {self.most:,} bytes, expected at most that")
        return found


class _Part(io.RawIOBase):
    """A stretch of a file, read from its beginning."""

    def __init__(self, stream: _Source, start: int, size: int) -> None:
        super().__init__()
        self._stream, self._at, self._end = stream, start, start + size

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._stream.seek(self._at)
        found = self._stream.read(max(0, min(len(buffer), self._end - self._at)))
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


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
    part = _Part(source, info.header_offset + _LOCAL.size + name + extra, info.compress_size)
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


def _zstandard(part: _Part) -> tuple[Any, type[Exception]]:
    """A reader of Zstandard data, across its frames, and what it raises. By name: it is there or it is not."""
    for name in ("compression.zstd", "zstandard"):
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        if name == "zstandard":
            return library.ZstdDecompressor().stream_reader(part, read_across_frames=True), library.ZstdError
        return library.ZstdFile(part), library.ZstdError
    raise ArchiveError("got Zstandard data, which needs the library zstandard (pip install zstandard) or Python 3.14")
