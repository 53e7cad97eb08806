"""The light core: what needs an extra names one that there is, and one that brings the library."""

import re
import tomllib
from pathlib import Path

import pytest

from carrara.errors import MissingLibraryError, library

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
SOURCES = [file.read_text(encoding="utf-8") for file in sorted((ROOT / "builders/carrara").rglob("*.py"))]
# A library by the name of the package that brings it, where they differ.
PACKAGES = {"tiktoken_ext": "tiktoken", "inspect_ai": "inspect-ai"}


def test_a_missing_library_names_its_extra():
    with pytest.raises(MissingLibraryError, match=r"no_such_library is not installed(.|\n)*'carrara\[build\]'"):
        library("no_such_library.part", "build")


def test_every_extra_that_an_error_names_brings_the_library():
    named = {call for source in SOURCES for call in re.findall(r'\blibrary\("(\w+)[\w.]*", "([\w-]+)"\)', source)}
    assert len(named) >= 8
    for name, extra in sorted(named):
        brought = {re.split(r"[\[>=]", line)[0] for line in EXTRAS[extra]}
        if "carrara" in brought:
            brought |= {re.split(r"[\[>=]", line)[0] for line in EXTRAS["plot"]}
        assert PACKAGES.get(name, name) in brought, (name, extra)
    told = {name for source in SOURCES for name in re.findall(r"carrara\[([\w-]+)\]'", source)}
    assert told <= set(EXTRAS)
