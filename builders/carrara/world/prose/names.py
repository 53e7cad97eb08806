"""Names of the prose: people, villages, rivers, hills and inns, by number and by draw."""

from typing import Final

from carrara.stream import Draws
from carrara.task import Lang

# A person's number is below PEOPLE, a village's below VILLAGES: other numbers are other names.
_GIVEN_STARTS: Final = """
    Al Ar Bel Ber Bran Cal Cor Dar Del Dor El Em Er Fal Fen Gal Gar Hal Har Hel Il Is Jor Kel Ker Lan Lor Lu Mal Mar Mer
    Mir Nal Ner Nor Ol Or Per Pol Quel Ran Rel Ros Sal Sel Ser Sor Tal Tam Ter Tor Ul Val Ver Vol Wil Wen Yel Yor Zel
""".split()
_GIVEN_MIDDLES: Final = """
    ab ad am an av ed eb em en ev ib id im in iv ob od om on ov ud um un and end ind ond ant ent int ont usk esk isk ast
    est ist ost arn orn
""".split()
_FAMILY_STARTS: Final = """
    Ash Bram Carl Dun Elm Farn Garth Hal Ivel Jess Kirt Lam Mos Nest Oaken Penn Quin Rad Selk Thorn Under Vand Whit
    Yar Tarn Stav Rusk Oster Morr Lind Hask Gren Fold Eld Drey Cress Brin Arl
""".split()
_FAMILY_ENDS: Final = """
    by combe den er ey field gate ham ick ing ley low man mere more ock ridge sell shaw son stead ton vale wold worth
    wright
""".split()
_PLACE_STARTS: Final = """
    Ab Ald Am Ard Bar Bel Bor Bram Cald Cam Car Cold Cor Dal Dar Dol Dun Eb Eld Em Fal Far Fen Gal Gild Gor Had Hal Hol
    Hun Ib Ing Kal Kel Kin Lam Lan Led Lor Mar Mel Mor Nar Nen Nor Od Orl Ost Pad Pel Por Rad Ran Rid Ros Sal Sed Sel
    Sor Tad Tan Tel Tor Ul Ur Val Ven Wad Wal Wen Wil Yar Yel Zan
""".split()
_PLACE_MIDDLES: Final = """
    a am an ar e el em en er i il in ing o ol on or um un ur
""".split()
_PLACE_ENDS: Final = """
    beck bourne bridge bury by combe croft dale den fell field fold ford garth gate ham haven holm holt hurst leigh ley
    mead mere minster more mouth ness port stead stoke stow thorpe toft ton vale wade well wick wold worth
""".split()
_RIVER_ENDS: Final = """
    a ane el en ent er ese in ith orn ow une
""".split()
_GIVEN_ENDS: Final = {
    "female": "a ia elle ine ora ise ira eth ina ona ela issa".split(),
    "male": "o us er ric or el and on ik ar em iel".split(),
}
_INN_ADJECTIVES: Final = "Blue White Black Red Golden Old Green Silver Three Two Brown Grey".split()
_INN_NOUNS: Final = "Bell Heron Plough Anchor Lamb Wheel Horseshoe Swan Sheaf Otter Saddle Lantern Barrel Crown".split()
_ZH_SURNAMES: Final = (
    "赵钱孙李周吴郑王冯陈蒋沈韩杨朱秦许何吕张孔曹严华金魏陶姜谢邹苏潘葛范彭鲁韦马苗方俞任袁柳鲍史唐费岑薛"
    "雷贺倪汤罗毕郝安常于傅齐康余顾孟黄穆萧尹"
)
_ZH_GIVEN_FIRST: Final = (
    "守景望怀永若知远承春秋文仲伯云月松竹石泉清平安和宜嘉思念如亦子元启广明光晓晨晚星舟帆渡岚岩溪川禾谷麦"
    "桑榆槐梓柏青素朴敬慎谦让成立本根实"
)
_ZH_GIVEN_SECOND: Final = (
    "山田禾川林生年华舟声言书章棠芸兰英秀梅荣芳洁玉珍贞茂盛昌达通宁康泰丰登仁义礼智信诚恒久长庆福祥瑞吉宽"
    "厚直正方圆良善贤德高峰岭原野洲"
)
_ZH_PLACE_FIRST: Final = (
    "青白乌赤黄紫清浊寒温长短宽深浅高低平斜曲直南北东西上下前后大小古新老石沙泥竹柳桑榆槐枫松柏梅桂荷芦苇"
    "菱茶麦稻麻葛蓼云雾霜露雪风雷月星霞"
)
_ZH_PLACE_SECOND: Final = (
    "泉潭塘池浦洲滩岩崖川谷峰原田野林木叶根花草藤萝鹿鹤雁鸭鱼虾牛羊马驼蝉萤鸥燕铃钟鼓瓦砖窑盐茶酒磨坊亭楼阁墙门"
)
_ZH_PLACE_ENDS: Final = "村镇庄坞湾渡桥店堡坪集营沟寨铺屯"
_ZH_RIVER_ENDS: Final = "河溪江水"
_ZH_HILL_ENDS: Final = "山岭岗坡"
_ZH_INNS: Final = (
    "同春 悦来 顺风 聚仙 福安 永和 迎宾 广源 长兴 三元 万盛 临江 望月 平安 仁和 四海 如意 回春 德兴 老槐 渡口 半山 桥头 南关"
).split()
_ZH_INN_ENDS: Final = ("客栈", "茶馆", "饭铺", "酒馆", "茶楼", "车马店")

PEOPLE: Final[dict[Lang, int]] = {
    "en": len(_GIVEN_STARTS) * len(_GIVEN_MIDDLES) * len(_GIVEN_ENDS["male"]),
    "zh": len(_ZH_SURNAMES) * len(_ZH_GIVEN_FIRST) * len(_ZH_GIVEN_SECOND),
}
VILLAGES: Final[dict[Lang, int]] = {
    "en": len(_PLACE_STARTS) * len(_PLACE_MIDDLES) * len(_PLACE_ENDS),
    "zh": len(_ZH_PLACE_FIRST) * len(_ZH_PLACE_SECOND) * len(_ZH_PLACE_ENDS),
}


def person(lang: Lang, number: int, female: bool, draws: Draws) -> tuple[str, str]:
    """The full name of a person and the name for short, which no other number has."""
    if lang == "zh":
        rest, second = divmod(number, len(_ZH_GIVEN_SECOND))
        surname, first = divmod(rest, len(_ZH_GIVEN_FIRST))
        name = _ZH_SURNAMES[surname] + _ZH_GIVEN_FIRST[first] + _ZH_GIVEN_SECOND[second]
        return name, name
    ends = _GIVEN_ENDS["female" if female else "male"]
    rest, end = divmod(number, len(ends))
    start, middle = divmod(rest, len(_GIVEN_MIDDLES))
    given = _GIVEN_STARTS[start] + _GIVEN_MIDDLES[middle] + ends[end]
    return f"{given} {draws.choice(_FAMILY_STARTS)}{draws.choice(_FAMILY_ENDS)}", given


def village(lang: Lang, number: int) -> str:
    """The name of a village."""
    starts, middles, ends = (
        (_ZH_PLACE_FIRST, _ZH_PLACE_SECOND, _ZH_PLACE_ENDS)
        if lang == "zh"
        else (_PLACE_STARTS, _PLACE_MIDDLES, _PLACE_ENDS)
    )
    rest, end = divmod(number, len(ends))
    start, middle = divmod(rest, len(middles))
    return starts[start] + middles[middle] + ends[end]


def landmarks(lang: Lang, draws: Draws) -> tuple[str, str, str]:
    """A river, a hill and an inn: not unique, there are some hundreds of each."""
    if lang == "zh":
        river, hill = (draws.choice(_ZH_PLACE_FIRST) + draws.choice(_ZH_PLACE_SECOND) for _ in range(2))
        inn = draws.choice(_ZH_INNS) + draws.choice(_ZH_INN_ENDS)
        return river + draws.choice(_ZH_RIVER_ENDS), hill + draws.choice(_ZH_HILL_ENDS), inn
    river = draws.choice(_PLACE_STARTS) + draws.choice(_RIVER_ENDS)
    hill = f"{draws.choice(_PLACE_STARTS)}{draws.choice(_PLACE_MIDDLES)} Hill"
    adjective = draws.choice(_INN_ADJECTIVES)
    plural = "s" if adjective in ("Three", "Two") else ""
    return river, hill, f"the {adjective} {draws.choice(_INN_NOUNS)}{plural}"
