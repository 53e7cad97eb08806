"""Long document questions: parts of the world's documents, depths, options, demonstrations, the order of real items."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache, partial
from typing import Any

import pytest
from cases import Case, Files, jsonl, material_of
from mutants import edited
from variants import articles, folder, own_sources

from carrara.errors import BudgetError, RecipeError, SourceError
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import Recipe, recipe_from_table
from carrara.scoring import METRICS
from carrara.sources.long_documents import Sentences
from carrara.stream import Stream
from carrara.tables import Document, DocumentQuestion
from carrara.task import Draft, Item, Slot, plan_from_json, plan_json
from carrara.tasks.helmet.long_document_qa import solver as long_document_solver
from carrara.tasks.helmet.long_document_qa import wordings as long_document_wordings
from carrara.tasks.helmet.long_document_qa.prompt import pieces
from carrara.tasks.helmet.long_document_qa.task import TASK, Params
from carrara.tasks.helmet.long_document_qa.world import APART, MINUTES, VALUES
from carrara.world.documents.chronicle.kinds import KINDS
from carrara.world.world import World

NAME = "long_document_qa"
WORLD = ("world", "world_choice", "world_meeting")
REAL = ("narrativeqa", "infbench_qa", "infbench_choice")


def recipe(variant: str, **cell: Any) -> Recipe:
    return recipe_from_table(
        {
            "name": "documents",
            "version": "1.0.0",
            "stream": "documents/1",
            "tokenizer": "o200k_base",
            "buckets": {"4k": 4_096, "8k": 8_192, "32k": 32_768},
            "cell": [{"task": NAME, "variants": [variant], "questions": 6, **cell}],
            "source": own_sources(NAME, variant),
        }
    )


@cache
def maker(variant: str) -> RowMaker:
    return RowMaker(recipe(variant), folder(NAME, variant))


def rows(made: RowMaker, bucket: str = "4k") -> list[dict]:
    (config,) = (one for one in made.recipe.configs() if one.bucket == bucket)
    return [made.make(config, config.slot(item)).row.to_arrow() for item in range(6)]


def draft_of(made: RowMaker, item: int) -> Draft:
    config = made.recipe.configs()[0]
    slot = config.slot(item)
    return config.task.render(made.plan(config, item), slot, made.inputs(config.source), made.budget)


def body(row: dict) -> str:
    return row["prompt"][slice(*json.loads(row["facts"])["body"])]


# --- the world --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", WORLD)
@pytest.mark.repeat
def test_a_smaller_part_lies_within_a_larger_one(variant):
    made = maker(variant)
    for small, middle, large in zip(*(rows(made, bucket) for bucket in ("4k", "8k", "32k")), strict=True):
        for one, other in ((small, middle), (middle, large), (small, large)):
            lines = body(one).split("\n")
            # The last lines are what fits; of minutes an item begins a row, so that its end may lie further on.
            inner = "\n".join(lines[1 : -30 if variant == "world_meeting" else -3])
            assert len(inner) > 4_000 and inner in body(other)


@pytest.mark.parametrize("variant", WORLD)
@pytest.mark.repeat
def test_depths_are_even_and_as_planned(variant):
    made = RowMaker(recipe(variant, questions=40), None)
    (config,) = (one for one in made.recipe.configs() if one.bucket == "32k")
    found = [depth for item in range(24) for depth in made.make(config, config.slot(item)).row.depths]
    slack = 0.04 if variant == "world_meeting" else 0.02
    assert all(abs(depth - (place + 0.5) / 24) < 0.05 + slack for place, depth in enumerate(sorted(found))), found
    for item, depth in enumerate(found):
        assert made.plan(config, item).depth - 0.06 < depth < made.plan(config, item).depth + slack
    assert len(found) == 24


@pytest.mark.parametrize("variant", WORLD)
def test_a_row_begins_where_a_line_does(variant):
    for item in range(6):
        draft = draft_of(maker(variant), item)
        shown = draft.prompt[slice(*draft.facts["body"])]
        first = shown.split("\n")[0]
        if variant == "world_meeting":
            assert re.match(r"(Sitting )?[0-9]+[., ]", first), first
        assert first[0] in "“(" or first[0].isupper() or first[0].isdigit()
        ((start, end),) = draft.evidence
        assert draft.prompt[start - 1] in " \n" and draft.prompt[end - 1] in ".”"
        answer = draft.choices[ord(draft.answers[0]) - 65] if draft.choices else draft.answers[0]
        assert answer in draft.prompt[start:end]


@pytest.mark.repeat
def test_options_are_balanced_alike_and_near():
    made = RowMaker(recipe("world_choice", questions=32), None)
    (config,) = (one for one in made.recipe.configs() if one.bucket == "32k")
    letters: Counter[str] = Counter()
    inside = []
    for item in range(32):
        row = made.make(config, config.slot(item)).row
        letters[row.answers[0]] += 1
        text = row.prompt[slice(*json.loads(row.facts)["body"])]
        inside.append(sum(option in text for option in row.choices))
        words = {len(option.split()) for option in row.choices}
        assert len(row.choices) == 4 and len(words) == 1
        assert not [option for option in row.choices if option in json.loads(row.facts)["question"]]
    assert set(letters.values()) == {8}
    # Of a row of thirteen chapters the text names every option, of nearly all.
    assert sum(inside) > 0.9 * 4 * 32 and inside.count(4) >= 24


@pytest.mark.parametrize("variant", ["world", "world_meeting"])
def test_forms_of_an_answer(variant):
    for row in rows(maker(variant)):
        gold, *others = row["answers"]
        parts = gold.split(" ")
        if parts[-1] == "marks":
            assert int(parts[0].replace(",", "")) > 9 and parts[0] in others
        elif len(parts) == 3 and not parts[0].isdecimal() and gold.istitle():
            assert others == [f"{parts[0]} {parts[2]}", parts[0], parts[2]]
        for response in (gold, f"It was {gold}.", others[-1] if others else gold, f"Answer: {gold}"):
            assert METRICS["subem"](response, row) == 1
        assert METRICS["subem"]("Nobody knows.", row) == 0


@pytest.mark.parametrize("variant", WORLD)
@pytest.mark.repeat
def test_demonstrations_are_of_a_document_apart(variant):
    kind = "meeting" if variant == "world_meeting" else "chronicle"
    apart = World("documents/1").excerpt("en", kind, APART, 0, 60 if kind == "meeting" else 21)
    known = {one.text: one for one in apart.questions}
    seen = set()
    for row in rows(maker(variant)):
        reading = long_document_solver.read_prompt(row["prompt"])
        assert len(reading.examples) == 2
        for question, answer in reading.examples:
            one = known[question]
            right = one.options[ord(answer) - 65] if row["choices"] else answer
            assert one.answers == (right,) and not re.search(rf"(?<![\d,]){re.escape(right)}", body(row))
            seen.add(question)
    assert len(seen) > 6
    none = RowMaker(recipe(variant, params={"shots": 0}), None)
    row = rows(none)[0]
    assert "Example" not in row["prompt"] and row["answers"] == rows(maker(variant))[0]["answers"]


def test_every_kind_of_question_that_is_asked_is_read():
    """All names and sums of sixty chapters, and all that minutes are asked of forty items: found, and nothing else."""
    assert len(long_document_wordings.facts()) == 39
    for kind, units in (("chronicle", 60), ("meeting", 40)):
        whole = World("read/1").excerpt("en", kind, 3, 100, units)
        asked = [one for one in whole.questions if one.value in VALUES or one.kind in MINUTES]
        read = long_document_solver.minutes_answers if kind == "meeting" else long_document_solver.chronicle_answers
        for one in asked[:: 3 if kind == "chronicle" else 2]:
            assert dict.fromkeys(read(one.text, whole.text)) == {one.answers[0]: None}, one
        kinds = {one.kind for one in asked}
        assert kinds == set(MINUTES) if kind == "meeting" else len(kinds) >= 30
    values = {dict(kind.slots)[fact.answer] for kind in KINDS.values() for fact in kind.facts}
    assert set(VALUES) - {"woman", "man", "goer"} <= values


def test_a_bucket_without_room_is_refused():
    made = maker("world")
    (config,) = (one for one in made.recipe.configs() if one.bucket == "4k")
    slot = replace(config.slot(0), length=200)
    with pytest.raises(BudgetError, match="shots = 0"):
        TASK.render(made.plan(config, 0), slot, made.inputs("world"), made.budget)


# --- real documents ---------------------------------------------------------------------------------------------------


class Books:
    """Documents of so many characters, with two questions each."""

    def __init__(self, *lengths: int) -> None:
        self.documents = []
        for number, length in enumerate(lengths):
            sentence = f"This is [The text ends] of {number}, Question: what? "
            text = (sentence * (length // len(sentence) + 1))[:length].rstrip() + "."
            questions = tuple(
                DocumentQuestion(f"q{number}-{turn}", f"Which is {number} and {turn}?", (f"answer {number} {turn}",))
                for turn in range(2)
            )
            self.documents.append(Document(f"b{number}", "", "", text, Sentences(text), questions))

    def document_count(self, lang: str, kind: str) -> int:
        return len(self.documents)

    def document(self, lang: str, kind: str, number: int, size: int) -> Document:
        return self.documents[number]


def test_a_document_that_ends_before_its_row_is_not_used_for_it():
    made = maker("world")
    books = Books(*(20_000,) * 6)
    inputs = type("Inputs", (), {"tables": books})()
    item = Item(NAME, "infbench_qa", 0)
    plan = TASK.plan(Params(), item, inputs, Stream("stream"))
    draft = TASK.render(plan, Slot(item, "4k", 4_096, 0, 0, 4_096), inputs, made.budget)
    # Whatever a text holds, it is shown.
    assert draft.prompt.count("[The text ends]") > 100 and not list(TASK.audit(draft))
    assert 4_096 - 64 - draft.next_unit < made.budget.measure(draft.prompt) <= 4_096 - 64
    with pytest.raises(BudgetError, match=r"the document has .* tokens; its row has room for"):
        TASK.render(plan, Slot(item, "8k", 8_192, 0, 0, 8_192), inputs, made.budget)
    with pytest.raises(SourceError, match="has 8 questions for infbench_qa; item 8 is asked for"):
        TASK.plan(Params(), replace(item, index=8), inputs, Stream("stream"))


def test_a_short_document_is_shown_whole_where_the_recipe_says_so():
    made = maker("world")
    books = Books(*(2_000, 4_000, 8_000, 16_000, 32_000, 64_000) * 2)
    inputs = type("Inputs", (), {"tables": books})()
    whole, items = Params(short="whole"), [Item(NAME, "infbench_qa", number) for number in range(20)]
    plans = [TASK.plan(whole, item, inputs, Stream("stream")) for item in items]
    assert all(plan_from_json(TASK.plan_type, plan_json(plan)) == plan for plan in plans)
    drafts = {
        size: [
            TASK.render(plan, Slot(item, "", size, 0, 0, size), inputs, made.budget)
            for plan, item in zip(plans, items, strict=True)
        ]
        for size in (2_048, 4_096, 65_536)
    }
    for size, made_of_it in drafts.items():
        for draft in made_of_it:
            assert not list(TASK.audit(draft))
            text = books.documents[int(draft.facts["document"][1:])].text
            shown = draft.prompt[slice(*draft.facts["body"])]
            tokens = made.budget.measure(draft.prompt)
            # The whole text, or as much of it as fits.
            assert shown == text or (text.startswith(shown) and size - 64 - draft.next_unit < tokens <= size - 64)
    assert all(draft.next_unit == 0 for draft in drafts[65_536]) and any(draft.next_unit for draft in drafts[2_048])
    # Documents come in a drawn order, not the longest first; every bucket has the same ones.
    sizes = [len(books.documents[plan.document].text) for plan in plans]
    assert len(set(sizes[:8])) > 2 and sizes != sorted(sizes, reverse=True)
    with pytest.raises(RecipeError, match="which fill every bucket"):
        TASK.plan(whole, Item(NAME, "world", 0), inputs, Stream("stream"))
    assert TASK.unused(whole) is None and TASK.unused(Params()) == 0


@pytest.mark.parametrize("variant", [REAL[0], *(pytest.param(one, marks=pytest.mark.repeat) for one in REAL[1:])])
def test_real_rows_show_a_document_from_its_beginning(variant):
    made = maker(variant)
    source = made.inputs(variant).tables
    texts = {(one := source.document("en", "", number, 0)).id: one for number in range(source.document_count("en", ""))}
    apart = set()
    for small, large in zip(rows(made), rows(made, "8k"), strict=True):
        facts = json.loads(small["facts"])
        document = texts[facts["document"]]
        assert document.text.startswith(body(large)) and body(large).startswith(body(small))
        assert small["complexity"] == 0 and small["evidence"] == [] and "evidence_inside" not in facts
        (asked,) = (one for one in document.questions if one.id == facts["question_id"])
        right = facts["options"][ord(small["answers"][0]) - 65] if small["choices"] else small["answers"][0]
        assert right == asked.answers[0] and sorted(facts["options"]) == sorted(asked.options)
        reading = long_document_solver.read_prompt(small["prompt"])
        apart |= {
            one.id for one in texts.values() for question in one.questions if question.text in dict(reading.examples)
        }
        assert TASK.solve(small["prompt"]) == ()
    items = {json.loads(row["facts"])["document"] for row in rows(made)}
    assert len(apart) == 2 and not apart & items and len(items) >= 5
    assert folder(NAME, variant) is not None


def test_letters_of_real_options_are_balanced():
    made = RowMaker(recipe("infbench_choice", questions=24), folder(NAME, "infbench_choice"))
    config = made.recipe.configs()[0]
    rights = Counter(made.plan(config, item).right for item in range(24))
    assert rights == {0: 6, 1: 6, 2: 6, 3: 6}


def test_pieces_are_the_text_and_own_their_white_space():
    text = "Title\nOne. Two.\n\nHead\nThree. Four."
    spans = [(text.index(one), text.index(one) + len(one)) for one in ("One.", "Two.", "Three.", "Four.")]
    assert pieces(text, spans) == ["Title\nOne.", " Two.\n\n", "Head\nThree.", " Four."]
    assert pieces("", []) == []


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


# Another value of each kind that answers have.
_VALUES = {
    r"[0-9][0-9,]* marks": "7,777 marks",
    r"[0-9]{1,2} [A-Z][a-z]+ [0-9]{4}": "1 May 1701",
    r"[A-Z][a-z]+ [A-Z][a-z]+ [A-Z][a-z]+": "Wilhelmina Dor Underhill",
    r"[A-Z][a-z]+ [A-Z][a-z]+": "Underhillsea Wold",
}


def _moved(draft: Draft, start: int, end: int, text: str) -> Draft:
    """The draft with a piece of its text replaced, and the end of the text moved."""
    low, high = draft.facts["body"]
    facts = {**draft.facts, "body": [low, high + len(text) - (end - start)]}
    return replace(edited(draft, start, end, text), facts=facts)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The sentence that answers is taken out, and its span points at what came to stand there."""
    for start, end in draft.evidence:
        left = _moved(draft, start, end + 1, "")
        yield replace(left, evidence=((start, left.prompt.index(".", start) + 1),))
    if not draft.evidence:
        # Of a real document nobody knows where the answer stands; that is not to be said then.
        start = draft.facts["body"][0]
        yield replace(draft, evidence=((start, draft.prompt.index(".", start) + 1),))


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A second sentence says the same of another value, right behind the evidence; of a real text, the end is lost."""
    for start, end in draft.evidence:
        sentence, answer = draft.prompt[start:end], _answer(draft)
        another = next(value for shape, value in _VALUES.items() if re.fullmatch(shape, answer))
        yield _moved(draft, end, end, f"\n{sentence.replace(answer, another)}")
    if not draft.evidence:
        high = draft.facts["body"][1]
        yield edited(draft, high - 40, high, "")


def _answer(draft: Draft) -> str:
    return draft.choices[ord(draft.answers[0]) - ord("A")] if draft.choices else draft.answers[0]


def answer_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is another one's: of the next item, of the next option."""
    if draft.choices:
        letter = chr(ord("A") + (ord(draft.answers[0]) - ord("A") + 1) % len(draft.choices))
        yield replace(draft, answers=(letter,))
    elif draft.answers != other.answers:
        yield replace(draft, answers=other.answers)


def form_missing(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An accepted form of the gold is missing, or one too many is there."""
    yield replace(draft, answers=draft.answers[1:] or ("Z",))
    yield replace(draft, answers=(*draft.answers, "Z"))


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question, with its options, is another item's."""
    ours, theirs = (one.prompt[one.facts["body"][1] :] for one in (draft, other))
    if ours != theirs:
        yield edited(draft, len(draft.prompt) - len(ours), len(draft.prompt), theirs)


def second_right_option(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another option is the right one too, in other case; an open question gets options."""
    right = _answer(draft)
    options = [one if one == right or number != 1 else right for number, one in enumerate(draft.choices)]
    if options and options.count(right) < 2:
        options = [right if one == right or number == 0 else one for number, one in enumerate(draft.choices)]
    options = options or [right, "none of these"]
    at = draft.facts["body"][1]
    tail = draft.prompt[at:]
    bare = tail[: tail.index("\n", tail.index("Question: ")) + 1]
    listed = "".join(f"{letter}. {one}\n" for letter, one in zip("ABCDEFGH", options, strict=False))
    shown = edited(draft, at, len(draft.prompt), bare + listed)
    yield replace(shown, choices=tuple(options), facts={**shown.facts, "options": options})


def text_damaged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The text ends in the middle, begins with a blank, or holds what replaces characters that could not be read."""
    low, high = draft.facts["body"]
    yield edited(draft, high - 30, high, "")
    yield _moved(draft, low, low, "\n")
    yield _moved(draft, (low + high) // 2, (low + high) // 2 + 1, "\ufffd")


def depth_shifted(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The evidence is said to stand elsewhere."""
    depth = draft.depths[0] if draft.depths else 0.0
    yield replace(draft, depths=((depth + 0.5) % 1,))
    if draft.depths:
        yield replace(draft, facts={**draft.facts, "depth": 1 - draft.facts["depth"] if abs(depth - 0.5) > 0.4 else -1})


MUTANTS = (
    evidence_removed,
    evidence_doubled,
    answer_of_another,
    form_missing,
    question_of_another,
    second_right_option,
    text_damaged,
    depth_shifted,
)
# Those that nobody can notice where people gave the gold.
UNSEEN = (answer_of_another, form_missing)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------


def doubled() -> list[list[str]]:
    """Texts long enough for a book: each with the one before."""
    texts = articles()
    return [[*text, *texts[number - 1]] for number, text in enumerate(texts)]


def books(options: bool) -> dict[str, str]:
    """Books of InfiniteBench, of which the beginnings of paragraphs are asked."""
    rows = []
    for number, text in enumerate(doubled()):
        for index in range(3, 10):
            names = [" ".join(text[at].split()[:6]) for at in range(index, index + 4)]
            rows.append(
                {
                    "id": len(rows),
                    "context": "\n\n".join(text),
                    "input": f"How does paragraph {index} of book {number} begin?",
                    "answer": names[:1],
                    "options": names if options else [],
                }
            )
    return {f"longbook_{'choice' if options else 'qa'}_eng.jsonl": jsonl(rows)}


def stories() -> dict[str, str]:
    """NarrativeQA's official files: stories of which the beginnings of paragraphs are asked."""
    documents, questions, summaries, pages = ["document_id,set,kind,wiki_title\n"], [], [], {}
    for number, text in enumerate(doubled()):
        documents.append(f"d{number},test,gutenberg,Story {number}\n")
        summaries.append(f"d{number},test,Story {number} is long.\n")
        pages[f"tmp/d{number}.content"] = "\n\n".join(text)
        for index in range(3, 10):
            answer = " ".join(text[index].split()[:6]).replace('"', "")
            questions.append(f'd{number},test,How does paragraph {index} of {number} begin?,"{answer}","{answer} so"\n')
    return {
        "documents.csv": "".join(documents),
        "qaps.csv": "document_id,set,question,answer1,answer2\n" + "".join(questions),
        "summaries.csv": "document_id,set,summary\n" + "".join(summaries),
        **pages,
    }


CASE = Case(
    variants={
        "narrativeqa": ("narrativeqa", "judge/qa"),
        "infbench_qa": ("infbench_qa", "rouge_l"),
        "infbench_choice": ("infbench_choice", "choice"),
        "world": ("world", "subem"),
        "world_choice": ("world_choice", "choice"),
        "world_meeting": ("world_meeting", "subem"),
    },
    mutants=MUTANTS,
    unseen=UNSEEN,
    by_people=("narrativeqa", "infbench_qa", "infbench_choice"),
    material=partial(material_of, laid_out=("body",)),
    reads=lambda variant: "tables",
    files={
        "infbench_choice": Files("infbench", partial(books, options=True)),
        "infbench_qa": Files("infbench", partial(books, options=False)),
        "narrativeqa": Files("narrativeqa", stories),
    },
)
