"""Names of the invented world: unique, no name the beginning of another, alike within a region, pinned for ever."""

import csv
import gzip
import io
import json
import re
import unicodedata
import zipfile
from collections import Counter
from itertools import chain, pairwise
from urllib.parse import unquote

import pytest
from folders import CORPORA

from carrara.stream import Draws, NumberPermutation, Stream
from carrara.tokens import load_tokenizer
from carrara.world.names import characters, chinese, english, words
from carrara.world.names.english import SOUNDS, WordSpace, word_space
from carrara.world.names.names import FAMILY_CLASSES, FAMILY_SIZE, REALMS, WorldNames
from carrara.world.prose import names as prose
from carrara.world.realm.schema import CLASSES, PERSONS, REGIONS, SIZES

LANGS = ("en", "zh")
SETS = (*words.REGIONAL_TAILS[0], *words.TAILS)
THINGS = tuple(class_ for class_ in CLASSES if class_ not in PERSONS)
FAMILIES = 12
OBSCENE = """
    fuck fuk shit cunt cock dick anus anal arse cum fag nig negr rape sex slut twat wank piss poo penis vagin bitch
    whore nazi porn gay kike spic dago coon puta turd tard boob semen sperm hitler butt suck muff pubi rectum jap
    paki yid wop slag hoe milf orgy skank spunk damn muslim jew pedo stalin lenin titt
"""
ADJECTIVES, NOUNS = words.ADJECTIVES.split(), words.NOUNS.split()
corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")


def world(seed=1):
    return WorldNames(Stream("names test", seed))


def called(names, lang, class_, numbers):
    """Names and, of every second, aliases; of persons those of both genders."""
    for number in numbers:
        for female in (False, True) if class_ in PERSONS else (False,):
            yield names.name(lang, class_, number, female=female)
            if number % 2:
                yield names.alias(lang, class_, number, female=female)


def begins_another(found):
    """Pairs of which one begins the other: in sorted order it stands right before one that it begins."""
    return [(one, other) for one, other in pairwise(sorted(found)) if other.startswith(one)]


def contained(lang, found):
    """Names that are a part of another one: of its words in English, of its characters in Chinese."""
    known = set(found)
    for name in known:
        pieces, joint = (name.split(), " ") if lang == "en" else (name, "")
        for start in range(len(pieces)):
            for end in range(start + 1, len(pieces) + 1):
                if end - start < len(pieces) and (part := joint.join(pieces[start:end])) in known:
                    yield part, name


# --- uniqueness -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("class_", CLASSES)
@pytest.mark.repeat
def test_no_name_of_a_class_is_a_part_of_another(lang, class_):
    last = REALMS * SIZES[class_]
    found = list(called(world(), lang, class_, (*range(4_000), *range(60_000, 61_000), *range(last - 1_000, last))))
    assert len(set(found)) == len(found) and not begins_another(found)
    assert not list(contained(lang, found))[:5]


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.repeat
def test_no_two_classes_share_a_name(lang):
    found = chain.from_iterable(called(world(), lang, class_, range(2_000)) for class_ in CLASSES)
    assert not [name for name, times in Counter(found).items() if times > 1]


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("class_", CLASSES)
def test_names_of_ten_million_entities(lang, class_):
    names = world()
    found = [names.name(lang, class_, number) for number in range(10_000 * SIZES[class_])]
    assert len(set(found)) == len(found) and not begins_another(found)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.repeat
def test_other_names_are_unique_in_their_kind(lang):
    names, count = world(), 6_000
    for kind in (
        lambda number: names.word(lang, "report 3 boat", number),
        lambda number: names.person(lang, "story", number),
        lambda number: names.region(lang, number),
    ):
        found = [kind(number) for number in range(count)]
        assert len(set(found)) == count and not begins_another(found)
    assert names.word(lang, "boat", 0) != names.word(lang, "horse", 0)
    assert names.person(lang, "story", 0) != names.person(lang, "fable", 0)


@pytest.mark.parametrize("lang", LANGS)
def test_further_persons_are_none_of_the_classes(lang):
    names = world()
    further = {
        names.person(lang, "story", number, female=female) for number in range(5_000) for female in (True, False)
    }
    assert further.isdisjoint(chain.from_iterable(called(names, lang, class_, range(5_000)) for class_ in PERSONS))


# --- invented words ---------------------------------------------------------------------------------------------------


def test_a_word_can_be_taken_apart_in_one_way():
    heads = " ".join(words.HEADS).split()
    assert len(set(heads)) == len(heads) and not begins_another(heads)
    for regional in words.REGIONAL_TAILS:
        tails = [tail for listed in (*regional.values(), *words.TAILS.values()) for tail in listed.split()]
        tails += [middle + tail for middle in words.MIDDLES.split() for tail in tails]
        assert len(set(tails)) == len(tails) and not begins_another(tails)
    assert not begins_another(NOUNS)


@pytest.mark.parametrize("sound", range(SOUNDS))
def test_a_set_is_a_numbered_space_without_real_words(sound):
    real = set(english._real_words())
    for name in SETS:
        space, whole = word_space(name, sound), WordSpace(name, sound, ())
        found = [space[number] for number in range(space.size)]
        assert {word.lower() for word in found} == {whole[number].lower() for number in range(whole.size)} - real
        assert len(set(found)) == len(found) and whole.size - space.size < whole.size / 10
        assert all(word.islower() if name == "epithet" else word.istitle() for word in found)


def test_no_word_holds_an_obscenity():
    bad = re.compile("|".join(OBSCENE.split()))
    spaces = [word_space(name, sound) for name in SETS for sound in range(SOUNDS)]
    assert not [
        word for space in spaces for word in map(space.__getitem__, range(space.size)) if bad.search(word.lower())
    ]


def letters(text):
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.findall("[a-z]+", plain)


def read(path):
    return gzip.decompress((CORPORA / path).read_bytes()).decode("utf-8", "replace")


def real_words():
    words = set(letters(read("wordlists/en_50k.txt.gz")))
    for path in ("wordlists/nltk-words.zip", "names-en/nltk-names.zip"):
        with zipfile.ZipFile(CORPORA / path) as archive:
            for file in archive.namelist():
                words.update(letters(archive.read(file).decode("latin-1")) if not file.endswith("/") else ())
    for path in sorted((CORPORA / "names-en").glob("*.gz")):
        words.update(letters(read(f"names-en/{path.name}")))
    words.update(letters(" ".join(json.loads(read("needlebench/names.json.gz"))["English"])))
    for path in ("kelpie-DB100K-entities.csv.gz", "kelpie-DBpedia50-entities.csv.gz"):
        for row in csv.reader(io.StringIO(read(f"dbpedia14/{path}"))):
            words.update(letters(unquote(row[0])))
    for row in csv.reader(io.StringIO(read("dbpedia14/cdle-test.csv.gz"))):
        words.update(letters(row[1]))
    for row in json.loads(read("dbpedia14/olora-test.json.gz")):
        words.update(letters(row["sentence"].split("\n")[0]))
    return words


@corpora
@pytest.mark.corpora
@pytest.mark.repeat
def test_no_real_word_is_invented():
    real = real_words()
    assert len(real) > 300_000
    for name in SETS:
        for sound in range(SOUNDS):
            space = word_space(name, sound)
            assert real.isdisjoint(space[number].lower() for number in range(space.size))


def test_short_words_make_short_names():
    count, names = load_tokenizer("o200k_base").count, world()
    for class_ in CLASSES:
        found = [names.name("en", class_, number, female=number % 2 == 0) for number in range(2_000)]
        tokens, parts = (
            sum(map(each, found)) for each in (lambda name: count(f" {name}"), lambda name: len(name.split()))
        )
        assert tokens / parts < 2.25 and tokens / len(found) < 6, class_
        found = [names.name("zh", class_, number, female=number % 2 == 0) for number in range(2_000)]
        assert sum(map(count, found)) / len("".join(found)) < 1.2, class_


def test_a_realm_has_one_sound_and_eight_in_a_row_have_all():
    names = world()
    sounds = {head: sound for sound, heads in enumerate(words.HEADS) for head in heads.split()}

    def sound_of(word):
        return next(sounds[word[:cut]] for cut in (2, 3, 4) if word[:cut] in sounds)

    realms = []
    for realm in range(8):
        found = [names.name("en", "artist", realm * SIZES["artist"] + number) for number in range(SIZES["artist"])]
        found += [names.region("en", realm * REGIONS + number) for number in range(REGIONS)]
        found += [names.name("en", "animal", realm * SIZES["animal"] + number) for number in range(20)]
        (sound,) = {sound_of(word.capitalize()) for name in found for word in name.split()}
        realms.append(sound)
    assert sorted(realms) == list(range(SOUNDS))


# --- persons ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_families(lang):
    names = world()
    assert sum(FAMILY_CLASSES.values()) == FAMILY_SIZE
    for family in range(240):
        members = [(class_, family * per + place) for class_, per in FAMILY_CLASSES.items() for place in range(per)]
        surname = names.surname(lang, family)
        for female in (False, True):
            found = [names.name(lang, class_, number, female=female) for class_, number in members]
            found += [names.alias(lang, class_, number, female=female) for class_, number in members]
            assert len(set(found)) == 2 * FAMILY_SIZE
            assert all(name.endswith(f" {surname}") if lang == "en" else name.startswith(surname) for name in found)
    if lang == "en":
        surnames = {names.surname("en", family) for family in range(50_000)}
        assert len(surnames) == 50_000
        assert surnames.isdisjoint(names.person("en", "story", number).split()[1] for number in range(5_000))
    for realm in (0, 7, 10_999):
        own = {names.surname(lang, realm * FAMILIES + family) for family in range(FAMILIES)}
        assert len(own) == FAMILIES


def test_given_names_tell_the_gender():
    names = world()
    for class_ in PERSONS:
        men, women = (
            {names.name("en", class_, n, female=female).split()[0] for n in range(2_000)} for female in (0, 1)
        )
        assert men.isdisjoint(women)
    lasts = characters.GIVEN_LAST
    assert set(lasts["male"]).isdisjoint(lasts["female"])
    assert set(characters.GIVEN_ONE["male"]).isdisjoint(characters.GIVEN_ONE["female"])
    assert names.name("zh", "artist", 5) != names.name("zh", "artist", 5, female=True)
    assert names.name("en", "village", 5) == names.name("en", "village", 5, female=True)


def test_no_chinese_person_is_a_part_of_another():
    singles, firsts = set(characters.SURNAMES), set(characters.GIVEN_FIRST)
    doubles = characters.DOUBLE_SURNAMES.split()
    ones = set("".join(characters.GIVEN_ONE.values()))
    assert len(singles) == 112 and len(chinese.SURNAMES) % FAMILIES == 0
    # "王伟" would begin "王伟明" and end "司王伟".
    assert firsts.isdisjoint(ones) and firsts.isdisjoint(singles | {double[0] for double in doubles})
    assert singles.isdisjoint("".join(doubles))


# --- everything else --------------------------------------------------------------------------------------------------


def test_short_forms():
    names = world()
    species = names.name("en", "plant", 3)
    genus, epithet = species.split()
    assert names.short("en", "plant", species) == f"{genus[0]}. {epithet}"
    assert names.short("en", "artist", names.name("en", "artist", 3)) == names.surname("en", 0)
    for lang, class_ in (("zh", "plant"), ("zh", "artist"), ("en", "village")):
        assert names.short(lang, class_, "柳塘村") == "柳塘村"


def test_titles_have_many_patterns():
    assert len(set(words.TITLES)) == len(words.TITLES) >= 60
    assert len(set(characters.TITLES.split())) == len(characters.TITLES.split()) >= 60
    for listed in words.TITLE_WORDS.values():
        assert not begins_another(listed.split())
    # An article "A" and a plural "s" go with every noun.
    nouns = words.TITLE_WORDS["agent"].split() + words.TITLE_WORDS["thing"].split()
    assert not [noun for noun in nouns if re.search("^[AEIOU]|([^aeiou]y|s|sh|ch|x)$", noun)]


def test_chinese_characters_are_common_ones():
    names = world()
    found = "".join(chain.from_iterable(called(names, "zh", class_, range(500)) for class_ in CLASSES))
    common = [0xB0 <= character.encode("gb2312")[0] <= 0xD7 for character in found]
    # Titles of works name a few things that are not.
    assert sum(common) / len(common) > 0.995
    for class_ in ("village", *PERSONS):
        assert all(0xB0 <= one.encode("gb2312")[0] <= 0xD7 for one in "".join(called(names, "zh", class_, range(500))))
    assert set(characters.PLACE_FIRST).isdisjoint(characters.PLACE_LAST)
    assert set(characters.SCENE_FIRST).isdisjoint(characters.SCENE_LAST)
    assert set(characters.SPECIES_FIRST).isdisjoint(characters.PLANT_LAST + characters.ANIMAL_LAST)


# --- worlds, limits, pins ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("class_", CLASSES)
def test_two_worlds_share_few_names(lang, class_):
    # Of 62 realms each. A village or a natural place of one word is one of some thousands in English.
    found = [
        {names.name(lang, class_, number) for number in range(62 * SIZES[class_])} for names in (world(1), world(2))
    ]
    most = 0.01 if class_ in PERSONS else 0.3 if lang == "en" and class_ in ("village", "natural_place") else 0.08
    assert len(found[0] & found[1]) <= most * len(found[0])


def test_names_do_not_depend_on_the_order_of_asking():
    one, other = world(), world()
    asked = [(lang, class_, number) for lang in LANGS for class_ in CLASSES for number in (0, 17, 40_000)]
    found = {key: one.name(*key, female=True) for key in asked}
    assert {key: other.name(*key, female=True) for key in reversed(asked)} == found
    # More purposes than are kept at hand.
    far = [other.word("en", f"boat {number}", 3) for number in range(5_000)]
    assert [other.word("en", f"boat {number}", 3) for number in range(5_000)] == far
    assert {key: other.name(*key, female=True) for key in asked} == found


@pytest.mark.parametrize("lang", LANGS)
def test_limits(lang):
    names = world()
    for class_ in CLASSES:
        last = REALMS * SIZES[class_] - 1
        names.name(lang, class_, last), names.alias(lang, class_, last, female=True)
        for wrong in (names.name, names.alias):
            with pytest.raises(ValueError, match=f"0 to {last}"):
                wrong(lang, class_, last + 1)
            with pytest.raises(ValueError, match="numbered from 0"):
                wrong(lang, class_, -1)
    names.region(lang, REALMS * REGIONS - 1), names.surname(lang, REALMS * FAMILIES - 1)
    for wrong in (names.region, names.surname):
        with pytest.raises(ValueError, match="there are names for"):
            wrong(lang, REALMS * 12)
    for wrong in (names.word, names.person):
        with pytest.raises(ValueError, match="numbered from 0"):
            wrong(lang, "boat", -1)
        with pytest.raises(ValueError, match="boat"):
            wrong(lang, "boat", 10**9)
    assert names.word("en", "boat", 100_000) and names.word("zh", "boat", 5_000)
    assert names.person("en", "boat", 14_000_000) and names.person("zh", "boat", 400_000)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100, 101, 4096, 10_007])
def test_a_number_permutation_is_a_bijection(size):
    for tweak in (0, 1, 99):
        permutation = NumberPermutation(Stream("permutation", size), size)
        assert sorted(permutation(number, tweak) for number in range(size)) == list(range(size))
    for number in (-1, size):
        with pytest.raises(IndexError, match=f"{size} values"):
            permutation(number)


def test_number_permutations_differ_by_key_and_tweak():
    one, other = (NumberPermutation(Stream("permutation", seed), 10**15) for seed in (1, 2))
    lists = [[one(n) for n in range(200)], [one(n, 1) for n in range(200)], [other(n) for n in range(200)]]
    assert len(set(chain(*lists))) == 600
    # Spread evenly: the mean of 2,000 even draws lies within 4 standard errors of the middle.
    mean = sum(one(number) for number in range(2_000)) / 2_000 / 10**15
    assert abs(mean - 0.5) < 4 * (1 / 12 / 2_000) ** 0.5
    for size in (0, 1 << 121):
        with pytest.raises(ValueError, match="2\\^120"):
            NumberPermutation(Stream("permutation", 1), size)


GOLDEN = {
    "en": [
        "Fulrost Limited",
        "Revpack Academy",
        "Tegcon Covbell",
        "Datinos Fesunis",
        "Pikdon Fesunis",
        "Cromreti Courier",
        "Mutconi Terrace",
        "Provambra Mekarna",
        "Mubfurt on Berrax",
        "Granodes sigidus",
        "Spanaxis vikilis",
        "A Short History of Unwanted Drums",
        "The Glassblower of Hedvair",
        "The Printer Who Forgot the Sea",
        "Mogpard & Clercord",
        "Civkin and Yokpard College",
        "Tilessa Toglin",
        "Travtia Bromdart",
        "Covwen Bromdart",
        "Civpard D8",
        "Lentrell and Nestosh House",
        "Shiroren Rogathan",
        "Nogport under Clervey",
        "Cogema closelis",
        "Bogarus lithidus",
        "The Last of the Soldiers in Dokveil",
        "The Chemist and the Piano",
        "One Summer of Statues",
        "Fasullen",
        "Govuria",
        "Falpek",
        "Mokolf Weltel",
        "Hebisa Weltel",
    ],
    "zh": [
        "祥华商号",
        "伦诚大学",
        "韩养浩",
        "孔香野",
        "孔墨凯",
        "采杉丁型",
        "迎阳轩",
        "绕菊隅",
        "甜亭营",
        "紫搬公",
        "青池盏",
        "冬天没有船票",
        "寄往石埠的信",
        "测绘员把地图留在麦田",
        "隆嘉合商行",
        "鸭野伦知师范学校",
        "吕原绸",
        "段士瑰",
        "段兰蓉",
        "念剑三型",
        "杏野垂鸥公馆",
        "横霞惜冰",
        "前木溪渡",
        "家冷躲道人",
        "山静溪衣",
        "菊荡一夜",
        "去羊墩的路上",
        "房客不在门外",
        "傅",
        "珠湖州",
        "佛林",
        "马乐茂",
        "马雨容",
    ],
}


@pytest.mark.parametrize("lang", LANGS)
def test_golden_names(lang):
    names = world()
    found = [names.name(lang, class_, 12_345) for class_ in CLASSES]
    found += [names.alias(lang, class_, 7, female=True) for class_ in CLASSES]
    found += [names.surname(lang, 3), names.region(lang, 0), names.word(lang, "boat", 4)]
    found += [names.person(lang, "story", 5), names.person(lang, "story", 5, female=True)]
    assert found == GOLDEN[lang]


# --- the prose --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_the_prose_has_names_of_its_own(lang):
    villages = {prose.village(lang, number) for number in range(prose.VILLAGES[lang])}
    assert len(villages) == prose.VILLAGES[lang] >= 5_000
    names = world()
    assert villages.isdisjoint(called(names, lang, "village", range(10_000)))
    draws = Draws(Stream("prose"))
    for female in (False, True):
        people = [prose.person(lang, number, female, draws) for number in range(0, prose.PEOPLE[lang], 7)]
        assert len({short for _, short in people}) == len({name for name, _ in people}) == len(people)
        known = chain.from_iterable(called(names, lang, class_, range(3_000)) for class_ in PERSONS)
        assert {name for name, _ in people}.isdisjoint(known)
    for _ in range(200):
        river, hill, inn = prose.landmarks(lang, draws)
        assert river and hill and inn and hill not in villages
