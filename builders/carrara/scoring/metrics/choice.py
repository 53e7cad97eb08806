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
from itertools import groupby
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
    "or": "/&+|",
    "dash": "-\u2013\u2014",
    "open": "([{<_\u3010",
    "close": ")]}\u3011",
    "quote": "\"'>\u201c\u201d\u2018\u2019\u300c\u300d\u300e\u300f",
}
# Rules over kinds: "/" is or, "?" may be missing, "*" any number, "+" one or more.
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
# What may stand between a denial or doubt and what it is of.
_BETWEEN: Final = frozenset(("the", "right", "modal", "mind", "it", "be", "of"))
# An "A" before one of these is no article, and before one of those a letter with a full stop is no initial.
_AFTER_A: Final = frozenset(("because", "be"))
_STARTS: Final = "The This That It He She They According Because Since In As There No Not None Nothing Based I We If"
# Not part of a response that is a letter.
_FILLERS: Final = frozenset(("answer", "option", "the", "be", "right", "pick", "lead"))
_CJK: Final = "\u2e80-\u9fff"
_KINDS: Final = {word: kind for kind, words in _WORDS.items() for word in words.split()} | {
    sign: kind for kind, signs in _SIGNS.items() for sign in signs
}
_CHINESE: Final = sorted((word for word in _KINDS if word > "\u2e80" and word.isalpha()), key=len, reverse=True)
_TOKEN: Final = re.compile(
    rf"\n|(?:(?![{_CJK}])[^\W_])+(?:['\u2019](?:(?![{_CJK}])[^\W\d_])+)?"
    rf"|{'|'.join(_CHINESE)}|\S"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?;\u3002])\s|(?<=[\u3002\uff01\uff1f\uff1b;])|\n")


class Token(NamedTuple):
    """A word, number, sign or end of a line; `is_spaced`: a space stands before it."""

    text: str
    kind: str
    start: int
    is_spaced: bool

    @property
    def is_sign(self) -> bool:
        """Whether it is a sign, or the end of a line."""
        return not self.text[0].isalnum()


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

    def after(self, place: int) -> "_Text":
        """The text from a token on."""
        start = self.tokens[place].start if place < len(self.tokens) else len(self.text)
        return _Text(self.text[start:], self.options)

    def kind(self, place: int) -> str:
        """The kind of a token; "line" beyond the last."""
        return self.tokens[place].kind if place < len(self.tokens) else "line"

    def match(self, rule: str, place: int) -> int | None:
        """Where a rule ends that begins at a token; None if it does not match there."""
        for kinds, most, is_needed in _rule(rule):
            count = 0
            while count < most and self.kind(place) in kinds:
                place += 1
                count += 1
            if is_needed and not count:
                return None
        return place

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
        return any(not token.is_sign for token in self.tokens[answer:place])

    def drop_problems(self) -> None:
        """Cut off another problem, and its answer, after a text that begins with an answer: a base model goes on so."""
        if not self.led(0) and not self.equal(self.text.strip().partition("\n")[0]):
            return
        place = self._line_end(self._signs(0, ("line",))) + 1
        while place < len(self.tokens):
            if self._is_problem(0, place):
                self._cut(place)
                return
            place = self._line_end(place) + 1

    def _cut(self, place: int) -> None:
        self.text = self.text[: self.tokens[place].start]
        self.tokens = self.tokens[:place]

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
        for place, token in enumerate(self.tokens):
            letter = None
            if token.kind == "letter":
                letter = token.text if self._is_right(place) else None
            elif token.kind in _CLAIMING and not self._is_denied(place):
                ends = [end for rule in _CLAIMS if (end := self.match(rule, place)) is not None]
                letter = (self.led(max(ends)) or self.equal_from(max(ends))) if ends else None
            if letter:
                found = {letter} if token.kind == "lead" or self._concludes(place) else found | {letter}
        return found

    def _concludes(self, place: int) -> bool:
        """Whether a claim follows "so"."""
        before = (token.kind for token in reversed(self.tokens[max(0, place - _REPEATED) : place]))
        return next((kind for kind in before if kind not in ("the", "right", "comma")), "") == "lead"

    def _is_right(self, place: int) -> bool:
        """Whether a letter is said to be the right one, alone: "A or B is correct" says it of none."""
        if self.tokens[place].text not in self.options.letters or self._is_denied(place):
            return False
        is_alone = not place or self.kind(place - 1) != "or"
        return is_alone and any(self.match(rule, place) is not None for rule in _VERDICTS)

    def alone(self) -> str | None:
        """The letter that the whole text consists of, or else its last line."""
        if len(self.text) <= _LINE and (letter := _lone(self.tokens, self.options, False)):
            return letter
        lines = [list(line) for is_end, line in groupby(self.tokens, lambda token: token.kind == "line") if not is_end]
        if not lines or not (letter := _lone(lines[-1], self.options, True)):
            return None
        return None if any(_lone(line, self.options, True) for line in lines[:-1]) else letter

    def told(self) -> set[str]:
        """The options that are whole lines, if the last line is one, or if there are several."""
        lines = self.text.strip().split("\n")
        found = {letter for line in lines if (letter := self.equal(line))}
        return found if len(found) > 1 or self.equal(lines[-1]) else set()

    def apart(self) -> set[str]:
        """The letters set apart: (B), option B, 选项B, "B)" at the start of a line, and B at that of the text."""
        found = set()
        is_start = True
        for place, token in enumerate(self.tokens):
            if token.kind == "letter" and token.text in self.options.letters:
                before, after = self.kind(place - 1) if place else "line", self.tokens[place + 1 : place + 2]
                closing = after[0].text if after and not after[0].is_spaced else ""
                in_brackets = before == "open" and closing and closing in ")]" and self._doubts(place - 1) != "not"
                at_start = is_start and closing and closing in ").:" and self.standing(place)
                if in_brackets or at_start or before == "option":
                    found.add(token.text)
            is_start = token.kind == "line" or (is_start and token.is_sign)
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
        others = [token.kind for token in (*before.tokens, *after.tokens)]
        if "not" in others or "doubt" in others or sentence.endswith("?"):
            return None
        # Articles and quotes may stand between.
        then = [token.kind for token in before.tokens if token.kind not in ("the", "quote", "colon", "open")]
        ends = all(token.is_sign for token in after.tokens)
        begins = all(token.is_sign for token in before.tokens)
        is_said = then[-1:] == ["be"] or (begins and after.kind(after._signs(0)) in ("be", "modal"))
        return named[0] if ends or is_said else None

    def standing(self, place: int) -> str | None:
        """The letter at a place; None if it is an article, an initial or one of several."""
        token = self.tokens[place]
        letter = token.text.upper()
        if letter not in self.options.letters or self._is_one_of_several(place):
            return None
        after = self._signs(place + 1, ("close", "quote"))
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
        at = self._signs(place + 1, ("close", "quote"))
        joined = self.match("comma? or? option? open? quote?", at) or at
        if joined == at and not (at < len(self.tokens) and self.tokens[at].is_spaced):
            return False
        if self.kind(joined) != "letter":
            return False
        other = self.tokens[joined].text
        if other == letter or other not in self.options.letters:
            return False
        following = self.tokens[joined + 1] if joined + 1 < len(self.tokens) else None
        # A pronoun or an article.
        if other not in "AI" or following is None or following.kind == "or":
            return True
        return not (following.is_spaced and following.text[:1].islower())

    def _is_denied(self, place: int) -> bool:
        """Whether what stands before denies or doubts it."""
        return self._doubts(place) in ("not", "doubt")

    def _doubts(self, place: int) -> str:
        """The kind of what stands before, without what may stand between a denial and what it is of."""
        before = (token.kind for token in reversed(self.tokens[max(0, place - _REPEATED) : place]))
        return next((kind for kind in before if kind not in _BETWEEN), "")

    def _letter(self, place: int) -> int | None:
        place = self._signs(place, ("open", "quote", "close"))
        if self.kind(place) == "option":
            place = self._signs(place + 1, ("open", "quote"))
        return place if self.kind(place) == "letter" else None

    def _signs(self, place: int, kinds: tuple[str, ...] = ()) -> int:
        """Where the signs (of these kinds, or of any) end that begin at a place, in its line."""
        while place < len(self.tokens) and (
            self.kind(place) in kinds if kinds else self.tokens[place].is_sign and self.kind(place) != "line"
        ):
            place += 1
        return place

    def _line_end(self, place: int) -> int:
        while self.kind(place) != "line":
            place += 1
        return place

    def equal_from(self, place: int) -> str | None:
        """The option whose text is what follows, up to the end of its sentence."""
        if place >= len(self.tokens):
            return None
        start = self.tokens[place].start
        line = self.text[start : start + self.options.reach + 1].partition("\n")[0]
        return self.equal(line) or self.equal(re.split("[.;!?\u3002]", line, maxsplit=1)[0])

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
        word = found[0]
        if len(word) == 1 and word.isascii() and word.isalpha():
            kind = "letter"
        elif word == "\n":
            kind = "line"
        else:
            lower = word.lower()
            kind = _KINDS.get(lower) or ("number" if word.isdigit() else "not" if lower[-3:] in _NT else "word")
        yield Token(word, kind, found.start(), found.start() > end)
        end = found.end()


_NT: Final = ("n't", "n\u2019t")


@lru_cache(maxsize=64)
def _rule(rule: str) -> tuple[tuple[frozenset[str], int, bool], ...]:
    """The items of a rule: kinds, how many at most, and whether one is needed."""
    items = []
    for item in rule.split():
        kinds = frozenset(item.rstrip("?*+").split("/"))
        items.append((kinds, _REPEATED if item[-1] in "*+" else 1, item[-1] not in "?*"))
    return tuple(items)


# The kinds that a claim begins with.
_CLAIMING: Final = frozenset(kind for rule in _CLAIMS for kind in _rule(rule)[0][0])


def _lone(tokens: Sequence[Token], options: OptionTexts, is_capital: bool) -> str | None:
    """The letter that tokens consist of, with nothing but signs and words such as "option"."""
    kept = [token for token in tokens if not token.is_sign and token.kind not in _FILLERS]
    letter = kept[0].text if len(kept) == 1 and kept[0].kind == "letter" else ""
    return (
        letter.upper()
        if letter and letter.upper() in options.letters and (letter.isupper() or not is_capital)
        else None
    )


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
