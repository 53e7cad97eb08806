"""Licences: every text that our sources state is classed by hand; what is unknown, kept back or mixed is refused."""

import tomllib
from pathlib import Path

import pytest
from folders import ROOT
from unchecked import unchecked

import carrara
from carrara.release.licences import by_terms, config_sources, config_terms, terms
from carrara.release.schema import Content

REGISTRY = Path(carrara.__file__).parent / "sources" / "registry.toml"

# By hand: what of each text may be done. A source with another text fails the test below until it is read and written
# here. "unknown" also where the files' own repository states nothing: nobody has said that they may be passed on.
READ = {
    "permissive": [
        "Public domain in the US (texts); CC-BY-4.0 (the LitBank selection)",
        "Public domain (works of the 14th to 18th century; the repository states no licence)",
        "CC-BY-4.0",
        "CC-BY-3.0",
        "MIT",
        "Apache-2.0",
        "Public domain in the US (texts)",
    ],
    "share-alike": [
        "CC-BY-SA-4.0 (share-alike)",
        "CC-BY-SA-3.0",
        "CC-BY-SA-3.0 and GFDL (DBpedia); MIT (the repository)",
        "CC-BY-SA-4.0 (HotpotQA's questions); CC0-1.0 (R4C's derivations); Apache-2.0 (the repository of the files)",
        (
            "CC0-1.0 (the derivations); CC-BY-SA-4.0 (HotpotQA's questions); "
            "Apache-2.0 (the repository of the questions' file)"
        ),
        (
            "CC-BY-SA-4.0 (the English originals, by the policy of their site); "
            "Apache-2.0 (the repository of the translations)"
        ),
        (
            "CC-BY-SA (passages of Wikipedia, share-alike); "
            "Apache-2.0 (annotations of Natural Questions); MIT (the repository)"
        ),
        "CC-BY-SA (paragraphs of Wikipedia, share-alike); MIT (PopQA, the repository)",
        "CC-BY-SA (ASQA, built on AmbigQA and Wikipedia, share-alike); MIT (ALCE, Citekit)",
        "Public domain in the US (texts); GPL-3.0 (the L-Eval selection)",
        "CC-BY-4.0 (texts); GPL-3.0 (the L-Eval selection)",
    ],
    "non-commercial": [
        "CC-BY-NC (case summaries, non-commercial); ODC-BY (Multi-LexSum); Apache-2.0 (the repository)",
        "ODC-BY (Multi-LexSum); CC-BY-NC (case summaries, non-commercial)",
        "CC-BY-NC-SA-4.0",
        "CC-BY-4.0 (summaries); Project Gutenberg licence (stories)",
    ],
    "unknown": [
        "Non-commercial research only (MS MARCO's terms); public (NIST's judgements)",
        "CC-BY-SA (text of Wikipedia, share-alike); MIT, or no licence stated (the repositories of the files)",
        "CC-BY-SA-4.0 (share-alike); MIT, or no licence stated (the repositories of the files)",
        "Apache-2.0 (TriviaQA); no licence stated (the repository of the topics)",
        "CC-BY-4.0 (MuSiQue); CC-BY-SA (paragraphs of Wikipedia, share-alike); no licence stated (the repository)",
        (
            "Non-commercial research only (MS MARCO's terms); public (NIST's judgements); "
            "Apache-2.0 (the repository of the runs)"
        ),
        "CC-BY-SA (passages of Wikipedia, share-alike); MIT (ALCE); none stated there for QAMPARI",
        "No licence stated (UIUC's research data; the files name their authors)",
        "Apache-2.0 (questions); texts of Project Gutenberg and of scripts, each with its own terms",
        "Apache-2.0 (InfiniteBench); the novels have their own terms",
    ],
}
CLASSES = {text: kind for kind, texts in READ.items() for text in texts}


def stated() -> set[str]:
    """The texts of our registry and of the recipes that come along."""
    tables = [tomllib.loads(REGISTRY.read_text(encoding="utf-8"))]
    recipes = sorted((ROOT / "recipes").glob("*.toml"))
    tables += [tomllib.loads(file.read_text(encoding="utf-8")).get("source", {}) for file in recipes]
    return {pin["licence"] for table in tables for pin in table.values()}


def test_every_stated_text_was_read_by_a_person():
    assert stated() == set(CLASSES)


@pytest.mark.parametrize("text", CLASSES)
def test_a_text_is_of_its_class(text):
    found = terms(text)
    assert found.kind == CLASSES[text]
    assert bool(found.objection) == (CLASSES[text] == "unknown")


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Apache-2.0", "permissive"),
        ("apache-2.0; BSD-3-Clause; PDDL", "permissive"),
        ("cc by 4.0", "permissive"),
        ("CC-BY-2.5; ODC-By-1.0", "permissive"),
        ("CC-BY-4.0 and CC-BY-NC-ND-4.0", "permissive"),
        ("MIT or GPL-3.0", "share-alike"),
        ("ODbL", "share-alike"),
        ("LGPL-3.0-or-later", "share-alike"),
        ("CC-BY-NC-SA-4.0", "non-commercial"),
        ("MIT; CC-BY-ND", "no-derivatives"),
        ("CC-BY-NC-ND-4.0", "no-derivatives"),
        ("Non-commercial research only", "agreement"),
        ("research use only (a form is to be signed)", "agreement"),
        ("CC-BY-ND; data use agreement", "agreement"),
        ("", "unknown"),
        (";", "unknown"),
        ("(MIT)", "unknown"),
        ("MIT-like", "unknown"),
        ("not CC-BY-4.0", "unknown"),
        ("CC-BY-4.0, but ask first", "unknown"),
        ("CC-BY-5.0", "unknown"),
        ("Apache-2.0 and a letter from my aunt; free", "unknown"),
        ("; ".join(["MIT"] * 500), "unknown"),
        ("MIT\u202e; Apache-2.0", "permissive"),
        ("(" * 20_000, "unknown"),
        ("a and " * 4_000, "unknown"),
        (" or " * 5_000, "unknown"),
    ],
)
def test_other_texts(text, kind):
    assert terms(text).kind == kind
    assert len(terms(text).objection) < 500


@pytest.mark.parametrize(
    ("text", "clash"),
    [
        ("CC-BY-SA-3.0; CC-BY-SA-4.0", ()),
        ("CC-BY-SA; CC-BY-SA-4.0; MIT", ()),
        ("CC-BY-SA-4.0; GPL-3.0", ()),
        ("GPL-3.0; CC-BY-SA-4.0", ()),
        ("GPL-3; GPL-3.0-or-later", ()),
        ("CC-BY-SA-3.0; GPL-3.0", ("CC-BY-SA-3.0", "GPL-3.0")),
        ("CC-BY-SA-4.0; GPL-2.0", ("CC-BY-SA-4.0", "GPL-2.0")),
        ("CC-BY-SA-4.0; CC-BY-NC-SA-4.0", ("CC-BY-SA-4.0", "CC-BY-NC-SA-4.0")),
        ("CC-BY-NC-4.0; CC-BY-NC-SA-4.0; CC-BY-4.0", ()),
        ("CC-BY-SA-4.0; MIT; CC-BY-NC-4.0", ("CC-BY-SA-4.0", "CC-BY-NC-4.0")),
        ("ODbL; CC-BY-SA-4.0", ("ODbL", "CC-BY-SA-4.0")),
        ("GFDL; CC-BY-SA-3.0", ("GFDL", "CC-BY-SA-3.0")),
        # Under both: one takes the one that fits.
        ("CC-BY-SA-3.0 and GFDL; CC-BY-SA-4.0", ()),
        ("CC-BY-SA-3.0 and GFDL; GFDL", ()),
        ("CC-BY-SA-3.0 and GFDL; ODbL", ("CC-BY-SA-3.0", "ODbL")),
    ],
)
def test_a_wrong_mix_is_named(text, clash):
    found = terms(text).objection
    assert all(name in found for name in clash) and bool(found) == bool(clash)
    assert bool(terms(*text.split(";")).objection) == bool(clash)


def content(configs: dict[str, str], sources: dict[str, str], cells: list[dict]) -> Content:
    table = {
        "configs": {name: {"licence": licence} for name, licence in configs.items()},
        "sources": {name: {"licence": licence} for name, licence in sources.items()},
        "recipe": {"cells": cells},
    }
    return unchecked(Content, table)


def test_a_config_is_under_what_it_states_and_under_what_its_sources_state():
    cells = [
        {"task": "rag", "variants": ["nq", "own"], "buckets": ["4k"], "source": "a", "retrieval": {"corpus": "b"}},
        {"task": "idk", "variants": [""], "buckets": ["4k", "8k"], "source": ""},
    ]
    configs = {"rag_nq_4k": "MIT", "rag_own_4k": "MIT; GPL-3.0", "idk_4k": "Apache-2.0", "idk_8k": "Apache-2.0"}
    table = content(configs, {"a": "MIT", "b": "CC-BY-NC-4.0"}, cells)
    assert config_sources(table) == {"rag_nq_4k": ("a", "b"), "rag_own_4k": ("a", "b"), "idk_4k": (), "idk_8k": ()}
    assert config_terms(table, "idk_4k").kind == "permissive"
    # The config says less than its corpus does.
    assert config_terms(table, "rag_nq_4k").kind == "non-commercial"
    assert "GPL-3.0" in config_terms(table, "rag_own_4k").objection
    del table.sources["b"]
    assert config_terms(table, "rag_nq_4k").kind == "unknown"
    assert by_terms(table, configs)["Apache-2.0"] == ["idk_4k", "idk_8k"]
