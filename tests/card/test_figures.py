"""Figures: an SVG of sane size that any reader parses, the same bytes every time, whatever the names in the content."""

import re
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from unchecked import unchecked

from carrara.card.figures import chance_histograms, length_histogram
from carrara.errors import ReleaseError
from carrara.release.schema import Content

SVG = "{http://www.w3.org/2000/svg}"
BLUE = "#0072B2"
LADDER = (("8k", 8_192), ("32k", 32_768), ("128k", 131_072), ("1M", 1_048_576))


def content(stems=("single_needle_en",), buckets=(("32k", 32_768),), histogram=(0,) * 12 + (5,) * 8):
    configs = {}
    for stem in stems:
        for bucket, size in buckets:
            configs[f"{stem}_{bucket}"] = {
                "task": stem,
                "variant": "",
                "bucket": bucket,
                "bucket_tokens": size,
                "histogram": list(histogram),
            }
    cell = {"variants": [""], "buckets": [name for name, _ in buckets]}
    return {"recipe": {"cells": [{"task": stem, **cell} for stem in stems]}, "configs": configs}


def drawn(facts, path):
    length_histogram(unchecked(Content, facts), path)
    return read(path)


def read(path):
    """(the drawing, its texts, (left, height) of every bar)."""
    root = ElementTree.fromstring(path.read_bytes())
    texts = [one.text for one in root.iter(f"{SVG}text")]
    shapes = "".join(one.get("d") for one in root.iter(f"{SVG}path") if one.get("fill") == BLUE)
    return root, texts, [(float(x), float(tall)) for x, tall in re.findall(r"M([\d.]+) [\d.]+v-([\d.]+)", shapes)]


@pytest.mark.parametrize(("stems", "buckets"), [(1, LADDER[:1]), (2, LADDER[1:]), (5, LADDER), (100, LADDER[:1])])
@pytest.mark.repeat
def test_size_grows_with_the_configs(tmp_path, stems, buckets):
    root, texts, _ = drawn(content([f"task_{number}" for number in range(stems)], buckets), tmp_path / "a.svg")
    width, height = float(root.get("width")), float(root.get("height"))
    assert 300 < width <= 840
    lines = 2 if len(buckets) == 4 else 1
    assert lines * 22 * stems < height < lines * (22 * stems + 100)
    assert {name for name, _ in buckets} <= set(texts) and texts.count("task_0") == lines
    # Nothing stands outside the drawing.
    for one in root.iter(f"{SVG}text"):
        assert 0 < float(one.get("x")) < width and 0 < float(one.get("y")) < height


def test_a_bar_stands_at_its_length_and_the_highest_is_full(tmp_path):
    facts = content(histogram=(0, 2, 0, 0) * 4 + (0, 4, 0, 0))
    _, _, bars = drawn(facts, tmp_path / "a.svg")
    assert [tall for _, tall in bars] == [8.5] * 4 + [17]
    steps = {round(after - before, 1) for (before, _), (after, _) in pairwise(bars)}
    # Four bins of twenty, in a panel 380 pixels wide.
    assert steps == {76}


def test_guesses_are_drawn_at_their_score(tmp_path, monkeypatch):
    places = []
    for bins in ([4, 0, 0, 0], [1, 0, 0, 3]):
        monkeypatch.setattr("carrara.card.figures.outcomes", lambda configs, bins=bins: {"guess": bins})
        assert chance_histograms(unchecked(Content, content()), tmp_path / "a.svg")
        _, texts, bars = read(tmp_path / "a.svg")
        places.append(bars)
        assert "single_needle_en: guess" in texts and f"{max(bins) / 4:.0%}".replace("%", " %") in texts
    (first,), (low, high) = places
    assert first == (low[0], 96) and (low[1], high[1]) == (32, 96) and high[0] - low[0] == pytest.approx(259.5)


def test_the_same_content_gives_the_same_bytes(tmp_path):
    drawn(content(), tmp_path / "a.svg")
    drawn(content(), tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_hostile_names_are_texts(tmp_path):
    facts = content(["a_long_task_name_that_never_ends_" * 3])
    _, texts, _ = drawn(facts, tmp_path / "a.svg")
    assert texts[0] == "a_long_task_name_that_never_ends_" + "…"
    config = next(iter(facts["configs"].values()))
    config.update(task="<script>&", variant="中文\x1b\n\u202e", bucket='"$x')
    root, texts, _ = drawn(facts, tmp_path / "b.svg")
    assert texts[:2] == ["<script>&_中文␛ <U+202E>", '"$x']
    assert {one.tag.removeprefix(SVG) for one in root.iter()} == {"svg", "title", "rect", "path", "text"}


def test_empty_histogram_is_drawn(tmp_path):
    _, texts, bars = drawn(content(histogram=[0] * 20), tmp_path / "a.svg")
    assert "32k" in texts and bars == []


def test_a_bucket_without_a_length_is_refused(tmp_path):
    facts = content()
    next(iter(facts["configs"].values()))["bucket_tokens"] = 0
    with pytest.raises(ReleaseError):
        length_histogram(unchecked(Content, facts), tmp_path / "a.svg")
    assert not (tmp_path / "a.svg").exists()
