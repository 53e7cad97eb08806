"""What croissant.json says of files and rows: a FileObject for every file, a record set for every data file.

A config of one file is a record set of its name, one of several files a record set a file, `<config>-00000-of-00002`:
mlcroissant checks the hash of a file that a record set reads, but not those of a file set. The card is a record set,
too, so that whoever loads it through mlcroissant is told of another text.
"""

from collections.abc import Container, Iterator, Mapping
from typing import Any

import pyarrow as pa

from carrara.croissant.vocabulary import COLUMNS, SPANS, JsonObject, licences, media_type
from carrara.release.schema import ConfigFacts, Content, FileEntry
from carrara.row import SCHEMA
from carrara.text.markdown import number, one_line

CARD = "README.md"
# Path -> sha256 and bytes, as in the manifest.
Files = Mapping[str, FileEntry]
# Record sets that are no config: those end with their bucket.
SPLITS, CARD_TEXT = "splits", "card"


def distribution(content: Content, files: Files) -> list[JsonObject]:
    """A FileObject for every file but croissant.json itself, data first; its @id is its path."""
    configs = content.configs
    owners = {path: facts for facts in configs.values() for path in facts.files}
    return [_file(path, files[path], owners.get(path)) for path in sorted(files, key=lambda path: _place(path, owners))]


def record_sets(content: Content, names: list[str]) -> list[JsonObject]:
    """The record sets: the split, the card, then every config's files in the order of `names`."""
    return [_split(), _card(), *(one for name in names for one in _config(name, content.configs[name]))]


def record_set_names(name: str, facts: ConfigFacts) -> list[str]:
    """The record sets of a config, in the order of its files."""
    files = facts.files
    if len(files) == 1:
        return [name]
    return [f"{name}-{index:05d}-of-{len(files):05d}" for index in range(len(files))]


def source_id(name: str) -> str:
    """The @id of a source: its name may hold anything, so all but letters, digits, '-', '_', '.' is escaped."""
    kept = "".join(
        chr(byte) if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "-_.") else f"%{byte:02X}"
        for byte in one_line(name, 200).encode()
    )
    return f"source/{kept}"


def _place(path: str, owners: Container[str]) -> tuple[int, str]:
    return (0 if path == CARD else 1 if path in owners else 2, path)


def _file(path: str, entry: FileEntry, facts: ConfigFacts | None) -> JsonObject:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path.rpartition("/")[2],
        "contentUrl": path,
        "contentSize": f"{entry.bytes} B",
        "encodingFormat": media_type(path),
        "sha256": entry.sha256,
        **({"license": licences(facts.licence)} if facts else {}),
    }


def _split() -> JsonObject:
    return {
        "@type": "cr:RecordSet",
        "@id": SPLITS,
        "name": SPLITS,
        "description": "The one split: every row is for testing.",
        "dataType": "cr:Split",
        "key": {"@id": f"{SPLITS}/name"},
        "field": [
            {"@type": "cr:Field", "@id": f"{SPLITS}/name", "name": "name", "dataType": "sc:Text"},
            {"@type": "cr:Field", "@id": f"{SPLITS}/url", "name": "url", "dataType": "sc:URL"},
        ],
        "data": [{f"{SPLITS}/name": "test", f"{SPLITS}/url": "cr:TestSplit"}],
    }


def _card() -> JsonObject:
    return {
        "@type": "cr:RecordSet",
        "@id": CARD_TEXT,
        "name": CARD_TEXT,
        "description": "The dataset card, one record.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{CARD_TEXT}/text",
                "name": "text",
                "description": "The card as Markdown with a head of YAML, in UTF-8.",
                "dataType": "sc:Text",
                "source": {"fileObject": {"@id": CARD}, "extract": {"fileProperty": "content"}},
            }
        ],
    }


def _config(name: str, facts: ConfigFacts) -> Iterator[JsonObject]:
    told = f"{one_line(facts.asks)} {number(facts.rows)} rows of {one_line(facts.task)}"
    told += f" up to {number(facts.bucket_tokens)} tokens"
    files = facts.files
    for index, (one, path) in enumerate(zip(record_set_names(name, facts), files, strict=True)):
        part = f", file {index + 1} of {len(files)}" if len(files) > 1 else ""
        yield {
            "@type": "cr:RecordSet",
            "@id": one,
            "name": one,
            "description": f"{told}{part}. Content root of the config: sha256 {facts.root}.",
            "key": {"@id": f"{one}/id"},
            **({"prov:wasDerivedFrom": {"@id": source_id(facts.source)}} if facts.source else {}),
            "field": [_split_of(one), *(_field(one, column, path) for column in SCHEMA)],
        }


def _split_of(record_set: str) -> JsonObject:
    # A reference to the splits' names is what the specification shows; mlcroissant 1.1.1 fails on it beside a value.
    return {
        "@type": "cr:Field",
        "@id": f"{record_set}/split",
        "name": "split",
        "description": "The split of every row.",
        "dataType": "sc:Text",
        "value": "test",
    }


def _field(record_set: str, column: Any, path: str) -> JsonObject:
    head = {
        "@type": "cr:Field",
        "@id": f"{record_set}/{column.name}",
        "name": column.name,
        "description": COLUMNS[column.name],
    }
    kind = column.type
    if not pa.types.is_list(kind):
        return {**head, "dataType": _type(kind), "source": _source(path, column.name)}
    head |= {"isArray": True, "arrayShape": "-1"}
    if not pa.types.is_struct(kind.value_type):
        return {**head, "dataType": _type(kind.value_type), "source": _source(path, column.name)}
    return {
        **head,
        "subField": [
            {
                "@type": "cr:Field",
                "@id": f"{record_set}/{column.name}/{part.name}",
                "name": part.name,
                "description": SPANS[part.name],
                "dataType": _type(part.type),
                "source": {**_source(path, column.name), "transform": {"jsonPath": part.name}},
            }
            for part in kind.value_type
        ],
    }


def _source(path: str, column: str) -> JsonObject:
    return {"fileObject": {"@id": path}, "extract": {"column": column}}


def _type(kind: Any) -> str:
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
