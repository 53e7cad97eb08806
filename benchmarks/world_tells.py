"""How well needles are told from the text around them by their form alone.

    python -m benchmarks.world_tells RELEASE

For every config of needles (its rows hold `evidence`): sentences of the shown text, the needles among them. Three rules
tell which are needles: a capitalised word or two that stand nowhere else in the prompt (English), a character that
stands nowhere else (Chinese), and a logistic regression over character n-grams, digits, capitals and length, trained on
half of the rows. Of each, the precision over the other half at the threshold where every needle is found.
"""

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import LogisticRegression

from carrara.release.reader import open_release, rows

_SENTENCE = re.compile(r"[^\n]+?(?:[.!?][’”]*(?= |\n|$)|[。！？][’”]*|\n)")
_NAME = re.compile(r"(?<!^)(?<![.!?“] )\b[A-Z][\w'’-]+")


def sentences(row: dict) -> tuple[list[str], list[bool]]:
    """The sentences of a row's shown text, and which of them are needles."""
    needles = [(each["start"], each["end"]) for each in row["evidence"]]
    body = row["prompt"]
    start = re.search(r"\[The text begins\]|【正文开始】", body)
    end = re.search(r"\[The text ends\]|【正文结束】", body)
    first, last = (start.end() if start else 0), (end.start() if end else len(body))
    texts: list[str] = []
    labels: list[bool] = []
    at = first
    for needle in [*sorted(needles), (last, last)]:
        for found in _SENTENCE.finditer(body, at, needle[0]):
            if text := found[0].strip():
                texts.append(text)
                labels.append(False)
        if needle[1] > needle[0]:
            texts.append(body[slice(*needle)])
            labels.append(True)
        at = needle[1]
    return texts, labels


def rarity(texts: Sequence[str], lang: str) -> np.ndarray:
    """For each sentence how many of its capitalised words (characters) stand in no other one."""
    units = [set(_NAME.findall(text) if lang == "en" else re.findall(r"[\u3400-\u9fff]", text)) for text in texts]
    counts = Counter(unit for each in units for unit in each)
    return np.array([sum(counts[unit] == 1 for unit in each) for each in units], dtype=float)


def shape(texts: Sequence[str]) -> csr_matrix:
    """Length, digits, capitals and quotation marks of each sentence."""
    figures = [
        (len(t) / 100, len(re.findall(r"\d", t)) / 5, len(re.findall(r"[A-Z]", t)) / 5, len(re.findall("[“”]", t)))
        for t in texts
    ]
    return csr_matrix(np.array(figures))


def precision(scores: np.ndarray, labels: np.ndarray) -> float:
    """Needles among the sentences that score no less than the worst needle."""
    return float(labels.sum() / (scores >= scores[labels].min()).sum())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("release", type=Path)
    release = open_release(parser.parse_args().release)
    grams = HashingVectorizer(analyzer="char", ngram_range=(1, 4), n_features=1 << 18, alternate_sign=False)
    print(
        f"{'config':30}{'rows':>6}{'sentences':>11}{'needles':>9}{'share':>8}{'rare':>8}{'regression':>12}{'by row':>8}"
    )
    for config in release.configs:
        if "needle" not in config:
            continue
        read = [sentences(row) for row in rows(release, config)]
        read = [each for each in read if any(each[1])]
        lang = "zh" if "_zh" in config else "en"
        half = len(read) // 2
        rare = np.concatenate([rarity(texts, lang) for texts, _ in read])
        texts = [text for each, _ in read for text in each]
        labels = np.array([label for _, each in read for label in each])
        features = hstack([grams.transform(texts), shape(texts), csr_matrix(rare[:, None] / 3)]).tocsr()
        split = sum(len(each) for each, _ in read[:half])
        model = LogisticRegression(max_iter=400, C=10, class_weight="balanced").fit(features[:split], labels[:split])
        scores = model.decision_function(features[split:])
        rows_ = []
        at = 0
        for each, held in read[half:]:
            rows_.append(precision(scores[at : at + len(each)], np.array(held)))
            at += len(each)
        print(
            f"{config:30}{len(read):>6}{len(texts):>11}{labels.sum():>9}{labels.mean():>8.3f}"
            f"{precision(rare[split:], labels[split:]):>8.3f}{precision(scores, labels[split:]):>12.3f}"
            f"{np.mean(rows_):>8.3f}"
        )


if __name__ == "__main__":
    main()
