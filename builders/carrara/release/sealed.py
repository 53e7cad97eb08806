"""How a sealed release is known, and what refuses to work on one: its answers are withheld."""

from typing import Final

from carrara.errors import CarraraError, ReleaseError
from carrara.release.schema import Content, SealFacts

# What stands in a sealed release for its stream: this and the stream's commitment.
PREFIX: Final = "sealed:"


def commitments(content: Content) -> SealFacts:
    """What a sealed release committed to. Raises ReleaseError on a release that is not sealed."""
    if content.sealed is None:
        raise ReleaseError(
            f"{content.name}@{content.version} is not sealed", "Give the sealed release first, then its answers."
        )
    return content.sealed


def refuse_sealed(content: Content, work: str) -> None:
    """Raises ReleaseError where answers are withheld. `work`: what was to be done, as in "it cannot be scored"."""
    if content.is_sealed:
        raise ReleaseError(
            f"{content.name}@{content.version} is sealed: its answers are withheld, so it cannot be {work}",
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
