"""The contract of a task: four pure functions and the facts about them.

A task is one module of functions and one value `TASK = Task(...)`. `plan` decides what a row says and never sees
the bucket or a tokenizer; `render` lays it out at a wanted length; `solve` answers from the prompt text alone;
`audit` objects to what would let a wrong or lucky response score.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import UnionType
from typing import Any, Generic, Literal, Protocol, TypeVar

from pydantic import TypeAdapter

from carrara.row import canonical_json
from carrara.stream import KeyPart, Stream
from carrara.tables import Lang as Lang
from carrara.tables import Passage, Question, Tables

Key = tuple[KeyPart, ...]
ParamsT = TypeVar("ParamsT")
PlanT = TypeVar("PlanT")

PLAN_BYTES = 16_384


@dataclass(frozen=True, slots=True)
class Item:
    """One problem, independent of length: the same in every bucket."""

    task: str
    variant: str
    index: int


@dataclass(frozen=True, slots=True)
class Slot:
    """Which row: an item at one placement and one length.

    `length` is the number of tokens that prompt and answer may take together; `bucket_tokens` the size of the bucket
    (never below `length`). `placement` numbers the task's own arrangements of an item (depths, permutations, ...).
    """

    item: Item
    bucket: str
    bucket_tokens: int
    index: int
    placement: int
    length: int


@dataclass(frozen=True, slots=True)
class Draft:
    """A rendered row before it is proven: what the task alone knows of it."""

    prompt: str
    answers: tuple[str, ...]
    complexity: int
    max_output_tokens: int
    choices: tuple[str, ...] = ()
    depths: tuple[float, ...] = ()
    evidence: tuple[tuple[int, int], ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)
    # Tokens of the unit (a sentence) that came next and did not fit, where the text is cut rather than chosen.
    next_unit: int = 0


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that an audit objects to."""

    what: str
    detail: str


class Units(Protocol):
    """Filler in order: what a prompt is filled up with, unit by unit (sentences, statements, passages)."""

    @property
    def costs(self) -> Any:
        """Tokens that unit i adds after unit i - 1: shape (n,), int64."""

    @property
    def droppable(self) -> Any:
        """Whether unit i may be left out with its neighbours kept: shape (n,), bool."""

    def text(self, start: int, stop: int) -> str:
        """The text of units start .. stop - 1, joined."""


@dataclass(frozen=True, slots=True)
class Query:
    """A question as a frozen run holds it.

    `gold`: the passages that a row places itself: each holds an accepted answer, or (of several hops) one of the facts
    that lead to it; of a judged question every judged passage, the best first; where the run's passages are taken as
    they come, those among them that state an answer. `grades` of judged passages, by their id.
    """

    question: Question
    gold: tuple[Passage, ...] = ()
    grades: Mapping[str, int] = field(default_factory=dict)


class Retrieved(Protocol):
    """What a frozen run ranks for the items of one variant, over the corpus that it was searched in."""

    @property
    def queries(self) -> Sequence[Query]:
        """The question of every item, in the order of the items."""

    @property
    def demonstrations(self) -> Sequence[Query]:
        """Questions for worked examples; none of them is an item's."""

    def ranked(self, item: int, count: int) -> Sequence[Passage]:
        """The best `count` passages for an item's question, best first, less its gold and what is no negative.

        Raises BudgetError where the run is not so deep.
        """


class Inputs(Protocol):
    """What a task may read besides its plan: filler of a source, in an order that a stream gives, and its tables."""

    def haystack(self, lang: Lang, order: Stream, tokens: int, repeat: bool, without: Sequence[str] = ()) -> Units:
        """At least `tokens` tokens of prose (all there is, if it holds fewer), sections in the order of a stream.

        Sections that hold one of the texts `without` are passed over.
        """

    @property
    def tables(self) -> Tables:
        """The source's normalised tables; SourceError if it has none."""

    def retrieved(self, task: str, variant: str) -> Retrieved:
        """The frozen run of a task's variant; only a variant with a `search` has one."""


class Budget(Protocol):
    """The room a prompt has, and the only way for a task to count tokens."""

    def count(self, text: str) -> int:
        """Tokens of a short text."""

    def count_many(self, texts: list[str]) -> Any:
        """Tokens of each text: shape (n,), int64."""

    def measure(self, prompt: str) -> int:
        """Tokens of the finished prompt, counted once as proof."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """How the corpus of a cell is searched: what a recipe says of it.

    `retriever`: "bm25", or an encoder's name, of a Hub model with `revision` and the sha256 of its `weights`.
    `search`: exact ("flat"), or approximate. `realms`: how much of the invented world is a corpus, 3,240 passages each.
    """

    corpus: str
    retriever: str = "bm25"
    revision: str = ""
    weights: str = ""
    search: Literal["flat", "ivfpq", "hnsw"] = "flat"
    realms: int = 4


@dataclass(frozen=True, slots=True)
class Search:
    """What a variant asks of a corpus.

    `kind`: which questions of the source's tables ("" for the only kind that a real source has); `hops`: only questions
    of so many, None for all; `popularity`: only subjects that are asked about less often, None for all; `corpus`: the
    source whose passages are searched where the recipe names none, "" for the cell's own source.
    `judged`: graded passages come with each question. `places_gold`: rows place the gold themselves, and the run leaves
    out every other passage that holds an accepted answer, or says nearly what the gold says.
    """

    kind: str = ""
    hops: int | None = None
    popularity: int | None = None
    corpus: str = ""
    judged: bool = False
    places_gold: bool = False


@dataclass(frozen=True, slots=True)
class Variant:
    """What tells a variant of a task from the others; by default, nothing.

    `base`: the variant whose stream it draws from ("" for its own): one that changes only the instruction shares its
    base's material. `metrics`: its own in place of the task's. `floor`: it may not fit in so many tokens, where its
    cumulative lengths begin. `source`: the one that its cell must name, "" for any of the task's. `solvable`: whether
    `solve` can compute the gold, or of which sources; where people gave the gold, `audit` proves what can be proven.
    `haystack`: the language of the running text that it reads, which a build prepares once. `search`: what is searched
    for its rows; None where no passages are retrieved. `placements`: the rows of an item at one length; None for one.
    """

    base: str = ""
    metrics: tuple[str, ...] = ()
    floor: int = 0
    source: str = ""
    solvable: bool | frozenset[str] = True
    haystack: Lang | None = None
    search: Search | None = None
    placements: Callable[[Any], int] | None = None


@dataclass(frozen=True, slots=True)
class Task(Generic[ParamsT, PlanT]):
    """A benchmark task: `metrics[0]` is the default metric of the variants that have none of their own."""

    name: str
    benchmark: str
    paper: str
    asks: str
    metrics: tuple[str, ...]
    sources: tuple[str, ...]
    variants: Mapping[str, Variant]
    params: type[ParamsT]
    plan_type: type[PlanT] | UnionType
    plan: Callable[[ParamsT, Item, Inputs, Stream], PlanT]
    render: Callable[[PlanT, Slot, Inputs, Budget], Draft]
    # None where no gold can be computed: a summary.
    solve: Callable[[str], tuple[str, ...]] | None
    audit: Callable[[Draft], Iterator[Finding]]
    # Of (params, variant): text that the model's turn begins with.
    answer_prefix: Callable[[ParamsT, str], str] = lambda params, variant: ""
    # Of (params, slot): what they alone settle of a row, by column or as `facts.NAME`; audits compare it.
    settled: Callable[[ParamsT, Slot], Mapping[str, object]] = lambda params, slot: {}
    # Tokens of its length that a recipe's settings leave unused; None where they set the amount of material instead.
    unused: Callable[[ParamsT], int | None] = lambda params: 0
    # Whether filler fits the prompt to the token; else the amount of the task does, to within one unit.
    exact: bool = True
    # Of a task with options: whether each is right equally often.
    balanced: bool = True
    # Responses of strategies that do not read the context, by name: each response is as likely as the next.
    guesses: Callable[[Draft, Stream], Mapping[str, tuple[str, ...]]] | None = None
    # Of (view, complexity): what a paper's own random model scores, by name.
    chance: Callable[[str, int], Mapping[str, float]] | None = None
    # What tables of chance are split by besides complexity: the kind of question.
    view: Callable[[Draft], str] | None = None
    # What the fields of a row's `facts` say, by name: of a variant alone where the text begins with its name.
    facts: Mapping[str, str] = field(default_factory=dict)
    # Of (params, variant): the parts of its prompts that a recipe may word otherwise, by name, with their fields, which
    # are of one line.
    parts: Callable[[ParamsT, str], Mapping[str, str]] | None = None
    # Numbers of a row besides its tokens, by name: the card sums them up over the rows of a config.
    notes: Callable[[Draft], Mapping[str, int]] | None = None

    def base(self, variant: str) -> str:
        """The variant whose stream a variant draws from: its own name where it has no base."""
        return self.variants[variant].base or variant

    def metrics_of(self, variant: str) -> tuple[str, ...]:
        """The metrics that a variant's rows can be scored by."""
        return self.variants[variant].metrics or self.metrics

    def metric(self, variant: str) -> str:
        """The default metric of a variant, frozen in every row."""
        return self.metrics_of(variant)[0]

    def solvable(self, variant: str, source: str) -> bool:
        """Whether `solve` can compute the gold of a variant's rows from a source."""
        solvable = self.variants[variant].solvable
        return solvable if isinstance(solvable, bool) else source in solvable

    def placements(self, params: ParamsT, variant: str) -> int:
        """How many rows an item of a variant makes at one length: depths, permutations, rotations."""
        placements = self.variants[variant].placements
        return placements(params) if placements else 1

    def item_id(self, item: Item) -> str:
        """`<benchmark>/<task>[_<variant>]/<index>`: the same in every bucket."""
        name = f"{item.task}_{item.variant}" if item.variant else item.task
        return f"{self.benchmark}/{name}/{item.index:05d}"

    def row_id(self, slot: Slot) -> str:
        """`<benchmark>/<task>[_<variant>]/<bucket>/<index>`: unique over a release."""
        name = f"{slot.item.task}_{slot.item.variant}" if slot.item.variant else slot.item.task
        return f"{self.benchmark}/{name}/{slot.bucket}/{slot.index:05d}"

    def group_id(self, slot: Slot) -> str:
        """The rows of one item in one bucket: one question at several depths, lengths or permutations."""
        name = f"{slot.item.task}_{slot.item.variant}" if slot.item.variant else slot.item.task
        return f"{self.benchmark}/{name}/{slot.bucket}/q{slot.item.index:05d}"


def plan_stream(task: Task[Any, Any], stream: str, variant: str) -> Stream:
    """The stream that `plan` is given: of the release's stream name, the task and the base variant.

    A plan draws for its item from `stream.child(item.index)`, and balanced over items from the stream itself.
    """
    return Stream(stream, task.name, task.base(variant))


def plan_json(plan: Any) -> str:
    """A plan as canonical JSON, at most 16 kB."""
    text = canonical_json(TypeAdapter(type(plan)).dump_python(plan, mode="json"))
    if (size := len(text.encode())) > PLAN_BYTES:
        raise ValueError(f"a plan of {size} bytes, expected at most {PLAN_BYTES}: let it hold keys, not material")
    return text


def plan_from_json(plan_type: type[PlanT], text: str) -> PlanT:
    """The plan that `plan_json` wrote."""
    return TypeAdapter(plan_type).validate_json(text)
