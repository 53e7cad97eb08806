"""Responses in what lm-evaluation-harness logs with --log_samples: one JSON line a row, `samples_<task>_<time>.jsonl`.

A line holds the row (`doc`), what was sent, and the response before and after the harness's filters. Read is the one
after them, which the harness scored. What must not change: a log that is unclear (two responses of one row) is an
error.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

MOST: Final = 100_000
_NAME: Final = re.compile(r"samples_(.+)_([0-9T.-]+)\.jsonl")


def is_sample(record: Any) -> bool:
    """Whether a record of a file has the shape of a logged sample, and not that of a response."""
    return isinstance(record, dict) and "response" not in record and "doc" in record and "filtered_resps" in record


def response_of(record: Mapping[str, Any]) -> dict[str, Any]:
    """A logged sample as `id` and `response`. Raises ValueError for one of another dataset, or of several responses."""
    doc, responses = record["doc"], record["filtered_resps"]
    if not isinstance(doc, dict) or "id" not in doc:
        raise ValueError("got a logged sample whose `doc` has no `id`, expected a row of an exported release")
    # A run without filters leaves a list of one response where else it stands alone.
    while isinstance(responses, list) and len(responses) == 1:
        responses = responses[0]
    if isinstance(responses, list):
        raise ValueError(f"got {len(responses)} responses of one sample in `filtered_resps`, expected one")
    return {"id": doc["id"], "response": responses}


def latest(folder: Path) -> list[Path]:
    """The newest samples file of every task in a folder, or in the one folder in it that has any, by name of task.

    The harness makes a folder a model in its --output_path, and adds files to it with every run. Raises ValueError for
    a folder without samples, with those of several models, or with too many entries.
    """
    found = _newest(folder)
    if not found:
        inner = {place.name: files for place in _entries(folder) if place.is_dir() and (files := _newest(place))}
        if len(inner) > 1:
            named = ", ".join(ascii(name) for name in sorted(inner)[:5])
            raise ValueError(f"got samples of {len(inner)} models ({named}), expected one; give its folder")
        found = next(iter(inner.values()), {})
    if not found:
        raise ValueError("got no samples_<task>_<time>.jsonl, expected those of lm_eval run --log_samples")
    return [found[task] for task in sorted(found)]


def _newest(folder: Path) -> dict[str, Path]:
    # The time is written so that its order is that of the text.
    named = [(name[2], name[1], place) for place in _entries(folder) if (name := _NAME.fullmatch(place.name))]
    return {task: place for _, task, place in sorted(named) if place.is_file()}


def _entries(folder: Path) -> list[Path]:
    entries = []
    for place in folder.iterdir():
        entries.append(place)
        if len(entries) > MOST:
            raise ValueError(f"got a folder of more than {MOST:,} files, expected at most that")
    return entries
