"""Choice: does a response name the correct option of a row?

`choices` holds the texts of 2 to 26 options, `answers[0]` the letter of the correct one. The forms of an answer are
tried in this order, and the first that occurs decides:

1. the last line in the requested form, `Answer: B` or `答案：B`, also in JSON, bold, bracketed, or with the text;
2. the last `\boxed{B}`;
3. "the answer is B", "I choose B", "B is correct", "答案是B", "选B": all occurrences must agree;
4. a response that consists of a letter;
5. a response, or its last line, that equals the text of one option;
6. a letter set apart, as "(B)", "option B", "选项B", or "B)" at the start of a line: there must be only one.

An "A" before a word is an article, never a letter; two letters in one form ("B or C") name nothing. If another
"Question:" follows an answer, the text before it is read. The last 65,536 characters are read, in linear time.
`choice/helmet/paper` is in `published/infinitebench.py`.

`idk` (Michelangelo, arXiv:2409.12640, section 2.3) has four options, and (D) is "I don't know". Besides the forms
above, free text counts as (D) if it says that the answer is missing, by a fixed list of phrases in the first 400
characters. In a conflict a letter in forms 1 to 5 ("Answer: B") wins. Otherwise a refusal that names exactly one other
option, by letter or text ("(B) is not mentioned", "a goose, but the story does not say so"), is no answer.

`choice/paper` is NeedleBench's published reader (arXiv:2407.11963v1), defects included: the first option letter that a
pattern finds. An article "A" counts as option A, and so does the first capital of a name that is one of the letters.
The patterns are tried in order, each over the whole text: a Chinese verdict, "the answer is X", X as the last word, X
as a word, X with a colon, X anywhere. One difference: only the first 4,096 characters are read.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from carrara.scoring.facts import ScoredRow, first_answer
from carrara.text.fold import fold, is_echo, occurs, window

READ: Final = 65_536
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# How many characters of an answer are read.
_LINE: Final = 400

# Markup without meaning, removed everywhere.
_MARKUP: Final = str.maketrans(dict.fromkeys("*`$~\u200b\u200c\u200d\u2060\ufeff"))
_SPACES: Final = re.compile(r"[^\S\n]+")
_OPENERS: Final = "\"'“‘「『【<{(\\[_"
_CLOSERS: Final = " \"'”’」』】>})]_"
_EDGES: Final = " \t\n\"'“”‘’「」『』【】<>{}()[]_.,;:!?。，；：！？、-"
_ASKED: Final = re.compile(
    r"^[^\w\n]{0,40}(?:(?:so|thus|hence|therefore)\b,? ?)?(?:(?:the|my) )?(?:(?:final|correct|best|right) )?"
    r"(?:answer|choice|option|(?:最终|正确|我的)?(?:答案|回答|选项|选择))"
    r"(?: to (?:the |this )?question)?(?: [0-9]{1,4})?[\"'”’_]{0,4} ?(?:is|是|为)? ?[:=] ?",
    re.IGNORECASE | re.MULTILINE,
)
_QUESTION: Final = re.compile(r"^[^\w\n]{0,8}(?:next )?question(?: [0-9]{1,4})?[\"'”’_]{0,4} ?[:：]", re.I | re.M)
_BOXED: Final = re.compile(r"\\boxed ?\{ ?(?:\\[a-z]{2,8} ?\{ ?)?([^{}\n]{1,400})\}")
_SAID: Final = re.compile(
    r"(?<!wrong )(?<!incorrect )\b(?:answer|choice|option|(?:correct|right|best) one)\b[\"']?"
    r"(?: to (?:the |this )?question)?(?: [0-9]{1,4})?"
    r"(?: (?:is|must be|would be|should be):?| ?:) ?"
    r"|(?<!not )(?<!n't )\b(?:choose|pick|select|chose|go with)\b:? ?"
    r"|(?:答案|回答|选项)(?:应该?)?(?:是|为|选)?[:是为选] ?"
    r"|(?<!不)(?:应该?|故|因此|所以|我|只能|会|要|想)选(?:择|项)?(?:是|为)?:? ?",
    re.IGNORECASE,
)
_RIGHT: Final = re.compile(
    r"(?<![A-Za-z0-9])([A-Z])[)\]]?(?: is (?:the )?(?:correct|right|best)\b| ?[是为]?(?:正确|对的))"
)
_APART: Final = re.compile(r"[(\[]([A-Z])[)\]]|(?:\b[Oo]ption |\b[Cc]hoice |选项 ?)([A-Z])(?![A-Za-z0-9'’])")
_LINE_START: Final = re.compile(r"^[ \"'>#-]{0,8}([A-Z])(?=[).:])(.{0,40})", re.MULTILINE)
# A letter that does not continue as a word, after opening marks or the word "option".
_LETTER: Final = re.compile(
    rf"[ {_OPENERS}]{{0,8}}(?:(?:option|choice|letter)\b ?|选项? ?)?[{_OPENERS}]{{0,4}} ?([A-Za-z])(?![A-Za-z0-9])",
    re.IGNORECASE,
)
_ANOTHER: Final = re.compile(
    r"[\"'”’」』】>})\]]{0,8} ?(?:,? ?(?:and|or)\b|或者?|[和与及,/&+、|]) ?(?:option |选项 ?)?[(\[\"']?"
    r"(?:([B-HJ-Z])(?![A-Za-z0-9'’])|([AI])(?![A-Za-z0-9'’]| [a-z]))"
)
# Before the first of these an "A" is no article, before the second a letter with a full stop is no initial.
_AFTER_A: Final = re.compile(r"(?:because|since|as|is|was|due)\b")
_AFTER_DOT: Final = re.compile(
    r" (?:The|This|That|It|He|She|They|According|Because|Since|In|As|There|No|Not|None|Nothing|Based|I|We|If)\b"
)
_STOP: Final = re.compile("[.;!?。]")
_ALONE: Final = re.compile(r"\b(?:option|choice|letter|answer|the|is|final)\b|选项|选择?|答案|是|为", re.IGNORECASE)
_LEAD: Final = re.compile(
    r"(?:so |thus |therefore |hence )?,? ?(?:the )?(?:final |correct |right )?answer (?:is|would be):? ?"
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The letter that a response names; `decided` unless it was only set apart (form 6)."""

    letter: str
    decided: bool


@dataclass(frozen=True, slots=True)
class OptionTexts:
    """The letters of a row's options and their texts, folded and stripped of marks.

    `reach`: an option's text, with what may precede it, fits in this many characters of a response.
    """

    letters: str
    texts: tuple[str, ...]
    reach: int


def options_of(row: ScoredRow) -> OptionTexts:
    """Return the options of a row; none if it has no `choices`."""
    texts = tuple(fold(text).strip(_EDGES) for text in row.get("choices") or ())[: len(LETTERS)]
    return OptionTexts(LETTERS[: len(texts)], texts, 2 * max(map(len, texts), default=0) + 60)


def choice(response: str, row: ScoredRow) -> float:
    """Return 1 if the response names the option of `answers[0]`, else 0; an echo of the prompt scores 0."""
    read = read_option(plain(response), options_of(row))
    value = float(read is not None and read.letter == first_answer(row))
    # The echo test comes last: it is the only step that reads the prompt.
    return 0.0 if value and is_echo(response, row) else value


def circular(values: Sequence[float]) -> float:
    """Return the score of a question asked with its options in several orders: 1 if correct in all, else 0.

    `values`: the scores of the rows of one group, in [0, 1]. Raises ValueError if there are none.
    """
    if not values:
        raise ValueError("got no values, expected the scores of the rows of one group")
    return float(all(value >= 1 for value in values))


def plain(response: str) -> str:
    """Return the last 65,536 characters in NFKC, without markup and with single spaces within lines."""
    tail = response[-READ:]
    # Character by character: normalising a long run of combining marks at once takes quadratic time.
    strange = {
        ord(character): unicodedata.normalize("NFKC", character) for character in set(tail) if not character.isascii()
    }
    # NFKC may turn one character into eighteen.
    return _SPACES.sub(" ", tail.translate(strange)[-READ:].translate(_MARKUP).replace("\r", "\n"))


def read_option(text: str, options: OptionTexts) -> Reading | None:
    """Return the letter that a text (from `plain`) names; None if it names none or several."""
    if not (asked := _ASKED.search(text)):
        return _read_free(text, options)
    further = _QUESTION.search(text, asked.end())
    if further and text[asked.end() : further.start()].strip(_EDGES):
        text = text[: further.start()]
    asked = _last(_ASKED, text) or asked
    # In the requested form, the rest is the answer, whatever came before.
    rest = text[asked.end() :].strip()
    line = rest[:_LINE].partition("\n")[0]
    if letter := _leading(line, options):
        return Reading(letter, True)
    match = _LETTER.match(line)
    return None if match and _another(line[match.end() :], match[1], options) else _read_free(rest, options)


def letters_apart(text: str, options: OptionTexts) -> frozenset[str]:
    """Return the letters set apart in a text (from `plain`): (B), option B, 选项B, and "B)" at the start of a line."""
    letters = {match[1] or match[2] for match in _APART.finditer(text)}
    letters |= {match[1] for match in _LINE_START.finditer(text) if _leading(match[1] + match[2], options)}
    if letter := _leading(text.lstrip()[:_LINE].partition("\n")[0], options):
        letters.add(letter)
    return frozenset(letters & set(options.letters))


def _read_free(text: str, options: OptionTexts) -> Reading | None:
    """Forms 2 to 6."""
    if boxed := _last(_BOXED, text):
        letter = _leading(boxed[1], options) or _exact(boxed[1], options)
        return Reading(letter, True) if letter else None
    said = {match[1] for match in _RIGHT.finditer(text) if match[1] in options.letters}
    for match in _SAID.finditer(text):
        line = text[match.end() : match.end() + _LINE].partition("\n")[0]
        if letter := _leading(line, options) or _exact(_STOP.split(line[: options.reach + 1], 1)[0], options):
            said.add(letter)
        if len(said) > 1:
            return None
    if said:
        return Reading(said.pop(), True)
    text = text.strip()
    whole = _ALONE.sub("", text).strip(_EDGES).upper() if len(text) <= _LINE else ""
    if len(whole) == 1 and whole in options.letters:
        return Reading(whole, True)
    if letter := _exact(text, options) or _exact(text.rpartition("\n")[2], options):
        return Reading(letter, True)
    apart = letters_apart(text, options)
    return Reading(min(apart), False) if len(apart) == 1 else None


def _leading(line: str, options: OptionTexts) -> str | None:
    """The letter at the start of a line; None for an article, an initial, a word, or two letters."""
    match = _LETTER.match(line)
    if not match or (letter := match[1].upper()) not in options.letters:
        return None
    rest = line[match.end() :]
    if _another(rest, letter, options):
        return None
    body = rest.lstrip(_CLOSERS)
    closed = rest[: len(rest) - len(body)]
    # Nothing else, or a closing bracket: a letter in either case.
    if not body.strip(_EDGES) or set(closed) & set(")]}"):
        return letter
    if match[1] == letter and _stands_alone(letter, closed, body):
        return letter
    # "A a barn owl": the option's own text.
    text, said = options.texts[options.letters.index(letter)], fold(body[: options.reach]).strip(_EDGES)
    return letter if text and said.startswith(text) and not said[len(text) : len(text) + 1].isalnum() else None


def _stands_alone(letter: str, closed: str, body: str) -> bool:
    """Whether a capital followed by other text is a letter, and neither an article nor an initial."""
    mark = body[0]
    if closed == " ":
        return mark in "-–—=(" or letter not in "AI" or _AFTER_A.match(body) is not None
    if mark == "." and not closed:
        # "B. The story says" but not "B. Smith".
        return not body.startswith(". ") or _AFTER_DOT.match(body, 1) is not None
    return mark in ".,;:!?。、" or (not closed and ord(mark) > 0x2E7F)


def _another(rest: str, letter: str, options: OptionTexts) -> bool:
    """Whether a second letter follows, as in "B or C"."""
    match = _ANOTHER.match(rest)
    other = (match[1] or match[2]) if match else letter.upper()
    return other != letter.upper() and other in options.letters


def _exact(text: str, options: OptionTexts) -> str | None:
    """The letter of the only option that equals a short text, without "the answer is" and marks at the ends."""
    if not text or len(text) > options.reach:
        return None
    folded = _LEAD.sub("", fold(text), count=1).strip(_EDGES)
    letters = [
        letter for letter, option in zip(options.letters, options.texts, strict=True) if folded and option == folded
    ]
    return letters[0] if len(letters) == 1 else None


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    last = None
    for match in pattern.finditer(text):
        last = match
    return last


OPTION_READ: Final = 4_096
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# X is any of the letters. The published patterns in their order; adjacent ones are merged where order does not matter.
_STEPS: Final = (
    r"答案(?:应该?)?[是为选]?\s?[：:]?\s?(X)",
    r"选择?\s?(X)",
    r"只有选?项?\s?(X)\s?(?:是?[对错]|不?正确|错误)",
    r"说法(?:不?对|不?正确|错误)选?项?的?是\s?(X)",
    r"(X)\s?是正确(?:的|答案)",
    r"选项\s?(X)\s?正确",
    r"(?:所以答?|所有|因此|显然)\s?(X)[.。]?$",
    r"[\s，：:,](X)[。，,.]?$",
    r"[是为。]\s?(X)[。.]?$",
    r"[Tt]he (?:correct )?answer (?:to the question )?is (?:option )?(X)",
    r"^(X)\s?选?项",
    r"(?:\s|^)(X)(?=[\s。，,：:.$]|$)",
    r"(X):",
    r"(X)",
)


def choice_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if the first option found in the response is `answers[0]`, else 0."""
    letters = _LETTERS[: len(row.get("choices") or ())]
    return float(bool(letters) and first_option(response, letters) == first_answer(row))


def first_option(response: str, letters: str) -> str:
    """Return the letter that the first matching pattern finds; "" if none matches."""
    text = response[:OPTION_READ]
    return next((match[1] for step in _compiled(letters) if (match := step.search(text))), "")


@lru_cache(maxsize=32)
def _compiled(letters: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(step.replace("X", f"[{letters}]")) for step in _STEPS)


_REFUSAL: Final = re.compile(
    r"\b(?:not|\w{2,6}n't|can't|cannot|never) (?:\w+ ){0,2}?(?:(?:say|mention|state|specify|tell|know|give|reveal|"
    r"provide|contain|include|disclose|indicate|determine|infer|answer)s?|said|told|known|given|(?:mention|stat|specifi|reveal|"
    r"provid|contain|includ|disclos|indicat|determin|inferr|answer|describ)ed|determinable|clear)\b"
    r"|\bnothing (?:is|was|in) (?:\w+ ){0,4}?(?:said|told|mentioned|stated|says|tells|mentions|states)\b"
    r"|\bno (?:\w+ )?(?:information|mention|indication|answer|way to (?:know|tell))\b"
    r"|\b(?:not enough|insufficient|lacks?|without) (?:\w+ )?(?:information|context|details?)\b"
    r"|\bimpossible to (?:know|say|tell|determine|answer)\b"
    r"|\b(?:unknown|unspecified|unstated|undetermined|unanswerable|dunno)\b"
    r"|不知道|无法(?:确定|得知|判断|回答)|(?:没有|未)(?:被)?(?:提到|提及|说明|给出)"
)


def idk(response: str, row: ScoredRow) -> float:
    """Return 1 if the response names the option of `answers[0]`, else 0; a refusal counts as the last option."""
    value = float(read_idk(response, row) == first_answer(row))
    return 0.0 if value and is_echo(response, row) else value


def read_idk(response: str, row: ScoredRow) -> str:
    """Return the letter that a response means; "" if it means none."""
    options, text = options_of(row), plain(response)
    if not options.letters:
        return ""
    unknown = options.letters[-1]
    read = read_option(text, options)
    opening = window(response, ())
    if (read and (read.decided or read.letter == unknown)) or not _REFUSAL.search(opening):
        return read.letter if read else ""
    named = set(letters_apart(text, options)) | {
        letter for letter, option in zip(options.letters, options.texts, strict=True) if occurs(option, opening)
    }
    return "" if len(named - {unknown}) == 1 else unknown
