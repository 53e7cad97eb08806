"""SQuAD and HotpotQA in their own form, written from the passages and questions of a world."""

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from made_files import write

from carrara.sources.questions import QuestionFiles
from carrara.sources.readers import multi_hop, squad
from carrara.tables import Passage, Question
from carrara.world.world import World

# Questions in a file; a realm has 1,000.
ASKED = 120


@cache
def world() -> tuple[list[Passage], list[Question], list[Question]]:
    """The passages of a world for the files written here, its plain questions and those of two steps."""
    made = World("recall questions/files")
    bridges = [one for one in made.questions("en", "bridge", 1_000) if one.hops == 2]
    return list(made.passages("en")), list(made.questions("en", "one_hop", 1_000)), bridges[:ASKED]


def squad_table(count: int = ASKED) -> dict[str, Any]:
    """The world's passages as paragraphs of SQuAD 2.0, so many questions where they are answered, 1 in 6 impossible."""
    passages, questions, _ = world()
    texts = {passage.id: passage.text for passage in passages}
    asked: dict[str, list[dict[str, Any]]] = {}
    for number, one in enumerate(questions[:count]):
        found = one.evidence[0]
        answers = [{"text": texts[found.passage][found.start : found.end], "answer_start": found.start}]
        qas = {"id": one.id, "question": one.text, "answers": answers, "is_impossible": False}
        if number % 6 == 5:
            qas |= {"answers": [], "plausible_answers": answers, "is_impossible": True}
        asked.setdefault(found.passage, []).append(qas)
    articles: dict[str, list[dict[str, Any]]] = {}
    for passage in passages:
        paragraph = {"context": passage.text, "qas": asked.get(passage.id) or [_impossible(passage)]}
        articles.setdefault(passage.title.replace(" ", "_"), []).append(paragraph)
    return {"version": "v2.0", "data": [{"title": title, "paragraphs": few} for title, few in articles.items()]}


def _impossible(passage: Passage) -> dict[str, Any]:
    return {"id": f"no {passage.id}", "question": f"Why {passage.id}?", "answers": [], "is_impossible": True}


def hotpot_rows() -> list[dict[str, Any]]:
    """Questions of two steps, each with its two articles and twenty-seven others; some are answered with yes."""
    passages, _, bridges = world()
    by_id = {passage.id: passage for passage in passages}
    rows = []
    for number, one in enumerate(bridges):
        gold = list(dict.fromkeys(evidence.passage for evidence in one.evidence))
        shown = [by_id[id_] for id_ in gold[:1] + gold[-1:]] + passages[27 * number : 27 * number + 27]
        # An article may be there once: HotpotQA names its facts by titles.
        unique = {passage.title: passage for passage in reversed(shown)}
        facts = [by_id[id_].title for id_ in gold[:1] + gold[-1:]]
        if len(set(facts)) == 2 and all(unique[title].id in gold for title in facts):
            answer = "yes" if number % 5 == 4 else one.answers[0][0]
            context = [[title, [found.text]] for title, found in unique.items()]
            row = {"_id": one.id, "question": one.text, "answer": answer, "type": "bridge", "context": context}
            rows.append({**row, "supporting_facts": [[title, 0] for title in facts]})
    return rows


@cache
def made_squad(count: int = ASKED) -> QuestionFiles:
    """The tables of such a SQuAD."""
    folder = Path(tempfile.mkdtemp(prefix="carrara-squad-"))
    return squad.tables("squad", write(folder, dev__json=squad_table(count)))


@cache
def made_hotpotqa() -> QuestionFiles:
    """The tables of such a HotpotQA."""
    folder = Path(tempfile.mkdtemp(prefix="carrara-hotpotqa-"))
    return multi_hop.hotpotqa("hotpotqa", write(folder, dev__json=hotpot_rows()))
