"""What a Parquet file decodes to, known before memory is taken for it. The file is hostile input (law 17).

The sizes in its footer are what its writer says. What a reader takes memory for stands in the header of every page,
before its data, and a few kilobytes of data may say gigabytes: compressed zeros, a run of empty values, a long text in
a dictionary that every row points to. `pages` reads the headers; `weight` is what columns of Arrow take in Python.

Gets the bytes and the columns of a reader, so that it needs none itself.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any, Final, NamedTuple

# How pages are read: so many bytes from a place.
ReadAt = Callable[[int, int], bytes]

DICTIONARY: Final = 2
# Kinds of pages: data, a dictionary, data in the second form.
_DATA: Final = {0: 5, DICTIONARY: 7, 3: 8}
# Encodings of values: as they are, and by numbers of a dictionary.
PLAIN: Final = 0
_OF_DICTIONARY: Final = (2, 8)
# Others that hold no more values than bytes say: runs, differences, lengths apart, bytes apart. Not a text by what it
# shares with the one before, which grows with the square.
_OTHERS: Final = (3, 5, 6, 9)
_HEAD: Final = 1 << 10
_LONGEST_HEAD: Final = 1 << 16
_MAX_PAGES: Final = 1_000_000
_MAX_DEPTH: Final = 8
# What a text, a list and a table take in Python beside what they hold.
_TEXT: Final = 60
_LIST: Final = 64
_TABLE: Final = 240
_VALUE: Final = 40
# What a value takes in Arrow at least.
_EMPTY: Final = 8


class PageHead(NamedTuple):
    """What the header of a page says: its kind, how its values are written, how many they are, its bytes decoded."""

    kind: int
    encoding: int
    values: int
    bytes: int

    @property
    def is_plain(self) -> bool:
        """Whether it holds its values as they are, so that they take the bytes that it says."""
        return self.kind != DICTIONARY and self.encoding == PLAIN


def pages(read_at: ReadAt, chunk: Any) -> list[PageHead]:
    """The pages of a column chunk, of which `chunk` is the metadata. Raises ValueError for what is not well-formed."""
    at = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < (first := chunk.dictionary_page_offset or 0) < at:
        at = first
    end, left = at + chunk.total_compressed_size, chunk.num_values
    found: list[PageHead] = []
    while left > 0:
        if at >= end or len(found) == _MAX_PAGES:
            raise ValueError("a column whose pages hold fewer values than its footer says")
        head, behind = _head(read_at, at, end)
        found.append(head)
        left -= head.values if head.kind != DICTIONARY else 0
        at = behind
    if left or at > end:
        raise ValueError("a column whose pages hold more values than its footer says")
    return found


def _head(read_at: ReadAt, at: int, end: int) -> tuple[PageHead, int]:
    """The header of the page there, and where the next one begins."""
    for most in (_HEAD, _LONGEST_HEAD):
        data = read_at(min(most, end - at), at)
        try:
            place, table = _struct(data, 0, _MAX_DEPTH)
            break
        except IndexError:
            continue
    else:
        raise ValueError("a page without a header")
    kind, whole, packed = (table.get(number) for number in (1, 2, 3))
    own = table.get(_DATA.get(kind, 0)) if isinstance(kind, int) else None
    values, encoding = (own.get(1), own.get(4 if kind == 3 else 2)) if isinstance(own, dict) else (None, None)
    numbers = [one for one in (kind, encoding, values, whole, packed) if isinstance(one, int) and 0 <= one < 1 << 31]
    if len(numbers) < 5:
        raise ValueError("a page of an unknown form")
    if encoding not in (PLAIN, *_OF_DICTIONARY, *_OTHERS):
        raise ValueError(f"a page in encoding {encoding}, whose size nobody can tell before")
    return PageHead(numbers[0], numbers[1], numbers[2], numbers[3]), at + place + numbers[4]


def _struct(data: bytes, at: int, depth: int) -> tuple[int, dict[int, Any]]:
    """A struct of Thrift's compact protocol: where it ends, and its fields by number. IndexError where data ends."""
    if not depth:
        raise ValueError("a page header that is nested too deep")
    table: dict[int, Any] = {}
    number = 0
    while byte := data[at]:
        at += 1
        if byte >> 4:
            number += byte >> 4
        else:
            at, number = _signed(data, at)
        at, table[number] = _value(data, at, byte & 15, depth)
    return at + 1, table


def _value(data: bytes, at: int, kind: int, depth: int) -> tuple[int, Any]:
    if kind in (1, 2):
        return at, kind == 1
    if kind == 3:
        return at + 1, data[at]
    if kind in (4, 5, 6):
        return _signed(data, at)
    if kind == 8:
        at, size = _varint(data, at)
        # Statistics: nobody reads them.
        return _within(data, at + size), None
    if kind == 12:
        return _struct(data, at, depth - 1)
    raise ValueError(f"a page header with a field of type {kind}")


def _within(data: bytes, at: int) -> int:
    if at > len(data):
        raise IndexError
    return at


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return at, value
        if shift > 63:
            raise ValueError("a page header with a number that does not end")


def _signed(data: bytes, at: int) -> tuple[int, int]:
    at, value = _varint(data, at)
    return at, (value >> 1) ^ -(value & 1)


def weight(column: Any) -> int:
    """The bytes that a column of Arrow takes as Python values, about; a text counts its bytes in UTF-8."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, empty = column.type, int(column.null_count)
    rows = len(column) - empty
    if pa.types.is_dictionary(kind):
        return _EMPTY * empty + _TEXT * rows + _sum(pc.binary_length(column.dictionary).take(column.indices))
    if any(is_text(kind) for is_text in (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)):
        return _EMPTY * empty + _TEXT * rows + _sum(pc.binary_length(column))
    if pa.types.is_map(kind):
        table = pa.struct([pa.field("key", kind.key_type), pa.field("value", kind.item_type)])
        return weight(column.cast(pa.list_(table)))
    if pa.types.is_struct(kind):
        return _TABLE * len(column) + sum(map(weight, column.flatten()))
    if pa.types.is_nested(kind):
        return _LIST * len(column) + weight(column.flatten())
    return _EMPTY * empty + _VALUE * rows


def _sum(lengths: Any) -> int:
    import pyarrow.compute as pc

    return int(pc.sum(pc.cast(lengths, "int64")).as_py() or 0)


def dictionaries(read_at: ReadAt, metadata: Any, columns: Collection[str], most_page: int, most: int) -> list[str]:
    """The texts that some dictionary holds, as `read_dictionary` of pyarrow names them: read so, they stand there once.

    Raises ValueError where one page of these columns decodes to over `most_page` bytes, or all to over `most`.
    """
    found: dict[str, None] = {}
    total = 0
    for group in range(metadata.num_row_groups):
        part = metadata.row_group(group)
        for number in range(part.num_columns):
            chunk = part.column(number)
            if (name := chunk.path_in_schema).partition(".")[0] not in columns:
                continue
            heads = pages(read_at, chunk)
            # An empty value takes no byte in its page.
            total += max(sum(head.bytes for head in heads), _EMPTY * chunk.num_values)
            if total > most or any(head.bytes > most_page for head in heads):
                raise ValueError(f"column {name} decodes to over {min(most, most_page):,} bytes")
            if chunk.physical_type == "BYTE_ARRAY" and any(head.kind == DICTIONARY for head in heads):
                found[name] = None
    return list(found)


def lighter(batch: Any, most: int) -> Iterator[Any]:
    """A batch of Arrow in parts of at most that weight, or of one row."""
    if batch.num_rows <= 1 or sum(map(weight, batch.columns)) <= most:
        yield batch
        return
    half = batch.num_rows // 2
    yield from lighter(batch.slice(0, half), most)
    yield from lighter(batch.slice(half), most)
