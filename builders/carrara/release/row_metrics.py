"""Checks the metric of every row against that of its config, before anything is scored.

A release is untrusted: it may only name a metric of the closed table (`scoring.METRICS`), never a model or endpoint.
"""

from collections.abc import Iterable

from carrara.errors import ReleaseError
from carrara.release.reader import Release, rows
from carrara.release.schema import shown
from carrara.scoring import METRICS, row_metric

_HINT = "Nothing was scored: download or build the release again; use --metric to name a judge or encoder of your own."


def check_metrics(release: Release, configs: Iterable[str]) -> None:
    """Raise ReleaseError for a config with an unknown metric, and for a row whose metric is not its config's.

    Reads only the columns id and metric.
    """
    for config in configs:
        expected = release.configs[config].metric
        if expected not in METRICS:
            raise ReleaseError(
                f"{config}: got metric {shown(expected)}, which this version does not know: expected a name of "
                "carrara.scoring.METRICS",
                _HINT,
            )
        for row in rows(release, config, ["id", "metric"]):
            try:
                row_metric(row, expected)
            except ValueError as error:
                raise ReleaseError(str(error), _HINT) from error
