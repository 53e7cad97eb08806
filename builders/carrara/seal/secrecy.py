"""Checks that the stream of a sealed release is secret: unknown, hard to guess, and not in the release's name."""

import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from carrara.errors import CarraraError, ReleaseError
from carrara.recipe.recipe import recipe_folder, stream_slug
from carrara.release.reader import open_release
from carrara.release.schema import MANIFEST

# An attacker tests a guess by drawing once and looking at a prompt: 2^64 guesses are out of reach.
ENOUGH_BITS: Final = 64
HINT: Final = (
    'Build a twin with a stream that nobody can guess: carrara build RECIPE --stream "$(openssl rand -hex 16)"'
)
# `quickstart/1`: the usual form in recipes without secrets.
_USUAL: Final = re.compile(r"[a-z][a-z0-9._ -]*/[0-9]{1,6}")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MOST: Final = 64
# This many characters of the stream's slug do not appear in a name by chance.
_TOLD: Final = 8
_SUFFIX: Final = "-sealed"


def refuse_known(stream: str, releases: Iterable[Path]) -> None:
    """Raise CarraraError on a stream that is public: in a bundled recipe, in a frozen release, or of the usual form."""
    if where := _known(stream, releases):
        raise CarraraError(
            f"the stream {stream!r} {where}, so that anyone can make the answers: expected a secret stream", HINT
        )


def _known(stream: str, releases: Iterable[Path]) -> str:
    for path in sorted(recipe_folder().glob("*.toml")):
        if tomllib.loads(path.read_text(encoding="utf-8")).get("stream") == stream:
            return f"is that of the bundled recipe {path.stem}"
    for folder in releases:
        for manifest in sorted(folder.glob(f"*/*/{MANIFEST}")):
            frozen = open_release(manifest.parent)
            if frozen.content.stream == stream:
                return f"is that of the frozen release {frozen.name}@{frozen.version}"
    return "has the usual form of a public one" if _USUAL.fullmatch(stream) else ""


def guessable_bits(stream: str) -> float:
    """An upper bound on the entropy of a stream in bits: as if its characters were drawn independently.

    Thirty-two random hexadecimal digits have about 115 bits; words have far fewer than this bound.
    """
    counts = Counter(stream)
    return -sum(count * math.log2(count / len(stream)) for count in counts.values())


def public_name(name: str, stream: str, given: str | None = None) -> str:
    """The sealed release's name: the given one, or the recipe's name without the twin's suffix, and `-sealed`.

    A twin is named after its stream. Raises ReleaseError on a name that reveals the stream, or of a wrong form.
    """
    slug = stream_slug(stream)
    chosen = given if given is not None else _base(name, slug)[: _MOST - len(_SUFFIX)].rstrip("-.") + _SUFFIX
    if not _NAME.fullmatch(chosen):
        raise ReleaseError(
            f"got name {chosen!r}, expected lower-case letters, digits, '.', '_', '-'", "Give another --name."
        )
    if chosen == name:
        raise ReleaseError(f"name {chosen!r} is the original's, expected another", "Give another --name.")
    if holds(chosen, stream):
        raise ReleaseError(f"name {chosen!r} holds a part of the stream", "Give a --name without it.")
    return chosen


def holds(text: str, stream: str) -> bool:
    """Whether a name holds eight consecutive characters of the stream's slug, or all of a shorter slug."""
    slug = stream_slug(stream)
    if len(slug) < _TOLD:
        return bool(slug) and f"-{slug}-" in f"-{stream_slug(text)}-"
    return any(slug[start : start + _TOLD] in text for start in range(len(slug) - _TOLD + 1))


def _base(name: str, slug: str) -> str:
    # A twin's name is cut at 64 characters, and its slug with it.
    shortest = len(slug) if len(name) < _MOST - 2 else 1
    for size in range(len(slug), max(0, shortest - 1), -1):
        if name.endswith(tail := "-" + slug[:size].rstrip("-")):
            return name.removesuffix(tail)
    return name
