"""How a sealed release is recognised, and the errors for work that needs its withheld answers."""

from typing import Final

from carrara.errors import CarraraError, ReleaseError
from carrara.release.schema import Content, SealFacts

# The stream of a sealed release is this prefix and the commitment to the original stream.
PREFIX: Final = "sealed:"


def commitments(content: Content) -> SealFacts:
    """The commitments of a sealed release. Raises ReleaseError on a release that is not sealed."""
    if content.sealed is None:
        raise ReleaseError(
            f"{content.name}@{content.version} is not sealed", "Give the sealed release first, then its answers."
        )
    return content.sealed


def refuse_sealed(content: Content, work: str) -> None:
    """Raise ReleaseError on a sealed release. `work` completes the message "it cannot be ..."."""
    if content.is_sealed:
        raise ReleaseError(
            f"{content.name}@{content.version} is sealed: its answers are withheld, so it cannot be {work}",
            "Once the answers are published, use the release that carrara reveal --out writes; until then send your "
            "responses to those who hold the answers.",
        )


def refuse_sealed_stream(stream: str) -> None:
    """Raise CarraraError for the recipe of a sealed release: its rows cannot be made without the stream."""
    if stream.startswith(PREFIX):
        raise CarraraError(
            "the recipe is that of a sealed release: its stream is withheld, and no row can be made without it",
            "Wait for the reveal, or make a twin with a stream of your own: --stream NAME.",
        )
