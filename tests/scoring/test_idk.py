"""idk: what counts as "I don't know", what a conflict does, and the means of a report."""

import pytest

from carrara.scoring import METRICS
from carrara.scoring.metrics.choice import read_idk

ROW = {"choices": ["a goose", "a lame goat", "a barn owl", "I don't know"]}


def read(response):
    letter = read_idk(response, ROW)
    for one in "ABCD":
        assert METRICS["idk"](response, ROW | {"answers": [one]}) == (one == letter)
    return letter


@pytest.mark.parametrize(
    "response",
    [
        "Answer: D",
        "D",
        "(D)",
        "D)",
        "**D**",
        "\\boxed{D}",
        "(D) I don't know",
        "D) I don't know",
        "Answer: (D) I don't know",
        '{"answer": "D"}',
        "I don't know",
        "I don’t know.",
        "I do not know.",
        "We do not know what animal she kept.",
        "Unknown",
        "It is unknown.",
        "This cannot be determined from the story.",
        "It can't be determined.",
        "That can not be known.",
        "It could not be determined from the text.",
        "The story does not say.",
        "The story doesn't say which animal.",
        "The text doesn't mention any animal of hers.",
        "The story does not mention it.",
        "The story never mentions it.",
        "The city is not mentioned in the text.",
        "Her pet is never mentioned.",
        "This isn't stated.",
        "Not stated.",
        "It is not specified.",
        "It has not been specified.",
        "The answer is not given.",
        "No information about that is given.",
        "There is no information on it.",
        "There is no mention of a pet.",
        "There is not enough information to answer.",
        "Insufficient information.",
        "It is impossible to tell.",
        "There's no way to know.",
        "The story does not explicitly state what she kept.",
        "I cannot answer this from the story.",
        "不知道",
        "无法确定。",
        "文中没有提到。",
        "I DON'T KNOW!!!",
    ],
)
def test_refusals(response):
    assert read(response) == "D"


@pytest.mark.parametrize(
    ("response", "letter"),
    [
        ("Answer: B", "B"),
        ("(B) a lame goat", "B"),
        ("a lame goat", "B"),
        # A letter in the asked form stands, whatever else is said.
        ("The story does not say much, but it does say this.\nAnswer: B", "B"),
        ("I don't know for certain. The answer is B.", "B"),
        ("She kept a goose? The story gives that to another.\nAnswer: D", "D"),
        ("(D), for a goose is not mentioned", "D"),
        ("A goose belongs to B, but nothing about A. So I don't know.", "D"),
        ("She met many people that day. " * 20 + "The story does not say.", "D"),
        ("The story does not say much about her pets. She met many people. " * 10 + "It was a lame goat.", "B"),
        # All of them, or none, are named: a refusal.
        ("Neither a goose nor a lame goat nor a barn owl is mentioned, so it is not stated.", "D"),
        ("(A), (B) and (C) are not mentioned.", "D"),
        # Just one is named: a guess or a denial, but no answer.
        ("I don't know, perhaps a lame goat.", ""),
        ("(B) is not mentioned.", ""),
        ("She kept a lame goat; the story does not say its name.", ""),
        ("B) is not stated", ""),
        # Nothing is said.
        ("", ""),
        ("She kept a lame goat and a barn owl.", ""),
        ("Perhaps.", ""),
        ("Yes", ""),
        ("I know.", ""),
        ("It is known.", ""),
        ("Sacramento", ""),
        ("A goose that nobody minded", ""),
        ("x " * 300 + "I don't know", ""),
    ],
)
def test_letters_and_conflicts(response, letter):
    assert read(response) == letter


def test_wrong_answers_and_echo():
    prompt = "Below is a story of a goose, a goat and an owl that nobody could tell apart at night.\nAnswer: D\n"
    row = ROW | {"answers": ["D"], "prompt": prompt}
    assert METRICS["idk"]("Answer: D", row) == METRICS["idk"]("It is not mentioned.", row) == 1
    for wrong in ("", prompt, "Answer: A", "B", "a barn owl"):
        assert METRICS["idk"](wrong, row) < 1, wrong
    assert METRICS["idk"]("D", {"answers": ["D"]}) == 0
