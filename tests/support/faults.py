"""Puts small faults into the package, one at a time, and says which tests see them: `python tests/support/faults.py`.

Works on a copy of what is committed. `fast` (the default) runs what `make fast` runs, `test` what `make test` runs; of
both the folders of tests that are named beside the fault. Exit 1 where a fault goes unseen. More words choose faults by
the beginning of their file.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from folders import ROOT

MARKS = {
    "fast": "not (integration or repeat or slow or network or rebuild)",
    "test": "not (integration or slow or network or rebuild)",
}
CONFORMANCE = "tasks/test_conformance.py"
# File, a line's part as it is, the same with a fault, the tests that have to see it.
FAULTS = (
    ("build/row_maker.py", "min(config.bucket_tokens, self", "max(config.bucket_tokens, self", f"build {CONFORMANCE}"),
    ("build/sidecar.py", "sidecar.key == key and", "sidecar.key != key and", "build cli"),
    ("build/remake.py", "if not isinstance(place, Folder)", "if isinstance(place, Folder)", "build release cli"),
    ("card/figures.py", "step, total = 1 / len", "step, total = 1 // len", "card"),
    ("card/task_table.py", "task.name and variant in", "task.name or variant in", "card test_readme.py"),
    ("cli/app.py", "no_args_is_help=True,", "no_args_is_help=False,", "cli"),
    ("cli/pieces.py", "not quiet or (missing and not yes)", "not quiet or (missing or not yes)", "cli"),
    ("context.py", "range(further + 1)", "range(further + 2)", "test_context.py"),
    ("croissant/records.py", "if not pa.types.is_struct", "if pa.types.is_struct", "croissant"),
    ("croissant/vocabulary.py", "if part and one not in found", "if part or one not in found", "croissant"),
    ("engine/processes.py", "if not futures:", "if futures:", "engine"),
    ("engine/parquet.py", "            write_page_index=True", "            write_page_index=False", "engine"),
    ("export/inspect.py", "if not out.exists() and", "if out.exists() and", "export"),
    ("llm/judges.py", "if self._failed_in_a_row >= max(", "if self._failed_in_a_row <= max(", "cli scoring llm"),
    ("page/rows.py", "min(1.0, max(0.0, place", "max(1.0, max(0.0, place", "page"),
    ("plots/figures.py", "if not 1 <= len(results)", "if 1 <= len(results)", "plots"),
    ("plots/maps.py", "if not all(spread)", "if all(spread)", "plots"),
    ("publish/publish.py", "if not held[path].sha256)", "if held[path].sha256)", "publish"),
    ("recipe/config.py", "4 if self.bucket_tokens <= 8_192", "4 if self.bucket_tokens < 8_192", "recipe"),
    ("recipe/publication.py", "if self.date and not", "if self.date or not", "recipe"),
    ("release/freeze.py", "if version < version_order(", "if version <= version_order(", "release"),
    ("release/verify.py", "while low < high", "while low <= high", "release"),
    ("retrieval/bm25.py", "min(start + _PASSAGES, corpus.size)", "min(start + 1, corpus.size)", "retrieval"),
    ("retrieval/corpus.py", "if not path.is_file():", "if path.is_file():", "retrieval"),
    ("scoring/judge/rubrics.py", "if len(answer) > LONGEST_ANSWER", "if len(answer) < LONGEST_ANSWER", "scoring"),
    ("scoring/papers/weights.py", "/ math.fsum(unit.weight", "// math.fsum(unit.weight", "scoring"),
    ("scoring/scores.py", "if name not in METRICS", "if name in METRICS", "scoring"),
    ("seal/scheme.py", "and -(1 << bits) <= value", "and (1 << bits) <= value", "seal"),
    ("seal/secrecy.py", "if chosen == name:", "if chosen != name:", "seal"),
    ("sources/registry.py", "if key not in _FIELDS", "if key in _FIELDS", "sources"),
    ("sources/readers/derivations.py", "if not any(character.isalnum()", "if any(character.isalnum()", "sources"),
    ("stream.py", "if not 1 <= size <= 1 << 62", "if 1 <= size <= 1 << 62", "test_stream.py"),
    ("task.py", "exact: bool = True", "exact: bool = False", CONFORMANCE),
    ("tasks/helmet/long_document_qa/checks.py", "if options and (len(", "if options or (len(", CONFORMANCE),
    ("text/fold.py", "if size == 0:", "if size != 0:", "scoring"),
    ("text/sentences.py", "if not objection(folder)), None", "if objection(folder)), None", "scoring"),
    ("tokens.py", "path.is_file() and hashlib", "path.is_file() or hashlib", "test_tokens.py"),
    ("world/documents/article.py", "if minutes == 720", "if minutes != 720", "world"),
    ("world/prose/prose.py", "range(index + 1, len(templates))", "range(index + 2, len(templates))", "world"),
    ("world/questions.py", "if not ways:", "if ways:", "world"),
)


def seen(tree: Path, marks: str, tests: str) -> str:
    """The first test that fails on the tree; "" where all pass."""
    paths = [f"tests/{name}" for name in tests.split() if (tree / "tests" / name.partition("::")[0]).exists()]
    words = ["-q", "-x", "--tb=no", "-p", "no:xdist", "-p", "no:cacheprovider", "-m", marks, *paths]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tree,
        env={**os.environ, "PYTHONPATH": str(tree / "builders")},
        capture_output=True,
        text=True,
    )
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR", "INTERNALERROR"))]
    return "" if done.returncode == 0 else (failed or [done.stdout.strip().splitlines()[-1]])[0]


def main(level: str = "fast", *chosen: str) -> int:
    """Print a line a fault; 1 where one goes unseen."""
    unseen = 0
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(tree)], cwd=ROOT, check=True)
        try:
            for name, right, wrong, tests in FAULTS:
                if chosen and not name.startswith(chosen):
                    continue
                file = tree / "builders" / "carrara" / name
                text = file.read_text(encoding="utf-8")
                assert text.count(right) == 1, f"{name} holds {right!r} {text.count(right)} times, not once"
                file.write_text(text.replace(right, wrong), encoding="utf-8")
                started = time.monotonic()
                by = seen(tree, MARKS[level], tests)
                file.write_text(text, encoding="utf-8")
                if by and (failing := by.split()[1:2]) and seen(tree, MARKS[level], failing[0].removeprefix("tests/")):
                    by = f"{failing[0]} FAILS WITHOUT THE FAULT, TOO"
                unseen += not by
                sys.stdout.write(f"{time.monotonic() - started:6.1f} s  {name}: {wrong.strip()}  {by or 'UNSEEN'}\n")
                sys.stdout.flush()
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=True)
    sys.stdout.write(f"{unseen} unseen\n")
    return int(unseen > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
