"""Recipes: what is accepted and refused and with which words, twins, configs, slots, fingerprints, JSON."""

import contextlib
import json
import tomllib
from copy import deepcopy
from dataclasses import replace
from itertools import pairwise

import pytest
from folders import ROOT
from hypothesis import given
from hypothesis import strategies as st
from recipes import TEXT, table

from carrara.errors import RecipeError
from carrara.recipe.config import CUMULATIVE_FLOOR
from carrara.recipe.recipe import MAX_BUCKET, load_recipe, recipe_from_json, recipe_from_table, without
from carrara.tasks import TASKS

BUCKETS = {"4k": 4_096, "8k": 8_192, "32k": 32_768, "128k": 131_072, "1M": 1_048_576}


def cell(**changes) -> dict:
    one = {"task": "single_needle", "variants": ["en"], "questions": 3, **changes}
    return table(cell=[{key: value for key, value in one.items() if value is not None}])


def recipe(**changes):
    return recipe_from_table({**table(), "buckets": BUCKETS, **cell_only(changes)})


def cell_only(changes: dict) -> dict:
    return {"cell": [{"task": "single_needle", "variants": ["en"], "questions": 3, **changes}]}


# --- accepted ---------------------------------------------------------------------------------------------------------


def test_a_recipe_is_read_with_its_defaults(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(TEXT, encoding="utf-8")
    small = load_recipe(file)
    assert (small.name, small.version, small.title, small.stream) == ("small", "1.2.3", "Small", "small/1")
    assert [config.name for config in small.configs()] == [
        "single_needle_en_4k",
        "single_needle_en_32k",
        "single_needle_zh_4k",
        "single_needle_zh_32k",
        "latent_list_4k",
        "latent_list_32k",
    ]
    needles, lists = small.cells
    assert (needles.lengths, needles.source, needles.questions) == ("grid", "world", {"4k": 3, "32k": 2})
    assert (needles.params.depths, needles.params.question, needles.params.recall_step) == (5, "before", True)
    assert (lists.lengths, lists.source, lists.variants, lists.questions) == ("full", "", ("",), {"4k": 7, "32k": 7})
    assert lists.params == TASKS["latent_list"].params()
    assert [config.rows for config in small.configs()] == [3 * 4 * 5, 2 * 8 * 5] * 2 + [7, 7]


def test_title_may_be_left_out_and_lists_become_tuples():
    plain = table()
    del plain["title"]
    plain["cell"] = [{"task": "multi_needle", "variants": ["zh"], "questions": 2, "params": {"needles": [1, 5]}}]
    read = recipe_from_table(plain)
    assert read.title == "" and read.cells[0].params.needles == (1, 5)
    assert recipe_from_json(read.to_json()) == read


def test_files_hold_bounded_numbers_of_rows():
    sizes = {config.bucket: config.rows_per_file for config in recipe(questions=2_000).configs()}
    assert sizes == {"4k": 512, "8k": 512, "32k": 256, "128k": 64, "1M": 8}
    given_size = recipe_from_table({**table(rows_per_file=7), **cell_only({})})
    assert {config.rows_per_file for config in given_size.configs()} == {7}
    for config in given_size.configs():
        slots = [slot for number in range(config.files) for slot in config.file_slots(number)]
        assert [slot.index for slot in slots] == list(range(config.rows))
        assert len(list(config.file_slots(config.files - 1))) >= 1
        assert list(config.file_slots(config.files)) == []


# --- refused: got, expected, nearest ----------------------------------------------------------------------------------

REFUSED = [
    (table(nmae="x"), ["unknown key 'nmae' in recipe", "did you mean 'name'?"]),
    (table(zzz=1), ["unknown key 'zzz'", "known: 'name'"]),
    (table(name="Small"), ["name = 'Small'", "lower-case"]),
    (table(name="../x"), ["name = '../x'"]),
    (table(name="x" * 65), ["name = ", "at most 64"]),
    (table(name=""), ["name = ''", "non-empty"]),
    (table(name=3), ["name = 3", "non-empty text"]),
    (table(version="1.0"), ["version = '1.0'", "MAJOR.MINOR.PATCH"]),
    (table(version="01.0.0"), ["version = '01.0.0'"]),
    (table(version=1.0), ["version = 1.0"]),
    (table(stream=" "), ["stream = ' '"]),
    (table(tokenizer=None), ["tokenizer = None"]),
    (table(title=""), ["title = ''"]),
    (table(title=3), ["title = 3"]),
    (table(buckets={}), ["the recipe names no buckets", "32k = 32000"]),
    (table(buckets=[4096]), ["names no buckets"]),
    (table(buckets={"4k": 4001}), ["bucket 4k = 4001", "expected 4000", "4096", "2^10"]),
    (table(buckets={"4K": 4096}), ["bucket 4K = 4096", "32k or 1M"]),
    (table(buckets={"4k": 4096.0}), ["bucket 4k = 4096.0"]),
    (table(buckets={"4k": True}), ["bucket 4k = True"]),
    (table(buckets={"0k": 0}), ["bucket 0k = 0"]),
    (table(buckets={"17M": 17 << 20}), ["bucket 17M", str(MAX_BUCKET)]),
    (table(rows_per_file=-1), ["rows_per_file = -1", "1 to 10,000"]),
    (table(rows_per_file=True), ["rows_per_file = True"]),
    (table(rows_per_file="8"), ["rows_per_file = '8'"]),
    (table(source=["a"]), ["expected tables", "[source.my_documents]"]),
    (table(source={"a": 1}), ["expected tables"]),
    (table(cell=[]), ["no [[cell]]"]),
    (table(cell={"task": "latent_list"}), ["no [[cell]]"]),
    (table(cell=["latent_list"]), ["no [[cell]]"]),
    (cell(tasks="x"), ["unknown key 'tasks' in cell", "did you mean 'task'?"]),
    (cell(task=None), ["task = None"]),
    (cell(task="singel_needle"), ["unknown task 'singel_needle'", "did you mean 'single_needle'?"]),
    (cell(variants=None), ["variants = None", "list of texts"]),
    (cell(variants=[]), ["variants = []"]),
    (cell(variants="en"), ["variants = 'en'"]),
    (cell(variants=["en", "en"]), ["variants = ['en', 'en']", "each text once"]),
    (cell(variants=["fr"]), ["task single_needle has no variant 'fr'", "'en', 'zh'"]),
    (cell(buckets=["64k"]), ["bucket '64k' is not among", "did you mean"]),
    (cell(buckets=["4k", "4k"]), ["each text once"]),
    (cell(lengths="ful"), ["lengths = 'ful'", '"full", "cumulative", "grid" or "given"']),
    (cell(lengths=["full"]), ["lengths = ['full']"]),
    (cell(lengths={"full": 1}), ["lengths = "]),
    (cell(grid=[1_000]), ["grid = [1000] with lengths = 'full'", 'lengths = "grid"']),
    (cell(lengths="grid", grid=[2_000, 1_000]), ["grid = [2000, 1000]", "more than the one before"]),
    (cell(lengths="grid", grid=[True]), ["grid = [True]"]),
    (cell(lengths="grid", grid=[0]), ["grid = [0]"]),
    (cell(lengths="grid", grid=[]), ["grid = []"]),
    (cell(lengths="grid", grid=1_000), ["grid = 1000"]),
    (
        cell(lengths="grid", grid=[4_000, 8_000]),
        ["single_needle_en_4k: grid ends at 8000 tokens", "a cell with a grid"],
    ),
    (cell(params={"depths": [0, 101]}), ["depths = [0, 101]", "percents from 0 to 100"]),
    (cell(params={"depths": [50, 50]}), ["depths = [50, 50]", "larger than the last"]),
    (cell(questions=None), ["questions = None", "at least 1"]),
    (cell(questions=0), ["questions = 0", "at least 1"]),
    (cell(questions=True), ["questions = True"]),
    (cell(questions=2.5), ["questions = 2.5"]),
    (cell(questions={"4k": 1}), ["for bucket 32k"]),
    (cell(questions={"4k": 1, "32k": 1, "8k": 1}), ["unknown key '8k' in questions"]),
    (cell(questions=10**9), ["would have", "at most 1000000"]),
    (cell(source=3), ["source = 3"]),
    (table(source={"world": {"reader": "text"}}), ["source.world", "another name"]),
    (table(cell=[{"task": "latent_list", "questions": 1, "source": "world"}]), ["source = 'world'", "leave the key"]),
    (cell(params=[1]), ["params = [1]", "expected a table"]),
    (cell(params={"depth": 3}), ["unknown key 'depth' in params of single_needle", "did you mean 'depths'?"]),
    (cell(params={"depths": 0}), ["params of single_needle", "depths = 0", "expected 1 to 101"]),
    (cell(params={"depths": "many"}), ["depths", "got 'many'"]),
    (cell(params={"question": "later"}), ["question", "got 'later'"]),
    (cell(params={"buffer": 100_001}), ["buffer = 100001"]),
    (cell(task="multi_needle", params={"needles": 21}), ["needles = 21", "1 to 20"]),
    (cell(task="multi_needle", params={"needles": []}), ["needles = []"]),
    (table(cell=[cell()["cell"][0]] * 2), ["two cells make the config single_needle_en_4k"]),
    (
        table(buckets={f"{k}k": k * 1024 for k in range(4, 126)}, cell=[cell()["cell"][0]]),
        ["122 configs", "at most 120"],
    ),
    (table(buckets={"2k": 2048}, cell=[{**cell()["cell"][0], "lengths": "cumulative"}]), ["cumulative", "2048"]),
]


@pytest.mark.parametrize(("wrong", "words"), REFUSED, ids=lambda value: value[0] if isinstance(value, list) else "")
def test_what_is_wrong_is_refused_with_what_to_do(wrong, words):
    with pytest.raises(RecipeError) as caught:
        recipe_from_table(wrong)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "name = ",
        "name = 'x'\nname = 'y'",
        "[[cell]]\n[cell]",
        "",
        "x = " + "[" * 5_000 + "]" * 5_000,
    ],
)
def test_a_file_that_is_no_recipe_is_refused(tmp_path, text):
    for name in ("wrong.toml", "wrong.json"):
        file = tmp_path / name
        file.write_text(text, encoding="utf-8")
        with pytest.raises(RecipeError, match=name):
            load_recipe(file)


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "3",
        "null",
        '"x"',
        "{}",
        "NaN",
        '{"cells": 3}',
        '{"name": "x", "own_sources": 3}',
        '{"name": "x", "version": "1.0.0", "title": 3}',
    ],
)
def test_json_that_is_no_recipe_is_refused(tmp_path, text):
    file = tmp_path / "recipe.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RecipeError):
        load_recipe(file)


@pytest.mark.parametrize("damage", ["buckets", "questions", "variants", "params", "lengths", "source", "task"])
@pytest.mark.parametrize("value", [None, 3, "x", [], [[]], {}, {"a": []}, [{"a": 1}], 1.5, True, "\ud800"])
def test_hostile_values_end_in_a_recipe_error_or_a_recipe(damage, value):
    whole = recipe_from_table(table()).to_json()
    if damage == "buckets":
        whole["buckets"] = value
    else:
        whole["cells"][0][damage] = value
    try:
        read = recipe_from_json(whole)
    except RecipeError:
        return
    assert recipe_from_json(read.to_json()) == read


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(RecipeError, match="cannot read recipe"):
        load_recipe(tmp_path / "absent.toml")
    with pytest.raises(RecipeError, match="cannot read recipe"):
        load_recipe(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(RecipeError, match="cannot read recipe"):
        load_recipe(tmp_path / "latin.toml")
    (tmp_path / "large.toml").write_text("#" * ((1 << 20) + 1))
    with pytest.raises(RecipeError, match="at most 1 MiB"):
        load_recipe(tmp_path / "large.toml")


def test_an_error_in_a_file_names_the_file_and_keeps_its_hint(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(TEXT.replace("depths", "depth"), encoding="utf-8")
    with pytest.raises(RecipeError) as caught:
        load_recipe(file)
    assert caught.value.message.startswith(str(file)) and "did you mean 'depths'" in caught.value.hint


# --- the card ---------------------------------------------------------------------------------------------------------


def carded(folder, card: str, name: str = "small.toml"):
    (folder / name).write_text(f"{TEXT}\n[card]\n{card}\n", encoding="utf-8")
    return load_recipe(folder / name)


def test_a_card_is_a_file_of_the_recipes_folder_or_a_text_and_goes_before_the_usual_one(tmp_path):
    home, usual = tmp_path / "recipes", tmp_path / "dataset_cards"
    (home / "texts").mkdir(parents=True)
    usual.mkdir()
    (home / "texts" / "ours.md").write_text("\n## Ours — 我们\n", encoding="utf-8")
    (usual / "small.md").write_text("## Usual\n", encoding="utf-8")
    (home / "plain.toml").write_text(TEXT, encoding="utf-8")
    plain = load_recipe(home / "plain.toml")
    assert plain.card == "## Usual" and plain.twin("small/2").card == "## Usual"
    assert carded(home, 'file = "texts/ours.md"').card == "## Ours — 我们"
    assert carded(home, 'text = "## Here"').card == "## Here"
    assert carded(home, 'text = "## Here"').fingerprint() == plain.fingerprint()
    assert recipe_from_json({**plain.to_json(), "card": {"text": "## Here"}}).card == "## Here"


@pytest.mark.parametrize(
    ("card", "words"),
    [
        ('file = "../secret.md"', "leaves its folder"),
        ('file = "/etc/hostname"', "leaves its folder"),
        ('file = "link.md"', "through a symbolic link"),
        ('file = "none.md"', "No such file"),
        ('file = "."', "leaves its folder"),
        ('file = "folder"', "Is a directory"),
        ('file = "latin.md"', "cannot be read: 'utf-8'"),
        ("file = 3", "card.file = 3"),
        ("text = 3", "card.text = 3"),
        ('file = "a.md"\ntext = "b"', "expected a table with one key"),
        ('fil = "a.md"', "did you mean 'file'"),
    ],
)
def test_a_card_outside_the_folder_or_of_another_form_is_refused(tmp_path, card, words):
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (home / "link.md").symlink_to(tmp_path / "secret.md")
    (home / "folder").mkdir()
    (home / "latin.md").write_bytes(b"caf\xe9")
    with pytest.raises(RecipeError) as caught:
        carded(home, card)
    assert words in str(caught.value)


def test_a_file_of_a_card_is_refused_where_the_recipe_has_no_folder(tmp_path):
    given = {**recipe_from_table(table()).to_json(), "card": {"file": "ours.md"}}
    (tmp_path / "recipe.json").write_text(json.dumps(given))
    (tmp_path / "ours.md").write_text("mine")
    with pytest.raises(RecipeError, match="in a recipe without a folder"):
        load_recipe(tmp_path / "recipe.json")


@pytest.mark.parametrize("manifest", ["", "[]", "{}", '{"content": 3}', '{"content": {"written": 3}}', "[" * 100_000])
def test_a_damaged_manifest_beside_a_recipe_is_told(tmp_path, manifest):
    (tmp_path / "recipe.json").write_text(json.dumps(recipe_from_table(table()).to_json()))
    (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(RecipeError):
        load_recipe(tmp_path / "recipe.json")


# --- identity ---------------------------------------------------------------------------------------------------------


def test_a_recipe_survives_json(tmp_path):
    own = {"mine": {"reader": "jsonl", "lang": "en"}}
    for read in (recipe_from_table(table()), recipe_from_table(table(source=own, rows_per_file=9))):
        assert recipe_from_json(json.loads(json.dumps(read.to_json()))) == read
        file = tmp_path / "recipe.json"
        file.write_text(json.dumps(read.to_json()), encoding="utf-8")
        assert load_recipe(file) == read and load_recipe(file).fingerprint() == read.fingerprint()


def test_the_fingerprint_does_not_depend_on_order_of_keys_or_comments():
    before = recipe_from_table(tomllib.loads(TEXT)).fingerprint()
    lines = TEXT.replace("# A comment.\n", "# Another one, and more.\n\n").replace(
        "buckets = { 4k = 4096, 32k = 32768 }", "buckets = { 32k = 32768, 4k = 4096 }"
    )
    head, *cells = lines.split("[[cell]]\n")
    turned = ["\n".join(reversed(part.strip().split("\n"))) for part in cells]
    again = recipe_from_table(tomllib.loads(head + "".join(f"\n[[cell]]\n{part}\n" for part in turned)))
    assert again.fingerprint() == before
    assert [config.name for config in again.configs()] == [
        config.name for config in recipe_from_table(table()).configs()
    ]
    assert recipe_from_table(dict(reversed(tomllib.loads(TEXT).items()))).fingerprint() == before


def test_defaults_written_out_do_not_change_the_fingerprint():
    plain = recipe_from_table(cell())
    spelled = cell(
        lengths="full",
        source="world",
        buckets=["4k", "32k"],
        questions={"32k": 3, "4k": 3},
        params={"depths": 11, "question": "after", "recall_step": True, "buffer": 0, "repeat": False},
    )
    assert recipe_from_table(spelled).fingerprint() == plain.fingerprint()


@pytest.mark.parametrize(
    "change",
    [
        {"name": "other"},
        {"version": "1.2.4"},
        {"title": "Other"},
        {"stream": "small/2"},
        {"tokenizer": "cl100k_base"},
        {"buckets": {"4k": 4096, "32k": 32768, "8k": 8192}},
        {"rows_per_file": 3},
        {"source": {"mine": {"reader": "jsonl"}}},
        {"cell.task": "multi_needle"},
        {"cell.variants": ["zh"]},
        {"cell.variants": ["zh", "en"]},
        {"cell.buckets": ["4k"]},
        {"cell.questions": 4},
        {"cell.questions": {"4k": 3, "32k": 4}},
        {"cell.lengths": "grid"},
        {"cell.source": "books"},
        {"cell.params": {"depths": 10}},
        {"cell.params": {"recall_step": False}},
        {"cell.params": {"buffer": 1}},
        {"cell.params": {"repeat": True}},
        {"cell.params": {"question": "before"}},
    ],
    ids=str,
)
def test_the_fingerprint_changes_with_every_field(change):
    before = cell(variants=["en", "zh"])
    after = deepcopy(before)
    for key, value in change.items():
        (after["cell"][0] if key.startswith("cell.") else after)[key.removeprefix("cell.")] = value
    if "buckets" in change:
        after["cell"][0]["buckets"] = list(before["buckets"])
    assert recipe_from_table(after).fingerprint() != recipe_from_table(before).fingerprint()


def test_a_twin_has_another_name_and_stream_and_nothing_else():
    small = recipe_from_table(table())
    assert small.twin("small/1") is small
    twin = small.twin("2027 Spring/B")
    assert (twin.name, twin.stream) == ("small-2027-spring-b", "2027 Spring/B")
    assert replace(twin, name=small.name, stream=small.stream) == small
    assert recipe_from_json(twin.to_json()) == twin
    long = replace(small, name="n" * 60).twin("a-b-c-d-e-f")
    assert len(long.name) <= 64 and recipe_from_json(long.to_json()) == long
    for empty in ("", "///", "春"):
        with pytest.raises(RecipeError, match="2027-spring"):
            small.twin(empty)


def test_a_recipe_does_without_a_source_under_a_name_that_says_so():
    whole = load_recipe(ROOT / "recipes" / "ruler-paper.toml")
    less = without(whole, ["squad", "hotpotqa_full"])
    assert less.name == "ruler-paper-without-hotpotqa-full-squad" and less.card == whole.card and not less.own_sources
    gone = {config.name for config in whole.configs()} - {config.name for config in less.configs()}
    assert len(gone) == 12 and all("_qa_" in name for name in gone)
    assert recipe_from_json(less.to_json()) == less
    # A corpus that is searched is needed, too.
    fewer = without(load_recipe(ROOT / "recipes" / "helmet-paper.toml"), ["kilt_wikipedia"])
    assert {cell.task for cell in whole.cells} == {"synthetic_recall"}
    assert not {"rag", "citations"} & {cell.task for cell in fewer.cells}
    with pytest.raises(RecipeError, match="no cell needs 'squid'") as caught:
        without(whole, ["squid"])
    assert "did you mean 'squad'" in caught.value.hint
    with pytest.raises(RecipeError, match="every cell needs one of"):
        without(whole, ["world", "squad", "hotpotqa_full"])


# --- slots ------------------------------------------------------------------------------------------------------------

TASK_CELLS = st.sampled_from(
    [("single_needle", "en"), ("multi_needle", "zh"), ("latent_list", ""), ("numeric_sorting", "descending")]
)


@st.composite
def configs(draw, lengths=("full", "cumulative", "grid")):
    task, variant = draw(TASK_CELLS)
    params = {"depths": draw(st.integers(1, 12))} if "needle" in task else {}
    changes = {
        "task": task,
        "variants": [variant],
        "questions": draw(st.integers(1, 30)),
        "lengths": draw(st.sampled_from(lengths)),
        "params": params,
    }
    return recipe(**changes).configs()


@given(configs())
def test_slots_are_question_major_and_complete(ladder):
    for config in ladder:
        placements = config.placements
        slots = [config.slot(index) for index in range(config.rows)]
        each = config.lengths_per_item * placements
        assert config.rows == config.items * each == len(slots)
        assert [slot.item.index for slot in slots] == [number for number in range(config.items) for _ in range(each)]
        assert [slot.placement for slot in slots] == list(range(placements)) * (len(slots) // placements)
        assert len({config.task.row_id(slot) for slot in slots}) == len(slots)
        assert {(slot.bucket, slot.bucket_tokens) for slot in slots} == {(config.bucket, config.bucket_tokens)}
        assert all(0 < slot.length <= slot.bucket_tokens for slot in slots)
        groups = [config.task.group_id(slot) for slot in slots]
        assert len(set(groups)) == config.items and groups == sorted(groups)


@given(configs(), st.integers(1, 20))
def test_more_questions_only_append_rows(ladder, more):
    for config in ladder:
        longer = replace(config, items=config.items + more)
        assert [longer.slot(index) for index in range(config.rows)] == [
            config.slot(index) for index in range(config.rows)
        ]
        assert longer.rows > config.rows


@given(configs(("grid",)))
def test_the_grid_has_four_lengths_up_to_8k_and_eight_from_32k_on(ladder):
    for config in ladder:
        steps = 4 if config.bucket in {"4k", "8k"} else 8
        placements = config.placements
        lengths = [config.slot(index).length for index in range(0, steps * placements, placements)]
        assert lengths == [config.bucket_tokens * number // steps for number in range(1, steps + 1)]
        for index in range(min(config.rows, steps * placements)):
            assert config.slot(index).length == lengths[index // placements]


def test_a_grid_has_the_lengths_and_depths_that_a_recipe_gives():
    made = recipe(lengths="grid", grid=[1_000, 3_500], params={"depths": [0, 21, 100]}, buckets=["4k"])
    (config,) = made.configs()
    assert [config.slot(index).length for index in range(config.rows)] == ([1_000] * 3 + [3_500] * 3) * 3
    assert recipe_from_json(made.to_json()) == made and "grid" in made.to_json()["cells"][0]
    assert "grid" not in recipe(lengths="grid").to_json()["cells"][0]
    settled = config.task.settled(config.params, config.slot(1))
    assert settled["facts.depth"] == 0.21


@given(configs(("cumulative",)))
def test_cumulative_lengths_lie_above_2k_and_have_one_place_in_all_buckets(ladder):
    for item in range(ladder[0].items):
        places = []
        for config in ladder:
            slots = [config.slot(item * config.placements + at) for at in (0, -1)][:1]
            for slot in slots:
                assert CUMULATIVE_FLOOR < slot.length <= config.bucket_tokens
                places.append((slot.length - CUMULATIVE_FLOOR - 1) / (config.bucket_tokens - CUMULATIVE_FLOOR))
        assert max(places) - min(places) <= 1 / (4_096 - CUMULATIVE_FLOOR)


def test_cumulative_lengths_are_spread_evenly_and_reach_both_ends():
    config = recipe(task="latent_list", variants=[""], questions=512, lengths="cumulative").configs()[2]
    span = config.bucket_tokens - CUMULATIVE_FLOOR
    places = sorted((config.slot(index).length - CUMULATIVE_FLOOR) / span for index in range(512))
    assert max(abs(place - number / 512) for number, place in enumerate(places)) < 0.01
    for count in (16, 64, 200):
        first = sorted((config.slot(index).length - CUMULATIVE_FLOOR) / span for index in range(count))
        gaps = [b - a for a, b in pairwise(first)]
        assert max(gaps) < 3 / count


def test_a_full_row_has_the_length_of_its_bucket():
    for config in recipe().configs():
        assert {config.slot(index).length for index in range(config.rows)} == {config.bucket_tokens}


@pytest.mark.parametrize("lengths", ["full", "grid", "cumulative"])
def test_what_a_recipe_reserves_stays_free_of_every_bucket(tmp_path, lengths):
    file = tmp_path / "recipe.toml"
    text = TEXT.replace("4k = 4096, 32k = 32768", "4k = 4000, 32k = 32000")
    file.write_text(text, encoding="utf-8")
    assert load_recipe(file).reserve == 1_024 == load_recipe(file).to_json()["reserve"]
    # A table, and so a release of before, reserves nothing.
    assert recipe_from_table(tomllib.loads(text)).reserve == 0
    made = {**table(), "buckets": {"4k": 4_000, "32k": 32_000}, "reserve": 300, **cell_only({"lengths": lengths})}
    for config in recipe_from_table(made).configs():
        found = [config.slot(index).length for index in range(config.rows)]
        assert max(found) <= config.bucket_tokens - 300 and min(found) > 300
        assert lengths == "cumulative" or max(found) == config.bucket_tokens - 300


def test_variants_of_one_base_have_the_same_lengths():
    table_of = {"task": "numeric_sorting", "variants": ["ascending", "descending", "verbatim"], "questions": 20}
    ladder = recipe_from_table({**table(), "buckets": BUCKETS, "cell": [{**table_of, "lengths": "cumulative"}]})
    by_variant: dict[str, list[int]] = {}
    for config in ladder.configs():
        by_variant.setdefault(config.variant, []).extend(config.slot(index).length for index in range(config.rows))
    assert by_variant["ascending"] == by_variant["descending"] == by_variant["verbatim"]


FUZZED = {
    "name": "fuzz",
    "version": "1.0.0",
    "stream": "fuzz/1",
    "tokenizer": "o200k_base",
    "buckets": {"32k": 32_768},
}
_SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=12), st.sampled_from(["32k", "en", "world"])
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=8), inner, max_size=3)),
    max_leaves=8,
)


@given(
    st.sampled_from(["name", "version", "stream", "tokenizer", "buckets", "rows_per_file", "cell", "source"]), _VALUES
)
def test_any_value_of_a_key_is_taken_or_refused_as_a_recipe_error(key, value):
    whole = {**FUZZED, "cell": [{"task": "single_needle", "variants": ["en"], "questions": 1}]}
    with contextlib.suppress(RecipeError):
        recipe_from_table({**whole, key: value})


@given(
    st.sampled_from(["task", "variants", "buckets", "questions", "lengths", "source", "params"]),
    _VALUES,
    st.sampled_from(["single_needle", "multi_needle", "latent_list", "numeric_sorting"]),
)
def test_any_value_in_a_cell_is_taken_or_refused_as_a_recipe_error(key, value, task):
    variants = {"latent_list": [""], "numeric_sorting": ["verbatim"]}.get(task, ["zh"])
    cell = {"task": task, "variants": variants, "questions": 1, key: value}
    with contextlib.suppress(RecipeError):
        recipe_from_table({**FUZZED, "cell": [cell]})


@given(
    st.dictionaries(
        st.sampled_from(["depths", "needles", "buffer", "count", "digits", "views", "complexities"]), _VALUES
    )
)
def test_any_params_are_taken_or_refused_as_a_recipe_error(params):
    for task, variant in (("multi_needle", "en"), ("latent_list", ""), ("numeric_sorting", "ascending")):
        with contextlib.suppress(RecipeError):
            recipe_from_table(
                {**FUZZED, "cell": [{"task": task, "variants": [variant], "questions": 1, "params": params}]}
            )
