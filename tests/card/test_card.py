"""The card: right facts, the recipe's order, valid front matter, and no text of a recipe that becomes markup."""

import re

import pytest
import yaml
from cards import HOSTILE, cell, content, with_text
from folders import ROOT
from unchecked import unchecked

from carrara.card.card import card as rendered
from carrara.card.card import details as beside
from carrara.croissant.responsible_ai import SECTIONS, written_sections
from carrara.errors import ReleaseError
from carrara.release.configs import config_order
from carrara.release.manifest import release_root
from carrara.release.schema import Content
from carrara.text.markdown import code, escape, link, one_line, percent, quoted

ROW = {
    "id": "needlebench/single_needle_en/32k/00000",
    "tokens": 32_640,
    "metric": "needlebench/keywords",
    "prompt": "Hay.\n" * 1_000 + "\nWhat is the name?",
    "answers": ["Jetadel Pigedor", "Jetadel"],
}


def card(table: dict, row: dict | None = None) -> str:
    return rendered(unchecked(Content, table), row)


def details(table: dict) -> str:
    return beside(unchecked(Content, table))


def front_matter(text):
    assert text.startswith("---\n")
    return yaml.safe_load(text.split("\n---\n", 1)[0].removeprefix("---\n"))


def test_front_matter_is_what_the_hub_reads():
    data = front_matter(card(content()))
    assert data["pretty_name"] == "Needles"
    assert data["license"] == "apache-2.0"
    assert data["language"] == ["en", "zh"]
    assert data["size_categories"] == ["n<1K"]
    assert data["task_categories"] == ["question-answering"]
    assert data["tags"] == ["long-context", "benchmark"]
    assert [(entry["config_name"], entry["data_files"]) for entry in data["configs"]] == [
        (name, [{"split": "test", "path": f"data/{folders}/test-*.parquet"}])
        for name, folders in {
            "32k": "*_32k",
            "128k": "*_128k",
            "single_needle": "single_needle_*",
            "single_needle_en_32k": "single_needle_en_32k",
            "single_needle_en_128k": "single_needle_en_128k",
            "single_needle_zh_32k": "single_needle_zh_32k",
            "single_needle_zh_128k": "single_needle_zh_128k",
        }.items()
    ]
    # What `load_dataset` takes that is told no name: the smallest bucket.
    assert [entry["config_name"] for entry in data["configs"] if entry.get("default")] == ["32k"]


def test_a_name_that_loads_several_configs_loads_no_other_and_hides_none():
    cells = (cell("rag", ("",)), cell("rag_hard", ("",)), cell("32k", ("",)), cell("rag", ("128k",), buckets=("1M",)))
    entries = front_matter(card(content(*cells)))["configs"]
    paths = {entry["config_name"]: entry["data_files"][0]["path"] for entry in entries}
    assert len(paths) == len(entries)
    # A pattern rag_* would take the rows of rag_hard.
    assert paths["rag"] == [f"data/{name}/test-*.parquet" for name in ("rag_32k", "rag_128k", "rag_128k_1M")]
    assert paths["rag_hard"] == "data/rag_hard_*/test-*.parquet"
    # The bucket goes before the task of its name, whose rows the pattern 32k_* would take.
    assert paths["32k"] == "data/*_32k/test-*.parquet"
    assert paths["1M"] == "data/*_1M/test-*.parquet"


def test_the_hub_s_own_reader_takes_the_card():
    hub = pytest.importorskip("huggingface_hub")
    for text in (card(content()), card(with_text(content(), HOSTILE) | {"written": "## Limits\n\nNone."})):
        data = hub.DatasetCard(text).data
        assert len(data.to_dict()["configs"]) == 7


def test_a_licence_that_the_hub_does_not_know_or_several_are_other():
    facts = content()
    facts["configs"]["single_needle_zh_32k"]["licence"] = "CC-BY-4.0"
    assert front_matter(card(facts))["license"] == "other"
    for config in facts["configs"].values():
        config["licence"] = "my own"
    data = front_matter(card(facts))
    assert (data["license"], data["license_name"]) == ("other", "stated-per-config")


def test_a_licence_lists_tasks_and_variants_and_configs_where_buckets_differ():
    facts = content()
    assert "- Apache-2.0: all configs\n" in card(facts)
    facts["configs"]["single_needle_zh_32k"]["licence"] = "CC-BY-4.0"
    text = card(facts)
    assert "- Apache-2.0: `single_needle_en`, `single_needle_zh_128k`\n" in text
    assert "- CC-BY-4.0: `single_needle_zh_32k`\n" in text


@pytest.mark.parametrize(("rows", "size"), [(249, "n<1K"), (250, "1K<n<10K"), (250_000, "1M<n<10M")])
def test_size_category(rows, size):
    assert front_matter(card(content(rows=rows)))["size_categories"] == [size]


def test_language_comes_from_variants_then_sources():
    facts = content(cell(task="mrcr", variants=("2needle",)))
    # The world is in both; where the variant names none its task is English.
    assert front_matter(card(facts))["language"] == ["en"]
    facts["sources"]["world"]["lang"] = "zh"
    assert front_matter(card(facts))["language"] == ["zh"]
    assert front_matter(card(content(cell(task="idk", variants=("",), source=""))))["language"] == ["en"]


def test_the_card_does_not_say_that_short_rows_fill_their_bucket():
    documents, traces = (cell(task, ("x",), ("32k",), "full", "") for task in ("summarization", "ancestral_trace"))
    documents["params"], traces["params"] = {"short": "whole"}, {"fill": "none"}
    text = details(content(documents, traces))
    assert "shorter than its row is shown whole" in text and "nothing fills its bucket" in text
    assert "every row fills its bucket" not in text
    assert "every row fills its bucket" in details(content(cell(lengths="full")))


def test_configs_stand_in_the_recipe_s_order():
    cells = (cell(task="b", buckets=("4k", "1M")), cell(task="a", variants=("",), buckets=("32k",)))
    facts = content(*cells)
    facts["configs"] = dict(sorted(facts["configs"].items()))
    expected = ["b_en_4k", "b_en_1M", "b_zh_4k", "b_zh_1M", "a_32k"]
    assert config_order(unchecked(Content, facts)) == expected
    text = details(facts)
    assert [line.split("`")[1] for line in text.splitlines() if re.match(r"\| `[ab]_", line)] == expected


def test_the_details_say_how_small_a_difference_the_questions_tell():
    facts = content()
    first, *_ = sorted(facts["configs"])
    facts["configs"][first]["items"] = 50
    told = {
        line.split("`")[1]: line.split(" | ")[2:4] for line in details(facts).splitlines() if line.startswith("| `")
    }
    assert told.pop(first) == ["50", "29.5"]
    assert [told[name] for name in sorted(facts["configs"])[1:]] == [["4", "none"]] * 3


def test_the_card_says_what_a_user_needs():
    text = card({**content(), "written": "## Intended use\n\nMeasuring."}, ROW)
    for wanted in (
        "`needles@1.2.3` is a long-context benchmark: 352 prompts of up to 130,944 tokens, for 1 task of\n"
        "[NeedleBench](https://arxiv.org/abs/2407.11963v1).",
        "```text\n…\n"
        + "Hay.\n" * 7
        + "\nWhat is the name?\n```\n\nThe answer: `Jetadel Pigedor` and 1 more. The metric: "
        "`needlebench/keywords`.",
        "| `single_needle` | Find the sentence. | 176 | 176 | `needlebench/keywords` |",
        'rows = load_dataset("out/needles/1.2.3", "32k", split="test")\n',
        "carrara run out/needles/1.2.3 --bucket 32k",
        "carrara score out/needles/1.2.3 runs/",
        "| `evidence` | `list<struct<start: int64, end: int64>>` | The spans",
        "for every row, a second program",
        f"sha256:{release_root(unchecked(Content, content()))}",
        "@misc{needles-1.2.3,\n  title = {Needles, version 1.2.3},",
        "@article{NeedleBench,",
        "`carrara-canary 0123456789abcdef`",
        "Not for training",
        "## Intended use\n\nMeasuring.",
        "<https://example.org/a_b>",
        "(DETAILS.md)",
    ):
        assert wanted in text, wanted
    assert "Nobody has written notes" not in text and "@inproceedings{HELMET" not in text
    assert "Nobody has written notes" in card(content()) and "## A row" not in card(content())


def test_a_release_that_is_published_on_the_hub_is_called_by_its_name_there():
    facts = content()
    facts["recipe"]["publication"] = {"url": "https://huggingface.co/datasets/lab/needles"}
    text = card(facts)
    assert 'load_dataset("lab/needles", "32k", split="test", revision="1.2.3")' in text
    assert "carrara score hf://lab/needles@1.2.3 runs/" in text and "out/needles" not in text


def test_the_details_say_what_is_too_long_for_the_card():
    text = details(content())
    for wanted in (
        "# Needles: details",
        "| `single_needle_en_32k` | 88 | 4 | none | 4 | 400 | 16,384 | 32,640 | 99.95 % | 1 |",
        "(figures/lengths.svg)",
        "| 40 | 32 |",
        "- **Fields of `facts`:** `reference` the sentences of the needles",
    ):
        assert wanted in text, wanted


def test_a_row_of_another_s_text_stays_a_block_of_code():
    odd = {**ROW, "prompt": "`" * 4 + "\n<script>x</script>\n---\n# h\x1b[31m\u202e", "answers": ["`x`\n| # y"]}
    text = card(content(), odd)
    assert "`````text\n````\n<script>x</script>\n---\n# h[31m\n`````\n\nThe answer: <code>&#96;x&#96;" in text


def test_a_row_s_prompt_is_shown_from_the_start_of_a_line_or_word():
    for prompt, end in (
        ("Short.", "Short."),
        ("one two\n" * 100, "…" + "\none two" * 8),
        ("word " * 100 + "\nWhat?", "… " + "word " * 78 + "\nWhat?"),
        ("字" * 500, "… " + "字" * 400),
        ("a" * 396 + "\nb c", "a" * 396 + "\nb c"),
        ("x" + "a" * 396 + "\nb c", "… " + "a" * 396 + "\nb c"),
    ):
        assert f"```text\n{end}\n```" in card(content(), {**ROW, "prompt": prompt}), end
    long = card(content(), {**ROW, "answers": ["12, " * 100]})
    assert f"The answer: `{('12, ' * 30).strip()}`…. The" in long


def test_which_answers_a_solver_found_is_counted():
    facts = content(cell("summarization", ("world",)), cell(variants=("en",)))
    assert "for 176 of 352 rows, a second program" in card(facts) and "the others (`summarization`)" in card(facts)
    assert "for no row, a second program" in card(content(cell("of_nobody", ("",))))


def test_the_best_simple_program_of_each_variant_is_a_baseline_with_what_it_leaves():
    facts = content(cell(buckets=("32k", "128k"), variants=("en",)))
    assert "## Baselines" not in card(facts)
    facts["configs"]["single_needle_en_32k"]["probes"] = [
        {"view": view, "complexity": 1, "probe": name, "items": 4, "mean": mean, "histogram": [0] * 20}
        for view, name, mean in (
            ("a", "echo", 0.5),
            ("a", "copy", 0.25),
            ("b", "echo", 0.0),
            ("b", "copy", 0.125),
            ("c", "echo", 0.0),
        )
    ]
    facts["configs"]["single_needle_en_128k"]["probes"] = [
        {"view": "a", "complexity": 1, "probe": name, "items": 4, "mean": mean, "histogram": [0] * 20}
        for name, mean in (("any name", 0.2), ("echo", 0.75))
    ]
    # The mean of 0.5, 0 and 0 at 32k; 0.75 at 128k.
    assert "| questions | drawn | 32k | 128k | left | best simple program |" in card(facts)
    assert "| `single_needle_en` | 20.0 | 16.7 | 75.0 | 25.0 | echo |" in card(facts)
    # Where a score rests on a judge, it says on which.
    for metric, told in (
        ("needlebench/keywords", "metric: of all"),
        ("citations", "metric (citations by the lexical judge): of all"),
        ("judge/qa", "metric (ROUGE-L where that is a judge): of all"),
    ):
        facts["configs"]["single_needle_en_32k"]["metric"] = metric
        assert f"x 100 by the row's {told}" in card(facts)


def test_the_same_content_gives_the_same_card():
    facts = content()
    turned = {key: facts[key] for key in reversed(facts)}
    turned["configs"] = dict(reversed(facts["configs"].items()))
    assert card(facts) == card(turned) and details(facts) == details(turned)


def test_hostile_text_stays_text():
    plain, hostile = (card(table) + details(table) for table in (with_text(content(), text) for text in ("x", HOSTILE)))
    shape = re.compile(r"^(#+ |\| |---$|```)", re.MULTILINE)
    assert shape.findall(hostile) == shape.findall(plain)
    data = front_matter(hostile)
    assert data["pretty_name"] == one_line(HOSTILE)
    body = hostile.split("\n---\n", 1)[1]
    body = re.sub(r"^(`{3,})\w+\n.*?^\1$", "", body, flags=re.MULTILINE | re.DOTALL)
    assert "<script" not in body and "```" not in body
    assert not re.search(r"(?<!\\)\]\(javascript", body)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e\ud800]", hostile)
    hostile.encode()
    for table in re.findall(r"(?:^\|.*\n)+", body, re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}) == 1, table
    long = with_text(content(), "x" * 100_000)
    assert max(map(len, (card(long) + details(long)).splitlines())) < 10_000


@pytest.mark.parametrize("start", ["- x", "# x", "1. x", "> x", "---", "===", "    x", "| a | b |", "```", "$$ x"])
def test_text_begins_no_block(start):
    shape = re.compile(r"^ *(#+ |\| |[-+*] |\d+[.)] |>|---$|===|```|\$\$)", re.MULTILINE)
    for text in (card, details):
        assert shape.findall(text(with_text(content(), start))) == shape.findall(text(with_text(content(), "x")))


def test_config_names_that_leave_their_folder_are_refused():
    for name in ("../evil_32k", "a/b_32k", 'a"b_32k', "*_32k", ""):
        facts = content()
        facts["configs"][name] = facts["configs"]["single_needle_en_32k"]
        with pytest.raises(ReleaseError, match="got config name"):
            card(facts)


def test_a_release_without_a_config_has_no_card():
    with pytest.raises(ReleaseError, match="without configs"):
        card({"recipe": {"cells": []}, "configs": {}})


def test_text_tools():
    assert one_line(" a\n\tb\u2028c\x00\u202ed ") == "a b cd"
    assert one_line("x" * 30, 10) == "x" * 10 + "…"
    assert escape("a_b|c<d>&[e]`f`") == r"a\_b\|c&#60;d&#62;&#38;\[e\]\`f\`"
    assert code("a_b = [1, 2]") == "`a_b = [1, 2]`"
    assert code("a`|<") == "<code>a&#96;&#124;&#60;</code>"
    assert link("https://a.org/x?y=1") == "<https://a.org/x?y=1>"
    assert link("javascript:alert(1)") == "javascript:alert(1)"
    assert yaml.safe_load(quoted('on: "x" \\ 😀\u0085\ufeff # no')) == 'on: "x" \\ 😀 # no'
    assert [percent(share) for share in (1.0, 0.999999, 0.5)] == ["100 %", "99.99 %", "50 %"]


@pytest.mark.parametrize("file", sorted((ROOT / "dataset_cards").glob("*.md")), ids=lambda f: f.stem)
def test_written_sections_fit_into_a_card(file):
    written = file.read_text(encoding="utf-8")
    headings = [line for line in written.splitlines() if line.startswith("#")]
    assert [
        heading.removeprefix("## ").removesuffix(" from the papers").removesuffix(" from the paper")
        for heading in headings
    ] == [*("Intended use", "Limits", "Biases", "Personal data", "Collection", "Maintenance", "Deviations")]
    # Croissant has each of them as plain text.
    sections = written_sections(written)
    assert set(sections) == {heading.split()[1] for heading in headings} == set(SECTIONS)
    for name, statements in sections.items():
        assert len(" ".join(statements)) > 40 and all(statements), name
        assert not re.search(r"[`*#]|^- |\n", " ".join(statements)), name
    assert written.strip() in card({**content(), "written": written.strip()})


def test_a_published_scorer_that_rewards_wrong_answers_is_named():
    text = details(content(cell()))
    assert "`latent_list/paper`, kept as it is, gives wrong answers up to: prompt echo 0.50." in text


def test_what_a_task_tells_of_its_rows_stands_in_a_table():
    facts = content(cell(), cell("mrcr", ("2needle",)))
    assert "What a row holds" not in details(facts)
    told = facts["configs"]["single_needle_en_32k"]
    told["notes"] = {
        "examples": {"min": 900, "max": 1_100, "mean": 1_000.4},
        "times | that the most repeated one stands": {"min": 5, "max": 5, "mean": 5.0},
    }
    lines = details(facts).splitlines()
    at = lines.index("What a row holds, lowest to highest (mean):")
    assert lines[at + 2] == r"| config | examples | times \| that the most repeated one stands |"
    assert lines[at + 4] == "| `single_needle_en_32k` | 900–1,100 (1,000) | 5 |"
    assert not lines[at + 5].startswith("|") and lines.count(lines[at]) == 1
    # Of a manifest that was read again the keys are sorted.
    told["notes"] = dict(reversed(told["notes"].items()))
    assert details(facts).splitlines() == lines
