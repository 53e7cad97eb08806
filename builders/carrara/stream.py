"""Randomness by key: every draw is a function of a key, never of what was drawn elsewhere.

    Stream              an endless sequence of 64-bit words; word i is read from SHAKE-128 of (key, block number), so
                        that any word can be had without the ones before it, and bulk draws equal scalar draws
    Draws               the same words in bulk, for the thousands of small draws that a text takes
    Permutation         a keyed bijection of range(size), of arrays at once; a single value costs 60 microseconds
    NumberPermutation   another one, for one number at a time: 2 microseconds a call

Must not change: any value. They are the same on every Python, numpy and machine; golden values in
`tests/test_stream.py` pin them for ever.
"""

import hashlib
import json
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from math import isqrt
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
KeyPart = str | int
Words = NDArray[np.uint64]

WORD_RANGE = 1 << 64
# Eight SHAKE-128 blocks of 168 bytes: 3 microseconds a call, 168 words.
_BLOCK_BYTES = 1344
_BLOCK_WORDS = _BLOCK_BYTES // 8
# 2^64 divided by the golden ratio, made odd: multiples of it spread evenly over the words (Weyl sequence).
_GOLDEN = 0x9E3779B97F4A7C15
# The multipliers of the finaliser of splitmix64.
_SPREAD = 0xBF58476D1CE4E5B9
_SPREAD_AGAIN = 0x94D049BB133111EB
_MASK = (1 << 64) - 1


class Stream:
    """An endless sequence of draws that depends on `key` alone; drawing moves this object's own cursor."""

    __slots__ = ("_block", "_block_number", "_cursor", "_prefix", "key")

    def __init__(self, *key: KeyPart) -> None:
        for part in key:
            if isinstance(part, bool) or not isinstance(part, (str, int)):
                raise TypeError(f"a stream key holds strings and integers, got {part!r}")
        self.key: tuple[KeyPart, ...] = key
        self._prefix = json.dumps(key, ensure_ascii=False, separators=(",", ":")).encode() + b"\x00"
        self._cursor = 0
        self._block_number = -1
        self._block = b""

    def child(self, *key: KeyPart) -> "Stream":
        """A stream of its own under this one's key; it does not depend on how far this one was read."""
        return Stream(*self.key, *key)

    def word(self) -> int:
        """The next word: an integer in [0, 2^64)."""
        number, index = divmod(self._cursor, _BLOCK_WORDS)
        if number != self._block_number:
            self._block = self._squeeze(number)
            self._block_number = number
        self._cursor += 1
        return int.from_bytes(self._block[8 * index : 8 * index + 8], "big")

    def words(self, start: int, count: int) -> Words:
        """Words `start` .. `start + count - 1`, wherever the cursor stands: shape (count,), uint64."""
        if start < 0 or count < 0:
            raise ValueError(f"cannot read words {start} .. +{count} of stream {self.key}")
        first, last = start // _BLOCK_WORDS, (start + count + _BLOCK_WORDS - 1) // _BLOCK_WORDS
        raw = b"".join(self._squeeze(number) for number in range(first, last))
        offset = start - first * _BLOCK_WORDS
        return np.frombuffer(raw, dtype=">u8")[offset : offset + count].astype(np.uint64)

    def below(self, n: int) -> int:
        """Draw uniformly from `range(n)`; rejection keeps every value equally likely."""
        limit = _limit(n, self.key)
        while (word := self.word()) >= limit:
            pass
        return word % n

    def below_many(self, n: int, count: int) -> NDArray[np.int64]:
        """`count` draws from `range(n)`, n <= 2^63: the values and the cursor of `count` calls of `below`."""
        limit = _limit(n, self.key)
        if n > 1 << 63:
            raise ValueError(f"cannot bulk-draw below {n}: more than 63 bits")
        kept: list[Words] = []
        missing = count
        while missing:
            words = self.words(self._cursor, missing)
            self._cursor += missing
            good = words if limit == WORD_RANGE else words[words < np.uint64(limit)]
            kept.append(good)
            missing -= len(good)
        if not kept:
            return np.empty(0, dtype=np.int64)
        return (np.concatenate(kept) % np.uint64(n)).astype(np.int64)

    def choice(self, items: Sequence[T]) -> T:
        """Draw one item, each equally likely."""
        return items[self.below(len(items))]

    def weighted(self, items: Sequence[T], weights: Sequence[int]) -> T:
        """Draw one item with a probability proportional to its integer weight."""
        if len(items) != len(weights) or any(weight < 0 for weight in weights):
            raise ValueError(f"weighted draw wants one weight >= 0 per item, got {len(items)} and {list(weights)}")
        bounds = list(accumulate(weights))
        return items[bisect_right(bounds, self.below(bounds[-1]))]

    def sample(self, items: Sequence[T], k: int) -> list[T]:
        """Draw `k` different positions of `items`, in random order (partial Fisher-Yates)."""
        if not 0 <= k <= len(items):
            raise ValueError(f"cannot sample {k} of {len(items)} from stream {self.key}")
        pool = list(items)
        for i in range(k):
            j = i + self.below(len(pool) - i)
            pool[i], pool[j] = pool[j], pool[i]
        return pool[:k]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in random order. For a list that may grow use `order`: a shuffle would move every item."""
        return self.sample(items, len(items))

    def order(self, count: int) -> NDArray[np.int64]:
        """`range(count)` sorted by one key a number, so that a smaller count gives a subsequence of a larger one."""
        return np.argsort(self.words(0, count), kind="stable").astype(np.int64)

    def balanced(self, block: Sequence[T], index: int) -> T:
        """Item `index` of an endless sequence in which every run of len(block) is a permutation of `block`."""
        number, position = divmod(index, len(block))
        return self.child(number).shuffled(block)[position]

    def even(self, index: int) -> float:
        """Point `index` in [0, 1) of a golden-ratio sequence: any first n points are spread evenly."""
        start = self.child("start").word()
        return ((start + index * _GOLDEN) % WORD_RANGE) / WORD_RANGE

    def _squeeze(self, number: int) -> bytes:
        return hashlib.shake_128(self._prefix + number.to_bytes(8, "big")).digest(_BLOCK_BYTES)

    def __repr__(self) -> str:
        return f"Stream{self.key!r}"


class Permutation:
    """A keyed bijection of `range(size)` in constant memory: balanced Feistel rounds with cycle walking.

    For unique numbers and names: value j is known without the values before it, and no two are equal.
    """

    __slots__ = ("_half", "_keys", "_mask", "size")

    ROUNDS = 6

    def __init__(self, stream: Stream, size: int) -> None:
        if not 1 <= size <= 1 << 62:
            raise ValueError(f"a permutation has 1 to 2^62 values, got {size}")
        self.size = size
        self._half = max(4, ((size - 1).bit_length() + 1) // 2)
        self._mask = (1 << self._half) - 1
        self._keys = [stream.child("feistel").words(0, self.ROUNDS)[i] for i in range(self.ROUNDS)]

    def __getitem__(self, index: int) -> int:
        return int(self.take(np.array([index], dtype=np.int64))[0])

    def take(self, indices: NDArray[np.int64]) -> NDArray[np.int64]:
        """The values at `indices` (each in range(size)): shape of the input, int64."""
        values = np.asarray(indices, dtype=np.int64)
        if values.size and (values.min() < 0 or values.max() >= self.size):
            raise IndexError(f"permutation of {self.size} has no index in {int(values.min())}..{int(values.max())}")
        out = self._rounds(values.astype(np.uint64))
        # Values outside the range walk on along their cycle until they come back into it.
        while (outside := out >= np.uint64(self.size)).any():
            out[outside] = self._rounds(out[outside])
        return out.astype(np.int64)

    def _rounds(self, values: Words) -> Words:
        half, mask = np.uint64(self._half), np.uint64(self._mask)
        left, right = values >> half, values & mask
        for key in self._keys:
            left, right = right, left ^ (_mix(right + key) & mask)
        return (left << half) | right


class Draws:
    """An endless sequence of draws of a stream; the bias of `word % n` is below n / 2^64."""

    __slots__ = ("_block", "_start", "_stream", "words")

    def __init__(self, stream: Stream, block: int = _BLOCK_WORDS) -> None:
        self._stream = stream
        self._block = block
        self._start = 0
        # Drawn and not yet used, the next one last: what spells in a tight loop pops from here.
        self.words: list[int] = []

    def below(self, n: int) -> int:
        """An integer of range(n), n >= 1."""
        if not self.words:
            self.words += self._stream.words(self._start, self._block).tolist()
            self._start += self._block
        return self.words.pop() % n

    def choice(self, items: Sequence[T]) -> T:
        """One of the items."""
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in random order."""
        out = list(items)
        words = self.words
        for index in range(len(out) - 1, 0, -1):
            # Without a call where a word is at hand: a fifth of the time of a piece.
            other = words.pop() % (index + 1) if words else self.below(index + 1)
            out[index], out[other] = out[other], out[index]
        return out


class NumberPermutation:
    """A bijection of `range(size)` keyed by a stream, in constant memory.

    A number is taken apart into left * width + right. Each round adds to one half, modulo its range, a mix of the other
    half, which can be undone; so rounds are a bijection of height * width >= size numbers. That product is less than
    size + height, so that a number seldom lands outside of the range, from where it walks on until it is inside.
    """

    __slots__ = ("_height", "_keys", "_width", "size")

    ROUNDS = 4

    def __init__(self, stream: Stream, size: int) -> None:
        if not 1 <= size <= 1 << 120:
            raise ValueError(f"a permutation has 1 to 2^120 values, got {size}")
        self.size = size
        self._height = isqrt(size - 1) + 1
        self._width = -(-size // self._height)
        keys: list[int] = stream.child("number permutation").words(0, self.ROUNDS).tolist()
        # Two rounds a pair: the first changes the left half, the second the right.
        self._keys = tuple(zip(keys[::2], keys[1::2], strict=True))

    def __call__(self, number: int, tweak: int = 0) -> int:
        """The value of a number; each `tweak` is a permutation of its own. IndexError outside of range(size)."""
        size, height, width, keys = self.size, self._height, self._width, self._keys
        if not 0 <= number < size:
            raise IndexError(f"permutation of {size} values has no number {number}")
        add = tweak * _GOLDEN
        while True:
            left, right = divmod(number, width)
            for left_key, right_key in keys:
                mixed = ((right + left_key + add) * _SPREAD) & _MASK
                mixed = ((mixed ^ (mixed >> 29)) * _SPREAD_AGAIN) & _MASK
                left = (left + (mixed ^ (mixed >> 32))) % height
                mixed = ((left + right_key + add) * _SPREAD) & _MASK
                mixed = ((mixed ^ (mixed >> 29)) * _SPREAD_AGAIN) & _MASK
                right = (right + (mixed ^ (mixed >> 32))) % width
            number = left * width + right
            if number < size:
                return number


def _mix(words: Words) -> Words:
    """Spread every input bit over the word (the finaliser of splitmix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(_SPREAD)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(_SPREAD_AGAIN)
    return words ^ (words >> np.uint64(31))


def _limit(n: int, key: tuple[KeyPart, ...]) -> int:
    if not 1 <= n <= WORD_RANGE:
        raise ValueError(f"cannot draw below {n} from stream {key}")
    return WORD_RANGE - WORD_RANGE % n
