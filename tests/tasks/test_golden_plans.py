"""Golden plans: what was planned and written once is planned and written for ever."""

import json

import pytest
from golden import CASES, FOLDER, golden, golden_file, golden_text
from variants import repeated

CHANGED = (
    "{name} is planned or written otherwise than before. If that is meant, write the golden files with `make golden` "
    "and raise the MAJOR version of every recipe that has it: rows that were released would change."
)


@pytest.mark.parametrize(
    ("task", "variant"),
    [pytest.param(*case, marks=[pytest.mark.repeat] if case in repeated() else []) for case in CASES],
)
def test_plans_and_prompt_are_as_they_were(task, variant):
    file = golden_file(task, variant)
    assert file.is_file(), f"{file.name} is missing: write it with `make golden`"
    before, now = json.loads(file.read_text(encoding="utf-8")), golden(task, variant)
    message = CHANGED.format(name=file.stem)
    assert now["plans"] == before["plans"], message
    assert now == before, message
    assert golden_text(now) == file.read_text(encoding="utf-8"), message


def test_every_golden_file_has_its_task():
    assert {file.name for file in FOLDER.iterdir()} == {golden_file(*case).name for case in CASES}
