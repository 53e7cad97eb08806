"""Which questions are dropped and why, what is placed as gold, and that no distractor holds an accepted answer."""

import gzip
import json
from collections import Counter
from dataclasses import replace

import pytest
from folders import CORPORA

from carrara.retrieval.answers import AnswerTable, holds
from carrara.retrieval.corpus import open_corpus
from carrara.retrieval.negatives import REASONS, accepted, excluded, golds, unusable
from carrara.stream import Stream
from carrara.tables import Evidence, Passage, Question
from carrara.task import Search
from carrara.world.questions import WorldQuestions
from carrara.world.realm.realm import Reference
from carrara.world.world import World

RAG_TWO_HOPS = Search(hops=2, places_gold=True)
RAG = Search(places_gold=True)
CITATIONS = Search()
RERANKING = Search(judged=True)

LONG = "She painted the harbour in winter and the hills in spring, sold little, and taught drawing to the children of "
LONG += (
    "the fishermen until the school was closed, when she moved inland with her brother and kept bees for many years, "
    "wrote long letters about the weather, and was forgotten by all but two of her pupils."
)
PASSAGES = [
    Passage("ada/1", "Ada Vell", "Ada Vell was born in Norrath on 27 November 1806."),
    Passage("ada/2", "Ada Vell", f"Ada Vell left Norrath. {LONG}"),
    Passage("ada/3", "Vell, A.", f"Ada Vell left her town. {LONG} She was fond of it."),
    Passage("norrath", "Norrath", "Norrath is a town of 5,625 people; its mayor is Oskar Röntgen."),
    Passage("mayor", "Oskar Röntgen", "Oskar Röntgen is the mayor of Norrath and plays the A string of the violin."),
    Passage("other", "Harl", "Harl is a town of 19,531 people in the north; its mayor is Ussru Connor."),
    Passage("us", "Trade", "The USSR sold grain to us in 1953,1954 and 1955, the man said, yes."),
    *(
        Passage(f"filler/{number}", f"Filler {number}", f"Item {number} of a common list of stones.")
        for number in range(50)
    ),
]
NUMBER = {passage.id: number for number, passage in enumerate(PASSAGES)}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARRARA_CACHE", str(tmp_path_factory.mktemp("cache")))
        corpus = open_corpus("made", "select", lambda: PASSAGES)
        yield AnswerTable(corpus), corpus


def question(*names, evidence=(), hops=1, groups=None):
    groups = groups if groups is not None else (tuple(names),)
    return Question("q", "", "What?", groups, tuple(Evidence(*one) for one in evidence), hops=hops)


def states(id_, value):
    text = PASSAGES[NUMBER[id_]].text
    return id_, text.index(value), text.index(value) + len(value)


TWO_HOPS = [states("ada/1", "Norrath"), states("ada/2", "Norrath"), states("norrath", "Oskar Röntgen")]
TWO_HOPS += [states("mayor", "Norrath")]


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (question("Oskar Rontgen"), ""),
        (question("5625", "about 5,600"), ""),
        (question("November 27, 1806"), ""),
        (question("1953"), ""),
        (question("Nobody Atall"), "no gold"),
        (question("1953,1955"), "no gold"),
        (question("Uss"), "no gold"),
        (question(groups=()), "no gold"),
        (question("Yes"), "yes or no"),
        (question("no."), "yes or no"),
        (question("yes", "of course"), ""),
        (question("A"), "short answer"),
        (question("The"), "short answer"),
        (question("🇩🇰"), "short answer"),
        (question("Norrath", "a"), "short answer"),
        (question("US", "USSR"), "short answer"),
        (question("twelve", "Norrath"), "short answer"),
        (question(groups=(("Norrath",), ("🇩🇰",))), "short answer"),
        (question("Norrath", "🇩🇰", "!"), ""),
        (question("Common List"), "common answer"),
        (question("Oskar Röntgen", evidence=[states("norrath", "Oskar")]), ""),
        (question("Oskar Röntgen", evidence=[("elsewhere", 0, 5)]), "gold not in the corpus"),
        (question("Oskar Röntgen", evidence=[("elsewhere", 0, 5), states("mayor", "Oskar")]), ""),
        (question("Oskar Röntgen", evidence=[states("other", "Harl")]), "no gold"),
    ],
)
def test_reasons_of_questions_whose_gold_is_placed(made, asked, wanted):
    assert unusable(asked, *made, RAG) == wanted in REASONS


@pytest.mark.parametrize(
    ("asked", "wanted"),
    [
        (question("Oskar Röntgen", evidence=TWO_HOPS, hops=2), ""),
        (question("Oskar Röntgen", evidence=TWO_HOPS), "other hops"),
        (question("Oskar Röntgen", evidence=TWO_HOPS, hops=3), "other hops"),
        # Two supporting passages, as HotpotQA names them; one of them holds the answer.
        (question("Oskar Röntgen", evidence=[states("mayor", "Oskar"), states("other", "Harl")], hops=2), ""),
        (question("bees", evidence=[states("mayor", "Oskar"), states("other", "Harl")], hops=2), "no gold"),
        (
            question("Oskar Röntgen", evidence=[states("mayor", "Oskar"), ("lost", 0, 1)], hops=2),
            "gold not in the corpus",
        ),
        (question("Oskar Röntgen", evidence=[states("mayor", "Oskar")], hops=2), "no gold"),
        (question("Oskar Röntgen", hops=2), "no gold"),
    ],
)
def test_reasons_of_questions_of_two_hops(made, asked, wanted):
    assert unusable(asked, *made, RAG_TWO_HOPS) == wanted


def test_judged_questions_need_a_relevant_passage(made):
    asked = question(groups=())
    reason = "no grade of 2 or more"
    assert unusable(asked, *made, RERANKING, grades={"mayor": 2}) == ""
    assert unusable(asked, *made, RERANKING, grades={"mayor": 1, "other": 0}) == reason
    assert unusable(asked, *made, RERANKING, grades={"elsewhere": 3}) == reason
    assert unusable(asked, *made, RERANKING) == reason


def test_questions_whose_passages_are_taken_as_they_come(made):
    assert unusable(question("Nobody Atall"), *made, CITATIONS) == ""
    assert unusable(question("Common List", "US"), *made, CITATIONS) == ""
    assert unusable(question(groups=(("Norrath",), ("The",))), *made, CITATIONS) == "short answer"
    assert unusable(question(groups=()), *made, CITATIONS) == "no gold"


def test_a_common_answer_is_in_more_than_a_hundredth_of_a_corpus(tmp_path, monkeypatch):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path))
    rows = [Passage(str(number), "", f"Stone {'granite' if number < 20 else 'gneiss'}") for number in range(2_000)]
    rows[20] = replace(rows[20], text="Stone basalt granite")
    corpus = open_corpus("common", "common", lambda: rows)
    table = AnswerTable(corpus)
    assert unusable(question("granite"), table, corpus, RAG) == "common answer"
    assert unusable(question("basalt"), table, corpus, RAG) == ""
    fewer = [replace(row, text=row.text.replace("granite", "marble")) if row.id == "3" else row for row in rows]
    corpus = open_corpus("common", "twenty", lambda: fewer)
    assert unusable(question("granite"), AnswerTable(corpus), corpus, RAG) == ""


def test_accepted_names_are_those_with_a_spelling():
    assert accepted(question("Denmark", "🇩🇰", "The", "DK")) == (("Denmark", "DK"),)


def test_gold_is_the_best_ranked_passage_that_holds_an_answer(made):
    asked, ranks = question("Oskar Röntgen"), [NUMBER[id_] for id_ in ("other", "mayor", "norrath")]
    assert golds(asked, ranks, *made) == (NUMBER["mayor"],)
    assert golds(asked, ranks[:1], *made) == (NUMBER["norrath"],)
    # Evidence alone counts where there is any, and only what holds the answer.
    named = question("Oskar Röntgen", evidence=[states("other", "Harl"), states("norrath", "Oskar")])
    assert golds(named, ranks, *made) == (NUMBER["norrath"],)
    assert golds(question("Nobody Atall"), ranks, *made) == ()


def test_gold_of_two_hops_is_one_passage_a_hop(made):
    asked = question("Oskar Röntgen", evidence=TWO_HOPS, hops=2)
    ranks = [NUMBER[id_] for id_ in ("mayor", "ada/2", "ada/1", "norrath")]
    # "mayor" states the other side of the second relation, not the answer.
    assert golds(asked, ranks, *made, hops=2) == (NUMBER["ada/2"], NUMBER["norrath"])
    assert golds(asked, (), *made, hops=2) == (NUMBER["ada/1"], NUMBER["norrath"])
    # A passage that states both hops is the second, and another must lead there.
    both = question(
        "Oskar Röntgen", evidence=[states("norrath", "town"), TWO_HOPS[0], TWO_HOPS[1], TWO_HOPS[2]], hops=2
    )
    assert golds(both, [NUMBER["norrath"], NUMBER["ada/2"]], *made, hops=2) == (NUMBER["ada/2"], NUMBER["norrath"])
    named = question("Oskar Röntgen", evidence=[states("mayor", "Oskar"), states("other", "Harl")], hops=2)
    assert golds(named, (), *made, hops=2) == (NUMBER["mayor"], NUMBER["other"])
    assert golds(replace(asked, hops=3), (), *made, hops=3) == ()


def test_what_is_excluded_and_why(made):
    corpus = made[1]
    asked = question("27 November 1806", evidence=[states("ada/1", "27 November 1806")])
    ranks = list(range(corpus.size))
    told = excluded(ranks, golds(asked, ranks, *made), asked, *made)
    assert Counter(told) == {"gold": 1, "": corpus.size - 1} and told[0] == "gold"
    # Another copy of the gold, under another title and without the answer.
    asked = question("Norrath", evidence=[states("ada/2", "Norrath")])
    told = dict(zip(PASSAGES, excluded(ranks, (NUMBER["ada/2"],), asked, *made), strict=True))
    assert {passage.id: why for passage, why in told.items() if why} == {
        **{"ada/1": "answer", "ada/2": "gold", "ada/3": "duplicate", "norrath": "answer", "mayor": "answer"}
    }
    # An alias in a distractor is an answer; "US" is not in "USSR", "A" is in nothing.
    told = excluded(ranks, (0,), question("Ada", "Ussru", "A", "The"), *made)
    assert told[NUMBER["other"]] == "answer" and told[NUMBER["us"]] == ""
    # The evidence of the first hop that is not placed says what the gold says.
    asked = question("Oskar Röntgen", evidence=TWO_HOPS, hops=2)
    told = excluded(ranks, golds(asked, (), *made, hops=2), asked, *made)
    assert [told[NUMBER[id_]] for id_ in ("ada/1", "ada/2", "ada/3", "norrath", "mayor")] == [
        *("gold", "duplicate", "", "gold", "answer")
    ]
    assert excluded([], (), asked, *made) == []


# --- the world and real data ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CARRARA_CACHE", str(tmp_path_factory.mktemp("cache")))
        made = World("select/1", 1)
        corpus = open_corpus("world", "select/1", lambda: made.passages("en"))
        yield made, AnswerTable(corpus), corpus


@pytest.mark.parametrize(("kind", "hops", "least"), [("one_hop", 1, 20), ("bridge", 2, 8)])
@pytest.mark.repeat
def test_the_world_gives_gold_that_states_each_hop(world, kind, hops, least):
    made, table, corpus = world
    search = Search(kind, hops if hops > 1 else None, places_gold=True)
    asked = list(made.questions("en", kind, 30 * hops))
    reasons = Counter(unusable(one, table, corpus, search) for one in asked)
    assert reasons[""] >= least and set(reasons) <= {"", "short answer", "common answer", "other hops"}, reasons
    writer = WorldQuestions(made.encyclopedia, "en")
    for one in asked:
        if unusable(one, table, corpus, search):
            continue
        ranks = Stream("select/1", one.id).order(corpus.size).tolist()
        placed = golds(one, ranks, table, corpus, hops)
        # Each gold is among the passages that state the relation of its hop.
        here = made.encyclopedia.entity(Reference.parse(one.id.split("/")[1]))
        assert len(placed) == hops == len(set(placed))
        for number, relation in zip(placed, one.id.split("/")[2:], strict=True):
            assert corpus.passage(number).id in {stated.passage for stated in writer._evidence(here, relation)}
            value = here.facts[relation]
            here = made.encyclopedia.entity(value) if isinstance(value, Reference) else here
        names = [name for group in one.answers for name in group]
        assert holds(corpus.texts(placed[-1], placed[-1] + 1)[0], names)
        told = excluded(ranks[:200], placed, one, table, corpus)
        for number, why in zip(ranks[:200], told, strict=True):
            if not why:
                assert number not in placed and not holds(corpus.texts(number, number + 1)[0], names)


@pytest.mark.repeat
@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
def test_popqa_over_its_own_passages(tmp_path, monkeypatch):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path))
    with gzip.open(CORPORA / "popqa/popqa.json.gz", "rt", encoding="utf-8") as file:
        records = json.load(file)
    texts = dict.fromkeys((one["title"], " ".join(one["text"].split())) for row in records for one in row["paragraphs"])
    corpus = open_corpus("popqa", "popqa", lambda: (Passage(str(n), *one) for n, one in enumerate(texts)))
    table = AnswerTable(corpus)
    asked = [question(*json.loads(row["possible_answers"])) for row in records]
    reasons = Counter(unusable(one, table, corpus, RAG) for one in asked)
    # Occupations and genres are common in so small a corpus; "U.S.", "DJ", "W" (a western) are short.
    assert (corpus.size, dict(reasons)) == (1475, {"": 494, "common answer": 460, "short answer": 46})
