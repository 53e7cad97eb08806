"""Classical Chinese novels in plain text (one file each, gzip or not) -> one document a chapter.

The wording is kept as it stands, with each edition's own punctuation (one of them ends its sentences with U+FF0E and
closes quotations with an ASCII quote). White space goes. A paragraph that holds anything but Chinese characters and
punctuation is damaged (mojibake, page furniture, censored words, 【】 around the parts of a character that no font
had) and is dropped whole; `dropped` counts them.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from carrara.errors import SourceError
from carrara.sources.document import Document, read_text, stem, tidy

HAN = "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
_HEADING = re.compile(r"(?:第[〇零一二三四五六七八九十百两]{1,6}回|楔子|引首|序章)(?=\s|$)")
_HEADING_CHARACTERS = 40
_DAMAGED = re.compile(
    # An ASCII question mark stands for a character that could not be converted: the real ones are full-width.
    rf"[^{HAN}〇\s，。、；：！？…—－─∶·．“”‘’「」『』《》〈〉（）()〔〕\",.:;!`\-]"
)
_FURNITURE = frozenset({"首页", "回首页", "前一页", "后一页", "上一页", "下一页", "回目录", "目录", "返回目录"})
_TITLE = re.compile(r"《[^《》]{1,20}》[^，。！？：]{0,20}$")
_HAN = re.compile(f"[{HAN}]")
_SPACE = re.compile(r"\s+")
_STUB = 3


class Chapter(NamedTuple):
    """A heading and what stands below it."""

    heading: str
    paragraphs: tuple[str, ...]
    dropped: int


def read(files: Mapping[str, Path]) -> Iterator[Document]:
    """One document a chapter, numbered from 1 (0 is what stands before the first heading)."""
    for path in sorted(files):
        found = chapters(read_text(files[path], path))
        if not any(chapter.paragraphs for chapter in found):
            raise SourceError(f"{path}: no Chinese text found", "Check that the file is a novel in plain text.")
        for number, chapter in enumerate(found):
            if chapter.paragraphs:
                yield Document(f"{stem(path)}/{number:03d}", chapter.heading or stem(path), chapter.paragraphs)


def chapters(text: str) -> list[Chapter]:
    """The novel cut at its headings; the first entry is what stands before them."""
    cut: list[tuple[str, list[str]]] = [("", [])]
    for line in map(tidy, text.split("\n")):
        if _HEADING.match(line) and len(line) <= _HEADING_CHARACTERS:
            cut.append((line, []))
        elif line:
            cut[-1][1].append(line)
    return [_chapter(heading, lines) for heading, lines in cut]


def _chapter(heading: str, lines: list[str]) -> Chapter:
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
    return Chapter(heading, tuple(paragraphs), dropped)
