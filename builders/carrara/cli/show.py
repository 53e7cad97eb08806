"""Prints one row or one entity of the invented world for a person.

Of a row: its facts, every piece of evidence in its place, the head and the tail of the prompt. Of an entity: its facts,
its passages and the questions about it. Whatever a row holds, the output is bounded and has no control characters.
"""

import hashlib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from carrara.cli.tables import cell
from carrara.row import ArrowRow, EvidencePart, evidence_parts
from carrara.text.display import visible
from carrara.text.json import strict_json

if TYPE_CHECKING:
    from carrara.task import Lang
    from carrara.world.realm.realm import Reference
    from carrara.world.world import World

ENDS = 600
# Characters that are shown around a piece of evidence.
AROUND = 200
_MAX_SPANS = 24
_MAX_SPAN = 1_200
_JSON_SPANS, _JSON_SPAN = 1_000, 10_000
_MAX_LISTED = 12
_MAX_VALUE = 300
_EVIDENCE = "bold black on yellow"
_FACT = "bold"
_MAX_QUESTIONS = 40


def show(row: ArrowRow, console: Console) -> None:
    """Print a row (as Arrow returns it)."""
    prompt = str(row["prompt"])
    console.print(_facts(row, prompt))
    spans = len(row["evidence"])
    for number, piece in enumerate(islice(evidence_parts(row, prompt, AROUND), _MAX_SPANS), 1):
        title = f"evidence {number} of {spans}, depth {piece.depth:.1%}, characters {piece.start:,}–{piece.end:,}"
        console.print(Rule(Text(title, "bold"), align="left", style="dim"))
        console.print(_placed(piece, len(prompt)))
    if spans > _MAX_SPANS:
        console.print(Text(f"and {spans - _MAX_SPANS} more pieces of evidence", "dim"))
    if len(prompt) <= 2 * ENDS:
        _part(console, "prompt", prompt)
        return
    _part(console, f"head, {ENDS} of {len(prompt):,} characters", prompt[:ENDS])
    _part(console, f"tail, {ENDS} of {len(prompt):,} characters", prompt[-ENDS:])


def show_json(row: ArrowRow) -> dict[str, Any]:
    """The row as JSON-able data: `facts` parsed, evidence with its text and its place, the prompt by hash and ends.

    Of hostile evidence at most 1,000 pieces and 10,000 characters of each; `start` and `end` stay as they are.
    """
    prompt = str(row["prompt"])
    kept = {name: value for name, value in row.items() if name not in {"prompt", "facts", "evidence"}}
    return {
        **kept,
        "facts": _parsed(str(row["facts"])),
        "evidence": [
            {**piece._asdict(), "text": piece.text[:_JSON_SPAN]}
            for piece in islice(evidence_parts(row, prompt, AROUND), _JSON_SPANS)
        ],
        "prompt": {
            "characters": len(prompt),
            "sha256": hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest(),
            "head": prompt[:ENDS],
            "tail": prompt[-ENDS:],
        },
    }


def _facts(row: ArrowRow, prompt: str) -> Table:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", no_wrap=True)
    grid.add_column(overflow="fold")
    used = int(row["tokens"]) + int(row["max_output_tokens"])
    task = f"{row['task']}, variant {row['variant']}" if row["variant"] else str(row["task"])
    depths = [f"{float(depth):.1%}" for depth in row["depths"][:_MAX_LISTED]]
    lines: list[tuple[str, str]] = [
        ("id", str(row["id"])),
        ("item", str(row["item"])),
        ("task", task),
        ("bucket", str(row["bucket"])),
        ("tokens", f"{row['tokens']:,} + {row['max_output_tokens']:,} for the answer = {used:,}"),
        ("characters", f"{len(prompt):,}"),
        ("metric", str(row["metric"])),
        ("complexity", str(row["complexity"])),
        ("group", str(row["group"])),
    ]
    if depths:
        lines.append(("depths", ", ".join(depths) + _more(row["depths"])))
    lines += _listed("answers", row["answers"])
    lines += _listed("choices", row["choices"])
    if row["answer_prefix"]:
        lines.append(("answer prefix", str(row["answer_prefix"])))
    lines.append(("facts", str(row["facts"])))
    for name, value in lines:
        grid.add_row(Text(name), Text(visible(value, _MAX_VALUE).replace("\n", "␊")))
    return grid


def _listed(name: str, values: Sequence[str]) -> Iterator[tuple[str, str]]:
    for place, value in enumerate(values[:_MAX_LISTED]):
        yield (f"{name} ({len(values)})" if len(values) > 1 else name) if place == 0 else "", str(value)
    if more := _more(values):
        yield "", more.removeprefix(", ")


def _more(values: Sequence[Any]) -> str:
    return f", and {len(values) - _MAX_LISTED} more" if len(values) > _MAX_LISTED else ""


def _placed(piece: EvidencePart, characters: int) -> Text:
    text = Text(overflow="fold")
    if not piece.text:
        return text.append("the span is empty or lies outside the prompt", "bold red")
    text.append("…" if piece.start > AROUND else "", "dim")
    text.append(visible(piece.before), "dim")
    # The signs stand for the colour where there is none: in a pipe, under NO_COLOR.
    text.append("»", "bold")
    if len(piece.text) > _MAX_SPAN:
        half = _MAX_SPAN // 2
        text.append(visible(piece.text[:half]), _EVIDENCE)
        text.append(f" … {len(piece.text) - 2 * half:,} characters … ", "bold")
        text.append(visible(piece.text[-half:]), _EVIDENCE)
    else:
        text.append(visible(piece.text), _EVIDENCE)
    text.append("«", "bold")
    text.append(visible(piece.after), "dim")
    return text.append("…" if piece.end + AROUND < characters else "", "dim")


def _part(console: Console, title: str, text: str) -> None:
    console.print(Rule(Text(title, "bold"), align="left", style="dim"))
    console.print(Text(visible(text), overflow="fold"))


def _parsed(facts: str) -> Any:
    try:
        return strict_json(facts)
    except ValueError:
        return facts


def entity_json(world: "World", lang: "Lang", reference: "Reference") -> dict[str, Any]:
    """The entity as JSON-able data: names, facts as written, passages with what they state, questions."""
    from carrara.world.questions import WorldQuestions

    book = world.encyclopedia
    entity = book.entity(reference)
    return {
        "id": str(reference),
        "names": list(book.called(lang, reference)),
        "gloss": book.gloss(lang, reference),
        "popularity": book.popularity(reference),
        "facts": {
            name: {"text": book.written(lang, entity, name), "value": _plain(value)}
            for name, value in entity.facts.items()
        },
        "passages": [
            {
                "id": written.passage.id,
                "text": written.passage.text,
                "states": {one.relation: [one.start, one.end] for one in written.stated},
            }
            for written in (book.passage(lang, reference, aspect) for aspect in book.aspects(entity))
        ],
        "questions": [
            {
                "id": question.id,
                "text": question.text,
                "answers": [list(group) for group in question.answers],
                "evidence": [one.passage for one in question.evidence],
            }
            for question in WorldQuestions(book, lang).about(reference)
        ],
    }


def show_entity(world: "World", lang: "Lang", reference: "Reference", console: Console) -> None:
    """Print the entity's card, its passages with their facts marked, and the questions about it."""
    card = entity_json(world, lang, reference)
    console.print(Rule(Text(f"{card['names'][0]}  ({card['id']})", "bold"), align="left", style="dim"))
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row(cell("other names", "dim"), cell(", ".join(card["names"][1:]) or "none"), "")
    table.add_row(cell("gloss", "dim"), cell(card["gloss"]), "")
    table.add_row(cell("popularity", "dim"), cell(card["popularity"]), "")
    for name, fact in card["facts"].items():
        where = fact["value"] if isinstance(fact["value"], str) and ":" in fact["value"] else ""
        table.add_row(cell(name, "dim"), cell(fact["text"]), cell(where, "dim"))
    console.print(table)
    for passage in card["passages"]:
        console.print(Rule(Text(passage["id"], "dim"), align="left", style="dim"))
        text = Text(visible(passage["text"]))
        for start, end in passage["states"].values():
            text.stylize(_FACT, start, end)
        console.print(text)
    console.print(Rule(Text("questions", "dim"), align="left", style="dim"))
    for question in card["questions"][:_MAX_QUESTIONS]:
        answers = "; ".join(group[0] for group in question["answers"])
        console.print(Text(visible(f"{question['text']}  ")).append(visible(answers), _FACT))


def _plain(value: Any) -> Any:
    return value if isinstance(value, (bool, int)) else str(value)
