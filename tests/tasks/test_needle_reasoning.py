"""Multi-needle reasoning: chains that only the whole of them answers, dealt evenly; and people's derivations."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from cases import Case, separate
from mutants import edited, evidence_removed, gold_exchanged, gold_in_filler, question_of_another

from carrara.errors import BudgetError, RecipeError, SourceError
from carrara.making.proofs import gold_response, prove
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_table
from carrara.scoring import METRICS
from carrara.task import Draft, Item, plan_stream
from carrara.tasks import TASKS
from carrara.tasks.needlebench.needle_reasoning import task as needle_reasoning
from carrara.tasks.needlebench.needle_reasoning.solver import solve_reasoning
from carrara.tasks.needlebench.needles import prompt as templates
from carrara.tasks.needlebench.needles.layout import needle_depths
from carrara.world.chains.chains import WORDINGS
from carrara.world.world import World

TASK = TASKS["needle_reasoning"]
LANGS = ("en", "zh")
STREAM = "conformance/1"
BUCKETS = {"1k": 1_024, "4k": 4_096, "8k": 8_192, "32k": 32_768}


@cache
def maker(
    lang: str, source: str = "world", stream: str = STREAM, folder: Path | None = None, own: str = "{}", **params
) -> RowMaker:
    params = {key: list(value) if isinstance(value, tuple) else value for key, value in params.items()}
    cell = {"task": TASK.name, "variants": [lang], "questions": 40, "source": source, "params": params}
    table = {
        "name": "reasoning",
        "version": "1.0.0",
        "stream": stream,
        "tokenizer": "o200k_base",
        "buckets": BUCKETS,
        "cell": [cell],
        "source": json.loads(own),
    }
    return RowMaker(recipe_from_table(table), folder)


def config(made: RowMaker, bucket: str = "4k"):
    return next(one for one in made.recipe.configs() if one.bucket == bucket)


def made_row(made: RowMaker, item: int, placement: int = 0, bucket: str = "4k"):
    one = config(made, bucket)
    return made.make(one, one.slot(item * one.placements + placement)).row


def plans(made: RowMaker, count: int):
    return [made.plan(config(made), item) for item in range(count)]


def prompt_of(lang: str, body: str, question: str) -> str:
    return f"{templates.BEGIN[lang]}{body}\n\n{templates.END[lang]}{templates.ASK[lang][0]}{question}\nHow.\n"


# --- plans ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("counts", [(2, 3, 4, 5), (2, 2, 5), (3,), (4, 2, 4, 2, 4)])
def test_numbers_of_needles_are_dealt_evenly_and_questions_counted(counts):
    stream = plan_stream(TASK, STREAM, "en").child("needles")
    dealt = [needle_reasoning._dealt(counts, item, stream) for item in range(6 * len(counts))]
    for block in range(0, len(dealt), len(counts)):
        assert sorted(needles for needles, _ in dealt[block : block + len(counts)]) == sorted(counts)
    for needles in set(counts):
        assert [before for number, before in dealt if number == needles] == list(range(6 * counts.count(needles)))


@pytest.mark.repeat
@pytest.mark.parametrize("lang", LANGS)
def test_no_two_items_share_a_fact_a_name_or_a_question(lang):
    ours = plans(maker(lang), 24)
    assert Counter(len(plan.derivation.facts) for plan in ours) == dict.fromkeys((2, 3, 4, 5), 6)
    for said in (
        [fact for plan in ours for fact in plan.derivation.facts],
        [name for plan in ours for name in plan.derivation.names],
        [plan.derivation.question for plan in ours],
    ):
        assert len(set(said)) == len(said)
    twins = plans(maker(lang, stream="conformance/2"), 24)
    for part in ("facts", "names", "answers"):
        mine, theirs = ({one for plan in each for one in getattr(plan.derivation, part)} for each in (ours, twins))
        assert not mine & theirs
    assert not {plan.derivation.question for plan in ours} & {plan.derivation.question for plan in twins}


def test_facts_stand_in_any_order():
    placed = [plan.placed for plan in plans(maker("en", needles=3, depths=1), 40)]
    assert all(sorted(order) == [0, 1, 2] for order in placed)
    # Any of six orders; none has more than a third.
    assert len(set(placed)) == 6 and max(Counter(placed).values()) <= 14


@pytest.mark.parametrize("lang", LANGS)
def test_facts_stand_where_they_are_wanted(lang):
    made = maker(lang)
    for item, placement in ((0, 0), (1, 4), (2, 7), (3, 10)):
        row = made_row(made, item, placement, "32k")
        wanted = needle_depths(row.complexity, placement / 10)
        for achieved, aim in zip(sorted(row.depths), wanted, strict=True):
            assert abs(achieved - aim) < 0.01
        facts = json.loads(row.facts)
        assert [row.prompt[start:end] for start, end in row.evidence] == facts["reference"]
        assert row.complexity == len(facts["reference"]) == len(facts["names"]) - 1
        assert row.answers == (facts["accepted"][0],) and len(row.answers) == 1
        order = [start for start, _ in row.evidence]
        assert [depth for _, depth in sorted(zip(order, row.depths, strict=True))] == sorted(row.depths)
        assert row.max_output_tokens == 64 + 96 * row.complexity


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("change", [{"question": "before"}, {"recall_step": False}, {"buffer": 100}])
def test_instruction_and_buffer_leave_the_material(lang, change):
    for item in (0, 3):
        plain, changed = (made_row(maker(lang, **params), item, 5) for params in ({}, change))
        assert plain.prompt != changed.prompt and plain.answers == changed.answers
        ours, theirs = json.loads(plain.facts), json.loads(changed.facts)
        for part in ("reference", "asked", "names", "derivation", "depth"):
            assert ours[part] == theirs[part]
        assert solve_reasoning(changed.prompt) == changed.answers
        before = changed.prompt.index(theirs["asked"]) < changed.prompt.index(templates.BEGIN[lang])
        assert before == (change.get("question") == "before")
        assert changed.tokens + changed.max_output_tokens + change.get("buffer", 0) == 4_096


@pytest.mark.parametrize("needles", [1, 6, 0, [2, 6], []])
def test_impossible_numbers_of_needles_are_refused(needles):
    with pytest.raises(RecipeError, match="needles"):
        maker.__wrapped__("en", needles=needles)


def test_a_length_without_room_says_so():
    made = maker("en", needles=5)
    row = made_row(made, 0, 0, "1k")
    assert row.tokens + row.max_output_tokens == 1_024
    one = config(made, "1k")
    tiny = maker("en", needles=5, buffer=300)
    with pytest.raises(BudgetError, match="needle_reasoning_en/1k/00000"):
        tiny.make(config(tiny, "1k"), one.slot(0))


# --- solver and audit -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_every_fact_is_read_by_every_question_for_it(lang):
    start, end = ("Doran Velt", "Mira Osk") if lang == "en" else ("甲乙丙", "丁戊己")
    other = "Sora Lind" if lang == "en" else "庚辛壬"
    for key, sections in WORDINGS[lang].items():
        for section, here, there in (("asked", start, end), ("back_asked", end, start)):
            for asked in sections.get(section, ()):
                question = asked.format(x=here)
                for fact in sections["facts"]:
                    said = fact.format(a=start, b=end)
                    for body in (said, f"Once. {said} Then." if lang == "en" else f"从前。{said}后来。"):
                        assert solve_reasoning(prompt_of(lang, body, question)) == (there,), (key, said, question)
                    again = sections["facts"][0].replace("{a}", start if here == start else other)
                    again = again.replace("{b}", end if here == end else other)
                    assert solve_reasoning(prompt_of(lang, f"{said}\n\n{again}", question)) == (), (key, said, again)
                assert solve_reasoning(prompt_of(lang, "Nothing." if lang == "en" else "无。", question)) == ()


@pytest.mark.parametrize("lang", LANGS)
def test_every_phrase_inside_a_question_is_read(lang):
    """A chain of two steps for every wording: from a name over the phrase to its father or the village it lies at."""
    one, two, three = ("Doran Velt", "Mira Osk", "Sora Lind") if lang == "en" else ("甲乙丙", "丁戊己", "庚辛壬")
    last = WORDINGS[lang]["person residence"]
    for key, sections in WORDINGS[lang].items():
        if key == "person residence":
            continue
        for section, here, there in (("of", one, two), ("back", two, one)):
            for phrase in sections.get(section, ()):
                facts = sections["facts"][0].format(a=one, b=two) + "\n\n" + last["facts"][0].format(a=there, b=three)
                question = last["asked"][0].format(x=phrase.format(x=here))
                assert solve_reasoning(prompt_of(lang, facts, question)) == (three,), (key, question)


@pytest.mark.parametrize("lang", LANGS)
def test_a_chain_with_a_missing_or_second_fact_is_not_answered(lang):
    made = maker(lang)
    for item in range(4):
        row = made_row(made, item, 5)
        facts, joint = json.loads(row.facts), " " if lang == "en" else ""
        for number, fact in enumerate(facts["reference"]):
            assert solve_reasoning(row.prompt.replace(fact, "")) == ()
            for name in facts["names"][number : number + 2]:
                second = fact.replace(name, "Sora Lind" if lang == "en" else "庚辛壬")
                cut = row.prompt.index(templates.END[lang])
                damaged = f"{row.prompt[:cut]}{second}\n\n{row.prompt[cut:]}"
                # A second value at the far end is refused; one at the near end says something of another.
                solved = solve_reasoning(damaged)
                assert solved == (() if name == facts["names"][number + 1] else row.answers)
        assert solve_reasoning(row.prompt.replace(facts["asked"], f"{facts['asked']}{joint}{facts['asked']}")) == ()


@pytest.mark.parametrize("lang", LANGS)
def test_a_name_is_read_whole_however_far_from_it_the_next_fact_stands(lang):
    one, two, three = ("Doran Velt", "Mira Osk", "Sora Lind") if lang == "en" else ("甲乙丙", "丁戊己", "庚辛壬")
    wordings = WORDINGS[lang]
    question = wordings["person residence"]["asked"][0].format(
        x=wordings["natural_place surveyor"]["of"][0].format(x=two)
    )
    fact = next(fact for fact in wordings["natural_place surveyor"]["facts"] if fact.startswith("{b}"))
    second = next(iter(wordings["animal habitat"]["facts"])).format(a=three, b=two)
    last = wordings["person residence"]["facts"][0].format(a=one, b=three)
    filler, end = ("word ", ". ") if lang == "en" else ("字", "。")
    for length in range(380):
        body = f"{fact.format(a=two, b=one)} {(filler * 80)[:length].strip()}{end}{second}\n\n{last}"
        assert solve_reasoning(prompt_of(lang, body, question)) == (three,), length


def test_hostile_prompts_take_no_time():
    begin, end, ask = templates.BEGIN["en"], templates.END["en"], templates.ASK["en"][0]
    phrase = "the father of " * 60
    for body, question in (
        ("Aa " * 200_000, f"Who was the father of {phrase}Aa?"),
        ("A" * 500_000, "Who was the father of A?"),
        ("The father of Aa was Bb. " * 20_000, "Who was the father of Aa?"),
        ("\ud800" * 1_000 + "[" * 10_000, "Who was the father of [?"),
    ):
        assert solve_reasoning(f"{begin}{body}\n\n{end}{ask}{question}\n") == ()


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("bucket", ["4k", "8k"])
def test_five_hundred_rows_are_solved(lang, bucket):
    """With the other bucket a thousand rows a language, each another item."""
    made = maker(lang, depths=1)
    one = config(made, bucket)
    for item in range(500):
        made.make(one, one.slot(item + 500 * (bucket == "8k")))


# --- metrics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_copied_sentences_belong_to_what_is_read_and_do_not_hide_the_answer(lang):
    row = made_row(maker(lang, needles=5), 0).to_arrow()
    facts, answer = json.loads(row["facts"])["reference"], row["answers"][0]
    keywords, last = METRICS["needlebench/keywords"], METRICS["needlebench/last"]
    copied = "\n".join(facts[:-1])
    # The answer behind all that the prompt asks to write, with some words around it.
    assert keywords(f"{'Here they are. ' * 20}\n{copied}\n{answer}", row) == 1
    assert keywords(copied, row) == last(copied, row) == 0
    assert keywords(answer, row) == last(answer, row) == last(f"\n{copied}\n**{answer}**\n\n", row) == 1
    # What a response that only copies gets: the reason for the second metric.
    everything = "\n".join([facts[-1], *facts[:-1]])
    assert keywords(everything, row) == 1 and last(everything, row) == 0
    without = made_row(maker(lang, needles=5, recall_step=False), 0).to_arrow()
    assert keywords("x " * 300 + answer, without) == 0


# --- people's derivations ---------------------------------------------------------------------------------------------

QUESTIONS = [
    {
        "id": f"q{number}",
        "question": f"Who wrote the sequel of book number {number}?",
        "answer": f"Author {name}",
        "derivations": [
            f"Book  number {number} is followed by Part {name}",
            f"Part {name} was written by Author {name}",
        ],
    }
    for number, name in enumerate(("Abe", "Bea", "Cid"))
]


@pytest.fixture
def own(tmp_path):
    """A source of three questions of two facts each, in a recipe's own table."""
    data = json.dumps(QUESTIONS).encode()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "q.json").write_bytes(data)
    table = {"reader": "derivations_en", "lang": "en", "licence": "CC0-1.0", "files": {}}
    table["files"] = {"q.json": hashlib.sha256(data).hexdigest()}
    return tmp_path, json.dumps({"mine": table})


def test_rows_of_people_s_derivations(own):
    folder, table = own
    made = maker("en", "mine", folder=folder, own=table, needles=2)
    rows = [made_row(made, item, 5) for item in range(3)]
    assert {row.answers for row in rows} == {("Author Abe",), ("Author Bea",), ("Author Cid",)}
    for row in rows:
        facts = json.loads(row.facts)
        assert facts["names"] == [] and len(facts["reference"]) == 2
        assert facts["reference"][0].startswith("Book number") and facts["reference"][1].endswith(row.answers[0] + ".")
        assert row.tokens + row.max_output_tokens == 4_096
        assert METRICS[row.metric](gold_response(row.answers), row.to_arrow()) == 1
        assert solve_reasoning(row.prompt) == ()
    assert not TASK.solvable("en", "mine") and TASK.solvable("en", "world") and TASK.solvable("zh", "prose")
    assert made.inputs("mine").facts.licence == "CC0-1.0"


def test_what_is_proven_of_people_s_derivations(own):
    folder, table = own
    made = maker("en", "mine", folder=folder, own=table, needles=2)
    one = config(made)
    slot = one.slot(5)
    draft = TASK.render(made.plan(one, 0), slot, made.inputs("mine"), made.budget)
    row = made.make(one, slot).row.to_arrow()
    assert not list(prove(TASK, draft, row, slot, True, made.tokenizer.count, "mine"))
    # The same prompt as the world's would have to be solved.
    assert {one.what for one in prove(TASK, draft, row, slot, True, made.tokenizer.count, "world")} == {"solver"}
    for change, what in (
        ({"answers": ("Author Nobody",)}, "gold"),
        ({"complexity": 3}, "evidence"),
        ({"prompt": draft.prompt.replace("\n\n", f"\n\n{draft.facts['reference'][0]}\n\n", 1)}, "fact elsewhere"),
        ({"prompt": draft.prompt.replace(draft.facts["asked"], "Who?")}, "question"),
        ({"prompt": draft.prompt.replace("a", "\ufffd", 1)}, "cut character"),
        ({"facts": {**draft.facts, "accepted": ["Nobody"]}}, "gold"),
    ):
        assert what in {one.what for one in TASK.audit(replace(draft, **change))}, change


def test_more_questions_than_there_are_is_an_error_that_counts_them(own):
    folder, table = own
    made = maker("en", "mine", folder=folder, own=table, needles=2)
    with pytest.raises(RecipeError, match="asks for question 4 of 2 needles; the source has 3"):
        made.plan(config(made), 3)
    none = maker("en", "mine", folder=folder, own=table, needles=3)
    with pytest.raises(RecipeError, match="the source has 0"):
        none.plan(config(none), 0)
    with pytest.raises(SourceError, match="is in en, asked for zh"):
        chinese = maker("zh", "mine", folder=folder, own=table, needles=2)
        chinese.plan(config(chinese), 0)


def test_the_world_has_enough_questions_for_any_release():
    assert all(len(World(STREAM).derivations("en", needles)) == 20_000 for needles in needle_reasoning.NEEDLES)
    made = maker("zh", needles=5)
    last = TASK.plan(
        config(made).params, Item(TASK.name, "zh", 19_999), made.inputs("world"), plan_stream(TASK, STREAM, "zh")
    )
    assert len(last.derivation.facts) == 5


@pytest.mark.repeat
@pytest.mark.corpora
@pytest.mark.parametrize(
    ("lang", "source"),
    [("en", "r4c"), ("en", "needlebench_reasoning_en"), ("zh", "needlebench_reasoning_zh")],
)
def test_rows_of_real_sources(corpora, lang, source):
    if not (corpora / "r4c").is_dir() or not (corpora / "needlebench").is_dir():
        pytest.skip(f"no r4c and needlebench in {corpora}: set CARRARA_SOURCES to their folder")
    made = maker(lang, source, folder=corpora)
    for item in range(8):
        row = made_row(made, item, item % 11)
        facts = json.loads(row.facts)
        assert row.complexity == len(facts["reference"]) in needle_reasoning.NEEDLES
        assert any(row.answers[0].casefold() in fact.casefold() for fact in facts["reference"])
        assert row.answers[0] not in facts["asked"]


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


def fact_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A fact stands a second time beside itself, with another value: once at each of its ends."""
    for number, (start, end) in enumerate(draft.evidence):
        fact = draft.prompt[start:end]
        for name in draft.facts["names"][number : number + 2]:
            yield edited(draft, end, end, f" {fact.replace(name, other.facts['names'][-1])}")


def fact_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The last fact stands among the filler with another answer."""
    middle = draft.prompt.index("\n\n", len(draft.prompt) // 3)
    second = draft.facts["reference"][-1].replace(draft.facts["names"][-1], other.facts["names"][-1])
    yield edited(draft, middle, middle, f" {second}")


def fact_reversed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The two names of a fact change places."""
    for number, (start, end) in enumerate(draft.evidence):
        one, two = draft.facts["names"][number : number + 2]
        fact = draft.prompt[start:end].replace(one, "{}").replace(two, one).replace("{}", two)
        yield edited(draft, start, end, fact)


def chain_broken(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A name between is another one in the fact that leads to it."""
    names = draft.facts["names"]
    for number, (start, end) in enumerate(draft.evidence[:-1]):
        yield edited(draft, start, end, draft.prompt[start:end].replace(names[number + 1], other.facts["names"][1]))


def facts_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Every fact in turn is one of another item's."""
    for start, end in draft.evidence:
        yield edited(draft, start, end, other.facts["reference"][0])


def way_shortened(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A fact leads from the first name straight to the answer."""
    names = draft.facts["names"]
    end = draft.evidence[0][1]
    yield edited(draft, end, end, f" {draft.facts['reference'][0].replace(names[1], names[-1])}")


def question_from_another_name(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question starts from the second name of the chain, or from another item's."""
    first = draft.facts["names"][0]
    asked = draft.facts["asked"]
    at = draft.prompt.rindex(asked)
    for name in (draft.facts["names"][1], other.facts["names"][0]):
        yield edited(draft, at, at + len(asked), asked.replace(first, name))


def names_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The recorded chain is another item's, or leaves a name out."""
    yield replace(draft, facts={**draft.facts, "names": other.facts["names"]})
    yield replace(draft, facts={**draft.facts, "names": draft.facts["names"][1:]})


MUTANTS = (
    fact_doubled,
    fact_in_filler,
    fact_reversed,
    chain_broken,
    facts_exchanged,
    way_shortened,
    question_from_another_name,
    names_exchanged,
)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

CASE = Case(
    variants=separate("en", "zh", metric="needlebench/answer"),
    mutants=(evidence_removed, gold_in_filler, gold_exchanged, question_of_another, *MUTANTS),
    by_people=("r4c", "needlebench_reasoning_en", "needlebench_reasoning_zh"),
    reads=lambda variant: "tables",
)
