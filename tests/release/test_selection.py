"""Rows that fit a window whatever counts them, questions paired over buckets, and files of ids that others write."""

import json
import shutil
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from commands import CONFIGS, common, forge, here, is_refusal, recipe, release

from carrara.engine.processes import Silent
from carrara.errors import CarraraError
from carrara.making.proofs import gold_responses
from carrara.release.reader import open_release, rows
from carrara.release.selection import ModelWindow, RowLength, fitting, ids_file, read_ids, row_lengths
from carrara.tokens import load_tokenizer

__all__ = ["common", "recipe", "release"]

NEEDLE, LONG = "single_needle_en_4k", "single_needle_en_8k"
TEMPLATE = "<|im_start|>system\nYou answer.<|im_end|>\n<|im_start|>user\n{}<|im_end|>\n<|im_start|>assistant\n"


def listed(file: Path) -> list[str]:
    return [line for line in file.read_text().splitlines() if not line.startswith("#")]


def every(release: Path) -> dict[str, dict]:
    opened = open_release(release)
    return {row["id"]: row for config in opened.configs for row in rows(opened, config)}


@pytest.fixture(scope="module")
def trained(release, tmp_path_factory) -> str:
    """A tokenizer of Hugging Face that was trained on these prompts, and needs half as many tokens again."""
    pytest.importorskip("tokenizers")
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    backend = Tokenizer(models.BPE(byte_fallback=True, unk_token="?"))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(
        vocab_size=900, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    backend.train_from_iterator((row["prompt"][:4_000] for row in every(release).values()), trainer)
    folder = tmp_path_factory.mktemp("tokenizer")
    backend.save(str(folder / "tokenizer.json"))
    return f"hf:{folder}"


# --- windows ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["o200k_base", "cl100k_base", "trained"])
def test_what_is_selected_fits_in_a_chat_template_and_nothing_else_does(release, tmp_path, name, request):
    name = request.getfixturevalue("trained") if name == "trained" else name
    count, taken = load_tokenizer(name).count, {}
    table = every(release)
    for row in table.values():
        taken[row["id"]] = count(row["prompt"]) + row["max_output_tokens"] + 64 + 100
        assert count(TEMPLATE.format(row["prompt"])) + row["max_output_tokens"] + 100 <= taken[row["id"]]
    out, counts = tmp_path / "ids.txt", set()
    options = ("--tokenizer", name, "--reserve", 64, "--thinking", 100, "--out", out, "--workers", 1)
    # Beside round sizes one that a row fills to the token, and one token less.
    for window in (4_000, 4_096, 8_000, 8_192, max(taken.values()), max(taken.values()) - 1):
        done = here("select", release, "--window", window, *options)
        fits = [row_id for row_id in table if taken[row_id] <= window]
        assert done.code == 0 and listed(out) == fits, done
        assert f"{len(fits)} of 11 rows" in done.out.replace("\n", " ")
        counts.add(len(fits))
    assert 11 in counts and len(counts) >= 2
    least = min(taken.values())
    done = here("select", release, "--window", least - 1, *options)
    assert is_refusal(done, f"no row fits a window of {least - 1:,}", f"takes the least, {least:,}", "larger --window")
    assert is_refusal(here("select", release, "--window", 9_000, "--out", release / "ids.txt"), "lies in a release")


def test_processes_count_what_one_counts_and_own_lengths_are_those_recorded(release):
    opened = open_release(release)
    found = [row_lengths(opened, CONFIGS, name, 2, Silent()) for name in (None, "o200k_base", "cl100k_base")]
    assert found[0] == found[1] and found[2] == row_lengths(opened, CONFIGS, "cl100k_base", 1, Silent())
    for row_id, row in every(release).items():
        config = f"{row_id.split('/')[1]}_{row['bucket']}"
        [own], [other] = ([one for one in table[config] if one.id == row_id] for table in (found[0], found[2]))
        assert own.tokens == own.own == other.own == row["tokens"]
        assert other.tokens == load_tokenizer("cl100k_base").count(row["prompt"])


def test_lengths_by_bucket(release):
    lines = json.loads(here("lengths", release, "--json", "--workers", 1, "--quiet").out)
    assert {(one["bucket"], one["tokenizer"]) for one in lines} == {
        (bucket, name) for bucket in ("4k", "8k") for name in ("o200k_base", "cl100k_base")
    }
    count = load_tokenizer("cl100k_base").count
    for one in lines:
        here_ = [row for row in every(release).values() if row["bucket"] == one["bucket"]]
        assert one["own_longest"] == max(row["tokens"] for row in here_) and one["rows"] == len(here_)
        if one["tokenizer"] == "cl100k_base":
            assert one["longest"] == max(count(row["prompt"]) for row in here_) > one["own_longest"]
    assert "1.000" in here("lengths", release, "--tokenizer", "o200k_base", "--bucket", "8k").out
    assert is_refusal(here("lengths", release, "--tokenizer", "gpt-9"), "unknown tokenizer")


def test_a_prompt_that_a_tokenizer_cannot_count_is_named():
    from carrara.release.selection import _count

    with pytest.raises(CarraraError, match="numeric_4k, row 3: o200k_base cannot count"):
        _count(load_tokenizer("o200k_base"), ("numeric_4k", 3, " " * 1_100_000))


# --- pairs ------------------------------------------------------------------------------------------------------------


def made(config: str, question: int, depth: int, tokens: int) -> RowLength:
    bucket = config.rpartition("_")[2]
    stem = "needlebench/single_needle_en"
    row_id = f"{stem}/{bucket}/{2 * question + depth:05d}"
    return RowLength(row_id, f"{stem}/{question:05d}", f"{stem}/{bucket}/q{question:05d}", 3_000, tokens, 100)


def test_paired_buckets_hold_the_same_questions_each_at_all_depths(release):
    opened = open_release(release)
    window = ModelWindow(8_000, 0, 0)
    lengths = {
        NEEDLE: [made(NEEDLE, question, depth, 3_000) for question in range(3) for depth in range(2)],
        # Of question 1 the second depth does not fit; question 2 is not in this bucket.
        LONG: [made(LONG, question, depth, 7_900 + question * depth) for question in range(2) for depth in range(2)],
    }
    kept = {name: [row.id[-5:] for row in own] for name, own in fitting(opened, lengths, window, False).items()}
    assert kept == {NEEDLE: ["00000", "00001", "00002", "00003", "00004", "00005"], LONG: ["00000", "00001", "00002"]}
    kept = {name: [row.id[-5:] for row in own] for name, own in fitting(opened, lengths, window, True).items()}
    assert kept == {NEEDLE: ["00000", "00001"], LONG: ["00000", "00001"]}
    # A bucket of which nothing fits pairs nothing away.
    small = fitting(opened, lengths, ModelWindow(4_000, 0, 0), True)
    assert len(small[NEEDLE]) == 6 and small[LONG] == []
    # A question of each bucket alone.
    apart = {NEEDLE: lengths[NEEDLE][2:4], LONG: lengths[LONG][:2]}
    with pytest.raises(CarraraError, match="no question stands in every bucket"):
        fitting(opened, apart, window, True)


def test_the_orders_of_one_trace_are_selected_together(release):
    """They are right together: of three of four orders that fit, a question would be easier."""
    opened = open_release(release)
    facts = opened.configs[NEEDLE].model_copy(update={"task": "ancestral_trace"})
    content = opened.content.model_copy(update={"configs": {NEEDLE: facts}})
    opened = replace(opened, manifest=opened.manifest.model_copy(update={"content": content}))
    lengths = {NEEDLE: [made(NEEDLE, 0, 0, 3_000), made(NEEDLE, 0, 1, 3_001), made(NEEDLE, 1, 0, 3_000)]}
    kept = fitting(opened, lengths, ModelWindow(3_100, 0, 0), False)
    assert [row.id[-5:] for row in kept[NEEDLE]] == ["00002"]


# --- files of ids -----------------------------------------------------------------------------------------------------


@pytest.fixture
def some(release, tmp_path) -> tuple[Path, list[str]]:
    """A file of five rows of three configs, not their first ones."""
    table = every(release)
    ids = [row_id for row_id in table if row_id.endswith(("1", "3")) and "sorting" not in row_id]
    ids += [next(row_id for row_id in table if row_id.endswith("00001") and "sorting" in row_id)]
    file = tmp_path / "ids.txt"
    file.write_bytes(ids_file(open_release(release), ids, "by hand"))
    return file, ids


def test_ids_of_no_row_and_of_another_release_are_refused(release, tmp_path, some):
    opened, (file, ids) = open_release(release), some
    assert read_ids(file, opened).ids == set(ids) and len(ids) == 5
    by_hand = tmp_path / "hand.txt"
    by_hand.write_bytes(("\ufeff# mine\r\n\r\n" + f" {ids[0]}\r\n" * 2).encode())
    assert read_ids(by_hand, opened).places == {ids[0].split("/")[1] + "_4k": (int(ids[0][-5:]),)}
    stem = ids[0].rpartition("/")[0]
    for text, told in (
        (
            "a\nb\n" + ids[0] + f"\n{stem}/00099\nc\n",
            rf"lists 4 ids of no row of small@1.0.0: 'a', 'b', '{stem}/00099', …",
        ),
        (f"{stem}/1\n", "lists 1 ids of no row"),
        ("# nothing\n", "lists no id"),
    ):
        by_hand.write_text(text)
        with pytest.raises(CarraraError, match=told):
            read_ids(by_hand, opened)
    by_hand.write_text(file.read_text().replace("small@1.0.0", "other@2.0.0").replace(opened.root, "0" * 64))
    with pytest.raises(CarraraError, match=r"is of other@2.0.0 .*expected ids of small@1.0.0"):
        read_ids(by_hand, opened)
    by_hand.write_bytes(b"\xff\xfe\x00" * 100)
    with pytest.raises(CarraraError, match="ids of no row"):
        read_ids(by_hand, opened)
    assert is_refusal(here("score", release, "--gold", "--ids", tmp_path / "none"), "none", "No such file")


def test_a_score_is_over_the_selected_rows_and_says_so(release, tmp_path, some):
    file, ids = some
    golds = gold_responses(open_release(release), CONFIGS)
    answers = tmp_path / "answers.jsonl"
    # One row without an answer, and answers to rows that are not selected: the one counts, the others do not.
    said = {**{row_id: golds[row_id] for row_id in ids[1:]}, **dict.fromkeys(set(golds) - set(ids), "wrong")}
    answers.write_text("".join(json.dumps({"id": key, "response": text}) + "\n" for key, text in said.items()))
    done = here("score", release, answers, "--ids", file, "--json")
    told = json.loads(done.out)
    assert {row["id"] for row in told["scores"]} == set(ids) and told["missing"]["first"] == [ids[0]]
    assert told["unknown"]["count"] == 0 and sum(row["score"] or 0 for row in told["scores"]) == 4
    text = " ".join(here("score", release, answers, "--ids", file).out.split())
    assert "5 of 11 rows" in text and "Selected rows only:" in text and "none of 1 other" in text
    for config, one in told["configs"].items():
        held = open_release(release).configs[config].rows
        assert f"{config} {one['rows']} of {held}" in text
    assert here("score", release, "--gold", "--ids", file).code == 0
    done = here("score", release, answers, "--ids", file, "--config", "single_needle_zh_4k")
    assert is_refusal(done, "none of them among those chosen")
    assert is_refusal(here("score", release, answers, "--ids", file, "--rebase", release), "--rebase")


def test_a_page_holds_the_selected_rows(release, tmp_path, some):
    file, ids = some
    out = tmp_path / "page.html"
    assert json.loads(here("page", release, "--ids", file, "--out", out, "--json").out)["rows"] == 5
    text = out.read_text()
    assert all(row_id in text for row_id in ids) and not any(key in text for key in set(every(release)) - set(ids))


def test_an_export_for_lm_eval_asks_the_selected_rows(release, tmp_path, some):
    pytest.importorskip("datasets")
    import carrara

    file, ids = some
    done = here("export", "lm-eval", release, "--out", tmp_path / "tasks", "--ids", file, "--json")
    told = json.loads(done.out)
    names = {
        Path(path).stem.removeprefix("carrara_small_") for path in told["files"] if not path.endswith("_base.yaml")
    }
    assert names >= set(CONFIGS[:3]) and CONFIGS[3] not in names
    assert f"--ids {file}" in told["commands"]["score"]
    task = (tmp_path / "tasks" / f"carrara_small_{NEEDLE}.yaml").read_text()
    assert "process_docs: !function carrara_lm_eval.selected" in task
    spec = spec_from_file_location("selected_rows", tmp_path / "tasks" / "carrara_lm_eval.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.selected(carrara.load(release, config=NEEDLE).to_dataset())["id"] == [
        row_id for row_id in ids if row_id.startswith("needlebench/single_needle_en/4k/")
    ]


# --- the card ---------------------------------------------------------------------------------------------------------


def test_the_card_says_how_long_the_longest_prompts_are_by_other_tokenizers(release, tmp_path):
    opened, table = open_release(release), every(release)
    count = load_tokenizer("cl100k_base").count
    longest = {"4k": 0, "8k": 0}
    for config, facts in opened.configs.items():
        first = max(rows(opened, config), key=lambda row: row["tokens"])
        assert facts.longest == {"cl100k_base": count(first["prompt"])}
        longest[facts.bucket] = max(longest[facts.bucket], facts.longest["cl100k_base"])
    assert longest["8k"] > max(row["tokens"] for row in table.values())
    card = (release / "README.md").read_text()
    assert f"| `cl100k_base` | {longest['4k']:,} | {longest['8k']:,} |" in card
    altered = shutil.copytree(release, tmp_path / "altered")
    forge(altered, lambda content: content["configs"][LONG]["longest"].update(cl100k_base=1))
    done = here("verify", altered, "--level", "rows", "--json")
    assert done.code == 1 and "longest.cl100k_base is 1" in done.out
