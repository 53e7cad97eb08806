"""Jobs for the engine's tests, in a module that a spawned process can import; as a program: workers that never end."""

import os
import sys
import time
from pathlib import Path

from carrara.engine.processes import run
from carrara.errors import BudgetError, ProofError

# The workers that this process made.
STARTED: list[tuple[str, ...]] = []


def start(*arguments: str) -> tuple[str, ...]:
    """The worker of a process: the arguments themselves."""
    STARTED.append(arguments)
    return arguments


def square(worker: tuple[str, ...], job: int) -> tuple[int, list[str]]:
    """The job's square, and what the process's worker is."""
    return job * job, list(worker)


def mark(worker: tuple[str, ...], job: int) -> int:
    """Leave a file for the job; job 3 fails."""
    if job == 3:
        raise BudgetError("job 3 is too long", "use a larger bucket")
    time.sleep(0.01)
    (Path(worker[0]) / str(job)).touch()
    return job


def prove(worker: tuple[str, ...], job: int) -> int:
    """Fail with an error of one's own kind."""
    raise ProofError(f"job {job}", "report it")


def crash(worker: tuple[str, ...], job: int) -> int:
    """End the process as a lack of memory would."""
    os._exit(9)


def who(worker: tuple[str, ...], job: int) -> int:
    """The number of the process."""
    time.sleep(0.05)
    return os.getpid()


def sleep(worker: tuple[str, ...], job: int) -> None:
    """Say which process this is, then work for long."""
    (Path(worker[0]) / f"{os.getpid()}.pid").touch()
    time.sleep(120)


def fail_first(worker: tuple[str, ...], job: int) -> None:
    """Job 0 fails as soon as another is at its long work."""
    if job:
        sleep(worker, job)
    while not list(Path(worker[0]).glob("*.pid")):
        time.sleep(0.01)
    raise BudgetError("job 0 is too long")


if __name__ == "__main__":
    # A worker does not import the caller's script, so that what it runs is named by its module.
    import engine_jobs

    list(run(range(4), engine_jobs.sleep, workers=2, start=engine_jobs.start, arguments=(sys.argv[1],)))
