"""Whose fault an error is: ours ends with its traceback and exit 70, one of the input with a message and exit 2."""

import json

import pytest
from commands import TINY, common, here, is_refusal, recipe, release, tree, write
from toys import tasks, toy_recipe, write_release

from carrara.release.manifest import canonical

__all__ = ["common", "recipe", "release", "tasks"]


def broken(*_, **__):
    return {}["a fault of ours"] + None


@pytest.fixture(scope="module")
def responses(release, tmp_path_factory):
    folder = tmp_path_factory.mktemp("responses")
    file = folder / "model.jsonl"
    first = (
        "needlebench/single_needle_en/4k",
        "needlebench/single_needle_en/8k",
        "verbatimeval/numeric_sorting_ascending/4k",
    )
    records = [{"id": f"{config}/00000", "response": "no"} for config in first]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    assert here("score", release, file, "--out", folder / "result.json").code == 0
    return file


ROOMS = {
    "card": ("carrara.card.card._task", ("build", "TINY", "--out", "OUT", "--workers", 1)),
    "figures": ("carrara.card.figures._strips", ("build", "TINY", "--out", "OUT", "--workers", 1)),
    "croissant": ("carrara.croissant.dataset.distribution", ("build", "TINY", "--out", "OUT", "--workers", 1)),
    "page": ("carrara.page.page.coverage", ("page", "RELEASE", "--out", "OUT")),
    "plots": ("carrara.plots.figures.save", ("plot", "RESULT", "--out", "OUT")),
    "scoring": ("carrara.scoring.report._report", ("score", "RELEASE", "RESPONSES")),
    "audit": ("carrara.making.proofs._length", ("audit", "RELEASE")),
    "build": ("carrara.making.build._audit", ("build", "TINY", "--out", "OUT", "--workers", 1)),
    "release": ("carrara.release.verify.content_root", ("verify", "RELEASE", "--level", "rows")),
}


@pytest.mark.parametrize("room", ROOMS)
def test_a_fault_of_ours_comes_out_with_its_traceback(room, release, responses, tmp_path, monkeypatch):
    name, words = ROOMS[room]
    monkeypatch.setattr(name, broken)
    stands_for = {
        "TINY": write(tmp_path / "recipes", TINY),
        "RELEASE": release,
        "RESULT": responses.with_name("result.json"),
        "RESPONSES": responses,
        "OUT": tmp_path / "out",
    }
    done = here(*(stands_for.get(word, word) for word in words))
    assert done.code == 70, done
    assert "Traceback" in done.err and "KeyError: 'a fault of ours'" in done.err
    assert "fault in Carrara" in done.err.splitlines()[-1] and "report it" in done.err.splitlines()[-1]


def test_debug_prints_the_traceback_of_an_error_of_the_input_too(tmp_path):
    for words in (("--debug", "verify", tmp_path), ("verify", tmp_path, "--debug")):
        done = here(*words)
        assert done.code == 2 and "Traceback" in done.err and "error: " in done.err.splitlines()[-2], done
    assert is_refusal(here("verify", tmp_path), "manifest.json")


@pytest.mark.parametrize(
    "recipe",
    [
        {},
        {"cells": 7},
        {"cells": [{}]},
        {"cells": [{"task": "x"}]},
        {"cells": [], "publication": {"date": "today"}},
        {"cells": [], "publication": {"creators": "me"}},
        {"cells": [], "publication": {"editor": "me"}},
        {"cells": [], "publication": [1]},
        {"cells": [], "own_sources": {"mine": 3}},
        {"cells": [], "deep": json.loads("[" * 60 + "]" * 60)},
    ],
    ids=lambda recipe: json.dumps(recipe)[:40],
)
def test_a_recipe_of_another_form_is_refused_where_it_comes_in(tasks, tmp_path, recipe):
    toys = write_release(tmp_path / "toys", toy_recipe())
    manifest = json.loads((toys / "manifest.json").read_text())
    manifest["content"]["recipe"] = recipe
    (toys / "manifest.json").write_bytes(canonical(manifest))
    before = tree(toys)
    for words in (("list", toys), ("page", toys, "--out", tmp_path / "p.html"), ("verify", toys)):
        assert is_refusal(here(*words), "recipe")
    assert tree(toys) == before
