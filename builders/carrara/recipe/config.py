"""A config: the rows of one task, variant and bucket, and which slot each row fills.

Must not change: which slot a row's index names (question-major), and the lengths of the slots.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

from carrara.errors import RecipeError
from carrara.recipe.wording import PromptWording
from carrara.stream import Stream
from carrara.task import Item, Retrieval, Slot, Task

Lengths = Literal["full", "cumulative", "grid", "given"]

# Rows up to 2k are the floor of the cumulative lengths (Michelangelo, section 3).
CUMULATIVE_FLOOR = 2_048


@dataclass(frozen=True, slots=True)
class Config:
    """The rows of one task, variant and bucket: what `load_dataset` calls a config."""

    name: str
    task: Task[Any, Any]
    variant: str
    bucket: str
    bucket_tokens: int
    # Tokens that prompt and answer may take together.
    room: int
    items: int
    lengths: Lengths
    source: str
    params: Any
    stream: str
    rows_per_file: int
    retrieval: Retrieval | None = None
    wording: PromptWording | None = None
    # The lengths of a grid where the recipe gives them; empty for even steps.
    grid: tuple[int, ...] = ()

    @property
    def rows(self) -> int:
        """How many rows the config has."""
        return self.items * self.lengths_per_item * self.placements

    @property
    def tokens(self) -> int:
        """The tokens of its rows, prompt and answer."""
        return sum(self.slot(index).length for index in range(self.rows))

    @property
    def sources(self) -> tuple[str, ...]:
        """The sources that its rows are made of: the cell's own, and that of the passages that are searched."""
        names = (self.source, self.retrieval.corpus if self.retrieval else "")
        return tuple(dict.fromkeys(name for name in names if name))

    @property
    def placements(self) -> int:
        """How many rows an item makes at one length: depths, permutations, rotations."""
        return self.task.placements(self.params, self.variant)

    @property
    def lengths_per_item(self) -> int:
        """How many lengths an item has: 1, or the lengths of the grid (NeedleBench: 4 up to 8k, else 8)."""
        if self.lengths != "grid":
            return 1
        if self.grid:
            return len(self.grid)
        return 4 if self.bucket_tokens <= 8_192 else 8

    @property
    def cumulative_floor(self) -> int:
        """Cumulative lengths are longer than this: 2k, or what the variant needs."""
        return max(CUMULATIVE_FLOOR, self.task.variants[self.variant].floor)

    @property
    def files(self) -> int:
        """How many Parquet files hold the rows."""
        return -(-self.rows // self.rows_per_file)

    def slot(self, index: int) -> Slot:
        """Row `index`, question-major: more questions only append rows."""
        rest, placement = divmod(index, self.placements)
        item, step = divmod(rest, self.lengths_per_item)
        if self.lengths == "grid":
            length = self.grid[step] if self.grid else self.room * (step + 1) // self.lengths_per_item
        elif self.lengths == "cumulative":
            even = Stream(self.stream, self.task.name, self.task.base(self.variant), "length").even(item)
            length = self.cumulative_floor + 1 + int(even * (self.room - self.cumulative_floor))
        else:
            length = self.room
        return Slot(
            item=Item(self.task.name, self.variant, item),
            bucket=self.bucket,
            bucket_tokens=self.bucket_tokens,
            index=index,
            placement=placement,
            length=min(length, self.room),
        )

    def file_slots(self, file: int) -> Iterator[Slot]:
        """The slots of one Parquet file, in order."""
        start = file * self.rows_per_file
        return (self.slot(index) for index in range(start, min(start + self.rows_per_file, self.rows)))


def read_grid(value: object, lengths: Lengths) -> tuple[int, ...]:
    """The key `grid` of a cell: its lengths. Raises RecipeError for what is no such list, or has no use."""
    numbers = [one for one in value if type(one) is int and one > 0] if isinstance(value, list) else []
    if not numbers or numbers != value or numbers != sorted(set(numbers)):
        raise RecipeError(f"grid = {value!r}", "expected a list of tokens, each more than the one before")
    if lengths != "grid":
        raise RecipeError(f"grid = {value!r} with lengths = {lengths!r}", 'write lengths = "grid"')
    return tuple(numbers)
