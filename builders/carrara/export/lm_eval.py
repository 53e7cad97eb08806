"""Tasks for EleutherAI's lm-evaluation-harness (0.4.13): YAML for configs, kinds of model and groups, one Python file.

The tasks are `carrara_<release>_<config>` for chat models, which get the row's prompt as the user turn, and the same
name with `_base` for base models, which continue the prompt and `answer_prefix`. (The harness's own `gen_prefix` would
add the prefix to the chat model's turn too.) The groups are `carrara_<release>` and one for each bucket, both also with
`_base`.

Prompts come from functions, because the harness's templates drop a final newline. Decoding is greedy, without few-shot
examples and without stop sequences (without `until` the harness would stop at a blank line). `max_gen_toks` is the
largest `max_output_tokens` of the config, since the harness has no limit for single rows.

Only checked names and numbers of a release reach a file, and they are quoted. The names of tasks must not change.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from carrara.engine.files import is_torn, write_bytes
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
_SELECTED: Final = """

SELECTED = frozenset((
{ids}))


def selected(docs: Any) -> Any:
    \"\"\"The rows that were exported, of those of a config.\"\"\"
    return docs.select([place for place, row_id in enumerate(docs["id"]) if row_id in SELECTED])
"""
_HEADER: Final = "# Written by carrara export lm-eval: export again instead of editing."
_OURS: Final = re.compile(r"carrara_[A-Za-z0-9._-]+\.yaml")
_AGAIN: Final = "download or build the release again, or verify it: carrara verify DIR"


def write(
    release: Release, out: Path, repo: str | None = None, revision: str | None = None, ids: Iterable[str] = ()
) -> list[Path]:
    """Write the tasks of a release into the folder `out`; return the paths.

    The tasks read the release from its folder, or from the dataset `repo` on the Hub at `revision` (by default the tag
    named like the version); with `ids` only these rows, and the release holds only their configs. An earlier export in
    `out` is replaced. Raises CarraraError if the folder holds anything else, and ReleaseError for a release that cannot
    be exported.
    """
    if not release.configs:
        raise ReleaseError(f"{release.name}@{release.version} has no configs: nothing was written", _AGAIN)
    dataset: dict[str, object] = {"dataset_path": repo or str(release.folder.resolve())}
    if repo:
        dataset["dataset_kwargs"] = {"revision": revision or release.version}
    texts, selected = {f"{FUNCTIONS}.py": ""}, sorted(ids)
    for config, facts in release.configs.items():
        name = task_name(release, config)
        called = {"doc_to_text": "prompt", "doc_to_target": "gold", "process_results": scorer_name(facts.metric)}
        if selected:
            called["process_docs"] = "selected"
        _add(texts, name, {**dataset, **_task(release, config, facts)}, called)
        changes = {"task": name + BASE, "task_alias": config + BASE}
        _add(texts, name + BASE, {"include": f"{name}.yaml", **changes}, {"doc_to_text": "prompt_and_prefix"})
    for name, members in (groups(release) | groups(release, BASE)).items():
        alias, metadata = name.removeprefix("carrara_"), {"version": release.version}
        _add(texts, name, {"group": name, "group_alias": alias, "task": members, "metadata": metadata}, {})
    texts[f"{FUNCTIONS}.py"] = _functions({facts.metric for facts in release.configs.values()}, selected)
    earlier = _earlier(release, out)
    # The functions first: they mark an export that was interrupted.
    for file, text in texts.items():
        write_bytes(out / file, text.encode())
    for file in earlier - set(texts):
        (out / file).unlink()
    return [out / file for file in texts]


def task_name(release: Release, config: str) -> str:
    """Return the task name of a config for chat models. The prefix avoids the harness's own (ruler, longbench)."""
    return f"carrara_{release.name}_{config}"


def scorer_name(metric: str) -> str:
    """Return the name of the function that scores by a metric; it rejects rows with another metric."""
    return f"score_{re.sub(r'[^A-Za-z0-9]', '_', metric)}"


def _functions(metrics: Iterable[str], ids: Sequence[str]) -> str:
    """The source of the functions that the harness calls, one for each metric; `_task` has checked their names, and
    `read_ids` the ids.
    """
    scores = (_SCORE.format(function=scorer_name(metric), metric=json.dumps(metric)) for metric in sorted(metrics))
    chosen = _SELECTED.format(ids="".join(f"    {json.dumps(one)},\n" for one in ids)) if ids else ""
    return Path(__file__).with_name("lm_eval_functions.py").read_text(encoding="utf-8") + "".join((*scores, chosen))


def groups(release: Release, kind: str = "") -> dict[str, list[str]]:
    """Return the members of each group, for chat models or of kind `BASE`: the buckets first, then the release.

    Raises ReleaseError for an invalid bucket.
    """
    buckets: dict[str, list[str]] = {}
    for config, facts in release.configs.items():
        if not bucket_tokens(facts.bucket):
            raise ReleaseError(f"{config}: got bucket {shown(facts.bucket)}, expected one like 32k or 1M", _AGAIN)
        buckets.setdefault(facts.bucket, []).append(task_name(release, config) + kind)
    whole = f"carrara_{release.name}"
    members = {f"{whole}_{bucket}{kind}": buckets[bucket] for bucket in sorted(buckets, key=bucket_tokens)}
    return {**members, whole + kind: list(members)}


def room(facts: ConfigFacts) -> int:
    """Return the tokens that a config needs: its longest prompt plus its largest output, even of different rows.

    Counted with the release's tokenizer, without the answer prefix. It may exceed the bucket.
    """
    return int(facts.tokens.max + facts.output_tokens.max)


def rooms(release: Release) -> dict[str, int]:
    """Return the tokens that each group for chat models needs."""
    needed = {task_name(release, config): room(facts) for config, facts in release.configs.items()}
    for name, members in groups(release).items():
        needed[name] = max(needed[member] for member in members)
    return {name: needed[name] for name in groups(release)}


def _task(release: Release, config: str, facts: ConfigFacts) -> dict[str, object]:
    metric, longest = facts.metric, facts.output_tokens.max
    # A row may not name a metric with a model, which would be loaded on the machine that runs the tasks.
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
        # With the test split as a substitute, the harness would load every row twice.
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
        raise ReleaseError(f"two tasks or groups would have the name {name}", "rename one of the configs")
    lines = [_HEADER, *(f"{key}: {quoted(value)}" for key, value in table.items())]
    lines += [f"{key}: !function {FUNCTIONS}.{function}" for key, function in called.items()]
    texts[f"{name}.yaml"] = "\n".join(lines) + "\n"


def quoted(value: Any) -> str:
    """Return a value as YAML in ASCII: JSON, except that YAML escapes a character beyond 16 bits as one.

    Raises CarraraError for a lone surrogate (a path that is not UTF-8).
    """
    text = json.dumps(value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise CarraraError(
            f"got {ascii(value)[:200]}, expected valid text", "give the folder a name in UTF-8"
        ) from error
    return "".join(character if " " <= character <= "~" else f"\\U{ord(character):08x}" for character in text)


def _earlier(release: Release, out: Path) -> set[str]:
    """The YAML files of an earlier export in the folder. Raises CarraraError if it holds anything else."""
    if isinstance(release.place, Folder) and out.resolve().is_relative_to(release.folder.resolve()):
        raise CarraraError(f"got {out} inside the release, expected another folder", "nothing is added to a release")
    if not out.exists():
        return set()
    if not out.is_dir():
        raise CarraraError(f"got {out}, expected a folder", "give a new or empty folder, or one of an earlier export")
    entries = {entry.name: entry for entry in out.iterdir() if entry.name != "__pycache__" and not is_torn(entry.name)}
    if not entries:
        return set()
    functions = entries.pop(f"{FUNCTIONS}.py", None)
    strange = sorted(name for name, entry in entries.items() if not _is_ours(entry))
    if functions is None or functions.is_symlink() or strange:
        name = strange[0] if strange else f"no {FUNCTIONS}.py"
        raise CarraraError(
            f"{out} holds {shown(name)}, expected an empty folder or an earlier export: nothing was written",
            "give a new or empty folder, or one of an earlier export",
        )
    return set(entries)


def _is_ours(entry: Path) -> bool:
    if not _OURS.fullmatch(entry.name) or entry.is_symlink() or not entry.is_file():
        return False
    with entry.open("rb") as stream:
        return stream.read(len(_HEADER)) == _HEADER.encode()
