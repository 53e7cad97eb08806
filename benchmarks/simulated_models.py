"""Models with a known rate of right answers, simulated: is the printed score fair, and is its interval true?

    PYTHONPATH=tests:tests/support python -m benchmarks.simulated_models              # 200 models, some minutes
    PYTHONPATH=tests:tests/support python -m benchmarks.simulated_models --models 20 --rows 10

A model answers every row right at its rate, in ways drawn from `tests/scoring/natural/`, and one row in ten is cut
within its thoughts, whatever they say. Each model is written three times, as JSON lines with finish_reason, as samples
of lm-evaluation-harness and as a log of Inspect, read back and scored. The three must be equal row by row; the rate,
less what is cut, must lie within the printed interval for 95 models in 100.
"""

import argparse
import json
import math
import statistics
import tempfile
import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from inspect_ai.log import EvalConfig, EvalDataset, EvalLog, EvalSample, EvalSpec, write_eval_log
from inspect_ai.model import ModelOutput
from natural import language, said_in, ways
from variants import is_embedded, many

from carrara.scoring import Report, read_responses, score
from carrara.stream import Stream
from carrara.tasks import TASKS

# Tasks that know right and wrong alone, so that the rate of right answers is the score.
TASKS_ASKED: Final = (
    ("single_needle", "en"),
    ("single_needle", "zh"),
    ("needle_reasoning", "en"),
    ("needle_reasoning", "zh"),
    ("ancestral_trace", "direct_en"),
    ("ancestral_trace", "direct_zh"),
    ("idk", "idk"),
    ("latent_list", "latent_list"),
    ("long_document_qa", "world_choice"),
    ("in_context_learning", "world"),
)
RATES: Final = (0.3, 0.5, 0.7, 0.8, 0.9, 0.95)
CUT: Final = 0.1
WORDS: Final = 1 << 32


class Asked(NamedTuple):
    """A row, the ways to answer it right and wrong, and a right one within a thought."""

    row: Mapping[str, Any]
    right: Sequence[str]
    wrong: Sequence[str]
    thought: str


class Answer(NamedTuple):
    """What a model said to a row, and whether it was cut."""

    id: str
    text: str
    is_cut: bool


def asked(rows: int) -> list[Asked]:
    """Rows of every task and the ways to answer them."""
    found = []
    for task, variant in TASKS_ASKED:
        name = variant if variant in TASKS[task].variants else next(iter(TASKS[task].variants))
        assert is_embedded(task, name)
        made = many(task, name, rows)
        (config,) = (one for one in made.recipe.configs() if one.bucket == "4k")
        step = config.placements
        table = [made.make(config, config.slot(item * step)).row.to_arrow() for item in range(rows)]
        for place, row in enumerate(table):
            told = [*ways(said_in(table, place), task, language(name))]
            right, wrong = ([text for side, _, _, text in told if side == wanted] for wanted in ("right", "wrong"))
            found.append(Asked(row, right, wrong, f"<think>\n{right[0]}"))
    return found


def answers(rows: Sequence[Asked], rate: float, model: int) -> list[Answer]:
    """What model number `model` says."""
    dice, said = Stream("simulated models", model), []
    for one in rows:
        texts = one.right if dice.below(WORDS) < rate * WORDS else one.wrong
        text = texts[dice.below(len(texts))]
        is_cut = dice.below(WORDS) < CUT * WORDS
        said.append(Answer(one.row["id"], one.thought if is_cut else text, is_cut))
    return said


def write_lines(file: Path, said: Sequence[Answer]) -> None:
    with file.open("w", encoding="utf-8") as stream:
        for one in said:
            stop = "length" if one.is_cut else "stop"
            stream.write(json.dumps({"id": one.id, "response": one.text, "finish_reason": stop}) + "\n")


def write_samples(file: Path, said: Sequence[Answer], rows: Sequence[Asked]) -> None:
    """As lm_eval writes with --log_samples; it keeps no stop reasons."""
    with file.open("w", encoding="utf-8") as stream:
        for number, (one, (row, *_)) in enumerate(zip(said, rows, strict=True)):
            doc = {key: row[key] for key in ("id", "task", "answers")}
            logged = {"doc_id": number, "doc": doc, "target": row["answers"][0], "filter": "none"}
            stream.write(json.dumps({**logged, "resps": [[one.text]], "filtered_resps": [one.text]}) + "\n")


def write_log(file: Path, said: Sequence[Answer]) -> None:
    """By Inspect itself."""
    samples = []
    for one in said:
        stop = "max_tokens" if one.is_cut else "stop"
        output = ModelOutput.from_content("simulated", one.text, stop_reason=stop)
        samples.append(EvalSample(id=one.id, epoch=1, input="", target="", output=output))
    now = datetime.now(UTC).isoformat()
    spec = EvalSpec(created=now, task="simulated", dataset=EvalDataset(), model="simulated", config=EvalConfig())
    write_eval_log(EvalLog(status="success", eval=spec, samples=samples), str(file))


def reports(said: Sequence[Answer], rows: Sequence[Asked], folder: Path) -> dict[str, Report]:
    """The model's score by each of the three ways to write down what it said."""
    files = {
        "JSON lines": folder / "model.jsonl",
        "lm-eval": folder / "samples_simulated_2026-01-01T00-00-00.jsonl",
        "Inspect": folder / "model.eval",
    }
    write_lines(files["JSON lines"], said)
    write_samples(files["lm-eval"], said, rows)
    write_log(files["Inspect"], said)
    table = [one.row for one in rows]
    return {name: score(table, read_responses(file)) for name, file in files.items()}


def share(hits: Sequence[bool]) -> str:
    """A share with its standard error."""
    if not hits:
        return "no intervals, too few rows"
    mean = statistics.mean(hits)
    return f"{100 * mean:.1f} % of {len(hits):,} (± {100 * math.sqrt(mean * (1 - mean) / len(hits)):.1f})"


def main() -> int:
    """Print what differs and how often the intervals hold; exit 1 if reports differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--rows", type=int, default=15, help="rows of each of the ten datasets")
    arguments = parser.parse_args()
    started = time.process_time()
    rows = asked(arguments.rows)
    print(f"{len(rows)} rows, {time.process_time() - started:.0f} s; each is answered by {arguments.models} models")
    held: list[bool] = []
    of_tasks: list[bool] = []
    unlike = 0
    with tempfile.TemporaryDirectory() as folder:
        for model in range(arguments.models):
            rate = RATES[model % len(RATES)]
            said = answers(rows, rate, model)
            told = reports(said, rows, Path(folder))
            first, *others = ({one.id: one.score for one in report.scores} for report in told.values())
            unlike += any(other != first for other in others)
            report, true = told["JSON lines"], rate * (1 - CUT)
            for cell, hits in ((report.overall, held), *((cell, of_tasks) for cell in report.tasks.values())):
                if cell.interval:
                    hits.append(cell.interval[0] <= true <= cell.interval[1])
    print(f"models whose three scores differ: {unlike}")
    print(f"the true rate lies within the interval of the whole: {share(held)}")
    print(f"and within those of the tasks: {share(of_tasks)}")
    print(f"{time.process_time() - started:.0f} s of processor time")
    return int(unlike > 0)


if __name__ == "__main__":
    raise SystemExit(main())
