"""`carrara new-task`: a task that passes its tests, to be made into one's own."""

import re
from pathlib import Path
from typing import Annotated

import typer

from carrara.errors import CarraraError

_NAME = re.compile(r"([a-z][a-z0-9_]{1,40})/([a-z][a-z0-9_]{1,40})")
_TEXTS = Path(__file__).parent / "new_task_texts"
_TABLE = Path("builders/carrara/tasks/__init__.py")
_CELL = """
[[cell]]
task = "NAME"
source = "world"
questions = 10
params = { depths = 3 }
"""


def new_task(
    name: Annotated[str, typer.Argument(metavar="BENCHMARK/NAME", help="For example needlebench/parcels.")],
    recipe: Annotated[
        Path | None, typer.Option("--recipe", help="Add a cell to this recipe; else the cell is printed.")
    ] = None,
) -> None:
    """Write a small task that builds and passes its tests, in a checkout of Carrara: change it into yours.

    It writes the task (builders/carrara/tasks/BENCHMARK/NAME.py), its tests (tests/tasks/test_NAME.py), the line in the
    table of tasks, and a cell of a recipe. The task hides one sentence in prose and asks for it; its docstring and
    CONTRIBUTING.md say what to write in the place of what. No file is written over.

    \b
      carrara new-task needlebench/parcels
      make golden
      make fast
    """
    if (match := _NAME.fullmatch(name)) is None:
        raise CarraraError(
            f"got {ascii(name)[:100]}, expected BENCHMARK/NAME in small letters, digits and _",
            "for example: carrara new-task needlebench/parcels",
        )
    benchmark, task = match.groups()
    if not _TABLE.is_file():
        raise CarraraError(
            f"{Path.cwd()} has no {_TABLE}, expected a checkout of Carrara",
            "clone the repository, and go to its folder",
        )
    from carrara.tasks import TASKS

    if task in TASKS:
        raise CarraraError(f"there is a task {task}, in {TASKS[task].benchmark}", "give the new one another name")
    module, test = Path(f"builders/carrara/tasks/{benchmark}/{task}.py"), Path(f"tests/tasks/test_{task}.py")
    for path in (module, test, module.with_suffix("")):
        if path.exists():
            raise CarraraError(
                f"{path} exists, and nothing is written over", "give the task another name, or remove it"
            )
    if recipe is not None and not recipe.is_file():
        raise CarraraError(f"got --recipe {recipe}, expected a file", "see the folder recipes")
    table = _with_line(_TABLE.read_text(encoding="utf-8"), benchmark, task)
    module.parent.mkdir(parents=True, exist_ok=True)
    test.parent.mkdir(parents=True, exist_ok=True)
    for template, path in (("task.txt", module), ("test.txt", test)):
        text = (_TEXTS / template).read_text(encoding="utf-8")
        path.write_text(text.replace("BENCHMARK", benchmark).replace("NAME", task), encoding="utf-8")
    _TABLE.write_text(table, encoding="utf-8")
    written = [module, test, _TABLE]
    cell = _CELL.replace("NAME", task)
    if recipe is not None:
        with recipe.open("a", encoding="utf-8") as file:
            file.write(cell)
        written.append(recipe)
    for path in written:
        typer.echo(path)
    if recipe is None:
        typer.echo(f"\nThe cell of a recipe:\n{cell}")
    typer.echo("Next: make golden (writes its plans), make fast, then change the task into yours", err=True)


def _with_line(table: str, benchmark: str, task: str) -> str:
    """The table of tasks with an import and an entry more, both where the linter has them."""
    begin = f"from carrara.tasks.{benchmark} import "
    lines = table.splitlines()
    if "    )" not in lines or not any(line.startswith("from carrara.tasks.") for line in lines):
        raise CarraraError(f"{_TABLE} is not as it was written", "add the task by hand: see CONTRIBUTING.md")
    lines.insert(lines.index("    )"), f"        {task}.TASK,")
    for index, line in enumerate(lines):
        if line.startswith(begin):
            names = sorted([*line.removeprefix(begin).split(", "), task])
            lines[index] = begin + ", ".join(names)
            break
        if line.startswith("from carrara.tasks.") and line > begin:
            lines.insert(index, begin + task)
            break
    else:
        last = max(index for index, line in enumerate(lines) if line.startswith("from carrara.tasks."))
        lines.insert(last + 1, begin + task)
    return "\n".join(lines) + "\n"
