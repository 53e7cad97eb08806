"""Citations: answer a question that has several answers, and cite a passage for each (HELMET; ALCE, arXiv:2305.14627).

The best passages of a search stand in its order, numbered; none is added or removed. An answer counts if it can be
found in the passages: `facts.evidence_inside`.

Differs from the paper: wording is ours. The passages fill the prompt to the token. The gold is a whole response with
citations, in plain sentences; for the invented world, a solver writes the same response from the prompt alone. There a
reading of an ambiguous question is inside only if the passages also identify its person (the essayist of that name).
Must not change: what a plan draws, which ranks a length takes, what supports an answer.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from carrara.errors import ProofError
from carrara.stream import Stream
from carrara.tables import Passage
from carrara.task import Budget, Draft, Inputs, Item, Query, Search, Slot, Task, Variant
from carrara.tasks.helmet.citations.checks import audit, guesses
from carrara.tasks.helmet.citations.prompt import (
    ANSWER_PREFIX,
    ANSWERED,
    ASK,
    EXAMPLE,
    EXAMPLES,
    INSTRUCTION,
    NUMBER,
    QUESTION,
    TASK_HEADING,
    TITLED,
    UNTITLED,
    AnswerKind,
    StatedAnswer,
    answered,
    response,
)
from carrara.tasks.helmet.citations.solver import solve
from carrara.tasks.helmet.passages import BlockForm, PassageListing, PassageSupply, excerpt, fit, holds, is_sound

_OUTPUT: Final = 512
# The output over its gold, in hundredths: more than the required margin.
_MARGIN: Final = 106
# Answers of a worked example: at most, and at least.
_SHOWN: Final = 3
_FEWEST: Final = 2


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: the number of worked examples."""

    shots: Literal[0, 2] = 2


@dataclass(frozen=True, slots=True)
class Plan:
    """The item's place in the frozen run, its question, how it is answered, and the numbers of its worked examples."""

    variant: str
    item: int
    question_id: str
    question: str
    kind: AnswerKind
    answers: int
    demonstrations: tuple[int, ...]


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's question and worked examples. Raises ValueError if the run lacks either."""
    retrieved = inputs.retrieved(item.task, item.variant)
    if item.index >= len(retrieved.queries):
        raise ValueError(f"the run holds {len(retrieved.queries)} questions, the recipe asks for item {item.index}")
    query = retrieved.queries[item.index]
    kind = _kind(item.variant, query)
    order = stream.child(item.index).child("demonstrations")
    return Plan(
        variant=item.variant,
        item=item.index,
        question_id=query.question.id,
        question=query.question.text,
        kind=kind,
        answers=len(query.question.answers),
        demonstrations=_examples(query, kind, item.variant, retrieved.demonstrations, params.shots, order),
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The best passages that fill the slot's length. Raises ProofError if no answer can be found in them."""
    retrieved = inputs.retrieved(slot.item.task, plan.variant)
    query = retrieved.queries[plan.item]
    head = _head(plan.demonstrations, retrieved.demonstrations, plan)
    tail = QUESTION.format(question=plan.question) + ASK[plan.kind]
    form = BlockForm(_block, number=lambda index: NUMBER.format(number=index + 1))
    # A question whose answer ranks late in the smallest prompt must not lose it to the exact fit.
    kept = {passage.id for passage in query.gold}
    supply = PassageSupply(lambda count: retrieved.ranked(plan.item, count), form, budget, kept=kept)
    output = _OUTPUT
    while True:
        laid = fit(head, tail, supply, (), lambda taken, placed: taken, slot.length - output, budget)
        answers = answered(query.question, laid.passages, plan.kind, _is_world(plan.variant))
        if not any(answer.inside for answer in answers):
            raise ProofError(
                f"question {plan.question_id} has no answer in the best {len(laid.passages)} passages",
                "drop the question, or use a larger bucket",
            )
        gold = response(query.question, answers, laid.passages, plan.kind)
        wanted = -(-_MARGIN * budget.count(gold) // 100)
        if wanted <= output:
            return _draft(plan, query, laid, answers, gold, output)
        # A list of dozens of answers needs a larger output. Fewer passages do not contain more answers.
        output = wanted


def _draft(
    plan: Plan, query: Query, laid: PassageListing, answers: Sequence[StatedAnswer], gold: str, output: int
) -> Draft:
    """The row; its evidence is the passages that the gold cites."""
    cited = sorted({answer.support[0] - 1 for answer in answers if answer.inside})
    return Draft(
        prompt=laid.prompt,
        answers=(gold,),
        complexity=sum(answer.inside for answer in answers),
        max_output_tokens=output,
        depths=tuple(laid.depths[index] for index in cited),
        evidence=tuple(laid.spans[index] for index in cited),
        facts={
            "question": plan.question,
            "question_id": plan.question_id,
            "accepted": list(dict.fromkeys(name for answer in answers for name in answer.names)),
            "kind": plan.kind,
            "answers": [list(answer.names) for answer in answers],
            "support": [list(answer.support) for answer in answers],
            "evidence_inside": [answer.inside for answer in answers],
            "passages": len(laid.passages),
            "body": list(laid.body),
        },
    )


def _is_world(variant: str) -> bool:
    return variant.startswith("world")


def _kind(variant: str, query: Query) -> AnswerKind:
    if variant == "own":
        return "statements" if query.question.readings else "items"
    return "statements" if variant in ("asqa", "world_readings") else "items"


def _block(passage: Passage) -> str:
    return TITLED.format(title=passage.title or UNTITLED, text=passage.text)


# --- worked examples --------------------------------------------------------------------------------------------------


def _examples(
    query: Query, kind: AnswerKind, variant: str, pool: Sequence[Query], shots: int, order: Stream
) -> tuple[int, ...]:
    """The first demonstrations, in a keyed order, that can be shown and do not contain the item's answers."""
    names = [name for group in query.question.answers for name in group]
    chosen: list[int] = []
    used: set[str] = set()
    for number in order.order(len(pool)).tolist():
        if len(chosen) == shots:
            break
        if pool[number].question.text == query.question.text or _kind(variant, pool[number]) != kind:
            continue
        shown, answer = _shown(number, pool, kind, variant)
        fair = not holds("\n".join([_problem(pool[number], shown), answer]), names)
        if answer and fair and not any(passage.id in used for passage in shown):
            chosen.append(number)
            used |= {passage.id for passage in shown}
    if len(chosen) < shots:
        raise ValueError(
            f"{len(chosen)} of {len(pool)} demonstrations can be shown with question {query.question.id}; "
            f"expected {shots}, each with passages for {_FEWEST} of its answers"
        )
    return tuple(chosen)


def _shown(number: int, pool: Sequence[Query], kind: AnswerKind, variant: str) -> tuple[list[Passage], str]:
    """Short passages for a few answers, one passage that answers nothing, and the ideal response.

    Both are empty if there are too few answers.
    """
    question, is_world = pool[number].question, _is_world(variant)
    passages = [passage for passage in pool[number].gold if is_sound(passage)]
    stated = answered(question, passages, kind, is_world)
    chosen: list[Passage] = []
    for statement in [statement for statement in stated if statement.support][:_SHOWN]:
        passage = excerpt(passages[statement.support[0] - 1], question.evidence, statement.names)
        if passage.id not in {kept.id for kept in chosen}:
            chosen.append(passage)
    if foreign := _foreign(number, pool, {passage.id for passage in passages}):
        # At a varying position, so that it is neither always first nor always last.
        chosen.insert(number % (len(chosen) + 1), foreign)
    # Each reading counts as identified here: so little is shown.
    answers = [
        StatedAnswer(statement.names, statement.support, bool(statement.support), statement.subject)
        for statement in answered(question, chosen, kind, is_world)
    ]
    if sum(statement.inside for statement in answers) < _FEWEST:
        return [], ""
    return chosen, response(question, answers, chosen, kind)


def _foreign(number: int, pool: Sequence[Query], own: Collection[str]) -> Passage | None:
    """A best passage of one of the next questions that contains no answer of this one."""
    names = [name for group in pool[number].question.answers for name in group]
    for other in (*pool[number + 1 :], *pool[:number]):
        for passage in other.gold[:1]:
            if passage.id not in own and is_sound(passage) and not holds(f"{passage.title}\n{passage.text}", names):
                return excerpt(passage, other.question.evidence)
    return None


def _problem(query: Query, shown: Sequence[Passage]) -> str:
    blocks = [NUMBER.format(number=number) + _block(passage) for number, passage in enumerate(shown, 1)]
    return "".join([*blocks, QUESTION.format(question=query.question.text)])


def _head(examples: Sequence[int], pool: Sequence[Query], plan: Plan) -> str:
    parts = [INSTRUCTION[plan.kind]]
    if examples:
        parts.append(EXAMPLES)
    for number, example in enumerate(examples, 1):
        shown, answer = _shown(example, pool, plan.kind, plan.variant)
        parts += [EXAMPLE.format(number=number), _problem(pool[example], shown), ANSWERED.format(response=answer)]
    return "".join([*parts, TASK_HEADING])


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise, for questions of either kind."""
    examples = {"examples": EXAMPLES, "example": EXAMPLE, "problem": TASK_HEADING} if params.shots else {}
    introduction = {f"introduction_{kind}": text for kind, text in INSTRUCTION.items()}
    request = {f"request_{kind}": text for kind, text in ASK.items()}
    return {**introduction, **request, **examples, "question": QUESTION}


TASK = Task(
    name="citations",
    benchmark="helmet",
    paper="HELMET (arXiv:2410.02694), section 2.2; ALCE (arXiv:2305.14627)",
    asks="Answer a question that has several answers from a long list of passages, and cite a passage for each.",
    facts={
        "question": "the question",
        "question_id": "its id in the source",
        "accepted": "the names of all answers",
        "kind": "items: several answers; statements: one for each reading of the question",
        "answers": "the names of each answer",
        "support": "the numbers of the passages that state each answer, from 1",
        "evidence_inside": "of each answer, whether a passage of the prompt states it",
        "passages": "passages in the prompt",
        "body": "the code points of the prompt that they take: [start, end]",
    },
    metrics=("citations", "citations/paper", "citations/recall/paper", "citations/precision/paper"),
    sources=("world", "asqa", "qampari", "own"),
    # People gave the answers to real questions.
    variants={
        "asqa": Variant(source="asqa", solvable=False, search=Search(corpus="wikipedia_passages")),
        "qampari": Variant(source="qampari", solvable=False, search=Search(corpus="wikipedia_passages")),
        "world_readings": Variant(source="world", search=Search("ambiguous")),
        "world_list": Variant(source="world", search=Search("list")),
        "own": Variant(source="own", solvable=False, search=Search()),
    },
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    guesses=guesses,
    view=lambda draft: str(draft.facts["kind"]),
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
