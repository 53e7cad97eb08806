"""A corpus of short passages and its index, for tests that kill the process which makes it; as a program: make it."""

import sys
from collections.abc import Iterator
from pathlib import Path

from carrara.retrieval.corpus import PassageCorpus, open_corpus
from carrara.retrieval.encoder import EncoderSpec
from carrara.retrieval.index import Index, build_index
from carrara.stream import Stream
from carrara.tables import Passage

ROWS = 16
_WORDS = ("mill", "river", "baker", "ship", "tower", "letter", "winter", "copper", "orchard", "bridge", "captain")


def passages(count: int) -> Iterator[Passage]:
    """So many passages of 3 to 22 words."""
    for number in range(count):
        own = Stream("tests", f"index {number}")
        words = [own.choice(_WORDS) for _ in range(3 + own.below(20))]
        yield Passage(f"p{number}", f"Title {number}", " ".join(words))


def corpus(count: int = 160) -> PassageCorpus:
    """The corpus of the tests, in the cache of CARRARA_CACHE."""
    return open_corpus("short", f"short {count}", lambda: passages(count))


class Told:
    """Who is told; keeps what it was told."""

    def __init__(self) -> None:
        self.rows = 0
        self.notes: list[str] = []

    def start(self, config: str, rows: int) -> None:
        """So many passages."""
        self.rows = 0

    def advance(self, config: str, rows: int, tokens: int) -> None:
        """So many are done."""
        self.rows += rows

    def note(self, text: str) -> None:
        """Something of interest."""
        self.notes.append(text)


def make(folder: Path, told: Told | None = None, **how) -> Index:
    """Make the index of the corpus in shards of 16 passages."""
    given = {"device": "cpu", "numbers": "float32", "shard_rows": ROWS} | how
    return build_index(corpus(), EncoderSpec(), folder, watch=told or Told(), **given)


if __name__ == "__main__":
    make(Path(sys.argv[1]))
