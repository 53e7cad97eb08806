"""What a stated licence allows: whether a config may be published, and under which class it falls.

Licences are stated in words ("CC-BY-4.0 (texts); GPL-3.0 (the selection)"): parts of the material joined by ';', each
with a licence and a remark. All parts apply; "A and B" within a part offers a choice of two licences for one text;
", or" means that it is not known which applies. Fails closed: a name outside these tables is an unknown licence.

Must not change: a config has the strictest class of its parts, and an unknown licence is never published.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import Literal, get_args

from carrara.release.schema import Content
from carrara.row import config_name
from carrara.text.markdown import one_line

Class = Literal["permissive", "share-alike", "non-commercial", "no-derivatives", "agreement", "unknown"]
# From the most permissive to the least.
CLASSES: tuple[Class, ...] = get_args(Class)
# Classes that only the publisher of the material may pass on, with the reason; other classes are named in the release.
_KEPT: Mapping[Class, str] = {
    "no-derivatives": "it forbids passing on the material in another form",
    "agreement": "users must agree to terms with the publisher of the material",
    "unknown": "without a known licence the material may not be passed on",
}
_MAX_PARTS = 40
_NAMED = 3
_MAX_CHOICES = 256
_CC = re.compile(r"cc-by(-nc)?(-sa|-nd)?(-(?:1|2|2\.5|3|4)(?:\.0)?)?")
_PERMISSIVE = re.compile(
    r"apache-2\.0|mit|isc|unlicense|bsd-[23]-clause|cc0(-1\.0)?|(odc-by|pddl)(-1\.0)?|cdla-permissive-[12]\.0"
    r"|public-domain(-in-the-(us|usa|united-states))?"
)
_SHARE_ALIKE = re.compile(
    r"(?:(odbl)(?:-1\.0)?|(gfdl)(?:-1\.[123])?|(a?gpl|lgpl)-([123](?:\.[01])?))(?:-only|-or-later)?"
)
_AGREEMENT = re.compile(r"(for-)?(non-commercial-)?research(-use|-purposes)?(-only)?|data-use-agreement")
# Gutenberg books are free in the US without that name; sold copies under it owe a royalty.
_NON_COMMERCIAL = re.compile(r"non-commercial|project-gutenberg-licen[cs]e")
_REMARK = re.compile(r"\([^()]*\)")
# Licences that croissant.json and the card name: as sources state them in small letters, SPDX's identifier, and the
# Hub's ("" where it knows none or a card has never named it: a frozen card may not change).
_IDENTIFIERS: Mapping[str, tuple[str, str]] = {
    "agpl-3.0-only": ("AGPL-3.0-only", ""),
    "apache-2.0": ("Apache-2.0", "apache-2.0"),
    "bsd-2-clause": ("BSD-2-Clause", ""),
    "bsd-3-clause": ("BSD-3-Clause", ""),
    "c-uda-1.0": ("C-UDA-1.0", ""),
    "cc-by-3.0": ("CC-BY-3.0", "cc-by-3.0"),
    "cc-by-4.0": ("CC-BY-4.0", "cc-by-4.0"),
    "cc-by-nc-4.0": ("CC-BY-NC-4.0", "cc-by-nc-4.0"),
    "cc-by-nc-nd-4.0": ("CC-BY-NC-ND-4.0", ""),
    "cc-by-nc-sa-3.0": ("CC-BY-NC-SA-3.0", ""),
    "cc-by-nc-sa-4.0": ("CC-BY-NC-SA-4.0", "cc-by-nc-sa-4.0"),
    "cc-by-nd-4.0": ("CC-BY-ND-4.0", ""),
    "cc-by-sa-3.0": ("CC-BY-SA-3.0", "cc-by-sa-3.0"),
    "cc-by-sa-4.0": ("CC-BY-SA-4.0", "cc-by-sa-4.0"),
    "cc0-1.0": ("CC0-1.0", "cc0-1.0"),
    "cdla-permissive-2.0": ("CDLA-Permissive-2.0", ""),
    "gfdl": ("", "gfdl"),
    "gfdl-1.3-only": ("GFDL-1.3-only", ""),
    "gpl-2.0": ("GPL-2.0-only", ""),
    "gpl-2.0-only": ("GPL-2.0-only", ""),
    "gpl-3.0": ("GPL-3.0-only", "gpl-3.0"),
    "gpl-3.0-only": ("GPL-3.0-only", ""),
    "gpl-3.0-or-later": ("GPL-3.0-or-later", ""),
    "lgpl-3.0-only": ("LGPL-3.0-only", ""),
    "mit": ("MIT", "mit"),
    "mpl-2.0": ("MPL-2.0", ""),
    "odbl": ("ODbL-1.0", "odbl"),
    "odbl-1.0": ("ODbL-1.0", ""),
    "odc-by": ("ODC-By-1.0", "odc-by"),
    "odc-by-1.0": ("ODC-By-1.0", ""),
    "pddl": ("", "pddl"),
    "pddl-1.0": ("PDDL-1.0", ""),
    "unlicense": ("Unlicense", ""),
}


@dataclass(frozen=True, slots=True)
class Licence:
    """One licence; `family` is the licence family that its share-alike requires, "" without share-alike."""

    name: str
    kind: Class
    family: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of a config or a source: all parts apply; each part lists the licences to choose from."""

    parts: tuple[tuple[Licence, ...], ...]

    @property
    def kind(self) -> Class:
        """The strictest class of the parts; within a part the most permissive licence counts."""
        classes = [
            min((CLASSES.index(licence.kind) for licence in part), default=len(CLASSES) - 1) for part in self.parts
        ]
        return CLASSES[max(classes, default=len(CLASSES) - 1)]

    @property
    def objection(self) -> str:
        """Why these terms forbid publication; "" where they allow it."""
        kind = self.kind
        if why := _KEPT.get(kind):
            names = dict.fromkeys(licence.name for part in self.parts for licence in part if licence.kind == kind)
            return f"{', '.join(list(names)[:_NAMED]) or 'nothing stated'} ({kind}): {why}"
        return self._mix()

    def _mix(self) -> str:
        """Two licences that exclude each other whichever are chosen; "" where some choice works."""
        bound = [part for part in self.parts if all(licence.kind != "permissive" for licence in part)]
        clashes = [_clash(chosen) for chosen in islice(product(*bound), _MAX_CHOICES)]
        return min(clashes, key=bool)


def spdx_url(name: str) -> str:
    """The SPDX address of a licence by its name, "" if there is none."""
    identifier, _ = _IDENTIFIERS.get(name.lower(), ("", ""))
    return f"https://spdx.org/licenses/{identifier}.html" if identifier else ""


def hub_id(stated: Iterable[str]) -> str:
    """The Hub's name for the one licence that is stated; "" if several are, or one that the Hub does not know."""
    names = {one_line(text).lower() for text in stated}
    return _IDENTIFIERS.get(min(names), ("", ""))[1] if len(names) == 1 else ""


def terms(*stated: str) -> Terms:
    """The terms of material under all these stated licences."""
    parts = [part for text in stated for part in _split(text)]
    read = [licences for part in parts[:_MAX_PARTS] for licences in _part(part)]
    if len(parts) > _MAX_PARTS:
        read.append((Licence(f"{len(parts)} parts", "unknown"),))
    return Terms(tuple(dict.fromkeys(read)))


def config_terms(content: Content, name: str) -> Terms:
    """The terms of a config: its own statement and those of the sources that the recipe names for it."""
    stated = [content.configs[name].licence]
    for source in config_sources(content).get(name, ()):
        known = content.sources.get(source)
        stated.append(known.licence if known else f"no source {source}")
    return terms(*stated)


def config_sources(content: Content) -> dict[str, tuple[str, ...]]:
    """The sources of every config by the recipe in a manifest: the cell's source, and the corpus that it searches."""
    sources: dict[str, tuple[str, ...]] = {}
    for cell in content.recipe.cells:
        names = (cell.source, cell.retrieval.corpus)
        for variant in cell.variants:
            for bucket in cell.buckets:
                config = config_name(cell.task, variant, bucket)
                sources[config] = tuple(dict.fromkeys(name for name in names if name))
    return sources


def by_terms(content: Content, names: Iterable[str]) -> dict[str, list[str]]:
    """The names of the configs grouped by their stated licence, in the given order."""
    by_licence: dict[str, list[str]] = {}
    for name in names:
        by_licence.setdefault(one_line(content.configs[name].licence, 300), []).append(name)
    return by_licence


def _split(text: str) -> list[str]:
    """The parts of a stated text: ';' separates them, but not within a remark."""
    plain = _REMARK.sub(lambda remark: remark[0].replace(";", ","), text)
    return [part.strip() for part in plain.split(";")]


def _part(text: str) -> list[tuple[Licence, ...]]:
    bare = _REMARK.sub(" ", text).strip().rstrip(".")
    # It is not known which applies: all are assumed to.
    sure = [piece.strip() for piece in re.split(r",? or ", bare)]
    return [tuple(_licence(name) for name in piece.split(" and ")) for piece in sure]


def _licence(stated: str) -> Licence:
    name = one_line(stated, 100)
    key = "-".join(name.lower().split())
    if cc := _CC.fullmatch(key):
        commercial, how = not cc[1], (cc[2] or "")
        if how == "-nd":
            return Licence(name, "no-derivatives")
        family = f"cc-by{cc[1] or ''}-sa" if how else ""
        return Licence(name, ("share-alike" if how else "permissive") if commercial else "non-commercial", family)
    if _PERMISSIVE.fullmatch(key):
        return Licence(name, "permissive")
    if copyleft := _SHARE_ALIKE.fullmatch(key):
        return Licence(name, "share-alike", copyleft[1] or copyleft[2] or f"{copyleft[3]}-{float(copyleft[4])}")
    if _AGREEMENT.fullmatch(key):
        return Licence(name, "agreement")
    if _NON_COMMERCIAL.fullmatch(key):
        return Licence(name, "non-commercial")
    return Licence(name or "nothing stated", "unknown")


def _clash(chosen: Sequence[Licence]) -> str:
    """The first two licences that exclude each other; "" where there are none.

    A share-alike licence (CC-BY-SA of any version counts as one) excludes every other, except that CC-BY-SA-4.0 may
    continue under GPL-3.0; and it excludes further restrictions such as non-commercial.
    """
    for first, second in combinations(chosen, 2):
        families = {first.family, second.family} - {""}
        restricted = "non-commercial" in (first.kind, second.kind)
        if (len(families) > 1 and not _goes_on(first, second)) or (restricted and families - {"cc-by-nc-sa"}):
            return f"{first.name} and {second.name} exclude each other: a share-alike licence allows no other terms"
    return ""


def _goes_on(first: Licence, second: Licence) -> bool:
    """Whether one share-alike licence permits its material under the other."""
    by_family = {first.family: first.name.lower(), second.family: second.name.lower()}
    return set(by_family) == {"cc-by-sa", "gpl-3.0"} and by_family["cc-by-sa"].endswith("4.0")
