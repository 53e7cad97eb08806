"""A sheet for blind reading: sentences of the world among real ones, each with its neighbours, and the key to it.

    python -m benchmarks.world_sheet prose en --sources DIR --out FOLDER [--seed 1]

FOLDER gets `prose_en_1.txt`, which a reader judges without knowing what is real, and `key/prose_en_1.json`. A reader
answers with a line for each objection: `17 G reason`, where G is ungrammatical, P says nothing possible, C does not fit
its neighbours, and O anything else that an editor would strike out. `--judged FILE` then counts.
"""

import argparse
import json
import os
import re
from collections import Counter
from pathlib import Path

from benchmarks.world_variety import KINDS, real
from carrara.stream import Stream
from carrara.text.sentences import Rules

OURS, REAL = 200, 100
AROUND = 2


def split(text: str, lang: str) -> list[str]:
    """The sentences of a text, paragraph by paragraph."""
    if lang == "zh":
        return [part for line in text.splitlines() for part in re.findall(r"[^。！？]+[。！？]+[”’」]?", line)]
    rules = Rules()
    return [line[start:end].strip() for line in text.splitlines() for start, end in rules.spans(line)]


def drawn(texts: list[str], lang: str, count: int, draws: Stream) -> list[tuple[str, str, str]]:
    """Sentences with what stands before and behind, at most one of a text where there are enough texts."""
    found: list[tuple[str, str, str]] = []
    joint = " " if lang == "en" else ""
    while len(found) < count:
        text = draws.choice(texts)
        if len(text) > 6_000:
            start = draws.below(len(text) - 5_000)
            text = text[text.find("\n", start) + 1 : start + 5_000]
        parts = split(text, lang)
        if len(parts) < 2 * AROUND + 1:
            continue
        at = draws.below(len(parts) - 1)
        if len(parts[at]) < (25 if lang == "en" else 10) or len(parts[at]) > 600:
            continue
        before, after = parts[max(0, at - AROUND) : at], parts[at + 1 : at + 1 + AROUND]
        found.append((joint.join(before), parts[at], joint.join(after)))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=list(KINDS))
    parser.add_argument("lang", choices=["en", "zh"])
    parser.add_argument("--sources", type=Path, default=os.environ.get("CARRARA_SOURCES"), required=False)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--judged", type=Path, help="a reader's answers to the sheet: count them")
    given = parser.parse_args()
    name = f"{given.kind}_{given.lang}_{given.seed}"
    key = given.out / "key" / f"{name}.json"
    if given.judged:
        count(json.loads(key.read_text()), given.judged.read_text())
        return
    draws = Stream("sheet", name)
    items = [(*each, "world") for each in drawn(KINDS[given.kind](given.lang), given.lang, OURS, draws)]
    texts = [text for _, some in real(given.lang, Path(given.sources)) for text in some]
    items += [(*each, "real") for each in drawn(texts, given.lang, REAL, draws)]
    items = draws.shuffled(items)
    lines = [
        f"[{number}]\n    {before.strip() or '-'}\n>>> {sentence}\n    {after.strip() or '-'}\n"
        for number, (before, sentence, after, _) in enumerate(items, 1)
    ]
    key.parent.mkdir(parents=True, exist_ok=True)
    (given.out / f"{name}.txt").write_text("\n".join(lines))
    key.write_text(json.dumps([{"origin": origin, "sentence": sentence} for _, sentence, _, origin in items]))
    print(given.out / f"{name}.txt")


def count(key: list[dict[str, str]], answers: str) -> None:
    """Print the share of unobjected sentences of each origin, objections by kind, and every objected sentence."""
    objected: dict[int, tuple[str, str]] = {}
    for line in answers.splitlines():
        if found := re.match(r"\[?(\d+)\]?\s+([GPCO])\b\s*(.*)", line.strip()):
            objected.setdefault(int(found[1]), (found[2], found[3]))
    for origin in ("world", "real"):
        numbers = [number for number, each in enumerate(key, 1) if each["origin"] == origin]
        kinds = Counter(objected[number][0] for number in numbers if number in objected)
        size = sum(len(re.findall(r"[\u3400-\u9fff]|[A-Za-z’'-]+", key[number - 1]["sentence"])) for number in numbers)
        share, empty = 1 - kinds.total() / len(numbers), 1_000 * kinds["P"] / size
        print(f"{origin}: {share:.1%} of {len(numbers)} unobjected; {dict(kinds)}; P a 1,000 words {empty:.1f}")
    for number, (what, why) in sorted(objected.items()):
        if key[number - 1]["origin"] == "world":
            print(f"  {what} {key[number - 1]['sentence']} | {why}")


if __name__ == "__main__":
    main()
