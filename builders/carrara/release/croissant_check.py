"""Whether croissant.json says of a release what its manifest says: names, and every file's hash and size.

It is not derived again: another version of this program may word it otherwise, and it is still the same release. What
it must never do is vouch for other files than the manifest does. Releases before 0.2 have none.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from carrara.errors import ReleaseError
from carrara.release.reader import Release, parsed_json
from carrara.release.schema import CROISSANT, shown

_LISTED = 5


def disagreements(release: Release) -> list[str]:
    """What croissant.json says otherwise than the manifest, at most five things; nothing where there is none."""
    if CROISSANT not in release.files or not release.place.has(CROISSANT):
        return []
    try:
        described = parsed_json(release.small_file(CROISSANT), CROISSANT)
    except ReleaseError as error:
        return [error.message]
    if not isinstance(described, dict):
        return [f"{CROISSANT} is a {type(described).__name__}, expected an object"]
    found = [f"{CROISSANT}: {message}" for message in _differences(described, release)]
    more = [f"{CROISSANT}: {len(found) - _LISTED} more"] if len(found) > _LISTED else []
    return found[:_LISTED] + more


def fetches(described: Any) -> bool:
    """Whether reading a description as JSON-LD may fetch something: a context that is no table, or nested, or imports.

    Law 17: a library that reads JSON-LD follows what a hostile file names.
    """
    if not isinstance(described, dict) or not isinstance(described.get("@context"), dict):
        return True
    left: list[Any] = [described["@context"], *(value for key, value in described.items() if key != "@context")]
    while left:
        one = left.pop()
        if isinstance(one, dict):
            if "@context" in one or "@import" in one:
                return True
            left.extend(one.values())
        elif isinstance(one, list):
            left.extend(one)
    return False


def _differences(described: Mapping[str, Any], release: Release) -> Iterator[str]:
    for key, value in (("name", release.name), ("version", release.version)):
        if described.get(key) != value:
            yield f"{key} is {shown(described.get(key))}, the manifest's is {shown(value)}"
    distribution = described.get("distribution")
    if not isinstance(distribution, list):
        yield f"distribution is {shown(distribution)}, expected a list of files"
        return
    listed: set[str] = set()
    for entry in distribution:
        path = entry.get("contentUrl") if isinstance(entry, dict) else None
        known = release.files.get(path) if isinstance(path, str) else None
        if known is None or path == CROISSANT:
            yield f"it lists {shown(path)}, which the manifest does not"
        elif path in listed:
            yield f"it lists {path} twice"
        elif entry.get("sha256") != known.sha256:
            yield f"{path} has sha256 {shown(entry.get('sha256'))}, the manifest says {known.sha256}"
        elif entry.get("contentSize") != f"{known.bytes} B":
            yield f"{path} has {shown(entry.get('contentSize'))}, the manifest says {known.bytes} bytes"
        if isinstance(path, str):
            listed.add(path)
    for path in sorted(set(release.files) - listed - {CROISSANT}):
        yield f"it does not list {path}"
