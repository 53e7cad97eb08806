"""Figures: a PNG of sane size, the same bytes every time, whatever the user's style and the names in the content."""

import hashlib
import json
import struct
import warnings

import pytest
from processes import python
from unchecked import unchecked

from carrara.card.figures import chance_histograms, length_histogram
from carrara.errors import ReleaseError
from carrara.release.schema import Content


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


LADDER = (("8k", 8_192), ("32k", 32_768), ("128k", 131_072), ("1M", 1_048_576))


def drawn(facts, path):
    length_histogram(unchecked(Content, facts), path)
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return data, struct.unpack(">II", data[16:24])


@pytest.mark.parametrize(
    ("stems", "buckets"),
    [(1, LADDER[:1]), (2, LADDER[1:]), (5, LADDER), (100, LADDER[:1])],
)
def test_size_grows_with_the_configs(tmp_path, stems, buckets):
    facts = content([f"task_{number}" for number in range(stems)], buckets)
    _, (width, height) = drawn(facts, tmp_path / "a.png")
    assert 500 < width <= 1_400
    assert 40 * stems < height < 2 * (40 * stems + 160) + 10


def test_guesses_are_drawn_at_their_score(tmp_path, monkeypatch):
    pictures = []
    for bins in ([4, 0, 0, 0], [0, 0, 0, 4]):
        monkeypatch.setattr("carrara.card.figures.outcomes", lambda configs, bins=bins: {"guess": bins})
        assert chance_histograms(unchecked(Content, content()), tmp_path / "a.png")
        pictures.append((tmp_path / "a.png").read_bytes())
    assert pictures[0] != pictures[1]


def test_bytes_hold_no_clock_and_no_version(tmp_path):
    data, _ = drawn(content(), tmp_path / "a.png")
    assert b"tEXt" not in data
    assert b"tIME" not in data
    assert drawn(content(), tmp_path / "b.png")[0] == data


def test_bytes_do_not_depend_on_style_or_process(tmp_path):
    data, _ = drawn(content(), tmp_path / "a.png")
    (tmp_path / "matplotlibrc").write_text("font.size: 20\naxes.facecolor: black\nfigure.facecolor: red\n")
    script = (
        "import json, sys; from pathlib import Path; from carrara.card.figures import length_histogram;"
        "from carrara.release.schema import Content; from unchecked import unchecked;"
        "length_histogram(unchecked(Content, json.loads(sys.argv[1])), Path('other.png'))"
    )
    python(script, json.dumps(content()), cwd=tmp_path, PYTHONHASHSEED="7", TZ="Asia/Tokyo")
    other = (tmp_path / "other.png").read_bytes()
    assert hashlib.sha256(other).hexdigest() == hashlib.sha256(data).hexdigest()


def test_importing_figures_does_not_load_matplotlib():
    python("import sys, carrara.card.figures; assert 'matplotlib' not in sys.modules")


def test_odd_names_are_drawn_as_text(tmp_path):
    facts = content(["a_long_task_name_that_never_ends_" * 3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        drawn(facts, tmp_path / "a.png")
        config = next(iter(facts["configs"].values()))
        config.update(task="$\\frac{", variant="中文\x1b\n\u202e", bucket="$x")
        drawn(facts, tmp_path / "b.png")


def test_empty_histogram_is_drawn(tmp_path):
    drawn(content(histogram=[0] * 20), tmp_path / "a.png")


def test_a_bucket_without_a_length_is_refused(tmp_path):
    facts = content()
    next(iter(facts["configs"].values()))["bucket_tokens"] = 0
    with pytest.raises(ReleaseError):
        length_histogram(unchecked(Content, facts), tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()
