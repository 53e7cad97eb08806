"""README and documentation are true: what they tell to type runs, page by page; the site builds without a warning.

A block ```bash is run, in the order of the page, in a folder of its own; a block with a title is a file, written first,
wherever on the page it stands; ```python is run. `network` behind the language keeps a block from being run, since it
needs what is not here, or minutes: its lines are held to the verbs and options that there are. Every folder holds what
a reader has who followed the README: the quickstart release in `out`, and two runs of it, `runs/mine` and `runs/other`.
"""

import contextlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest
import typer
from commands import PACKAGE, here
from folders import ROOT
from rebuild import FROZEN

from carrara.cli.app import app

README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r'^```(\w*)(?: title="([^"]+)")?( network)?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
LANGUAGES = {"bash", "python", "toml", "json", "text", "bibtex"}
# What a line may call beside carrara, make and pip.
OTHERS = {"cd", "export", "git", "inspect", "lm_eval", "python", "vllm"}
VERSION = tomllib.loads((ROOT / "recipes" / "quickstart.toml").read_text(encoding="utf-8"))["version"]


class Block(NamedTuple):
    """A code block: its language, the file that it is, whether it needs a network, its text."""

    language: str
    file: str
    network: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*found.groups("")) for found in FENCE.finditer(page.read_text(encoding="utf-8"))]


def lines(block: Block) -> list[list[str]]:
    """The words of every command line, without comments."""
    joined = block.text.replace("\\\n", " ").splitlines()
    return [words for line in joined if (words := shlex.split(line, comments=True))]


def name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [README, ROOT / "docs" / "explanations" / "world.md"], ids=["readme", "world"])
def test_what_the_invented_text_is_stands_here_as_in_every_card(page):
    assert (PACKAGE / "card" / "world_text.md").read_text(encoding="utf-8") in page.read_text(encoding="utf-8")


def test_the_readme_fits_on_a_page():
    assert len(README.read_text(encoding="utf-8")) <= 8000


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_block_is_of_a_known_kind_and_names_the_version_that_there_is(page):
    text = page.read_text(encoding="utf-8")
    found = blocks(page)
    assert len(found) * 2 == len(re.findall(r"^ *```", text, re.MULTILINE)), "a block that no test reads"
    assert {block.language for block in found} <= LANGUAGES
    assert [block for block in found if block.language == "text" and re.match(r"\$? ?carrara ", block.text)] == []
    assert set(re.findall(r"(?<!reproduce )quickstart[@/](\d[\d.]*\d)", text)) <= {VERSION}
    assert {f"quickstart@{version}" for version in re.findall(r"reproduce quickstart@(\S+)", text)} <= FROZEN.keys()
    for block in found:
        if block.language == "python":
            compile(block.text, name(page), "exec")
        elif block.language == "toml":
            tomllib.loads(block.text)


@pytest.mark.parametrize("page", [page for page in PAGES if " network\n" in page.read_text(encoding="utf-8")], ids=name)
def test_a_line_that_needs_a_network_names_verbs_and_options_that_there_are(page):
    for words in (
        words for block in blocks(page) if block.network and block.language == "bash" for words in lines(block)
    ):
        for part in " ".join(words).split(" && "):
            check(part.split())


def check(words: list[str]) -> None:
    program, *rest = words
    if program == "carrara":
        command = typer.main.get_command(app)
        while hasattr(command, "commands"):
            verb, *rest = rest
            assert verb in command.commands, words
            command = command.commands[verb]
        given = command.make_parser(typer.Context(command)).parse_args(rest)[0]
        missing = [one.name for one in command.params if one.required and given.get(one.name) is None]
        assert missing == [], words
    elif program == "make":
        assert re.search(rf"^{rest[0]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE), words
    elif program == "pip":
        extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
            "optional-dependencies"
        ]
        assert {one for asked in re.findall(r"\[(.*?)\]", " ".join(rest)) for one in asked.split(",")} <= set(extras)
    else:
        assert program in OTHERS, words


@pytest.mark.parametrize("page", [README], ids=name)
def test_every_file_that_a_page_links_is_there(page):
    """Those of the other pages are checked when the site is built."""
    linked = re.findall(r"\]\((?!http)([^)#]+)", page.read_text(encoding="utf-8"))
    assert linked and [one for one in linked if not (page.parent / one).exists()] == []


# --- What needs a release.


# As on a machine of one processor: what pages build is small, and a second process costs more than it makes. A build of
# five needles takes 5.7 s of processor time in two, 2.3 s in one.
CARRARA = "import os; os.cpu_count = lambda: 1; from carrara.cli.app import main; main()"


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """The quickstart release and two runs of it, built once, and programs `carrara` and `python` that are these."""
    folder = tmp_path_factory.mktemp("docs")
    for program, words in (("carrara", f'-c "{CARRARA}"'), ("python", "")):
        (folder / "bin").mkdir(exist_ok=True)
        (folder / "bin" / program).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (folder / "bin" / program).chmod(0o755)
    type_in(folder, folder, "carrara build quickstart --quiet")
    type_in(folder, folder, "python make_runs.py", make_runs=RUNS)
    for run in ("mine", "other"):
        words = f"runs/{run}/responses.jsonl --bucket 32k --model {run} --out runs/{run}/result.json"
        type_here(folder, "score", f"quickstart@{VERSION}", *words.split())
    return folder


RUNS = f"""
import json
from pathlib import Path
import carrara

rows = carrara.load("quickstart@{VERSION}", bucket="32k")
for run, asked in (("mine", 2), ("other", 3)):
    Path("runs", run).mkdir(parents=True)
    Path("runs", run, "run.json").write_text(json.dumps({{"release": "quickstart@{VERSION}", "model": run}}))
    file = Path("runs", run, "responses.jsonl")
    given = {{row.id: row.answers[0] if number % asked else "No." for number, row in enumerate(rows)}}
    file.write_text("".join(json.dumps({{"id": key, "response": text}}) + "\\n" for key, text in given.items()))
"""


# This package, and no key of this machine.
ENVIRONMENT = {key: value for key, value in os.environ.items() if not key.endswith(("_KEY", "_TOKEN"))}
ENVIRONMENT |= {"PYTHONPATH": str(PACKAGE.parent), "COLUMNS": "100"}


def type_in(made: Path, folder: Path, text: str, **files: str) -> str:
    """Run this text as a shell would; what it prints."""
    for file, content in files.items():
        (folder / f"{file}.py").write_text(content, encoding="utf-8")
    environment = ENVIRONMENT | {"PATH": f"{made / 'bin'}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", text],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{text}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def type_here(folder: Path, *words: str) -> None:
    """Run `carrara` with these words in this process, in this folder."""
    with contextlib.chdir(folder):
        done = here(*words)
    assert done.code == 0, (words, done)


def is_plain(block: Block) -> bool:
    """Whether its lines are of Carrara alone and none builds: they run in this process, which has everything loaded."""
    return not {"$", ">", "|"} & set(block.text) and all(
        words[0] == "carrara" and words[1] not in {"build", "reproduce"} for words in lines(block)
    )


RUN = [
    page for page in PAGES if any(block.language in ("bash", "python") and not block.network for block in blocks(page))
]


@pytest.mark.integration
@pytest.mark.parametrize("page", RUN, ids=name)
def test_what_a_page_tells_to_type_runs(page, made, tmp_path):
    shutil.copytree(made / "out", tmp_path / "out", copy_function=os.link, ignore=shutil.ignore_patterns(".lock"))
    shutil.copytree(made / "runs", tmp_path / "runs")
    found = blocks(page)
    for block in found:
        if block.file:
            (tmp_path / block.file).write_text(block.text, encoding="utf-8")
    # A page that shows how to ask a model does not say how it answers.
    python = ["def ask(prompt, limit):\n    return prompt[-100:]\n"]
    for block in (block for block in found if not block.network and not block.file):
        if block.language == "bash" and is_plain(block):
            for _, *words in lines(block):
                type_here(tmp_path, *words)
        elif block.language == "bash":
            type_in(made, tmp_path, block.text)
        elif block.language == "python":
            python.append(block.text)
            type_in(made, tmp_path, "python page.py", page="\n".join(python))


@pytest.mark.integration
def test_the_notebook_runs(made, tmp_path):
    """Its code cells run as one script: in one namespace as in Jupyter, which is not installed for this."""
    notebook = json.loads((ROOT / "docs" / "tutorials" / "score.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell for cell in notebook["cells"] if cell.get("outputs")] == []
    shutil.copytree(made / "out", tmp_path / "out", copy_function=os.link, ignore=shutil.ignore_patterns(".lock"))
    drawn = "print(sorted(label.get_text() for label in axes.get_yticklabels()) == sorted(report.tasks))"
    text = "\n".join(
        ["if __name__ == '__main__':", *(f"    {line}" for line in "\n".join([*cells, drawn]).splitlines())]
    )
    assert type_in(made, tmp_path, "MPLBACKEND=agg python notebook.py", notebook=text).endswith("True\n")
    assert len(json.loads((tmp_path / "words.json").read_text())["scores"]) > 100


@pytest.mark.integration
def test_the_site_is_built_without_a_warning(tmp_path):
    """Every link between the pages leads somewhere, and every reference page can be written."""
    if importlib.util.find_spec("mkdocs") is None or importlib.util.find_spec("mkdocstrings") is None:
        pytest.skip("mkdocs is not installed: pip install '.[docs]'")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path / "site"]
    done = subprocess.run(words, cwd=ROOT, env=ENVIRONMENT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    pages = {page.relative_to(tmp_path / "site") for page in (tmp_path / "site").rglob("*.html")}
    assert len(pages) >= len(PAGES) - 1
    for page in (tmp_path / "site").rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        assert re.findall(r'<(?:script|link rel="stylesheet"|img)[^>]*(?:src|href)="(?:https?:)?//', text) == [], page
        assert "generated:" not in text and "```" not in text, page
