"""The verdicts file: a judge's answers, keyed by content, so that no question is asked twice.

The format is JSON Lines. The first line names the judge: `{"format": "carrara/verdicts", "version": 1, "judge":
{"model", "parameters", "rubric"}}`; a file belongs to one judge. Each further line is a verdict: `key` (sha256 of the
judge, the kind of question and the texts), `kind`, `id` (a row that it was asked for) and either `verdict` or
`unjudged`, the reason why there is none. A later line with the same key replaces an earlier one.

Lines are only appended: a killed run leaves at most one incomplete line at the end, which is dropped and written again.
One process at a time may write a file. A file is untrusted when it is read: its size, its lines and every field are
checked. `Judge.key` must not change, or every existing verdict would have to be asked for again.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from carrara.scoring.errors import MetricError
from carrara.scoring.facts import ScoredRow
from carrara.scoring.judge.judge import BY_PAPER, SILENT, Unjudgeable, in_words, questions, value
from carrara.scoring.judge.rubrics import KINDS, OURS, JudgeQuestion, Verdict, verdict_of
from carrara.text.json import strict_json

FORMAT: Final = "carrara/verdicts"
VERSION: Final = 1
MAX_BYTES: Final = 2 << 30
MAX_LINE: Final = 1 << 20
MAX_MODEL: Final = 200
MAX_LINES: Final = 10_000_000
MAX_HELD: Final = 10_000
MAX_REASON: Final = 600
MAX_PARAMETERS: Final = 4_000
UNJUDGED: Final = "unjudged: "
_KEY: Final = re.compile(r"[0-9a-f]{64}")
_PAPER: Final = "paper-"
_RUBRIC: Final = re.compile(rf"(?:{_PAPER})?[0-9]{{1,4}}-[0-9a-f]{{12}}")


class VerdictsError(ValueError):
    """A file that is not a verdicts file, or belongs to another judge; the message says where, got and expected."""


@dataclass(frozen=True, slots=True)
class Judge:
    """A judge: the model, the parameters of its requests, and the fingerprint of the questions' wording."""

    model: str
    parameters: Mapping[str, object] = field(default_factory=dict)
    rubric: str = OURS.fingerprint

    def to_json(self) -> dict[str, Any]:
        """The judge as JSON-able data."""
        return {"model": self.model, "parameters": dict(self.parameters), "rubric": self.rubric}

    @property
    def name(self) -> str:
        """The model and a short hash of parameters and wording: "<model>#<8 hex digits>"."""
        return f"{self.model}#{_sha256(self.to_json())[:8]}"

    @property
    def is_by_paper(self) -> bool:
        """Whether the questions are HELMET's rather than ours."""
        return self.rubric.startswith(_PAPER)

    def key(self, question: JudgeQuestion) -> str:
        """The key of a verdict on a question: sha256 (hex) of the judge, the kind and the texts."""
        return _sha256({**self.to_json(), "kind": question.kind, "content": dict(question.content)})


@dataclass(slots=True)
class Verdicts:
    """The verdicts of one judge by key, and the reasons for those that are missing."""

    judge: Judge
    known: dict[str, Verdict] = field(default_factory=dict)
    unjudged: dict[str, str] = field(default_factory=dict)
    # By key, for people's labels: the kind of question, and a row that it was asked for.
    places: dict[str, tuple[str, str]] = field(default_factory=dict)

    def metric(self, name: str) -> str:
        """The name under which scores from these verdicts are recorded: "judge/qa@<model>#<hash>".

        By HELMET's rubric it is "judge/qa/paper@<model>#<hash>". Raises MetricError for a metric of the paper and
        verdicts by our rubric.
        """
        if name.endswith(BY_PAPER) and not self.judge.is_by_paper:
            raise MetricError(
                f"got verdicts by our rubric for {name}, expected HELMET's (carrara judge --rubric paper)"
            )
        paper = BY_PAPER if self.judge.is_by_paper else ""
        return f"{name.removesuffix(BY_PAPER)}{paper}@{self.judge.name}"

    def score(self, name: str, row: ScoredRow, response: str) -> tuple[float | None, str]:
        """The score of a response and its reason; None and "unjudged: ..." if a verdict is missing.

        Raises RowError for a row that lacks what the metric reads, and MetricError as `metric` does.
        """
        recorded = self.metric(name)
        try:
            asked = questions(name, row, response)
        except Unjudgeable as error:
            return None, f"{UNJUDGED}{error}"
        if not asked:
            return 0.0, f"{recorded}: {SILENT}"
        keys = {question.kind: self.judge.key(question) for question in asked}
        known = {kind: self.known[key] for kind, key in keys.items() if key in self.known}
        worth = value(name, known)
        if worth is not None:
            return worth, f"{recorded}: {in_words(known)}"
        kind, key = next((kind, key) for kind, key in keys.items() if key not in self.known)
        return None, f"{UNJUDGED}{kind}: {self.unjudged.get(key, 'no verdict in the file')}"

    def add(self, line: Mapping[str, object], where: str) -> None:
        """Check and add one line of a file. Raises VerdictsError."""
        key, kind, row_id, reason = (line.get(name) for name in ("key", "kind", "id", "unjudged"))
        if not isinstance(key, str) or not _KEY.fullmatch(key) or kind not in KINDS:
            raise VerdictsError(
                f"{where}: got another object, expected a verdict with `key` (64 hex digits) and `kind`"
            )
        if not isinstance(row_id, str) or len(row_id) > 400:
            raise VerdictsError(f"{where}: got no row id, expected `id` of at most 400 characters")
        if ("verdict" in line) == (reason is not None):
            raise VerdictsError(f"{where}: got both or neither of `verdict` and `unjudged`, expected one")
        self.places[key] = (str(kind), row_id)
        if reason is not None:
            if not isinstance(reason, str) or len(reason) > MAX_REASON:
                raise VerdictsError(f"{where}: expected `unjudged` as a text of at most {MAX_REASON} characters")
            self.unjudged[key] = reason
            return
        try:
            self.known[key] = _verdict(str(kind), line["verdict"])
        except ValueError as error:
            raise VerdictsError(f"{where}: {error}") from None
        self.unjudged.pop(key, None)


def are_parameters(table: Mapping[str, object]) -> bool:
    """Tell whether a file can hold these parameters: finite JSON of at most 4,000 characters."""
    try:
        return len(json.dumps(dict(table), allow_nan=False)) <= MAX_PARAMETERS
    except ValueError:
        return False


def read_verdicts(path: Path | str) -> Verdicts:
    """Read a verdicts file. Raises VerdictsError for any other file and OSError if it cannot be opened."""
    path = Path(path)
    with path.open("rb") as stream:
        return _read(path.name, stream)[0]


def kept_verdicts(path: Path | str, judge: Judge) -> Verdicts:
    """Read one judge's verdicts from a file, none if it does not exist. Raises VerdictsError for another judge's."""
    path = Path(path)
    if not path.exists():
        return Verdicts(judge)
    if not path.is_file():
        raise VerdictsError(f"{path.name}: got a folder or device, expected a verdicts file")
    with path.open("rb") as stream:
        return _of(judge, path.name, stream)[0]


class VerdictFile:
    """A verdicts file open for appending, used as a context manager; `verdicts` is its content so far."""

    def __init__(self, path: Path | str, judge: Judge) -> None:
        """Open or create a file. Raises VerdictsError for another judge's file, another format, or a file in use."""
        self._path = Path(path)
        # A new file, or one that is read first and then written at its end.
        self._stream: BinaryIO = os.fdopen(os.open(self._path, os.O_RDWR | os.O_CREAT, 0o644), "r+b", buffering=0)
        try:
            self._own()
            self.verdicts = self._begun(judge)
        except BaseException:
            self._stream.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.fsync(self._stream.fileno())
        self._stream.close()

    def add(self, key: str, kind: str, row_id: str, verdict: Verdict | str) -> None:
        """Append a verdict, or the reason why there is none."""
        said = {"unjudged": verdict[:MAX_REASON]} if isinstance(verdict, str) else {"verdict": verdict.to_json()}
        line = {"key": key, "kind": kind, "id": row_id[:400], **said}
        self.verdicts.add(line, self._path.name)
        self._write(line)

    def _own(self) -> None:
        # Imported here: an evaluation harness on another system can read verdicts.
        import fcntl

        try:
            fcntl.flock(self._stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise VerdictsError(f"{self._path.name}: another run is writing this file; wait until it ends") from None

    def _begun(self, judge: Judge) -> Verdicts:
        with os.fdopen(os.dup(self._stream.fileno()), "rb") as buffered:
            buffered.seek(0)
            verdicts, end = _of(judge, self._path.name, buffered)
        self._stream.truncate(end)
        self._stream.seek(end)
        if not end:
            self._write(_head(judge))
        return verdicts

    def _write(self, line: Mapping[str, object]) -> None:
        data = f"{json.dumps(line)}\n".encode()
        while data:
            data = data[self._stream.write(data) :]


def _head(judge: Judge) -> dict[str, object]:
    return {"format": FORMAT, "version": VERSION, "judge": judge.to_json()}


def _of(judge: Judge, name: str, stream: BinaryIO) -> tuple[Verdicts, int]:
    """The verdicts of a judge, and the offset at which the complete lines end: 0 if not even the head is complete."""
    head = f"{json.dumps(_head(judge))}\n".encode()
    begun = stream.read(len(head))
    if begun != head and head.startswith(begun):
        return Verdicts(judge), 0
    stream.seek(0)
    verdicts, end = _read(name, stream)
    if verdicts.judge == judge:
        return verdicts, end
    was = verdicts.judge
    message = f"got verdicts by {was.model!a} with rubric {was.rubric}, expected {judge.model!a} with {judge.rubric}"
    if was.model == judge.model and was.rubric == judge.rubric:
        message = "got verdicts under other parameters"
    raise VerdictsError(f"{name}: {message}; give another file")


def _read(name: str, stream: BinaryIO) -> tuple[Verdicts, int]:
    """The verdicts of a file, and the offset at which its complete lines end."""
    lines = _lines(name, stream)
    first = next(lines, (0, None))
    end, head = first
    verdicts = Verdicts(_judge(name, head))
    for number, (end_of_line, line) in enumerate(lines, start=2):
        verdicts.add(line, f"{name}, line {number}")
        end = end_of_line
    return verdicts, end


def _lines(name: str, stream: BinaryIO) -> Iterator[tuple[int, dict[str, object]]]:
    """Every complete line with the offset of its end."""
    end = number = 0
    while (line := stream.readline(MAX_LINE + 1)).endswith(b"\n"):
        end, number = end + len(line), number + 1
        if end > MAX_BYTES or number > MAX_LINES:
            raise VerdictsError(f"{name}: got over {MAX_BYTES:,} bytes or {MAX_LINES:,} lines, expected fewer")
        try:
            table = strict_json(line)
        except ValueError:
            table = None
        if not isinstance(table, dict):
            raise VerdictsError(f"{name}, line {number}: expected a JSON object; delete the line or the file")
        yield end, table
    if len(line) > MAX_LINE:
        raise VerdictsError(f"{name}, line {number + 1}: got a line over the limit of {MAX_LINE:,} bytes")


def _judge(name: str, head: Any) -> Judge:
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise VerdictsError(f"{name}: got another format, expected a verdicts file (carrara judge writes it)")
    if type(head.get("version")) is not int or head["version"] != VERSION:
        raise VerdictsError(f"{name}: got another version of the format, expected version {VERSION}")
    judge = head.get("judge")
    if not isinstance(judge, dict) or set(judge) != {"model", "parameters", "rubric"}:
        raise VerdictsError(f"{name}: got no judge, expected a table with model, parameters and rubric")
    model, parameters, rubric = judge["model"], judge["parameters"], judge["rubric"]
    if not isinstance(model, str) or not 0 < len(model) <= MAX_MODEL or not model.isprintable():
        raise VerdictsError(f"{name}: got no valid model, expected a name of at most {MAX_MODEL} printable characters")
    if not isinstance(parameters, dict) or not are_parameters(parameters):
        raise VerdictsError(
            f"{name}: got no valid parameters, expected a table of at most {MAX_PARAMETERS:,} characters as JSON"
        )
    if not isinstance(rubric, str) or not _RUBRIC.fullmatch(rubric):
        raise VerdictsError(f"{name}: got no valid rubric, expected a number, a hyphen and 12 hex digits")
    return Judge(model, parameters, rubric)


def _verdict(kind: str, table: Any) -> Verdict:
    """Check a verdict from a file. Raises ValueError."""
    if not isinstance(table, dict):
        raise ValueError("got no verdict, expected a table")
    rest = {name: part for name, part in table.items() if name not in ("surplus", "splitter")}
    surplus, cutter = table.get("surplus", 0), table.get("splitter", "")
    if type(surplus) is not int or not 0 <= surplus < 1 << 31 or (surplus and kind != "precision"):
        raise ValueError("got no valid `surplus`, expected a number of sentences, with precision alone")
    if not isinstance(cutter, str) or len(cutter) > 80:
        raise ValueError("got no valid `splitter`, expected a name of at most 80 characters")
    verdict = verdict_of(kind, rest, None, surplus, cutter)
    if len(verdict.held or ()) > MAX_HELD:
        raise ValueError(f"got over {MAX_HELD:,} values in `held`, expected at most that")
    return verdict


def _sha256(table: Any) -> str:
    whole = json.dumps(table, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(whole.encode()).hexdigest()
