"""The vocabulary of croissant.json: context, columns, media types, and licences as SPDX addresses.

Must not change but by additions: readers find columns by these names, and the context is the one of Croissant 1.1.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from carrara.release.licences import spdx_url
from carrara.text.markdown import one_line

CROISSANT_1_1 = "http://mlcommons.org/croissant/1.1"
RAI_1_0 = "http://mlcommons.org/croissant/RAI/1.0"

# A node of JSON-LD: its keys are the vocabulary's, and it is only ever built here and written out, never read back.
JsonObject = dict[str, Any]

# The context of the specification's appendix with the keys that mlcroissant asks for, and PROV.
CONTEXT: Final[JsonObject] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "sc": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "dct": "http://purl.org/dc/terms/",
    "prov": "http://www.w3.org/ns/prov#",
    "annotation": "cr:annotation",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "excludes": "cr:excludes",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "readLines": "cr:readLines",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sdVersion": "cr:sdVersion",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
    "unArchive": "cr:unArchive",
}

# Every column of the row's schema, with what it holds.
COLUMNS: Mapping[str, str] = {
    "id": "The row's name, unique over the release.",
    "item": "The problem's name, the same in every bucket.",
    "task": "The task's name.",
    "variant": "The task's variant; empty where the task has only one.",
    "bucket": "The size class, such as 32k.",
    "tokens": "Tokens of the prompt under the release's tokenizer.",
    "max_output_tokens": "Room for the answer, in tokens; prompt and room together never exceed the bucket.",
    "metric": "The metric by which the row is scored unless another is asked for.",
    "answers": "The accepted answers.",
    "choices": "The options in the order in which they are lettered; empty where the question has none.",
    "complexity": "The number of steps, needles or operations; 0 where it means nothing.",
    "group": "Rows of one group are one question in several placements: average them first.",
    "depths": "Where the pieces of evidence stand, from 0 (top) to 1 (end).",
    "evidence": "The spans of the prompt that the answer rests on, in code points.",
    "facts": "What the row was made from, as JSON text.",
    "answer_prefix": "For base models: what the answer begins with.",
    "prompt": "The whole prompt, ready to send.",
}
SPANS: Mapping[str, str] = {
    "start": "Where a span begins, in code points of the prompt.",
    "end": "Where it ends, the first code point after it.",
}

# What the library reads stands beside the registered name where they differ: text/plain, application/x-parquet.
_MEDIA: Mapping[str, str | tuple[str, ...]] = {
    "parquet": ("application/vnd.apache.parquet", "application/x-parquet"),
    "md": ("text/markdown", "text/plain"),
    "json": "application/json",
    "txt": "text/plain",
    "png": "image/png",
    "svg": "image/svg+xml",
}

# A semicolon within brackets parts nothing.
_JOINT = re.compile(r"; (?![^()]*\))")
_PART = re.compile(r"([^();]{1,200}?)(?: \(([^()]{0,500})\))?")
_MAX_PARTS = 20


def media_type(path: str) -> list[str] | str:
    """The media type of a file of a release, by its ending; several where a reader knows another name of it."""
    known = _MEDIA.get(path.rpartition(".")[2], "application/octet-stream")
    return known if isinstance(known, str) else list(known)


def licences(text: str) -> list[str | dict[str, str]]:
    """A stated licence as Croissant wants it: SPDX addresses where it names one, the statement itself where not.

    Statements are joined with "; " and may say in brackets what they are of: "CC-BY-4.0 (texts); MIT (the files)".
    """
    stated: list[str | dict[str, str]] = []
    for part in _JOINT.split(one_line(text))[:_MAX_PARTS]:
        match = _PART.fullmatch(part)
        url = spdx_url(match[1]) if match else ""
        licence: str | dict[str, str] = url or {"@type": "sc:CreativeWork", "name": part}
        if part and licence not in stated:
            stated.append(licence)
    return stated
