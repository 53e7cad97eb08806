"""What commands print: a row with its evidence in place, tables, and nothing that a terminal would obey."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from carrara.cli.show import AROUND, ENDS, show, show_json
from carrara.cli.tables import duration, plan_table, score_screen, score_table, source_line, verify_table
from carrara.making.forecast import BuildPlan, PlannedConfig, PlannedSource
from carrara.recipe.recipe import Recipe
from carrara.release.verify import Problem, Verification
from carrara.scoring.report import score
from carrara.text.display import count, size, visible

NEEDLE = "The vault of Veld opens with kestrel."


def row(prompt=None, **changes):
    prompt = prompt if prompt is not None else "Intro. " * 200 + NEEDLE + " Sky." * 400 + "\nAnswer:"
    start = prompt.find(NEEDLE)
    return {
        "id": "needlebench/single_needle_en/4k/00003",
        "item": "needlebench/single_needle_en/00000",
        "task": "single_needle",
        "variant": "en",
        "bucket": "4k",
        "tokens": 3_968,
        "max_output_tokens": 128,
        "metric": "needlebench/keywords",
        "answers": ["kestrel"],
        "choices": [],
        "complexity": 1,
        "group": "needlebench/single_needle_en/4k/q00000",
        "depths": [0.3],
        "evidence": [{"start": start, "end": start + len(NEEDLE)}],
        "facts": '{"depth":0.3}',
        "answer_prefix": "",
        "prompt": prompt,
        **changes,
    }


def printed(renderable=None, *, width=80, shown=None, color=False):
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=color, color_system="standard" if color else None)
    if shown is not None:
        show(shown, console)
    else:
        console.print(renderable)
    return stream.getvalue()


@pytest.mark.parametrize("width", [80, 120])
def test_a_row_is_shown_with_its_evidence_in_place(width):
    text = printed(shown=row(), width=width)
    assert max(map(len, text.splitlines())) <= width
    flat = " ".join(text.split())
    for wanted in (
        "3,968 + 128 for the answer = 4,096",
        "evidence 1 of 1, depth 30.0%, characters 1,400–1,437",
        f"»{NEEDLE}« Sky.",
        f"head, {ENDS} of",
        f"tail, {ENDS} of",
        "Answer:",
        "kestrel",
    ):
        assert wanted in flat


def test_evidence_is_highlighted_where_there_is_colour():
    assert "\x1b[1;30;43mThe vault" in printed(shown=row(), color=True)


def test_markup_and_control_characters_are_shown_not_obeyed():
    evil = "[red]x[/red] [link=http://e]y[/link] \x1b[31m \x07 \u202e \u200b \ud800 \x9b :smile: \r\x00"
    prompt = f"{evil}{NEEDLE}{evil}"
    changes = {"id": evil, "answers": [evil], "facts": evil, "task": evil, "group": evil, "answer_prefix": evil}
    text = printed(shown=row(prompt, **changes))
    for character in "\x1b\x07\u202e\u200b\ud800\x9b\r\x00":
        assert character not in text
    for wanted in ("[red]x[/red]", "[link=http://e]", "␛[31m", "<U+202E>", "<U+D800>", ":smile:"):
        assert wanted in text
    text.encode()


def test_what_is_shown_is_bounded():
    prompt = "x" * 3_000_000
    spans = [{"start": number * 1_000, "end": number * 1_000 + 900_000} for number in range(2_000)]
    changes = {"evidence": spans, "depths": [0.5] * 2_000, "answers": ["y" * 100_000] * 5_000, "facts": "z" * 10**6}
    text = printed(shown=row(prompt, **changes))
    assert len(text) < 120_000
    assert "and 4988 more" in text
    assert "more pieces of evidence" in text


def test_spans_outside_the_prompt_show_nothing():
    spans = [{"start": -5, "end": -1}, {"start": 9, "end": 3}, {"start": 10**9, "end": 10**9 + 5}]
    text = printed(shown=row("short", evidence=spans))
    assert text.count("the span is empty") == 3


def test_json_holds_the_row_without_the_bulk():
    value = json.loads(json.dumps(show_json(row())))
    assert value["facts"] == {"depth": 0.3}
    piece = value["evidence"][0]
    assert (piece["text"], piece["depth"], len(piece["before"]), len(piece["after"])) == (NEEDLE, 0.3, AROUND, AROUND)
    assert value["prompt"]["characters"] == len(row()["prompt"])
    assert len(value["prompt"]["head"]) == len(value["prompt"]["tail"]) == ENDS


@pytest.mark.parametrize("facts", ["no json", '{"a":NaN}', "[" * 100_000, ""])
def test_facts_that_are_no_json_stay_text(facts):
    assert show_json(row(facts=facts))["facts"] == facts


def test_depth_falls_back_to_the_place_in_the_text():
    value = show_json(row(depths=[]))
    assert value["evidence"][0]["depth"] == pytest.approx(1_400 / len(row()["prompt"]))


def test_visible_keeps_what_people_read():
    assert visible("Müller 中文　，\nnext") == "Müller 中文　，\nnext"
    assert visible("a\tb\x7f\x85\u2028\ufeff") == "a␉b␡<U+0085><U+2028><U+FEFF>"
    assert visible("abcdef", 3) == "abc…"


def report():
    rows = [
        {
            "id": f"n/t_en/{bucket}/{number:05d}",
            "task": "single_needle",
            "variant": "en",
            "bucket": bucket,
            "metric": "needlebench/keywords",
            "answers": ["yes"],
            "complexity": 1,
            "group": f"g{number}",
            "depths": [number / 6],
            "prompt": "",
        }
        for bucket in ("32k", "128k", "1M")
        for number in range(6)
    ]
    responses = {each["id"]: "yes" for each in rows[1:]} | {"strange\x1b[31m[red]": "x"}
    return score(rows, responses).to_json()


@pytest.mark.parametrize("width", [80, 120])
def test_scores(width):
    text = printed(score_table(report()), width=width)
    assert max(map(len, text.splitlines())) <= width
    assert "mean of the tasks" in text
    assert "rows without a response, counted 0: 1 (n/t_en/32k/00000)" in text
    assert "␛[31m[red]" in text
    assert "single_needle  0-10%" in text
    assert text.index("single_needle_en_32k") < text.index("single_needle_en_128k") < text.index("single_needle_en_1M")
    line = next(line for line in text.splitlines() if "single_needle_en_32k" in line)
    assert line.split()[1] == "83.3"
    # Five right of six: 35.9 to 99.6, and the difference that so many can tell.
    assert line.split()[2:] == ["35.9–99.6", "88.9", "100.0", "6", "1"]
    assert "as needlebench reports" in text and "single_needle 1M" in text


def test_names_of_a_hostile_release_do_not_reach_the_terminal_or_the_markup():
    evil = "\x1b[31m[red]|$x_{}^\\\n"
    rows = [
        {"id": f"{evil}{n}", "task": evil, "variant": "", "bucket": evil, "metric": "subem", "answers": ["a"]}
        for n in (1, 2)
    ]
    made = score(rows, {rows[0]["id"]: "a"}, model="m", release=evil)
    for text in (printed(score_screen(made, 80, details=True)), *(made.table(kind) for kind in ("md", "csv", "latex"))):
        assert "\x1b" not in text and "␛[31m" in text.replace("\\", "").replace("&#91;", "[")
    for line in made.table("md").splitlines()[:5]:
        assert line.replace("\\|", "").count("|") == 3
    assert r"|\$x\_\{\}\textasciicircum{}\textbackslash{}␊" in made.table("latex").splitlines()[0]


def test_verification():
    checked = {"files": 8, "configs": 2, "rows": 0}
    good = printed(verify_table(Verification(checked=checked)))
    assert "8 files, 2 configs\n" in good
    assert "all is as the manifest says" in good
    problem = Problem("rows", "c_4k", "", "", "[red]got[/red] \x1b[2J")
    bad = printed(verify_table(Verification([problem] * 60, checked, ["a"])))
    for wanted in ("c_4k", "[red]got[/red] ␛[2J", "and 10 more", "60 problems", "re-encoded"):
        assert wanted in bad
    nothing = printed(verify_table(Verification()))
    assert "checked: nothing" in nothing
    assert "all is" not in nothing


def test_plan():
    one = PlannedConfig("single_needle_en_32k", 88, 8, 0.7724, 1, 1_610_752, 3_900_000, 4.2)
    two = replace(one, config="x", rows=8_800, questions=5, apart=None, bytes=20_000_000_000, seconds=7_300)
    source = PlannedSource("squad", "missing", "[red]none[/red] \x1b[2J")
    recipe = Recipe.from_toml("quickstart")
    text = " ".join(printed(plan_table(BuildPlan(recipe, (one, two), (), 60.0, 0.2256, {}))).split())
    assert "single_needle_en_32k 88 8 77.2 1.61M 3.9 MB 4.2 s" in text and "x 8,800 5 – 1.61M" in text
    assert (
        "all 8,888 22.6 3.22M 20 GB 2 h 02 min" in text
        and "1,605 questions tell 5 points" in text
        and "includes 1 min 00 s to begin" in text
    )
    assert printed(source_line(source)) == "source squad: missing: [red]none[/red] ␛[2J\n"


def test_numbers_for_people():
    numbers = (0, 950, 999, 1_000, 32_768, 999_949, 999_960, 1_048_576, 12.3e9)
    assert [count(number) for number in numbers] == ["0", "950", "999", "1k", "32.8k", "1M", "1M", "1.05M", "12.3G"]
    assert [size(number) for number in (950, 1_200, 34e6)] == ["950 B", "1.2 kB", "34 MB"]
    times = (0.31, 9.94, 59.4, 59.6, 185, 3_599.7, 7_800)
    expected = ["0.3 s", "9.9 s", "59 s", "1 min 00 s", "3 min 05 s", "1 h 00 min", "2 h 10 min"]
    assert [duration(seconds) for seconds in times] == expected
