"""What the tests of tasks share whose gold follows from which passages stand in the row."""

import json

from cases import Row


def is_part(small: Row, large: Row) -> None:
    """The passages of a shorter row stand in a longer one in the same order."""
    # Short lines are titles and IDs; numbers of citations differ where a last passage was left out.
    bodies = [row["prompt"][slice(*json.loads(row["facts"])["body"])] for row in (small, large)]
    texts = [[line for line in body.split("\n") if len(line) > 200] for body in bodies]
    assert [text for text in texts[1] if text in set(texts[0])] == texts[0] and len(texts[0]) > 8


def question_asked(row: Row) -> tuple[str, str]:
    """What a row says: its gold follows from which passages stand in it."""
    facts = json.loads(row["facts"])
    return facts["question_id"], facts["question"]
