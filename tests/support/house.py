"""The package as syntax: modules, who imports whom, and which functions a function can reach.

Reach is over-estimated: a function named counts as called, a class named as made, and of a class that is made every
method whose name is read anywhere counts as called. What comes in as an argument is not followed.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from folders import ROOT

PACKAGE = ROOT / "builders" / "carrara"


@cache
def module_sources() -> dict[str, str]:
    """Every module of the package by its dotted name."""
    sources = {}
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = ("carrara", *file.relative_to(PACKAGE).with_suffix("").parts)
        sources[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file.read_text(encoding="utf-8")
    return sources


def imported(tree: ast.AST, known: Iterable[str]) -> Iterator[tuple[str, ast.AST]]:
    """Every module that an import statement anywhere in the tree names, and the statement."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.name, node
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative import"
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield (whole if whole in known else str(node.module)), node


def at_module_level(tree: ast.Module) -> Iterator[ast.AST]:
    """The tree's nodes that run when the module is imported: not the bodies of functions, nor what types alone need."""
    todo: list[ast.AST] = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            todo += node.orelse
            continue
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            todo += ast.iter_child_nodes(node)


@dataclass
class Module:
    functions: dict[str, ast.AST]
    classes: dict[str, ast.ClassDef]
    values: dict[str, ast.expr]
    names: dict[str, str]


@cache
def tree_of(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def parse(source: str) -> Module:
    tree = tree_of(source)
    module = Module({}, {}, {}, {})
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            module.functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = node
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    module.values[target.id] = node.value
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            module.values[node.target.id] = node.value
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                module.names[alias.asname or alias.name.split(".")[0]] = alias.name
        elif isinstance(node, ast.ImportFrom):
            assert all(alias.name != "*" for alias in node.names), "star import"
            for alias in node.names:
                module.names[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return module


class Graph:
    """Functions of the given modules and what each names. A node is `module:function` or `module:Class.method`.

    `constants` are nodes that nobody reaches through, with `module:=NAME` for a value.
    """

    def __init__(self, sources: Mapping[str, str], constants: frozenset[str] = frozenset()) -> None:
        self.modules = {name: parse(source) for name, source in sources.items()}
        self.constants = constants

    def reach(self, *starts: str) -> tuple[set[str], set[str]]:
        """The functions, methods and classes that the starts reach, and every outside name that these use."""
        seen: set[str] = set()
        outside: set[str] = set()
        made: set[str] = set()
        read: set[str] = set()
        # Methods of classes that are made, by the name that nobody has read so far.
        unread: dict[str, list[str]] = defaultdict(list)
        todo = list(starts)
        while todo:
            node = todo.pop()
            if node in seen:
                continue
            module, _, name = node.partition(":")
            seen.add(node)
            known = set(read)
            for named in self._named(module, self._body(module, name), outside, read):
                if named in self.constants:
                    continue
                todo.append(named)
                if self._is_class(named) and named not in made:
                    made.add(named)
                    for method in self._methods(named):
                        short = method.rsplit(".", 1)[1]
                        if short in known or short.startswith("__"):
                            todo.append(method)
                        else:
                            unread[short].append(method)
            for short in read - known if len(read) > len(known) else ():
                todo += unread.pop(short, [])
        return {node for node in seen if "=" not in node}, outside

    def _body(self, module: str, name: str) -> Iterable[ast.AST]:
        where = self.modules[module]
        if name.startswith("="):
            return [where.values[name[1:]]]
        if name in where.classes:
            one = where.classes[name]
            fields = [part.value for part in one.body if isinstance(part, (ast.Assign, ast.AnnAssign)) and part.value]
            return [*one.bases, *one.decorator_list, *fields]
        if "." in name:
            owner, method = name.split(".")
            parts = where.classes[owner].body
            return [part for part in parts if isinstance(part, ast.FunctionDef) and part.name == method]
        assert name in where.functions, f"{module} has no {name}"
        return [where.functions[name]]

    def _methods(self, node: str) -> Iterator[str]:
        module, _, name = node.partition(":")
        for part in self.modules[module].classes[name].body:
            if isinstance(part, ast.FunctionDef):
                yield f"{module}:{name}.{part.name}"

    def _is_class(self, node: str) -> bool:
        module, _, name = node.partition(":")
        return name in self.modules[module].classes

    def _named(self, module: str, body: Iterable[ast.AST], outside: set[str], read: set[str]) -> Iterator[str]:
        for node in _without_annotations(body):
            if isinstance(node, ast.Name):
                yield from self._resolve(module, node.id, outside)
            elif isinstance(node, ast.Attribute):
                read.add(node.attr)
                if (dotted := _dotted(node)) and dotted.split(".")[0] in self.modules[module].names:
                    first, _, rest = dotted.partition(".")
                    yield from self._target(f"{self.modules[module].names[first]}.{rest}", outside)

    def _resolve(self, module: str, name: str, outside: set[str]) -> Iterator[str]:
        where = self.modules[module]
        if name in where.functions or name in where.classes:
            yield f"{module}:{name}"
        elif name in where.values:
            yield f"{module}:={name}"
        elif name in where.names:
            yield from self._target(where.names[name], outside)
        else:
            # A builtin, or a local variable of that name, which does no harm.
            outside.add(f"builtins.{name}")

    def _target(self, dotted: str, outside: set[str]) -> Iterator[str]:
        parts = dotted.split(".")
        for cut in range(len(parts), 0, -1):
            if (module := ".".join(parts[:cut])) in self.modules:
                if rest := parts[cut : cut + 1]:
                    yield from self._resolve(module, rest[0], outside)
                return
        outside.add(dotted)


def _without_annotations(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    todo = list(body)
    while todo:
        node = todo.pop()
        yield node
        for field, value in ast.iter_fields(node):
            if field in {"annotation", "returns"}:
                continue
            todo += [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, ast.AST)]


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute) and (base := _dotted(node.value)):
        return f"{base}.{node.attr}"
    return ""
