"""Names of the invented world: unique, no name the beginning of another, no real words, pinned for ever."""

import csv
import gzip
import io
import json
import re
import unicodedata
import zipfile
from itertools import chain, pairwise, product
from urllib.parse import unquote

import pytest
from folders import CORPORA, ROOT

from carrara.stream import NumberPermutation, Stream
from carrara.world.names import names as names_module
from carrara.world.names import word_space as space_module
from carrara.world.names import words as material
from carrara.world.names.names import CHINESE_FAMILIES, FAMILY_CLASSES, FAMILY_SIZE, WorldNames
from carrara.world.names.word_space import word_space
from carrara.world.realm.schema import CLASSES, PERSONS

LANGS = ("en", "zh")
SETS = tuple(material.ENDINGS)
THINGS = tuple(class_ for class_ in CLASSES if class_ not in PERSONS)
TEXT = ROOT / "builders" / "carrara" / "world" / "text"
RESERVED = set(material.FIRST_CHARACTERS + material.OTHER_CHARACTERS)
# In thousands, of a million.
WEIGHTS = dict(
    zip(
        (
            "artist", "athlete", "office_holder", "company", "educational_institution", "mean_of_transportation",
            "building", "natural_place", "village", "animal", "plant", "album", "film", "written_work",
        ),
        (96, 72, 72, 80, 50, 60, 60, 60, 80, 60, 60, 80, 80, 90),
        strict=True,
    )
)  # fmt: skip
OBSCENE = """
    fuck fuk shit cunt cock dick tit ass anus anal arse cum fag nig negr rape sex slut twat wank piss poo crap penis
    vagin bitch whore nazi porn gay kike spic dago coon puta turd tard boob semen sperm hitler butt suck muff pubi
    rectum jap paki yid wop slag hoe milf orgy skank spunk damn kill murd
"""
ADJECTIVES, NOUNS = material.ADJECTIVES.split(), material.NOUNS.split()
corpora = pytest.mark.skipif(not CORPORA.is_dir(), reason="no folder of real sources: set CARRARA_SOURCES")


def world(seed=1):
    return WorldNames(Stream("names test", seed))


def people(lang, numbers, names=None):
    """All names of the first `numbers[class]` persons: both genders and aliases (of every fourth) in Latin script."""
    names = names or world()
    for class_ in PERSONS:
        for number in range(numbers[class_]):
            female = number % 3 == 0
            yield names.name(lang, class_, number, female=female)
            if number % 4 == 0:
                yield names.alias(lang, class_, number, female=female)
                if lang == "en":
                    yield names.name(lang, class_, number, female=not female)
                    yield names.alias(lang, class_, number, female=not female)


def things(lang, class_, count, names=None):
    names = names or world()
    yield from (names.name(lang, class_, number) for number in range(count))
    yield from (names.alias(lang, class_, number) for number in range(0, count, 4))


def assert_no_beginnings(found):
    ordered = sorted(found)
    # A name that begins others stands right before one that it begins; equal names begin each other.
    bad = [(one, other) for one, other in pairwise(ordered) if other.startswith(one)]
    assert not bad, bad[:5]
    return len(ordered)


# --- uniqueness -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.repeat
def test_no_name_of_a_person_begins_another(lang):
    count = dict.fromkeys(PERSONS, 20_000)
    assert assert_no_beginnings(people(lang, count)) == 60_000 + (3 if lang == "en" else 1) * 15_000


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("class_", THINGS)
@pytest.mark.repeat
def test_no_name_of_a_class_begins_another(lang, class_):
    assert assert_no_beginnings(things(lang, class_, 20_000)) == 25_000


@pytest.mark.parametrize("lang", LANGS)
def test_no_two_classes_share_a_name(lang):
    found = [*people(lang, dict.fromkeys(PERSONS, 1_000)), *chain(*(things(lang, one, 1_000) for one in THINGS))]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("lang", LANGS)
def test_far_numbers(lang):
    far = {"artist": 8 * CHINESE_FAMILIES, "athlete": 6 * CHINESE_FAMILIES, "office_holder": 6 * CHINESE_FAMILIES}
    names = world()
    for class_ in CLASSES:
        end = far.get(class_, 1_000_000_000)
        found = [names.name(lang, class_, end - 1 - one) for one in range(2_000)]
        found += [names.alias(lang, class_, end - 1 - one) for one in range(2_000)]
        assert len(set(found)) == 4_000


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("class_", ["person", *THINGS])
def test_ten_million_names(lang, class_):
    if class_ == "person":
        count = {one: 10_000 * WEIGHTS[one] for one in PERSONS}
        assert assert_no_beginnings(people(lang, count)) >= 2_400_000
    else:
        assert assert_no_beginnings(things(lang, class_, 10_000 * WEIGHTS[class_])) >= 10_000 * WEIGHTS[class_]


def test_ten_million_are_ten_million():
    assert sum(WEIGHTS.values()) == 1_000 and set(WEIGHTS) == set(CLASSES)


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.repeat
def test_other_names_are_unique_in_their_kind(lang):
    names, count = world(), 20_000
    for kind in (
        lambda number: names.word(lang, "boat", number),
        lambda number: names.person(lang, "story", number),
        lambda number: names.region(lang, number),
        lambda number: names.realm(lang, number),
    ):
        assert assert_no_beginnings(kind(number) for number in range(count)) == count
    lands = {names.region(lang, number) for number in range(count)} | {
        names.realm(lang, number) for number in range(count)
    }
    assert len(lands) == 2 * count
    assert names.word(lang, "boat", 0) != names.word(lang, "horse", 0)
    assert names.person(lang, "story", 0) != names.person(lang, "fable", 0)


def test_chinese_two_character_names_fill_their_space():
    names = world()
    found = {names.region("zh", number) for number in range(119_320)}
    assert len(found) == 119_320 and {len(one) for one in found} == {2}
    assert {names.realm("zh", number) for number in range(50)} <= found


@pytest.mark.parametrize("lang", LANGS)
def test_further_persons_are_none_of_the_classes(lang):
    names = world()
    further = {names.person(lang, "story", number) for number in range(10_000)}
    assert further.isdisjoint(people(lang, dict.fromkeys(PERSONS, 10_000)))


# --- the words and forms from which the law of beginnings follows ----------------------------------------------------


def begins_another(words):
    return [(one, other) for one, other in pairwise(sorted(words)) if other.startswith(one)]


def test_endings_and_nouns_begin_no_other():
    endings = [ending for each in material.ENDINGS.values() for ending in each.split()]
    assert not begins_another(endings) and len(set(endings)) == len(endings)
    assert not begins_another(NOUNS)
    assert len(NOUNS) >= 400 and len(ADJECTIVES) >= 300
    assert len(set(ADJECTIVES)) == len(ADJECTIVES)


def test_parts_alternate_between_vowels_and_consonants():
    vowels, consonants = set("aeiou"), set("bdfghjklmnprstvwz")
    for parts in (material.VOWELS, material.SHORT_VOWELS, material.LONG_VOWELS):
        assert all(set(part) <= vowels for part in parts.split())
    for parts in (
        material.INNER, material.LAST, material.LONG_INNER, material.LONG_LAST, material.ONSETS, material.LONG_ONSETS
    ):  # fmt: skip
        assert all(set(part) <= consonants for part in parts.split())
    assert all(ending[0] in vowels for each in material.ENDINGS.values() for ending in each.split())
    assert set(material.ONSETS.split()).isdisjoint(material.LONG_ONSETS.split())


def title_words(form):
    return form.replace("{adjective}", "*").replace("{noun}", "*").split()


def test_no_title_form_begins_another_or_equals_it_without_articles():
    assert len({form.replace("The ", "").lower().replace("the ", "") for form in material.TITLES}) == len(
        material.TITLES
    )
    for one, other in product(material.TITLES, repeat=2):
        if one == other:
            continue
        pairs = list(zip(title_words(one), title_words(other), strict=False))
        # Before the shorter one ends: two fixed words that differ, or an invented word against an English one.
        assert any(a != b and ("*" not in (a, b) or "{w}" in (a, b)) for a, b in pairs), (one, other)


def test_forms_hold_two_words_in_order():
    for form in (*material.COMPANY, *material.SCHOOL, *material.BUILDING, *material.VEHICLE, *material.VILLAGE):
        parts = form.split()
        assert parts.count("{a}") == parts.count("{b}") == 1 and parts.index("{a}") < parts.index("{b}")


def halves(name):
    """All first and second halves of the words of a set, small letters: every word is one of each, of one shape."""
    words = word_space(name)
    return [
        ([one.lower() for one in heads], [one.lower() for one in tails])
        for heads, tails in ((words._heads, words._tails), (words._long_heads, words._long_tails))
    ]


def spelled(name, candidates):
    """Those of the candidates that are words of the set, or would be without its holes."""
    sets = [(set(heads), set(tails)) for heads, tails in halves(name)]
    return {
        word
        for word in candidates
        if any(word[:cut] in heads and word[cut:] in tails for heads, tails in sets for cut in range(1, len(word)))
    }


def test_no_invented_word_begins_an_english_word_of_a_name():
    forms = (*material.TITLES, *material.COMPANY, *material.SCHOOL, *material.BUILDING, *material.VILLAGE)
    english = {*NOUNS, *ADJECTIVES, *re.findall("[a-z]+", " ".join(forms).lower())}
    parts = {word[:end] for word in english for end in range(1, len(word) + 1)}
    for name in SETS:
        assert not spelled(name, parts)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.repeat
def test_a_set_holds_enough_words_all_different(name):
    words = word_space(name)
    assert words.size >= 4_000_000
    for heads, tails in halves(name):
        assert len(set(heads)) == len(heads) and len(set(tails)) == len(tails)
    sample = [words[number] for number in range(0, words.size, 29)]
    assert len(set(sample)) == len(sample)
    assert {len(word) for word in sample} <= set(range(5, 13))
    assert all(word.isascii() and word.isalpha() for word in sample)
    with pytest.raises(IndexError):
        words[words.size + 1_000]


def test_spaces_of_latin_names_are_large():
    given, surnames = min(word_space("male").size, word_space("female").size), word_space("surname").size // 3
    assert given * surnames >= 10**13
    assert word_space("firm").size ** 2 >= 10**13 and word_space("place").size ** 2 >= 10**13
    assert word_space("genus").size * word_space("epithet").size >= 10**13
    titles = len(material.TITLES) * len(ADJECTIVES) * len(NOUNS) * word_space("title").size
    assert titles >= 10**13


def test_holes_are_cut_and_nothing_else(monkeypatch):
    real = frozenset((TEXT / "en" / "real_words.txt").read_text("utf-8").split())
    for name in SETS:
        whole = space_module.WordSpace(name, frozenset())
        holes = spelled(name, real)
        assert whole.size - word_space(name).size == len(holes)
        moved = word_space(name)._moved
        assert {whole[number].lower() for number in moved} <= holes
        assert len(set(moved.values())) == len(moved)
        spare = range(word_space(name).size, whole.size)
        assert set(moved.values()) == {number for number in spare if whole[number].lower() not in holes}
    assert real == set().union(*(spelled(name, real) for name in SETS))


def can_spell(slots, wanted):
    """Whether one of each slot, joined, can hold `wanted`: a walk over how much of it may have been spelled."""
    reached = {0}
    for slot in slots:
        after = set()
        for part, start in product(slot, reached):
            spelling = {start, 0}
            for letter in part:
                spelling = {
                    one if one == len(wanted) else one + 1
                    for one in spelling
                    if one == len(wanted) or wanted[one] == letter
                } | {0}
            after |= spelling
        reached = after
    return len(wanted) in reached


@pytest.mark.parametrize("name", SETS)
def test_no_word_can_hold_an_obscenity(name):
    vowels, inner = material.LONG_VOWELS.split(), material.LONG_INNER.split()
    endings, short_vowels = material.ENDINGS[name].split(), material.SHORT_VOWELS.split()
    short = (
        material.ONSETS.split(), material.VOWELS.split(), material.INNER.split(), short_vowels, material.LAST.split(),
        endings,
    )  # fmt: skip
    onsets = ["", *material.LONG_ONSETS.split()]
    long = (onsets, short_vowels, inner, vowels, material.LONG_LAST.split(), vowels, inner, endings)
    assert can_spell(short, "branda") and can_spell(long, "lamelo") and not can_spell(short, "mm")
    assert [word for word in OBSCENE.split() if can_spell(short, word) or can_spell(long, word)] == []


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
    words = real_words()
    assert len(words) > 300_000
    cut = frozenset((TEXT / "en" / "real_words.txt").read_text("utf-8").split())
    for name in SETS:
        endings = tuple(material.ENDINGS[name].split())
        assert spelled(name, {word for word in words if word.endswith(endings) and len(word) < 14}) <= cut


# --- persons ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lang", LANGS)
def test_families(lang):
    names = world()
    assert sum(FAMILY_CLASSES.values()) == FAMILY_SIZE
    aliases = set()
    for family in range(200):
        members = [(class_, family * per + place) for class_, per in FAMILY_CLASSES.items() for place in range(per)]
        for female in (False, True):
            found = [names.name(lang, class_, number, female=female) for class_, number in members]
            aliases |= {names.alias(lang, class_, number, female=female) for class_, number in members}
            if lang == "zh":
                assert {one[0] for one in found} == {names.surname(lang, family)}
                given = [one[1:] for one in found]
            else:
                assert {one.split()[1] for one in found} == {names.surname(lang, family)}
                given = [one.split()[0] for one in found]
            assert len(set(given)) == FAMILY_SIZE
    if lang == "en":
        surnames = {names.surname("en", family) for family in range(50_000)}
        assert len(surnames) == 50_000
        assert surnames.isdisjoint(one.split()[1] for one in aliases)
        assert surnames.isdisjoint(names.person("en", "story", number).split()[1] for number in range(5_000))


def test_given_names_tell_the_gender():
    names = world()
    endings = {female: tuple(material.ENDINGS["female" if female else "male"].split()) for female in (False, True)}
    for female in (False, True):
        for number in range(500):
            for found in (
                names.name("en", "athlete", number, female=female),
                names.alias("en", "artist", number, female=female),
                names.person("en", "story", number, female=female),
            ):
                given = found.split()[0]
                assert given.endswith(endings[female]) and not given.endswith(endings[not female])
    assert names.name("zh", "artist", 5) == names.name("zh", "artist", 5, female=True)
    assert names.name("en", "village", 5) == names.name("en", "village", 5, female=True)


# --- Chinese ----------------------------------------------------------------------------------------------------------


def test_characters_are_reserved_by_place():
    first, other = material.FIRST_CHARACTERS, material.OTHER_CHARACTERS
    assert (len(first), len(other), len(RESERVED)) == (190, 439, 629)
    names = world()
    for found in people("zh", dict.fromkeys(PERSONS, 2_000)):
        assert len(found) == 3 and found[0] in first and set(found[1:]) <= set(other) and found[1] != found[2]
    for class_ in THINGS:
        assert all(len(found) == 4 and set(found) <= set(other) for found in things("zh", class_, 500))
    for number in range(2_000):
        found = names.word("zh", "boat", number)
        assert len(found) == 2 and found[1] in first and found[0] in RESERVED and found[0] != found[1]
        assert set(names.person("zh", "story", number)[1:]) <= set(other)


@pytest.mark.parametrize("path", sorted((TEXT / "zh").glob("*.txt")), ids=lambda path: path.stem)
def test_no_chinese_wording_uses_a_character_of_names(path):
    assert sorted(RESERVED & set(path.read_text("utf-8"))) == []


@corpora
@pytest.mark.corpora
def test_no_chinese_person_is_real():
    real = set(read("names-zh/ancient_names_every5th.txt.gz").split()[2:])
    real |= set(json.loads(read("needlebench/names.json.gz"))["Chinese"])
    assert len(real) > 50_000
    assert not [name for name in real if name[0] in material.FIRST_CHARACTERS]
    assert real.isdisjoint(people("zh", dict.fromkeys(PERSONS, 53_400)))


# --- worlds, limits, pins ---------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize("class_", CLASSES)
def test_two_worlds_share_next_to_no_name(lang, class_):
    found = [{names.name(lang, class_, number) for number in range(100_000)} for names in (world(1), world(2))]
    shared = len(found[0] & found[1])
    # Of 37 billion Chinese names of four characters 0.27 are expected to be shared, of the persons' 37 million 0.3 %.
    assert shared <= (0 if lang == "en" else 1_000 if class_ in PERSONS else 5)


def test_names_do_not_depend_on_the_order_of_asking():
    one, other = world(), world()
    asked = [(lang, class_, number) for lang in LANGS for class_ in CLASSES for number in (0, 17, 40_000)]
    found = {key: one.name(*key, female=True) for key in asked}
    assert {key: other.name(*key, female=True) for key in reversed(asked)} == found
    other.word("en", "boat", 3)
    # More purposes than are kept at hand.
    far = [other.word("en", f"boat {number}", 3) for number in range(1_500)]
    assert [other.word("en", f"boat {number}", 3) for number in range(1_500)] == far
    assert {key: other.name(*key, female=True) for key in asked} == found


def test_limits():
    names = world()
    assert CHINESE_FAMILIES == 475_000 >= 450_000
    assert len(names.name("zh", "artist", 8 * CHINESE_FAMILIES - 1)) == 3
    with pytest.raises(ValueError, match="474999"):
        names.name("zh", "artist", 8 * CHINESE_FAMILIES)
    with pytest.raises(ValueError, match="474999"):
        names.alias("zh", "athlete", 6 * CHINESE_FAMILIES)
    families = word_space("surname").size // 3
    assert f"{families:,}" in names_module.__doc__
    names.name("en", "athlete", 6 * families - 1)
    for wrong in (names.name, names.alias):
        with pytest.raises(ValueError, match=f"0 to {families - 1}"):
            wrong("en", "athlete", 6 * families)
        for class_ in ("artist", "village"):
            with pytest.raises(ValueError, match="numbered from 0"):
                wrong("en", class_, -1)
    for wrong in (names.region, names.realm):
        for number in (-1, 119_320):
            with pytest.raises(ValueError, match="119319"):
                wrong("zh", number)
    with pytest.raises(ValueError, match="119319"):
        names.word("zh", "boat", 119_320)


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
        "Momalikubal Peimobulen Works",
        "University of Bruvrodorde Hubroboxor",
        "Thelkenund Jombijiver",
        "Muridodaric Paigredisk",
        "Esidatorn Paigredisk",
        "Vailkivoyne Frizduzoste",
        "Skombezoste and Ovavisoyne House",
        "Beindulegar Galvidarra",
        "Little Thosmomarra near Nedemiselow",
        "Klaldubopsis loridivilis",
        "Frauziropsis rovovadivora",
        "Madimasarin Without the Feathered Oracle",
        "Krobruzumir Under the Whispering Platform",
        "Ovaderanor and the Broken Statue",
        "Geltaroste Radorilubal Enterprises",
        "Reridotevin Zuvejevin Academy",
        "Lakedoteska Lovobolarow",
        "Likorevora Drelmajisk",
        "Grolojinde Drultejiver",
        "Pasmevoril Mulidalinox T5",
        "Vauntidoyne Nutirakomun Rooms",
        "Gindefunst Glelibarra",
        "Dumidosk near Smuldusunst",
        "Jalmafidium beilkelarius",
        "Jivebema rolabamifera",
        "My Fervent Carriage from Overosewen",
        "Nilodedulon Under the Mournful Weaver",
        "Rumabovador Without the Lucky Laughter",
        "Lekemotowan",
        "Niroritavia",
        "Drogresenia",
        "Aralakewol",
        "Rimidakask Rokibisiver",
        "Mudebasume Ovabidombe",
    ],
    "zh": [
        "嵩徉耦隰",
        "檗茴篁浼",
        "纾翊辇",
        "玺穰闵",
        "玺珩靓",
        "酃逵雎轶",
        "鄱沣聆铎",
        "璋谡洮蹁",
        "牖瀚邈猃",
        "皎洌峒洌",
        "斐徉邰茗",
        "佾楠喟抟",
        "韫沣桫莛",
        "舸徕偕菡",
        "枳愫婀璋",
        "洌茴庥酡",
        "皓簌俪",
        "娈娆稔",
        "娈谖愠",
        "逵暌陂疃",
        "愠欤邃琬",
        "妲栲嫘瀚",
        "嵬谡旖栲",
        "筠睇嵬璐",
        "潆琏粼珏",
        "芩樵妩泠",
        "阙倜幔煦",
        "楠镝鄞慊",
        "笃",
        "邰荪",
        "霭柁",
        "雒娈",
        "桦欤酃",
        "桦欤酃",
    ],
}


@pytest.mark.parametrize("lang", LANGS)
def test_golden_names(lang):
    names = world()
    found = [names.name(lang, class_, 12_345) for class_ in CLASSES]
    found += [names.alias(lang, class_, 7, female=True) for class_ in CLASSES]
    found += [names.surname(lang, 3), names.region(lang, 0), names.realm(lang, 0), names.word(lang, "boat", 4)]
    found += [names.person(lang, "story", 5), names.person(lang, "story", 5, female=True)]
    assert found == GOLDEN[lang]
