"""Rows of the task `citations`, written by hand: sentences about a river with three names, and a list of bridges."""

import json
from typing import Any

PASSAGES = [
    ("Oskel", "The river Oskel rises near Varn, where it was first called the Lower Brine in a deed of 1806."),
    ("Varn", "Varn is a market town of 8,849 people with two mills, a lantern works and a hall of the weavers."),
    (
        "The Lower Brine",
        "Boatmen below the falls have called the river Lower Brine since the flood of 27 November 1806.",
    ),
    ("Marn Hilton", "Marn Hilton surveyed the valley for the crown and named the river Dr. J. Tarn's Water."),
    ("Marn", "Marn is a hamlet. Of its eleven houses nine were built of stone from the quarry of Ostrel."),
    ("Bridges", "Of the valley's bridges the Long Span is the oldest; Ostrel, Upper Gate was raised in 1911."),
    ("Quarries", "The quarry of Ostrel gave its stone to the Long Span and to the weavers' hall of the town."),
    ("Weavers", "The guild of the weavers kept a book of dues in which every loom of the valley was entered."),
]
FILLER = [
    (
        f"Gate {n}",
        f"On day {n} the keeper of gate {n * 7} counted {n * 3} boats, {n + 2} carts and {n * n} barrels of oil.",
    )
    for n in range(9, 60)
]
BODY = "".join(f"[{n}] {title}\n{text}\n\n" for n, (title, text) in enumerate(PASSAGES + FILLER, start=1))
INSTRUCTION = "Answer from the passages and name those that you used.\n\n"
COUNT = len(PASSAGES + FILLER)


def row(facts: dict[str, Any], gold: str) -> dict[str, Any]:
    prompt = f"{INSTRUCTION}{BODY}Question: {facts['question']}\nAnswer:"
    body = [len(INSTRUCTION), len(INSTRUCTION) + len(BODY)]
    return {
        "id": "citations/test/4k/00000",
        "answers": [gold],
        "prompt": prompt,
        "metric": "citations",
        "facts": json.dumps({**facts, "body": body}),
    }


STATEMENTS_GOLD = (
    "The town called it the Lower Brine [1]. Boatmen have used that name since 27 November 1806 [3]. "
    "The surveyor named it Dr. J. Tarn's Water [4]."
)
STATEMENTS = row(
    {
        "kind": "statements",
        "question": "What was the river called?",
        "answers": [
            ["the Lower Brine", "Lower Brine"],
            ["27 November 1806", "November 27, 1806"],
            ["Dr. J. Tarn's Water"],
            ["Old Silt"],
        ],
        "support": [[1, 3], [3], [4], []],
        "evidence_inside": [True, True, True, False],
    },
    # The second sentence says "that name": nothing but the date is named there.
    STATEMENTS_GOLD,
)
ITEMS_GOLD = "Long Span [6], Ostrel, Upper Gate [6], Marn Hilton [4], Marn [5]."
ITEMS = row(
    {
        "kind": "items",
        "question": "Which bridges and people are named?",
        "answers": [
            ["Long Span", "The Long Span"],
            ["Ostrel, Upper Gate"],
            ["Marn Hilton"],
            ["Marn"],
            ["Tarn Ford"],
        ],
        "support": [[6, 7], [6], [4], [5], []],
        "evidence_inside": [True, True, True, True, False],
    },
    ITEMS_GOLD,
)
