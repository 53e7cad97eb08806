"""croissant.json: a release in Croissant 1.1 with the responsible-AI vocabulary 1.0 and PROV, for search and loaders.

Derived from the manifest's content and the table of the release's other files, so the same release gives the
same bytes. Texts of recipes and sources are values of JSON, each on one line and bounded. The manifest lists
croissant.json, which therefore cannot list the manifest. `examine` reads a release through it, with the
library that others read it with.
"""

import json
from pathlib import Path
from typing import TypedDict

from carrara.croissant.records import Files, distribution, record_sets, source_id
from carrara.croissant.responsible_ai import ASKED, responsible
from carrara.croissant.vocabulary import CONTEXT, CROISSANT_1_1, RAI_1_0, JsonObject, licences
from carrara.errors import ProofError, ReleaseError, library
from carrara.recipe.publication import Publication, publication_of
from carrara.release.configs import config_order, languages
from carrara.release.reader import open_release, parsed_json
from carrara.release.schema import CROISSANT, ConfigFacts, Content, SourceFacts
from carrara.release.verify import fetches, verify
from carrara.text.markdown import number, one_line

_KEYWORDS = ("long context", "benchmark", "evaluation", "large language models")
_USE = (
    "For measuring models, not for training them. A config has the strictest licence of what it is made of; the licence"
    " of every data file stands with the file."
)


def croissant(content: Content, files: Files) -> bytes:
    """The bytes of croissant.json. `files` are the release's other files, path -> {sha256, bytes}.

    Content and files were checked where they came in. Raises ReleaseError without a config.
    """
    table = {path: entry for path, entry in files.items() if path != CROISSANT}
    return f"{_lines(_dataset(content, table))}\n".encode()


def _lines(table: JsonObject) -> str:
    """JSON with a line for every key, and for every element of a list: indented further it has twice the bytes."""
    lines = []
    for key, value in table.items():
        items = (
            [json.dumps(item, ensure_ascii=False, allow_nan=False) for item in value] if isinstance(value, list) else []
        )
        text = (
            "[\n  " + ",\n  ".join(items) + "\n ]" if items else json.dumps(value, ensure_ascii=False, allow_nan=False)
        )
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}"


def _dataset(content: Content, files: Files) -> JsonObject:
    names = config_order(content)
    published = publication_of(content.recipe.to_json())
    configs = [content.configs[name] for name in names]
    papers = list(dict.fromkeys(one_line(facts.paper) for facts in configs))
    cited = [one_line(source.citation) for _, source in sorted(content.sources.items()) if source.citation]
    return {
        "@context": dict(CONTEXT),
        "@type": "sc:Dataset",
        "name": content.name,
        **({"alternateName": one_line(content.title)} if content.title else {}),
        "description": _description(content, configs),
        "conformsTo": [CROISSANT_1_1, RAI_1_0],
        "version": content.version,
        **_people(published),
        "license": _licences(configs),
        "usageInfo": {"@type": "sc:CreativeWork", "name": "Use", "text": _USE},
        "citeAs": _cite(content, papers),
        "citation": [*papers, *dict.fromkeys(cited)],
        "keywords": [
            *_KEYWORDS,
            *dict.fromkeys(
                one_line(name, 200)
                for name in (*(facts.benchmark for facts in configs), *(facts.task for facts in configs))
            ),
        ],
        "inLanguage": languages(content),
        "isLiveDataset": False,
        "identifier": f"{content.name}@{content.version}",
        **responsible(content),
        "prov:wasDerivedFrom": _sources(content),
        "prov:wasGeneratedBy": _activities(content),
        "distribution": distribution(content, files),
        "recordSet": record_sets(content),
    }


def _description(content: Content, configs: list[ConfigFacts]) -> str:
    rows, tokens = sum(facts.rows for facts in configs), sum(facts.tokens.sum for facts in configs)
    buckets = sorted({(facts.bucket_tokens, one_line(facts.bucket, 40)) for facts in configs})
    asked = {one_line(facts.task, 200): one_line(facts.asks, 300) for facts in configs}
    tasks = " ".join(f"{task}: {asks}" for task, asks in asked.items())
    return (
        f"{one_line(content.title or content.name, 500)}: {number(rows)} long-context problems in"
        f" {len(configs)} configs, {number(tokens)} tokens of prompt, in size classes of"
        f" {', '.join(f'{name} ({number(size)} tokens)' for size, name in buckets)}. A config is one task,"
        " one variant and one size class. A record set holds the rows of all configs of a size class and has its name;"
        f" the columns are the same in all. {one_line(tasks, 6_000)}"
    )


def _people(published: Publication) -> JsonObject:
    """Who made the release and who publishes it: a creator is a person, unless it is also named as the publisher."""
    agents = [
        {"@type": "sc:Organization" if name == published.publisher else "sc:Person", "name": one_line(name)}
        for name in published.creators
    ]
    publisher = {"@type": "sc:Organization", "name": one_line(published.publisher)}
    contact = {"email" if "@" in published.contact else "url": one_line(published.contact)} if published.contact else {}
    return {
        **({"url": published.url} if published.url else {}),
        **({"datePublished": published.date} if published.date else {}),
        **({"creator": [{**agents[0], **contact}, *agents[1:]]} if agents else {}),
        **({"publisher": publisher if published.publisher else agents[0]} if published.publisher or agents else {}),
    }


def _licences(configs: list[ConfigFacts]) -> list[str | dict[str, str]]:
    stated: list[str | dict[str, str]] = []
    for facts in configs:
        stated += [licence for licence in licences(facts.licence) if licence not in stated]
    return stated


def _cite(content: Content, papers: list[str]) -> str:
    """The recipe's citation, or BibTeX made of what is known; with the papers that the tasks follow."""
    note = f"Tasks after: {'; '.join(papers)}"
    if stated := publication_of(content.recipe.to_json()).citation:
        return f"{one_line(stated)} {note}."
    fields = {**citation(content), "note": _braced(note)}
    listed = ", ".join(f"{name} = {{{text}}}" for name, text in fields.items() if text)
    return f"@misc{{{content.name}-{content.version}, {listed}}}"


def citation(content: Content) -> dict[str, str]:
    """The fields of a BibTeX entry of the release, as far as the manifest knows them: without brace or backslash."""
    published = publication_of(content.recipe.to_json())
    fields = {
        "title": f"{content.title or content.name}, version {content.version}",
        "author": " and ".join(published.creators),
        "year": published.date[:4],
        "publisher": published.publisher,
        "url": published.url,
    }
    return {name: _braced(text) for name, text in fields.items() if text}


def _braced(text: str) -> str:
    """A value between braces: no brace and no backslash of its own."""
    return one_line(text, 4_000).translate({ord(mark): " " for mark in "{}\\"})


def _sources(content: Content) -> list[JsonObject]:
    if not content.sources:
        return [
            {
                "@id": source_id("stream"),
                "@type": "prov:Entity",
                "prov:label": "No source dataset",
                "description": "Every text is written by rules from the release's stream.",
            }
        ]
    return [_source(name, source) for name, source in sorted(content.sources.items())]


def _source(name: str, source: SourceFacts) -> JsonObject:
    files = len(source.files)
    return {
        "@id": source_id(name),
        # Not sc:Dataset as well: mlcroissant takes the first dataset that it meets for the one described.
        "@type": "prov:Entity",
        "prov:label": one_line(source.title or name),
        "name": one_line(name, 200),
        "description": f"{number(files)} pinned files." if files else "Written by the program that built the release.",
        "license": licences(source.licence),
        "usageInfo": {"@type": "sc:CreativeWork", "text": one_line(source.licence)},
        **({"citation": one_line(source.citation)} if source.citation else {}),
        **({"url": one_line(source.url)} if source.url else {}),
        "inLanguage": one_line(source.lang, 100),
        "identifier": f"sha256:{one_line(source.fingerprint, 200)}",
    }


def _activities(content: Content) -> list[JsonObject]:
    used = [{"@id": source_id(name)} for name in sorted(content.sources)]
    agent = {"@type": "prov:SoftwareAgent", "prov:label": "Carrara"}
    tokenizer = content.tokenizer
    texts = {
        "Building": "Rows are planned and written from the recipe (recipe.json) with the fingerprint"
        f" sha256:{content.recipe_fingerprint} and the stream {one_line(content.stream, 200)}, and counted with"
        f" the tokenizer {one_line(tokenizer.name, 200)} with the vocabulary"
        f" sha256:{one_line(tokenizer.fingerprint, 200)}. The versions of the program and its libraries stand in"
        " provenance.json.",
        "Proving": "Every row is proven before it is written: its length, its answer (by a solver that reads the prompt"
        " alone, where it can be computed), and its metric by right and wrong answers.",
    }
    activities = [_activity(label, text, agent, used) for label, text in texts.items()]
    for name, run in sorted(content.runs.items()):
        text = (
            f"Passages of {one_line(run.corpus.name, 200)} ranked by"
            f" {one_line(run.retriever.name, 200)} for {number(run.questions)} questions, frozen with"
            f" the digest sha256:{run.digest}."
        )
        activities.append(_activity(f"Retrieval of {one_line(name, 200)}", text, agent, []))
    return activities


def _activity(label: str, text: str, agent: JsonObject, used: list[dict[str, str]]) -> JsonObject:
    return {
        "@type": "prov:Activity",
        "prov:label": label,
        "description": text,
        "prov:wasAssociatedWith": dict(agent),
        **({"prov:used": used} if used else {}),
    }


class Examination(TypedDict):
    """What mlcroissant says of a release, and how many record sets there are and could be read."""

    errors: list[str]
    warnings: list[str]
    record_sets: int
    read: int


def examine(folder: Path) -> Examination:
    """Validate croissant.json and read the first record of every record set.

    Raises ReleaseError for a release without croissant.json or with one that would fetch something, ProofError for a
    release that does not verify, MissingLibraryError without mlcroissant.
    """
    opened = open_release(folder)
    if CROISSANT not in opened.files:
        raise ReleaseError(f"{opened.name}@{opened.version} has no {CROISSANT}", "releases before 0.2 have none")
    verified = verify(folder, "files")
    if not verified.is_good:
        listed = "; ".join(problem.message for problem in verified.problems[:3])
        raise ProofError(f"{folder} does not verify: {listed}", "see all problems with carrara verify")
    described = parsed_json(opened.small_file(CROISSANT), CROISSANT)
    if fetches(described):
        raise ReleaseError(
            f"{CROISSANT} refers to a context elsewhere, expected all of it inside",
            "build the release again: carrara build writes it so",
        )
    expected = [f"NeurIPS asks for {name}: write that section of the card" for name in ASKED if name not in described]
    mlcroissant = library("mlcroissant", "croissant")
    try:
        dataset = mlcroissant.Dataset(folder / CROISSANT)
    except mlcroissant.ValidationError as error:
        return {"errors": [str(error)], "warnings": expected, "record_sets": 0, "read": 0}
    issues = dataset.metadata.ctx.issues
    errors = sorted(map(str, issues.errors))
    names = [record_set.uuid for record_set in dataset.metadata.record_sets]
    read = 0
    for name in names:
        try:
            read += next(iter(dataset.records(name)), None) is not None
        # The library raises errors of its own and of pandas, fsspec and others.
        except Exception as error:
            errors.append(f"{name}: {error}: {error.__cause__ or ''}".rstrip(": "))
    warnings = sorted(map(str, issues.warnings)) + expected
    return {"errors": errors, "warnings": warnings, "record_sets": len(names), "read": read}
