"""Chinese articles in Markdown (members of a zip, as the LCTT translation project keeps them) -> documents.

What remains is running Chinese prose: front matter, headings, code, tables, images, link targets, credits and
footers go, link texts and emphasised words stay without their marks. What is dropped must not change without a
new reader version.
"""

import html
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from carrara.sources import formats as archive
from carrara.sources.document import SourceDocument, stem, tidy
from carrara.sources.readers.books import HAN

MIN_HAN = 12
MIN_HAN_SHARE = 0.3

_HAN = re.compile(f"[{HAN}]")
_FRONT_MATTER = re.compile(r"\s*\[#\]:")
_LINK_DEFINITION = re.compile(r"\s{0,3}\[[^\[\]]{1,80}\]:")
_RULE = re.compile(r"\s{0,3}(?:[-=*_]\s?){3,200}$")
_LONG_RULE = re.compile(r"-{20,200}$")
_FENCE = re.compile(r"\s*(?:>\s*)?(?:```|~~~)")
_HEADING = re.compile(r"\s{0,3}#{1,6}")
_ITEM = re.compile(r"\s*(?:[*+•-]|\d{1,3}[.)、．])\s+")
_STEP = re.compile(r"\s*\d{1,3}(?:、|．|\.(?=[^\s\d.]))")
_QUOTE = re.compile(r"\s{0,3}(?:>\s?){1,4}")
_ABOUT_AUTHOR = re.compile(r"[\W_]{0,6}(?:作者简介|关于作者|作者介绍|译者简介|关于译者|作者[:：])")
_VIA = re.compile(r"[\W_]{0,6}via\s?[:：]", re.IGNORECASE)
_CREDIT = re.compile(
    r"[\W_]{0,6}(?:题图|图片来源|图片提供|图：|图片：|图源|来源：|原文|本文由|译者|校对|选题|作者：|编译|译自|转载)"
)

_CREDIT_CHARACTERS = 120

_RUBY = re.compile(r"<rt>[^<>]{0,200}</rt>")
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,300}>")
_IMAGE = re.compile(r"!\[[^\[\]]{0,300}\](?:\([^()]{0,800}\)|\[[^\[\]]{0,80}\])?")
_LINK = re.compile(r"\[([^\[\]]{1,300})\]\s?\([^()]{0,500}(?:\([^()]{0,200}\)[^()]{0,300})?\)")
_REFERENCE = re.compile(r"\[([^\[\]]{1,300})\]\s?\[[^\[\]]{0,80}\]")
_NOTE_MARK = re.compile(r"\[(?:\^?\d{1,3}|T\d{1,2})\]")
_STARS = re.compile(r"\*{1,3}([^*]{1,400})\*{1,3}")
_UNDERLINES = re.compile(r"(?<![A-Za-z0-9_/.])_{1,2}([^_]{1,400})_{1,2}(?![A-Za-z0-9_])")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>|~-])")
_ADDRESS = re.compile(
    r"(?-i:http)|https?:|ftp://|www\.|\]\(|`{3}|\[#\]|={5}|&nbsp;|\|\s?:?-{3}|-{3}:?\s?\|", re.IGNORECASE
)
_WIDE = f"{HAN}，。、；：！？…—“”‘’「」『』《》（）【】"
_MARKS = "，。、；：！？“「『《（【”」』》）】…—"
# Spaces that no reader sees: beside a full-width mark and between two characters.
_LOOSE = re.compile(rf"(?<=[{_WIDE}]) (?=[{_WIDE}])|(?<=[{_MARKS}]) | (?=[{_MARKS}])")


def read(files: Mapping[str, Path]) -> Iterator[SourceDocument]:
    """One document a member; an article with the title or the first paragraph of an earlier one is passed over."""
    titles: set[str] = set()
    openings: set[str] = set()
    for path in sorted(files):
        for member, text in archive.zip_texts(files[path], path):
            title, paragraphs = article(text)
            title = title or stem(member)
            if not paragraphs or title in titles or paragraphs[0] in openings:
                continue
            titles.add(title)
            openings.add(paragraphs[0])
            yield SourceDocument(f"{stem(path)}/{member.removesuffix('.md')}", title, paragraphs)


def article(text: str) -> tuple[str, tuple[str, ...]]:
    """Title and running prose of one article; either may be empty."""
    lines = [line for line in text.split("\n") if not _FRONT_MATTER.match(line)]
    title, lines = _title(lines)
    prose = (_prose(paragraph) for paragraph in _paragraphs(_without_footer(lines)))
    return title, tuple(paragraph for paragraph in prose if paragraph)


def _title(lines: list[str]) -> tuple[str, list[str]]:
    for number, line in enumerate(lines):
        if line.strip():
            after = lines[number + 1] if number + 1 < len(lines) else ""
            if line.startswith("#") or (_RULE.match(after) and after.strip().startswith("=")):
                return tidy(_inline(line.lstrip("#"))), lines[number + 1 :]
            return "", lines[number:]
    return "", []


def _without_footer(lines: list[str]) -> list[str]:
    """What stands above the credits: the last `via:` line, the rule above it, and a note on the author before it."""
    end = max((number for number, line in enumerate(lines) if _VIA.match(line)), default=len(lines))
    while end and (not lines[end - 1].strip() or _RULE.match(lines[end - 1])):
        end -= 1
    for number in range(2 * end // 3, end):
        if _ABOUT_AUTHOR.match(lines[number]) or _LONG_RULE.match(lines[number]):
            return lines[:number]
    return lines[:end]


def _paragraphs(lines: list[str]) -> Iterator[str]:
    """Blocks of lines that may hold prose, list items apart; code, headings, tables and definitions are left out."""
    block: list[str] = []
    fenced = False
    for line in [*lines, ""]:
        if _FENCE.match(line):
            # A fence that opens and closes on one line leaves the state as it was.
            fenced = fenced ^ (line.count("```") != 2)
            line = ""
        elif fenced:
            continue
        if _RULE.match(line) and block:
            block = []  # the underline of a heading, or a rule: prose is always followed by a blank line here
        elif not line.strip() or _is_no_prose(line):
            if block:
                yield " ".join(block)
            block = []
        elif (bare := _without_marker(line)) != line:
            if block:
                yield " ".join(block)
            block = [bare]
        else:
            block.append(line.strip())


def _without_marker(line: str) -> str:
    """The line without the marks of quotations and list items, which may stand in each other."""
    for _ in range(4):
        if not (marker := _QUOTE.match(line) or _ITEM.match(line) or _STEP.match(line)):
            break
        line = line[marker.end() :]
    return line


def _is_no_prose(line: str) -> bool:
    text = line.strip()
    return bool(
        _HEADING.match(line)
        or _RULE.match(line)
        or _LINK_DEFINITION.match(line)
        or text.startswith("|")
        or line.count(" | ") > 1
        or (line.startswith(("    ", "\t")) and not _HAN.match(text) and not _ITEM.match(line))
    )


def _prose(paragraph: str) -> str:
    """The paragraph as a reader sees it, or nothing when it is no Chinese prose."""
    if _CREDIT.match(paragraph):
        return ""
    text = _LOOSE.sub("", tidy(_inline(paragraph)))
    characters = len(_HAN.findall(text))
    if "CC BY" in text and len(text) < _CREDIT_CHARACTERS:
        return ""
    dense = len(text) - text.count(" ")
    if characters < MIN_HAN or characters < MIN_HAN_SHARE * dense or _ADDRESS.search(text) or "\ufffd" in text:
        return ""
    return text


def _inline(text: str) -> str:
    """Marks off, words kept; code spans keep their content untouched by the rules for emphasis."""
    text = _IMAGE.sub("", _TAG.sub("", _RUBY.sub("", text)))
    # Twice: a link's text may be a link or an image with a link.
    for _ in range(2):
        text = _NOTE_MARK.sub("", _REFERENCE.sub(r"\1", _LINK.sub(r"\1", text)))
    # Even parts stand outside of code spans.
    parts = re.split(r"`{1,2}", text)
    for number in range(0, len(parts), 2):
        part = _UNDERLINES.sub(r"\1", _STARS.sub(r"\1", parts[number])).replace("**", "").replace("__", "")
        parts[number] = _ESCAPE.sub(r"\1", part)
    return html.unescape("".join(parts))
