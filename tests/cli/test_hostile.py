"""A release that is hostile in every text, through every command that reads one: nothing of it is obeyed by a terminal.

Its card, its page and what harnesses are given have tests of their own (test_card, test_page, test_export_*).
"""

import json
import unicodedata

import pytest
from commands import here
from pages import evil_release
from toys import tasks

from carrara.card.card import card
from carrara.making import remake
from carrara.release.reader import open_release
from carrara.release.verify import Remaker

__all__ = ["tasks"]

ROW = "toys/alpha_en/1k/00001"
COMMANDS = [
    ("list", "DIR"),
    ("list", "DIR", "--json"),
    ("show", "DIR", ROW),
    ("show", "DIR", ROW, "--json"),
    ("show", "DIR", "toys/alpha_en/1k/00000"),
    ("verify", "DIR"),
    ("verify", "DIR", "--json"),
    ("verify", "DIR", "--level", "rows"),
    ("verify", "DIR", "--level", "plans"),
    ("verify", "DIR", "--row", ROW),
    ("reproduce", "DIR"),
    ("reproduce", "DIR", "--bucket", "1k", "--exact"),
    ("audit", "DIR"),
    ("diff", "DIR", "DIR"),
    ("score", "DIR", "--gold"),
    ("score", "DIR", "responses.jsonl"),
    ("score", "DIR", "responses.jsonl", "--rebase", "DIR"),
    ("croissant", "DIR"),
    ("page", "DIR", "--out", "page.html"),
    ("export", "lm-eval", "DIR", "--out", "lm-eval"),
    ("export", "inspect", "DIR", "--out", "inspect"),
    ("freeze", "DIR", "--releases", "releases"),
    ("publish", "DIR", "--repo", "tester/toys"),
    ("seal", "DIR", "--out", "sealed"),
]


def obeyed(text: str) -> set[str]:
    """The characters that a terminal, or a reader of lines, would obey: control, direction, private; lines are ours."""
    return {one for one in text if one != "\n" and unicodedata.category(one) in {"Cc", "Cf", "Co", "Cs", "Zl", "Zp"}}


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_command_prints_what_a_terminal_obeys(words, tasks, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Toy tasks render nothing: there is no row to compare with.
    monkeypatch.setattr(remake, "remaker", lambda *arguments: Remaker())
    evil_release(tmp_path / "toys")
    (tmp_path / "responses.jsonl").write_text(json.dumps({"id": ROW, "response": "\x1b[2J"}) + "\n")
    done = here(*(tmp_path / "toys" if word == "DIR" else word for word in words))
    assert done.code in {0, 1, 2} and done.out + done.err
    assert "Traceback" not in done.err
    assert obeyed(done.out + done.err) == set()


def test_nor_does_its_card(tasks, tmp_path):
    assert obeyed(card(open_release(evil_release(tmp_path / "toys")).content)) == set()


def test_what_is_obeyed_is_seen():
    assert obeyed("a\n\x1b[1m\u202e\ue000\u2028") == {"\x1b", "\u202e", "\ue000", "\u2028"}
