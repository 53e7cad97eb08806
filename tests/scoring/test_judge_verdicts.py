"""The file of verdicts: kept by content, torn lines, another judge's, hostile files, one writer."""

import json
import os
from dataclasses import replace

import pytest

from carrara.scoring.judge.rubrics import PAPER, JudgeQuestion, Verdict
from carrara.scoring.judge.verdicts import (
    MAX_LINE,
    Judge,
    VerdictFile,
    Verdicts,
    VerdictsError,
    kept_verdicts,
    read_verdicts,
)

JUDGE = Judge("tester", {"top_p": 0.5})
ASKED = [JudgeQuestion("qa", {"question": "Who?", "references": ["Ada"], "response": f"Answer {n}"}) for n in range(4)]
KEYS = [JUDGE.key(one) for one in ASKED]
GOOD = Verdict(fluency=1, correctness=2)
HEAD = json.dumps({"format": "carrara/verdicts", "version": 1, "judge": JUDGE.to_json()})
LINE = {"key": KEYS[0], "kind": "qa", "id": "a/b/4k/00000", "verdict": {"fluency": 1, "correctness": 2}}


def test_what_is_written_is_read_again(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    precision = Verdict(held=(True, False), surplus=3, splitter="rules")
    with VerdictFile(path, JUDGE) as file:
        file.add(KEYS[0], "qa", "a/b/4k/00000", GOOD)
        file.add(KEYS[1], "qa", "a/b/4k/00001", "the endpoint answered 500")
        file.add(KEYS[2], "precision", "\ud800" * 500, precision)
        # As a kill would leave it: every line is there as soon as it is added.
        assert read_verdicts(path).known == file.verdicts.known
    found = read_verdicts(path)
    assert found.judge == JUDGE
    assert found.known == {KEYS[0]: GOOD, KEYS[2]: precision} and found.unjudged == {
        KEYS[1]: "the endpoint answered 500"
    }
    assert found.places[KEYS[0]] == ("qa", "a/b/4k/00000") and len(found.places[KEYS[2]][1]) == 400
    before = path.read_bytes()
    with VerdictFile(path, JUDGE) as file:
        file.add(KEYS[1], "qa", "a/b/4k/00001", GOOD)
    assert path.read_bytes().startswith(before)
    assert read_verdicts(path).known[KEYS[1]] == GOOD and not read_verdicts(path).unjudged
    # By the paper's rubric there are reasons, whatever a judge writes; two verdicts are one whatever the reasons.
    paper, reasons = Judge(JUDGE.model, rubric=PAPER.fingerprint), "Right.\n\u2028 \x1b[2J \u4f60" * 9
    with VerdictFile(tmp_path / "paper.jsonl", paper) as file:
        file.add(KEYS[0], "qa", "a/b/4k/00000", replace(GOOD, reasons=reasons))
    found = read_verdicts(tmp_path / "paper.jsonl")
    assert found.judge == paper and found.known == {KEYS[0]: GOOD} and found.known[KEYS[0]].reasons == reasons


def test_keys_are_pinned():
    # A change asks every verdict in use anew.
    assert KEYS[0] == "c12dfb2f51bb49362f0f7e51a2b89c4cf5580ea0cc5d46ff8c21d7e1883717b5"
    assert len(set(KEYS)) == 4 and len({Judge(name).key(ASKED[0]) for name in ("a", "b")}) == 2
    assert JUDGE.key(JudgeQuestion("qa", {"response": "\ud800"})) != JUDGE.key(JudgeQuestion("qa", {"response": "?"}))


def test_a_file_cut_anywhere_goes_on(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    with VerdictFile(path, JUDGE) as file:
        for key in KEYS[:3]:
            file.add(key, "qa", "a/b/4k/00000", GOOD)
    whole = path.read_bytes()
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        held = [key for key, end in zip(KEYS, ends[1:], strict=False) if end <= cut]
        assert list(kept_verdicts(path, JUDGE).known) == held
        if cut >= ends[0]:
            assert list(read_verdicts(path).known) == held
        with VerdictFile(path, JUDGE) as file:
            assert list(file.verdicts.known) == held
            for key in KEYS[len(held) : 3]:
                file.add(key, "qa", "a/b/4k/00000", GOOD)
        assert path.read_bytes() == whole


def test_another_judges_file_is_left_alone(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    with VerdictFile(path, JUDGE) as file:
        file.add(KEYS[0], "qa", "x", GOOD)
    before = path.read_bytes()
    others = [Judge("other"), Judge("tester"), Judge("tester", {"top_p": 0.5}, "2-000000000000")]
    for judge, said in zip(others, ("'tester'", "other parameters", "2-0000"), strict=True):
        for look in (kept_verdicts, VerdictFile):
            with pytest.raises(VerdictsError, match=said):
                look(path, judge)
    for text in (
        "my notes\n",
        "my notes",
        '{"id": "a", "response": "b"}\n',
        "\n",
        "{}\n",
        "\x00" * 100,
        HEAD[:-1] + "x",
    ):
        path.write_text(text)
        for look in (kept_verdicts, VerdictFile):
            with pytest.raises(VerdictsError):
                look(path, JUDGE)
        assert path.read_text() == text
    assert before.endswith(b"\n")
    with pytest.raises(VerdictsError, match="got a folder or device"):
        kept_verdicts(tmp_path, JUDGE)
    assert kept_verdicts(tmp_path / "none.jsonl", JUDGE) == Verdicts(JUDGE)
    assert not (tmp_path / "none.jsonl").exists()


def test_one_run_writes_a_file(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    with VerdictFile(path, JUDGE):
        with pytest.raises(VerdictsError, match="another run"):
            VerdictFile(path, JUDGE)
        assert read_verdicts(path).known == {}
    with VerdictFile(path, JUDGE) as file:
        file.add(KEYS[0], "qa", "x", GOOD)


@pytest.mark.parametrize(
    "line",
    [
        *("no JSON", "[]", "3", "null", '{"key": 1}', "[" * 100_000, '{"a": NaN}', '{"key": "a", "key": "b"}'),
        *({**LINE, "key": key} for key in (None, 3, "abc", "A" * 64, "0" * 65)),
        *({**LINE, "kind": kind} for kind in (None, "charm", ["qa"], {})),
        *({**LINE, "id": row_id} for row_id in (None, 3, "x" * 401)),
        *({**LINE, "verdict": verdict} for verdict in (None, 3, [], {}, {"fluency": 1}, {"held": [True]}, "x" * 20)),
        {**LINE, "verdict": {"fluency": 1, "correctness": 2, "surplus": 1}},
        {**LINE, "unjudged": "why"},
        {name: part for name, part in LINE.items() if name != "verdict"},
        {**{name: part for name, part in LINE.items() if name != "verdict"}, "unjudged": 3},
        {**{name: part for name, part in LINE.items() if name != "verdict"}, "unjudged": "x" * 601},
        {**LINE, "kind": "recall", "verdict": {"held": [1]}},
        {**LINE, "kind": "recall", "verdict": {"held": 3}},
        {**LINE, "kind": "recall", "verdict": {"held": [True] * 10_001}},
        {**LINE, "kind": "recall", "verdict": {"held": [True], "surplus": 1}},
        {**LINE, "kind": "precision", "verdict": {"held": [True], "surplus": -1}},
        {**LINE, "kind": "precision", "verdict": {"held": [True], "surplus": True}},
        {**LINE, "kind": "precision", "verdict": {"held": [True], "surplus": 1 << 31}},
        {**LINE, "kind": "precision", "verdict": {"held": [True], "splitter": ["x"]}},
        {**LINE, "verdict": {"fluency": 1, "correctness": 2, "reasons": 3}},
        '{"a": "' + "x" * MAX_LINE,
    ],
    ids=lambda line: str(line)[:60],
)
def test_hostile_lines_are_refused_by_number(tmp_path, line):
    path = tmp_path / "verdicts.jsonl"
    text = line if isinstance(line, str) else json.dumps(line)
    path.write_text(f"{HEAD}\n{json.dumps(LINE)}\n{text}\n")
    with pytest.raises(VerdictsError, match=r"verdicts.jsonl, line 3: "):
        read_verdicts(path)


@pytest.mark.parametrize(
    "judge",
    [
        *(None, [], {}, {"model": "m"}, {**JUDGE.to_json(), "more": 1}),
        *({**JUDGE.to_json(), "model": name} for name in ("", 3, "x" * 201, "a\nb", "\ud800")),
        *({**JUDGE.to_json(), "parameters": one} for one in (None, [], {"a": "x" * 4_000}, {"a": float("inf")})),
        *(
            {**JUDGE.to_json(), "rubric": one}
            for one in (None, 1, "", "1-xyz", "1-000000000000\n", "pape-1-000000000000")
        ),
    ],
)
def test_hostile_heads_are_refused(tmp_path, judge):
    path = tmp_path / "verdicts.jsonl"
    head = json.dumps({"format": "carrara/verdicts", "version": 1, "judge": judge}).replace("Infinity", "1e999")
    path.write_text(f"{head}\n")
    with pytest.raises(VerdictsError):
        read_verdicts(path)
    for version in (2, "1", None, True):
        path.write_text(f'{HEAD[:-1]}, "version": {json.dumps(version)}}}\n'.replace('"version": 1, ', ""))
        with pytest.raises(VerdictsError, match="version"):
            read_verdicts(path)


def test_a_full_disk_says_so_and_keeps_what_there_is(tmp_path, monkeypatch):
    path = tmp_path / "verdicts.jsonl"
    with pytest.raises(OSError, match="No space"), VerdictFile(path, JUDGE) as file:
        file.add(KEYS[0], "qa", "x", GOOD)
        os.dup2(os.open("/dev/full", os.O_WRONLY), file._stream.fileno())
        monkeypatch.setattr(os, "fsync", lambda number: None)
        file.add(KEYS[1], "qa", "x", GOOD)
    assert list(read_verdicts(path).known) == KEYS[:1]
