"""How a sealed release is known, and what refuses to work on one: its answers are withheld."""

from collections.abc import Mapping
from typing import Any, Final

from carrara.errors import CarraraError, ReleaseError

# What stands in a sealed release for its stream: this and the stream's commitment.
PREFIX: Final = "sealed:"


def is_sealed(content: Mapping[str, Any]) -> bool:
    """Whether a manifest's content is that of a sealed release."""
    return "sealed" in content


def refuse_sealed(content: Mapping[str, Any], work: str) -> None:
    """Raises ReleaseError where answers are withheld. `work`: what was to be done, as in "it cannot be scored"."""
    if is_sealed(content):
        raise ReleaseError(
            f"{content['name']}@{content['version']} is sealed: its answers are withheld, so it cannot be {work}",
            "Use the release that carrara reveal --out puts together once the answers are published, or send your "
            "responses to those who hold them.",
        )


def refuse_sealed_stream(stream: str) -> None:
    """Raises CarraraError for the recipe of a sealed release: without its stream it makes none of its rows."""
    if stream.startswith(PREFIX):
        raise CarraraError(
            "the recipe is that of a sealed release: its stream is withheld, and no row can be made without it",
            "Wait for the reveal, or make a twin with a stream of your own: --stream NAME.",
        )
