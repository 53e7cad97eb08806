"""Reads responses from JSON Lines (also .gz) or Parquet with the fields `id` and `response`, or from a harness's logs.

A log of lm-evaluation-harness (`samples_<task>_<time>.jsonl`, from --log_samples) is recognised by its shape: a line
holds the row (`doc`), the request, and the response before and after the harness's filters. The filtered response,
which the harness scored, is read; of repeats all are, unless a filter of the user's chose one. A log of Inspect is
recognised by its name or its first bytes (`inspect.py`). The folder of `carrara run` holds `responses.jsonl` and
`run.json`, which names the release and says which rows of each config were asked: so many first ones, or those whose
bits are set in a number of hexadecimal digits (`places_text`).

A response is a text, a list of typed parts, or a message: parts of type text are the response, parts of type reasoning
and the fields `reasoning_content`, `reasoning` and `thoughts` are thoughts, which nobody scores. `finish_reason`,
`stop_reason`, `stop` and `done_reason` say why a text ended, `truncated` whether it was cut. What was cut at its limit
of tokens is scored as it stands: a right answer before the cut is right. But a thought that begins in the prompt and is
cut looks like an answer, so the report counts such rows and says what the score is with all of them wrong, and without
them (`result.Bounds`). A null that was cut, or has thoughts, is an empty response, and not a missing one.

Several samples of a row are told apart by the field `sample`, a whole number, or with `samples=True` by their order.
Without either, two different responses to one row are an error.

A file is untrusted: the length of a line, of the file and the number of lines are bounded, and so is what a packed file
unpacks to, by its size (`unpacked_limit`); the first fault stops the reading with its line number. All responses are
kept in memory. Other fields are ignored.
"""

import gzip
import json
import os
import re
import zlib
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from carrara.scoring.errors import ResponsesError
from carrara.scoring.responses import inspect as logs_inspect
from carrara.scoring.responses.reading import THOUGHT_FIELDS, is_cut, is_thinking, parts
from carrara.text.json import strict_json
from carrara.text.parquet import dictionaries, lighter, weight

MAX_LINE: Final = 64 << 20
MAX_BYTES: Final = 4 << 30
MAX_LINES: Final = 10_000_000
# What a packed file may unpack to: a small file this much, a larger one so many times its size. Real answers pack four
# to ten times, one that repeats itself to its end a thousand times.
FREE_BYTES: Final = 64 << 20
PACKING: Final = 64
# Of a line in a packed file: a list in JSON takes 3 bytes, and 64 in memory.
MAX_PARTS: Final = 2_000_000
MAX_SAMPLES: Final = 1_000
NAMED: Final = 5
RESPONSES: Final = "responses.jsonl"
RUN: Final = "run.json"
_MAX_RUN: Final = 4 << 20
_MAX_NAME: Final = 400
# An index of more digits is of no row.
_DIGITS: Final = 12
MAX_FILES: Final = 100_000
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")
_NAME: Final = re.compile(r"samples_(.+)_([0-9T.-]+)\.jsonl")


@dataclass(frozen=True, slots=True)
class Responses:
    """Responses by row id.

    `texts`: the response of each id, None if there is none; `reasons`: why there is none; `duplicates`: ids that came
    twice with the same response. `asked`: which rows of each config every run asked, by position; None if that is not
    known. `release` (name@version) and `model`: those of a run that names them, else "". `more`: where a row was asked
    several times, the responses of the other samples, in order. `cut`: the responses that were cut at their limit, by
    id and place among the row's samples, and `thoughts` those that are empty and have thoughts apart; `tells_stops`:
    whether the file says of any response why it ended.
    """

    texts: dict[str, str | None]
    reasons: dict[str, str]
    duplicates: tuple[str, ...]
    asked: tuple[Mapping[str, Container[int]], ...] | None = None
    release: str = ""
    model: str = ""
    more: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    cut: frozenset[tuple[str, int]] = frozenset()
    thoughts: frozenset[tuple[str, int]] = frozenset()
    tells_stops: bool = False

    def has_blank(self, row_id: str) -> bool:
        """Whether a response to a row is there and empty."""
        return any(text is not None and not text.strip() for text in self.of(row_id))

    def still_thinking(self, row_id: str) -> tuple[int, ...]:
        """The places of the responses to a row that end within a thought."""
        texts = self.of(row_id)
        # Samples often say the same.
        ended = {text: not is_thinking(text) for text in set(texts) if text is not None}
        return tuple(
            place
            for place, text in enumerate(texts)
            if text is not None and not (ended[text] and (row_id, place) not in self.thoughts)
        )

    def cut_short(self, row_id: str) -> tuple[int, ...]:
        """The places of the responses that were cut at their limit; without stop reasons, those still thinking."""
        places = range(len(self.of(row_id)))
        if self.tells_stops:
            return tuple(place for place in places if (row_id, place) in self.cut)
        return self.still_thinking(row_id)

    def of(self, row_id: str) -> tuple[str | None, ...]:
        """Every sample's response to a row; () if the row has no line."""
        return (self.texts[row_id], *self.more.get(row_id, ())) if row_id in self.texts else ()

    def has_asked(self, row_id: str, config: str) -> bool:
        """Whether a row was to be asked: one that is answered, or among those that a run asked."""
        if self.asked is None or row_id in self.texts:
            return True
        index = row_id.rpartition("/")[2]
        if not (index.isdecimal() and index.isascii()):
            return True
        return any(int(index[:_DIGITS]) in rows.get(config, ()) for rows in self.asked)


@dataclass(slots=True)
class _Collected:
    is_repeated: bool
    texts: dict[str, str | None] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    duplicates: dict[str, None] = field(default_factory=dict)
    conflicts: dict[str, None] = field(default_factory=dict)
    # Of rows with several samples only: the number of the response in `texts`, and the others by their numbers.
    numbers: dict[str, int] = field(default_factory=dict)
    more: dict[str, dict[int, str | None]] = field(default_factory=dict)
    # By id and number.
    cut: set[tuple[str, int]] = field(default_factory=set)
    thoughts: set[tuple[str, int]] = field(default_factory=set)
    tells_stops: bool = False

    def add(self, where: str, record: Any) -> None:
        if not isinstance(record, dict):
            raise ResponsesError(f"{where}: got {_kind(record)}, expected an object with `id` and `response`")
        if missing := [name for name in ("id", "response") if name not in record]:
            raise ResponsesError(f"{where}: got no `{missing[0]}`, expected an object with `id` and `response`")
        key, given, reason, number = (record.get(name) for name in ("id", "response", "reason", "sample"))
        (text, thoughts), is_cut_short = parts(given), _is_cut_short(record)
        if not isinstance(key, str) or not key:
            raise ResponsesError(f"{where}: got {_kind(key)} as `id`, expected the id of a row, a string")
        if text is None and given is not None and not (isinstance(given, dict) and given.get("content", given) is None):
            raise ResponsesError(
                f"{where}: got {_kind(given)} as `response`, expected a string, typed parts, a message or null"
            )
        if reason is not None and not isinstance(reason, str):
            raise ResponsesError(f"{where}: got {_kind(reason)} as `reason`, expected a string")
        if number is not None and (type(number) is not int or not 0 <= number < 1 << 31):
            raise ResponsesError(f"{where}: got {_kind(number)} as `sample`, expected a whole number")
        has_thoughts = bool(thoughts.strip()) or any(
            _text(record, name).strip() for name in THOUGHT_FIELDS if name in record
        )
        if text is None and not reason and (is_cut_short or has_thoughts):
            text = ""
        if key not in self.texts:
            self.texts[key] = text
            if number is not None:
                self.numbers[key] = number
            placed: int | None = number or 0
        else:
            placed = self._add_again(where, key, text, number)
        self.tells_stops = self.tells_stops or is_cut_short is not None
        if placed is not None and text is not None:
            if is_cut_short:
                self.cut.add((key, placed))
            if has_thoughts and not text.strip():
                self.thoughts.add((key, placed))
        if text is None and reason:
            self.reasons.setdefault(key, reason)

    def _add_again(self, where: str, key: str, text: str | None, number: int | None) -> int | None:
        """The number of a further sample; None for a response that is there already."""
        first, others = self.numbers.get(key), self.more.get(key, {})
        if self.is_repeated and first is None and number is None:
            number = 1 + len(others)
        elif (first is None) != (number is None):
            raise ResponsesError(
                f"{where}: got {_short(key)} with and without `sample`, expected it in every line of a row or in none"
            )
        elif number == first or number in others:
            same = self.texts[key] if number == first else others[number or 0]
            (self.duplicates if same == text else self.conflicts)[key] = None
            return None
        if len(others) + 2 > MAX_SAMPLES:
            raise ResponsesError(f"{where}: got over {MAX_SAMPLES:,} samples of {_short(key)}, expected at most that")
        self.more.setdefault(key, {})[number or 0] = text
        return number or 0

    def placed(self, marks: set[tuple[str, int]]) -> frozenset[tuple[str, int]]:
        """Marks by id and number as marks by id and place."""
        placed = set()
        for key, number in marks:
            numbers = sorted({self.numbers.get(key, 0), *self.more.get(key, ())})
            placed.add((key, numbers.index(number)))
        return frozenset(placed)

    def samples(self) -> dict[str, tuple[str | None, ...]]:
        """The responses of the other samples, after the first one is put into `texts`."""
        told = {}
        for key, others in self.more.items():
            numbered = {self.numbers.get(key, 0): self.texts[key], **others}
            self.texts[key], *rest = (numbered[number] for number in sorted(numbered))
            told[key] = tuple(rest)
        return told


def read_responses(*paths: Path | str, samples: bool = False) -> Responses:
    """Read the responses of one model from JSON Lines (also `.gz`), `.parquet`, or a harness's log or folder of logs.

    With `samples` every further line of an id is another sample of its row, as lines with the field `sample` are
    anyway. Else two equal responses for one id count once, and the id is listed in `duplicates`. Raises ResponsesError
    for a broken, oversized or empty file and for two different responses for one id; OSError for a missing file.
    """
    files = [Path(path) for path in paths]
    name = files[0].name if len(files) == 1 else f"{len(files)} files"
    collected = _Collected(samples)
    for where, record in (entry for path in files for entry in _records(path)):
        collected.add(where, record)
    if collected.conflicts:
        named = ", ".join(_short(key) for key in list(collected.conflicts)[:NAMED])
        raise ResponsesError(
            f"{name}: got two different responses for {len(collected.conflicts)} ids ({named}), "
            "expected one for each id; keep one of them, or if they are samples of one row, number them in a field "
            "`sample` or give --samples"
        )
    if not collected.texts:
        raise ResponsesError(f"{name}: got no responses, expected at least one")
    runs = [_run(path) for path in files]
    known = [run for run in runs if run is not None]
    for what, values in (("release", {run.release for run in known}), ("model", {run.model for run in known})):
        if len(values) > 1:
            raise ResponsesError(f"{name}: got runs of several {what}s ({', '.join(sorted(values))}), expected one")
    more = collected.samples()
    asked = tuple(run.asked for run in known if run.asked is not None)
    return Responses(
        collected.texts,
        collected.reasons,
        tuple(collected.duplicates),
        # Files without a run beside them do not say what they asked.
        asked if len(known) == len(runs) and len(asked) == len(runs) else None,
        known[0].release if known else "",
        known[0].model if known else "",
        more,
        collected.placed(collected.cut),
        collected.placed(collected.thoughts),
        collected.tells_stops,
    )


# What else a line may hold.
_OTHERS: Final = (
    "reason",
    "sample",
    "truncated",
    *THOUGHT_FIELDS,
    "finish_reason",
    "stop_reason",
    "stop",
    "done_reason",
)
_STOPS: Final = ("finish_reason", "stop_reason", "stop", "done_reason")
_ENDS: Final = frozenset((*_STOPS, "truncated"))


def _is_cut_short(record: Mapping[str, object]) -> bool | None:
    """Whether a record says that its text was cut; None if it does not say why that ended."""
    if _ENDS.isdisjoint(record):
        return None
    stops = [stop for name in _STOPS if (stop := _text(record, name))]
    if any(map(is_cut, stops)) or record.get("truncated") is True:
        return True
    return False if stops or record.get("truncated") is False else None


def _text(record: Mapping[str, object], name: str) -> str:
    value = record.get(name)
    return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class _ToldRun:
    """What a run says of itself: the release, the model, and which rows of each config were asked."""

    release: str
    model: str
    asked: Mapping[str, Container[int]] | None


class _Places(bytes):
    """Positions of rows as bits: the lowest of the first byte is the first row's."""

    def __contains__(self, place: object) -> bool:
        return isinstance(place, int) and place >> 3 < len(self) and bool(self[place >> 3] >> (place & 7) & 1)


def places_text(places: Iterable[int]) -> str:
    """Positions of rows in hexadecimal, as `run.json` holds them: a byte for eight rows, its lowest bit the first."""
    bits = bytearray()
    for place in places:
        bits.extend(bytes(max(0, (place >> 3) + 1 - len(bits))))
        bits[place >> 3] |= 1 << (place & 7)
    return bits.hex()


def _places(value: object) -> Container[int] | None:
    """The rows that `run.json` says were asked of a config; None for anything else."""
    if type(value) is int and 0 <= value < 1 << 31:
        return range(value)
    return _Places.fromhex(value) if isinstance(value, str) and _HEX.fullmatch(value) else None


def _run(place: Path) -> _ToldRun | None:
    """What `run.json` in the folder, or beside the file `responses.jsonl`, says; None where there is none."""
    if place.is_dir():
        file = place / RUN
    elif place.name == RESPONSES:
        file = place.with_name(RUN)
    else:
        return None
    if not file.is_file():
        return None
    with file.open("rb") as stream:
        raw = stream.read(_MAX_RUN + 1)
    try:
        table = strict_json(raw) if len(raw) <= _MAX_RUN else None
    except ValueError as error:
        raise ResponsesError(f"{file.name}: got no readable JSON ({_short(str(error))})") from None
    asked = table.get("asked") if isinstance(table, dict) else None
    places = {name: _places(rows) for name, rows in asked.items()} if isinstance(asked, dict) else {}
    known = {name: rows for name, rows in places.items() if rows is not None}
    if asked is not None and not (isinstance(asked, dict) and len(known) == len(asked)):
        raise ResponsesError(f"{file.name}: got asked = {_kind(asked)}, expected which rows of each config")
    release, model = ((table or {}).get(name) for name in ("release", "model"))
    if not isinstance(release, str) or not isinstance(model, str):
        raise ResponsesError(f"{file.name}: got no release and model, expected what carrara run writes")
    return _ToldRun(release[:_MAX_NAME], model[:_MAX_NAME], None if asked is None else known)


def _records(path: Path) -> Iterator[tuple[str, Any]]:

    if (path / RUN).is_file() and (path / RESPONSES).is_file():
        return _lines(path / RESPONSES)
    if logs_inspect.is_log(path):
        return logs_inspect.records(path)
    if not path.is_dir():
        return _parquet(path) if path.suffix == ".parquet" else _lines(path)
    try:
        return (entry for file in latest(path) for entry in _lines(file))
    except ValueError as error:
        raise ResponsesError(f"{path.name}: {error}") from None


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    is_packed = path.suffix == ".gz"
    most = unpacked_limit(path.stat().st_size) if is_packed else MAX_BYTES
    with gzip.open(path, "rb") if is_packed else path.open("rb") as stream:
        for number, line in enumerate(_bounded(path, cast(BinaryIO, stream), most), start=1):
            where = f"{path.name}, line {number}"
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
            except UnicodeDecodeError as error:
                raise ResponsesError(
                    f"{where}: got bytes that are not UTF-8 ({error.reason}), expected UTF-8"
                ) from None
            if not text:
                continue
            if is_packed and sum(map(line.count, (b"[", b"{", b","))) > MAX_PARTS:
                raise ResponsesError(f"{where}: got over {MAX_PARTS:,} brackets and commas, expected at most that")
            try:
                record = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise ResponsesError(f"{where}: got {_short(text)} ({error}), expected one JSON object") from None
            try:
                yield from ((where, one) for one in responses_of(record)) if is_sample(record) else [(where, record)]
            except ValueError as error:
                raise ResponsesError(f"{where}: {error}") from None


def unpacked_limit(size: int) -> int:
    """How many bytes a packed file of that size may unpack to."""
    return min(MAX_BYTES, FREE_BYTES + PACKING * size)


def is_sample(record: Any) -> bool:
    """Tell whether a record has the shape of a logged sample, and not that of a response."""
    return isinstance(record, dict) and "response" not in record and "doc" in record and "filtered_resps" in record


def responses_of(record: Mapping[str, Any]) -> list[dict[str, object]]:
    """Return a logged sample as `id` and `response`, of repeats each, with `sample`. Raises ValueError for others."""
    doc, responses, raw = record["doc"], record["filtered_resps"], record.get("resps")
    if not isinstance(doc, dict) or "id" not in doc:
        raise ValueError("got a logged sample whose `doc` has no `id`, expected a row of an exported release")
    # Without filters the harness logs a list of one response, otherwise the response alone.
    while isinstance(responses, list) and len(responses) == 1:
        responses = responses[0]
    # Without a filter of its user's it takes the first of its repeats.
    if isinstance(raw, list) and len(raw) == 1 and isinstance(raw[0], list) and len(raw[0]) > 1:
        responses = raw[0] if record.get("filter", "none") == "none" and responses == raw[0][0] else responses
    if not isinstance(responses, list):
        more = {name: record[name] for name in _OTHERS if name in record and name != "sample"}
        return [{"id": doc["id"], "response": responses, **more}]
    if not responses:
        raise ValueError("got no response for a sample in `filtered_resps`, expected one or more")
    return [{"id": doc["id"], "response": text, "sample": number} for number, text in enumerate(responses)]


def latest(folder: Path) -> list[Path]:
    """Return the newest samples file of every task, sorted by task, in a folder or in its one subfolder that has any.

    The harness makes one folder for each model in its --output_path and adds files to it with every run. Raises
    ValueError for a folder without samples, with those of several models, or with more than 100,000 entries.
    """
    newest = _newest(folder)
    if not newest:
        inner = {entry.name: files for entry in _entries(folder) if entry.is_dir() and (files := _newest(entry))}
        if len(inner) > 1:
            named = ", ".join(ascii(name) for name in sorted(inner)[:5])
            raise ValueError(
                f"got samples of {len(inner)} models ({named}), expected one; give the folder of one model"
            )
        newest = next(iter(inner.values()), {})
    if not newest:
        raise ValueError("got no samples_<task>_<time>.jsonl, expected the files that lm_eval run --log_samples writes")
    return [newest[task] for task in sorted(newest)]


def _newest(folder: Path) -> dict[str, Path]:
    # The time sorts as text.
    named = [(name[2], name[1], entry) for entry in _entries(folder) if (name := _NAME.fullmatch(entry.name))]
    return {task: entry for _, task, entry in sorted(named) if entry.is_file()}


def _entries(folder: Path) -> list[Path]:
    entries = []
    for entry in folder.iterdir():
        entries.append(entry)
        if len(entries) > MAX_FILES:
            raise ValueError(f"got a folder of more than {MAX_FILES:,} files, expected at most that")
    return entries


def _bounded(path: Path, stream: BinaryIO, most: int) -> Iterator[bytes]:
    total = number = 0
    while True:
        where = f"{path.name}, line {number + 1}"
        try:
            line = stream.readline(min(MAX_LINE, most) + 1)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ResponsesError(f"{where}: got broken gzip data ({error}), expected a whole .gz file") from None
        if not line:
            return
        number += 1
        total += len(line)
        if total > most < MAX_BYTES:
            raise ResponsesError(
                f"{where}: got a packed file that unpacks to over {most:,} bytes, expected at most {PACKING} times its "
                "size; unpack it first"
            )
        if len(line) > MAX_LINE:
            raise ResponsesError(f"{where}: got a line over the limit of {MAX_LINE:,} bytes")
        if total > MAX_BYTES or number > MAX_LINES:
            raise ResponsesError(
                f"{where}: got more than {MAX_BYTES:,} bytes or {MAX_LINES:,} lines, expected fewer; split the file"
            )
        yield line


def _parquet(path: Path) -> Iterator[tuple[str, Any]]:
    # Imported here: scoring without Parquet needs no pyarrow.
    import pyarrow
    import pyarrow.parquet

    total = number = 0
    most = unpacked_limit(path.stat().st_size)
    try:
        with pyarrow.OSFile(os.fspath(path)) as source, pyarrow.parquet.ParquetFile(source) as file:
            names = set(file.schema_arrow.names)
            if missing := sorted({"id", "response"} - names):
                raise ResponsesError(f"{path.name}: got no column `{missing[0]}`, expected `id` and `response`")
            if file.metadata.num_rows > MAX_LINES:
                raise ResponsesError(
                    f"{path.name}: got {file.metadata.num_rows:,} rows, expected at most {MAX_LINES:,}"
                )
            columns = sorted({"id", "response", *_OTHERS} & names)
            texts = dictionaries(source.read_at, file.metadata, columns, MAX_LINE, most)
        with pyarrow.parquet.ParquetFile(path, read_dictionary=texts) as file:
            for batch in file.iter_batches(batch_size=64, columns=columns):
                for part in lighter(batch, MAX_LINE):
                    total += (size := sum(map(weight, part.columns)))
                    if size > 2 * MAX_LINE or total > most:
                        raise ResponsesError(
                            f"{path.name}: got a file that unpacks to over {min(most, 2 * MAX_LINE):,} bytes, expected "
                            f"at most {PACKING} times its size; write it as JSON Lines"
                        )
                    for record in part.to_pylist():
                        number += 1
                        yield f"{path.name}, row {number}", record
    except ResponsesError:
        raise
    except (pyarrow.ArrowException, ValueError) as error:
        raise ResponsesError(f"{path.name}: got {_short(str(error))}, expected a readable Parquet file") from None


def _kind(value: Any) -> str:
    return "null" if value is None else _short(repr(value)) if isinstance(value, int | float) else type(value).__name__


def _short(text: str) -> str:
    return ascii(text if len(text) <= 80 else f"{text[:77]}...")
