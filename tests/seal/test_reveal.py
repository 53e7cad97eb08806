"""Revealing: the answers of a seal open it, whole and to the byte; whatever else is told fails and is named."""

import json
import shutil
import time

import pytest
from commands import common, here, is_refusal, tree
from sealing import (
    CONFIGS,
    KEY,
    NUMBERS,
    OTHER_KEY,
    STREAM,
    alter_public,
    answers_of,
    edit,
    forge_manifest,
    kept,
    original,
    parts,
    revealed,
)

from carrara.engine.processes import Silent
from carrara.errors import ReleaseError
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import recipe_from_json
from carrara.release.reader import open_release, rows
from carrara.release.store import Folder
from carrara.release.verify import verify
from carrara.row import row_digest
from carrara.seal import restore as reassemble_module
from carrara.seal.answers_file import MAX_LINE
from carrara.seal.reveal import LISTED, open_sealed
from carrara.seal.scheme import SCHEME, Salts
from carrara.seal.seal import Order, Sealed, seal

__all__ = ["common", "kept", "original", "parts"]

FIRST = "verbatimeval/numeric_sorting_ascending/4k/00000"
SECOND = "verbatimeval/numeric_sorting_ascending/4k/00001"
IDS = [f"verbatimeval/numeric_sorting_ascending/4k/{index:05d}" for index in range(4)]


@pytest.fixture(scope="session")
def maker(original):
    """Makes rows of the original from its recipe."""
    return RowMaker(recipe_from_json(open_release(original).content.recipe.to_json()), None, original / "runs")


def told(report):
    """Row, column and message of every problem."""
    return [(problem.row, problem.column, problem.message) for problem in report.problems]


# --- what is right ----------------------------------------------------------------------------------------------------


@pytest.mark.integration
def test_the_answers_open_everything(original, kept):
    report = revealed(kept)
    count = sum(facts.rows for facts in open_release(original).configs.values())
    assert told(report) == [] and report.is_good
    assert report.checked == {"rows": count, "configs": 6, "roots": 6, "manifest": 1, "stream": 1}


def test_the_whole_release_comes_together_to_the_byte(original, kept, tmp_path):
    done = here("reveal", kept.public, kept.answers, "--out", tmp_path, "--json", "--quiet")
    table = json.loads(done.out)
    again = tmp_path / original.parent.name / "1.0.0"
    assert done.code == 0 and table["good"] and table["out"] == str(again) and table["reencoded"] == []
    assert tree(again) == tree(original) and STREAM in (again / "manifest.json").read_text()
    assert (again / "provenance.json").read_bytes() == (original / "provenance.json").read_bytes()
    assert verify(again, "rows").is_good
    # Exit 1 where a row's own answer does not score 1.
    assert here("score", again, "--gold", "--json").code == 0 and here("audit", again, "--quiet").code == 0
    assert {path.name for path in again.parent.iterdir()} == {".lock", "1.0.0"}
    # It is not written over.
    assert is_refusal(here("reveal", kept.public, kept.answers, "--out", tmp_path), "is there already")


def test_other_bytes_of_the_same_rows_are_told(original, kept, tmp_path, monkeypatch):
    """As under another Parquet library: the rows and roots are the original's, the files' hashes are not."""

    monkeypatch.setattr("carrara.engine.parquet._LEVEL", 9)
    done = here("reveal", kept.public, kept.answers, "--out", tmp_path, "--json", "--quiet")
    table = json.loads(done.out)
    again = verify(tmp_path / original.parent.name / "1.0.0", "rows")
    assert done.code == 0 and table["reencoded"] and sorted(table["reencoded"]) == sorted(again.reencoded)
    assert not again.problems


def test_a_person_is_told(kept):
    done = here("reveal", kept.public, kept.answers)
    assert done.code == 0 and "every answer is the one that was sealed" in done.out
    assert "6 roots, 1 manifest, 1 stream" in done.out and "sealed manifest: sha256 " in done.out
    assert "all: 24 answers" in done.err


# --- what is wrong: one column ----------------------------------------------------------------------------------------


def _more(value):
    return value + 1


@pytest.mark.parametrize(
    ("config", "index", "column", "change"),
    [
        (NUMBERS, 1, "answers", lambda value: [value[0][:-1] + str((int(value[0][-1]) + 1) % 10)]),
        (NUMBERS, 1, "answers", lambda value: [*value, ""]),
        (NUMBERS, 1, "answers", lambda value: []),
        (NUMBERS, 1, "complexity", _more),
        (NUMBERS, 1, "facts", lambda value: value + " "),
        (NUMBERS, 1, "facts", lambda value: '{"sealed":"0"}'),
        ("ancestral_trace_direct_en_4k", 5, "answers", lambda value: ["A" if value != ["A"] else "B"]),
        ("single_needle_en_4k", 3, "depths", lambda value: [value[0] - 1e-6]),
        ("single_needle_en_4k", 3, "depths", lambda value: []),
        ("single_needle_en_4k", 0, "evidence", lambda value: [[value[0][0], value[0][1] + 1]]),
        ("single_needle_en_4k", 0, "evidence", lambda value: value * 2),
        ("idk_4k", 2, "complexity", lambda value: 1 - value),
        ("rag_world_8k", 1, "answers", lambda value: [*value, "another name"]),
    ],
)
def test_a_changed_column_fails_and_is_named(parts, maker, config, index, column, change):
    edit(parts, config, lambda lines: lines[index].update({column: change(lines[index][column])}))
    row_id = json.loads(answers_of(parts, config).read_text().splitlines()[index])["id"]
    report = revealed(parts, remake=lambda: maker.remake)
    named = [(problem.config, problem.row, problem.column) for problem in report.problems]
    assert named == [(config, row_id, column), (config, "", "")]
    assert "it is not the row that was committed to: got " in report.problems[0].message
    assert "do not have the original's content root" in report.problems[1].message
    # Nothing else is touched by it.
    assert report.checked["rows"] == 23 and report.checked["roots"] == 5


def test_a_changed_answer_ends_the_command_with_1(parts):
    edit(parts, NUMBERS, lambda lines: lines[1].update(answers=["1, 2, 3"]))
    done = here("reveal", parts.public, parts.answers, "--json", "--quiet")
    problem = json.loads(done.out)["problems"][0]
    assert done.code == 1 and (problem["row"], problem["column"]) == (SECOND, "answers")
    assert "got ['1, 2, 3'], committed" in problem["message"]


def test_nothing_is_put_together_from_wrong_answers(parts, tmp_path):
    edit(parts, NUMBERS, lambda lines: lines[1].update(answers=["1, 2, 3"]))
    done = here("reveal", parts.public, parts.answers, "--out", tmp_path / "out", "--json")
    assert done.code == 1 and not (tmp_path / "out").exists() and SECOND in done.out


def test_without_the_recipe_the_row_is_named_still(parts):
    edit(parts, NUMBERS, lambda lines: lines[1].update(complexity=7))
    first = revealed(parts).problems[0]
    assert (first.row, first.column) == (SECOND, "") and "one digest covers the whole row" in first.message


@pytest.mark.parametrize("salt", ["0" * 64, "f" * 64])
def test_an_altered_salt_is_told_from_an_altered_answer(parts, salt):
    edit(parts, NUMBERS, lambda lines: lines[1].update(salt=salt))
    assert told(revealed(parts)) == [(SECOND, "salt", "its salt was altered; its columns are the committed ones")]


def test_the_salt_of_another_row_opens_nothing(parts):
    def swap(lines):
        lines[0]["salt"], lines[1]["salt"] = lines[1]["salt"], lines[0]["salt"]

    edit(parts, NUMBERS, swap)
    assert [row for row, _, _ in told(revealed(parts))] == [FIRST, SECOND]


def test_an_altered_public_part_is_not_covered_up(parts, maker):
    """Whoever alters a prompt cannot make its answer's commitment open, nor the manifest's root hold."""
    alter_public(parts, NUMBERS, 1, prompt="Say 7.")
    report = revealed(parts, remake=lambda: maker.remake)
    assert [problem.row for problem in report.problems] == [SECOND, ""]
    assert "the public columns were altered" in report.problems[0].message
    assert "the sealed rows do not have the content root of their manifest" in report.problems[1].message


def test_an_altered_commitment_does_not_hold_in_the_manifest(parts):
    """A false answer with a commitment of its own: the row opens, the root of the public part does not stand."""

    def lie(lines):
        lines[1]["answers"] = ["1, 2, 3"]

    edit(parts, NUMBERS, lie)
    whole = list(rows(open_release(parts.public), NUMBERS))[1]
    line = json.loads(answers_of(parts, NUMBERS).read_text().splitlines()[1])
    spans = [{"start": start, "end": end} for start, end in line["evidence"]]
    false = {**whole, **{name: line[name] for name in ("answers", "complexity", "depths", "facts")}, "evidence": spans}
    made = Salts(KEY).commitment("row", SECOND, row_digest(false))
    alter_public(parts, NUMBERS, 1, facts=json.dumps({"sealed": made}, separators=(",", ":")))
    messages = [message for _, _, message in told(revealed(parts))]
    assert messages == ["the sealed rows do not have the content root of their manifest: they were altered"]


@pytest.mark.parametrize("columns", [{"facts": "{}"}, {"facts": "[]"}, {"answers": ["7"]}, {"depths": [0.5]}])
def test_a_public_row_that_is_not_sealed_is_named(parts, columns):
    alter_public(parts, NUMBERS, 1, **columns)
    assert told(revealed(parts))[0] == (SECOND, "", "the sealed row holds no commitment, or an answer")


# --- what is wrong: lines ---------------------------------------------------------------------------------------------


MISSING = "the answers have no line for this row at its position"


def _passed(number: int) -> str:
    return f"line {number} of the answers is duplicate, out of place or of no row"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda lines: lines[1:], [(IDS[0], MISSING)]),
        (lambda lines: lines[:-1], [(IDS[3], MISSING)]),
        (lambda lines: [lines[0], *lines[2:]], [(IDS[1], MISSING)]),
        (lambda lines: [], [(row, MISSING) for row in IDS]),
        (lambda lines: [lines[0], lines[2], lines[1], lines[3]], [(IDS[1], MISSING), (IDS[1], _passed(3))]),
        (lambda lines: [lines[0], *lines], [(IDS[0], _passed(2))]),
        (lambda lines: [*lines, lines[3]], [(IDS[3], _passed(5))]),
        (lambda lines: [*lines, {**lines[3], "id": IDS[3][:-1] + "4"}], [(IDS[3][:-1] + "4", _passed(5))]),
        (lambda lines: [lines[0], {**lines[0], "id": "x/y/4k/00001"}, *lines[1:]], [("x/y/4k/00001", _passed(2))]),
        (lambda lines: [{**lines[0], "id": "\x1b[31m"}, *lines], [("\\x1b[31m", _passed(1))]),
    ],
)
def test_every_row_has_one_line_in_its_place(parts, change, expected):
    edit(parts, NUMBERS, change)
    report = revealed(parts)
    found = [(row, message) for row, _, message in told(report) if row]
    assert found == expected and not report.is_good
    assert {problem.config for problem in report.problems} == {NUMBERS}


def test_swapped_rows_are_both_named(parts):
    def swap(lines):
        lines[0]["id"], lines[1]["id"] = lines[1]["id"], lines[0]["id"]
        return [lines[1], lines[0], *lines[2:]]

    edit(parts, NUMBERS, swap)
    assert [row for row, _, _ in told(revealed(parts))] == [FIRST, SECOND, ""]


def test_swapped_configs_are_found(parts):
    one, other = answers_of(parts, "idk_4k"), answers_of(parts, "latent_list_4k")
    text = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(text)
    report = revealed(parts)
    assert {problem.config for problem in report.problems} == {"idk_4k", "latent_list_4k"}
    assert report.checked["rows"] == 24 - 6


def test_missing_and_extra_files_are_found(parts):
    answers_of(parts, NUMBERS).unlink()
    shutil.copy(answers_of(parts, "idk_4k"), answers_of(parts, "idk_8k"))
    assert [(problem.config, problem.message) for problem in revealed(parts).problems] == [
        (NUMBERS, f"answers/{NUMBERS}.jsonl is missing"),
        ("", "'answers/idk_8k.jsonl' belongs to no config: extra answers"),
    ]


def test_many_problems_are_counted(parts):
    edit(parts, NUMBERS, lambda lines: [*lines, *({**lines[0], "id": f"x/{number}"} for number in range(50))])
    report = revealed(parts)
    assert len(report.problems) == LISTED + 1 and report.problems[-1].message == "and 30 more problems"


# --- what is wrong: what stands for the whole -------------------------------------------------------------------------


def test_another_key_opens_nothing_of_the_whole(parts):
    file = parts.answers / "reveal.json"
    file.write_text(file.read_text().replace(KEY.hex(), OTHER_KEY.hex()))
    messages = [message for _, _, message in told(revealed(parts))]
    assert len([one for one in messages if "content root is not the one that was committed to" in one]) == 6
    assert any("or the key is wrong" in one for one in messages) and any("stream " in one for one in messages)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content.update(stream="another"), "stream 'another' is not the one that was committed to"),
        (lambda content: content["configs"]["idk_4k"].update(root="0" * 64), "its content root is not the one"),
        (lambda content: content["configs"]["idk_4k"].update(plans="0" * 64), "the digest of its plans is not the one"),
        (lambda content: content["configs"]["idk_4k"].update(files=["data/x"]), "its data files or its number of rows"),
        (lambda content: content["configs"].pop("idk_4k"), "original/manifest.json has no such config"),
        (lambda content: content.update(title="Better"), "is not the manifest that was committed to"),
    ],
)
def test_an_altered_original_manifest_is_found(parts, change, said):
    forge_manifest(parts.answers / "original", change)
    asked = []
    report = revealed(parts, remake=lambda: asked.append(1))
    assert any(said in message for _, _, message in told(report))
    assert any("is not the manifest that was committed to" in message for _, _, message in told(report))
    assert report.checked["manifest"] == 0 and not asked


@pytest.mark.parametrize("path", ["README.md", "runs/rag_world.parquet", "figures/chance.svg"])
def test_an_altered_or_missing_file_of_the_original_is_found(parts, path, tmp_path):
    file = parts.answers / "original" / path
    with file.open("ab") as stream:
        stream.write(b"x")
    assert told(revealed(parts)) == [("", "", f"original/{path} is not the original's file")]
    file.unlink()
    assert told(revealed(parts)) == [("", "", f"original/{path} is missing")]


def test_the_answers_of_another_seal_open_nothing(original, kept, tmp_path):
    other = seal(original, Order(tmp_path), Silent(), OTHER_KEY)
    report = revealed(Sealed(kept.public, other.answers))
    assert report.checked["rows"] == report.checked["roots"] == report.checked["stream"] == 0
    assert len([problem for problem in report.problems if problem.row]) == 24
    named = seal(original, Order(tmp_path, "season-9"), Silent(), KEY)
    # Under another name with the same key the stream opens: the commitments say what belongs together, not names.
    assert revealed(Sealed(kept.public, named.answers)).is_good
    strange = seal(original, Order(tmp_path, "season-8"), Silent(), OTHER_KEY)
    with pytest.raises(ReleaseError, match=r"holds the answers of season-8@1\.0\.0, expected those of probe-sealed@1"):
        revealed(Sealed(kept.public, strange.answers))


def test_what_is_no_sealed_release_or_no_answers_is_refused(original, kept, tmp_path):
    assert is_refusal(here("reveal", original, kept.answers), "is not sealed")
    assert is_refusal(here("reveal", kept.answers, kept.answers), "is not a release")
    assert is_refusal(here("reveal", kept.public, kept.public), "reveal.json is missing")
    assert is_refusal(here("reveal", kept.public, tmp_path / "none"), "reveal.json is missing")
    both = ("--out", tmp_path, "--config", "idk_4k")
    assert is_refusal(here("reveal", kept.public, kept.answers, *both), "--out with --config")
    assert is_refusal(here("reveal", kept.public, kept.answers, "--config", "idk"), "no config 'idk'")


def test_another_scheme_is_refused(parts):
    forge_manifest(parts.public, lambda content: content["sealed"].update(scheme="carrara-seal/2"))
    with pytest.raises(ReleaseError, match=r"scheme 'carrara-seal/2', expected carrara-seal/1"):
        open_sealed(Folder(parts.public))


# --- some configs -----------------------------------------------------------------------------------------------------


def test_answers_of_one_config_are_proven_without_the_key(parts):
    """Published alone, they tell nothing of the others: no key, no stream, no manifest."""
    for path in sorted(parts.answers.rglob("*"), reverse=True):
        if path != answers_of(parts, "idk_4k"):
            (path.unlink if path.is_file() else lambda: None)()
    done = here("reveal", parts.public, parts.answers, "--config", "idk_4k", "--json", "--quiet")
    table = json.loads(done.out)
    assert (
        done.code == 0
        and table["partial"]
        and table["checked"]
        == {
            **{"rows": 3, "configs": 1},
            **dict.fromkeys(("roots", "manifest", "stream"), 0),
        }
    )
    text = answers_of(parts, "idk_4k").read_text()
    assert STREAM not in text and KEY.hex() not in text
    told_of = here("reveal", parts.public, parts.answers, "--config", "idk_4k")
    assert "only 1 of 6 configs were checked" in told_of.out
    edit(parts, "idk_4k", lambda lines: lines[0].update(complexity=5))
    assert here("reveal", parts.public, parts.answers, "--config", "idk_4k").code == 1
    # The whole is not proven by a part.
    assert is_refusal(here("reveal", parts.public, parts.answers), "reveal.json is missing")


def test_with_the_whole_at_hand_a_part_is_held_against_it(parts):
    report = revealed(parts, ("idk_4k",))
    assert report.checked == {"rows": 3, "configs": 1, "roots": 1, "manifest": 1, "stream": 1} and report.is_good


# --- hostile folders --------------------------------------------------------------------------------------------------


LINE = {"id": FIRST, "salt": "0" * 64, "answers": [], "complexity": 0, "depths": [], "evidence": [], "facts": ""}


@pytest.mark.parametrize(
    "raw",
    [
        b"\n",
        b"{}\n",
        b"[]\n",
        b"null\n",
        b"{\n",
        b"\xff\xfe\n",
        b"[" * 200_000 + b"\n",
        *(
            json.dumps({**LINE, **change}).encode() + b"\n"
            for change in (
                {"answers": None},
                {"answers": [1]},
                {"answers": ["\ud800"]},
                {"answers": {"0": "a"}},
                {"depths": [float("nan")]},
                {"depths": [float("inf")]},
                {"depths": [1]},
                {"depths": [True]},
                {"complexity": 1 << 31},
                {"complexity": True},
                {"complexity": 1.0},
                {"evidence": [[0]]},
                {"evidence": [[0, 1 << 63]]},
                {"evidence": [{"start": 0, "end": 1}]},
                {"facts": {}},
                {"facts": None},
                {"salt": "0" * 63},
                {"salt": "Z" * 64},
                {"salt": 0},
                {"id": None},
                {"prompt": "another"},
            )
        ),
        b'{"id": "a", "id": "b"}\n',
        json.dumps(LINE).encode().replace(b'"complexity": 0', b'"complexity": ' + b"9" * 5_000) + b"\n",
        json.dumps(LINE).encode(),
    ],
)
def test_lines_that_are_none_are_named_and_end_the_config(parts, raw):
    file = answers_of(parts, NUMBERS)
    file.write_bytes(raw + file.read_bytes() if raw.endswith(b"\n") else raw)
    problems = [problem for problem in revealed(parts).problems if problem.config == NUMBERS]
    assert len(problems) == 1 and f"answers/{NUMBERS}.jsonl, line 1" in problems[0].message
    assert len(problems[0].message) < 500


def test_a_line_without_end_is_not_read_whole(parts):
    file = answers_of(parts, NUMBERS)
    with file.open("wb") as stream:
        stream.truncate(64 * MAX_LINE)
    start = time.monotonic()
    problems = [problem.message for problem in revealed(parts).problems]
    assert any("expected a whole line of at most" in message for message in problems) and time.monotonic() - start < 20


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{",
        '{"scheme": "carrara-seal/1"}',
        json.dumps({"scheme": SCHEME, "name": "probe-sealed", "version": "1.0.0", "key": "0" * 63}),
        json.dumps({"scheme": SCHEME, "name": "probe-sealed", "version": "1.0.0", "key": 7}),
        json.dumps({"scheme": "x", "name": "probe-sealed", "version": "1.0.0", "key": "0" * 64}),
        json.dumps({"scheme": SCHEME, "name": [], "version": {}, "key": "0" * 64}),
        json.dumps({"scheme": SCHEME, "name": "probe-sealed", "version": "1.0.0", "key": "0" * 64, "more": 1}),
        "x" * 5_000_000,
    ],
)
def test_a_reveal_that_is_none_is_refused(parts, text):
    (parts.answers / "reveal.json").write_text(text)
    with pytest.raises(ReleaseError):
        revealed(parts)


def test_links_and_paths_that_leave_the_folder_are_refused(parts, tmp_path):
    secret = tmp_path / "secret.jsonl"
    secret.write_bytes(answers_of(parts, NUMBERS).read_bytes())
    answers_of(parts, NUMBERS).unlink()
    answers_of(parts, NUMBERS).symlink_to(secret)
    messages = [message for _, _, message in told(revealed(parts))]
    assert f"answers/{NUMBERS}.jsonl goes through a symbolic link, expected a file" in messages
    shutil.move(parts.answers / "original", tmp_path / "elsewhere")
    (parts.answers / "original").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ReleaseError, match="goes through a symbolic link"):
        revealed(parts)


@pytest.mark.parametrize("name", ["../../x", "/etc/passwd", "a/../../b", "..", ""])
def test_config_names_that_leave_the_folder_are_refused(parts, name):
    def rename(content):
        content["configs"][name] = content["configs"].pop("idk_4k")
        if "sealed" in content:
            content["sealed"]["roots"][name] = content["sealed"]["roots"].pop("idk_4k")

    forge_manifest(parts.answers / "original", rename)
    with pytest.raises(ReleaseError, match=r"content\.configs: name "):
        revealed(parts)
    forge_manifest(parts.public, rename)
    with pytest.raises(ReleaseError, match=r"content\.configs: name "):
        open_sealed(Folder(parts.public))


def test_what_changes_between_proof_and_writing_is_not_written(parts, tmp_path, monkeypatch):
    writes = reassemble_module._write

    def late(*arguments):
        edit(parts, NUMBERS, lambda lines: lines[1].update(answers=["1, 2, 3"]))
        return writes(*arguments)

    monkeypatch.setattr(reassemble_module, "_write", late)
    done = here("reveal", parts.public, parts.answers, "--out", tmp_path / "out", "--quiet")
    assert is_refusal(done, f"{NUMBERS}: the rows do not have the original's content root")
    left = [path.name for path in (tmp_path / "out").rglob("*") if path.is_file()]
    assert left == [".lock"]


def test_configs_stand_in_both_parts(kept):
    assert sorted(path.stem for path in (kept.answers / "answers").iterdir()) == sorted(CONFIGS)
