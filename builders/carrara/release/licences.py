"""What a stated licence allows: whether a config may be published, and under which class it falls.

Licences are stated in words ("CC-BY-4.0 (texts); GPL-3.0 (the selection)"): parts of the material joined by ';', each
a licence and a remark. Parts all hold; "A and B" within a part is one text under two licences, of which one may choose;
", or" tells that nobody knows which. Fails closed: words that are not in this table are an unknown licence.

Must not change: that a config has the strictest class of its parts, and that what is unknown is never published.
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
# From the most to the least that it allows.
CLASSES: tuple[Class, ...] = get_args(Class)
# Classes that nobody but the publisher of the material may pass on; of the others a release says which they are.
_KEPT: Mapping[Class, str] = {
    "no-derivatives": "its material may not be passed on in another form",
    "agreement": "who wants its material has to agree to terms with its publisher",
    "unknown": "nobody may pass on what no known licence is stated for",
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
# Its books are free in the US without its name; copies under its name owe a royalty where they are sold.
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
    """One licence; `family` is what its share-alike asks for ("" of the others)."""

    name: str
    kind: Class
    family: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """What holds for a config or a source: parts that all hold, each the licences among which one may choose."""

    parts: tuple[tuple[Licence, ...], ...]

    @property
    def kind(self) -> Class:
        """The strictest class of the parts; within a part one takes what allows most."""
        found = [min((CLASSES.index(one.kind) for one in part), default=len(CLASSES) - 1) for part in self.parts]
        return CLASSES[max(found, default=len(CLASSES) - 1)]

    @property
    def objection(self) -> str:
        """Why nothing under these terms may be published; "" where it may."""
        kind = self.kind
        if why := _KEPT.get(kind):
            names = dict.fromkeys(one.name for part in self.parts for one in part if one.kind == kind)
            return f"{', '.join(list(names)[:_NAMED]) or 'nothing stated'} ({kind}): {why}"
        return self._mix()

    def _mix(self) -> str:
        """The licences that cannot hold for one text at once, whichever are chosen; "" where there are none."""
        bound = [part for part in self.parts if all(one.kind != "permissive" for one in part)]
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
    """The terms of a config: what it states itself, and what the sources state that the recipe makes it of."""
    stated = [content.configs[name].licence]
    for source in config_sources(content).get(name, ()):
        known = content.sources.get(source)
        stated.append(known.licence if known else f"no source {source}")
    return terms(*stated)


def config_sources(content: Content) -> dict[str, tuple[str, ...]]:
    """The sources of every config, as the recipe in a manifest names them: its own, and the corpus that is searched."""
    found: dict[str, tuple[str, ...]] = {}
    for cell in content.recipe.cells:
        names = (cell.source, cell.retrieval.corpus)
        for variant in cell.variants:
            for bucket in cell.buckets:
                config = config_name(cell.task, variant, bucket)
                found[config] = tuple(dict.fromkeys(name for name in names if name))
    return found


def by_terms(content: Content, names: Iterable[str]) -> dict[str, list[str]]:
    """The configs by the licence that they state, in their order."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(one_line(content.configs[name].licence, 300), []).append(name)
    return found


def _split(text: str) -> list[str]:
    """The parts of a stated text: ';' separates them, but not within a remark."""
    plain = _REMARK.sub(lambda found: found[0].replace(";", ","), text)
    return [part.strip() for part in plain.split(";")]


def _part(text: str) -> list[tuple[Licence, ...]]:
    bare = _REMARK.sub(" ", text).strip().rstrip(".")
    # Nobody knows which: all of them are taken to hold.
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
    """The first two licences that cannot hold for one text at once; "" where all can.

    A share-alike (CC-BY-SA of any version is one) allows no other beside it, but CC-BY-SA-4.0 may go on under GPL-3.0;
    and it allows no further restriction, as non-commercial is one.
    """
    for one, other in combinations(chosen, 2):
        asked = {one.family, other.family} - {""}
        restricted = "non-commercial" in (one.kind, other.kind)
        if (len(asked) > 1 and not _goes_on(one, other)) or (restricted and asked - {"cc-by-nc-sa"}):
            return f"{one.name} and {other.name} cannot hold for one text: a share-alike allows nothing else beside it"
    return ""


def _goes_on(one: Licence, other: Licence) -> bool:
    """Whether one of two share-alikes names the other as the licence that its material may go on under."""
    by_family = {one.family: one.name.lower(), other.family: other.name.lower()}
    return set(by_family) == {"cc-by-sa", "gpl-3.0"} and by_family["cc-by-sa"].endswith("4.0")
