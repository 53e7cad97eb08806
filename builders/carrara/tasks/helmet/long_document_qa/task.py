"""Questions on long documents (HELMET, arXiv:2410.02694): novels and scripts, and the invented world's chronicles.

`narrativeqa`, `infbench_qa` and `infbench_choice` show a document from its beginning, cut at a sentence; the answering
passage may be cut off, as in the paper. A row never uses a shorter document (BudgetError), so items with the longest
documents come first: `documents.py`; with `short = "whole"`, as in the paper, it shows a shorter one whole.

`world`, `world_choice` (chronicles) and `world_meeting` (minutes of a council) show a part of a document. Over the
items, the depth of the answering sentence is spread evenly. A smaller row's part lies within a larger one's except for
its last units. The questions ask for a name, a sum or a date (39 kinds of question on chronicles, 5 on minutes).

Differs from the paper: wording is ours; the evidence for the world's questions is always in the text; a demonstration
is a question with its answer, about a document of no item, without the document. Must not change: what a plan draws,
which questions are asked and in which order, where a row begins.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from carrara.errors import BudgetError, SourceError
from carrara.stream import Stream
from carrara.tables import Document, DocumentQuestion, Tables
from carrara.task import Budget, Draft, Finding, Inputs, Item, Key, Slot, Task, Variant
from carrara.tasks.helmet.documents import (
    QuestionPlace,
    Short,
    ShownDocument,
    deal,
    opening,
    refuse_whole,
    show,
    unlike,
)
from carrara.tasks.helmet.long_document_qa.checks import audit_row, guesses
from carrara.tasks.helmet.long_document_qa.prompt import (
    ANSWER_PREFIX,
    ASK,
    END,
    EXAMPLE,
    EXAMPLES,
    INTRODUCTION,
    LETTERS,
    OPTION,
    PLACEHOLDER,
    QUESTION,
    TAIL,
    TEXT,
    DocumentForm,
    LongDocumentKind,
    window,
)
from carrara.tasks.helmet.long_document_qa.solver import solve_world
from carrara.tasks.helmet.long_document_qa.world import (
    HORIZON,
    ITEMS_A_DOCUMENT,
    WRONG,
    demonstrations,
    forms,
    question_of,
    wrong_options,
)

FORMS: Final[Mapping[str, DocumentForm]] = {
    "narrativeqa": "story",
    "infbench_qa": "story",
    "infbench_choice": "story_choice",
    "world": "chronicle",
    "world_choice": "chronicle_choice",
    "world_meeting": "meeting",
}
OUTPUT: Final = {"narrativeqa": 128, "infbench_choice": 32, "world_choice": 32}
_OUTPUT: Final = 64
_CHOICE: Final = ("choice", "choice/paper")
_NAMED: Final = ("subem", "rouge_l")
_MARGIN: Final = 1.05
KINDS: Final[Mapping[DocumentForm, LongDocumentKind]] = {
    "chronicle": "chronicle",
    "chronicle_choice": "chronicle",
    "meeting": "meeting",
}
# Tokens by which the count of a whole prompt may exceed that of its parts.
_SLACK: Final = 16


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set: demonstrations, and what becomes of a document that is shorter than its row."""

    shots: Literal[0, 2] = 2
    short: Short = "refused"

    def __post_init__(self) -> None:
        if self.shots not in (0, 2):
            raise ValueError(f"shots = {self.shots}: expected 0 or 2")


@dataclass(frozen=True, slots=True)
class Plan:
    """The document, the question, and the position of the right option.

    Of a real document `question` is the question's id and `demonstrations` are numbers of documents and questions; of
    the world's, keys order the questions of chapter or item `unit` and the demonstrations. `right`: the number of the
    right option, -1 without.
    """

    document: int
    question: str
    unit: int
    depth: float
    right: int
    shots: int
    demonstrations: tuple[QuestionPlace, ...]
    keys: Key


@dataclass(frozen=True, slots=True)
class WholeQuestionPlan(Plan):
    """A plan whose document is shown whole where it is shorter than its row."""

    short: Literal["whole"]


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's document and question. Raises SourceError if a real source has no more questions."""
    form, own = FORMS[item.variant], stream.child(item.index)
    if (kind := KINDS.get(form)) is not None:
        refuse_whole(params.short)
        depth = stream.child("depths").even(item.index)
        places = stream.child("right")
        return Plan(
            document=2 * (item.index // ITEMS_A_DOCUMENT) + (form == "chronicle_choice"),
            question="",
            unit=round(depth * HORIZON[kind]),
            depth=depth,
            right=places.balanced(range(WRONG + 1), item.index) if form == "chronicle_choice" else -1,
            shots=params.shots,
            demonstrations=(),
            keys=own.key,
        )
    dealt = deal(inputs.tables, stream, partial(_asked, form == "story_choice"), params.short)
    if item.index >= len(dealt.items):
        raise SourceError(
            f"the source has {len(dealt.items)} questions for {item.variant}; item {item.index} is asked for",
            "ask for fewer questions",
        )
    position = dealt.items[item.index]
    asked = _question(inputs.tables, position)
    options = len(asked.options)
    taken: dict[QuestionPlace, DocumentQuestion] = {}
    for number in own.child("demonstrations").order(len(dealt.demonstrations)).tolist():
        other = dealt.demonstrations[number]
        candidate = _question(inputs.tables, other)
        if other[0] in {document for document, _ in taken} or not unlike(candidate, [asked, *taken.values()]):
            continue
        if len(taken) < params.shots:
            taken[other] = candidate
    if len(taken) < params.shots:
        raise SourceError(
            f"{len(taken)} demonstrations are unlike {asked.id}, expected at least {params.shots}",
            "use a source with more documents, or set shots = 0",
        )
    planned: Callable[..., Plan] = partial(WholeQuestionPlan, short="whole") if params.short == "whole" else Plan
    return planned(
        document=position[0],
        question=asked.id,
        unit=0,
        depth=0.0,
        right=stream.child("right", options).balanced(range(options), item.index) if options else -1,
        shots=params.shots,
        demonstrations=tuple(taken),
        keys=own.key,
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The question and as much of its document as fits.

    Raises BudgetError if the document is shorter than the row and not to be shown whole.
    """
    form, tables = FORMS[slot.item.variant], inputs.tables
    if (kind := KINDS.get(form)) is not None:
        return _of_world(plan, slot, kind, tables, budget)
    document = tables.document("en", "", plan.document, 0)
    (question,) = (candidate for candidate in document.questions if candidate.id == plan.question)
    shown = [_question(tables, demonstration) for demonstration in plan.demonstrations]
    options = _ordered(question.options, question.answers[0], plan) if question.options else ()
    answers = (LETTERS[plan.right],) if options else question.answers
    output = _output(slot, answers, budget)
    head, tail = _head(form, shown), _tail(form, question.text, options)
    sentences, costs = opening(document, slot.length, budget)
    short: Short = "whole" if isinstance(plan, WholeQuestionPlan) else "refused"
    cut = show(head, sentences, tail, slot.length - output, budget, costs, short)
    return _draft(plan, slot, cut, head, question, options, answers, output, document.id)


def solve(prompt: str) -> tuple[str, ...]:
    """The answer to a question of the world in every accepted form; () unless the text gives exactly one."""
    return solve_world(prompt)


def audit(draft: Draft) -> Iterator[Finding]:
    """Check the frame, that question and options are well-formed, and that the world's evidence states the answer."""
    yield from audit_row(draft)


# --- real documents ---------------------------------------------------------------------------------------------------


def _asked(choice: bool, document: Document) -> tuple[int, ...]:
    """The numbers of a document's questions with options, or of those without."""
    return tuple(number for number, question in enumerate(document.questions) if bool(question.options) == choice)


def _question(tables: Tables, position: QuestionPlace) -> DocumentQuestion:
    return tables.document("en", "", position[0], 0).questions[position[1]]


# --- the world --------------------------------------------------------------------------------------------------------


def _of_world(plan: Plan, slot: Slot, kind: LongDocumentKind, tables: Tables, budget: Budget) -> Draft:
    form, own = FORMS[slot.item.variant], Stream(*plan.keys)
    unit, question = question_of(tables, form, kind, plan.document, plan.unit, own.child("questions"))
    answer = question.answers[0]
    options: tuple[str, ...] = ()
    if form == "chronicle_choice":
        wrong = wrong_options(tables, plan.document, unit, question, own.child("wrong"))
        options = _ordered((answer, *wrong), answer, plan)
    answers = (LETTERS[plan.right],) if options else tuple(forms(answer))
    shown = demonstrations(tables, form, kind, plan.shots, question, own.child("demonstrations"))
    output = _output(slot, answers, budget)
    wanted = slot.length - output
    head, tail = _head(form, shown), _tail(form, question.text, options)
    room = wanted - budget.count(head) - budget.count(tail) - _SLACK
    if room < 1:
        raise BudgetError(f"the fixed text leaves no room in {wanted} tokens", "use a larger bucket, or shots = 0")
    part = window(tables, kind, plan.document, question, unit, plan.depth, room, budget)
    cut = show(head, part.pieces, tail, wanted, budget, part.costs)
    if part.evidence >= len(cut.spans):
        raise BudgetError(f"the evidence does not fit in {wanted} tokens", "use a larger bucket, or shots = 0")
    end = cut.spans[part.evidence][0] + len(part.pieces[part.evidence].rstrip())
    depth = round(part.before / cut.filler_tokens, 6)
    at = ((end - len(part.sentence), end), depth)
    name = f"{kind}-{plan.document}"
    return _draft(plan, slot, cut, head, question, options, answers, output, name, at)


# --- frame ------------------------------------------------------------------------------------------------------------


def _ordered(options: Sequence[str], right: str, plan: Plan) -> tuple[str, ...]:
    """The options in a keyed order, the right one at its planned place."""
    order = Stream(*plan.keys, "options")
    wrong = sorted((option for option in options if option != right), key=lambda text: order.child(text).word())
    return (*wrong[: plan.right], right, *wrong[plan.right :])


def _listed(options: Sequence[str]) -> str:
    return "".join(OPTION.format(letter=letter, text=text) for letter, text in zip(LETTERS, options, strict=False))


def _head(form: DocumentForm, shown: Sequence[DocumentQuestion]) -> str:
    examples = [
        EXAMPLE.format(
            number=number,
            placeholder=PLACEHOLDER[form],
            question=question.text,
            options=_listed(question.options) if form.endswith("_choice") else "",
            answer=LETTERS[question.options.index(question.answers[0])]
            if form.endswith("_choice")
            else question.answers[0],
        )
        for number, question in enumerate(shown, 1)
    ]
    return "".join((INTRODUCTION[form], EXAMPLES if examples else "", *examples, TEXT))


def _tail(form: DocumentForm, question: str, options: Sequence[str]) -> str:
    return TAIL.format(question=question, options=_listed(options), ask=ASK[form])


def _output(slot: Slot, answers: Sequence[str], budget: Budget) -> int:
    """Tokens of the answer: the variant's, or what the gold needs."""
    return max(OUTPUT.get(slot.item.variant, _OUTPUT), int(_MARGIN * budget.count(f"{ANSWER_PREFIX} {answers[0]}")) + 2)


def _draft(
    plan: Plan,
    slot: Slot,
    cut: ShownDocument,
    head: str,
    question: DocumentQuestion,
    options: tuple[str, ...],
    answers: tuple[str, ...],
    output: int,
    document: str,
    at: tuple[tuple[int, int], float] | None = None,
) -> Draft:
    facts: dict[str, object] = {
        "form": FORMS[slot.item.variant],
        "document": document,
        "question_id": question.id,
        "question": question.text,
        "options": list(options),
        "body": [len(head), cut.spans[-1][1]],
    }
    if at is not None:
        facts |= {"kind": question.kind, "depth": plan.depth, "evidence_inside": True}
    return Draft(
        prompt=cut.prompt,
        answers=answers,
        complexity=1 if at else 0,
        max_output_tokens=output,
        choices=options,
        depths=(at[1],) if at else (),
        evidence=(at[0],) if at else (),
        facts=facts,
        next_unit=cut.next_unit,
    )


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise; examples and problem share the question's."""
    form = FORMS[variant]
    return {
        "introduction": INTRODUCTION[form],
        **({"examples": EXAMPLES} if params.shots else {}),
        "begin": TEXT,
        "end": END,
        "question": QUESTION,
        "request": ASK[form],
    }


TASK = Task(
    name="long_document_qa",
    benchmark="helmet",
    paper="HELMET (arXiv:2410.02694), long-document question answering",
    asks="Answer a question on a book, a script, a chronicle or the minutes of meetings, openly or among options.",
    facts={
        "form": "the kind of document and question, such as chronicle_choice",
        "document": "the document's id in the source",
        "question_id": "the question's id in the source",
        "question": "the question",
        "options": "the options in the order of their letters; empty where the question is open",
        "body": "the code points of the prompt that the document takes: [start, end]",
        "kind": "world: what is asked about",
        "depth": "world: where the evidence was to stand, from 0 to 1",
        "evidence_inside": "world: that the evidence is in the part shown",
    },
    metrics=("rouge_l",),
    sources=("world", "narrativeqa", "infbench_qa", "infbench_choice"),
    variants={
        "narrativeqa": Variant(source="narrativeqa", metrics=("judge/qa", "rouge_l"), solvable=False),
        "infbench_qa": Variant(source="infbench_qa", solvable=False),
        "infbench_choice": Variant(source="infbench_choice", metrics=_CHOICE, solvable=False),
        "world": Variant(source="world", metrics=_NAMED),
        "world_choice": Variant(source="world", metrics=_CHOICE),
        "world_meeting": Variant(source="world", metrics=_NAMED),
    },
    params=Params,
    plan_type=Plan | WholeQuestionPlan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    unused=lambda params: None if params.short == "whole" else 0,
    exact=False,
    guesses=guesses,
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
