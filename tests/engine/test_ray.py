"""The engine on a real Ray cluster of this machine: the contract of the pool of processes."""

import os

import engine_jobs as jobs
import pytest
from commands import PACKAGE
from folders import SUPPORT

from carrara.engine import ray as engine_ray
from carrara.errors import BudgetError, CarraraError

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def cluster():
    ray = pytest.importorskip("ray")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        # The workers are processes of Ray's own: they find the jobs and the package by this alone.
        patch.setenv("PYTHONPATH", os.pathsep.join([str(PACKAGE.parent), str(SUPPORT)]))
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        yield
        ray.shutdown()


def run(todo, work, workers=2, arguments=(), **more):
    return engine_ray.run(todo, work, workers=workers, start=jobs.start, arguments=arguments, **more)


@pytest.mark.parametrize("workers", [0, 1, 2, 5])
def test_every_job_is_done_once_by_workers_that_are_set_up(cluster, workers):
    # Of five workers two have room: the others wait, and the work is done.
    assert dict(run(range(7), jobs.square, workers, ("a",))) == {job: (job * job, ["a"]) for job in range(7)}
    assert list(run([], jobs.square, workers)) == []


def test_work_is_done_in_other_processes(cluster):
    assert os.getpid() not in {found for _, found in run(range(6), jobs.who)}


def test_the_first_error_stops_the_rest_and_keeps_its_kind(cluster, tmp_path):
    with pytest.raises(BudgetError) as caught:
        list(run(range(300), jobs.mark, 2, (str(tmp_path),)))
    assert (caught.value.message, caught.value.hint) == ("job 3 is too long", "use a larger bucket")
    assert len(list(tmp_path.iterdir())) < 150


def test_a_worker_that_dies_is_an_error_with_advice(cluster):
    with pytest.raises(CarraraError, match="a Ray worker died"):
        list(run(range(4), jobs.crash))


def test_jobs_are_taken_as_they_are_needed(cluster):
    taken = []

    def to_come():
        for job in range(20):
            taken.append(job)
            yield job

    for seen, _ in enumerate(run(to_come(), jobs.square), 1):
        assert len(taken) - seen <= 4


def test_a_cluster_without_a_gpu_says_so(cluster):
    with pytest.raises(CarraraError, match="has no GPU"):
        list(run(range(2), jobs.square, gpus=1.0))


def test_a_host_with_other_code_is_refused(cluster, monkeypatch):
    monkeypatch.setattr(engine_ray, "code_fingerprint", lambda: "0" * 64)
    with pytest.raises(CarraraError, match="other code"):
        list(run(range(2), jobs.square))
