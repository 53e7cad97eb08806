"""`provenance.json`: when, by what code and with what libraries a release was made.

No digest covers it, and two builds of one manifest differ in it: it is believed for the name of a commit
alone. Read as hostile input; unknown keys are kept. Every field is optional: `key` and `workers` are of a build,
`sealed` of a sealed release, `part_of` of a permissive part, which has the rest from its whole.
"""

import platform
import re
import time
from typing import Annotated

from pydantic import ValidationError

from carrara import __version__
from carrara.engine.code import code_origin, library_versions
from carrara.errors import ReleaseError
from carrara.release.manifest import PROVENANCE, canonical
from carrara.release.reader import parsed_json
from carrara.release.schema import Closed, Count, Name, Open, Sha256, Text, Version, at_most, matching, refusal

_COMMIT = re.compile(r"[0-9a-f]{40}")
_TIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z")
_HINT = "Build the release again, or restore the file from where it was published."

Commit = Annotated[str, matching(_COMMIT, "a commit of 40 hexadecimal digits")]
Time = Annotated[str, matching(_TIME, "a time like 2027-01-31T12:00:00Z")]


def now() -> str:
    """The time in UTC, as a provenance notes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


class CodeFacts(Open):
    """The code: the sha256 over the package's files and, of a checkout, its commit and whether they differ from it."""

    sha256: Sha256
    commit: Commit | None
    dirty: bool | None
    # Why there is no commit.
    reason: Text = ""


class PartOf(Closed):
    """The whole release that a part is of, with the sha256 of its manifest."""

    name: Name
    version: Version
    manifest: Sha256


class Provenance(Open):
    """What `provenance.json` says."""

    carrara: Text = ""
    # Releases before 0.2 have none.
    code: CodeFacts | None = None
    python: Text = ""
    platform: Text = ""
    libraries: Annotated[dict[str, Text] | None, at_most(1_000, "a table of versions")] = None
    # What the files of a build depend on: a build with the same key makes the same files.
    key: Sha256 | None = None
    started: Time | None = None
    finished: Time | None = None
    workers: Count | None = None
    sealed: Time | None = None
    part_of: PartOf | None = None

    @classmethod
    def here(cls, **facts: object) -> "Provenance":
        """The provenance of what this process makes; `facts` are further fields."""
        return cls.model_validate(
            {
                "carrara": __version__,
                "code": code_origin(),
                "python": platform.python_version(),
                "libraries": library_versions(),
                **facts,
            }
        )

    @classmethod
    def read(cls, raw: bytes) -> "Provenance":
        """Check an untrusted `provenance.json`. Raises ReleaseError."""
        try:
            return cls.model_validate(parsed_json(raw, PROVENANCE))
        except ValidationError as error:
            raise ReleaseError(f"{PROVENANCE}: {refusal(error, 'the file')}", _HINT) from error

    def of_part(self, name: str, version: str, manifest: str) -> "Provenance":
        """The provenance of a part of this release. The key is left out: a build of the part's recipe has another."""
        table = self.to_json() | {"part_of": {"name": name, "version": version, "manifest": manifest}}
        table.pop("key", None)
        return Provenance.model_validate(table)

    def to_bytes(self) -> bytes:
        """The file."""
        return canonical(self.to_json())
