"""The table of tasks, written by hand; a test compares it with the modules of the folder in both directions."""

from collections.abc import Mapping
from typing import Any

from carrara.task import Task
from carrara.tasks.helmet.citations import task as citations
from carrara.tasks.helmet.in_context_learning import task as in_context_learning
from carrara.tasks.helmet.long_document_qa import task as long_document_qa
from carrara.tasks.helmet.rag import task as rag
from carrara.tasks.helmet.reranking import task as reranking
from carrara.tasks.helmet.summarization import task as summarization
from carrara.tasks.helmet.synthetic_recall import task as synthetic_recall
from carrara.tasks.michelangelo.idk import task as idk
from carrara.tasks.michelangelo.latent_list import task as latent_list
from carrara.tasks.michelangelo.mrcr import task as mrcr
from carrara.tasks.needlebench import multi_needle, single_needle
from carrara.tasks.needlebench.ancestral_trace import task as ancestral_trace
from carrara.tasks.needlebench.needle_reasoning import task as needle_reasoning
from carrara.tasks.verbatimeval import numeric_sorting
from carrara.tasks.verbatimeval.entity_grouping import task as entity_grouping
from carrara.tasks.verbatimeval.sentence_arrangement import task as sentence_arrangement

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
        long_document_qa.TASK,
        summarization.TASK,
        in_context_learning.TASK,
        synthetic_recall.TASK,
    )
}
