"""Extras: the core needs none of them, what misses a library says what to type, and typing it works.

`make extras` installs a wheel with every extra alone, each in an environment of its own, and imports what it serves.
"""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from commands import TINY
from folders import ROOT
from house import module_sources

from carrara.errors import MissingLibraryError, library, need
from carrara.text import extras
from carrara.text.extras import install

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = {name: set(lines) for name, lines in PROJECT["optional-dependencies"].items()}
# Libraries by the names that code imports; those of the second line come with those of the first.
CORE = {"bm25s", "jinja2", "nltk", "numpy", "pyarrow", "pydantic", "rapidfuzz", "rich", "tiktoken", "typer"}
CORE |= {"pydantic_core", "tiktoken_ext", "typing_extensions"}
ENCODERS = {"faiss", "sentence_transformers", "torch", "transformers"}
LIBRARIES = {
    "offline": set(),
    "hub": {"huggingface_hub", "tokenizers"},
    "load": {"datasets", "pandas"},
    "judge": {"openai"},
    "plot": {"matplotlib"},
    "rouge": {"rouge_score"},
    "sign": {"cryptography"},
    "retrieval": ENCODERS,
    "gpu": ENCODERS,
    "ray": {"ray"},
    "croissant": {"mlcroissant"},
    "inspect": {"datasets", "inspect_ai", "openai", "zstandard"},
    "lm-eval": {"lm_eval", "lm_eval.models.openai_completions"},
    "harness": {"datasets", "inspect_ai", "lm_eval", "openai", "zstandard"},
    "docs": {"material", "mkdocs", "mkdocstrings"},
}


def named() -> set[tuple[str, str]]:
    """(module, extra) of every `library(module, extra)`."""
    found = {
        one
        for source in module_sources().values()
        for one in re.findall(r'\blibrary\(\s*f?"([\w.]*\w)[\w.{}]*", "([\w-]+)"', source)
    }
    assert len(found) >= 8
    return found


def imports() -> set[tuple[str, str]]:
    """(module, name or "") of every import of another's, wherever it stands in the package."""
    found = {(module, "") for module, _ in named()}
    for source in module_sources().values():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import):
                found |= {(alias.name, "") for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found |= {(str(node.module), alias.name) for alias in node.names}
    return {(module, name) for module, name in found if top(module) not in {"carrara", *sys.stdlib_module_names}}


def top(module: str) -> str:
    return module.partition(".")[0]


def test_every_library_is_a_dependency_or_an_extras():
    assert {top(module) for module, _ in imports()} <= CORE.union(*LIBRARIES.values())
    assert set(EXTRAS) - set(LIBRARIES) == {"test", "dev"} and set(LIBRARIES) < set(EXTRAS)


def test_a_library_that_is_needed_is_looked_for_and_not_imported():
    need("json", "plot")
    with pytest.raises(MissingLibraryError, match=r"no_such_library is not installed(.|\n)*plot"):
        need("no_such_library", "plot")


def test_every_extra_that_an_error_names_brings_the_library():
    for module, extra in sorted(named()):
        assert top(module) in LIBRARIES[extra], (module, extra)
    told = {extra for source in module_sources().values() for extra in re.findall(r"\binstall\(['\"]([\w-]+)", source)}
    assert {"hub", "offline", "retrieval", "rouge"} <= told <= set(LIBRARIES)


def test_a_missing_library_names_its_extra():
    with pytest.raises(MissingLibraryError, match="no_such_library is not installed") as caught:
        library("no_such_library.part", "plot")
    assert caught.value.hint == install("plot")


def test_in_a_checkout_the_command_installs_the_checkout(monkeypatch, tmp_path):
    monkeypatch.chdir(ROOT)
    assert install("plot") == "pip install -e '.[plot]'"
    monkeypatch.chdir(tmp_path)
    assert install("plot") == f"pip install -e '{ROOT}[plot]'"


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ('{"url": "file:///a%20b/c.whl", "archive_info": {}}', "'carrara[plot] @ file:///a%20b/c.whl'"),
        ('{"url": "file:///it\'s", "dir_info": {}}', "'carrara[plot] @ file:///it'\\''s'"),
        (
            '{"url": "https://host/carrara", "vcs_info": {"vcs": "git", "commit_id": "12ab"}}',
            "'carrara[plot] @ git+https://host/carrara@12ab'",
        ),
        (None, "'carrara[plot]'"),
        ("not JSON", "'carrara[plot]'"),
        ("[]", "'carrara[plot]'"),
    ],
)
def test_elsewhere_the_command_installs_from_where_pip_took_it(monkeypatch, tmp_path, record, expected):
    monkeypatch.setattr(extras, "_PACKAGE", tmp_path / "site-packages" / "carrara")
    folder = tmp_path / "carrara-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: carrara\nVersion: 1\n")
    if record is not None:
        (folder / "direct_url.json").write_text(record)
    monkeypatch.syspath_prepend(tmp_path)
    assert install("plot") == f"pip install {expected}"


# --- make extras ------------------------------------------------------------------------------------------------------

IMPORT = """
import importlib, json, sys

for module, name in json.loads(sys.argv[1]):
    part = importlib.import_module(module)
    if name and not hasattr(part, name):
        importlib.import_module(f"{module}.{name}")
"""


class Environment:
    """A virtual environment with the wheel; what runs in it finds no network but through pip."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._run([sys.executable, "-m", "venv", folder])

    def pip(self, *words: object) -> None:
        self._run([self.folder / "bin" / "pip", *words])

    def type(self, line: str, *, code: int = 0, **environment: str) -> str:
        """What a line typed into a shell prints, on both streams."""
        path = f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
        return self._run(["bash", "-c", line], code, PATH=path, **environment)

    def import_all(self, wanted: set[tuple[str, str]]) -> None:
        self._run([self.folder / "bin" / "python", "-c", IMPORT, json.dumps(sorted(wanted))])

    def _run(self, words: list[object], code: int = 0, **environment: str) -> str:
        own = {"CARRARA_CACHE": str(self.folder / "cache"), "PIP_CONSTRAINT": str(ROOT / "constraints.txt")}
        known = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "TIKTOKEN_CACHE_DIR")}
        done = subprocess.run(
            list(map(str, words)), env=known | own | environment, cwd=self.folder.parent, capture_output=True, text=True
        )
        assert done.returncode == code, done.stderr[-4_000:]
        return done.stdout + done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", folder, ROOT]
    subprocess.run(list(map(str, words)), check=True)
    return next(folder.glob("*.whl"))


@pytest.fixture
def environment(tmp_path):
    made = Environment(tmp_path / "environment")
    yield made
    # An environment takes up to 5 GB, and pytest keeps the folders of three runs.
    shutil.rmtree(made.folder)


@pytest.mark.extras
@pytest.mark.parametrize("extra", list(LIBRARIES))
def test_an_extra_alone_brings_what_it_serves(environment, wheel, extra):
    environment.pip("install", "--quiet", f"{wheel}[{extra}]")
    modules = {(name, "") for name in module_sources() if name != "carrara.__main__"}
    asked = {(module, name) for module, name in imports() if top(module) in CORE | LIBRARIES[extra]}
    environment.import_all(modules | asked | {(library, "") for library in LIBRARIES[extra]})
    environment.pip("check")


# Nothing listens there.
NO_NETWORK = dict.fromkeys(("HTTPS_PROXY", "https_proxy"), "http://127.0.0.1:9")


@pytest.mark.extras
def test_the_wheel_alone_builds_and_scores_offline_once_what_it_says_was_typed(environment, wheel, tmp_path):
    environment.pip("install", "--quiet", wheel)
    environment.import_all({(name, "") for name in module_sources() if name != "carrara.__main__"})
    (tmp_path / "tiny.toml").write_text(TINY)
    environment.type("carrara plan quickstart", **NO_NETWORK)
    refused = environment.type("carrara build tiny.toml", code=2, **NO_NETWORK)
    assert "Traceback" not in refused
    line = re.search(r"pip install '[^']*\[offline\][^']*'", refused)
    environment.type(line[0])
    (folder,) = environment.type("carrara build tiny.toml --out out --quiet", **NO_NETWORK).splitlines()
    environment.type(f"carrara verify {folder} --level rebuild && carrara score {folder} --gold", **NO_NETWORK)
