"""Damaged drafts of idk: what is told is lost, doubled or moved; choices, letters and question are others."""

from collections.abc import Iterator
from dataclasses import replace

from carrara.task import Draft
from carrara.tasks.michelangelo.idk.solver import read_prompt


def _edited(draft: Draft, start: int, end: int, text: str) -> Draft:
    """prompt[start:end] replaced; spans behind it move, one around it grows."""
    shift = len(text) - (end - start)
    spans = tuple((a + shift * (a >= end), b + shift * (b >= end)) for a, b in draft.evidence)
    return replace(draft, prompt=draft.prompt[:start] + text + draft.prompt[end:], evidence=spans)


def _told(draft: Draft) -> tuple[int, int, int, int]:
    """Where the third story begins and ends, and where the choice that it holds stands in it."""
    told = read_prompt(draft.prompt)
    assert told
    begin, end = told[2].begin, told[2].begin + len(told[2].story)
    at = draft.prompt.casefold().index(draft.facts["held"].casefold(), begin, end)
    return begin, end, at, at + len(draft.facts["held"])


def _sentence(draft: Draft) -> tuple[int, int]:
    """The sentence of the third story that holds a choice, with the space before it."""
    begin, _, at, _ = _told(draft)
    return max(begin, draft.prompt.rindex(". ", begin, at) + 1), draft.prompt.index(".", at) + 1


def told_value_removed(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The sentence with the answer is lost, or its value alone; where nothing is told, that of the other person."""
    start, end = _sentence(draft)
    yield _edited(draft, start, end, "")
    _, _, at, to = _told(draft)
    yield _edited(draft, at, to, "")


def told_value_doubled(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What the story tells is told again, with the value of a wrong choice."""
    if draft.complexity:
        start, end = _sentence(draft)
        wrong = next(choice for choice in draft.choices if choice != draft.facts["held"])
        yield _edited(draft, end, end, draft.prompt[start:end].replace(draft.facts["held"], wrong))


def persons_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What was told of the one is told of the other."""
    begin, end, _, _ = _told(draft)
    main, companion = draft.facts["names"][0]
    story = draft.prompt[begin:end].replace(main, "\0").replace(companion, main).replace("\0", companion)
    yield _edited(draft, begin, end, story)


def told_of_the_main_person_too(draft: Draft, other: Draft) -> Iterator[Draft]:
    """What the story tells of the companion is told of the main person: there is an answer now."""
    if not draft.complexity:
        start, end = _sentence(draft)
        main, companion = draft.facts["names"][0]
        sentence = draft.prompt[start:end].replace(companion, main)
        at = draft.prompt.index(". ", _told(draft)[0]) + 1
        yield _edited(draft, at, at, sentence)


def second_right_choice(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A wrong choice is the right text again, or another thing that the story holds."""
    place = next(number for number, choice in enumerate(draft.choices[:3]) if choice != draft.facts["held"])
    wrong = draft.choices[place]
    at = draft.prompt.rindex(f") {wrong}\n") + 2
    for text in (draft.facts["held"], draft.facts["names"][0][1]):
        choices = (*draft.choices[:place], text, *draft.choices[place + 1 :])
        yield replace(_edited(draft, at, at + len(wrong), text), choices=choices)


def choices_exchanged(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The right choice and another change places, in the prompt and in the row."""
    right = "ABCD".index(draft.answers[0])
    swap = (right + 1) % 4 if draft.complexity else 2
    start = draft.prompt.rindex("(A) ")
    end = draft.prompt.index("\n\n", start)
    choices = list(draft.choices)
    choices[right], choices[swap] = choices[swap], choices[right]
    listed = "\n".join(f"({letter}) {choice}" for letter, choice in zip("ABCD", choices, strict=True))
    yield replace(_edited(draft, start, end, listed), choices=tuple(choices))


def word_spelled_in_letters(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A word of a choice, of a name or of "I don't know" stands among the letters."""
    _, end, _, _ = _told(draft)
    for text in (draft.choices[0].split()[-1], draft.facts["names"][0][1].split()[0], "know"):
        word = " ".join("".join(letter for letter in text.upper() if letter.isascii() and letter.isalpha()))
        for at in (end + 2, end + 1_002):
            yield _edited(draft, at, at + len(word), word)


def letters_made_relevant(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A sentence of the story, and a letter gone small, among the letters."""
    _, end, _, _ = _told(draft)
    start, stop = _sentence(draft)
    at = draft.prompt.index(" ", end + 500)
    yield _edited(draft, at, at, draft.prompt[start:stop])
    yield _edited(draft, at + 1, at + 2, draft.prompt[at + 1].lower())


def question_of_another_story(draft: Draft, other: Draft) -> Iterator[Draft]:
    """The question and choices are those of another item."""
    ours, theirs = draft.prompt.rindex("Question 3: "), other.prompt.rindex("Question 3: ")
    yield _edited(draft, ours, len(draft.prompt), other.prompt[theirs:])
    end = draft.prompt.index("\n", ours)
    yield _edited(draft, ours, end, other.prompt[theirs : other.prompt.index("\n", theirs)])


def example_answered_wrongly(draft: Draft, other: Draft) -> Iterator[Draft]:
    """A worked example has another answer, or none."""
    at = draft.prompt.index("\nAnswer: ") + len("\nAnswer: ")
    for letter in "ABCDE":
        if letter != draft.prompt[at]:
            yield _edited(draft, at, at + 1, letter)
    yield _edited(draft, at - len("\nAnswer: "), at + 1, "")


IDK_MUTANTS = (
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
