"""The page: one file, nothing asked of the network, nothing hostile obeyed, bounded, the same bytes every time."""

import base64
import hashlib
import json
import re
import shutil
from collections import Counter
from importlib.resources import files

import pytest
from commands import CONFIGS, common, here, is_refusal, recipe, release, tree
from pages import EVIL, LINK, WHERE, Parts, evil_release
from toys import tasks, toy_recipe, toy_row, write_release
from unchecked import unchecked

from carrara.card.chance import by_strategy
from carrara.errors import ReleaseError
from carrara.page import charts as page_charts
from carrara.page.charts import coverage, maps
from carrara.page.page import page
from carrara.page.rows import MOST_ROWS, ROWS, ModelAnswers, choose, cut, page_row, rows_per_config, spread
from carrara.release.manifest import canonical
from carrara.release.reader import open_release, rows, rows_at
from carrara.release.report import score_release
from carrara.release.schema import ConfigFacts, ProbeFacts
from carrara.scoring import read_responses
from carrara.text.html import element, escaped, link, script_json, size_label

__all__ = ["common", "recipe", "release", "tasks"]

ROW = "needlebench/single_needle_en/4k/00001"


@pytest.fixture
def toys(tasks, tmp_path):
    return write_release(tmp_path / "toys", toy_recipe())


@pytest.fixture
def evil(tasks, tmp_path):
    return evil_release(tmp_path / "evil")


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_writes_one_file_beside_the_release_never_into_it(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = tree(release)
    done = here("page", release)
    assert (done.code, done.out) == (0, "small-1.0.0.html\n"), done
    count = sum(facts.rows for facts in open_release(release).configs.values())
    assert f"{count} of {count} rows, " in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["small-1.0.0.html"] and tree(release) == before
    told = json.loads(here("page", release, "--out", tmp_path / "p.html", "--json").out)
    data = (tmp_path / "p.html").read_bytes()
    assert told == {"file": str(tmp_path / "p.html"), "bytes": len(data), "rows": count, "of": count}
    (tmp_path / "folder").mkdir()
    assert here("page", release, "--out", tmp_path / "folder").out.endswith("folder/small-1.0.0.html\n")


def test_a_page_is_not_written_into_a_release(release, toys, tmp_path, monkeypatch):
    for out in (release / "p.html", release / "figures" / "p.html", toys / "data" / "x" / "p.html"):
        assert is_refusal(here("page", release, "--out", out), "lies in a release", "another folder")
        assert not out.exists()
    (tmp_path / "way").symlink_to(toys)
    assert is_refusal(here("page", release, "--out", tmp_path / "way" / "p.html"), "lies in a release")
    monkeypatch.chdir(toys)
    assert is_refusal(here("page", "."), "lies in a release")


def test_the_same_release_gives_the_same_bytes_wherever_it_lies(release, tmp_path, monkeypatch):
    copy = shutil.copytree(release, tmp_path / "elsewhere" / "copy")
    first = page(open_release(release)).data
    monkeypatch.chdir(tmp_path)
    assert page(open_release(copy)).data == first
    assert str(tmp_path) not in first.decode() and str(release) not in first.decode()


def test_what_is_no_release_or_no_row_is_refused(release, tmp_path):
    assert is_refusal(here("page", tmp_path), "is not a release")
    for odd in ("nothing", "needlebench/single_needle_en/4k/99999", EVIL):
        assert is_refusal(here("page", release, "--out", tmp_path / "p.html", "--row", odd), "row")
    assert here("page", release, "--out", tmp_path / "p.html", "--rows", "-1").code == 2
    assert not (tmp_path / "p.html").exists()


# --- which rows -------------------------------------------------------------------------------------------------------


def test_rows_are_few_of_each_config_and_named_ones(release, tmp_path):
    done = here("page", release, "--out", tmp_path / "p.html", "--rows", 1, "--row", ROW)
    assert done.code == 0
    parts = Parts((tmp_path / "p.html").read_bytes())
    held = parts.data()["rows"]
    assert Counter(row["config"] for row in held) == {
        number: 2 if one["name"] == "single_needle_en_4k" else 1 for number, one in enumerate(parts.data()["configs"])
    }
    assert ROW in [row["id"] for row in held]
    total = sum(one["rows"] for one in parts.data()["configs"])
    assert f"This page holds {len(held)} of the release’s {total} rows" in parts.text
    assert "in page" in parts.text
    none = Parts(page(open_release(release), 0).data)
    assert none.data()["rows"] == [] and "holds 0 of" in none.text
    whole = Parts(page(open_release(release), 1_000).data)
    assert f"All {total} rows" in whole.text and "in page" not in whole.text


@pytest.mark.parametrize(("count", "wanted"), [(1, 1), (5, 9), (20, 20), (21, 20), (419, 20), (880, 20), (10**6, 100)])
def test_rows_are_spread_over_a_config(count, wanted):
    found = spread(count, wanted)
    assert found == sorted(set(found)) and len(found) == min(count, wanted)
    assert found[0] == 0 and found[-1] < count
    if count > wanted:
        part = count / wanted
        assert all(place * part - 1 < index < (place + 1) * part for place, index in enumerate(found))
    if count == 880:
        # 22 placements a question: the rows shown are not all of one depth.
        assert len({index % 22 for index in found}) > 10


def test_a_page_of_many_configs_holds_fewer_of_each():
    assert rows_per_config([5, 7]) == rows_per_config([100] * 25) == ROWS
    assert rows_per_config([100] * 50) == 10 and rows_per_config([3] * 90 + [100] * 10) == ROWS
    assert rows_per_config([9] * 2_000) == 1
    assert sum(min(rows_per_config([1_000] * 99), 1_000) for _ in range(99)) <= MOST_ROWS


def test_too_many_rows_for_a_page_are_refused(toys, monkeypatch):
    opened = open_release(toys)
    monkeypatch.setattr("carrara.page.rows.MAX_ROWS", 9)
    with pytest.raises(ReleaseError, match="10 rows for one page"):
        choose(opened, {name: range(5) for name in opened.configs}, 5)
    monkeypatch.setattr("carrara.page.rows.MAX_CHARACTERS", 2_000)
    with pytest.raises(ReleaseError, match="smaller --rows"):
        page(opened, 4)


def test_only_row_groups_that_hold_wanted_rows_are_read(toys, monkeypatch):
    opened = open_release(toys)
    every = list(rows(opened, "alpha_en_1k"))
    read = []
    batches = page_charts.rows.__globals__["_batches"]
    monkeypatch.setattr(
        "carrara.release.reader._batches",
        lambda table, group, columns: read.append(group) or batches(table, group, columns),
    )
    for wanted, groups in (([], []), ([0], [0]), ([3], [0]), ([1, 4], [0, 0]), ([0, 1, 2, 3, 4], [0, 1, 0])):
        read.clear()
        assert list(rows_at(opened, "alpha_en_1k", wanted)) == [(index, every[index]) for index in wanted]
        assert read == groups
    with pytest.raises(ReleaseError, match="holds 5 rows, no row 5"):
        list(rows_at(opened, "alpha_en_1k", [4, 5]))


def test_a_row_in_a_page_is_bounded_and_what_is_cut_is_counted(tasks):
    row = toy_row(toy_recipe().configs()[0], 0)
    spans = [{"start": 7 * number, "end": 7 * number + 300_000} for number in range(5_000)]
    row.update(prompt="x" * 1_000_000, evidence=spans, depths=[0.25] * 5_000, answers=["y" * 9_000] * 400)
    row.update(choices=["z"] * 50, facts=json.dumps({f"k{number}": "v" * 5_000 for number in range(3)}))
    made = page_row(row, None)
    assert len(json.dumps(made)) < 150_000
    assert (made["evidence"]["count"], made["answers"]["count"], made["choices"]["count"]) == (5_000, 400, 50)
    assert 10 < len(made["evidence"]["pieces"]) <= 100 and len(made["evidence"]["marks"]) == 1_000
    assert made["evidence"]["marks"][999] == [0.00699, 0.30699]
    for piece in made["evidence"]["pieces"]:
        head, left, tail = piece["text"]
        assert len(head) + left + len(tail) == 300_000
    assert len(made["head"][0]) + made["between"] + len(made["tail"][0]) == made["characters"] == 1_000_000
    assert [len(head) + left + len(tail) for head, left, tail in made["answers"]["first"]] == [9_000] * 12
    assert all(head.startswith('"v') and tail.endswith('v"') for _, (head, _, tail) in made["facts"]["pairs"])
    assert made["facts"]["left"] == 0 and not made["listed"]


def test_a_short_row_is_whole(tasks):
    row = toy_row(toy_recipe().configs()[0], 1)
    made = page_row(row, None)
    assert (made["head"], made["tail"], made["between"]) == ([row["prompt"]], [], 0)
    assert made["evidence"]["pieces"][0]["text"] == [row["prompt"][:4]]
    assert cut("ab\ncd", 5) == ["ab\ncd"] and cut("abcdef", 4) == ["ab", 2, "ef"]
    assert made["sha256"] == hashlib.sha256(row["prompt"].encode()).hexdigest()
    assert made["bytes"] == made["characters"] + 1


def test_digests_are_held_against_the_list(release, evil):
    told = {row["id"]: row["listed"] for row in Parts(page(open_release(release)).data).data()["rows"]}
    assert len(told) > 5 and all(told.values())
    assert not any(row["listed"] for row in Parts(page(open_release(evil, True)).data).data()["rows"])


@pytest.mark.parametrize("facts", ["", "no json", "[1, 2]", "[" * 9_999, '{"a": NaN}', "9" * 9_999, "x" * 10**6])
def test_facts_of_any_form_are_shown(tasks, facts):
    made = page_row({**toy_row(toy_recipe().configs()[0], 0), "facts": facts}, None)["facts"]
    assert made == {"pairs": [["a", ["NaN"]]], "left": 0} if "NaN" in facts else len(str(made)) < 6_200


# --- responses --------------------------------------------------------------------------------------------------------


def test_responses_are_scored_cut_and_shown_with_the_rows_that_were_asked(release, tmp_path):
    opened = open_release(release)
    every = list(rows(opened, "single_needle_en_4k"))
    texts = [every[0]["answers"][0], f"</script><script>{EVIL}".ljust(1_000_000, "x"), None]
    file = tmp_path / "mine.jsonl"
    lines = [{"id": one["id"], "response": text} for one, text in zip(every, texts, strict=False)]
    lines[1]["finish_reason"] = "length"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = here("page", release, "--responses", file, "--out", tmp_path / "p.html")
    assert done.code == 0, done
    data = (tmp_path / "p.html").read_bytes()
    parts = Parts(data)
    allowed_parts(parts)
    held = {row["id"]: row["response"] for row in parts.data()["rows"]}
    # A row of a config that was run and has no line is missing; other configs were not run.
    assert set(held) == {one["id"] for one in every} and parts.data()["model"] == "mine"
    shown = [held[one["id"]] for one in every]
    assert [one["verdict"] for one in shown] == ["right", "wrong", "missing", *["missing"] * (len(every) - 3)]
    assert len(every) > 3
    assert (shown[0]["score"], shown[2]["text"], shown[1]["characters"]) == (1, [], 1_000_000)
    head, left, tail = shown[1]["text"]
    assert head.startswith("</script><script>") and left == 1_000_000 - 4_000 and len(tail) == 2_000
    assert len(data) < 400_000 and "not run" in parts.text and "mine" in parts.text
    assert shown[1]["reason"].endswith("; cut at the output limit") and "Cut at the output limit: 1 row" in parts.text
    assert page(opened, answered=answers_of(opened, file)).data == data


def answers_of(opened, file) -> ModelAnswers:
    given = read_responses(file)
    return ModelAnswers(given.texts, score_release(opened, given, model=file.stem))


def test_rows_are_chosen_by_task_bucket_and_config(release, tmp_path):
    out = tmp_path / "p.html"
    assert here("page", release, "--bucket", "8k", "--out", out).code == 0
    parts = Parts(out.read_bytes())
    assert {one["bucket"] for one in parts.data()["configs"]} == {"8k"}
    assert f"of {len(parts.data()['configs'])} of its {len(CONFIGS)} configs" in parts.text
    assert is_refusal(here("page", release, "--task", "single_needel", "--out", out), "single_needle")
    # A row that is named is in the page, whatever was chosen.
    assert here("page", release, "--bucket", "8k", "--row", ROW, "--out", out).code == 0
    assert ROW in {row["id"] for row in Parts(out.read_bytes()).data()["rows"]}
    assert is_refusal(here("page", release, "--model", "x", "--out", out), "--responses")
    strangers = tmp_path / "strangers.jsonl"
    strangers.write_text('{"id": "a/b/4k/00000", "response": "x"}\n')
    assert is_refusal(here("page", release, "--responses", strangers, "--out", out), "a/b/4k/00000")


# --- charts -----------------------------------------------------------------------------------------------------------


def test_depth_by_length_counts_every_piece_without_a_prompt(release, monkeypatch):
    asked = []
    monkeypatch.setattr(page_charts, "rows", lambda *words: asked.append(words[2]) or rows(*words))
    opened = open_release(release)
    found = coverage(opened, CONFIGS)
    assert {"prompt", "facts"}.isdisjoint(sum(asked, ())) and len(asked) == len(CONFIGS)
    pieces = sum(len(row["depths"]) for row in rows(opened, "single_needle_en_8k"))
    places, count = found["single_needle"]
    assert count == sum(opened.configs[name].rows for name in CONFIGS if name.startswith("single"))
    assert sum(many for (length, _), many in places.items() if length > 4_096) == pieces > 0
    assert not found["numeric_sorting"][0]
    drawn = str(maps(found))
    parts = Parts(drawn.encode())
    cells = [int(text) for text in re.findall(r'<td class="heat-[1-5]">([0-9,]+)</td>', drawn)]
    assert sum(cells) == places.total()
    assert "Without depths" in parts.text and "numeric_sorting" in parts.text
    assert re.findall(r'<th scope="col" title="[^"]*">([^<]+)</th>', drawn) == ["4k", "8k"]


def test_lengths_close_together_share_a_column():
    places = Counter({(size, 0): 1 for size in (32_600, 32_768, 131_072)})
    drawn = str(maps({"x": (places, 3)}))
    assert re.findall(r'title="([^"]*)"', drawn) == ["32,600 to 32,768 tokens", "131,072 tokens"]
    many = Counter({(2_000 + 37 * number, number % 10): number for number in range(1, 20_000)})
    drawn = str(maps({"x": (many, 1)}))
    assert 4 <= len(re.findall(r"title=", drawn)) <= 16
    cells = [int(text.replace(",", "")) for text in re.findall(r'<td class="heat-[1-5]">([0-9,]+)</td>', drawn)]
    assert sum(cells) == many.total()


def test_a_length_is_labelled_in_the_buckets_own_units():
    labels = {0: "0", 950: "950", 1_024: "1k", 4_333: "4.23k", 32_768: "32k", 131_000: "128k", 1_047_000: "1022k"}
    assert {size: size_label(size) for size in labels} == labels
    assert (size_label(1_048_448), size_label(1 << 20), size_label(3 << 20)) == ("1M", "1M", "3M")
    decimal = {999: "999", 32_000: "32k", 998_976: "999k", 1_000_000: "1M"}
    assert {size: size_label(size, 1_000) for size in decimal} == decimal


def test_chance_is_by_strategy_over_questions():
    cells = [
        {"view": "", "probe": "a", "complexity": complexity, "items": items, "mean": mean, "histogram": [0] * 20}
        for complexity, items, mean in ((1, 3, 0.0), (2, 1, 1.0), (1, 1, 0.4))
    ]
    one = by_strategy([unchecked(ProbeFacts, cell) for cell in cells])[0]
    assert (one.strategy, one.questions, round(one.mean, 9)) == ("a", 5, 0.28)
    assert (round(one.lowest, 9), one.highest) == (0.1, 1.0)
    facts = {"task": "t", "metric": "m", "probes": cells, "paper_scores": {"m/paper": {"empty": 0, "echo": 1.0}}}
    text = Parts("".join(page_charts.chance([unchecked(ConfigFacts, facts)])).encode()).text
    assert "28.0" in text and "10.0" in text and "m/paper: echo 100" in text and "empty" not in text
    assert list(page_charts.chance([unchecked(ConfigFacts, facts | {"probes": [], "paper_scores": {}})])) == []


def test_the_overview_holds_what_the_release_says(release):
    opened = open_release(release)
    parts = Parts(page(opened).data)
    text = " ".join(parts.text.split())
    content = opened.content
    for told in (
        "Small",
        "small@1.0.0",
        "o200k_base",
        content.tokenizer.fingerprint,
        content.canary,
        opened.root,
        *CONFIGS,
    ):
        assert told in text, told
    for facts in content.configs.values():
        for told in (f"{round(facts.tokens.mean):,}", facts.metric, facts.asks, facts.paper):
            assert told in text, told
    # What it is comes first, hashes last.
    places = [text.index(told) for told in ("is a long-context benchmark", "asks to", "Rows", content.canary)]
    assert places == sorted(places) and text.count(content.canary) == 1
    labels = parts.values("aria-label")
    assert "2 rows of" in " ".join(labels) and "in a bucket of 4,096" in " ".join(labels)


def test_a_sealed_release_says_what_is_withheld(toys):
    manifest = json.loads((toys / "manifest.json").read_text())
    names = list(manifest["content"]["configs"])
    manifest["content"]["sealed"] = {
        **{"scheme": "toy", "computable": [], "roots": dict.fromkeys(names, "0" * 64)},
        **dict.fromkeys(("stream", "manifest"), "1" * 64),
    }
    (toys / "manifest.json").write_bytes(canonical(manifest))
    parts = Parts(page(open_release(toys)).data)
    allowed_parts(parts)
    assert "Sealed: the answers are withheld." in parts.text and "Withheld: this release is sealed." in parts.text
    assert parts.data()["sealed"] is True


# --- HTML -------------------------------------------------------------------------------------------------------------


def test_an_element_escapes_texts_and_takes_no_handler():
    assert element("p", "<b>", [element("i", "x"), None], class_="a", data_value='"', hidden=True) == (
        '<p class="a" data-value="&quot;" hidden>&lt;b&gt;<i>x</i></p>'
    )
    for name in ("onclick", "style", "x y", 'a"'):
        with pytest.raises(ValueError, match="attribute"):
            element("p", **{name: "x"})
    with pytest.raises(ValueError, match="tag"):
        element("p x")
    assert escaped("\x1b\u202e\n") == "␛&lt;U+202E&gt;␊"


@pytest.mark.parametrize(
    "url", ["javascript:x", "http://a.org", "//a.org", 'https://a.org/"x', "https://a.org/ b", " https://a.org", ""]
)
def test_only_plain_https_addresses_are_links(url):
    assert "<a" not in link(url) and "href" not in link(url)


def test_a_link_opens_nothing_of_ours():
    assert link(LINK) == f'<a href="{LINK}" rel="noopener noreferrer">{LINK}</a>'.replace("&", "&amp;")


def test_json_in_a_script_ends_nothing():
    text = script_json({"a": EVIL, EVIL: 1})
    assert not re.search("[<>&\u2028\u2029]", text) and json.loads(text) == {"a": EVIL, EVIL: 1}


def test_the_script_makes_text_nodes_alone():
    script, style = (files("carrara").joinpath("page", "assets", name).read_text() for name in ("page.js", "page.css"))
    for banned in (
        *("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval", "Function(", "setTimeout", "import"),
        *(
            "fetch",
            "XMLHttp",
            "WebSocket",
            "sendBeacon",
            "createContextualFragment",
            "DOMParser",
            "srcdoc",
            "</",
            "src",
        ),
    ):
        assert banned not in script, banned
    assert not re.search(r"url\(|@import|</|expression", style)


def allowed_parts(parts: Parts) -> None:
    """What every page is, whatever its release holds."""
    assert parts.tags() <= {
        *(
            "html",
            "head",
            "meta",
            "title",
            "link",
            "style",
            "body",
            "a",
            "header",
            "div",
            "h1",
            "h2",
            "h3",
            "p",
            "code",
        ),
        *("ul", "li", "b", "nav", "button", "main", "section", "dl", "dt", "dd", "small", "i", "strong", "table"),
        *("thead", "tbody", "tr", "th", "td", "details", "summary", "pre", "svg", "path", "circle", "br", "wbr"),
        *("noscript", "label", "select", "input", "article", "footer", "script", "span"),
    }
    names = {name for _, attributes in parts.elements for name in attributes}
    assert not {name for name in names if name.startswith("on")} and not names & {"style", "src", "srcset", "action"}
    assert Counter(tag for tag, _ in parts.raw) == {"style": 1, "script": 2}
    (_, style), (_, data), (_, script) = parts.raw
    policy = next(attributes["content"] for _, attributes in parts.elements if "http-equiv" in attributes)
    for kind, text in (("script", script), ("style", style)):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}';" in policy
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy and "http" not in policy
    assert not re.search("[<>&\u2028\u2029]", data) and json.loads(data)
    for tag, attributes in parts.elements:
        if "href" in attributes:
            href = str(attributes["href"])
            outside = href.startswith("https://") and tag == "a" and attributes["rel"] == "noopener noreferrer"
            assert outside or href.startswith("#") or href == "data:,", href
    ids = parts.values("id")
    assert len(ids) == len(set(ids))
    named = {value for name in ("aria-labelledby", "for") for value in parts.values(name)} - {"row-title"}
    assert named <= set(ids)


def test_a_page_is_one_file_that_asks_for_nothing(release):
    parts = Parts(page(open_release(release)).data)
    allowed_parts(parts)
    for tag, attributes in parts.elements:
        assert tag != "th" or attributes.get("scope") in {"col", "row", "rowgroup"}
        assert tag != "svg" or "aria-label" in attributes or attributes.get("aria-hidden") == "true"


def test_nothing_hostile_becomes_a_part_of_the_page(evil):
    made = page(open_release(evil, True)).data
    parts = Parts(made)
    allowed_parts(parts)
    assert sum(href.startswith("https:") for href in parts.values("href")) == 1
    for character in "\x1b\x07\u202e\u202c\u200b\ue000\u2028\u2029\x00":
        assert character not in made.decode()
    for told in ("<script>window.__owned=1</script>", "␛[31m", "<U+202E>gnirts", "<U+E000>", "**b** `c`", "␀"):
        assert told in parts.text
    row = parts.data()["rows"][0]
    assert row["id"].startswith('"><script>') and row["evidence"]["pieces"][0]["text"][0].startswith(WHERE)
    assert [piece["depth"] for piece in row["evidence"]["pieces"][1:]] == [0.0, 1.0]
    assert [piece["text"] for piece in row["evidence"]["pieces"][1:]] == [[], []]
    assert row["digest"] == "" and not row["listed"]
