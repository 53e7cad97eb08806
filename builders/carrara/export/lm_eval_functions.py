"""What lm-evaluation-harness calls for the tasks of an exported release: prompt, gold, and Carrara's own score.

`carrara export lm-eval` copies this file beside the tasks that it writes, and adds a score for each of their metrics.
It needs `carrara` installed where the harness runs: pip install carrara. What must not change: the prompt, to the byte.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from carrara.scoring import recorded, row_metric, score_response


def prompt(doc: Mapping[str, Any]) -> str:
    """For chat models: the row's prompt, which with --apply_chat_template is the whole of the user's turn."""
    return str(doc["prompt"])


def prompt_and_prefix(doc: Mapping[str, Any]) -> str:
    """For base models: the row's prompt and how its answer begins; the response is what follows."""
    return f"{doc['prompt']}{doc['answer_prefix']}"


def gold(doc: Mapping[str, Any]) -> str:
    """The row's answers as a JSON list: logged as the target, read by no score."""
    return json.dumps(list(doc["answers"]), ensure_ascii=False)


def score(doc: Mapping[str, Any], results: Sequence[str | None], metric: str) -> dict[str, float]:
    """The score of the one response, in [0, 1], by what it is recorded as: 0 where nothing was answered.

    `metric` is what the task was exported for. What a model should judge (judge/*) is ROUGE-L here and named so. Raises
    ValueError for a row with another metric: rows may be read from elsewhere than the release that was exported.
    """
    return {recorded(row_metric(doc, metric)): score_response(doc, results[0]).value or 0.0}
