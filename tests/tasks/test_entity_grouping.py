"""entity_grouping: pinned entities, the paper's token counts, full rows, shared material, glosses all understood."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise

import pytest
from cases import Case, Row
from folders import CORPORA
from mutants import gold_exchanged

from carrara.errors import BudgetError, RecipeError
from carrara.making.proofs import gold_response
from carrara.recipe.recipe import recipe_from_table
from carrara.row import canonical_json
from carrara.scoring import METRICS
from carrara.sources import open_source, tables
from carrara.stream import Stream
from carrara.task import Draft, Item, Slot, plan_from_json, plan_json, plan_stream
from carrara.tasks.verbatimeval.entity_grouping.solver import CUES, class_of, read
from carrara.tasks.verbatimeval.entity_grouping.supply import CLASSES, HEADS, LABELS, TAILS, EntitySupply
from carrara.tasks.verbatimeval.entity_grouping.task import TASK, Params
from carrara.tokens import Tokenizer, load_tokenizer
from carrara.world.language.class_texts import class_text
from carrara.world.language.grammar import Alternatives, Phrase
from carrara.world.world import World

real = [
    pytest.mark.repeat,
    pytest.mark.corpora,
    pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES"),
]
STREAM = "golden/1"


@dataclass(eq=False)
class Counts:
    """A budget of the real tokenizer; `skew` tokens that only the finished prompt shows."""

    tokenizer: Tokenizer
    skew: int = 0

    def count(self, text):
        return self.tokenizer.count(text)

    def count_many(self, texts):
        return self.tokenizer.count_many(texts)

    def measure(self, prompt):
        return self.tokenizer.count(prompt) + self.skew


class Roll:
    """Titles of a made-up source: class after class, so many of each."""

    def __init__(self, each, classes=tuple(LABELS)):
        self.each, self.classes = each, classes

    @property
    def size(self):
        return self.each * len(self.classes)

    def class_of(self, number):
        return self.classes[number // self.each]

    def named(self, numbers):
        return [(f"Title {number} (one of {self.class_of(number)})", "") for number in numbers]


class Inputs:
    """Inputs with tables alone."""

    def __init__(self, roll):
        self.roll = roll

    def haystack(self, lang, order, tokens, repeat):
        raise AssertionError("entity_grouping takes no haystack")

    @property
    def tables(self):
        return self

    def entity_roll(self, lang):
        assert lang == "en"
        return self.roll


@cache
def inputs(kind, stream=STREAM):
    return Inputs(World(stream, 8).entity_roll("en") if kind.startswith("world") else Roll(600))


@cache
def budget(tokenizer="o200k_base"):
    return Counts(load_tokenizer(tokenizer))


def make_plan(variant, index, stream=STREAM, **params):
    item = Item("entity_grouping", variant, index)
    return TASK.plan(Params(**params), item, None, plan_stream(TASK, stream, variant))


@cache
def make(variant, index, length, tokenizer="o200k_base", count=None, stream=STREAM) -> Draft:
    slot = Slot(Item("entity_grouping", variant, index), f"{length}", length, index, 0, length)
    plan = make_plan(variant, index, stream, count=count)
    return TASK.render(plan, slot, inputs(variant, stream), budget(tokenizer))


def entries(draft):
    ((start, end),) = draft.evidence
    return draft.prompt[start:end]


def names(draft):
    found = read(draft.prompt)
    assert found is not None
    return found.names


def objections(draft, variant):
    found = [finding.what for finding in TASK.audit(draft)]
    if TASK.solvable(variant, TASK.variants[variant].source) and TASK.solve(draft.prompt) != draft.answers:
        found.append("solver")
    return found


VARIANTS = tuple(TASK.variants)
BASES = ("world", "dbpedia")


# --- plans and units --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_plans_are_pinned(variant):
    base = variant.removesuffix("_verbatim")
    plan = make_plan(variant, 2)
    assert plan_json(plan) == canonical_json(
        {
            "asked": "copy" if variant.endswith("_verbatim") else "group",
            "count": None,
            "entities": ["golden/1", "entity_grouping", base, 2, "entities"],
            "layout": "glossed" if base == "world" else "bare",
        }
    )
    assert plan_from_json(TASK.plan_type, plan_json(plan)) == plan


# A plan holds a key: what the key says is pinned too.
GOLDEN_LINES = {
    "world": [
        "Gridreti Darsten College (chalk in every classroom)",
        "Six Pears and the Poet of Dumroon (reviewers preferred its first side)",
        "Ulhalo Meteor C939 (its crew complain of its vibration)",
        "A Map of Prorchell Segleigh (serialised before its second printing)",
    ],
    "dbpedia": [
        "Title 4824 (one of village)",
        "Title 3228 (one of mean_of_transportation)",
        "Title 584 (one of company)",
        "Title 859 (one of educational_institution)",
    ],
}


@pytest.mark.parametrize("variant", VARIANTS)
def test_entities_are_pinned(variant):
    base = variant.removesuffix("_verbatim")
    found = entries(make(variant, 0, 2_048)).split("\n" if base == "world" else ", ")
    assert found[:4] == GOLDEN_LINES[base]


@pytest.mark.parametrize("base", BASES)
def test_a_smaller_list_is_a_subsequence_of_a_larger_one(base):
    drafts = [make(base, 1, length) for length in (2_048, 4_096, 8_192, 32_768)]
    for small, large in pairwise(drafts):
        listed, within = names(small), set(names(small))
        kept = [name for name in names(large) if name in within]
        # The last units are chosen to fill the length.
        assert len(listed) - len(kept) <= 32 and len(kept) > len(listed) // 3
        assert kept == [name for name in listed if name in set(kept)]


@pytest.mark.parametrize("base", BASES)
def test_given_counts_are_prefixes_of_one_draw(base):
    drafts = [make(base, 1, 32_768, count=count) for count in (14, 15, 100, 250, 500)]
    for small, large in pairwise(drafts):
        within = set(names(small))
        assert [name for name in names(large) if name in within] == names(small)
        assert large.complexity == len(names(large)) > small.complexity
    assert all(len(line.split(": ")[1].split("; ")) == 1 for line in drafts[0].answers[0].split("\n"))


@pytest.mark.parametrize("each", [1, 2, 7])
def test_the_first_fourteen_are_one_of_each_class(each):
    roll = Roll(each)
    for index in range(20):
        supply = EntitySupply((STREAM, index), "bare", roll, budget())
        for count in {14, 14 * each}:
            listed = supply.first(count)
            assert {one.class_ for one in listed} == set(LABELS) and len({one.name for one in listed}) == count


def test_entities_are_drawn_alike_and_stand_anywhere():
    roll, first, last = Roll(40), [0] * 560, [0] * 14
    for index in range(200):
        listed = EntitySupply((STREAM, index), "bare", roll, budget()).first(56)
        for one in listed:
            first[int(one.name.split()[1])] += 1
        last[tuple(LABELS).index(listed[-1].class_)] += 1
    # 20 of 200, and 14.
    assert min(first) > 5 and max(first) < 40 and min(last) > 3 and max(last) < 32


# --- length -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokenizer", ["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.repeat)])
@pytest.mark.parametrize("variant", VARIANTS)
def test_rows_are_full_and_proven(variant, tokenizer):
    count = load_tokenizer(tokenizer).count
    for length, items in ((2_048, 8), (4_096, 4), (32_768, 2)):
        for index in range(items):
            draft = make(variant, index, length, tokenizer)
            assert objections(draft, variant) == []
            left = length - count(draft.prompt) - draft.max_output_tokens
            assert 0 <= left <= (2 if length == 2_048 else 0.0005 * length + 2)
            assert draft.max_output_tokens >= 1.05 * count(gold_response(draft.answers))
            assert draft.depths == ()


@pytest.mark.parametrize("base", BASES)
def test_a_pair_has_the_same_list_and_the_same_room(base):
    count = budget().count
    for length in (*range(2_048, 2_068), 4_096, 8_192):
        ours, copied = make(base, 3, length), make(f"{base}_verbatim", 3, length)
        assert entries(ours) == entries(copied) and ours.complexity == copied.complexity
        rooms = [count(draft.prompt) + draft.max_output_tokens for draft in (ours, copied)]
        assert rooms[0] == rooms[1] <= length
    assert entries(make(base, 3, 4_096)) != entries(make(base, 4, 4_096))


@pytest.mark.parametrize("skew", [3, 40, 300])
@pytest.mark.parametrize("variant", VARIANTS)
def test_where_counts_do_not_add_up_the_final_count_decides(variant, skew):
    skewed = Counts(load_tokenizer("o200k_base"), skew)
    slot = Slot(Item("entity_grouping", variant, 0), "4k", 4_096, 0, 0, 4_096)
    draft = TASK.render(make_plan(variant, 0), slot, inputs(variant), skewed)
    assert 0 <= 4_096 - skewed.measure(draft.prompt) - draft.max_output_tokens < 30
    assert objections(draft, variant) == []


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_given_count_is_listed_or_refused(variant):
    for count in (14, 100, 250):
        draft = make(variant, 0, 16_384, count=count)
        assert draft.complexity == count and objections(draft, variant) == []
    with pytest.raises(BudgetError, match=r"500 entities and their answer take \d+ tokens; the row has 2048"):
        make(variant, 0, 2_048, count=500)


@pytest.mark.parametrize("variant", VARIANTS)
def test_counts_are_dealt_evenly_and_alike_in_a_pair(variant):
    counts = (100, 250, 500)
    dealt = [make_plan(variant, index, count=counts).count for index in range(30)]
    assert all(sorted(dealt[start : start + 3]) == list(counts) for start in range(0, 30, 3))
    assert dealt != list(counts) * 10
    base = variant.removesuffix("_verbatim")
    assert dealt == [make_plan(base, index, count=counts).count for index in range(30)]
    assert make_plan(variant, 4, count=(100,)) == make_plan(variant, 4, count=100)


@pytest.mark.parametrize("wrong", [13, 0, 1_000_001, (100, 13), ()])
def test_counts_that_are_refused(wrong):
    with pytest.raises(ValueError, match="expected"):
        Params(count=wrong)


def test_a_source_that_is_too_small_is_told():
    def render(roll, length=4_096, **params):
        slot = Slot(Item("entity_grouping", "dbpedia", 0), "4k", length, 0, 0, length)
        return TASK.render(make_plan("dbpedia", 0, **params), slot, Inputs(roll), budget())

    with pytest.raises(BudgetError, match=r"all 28 entities of the source take \d+ tokens.*the row has \d+"):
        render(Roll(2))
    with pytest.raises(BudgetError, match="29 entities are needed, the source has 28"):
        render(Roll(2), count=29)
    assert render(Roll(2), count=28).complexity == 28
    with pytest.raises(BudgetError, match="no entity of the classes Plant, Written work"):
        render(Roll(500, tuple(class_ for class_ in LABELS if class_ not in {"plant", "written_work"})))
    with pytest.raises(BudgetError, match="one entity of each of the 14 classes takes"):
        render(Roll(500), 450)
    with pytest.raises(BudgetError, match="one entity of each of the 14 classes takes"):
        render(Roll(500), 50)


# --- recipes ----------------------------------------------------------------------------------------------------------


def cell(*variants, **more):
    return recipe_from_table(
        {
            "name": "grouping",
            "version": "1.0.0",
            "stream": STREAM,
            "tokenizer": "o200k_base",
            "buckets": {"4k": 4_096},
            "cell": [{"task": "entity_grouping", "variants": list(variants), "questions": 2, **more}],
        }
    ).cells[0]


@pytest.mark.parametrize("base", BASES)
def test_a_cell_names_the_source_of_its_variants(base):
    assert cell(base, f"{base}_verbatim").source == cell(base, source=base).source == base
    other = BASES[1 - BASES.index(base)]
    with pytest.raises(RecipeError, match=f"variant '{base}_verbatim' with source = '{other}'"):
        cell(f"{base}_verbatim", source=other)
    with pytest.raises(RecipeError, match="give each source a cell of its own"):
        cell(base, other)


def test_counts_of_a_recipe():
    assert cell("world", params={"count": [100, 250]}).params == Params((100, 250))
    assert cell("world").params == Params(None)
    for wrong in ([], [13], "many", [100, "x"], 13):
        with pytest.raises(RecipeError, match="params of entity_grouping"):
            cell("world", params={"count": wrong})


# --- the solver -------------------------------------------------------------------------------------------------------


def every(phrase: Phrase, cues: frozenset[str]) -> tuple[set[str], bool]:
    """All words that a template may write, and whether one of `cues` stands in everything that it writes."""
    found: set[str] = set()
    sure = False
    for part in phrase:
        if isinstance(part, str):
            words = {word.strip(",:;.") for word in part.split()}
            found |= words
            sure = sure or bool(words & cues)
        elif isinstance(part, Alternatives):
            options = [every(option, cues) for option in part.phrases]
            found |= set().union(*(words for words, _ in options))
            sure = sure or all(one for _, one in options)
    return found, sure


@pytest.mark.parametrize("class_", list(LABELS))
def test_no_gloss_can_be_written_that_is_not_understood(class_):
    foreign = {word for other, words in CUES.items() if other != class_ for word in words.split()}
    for template in class_text("en", class_).glosses:
        words, sure = every(template, frozenset(CUES[class_].split()))
        assert not words & foreign, words & foreign
        assert sure, template


def test_no_cue_is_of_two_classes_and_none_is_in_vain():
    words = [word for listed in CUES.values() for word in listed.split()]
    assert len(words) == len(set(words)) and list(CUES) == list(LABELS)
    for class_, listed in CUES.items():
        possible = set().union(*(every(template, frozenset())[0] for template in class_text("en", class_).glosses))
        assert set(listed.split()) <= possible


def test_every_gloss_of_a_corpus_is_understood():
    roll = World("glosses", 4).entity_roll("en")
    wrong = [
        (gloss, roll.class_of(number))
        for number, (_, gloss) in enumerate(roll.named(range(roll.size)))
        if class_of(gloss) != roll.class_of(number)
    ]
    assert wrong == []
    assert class_of("") is class_of("something else") is class_of("sleeve and reels") is None


def test_a_gloss_says_neither_its_label_nor_its_name():
    roll = World("glosses", 1).entity_roll("en")
    for number, (name, gloss) in enumerate(roll.named(range(roll.size))):
        assert 3 <= len(gloss.split()) <= 8 and LABELS[roll.class_of(number)].lower() not in gloss, gloss
        assert not [word for word in name.split() if word[0].isupper() and word in gloss]


def test_solve_is_exact():
    for variant in VARIANTS:
        prompt = make(variant, 0, 2_048).prompt
        assert TASK.solve(prompt) == (() if variant == "dbpedia" else make(variant, 0, 2_048).answers)
        for text in ("", "\ud800", prompt[:-1], prompt + "\n", prompt[1:], prompt.replace("[The list e", "")):
            assert TASK.solve(text) == ()
    world = make("world", 0, 2_048).prompt
    line = world.split("\n")[5]
    for damaged in (
        line.replace(" (", " "),
        line[:-1],
        f"{line})",
        "(gloss)",
        "name ()",
        line.replace("(", "(sleeve reels "),
    ):
        assert TASK.solve(world.replace(line, damaged)) == (), damaged
    other = make("world_verbatim", 0, 2_048).prompt
    assert TASK.solve(world[:600] + other[600:]) == ()


def test_wordings_are_told_apart():
    assert len(set(HEADS.values())) == len(set(TAILS.values())) == 4
    for wording in (*HEADS.values(), *TAILS.values()):
        assert "  " not in wording and "{" not in wording
        # The label list stands where it is asked for.
        assert all(label in wording for label in LABELS.values()) or not any(
            f"{one}," in wording for one in LABELS.values()
        )


# --- audits and wrong answers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", VARIANTS)
def test_audit_objects(variant):
    draft = make(variant, 0, 2_048)
    group = not variant.endswith("_verbatim")
    assert objections(draft, variant) == []
    facts = {"n": draft.facts["n"]} if group else {**draft.facts, "classes": list(LABELS.values())}
    assert "asked" in objections(replace(draft, facts=facts), variant)
    assert "count" in objections(replace(draft, complexity=draft.complexity + 1), variant)
    assert "evidence" in objections(replace(draft, evidence=((0, 10),)), variant)
    assert "layout" in objections(replace(draft, prompt=draft.prompt[1:]), variant)
    joint = "\n" if variant.startswith("world") else ", "
    listed = entries(draft).split(joint)

    def listing(given):
        ((start, end),) = draft.evidence
        text = joint.join(given)
        prompt = draft.prompt[:start] + text + draft.prompt[end:]
        return replace(draft, prompt=prompt, evidence=((start, start + len(text)),))

    assert objections(listing(listed), variant) == []
    assert "duplicate" in objections(listing([*listed, listed[0]]), variant)
    assert "name" in objections(listing([f"a; b{listed[0]}", *listed[1:]]), variant)
    assert "multiset" in objections(listing(listed[1:]), variant) or not group
    if group:
        lines = draft.answers[0].split("\n")
        assert "classes" in objections(replace(draft, answers=("\n".join(lines[:-1]),)), variant)
        assert "classes" in objections(replace(draft, answers=("\n".join([*lines[:-1], "Written work: "]),)), variant)
        assert "multiset" in objections(replace(draft, answers=(draft.answers[0] + "; X",)), variant)


@pytest.mark.parametrize("variant", VARIANTS)
def test_wrong_answers_score_below_one(variant):
    draft, other = make(variant, 0, 2_048), make(variant, 1, 2_048)
    row = {"answers": list(draft.answers), "prompt": draft.prompt, "facts": canonical_json(draft.facts)}
    gold = draft.answers[0]
    listed = names(draft)
    twice = gold.replace(listed[0], f"{listed[0]}; {listed[0]}")
    gone = gold.replace(listed[0], "")
    wrong = ["", draft.prompt, entries(draft), gold[: -len(gold) // 10], other.answers[0], twice, gone, gold + "; X"]
    if variant.endswith("_verbatim"):
        wrong.append(", ".join([listed[1], listed[0], *listed[2:]]))
        if variant.startswith("dbpedia"):
            wrong.remove(entries(draft))
    for name in TASK.metrics:
        assert METRICS[name](gold, row) == 1
        for text in wrong:
            value = METRICS[name](text, row)
            assert 0 <= value <= 1 and (value < 1 or name != "grouping/f1"), text[:80]


def test_a_twin_shares_no_name():
    ours, twin = (make("world", 0, 4_096, stream=stream) for stream in (STREAM, "golden/2"))
    assert not set(names(ours)) & set(names(twin))


def test_facts_are_small():
    assert json.loads(canonical_json(make("world_verbatim", 0, 4_096).facts)) == {
        "n": make("world", 0, 4_096).complexity
    }
    assert make("world", 0, 4_096).facts == {"n": make("world", 0, 4_096).complexity, "classes": list(LABELS.values())}
    assert CLASSES == 14


# --- the real source --------------------------------------------------------------------------------------------------


class TestDBpedia:
    """The paper's lists, on the sample of DBpedia."""

    pytestmark = real

    @pytest.mark.parametrize(
        ("count", "tokens"), [(100, 594), (250, 1_487), (500, 2_982), (750, 4_463), (1_000, 5_900)]
    )
    def test_tokens_of_the_bare_list_are_the_papers(self, count, tokens):
        roll = tables(open_source("dbpedia", CORPORA)).entity_roll("en")
        counted = []
        for index in range(10):
            listed = EntitySupply((STREAM, index, "entities"), "bare", roll, budget()).first(count)
            assert {one.class_ for one in listed} == set(LABELS) and len({one.name for one in listed}) == count
            counted.append(budget().count(", ".join(one.name for one in listed)))
        mean = sum(counted) / 10
        deviation = (sum((one - mean) ** 2 for one in counted) / 9) ** 0.5
        # Both means are of ten lists; a list of N varies by twice the root of N.
        error = 2 * count**0.5 / 10**0.5
        assert deviation < 3 * count**0.5 and abs(mean - tokens) < 3 * 2**0.5 * error

    def test_a_row_of_the_sample(self):
        inputs_ = Inputs(tables(open_source("dbpedia", CORPORA)).entity_roll("en"))
        for variant in ("dbpedia", "dbpedia_verbatim"):
            for length in (2_048, 4_096, 32_768):
                slot = Slot(Item("entity_grouping", variant, 0), "x", length, 0, 0, length)
                draft = TASK.render(make_plan(variant, 0), slot, inputs_, budget())
                assert objections(draft, variant) == []
                assert 0 <= length - budget().count(draft.prompt) - draft.max_output_tokens <= 0.001 * length + 2

    def test_the_sample_ends_somewhere(self):
        inputs_ = Inputs(tables(open_source("dbpedia", CORPORA)).entity_roll("en"))
        slot = Slot(Item("entity_grouping", "dbpedia", 0), "1M", 1 << 20, 0, 0, 1 << 20)
        with pytest.raises(BudgetError, match=r"all 7600 entities of the source take \d+ tokens"):
            TASK.render(make_plan("dbpedia", 0), slot, inputs_, budget())


@pytest.mark.slow
def test_a_million_tokens():
    stream = Inputs(World(STREAM, 62).entity_roll("en"))
    for variant in ("world", "world_verbatim"):
        slot = Slot(Item("entity_grouping", variant, 0), "1M", 1 << 20, 0, 0, 1 << 20)
        draft = TASK.render(make_plan(variant, 0), slot, stream, budget())
        assert objections(draft, variant) == [] and draft.complexity > 35_000
        assert 0 <= (1 << 20) - budget().count(draft.prompt) - draft.max_output_tokens < 40
        assert len(set(names(draft))) == draft.complexity
    assert Stream(STREAM).word() == Stream(STREAM).word()


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


def joint(draft: Draft) -> str:
    """What stands between the entities of the list."""
    return "\n" if "short description" in draft.prompt[:200] else ", "


def entries_of(draft: Draft) -> list[str]:
    """The entities of the list as they stand, with their glosses."""
    ((start, end),) = draft.evidence
    return draft.prompt[start:end].split(joint(draft))


def listing(draft: Draft, listed: list[str]) -> Draft:
    """The draft with another list in its prompt."""
    ((start, end),) = draft.evidence
    text = joint(draft).join(listed)
    prompt = draft.prompt[:start] + text + draft.prompt[end:]
    return replace(draft, prompt=prompt, evidence=((start, start + len(text)),))


def groups(draft: Draft) -> list[list[str]]:
    """The names of every line of the gold; a copy is one line."""
    if "classes" not in draft.facts:
        return [draft.answers[0].split(", ")]
    return [line.partition(": ")[2].split("; ") for line in draft.answers[0].split("\n")]


def golden(draft: Draft, lines: list[list[str]]) -> Draft:
    """The draft with other lines in its gold."""
    if "classes" not in draft.facts:
        return replace(draft, answers=(", ".join(lines[0]),))
    labels = draft.facts["classes"]
    text = "\n".join(f"{label}: {'; '.join(line)}" for label, line in zip(labels, lines, strict=True))
    return replace(draft, answers=(text,))


def entities_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two entities of the gold change places: in a line, and over lines."""
    lines = groups(draft)
    long = max(range(len(lines)), key=lambda at: len(lines[at]))
    line = lines[long]
    yield golden(draft, [*lines[:long], [line[1], line[0], *line[2:]], *lines[long + 1 :]])
    if len(lines) > 1:
        # The first of a line goes to the end of another, so that list order breaks too.
        short = next(at for at in range(len(lines)) if at != long and len(lines[at]) > 1)
        swapped = [list(one) for one in lines]
        swapped[long][0], swapped[short][-1] = swapped[short][-1], swapped[long][0]
        yield golden(draft, swapped)


def entity_dropped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An entity is missing: in the list, and in the gold; the only one of a class, and a whole line of the gold."""
    listed, lines = entries_of(draft), groups(draft)
    yield listing(draft, listed[:4] + listed[5:])
    yield listing(draft, listed[:-1])
    yield golden(draft, [lines[0][1:] or [""], *lines[1:]])
    yield golden(draft, [*lines[:-1], lines[-1][:-1] or [""]])
    if len(lines) > 1:
        yield replace(draft, answers=("\n".join(draft.answers[0].split("\n")[1:]),))


def entity_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An entity stands twice: in the list, in the gold, in both, under a second class."""
    listed, lines = entries_of(draft), groups(draft)
    name = listed[5].partition(" (")[0] if joint(draft) == "\n" else listed[5]
    doubled = listing(draft, [*listed[:6], listed[5], *listed[6:]])
    twice = [[twin for one in line for twin in ([one, one] if one == name else [one])] for line in lines]
    yield doubled
    yield golden(draft, twice)
    yield golden(doubled, twice)
    if len(lines) > 1:
        home = next(at for at, line in enumerate(lines) if name in line)
        second = (home + 1) % len(lines)
        yield golden(draft, [[*line, name] if at == second else line for at, line in enumerate(lines)])


def entity_renamed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An entity of the gold, or of the list, is called like one of another item."""
    stranger = next(one for one in entries_of(other) if one not in set(entries_of(draft)))
    listed, lines = entries_of(draft), groups(draft)
    yield listing(draft, [stranger, *listed[1:]])
    name = stranger.partition(" (")[0] if joint(draft) == "\n" else stranger
    yield golden(draft, [[name, *lines[0][1:]], *lines[1:]])


def gold_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The lines of two classes change their labels; the entities of the list stand in another order."""
    lines = groups(draft)
    if len(lines) > 1:
        text = draft.answers[0].split("\n")
        yield replace(draft, answers=("\n".join([text[1], text[0], *text[2:]]),))
    listed = entries_of(draft)
    yield listing(draft, [*reversed(listed)])


MUTANTS = (entities_swapped, entity_dropped, entity_doubled, entity_renamed, gold_moved)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------


def is_part(small: Row, large: Row) -> None:
    """A longer list holds the names of a shorter one, but for the last units, which are chosen to fill the length."""
    names = [set(re.split(r"; |, |\n|: ", row["answers"][0])) for row in (small, large)]
    assert len(names[0] - names[1]) <= 32 and len(names[1]) > 4 * len(names[0])


CASE = Case(
    variants={
        "world": ("world", "grouping/f1"),
        "world_verbatim": ("world", "grouping/f1"),
        "dbpedia": ("dbpedia", "grouping/f1"),
        "dbpedia_verbatim": ("dbpedia", "grouping/f1"),
    },
    mutants=(*MUTANTS, gold_exchanged),
    by_people=("dbpedia",),
    part=is_part,
    golden=True,
)
