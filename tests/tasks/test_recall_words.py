"""cwe and fwe: exact counts, no word within another, lengths filled to the token, the shorter list in the longer."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from mutants import edited
from recalled import objections, recall_draft, recall_plan, used

from carrara.errors import BudgetError
from carrara.stream import Stream
from carrara.task import Draft, plan_from_json, plan_json
from carrara.tasks.helmet.synthetic_recall import coded_words as recall_words_coded
from carrara.tasks.helmet.synthetic_recall import words as recall_words
from carrara.tasks.helmet.synthetic_recall.chains_solver import behind_example, shown_example
from carrara.tasks.helmet.synthetic_recall.filler import occurrences, shares
from carrara.tasks.helmet.synthetic_recall.task import TASK
from carrara.tasks.helmet.synthetic_recall.words import choose, numbering
from carrara.tasks.helmet.synthetic_recall.words_solver import solve_code, solve_list

LISTS = ("cwe", "cwe_hard")
CODES = ("fwe", "fwe_hard")
ODD_LENGTHS = (4_096, 4_097, 4_099, 5_555, 8_192, 8_950, 9_001, 20_011, 32_768)


def law(alpha, hard, dots):
    return occurrences(shares(alpha, hard, dots), dots)


def entries(draft):
    body = draft.prompt[draft.prompt.index("begins]\n") + 8 : draft.prompt.index("[The list ends]")]
    numbers, words = zip(*(line.split(". ") for line in body.splitlines()), strict=True)
    assert list(map(int, numbers)) == list(range(1, len(numbers) + 1))
    return list(words)


def units(draft):
    text = draft.prompt
    return text[text.index("begins]") + 8 : text.index(" [The coded text ends]")].split(" ")


def is_subsequence(short, long):
    rest = iter(long)
    return all(one in rest for one in short)


GOLDEN = {
    "cwe": ["sopabo", "tefego", "goweba"],
    "cwe_hard": ["bazema", "jofaro", "lamuxa"],
    "fwe": ["knpjdk", "srnhtm", "rtqzbj"],
    "fwe_hard": ["hdpvld", "fcqksp", "xzfxvs"],
}


@pytest.mark.parametrize("variant", [*LISTS, *CODES])
def test_what_a_key_says_is_pinned(variant):
    plan = recall_plan(variant, 0)
    words = plan.common if variant in LISTS else plan.asked
    assert list(words[:3]) == GOLDEN[variant]
    kind = recall_words.Plan if variant in LISTS else recall_words_coded.Plan
    assert plan_from_json(kind, plan_json(plan)) == plan


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", LISTS)
def test_every_word_stands_exactly_as_often_as_its_kind(variant, tokenizer):
    for length in ODD_LENGTHS:
        draft = recall_draft(variant, 0, length, tokenizer)
        found = Counter(entries(draft))
        plan = recall_plan(variant, 0)
        hard = variant == "cwe_hard"
        assert {word: found.pop(word) for word in plan.common} == dict.fromkeys(plan.common, 9 if hard else 30)
        assert {word: found.pop(word) for word in plan.decoys} == dict.fromkeys(plan.decoys, 8)
        assert set(found.values()) == {3} and len(plan.decoys) == (60 if hard else 0)
        assert draft.answers == tuple(sorted(plan.common))
        # To the token: the answer takes what is left by words that cost three times themselves.
        assert used(draft, tokenizer) == length and 128 <= draft.max_output_tokens <= 130
        assert objections(draft) == []


@pytest.mark.parametrize("tokenizer", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("variant", CODES)
def test_coded_words_follow_the_law_to_the_token(variant, tokenizer):
    for length in ODD_LENGTHS:
        draft = recall_draft(variant, 1, length, tokenizer)
        found = Counter(units(draft))
        dots = found.pop("...")
        times = [count for _, count in found.most_common()]
        assert [word for word, _ in found.most_common(3)] == list(draft.answers) == list(recall_plan(variant, 1).asked)
        assert times[0] > times[1] > times[2] > times[3]
        # Dots fill what the law leaves.
        assert any(law(2.0, variant == "fwe_hard", dots - more).tolist() == times for more in range(120))
        assert used(draft, tokenizer) == length and draft.max_output_tokens == 128
        assert objections(draft) == []


def test_the_law_is_zipfs():
    plain = law(2.0, False, 1_000_000)
    assert plain[:4].tolist() == [250_000, 111_111, 62_500, 40_000] and plain[-1] == 1
    assert abs(plain.sum() + 1_000_000 - 1_000_000 * np.pi**2 / 6) < 2_000
    leading = law(2.0, True, 1_000_000)
    assert leading[:21].tolist() == [122_222, 116_666, 111_111, *[105_555] * 17, 40_000]
    for alpha in (1.5, 2.0, 4.0):
        for hard in (False, True):
            smaller = law(alpha, hard, 5_000)
            larger = law(alpha, hard, 5_001)
            assert (larger[: len(smaller)] >= smaller).all() and (np.diff(larger) <= 0).all()


@pytest.mark.parametrize("variant", ["cwe", "cwe_hard", "vt", "vt_hard"])
def test_a_worked_example_of_other_names_stands_before_the_task(variant):
    for length in (4_096, 6_001):
        plain, shown = recall_draft(variant, 4, length), recall_draft(variant, 4, length, shots=1)
        assert objections(shown) == [] and used(shown) == length and shown.facts == {**plain.facts, "shots": 1}
        assert shown.answers == plain.answers
        example, answers = shown_example(shown.prompt)
        # It is a task of the same kind with its own solution, and nothing of it stands in the task itself.
        assert TASK.solve(example) == answers and answers
        begin = behind_example(shown.prompt)
        assert not [word for word in answers if word in shown.prompt[begin:]]
        assert not [word for word in shown.answers if word in shown.prompt[:begin]]
        assert all(start >= begin for start, _ in shown.evidence)
        plan = recall_plan(variant, 4, shots=1)
        assert plan_from_json(TASK.plan_type, plan_json(plan)) == plan
        assert plan_json(recall_plan(variant, 4)) == plan_json(recall_plan(variant, 4, shots=0))
    lost = answers[0]
    damaged = replace(shown, prompt=shown.prompt.replace(f"1. {lost}", f"1. {answers[1]}", 1))
    assert "example" in objections(damaged)
    assert "example" in objections(replace(shown, facts=plain.facts))


@pytest.mark.parametrize("variant", LISTS)
def test_a_shorter_list_stands_in_a_longer_one(variant):
    small, middle, large = (entries(recall_draft(variant, 2, length)) for length in (4_096, 8_192, 32_768))
    assert is_subsequence(small, middle) and is_subsequence(middle, large)


@pytest.mark.parametrize("variant", CODES)
def test_a_shorter_text_stands_in_a_longer_one(variant):
    small, large = (units(recall_draft(variant, 2, length)) for length in (4_096, 32_768))
    # The dots that fill a text are its own.
    words = [[one for one in listed if one != "..."] for listed in (small, large)]
    assert is_subsequence(*words)


@pytest.mark.parametrize("variant", [*LISTS, *CODES])
def test_tokenizers_change_only_the_amount(variant):
    ours, theirs = (recall_draft(variant, 3, 8_192, name) for name in ("o200k_base", "cl100k_base"))
    assert ours.answers == theirs.answers and ours.facts == theirs.facts
    taken = entries if variant in LISTS else units
    listed = [[one for one in taken(draft) if one in set(ours.answers)] for draft in (ours, theirs)]
    shorter, longer = sorted(listed, key=len)
    assert is_subsequence(shorter, longer)


@pytest.mark.parametrize("plans", [20, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("variant", LISTS)
def test_no_word_stands_twice_nor_in_another_at_a_million_tokens(variant, plans):
    for index in range(plans):
        numbers = recall_words.word_numbers(recall_plan(variant, index), 1_048_576)
        assert len(numbers) > 87_000 and len(np.unique(numbers)) == len(numbers)
        # Numbers below this are distinct words, all of six letters.
        assert numbers.min() >= 0 and numbers.max() < recall_words.SPACE
    counts = recall_words.counts(recall_plan(variant, 0), 1_048_576)
    assert len(counts) == len(recall_words.word_numbers(recall_plan(variant, 0), 1_048_576))
    assert set(map(len, counts)) == {6} and all(re.fullmatch("([^aeiou][aeiou]){3}", word) for word in counts)
    assert len(set(recall_words.SYLLABLES)) == 100 and set(map(len, recall_words.SYLLABLES)) == {2}


@pytest.mark.parametrize("variant", [CODES[0], *(pytest.param(one, marks=pytest.mark.repeat) for one in CODES[1:])])
def test_coded_words_are_apart_at_a_million_tokens(variant):
    for index in range(500):
        plan = recall_plan(variant, index)
        counts = recall_words_coded.counts(plan, 1_048_576)
        times = list(counts.values())
        assert len(counts) == len(law(2.0, variant == "fwe_hard", 1_048_576)) >= 1_000
        assert times[0] > times[1] > times[2] > times[3] == max(times[3:])
        assert tuple(counts)[:3] == plan.asked and {len(word) for word in counts} == {6}


@pytest.mark.parametrize("variant", CODES)
def test_the_first_four_are_apart_at_every_length(variant):
    # By the dots alone, whatever words cost: none of the texts of 4k tokens or more has as few as 400.
    for dots in range(400, 3_000):
        times = law(2.0, variant == "fwe_hard", dots).tolist()
        assert times[0] > times[1] > times[2] > times[3]
    assert Counter(units(recall_draft(variant, 0, 4_096, "cl100k_base")))["..."] >= 400


@pytest.mark.parametrize("variant", ["cwe_hard", "fwe_hard"])
def test_no_tenth_of_a_hard_text_tells_what_is_frequent_in_all(variant):
    kept = []
    for item in range(12):
        draft = recall_draft(variant, item, 32_768)
        taken = entries(draft) if variant in LISTS else [one for one in units(draft) if one != "..."]
        for part in range(10):
            shown = Counter(taken[len(taken) * part // 10 : len(taken) * (part + 1) // 10])
            told = {word for word, _ in shown.most_common(len(draft.answers))}
            kept.append(len(told & set(draft.answers)) / len(draft.answers))
    # A word drawn from all frequent ones is right in 14 (cwe_hard) or 15 of 100.
    assert sum(kept) / len(kept) < 0.25


def test_what_a_recipe_may_set():
    one = recall_draft("cwe", 0, 8_192, common=1, often=200, seldom=100)
    assert objections(one) == [] and one.prompt.endswith("where WORD is the word alone.\n") and len(one.answers) == 1
    assert used(one) == 8_192
    many = recall_draft("cwe_hard", 0, 32_768, common=32)
    assert objections(many) == [] and (len(many.answers), len(many.facts["decoys"])) == (32, 192)
    assert used(many) == 32_768 and "Which 32 words" in many.prompt
    each = recall_draft("cwe", 0, 8_192, seldom=1)
    assert used(each) == 8_192 and each.max_output_tokens == 128 and objections(each) == []
    # Nearly as often is never less often than the others.
    assert recall_plan("cwe_hard", 0, often=4, seldom=3).nearly == 3
    for alpha in (1.5, 3.0):
        for variant in CODES:
            draft = recall_draft(variant, 0, 32_768, alpha=alpha)
            assert objections(draft) == [] and used(draft) == 32_768
    with pytest.raises(BudgetError):
        recall_draft("cwe", 0, 1_024)
    with pytest.raises(BudgetError):
        recall_draft("cwe", 0, 128)
    with pytest.raises(BudgetError):
        recall_draft("fwe", 0, 128)
    with pytest.raises(BudgetError):
        recall_draft("fwe_hard", 0, 512)


class Digits:
    """A vocabulary in which a number costs what its digits say."""

    def count_many(self, texts):
        return np.array([sum(map(int, text.removesuffix("."))) for text in texts], dtype=np.int64)


class Ones:
    """A vocabulary in which every number costs its length; it counts how many it was asked for."""

    asked = 0

    def count_many(self, texts):
        self.asked += len(texts)
        return np.array([len(text) for text in texts], dtype=np.int64)


def test_numbers_of_entries_are_counted_or_known():
    assert numbering(12_345, Digits())[-1] == sum(int(digit) for n in range(1, 12_346) for digit in str(n))
    ones = Ones()
    assert numbering(12_345, ones)[-1] == sum(len(str(n)) + 1 for n in range(1, 12_346)) and ones.asked < 1_000
    assert numbering(0, ones).tolist() == [0]


def test_whole_words_fit_any_room():
    stream = Stream("fit")
    for number in range(300):
        own = stream.child(number)
        times = own.choice((1, 2, 3, 5))
        costs = own.below_many(3, 2_000) + 2
        numbers = numbering(20_000, Ones())
        held = own.below(2_000)
        room = int(numbers[held]) + 3_000 + own.below(9_000)
        choice = choose(costs, times, numbers, held, room)
        spent = int(numbers[held + times * len(choice.kept)]) + times * int(costs[choice.kept].sum())
        assert room - spent == choice.short < times
        assert list(choice.kept) == sorted(set(choice.kept))
        # All but a few of the last are taken.
        assert (choice.kept[:-48] == np.arange(len(choice.kept) - 48)).all()


def test_words_of_one_cost_leave_less_than_one_of_them():
    numbers = numbering(9_000, Ones())
    choice = choose(np.full(2_000, 7, dtype=np.int64), 3, numbers, 100, 10_000)
    assert 0 <= choice.short < 3 * (7 + 5)
    with pytest.raises(BudgetError):
        choose(np.full(2_000, 7, dtype=np.int64), 3, numbers, 100, 100)
    with pytest.raises(ValueError, match="do not reach"):
        choose(np.full(20, 7, dtype=np.int64), 3, numbers, 100, 10_000)


def test_the_common_words_come_all_along():
    # Not only in some part: each tenth of a long list holds some of every common word's thirty.
    listed = entries(recall_draft("cwe", 5, 32_768))
    places = {}
    for place, word in enumerate(listed):
        places.setdefault(word, []).append(place / len(listed))
    for word in recall_plan("cwe", 5).common:
        gaps = [b - a for a, b in pairwise([0.0, *places[word], 1.0])]
        assert max(gaps) < 0.3


def test_solvers_leave_what_is_open():
    text = recall_draft("cwe", 0, 4_096).prompt
    first = entries(recall_draft("cwe", 0, 4_096))[0]
    assert solve_list(text) and not solve_code(text)
    for damaged in (
        text[:-1],
        text + "\n",
        text.replace("1. ", "2. ", 1),
        text.replace("Which 10", "Which 0"),
        "x" + text,
    ):
        assert solve_list(damaged) == ()
    # Ten words are asked where the tenth and the eleventh stand equally often.
    tied = text.replace("Which 10 words", "Which 12 words").replace("these 10 words", "these 12 words")
    assert solve_list(tied) == () and first
    coded = recall_draft("fwe", 0, 4_096).prompt
    third, fourth = [word for word, _ in Counter(re.findall("[a-z]{6}(?= )", coded[300:])).most_common(4)][2:]
    assert solve_code(coded) and not solve_list(coded)
    assert third != fourth and solve_code(coded.replace(third, fourth)) != solve_code(coded)
    for damaged in (coded[:-1], coded + " ", coded.replace(" ... ", " .. ", 1), coded.replace(" ... ", "  ", 1)):
        assert solve_code(damaged) == ()


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


def with_facts(draft: Draft, **facts: Any) -> Draft:
    """The draft with some of its facts set."""
    return replace(draft, facts={**draft.facts, **facts})


def gold_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The recorded gold is that of another item."""
    yield replace(draft, answers=other.answers)


def answers_shifted(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The answers in another order; one of them left out."""
    yield replace(draft, answers=(*draft.answers[1:], draft.answers[0]))
    yield replace(draft, answers=draft.answers[:-1])


def evidence_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each span points elsewhere."""
    for number, (start, end) in enumerate(draft.evidence):
        spans = list(draft.evidence)
        spans[number] = (start + 1, end + 1)
        yield replace(draft, evidence=tuple(spans))


def question_of_another(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What is asked is another item's, in the record too."""
    start = draft.prompt.rindex(" ends]\n\n")
    yield edited(draft, start, len(draft.prompt), other.prompt[other.prompt.rindex(" ends]\n\n") :])


# --- variable tracking ------------------------------------------------------------------------------------------------


def statement_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Each statement of the chain is taken out."""
    for start, end in draft.evidence:
        yield edited(draft, start, end + 2, "")


def statement_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A variable of the chain is given another value below: a number, and that of another variable."""
    end = draft.prompt.index("[The text ends]")
    for name in draft.answers:
        yield edited(draft, end, end, f"VAR {name} = 99999.\n\n")
        yield edited(draft, end, end, f"VAR {name} = VAR {draft.answers[0]}.\n\n")


def link_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A variable takes its value from an earlier one of the chain, from one of nowhere, or from itself."""
    for number in range(2, len(draft.answers)):
        start, end = draft.evidence[number]
        for source in (draft.answers[0], other.answers[0], draft.answers[number]):
            yield edited(draft, start, end, f"VAR {draft.answers[number]} = VAR {source}.")


def value_changed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The chain begins with another number than is asked for."""
    start, end = draft.evidence[0]
    value = draft.prompt[start:end][-6:-1]
    changed = value[::-1] if value[::-1] != value and value[-1] != "0" else str(int(value) % 80_000 + 10_001)
    yield edited(draft, start, end, draft.prompt[start:end].replace(value, changed))


def statements_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two neighbours of the chain change places: a variable is used before it has a value."""
    for first, last in zip(draft.evidence, draft.evidence[1:], strict=False):
        one, two = draft.prompt[slice(*first)], draft.prompt[slice(*last)]
        prompt = draft.prompt[: first[0]] + two + draft.prompt[first[1] : last[0]] + one + draft.prompt[last[1] :]
        if len(one) == len(two):
            yield replace(draft, prompt=prompt)


def filler_made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """One more variable takes the value; in the middle of a sentence too."""
    end = draft.prompt.index("[The text ends]")
    for name in (draft.answers[0], draft.answers[-1]):
        yield edited(draft, end, end, f"VAR {other.answers[0]} = VAR {name}.\n\n")
        yield edited(draft, end - 2, end - 2, f" VAR {other.answers[0]} = VAR {name}.")


def gold_in_filler(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A variable's name stands in a sentence, in small letters or as a part of a word too."""
    end = draft.prompt.index("[The text ends]") - 2
    for name in (draft.answers[0], draft.answers[-1]):
        for shown in (name, name.lower(), f"X{name}"):
            yield edited(draft, end, end, f" So much for {shown}.")


def another_chain_asked(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The value asked for is another chain's, or nobody's."""
    chains = draft.facts["chains"]
    asked = str(chains[draft.facts["asked"]]["value"])
    at = draft.prompt.rindex(asked)
    for value in (*(str(chain["value"]) for chain in chains if str(chain["value"]) != asked), "10000"):
        yield edited(draft, at, at + 5, value)


def chains_joined(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Another chain has the asked value too, in the text and in the record; and one has another's name."""
    chains = [dict(chain) for chain in draft.facts["chains"]]
    asked = chains[draft.facts["asked"]]
    for chain in chains:
        if chain is not asked:
            text = draft.prompt.replace(f" = {chain['value']}.", f" = {asked['value']}.")
            changed = [{**one, "value": asked["value"]} if one is chain else one for one in chains]
            yield with_facts(replace(draft, prompt=text), chains=changed)
            renamed = [{**one, "names": asked["names"]} if one is chain else one for one in chains]
            yield with_facts(draft, chains=renamed)
            return


# --- common words -----------------------------------------------------------------------------------------------------

_LINE = re.compile("^[0-9]+\\. ([a-z]+)\n", re.MULTILINE)


def entries_of(draft: Draft) -> list[re.Match[str]]:
    """The entries of the list."""
    return list(_LINE.finditer(draft.prompt))


def seldom(draft: Draft) -> str:
    """A word that is neither asked nor a decoy."""
    known = {*draft.answers, *draft.facts["decoys"]}
    return next(one[1] for one in entries_of(draft) if one[1] not in known)


def entry_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The last entry is missing; one from the middle, so that a number is."""
    listed = entries_of(draft)
    for one in (listed[-1], listed[len(listed) // 2]):
        yield edited(draft, one.start(), one.end(), "")


def numbers_swapped(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Two entries change places, numbers and all."""
    one, two = entries_of(draft)[20:22]
    yield edited(draft, one.start(), two.end(), two[0] + one[0])


def word_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """One occurrence of a word becomes another word: a common one a seldom one, the other way round, a new one."""
    rare = seldom(draft)
    listed = entries_of(draft)
    last = [one for one in listed if one[1] == draft.answers[0]][-1]
    yield edited(draft, last.start(1), last.end(1), rare)
    yield edited(draft, last.start(1), last.end(1), "zzzzzz")
    (found, *_) = [one for one in listed if one[1] == rare][1:]
    yield edited(draft, found.start(1), found.end(1), draft.answers[0])
    yield edited(draft, found.start(1), found.end(1), draft.answers[0][:4])
    yield edited(draft, found.start(1), found.end(1), draft.answers[0] + "s")


def counts_tied(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A word that is not asked stands as often as one that is, in the record too."""
    decoys = draft.facts["decoys"]
    if decoys:
        yield with_facts(draft, nearly=draft.facts["often"])
        yield with_facts(draft, decoys=[draft.answers[0], *decoys[1:]])
    yield with_facts(draft, often=draft.facts["seldom"])


def another_number_asked(draft: Draft, other: Draft) -> Iterator[Draft]:
    """One word fewer is asked for, or one more, or in one place only."""
    for wanted in ("9", "11"):
        yield replace(
            draft, prompt=draft.prompt.replace("Which 10 ", f"Which {wanted} ").replace("e 10 w", f"e {wanted} w")
        )
    yield replace(draft, prompt=draft.prompt.replace("Which 10 ", "Which 12 "))


def decoy_as_gold(draft: Draft, other: Draft) -> Iterator[Draft]:
    """An answer is exchanged for a word that stands less often."""
    wrong = (draft.facts["decoys"] or [seldom(draft)])[0]
    yield replace(draft, answers=tuple(sorted((*draft.answers[1:], wrong))))


# --- frequent words ---------------------------------------------------------------------------------------------------


def ranked(draft: Draft) -> list[str]:
    """The coded words, the most frequent first."""
    start = draft.prompt.index("begins]")
    found = Counter(
        re.findall(" ([a-z]{6})(?= )", draft.prompt[start : draft.prompt.index(" [The coded text ends]") + 1])
    )
    return [word for word, _ in found.most_common()]


def ranks_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The third word and the fourth change names; the gold's first two do."""
    third, fourth = ranked(draft)[2:4]
    table = {third: fourth, fourth: third}
    yield replace(draft, prompt=re.sub(f"{third}|{fourth}", lambda match: table[match[0]], draft.prompt))
    yield replace(draft, answers=(draft.answers[1], draft.answers[0], draft.answers[2]))
    yield replace(draft, answers=(*draft.answers[:2], fourth))


def occurrences_moved(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Occurrences of the third word are those of the fourth: all but a few, and as many as make both equal."""
    third, fourth = ranked(draft)[2:4]
    text = draft.prompt
    ahead = text.count(third) - text.count(fourth)
    for times in {ahead, (ahead + 1) // 2}:
        pieces = text.rsplit(f" {third} ", times)
        yield replace(draft, prompt=f" {fourth} ".join(pieces))
    if not ahead % 2:
        return
    # Made equal by one that is lost.
    pieces = text.rsplit(f" {third} ", ahead)
    yield replace(draft, prompt=" ... ".join(pieces))


def word_spoiled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A word is longer, shorter, or a word of English."""
    at = draft.prompt.rindex(f" {draft.answers[0]} ")
    for shown in (draft.answers[0][:5], draft.answers[0] + "s", "banana", "....", draft.answers[0].upper()):
        yield edited(draft, at + 1, at + 7, shown)


def dots_lost(draft: Draft, other: Draft) -> Iterator[Draft]:
    """Half of the dots are missing: the words follow no law beside them."""
    middle = len(draft.prompt) // 2
    end = draft.prompt.index(" [The coded text ends]")
    yield replace(
        draft, prompt=draft.prompt[:middle] + draft.prompt[middle:end].replace(" ...", "") + draft.prompt[end:]
    )


_ALWAYS = (gold_of_another, answers_shifted, evidence_moved)
_TRACKED = (
    *_ALWAYS,
    question_of_another,
    statement_lost,
    statement_doubled,
    link_changed,
    value_changed,
    statements_swapped,
    filler_made_relevant,
    gold_in_filler,
    another_chain_asked,
)
_LISTED = (
    *_ALWAYS,
    entry_lost,
    numbers_swapped,
    word_exchanged,
    counts_tied,
    another_number_asked,
    decoy_as_gold,
)
_CODED = (*_ALWAYS, ranks_exchanged, occurrences_moved, word_spoiled, dots_lost)
# By variant.
MUTANTS = {
    "vt": _TRACKED,
    "vt_hard": (*_TRACKED, chains_joined),
    "cwe": _LISTED,
    "cwe_hard": _LISTED,
    "fwe": _CODED,
    "fwe_hard": _CODED,
}
