"""The engine on a Ray cluster: the same contract as `processes.run`, on the processors or GPUs of several hosts.

Jobs and results travel through the cluster, and the process that asks is alone in writing: the hosts need share no
folder, and a release or index is committed in one place, in one way. A result of some megabytes costs far less than the
work that made it. Every host needs the same version of this package and of its libraries.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, TypeVar

from carrara.engine.code import code_fingerprint
from carrara.errors import CarraraError, library

JobT = TypeVar("JobT")
DoneT = TypeVar("DoneT")
WorkerT = TypeVar("WorkerT")


def run(
    jobs: Iterable[JobT],
    work: Callable[[WorkerT, JobT], DoneT],
    *,
    workers: int,
    start: Callable[..., WorkerT],
    arguments: tuple[Any, ...],
    gpus: float = 0.0,
) -> Iterator[tuple[JobT, DoneT]]:
    """Do every job; yield each with its result as it is done, in no promised order. The first error stops the rest.

    So many actors do it, each with one CPU, `gpus` GPUs and a worker of its own from `start(*arguments)`. Where the
    cluster has no room for some of them, the others do the work.
    """
    todo = iter(jobs)
    if not (first := list(islice(todo, max(1, workers)))):
        return
    todo = chain(first, todo)
    ray = connect(workers)
    if gpus > float(ray.cluster_resources().get("GPU", 0)):
        raise CarraraError(
            "the Ray cluster has no GPU", "add a host that has one (ray start --address=...), or take the CPU"
        )
    kind = ray.remote(num_cpus=1, num_gpus=gpus)(_Actor)
    actors = [kind.remote() for _ in first]
    # What is under way: an actor being set up, or its job.
    under_way: dict[Any, tuple[Any, JobT | None]] = {
        actor.set_up.remote(start, arguments): (actor, None) for actor in actors
    }
    working = 0
    try:
        while True:
            reference = ray.wait(list(under_way), num_returns=1)[0][0]
            actor, job = under_way.pop(reference)
            result = ray.get(reference)
            is_job = job is not None
            working -= is_job
            if not is_job:
                _refuse_other_code(result)
            for following in islice(todo, 1):
                under_way[actor.work.remote(work, following)] = (actor, following)
                working += 1
            if job is not None:
                yield job, result
            if not working:
                return
    except ray.exceptions.RayTaskError as error:
        raise error.cause if isinstance(error.cause, CarraraError) else error from None
    except ray.exceptions.RayActorError as error:
        raise CarraraError(
            "a Ray worker died", "out of memory (fewer --workers), or its host has gone; what is finished stays"
        ) from error
    finally:
        for actor in actors:
            ray.kill(actor)


def connect(workers: int) -> Any:
    """The module ray, connected: to RAY_ADDRESS, else to a cluster on this host, else to one made for this process.

    Raises CarraraError where ray is not installed or nothing answers at RAY_ADDRESS.
    """
    ray = library("ray", "ray")
    if ray.is_initialized():
        return ray
    # Nothing about the use of this program leaves the machine.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    named = os.environ.get("RAY_ADDRESS")
    try:
        ray.init(address=named or "auto", log_to_driver=False, logging_level="error")
    except ConnectionError as error:
        if named:
            raise CarraraError(
                f"no Ray cluster answers at RAY_ADDRESS {named}", "start it (ray start --head), or unset RAY_ADDRESS"
            ) from error
        cpus = max(workers, os.cpu_count() or 1)
        ray.init(num_cpus=cpus, include_dashboard=False, log_to_driver=False, logging_level="error")
    return ray


class _Actor:
    """A worker of the cluster."""

    def set_up(self, start: Callable[..., Any], arguments: tuple[Any, ...]) -> str:
        self._worker = start(*arguments)
        return code_fingerprint()

    def work(self, work: Callable[[Any, Any], Any], job: Any) -> Any:
        return work(self._worker, job)


def _refuse_other_code(theirs: str) -> None:
    if theirs != (ours := code_fingerprint()):
        raise CarraraError(
            f"a host of the Ray cluster has other code of this package: got {theirs[:12]}, expected {ours[:12]}",
            "install the same version on every host",
        )
