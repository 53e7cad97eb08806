"""Where a judge is asked: `http(s)://host:port/v1#<model>`, and the key that goes with it.

The key is CARRARA_JUDGE_KEY, or OPENAI_API_KEY; it is sent to the endpoint, over plain http to this machine alone, and
cut out of whatever the endpoint says. An address is typed by who asks: nothing of a release is read as one.
"""

import os
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

KEYS: Final = ("CARRARA_JUDGE_KEY", "OPENAI_API_KEY")
MAX_MODEL: Final = 200
_SAID: Final = 300


@dataclass(frozen=True, slots=True)
class Address:
    """An endpoint, the name of a model there, and the key with the variable that holds it ("" without one)."""

    url: str
    model: str
    key: str = field(repr=False, default="")
    variable: str = ""

    @property
    def told(self) -> str:
        """Where the key goes, to be said before the first request; "" without a key."""
        return key_goes(self.variable, self.url) if self.key else ""

    def safe(self, said: str) -> str:
        """What an endpoint says, without the key, on one line, short."""
        told = said.replace(self.key, "<key>") if self.key else said
        return " ".join("".join(part if part.isprintable() else " " for part in told).split())[:_SAID]


def key_goes(variable: str, url: str) -> str:
    """Say which key goes where."""
    return f"the key in {variable} goes to {url}"


def read_address(name: str) -> Address:
    """Read an address with a model. Raises ValueError for anything else, and where the key must not be sent there."""
    url, _, model = name.partition("#")
    try:
        parts = urlsplit(url)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        good = good and parts.username is None and not parts.query
    except ValueError:
        good = False
    if not good or not 0 < len(model) <= MAX_MODEL or not name.isprintable():
        # The address is not told: it may hold a password.
        raise ValueError("got no plain address, expected http://host:port/v1#<model> without a user or a query")
    keys = ((variable, os.environ.get(variable, "").strip()) for variable in KEYS)
    variable, key = next((one for one in keys if one[1]), ("", ""))
    if not key.isascii() or not key.isprintable():
        raise ValueError(f"the key in {' or '.join(KEYS)} holds characters that no header takes")
    if key and parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ValueError(f"the key would travel unencrypted: use https, or unset {' and '.join(KEYS)}")
    return Address(url, model, key, variable)
