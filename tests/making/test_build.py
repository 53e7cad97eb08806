"""Builds that are the same whatever surrounds them, and that go on after a kill, a full disk or a lost worker."""

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from commands import (
    CONFIGS,
    PACKAGE,
    RECIPE,
    TINY,
    Running,
    alone,
    built,
    built_here,
    common,
    here,
    is_refusal,
    is_swept,
    nothing_written,
    recipe,
    release,
    run,
    tree,
    wait_for,
    write,
)

from carrara import __version__, tokens
from carrara.engine.code import code_origin
from carrara.recipe.recipe import MAX_CARD
from carrara.release.manifest import canonical, file_entry
from carrara.release.reader import open_release

__all__ = ["common", "recipe", "release"]

# Many small files: a kill finds some finished and some not.
MANY = RECIPE.replace("rows_per_file = 2", "rows_per_file = 1").replace("questions = 2", "questions = 6")

FILES = 6 * 2 * 2 + 1 + 6


def work_of(out: Path) -> Path:
    return out / "small" / ".1.0.0.building"


def sidecars(out: Path) -> list[Path]:
    return list(work_of(out).glob("sidecars/*/*.json"))


def kill_at(running: Running, out: Path, files: int) -> None:
    """Kill a build as soon as so many of its files are finished."""
    assert wait_for(lambda: len(sidecars(out)) >= files, 60)
    running.process.kill()
    running.done()


def made(recipe: Path, out: Path) -> Path:
    """Build in this process: for tests that look at what is built alone."""
    done = here("build", recipe, "--out", out, "--workers", 1)
    assert done.code == 0, done
    return Path(done.out.strip())


def roots(folder: Path) -> dict[str, str]:
    return {name: facts.root for name, facts in open_release(folder).configs.items()}


@pytest.fixture(scope="module")
def many(common) -> Path:
    return write(common / "recipes", MANY, "many.toml")


@pytest.fixture(scope="module")
def undisturbed(many, common) -> tuple[dict[str, bytes], float]:
    """The tree of a build that nobody disturbed, and how long it took."""
    mark = common / "seconds"
    with alone(common):
        if not mark.is_file():
            started = time.monotonic()
            built(many, common / "many", "--workers", 2)
            mark.write_text(str(time.monotonic() - started))
    return tree(common / "many" / "small" / "1.0.0"), float(mark.read_text())


@pytest.mark.parametrize(
    ("workers", "env"),
    [
        pytest.param(
            1, {"PYTHONHASHSEED": "0", "TZ": "Asia/Kathmandu", "LC_ALL": "C"}, marks=pytest.mark.repeat, id="one worker"
        ),
        pytest.param(2, {"PYTHONHASHSEED": "12345", "TZ": "America/St_Johns", "LC_ALL": "C.UTF-8"}, id="two workers"),
    ],
)
def test_builds_do_not_depend_on_where_and_how_they_run(recipe, release, tmp_path, workers, env):
    elsewhere = write(tmp_path / "a" / "b", recipe.read_text()).parent
    done = run("build", "recipe.toml", "--out", "here", "--workers", workers, env=env, cwd=elsewhere)
    assert done.code == 0, done
    folder = elsewhere / "here" / "small" / "1.0.0"
    assert (folder / "manifest.json").read_bytes() == (release / "manifest.json").read_bytes()
    assert tree(folder) == tree(release)
    provenance = json.loads((folder / "provenance.json").read_text())
    assert provenance["workers"] == workers and is_swept(folder)
    assert provenance["code"] == code_origin() and provenance["carrara"] == __version__


def test_nothing_that_is_hashed_names_the_machine(release):
    names = {str(release.parents[3]), str(Path.home()), str(PACKAGE), os.uname().nodename}
    for name, data in tree(release).items():
        for word in names if name == "manifest.json" else names - {os.uname().nodename}:
            assert word.encode() not in data, (name, word)


@pytest.mark.parametrize("rows", [1, 5])
def test_the_cut_into_files_does_not_change_the_content(release, tmp_path, rows):
    text = RECIPE.replace("rows_per_file = 2", f"rows_per_file = {rows}")
    folder = made(write(tmp_path, text), tmp_path / "out")
    assert roots(folder) == roots(release) and sorted(roots(folder)) == CONFIGS
    for name in CONFIGS:
        assert (folder / "digests" / f"{name}.txt").read_bytes() == (release / "digests" / f"{name}.txt").read_bytes()
    assert (folder / "manifest.json").read_bytes() != (release / "manifest.json").read_bytes()


def check_kill(many: Path, out: Path, after: float, group: bool, expected: dict[str, bytes]) -> bool:
    """Kill a build so many seconds after its start, build again, compare; whether the kill met it unfinished."""
    running = Running("build", many, "--out", out, "--workers", 2)
    time.sleep(after)
    met = running.process.poll() is None
    with contextlib.suppress(ProcessLookupError):
        os.killpg(running.process.pid, signal.SIGKILL) if group else running.process.kill()
    running.done()
    assert running.leaves_no_orphan(), (after, running.alive())
    folder = built(many, out, "--workers", 1)
    assert tree(folder) == expected, after
    assert is_swept(folder), (after, list(folder.parent.rglob(".*")))
    return met


@pytest.mark.integration
@pytest.mark.parametrize(("moment", "group"), [(0.35, False), (0.65, True), (0.9, False)])
def test_a_killed_build_goes_on(many, undisturbed, tmp_path, moment, group):
    expected, seconds = undisturbed
    check_kill(many, tmp_path, seconds * moment, group, expected)


@pytest.mark.integration
@pytest.mark.slow
def test_a_build_killed_at_any_moment_goes_on(many, undisturbed, tmp_path):
    expected, seconds = undisturbed
    met = 0
    for number in range(20):
        moment = 0.05 + number * (0.98 - 0.05) / 19
        met += check_kill(many, tmp_path / str(number), seconds * moment, number % 2 == 0, expected)
    # The others found it done: a busy machine is faster at times.
    assert met >= 10


@pytest.mark.integration
def test_a_build_killed_again_and_again_arrives(many, undisturbed, tmp_path):
    """Every attempt keeps what the ones before it finished."""
    kept: set[str] = set()
    for wanted in (2, 6):
        running = Running("build", many, "--out", tmp_path, "--workers", 1)
        kill_at(running, tmp_path, wanted)
        names = {path.parent.name + path.name for path in sidecars(tmp_path)}
        assert kept <= names and wanted <= len(names) < FILES
        kept = names
    times = {path: path.stat().st_mtime_ns for path in work_of(tmp_path).rglob("*.parquet")}
    (work_of(tmp_path) / "release" / "data" / ".torn.1.tmp").write_bytes(b"half")
    folder = built(many, tmp_path, "--workers", 1)
    assert tree(folder) == undisturbed[0] and is_swept(folder)
    for path, modified in times.items():
        assert (folder / path.relative_to(work_of(tmp_path) / "release")).stat().st_mtime_ns == modified


@pytest.mark.integration
def test_a_damaged_file_of_a_killed_build_is_made_again(many, undisturbed, tmp_path):
    running = Running("build", many, "--out", tmp_path, "--workers", 1)
    kill_at(running, tmp_path, 3)
    one, two, three = sorted(sidecars(tmp_path))[:3]
    data = work_of(tmp_path) / "release" / json.loads(one.read_text())["file"]
    whole = data.read_bytes()
    data.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    two.write_text(two.read_text()[:-20])
    (work_of(tmp_path) / "release" / json.loads(three.read_text())["file"]).unlink()
    folder = built(many, tmp_path, "--workers", 1)
    assert tree(folder) == undisturbed[0] and is_swept(folder)


def test_a_kill_while_the_name_is_given(release, tmp_path, recipe):
    """The two moments that no clock hits: the old release is moved away, and the new one stands unswept."""
    key = json.loads((release / "provenance.json").read_text())["key"]
    for part in ("release", "old"):
        shutil.copytree(release, work_of(tmp_path) / part)
    write(work_of(tmp_path), key, "key")
    folder = made(recipe, tmp_path)
    assert tree(folder) == tree(release) and is_swept(folder)
    shutil.copytree(release, work_of(tmp_path) / "old")
    write(work_of(tmp_path), key, "key")
    done = here("build", recipe, "--out", tmp_path)
    assert done.code == 0 and "already built" in done.err
    assert tree(folder) == tree(release) and is_swept(folder)


@pytest.mark.integration
def test_what_a_sidecar_says_of_rows_is_not_believed(many, undisturbed, tmp_path):
    """Tokens that the file's rows have not: made again at once. A digest: told at the end, then made again."""
    running = Running("build", many, "--out", tmp_path, "--workers", 1)
    kill_at(running, tmp_path, 3)
    one, two = sorted(sidecars(tmp_path))[:2]
    for path, change in ((one, {"tokens": 7}), (two, {"digest": "0" * 64})):
        table = json.loads(path.read_text())
        table["rows"][0] |= change
        path.write_text(json.dumps(table))
    assert is_refusal(here("build", many, "--out", tmp_path, "--workers", 1), two.parent.name, "Build again", code=1)
    folder = built(many, tmp_path, "--workers", 1)
    assert tree(folder) == undisturbed[0] and is_swept(folder)


@pytest.mark.integration
def test_edited_code_does_not_go_on_with_the_rows_of_the_old(many, undisturbed, tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "code" / "carrara", ignore=shutil.ignore_patterns("__pycache__"))
    env = {"PYTHONPATH": str(tmp_path / "code")}
    running = Running("build", many, "--out", tmp_path / "out", "--workers", 1, env=env)
    kill_at(running, tmp_path / "out", 4)
    templates = tmp_path / "code" / "carrara" / "tasks" / "needlebench" / "needles" / "prompt.py"
    text = templates.read_text(encoding="utf-8")
    assert text.count("You will read a long text and answer a question") == 1
    templates.write_text(text.replace("You will read a long text and answer a", "Read a long text and answer a"))
    done = run("build", many, "--out", tmp_path / "out", "--workers", 1, env=env)
    assert done.code == 0 and "starting anew" in done.err, done
    folder = tmp_path / "out" / "small" / "1.0.0"
    assert tree(folder) == tree(built(many, tmp_path / "clean", "--workers", 1, env=env)) and is_swept(folder)
    before, after = json.loads(undisturbed[0]["manifest.json"])["content"]["configs"], roots(folder)
    changed = [name for name in CONFIGS if before[name]["root"] != after[name]]
    assert changed == ["single_needle_en_4k", "single_needle_en_8k"]
    for name in changed:
        for file in sorted((folder / "data" / name).iterdir()):
            assert all(prompt.startswith("Read a long") for prompt in pq.read_table(file)["prompt"].to_pylist())


def test_a_release_of_older_code_is_replaced_and_one_of_the_same_is_not(recipe, release, tmp_path):
    folder = tmp_path / "small" / "1.0.0"
    shutil.copytree(release.parent, folder.parent)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    assert "already built" in here("build", recipe, "--out", tmp_path).err
    assert before == {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    provenance = json.loads((folder / "provenance.json").read_text())
    (folder / "provenance.json").write_text(json.dumps({**provenance, "key": "0" * 64}))
    (folder / "README.md").write_text("older")
    assert tree(made(recipe, tmp_path)) == tree(release) and is_swept(folder)


def added_file(folder: Path) -> None:
    (folder / "notes.md").write_text("mine")


def added_folder(folder: Path) -> None:
    (folder / "data" / "mine").mkdir()


def erratum(folder: Path) -> None:
    (folder / "errata.json").write_text("[]")


def other_manifest(folder: Path) -> None:
    """A tampered release whose manifest was written to fit."""
    (folder / "README.md").write_text("mine")
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["files"]["README.md"] = file_entry(folder / "README.md").model_dump()
    (folder / "manifest.json").write_bytes(canonical(manifest))


def no_mark(folder: Path) -> None:
    (folder.parent / ".1.0.0.built").unlink()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (added_file, "notes.md"),
        (added_folder, "data/mine"),
        (erratum, "errata.json"),
        (other_manifest, "no build here made"),
        (no_mark, "no build here made"),
    ],
)
def test_what_a_build_did_not_make_is_not_replaced_nor_believed(recipe, release, tmp_path, change, said):
    folder = tmp_path / "small" / "1.0.0"
    shutil.copytree(release.parent, folder.parent)
    change(folder)
    before = tree(folder)
    assert is_refusal(here("build", recipe, "--out", tmp_path, "--workers", 1), said, str(folder))
    assert tree(folder) == before and not work_of(tmp_path).exists()


def test_a_strange_folder_in_the_place_of_what_is_unfinished_is_left_alone(recipe, tmp_path):
    thesis = write(work_of(tmp_path), "mine", "thesis.tex")
    assert is_refusal(here("build", recipe, "--out", tmp_path, "--workers", 1), "no build made", str(work_of(tmp_path)))
    assert thesis.read_text() == "mine"


@pytest.mark.parametrize("stranger", ["file", "folder", "link"])
def test_what_is_no_release_is_not_replaced(recipe, tmp_path, stranger):
    place = tmp_path / "out" / "small" / "1.0.0"
    place.parent.mkdir(parents=True)
    if stranger == "file":
        place.write_text("mine")
    elif stranger == "folder":
        write(place, "mine", "thesis.tex")
    else:
        place.symlink_to(write(tmp_path / "elsewhere", "mine", "manifest.json").parent)
    assert is_refusal(
        here("build", recipe, "--out", tmp_path / "out", "--workers", 1), "other than a release", str(place)
    )
    kept = {"file": place, "folder": place / "thesis.tex", "link": place / "manifest.json"}[stranger]
    assert kept.is_file() and not work_of(tmp_path / "out").exists()


@pytest.mark.integration
def test_a_second_build_of_the_same_folder_is_refused(many, undisturbed, tmp_path):
    first = Running("build", many, "--out", tmp_path, "--workers", 1)
    assert wait_for(lambda: sidecars(tmp_path), 60)
    first.process.send_signal(signal.SIGSTOP)
    try:
        second = run("build", many, "--out", tmp_path, "--workers", 1)
        assert is_refusal(second, "another build owns", str(tmp_path / "small"))
    finally:
        first.process.send_signal(signal.SIGCONT)
    assert first.done().code == 0
    assert tree(tmp_path / "small" / "1.0.0") == undisturbed[0]
    third = run("build", many, "--out", tmp_path, "--workers", 1)
    assert third.code == 0 and "already built" in third.err and is_swept(tmp_path / "small" / "1.0.0")


@pytest.mark.integration
def test_a_lost_worker_stops_the_build_and_the_next_finishes(many, undisturbed, tmp_path):
    running = Running("build", many, "--out", tmp_path, "--workers", 2)
    assert wait_for(lambda: sidecars(tmp_path), 60)
    workers = running.workers()
    assert len(workers) == 2
    workers[0].kill()
    assert is_refusal(running.done(), "a worker process died", "--workers")
    assert running.leaves_no_orphan() and not (tmp_path / "small" / "1.0.0").exists()
    folder = built(many, tmp_path, "--workers", 2)
    assert tree(folder) == undisturbed[0] and is_swept(folder)


@pytest.mark.integration
def test_an_interrupt_says_how_to_go_on(many, undisturbed, tmp_path):
    # On a busy machine the build may be done before the signal is sent: then once more, elsewhere.
    for attempt in range(6):
        out = tmp_path / str(attempt)
        running = Running("build", many, "--out", out, "--workers", 2)
        assert wait_for(lambda out=out: sidecars(out), 60)
        # A terminal sends it to the whole group.
        os.killpg(running.process.pid, signal.SIGINT)
        if (done := running.done()).code != 0:
            break
    assert done.code == 130 and "stopped: run the same command to continue" in done.err and "Traceback" not in done.err
    assert running.leaves_no_orphan() and not (out / "small" / "1.0.0").exists()
    assert tree(made(many, out)) == undisturbed[0]


def mounted(folder: Path, kilobytes: int, *more: str) -> bool:
    options = ",".join([f"size={kilobytes}k", *more])
    words = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return shutil.which("mount") is not None and subprocess.run(words, capture_output=True).returncode == 0


@pytest.fixture
def small_disk(tmp_path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    if not mounted(folder, 16):
        pytest.skip("a small disk wants the right to mount one: run as root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def check_full_disk(disk: Path, many: Path, kilobytes: list[int], workers: int, expected: dict[str, bytes]) -> None:
    for size in kilobytes:
        assert mounted(disk, size, "remount")
        running = Running("build", many, "--out", disk, "--workers", workers)
        assert is_refusal(running.done(), "cannot write", "No space left", "space"), size
        assert running.leaves_no_orphan()
        assert not (disk / "small" / "1.0.0").exists()
        assert list(disk.rglob(".*.tmp")) == []
    kept = len(sidecars(disk))
    assert kept > 0
    assert mounted(disk, 16_384, "remount")
    folder = built(many, disk, "--workers", 1)
    assert tree(folder) == expected and is_swept(folder)


@pytest.mark.integration
def test_a_full_disk_is_told_and_the_build_goes_on_when_there_is_room(small_disk, many, undisturbed):
    check_full_disk(small_disk, many, [240], 1, undisturbed[0])


@pytest.mark.integration
@pytest.mark.slow
def test_a_disk_full_at_any_file(small_disk, many, undisturbed):
    whole = sum(-(-len(data) // 4096) * 4 for data in undisturbed[0].values())
    sizes = [4, 8, 12, 16, 24, *range(40, whole, 40)]
    check_full_disk(small_disk, many, sizes, 1, undisturbed[0])


@pytest.mark.integration
@pytest.mark.slow
def test_a_disk_full_for_two_workers(small_disk, many, undisturbed):
    check_full_disk(small_disk, many, [120, 240, 400], 2, undisturbed[0])


def test_a_frozen_release_stands(common, tmp_path):
    recipe = write(tmp_path / "recipes", TINY, "tiny.toml")
    folder = made(recipe, tmp_path / "out")
    frozen = tmp_path / "releases"
    assert here("freeze", folder, "--releases", frozen).code == 0
    before, kept = tree(folder), tree(frozen)
    recipe.write_text(TINY.replace("depths = 1", 'depths = 1, question = "before"'))
    done = here("build", recipe, "--out", tmp_path / "out", "--workers", 1)
    assert is_refusal(done, "tiny@1.0.0 is frozen", "single_needle_en_4k", "raise the version")
    assert tree(folder) == before and tree(frozen) == kept and is_swept(folder)
    assert is_refusal(here("build", recipe, "--out", tmp_path / "other", "--workers", 1), "is frozen")
    assert nothing_written(tmp_path / "other")
    # Wrong bump, then the right one.
    for version, wanted in (("1.0.1", "2.0.0"), ("2.0.0", "")):
        changed = recipe.read_text().replace("1.0.0", version)
        again = made(write(tmp_path / "recipes", changed, "next.toml"), tmp_path / "out")
        done = here("freeze", again, "--releases", frozen)
        assert is_refusal(done, "major change", "2.0.0") if wanted else done.code == 0, done
    diff = here("diff", folder, again)
    assert diff.out.splitlines()[-1] == "bump: major" and "1 changed" in diff.out
    root = open_release(folder).root
    assert here("diff", folder, folder).out == f"release root: {root}, the same rows\nbump: none\n"
    assert sorted(path.name for path in (frozen / "tiny").iterdir()) == ["1.0.0", "2.0.0"]


def test_a_twin_shares_no_prompt_and_has_its_own_name(recipe, release, tmp_path):
    folder = built_here(recipe, tmp_path, "--stream", "Tests 2027/Spring")
    assert folder == tmp_path / "small-tests-2027-spring" / "1.0.0"
    twin, original = open_release(folder), open_release(release)
    assert (twin.name, twin.content.stream) == ("small-tests-2027-spring", "Tests 2027/Spring")
    assert twin.content.canary != original.content.canary
    for column in ("prompt", "answers"):
        values = [
            {str(value) for file in one.rglob("*.parquet") for value in pq.read_table(file)[column].to_pylist()}
            for one in (folder, release)
        ]
        assert values[0] and values[1] and not values[0] & values[1], column
    same = ("rows", "items", "groups", "files", "metric", "bucket_tokens")
    for name, facts in original.configs.items():
        assert all(getattr(twin.configs[name], key) == getattr(facts, key) for key in same)
    verified = here("verify", folder, "--level", "plans")
    assert verified.code == 0, verified


def test_a_card_that_no_manifest_holds_is_told_before_anything_is_built(recipe, tmp_path):
    (tmp_path / "small.toml").write_text(recipe.read_text() + '\n[card]\nfile = "long.md"\n')
    (tmp_path / "long.md").write_text("x" * (MAX_CARD + 1))
    done = here("build", tmp_path / "small.toml", "--out", tmp_path / "out")
    assert is_refusal(done, "card.file = 'long.md' has more than 20,000 characters")
    assert not (tmp_path / "out").exists()


def test_pieces_that_have_not_the_tokens_of_their_prompt_stop_the_build(tmp_path, monkeypatch):
    # Two newlines are one token: cut between them, every paragraph has one more.
    monkeypatch.setattr(tokens, "_JOINTS", {**tokens._JOINTS, "o200k_base": re.compile(r"\n(?=\n)")})
    tokens.load_tokenizer.cache_clear()
    try:
        done = here("build", write(tmp_path, TINY, "tiny.toml"), "--out", tmp_path / "out", "--workers", 1)
        assert done.code == 70 and re.search(r"single_needle_en/4k/00000 has \d+ tokens, by its pieces \d+", done.err)
    finally:
        tokens.load_tokenizer.cache_clear()
    assert not list(tmp_path.rglob("*.parquet"))


def test_the_recipe_in_a_release_builds_the_same_manifest(tmp_path):
    """Also where it lies alone, or without its key `card`, as before, beside the manifest."""
    (tmp_path / "tiny.toml").write_text(TINY + '\n[card]\nfile = "ours.md"\n')
    (tmp_path / "ours.md").write_text("\n## Intended use\n\nTo be *read*.\n", encoding="utf-8")
    release = made(tmp_path / "tiny.toml", tmp_path / "out")
    manifest = (release / "manifest.json").read_bytes()
    assert open_release(release).content.written == "## Intended use\n\nTo be *read*."
    assert "To be *read*." in (release / "README.md").read_text()
    assert here("verify", release).code == 0
    for keep in (["recipe.json"], ["recipe.json", "manifest.json"]):
        folder = tmp_path / f"{len(keep)}"
        folder.mkdir()
        for name in keep:
            shutil.copy(release / name, folder)
        if "manifest.json" in keep:
            older = json.loads((folder / "recipe.json").read_text())
            assert older.pop("card")
            (folder / "recipe.json").write_text(json.dumps(older))
        assert (made(folder / "recipe.json", folder / "out") / "manifest.json").read_bytes() == manifest, keep
    # A release of before, and one whose recipe is not its manifest's.
    shutil.copy(folder / "recipe.json", release)
    state_again(release)
    assert here("verify", release).code == 0
    (release / "recipe.json").write_text(json.dumps({**older, "card": {"text": "Other."}}))
    state_again(release)
    assert "recipe.json is not the recipe" in here("verify", release).out


def state_again(release: Path) -> None:
    """State the files of a release anew."""
    manifest = json.loads((release / "manifest.json").read_text())
    table = json.loads((release / "croissant.json").read_text())
    entry = file_entry(release / "recipe.json")
    for one in table["distribution"]:
        if one.get("contentUrl") == "recipe.json":
            one |= {"sha256": entry.sha256, "contentSize": f"{entry.bytes} B"}
    (release / "croissant.json").write_bytes(canonical(table))
    for name in ("recipe.json", "croissant.json"):
        manifest["files"][name] = file_entry(release / name).to_json()
    (release / "manifest.json").write_bytes(canonical(manifest))
