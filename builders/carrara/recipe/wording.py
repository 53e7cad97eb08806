"""A recipe's own wording of a task's prompts: the parts that a TOML file words otherwise, put in and taken out again.

A task names the parts of its prompts (`Task.parts`): texts with fields such as {question}. A cell's `template` may word
any of them otherwise, with the same fields:

    introduction = "Here is a text."
    request = "{question} End with a line “Answer: NAME”."

    [zh]                                # for one variant alone
    introduction = "下面是一篇文章。"

Rows are rendered and proven in the task's wording. `worded` puts the recipe's into the finished prompt, and `unworded`
must give the proven prompt back, byte for byte: so solvers and audits read what they know, and a wording that cannot
be told from the text around it stops the build. White space around a part stays the task's.
"""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Any, Final

from carrara.engine.files import inside
from carrara.errors import RecipeError, SourceError
from carrara.task import Budget, Draft, Task
from carrara.text.display import nearest

MAX_TEMPLATE: Final = 20_000
_LONGEST_FIELD: Final = 4_000
# Fields that hold a number in digits.
_NUMBERS: Final = frozenset(("number", "count"))
# The parser keeps every beginning of a dotted key: 100,000 parts take all memory.
_LONG_KEY: Final = re.compile(r"(?:[\w\"'-]+[ \t]*\.[ \t]*){100}")
# The fact that is a span of the prompt.
BODY: Final = "body"


@dataclass(frozen=True)
class PromptWording:
    """The parts of one task and variant that a recipe words otherwise: name, the task's text, the recipe's."""

    parts: tuple[tuple[str, str, str], ...]

    @cached_property
    def _ours(self) -> list[tuple[str, re.Pattern[str], str]]:
        return [(name, part_pattern(ours, ours), theirs) for name, ours, theirs in self.parts]

    @cached_property
    def _theirs(self) -> list[tuple[str, re.Pattern[str], str]]:
        return [(name, part_pattern(theirs, ours), ours.strip()) for name, ours, theirs in self.parts]

    def worded(self, prompt: str) -> tuple[str, Callable[[tuple[int, int]], tuple[int, int]]]:
        """Return a prompt in the recipe's wording, and where a span of the old prompt lies in the new one.

        Raises ValueError where two parts overlap, or where the old prompt does not come out again.
        """
        made, cuts = _replaced(prompt, list(_found(self._ours, prompt)))
        if self.unworded(made)[0] != prompt:
            named = ", ".join(name for name, _, _ in self.parts)
            raise ValueError(f"the wording of {named} cannot be told from the text around it: word it otherwise")
        return made, lambda span: _moved(span, cuts)

    def unworded(self, prompt: str) -> tuple[str, Callable[[tuple[int, int]], tuple[int, int]]]:
        """Return a prompt in the task's wording, and where a span of the recipe's lies in it; as `worded` undoes it."""
        made, cuts = _replaced(prompt, list(_found(self._theirs, prompt)))
        return made, lambda span: _moved(span, cuts)

    def piece(self, text: str) -> str:
        """Return a piece of a prompt with the parts that it holds in the recipe's wording."""
        return _replaced(text, list(_found(self._ours, text)))[0]


@dataclass(frozen=True, eq=False)
class WordedBudget:
    """A budget that counts what the recipe's wording takes: the task lays out its own, the row has the recipe's."""

    budget: Budget
    wording: PromptWording

    def count(self, text: str) -> int:
        """Tokens of a short text."""
        return self.budget.count(self.wording.piece(text))

    def count_many(self, texts: list[str]) -> Any:
        """Tokens of each text: shape (n,), int64."""
        return self.budget.count_many(texts)

    def measure(self, prompt: str) -> int:
        """Tokens of the finished prompt."""
        return self.budget.measure(self.wording.piece(prompt))


def worded_draft(draft: Draft, wording: PromptWording) -> Draft:
    """A proven draft in the recipe's wording. Raises RecipeError where the wording cannot be taken out again."""
    try:
        return _in_words(draft, *wording.worded(draft.prompt))
    except ValueError as error:
        raise RecipeError(f"template: {error}") from error


def unworded_draft(draft: Draft, wording: PromptWording) -> Draft:
    """A draft of a released row in the task's wording, which solvers and audits read. Raises ValueError."""
    return _in_words(draft, *wording.unworded(draft.prompt))


def _in_words(draft: Draft, prompt: str, moved: Callable[[tuple[int, int]], tuple[int, int]]) -> Draft:
    facts = dict(draft.facts)
    body = facts.get(BODY)
    if isinstance(body, list) and len(body) == 2 and all(type(at) is int for at in body):
        facts[BODY] = list(moved((body[0], body[1])))
    return replace(draft, prompt=prompt, evidence=tuple(map(moved, draft.evidence)), facts=facts)


def parsed_toml(text: str) -> dict[str, object]:
    """The table of a TOML text. Raises ValueError for what is none."""
    if _LONG_KEY.search(text):
        raise ValueError("a key has more than 100 parts")
    return tomllib.loads(text)


def read_template(folder: Path | None, named: object) -> Mapping[str, object]:
    """The table of a template: a TOML file inside the recipe's folder, or (of a release's recipe) the table itself."""
    if isinstance(named, Mapping):
        return named
    if not isinstance(named, str) or folder is None:
        problem = f"template = {named!r}" + (" in a recipe without a folder" if folder is None else "")
        raise RecipeError(problem, "expected the name of a TOML file in the folder of a TOML recipe")
    try:
        file = inside(folder, named)
        with file.open(encoding="utf-8") as opened:
            text = opened.read(MAX_TEMPLATE + 1)
        return parsed_toml(text) if len(text) <= MAX_TEMPLATE else _refuse_long(named)
    except SourceError as error:
        raise RecipeError(f"template: {error.message}", error.hint) from error
    except (OSError, ValueError, RecursionError) as error:
        raise RecipeError(f"template {named!r} cannot be read: {error}", "expected a TOML file in UTF-8") from error


def _refuse_long(named: str) -> Mapping[str, object]:
    raise RecipeError(f"template {named!r} has more than {MAX_TEMPLATE:,} characters", "make it shorter")


def wordings(
    task: Task[Any, Any], variants: Sequence[str], params: Any, table: Mapping[str, object]
) -> Mapping[str, PromptWording]:
    """The wording of every variant of a cell, from the template's table, checked. Raises RecipeError."""
    if task.parts is None:
        raise RecipeError(f"task {task.name} has no parts that a template can word", "leave the key template out")
    ours = {variant: task.parts(params, variant) for variant in variants}
    known = sorted({part for parts in ours.values() for part in parts})
    shared = {key: value for key, value in table.items() if not isinstance(value, Mapping)}
    for key in table:
        if key not in known and not (key in task.variants and isinstance(table[key], Mapping)):
            raise RecipeError(f"template: {task.name} has no part {key!r}", nearest(key, (*known, *task.variants)))
    made: dict[str, PromptWording] = {}
    for variant in variants:
        own = table.get(variant, {})
        given = {**shared, **(own if isinstance(own, Mapping) else {})}
        for key in given:
            if key not in known:
                raise RecipeError(f"template: {task.name} has no part {key!r}", nearest(key, known))
        parts = {name: (ours[variant][name], text) for name, text in given.items() if name in ours[variant]}
        made[variant] = PromptWording(
            tuple((name, text, _checked(name, text, own)) for name, (text, own) in parts.items())
        )
    return {variant: wording for variant, wording in made.items() if wording.parts}


def wordings_json(wordings: Mapping[str, PromptWording]) -> dict[str, dict[str, str]]:
    """The key `template` of a cell as a release's recipe has it: the recipe's text of every part, by variant."""
    return {variant: {name: theirs for name, _, theirs in wording.parts} for variant, wording in wordings.items()}


def template_text(task: Task[Any, Any]) -> str:
    """A task's own wording as a template, to be edited: what all variants share, then a table for each that differs.

    Raises RecipeError for a task without parts.
    """
    if task.parts is None:
        raise RecipeError(f"task {task.name} has no parts that a template can word")
    by_variant = {variant: task.parts(task.params(), variant) for variant in task.variants}
    first = next(iter(by_variant.values()))
    shared = {
        name: text for name, text in first.items() if all(parts.get(name) == text for parts in by_variant.values())
    }
    lines = [f"# The wording of {task.name}. Keep what is in braces; leave out what you do not change."]
    lines += [_line(name, text) for name, text in shared.items()]
    for variant, parts in by_variant.items():
        own = {name: text for name, text in parts.items() if name not in shared}
        lines += [f"\n[{variant}]", *(_line(name, text) for name, text in own.items())] if own else []
    return "\n".join(lines) + "\n"


def _line(name: str, text: str) -> str:
    escaped = text.strip().replace("\\", "\\\\").replace('"', '\\"')
    return f'{name} = """{escaped}"""' if "\n" in escaped else f'{name} = "{escaped}"'


def _checked(name: str, ours: str, theirs: object) -> str:
    """The recipe's text of a part, without white space around it. Raises RecipeError for other fields."""
    if not isinstance(theirs, str) or not theirs.strip():
        raise RecipeError(f"template: {name} = {theirs!r}", "expected a text")
    if len(theirs) > MAX_TEMPLATE:
        raise RecipeError(f"template: {name} has more than {MAX_TEMPLATE:,} characters", "make it shorter")
    wanted = sorted(set(_fields(ours)))
    try:
        got = sorted(set(_fields(theirs)))
    except ValueError as error:
        raise RecipeError(f"template: {name}: {error}", "write { and } that are no field twice: {{ and }}") from error
    if got != wanted:
        shown = [" and ".join("{" + field + "}" for field in fields) or "none" for fields in (got, wanted)]
        raise RecipeError(f"template: {name} has the fields {shown[0]}", f"expected {shown[1]}")
    return theirs.strip()


def _fields(text: str) -> Iterator[str]:
    for _, field, form, conversion in Formatter().parse(text):
        if field is None:
            continue
        if form or conversion or not field.isidentifier():
            raise ValueError(f"got the field {{{field}}}, expected a name alone in braces")
        yield field


def part_pattern(text: str, ours: str) -> re.Pattern[str]:
    """What finds a part in a prompt: its text, with a line for every field, where the task's begins or ends a line."""
    pieces: list[str] = []
    parsed = list(Formatter().parse(text.strip()))
    seen: set[str] = set()
    for number, (literal, field, _, _) in enumerate(parsed):
        pieces.append(re.escape(literal))
        if field in seen:
            pieces.append(f"(?P={field})")
        elif field is not None:
            is_last = number == len(parsed) - 1
            # "Conversation was cheerful" is no heading "Conversation {number}".
            held = "[0-9,]+" if field in _NUMBERS else f"[^\n]{{0,{_LONGEST_FIELD}}}{'' if is_last else '?'}"
            pieces.append(f"(?P<{field}>{held})")
            seen.add(field)
    starts = "^" if ours.startswith("\n") or not parsed[0][0] else ""
    return re.compile(starts + "".join(pieces) + ("$" if ours.endswith("\n") else ""), re.MULTILINE)


def _found(parts: Sequence[tuple[str, re.Pattern[str], str]], text: str) -> Iterator[tuple[int, int, str, str]]:
    """Every part in a text as (start, end, name, what comes there instead), in order."""
    hits = (
        (match.start(), match.end(), name, instead.format(**match.groupdict()))
        for name, pattern, instead in parts
        for match in pattern.finditer(text)
    )
    return iter(sorted(hits))


def _replaced(text: str, found: Sequence[tuple[int, int, str, str]]) -> tuple[str, list[tuple[int, int, int]]]:
    """The text with other parts, and for each of them its old start, its old end and its new length."""
    pieces: list[str] = []
    cuts: list[tuple[int, int, int]] = []
    at = 0
    for start, end, name, instead in found:
        if start < at:
            raise ValueError(f"the part {name!r} overlaps another: word them so that they differ")
        pieces += (text[at:start], instead)
        cuts.append((start, end, len(instead)))
        at = end
    return "".join((*pieces, text[at:])), cuts


def _moved(span: tuple[int, int], cuts: Sequence[tuple[int, int, int]]) -> tuple[int, int]:
    """Where a span between parts lies in the new text."""
    start, end = span
    for cut_start, cut_end, length in cuts:
        shift = length - (cut_end - cut_start)
        if cut_end <= span[0]:
            start += shift
        if cut_end <= span[1]:
            end += shift
    return start, end
