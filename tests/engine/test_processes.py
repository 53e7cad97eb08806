"""Where work runs does not show: results, errors and set-up are the same; workers die with their parent."""

import os
import pickle
import signal
import subprocess
import sys
import time

import engine_jobs as jobs
import psutil
import pytest
from folders import ROOT, SUPPORT

from carrara import errors
from carrara.engine.processes import run
from carrara.errors import BudgetError, CarraraError, ProofError


def done(work, todo, workers: int, arguments: tuple = ()) -> dict:
    return dict(run(todo, work, workers=workers, start=jobs.start, arguments=arguments))


@pytest.mark.parametrize("workers", [0, 1, 2, 3, 50])
def test_results_do_not_depend_on_the_workers(workers):
    assert done(jobs.square, range(5), workers, ("a", "b")) == {job: (job * job, ["a", "b"]) for job in range(5)}


@pytest.mark.parametrize("workers", [1, 2])
def test_nothing_to_do_starts_nothing(workers):
    jobs.STARTED[:] = []
    assert done(jobs.square, [], workers, ("set up",)) == {}
    assert jobs.STARTED == []


def test_one_job_runs_in_this_process():
    assert done(jobs.who, [0], 8) == {0: os.getpid()}


def test_several_jobs_run_in_as_many_processes_as_asked():
    found = set(done(jobs.who, range(12), 2).values())
    assert os.getpid() not in found and len(found) == 2


def test_the_script_that_asks_keeps_what_it_had():
    main = sys.modules["__main__"]
    before = {name: value for name, value in vars(main).items() if name in {"__spec__", "__file__"}}
    assert len(done(jobs.square, range(4), 2)) == 4
    assert {name: value for name, value in vars(main).items() if name in {"__spec__", "__file__"}} == before


@pytest.mark.parametrize("workers", [1, 2])
def test_the_first_error_stops_the_rest_and_keeps_its_kind(workers, tmp_path):
    with pytest.raises(BudgetError) as caught:
        done(jobs.mark, range(300), workers, (str(tmp_path),))
    assert type(caught.value) is BudgetError
    assert (caught.value.message, caught.value.hint) == ("job 3 is too long", "use a larger bucket")
    assert len(list(tmp_path.iterdir())) < 150


@pytest.mark.parametrize("workers", [1, 2])
def test_jobs_are_taken_as_they_are_needed(workers):
    taken = []

    def jobs_to_come():
        for job in range(40):
            taken.append(job)
            yield job

    seen = 0
    for _ in run(jobs_to_come(), jobs.square, workers=workers, start=jobs.start, arguments=()):
        seen += 1
        assert len(taken) - seen <= 3 * workers
    assert seen == 40


def test_errors_keep_their_exit_code():
    with pytest.raises(ProofError) as caught:
        done(jobs.prove, range(2), 2)
    assert caught.value.exit_code == 1 and caught.value.hint == "report it"


@pytest.mark.parametrize("name", sorted(name for name in vars(errors) if name.endswith("Error")))
def test_every_error_of_ours_survives_the_way_between_processes(name):
    kind = getattr(errors, name)
    for hint in ("", "do this"):
        error = kind("got that", hint)
        again = pickle.loads(pickle.dumps(error))
        assert type(again) is kind and isinstance(again, CarraraError)
        assert (again.message, again.hint, str(again), again.exit_code) == (
            error.message,
            hint,
            "got that\n  do this" if hint else "got that",
            kind.exit_code,
        )


def test_a_worker_that_dies_is_an_error_with_advice():
    with pytest.raises(CarraraError, match="a worker process died") as caught:
        done(jobs.crash, range(4), 2)
    assert "fewer --workers" in caught.value.hint


def test_results_come_as_they_are_done_and_a_run_can_be_left():
    going = run(range(50), jobs.square, workers=2, start=jobs.start, arguments=())
    job, (value, _) = next(going)
    assert value == job * job
    going.close()
    deadline = time.monotonic() + 10
    while any("spawn_main" in " ".join(child.cmdline()) for child in psutil.Process().children()):
        assert time.monotonic() < deadline, "workers outlive the run"
        time.sleep(0.05)


def test_a_run_in_a_hurry_does_not_wait_for_long_jobs(tmp_path):
    started = time.monotonic()
    going = run([0, 1, 2], jobs.fail_first, workers=2, start=jobs.start, arguments=(str(tmp_path),), hurry=True)
    with pytest.raises(BudgetError):
        list(going)
    assert time.monotonic() - started < 100
    workers = {int(file.stem) for file in tmp_path.glob("*.pid")}
    deadline = time.monotonic() + 10
    while any(psutil.pid_exists(worker) for worker in workers):
        assert time.monotonic() < deadline, "a worker outlives the run"
        time.sleep(0.05)


@pytest.mark.integration
def test_workers_die_with_a_killed_parent(tmp_path):
    parent = subprocess.Popen(
        [sys.executable, str(SUPPORT / "engine_jobs.py"), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "builders"), str(SUPPORT)])},
    )
    try:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.glob("*.pid"))) < 2:
            assert parent.poll() is None and time.monotonic() < deadline, "the workers never began"
            time.sleep(0.05)
        workers = [psutil.Process(int(file.stem)) for file in tmp_path.glob("*.pid")]
        assert all(worker.ppid() == parent.pid for worker in workers)
        parent.send_signal(signal.SIGKILL)
        parent.wait(10)
        _, alive = psutil.wait_procs(workers, timeout=10)
        still = [one for one in alive if one.status() != psutil.STATUS_ZOMBIE]
        assert not still
    finally:
        if parent.poll() is None:
            parent.kill()
            parent.wait(10)
