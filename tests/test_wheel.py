"""A wheel, installed outside the repository: it holds recipes, cards and frozen records, and uses them."""

import json
import os
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from commands import TINY, here
from folders import RELEASES, ROOT

pytestmark = [pytest.mark.integration, pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
    subprocess.run(list(map(str, words)), check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Runs a program of an environment that holds the wheel, and this environment's libraries."""
    home = tmp_path_factory.mktemp("installed")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", home / "venv"], check=True)
    python = home / "venv" / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", wheel]
    subprocess.run(list(map(str, pip)), check=True)
    libraries = next((home / "venv" / "lib").glob("python3*/site-packages")) / "libraries.pth"
    libraries.write_text("\n".join(site.getsitepackages()))
    environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "CARRARA_CACHE")}

    def run(program: str, *words: object) -> str:
        done = subprocess.run(
            [home / "venv" / "bin" / program, *map(str, words)],
            cwd=home,
            env={**environment, "CARRARA_CACHE": str(home / "cache")},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done
        return done.stdout

    assert "venv" in run("python", "-c", "import carrara; print(carrara.__file__)")
    return run


def test_the_wheel_holds_every_recipe_card_and_record(wheel):
    files = [*ROOT.glob("recipes/*.toml"), *ROOT.glob("dataset_cards/*.md"), *RELEASES.glob("**/*")]
    expected = {f"carrara/{file.relative_to(ROOT)}": file.read_bytes() for file in files if file.is_file()}
    assert len(expected) > 60
    with zipfile.ZipFile(wheel) as archive:
        held = {name for name in archive.namelist() if name.split("/")[1] in ("recipes", "dataset_cards", "releases")}
        assert held == set(expected)
        assert all(archive.read(name) == data for name, data in expected.items())


def test_recipes_find_their_cards_in_the_wheel(installed):
    code = """if True:
        import json
        from carrara.recipe.recipe import load_recipe, recipe_folder
        print(json.dumps({file.stem: load_recipe(file).card for file in recipe_folder().glob("*.toml")}))
    """
    cards = {file.stem: file.read_text(encoding="utf-8").strip() for file in (ROOT / "dataset_cards").glob("*.md")}
    assert json.loads(installed("python", "-c", code)) == cards


def test_the_wheel_builds_a_recipe_s_own_card_and_its_manifest_is_the_checkout_s(installed, tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY + '\n[card]\nfile = "ours.md"\n')
    (tmp_path / "ours.md").write_text("## Intended use\n\nOurs.\n")
    built = Path(installed("carrara", "build", tmp_path / "tiny.toml", "--out", tmp_path / "a", "--quiet").strip())
    again = Path(installed("carrara", "build", built / "recipe.json", "--out", tmp_path / "b", "--quiet").strip())
    there = Path(here("build", tmp_path / "tiny.toml", "--out", tmp_path / "c", "--quiet").out.strip())
    manifests = {(folder / "manifest.json").read_bytes() for folder in (built, again, there)}
    assert len(manifests) == 1 and b"Ours." in manifests.pop()


def test_the_wheel_reproduces_a_frozen_release_from_its_record(installed, tmp_path):
    (tmp_path / "tiny.toml").write_text(TINY)
    built = installed("carrara", "build", tmp_path / "tiny.toml", "--out", tmp_path, "--quiet").strip()
    installed("carrara", "freeze", built, "--releases", tmp_path / "frozen")
    chosen = ("--releases", tmp_path / "frozen", "--json", "--quiet")
    table = json.loads(installed("carrara", "reproduce", "tiny@1.0.0", *chosen))
    assert table["good"] and table["exact"] and table["release"] == "tiny@1.0.0"
