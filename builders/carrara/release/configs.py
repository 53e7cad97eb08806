"""The configs of a release: their order, the names that load several of them at once, and their languages."""

import re
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from carrara.errors import ReleaseError
from carrara.release.schema import Content
from carrara.row import config_name

_CONFIG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


def config_order(content: Content) -> list[str]:
    """The config names in the order of the recipe (the manifest sorts them). Raises ReleaseError."""
    spelled = [
        config_name(cell.task, variant, bucket)
        for cell in content.recipe.cells
        for variant in cell.variants
        for bucket in cell.buckets
    ]
    known = content.configs
    names = [name for name in dict.fromkeys(spelled) if name in known]
    names += sorted(set(known) - set(names))
    if not names:
        raise ReleaseError("got a release without configs, expected at least one", "Build it again from its recipe.")
    for name in names:
        # The name becomes a folder, and a glob in the card's front matter.
        if not _CONFIG.fullmatch(name):
            raise ReleaseError(f"got config name {name!r}, expected letters, digits, '.', '_', '-'", "Build it again.")
    return names


def config_groups(content: Content) -> dict[str, list[str]]:
    """Names that load several configs at once: every bucket, the smallest first, then every task, with their configs.

    A name that a config has already is left out, as is one that is no plain name (of a manifest nobody vouches for).
    """
    names, facts = config_order(content), content.configs
    buckets: dict[str, list[str]] = {}
    tasks: dict[str, list[str]] = {}
    for name in sorted(names, key=lambda name: facts[name].bucket_tokens):
        buckets.setdefault(facts[name].bucket, []).append(name)
    for name in names:
        tasks.setdefault(facts[name].task, []).append(name)
    groups = {**buckets, **{task: of_task for task, of_task in tasks.items() if task not in buckets}}
    return {group: members for group, members in groups.items() if group not in facts and _CONFIG.fullmatch(group)}


def data_files(group: str, members: Sequence[str], names: Iterable[str]) -> list[str]:
    """Globs for the data files of a group: one, where it matches the members and no other of the release's `names`."""
    for pattern in (f"*_{group}", f"{group}_*"):
        if {name for name in names if fnmatchcase(name, pattern)} == set(members):
            return [f"data/{pattern}/test-*.parquet"]
    return [f"data/{name}/test-*.parquet" for name in members]


def languages(content: Content) -> list[str]:
    """The language codes, sorted: from the variant's name, else from the source, else English."""
    codes: set[str] = set()
    for config in content.configs.values():
        named = {"en", "zh"} & set(config.variant.split("_"))
        source = content.sources.get(config.source)
        stated = {"en", "zh"} & set(re.findall(r"[a-z]+", source.lang[:100] if source else ""))
        # A source in both languages does not tell which one the task uses.
        codes |= named or (stated if len(stated) == 1 else {"en"})
    return sorted(codes)
