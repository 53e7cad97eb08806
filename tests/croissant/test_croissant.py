"""croissant.json: read with the library that others read it with, equal to the rows, true to the manifest, inert."""

import copy
import hashlib
import json
import shutil
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from cards import HOSTILE, cell, content, with_text
from commands import common, here, is_refusal, recipe, release
from processes import python
from recipes import table as recipe_table
from unchecked import unchecked

from carrara.card.card import card
from carrara.croissant.dataset import croissant as described_by
from carrara.croissant.dataset import examine
from carrara.croissant.records import buckets, source_id
from carrara.croissant.responsible_ai import ASKED, written_sections
from carrara.croissant.responsible_ai import has_synthetic_data as is_synthetic
from carrara.croissant.vocabulary import COLUMNS, CONTEXT, licences, media_type
from carrara.errors import CarraraError, RecipeError
from carrara.recipe.publication import Publication, publication_of
from carrara.recipe.recipe import recipe_from_json, recipe_from_table
from carrara.release.manifest import canonical, file_entry, write_manifest
from carrara.release.reader import open_release
from carrara.release.schema import CROISSANT, Content, FileEntry
from carrara.release.verify import disagreements, fetches, verify
from carrara.row import SCHEMA, canonical_json
from carrara.text.markdown import one_line

__all__ = ["common", "recipe", "release"]

WRITTEN = """\
## Intended use

Measuring
models.

## Limits

- **Few** rows,
  of `4k` tokens.
- English.

## Biases

Templates.

## Personal data

None.

## Collection

By a program.

## Maintenance

Versions stay.

## Deviations from the papers

None.
"""
PUBLICATION = {
    "date": "2026-11-22",
    "creators": ["Ada Author", "The Group"],
    "publisher": "The Group",
    "url": "https://example.org/small",
    "contact": "group@example.org",
}


def put(folder: Path, table: dict) -> Path:
    """The release with another content, and everything that follows from it."""
    table["recipe_fingerprint"] = hashlib.sha256(canonical_json(table["recipe"]).encode()).hexdigest()
    (folder / "recipe.json").write_text(canonical_json(table["recipe"]) + "\n")
    content = Content.model_validate(table)
    (folder / "README.md").write_bytes(card(content).encode())
    write_manifest(folder, content)
    (folder / CROISSANT).write_bytes(croissant(content, open_release(folder).files))
    write_manifest(folder, content)
    return folder


@pytest.fixture(scope="session")
def published(release, tmp_path_factory) -> Path:
    """The release as its makers publish it, with hand-written sections, a day, an address: to be read alone."""
    folder = shutil.copytree(release, tmp_path_factory.mktemp("published") / "small")
    content = json.loads((folder / "manifest.json").read_text())["content"]
    content["written"] = WRITTEN.strip()
    content["recipe"]["publication"] = PUBLICATION
    return put(folder, content)


@pytest.fixture
def altered(published, tmp_path) -> Path:
    """A copy of it to damage."""
    return shutil.copytree(published, tmp_path / "altered")


def croissant(content, files) -> bytes:
    """Of a content that is checked, or of a table that nobody checked."""
    return described_by(content if isinstance(content, Content) else unchecked(Content, content), files)


def has_synthetic_data(table: dict) -> bool:
    return is_synthetic(unchecked(Content, table))


def described(folder: Path) -> dict:
    return json.loads((folder / CROISSANT).read_text())


def plain(value):
    """A value of a record as JSON has it: text for bytes, spans and columns without the name of their record set."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, dict):
        return {key.rpartition("/")[2]: plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value.item() if hasattr(value, "item") else value


def dataset(folder: Path):
    import mlcroissant

    return mlcroissant.Dataset(folder / CROISSANT)


def read(folder: Path, record_set: str) -> list[dict]:
    return [plain(record) for record in dataset(folder).records(record_set)]


# As others read it


def test_a_published_release_is_read_without_an_error_or_a_warning(published):
    report = examine(published)
    assert (report["errors"], report["warnings"]) == ([], [])
    # The split, the card, a bucket of 4k and one of 8k.
    assert report["read"] == report["record_sets"] == 2 + 2
    done = here("croissant", published)
    assert done.code == 0 and done.out.endswith("4 record sets, the first record of 4 read\n")
    assert json.loads(here("croissant", published, "--json").out) == report
    assert verify(published, "rows").is_good


def test_a_built_release_has_one_and_is_told_what_it_lacks(release):
    opened = open_release(release)
    assert (release / CROISSANT).read_bytes() == croissant(opened.content, opened.files)
    assert opened.files[CROISSANT] == file_entry(release / CROISSANT)
    report = examine(release)
    assert report["errors"] == [] and report["read"] == 4
    lacking = " ".join(report["warnings"])
    assert len(report["warnings"]) == 3
    assert all(word in lacking for word in ("datePublished", "rai:dataBiases", "rai:personalSensitiveInformation"))


def test_the_records_are_the_rows(published):
    opened = open_release(published)
    for bucket, names in buckets(opened.content).items():
        paths = sorted(path for name in names for path in opened.configs[name].files)
        rows = [row for path in paths for row in pq.read_table(published / path).to_pylist()]
        records = read(published, bucket)
        assert [record.pop("split") for record in records] == ["test"] * len(rows)
        assert records == rows and list(records[0]) == SCHEMA.names
        assert {row["bucket"] for row in rows} == {bucket}
    assert list(buckets(opened.content)) == ["4k", "8k"]


def test_the_records_are_those_of_the_datasets_library(published, tmp_path):
    from datasets import load_dataset

    loaded = load_dataset(str(published), "4k", split="test", cache_dir=str(tmp_path))
    records = read(published, "4k")
    assert [{key: value for key, value in record.items() if key != "split"} for record in records] == list(loaded)
    assert any("\u4e00" <= one <= "\u9fff" for one in records[-1]["prompt"])


def test_the_card_and_the_split_are_records(published):
    assert read(published, "card") == [{"text": (published / "README.md").read_text()}]
    assert read(published, "splits") == [{"name": "test", "url": "cr:TestSplit"}]


def alter_data(folder: Path) -> None:
    path = folder / open_release(folder).configs["single_needle_zh_4k"].files[0]
    rows = pq.read_table(path).to_pylist()
    rows[0]["answers"][0] += "x"
    pq.write_table(pq.read_table(path).from_pylist(rows, schema=SCHEMA), path, use_dictionary=False)


def alter_hash(folder: Path) -> None:
    text = (folder / CROISSANT).read_text()
    known = open_release(folder).files[open_release(folder).configs["single_needle_en_8k"].files[1]].sha256
    (folder / CROISSANT).write_text(text.replace(known, known[::-1]))


@pytest.mark.parametrize("alter", [alter_data, alter_hash])
def test_what_was_tampered_with_is_refused(altered, alter):
    alter(altered)
    assert not verify(altered, "files").is_good
    assert is_refusal(here("croissant", altered), "does not verify", code=1)


def test_another_card_is_refused_on_load(altered):
    import mlcroissant

    card = altered / "README.md"
    card.write_text(card.read_text().replace("Apache-2.0", "MIT", 1))
    with pytest.raises(mlcroissant.GenerationError) as caught:
        read(altered, "card")
    assert "is not identical with the reference" in str(caught.value.__cause__)
    # The rows are still read.
    assert read(altered, "8k")
    assert is_refusal(here("croissant", altered), "does not verify", code=1)


def test_a_release_without_one_is_no_error_but_to_who_asks_for_it(altered):
    (altered / CROISSANT).unlink()
    write_manifest(altered, open_release(altered).content)
    assert verify(altered, "rows").is_good
    assert is_refusal(here("croissant", altered), f"has no {CROISSANT}")


def test_a_missing_library_names_the_extra(published, monkeypatch):
    monkeypatch.setitem(sys.modules, "mlcroissant", None)
    with pytest.raises(CarraraError, match=r"pip install .*\[croissant\]'"):
        examine(published)


# What it says


def test_it_agrees_with_the_manifest(published):
    opened, told = open_release(published), described(published)
    assert (told["name"], told["version"], told["alternateName"]) == ("small", "1.0.0", "Small")
    files = {
        one["contentUrl"]: FileEntry(sha256=one["sha256"], bytes=int(one["contentSize"][:-2]))
        for one in told["distribution"]
        if one["@type"] == "cr:FileObject"
    }
    assert files == {path: entry for path, entry in opened.files.items() if path != CROISSANT}
    assert disagreements(opened) == []
    assert [one["@id"] for one in told["recordSet"]] == ["splits", "card", "4k", "8k"]
    by_path = {one["@id"]: one for one in told["distribution"]}
    for name, facts in opened.configs.items():
        for path in facts.files:
            assert name in by_path[path]["description"] and facts.root in by_path[path]["description"]
            assert by_path[path]["prov:wasDerivedFrom" if facts.source else "license"]
    assert told["license"] == ["https://spdx.org/licenses/Apache-2.0.html"]
    assert told["inLanguage"] == ["en", "zh"] and told["isLiveDataset"] is False


def test_what_a_publication_says(published):
    told = described(published)
    assert told["conformsTo"] == ["http://mlcommons.org/croissant/1.1", "http://mlcommons.org/croissant/RAI/1.0"]
    assert (told["datePublished"], told["url"]) == ("2026-11-22", "https://example.org/small")
    assert told["creator"] == [
        {"@type": "sc:Person", "name": "Ada Author", "email": "group@example.org"},
        {"@type": "sc:Organization", "name": "The Group"},
    ]
    assert told["publisher"] == {"@type": "sc:Organization", "name": "The Group"}
    assert told["citeAs"].startswith("@misc{small-1.0.0, title = {Small, version 1.0.0}, author = {Ada Author and The")
    assert "year = {2026}" in told["citeAs"] and "arXiv:2407.11963v1" in told["citeAs"]
    assert [one for one in told["citation"] if "NeedleBench" in one]


def test_the_fields_that_neurips_asks_for(published):
    told = described(published)
    assert [name for name in ASKED if name not in told] == []
    assert told["rai:dataLimitations"][:2] == ["Few rows, of 4k tokens.", "English."]
    assert told["rai:dataUseCases"][1:] == ["Measuring models."]
    assert told["rai:dataBiases"] == ["Templates."]
    assert told["rai:personalSensitiveInformation"] == ["None."]
    assert told["rai:dataReleaseMaintenancePlan"] == "Versions stay."
    assert told["rai:dataCollection"].startswith("By a program. 11 rows were built from a recipe")
    assert told["rai:hasSyntheticData"] is True
    source = open_release(published).content.sources["world"]
    assert [one["identifier"] for one in told["prov:wasDerivedFrom"]] == [f"sha256:{source.fingerprint}"]
    building = told["prov:wasGeneratedBy"][0]
    assert open_release(published).content.recipe_fingerprint in building["description"]
    assert building["prov:used"] == [{"@id": "source/world"}]
    # mlcroissant reads them, too.
    metadata = dataset(published).metadata
    assert sorted(metadata.data_limitations) == sorted(told["rai:dataLimitations"])
    assert metadata.data_social_impact == told["rai:dataSocialImpact"]


def test_licences_are_addresses_where_they_are_known():
    assert licences("Apache-2.0") == ["https://spdx.org/licenses/Apache-2.0.html"]
    assert licences("CC-BY-4.0 (texts); GPL-3.0 (the L-Eval selection); CC-BY-4.0") == [
        "https://spdx.org/licenses/CC-BY-4.0.html",
        "https://spdx.org/licenses/GPL-3.0-only.html",
    ]
    odd = "Public domain (works of the 14th century; the repository states none); MIT (files)"
    assert licences(odd) == [
        {"@type": "sc:CreativeWork", "name": "Public domain (works of the 14th century; the repository states none)"},
        "https://spdx.org/licenses/MIT.html",
    ]
    assert licences("CC-BY-SA (text, share-alike)") == [
        {"@type": "sc:CreativeWork", "name": "CC-BY-SA (text, share-alike)"}
    ]
    assert licences("") == [] and len(licences("; ".join(f"my own {n}" for n in range(500)))) == 20


def test_several_licences_stand_with_their_files():
    facts = content(cell(variants=("en",)))
    facts["configs"]["single_needle_en_32k"]["licence"] = "CC-BY-4.0 (texts)"
    told = json.loads(croissant(facts, files_of(facts)))
    assert told["license"] == [f"https://spdx.org/licenses/{name}.html" for name in ("CC-BY-4.0", "Apache-2.0")]
    by_file = {one["@id"]: one.get("license") for one in told["distribution"]}
    assert by_file["data/single_needle_en_32k/test-00000-of-00001.parquet"] == told["license"][:1]
    assert by_file["README.md"] is None


def test_sections_are_statements():
    text = "## Other\n\nx\n## Limits\n\nOne\ntwo.\n\n- a **b**\n  c\n- `d`\nmore\n\n## Biases\n"
    assert written_sections(text) == {"Limits": ["One two.", "a b c", "d more"], "Biases": []}
    assert written_sections("# Limits\n\nx") == {}


@pytest.mark.parametrize(
    ("source", "task", "own", "expected"),
    [
        ("world", "rag", {}, True),
        ("", "numeric_sorting", {}, True),
        ("nq", "rag", {}, False),
        ("mine", "rag", {"mine": {"reader": "pieces"}}, True),
        ("mine", "rag", {"mine": {"reader": "jsonl"}}, False),
    ],
)
def test_what_is_synthetic(source, task, own, expected):
    facts = content(cell(task=task, source=source))
    facts["recipe"]["own_sources"] = own
    for config in facts["configs"].values():
        config["benchmark"] = "helmet"
    assert has_synthetic_data(facts) is expected
    for config in facts["configs"].values():
        config["benchmark"] = "needlebench"
    assert has_synthetic_data(facts) is True


def test_every_column_is_told_and_the_context_is_whole():
    from mlcroissant._src.core.context import Context
    from mlcroissant._src.core.rdf import make_context

    assert list(COLUMNS) == SCHEMA.names
    wanted = make_context(Context(conforms_to="http://mlcommons.org/croissant/1.1"))
    assert {key: CONTEXT.get(key) for key in wanted} == wanted
    assert media_type("data/a.parquet")[-1] == "application/x-parquet" and media_type("LICENSE").endswith("stream")


# Determinism


def files_of(facts: dict) -> dict[str, FileEntry]:
    paths = ["README.md", *(path for config in facts["configs"].values() for path in config["files"])]
    return {path: FileEntry(sha256="a" * 64, bytes=7) for path in paths}


def test_the_same_release_gives_the_same_bytes_anywhere(published, tmp_path):
    code = (
        "import json, sys; from carrara.croissant.dataset import croissant;"
        "from carrara.release.schema import Manifest;"
        "whole = Manifest.from_json(json.load(open(sys.argv[1])));"
        "sys.stdout.reconfigure(encoding='utf-8');"
        "sys.stdout.write(croissant(whole.content, whole.files).decode())"
    )
    expected = (published / CROISSANT).read_bytes()
    manifest = published.resolve() / "manifest.json"
    shown = python(code, manifest, cwd=tmp_path, PYTHONHASHSEED="77", TZ="America/Lima", LC_ALL="C")
    assert shown.encode() == expected
    facts = content(cell(), cell("mrcr", ("2needle",)))
    turned = {key: facts[key] for key in reversed(facts)}
    turned["configs"] = dict(reversed(facts["configs"].items()))
    files = files_of(facts)
    assert croissant(facts, files) == croissant(turned, dict(reversed(files.items())))
    assert croissant(json.loads(json.dumps(facts, sort_keys=True)), files) == croissant(facts, files)


def test_it_does_not_list_itself():
    facts = content()
    files = files_of(facts)
    assert croissant(facts, {**files, CROISSANT: FileEntry(sha256="b" * 64, bytes=1)}) == croissant(facts, files)


# Hostile texts


def shape(value, where=()):
    """The keys and kinds of a JSON value, without its texts."""
    if isinstance(value, dict):
        return {key: shape(one, (*where, key)) for key, one in value.items()}
    if isinstance(value, list):
        return [shape(one, where) for one in value]
    return type(value).__name__


def texts(value):
    if isinstance(value, dict):
        for one in value.values():
            yield from texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts(one)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize(
    "text", [HOSTILE, '"}], "@context": "http://127.0.0.1:9/x"', "@id", "http://a b/", "</script>"]
)
def test_hostile_texts_stay_texts(text, tmp_path):
    import mlcroissant

    facts = content()
    hostile = with_text(facts, text)
    hostile["sources"][text] = hostile["sources"].pop("world")
    for config in hostile["configs"].values():
        config["source"] = config["task"] = text
    hostile["written"] = f"## Limits\n\n- {text}"
    hostile["recipe"]["publication"] = {"date": "2026-11-22", "creators": [text], "citation": text}
    raw = croissant(hostile, files_of(hostile))
    told = json.loads(raw)
    assert told["alternateName"] == one_line(text)
    assert not fetches(told)
    harmless = copy.deepcopy(hostile) | {"title": "x"}
    assert shape(json.loads(croissant(harmless, files_of(harmless)))) == shape(told)
    for one in texts(told):
        assert one.isprintable() and len(one) < 10_000
    ids = [one["@id"] for one in told["prov:wasDerivedFrom"]]
    assert ids == [source_id(text)] and not set(ids[0]) - set("/%-_.") - set(map(chr, range(128))) and " " not in ids[0]
    (tmp_path / CROISSANT).write_bytes(raw)
    metadata = mlcroissant.Dataset(tmp_path / CROISSANT).metadata
    assert len(metadata.record_sets) == 4 and metadata.ctx.issues.errors == set()


def test_long_texts_are_cut():
    long = with_text(content(), "x" * 100_000)
    long["written"] = "## Limits\n\n" + "y" * 19_000
    assert max(map(len, texts(json.loads(croissant(long, files_of(long)))))) < 10_000


def test_a_citation_is_no_other_bibtex():
    facts = content(title="A} title, note = {mine} \\end{")
    told = json.loads(croissant(facts, files_of(facts)))["citeAs"]
    assert told.count("{") == told.count("}") == 3 and "\\" not in told


def test_a_context_from_elsewhere_is_not_followed(altered):
    told = described(altered)
    assert not fetches(told)
    for broken in (
        [told],
        {**told, "@context": "https://example.org/context"},
        {**told, "@context": [told["@context"], "https://example.org"]},
        {**told, "@context": {**told["@context"], "@import": "https://example.org"}},
        {**told, "creator": [{"@context": "https://example.org"}]},
        {**told, "@context": {**told["@context"], "x": {"@id": "sc:x", "@context": "https://example.org"}}},
    ):
        assert fetches(broken)
    forge(altered, {**told, "creator": [{"@context": "http://127.0.0.1:9/"}]})
    assert is_refusal(here("croissant", altered), "context")


# What it may not say


def forge(folder: Path, told: object) -> None:
    """Another croissant.json, its hash in the manifest put right."""
    (folder / CROISSANT).write_text(told if isinstance(told, str) else json.dumps(told))
    whole = json.loads((folder / "manifest.json").read_text())
    whole["files"][CROISSANT] = file_entry(folder / CROISSANT).to_json()
    (folder / "manifest.json").write_bytes(canonical(whole))


def first(told: dict, **values) -> dict:
    return {**told, "distribution": [{**told["distribution"][0], **values}, *told["distribution"][1:]]}


def with_files(told: dict, **values) -> dict:
    """With other values in the last entry, the set of files of a bucket."""
    return {**told, "distribution": [*told["distribution"][:-1], {**told["distribution"][-1], **values}]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda told: {**told, "name": "other"}, "name is 'other'"),
        (lambda told: {**told, "version": "1.0.1"}, "version is '1.0.1'"),
        (lambda told: first(told, sha256="0" * 64), "has sha256 '000"),
        (lambda told: first(told, contentSize="1 B"), "has '1 B', the manifest says"),
        (lambda told: first(told, contentUrl="https://example.org/README.md"), "which the manifest does not"),
        (lambda told: first(told, contentUrl="../README.md"), "which the manifest does not"),
        (lambda told: first(told, contentUrl=CROISSANT), "which the manifest does not"),
        (lambda told: {**told, "distribution": told["distribution"][1:]}, "it does not list README.md"),
        (lambda told: {**told, "distribution": [*told["distribution"], told["distribution"][0]]}, "twice"),
        (lambda told: {**told, "distribution": [*told["distribution"], "x"]}, "it lists None"),
        (lambda told: {**told, "distribution": 1}, "distribution is 1"),
        (lambda told: with_files(told, includes=["../*"]), "it lists None"),
        (lambda told: with_files(told, containedIn={"@id": "recipe.json"}), "it lists None"),
        (lambda told: with_files(told, contentUrl="https://example.org/a"), "which the manifest does not"),
        (lambda told: [told], "is a list"),
        (lambda told: "{", "is not valid JSON"),
        (lambda told: '{"a": 1, "a": 2}', "is not valid JSON"),
    ],
)
def test_a_forged_one_is_refused(altered, change, said):
    forge(altered, change(described(altered)))
    assert [problem.message for problem in verify(altered, "files").problems if said in problem.message]
    assert is_refusal(here("croissant", altered), "does not verify", code=1)


def test_many_differences_are_counted(altered):
    told = described(altered)
    forge(altered, {**told, "distribution": []})
    found = disagreements(open_release(altered))
    listed = [one for one in told["distribution"] if one["@type"] == "cr:FileObject"]
    assert len(found) == 6 and found[-1] == f"{CROISSANT}: {len(listed) - 5} more"


# The recipe's table


def recipe_with(**publication) -> dict:
    return recipe_table(publication=publication)


def test_a_recipe_may_say_who_publishes():
    plain, told = recipe_from_table(recipe_table()), recipe_from_table(recipe_with(**PUBLICATION))
    assert told.publication == Publication(**{**PUBLICATION, "creators": tuple(PUBLICATION["creators"])})
    assert told.to_json() == {**plain.to_json(), "publication": PUBLICATION}
    assert "publication" not in plain.to_json() and told.fingerprint() != plain.fingerprint()
    again = recipe_from_json(json.loads(canonical_json(told.to_json())))
    assert again == told and again.fingerprint() == told.fingerprint()
    assert publication_of(told.to_json()) == told.publication and publication_of({}) == Publication()
    assert recipe_from_table(recipe_with(date="")) == plain


def test_a_twin_has_the_same_people_and_another_day():
    twin = recipe_from_table(recipe_with(**PUBLICATION)).twin("2027-spring")
    assert twin.to_json()["publication"] == {
        key: value for key, value in PUBLICATION.items() if key not in {"date", "url"}
    }
    assert recipe_from_table(recipe_with(date="2026-11-22")).twin("2027-spring").publication is None


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"dat": "2026-11-22"}, "did you mean 'date'"),
        ({"date": "22 November"}, "expected a day like"),
        ({"date": "2026-02-30"}, "expected a day like"),
        ({"date": 20261122}, "date"),
        ({"url": "javascript:alert(1)"}, "expected a web address"),
        ({"url": "https://a b"}, "expected a web address"),
        ({"creators": "me"}, "creators"),
        ({"creators": [" "]}, "an empty name"),
        ({"creators": ["a"] * 101}, "expected at most 100"),
        ({"citation": "x" * 2_001}, "expected at most 2000"),
        ({}, "expected a table"),
    ],
)
def test_a_publication_that_is_none_is_refused(table, said):
    with pytest.raises(RecipeError) as caught:
        recipe_from_table(recipe_with(**table))
    assert said in str(caught.value)
