"""Exact fit: to the token for every bundled encoding, to within a unit elsewhere, pieces where they are wanted."""

import re
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from carrara.context import Frame, Piece, assemble, fill
from carrara.errors import BudgetError
from carrara.making.row_maker import TokenBudget
from carrara.sources.haystack import _MARGIN, make_part, open_haystack, unit_texts
from carrara.stream import Stream
from carrara.tokens import Tokenizer, load_tokenizer
from carrara.world.prose import prose


@dataclass
class ListUnits:
    texts: list[str]
    costs: NDArray[np.int64]
    droppable: NDArray[np.bool_]

    def text(self, start: int, stop: int) -> str:
        return "".join(self.texts[start:stop])


def counted(paragraphs, lang, tokenizer) -> ListUnits:
    texts, droppable = unit_texts(paragraphs, lang)
    costs = tokenizer.count_many(texts)
    for i in range(1, len(texts)):
        costs[i] += tokenizer.count(texts[i - 1] + texts[i]) - tokenizer.count(texts[i - 1]) - tokenizer.count(texts[i])
    return ListUnits(texts, costs, np.array(droppable))


def opened(lang, sections, tokenizer):
    halves = sections[: len(sections) // 2], sections[len(sections) // 2 :]
    return open_haystack("test", "key", lang, lambda: [make_part(half, lang, tokenizer) for half in halves], tokenizer)


def test_sentences_inside_a_paragraph_and_paragraphs_of_one_may_be_left_out():
    texts, droppable = unit_texts([("Rain.",), ("It was late.", "He waited.", "Nobody came.")], "en")
    assert list(zip(texts, droppable, strict=True)) == [
        ("Rain.\n\n", True),
        ("It was late.", False),
        (" He waited.", True),
        (" Nobody came.\n\n", False),
    ]


EN = ["The boats came in.", "“Why not?” she asked.", "He waited (as ever) for the long grey morning to end at last.",
      "It was late…", "O’Connor’s cart stood there, unloaded and wet, and nobody spoke.", "No!", "--so they said.",
      "‘Once more,’ he cried.", "They counted 3,417 sheep and 12 goats before noon.", "Rain."]  # fmt: skip
ZH = [
    "他们在村口等了一夜。",
    "“走吧！”",
    "第三天，雨停了，河水退到堤下，路上渐渐有了行人……",
    "他笑道：“你也来了？”",
    "没有人说话．",
    "船靠岸时，天已经黑了，岸上的灯一盏一盏地亮起来。",
    "好。",
    "此时正是秋深时节，山上的叶子红了一半。",
]


@st.composite
def prompts(draw):
    lang = draw(st.sampled_from(["en", "zh"]))
    stream, sentences = Stream("paragraphs", draw(st.integers(0, 10**9))), EN if lang == "en" else ZH
    paragraphs = [
        [stream.choice(sentences) for _ in range(1 + stream.below(6))] for _ in range(draw(st.integers(60, 120)))
    ]
    depths = sorted(draw(st.lists(st.floats(0, 1), max_size=6)))
    needle = "The jade bell at {} is called Ostavel." if lang == "en" else "{}的玉钟名叫云岫。"
    pieces = [Piece(needle.format(number), depth) for number, depth in enumerate(depths)]
    share = draw(st.floats(0.35, 0.95))
    return lang, paragraphs, pieces, share


class Once(TokenBudget):
    """Says how often a finished prompt was measured."""

    measured = 0

    def measure(self, prompt: str) -> int:
        self.measured += 1
        return super().measure(prompt)


@given(prompts(), st.sampled_from(["o200k_base", "cl100k_base"]))
def test_fits_to_the_token_with_pieces_at_their_depths(case, name):
    lang, paragraphs, pieces, share = case
    tokenizer = load_tokenizer(name)
    units = counted(paragraphs, lang, tokenizer)
    frame = Frame("Read this.\n\n[begin]\n\n", "[end]\n\nWhat is it called?\n", "space" if lang == "en" else "none")
    wanted = 260 + int(share * (int(units.costs.sum()) - 300))
    budget = Once(tokenizer)
    laid = assemble(frame, units, pieces, wanted, budget)
    assert tokenizer.count(laid.prompt) == wanted and laid.short == 0
    # The first sum was right: nothing had to be laid out again.
    assert budget.measured == 1
    assert laid.prompt.startswith(frame.head) and laid.prompt.endswith(frame.tail)
    body = laid.prompt[len(frame.head) : -len(frame.tail)]
    assert body.endswith("\n\n") and "\n\n\n" not in body and "  " not in body
    for piece, (start, end), depth in zip(pieces, laid.spans, laid.depths, strict=True):
        assert laid.prompt[start:end] == piece.text
        if lang == "en":
            assert laid.prompt[start - 1] in " \n" and laid.prompt[end] in " \n"
        # Half of the longest sentence, and the few tokens that a joint may cost.
        assert abs(depth - piece.depth) * laid.filler_tokens <= units.costs.max() / 2 + 3
    assert list(laid.depths) == sorted(laid.depths)


@given(prompts())
def test_without_the_pieces_the_filler_is_the_source_in_order(case):
    lang, paragraphs, pieces, share = case
    tokenizer = load_tokenizer("o200k_base")
    units = counted(paragraphs, lang, tokenizer)
    frame = Frame("H\n\n", "T", "space" if lang == "en" else "none")
    wanted = 260 + int(share * (int(units.costs.sum()) - 300))
    laid = assemble(frame, units, pieces, wanted, TokenBudget(tokenizer))
    rest = laid.prompt[3:-1]
    for piece in pieces:
        for dressed in (f" {piece.text}", f"{piece.text}\n\n", piece.text):
            if dressed in rest:
                rest = rest.replace(dressed, "", 1)
                break
    flat, whole = rest.replace("\n", "").replace(" ", ""), "".join(units.texts).replace("\n", "").replace(" ", "")
    at = 0
    for character in flat:
        at = whole.find(character, at) + 1
        assert at > 0


@given(st.lists(st.integers(1, 60), min_size=40, max_size=200), st.floats(0, 1))
def test_fill_reaches_the_sum_and_keeps_the_order(costs, share):
    array = np.array(costs, dtype=np.int64)
    wanted = int(share * array.sum())
    filling = fill(array, wanted)
    assert filling.kept == sorted(set(filling.kept))
    assert array[filling.kept].sum() == filling.tokens <= wanted
    assert wanted - filling.tokens < max(costs)
    tail = costs[max(0, filling.stop - 32) : filling.stop]
    if len(tail) == 32 and array.sum() - wanted > 6 * array.mean() and 1 in tail and len(set(tail)) > 10:
        assert filling.tokens == wanted


def test_fill_leaves_out_only_what_may_be():
    costs = (Stream("costs").below_many(50, 300) + 5).astype(np.int64)
    droppable = np.arange(300) % 3 == 0
    for wanted in range(4_000, 4_040):
        filling = fill(costs, wanted, droppable)
        assert filling.tokens == costs[filling.kept].sum() == wanted
        assert filling.dropped and all(droppable[number] for number in filling.dropped)


def test_fill_goes_further_as_far_as_it_may_and_not_one_unit_more():
    # Half a hundred is reached with the one unit of 150 alone, which stands so many units behind the first stop.
    costs = np.where(np.arange(60) == 17, 150, 100)
    for wanted, needed in ((1_250, 1), (1_150, 2), (1_050, 3)):
        assert [fill(costs, wanted, further=needed - more).tokens for more in (1, 0)] == [wanted - 50, wanted]


def test_fill_says_how_much_is_missing():
    with pytest.raises(BudgetError, match="99 tokens, expected 120: 21 are missing"):
        fill(np.full(33, 3), 120)
    assert fill(np.full(3, 3), 0).kept == []


def test_a_smaller_fill_is_a_prefix_of_a_larger_one_but_for_its_last_units():
    costs = (Stream("costs").below_many(50, 5_000) + 5).astype(np.int64)
    small, large = fill(costs, 20_000).kept, fill(costs, 90_000).kept
    shared = len(small) - 140
    assert small[:shared] == large[:shared]


def test_fixed_text_that_does_not_fit_is_refused(o200k):
    units = counted([EN] * 20, "en", o200k)
    with pytest.raises(BudgetError, match="larger bucket"):
        assemble(Frame("H\n\n" * 200, "T", "space"), units, [], 100, TokenBudget(o200k))
    with pytest.raises(BudgetError, match="are missing"):
        assemble(Frame("H\n\n", "T", "space"), units, [], 100_000, TokenBudget(o200k))
    with pytest.raises(ValueError, match="sorted"):
        assemble(Frame("H\n\n", "T", "space"), units, [Piece("a", 1), Piece("b", 0)], 1000, TokenBudget(o200k))


@pytest.mark.parametrize("lang", ["en", pytest.param("zh", marks=pytest.mark.repeat)])
def test_a_tokenizer_that_does_not_add_up_fits_within_a_unit(tmp_path, lang):
    tokenizers = pytest.importorskip("tokenizers")
    sections = [prose.section(Stream("train"), lang, index) for index in range(12)]
    text = [sentence for section in sections for paragraph in section.paragraphs for sentence in paragraph]
    # A SentencePiece-like model: spaces become marks, a mark is put before the text, merges cross words.
    backend = tokenizers.Tokenizer(tokenizers.models.Unigram())
    backend.pre_tokenizer = tokenizers.pre_tokenizers.Metaspace(prepend_scheme="always", split=False)
    backend.train_from_iterator(
        text, tokenizers.trainers.UnigramTrainer(vocab_size=2_000, unk_token="<unk>", special_tokens=["<unk>"])
    )
    backend.save(str(tmp_path / "tokenizer.json"))
    tokenizer = load_tokenizer(f"hf:{tmp_path}")
    assert not tokenizer.additive
    units = counted([paragraph for section in sections for paragraph in section.paragraphs], lang, tokenizer)
    pieces = [Piece("The jade bell is called Ostavel." if lang == "en" else "玉钟名叫云岫。", 0.5)]
    frame = Frame("Head\n\n", "Tail", "space" if lang == "en" else "none")
    for wanted in (2_000, 3_001, 4_003):
        laid = assemble(frame, units, pieces, wanted, TokenBudget(tokenizer))
        tokens = tokenizer.count(laid.prompt)
        assert tokens <= wanted
        assert tokens >= 0.995 * wanted or wanted - tokens <= units.costs.max()


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base"])
def test_the_joint_test_passes_for_bundled_encodings(name):
    assert load_tokenizer(name).additive


def test_the_joint_test_finds_a_count_that_does_not_add_up():
    from carrara.tokens import joints_add_up

    assert joints_add_up(lambda text: len(text))
    assert not joints_add_up(lambda text: len(text) + 1)
    assert not joints_add_up(lambda text: len(text.replace("\n", "").split()) + text.count(". "))


def test_haystack_costs_add_up_over_a_section(monkeypatch, tmp_path, o200k, cl100k):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path))
    for lang in ("en", "zh"):
        for tokenizer in (o200k, cl100k):
            sections = [
                [(part.title,), *part.paragraphs] for part in (prose.section(Stream("h"), lang, i) for i in range(30))
            ]
            haystack = opened(lang, sections, tokenizer)
            ordered = haystack.ordered(Stream("order"), 1_000_000, False)
            whole = ordered.text(0, len(ordered.costs))
            assert tokenizer.count(whole) == int(ordered.costs.sum())
            few = haystack.ordered(Stream("order"), 100, False)
            assert whole.startswith(few.text(0, len(few.costs))) and int(few.costs.sum()) >= min(_MARGIN, 100)


def test_a_damaged_cache_is_made_again(monkeypatch, tmp_path, o200k):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path))
    sections = [[("One sentence.", "Another one."), ("A third.",)]]
    before = opened("en", sections, o200k).ordered(Stream("o"), 10, False).text(0, 3)
    (blob,) = tmp_path.glob("haystacks/*/units.bin")
    blob.write_bytes(b"X" * blob.stat().st_size)
    assert opened("en", sections, o200k).ordered(Stream("o"), 10, False).text(0, 3) == before


def test_repetition_gives_more_in_a_new_order(monkeypatch, tmp_path, o200k):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path))
    sections = [[(f"Sentence number {n} of the section.", "It goes on for a while here.")] for n in range(40)]
    haystack = opened("en", sections, o200k)
    once = haystack.ordered(Stream("o"), 30_000, False)
    more = haystack.ordered(Stream("o"), 30_000, True)
    assert int(once.costs.sum()) < 30_000 <= int(more.costs.sum())
    assert more.text(0, len(once.costs)) == once.text(0, len(once.costs))


def test_sections_that_hold_a_name_are_passed_over(monkeypatch, tmp_path, o200k):
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path))
    sections = [[(f"第{n}段说的是别处的事。", "没有别的了。", *["这里还有一句。"] * 900)] for n in range(20, 60)]
    haystack = opened("zh", sections, o200k)
    whole = haystack.ordered(Stream("o"), 1_000_000, False).text(0, 40 * 902)
    order = re.findall("第(..)段", whole)
    assert len(order) == 40
    for tokens in (10, 60_000, 1_000_000):
        usual = haystack.ordered(Stream("o"), tokens, False)
        spared = haystack.ordered(Stream("o"), tokens, False, [f"第{order[0]}段", f"第{order[3]}段", "没有的"])
        found = re.findall("第(..)段", spared.text(0, len(spared.costs)))
        assert found == [n for n in order if n not in (order[0], order[3])][: len(found)]
        assert len(found) == 38 or int(spared.costs.sum()) >= tokens + _MARGIN
        assert len(found) <= 38 and len(spared.costs) == len(spared.droppable) and len(usual.costs) >= 902
    nothing = haystack.ordered(Stream("o"), 10, True, ["别处"])
    assert len(nothing.costs) == 0


def test_the_tokenizer_type_counts(o200k):
    assert isinstance(o200k, Tokenizer)
    assert o200k.count_many(["a", "hello world", ""]).tolist() == [1, 2, 0]
    assert o200k.count("<|endoftext|>") > 1
