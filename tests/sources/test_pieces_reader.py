"""A bank of pieces from JSON lines: what is kept, what is dropped, and that every refusal names its line."""

import gzip
import json
import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrara.engine.files import digest
from carrara.errors import SourceError
from carrara.sources import documents, open_source, tables
from carrara.sources.readers.pieces import MAX_PIECES_A_KEY, near_duplicates, objection, read, tidy_text
from carrara.stream import Stream
from carrara.tables import PieceKey
from carrara.world.world import World

WORDS = [
    f"{a}{b}" for a in ("mar", "tel", "bor", "vin", "sul", "gre", "pon", "dra") for b in ("o", "in", "et", "ul", "a")
]


def text(number, words=60):
    draws = Stream("reader test").child(number)
    return " ".join(draws.choice(WORDS) for _ in range(words)) + "."


def line(format="poem", topic="rain", number=0, **more):
    style = f" in a {more['style']} style" if more.get("style") else ""
    asked = f"Write a {format} about {topic}{style}."
    return {"format": format, "topic": topic, "request": asked, "text": text(number), **more}


def bank(tmp_path, *lines, name="p.jsonl"):
    data = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in lines)
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return read({name: tmp_path / name})


def refused(tmp_path, *lines):
    with pytest.raises(SourceError) as caught:
        bank(tmp_path, *lines)
    assert caught.value.hint
    return str(caught.value)


# --- what a bank gives ------------------------------------------------------------------------------------------------


def test_a_source_opens_and_gives_its_bank(tmp_path):
    rows = [line("story", "snow", 3), line(number=1), b"\n  \n", line(number=2), line(number=4, style="terse")]
    data = b"".join(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n" for one in rows)
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(data))
    sha256, size = digest(tmp_path / "p.jsonl.gz", "p")
    files = {"p.jsonl.gz": {"sha256": sha256, "bytes": size}}
    own = {"mine": {"reader": "pieces", "lang": "en", "licence": "CC0-1.0", "files": files}}
    source = open_source("mine", tmp_path, own)
    opened = tables(source).pieces()
    keys = [PieceKey("poem", "rain"), PieceKey("poem", "rain", "terse"), PieceKey("story", "snow")]
    assert list(opened.keys()) == keys
    assert [opened.count(key) for key in keys] == [2, 1, 1]
    assert [opened.piece(keys[0], number) for number in range(2)] == [text(1), text(2)]
    assert opened.request(keys[1], 0) == "Write a poem about rain in a terse style."
    assert opened.count(PieceKey("poem", "snow")) == 0
    for key, number in ((keys[0], 2), (keys[0], -1), (PieceKey("ode", "rain"), 0)):
        with pytest.raises(ValueError, match="and none of number"):
            opened.piece(key, number)
    with pytest.raises(SourceError, match="holds no passages"):
        tables(source).passages("en")
    with pytest.raises(SourceError, match="holds tables"):
        next(documents(source))
    (tmp_path / "p.jsonl.gz").write_bytes(gzip.compress(data + b" "))
    with pytest.raises(SourceError, match="got sha256"):
        open_source("mine", tmp_path, own)


def test_files_are_read_in_the_order_of_their_names(tmp_path):
    for name, number in (("b.jsonl", 1), ("a.jsonl", 2)):
        (tmp_path / name).write_text(json.dumps(line(number=number)))
    found = read({name: tmp_path / name for name in ("b.jsonl", "a.jsonl")})
    assert [found.piece(PieceKey("poem", "rain"), number) for number in range(2)] == [text(2), text(1)]


def test_texts_are_normalised(tmp_path):
    raw = f"  Cafe\u0301\u200b  and\u00a0tea \r\n{text(1)}\r\r\n\n\n\u2028{text(2)}\u0000\n\n"
    found = bank(tmp_path, line(text=raw, format=" poem ", request=" Write  a poem\nabout rain. "))
    key = PieceKey("poem", "rain")
    assert found.piece(key, 0) == f"Café and tea\n{text(1)}\n\n{text(2)}"
    assert found.request(key, 0) == "Write a poem about rain."


@given(st.text())
def test_tidied_text_stays(raw):
    tidied = tidy_text(raw)
    assert tidy_text(tidied) == tidied and "\n\n\n" not in tidied and tidied == tidied.strip()
    tidied.encode()
    assert isinstance(objection(tidied), str)


# --- what comes twice -------------------------------------------------------------------------------------------------


def changed(original, every):
    return " ".join("otherwise" if place % every == 0 else word for place, word in enumerate(original.split()))


def test_what_comes_twice_is_dropped_and_told(tmp_path):
    again = line("story", "snow", number=1)
    near, far = line(text=changed(text(1), 10)), line(text=changed(text(1), 2))
    found = bank(tmp_path, line(number=1), line(number=1), again, near, far, line(number=2))
    assert list(found.keys()) == [PieceKey("poem", "rain")]
    assert [found.piece(PieceKey("poem", "rain"), number) for number in range(3)] == [text(1), far["text"], text(2)]
    assert found.dropped == (
        "p.jsonl:2: the text of p.jsonl:1",
        "p.jsonl:3: the text of p.jsonl:1",
        "p.jsonl:4: nearly the text of p.jsonl:1",
    )


def test_the_bound_of_near_duplicates():
    common = "ab " * 40
    for shared, dropped in ((80, {}), (81, {1: 0})):
        # 0.8 itself is not too near.
        assert near_duplicates([common[:shared] + end * (100 - shared) for end in "xy"]) == dropped
    # Characters alone do not make it so: here no word is the same.
    assert near_duplicates(["abcdefghij" * 9, "abcdefghij" * 9 + "k"]) == {}
    original = text(1, words=200)
    near = [changed(original, every) for every in (10, 8, 2)]
    assert near_duplicates([original, *near, f"“{original}” "]) == {1: 0, 2: 0, 4: 0}
    # Only what stays is a reason to drop another: the third is near the second, and that near the first.
    assert near_duplicates([common[:99], common[:84] + "x" * 15, "y" * 15 + common[15:84] + "x" * 15]) == {1: 0}
    assert near_duplicates([]) == {}


def test_near_duplicates_of_another_key_stay(tmp_path):
    found = bank(tmp_path, line(number=1), line("poem", "snow", text=changed(text(1), 10)))
    assert sorted(found.count(key) for key in list(found.keys())) == [1, 1] and not found.dropped


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bad", "said"),
    [
        (b"not json\n", "expected one JSON object"),
        (b"[" * 60_000 + b"\n", "expected one JSON object"),
        (b"[1]\n", "expected a JSON object"),
        (b"\xff\n", "expected UTF-8"),
        (b'{"format": "a", "format": "b"}\n', "'format' stands twice"),
        (line(number=2, model="x"), "unknown field 'model'"),
        ({"format": "poem", "topic": "rain", "text": text(2)}, "field 'request' is missing"),
        (line(number=2, style=None), "style is 'None', expected text"),
        (line(number=2, topic=["rain"]), "topic is \"['rain']\", expected text"),
        (line(number=2, text=5), "text is '5', expected text"),
        (line(number=2, format=""), "format is '', expected words"),
        (line(number=2, topic="…"), "topic is '…', expected words"),
        (line(number=2, style="!"), "style is '!', expected words"),
        (line(number=2, topic="rain" * 20), "60 characters at most"),
        (line(text="Too short."), "got 10 characters, expected 40 to 4,000"),
        (line(text="\u200b \n" * 100), "got 0 characters"),
        (line(text="long " * 801), "got 4,004 characters"),
        (line(number=2, request=" "), "got a request of 0 characters"),
        (line(number=2, request="Write a poem about rain." * 20), "got a request of 480 characters"),
        (line(text=f"{text(2)}\nUser: And now?"), "begins like a turn of a conversation ('User:')"),
        (line(text=f"{text(2)}\n **Assistant** : yes"), "begins like a turn"),
        (line(text=f"{text(2)} <|im_end|>"), "got '<|im_end|>', which chat templates obey"),
        (line(number=2, request="[INST] Write a poem about rain."), "request: got '[INST]'"),
        (line(text="x" * 70_000), "got a line of 70,"),
    ],
)
def test_a_bad_line_is_named(tmp_path, bad, said):
    told = refused(tmp_path, line(number=1), bad)
    assert said in told and told.startswith("p.jsonl:2") and len(told) < 600


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Write a verse about rain.", "does not name its format 'poem'"),
        ("Write a poem about the weather.", "does not name its topic 'rain'"),
        # A part of a word is not the word.
        ("Write a poem about a raincoat.", "does not name its topic 'rain'"),
        ("Write poems about rain.", "does not name its format 'poem'"),
        ("Write a poem about rain, like a story.", "also names 'story'"),
        ("Write a poem about rain and the old snow.", "also names 'the old snow'"),
        ("Write a terse poem about rain.", "also names 'terse'"),
    ],
)
def test_a_request_names_its_key_and_no_other(tmp_path, asked, said):
    rows = [line("story", "the old snow", 1), line("story", "rain", 2, style="terse"), line(number=3, request=asked)]
    told = refused(tmp_path, *rows)
    assert said in told and told.startswith("p.jsonl:3")


def test_a_style_is_named_too(tmp_path):
    told = refused(tmp_path, line(number=1, style="terse", request="Write a poem about rain."))
    assert "does not name its style 'terse'" in told


def test_the_longest_name_counts(tmp_path):
    rows = [line("post", "rain", 1), line("blog post", "spring rain", 2), line("blog post", "a post office", 3)]
    assert len(bank(tmp_path, *rows).keys()) == 3
    assert "also names 'a post'" in refused(tmp_path, *rows, line("blog post", "a post", 4))
    both = line("post", "a post office", 4, request="Write about a post office.")
    assert "does not name its format 'post'" in refused(tmp_path, *rows, both)
    # Without regard to case, but as it is written in the key.
    shouted = line("blog post", "six o'clock", 4, request="BLOG POST, please: SIX O'CLOCK!")
    assert len(bank(tmp_path, *rows, shouted).keys()) == 4
    shouted["request"] = "BLOG-POST, please: SIX O'CLOCK!"
    assert "does not name its format 'blog post'" in refused(tmp_path, *rows, shouted)


def test_one_name_has_one_spelling(tmp_path):
    assert "cannot be told apart" in refused(tmp_path, line(number=1), line("Poem", "snow", 2))


def test_an_empty_file_and_a_full_key(tmp_path):
    assert "got no piece of writing" in refused(tmp_path, b"\n\n")
    many = [line(number=number) for number in range(MAX_PIECES_A_KEY + 1)]
    assert len(bank(tmp_path, *many[:-1]).piece(PieceKey("poem", "rain"), 63)) > 0
    assert f"expected at most {MAX_PIECES_A_KEY} a key" in refused(tmp_path, *many)


def test_more_pieces_than_allowed(tmp_path, monkeypatch):
    monkeypatch.setattr("carrara.sources.readers.pieces.MAX_PIECES", 3)
    assert "p.jsonl:4: got more than 3 pieces" in refused(tmp_path, *(line(number=number) for number in range(4)))


def test_names_that_all_begin_alike_take_no_longer(tmp_path):
    rows = [line("poem", f"a a a a n{number}", number) for number in range(1500)]
    for row in rows:
        row["request"] = f"{'a ' * 150}poem {row['topic']}"
    start = time.process_time()
    assert len(bank(tmp_path, *rows).keys()) == 1500
    assert time.process_time() - start < 10


# --- the world's requests pass ----------------------------------------------------------------------------------------


def test_the_world_could_have_written_it(tmp_path):
    world = World("reader test").pieces()
    keys = world.keys()
    rows = []
    for key in keys[:: 1 if os.environ.get("CARRARA_ALL_KEYS") else 7]:
        named = {"format": key.format, "topic": key.topic, "style": key.style}
        rows += [{**named, "request": world.request(key, n), "text": text(len(rows) + n)} for n in range(2)]
    found = bank(tmp_path, *rows, name="w.jsonl.gz")
    assert len(found.keys()) == len(rows) / 2 and not found.dropped
    own = [PieceKey("letter", "letters"), PieceKey("play", "chess", "playful")]
    rows = [
        {"format": key.format, "topic": key.topic, "style": key.style}
        | {"request": world.request(key, n), "text": world.piece(key, n)}
        for key in own
        for n in range(8)
    ]
    found = bank(tmp_path, *rows)
    for key in own:
        assert [found.piece(key, n) for n in range(8)] == [world.piece(key, n) for n in range(8)]
