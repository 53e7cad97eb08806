"""Builds that several hosts share: parts that are put together, and a Ray cluster that loses a host."""

import json
import os
import shutil
import threading
import time
from pathlib import Path

import pytest
from commands import PACKAGE, RECIPE, built_here, common, here, is_refusal, recipe, release, tree, write

from carrara.errors import CarraraError
from carrara.making.build import share
from carrara.recipe.recipe import Recipe

__all__ = ["common", "recipe", "release"]


@pytest.fixture(scope="module")
def parts(recipe, tmp_path_factory) -> Path:
    """Three parts of the release, each in a folder of its own."""
    folder = tmp_path_factory.mktemp("parts")
    for number in (1, 2, 3):
        done = here("build", recipe, "--part", f"{number}/3", "--out", folder / str(number), "--workers", 1)
        assert (done.code, done.out.strip()) == (0, str(folder / str(number))), done
    return folder


def assembled(out: Path, *words: object):
    return here("assemble", *words, "--out", out, "--workers", 1)


def test_shares_are_all_files_once(recipe):
    configs = Recipe.from_toml(recipe).configs()
    for of in (1, 3, 40):
        jobs = [job for number in range(1, of + 1) for job in share(f"{number}/{of}").jobs(configs)]
        assert len(jobs) == len(set(jobs)) == sum(config.files for config in configs)


@pytest.mark.parametrize("text", ["", "3", "0/3", "4/3", "1/0", "-1/3", "1/3/3", "１/3", "1/999999"])
def test_a_part_that_is_none_is_refused(text):
    with pytest.raises(CarraraError, match="expected K/N"):
        share(text)


def test_parts_are_the_release_in_any_order_and_given_twice(parts, release, tmp_path):
    done = assembled(tmp_path, parts / "3", parts / "1", parts / "2", parts / "3")
    assert done.code == 0 and tree(Path(done.out.strip())) == tree(release), done
    # A part holds its files and their sidecars, and may be thrown away now.
    assert {path.name for path in (parts / "1").iterdir()} == {
        ".lock",
        "part.json",
        "recipe.json",
        "release",
        "sidecars",
    }


def test_what_is_in_no_part_is_named_and_made_on_request(parts, recipe, release, tmp_path):
    torn = tmp_path / "torn"
    shutil.copytree(parts / "2", torn)
    file = sorted(torn.rglob("*.parquet"))[0]
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    done = assembled(tmp_path / "out", torn, parts / "1", parts / "3")
    assert is_refusal(done, f"1 of {len(list(parts.rglob('*.parquet')))} data files", file.parent.name, "--part 2/3")
    # The part is made whole where it is, and nothing of it twice.
    others = {path: path.stat().st_mtime_ns for path in torn.rglob("*.parquet") if path != file}
    assert here("build", recipe, "--part", "2/3", "--out", torn, "--workers", 1).code == 0
    assert {path: path.stat().st_mtime_ns for path in others} == others
    filled = assembled(tmp_path / "out", parts / "1", "--fill")
    whole = assembled(tmp_path / "other", torn, parts / "1", parts / "3")
    assert filled.code == whole.code == 0, (filled, whole)
    assert tree(Path(filled.out.strip())) == tree(Path(whole.out.strip())) == tree(release)


def test_parts_of_another_build_are_refused(parts, recipe, tmp_path):
    other = tmp_path / "other"
    shutil.copytree(parts / "1", other)
    mark = json.loads((other / "part.json").read_text())
    mark["identity"]["code"] = "0" * 64
    mark["identity"]["libraries"]["numpy"] = "1.0"
    (other / "part.json").write_text(json.dumps(mark))
    done = assembled(tmp_path / "out", other, parts / "2", parts / "3")
    assert is_refusal(done, "of a build with other code and libraries")
    done = here("build", recipe, "--part", "1/3", "--out", other, "--workers", 1)
    assert is_refusal(done, "with other code and libraries", "Give another --out")
    assert is_refusal(here("build", recipe, "--part", "2/3", "--out", parts / "1", "--workers", 1), "holds part 1/3")
    assert is_refusal(assembled(tmp_path / "out", parts / "1", tmp_path), "expected a part")


def test_a_folder_of_the_user_is_left_alone(recipe, tmp_path):
    letter = write(tmp_path / "mine", "dear all", "letter.txt")
    done = here("build", recipe, "--part", "1/3", "--out", letter.parent, "--workers", 1)
    assert is_refusal(done, "something other than a part") and letter.read_text() == "dear all"


@pytest.mark.slow
def test_a_ray_cluster_that_loses_a_host_builds_the_same(tmp_path, monkeypatch):
    ray = pytest.importorskip("ray")
    cluster_utils = pytest.importorskip("ray.cluster_utils")
    text = RECIPE.replace("rows_per_file = 2", "rows_per_file = 1").replace("questions = 2", "questions = 40")
    many = write(tmp_path, text)
    expected = tree(built_here(many, tmp_path / "alone"))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    # Its workers are processes of its own, which find the package by this alone.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE.parent)]))
    cluster = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    other = cluster.add_node(num_cpus=1)
    try:
        ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
        out = tmp_path / "cluster"

        def lose() -> None:
            while not list(out.rglob("sidecars/*/*.json")):
                time.sleep(0.02)
            cluster.remove_node(other, allow_graceful=False)

        loses = threading.Thread(target=lose)
        loses.start()
        done = here("build", many, "--out", out, "--workers", 2, "--engine", "ray")
        loses.join()
        assert done.code == 0 and "lost a Ray worker on" in done.err, done
        # Ray itself prints that a host has gone.
        assert tree(Path(done.out.splitlines()[-1])) == expected
    finally:
        ray.shutdown()
        cluster.shutdown()
