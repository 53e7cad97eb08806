import re
from collections import Counter
from difflib import SequenceMatcher

import numpy as np
import pytest

from carrara.stream import Stream
from carrara.tables import LabelledText
from carrara.world import utterances as module
from carrara.world.language.grammar import WordingLine, parse, read_lists
from carrara.world.utterances import DEMONSTRATIONS, INTENTS, LONGEST, SHORTEST, TESTS, space, utterance, utterances

STREAM = Stream("utterances test")
WORD = re.compile(r"[\w’]+")
ALL = DEMONSTRATIONS + TESTS
GOLDEN: dict[tuple[str, module.LabelledPart, int], str] = {
    ("card_lost", "demonstration", 0): "I lost my payment card beside the fountain this morning. Can you help?",
    ("standing_order", "test", 3): "I’d like to stop my standing order for the garage, thanks from Clarkan Ferry.",
    (
        "ferry_times",
        "demonstration",
        599,
    ): "Hello from Zerzem Dumjem, when does the ferry to Zabryn Yugthon leave on Saturdays?",
    (
        "mail_hold",
        "demonstration",
        41,
    ): "My best friend and I cannot agree, so please hold my mail until the seventeenth.",
    (
        "pollen_count",
        "test",
        19,
    ): "Birch pollen on the hills above Surren Prenlar, thank you in advance, Mrs M Lurorte.",
    (
        "dough_not_rising",
        "demonstration",
        300,
    ): "I promised my father-in-law an answer. Can a flat dough for buns be rescued?",
}


def texts(stream: Stream, intent: int) -> list[str]:
    return [one.text for part in ("demonstration", "test") for one in utterances(stream, intent, part)]


@pytest.fixture(scope="module")
def sample() -> list[list[str]]:
    return [texts(STREAM, intent) for intent in range(len(INTENTS))]


@pytest.fixture(scope="module")
def flat(sample: list[list[str]]) -> list[str]:
    return [text for each in sample for text in each]


def test_intents_are_many_and_their_labels_are_short_phrases() -> None:
    assert 160 <= len(INTENTS) == len(set(INTENTS))
    assert all(re.fullmatch(r"[a-z]+(?:_[a-z]+){0,4}", label) for label in INTENTS)


@pytest.mark.parametrize(("label", "part", "number"), GOLDEN)
def test_text_is_pinned(label: str, part: module.LabelledPart, number: int) -> None:
    found = utterance(Stream("golden"), INTENTS.index(label), number, part)
    assert found == LabelledText(f"{label}/{part}/{number}", GOLDEN[label, part, number], label)


def test_an_utterance_stands_alone(sample: list[list[str]]) -> None:
    moved = Stream("utterances test")
    moved.word()
    for intent in (len(INTENTS) - 1, 77, 0):
        for number in (DEMONSTRATIONS - 1, 13, 0):
            assert utterance(moved, intent, number, "demonstration").text == sample[intent][number]
        assert utterance(moved, intent, TESTS - 1, "test").text == sample[intent][-1]
    whole = utterances(moved, 5, "test")
    assert whole == tuple(utterance(moved, 5, number, "test") for number in range(TESTS))
    assert [one.id for one in whole] == [f"{INTENTS[5]}/test/{number}" for number in range(TESTS)]


def test_a_number_out_of_range_is_refused() -> None:
    for number in (-1, TESTS):
        with pytest.raises(IndexError, match="from 0 to 19"):
            utterance(STREAM, 0, number, "test")


@pytest.mark.repeat
def test_no_two_utterances_are_equal(sample: list[list[str]], flat: list[str]) -> None:
    # Demonstrations and tests of all intents; a classifier that ignores case and marks must not see twins either.
    assert all(len(each) == ALL for each in sample)
    assert len(flat) == len(INTENTS) * ALL
    twice = [text for text, times in Counter(flat).items() if times > 1]
    assert twice == []
    plain = Counter(" ".join(WORD.findall(text.lower())) for text in flat)
    assert [text for text, times in plain.items() if times > 1] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one", "two", "three"])
def test_no_two_utterances_are_equal_in_other_streams(name: str) -> None:
    flat = [text for intent in range(len(INTENTS)) for text in texts(Stream(name), intent)]
    assert len(set(flat)) == len(flat)


def test_every_intent_has_room_and_frames_enough() -> None:
    for number, intent in enumerate(module._intents()):
        assert space(number) >= 80_000, intent.label
        assert len(intent.shapes) >= 40 and intent.ends[-1] >= 20 * ALL, intent.label


def test_shapes_spell_what_they_count() -> None:
    # Every spelling of some small shapes is another; the bounds of words hold.
    small = [shape for intent in module._intents()[::7] for shape in intent.shapes if shape.size <= 400]
    assert len(small) > 50
    for shape in small:
        spelled = [shape.spell(number) for number in range(shape.size)]
        assert len(set(spelled)) == shape.size
        assert all(shape.low <= text.count(" ") + text.count("@") <= shape.high for text in spelled)


def test_texts_are_well_formed(flat: list[str]) -> None:
    for text in flat:
        assert re.fullmatch(r"[A-Z][A-Za-z0-9’,.:;?!–\- ]+[.?!]", text), text
        assert not re.search(r"  | [,.:;?!]|[,.:;?!]{2}|\bi\b|[.?!] [a-z]|\b(\w+) \1\b", text), text
        assert not re.search(r"\ba [aeio]|\ban [^aeiouhX]", text), text


def test_lengths(flat: list[str]) -> None:
    lengths = [len(text.split()) for text in flat]
    assert min(lengths) >= SHORTEST and max(lengths) <= LONGEST
    assert 10 < sum(lengths) / len(lengths) < 14


def test_another_stream_gives_other_utterances(sample: list[list[str]]) -> None:
    shares = [len(set(each) & set(texts(Stream("twin"), intent))) / ALL for intent, each in enumerate(sample)]
    assert sum(shares) / len(shares) < 0.01 and max(shares) < 0.03


@pytest.mark.repeat
def test_wordings_vary(sample: list[list[str]], flat: list[str]) -> None:
    near = pairs = 0
    for each in sample[::16]:
        words = [text.lower().split() for text in each[:120]]
        for first, one in enumerate(words):
            matcher = SequenceMatcher(None, b=one, autojunk=False)
            for other in words[:first]:
                matcher.set_seq1(other)
                pairs += 1
                near += matcher.quick_ratio() > 0.9 and matcher.ratio() > 0.9
    assert near / pairs < 0.003
    grams = [Counter[tuple[str, ...]]() for _ in range(2)]
    for text in flat[::2][:50_000]:
        words = WORD.findall(text.lower())
        for counter, size in zip(grams, (2, 4), strict=True):
            counter.update(zip(*(words[start:] for start in range(size)), strict=False))
    two, four = (len(counter) / counter.total() for counter in grams)
    assert two > 0.03 and four > 0.25, (two, four)


def test_a_bag_of_words_does_well_and_not_perfectly(sample: list[list[str]]) -> None:
    # Nearest centroid of 10 demonstrations an intent: the intents can be told apart, but words alone do not do it.
    known: dict[str, int] = {}
    for each in sample:
        for text in each[:10]:
            for word in WORD.findall(text.lower()):
                known.setdefault(word, len(known))

    def bag(text: str) -> np.ndarray:
        out = np.zeros(len(known))
        for word in WORD.findall(text.lower()):
            if word in known:
                out[known[word]] = 1
        return out / max(1.0, float(np.linalg.norm(out)))

    centroids = np.array([np.mean([bag(text) for text in each[:10]], axis=0) for each in sample])
    centroids /= np.linalg.norm(centroids, axis=1, keepdims=True)
    right = [
        int(np.argmax(centroids @ bag(text))) == intent
        for intent, each in enumerate(sample)
        for text in each[DEMONSTRATIONS:]
    ]
    assert 0.6 < sum(right) / len(right) < 0.95, sum(right) / len(right)


def test_a_wrong_text_is_an_error_with_its_place() -> None:
    line = WordingLine("en/x.txt:3", "fact: {X} broke / {thing} broke")
    lists = read_lists([WordingLine("en/x.txt:1", "thing: kettle / oven")], {})
    frames = {
        kind: [parse(line, lists.get, ("core",))]
        for kind in module._KINDS
        for line in [WordingLine("en/x.txt:2", "Hello, {core}.")]
    }
    with pytest.raises(ValueError, match=r"en/x\.txt:3.*expected text, lists"):
        module._intent("x", [line], lists, frames, module._Compiler())
    with pytest.raises(ValueError, match="expected only do, please"):
        module._intent("x", [WordingLine("en/x.txt:4", "wish: a / b")], lists, frames, module._Compiler())
