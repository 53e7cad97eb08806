"""Scores from a judge's verdicts: the questions about a response, and the score that the verdicts give.

`judge/qa` = fluency (0 or 1) x correctness (0 to 3) / 3. `judge/summary` = fluency x F1 of recall (the share of the
row's key points that the response states) and precision (the share of its sentences that the long summary supports).
With `/paper` behind the name the verdicts are by HELMET's definitions (`rubrics.PAPER`), else by ours; the file of
verdicts decides. A judge sees what the response says (`reading.said`), never its thoughts: one that says nothing, or
still thinks at its end, scores 0 and is not sent. Without verdicts these metrics compare words, and are recorded as
what does (`FALLBACK`).

Read from a row: `answers` (the accepted answers, or the reference summary), and from its facts `question` (qa),
`key_points` (a list of texts) and `long_summary` (default: the first answer).
"""

from collections.abc import Mapping
from typing import Any, Final

from carrara.scoring.errors import RowError
from carrara.scoring.facts import ScoredRow, facts_of
from carrara.scoring.judge.rubrics import JudgeQuestion, Verdict
from carrara.scoring.responses.reading import said

QA: Final = "judge/qa"
SUMMARY: Final = "judge/summary"
BY_PAPER: Final = "/paper"
JUDGED: Final = frozenset(f"{name}{rubric}" for name in (QA, SUMMARY) for rubric in ("", BY_PAPER))
FALLBACK: Final[Mapping[str, str]] = {
    name: "summary_overlap" if name.startswith(SUMMARY) else "rouge_l" for name in sorted(JUDGED)
}
NO_JUDGE: Final = ", no judge for "
# What tables call it.
IN_PLACE: Final[Mapping[str, str]] = {"rouge_l": "ROUGE-L", "summary_overlap": "summary_overlap"}
# The metrics of citations that ask a judge whether a passage supports a statement; the part after "@" names it.
CITED: Final = frozenset(f"citations{part}{kind}" for part in ("", "/recall", "/precision") for kind in ("", BY_PAPER))
LEXICAL: Final = "the lexical judge"
MAX_STATEMENTS: Final = 300
MAX_TEXT: Final = 1_000_000
SILENT: Final = "nothing was said"


class Unjudgeable(ValueError):
    """A valid row that gives a judge nothing to go by; the message says what it lacks."""


def questions(metric: str, row: ScoredRow, response: str) -> tuple[JudgeQuestion, ...]:
    """Return the questions to a judge for one score; () for a response without a letter or digit.

    Raises Unjudgeable for a row without a question, key points or a reference, and RowError if one of these has another
    type.
    """
    answers, facts = _texts("answers", row["answers"]), facts_of(row)
    if (spoken := said(response)) != response:
        # What is left of a response with thoughts begins with their line ends.
        response = spoken.strip()
    if not any(map(str.isalnum, response)):
        return ()
    kind = metric.removesuffix(BY_PAPER)
    if kind == QA:
        question = _text("question", facts.get("question"))
        if not answers or not question.strip():
            raise Unjudgeable("the row has no question or no accepted answer")
        return (JudgeQuestion("qa", {"question": question, "references": answers, "response": response}),)
    if kind != SUMMARY:
        raise ValueError(f"got the metric {metric!r}, expected one of {', '.join(sorted(JUDGED))}")
    points = _texts("key_points", facts.get("key_points") or [])
    if not points:
        raise Unjudgeable("the row has no key points")
    reference = _text("long_summary", facts.get("long_summary") or (answers[0] if answers else ""))
    if not reference.strip():
        raise Unjudgeable("the row has no long summary")
    return (
        JudgeQuestion("fluency", {"response": response}),
        JudgeQuestion("recall", {"key_points": points, "response": response}),
        JudgeQuestion("precision", {"reference": reference, "response": response}),
    )


def value(metric: str, verdicts: Mapping[str, Verdict]) -> float | None:
    """Return the score of the verdicts (by kind of question), in [0, 1]; None if one that is needed is missing."""
    is_qa = metric.removesuffix(BY_PAPER) == QA
    first = verdicts.get("qa" if is_qa else "fluency")
    if first is not None and not first.fluency:
        return 0.0
    if is_qa:
        return None if first is None else (first.correctness or 0) / 3
    recall, precision = verdicts.get("recall"), verdicts.get("precision")
    if first is None or recall is None or precision is None:
        return None
    return f1(share(recall), share(precision))


def share(verdict: Verdict) -> float:
    """Return the share of statements that are held; those that the judge was not shown count as not held."""
    held = verdict.held or ()
    count = len(held) + verdict.surplus
    return sum(held) / count if count else 0.0


def f1(recall: float, precision: float) -> float:
    """Return the harmonic mean; 0 if both are 0."""
    return 2 * recall * precision / (recall + precision) if recall + precision else 0.0


def judge_of(metric: str) -> str:
    """Return the judge on whom scores recorded under a metric depend, and the rubric if it is the paper's; "" for none.

    judge_of("judge/qa/paper@gpt#0123abcd")  # "gpt#0123abcd by HELMET's rubric"
    """
    name, _, judge = metric.partition("@")
    if name in CITED:
        return judge or LEXICAL
    if name not in JUDGED or not judge:
        return ""
    return f"{judge} by HELMET's rubric" if name.endswith(BY_PAPER) else judge


def stand_in(reason: str) -> str:
    """Return what tables say in place of a judge's name, by the reason of a score; "" for any other reason.

    stand_in("rouge_l, no judge for judge/qa")  # "ROUGE-L, no model"
    """
    name, mark, _ = reason.partition(NO_JUDGE)
    return f"{IN_PLACE[name]}, no model" if mark and name in IN_PLACE else ""


def in_words(verdicts: Mapping[str, Verdict]) -> str:
    """Return verdicts in words: "fluency 1, recall 4 of 8, precision 6 of 10"."""
    parts = []
    for kind, verdict in verdicts.items():
        if verdict.fluency is not None:
            parts.append(f"fluency {verdict.fluency}")
        if verdict.correctness is not None:
            parts.append(f"correctness {verdict.correctness} of 3")
        if verdict.held is not None:
            parts.append(f"{kind} {sum(verdict.held)} of {len(verdict.held) + verdict.surplus}")
    return ", ".join(parts)


def _text(name: str, text: Any) -> str:
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise RowError(f"got no {name}, expected a text of at most {MAX_TEXT:,} characters")
    return text


def _texts(name: str, texts: Any) -> list[str]:
    if not isinstance(texts, list) or len(texts) > MAX_STATEMENTS:
        raise RowError(f"got no {name}, expected a list of at most {MAX_STATEMENTS} texts")
    return [_text(f"text among {name}", text) for text in texts]
