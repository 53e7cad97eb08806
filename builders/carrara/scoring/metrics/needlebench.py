"""NeedleBench: does a response give the names that the needles hold? (arXiv 2407.11963v1, section 3.1)

`answer` is the default: it reads the final answer, several by their positions. `keywords`, `single`, `first` and `last`
look for the names anywhere in a bounded part of the response. Those whose names end in `/paper` are the published
evaluators, defects included: some ignore case, and "no" matches in "know". A row's `answers` are the names in the order
of the questions; `facts["reference"]` lists the sentences that hold them, in the same order where there are as many.
Where there are more, the answer follows from all together.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Final

from rapidfuzz.distance import Levenshtein

from carrara.scoring.facts import ScoredRow, facts_of, text_fact, texts_fact
from carrara.scoring.responses import reading
from carrara.text.fold import fold, is_echo, occurs, places, share_found, tidy, window

ALPHA: Final = 0.2
# The last characters of a response that `answer` reads, the lines of them, and the characters of a line.
_READ: Final = 65_536
_LINES: Final = 200
_LINE: Final = 2_000
# The items of a list that it reads.
_PIECES: Final = 2_000
# Stands for a name that was asked for.
_HELD: Final = "\x00"
# Capitalised words that name nothing.
_WORDS: Final = re.compile(
    "a|according|all|also|an|and|answer|answers|are|as|asked|at|based|because|below|but|by|"
    "called|certainly|conclusion|context|copied|document|evidence|excerpt|explanation|extracted|final|"
    "finally|first|following|for|found|from|given|here|i|in|is|it|its|known|line|lines|mentioned|"
    "mr|mrs|ms|my|name|named|names|no|not|note|number|object|of|ok|okay|on|or|order|original|"
    "passage|place|please|question|questions|quote|quoted|reasoning|relevant|respectively|response|"
    "result|results|second|sentence|sentences|since|so|source|statement|step|summary|sure|text|that|"
    "the|their|then|there|therefore|these|this|those|thus|to|was|we|which|who|with|word|words|"
    "yes|you"
)
# A run of capitalised words.
_RUN: Final = re.compile(
    r"[^\W\d_a-z\u3400-\u9fff][\w'-]*(?: (?:(?:of|the|under|on|upon|by|in|de|la) ){0,2}"
    r"[^\W\d_a-z\u3400-\u9fff][\w'-]*)*"
)
# The ending of a word like "I'd".
_SHORT: Final = re.compile(r"'(?:s|d|m|ll|re|ve)$")
_OPENS: Final = re.compile(r"(?:^|[.!?:;\n])[\s\"'\u201c\u201d(\[{*-]*$")
_NOT: Final = re.compile(
    r"(?:\bnot|n't|\bneither|\bnor|\brather than|\binstead of|\bno longer|不是|并非|而非|不叫|不应是)"
    r"(?: (?:called|named|the|in|at|a))*[\s\"'\u201c\u2018\u300c\u300e]*$",
    re.IGNORECASE,
)
_REFUSAL: Final = re.compile(
    r"\b(?:cannot|can't|could not|couldn't|unable to|do not|don't|does not|doesn't|did not|didn't|is not|isn't|no) "
    r"(?:\w+ )?(?:say|tell|know|find|found|mention(?:ed)?|stated?|given?|contain|determine|answer|information)"
    r"|\bunknown\b|不知道|无法|不能确定|不确定|找不到|(?:没有|未)(?:提到|提及|说明|找到|给出)",
    re.IGNORECASE,
)
# What stands between two names of which either, or each, is meant to be the answer.
_JOINT: Final = (
    r"[\"'“”‘’「」』]{0,3} ?(?:,|;|/|\||&|\band\b|\bor\b|、|，|；|或者?|还是|以及|[和与及]) ?"
    r"(?:(?:or|and|maybe|perhaps|possibly|alternatively|it is|也?可能是?|也许是?) ?){0,3}[\"'“”‘’「」『]{0,3}"
)
_JOINED_AFTER: Final = re.compile(f"{_HELD}{_JOINT}", re.IGNORECASE)
_JOINED_BEFORE: Final = re.compile(f"(?:{_JOINT}|\\s?[(（]\\s?){_HELD}", re.IGNORECASE)
_EITHER: Final = re.compile(
    rf"{_HELD}\W{{0,4}}\b(?:or|and/or)\b|\b(?:or|either)\W{{1,4}}{_HELD}"
    rf"|{_HELD}[”」』]?(?:或(?!许)|还是)|或者?[“「『]?{_HELD}",
    re.IGNORECASE,
)
# Where the items of a numbered list in one line begin, and what joins its last two.
_MARKS: Final = re.compile(r"(?<![\w.])(?=\(?(?:[Qq]|第)?[0-9]{1,2} ?(?:[.):：、）]|题)(?![0-9]))")
_ANDS: Final = re.compile(r"\s+and\s+|\s*[&和与]\s*|以及")
_BARS: Final = re.compile(r"\s+[/|]\s+")
# Chinese: a part of a sentence, and what stands before the name that it gives.
_PART: Final = re.compile(r"[^\s，。；：！？、…,.;:!?\"'“”‘’「」『』《》()（）\[\]{}|/&—-]+")
_GIVES: Final = re.compile(r".*(?:叫作|叫做|称作|唤作|或者|还是|以及|[是叫为或和与及])")
# Characters that no name has, and those that make up what is no name, though a name may hold one: 望春楼.
_FUNCTION: Final = frozenset("的了是在这那有我你他她它们不没请就也都很此于或及与您还")
_COMMON: Final = frozenset(
    "上下文句话头最后提到出现里面所以因为根据名字叫作称问题答案回如说中原一谢"
    "可能许帮助希望果以者其他确认无误个件对应分别按顺序列表编号正全部完毕结束开始抄见位"
)
_CJK_NAME: Final = re.compile("[\u3400-\u9fff\u00b7]{2,12}")


def answer(response: str, row: ScoredRow) -> float:
    """Return the share of the row's questions to which the response gives the right name, by position, in [0, 1].

    What follows the last label "Answer:" (答案：) is read; without a label the last line that gives a name.

    One question. Right: the name alone, bold, quoted, in JSON, in any case; a plain sentence ("The jug at Old Mill is
    called X."); the copied sentence, then the name; the copied sentence of the one needle alone, for it holds no other
    name. Wrong: another name, wherever the right one stands; two names, as alternatives or as a list; every name or
    sentence of the text; the name denied ("not X"); sentences copied without a conclusion, where the answer follows
    from several.

    Several questions. Right: a list in the order of the questions, numbered or not, one a line, in one line, as a table
    or JSON; in any order where each name stands with its number, its object or its place ("Q2: X", the question before
    the name); copied sentences before the list, or alone, for each says which name is whose. A missing name costs its
    own question where the others have numbers. Wrong: names at each other's positions; several names at one.

        answer("The Old Mill jug is called Ada.\\nAnswer: Bo", row)  # 0.0 where the gold is Ada
    """
    asked = _asked(row)
    if not asked.golds:
        return 0.0
    text = reading.plain(response[-_READ:])
    part = reading.answer(text)
    lines = _lines(text)[-_LINES:] if part is None else _lines(part)[:_LINES]
    if len(asked.golds) == 1:
        value = float(_is_given(lines, asked, part is not None))
    else:
        value = _share_given(lines, asked, part is not None, _lines(text)[-_LINES:])
    # The echo test comes last: it is the only step that reads the prompt.
    return 0.0 if value and is_echo(response, row) else value


def single(response: str, row: ScoredRow) -> float:
    """Return 1 if a keyword occurs, else 0.2 x the Levenshtein similarity to the nearest reference sentence.

    Takes the keyword in any case, anywhere in a window of 8 x its length, beside any other name; refuses it inside
    another word, and an echo of the prompt.
    """
    if is_echo(response, row):
        return 0.0
    answers = list(row["answers"])
    text = _window(response, row)
    if any(occurs(fold(answer), text) for answer in answers):
        return 1.0
    return ALPHA * max((_similarity(text, fold(reference)) for reference in _references(row)), default=0.0)


def keywords(response: str, row: ScoredRow) -> float:
    """Return the share of the row's keywords in the response.

    Takes them in any case and order, anywhere in a window of 8 x their length, beside any other name; refuses them
    inside other words, and an echo of the prompt. `answer` also refuses names at each other's positions.
    """
    answers = list(row["answers"])
    if not answers or is_echo(response, row):
        return 0.0
    text = _window(response, row)
    return sum(occurs(fold(answer), text) for answer in answers) / len(answers)


def first(response: str, row: ScoredRow) -> float:
    """Return 1 if the first keyword occurs, else 0: recall by number of needles. Takes what `keywords` takes."""
    answers = list(row["answers"])
    if not answers or is_echo(response, row):
        return 0.0
    return float(occurs(fold(answers[0]), _window(response, row)))


def last(response: str, row: ScoredRow) -> float:
    """Return the share of the keywords in the last non-empty line: copied sentences before it do not count.

    Any other name in that line goes unnoticed; `answer` notices it.
    """
    line = response.rstrip().rpartition("\n")[2]
    return 0.0 if is_echo(response, row) else share_found(list(row["answers"]), line)


def single_paper(response: str, row: ScoredRow) -> float:
    """Return the published single-needle score: a case-sensitive substring, else the similarity without spaces."""
    return _single_paper(response, row, trim=False)


def single_trim_paper(response: str, row: ScoredRow) -> float:
    """Return the published single-needle score of a response trimmed to about the length of the reference."""
    return _single_paper(response, row, trim=True)


def keyword_v2_paper(response: str, row: ScoredRow) -> float:
    """Return 1 if a keyword is a case-sensitive substring of the response, else 0 (NeedleBench's second release)."""
    return float(any(answer in response for answer in row["answers"]))


def keywords_paper(response: str, row: ScoredRow) -> float:
    """Return the published reasoning score: the share of the keywords' words that are substrings, ignoring case."""
    words = " ".join(row["answers"]).lower().split()
    lowered = response.lower()
    return sum(word in lowered for word in words) / len(words) if words else 0.0


def parallel_recall_paper(response: str, row: ScoredRow) -> float:
    """Return the published multi-needle recall: the share of keywords that are case-sensitive substrings."""
    answers = list(row["answers"])
    return sum(answer in response for answer in answers) / len(answers) if answers else 0.0


def reported_paper(response: str, row: ScoredRow) -> float:
    """Return the score that the paper reports: 1 if the keyword occurs, else 0.2 x (1 - Levenshtein / longer length).

    By the published code: case counts, and spaces do not count in the distance to the reference sentence. Where several
    names are asked for, each with its sentence is a record of its own, and the score is their mean.
    """
    answers, references = list(row["answers"]), _references(row)
    if len(references) != len(answers) or len(answers) < 2:
        return single_paper(response, row)
    prediction = "".join(response.split())
    records = zip(answers, references, strict=True)
    scores = [1.0 if name in response else ALPHA * _squeezed(prediction, sentence) for name, sentence in records]
    return sum(scores) / len(scores)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a row asks, in lower case. `golds`: for each question the names that count; `cues`: its object and place.

    `said`: words of the questions and of the needles that say it outright; `told`: these and all the needles, in one
    text. `sentences`: the needles; `follows`: the answer follows from several, so that a copy of them gives none.
    """

    golds: tuple[tuple[str, ...], ...]
    cues: tuple[tuple[str, ...], ...]
    said: str
    told: str
    sentences: tuple[str, ...]
    follows: bool


def _asked(row: ScoredRow) -> _Asked:
    facts = row.get("facts")
    return _asked_by(facts if isinstance(facts, str) else json.dumps(facts or {}, default=str), tuple(row["answers"]))


# The same for each sample of a row: without this a quarter of the time that a short response takes.
@lru_cache(maxsize=2)
def _asked_by(given: str, answers: Sequence[str]) -> _Asked:
    row: ScoredRow = {"facts": given, "answers": answers}
    facts = facts_of(row)
    golds = [[_lower(reading.plain(name))] for name in answers]
    references = [_lower(reading.plain(text)) for text in _references(row)]
    if len(golds) == 1:
        golds[0] += [_lower(reading.plain(name)) for name in texts_fact(facts, "accepted")]
        # "Vow of Wool" for "The Vow of Wool".
        golds[0] += [name[4:] for name in golds[0] if name.startswith("the ") and " " in name[4:]]
    listed = facts.get("needles")
    needles = listed if isinstance(listed, list) and len(listed) == len(answers) else [{}] * len(answers)
    cues = []
    for needle in needles:
        held = [needle.get(field) for field in ("object", "place")] if isinstance(needle, Mapping) else []
        cues.append(tuple(_lower(cue) for cue in held if isinstance(cue, str) and cue.strip()))
    follows = len(references) > len(answers)
    said = [_lower(text_fact(facts, "asked")), *(cue for own in cues for cue in own)]
    return _Asked(
        golds=tuple(tuple(dict.fromkeys(filter(None, names))) for names in golds),
        cues=tuple(cues),
        said=" ".join([*said, *([] if follows else references)]),
        told=" ".join([*said, *references]),
        sentences=tuple(filter(None, (text.rstrip(".。") for text in references))),
        follows=follows,
    )


def _lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if any(map(str.isalnum, line))]


# A part of a line is asked for its names, its question and its sentence.
@lru_cache(maxsize=256)
def _lower(text: str) -> str:
    """A text in lower case, character by character, so that positions stay."""
    text = tidy(text[:_LINE])
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(one.lower()[:1] for one in text)


@dataclass(frozen=True, slots=True)
class _LineNames:
    """What a line gives. `held`: the questions whose names it holds and does not deny; `denies`: one that it denies.

    `others`: further names; `joined`: a name held stands in a list with another; `bare`: it is a name and no more.
    """

    held: frozenset[int]
    denies: bool
    others: bool
    joined: bool
    bare: bool


def _read(line: str, asked: _Asked) -> _LineNames:
    line = tidy(line[-_LINE:] if len(line) > _LINE else line)
    lowered, spans = _lower(line), []
    for number, names in enumerate(asked.golds):
        for name in names:
            spans += [(at, at + len(name), number) for at in places(name, lowered)]
    held, denied, shown, at = set(), False, "", 0
    # Of names inside each other the longest counts.
    for start, end, number in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start < at:
            continue
        shown += line[at:start]
        if _NOT.search(shown[-60:]):
            denied = True
        else:
            held.add(number)
            shown += _HELD
        at = end
    shown += line[at:]
    others = list(_other_names(shown, asked.told))
    bare = _is_bare(shown) and (bool(held) or any(True for _ in _other_names(shown, asked.said)))
    return _LineNames(frozenset(held), denied and not held, bool(others), bool(held) and _is_joined(shown, asked), bare)


@lru_cache(maxsize=4)
def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[\w'-]+", text))


def _other_names(shown: str, known: str) -> Iterator[str]:
    """The names of a line, those asked for left out, that `known` does not hold and that are not denied."""
    words = _words(known)
    for run in _RUN.finditer(shown):
        named = [word for word in run[0].split() if word[0].isupper() and not _is_known(word.lower(), words)]
        start = run.start() + (run[0].index(named[0]) if named else 0)
        if not named or _NOT.search(shown[max(0, start - 60) : start]):
            continue
        opens = _OPENS.search(shown[max(0, run.start() - 20) : run.start()])
        # A capital begins a sentence: "However, it is X."
        if " " not in run[0] and opens and not _is_bare(shown):
            continue
        yield run[0]
    for part in _PART.finditer(shown):
        gives = _GIVES.match(part[0])
        name = part[0][gives.end() :] if gives else part[0]
        if (
            _CJK_NAME.fullmatch(name)
            and name.lower() not in known
            and _may_be_named(name)
            and not _NOT.search(shown[max(0, part.start() - 20) : part.end() - len(name)])
        ):
            yield name


def _may_be_named(text: str) -> bool:
    """Whether so many Chinese characters can be a name."""
    return not set(text) & _FUNCTION and 2 * sum(map(_COMMON.__contains__, text)) < len(text)


def _is_known(word: str, known: frozenset[str]) -> bool:
    bare = _SHORT.sub("", word)
    return len(bare) == 1 or _WORDS.fullmatch(bare) is not None or bare in known or word in known


def _is_bare(shown: str) -> bool:
    """Whether a line is a name and no more: no sentence, no heading."""
    text = shown.strip(" \t\"'.,;*-0123456789()[]{}、。“”「」")
    return text == _HELD or (
        text[-1:] not in "!！:："
        and (_RUN.fullmatch(text) is not None or (_CJK_NAME.fullmatch(text) is not None and _may_be_named(text)))
    )


def _is_joined(shown: str, asked: _Asked) -> bool:
    """Whether a name held stands in a list, or as an alternative, with a name that the question does not hold."""
    if _EITHER.search(shown):
        return True
    for joint in _JOINED_AFTER.finditer(shown):
        run = _RUN.match(shown, joint.end()) or _PART.match(shown, joint.end())
        if run and any(True for _ in _other_names(run[0], asked.said)):
            return True
    for joint in _JOINED_BEFORE.finditer(shown):
        before = shown[max(0, joint.start() - 80) : joint.start()].rstrip("\"'“”‘’「」 ")
        # The second word of a species has no capital.
        runs = [
            run
            for run in _RUN.finditer(before)
            if before[run.start() :].lower() in asked.told or run.end() == len(before)
        ]
        runs = runs or [part for part in _PART.finditer(before) if part.end() == len(before)]
        if runs and any(True for _ in _other_names(runs[0][0], asked.said)):
            return True
    return False


def _is_given(lines: Sequence[str], asked: _Asked, is_labelled: bool) -> bool:
    """Whether the lines give the one name: the first line that gives any, or the last one if there is no label."""
    if not is_labelled:
        lines = [_uncopied(line, asked) for line in reversed(lines)]
    read = [_read(line, asked) for line in lines]
    for line, text in zip(read, lines, strict=True):
        if line.held:
            return not (line.others or line.joined or any(other.bare and not other.held for other in read))
        is_lead = text.rstrip().endswith((":", "：")) if is_labelled else not (line.denies or line.others)
        if not is_lead or _REFUSAL.search(text):
            return False
    return False


def _uncopied(line: str, asked: _Asked) -> str:
    """A line without the needles that it copies, where these give no answer."""
    if not asked.follows:
        return line
    line = tidy(line[-_LINE:])
    lowered = _lower(line)
    for sentence in asked.sentences:
        while (at := lowered.find(sentence)) >= 0:
            line, lowered = (one[:at] + "\n" + one[at + len(sentence) :] for one in (line, lowered))
    return line


@dataclass(frozen=True, slots=True)
class _Piece:
    """A part of a list. `question`: the number of the question that it names, None if it names none."""

    question: int | None
    read: _LineNames
    is_copied: bool

    @property
    def gives(self) -> bool:
        """Whether it gives a name."""
        return bool(self.read.held) or self.read.others


def _share_given(lines: Sequence[str], asked: _Asked, is_labelled: bool, every: Sequence[str]) -> float:
    """The share of the questions whose name the lines give: by what stands with a name, else by the order.

    `every`: all lines of the response, read where each name has a label of its own.
    """
    number = len(asked.golds)
    pieces = _listed(lines, asked)
    if is_labelled and sum(piece.gives for piece in pieces) < 2:
        pieces, is_labelled = _listed(every, asked), False
    others = pieces[1::2]
    if len(pieces) == 2 * len(others) > 2 and all(
        one.is_copied and not other.is_copied for one, other in zip(pieces[::2], others, strict=True)
    ):
        # A sentence, its name, the next sentence, its name.
        pieces = [replace(other, question=one.question) for one, other in zip(pieces[::2], others, strict=True)]
    listed = [piece for piece in pieces if not piece.is_copied]
    if any(piece.gives for piece in listed):
        pieces = listed
    given: dict[int, _LineNames] = {}
    unnamed: list[_LineNames] = []
    before: int | None = None
    for piece in pieces:
        if piece.question is not None:
            given[piece.question] = piece.read
            # The question alone: its name follows.
            before = None if piece.gives else piece.question
        elif before is not None and piece.gives:
            given[before], before = piece.read, None
        else:
            unnamed.append(piece.read)
    if not given:
        given = dict(enumerate(unnamed[:number] if is_labelled else unnamed[-number:]))
    right = [question for question, line in given.items() if line.held == {question}]
    return sum(not (given[question].others or given[question].joined) for question in right) / number


def _listed(lines: Sequence[str], asked: _Asked) -> list[_Piece]:
    """The parts of lines that name a question, give a name or say that there is none."""
    pieces = []
    for part in islice((part for line in lines for part in _parts(line, asked)), _PIECES):
        read, question = _read(part, asked), _question(part, asked)
        if question is not None or read.held or read.others or _REFUSAL.search(part):
            copied = any(sentence in _lower(part) for sentence in asked.sentences)
            pieces.append(_Piece(question, read, copied))
    return pieces


def _parts(line: str, asked: _Asked) -> Sequence[str]:
    """A line, or the items of a list in it."""
    parts = [part for part in _MARKS.split(line) if any(map(str.isalnum, part))]
    if len(parts) < 2 and _question(line, asked) is None:
        entries = _BARS.split(line.strip("| ")) if _BARS.search(line) else [one.text for one in reading.entries(line)]
        parts = [part for entry in entries for part in _ANDS.split(entry)]
    return parts if len(parts) > 1 else [line]


# Without one no item has a number.
_DIGIT: Final = re.compile("[0-9\u2460-\u2473]")


def _question(part: str, asked: _Asked) -> int | None:
    """The question whose object or place a part names, or whose number it has; None if it has none of this row."""
    lowered = _lower(part)
    named = [number for number, cues in enumerate(asked.cues) if any(occurs(cue, lowered) for cue in cues)]
    if len(named) == 1:
        return named[0]
    if not _DIGIT.search(part):
        return None
    listed = reading.entries(part)
    number = listed[0].number if len(listed) == 1 else None
    return number - 1 if number is not None and 1 <= number <= len(asked.golds) else None


def _window(response: str, row: ScoredRow) -> str:
    """Return the folded part of a response that is read.

    If the row asks to copy the reference sentences before the answer, the window has room for them.
    """
    answers, references = list(row["answers"]), _references(row)
    copied = references if len(references) > len(answers) and facts_of(row).get("recall_step") else []
    return window(response, [*answers, *copied])


def _single_paper(response: str, row: ScoredRow, *, trim: bool) -> float:
    if any(answer in response for answer in row["answers"]):
        return 1.0
    prediction = "".join(response.split())
    return ALPHA * max((_squeezed(prediction, sentence, trim=trim) for sentence in _references(row)), default=0.0)


def _squeezed(prediction: str, sentence: str, *, trim: bool = False) -> float:
    """The similarity of a prediction without spaces to a sentence without them."""
    reference = "".join(sentence.split())
    return _similarity(_trimmed(prediction, reference) if trim else prediction, reference)


def _trimmed(prediction: str, reference: str) -> str:
    """Cut to 1.2 x the reference's length, or earlier at the reference's last character after 0.8 x its length."""
    shortest = int(0.8 * len(reference))
    prediction = prediction[: int(1.2 * len(reference))]
    end = prediction.find(reference[-1], shortest) if reference else -1
    return prediction[: end + 1] if end >= 0 else prediction


def _similarity(left: str, right: str) -> float:
    longest = max(len(left), len(right))
    return 1.0 - Levenshtein.distance(left, right) / longest if longest else 1.0


def _references(row: ScoredRow) -> Sequence[str]:
    facts = facts_of(row)
    reference = facts.get("reference")
    return [reference] if isinstance(reference, str) else texts_fact(facts, "reference")
