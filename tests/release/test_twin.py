"""`carrara diff` of twins: what two streams share is found, distributions that differ are told apart."""

from pathlib import Path

import pytest
from commands import run

from carrara.making import build
from carrara.making.build import Run
from carrara.recipe.recipe import recipe_from_table
from carrara.release.reader import open_release
from carrara.release.twin import _kinds_alike, _numbers_alike, are_twins, compare
from carrara.stream import Stream


class Silent:
    def start(self, config: str, rows: int) -> None: ...

    def advance(self, config: str, rows: int, tokens: int) -> None: ...

    def note(self, text: str) -> None: ...


def made(out: Path, name: str, stream: str, questions: int = 6, **cell) -> Path:
    table = {
        "name": name,
        "version": "1.0.0",
        "stream": stream,
        "tokenizer": "o200k_base",
        "buckets": {"4k": 4_096},
        "cell": [
            {"task": "single_needle", "variants": ["en"], "questions": questions, "params": {"depths": 2}, **cell},
            {"task": "numeric_sorting", "variants": ["ascending"], "questions": questions},
        ],
    }
    return build.build(recipe_from_table(table), Run(out, None, 1, None, None), Silent())


@pytest.fixture(scope="module")
def releases(tmp_path_factory):
    out = tmp_path_factory.mktemp("twins")
    # Streams whose prose other tests have in the cache.
    return made(out, "one", "tests/1"), made(out, "two", "conformance/1")


def test_twins_share_nothing_and_are_alike(releases):
    one, two = map(open_release, releases)
    assert are_twins(one, two) and not are_twins(one, one)
    reports = dict(compare(one, two))
    assert set(reports) == {"single_needle_en_4k", "numeric_sorting_ascending_4k"}
    needles = reports["single_needle_en_4k"]
    assert needles.compared["golds"] == 6 and needles.compared["evidence"] == 6
    assert needles.compared["sentences"] > 300
    for report in reports.values():
        assert report.is_good and not any(texts for kind, texts in report.shared.items() if kind != "sentences")
        assert report.p["tokens"] > 0.001


def test_a_release_shares_everything_with_itself(releases):
    one = open_release(releases[0])
    for report in dict(compare(one, one)).values():
        assert not report.is_good
        assert len(report.shared["golds"]) == report.compared["golds"] == 6
        assert len(report.shared["evidence"]) == report.compared["evidence"]


@pytest.mark.repeat
def test_the_command_tells_twins_from_versions(releases, tmp_path):
    told = run("diff", str(releases[0]), str(releases[1]))
    assert told.code == 0 and "twins: 2 configs, " in told.out and "same distributions" in told.out
    other = made(tmp_path, "three", "tests/1", questions=7)
    assert "bump: " in run("diff", str(releases[0]), str(other)).out


def test_samples_of_other_distributions_are_told_apart():
    def alone(values):
        return [[value] for value in values]

    even = [number / 100 for number in range(100)]
    assert _numbers_alike(alone(even), alone(number / 90 for number in range(90)), Stream("t")) > 0.5
    assert _numbers_alike(alone(even), alone(number**3 for number in even), Stream("t")) <= 0.001
    assert _kinds_alike(alone("ab" * 50), alone("a" * 48 + "b" * 52), Stream("t")) > 0.5
    assert _kinds_alike(alone("a" * 90 + "b" * 10), alone("ab" * 50), Stream("t")) <= 0.001


def test_rows_of_an_item_are_not_samples_of_their_own():
    # Three items a side, each told at a depth of its own in a hundred rows.
    low, high = ([[depth] * 100 for depth in depths] for depths in ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)))
    assert _numbers_alike(low, high, Stream("t")) > 0.05
    assert _numbers_alike([[value] for values in low for value in values], [[0.5]] * 300, Stream("t")) <= 0.001
