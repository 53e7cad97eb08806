"""Plain-text books: English ones (one file each, gzip or not, or in zips), and classical Chinese novels by chapter.

English paragraphs are blocks between blank lines, their hard-wrapped lines joined. Wording, spelling and dashes stay;
what goes is what the transcription added: `_italics_`, rules of asterisks, notes on illustrations, page marks,
footnotes, and headings that only number a chapter.

Chinese wording is kept as it stands, with each edition's own punctuation (one of them ends its sentences with U+FF0E
and closes quotations with an ASCII quote). White space goes. A paragraph that holds anything but Chinese characters and
punctuation is damaged (mojibake, page furniture, censored words, 【】 around the parts of a character that no font
had) and is dropped whole; `NovelChapter.dropped` counts them.

What is dropped must not change without a new version of the reader.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from carrara.errors import SourceError
from carrara.sources import formats as archive
from carrara.sources.document import SourceDocument, read_text, stem, tidy

# `{301}`, `{Endnote 1}`, `[1]`, `[*]`: page and note marks inside a line.
_MARKS = re.compile(r"\{(?:\d{1,4}[a-z]?|Endnote \d{1,3})\}|\[(?:\d{1,3}|\*)\]|<BR>")
_SUBSCRIPT = re.compile(r"_\{(\d{1,3})\}")
_BLANK = re.compile(r"_{2,}")
_NOTE = re.compile(r"\[\s?_?(?:Illustration|Picture|Transcribers?|Transcriber['’]s|Footnote|Note|Sidenote)\b")
_NUMBER = re.compile(r"[IVXLC]{1,8}\.?|[ivxl]{1,8}\.?|[\divxlIVXLC.\s-]{1,12}")
_HEADING = re.compile(
    r"(?:CHAPTER|Chapter|BOOK|Book|PART|Part|VOLUME|Volume|STAVE|LETTER|Endnote)\s+"
    r"(?:[IVXLC]{1,8}|\d{1,3}|the\s+[A-Z][a-z]{1,12}|First|Second|Third|[A-Z][a-z]{2,10}th"
    r"|[A-Z]{3,12}(?:-[A-Z]{3,12})?|[ivxl]{1,8}(?=\.|$)|(?:One|Two|Three|Four|Five)$)(?![\w'’])"
)
_HEADING_CHARACTERS = 150
_LETTER = re.compile(r"[^\W\d_]")


def read_books(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """One document a file."""
    for path in sorted(files):
        yield from _document(path, stem(path), read_text(files[path], path))


def read_zip(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """One document a member."""
    for path in sorted(files):
        for member, text in archive.zip_texts(files[path], path):
            yield from _document(f"{path}/{member}", f"{stem(path)}/{member.rsplit('.', 1)[0]}", text)


def paragraphs(text: str) -> Iterator[str]:
    """The running text of a book, a paragraph at a time."""
    block: list[str] = []
    for line in [*text.split("\n"), ""]:
        if line := line.strip():
            block.append(line)
        elif block:
            if paragraph := _paragraph(block):
                yield paragraph
            block = []


def _document(path: str, name: str, text: str) -> Iterator[SourceDocument]:
    if kept := tuple(paragraphs(text)):
        words = re.sub(r"^\d+_", "", stem(path)).replace("_", " ")
        yield SourceDocument(name, tidy(words[:1].upper() + words[1:]), kept)


def _paragraph(lines: list[str]) -> str:
    """The block as one line, or nothing when it is no running text."""
    first = lines[0]
    if _NOTE.match(first) or first.startswith("[*]") or (first.startswith("*") and _LETTER.search(first)):
        return ""
    joined = ""
    for line in lines:
        # A line that a dash ends or begins was broken inside a word group that has no space.
        tight = joined.endswith(("--", "—")) or not joined or _ends_in_hyphen(joined) or line.startswith(("--", "—"))
        joined += line if tight else f" {line}"
    joined = _MARKS.sub("", _SUBSCRIPT.sub(r"\1", joined))
    joined = _BLANK.sub("--", joined).replace("_", "").replace("*", "").replace("|", "")
    paragraph = tidy(joined)
    if _HEADING.match(paragraph) and len(paragraph) <= _HEADING_CHARACTERS:
        return ""
    return "" if not _LETTER.search(paragraph) or _NUMBER.fullmatch(paragraph) else paragraph


def _ends_in_hyphen(text: str) -> bool:
    return len(text) > 1 and text[-1] == "-" and text[-2].isalpha()


HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
_CHAPTER_HEADING = re.compile(r"(?:第[〇零一二三四五六七八九十百两]{1,6}回|楔子|引首|序章)(?=\s|$)")
_CHAPTER_HEADING_CHARACTERS = 40
_DAMAGED = re.compile(
    # An ASCII question mark stands for a character that could not be converted: the real ones are full-width.
    rf"[^{HAN}〇\s，。、；：！？…—－─∶·．“”‘’「」『』《》〈〉（）()〔〕\",.:;!`\-]"
)
_FURNITURE = frozenset({"首页", "回首页", "前一页", "后一页", "上一页", "下一页", "回目录", "目录", "返回目录"})
_TITLE = re.compile(r"《[^《》]{1,20}》[^，。！？：]{0,20}$")
_HAN = re.compile(f"[{HAN}]")
_SPACE = re.compile(r"\s+")
_STUB = 3


class NovelChapter(NamedTuple):
    """A heading and what stands below it."""

    heading: str
    paragraphs: tuple[str, ...]
    dropped: int


def read_chinese_novels(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """One document a chapter, numbered from 1 (0 is what stands before the first heading)."""
    for path in sorted(files):
        cut = chapters(read_text(files[path], path))
        if not any(chapter.paragraphs for chapter in cut):
            raise SourceError(f"{path}: no Chinese text found", "Check that the file is a novel in plain text.")
        for number, chapter in enumerate(cut):
            if chapter.paragraphs:
                yield SourceDocument(f"{stem(path)}/{number:03d}", chapter.heading or stem(path), chapter.paragraphs)


def chapters(text: str) -> list[NovelChapter]:
    """The novel cut at its headings; the first entry is what stands before them."""
    cut: list[tuple[str, list[str]]] = [("", [])]
    for line in map(tidy, text.split("\n")):
        if _CHAPTER_HEADING.match(line) and len(line) <= _CHAPTER_HEADING_CHARACTERS:
            cut.append((line, []))
        elif line:
            cut[-1][1].append(line)
    return [_chapter(heading, lines) for heading, lines in cut]


def _chapter(heading: str, lines: list[str]) -> NovelChapter:
    paragraphs: list[str] = []
    dropped = 0
    for line in lines:
        if line in _FURNITURE or (not heading and _TITLE.match(line)):
            continue
        if _DAMAGED.search(line):
            dropped += 1
            continue
        paragraph = _SPACE.sub("", line)
        characters = len(_HAN.findall(paragraph))
        # Verse that was wrapped too early: the last characters of a line stand alone on the next.
        if characters <= _STUB and paragraphs and _HAN.match(paragraphs[-1][-1]) and not _HAN.match(paragraph[-1]):
            paragraphs[-1] += paragraph
        elif characters:
            paragraphs.append(paragraph)
    return NovelChapter(heading, tuple(paragraphs), dropped)
