"""Logged samples of lm-evaluation-harness: what is read of a line, which files of a folder, and what is refused."""

import json

import pytest

from carrara.scoring.errors import ResponsesError
from carrara.scoring.responses import files as logs_lm_eval
from carrara.scoring.responses.files import is_sample, latest, read_responses, responses_of

SAMPLE = {
    "doc_id": 0,
    "doc": {"id": "a/1", "prompt": "?"},
    "resps": [[" x\n"]],
    "filtered_resps": [" x\n"],
    "subem": 1.0,
}


def write(path, *records):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_a_sample_is_known_by_its_shape():
    assert is_sample(SAMPLE) and responses_of(SAMPLE) == [{"id": "a/1", "response": " x\n"}]
    for other in ({"id": "a", "response": "x"}, {**SAMPLE, "response": "x"}, {"doc": {}}, [], None, "doc"):
        assert not is_sample(other)


def test_the_filtered_response_is_what_was_scored():
    for change in ({"resps": [["x", "y"]], "filtered_resps": ["y"]}, {"filtered_resps": [["y"]]}):
        assert [one["response"] for one in responses_of({**SAMPLE, **change})] == ["y"]


def test_repeats_are_samples(tmp_path):
    # Without a filter of its user's the harness keeps the first; take_first_k keeps several.
    first = {**SAMPLE, "resps": [["x", "y", "x"]], "filtered_resps": ["x"], "filter": "none"}
    kept = {**SAMPLE, "doc": {"id": "a/2"}, "filter": "take", "filtered_resps": [["u", "v"]]}
    read = read_responses(write(tmp_path / "samples.jsonl", first, kept))
    assert (read.of("a/1"), read.of("a/2"), read.of("a/3")) == (("x", "y", "x"), ("u", "v"), ())
    chosen = {**first, "filter": "majority_vote"}
    assert read_responses(write(tmp_path / "samples.jsonl", chosen)).of("a/1") == ("x",)


def test_a_sample_may_say_why_its_text_ended(tmp_path):
    read = read_responses(write(tmp_path / "samples.jsonl", {**SAMPLE, "finish_reason": "length"}))
    assert read.cut_short("a/1") == (0,)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"doc": {"question": "?"}}, "`doc` has no `id`"),
        ({"doc": "a/1"}, "`doc` has no `id`"),
        ({"doc": {"id": 7}}, "got '7' as `id`"),
        ({"filtered_resps": []}, "got no response for a sample"),
        ({"filtered_resps": {"a": 1}}, "got dict as `response`"),
    ],
)
def test_an_unclear_sample_is_named(tmp_path, change, said):
    path = write(tmp_path / "samples.jsonl", SAMPLE, {**SAMPLE, **change})
    with pytest.raises(ResponsesError, match=r"samples\.jsonl, line 2") as error:
        read_responses(path)
    assert said in str(error.value)


def test_deep_nesting_is_followed_without_recursion(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text(
        json.dumps(SAMPLE).replace('"filtered_resps": [" x\\n"]', '"filtered_resps": ' + "[" * 400 + '"x"' + "]" * 400)
    )
    assert read_responses(path).texts == {"a/1": "x"}


def test_responses_and_samples_may_stand_together(tmp_path):
    path = write(tmp_path / "mixed.jsonl", SAMPLE, {"id": "a/2", "response": None, "reason": "refused"}, SAMPLE)
    read = read_responses(path)
    assert (read.texts, read.reasons, read.duplicates) == ({"a/1": " x\n", "a/2": None}, {"a/2": "refused"}, ("a/1",))


def test_two_filters_of_one_task_disagree(tmp_path):
    path = write(tmp_path / "samples.jsonl", SAMPLE, {**SAMPLE, "filter": "strict", "filtered_resps": ["x"]})
    with pytest.raises(ResponsesError, match="two different responses"):
        read_responses(path)


def test_the_newest_file_of_every_task(tmp_path):
    for name in ("samples_rag_4k_2026-01-02T00-00-00.jsonl", "samples_rag_4k_2026-01-02T00-00-00.000001.jsonl"):
        write(tmp_path / "org__model" / name, {**SAMPLE, "filtered_resps": [name]})
    write(tmp_path / "org__model" / "samples_rag_4k_base_2025-12-31T23-59-59.999999.jsonl", SAMPLE)
    for name in ("results_2026-01-02T00-00-00.json", "samples.jsonl", "samples_x.jsonl"):
        write(tmp_path / "org__model" / name, SAMPLE)
    wanted = ["samples_rag_4k_2026-01-02T00-00-00.000001.jsonl", "samples_rag_4k_base_2025-12-31T23-59-59.999999.jsonl"]
    assert [path.name for path in latest(tmp_path)] == [path.name for path in latest(tmp_path / "org__model")] == wanted
    (tmp_path / "org__model" / wanted[1]).unlink()
    assert read_responses(tmp_path).texts == {"a/1": wanted[0]}


def test_folders_that_are_refused(tmp_path, monkeypatch):
    with pytest.raises(ResponsesError, match=r"got no samples_<task>_<time>\.jsonl"):
        read_responses(tmp_path)
    for model in ("one", "two"):
        write(tmp_path / model / "samples_a_2026-01-01T00-00-00.jsonl", SAMPLE)
    with pytest.raises(ResponsesError, match="samples of 2 models"):
        read_responses(tmp_path)
    monkeypatch.setattr(logs_lm_eval, "MAX_FILES", 1)
    with pytest.raises(ResponsesError, match="more than 1 files"):
        read_responses(tmp_path)
