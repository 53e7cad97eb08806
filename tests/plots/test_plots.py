"""Figures of results: files that are what they say, the same bytes every time, kinds that are skipped with a reason."""

import hashlib
import json
import math
import re
import struct
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import pairwise

import pytest
from commands import here, is_refusal
from made_results import (
    CLASSES,
    MODELS,
    ancestral_trace,
    answered,
    every_row,
    helmet,
    michelangelo,
    needlebench,
    result,
    row,
    ruler,
    verbatimeval,
    write_results,
)
from processes import python

from carrara.errors import CarraraError
from carrara.plots.figures import KINDS, Drawn, condition, draw, join
from carrara.plots.maps import correlation
from carrara.plots.style import (
    COLUMN,
    DPI,
    PAGE,
    TASK_NAMES,
    Options,
    count_label,
    file_name,
    label,
    model_labels,
    save,
    titled,
    tokens_label,
)
from carrara.scoring.papers.helmet import PAPER
from carrara.scoring.result import Result, RowScore, read_result
from carrara.tasks import TASKS


def made(rows, model="alpha", skill=0.8) -> Result:
    """A result as it would be read from its file."""
    fields = {"depths": tuple, "chance": tuple}
    kept = [
        RowScore(**{name: fields.get(name, lambda held: held)(value) for name, value in table.items()})
        for table in answered(list(rows), model, skill)
    ]
    return Result(model, "made@1.0.0", "made/1", tuple(kept))


@pytest.fixture
def svg_alone(monkeypatch):
    """Figures are saved as SVG, the other two forms are empty: what is compared stands in one; a form takes 0.1 s."""
    monkeypatch.setattr("carrara.plots.figures.save", lambda figure, form: save(figure, form) if form == "svg" else b"")


def several(rows, models=MODELS) -> list[Result]:
    rows = list(rows)
    return [made(rows, model, skill) for model, skill in models.items()]


def few_needles():
    return [one for one in needlebench(["4k", "32k"]) if one.task == "single_needle" and one.variant == "en"]


def names(results, kind, **options) -> list[str]:
    return [drawn.name for drawn in draw(results, [kind], Options(**options))]


def inches(png: bytes) -> tuple[float, float]:
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    return width / DPI, height / DPI


ROWS = {
    "cumulative": michelangelo,
    "curve": lambda: (one for one in verbatimeval() if one.task == "numeric_sorting"),
    "depth_map": few_needles,
    "depth_curves": few_needles,
    "categories": lambda: helmet(3),
    "pairs": lambda: ancestral_trace(["32k"], 1, 1),
    "spearman": lambda: helmet(3),
    "chance": lambda: (one for one in michelangelo() if one.task == "mrcr"),
    "radar": lambda: (one for one in verbatimeval() if one.task == "entity_grouping"),
}
EXPECTED = {
    "cumulative": ["cumulative"],
    "curve": ["curve_numeric_sorting_length", "curve_numeric_sorting_complexity", "curve_numeric_sorting_digits"],
    "depth_map": [f"depth_map_single_needle_en_{model}" for model in MODELS],
    "depth_curves": ["depth_curves_single_needle_en"],
    "categories": ["categories"],
    "pairs": ["pairs_ancestral_trace"],
    "spearman": ["spearman"],
    "chance": ["chance_mrcr"],
    "radar": ["radar_entity_grouping"],
}


def drawn_of(kind: str) -> list[Drawn]:
    with warnings.catch_warnings():
        # A letter that the font lacks, a layout that does not fit.
        warnings.simplefilter("error")
        found = list(draw(several(ROWS[kind]()), [kind]))
    assert [drawn.name for drawn in found] == EXPECTED[kind]
    for drawn in found:
        assert ElementTree.fromstring(drawn.svg).tag == "{http://www.w3.org/2000/svg}svg"
        text = drawn.svg.decode()
        assert "dc:date" not in text and not re.search(r"[Mm]atplotlib v|\d{4}-\d\d-\d\d", text)
    return found


@pytest.mark.usefixtures("svg_alone")
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_drawn(kind):
    assert drawn_of(kind)


# The kind that takes least time.
@pytest.mark.parametrize(
    "kind",
    ["depth_curves", *(pytest.param(kind, marks=pytest.mark.repeat) for kind in KINDS if kind != "depth_curves")],
)
def test_every_kind_is_drawn_as_png_svg_and_pdf(kind):
    for drawn in drawn_of(kind):
        width, height = inches(drawn.png)
        assert COLUMN * 0.7 < width <= PAGE + 0.01 and 0.8 < height < 9.5, (width, height)
        assert b"tEXt" not in drawn.png and b"tIME" not in drawn.png
        assert drawn.pdf.startswith(b"%PDF-") and drawn.pdf.rstrip().endswith(b"%%EOF")
        assert not re.search(rb"Date|Producer|Creator|[Mm]atplotlib", drawn.pdf)


@pytest.mark.usefixtures("svg_alone")
def test_what_is_in_no_mean_is_in_no_category():
    """RULER's other tasks, hard ones and the user's own datasets leave HELMET's table of categories as it is."""
    rows = list(helmet(3))
    others = [one for one in ruler(3) if one.bucket != "4k" and one.variant not in PAPER["synthetic_recall"]]
    others += [replace(one, id=f"{one.id}/own", variant="own") for one in rows if one.variant in ("nq", "msmarco")]
    [alone], [beside] = (draw(several(part), ["categories"]) for part in (rows, [*rows, *others]))
    assert alone.svg == beside.svg


PROGRAM = """
import hashlib, sys
from carrara.plots.figures import draw
from carrara.scoring.result import read_result
for drawn in draw([read_result(path) for path in sys.argv[2:]], sys.argv[1].split()):
    print(drawn.name, hashlib.sha256(drawn.png + drawn.svg + drawn.pdf).hexdigest())
"""


@pytest.mark.repeat
def test_bytes_depend_on_the_results_alone(tmp_path):
    # One of every way to lay panels out.
    kinds = ["cumulative", "pairs", "spearman", "radar"]
    rows = [
        one
        for one in (*michelangelo(), *verbatimeval())
        if one.bucket == "32k" and one.task in {"idk", "entity_grouping"}
    ]
    paths = write_results(tmp_path / "results", rows)
    (tmp_path / "matplotlibrc").write_text("font.size: 20\naxes.facecolor: black\nsvg.hashsalt: x\nsavefig.dpi: 50\n")
    told = python(PROGRAM, " ".join(kinds), *paths, cwd=tmp_path, PYTHONHASHSEED="7", TZ="Asia/Tokyo")
    ours = {drawn.name: drawn for drawn in draw([read_result(path) for path in paths], kinds)}
    assert len(ours) == len(told.splitlines()) == len(kinds)
    for line in told.splitlines():
        name, digest = line.split()
        files = ours[name].png + ours[name].svg + ours[name].pdf
        assert hashlib.sha256(files).hexdigest() == digest, name


@pytest.mark.usefixtures("svg_alone")
def test_drawing_leaves_the_style_of_the_caller_alone():
    import matplotlib

    before = dict(matplotlib.rcParams)
    drawings = draw(several(few_needles()), ["depth_curves", "depth_map"])
    next(drawings)
    assert dict(matplotlib.rcParams) == before
    drawings.close()
    assert dict(matplotlib.rcParams) == before


# --- what does not apply ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("svg_alone")
def test_kinds_that_do_not_apply_are_skipped_with_their_reason():
    rows = [row("ruler", "", "32k", n) for n in range(3)] + [row("ruler", "", "128k", n) for n in range(3)]
    notes = []
    found = [drawn.name for drawn in draw([made(rows)], note=notes.append)]
    assert found == ["curve_ruler_length"]
    told = dict(note.removeprefix("skipped ").split(": ", 1) for note in notes)
    assert set(told) == set(KINDS) - {"curve"}
    assert "latent_list" in told["cumulative"] and "three models" in told["spearman"]
    assert "three depths" in told["depth_map"] and "three depths" in told["depth_curves"]
    near = [row("rag", "world", "32k", n, depths=((0.49, 0.492, 0.496, 0.5)[n % 4],)) for n in range(12)]
    with pytest.raises(CarraraError, match="nothing to draw"):
        list(draw([made(near)], ["depth_map"]))
    assert "two variants" in told["pairs"] and "`chance`" in told["chance"] and "`classes`" in told["radar"]
    assert "two tasks" in told["categories"]


def test_nothing_to_draw_is_an_error():
    notes = []
    with pytest.raises(CarraraError, match="nothing to draw"):
        list(draw([made([row("ruler", "", "32k", 0)])], note=notes.append))
    assert len(notes) == len(KINDS)


def test_what_cannot_stand_in_one_figure():
    one = made(few_needles())
    for results, said in (
        ([], "got 0 results"),
        ([replace(one, model=f"m{n}") for n in range(1_001)], "got 1,001 results"),
        ([one, one], "called 'alpha'"),
        ([one, replace(one, model="b", release="made@2.0.0")], "made@1.0.0 (stream made/1) of 'alpha' and not of 'b'"),
        ([one, replace(one, model="b", stream="twin")], "made@1.0.0 (stream made/1)"),
    ):
        with pytest.raises(CarraraError, match=re.escape(said)):
            list(draw(results))
    with pytest.raises(CarraraError, match="'pie'") as refused:
        list(draw([one], ["curve", "pie"]))
    assert "cumulative" in refused.value.hint


# --- single kinds -----------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("svg_alone")
def test_curves_over_a_field_that_is_asked_for():
    sorting = several(one for one in verbatimeval() if one.task == "numeric_sorting" and one.bucket == "32k")
    assert names(sorting, "curve", fields=("digits", "digits")) == ["curve_numeric_sorting_digits"]
    with pytest.raises(CarraraError, match="nothing to draw"):
        names(sorting, "curve", fields=("length", "colour"))
    assert "curve_mrcr_complexity" in names(several(ROWS["chance"]()), "curve")


@pytest.mark.usefixtures("svg_alone")
def test_rotations_are_drawn_as_right_only_together():
    turned = made(ancestral_trace(["32k", "128k"], 1, 4))
    three = tuple(replace(one, score=float(one.bucket == "128k" or not one.id.endswith("3"))) for one in turned.rows)
    none = tuple(replace(one, score=float(one.bucket == "128k" or one.id[-1] not in "37")) for one in turned.rows)
    drawn = [
        next(draw([replace(turned, rows=rows)], ["curve"], Options(("length",)))).svg
        for rows in (three, none, tuple(replace(one, score=1.0) for one in turned.rows))
    ]
    assert drawn[0] != drawn[1] != drawn[2]
    # One wrong of four is as wrong as four.
    wrong = {one.group for one in three if not one.score}
    all_four = tuple(replace(one, score=0.0) if one.group in wrong else one for one in three)
    (again,) = draw([replace(turned, rows=all_four)], ["curve"], Options(("length",)))
    assert again.svg == drawn[0]


@pytest.mark.usefixtures("svg_alone")
def test_a_slice_is_drawn_alone_and_says_so(monkeypatch):
    sorting = several(one for one in verbatimeval() if one.task == "numeric_sorting")
    fours = Options(where=(condition("complexity=3000..20000"), condition("bucket=32*"), condition("bucket=128k")))
    assert {one.bucket for one in sorting[0].rows} == {"4k", "32k", "128k", "1M"}
    assert {one.bucket for one in fours.chosen(sorting[0].rows)} == {"32k", "128k"}
    (drawn,) = draw(sorting, ["curve"], replace(fours, fields=("digits",)))
    assert drawn.name == "curve_numeric_sorting_digits_complexity-3000..20000-bucket-32-or-128k"
    figures = []
    monkeypatch.setattr("carrara.plots.figures.save", lambda figure, form: figures.append(figure) or b"")
    list(draw(several(few_needles()), ["depth_map"], Options(where=(condition("bucket=32k"),))))
    list(draw(sorting, ["curve"], fours))
    assert figures[0].texts[0].get_text() == "Single-Needle Retrieval, EN: alpha-large; bucket 32k"
    assert figures[-1].get_suptitle() == "complexity 3000..20000, bucket 32* or 128k"
    with pytest.raises(CarraraError, match="digits 99") as refused:
        list(draw(sorting, ["curve"], Options(where=(condition("digits=99"),))))
    assert "digits" in refused.value.hint
    for text in (
        "",
        "digits",
        "digits=",
        "=4",
        "digits=4..",
        "digits=a",
        "digits=4...5",
        "complexity=1e9",
        "digits=4\n",
    ):
        with pytest.raises(CarraraError, match="--where"):
            condition(text)


@pytest.mark.usefixtures("svg_alone")
def test_sixty_models_over_two_releases_are_ranked_together():
    skills = {f"model {number}": number / 60 for number in range(60)}
    here, there = (several(helmet(2), skills) for _ in range(2))
    twins = [replace(one, release="twin@1.0.0", stream="twin/1") for one in there]
    joined = join([*here, *twins])
    assert [one.model for one in joined] == list(skills)
    for kind in ("id", "question"):
        assert len({getattr(row, kind) for row in joined[0].rows}) == 2 * len(
            {getattr(row, kind) for row in here[0].rows}
        )
    assert names([*here, *twins], "spearman", where=(condition("bucket=32k"),)) == ["spearman_bucket-32k"]
    notes = []
    assert [drawn.name for drawn in draw(here, ["spearman", "curve"], note=notes.append)] == ["spearman"]
    assert notes == ["skipped curve: of 60 models, 24 at most can be told apart by their lines"]
    with pytest.raises(CarraraError, match=r"twin@1.0.0 .stream twin/1. of 'model 0' and not of 'model 59'"):
        join([*here, *twins[:-1]])


def test_the_needles_of_a_paper_have_a_map_of_their_weighted_mean(monkeypatch):
    rows = [
        row(task, "en", "32k", number, depths=(number / 2,))
        for task in ("single_needle", "multi_needle", "needle_reasoning")
        for number in range(3)
    ]
    right = {"single_needle": 1.0, "multi_needle": 0.0, "needle_reasoning": 0.5}
    scored = made(rows)
    scored = replace(scored, rows=tuple(replace(one, score=right[one.task]) for one in scored.rows))
    figures = []
    monkeypatch.setattr("carrara.plots.figures.save", lambda figure, form: figures.append(figure) or b"")
    assert names([scored], "depth_map")[-1] == "depth_map_needlebench_alpha"
    texts = [text.get_text() for text in figures[-1].axes[0].texts]
    assert texts == ["55", "55", "55", "55"]


def test_what_is_only_copied_is_dotted_in_the_same_panel(monkeypatch):
    sorting = several(one for one in verbatimeval() if one.task == "numeric_sorting")
    axes = drawn_axes(monkeypatch, sorting, "curve")
    of_length = axes[:2]
    assert [panel.get_title("left") for panel in of_length] == [
        "Numeric Sorting, ascending",
        "Numeric Sorting, descending",
    ]
    assert all([line.get_linestyle() for line in panel.lines].count(":") == len(MODELS) for panel in of_length)


@pytest.mark.usefixtures("svg_alone")
def test_the_band_is_what_was_asked_for():
    rows = [row("ruler", "", bucket, n) for bucket in ("32k", "128k") for n in range(40)]
    (interval,) = draw([made(rows)], ["curve"])
    (deviation,) = draw([made(rows)], ["curve"], Options(band="deviation"))
    assert interval.svg != deviation.svg


def drawn_axes(monkeypatch, results, kind) -> list:
    """The axes of every figure of a kind, in order, before they become files."""
    found = []
    monkeypatch.setattr("carrara.plots.figures.save", lambda figure, form: found.append(figure) or b"")
    list(draw(results, [kind]))
    return [axes for figure in dict.fromkeys(found) for axes in figure.axes]


def test_depths_stand_in_eleven_bins_or_twentyone(monkeypatch):
    rows = [row("rag", "world", "32k", n, depths=(n / 300,)) for n in range(301)]
    maps, _ = drawn_axes(monkeypatch, [made(rows)], "depth_map")
    assert [tick.get_text() for tick in maps.get_yticklabels()] == [*map(str, range(0, 101, 10)), "mean"]
    (curve,) = drawn_axes(monkeypatch, [made(rows)], "depth_curves")
    (line,) = curve.get_lines()
    # One point a depth: no line stands upright.
    assert list(line.get_xdata()) == [10 * depth for depth in range(11)]
    rows = [row("rag", "world", "32k", n, depths=(n % 21 / 20,)) for n in range(63)]
    maps, _ = drawn_axes(monkeypatch, [made(rows)], "depth_map")
    assert len(maps.get_yticklabels()) == 22


def test_panels_share_their_axes_and_no_labels_meet(monkeypatch):
    lengths = {"1needle": (4, 5, 6, 40), "2needle": (9, 300), "4needle": (700, 1_000)}
    rows = [
        row("mrcr", variant, "1M", n, tokens=1_000 * length, complexity=2)
        for variant, sizes in lengths.items()
        for length in sizes
        for n in range(3)
    ]
    rows = [replace(one, id=f"{one.id}{number}") for number, one in enumerate(rows)]
    axes = drawn_axes(monkeypatch, [made(rows)], "cumulative")
    assert len(axes) >= 1
    for kind in ("curve", "cumulative"):
        axes = drawn_axes(monkeypatch, [made(rows)], kind)
        assert len({(*panel.get_xlim(), *panel.get_ylim()) for panel in axes}) == 1
        for panel in axes:
            low, high = (math.log(limit) for limit in panel.get_xlim())
            shares = [(math.log(tick) - low) / (high - low) for tick in panel.get_xticks()]
            assert shares and all(after - before > 0.12 for before, after in pairwise(shares)), panel.get_xticks()


def test_rank_correlation_by_hand():
    assert correlation([1, 2, 3, 4], [10, 20, 30, 40]) == 1
    assert correlation([1, 2, 3], [3, 2, 1]) == -1
    assert correlation([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    # Ties at their mean rank: 1, 2.5, 2.5, 4 against 1, 2, 3, 4.
    assert correlation([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert correlation([1, 1, 1], [1, 2, 3]) is None


@pytest.mark.usefixtures("svg_alone")
def test_models_without_rows_in_common():
    one, other = made(few_needles(), "a"), made(helmet(2), "b")
    notes = []
    # Maps are drawn of a model alone; curves want what every model has.
    found = [drawn.name for drawn in draw([one, other], note=notes.append)]
    assert found and all(name.startswith("depth_map") for name in found)
    assert {note.split(":")[0] for note in notes} == {f"skipped {kind}" for kind in KINDS if kind != "depth_map"}


def test_one_question_many_models_and_empty_cells():
    rows = [one for one in few_needles() if one.item.endswith("00000") and int(one.id[-1]) % 3]
    models = {f"model number {n}": 0.4 + 0.02 * n for n in range(20)}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = list(draw(several(rows, models), ["curve"]))
    assert {drawn.name for drawn in found} == {"curve_single_needle_length"}
    for drawn in found:
        assert inches(drawn.png)[0] <= PAGE + 0.01


# --- names ------------------------------------------------------------------------------------------------------------


def test_tasks_and_data_are_called_as_their_papers_call_them():
    said = {
        ("synthetic_recall", "niah_multikey_2"): "Recall, MK-NIAH 2",
        ("mrcr", "1needle"): "MRCR, 1 needle",
        ("ancestral_trace", "reasoned_zh"): "Ancestral Trace Challenge, reasoned, ZH",
        ("sentence_arrangement", "govreport_verbatim"): "Sentence Arrangement, GovReport, verbatim",
        ("my_task", "own_data"): "my task, own data",
        ("idk", ""): "IDK",
    }
    assert {key: titled(row(*key, "32k", 0)) for key in said} == said
    assert set(TASK_NAMES) == set(TASKS)


def test_names_that_are_drawn():
    assert label("short") == "short"
    assert label("模型 7B\u202e\x1b") == "?? 7B??"
    assert len(label("x" * 500)) == 28 and "..." in label("x" * 500)
    results = [Result(name, "r@1.0.0", "s", ()) for name in ("模型", "数据", "a", "??")]
    assert model_labels(results) == ["??", "?? (2)", "a", "?? (3)"]
    assert [tokens_label(n) for n in (512, 4_096, 98_304, 1 << 20, 3 << 19)] == ["512", "4k", "96k", "1M", "1.5M"]
    assert [count_label(n) for n in (5, 407.8, 999.7, 3_270, 104_850)] == ["5", "408", "1k", "3.27k", "105k"]


def test_long_names_are_told_apart_by_what_differs():
    results = [Result(f"Some-Laboratory/Model-{n}-instruct-long-context", "r@1.0.0", "s", ()) for n in range(3)]
    assert model_labels(results) == [f"Model-{n}-instruct-...-context" for n in range(3)]
    results = [Result(f"{'x' * 40}{n}{'y' * 39}", "r@1.0.0", "s", ()) for n in range(3)]
    labels = model_labels(results)
    assert len(set(labels)) == 3 and max(map(len, labels)) <= 28


def test_names_of_files_stay_in_their_folder():
    assert file_name("depth_map", "rag_nq", "../../etc/passwd") == "depth_map_rag_nq_etc-passwd"
    assert file_name("curve", "模型", "", "A b") == "curve_a-b"
    assert len(file_name("x" * 500)) == 120


HOSTILE = "$\\frac{1}$ <script>&amp;--> %s 模型"


@pytest.mark.usefixtures("svg_alone")
def test_hostile_names_are_drawn_as_text():
    rows = [one for one in few_needles() if one.bucket == "4k"]
    rows += [one for one in verbatimeval() if one.dataset == "entity_grouping_world" and one.bucket == "32k"]
    results = [replace(made(rows, "a"), model=HOSTILE), replace(made(rows, "b"), model=HOSTILE[::-1])]
    odd = {"]]>": 0.5, "$x^2$": 0.25, "<b>": 1.0, "": 0.1}
    for place, one in enumerate(results):
        kept = tuple(replace(each, classes=odd) if each.classes else each for each in one.rows)
        results[place] = replace(one, rows=kept)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for drawn in draw(results, ["depth_map", "depth_curves", "categories", "radar"]):
            ElementTree.fromstring(drawn.svg)
            assert b"<script" not in drawn.svg
            assert re.fullmatch(r"[a-z0-9._-]+", drawn.name)


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_writes_three_forms_and_names_what_it_skips(tmp_path):
    paths = write_results(tmp_path, few_needles())
    out = tmp_path / "new" / "figures"
    done = here("plot", *paths, "--out", out, "--kind", "depth_curves", "--kind", "radar")
    assert done.code == 0, done
    assert sorted(path.name for path in out.iterdir()) == [
        f"depth_curves_single_needle_en.{ending}" for ending in ("pdf", "png", "svg")
    ]
    assert done.out.splitlines() == [
        str(out / f"depth_curves_single_needle_en.{ending}") for ending in ("png", "svg", "pdf")
    ]
    assert "skipped radar: " in done.err
    table = json.loads(here("plot", *paths, "--out", out, "--kind", "depth_curves", "--json").out)
    assert table["skipped"] == [] and len(table["written"]) == 3


def test_what_the_command_refuses(tmp_path):
    (good,) = write_results(tmp_path, [row("ruler", "", "32k", n) for n in range(2)], {"only": 0.5})
    out = tmp_path / "figures"
    bad = tmp_path / "bad.json"
    for text, said in (
        ("", "invalid JSON"),
        ("[]", "carrara/result"),
        ('{"format": "carrara/result", "version": 9}', "version 9"),
        (json.dumps(result([row("ruler", "", "32k", 0)], model="\u202e")), "model"),
    ):
        bad.write_text(text)
        assert is_refusal(here("plot", bad, "--out", out), said, "bad.json")
    assert is_refusal(here("plot", good, "--out", out), "nothing to draw")
    assert is_refusal(here("plot", good, "--out", out, "--kind", "pie"), "'pie'", "cumulative")
    assert is_refusal(here("plot", tmp_path / "none.json", "--out", out), "none.json")
    assert not out.exists()


def test_importing_plots_does_not_load_matplotlib():
    python("import sys, carrara.plots.figures, carrara.cli.score; assert 'matplotlib' not in sys.modules")


@pytest.mark.slow
def test_every_row_of_every_task_is_drawn():
    rows = every_row()
    assert {name for one in several(rows) for name in one.rows[0].classes} <= set(CLASSES)
    found = list(draw(several(rows)))
    assert len(found) > 60 and len({drawn.name for drawn in found}) == len(found)
