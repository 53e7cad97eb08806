"""Configs chosen by bucket, task and glob, over the configs of a frozen release."""

import json
from pathlib import Path

import pytest

from carrara.errors import CarraraError
from carrara.release.configs import ChosenNames, choose_configs
from carrara.release.schema import Manifest

FROZEN = Path(__file__).parents[2] / "releases" / "quickstart" / "1.3.1" / "manifest.json"
CONFIGS = Manifest.from_json(json.loads(FROZEN.read_bytes())).content.configs


@pytest.mark.parametrize(
    ("bucket", "task", "config", "expected"),
    [
        ("32k", "idk", None, ["idk_32k"]),
        (["32k", "1M"], "idk", (), ["idk_1M", "idk_32k"]),
        (None, ["idk", "mrcr"], "*_32k", ["idk_32k", "mrcr_1needle_32k", "mrcr_2needle_32k"]),
        (None, None, ["idk_32k", "idk_*"], ["idk_128k", "idk_1M", "idk_32k"]),
    ],
)
def test_configs_are_chosen_by_what_is_given_and_the_order_is_the_releases(
    bucket: ChosenNames, task: ChosenNames, config: ChosenNames, expected: list[str]
) -> None:
    assert choose_configs(CONFIGS, bucket=bucket, task=task, config=config) == expected


def test_without_options_every_config_is_chosen() -> None:
    assert choose_configs(CONFIGS) == list(CONFIGS)


@pytest.mark.parametrize(
    ("bucket", "task", "config", "told"),
    [
        ("32K", None, None, "got bucket '32K'.*\n.*did you mean '32k'\\?"),
        (None, "mcrr", None, "got task 'mcrr'.*\n.*did you mean 'mrcr'"),
        (None, None, "*_32K", "got config '\\*_32K'.*\n.*'idk_32k'"),
        # The second name is wrong though the first chooses something.
        (None, ["idk", "nothing at all"], None, "got task 'nothing at all'.*\n.*known: "),
        ("1M", None, "idk_32k", "got bucket '1M' and config 'idk_32k', but no config"),
    ],
)
def test_a_name_that_nothing_matches_is_refused_with_the_nearest(
    bucket: ChosenNames, task: ChosenNames, config: ChosenNames, told: str
) -> None:
    with pytest.raises(CarraraError, match=told):
        choose_configs(CONFIGS, bucket=bucket, task=task, config=config)
