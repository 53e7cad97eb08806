"""Pieces of writing with the requests that they answer, one a line of JSON (gzip or not), as a bank for MRCR.

    {"format": "poem", "topic": "rain", "style": "terse", "request": "Write a terse poem about rain.", "text": "…"}

`style` may be left out. Unlike a table of documents, a bank is checked for what a conversation of many requests needs:
each request names its own format, topic and style as whole words and none of another line's, so that one can tell
whose request it is; no text holds what looks like a turn of a conversation; a text comes once, and of two of a key
that have more than half of their words and 80 % of their characters in common, in order, the later is dropped.

What is kept, dropped and refused must not change without a new version of the reader: pinned releases read it.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any, Final, NamedTuple

from rapidfuzz.distance import Indel

from carrara.errors import SourceError
from carrara.sources.document import decode, read_bytes, tidy
from carrara.sources.tables import Lacking
from carrara.tables import PieceKey
from carrara.text.json import strict_json

MAX_PIECES: Final = 50_000
MAX_PIECES_A_KEY: Final = 64
MAX_NAME: Final = 60
MAX_REQUEST: Final = 400
# 512 tokens of English are 2,400 characters.
MIN_TEXT, MAX_TEXT = 40, 4_000
_MAX_LINE = 64 * 1024
# Of two pieces of a key: what they have in common, in order, of all their words and characters. The world's reach 0.63
# and 0.71, a copy with every fifth word changed has 0.80 and 0.85. The second is the bound that MRCR's audit holds.
_SAME_WORDS: Final = 0.5
NEAR_DUPLICATE: Final = 0.8

_NEEDED: Final = ("format", "topic", "request", "text")
_FIELDS: Final = (*_NEEDED, "style")
_HINT: Final = 'Write {"format": "poem", "topic": "rain", "request": "Write a poem about rain.", "text": "…"}.'
_WORD = re.compile(r"[^\W_]+")
_TURN = re.compile(r"\W{0,8}(user|model|assistant|system|human)\b\W{0,4}:", re.IGNORECASE)
_MARK = re.compile(r"<\|[^<>|]{0,40}\|>|\[/?INST\]|</?s>")
_WordTuple = tuple[str, ...]


class BankPiece(NamedTuple):
    """A text and the request that it answers."""

    request: str
    text: str


@dataclass(frozen=True, slots=True)
class Bank:
    """The pieces of a source by key (`carrara.tables.Pieces`). `dropped` says which lines are not in it, and why."""

    pieces: Mapping[PieceKey, Sequence[BankPiece]]
    dropped: tuple[str, ...] = ()

    def keys(self) -> Sequence[PieceKey]:
        """Every key, sorted by format, topic and style."""
        return tuple(self.pieces)

    def count(self, key: PieceKey) -> int:
        """How many different texts a key has; 0 for a key that is not there."""
        return len(self.pieces.get(key, ()))

    def request(self, key: PieceKey, number: int) -> str:
        """The request of piece `number`, in the order of the lines. Raises ValueError where there is none."""
        return self._piece(key, number).request

    def piece(self, key: PieceKey, number: int) -> str:
        """Piece `number`: lines without outer blanks. Raises ValueError where there is none."""
        return self._piece(key, number).text

    def _piece(self, key: PieceKey, number: int) -> BankPiece:
        if not 0 <= number < self.count(key):
            raise ValueError(f"{key} has {self.count(key)} pieces, and none of number {number}")
        return self.pieces[key][number]


class PieceTables(Lacking):
    """The tables of a source of pieces: the bank alone."""

    def __init__(self, name: str, bank: Bank) -> None:
        super().__init__(f"source {name!r} (reader 'pieces')")
        self._bank = bank

    def pieces(self) -> Bank:
        """The bank of all files together."""
        return self._bank


class _Line(NamedTuple):
    where: str
    key: PieceKey
    piece: BankPiece


def tables(name: str, files: Mapping[str, Path]) -> PieceTables:
    """The bank of a source's files. Raises SourceError that names file and line."""
    return PieceTables(name, read(files))


def read(files: Mapping[str, Path]) -> Bank:
    """Read and check every line, drop what comes twice. Raises SourceError that names file and line."""
    lines = list(_lines(files))
    if not lines:
        raise SourceError(f"{', '.join(sorted(files))}: got no piece of writing, expected one a line", _HINT)
    _check_requests(lines)
    dropped: list[str] = []
    seen: dict[str, str] = {}
    by_key: dict[PieceKey, list[_Line]] = {}
    for line in lines:
        if line.piece.text in seen:
            dropped.append(f"{line.where}: the text of {seen[line.piece.text]}")
            continue
        seen[line.piece.text] = line.where
        own = by_key.setdefault(line.key, [])
        own.append(line)
        if len(own) > MAX_PIECES_A_KEY:
            raise SourceError(
                f"{line.where}: got piece {len(own)} of {_told(line.key)}, expected at most {MAX_PIECES_A_KEY} a key",
                "Leave some out: no conversation asks for so many.",
            )
    pieces: dict[PieceKey, tuple[BankPiece, ...]] = {}
    for key in sorted(by_key, key=lambda piece_key: (piece_key.format, piece_key.topic, piece_key.style)):
        own = by_key[key]
        twins = near_duplicates([line.piece.text for line in own])
        dropped += [f"{own[later].where}: nearly the text of {own[first].where}" for later, first in twins.items()]
        pieces[key] = tuple(line.piece for number, line in enumerate(own) if number not in twins)
    return Bank(pieces, tuple(dropped))


def near_duplicates(texts: Sequence[str]) -> dict[int, int]:
    """Of texts of one key: the numbers of those to drop, each with that of the earlier text that it nearly is.

    Two texts are near-duplicates where more than half of their words are common to both, in order, and more than
    NEAR_DUPLICATE of their characters (1 - insertions and deletions / both lengths).
    """
    places: defaultdict[str, str] = defaultdict(map(chr, count(0x10000)).__next__)
    # A word a character: the comparison is then six times as fast as that of the characters, and few pairs pass it.
    coded = ["".join([places[word] for word in text.split()]) for text in texts]
    nearest: dict[int, int] = {}
    for later, text in enumerate(coded):
        for earlier in range(later):
            if earlier in nearest or Indel.normalized_similarity(text, coded[earlier]) <= _SAME_WORDS:
                continue
            if Indel.normalized_similarity(texts[later], texts[earlier]) > NEAR_DUPLICATE:
                nearest[later] = earlier
                break
    return nearest


def tidy_text(text: str) -> str:
    """Lines as `tidy` makes them, at most one empty line between two, none at the ends."""
    lines = "\n".join(map(tidy, text.replace("\r\n", "\n").replace("\r", "\n").split("\n")))
    return re.sub(r"\n{3,}", "\n\n", lines).strip("\n")


def objection(text: str) -> str:
    """Why a tidied text is no piece of a conversation, or "" where nothing speaks against it."""
    if not MIN_TEXT <= len(text) <= MAX_TEXT:
        return f"got {len(text):,} characters, expected {MIN_TEXT} to {MAX_TEXT:,}"
    return _foreign(text)


def words(text: str) -> _WordTuple:
    """The words of a text, without case."""
    return tuple(_WORD.findall(text.casefold()))


def _foreign(text: str) -> str:
    for line in text.split("\n"):
        if match := _TURN.match(line):
            return f"got a line that begins like a turn of a conversation ({match[0].strip()!r})"
    if match := _MARK.search(text):
        return f"got {match[0]!r}, which chat templates obey"
    return ""


def _told(key: PieceKey) -> str:
    return " / ".join(part for part in (key.format, key.topic, key.style) if part)


def _lines(files: Mapping[str, Path]) -> Iterator[_Line]:
    total = 0
    for path in sorted(files):
        # Cut as bytes: JSON text may hold other line separators than a newline.
        for number, raw in enumerate(read_bytes(files[path], path).split(b"\n"), start=1):
            where = f"{path}:{number}"
            if not raw.strip():
                continue
            total += 1
            if total > MAX_PIECES:
                raise SourceError(f"{where}: got more than {MAX_PIECES:,} pieces, expected fewer", "Leave some out.")
            if len(raw) > _MAX_LINE:
                raise SourceError(f"{where}: got a line of {len(raw):,} bytes, expected {_MAX_LINE:,} at most", _HINT)
            yield _line(where, decode(raw, where))


def _line(where: str, raw: str) -> _Line:
    try:
        row: Any = strict_json(raw)
    except ValueError as error:
        raise SourceError(f"{where}: got {raw[:60]!r}, expected one JSON object ({error})", _HINT) from error
    if not isinstance(row, dict):
        raise SourceError(f"{where}: got {raw[:60]!r}, expected a JSON object", _HINT)
    for field in row:
        if field not in _FIELDS:
            raise SourceError(f"{where}: unknown field {field[:60]!r}, expected {', '.join(_FIELDS)}", _HINT)
    for field in _NEEDED:
        if field not in row:
            raise SourceError(f"{where}: field {field!r} is missing", _HINT)
    for field, value in row.items():
        if not isinstance(value, str):
            raise SourceError(f"{where}: {field} is {str(value)[:60]!r}, expected text", _HINT)
    key = PieceKey(*(_name(where, field, row.get(field, "")) for field in ("format", "topic", "style")))
    request, text = tidy(row["request"]), tidy_text(row["text"])
    if not 0 < len(request) <= MAX_REQUEST:
        raise SourceError(f"{where}: got a request of {len(request):,} characters, expected 1 to {MAX_REQUEST}", _HINT)
    for field, fault in (("request", _foreign(request)), ("text", objection(text))):
        if fault:
            raise SourceError(f"{where}: {field}: {fault}", "Mend the line or leave it out.")
    return _Line(where, key, BankPiece(request, text))


def _name(where: str, field: str, given: str) -> str:
    name = tidy(given)
    if len(name) > MAX_NAME or (not words(name) and (name or field != "style")):
        raise SourceError(f"{where}: {field} is {given[:80]!r}, expected words, {MAX_NAME} characters at most", _HINT)
    return name


def _check_requests(lines: Sequence[_Line]) -> None:
    """Whether every request names what its line says, and nothing that another line's key says."""
    spelled: dict[_WordTuple, str] = {}
    for line in lines:
        for _, name in _fields(line.key):
            if name and (known := spelled.setdefault(words(name), name)) != name:
                raise SourceError(
                    f"{line.where}: got {name!r} and in an earlier line {known!r}, which cannot be told apart",
                    "Spell it the same in all lines.",
                )
    sizes: dict[str, list[int]] = {}
    for first, size in sorted({(phrase[0], len(phrase)) for phrase in spelled}):
        sizes.setdefault(first, []).append(size)
    for line in lines:
        own = {words(name): field for field, name in _fields(line.key) if name}
        named = list(_named(words(line.piece.request), spelled, sizes))
        # "Play" inside the line's own topic "a play" names nothing; another line's "a play" around its "play" does.
        mine = [key_ for key_ in named if key_.phrase in own]
        outer = [key_ for key_ in named if not any(_is_inside(key_, other) for other in mine)]
        for phrase, field in own.items():
            as_written = re.search(rf"(?<!\w){re.escape(spelled[phrase])}(?!\w)", line.piece.request, re.IGNORECASE)
            if not as_written or phrase not in {key_.phrase for key_ in outer}:
                raise SourceError(
                    f"{line.where}: the request {line.piece.request[:80]!r} does not name its {field} "
                    f"{spelled[phrase]!r}",
                    "Name format, topic and style in these words: the order of like requests is what is asked about.",
                )
        if others := sorted(spelled[key_.phrase] for key_ in outer if key_.phrase not in own):
            raise SourceError(
                f"{line.where}: the request {line.piece.request[:80]!r} of {_told(line.key)} also names {others[0]!r}, "
                "which is a format, topic or style of another line",
                "Word the request so that it can mean one key alone.",
            )


def _fields(key: PieceKey) -> Iterable[tuple[str, str]]:
    return (("format", key.format), ("topic", key.topic), ("style", key.style))


class _NamedKey(NamedTuple):
    phrase: _WordTuple
    start: int
    end: int


def _named(
    request: _WordTuple, spelled: Mapping[_WordTuple, str], sizes: Mapping[str, Sequence[int]]
) -> Iterator[_NamedKey]:
    """Where a request holds known names, from left to right; they may overlap."""
    for start, first in enumerate(request):
        for end in (start + size for size in sizes.get(first, ())):
            if request[start:end] in spelled:
                yield _NamedKey(request[start:end], start, end)


def _is_inside(inner: _NamedKey, outer: _NamedKey) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end and len(inner.phrase) < len(outer.phrase)
