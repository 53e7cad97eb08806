"""Restores the original release from a sealed release and its revealed answers.

Data files are rewritten from the rows, in the same files and row groups, so that the same Parquet library gives the
same bytes; the other files are copied from the answers. Everything written is checked against the original manifest:
what `reveal.py` proved may have been altered since.
"""

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from carrara.engine.files import commit, owned, sync_folder, write_bytes
from carrara.engine.parquet import write_rows
from carrara.engine.processes import Steps
from carrara.errors import CarraraError, ReleaseError
from carrara.release.manifest import PROVENANCE, file_entry
from carrara.release.reader import Release, file_rows
from carrara.release.schema import MANIFEST
from carrara.release.store import Folder
from carrara.row import DigestLine, Row, row_digest
from carrara.seal.answers_file import Line, lines
from carrara.seal.reveal import Told
from carrara.seal.scheme import joined

_BLOCK = 1 << 20


def reassemble(sealed: Release, answers: Folder, revealed: Told, out: Path, progress: Steps) -> tuple[Path, list[str]]:
    """Write the original into `<out>/<name>/<version>`; return that folder, and the data files whose bytes differ.

    Other bytes with the same rows come from another Parquet library. Raises CarraraError where a file cannot be
    written, and ReleaseError where a release is there already, or a row or file is not the original's.
    """
    original = revealed.original
    home = out / original.name
    final, work = home / original.version, home / f".{original.version}.revealing"
    if set(original.configs) != set(sealed.configs):
        raise ReleaseError(
            f"{sealed.name}@{sealed.version} holds other configs than the original", "Give the whole sealed release."
        )
    try:
        home.mkdir(parents=True, exist_ok=True)
        with owned(home, "reveal"):
            if os.path.lexists(final):
                raise ReleaseError(f"{final} is there already", "Move it away, or give another --out.")
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir()
            try:
                differing = _write(sealed, answers, original, work, progress)
                work.rename(final)
            finally:
                shutil.rmtree(work, ignore_errors=True)
            sync_folder(home)
    except OSError as error:
        raise CarraraError(
            f"cannot write {error.filename or home}: {error.strerror or error}",
            "check the disk and the permissions, then reveal again",
        ) from error
    return final, differing


def _write(sealed: Release, answers: Folder, original: Release, work: Path, progress: Steps) -> list[str]:
    for config in original.configs:
        _config(sealed, answers, original, config, work, progress)
    made = {path for config, facts in original.configs.items() for path in [f"digests/{config}.txt", *facts.files]}
    for path in sorted(set(original.files) - made):
        _copy(original, path, work)
    if original.place.has(PROVENANCE):
        _copy(original, PROVENANCE, work)
    differing = []
    for path, expected in original.files.items():
        if file_entry(work / path) != expected:
            if not path.startswith("data/"):
                raise ReleaseError(f"{path} is not the original's", "The folder of answers was altered: get it again.")
            differing.append(path)
    write_bytes(work / MANIFEST, original.small_file(MANIFEST))
    return differing


def _config(sealed: Release, answers: Folder, original: Release, config: str, work: Path, progress: Steps) -> None:
    facts = original.configs[config]
    root, answer_lines, done = hashlib.sha256(), lines(answers, config), 0
    digests = work / "digests" / f"{config}.txt"
    digests.parent.mkdir(exist_ok=True)
    with digests.open("wb") as digest_file:

        def together(path: str) -> Iterator[Row]:
            nonlocal done
            for row in file_rows(sealed, path):
                line: Line | None = next(answer_lines, None)
                if line is None or line.id != row["id"]:
                    raise ReleaseError(
                        f"the answers have no line for {row['id']} at its position",
                        "The answers changed: reveal again.",
                    )
                restored = joined(row, line.told)
                text = f"{DigestLine(row_digest(restored), row['id'])}\n".encode()
                root.update(text)
                digest_file.write(text)
                done += 1
                progress(config, done, facts.rows)
                yield Row.from_arrow(restored)

        for path in facts.files:
            write_rows(work / path, together(path))
    if root.hexdigest() != facts.root:
        raise ReleaseError(f"{config}: the rows do not have the original's content root", "Reveal without --out.")


def _copy(original: Release, path: str, work: Path) -> None:
    temporary = work / ".copy.tmp"
    with original.open(path) as source, temporary.open("wb") as file:
        while block := source.read(_BLOCK):
            file.write(block)
    (work / path).parent.mkdir(parents=True, exist_ok=True)
    commit(temporary, work / path)
