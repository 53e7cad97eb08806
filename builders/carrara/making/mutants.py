"""Damages a release on purpose, and says which proof notices each damage: `carrara audit RELEASE --mutants N`.

A mutant is what a forger, a broken tool or a fault of ours would leave: a changed row whose digests, token counts and
statistics were made to fit, rows that were moved, or a manifest that says other than its rows. ROWS, SETS and FACTS are
the catalogue, a line each. Tried are, in this order: the proofs of the row and of its config (`carrara audit`), the
counts of the manifest (`carrara verify --level rows`), and the row as the recipe makes it (`carrara reproduce`), which
takes the sources. The first objection counts.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, cast

from carrara.making.proofs import record_findings, row_findings
from carrara.making.remake import recounted
from carrara.making.sidecar import row_record
from carrara.recipe.recipe import Config, Recipe
from carrara.release.reader import Release, rows
from carrara.row import ArrowRow, canonical_json, row_digest
from carrara.stream import Draws, Stream
from carrara.task import Finding
from carrara.tokens import load_tokenizer

JsonTable = dict[str, Any]
# Of (row, another row, draws): the columns that change; None where the damage does not apply.
RowDamage = Callable[[ArrowRow, ArrowRow, Draws], JsonTable | None]
# Of (rows, draws): the rows as damaged.
SetDamage = Callable[[Sequence[ArrowRow], Draws], list[ArrowRow]]
# Of the facts of a config, as the manifest has them: those that change.
FactsDamage = Callable[[JsonTable], JsonTable | None]
# Rows that are drawn until a damage applies to one.
_TRIES: Final = 24
# One mutant in so many is of a row of any length; the others of the shortest bucket of their variant.
_ANY_LENGTH: Final = 25


@dataclass(frozen=True, slots=True)
class MutantResult:
    """One mutant: its kind, the row or config that it damages, the proof that objects and what it says, "" for none."""

    kind: str
    where: str
    proof: str
    objection: str


def _edit(row: ArrowRow, start: int, end: int, text: str) -> JsonTable:
    """The prompt with [start, end) replaced, and the spans behind it moved."""
    shift = len(text) - (end - start)

    def moved(at: int) -> int:
        return at + shift if at >= end else min(at, start + len(text)) if at > start else at

    spans = [{"start": moved(span["start"]), "end": moved(span["end"])} for span in row["evidence"]]
    facts = json.loads(row["facts"])
    if isinstance(body := facts.get("body"), list):
        facts["body"] = [moved(at) for at in body]
    prompt = row["prompt"][:start] + text + row["prompt"][end:]
    return {"prompt": prompt, "evidence": spans, "facts": canonical_json(facts)}


def _fact(row: ArrowRow, draws: Draws, kind: type, change: Callable[[Any], object]) -> JsonTable | None:
    """One of the facts of a type changed."""
    facts = json.loads(row["facts"])
    names = [name for name, value in facts.items() if type(value) is kind and value]
    if not names:
        return None
    name = draws.choice(names)
    return {"facts": canonical_json({**facts, name: change(facts[name])})}


def _answers(row: ArrowRow, answers: Sequence[str]) -> JsonTable | None:
    return {"answers": list(answers)} if answers and list(answers) != row["answers"] else None


def _span(row: ArrowRow, start: int, end: int) -> JsonTable | None:
    if not row["evidence"]:
        return None
    first = row["evidence"][0]
    return {"evidence": [{"start": first["start"] + start, "end": first["end"] + end}, *row["evidence"][1:]]}


def _paragraphs(row: ArrowRow) -> list[tuple[int, int]]:
    """The spans of the paragraphs of a prompt, from the second to the last but one."""
    spans, at = [], 0
    for part in row["prompt"].split("\n\n"):
        spans.append((at, at + len(part)))
        at += len(part) + 2
    return [span for span in spans[1:-1] if span[1] > span[0]]


def _without_half(row: ArrowRow, _other: ArrowRow, _draws: Draws) -> JsonTable | None:
    """Half of the prompt gone from its middle, but for what is evidence."""
    prompt, spans = row["prompt"], sorted((span["start"], span["end"]) for span in row["evidence"])
    edges = [len(prompt) // 4, *(at for span in spans for at in span), len(prompt) * 3 // 4]
    gaps = [(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b - a > len(prompt) // 8]
    return _edit(row, gaps[0][0], gaps[0][1], "") if gaps else None


def _paragraph_twice(row: ArrowRow, _other: ArrowRow, draws: Draws) -> JsonTable | None:
    found = _paragraphs(row)
    if not found:
        return None
    start, end = draws.choice(found)
    return _edit(row, end, end, "\n\n" + row["prompt"][start:end])


def _gold_in_text(row: ArrowRow, _other: ArrowRow, draws: Draws) -> JsonTable | None:
    found = _paragraphs(row)
    if not found or len(row["answers"][0]) < 4:
        return None
    _, end = draws.choice(found)
    return _edit(row, end, end, " " + row["answers"][0])


def _other_question(row: ArrowRow, other: ArrowRow, _draws: Draws) -> JsonTable | None:
    """The end of the prompt, and so the question, is another row's."""
    ours, theirs = row["prompt"].rstrip().rsplit("\n\n", 1), other["prompt"].rstrip().rsplit("\n\n", 1)
    if len(ours) < 2 or len(theirs) < 2 or ours[1] == theirs[1] or row["answers"] == other["answers"]:
        return None
    at = len(ours[0]) + 2
    return _edit(row, at, len(row["prompt"]), theirs[1] + "\n")


def _evidence_gone(row: ArrowRow, _other: ArrowRow, draws: Draws) -> JsonTable | None:
    if not row["evidence"]:
        return None
    span = draws.choice(row["evidence"])
    return _edit(row, span["start"], span["end"], "")


def _evidence_twice(row: ArrowRow, other: ArrowRow, draws: Draws) -> JsonTable | None:
    """A piece of evidence stands a second time, with another answer."""
    held = [
        (span, answer)
        for span in row["evidence"]
        for answer in row["answers"]
        if answer in row["prompt"][span["start"] : span["end"]]
    ]
    if not held or other["answers"][0] in row["answers"]:
        return None
    span, answer = draws.choice(held)
    text = row["prompt"][span["start"] : span["end"]].replace(answer, other["answers"][0])
    return _edit(row, span["end"], span["end"], ("\n\n" if "\n" in text else " ") + text)


def _unlike(value: str) -> str:
    return value[:-1] + ("x" if value[-1:] != "x" else "y")


# What each does to a row; its digests, token count and statistics are then made to fit.
ROWS: Final[Mapping[str, RowDamage]] = {
    "id of another row": lambda row, other, draws: {"id": other["id"]},
    "item of another row": lambda row, other, draws: {"item": other["item"]} if other["item"] != row["item"] else None,
    "another task's name": lambda row, other, draws: {"task": "idk" if row["task"] != "idk" else "mrcr"},
    "another variant's name": lambda row, other, draws: {"variant": f"{row['variant']}_x"},
    "another bucket": lambda row, other, draws: {"bucket": "2M"},
    "another group": lambda row, other, draws: {"group": _unlike(row["group"])},
    "another answer prefix": lambda row, other, draws: {"answer_prefix": f"{row['answer_prefix']} Well:"},
    "a published scorer as metric": lambda row, other, draws: {"metric": f"{row['metric']}/paper"},
    "another metric": lambda row, other, draws: {"metric": "rouge_l" if row["metric"] != "rouge_l" else "choice"},
    "tokens one more": lambda row, other, draws: {"tokens": row["tokens"] + 1},
    "less room for the answer": lambda row, other, draws: {"max_output_tokens": row["max_output_tokens"] - 1},
    "no room for the answer": lambda row, other, draws: {"max_output_tokens": 1},
    "complexity one more": lambda row, other, draws: {"complexity": row["complexity"] + 1},
    "depths reversed": lambda row, other, draws: (
        {"depths": row["depths"][::-1]} if row["depths"] != row["depths"][::-1] else None
    ),
    "a depth elsewhere": lambda row, other, draws: (
        {"depths": [(row["depths"][0] + 0.37) % 1, *row["depths"][1:]]} if row["depths"] else None
    ),
    "a depth outside": lambda row, other, draws: {"depths": [1.5, *row["depths"][1:]]} if row["depths"] else None,
    "a depth too many": lambda row, other, draws: {"depths": [*row["depths"], 0.5]} if row["depths"] else None,
    "evidence a character late": lambda row, other, draws: _span(row, 1, 1),
    "evidence a character short": lambda row, other, draws: _span(row, 0, -1),
    "evidence outside of the prompt": lambda row, other, draws: _span(row, len(row["prompt"]), len(row["prompt"])),
    "a piece of evidence dropped": lambda row, other, draws: (
        {"evidence": row["evidence"][1:]} if row["evidence"] else None
    ),
    "a piece of evidence twice": lambda row, other, draws: (
        {"evidence": [*row["evidence"], row["evidence"][0]]} if row["evidence"] else None
    ),
    "gold of another row": lambda row, other, draws: _answers(row, other["answers"]),
    "gold reversed": lambda row, other, draws: _answers(row, row["answers"][::-1]),
    "gold without its last": lambda row, other, draws: _answers(row, row["answers"][:-1]),
    "gold with one too many": lambda row, other, draws: _answers(row, [*row["answers"], "Ostavel Brune"]),
    "gold with another letter": lambda row, other, draws: _answers(
        row, [_unlike(row["answers"][0]), *row["answers"][1:]]
    ),
    "no gold": lambda row, other, draws: {"answers": [""]},
    "options exchanged": lambda row, other, draws: (
        {"choices": [row["choices"][1], row["choices"][0], *row["choices"][2:]]} if row["choices"] else None
    ),
    "an option reworded": lambda row, other, draws: (
        {"choices": [*row["choices"][:-1], row["choices"][-1] + " or so"]} if row["choices"] else None
    ),
    "an option dropped": lambda row, other, draws: {"choices": row["choices"][:-1]} if row["choices"] else None,
    "facts of another row": lambda row, other, draws: (
        {"facts": other["facts"]} if other["facts"] != row["facts"] else None
    ),
    "facts that are no table": lambda row, other, draws: {"facts": "[]"},
    "a number in the facts changed": lambda row, other, draws: _fact(row, draws, int, lambda value: value + 1),
    "a text in the facts changed": lambda row, other, draws: _fact(row, draws, str, _unlike),
    "a list in the facts cut": lambda row, other, draws: _fact(row, draws, list, lambda value: value[:-1]),
    "prompt of another row": lambda row, other, draws: (
        {"prompt": other["prompt"]} if other["prompt"] != row["prompt"] else None
    ),
    "no prompt": lambda row, other, draws: {"prompt": ""},
    "instructions cut off at the end": lambda row, other, draws: {"prompt": row["prompt"][:-12]},
    "instructions cut off at the top": lambda row, other, draws: _edit(row, 0, 12, ""),
    "a replacement character": lambda row, other, draws: _edit(
        row, len(row["prompt"]) // 2, len(row["prompt"]) // 2 + 1, "\ufffd"
    ),
    "half of the text gone": _without_half,
    "a paragraph twice": _paragraph_twice,
    "the gold in the text": _gold_in_text,
    "the question of another row": _other_question,
    "evidence taken out": _evidence_gone,
    "evidence again with another answer": _evidence_twice,
}
# What each does to the rows of a config.
SETS: Final[Mapping[str, SetDamage]] = {
    "a row dropped": lambda found, draws: [*found[:-1]],
    "two rows exchanged": lambda found, draws: [found[1], found[0], *found[2:]],
    "a row's content under another id": lambda found, draws: [
        found[0],
        cast(ArrowRow, {**found[0], "id": found[1]["id"], "item": found[1]["item"], "group": found[1]["group"]}),
        *found[2:],
    ],
    "a row twice": lambda found, draws: [*found, found[0]],
}
# What each does to the facts of a config in the manifest.
FACTS: Final[Mapping[str, FactsDamage]] = {
    "licence": lambda facts: {"licence": "CC0-1.0" if facts["licence"] != "CC0-1.0" else "MIT"},
    "metric in the manifest": lambda facts: {"metric": facts["metric"] + "/paper"},
    "rows": lambda facts: {"rows": facts["rows"] + 1},
    "items": lambda facts: {"items": facts["items"] + 1},
    "groups": lambda facts: {"groups": facts["groups"] + 1},
    "answers": lambda facts: {"answers": facts["answers"] + 1},
    "tokens": lambda facts: {"tokens": {**facts["tokens"], "sum": facts["tokens"]["sum"] - 1}},
    "longest prompt": lambda facts: {"tokens": {**facts["tokens"], "max": facts["tokens"]["max"] - 1}},
    "output tokens": lambda facts: {"output_tokens": {**facts["output_tokens"], "min": 0}},
    "fill": lambda facts: {"fill": {**facts["fill"], "min": 1.5}},
    "complexity": lambda facts: {"complexity": {**facts["complexity"], "77": 1}},
    "depths": lambda facts: {"depths": [count + 1 for count in facts["depths"]]},
    "histogram": lambda facts: {"histogram": [count + 1 for count in facts["histogram"]]},
    "probes": lambda facts: (
        {"probes": [{**probe, "mean": probe["mean"] / 4} for probe in facts["probes"]]}
        if any(probe["mean"] for probe in facts["probes"])
        else None
    ),
    "paper scores": lambda facts: {"paper_scores": {"x": {"prompt echo": 0.5}, **facts["paper_scores"]}},
    "bucket of a config": lambda facts: {"bucket_tokens": facts["bucket_tokens"] * 2},
    "source of a config": lambda facts: {"source": facts["source"] + "x"},
}


class MutantCampaign:
    """The mutants of one release, drawn from a stream."""

    def __init__(self, release: Release, recipe: Recipe, remake: Callable[[str], ArrowRow], stream: str) -> None:
        """`remake`: the row that the recipe makes for an id."""
        self._release, self._recipe, self._remake = release, recipe, remake
        self._configs = {config.name: config for config in recipe.configs()}
        self._stream = Stream("mutants", stream)
        self._tokenizer = load_tokenizer(recipe.tokenizer)
        self._rows = lru_cache(maxsize=32)(lambda name: tuple(rows(release, name)))
        shortest: dict[tuple[str, str], Config] = {}
        for config in self._configs.values():
            known = shortest.setdefault((config.task.name, config.variant), config)
            if config.bucket_tokens < known.bucket_tokens:
                shortest[config.task.name, config.variant] = config
        self._shortest = list(shortest.values())
        self._counted: JsonTable = {}

    def results(self, count: int) -> Iterator[MutantResult]:
        """Make `count` mutants, every kind about as often as any other, and try each; those that apply to no row of the
        release are passed over. Raises CarraraError."""
        kinds = [*ROWS, *SETS, *FACTS]
        for number in range(count):
            kind = self._stream.child("kinds").balanced(kinds, number)
            if (result := self._result(kind, Draws(self._stream.child(number)))) is not None:
                yield result

    def _result(self, kind: str, draws: Draws) -> MutantResult | None:
        for _ in range(_TRIES):
            pool = self._shortest if draws.below(_ANY_LENGTH) else list(self._configs.values())
            config = draws.choice(pool)
            if kind in ROWS:
                found = self._of_row(kind, config, draws)
            elif kind in SETS:
                found = self._of_rows(kind, config, draws)
            else:
                found = self._of_facts(kind, config)
            if found is not None:
                return found
        return None

    def _of_row(self, kind: str, config: Config, draws: Draws) -> MutantResult | None:
        known = self._rows(config.name)
        if len(known) < 2:
            return None
        index = draws.below(len(known))
        other = known[(index + 1 + draws.below(len(known) - 1)) % len(known)]
        change = ROWS[kind](known[index], other, draws)
        if change is None:
            return None
        row = cast(ArrowRow, {**known[index], **change})
        if "prompt" in change:
            row["tokens"] = self._tokenizer.count(row["prompt"])
        findings = row_findings(config, config.slot(index), row, self._tokenizer)
        if not findings:
            findings = self._of_whole(config, [*known[:index], row, *known[index + 1 :]])
        row_id = known[index]["id"]
        if findings:
            return MutantResult(kind, row_id, "audit", _said(findings))
        is_made = row_digest(self._remake(row_id)) == row_digest(row)
        return MutantResult(kind, row_id, *(("", "") if is_made else ("rebuild", "the recipe makes another row")))

    def _of_rows(self, kind: str, config: Config, draws: Draws) -> MutantResult | None:
        known = self._rows(config.name)
        if len(known) < 2:
            return None
        findings = self._of_whole(config, SETS[kind](known, draws))
        return MutantResult(kind, config.name, "audit" if findings else "", _said(findings))

    def _of_whole(self, config: Config, damaged: Sequence[ArrowRow]) -> list[Finding]:
        """What is objected to in the rows of one config together."""
        records = [row_record(row, config.slot(index)) for index, row in enumerate(damaged)]
        return record_findings([config], self._recipe.buckets, {config.name: records})

    def _of_facts(self, kind: str, config: Config) -> MutantResult | None:
        if not self._counted:
            self._counted = recounted(self._release, self._recipe).to_json()["configs"]
        stated = self._release.content.configs[config.name].to_json()
        change = FACTS[kind](stated)
        if change is None:
            return None
        counted, forged = self._counted[config.name], {**stated, **change}
        differ = [key for key in sorted({*counted, *forged}) if counted.get(key) != forged.get(key)]
        said = f"{', '.join(differ)} are not what the rows bear out" if differ else ""
        return MutantResult(kind, config.name, "rows" if differ else "", said)


def _said(findings: Sequence[Finding]) -> str:
    return f"{findings[0].what}: {findings[0].detail}" if findings else ""
