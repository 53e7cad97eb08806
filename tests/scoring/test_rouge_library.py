"""ROUGE-L beside the field's library (rouge-score), on made-up and on real pairs."""

import gzip
import json

import pytest
from folders import CORPORA

from carrara.scoring.metrics.rouge import rouge_l
from carrara.stream import Stream

scorer = pytest.importorskip("rouge_score.rouge_scorer", reason="rouge-score is not installed").RougeScorer(
    ["rougeL"], use_stemmer=False
)
# ASCII alone: of other letters the library reads nothing, and ours does (`test_rouge.py`).
WORDS = "the a The court Court's U.S. 1983 3,150 it's co-op ... 'so' x_y A1b2 10th judge case was in and of (the)"
PARTS = ("", "\n", "\t", *WORDS.split(" "))


def same(response: str, reference: str) -> None:
    theirs = scorer.score(reference, response)["rougeL"].fmeasure
    assert rouge_l(response, {"answers": [reference]}) == pytest.approx(theirs, abs=1e-12), (response, reference)


def made(stream: Stream) -> str:
    return " ".join(stream.choice(PARTS) for _ in range(1 + stream.below(60)))


def test_made_up_pairs_score_as_in_the_library():
    for number in range(400):
        stream = Stream("rouge", number)
        reference = made(stream.child("reference"))
        response = made(stream.child("response"))
        if any(character.isascii() and character.isalnum() for character in reference + response):
            same(response, reference)
            same(reference, reference + " " + response)


def test_the_best_of_several_references_counts_as_in_the_library():
    for number in range(50):
        stream = Stream("rouge several", number)
        references = [made(stream.child(place)) for place in range(4)]
        response = made(stream.child("response"))
        theirs = scorer.score_multi(references, response)["rougeL"].fmeasure
        assert rouge_l(response, {"answers": references}) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.repeat
@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
def test_summaries_of_people_score_as_in_the_library():
    with gzip.open(CORPORA / "multilexsum" / "test.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line, _ in zip(lines, range(150), strict=False)]
    for row in rows:
        same(row["document"], row["summary"])
    with gzip.open(CORPORA / "squality" / "dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        story = json.loads(next(lines))
    for question in story["questions"]:
        first, *others = (one["response_text"] for one in question["responses"])
        for other in others:
            same(first, other)
