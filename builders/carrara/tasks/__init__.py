"""The table of tasks, written by hand; a test compares it with the modules of the folder in both directions."""

from collections.abc import Mapping
from typing import Any

from carrara.task import Task
from carrara.tasks.helmet import citations, rag, reranking, summarization
from carrara.tasks.michelangelo import idk, latent_list, mrcr
from carrara.tasks.needlebench import ancestral_trace, multi_needle, needle_reasoning, single_needle
from carrara.tasks.verbatimeval import entity_grouping, numeric_sorting, sentence_arrangement

TASKS: Mapping[str, Task[Any, Any]] = {
    task.name: task
    for task in (
        latent_list.TASK,
        idk.TASK,
        mrcr.TASK,
        single_needle.TASK,
        multi_needle.TASK,
        needle_reasoning.TASK,
        ancestral_trace.TASK,
        numeric_sorting.TASK,
        entity_grouping.TASK,
        sentence_arrangement.TASK,
        rag.TASK,
        reranking.TASK,
        citations.TASK,
        summarization.TASK,
    )
}
