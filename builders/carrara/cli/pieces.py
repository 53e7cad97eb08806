"""`carrara pieces`: have a language model write the pieces that conversations (MRCR) are made of."""

import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from carrara.cli.options import BaseUrlOption, KeyEnvOption, ModelOption, address
from carrara.errors import CarraraError, SourceError
from carrara.text.json import strict_json

if TYPE_CHECKING:
    from carrara.llm.client import Cache, Client, Endpoint
    from carrara.llm.pieces import Commission, PieceOrder, Written

# What the command itself decides, or what would make the answer another kind of thing.
_RESERVED = ("model", "messages", "stream", "n", "max_tokens", "max_completion_tokens", "temperature")
# A request has some tokens of its own besides its texts.
_TOKENS_A_REQUEST = 8


def pieces(
    base_url: BaseUrlOption,
    model: ModelOption,
    out: Annotated[Path, typer.Option("--out", help="The file to write: JSON lines (.jsonl).")],
    stream: Annotated[str, typer.Option("--stream", help="Another word asks for other pieces: a twin.")],
    count: Annotated[int, typer.Option("--count", min=1, help="How many pieces.")],
    key_env: KeyEnvOption = None,
    per_key: Annotated[
        int, typer.Option("--per-key", min=1, help="Pieces of each format, topic and style: as many as needles.")
    ] = 8,
    formats: Annotated[str, typer.Option("--formats", help="Only these, with commas between; else all.")] = "",
    topics: Annotated[str, typer.Option("--topics", help="Only these, with commas between; else all.")] = "",
    styles: Annotated[
        str, typer.Option("--styles", help="Only these, with commas between; none is without. Else all.")
    ] = "",
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=256, help="Requests at a time.")] = 8,
    timeout: Annotated[float, typer.Option("--timeout", min=0.1, help="Seconds to wait for an answer.")] = 120.0,
    retries: Annotated[int, typer.Option("--retries", min=0, max=20, help="Tries after the first.")] = 5,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", min=16, help="Limit of an answer: 4000 for a model that thinks first.")
    ] = 900,
    max_tokens_field: Annotated[
        Literal["max_tokens", "max_completion_tokens"],
        typer.Option("--max-tokens-field", help="What the endpoint calls that limit."),
    ] = "max_tokens",
    temperature: Annotated[
        float | None, typer.Option("--temperature", min=0.0, help="Sent if given; else the model's own.")
    ] = None,
    extra: Annotated[
        str, typer.Option("--extra", help='More parameters, a JSON object: \'{"reasoning_effort": "low"}\'.')
    ] = "",
    price_in: Annotated[
        float | None, typer.Option("--price-in", min=0.0, help="Price of a million tokens in, for the estimate.")
    ] = None,
    price_out: Annotated[
        float | None, typer.Option("--price-out", min=0.0, help="Price of a million tokens out.")
    ] = None,
    cache: Annotated[
        Path | None, typer.Option("--cache", help="Where answers are kept; else CARRARA_CACHE/llm.")
    ] = None,
    licence: Annotated[str, typer.Option("--licence", help="What the model's terms allow; for the recipe.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask whether the cost is all right.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON for a machine.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="No progress.")] = False,
) -> None:
    """Have a language model write the pieces of conversations (MRCR), for recipes that do not want the invented ones.

    It asks any OpenAI-compatible endpoint for poems, letters, riddles and so on, eight of each key (format, topic and
    style), writes them as JSON lines, and prints the table by which a recipe names the file as its source. A row of 1M
    tokens takes about 3,500 pieces, one of 128k about 450.

    Every answer is kept in the cache under what was asked. Killed or interrupted, the same command goes on where it
    stopped; run again, it asks nothing and writes the same bytes. A release pins the file, so that it is rebuilt
    without an endpoint: keep the file with the release.

    The key comes from the environment alone. Answers that are refused, empty or longer than 512 tokens do not count;
    another is asked for in their place. Examples:

    \b
    carrara pieces --base-url https://api.openai.com/v1 --model NAME \\
        --stream mine --count 2000 --out mine.jsonl --price-in 0.15 --price-out 0.60

    \b
    carrara pieces --base-url http://localhost:8000/v1 --model NAME \\
        --stream mine --count 200 --out mine.jsonl
    """
    from carrara.engine.files import cache_folder
    from carrara.llm.client import Cache, Endpoint
    from carrara.llm.pieces import Commission, PieceOrder
    from carrara.tokens import load_tokenizer
    from carrara.world.pieces import FORMATS, STYLES, TOPICS

    _check_out(out)
    parameters = {**extra_parameters(extra, _RESERVED), max_tokens_field: max_tokens}
    if temperature is not None:
        parameters["temperature"] = temperature
    order = PieceOrder(
        stream=stream,
        model=model,
        count=count,
        per_key=per_key,
        formats=_listed(formats, FORMATS),
        topics=_listed(topics, TOPICS),
        styles=tuple("" if one == "none" else one for one in _listed(styles, ("none", *STYLES))),
        parameters=parameters,
    )
    by = address(base_url, model, key_env)
    where = Endpoint(by.url, by.key, concurrency, timeout, retries)
    commission = Commission(order, load_tokenizer("o200k_base").count)
    answers = Cache(cache if cache is not None else cache_folder() / "llm")
    prices = (price_in, price_out)
    estimate, missing = _estimate(commission, answers, prices, max_tokens)
    if not quiet or (missing and not yes):
        typer.echo(estimate, err=True)
    if by.told:
        typer.echo(by.told, err=True)
    if missing and not yes:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise CarraraError("got no terminal to confirm the cost on", "add --yes")
        typer.confirm("Ask for them?", abort=True, err=True)
    written, client = _asked(commission, where, answers, prices, quiet)
    facts = _kept(commission, out, written)
    facts |= {"asked": client.asked, "tokens_in": client.tokens_in, "tokens_out": client.tokens_out}
    facts |= {"cost": _cost(prices, client.tokens_in, client.tokens_out), "skipped": dict(commission.skipped)}
    table = _table(out, order, facts, licence)
    typer.echo(json.dumps({**facts, "source": table}, ensure_ascii=False) if as_json else _told(facts, out, table))


def _check_out(out: Path) -> None:
    if out.suffix != ".jsonl":
        raise CarraraError(
            f"got --out {out.name}, expected a name that ends in .jsonl", "rename it; pack it afterwards"
        )
    if not out.parent.is_dir():
        raise CarraraError(f"got --out {out}, expected a folder that exists", f"mkdir -p {out.parent}")


def extra_parameters(text: str, reserved: tuple[str, ...]) -> dict[str, object]:
    """The parameters that --extra gives, none of those reserved. Raises CarraraError for anything else."""
    try:
        given = strict_json(text) if text else {}
    except ValueError as error:
        raise CarraraError(f"got --extra {text[:60]!r}, expected a JSON object ({error})", "mend it") from None
    if not isinstance(given, dict):
        raise CarraraError(f"got --extra {text[:60]!r}, expected a JSON object", "for example '{\"top_p\": 0.9}'")
    if taken := sorted(set(given) & set(reserved)):
        raise CarraraError(f"got {taken[0]!r} in --extra", "the command sets it: see --help")
    return given


def _listed(text: str, known: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",")) if text.strip() else known


def _estimate(
    commission: "Commission", cache: "Cache", prices: tuple[float | None, float | None], max_tokens: int
) -> tuple[str, int]:
    """What asking will take, in words, and how many requests the cache does not hold."""
    from carrara.llm.pieces import USUAL_TOKENS
    from carrara.text.display import count
    from carrara.tokens import load_tokenizer

    tokenizer = load_tokenizer("o200k_base")
    missing = tokens = 0
    for one in commission.first_requests():
        if cache.get(one) is None:
            missing += 1
            tokens += _TOKENS_A_REQUEST + int(tokenizer.count_many([text for _, text in one.messages]).sum())
    order = commission.order
    whole = f"{order.count:,} pieces of {len(commission.keys):,} keys"
    if not missing:
        return f"{whole}: the cache holds the answers", 0
    likely, most = missing * min(USUAL_TOKENS, max_tokens), missing * max_tokens
    text = (
        f"{whole}: {missing:,} to ask, {order.count - missing:,} in the cache; about {count(tokens)} tokens in and "
        f"{count(likely)} out, at most {count(most)} out unless answers are refused or too long"
    )
    cost, limit = _cost(prices, tokens, likely), _cost(prices, tokens, most)
    if cost is None or limit is None:
        return f"{text}\ncost unknown: give --price-in and --price-out, per million tokens", missing
    return f"{text}\ncost about {cost:.2f}, at most {limit:.2f}, in the currency of the prices", missing


def _cost(prices: tuple[float | None, float | None], tokens_in: int, tokens_out: int) -> float | None:
    price_in, price_out = prices
    if price_in is None or price_out is None:
        return None
    return round((price_in * tokens_in + price_out * tokens_out) / 1e6, 6)


def _asked(
    commission: "Commission",
    endpoint: "Endpoint",
    cache: "Cache",
    prices: tuple[float | None, float | None],
    quiet: bool,
) -> tuple[list["Written"], "Client"]:
    """Ask and judge. Raises CarraraError where a request got no answer: the file would not be what it is to be."""
    import asyncio

    from carrara.cli.progress import Progress
    from carrara.llm.client import Client
    from carrara.tokens import load_tokenizer

    client = Client(endpoint, cache, load_tokenizer("o200k_base").count)

    def spent() -> str:
        cost = _cost(prices, client.tokens_in, client.tokens_out)
        return f"{client.asked:,} asked" if cost is None else f"{client.asked:,} asked, cost {cost:.2f}"

    async def all_of_it(tell: Callable[[int], None]) -> list["Written"]:
        async with client:
            return await commission.fill(client.ask, tell)

    with Progress(commission.order.count, 0, quiet, unit="pieces", aside=spent) as progress:
        progress.start("pieces", commission.order.count)
        try:
            written = asyncio.run(all_of_it(lambda more: progress.advance("pieces", more, 0)))
        except KeyboardInterrupt:
            progress.note(f"stopped, {spent()}: run the same command to go on")
            raise
        # Requests run side by side in a task group, which raises what they raise as one group.
        except ExceptionGroup as group:
            progress.note(f"stopped, {spent()}")
            raise first_error(group) from None
    if commission.unanswered:
        last = commission.unanswered[-1]
        raise SourceError(
            f"{len(commission.unanswered):,} requests got no answer, the last because: {last.message}",
            "Run the same command again: the other answers are kept, and only these are asked for.",
        )
    return written, client


def first_error(group: ExceptionGroup) -> Exception:
    """The first of the errors by which a group of tasks ended: the others came of it or say the same."""
    error = group.exceptions[0]
    return first_error(error) if isinstance(error, ExceptionGroup) else error


def _kept(commission: "Commission", out: Path, written: list["Written"]) -> dict[str, Any]:
    """Write the file to a temporary name, read it as a recipe will, rename it; what there is to say of it."""
    from carrara.engine.files import digest
    from carrara.llm.pieces import told
    from carrara.sources.readers.pieces import read

    if not written:
        raise CarraraError(f"none of the answers can be used: {told(commission.skipped)}", "try another model")
    partial = out.with_name(f".{out.name}.{os.getpid()}.partial")
    try:
        text = "".join(json.dumps(one.row(), ensure_ascii=False) + "\n" for one in written)
        partial.write_text(text, encoding="utf-8", newline="\n")
        bank = read({out.name: partial})
        sha256, size = digest(partial, out.name)
        partial.replace(out)
    finally:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
    keys = bank.keys()
    counts = [bank.count(key) for key in keys]
    full = sum(count >= commission.order.per_key for count in counts)
    facts: dict[str, Any] = {"out": str(out), "sha256": sha256, "bytes": size, "dropped": list(bank.dropped)}
    return facts | {"pieces": sum(counts), "keys": len(keys), "full_keys": full}


def _table(out: Path, order: "PieceOrder", facts: dict[str, Any], licence: str) -> str:
    name = re.sub(r"[^a-z0-9]+", "_", out.stem.lower()).strip("_")[:60]
    name = name if name[:1].isalpha() else f"pieces_{name}".rstrip("_")
    text = (f"Pieces written by {order.model}, stream {order.stream}", licence, out.name)
    # JSON's strings are TOML's, but for the one character that TOML wants escaped.
    title, terms, file = (json.dumps(one, ensure_ascii=False).replace("\x7f", "\\u007f") for one in text)
    return (
        f'[source.{name}]\ntitle = {title}\nlang = "en"\nreader = "pieces"\n'
        f"licence = {terms}{'' if licence else '  # write what the terms of the model allow'}\n\n"
        f'[source.{name}.files]\n{file} = {{ sha256 = "{facts["sha256"]}", bytes = {facts["bytes"]} }}'
    )


def _told(facts: dict[str, Any], out: Path, table: str) -> str:
    from carrara.llm.pieces import told
    from carrara.text.display import count, visible

    lines = [
        f"{visible(out)}: {facts['pieces']:,} pieces of {facts['keys']:,} keys, {facts['full_keys']:,} of them full",
        f"sha256 {facts['sha256']}",
    ]
    asked = f"asked {facts['asked']:,}, {count(facts['tokens_in'])} tokens in, {count(facts['tokens_out'])} out"
    lines.append(asked if facts["cost"] is None else f"{asked}, cost {facts['cost']:.2f}")
    if facts["skipped"]:
        lines.append(f"did not count: {told(facts['skipped'])}")
    if facts["dropped"]:
        lines.append(f"dropped as like another: {len(facts['dropped']):,}, the first at {facts['dropped'][0]}")
    return "\n".join([*lines, "For a recipe, with the file below the folder of --sources:", "", table])
