"""Where work runs: in this process or in a pool of processes, or on a Ray cluster (`ray.py`). Results depend on none.

Workers die with their parent: a signal from the kernel where there is one, else a watch on the parent's number.
"""

import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import active_children, get_context
from typing import Any, ClassVar, Final, Literal, Protocol, TypeVar

from carrara.errors import CarraraError

JobT = TypeVar("JobT")
DoneT = TypeVar("DoneT")
WorkerT = TypeVar("WorkerT")

# In processes of this host, or of the hosts of a Ray cluster.
Engine = Literal["processes", "ray"]

_PR_SET_PDEATHSIG: Final = 1
# Jobs under way or waiting, a worker: enough that none waits for this process.
_AHEAD: Final = 3


class Watch(Protocol):
    """Who is told how work goes on: of rows of a config, passages of an index, files that go up.

    The command line's is `carrara.cli.progress.Progress`.
    """

    def start(self, config: str, rows: int) -> None:
        """The first of so many rows of a config is about to be made."""

    def advance(self, config: str, rows: int, tokens: int) -> None:
        """So many rows are done, of so many tokens, prompt and answer."""

    def note(self, text: str) -> None:
        """Something a person may want to know."""


# Told of each step of a check: what is checked, how much of it is done, of how much.
Steps = Callable[[str, int, int], None]


def steps(watch: Watch, words: str = "") -> Steps:
    """Tell a watch of steps, one a row; `words` stand before what is checked."""

    def step(config: str, done: int, total: int) -> None:
        if done == 1:
            watch.start(words + config, total)
        watch.advance(words + config, 1, 0)

    return step


class Silent:
    """Nobody is told."""

    def start(self, config: str, rows: int) -> None:
        """Nothing."""

    def advance(self, config: str, rows: int, tokens: int) -> None:
        """Nothing."""

    def note(self, text: str) -> None:
        """Nothing."""


def run(
    jobs: Iterable[JobT],
    work: Callable[[WorkerT, JobT], DoneT],
    *,
    workers: int,
    start: Callable[..., WorkerT],
    arguments: tuple[Any, ...],
    hurry: bool = False,
) -> Iterator[tuple[JobT, DoneT]]:
    """Do every job; yield each with its result as it is done, in no promised order.

    Jobs are taken as they are needed, a few for each worker: memory holds no more of them, nor of their results.
    `start(*arguments)` makes a process's worker, whatever its jobs share; `work(worker, job)` does one. The first error
    stops the rest and is raised here.
    With `hurry` an error or an interrupt also ends the workers in the middle of what they do: for jobs of minutes.
    """
    todo = iter(jobs)
    first = list(islice(todo, 2))
    todo = chain(first, todo)
    if workers <= 1 or len(first) <= 1:
        if first:
            worker = start(*arguments)
            for job in todo:
                yield job, work(worker, job)
        return
    # Spawned, not forked: a fork of a process that runs Arrow's threads can hang.
    pool = ProcessPoolExecutor(
        workers, get_context("spawn"), initializer=_enter, initargs=(os.getpid(), start, arguments)
    )
    others = active_children()
    is_done = False
    try:
        futures: dict[Future[DoneT], JobT] = {}
        while True:
            # A few jobs ahead of the workers, no more: a job may hold much.
            with _interrupts_later(), _script_apart():
                for job in islice(todo, workers * _AHEAD - len(futures)):
                    futures[pool.submit(_Process.do, work, job)] = job
            if not futures:
                is_done = True
                return
            for future in wait(futures, return_when=FIRST_COMPLETED).done:
                yield futures.pop(future), future.result()
    except BrokenProcessPool as error:
        raise CarraraError(
            "a worker process died",
            "out of memory (build again with fewer --workers), or it could not start (see above); finished files stay",
        ) from error
    finally:
        if hurry and not is_done:
            pool.shutdown(wait=False, cancel_futures=True)
            for child in set(active_children()) - set(others):
                child.terminate()
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_later() -> Iterator[None]:
    """Hold an interrupt back: a process that is started meanwhile holds it back for good, from its first line on."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _script_apart() -> Iterator[None]:
    """Keep the caller's script out of the processes that are started meanwhile.

    A spawned process imports it anew: a script that builds, and has no `if __name__ == "__main__"`, would build again
    in every worker. Ours need nothing of it.
    """
    main = vars(sys.modules["__main__"])
    # Only what is there: a notebook has no file, and code asks whether it has.
    names: tuple[str, ...] = ("__spec__", "__file__")
    kept = {name: main[name] for name in names if name in main}
    main.update(dict.fromkeys(kept))
    try:
        yield
    finally:
        main.update(kept)


class _Process:
    """What a process of a pool holds: the one worker that its jobs share."""

    worker: ClassVar[Any]

    @classmethod
    def do(cls, work: Callable[[Any, Any], Any], job: Any) -> Any:
        return work(cls.worker, job)


def _enter(parent: int, start: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    _die_with(parent)
    # A terminal's interrupt goes to the whole group; the parent alone decides what happens then.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _Process.worker = start(*arguments)


def _die_with(parent: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(1)
        return

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(0.2)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
