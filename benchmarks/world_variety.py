"""How varied texts are: distinct 4-grams, zstd-19 ratio, and 8-word windows that come again."""

import itertools
import re
from collections import Counter
from collections.abc import Sequence

import pyarrow as pa

# Eight words, in characters of Chinese too: 1.7 a word.
WINDOW = {"en": 8, "zh": 13}


def words(text: str, lang: str) -> list[str]:
    """Words and numbers in English; characters in Chinese, where a run of Latin letters or digits is one."""
    return re.findall(r"[A-Za-z]+|\d+|[\u3400-\u9fff]" if lang == "zh" else r"[\w'’-]+", text)


def figures(texts: Sequence[str], lang: str) -> dict[str, float]:
    """distinct_2, distinct_4: share of different n-grams; zstd_19: bytes / compressed bytes; repeated_8: share of the
    8-word windows that stand more than three times."""
    twos: Counter[tuple[str, ...]] = Counter()
    fours: Counter[tuple[str, ...]] = Counter()
    eights: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        tokens = words(text, lang)
        twos.update(itertools.pairwise(tokens))
        fours.update(zip(*(tokens[i:] for i in range(4)), strict=False))
        eights.update(zip(*(tokens[i:] for i in range(WINDOW[lang])), strict=False))
    whole = "\n\n".join(texts).encode()
    packed = pa.Codec("zstd", compression_level=19).compress(whole)
    return {
        "mb": len(whole) / 1e6,
        "distinct_2": len(twos) / max(1, twos.total()),
        "distinct_4": len(fours) / max(1, fours.total()),
        "zstd_19": len(whole) / len(packed),
        "repeated_8": sum(count for count in eights.values() if count > 3) / max(1, eights.total()),
    }
