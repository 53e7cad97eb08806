"""IDK: decide whether a story tells what is asked, among a long run of letters (Michelangelo, arXiv:2409.12640).

A prompt holds a short invented story within capital letters with spaces between them up to the length, and a question
with four choices, of which (D) is always "I don't know". Of every 30 items, 21 ask for something that the story does
not tell (complexity 0) and 9 for something that it tells (complexity 1), three each with A, B and C as the gold.

Differs from the paper: wording and stories are ours. The story contains exactly one of the choices A, B and C: the
value of the attribute if it is stated, otherwise the value that the story gives to another person. So a search for the
choices does not reveal the answer. The letters never spell a word of the choices or a name. Two worked examples, one
of each kind, come in an order drawn by key. The story stands at any depth of the letters (`depth = "top"`: before them,
as the paper has it), and no pronoun fits two persons. Only with `hint = true` does the prompt say when (D) is right.
Must not change: what an item asks, and letter j of its filler; both depend only on the stream and the item's number.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from carrara.context import Assembly, corrected
from carrara.errors import BudgetError, SourceError
from carrara.stream import Stream
from carrara.tables import Story
from carrara.task import Budget, Draft, Finding, Inputs, Item, Key, Slot, Task, Variant
from carrara.tasks.michelangelo.idk.prompt import (
    ALPHABET,
    ANSWER_PREFIX,
    BLANK,
    CHOICE,
    CLOSING,
    INTRODUCTIONS,
    LETTERS,
    QUESTION,
    STORY,
    UNKNOWN,
    draw_letters,
    fitting,
    forbidden_words,
    spaced,
)
from carrara.tasks.michelangelo.idk.solver import StoryBlock, decide, read_prompt

# For each of 30 items: whether the story states the answer, and the position of the contained value among A, B and C.
BLOCK: Final = tuple((stated, position) for position in range(3) for stated in (False,) * 7 + (True,) * 3)
# Stories per item: its own and one for each worked example.
STORIES: Final = 3
EXAMPLE_LETTERS: Final = 60
# Tenths of the letters that stand before a story.
DEPTHS: Final = tuple(range(11))
_FEWEST_LETTERS: Final = 60
_OUTPUT: Final = 32


@dataclass(frozen=True, slots=True)
class Params:
    """What a recipe may set. `hint`: the prompt says when (D) is right, as the paper's does; by default it does not.

    `depth`: "even", stories at ten depths of their letters, as often each; "top", before all letters, as the paper has
    them.
    """

    hint: bool = False
    depth: Literal["even", "top"] = "even"


@dataclass(frozen=True, slots=True)
class StoryProblem:
    """The story, whether it states the answer, and the position of the contained value among A, B and C (0-2).

    The attribute asked for and the two other choices are drawn from `key`.
    """

    story: int
    stated: bool
    place: int
    key: Key


@dataclass(frozen=True, slots=True)
class Plan:
    """The problem, the worked examples, the key of the filler, how many tenths of it stand before the story (None: the
    story stands at the top, and so do the examples'), and whether the prompt says when (D) is right."""

    problem: StoryProblem
    examples: tuple[StoryProblem, StoryProblem]
    filler: Key
    tenths: int | None
    hint: bool

    @property
    def introduction(self) -> str:
        """The first part of the prompt."""
        return INTRODUCTIONS["top" if self.tenths is None else "even", self.hint]


def plan(params: Params, item: Item, inputs: Inputs, stream: Stream) -> Plan:
    """The item's problem and examples, each with a story of its own; shares are exact in every block of 30 items."""
    stated, position = stream.child("stated and place").balanced(BLOCK, item.index)
    first, shown, decoy = stream.child("examples").balanced(
        [(first, shown, decoy) for first in (False, True) for shown in range(3) for decoy in range(3)], item.index
    )
    own = stream.child(item.index)
    start = STORIES * item.index

    def problem(number: int, stated: bool, position: int) -> StoryProblem:
        return StoryProblem(start + number, stated, position, (*own.key, "problem", number))

    answered, unanswered = (True, shown), (False, decoy)
    former, latter = (answered, unanswered) if first else (unanswered, answered)
    return Plan(
        problem=problem(0, stated, position),
        examples=(problem(1, *former), problem(2, *latter)),
        filler=(*own.key, "filler"),
        tenths=stream.child("depth").balanced(DEPTHS, item.index) if params.depth == "even" else None,
        hint=params.hint,
    )


def render(plan: Plan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The examples, the story, letters that fill the slot's length, and the question."""
    asked = _ask(plan.problem, inputs)
    examples = [_ask(problem, inputs) for problem in plan.examples]
    words = forbidden_words(text for choice in (asked, *examples) for text in (*choice.names, *choice.choices))
    stream = Stream(*plan.filler)
    parts = [plan.introduction]
    for number, example in enumerate(examples, 1):
        letters = draw_letters(stream.child("example", number), EXAMPLE_LETTERS, words)
        shown = _among(letters, example.story, plan.tenths)
        parts.append(f"{STORY.format(number=number)}{shown}{BLANK}")
        parts.append(f"{_question(number, example)}\n{ANSWER_PREFIX} {example.gold}{BLANK}")
    head = "".join([*parts, STORY.format(number=3)])
    tail = BLANK + _question(3, asked) + "\n" + CLOSING

    def around(letters: bytes) -> str:
        return head + _among(letters, asked.story, plan.tenths) + tail

    prompt = _filled(around, stream.child("letters"), words, slot.length - _OUTPUT, budget)
    begin = prompt.find(asked.story, len(head))
    start, end = (asked.start, asked.end) if plan.problem.stated else (0, len(asked.story))
    return Draft(
        prompt=prompt,
        answers=(asked.gold,),
        complexity=int(plan.problem.stated),
        max_output_tokens=_OUTPUT,
        choices=asked.choices,
        depths=((plan.tenths or 0) / 10,),
        evidence=((begin + start, begin + end),),
        facts={"kind": asked.kind, "held": asked.held, "names": [list(choice.names) for choice in (asked, *examples)]},
    )


def solve(prompt: str) -> tuple[str, ...]:
    """The letter that the third story gives; () if the prompt is not this task's or a sentence is not understood."""
    reading = read_prompt(prompt)
    answer = decide(reading[2]) if reading else None
    return (answer,) if answer else ()


def audit(draft: Draft) -> Iterator[Finding]:
    """Check that the story holds one choice, of the right person, that examples are right and letters spell no word."""
    reading = read_prompt(draft.prompt)
    if reading is None:
        yield Finding("layout", "the prompt is not two examples, a third story with letters, and its question")
        return
    if reading[2].choices != draft.choices or len({choice.casefold() for choice in draft.choices}) != len(LETTERS):
        yield Finding("choices", f"{list(reading[2].choices)} in the prompt, {list(draft.choices)} recorded")
    if draft.answers not in {(letter,) for letter in LETTERS}:
        yield Finding("gold", f"{draft.answers} is none of the letters")
        return
    gold = draft.answers[0]
    if draft.complexity != int(gold != LETTERS[-1]):
        yield Finding("complexity", f"{draft.complexity} with gold {gold}")
    names, held = draft.facts["names"], draft.facts["held"]
    for number, block, persons in zip((3, 1, 2), (reading[2], *reading[:2]), names, strict=True):
        yield from _asked_of(block, persons, f"problem {number}")
    if not _holds(reading[2].story, held) or held not in draft.choices[: len(LETTERS) - 1]:
        yield Finding("choices", f"{held!r} is not both in the story and a choice")
    letters = (len(reading[2].letters) + 1) // 2
    if [reading[2].before] != [letters * round(10 * depth) // 10 for depth in draft.depths]:
        yield Finding("depth", f"{reading[2].before} of {letters} letters before the story, depths {draft.depths}")
    yield from _evidence(draft, reading[2], held)
    if [decide(block) for block in reading[:2]] != [block.answer for block in reading[:2]]:
        yield Finding("example", f"the examples are answered {[block.answer for block in reading[:2]]}")
    if sorted(block.answer == LETTERS[-1] for block in reading[:2]) != [False, True]:
        yield Finding("example", "not one example with an answer and one without")
    yield from _spelled(reading, names)


def _question(number: int, asked: "_StoryChoice") -> str:
    lines = [QUESTION.format(number=number) + asked.question]
    lines += [CHOICE.format(letter=letter) + text for letter, text in zip(LETTERS, asked.choices, strict=True)]
    return "\n".join(lines)


# --- render -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _StoryChoice:
    """A problem with its text; `held`: the choice that the story holds; [start:end]: its span there if it is stated."""

    story: str
    names: tuple[str, str]
    kind: str
    question: str
    choices: tuple[str, ...]
    gold: str
    held: str
    start: int
    end: int


def _ask(problem: StoryProblem, inputs: Inputs) -> _StoryChoice:
    story: Story = inputs.tables.story(problem.story)
    stream = Stream(*problem.key)
    pool = [
        (attribute, held)
        for attribute in story.attributes
        if (attribute.value is not None) == problem.stated
        and (held := attribute.value or attribute.elsewhere)
        and len(attribute.wrong) >= len(LETTERS) - 2
    ]
    if not pool:
        raise SourceError(
            f"story {problem.story} has nothing to ask that it {'states' if problem.stated else 'says of another'}",
            "take the invented world, or stories with both kinds of attributes",
        )
    attribute, held = stream.child("attribute").choice(pool)
    choices = stream.child("wrong").sample(attribute.wrong, len(LETTERS) - 2)
    choices.insert(problem.place, held)
    return _StoryChoice(
        story=story.text,
        names=story.names,
        kind=attribute.kind,
        question=attribute.question,
        choices=(*choices, UNKNOWN),
        gold=LETTERS[problem.place] if problem.stated else LETTERS[-1],
        held=held,
        start=attribute.start,
        end=attribute.end,
    )


def _among(letters: bytes, story: str, tenths: int | None) -> str:
    """A story with so many tenths of the letters before it, and the others behind."""
    before = len(letters) * (tenths or 0) // 10
    return BLANK.join(part for part in (spaced(letters[:before]), story, spaced(letters[before:])) if part)


def _filled(around: Callable[[bytes], str], stream: Stream, words: tuple[str, ...], wanted: int, budget: Budget) -> str:
    """The prompt around so many letters that it takes `wanted` tokens; it is counted once as proof."""
    costs = budget.count_many([f" {letter}" for letter in ALPHABET])
    fixed = budget.count(around(b""))

    def lay_out(aim: int) -> Assembly:
        # Letters are drawn before they are priced, so the number drawn does not change which letters they are.
        letters = draw_letters(stream.child(), max(0, aim) // int(costs.min()), words)
        number, spent = fitting(letters, costs, aim)
        if number < _FEWEST_LETTERS:
            raise BudgetError(
                f"the stories and questions take {fixed} tokens, which leaves room for {number} letters in {wanted}; "
                f"expected at least {_FEWEST_LETTERS}",
                "use a larger bucket",
            )
        return Assembly(around(letters[:number]), (), (), spent, aim - spent)

    return corrected(lay_out, wanted - fixed, wanted, budget).prompt


# --- audit ------------------------------------------------------------------------------------------------------------


def _holds(story: str, text: str) -> bool:
    """Whether a story contains a text as whole words."""
    return re.search(rf"(?<!\w){re.escape(text.casefold())}(?!\w)", story.casefold()) is not None


def _asked_of(block: StoryBlock, persons: Sequence[str], where: str) -> Iterator[Finding]:
    """Check that the question names the first person, not the second, and that the story contains one of A, B and C."""
    main, companion = persons
    if (
        main not in block.question
        or companion in block.question
        or not (main in block.story and companion in block.story)
    ):
        yield Finding("person", f"{where}: the question {block.question!r} of a story of {main} and {companion}")
    held = [choice for choice in block.choices[:-1] if _holds(block.story, choice)]
    if len(held) != 1:
        yield Finding("choices", f"{where}: the story holds {held}, not one choice alone")


def _evidence(draft: Draft, block: StoryBlock, held: str) -> Iterator[Finding]:
    """Check that the span is the stated value in the story, or the whole story if the value is not stated."""
    spans = [draft.prompt[start:end] for start, end in draft.evidence]
    if draft.complexity:
        right = draft.choices[LETTERS.index(draft.answers[0])]
        inside = all(block.begin <= start < end <= block.begin + len(block.story) for start, end in draft.evidence)
        if not inside or right != held or [span.casefold() for span in spans] != [right.casefold()]:
            yield Finding("evidence", f"the spans hold {spans}, the answer is {right!r}")
    elif list(draft.evidence) != [(block.begin, block.begin + len(block.story))]:
        yield Finding("evidence", f"the spans {list(draft.evidence)} are not the story")


def _spelled(blocks: tuple[StoryBlock, ...], names: list[list[str]]) -> Iterator[Finding]:
    """Check that the letters spell no word of the choices and names."""
    texts = [*(name for pair in names for name in pair), *(choice for block in blocks for choice in block.choices)]
    words = forbidden_words(texts)
    for number, block in enumerate(blocks, 1):
        letters = block.letters[::2]
        for word in words:
            if word in letters:
                yield Finding("spelled", f"the letters after story {number} spell {word}")


def _guesses(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Guess the choice that the story contains, whomever it is said of."""
    held = draft.choices.index(draft.facts["held"])
    return {"the choice that the story holds": (f"{ANSWER_PREFIX} {LETTERS[held]}",)}


def parts(params: Params, variant: str) -> dict[str, str]:
    """The parts of a prompt that a recipe may word otherwise."""
    return {
        "introduction": INTRODUCTIONS[params.depth, params.hint],
        "story": STORY,
        "question": QUESTION,
        "request": CLOSING,
    }


TASK = Task(
    name="idk",
    benchmark="michelangelo",
    paper="Michelangelo (arXiv:2409.12640), section 2.3",
    asks="Does a story tell what is asked, among a long run of letters? Four choices, the last of them: I don't know.",
    facts={
        "kind": "what is asked about, such as gift",
        "held": "the choice that the story holds: of the person asked about, or of another",
        "names": "two people of each story: of the one asked about, then of the two examples",
    },
    metrics=("idk", "choice/paper"),
    sources=("world",),
    variants={"": Variant()},
    params=Params,
    plan_type=Plan,
    plan=plan,
    render=render,
    solve=solve,
    audit=audit,
    # Seven in ten golds are (D).
    balanced=False,
    guesses=_guesses,
    answer_prefix=lambda params, variant: ANSWER_PREFIX,
    parts=parts,
)
