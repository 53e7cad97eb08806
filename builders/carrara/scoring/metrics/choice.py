"""Choice: does a response name the correct option of a row?

`choices` holds the texts of 2 to 26 options, `answers[0]` the letter of the correct one. A response is cut into tokens,
each of a kind (`_WORDS`, `_SIGNS`), and read by rules over kinds (`_ASKED`, `_CLAIMS`, `_VERDICTS`). The forms of an
answer are tried in this order, and the first that occurs decides:

1. the last line in the requested form, `Answer: B` or `答案：B`, also in JSON, bold, bracketed, or with the text;
2. the last `\\boxed{B}`;
3. "the answer is B", "I choose B", "it is B", "B is correct", "答案是B", "选B": all occurrences must agree, but for
   what stands before one that concludes ("So it is B");
4. a letter that is the whole response, or the whole last line;
5. a response, or its last line, that equals the text of one option;
6. a letter set apart, as "(B)", "option B", "选项B", or "B)" at the start of a line: there must be only one;
7. a last sentence that names one option by its text, at its end or as what something is, and does not deny, doubt or
   ask it.

An "A" before a word is an article, never a letter; two letters in one form ("B or C") name nothing. Wrong stay: two
options, all of them, the question told again, a denied option. If another "Question:" follows an answer, the text
before it is read: a base model goes on so. The last 65,536 characters are read, in linear time. `choice/paper` and
`choice/helmet/paper` are in `published`.

`idk` (Michelangelo, arXiv:2409.12640, section 2.3) has four options, and (D) is "I don't know". Besides the forms
above, free text counts as (D) if its first 400 characters or its last sentence say that the answer is missing, by a
fixed list of phrases. In a conflict a letter in forms 1 to 5 ("Answer: B") wins. Otherwise a refusal that names exactly
one other option, by letter or text ("(B) is not mentioned", "a goose, but the story does not say so"), is no answer.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_letters, ascii_lowercase
from typing import Final, NamedTuple

from carrara.scoring.facts import ScoredRow, first_answer
from carrara.scoring.responses import reading
from carrara.text.fold import fold, is_echo, occurs, window

READ: Final = 65_536
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# How many characters of a line or sentence are read.
_LINE: Final = 400
_EDGES: Final = (
    " \t\n\"'\u201c\u201d\u2018\u2019\u300c\u300d\u300e\u300f\u3010\u3011<>{}()[]_.,;:!?"
    "\u3002\uff0c\uff1b\uff1a\uff01\uff1f\u3001-"
)

# What the rules speak of. A word is of one kind; a single letter is a `letter`, all else a `word`.
_WORDS: Final = {
    "answer": "answer answers guess 答案 回答 答",
    "option": "option choice letter 选项",
    "of": "to of for",
    "the": "the this my our your 的",
    "question": "question 问题 题目",
    "example": "example problem story conversation 例 例题",
    "next": "next",
    "right": "correct right best final 最终",
    "right_zh": "正确 正确的 对的",
    "one": "one",
    "be": "is are was were be been called named 是 为 即 叫 名叫 应为 应是 应该是",
    "modal": "must would should will can could 应 应该 最后 就",
    "it": "it that 它 这",
    "it_is": "it's its that's",
    "pick": "choose pick select chose picked chosen 选 选择 选取",
    "go": "go going",
    "with": "with",
    "mind": "think believe say 认为 觉得 我 能 会 要 想 只能",
    "lead": "so thus hence therefore finally probably prob 所以 因此 故 综上 综上所述",
    "or": "or and 或 或者 和 与 及 以及",
    "because": "because since as due",
    "not": "not cannot never no nor neither none nothing nobody wrong incorrect without 不 没 没有 未 无 非 并非 错误",
    "doubt": "if whether perhaps maybe might may possibly either unsure unless 如果 若 可能 也许 或许 是否",
}
_SIGNS: Final = {
    "colon": ":=",
    "stop": ".!?;\u3002",
    "comma": ",\u3001",
    "slash": "/&+|",
    "dash": "-\u2013\u2014",
    "open": "([{<_\u3010",
    "close": ")]}\u3011",
    "quote": "\"'>\u201c\u201d\u2018\u2019\u300c\u300d\u300e\u300f",
}
# Rules over kinds: "/" is or, "?" may be missing, "*" at most 8, "+" 1 to 8; no item gives back what it has taken.
_NAMED: Final = "quote? of? the* question? number? quote? close?"
_ASKED: Final = f"lead* comma? lead/the/right* answer/option {_NAMED} modal* be* colon"
_PROBLEMS: Final = ("next? question number? quote? colon", "example number")
_CLAIMS: Final = (
    f"answer/option {_NAMED} modal* be+ colon?",
    f"answer/option {_NAMED} colon",
    "right one modal* be+ colon?",
    "pick be? colon?",
    "go with colon?",
    "it modal* be+ colon?",
    "it_is colon?",
    "mind+ be colon?",
    "question number quote? colon",
    "lead comma?",
)
_VERDICTS: Final = ("letter close? modal* be the* right/answer", "letter close? be? right_zh")
# How often "*" and "+" repeat, and how far back a denial is looked for.
_REPEATED: Final = 8
# An "A" before one of these is no article, and before one of those a letter with a full stop is no initial.
_AFTER_A: Final = frozenset(("because", "be"))
_STARTS: Final = "The This That It He She They According Because Since In As There No Not None Nothing Based I We If"
_CJK: Final = "\u2e80-\u9fff"
_KINDS: Final = {
    **{word: kind for kind, words in _WORDS.items() for word in words.split()},
    **{sign: kind for kind, signs in _SIGNS.items() for sign in signs},
    **dict.fromkeys(ascii_lowercase, "letter"),
    "\n": "line",
}
_CHINESE: Final = sorted((word for word in _KINDS if word > "\u2e80" and word.isalpha()), key=len, reverse=True)
_TOKEN: Final = re.compile(
    rf"\n|(?:(?![{_CJK}])[^\W_])+(?:['\u2019](?:(?![{_CJK}])[^\W\d_])+)?"
    rf"|{'|'.join(_CHINESE)}|\S"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?;\u3002])\s|(?<=[\u3002\uff01\uff1f\uff1b;])|\n")
_PART: Final = re.compile("[^.;!?\u3002\n]*+")
# Each kind is a character, so that a text is a string of kinds and a rule a regular expression.
_SHORT: Final = dict(zip((*_WORDS, *_SIGNS, "letter", "number", "line", "word", "sign"), ascii_letters, strict=False))
_NAMES: Final = {short: kind for kind, short in _SHORT.items()}


def _short(kinds: str) -> str:
    return "".join(_SHORT[kind] for kind in kinds.split("/"))


@lru_cache(maxsize=64)
def _rule(rule: str) -> re.Pattern[str]:
    often = {"?": "?+", "*": f"{{0,{_REPEATED}}}+", "+": f"{{1,{_REPEATED}}}+"}
    return re.compile("".join(f"[{_short(item.rstrip('?*+'))}]{often.get(item[-1], '')}" for item in rule.split()))


_CLAIMS_OF: Final = {
    kind: [rule for rule in (*_CLAIMS, *_VERDICTS) if kind in rule.split()[0].rstrip("+").split("/")] for kind in _SHORT
}
_CLAIMING: Final = re.compile(f"[{''.join(_SHORT[kind] for kind, rules in _CLAIMS_OF.items() if rules)}]")
# What may stand between a denial or doubt and what it is of, between "so" and a claim, and before an option's text.
_BETWEEN: Final = _short("the/right/modal/mind/it/be/of")
_CONCLUDING: Final = _short("the/right/comma")
_BEFORE_TEXT: Final = _short("the/quote/colon/open")
_DENIED: Final = re.compile(f"[{_short('not/doubt')}]")
_LINE_END: Final = _SHORT["line"]
_SIGN: Final = _short("/".join((*_SIGNS, "sign")))
# What a response that is a letter may hold besides.
_BESIDE: Final = _SIGN + _short("answer/option/the/be/right/pick/lead")
_IN_LINE: Final = re.compile(f"[{_SIGN}]*+")
_IN_LINES: Final = re.compile(f"[{_SIGN}{_LINE_END}]*+")
_LINES: Final = re.compile(f"{_LINE_END}*+")
_CLOSING: Final = re.compile(f"[{_short('close/quote')}]*+")
_LED: Final = re.compile(
    f"[{_short('open/quote/close')}]*+(?:{_short('option')}[{_short('open/quote')}]*+)?({_short('letter')})"
)
_LETTER: Final = re.compile(f"(?P<start>(?<![^{_LINE_END}])[{_SIGN}]*+)?{_short('letter')}")
_LONE: Final = re.compile(f"[{_BESIDE}{_LINE_END}]*+({_short('letter')})[{_BESIDE}{_LINE_END}]*+")
_LONE_LINE: Final = re.compile(f"(?<![^{_LINE_END}])[{_BESIDE}]*+({_short('letter')})[{_BESIDE}]*+(?![^{_LINE_END}])")


class Token(NamedTuple):
    """A word, number, sign or end of a line; `is_spaced`: a space stands before it."""

    text: str
    kind: str
    start: int
    is_spaced: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """The letter that a response names; `decided` unless it was only set apart or told in a sentence (forms 6, 7)."""

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
    read = read_option(response, options_of(row))
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
    # NFKC may turn one character into eighteen.
    return reading.plain(response[-READ:])[-READ:]


def read_option(response: str, options: OptionTexts) -> Reading | None:
    """Return the letter that a response names; None if it names none or several."""
    text = _Text(plain(response), options)
    text.drop_problems()
    if (asked := text.asked()) is not None:
        if letter := text.led(asked) or text.equal_from(asked):
            return Reading(letter, True)
        if text.names_several(asked):
            return None
        text = text.after(asked)
    elif boxed := reading.boxed(response[-READ:]):
        inside = _Text(boxed, options)
        letter = inside.led(0) or inside.equal(boxed)
        return Reading(letter, True) if letter else None
    claimed = text.claimed()
    if claimed:
        return Reading(min(claimed), True) if len(claimed) == 1 else None
    if letter := text.alone():
        return Reading(letter, True)
    if told := text.told():
        return Reading(min(told), True) if len(told) == 1 else None
    if apart := text.apart():
        return Reading(min(apart), False) if len(apart) == 1 else None
    sentence = text.last_sentence()
    return Reading(sentence, False) if sentence else None


class _Text:
    """A text (from `plain`) as tokens, with the options that it may name."""

    def __init__(self, text: str, options: OptionTexts) -> None:
        self.text = text
        self.options = options
        self.tokens = list(_tokens(text))
        # A character a token, so that rules are regular expressions.
        self.kinds = "".join([_SHORT[token.kind] for token in self.tokens])

    def after(self, place: int) -> "_Text":
        """The text from a token on."""
        start = self.tokens[place].start if place < len(self.tokens) else len(self.text)
        return _Text(self.text[start:], self.options)

    def kind(self, place: int) -> str:
        """The kind of a token; "line" beyond the last."""
        return self.tokens[place].kind if place < len(self.tokens) else "line"

    def match(self, rule: str, place: int) -> int | None:
        """Where a rule ends that begins at a token; None if it does not match there."""
        found = _rule(rule).match(self.kinds, place)
        return found.end() if found else None

    def asked(self) -> int | None:
        """Where the answer stands after the last line in the requested form; None without one.

        Another problem that follows an answer is cut off.
        """
        last: int | None = None
        place = 0
        while place < len(self.tokens):
            begin = self._signs(place)
            if last is not None and self._is_problem(last, place):
                self._cut(place)
                return last
            found = self.match(_ASKED, begin)
            if found is not None:
                last = found
                while last < len(self.tokens) and self.kind(last) == "line":
                    last += 1
            place = self._line_end(max(place, begin)) + 1
        return last

    def _is_problem(self, answer: int, place: int) -> bool:
        """Whether another problem begins at a place, with something between it and the answer."""
        begin = self._signs(place)
        if all(self.match(rule, begin) is None for rule in _PROBLEMS):
            return False
        return self._signs(answer, _IN_LINES) < place

    def drop_problems(self) -> None:
        """Cut off another problem, and its answer, after a text that begins with an answer: a base model goes on so."""
        if not self.led(0) and not self.equal(self.text.strip().partition("\n")[0]):
            return
        place = self._line_end(self._signs(0, _LINES)) + 1
        while place < len(self.tokens):
            if self._is_problem(0, place):
                self._cut(place)
                return
            place = self._line_end(place) + 1

    def _cut(self, place: int) -> None:
        self.text = self.text[: self.tokens[place].start]
        self.tokens = self.tokens[:place]
        self.kinds = self.kinds[:place]

    def led(self, place: int) -> str | None:
        """The letter at the start of what follows; None for an article, an initial, a word, or two letters."""
        letter = self._letter(place)
        return self.standing(letter) if letter is not None else None

    def names_several(self, place: int) -> bool:
        """Whether what follows starts with two letters, as "B or C"."""
        letter = self._letter(place)
        return letter is not None and self._is_one_of_several(letter)

    def claimed(self) -> set[str]:
        """The letters of all claims and verdicts, or that of the last one if it concludes: "So it is B"."""
        found: set[str] = set()
        for beginning in _CLAIMING.finditer(self.kinds):
            place = beginning.start()
            kind = self.kind(place)
            ends = [end for rule in _CLAIMS_OF[kind] if (end := self.match(rule, place)) is not None]
            if not ends or self._is_denied(place):
                continue
            letter = self._right(place) if kind == "letter" else self.led(max(ends)) or self.equal_from(max(ends))
            if letter:
                found = {letter} if kind == "lead" or self._before(place, _CONCLUDING) == "lead" else found | {letter}
        return found

    def _right(self, place: int) -> str | None:
        """The letter of a verdict, if it is an option and alone: "A or B is correct" names none."""
        is_alone = not place or self.kind(place - 1) not in ("or", "slash")
        return self.tokens[place].text if is_alone and self.tokens[place].text in self.options.letters else None

    def alone(self) -> str | None:
        """The letter that the whole text consists of, or else its last line."""
        if len(self.text) <= _LINE and (only := _LONE.fullmatch(self.kinds)):
            letter = self.tokens[only.start(1)].text.upper()
            if letter in self.options.letters:
                return letter
        places = [line.start(1) for line in _LONE_LINE.finditer(self.kinds)]
        letters = [place for place in places if self.tokens[place].text in self.options.letters]
        if len(letters) != 1 or _LINE_END in self.kinds[letters[0] :].rstrip(_LINE_END):
            return None
        return self.tokens[letters[0]].text

    def told(self) -> set[str]:
        """The options that are whole lines, if the last line is one, or if there are several."""
        lines = self.text.strip().split("\n")
        found = {letter for line in set(lines) if (letter := self.equal(line))}
        return found if len(found) > 1 or self.equal(lines[-1]) else set()

    def apart(self) -> set[str]:
        """The letters set apart: (B), option B, 选项B, "B)" at the start of a line, and B at that of the text."""
        found = set()
        for beginning in _LETTER.finditer(self.kinds):
            place = beginning.end() - 1
            said = self.tokens[place].text
            if said in found or said not in self.options.letters:
                continue
            before, after = self.kind(place - 1) if place else "line", self.tokens[place + 1 : place + 2]
            closing = after[0].text if after and not after[0].is_spaced else ""
            in_brackets = (
                before == "open" and closing and closing in ")]" and self._before(place - 1, _BETWEEN) != "not"
            )
            at_start = beginning["start"] is not None and closing and closing in ").:" and self.standing(place)
            if in_brackets or at_start or before == "option":
                found.add(said)
        letter = self.led(0)
        return found | ({letter} if letter else set())

    def last_sentence(self) -> str | None:
        """The letter of the only option that the last sentence names, if that says that it is it."""
        sentences = [one for one in _SENTENCE.split(self.text[-2 * _LINE :]) if any(map(str.isalnum, one))]
        # An option's text may hold a full stop.
        for start in (-1, -2):
            sentence = " ".join(sentences[start:])
            if -start <= len(sentences) and len(sentence) <= _LINE and (letter := self._told(fold(sentence))):
                return letter
        return None

    def _told(self, sentence: str) -> str | None:
        spans = {}
        for letter, option in zip(self.options.letters, self.options.texts, strict=True):
            if occurs(option, sentence):
                spans[letter] = (sentence.rfind(option), sentence.rfind(option) + len(option))
        named = [one for one, (start, end) in spans.items() if not _is_inside(start, end, spans.values())]
        if len(named) != 1:
            return None
        start, end = spans[named[0]]
        before, after = _Text(sentence[:start], self.options), _Text(sentence[end:], self.options)
        if _DENIED.search(before.kinds + after.kinds) or sentence.endswith("?"):
            return None
        ends = after._signs(0, _IN_LINES) == len(after.tokens)
        begins = before._signs(0, _IN_LINES) == len(before.tokens)
        # Articles and quotes may stand between.
        told = before.kinds.rstrip(_BEFORE_TEXT)[-1:]
        is_said = told == _SHORT["be"] or (begins and after.kind(after._signs(0)) in ("be", "modal"))
        return named[0] if ends or is_said else None

    def standing(self, place: int) -> str | None:
        """The letter at a place; None if it is an article, an initial or one of several."""
        token = self.tokens[place]
        letter = token.text.upper()
        if letter not in self.options.letters or self._is_one_of_several(place):
            return None
        after = self._signs(place + 1, _CLOSING)
        signs = self._signs(after)
        if self.kind(signs) == "line":
            # Nothing else.
            return letter
        if any(self.kind(one) == "close" for one in range(place + 1, after)):
            return letter
        if token.text == letter and self._stands_as_capital(letter, place, after):
            return letter
        # "A a barn owl": the option's own text.
        option = self.options.texts[self.options.letters.index(letter)]
        start = self.tokens[after].start
        line = self.text[start : start + self.options.reach].partition("\n")[0]
        said = fold(line).strip(_EDGES)
        is_told = option and said.startswith(option) and not said[len(option) : len(option) + 1].isalnum()
        return letter if is_told else None

    def _stands_as_capital(self, letter: str, place: int, after: int) -> bool:
        following = self.tokens[after]
        is_next = after == place + 1
        if is_next and following.is_spaced:
            return (
                following.kind in ("dash", "open")
                or letter not in "AI"
                or following.kind in _AFTER_A
                or following.text == "="
            )
        if is_next and following.text == ".":
            # "B. The story says" but not "B. Smith".
            beyond = self.tokens[after + 1]
            return not beyond.is_spaced or beyond.text in _STARTS.split()
        return following.kind in ("stop", "comma", "colon") or (is_next and following.text[0] >= "\u2e80")

    def _is_one_of_several(self, place: int) -> bool:
        """Whether a second letter follows, as in "B or C"."""
        letter = self.tokens[place].text.upper()
        at = self._signs(place + 1, _CLOSING)
        joined = self.match("comma? or/slash? option? open? quote?", at) or at
        if joined == at and not (at < len(self.tokens) and self.tokens[at].is_spaced):
            return False
        if self.kind(joined) != "letter":
            return False
        other = self.tokens[joined].text
        if other == letter or other not in self.options.letters:
            return False
        following = self.tokens[joined + 1] if joined + 1 < len(self.tokens) else None
        # A pronoun or an article.
        if other not in "AI" or following is None or following.kind in ("or", "slash"):
            return True
        return not (following.is_spaced and following.text[:1].islower())

    def _is_denied(self, place: int) -> bool:
        """Whether what stands before denies or doubts it."""
        return self._before(place, _BETWEEN) in ("not", "doubt")

    def _before(self, place: int, skipped: str) -> str:
        """The kind of what stands before a place, without what may stand between; "" if nothing else does."""
        kinds = self.kinds[max(0, place - _REPEATED) : place].rstrip(skipped)
        return _NAMES[kinds[-1]] if kinds else ""

    def _letter(self, place: int) -> int | None:
        found = _LED.match(self.kinds, place)
        return found.start(1) if found else None

    def _signs(self, place: int, kinds: re.Pattern[str] | None = None) -> int:
        """Where the signs (of these kinds, or of any) end that begin at a place, in its line."""
        found = (kinds or _IN_LINE).match(self.kinds, place)
        return found.end() if found else place

    def _line_end(self, place: int) -> int:
        end = self.kinds.find(_LINE_END, place)
        return end if end >= 0 else len(self.kinds)

    def equal_from(self, place: int) -> str | None:
        """The option whose text is what follows, up to the end of its sentence."""
        if place >= len(self.tokens):
            return None
        start = self.tokens[place].start
        end = start + self.options.reach + 1
        if (part := _PART.match(self.text, start, end)) is None or part.end() == end:
            return None
        return self.equal(self.text[start:end].partition("\n")[0]) or self.equal(part[0])

    def equal(self, text: str) -> str | None:
        """The letter of the only option that equals a short text, but for marks at the ends."""
        if not text or len(text) > self.options.reach:
            return None
        folded = fold(text).strip(_EDGES).removesuffix("吧")
        letters = [
            letter
            for letter, option in zip(self.options.letters, self.options.texts, strict=True)
            if folded and option == folded
        ]
        return letters[0] if len(letters) == 1 else None


def _tokens(text: str) -> Iterator[Token]:
    end = 0
    for found in _TOKEN.finditer(text):
        word, start = found[0], found.start()
        yield Token(word, _KINDS.get(lower := word.lower()) or _other_kind(lower), start, start > end)
        end = found.end()


def _other_kind(word: str) -> str:
    if not word[0].isalnum():
        return "sign"
    return "number" if word.isdigit() else "not" if word.endswith(("n't", "n\u2019t")) else "word"


def _is_inside(start: int, end: int, spans: Iterable[tuple[int, int]]) -> bool:
    return any(first <= start and end <= last and last - first > end - start for first, last in spans)


_REFUSAL: Final = re.compile(
    r"\b(?:not|\w{2,6}n't|cannot|(?:do|does|did|ca)nt|never) (?:\w+ ){0,2}?(?:(?:say|mention|state|specify|tell|know|"
    r"give|reveal|provide|contain|include|disclose|indicate|determine|infer|answer)s?|said|told|known|given|(?:mention|"
    r"stat|specifi|reveal|provid|contain|includ|disclos|indicat|determin|inferr|answer|describ)ed|determinable|clear)\b"
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
    options = options_of(row)
    if not options.letters:
        return ""
    unknown = options.letters[-1]
    read = read_option(response, options)
    ending = fold(response[-_LINE:])
    opening = window(response, ())
    if len(response) > _LINE:
        # The last sentence, if it begins here.
        opening += "\n" + "".join(_SENTENCE.split(ending)[1:][-1:])
    if (read and (read.decided or read.letter == unknown)) or not _REFUSAL.search(opening):
        return read.letter if read else ""
    named = _Text(plain(response), options).apart() | {
        letter for letter, option in zip(options.letters, options.texts, strict=True) if occurs(option, opening)
    }
    # All options, a line each, are the question told again.
    return "" if len(named - {unknown}) == 1 or len(named) == len(options.letters) else unknown
