"""A sheet for blind reading: sentences of the world among real ones, each with its neighbours, and the key to it.

    python -m benchmarks.world_sheet prose en --sources DIR --out FOLDER [--seed 1]

FOLDER gets `prose_en_1.txt`, which a reader judges without knowing what is real, and `key/prose_en_1.json`. A reader
answers with a line for each objection: `17 G reason`, where G is ungrammatical, P says nothing possible, C does not fit
its neighbours, and O anything else that an editor would strike out. `¶` marks where a paragraph begins. `--judged FILE`
then counts.
"""

import argparse
import json
import os
import re
from collections import Counter
from pathlib import Path

from benchmarks.world_variety import KINDS, SECTIONS, real
from carrara.stream import Stream
from carrara.task import Lang
from carrara.text.sentences import Rules
from carrara.world.prose.prose import section

OURS, REAL = 200, 100
AROUND = 2
RULES = Rules()


def split(text: str, lang: str) -> list[str]:
    """The sentences of a text; where a paragraph begins, its first one bears a `¶`."""
    found = []
    for line in text.splitlines():
        if lang == "zh":
            parts = re.findall(r"[^。！？]+[。！？]+[”’」]?", line)
        else:
            parts = [line[start:end].strip() for start, end in RULES.spans(line)]
        found += [("¶ " if at == 0 else "") + part.strip() for at, part in enumerate(parts)]
    return found


def ours(kind: str, lang: Lang) -> list[str]:
    """Texts of a kind as a prompt shows them: prose with its paragraphs."""
    if kind != "prose":
        return KINDS[kind](lang)
    joint = " " if lang == "en" else ""
    sections = (section(Stream("variety"), lang, number) for number in range(SECTIONS[lang]))
    return ["\n".join(joint.join(paragraph) for paragraph in each.paragraphs) for each in sections]


def real_texts(kind: str, lang: Lang, sources: Path) -> list[str]:
    """Whole paragraphs of real text: Wikipedia beside passages, novels beside all else.

    An English passage of Wikipedia is cut after 100 words, so that its first and last sentences may be torn; a novel's
    lines are broken anywhere, its headings and letters' heads are no sentences.
    """
    texts = dict(real(lang, sources))
    if kind == "passages":
        parts = [split(text, lang) for text in texts["Wikipedia"]]
        return [(" " if lang == "en" else "").join(each[1:-1]) for each in parts if len(each) > 2 * AROUND + 2]
    found = []
    for text in texts["novels"]:
        paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n" if lang == "en" else r"\n", text))
        found.append("\n".join(part for part in paragraphs if len(part) > 80 and part[-1] in '.!?”"。！？'))
    return found


def drawn(texts: list[str], lang: str, count: int, draws: Stream) -> list[tuple[str, str, str]]:
    """Sentences with what stands before and behind, at most one of a text where there are enough texts."""
    found: list[tuple[str, str, str]] = []
    joint = " " if lang == "en" else ""
    while len(found) < count:
        text = draws.choice(texts)
        if len(text) > 6_000:
            start = draws.below(len(text) - 5_000)
            text = text[text.find("\n", start) + 1 : start + 5_000]
            text = text[: text.rfind("\n") + 1]
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
    items = [(*each, "world") for each in drawn(ours(given.kind, given.lang), given.lang, OURS, draws)]
    texts = real_texts(given.kind, given.lang, Path(given.sources))
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
