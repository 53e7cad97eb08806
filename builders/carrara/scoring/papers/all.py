"""The papers' summaries of scored rows: every value with its interval and its noise floor.

A summary is made where the rows hold tasks of the paper; what it needs and the rows lack is left out, never guessed.
Missing responses count 0. A value is a weighted mean over rows, so that questions are drawn again as wholes.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from carrara.scoring.papers.helmet import helmet
from carrara.scoring.papers.michelangelo import michelangelo
from carrara.scoring.papers.needlebench import needlebench
from carrara.scoring.papers.ruler import ruler
from carrara.scoring.papers.summary import Summary
from carrara.scoring.papers.verbatimeval import verbatimeval
from carrara.scoring.result import RowScore

PAPERS: Final = (michelangelo, helmet, ruler, verbatimeval, needlebench)


def summaries(rows: Iterable[RowScore]) -> dict[str, Summary]:
    """The summary of every paper that has tasks among the rows, by the benchmark's name."""
    held = sorted(rows, key=lambda row: row.id)
    found = [summary for make in PAPERS if (summary := make(held)) is not None]
    return {summary.paper: summary for summary in found}


def summaries_json(found: Mapping[str, Summary]) -> dict[str, Any]:
    """Summaries as JSON-able data: by paper, its notes and its values."""
    return {name: summary.to_json() for name, summary in found.items()}
