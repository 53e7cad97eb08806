"""What croissant.json says of files and rows: a FileObject for every file, a record set for every bucket.

The record set of a bucket reads its files by a pattern (a FileSet), and has the name under which `load_dataset` loads
the same rows. mlcroissant compares no hash of what a pattern finds: `carrara croissant` and `verify` do, with the hash
that stands with every file. The card is a record set, too, so that whoever loads it through mlcroissant is told of
another text.
"""

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from carrara.croissant.vocabulary import COLUMNS, SPANS, JsonObject, licences, media_type
from carrara.release.configs import config_order, data_files
from carrara.release.schema import Content, FileEntry
from carrara.row import SCHEMA
from carrara.text.markdown import number, one_line

CARD = "README.md"
# Path -> sha256 and bytes, as in the manifest.
Files = Mapping[str, FileEntry]
# Record sets that are no bucket.
SPLITS, CARD_TEXT = "splits", "card"


def distribution(content: Content, files: Files) -> list[JsonObject]:
    """A FileObject for every file but croissant.json itself, whose @id is its path; then a FileSet for every bucket."""
    owners = {path: name for name, facts in content.configs.items() for path in facts.files}
    objects = [
        _file(path, files[path], _config(owners[path], content) if path in owners else {})
        for path in sorted(files, key=lambda path: (0 if path == CARD else 1 if path in owners else 2, path))
    ]
    return objects + [_file_set(bucket, names, content) for bucket, names in buckets(content).items()]


def record_sets(content: Content) -> list[JsonObject]:
    """The record sets: the split, the card, then the rows of every bucket, the smallest first."""
    return [_split(), _card(), *(_rows(bucket, names, content) for bucket, names in buckets(content).items())]


def buckets(content: Content) -> dict[str, list[str]]:
    """The configs of every bucket, the smallest first."""
    configs: dict[str, list[str]] = {}
    for name in sorted(config_order(content), key=lambda name: content.configs[name].bucket_tokens):
        configs.setdefault(content.configs[name].bucket, []).append(name)
    return configs


def source_id(name: str) -> str:
    """The @id of a source."""
    return f"source/{escaped(name)}"


def escaped(name: str) -> str:
    """A name in an @id: it may hold anything, so all but letters, digits, '-', '_', '.' is escaped."""
    return "".join(
        chr(byte) if chr(byte).isascii() and (chr(byte).isalnum() or chr(byte) in "-_.") else f"%{byte:02X}"
        for byte in one_line(name, 200).encode()
    )


def _file(path: str, entry: FileEntry, told: JsonObject) -> JsonObject:
    return {
        "@type": "cr:FileObject",
        "@id": path,
        "name": path.rpartition("/")[2],
        "contentUrl": path,
        "contentSize": f"{entry.bytes} B",
        "encodingFormat": media_type(path),
        "sha256": entry.sha256,
        **told,
    }


def _config(name: str, content: Content) -> JsonObject:
    """What is said of a config with each of its files."""
    facts = content.configs[name]
    return {
        "description": f"Config {name}: {number(facts.rows)} row{'s' * (facts.rows != 1)}, content root sha256"
        f" {facts.root}.",
        "license": licences(facts.licence),
        **({"prov:wasDerivedFrom": {"@id": source_id(facts.source)}} if facts.source else {}),
    }


def _file_set(bucket: str, names: list[str], content: Content) -> JsonObject:
    return {
        "@type": "cr:FileSet",
        "@id": f"files/{escaped(bucket)}",
        "name": f"files-{escaped(bucket)}",
        "description": f"The data files of the bucket {one_line(bucket, 40)}; their hashes stand with the files.",
        "encodingFormat": media_type(".parquet"),
        "includes": data_files(bucket, names, content.configs),
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


def _rows(bucket: str, names: list[str], content: Content) -> JsonObject:
    configs = [content.configs[name] for name in names]
    rows, tasks = sum(facts.rows for facts in configs), dict.fromkeys(facts.task for facts in configs)
    record_set = escaped(bucket)
    return {
        "@type": "cr:RecordSet",
        "@id": record_set,
        "name": record_set,
        "description": f"{number(rows)} rows in {len(names)} configs, prompt and answer up to"
        f" {number(configs[0].bucket_tokens)} tokens. Tasks: {one_line(', '.join(tasks))}.",
        "key": {"@id": f"{record_set}/id"},
        "field": [_split_of(record_set), *(_field(record_set, column) for column in SCHEMA)],
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


def _field(record_set: str, column: Any) -> JsonObject:
    head = {
        "@type": "cr:Field",
        "@id": f"{record_set}/{column.name}",
        "name": column.name,
        "description": COLUMNS[column.name],
    }
    kind = column.type
    if not pa.types.is_list(kind):
        return {**head, "dataType": _type(kind), "source": _source(record_set, column.name)}
    head |= {"isArray": True, "arrayShape": "-1"}
    if not pa.types.is_struct(kind.value_type):
        return {**head, "dataType": _type(kind.value_type), "source": _source(record_set, column.name)}
    return {
        **head,
        "subField": [
            {
                "@type": "cr:Field",
                "@id": f"{record_set}/{column.name}/{part.name}",
                "name": part.name,
                "description": SPANS[part.name],
                "dataType": _type(part.type),
                "source": {**_source(record_set, column.name), "transform": {"jsonPath": part.name}},
            }
            for part in kind.value_type
        ],
    }


def _source(record_set: str, column: str) -> JsonObject:
    return {"fileSet": {"@id": f"files/{record_set}"}, "extract": {"column": column}}


def _type(kind: Any) -> str:
    if pa.types.is_integer(kind):
        return "sc:Integer"
    return "sc:Float" if pa.types.is_floating(kind) else "sc:Text"
