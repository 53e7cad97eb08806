"""The page in a browser: no network, no violation of its policy, nothing hostile runs; search, keys, themes, widths.

Where there is no browser these tests are skipped, but not in CI, where they fail.
"""

import os
import re
import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from commands import CONFIGS, common, recipe, release
from pages import EVIL, WHERE, evil_release
from toys import tasks

from carrara.page.page import page
from carrara.page.rows import ModelAnswers
from carrara.release.reader import open_release, row, rows
from carrara.release.report import score_release

pytestmark = pytest.mark.integration


__all__ = ["common", "recipe", "release", "tasks"]

ROW = "needlebench/single_needle_en/8k/00001"
CHINESE = "needlebench/single_needle_zh/4k/00000"
# What the page's policy refused is told to the document.
_LISTEN = """
window.__violations = [];
document.addEventListener('securitypolicyviolation', (event) => window.__violations.push(event.violatedDirective));
"""
# The least contrast of any text with what is behind it, and where.
_CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((value) => value / 255)
      .map((value) => value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (node) => {
    for (let one = node; one; one = one.parentElement) {
      const colour = rgba(getComputedStyle(one).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const seen = new Map();
  let least = [99, ''];
  let count = 0;
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || !parent.checkVisibility()) continue;
    const [ink, ground] = [light(rgba(getComputedStyle(parent).color)), light(behind(parent))];
    const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
    count += 1;
    const where = `${parent.tagName}.${parent.className}: ${walker.currentNode.data.slice(0, 40)}`;
    if (ratio < least[0]) least = [ratio, where];
  }
  return { count, ratio: least[0], where: least[1] };
}"""


@dataclass
class Seen:
    """A page that was opened, and everything that it did besides showing itself."""

    page: Any
    address: str
    requests: list[str] = field(default_factory=list)
    failed: dict[str, str | None] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)

    def violations(self) -> list[str]:
        return self.page.evaluate("window.__violations")

    def is_quiet(self) -> bool:
        """Whether it asked for nothing but itself, told of no error, opened nothing and ran nothing of a release."""
        others = [url for url in self.requests if url.partition("#")[0] != self.address and url != "data:,"]
        assert (others, self.told, self.violations()) == ([], [], [])
        assert self.page.evaluate("typeof window.__owned") == "undefined"
        assert len(self.page.context.pages) == 1
        return True

    def unfolded(self) -> "Seen":
        """The page with all its parts open."""
        self.page.evaluate("for (const part of document.querySelectorAll('details')) part.open = true")
        return self

    def fits(self) -> bool:
        wide, shown = self.page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        return wide <= shown

    def title(self):
        """What is expected of the row's title, in a while; the page's policy forbids a script that waits for it."""
        from playwright.sync_api import expect

        return expect(self.page.locator("#row-title"))

    def row_id(self) -> str:
        return self.page.inner_text("#row-title")


@pytest.fixture(scope="module")
def browser():
    try:
        from playwright.sync_api import Error, sync_playwright
    except ImportError as error:
        _no_browser(f"playwright is not installed ({error})")
    with sync_playwright() as playwright:
        try:
            # Debian's own, or the one that playwright install fetched.
            found = shutil.which("chromium") or shutil.which("chromium-browser")
            started = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        except Error as error:
            _no_browser(f"no Chromium starts: {str(error).splitlines()[0]}")
        yield started
        started.close()


def _no_browser(why: str) -> None:
    if os.environ.get("CI"):
        pytest.fail(f"{why}; CI must look at the page in a browser (apt install chromium)")
    pytest.skip(f"{why}: the page is not looked at in a browser")


@pytest.fixture
def shown(browser, tmp_path):
    """Opens the bytes of a page: shown(data, hash="", width=..., scheme=..., script=...)."""
    contexts = []

    def show(data: bytes, hash: str = "", width: int = 1_400, scheme: str = "light", script: bool = True) -> Seen:
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_bytes(data)
        size = {"width": width, "height": 900}
        context = browser.new_context(viewport=size, color_scheme=scheme, java_script_enabled=script, offline=True)
        contexts.append(context)
        context.add_init_script(_LISTEN)
        seen = Seen(context.new_page(), file.as_uri())
        context.route("**/*", lambda route: route.continue_() if _is_own(route, seen) else route.abort())
        seen.page.on("request", lambda request: seen.requests.append(request.url))
        seen.page.on("requestfailed", lambda request: seen.failed.update({request.url: request.failure}))
        seen.page.on("console", lambda message: seen.told.append(message.text))
        seen.page.on("pageerror", lambda error: seen.told.append(str(error)))
        seen.page.on("dialog", lambda dialog: (seen.told.append(dialog.message), dialog.dismiss()))
        seen.page.goto(seen.address + hash)
        return seen

    yield show
    for context in contexts:
        context.close()


def _is_own(route: Any, seen: Seen) -> bool:
    return route.request.url.partition("#")[0] == seen.address


@pytest.fixture(scope="module")
def made(release) -> bytes:
    return page(open_release(release)).data


@pytest.fixture
def evil(tasks, tmp_path) -> Path:
    return evil_release(tmp_path / "evil")


@contextmanager
def focus_is(seen: Seen, selector: str):
    yield
    assert seen.page.evaluate("(selector) => document.activeElement.matches(selector)", selector)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 768, 1_400])
def test_a_page_fits_is_legible_and_asks_for_nothing(made, shown, scheme, width):
    seen = shown(made, f"#row={ROW}", width, scheme)
    assert seen.row_id() == ROW and seen.fits()
    # Folded, all of a page but a row's texts is a few screens high.
    assert seen.page.evaluate("document.body.scrollHeight - document.getElementById('row').offsetHeight") < 2_400
    assert seen.unfolded().fits()
    for control in seen.page.locator("header button, .finder select, .finder input, nav a").all():
        box = control.bounding_box()
        assert box is None or (box["x"] >= 0 and box["x"] + box["width"] <= width)
    # Every shade of a heat map, whatever this release has of them.
    seen.page.locator(".heat tbody tr").first.evaluate(
        "(line) => { for (const shade of [1, 2, 3, 4, 5]) { const cell = line.insertCell(); "
        "cell.className = `heat-${shade}`; cell.textContent = 'x'; } }"
    )
    found = seen.page.evaluate(_CONTRAST)
    assert found["count"] > 200 and found["ratio"] >= 4.5, found
    dark = seen.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, dark[4:-1].split(","))) < 200) == (scheme == "dark")
    assert seen.is_quiet()


@pytest.mark.parametrize("row_id", [ROW, CHINESE])
def test_a_row_shows_its_evidence_in_place(made, release, shown, row_id):
    wanted = row(open_release(release), row_id)
    seen = shown(made, f"#row={row_id}").unfolded()
    marks = seen.page.locator("mark").all_inner_texts()
    spans = [wanted["prompt"][span["start"] : span["end"]] for span in wanted["evidence"]]
    assert marks == spans and spans
    start, end = wanted["evidence"][0]["start"], wanted["evidence"][0]["end"]
    figure = seen.page.locator("figure.evidence").first.inner_text()
    before, after = wanted["prompt"][start - 100 : start], wanted["prompt"][end : end + 100]
    assert before + spans[0] + after.rstrip() in figure
    assert f"characters {start:,}–{end:,}" in figure and f"depth {100 * wanted['depths'][0]:.1f} %" in figure
    text = seen.page.inner_text("#row")
    for told in (wanted["answers"][0], f"{wanted['tokens']:,} tokens", f"{len(wanted['prompt']):,} characters"):
        assert told in text
    assert wanted["prompt"][:300] in text and wanted["prompt"][-300:].rstrip() in text and "✓ as listed" in text
    lang = seen.page.locator("mark").first.evaluate("(node) => node.closest('[lang]').lang")
    assert lang == ("zh" if row_id == CHINESE else "en")


def test_what_is_cut_is_said(made, shown):
    seen = shown(made, "#row=verbatimeval/numeric_sorting_ascending/4k/00000")
    text = seen.unfolded().page.inner_text("#row")
    assert "characters left out" in text and "characters not in this page" in text
    mark = seen.page.locator("mark").inner_text()
    assert "characters left out" in mark and len(mark) < 2_000


def test_rows_are_found_by_keyboard_alone(made, shown):
    seen = shown(made)
    first = seen.row_id()
    keys = seen.page.keyboard
    seen.page.focus("#search")
    keys.type("zh 4k")
    assert seen.page.locator("#list a").count() == 1 and "1 of " in seen.page.inner_text("#status")
    keys.press("Enter")
    seen.title().to_have_text(CHINESE)
    assert seen.page.url.endswith(f"#row={CHINESE}")
    # The heading has the focus, so that a reader goes on from there.
    with focus_is(seen, "#row-title"):
        pass
    seen.page.focus("#search")
    keys.press("Control+A")
    keys.type(ROW)
    with focus_is(seen, "#list li:first-child a"):
        keys.press("ArrowDown")
    keys.press("Enter")
    seen.title().to_have_text(ROW)
    with focus_is(seen, "#list a[aria-current]"):
        pass
    with focus_is(seen, "#search"):
        keys.press("ArrowUp")
    keys.press("Control+A")
    keys.press("Delete")
    keys.press("ArrowDown")
    with focus_is(seen, "#list section:last-child li:last-child a"):
        keys.press("End")
    with focus_is(seen, "#list section:first-child li:first-child a"):
        keys.press("Home")
    keys.press("Enter")
    seen.title().to_have_text(first)
    seen.page.go_back()
    seen.title().to_have_text(ROW)
    assert seen.is_quiet()


def test_a_config_is_chosen_and_rows_are_walked(made, release, shown):
    seen = shown(made)
    configs = open_release(release).configs
    seen.page.click("nav a[href='#configs']")
    options = seen.page.locator("#config option").all_inner_texts()
    assert options[0] == "all configs" and sorted(options[1:]) == CONFIGS
    seen.page.select_option("#config", label="single_needle_en_4k")
    assert seen.page.locator("#list a").count() == configs["single_needle_en_4k"].rows
    seen.page.click("table.configs a[href='#config=numeric_sorting_ascending_4k']")
    seen.title().to_contain_text("numeric_sorting")
    assert seen.page.locator("#list a").count() == configs["numeric_sorting_ascending_4k"].rows
    start = seen.row_id()
    seen.page.click("text=next →")
    seen.title().not_to_have_text(start)
    seen.page.click("text=← previous")
    seen.title().to_have_text(start)
    assert seen.is_quiet()


def test_a_row_that_is_not_in_the_page_is_told_of(release, shown):
    seen = shown(page(open_release(release), 1).data, f"#row={ROW}")
    assert "in the release, but not in this page" in seen.page.inner_text("#status")
    seen.page.fill("#search", "needlebench/single_needle_en/8k/09999")
    assert seen.page.inner_text("#status").startswith("0 of ")
    assert seen.is_quiet()
    empty = shown(page(open_release(release), 0).data)
    assert "No row is in this page." in empty.page.inner_text("#row") and empty.is_quiet()


@pytest.mark.parametrize(
    "hash", ["#row=%", "#row=nothing", "#config=nothing", "#row=%3Cimg%20src=x%20onerror=a%3E", "#x"]
)
def test_any_hash_is_borne(made, shown, hash):
    seen = shown(made, hash)
    assert "/" in seen.row_id() and seen.is_quiet()


def test_configs_are_sorted_and_grouped_again(made, shown):
    seen = shown(made, "#configs")
    names = "table.configs tbody tr:not(.group) th"
    before = seen.page.locator("table.configs tbody th").all_inner_texts()
    seen.page.click("table.configs thead button:text('mean tokens')")
    values = "table.configs tbody td:nth-child(4)"
    rising = seen.page.locator(values).evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.value))")
    assert rising == sorted(rising) and len(rising) == len(CONFIGS)
    assert seen.page.locator("th[aria-sort=ascending]").count() == 1
    seen.page.click("table.configs thead button:text('config')")
    seen.page.click("table.configs thead button:text('config')")
    assert seen.page.locator(names).all_inner_texts() == sorted(CONFIGS, reverse=True)
    assert seen.page.locator("th[aria-sort=descending]").count() == 1
    seen.page.click("text=Group by task")
    assert seen.page.locator("table.configs tbody th").all_inner_texts() == before
    assert seen.page.locator("[aria-sort]").count() == 0 and seen.is_quiet()


def test_a_link_opens_the_part_it_leads_to(made, shown):
    seen = shown(made, "#depths")
    assert seen.page.is_visible("#depths table") and not seen.page.is_visible("#hashes dl")
    seen.page.click("nav a[href='#hashes']")
    assert seen.page.is_visible("#hashes dl")
    seen.page.click("#hashes > summary")
    # The address does not change a second time.
    seen.page.click("nav a[href='#hashes']")
    assert seen.page.is_visible("#hashes dl") and seen.is_quiet()


def test_rows_are_found_by_their_words_task_and_bucket(made, release, shown):
    seen = shown(made)
    wanted = row(open_release(release), ROW)
    found = seen.page.locator("#list a")
    seen.page.fill("#search", f"{wanted['answers'][0].upper()} needlebench")
    assert seen.page.locator(f"#list a[href='#row={ROW}']").count() == 1 and found.count() < 6
    # The last words of the prompt: the question.
    seen.page.fill("#search", " ".join(wanted["prompt"].split()[-3:]))
    assert found.count() >= 1
    seen.page.fill("#search", "")
    seen.page.select_option("#task", "single_needle")
    seen.page.select_option("#bucket", "4k")
    configs = {name: facts for name, facts in open_release(release).configs.items() if name.endswith("_4k")}
    assert found.count() == sum(facts.rows for facts in configs.values() if facts.task == "single_needle")
    seen.page.select_option("#config", label="numeric_sorting_ascending_4k")
    assert seen.page.input_value("#task") == "" and found.count() == configs["numeric_sorting_ascending_4k"].rows
    assert not seen.page.is_visible("#verdict") and seen.is_quiet()


@pytest.mark.parametrize("width", [360, 1_400])
def test_responses_stand_beside_the_gold_and_are_filtered(release, tmp_path, shown, width):
    opened = open_release(release)
    rows_ = list(rows(opened, "single_needle_en_4k"))
    texts = {one["id"]: one["answers"][0] for one in rows_} | {rows_[1]["id"]: f"{EVIL} wrong", rows_[2]["id"]: None}
    data = page(opened, answered=ModelAnswers(texts, score_release(opened, texts, model="<b>mine</b>"))).data
    seen = shown(data, f"#row={rows_[1]['id']}", width)
    text = seen.page.inner_text("#row")
    assert "Response of <b>mine</b>" in text and "wrong · 0" in text and "<script>window.__owned=1</script>" in text
    assert seen.fits() and seen.page.locator("#row script, #row img, #row b").count() == 0
    found = seen.page.locator("#list a")
    assert found.count() == len(rows_)
    for verdict, count in (("wrong", 1), ("missing", 1), ("right", len(rows_) - 2), ("partly", 0)):
        seen.page.select_option("#verdict", verdict)
        assert found.count() == count, verdict
    seen.page.select_option("#verdict", "")
    seen.page.fill("#least", "50")
    assert found.count() == len(rows_) - 2
    seen.page.fill("#least", "0")
    seen.page.fill("#most", "10")
    assert found.count() == 2
    seen.page.fill("#search", "__owned=3")
    assert found.count() == 1
    seen.page.goto(f"{seen.address}#row={rows_[2]['id']}")
    seen.title().to_have_text(rows_[2]["id"])
    assert "missing" in seen.page.inner_text("#row") and "No response" in seen.page.inner_text("#row")
    assert found.count() == len(rows_) and seen.is_quiet()


def test_the_theme_is_chosen(made, shown):
    seen = shown(made, scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    dark = seen.page.evaluate(colour)
    seen.page.click("#theme")
    assert seen.page.inner_text("#theme") == "Theme: light" and seen.page.evaluate(colour) != dark
    seen.page.reload()
    assert seen.page.inner_text("#theme") == "Theme: light" and seen.page.evaluate(colour) != dark
    seen.page.click("#theme")
    assert seen.page.inner_text("#theme") == "Theme: dark" and seen.page.evaluate(colour) == dark
    seen.page.click("#theme")
    assert seen.page.inner_text("#theme") == "Theme: system" and seen.page.evaluate(colour) == dark


def test_focus_is_seen_and_every_control_is_named(made, shown):
    seen = shown(made)
    stops = 0
    while stops < 200:
        seen.page.keyboard.press("Tab")
        found = seen.page.evaluate(
            "() => { const one = document.activeElement; return one === document.body ? null : "
            "[getComputedStyle(one).outlineStyle, one.labels?.[0]?.innerText || one.ariaLabel || one.innerText] }"
        )
        if found is None:
            break
        assert found[0] != "none" and found[1].strip(), found
        stops += 1
    assert stops > 30


def test_without_a_script_the_overview_stands(made, shown):
    seen = shown(made, script=False)
    text = seen.page.inner_text("body")
    assert "this page needs JavaScript" in text and "is a long-context benchmark" in text
    seen.page.click("#configs > summary")
    assert all(name in seen.page.inner_text("#configs").replace("\u200b", "") for name in CONFIGS)
    seen.page.click("#lengths > summary")
    assert not seen.page.is_visible("#browser") and not seen.page.is_visible("#theme")
    assert seen.page.locator("svg").count() > 3 and seen.fits()


def test_a_row_without_answers_says_so(made, shown):
    assert made.count(b'"sealed":false') == 1 and b'"answers":{"count":' in made
    bare = re.sub(rb'"answers":\{"count":[0-9]+,', b'"answers":{"count":0,', made)
    seen = shown(bare, f"#row={ROW}")
    assert "Answer\nNone." in seen.page.inner_text("#row").replace("\n\n", "\n") and seen.is_quiet()
    sealed = shown(bare.replace(b'"sealed":false', b'"sealed":true'), f"#row={ROW}")
    assert "Withheld: this release is sealed." in sealed.page.inner_text("#row") and sealed.is_quiet()


@pytest.mark.parametrize("width", [360, 1_400])
def test_nothing_hostile_runs(evil, shown, width):
    data = page(open_release(evil, True)).data
    seen = shown(data, width=width)
    seen.page.wait_for_timeout(200)
    assert seen.row_id().startswith('"><script>window.__owned=1</script>')
    assert seen.page.locator("mark").first.inner_text().startswith(WHERE) and seen.fits()
    text = seen.unfolded().page.inner_text("#row")
    assert "␛[31m" in text and "<U+202E>gnirts" in text and "=cmd|" in text and "\u202e" not in text
    assert seen.page.locator("#row script, #row img, #list img, main img, main script").count() == 0
    for place in range(seen.page.locator("#list a").count()):
        seen.page.locator("#list a").nth(place).click()
        assert seen.page.locator("#list a[aria-current]").count() == 1
    seen.page.fill("#search", EVIL[:200])
    seen.page.select_option("#config", index=2)
    assert seen.is_quiet()


def test_the_policy_holds_where_all_else_fails(made, shown):
    """What a slip of ours would let in is refused by the browser, and these tests would see it."""
    slip = (
        b"<h1>x<script>window.__owned=1</script><img src=https://example.org/x onerror=window.__owned=2><i style=x:y>"
    )
    assert made.count(b"<h1>") == 1
    seen = shown(made.replace(b"<h1>", slip))
    seen.page.wait_for_timeout(200)
    assert seen.page.evaluate("typeof window.__owned") == "undefined"
    kinds = {name.split("-")[0] for name in seen.violations()}
    assert {"script", "img", "style"} <= kinds and len(seen.told) >= 3
    assert seen.failed == {"https://example.org/x": "csp"}
    seen.page.evaluate("try { document.body.innerHTML = '<b>x</b>' } catch (error) { window.__refused = error.name }")
    assert seen.page.evaluate("window.__refused") == "TypeError"
