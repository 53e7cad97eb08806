"""`carrara run`: ask a model the rows of a release through Inspect or lm-evaluation-harness, and score its answers."""

import hashlib
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from carrara import __version__
from carrara.cli.judge import cost_of, price
from carrara.cli.options import (
    BucketOption,
    ConfigOption,
    IdsOption,
    JsonOption,
    PlaceArgument,
    QuietOption,
    TaskOption,
)
from carrara.cli.pieces import extra_parameters
from carrara.errors import CarraraError, MissingLibraryError, need
from carrara.text.json import json_text

if TYPE_CHECKING:
    from carrara.release.reader import Release
    from carrara.release.selection import SelectedRows
    from carrara.release.store import Place
    from carrara.run.harnesses import Work
    from carrara.run.record import AskedRow, KeptAnswer, RunFolder
    from carrara.scoring import Report

_KEY = "OPENAI_API_KEY"
_RESERVED = ("model", "messages", "max_tokens", "max_completion_tokens", "temperature", "n", "stream", "stop")
_NAMED = 5


class Harness(StrEnum):
    """What asks."""

    INSPECT = "inspect"
    LM_EVAL = "lm-eval"


def run(
    release: PlaceArgument,
    model: Annotated[
        str,
        typer.Option("--model", help="PROVIDER/NAME, such as openai/gpt-5; with --base-url the name the server knows."),
    ],
    out: Annotated[Path, typer.Option("--out", help="The folder of the run: new, or to go on with.")],
    base_url: Annotated[
        str, typer.Option("--base-url", help="An OpenAI-compatible server, such as http://localhost:8000/v1.")
    ] = "",
    key_env: Annotated[
        str | None,
        typer.Option("--key-env", help=f"The variable that holds the key. With --base-url: {_KEY}, where it is set."),
    ] = None,
    bucket: BucketOption = None,
    task: TaskOption = None,
    config: ConfigOption = None,
    ids: IdsOption = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, help="Ask this many rows, spread over the configs.")
    ] = None,
    reasoning_tokens: Annotated[
        int, typer.Option("--reasoning-tokens", min=0, help="Tokens for thinking, on top of every row's answer.")
    ] = 0,
    most_tokens: Annotated[
        int | None,
        typer.Option("--most-tokens", min=1, help="No more than this for any answer, for a model that writes no more."),
    ] = None,
    extra: Annotated[
        str, typer.Option("--extra", help='Parameters to send, a JSON object: \'{"reasoning_effort": "high"}\'.')
    ] = "",
    temperature: Annotated[float, typer.Option("--temperature", min=0.0, max=2.0, help="0 is greedy.")] = 0.0,
    harness: Annotated[Harness, typer.Option("--harness", help="What asks.")] = Harness.INSPECT,
    workers: Annotated[int, typer.Option("--workers", min=1, max=1_000, help="Requests at a time.")] = 8,
    timeout: Annotated[int, typer.Option("--timeout", min=1, help="Seconds that one request may take.")] = 1_800,
    retries: Annotated[
        int, typer.Option("--retries", min=0, max=50, help="How often a request is tried again, after growing pauses.")
    ] = 8,
    price_in: Annotated[float | None, typer.Option("--price-in", min=0.0, help="Price of a million tokens in.")] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", min=0.0, help="Price of a million tokens out.")
    ] = None,
    limit_tokens: Annotated[
        int | None, typer.Option("--limit-tokens", min=1, help="Refuse to ask for more tokens in than this.")
    ] = None,
    estimate: Annotated[bool, typer.Option("--estimate", help="Say what it takes, ask nothing.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether the cost is all right.")] = False,
    details: Annotated[
        bool, typer.Option("--details", help="Also by config, complexity and depth, and as the papers report.")
    ] = False,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
) -> None:
    """Ask a model the rows of a release, and score its answers.

    Says first how many rows, tokens and, with prices, what cost that is, then asks whether to go on. The prompt is the
    user's message, byte for byte; the model may write a row's max_output_tokens and --reasoning-tokens, and what it
    thinks is not scored. Every answer is kept as it comes: killed or interrupted, the same command goes on where it
    stopped, and no row that has an answer is asked again. A row without an answer (refused, too long, failed) is named,
    counts 0, and is asked again by the same command.

    In --out: responses.jsonl (for carrara score and page), result.json (for compare and plot), logs (inspect view
    --log-dir OUT/logs), run.json (what was asked of whom). Exit 0 when every row has an answer, 1 when some have none.

    A server of your own, such as vLLM (vllm serve NAME), SGLang, llama.cpp or Ollama:

    \b
    carrara run quickstart@3.0.0 --bucket 32k --out runs/NAME \\
        --base-url http://localhost:8000/v1 --model NAME

    OpenAI, Anthropic and Hugging Face, with their keys in OPENAI_API_KEY, ANTHROPIC_API_KEY and HF_TOKEN:

    \b
    carrara run quickstart@3.0.0 --bucket 32k --limit 20 --out runs/gpt-5 \\
        --model openai/gpt-5 --reasoning-tokens 8000 --price-in 1.25 --price-out 10
    carrara run quickstart@3.0.0 --bucket 32k --out runs/claude \\
        --model anthropic/claude-sonnet-4-5
    carrara run quickstart@3.0.0 --bucket 32k --out runs/oss \\
        --model hf-inference-providers/openai/gpt-oss-20b

    A model of transformers in this process:

    \b
    carrara run quickstart@3.0.0 --bucket 32k --out runs/qwen \\
        --harness lm-eval --model hf/Qwen/Qwen3-0.6B
    """
    from carrara.cli.tables import score_screen, terminal
    from carrara.engine.files import write_bytes
    from carrara.run.harnesses import Decoding, Work
    from carrara.run.record import RESULT, RunFolder

    # The bars of libraries, which are read when the first of them is loaded, would run across ours.
    os.environ["TQDM_DISABLE"] = "1"
    opened, asked, whole, selected = _rows(release, (bucket, task, config), ids, limit)
    how = Decoding(reasoning_tokens, most_tokens, temperature, extra_parameters(extra, _RESERVED))
    said = _said(opened, asked, selected is not None) | {"harness": harness.value, "model": model} | asdict(how)
    folder = RunFolder(out, asked, said, _session(harness, base_url))
    folder.check()
    work = Work(opened, folder, model, how, base_url, workers=workers, seconds=timeout, retries=retries)
    prices = (price_in, price_out)
    facts = _cost(work, whole, prices)
    if not quiet or estimate:
        typer.echo(_told(opened, facts), err=not estimate or as_json)
    if estimate:
        if as_json:
            typer.echo(json_text(facts.to_json()))
        return
    if facts.left:
        need("lm_eval" if harness is Harness.LM_EVAL else "inspect_ai", harness.value)
        work.key = _key(base_url, key_env, model)
        _agreed(facts, limit_tokens, yes)
    with folder:
        if folder.left():
            _ask(work, harness, prices, quiet)
        folder.finish()
    report = _score(opened, folder, model, selected)
    write_bytes(out / RESULT, f"{json_text(report.to_json())}\n".encode())
    if as_json:
        typer.echo(json_text(report.to_json()))
    else:
        console = terminal()
        console.print(score_screen(report, console.width, details))
    _remark(folder, quiet)
    if folder.left():
        raise typer.Exit(1)


def _rows(
    release: "Place", names: Sequence[list[str] | None], ids: Path | None, limit: int | None
) -> tuple["Release", list["AskedRow"], int, "SelectedRows | None"]:
    """The release, the rows to ask, how many there are without a limit, and those that `ids` lists.

    `names` are buckets, tasks and configs.

    Raises CarraraError for what cannot be scored, before anything is paid for.
    """
    from carrara.release.configs import choose_configs
    from carrara.release.reader import open_release
    from carrara.release.report import check_metrics
    from carrara.release.schema import refuse_sealed
    from carrara.release.selection import read_ids
    from carrara.run.record import rows_to_ask

    opened = open_release(release)
    refuse_sealed(opened.content, "scored, which ends a run")
    bucket, task, config = names
    chosen = choose_configs(opened.configs, bucket=bucket, task=task, config=config)
    selected = None
    if ids is not None:
        selected = read_ids(ids, opened)
        chosen = selected.configs(chosen)
    check_metrics(opened, chosen)
    whole = sum(len(selected.places[name]) if selected else opened.configs[name].rows for name in chosen)
    return opened, rows_to_ask(opened, chosen, limit, selected), whole, selected


def _said(opened: "Release", asked: list["AskedRow"], is_selected: bool) -> dict[str, object]:
    """What makes a run the one it is, with the model and the options: going on with another of these is refused."""
    from carrara.scoring.responses.files import places_text

    places: dict[str, list[int]] = {}
    for row in asked:
        places.setdefault(row.config, []).append(row.index)
    ids = hashlib.sha256("".join(f"{row.id}\n" for row in asked).encode()).hexdigest()
    return {
        "release": f"{opened.name}@{opened.version}",
        "root": opened.root,
        "rows": f"{len(asked)} rows, sha256 of their ids {ids}",
        # Of each config its first rows, or those selected: carrara score leaves out the others.
        "asked": {config: places_text(own) if is_selected else len(own) for config, own in places.items()},
    }


def _session(harness: Harness, base_url: str) -> dict[str, object]:
    """What may differ from session to session, and stands in the folder for the record."""
    from importlib.metadata import PackageNotFoundError, version

    package = {Harness.INSPECT: "inspect-ai", Harness.LM_EVAL: "lm_eval"}[harness]
    try:
        installed = version(package)
    except PackageNotFoundError:
        installed = ""
    return {"endpoint": base_url, "carrara": __version__, package: installed}


@dataclass(frozen=True, slots=True)
class _Cost:
    """What asking will take: rows by bucket, those without an answer, and of these the tokens; out is the most.

    `whole` is the number of rows without a limit.
    """

    buckets: Mapping[str, int]
    whole: int
    left: int
    tokens_in: int
    tokens_out: int
    cost: float | None

    def to_json(self) -> dict[str, object]:
        """The cost as JSON-able data."""
        return {"rows": sum(self.buckets.values()), **asdict(self)}


def _cost(work: "Work", whole: int, prices: tuple[float | None, float | None]) -> _Cost:
    left = work.run.left()
    tokens_in, tokens_out = sum(row.tokens for row in left), sum(map(work.how.budget, left))
    buckets = dict(Counter(row.bucket for row in work.run.asked))
    return _Cost(buckets, whole, len(left), tokens_in, tokens_out, cost_of(prices, tokens_in, tokens_out))


def _told(opened: "Release", facts: _Cost) -> str:
    from carrara.text.display import count

    rows = sum(facts.buckets.values())
    buckets = ", ".join(f"{number:,} at {name}" for name, number in facts.buckets.items())
    some = f"{rows:,} of {facts.whole:,}" if rows < facts.whole else f"{rows:,}"
    text = f"{opened.name}@{opened.version}: {some} rows ({buckets})"
    if facts.left < rows:
        text += f", {rows - facts.left:,} answered before"
    if not facts.left:
        return f"{text}, none to ask"
    text += f"\nto ask: {facts.left:,} rows, {count(facts.tokens_in)} tokens in ({opened.content.tokenizer.name}), "
    text += f"at most {count(facts.tokens_out)} out"
    if facts.cost is None:
        return f"{text}\ncost unknown: --price-in and --price-out are prices of a million tokens"
    return f"{text}\n{price(facts.cost, 'at most about ')}, in the currency of the prices"


def _key(base_url: str, key_env: str | None, model: str) -> str:
    """The key to send, told before the first request; "" without one. Raises CarraraError, also for no server."""
    import asyncio

    from carrara.llm.client import Endpoint, key_goes, listed_models
    from carrara.text.display import nearest, visible

    variable = key_env or (_KEY if base_url else "")
    key = os.environ.get(variable, "").strip() if variable else ""
    if key_env and not key:
        raise CarraraError(f"got --key-env {key_env}, and no such variable is set", f"export {key_env}=...")
    if not base_url:
        return key
    endpoint = Endpoint(base_url, key)
    if endpoint.is_in_clear:
        raise CarraraError(
            f"the key in {variable} would travel unencrypted to {base_url}", f"use https, or unset {variable}"
        )
    if key:
        typer.echo(key_goes(variable, base_url), err=True)
    try:
        listed = asyncio.run(listed_models(endpoint))
    except MissingLibraryError:
        # lm-eval asks with a library of its own; where Inspect's is not there, nothing is looked up.
        listed = []
    if listed and model not in listed:
        told = f"the server does not list a model {model!r}, which it may know all the same; {nearest(model, listed)}"
        typer.echo(visible(told, 1_000), err=True)
    return key


def _agreed(facts: _Cost, limit_tokens: int | None, yes: bool) -> None:
    """Go on only where the cost is all right."""
    if limit_tokens is not None and facts.tokens_in > limit_tokens:
        problem = f"that would take about {facts.tokens_in:,} tokens in, over --limit-tokens {limit_tokens:,}"
        raise CarraraError(problem, "nothing was asked: raise it, or ask fewer rows (--bucket, --task, --limit)")
    if not yes:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise CarraraError("got no terminal to confirm the cost on", "add --yes")
        typer.confirm("Ask them?", abort=True, err=True)


def _ask(work: "Work", harness: Harness, prices: tuple[float | None, float | None], quiet: bool) -> None:
    """Ask what has no answer. Raises CarraraError where it ended early; what was answered is kept."""
    from carrara.cli.progress import Progress
    from carrara.run.harnesses import ASK

    left = work.run.left()
    spent: Counter[str] = Counter()

    def tell(row: "AskedRow", answer: "KeptAnswer") -> None:
        spent.update(failed=answer.text is None, tokens_in=answer.tokens_in, tokens_out=answer.tokens_out)
        progress.advance(row.bucket, 1, row.tokens)

    def aside() -> str:
        failed = f"{spent['failed']:,} without an answer" if spent["failed"] else ""
        return ", ".join(filter(None, [failed, price(cost_of(prices, spent["tokens_in"], spent["tokens_out"]))]))

    def kept() -> str:
        return f"{len(work.run.asked) - len(work.run.left()):,} of {len(work.run.asked):,} answers kept"

    def begin() -> None:
        # The harness takes seconds to load: its first request begins the time that is left.
        while waiting:
            progress.start(*waiting.popitem())

    waiting = dict(Counter(row.bucket for row in left))
    with Progress(len(left), sum(row.tokens for row in left), quiet, aside=aside) as progress:
        work.begin, work.tell, work.note = begin, tell, progress.note
        try:
            stopped = ASK[harness.value](work)
        except KeyboardInterrupt:
            work.run.finish()
            progress.note(f"stopped, {kept()}: run the same command to go on")
            raise
    if stopped:
        work.run.finish()
        raise CarraraError(
            f"asking ended early, {kept()}: {stopped}", "look at the endpoint, then run the same command to go on"
        )


def _score(opened: "Release", folder: "RunFolder", model: str, selected: "SelectedRows | None") -> "Report":
    """The report on the rows that were asked. Raises CarraraError."""
    from carrara.release.report import score_release
    from carrara.scoring import Responses
    from carrara.scoring.responses.reading import is_cut

    texts = {row.id: folder.answers[row.id].text if row.id in folder.answers else None for row in folder.asked}
    reasons = {row_id: answer.reason for row_id, answer in folder.answers.items() if answer.text is None}
    return score_release(
        opened,
        Responses(
            texts,
            reasons,
            (),
            cut=frozenset((row_id, 0) for row_id, answer in folder.answers.items() if is_cut(answer.stop)),
            thoughts=frozenset(
                (row_id, 0)
                for row_id, answer in folder.answers.items()
                if answer.thoughts and answer.text is not None and not answer.text.strip()
            ),
            tells_stops=True,
        ),
        config=sorted({row.config for row in folder.asked}),
        model=model,
        selected=selected,
        # Of a limited run the others are not missing: they were not asked.
        prepare=lambda every: (row for row in every if row["id"] in texts),
    )


def _remark(folder: "RunFolder", quiet: bool) -> None:
    """Say which rows have no answer, and where everything is."""
    from carrara.run.harnesses import LOGS
    from carrara.run.record import RESPONSES, RESULT
    from carrara.text.display import visible

    left = folder.left()
    if left:
        typer.echo(f"rows without an answer, which count 0; the same command asks them again: {len(left):,}", err=True)
        for row in left[:_NAMED]:
            answer = folder.answers.get(row.id)
            typer.echo(f"  {visible(row.id, 100)}  {visible(answer.reason if answer else 'not asked', 300)}", err=True)
        if len(left) > _NAMED:
            typer.echo(f"  and {len(left) - _NAMED:,} more, with their reasons in {RESPONSES}", err=True)
    if not quiet:
        typer.echo(f"{visible(str(folder.folder))}: {RESPONSES}, {RESULT} and the harness's {LOGS}", err=True)
