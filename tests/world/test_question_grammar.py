"""Every question parses by a small grammar that knows no wordings, whatever stands in its gap.

In a wording the gap becomes one word: a name, or a phrase. As a phrase with a phrase in its gap parses as a phrase, the
question of any path of relations parses. That all of it asks for the right kind of thing is seen by its question word.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest

from carrara.stream import Draws, Stream
from carrara.task import Lang
from carrara.world.chains import english
from carrara.world.encyclopedia import Encyclopedia
from carrara.world.language.class_texts import ClassText, class_text
from carrara.world.language.grammar import Person, Phrase, Speller
from carrara.world.questions import WorldQuestions
from carrara.world.realm.realm import Reference
from carrara.world.realm.schema import CLASSES, PERSONS, RELATIONS, EntityClass

LANGS: tuple[Lang, ...] = ("en", "zh")
NAME, PHRASE = "Nnn", "Ppp"

# --- English ----------------------------------------------------------------------------------------------------------

# N noun, A adjective, P preposition, T transitive and I intransitive verb, TL and IL their infinitives, R participle.
WORDS = {
    "N": """adaptation age album albums alma animal animals architect area artist artists athlete author award base
        birth birthplace book books branches brood budget building buildings business capital centimetres chapters
        child children cinemas class coach college colleges colour colours companies company competing competition
        completion copies cost country date day death debut dedicatee dedication departure description designer
        director discoverer distance document elevation emblem employees end examples executive exhibition father
        festival film filming films flower flowers food foundation founder fruit genre grams group habitat head
        headquarters height home hour houses industry inhabitants institution instrument introduction kilometres
        kind label labels landform lead learning length lessons level lifespan line litter living location man
        manufacturer marks marriage mater material mayor member members mention metres minutes model month mother
        music name names natives number office owner pages parent part party people performer period person petals
        place places plans plant plants population power predecessor presentation print producer product profession
        property protection public publication publisher pupil pupils record recording region release residence
        restoration retirement revenue rock role rooms school schools screenplay screenwriter sea seat seeds sequel
        service setting site sort source speciality speed sport spouse star start student students studio style
        subject subsidiaries subsidiary successor survey surveyor swearing-in teacher teachers term time title
        titles tracks turnover twin type units use vehicle vehicles village visitors wedding weight withdrawal woman
        work writer writing year years young""",
    "A": """active alma annual artistic birth chief closest earlier far fast festival film first flower flowering food
        former founding head heavy high highest home large last lead leading literary long main many million musical
        natural nearest official other parent playing political public publication record release running special
        square tall thousand top total twin two typical usual vehicle wedding written yearly""",
    "P": """about above after as at before behind by during for from in into of on over since to under with
""",
    "T": """attend attended built coached contains continues designed directed discovered drew drives eats followed
        founded had has have heads houses includes issued leads made marked married owns performed played plays
        preceded presented produced published replaced saw starred succeeded supplies surveyed taught underlies visit
        won wrote""",
    "I": "came come comes feeds grow grows lies live lived lives serves stand stands work",
    "TL": """attend build continue cover design direct discover employ enter exhibit follow found have hold issue
        leave make marry perform play practise present produce publish reach receive replace run sell serve show survey
        take teach undergo use weigh win write""",
    "IL": """appear belong come compete consist die exhibit feed flower grow last lie live marry retire run serve
        specialise stand weigh work""",
    "R": """adapted attended based born built called classed coached completed continued dedicated described
        designed directed discovered divided driven eaten educated employed enrolled finished followed formed found
        founded given governed headed heard held honoured housed inhabited introduced issued joined known led
        located made manufactured married mentioned named owned performed placed planned played practised produced
        protected published put recorded released replaced restored run served set shot shown sold spent stationed
        succeeded surveyed sworn taken taught trained twinned used withdrawn won written""",
    "B": "was were is are",
    "D": "did does do",
}
# Alternatives of sequences. `gap` is a name or a phrase; a word that has no rule and is of no kind stands for itself.
GRAMMAR = {
    # What is asked for as the subject; then as an object, behind a preposition, as a measure.
    "S": "Q VP | what NOM VP | AMOUNT B NP | FRONT B SUBJ PRED | FRONT has SUBJ been R | FRONT D SUBJ IV"
    " | FRONT B SUBJ | Q D SUBJ TV | Q D SUBJ TV PP | at most HOW D SUBJ TV | Q B SUBJ R P | what else B SUBJ R"
    " | AMOUNT B SUBJ PP | AMOUNT D SUBJ IL | HOW D SUBJ cost | HOW D SUBJ cost to build",
    "Q": "who | whom | what | WHICH | HOW",
    "WHICH": "which NOM and NOM | which NOM | what NOM | which NOM PP | what NOM PP | which NOM or N",
    "HOW": "how many NOM | how many NOM PP | how many NOM a N",
    "AMOUNT": "how A | how A PP | how A from NP , PP , | how A PP , at most , | how many NOM PP | how many NOM A"
    " | how many NOM",
    "FRONT": "P whom | P which NOM | P what | P WHICH | P HOW | with a N P HOW | P which company’s N",
    "VP": "T NP | T NP as NP | B NP and NOM PP | B NP whose N B NP | T NP PP | T NP go PP | takes in NP"
    " | B NP | B BE | B R as NP | B there PP | I PP | I just PP | I A PP"
    " | T its NOM PP | I before its sequel , NP",
    "BE": "R | R up PP | R PP | R PP PP | A | A PP | PP",
    "PRED": "BE | NP | R up | R out PP | best R PP | first R | first R PP | best R",
    "IV": "IL | IL PP | IL PP PP | TV NP | TV NP PP | TV NP PP PP | first TV NP PP"
    " | come out | get R | first IL | give up NP | give up N",
    "TV": "TL | take in",
    "SUBJ": "gap | the NOM | the NOM gap | the village of gap | the NOM P SUBJ | a N P SUBJ | one N or N of SUBJ",
    "NP": "gap | the NOM gap | the village of gap | DET NOM | DET NOM MOD | NOM | NOM MOD | the NOM or NOM MOD",
    "DET": "the | a | an | its | their | all the",
    "MOD": "PP | PP PP | R PP | R as NP | A PP | just PP | that VP | who VP | whose NOM B NP | starring NP"
    " | brought in to replace NP | R up PP | P whom SUBJ B R | P whom SUBJ B R PP"
    " | where SUBJ CLAUSE | that SUBJ T1 | P which SUBJ CLAUSE | P whose N SUBJ appeared",
    "CLAUSE": "B R | B NP | belongs | feeds | grows | has NP | lived | lives | stands",
    "T1": "followed | replaced",
    "PP": "P NP | in all | P building NP | a year | an hour",
    "NOM": "N | A NOM | N NOM | N or N",
}
RULES = {head: [each.split() for each in rules.split(" | ")] for head, rules in GRAMMAR.items()}
KINDS = {
    word: frozenset(kind for kind, words in WORDS.items() if word in words.split())
    for words in WORDS.values()
    for word in words.split()
}


def parses(text: str, head: str) -> bool:
    """Whether an English text is a `head` of the grammar."""
    words = tuple(re.findall(r"[\w’-]+|,", text.removesuffix("?")))
    words = tuple(word if word in (NAME, PHRASE) else word.lower() for word in words)

    @cache
    def ends(symbol: str, at: int) -> frozenset[int]:
        if symbol in RULES:
            return frozenset(end for rule in RULES[symbol] for end in through(rule, at))
        if at == len(words):
            return frozenset()
        fits = (
            words[at] in (NAME, PHRASE)
            if symbol == "gap"
            else symbol == words[at] or symbol in KINDS.get(words[at], ())
        )
        return frozenset((at + 1,)) if fits else frozenset()

    def through(rule: list[str], at: int) -> set[int]:
        places = {at}
        for symbol in rule:
            places = {end for place in places for end in ends(symbol, place)}
        return places

    return len(words) in ends(head, 0)


def spelled(phrases: tuple[Phrase, ...], gap: str) -> Iterator[str]:
    """Every wording with a word in its gap."""
    for phrase in phrases:
        yield Speller(Draws(Stream("grammar")), Person(gap), {}).phrase(phrase)[0]


def gapped(text: ClassText, section: str) -> Iterator[tuple[str, str, str]]:
    """Every wording of a section: its relation, what is in its gap, the text."""
    for relation, wordings in (text.questions if section == "questions" else text.phrases).items():
        for gap, phrases in ((NAME, wordings.of_name), (PHRASE, wordings.of_phrase)):
            for wording in spelled(phrases, gap):
                yield relation, gap, wording


@pytest.mark.parametrize("class_", CLASSES)
def test_english_wordings_parse_and_have_a_phrase_at_their_end(class_: EntityClass):
    text = class_text("en", class_)
    for section, head in (("questions", "S"), ("phrases", "NP")):
        for relation, gap, wording in gapped(text, section):
            assert parses(wording, head), (relation, wording)
            assert gap == NAME or wording.removesuffix("?").endswith(f" {PHRASE}"), (relation, wording)
            assert head == "S" or wording.startswith("the "), (relation, wording)
    for relation, wordings in text.inverses.items():
        assert all(parses(each, "S") for each in spelled(wordings, NAME)), relation


@pytest.mark.parametrize(
    "wrong",
    [
        "Whose child was Ppp on the father’s side?",
        "In which village was the person whose pupil Nnn born?",
        "Which book came before Ppp, its sequel?",
        "To which group of animals does belong Nnn?",
        "What is the of Nnn?",
        "Who was by Nnn directed?",
        "Who was Nnn born?",
        "Which of the films Nnn?",
    ],
)
def test_the_grammar_is_no_net_without_meshes(wrong):
    assert not parses(wrong, "S")


@pytest.mark.parametrize("relation", english.WORDINGS)
def test_wordings_of_chains_parse(relation: str):
    for section, wordings in english.WORDINGS[relation].items():
        for wording in wordings if section != "facts" else ():
            assert parses(wording.format(x=NAME), "S" if "asked" in section else "NP"), wording


# --- Chinese ----------------------------------------------------------------------------------------------------------

GAP = rf"(?:{NAME}|{PHRASE})"
CALLED = rf"(?:公司|学校|交通工具|建筑|自然地点|村庄|动物|植物|专辑|电影)?{NAME}(?:一书)?"
# A thing and what it is to the gap, what is done to it, or where it is.
CHINESE_PHRASE = re.compile(
    rf"(?:{CALLED}|{PHRASE})(?:的|(?:(?:总部|出生地|居住地)?所在|出生|居住|就读|隶属|坐落|所任公职|用作背景|取代|取食|所吃|所改编"
    rf"|所接续|题献给|栖息|生长)的)\w+"
    rf"|离(?:{CALLED}|{PHRASE})最近的村庄"
    rf"|(?:创办|制造|设计|拥有|表演|发行|录制|执导|主演|出品|拍摄|撰写|出版|勘测|首次描述|执教){CALLED}的(?:人|公司|村庄)"
    rf"|(?:担任|用作|作为|接替|收|与|以){CALLED}(?:\w{{2,3}}|为\w{{1,2}}|任职|结为\w{{2,3}})的(?:人|村庄|建筑|书|电影)"
)
ASKED = "谁|何人|哪年哪月哪日|哪|什么|多少"


@pytest.mark.parametrize("class_", CLASSES)
def test_chinese_wordings_have_a_phrase_at_their_beginning_and_ask_once(class_: EntityClass):
    text = class_text("zh", class_)
    for relation, gap, question in gapped(text, "questions"):
        assert gap == NAME or re.match(f"离?{PHRASE}", question), (relation, question)
        assert len(re.findall(ASKED, question)) == 1 and question.endswith("？"), (relation, question)
        # What it is called stands beside a name only.
        assert re.search(CALLED if gap == NAME else PHRASE, question), (relation, question)
    for relation, gap, phrase in gapped(text, "phrases"):
        assert CHINESE_PHRASE.fullmatch(phrase), (relation, phrase)
        assert gap == NAME or re.match(f"离?{PHRASE}", phrase), (relation, phrase)


# --- both -------------------------------------------------------------------------------------------------------------

# What a question for a value must say, and what the head of a phrase for it may be.
PERSON = (r"who\b|whom\b|person|man\b|woman|artist|architect|teacher|name of", "谁|何人|哪一位|什么名字")
OF_KIND = {
    **dict.fromkeys(PERSONS, PERSON),
    "village": (
        "village|birthplace|residence|home base|setting|seat|place of|location|site",
        "哪个村庄|村庄是哪个|村叫什么",
    ),
    "company": ("company|studio|owner|publisher|manufacturer|label", "哪家公司|哪一家|公司叫什么|商叫什么|者叫什么"),
    "educational_institution": ("school|institution|alma mater", "哪所学校"),
    "building": ("building", "哪座建筑|主楼叫什么"),
    "natural_place": ("natural place|habitat", "哪个自然地点|哪里"),
    "plant": ("plant", "什么植物|哪种植物"),
    "album": ("album", "哪张专辑|专辑是哪一张"),
    "film": ("film", "哪部电影"),
    "written_work": ("book", "哪本书|原著叫什么"),
    "mean_of_transportation": ("vehicle|model|predecessor", "哪个型号"),
    "year": ("year", "哪一年"),
    "date": ("date|day", "哪一天|哪年哪月哪日"),
    "number": (
        r"how\b|number|length|height|weight|lifespan|area|elevation|distance|population|cost|budget|speed|age"
        "|playing time|running time|revenue|turnover",
        "多少",
    ),
    "place": ("region", "哪个地区|地区是哪里"),
}
HEADS = {
    **dict.fromkeys(
        PERSONS,
        (
            "person|artist|father|mother|spouse|teacher|coach|successor|founder|chief executive|head|designer|architect"
            "|surveyor|mayor|discoverer|performer|producer|director|screenwriter|star|author|dedicatee",
            "人|者|师|长|总经理|编剧|导演|主演|教练|父亲|母亲|配偶|对象",
        ),
    ),
    "village": ("village|birthplace|place of|seat|location|home base|setting|twin village", "村庄|村|地"),
    "company": ("company|owner|manufacturer|studio|label|publisher|parent company|record company", "公司|商|者|业主"),
    "educational_institution": ("school|alma mater|place where", "母校|学校"),
    "building": ("building|main building", "主楼|建筑"),
    "natural_place": ("natural place|habitat", "地点|栖息地|产地"),
    "plant": ("plant|food plant", "植物"),
    "album": ("album", "前作|专辑"),
    "film": ("film", "电影"),
    "written_work": ("book", "书|原著"),
    "mean_of_transportation": ("model|vehicle|predecessor", "型号|前身"),
}


@pytest.mark.parametrize("class_", CLASSES)
@pytest.mark.parametrize("lang", LANGS)
def test_wordings_ask_for_and_call_the_right_kind_of_thing(lang: Lang, class_: EntityClass):
    text = class_text(lang, class_)
    of = {relation.name: (relation.targets or (relation.kind,))[0] for relation in RELATIONS[class_]}
    for relation, gap, question in gapped(text, "questions"):
        if of[relation] in OF_KIND:
            rest = question.replace(gap, "").lower()
            assert re.search(OF_KIND[of[relation]][lang == "zh"], rest), (relation, question)
    for relation, _, phrase in gapped(text, "phrases"):
        head = HEADS[of[relation]][lang == "zh"]
        found = re.match(rf"the (?:{head})\b", phrase) if lang == "en" else re.search(f"(?:{head})$", phrase)
        assert found, (relation, phrase)


@pytest.mark.parametrize("lang", LANGS)
def test_questions_over_many_relations_parse(lang: Lang):
    questions = WorldQuestions(Encyclopedia(Stream("test", "questions")), lang)
    for question in islice(questions.of("bridge", range(1), 60), 60):
        start = question.evidence[0].passage.partition("/")[0]
        title = questions.encyclopedia.title(lang, Reference.parse(start))
        gapless = question.text.replace(title, NAME)
        if lang == "en":
            assert gapless.count(NAME) == 1 and parses(gapless, "S"), question.text
        else:
            # A long question draws breath behind the second relation.
            assert ("，" in gapless) == (question.hops > 3), question.text
            assert len(re.findall(ASKED, gapless)) == 1, question.text
