"""Short answers: substring and exact match, token F1 (HELMET, arXiv:2410.02694; SQuAD's normalisation).

`subem` is sound: it looks for an accepted name as whole words (`naming.py`) in the window of the response, and marks an
echo of the prompt 0. The accepted names are the row's `answers` and, where its facts have them, `accepted`: any one is
right. The metrics that end in /paper are the published ones, defects included: a gold that normalises to nothing is in
every response, "7" is in "1972", and both the response (its first 100,000 characters) and what stands behind "Answer:"
are tried.
"""

import json
import re
import string
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

from carrara.scoring.naming import Names, readable
from carrara.scoring.text import SHORTEST_WINDOW, WINDOW_PER_GOLD, is_echo

# The published metrics read so much of a response; its output is limited to 64 tokens.
PAPER_READ: Final = 100_000
_PUNCTUATION: Final = re.compile(f"[{re.escape(string.punctuation)}]+")
_ARTICLE: Final = re.compile(r"\b(?:a|an|the)\b")
_ANSWER: Final = re.compile(r"answer:([^\n]*)", re.IGNORECASE)
_MARK: Final = re.compile(r"(?:^|[.?!\n])[^\w\n]{0,8}(?:final )?(?:(answer)|question)[*_]{0,2}:", re.IGNORECASE)
_DECIDED: Final = frozenset(("yes", "no", "noanswer"))


def subem(response: str, row: Mapping[str, Any]) -> float:
    """Return 1 if an accepted name stands in the window of the response, else 0.

    The window is the first max(400, 8 x length of the longest name) characters: names are alternatives, not parts. In a
    window with "Answer:" only what stands behind counts; not behind one that follows a "Question:", which is no answer.
    """
    names = accepted(row)
    longest = max(map(len, names), default=0)
    text = readable(response, max(SHORTEST_WINDOW, WINDOW_PER_GOLD * longest))
    if not any("answer" in name.lower() for name in names):
        text = _decided(text)
    return float(bool(Names([names]).found(text)) and not is_echo(response, row))


def subem_paper(response: str, row: Mapping[str, Any]) -> float:
    """Return 1 if an answer is a substring of the response or of what is parsed from it, all normalised; else 0."""
    return _best(response, row, lambda gold, text: float(gold in text))


def em_paper(response: str, row: Mapping[str, Any]) -> float:
    """Return 1 if the response, or what is parsed from it, equals an answer, both normalised; else 0."""
    return _best(response, row, lambda gold, text: float(gold == text))


def f1_paper(response: str, row: Mapping[str, Any]) -> float:
    """Return the best F1 over words of the response, or of what is parsed from it, with an answer, all normalised."""
    golds = [(gold, Counter(gold.split())) for gold in map(normalised, _answers(row))]
    found = 0.0
    for text in map(normalised, readings(response)):
        words = Counter(text.split())
        found = max(found, *(_f1(gold, parts, text, words) for gold, parts in golds), 0.0)
    return found


def subem_litm_paper(response: str, row: Mapping[str, Any]) -> float:
    """Return 1 if an answer is a substring of the response's first line, both normalised (lost in the middle)."""
    text = normalised(response[:PAPER_READ].split("\n", 1)[0].strip())
    return float(any(gold in text for gold in map(normalised, _answers(row))))


def accepted(row: Mapping[str, Any]) -> list[str]:
    """The names of which any one is right: `answers`, and `accepted` of the facts, as a list or a list of lists."""
    facts = json.loads(row.get("facts") or "{}")
    return [*dict.fromkeys([*_answers(row), *_flat(facts.get("accepted") or ())])]


def normalised(text: str) -> str:
    """SQuAD's normalisation: lower case, without ASCII punctuation, without articles, single spaces."""
    return " ".join(_ARTICLE.sub(" ", _PUNCTUATION.sub("", text.lower())).split())


def parsed(response: str) -> str:
    """What stands behind the first "Answer:" to the end of its line, else the first line; one more "Answer:" goes."""
    found = _ANSWER.search(response)
    text = (found[1] if found else response.split("\n", 1)[0]).strip()
    return text[7:].strip() if text[:7].lower() == "answer:" else text


def _decided(text: str) -> str:
    start, end = 0, len(text)
    for mark in _MARK.finditer(text):
        if not mark[1]:
            # A model that goes on with the next question.
            end = mark.start() + 1
            break
        start = mark.end()
    return text[start:end]


def _best(response: str, row: Mapping[str, Any], score: Callable[[str, str], float]) -> float:
    golds = [*dict.fromkeys(map(normalised, _answers(row)))]
    texts = [*map(normalised, readings(response))]
    return max((score(gold, text) for gold in golds for text in texts), default=0.0)


def readings(response: str) -> Iterator[str]:
    """The texts that published metrics try: the response as far as it is read, and what is parsed from it."""
    yield (read := response[:PAPER_READ])
    if (found := parsed(read)) != read:
        yield found


def _answers(row: Mapping[str, Any]) -> list[str]:
    return [*_flat(row["answers"])]


def _flat(names: Iterable[Any]) -> Iterator[str]:
    for name in names:
        if isinstance(name, (list, tuple)):
            yield from map(str, name)
        else:
            yield str(name)


def _f1(gold: str, parts: Counter[str], text: str, words: Counter[str]) -> float:
    if gold != text and (gold in _DECIDED or text in _DECIDED):
        return 0.0
    common = sum(min(count, words[word]) for word, count in parts.items())
    precision, recall = common / max(1, words.total()), common / max(1, parts.total())
    return 2 * precision * recall / (precision + recall) if common else 0.0
