"""Statements in bulk: the people of groups and their names, the texts of groups, and endless other families as filler.

Every draw is a column: statement i of a key takes word i of the streams for wording, side and order; person p takes
word p of the stream for the sex. So statement i does not depend on the others, and a shorter row's statements are
among a longer row's.

A name is an index under a keyed permutation of the whole space, so person j does not depend on the persons before.
Every item has `BLOCK` indices of its own as far as the space reaches (8,000 items in English, 500 in Chinese; then the
blocks repeat), so other items share no full name. No name is a prefix of another. English: a given name and a surname;
the parts of a surname alternate between consonants and vowels, so it splits in only one way, and no surname ending is
a prefix of another. Chinese: every name has three characters, none of which occurs in a statement's wording.
Must not change: statement i of a key, group j of the filler, name j of a stream.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import product
from math import lcm
from typing import Final

import numpy as np
from numpy.typing import NDArray

from carrara.stream import Permutation, Stream
from carrara.task import Budget, Lang
from carrara.tasks.needlebench.ancestral_trace.prompt import BETWEEN, CALLED, ELDER, PARENT, STATEMENTS, YOUNGER
from carrara.tasks.needlebench.ancestral_trace.structures import LINES, Structure

# More people than a row of a million tokens has. The spaces stay just below 2^30 and 2^26, where a permutation is fast.
BLOCK: Final = 1 << 17

_VOWELS: Final = "a e i o u"
_GIVEN_ONSETS: Final = "B Br D Dr F Fr G Gr H J K Kr L M N P R S St T Th Tr V W"
_GIVEN_MIDDLES: Final = "l m n r v d nd rn rl rv lv lm ld nn"
# Women's and men's names have different endings, so that no name is both.
_WOMEN_ENDINGS: Final = "enna ila etha issa ora elle ana inde ova una ilda ette"
_MEN_ENDINGS: Final = "ald eric or ek ulf und im ias ott urn ovan az"
_SURNAME_ONSETS: Final = "B Bl Br D Dr F Fl Fr G Gl Gr H J K L M N P Pr R S Sh St T Th Tr V W"
_SURNAME_MIDDLES: Final = "l m n r v d b ld lm nd nt rn rl rv lv mb st rb nn ll rr"
# No ending is a prefix of another.
_SURNAME_ENDINGS: Final = "ock ell ow ick esk ard orn ish ath usk ant edge ingham ington aby oft and ewin astle"
# Words that these parts could spell and nobody should be called.
_UNWANTED: Final = re.compile(
    "penis dild semen rap nazi anus moron bast slut whor vulv turd tard damn nud porn sod bum fart homo jew nig pud "
    "lust satan demon devil murd stalin lenin jesus shit tit sob dumb rabi poll moll nunn bell hell kill test".replace(
        " ", "|"
    ),
    re.IGNORECASE,
)

# None of these characters occurs in the wording of a statement.
_SURNAMES_ZH: Final = (
    "赵钱李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁"
    "柳鲍史唐费廉岑薛雷贺倪汤滕殷罗郝邬安乐傅皮卞齐康伍余元卜顾孟黄穆萧尹姚邵湛汪祁毛禹米贝臧计伏成戴谈宋茅庞熊纪舒屈"
    "项祝董梁杜阮蓝闵席季强贾路娄江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞万支柯昝管卢莫房裘缪干解应宗丁宣邓郁单杭洪"
    "包诸左石崔吉钮龚程嵇邢裴陆荣翁荀惠曲封芮靳汲糜松井段富巫乌焦巴弓牧隗山谷车侯宓蓬全班仰秋仲伊宫宁栾甘厉戎武符刘景"
    "詹束龙叶幸司韶黎薄印宿白怀蒲邰鄂索咸赖卓蔺屠蒙池乔阴胥苍双闻莘翟谭贡劳姬申雍桑桂濮寿通边扈燕冀郏浦尚农温柴瞿阎充"
    "慕连茹习宦艾鱼容向古易慎戈廖庾暨衡步耿满弘匡国广禄东欧沃利蔚越隆师巩聂"
)
_GIVEN_ZH: Final = (
    "伟芳娜秀敏静丽磊军洋勇艳杰娟涛超霞刚辉玲婷鹏飞红萍鑫波斌宇浩凯健俊帆雪荣晶欢莹倩帅旭宁龙云琳娇雷建峰瑞岩志梅兰竹"
    "菊松柏枫桐楠梓桢樱桃荷莲蓉薇萱芸芝芬茜茵蕾蓓蔓菲萌葵莉莎芷若菁苒蕙蕊青翠碧彩虹霓霖霏霜露雯霄晴岚晨曦晓昕旻昊昌昱"
    "晏晋晟晖暄暖晗景智暮曙曼明朗朝清澈澄澜泽沛沐沁泓泉津洁洵涵淑淳渊温湘溪滢滨漫潇潮澍濡瀚灿炎炜炫焕煜熙熠燕炳玉珍珠"
    "珊珂琴琪琦琬瑜瑶瑾璇璐璟璋玮珏珩琼瑛环玥金银铭锋锐锦钧钰铮锡鸣鸿鹤鹭鹰凤凰骏骥驰骁麒麟虎豹鲲翔翼翰翎思念忆怡恒恬"
    "悦悠惠意慈慧愉愿恩恺忠忱怀惟憬懿诗词韵歌咏谦谨诚谊谷语言雅颂赋文章书墨画琢雕艺术博学贤哲睿仁义礼信德良善美真纯贞"
    "平顺安康泰吉祥福禄寿喜庆嘉祺禧佑祐祯丰盈富贵华昭彰显耀光彦英雄豪威武强壮毅坚韧力胜利旋达通远航程腾越凌功业勋绩兴"
    "隆盛茂森林栋梁春夏秋冬季节辰旦夕宵星月阳宸宙乾坤震山川河江湖海涯岸岛屿峡峻岭崇岳巍嵩岱衡庐渤澳东南西北中原疆域国"
    "京庄园圃亭台楼阁轩榭门茶香雨风婉妍妙姝姿娥娴婕婵媛嫣嫦妮姗娅娓婧婀颖颜容丹朱赤绛紫绯蓝靛黛素皓皎白乌玄苍绿绮绣绢"
    "罗纫圣帝君侯卿穗花"
)
_RESERVE: Final = 3_000
_FIRST_STATEMENTS: Final = 256
NumberColumn = NDArray[np.int64]


def person_names(stream: Stream, lang: Lang, item: int, people: NDArray[np.int64], men: NDArray[np.bool_]) -> list[str]:
    """The distinct names of an item's people; `people`: their numbers, `men`: whether each is a man, shape (n,).

    `stream` is the variant's, not the item's.
    """
    words = _words(lang)
    space = Permutation(stream.child("names"), words.size)
    # Beyond the space the blocks repeat; within a row no index is used twice.
    index = space.take((people + item * BLOCK) % words.size)
    if lang == "zh":
        rest, last = np.divmod(index, len(words.lasts))
        first, middle = np.divmod(rest, len(words.middles))
        parts = zip(first.tolist(), middle.tolist(), last.tolist(), strict=True)
        return [words.firsts[0][a] + words.middles[b] + words.lasts[c] for a, b, c in parts]
    first, last = np.divmod(index, len(words.lasts))
    given = first + men * len(words.firsts[0])
    both = words.firsts[0] + words.firsts[1]
    return [both[a] + words.lasts[b] for a, b in zip(given.tolist(), last.tolist(), strict=True)]


@dataclass(frozen=True, slots=True)
class _NameWords:
    """The parts of names: first parts of women and of men (Chinese: surnames), middle parts and last parts."""

    firsts: tuple[list[str], list[str]]
    middles: list[str]
    lasts: list[str]
    size: int


@cache
def _words(lang: Lang) -> _NameWords:
    if lang == "zh":
        given = list(_GIVEN_ZH)
        return _NameWords((list(_SURNAMES_ZH), []), given, given, len(_SURNAMES_ZH) * len(given) ** 2)
    women, men = (_joined(_GIVEN_ONSETS, _GIVEN_MIDDLES, endings, " ") for endings in (_WOMEN_ENDINGS, _MEN_ENDINGS))
    surnames = _joined(_SURNAME_ONSETS, _SURNAME_MIDDLES, _SURNAME_ENDINGS, "")
    # As many men's names as women's, so that an index means one surname whatever the sex.
    least = min(len(women), len(men))
    return _NameWords((women[:least], men[:least]), [], surnames, least * len(surnames))


def _joined(onsets: str, middles: str, endings: str, after: str) -> list[str]:
    words = map("".join, product(onsets.split(), _VOWELS.split(), middles.split(), endings.split()))
    return [word + after for word in words if not _UNWANTED.search(word)]


@dataclass(frozen=True, slots=True)
class StatementTable:
    """Statements of some groups, shape (m,) each; `partner`: the index of the younger person's other statement, or -1.

    `unlike`: pairs of people of different sex; nobody is second in two pairs, or first in one and second in another.
    """

    younger: NumberColumn
    elder: NumberColumn
    generations: NumberColumn
    partner: NumberColumn
    unlike: tuple[tuple[int, int], ...]
    people: int


@dataclass(frozen=True, slots=True)
class Statements:
    """Statements as written: shape (m,) each. A text ends with its newline; `order`: the sort key of each statement.

    `names`: the names of the people in the statements, by number.
    """

    texts: list[str]
    order: NDArray[np.uint64]
    names: dict[int, str]
    men: NDArray[np.bool_]
    sides: NumberColumn


@dataclass(frozen=True, slots=True)
class Namer:
    """Gives names to the people of an item: the variant's stream, its language and the item's number."""

    stream: Stream
    lang: Lang
    item: int


def statement_table(structures: Sequence[Structure]) -> StatementTable:
    """The statements of groups, one group after another; in each, step by step from the bottoms upwards."""
    rows: list[tuple[int, int, int]] = []
    partner: list[int] = []
    unlike: list[tuple[int, int]] = []
    people = 0
    for structure in structures:
        row_people = LINES * structure.stride
        main = [
            (structure.person(line, step), structure.person(line, step + 1), generations)
            for line, terms in enumerate(structure.terms)
            for step, generations in enumerate(terms)
        ]
        first: dict[int, int] = {}
        for younger, elder, generations in sorted([*main, *structure.extras], key=lambda tie: tie[0] // row_people):
            at = len(rows)
            other = first.setdefault(younger, at)
            partner.append(other if other < at else -1)
            if other < at:
                partner[other] = at
                if generations == rows[other][2] == 1:
                    unlike.append((rows[other][1], elder + people))
            rows.append((younger + people, elder + people, generations))
        people += structure.people
    columns = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return StatementTable(columns[0], columns[1], columns[2], np.array(partner, dtype=np.int64), tuple(unlike), people)


@dataclass(frozen=True, slots=True)
class StatementSource:
    """The groups of a table, repeated without end, under a stream; their people are numbered from `first_person`."""

    table: StatementTable
    stream: Stream
    namer: Namer
    first_person: int


def write_statements(source: StatementSource, count: int) -> Statements:
    """The first `count` statements of a source."""
    table, stream, namer = source.table, source.stream, source.namer
    # Whole copies of the table, so that no statement depends on where the row ends.
    copies = -(-count // len(table.younger))

    def repeated(column: NumberColumn, step: int) -> NumberColumn:
        return (column + step * np.arange(copies, dtype=np.int64)[:, None]).ravel()

    younger, elder = repeated(table.younger, table.people), repeated(table.elder, table.people)
    generations = np.tile(table.generations, copies)
    partner = np.where(np.tile(table.partner, copies) >= 0, repeated(table.partner, len(table.younger)), -1)
    men = stream.child("sexes").below_many(2, copies * table.people).astype(np.bool_)
    for first, other in table.unlike:
        men[other :: table.people] = ~men[first :: table.people]
    sides = _sides(stream.child("sides").below_many(2, len(younger)), men[elder], generations, partner)
    forms = _forms(namer.lang)
    draws = stream.child("wordings").below_many(forms.draws, len(younger))
    wordings = draws % forms.wordings[generations - 1]
    number = (forms.starts[generations - 1] + 8 * wordings + 4 * sides + 2 * men[elder] + men[younger])[:count]

    younger, elder = younger[:count], elder[:count]
    people = np.unique(np.concatenate([younger, elder]))
    named = person_names(namer.stream, namer.lang, namer.item, people + source.first_person, men[people])
    names = dict(zip(people.tolist(), named, strict=True))
    elder_first = forms.elder_first[number]
    firsts, others = np.where(elder_first, elder, younger), np.where(elder_first, younger, elder)
    before, between, after = forms.before, forms.between, forms.after
    texts = [
        f"{before[form]}{names[first]}{between[form]}{names[other]}{after[form]}"
        for form, first, other in zip(number.tolist(), firsts.tolist(), others.tolist(), strict=True)
    ]
    return Statements(texts, stream.child("order").words(0, count), names, men, sides)


def _sides(
    drawn: NumberColumn, men: NDArray[np.bool_], generations: NumberColumn, partner: NumberColumn
) -> NumberColumn:
    """The side of each statement (0: the father's): a parent's sex decides; a person's two statements take both sides.

    Shapes (m,); `men`: whether the elder is a man.
    """
    sides = np.where(generations == 1, 1 - men, drawn)
    (paired,) = np.nonzero((generations == 2) & (partner >= 0))
    others = partner[paired]
    # Of two grandparents, the later statement takes the side that the earlier one leaves.
    settled = (generations[others] == 1) | (others < paired)
    sides[paired[settled]] = 1 - sides[others[settled]]
    return sides


@dataclass(frozen=True, slots=True)
class _Forms:
    """Every form that a statement can take, by number: what stands before, between and after the two names.

    Form (generations, wording, side, sex of the elder, sex of the younger) has number starts[generations - 1] +
    8 wording + 4 side + 2 elder + younger.
    """

    before: list[str]
    between: list[str]
    after: list[str]
    elder_first: NDArray[np.bool_]
    starts: NumberColumn
    wordings: NumberColumn
    draws: int


@cache
def _forms(lang: Lang) -> _Forms:
    parts: list[tuple[str, str, str, bool]] = []
    starts = []
    for number, wordings in enumerate(STATEMENTS[lang]):
        starts.append(len(parts))
        for wording in wordings:
            for code in range(8):
                side, elder, younger = code >> 2, code >> 1 & 1, code & 1
                text = wording.format(
                    elder="\n1",
                    younger="\n0",
                    elder_term=ELDER[lang][number][side][elder],
                    younger_term=YOUNGER[lang][number][side][younger],
                    called=CALLED[lang][number][side][elder],
                    parent=PARENT[lang][elder],
                    between=BETWEEN[lang][side],
                )
                before, between, after = text.split("\n")
                parts.append((before, between[1:], after[1:] + "\n", between[0] == "1"))
    befores, betweens, afters, elder_first = zip(*parts, strict=True)
    counts = [len(wordings) for wordings in STATEMENTS[lang]]
    return _Forms(
        list(befores),
        list(betweens),
        list(afters),
        np.array(elder_first, dtype=np.bool_),
        np.array(starts, dtype=np.int64),
        np.array(counts, dtype=np.int64),
        lcm(*counts),
    )


@dataclass(slots=True)
class StatementFiller:
    """Statements of a source, made on demand, and their costs in tokens."""

    source: StatementSource
    budget: Budget
    texts: list[str] = field(default_factory=list)
    order: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    costs: NumberColumn = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def reach(self, tokens: int) -> None:
        """Make statements until they cost at least `tokens` and the reserve."""
        while (missing := tokens + _RESERVE - int(self.costs.sum())) > 0:
            have = len(self.texts)
            more = int(1.02 * missing / float(self.costs.mean())) + 32 if have else _FIRST_STATEMENTS
            made = write_statements(self.source, have + more)
            costs = self.budget.count_many(made.texts[have:])
            self.texts, self.order = made.texts, made.order
            self.costs = np.append(self.costs, costs)
