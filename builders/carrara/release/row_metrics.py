"""Holds the metric of every row against that of its config, before anything is scored.

A release is a stranger's: it may name a metric of the closed table (`scoring.METRICS`), no model and no endpoint.
"""

from collections.abc import Iterable

from carrara.errors import ReleaseError
from carrara.release.reader import Release, rows
from carrara.release.schema import shown
from carrara.scoring import METRICS, row_metric

_HINT = "Nothing was scored: download or build the release again; a judge or encoder of yours is named with --metric."


def check_metrics(release: Release, configs: Iterable[str]) -> None:
    """Raise ReleaseError for a config whose metric is unknown, and for a row whose metric is not its config's.

    Reads the columns id and metric alone.
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
