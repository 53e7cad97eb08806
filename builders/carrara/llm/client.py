"""The client for OpenAI-compatible endpoints, used for pieces, key points and judges.

At most `concurrency` requests run at once. A request is repeated after a lost connection, a time-out, an incomplete
answer, an answer that is not a chat completion, or a status of 408, 409, 425, 429 or 5xx. The pauses grow, or are those
that the endpoint asks for, up to a minute; every other status fails at once. An answer has at most 1 MiB.

`Client.ask` caches answers by the sha256 of the request (model, messages and parameters, but not endpoint or key), so
that the same request costs nothing, even at another address, and a killed run continues where it stopped.
`Request.canonical` must not change, or every existing cache would be worthless.

The key is sent to the endpoint and nowhere else: it is removed from the endpoint's messages, and an answer that
contains it is rejected.
"""

import asyncio
import hashlib
import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from carrara.errors import SourceError, library
from carrara.text.json import strict_json

KEYS: Final = ("CARRARA_JUDGE_KEY", "OPENAI_API_KEY")
MAX_MODEL: Final = 200
# Far above any useful answer, with all that the endpoint adds and the model thinks.
MAX_ANSWER_BYTES: Final = 1 << 20
LONGEST_PAUSE: Final = 60.0
_LIST_SECONDS: Final = 20.0
_PAUSE: Final = 0.5
_MAX_SAID: Final = 300
# A shorter key may occur in text by chance.
_SHORTEST_SECRET: Final = 8
_PASSING: Final = frozenset((408, 409, 425, 429))
_LOCAL: Final = ("localhost", "127.0.0.1", "::1")


class Unanswered(SourceError):
    """A request without an answer after all tries; other requests may succeed."""


class Refused(SourceError):
    """A request that the endpoint rejects, with the HTTP status."""

    def __init__(self, message: str, hint: str = "", status: int = 400) -> None:
        super().__init__(message, hint)
        self.status = status


class _Passing(Exception):
    """A failed try that may be repeated; `seconds` is the pause that the endpoint asks for, or None."""

    def __init__(self, said: str, seconds: float | None = None) -> None:
        super().__init__(said)
        self.seconds = seconds


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An endpoint and its limits: seconds to wait for an answer, further tries, requests at once."""

    url: str
    key: str = field(repr=False, default="")
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 5

    def __post_init__(self) -> None:
        if not _is_plain(self.url):
            # Do not print the address: it may contain a password.
            raise SourceError(
                "the endpoint is not a plain address, expected https://HOST/v1 without user, password or query",
                "Give the address that ends before /chat/completions; the key comes from the environment.",
            )
        if not self.key.isascii() or not self.key.isprintable() or " " in self.key:
            raise SourceError(
                "the endpoint's key contains white space or characters that a header cannot hold",
                "set the variable to the key alone",
            )

    @property
    def is_in_clear(self) -> bool:
        """Whether the key would be sent over a network unencrypted."""
        return bool(self.key) and _is_in_clear(self.url)

    def safe(self, said: str) -> str:
        """Return text from an endpoint without the key, on one line, at most 300 characters."""
        text = said.replace(self.key, "<key>") if self.key else said
        return " ".join("".join(part if part.isprintable() else " " for part in text).split())[:_MAX_SAID]


@dataclass(frozen=True, slots=True)
class Address:
    """A model at an endpoint, the key, and the environment variable that holds it ("" without a key)."""

    url: str
    model: str
    key: str = field(repr=False, default="")
    variable: str = ""

    @property
    def told(self) -> str:
        """A line that says where the key is sent, for printing before the first request; "" without a key."""
        return key_goes(self.variable, self.url) if self.key else ""


def key_goes(variable: str, url: str) -> str:
    """Return a line that says which key is sent to which endpoint."""
    return f"the key in {variable} goes to {url}"


def read_address(name: str) -> Address:
    """Read `http(s)://host:port/v1#<model>`, and the key from CARRARA_JUDGE_KEY or OPENAI_API_KEY.

    Raises ValueError for any other form, and as `address` does.
    """
    url, mark, model = name.partition("#")
    if not mark:
        raise ValueError("not a plain address, expected http://host:port/v1#<model> without user or query")
    return address(url, model, *KEYS)


def address(url: str, model: str, *variables: str) -> Address:
    """A model at an endpoint, with the key that the first of these variables holds that is set.

    Only the user names an address; nothing in a release is read as one. Raises ValueError for an address that is not
    plain, a key that no header can hold, and one that would be sent unencrypted to another machine.
    """
    if not _is_plain(url) or not 0 < len(model) <= MAX_MODEL or not model.isprintable():
        # Do not print the address: it may contain a password.
        raise ValueError("not a plain address, expected https://HOST/v1 and a model, without user, password or query")
    keys = ((variable, os.environ.get(variable, "").strip()) for variable in variables)
    variable, key = next((held for held in keys if held[1]), ("", ""))
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValueError(
            f"the key in {' or '.join(variables)} contains white space or characters that a header cannot hold"
        )
    if key and _is_in_clear(url):
        raise ValueError(f"the key would be sent unencrypted: use https, or unset {' and '.join(variables)}")
    return Address(url, model, key, variable)


@dataclass(frozen=True, slots=True)
class Request:
    """A request: the model, messages of (role, text), and parameters of the chat completion."""

    model: str
    messages: tuple[tuple[str, str], ...]
    parameters: Mapping[str, object]

    def canonical(self) -> str:
        """The request as ASCII JSON with sorted keys; equal text is the same request. Raises ValueError for NaN."""
        whole = {"model": self.model, "messages": self.messages_json(), "parameters": dict(self.parameters)}
        return json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)

    def digest(self) -> str:
        """sha256 (hex) of the canonical text: its name in the cache."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def body(self) -> dict[str, object]:
        """The body of the HTTP request."""
        return {**self.parameters, "model": self.model, "messages": self.messages_json()}

    def messages_json(self) -> list[dict[str, str]]:
        """The messages in the form of a chat completion."""
        return [{"role": role, "content": text} for role, text in self.messages]


@dataclass(frozen=True, slots=True)
class Answer:
    """A model's answer. `finish` is the endpoint's reason ("stop", "length"); token counts are 0 if it gave none."""

    text: str
    finish: str
    refused: bool
    tokens_in: int
    tokens_out: int


class Cache:
    """Answers by the digest of their request, one file each, in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, request: Request) -> Answer | None:
        """Return the stored answer, or None; a damaged file or one for another request counts as none."""
        try:
            row = strict_json(self._path(request).read_bytes())
        except (OSError, ValueError):
            return None
        is_same = isinstance(row, dict) and row.get("request") == json.loads(request.canonical())
        return _kept_answer(row.get("answer")) if is_same else None

    def put(self, request: Request, answer: Answer) -> None:
        """Store an answer atomically: write to a temporary name, sync, rename."""
        path = self._path(request)
        row = {"request": json.loads(request.canonical()), "answer": asdict(answer)}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".tmp", delete=False) as file:
                file.write(json.dumps(row, ensure_ascii=True, sort_keys=True).encode())
                file.flush()
                os.fsync(file.fileno())
            Path(file.name).replace(path)
        except OSError as error:
            raise SourceError(
                f"cannot write to the cache of answers ({error.strerror or error})",
                "free some space, or give another folder: --cache FOLDER",
            ) from error

    def _path(self, request: Request) -> Path:
        name = request.digest()
        return self._folder / name[:2] / f"{name}.json"


class Client:
    """A client of one endpoint, used as an asynchronous context manager in one event loop.

    `asked`, `tokens_in` and `tokens_out` count the answers and tokens that the endpoint reports, or else
    `count_tokens` of the texts; answers from the cache are not counted.
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
        """Return the answer to a request, from the cache or stored there.

        Raises Unanswered if this request fails, and SourceError if every other one would fail too: a rejected key, an
        unknown model, unsupported parameters, or many failures in a row.
        """
        if self._cache is not None and (known := self._cache.get(request)) is not None:
            return known
        try:
            answer = await self.complete(request)
        except Unanswered as error:
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= max(8, 2 * self._endpoint.concurrency):
                raise SourceError(
                    f"{self._failed_in_a_row} requests in a row failed: {error.message}",
                    "check the endpoint, then run the same command again: the answers so far are kept",
                ) from error
            raise
        self._failed_in_a_row = 0
        if len(self._endpoint.key) >= _SHORTEST_SECRET and self._endpoint.key in answer.text:
            raise SourceError(
                "the endpoint sent the key back in an answer",
                "do not use this endpoint, and replace the key: it leaks",
            )
        if self._cache is not None:
            self._cache.put(request, answer)
        return answer

    async def complete(self, request: Request) -> Answer:
        """Return the answer to a request without using the cache. Raises Refused or Unanswered."""
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
            "check the address and the endpoint, then run the same command again: the answers so far are kept",
        )

    async def _answer(self, request: Request) -> Answer:
        """One try."""
        try:
            # The library limits only the time between two bytes.
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
            # The library requires a key; a server without keys ignores it. Created here, in its event loop.
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


async def listed_models(endpoint: Endpoint) -> list[str]:
    """The models that an endpoint lists, [] where it lists none: not every one does.

    Raises SourceError where there is no endpoint, or none that takes the key.
    """
    openai = library("openai", "judge")
    try:
        async with (
            openai.AsyncOpenAI(
                api_key=endpoint.key or "none", base_url=endpoint.url, timeout=_LIST_SECONDS, max_retries=0
            ) as client,
            client.models.with_streaming_response.list() as response,
        ):
            body = strict_json(await _whole(response.iter_bytes()))
    except openai.AuthenticationError as error:
        told = f"{endpoint.url} does not take the key: {endpoint.safe(str(error))}"
        raise SourceError(told, "Check the key, or the name of the variable that holds it.") from None
    except openai.APIConnectionError as error:
        cause = error.__cause__ or error
        raise SourceError(
            f"no connection to {endpoint.url} ({type(cause).__name__}: {endpoint.safe(str(cause))})",
            "Start the server, or check the address.",
        ) from None
    except (openai.OpenAIError, _Passing, ValueError):
        return []
    found = body.get("data") if isinstance(body, dict) else None
    names = [one.get("id") for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    return [name for name in names if isinstance(name, str) and len(name) <= MAX_MODEL]


_HINTS: Final[Mapping[int, str]] = {
    401: f"Check the key: it comes from {KEYS[1]}, or the variable that --key-env names.",
    403: "Check the key, and what it may use.",
    404: "Check the address, which ends before /chat/completions, and the model (--base-url and --model).",
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
    # Errors of the library's transport surface here; the transport depends on the library's version.
    except Exception as error:
        raise _Passing(f"the answer ended early, after {len(data):,} bytes ({type(error).__name__})") from error
    return data


def _pause(headers: Mapping[str, str]) -> float | None:
    """The pause in seconds that an endpoint asks for: `Retry-After` in seconds, or in milliseconds."""
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


def _kept_answer(row: object) -> Answer | None:
    """Parse a cached answer; None for anything else."""
    if not isinstance(row, dict) or set(row) != {column.name for column in fields(Answer)}:
        return None
    answer = Answer(**row)
    is_said = isinstance(answer.text, str) and isinstance(answer.finish, str) and isinstance(answer.refused, bool)
    is_counted = all(_count(number) == number for number in (answer.tokens_in, answer.tokens_out))
    return answer if is_said and is_counted else None
