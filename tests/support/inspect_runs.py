"""Runs exported tasks in Inspect, in a process of its own: what it imports is slow and patches the standard library.

Called with two files in JSON. The first holds `runs`, a list of tables of arguments of Inspect's `eval`, and `says`,
what the model says to each text. Into the second goes what each run came to and what the model got.
"""

import json
import sys
from pathlib import Path

from inspect_ai import eval as run
from inspect_ai.model import ModelOutput, get_model

order = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
got: list[dict] = []


def say(messages, tools, tool_choice, config):
    """The answer to the text of the only message; of a list one at a time; null is a failure."""
    text = "".join(message.text for message in messages)
    got.append(
        {
            "roles": [message.role for message in messages],
            "text": text,
            "max_tokens": config.max_tokens,
            "temperature": config.temperature,
        }
    )
    answers = order["says"][text]
    answer = answers.pop(0) if isinstance(answers, list) else answers
    if answer is None:
        raise RuntimeError("the endpoint is gone")
    return ModelOutput.from_content("mockllm", answer, stop_reason="stop" if answer else "content_filter")


results = []
for options in order["runs"]:
    own = options.pop("own", False)
    model = "mockllm/model" if own else get_model("mockllm/model", custom_outputs=say, memoize=False)
    begun = len(got)
    logs = run(**options, model=model, display="none", fail_on_error=False)
    results.append(
        {
            "logs": [
                {
                    "task": log.eval.task,
                    "status": log.status,
                    "error": log.error and log.error.message,
                    "file": log.location,
                    "version": log.eval.task_version,
                    "metrics": {
                        name: metric.value
                        for score in (log.results.scores if log.results else [])
                        for name, metric in score.metrics.items()
                    },
                }
                for log in logs
            ],
            "got": got[begun:],
        }
    )
Path(sys.argv[2]).write_text(json.dumps(results), encoding="utf-8")
