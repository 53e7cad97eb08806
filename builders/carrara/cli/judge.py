"""`carrara judge`: have a model judge responses; `carrara agreement`: how well verdicts agree with other grades."""

import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from carrara.cli.options import (
    BaseUrlOption,
    BucketOption,
    ConfigOption,
    JsonOption,
    KeyEnvOption,
    ModelOption,
    PlaceArgument,
    TaskOption,
    UnverifiedOption,
    address,
)
from carrara.cli.pieces import extra_parameters, first_error
from carrara.errors import CarraraError, ReleaseError
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.llm.client import Address
    from carrara.release.reader import Release
    from carrara.scoring.judge.rubrics import Asked, Verdict
    from carrara.scoring.judge.verdicts import Judge, Verdicts

# A request has some tokens of its own besides its texts.
TOKENS_A_REQUEST = 8
_NAMED = 20
_RESERVED = ("model", "messages", "stream", "n", "response_format")


@dataclass(slots=True)
class _Work:
    """What there is to judge: questions by key, with the rows that they are asked for and the response of each."""

    rows: int = 0
    missing: int = 0
    silent: int = 0
    asked: dict[str, "Asked"] = field(default_factory=dict)
    needed: dict[str, list[str]] = field(default_factory=dict)
    unjudgeable: dict[str, str] = field(default_factory=dict)

    def first_row(self, key: str) -> str:
        """The first row that a question is asked for."""
        return self.needed[key][0]


def judge(
    release: PlaceArgument,
    responses: Annotated[Path, typer.Argument(help="JSON lines with id and response; also .gz and .parquet.")],
    base_url: BaseUrlOption,
    model: ModelOption,
    out: Annotated[Path, typer.Option("--out", help="The file of verdicts (.jsonl); goes on where it ends.")],
    rubric: Annotated[
        Literal["carrara", "paper"],
        typer.Option("--rubric", help="Our definitions of the grades, or those of HELMET's paper."),
    ] = "carrara",
    key_env: KeyEnvOption = None,
    bucket: BucketOption = None,
    task: TaskOption = None,
    config: ConfigOption = None,
    workers: Annotated[int, typer.Option("--workers", min=1, max=256, help="Questions at a time.")] = 8,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds to wait for an answer.")] = 120.0,
    retries: Annotated[
        int, typer.Option("--retries", min=0, max=20, help="Tries after the first, when busy or away.")
    ] = 5,
    extra: Annotated[
        str, typer.Option("--extra", help="Parameters to send, a JSON object: '{\"max_tokens\": 2000}'.")
    ] = "",
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it takes, ask nothing.")] = False,
    price_in: Annotated[
        float | None, typer.Option("--price-in", "--price-input", min=0.0, help="Price of a million tokens in.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", "--price-output", min=0.0, help="Price of a million tokens out.")
    ] = None,
    limit_tokens: Annotated[
        int | None, typer.Option("--limit-tokens", min=1, help="Refuse to ask for more tokens in than this.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether the cost is all right.")] = False,
    unverified: UnverifiedOption = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Have a model judge the responses to rows whose metric is judge/qa or judge/summary.

    With --rubric paper it judges by the definitions of HELMET's paper, with reasons before each verdict; the scores are
    then recorded as judge/qa/paper and judge/summary/paper. The judge sees what a response says, never its thoughts.

    An answer takes one question to the judge (fluency and correctness), a summary three (fluency, key points held,
    sentences held). It tells first how many questions, tokens and, with prices, what cost that is; --estimate ends
    there. Verdicts go to --out, a line each, as they come: killed or interrupted, the same command goes on where it
    stopped, and what was judged is not asked again, whichever file of responses it stands in. Score with them:
    carrara score DIR responses.jsonl --verdicts FILE.

    Any OpenAI-compatible endpoint will do; it is said where the key goes. The judge's answers are checked against a
    schema; what it does not answer so, in three tries, is unjudged, named with its reason and asked again by the next
    run. Exit 0 when all is judged, 1 when something is not. Examples:

    \b
    carrara judge quickstart@3.0.0 responses.jsonl --out verdicts.jsonl --estimate \\
        --base-url http://localhost:8000/v1 --model NAME

    \b
    carrara judge quickstart@3.0.0 responses.jsonl --out verdicts.jsonl --price-in 0.15 --price-out 0.60 \\
        --base-url https://api.openai.com/v1 --model NAME
    """
    from carrara.release.configs import choose_configs
    from carrara.release.reader import open_release
    from carrara.release.schema import refuse_sealed
    from carrara.scoring.judge.rubrics import RUBRICS
    from carrara.scoring.judge.verdicts import Judge, VerdictsError, are_parameters, kept_verdicts

    opened = open_release(release, unverified)
    refuse_sealed(opened.content, "judged")
    where = address(base_url, model, key_env)
    if out.suffix != ".jsonl" or not out.parent.is_dir():
        expected = "expected a name that ends in .jsonl, in a folder that exists"
        raise CarraraError(f"got --out {out}, {expected}", "rename it, or make the folder")
    by = Judge(where.model, extra_parameters(extra, _RESERVED), RUBRICS[rubric].fingerprint)
    if not are_parameters(by.parameters):
        raise CarraraError("got --extra of over 4,000 characters, expected fewer", "give what the endpoint takes")
    chosen = choose_configs(opened.configs, bucket=bucket, task=task, config=config)
    work = _work(opened, chosen, responses, by)
    prices = (price_in, price_out)
    try:
        told_first, facts = _estimate(work, kept_verdicts(out, by), prices)
        if not quiet or estimate:
            typer.echo(told_first, err=not estimate or as_json)
        if estimate:
            if as_json:
                typer.echo(json_text(facts))
            return
        if facts["calls"] and where.told:
            typer.echo(where.told, err=True)
        _agreed(facts, limit_tokens, yes)
        table = _judged(work, by, where, out, (workers, timeout, retries), prices, quiet)
    except VerdictsError as error:
        raise CarraraError(str(error), "the file was not changed") from error
    if as_json:
        typer.echo(json_text(table))
    else:
        typer.echo(_told(table, out))
    if table["unjudged"]["count"]:
        raise typer.Exit(1)


def agreement(
    verdicts: Annotated[Path, typer.Argument(help="A file of verdicts that carrara judge wrote.")],
    labels: Annotated[
        Path,
        typer.Argument(help="People's labels: JSON lines with id or key, and grades; or another file of verdicts."),
    ],
    as_json: JsonOption = False,
) -> None:
    """Say how well a judge agrees with people: Cohen's kappa by kind of question, with 95 % bootstrap intervals.

    In place of labels it takes another file of verdicts on the same responses: by another model, or by the other rubric
    (carrara judge --rubric paper).

    A label is a line of JSON: `id` (of a row) or `key` (of a verdict), and what a person says: `fluency` (0 or 1),
    `correctness` (0 to 3), `recall` or `precision` (a list of true and false: which key points, which sentences are
    held), or `held` with a `key`. Kappa is agreement beyond what the two would reach by chance: 1 is all, 0 none beyond
    chance. Of correctness it is also told with quadratic weights, under which 3 for 2 is a lesser fault than 3 for 0.
    Labels without a verdict, or with another number of values, are counted and named.
    """
    from carrara.cli.tables import agreement_table, terminal
    from carrara.scoring.judge.agreement import LabelsError, agree, read_second
    from carrara.scoring.judge.verdicts import VerdictsError, read_verdicts

    try:
        known = read_verdicts(verdicts)
        other, grades = read_second(labels)
        comparison = agree(known, grades, other)
    except (VerdictsError, LabelsError) as error:
        raise CarraraError(str(error), "nothing was compared") from error
    if as_json:
        typer.echo(json_text(comparison.to_json(), allow_nan=False))
    else:
        terminal().print(agreement_table(comparison))


def _work(opened: "Release", configs: list[str], responses: Path, judge: "Judge") -> _Work:
    """Every question of the responses to rows that a model judges. Raises CarraraError where there are none."""
    from carrara.release.reader import checked_rows
    from carrara.release.report import check_metrics
    from carrara.scoring.errors import ResponsesError, RowError
    from carrara.scoring.judge.judge import BY_PAPER, JUDGED, Unjudgeable, questions
    from carrara.scoring.judge.rubrics import OURS, PAPER, ask
    from carrara.scoring.responses.files import read_responses

    try:
        given = read_responses(responses, samples=True)
    except ResponsesError as error:
        raise CarraraError(str(error), "mend the file: nothing was judged") from error
    check_metrics(opened, configs)
    work = _Work()
    for row in (row for name in configs for row in checked_rows(opened, name)):
        if row["metric"] not in JUDGED:
            continue
        if row["metric"].endswith(BY_PAPER) and not judge.is_by_paper:
            raise CarraraError(f"row {row['id']!a} is scored by {row['metric']}", "add --rubric paper")
        work.rows += 1
        responses_of = [text for text in given.of(row["id"]) if text is not None]
        work.missing += not responses_of
        for response in responses_of:
            try:
                asked = questions(row["metric"], row, response)
            except Unjudgeable as error:
                work.unjudgeable[row["id"]] = str(error)
                continue
            except RowError as error:
                what = f"{opened.place.label}: row {row['id']!a}: {error}"
                raise ReleaseError(what, "audit the release: carrara audit DIR") from error
            work.silent += not asked
            for question in asked:
                key = judge.key(question)
                if key not in work.asked:
                    work.asked[key] = ask(question, PAPER if judge.is_by_paper else OURS)
                work.needed.setdefault(key, []).append(row["id"])
    if not work.rows:
        lack = f"no row of {', '.join(configs[:3])}{' and others' if len(configs) > 3 else ''} has a metric for a judge"
        raise CarraraError(
            lack, "judge/qa (narrativeqa) and judge/summary (summarization) have; score the rest as it is"
        )
    if not work.asked and not work.unjudgeable:
        lack = f"the file answers none of the {work.rows:,} rows that a model judges"
        raise CarraraError(lack, "check that the responses are to this release")
    return work


def _estimate(work: _Work, held: "Verdicts", prices: tuple[float | None, float | None]) -> tuple[str, dict[str, Any]]:
    """What asking will take, in words and numbers."""
    from carrara.scoring.judge.rubrics import usual_tokens
    from carrara.text.display import count
    from carrara.tokens import load_tokenizer

    tokenizer = load_tokenizer("o200k_base")
    new = [asked for key, asked in work.asked.items() if key not in held.known]
    texts = [text for asked in new for text in (asked.system, asked.user)]
    tokens_in = len(new) * TOKENS_A_REQUEST + (int(tokenizer.count_many(texts).sum()) if texts else 0)
    tokens_out = sum(map(usual_tokens, new))
    known = len(work.asked) - len(new)
    answered = work.rows - work.missing
    facts: dict[str, Any] = {"rows": work.rows, "answered": answered, "calls": len(new), "cached": known}
    facts |= {"tokens_in": tokens_in, "tokens_out": tokens_out, "cost": cost_of(prices, tokens_in, tokens_out)}
    text = f"{answered:,} of {work.rows:,} rows are answered: {len(new):,} questions to ask, {known:,} judged before"
    if new:
        text += f"; about {count(tokens_in)} tokens in (o200k_base) and {count(tokens_out)} out"
        text += ", more of a judge that thinks first or is asked again"
        cost = facts["cost"]
        text += (
            f"\n{price(cost, 'about ')}, in the currency of the prices"
            if cost is not None
            else ("\ncost unknown: give --price-in and --price-out, per million tokens")
        )
    return text, facts


def cost_of(prices: tuple[float | None, float | None], tokens_in: int, tokens_out: int) -> float | None:
    """What tokens cost by prices per million, None without prices."""
    price_in, price_out = prices
    if price_in is None or price_out is None:
        return None
    return round((price_in * tokens_in + price_out * tokens_out) / 1e6, 6)


def price(cost: float | None, about: str = "") -> str:
    """A cost in words, small ones with two digits; "" for none."""
    return "" if cost is None else f"cost {about}{cost:.2f}" if cost >= 0.1 or not cost else f"cost {about}{cost:.2g}"


def _agreed(facts: Mapping[str, Any], limit_tokens: int | None, yes: bool) -> None:
    """Go on only where the cost is all right."""
    if limit_tokens is not None and facts["tokens_in"] > limit_tokens:
        problem = f"that would take about {facts['tokens_in']:,} tokens in, over --limit-tokens {limit_tokens:,}"
        raise CarraraError(problem, "nothing was asked: raise it, or judge fewer configs")
    if facts["calls"] and not yes:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise CarraraError("got no terminal to confirm the cost on", "add --yes")
        typer.confirm("Ask them?", abort=True, err=True)


def _judged(
    work: _Work,
    judge: "Judge",
    address: "Address",
    out: Path,
    how: tuple[int, float, int],
    prices: tuple[float | None, float | None],
    quiet: bool,
) -> dict[str, Any]:
    """Ask what the file does not hold, and say what came of it."""
    import asyncio

    from carrara.cli.progress import Progress
    from carrara.llm.judges import Asker
    from carrara.scoring.judge.verdicts import VerdictFile

    workers, seconds, retries = how
    asker = Asker(address, judge.parameters, workers=workers, seconds=seconds, retries=retries)
    with VerdictFile(out, judge) as file:
        held = file.verdicts
        new = [(key, asked) for key, asked in work.asked.items() if key not in held.known]
        failed = 0

        def aside() -> str:
            cost = cost_of(prices, asker.tokens_in, asker.tokens_out)
            parts = [f"{asker.asked:,} answers", f"{failed:,} unjudged" if failed else "", price(cost)]
            return ", ".join(filter(None, parts))

        def spent() -> str:
            return f"{len(held.known):,} verdicts kept"

        async def all_of_it(progress: Progress) -> str:
            def tell(key: str, verdict: "Verdict | str") -> None:
                nonlocal failed
                failed += isinstance(verdict, str)
                file.add(key, work.asked[key].kind, work.first_row(key), verdict)
                progress.advance("judge", 1, 0)

            async with asker:
                return await asker.ask_all(new, tell)

        with Progress(len(new), 0, quiet, unit="verdicts", aside=aside) as progress:
            progress.start("judge", len(new))
            try:
                stopped = asyncio.run(all_of_it(progress)) if new else ""
            except KeyboardInterrupt:
                progress.note(f"stopped, {spent()}: run the same command to go on")
                raise
            except ExceptionGroup as group:
                progress.note(f"stopped, {spent()}")
                raise first_error(group) from None
        return _table(work, held, len(new), stopped, asker, prices)


def _table(
    work: _Work, held: "Verdicts", new: int, stopped: str, asker: Any, prices: tuple[float | None, float | None]
) -> dict[str, Any]:
    """What came of it: questions judged now and before, and the rows that are not judged, with their reasons."""
    reasons: defaultdict[str, list[str]] = defaultdict(list)
    for row_id, reason in work.unjudgeable.items():
        reasons[row_id].append(reason)
    left = [key for key in work.asked if key not in held.known]
    for key in left:
        reason = held.unjudged.get(key) or f"not asked: {stopped or 'the run ended before'}"
        for row_id in work.needed[key]:
            reasons[row_id].append(f"{work.asked[key].kind}: {reason}")
    named = {row_id: "; ".join(reasons[row_id]) for row_id in sorted(reasons)[:_NAMED]}
    answered = work.rows - work.missing
    return {
        "rows": work.rows,
        "missing": work.missing,
        "judged_rows": answered - len(reasons),
        "questions": {"asked": new, "judged": new - len(left), "cached": len(work.asked) - new, "unjudged": len(left)},
        "unjudged": {"count": len(reasons), "first": named},
        "stopped": stopped,
        "answers": asker.asked,
        "tokens_in": asker.tokens_in,
        "tokens_out": asker.tokens_out,
        "cost": cost_of(prices, asker.tokens_in, asker.tokens_out),
    }


def _told(table: Mapping[str, Any], out: Path) -> str:
    from carrara.text.display import count, visible

    questions, unjudged = table["questions"], table["unjudged"]
    lines = [
        f"{visible(out)}: {table['judged_rows']:,} of {table['rows']:,} rows judged, {unjudged['count']:,} unjudged, "
        f"{table['missing']:,} without a response",
        f"questions: {questions['judged']:,} judged, {questions['cached']:,} judged before, "
        f"{questions['unjudged']:,} unjudged",
        f"{table['answers']:,} answers, {count(table['tokens_in'])} tokens in, {count(table['tokens_out'])} out"
        + (f", {price(table['cost'])}" if table["cost"] is not None else ""),
    ]
    if table["stopped"]:
        lines.append(f"asking ended early: {visible(table['stopped'], 400)}")
    if unjudged["count"]:
        lines.append("unjudged (0 in the mean until they are judged; the same command asks for them again):")
        lines += [f"  {visible(row_id, 200)}  {visible(reason, 400)}" for row_id, reason in unjudged["first"].items()]
        if unjudged["count"] > len(unjudged["first"]):
            lines.append(f"  and {unjudged['count'] - len(unjudged['first']):,} more")
    return "\n".join(lines)
