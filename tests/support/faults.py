"""Puts small faults into the package, one at a time, and says which tests see them: `python tests/support/faults.py`.

Works on a copy of what is committed, with one process. Every fault is run against the tests that are named beside it:
as `make fast` chooses them, and where those do not see it as `make test` does. The test that sees it has to pass
without the fault; one that does not is left out from then on. Exit 1 where a fault goes unseen, or more than four by
`make fast`. Words choose faults by the beginning of their file.
"""

import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from folders import ROOT

MARKS = {
    "fast": "not (integration or repeat or slow or network or rebuild)",
    "test": "not (integration or slow or network or rebuild)",
}
# A fault that keeps a test from ending is seen, too.
LONGEST_S = 900
CONFORMANCE = "tasks/test_conformance.py"
# File, a line's part as it is, the same with a fault, the tests that have to see it.
FAULTS = (
    (
        "making/row_maker.py",
        "min(config.bucket_tokens, self",
        "max(config.bucket_tokens, self",
        f"making {CONFORMANCE}",
    ),
    ("making/sidecar.py", "sidecar.key == key and", "sidecar.key != key and", "making/test_sidecar.py making"),
    (
        "making/remake.py",
        "if not isinstance(release.place, Folder)",
        "if isinstance(release.place, Folder)",
        "release/test_hub_store.py retrieval/test_frozen_builds.py making cli",
    ),
    ("card/figures.py", "if highest := max(counts)", "if highest := min(counts)", "card"),
    ("card/task_table.py", "task.name and variant in", "task.name or variant in", "card"),
    ("cli/app.py", "no_args_is_help=True,", "no_args_is_help=False,", "cli/test_app.py cli"),
    (
        "cli/pieces.py",
        "not quiet or (missing and not yes)",
        "not quiet or (missing or not yes)",
        "cli/test_pieces.py cli",
    ),
    ("context.py", "range(further + 1)", "range(further + 2)", "test_context.py"),
    ("croissant/records.py", "if not pa.types.is_struct", "if pa.types.is_struct", "croissant"),
    ("croissant/vocabulary.py", "if part and licence not in", "if part or licence not in", "croissant"),
    ("engine/processes.py", "if not futures:", "if futures:", "engine"),
    ("engine/parquet.py", "            write_page_index=True", "            write_page_index=False", "engine"),
    ("export/inspect.py", "if not out.exists() and", "if out.exists() and", "export"),
    (
        "llm/judges.py",
        "if self._failed_in_a_row >= max(",
        "if self._failed_in_a_row <= max(",
        "cli/test_judge.py scoring",
    ),
    ("page/rows.py", "min(1.0, max(0.0, offset", "max(1.0, max(0.0, offset", "page"),
    ("plots/figures.py", "if not 1 <= len(results)", "if 1 <= len(results)", "plots"),
    ("plots/maps.py", "if not all(spread)", "if all(spread)", "plots"),
    ("publish/publish.py", "if not held[path].sha256)", "if held[path].sha256)", "publish/test_publish.py publish"),
    ("recipe/config.py", "4 if self.bucket_tokens <= 8_192", "4 if self.bucket_tokens < 8_192", "recipe"),
    ("recipe/publication.py", "if self.date and not", "if self.date or not", "recipe"),
    (
        "release/freeze.py",
        "earlier[-1]",
        "earlier[0]",
        "release/test_freeze.py release",
    ),
    ("release/verify.py", "max(0, low - 20)", "max(0, low + 20)", "release/test_verify.py release"),
    (
        "retrieval/bm25.py",
        "min(start + _PASSAGES, corpus.size)",
        "min(start + 1, corpus.size)",
        "retrieval/test_bm25.py retrieval",
    ),
    ("retrieval/corpus.py", "if not path.is_file():", "if path.is_file():", "retrieval/test_corpus.py retrieval"),
    (
        "scoring/judge/rubrics.py",
        "if len(answer) > LONGEST_ANSWER",
        "if len(answer) < LONGEST_ANSWER",
        "scoring/test_judge.py scoring",
    ),
    (
        "scoring/papers/weights.py",
        "/ math.fsum(unit.weight",
        "// math.fsum(unit.weight",
        "scoring/test_papers.py scoring",
    ),
    ("scoring/scores.py", "if name not in METRICS", "if name in METRICS", "scoring/test_metrics.py scoring"),
    ("seal/scheme.py", "and -(1 << bits) <= value", "and (1 << bits) <= value", "seal/test_reveal.py seal"),
    ("seal/secrecy.py", "if chosen == name:", "if chosen != name:", "seal/test_seal.py seal"),
    ("sources/registry.py", "if key not in _FIELDS", "if key in _FIELDS", "sources/test_registry.py sources"),
    (
        "sources/readers/derivations.py",
        "if not any(character.isalnum()",
        "if any(character.isalnum()",
        "sources/test_derivations.py sources",
    ),
    ("stream.py", "if not 1 <= size <= 1 << 62", "if 1 <= size <= 1 << 62", "test_stream.py"),
    ("task.py", "exact: bool = True", "exact: bool = False", f"making/test_proofs.py {CONFORMANCE}"),
    (
        "tasks/helmet/long_document_qa/checks.py",
        "if options and (len(",
        "if options or (len(",
        f"tasks/test_long_document_qa.py {CONFORMANCE}",
    ),
    ("text/fold.py", "if size == 0:", "if size != 0:", "scoring"),
    ("text/sentences.py", "if not objection(folder)), None", "if objection(folder)), None", "scoring"),
    ("tokens.py", "if target.is_file() and _has_hash", "if target.is_file() or _has_hash", "test_tokens.py"),
    ("world/documents/article.py", "if minutes == 720", "if minutes != 720", "world/test_article.py world"),
    (
        "world/prose/prose.py",
        "range(index + 1, len(templates))",
        "range(index + 2, len(templates))",
        "world/test_prose.py world",
    ),
    ("world/questions.py", "if not ways:", "if ways:", "world/test_questions.py world"),
)


def run(tree: Path, level: str, *words: str) -> tuple[str, float]:
    """The first test that fails on the tree, "" where all pass; and the CPU seconds of the run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-x", "--tb=no", "-p", "no:xdist", "-p", "no:cacheprovider"]
    try:
        done = subprocess.run(
            [*command, "-m", MARKS[level], *words],
            cwd=tree,
            env={**os.environ, "PYTHONPATH": str(tree / "builders")},
            capture_output=True,
            text=True,
            timeout=LONGEST_S,
        )
        lines = done.stdout.strip().splitlines() or [done.stderr[-200:]]
        failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))] or lines[-1:]
        by = failed[0].partition(" ")[2].partition(" - ")[0] if done.returncode else ""
    except subprocess.TimeoutExpired:
        by = f"no end within {LONGEST_S} s"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return by, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def seen(tree: Path, level: str, tests: Sequence[str], file: Path, faulty: str, red: set[str]) -> tuple[str, float]:
    """The first test that sees the fault, "" where none does, and the CPU seconds that it took to find it."""
    text, spent = file.read_text(encoding="utf-8"), 0.0
    for part in tests:
        while True:
            file.write_text(faulty, encoding="utf-8")
            by, cpu = run(tree, level, *(f"--deselect={test}" for test in sorted(red)), f"tests/{part}")
            file.write_text(text, encoding="utf-8")
            spent += cpu
            # A module that cannot be imported has no test to ask for: the whole is asked.
            if not by or not run(tree, level, by if by.startswith("tests/") else f"tests/{part}")[0]:
                break
            assert by not in red, f"{by} fails without a fault and cannot be left out"
            red.add(by)
        if by:
            return by, spent
    return "", spent


def main(*chosen: str) -> int:
    """Print a line a fault: CPU seconds, fault, the test that sees it."""
    faults = [fault for fault in FAULTS if fault[0].startswith(chosen or "")]
    for name, right, *_ in FAULTS:
        count = (ROOT / "builders" / "carrara" / name).read_text(encoding="utf-8").count(right)
        assert count == 1, f"{name} holds {right!r} {count} times, not once: put another fault in its place"
    unseen, red = dict.fromkeys(MARKS, 0), set[str]()
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        subprocess.run(["git", "worktree", "add", "--quiet", "--detach", str(tree)], cwd=ROOT, check=True)
        try:
            for name, right, wrong, tests in faults:
                file = tree / "builders" / "carrara" / name
                text = file.read_text(encoding="utf-8")
                for level in MARKS:
                    by, cpu = seen(tree, level, tests.split(), file, text.replace(right, wrong), red)
                    sys.stdout.write(f"{cpu:6.1f} s  {name}: {wrong.strip()}  {level}: {by or 'UNSEEN'}\n")
                    sys.stdout.flush()
                    if by:
                        break
                    unseen[level] += 1
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", str(tree)], cwd=ROOT, check=True)
    sys.stdout.write("".join(f"fails without a fault: {test}\n" for test in sorted(red)))
    sys.stdout.write(f"{len(faults)} faults; unseen by make fast {unseen['fast']}, by make test {unseen['test']}\n")
    return int(unseen["fast"] > 4 or unseen["test"] > 0)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
