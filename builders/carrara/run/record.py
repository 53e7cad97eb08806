"""The folder of a run: what is asked of whom, and every answer as soon as it comes.

`run.json` says which rows of which release a model is asked, and how; another run is refused there. `responses.jsonl`
gets a line the moment an answer comes and is synced: killed at any time, a run asks again at most what was under way.
When a run ends it holds a line for every row that was to be asked, null with the reason where there is no answer, so
that no row drops out of the score. `carrara score` reads it.

Both files may have been written by others: they are read as hostile input.
"""

import json
import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self

from carrara.engine.files import is_torn, owned, write_bytes
from carrara.errors import CarraraError
from carrara.release.reader import Release, rows
from carrara.release.schema import shown
from carrara.release.selection import SelectedRows
from carrara.text.json import json_text, strict_json

RUN: Final = "run.json"
RESPONSES: Final = "responses.jsonl"
RESULT: Final = "result.json"
MAX_REASON: Final = 300
_MAX_RUN: Final = 1 << 20
_MAX_SESSIONS: Final = 100
# An answer of a million tokens, its thoughts, and what JSON adds.
_MAX_LINE: Final = 64 << 20
_OTHER: Final = "give the options that the run was begun with, or another folder: --out"


@dataclass(frozen=True, slots=True)
class AskedRow:
    """A row that is to be asked: where it stands, the tokens of its prompt and of its longest answer."""

    id: str
    config: str
    bucket: str
    index: int
    tokens: int
    max_output_tokens: int


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """What came of a row: the text that is scored, or None and why.

    `stop` is why the text ended ("stop", "max_tokens"), `thoughts` what the model said to itself, which nobody scores;
    tokens are those that the endpoint told of, 0 where it told none.
    """

    text: str | None
    reason: str = ""
    stop: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    thoughts: str = ""

    def to_json(self, row_id: str) -> dict[str, object]:
        """The answer as a line of `responses.jsonl`."""
        more = {"reason": self.reason[:MAX_REASON], "stop": self.stop, "thoughts": self.thoughts}
        tokens = {"tokens_in": self.tokens_in, "tokens_out": self.tokens_out}
        return {
            "id": row_id,
            "response": self.text,
            **{name: value for name, value in (more | tokens).items() if value},
        }


def rows_to_ask(
    release: Release, configs: Sequence[str], limit: int | None = None, selected: SelectedRows | None = None
) -> list[AskedRow]:
    """The rows of these configs in their order, or those selected; of `limit` rows each config gives its first ones,
    one in turn.

    Reads no prompt. Raises ReleaseError.
    """
    tables = []
    for config in configs:
        light = rows(release, config, ["id", "tokens", "max_output_tokens"])
        bucket = release.configs[config].bucket
        tables.append(
            [
                AskedRow(row["id"], config, bucket, index, int(row["tokens"]), int(row["max_output_tokens"]))
                for index, row in enumerate(light)
                if selected is None or row["id"] in selected.ids
            ]
        )
    if limit is None:
        return [row for table in tables for row in table]
    shares = [0] * len(tables)
    while sum(shares) < limit and any(share < len(table) for share, table in zip(shares, tables, strict=True)):
        for number, table in enumerate(tables):
            if sum(shares) < limit and shares[number] < len(table):
                shares[number] += 1
    return [row for share, table in zip(shares, tables, strict=True) for row in table[:share]]


class RunFolder:
    """A run's folder, owned by this process while it is open. Use it as a context manager.

    `answers` are those of before and of now, by row id; a row without a text may be asked again.
    """

    def __init__(
        self,
        folder: Path,
        asked: Sequence[AskedRow],
        said: Mapping[str, object],
        session: Mapping[str, object] | None = None,
    ) -> None:
        """`said` is what makes this run the one it is: release, root, model and options, as JSON-able data.

        `session` is what may differ each time, such as the endpoint; `run.json` holds every one there was.
        """
        self.folder = folder
        self.asked = asked
        self.answers: dict[str, KeptAnswer] = {}
        self._said: Mapping[str, object] = json.loads(json_text(dict(said)))
        self._session = dict(session or {})
        self._sessions: list[object] = []
        self._closing = ExitStack()
        self._stream: BinaryIO | None = None
        self._adding = threading.Lock()
        self._is_finished = False

    def __enter__(self) -> Self:
        """Begin the run, or go on with it. Raises CarraraError for a folder of another run or in use."""
        with ExitStack() as stack:
            self.check()
            self.folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(owned(self.folder, "run"))
            # Again: another run may have been here before the lock was held.
            self.check()
            sessions = [*self._sessions, *([self._session] if self._session not in self._sessions else [])]
            table = {**self._said, "sessions": sessions[-_MAX_SESSIONS:]}
            write_bytes(self.folder / RUN, f"{json_text(table)}\n".encode())
            new = not self._holds_answers()
            self._stream = stack.enter_context((self.folder / RESPONSES).open("a+b", buffering=0))
            self._stream.truncate(0 if new else self._read(self._stream))
            self._closing = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._closing.close()

    def check(self) -> None:
        """Read what the folder holds; nothing is written. Raises CarraraError where that is another run or no run."""
        path = self.folder / RUN
        if not path.exists():
            if self.folder.exists() and (not self.folder.is_dir() or any(map(_is_foreign, self.folder.iterdir()))):
                raise CarraraError(f"{self.folder} holds no run, expected a new or empty folder", "give another --out")
            return
        if not self._holds_answers():
            # Begun with a wrong name, say: nothing is lost with it.
            return
        before = dict(_table(path))
        sessions = before.pop("sessions", None)
        self._sessions = sessions if isinstance(sessions, list) else []
        for name in [*self._said, *(name for name in before if name not in self._said)]:
            if before.get(name) != self._said.get(name):
                raise CarraraError(
                    f"{self.folder} holds another run: its {name} is {shown(before.get(name))}, "
                    f"got {shown(self._said.get(name))}",
                    _OTHER,
                )
        answers = self.folder / RESPONSES
        if answers.is_file():
            with answers.open("rb") as stream:
                self._read(stream)

    def _holds_answers(self) -> bool:
        """Whether the folder holds an answer, or anything that cannot be told from one."""
        try:
            with (self.folder / RESPONSES).open("rb") as stream:
                return any(_answer(line)[1].text is not None for line in _lines(stream))
        except FileNotFoundError:
            return False
        except ValueError:
            return True

    def left(self) -> list[AskedRow]:
        """The rows that have no answer yet."""
        return [row for row in self.asked if not self.has(row.id)]

    def has(self, row_id: str) -> bool:
        """Whether a row has an answer: it is never asked again."""
        answer = self.answers.get(row_id)
        return answer is not None and answer.text is not None

    def add(self, row_id: str, answer: KeptAnswer) -> None:
        """Keep what came of a row, durably; after `finish` nothing. Raises CarraraError where it cannot be written."""
        if self._stream is None:
            raise ValueError("the run is not open")
        data = f"{json_text(answer.to_json(row_id), indent=None)}\n".encode()
        with self._adding:
            if self._is_finished:
                return
            end = self._stream.seek(0, os.SEEK_END)
            try:
                if self._stream.write(data) != len(data):
                    raise OSError("it was written in part")
                os.fsync(self._stream.fileno())
            except OSError as error:
                # Half a line would be followed by the next.
                self._stream.truncate(end)
                raise CarraraError(
                    f"cannot write {self.folder / RESPONSES}: {error.strerror or error}",
                    "free some space, then run the same command: the answers so far are kept",
                ) from error
            self.answers[row_id] = answer

    def finish(self) -> None:
        """Write a line for every row that was asked, in the rows' order."""
        # An answer that is being kept meanwhile is written before, not over.
        with self._adding:
            lines = (self.answers[row.id].to_json(row.id) for row in self.asked if row.id in self.answers)
            text = "".join(f"{json_text(line, indent=None)}\n" for line in lines)
            write_bytes(self.folder / RESPONSES, text.encode())
            self._is_finished = True

    def _read(self, stream: BinaryIO) -> int:
        """Take over the answers of a file; the bytes of its whole lines: the last one may be torn."""
        known = {row.id for row in self.asked}
        stream.seek(0)
        end = 0
        for number, line in enumerate(_lines(stream), start=1):
            try:
                row_id, answer = _answer(line)
            except ValueError as error:
                raise CarraraError(
                    f"{self.folder / RESPONSES}, line {number}: {error}, expected an answer of this run",
                    "mend the file",
                ) from None
            if row_id not in known:
                raise CarraraError(
                    f"{self.folder / RESPONSES}, line {number}: got {shown(row_id)}, expected a row of this run", _OTHER
                )
            if not self.has(row_id):
                self.answers[row_id] = answer
            end += len(line)
        return end


def _lines(stream: BinaryIO) -> Iterator[bytes]:
    """The whole lines of a file."""
    with os.fdopen(os.dup(stream.fileno()), "rb") as buffered:
        while (line := buffered.readline(_MAX_LINE)).endswith(b"\n"):
            yield line


def _answer(line: bytes) -> tuple[str, KeptAnswer]:
    table = strict_json(line)
    if not isinstance(table, dict):
        raise ValueError(f"got {shown(table)}")
    row_id, text = table.get("id"), table.get("response")
    words = [table.get(name, "") for name in ("reason", "stop", "thoughts")]
    tokens = [table.get(name, 0) for name in ("tokens_in", "tokens_out")]
    if (
        not isinstance(row_id, str)
        or not isinstance(text, str | None)
        or not all(isinstance(one, str) for one in words)
    ):
        raise ValueError(f"got {shown(table)}")
    if not all(type(number) is int and 0 <= number < 1 << 40 for number in tokens):
        raise ValueError(f"got tokens {shown(tokens)}")
    return row_id, KeptAnswer(text, words[0], words[1], tokens[0], tokens[1], words[2])


def _table(path: Path) -> Mapping[str, object]:
    try:
        with path.open("rb") as stream:
            raw = stream.read(_MAX_RUN + 1)
        table = strict_json(raw) if len(raw) <= _MAX_RUN else None
    except ValueError:
        table = None
    if not isinstance(table, dict):
        raise CarraraError(
            f"{path} does not say what the run is, expected what carrara run wrote", "give another --out"
        )
    return table


def _is_foreign(path: Path) -> bool:
    """Whether it is anything but what a run leaves that was killed at its very beginning."""
    return path.name != ".lock" and not is_torn(path.name, RUN)
