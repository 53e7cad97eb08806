"""How long `carrara score` takes for 1,000,000 short responses, and how much memory: the whole command, file and all.

    python -m benchmarks.scoring_speed                       # builds a small release once, in a temporary folder
    python -m benchmarks.scoring_speed --samples 10          # 15,000 responses
    python -m benchmarks.scoring_speed --different           # no two samples of a row are the same text

The release has 1,500 rows of short answers at 4k; every row gets 667 samples: the gold in several forms, with and
without thoughts, and other rows' answers. About 210 of them are different texts, and what says the same is read once;
with --different all are, by spaces at their ends.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import carrara
from carrara.recipe.recipe import recipe_from_table

CELLS = (
    ("single_needle", "en"),
    ("multi_needle", "en"),
    ("needle_reasoning", "en"),
    ("ancestral_trace", "direct_en"),
    ("latent_list", None),
    ("idk", None),
    ("in_context_learning", "world"),
    ("long_document_qa", "world"),
    ("synthetic_recall", "json_kv"),
    ("synthetic_recall", "niah_multivalue"),
)
ROWS = 100
SAMPLES = 667
FORMS = (
    "{}",
    "Answer: {}",
    "**Answer:** {}",
    "The answer is {}.",
    "<think>\nIs it something else? No.\n</think>\n\nAnswer: {}",
    "According to the text, it is {}. Let me know if you need anything else!",
    '{{"answer": "{}"}}',
    " {}\n\nQuestion: What else?\nAnswer: nothing",
)


def golds_of_release(folder: Path) -> list[tuple[str, str]]:
    """The ids and golds of a small release, which is built."""
    cells = [
        {
            "task": task,
            "questions": ROWS,
            "params": {"depths": 1} if "needle" in task else {},
            **({"variants": [variant]} if variant else {}),
        }
        for task, variant in CELLS
    ]
    table = {"name": "speed", "version": "1.0.0", "stream": "speed/1", "tokenizer": "o200k_base"}
    carrara.build(recipe_from_table({**table, "buckets": {"4k": 4_096}, "cell": cells}), folder, workers=2)
    return [(row.id, "\n".join(row.answers)) for row in carrara.load(folder / "speed" / "1.0.0")]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--different", action="store_true")
    given = parser.parse_args()
    samples = given.samples
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        golds = golds_of_release(folder)
        file = folder / "responses.jsonl"
        with file.open("w", encoding="utf-8") as stream:
            for sample in range(samples):
                for place, (row_id, gold) in enumerate(golds):
                    said = gold if sample % 3 else golds[(place + sample) % len(golds)][1]
                    text = FORMS[(sample + place) % len(FORMS)].format(said)
                    if given.different:
                        text += "\n" * (sample // 32) + " " * (sample % 32)
                    stream.write(json.dumps({"id": row_id, "response": text, "sample": sample}) + "\n")
        print(f"{samples * len(golds):,} responses, {file.stat().st_size / 1e6:.0f} MB")
        command = [sys.executable, "-m", "carrara", "score", str(folder / "speed" / "1.0.0"), str(file)]
        started = time.perf_counter()
        scoring = subprocess.Popen(command)
        _, status, used = os.wait4(scoring.pid, 0)
        took, spent = time.perf_counter() - started, used.ru_utime + used.ru_stime
        print(f"{took:.0f} s, {spent:.0f} s of processor time, {used.ru_maxrss / 1e6:.2f} GB at most")
    return int(status != 0)


if __name__ == "__main__":
    raise SystemExit(main())
