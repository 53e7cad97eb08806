"""Scores responses: metrics, averages with intervals, reading responses and results. What an evaluator installs.

    from carrara.scoring import read_responses, score

    report = score(rows, read_responses("responses.jsonl"), model="my-model")
    print(report.overall.mean, report.tasks["rag"].interval)

Imports the standard library, numpy, rapidfuzz and `carrara.text`, so that an evaluation harness can carry it. What
plugs a model into a metric, or reads Parquet, is imported on use, and says which extra brings it.
"""

from carrara.scoring.errors import JudgeError, MetricError, ResponsesError, RowError
from carrara.scoring.report import Report, row_score, score
from carrara.scoring.responses.files import Responses, read_responses
from carrara.scoring.result import HeldConfig, Result, RowScore, read_result
from carrara.scoring.scores import (
    ALTERNATIVES,
    METRICS,
    PARTS,
    Metric,
    Score,
    metric,
    parts_of,
    recorded,
    row_metric,
    score_response,
)

__all__ = [
    "ALTERNATIVES",
    "METRICS",
    "PARTS",
    "HeldConfig",
    "JudgeError",
    "Metric",
    "MetricError",
    "Report",
    "Responses",
    "ResponsesError",
    "Result",
    "RowError",
    "RowScore",
    "Score",
    "metric",
    "parts_of",
    "read_responses",
    "read_result",
    "recorded",
    "row_metric",
    "row_score",
    "score",
    "score_response",
]
