"""What the tests of every task take for a variant: the invented world, small files written here, or the real sources.

A variant whose source a user must bring is tested on files that hold texts of the world in that source's form; one
whose source is pinned in the registry, on the folder of real sources, at 4k alone, and skipped where that is absent.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest

from carrara.recipe.recipe import EMBEDDED
from carrara.sources import pins
from carrara.stream import Stream
from carrara.tables import Question
from carrara.tasks import TASKS
from carrara.world.documents.article import article
from carrara.world.utterances import INTENTS, utterances
from carrara.world.world import World

FOLDER = Path(os.environ.get("CARRARA_SOURCES") or Path(__file__).parents[1].parent / "shared" / "corpora")
# Sources whose published sample holds a handful of questions.
SMALL = {"asqa", "qampari"}
# A user's own tables: here those of a world.
OWN = "own"
# Of a label that is used up (of trec_fine in 4k tokens) the examples come again.
_LABELLED = ("trec_coarse", "trec_fine", "banking77", "clinc150", "nlu", "own")
PARAMS: dict[tuple[str, str], dict[str, Any]] = {("in_context_learning", name): {"repeat": True} for name in _LABELLED}
# Long enough for rows of 32k; more than the items of a test.
_SENTENCES = 700
_DOCUMENTS = 9
# So many short ones that two streams rarely draw the same two.
_EXAMPLES = 60


def source_of(task: str, variant: str) -> str:
    """The source that a cell of the variant has by default; "" for a task that takes none."""
    sources = TASKS[task].sources
    return TASKS[task].variants[variant].source or (sources[0] if sources else "")


def is_embedded(task: str, variant: str) -> bool:
    """Whether the variant needs no files."""
    return source_of(task, variant) in {"", *EMBEDDED}


def need(task: str, variant: str, tokens: int = 4_096) -> None:
    """Skip the test where the variant's source is not here, or has no texts for rows of so many tokens."""
    source = source_of(task, variant)
    if source in SMALL:
        pytest.skip(f"the published sample of {source} has fewer questions than these tests take")
    if source in pins():
        if not FOLDER.is_dir():
            pytest.skip(f"{source} is not here: set CARRARA_SOURCES to the folder of real sources")
        if not (FOLDER / pins()[source].folder).is_dir():
            pytest.skip(f"the folder of real sources has no {source}")
        if tokens > 4_096:
            pytest.skip(f"{source} has no text for rows of {tokens} tokens")
    elif source == OWN and task != "summarization":
        if tokens > 32_768:
            pytest.skip(f"the tables written for {source} have no text for rows of {tokens} tokens")
    elif not is_embedded(task, variant):
        if source not in _FORMS and source not in _SUMMARIZED:
            pytest.skip(f"no files in the form of {source} are written here")
        if tokens > 32_768:
            pytest.skip(f"the files written for {source} have no text for rows of {tokens} tokens")


def folder(task: str, variant: str) -> Path | None:
    """Where the files of the variant's source lie."""
    if is_embedded(task, variant):
        return None
    if source_of(task, variant) == OWN:
        return _summarized()[0] if task == "summarization" else _owned(task)[0]
    if source_of(task, variant) in _SUMMARIZED:
        return _summarized()[0]
    return FOLDER if source_of(task, variant) in pins() else _written()[0]


def own_sources(task: str, variant: str) -> dict[str, Any]:
    """The pins of files written here, as a recipe has them."""
    source = source_of(task, variant)
    if source == OWN and task != "summarization":
        return {OWN: _owned(task)[1]}
    if source in _SUMMARIZED:
        return {source: _summarized()[1][source]}
    return {source: _written()[1][source]} if source in _FORMS else {}


def _jsonl(texts: list[list[str]]) -> dict[str, str]:
    return {"a.jsonl": "".join(json.dumps({"paragraphs": text}) + "\n" for text in texts)}


def _meetings(texts: list[list[str]]) -> dict[str, str]:
    return {"meetings.json": json.dumps({f"M{n}": {"transcripts": text} for n, text in enumerate(texts)})}


def _wiki(texts: list[list[str]]) -> dict[str, str]:
    return {f"wiki/{n}": "========,1,preface.\n" + "\n".join(text) + "\n" for n, text in enumerate(texts)}


def _doubled(texts: list[list[str]]) -> list[list[str]]:
    return [[*text, *texts[number - 1]] for number, text in enumerate(texts)]


def _books(texts: list[list[str]], options: bool) -> dict[str, str]:
    """Books of InfiniteBench, two texts each, of which the beginnings of paragraphs are asked."""
    lines: list[str] = []
    for number, text in enumerate(_doubled(texts)):
        for place in range(3, 10):
            names = [" ".join(text[at].split()[:6]) for at in range(place, place + 4)]
            asked = f"How does paragraph {place} of book {number} begin?"
            answer = names[:1]
            row = {"context": "\n\n".join(text), "input": asked, "answer": answer, "options": names if options else []}
            lines.append(json.dumps({"id": len(lines), **row}) + "\n")
    return {f"longbook_{'choice' if options else 'qa'}_eng.jsonl": "".join(lines)}


def _stories(texts: list[list[str]]) -> dict[str, str]:
    """NarrativeQA's official files: stories of two texts each, of which the beginnings of paragraphs are asked."""
    documents, questions, summaries, pages = ["document_id,set,kind,wiki_title\n"], [], [], {}
    for number, text in enumerate(_doubled(texts)):
        documents.append(f"d{number},test,gutenberg,Story {number}\n")
        summaries.append(f"d{number},test,Story {number} is long.\n")
        pages[f"tmp/d{number}.content"] = "\n\n".join(text)
        for place in range(3, 10):
            answer = " ".join(text[place].split()[:6]).replace('"', "")
            questions.append(f'd{number},test,How does paragraph {place} of {number} begin?,"{answer}","{answer} so"\n')
    return {
        "documents.csv": "".join(documents),
        "qaps.csv": "document_id,set,question,answer1,answer2\n" + "".join(questions),
        "summaries.csv": "document_id,set,summary\n" + "".join(summaries),
        **pages,
    }


_FORMS = {
    "documents": ("jsonl", _jsonl),
    "meetingbank": ("meetingbank", _meetings),
    "wiki727k": ("wiki727k", _wiki),
    "infbench_choice": ("infbench", partial(_books, options=True)),
    "infbench_qa": ("infbench", partial(_books, options=False)),
    "narrativeqa": ("narrativeqa", _stories),
}


@cache
def _written() -> tuple[Path, dict[str, Any]]:
    place = Path(tempfile.mkdtemp(prefix="carrara-variants-"))
    texts = [article(Stream("variants"), "en", number, _SENTENCES).text.split("\n\n") for number in range(_DOCUMENTS)]
    tables: dict[str, Any] = {}
    for source, (reader, form) in _FORMS.items():
        files: dict[str, str] = {}
        for name, text in form(texts).items():
            (place / source / name).parent.mkdir(parents=True, exist_ok=True)
            (place / source / name).write_text(text, encoding="utf-8")
            files[name] = hashlib.sha256(text.encode()).hexdigest()
        tables[source] = {"reader": reader, "lang": "en", "licence": "CC0-1.0", "files": files}
    return place, tables


def _case(number: int, text: str, summary: str, short: str) -> dict[str, Any]:
    return {"id": f"C{number}", "sources": text.split("\n\n"), "summary/long": summary, "summary/short": short}


def _book(number: int, text: str, summary: str, short: str) -> dict[str, Any]:
    return {"id": number, "context": text, "input": "", "answer": [summary], "options": []}


def _own(number: int, text: str, summary: str, short: str) -> dict[str, Any]:
    """One document is summarized, the next one asked about."""
    if number % 2:
        return {"text": text, "questions": [{"text": f"What is {number} about?", "answers": [short, summary]}]}
    return {"id": f"D{number}", "text": text, "summary": summary}


# Sources of summaries: the file and how a document is written in it.
_SUMMARIZED = {
    "infbench_sum": ("infbench", "longbook_sum_eng.jsonl", _book),
    "multilexsum": ("multilexsum", "test.jsonl", _case),
    OWN: ("tables", "documents.jsonl", _own),
}


@cache
def _summarized() -> tuple[Path, dict[str, Any]]:
    """Chronicles of the world with their summaries, in the form of each source, and many short minutes as examples."""
    place = Path(tempfile.mkdtemp(prefix="carrara-summaries-"))
    world = World("variants")
    told = [world.document("en", "chronicle", number, 19) for number in range(_DOCUMENTS + 2)]
    told += [world.document("en", "meeting", number, 3) for number in range(_EXAMPLES)]
    tables: dict[str, Any] = {}
    for source, (reader, name, form) in _SUMMARIZED.items():
        rows = [
            form(number, one.text, one.summary, " ".join(one.summary.split()[: 20 + 7 * (number % 11)]) + ".")
            for number, one in enumerate(told)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (place / source).mkdir()
        (place / source / name).write_text(text, encoding="utf-8")
        tables[source] = {
            "reader": reader,
            "lang": "en",
            "licence": "CC0-1.0",
            "files": {name: hashlib.sha256(text.encode()).hexdigest()},
        }
    return place, tables


@cache
def _owned(task: str) -> tuple[Path, dict[str, Any]]:
    """A world's passages and questions (of the kind that the task asks) as a user's own tables, and their pin."""
    place = Path(tempfile.mkdtemp(prefix="carrara-own-"))
    world = World("own/1")
    tables: dict[str, list[Any]] = {"passages": [asdict(passage) for passage in world.passages("en")]}
    if task == "in_context_learning":
        tables = {"labelled": [*_labelled()]}
    elif task == "reranking":
        judged = list(world.judgements("en", 120))
        tables["questions"] = [_question(question) for question, _ in judged]
        tables["judgements"] = [asdict(one) for _, few in judged for one in few]
    else:
        kind = "list" if task == "citations" else "one_hop"
        tables["questions"] = [_question(question) for question in world.questions("en", kind, 120)]
    files = {}
    for name, lines in tables.items():
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (place / f"{name}.jsonl").write_text(text, encoding="utf-8")
        files[f"{name}.jsonl"] = hashlib.sha256(text.encode()).hexdigest()
    return place, {"reader": "tables", "lang": "en", "licence": "CC0-1.0", "files": files}


def _labelled() -> Iterator[dict[str, str]]:
    """A seventh of the world's intents, with 110 examples and 20 tests each."""
    stream = Stream("own labelled")
    for intent in range(0, len(INTENTS), 7):
        for part in ("demonstration", "test"):
            for one in utterances(stream, intent, part)[:110]:
                yield {"text": one.text, "label": one.label, "part": part}


def _question(question: Question) -> dict[str, Any]:
    return {key: value for key, value in asdict(question).items() if key != "readings"}
