"""The golden cases of HELMET's retrieval tasks as rows: short answers, rankings, answers with citations."""

import json
from typing import Any

from carrara.scoring import METRICS
from carrara.scoring.metrics import citations, ranking
from carrara.scoring.metrics.entailment import KnownSupport
from carrara.scoring.published import alce as citations_paper

TASKS = {
    *("qa", "default_post_process", "icl", "json_kv", "litm"),
    *("rerank", "rerank_scores", "parse_output", "parse_rankings"),
    *("alce", "alce_asqa", "alce_qampari", "alce_qampari_pipeline"),
}
HUNDRED = {"alce", "alce_asqa", "alce_qampari", "alce_qampari_pipeline"}


class Sentences:
    """A splitter that cuts where the case says."""

    name = "golden"

    def __init__(self, sentences: list[str]) -> None:
        self.sentences = sentences

    def spans(self, text: str) -> list[tuple[int, int]]:
        found, at = [], 0
        for sentence in self.sentences:
            at = text.index(sentence, at)
            found.append((at, at + len(sentence)))
            at += len(sentence)
        return found


def response(case: dict[str, Any]) -> str:
    """Scores of a retriever become the order in which trec_eval ranks them."""
    if case["task"] == "rerank_scores":
        return " > ".join(ranking.trec_order(case["prediction"]))
    return case["prediction"]


def row(case: dict[str, Any]) -> dict[str, Any]:
    """The row of a case, with a prompt where there are passages."""
    references, extra = case["references"], case["extra"]
    if case["task"].startswith("rerank"):
        return {"answers": ["-"], "facts": json.dumps({"grades": references})}
    if case["task"].startswith("parse"):
        # What a parser finds is the ideal order of a row.
        scores = case["expected"]
        order = scores.split(" > ") if isinstance(scores, str) else ranking.trec_order(scores)
        grades = {name: len(order) - place for place, name in enumerate(order)}
        return {"answers": [" > ".join(order)], "facts": json.dumps({"grades": grades})}
    if case["task"] == "alce":
        docs = extra.get("docs", [])
        body = "".join(f"[{n}] {doc['title']}\n{doc['text']}\n\n" for n, doc in enumerate(docs, start=1))
        facts = {
            "answers": [["Paris"], ["Marazan"], ["Lonely Road"]],
            "support": [[1], [1], [2]],
            "kind": "items" if extra.get("qampari") else "statements",
            "question": extra.get("question", ""),
            "body": [8, 8 + len(body)],
        }
        return {"answers": ["Paris is big [1]."], "prompt": f"Answer.\n{body}", "facts": json.dumps(facts)}
    if case["task"].startswith("alce_"):
        kind = "items" if case["task"].startswith("alce_qampari") else "statements"
        inside = [True] * len(references)
        facts = {"answers": references, "kind": kind, "evidence_inside": inside}
        return {"answers": ["; ".join(names[0] for names in references)], "facts": json.dumps(facts)}
    if isinstance(references, str):
        references = [references]
    return {"answers": references}


def table(case: dict[str, Any]) -> KnownSupport:
    """The case's verdicts; indices count from 0, and -1 is the last passage."""
    count = len(case["extra"]["docs"])
    return KnownSupport(
        {
            (tuple(index % count + 1 for index in one["cited_doc_indices_in_order"]), one["claim"]): bool(
                one["entails"]
            )
            for one in case["extra"]["nli_entails"]
        }
    )


def published(case: dict[str, Any], name: str) -> float:
    """What the metric of a case gives."""
    text, held = response(case), row(case)
    if name in ("citations/recall/paper", "citations/precision/paper"):
        metric = citations_paper.recall if "recall" in name else citations_paper.precision
        sentences = case["extra"]["sentences"]
        return metric(text, held, table(case), None if sentences is None else Sentences(sentences))
    if case["metric"] == "remove_citations":
        return float(citations_paper.without_citations(text) == case["expected"])
    return METRICS[name](text, held)


def expected(case: dict[str, Any]) -> float:
    """What it must give."""
    if case["metric"] == "remove_citations" or case["task"].startswith("parse"):
        return 1.0
    return float(case["expected"]) / (100 if case["task"] in HUNDRED else 1)


def sound(case: dict[str, Any], name: str) -> float:
    """What the sound metric gives, by the same verdicts."""
    text, held = response(case), row(case)
    if case["task"] == "alce" and "docs" in case["extra"]:
        marks = citations.marks(text, held, table(case))
        return {"citations/recall": marks.recall, "citations/precision": marks.precision}[name]
    return METRICS[name](text, held)
