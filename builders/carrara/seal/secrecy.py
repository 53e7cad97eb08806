"""What a sealed release rests on: a stream that nobody knows or guesses, and a name that does not tell it."""

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

# A guess costs an attacker one draw and a look at a prompt: 2^64 of them are out of reach.
ENOUGH_BITS: Final = 64
HINT: Final = (
    'Build a twin with a stream that nobody can guess: carrara build RECIPE --stream "$(openssl rand -hex 16)"'
)
# `quickstart/1`: what recipes are given where nothing is to be kept secret.
_USUAL: Final = re.compile(r"[a-z][a-z0-9._ -]*/[0-9]{1,6}")
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_MOST: Final = 64
# So much of a stream's slug in a name is no chance.
_TOLD: Final = 8
_SUFFIX: Final = "-sealed"


def refuse_known(stream: str, releases: Iterable[Path]) -> None:
    """Raises CarraraError for a stream that others have: of a recipe that comes along or a frozen release, or usual."""
    if where := _known(stream, releases):
        raise CarraraError(
            f"the stream {stream!r} {where}, so that anyone can make the answers: expected a secret one", HINT
        )


def _known(stream: str, releases: Iterable[Path]) -> str:
    for path in sorted(recipe_folder().glob("*.toml")):
        if tomllib.loads(path.read_text(encoding="utf-8")).get("stream") == stream:
            return f"is that of the recipe {path.stem}, which comes along"
    for folder in releases:
        for manifest in sorted(folder.glob(f"*/*/{MANIFEST}")):
            frozen = open_release(manifest.parent)
            if frozen.content.stream == stream:
                return f"is that of the frozen release {frozen.name}@{frozen.version}"
    return "has the usual form of a public one" if _USUAL.fullmatch(stream) else ""


def guessable_bits(stream: str) -> float:
    """An upper bound of how hard a stream is to guess: as if its characters were drawn apart, as often as they stand.

    Thirty-two random hexadecimal digits have about 115 bits; words have far fewer than this says.
    """
    counts = Counter(stream)
    return -sum(count * math.log2(count / len(stream)) for count in counts.values())


def public_name(name: str, stream: str, given: str | None = None) -> str:
    """The sealed release's name: the one given, else that of the recipe before it was made a twin, and `-sealed`.

    A twin is named after its stream. Raises ReleaseError on a name that would tell it, or is none.
    """
    slug = stream_slug(stream)
    chosen = given if given is not None else _base(name, slug)[: _MOST - len(_SUFFIX)].rstrip("-.") + _SUFFIX
    if not _NAME.fullmatch(chosen):
        raise ReleaseError(f"name {chosen!r}", "Expected --name of lower-case letters, digits, '.', '_', '-'.")
    if chosen == name:
        raise ReleaseError(f"name {chosen!r} is that of the release itself", "Give another --name.")
    if holds(chosen, stream):
        raise ReleaseError(f"name {chosen!r} holds a part of the stream", "Give a --name that does not.")
    return chosen


def holds(text: str, stream: str) -> bool:
    """Whether a name holds eight characters of the stream's slug in a row, or the whole of a shorter one."""
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
