"""Releases for the tests of `carrara page`: one with something hostile in every text, and a page's parts read back."""

import json
from html.parser import HTMLParser
from pathlib import Path

from toys import toy_recipe, toy_row, write_parquet, write_release

from carrara.release.manifest import canonical, files_table

EVIL = (
    '"><script>window.__owned=1</script><img src=x onerror="window.__owned=2"> \' onmouseover=window.__owned=3 '
    "</script><script>alert(1)</script></title></style></pre></textarea><!--<script> --> ]]> <svg/onload=alert(2)> "
    "{{7*7}} ${window.__owned=4} javascript:alert(3) =cmd|'/C calc'!A0 [l](javascript:alert(4)) **b** `c` "
    "\x1b[31m\x07 \u202egnirts\u202c \u200b \ue000 \u2028 \u2029 &lt;b&gt; \x00 end"
)
WHERE = "the place of evidence"
LINK = "https://example.org/a?b=c&d=%3Cscript%3E"


def evil_row(config, index: int) -> dict:
    """A row of a toy config with something hostile in every text; its evidence is hostile, too."""
    row = toy_row(config, index)
    prompt = f"{EVIL}\n{EVIL * 20}{WHERE} {EVIL} {WHERE}{EVIL * 20}"
    start, end = prompt.index(WHERE), prompt.rindex(WHERE) + len(WHERE)
    texts = dict.fromkeys(("item", "task", "variant", "bucket", "metric", "group", "answer_prefix"), EVIL)
    facts = ("no JSON " + EVIL, json.dumps({EVIL: [EVIL], "__proto__": {"x": EVIL}}))[index % 2]
    return {
        **row,
        **texts,
        "id": row["id"] if index else EVIL,
        "answers": [EVIL, EVIL],
        "choices": [EVIL] * 3,
        "facts": facts,
        "depths": [0.5, float("nan"), 7.0, -1.0],
        "evidence": [{"start": start, "end": end}, {"start": -9, "end": -1}, {"start": 1 << 40, "end": 1 << 41}],
        "prompt": prompt,
    }


def evil_release(folder: Path) -> Path:
    """A release that reads as one and is hostile in every text that a form leaves open. Needs toy tasks."""
    recipe = toy_recipe()
    write_release(folder, recipe)
    for config in recipe.configs():
        rows = [evil_row(config, index) for index in range(config.rows)]
        for number in range(config.files):
            part = rows[number * 3 : number * 3 + 3]
            write_parquet(folder / f"data/{config.name}/test-{number:05d}-of-{config.files:05d}.parquet", part)
    manifest = json.loads((folder / "manifest.json").read_text())
    content = manifest["content"]
    content.update(title=EVIL, stream=EVIL, canary=EVIL, tokenizer={"name": EVIL, "fingerprint": EVIL})
    content["recipe"]["title"] = EVIL
    content["sources"] = {
        name: {**dict.fromkeys(("title", "lang", "licence", "citation", "fingerprint"), EVIL), "files": {}, "url": url}
        for name, url in ((EVIL, "javascript:alert(1)"), ("good", LINK), ("odd", f"{LINK}\"onclick='x'"))
    }
    cell = {"view": EVIL, "probe": EVIL, "complexity": 1, "items": 3, "mean": 0.5, "histogram": [1] * 20}
    for facts in content["configs"].values():
        facts.update(dict.fromkeys(("asks", "paper", "variant", "licence", "metric"), EVIL))
        facts.update(probes=[cell], paper_scores={EVIL: {EVIL: 0.5}})
    manifest["files"] = {path: entry.to_json() for path, entry in files_table(folder).items()}
    (folder / "manifest.json").write_bytes(canonical(manifest))
    return folder


class Parts(HTMLParser):
    """A page as a parser sees it: every element with its attributes, and the text of scripts, styles, all."""

    def __init__(self, page: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, str]] = []
        self.text = ""
        self._open = ""
        self.feed(page.decode())
        self.close()

    def handle_starttag(self, tag, attrs):
        assert len(attrs) == len(dict(attrs)), (tag, attrs)
        self.elements.append((tag, dict(attrs)))
        if tag in {"script", "style"}:
            self._open = tag
            self.raw.append((tag, ""))

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        self._open = ""

    def handle_data(self, data):
        if self._open:
            self.raw[-1] = (self._open, self.raw[-1][1] + data)
        else:
            self.text += data

    def tags(self) -> set[str]:
        return {tag for tag, _ in self.elements}

    def values(self, name: str) -> list[str]:
        return [str(attributes[name]) for _, attributes in self.elements if name in attributes]

    def data(self) -> dict:
        """What the page's script reads."""
        return json.loads(self.raw[1][1])
