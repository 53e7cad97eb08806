"""Writes the reference pages while the site is built, from the code itself: no copy of it lies in the repository.

A page of `docs/reference` holds a heading, a few sentences and a line `<!-- generated: NAME -->`, which becomes the
text of the function NAME of this file.
"""

import ast
import inspect
import re
import tomllib
from collections.abc import Callable
from dataclasses import MISSING, fields
from pathlib import Path
from typing import Any

import griffe
from typer.testing import CliRunner

from carrara import row
from carrara.card.task_table import markdown
from carrara.cli.app import app
from carrara.scoring import METRICS
from carrara.tasks import TASKS

MARK = re.compile(r"^<!-- generated: (\w+) -->$", re.MULTILINE)
# `network` tells the tests that a block is not run; the reader has no use for it.
UNRUN = re.compile(r"^```(\w+) network$", re.MULTILINE)


def on_page_markdown(text: str, **_: Any) -> str:
    """Put what is generated in the place of its mark (called by mkdocs for every page)."""
    return UNRUN.sub(r"```\1", MARK.sub(lambda mark: GENERATED[mark[1]](), text))


def commands() -> str:
    """The help of every command."""
    top = _help()
    told = [f"```text\n{top}```"]
    for group, lines in re.findall(r"^([A-Z]\w+):\n((?:  [a-z].*\n)+)", top.split("-h, --help", 1)[1], re.MULTILINE):
        told.append(f"## {group}")
        for verb in re.findall(r"^  ([\w-]+) ", lines, re.MULTILINE):
            own = _help(verb)
            told.append(f"### carrara {verb}\n\n```text\n{own}```")
            if "COMMAND [ARGS]" in own:
                verbs = re.findall(r"^  ([\w-]+) ", own.split("Commands:")[1], re.MULTILINE)
                told.extend(f"#### carrara {verb} {each}\n\n```text\n{_help(verb, each)}```" for each in verbs)
    return "\n\n".join(told)


def _help(*verbs: str) -> str:
    result = CliRunner().invoke(app, [*verbs, "--help"], prog_name="carrara", env={"COLUMNS": "100"})
    if result.exit_code:
        raise RuntimeError(f"carrara {' '.join(verbs)} --help: {result.output}")
    return result.output


def tasks() -> str:
    """The table of tasks, and what each takes from a recipe."""
    told = [markdown()]
    for name, task in TASKS.items():
        told.append(f"## {name}\n\n{task.asks}")
        lines = [
            f"| `{field.name}` | `{_type(field.type)}` | {_default(field)} |"
            for field in fields(task.params)
            if field.init
        ]
        told.append(_table("params | type | default", lines) if lines else "It takes no `params`.")
    return "\n\n".join(told)


def _type(of: Any) -> str:
    return (of if isinstance(of, str) else getattr(of, "__name__", str(of))).replace("|", "\\|")


def _default(field: Any) -> str:
    if field.default is not MISSING:
        return f"`{field.default!r}`"
    return "required" if field.default_factory is MISSING else f"`{field.default_factory()!r}`"


def rows() -> str:
    """The columns of a row with their types, and the facts of every task."""
    told = _docs_of_fields(row.Row)
    lines = [f"| `{field.name}` | `{field.type}` | {told[field.name]} |" for field in row.SCHEMA]
    parts = [_table("column | type | holds", lines), "## Facts", "`facts` is JSON; its fields by task:"]
    for name, task in TASKS.items():
        if task.facts:
            parts.append(f"### {name}")
            parts.append(_table("field | holds", [f"| `{key}` | {says} |" for key, says in task.facts.items()]))
    return "\n\n".join(parts)


def _docs_of_fields(of: type) -> dict[str, str]:
    """The texts that stand below the fields of a dataclass."""
    (body,) = ast.parse(inspect.getsource(of)).body
    assert isinstance(body, ast.ClassDef)
    told = {}
    for field, text in zip(body.body, body.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            assert isinstance(field.target, ast.Name)
            told[field.target.id] = str(text.value.value)
    return told


def metrics() -> str:
    """Every metric: what it scores, and which tasks score by it unless another is asked for."""
    used: dict[str, list[str]] = {}
    for name, task in TASKS.items():
        for metric in sorted({task.metric(variant) for variant in task.variants}):
            used.setdefault(metric, []).append(f"`{name}`")
    lines = []
    for name, metric in METRICS.items():
        says = (inspect.getdoc(metric) or "").split("\n\n")[0].replace("\n", " ").replace("|", "\\|")
        lines.append(f"| `{name}` | {says} | {', '.join(used.get(name, []))} |")
    return _table("metric | scores | default of", lines)


PAPERS = {
    "michelangelo": "Michelangelo (arXiv:2409.12640)",
    "needlebench": "NeedleBench (arXiv:2407.11963v1)",
    "helmet": "HELMET (arXiv:2410.02694)",
    "verbatimeval": "VerbatimEval (2025)",
    "ruler": "RULER (arXiv:2404.06654)",
}


def parts() -> list[dict[str, Any]]:
    """What the papers have, as `papers.toml` says it."""
    found: list[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("papers.toml").read_text("utf-8"))["part"]
    return found


def command(part: dict[str, Any]) -> str:
    """What is typed to have it; "" for what nothing gives."""
    if "recipe" in part:
        return f"carrara build {part['recipe']}"
    if "metric" in part:
        return f"carrara score RELEASE RUN --metric {part['metric']}"
    return "carrara score RELEASE RUN --details" if "details" in part else ""


def papers() -> str:
    """The parts of every paper: done, or in which way not, and the command."""
    told = []
    for paper, title in PAPERS.items():
        lines = []
        for part in parts():
            if part["paper"] == paper:
                state = f"{part['state']}: {part['why']}" if "why" in part else part["state"]
                typed = f"`{command(part)}`" if command(part) else ""
                lines.append(f"| {part['where']} | {part['holds']} | {state} | {typed} |")
        told.append(f"## {title}\n\n" + _table("where | what | here | command", lines))
    return "\n\n".join(told)


def _table(head: str, lines: list[str]) -> str:
    columns = head.split(" | ")
    return "\n".join([f"| {head} |", f"|{' --- |' * len(columns)}", *lines])


class Docstrings(griffe.Extension):
    """Fences the examples of docstrings, and keeps `<name>` from being read as HTML."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Mend the docstring of a module, class or function (called by griffe for each)."""
        if obj.docstring:
            text = re.sub(r"<(?=\w+>)", "&lt;", obj.docstring.value)
            obj.docstring.value = re.sub(r"(?m)^(>>> .*(?:\n.+)*)", r"```pycon\n\1\n```", text)


GENERATED: dict[str, Callable[[], str]] = {
    "commands": commands,
    "tasks": tasks,
    "rows": rows,
    "metrics": metrics,
    "papers": papers,
}
