"""Made-up UUIDs of version 4 in the usual writing, 8-4-4-4-12 small letters and digits, drawn by key.

Two are equal with a chance of one in 2^122, so that a row of fifty thousand never has the same twice; audits prove it.
Must not change: UUID j of a stream, which is made of its words 2j and 2j + 1.
"""

import numpy as np

from carrara.stream import Stream

# The version and the variant that the form prescribes: digit 13 is a 4, digit 17 one of 8, 9, a, b.
_HIGH = (np.uint64(0xFFFF_FFFF_FFFF_0FFF), np.uint64(0x4000))
_LOW = (np.uint64(0x3FFF_FFFF_FFFF_FFFF), np.uint64(0x8000_0000_0000_0000))


def uuids(stream: Stream, start: int, count: int) -> list[str]:
    """UUIDs `start` .. `start + count - 1` of a stream."""
    words = stream.words(2 * start, 2 * count)
    words[0::2] = words[0::2] & _HIGH[0] | _HIGH[1]
    words[1::2] = words[1::2] & _LOW[0] | _LOW[1]
    digits = words.astype(">u8").tobytes().hex()
    return [
        f"{digits[at : at + 8]}-{digits[at + 8 : at + 12]}-{digits[at + 12 : at + 16]}-{digits[at + 16 : at + 20]}-"
        f"{digits[at + 20 : at + 32]}"
        for at in range(0, 32 * count, 32)
    ]
