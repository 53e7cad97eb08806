"""A keyed bijection of `range(size)` for one number at a time: some 2 microseconds a call in plain Python.

`carrara.stream.Permutation` is made for arrays; a single value costs it some 60 microseconds.
"""

from math import isqrt

from carrara.stream import Stream

_ROUNDS = 4
_MASK = (1 << 64) - 1
# The multipliers of the finaliser of splitmix64.
_SPREAD = 0xBF58476D1CE4E5B9
_SPREAD_AGAIN = 0x94D049BB133111EB
_TWEAK = 0x9E3779B97F4A7C15


class NumberPermutation:
    """A bijection of `range(size)` keyed by a stream, in constant memory.

    A number is taken apart into left * width + right. Each round adds to one half, modulo its range, a mix of the other
    half, which can be undone; so rounds are a bijection of height * width >= size numbers. That product is less than
    size + height, so that a number seldom lands outside of the range, from where it walks on until it is inside.
    """

    __slots__ = ("_height", "_keys", "_width", "size")

    def __init__(self, stream: Stream, size: int) -> None:
        if not 1 <= size <= 1 << 120:
            raise ValueError(f"a permutation has 1 to 2^120 values, got {size}")
        self.size = size
        self._height = isqrt(size - 1) + 1
        self._width = -(-size // self._height)
        keys: list[int] = stream.child("number permutation").words(0, _ROUNDS).tolist()
        # Two rounds a pair: the first changes the left half, the second the right.
        self._keys = tuple(zip(keys[::2], keys[1::2], strict=True))

    def __call__(self, number: int, tweak: int = 0) -> int:
        """The value of a number; each `tweak` is a permutation of its own. IndexError outside of range(size)."""
        size, height, width, keys = self.size, self._height, self._width, self._keys
        if not 0 <= number < size:
            raise IndexError(f"permutation of {size} values has no number {number}")
        add = tweak * _TWEAK
        while True:
            left, right = divmod(number, width)
            for one, other in keys:
                mixed = ((right + one + add) * _SPREAD) & _MASK
                mixed = ((mixed ^ (mixed >> 29)) * _SPREAD_AGAIN) & _MASK
                left = (left + (mixed ^ (mixed >> 32))) % height
                mixed = ((left + other + add) * _SPREAD) & _MASK
                mixed = ((mixed ^ (mixed >> 29)) * _SPREAD_AGAIN) & _MASK
                right = (right + (mixed ^ (mixed >> 32))) % width
            number = left * width + right
            if number < size:
                return number
