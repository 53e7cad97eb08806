"""Jobs for the engine's tests, in a module that a spawned process can import; as a program: workers that never end."""

import os
import sys
import time
from pathlib import Path

from carrara.engine.processes import run
from carrara.errors import BudgetError, ProofError

SET_UP: list[str] = []


def start(*arguments: str) -> None:
    """Set a process up."""
    SET_UP[:] = arguments


def square(job: int) -> tuple[int, list[str]]:
    """The job's square, and how the process was set up."""
    return job * job, list(SET_UP)


def mark(job: int) -> int:
    """Leave a file for the job; job 3 fails."""
    if job == 3:
        raise BudgetError("job 3 is too long", "use a larger bucket")
    time.sleep(0.01)
    (Path(SET_UP[0]) / str(job)).touch()
    return job


def prove(job: int) -> int:
    """Fail with an error of one's own kind."""
    raise ProofError(f"job {job}", "report it")


def crash(job: int) -> int:
    """End the process as a lack of memory would."""
    os._exit(9)


def who(job: int) -> int:
    """The number of the process."""
    time.sleep(0.05)
    return os.getpid()


def sleep(job: int) -> None:
    """Say which process this is, then work for long."""
    (Path(SET_UP[0]) / f"{os.getpid()}.pid").touch()
    time.sleep(120)


def fail_first(job: int) -> None:
    """Job 0 fails as soon as another is at its long work."""
    if job:
        sleep(job)
    while not list(Path(SET_UP[0]).glob("*.pid")):
        time.sleep(0.01)
    raise BudgetError("job 0 is too long")


if __name__ == "__main__":
    list(run(range(4), sleep, workers=2, start=start, arguments=(sys.argv[1],)))
