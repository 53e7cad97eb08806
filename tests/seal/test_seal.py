"""Sealing: the public part is a release that tells nothing of the answers, the private part opens it, nothing else."""

import hashlib
import hmac
import json
import os
import re
import shutil
import stat
import subprocess
import sys
from itertools import pairwise

import pytest
from commands import common, here, is_refusal, tree, write
from sealing import CONFIGS, KEY, NAME, OTHER_KEY, STREAM, alter_public, forge_manifest, kept, original, parts, revealed
from unchecked import with_content

from carrara.card.card import card
from carrara.engine.code import code_fingerprint
from carrara.engine.processes import Silent
from carrara.errors import CarraraError, ReleaseError
from carrara.release.freeze import freeze
from carrara.release.manifest import canary
from carrara.release.reader import open_release, row, rows
from carrara.release.schema import Content
from carrara.release.store import Folder
from carrara.release.verify import verify
from carrara.row import SCHEMA, canonical_json, row_digest
from carrara.seal import seal as seal_module
from carrara.seal.answers_file import lines
from carrara.seal.scheme import Salts, commitment
from carrara.seal.seal import Order, seal
from carrara.seal.secrecy import ENOUGH_BITS, guessable_bits, public_name, refuse_known

__all__ = ["common", "kept", "original", "parts"]

HIDDEN = {"answers": [], "complexity": 0, "depths": [], "evidence": []}


class Heard(Silent):
    """What was noted."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        self.notes.append(text)


# --- the scheme -------------------------------------------------------------------------------------------------------


def test_the_scheme_stands():
    # Written by hand once more: a change of any of this opens nothing that was sealed before.
    salts = Salts(KEY)
    salt = hmac.new(KEY, b'["carrara-seal/1","row","b/t/4k/00000"]', "sha256").hexdigest()
    assert salts.salt("row", "b/t/4k/00000") == salt
    text = f'["carrara-seal/1","row","b/t/4k/00000","{salt}","{"0" * 64}"]'
    assert salts.commitment("row", "b/t/4k/00000", "0" * 64) == hashlib.sha256(text.encode()).hexdigest()
    with pytest.raises(ValueError, match="31 bytes"):
        Salts(KEY[:31])


def test_no_commitment_stands_for_another():
    made = [
        commitment(kind, name, salt, value)
        for kind in ("row", "root")
        for name in ("a", "b")
        for salt in ("0" * 64, "1" * 64)
        for value in ("x", "y")
    ]
    assert len(set(made)) == 16
    # Fields are told apart by more than their place in a text.
    assert commitment("row", "a", '","', "b") != commitment("row", 'a","', "", "b")


def test_without_the_salt_the_answer_of_few_cannot_be_tried(original, kept):
    """Whoever has the public part, the options and everything but the salt finds no commitment by trying."""
    config = "ancestral_trace_direct_en_4k"
    known = Salts(KEY)
    for whole, sealed in zip(
        rows(open_release(original), config), rows(open_release(kept.public), config), strict=True
    ):
        told = json.loads(sealed["facts"])["sealed"]
        guesses = [{**whole, "answers": [letter]} for letter in "ABCDEFGHIJ"]
        tried = {"", "0" * 64, hashlib.sha256(b"").hexdigest(), told, sealed["id"]}
        for guess in guesses:
            digest = row_digest(guess)
            assert told not in {commitment("row", whole["id"], salt, digest) for salt in tried}
            assert told not in {digest, hashlib.sha256(digest.encode()).hexdigest()}
        # With it, one of the ten opens it.
        salt = known.salt("row", whole["id"])
        opened = [
            guess["answers"] for guess in guesses if commitment("row", whole["id"], salt, row_digest(guess)) == told
        ]
        assert opened == [whole["answers"]]


def test_two_seals_have_nothing_in_common(original, kept, tmp_path):
    other = seal(original, Order(tmp_path), Silent(), OTHER_KEY)
    hexadecimal = [set(re.findall(r"\b[0-9a-f]{64}\b", _text_of(part.public))) for part in (kept, other)]
    commitments = [
        {json.loads(one["facts"])["sealed"] for config in CONFIGS for one in rows(open_release(part.public), config)}
        for part in (kept, other)
    ]
    count = sum(open_release(original).configs[config].rows for config in CONFIGS)
    assert [len(one) for one in commitments] == [count, count] and not commitments[0] & commitments[1]
    # What both say is the tokenizer's, of figures, which show lengths, and of the code that sealed.
    same = hexadecimal[0] & hexadecimal[1]
    tokenizer = open_release(original).content.tokenizer.fingerprint
    figure = open_release(kept.public).files["figures/lengths.svg"].sha256
    assert same == {tokenizer, figure, code_fingerprint()}
    salts = [
        {line.salt for config in CONFIGS for line in lines(Folder(part.answers), config)} for part in (kept, other)
    ]
    assert [len(one) for one in salts] == [count, count] and not salts[0] & salts[1]
    # The same key gives the same bytes: nothing else is drawn.
    again = seal(original, Order(tmp_path / "again"), Silent(), KEY)
    assert tree(again.public) == tree(kept.public) and tree(again.answers) == tree(kept.answers)


def test_the_system_draws_the_key(original, tmp_path, monkeypatch):
    drawn = []
    monkeypatch.setattr(os, "urandom", lambda size: drawn.append(size) or OTHER_KEY)
    made = seal(original, Order(tmp_path), Silent())
    assert drawn == [32] and json.loads((made.answers / "reveal.json").read_text())["key"] == OTHER_KEY.hex()


# --- the public part --------------------------------------------------------------------------------------------------


def _text_of(folder) -> str:
    """Every byte of a folder that is no Parquet file, as text; of figures nothing that is no text."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".parquet"]
    return "\n".join(path.read_bytes().decode("utf-8", "replace") for path in files)


def test_the_public_part_is_a_release(original, kept, tmp_path):
    assert kept.public.parts[-2:] == ("probe-sealed", "1.0.0") and kept.answers.name == "1.0.0.answers"
    report = verify(kept.public, "rows")
    assert report.is_good and not report.reencoded
    whole, sealed = open_release(original), open_release(kept.public)
    assert list(sealed.configs) == list(whole.configs) and report.checked["rows"] == sum(
        facts.rows for facts in whole.configs.values()
    )
    for config in CONFIGS:
        assert sealed.configs[config].files == whole.configs[config].files
        for before, after in zip(rows(whole, config), rows(sealed, config), strict=True):
            assert {name: after[name] for name in HIDDEN} == HIDDEN
            open_columns = set(SCHEMA.names) - set(HIDDEN) - {"facts"}
            assert all(after[name] == before[name] for name in open_columns)
            committed = Salts(KEY).commitment("row", before["id"], row_digest(before))
            assert after["facts"] == canonical_json({"sealed": committed})
    assert freeze(kept.public, tmp_path / "releases") == tmp_path / "releases" / "probe-sealed" / "1.0.0"


def test_datasets_loads_it_and_the_verbs_that_read_take_it(kept):
    from datasets import load_dataset

    loaded = load_dataset(str(kept.public), "idk_4k", split="test")
    assert loaded.column_names == SCHEMA.names and loaded["answers"] == [[], [], []]
    row_id = loaded["id"][0]
    assert here("verify", kept.public, "--level", "rows").code == 0
    assert here("verify", kept.public, "--row", row_id).code == 0
    assert "idk_4k  3 rows" in here("list", kept.public).out
    shown = json.loads(here("show", kept.public, row_id, "--json").out)
    assert shown["answers"] == [] and set(shown["facts"]) == {"sealed"}


def test_no_public_text_holds_the_stream_or_the_key(original, kept):
    public, private = _text_of(kept.public), _text_of(kept.answers)
    for secret in (STREAM, KEY.hex()):
        assert secret in private
        assert secret not in public
        # Nor a part of it, nor a hash without a salt, by which guesses are tested.
        assert not any(secret[start : start + 8] in public for start in range(len(secret) - 7))
    whole = open_release(original).content
    hashes = [hashlib.sha256(STREAM.encode()).hexdigest(), hashlib.sha256(f"prose of {STREAM}".encode()).hexdigest()]
    hashes += [whole.sources["world"].fingerprint, whole.canary, whole.recipe_fingerprint]
    hashes += [canary(name, "1.0.0", STREAM) for name in ("probe", "probe-sealed", NAME)]
    hashes += [digest for one in whole.configs.values() for digest in (one.root, one.plans)]
    hashes += [one.digest for one in whole.runs.values()]
    hashes += [one.corpus.to_json()["digest"] for one in whole.runs.values()]
    hashes += [entry.sha256 for path, entry in open_release(original).files.items() if "lengths.svg" not in path]
    hashes += [json.loads((original / "provenance.json").read_text())["key"]]
    hashes += [row_digest(one) for config in CONFIGS for one in rows(open_release(original), config)]
    everything = public + "".join(
        canonical_json(one) for config in CONFIGS for one in rows(open_release(kept.public), config)
    )
    assert [one for one in hashes if one in everything] == []
    assert hashes[1] == whole.sources["world"].fingerprint, "the world's fingerprint is a hash of the stream"


def test_no_public_text_but_prompts_holds_a_gold(original, kept):
    """Golds of more than a few letters: of the others, letters and small numbers, any text holds some."""
    public = _text_of(kept.public)
    sealed = open_release(kept.public)
    others = [
        canonical_json({name: value for name, value in one.items() if name not in {"prompt", "choices"}})
        for config in CONFIGS
        for one in rows(sealed, config)
    ]
    whole = [one for config in CONFIGS for one in rows(open_release(original), config)]
    golds = {gold for one in whole for answer in one["answers"] for gold in (answer, *answer.split(", "))}
    golds = {gold for gold in golds if len(gold) >= 6}
    assert len(golds) > 100
    assert [gold for gold in golds if gold in public or any(gold in text for text in others)] == []
    # And no raw byte of a data file: with nothing in the columns, the texts are those of prompts and choices.
    assert not [path for path in kept.public.rglob("*") if "run" in path.name or "answers" in path.name]
    assert {path.name for path in kept.public.iterdir()} == {
        *(
            "README.md",
            "DETAILS.md",
            "croissant.json",
            "data",
            "digests",
            "figures",
            "manifest.json",
            "provenance.json",
            "recipe.json",
        )
    }


def test_the_manifest_tells_nothing_of_golds(kept):
    content = open_release(kept.public).content
    assert not content.runs and content.name == "probe-sealed"
    assert content.stream == content.recipe.stream == f"sealed:{content.sealed.stream}"
    for facts in content.configs.values():
        table = facts.to_json()
        told = {name: table[name] for name in ("answers", "depths", "paper_scores", "probes", "complexity")}
        assert told == {
            "answers": 0,
            "depths": [0] * 10,
            "paper_scores": {},
            "probes": [],
            "complexity": {"0": facts.rows},
        }
        assert "notes" not in table
    # Every row of such releases is proven by a solver, which anyone may run.
    assert content.sealed.computable == tuple(sorted(CONFIGS))


def test_rows_of_one_item_do_not_tell_which_option_is_right(original):
    """Options are turned: at each placement the gold is another letter, and where it starts the stream draws."""
    found = list(rows(open_release(original), "ancestral_trace_direct_en_4k"))
    by_item = {}
    for one in found:
        by_item.setdefault(one["item"], []).append("ABCDEFGHIJ".index(one["answers"][0]))
    number = len(found[0]["choices"])
    assert all((one - other) % number == 1 for turned in by_item.values() for one, other in pairwise(turned))
    assert len(by_item) == 2 and len({turned[0] for turned in by_item.values()}) == 2


def test_the_card_says_what_is_withheld(kept, original):
    text = (kept.public / "README.md").read_text(encoding="utf-8")
    assert text == card(open_release(kept.public).content)
    head, _, rest = text.partition("## Sealed: the answers are withheld")
    assert 'pretty_name: "Probe, answers sealed"' in head and "## Tasks and buckets" in rest
    for words in (
        "carrara reveal . ANSWERS --out out",
        "Of all configs a solver",
        "max_output_tokens",
        "cannot be scored",
    ):
        assert words in rest
    for wrong in (
        "carrara score",
        "--level rebuild",
        "carrara build recipe.json",
        "## A row",
        "found the gold answer",
        "## Baselines",
    ):
        assert wrong not in text
        assert wrong in (original / "README.md").read_text(encoding="utf-8")


def test_the_card_names_the_configs_that_can_be_computed(kept):
    content = open_release(kept.public).content.to_json()
    content["sealed"]["computable"] = ["idk_4k", "unknown <b>"]
    assert "Of `idk_4k` a solver" in card(Content.model_validate(content))
    content["sealed"]["computable"] = sorted(set(CONFIGS) - {"idk_4k"})
    assert "Of all configs but `idk_4k` a solver" in card(Content.model_validate(content))
    content["sealed"]["computable"] = []
    assert "No solver of the package computes an answer" in card(Content.model_validate(content))


# --- the private part -------------------------------------------------------------------------------------------------


def test_the_answers_are_their_owner_s_alone(kept):
    for path in (kept.answers, *kept.answers.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    told = (kept.answers / "README.md").read_text()
    assert "do not publish" in told and "carrara reveal 1.0.0 1.0.0.answers" in told
    assert {path.name for path in kept.public.parent.iterdir()} == {".lock", "1.0.0", "1.0.0.answers"}


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("score", "--gold"), "cannot be scored"),
        (("score", "R"), "cannot be scored"),
        (("audit",), "cannot be audited"),
        (("judge", "R", "--base-url", "http://localhost:1/v1", "--model", "m", "--out", "v.jsonl"), "cannot be judged"),
    ],
)
def test_what_needs_answers_says_that_they_are_withheld(kept, tmp_path, words, said):
    responses = write(tmp_path, '{"id": "x", "response": "y"}\n', "r.jsonl")
    verb, *rest = (responses if word == "R" else word for word in words)
    assert is_refusal(here(verb, kept.public, *rest), "probe-sealed@1.0.0 is sealed", said, "carrara reveal")


@pytest.mark.parametrize("level", ["plans", "rebuild"])
def test_the_recipe_of_a_sealed_release_makes_nothing(kept, level):
    done = here("verify", kept.public, "--level", level, "--json")
    problems = json.loads(done.out)["problems"]
    assert done.code == 1 and level in [one["level"] for one in problems]
    assert all("its stream is withheld" in one["message"] for one in problems)


def test_it_is_not_built_nor_planned_nor_compared_nor_sealed_again(kept, original, tmp_path):
    recipe = kept.public / "recipe.json"
    assert is_refusal(here("build", recipe, "--out", tmp_path / "out"), "its stream is withheld", "--stream NAME")
    assert is_refusal(here("plan", recipe), "its stream is withheld")
    assert is_refusal(here("seal", kept.public, "--out", tmp_path), "cannot be sealed again")
    other = seal(original, Order(tmp_path), Silent(), OTHER_KEY)
    # Two seals of one release are twins by their recipes, but not to look at.
    forge_manifest(other.public, lambda content: content["recipe"].update(title="Other"))
    assert is_refusal(here("diff", kept.public, other.public), "cannot be compared with a twin")


def test_a_damaged_row_of_a_sealed_release_is_named(parts):
    alter_public(parts, "idk_4k", 1, answers=["A"])
    done = here("verify", parts.public, "--level", "rows", "--json")
    named = [one["row"] for one in json.loads(done.out)["problems"] if one["row"]]
    assert done.code == 1 and named == ["michelangelo/idk/4k/00001"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda sealed: sealed.pop("manifest"), "content.sealed has no 'manifest'"),
        (lambda sealed: sealed.update(stream="x"), "content.sealed: stream = 'x'"),
        (lambda sealed: sealed["roots"].pop("idk_4k"), "content.sealed.roots has no 'idk_4k'"),
        (lambda sealed: sealed["roots"].update(idk_4k=1), "content.sealed.roots: idk_4k = 1, expected a sha256"),
        (lambda sealed: sealed.update(computable="all"), "content.sealed: computable = 'all'"),
        (lambda sealed: sealed.update(scheme=None), "content.sealed: scheme = None"),
    ],
)
def test_the_form_of_a_sealed_manifest_is_checked(parts, change, said):
    forge_manifest(parts.public, lambda content: change(content["sealed"]))
    with pytest.raises(ReleaseError, match=re.escape(said)):
        open_release(parts.public)


def test_stream_and_commitment_belong_together(parts):
    forge_manifest(parts.public, lambda content: content["sealed"].update(stream="0" * 64))
    assert any("stream is" in problem.message for problem in verify(parts.public).problems)
    forge_manifest(parts.public, lambda content: content.pop("sealed"))
    assert any("sealed is None" in problem.message for problem in verify(parts.public).problems)


# --- secrets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        ("quickstart/1", "is that of the bundled recipe quickstart"),
        ("mine/12", "has the usual form of a public one"),
        ("needlebench-mini/1", "is that of the bundled recipe needlebench-mini"),
    ],
)
def test_public_streams_are_refused(stream, said):
    with pytest.raises(CarraraError, match=re.escape(said)) as refused:
        refuse_known(stream, ())
    assert 'carrara build RECIPE --stream "$(openssl rand -hex 16)"' in refused.value.hint


def test_the_stream_of_a_frozen_release_is_refused(original, tmp_path):
    freeze(original, tmp_path / "frozen")
    done = here("seal", original, "--out", tmp_path / "out", "--releases", tmp_path / "frozen")
    assert is_refusal(done, "is that of the frozen release", "so that anyone can make the answers")
    assert not (tmp_path / "out").exists()


def test_a_release_with_a_public_stream_is_refused(common, tmp_path):
    done = here("seal", common / "out" / "small" / "1.0.0", "--out", tmp_path / "out")
    assert is_refusal(done, "'tests/1'", "so that anyone can make the answers", "openssl rand -hex 16")


@pytest.mark.parametrize("stream", ["a", "2027-spring", "hunter2", "x" * 64, "12345678", "secret stream"])
def test_streams_that_can_be_guessed_are_warned_of(stream):
    assert guessable_bits(stream) < ENOUGH_BITS


@pytest.mark.parametrize("stream", [STREAM, "0b7c2f9a51e6d4837b1f0c6a9e2d58f4", "q9/Xv3mTz0+KcYwB7hJr2g=="])
def test_random_streams_are_not(stream):
    assert guessable_bits(stream) > ENOUGH_BITS
    refuse_known(stream, ())


def test_a_short_stream_is_warned_of(original, tmp_path, monkeypatch):
    heard = Heard()
    monkeypatch.setattr(seal_module, "guessable_bits", lambda stream: 12.0)
    seal(original, Order(tmp_path), heard, KEY)
    assert "WARNING: the stream may be guessed" in heard.notes[0]
    heard = Heard()
    monkeypatch.undo()
    seal(original, Order(tmp_path / "other"), heard, KEY)
    assert not any("WARNING" in note for note in heard.notes)


@pytest.mark.parametrize(
    ("name", "stream", "public"),
    [
        (f"probe-{STREAM}", STREAM, "probe-sealed"),
        ("probe", STREAM, "probe-sealed"),
        ("a-b-2027-spring", "2027 Spring!", "a-b-sealed"),
        # A twin's name is cut at 64 characters.
        (("n" * 40 + "-" + STREAM)[:64], STREAM, "n" * 40 + "-sealed"),
        (("n" * 62 + "-" + STREAM)[:64].rstrip("-"), STREAM, "n" * 57 + "-sealed"),
        ("n" * 64, STREAM, "n" * 57 + "-sealed"),
        # Nothing in it that could stand in a name.
        ("probe", "我的流", "probe-sealed"),
    ],
)
def test_the_public_name_is_that_of_the_recipe(name, stream, public):
    assert public_name(name, stream) == public


def test_names_that_tell_the_stream_or_are_none_are_refused(original, tmp_path):
    for given in (f"x-{STREAM[4:14]}", "Probe", "../x", "", NAME):
        with pytest.raises(ReleaseError, match="name"):
            public_name(NAME, STREAM, given)
    with pytest.raises(ReleaseError, match="holds a part of the stream"):
        public_name(f"{STREAM}-probe", STREAM)
    named = seal(original, Order(tmp_path, "season-9"), Silent(), KEY)
    assert named.public == tmp_path / "season-9" / "1.0.0" and verify(named.public, "rows").is_good


def test_a_text_that_holds_the_stream_is_not_published(original, tmp_path, monkeypatch):
    whole = with_content(seal_module.open_release(original), written=f"## Limits\n\nMade from {STREAM}.")
    monkeypatch.setattr(seal_module, "open_release", lambda where: whole)
    with pytest.raises(ReleaseError, match=r"README\.md would hold the stream"):
        seal(original, Order(tmp_path), Silent(), KEY)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / "probe-sealed" / ".lock"]


# --- whole or not at all ----------------------------------------------------------------------------------------------


def test_a_seal_never_replaces_another(original, kept, tmp_path):
    out = kept.public.parent.parent
    before = tree(kept.answers)
    for _ in range(2):
        assert is_refusal(here("seal", original, "--out", out), "is there already", "its key cannot be made again")
    assert tree(kept.answers) == before
    # Nor the answers to a public part that was moved away.
    (tmp_path / "probe-sealed" / "1.0.0.answers").mkdir(parents=True)
    assert is_refusal(here("seal", original, "--out", tmp_path), "1.0.0.answers is there already")


@pytest.mark.integration
def test_a_seal_that_was_killed_leaves_nothing_under_a_name_and_the_next_one_begins_anew(original, tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from carrara.seal import seal\n"
        "from carrara.engine.processes import Silent\n"
        "seal.finish = lambda content, folder: os.kill(os.getpid(), 9)\n"
        "seal.seal(Path(sys.argv[1]), seal.Order(Path(sys.argv[2])), Silent())"
    )
    killed = subprocess.run([sys.executable, "-c", code, original, tmp_path], check=False, capture_output=True)
    home = tmp_path / "probe-sealed"
    assert killed.returncode == -9 and {path.name for path in home.iterdir()} == {".lock", ".1.0.0.sealing"}
    assert stat.S_IMODE((home / ".1.0.0.sealing").stat().st_mode) == 0o700
    assert here("seal", original, "--out", tmp_path, "--quiet").code == 0
    assert {path.name for path in home.iterdir()} == {".lock", "1.0.0", "1.0.0.answers"}
    assert revealed(seal_module.Sealed(home / "1.0.0", home / "1.0.0.answers")).is_good


@pytest.mark.integration
def test_a_seal_that_was_killed_between_its_two_renames_is_finished(original, tmp_path):
    code = (
        "import os, sys; from pathlib import Path; from carrara.seal import seal\n"
        "from carrara.engine.processes import Silent\n"
        "def once(folder):\n"
        "    if (folder / '1.0.0.answers').exists(): os.kill(os.getpid(), 9)\n"
        "seal.sync_folder = once\n"
        "seal.seal(Path(sys.argv[1]), seal.Order(Path(sys.argv[2])), Silent())"
    )
    killed = subprocess.run([sys.executable, "-c", code, original, tmp_path], check=False, capture_output=True)
    home = tmp_path / "probe-sealed"
    assert killed.returncode == -9
    assert {path.name for path in home.iterdir()} == {".lock", ".1.0.0.sealing", "1.0.0.answers"}
    before = tree(home / "1.0.0.answers")
    done = here("seal", original, "--out", tmp_path)
    assert done.code == 0 and "an earlier seal" in done.err
    assert {path.name for path in home.iterdir()} == {".lock", "1.0.0", "1.0.0.answers"}
    assert tree(home / "1.0.0.answers") == before
    assert revealed(seal_module.Sealed(home / "1.0.0", home / "1.0.0.answers")).is_good


def test_an_error_leaves_no_answers_about(original, tmp_path, monkeypatch):
    def fails(content, folder):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(seal_module, "finish", fails)
    with pytest.raises(CarraraError, match="No space left on device"):
        seal(original, Order(tmp_path), Silent())
    assert [path.name for path in (tmp_path / "probe-sealed").iterdir()] == [".lock"]


def test_a_damaged_release_is_not_sealed(original, tmp_path):
    copy = shutil.copytree(original, tmp_path / "copy")
    (copy / "README.md").write_text("x")
    assert is_refusal(here("seal", copy, "--out", tmp_path / "out"), "does not verify", "README.md")
    assert not [path for path in (tmp_path / "out").rglob("*") if path.is_file() and path.name != ".lock"]


def test_row_reads_one_row_of_a_sealed_release(kept):
    found = row(open_release(kept.public), "michelangelo/idk/4k/00002")
    assert found["answers"] == [] and found["prompt"]
