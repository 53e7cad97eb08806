"""Damaged drafts, written once for all tasks (TASKS section 0): `solve` or `audit` must object to every one.

A mutant shifts the spans behind its edit, so that it is found out by what it says and not by a span gone astray.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from edits import edited
from mutants_ancestral import ANCESTRAL
from mutants_citations import CITATIONS, UNSEEN_CITATIONS
from mutants_entities import ENTITIES
from mutants_icl import ICL, UNSEEN_ICL
from mutants_idk import IDK_MUTANTS
from mutants_long_document_qa import LONG_DOCUMENTS, UNSEEN_LONG_DOCUMENTS
from mutants_mrcr import MRCR
from mutants_needle_reasoning import REASONING
from mutants_rag import RAG, UNSEEN_RAG
from mutants_recall_needles import RECALL_NEEDLES
from mutants_recall_questions import RECALL_QUESTIONS, UNSEEN_RECALL_QUESTIONS
from mutants_recall_words import RECALL_WORDS
from mutants_reranking import RERANKING, UNSEEN_RERANKING
from mutants_sentences import SENTENCES, UNSEEN_SENTENCES
from mutants_summarization import SUMMARIZATION

from carrara.task import Draft

Mutant = Callable[[Draft, Draft], Iterator[Draft]]


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each piece of evidence is taken out, and its span points at what came to stand there."""
    for start, end in draft.evidence:
        yield edited(draft, start, end + 1, "")


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A needle stands a second time, with another name."""
    for (start, end), answer in zip(draft.evidence, draft.answers, strict=True):
        sentence = draft.prompt[start:end].replace(answer, other.answers[0])
        yield edited(draft, end, end, f" {sentence}")


def gold_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The answer stands in a filler sentence too."""
    middle = draft.prompt.index("\n\n", len(draft.prompt) // 3)
    yield edited(draft, middle, middle, f" {draft.answers[0]}")


def filler_made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A filler sentence becomes a second statement about what is asked."""
    sentence = draft.facts["reference"][0].replace(draft.answers[0], other.answers[-1])
    middle = draft.prompt.index("\n\n", len(draft.prompt) // 3)
    yield edited(draft, middle, middle, f" {sentence}")


def gold_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The recorded gold is that of another item."""
    if sorted(other.answers) != sorted(draft.answers):
        yield replace(draft, answers=other.answers)


def answers_reordered(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The ordinal is shifted: the answers stand for other questions."""
    if len(draft.answers) > 1:
        yield replace(draft, answers=(*draft.answers[1:], draft.answers[0]))


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The text around the filler, and so the question, is another item's."""
    ours, theirs = _tail(draft.prompt), _tail(other.prompt)
    if ours != theirs and other.answers != draft.answers:
        yield edited(draft, len(draft.prompt) - len(ours), len(draft.prompt), theirs)


def _tail(prompt: str) -> str:
    return prompt[prompt.rindex("[The text ends]" if "[The text ends]" in prompt else "【正文结束】") :]


_OPERATION = re.compile(r"a\.(append|insert|pop|remove|sort|reverse)\(([^)]*)\)")


def operation_dropped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each relevant list operation is left out."""
    for start, end in draft.evidence:
        yield edited(draft, start, end + 1, "")


def operation_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each relevant operation becomes another one."""
    for start, end in draft.evidence:
        line = draft.prompt[start:end]
        match = _OPERATION.search(line)
        assert match, line
        for changed in ("a.append(3999)", "a.insert(0, -3999)", "a.reverse()"):
            if changed != match[0]:
                yield edited(draft, start, end, line.replace(match[0], changed))


def operation_added(draft: Draft, other: Draft) -> Iterator[Draft]:
    """One more operation that changes the list, after the last relevant one."""
    end = draft.evidence[-1][1]
    line = draft.prompt[draft.evidence[-1][0] : end]
    match = _OPERATION.search(line)
    assert match, line
    for added in ("a.append(3999)", "a.insert(0, -3999)"):
        yield edited(draft, end, end, "\n" + line.replace(match[0], added))


def cancelling_block_broken(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Filler is made relevant: a line of a block that cancels itself is lost."""
    middle = len(draft.prompt) // 3
    for match in re.finditer(r">> a\.pop\((0|)\)\n", draft.prompt[middle:]):
        start, end = middle + match.start(), middle + match.end()
        if not any(a < end and start < b for a, b in draft.evidence):
            yield edited(draft, start, end, "")
            return


def numbers_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two numbers of the gold change places."""
    numbers = draft.answers[0].split(", ")
    numbers[3], numbers[7] = numbers[7], numbers[3]
    yield replace(draft, answers=(", ".join(numbers),))


def number_dropped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A number is missing: in the list, and in the gold."""
    ((start, end),) = draft.evidence
    numbers = draft.prompt[start:end].split(", ")
    yield edited(draft, start, end, ", ".join(numbers[:4] + numbers[5:]))
    gold = draft.answers[0].split(", ")
    yield replace(draft, answers=(", ".join(gold[:-1]),))


def number_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A number stands twice: in the list, in the gold, in both."""
    ((start, end),) = draft.evidence
    numbers = draft.prompt[start:end].split(", ")
    doubled = edited(draft, start, end, ", ".join([*numbers[:5], numbers[4], *numbers[5:]]))
    gold = draft.answers[0].split(", ")
    at = gold.index(numbers[4])
    both = ", ".join([*gold[:at], numbers[4], *gold[at:]])
    yield doubled
    yield replace(draft, answers=(both,))
    yield replace(doubled, answers=(both,))


_NEEDLES: tuple[Mutant, ...] = (
    evidence_removed,
    evidence_doubled,
    gold_in_filler,
    filler_made_relevant,
    gold_exchanged,
    answers_reordered,
    question_of_another,
)
# Of a task of several kinds, by variant.
_RECALL: dict[str, tuple[Mutant, ...]] = {
    **RECALL_NEEDLES,
    **dict.fromkeys(("qa_squad", "qa_hotpotqa", "qa_world"), RECALL_QUESTIONS),
    **RECALL_WORDS,
}
# Which mutants a task must object to; a test holds that every task is here.
MUTANTS: dict[str, tuple[Mutant, ...] | dict[str, tuple[Mutant, ...]]] = {
    "single_needle": _NEEDLES,
    "multi_needle": _NEEDLES,
    "idk": (*IDK_MUTANTS, gold_exchanged),
    "needle_reasoning": (evidence_removed, gold_in_filler, gold_exchanged, question_of_another, *REASONING),
    "latent_list": (operation_dropped, operation_changed, operation_added, cancelling_block_broken, gold_exchanged),
    "ancestral_trace": ANCESTRAL,
    "mrcr": MRCR,
    "numeric_sorting": (numbers_swapped, number_dropped, number_doubled, gold_exchanged),
    "entity_grouping": (*ENTITIES, gold_exchanged),
    "sentence_arrangement": (*SENTENCES, gold_exchanged),
    "rag": RAG,
    "reranking": RERANKING,
    "citations": CITATIONS,
    "long_document_qa": LONG_DOCUMENTS,
    "summarization": SUMMARIZATION,
    "in_context_learning": ICL,
    "synthetic_recall": _RECALL,
}
# Those that nobody can notice where the gold is of an outside corpus.
UNSEEN: frozenset[Mutant] = frozenset(
    (
        *(*UNSEEN_SENTENCES, *UNSEEN_RAG, *UNSEEN_RERANKING, *UNSEEN_CITATIONS),
        *(*UNSEEN_LONG_DOCUMENTS, *UNSEEN_ICL, *UNSEEN_RECALL_QUESTIONS),
    )
)


def mutants_of(task: str, variant: str) -> tuple[Mutant, ...]:
    """The mutants that a variant of a task must object to."""
    found = MUTANTS[task]
    return found[variant] if isinstance(found, dict) else found
