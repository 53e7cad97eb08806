"""Reads a response as a person would: thoughts off, then markup, then what stands after "Answer:".

Every metric but the published ones (`/paper`) reads a response through this module, in this order:

1. `said`: what the model says after its thoughts, by the table `THOUGHTS`, and of that what it marks as its answer, by
   the table `ANSWERS`. A closing mark alone ends a thought that the chat template opened. A thought that is not closed
   means that there is no answer, whatever stands before it: "", and `is_thinking` says so. A mark in quotes or
   backticks is a word of the text.
2. `plain`: the same without Markdown, code fences and LaTeX around an answer.
3. `answer`: the text after the last label "Answer:" or 答案： at the beginning of a line or sentence, or the value of
   "answer" in JSON.
4. `entries`: the items of a list, by whatever marks it is written.

Each function takes any text and time in proportion to its length. What no function can see is a thought that begins in
the prompt and is cut before its end: it looks like an answer, and only the stop reason tells (`files.py`).
"""

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

# What opens and closes a thought, in any case, and who writes it. A tag may have a prefix, as <seed:think> has.
THOUGHTS: Final = (
    # DeepSeek, Qwen and QwQ, GLM, Nemotron, Phi-4-reasoning, MiniMax, Hunyuan, ERNIE, EXAONE 4, Kimi K2, OLMo.
    ("<think>", "</think>"),
    # Claude as it is prompted, Reflection.
    ("<thinking>", "</thinking>"),
    # EXAONE Deep, Marco-o1.
    ("<thought>", "</thought>"),
    ("<thoughts>", "</thoughts>"),
    ("<reasoning>", "</reasoning>"),
    ("<reflection>", "</reflection>"),
    # Prompted scratch space.
    ("<scratchpad>", "</scratchpad>"),
    ("<analysis>", "</analysis>"),
    # LongCat.
    ("<longcat_think>", "</longcat_think>"),
    # Magistral.
    ("[THINK]", "[/THINK]"),
    # Kimi-VL, Kimi K1.5.
    ("\u25c1think\u25b7", "\u25c1/think\u25b7"),
    # OpenThinker, Sky-T1, Bespoke-Stratos.
    ("<|begin_of_thought|>", "<|end_of_thought|>"),
    # Cohere Command A Reasoning.
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    # Gemma 4.
    ("<|channel>", "<channel|>"),
    # Apertus.
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    # Solar Open.
    ("<|think|>", "<|content|>"),
    ("<|think:start|>", "<|think:end|>"),
    # s1.
    ("<|im_start|>think", "<|im_start|>answer"),
    # Pangu.
    ("[unused16]", "[unused17]"),
    # Granite 3.
    ("Here is my thought process:", "Here is my response:"),
    # A log that escapes its texts.
    ("&lt;think&gt;", "&lt;/think&gt;"),
)
# What opens and closes an answer: the last one that says something is the response, if it has any.
ANSWERS: Final = (
    ("<answer>", "</answer>"),
    ("<final_answer>", "</final_answer>"),
    ("<response>", "</response>"),
    ("<output>", "</output>"),
    ("<solution>", "</solution>"),
    ("<|begin_of_solution|>", "<|end_of_solution|>"),
    # GLM-V.
    ("<|begin_of_box|>", "<|end_of_box|>"),
    ("<|START_RESPONSE|>", "<|END_RESPONSE|>"),
    ("<|START_TEXT|>", "<|END_TEXT|>"),
)
_QUOTES: Final = "`\"'\u201c\u201d\u2018\u2019\u300c\u300d"


def _marks(table: tuple[tuple[str, str], ...]) -> re.Pattern[str]:
    """A pattern of a table's marks: `open` or `close`."""

    def written(marks: tuple[str, ...], beginning: str) -> str:
        # A tag may have spaces or attributes at its end; the prefix that it may have stands before its name.
        names = [mark.strip("</>") for mark in marks if _PLAIN.fullmatch(mark)]
        others = [re.escape(mark) for mark in marks if not _PLAIN.fullmatch(mark)]
        return "|".join((rf"{beginning}(?:[a-z]{{1,12}}:)?(?:{'|'.join(names)})(?:\s[^<>\n]{{0,80}})?>", *others))

    opens, closes = zip(*table, strict=True)
    return re.compile(f"(?P<open>{written(opens, '<')})|(?P<close>{written(closes, '</')})", re.IGNORECASE)


_PLAIN: Final = re.compile(r"</?[a-z_]+>")
_THOUGHT: Final = _marks(THOUGHTS)
_ANSWER: Final = _marks(ANSWERS)
# Where none of these stands there is no mark.
_SIGNS: Final = ("<", "[", "\u25c1", "&lt;", "ere is my ")
# gpt-oss: a message is "<|channel|>NAME<|message|>TEXT"; without special tokens "analysisTEXTassistantfinalTEXT".
_CHANNEL: Final = re.compile(r"<\|channel\|>\s?([a-z]{1,20})[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>")
_BARE_CHANNEL: Final = re.compile(
    r"\s{0,8}(?:assistant)?(?:(?P<thought>analysis|commentary)(?=(?P<new>[A-Z\u4e00-\u9fff])|\S)"
    r"|final(?=(?P<begun>[A-Z\u4e00-\u9fff\"*(\[0-9])|\S))"
)
_BARE_FINAL: Final = "assistantfinal"
# A special token ends a turn: what follows is not the model's answer. At the beginning it ends the prompt.
_TOKEN: Final = re.compile(
    r"<\|im_start\|>[a-z]{0,12}|<\|[a-z_]{1,40}\|>|<\uff5c[^<>\uff5c\n]{1,40}\uff5c>|\[\|[a-z]{1,20}\|\]|</s>|<(?:seed:)?[be]os>|\[/?INST\]"
    r"|<(?:start|end)_of_turn>|<\|?turn\|?>",
    re.IGNORECASE,
)
_ROLE: Final = re.compile(r"\s{0,8}(?:(?:assistant|model)\b(?!:))?\s{0,8}", re.IGNORECASE)


def said(response: str) -> str:
    """Return what a response says after its thoughts; "" if it is still thinking at its end.

    said("<think>A or B?</think>Answer: B")  # "Answer: B"
    """
    return _spoken(response) or ""


def is_thinking(response: str) -> bool:
    """Tell whether a response ends within a thought, so that it has no answer: a higher limit may give it one."""
    return _spoken(response) is None


# How endpoints call the end of a text at its limit of tokens, or at the length of the model's context.
_CUT: Final = frozenset(
    (
        *("length", "max_length", "max_tokens", "max_new_tokens", "max_output_tokens", "max_completion_tokens"),
        *("token_limit", "limit", "model_length", "model_context_window_exceeded", "truncated"),
    )
)


def is_cut(stop: object) -> bool:
    """Tell whether a stop reason says that a text was cut: "length", "max_tokens", "FinishReason.MAX_TOKENS"."""
    return isinstance(stop, str) and stop[-64:].rpartition(".")[2].strip().lower().replace("-", "_") in _CUT


def parts(content: object) -> tuple[str | None, str]:
    """Return the text of a message's content and the thoughts apart from it; None for what is no content.

    Content is a text, a list of typed parts, or a message with `content` and, apart, `reasoning_content`.

    parts([{"type": "reasoning", "reasoning": "A?"}, {"type": "text", "text": "B"}])  # ("B", "A?")
    """
    if isinstance(content, Mapping):
        inner = content.get("content")
        text, thoughts = (None, "") if isinstance(inner, Mapping) else parts(inner)
        more = [content.get(name) for name in THOUGHT_FIELDS]
        thoughts = "".join((thoughts, *(one for one in more if isinstance(one, str))))
        return ("" if text is None and thoughts else text), thoughts
    if not isinstance(content, list):
        return (content if isinstance(content, str) else None), ""
    if not all(isinstance(part, Mapping) and isinstance(part.get("type"), str) for part in content):
        return None, ""
    said, thought = [], []
    for part in content:
        told = next((one for name in ("text", *_THOUGHT_PARTS) if isinstance(one := part.get(name), str)), "")
        if part["type"] in ("text", "output_text"):
            said.append(told)
        elif part["type"] in _THOUGHT_PARTS:
            thought.append(told)
    return "".join(said), "".join(thought)


THOUGHT_FIELDS: Final = ("reasoning_content", "reasoning", "thoughts")
_THOUGHT_PARTS: Final = ("reasoning", "thinking", "reasoning_content", "reasoning_text", "redacted_thinking")


def _spoken(response: str) -> str | None:
    text = _final_channel(response)
    if text is None or not any(sign in text for sign in _SIGNS):
        return text
    text = _without_thoughts(text)
    return None if text is None else _of_turn(_marked(text))


def _final_channel(text: str) -> str | None:
    if "<|channel|>" in text and (last := _last(_CHANNEL, text)):
        return text[last.end() :] if last[1] == "final" else None
    if text.lstrip()[:11] == "<|channel|>":
        return None
    if bare := _BARE_CHANNEL.match(text):
        if _BARE_FINAL in text[bare.end() :]:
            return text.rpartition(_BARE_FINAL)[2]
        # "analysisThe" is no word, "analyses" and "finally" are.
        if bare["new"] or bare["begun"]:
            return None if bare["thought"] else text[bare.end() :]
    return text


def _without_thoughts(text: str) -> str | None:
    kept: list[str] = []
    at, is_open = 0, False
    for mark in _found(_THOUGHT, text):
        if mark["open"] and not is_open:
            kept.append(text[at : mark.start()])
        elif mark["close"] and not is_open:
            # The thought began in the prompt.
            kept = []
        is_open = mark["open"] is not None
        at = mark.end()
    return None if is_open else "".join((*kept, text[at:]))


def _marked(text: str) -> str:
    """What stands between the last marks of an answer that hold something; the whole text without such marks."""
    start, inside = -1, ""
    for mark in _found(_ANSWER, text):
        if mark["close"] and start >= 0:
            inside = text[start : mark.start()] if text[start : mark.start()].strip() else inside
        start = -1 if mark["close"] else mark.end()
    return (text[start:] if start >= 0 and text[start:].strip() else inside) or text


def _of_turn(text: str) -> str:
    """The text of the first turn, without the special tokens and the role before it."""
    at = 0
    while token := _TOKEN.match(text, at):
        at = token.end()
        if role := _ROLE.match(text, at):
            at = role.end()
    tokens = (token for token in _TOKEN.finditer(text, at) if not _is_quoted(text, token.start(), token.end()))
    end = next(tokens, None)
    return text[at : end.start() if end else len(text)]


def _found(marks: re.Pattern[str], text: str) -> list[re.Match[str]]:
    """The marks of a text that do not stand in quotes."""
    return [mark for mark in marks.finditer(text) if not _is_quoted(text, mark.start(), mark.end())]


def _is_quoted(text: str, start: int, end: int) -> bool:
    return start > 0 and end < len(text) and text[start - 1] in _QUOTES and text[end] in _QUOTES


# What a person does not read. Underscores stay where they join a word.
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_ENTITIES: Final = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'", "#39": "'", "#x27": "'", "nbsp": " "}
_ENTITY: Final = re.compile(f"&({'|'.join(_ENTITIES)});")
_FENCE: Final = re.compile(r"^[ \t>]{0,12}(?:```|~~~)[^\n`]{0,40}$\n?", re.MULTILINE)
_HEADING: Final = re.compile(r"^[ \t]{0,12}(?:#{1,6}[ \t]+|(?:>[ \t]?){1,4})", re.MULTILINE)
_EMPHASIS: Final = re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|`{1,3}|~~")
_LINK: Final = re.compile(r"\[([^\[\]\n]{1,400})\]\((?:https?://|#|/)[^()\s]{0,1000}\)")
_COMMAND: Final = re.compile(
    r"\\(?:(?:text|math)?(?:bf|it|rm|tt|sf|sc|normal|up)|text|boxed|fbox|mbox|emph|underline|boldsymbol|bm|operatorname"
    r"|(?:text)?color[ ]?\{[^{}\n]{1,40}\})[ ]?\{([^{}\n]{0,2000})\}"
)
_MATHS: Final = re.compile(r"\\[()\[\]]|(?<!\\)\${1,2}|\\(?=[%&#_$,!; ])")
# Small letters alone: <B> is an answer.
_HTML: Final = re.compile(r"</?(?:b|i|u|em|strong|code|mark|span|p|br|kbd|tt|sup|sub|div)[ ]?/?>")
_EMPHASIS_MARK: Final = re.compile(r"[*_`~]")
# But a single space, which is most of them.
_SPACES: Final = re.compile(r"[^\S\n]{2,}|[^\S\n ]")
# Commands stand in one another at most so deep.
_NESTED: Final = 3


def plain(text: str) -> str:
    r"""Return a text in NFKC without Markdown, code fences, LaTeX commands and runs of spaces; lines stay.

    plain(r"**Answer:** $\boxed{\text{B}}$")  # "Answer: B"
    """
    if not text.isascii():
        # Character by character: normalising a long run of combining marks at once takes quadratic time.
        strange = {
            ord(character): unicodedata.normalize("NFKC", character)
            for character in set(text)
            if not character.isascii()
        }
        text = text.translate(strange).translate(_INVISIBLE)
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "\\" in text or "$" in text:
        for _ in range(_NESTED):
            text = _COMMAND.sub(r"\1", text)
        text = _MATHS.sub("", text)
    if "<" in text:
        text = _HTML.sub(" ", text)
    if "&" in text:
        text = _ENTITY.sub(lambda entity: _ENTITIES[entity[1]], text)
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    if "#" in text or ">" in text:
        text = _HEADING.sub("", text)
    if _EMPHASIS_MARK.search(text):
        text = _EMPHASIS.sub("", text)
    return _SPACES.sub(" ", text)


_BOXED: Final = re.compile(r"\\(?:boxed|fbox)[ ]?\{((?:[^{}\n]|\{[^{}\n]{0,1000}\}){0,1000}+)\}")


def boxed(text: str) -> str | None:
    r"""Return what the last \boxed{} of a text (from `said`, before `plain`) holds, as `plain` writes it; None if none.

    boxed(r"so that $x = \boxed{\text{Ada}}$")  # "Ada"
    """
    found = _last(_BOXED, text) if "\\" in text else None
    return plain(found[1]).strip() if found else None


# The words of a label. Tier by tier: one of the second counts only where none of the first stands.
_OPENING: Final = (
    r"(?:(?:so|thus|hence|therefore|in (?:conclusion|summary|short)|to conclude|conclusion|finally|overall)\b[,:]? ?)?"
    r"(?:(?:the|my|our) )?(?:(?:final|correct|right|best|short|complete) )?"
    r"|(?:综上(?:所述)?|所以|因此|故)?[\uff0c,]?(?:我的|最终|正确|最后|参考)?的?"
)
_NAMES: Final = (
    r"answers?|答案|回答|答(?= ?:)",
    r"results?|solution|conclusion|output|response|结果|结论",
)
_OF: Final = (
    r"(?: (?:to|of|for) (?:(?:the|this|your) )?(?:question|problem|session|task|story|puzzle))?"
    r"(?: ?(?:no\. ?|#)?(?P<number>[0-9]{1,4}))?(?: ?\([^()\n]{1,40}\))?[\"'\u201d\u2019_*)\]\u3011]{0,4}"
)
# A colon, a verb, or the end of a line that holds nothing else.
_THEN: Final = (
    r" ?(?:(?:is|are|would be|should be|应该是|应为|应是|是|为)? ?[:=\uff1a] ?|(?:is|are|would be|should be) (?=\S)"
    r"|(?:应该是|应为|应是|是|为) ?(?=\S)| [-\u2013\u2014|] |(?=\n))"
)
# At the beginning of a line or, after a full stop, of a sentence.
_START: Final = r"(?:^[^\w\n]{0,16}|(?<=[.!?;)\u3002\uff01\uff1f\uff1b] )|(?<=[\u3002\uff01\uff1f\uff1b]))"
_BEFORE: Final = re.compile(rf"{_START}(?:{_OPENING})\Z", re.IGNORECASE | re.MULTILINE)
# An item of a list may hold a label: "1. Answer: Ada".
_ITEM: Final = re.compile(r"^[^\w\n]{0,8}([0-9]{1,4})[.)] \Z", re.MULTILINE)
# No label has more before its name, and no item before that.
_MOST_BEFORE: Final = 100
_MOST_ITEM: Final = 16
_LABELS: Final = tuple(re.compile(f"(?:{names}){_OF}{_THEN}", re.IGNORECASE) for names in _NAMES)
# A base model goes on with a problem of its own.
_NEXT: Final = re.compile(
    r"^[^\w\n]{0,8}(?:(?:next )?(?:question|problem|example|session|story|conversation|q)s?(?: ?[0-9]{1,4})?"
    r"|user|human|assistant|model|问题|题目|例题|用户)[\"'\u201d\u2019_]{0,4} ?[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)
# A heading before it, and words of lines that are none.
_NUMBERED: Final = re.compile(
    r"[^\w\n]{0,8}(?:example|problem|question|session|story|conversation|passage|例|题|问题) ?[0-9]{1,4}[^\w\n]{0,8}",
    re.IGNORECASE,
)
_LEADS: Final = re.compile(
    r"\b(?:question|stor(?:y|ies)|session|answer|analysis|problem|solution|step|reason|respon|conversation|example"
    r"|expla|summary|sure|certainly|ok|okay|let|here|below|first|think)"
    # A name may hold 问 or 题.
    r"|问题|提问|所问|问[:\uff1a]|题[目干意:\uff1a]|[例本该这此]题|分析|解答|回答|推理|步骤|好的|以下|如下|首先",
    re.IGNORECASE,
)
_SHORT: Final = 100
# Of more than twice so many labels the first and the last are looked at: a hostile megabyte holds 125,000.
_MOST_LABELS: Final = 5_000
_MOST_CONTINUED: Final = 4_000
_KEY: Final = re.compile(
    r"[\"'](?:(?:final|correct|my)[ _]?)?(?:answers?|choice|option|label|result|(?:最终)?答案)[\"'] ?: ?",
    re.IGNORECASE,
)
_SINGLE: Final = re.compile(r"'((?:[^'\\\n]|\\.){0,10000})'")
_READER: Final = json.JSONDecoder(strict=False)


def answer(text: str) -> str | None:
    """Return what stands after the last label "Answer:" of a text (from `plain`), to its end; None without a label.

    A label stands at the beginning of a line or sentence. What a base model adds as the next problem is left out, and
    so is a label that nothing follows. Labels numbered from 1 are a list, and so is one in JSON: an item a line.

    answer("It is X.\\nAnswer: Y")  # "Y"
    """
    if continued := _continued(text):
        return continued
    labels = _labels(_LABELS[0], text)
    key = _last(_KEY, text) if '"' in text or "'" in text else None
    if key and not (labels and labels[-1].start > key.end()) and (value := _value(text, key.end())):
        return value
    return _labelled(text, labels) or _labelled(text, _labels(_LABELS[1], text))


class _Label(NamedTuple):
    start: int
    end: int
    number: int | None


def _labels(names: re.Pattern[str], text: str) -> list[_Label]:
    labels = []
    named = list(names.finditer(text))
    if len(named) > 2 * _MOST_LABELS:
        named[_MOST_LABELS:-_MOST_LABELS] = []
    for name in named:
        # From its name back: names are rare, and beginnings of lines are not.
        before = _BEFORE.search(text, max(0, name.start() - _MOST_BEFORE), name.start())
        if before:
            item = _ITEM.search(text, max(0, before.start() - _MOST_ITEM), before.start())
            number = name["number"] or (item[1] if item else None)
            start = item.start() if item else before.start()
            labels.append(_Label(start, name.end(), int(number) if number else None))
    return labels


def _labelled(text: str, labels: list[_Label]) -> str | None:
    if not labels:
        return None
    end = _further(text, labels[0].end)
    told = [label for label in labels if label.end <= end]
    ends = [*(label.start for label in told[1:]), end]
    spans = [text[label.end : after].strip() for label, after in zip(told, ends, strict=True)]
    # The last labels may be numbered 1, 2, 3.
    numbers = [label.number for label in told[-(told[-1].number or 1) :]] if told else []
    if len(numbers) > 1 and numbers == list(range(1, len(numbers) + 1)):
        return "\n".join(f"{place}. {span}" for place, span in enumerate(spans[-len(numbers) :], start=1))
    return next((span for span in reversed(spans) if span), None)


def _further(text: str, start: int) -> int:
    """Where a problem begins that follows the first answer: it is the model's own, and so is its answer."""
    further = _NEXT.search(text, start)
    if further and not text[start : further.start()].strip():
        # "Answer:" and then "Question 1: Ada" is a list; else the question is told again before its answer.
        if any(map(str.isdigit, further[0])):
            return len(text)
        further = _NEXT.search(text, further.end())
    return further.start() if further else len(text)


def _continued(text: str) -> str:
    """The answer that a base model begins with, before a problem of its own; "" where the text begins otherwise.

    It is a short line or a list. A line that speaks of the question leads to it: the question is told again.
    """
    told: list[str] = []
    for line in filter(str.strip, text[:_MOST_CONTINUED].splitlines()):
        if _NEXT.match(line) or _NUMBERED.fullmatch(line):
            break
        if any(map(str.isalnum, line)):
            told.append(line.strip())
    else:
        return ""
    # A list of sentences is how a model came to its answer.
    is_list = len(told) > 1 and all(_is_marked(line) and line[-1] not in ".\u3002" for line in told)
    is_line = len(told) == 1 and told[0][-1] not in ":\uff1a!\uff01?\uff1f"
    if not (is_line or is_list) or any(len(line) > _SHORT or _LEADS.search(line) for line in told):
        return ""
    return "\n".join(told)


def _value(text: str, start: int) -> str:
    """The value in JSON, or in Python's notation, that stands at a place; "" if none does."""
    if single := _SINGLE.match(text, start):
        return single[1].strip()
    try:
        value = _READER.raw_decode(text, start)[0]
    except (ValueError, RecursionError):
        # Cut, or written by hand.
        return text[start:].partition("\n")[0].strip(_EDGES)
    if isinstance(value, dict | list):
        return "\n".join(
            entry.text if entry.number is None else f"{entry.number}. {entry.text}" for entry in _of_json(value)
        )
    return str(value).strip()


def first_line(text: str) -> str:
    """Return the first line of a text that holds a letter or digit; "" if none does."""
    return next((line.strip() for line in text.splitlines() if any(map(str.isalnum, line))), "")


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a list. `number`: that which it is given in the list, None if none is."""

    text: str
    number: int | None


_MARK: Final = re.compile(
    r"\(?(?:(?:question|answer|name|item|q|no\.|第|问题|答案|问) ?)?#?([0-9]{1,6})"
    r"(?: ?[.):\uff1a\u3001\uff09]+|题[:\uff1a]?| [-\u2013\u2014](?=\s))(?![0-9])\s*"
    r"|([\u2460-\u2473])\s*|(?:[-*+\u2022\u00b7\u25cf\u25aa\u2013\u2014]|>)\s+",
    re.IGNORECASE,
)
_NUMBER: Final = re.compile(
    r"(?:question|answer|name|item|session|q|no\.|#|第|问题)?[ _]?([0-9]{1,6})[.):题]?", re.IGNORECASE
)
# A number in a line that holds several: "1. Ada 2. Bo", "(1) Ada; (2) Bo".
_INLINE: Final = re.compile(r"(?:^|[\s,;\uff0c\uff1b\u3001\u3002])\(?([0-9]{1,4})[.):\u3001\uff09](?![0-9])")
_RULE: Final = re.compile(r"[|\-:=_*\s]+")
_TABLE_RULE: Final = re.compile(r"\|?[ :]*-[-:| ]*")
_SEPARATOR: Final = re.compile(r" ?(?:[;\uff1b\u3001]|,(?!\d{3}(?!\d))|\uff0c)\s*")
_AND: Final = re.compile(r"^(?:and|&|和|与|以及)\s+", re.IGNORECASE)
_EDGES: Final = " \t\"'\u201c\u201d\u2018\u2019\u300c\u300d\u300e\u300f[]{}"
# Longer JSON is a text like any other.
_MOST_JSON: Final = 1 << 20


def entries(text: str) -> list[Entry]:
    """Return the items of a list: numbered, with bullets, one a line, as a table or JSON, in brackets, or in one line.

    A line that introduces the list ("Here they are:") is none of them, nor are the head of a table and, beside several
    lines with marks, those without. Items in one line stand between commas, semicolons or 、, or after their numbers; a
    comma inside a number does not part it.

    entries("1. Ada\\n2. Bo")  # [Entry("Ada", 1), Entry("Bo", 2)]
    """
    if text.lstrip()[:1] in ("[", "{") and len(text) <= _MOST_JSON:
        try:
            return _of_json(json.loads(text))
        except (ValueError, RecursionError):
            pass
    lines = [line.strip() for line in text.splitlines()]
    heads = {place - 1 for place, line in enumerate(lines) if "|" in line and _TABLE_RULE.fullmatch(line)}
    lines = [
        line
        for place, line in enumerate(lines)
        if place not in heads and any(map(str.isalnum, line)) and not _RULE.fullmatch(line)
    ]
    made = [entry for line in lines if (entry := _entry(line)) is not None]
    if len(made) == 1:
        return _in_line(lines[-1] if len(lines) == 1 else made[0].text) or made
    numbered = [entry for entry in made if entry.number is not None]
    if len(numbered) > 1:
        return numbered
    marked = [entry for line in lines if _is_marked(line) and (entry := _entry(line)) is not None]
    return marked if len(marked) > 1 else made


def _of_json(value: Any) -> list[Entry]:
    """The items of a list or table in JSON; a table's keys may be the numbers."""
    if isinstance(value, dict):
        if len(value) == 1 and isinstance(inner := next(iter(value.values())), dict | list):
            return _of_json(inner)
        return [Entry(_told(one), _number(key)) for key, one in value.items()]
    if not isinstance(value, list):
        return [Entry(_told(value), None)]
    return [Entry(_told(one), None) for one in value]


def _told(value: Any) -> str:
    return value.strip() if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _number(text: str) -> int | None:
    digits = _NUMBER.fullmatch(text)
    return int(digits[1]) if digits else None


def _in_line(line: str) -> list[Entry]:
    """The items of a single line; none if it holds but one."""
    places: list[re.Match[str]] = []
    for found in _INLINE.finditer(line):
        if int(found[1]) == len(places) + 1:
            places.append(found)
    if len(places) > 1:
        ends = [*(place.start() for place in places[1:]), len(line)]
        parts = [
            line[place.end() : end].strip(_EDGES + ",;\uff0c\uff1b\u3001")
            for place, end in zip(places, ends, strict=True)
        ]
        return [Entry(part, place) for place, part in enumerate(parts, start=1)]
    if (entry := _entry(line)) is None or entry.number is not None:
        return []
    parts = _SEPARATOR.split(entry.text.strip(_EDGES))
    # The last "and" parts as well: "Ada, Bo and Cy".
    return [Entry(item, None) for part in parts if (item := _AND.sub("", part).strip(_EDGES))]


def _is_marked(line: str) -> bool:
    return line.startswith("|") or _MARK.match(line) is not None


def _entry(line: str) -> Entry | None:
    if line.startswith("|") or line.count("|") > 1:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        return Entry(cells[-1].strip(_EDGES), _number(cells[0]) if len(cells) > 1 else None)
    mark = _MARK.match(line)
    rest = (line[mark.end() :] if mark else line).strip(_EDGES)
    if not any(map(str.isalnum, rest)) or (not mark and line.endswith((":", "\uff1a"))):
        return None
    if mark and mark[1]:
        return Entry(rest, int(mark[1]))
    if mark and mark[2]:
        return Entry(rest, ord(mark[2]) - 0x245F)
    return Entry(rest, None)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    last = None
    for match in pattern.finditer(text):
        last = match
    return last
