"""How varied the world's texts are over a million tokens of each kind, beside real text.

    python -m benchmarks.world_variety [--sources DIR] [KIND ...]

Of each kind and language: the share of runs of eight words (13 Chinese characters) that stand twice or more, the size
that LZMA leaves of the text, and how many lower-case words (Chinese: characters) it has; then the same with one name
for all. Of real text, what DIR has of wiki-passages/, zh-wikipedia-qa/, gutenberg-litbank/ and zh-classical-novels/.
"""

import argparse
import gzip
import json
import lzma
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from unittest.mock import patch

from carrara.stream import Stream
from carrara.task import Lang
from carrara.tokens import load_tokenizer
from carrara.world.documents.chronicle.chronicle import chapters
from carrara.world.encyclopedia import Encyclopedia
from carrara.world.names.names import WorldNames
from carrara.world.pieces import FORMATS, STYLES, TOPICS, piece
from carrara.world.prose import names as prose_names
from carrara.world.prose.prose import section

# Eight words, in characters of Chinese too: 1.7 a word.
WINDOW = {"en": 8, "zh": 13}
# A million o200k tokens and more, also where everybody has the same short name.
SECTIONS = {"en": 750, "zh": 750}
CHAPTERS = {"en": 560, "zh": 560}
PIECES = 4_800
REAL_BYTES = 4_400_000
BOUNDS = {"passages": 0.03, "prose": 0.05, "chronicle": 0.05, "pieces": 0.05}


def words(text: str, lang: str) -> list[str]:
    """Words and numbers in English; characters in Chinese, where a run of Latin letters or digits is one."""
    return re.findall(r"[A-Za-z]+|\d+|[\u3400-\u9fff]" if lang == "zh" else r"[\w'’-]+", text)


def figures(texts: Sequence[str], lang: str) -> dict[str, float]:
    """`repeated_8`: share of the 8-word windows that stand twice or more; `lzma`: bytes left of each; `vocabulary`;
    `distinct_4`: share of different 4-grams."""
    fours: Counter[tuple[str, ...]] = Counter()
    eights: Counter[tuple[str, ...]] = Counter()
    for text in texts:
        tokens = words(text, lang)
        fours.update(zip(*(tokens[i:] for i in range(4)), strict=False))
        eights.update(zip(*(tokens[i:] for i in range(WINDOW[lang])), strict=False))
    whole = "\n\n".join(texts)
    raw = whole.encode()
    return {
        "mb": len(raw) / 1e6,
        "repeated_8": sum(count for count in eights.values() if count > 1) / max(1, eights.total()),
        "lzma": len(lzma.compress(raw)) / len(raw),
        "vocabulary": len(set(re.findall(r"\b[a-z]+(?:[’-][a-z]+)*|[\u3400-\u9fff]", whole))),
        "distinct_4": len(fours) / max(1, fours.total()),
    }


def a_million(texts: Sequence[str]) -> list[str]:
    """The first texts, the last of them cut, that have a million tokens of o200k_base."""
    count = load_tokenizer("o200k_base").count
    taken, left = [], 1_000_000
    for text in texts:
        tokens = count(text)
        taken.append(text[: len(text) * left // tokens] if tokens > left else text)
        left -= tokens
        if left <= 0:
            return taken
    raise SystemExit(f"{left} tokens are missing")


def passages(lang: Lang) -> list[str]:
    return [each.passage.text for each in Encyclopedia(Stream("variety")).passages(lang, range(3))]


def prose(lang: Lang) -> list[str]:
    sections = (section(Stream("variety"), lang, number) for number in range(SECTIONS[lang]))
    joint = " " if lang == "en" else ""
    return [joint.join(text for paragraph in each.paragraphs for text in paragraph) for each in sections]


def chronicle(lang: Lang) -> list[str]:
    return [chapter.text for chapter in islice(chapters(Stream("variety"), lang, 0), CHAPTERS[lang])]


def pieces(lang: Lang) -> list[str]:
    stream = Stream("variety")
    draws = stream.child("keys")
    keys = ((draws.choice(FORMATS), draws.choice(TOPICS), draws.choice((None, *STYLES))) for _ in range(PIECES))
    return [piece(stream, *key, draws.below(8)) for key in keys]


KINDS: dict[str, Callable[[Lang], list[str]]] = {
    "passages": passages,
    "prose": prose,
    "chronicle": chronicle,
    "pieces": pieces,
}


@contextmanager
def one_name_for_all() -> Iterator[None]:
    """Everybody and every place is called the same, so that names alone earn nothing."""
    one: dict[Lang, str] = {"en": "Arda Moll", "zh": "林安"}

    def called(_self: object, lang: Lang, *_rest: object, **_more: object) -> str:
        return one[lang]

    def person(lang: Lang, *_rest: object) -> tuple[str, str]:
        return one[lang], one[lang]

    def landmarks(lang: Lang, *_rest: object) -> tuple[str, str, str]:
        return one[lang], one[lang], one[lang]

    with (
        patch.multiple(WorldNames, **dict.fromkeys(("name", "alias", "surname", "region", "word", "person"), called)),
        patch.multiple(prose_names, person=person, village=lambda lang, _: one[lang], landmarks=landmarks),
    ):
        yield


def real(lang: Lang, sources: Path) -> Iterator[tuple[str, list[str]]]:
    """Names and texts of what real text there is: Wikipedia and novels, up to the size of a million tokens."""
    found: list[str] = []
    wiki = sources / "wiki-passages" / "crag-bio-retrieved_psgs.txt.gz"
    chinese = sources / "zh-wikipedia-qa" / "cmrc2018_dev.json.gz"
    if lang == "zh" and chinese.exists():
        data = json.loads(gzip.decompress(chinese.read_bytes()))["data"]
        found = [p["context"] for document in data for p in document["paragraphs"]]
    elif lang == "en" and wiki.exists():
        lines = gzip.decompress(wiki.read_bytes()).decode().splitlines()
        found = [part.split(" // ", 1)[1] for line in lines for part in line.split(" [sep] ") if " // " in part]
    if found:
        yield "Wikipedia", up_to(list(dict.fromkeys(found)))
    novels = sources / ("gutenberg-litbank" if lang == "en" else "zh-classical-novels")
    if novels.exists():
        files = sorted(novels.glob("*.txt.gz"))
        yield "novels", up_to([gzip.decompress(file.read_bytes()).decode() for file in files])


def up_to(texts: Sequence[str]) -> list[str]:
    taken, total = [], 0
    for text in texts:
        taken.append(text[: REAL_BYTES - total])
        total += len(text.encode())
        if total >= REAL_BYTES:
            break
    return taken


def show(name: str, texts: Sequence[str], lang: Lang) -> None:
    found = figures(texts, lang)
    print(
        f"{name:32}{lang:4}{found['mb']:>6.1f}{found['repeated_8']:>11.4f}{found['lzma']:>8.3f}"
        f"{found['vocabulary']:>12,.0f}{found['distinct_4']:>12.3f}",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", nargs="*", choices=[*KINDS, []], help="all if none is given")
    parser.add_argument("--sources", type=Path, default=os.environ.get("CARRARA_SOURCES"))
    given = parser.parse_args()
    print(f"{'kind':32}{'':4}{'MB':>6}{'repeated_8':>11}{'lzma':>8}{'vocabulary':>12}{'distinct_4':>12}")
    for kind in given.kind or KINDS:
        for lang in ("en",) if kind == "pieces" else ("en", "zh"):
            show(f"{kind} (bound {BOUNDS[kind]})", a_million(KINDS[kind](lang)), lang)
            with one_name_for_all():
                show(f"{kind}, one name for all", a_million(KINDS[kind](lang)), lang)
    for lang in ("en", "zh") if given.sources else ():
        for name, texts in real(lang, Path(given.sources)):
            show(name, texts, lang)


if __name__ == "__main__":
    main()
