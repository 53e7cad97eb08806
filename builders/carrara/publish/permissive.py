"""Makes the permissive part of a release: a release of the configs whose sources all have permissive licences.

`<name>-permissive`, of the same version, has the same rows, ids, digests, data files and frozen runs; its recipe, card,
figures and manifest are its own, so that it verifies at every level. Must not change: a row is the same in both.
"""

import hashlib
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from carrara.card.card import FINISHED, finish
from carrara.engine.files import owned, sync_folder, write_bytes
from carrara.errors import ReleaseError
from carrara.release.licences import by_terms, config_sources, config_terms
from carrara.release.manifest import PROVENANCE, canary, write_manifest
from carrara.release.provenance import Provenance
from carrara.release.reader import Release, open_release
from carrara.release.schema import MANIFEST, MAX_TEXT, CellFacts, Content, RecipeFacts, shown
from carrara.release.verify import verify
from carrara.row import canonical_json, config_name
from carrara.text.markdown import code, escape

SUFFIX = "-permissive"
_MAX_NAME = 64
_MAX_LISTED = 5


def permissive_configs(content: Content) -> list[str]:
    """The configs whose every source and text is under a permissive licence."""
    return [name for name in content.configs if config_terms(content, name).kind == "permissive"]


def permissive_part(folder: Path, out: Path) -> Path:
    """Make the permissive part of a release as `<out>/<name>-permissive/<version>`, and return that folder.

    If every config is permissive, return the release's own folder. A part that exists already is left alone. Raises
    ReleaseError where no config is permissive, where the release does not verify (level `files`) or holds files that
    belong to no config, and where another release is in the folder.
    """
    release = open_release(folder)
    content = release.content
    if content.is_sealed:
        # Its commitments cover the whole release.
        problem = f"{release.name}@{release.version} is sealed, expected a release with its answers"
        raise ReleaseError(problem, "Make the permissive part of the original, then seal it.")
    names = permissive_configs(content)
    if not names:
        stated = "; ".join(list(by_terms(content, content.configs))[:_MAX_LISTED])
        raise ReleaseError(
            f"{release.name}@{release.version} has no permissive part: {stated}", "Leave out --profile permissive."
        )
    if len(names) == len(content.configs):
        return folder
    _refuse_broken(folder)
    part = _content(content, names)
    home = out / part.name
    final, work = home / part.version, home / f".{part.version}.part"
    home.mkdir(parents=True, exist_ok=True)
    with owned(home, "part"):
        shutil.rmtree(work, ignore_errors=True)
        try:
            work.mkdir()
            for path in _files(release, part):
                _link(folder / path, work / path)
            finish(part, work)
            _write_provenance(release, work)
            write_manifest(work, part)
            if _is_there(final, work):
                return final
            work.rename(final)
            sync_folder(home)
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return final


def _refuse_broken(folder: Path) -> None:
    if problems := verify(folder, "files").problems:
        listed = "; ".join(problem.message for problem in problems[:3])
        raise ReleaseError(f"{folder} does not verify: {listed}", "download or build the release again")


def _content(content: Content, names: Sequence[str]) -> Content:
    """The `content` of the part: facts of other configs are left out, everything else stays."""
    name, whole = f"{content.name}{SUFFIX}", f"{content.name}@{content.version}"
    if len(name) > _MAX_NAME:
        raise ReleaseError(
            f"the part of {whole} would be called {name}, expected at most {_MAX_NAME} letters", "Shorten the name."
        )
    of_config = config_sources(content)
    used = {source for config in names for source in of_config[config]}
    title = f"{content.title}: permissive part" if content.title else ""
    recipe = content.recipe.to_json()
    recipe |= {"name": name, "title": title, "cells": _cells(content.recipe.cells, set(names))}
    recipe["own_sources"] = {source: pin for source, pin in recipe["own_sources"].items() if source in used}
    # Authors and date stay; the URL and the citation are the whole's.
    publication = {key: value for key, value in recipe.pop("publication", {}).items() if key not in {"url", "citation"}}
    recipe |= {"publication": publication} if publication else {}
    runs = {run: facts for run, facts in content.runs.items() if run in _run_names(content, names)}
    rest = {key: value for key, value in content if key in content.model_fields_set - {"runs", "written"}}
    return Content(
        **rest
        | {
            "name": name,
            "title": title,
            "canary": canary(name, content.version, content.stream),
            "recipe": RecipeFacts.model_validate(recipe),
            "recipe_fingerprint": hashlib.sha256(canonical_json(recipe).encode()).hexdigest(),
            "sources": {source: facts for source, facts in content.sources.items() if source in used},
            "configs": {config: content.configs[config] for config in names},
            "written": _written(content, names, whole),
        }
        | ({"runs": runs} if runs else {})
    )


def _cells(cells: Sequence[CellFacts], names: set[str]) -> list[dict[str, object]]:
    """The cells of the kept configs; all buckets of a variant have the same licence."""
    kept = []
    for cell in cells:
        variants = [
            variant
            for variant in cell.variants
            if any(config_name(cell.task, variant, bucket) in names for bucket in cell.buckets)
        ]
        if variants:
            kept.append({**cell.to_json(), "variants": variants})
    return kept


def _run_names(content: Content, names: Sequence[str]) -> set[str]:
    return {f"{content.configs[name].task}_{content.configs[name].variant}" for name in names}


def _written(content: Content, names: Sequence[str], whole: str) -> str:
    """The hand-written sections, after one that names the whole release and the configs left out."""
    left = [name for name in content.configs if name not in set(names)]
    lines = [
        "## A part of a release",
        "",
        f"This is the permissive part of {code(whole)}: {len(names)} of its {len(content.configs)} configs, those",
        "whose every source is under a permissive licence. Rows, ids and digests are the same as there. Left out:",
        "",
    ]
    for licence, of_it in by_terms(content, left).items():
        more = f" and {len(of_it) - _MAX_LISTED} more" if len(of_it) > _MAX_LISTED else ""
        lines.append(f"- {', '.join(map(code, of_it[:_MAX_LISTED]))}{more}: {escape(licence)}")
    whole_text = "\n\n".join(filter(None, ["\n".join(lines), content.written]))
    return whole_text if len(whole_text) <= MAX_TEXT else str(content.written)


def _files(release: Release, part: Content) -> list[str]:
    """The files that the part shares. Raises ReleaseError on a file of no config, run or `finish`."""
    kept = {path for name, facts in part.configs.items() for path in (f"digests/{name}.txt", *facts.files)}
    kept |= {f"runs/{name}.{ending}" for name in part.runs for ending in ("json", "parquet")}
    known = {path for name, facts in release.configs.items() for path in (f"digests/{name}.txt", *facts.files)}
    known |= {f"runs/{name}.{ending}" for name in release.content.runs for ending in ("json", "parquet")}
    for path in release.files:
        if path not in known and not any(
            path == finished or (finished[-1] == "/" and path.startswith(finished)) for finished in FINISHED
        ):
            raise ReleaseError(
                f"{shown(path)} belongs to no config, so no part can hold it", "Publish the whole release."
            )
    return sorted(kept)


def _link(source: Path, target: Path) -> None:
    """Link a file, or copy it where the file system cannot; finished files are never written to."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copyfile(source, target, follow_symlinks=False)


def _write_provenance(release: Release, work: Path) -> None:
    """Write the provenance of the whole release, and its name, version and manifest digest."""
    whole = Provenance.read(release.small_file(PROVENANCE)) if release.place.has(PROVENANCE) else Provenance()
    manifest = hashlib.sha256(release.small_file(MANIFEST)).hexdigest()
    write_bytes(work / PROVENANCE, whole.of_part(release.name, release.version, manifest).to_bytes())


def _is_there(final: Path, work: Path) -> bool:
    """Whether the part exists already. Raises ReleaseError on another release of its name and version."""
    if not os.path.lexists(final):
        return False
    try:
        same = open_release(final).small_file(MANIFEST) == (work / MANIFEST).read_bytes()
    except ReleaseError:
        same = False
    if not same or verify(final, "files").problems:
        raise ReleaseError(
            f"got another release in {final}, expected this part or nothing", "Move it, or give another folder."
        )
    return True
