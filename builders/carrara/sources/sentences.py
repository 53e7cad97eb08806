"""Paragraphs into sentences, English and Chinese.

Joined with " " (English) or "" (Chinese) the sentences give the paragraph back exactly; none has outer white space,
and each holds a letter or a Chinese character unless the whole paragraph has none. English boundaries are those of
nltk's punkt with pinned parameters, which must cut alike everywhere: no rules stand in for it.

Must not change: the boundaries decide which filler units exist, so that a change here changes every release that is
built on real text.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from carrara.engine.files import cache_folder
from carrara.errors import SourceError
from carrara.tables import Lang
from carrara.text.sentences import ENGLISH, objection, parameter_folders, punkt

# Verse and unpunctuated text: a longer sentence is cut at its inner marks.
MAX_CHARACTERS = 600

_LETTER = re.compile(r"[^\W\d_]")
# Punkt knows ASCII quotes alone; one character for one, so that offsets stay.
_PLAIN_QUOTES = str.maketrans("“”‘’", "\"\"''")
_TITLES = frozenset(
    word
    for words in (
        "Mr Mrs Ms Dr St Ste Messrs Mme Mlle Mdme Rev Hon Prof",
        "Gov Pres Supt Capt Col Gen Lieut Lt Maj Sgt Mt viz",
    )
    for word in words.split()
)
# An end mark, what may close after it, and the space before the next word.
_END_EN = re.compile(r"[.?!][\"'”’)\]}]{0,4} ")
_BEGINNING = re.compile(r"\w")
_NUMBERED = frozenset({"No", "Nos", "Fig", "Figs", "Vol", "vol", "p", "pp"})
_WORD_CHARACTERS = 40
_OPENING = "\"'([{“‘-—"
_INITIAL = re.compile(r"(?:[A-Z]\.)*[A-HJ-Z]")
_CUT_EN = re.compile(r"(?<=[;:,]) |(?<=--) ")
_CUT_ZH = re.compile(r"(?<=[，；：、,;])(?![”’」』）》])")

_END_ZH = re.compile(r"[。！？．…?!]+")
_CLOSING_ZH = frozenset("”’」』）》】〕)]")
# What cannot begin a sentence: the end mark before it stood inside the sentence.
_CONTINUES_ZH = frozenset(" ，、；：,;:”’」』）》】〕)]—－─-。！？．…?!~")
_QUOTES_ZH = re.compile(r"[“”\"]")


def split(paragraph: str, lang: Lang) -> list[str]:
    """The sentences of one tidied paragraph (no outer and no double white space); an empty one has none."""
    if " ".join(paragraph.split()) != paragraph:
        raise ValueError(f"expected a tidied paragraph, got {paragraph[:60]!r}")
    if not paragraph:
        return []
    if lang == "zh":
        return _glue([part for text in _chinese(paragraph) for part in _cut(text, _CUT_ZH, "")], "")
    return _glue([part for text in _english(paragraph) for part in _cut(text, _CUT_EN, " ")], " ")


def _english(paragraph: str) -> Iterator[str]:
    start = 0
    for mark in _END_EN.finditer(paragraph):
        space = mark.end() - 1
        word = paragraph[paragraph.rfind(" ", 0, mark.start()) + 1 : space]
        following = paragraph[mark.end() : mark.end() + _WORD_CHARACTERS].split(" ", 1)[0]
        if _ends(word, following) and _breaks(word.translate(_PLAIN_QUOTES), following.translate(_PLAIN_QUOTES)):
            yield paragraph[start:space]
            start = mark.end()
    yield paragraph[start:]


@lru_cache(maxsize=1 << 16)
def _breaks(word: str, following: str) -> bool:
    """Punkt's decision, which rests on these two words alone; remembered, it costs a fifth."""
    return bool(english_tokenizer().text_contains_sentbreak(f"{word} {following}"))


def _ends(word: str, following: str) -> bool:
    """Whether Punkt need be asked; its misses are mostly titles, initials and what follows a quotation."""
    opening = following.lstrip(_OPENING)
    # Neither small letters nor lone marks, as in an ellipsis with spaces, begin a sentence.
    if opening[:1].islower() or not _BEGINNING.search(opening):
        return False
    if not word.endswith("."):
        return True
    bare = word[:-1].lstrip(_OPENING)
    if bare in _TITLES or _INITIAL.fullmatch(bare):
        return False
    return not (bare in _NUMBERED and opening[:1].isdigit())


def _chinese(paragraph: str) -> Iterator[str]:
    closing = _closing_quotes(paragraph)
    start = 0
    for mark in _END_ZH.finditer(paragraph):
        end = mark.end()
        while end < len(paragraph) and (paragraph[end] in _CLOSING_ZH or end in closing):
            end += 1
        if start < end < len(paragraph) and _stands(paragraph, mark.group(), mark.start(), mark.end(), end):
            yield paragraph[start:end]
            start = end
    yield paragraph[start:]


def _stands(paragraph: str, marks: str, begin: int, after: int, end: int) -> bool:
    """Whether the end marks end a sentence whose closing quotes reach to `end`."""
    following = paragraph[end]
    if following in _CONTINUES_ZH:
        return False
    if marks.strip("…") == "":
        # Dots alone trail off inside a sentence as often as at its end; a closing quote decides.
        return end > after
    if marks.strip("．") == "":
        return not (paragraph[begin - 1 : begin].isdigit() and following.isdigit())
    if marks.isascii():
        return begin > 0 and paragraph[begin - 1] > "\u2e7f" and not (following.isascii() and following.isalnum())
    return True


def _closing_quotes(paragraph: str) -> frozenset[int]:
    """Offsets of the ASCII quotes that close a quotation, and of the hyphens that close one begun by a backtick."""
    closing: list[int] = []
    if '"' in paragraph:
        # Some editions open with “ and close with the ASCII quote, so that both kinds count.
        is_open = False
        for quote in _QUOTES_ZH.finditer(paragraph):
            if quote.group() == '"' and is_open:
                closing.append(quote.start())
            is_open = quote.group() == "“" or (quote.group() == '"' and not is_open)
    if "`" in paragraph:
        begin = paragraph.find("`")
        while begin >= 0 and (end := paragraph.find("-", begin)) >= 0:
            closing.append(end)
            begin = paragraph.find("`", end)
    return frozenset(closing)


def _cut(sentence: str, points: re.Pattern[str], joint: str) -> Iterator[str]:
    """The sentence in parts of at most MAX_CHARACTERS, as far as its inner marks allow."""
    if len(sentence) <= MAX_CHARACTERS:
        yield sentence
        return
    pieces = points.split(sentence)
    part = pieces[0]
    for piece in pieces[1:]:
        if part and len(part) + len(joint) + len(piece) > MAX_CHARACTERS and _may_stand(part, piece, joint):
            yield part
            part = piece
        else:
            part += joint + piece
    yield part


def _may_stand(part: str, piece: str, joint: str) -> bool:
    return bool(piece) and (joint == " " or not (part.endswith(" ") or piece.startswith(" ")))


def _glue(parts: list[str], joint: str) -> list[str]:
    """Parts without a letter joined to the one before, or to the one after at the beginning."""
    glued: list[str] = []
    for part in parts:
        if glued and not (_has_letter(part) and _has_letter(glued[-1])):
            glued[-1] += joint + part
        else:
            glued.append(part)
    return glued


def _has_letter(part: str) -> bool:
    # Superscript digits are word characters, neither decimal digits nor letters.
    return any(match.group().isalpha() for match in _LETTER.finditer(part))


@cache
def english_tokenizer() -> Any:
    """The tokenizer with the pinned parameters, made once a process. Raises SourceError where they cannot be had."""
    return punkt(parameter_folder())


def parameter_folder() -> Path:
    """The first folder that holds the four pinned files. Raises SourceError with every folder that does not."""
    reasons: list[str] = []
    for folder in [*parameter_folders(), None]:
        if folder is None:
            folder = _download()
        reason = objection(folder)
        if not reason:
            return folder
        reasons.append(f"{folder}: {reason}")
    raise SourceError(
        "the English sentence parameters of nltk (punkt_tab) were not found; looked in\n    " + "\n    ".join(reasons),
        "Set NLTK_DATA to a folder that holds tokenizers/punkt_tab/english, or let a machine with a network run "
        "python -m nltk.downloader punkt_tab, or pip install --no-deps llama-index-core==0.14.25, which carries it.",
    )


def _download() -> Path:
    folder = cache_folder() / "nltk_data"
    folder.mkdir(parents=True, exist_ok=True)
    # Gives False, and does not raise, when there is no network; the check of the hashes says the rest.
    import nltk

    nltk.download("punkt_tab", download_dir=str(folder), quiet=True)
    return folder / ENGLISH
