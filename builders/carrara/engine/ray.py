"""The engine on a Ray cluster: the same contract as `processes.run`, on the processors or GPUs of several hosts.

Jobs and results travel through the cluster, and the process that asks is alone in writing: the hosts need share no
folder, and a release or index is committed in one place, in one way. A result of some megabytes costs far less than the
work that made it. Every host needs the same version of this package and of its libraries. What a lost host had under
way is done by another.
"""

import os
import platform
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, islice
from typing import Any, Final, TypeVar

from carrara.engine.code import code_fingerprint
from carrara.errors import CarraraError, library

JobT = TypeVar("JobT")
DoneT = TypeVar("DoneT")
WorkerT = TypeVar("WorkerT")

# A job that so many workers died of is not given to another one.
_TRIES: Final = 3


def run(
    jobs: Iterable[JobT],
    work: Callable[[WorkerT, JobT], DoneT],
    *,
    workers: int,
    start: Callable[..., WorkerT],
    arguments: tuple[Any, ...],
    gpus: float = 0.0,
    note: Callable[[str], None] = lambda text: None,
) -> Iterator[tuple[JobT, DoneT]]:
    """Do every job; yield each with its result as it is done, in no promised order. The first error stops the rest.

    So many actors do it, each with one CPU, `gpus` GPUs and a worker of its own from `start(*arguments)`. Where the
    cluster has no room for some of them, the others do the work. The host of an actor that dies is named by `note`;
    another one takes its place, and its job, until three have died of one.
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
    actors = {kind.remote(): "a host that has not answered yet" for _ in first}
    # What is under way: an actor being set up, or a job that it does and how many have died of it.
    under_way: dict[Any, tuple[Any, tuple[JobT, int] | None]] = {
        actor.set_up.remote(start, arguments): (actor, None) for actor in actors
    }
    again: list[tuple[JobT, int]] = []
    idle: list[Any] = []

    def give(actor: Any, job: tuple[JobT, int]) -> None:
        under_way[actor.work.remote(work, job[0])] = actor, job

    working = lost = 0
    try:
        while True:
            reference = ray.wait(list(under_way), num_returns=1)[0][0]
            actor, job = under_way.pop(reference)
            working -= job is not None
            try:
                result = ray.get(reference)
            except ray.exceptions.RayActorError as error:
                lost += job is None
                if lost > _TRIES * len(first) or (job is not None and job[1] + 1 >= _TRIES):
                    raise CarraraError(
                        f"a Ray worker died on {actors[actor]}, as {_TRIES - 1} had before it",
                        "out of memory (fewer --workers), or its host has gone; what is finished stays",
                    ) from error
                note(f"lost a Ray worker on {actors.pop(actor)}: another one does its work")
                if job is not None:
                    again.append((job[0], job[1] + 1))
                if again and idle:
                    give(idle.pop(), again.pop())
                    working += 1
                else:
                    actor = kind.remote()
                    actors[actor] = "a host that has not answered yet"
                    under_way[actor.set_up.remote(start, arguments)] = actor, None
                continue
            if job is None:
                code, actors[actor] = result
                _refuse_other_code(code)
            if (following := again.pop() if again else next(((other, 0) for other in todo), None)) is None:
                idle.append(actor)
            else:
                give(actor, following)
                working += 1
            if job is not None:
                yield job[0], result
            if not working and not again:
                return
    except ray.exceptions.RayTaskError as error:
        raise error.cause if isinstance(error.cause, CarraraError) else error from None
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

    def set_up(self, start: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[str, str]:
        self._worker = start(*arguments)
        return code_fingerprint(), platform.node()

    def work(self, work: Callable[[Any, Any], Any], job: Any) -> Any:
        return work(self._worker, job)


def _refuse_other_code(theirs: str) -> None:
    if theirs != (ours := code_fingerprint()):
        raise CarraraError(
            f"a host of the Ray cluster has other code of this package: got {theirs[:12]}, expected {ours[:12]}",
            "install the same version on every host",
        )
