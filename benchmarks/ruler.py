"""Seconds a row of synthetic recall, and its fill, beside a straightforward generator that tokenises again and again.

    python -m benchmarks.ruler [--lengths 4k,32k,128k,1M] [--variants cwe,vt] [--rows 4] [--json FILE]

Both sides in one run, one process, processor time; both have their long text ready before the clock starts. Carrara's
rows are planned, rendered, solved and audited, the others only written. `first`: Carrara's first row, with what is read
and counted once; the other's search for how many units fit. `row`: each further one. `x`: the time of so many rows with
the first, over Carrara's. A search marked ~ was too long to run: its cost is taken from trials evenly between its ends.
"""

import argparse
import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.ruler_straightforward import OUTPUT, PLAIN, row, search
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import EMBEDDED, recipe_from_table
from carrara.tasks.helmet.synthetic_recall.task import KINDS, TASK
from carrara.tokens import load_tokenizer

LENGTHS = {f"{number}k": number << 10 for number in (4, 8, 16, 32, 64, 128, 256, 512)} | {"1M": 1 << 20}
_TOKENIZER = "o200k_base"


@dataclass(frozen=True)
class Measured:
    """One side at one length: seconds of the first row (or the search) and of each further one, the least fill."""

    first: float
    row: float
    fill: float
    estimated: bool = False

    def seconds(self, rows: int) -> float:
        """The time of so many rows."""
        return self.first + self.row * rows


def embedded() -> list[str]:
    """The variants that need no files, in the order of the table."""
    return [name for name in KINDS if TASK.variants[name].source in {"", *EMBEDDED}]


def ours(variant: str, bucket: str, rows: int) -> Measured:
    """Carrara's rows, one maker for all, as a build's process makes them."""
    recipe = recipe_from_table(
        {
            "name": "ruler",
            "version": "1.0.0",
            "stream": "ruler benchmark/1",
            "tokenizer": _TOKENIZER,
            "buckets": {bucket: LENGTHS[bucket]},
            "cell": [{"task": TASK.name, "variants": [variant], "questions": rows + 1}],
        }
    )
    maker = RowMaker(recipe, None)
    (config,) = recipe.configs()
    if TASK.variants[variant].haystack:
        maker.inputs(config.source).prepare("en")
    seconds, fills = [], []
    for item in range(rows + 1):
        started = time.process_time()
        made = maker.make(config, config.slot(item * config.placements)).row
        seconds.append(time.process_time() - started)
        fills.append((made.tokens + made.max_output_tokens) / LENGTHS[bucket])
    return Measured(seconds[0], sum(seconds[1:]) / rows, min(fills))


def theirs(variant: str, bucket: str, rows: int) -> Measured:
    """The straightforward generator's rows."""
    plain, length, count = PLAIN[variant], LENGTHS[bucket], load_tokenizer(_TOKENIZER).count
    plain.make(plain.step, 0)
    found = search(plain, length, count, time.process_time)
    started, tokens = time.process_time(), []
    for number in range(1, rows + 1):
        tokens.append(row(plain, found.units, number, length, count)[1])
    spent = time.process_time() - started
    return Measured(found.seconds, spent / rows, (min(tokens) + OUTPUT) / length, found.estimated)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lengths", default="4k,32k,128k,1M", help=f"of {', '.join(LENGTHS)}")
    parser.add_argument("--variants", default=",".join(embedded()), help="default: all that need no files")
    parser.add_argument("--rows", type=int, default=4, help="rows after the first")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args(arguments)
    sides = "".join(f"  {side:>15}{'row':>9}{'fill':>9}" for side in ("Carrara: first", "plain: first"))
    print(f"{'':22}{sides}{'x':>8}")
    figures = []
    for variant in options.variants.split(","):
        for bucket in options.lengths.split(","):
            mine = ours(variant, bucket, options.rows)
            line = f"{variant:16}{bucket:>6}  {mine.first:>15.3f}{mine.row:>9.3f}{mine.fill:>9.4f}"
            told = {"variant": variant, "length": LENGTHS[bucket], "rows": options.rows, "carrara": asdict(mine)}
            if variant in PLAIN:
                plain = theirs(variant, bucket, options.rows)
                ratio = plain.seconds(options.rows) / mine.seconds(options.rows)
                told |= {"plain": asdict(plain), "ratio": ratio}
                first = f"{'~' * plain.estimated}{plain.first:.3f}"
                line += f"  {first:>15}{plain.row:>9.3f}{plain.fill:>9.4f}{ratio:>8.1f}"
            print(line, flush=True)
            figures.append(told)
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
