"""Made-up results of made-up models over made-up rows of every task, 4k to 1M: what plots and comparisons are fed."""

import hashlib
import json
import math
from pathlib import Path

from carrara.scoring.result import RowScore, bucket_tokens, held_configs

CLASSES = (
    *("Company", "EducationalInstitution", "Artist", "Athlete", "OfficeHolder", "MeanOfTransportation", "Building"),
    *("NaturalPlace", "Village", "Animal", "Plant", "Album", "Film", "WrittenWork"),
)
HELMET = {
    "rag": ("nq", "triviaqa", "popqa", "hotpotqa"),
    "reranking": ("msmarco",),
    "citations": ("asqa", "qampari"),
    "long_document_qa": ("narrativeqa", "infbench_qa", "infbench_choice"),
    "summarization": ("multilexsum", "infbench_sum"),
    "in_context_learning": ("trec_coarse", "trec_fine", "banking77", "clinc150", "nlu"),
    "synthetic_recall": ("json_kv", "niah_multikey_2", "niah_multikey_3", "niah_multivalue"),
}
MODELS = {"alpha-large": 0.95, "beta-2.5": 0.8, "gamma-mini": 0.55}
BUCKETS = ("32k", "128k", "1M")


def even(*key) -> float:
    """A number in [0, 1) that follows from the key."""
    return int.from_bytes(hashlib.sha256(repr(key).encode()).digest()[:6], "big") / 2**48


def row(task, variant, bucket, item, index=None, *, benchmark="made", tokens=None, room=128, **fields) -> RowScore:
    """A row without a score: a full one unless its tokens are given."""
    dataset = f"{task}_{variant}" if variant else task
    size = bucket_tokens(bucket)
    return RowScore(
        id=f"{benchmark}/{dataset}/{bucket}/{item if index is None else index:05d}",
        score=None,
        reason=fields.pop("metric", "made"),
        metric="made",
        item=f"{benchmark}/{dataset}/{item:05d}",
        task=task,
        variant=variant,
        bucket=bucket,
        tokens=size - room if tokens is None else tokens,
        max_output_tokens=room,
        group=f"{benchmark}/{dataset}/{bucket}/q{item:05d}",
        **fields,
    )


def michelangelo():
    for place, bucket in enumerate(BUCKETS):
        size = bucket_tokens(bucket)
        for item in range((60, 45, 30)[place]):
            tokens = 2_049 + int((0.5 + item * 0.6180339887) % 1 * (size - 2_049 - 128))
            yield row("latent_list", "", bucket, item, tokens=tokens, complexity=(1, 5, 20)[item % 3])
            yield row("idk", "", bucket, item, tokens=tokens, complexity=int(item % 10 >= 7))
            for number, needles in enumerate((1, 2, 4, 8)):
                chance = tuple(round(0.01 + 0.12 * even("c", item, needles, n) ** 3, 4) for n in range(24))
                depth = ((0.5 + item * 0.6180339887 + number / 4) % 1,)
                yield row(
                    "mrcr", f"{needles}needle", bucket, item, tokens=tokens, complexity=needles, chance=chance,
                    depths=depth * needles,
                )  # fmt: skip


def needlebench(buckets=("4k", *BUCKETS)):
    for bucket in buckets:
        size, steps = bucket_tokens(bucket), 4 if bucket == "4k" else 8
        for task, needles in (("single_needle", (1,)), ("multi_needle", (5,)), ("needle_reasoning", (2, 3, 4, 5))):
            for lang in ("en", "zh"):
                for item in range(1 if bucket == "1M" else 4):
                    count = needles[item % len(needles)]
                    for place in range(steps * 11):
                        step, depth = divmod(place, 11)
                        yield row(
                            task, lang, bucket, item, item * steps * 11 + place,
                            benchmark="needlebench", tokens=size * (step + 1) // steps - 128,
                            complexity=count, depths=(depth / 10,) * count,
                            numbers={"depth": depth / 10},
                        )  # fmt: skip


def ancestral_trace(buckets=("32k", "128k"), each=4, turns=4):
    for bucket in buckets:
        for variant in ("direct_en", "direct_zh", "reasoned_en", "reasoned_zh"):
            for item in range(18 * each):
                for turn in range(turns if bucket == "32k" else 1):
                    index = item * (turns if bucket == "32k" else 1) + turn
                    yield row(
                        "ancestral_trace",
                        variant,
                        bucket,
                        item,
                        index,
                        benchmark="needlebench",
                        complexity=2 + item % 18,
                    )


def verbatimeval():
    for bucket, n in (("4k", 400), ("32k", 3_270), ("128k", 13_100), ("1M", 104_850)):
        for item in range(10):
            for variant in ("ascending", "descending", "verbatim"):
                yield row(
                    "numeric_sorting", variant, bucket, item, benchmark="verbatimeval", complexity=n,
                    numbers={"n": n, "digits": 5 + item % 6},
                )  # fmt: skip
    for task, sources in (("sentence_arrangement", ("govreport", "world")), ("entity_grouping", ("dbpedia", "world"))):
        for source in sources:
            for place, bucket in enumerate(BUCKETS):
                for item in range(10):
                    for variant in (source, f"{source}_verbatim"):
                        n = int((400, 1_600, 12_800)[place] * (1 + 0.05 * even(task, source, bucket, item)))
                        yield row(task, variant, bucket, item, benchmark="verbatimeval", complexity=n)


def helmet(each=12):
    for task, datasets in HELMET.items():
        for dataset in datasets:
            for bucket in BUCKETS:
                for item in range(each):
                    places = 6 if task == "rag" and dataset != "hotpotqa" else 1
                    for place in range(places):
                        index, depths = item * places + place, (place / 5,) if places > 1 else ()
                        yield row(task, dataset, bucket, item, index, benchmark="helmet", depths=depths)


def ruler(each=12):
    """RULER's tasks as a release of them all holds them: thirteen, one kind of questions more, two hard variants."""
    tasks = [f"niah_{name}" for name in ("single_1", "single_2", "single_3", "multikey_1", "multikey_2", "multikey_3")]
    tasks += ["niah_multivalue", "niah_multiquery", "vt", "cwe", "fwe", "qa_squad", "qa_hotpotqa", "qa_world"]
    for dataset in (*tasks, "vt_hard", "cwe_hard"):
        for bucket in ("4k", *BUCKETS):
            for item in range(each):
                yield row("synthetic_recall", dataset, bucket, item, benchmark="helmet")


def every_row() -> list[RowScore]:
    return [*michelangelo(), *needlebench(), *ancestral_trace(), *verbatimeval(), *helmet()]


def answered(rows, model: str, skill: float) -> list[dict]:
    """Scores of a model: worse with length and complexity, and in the middle of a text."""
    scored = []
    for one in rows:
        length = math.log2(max(one.tokens, 2_048) / 2_048) / 9
        hard = math.log2(1 + one.complexity) / 6 if one.task in {"latent_list", "ancestral_trace", "mrcr"} else 0.2
        middle = 1 - abs(2 * one.depth - 1) if one.depth is not None else 0.5
        copying = "verbatim" in one.variant or one.task in {"idk", "rag"}
        good = skill * (1.1 - 0.45 * length - 0.4 * hard * (1 - 0.6 * copying) - 0.25 * length * middle)
        good += 0.1 * (even(one.dataset, model) - 0.5) + 0.1 * copying
        hardness = 0.6 * even("question", one.item) + 0.4 * even(one.id, model)
        if one.task in {"numeric_sorting", "sentence_arrangement", "entity_grouping"}:
            value = min(1.0, max(0.0, good + 0.15 * (0.5 - hardness)))
        else:
            value = float(hardness < good)
        table = one.to_json() | {"score": round(value, 4)}
        if one.task in {"single_needle", "multi_needle", "needle_reasoning"}:
            table["reported"] = max(table["score"], 0.05)
        if one.task == "entity_grouping":
            table["classes"] = {
                name: round(min(1.0, max(0.0, value + 0.4 * (even(name, model) - 0.6))), 3) for name in CLASSES
            }
        scored.append(table)
    return sorted(scored, key=lambda table: table["id"])


def result(rows, model="alpha-large", skill=0.9, **fields) -> dict:
    """A result file's table, without the averages, which nothing reads."""
    rows = list(rows)
    return {
        "format": "carrara/result",
        "version": 2,
        "model": model,
        "release": "made@1.0.0",
        "stream": "made/1",
        "metric": None,
        "release_configs": [one.to_json() for one in held_configs(rows)],
        "scores": answered(rows, model, skill),
    } | fields


def write_results(folder: Path, rows=None, models=MODELS) -> list[Path]:
    """Result files of several models over the same rows."""
    rows = list(every_row() if rows is None else rows)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for model, skill in models.items():
        paths.append(folder / f"{model}.json")
        paths[-1].write_text(json.dumps(result(rows, model, skill)), encoding="utf-8")
    return paths
