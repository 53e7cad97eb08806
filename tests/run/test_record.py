"""The folder of a run: what is chosen, what is kept when a write breaks off, and files that others may have written."""

import errno
import json
import os
import threading
import time

import pytest
from commands import common, release

from carrara.errors import CarraraError
from carrara.release.reader import open_release
from carrara.run.record import AskedRow, KeptAnswer, RunFolder, rows_to_ask

__all__ = ["common", "release"]
ROWS = [AskedRow(name, "config", "4k", index, 1_000, 10) for index, name in enumerate("abcd")]
SAID = {"model": "tester", "temperature": 0.0}


def test_a_limit_is_spread_over_the_configs(release):
    opened = open_release(release)
    configs = list(opened.configs)
    every = rows_to_ask(opened, configs)
    assert len({row.id for row in every}) == 11 and sum(row.tokens for row in every) > 30_000
    shares = {limit: [row.config for row in rows_to_ask(opened, configs, limit)] for limit in (1, 4, 6, 99)}
    assert [len(shares[limit]) for limit in shares] == [1, 4, 6, 11]
    assert shares[4] == configs and {shares[6].count(config) for config in configs} == {1, 2}
    assert rows_to_ask(opened, configs, 99) == every
    assert [row.index for row in rows_to_ask(opened, [configs[1]], 3)] == [0, 1, 2]


def test_answers_are_kept_as_they_come_and_every_row_has_a_line_at_the_end(tmp_path, monkeypatch):
    odd = KeptAnswer("\ud800 雪\x1b[31m\n", stop="max_tokens", tokens_in=1, thoughts="hm")
    with RunFolder(tmp_path / "run", ROWS, SAID) as folder:
        folder.add("b", KeptAnswer(None, "error"))
        folder.add("a", odd)
        with pytest.raises(CarraraError, match="another run owns"):
            RunFolder(tmp_path / "run", ROWS, SAID).__enter__()
    # Killed while a line was written.
    with (tmp_path / "run" / "responses.jsonl").open("ab") as stream:
        stream.write(b'{"id": "c", "resp')
    with RunFolder(tmp_path / "run", ROWS, dict(SAID)) as folder:
        assert folder.answers == {"a": odd, "b": KeptAnswer(None, "error")}
        assert [row.id for row in folder.left()] == ["b", "c", "d"]
        folder.add("b", KeptAnswer("now"))
        # One that is under way when a run is interrupted.
        waiting = threading.Event()
        monkeypatch.setattr(os, "fsync", lambda descriptor: waiting.set() or time.sleep(0.2))
        late = threading.Thread(target=folder.add, args=("c", KeptAnswer("late")))
        late.start()
        waiting.wait()
        folder.finish()
        folder.add("d", KeptAnswer("too late"))
        late.join()
    table = [json.loads(line) for line in (tmp_path / "run" / "responses.jsonl").read_text().splitlines()]
    assert [(row["id"], row["response"]) for row in table] == [
        ("a", odd.text),
        ("b", "now"),
        ("c", "late"),
    ]


def test_a_full_disk_loses_no_line_and_tears_none(tmp_path, monkeypatch):
    with RunFolder(tmp_path, ROWS, SAID) as folder:
        folder.add("a", KeptAnswer("kept"))

        def full(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", full)
            with pytest.raises(CarraraError, match=r"No space left(.|\n)*answers so far are kept"):
                folder.add("b", KeptAnswer("lost"))
        folder.add("c", KeptAnswer("kept too"))
    again = RunFolder(tmp_path, ROWS, SAID)
    again.check()
    assert {key: answer.text for key, answer in again.answers.items()} == {"a": "kept", "c": "kept too"}


@pytest.mark.parametrize(
    ("said", "match"),
    [
        ({**SAID, "model": "other"}, "its model is 'tester', got 'other'"),
        ({**SAID, "more": 1}, "its more is None, got 1"),
        ({"model": "tester"}, "its temperature is 0.0, got None"),
    ],
)
def test_another_run_is_refused(tmp_path, said, match):
    with RunFolder(tmp_path, ROWS, SAID) as folder:
        folder.add("a", KeptAnswer(None, "no such model"))
    # Begun with a wrong name: nothing is lost with it.
    with RunFolder(tmp_path, ROWS, said) as folder:
        assert folder.answers == {} and folder.left() == ROWS
    with RunFolder(tmp_path, ROWS, SAID) as folder:
        folder.add("a", KeptAnswer(""))
    with pytest.raises(CarraraError, match=match):
        RunFolder(tmp_path, ROWS, said).check()


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("{", "expected an answer of this run"),
        ("[]", "line 1: got"),
        ('{"id": "z", "response": "x"}', "got 'z', expected a row of this run"),
        ('{"id": 1, "response": "x"}', "line 1: got"),
        ('{"id": "a", "response": 1}', "line 1: got"),
        ('{"id": "a", "response": "x", "stop": {}}', "line 1: got"),
        ('{"id": "a", "response": "x", "tokens_in": 1e9}', "got tokens"),
        ('{"id": "a", "response": "x", "tokens_in": -1}', "got tokens"),
        ('{"id": "a", "id": "b", "response": "x"}', "line 1"),
    ],
)
def test_answers_that_nobody_vouches_for(tmp_path, line, match):
    with RunFolder(tmp_path, ROWS, SAID):
        (tmp_path / "responses.jsonl").write_text(f"{line}\n")
    with pytest.raises(CarraraError, match=match):
        RunFolder(tmp_path, ROWS, SAID).check()


def test_what_says_what_the_run_is_must_say_it(tmp_path):
    (tmp_path / "responses.jsonl").write_text('{"id": "a", "response": "x"}\n')
    for text in ("", "{", "[]", '{"a": 1, "a": 2}', "[" * 100_000, " " * (2 << 20)):
        (tmp_path / "run.json").write_text(text)
        with pytest.raises(CarraraError, match="does not say what the run is"):
            RunFolder(tmp_path, ROWS, SAID).check()
    for name in ("run.json", "responses.jsonl"):
        (tmp_path / name).unlink()
    (tmp_path / ".lock").touch()
    RunFolder(tmp_path, ROWS, SAID).check()
