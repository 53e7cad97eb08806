"""Scores one response against one row by a named metric.

Every string gets a float in [0, 1], never NaN; a missing response gets `None` and a reason. The meaning of a name never
changes: a changed metric gets a new name. Needs rapidfuzz and `carrara.text` alone, so that an evaluation harness can
use it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from carrara.scoring.errors import MetricError, RowError
from carrara.scoring.facts import ScoredRow, about, check_row
from carrara.scoring.judge.judge import FALLBACK, JUDGED, NO_JUDGE
from carrara.scoring.judge.verdicts import Verdicts
from carrara.scoring.metrics import (
    choice,
    citations,
    copying,
    grouping,
    label,
    latent_list,
    mrcr,
    needlebench,
    order,
    ranking,
    rouge,
    ruler,
    semantic,
    verbatim,
)
from carrara.scoring.metrics import short_answers as subem
from carrara.scoring.published import alce as citations_paper
from carrara.scoring.published import ancestral_trace as ancestral
from carrara.scoring.published import infinitebench, longbench
from carrara.scoring.published import infinitebench as choice_helmet
from carrara.scoring.published import rouge as rouge_paper
from carrara.scoring.responses.reading import said
from carrara.text.display import nearest

Metric = Callable[[str, ScoredRow], float]

# A name that ends in /paper is the published scorer, defects included.
METRICS: Final[dict[str, Metric]] = {
    "ancestral_trace/boxed/paper": ancestral.boxed_paper,
    "choice": choice.choice,
    "choice/helmet/paper": choice_helmet.choice_helmet_paper,
    "choice/paper": ancestral.choice_paper,
    "citations": citations.citations,
    "citations/correctness": citations.correctness,
    "citations/paper": citations_paper.mean,
    "citations/precision": citations.precision,
    "citations/precision/paper": citations_paper.precision,
    "citations/qampari_f1/paper": citations_paper.qampari_f1,
    "citations/qampari_precision/paper": citations_paper.qampari_precision,
    "citations/qampari_recall/paper": citations_paper.qampari_recall,
    "citations/qampari_recall5/paper": citations_paper.qampari_recall5,
    "citations/recall": citations.recall,
    "citations/recall/paper": citations_paper.recall,
    "citations/str_em": citations.str_em,
    "citations/str_em/paper": citations_paper.str_em,
    "citations/str_hit/paper": citations_paper.str_hit,
    "em/paper": subem.em_paper,
    "f1/paper": subem.f1_paper,
    "grouping/category_recall": grouping.category_recall,
    "grouping/category_recall/paper": grouping.category_recall_paper,
    "grouping/f1": grouping.f1,
    "grouping/global_recall": grouping.global_recall,
    "grouping/global_recall/paper": grouping.global_recall_paper,
    "idk": choice.idk,
    "infinitebench/choice/paper": infinitebench.choice,
    "infinitebench/dialogue/paper": infinitebench.dialogue,
    "infinitebench/kv_retrieval/paper": infinitebench.kv_retrieval,
    "infinitebench/passkey/paper": infinitebench.passkey,
    "infinitebench/qa/paper": infinitebench.qa,
    "infinitebench/qa_zh/paper": infinitebench.qa_zh,
    # Judged by a model: scored by its verdicts if there are any, else by the words in common with a reference.
    "judge/qa": rouge.judged_answer,
    "judge/qa/paper": rouge.judged_answer,
    "judge/summary": rouge.judged_summary,
    "judge/summary/paper": rouge.judged_summary,
    "label": label.label,
    "label/paper": label.label_paper,
    "latent_list": latent_list.latent_list,
    "latent_list/paper": latent_list.latent_list_paper,
    "longbench/classification/first_line/paper": longbench.classification_first_line,
    "longbench/classification/paper": longbench.classification,
    "longbench/count/paper": longbench.count,
    "longbench/f1_zh/paper": longbench.f1_zh,
    "longbench/retrieval/paper": longbench.retrieval,
    "longbench/rouge/paper": longbench.rouge,
    "mrcr": mrcr.mrcr,
    "mrcr/deepmind": mrcr.mrcr_deepmind,
    "mrcr/openai": mrcr.mrcr_openai,
    "mrcr/paper": mrcr.mrcr_paper,
    "mrr/paper": ranking.mrr_paper,
    "ndcg@1/paper": ranking.ndcg_1_paper,
    "ndcg@10": ranking.ndcg_10,
    "ndcg@10/paper": ranking.ndcg_10_paper,
    "needlebench/answer": needlebench.answer,
    "needlebench/first": needlebench.first,
    "needlebench/keyword_v2/paper": needlebench.keyword_v2_paper,
    "needlebench/keywords": needlebench.keywords,
    "needlebench/keywords/paper": needlebench.keywords_paper,
    "needlebench/last": needlebench.last,
    "needlebench/paper": needlebench.reported_paper,
    "needlebench/parallel_recall/paper": needlebench.parallel_recall_paper,
    "needlebench/single": needlebench.single,
    "needlebench/single/paper": needlebench.single_paper,
    "needlebench/single/trim/paper": needlebench.single_trim_paper,
    "order/kendall": order.kendall,
    "order/lcs": order.lcs,
    "order/numbers": order.numbers,
    "rouge_l": rouge.rouge_l,
    "rouge_l/paper": rouge_paper.rouge_l_paper,
    "rouge_l/recall/paper": rouge_paper.rouge_l_recall_paper,
    "rouge_lsum/paper": rouge_paper.rouge_lsum_paper,
    "ruler/all": ruler.every,
    "ruler/all/paper": ruler.every_paper,
    "ruler/any": subem.subem,
    "ruler/any/paper": ruler.either_paper,
    "ruler/precise": ruler.precise,
    "ruler/recall/paper": ruler.recall_paper,
    "subem": subem.subem,
    "subem/litm/paper": subem.subem_litm_paper,
    "subem/paper": subem.subem_paper,
    "summary_overlap": rouge.summary_overlap,
    "verbatim/indel": verbatim.indel,
    "verbatim/indel/paper": verbatim.indel_paper,
    "verbatim/levenshtein": verbatim.levenshtein,
    "verbatim/levenshtein/paper": verbatim.levenshtein_paper,
    "verbatim/strict": verbatim.strict,
    "verbatim/v": copying.v,
    "verbatim/v/indel": copying.v_indel,
    "verbatim/v_lcs": copying.v_lcs,
}

# Published scorers under the names of those who published them: they read the whole response.
_PUBLISHED: Final = frozenset(("mrcr/deepmind", "mrcr/openai"))

# For metrics that are a mean over classes: the score of each class, in [0, 1]. For reports, never for a score.
PARTS: Final[dict[str, Callable[[str, ScoredRow], Mapping[str, float]]]] = {
    "citations": citations.parts,
    "grouping/f1": grouping.per_class,
}

# The metric by which a task's paper reports it, where that is not the default: it is scored beside, for the summaries.
REPORTED: Final[Mapping[str, str]] = dict.fromkeys(
    ("single_needle", "multi_needle", "needle_reasoning"), "needlebench/paper"
)

# Metrics for which the row's answers are alternatives; for all others they belong together.
ALTERNATIVES: Final = frozenset(
    (
        "em/paper",
        "f1/paper",
        "infinitebench/qa/paper",
        "infinitebench/qa_zh/paper",
        "longbench/classification/first_line/paper",
        "longbench/classification/paper",
        *JUDGED,
        "longbench/count/paper",
        "longbench/f1_zh/paper",
        "longbench/retrieval/paper",
        "longbench/rouge/paper",
        "rouge_l",
        "rouge_l/paper",
        "rouge_l/recall/paper",
        "rouge_lsum/paper",
        "ruler/any",
        "ruler/any/paper",
        "subem",
        "subem/litm/paper",
        "subem/paper",
        "summary_overlap",
    )
)


@dataclass(frozen=True, slots=True)
class Score:
    """A value in [0, 1], or None if there is no response or no verdict.

    `reason` names the metric and, if it depends on sentences, the splitter; or it says what is missing.
    """

    value: float | None
    reason: str


def metric(name: str) -> Metric:
    """Return the metric of a name: one of `METRICS`, or one with a model in its name, which is then loaded.

    The latter are `semantic/cosine@<encoder>`, `verbatim/average@<encoder>`, and `citations@<judge>` with its parts
    (`entailment.py`). Raises MetricError for any other name, and for a model that is not available.
    """
    if name.startswith(semantic.PREFIXES):
        return semantic.named(name)
    if name.startswith(citations.PREFIXES):
        return citations.named(name)
    if name not in METRICS:
        plugged = (
            *(f"{prefix}<encoder>" for prefix in semantic.PREFIXES),
            *(f"{prefix}<judge>" for prefix in citations.PREFIXES),
        )
        hint = nearest(name, (*sorted(METRICS), *plugged))
        raise MetricError(f"got the unknown metric {name!r}: {hint} (carrara list prints all metrics)")
    if name in rouge_paper.NAMES:
        # Fail before any row is read if the library is missing.
        rouge_paper.scorer("rougeL")
    return METRICS[name]


def parts_of(name: str, response: str, row: ScoredRow) -> Mapping[str, float]:
    """Return the score of each class for a metric that is a mean over classes (`PARTS`); {} for other metrics."""
    if name.startswith(citations.PREFIXES):
        return citations.named_parts(name, heard(name, response), row)
    return PARTS[name](heard(name, response), row) if name in PARTS else {}


def heard(name: str, response: str) -> str:
    """Return what a metric reads of a response: all of it if it is a published one, else what follows the thoughts.

    A judge by the paper's rubric reads what follows the thoughts, too.
    """
    is_published = name.endswith("/paper") or "/paper@" in name or name in _PUBLISHED
    return response if is_published and name not in JUDGED else said(response)


def row_metric(row: Mapping[str, object], expected: str | None = None) -> str:
    """Return the metric that a row names: one of `METRICS`, and `expected` if that is given.

    A row is untrusted, so it may not name a model to load or an endpoint to call; only the user may. Raises RowError
    for any other name.
    """
    name = row.get("metric")
    if isinstance(name, str) and name in METRICS and expected in (None, name):
        return name
    wanted = repr(expected) if expected in METRICS else "a name of carrara.scoring.METRICS"
    message = f"got metric {ascii(name)[:200]}, expected {wanted}"
    raise RowError(f"{message}; only --metric can name a model or an endpoint, never a row", str(row.get("id") or ""))


def score_response(
    row: Mapping[str, object], response: str | None, metric: str | None = None, *, verdicts: Verdicts | None = None
) -> Score:
    """Score one response with `metric`, or else with the metric that the row names (one of `METRICS`).

    `row` is a row of a release (DESIGN.md section 5) as a mapping. A metric that a model judges takes its score from
    `verdicts`, None if they lack this response; without `verdicts` it compares words, and the reason says so.

        score_response({"metric": "subem", "answers": ["Paris"]}, "It is Paris.").value  # 1.0

    Raises MetricError for an unknown metric and RowError for a row that lacks what the metric reads. Nothing in a
    response raises an error.
    """
    with about(row):
        return score_checked(check_row(row), response, metric if metric is not None else row_metric(row), verdicts)


def reported_value(row: ScoredRow, response: str | None) -> float | None:
    """Return the score of a response by the metric of `REPORTED`; None without one, and without a response."""
    name = REPORTED.get(row.get("task", ""))
    if not name:
        return None
    with about(row):
        return score_checked(row, response, name, None).value


def recorded(name: str, verdicts: Verdicts | None = None) -> str:
    """Return the name under which a score is recorded: a judged metric names its judge, or what is used instead."""
    if name not in JUDGED:
        return name
    return FALLBACK[name] if verdicts is None else verdicts.metric(name)


def score_checked(row: ScoredRow, response: str | None, name: str, verdicts: Verdicts | None) -> Score:
    """Score one response as `score_response` does, by a metric that is given and against a row that was checked."""
    scorer = metric(name)
    if response is None:
        return Score(None, "no response")
    if row.get("answers") is None:
        raise RowError("got no answers, expected a list of texts")
    if name in JUDGED and verdicts is not None:
        return Score(*verdicts.score(name, row, response))
    reason = f"{FALLBACK[name]}{NO_JUDGE}{name}" if name in JUDGED else citations.reason(name, row)
    return Score(scorer(heard(name, response), row), reason)
