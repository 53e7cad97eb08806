"""The comparison of synthetic recall with a straightforward generator: what it makes, not how long that takes."""

import json

import pytest
from benchmarks import ruler
from benchmarks.ruler_straightforward import OUTPUT, PLAIN, row, search, words

from carrara.tokens import load_tokenizer


@pytest.mark.parametrize("variant", PLAIN)
@pytest.mark.repeat
def test_a_search_ends_a_step_below_the_length(variant):
    plain, count = PLAIN[variant], load_tokenizer("o200k_base").count
    for length in (4_096, 16_384):
        found = search(plain, length, count, lambda: 0.0)
        assert found.units % plain.step == 0 and found.seconds == 0
        assert count(plain.make(found.units, 0)) + OUTPUT <= length
        assert count(plain.make(found.units + plain.step, 0)) + OUTPUT > length
        for number in range(3):
            prompt, tokens = row(plain, found.units, number, length, count)
            assert count(prompt) == tokens <= length - OUTPUT and prompt.endswith("Answer:")
    assert len({row(plain, found.units, number, length, count)[0] for number in range(3)}) == 3


def test_a_long_search_is_estimated_and_finds_what_a_short_one_finds():
    plain = PLAIN["vt"]
    ticks = iter(range(10**9))
    found = search(plain, 409_600, len, lambda: float(next(ticks)))
    assert found.estimated and found.trials == found.units // plain.step + 1 > 0
    # One tick for eight trials, times as many trials.
    assert found.seconds == found.trials / 8
    assert len(plain.make(found.units, 0)) + OUTPUT <= 409_600 < len(plain.make(found.units + plain.step, 0)) + OUTPUT


def test_made_up_words_are_no_two_alike():
    drawn = words(0, 20_000)
    assert len(set(drawn)) == 20_000 and words(5, 3) == drawn[5:8] and all(map(str.isalpha, drawn))


def test_the_figures_of_a_run_are_printed_and_written(tmp_path, capsys):
    file = tmp_path / "figures.json"
    ruler.main(["--lengths", "4k", "--variants", "niah_multikey_2,niah_multikey_3", "--rows", "1", "--json", str(file)])
    first, second = json.loads(file.read_text())
    assert (first["variant"], first["length"], first["rows"]) == ("niah_multikey_2", 4_096, 1)
    assert first["carrara"]["fill"] == 1 and 0.5 < first["plain"]["fill"] <= 1 and first["ratio"] > 0
    assert "plain" not in second and second["carrara"]["fill"] == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3 and lines[1].startswith("niah_multikey_2")
    assert {"qa_world", "vt", "cwe", "json_kv"} <= set(ruler.embedded()) and "qa_squad" not in ruler.embedded()
