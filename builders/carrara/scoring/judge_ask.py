"""Asks a judge at an OpenAI-compatible endpoint, so many questions at a time, and gives up on none but with a reason.

A question is sent with the JSON schema of its answer and temperature 0; an endpoint that does not take them (400, 422)
is asked without, from then on. Lost connections, answers that take too long, 408, 409, 429, 5xx and bodies that are no
chat completion are tried again after growing pauses or those that the endpoint asks for, at most a minute; an answer
that does not have the form is asked for three times, with what was wrong about it. What is still not answered is
unjudged, with its reason, and the run goes on: only a key that is not accepted, a model that is not there, and many
questions one after the other without an answer end the asking; the rest is then unjudged too.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from types import TracebackType
from typing import Any, Final, Self

from carrara.scoring.judge_address import Address
from carrara.scoring.judge_rubrics import Asked, Verdict, read

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
            raise ValueError("a judge at an endpoint needs the openai library: pip install 'carrara[llm]'") from error
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
