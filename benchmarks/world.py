"""Speed and memory of the invented world.

python -m benchmarks.world speed        # entities, passages, a million tokens of prose and of chronicles a core; memory
python -m benchmarks.world questions    # questions of every kind a second
"""

import argparse
import itertools
import os
import resource
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context

from benchmarks.world_variety import CHAPTERS, SECTIONS
from carrara.stream import Stream
from carrara.world.documents.chronicle.chronicle import chapters
from carrara.world.prose.prose import section
from carrara.world.questions import WorldQuestions
from carrara.world.realm.check import contradictions
from carrara.world.realm.realm import Realm
from carrara.world.realm.schema import CLASSES
from carrara.world.world import World

STREAM = "benchmark/1"


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


def prose_of(part: range) -> tuple[int, int, float, list[int]]:
    """Write sections of English prose: sections, bytes, seconds, peak kB after each."""
    return _written(section(Stream(STREAM), "en", number).paragraphs for number in part)


def chapters_of(part: range) -> tuple[int, int, float, list[int]]:
    """Write chapters of an English chronicle each: chapters, bytes, seconds, peak kB after each."""
    return _written(chapter.text for chapter in islice(chapters(Stream(STREAM), "en", part.start), len(part)))


def _written(texts: Iterable[object]) -> tuple[int, int, float, list[int]]:
    started = time.perf_counter()
    sizes, peaks = [], []
    for text in texts:
        sizes.append(len(str(text)))
        peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return len(sizes), sum(sizes), time.perf_counter() - started, peaks


def speed(realms: int, entity_realms: int, workers: int) -> None:
    kinds = (
        ("passages", passages_of, realms),
        ("entities", entities_of, entity_realms),
        ("sections of prose", prose_of, SECTIONS["en"] * workers),
        ("chapters of chronicles", chapters_of, CHAPTERS["en"] * workers),
    )
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for name, work, total in kinds:
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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "questions"])
    parser.add_argument("--realms", type=int, default=32, help="realms of passages (about 3,200 each)")
    parser.add_argument("--entity-realms", type=int, default=1_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    given = parser.parse_args()
    if given.what == "speed":
        speed(given.realms, given.entity_realms, given.workers)
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
