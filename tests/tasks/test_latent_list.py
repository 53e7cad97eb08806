"""latent_list: pinned plans, solver against gold, exact fit, the ladder of lengths, and every mutant objected to."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from cases import Case, separate
from mutants import edited, gold_exchanged

from carrara.errors import BudgetError, RecipeError
from carrara.making.row_maker import TokenBudget
from carrara.row import canonical_json
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.task import Draft, Item, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.michelangelo.latent_list.filler import CANCELLING, PHRASES, OperationFiller
from carrara.tasks.michelangelo.latent_list.program import START, draw_program
from carrara.tasks.michelangelo.latent_list.solver import read_look, run_lines, show
from carrara.tasks.michelangelo.latent_list.task import TASK, VIEWS, Params
from carrara.tokens import load_tokenizer


class NoInputs:
    """The task reads no source."""

    def haystack(self, lang, order, tokens, repeat):
        raise AssertionError("latent_list takes no haystack")


BUCKETS = {2_049: "4k", 4_096: "4k", 32_768: "32k", 1 << 20: "1M"}
STREAM = plan_stream(TASK, "golden/1", "")


def make_plan(index, params=None):
    return TASK.plan(params or Params(), Item("latent_list", "", index), NoInputs(), STREAM)


def make(index, length, tokenizer="o200k_base", params=None) -> Draft:
    slot = Slot(Item("latent_list", "", index), BUCKETS[length], length, index, 0, length)
    return TASK.render(make_plan(index, params), slot, NoInputs(), TokenBudget(load_tokenizer(tokenizer)))


def row_of(draft: Draft):
    return {"answers": list(draft.answers), "prompt": draft.prompt, "facts": canonical_json(draft.facts)}


def objections(draft: Draft):
    found = [finding.what for finding in TASK.audit(draft)]
    return found if TASK.solve(draft.prompt) == draft.answers else [*found, "solver"]


def third(draft: Draft):
    """The lines of the session asked about, and what stands before and after them."""
    before, title, rest = draft.prompt.partition("Session 3\n")
    session, after, question = rest.partition("\n\n")
    return before + title, session.split("\n"), after + question


def places_of(draft: Draft):
    """At which of the third session's lines the operations stand."""
    begin = len(third(draft)[0])
    return [draft.prompt.count("\n", begin, start) for start, _ in draft.evidence]


def changed(draft: Draft, lines, places):
    """The draft with other lines in the third session, its evidence at the lines of those numbers."""
    before, _, after = third(draft)
    starts = np.cumsum([len(before), *(len(line) + 1 for line in lines)])
    spans = tuple((int(starts[place]), int(starts[place]) + len(lines[place])) for place in places)
    return replace(draft, prompt=before + "\n".join(lines) + after, evidence=spans)


GOLDEN_PLANS = [
    (
        '{"examples":[{"length":7,"operations":[{"arguments":[-878],"name":"append"},{"arguments":[2,2383],"name":'
        '"insert"},{"arguments":[1],"name":"remove"}],"start":0,"stop":0,"value":7,"view":"len"},{"length":7,"oper'
        'ations":[{"arguments":[818],"name":"append"},{"arguments":[-2274],"name":"append"},{"arguments":[2],"name'
        '":"pop"}],"start":0,"stop":0,"value":7,"view":"len"}],"filler":["golden/1","latent_list","",0,"filler"],"'
        'problem":{"length":3,"operations":[{"arguments":[],"name":"pop"},{"arguments":[2],"name":"pop"},{"argumen'
        'ts":[],"name":"pop"},{"arguments":[],"name":"pop"},{"arguments":[2,2554],"name":"insert"}],"start":0,"sto'
        'p":0,"value":3,"view":"len"}}'
    ),
    (
        '{"examples":[{"length":8,"operations":[{"arguments":[2554],"name":"append"},{"arguments":[-3201],"name":"'
        'append"},{"arguments":[],"name":"sort"}],"start":7,"stop":8,"value":2554,"view":"max"},{"length":6,"opera'
        'tions":[{"arguments":[],"name":"reverse"},{"arguments":[1,2303],"name":"insert"},{"arguments":[2],"name":'
        '"remove"}],"start":5,"stop":6,"value":1,"view":"max"}],"filler":["golden/1","latent_list","",1,"filler"],'
        '"problem":{"length":5,"operations":[{"arguments":[],"name":"pop"},{"arguments":[1,3721],"name":"insert"},'
        '{"arguments":[5],"name":"remove"},{"arguments":[-2968],"name":"append"},{"arguments":[],"name":"reverse"}'
        ',{"arguments":[3],"name":"remove"},{"arguments":[2],"name":"remove"},{"arguments":[-3741],"name":"append"'
        '},{"arguments":[],"name":"reverse"},{"arguments":[1],"name":"pop"},{"arguments":[-2968],"name":"remove"},'
        '{"arguments":[2],"name":"pop"},{"arguments":[1,-1963],"name":"insert"},{"arguments":[],"name":"pop"},{"ar'
        'guments":[2163],"name":"append"},{"arguments":[1,-3256],"name":"insert"},{"arguments":[1,-3511],"name":"i'
        'nsert"},{"arguments":[3],"name":"pop"},{"arguments":[],"name":"reverse"},{"arguments":[1,480],"name":"ins'
        'ert"}],"start":4,"stop":5,"value":-3741,"view":"max"}}'
    ),
    (
        '{"examples":[{"length":5,"operations":[{"arguments":[],"name":"reverse"},{"arguments":[5],"name":"pop"},{'
        '"arguments":[],"name":"sort"}],"start":0,"stop":5,"value":[2,3,4,5,6],"view":"print"},{"length":8,"operat'
        'ions":[{"arguments":[-3682],"name":"append"},{"arguments":[895],"name":"append"},{"arguments":[],"name":"'
        'sort"}],"start":2,"stop":8,"value":[2,3,4,5,6,895],"view":"print"}],"filler":["golden/1","latent_list",""'
        ',2,"filler"],"problem":{"length":5,"operations":[{"arguments":[5],"name":"remove"},{"arguments":[-3398],"'
        'name":"append"},{"arguments":[],"name":"sort"},{"arguments":[],"name":"reverse"},{"arguments":[1637],"nam'
        'e":"append"},{"arguments":[7,2340],"name":"insert"},{"arguments":[4],"name":"pop"},{"arguments":[],"name"'
        ':"pop"},{"arguments":[1,-1560],"name":"insert"},{"arguments":[3],"name":"remove"},{"arguments":[2],"name"'
        ':"remove"},{"arguments":[],"name":"pop"},{"arguments":[-1027],"name":"append"},{"arguments":[0,-2517],"na'
        'me":"insert"},{"arguments":[],"name":"pop"},{"arguments":[],"name":"pop"},{"arguments":[1,-1617],"name":"'
        'insert"},{"arguments":[1,-2848],"name":"insert"},{"arguments":[],"name":"pop"},{"arguments":[],"name":"so'
        'rt"}],"start":1,"stop":5,"value":[-2517,-1617,-1560,6],"view":"print"}}'
    ),
]


@pytest.mark.parametrize("index", range(3))
def test_plans_are_pinned(index):
    assert plan_json(make_plan(index)) == GOLDEN_PLANS[index]


def test_a_plan_survives_json_and_is_small():
    for index in range(30):
        text = plan_json(make_plan(index))
        assert plan_from_json(TASK.plan_type, text) == make_plan(index)
        assert len(text) < 3_000


def test_views_and_complexities_are_balanced():
    plans = [make_plan(index) for index in range(30)]
    cells = Counter((plan.problem.view, len(plan.problem.operations)) for plan in plans)
    assert set(cells.values()) == {2} and len(cells) == 15
    assert all(example.view == plan.problem.view for plan in plans for example in plan.examples)


def test_numbers_cover_their_range_and_nothing_else():
    numbers = [
        operation.arguments[-1]
        for index in range(200)
        for operation in draw_program(Stream("range", index), "len", 20).operations
        if operation.name in ("append", "insert")
    ]
    assert -4_000 <= min(numbers) < -3_900 and 3_900 < max(numbers) <= 4_000
    assert abs(np.mean(numbers)) < 150


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("count", [1, 5, 20])
def test_every_operation_counts(view, count):
    for index in range(6):
        program = draw_program(Stream("counts", view, count, index), view, count)
        lines = [f">> a.{o.name}({', '.join(map(str, o.arguments))})" for o in program.operations]
        look = read_look(f">> {view}(a)" if view == "len" else f">> {view}(a[{program.start}:{program.stop}])")
        whole = run_lines(START, lines)
        assert len(whole) == program.length
        assert 0 <= program.start < program.stop <= program.length or view == "len"
        gold = show(look, whole)
        assert gold == str(list(program.value) if view == "print" else program.value)
        for number in range(count):
            less = run_lines(START, lines[:number] + lines[number + 1 :])
            assert less is None or show(look, less) != gold
        states = [tuple(run_lines(START, lines[:number])) for number in range(count + 1)]
        assert len(set(states)) == count + 1


def test_a_complexity_that_cannot_qualify_is_an_error():
    with pytest.raises(RecipeError, match="2000 tries"):
        draw_program(Stream("too many"), "min", 120)
    for wrong in ({"complexities": ()}, {"complexities": (5, 5)}, {"complexities": (0,)}, {"views": ("mean",)}):
        with pytest.raises(ValueError, match="expected"):
            Params(**wrong)


def test_filler_is_addressed_dealt_evenly_and_changes_no_list():
    units = OperationFiller(Stream("filler")).take(3_000)
    longer = OperationFiller(Stream("filler"))
    assert longer.take(30) + longer.take(2_970) + longer.take(300) == OperationFiller(Stream("filler")).take(3_300)
    kinds = ["print" if "print" in unit else "reverse" if set(unit.split("\n")) == {">> a.reverse()", ""} else "block"
             for unit in units]  # fmt: skip
    assert all(sorted(kinds[at : at + 3]) == ["block", "print", "reverse"] for at in range(0, 3_000, 3))
    assert len({unit for unit, kind in zip(units, kinds, strict=True) if kind == "block"}) > 990
    for unit in units:
        # Whatever the list: empty, with the block's own numbers in it, in order or not.
        numbers = [int(number) for number in re.findall(r"-?\d+", unit)]
        for values in ([], [3], [2, 1], [*numbers, 5, *numbers], [1, 2, 3, 4, 5, 6]):
            assert run_lines(values, unit.splitlines()) == values
    assert len(CANCELLING) == 9 and not any(re.search(r"[\d\[\]]", phrase) for phrase in PHRASES)


@pytest.mark.parametrize("tokenizer", ["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.repeat)])
def test_solver_audit_and_exact_fit(tokenizer):
    count = load_tokenizer(tokenizer).count
    for length, items in ((2_049, 30), (4_096, 60), (32_768, 5)):
        for index in range(items):
            draft = make(index, length, tokenizer)
            assert objections(draft) == []
            assert count(draft.prompt) + draft.max_output_tokens == length
            assert count(draft.answers[0]) * 1.05 <= draft.max_output_tokens
            wanted = [(k + 0.5) / draft.complexity for k in range(draft.complexity)]
            # A unit of thirty tokens is 2 % of the shortest filler.
            assert np.abs(np.array(draft.depths) - wanted).max() < 60 / length


def test_another_tokenizer_changes_the_amount_of_filler_alone():
    for index in range(15):
        one, other = make(index, 4_096), make(index, 4_096, "cl100k_base")
        assert (one.answers, one.facts) == (other.answers, other.facts)


def test_the_ladder_shares_item_and_filler():
    for index in range(15):
        short, long = make(index, 4_096), make(index, 32_768)
        assert (short.answers, short.facts, short.max_output_tokens) == (
            long.answers,
            long.facts,
            long.max_output_tokens,
        )
        assert third(short)[0] == third(long)[0] and third(short)[2] == third(long)[2]
        fillers = []
        for draft in (short, long):
            text, begin = draft.prompt, len(third(draft)[0])
            for start, end in reversed(draft.evidence):
                text = text[:start] + text[end + 1 :]
            fillers.append(text[begin:].partition("\n\n")[0].split("\n")[:-1])
        same = next(at for at, (a, b) in enumerate(zip(*fillers, strict=False)) if a != b)
        # The last 32 units of the short row may be left out to fit: at most 8 lines each.
        assert same > len(fillers[0]) - 150 > 0


@pytest.mark.slow
def test_a_million_tokens():
    for index in range(3):
        draft = make(index, 1 << 20)
        assert objections(draft) == []
        assert load_tokenizer("o200k_base").count(draft.prompt) + draft.max_output_tokens == 1 << 20


@pytest.mark.parametrize("skew", [-9, -1, 3, 40])
def test_where_counts_do_not_add_up_the_final_count_decides(skew):
    class Skewed(TokenBudget):
        def measure(self, prompt):
            return self.count(prompt) + skew

    budget = Skewed(load_tokenizer("o200k_base"))
    for index in range(6):
        slot = Slot(Item("latent_list", "", index), "4k", 4_096, index, 0, 4_096)
        draft = TASK.render(make_plan(index), slot, NoInputs(), budget)
        assert budget.measure(draft.prompt) + draft.max_output_tokens == 4_096
        assert objections(draft) == []


def test_a_length_without_room_is_refused():
    with pytest.raises(BudgetError, match="the prompt has"):
        slot = Slot(Item("latent_list", "", 2), "x", 300, 2, 0, 300)
        TASK.render(make_plan(2), slot, NoInputs(), TokenBudget(load_tokenizer("o200k_base")))


@pytest.mark.parametrize("index", range(15))
def test_mutants_of_operations(index):
    draft = make(index, 4_096)
    _, lines, _ = third(draft)
    places = places_of(draft)
    assert objections(changed(draft, lines, places)) == []
    for number, place in enumerate(places):
        rest = [*places[:number], *(other - 1 for other in places[number + 1 :])]
        dropped = objections(changed(draft, lines[:place] + lines[place + 1 :], rest))
        assert {"evidence", "solver"} <= set(dropped)
        replaced = changed(draft, [*lines[:place], ">> a.append(17)", *lines[place + 1 :]], places)
        assert "evidence" in objections(replaced)
        # The same call twice: the second is no evidence, so it stands among the filler.
        later = [*places[: number + 1], *(other + 1 for other in places[number + 1 :])]
        assert "relevant filler" in objections(changed(draft, [*lines[: place + 1], *lines[place:]], later))
    later = [place + (place >= 9) for place in places]
    for extra in (
        ">> a.append(1)",
        ">> a.sort()",
        ">> a.reverse()",
        ">> a.pop(0)",
        ">> a.insert(0, 9)",
        ">> a.clear()",
    ):
        assert "relevant filler" in objections(changed(draft, [*lines[:9], extra, *lines[9:]], later)), extra
    blank = [line for number, line in enumerate(lines) if number not in places]
    assert {"evidence", "solver"} <= set(objections(changed(draft, blank, []))), "evidence removed"
    assert objections(replace(draft, prompt=make(index + 15, 4_096).prompt)), "the session of another item"


@pytest.mark.parametrize("index", [3, *(pytest.param(one, marks=pytest.mark.repeat) for one in (0, 7, 11))])
def test_filler_made_relevant(index):
    draft = make(index, 4_096)
    _, lines, _ = third(draft)
    places = places_of(draft)
    for at in range(1, len(lines) - 1):
        if at in places or "print" in lines[at]:
            continue
        rest = [place - (place > at) for place in places]
        assert "relevant filler" in objections(changed(draft, lines[:at] + lines[at + 1 :], rest)), lines[at]


@pytest.mark.parametrize("index", range(15))
def test_audit_objects_to_a_wrong_draft(index):
    draft = make(index, 4_096)
    view = draft.facts["view"]
    gold = draft.answers[0]
    wrong = gold.replace("[", "").replace("]", "") if view == "print" else f"{gold}.0"
    assert "gold" in objections(replace(draft, answers=(wrong,)))
    assert "evidence" in objections(replace(draft, evidence=draft.evidence[1:]))
    assert "evidence" in objections(replace(draft, evidence=((0, 5), *draft.evidence[1:])))
    begin = draft.prompt.index("Answer: ") + len("Answer: ")
    digit = re.compile(r"\d").search(draft.prompt, begin).start()
    other = f"{draft.prompt[:digit]}{(int(draft.prompt[digit]) + 1) % 9 + 1}{draft.prompt[digit + 1 :]}"
    assert objections(replace(draft, prompt=other)) == ["example"]
    assert "layout" in objections(replace(draft, prompt=draft.prompt + "\n"))
    facts = {**draft.facts, "view": VIEWS[VIEWS.index(view) - 1]}
    assert "view" in objections(replace(draft, facts=facts))


def test_an_operation_that_does_not_count_is_found():
    draft = make(0, 4_096)
    _, lines, _ = third(draft)
    places = [*places_of(draft), len(lines) - 1]
    lines.insert(places[-1], '>> print("Carry on.")')
    facts = {**draft.facts, "operations": [*draft.facts["operations"], 'print("Carry on.")']}
    fake = replace(draft, facts=facts, complexity=draft.complexity + 1, depths=(*draft.depths, 1.0))
    fake = changed(fake, lines, places)
    assert objections(fake) == ["irrelevant operation"]


def test_the_interpreter_agrees_with_python_and_refuses_the_rest():
    look = read_look(">> print(a[1:4])")
    for index in range(200):
        stream = Stream("python", index)
        values, lines = list(START), []
        for _ in range(12):
            kind = stream.below(6)
            place, number = stream.below(12), stream.below(9) - 2
            call = (
                ("append", number),
                ("insert", place, number),
                ("pop",),
                ("pop", place),
                ("remove", number),
                ("sort",),
            )
            name, *arguments = call[kind]
            lines.append(f">> a.{name}({', '.join(map(str, arguments))})")
            try:
                getattr(values, name)(*arguments)
            except (IndexError, ValueError):
                assert run_lines(START, lines) is None
                break
            assert run_lines(START, lines) == values
            assert show(look, values) == str(values[1:4])
    for line in (">> a.pop(-1)", ">> a.append(01)", ">> a.append(5) ", "a.pop()", ">> a.insert(1,2)",
                 ">> a.extend([1])", ">> a.append(True)", ">> a.append(99999)", ">> a.append(٣)", ""):  # fmt: skip
        assert run_lines(START, [line]) is None, line
    assert run_lines(START, [">> a.append(1)"] * 100_000) is None
    assert show(read_look(">> min(a[3:5])"), [1, 2]) is None
    assert read_look(">> print(a)") is None and read_look(">> len(a)").view == "len"


def test_solve_is_total():
    for text in ("", "Session 3\n", "\nSession 1\n>> a = [1, 2, 3, 4, 5, 6]\n", "\ud800", "\n\n" * 1_000):
        assert TASK.solve(text) == ()


def test_wrong_answers_score_below_one():
    metric = METRICS[TASK.metrics[0]]
    for index in range(30):
        draft, other = make(index, 4_096), make(index + 1, 4_096)
        row, gold = row_of(draft), draft.answers[0]
        assert metric(gold, row) == 1 and METRICS[TASK.metrics[1]](gold, row) == 1
        wrong = ["", draft.prompt]
        if len(gold) >= 10:
            wrong.append(gold[: len(gold) - len(gold) // 10])
        if other.answers != draft.answers:
            wrong.append(other.answers[0])
        wrong.append("[0]" if gold.startswith("[") else str(int(gold) + 1))
        assert all(metric(text, row) < 1 for text in wrong)


def test_facts_are_small_and_depths_rise():
    for index in range(15):
        draft = make(index, 4_096)
        assert len(json.dumps(draft.facts)) < 1_200
        assert all(a <= b for a, b in pairwise(draft.depths))
        assert draft.prompt.endswith((" whole number.\n", " Python prints it.\n"))


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


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


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

CASE = Case(
    variants=separate("", metric="latent_list"),
    mutants=(operation_dropped, operation_changed, operation_added, cancelling_block_broken, gold_exchanged),
    # Values of a list.
    shares_answers=True,
)
