"""idk: shares and balance, solver against gold, letters that spell nothing, exact fit, and the ladder of lengths."""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import pytest
from cases import Case, separate
from mutants import edited, gold_exchanged

from carrara.errors import BudgetError, SourceError
from carrara.making.row_maker import TokenBudget
from carrara.row import canonical_json
from carrara.scoring import METRICS
from carrara.stream import Stream
from carrara.tables import Story
from carrara.task import Draft, Item, Slot, plan_stream
from carrara.tasks.michelangelo.idk.prompt import ALPHABET, draw_letters, fitting, forbidden_words, spaced
from carrara.tasks.michelangelo.idk.solver import decide, read_prompt, read_story
from carrara.tasks.michelangelo.idk.task import BLOCK, EXAMPLE_LETTERS, TASK, Params
from carrara.tokens import load_tokenizer
from carrara.world.stories import story
from carrara.world.world import World


@dataclass
class Stories:
    """The stories of a world, and nothing else."""

    tables: World


INPUTS = Stories(World("golden/1"))
STREAM = plan_stream(TASK, "golden/1", "")


EVEN = Params()


def make_plan(index, stream=STREAM, params=EVEN):
    return TASK.plan(params, Item("idk", "", index), INPUTS, stream)


def make(index, length=4_096, tokenizer="o200k_base", budget=None, inputs=INPUTS, stream=STREAM, params=EVEN) -> Draft:
    slot = Slot(Item("idk", "", index), "bucket", length, index, 0, length)
    plan = make_plan(index, stream, params)
    return TASK.render(plan, slot, inputs, budget or TokenBudget(load_tokenizer(tokenizer)))


def objections(draft):
    found = [finding.what for finding in TASK.audit(draft)]
    return found if TASK.solve(draft.prompt) == draft.answers else [*found, "solver"]


def letters_of(draft, number=2):
    return read_prompt(draft.prompt)[number].letters[::2]


# --- plan -------------------------------------------------------------------------------------------------------------


def test_shares_are_exact_in_every_block_of_30():
    assert Counter(stated for stated, _ in BLOCK) == {False: 21, True: 9}
    for start in (0, 30, 300):
        problems = [make_plan(index).problem for index in range(start, start + 30)]
        assert Counter((one.stated, one.place) for one in problems) == {
            (False, 0): 7,
            (False, 1): 7,
            (False, 2): 7,
            (True, 0): 3,
            (True, 1): 3,
            (True, 2): 3,
        }
    # The order within a block is drawn: the gold of an item is not told by its number.
    orders = [tuple(make_plan(index).problem.stated for index in range(start, start + 30)) for start in (0, 30, 60)]
    assert len(set(orders)) == 3


def test_examples_are_one_of_each_kind_and_balanced():
    plans = [make_plan(index) for index in range(18)]
    for plan in plans:
        assert sorted(one.stated for one in plan.examples) == [False, True]
    shown = [(plan.examples[0].stated, *(one.place for one in plan.examples)) for plan in plans]
    assert len(set(shown)) == 18


def test_every_story_is_asked_once():
    numbers = [one.story for index in range(50) for one in (make_plan(index).problem, *make_plan(index).examples)]
    assert sorted(numbers) == list(range(150))


def test_only_a_hint_says_when_the_last_choice_is_right():
    plain = make(3)
    hinted = TASK.render(
        replace(make_plan(3), hint=True),
        Slot(Item("idk", "", 3), "bucket", 4_096, 3, 0, 4_096),
        INPUTS,
        TokenBudget(load_tokenizer("o200k_base")),
    )
    assert "It is (D)" in hinted.prompt and "(D)" not in plain.prompt.partition("Story 1")[0]
    assert hinted.answers == plain.answers and objections(hinted) == objections(plain) == []
    assert plain.prompt.count("of the form") == 1 and plain.prompt.rstrip("\n").endswith(
        "the letter of the right choice."
    )
    assert TASK.plan(Params(hint=True), Item("idk", "", 3), INPUTS, STREAM).hint


# --- rows -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokenizer", ["o200k_base", pytest.param("cl100k_base", marks=pytest.mark.repeat)])
def test_solver_audit_and_exact_fit(tokenizer):
    count = load_tokenizer(tokenizer).count
    for length, items in ((2_049, 30), (4_096, 60), (32_768, 5)):
        for index in range(items):
            draft = make(index, length, tokenizer)
            assert objections(draft) == []
            assert count(draft.prompt) + draft.max_output_tokens == length


@pytest.mark.slow
def test_a_thousand_rows_are_solved():
    world = Stories(World("thousand"))
    golds = Counter()
    for index in range(1_020):
        draft = make(index, inputs=world, stream=plan_stream(TASK, "thousand", ""))
        assert objections(draft) == []
        golds[draft.answers[0]] += 1
    assert golds == {"A": 102, "B": 102, "C": 102, "D": 714}


@pytest.mark.slow
def test_a_million_tokens():
    for index in range(2):
        draft = make(index, 1 << 20)
        assert objections(draft) == []
        assert load_tokenizer("o200k_base").count(draft.prompt) + draft.max_output_tokens == 1 << 20


def test_golds_choices_and_complexity():
    drafts = [make(index) for index in range(30)]
    assert Counter(draft.answers[0] for draft in drafts) == {"A": 3, "B": 3, "C": 3, "D": 21}
    kinds = set()
    for draft in drafts:
        (gold,) = draft.answers
        assert draft.complexity == (gold != "D") and draft.choices[3] == "I don't know"
        assert draft.max_output_tokens == 32
        told = read_prompt(draft.prompt)[2]
        ((start, end),) = draft.evidence
        kinds.add(draft.facts["kind"])
        if gold == "D":
            assert draft.prompt[start:end] == told.story
        else:
            assert draft.prompt[start:end] == draft.choices["ABC".index(gold)] == draft.facts["held"]
        assert len(canonical_json(draft.facts)) < 500
    assert len(kinds) > 10


def test_just_one_choice_stands_in_the_story_whatever_the_gold():
    # A search for the choices finds one in A, B and C alike, of an answer as of none.
    held = Counter()
    for index in range(60):
        draft = make(index)
        text = read_prompt(draft.prompt)[2].story.casefold()
        found = [place for place, choice in enumerate(draft.choices[:3]) if choice.casefold() in text]
        assert len(found) == 1 and draft.choices[found[0]] == draft.facts["held"]
        held[found[0], draft.complexity] += 1
    assert held == {(place, stated): 6 if stated else 14 for place in range(3) for stated in (0, 1)}


def test_constant_answers_score_as_the_card_says():
    drafts = [make(index) for index in range(30)]
    rows = [(one.complexity, {"answers": list(one.answers), "choices": list(one.choices)}) for one in drafts]
    for letter, expected in (("D", (1.0, 0.0)), ("A", (0.0, 1 / 3))):
        scores: dict[int, list[float]] = {0: [], 1: []}
        for complexity, row in rows:
            scores[complexity].append(METRICS["idk"](f"Answer: {letter}", row))
        assert [sum(found) / len(found) for found in scores.values()] == pytest.approx(expected)
        # 70 % absent: a constant (D) scores 0.7 over all.
        assert [len(found) for found in scores.values()] == [21, 9]


def test_the_ladder_shares_the_item_and_letters_are_a_beginning():
    for index in range(6):
        short, middle, long = (make(index, length) for length in (2_049, 4_096, 32_768))
        assert short.answers == long.answers and short.facts == long.facts and short.choices == long.choices
        assert letters_of(middle).startswith(letters_of(short)) and letters_of(long).startswith(letters_of(middle))
        heads = {draft.prompt.rpartition("Story 3\n")[0] for draft in (short, middle, long)}
        assert len(heads) == 1
        told = {draft.prompt[slice(*draft.evidence[0])] for draft in (short, middle, long)}
        assert len(told) == 1 and short.depths == middle.depths == long.depths


def test_stories_stand_at_every_depth_or_at_the_top_as_in_the_paper():
    drafts = [make(index) for index in range(22)]
    assert Counter(draft.depths for draft in drafts) == {(tenths / 10,): 2 for tenths in range(11)}
    for draft in drafts[:11]:
        block = read_prompt(draft.prompt)[2]
        assert abs(block.before / (len(block.letters) + 1) * 2 - draft.depths[0]) < 0.01
        moved = replace(draft, depths=((draft.depths[0] + 0.1) % 1.1,))
        assert [finding.what for finding in TASK.audit(moved)] == ["depth"]
    top = make(0, params=Params(depth="top"))
    assert top.depths == (0.0,) and read_prompt(top.prompt)[2].before == 0 and "After each one" in top.prompt


def test_a_pronoun_that_fits_two_persons_is_not_understood():
    opening = (
        "The story of Ann Bo Cy begins in a town, on a foggy evening. "
        "{who} drank cider and nothing stronger or weaker, so the baker said."
    )
    second = " Not far away lived Dee Eb Fi, who had been at school with Ann Bo Cy and was quite another sort."
    closing = " What became of them later, the baker never found out."
    for who, then, understood in (("She", "He", True), ("She", "She", False), ("Ann Bo Cy", "He", False)):
        story = opening.format(who=who) + second + f" {then} was afraid of geese, so the baker said." + closing
        assert (read_story(story) is not None) == understood


@pytest.mark.repeat
def test_a_twin_tells_other_stories():
    twin = Stories(World("golden/2"))
    stories = {read_prompt(make(index).prompt)[n].story for index in range(30) for n in range(3)}
    names = {name for index in range(30) for pair in make(index).facts["names"] for name in pair}
    assert len(stories) == 90 and len(names) == 180
    for index in range(30):
        draft = make(index, inputs=twin, stream=plan_stream(TASK, "golden/2", ""))
        assert not {one.story for one in read_prompt(draft.prompt)} & stories
        assert not {name for pair in draft.facts["names"] for name in pair} & names
        assert letters_of(draft)[:50] != letters_of(make(index))[:50]


def test_wrong_answers_score_below_one():
    metric = METRICS[TASK.metrics[0]]
    for index in range(30):
        draft = make(index)
        row = {"answers": list(draft.answers), "choices": list(draft.choices), "prompt": draft.prompt}
        for letter in "ABCD":
            for form in (f"Answer: {letter}", draft.choices["ABCD".index(letter)]):
                assert metric(form, row) == ((letter,) == draft.answers), form
        for wrong in ("", draft.prompt, draft.prompt[-3_000:], "Answer: E", read_prompt(draft.prompt)[2].story):
            assert metric(wrong, row) == 0


# --- letters ----------------------------------------------------------------------------------------------------------


def test_no_word_of_choices_or_names_is_spelled():
    for index in range(30):
        draft = make(index, 8_192)
        for number in range(3):
            letters = letters_of(draft, number)
            assert number == 2 or len(letters) == EXAMPLE_LETTERS
            assert set(letters) <= set(ALPHABET)
            texts = [*draft.choices, *(name for pair in draft.facts["names"] for name in pair)]
            for word in re.findall("[a-z]{3,}", " ".join(texts).lower()):
                assert word.upper() not in letters


def test_letters_avoid_words_by_the_rule_and_are_a_beginning_of_more():
    words = ("CAT", "DOG", "ATE", "AAA", "ABAB", "XYZ", "THE", "KNOW")
    stream = Stream("letters")
    raw = "".join(ALPHABET[draw] for draw in stream.child().below_many(26, 200_000))
    assert sum(raw.count(word) for word in words) > 50
    letters = draw_letters(stream.child(), 200_000, words).decode()
    assert not any(word in letters for word in words)
    # One letter at a time, as the rule says it.
    slow = []
    for letter in raw[:60_000]:
        while any("".join([*slow[-3:], letter]).endswith(word) for word in words):
            letter = ALPHABET[(ALPHABET.index(letter) + 1) % 26]
        slow.append(letter)
    assert letters[:60_000] == "".join(slow)
    assert letters.startswith(draw_letters(stream.child(), 60_001, words).decode())
    assert sum(a != b for a, b in zip(raw, letters, strict=True)) < 200


def test_letters_where_a_change_completes_another_word():
    # Every second letter of the alphabet ends a word after any other: many changes in a row.
    words = [a + b + c for a in "AEIOU" for b in "BCDFG" for c in "ACEGIKMOQSUWY"]
    stream = Stream("crowded")
    letters = draw_letters(stream, 50_000, words).decode()
    assert not any(word in letters for word in words)


def test_letters_are_spaced_and_priced():
    assert spaced(b"") == "" and spaced(b"A") == "A" and spaced(b"ABC") == "A B C"
    costs = np.ones(26, dtype=np.int64)
    assert (
        fitting(b"ABCABC", costs, 4) == (4, 4)
        and fitting(b"ABC", costs, 9) == (3, 3)
        and fitting(b"ABC", costs, -1) == (0, 0)
    )
    costs[1] = 5
    assert [fitting(b"ABC", costs, room)[0] for room in (0, 1, 5, 6, 7)] == [0, 1, 1, 2, 3]


def test_words_that_are_forbidden():
    assert forbidden_words(["a one-eyed cat", "I don't know", "Ulvira Aveshar", "the cat"]) == (
        "AVESHAR",
        "CAT",
        "DON",
        "EYED",
        "KNOW",
        "ONE",
        "THE",
        "ULVIRA",
    )


def test_letters_are_as_frequent_as_each_other():
    counts = Counter(letters_of(make(0, 32_768)))
    assert len(counts) == 26 and max(counts.values()) < 1.25 * min(counts.values())


# --- fit --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("skew", [-9, -1, 3, 40])
def test_where_counts_do_not_add_up_the_final_count_decides(skew):
    class Skewed(TokenBudget):
        def measure(self, prompt):
            return self.count(prompt) + skew

    budget = Skewed(load_tokenizer("o200k_base"))
    for index in range(3):
        draft = make(index, budget=budget)
        assert budget.measure(draft.prompt) + draft.max_output_tokens == 4_096
        assert objections(draft) == []


def test_where_letters_cost_more_the_rest_is_less_than_one():
    class Dear(TokenBudget):
        def count(self, text):
            return super().count(text) + sum(text.count(f" {letter}") for letter in "QXZ")

        def count_many(self, texts):
            return np.array([self.count(text) for text in texts])

        def measure(self, prompt):
            return self.count(prompt)

    budget = Dear(load_tokenizer("o200k_base"))
    for index in range(3):
        draft = make(index, budget=budget)
        assert 4_095 <= budget.measure(draft.prompt) + draft.max_output_tokens <= 4_096
        assert objections(draft) == []


def test_a_length_without_room_is_refused():
    with pytest.raises(BudgetError, match="letters"):
        make(0, 1_000)


def test_stories_that_leave_nothing_to_ask_are_refused():
    class Poor:
        def story(self, number):
            return Story("Nothing happened.", ("Ann Bee", "Cee Dee"), ())

    with pytest.raises(SourceError, match="nothing to ask"):
        make(0, inputs=Stories(Poor()))


# --- the solver -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", ["reader/1", "reader/2"])
def test_the_reader_finds_all_that_a_story_states_and_nothing_else(stream):
    unread = 0
    for number in range(300):
        one = story(Stream(stream), number)
        stated = {(a.kind, one.names[0], a.value) for a in one.attributes if a.value}
        stated |= {(a.kind, one.names[1], a.elsewhere) for a in one.attributes if a.elsewhere}
        found = read_story(one.text)
        assert found is not None, one.text
        assert sorted((s.kind, s.who, s.value) for s in found) == sorted(stated), one.text
        unread += not stated
    assert not unread


def test_every_kind_is_asked_and_decided():
    world, seen = World("kinds"), Counter()
    any_of = read_prompt(make(0).prompt)[2]
    for number in range(200):
        one = world.story(number)
        for attribute in one.attributes:
            choices = (*attribute.wrong[:2], attribute.value or attribute.elsewhere or "nothing", "I don't know")
            told = replace(any_of, story=one.text, question=attribute.question, choices=choices)
            assert decide(told) == ("C" if attribute.value else "D"), attribute
            seen[attribute.kind, attribute.value is not None] += 1
    assert len(seen) == 40 and min(seen.values()) > 10


def test_what_is_not_understood_is_not_answered():
    draft = make(0)
    told = read_prompt(draft.prompt)[2]
    assert decide(told) == draft.answers[0]
    main, companion = draft.facts["names"][0]
    first, rest = told.story.split(". ", 1)
    for text in (
        "",
        "x",
        told.story[:-1],
        told.story + " ",
        rest,
        first + ".",
        f"{told.story} And so on.",
        f"{first}. It rained. {rest}",
        told.story.replace(companion, "Somebody Else", 1),
        told.story.replace(main, "Somebody Else"),
        first + ". " + "a" * 5_000 + ". " + rest,
    ):
        assert decide(replace(told, story=text)) is None, text
    for question in ("", "What?", f"What did {companion} think?", "What did Somebody Else drink?"):
        assert decide(replace(told, question=question)) is None, question
    assert decide(replace(told, choices=("a", "b", "c", "d"))) is None


def test_solve_is_total_and_strict():
    prompt = make(0).prompt
    for text in ("", "Story 1\n", "\ud800", "\n\n" * 1_000, prompt[1:], prompt[:-1], prompt + "\n", prompt * 2):
        assert TASK.solve(text) == ()
    unknown = ("(D) I don't know", "(D) I know")
    for old, new in (("Story 3", "Story 4"), ("Question 3:", "Question:"), unknown, ("Answer: ", "A: ")):
        assert TASK.solve(prompt.replace(old, new)) == (), old
    middle = read_prompt(prompt)[2].begin + len(read_prompt(prompt)[2].story) + 502
    for letter in ("a", "7", "É", "AB", "", "\n"):
        assert TASK.solve(prompt[:middle] + letter + prompt[middle + 1 :]) == (), letter


@pytest.mark.parametrize("index", range(6))
def test_audit_objects_to_a_wrong_draft(index):
    draft = make(index)
    wrong = "A" if draft.answers[0] != "A" else "B"
    assert "solver" in objections(replace(draft, answers=(wrong,)))
    assert "gold" in objections(replace(draft, answers=("E",)))
    assert "gold" in objections(replace(draft, answers=()))
    assert "complexity" in objections(replace(draft, complexity=1 - draft.complexity))
    assert "evidence" in objections(replace(draft, evidence=((0, 5),)))
    assert "evidence" in objections(replace(draft, evidence=()))
    assert "choices" in objections(replace(draft, choices=draft.choices[::-1]))
    names = [pair[::-1] for pair in draft.facts["names"]]
    assert "person" in objections(replace(draft, facts={**draft.facts, "names": names}))
    assert "choices" in objections(replace(draft, facts={**draft.facts, "held": "a dragon"}))
    assert "layout" in objections(replace(draft, prompt=draft.prompt + "\n"))
    at = draft.prompt.index("\n\nQuestion 3") - 7
    spelled = draft.prompt[:at] + "K N O W" + draft.prompt[at + 7 :]
    assert objections(replace(draft, prompt=spelled)) == ["spelled"]


# --- mutants: what solver or audit must object to ---------------------------------------------------------------------


def _told(draft: Draft) -> tuple[int, int, int, int]:
    """Where the third story begins and ends, and where the choice that it holds stands in it."""
    told = read_prompt(draft.prompt)
    assert told
    begin, end = told[2].begin, told[2].begin + len(told[2].story)
    at = draft.prompt.casefold().index(draft.facts["held"].casefold(), begin, end)
    return begin, end, at, at + len(draft.facts["held"])


def _letters(draft: Draft) -> int:
    """Where the longer run of the third story's letters begins."""
    begin, end, _, _ = _told(draft)
    return draft.prompt.rindex("Story 3\n", 0, begin) + len("Story 3\n") if draft.depths[0] > 0.5 else end + 2


def _sentence(draft: Draft) -> tuple[int, int]:
    """The sentence of the third story that holds a choice, with the space before it."""
    begin, _, at, _ = _told(draft)
    return max(begin, draft.prompt.rindex(". ", begin, at) + 1), draft.prompt.index(".", at) + 1


def told_value_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The sentence with the answer is lost, or its value alone; where nothing is told, that of the other person."""
    start, end = _sentence(draft)
    yield edited(draft, start, end, "")
    _, _, at, to = _told(draft)
    yield edited(draft, at, to, "")


def told_value_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What the story tells is told again, with the value of a wrong choice."""
    if draft.complexity:
        start, end = _sentence(draft)
        wrong = next(choice for choice in draft.choices if choice != draft.facts["held"])
        yield edited(draft, end, end, draft.prompt[start:end].replace(draft.facts["held"], wrong))


def persons_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What was told of the one is told of the other."""
    begin, end, _, _ = _told(draft)
    main, companion = draft.facts["names"][0]
    story = draft.prompt[begin:end].replace(main, "\0").replace(companion, main).replace("\0", companion)
    yield edited(draft, begin, end, story)


def told_of_the_main_person_too(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What the story tells of the companion is told of the main person: there is an answer now."""
    if not draft.complexity:
        start, end = _sentence(draft)
        main, companion = draft.facts["names"][0]
        sentence = draft.prompt[start:end].replace(companion, main)
        at = draft.prompt.index(". ", _told(draft)[0]) + 1
        yield edited(draft, at, at, sentence)


def second_right_choice(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A wrong choice is the right text again, or another thing that the story holds."""
    place = next(number for number, choice in enumerate(draft.choices[:3]) if choice != draft.facts["held"])
    wrong = draft.choices[place]
    at = draft.prompt.rindex(f") {wrong}\n") + 2
    for text in (draft.facts["held"], draft.facts["names"][0][1]):
        choices = (*draft.choices[:place], text, *draft.choices[place + 1 :])
        yield replace(edited(draft, at, at + len(wrong), text), choices=choices)


def choices_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The right choice and another change places, in the prompt and in the row."""
    right = "ABCD".index(draft.answers[0])
    swap = (right + 1) % 4 if draft.complexity else 2
    start = draft.prompt.rindex("(A) ")
    end = draft.prompt.index("\n\n", start)
    choices = list(draft.choices)
    choices[right], choices[swap] = choices[swap], choices[right]
    listed = "\n".join(f"({letter}) {choice}" for letter, choice in zip("ABCD", choices, strict=True))
    yield replace(edited(draft, start, end, listed), choices=tuple(choices))


def word_spelled_in_letters(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A word of a choice, of a name or of "I don't know" stands among the letters."""
    start = _letters(draft)
    for text in (draft.choices[0].split()[-1], draft.facts["names"][0][1].split()[0], "know"):
        word = " ".join("".join(letter for letter in text.upper() if letter.isascii() and letter.isalpha()))
        for at in (start, start + 1_000):
            yield edited(draft, at, at + len(word), word)


def letters_made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A sentence of the story, and a letter gone small, among the letters."""
    start, stop = _sentence(draft)
    at = draft.prompt.index(" ", _letters(draft) + 500)
    yield edited(draft, at, at, draft.prompt[start:stop])
    yield edited(draft, at + 1, at + 2, draft.prompt[at + 1].lower())


def question_of_another_story(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question and choices are those of another item."""
    ours, theirs = draft.prompt.rindex("Question 3: "), other.prompt.rindex("Question 3: ")
    yield edited(draft, ours, len(draft.prompt), other.prompt[theirs:])
    end = draft.prompt.index("\n", ours)
    yield edited(draft, ours, end, other.prompt[theirs : other.prompt.index("\n", theirs)])


def example_answered_wrongly(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A worked example has another answer, or none."""
    at = draft.prompt.index("\nAnswer: ") + len("\nAnswer: ")
    for letter in "ABCDE":
        if letter != draft.prompt[at]:
            yield edited(draft, at, at + 1, letter)
    yield edited(draft, at - len("\nAnswer: "), at + 1, "")


MUTANTS = (
    told_value_removed,
    told_value_doubled,
    persons_exchanged,
    told_of_the_main_person_too,
    second_right_choice,
    choices_exchanged,
    word_spelled_in_letters,
    letters_made_relevant,
    question_of_another_story,
    example_answered_wrongly,
)


# --- what the tests of all tasks have to know -------------------------------------------------------------------------

CASE = Case(
    variants=separate("", metric="idk"),
    mutants=(*MUTANTS, gold_exchanged),
    # "I don't know" is a choice of every item.
    shares_answers=True,
)
