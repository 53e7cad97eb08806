"""A judge for tests, which answers any question of ours by what the texts hold, and a release with rows to judge."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from commands import relist
from endpoint import completion

from carrara.release.manifest import canonical
from carrara.release.reader import open_release
from carrara.row import SCHEMA

BASE_ID = "needlebench/single_needle_en/4k/{:05}"
SUMMARY_IDS = [f"verbatimeval/numeric_sorting_ascending/4k/{number:05}" for number in range(2)]
QA_CONFIGS = ["single_needle_en_4k", "single_needle_en_8k"]
SUMMARY_CONFIG = "numeric_sorting_ascending_4k"


def material(body: dict[str, Any]) -> dict[str, Any]:
    """The JSON object with which the user's message begins."""
    table: dict[str, Any] = json.JSONDecoder().raw_decode(body["messages"][1]["content"])[0]
    return table


def kind_of(body: dict[str, Any]) -> str:
    """Which question was asked, by what it is about."""
    texts = material(body)
    names = {"question": "qa", "key_points": "recall", "reference": "precision"}
    return next((kind for name, kind in names.items() if name in texts), "fluency")


def verdict(body: dict[str, Any]) -> dict[str, Any]:
    """What the judge says: 3 for an accepted answer, 1 for a part; a statement is held if the other side has it."""
    texts, kind = material(body), kind_of(body)
    if kind == "recall":
        return {"held": [one["text"] in texts["response"] for one in texts["key_points"]]}
    if kind == "precision":
        return {"held": [one["text"] in texts["reference"] for one in texts["sentences"]]}
    fluent = {"fluency": int("@@" not in texts["response"])}
    if kind == "fluency":
        return fluent
    words = {word for text in texts["references"] for word in text.split()}
    right = 3 if texts["response"] in texts["references"] else int(bool(words & set(texts["response"].split())))
    return {**fluent, "correctness": right}


def is_by_paper(body: dict[str, Any]) -> bool:
    """Whether the rubric asks for reasons before the verdict."""
    return '{"reasons": ' in body["messages"][0]["content"]


def judge(body: dict[str, Any]) -> dict[str, Any]:
    """The judge as an endpoint's answer, with reasons where it is asked for them."""
    reasons = {"reasons": "Word by word."} if is_by_paper(body) else {}
    return completion(json.dumps(reasons | verdict(body)))


def judged_release(release: Path, folder: Path) -> Path:
    """A copy of the small release whose needle rows in English are questions to judge and whose lists are summaries."""
    place = folder / "out" / release.parent.name / release.name
    shutil.copytree(release, place)
    for name in (*QA_CONFIGS, SUMMARY_CONFIG):
        for path in open_release(place).configs[name].files:
            rows = pq.read_table(place / path).to_pylist()
            rewritten = [_summary(row) if name == SUMMARY_CONFIG else _qa(row) for row in rows]
            pq.write_table(pa.Table.from_pylist(rewritten, schema=SCHEMA), place / path, use_dictionary=False)
    manifest = json.loads((place / "manifest.json").read_text())
    for name in (*QA_CONFIGS, SUMMARY_CONFIG):
        metric = "judge/summary" if name == SUMMARY_CONFIG else "judge/qa"
        manifest["content"]["configs"][name]["metric"] = metric
    (place / "manifest.json").write_bytes(canonical(manifest))
    relist(place, *QA_CONFIGS, SUMMARY_CONFIG)
    return place


def rows_of(place: Path, *configs: str) -> list[dict[str, Any]]:
    """Rows of a release without their prompts."""
    files = (path for name in configs for path in open_release(place).configs[name].files)
    return [row | {"prompt": ""} for path in files for row in pq.read_table(place / path).to_pylist()]


def _qa(row: dict[str, Any]) -> dict[str, Any]:
    facts = json.dumps({"question": f"What does the needle of {row['id']} say?"})
    return {**row, "metric": "judge/qa", "facts": facts}


def _summary(row: dict[str, Any]) -> dict[str, Any]:
    number = row["id"][-1]
    points = [f"The mill of valley {number} burned.", "Nobody was hurt.", "It was built again."]
    long = f"In spring the mill of valley {number} burned. Nobody was hurt. The owner sold the land."
    facts = json.dumps({"key_points": points, "long_summary": long})
    return {**row, "metric": "judge/summary", "answers": [" ".join(points)], "facts": facts}
