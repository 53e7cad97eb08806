"""Solves common-words and frequent-words prompts by counting, audits rows, and guesses without counting."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from carrara.stream import Stream
from carrara.task import Draft, Finding
from carrara.tasks.helmet.synthetic_recall.chains_solver import behind_example, shown_example
from carrara.tasks.helmet.synthetic_recall.filler import occurrences, shares
from carrara.tasks.helmet.synthetic_recall.prompt import (
    CODE_HEAD,
    CODE_TAIL,
    DOTS,
    LIST_HEAD,
    LIST_TAIL,
    LIST_TAIL_ONE,
    MARK,
)

_TAIL = re.compile(re.escape(LIST_TAIL).replace(re.escape("{count}"), "([0-9]{1,2})", 1).replace(r"\{count\}", r"\1"))
_CODED = re.compile("[b-df-hj-np-tv-xz]{6}")
_WORD: Final = re.compile("(?:[b-df-hj-np-tv-z][aeiou]){3}")
# One dot more by the law may bring words of this many tokens together: the dots that fill the rest are fewer.
_FEW_DOTS: Final = 256


def solve_list(prompt: str) -> tuple[str, ...]:
    """Return the most frequent words in alphabetical order; () if the prompt has another form or counts are tied."""
    if (read := read_list(prompt)) is None:
        return ()
    entries, asked = read
    ranked = Counter(entries).most_common(asked + 1)
    if len(ranked) <= asked or ranked[asked - 1][1] == ranked[asked][1]:
        return ()
    return tuple(sorted(word for word, _ in ranked[:asked]))


def solve_code(prompt: str) -> tuple[str, ...]:
    """Return the three most frequent words in order; () if the prompt has another form or counts are tied."""
    if (units := read_code(prompt)) is None:
        return ()
    counts = Counter(units)
    del counts[DOTS]
    ranked = counts.most_common(4)
    if len(ranked) < 4 or any(a[1] == b[1] for a, b in pairwise(ranked)):
        return ()
    return tuple(word for word, _ in ranked[:3])


def read_list(prompt: str) -> tuple[list[str], int] | None:
    """Return the words of the list in order, and how many are asked for; None for a prompt of another form."""
    end, begin = prompt.rfind("[The list ends]"), behind_example(prompt) + len(LIST_HEAD)
    if not prompt[:begin].endswith(LIST_HEAD) or end < begin:
        return None
    tail = prompt[end:]
    asked = 1 if tail == LIST_TAIL_ONE else int(match[1]) if (match := _TAIL.fullmatch(tail)) else 0
    body = prompt[begin:end]
    entries = body.split()[1::2]
    if not asked or body != "".join([f"{number}{MARK}{word}\n" for number, word in enumerate(entries, 1)]):
        return None
    return entries, asked


def read_code(prompt: str) -> list[str] | None:
    """Return the words and dots of the text in order; None for a prompt of another form."""
    if not prompt.startswith(CODE_HEAD) or not prompt.endswith(CODE_TAIL):
        return None
    body = prompt[len(CODE_HEAD) : len(prompt) - len(CODE_TAIL)]
    blank, *units = body.split(" ")
    if blank or any(unit != DOTS and not _CODED.fullmatch(unit) for unit in set(units)):
        return None
    return units


def audit_list(draft: Draft) -> Iterator[Finding]:
    """Check that counts are exact, that no word is part of another, and that the answers are the most frequent."""
    facts = draft.facts
    if (read := read_list(draft.prompt)) is None:
        yield Finding("layout", "the prompt is not a list numbered from 1 and its question")
        return
    entries, asked = read
    example = shown_example(draft.prompt)
    if bool(example) != bool(facts.get("shots")) or (example and solve_list(example[0]) != example[1]):
        yield Finding("example", "the worked example is missing, not told, or not solved as it says")
    counts = Counter(entries)
    # Distinct words of one length are never parts of each other, so this covers all pairs.
    if odd := [word for word in counts if not _WORD.fullmatch(word)]:
        yield Finding("words", f"{odd[:5]} are not three syllables of six letters")
    wanted = {**dict.fromkeys(facts["decoys"], facts["nearly"]), **dict.fromkeys(draft.answers, facts["often"])}
    if wrong := [word for word, times in counts.items() if times != wanted.get(word, facts["seldom"])]:
        yield Finding("counts", f"{wrong[0]} stands {counts[wrong[0]]} times")
    if missing := [word for word in wanted if word not in counts]:
        yield Finding("counts", f"{missing[0]} stands nowhere")
    if not asked == len(set(draft.answers)) == len(draft.answers) or list(draft.answers) != sorted(draft.answers):
        yield Finding("gold", f"{asked} words are asked; the answers are {len(draft.answers)}, or in no order")
    if not facts["often"] > max(facts["nearly"], facts["seldom"]) or set(draft.answers) & set(facts["decoys"]):
        yield Finding("gold", "the words asked are not more frequent than all others")
    yield from _first_seen(draft, "\n")


def audit_code(draft: Draft) -> Iterator[Finding]:
    """Check that counts follow the law, and that the answers are the three most frequent words without ties."""
    facts = draft.facts
    if (units := read_code(draft.prompt)) is None:
        yield Finding("layout", "the prompt is not a text of coded words and dots and its question")
        return
    counts = Counter(units)
    dots = counts.pop(DOTS, 0)
    ranked = counts.most_common()
    times = [count for _, count in ranked]
    if len(times) < 4 or not times[0] > times[1] > times[2] > times[3]:
        yield Finding("gold", f"the first four counts are {times[:4]}: not apart")
    if tuple(word for word, _ in ranked[:3]) != draft.answers:
        yield Finding("gold", f"{ranked[:3]} are the most frequent; the answers are {draft.answers}")
    if not _lawful(facts["alpha"], facts["variant"] == "fwe_hard", dots, times):
        yield Finding("law", f"{dots} dots and counts of {times[:8]}... follow no law of exponent {facts['alpha']}")
    yield from _first_seen(draft, " ")


def guess_list(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Guess random words of the list, the first ones, or the most frequent of its beginning."""
    entries, asked = read_list(draft.prompt) or ([], 1)
    distinct = list(dict.fromkeys(entries))
    return {
        "any words of the list": ("\n".join(stream.sample(distinct, min(asked, len(distinct)))),),
        "the first words of the list": ("\n".join(distinct[:asked]),),
        "the commonest of the first tenth": ("\n".join(_commonest(entries[: len(entries) // 10], asked)),),
        **({"the decoys": ("\n".join(draft.facts["decoys"]),)} if draft.facts["decoys"] else {}),
    }


def guess_code(draft: Draft, stream: Stream) -> dict[str, tuple[str, ...]]:
    """Guess random words of the text, the first ones, or the most frequent of its beginning."""
    words = [unit for unit in read_code(draft.prompt) or [] if unit != DOTS]
    distinct = list(dict.fromkeys(words))
    return {
        "any words of the text": ("\n".join(stream.sample(distinct, min(3, len(distinct)))),),
        "the first words of the text": ("\n".join(distinct[:3]),),
        "the most frequent of the first tenth": ("\n".join(_commonest(words[: len(words) // 10], 3)),),
    }


def _commonest(words: Sequence[str], count: int) -> list[str]:
    return [word for word, _ in Counter(words).most_common(count)]


def _lawful(alpha: float, hard: bool, dots: int, times: list[int]) -> bool:
    """Whether the counts are those of some number of dots, of which a few more may stand at most."""
    shared = shares(alpha, hard, dots)
    return any(
        occurrences(shared[:1], fewer).tolist() == times[:1] and occurrences(shared, fewer).tolist() == times
        for fewer in range(dots, max(0, dots - _FEW_DOTS), -1)
    )


def _first_seen(draft: Draft, behind: str) -> Iterator[Finding]:
    """The spans are the first occurrences of the answers."""
    begin = draft.prompt.rfind("begins]")
    held = [(draft.prompt.find(f" {word}{behind}", begin) + 1, word) for word in draft.answers]
    if list(draft.evidence) != [(start, start + len(word)) for start, word in held]:
        yield Finding("evidence", "the spans are not the first occurrences of the answers")
