"""HELMET (arXiv:2410.02694): seven categories, each the plain mean of its datasets, and their mean.

A category is a task, a dataset its variant. Of synthetic_recall four datasets count. The overall score of a bucket is
told only where all seven categories are there. What the score of `citations` is the mean of stands beside it, and who
judged stands in the notes.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from carrara.scoring.design import Level, by, by_bucket, shares
from carrara.scoring.paper import Summary, Wanted, summary
from carrara.scoring.rows import RowScore

CATEGORIES: Final = (
    *("rag", "reranking", "citations", "long_document_qa", "summarization", "in_context_learning", "synthetic_recall"),
)
RECALL: Final = frozenset(("json_kv", "niah_multikey_2", "niah_multikey_3", "niah_multivalue"))
NOTES: Final = ("A category is the plain mean of its datasets; overall is the mean of the seven.",)
CITATIONS: Final = "citations"
_JUDGED: Final = frozenset(
    f"citations{part}{kind}" for part in ("", "/recall", "/precision") for kind in ("", "/paper")
)
# As `citations.parts` names them.
PARTS: Final = ("correctness", "citation recall", "citation precision")


def helmet(rows: Sequence[RowScore]) -> Summary | None:
    """The summary of the rows of HELMET's tasks that count in its score; None without any."""
    held = [row for row in rows if row.task in CATEGORIES and (row.task != "synthetic_recall" or row.variant in RECALL)]
    return summary("helmet", held, _categories(held), (*NOTES, *_judges(held))) if held else None


def _categories(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    category, dataset = Level(lambda row: row.task), Level(lambda row: row.variant)
    for bucket, part in by_bucket(rows).items():
        tasks = by(part, lambda row: row.task)
        if len(tasks) == len(CATEGORIES):
            yield Wanted(f"overall {bucket}", {"bucket": bucket}, shares(part, category, dataset), is_headline=True)
        for task, own in tasks.items():
            keys = {"task": task, "bucket": bucket}
            yield Wanted(f"{task} {bucket}", keys, shares(own, dataset), is_headline=True)
            for variant, few in by(own, lambda row: row.variant).items():
                of_variant = {**keys, "variant": variant}
                yield Wanted(f"{task} / {variant} {bucket}", of_variant, shares(few))
                for name in PARTS if task == CITATIONS and any(row.classes for row in few) else ():
                    units = shares(few, value=_part(name))
                    yield Wanted(f"{task} / {variant} {bucket}: {name}", {**of_variant, "part": name}, units)


def _part(name: str) -> Callable[[RowScore], float]:
    return lambda row: row.classes.get(name, 0.0)


def _judges(rows: Sequence[RowScore]) -> Iterator[str]:
    """By which judge citations were scored: what its metric's name holds behind the "@", else the lexical one."""
    names = sorted({row.metric for row in rows if row.task == CITATIONS})
    judges = [name.partition("@")[2] or "the lexical judge" for name in names if name.partition("@")[0] in _JUDGED]
    if judges:
        yield f"Whether a passage supports a statement was judged by {', '.join(dict.fromkeys(judges))}."
