"""sentence_arrangement: which documents and sentences, full rows, given counts, pairs, solver, proofs, mutants."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import pytest
from cases import Case, Files, Row, jsonl
from mutants import gold_exchanged
from variants import articles

from carrara.errors import BudgetError, ProofError, RecipeError, SourceError
from carrara.making.proofs import wrong_responses
from carrara.making.row_maker import RowMaker, TokenBudget
from carrara.recipe.recipe import recipe_from_json, recipe_from_table
from carrara.scoring import METRICS
from carrara.sources.document import SourceDocument
from carrara.sources.tables import Texts
from carrara.stream import Permutation, Stream
from carrara.task import Draft, Item, Slot, plan_stream
from carrara.tasks.verbatimeval.sentence_arrangement.solver import in_order, read
from carrara.tasks.verbatimeval.sentence_arrangement.task import TASK, Params
from carrara.tokens import load_tokenizer
from carrara.world.documents.article import EPISODE, LOOSE, article
from carrara.world.world import World


@dataclass(frozen=True)
class Given:
    """Inputs with these tables."""

    tables: object


WORLD = Given(World("sentences/1"))
LENGTHS = (4_096, 4_097, 4_099, 5_000, 6_001, 8_192)


def text(number: int, sentences: int, lang: str = "en") -> SourceDocument:
    """A document of numbered sentences, five a paragraph."""
    if lang == "zh":
        lines = [f"第{number}号船在第{n}天运来了{n * 7}箱茶叶和{n * n}袋米。" for n in range(sentences)]
        return SourceDocument(
            f"d{number}", f"船{number}", tuple("".join(lines[at : at + 5]) for at in range(0, sentences, 5))
        )
    lines = [
        f"On day {n} boat {number} brought {n * 7} crates of tea and {n * n} sacks of rice." for n in range(sentences)
    ]
    return SourceDocument(
        f"d{number}", f"Boat {number}", tuple(" ".join(lines[at : at + 5]) for at in range(0, sentences, 5))
    )


def texts(*sizes: int, lang: str = "en") -> Given:
    return Given(Texts("source 'boats'", lang, lambda: [text(n, size, lang) for n, size in enumerate(sizes)]))


def make(
    variant: str, index: int, length: int, inputs: Given = WORLD, tokenizer: str = "o200k_base", **params
) -> Draft:
    item = Item("sentence_arrangement", variant, index)
    plan = TASK.plan(Params(**params), item, inputs, plan_stream(TASK, "sentences/1", variant))
    return TASK.render(plan, Slot(item, "b", length, index, 0, length), inputs, TokenBudget(load_tokenizer(tokenizer)))


@cache
def world(variant: str, index: int, length: int) -> Draft:
    return make(variant, index, length)


def objections(draft: Draft, solvable: bool = True) -> list[str]:
    found = [finding.what for finding in TASK.audit(draft)]
    return found if not solvable or TASK.solve(draft.prompt) == draft.answers else [*found, "solver"]


# --- how much ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
def test_rows_are_full_and_have_room_for_the_answer(tokenizer):
    count = load_tokenizer(tokenizer).count
    for variant in ("world", "world_verbatim"):
        for index, length in enumerate(LENGTHS):
            draft = make(variant, index, length, tokenizer=tokenizer)
            gold = count("\n".join(draft.answers))
            assert 1.05 * gold <= draft.max_output_tokens <= 1.05 * gold + 3
            # A tenth of a percent: the shorter wording, and what no sum of sentences gives.
            assert length - 10 <= count(draft.prompt) + draft.max_output_tokens <= length
            assert objections(draft) == []


def test_sentences_are_left_out_only_where_the_order_of_the_others_is_still_told():
    source = World("sentences/1")
    for index in range(12):
        draft = world("world", index, 4_096)
        document = source.document("en", "article", int(draft.facts["document"].split("-")[1]), 200)
        every = [document.text[start:end] for start, end in document.sentences]
        places = [every.index(sentence) for sentence in draft.answers]
        gone = sorted(set(range(places[-1])) - set(places))
        assert all(place % EPISODE in LOOSE for place in gone) and len(gone) < 8
        # From the last sentences alone.
        assert all(place > places[-1] - 40 for place in gone)


def test_a_smaller_row_is_a_subsequence_of_a_larger_one():
    for variant in ("world", "world_verbatim"):
        small, large = world(variant, 3, 4_096), world(variant, 3, 8_192)
        assert [one for one in listed(large) if one in set(listed(small))] == listed(small)
        assert set(small.answers) < set(large.answers)


def test_pairs_have_the_same_passage():
    inputs = texts(*[300] * 5)
    for length in LENGTHS:
        assert listed(world("world", 1, length)) == listed(world("world_verbatim", 1, length))
        pair = [make(variant, 1, length, inputs) for variant in ("documents", "documents_verbatim")]
        assert listed(pair[0]) == listed(pair[1]) == list(pair[1].answers)
        assert sorted(pair[0].answers) == sorted(pair[1].answers) and pair[0].answers != pair[1].answers


def test_counts_are_dealt_evenly():
    counts, seen, more = (20, 40, 60), Counter(), set()
    for index in range(30):
        draft = make("world", index, 8_192, count=counts, spread=10)
        (least,) = [count for count in counts if count <= draft.complexity <= count + 10]
        seen[least] += 1
        more.add(draft.complexity - least)
        assert objections(draft) == []
        # The first sentences of the document, none left out.
        whole = WORLD.tables.document("en", "article", int(draft.facts["document"].split("-")[1]), draft.complexity)
        assert draft.answers == tuple(whole.text[start:end] for start, end in whole.sentences)
    assert seen == {20: 10, 40: 10, 60: 10} and len(more) > 5
    assert len(make("world", 0, 8_192, count=30, spread=0).answers) == 30
    with pytest.raises(BudgetError, match=r"take \d+ tokens; the row has 2048"):
        make("world", 0, 2_048, count=100)
    with pytest.raises(BudgetError, match="use a larger bucket"):
        make("world", 0, 200)


def test_params_are_checked():
    for wrong in ({"count": 9}, {"count": (20, 5)}, {"count": ()}, {"spread": -1}, {"count": 10**9}):
        with pytest.raises(ValueError, match="expected"):
            Params(**wrong)
    with pytest.raises(ValueError, match="in English"):
        make("world", 0, 4_096, lang="zh")


# --- which documents --------------------------------------------------------------------------------------------------


def test_items_take_different_documents_the_same_in_every_row():
    inputs = texts(*[400] * 12)
    for variant in ("documents", "documents_verbatim"):
        taken = [make(variant, index, 4_096, inputs).facts["document"] for index in range(12)]
        assert len(set(taken)) == 12
        assert taken[:4] == [make(variant, index, 8_192, inputs).facts["document"] for index in range(4)]
    with pytest.raises(BudgetError, match="item 12 needs a document of its own, the source has 12"):
        make("documents", 12, 4_096, inputs)
    again = make("documents", 12, 4_096, inputs, repeat=True)
    assert again.facts["document"] == taken[0] and listed(again) != listed(make("documents", 0, 4_096, inputs))


def test_short_documents_give_way_to_the_last_of_the_order():
    sizes = [400 if number % 3 else 25 for number in range(12)]
    inputs = texts(*sizes)
    order = [
        int(Permutation(Stream("sentences/1", "sentence_arrangement", "documents", "documents"), 12)[n])
        for n in range(12)
    ]
    taken = [int(make("documents", index, 4_096, inputs).facts["document"][1:]) for index in range(6)]
    own = [number if sizes[number] == 400 else None for number in order[:6]]
    assert all(have == wanted for have, wanted in zip(taken, own, strict=True) if wanted is not None)
    spare = [number for number in order[::-1] if sizes[number] == 400]
    assert [have for have, wanted in zip(taken, own, strict=True) if wanted is None] == spare[: own.count(None)]
    assert len(set(taken)) == 6
    with pytest.raises(BudgetError, match="too few of the source's 4 documents have sentences of"):
        make("documents", 0, 4_096, texts(20, 20, 20, 20))
    with pytest.raises(BudgetError, match="too few of the source's 4 documents have 50 sentences"):
        make("documents", 0, 4_096, texts(20, 20, 20, 20), count=50)


def test_a_given_count_takes_what_a_document_has():
    draft = make("documents", 0, 8_192, texts(45, 45), count=40, spread=100)
    assert 40 <= len(draft.answers) <= 45


def test_sentences_that_repeat_and_headings_are_left_out():
    lines = [f"Line {n} is a whole sentence of its own." for n in range(30)]
    damaged = ["A heading", *lines[:10], "LINE 3 is a whole sentence, of its own!", "...", "and a caption", *lines]
    inputs = Given(Texts("source 'x'", "en", lambda: [SourceDocument("d", "D", tuple(damaged))]))
    draft = make("documents", 0, 4_096, inputs, count=20, spread=100)
    assert draft.answers == tuple(lines) and objections(draft, solvable=False) == []


def test_documents_in_chinese():
    inputs = texts(120, 120, lang="zh")
    for variant in ("documents", "documents_verbatim"):
        draft = make(variant, 0, 4_096, inputs, lang="zh")
        assert objections(draft, solvable=variant == "documents_verbatim") == []
        assert "按照" in draft.prompt and "句子" in draft.prompt and not re.search("[A-Za-z]", draft.prompt)
    with pytest.raises(SourceError, match="is in zh, not in en"):
        make("documents", 0, 4_096, inputs)


def test_the_world_has_no_documents_for_this_variant():
    with pytest.raises(SourceError, match="take the variant world"):
        make("documents", 0, 4_096)


# --- the recipe -------------------------------------------------------------------------------------------------------


def table(variants, **cell) -> dict:
    return {
        "name": "t",
        "version": "1.0.0",
        "stream": "t/1",
        "tokenizer": "o200k_base",
        "buckets": {"4k": 4_096},
        "cell": [{"task": "sentence_arrangement", "variants": variants, "questions": 1, **cell}],
    }


def test_a_variant_names_its_source():
    for variant, source in (("world", "world"), ("qasper_verbatim", "qasper"), ("documents", "documents")):
        assert recipe_from_table(table([variant])).cells[0].source == source
        assert recipe_from_table(table([variant], source=source)).cells[0].source == source
    assert recipe_from_table(table(["documents"], source="gutenberg")).cells[0].source == "gutenberg"
    assert recipe_from_table(table(["world"], source="prose")).cells[0].source == "prose"
    for variants, source, said in (
        (["world"], "qasper", "expected 'world'"),
        (["govreport"], "world", "expected 'govreport'"),
        (["world", "qasper"], None, "give each source a cell of its own"),
        (["world", "documents"], None, "give each source a cell of its own"),
    ):
        with pytest.raises(RecipeError, match=said):
            recipe_from_table(table(variants, **({"source": source} if source else {})))
    loaded = recipe_from_table(table(["world", "world_verbatim"], params={"count": [100, 200]}, lengths="given"))
    assert loaded.cells[0].params.counts == (100, 200)
    assert recipe_from_json(json.loads(json.dumps(loaded.to_json()))) == loaded


def test_a_source_that_nobody_pinned_says_what_to_do():
    for variant in ("meetingbank", "documents"):
        maker = RowMaker(recipe_from_table(table([variant])), None)
        config = maker.recipe.configs()[0]
        with pytest.raises(SourceError, match=rf"pin your own in the recipe: \[source.{variant}\]"):
            maker.make(config, config.slot(0))
    maker = RowMaker(recipe_from_table(table(["world"], params={"lang": "zh"})), None)
    with pytest.raises(ProofError, match="in English"):
        maker.plan(maker.recipe.configs()[0], 0)


# --- solver and proofs ------------------------------------------------------------------------------------------------


def test_the_order_of_world_articles_is_told():
    for number in range(60):
        whole = article(Stream("told", number), "en", number, 40 + number)
        sentences = [whole.text[start:end] for start, end in whole.sentences]
        kept = [one for place, one in enumerate(sentences) if place % EPISODE not in LOOSE or (place * 7 + number) % 3]
        assert in_order(Stream("shuffle", number).shuffled(kept)) == tuple(kept)
    assert in_order(["Nobody of Tarkov came at noon."]) == ()
    assert in_order(["On 31 February 1800 nobody came."]) == ()


def test_solve_is_total_and_exact():
    prompt = world("world", 0, 4_096).prompt
    for damaged in (
        "",
        "\ud800",
        prompt[:-1],
        f"{prompt}\n",
        f" {prompt}",
        prompt.replace("\n", "\n\n", 3),
        prompt.replace("[The sentences e", ""),
        prompt.replace("stood in the text", "stand in the text", 1),
        prompt.replace("[The sentences end]\n", "[The sentences end]\n[The sentences end]\n"),
    ):
        assert TASK.solve(damaged) == () and read(damaged) is None
    assert {"layout", "solver"} <= set(objections(replace(world("world", 0, 4_096), prompt=prompt[:-1])))


@pytest.mark.parametrize("variant", ["world", "world_verbatim"])
def test_mutants(variant):
    draft = world(variant, 0, 4_096)
    passage, gold = listed(draft), draft.answers
    assert objections(listing(draft, passage)) == []
    for at in (0, 1, 20, len(gold) - 1):
        assert {"count", "multiset", "solver"} <= set(objections(listing(draft, passage[:at] + passage[at + 1 :])))
        assert {"duplicate", "solver"} <= set(objections(listing(draft, [*passage, passage[at]])))
        assert {"multiset", "solver"} <= set(objections(replace(draft, answers=gold[:at] + gold[at + 1 :])))
    assert "solver" in objections(replace(draft, answers=(gold[1], gold[0], *gold[2:])))
    assert "space" in objections(listing(draft, [passage[0].replace(" ", "  ", 1), *passage[1:]]))
    assert "empty" in objections(listing(draft, [*passage, "..."]))
    if variant == "world":
        assert "sorted" in objections(listing(draft, list(gold)))
    else:
        assert {"gold", "solver"} <= set(objections(listing(draft, [passage[1], passage[0], *passage[2:]])))
    assert "evidence" in objections(replace(draft, evidence=((0, 10),)))
    assert "count" in objections(replace(draft, complexity=draft.complexity + 1))
    other = "world_verbatim" if variant == "world" else "world"
    assert {"order", "solver"} <= set(objections(replace(draft, prompt=world(other, 0, 4_096).prompt)))
    assert "solver" in objections(replace(draft, prompt=world(variant, 1, 4_096).prompt))


def test_solvable_says_which_golds_are_computed():
    assert {variant for variant in TASK.variants if not TASK.solvable(variant, variant)} == {
        "govreport",
        "qasper",
        "meetingbank",
        "wiki727k",
        "documents",
    }


def test_wrong_answers_score_below_one():
    for variant in ("world", "world_verbatim"):
        draft, other = world(variant, 0, 4_096), world(variant, 1, 4_096)
        row = {"answers": list(draft.answers), "prompt": draft.prompt}
        gold = list(draft.answers)
        wrong = list(wrong_responses(draft.prompt, draft.answers, other.answers).values())
        wrong += [
            "\n".join(one) for one in ([gold[1], gold[0], *gold[2:]], gold[1:], [*gold, gold[0]], [*gold, "And so on."])
        ]
        if variant == "world":
            wrong.append("\n".join(listed(draft)))
        for metric in TASK.metrics:
            assert METRICS[metric]("\n".join(gold), row) == 1
        for response in wrong:
            assert METRICS[TASK.metrics[0]](response, row) < 1
            assert METRICS["order/kendall"](response, row) < 1 and METRICS["verbatim/strict"](response, row) == 0


def test_facts_and_evidence():
    draft = world("world", 0, 4_096)
    assert set(draft.facts) == {"n", "order", "document"} and draft.facts["n"] == draft.complexity == len(draft.answers)
    assert draft.depths == () and sorted(listed(draft)) == sorted(draft.answers)


def test_a_prompt_of_a_tokenizer_that_does_not_add_up_still_fits():
    class Odd(TokenBudget):
        """Counts three tokens more a text, as a tokenizer that marks its beginning."""

        def count_many(self, texts):
            return super().count_many(texts) + 3

    item = Item("sentence_arrangement", "world", 0)
    plan = TASK.plan(Params(), item, WORLD, plan_stream(TASK, "sentences/1", "world"))
    budget = Odd(load_tokenizer("o200k_base"))
    draft = TASK.render(plan, Slot(item, "b", 8_192, 0, 0, 8_192), WORLD, budget)
    used = budget.count(draft.prompt) + draft.max_output_tokens
    assert 0.995 * 8_192 <= used <= 8_192 and 1.05 * budget.count("\n".join(draft.answers)) <= draft.max_output_tokens
    assert objections(draft) == []


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


def listed(draft: Draft) -> list[str]:
    """The sentences of the passage as they stand."""
    ((start, end),) = draft.evidence
    return draft.prompt[start:end].split("\n")


def listing(draft: Draft, sentences: list[str]) -> Draft:
    """The draft with another passage, its span moved along."""
    ((start, end),) = draft.evidence
    text = "\n".join(sentences)
    prompt = draft.prompt[:start] + text + draft.prompt[end:]
    return replace(draft, prompt=prompt, evidence=((start, start + len(text)),))


def gold_sentences_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two sentences of the gold change places: neighbours, and far ones."""
    for a, b in ((0, 1), (3, len(draft.answers) - 2)):
        answers = list(draft.answers)
        answers[a], answers[b] = answers[b], answers[a]
        yield replace(draft, answers=tuple(answers))


def sentences_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two words of the passage change places between sentences: both sentences are others."""
    sentences = listed(draft)
    a, b = sentences[2].split(" "), sentences[5].split(" ")
    a[0], b[0] = b[0] + "x", a[0]
    yield listing(draft, [*sentences[:2], " ".join(a), *sentences[3:5], " ".join(b), *sentences[6:]])


def sentence_dropped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A sentence is missing: in the passage, in the gold, first, last and in the middle."""
    sentences = listed(draft)
    for at in (0, len(sentences) // 2, len(sentences) - 1):
        yield listing(draft, sentences[:at] + sentences[at + 1 :])
        yield replace(draft, answers=draft.answers[:at] + draft.answers[at + 1 :])


def sentence_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A sentence stands twice: in the passage, in the gold, in both, and in other letters."""
    sentences = listed(draft)
    at = draft.answers.index(sentences[4])
    answers = (*draft.answers[: at + 1], sentences[4], *draft.answers[at + 1 :])
    doubled = listing(draft, [*sentences[:5], sentences[4], *sentences[5:]])
    facts = {**draft.facts, "n": draft.facts["n"] + 1}
    yield doubled
    yield replace(draft, answers=answers)
    yield replace(doubled, answers=answers)
    yield replace(doubled, answers=answers, complexity=draft.complexity + 1, facts=facts)
    changed = sentences[4].upper()
    answers = (*draft.answers[: at + 1], changed, *draft.answers[at + 1 :])
    again = listing(draft, [*sentences[:5], changed, *sentences[5:]])
    yield replace(again, answers=answers, complexity=draft.complexity + 1, facts=facts)


def sentence_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A sentence of another item takes the place of one."""
    if other.answers != draft.answers:
        yield listing(draft, [listed(other)[0], *listed(draft)[1:]])
        yield replace(draft, answers=(*draft.answers[:-1], other.answers[-1]))


def evidence_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The passage is gone, and the span points at what came to stand there."""
    ((start, end),) = draft.evidence
    yield replace(draft, prompt=draft.prompt[:start] + draft.prompt[end:])


def order_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The facts say that the other order is asked for."""
    yield replace(draft, facts={**draft.facts, "order": "verbatim" if draft.facts["order"] == "text" else "text"})


MUTANTS = (
    gold_sentences_swapped,
    sentences_swapped,
    sentence_dropped,
    sentence_doubled,
    sentence_of_another,
    evidence_removed,
    order_of_another,
)
UNSEEN = (gold_sentences_swapped,)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

SOURCES = ("world", "govreport", "qasper", "meetingbank", "wiki727k", "documents")


def is_part(small: Row, large: Row) -> None:
    """The sentences of a shorter row stand in a longer one in the same order, in gold and passage."""
    passages = [row["prompt"][row["evidence"][0]["start"] : row["evidence"][0]["end"]] for row in (small, large)]
    texts = [passage.split("\n") for passage in passages]
    for short, long in ((small["answers"], large["answers"]), texts):
        assert [sentence for sentence in long if sentence in set(short)] == list(short)


def documents() -> dict[str, str]:
    return {"a.jsonl": jsonl({"paragraphs": text} for text in articles())}


def meetings() -> dict[str, str]:
    return {"meetings.json": json.dumps({f"M{n}": {"transcripts": text} for n, text in enumerate(articles())})}


def wiki() -> dict[str, str]:
    return {f"wiki/{n}": "========,1,preface.\n" + "\n".join(text) + "\n" for n, text in enumerate(articles())}


CASE = Case(
    variants={name + suffix: (name, "order/lcs") for name in SOURCES for suffix in ("", "_verbatim")},
    mutants=(*MUTANTS, gold_exchanged),
    unseen=UNSEEN,
    by_people=SOURCES[1:],
    part=is_part,
    golden=True,
    files={
        "documents": Files("jsonl", documents),
        "meetingbank": Files("meetingbank", meetings),
        "wiki727k": Files("wiki727k", wiki),
    },
)
