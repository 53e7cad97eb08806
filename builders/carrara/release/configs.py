"""The configs of a release: their order, and the languages that they are in."""

import re

from carrara.errors import ReleaseError
from carrara.release.schema import Content
from carrara.row import config_name

_CONFIG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}")


def config_order(content: Content) -> list[str]:
    """The names of the configs in the order of the recipe, which the manifest's sorted keys have lost."""
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
        raise ReleaseError("the release has no config", "expected at least one: build it again from its recipe")
    for name in names:
        # A config's name is a folder and a glob in the front matter.
        if not _CONFIG.fullmatch(name):
            raise ReleaseError(f"config {name!r} is no name", "expected letters, digits, '.', '_', '-'")
    return names


def languages(content: Content) -> list[str]:
    """By the variants' names; where they say nothing, by the source; English where that says nothing either."""
    found: set[str] = set()
    for config in content.configs.values():
        named = {"en", "zh"} & set(config.variant.split("_"))
        source = content.sources.get(config.source)
        stated = {"en", "zh"} & set(re.findall(r"[a-z]+", source.lang[:100] if source else ""))
        # A source in both says nothing of a task that is in one.
        found |= named or (stated if len(stated) == 1 else {"en"})
    return sorted(found)
