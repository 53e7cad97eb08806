"""Asks a judge at an OpenAI-compatible endpoint, so many questions at a time, and gives up on none but with a reason.

A question is sent with the JSON schema of its answer and temperature 0; an endpoint that does not take them (400, 422)
is asked without, from then on. Lost connections, answers that take too long, 408, 409, 429, 5xx and bodies that are no
chat completion are tried again after growing pauses or those that the endpoint asks for, at most a minute; an answer
that does not have the form is asked for three times, with what was wrong about it. What is still not answered is
unjudged, with its reason, and the run goes on: only a key that is not accepted, a model that is not there, and many
questions one after the other without an answer end the asking; the rest is then unjudged too.

Answers of a language model, asked over an OpenAI-compatible endpoint and kept by content.

Every answer is stored under the sha256 of what was asked: model, messages and parameters, not the endpoint or the key.
Asking the same again costs nothing, here or behind another address, and a killed run goes on where it stopped. The
client (the `openai` package) tries again after 408, 409, 429, 5xx and lost connections, with growing pauses or those
that the endpoint asks for; answers that are no chat completion are asked for again here.

The key is sent to the endpoint and goes nowhere else: it is cut out of whatever the endpoint says, and an answer that
holds it is refused. What `Request.canonical` gives must not change: every cache in use would be asked for anew.
"""

import asyncio
import hashlib
import json
import os
import tempfile
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self
from urllib.parse import urlsplit

from carrara.errors import SourceError
from carrara.scoring.judge.address import Address
from carrara.scoring.judge.rubrics import Asked, Verdict, read
from carrara.sources.document import tidy

TRIES: Final = 3
# A verdict has some hundred bytes; a model that thinks first may say so.
MAX_ANSWER_BYTES: Final = 1 << 20
LONGEST_PAUSE: Final = 60.0
_PAUSE: Final = 0.5
_PASSING: Final = frozenset((408, 409, 425, 429))
_FINAL: Final[Mapping[int, str]] = {
    401: "check the key in CARRARA_JUDGE_KEY or OPENAI_API_KEY",
    403: "check the key, and what it may use",
    404: "check the address, which ends before /chat/completions, and the model",
}


class Unjudged(Exception):
    """One question without a verdict: why."""


class Stopped(Exception):
    """No question will get a verdict: why."""


class _Refused(Exception):
    """The endpoint does not take the request as it is."""


class _Passing(Exception):
    """No answer this time; `seconds` is how long the endpoint wants to be left alone, None where it says nothing."""

    def __init__(self, said: str, seconds: float | None = None) -> None:
        super().__init__(said)
        self.seconds = seconds


class Asker:
    """Asks one judge. Use it as an asynchronous context manager; `asked` counts answers, tokens are the endpoint's."""

    def __init__(
        self,
        address: Address,
        parameters: Mapping[str, Any] | None = None,
        *,
        workers: int = 8,
        seconds: float = 120.0,
        retries: int = 5,
    ) -> None:
        """`parameters` are sent with every question; `retries` are tries after the first. ValueError without openai."""
        try:
            import openai
        except ImportError as error:
            raise ValueError("a judge at an endpoint needs the openai library: pip install 'carrara[judge]'") from error
        self._openai = openai
        self._address = address
        self._parameters = dict(parameters or {})
        self._workers = workers
        self._seconds = seconds
        self._retries = retries
        self._form = 0
        self._failed_in_a_row = 0
        self._client: Any = None
        self.asked = self.tokens_in = self.tokens_out = 0

    async def __aenter__(self) -> Self:
        # The client wants a key; a server without keys reads none. It is made here: it belongs to this loop.
        key = self._address.key or "none"
        self._client = self._openai.AsyncOpenAI(
            api_key=key, base_url=self._address.url, timeout=self._seconds, max_retries=0
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.close()

    async def ask_all(self, asked: Iterable[tuple[str, Asked]], tell: Callable[[str, Verdict | str], None]) -> str:
        """Ask every question of (key, question) and tell its verdict, or in words why there is none, as each comes.

        Returns "" or, where asking ended early, why; the questions that were not asked then are not told of.
        """
        left = iter(asked)
        stopped = ""

        async def work() -> None:
            nonlocal stopped
            for key, question in left:
                if stopped:
                    return
                try:
                    verdict: Verdict | str = await self.verdict(question)
                    self._failed_in_a_row = 0
                except Stopped as error:
                    stopped = str(error)
                    return
                except Unjudged as error:
                    verdict = str(error)
                    self._failed_in_a_row += 1
                tell(key, verdict)
                if self._failed_in_a_row >= max(32, 4 * self._workers):
                    stopped = f"{self._failed_in_a_row} questions one after the other had no verdict: {verdict}"
                    return

        async with asyncio.TaskGroup() as group:
            for _ in range(self._workers):
                group.create_task(work())
        return stopped

    async def verdict(self, asked: Asked) -> Verdict:
        """The verdict on one question. Raises Unjudged, or Stopped where no other would get one either."""
        objection = ""
        for _ in range(TRIES):
            said = await self._said(asked, asked.again(objection) if objection else asked.user)
            try:
                return read(asked, said)
            except ValueError as error:
                objection = str(error)
        raise Unjudged(f"{TRIES} answers did not have the form, at last: {objection}")

    async def _said(self, asked: Asked, user: str) -> str:
        said = ""
        for number in range(self._retries + 1):
            try:
                return await self._formed(asked, user)
            except _Refused as error:
                raise Unjudged(str(error)) from None
            except _Passing as error:
                said = str(error)
                pause = _PAUSE * 2**number if error.seconds is None else error.seconds
                if number < self._retries:
                    await asyncio.sleep(min(LONGEST_PAUSE, pause))
        raise Unjudged(f"{said}, {self._retries + 1} times" if self._retries else said)

    async def _formed(self, asked: Asked, user: str) -> str:
        """Ask in the first form that the endpoint takes, and remember it."""
        schema = {"name": "verdict", "strict": True, "schema": asked.schema}
        structured = {"response_format": {"type": "json_schema", "json_schema": schema}}
        forms: list[dict[str, Any]] = [{"temperature": 0, **structured}, structured, {"temperature": 0}, {}]
        first = self._form
        for form in range(first, len(forms)):
            try:
                said = await self._completion(asked.system, user, forms[form])
            except _Refused:
                if form + 1 == len(forms):
                    raise
                continue
            # Another question may have found the same meanwhile, or more.
            self._form = max(self._form, form)
            return said
        raise AssertionError("the last form returns or raises")

    async def _completion(self, system: str, user: str, form: Mapping[str, Any]) -> str:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        body = {**form, **self._parameters, "model": self._address.model, "messages": messages}
        try:
            # The client limits silence alone: an endpoint may send a byte now and then.
            async with asyncio.timeout(self._seconds):
                data = await self._sent(body)
        except TimeoutError:
            raise _Passing(f"no answer within {self._seconds:g} seconds") from None
        try:
            text, tokens = _read(json.loads(data))
        except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
            raise _Passing("what came is no chat completion") from None
        self.asked += 1
        self.tokens_in += tokens[0]
        self.tokens_out += tokens[1]
        return text

    async def _sent(self, body: dict[str, Any]) -> bytes:
        openai = self._openai
        try:
            async with self._client.chat.completions.with_streaming_response.create(
                model=body["model"], messages=body["messages"], extra_body=body
            ) as response:
                return await _whole(response.iter_bytes())
        except openai.APIStatusError as error:
            status, said = error.status_code, f"the endpoint answered {error.status_code}: "
            said += self._address.safe(str(error))
            if status in _FINAL:
                raise Stopped(f"{said} ({_FINAL[status]})") from None
            if status in _PASSING or status >= 500:
                raise _Passing(said, _pause(error.response.headers)) from None
            raise _Refused(said) from None
        except openai.APITimeoutError:
            raise _Passing(f"no answer within {self._seconds:g} seconds") from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            raise _Passing(f"no connection ({type(cause).__name__}: {self._address.safe(str(cause))})") from None
        except _Passing:
            raise
        # Whatever else the client or its transport raise, one question ends no run.
        except Exception as error:
            raise _Passing(f"no answer ({type(error).__name__})") from None


async def _whole(chunks: AsyncIterator[bytes]) -> bytes:
    data = b""
    try:
        async for chunk in chunks:
            data += chunk
            if len(data) > MAX_ANSWER_BYTES:
                raise _Passing(f"got an answer of more than {MAX_ANSWER_BYTES:,} bytes")
    except _Passing:
        raise
    # Here the errors of the client's transport come through; another version of the client has another transport.
    except Exception as error:
        raise _Passing(f"the answer broke off after {len(data):,} bytes ({type(error).__name__})") from error
    return data


def _read(body: Any) -> tuple[str, tuple[int, int]]:
    """The text of the first choice, and tokens in and out. Raises what indexing anything else raises."""
    text = body["choices"][0]["message"].get("content")
    if text is not None and not isinstance(text, str):
        raise TypeError("no text")
    usage = body.get("usage") or {}
    tokens = [usage.get(name) for name in ("prompt_tokens", "completion_tokens")]
    first, second = (one if type(one) is int and 0 <= one < 1 << 32 else 0 for one in tokens)
    return text or "", (first, second)


def _pause(headers: Mapping[str, str]) -> float | None:
    """How long an endpoint wants to be left alone: `Retry-After` in seconds, or in milliseconds."""
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        text = headers.get(name, "").strip()
        if text.isascii() and text.isdigit() and len(text) < 10:
            return int(text) * scale
    return None


# No answer of 512 tokens comes near it, whatever the endpoint adds.
_MAX_ANSWER_BYTES: Final = 1 << 20
_MAX_SAID: Final = 300
# A shorter key may be a word of an honest text.
_SHORTEST_SECRET: Final = 8
# Answers that are no chat completion: asked for so often in all.
_TRIES: Final = 3
_LLM_PAUSE: Final = 0.5


class Unanswered(SourceError):
    """One request that got no answer after every try; others may."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked: messages of (role, text), and the parameters of a chat completion."""

    model: str
    messages: tuple[tuple[str, str], ...]
    parameters: Mapping[str, Any]

    def canonical(self) -> str:
        """JSON in ASCII with sorted keys: equal texts are one request. Raises ValueError for what JSON cannot hold."""
        whole = {"model": self.model, "messages": self._messages(), "parameters": dict(self.parameters)}
        return json.dumps(whole, sort_keys=True, separators=(",", ":"), allow_nan=False)

    def digest(self) -> str:
        """sha256 (hex) of the canonical text: its name in the cache."""
        return hashlib.sha256(self.canonical().encode()).hexdigest()

    def body(self) -> dict[str, Any]:
        """What is sent."""
        return {**self.parameters, "model": self.model, "messages": self._messages()}

    def _messages(self) -> list[dict[str, str]]:
        return [{"role": role, "content": text} for role, text in self.messages]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered. `finish` is the endpoint's word ("stop", "length"); tokens are 0 where it told none."""

    text: str
    finish: str
    refused: bool
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and how is asked: seconds to wait for an answer, tries after the first, requests at a time."""

    url: str
    key: str = field(repr=False)
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 5

    def __post_init__(self) -> None:
        try:
            parts = urlsplit(self.url)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            good = False
        if not good or parts.username is not None or parts.query or parts.fragment or not self.url.isprintable():
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
        parts = urlsplit(self.url)
        return bool(self.key) and parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1")


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
            return _answer(row["answer"])
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
    """Asks one endpoint, at most `concurrency` requests at a time; what the cache holds is not asked.

    Use it as an asynchronous context manager. `asked`, `tokens_in` and `tokens_out` count what this client has sent
    and what the endpoint says it took, or `count_tokens` where it says nothing; answers from the cache are in none.
    """

    def __init__(self, endpoint: Endpoint, cache: Cache, count_tokens: Callable[[str], int]) -> None:
        self._count_tokens = count_tokens
        self._endpoint = endpoint
        self._cache = cache
        self._gate = asyncio.Semaphore(endpoint.concurrency)
        self._failed_in_a_row = 0
        self._open: Any = None
        self.asked = self.tokens_in = self.tokens_out = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._open is not None:
            await self._open.close()

    async def ask(self, request: Request) -> Answer:
        """The answer to a request.

        Raises Unanswered where this one gets none, and SourceError where no other would: a key that is not accepted, a
        model that is not there, parameters that are not taken, or failures one after the other.
        """
        if (known := self._cache.get(request)) is not None:
            return known
        async with self._gate:
            try:
                answer = await self._answered(request)
            except Unanswered as error:
                self._failed_in_a_row += 1
                if self._failed_in_a_row >= max(8, 2 * self._endpoint.concurrency):
                    raise SourceError(
                        f"{self._failed_in_a_row} requests one after the other failed: {error.message}",
                        "Look at the endpoint, then run the same again: the answers so far are kept.",
                    ) from error
                raise
            self._failed_in_a_row = 0
            self._cache.put(request, answer)
            self.asked += 1
            self.tokens_in += answer.tokens_in or sum(self._count_tokens(text) for _, text in request.messages)
            self.tokens_out += answer.tokens_out or self._count_tokens(answer.text)
            return answer

    async def _answered(self, request: Request) -> Answer:
        said = ""
        for number in range(_TRIES):
            if number:
                await asyncio.sleep(_LLM_PAUSE * 2**number)
            try:
                data = await self._sent(request)
            except _Broken as error:
                said = str(error)
                continue
            try:
                answer = _completion(json.loads(data))
            except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
                said = f"got {self._safe(data.decode(errors='replace'))!r}, expected a chat completion"
                continue
            if len(self._endpoint.key) >= _SHORTEST_SECRET and self._endpoint.key in answer.text:
                raise SourceError(
                    "the endpoint sent the key back in an answer",
                    "Do not use it, and replace the key: whoever runs the endpoint shows it around.",
                )
            return answer
        raise Unanswered(said, "Is the address right? If it is, run the same again later.")

    async def _sent(self, request: Request) -> bytes:
        """The body of the answer."""
        openai = _library()
        client = self._client()
        body = request.body()
        try:
            async with client.chat.completions.with_streaming_response.create(
                model=request.model, messages=body["messages"], extra_body=body
            ) as response:
                return await _llm_read(response.iter_bytes(), self._endpoint.timeout)
        except openai.APIStatusError as error:
            raise self._refusal(error.status_code, str(error)) from None
        except openai.APITimeoutError:
            told = f"no answer within {self._endpoint.timeout:g} seconds, {self._endpoint.retries + 1} times"
            raise Unanswered(told, "Raise --timeout, or lower --concurrency.") from None
        except openai.APIConnectionError as error:
            cause = error.__cause__ or error
            told = f"no connection ({type(cause).__name__}: {self._safe(str(cause))})"
            raise Unanswered(told, "Is the address right, and the endpoint up?") from None

    def _refusal(self, status: int, said: str) -> SourceError:
        told = f"the endpoint answered {status}: {self._safe(said)}"
        if status in (408, 409, 429) or status >= 500:
            return Unanswered(told, "Run the same again later: the answers so far are kept.")
        hint = {
            401: "Check the key: it comes from the environment variable that --key-variable names.",
            403: "Check the key, and what it may use.",
            404: "Check --endpoint (it ends before /chat/completions) and --model.",
        }
        return SourceError(told, hint.get(status, "Check --model and the parameters: --max-tokens-field, --extra."))

    def _safe(self, said: str) -> str:
        """What an endpoint says, without the key, on one line, short."""
        key = self._endpoint.key
        return tidy(said.replace(key, "<key>") if key else said)[:_MAX_SAID]

    def _client(self) -> Any:
        if self._open is None:
            self._open = _library().AsyncOpenAI(
                # The client wants one; a server without keys reads none.
                api_key=self._endpoint.key or "none",
                base_url=self._endpoint.url,
                timeout=self._endpoint.timeout,
                max_retries=self._endpoint.retries,
            )
        return self._open


class _Broken(Exception):
    """A body that does not come whole."""


async def _llm_read(chunks: AsyncIterator[bytes], seconds: float) -> bytes:
    data = b""
    try:
        # The client limits silence alone: an endpoint may send a byte now and then.
        async with asyncio.timeout(seconds):
            async for chunk in chunks:
                data += chunk
                if len(data) > _MAX_ANSWER_BYTES:
                    raise _Broken(f"got an answer of more than {_MAX_ANSWER_BYTES:,} bytes")
    except _Broken:
        raise
    # Here the errors of the client's transport come through; another version of the client has another transport.
    except Exception as error:
        raise _Broken(f"the answer broke off after {len(data):,} bytes ({type(error).__name__})") from error
    return data


def _library() -> Any:
    try:
        import openai
    except ImportError as error:
        raise SourceError("asking a model needs the openai library", "pip install 'carrara[judge]'") from error
    return openai


def _completion(body: Any) -> Answer:
    """The first choice of a chat completion. Raises ValueError, LookupError or TypeError for anything else."""
    choice = body["choices"][0]
    message = choice["message"]
    usage = body.get("usage") or {}
    text, finish, refusal = message.get("content"), choice.get("finish_reason"), message.get("refusal")
    row = {
        "text": "" if text is None else text,
        "finish": "" if finish is None else finish,
        "refused": bool(refusal) or finish == "content_filter",
        "tokens_in": usage.get("prompt_tokens") or 0,
        "tokens_out": usage.get("completion_tokens") or 0,
    }
    return _answer(row)


def _answer(row: Any) -> Answer:
    answer = Answer(**row)
    numbers = (answer.tokens_in, answer.tokens_out)
    if not isinstance(answer.text, str) or not isinstance(answer.finish, str) or not isinstance(answer.refused, bool):
        raise TypeError("no answer")
    if any(isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < 1 << 32 for number in numbers):
        raise TypeError("no count of tokens")
    return answer
