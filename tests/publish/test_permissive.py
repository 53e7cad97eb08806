"""The permissive part of a release: the same rows under an own name, which verifies at every level by itself."""

import json
import shutil
from pathlib import Path

import pytest
from commands import forge, here, tree
from mixed_release import OTHERS, PERMISSIVE, common, mixed, mixed_sources

from carrara.card.card import FINISHED
from carrara.errors import ReleaseError
from carrara.publish.permissive import _content, permissive_configs, permissive_part
from carrara.recipe.recipe import load_recipe
from carrara.release.licences import config_terms
from carrara.release.manifest import canary
from carrara.release.reader import open_release, rows
from carrara.release.schema import Content

__all__ = ["common", "mixed", "mixed_sources"]


@pytest.fixture(scope="module")
def part(mixed, tmp_path_factory) -> Path:
    """The part: to be read, never altered."""
    return permissive_part(mixed, tmp_path_factory.mktemp("part"))


@pytest.fixture
def copy(mixed, tmp_path) -> Path:
    """The whole, to damage."""
    return shutil.copytree(mixed, tmp_path / "copy")


def test_only_permissive_configs_are_in_it(mixed, part):
    whole, kept = open_release(mixed), open_release(part)
    assert sorted(whole.configs) == sorted(PERMISSIVE + OTHERS) and sorted(kept.configs) == PERMISSIVE
    assert permissive_configs(whole.content) == PERMISSIVE
    assert {config_terms(whole.content, name).kind for name in OTHERS} == {"share-alike", "non-commercial"}
    assert (part.parent.name, part.name) == ("mixed-permissive", "1.0.0") == (kept.name, kept.version)
    assert {name: kept.configs[name] for name in PERMISSIVE} == {name: whole.configs[name] for name in PERMISSIVE}
    assert sorted(kept.content.sources) == ["free", "world"] and list(kept.content.runs) == ["rag_world"]
    assert kept.content.canary == canary("mixed-permissive", "1.0.0", "tests/1") != whole.content.canary


def test_nothing_of_the_others_is_in_its_files(mixed, part):
    files, whole = tree(part), tree(mixed)
    taken = {path for path in files if path.startswith(("data/", "digests/", "runs/"))}
    assert {path: files[path] for path in taken} == {path: whole[path] for path in taken}
    assert all((part / path).samefile(mixed / path) for path in taken)
    finished = {"manifest.json", "recipe.json", "README.md", "DETAILS.md", "figures/lengths.svg"}
    assert taken | finished == set(files) - {"croissant.json"}
    for path in taken:
        assert not any(name in path for name in (*OTHERS, "rag_own", "sold")), path
    recipe = load_recipe(part / "recipe.json")
    assert [config.name for config in recipe.configs()] == sorted(PERMISSIVE, key=recipe_order(recipe))
    assert list(recipe.own_sources) == ["free"] and recipe.title == "Mixed: permissive part"
    assert b"ran past" not in b"".join(files.values()) and b"passages.jsonl" not in files["manifest.json"]


def recipe_order(recipe):
    names = [config.name for config in recipe.configs()]
    return names.index


def test_its_rows_are_those_of_the_whole(mixed, part):
    for name in PERMISSIVE:
        assert list(rows(open_release(part), name)) == list(rows(open_release(mixed), name))


def test_its_card_says_what_it_is_of_and_what_it_lacks(part):
    card = (part / "README.md").read_text()
    assert "# Mixed: permissive part\n" in card and "permissive part of `mixed@1.0.0`: 4 of its 6 configs" in card
    assert "- `rag_own_4k`: CC-BY-SA-4.0 (passages)" in card
    assert "- `sentence_arrangement_documents_4k`: CC-BY-NC-4.0" in card
    assert 'config_name: "rag_own_4k"' not in card and "CC-BY-4.0 (texts); MIT (the selection)" in card


def test_its_provenance_names_the_whole(mixed, part):
    told = json.loads((part / "provenance.json").read_text())
    assert told["part_of"]["name"] == "mixed" and "key" not in told and told["libraries"]
    assert str(part) not in json.dumps(told)


@pytest.mark.parametrize("level", ["rows", "plans", "rebuild"])
def test_it_verifies_by_itself(part, mixed_sources, level):
    done = here("verify", part, "--level", level, "--sources", mixed_sources, "--workers", 1, "--json")
    assert done.code == 0, done.out
    checked = json.loads(done.out)["checked"]
    assert checked["configs"] == 4 and checked["rows"] == 9


def test_it_is_made_the_same_and_left_alone(mixed, part, tmp_path):
    again = permissive_part(mixed, tmp_path)
    assert tree(again) == tree(part) and not [path for path in again.parent.iterdir() if path.name.endswith(".part")]
    before = {path: (part / path).stat().st_mtime_ns for path in tree(part)}
    assert permissive_part(mixed, part.parents[1]) == part
    assert {path: (part / path).stat().st_mtime_ns for path in tree(part)} == before


def test_where_all_is_permissive_the_release_is_its_own_part(part, tmp_path):
    assert permissive_part(part, tmp_path) == part and not list(tmp_path.iterdir())


def test_what_is_in_the_way_is_not_replaced(mixed, tmp_path):
    stranger = tmp_path / "mixed-permissive" / "1.0.0"
    stranger.mkdir(parents=True)
    (stranger / "thesis.txt").write_text("mine")
    with pytest.raises(ReleaseError, match="got another release in"):
        permissive_part(mixed, tmp_path)
    assert (stranger / "thesis.txt").read_text() == "mine"


def state(content, licence: str) -> None:
    for facts in (*content["configs"].values(), *content["sources"].values()):
        facts["licence"] = licence


def test_what_has_no_permissive_config_has_no_part(copy, tmp_path):
    forge(copy, lambda content: state(content, "CC-BY-SA-4.0"))
    with pytest.raises(ReleaseError, match=r"no permissive part: CC-BY-SA-4\.0"):
        permissive_part(copy, tmp_path / "out")


def test_a_licence_that_a_config_states_wrongly_is_seen_at_its_source(copy, tmp_path):
    forge(copy, lambda content: content["sources"]["free"].update(licence="CC-BY-NC-4.0"))
    part = permissive_part(copy, tmp_path / "out")
    assert sorted(open_release(part).configs) == ["numeric_sorting_ascending_4k", "rag_world_4k"]


def test_a_damaged_release_has_no_part(copy, tmp_path):
    file = copy / open_release(copy).configs["rag_world_4k"].files[0]
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(ReleaseError, match="does not verify"):
        permissive_part(copy, tmp_path / "out")
    assert not list((tmp_path / "out").rglob("*.parquet"))


def test_files_of_no_config_are_not_lost_silently(copy, tmp_path):
    from carrara.croissant.dataset import croissant
    from carrara.release.manifest import files_table, write_manifest
    from carrara.release.schema import CROISSANT

    (copy / "sealed").mkdir()
    (copy / "sealed" / "salts.txt").write_text("secret")
    content = open_release(copy).content
    (copy / CROISSANT).write_bytes(croissant(content, files_table(copy)))
    write_manifest(copy, content)
    with pytest.raises(ReleaseError, match="belongs to no config"):
        permissive_part(copy, tmp_path / "out")


def test_every_file_that_finish_writes_is_known_to_it(part):
    others = {path for path in tree(part) if not path.startswith(("data/", "digests/", "runs/"))} - {"manifest.json"}
    assert all(any(path == one or path.startswith(one) for one in FINISHED) for path in others)


def test_a_name_that_gets_too_long_is_refused(copy, tmp_path):
    long = "m" * 60

    def rename(content) -> None:
        content["name"] = content["recipe"]["name"] = long
        content["canary"] = canary(long, "1.0.0", "tests/1")

    forge(copy, rename)
    with pytest.raises(ReleaseError, match="at most 64"):
        permissive_part(copy, tmp_path / "out")


def test_what_the_recipe_says_of_its_publication_stays_but_for_its_address(copy):
    def published(**told: str) -> dict:
        content = open_release(copy).content.to_json()
        content["recipe"]["publication"] = told
        return _content(Content.model_validate(content), PERMISSIVE).recipe.to_json()

    kept = published(creators=["A. Person"], date="2026-11-22", url="https://example.org/whole", citation="The whole")
    assert kept["publication"] == {"creators": ["A. Person"], "date": "2026-11-22"}
    assert "publication" not in published(url="https://example.org/whole")


def test_a_sealed_release_has_no_part(copy, tmp_path):
    def seal(content) -> None:
        roots = dict.fromkeys(content["configs"], "0" * 64)
        content.update(
            sealed={"scheme": "x", "stream": "0" * 64, "manifest": "0" * 64, "roots": roots, "computable": []}
        )

    forge(copy, seal)
    with pytest.raises(ReleaseError, match="is sealed"):
        permissive_part(copy, tmp_path / "out")
