"""MS MARCO's passages with the graded judgements of TREC's Deep Learning tracks, and runs over them.

What a file holds is told by its name:

    qrels                  judgements: topic, any word, passage, grade; or BEIR's three columns under a head line
    topics, queries        questions: id TAB text, or rows
    collection, corpus     passages: pid TAB text, or rows of `_id`, `title`, `text`
    retrieve_results       a run of rank_llm: JSON with the passages' texts
    run                    a run of TREC: topic, "Q0", passage, rank, score, the run's name

White space parts the columns; nothing is quoted. Ids are those of MS MARCO. Topics that nobody judged have no
judgements (of 200 in 2020, 54 were judged); a judged passage whose text is in no file is left out and counted.

Must not change without a new version of the reader: which topics, passages and judgements there are, and their order.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple, get_args

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.fields import Fields, as_row, identifier, integer, text, values, wrong
from carrara.sources.formats import form, lines, rows
from carrara.sources.passages import passage
from carrara.sources.tables import Lacking
from carrara.tables import Judgement, Lang, Passage, Question

GRADES: Final = (0, 1, 2, 3)
_HEAD: Final = ["query-id", "corpus-id", "score"]


class Grade(NamedTuple):
    """How relevant a passage was judged to be to a topic."""

    where: str
    topic: str
    passage: str
    grade: int


class RunEntry(NamedTuple):
    """A passage that a run gives for a topic."""

    topic: str
    passage: str
    rank: int
    score: float


def pairs(file: Path, path: str) -> Iterator[tuple[str, str, str]]:
    """(where, id, text) of every line of topics or of a collection; a text may hold tabs and quotation marks."""
    for where, line in lines(file, path):
        id_, tab, text = line.partition("\t")
        if not tab or not id_.strip():
            raise SourceError(f"{where}: got {line[:60]!r}, expected an id, a tab and a text", "Mend the line.")
        yield where, id_.strip(), text


def judged_lines(file: Path, path: str) -> Iterator[Grade]:
    """The judgements of a file. Raises SourceError on a grade that is not 0 to 3."""
    for where, line in lines(file, path):
        columns = line.split()
        if columns == _HEAD:
            continue
        if len(columns) not in (3, 4) or columns[-1] not in map(str, GRADES):
            raise SourceError(
                f"{where}: got {line[:60]!r}, expected a topic, a word, a passage and a grade from 0 to 3", "Mend it."
            )
        yield Grade(where, columns[0], columns[-2], int(columns[-1]))


def ranked(file: Path, path: str) -> Iterator[RunEntry]:
    """The lines of a run, in their order."""
    for where, line in lines(file, path):
        columns = line.split()
        rank, score = (_integer(columns[3]), _number(columns[4])) if len(columns) == 6 else (None, None)
        if rank is None or score is None:
            raise SourceError(
                f"{where}: got {line[:60]!r}, expected topic, Q0, passage, rank, score and the run's name", "Mend it."
            )
        yield RunEntry(columns[0], columns[2], rank, score)


def _integer(text: str) -> int | None:
    return int(text) if len(text) < 19 and text.isascii() and text.isdigit() else None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


KIND: Final = "topic"
FileRole = Literal["qrels", "topics", "passages", "rank_llm", "run"]
# In this order: "qrels.dl19-passage.txt" is no corpus, "retrieve_results" no run of TREC.
_BY_NAME: Final[tuple[tuple[str, FileRole], ...]] = (
    ("qrels", "qrels"),
    ("retrieve_results", "rank_llm"),
    ("topics", "topics"),
    ("queries", "topics"),
    ("collection", "passages"),
    ("corpus", "passages"),
    ("run", "run"),
)
_PASSAGE_IDS: Final = ("docid", "_id", "pid", "id")
_TOPIC_IDS: Final = ("qid", "_id", "id")
_COLUMNS: Final = (*_PASSAGE_IDS, "qid", "title", "text", "contents", "content", "query")


class Hit(NamedTuple):
    """A line of a run of rank_llm, its texts as they stand there."""

    ranked: RunEntry
    query: str
    title: str
    text: str


class RankLlm(NamedTuple):
    """Runs by path, topics and passages (title, text) by id: of runs that share most of their passages."""

    runs: dict[str, list[RunEntry]]
    topics: dict[str, str]
    passages: dict[str, tuple[str, str]]


class MsMarco(Lacking):
    """Passages, topics, judgements and runs of some files, in English. `dropped` counts what `judgements` left out."""

    def __init__(self, name: str, files: Mapping[str, Path]) -> None:
        super().__init__(f"source {name!r}")
        self._files: dict[FileRole, list[tuple[Path, str]]] = {part: [] for part in get_args(FileRole)}
        for path in sorted(files):
            self._files[_part(path)].append((files[path], path))
        self.dropped: Counter[str] = Counter()

    def passages(self, lang: Lang) -> Iterator[Passage]:
        """Every passage whose text is in the files, each id once, in the order of the files."""
        self._speaks(lang)
        held: set[str] = set()
        for title, body, id_ in self._bodies():
            if id_ not in held and (passage_ := passage(title, body, id_)).text:
                held.add(id_)
                yield passage_
        if not held:
            self._lacks("passages")

    def questions(self, lang: Lang, kind: str, each: int) -> Iterator[Question]:
        """Every topic, judged or not, the first `each` of them (0 or less: all)."""
        self._speaks(lang)
        if kind not in ("", KIND):
            raise SourceError(f"{self._what} has no questions of kind {kind!r}, expected {KIND}", 'ask for "": all')
        return islice((_question(*topic) for topic in self._topics.items()), each if each > 0 else None)

    def judgements(self, lang: Lang, each: int) -> Iterator[tuple[Question, list[Judgement]]]:
        """Every judged topic with the judged passages whose texts are here, the first `each` topics (0: all)."""
        self._speaks(lang)
        if not self._files["qrels"]:
            self._lacks("graded passages")
        return islice(self._judged.items(), each if each > 0 else None)

    def runs(self) -> dict[str, list[RunEntry]]:
        """The runs in the files by pinned path: what a first stage of retrieval gave, best first for each topic."""
        by_path = {path: list(ranked(file, path)) for file, path in self._files["run"]} | self._rank_llm.runs
        return {path: sorted(by_path[path], key=lambda entry: (entry.topic, entry.rank)) for path in sorted(by_path)}

    @cached_property
    def _judged(self) -> dict[Question, list[Judgement]]:
        grades: dict[str, dict[str, int]] = {}
        for file, path in self._files["qrels"]:
            for line in judged_lines(file, path):
                if grades.setdefault(line.topic, {}).setdefault(line.passage, line.grade) != line.grade:
                    raise SourceError(
                        f"{line.where}: passage {line.passage} has another grade for topic {line.topic} before",
                        "Keep one of the two.",
                    )
        wanted = {passage for of_topic in grades.values() for passage in of_topic}
        here = {id_ for _, body, id_ in self._bodies() if id_ in wanted and tidy(body)}
        self.dropped.clear()
        self.dropped["topic without a text"] = len(grades.keys() - self._topics.keys())
        self.dropped["topic without judgements"] = len(self._topics.keys() - grades.keys())
        judged = {}
        for topic, wording in self._topics.items():
            if topic in grades:
                judgements = [Judgement(topic, id_, grade) for id_, grade in grades[topic].items() if id_ in here]
                self.dropped["judged passage without a text"] += len(grades[topic]) - len(judgements)
                if judgements:
                    judged[_question(topic, wording)] = judgements
        return judged

    @cached_property
    def _topics(self) -> dict[str, str]:
        """The text of each topic; those of runs after those of topics' files."""
        topics: dict[str, str] = {}
        for file, path in self._files["topics"]:
            for id_, wording in _topic_rows(file, path):
                topics.setdefault(id_, wording)
        for id_, wording in self._rank_llm.topics.items():
            topics.setdefault(id_, wording)
        return {id_: wording for id_, given in topics.items() if (wording := tidy(given))}

    def _bodies(self) -> Iterator[tuple[str, str, str]]:
        """(title, text, id) of every passage, also of those that come again."""
        for file, path in self._files["passages"]:
            yield from _collection(file, path)
        for id_, (title, body) in self._rank_llm.passages.items():
            yield title, body, id_

    @cached_property
    def _rank_llm(self) -> RankLlm:
        """What the runs of rank_llm hold, read once."""
        merged = RankLlm({}, {}, {})
        for file, path in self._files["rank_llm"]:
            run = merged.runs.setdefault(path, [])
            for hit in _hits(file, path):
                run.append(hit.ranked)
                merged.topics.setdefault(hit.ranked.topic, hit.query)
                merged.passages.setdefault(hit.ranked.passage, (hit.title, hit.text))
        return merged

    def _speaks(self, lang: Lang) -> None:
        if lang != "en":
            raise SourceError(f"{self._what} is in en, asked for {lang}", "take a source in that language")


def tables(name: str, files: Mapping[str, Path]) -> MsMarco:
    """The tables of the files. Raises SourceError on a file whose name does not tell what it holds."""
    return MsMarco(name, files)


def _part(path: str) -> FileRole:
    for word, part in _BY_NAME:
        if word in path.lower():
            return part
    raise SourceError(
        f"{path}: its name does not say what it holds, expected one of {', '.join(word for word, _ in _BY_NAME)} in it",
        "Name the file after its content: qrels.txt, topics.txt, collection.tsv, retrieve_results.json, run.txt.",
    )


def _question(id: str, wording: str) -> Question:
    return Question(id, KIND, wording, ())


def _topic_rows(file: Path, path: str) -> Iterator[tuple[str, str]]:
    if form(path) in ("txt", "tsv"):
        for _, id_, wording in pairs(file, path):
            yield id_, wording
        return
    for where, _, value in rows(file, path, _COLUMNS):
        row = as_row(value, where)
        yield _id(row, _TOPIC_IDS, where), text(row, "query" if "query" in row else "text", where)


def _collection(file: Path, path: str) -> Iterator[tuple[str, str, str]]:
    # Nothing in collection.tsv is quoted: a quotation mark there belongs to the text.
    if form(path) in ("txt", "tsv"):
        for _, id_, body in pairs(file, path):
            yield "", body, id_
        return
    for where, _, value in rows(file, path, _COLUMNS):
        row = as_row(value, where)
        body = next((field for field in ("text", "contents", "content") if field in row), "text")
        yield text(row, "title", where, ""), text(row, body, where), _id(row, _PASSAGE_IDS, where)


def _hits(file: Path, path: str) -> Iterator[Hit]:
    for where, _, value in rows(file, path):
        row = as_row(value, where)
        query: Any = row.get("query")
        wording = text(query, "text", where) if isinstance(query, dict) else text(row, "query", where)
        topic = identifier(query, _TOPIC_IDS, where) if isinstance(query, dict) else identifier(row, ("qid",), where)
        for number, hit in enumerate(values(row, "hits", where), start=1):
            here = f"{where}, hits[{number - 1}]"
            hit = as_row(hit, here)
            id_ = _id(hit, _PASSAGE_IDS, here)
            topic = topic or _id(hit, ("qid",), here)
            score = hit.get("score", 0.0)
            if isinstance(score, bool) or not isinstance(score, int | float) or not math.isfinite(score):
                raise wrong(here, "score", score, "a number")
            ranked = RunEntry(topic, id_, integer(hit, "rank", here, number), float(score))
            yield Hit(ranked, wording, text(hit, "title", here, ""), text(hit, "content", here))


def _id(row: Fields, fields: tuple[str, ...], where: str) -> str:
    if id_ := identifier(row, fields, where):
        return id_
    raise SourceError(f"{where}: none of {', '.join(fields)}, expected an id", "Fetch the file again.")
