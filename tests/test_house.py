"""The laws that can be read off the source: who imports whom, solvers apart from planners, sizes, words, folders."""

import ast
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from cases import case_of
from folders import RELEASES, ROOT
from house import PACKAGE, Graph, at_module_level, imported, module_sources, tree_of
from processes import python
from rebuild import CURRENT

from carrara.making.build import replan
from carrara.recipe.recipe import load_recipe, recipe_from_json
from carrara.release.errata import ERRATA, check_entry, read_errata
from carrara.release.freeze import plans_text
from carrara.release.manifest import canonical
from carrara.release.provenance import Provenance
from carrara.release.reader import open_release
from carrara.task import Task
from carrara.tasks import TASKS

NETWORK = {"huggingface_hub", "requests", "urllib", "urllib3", "socket", "http", "httpx", "aiohttp", "ssl", "ftplib"}
NETWORK |= {"httpx2", "openai"}
HEAVY = {"matplotlib", "nltk", "huggingface_hub", "datasets", "torch", "faiss", "ray", "spacy", "tokenizers", "pandas"}
HEAVY |= {
    "httpx2",
    "inspect_ai",
    "lm_eval",
    "mlcroissant",
    "openai",
    "playwright",
    "sentence_transformers",
    "transformers",
}


@cache
def trees() -> dict[str, ast.Module]:
    return {name: tree_of(source) for name, source in module_sources().items()}


@cache
def imports(name: str) -> frozenset[str]:
    return frozenset({module for module, _ in imported(trees()[name], module_sources())})


def ours(name: str) -> set[str]:
    return {module for module in imports(name) if module.split(".")[0] == "carrara"}


def allowed(modules: set[str], *roots: str) -> bool:
    return all(any(module == root or module.startswith(f"{root}.") for root in roots) for module in modules)


# --- imports ----------------------------------------------------------------------------------------------------------


def test_nothing_is_imported_through_builders_or_by_star():
    for name, tree in trees().items():
        assert not {module for module in imports(name) if module.split(".")[0] in {"builders", "tests"}}, name
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0 and all(alias.name != "*" for alias in node.names), name
    assert not (PACKAGE.parent / "__init__.py").exists()


# Rooms in the order in which they may import: each those before it, and the modules of its own.
ORDER = (
    *(
        "text",
        "errors",
        "stream",
        "row",
        "tables",
        "task",
        "engine",
        "tokens",
        "context",
        "scoring",
        "world",
        "sources",
    ),
    *("llm", "tasks", "recipe", "retrieval", "release", "croissant", "card", "page", "plots", "publish", "making"),
    *("seal", "export", "run", "api", "cli"),
)


def room(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_rooms_import_in_one_direction():
    assert {room(name) for name in module_sources()} == {*ORDER, "", "__main__"}
    backward = {
        f"{name} imports {other}"
        for name in module_sources()
        for other in ours(name)
        if room(name) in ORDER and room(other) and ORDER.index(room(other)) > ORDER.index(room(name))
    }
    assert not backward


def test_scoring_can_be_carried_by_a_harness_alone():
    outside = {
        f"{name} imports {other}" for name in module_sources() if room(name) == "scoring" for other in ours(name)
    }
    assert {line for line in outside if not line.split()[-1].startswith(("carrara.scoring", "carrara.text"))} == set()


def test_tasks_import_no_other_benchmark():
    for name in module_sources():
        if room(name) == "tasks" and len(parts := name.split(".")) > 3:
            assert allowed({one for one in ours(name) if room(one) == "tasks"}, ".".join(parts[:3])), name


def test_no_import_of_ours_goes_round_in_a_circle():
    """Imports inside functions count: they run too. The package itself hands out the API, on use."""
    done: set[str] = {"carrara"}

    def walk(name: str, path: tuple[str, ...]) -> None:
        assert name not in path, " -> ".join((*path, name))
        if name not in done:
            for other in sorted(ours(name) & module_sources().keys()):
                walk(other, (*path, name))
            done.add(name)

    for name in sorted(module_sources()):
        walk(name, ())


def _of(node: ast.AST):
    return imported(node, module_sources()) if isinstance(node, (ast.Import, ast.ImportFrom)) else ()


def test_only_one_room_holds_a_tokenizer_and_one_writes_parquet():
    for name, source in module_sources().items():
        packages = {module.split(".")[0] for module in imports(name)}
        # A judge's model brings its own tokenizer, which counts nothing.
        if name not in ("carrara.tokens", "carrara.scoring.metrics.local_models"):
            assert not packages & {"tiktoken", "tiktoken_ext", "tokenizers", "sentencepiece", "transformers"}, name
        if name != "carrara.engine.parquet":
            assert not re.search(r"\bParquetWriter\b|\bwrite_table\b|\bwrite_dataset\b", source), name


# Who reaches the network: the Hub for sources, reading and publishing; endpoints of language models.
NETWORKED = {
    *(f"carrara.{name}" for name in ("engine.hub", "sources.files", "release.hub_store", "publish.publish")),
    *(f"carrara.{name}" for name in ("llm.client", "llm.judges", "scoring.metrics.local_models")),
}


def test_few_modules_reach_the_network():
    for name in module_sources():
        if name not in NETWORKED:
            assert not {module.split(".")[0] for module in imports(name)} & NETWORK, name


def test_heavy_libraries_are_imported_where_they_are_used():
    for name, tree in trees().items():
        packages = {module.split(".")[0] for node in at_module_level(tree) for module, _ in _of(node)}
        assert not packages & HEAVY, name


def test_no_randomness_but_by_key_and_nothing_that_runs_text():
    banned = {"random", "secrets", "uuid", "numpy.random", "pickle", "shelve", "marshal", "yaml"}
    for name, tree in trees().items():
        assert not imports(name) & banned, name
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in {"eval", "exec", "hash", "__import__"} or (
                    # A cache key in one process, which reaches no row.
                    (name, node.func.id) == ("carrara.making.row_maker", "hash")
                ), f"{name}:{node.lineno}"
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) not in {("np", "random"), ("numpy", "random")}, name
                # The key of a sealed release must not be one that can be made again; it reaches no row.
                assert (node.value.id, node.attr) != ("os", "urandom") or name == "carrara.seal.seal", name


def test_the_command_line_starts_without_the_heavy_libraries():
    code = "import sys, carrara.cli.app; print(' '.join(sorted({name.split('.')[0] for name in sys.modules})))"
    loaded = set(python(code).split())
    assert "carrara" in loaded and not loaded & {*HEAVY, "tiktoken"}


# --- the solver apart from planner and renderer -----------------------------------------------------------------------


# Template constants, which both sides share: the wordings of the world lie in text files, which one function reads; the
# rest is what they are made of.
WORDINGS = frozenset(
    {
        "carrara.world.language.class_texts:class_text",
        "carrara.world.language.terms:terms",
        "carrara.world.realm.schema:=RELATIONS",
        "carrara.world.documents.chronicle.kinds:=KINDS",
        "carrara.world.language.grammar:file_names",
        "carrara.world.language.grammar:read_sections",
        *(
            f"carrara.world.language.grammar:{part}"
            for part in ("Alternatives", "Article", "Mention", "Pronoun", "ValueField")
        ),
    }
)


def node(function) -> str:
    return f"{function.__module__}:{function.__qualname__}"


# What a solver may not even name: the world outside its argument, and running text.
FORBIDDEN = re.compile(
    r"builtins\.(open|eval|exec|compile|__import__|globals|locals|vars|input|breakpoint|getattr|setattr)$"
    r"|(os|io|sys|pathlib|shutil|subprocess|socket|urllib|http|importlib|tempfile|glob|pickle|ctypes|inspect)(\.|$)"
)


def disjoint(graph: Graph, solve: str, *makers: str) -> tuple[set[str], set[str]]:
    """What solve and the makers both reach, and the forbidden names that solve reaches."""
    solving, outside = graph.reach(solve)
    making, _ = graph.reach(*makers)
    return solving & making, {name for name in outside if FORBIDDEN.match(name)}


# A task of several kinds finds the functions of a kind in this table of its module. The graph does not look through it,
# for it holds all of them; they are followed one by one instead.
KINDS = "carrara.tasks.helmet.synthetic_recall.task:=KINDS"


@cache
def graph() -> Graph:
    return Graph(module_sources(), WORDINGS | {KINDS})


def parts(task: Task, part: str) -> list[str]:
    """A function of a task, as a node, and those of its kinds that it calls."""
    module = sys.modules[task.plan.__module__]
    kinds = module.KINDS.values() if f"{module.__name__}:=KINDS" == KINDS else ()
    return [node(getattr(task, part)), *dict.fromkeys(node(getattr(kind, part)) for kind in kinds)]


def test_a_task_of_several_kinds_calls_of_a_kind_what_it_is_itself():
    module = KINDS.split(":")[0]
    called = {}
    for part in trees()[module].body:
        if isinstance(part, ast.FunctionDef):
            read = {one.attr for one in ast.walk(part) if isinstance(one, ast.Attribute)}
            called[part.name] = read & {"plan", "render", "solve", "audit", "guesses"}
    assert called == {name: {name} for name in ("plan", "render", "solve", "audit", "guesses")}


def test_what_solves_is_not_what_makes():
    for name, task in TASKS.items():
        if task.solve is not None:
            makers = parts(task, "plan") + parts(task, "render")
            for solve in parts(task, "solve"):
                assert disjoint(graph(), solve, *makers) == (set(), set()), name


def test_the_call_graph_sees_the_tasks():
    # Against a graph that reaches nothing and is therefore disjoint.
    for name, task in TASKS.items():
        making, _ = graph().reach(*parts(task, "plan"), *parts(task, "render"))
        # What draws from the given stream alone makes none; the graph knows methods by where their class is named.
        given_alone = name in {"citations", "summarization"}
        assert "carrara.task:Draft" in making and ("carrara.stream:Stream.child" in making or given_alone), name
        solving, _ = graph().reach(*parts(task, "solve")) if task.solve else (set(), set())
        assert len(solving) >= 2 or task.solve is None, name
        auditing, _ = graph().reach(*parts(task, "audit"))
        assert "carrara.task:Finding" in auditing, name
        for module in {one.split(":")[0] for one in solving}:
            assert module.startswith(f"carrara.tasks.{task.benchmark}."), module


def test_what_reads_wordings_draws_and_writes_nothing():
    reached, _ = Graph(module_sources()).reach(*WORDINGS)
    assert {one.split(":")[0] for one in reached} == {
        "carrara.world.realm.schema",
        "carrara.world.documents.chronicle.kinds",
        *(f"carrara.world.language.{module}" for module in ("class_texts", "grammar", "paragraphs", "terms")),
    }
    writing, _ = graph().reach(
        "carrara.world.language.grammar:Speller.sentence", "carrara.world.language.surface:surface"
    )
    assert len(writing) >= 5 and not reached & writing


@pytest.mark.parametrize("reader", ["answers", "grades"])
def test_the_reader_of_the_world_shares_nothing_with_the_world(reader):
    world, encyclopedia = "carrara.world.world:World", "carrara.world.encyclopedia:Encyclopedia"
    makers = [world, *(f"{world}.{name}" for name in ("questions", "judgements"))]
    makers += [encyclopedia, *(f"{encyclopedia}.{name}" for name in ("passage", "written", "accepted"))]
    solve = f"carrara.tasks.helmet.world_reader.answers:{reader}"
    assert disjoint(graph(), solve, *makers) == (set(), set())
    solving, _ = graph().reach(solve)
    assert {one.split(":")[0].rpartition(".")[0] for one in solving} == {"carrara.tasks.helmet.world_reader"}
    making, _ = graph().reach(*makers)
    assert "carrara.world.passages:write_passage" in making and len(solving) >= 20


SHARED = {
    "carrara.tasks.fake.task": """
from carrara.tasks.fake import words
from carrara.tasks.fake.words import TABLE, Box, tidy
def plan(): return Box().open_it()
def render(): return WAYS["a"](), [tidy, 1]
def way(): return words.deep()
WAYS = {"a": way}
def solve(prompt): return {solve}
""",
    "carrara.tasks.fake.words": """
import os
from pathlib import Path
TABLE = ("a", "b")
class Box:
    def open_it(self): return step()
    def never(self): return 1
class Crate:
    def open_it(self): return 2
def step(): return 3
def tidy(text): return text
def deep(): return 4
def lonely(text): return text, TABLE
def leaky(text): return os.environ, Path("x").read_text(), open("y")
def sly(text):
    def inner():
        return deep()
    return inner()
""",
}


@pytest.mark.parametrize(
    ("solve", "shared", "forbidden"),
    [
        ("TABLE", set(), set()),
        ("words.lonely(prompt)", set(), set()),
        ("tidy(prompt)", {"words:tidy"}, set()),
        ("[*map(tidy, prompt)]", {"words:tidy"}, set()),
        ("words.step()", {"words:step"}, set()),
        ("words.sly(prompt)", {"words:deep"}, set()),
        ("words.Crate().open_it()", set(), set()),
        ("Box().open_it()", {"words:Box", "words:Box.open_it", "words:step"}, set()),
        ("WAYS", {"task:way", "words:deep"}, set()),
        ("words.leaky(prompt)", set(), {"os", "os.environ", "pathlib.Path", "builtins.open"}),
        ("eval(prompt)", set(), {"builtins.eval"}),
        ("render()", {"task:render", "task:way", "words:tidy", "words:deep"}, set()),
    ],
)
def test_a_shared_function_is_found(solve, shared, forbidden):
    made_up = Graph({name: source.replace("{solve}", solve) for name, source in SHARED.items()})
    at = "carrara.tasks.fake."
    found = disjoint(made_up, f"{at}task:solve", f"{at}task:plan", f"{at}task:render")
    assert found == ({at + name for name in shared}, forbidden)


# --- the tables -------------------------------------------------------------------------------------------------------


def test_the_table_of_tasks_is_the_modules_on_disk():
    on_disk = {
        name
        for name, tree in trees().items()
        if name.startswith("carrara.tasks.")
        for part in tree.body
        if isinstance(part, ast.Assign) and [getattr(target, "id", "") for target in part.targets] == ["TASK"]
    }
    in_table = {task.plan.__module__ for task in TASKS.values()}
    assert on_disk == in_table and len(in_table) == len(TASKS)
    for name, task in TASKS.items():
        assert isinstance(task, Task) and task.name == name
        module = task.plan.__module__
        # A small task is a module, a larger one a folder with the module `task`.
        assert module.removesuffix(".task") == f"carrara.tasks.{task.benchmark}.{name}"
        assert sys.modules[module].TASK is task


def test_variants_bases_and_default_metrics_are_the_closed_lists():
    for name, task in TASKS.items():
        assert {one: (task.base(one), task.metric(one)) for one in task.variants} == case_of(name).variants, name


def test_every_solver_is_there():
    # The written list of tasks whose answer is no computable thing: a summary. Their audit proves what can be proven.
    assert {name for name, task in TASKS.items() if task.solve is None} == {"summarization"}
    # The written lists of golds of people or an outside corpus. No solver is asked for them.
    for name, task in TASKS.items():
        by_people = {
            source
            for variant in task.variants
            for source in _sources(task, variant)
            if not task.solvable(variant, source)
        }
        assert by_people == set(case_of(name).by_people), name
    # Copying can always be solved.
    for name, task in TASKS.items():
        for variant in task.variants:
            assert task.solvable(variant, task.variants[variant].source) or not variant.endswith("verbatim"), name


def _sources(task: Task, variant: str) -> tuple[str, ...]:
    """What a cell of the variant may name: its own source, or every one; "documents" is any that a user pins."""
    if own := task.variants[variant].source:
        return (own,)
    return ("documents",) if "documents" in task.sources else task.sources or ("",)


# --- recipes, cards, releases -----------------------------------------------------------------------------------------

RECIPES = sorted((ROOT / "recipes").glob("*.toml"))
CARDS = {file.stem for file in (ROOT / "dataset_cards").glob("*.md")}
FROZEN = sorted(file.parent for file in (ROOT / "releases").glob("*/*/manifest.json"))


def test_recipes_cards_and_releases_belong_together():
    names = {load_recipe(file).name: file for file in RECIPES}
    assert names and len(names) == len(RECIPES)
    for name, file in names.items():
        assert file.stem == name
    assert set(names) == CARDS
    kept = {path.name for path in (ROOT / "releases").glob("*") if path.is_dir()}
    assert kept <= set(names)
    assert {path.parent.name for path in FROZEN} == kept
    for path in (ROOT / "releases").glob("*/*"):
        assert path in FROZEN or not path.is_dir(), f"{path.name} is no frozen release"


@pytest.mark.parametrize("file", RECIPES, ids=lambda file: file.stem)
def test_a_recipe_is_a_script_that_loads(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#!/usr/bin/env -S carrara build" and lines[1].startswith("# ")
    assert file.stat().st_mode & 0o111, "a recipe builds itself: chmod +x"
    recipe = load_recipe(file)
    assert recipe_from_json(json.loads(json.dumps(recipe.to_json()))) == recipe


@pytest.mark.parametrize("folder", FROZEN, ids=lambda folder: f"{folder.parent.name}-{folder.name}")
def test_a_frozen_release_is_whole(folder):
    release = open_release(folder)
    assert (release.name, release.version) == (folder.parent.name, folder.name)
    whole = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert canonical(whole) == (folder / "manifest.json").read_bytes()
    if f"{folder.parent.name}@{folder.name}" in CURRENT:
        recipe = load_recipe(folder / "recipe.json")
        assert recipe.fingerprint() == release.content.recipe_fingerprint
        assert recipe.to_json() == release.content.recipe.to_json()
    assert (folder / "plans.txt").read_text(encoding="utf-8") == plans_text(release.content)
    assert {file.name for file in folder.iterdir()} == {"manifest.json", "recipe.json", "plans.txt", "provenance.json"}
    provenance = (folder / "provenance.json").read_bytes()
    assert Provenance.read(provenance).to_bytes() == provenance


@pytest.mark.repeat
def test_the_frozen_releases_that_this_code_makes_are_planned_again_the_same():
    for name in sorted(CURRENT):
        release = open_release(RELEASES / name.replace("@", "/"))
        plans = {name: facts.plans for name, facts in release.configs.items()}
        assert replan(load_recipe(RELEASES / name.replace("@", "/") / "recipe.json"), None) == plans, name


def test_errata_are_well_formed_and_about_frozen_versions():
    for file in (ROOT / "releases").rglob("*errata*"):
        assert file.name == ERRATA and file.parent.parent == ROOT / "releases", file
        errata = read_errata(file)
        assert errata.name == file.parent.name
        assert canonical(errata.to_json()) == file.read_bytes(), "carrara erratum writes it"
        for entry in errata.errata:
            check_entry(ROOT / "releases", errata.name, entry)


# --- sizes and words --------------------------------------------------------------------------------------------------


def test_untyped_tables_stand_at_the_edge_alone():
    """JSON comes in and goes out as a table; between, values are typed. The bound only falls."""
    found = Counter(
        name for file in PACKAGE.rglob("*.py") for name in re.findall(r"(?:dict|Mapping)\[str, Any\]", file.read_text())
    )
    assert found.total() <= 56


def test_a_module_is_one_idea_and_a_room_is_seen_at_a_glance():
    folders = Counter(file.parent for file in PACKAGE.rglob("*.py"))
    assert max(folders.values()) <= 20 and sum(folders.values()) <= 330
    for name, source in module_sources().items():
        assert source.count("\n") <= 600, name
        assert not source or ast.get_docstring(trees()[name]), name
        assert name.rsplit(".", 1)[-1] not in {"utils", "helpers", "base", "common", "misc"}, name
        assert not re.search(r"#\s*(type:\s*ignore|noqa|mypy:|ruff:|pragma)", source), name


def types_of(tree: ast.Module) -> Iterator[str]:
    """The classes and type aliases of a module; a type variable is a name inside its module."""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            name, value = node.targets[0].id, node.value
            is_variable = isinstance(value, ast.Call) and getattr(value.func, "id", "") == "TypeVar"
            if re.fullmatch(r"_?[A-Z][a-z]\w*", name) and not is_variable:
                yield name


def test_a_type_has_one_meaning():
    """Two types of one name would be two ideas under one word; a task's parameters and plan are one idea everywhere."""
    homes = Counter(name for tree in trees().values() for name in types_of(tree) if name not in {"Params", "Plan"})
    assert {name for name, modules in homes.items() if modules > 1} == set()


def test_a_module_that_is_named_is_there():
    files = {file.name for folder in (PACKAGE, ROOT / "tests") for file in folder.rglob("*.py")}
    for name, source in module_sources().items():
        for named in re.findall(r"`(?:[\w/]+/)?(\w+\.py)`", source):
            assert named in files, f"{name} names {named}"


@cache
def tracked() -> list[Path]:
    try:
        shown = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, capture_output=True)
    except OSError:
        shown = None
    if shown is None or shown.returncode:
        skipped = {".venv", ".git", ".cache", "out", "__pycache__", ".hypothesis"}
        return [file for file in ROOT.rglob("*") if file.is_file() and not skipped & set(file.parts)]
    return [ROOT / name for name in shown.stdout.decode().split("\0") if name and (ROOT / name).is_file()]


# Split, so that this file does not hold what it looks for.
_MACHINE = [f"/{folder}/" for folder in ("work", "home", "root", "Users")]
_REGISTRIES = ["pypi" + ".org", "files.python" + "hosted", "registry.npm" + "js", "proxy.go" + "lang", "/sim" + "ple/"]
_INDEX = re.compile(r"--(extra-)?index-" + r"url|find-" + r"links|trusted-" + r"host")


def test_no_file_names_a_machine_or_a_registry():
    for file in tracked():
        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for word in (one for one in (*_MACHINE, *_REGISTRIES) if one in text):
            # A path of a machine begins a word; `a/home/b` inside an address does not.
            found = re.search(r"(?<![\w.])" + re.escape(word), text)
            assert not found, f"{file.relative_to(ROOT)} holds {word}"
        assert not _INDEX.search(text), f"{file.relative_to(ROOT)} sets a package index"
