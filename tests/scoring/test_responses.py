"""Responses: both formats, and every way in which a file can be wrong."""

import gzip
import json

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from carrara.scoring.errors import ResponsesError
from carrara.scoring.responses import files as responses
from carrara.scoring.responses.files import Responses, read_responses

LINES = [
    {"id": "a/1", "response": "月光石", "model": "m"},
    {"id": "a/2", "response": None, "reason": "refused by the server"},
    {"id": "a/3", "response": ""},
]
EXPECTED = Responses({"a/1": "月光石", "a/2": None, "a/3": ""}, {"a/2": "refused by the server"}, ())


def jsonl(records):
    return "\n".join(json.dumps(record, ensure_ascii=False) for record in records).encode()


@pytest.fixture
def write(tmp_path):
    def write(data, name="responses.jsonl"):
        path = tmp_path / name
        path.write_bytes(data)
        return path

    return write


def test_json_lines(write):
    assert read_responses(write(jsonl(LINES))) == EXPECTED
    assert read_responses(write(b"\xef\xbb\xbf" + jsonl(LINES).replace(b"\n", b"\r\n\r\n"))) == EXPECTED
    assert read_responses(str(write(gzip.compress(jsonl(LINES)), "responses.jsonl.gz"))) == EXPECTED


def test_parquet(tmp_path):
    path = tmp_path / "responses.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"reason": None} | line for line in LINES]), path)
    assert read_responses(path) == EXPECTED
    pyarrow.parquet.write_table(pyarrow.table({"id": ["a"]}), path)
    with pytest.raises(ResponsesError, match="no column `response`"):
        read_responses(path)
    path.write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(ResponsesError, match="readable Parquet"):
        read_responses(path)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "line 2: got"),
        (b"[1]", "got list, expected an object"),
        (b"null", "got null, expected an object"),
        (b'{"id": "x"}', "got no `response`"),
        (b'{"response": "x"}', "got no `id`"),
        (b'{"id": 7, "response": "x"}', "got '7' as `id`"),
        (b'{"id": "", "response": "x"}', "got str as `id`"),
        (b'{"id": "x", "response": ["x"]}', "got list as `response`"),
        (b'{"id": "x", "response": [{"type": 1}]}', "got list as `response`"),
        (b'{"id": "x", "response": {"text": "x"}}', "got dict as `response`"),
        (b'{"id": "x", "response": {"content": {"content": "x"}}}', "got dict as `response`"),
        (b'{"id": "x", "response": null, "reason": {}}', "got dict as `reason`"),
        (b'{"id": "x", "response": "\xff"}', "not UTF-8"),
        (b"[" * 200_000, "line 2: got"),
        (b'{"id": "x", "response": "x", "n": ' + b"9" * 5000 + b"}", "line 2: got"),
    ],
)
def test_a_broken_line_is_named(write, line, message):
    with pytest.raises(ResponsesError, match="line 2") as error:
        read_responses(write(b'{"id": "a", "response": "b"}\n' + line))
    assert message in str(error.value)
    assert len(str(error.value)) < 400


def test_duplicates_are_named_and_conflicts_refused(write):
    path = write(jsonl([*LINES, LINES[0], LINES[0], LINES[1]]))
    assert read_responses(path).duplicates == ("a/1", "a/2")
    clashing = [{"id": f"x{n}", "response": str(turn)} for turn in range(2) for n in range(7)]
    with pytest.raises(ResponsesError, match=r"for 7 ids \('x0', 'x1', 'x2', 'x3', 'x4'\)"):
        read_responses(write(jsonl(clashing)))


def test_samples_of_a_row(write, tmp_path):
    numbered = [{"id": "x", "response": text, "sample": number} for number, text in ((2, "c"), (0, "a"), (1, None))]
    read = read_responses(write(jsonl([*numbered, {"id": "y", "response": "z"}, numbered[0]])))
    assert (read.of("x"), read.of("y"), read.of("z")) == (("a", None, "c"), ("z",), ())
    assert (read.texts, read.duplicates) == ({"x": "a", "y": "z"}, ("x",))
    table = tmp_path / "responses.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(numbered), table)
    assert read_responses(table).of("x") == ("a", None, "c")
    # Lines that say no number are samples only if they are told to be: equal ones, too.
    repeated = write(jsonl([{"id": "x", "response": text} for text in ("a", "a", "b")]))
    assert read_responses(repeated, samples=True).of("x") == ("a", "a", "b")
    with pytest.raises(ResponsesError, match=r"`sample` or give --samples"):
        read_responses(repeated)
    for line, said in (
        ({**numbered[0], "response": "other"}, "two different responses for 1 ids"),
        ({"id": "x", "response": "a"}, "line 4: got 'x' with and without `sample`"),
        *(({**numbered[0], "sample": one}, "as `sample`, expected a whole number") for one in (-1, 0.5, "1", True)),
    ):
        with pytest.raises(ResponsesError, match=said):
            read_responses(write(jsonl([*numbered, line])))


def test_samples_are_bounded(write, monkeypatch):
    monkeypatch.setattr(responses, "MAX_SAMPLES", 3)
    lines = [{"id": "x", "response": "a", "sample": number} for number in range(4)]
    assert len(read_responses(write(jsonl(lines[:3]))).of("x")) == 3
    with pytest.raises(ResponsesError, match="over 3 samples of 'x'"):
        read_responses(write(jsonl(lines)))


@pytest.mark.parametrize(
    ("more", "text", "is_cut", "is_thinking"),
    [
        ({"response": "x", "finish_reason": "stop"}, "x", False, False),
        # Cut, it is scored as it stands.
        ({"response": "x", "finish_reason": "length"}, "x", True, False),
        ({"response": "x", "stop_reason": "max_tokens"}, "x", True, False),
        ({"response": "x", "finish_reason": "FinishReason.MAX_TOKENS"}, "x", True, False),
        ({"response": "x", "finish_reason": "stop", "stop_reason": "model_length"}, "x", True, False),
        ({"response": "x", "stop_reason": "model_context_window_exceeded"}, "x", True, False),
        ({"response": "x", "done_reason": "length"}, "x", True, False),
        ({"response": "x", "truncated": True}, "x", True, False),
        # A token or word that ended it (vLLM), and what is no reason.
        ({"response": "x", "finish_reason": "stop", "stop_reason": 128001}, "x", False, False),
        ({"response": "x", "finish_reason": ["length"]}, "x", False, False),
        # Thoughts: in the text, apart, in parts.
        ({"response": "<think>x", "finish_reason": "length"}, "<think>x", True, True),
        ({"response": "<think>x"}, "<think>x", True, True),
        ({"response": "<think>x", "finish_reason": "stop"}, "<think>x", False, True),
        ({"response": None, "reasoning_content": "x", "finish_reason": "length"}, "", True, True),
        ({"response": "", "reasoning": "x", "finish_reason": "length"}, "", True, True),
        ({"response": "y", "reasoning_content": "x", "finish_reason": "stop"}, "y", False, False),
        ({"response": [{"type": "thinking", "thinking": "x"}, {"type": "text", "text": "y"}]}, "y", False, False),
        ({"response": [{"type": "reasoning", "reasoning": "x"}], "stop_reason": "max_tokens"}, "", True, True),
        ({"response": {"role": "assistant", "content": "y", "reasoning_content": "x"}}, "y", False, False),
        ({"response": {"role": "assistant", "content": None, "reasoning_content": "x"}}, "", True, True),
        # No response, for a reason or none.
        ({"response": None, "finish_reason": "length"}, "", True, False),
        ({"response": None, "finish_reason": "length", "reason": "refused"}, None, False, False),
        ({"response": {"content": None}, "finish_reason": "stop"}, None, False, False),
    ],
)
def test_why_a_text_ended_and_what_was_thought(write, tmp_path, more, text, is_cut, is_thinking):
    read = read_responses(write(jsonl([{"id": "a/1", **more}])))
    assert read.texts == {"a/1": text}
    assert read.cut_short("a/1") == (0,) * is_cut
    assert read.still_thinking("a/1") == (0,) * is_thinking
    assert read.cut_short("a/2") == read.still_thinking("a/2") == ()
    path = tmp_path / "responses.parquet"
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist([{"id": "a/1", **more}]), path)
    again = read_responses(path)
    assert (again.cut_short("a/1"), again.still_thinking("a/1")) == ((0,) * is_cut, (0,) * is_thinking)


def test_samples_are_cut_by_their_place(write):
    lines = [
        {"id": "a", "response": "x", "sample": 7, "finish_reason": "length"},
        {"id": "a", "response": "y", "sample": 3},
    ]
    assert read_responses(write(jsonl(lines))).cut_short("a") == (1,)
    lines = [{"id": "a", "response": "x"}, {"id": "a", "response": "<think>y"}, {"id": "a", "response": "x"}]
    read = read_responses(write(jsonl(lines)), samples=True)
    assert read.cut_short("a") == read.still_thinking("a") == (1,)


def test_an_empty_file_is_refused(write):
    for data in (b"", b"\n\n"):
        with pytest.raises(ResponsesError, match="got no responses"):
            read_responses(write(data))


def test_sizes_are_bounded(write, monkeypatch):
    monkeypatch.setattr(responses, "MAX_LINE", 1_000)
    monkeypatch.setattr(responses, "MAX_BYTES", 5_000)
    monkeypatch.setattr(responses, "MAX_LINES", 3_000)
    with pytest.raises(ResponsesError, match=r"line 1: got a line over the limit of 1,000 bytes"):
        read_responses(write(gzip.compress(b"x" * 50_000_000), "bomb.gz"))
    with pytest.raises(ResponsesError, match=r"line 3001: got more than"):
        read_responses(write(gzip.compress(b"\n" * 50_000_000), "bomb.gz"))
    with pytest.raises(ResponsesError, match=r"5,000 bytes"):
        read_responses(write(jsonl({"id": str(n), "response": "x" * 900} for n in range(9))))


def test_broken_gzip(write):
    whole = gzip.compress(jsonl(LINES))
    for data in (b"nothing", whole[:-9], whole[:20] + b"\xff" * 30 + whole[50:]):
        with pytest.raises(ResponsesError, match="broken gzip"):
            read_responses(write(data, "x.gz"))


@settings(max_examples=200, deadline=None)
@given(st.one_of(st.binary(max_size=200), st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace"))))
def test_any_bytes_are_read_or_refused(tmp_path_factory, data):
    for name in ("x.jsonl", "x.jsonl.gz", "x.parquet"):
        path = tmp_path_factory.getbasetemp() / name
        path.write_bytes(data)
        try:
            read_responses(path)
        except ResponsesError as error:
            assert "expected" in str(error)
