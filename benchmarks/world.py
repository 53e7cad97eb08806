"""Speed, memory and variety of the invented world, beside real encyclopedia passages where they are at hand.

python -m benchmarks.world speed               # entities and passages a second a core, memory over the run
python -m benchmarks.world variety --sources DIR    # DIR holds wiki-passages/ and zh-wikipedia-qa/
"""

import argparse
import gzip
import itertools
import json
import os
import re
import resource
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.world_variety import figures
from carrara.task import Lang
from carrara.world.encyclopedia import Encyclopedia, WorldPassage
from carrara.world.questions import WorldQuestions
from carrara.world.realm.check import contradictions
from carrara.world.realm.realm import Realm
from carrara.world.realm.schema import CLASSES
from carrara.world.world import World

STREAM = "benchmark/1"
REAL_BYTES = 2_000_000
# About a million tokens of passages.
CONTEXT_BYTES = {"en": 4_600_000, "zh": 4_300_000}
# What a name is replaced by, in both kinds of text.
MASK = {"en": "NAME", "zh": "某某"}
# A run of capitalised words, or one that does not begin a sentence.
REAL_NAME = re.compile(r"\b[A-Z][\w'’.-]*(?:\s+(?:of |the )?[A-Z][\w'’.-]*)+|(?<=[a-z,;:(] )[A-Z][\w'’.-]*")


def passages_of(part: range) -> tuple[int, int, float, list[int]]:
    """Write all passages of some realms in English: passages, bytes, seconds, peak kB after each realm."""
    world, started = World(STREAM), time.perf_counter()
    count = size = 0
    peaks = []
    for realm in part:
        for passage in world.only(realm).passages("en"):
            count += 1
            size += len(passage.text)
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return count, size, time.perf_counter() - started, peaks


def entities_of(part: range) -> tuple[int, int, float, list[int]]:
    """Make and validate every entity of some realms: entities, contradictions, seconds of making, peak kB."""
    stream = World(STREAM).encyclopedia.stream
    count = wrong = 0
    seconds = 0.0
    peaks = []
    for index in part:
        started = time.perf_counter()
        realm = Realm(stream, index)
        count += sum(len(realm.entities(class_)) for class_ in CLASSES)
        seconds += time.perf_counter() - started
        wrong += sum(1 for _ in contradictions(realm))
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return count, wrong, seconds, peaks


def speed(realms: int, entity_realms: int, workers: int) -> None:
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for name, work, total in (("passages", passages_of, realms), ("entities", entities_of, entity_realms)):
            started = time.perf_counter()
            cuts = [total * part // workers for part in range(workers + 1)]
            done = list(pool.map(work, [range(*pair) for pair in itertools.pairwise(cuts)]))
            wall = time.perf_counter() - started
            count = sum(one[0] for one in done)
            rates = ", ".join(f"{one[0] / one[2]:,.0f}" for one in done)
            print(f"{name}: {count:,} in {wall:.1f} s with {workers} processes; {rates} a second and core")
            if name == "entities":
                print(f"  contradictions found by the validator: {sum(one[1] for one in done)}")
            for one in done:
                tenth, half, last = (one[3][int((len(one[3]) - 1) * share)] for share in (0.1, 0.5, 1))
                print(f"  peak MB after 10 %, 50 %, 100 %: {tenth // 1024}, {half // 1024}, {last // 1024}")


def ours(lang: Lang, size: int, masked: bool = True) -> list[str]:
    """Passages of the world, realms one after another and passages in a keyed order, up to `size` bytes."""
    book = World(STREAM).encyclopedia
    texts: list[str] = []
    total = 0
    for written in spread(book, lang):
        texts.append(mask(book, lang, written) if masked else written.passage.text)
        total += len(texts[-1].encode())
        if total > size:
            break
    return texts


def mask(book: Encyclopedia, lang: Lang, written: WorldPassage) -> str:
    """The passage with every name of an entity or a place replaced."""
    text = written.passage.text
    names = {*book.called(lang, written.subject), written.passage.title}
    if lang == "en" and book.entity(written.subject).gender != "none":
        names.add(book.surname(lang, written.subject))
    spans = [(one.start, one.end) for one in written.stated if one.relation in _named(written.subject.class_)]
    for start, end in sorted(spans, reverse=True):
        text = text[:start] + MASK[lang] + text[end:]
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(name, MASK[lang])
    return text


def _named(class_: str) -> set[str]:
    from carrara.world.realm.schema import RELATIONS

    return {one.name for one in RELATIONS[class_] if one.kind in ("entity", "place", "alias")}


def spread(book: Encyclopedia, lang: Lang) -> Iterator:
    """Passages in a keyed order over one realm after another, as a corpus in retrieval order would hold them."""
    for realm in range(1_000):
        written = list(book.passages(lang, [realm]))
        for place in book.stream.child("benchmark", realm).order(len(written)):
            yield written[int(place)]


def real(lang: Lang, sources: Path) -> list[str]:
    """Real passages, names masked in English (Chinese has no capitals to go by: not masked)."""
    if lang == "zh":
        with gzip.open(sources / "zh-wikipedia-qa" / "cmrc2018_dev.json.gz", "rt", encoding="utf-8") as file:
            data = json.load(file)["data"]
        return list(dict.fromkeys(p["context"] for document in data for p in document["paragraphs"]))
    found: list[str] = []
    with gzip.open(sources / "wiki-passages" / "crag-bio-retrieved_psgs.txt.gz", "rt", encoding="utf-8") as file:
        for line in file:
            found += [part.split(" // ", 1)[1] for part in line.strip().split(" [sep] ") if " // " in part]
    return [REAL_NAME.sub(MASK["en"], text) for text in dict.fromkeys(found)]


def up_to(texts: Iterable[str], size: int) -> list[str]:
    out: list[str] = []
    total = 0
    for text in texts:
        out.append(text)
        total += len(text.encode())
        if total > size:
            break
    return out


def variety(sources: Path | None) -> None:
    for lang in ("en", "zh"):
        real_texts = up_to(real(lang, sources), REAL_BYTES) if sources else []
        size = sum(len(text.encode()) for text in real_texts) or REAL_BYTES
        table = {"world": figures(ours(lang, size), lang)}
        if real_texts:
            table["real"] = figures(real_texts, lang)
        print(f"{lang}: names masked" + (" (not in the real Chinese text)" if lang == "zh" else ""))
        for name, found in table.items():
            print(f"  {name:6}", {key: round(value, 4) for key, value in found.items()})
        if real_texts:
            ratios = {key: table["world"][key] / table["real"][key] for key in ("distinct_4", "zstd_19")}
            print(
                f"  world / real: distinct_4 {ratios['distinct_4']:.2f} (>= 0.70), "
                f"zstd_19 {ratios['zstd_19']:.2f} (<= 1.50)"
            )
        for name, masked in (("as they are read", False), ("names masked", True)):
            context = figures(ours(lang, CONTEXT_BYTES[lang], masked), lang)
            print(f"  1M tokens, {name}: 8-word windows more than three times {context['repeated_8']:.4f} (<= 0.005)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "variety", "questions"])
    parser.add_argument("--sources", type=Path, default=os.environ.get("CARRARA_SOURCES"))
    parser.add_argument("--realms", type=int, default=32, help="realms of passages (about 3,200 each)")
    parser.add_argument("--entity-realms", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if given.what == "speed":
        speed(given.realms, given.entity_realms, given.workers)
    elif given.what == "variety":
        variety(Path(given.sources) if given.sources else None)
    else:
        questions()


def questions() -> None:
    """Questions of every kind a second."""
    from carrara.world.questions import QUESTION_KINDS

    book = World(STREAM).encyclopedia
    for lang in ("en", "zh"):
        for kind in QUESTION_KINDS:
            started = time.perf_counter()
            count = sum(1 for _ in WorldQuestions(book, lang).of(kind, range(2), 200))
            print(f"{lang} {kind}: {count} in two realms, {count / (time.perf_counter() - started):,.0f} a second")


if __name__ == "__main__":
    main()
