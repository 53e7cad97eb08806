"""Passages of real corpora: what becomes of a title and a text, and the passages that stand beside a question.

The same passage in two files is one passage: its id is the first 16 hex digits of the sha256 of "title\ntext" after
tidying. Beside a question are read `ctxs` (Lost in the Middle, DPR), `paragraphs` (PopQA, MuSiQue), `context` of
HotpotQA as pairs and as columns, and `docs` (ALCE).

Must not change without a new version of every reader of passages: ids, where articles are cut, how a text is put
together.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from carrara.errors import SourceError
from carrara.sources.document import tidy
from carrara.sources.fields import Fields, all_text, as_row, flag, rows, text, values, wrong
from carrara.tables import Passage

WORDS: Final = 100
_OPENING: Final = "\"'“‘«"


def content_id(text: str) -> str:
    """The first 16 hex digits of the sha256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def passage(title: str, text: str, id: str = "") -> Passage:
    """A passage of one line each, its text perhaps empty; without an `id` it is called by what it holds."""
    title, text = tidy(title), tidy(text)
    return Passage(id or content_id(f"{title}\n{text}"), title, text)


def dump_passage(title: str, text: str) -> Passage:
    """A passage of the Wikipedia dump of DPR, whose text begins with the title where the article begins.

    The title is taken off where the text says it again, or goes on as a sentence begins: with a capital, a digit or a
    quotation mark. "Joseph Kony and others were ..." keeps it.
    """
    title, text = tidy(title), tidy(text)
    rest = text[len(title) + 1 :]
    if title and text.startswith(f"{title} ") and rest:
        begins = rest[0].isupper() or rest[0].isdigit() or rest[0] in _OPENING
        if begins or rest.startswith(title):
            text = rest
    return Passage(content_id(f"{title}\n{text}"), title, text)


def article(title: str, paragraphs: Iterable[str]) -> Iterator[Passage]:
    """An article in passages of 100 words, the last one shorter; headings and list marks of KILT are left out."""
    words: list[str] = []
    for number, line in enumerate(paragraphs):
        line = tidy(line)
        if line.startswith("Section::::") or (number == 0 and line == tidy(title)):
            continue
        words += line.removeprefix("BULLET::::").removeprefix("- ").split()
    for start in range(0, len(words), WORDS):
        yield passage(title, " ".join(words[start : start + WORDS]))


# What ALCE's prompts write before a passage.
_NUMBERED: Final = re.compile(r"Document \[\d{1,4}\]\(")


class Context(NamedTuple):
    """A passage beside a question, and whether the dataset says that it supports the answer."""

    passage: Passage
    supporting: bool


def contexts(row: Fields, where: str) -> list[Context]:
    """The passages of a row, in its order; none without text. A row without any is no error."""
    beside = [*_marked(row, "ctxs", "isgold", where), *_marked(row, "paragraphs", "is_supporting", where)]
    beside += [Context(document, False) for document in _documents(row, where)]
    if row.get("context") is not None:
        beside += _articles(row, where)
    return [context for context in beside if context.passage.text]


def supporting_titles(row: Fields, where: str) -> set[str]:
    """The titles that HotpotQA's supporting facts name."""
    facts = _columns(row.get("supporting_facts"), "title", "sent_id", f"{where}, supporting_facts")
    return {tidy(title) for title, _ in facts}


def _marked(row: Fields, field: str, mark: str, where: str) -> Iterator[Context]:
    for number, entry in enumerate(rows(row, field, where)):
        here = f"{where}, {field}[{number}]"
        body = "text" if "text" in entry else "paragraph_text"
        yield Context(passage(text(entry, "title", here, ""), text(entry, body, here)), flag(entry, mark, here))


def _documents(row: Fields, where: str) -> Iterator[Passage]:
    for number, document in enumerate(values(row, "docs", where)):
        here = f"{where}, docs[{number}]"
        if isinstance(document, str):
            head = _NUMBERED.match(document)
            title, colon, body = document[head.end() :].partition("): ") if head else ("", "", "")
            if not colon:
                raise wrong(here, "it", document, '"Document [1](title): text"')
            yield dump_passage(title, body)
        else:
            document = as_row(document, here)
            yield dump_passage(text(document, "title", here, ""), text(document, "text", here))


def _articles(row: Fields, where: str) -> Iterator[Context]:
    """HotpotQA's articles; those that its supporting facts name are supporting."""
    named = supporting_titles(row, where)
    for title, sentences in _columns(row["context"], "title", "sentences", f"{where}, context"):
        if not isinstance(sentences, list):
            raise wrong(where, "context", sentences, "a list of sentences after each title")
        # Each sentence but the first begins with its space, nearly always.
        joined = " ".join(all_text(sentences, where, "context"))
        article_ = passage(title, joined)
        yield Context(article_, article_.title in named)


def _columns(value: object, first: str, second: str, where: str) -> list[tuple[str, Any]]:
    """Pairs from a list of pairs, or from an object of two lists of one length."""
    pairs: list[Any]
    if value is None:
        pairs = []
    elif isinstance(value, dict):
        left, right = values(value, first, where), values(value, second, where)
        if len(left) != len(right):
            raise SourceError(
                f"{where}: {len(left)} of {first} and {len(right)} of {second}, expected as many", "Fetch it again."
            )
        pairs = list(zip(left, right, strict=True))
    elif isinstance(value, list) and all(isinstance(pair, list) and len(pair) == 2 for pair in value):
        pairs = value
    else:
        raise wrong(where, "it", value, f"a list of pairs, or {first} and {second} as two lists")
    for title, _ in pairs:
        if not isinstance(title, str):
            raise wrong(where, first, title, "text")
    return [(title, other) for title, other in pairs]
