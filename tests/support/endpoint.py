"""An OpenAI-compatible endpoint on this machine: answers from what it is asked alone, and misbehaves when told to."""

import asyncio
import hashlib
import json
import socket
import threading
import time
from collections.abc import Awaitable, Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

WORDS = """
amber bridge candle delta ember fennel garden harbour island juniper kettle lantern meadow nettle orchard pebble quarry
river saddle timber umbrella valley willow yonder zephyr anchor barley cellar dapple easel ferry gravel hollow ivory
jetty kernel ladder marble narrow oyster parcel quiver rafter silver thimble upward velvet wander
"""


def text_of(body: dict[str, Any], words: int = 60) -> str:
    """A text that depends on every character of the messages and is like no other."""
    said = json.dumps(body["messages"], sort_keys=True)
    drawn = hashlib.shake_128(said.encode()).digest(words)
    known = WORDS.split()
    told = [known[byte % len(known)] for byte in drawn]
    return "A title\n\n" + "\n".join(" ".join(told[start : start + 10]) + "." for start in range(0, words, 10))


def completion(text: str | None, finish: str = "stop", **message: object) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish}
    return {
        **{"id": "chatcmpl-1", "object": "chat.completion", "created": 0, "model": "tester"},
        "choices": [choice],
        "usage": {"prompt_tokens": 100, "completion_tokens": 200, "total_tokens": 300},
    }


class Endpoint(ThreadingHTTPServer):
    """`faults` are used up by the first requests, one each; `answer` makes the body of every other answer.

    What `refuses` holds for gets 400. `pauses` are the seconds that clients in this process meant to wait before
    another try: a thousandth passes. `models` are listed where there are any.
    """

    daemon_threads = True
    # Of more connections at once than wait here, the others come a second later.
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.faults: list[str] = []
        self.answer: Callable[[dict[str, Any]], Any] = lambda body: completion(text_of(body))
        self.seconds = 0.0
        self.bodies: list[dict[str, Any]] = []
        self.pauses: list[float] = []
        self.refuses: Callable[[dict[str, Any]], bool] = lambda body: False
        self.authorizations: set[str] = set()
        self.models: list[str] = []
        self.finished = self.at_once = self.most_at_once = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def requests(self) -> int:
        return len(self.bodies)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that was killed or has gone: nothing to tell."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Headers and body are sent apart: the body would wait 40 ms for the acknowledgement of the headers.
    disable_nagle_algorithm = True
    server: Endpoint

    def log_message(self, format: str, *args: object) -> None:
        pass

    def do_GET(self) -> None:
        if self.path == "/v1/models" and self.server.models:
            self.send(200, {"data": [{"id": name} for name in self.server.models]})
        else:
            self.send(404, {"error": {"message": "no such path"}})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server = self.server
        with server.lock:
            server.bodies.append(body)
            server.authorizations.add(self.headers["Authorization"])
            server.at_once += 1
            server.most_at_once = max(server.most_at_once, server.at_once)
            fault = server.faults.pop(0) if server.faults else ""
        try:
            time.sleep(server.seconds)
            self.give(fault, body)
        finally:
            with server.lock:
                server.at_once -= 1

    def give(self, fault: str, body: dict[str, Any]) -> None:
        if self.path not in ("/v1/chat/completions", "/v1/embeddings"):
            self.send(404, {"error": {"message": "no such path"}})
        elif self.server.refuses(body):
            self.send(400, {"error": {"message": "unsupported parameter"}})
        elif fault.startswith("busy"):
            self.send(429, {"error": {"message": "busy"}}, after=fault.removeprefix("busy "))
        elif fault.isdigit():
            self.send(int(fault), {"error": {"message": f"told to say {fault} to {self.headers['Authorization']}"}})
        elif fault == "hang":
            time.sleep(3)
            self.send(200, completion("too late"))
        elif fault == "drop":
            self.hang_up()
        elif fault == "drip":
            self.send(200, completion("slow"), pause=0.1)
        elif fault == "half":
            self.send(200, completion("half an answer"), cut=20)
        elif fault == "garbage":
            self.send(200, b'{"choices": [{"mess')
        elif fault == "other":
            self.send(200, {"object": "something else"})
        elif fault == "huge":
            self.send(200, completion("a " * (1 << 20)))
        else:
            self.send(200, self.server.answer(body))
            with self.server.lock:
                self.server.finished += 1

    def send(self, status: int, what: Any, cut: int = 0, pause: float = 0.0, after: str = "") -> None:
        data = what if isinstance(what, bytes) else json.dumps(what).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        # Otherwise the client pauses for seconds.
        self.send_header(*(("Retry-After", after) if after else ("Retry-After-Ms", "5")))
        self.end_headers()
        for start in range(0, len(data) - cut, 1 if pause else len(data)):
            self.wfile.write(data[start : start + 1] if pause else data[: len(data) - cut])
            time.sleep(pause)
        if cut:
            self.hang_up()

    def hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with Endpoint() as server:
        wait = asyncio.sleep

        def shorter(seconds: float) -> Awaitable[None]:
            server.pauses.append(seconds)
            return wait(seconds / 1000)

        monkeypatch.setattr(asyncio, "sleep", shorter)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
