"""Reads a response as a person would: thoughts off, then markup, then what stands after "Answer:".

Every metric but the published ones (`/paper`) reads a response through this module, in this order:

1. `said`: what the model says after its thoughts. A thought stands between tags (`<think>`, `<thinking>`, `<thought>`,
   `<reasoning>`, `<reflection>`, `[THINK]`, and the tokens of some models), or in a channel that is not the final one
   (gpt-oss). A closing tag alone ends a thought that the chat template opened. A thought that is not closed means that
   there is no answer: "".
2. `plain`: the same without Markdown, code fences and LaTeX around an answer.
3. `answer`: the text after the last label "Answer:" or 答案： at the beginning of a line, wherever that line stands.
4. `entries`: the items of a list, by whatever marks it is written.

Each function takes any text and time in proportion to its length.
"""

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

# What each model family writes around its thoughts. Tags match in any case.
_TAG: Final = re.compile(
    r"<(?P<close>/?)(?:[a-z]{1,12}:)?(?:think|thinking|thoughts?|reasoning|reflection)[ \t]{0,8}>"
    r"|\[(?P<bracket_close>/?)think\]"
    r"|\u25c1(?P<kimi_close>/?)think\u25b7"
    r"|<\|(?:(?P<token_open>begin_of_thought|start_thinking)|end_of_thought|end_thinking)\|>",
    re.IGNORECASE,
)
# gpt-oss: a message is "<|channel|>NAME<|message|>TEXT"; without special tokens "analysisTEXTassistantfinalTEXT".
_CHANNEL: Final = re.compile(r"<\|channel\|>([a-z]{1,20})[^<]{0,80}(?:<\|constrain\|>[^<]{0,80})?<\|message\|>")
_BARE_CHANNEL: Final = re.compile(r"\s{0,8}analysis(?=[A-Z\u4e00-\u9fff])")
_BARE_FINAL: Final = "assistantfinal"
# Tokens that begin an answer proper, and those that end a turn: what follows is not the model's answer.
_BEGIN: Final = re.compile(r"<\|(?:begin_of_solution|start_response|start_text)\|>", re.IGNORECASE)
_END: Final = re.compile(
    r"<\|(?:end|return|call|im_end|eot_id|eom_id|endoftext|end_of_text|end_of_solution|end_response|end_text|user|eos)\|>"
    r"|</s>|<eos>|<end_of_turn>|<\uff5cend\u2581of\u2581sentence\uff5c>|<\[begin_of_image\]>",
    re.IGNORECASE,
)


def said(response: str) -> str:
    """Return what a response says after its thoughts; "" if it is still thinking at its end.

    said("<think>A or B?</think>Answer: B")  # "Answer: B"
    """
    text = _final_channel(response)
    if "<" in text or "[" in text or "\u25c1" in text:
        text = _without_thoughts(text)
        if begin := _last(_BEGIN, text):
            text = text[begin.end() :]
        text = text[_opening(text) :]
        if end := _END.search(text):
            text = text[: end.start()]
    return text


def _final_channel(text: str) -> str:
    if "<|channel|>" in text:
        last = _last(_CHANNEL, text)
        return text[last.end() :] if last and last[1] == "final" else ""
    if _BARE_CHANNEL.match(text):
        return text.rpartition(_BARE_FINAL)[2] if _BARE_FINAL in text else ""
    return text


def _without_thoughts(text: str) -> str:
    kept: list[str] = []
    at, thinking = 0, False
    for tag in _TAG.finditer(text):
        closes = not tag["token_open"] and (
            tag["close"] or tag["bracket_close"] or tag["kimi_close"] or tag[0].lower().startswith("<|end")
        )
        if closes and not thinking:
            # The thought began in the prompt.
            kept = []
        elif not closes and not thinking:
            kept.append(text[at : tag.start()])
        thinking = not closes
        at = tag.end()
    return "" if thinking else "".join((*kept, text[at:]))


def _opening(text: str) -> int:
    """The length of the tokens at the beginning of a text that end the prompt."""
    at = 0
    while end := _END.match(text, at):
        at = end.end()
    return at


# What a person does not read. Underscores stay where they join a word.
_INVISIBLE: Final = dict.fromkeys(map(ord, "\u200b\u200c\u200d\u2060\ufeff\u00ad"))
_FENCE: Final = re.compile(r"^[ \t>]{0,12}(?:```|~~~)[^\n`]{0,40}$\n?", re.MULTILINE)
_HEADING: Final = re.compile(r"^[ \t]{0,12}(?:#{1,6}[ \t]+|(?:>[ \t]?){1,4})", re.MULTILINE)
_EMPHASIS: Final = re.compile(r"\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}(?=\w)|(?<=\w)_{1,3}(?!\w)|`{1,3}|~~")
_COMMAND: Final = re.compile(
    r"\\(?:boxed|fbox|text|textbf|textit|textrm|texttt|mathrm|mathbf|mathtt|mbox|emph|underline)[ ]?"
    r"\{([^{}\n]{0,2000})\}"
)
_MATHS: Final = re.compile(r"\\[()\[\]]|(?<!\\)\${1,2}|\\(?=[%&#_$,!; ])")
_HTML: Final = re.compile(r"</?(?:b|i|u|em|strong|code|mark|span|p|br|kbd|tt)[ ]?/?>", re.IGNORECASE)
_SPACES: Final = re.compile(r"[^\S\n]+")
# Commands stand in one another at most so deep.
_NESTED: Final = 3


def plain(text: str) -> str:
    r"""Return a text in NFKC without Markdown, code fences, LaTeX commands and runs of spaces; lines stay.

    plain(r"**Answer:** $\boxed{\text{B}}$")  # "Answer: B"
    """
    # Character by character: normalising a long run of combining marks at once takes quadratic time.
    strange = {
        ord(character): unicodedata.normalize("NFKC", character) for character in set(text) if not character.isascii()
    }
    text = text.translate(strange).translate(_INVISIBLE).replace("\r\n", "\n").replace("\r", "\n")
    if "\\" in text or "$" in text:
        for _ in range(_NESTED):
            text = _COMMAND.sub(r"\1", text)
        text = _MATHS.sub("", text)
    if "<" in text:
        text = _HTML.sub(" ", text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub("", text)
    return _SPACES.sub(" ", _EMPHASIS.sub("", _HEADING.sub("", text)))


_LABEL: Final = re.compile(
    r"^[^\w\n]{0,16}(?:(?:so|thus|hence|therefore|in conclusion|conclusion|finally)\b[,:]? ?)?"
    r"(?:(?:the|my|our) )?(?:(?:final|correct|right|best|short) )?"
    r"(?:answers?|results?|(?:所以|因此|故)?[\uff0c,]?(?:我的|最终|正确|最后)?(?:的)?"
    r"(?:答案|回答|结果))"
    r"(?: (?:to|of|for) (?:(?:the|this) )?(?:question|problem|session|task|story))?(?: ?[0-9]{1,4})?"
    r"[\"'\u201d\u2019_*)\]]{0,4} ?(?:(?:is|are|would be|是|为|应为|应该是)? ?[:=\uff1a] ?|(?:is|are|would be) (?=\S)"
    r"|(?:是|为|应为|应该是) ?(?=\S))",
    re.IGNORECASE | re.MULTILINE,
)
_TAG_OF_ANSWER: Final = re.compile(r"<(/?)answer>", re.IGNORECASE)
# A base model goes on with a problem of its own.
_NEXT: Final = re.compile(
    r"^[^\w\n]{0,8}(?:(?:next )?(?:question|problem|example|session|story|conversation)s?(?: [0-9]{1,4})?"
    r"|user|human|assistant|model|问题|题目|例题|用户)[\"'\u201d\u2019_]{0,4} ?[:\uff1a]",
    re.IGNORECASE | re.MULTILINE,
)


def answer(text: str) -> str | None:
    """Return what stands after the last label "Answer:" of a text (from `plain`), to its end; None without a label.

    A label stands at the beginning of a line. What a base model adds as the next problem is left out, and so is a
    label that nothing follows.

    answer("It is X.\\nAnswer: Y")  # "Y"
    """
    if tagged := _tagged(text):
        return tagged
    labels = list(_LABEL.finditer(text))
    if not labels:
        return None
    # A problem that follows the first answer is the model's own, and so is its answer.
    further = _NEXT.search(text, labels[0].end())
    while further and not text[labels[0].end() : further.start()].strip():
        further = _NEXT.search(text, further.end())
    end = further.start() if further else len(text)
    for label in reversed(labels):
        if label.end() <= end and (after := text[label.end() : end].strip()):
            return after
        end = min(end, label.start())
    return None


def _tagged(text: str) -> str:
    """What stands between the last pair of <answer> and </answer>; "" if there is none."""
    start, inside = -1, ""
    for tag in _TAG_OF_ANSWER.finditer(text) if "<" in text else ():
        if tag[1] and start >= 0:
            inside = text[start : tag.start()].strip() or inside
        start = -1 if tag[1] else tag.end()
    return (text[start:].strip() if start >= 0 else "") or inside


def first_line(text: str) -> str:
    """Return the first line of a text that holds a letter or digit; "" if none does."""
    return next((line.strip() for line in text.splitlines() if any(map(str.isalnum, line))), "")


@dataclass(frozen=True, slots=True)
class Entry:
    """An item of a list. `number`: that which it is given in the list, None if none is."""

    text: str
    number: int | None


_MARK: Final = re.compile(
    r"\(?(?:(?:question|name|item|q|第|问题) ?)?([0-9]{1,6})(?: ?[.):\uff1a\u3001\uff09]+|题[:\uff1a]?)(?![0-9])\s*"
    r"|([\u2460-\u2473])\s*|(?:[-*+\u2022\u00b7\u25cf\u25aa\u2013\u2014]|>)\s+",
    re.IGNORECASE,
)
_RULE: Final = re.compile(r"[|\-:=_*\s]+")
_SEPARATOR: Final = re.compile(r" ?(?:[;\uff1b\u3001]|,(?!\d{3}(?!\d))|\uff0c)\s*")
_AND: Final = re.compile(r"^(?:and|&|和|与|以及)\s+", re.IGNORECASE)
_EDGES: Final = " \t\"'\u201c\u201d\u2018\u2019\u300c\u300d\u300e\u300f[]{}"


def entries(text: str) -> list[Entry]:
    """Return the items of a list: numbered, with bullets, one a line, as a table, in brackets, or in one line.

    A line that introduces the list ("Here they are:") is none of them. Items in one line stand between commas,
    semicolons or 、; a comma inside a number does not part it.

    entries("1. Ada\\n2. Bo")  # [Entry("Ada", 1), Entry("Bo", 2)]
    """
    lines = [line.strip() for line in text.splitlines()]
    lines = [line for line in lines if any(map(str.isalnum, line)) and not _RULE.fullmatch(line)]
    made = [entry for line in lines if (entry := _entry(line)) is not None]
    if len(made) == 1 and made[0].number is None:
        parts = _SEPARATOR.split(made[0].text.strip(_EDGES))
        # The last "and" parts as well: "Ada, Bo and Cy".
        return [Entry(item, None) for part in parts if (item := _AND.sub("", part).strip(_EDGES))]
    return made


def _entry(line: str) -> Entry | None:
    if line.startswith("|") or line.count("|") > 1:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        number = cells[0].rstrip(".)") if cells else ""
        if len(cells) > 1 and number.isascii() and number.isdigit() and len(number) <= 6:
            return Entry(cells[-1].strip(_EDGES), int(number))
        return Entry(cells[-1].strip(_EDGES), None)
    mark = _MARK.match(line)
    rest = (line[mark.end() :] if mark else line).strip(_EDGES)
    if not any(map(str.isalnum, rest)):
        return None
    if not mark and line.endswith((":", "\uff1a")):
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
