"""Prints what a person wants to see of an invented world: an entity's card, its passages and the questions about it."""

from typing import Any

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from carrara.console import cell, visible
from carrara.task import Lang
from carrara.world.questions import Questions
from carrara.world.realm import Reference
from carrara.world.world import World

_FACT = "bold"
_MAX_QUESTIONS = 40


def entity_json(world: World, lang: Lang, reference: Reference) -> dict[str, Any]:
    """The entity as JSON-able data: names, facts as written, passages with what they state, questions."""
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
            for question in Questions(book, lang).about(reference)
        ],
    }


def show_entity(world: World, lang: Lang, reference: Reference, console: Console) -> None:
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
