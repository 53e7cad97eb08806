"""HTML as values: an element's texts are escaped unless they are HTML already, so that nothing hostile is markup.

Texts of releases are also made visible (`console.visible`): what a reader's screen would obey or hide is written out.
"""

import html
import json
import re
from collections.abc import Iterable
from typing import Any

from carrara.text.display import visible

# What a manifest may say in one place is long; what a page shows of it is not.
MAX_TEXT = 2_000
_TAG = re.compile(r"[a-z][a-z0-9]*")
_NAME = re.compile(r"[a-zA-Z][a-zA-Z:_-]*")
_URL = re.compile(r"https://[A-Za-z0-9./_%?=&#:@+,~-]{1,500}")
# Elements of SVG that hold nothing: unlike those of HTML they must be closed.
_EMPTY = frozenset({"br", "wbr", "path", "circle"})
_IN_SCRIPT = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}


class Html(str):
    """Text that is HTML already: made by `element` or `joined`, of nothing but escaped texts."""

    __slots__ = ()

    def __html__(self) -> str:
        """The text itself: a template with autoescape takes it as it is."""
        return self


Child = str | Iterable["Child"] | None


def escaped(text: Any, limit: int = MAX_TEXT) -> Html:
    """A text for HTML, in an element or in a quoted attribute: visible, on one line, bounded."""
    return Html(html.escape(visible(text, limit).replace("\n", "␊"), quote=True))


def element(tag: str, *children: Child, **attributes: str | int | float | bool | None) -> Html:
    """An element. `class_`, `aria_label` stand for `class`, `aria-label`; True gives a bare attribute, None none."""
    if not _TAG.fullmatch(tag):
        raise ValueError(f"tag {tag!r}, expected small letters")
    opened = tag
    for name, value in attributes.items():
        written = name if name == "viewBox" else name.rstrip("_").replace("_", "-")
        if not _NAME.fullmatch(written) or written.startswith("on") or written == "style":
            raise ValueError(f"attribute {written!r}, expected no handler and no style: the page's policy forbids them")
        if value is True:
            opened += f" {written}"
        elif value is not None and value is not False:
            opened += f' {written}="{escaped(value)}"'
    return Html(f"<{opened}/>" if tag in _EMPTY else f"<{opened}>{joined(children)}</{tag}>")


def joined(children: Child) -> Html:
    """Children one after another; those that are no HTML are escaped."""
    if children is None:
        return Html("")
    if isinstance(children, Html):
        return children
    if isinstance(children, str):
        return escaped(children)
    return Html("".join(joined(child) for child in children))


def link(url: Any) -> Html:
    """A link to an https address, else its text: no other kind of address can be followed."""
    text = str(url)
    if not _URL.fullmatch(text):
        return escaped(url)
    return element("a", text, href=text, rel="noopener noreferrer")


def script_json(value: Any) -> Html:
    """JSON for a `<script type="application/json">`: nothing in it ends the script or begins another."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return Html(text.translate(_IN_SCRIPT))


def number(value: float) -> str:
    """A number with thousands separated, rounded to a whole."""
    return f"{round(value):,}"


def kilo(tokens: int) -> int:
    """What a k is for the size of a bucket: 1,000 tokens, or 1,024."""
    return 1_000 if tokens % 1_000 == 0 else 1_024


def size_label(tokens: int, k: int = 1_024) -> str:
    """Tokens in the buckets' own units, k (1,024 or 1,000 tokens) and M = k * k, with three digits."""
    if tokens < k:
        return str(tokens)
    # From here on 1,024k is what would be written.
    size, unit = (tokens / k / k, "M") if tokens >= (k - 0.5) * k else (tokens / k, "k")
    # Three digits with "g" would write 1,023 as 1.02e+03.
    return f"{size:.0f}{unit}" if size >= 99.95 else f"{size:.3g}{unit}"


def scrolled(label: str, *children: Child) -> Html:
    """A part that scrolls sideways where it is wider than the page, reached by keyboard, too."""
    return element("div", children, class_="scroll", role="region", aria_label=label, tabindex=0)


def block(text: Any, limit: int) -> Html:
    """Text of several lines for a `<pre>`: visible, bounded."""
    return Html(html.escape(visible(text, limit), quote=True))
