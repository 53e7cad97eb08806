"""Known errors of frozen releases: what may be noted, what never changes, hostile files, and what a score says."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import PACKAGE, here, is_refusal
from hypothesis import given
from hypothesis import strategies as st
from versions import TASKS, all_right, id_of, responses, toys, version

from carrara.errors import ReleaseError
from carrara.release.errata import MAX_BYTES, Errata, Erratum, affected, check_entry, come_along, errata_of, read_errata
from carrara.release.freeze import freeze
from carrara.release.manifest import canonical
from carrara.release.reader import open_release

WRONG = "The gold is misspelt."
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(PACKAGE.parent)}


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Path:
    """Frozen: 1.0.0; 1.1.0 with an item more of alpha; 2.0.0 in which a row of alpha is another."""
    folder = tmp_path_factory.mktemp("errata")
    more = {"alpha": 3, "beta": 2}
    with toys():
        for number, items, changes in (
            ("1.0.0", None, {}),
            ("1.1.0", more, {}),
            ("2.0.0", more, {id_of("alpha", 1): {"answers": ["other 1", "more 1"]}}),
        ):
            freeze(version(folder / "out" / number, number, items, changes), folder / "releases")
    return folder


@pytest.fixture
def releases(built, tmp_path) -> Path:
    """The frozen releases, to add to."""
    return shutil.copytree(built / "releases", tmp_path / "releases")


@pytest.fixture
def out(built) -> Path:
    """The releases that were frozen, with their rows: to be read."""
    return built / "out"


def erratum(releases: Path, *words: object):
    return here("erratum", *words, "--releases", releases)


def noted(releases: Path, *words: object) -> str:
    """Add an entry; what was said on standard error."""
    done = erratum(releases, "add", *words, "--what", WRONG)
    assert done.code == 0, done
    return done.err


def noted_entry(**columns) -> Erratum:
    plain = {"version": "1.0.0", "rows": ["alpha_en_1k"], "what": WRONG, "severity": None, "fixed_in": None}
    return Erratum.of(**plain | {"date": "2027-01-31", "number": 1} | columns)


def file_of(releases: Path) -> Path:
    return releases / "toys" / "errata.json"


def entries(releases: Path) -> list[dict]:
    return json.loads(file_of(releases).read_text())["errata"]


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Noting


def test_a_note_lies_beside_the_release_and_touches_nothing(releases, out):
    before = tree(releases)
    done = erratum(releases, "add", "toys@1.0.0", "--row", id_of("alpha", 1), "--what", WRONG, "--date", "2027-01-31")
    assert done.code == 0 and WRONG in done.out and "not fixed" in done.out and done.err == ""
    after = tree(releases)
    assert set(after) - set(before) == {"toys/errata.json"}
    assert {name: after[name] for name in before} == before
    assert file_of(releases).read_bytes() == canonical(json.loads(file_of(releases).read_text()))
    assert entries(releases) == [
        {
            "number": 1,
            "version": "1.0.0",
            "rows": [id_of("alpha", 1)],
            "what": WRONG,
            "severity": None,
            "fixed_in": None,
            "date": "2027-01-31",
        }
    ]
    assert not list((releases / "toys").glob("*.tmp"))
    with toys():
        assert freeze(out / "2.0.0", releases).name == "2.0.0"


ADDING = """
import sys
from pathlib import Path
from carrara.release.errata import Erratum, add
rows = {"version": "1.0.0", "rows": ("alpha_en_1k",), "severity": None, "fixed_in": None, "date": "2027-01-31"}
for number in range(20):
    add(Path(sys.argv[1]), "toys", Erratum.of(what=f"{sys.argv[2]} {number}", **rows))
"""


def test_two_who_add_at_the_same_time_lose_nothing(releases):
    both = [subprocess.Popen([sys.executable, "-c", ADDING, releases, name], env=ENVIRONMENT) for name in ("a", "b")]
    assert [one.wait(60) for one in both] == [0, 0]
    found = entries(releases)
    assert sorted(one["what"] for one in found) == sorted(f"{name} {number}" for name in "ab" for number in range(20))
    assert [one["number"] for one in found] == list(range(1, 41))


def test_what_a_kill_left_is_swept_an_hour_later_and_blocks_nothing(releases):
    home, old, new = releases / "toys", ".errata.json.4000000.tmp", ".errata.json.4000001.tmp"
    for name in (old, new, ".other.json.4000000.tmp", ".errata.json.mine.tmp"):
        (home / name).write_text("torn")
    os.utime(home / old, (0, 0))
    noted(releases, "toys@1.0.0", "--row", "alpha_en_1k")
    assert [path.name for path in sorted(home.glob(".*"))] == [new, ".errata.json.mine.tmp", ".other.json.4000000.tmp"]


def test_entries_are_numbered_and_only_a_fix_is_ever_written_anew(releases):
    noted(releases, "toys@1.0.0", "--row", id_of("beta", 3), "--row", id_of("beta", 0), "--row", id_of("beta", 3))
    noted(releases, "toys@1.1.0", "--config", "alpha_en_1k", "--severity", "gold wrong")
    first, second = entries(releases)
    assert first["rows"] == [id_of("beta", 0), id_of("beta", 3)]
    assert (second["number"], second["rows"], second["severity"]) == (2, ["alpha_en_1k"], "gold wrong")
    assert erratum(releases, "fixed", "toys@1.1.0", 2, "--in", "2.0.0").code == 0
    assert entries(releases) == [first, second | {"fixed_in": "2.0.0"}]
    for words, said in (
        (("toys@1.1.0", 2, "--in", "3.0.0"), "is fixed in 2.0.0"),
        (("toys@1.0.0", 2, "--in", "2.0.0"), "toys@1.0.0 has no erratum 2"),
        (("toys@1.0.0", 9, "--in", "2.0.0"), "no erratum 9"),
        (("toys@1.0.0", 1, "--in", "1.0.0"), "expected a later version"),
        (("toys@1.0.0", 1, "--in", "0.9.0"), "expected a later version"),
        (("toys@1.0.0", 1, "--in", "next"), "fixed_in = 'next'"),
        (("toys", 1, "--in", "2.0.0"), "NAME@VERSION"),
    ):
        assert is_refusal(erratum(releases, "fixed", *words), said), words
    assert entries(releases) == [first, second | {"fixed_in": "2.0.0"}]


def test_what_is_refused_writes_nothing(releases):
    row = id_of("alpha", 1)
    for words, said in (
        (("toys@1.0.0",), "neither --row nor --config"),
        (("toys@1.0.0", "--row", id_of("alpha", 4)), "has rows 00000 to 00003"),
        (("toys@1.0.0", "--row", id_of("gamma", 0)), "no row"),
        (("toys@1.0.0", "--row", "../../x"), "no row"),
        (("toys@1.0.0", "--row", "a\x1b[2Jb"), "rows[0] ="),
        (("toys@1.0.0", "--config", "gamma_en_1k"), "no row 'gamma_en_1k'"),
        (("toys@1.2.0", "--row", row), "toys@1.2.0 is not frozen"),
        (("toys@v1", "--row", row), "version 'v1'"),
        (("toys", "--row", row), "NAME@VERSION"),
        (("nobody@1.0.0", "--row", row), "no frozen release 'nobody'"),
        (("../toys@1.0.0", "--row", row), "no frozen release"),
        (("toys@1.0.0", "--row", row, "--date", "2027-02-30"), "YYYY-MM-DD"),
        (("toys@1.0.0", "--row", row, "--date", "yesterday"), "YYYY-MM-DD"),
        (("toys@1.1.0", "--row", row, "--fixed-in", "1.0.0"), "expected a later version"),
        (("toys@1.1.0", "--row", row, "--fixed-in", "1.1.0"), "expected a later version"),
        (("toys@1.0.0", "--row", row, "--what", " \n "), "what ="),
        (("toys@1.0.0", "--row", row, "--what", "x" * 2_001), "what ="),
    ):
        done = erratum(releases, "add", "--what", WRONG, *words)
        assert is_refusal(done, said), words
    assert erratum(releases, "add", "toys@1.0.0", "--row", row).code == 2, "no --what"
    assert erratum(releases, "add", "toys@1.0.0", "--row", row, "--what", WRONG, "--severity", "dire").code == 2
    assert not file_of(releases).exists()


def test_ten_comes_after_nine(releases):
    noted(releases, "toys@1.1.0", "--row", id_of("beta", 0), "--fixed-in", "1.10.0")
    assert entries(releases)[0]["fixed_in"] == "1.10.0"


def test_what_frozen_manifests_tell_of_a_fix(releases):
    alpha, beta = id_of("alpha", 1), id_of("beta", 1)
    said = noted(releases, "toys@1.0.0", "--row", alpha, "--fixed-in", "2.0.0")
    # A changed root says of no row that it is another.
    assert "alpha_en_1k differs between 1.0.0 and 2.0.0" in said and "does not show which rows changed" in said
    done = erratum(releases, "add", "toys@1.0.0", "--row", beta, "--what", WRONG, "--fixed-in", "2.0.0")
    assert is_refusal(done, "beta_en_1k is the same in 1.0.0 and 2.0.0", "leave the erratum open")
    said = noted(releases, "toys@1.0.0", "--row", alpha, "--fixed-in", "1.1.0")
    assert "carrara freeze allows no changed row there" in said and "differs between 1.0.0 and 1.1.0" in said
    assert "toys@3.0.0 is not frozen" in noted(releases, "toys@1.0.0", "--row", beta, "--fixed-in", "3.0.0")
    done = erratum(
        releases, "add", "toys@1.0.0", "--row", beta, "--what", WRONG, "--severity", "metadata", "--fixed-in", "2.0.0"
    )
    assert is_refusal(done, "beta_en_1k is the same")
    assert len(entries(releases)) == 3


def test_metadata_of_a_config_may_be_mended_without_its_rows(releases):
    manifest = releases / "toys" / "2.0.0" / "manifest.json"
    table = json.loads(manifest.read_text())
    table["content"]["configs"]["beta_en_1k"]["licence"] = "CC0-1.0"
    manifest.write_bytes(canonical(table))
    words = ("add", "toys@1.0.0", "--config", "beta_en_1k", "--what", WRONG, "--fixed-in", "2.0.0", "--severity")
    assert is_refusal(erratum(releases, *words, "gold wrong"), "beta_en_1k is the same")
    done = erratum(releases, *words, "metadata")
    assert done.code == 0 and "beta_en_1k differs between 1.0.0 and 2.0.0" in done.err
    # Within a MAJOR, too: rows stay.
    noted(releases, "toys@1.0.0", "--config", "alpha_en_1k", "--severity", "metadata", "--fixed-in", "2.0.0")
    assert "allows no changed row" not in noted(
        releases, "toys@1.0.0", "--config", "alpha_en_1k", "--severity", "metadata", "--fixed-in", "1.1.0"
    )


def test_a_fix_may_be_that_the_rows_are_gone(releases, tmp_path):
    with toys():
        freeze(version(tmp_path / "out" / "3.0.0", "3.0.0", {"alpha": 3}), releases)
    said = noted(releases, "toys@2.0.0", "--row", id_of("beta", 1), "--fixed-in", "3.0.0")
    assert "3.0.0 has no config beta_en_1k: its rows are gone" in said


def test_list(releases):
    done = erratum(releases, "list", "toys")
    assert done.code == 0 and done.out == "toys has no known errors\n"
    noted(releases, "toys@1.0.0", "--row", id_of("alpha", 1), "--fixed-in", "2.0.0", "--date", "2027-01-31")
    noted(releases, "toys@2.0.0", "--config", "beta_en_1k", "--severity", "metadata")
    done = erratum(releases, "list", "toys")
    assert "1  toys@1.0.0  2027-01-31  fixed in 2.0.0" in done.out and done.out.count(WRONG) == 2
    table = json.loads(erratum(releases, "list", "toys", "--json").out)
    assert table == json.loads(file_of(releases).read_text())
    for release, numbers in (("toys@1.0.0", [1]), ("toys@1.1.0", [1]), ("toys@2.0.0", [2]), ("toys@9.0.0", [2])):
        table = json.loads(erratum(releases, "list", release, "--json").out)
        assert [entry["number"] for entry in table["errata"]] == numbers, release
    assert is_refusal(erratum(releases, "list", "nobody"), "no frozen release")
    assert is_refusal(erratum(releases, "list", "toys@"), "NAME@VERSION")


@given(st.tuples(*[st.tuples(*[st.integers(0, 3)] * 3)] * 3), st.booleans())
def test_which_versions_have_an_error(versions, is_fixed):
    found, fixed_in, at = (".".join(map(str, one)) for one in versions)
    if is_fixed and versions[1] <= versions[0]:
        return
    entry = noted_entry(version=found, fixed_in=fixed_in if is_fixed else None)
    if is_fixed and versions[2] >= versions[1]:
        assert not entry.holds_for(at)
    elif versions[2] >= versions[0]:
        assert entry.holds_for(at)
    else:
        # An earlier version holds the same rows, unless its MAJOR is another.
        assert entry.holds_for(at) == (versions[2][0] == versions[0][0])


# Hostile files


def hostile(table: dict, change) -> bytes:
    table = json.loads(json.dumps(table))
    change(table)
    return json.dumps(table).encode("utf-8", "surrogatepass")


def with_entry(**columns):
    def change(table):
        table["errata"][0].update(columns)

    return change


HOSTILE = {
    "no JSON": lambda good: b"{",
    "deep": lambda good: b"[" * 100_000,
    "no table": lambda good: b"[]",
    "a key twice": lambda good: b'{"format": "carrara/errata", "format": "carrara/errata"}',
    "too big": lambda good: b" " * (MAX_BYTES + 1),
    "half a surrogate pair": lambda good: hostile(good, with_entry(what="\ud800")),
    "another format": lambda good: hostile(good, lambda table: table.update(format="carrara/1")),
    "another version": lambda good: hostile(good, lambda table: table.update(version=2)),
    "version true": lambda good: hostile(good, lambda table: table.update(version=True)),
    "unknown key": lambda good: hostile(good, lambda table: table.update(more=1)),
    "no list": lambda good: hostile(good, lambda table: table.update(errata={})),
    "name that leaves the folder": lambda good: hostile(good, lambda table: table.update(name="../toys")),
    "entry that is none": lambda good: hostile(good, lambda table: table["errata"].insert(0, 1)),
    "number out of order": lambda good: hostile(good, with_entry(number=2)),
    "number that is none": lambda good: hostile(good, with_entry(number="1")),
    "unknown key of an entry": lambda good: hostile(good, with_entry(more=1)),
    "rows that are no list": lambda good: hostile(good, with_entry(rows="alpha_en_1k")),
    "rows that are no texts": lambda good: hostile(good, with_entry(rows=[["x"]])),
    "rows twice": lambda good: hostile(good, with_entry(rows=["x", "x"])),
    "no rows": lambda good: hostile(good, with_entry(rows=[])),
    "too many rows": lambda good: hostile(good, with_entry(rows=[str(n) for n in range(100_001)])),
    "row with an escape": lambda good: hostile(good, with_entry(rows=["\x1b[2J"])),
    "what too long": lambda good: hostile(good, with_entry(what="x" * 2_001)),
    "severity of its own": lambda good: hostile(good, with_entry(severity=["gold wrong"])),
    "fixed before": lambda good: hostile(good, with_entry(fixed_in="1.0.0")),
    "version with more": lambda good: hostile(good, with_entry(version="1.0.0\n")),
    "no date": lambda good: hostile(good, with_entry(date="2027-13-01")),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files(releases, out, case):
    noted(releases, "toys@1.0.0", "--row", id_of("alpha", 1))
    file_of(releases).write_bytes(HOSTILE[case](json.loads(file_of(releases).read_text())))
    with pytest.raises(ReleaseError) as caught:
        read_errata(file_of(releases))
    assert len(caught.value.message) < 400 and "errata" in caught.value.message


@pytest.mark.parametrize(
    "case", ["no list", *(pytest.param(case, marks=pytest.mark.repeat) for case in HOSTILE if case != "no list")]
)
def test_every_command_refuses_a_hostile_file_and_leaves_it(releases, out, case):
    noted(releases, "toys@1.0.0", "--row", id_of("alpha", 1))
    data = HOSTILE[case](json.loads(file_of(releases).read_text()))
    file_of(releases).write_bytes(data)
    for words in (
        ("list", "toys"),
        ("add", "toys@1.0.0", "--row", id_of("alpha", 2), "--what", WRONG),
        ("fixed", "toys@1.0.0", 1, "--in", "2.0.0"),
    ):
        assert is_refusal(erratum(releases, *words), "errata.json"), words
    assert is_refusal(here("score", out / "1.0.0", "--gold", "--errata", file_of(releases)), "errata.json")
    assert file_of(releases).read_bytes() == data


def test_what_is_no_file(releases, tmp_path):
    file_of(releases).symlink_to(tmp_path / "nowhere")
    assert is_refusal(erratum(releases, "list", "toys"), "is not a file")
    file_of(releases).unlink()
    file_of(releases).mkdir()
    assert is_refusal(erratum(releases, "list", "toys"), "is not a file")


def test_errata_of_another_name(releases, out):
    noted(releases, "toys@1.0.0", "--row", id_of("alpha", 1))
    table = json.loads(file_of(releases).read_text()) | {"name": "others"}
    file_of(releases).write_bytes(canonical(table))
    assert is_refusal(erratum(releases, "list", "toys"), "holds errata of 'others', expected errata of toys")
    assert is_refusal(here("score", out / "1.0.0", "--gold", "--errata", file_of(releases)), "errata of 'others'")


def test_no_text_of_a_file_reaches_the_terminal(releases, out):
    noted(releases, "toys@1.0.0", "--row", id_of("alpha", 1))
    table = json.loads(file_of(releases).read_text())
    table["errata"][0]["what"] = "\x1b[2J\u202e[red]gone[/red]\nnext"
    file_of(releases).write_bytes(canonical(table))
    done = erratum(releases, "list", "toys")
    assert "␛[2J<U+202E>[red]gone[/red]␊next" in done.out and "\x1b" not in done.out
    done = here("score", out / "1.0.0", "--gold", "--errata", file_of(releases))
    assert "\x1b" not in done.out + done.err and done.code == 0


def test_a_frozen_folder_that_holds_another_version(releases):
    (releases / "toys" / "1.1.0").rename(releases / "toys" / "1.2.0")
    done = erratum(releases, "add", "toys@1.2.0", "--row", id_of("alpha", 1), "--what", WRONG)
    assert is_refusal(done, "holds toys@1.1.0")


# Scoring


def scored(release: Path, given: Path, *words: object) -> tuple[dict, str]:
    done = here("score", release, given, "--json", *words)
    assert done.code == 0, done
    return json.loads(done.out), done.err


def wrong_beta(folder: Path) -> Path:
    """All of alpha right, nothing of beta."""
    texts = {key: text if "alpha" in key else "no idea" for key, text in all_right().items()}
    return responses(folder / "model.jsonl", texts)


def test_a_score_names_rows_with_known_errors(releases, out, tmp_path):
    given, file = wrong_beta(tmp_path), file_of(releases)
    table, said = scored(out / "1.0.0", given)
    assert "errata" not in table and said == "" and table["overall"]["mean"] == 0.5
    noted(releases, "toys@1.0.0", "--row", id_of("beta", 0), "--row", id_of("beta", 1))
    noted(releases, "toys@1.0.0", "--row", id_of("alpha", 3), "--fixed-in", "2.0.0")
    plain = table
    table, said = scored(out / "1.0.0", given, "--errata", file)
    assert table.pop("errata") == {"errata": [1, 2], "rows": 3, "left_out": False} and table == plain
    shown = here("score", out / "1.0.0", given, "--errata", file).out
    assert "3 rows with known errors (errata 1, 2;" in shown and "--without-errata leaves them out" in shown
    table, _ = scored(out / "1.0.0", given, "--errata", file, "--config", "alpha_en_1k")
    assert table["errata"] == {"errata": [2], "rows": 1, "left_out": False}
    table, _ = scored(out / "2.0.0", given, "--errata", file)
    assert table["errata"] == {"errata": [1], "rows": 2, "left_out": False}
    assert here("score", out / "1.0.0", given, "--errata", tmp_path / "none.json").code == 2


def test_rows_with_known_errors_are_left_out(releases, out, tmp_path):
    file, release = file_of(releases), out / "1.0.0"
    # Of beta the first item is wrong, and its rows have an error; of alpha one row of the second item.
    texts = all_right() | {id_of("beta", 0): "no", id_of("beta", 1): "no", id_of("alpha", 2): "no"}
    given = responses(tmp_path / "model.jsonl", texts)
    noted(releases, "toys@1.1.0", "--row", id_of("beta", 0), "--row", id_of("beta", 1), "--row", id_of("alpha", 3))
    table, _ = scored(release, given, "--errata", file)
    assert table["configs"]["beta_en_1k"]["mean"] == 0.5 and table["configs"]["alpha_en_1k"]["mean"] == 0.75
    table, said = scored(release, given, "--errata", file, "--without-errata", "--out", tmp_path / "model.json")
    assert table["errata"] == {"errata": [1], "rows": 3, "left_out": True} and said == ""
    assert table["configs"]["beta_en_1k"]["mean"] == 1 and table["configs"]["beta_en_1k"]["rows"] == 2
    # Group 0 right, of group 1 the wrong row alone.
    assert table["configs"]["alpha_en_1k"]["mean"] == 0.5 and len(table["scores"]) == 5
    assert table["unknown"]["count"] == table["missing"]["count"] == 0
    assert json.loads((tmp_path / "model.json").read_text()) == table
    done = here("score", release, "--gold", "--errata", file, "--without-errata", "--json")
    assert done.code == 0 and len(json.loads(done.out)["scores"]) == 5
    table, _ = scored(
        release, responses(tmp_path / "who.jsonl", texts | {"who/knows": "x"}), "--without-errata", "--errata", file
    )
    assert table["unknown"] == {"count": 1, "first": ["who/knows"]}


def test_a_config_is_all_of_its_rows(releases, out, tmp_path):
    noted(releases, "toys@1.0.0", "--config", "beta_en_1k")
    noted(releases, "toys@1.0.0", "--row", id_of("beta", 0))
    file, given = file_of(releases), wrong_beta(tmp_path)
    table, _ = scored(out / "1.0.0", given, "--errata", file, "--without-errata")
    assert table["errata"] == {"errata": [1, 2], "rows": 4, "left_out": True}
    assert list(table["configs"]) == ["alpha_en_1k"] and table["unknown"]["count"] == 0
    done = here("score", out / "1.0.0", given, "--errata", file, "--without-errata", "--config", "beta_en_1k")
    assert is_refusal(done, "every row has a known error")
    assert is_refusal(here("score", out / "1.0.0", given, "--without-errata"), "no errata of toys")


def test_ids_that_a_version_has_not_are_no_rows_of_it(releases, out):
    noted(releases, "toys@1.1.0", "--row", id_of("alpha", 5), "--row", id_of("alpha", 0))
    errata = errata_of(releases, "toys")
    for number, count in (("1.0.0", 1), ("1.1.0", 2)):
        release = open_release(out / number)
        found = affected(errata, release, release.configs)
        assert found.count == count and found.has(id_of("alpha", 0))
        assert found.has(id_of("alpha", 5)) == (number == "1.1.0")
        assert not found.has(id_of("alpha", 1)) and not found.has("")


def test_errata_that_come_along_are_found(releases, out, tmp_path, monkeypatch):
    monkeypatch.setattr("carrara.release.errata.recipe_folder", lambda: tmp_path / "recipes")
    assert come_along("toys") is None and come_along("../toys") is None
    noted(releases, "toys@1.0.0", "--row", id_of("beta", 0))
    assert come_along("toys") == file_of(releases)
    table, said = scored(out / "1.0.0", wrong_beta(tmp_path))
    assert table["errata"]["rows"] == 1 and said == ""
    assert "1 row with known errors (errata 1;" in here("score", out / "1.0.0", "--gold").out


def test_an_entry_is_held_against_frozen_versions(releases):
    """What the test of the house holds our own errata to."""
    assert check_entry(releases, "toys", noted_entry(rows=[id_of("alpha", 1)])) == []
    for columns in ({"version": "1.5.0"}, {"rows": ["alpha_en_2k"]}, {"fixed_in": "1.0.0"}, {"number": -1}):
        with pytest.raises(ReleaseError):
            check_entry(releases, "toys", noted_entry(**columns))


def test_there_are_tasks_to_speak_of(releases):
    assert set(open_release(releases / "toys" / "1.0.0").configs) == {f"{task}_en_1k" for task in TASKS}
    assert errata_of(releases, "toys") == Errata.of("toys")
