"""Names of the invented world: unique, no name the beginning of another, alike within a region, pinned for ever."""

import csv
import gzip
import io
import json
import re
import unicodedata
import zipfile
from collections import Counter
from itertools import chain, pairwise, permutations
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
TITLED = ("album", "film", "written_work")
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
    assert not [word for word in english.SECOND_GIVEN if bad.search(word.lower())] and len(english.SECOND_GIVEN) > 500


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
        assert tokens / parts < 2.2 and tokens / len(found) < (8.5 if class_ in TITLED else 6.5), class_
        found = [names.name("zh", class_, number, female=number % 2 == 0) for number in range(2_000)]
        assert sum(map(count, found)) / len("".join(found)) < 1.2, class_


def test_a_realm_has_one_sound_and_eight_in_a_row_have_all():
    names = world()
    sounds = {head: sound for sound, heads in enumerate(words.HEADS) for head in heads.split()}

    def sound_of(word):
        return next(sounds[word[:cut]] for cut in (2, 3, 4) if word[:cut] in sounds)

    realms = []
    for realm in range(8):
        found = [names.surname("en", realm * FAMILIES + family) for family in range(FAMILIES)]
        for class_ in ("artist", "animal", "company", "mean_of_transportation"):
            found += [names.name("en", class_, realm * SIZES[class_] + number).split()[0] for number in range(60)]
        found += [names.region("en", realm * REGIONS + number).split()[1] for number in range(REGIONS)]
        (sound,) = {sound_of(word) for word in found if word != "University" and word != "House"}
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
            # The first given name is nobody else's, even where one branch of a text leaves the second one out.
            assert lang == "zh" or len({name.split()[0] for name in found}) == 2 * FAMILY_SIZE
    if lang == "en":
        surnames = {names.surname("en", family) for family in range(50_000)}
        assert len(surnames) == 50_000
        assert surnames.isdisjoint(names.person("en", "story", number).split()[2] for number in range(5_000))
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
    # A function word is no surname.
    assert singles.isdisjoint("于和之以而且但")
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
    # No pattern is a part of another one, whatever stands in its slots.
    for patterns in ([f" {pattern} " for pattern in words.TITLES], characters.TITLES.split()):
        shapes = [re.sub("{[pq]}", "{p}", re.sub("{[wv]}", "{w}", pattern)) for pattern in patterns]
        assert not [(one, other) for one, other in permutations(shapes, 2) if one in other]
    # Lists of titles have these between them.
    written = "".join((*words.TITLES, *words.TITLE_WORDS.values(), characters.TITLES, *characters.TITLE_WORDS.values()))
    assert not set(written) & set(",;:，；：、")
    # An article "A" and a plural "s" go with every noun.
    nouns = words.TITLE_WORDS["agent"].split() + words.TITLE_WORDS["thing"].split()
    assert not [noun for noun in nouns if re.search("^[AEIOU]|([^aeiou]y|s|sh|ch|x)$", noun)]


@pytest.mark.parametrize("class_", chinese._FORMS)
def test_no_chinese_ending_follows_on_stems_into_another(class_):
    # A name is two stems and an ending; one that is a part of another one would end with what ends the other's ending,
    # and its stems with what is left of that.
    *stems, endings = chinese._FORMS[class_]
    places = [{stem[place] for stem in chinese.stems(kind)} for kind in stems for place in (0, 1)]
    for one, other in permutations(endings, 2):
        assert not other.startswith(one)
        if other.endswith(one):
            rest = other.removesuffix(one)
            whole = [*places, *({character} for character in rest)]
            assert any(here.isdisjoint(there) for here, there in zip(places, whole[len(rest) :], strict=True))


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


WORLD = 62


class Drawn:
    """Counts the numbers that are drawn from each space, as a keyed permutation for names."""

    def __init__(self):
        self.counts, self.sizes = Counter(), {}

    def __call__(self, key, size, number, tweak):
        self.counts[key] += 1
        self.sizes[key] = size
        return number % size

    def shared(self):
        """The mean number of values that another key draws too."""
        return sum(count**2 / self.sizes[key] for key, count in self.counts.items() if "patterns" not in key)


def drawn(lang, class_):
    """What the names and aliases of a class are drawn from."""
    spaces = Drawn()
    if lang == "zh":
        names = chinese.ChineseNames(spaces)
        for number in range(WORLD * SIZES[class_] * 2):
            names.thing(class_, number // 2, number % 2)
        return spaces
    names, own = english.EnglishNames(spaces), WORLD * SIZES[class_] // SOUNDS
    for number in range(SOUNDS * (own + SIZES[class_]) * 2):
        names.thing(class_, number % SOUNDS, number // SOUNDS // 2, number // SOUNDS % 2)
    return spaces


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("class_", THINGS)
def test_two_worlds_share_no_name(lang, class_):
    assert drawn(lang, class_).shared() < (0.05 / 3 if class_ in TITLED else 0.05)
    found = [set(called(names, lang, class_, range(WORLD * SIZES[class_]))) for names in (world(1), world(2))]
    assert len(found[0] & found[1]) <= 1


def test_two_worlds_share_no_english_person_region_or_word():
    realms, women_or_men = WORLD / SOUNDS, ("male", "female")
    shared = regions = texts = 0.0
    for sound in range(SOUNDS):
        families = (word_space("surname", sound).shorts // english.SHARE - 1) * (english.SHARE - 1)
        firsts = sum((2 * FAMILY_SIZE / 2) ** 2 / word_space(name, sound).shorts for name in women_or_men)
        shared += (FAMILIES * realms) ** 2 / families * firsts / len(english.SECOND_GIVEN)
        regions += (REGIONS * realms) ** 2 / len(english.SECOND_GIVEN) / word_space("realm", sound).shorts
        # A hundred words of each of as many texts.
        texts += (100 * realms) ** 2 / word_space("coin", sound).shorts / len(english.all_words("coin"))
    assert max(shared, regions, texts) < 0.05
    # Of what is the same in every text.
    found = [
        {names.word("en", f"{text} place", number) for text in range(WORLD) for number in range(100)}
        | {names.region("en", number) for number in range(WORLD * REGIONS)}
        | {names.person("en", f"{text} head", number) for text in range(WORLD) for number in range(100)}
        for names in (world(1), world(2))
    ]
    assert len(found[0] & found[1]) <= 1


def test_two_worlds_share_few_chinese_persons_and_no_region_or_word():
    one, other = (
        set(chain.from_iterable(called(names, "zh", class_, range(WORLD * SIZES[class_])) for class_ in PERSONS))
        for names in (world(1), world(2))
    )
    assert 0 < len(one & other) < 0.01 * len(one)
    stems = len(chinese.stems("P"))
    regions = stems * len(characters.FORTUNATE) * len(characters.REGION.split())
    texts = stems**2 * len(characters.WORD.split())
    assert (WORLD * REGIONS) ** 2 / regions < 0.05 and (WORLD * 100) ** 2 / texts < 0.05


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
            wrong(lang, "boat", 10**12)
    assert names.word(lang, "boat", 10_000_000)
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
        "Nedwitz Vidlor Limited",
        "Minrand Celjud School",
        "Trattil Stel Covbell",
        "Pikmon Vak Fesunis",
        "Serezer Pir Fesunis",
        "Spanberi Zephyr G557",
        "Borgetti Reknal Court",
        "Great Frenunda Charvard",
        "Blerrode by Grosfen",
        "Tribatea cathurum",
        "Croramon klanuca",
        "Forty Days in Stilshire Nonleigh",
        "Letters to Berchell Jagthorn",
        "Not Far from Bridroon Proggren",
        "Tegneck Divjin & Sons",
        "Avmack Tadjul Lyceum",
        "Ogessa Dav Toglin",
        "Genora Kred Bromdart",
        "Filria Jas Bromdart",
        "Foncord Explorer M603",
        "Tilmill Kushkan Yard",
        "Lone Dusathan Wiljin",
        "Great Trabpath Hemwey",
        "Nesascus losunum",
        "Togolus grasidus",
        "The Last of the Masons in Komshaw Brunzaile",
        "The Forger and the Tram of Shinloor",
        "The Tram in the Snow at Civwaith Kerclave",
        "Fasullen",
        "Grar Lekunia",
        "Motrim Girjul",
        "Wiknel Zem Weltel",
        "Mitily Zem Weltel",
    ],
    "zh": [
        "昭星宝聚总厂",
        "正崇立达书院",
        "韩继忠",
        "孔鉴根",
        "孔少正",
        "含梅铭棋三号",
        "扶草染杉苑",
        "守琴吟汉间",
        "酒峡万岛口",
        "金打黑来道人",
        "翠边瓷洞灯",
        "万栏樟院的末代守夜人",
        "寄往千关锡岩的信",
        "竹岗那个陌生人的马鞍",
        "佳平地佳社",
        "汇治信兴讲习所",
        "吕格如",
        "段桐仪",
        "段依冬",
        "待紫迎萤十三号",
        "怀萍垂虹公馆",
        "饮月思锦国",
        "旗江低峡营",
        "扇守粗溜娘子",
        "苍田赤泉绒",
        "霜落雨窑狮岩",
        "去弓院清坑的路上",
        "蚕潭铁谷与罗盘",
        "傅",
        "锅牌捷府",
        "栗浦蓝陵湾",
        "马展柱",
        "马润乐",
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
    # Two worlds of 10,000 villages each share less than one in ten thousand.
    step = prose.VILLAGES[lang] // 20_000
    assert step > 10_000
    villages = [prose.village(lang, number) for number in (*range(5_000), *range(0, 20_000 * step, step))]
    assert len(set(villages)) == len(villages) - 1 and not begins_another(set(villages))
    assert prose.village(lang, prose.VILLAGES[lang] - 1)
    names = world()
    assert set(villages).isdisjoint(called(names, lang, "village", range(10_000)))
    draws = Draws(Stream("prose"))
    for female in (False, True):
        people = [prose.person(lang, number, female, draws) for number in range(0, prose.PEOPLE[lang], 7)]
        assert len({short for _, short in people}) == len({name for name, _ in people}) == len(people)
        known = chain.from_iterable(called(names, lang, class_, range(3_000)) for class_ in PERSONS)
        assert {name for name, _ in people}.isdisjoint(known)
    # Of a stream's some thousand landmarks hardly one is another stream's.
    places = [set(chain(*(prose.landmarks(lang, one) for _ in range(800)))) for one in (draws, Draws(Stream("other")))]
    assert len(places[0]) > 2_390 and len(places[0] & places[1]) <= 1 and places[0].isdisjoint(villages)
