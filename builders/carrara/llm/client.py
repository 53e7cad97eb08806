"""One client for OpenAI-compatible endpoints: pieces, key points and judges ask through it.

At most `concurrency` requests are under way. Lost connections, answers that take too long, break off or are no chat
completion, and the statuses 408, 409, 425, 429 and 5xx are tried again after growing pauses or those that the endpoint
asks for, at most a minute; every other refusal is told at once. An answer has at most a MiB.

`Client.ask` keeps answers: each is stored under the sha256 of what was asked (model, messages and parameters, not the
endpoint or the key), so that asking the same again costs nothing, here or behind another address, and a killed run goes
on where it stopped. What `Request.canonical` gives must not change: every cache in use would be asked for anew.

The key is sent to the endpoint and goes nowhere else: it is cut out of whatever the endpoint says, and a kept answer
that holds it is refused.
"""

import asyncio
import hashlib
import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from carrara.errors import SourceError, library
from carrara.text.json import strict_json

KEYS: Final = ("CARRARA_JUDGE_KEY", "OPENAI_API_KEY")
MAX_MODEL: Final = 200
# No answer that is wanted comes near it, whatever the endpoint adds and the model thinks.
MAX_ANSWER_BYTES: Final = 1 << 20
LONGEST_PAUSE: Final = 60.0
_PAUSE: Final = 0.5
_MAX_SAID: Final = 300
# A shorter key may be a word of an honest text.
_SHORTEST_SECRET: Final = 8
_PASSING: Final = frozenset((408, 409, 425, 429))
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")


class Unanswered(SourceError):
    """One request that got no answer after every try; others may."""


class Refused(SourceError):
    """One request that the endpoint does not take, with its HTTP status."""

    def __init__(self, message: str, hint: str = "", status: int = 400) -> None:
        super().__init__(message, hint)
        self.status = status


class _Passing(Exception):
    """No answer this time; `seconds` is how long the endpoint wants to be left alone, None where it says nothing."""

    def __init__(self, said: str, seconds: float | None = None) -> None:
        super().__init__(said)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how is asked: seconds to wait for an answer, tries after the first, requests at a time."""

    url: str
    key: str = field(repr=False, default="")
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 5

    def __post_init__(self) -> None:
        if not _is_plain(self.url):
            # The address is not told: it may hold a password.
            raise SourceError(
                "the endpoint is no plain address, expected https://HOST/v1 without a user, a password or a query",
                "Give the address that ends before /chat/completions; the key comes from the environment.",
            )
        if not self.key.isascii() or not self.key.isprintable() or " " in self.key:
            raise SourceError(
                "the key of the endpoint holds blanks or characters that no header takes",
                "Set the variable to the key alone.",
            )

    @property
    def is_in_clear(self) -> bool:
        """Whether the key would travel over a network unencrypted."""
        return bool(self.key) and _is_in_clear(self.url)

    def safe(self, said: str) -> str:
        """What an endpoint says, without the key, on one line, at most 300 characters."""
        told = said.replace(self.key, "<key>") if self.key else said
        return " ".join("".join(part if part.isprintable() else " " for part in told).split())[:_MAX_SAID]


@dataclass(frozen=True, slots=True)
class Address:
    """A model at an endpoint, and the key with the variable that holds it ("" without one)."""

    url: str
    model: str
    key: str = field(repr=False, default="")
    variable: str = ""

    @property
    def told(self) -> str:
        """Where the key goes, to be said before the first request; "" without a key."""
        return key_goes(self.variable, self.url) if self.key else ""


def key_goes(variable: str, url: str) -> str:
    """Say which key goes where."""
    return f"the key in {variable} goes to {url}"


def read_address(name: str) -> Address:
    """Read `http(s)://host:port/v1#<model>`, and the key from CARRARA_JUDGE_KEY or OPENAI_API_KEY.

    An address is typed by who asks: nothing of a release is read as one. Raises ValueError for anything else, and where
    the key would travel unencrypted to another machine.
    """
    url, _, model = name.partition("#")
    if not _is_plain(url) or not 0 < len(model) <= MAX_MODEL or not name.isprintable():
        # The address is not told: it may hold a password.
        raise ValueError("got no plain address, expected http://host:port/v1#<model> without a user or a query")
    keys = ((variable, os.environ.get(variable, "").strip()) for variable in KEYS)
    variable, key = next((held for held in keys if held[1]), ("", ""))
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(f"the key in {' or '.join(KEYS)} holds blanks or characters that no header takes")
    if key and _is_in_clear(url):
        raise ValueError(f"the key would travel unencrypted: use https, or unset {' and '.join(KEYS)}")
    return Address(url, model, key, variable)


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked: messages of (role, text), and the parameters of a chat completion."""

    model: str
    messages: tuple[tuple[str, str], ...]
    parameters: Mapping[str, object]

    def canonical(self) -> str:
        """JSON in ASCII with sorted keys: equal texts are one request. Raises ValueError for what JSON cannot hold."""
        whole = {"model": self.model, "messages": self.messages_json(), "parameters": dict(self.parameters)}
        return json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)

    def digest(self) -> str:
        """sha256 (hex) of the canonical text: its name in the cache."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def body(self) -> dict[str, object]:
        """What is sent."""
        return {**self.parameters, "model": self.model, "messages": self.messages_json()}

    def messages_json(self) -> list[dict[str, str]]:
        """The messages as the chat completion takes them."""
        return [{"role": role, "content": text} for role, text in self.messages]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered. `finish` is the endpoint's word ("stop", "length"); tokens are 0 where it told none."""

    text: str
    finish: str
    refused: bool
    tokens_in: int
    tokens_out: int


class Cache:
    """Answers by content, a file each, below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, request: Request) -> Answer | None:
        """The answer that was stored, or None: also for a file that is damaged or of another request."""
        try:
            row = json.loads(self._path(request).read_bytes())
            if json.loads(request.canonical()) != row["request"]:
                return None
            return _kept_answer(row["answer"])
        except (OSError, ValueError, RecursionError, LookupError, TypeError):
            return None

    def put(self, request: Request, answer: Answer) -> None:
        """Store an answer: under a temporary name, synced, renamed."""
        path = self._path(request)
        kept = {
            "text": answer.text,
            "finish": answer.finish,
            "refused": answer.refused,
            "tokens_in": answer.tokens_in,
            "tokens_out": answer.tokens_out,
        }
        row = {"request": json.loads(request.canonical()), "answer": kept}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".tmp", delete=False) as file:
                file.write(json.dumps(row, ensure_ascii=True, sort_keys=True).encode())
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(path)
        except OSError as error:
            raise SourceError(
                f"the cache of answers cannot be written ({error.strerror or error})",
                "Free some space or name another folder: --cache FOLDER.",
            ) from error

    def _path(self, request: Request) -> Path:
        name = request.digest()
        return self._folder / name[:2] / f"{name}.json"


class Client:
    """Asks one endpoint. Use it as an asynchronous context manager, in one event loop.

    `asked`, `tokens_in` and `tokens_out` count the answers that came and what the endpoint says they took, or
    `count_tokens` where it says nothing; answers from the cache are in none.
    """

    def __init__(
        self, endpoint: Endpoint, cache: Cache | None = None, count_tokens: Callable[[str], int] | None = None
    ) -> None:
        self._endpoint = endpoint
        self._cache = cache
        self._count_tokens = count_tokens or (lambda text: 0)
        self._gate = asyncio.Semaphore(endpoint.concurrency)
        self._failed_in_a_row = 0
        self._openai: Any = None
        self.asked = self.tokens_in = self.tokens_out = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._openai is not None:
            await self._openai.close()

    async def ask(self, request: Request) -> Answer:
        """The answer to a request, from the cache or kept in it.

        Raises Unanswered where this one gets none, and SourceError where no other would: a key that is not accepted, a
        model that is not there, parameters that are not taken, or failures one after the other.
        """
        if self._cache is not None and (known := self._cache.get(request)) is not None:
            return known
        try:
            answer = await self.complete(request)
        except Unanswered as error:
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= max(8, 2 * self._endpoint.concurrency):
                raise SourceError(
                    f"{self._failed_in_a_row} requests one after the other failed: {error.message}",
                    "Look at the endpoint, then run the same again: the answers so far are kept.",
                ) from error
            raise
        self._failed_in_a_row = 0
        if len(self._endpoint.key) >= _SHORTEST_SECRET and self._endpoint.key in answer.text:
            raise SourceError(
                "the endpoint sent the key back in an answer",
                "Do not use it, and replace the key: whoever runs the endpoint shows it around.",
            )
        if self._cache is not None:
            self._cache.put(request, answer)
        return answer

    async def complete(self, request: Request) -> Answer:
        """The answer to a request, whatever the cache holds. Raises Refused, or Unanswered."""
        said = ""
        tries = self._endpoint.retries + 1
        async with self._gate:
            for number in range(tries):
                try:
                    answer = await self._answer(request)
                except _Passing as error:
                    said = str(error)
                    pause = _PAUSE * 2**number if error.seconds is None else error.seconds
                    if number + 1 < tries:
                        await asyncio.sleep(min(LONGEST_PAUSE, pause))
                    continue
                self.asked += 1
                texts = [text for _, text in request.messages]
                self.tokens_in += answer.tokens_in or sum(map(self._count_tokens, texts))
                self.tokens_out += answer.tokens_out or self._count_tokens(answer.text)
                return answer
        raise Unanswered(
            f"{said}, {tries} times" if tries > 1 else said,
            "Check the address and whether the endpoint is up, then run the same again: the answers so far are kept.",
        )

    async def _answer(self, request: Request) -> Answer:
        """One try."""
        try:
            # The library limits silence alone: an endpoint may send a byte now and then.
            async with asyncio.timeout(self._endpoint.timeout):
                data = await self._sent(request)
        except TimeoutError:
            raise _Passing(f"no answer within {self._endpoint.timeout:g} seconds") from None
        answer = _completion(data)
        if answer is None:
            said = self._endpoint.safe(data.decode(errors="replace"))
            raise _Passing(f"got {said!r}, expected a chat completion")
        return answer

    async def _sent(self, request: Request) -> bytes:
        """The body of the answer."""
        openai = library("openai", "judge")
        if self._openai is None:
            # The library wants a key; a server without keys reads none. It is made here: it belongs to this loop.
            self._openai = openai.AsyncOpenAI(
                api_key=self._endpoint.key or "none",
                base_url=self._endpoint.url,
                timeout=self._endpoint.timeout,
                max_retries=0,
            )
        try:
            async with self._openai.chat.completions.with_streaming_response.create(
                model=request.model, messages=request.messages_json(), extra_body=request.body()
            ) as response:
                return await _whole(response.iter_bytes())
        except openai.APIStatusError as error:
            status = error.status_code
            said = f"the endpoint answered {status}: {self._endpoint.safe(str(error))}"
            if status in _PASSING or status >= 500:
                raise _Passing(said, _pause(error.response.headers)) from None
            hint = _HINTS.get(status, "Check --model and the parameters: --max-tokens-field, --extra.")
            raise Refused(said, hint, status) from None
        except openai.APITimeoutError:
            raise _Passing(f"no answer within {self._endpoint.timeout:g} seconds") from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise _Passing(f"no connection ({type(cause).__name__}: {self._endpoint.safe(str(cause))})") from None
        except openai.OpenAIError as error:
            raise _Passing(f"no answer ({type(error).__name__})") from None


_HINTS: Final[Mapping[int, str]] = {
    401: f"Check the key: it comes from {' or '.join(KEYS)}, or the variable that --key-variable names.",
    403: "Check the key, and what it may use.",
    404: "Check the address, which ends before /chat/completions, and the model (--endpoint and --model, or --judge).",
}


def _is_plain(url: str) -> bool:
    """Whether an address is http or https, with a host and with neither user nor query."""
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
    return good and parts.username is None and not parts.query and not parts.fragment and url.isprintable()


def _is_in_clear(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in _LOCAL


async def _whole(chunks: AsyncIterator[bytes]) -> bytes:
    data = b""
    try:
        async for chunk in chunks:
            data += chunk
            if len(data) > MAX_ANSWER_BYTES:
                raise _Passing(f"got an answer of more than {MAX_ANSWER_BYTES:,} bytes")
    except _Passing:
        raise
    # Here the errors of the library's transport come through; another version of it has another transport.
    except Exception as error:
        raise _Passing(f"the answer broke off after {len(data):,} bytes ({type(error).__name__})") from error
    return data


def _pause(headers: Mapping[str, str]) -> float | None:
    """How long an endpoint wants to be left alone: `Retry-After` in seconds, or in milliseconds."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if text.isascii() and text.isdigit() and len(text) < 10:
            return int(text) * scale
    return None


def _completion(data: bytes) -> Answer | None:
    """The first choice of a chat completion; None for anything else."""
    try:
        body = strict_json(data)
    except ValueError:
        return None
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return None
    text, finish, usage = message.get("content"), choice.get("finish_reason"), body.get("usage")
    if not isinstance(text, str | None):
        return None
    finish = finish if isinstance(finish, str) else ""
    usage = usage if isinstance(usage, dict) else {}
    refused = bool(message.get("refusal")) or finish == "content_filter"
    tokens_in, tokens_out = (_count(usage.get(name)) for name in ("prompt_tokens", "completion_tokens"))
    return Answer(text or "", finish, refused, tokens_in, tokens_out)


def _count(number: Any) -> int:
    return number if type(number) is int and 0 <= number < 1 << 32 else 0


def _kept_answer(row: Any) -> Answer:
    """An answer as the cache holds it. Raises TypeError for anything else."""
    answer = Answer(**row)
    numbers = (answer.tokens_in, answer.tokens_out)
    if not isinstance(answer.text, str) or not isinstance(answer.finish, str) or not isinstance(answer.refused, bool):
        raise TypeError("no answer")
    if any(_count(number) != number for number in numbers):
        raise TypeError("no count of tokens")
    return answer
