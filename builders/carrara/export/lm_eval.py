"""A release as tasks of EleutherAI's lm-evaluation-harness (0.4.13): one YAML a config and kind of model, groups, and
the Python file that they name.

The tasks are `carrara_<release>_<config>` for chat models, which get the row's prompt as the user's turn, and the same
with `_base` for base models, which get prompt and `answer_prefix` and go on from there. The harness's own `gen_prefix`
would put the prefix into the chat model's turn too. Groups: `carrara_<release>`, one a bucket, and both with `_base`.
Functions stand where the harness would else render templates, which drop a last newline. Greedy, no few-shot examples,
and no stop sequence (without `until` the harness stops at a blank line). `max_gen_toks` is the config's largest
`max_output_tokens`: the harness knows none by row.

No text of a release reaches a file but checked names and numbers, and those quoted. What must not change: task names.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from carrara.engine.files import write_bytes
from carrara.errors import CarraraError, ReleaseError
from carrara.release.reader import Release
from carrara.release.schema import ConfigFacts, shown
from carrara.release.store import Folder
from carrara.scoring import METRICS, recorded
from carrara.scoring.result import bucket_tokens

FUNCTIONS: Final = "carrara_lm_eval"
BASE: Final = "_base"
_SCORE: Final = """

def {function}(doc: Mapping[str, Any], results: Sequence[str | None]) -> dict[str, float]:
    \"\"\"The score of tasks that were exported for this metric.\"\"\"
    return score(doc, results, {metric})
"""
_HEADER: Final = "# Written by carrara export lm-eval: export again instead of editing."
_OURS: Final = re.compile(r"carrara_[A-Za-z0-9._-]+\.yaml")
_AGAIN: Final = "download or build the release again, or verify it: carrara verify DIR"


def write(release: Release, out: Path, repo: str | None = None, revision: str | None = None) -> list[Path]:
    """Write the tasks of a release into the folder `out`; the paths of what was written.

    The tasks read the release where it lies, or from the Hub's dataset `repo` at `revision` (else the tag that is the
    release's version). An earlier export in `out` is replaced. Raises CarraraError for a folder that holds anything
    else, and ReleaseError for a release that cannot be exported.
    """
    if not release.configs:
        raise ReleaseError(f"{release.name}@{release.version} has no configs: nothing was written", _AGAIN)
    place: dict[str, object] = {"dataset_path": repo or str(release.folder.resolve())}
    if repo:
        place["dataset_kwargs"] = {"revision": revision or release.version}
    texts = {f"{FUNCTIONS}.py": ""}
    for config, facts in release.configs.items():
        name = task_name(release, config)
        called = {"doc_to_text": "prompt", "doc_to_target": "gold", "process_results": scorer_name(facts.metric)}
        _add(texts, name, {**place, **_task(release, config, facts)}, called)
        changes = {"task": name + BASE, "task_alias": config + BASE}
        _add(texts, name + BASE, {"include": f"{name}.yaml", **changes}, {"doc_to_text": "prompt_and_prefix"})
    for name, members in (groups(release) | groups(release, BASE)).items():
        alias, metadata = name.removeprefix("carrara_"), {"version": release.version}
        _add(texts, name, {"group": name, "group_alias": alias, "task": members, "metadata": metadata}, {})
    texts[f"{FUNCTIONS}.py"] = _functions({facts.metric for facts in release.configs.values()})
    earlier = _earlier(release, out)
    # The functions first: by them an export that was broken off is known.
    for file, text in texts.items():
        write_bytes(out / file, text.encode())
    for file in earlier - set(texts):
        (out / file).unlink()
    return [out / file for file in texts]


def task_name(release: Release, config: str) -> str:
    """The task of a config, for chat models. The prefix keeps it apart from the harness's own (ruler, longbench)."""
    return f"carrara_{release.name}_{config}"


def scorer_name(metric: str) -> str:
    """The function that scores by a metric: a row's own metric must be the one that its task was exported for."""
    return f"score_{re.sub(r'[^A-Za-z0-9]', '_', metric)}"


def _functions(metrics: Iterable[str]) -> str:
    """What the harness calls, with a score for each metric. Their names are known ones (`_task`)."""
    scores = (_SCORE.format(function=scorer_name(metric), metric=json.dumps(metric)) for metric in sorted(metrics))
    return Path(__file__).with_name("lm_eval_functions.py").read_text(encoding="utf-8") + "".join(scores)


def groups(release: Release, kind: str = "") -> dict[str, list[str]]:
    """The members of every group for chat models, or of kind `BASE`: those of the buckets, then that of the release.

    Raises ReleaseError for a bucket that is none.
    """
    buckets: dict[str, list[str]] = {}
    for config, facts in release.configs.items():
        if not bucket_tokens(facts.bucket):
            raise ReleaseError(f"{config}: got bucket {shown(facts.bucket)}, expected one like 32k or 1M", _AGAIN)
        buckets.setdefault(facts.bucket, []).append(task_name(release, config) + kind)
    whole = f"carrara_{release.name}"
    found = {f"{whole}_{bucket}{kind}": buckets[bucket] for bucket in sorted(buckets, key=bucket_tokens)}
    return {**found, whole + kind: list(found)}


def room(facts: ConfigFacts) -> int:
    """The tokens that a config needs: its longest prompt and its largest output, be they of one row or of two.

    By the release's tokenizer, without the answer prefix. It may be more than the bucket.
    """
    return int(facts.tokens.max + facts.output_tokens.max)


def rooms(release: Release) -> dict[str, int]:
    """The tokens that every group for chat models needs."""
    needed = {task_name(release, config): room(facts) for config, facts in release.configs.items()}
    for name, members in groups(release).items():
        needed[name] = max(needed[member] for member in members)
    return {name: needed[name] for name in groups(release)}


def _task(release: Release, config: str, facts: ConfigFacts) -> dict[str, object]:
    metric, longest = facts.metric, facts.output_tokens.max
    # A metric with a model plugged in is never a row's own: it would be loaded by whoever runs the tasks.
    if metric not in METRICS:
        raise ReleaseError(f"{config}: got metric {shown(metric)}, which this version does not know", _AGAIN)
    if type(longest) is not int or not 0 < longest < 1 << 31:
        raise ReleaseError(f"{config}: got outputs of at most {shown(longest)} tokens, expected at least 1", _AGAIN)
    return {
        "task": task_name(release, config),
        "task_alias": config,
        "dataset_name": config,
        "test_split": "test",
        "output_type": "generate_until",
        "target_delimiter": "",
        # With the test split for want of another, the harness would hold every row once more.
        "num_fewshot": 0,
        "fewshot_config": {"samples": []},
        "generation_kwargs": {"until": [], "do_sample": False, "temperature": 0.0, "max_gen_toks": longest},
        "metric_list": [{"metric": recorded(metric), "aggregation": "mean", "higher_is_better": True}],
        "metadata": {
            "version": release.version,
            "release": f"{release.name}@{release.version}",
            "root": facts.root,
            "room": room(facts),
        },
    }


def _add(texts: dict[str, str], name: str, table: Mapping[str, object], called: Mapping[str, str]) -> None:
    if f"{name}.yaml" in texts:
        raise ReleaseError(f"two tasks or groups would be called {name}", "give the configs other names")
    lines = [_HEADER, *(f"{key}: {quoted(value)}" for key, value in table.items())]
    lines += [f"{key}: !function {FUNCTIONS}.{function}" for key, function in called.items()]
    texts[f"{name}.yaml"] = "\n".join(lines) + "\n"


def quoted(value: Any) -> str:
    """A value as YAML in ASCII: JSON, but for characters beyond 16 bits, which YAML escapes as one.

    Raises CarraraError for half a surrogate pair (a path that is no UTF-8).
    """
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CarraraError(
            f"got {ascii(value)[:200]}, expected text", "give the folder a name that is UTF-8"
        ) from error
    return "".join(one if " " <= one <= "~" else f"\\U{ord(one):08x}" for one in text)


def _earlier(release: Release, out: Path) -> set[str]:
    """The YAML files of an earlier export in the folder. Raises CarraraError if it holds anything else."""
    if isinstance(release.place, Folder) and out.resolve().is_relative_to(release.folder.resolve()):
        raise CarraraError(f"{out} lies in the release", "give a folder of its own: nothing is added to a release")
    if not out.exists():
        return set()
    if not out.is_dir():
        raise CarraraError(f"{out} is no folder", "give a new or empty folder, or one of an earlier export")
    entries = {entry.name: entry for entry in out.iterdir() if entry.name != "__pycache__"}
    if not entries:
        return set()
    functions = entries.pop(f"{FUNCTIONS}.py", None)
    strange = sorted(name for name, entry in entries.items() if not _is_ours(entry))
    if functions is None or functions.is_symlink() or strange:
        name = strange[0] if strange else f"no {FUNCTIONS}.py"
        raise CarraraError(
            f"{out} holds something else than an earlier export ({shown(name)}): nothing was written",
            "give a new or empty folder, or one of an earlier export",
        )
    return set(entries)


def _is_ours(entry: Path) -> bool:
    if not _OURS.fullmatch(entry.name) or entry.is_symlink() or not entry.is_file():
        return False
    with entry.open("rb") as stream:
        return stream.read(len(_HEADER)) == _HEADER.encode()
