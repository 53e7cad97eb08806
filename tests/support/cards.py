"""The content of a manifest as cards and Croissant need it, and the same with something hostile in every text."""

import copy

BUCKETS = {"4k": 4_096, "32k": 32_768, "128k": 131_072, "1M": 1_048_576}
HOSTILE = "a|b `c` <script>x</script>\n---\n# h\r\n[l](javascript:x) *s* _u_ $m$ \u202e\x1b[31m\ud800 {{x}} & \\ end"


def cell(task="single_needle", variants=("en", "zh"), buckets=("32k", "128k"), lengths="grid", source="world"):
    return {
        "task": task,
        "variants": list(variants),
        "buckets": list(buckets),
        "questions": dict.fromkeys(buckets, 4),
        "lengths": lengths,
        "source": source,
        "params": {"depths": 11, "question": "after"},
    }


def content(*cells, title="Needles", rows=88):
    cells = cells or (cell(),)
    configs = {}
    for each in cells:
        for variant in each["variants"]:
            for bucket in each["buckets"]:
                size = BUCKETS[bucket]
                name = "_".join(part for part in (each["task"], variant, bucket) if part)
                configs[name] = {
                    "task": each["task"],
                    "benchmark": "needlebench",
                    "paper": "NeedleBench (arXiv:2407.11963v1)",
                    "asks": "Find the sentence.",
                    "variant": variant,
                    "bucket": bucket,
                    "bucket_tokens": size,
                    "source": each["source"],
                    "lengths": each["lengths"],
                    "metric": "needlebench/keywords",
                    "metrics": ["needlebench/keywords", "needlebench/single"],
                    "rows": rows,
                    "items": 4,
                    "groups": 4,
                    "files": [f"data/{name}/test-00000-of-00001.parquet"],
                    "root": "0" * 64,
                    "plans": "1" * 64,
                    "tokens": {"sum": rows * size // 2, "min": 400, "max": size - 128, "mean": size / 2, "sd": 812.4},
                    "output_tokens": {"sum": rows * 128, "min": 128, "max": 128, "mean": 128.0, "sd": 0.0},
                    "fill": {"min": 0.99951, "mean": 0.99999},
                    "complexity": {"1": rows},
                    "depths": [10, 8, 8, 8, 8, 8, 8, 8, 8, 14],
                    "histogram": [0] * 12 + [rows] + [0] * 7,
                    "paper_scores": {"latent_list/paper": {"empty": 0.0, "prompt echo": 0.5}},
                    "answers": 4,
                    "licence": "Apache-2.0",
                }
    return {
        "name": "needles",
        "version": "1.2.3",
        "stream": "needles/1",
        "title": title,
        "canary": "carrara-canary 0123456789abcdef",
        "tokenizer": {"name": "o200k_base", "fingerprint": "2" * 64},
        "recipe": {"cells": list(cells)},
        "recipe_fingerprint": "3" * 64,
        "sources": {
            "world": {
                "title": "Invented prose",
                "lang": "en, zh",
                "licence": "Apache-2.0",
                "citation": "Nobody: Nothing.",
                "url": "https://example.org/a_b",
                "fingerprint": "4" * 64,
                "files": {"a.txt": "5" * 64},
            }
        },
        "configs": configs,
    }


def with_text(facts, text):
    """Every free text of the content replaced."""
    facts = copy.deepcopy(facts)
    facts["title"] = facts["tokenizer"]["name"] = facts["stream"] = text
    for config in facts["configs"].values():
        config["asks"] = config["paper"] = config["licence"] = config["metric"] = text
        config["metrics"] = [text, text + "2"]
    for each in facts["recipe"]["cells"]:
        each["params"] = {text: [text]}
        each["lengths"] = text
    for source in facts["sources"].values():
        source.update(title=text, licence=text, citation=text, url=text, lang=text)
    return facts
