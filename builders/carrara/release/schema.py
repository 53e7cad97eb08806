"""The manifest as typed values, checked once when an untrusted release is read.

A missing field, or one of a wrong type, size or range, raises a ReleaseError that says what was got and what was
expected. Unknown keys of later versions are kept, so that a manifest is written back byte for byte; fields that a
release leaves out (probes before 0.2, runs, notes) stay left out.

Must not change but by additions with a default: a release that is valid today must stay readable.
"""

import re
import reprlib
from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    model_validator,
)
from pydantic_core import ErrorDetails, PydanticCustomError

from carrara.errors import CarraraError, ReleaseError
from carrara.recipe.publication import publication_of

FORMAT: Final = "carrara/1"
MANIFEST = "manifest.json"
CROISSANT = "croissant.json"
# Only a frozen record holds it, beside manifest, recipe and provenance.
PLANS = "plans.txt"
# Known errors are noted after a release is published, so no manifest lists their file.
ERRATA = "errata.json"
# It is of the manifest, so no manifest lists it.
SIGNATURE = "signature.sigstore.json"
MAX_FILES = 200_000
MAX_CONFIGS = 120
MAX_ROWS = 1_000_000
MAX_PROBES = 10_000
MAX_NOTES = 20
MAX_TEXT = 20_000
HINT = "Give the folder of a release, as carrara build wrote it or as it was downloaded."
_MAX_DEPTH = 50

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_VERSION = re.compile(r"(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})\.(0|[1-9][0-9]{0,5})")
_CONFIG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_PART = re.compile(r"[A-Za-z0-9._-]{1,200}")
_HEX = re.compile(r"[0-9a-f]{64}")
_WHOLE = re.compile(r"[0-9]{1,18}")
_PLAIN = re.compile(r"[A-Za-z0-9._/-]{1,400}")

_REPR = reprlib.Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80


def is_inside(path: str) -> bool:
    """Whether a relative path is plain: ASCII parts joined by '/', none of them '.' or '..'."""
    parts = path.split("/")
    return len(path) <= 400 and all(_PART.fullmatch(part) and part not in {".", ".."} for part in parts)


def is_name(name: str) -> bool:
    """Whether it is a name that a release may have."""
    return bool(_NAME.fullmatch(name))


def is_version(value: Any) -> bool:
    """Whether it is a version, MAJOR.MINOR.PATCH."""
    return isinstance(value, str) and bool(_VERSION.fullmatch(value))


def version_order(version: str) -> tuple[int, int, int]:
    """A version as three numbers, the key to sort versions by. Raises ReleaseError on any other form."""
    if not (match := _VERSION.fullmatch(version)):
        raise ReleaseError(f"got version {shown(version)}", "Expected MAJOR.MINOR.PATCH, like 1.0.0.")
    major, minor, patch = map(int, match.groups())
    return major, minor, patch


def shown(value: Any) -> str:
    """An untrusted value for an error message: escaped, at most 80 characters."""
    text = _REPR.repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def expected(what: str) -> PydanticCustomError:
    """An error about one value; the text says what it should be."""
    return PydanticCustomError("expected", "{what}", {"what": what})


def refused(what: str) -> PydanticCustomError:
    """An error about a table as a whole; the text follows the table's name."""
    return PydanticCustomError("refused", "{what}", {"what": what})


def matching(pattern: re.Pattern[str], what: str) -> PlainValidator:
    """Refuse what is not a text of that pattern as a whole."""

    def check(text: Any) -> str:
        if not isinstance(text, str) or not pattern.fullmatch(text):
            raise expected(what)
        return text

    return PlainValidator(check)


def at_most(size: int, what: str) -> BeforeValidator:
    """Refuse a table or list that is too long, before its values are checked."""

    def check(value: Any) -> Any:
        if isinstance(value, (dict, list)) and len(value) > size:
            raise expected(f"{what}, at most {size:,}")
        return value

    return BeforeValidator(check)


def _inside(path: str) -> str:
    if not is_inside(path) or path == MANIFEST:
        raise expected("a relative path inside the release")
    return path


def _number(value: Any) -> int | float:
    # An integer stays an integer, so that it is written back with the same bytes.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) < 1 << 63:
        raise expected("a number")
    return value


def _share(value: Any) -> int | float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise expected("a number from 0 to 1")
    return value


def _is_shallow(value: Any, depth: int = 0) -> bool:
    if not isinstance(value, (dict, list)):
        return True
    parts = value.values() if isinstance(value, dict) else value
    return depth < _MAX_DEPTH and all(_is_shallow(part, depth + 1) for part in parts)


def _free(table: dict[str, object]) -> dict[str, object]:
    if not _is_shallow(table):
        raise expected(f"a table of at most {_MAX_DEPTH} levels")
    return table


def _published(table: dict[str, object]) -> dict[str, object]:
    try:
        publication_of({"publication": table})
    except (TypeError, ValueError) as error:
        raise expected(f"a table of the publication ({shown(str(error))})") from error
    return table


Text = Annotated[str, Field(max_length=MAX_TEXT)]
Name = Annotated[str, matching(_NAME, "a name like needlebench")]
Version = Annotated[str, matching(_VERSION, "a version like 1.0.0")]
Sha256 = Annotated[str, matching(_HEX, "a sha256 in hexadecimal")]
FilePath = Annotated[str, AfterValidator(_inside)]
Count = Annotated[int, Field(ge=0, lt=1 << 63)]
Number = Annotated[int | float, PlainValidator(_number)]
Share = Annotated[int | float, PlainValidator(_share)]
# JSON whose form is checked elsewhere.
Table = Annotated[dict[str, object], AfterValidator(_free)]
# In JSON a tuple is a list.
_LISTED: Final = Field(strict=False, fail_fast=True)
Names = Annotated[tuple[Text, ...], _LISTED, at_most(MAX_CONFIGS, "a list of names")]
Bins = Annotated[tuple[Count, ...], Field(strict=False, min_length=20, max_length=20)]
Scores = Annotated[dict[str, Share], at_most(100, "a table of scores")]
Counts = Annotated[dict[str, Count], at_most(100, "a table of counts")]


class Open(BaseModel):
    """A table of a release's file; unknown keys are kept."""

    model_config = ConfigDict(strict=True, frozen=True, extra="allow")

    @model_validator(mode="after")
    def _is_bounded(self) -> "Open":
        if self.model_extra:
            _free(self.model_extra)
        return self

    def to_json(self) -> dict[str, Any]:
        """The table as JSON, with only the keys that were set."""
        return self.model_dump(mode="json", exclude_unset=True)


class Closed(Open):
    """A table that refuses unknown keys."""

    model_config = ConfigDict(extra="forbid")


class FileEntry(Open):
    """A file of the release: its sha256 and its size in bytes."""

    sha256: Sha256
    bytes: Count


class TokenizerFacts(Open):
    """The tokenizer that counts lengths, and the fingerprint of its vocabulary."""

    name: Text
    fingerprint: Text


class SourceFacts(Open):
    """A source: title, languages, licence, citation, and the sha256 of its files."""

    title: Text
    lang: Text
    licence: Text
    citation: Text
    url: Text
    fingerprint: Text
    files: Annotated[dict[str, Sha256], at_most(MAX_FILES, "a table of sha256")]


class CorpusFacts(Open):
    """The corpus that a run searched."""

    name: Text
    passages: Count


class RetrieverFacts(Open):
    """The retriever that ranked its passages."""

    name: Text


class RunFacts(Open):
    """A frozen run of retrieved passages: its corpus, its retriever, its counts and its digest."""

    questions: Count
    candidates: Count
    dropped: Counts
    removed: Counts
    corpus: CorpusFacts
    retriever: RetrieverFacts
    digest: Sha256


class SealFacts(Open):
    """The commitments of a sealed release; `computable`: configs whose answers a solver computes from the prompt."""

    scheme: Text
    stream: Sha256
    manifest: Sha256
    roots: Annotated[dict[str, Sha256], at_most(MAX_CONFIGS, "a table of commitments by config")]
    computable: Names


class Summary(Closed):
    """Statistics of a whole number over the rows; `sd` is the population standard deviation."""

    sum: Count
    min: Count
    max: Count
    mean: Number
    sd: Number


class NoteSummary(Closed):
    """Statistics of a number that the task notes of its rows (`Task.notes`)."""

    min: Number
    max: Number
    mean: Number


class Fill(Closed):
    """The share of its length that prompt and answer fill: minimum and mean over the rows."""

    min: Number
    mean: Number


class ProbeFacts(Open):
    """The score of a strategy that ignores the context, by view and complexity: mean, and a histogram of 20 bins."""

    view: Text
    complexity: Count
    probe: Text
    items: Count
    mean: Share
    histogram: Bins


class ConfigFacts(Open):
    """The facts of one config. Lengths are in tokens; `depths` has 10 bins, `histogram` 20."""

    task: Text
    benchmark: Text
    paper: Text
    asks: Text
    variant: Text
    bucket: Text
    bucket_tokens: Count
    source: Text
    lengths: Text
    metric: Text
    metrics: Annotated[tuple[Text, ...], _LISTED, at_most(100, "a list of metrics")]
    rows: Annotated[int, Field(ge=0, le=MAX_ROWS)]
    items: Count
    groups: Count
    files: Annotated[
        tuple[FilePath, ...], Field(strict=False, fail_fast=True, min_length=1), at_most(MAX_FILES, "a list of paths")
    ]
    root: Sha256
    plans: Sha256
    tokens: Summary
    output_tokens: Summary
    fill: Fill
    complexity: Annotated[
        dict[Annotated[str, matching(_WHOLE, "a whole number")], Count], at_most(100_000, "a table of counts")
    ]
    depths: Annotated[tuple[Count, ...], Field(strict=False, min_length=10, max_length=10)]
    histogram: Bins
    answers: Count
    licence: Text
    paper_scores: Annotated[dict[str, Scores], at_most(100, "a table of tables of scores")]
    # Releases before 0.2 have none.
    probes: Annotated[tuple[ProbeFacts, ...], _LISTED, at_most(MAX_PROBES, "a list of probes")] = ()
    # The tokens of its longest prompt by other tokenizers. Releases before 0.3 have none.
    longest: Counts = {}
    # Only of tasks that note something.
    notes: Annotated[dict[str, NoteSummary], at_most(MAX_NOTES, "a table of notes")] = {}


class RetrievalFacts(Open):
    """What a reader needs of a cell's retrieval: the corpus that is searched."""

    corpus: Text = ""


class CellFacts(Open):
    """A cell of the recipe: the configs that it makes, and their source."""

    task: Text
    variants: Names
    buckets: Names
    source: Text
    lengths: Text
    questions: Counts
    params: Table
    # The recipe's own wording of prompts, by variant and part.
    template: Table = {}
    retrieval: RetrievalFacts = RetrievalFacts()

    @model_validator(mode="after")
    def _has_questions_of_every_bucket(self) -> "CellFacts":
        if missing := sorted(set(self.buckets) - set(self.questions)):
            raise refused(f".questions has no {shown(missing[0])}, expected every bucket of the cell")
        return self


class PinFacts(Open):
    """A source that the recipe itself pins, and the reader for it."""

    reader: Text = ""


class RecipeFacts(Open):
    """What a reader needs of the recipe in a manifest; `recipe_from_json` gives the recipe to build from."""

    name: Text = ""
    version: Text = ""
    stream: Text = ""
    title: Text = ""
    reserve: Count = 0
    cells: Annotated[tuple[CellFacts, ...], _LISTED, at_most(MAX_CONFIGS, "a list of cells")]
    own_sources: Annotated[dict[str, PinFacts], at_most(1_000, "a table of sources")] = {}
    publication: Annotated[dict[str, object], AfterValidator(_published)] = {}


class Content(Open):
    """The content of a release; it holds no time, host or path."""

    name: Name
    version: Version
    stream: Text
    title: Text
    canary: Text
    tokenizer: TokenizerFacts
    recipe: RecipeFacts
    recipe_fingerprint: Sha256
    sources: Annotated[dict[str, SourceFacts], at_most(1_000, "a table of sources")]
    configs: Annotated[
        dict[Annotated[str, matching(_CONFIG, "letters, digits, '.', '_', '-'")], ConfigFacts],
        at_most(MAX_CONFIGS, "a table of configs"),
    ]
    # Only of releases with retrieved passages.
    runs: Annotated[dict[str, RunFacts], at_most(MAX_CONFIGS, "a table of runs")] = {}
    # The card's hand-written sections, if there are any.
    written: Text = ""
    # Only of sealed releases.
    sealed: SealFacts | None = None

    @model_validator(mode="before")
    @classmethod
    def _is_sealed_by_something(cls, table: Any) -> Any:
        if isinstance(table, Mapping) and "sealed" in table and table["sealed"] is None:
            raise refused(": sealed = None, expected a table of commitments, or no such key")
        return table

    @model_validator(mode="after")
    def _is_sealed_whole(self) -> "Content":
        if self.sealed and (missing := sorted(set(self.configs) - set(self.sealed.roots))):
            raise refused(f".sealed.roots has no {shown(missing[0])}, expected every config")
        return self

    @property
    def is_sealed(self) -> bool:
        """Whether the answers are withheld."""
        return self.sealed is not None


class Manifest(Closed):
    """`manifest.json`: the content of a release, and every file of it."""

    format: Literal["carrara/1"]
    content: Content
    files: Annotated[dict[FilePath, FileEntry], at_most(MAX_FILES, "a table of files")]

    @classmethod
    def from_json(cls, value: Any) -> "Manifest":
        """Check an untrusted manifest, as parsed from JSON. Raises ReleaseError."""
        if not isinstance(value, dict):
            raise ReleaseError(f"{MANIFEST} is a {type(value).__name__}, expected a table", HINT)
        if missing := [key for key in cls.model_fields if key not in value]:
            raise ReleaseError(f"{MANIFEST} has no {missing[0]!r}, expected {', '.join(cls.model_fields)}", HINT)
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise ReleaseError(refusal(error, MANIFEST), HINT) from error


def refusal(error: ValidationError, name: str) -> str:
    """The first error of a validation in a sentence: where, what was got, what was expected."""
    first = error.errors(include_url=False)[0]
    steps = [_step(step) for step in first["loc"] if step != "[key]"]
    where, last = ("".join(steps[:-1]).lstrip(".") or name), (steps[-1].lstrip(".") if steps else "")
    if first["type"] == "refused":
        return ("".join(steps).lstrip(".") or name) + first["msg"]
    if first["loc"][-1:] == ("[key]",):
        return f"{where}: name {shown(first['input'])}, expected {_wanted(first)}"
    if first["type"] == "missing":
        return f"{where} has no {last!r}, expected one"
    if first["type"] == "extra_forbidden":
        return f"{where}: unknown key {last}, expected none such"
    if last.startswith("["):
        return f"{where}{last} = {shown(first['input'])}, expected {_wanted(first)}"
    return f"{where}: {f'{last} = ' if last else ''}{shown(first['input'])}, expected {_wanted(first)}"


def _step(step: int | str) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if _PLAIN.fullmatch(step) else f".{shown(step)}"


def _wanted(error: ErrorDetails) -> str:
    context = error.get("ctx", {})
    if said := _WANTED.get(error["type"]):
        return said.format(**context)
    return error["msg"].removeprefix("Input should be ")


# How a sealed release is recognised, and the errors for work that needs its withheld answers.

# The stream of a sealed release is this prefix and the commitment to the original stream.
PREFIX: Final = "sealed:"


def commitments(content: Content) -> SealFacts:
    """The commitments of a sealed release. Raises ReleaseError on a release that is not sealed."""
    if content.sealed is None:
        raise ReleaseError(
            f"{content.name}@{content.version} is not sealed", "Give the sealed release first, then its answers."
        )
    return content.sealed


def refuse_sealed(content: Content, work: str) -> None:
    """Raise ReleaseError on a sealed release. `work` completes the message "it cannot be ..."."""
    if content.is_sealed:
        raise ReleaseError(
            f"{content.name}@{content.version} is sealed: its answers are withheld, so it cannot be {work}",
            "Once the answers are published, use the release that carrara reveal --out writes; until then send your "
            "responses to those who hold the answers.",
        )


def refuse_sealed_stream(stream: str) -> None:
    """Raise CarraraError for the recipe of a sealed release: its rows cannot be made without the stream."""
    if stream.startswith(PREFIX):
        raise CarraraError(
            "the recipe is that of a sealed release: its stream is withheld, and no row can be made without it",
            "Wait for the reveal, or make a twin with a stream of your own: --stream NAME.",
        )


# The messages of pydantic's errors in our words.
_WANTED: Final[Mapping[str, str]] = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "bool_type": "true or false",
    "string_type": f"a text of at most {MAX_TEXT:,} characters",
    "string_too_long": "a text of at most {max_length:,} characters",
    "dict_type": "a table",
    "model_type": "a table",
    "tuple_type": "a list",
    "too_short": "at least {min_length}",
    "too_long": "at most {max_length}",
    "greater_than_equal": "a whole number from {ge}",
    "less_than": "a whole number under {lt}",
    "less_than_equal": "a whole number up to {le}",
    "literal_error": "{expected}",
}
