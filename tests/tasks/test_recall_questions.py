"""Questions among documents: SQuAD and HotpotQA written here in their own form from texts of a world, and the world.

What holds of every task is in test_conformance.py; this is what holds of these three variants alone.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from made_squad import ASKED, made_hotpotqa, made_squad

from carrara.errors import BudgetError, SourceError
from carrara.making.proofs import prove, wrong_responses
from carrara.making.row_maker import TokenBudget
from carrara.row import Row, canonical_json
from carrara.scoring import METRICS
from carrara.sources.tables import Lacking
from carrara.stream import Stream
from carrara.tables import Evidence, Passage, Question
from carrara.task import Draft, Item, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.helmet.synthetic_recall.kind import OUTPUT, Params
from carrara.tasks.helmet.synthetic_recall.questions import KIND
from carrara.tasks.helmet.synthetic_recall.questions_corpus import corpus_of, ranking
from carrara.tasks.helmet.synthetic_recall.questions_solver import read_prompt
from carrara.tasks.helmet.synthetic_recall.task import TASK
from carrara.tokens import load_tokenizer
from carrara.world.world import World

VARIANTS = ("qa_squad", "qa_hotpotqa", "qa_world")
ITEMS = 6


@cache
def tables(variant: str, stream: str = "recall questions/1") -> Any:
    if variant == "qa_world":
        return World(stream, 62)
    return made_squad() if variant == "qa_squad" else made_hotpotqa()


@cache
def budget(encoding: str = "o200k_base") -> TokenBudget:
    return TokenBudget(load_tokenizer(encoding))


def planned(variant: str, item: int, stream: str = "recall questions/1", given: Any = None) -> Any:
    inputs = SimpleNamespace(tables=given or tables(variant, stream))
    key = plan_stream(TASK, stream, variant)
    return TASK.plan(Params(), Item(TASK.name, variant, item), inputs, key)


def made(variant, item, length=4_096, encoding="o200k_base", stream="recall questions/1", given=None) -> Draft:
    slot = Slot(Item(TASK.name, variant, item), "x", length, item, 0, length)
    inputs = SimpleNamespace(tables=given or tables(variant, stream))
    return TASK.render(planned(variant, item, stream, given), slot, inputs, budget(encoding))


def table(draft: Draft, encoding: str = "o200k_base") -> dict[str, Any]:
    row = Row(
        id="qa",
        item="qa",
        task=TASK.name,
        variant=draft.facts["variant"],
        bucket="x",
        tokens=budget(encoding).measure(draft.prompt),
        max_output_tokens=draft.max_output_tokens,
        metric="ruler/any",
        answers=draft.answers,
        choices=(),
        complexity=draft.complexity,
        group="qa",
        depths=draft.depths,
        evidence=draft.evidence,
        facts=canonical_json(draft.facts),
        answer_prefix="Answer:",
        prompt=draft.prompt,
    )
    return row.to_arrow()


def findings(draft: Draft, length: int, encoding: str = "o200k_base") -> list[Any]:
    variant = draft.facts["variant"]
    slot = Slot(Item(TASK.name, variant, 0), "x", length, 0, 0, length)
    row, count = table(draft, encoding), budget(encoding).count
    return list(prove(TASK, draft, row, slot, True, count, TASK.variants[variant].source))


def others(draft: Draft) -> list[str]:
    return [one.text for one in documents(draft) if one.gold < 0]


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.repeat
@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_a_row_is_proven_and_fills_its_length_to_the_token(variant, encoding):
    for item, length in (*((item, 4_096) for item in range(ITEMS)), (0, 32_768), (1, 32_768)):
        draft = made(variant, item, length, encoding)
        assert findings(draft, length, encoding) == []
        assert budget(encoding).measure(draft.prompt) == length - OUTPUT
        assert draft.complexity == (2 if variant == "qa_hotpotqa" else 1)
        assert draft.facts["passages"] > (15 if length == 4_096 else 120)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.repeat
def test_a_smaller_row_is_part_of_a_larger_one(variant):
    for item in range(3):
        small, large = made(variant, item), made(variant, item, 32_768)
        rest = iter(others(large))
        assert all(text in rest for text in others(small))
        told = [{**draft.facts, "body": 0, "passages": 0} for draft in (small, large)]
        assert told[0] == told[1] and small.answers == large.answers
        # The first of the order are all there: a few of the last alone are left out.
        assert others(large)[:8] == others(small)[:8]


def test_documents_come_in_another_order_for_another_item():
    first = [others(made("qa_squad", item))[:5] for item in range(ITEMS)]
    assert len({text for few in first for text in few}) > 3 * ITEMS


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_gold_stands_evenly_from_first_to_last(variant):
    depths = sorted(planned(variant, item).depths[-1] for item in range(60))
    assert all(abs(depth - number / 60) < 0.05 for number, depth in enumerate(depths))
    for item in range(ITEMS):
        draft, wanted = made(variant, item), planned(variant, item).depths
        kept = documents(draft)
        for gold, depth in enumerate(wanted):
            place = [one.gold for one in kept].index(gold)
            assert abs(place - depth * (len(kept) - len(wanted) + 1)) <= len(wanted)
    # What leads to the answer stands anywhere, before it as often as behind it.
    if variant == "qa_hotpotqa":
        pairs = [planned(variant, item).depths for item in range(60)]
        assert 18 <= sum(first < second for first, second in pairs) <= 42
        assert len({round(second - first, 3) for first, second in pairs}) > 50


def test_no_two_items_ask_the_same_and_answers_say_something():
    for variant in VARIANTS:
        plans = [planned(variant, item) for item in range(60)]
        assert len({plan.id for plan in plans}) == 60
        for plan in plans:
            assert all(sum(map(str.isalnum, name)) >= 3 and name != "yes" for name in plan.accepted)
            assert set(plan.answers) <= set(plan.accepted)
            assert len(plan.gold) == (2 if variant == "qa_hotpotqa" else 1)


@pytest.mark.repeat
def test_a_twin_shares_nothing():
    ours, twin = ([made("qa_world", item, stream=stream) for item in range(3)] for stream in ("twin/1", "twin/2"))
    assert not {one.facts["question"] for one in ours} & {one.facts["question"] for one in twin}
    assert not {one.text for draft in ours for one in documents(draft)} & {
        one.text for draft in twin for one in documents(draft)
    }


def test_a_plan_is_small_and_survives_json():
    for variant in VARIANTS:
        for item in range(ITEMS):
            text = plan_json(planned(variant, item))
            assert plan_from_json(TASK.plan_type, text) == planned(variant, item) and len(text) < 1_500


def test_the_gold_scores_and_wrong_answers_do_not():
    for variant in VARIANTS:
        drafts = [made(variant, item) for item in range(ITEMS)]
        for draft, other in zip(drafts, [*drafts[1:], drafts[0]], strict=True):
            row = table(draft)
            for answer in draft.answers:
                for metric in TASK.metrics_of(variant)[::2]:
                    assert METRICS[metric](f"It is {answer}.", row) == 1
            wrong = wrong_responses(draft.prompt, draft.answers, other.answers, draft.facts["accepted"])
            for name, response in wrong.items():
                assert METRICS["ruler/any"](response, row) == 0, name


def test_guessers_answer_and_mostly_miss():
    hits: dict[str, float] = {}
    for variant in VARIANTS:
        for item in range(ITEMS):
            draft = made(variant, item, 8_192)
            found = TASK.guesses(draft, Stream("guesses"))
            assert found and all(responses for responses in found.values())
            row = table(draft)
            for name, responses in found.items():
                share = sum(METRICS["ruler/any"](one, row) for one in responses) / len(responses)
                hits[name] = hits.get(name, 0) + share / (ITEMS * len(VARIANTS))
    assert 2 <= len(hits) <= 4
    # Search finds a passage that names the subject; any document is a chance of one in how many there are.
    assert hits["any document"] < 0.06 and hits["the commonest name of that document"] < 0.5


# --- what is asked ----------------------------------------------------------------------------------------------------


class Given(Lacking):
    """Tables of a few passages and questions."""

    def __init__(self, questions: Sequence[Question], passages: Sequence[Passage]) -> None:
        super().__init__("these tables")
        self._questions, self._passages = questions, passages

    def questions(self, lang, kind, each):
        return iter(self._questions)

    def passages(self, lang):
        return iter(self._passages)


BRIDGE = Passage(
    "b", "Orla bridge", "The Orla bridge was built by Mara O'Dell-Lund in 1931, for 12,500 crowns, in Elm."
)
FILLER = [
    Passage(f"f{n}", f"Field {n}", f"Field {n} is a plain of {n} acres with barley on it{' and rye' * (n % 9)}.")
    for n in range(400)
]


def asked(names: Sequence[str], text: str = "Who built it?", **changes: Any) -> Question:
    start = max(0, BRIDGE.text.find(names[0]))
    evidence = (Evidence("b", start, start + len(names[0])),)
    return replace(Question("q", "open", text, (tuple(names),), evidence), **changes)


@pytest.mark.parametrize(
    ("question", "is_asked"),
    [
        (asked(["Mara O'Dell-Lund"]), True),
        (asked(["1931"]), True),
        (asked(["12,500"]), True),
        (asked(["yes"]), False),
        (asked(["No."]), False),
        (asked(["The"]), False),
        (asked(["a 19"]), False),
        (asked(["Elm", "in"]), False),
        (asked(["!!!"]), False),
        (asked(["Elm"]), True),
        (asked(["Elm"], "What lies in Elm?"), False),
        (asked(["1931"], "What else was built in 1931?"), False),
        (asked(["Mara O'Dell-Lund"], "Who was mara odell lund?"), False),
        # Inside a longer word, and not at all.
        (asked(["Dell-Lu"]), False),
        (asked(["Nobody"]), False),
        # In the instruction.
        (asked(["numbered documents"]), False),
        (asked(["1931"], answers=(("1931",), ("1932",))), False),
        (asked(["1931"], answers=()), False),
        (asked(["1931"], evidence=()), False),
        (asked(["1931"], hops=2), False),
        (asked(["1931"], evidence=(Evidence("b", 0, 3), Evidence("f1", 0, 3)), hops=2), True),
        (asked(["1931"], evidence=(Evidence("b", 0, 3), Evidence("f1", 0, 3))), False),
    ],
)
def test_questions_that_say_something_are_asked(question, is_asked):
    given = Given([question], [BRIDGE, *FILLER])
    if not is_asked:
        with pytest.raises(SourceError, match="fewer than 1 questions"):
            planned("qa_squad", 0, given=given)
        return
    plan = planned("qa_squad", 0, given=given)
    assert plan.gold[-1] == "b" and plan.accepted[0] == question.answers[0][0]
    draft = made("qa_squad", 0, given=given)
    assert findings(draft, 4_096) == []


def test_what_is_not_asked_leaves_its_place_to_the_next():
    good = [asked(["1931"], f"When was it opened, {number}?", id=f"g{number}") for number in range(5)]
    bad = [asked(["no"], f"Was it closed, {number}?", id=f"b{number}") for number in range(20)]
    given = Given([*bad[:10], *good, *bad[10:]], [BRIDGE, *FILLER])
    plans = [planned("qa_squad", item, given=given) for item in (3, 0, 4, 1, 2)]
    assert {plan.id for plan in plans} == {one.id for one in good}
    again = Given([*bad[:10], *good, *bad[10:]], [BRIDGE, *FILLER])
    assert [planned("qa_squad", item, given=again) for item in (3, 0, 4, 1, 2)] == plans
    with pytest.raises(SourceError, match="fewer than 6 questions"):
        planned("qa_squad", 5, given=given)


@pytest.mark.parametrize(
    ("names", "text", "is_held"),
    [
        (["1931"], "opened in 1931.", True),
        (["1931"], "opened in 19311.", False),
        (["12,500"], "for 12500 crowns", True),
        (["12500"], "for 12,500 crowns", True),
        (["O'Dell"], "the ODELL works", True),
        (["ODell"], "the O’Dell works", True),
        (["Café Mill"], "CAFE MILL", True),
        (["the Orla bridge"], "one Orla bridge", True),
        (["the who"], "for one who came", False),
        (["Mara Lund"], "Mara-Lund's", True),
        (["Maralund"], "Mara Lund", True),
        (["Lund"], "Lundby", False),
        (["Elm", "Ash"], "an ash tree", True),
    ],
)
def test_documents_that_hold_a_name_are_left_out(names, text, is_held):
    passage = Passage("x", "Things", text)
    for one in (passage, Passage("x", text, "Nothing is said in here.")):
        corpus = corpus_of(Given([], [one, *FILLER]), "")
        found = ranking(corpus, names, ("order",))(400)
        assert (one not in found) == is_held
        with pytest.raises(BudgetError, match="the source has"):
            ranking(corpus, names, ("order",))(402)


def test_a_source_that_is_too_small_says_how_much_is_missing():
    given = Given([asked(["1931"])], [BRIDGE, *FILLER])
    with pytest.raises(BudgetError, match=r"400 passages of the source .* take (\d+) tokens.*about (\d+) are missing"):
        made("qa_squad", 0, 32_768, given=given)
    assert made("qa_squad", 0, 8_192, given=given).facts["passages"] > 200


def test_an_item_without_a_question_is_refused():
    with pytest.raises(SourceError, match=r"qa_squad has fewer than \d+ questions"):
        planned("qa_squad", ASKED)


# --- solve and audit --------------------------------------------------------------------------------------------------


def test_numbers_and_days_are_spelled_both_ways_and_solved():
    kinds: dict[str, list[int]] = {"number": [], "day": [], "other": []}
    for item in range(300):
        first, *rest = planned("qa_world", item).answers
        if re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+", first):
            kinds["number"].append(item)
            assert rest == [first.replace(",", "")]
        elif found := re.fullmatch(r"(\d+) ([A-Z]\w+) (\d{4})", first):
            kinds["day"].append(item)
            assert rest == [f"{found[2]} {found[1]}, {found[3]}"]
        else:
            kinds["other"].append(item)
            assert not rest
    assert min(map(len, kinds.values())) > 3
    for items in kinds.values():
        for item in items[:4]:
            draft = made("qa_world", item)
            assert TASK.solve(draft.prompt) == draft.answers


def test_a_solver_reads_nothing_but_this_prompt():
    draft = made("qa_world", 0)
    reading = read_prompt(draft.prompt)
    assert reading is not None and len(reading.documents) == draft.facts["passages"]
    assert reading.question == draft.facts["question"]
    start, end = draft.facts["body"]
    for damaged in (
        "",
        "\n\n",
        draft.prompt[1:],
        draft.prompt[:-1],
        draft.prompt + "\n",
        draft.prompt.replace("Document 2:", "Document 3:"),
        draft.prompt[:start] + draft.prompt[end:],
        draft.prompt[: end - 1] + draft.prompt[end:],
        draft.prompt.replace("Document 2:\n", "Document 2:\nOne line more\n"),
        draft.prompt.replace("Question: ", "Question:\n"),
    ):
        assert read_prompt(damaged) is None and KIND.solve(damaged) == ()


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_mutant_is_objected_to(variant):
    drafts = [made(variant, item) for item in range(2 * ITEMS)]
    tried = dict.fromkeys((mutant.__name__ for mutant in MUTANTS), 0)
    for draft, other in zip(drafts, [*drafts[1:], drafts[0]], strict=True):
        assert not list(KIND.audit(draft))
        for mutant in MUTANTS:
            unseen = mutant in UNSEEN
            if unseen and variant != "qa_world":
                continue
            for damaged in mutant(draft, other):
                tried[mutant.__name__] += 1
                wrong = variant == "qa_world" and TASK.solve(damaged.prompt) != damaged.answers
                # What an audit can see it must see, whatever the solver says.
                assert list(KIND.audit(damaged)) or (unseen and wrong), mutant.__name__
    skipped = set() if variant == "qa_world" else {mutant.__name__ for mutant in UNSEEN}
    assert {name for name, times in tried.items() if not times} == skipped


@pytest.mark.slow
def test_a_row_of_a_million_tokens_is_proven():
    draft = made("qa_world", 0, 1 << 20)
    assert findings(draft, 1 << 20) == []
    assert draft.facts["passages"] > 5_000 and json.dumps(draft.facts)


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


_NUMBER = re.compile(r"Document [0-9]+:\n")
# A second given name is short; a village may be of three words too.
_PERSON = re.compile("[A-Z][a-z]+ [A-Z][a-z]{2,4} [A-Z][a-z]+")


class Document(NamedTuple):
    """A document without its number: title and text, and which gold it is (-1: none)."""

    text: str
    gold: int


def documents(draft: Draft) -> list[Document]:
    """The documents of a draft, in order."""
    at, end = draft.facts["body"]
    found = []
    while at < end:
        stop = draft.prompt.index("\n\n", at) + 2
        text = draft.prompt[at:stop]
        gold = next((number for number, (start, _) in enumerate(draft.evidence) if at <= start < stop), -1)
        found.append(Document(text[_NUMBER.match(text).end() : -2], gold))
        at = stop
    return found


def rebuilt(draft: Draft, kept: Sequence[Document], question: str | None = None, **facts: Any) -> Draft:
    """The draft with these documents, numbered from 1, its spans where the golds stand; of a lost one as they were."""
    start, end = draft.facts["body"]
    asked = draft.facts["question"]
    tail = draft.prompt[end:] if question is None else draft.prompt[end:].replace(asked, question)
    spans, prompt = list(draft.evidence), draft.prompt[:start]
    for number, one in enumerate(kept, 1):
        prompt += f"Document {number}:\n{one.text}"
        if one.gold >= 0:
            spans[one.gold] = (len(prompt) - len(one.text.rpartition("\n")[2]), len(prompt))
        prompt += "\n\n"
    told = {"body": [start, len(prompt)], "passages": len(kept), **facts}
    return replace(draft, prompt=prompt + tail, evidence=tuple(spans), facts={**draft.facts, **told})


def distractor(kept: Sequence[Document]) -> int:
    """The number of a document in the middle that is no gold."""
    return next(at for at in range(len(kept) // 2, len(kept)) if kept[at].gold < 0)


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each gold document is taken out; its span points at the text of the one that came to stand there."""
    kept = documents(draft)
    for gold in range(len(draft.evidence)):
        place = [one.gold for one in kept].index(gold)
        left = [one for one in kept if one.gold != gold]
        near = next(at for at in (min(place, len(left) - 1), *range(len(left))) if left[at].gold < 0)
        left[near] = Document(left[near].text, gold)
        yield rebuilt(draft, left)


def _people(kept: Sequence[Document]) -> Iterator[str]:
    """The titles that are people's: their text calls them by the surname alone."""
    for one in kept:
        title, _, text = one.text.partition("\n")
        if _PERSON.fullmatch(title) and re.search(rf"(?<!{title.split()[1]} )\b{title.split()[2]}\b", text):
            yield title


def evidence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold document stands a second time at the end, and gives another answer of the same kind."""
    kept, answer = documents(draft), draft.answers[0]
    gold = next(one.text for one in kept if one.gold == len(draft.evidence) - 1)
    title, _, text = gold.rpartition("\n")
    if answer.replace(",", "").isdigit():
        another = str((int(answer[0]) + 4) % 9 + 1) + answer[1:]
    elif _PERSON.fullmatch(answer):
        another = next((name for name in _people(kept) if name not in gold), "")
    else:
        another = ""
    again = text.replace(answer, another)
    if another and again != text and title != answer:
        yield rebuilt(draft, [*kept, Document(f"{title}\n{again}" if title else again, -1)])


def answer_in_a_distractor(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each accepted name stands in another document too: in its text, in its title, in other letters."""
    kept = documents(draft)
    at = distractor(kept)
    title, _, text = kept[at].text.rpartition("\n")
    for name in draft.facts["accepted"]:
        for damaged in (
            f"{title}\n{text} {name}, it seems.",
            f"{title}\n({name.upper()}’s) {text}",
            f"{title} ({name})\n{text}",
        ):
            yield rebuilt(draft, [*kept[:at], Document(damaged.lstrip("\n"), -1), *kept[at + 1 :]])


def answer_in_the_question(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An accepted name stands in the question."""
    asked = f"{draft.facts['question']} Not {draft.facts['accepted'][-1]}?"
    damaged = rebuilt(draft, documents(draft), question=asked)
    yield replace(damaged, facts={**damaged.facts, "question": asked})


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, the record this one's."""
    if draft.facts["question"] != other.facts["question"]:
        yield rebuilt(draft, documents(draft), question=other.facts["question"])


def question_and_record_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question is another item's, in the record too: only a solver can tell."""
    for one in question_of_another(draft, other):
        yield replace(one, facts={**one.facts, "question": other.facts["question"]})


def document_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A document stands twice."""
    kept = documents(draft)
    yield rebuilt(draft, [*kept, kept[distractor(kept)]])


def document_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A document is missing that the record counts."""
    kept = documents(draft)
    left = [one for at, one in enumerate(kept) if at != distractor(kept)]
    yield rebuilt(draft, left, passages=len(kept))


def document_numbered_wrongly(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A number is left out."""
    last = f"Document {draft.facts['passages']}:\n"
    at = draft.prompt.rindex(last)
    changed = f"Document {draft.facts['passages'] + 1}:\n"
    if len(changed) == len(last):
        yield replace(draft, prompt=draft.prompt[:at] + changed + draft.prompt[at + len(last) :])


def gold_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each gold document stands at the end that is further from it."""
    kept = documents(draft)
    for gold in range(len(draft.evidence)):
        place = [one.gold for one in kept].index(gold)
        left = [one for one in kept if one.gold != gold]
        yield rebuilt(draft, [kept[place], *left] if place >= len(kept) // 2 else [*left, kept[place]])


def document_spoiled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A document is nearly empty, or holds a character that was lost."""
    kept = documents(draft)
    at = distractor(kept)
    title, _, text = kept[at].text.rpartition("\n")
    for damaged in (f"{title}\nSee.", f"{title}\n\ufffd {text}"):
        yield rebuilt(draft, [*kept[:at], Document(damaged.lstrip("\n"), -1), *kept[at + 1 :]])


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is that of another item."""
    if not set(draft.answers) & set(other.answers):
        yield replace(draft, answers=other.answers)
        yield replace(draft, answers=other.answers, facts={**draft.facts, "accepted": other.facts["accepted"]})


MUTANTS = (
    evidence_removed,
    evidence_doubled,
    answer_in_a_distractor,
    answer_in_the_question,
    question_of_another,
    question_and_record_of_another,
    document_doubled,
    document_lost,
    document_numbered_wrongly,
    gold_moved,
    document_spoiled,
    gold_of_another,
)
# A second document that says something else, and a question that other documents answer: only a solver notices.
UNSEEN = (evidence_doubled, question_and_record_of_another)
