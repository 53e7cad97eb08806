"""How hard the negatives of releases are: where the gold stands among a row's own passages, by BM25 and by an encoder.

    python -m benchmarks.hardness RELEASE... [--rows 50] [--encoder all-minilm-l6-v2] [--bucket 32k]

One line for each dataset of rag: the mean and median rank of the (best ranked) gold passage, the share of rows in which
it is first, and what two shortcuts score by the rows' metric: to answer with the first 400 characters of the passage
that BM25 ranks first, and with the capitalised phrase that occurs most often. Real and invented datasets side by side.
An independent check goes along: no accepted answer stands in a passage other than a gold one, by a plain search of its
words, and the gold stands where its position says, to within one passage.
"""

import argparse
import json
import re
import statistics
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np

from carrara.release.reader import open_release, rows
from carrara.retrieval.bm25 import rank_passages
from carrara.scoring import score_response

_BLOCK = re.compile(r"^Title: (.*)\n(.+)\n\n", re.MULTILINE)
_CAPITALISED = re.compile(r"\b[A-Z][\w'’-]*(?: (?:of|the|and|de|von) [A-Z][\w'’-]*| [A-Z][\w'’-]*)*")
READ = 400
POSITIONS = 6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path, nargs="+")
    parser.add_argument("--rows", type=int, default=50, help="questions a dataset")
    parser.add_argument("--encoder", default="all-minilm-l6-v2", help="none: BM25 alone")
    parser.add_argument("--bucket", default="32k")
    arguments = parser.parse_args()
    encoder = None
    if arguments.encoder != "none":
        from carrara.retrieval.encoder import EncoderSpec, load_encoder

        encoder = load_encoder(EncoderSpec(arguments.encoder))
    print(f"{'dataset':24}{'rows':>6}{'passages':>10}{'BM25 rank, mean':>17}{'median':>8}{'first %':>9}", end="")
    print(f"{'encoder, mean':>15}{'median':>8}{'first %':>9}{'top BM25':>10}{'phrase':>8}{'answers':>9}{'places':>8}")
    for folder in arguments.release:
        release = open_release(folder)
        for config, facts in release.configs.items():
            if facts.task == "rag" and facts.bucket == arguments.bucket:
                measure(f"{release.name}/{config}"[-24:], rows(release, config), arguments.rows, encoder)


def measure(name, table, most, encoder) -> None:
    lexical, dense, top, phrase, counts = [], [], [], [], []
    found_elsewhere = misplaced = 0
    groups: dict[str, int] = {}
    for row in table:
        place = groups.get(row["group"], 0)
        groups[row["group"]] = place + 1
        if len(groups) > most:
            break
        facts = json.loads(row["facts"])
        start, end = facts["body"]
        blocks = [(match[1], match[2], match.start(2)) for match in _BLOCK.finditer(row["prompt"], start, end)]
        gold = {number for number, block in enumerate(blocks) if any(s["start"] == block[2] for s in row["evidence"])}
        assert len(gold) == len(row["evidence"]), row["id"]
        accepted = [plain(answer) for answer in facts["accepted"]]
        for number, (title, text, _) in enumerate(blocks):
            held = plain(f"{title} {text}")
            found_elsewhere += number not in gold and any(f" {answer} " in f" {held} " for answer in accepted)
        if len(gold) == 1:
            wanted = place * (len(blocks) - 1) / (POSITIONS - 1)
            misplaced += abs(min(gold) - wanted) > 1
        if place:
            continue
        counts.append(len(blocks))
        texts = [f"{title}\n{text}" for title, text, _ in blocks]
        order = list(rank_passages(facts["question"], texts))
        lexical.append(min(order.index(number) for number in gold) + 1)
        top.append(score_response(row, blocks[order[0]][1][:READ]).value)
        phrases = Counter(_CAPITALISED.findall(" ".join(text for _, text, _ in blocks)))
        phrase.append(score_response(row, phrases.most_common(1)[0][0]).value)
        if encoder is not None:
            scores = encoder.encode(texts, "passage") @ encoder.encode([facts["question"]], "query")[0]
            ranked = np.argsort(-scores, kind="stable").tolist()
            dense.append(min(ranked.index(number) for number in gold) + 1)
    print(f"{name:24}{len(lexical):>6}{statistics.mean(counts):>10.0f}", end="")
    for ranks, width in ((lexical, 17), (dense, 15)):
        if ranks:
            first = 100 * sum(rank == 1 for rank in ranks) / len(ranks)
            print(f"{statistics.mean(ranks):>{width}.2f}{statistics.median(ranks):>8.0f}{first:>9.1f}", end="")
        else:
            print(f"{'-':>{width}}{'-':>8}{'-':>9}", end="")
    print(f"{100 * statistics.mean(top):>10.1f}{100 * statistics.mean(phrase):>8.1f}{found_elsewhere:>9}{misplaced:>8}")


def plain(text: str) -> str:
    """Words in small letters without accents, as no part of the builder writes them."""
    spread = unicodedata.normalize("NFKD", text.replace(",", ""))
    letters = "".join(mark for mark in spread if not unicodedata.combining(mark)).lower()
    return " ".join(re.findall(r"[^\W_]+", letters))


if __name__ == "__main__":
    main()
