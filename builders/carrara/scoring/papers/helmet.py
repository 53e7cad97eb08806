"""HELMET (arXiv:2410.02694): seven categories, each the unweighted mean of its datasets, and their mean.

A category is a task, a dataset one of its variants. In each bucket the paper's 21 datasets count (`PAPER`); a category
with none of them uses its datasets of the invented world (`world`, `world_...`). All other variants (`own`, squality,
qmsum, RULER's other tasks, hard ones) are reported but not averaged. Rows of one question, at six positions or in three
orders, are averaged first. A bucket has an overall score only if all seven categories are there.

The parts of the `citations` score are reported beside it. A value that rests on a judge names it behind its
own name, in the means, too. Citation scores are ALCE's only by its model (`ALCE_MODEL`): of others a note says that
they are not. Where no judge was, that is said. The notes name the datasets of each judge, and those that are
missing.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

from carrara.scoring.judge.judge import CITED, IN_PLACE, judge_of, stand_in
from carrara.scoring.papers.summary import Keys, PaperSummary, Wanted, summary
from carrara.scoring.papers.weights import AverageLevel, by, by_bucket, shares
from carrara.scoring.result import RowScore

# The paper's datasets: 4 + 1 + 2 + 3 + 2 + 5 + 4 = 21.
PAPER: Final[dict[str, tuple[str, ...]]] = {
    "rag": ("nq", "triviaqa", "popqa", "hotpotqa"),
    "reranking": ("msmarco",),
    "citations": ("asqa", "qampari"),
    "long_document_qa": ("narrativeqa", "infbench_qa", "infbench_choice"),
    "summarization": ("multilexsum", "infbench_sum"),
    "in_context_learning": ("trec_coarse", "trec_fine", "banking77", "clinc150", "nlu"),
    "synthetic_recall": ("json_kv", "niah_multikey_2", "niah_multikey_3", "niah_multivalue"),
}
CATEGORIES: Final = tuple(PAPER)
RECALL: Final = frozenset(PAPER["synthetic_recall"])
NOTES: Final = ("A category is the plain mean of its datasets; overall is the mean of the seven.",)
CITATIONS: Final = "citations"
# The model that decides for ALCE whether a passage supports a statement (TRUE, arXiv:2204.04991).
ALCE_MODEL: Final = "t5_xxl_true_nli_mixture"
# As `citations.parts` names them.
PARTS: Final = ("correctness", "citation recall", "citation precision")
_MODEL: Final = "judge/"


def helmet(rows: Sequence[RowScore]) -> PaperSummary | None:
    """Return the summary of HELMET's tasks; None if there are no rows of them (RULER's other tasks do not count)."""
    held = [row for row in rows if row.task in PAPER and (row.task != "synthetic_recall" or row.variant in RECALL)]
    if not held:
        return None
    kept = counting(held)
    notes = (*NOTES, *_missing(kept), *_uncounted(held, kept), *_judges(held), *_models(held))
    return summary("helmet", held, [*_categories(kept), *_datasets(held)], notes)


def counting(rows: Iterable[RowScore]) -> list[RowScore]:
    """Return the rows that count in HELMET's score, and all rows of other benchmarks' tasks.

    In each category and bucket these are the rows of the paper's datasets, or else those of the invented world.
    """
    counted: list[RowScore] = []
    for (task, _), part in by(rows, lambda row: (row.task, row.bucket)).items():
        paper = [row for row in part if row.variant in PAPER.get(task, ())]
        counted += part if task not in PAPER else paper or [row for row in part if _of_world(row.variant)]
    return counted


def _of_world(variant: str) -> bool:
    return variant == "world" or variant.startswith("world_")


def _categories(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    category, dataset = AverageLevel(lambda row: row.task), AverageLevel(lambda row: row.variant)
    for bucket, part in by_bucket(rows).items():
        tasks = by(part, lambda row: row.task)
        if len(tasks) == len(CATEGORIES):
            name, keys = _by_judge(f"overall {bucket}", {"bucket": bucket}, part)
            yield Wanted(name, keys, shares(part, category, dataset), is_headline=True)
        for task in (name for name in CATEGORIES if name in tasks):
            name, keys = _by_judge(f"{task} {bucket}", {"task": task, "bucket": bucket}, tasks[task])
            yield Wanted(name, keys, shares(tasks[task], dataset), is_headline=True)


def _datasets(rows: Sequence[RowScore]) -> Iterator[Wanted]:
    for bucket, part in by_bucket(rows).items():
        for (task, variant), few in by(part, lambda row: (row.task, row.variant)).items():
            own = {"task": task, "bucket": bucket, "variant": variant}
            name, keys = _by_judge(f"{task} / {variant} {bucket}", own, few)
            yield Wanted(name, keys, shares(few))
            for part_name in PARTS if task == CITATIONS and any(row.classes for row in few) else ():
                # What is correct asks no judge.
                judged = few if part_name != PARTS[0] else ()
                name, keys = _by_judge(f"{task} / {variant} {bucket}: {part_name}", {**own, "part": part_name}, judged)
                yield Wanted(name, keys, shares(few, value=_part(part_name)))


def _by_judge(name: str, keys: Keys, rows: Iterable[RowScore]) -> tuple[str, Keys]:
    """A value's name and keys, with the judges on whom it rests."""
    judges = sorted({f"{instead}, no model" if (instead := _stand_in(row)) else row.judge for row in rows} - {""})
    if not judges:
        return name, keys
    return f"{name} (judge{'s' * (len(judges) > 1)}: {'; '.join(judges)})", {**keys, "judge": "; ".join(judges)}


def _part(name: str) -> Callable[[RowScore], float]:
    return lambda row: row.classes.get(name, 0.0)


def _missing(rows: Sequence[RowScore]) -> Iterator[str]:
    """The categories, by bucket, with fewer datasets than in the paper or with the invented world."""
    partial = []
    for bucket, part in by_bucket(rows).items():
        for task, own in by(part, lambda row: row.task).items():
            variants = {row.variant for row in own}
            if any(map(_of_world, variants)):
                partial.append(f"{task} {bucket} (world)")
            elif len(variants) < len(PAPER[task]):
                partial.append(f"{task} {bucket} ({len(variants)} of {len(PAPER[task])})")
    if partial:
        yield f"Not of all the paper's datasets: {', '.join(partial)}."


def _uncounted(rows: Sequence[RowScore], kept: Sequence[RowScore]) -> Iterator[str]:
    ids = {row.id for row in kept}
    named = _named(row for row in rows if row.id not in ids)
    if named:
        yield f"Reported, and in no mean: {named}."


def _judges(rows: Sequence[RowScore]) -> Iterator[str]:
    """The judges of citations: the part of the metric's name after the "@", or else the lexical judge."""
    names = {row.metric for row in rows if row.task == CITATIONS and row.metric.partition("@")[0] in CITED}
    judges = sorted(map(judge_of, names))
    if judges:
        yield f"Whether a passage supports a statement was judged by {', '.join(dict.fromkeys(judges))}."
    if any(ALCE_MODEL not in judge for judge in judges):
        yield f"ALCE's citation scores are by {ALCE_MODEL}; these are not, and not to be compared with them."


def _models(rows: Sequence[RowScore]) -> Iterator[str]:
    """The datasets that a model judged, and those scored without one though the paper has one."""
    judged = by((row for row in rows if row.metric.startswith(_MODEL)), lambda row: judge_of(row.metric))
    for judge, part in judged.items():
        yield f"Judged by {judge or 'a model'}: {_named(part)}."
    for instead, part in by(rows, _stand_in).items():
        if instead:
            yield f"No model judged {_named(part)}: scored by {instead}."


def _stand_in(row: RowScore) -> str:
    """What scored a response that in the paper a model judges; "" for a model, and where none does."""
    is_for_model = row.task == "summarization" or row.variant == "narrativeqa" or stand_in(row.reason) != ""
    return IN_PLACE.get(row.metric, "") if is_for_model else ""


def _named(rows: Iterable[RowScore]) -> str:
    return ", ".join(sorted({f"{row.task} / {row.variant}" for row in rows}))
