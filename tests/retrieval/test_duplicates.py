"""Near-duplicates: shifted windows and copies are found, texts of one template are not, and quickly."""

import gzip
import json
import time

import numpy as np
import pytest
from folders import CORPORA

from carrara.retrieval.negatives import near_duplicates
from carrara.stream import Stream
from carrara.world.world import World

ARTICLE = [f"word{number}" for number in range(400)]


def window(start, length=100):
    return " ".join(ARTICLE[start : start + length])


def test_windows_of_one_article():
    shifts = [0, 10, 30, 45, 60, 80, 100, 200]
    found = near_duplicates([window(100)], [window(100 + shift) for shift in shifts])
    # 96 shingles each: shifted by 45 words they share 51, by 60 they share 36.
    assert found.tolist() == [True, True, True, True, False, False, False, False]
    assert near_duplicates([window(100)], [window(100 - shift) for shift in shifts]).tolist() == found.tolist()


def test_copies_with_other_case_punctuation_and_quotes():
    text = "Dino Risi (23 December 1916 – 7 June 2008) was an Italian film director, “one of the masters”."
    copy = "DINO RISI( 23 december 1916 - 7 june 2008) was an Italian film director, 'one of the masters'"
    assert near_duplicates([text], [copy, f"{copy} Later he painted.", f"Before that, {copy}"]).all()
    # Inside a longer gold, or a longer gold inside it.
    assert near_duplicates([f"{window(0)} {text} {window(200)}"], [copy]).all()


def test_a_template_about_two_subjects_is_no_duplicate():
    town = "{} is a village in Khaneh Shur Rural District, in the Central District of Salas County, Iran. At the 2006 "
    town += "census, its population was {}, in {} families."
    gold = town.format("Nageh", 32, 6)
    others = [town.format("Kotkeh", 75, 13), town.format("Jasuskeh", 39, 9)]
    assert near_duplicates([gold], [*others, gold]).tolist() == [False, False, True]
    moth = "Nyctemera {} is a moth of the family Erebidae first described by Rob de Vos and Karel Černý in 1999."
    assert not near_duplicates([moth.format("undulata")], [moth.format("robusta")]).any()


def test_texts_too_short_for_a_shingle_and_hostile_ones():
    assert near_duplicates(["A b c."], ["a B c", "a b", "", "a b c d"]).tolist() == [True, False, False, False]
    assert near_duplicates([], ["x"]).tolist() == [False] and near_duplicates(["x"], []).shape == (0,)
    assert near_duplicates(["", window(0)], ["\x00!", "\ud800", ""]).tolist() == [True, False, True]
    begin = time.process_time()
    found = near_duplicates([window(0)], ["\ud800" * 1_000_000, "a " * 500_000, "\u0301" * 500_000, "[" * 1_000_000])
    assert not found.any() and found.dtype == np.bool_ and time.process_time() - begin < 10


def test_two_golds_and_thousands_of_texts_take_little_time():
    order = Stream("duplicates").order(8_000)
    texts = [" ".join(f"w{(int(place) * 31 + step * step) % 3_000}" for step in range(100)) for place in order]
    begin = time.process_time()
    found = near_duplicates(texts[:2], texts)
    # 0.2 s on an idle core.
    assert time.process_time() - begin < 3
    assert found[:2].all() and found.mean() < 0.01


def test_no_two_passages_of_the_world_are_duplicates():
    texts = [passage.text for passage, _ in zip(World("duplicates/1").passages("en"), range(2_000), strict=False)]
    for number in range(0, 2_000, 200):
        assert np.flatnonzero(near_duplicates([texts[number]], texts)).tolist() == [number]


@pytest.mark.repeat
@pytest.mark.corpora
@pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")
def test_real_windows_and_villages():
    with gzip.open(CORPORA / "wiki-passages/crag-bio-retrieved_psgs.txt.gz", "rt", encoding="utf-8") as file:
        windows = dict.fromkeys(
            tuple(one.split(" // ", 1)) for line in file for one in line.strip("\n").split(" [sep] ")
        )
    texts = [text for _, text in windows]
    titles = [title for title, _ in windows]
    pairs = other = 0
    for number in range(0, len(texts), 200):
        found = np.flatnonzero(near_duplicates([texts[number]], texts)).tolist()
        assert number in found
        pairs += len(found) - 1
        other += sum(titles[one] != titles[number] for one in found)
    assert (len(texts), pairs, other) == (4973, 5, 0)
    # Blanca Errázuriz's trial, told in her article as in John de Saulles's.
    trial = next(text for title, text in windows if title == "John de Saulles" and text.startswith("to whom she"))
    found = {titles[one].split()[0] for one in np.flatnonzero(near_duplicates([trial], texts))}
    assert found == {"John", "Blanca"}
    with gzip.open(CORPORA / "wiki-passages/2wikimultihopqa_train_corpus.json.gz", "rt", encoding="utf-8") as file:
        villages = [
            one["text"] for one in json.load(file) if " Rural District" in one["text"] and len(one["text"]) < 300
        ]
    assert len(villages) > 50
    found = sum(int(near_duplicates([text], villages).sum()) - 1 for text in villages[:40])
    assert found == 0
