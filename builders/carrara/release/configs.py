"""The configs of a release: their order, which are chosen, names that load several at once, and their languages."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from carrara.errors import CarraraError, ReleaseError
from carrara.release.schema import ConfigFacts, Content
from carrara.row import config_name
from carrara.text.display import nearest

# One name, several, or none: all. Each may be a glob.
ChosenNames = str | Iterable[str] | None

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


def choose_configs(
    configs: Mapping[str, ConfigFacts],
    *,
    bucket: ChosenNames = None,
    task: ChosenNames = None,
    config: ChosenNames = None,
) -> list[str]:
    """The names of the configs that are in one of the buckets, of one of the tasks and match one of the globs.

    What is not given leaves all in; the order is that of `configs`. Every name may be a glob: `*_32k`, `needle_*`.
    Raises CarraraError, with the nearest names, for a name that nothing matches, and where no config is left.

    >>> choose_configs(release.configs, bucket="32k", task=["idk", "mrcr"])
    ['idk_32k', 'mrcr_1needle_32k', 'mrcr_2needle_32k']
    """
    asked: tuple[tuple[str, ChosenNames, Callable[[str], str]], ...] = (
        ("bucket", bucket, lambda name: configs[name].bucket),
        ("task", task, lambda name: configs[name].task),
        ("config", config, str),
    )
    kept = list(configs)
    wanted = []
    for what, given, value_of in asked:
        if given is None:
            continue
        names = [given] if isinstance(given, str) else list(given)
        values = {name: value_of(name) for name in configs}
        for name in names:
            if not any(fnmatchcase(value, name) for value in values.values()):
                message = f"got {what} {name!r}, expected a {what} of this release or a glob of them"
                raise CarraraError(message, nearest(name, values.values()))
        if names:
            kept = [name for name in kept if any(fnmatchcase(values[name], pattern) for pattern in names)]
            wanted.append(f"{what} {' or '.join(map(repr, names))}")
    if not kept:
        raise CarraraError(f"got {' and '.join(wanted)}, but no config is in all of them", "choose by one of them")
    return kept


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
