"""ancestral_trace: the quartet, chance for every shortcut, structures, exact fit, the ladder, names, the wording."""

import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from cases import Case
from mutants import edited

from carrara.errors import BudgetError, RecipeError
from carrara.making.row_maker import TokenBudget
from carrara.recipe.recipe import recipe_from_table
from carrara.stream import Stream
from carrara.task import Draft, Item, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.needlebench.ancestral_trace.checks import find_families
from carrara.tasks.needlebench.ancestral_trace.families import (
    BLOCK,
    Namer,
    StatementSource,
    person_names,
    statement_table,
    write_statements,
)
from carrara.tasks.needlebench.ancestral_trace.guesses import (
    AWARE,
    BLIND,
    TRACING,
    credit,
    picks,
    planned_scene,
    read_scene,
)
from carrara.tasks.needlebench.ancestral_trace.prompt import BEGIN, ELDER, END, HOW, STATEMENTS, YOUNGER
from carrara.tasks.needlebench.ancestral_trace.solver import answer, read_prompt, read_ties
from carrara.tasks.needlebench.ancestral_trace.structures import LINES, draw_structure
from carrara.tasks.needlebench.ancestral_trace.task import TASK, Params
from carrara.tokens import load_tokenizer

TOPOLOGIES = ("chain", "tree", "graph")
QUESTIONS = ("eldest", "ancestor", "descendant", "distance")
STREAM = "ancestral/1"


def make_plan(index, variant="direct_en", stream=STREAM, **params):
    item = Item("ancestral_trace", variant, index)
    return TASK.plan(Params(**params), item, None, plan_stream(TASK, stream, variant))


def make(index, length=8_192, variant="direct_en", placement=0, tokenizer="o200k_base", stream=STREAM, **params):
    plan = make_plan(index, variant, stream, **params)
    slot = Slot(Item("ancestral_trace", variant, index), "8k", length, index, placement, length)
    return TASK.render(plan, slot, None, TokenBudget(load_tokenizer(tokenizer)))


def lines_of(draft):
    """The problem's statements."""
    lang = "en" if END["en"] in draft.prompt else "zh"
    return draft.prompt[
        draft.prompt.rindex(BEGIN[lang]) + len(BEGIN[lang]) : draft.prompt.rindex(END[lang])
    ].splitlines()


def objections(draft):
    found = [f"{finding.what}: {finding.detail}" for finding in TASK.audit(draft)]
    return found if TASK.solve(draft.prompt) == draft.answers else [*found, "solver"]


def params_of(topology, question, fill="families"):
    steps = {} if fill == "steps" else {"steps": (3, 9) if question == "distance" else (2, 9)}
    return {"topology": topology, "question": question, "fill": fill, **steps}


@pytest.mark.parametrize("variant", ["direct_en", "reasoned_zh"])
def test_a_chain_alone_has_its_own_four_lines_whatever_its_bucket(variant):
    short, long = (make(0, length, variant, fill="none", steps=16) for length in (8_192, 32_768))
    assert short == long and objections(short) == []
    filled = make(0, 8_192, variant, steps=16)
    assert filled.answers == short.answers and filled.facts["path"] == short.facts["path"]
    own = set(lines_of(short))
    assert [line for line in lines_of(filled) if line in own] == lines_of(short) != lines_of(filled)
    # The published chains of 16 steps take about 1,100 tokens; ours have four lines of names.
    assert (
        1_000
        < load_tokenizer("o200k_base").count(make(0, 8_192, variant, fill="none", steps=16, shots=0).prompt)
        < 2_000
    )
    with pytest.raises(BudgetError, match="the row has 1200"):
        make(0, 1_200, variant, fill="none", steps=19)


CELLS = [
    (topology, question, fill)
    for topology in TOPOLOGIES
    for question in QUESTIONS
    for fill in ("families", "steps")
    if (question, fill) != ("distance", "steps")
]


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.repeat
@pytest.mark.parametrize(("topology", "question", "fill"), CELLS)
@pytest.mark.parametrize("variant", ["direct_en", "reasoned_zh"])
def test_every_kind_of_row_is_proven_and_exactly_full(topology, question, fill, variant):
    count = load_tokenizer("o200k_base").count
    for index in range(4):
        draft = make(index, 8_192, variant, **params_of(topology, question, fill))
        assert objections(draft) == []
        assert count(draft.prompt) + draft.max_output_tokens == 8_192
        assert draft.facts["fill"] == fill and draft.complexity == draft.facts["steps"] == len(draft.evidence)
        assert draft.max_output_tokens == (32 if variant == "direct_en" else 64 * draft.complexity + 256)


def test_another_encoding_changes_only_the_filler():
    ours, theirs = make(1), make(1, tokenizer="cl100k_base")
    assert load_tokenizer("cl100k_base").count(theirs.prompt) + 32 == 8_192
    assert (ours.choices, ours.answers, ours.facts) == (theirs.choices, theirs.answers, theirs.facts)


def test_a_shorter_row_is_a_part_of_a_longer_one():
    for topology in TOPOLOGIES:
        small, large = (lines_of(make(2, length, topology=topology)) for length in (4_096, 32_768))
        place = {line: at for at, line in enumerate(large)}
        kept = [place[line] for line in small if line in place]
        # But for the last units, all of the small one is there, in the same order.
        assert len(small) - len(kept) <= 8 and kept == sorted(kept)


def test_a_row_that_does_not_fit_says_what_to_do():
    with pytest.raises(BudgetError, match="examples, 308 statements"):
        make(0, 4_096, steps=77)
    with pytest.raises(BudgetError, match="lines of two steps"):
        make(0, 1_500, fill="steps")


class Sticky:
    """A budget whose counts do not add up: a joint saves a token now and then, as with SentencePiece."""

    def count(self, text):
        return -(-len(text) // 4) + 1

    def count_many(self, texts):
        return np.array([self.count(text) for text in texts], dtype=np.int64)

    def measure(self, prompt):
        return self.count(prompt)


@pytest.mark.parametrize("fill", ["families", "steps"])
def test_where_counts_do_not_add_up_the_final_count_decides(fill):
    for index in range(6):
        slot = Slot(Item("ancestral_trace", "direct_en", index), "8k", 8_192, index, 0, 8_192)
        draft = TASK.render(make_plan(index, fill=fill), slot, None, Sticky())
        used = Sticky().count(draft.prompt) + draft.max_output_tokens
        assert 8_192 - 41 <= used <= 8_192 and objections(draft) == []


def test_lines_as_deep_as_fits_grow_with_the_bucket():
    for topology in TOPOLOGIES:
        small, large = (make(3, length, topology=topology, fill="steps") for length in (8_192, 32_768))
        assert large.complexity > 3 * small.complexity
        # The same people from the bottom upwards, but for the last steps.
        steps = small.complexity - 3
        assert small.facts["path"][:steps] == large.facts["path"][:steps]
        assert len(set(lines_of(small)) & set(lines_of(large))) > 0.8 * len(lines_of(small))


def test_circular_rows_turn_the_options():
    drafts = [make(5, placement=placement, circular=True) for placement in range(4)]
    assert TASK.placements(Params(circular=True), "direct_en") == 4 and TASK.placements(Params(), "direct_en") == 1
    assert sorted(draft.answers[0] for draft in drafts) == list("ABCD")
    for turn, draft in enumerate(drafts):
        assert objections(draft) == []
        assert draft.choices == drafts[0].choices[turn:] + drafts[0].choices[:turn]
        assert draft.facts == drafts[0].facts
        assert set(lines_of(draft)) - set(lines_of(drafts[0])) == set() or len(lines_of(draft)) > 100


def test_reasoned_rows_have_the_same_material():
    for lang in ("en", "zh"):
        direct, reasoned = (make(4, variant=f"{kind}_{lang}", topology="graph") for kind in ("direct", "reasoned"))
        assert (direct.choices, direct.answers, direct.facts) == (reasoned.choices, reasoned.answers, reasoned.facts)
        assert direct.prompt.endswith(HOW[lang][0]) and reasoned.prompt.endswith(HOW[lang][1])
        place = {line: at for at, line in enumerate(lines_of(direct))}
        kept = [place[line] for line in lines_of(reasoned) if line in place]
        assert len(lines_of(reasoned)) - len(kept) <= 8 and kept == sorted(kept)


def test_shots_change_nothing_else():
    drafts = [make(6, shots=shots) for shots in (0, 1, 4, 8)]
    assert len({(draft.choices, draft.answers, tuple(draft.facts["path"])) for draft in drafts}) == 1
    for shots, draft in zip((0, 1, 4, 8), drafts, strict=True):
        problems = read_prompt(draft.prompt)
        assert len(problems) == shots + 1 and objections(draft) == []
        examples = problems[:-1]
        assert [answer(example) for example in examples] == [example.answer for example in examples]
        if shots >= 4:
            assert set(Counter(example.answer for example in examples).values()) == {shots // 4}
        used = [{name for tie in problem.ties for name in tie[:2]} for problem in problems]
        assert sum(map(len, used)) == len(set.union(*used))


def test_other_items_and_other_streams_share_no_people():
    people = []
    for stream in (STREAM, "ancestral/2"):
        for index in range(3):
            scene = read_scene(make(index, 32_768, stream=stream).prompt)
            people.append(set(scene.mentions))
    # A name comes again by chance: there are 130 million of each sex.
    assert 0.999 * sum(map(len, people)) < len(set.union(*people)) and len(set.union(*people)) > 4_000


# --- plans ------------------------------------------------------------------------------------------------------------


def test_letters_lines_and_steps_are_balanced():
    plans = [make_plan(index, steps=(2, 19)) for index in range(144)]
    assert set(Counter(plan.gold for plan in plans).values()) == {36}
    asked = [(plan.gold, plan.lines[plan.gold]) for plan in plans]
    for block in range(9):
        assert len(set(asked[16 * block : 16 * (block + 1)])) == 16
    steps = [plan.structure.high - plan.structure.low for plan in plans]
    assert set(Counter(steps).values()) == {8} and sorted(set(steps)) == list(range(2, 20))
    for block in range(8):
        assert sorted(steps[18 * block : 18 * (block + 1)]) == list(range(2, 20))
    for plan in plans:
        assert sorted(plan.lines) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("steps", "counts"),
    [
        (5, (5,)),
        ((7,), (7,)),
        ((2, 19), tuple(range(2, 20))),
        ((2, 17, 32, 47, 62, 77), (2, 17, 32, 47, 62, 77)),
    ],
)
def test_steps_are_a_number_a_range_or_a_list(steps, counts):
    assert Params(steps=steps).counts() == counts


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"steps": 1}, "from 2 to 160"),
        ({"steps": 161}, "from 2 to 160"),
        ({"steps": ()}, "expected numbers"),
        ({"steps": (9, 2)}, "expected numbers"),
        ({"steps": (2, 3, 3)}, "each once"),
        ({"steps": (2, 9), "question": "distance"}, "from 3 to 160"),
        ({"shots": 9}, "0 to 8"),
        ({"options": "paper", "question": "distance", "steps": 5}, "published question"),
        ({"fill": "steps", "steps": (3, 5)}, "leave them out"),
        ({"fill": "steps", "question": "distance", "steps": 5}, "distances that differ"),
    ],
)
def test_params_out_of_range_are_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        Params(**wrong)


def test_a_recipe_sets_steps_and_refuses_an_unknown_topology():
    def recipe(**params):
        return recipe_from_table(
            {
                "name": "atc",
                "version": "1.0.0",
                "stream": STREAM,
                "tokenizer": "o200k_base",
                "buckets": {"32k": 32_768},
                "cell": [{"task": "ancestral_trace", "variants": ["direct_en"], "questions": 4, "params": params}],
            }
        )

    params = recipe(steps=[2, 19], shots=4).configs()[0].params
    assert params.counts() == tuple(range(2, 20)) and params.shots == 4
    assert recipe(steps=12).configs()[0].params.counts() == (12,)
    assert recipe(circular=True).configs()[0].rows == 16
    for wrong in ({"topology": "forest"}, {"question": "youngest"}, {"steps": "many"}, {"step": 3}):
        with pytest.raises(RecipeError):
            recipe(**wrong)


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_plans_survive_json_and_are_small(topology, question):
    for index in range(4):
        plan = make_plan(index, steps=160, topology=topology, question=question)
        text = plan_json(plan)
        assert len(text.encode()) <= 16_384
        assert plan_from_json(TASK.plan_type, text) == plan


# --- chance -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("question", ["eldest", "ancestor", "descendant"])
def test_what_is_asked_changes_nothing_that_a_blind_rule_reads(topology, question):
    """With the context fixed, each of four questions has another answer: a blind rule is right once in four."""
    for index in range(6):
        plan = make_plan(index, steps=(2, 9), topology=topology, question=question)
        scenes = [planned_scene(replace(plan, gold=gold), 40) for gold in range(LINES)]
        assert len({scene.asked for scene, _ in scenes}) == LINES
        assert len({(tuple(scene.texts), scene.options) for scene, _ in scenes}) == 1
        assert [gold for _, gold in scenes] == list(range(LINES))
        for probe in BLIND.values():
            assert sum(credit(scene, probe, gold) for scene, gold in scenes) == pytest.approx(1)


def test_distances_have_four_answers_whatever_is_asked():
    for index in range(8):
        plan = make_plan(index, steps=(3, 9), topology=TOPOLOGIES[index % 3], question="distance")
        drafts = []
        for gold in range(LINES):
            slot = Slot(Item("ancestral_trace", "direct_en", index), "8k", 8_192, index, 0, 8_192)
            turned = replace(plan, gold=gold)
            drafts.append(TASK.render(turned, slot, None, TokenBudget(load_tokenizer("o200k_base"))))
        assert len({draft.choices for draft in drafts}) == 1 and len(set(drafts[0].choices)) == 4
        assert [draft.answers for draft in drafts] == [("A",), ("B",), ("C",), ("D",)]
        assert all(objections(draft) == [] for draft in drafts)


def shares(count, topology, steps, probes, options="quartet", others=0):
    """How often each probe is right, in points of 100."""
    found = dict.fromkeys(probes, 0.0)
    for index in range(count):
        plan = make_plan(index, topology=topology, steps=steps, options=options)
        scene, gold = planned_scene(plan, others)
        for name, probe in probes.items():
            found[name] += 100 * credit(scene, probe, gold) / count
    return found


@pytest.mark.parametrize(
    "topology", [TOPOLOGIES[0], *(pytest.param(one, marks=pytest.mark.repeat) for one in TOPOLOGIES[1:])]
)
def test_blind_rules_are_at_chance(topology):
    # Of 200 plans a guess among four is right in 25 points with a deviation of 3.1.
    for steps, others in ((2, 0), (9, 30)):
        found = shares(100, topology, steps, BLIND, others=others)
        assert len(found) == 12
        assert all(abs(value - 25) < 13 for value in found.values()), found
        if topology != "graph":
            # Families that are alike: counts cannot even tell the options apart.
            for name in ("mentioned once", "mentioned least", "mentioned most", "most children", "most descendants"):
                assert found[name] == pytest.approx(25)
        for name in ("no parent", "biggest family", "smallest family"):
            assert found[name] == pytest.approx(25)


@pytest.mark.slow
@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("steps", [2, 5, 10, 19])
def test_blind_rules_are_within_three_points_of_chance(topology, steps):
    found = shares(2_000, topology, steps, BLIND)
    assert all(abs(value - 25) <= 3 for value in found.values()), found


def test_the_published_shape_is_given_away():
    found = shares(40, "chain", 9, {**BLIND, **AWARE}, options="paper")
    assert found["mentioned once"] == found["no parent"] == found["most descendants"] == pytest.approx(100)
    for index in range(6):
        for topology in TOPOLOGIES:
            draft = make(index, topology=topology, options="paper", steps=(2, 9))
            assert objections(draft) == []
            if draft.complexity >= 4:
                assert set(draft.choices) <= set(draft.facts["path"][1:])


def test_tracing_is_what_a_topology_wants():
    chain, graph = (shares(60, topology, 9, {**TRACING, **AWARE}) for topology in ("chain", "graph"))
    assert chain["same family"] == chain["a root upward"] == pytest.approx(100)
    assert graph["same family"] == pytest.approx(25)
    assert graph["a root upward"] < 75 and graph["always the first parent"] < 60
    assert abs(chain["nearest in the text"] - 25) < 20


def test_picks_share_what_they_cannot_tell_apart():
    scene, gold = planned_scene(make_plan(0))
    assert picks(scene, lambda scene, option: 0) == (0, 1, 2, 3)
    assert credit(scene, lambda scene, option: 0, gold) == 0.25
    assert credit(scene, lambda scene, option: option == scene.options[gold], gold) == 1
    assert read_scene("no trace") is None
    assert read_scene(make(0, question="distance", steps=4).prompt) is None
    with pytest.raises(ValueError, match="number of steps"):
        planned_scene(make_plan(0, fill="steps"))


# --- structures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topology", TOPOLOGIES)
@pytest.mark.parametrize("question", QUESTIONS)
def test_structures_are_what_they_say(topology, question):
    extras = 0
    for steps in (3, 4, 8, 19):
        for index in range(10):
            own = draw_structure(Stream("structure", index), topology, question, steps)
            extras += len(own.extras)
            assert own.high - own.low == steps and len(own.terms) == LINES
            assert {generations for line in own.terms for generations in line} <= {1, 2}
            totals = [own.generations(line) for line in range(LINES)]
            assert len(set(totals)) == (4 if question == "distance" else 1)
            elders = Counter(tie[0] for tie in own.extras)
            assert max(elders.values(), default=0) <= 1 or topology == "tree"
            assert max((max(tie[:2]) for tie in own.extras), default=0) < own.people
            if topology == "graph":
                _check_links(own)
    assert (extras == 0) == (topology == "chain")


def _check_links(own):
    """Everybody has one birth generation, and a link leads to a line whose root is lower."""
    top = len(own.terms[0])
    ties = [
        (own.person(line, step), own.person(line, step + 1), generations)
        for line in range(LINES)
        for step, generations in enumerate(own.terms[line])
    ]
    families = find_families([(str(a), str(b), span) for a, b, span in [*ties, *own.extras]])
    assert families.contradiction == "" and len(set(families.family.tolist())) == 1
    roots = {line: families.generation_of(str(own.person(line, top))) for line in range(LINES)}
    assert len(set(roots.values())) == LINES
    for younger, elder, _ in own.extras:
        assert roots[elder % LINES] < roots[younger % LINES] and elder >= LINES
    assert {younger % LINES for younger, _, _ in own.extras} == set(sorted(roots, key=lambda line: roots[line])[1:])


def test_nobody_has_two_fathers():
    for topology in ("tree", "graph"):
        for index in range(30):
            own = draw_structure(Stream("sexes", index), topology, "eldest", 8)
            table = statement_table([own])
            made = write_statements(
                StatementSource(table, Stream("key", index), Namer(Stream("names"), "en", 0), 0), 400
            )
            spans = np.tile(table.generations, 20)[:400]
            partners = 0
            for number, partner in enumerate(table.partner.tolist()):
                if partner > number:
                    partners += 1
                    assert made.sides[number] != made.sides[partner]
                    both = [int(table.elder[number]), int(table.elder[partner])]
                    if spans[number] == spans[partner] == 1:
                        assert made.men[both[0]] != made.men[both[1]]
                if spans[number] == 1:
                    assert made.sides[number] == 1 - int(made.men[table.elder[number]])
            assert partners or topology == "tree"


def test_families_are_found_and_contradictions_told():
    families = find_families([("a", "b", 1), ("b", "c", 2), ("d", "c", 1), ("a", "e", 2), ("x", "y", 1)])
    assert families.contradiction == ""
    assert families.family_of("a") == families.family_of("e") == families.family_of("d") != families.family_of("x")
    above = {person: families.generation_of(person) - families.generation_of("a") for person in "abcde"}
    assert above == {"a": 0, "b": 1, "c": 3, "d": 2, "e": 2}
    assert sorted(families.people_of(families.family_of("y"))) == ["x", "y"]
    for circle in range(2, 9):
        ring = [(str(at), str((at + 1) % circle), 1) for at in range(circle)]
        assert find_families(ring).contradiction
    assert find_families([("a", "b", 1), ("b", "c", 1), ("a", "c", 1)]).contradiction
    assert find_families([]).contradiction == ""


@pytest.mark.parametrize("topology", ["tree", "graph"])
@pytest.mark.parametrize("question", ["eldest", "ancestor", "descendant"])
def test_mutants_of_the_other_topologies_are_objected_to(topology, question):
    # These change the answer of a path that leads upwards to a root, and leave the others as right as they were.
    upward = {"statement_doubled", "gold_in_filler", "second_right_option", "filler_made_relevant"}
    # Of other items a wrong root's line can move so that the row stays right.
    for index in (0, 2):
        draft, other = (make(one, 4_096, steps=5, topology=topology, question=question) for one in (index, index + 1))
        for mutant in MUTANTS:
            if question != "eldest" and mutant.__name__ in upward:
                continue
            for number, damaged in enumerate(mutant(draft, other)):
                assert objections(damaged), (mutant.__name__, number)


# --- names and wording ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_names_are_all_different_and_none_begins_another(lang):
    people = np.arange(60_000)
    men = people % 3 == 0
    names = person_names(Stream("names"), lang, 7, people, men, people)
    assert len(set(names)) == len(names)
    assert not any(other.startswith(one) for one, other in pairwise(sorted(names)))
    if lang == "zh":
        assert {len(name) for name in names} == {3}
    else:
        assert all(len(name.split()) == 3 and name.istitle() for name in names)
        women = {name.split()[0] for name, man in zip(names, men, strict=True) if not man}
        assert not women & {name.split()[0] for name, man in zip(names, men, strict=True) if man}
    # Person j is known without the others, and other items have other people.
    assert person_names(Stream("names"), lang, 7, people[[5, 59_999]], men[[5, 59_999]], people[[5, 59_999]]) == [
        names[5],
        names[59_999],
    ]
    others = [
        *person_names(Stream("names"), lang, 6, people, men, people),
        *person_names(Stream("names"), lang, 8, people, men, people),
    ]
    assert len(set(names) & set(others)) < 0.03 * len(names)
    assert len(people) < BLOCK


def surname(name):
    return name.split()[-1] if " " in name else name[0]


@pytest.mark.parametrize("lang", ["en", "zh"])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_surnames_follow_the_fathers_line(topology, lang):
    mothers = []
    for index in range(4):
        for problem in read_prompt(make(index, variant=f"direct_{lang}", topology=topology, steps=(5, 9)).prompt):
            sex = {}
            for younger, elder, form in problem.ties:
                sex.update({elder: form.elder_sex} if form.elder_sex is not None else {})
                sex.update({younger: form.younger_sex} if form.younger_sex is not None else {})
            for younger, elder, form in problem.ties:
                line = form.generations == 1 or form.side == 0
                if elder in sex and sex[elder] == 1 and line:
                    assert surname(younger) == surname(elder)
                elif elder in sex and form.generations == 1:
                    mothers.append(surname(younger) == surname(elder))
            assert len({surname(option) for option in problem.options}) == 1
    # People of one surname marry now and then.
    assert len(mothers) > 100 and sum(mothers) < 0.02 * len(mothers)


def test_surnames_are_no_hint():
    for topology in TOPOLOGIES:
        found = shares(100, topology, 4, AWARE, others=20)
        assert found["the same surname"] == pytest.approx(25)
        assert topology == "graph" or found["a child of the same surname"] == pytest.approx(25)


def test_no_character_of_a_chinese_name_stands_in_a_statement():
    people = np.arange(40_000)
    letters = set("".join(person_names(Stream("all"), "zh", 0, people, people % 2 == 0, people)))
    worded = "".join(text for texts in STATEMENTS["zh"] for text in texts) + str(ELDER["zh"]) + str(YOUNGER["zh"])
    assert len(letters) > 500 and not letters & set(worded)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_statement_is_read_as_it_was_meant(lang):
    table = statement_table([draw_structure(Stream("read"), "tree", "eldest", 19)])
    made = write_statements(StatementSource(table, Stream("read", lang), Namer(Stream("names"), lang, 0), 0), 4_000)
    ties = read_ties("".join(made.texts), lang)
    size, sides, told = len(table.younger), Counter(), Counter()
    for number, (younger, elder, form) in enumerate(ties):
        copy, at = divmod(number, size)
        one, two = (int(column[at]) + copy * table.people for column in (table.younger, table.elder))
        assert (younger, elder) == (made.names[one], made.names[two])
        assert form.generations == table.generations[at]
        for value, meant in ((form.side, made.sides[number]), (form.elder_sex, made.men[two])):
            assert value is None or value == int(meant)
        assert form.younger_sex is None or form.younger_sex == int(made.men[one])
        sides[form.side] += 1
        told[form.generations, form.elder_sex] += 1
    assert {0, 1} <= set(sides) and len(told) == 6
    lengths = {len(text) for text in made.texts}
    assert len(lengths) >= 8, "the length of a line tells nothing only if lengths vary"
    assert read_ties(made.texts[0] + "Nobody knows.\n", lang) is None
    assert read_ties(made.texts[0] + "\n", lang) is None


def test_the_solver_reads_nothing_that_is_not_exactly_a_trace():
    draft = make(0, 4_096)
    assert TASK.solve(draft.prompt) == draft.answers
    first = lines_of(draft)[0]
    for wrong in (
        draft.prompt + " ",
        draft.prompt.replace("[The statements end]", "[The statements stop]"),
        draft.prompt.replace(first, first + " So they say."),
        draft.prompt.replace("A. ", "A) "),
        draft.prompt.replace("\nProblem\n", "\nProblem\nProblem\n"),
        draft.prompt.replace("Four examples", "Three examples"),
        draft.prompt.replace(f"to whom {draft.facts['path'][0]}", "to whom Nobody Atall"),
        draft.prompt[10:],
    ):
        assert wrong != draft.prompt and TASK.solve(wrong) == ()


def test_a_hostile_prompt_costs_little():
    draft = make(0, 4_096)
    at = draft.prompt.rindex(BEGIN["en"]) + len(BEGIN["en"])
    for hostile in (
        "Aa " * 200_000,
        "A" + "a" * 400_000 + " B" + "b" * 400_000,
        "Aa Bb" * 200_000,
        "\n" * 500_000,
        "\ud800",
    ):
        start = time.perf_counter()
        assert TASK.solve(draft.prompt[:at] + hostile + draft.prompt[at:]) == ()
        assert time.perf_counter() - start < 5


@pytest.mark.slow
@pytest.mark.parametrize("variant", ["direct_en", "direct_zh"])
@pytest.mark.parametrize("topology", TOPOLOGIES)
def test_a_row_of_a_million_tokens(variant, topology):
    draft = make(0, 1 << 20, variant, topology=topology, steps=(2, 17, 32, 47, 62, 77))
    assert objections(draft) == []
    assert load_tokenizer("o200k_base").count(draft.prompt) + 32 == 1 << 20
    scene = read_scene(draft.prompt)
    assert 33_000 < len(scene.mentions) < BLOCK
    assert json.loads(json.dumps(draft.facts)) == draft.facts


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


_LINE = {"en": "{elder} is the mother of {younger}.\n", "zh": "{elder}是{younger}的母亲。\n"}


def _lang(draft: Draft) -> str:
    return "en" if "[The statements begin]" in draft.prompt else "zh"


def _body(draft: Draft) -> tuple[int, int]:
    """Where the problem's statements stand."""
    begin, end = (
        ("[The statements begin]\n", "[The statements end]")
        if _lang(draft) == "en"
        else ("【陈述开始】\n", "【陈述结束】")
    )
    return draft.prompt.rindex(begin) + len(begin), draft.prompt.rindex(end)


def _other_lines(draft: Draft) -> list[tuple[int, int]]:
    """Where the statements stand that are not on the path."""
    at, end = _body(draft)
    found = []
    while at < end:
        stop = draft.prompt.index("\n", at) + 1
        if all(stop <= a or b <= at for a, b in draft.evidence):
            found.append((at, stop))
        at = stop
    return found


def statement_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A statement of the path is lost, its span and its depth with it."""
    for number, (start, end) in enumerate(draft.evidence):
        cut = edited(draft, start, end + 1, "")
        evidence, depths = list(cut.evidence), list(cut.depths)
        del evidence[number], depths[number]
        yield replace(cut, evidence=tuple(evidence), depths=tuple(depths))


def statement_reversed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The two people of a statement of the path change places."""
    path = draft.facts["path"]
    for number, (start, end) in enumerate(draft.evidence):
        one, two = path[number : number + 2]
        text = draft.prompt[start:end].replace(one, "\0").replace(two, one).replace("\0", two)
        yield edited(draft, start, end, text)


def statement_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A person of the path has a second mother stated, of another item."""
    path = draft.facts["path"]
    for number, (_, end) in enumerate(draft.evidence):
        line = _LINE[_lang(draft)].format(elder=other.facts["path"][-1], younger=path[number])
        yield edited(draft, end + 1, end + 1, line)


def second_right_option(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A wrong option becomes an ancestor too: it stands above the gold, or is the gold once more."""
    gold = draft.choices["ABCD".index(draft.answers[0])]
    for wrong in draft.choices:
        if wrong != gold:
            start, _ = _other_lines(draft)[-1]
            yield edited(draft, start, start, _LINE[_lang(draft)].format(elder=wrong, younger=gold))
            doubled = draft.prompt.rindex(wrong)
            choices = tuple(gold if choice == wrong else choice for choice in draft.choices)
            yield replace(edited(draft, doubled, doubled + len(wrong), gold), choices=choices)


def gold_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The gold is somebody's grandchild in another family."""
    gold = draft.choices["ABCD".index(draft.answers[0])]
    start, _ = _other_lines(draft)[0]
    yield edited(draft, start, start, _LINE[_lang(draft)].format(elder=other.facts["path"][0], younger=gold))


def filler_made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A statement that is not on the path comes to tell of a person of the path."""
    path, found = draft.facts["path"], 0
    for start, stop in _other_lines(draft):
        text = draft.prompt[start:stop]
        for choice in draft.choices:
            # A line that names a wrong root: the root's name gives way to a person of the path.
            if choice in text and choice not in path:
                found += 1
                yield edited(draft, start, stop, text.replace(choice, path[0]))
    assert found >= 3


def options_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two options change places, in the prompt and in the row; the recorded letter stays."""
    gold = "ABCD".index(draft.answers[0])
    wrong = (gold + 1) % 4
    one, two = draft.choices[gold], draft.choices[wrong]
    start = draft.prompt.rindex("\nA. ")
    tail = draft.prompt[start:].replace(one, "\0").replace(two, one).replace("\0", two)
    choices = list(draft.choices)
    choices[gold], choices[wrong] = two, one
    yield replace(draft, prompt=draft.prompt[:start] + tail, choices=tuple(choices))


def letter_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another letter is recorded."""
    for letter in "ABCD":
        if letter != draft.answers[0]:
            yield replace(draft, answers=(letter,))


def asked_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Question and options are another item's."""
    mark = "\nQuestion: " if _lang(draft) == "en" else "\n问题："
    ours, theirs = draft.prompt.rindex(mark), other.prompt.rindex(mark)
    prompt = draft.prompt[:ours] + other.prompt[theirs:]
    yield replace(draft, prompt=prompt)
    yield replace(draft, prompt=prompt, choices=other.choices, answers=other.answers)


def root_asked_by_another_bottom(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A person in the middle of the path is asked about: the letter stays right, the path does not."""
    path = draft.facts["path"]
    if len(path) > 2:
        at = draft.prompt.rindex(path[0])
        yield edited(draft, at, at + len(path[0]), path[1])


def name_shared(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A person of the path has the name of a wrong option, everywhere and in what is recorded."""
    path = draft.facts["path"]
    wrong = next(choice for choice in draft.choices if choice not in path)
    start, end = _body(draft)
    at = draft.prompt.rfind(path[1], start, end)
    while at >= 0:
        draft = edited(draft, at, at + len(path[1]), wrong)
        at = draft.prompt.rfind(path[1], start, at)
    yield replace(draft, facts={**draft.facts, "path": [wrong if name == path[1] else name for name in path]})


def father_and_mother(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A parent on the path is called a man and a woman."""
    path = draft.facts["path"]
    lines = ("{elder} is the {term} of {younger}.\n", "{elder}是{younger}的{term}。\n")
    line, terms = (lines[0], ("father", "mother")) if _lang(draft) == "en" else (lines[1], ("父亲", "母亲"))
    at = _body(draft)[0]
    text = "".join(
        line.format(elder=path[1], younger=young, term=term)
        for young, term in zip(other.facts["path"][:2], terms, strict=True)
    )
    yield edited(draft, at, at, text)


def example_answer_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An example gives a wrong letter."""
    match = re.search(r"^(?:Answer: |答案：)([A-D])$", draft.prompt, re.MULTILINE)
    assert match
    wrong = "ABCD"[("ABCD".index(match[1]) + 1) % 4]
    yield edited(draft, match.start(1), match.end(1), wrong)


MUTANTS = (
    statement_removed,
    statement_reversed,
    statement_doubled,
    second_right_option,
    gold_in_filler,
    filler_made_relevant,
    options_swapped,
    letter_exchanged,
    asked_of_another,
    root_asked_by_another_bottom,
    name_shared,
    father_and_mother,
    example_answer_changed,
)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

CASE = Case(
    variants={
        "direct_en": ("direct_en", "choice"),
        "reasoned_en": ("direct_en", "choice"),
        "direct_zh": ("direct_zh", "choice"),
        "reasoned_zh": ("direct_zh", "choice"),
    },
    mutants=MUTANTS,
)
