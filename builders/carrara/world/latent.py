"""Latent needles: question and evidence share no content word, name or number, only kinds that everybody knows.

The text says "The saddler's linnet in the attic is called ..."; asked is the name of the bird that lives right under
the roof with somebody who works with leather. Owner, animal and place are each told by their kind: a text of decoys has
saddlers with other animals, other people's birds and other attics, and one sentence alone fits all three. Every member
stands under one kind of its table, and no phrase of a question holds a word of its members; tests hold both.
Must not change: the order of kinds and members, which facts are drawn by.
"""

import re
from typing import Final, NamedTuple

from carrara.stream import Draws
from carrara.task import Lang
from carrara.world.names.chinese import stems
from carrara.world.names.english import all_words

# By phrase of a question: members. Of owners, of animals, of places with their preposition.
KINDS: Final[dict[Lang, tuple[dict[str, tuple[str, ...]], ...]]] = {
    "en": (
        {
            "works with leather": ("saddler", "cobbler", "glover", "tanner"),
            "saws and planes timber": ("cooper", "wheelwright", "joiner", "carpenter"),
            "hammers or casts metal": ("blacksmith", "tinsmith", "farrier", "bell founder"),
            "shapes or fires clay": ("potter", "brickmaker", "tilemaker"),
            "makes clothes": ("tailor", "seamstress", "milliner"),
            "lives by flour and dough": ("baker", "miller", "pastry cook"),
            "spends working days afloat": ("ferryman", "fisherman", "bargee", "sailor"),
            "looks after trees or flowers": ("gardener", "forester", "nurseryman"),
            "looks after the sick": ("doctor", "nurse", "midwife", "matron"),
            "deals with printed words": ("bookbinder", "librarian", "typesetter"),
            "makes music for pay": ("organist", "fiddler", "piper", "trumpeter"),
            "teaches children": ("schoolmistress", "governess", "tutor"),
            "works in the law": ("notary", "judge", "barrister"),
        },
        {
            "bird": ("linnet", "jackdaw", "goose", "parrot", "owl", "canary"),
            "beast of burden": ("mule", "donkey", "ox", "packhorse"),
            "rodent": ("squirrel", "dormouse", "guinea pig", "marmot"),
            "dog": ("spaniel", "terrier", "poodle", "mastiff"),
            "reptile": ("tortoise", "lizard", "grass snake", "slow-worm"),
            "creature with gills": ("carp", "pike", "eel", "perch"),
            "dairy animal": ("goat", "cow", "ewe"),
        },
        {
            "right under the roof": ("in the attic", "in the garret", "in the loft"),
            "below ground": ("in the mine", "in the tunnel", "in the catacombs"),
            "beside water": ("on the jetty", "on the quay", "by the weir"),
            "where meals are cooked": ("in the kitchen", "in the scullery", "in the galley"),
            "where lessons are given": ("in the classroom", "in the lecture hall"),
            "where people pray": ("in the chapel", "in the church", "in the cloister"),
            "where fruit ripens": ("in the orchard", "in the vineyard", "in the hothouse"),
            "where horses stand": ("in the stable", "in the mews"),
            "where people sleep": ("in the bedroom", "in the dormitory", "in the bunkhouse"),
            "where goods are stored": ("in the warehouse", "in the granary", "in the depot"),
            "where things are sold": ("in the shop", "in the market hall", "at the fair"),
        },
    ),
    "zh": (
        {
            "靠皮革谋生": ("鞋匠", "鞍匠", "制鼓匠"),
            "靠木料谋生": ("箍桶匠", "车轮匠", "雕花匠"),
            "整天敲打金属": ("铁匠", "铜匠", "锡匠"),
            "捏泥烧窑": ("陶匠", "瓷匠", "砖瓦师傅"),
            "给别人做衣帽": ("裁缝", "绣娘", "织补师傅"),
            "靠面粉谋生": ("糕点师傅", "烧饼师傅", "磨坊主"),
            "成天漂在江上": ("艄公", "渔夫", "水手", "领航员"),
            "侍弄花木": ("园丁", "护林员", "苗圃主"),
            "照料病患": ("郎中", "护士", "接生婆", "大夫"),
            "靠刊行典籍谋生": ("排版工", "印刷工", "装订工"),
            "靠奏乐谋生": ("琴师", "鼓手", "唢呐手"),
            "给孩童讲课": ("私塾先生", "校长", "塾师"),
            "替别人打官司": ("讼师", "律师", "状师"),
        },
        {
            "飞禽": ("朱雀", "八哥", "鹦鹉", "大雁", "斑鸠"),
            "驮货拉犁的家畜": ("骡子", "毛驴", "犍牛"),
            "爱啃东西的小兽": ("松鼠", "豚鼠", "旱獭"),
            "狗": ("獒犬", "细犬", "猎犬"),
            "爬虫": ("乌龟", "蜥蜴", "草蛇", "壁虎"),
            "用鳃呼吸的活物": ("鲤鱼", "鲫鱼", "鳝鱼"),
            "能剪毛挤奶的家畜": ("山羊", "绵羊", "母羊"),
        },
        {
            "紧挨屋顶的地方": ("阁楼里", "房梁上"),
            "地面以下": ("矿井里", "隧道里", "坑道里"),
            "河边": ("码头上", "渡口", "船坞里"),
            "煮饭做菜的地方": ("厨房里", "灶间", "伙房里"),
            "上课的地方": ("学堂里", "教室里", "书院里"),
            "求神拜佛的地方": ("尼庵里", "寺院里", "观音庙里"),
            "栽种瓜果的地方": ("葡萄架下", "桃林里", "橘园里"),
            "拴马的地方": ("厩棚里", "驿站里"),
            "睡觉的地方": ("卧房里", "通铺上", "寝室里"),
            "存货的地方": ("粮仓里", "库房里", "栈房里"),
            "做买卖的地方": ("集市上", "店铺里", "当铺里"),
        },
    ),
}
# The name ends a part of the sentence, so that it can be read off.
NEEDLES: Final[dict[Lang, tuple[str, ...]]] = {
    "en": (
        "The {owner}’s {animal} {place} is called {name}.",
        "The {animal} {place}, which belongs to the {owner}, answers to {name}.",
        "Ask {place} for the {owner}’s {animal}, and you will hear of {name}.",
        "The {owner} has an old {animal} {place}, known to everybody as {name}.",
    ),
    "zh": (
        "{owner}的{animal}就在{place}，唤作{name}。",
        "{place}有{owner}的{animal}，大伙儿管它叫{name}。",
        "去{place}找{owner}的{animal}，喊一声{name}。",
        "{owner}有一只老{animal}，总待在{place}，绰号{name}。",
    ),
}
QUESTION: Final[dict[Lang, str]] = {
    "en": "What name does the {animal} bear that lives {place} and whose owner is somebody who {owner}?",
    "zh": "主人{owner}、平日能在{place}见到的那只{animal}，名字是什么？",
}
# What a latent question and its evidence may share: words without content.
_PLAIN: Final[dict[Lang, frozenset[str]]] = {
    "en": frozenset(
        {"a", "an", "and", "as", "at", "by", "for", "has", "in", "is", "of", "on", "that", "the", "to", "who"}
    ),
    "zh": frozenset("的在是有那只里上下就大什么不能主人平日见到总待去管它"),
}
SLOTS: Final = ("owner", "animal", "place")


class LatentSentence(NamedTuple):
    """What a latent needle, or a decoy of it, says."""

    owner: str
    animal: str
    place: str
    name: str


def sentence(lang: Lang, said: LatentSentence, wording: int) -> str:
    """The needle as it stands in the text."""
    written = NEEDLES[lang][wording].format(**said._asdict())
    return re.sub(r"\bA(?= [AEIOUaeiou])", "An", written)


def question(lang: Lang, said: LatentSentence) -> str:
    """The question about a needle: its owner, animal and place by their kinds."""
    owner, animal, place = kinds_of(lang, said)
    return QUESTION[lang].format(owner=owner, animal=animal, place=place)


def kinds_of(lang: Lang, said: LatentSentence) -> tuple[str, ...]:
    """The kinds of owner, animal and place, as a question words them."""
    return tuple(_KIND_OF[lang][slot][getattr(said, name)] for slot, name in enumerate(SLOTS))


def drawn(lang: Lang, draws: Draws, name: str) -> LatentSentence:
    """A needle of one kind each: owner, animal and place."""
    members = [draws.choice(draws.choice(list(kinds.values()))) for kinds in KINDS[lang]]
    return LatentSentence(members[0], members[1], members[2], name)


def decoy(lang: Lang, needle: LatentSentence, number: int, draws: Draws, name: str) -> LatentSentence:
    """Another sentence of the kind, which does not fit the question: two of three kinds agree in every other decoy."""
    asked = kinds_of(lang, needle)
    other = draws.below(3)
    members = []
    for slot, kinds in enumerate(KINDS[lang]):
        if number % 2 == 0 and slot != other:
            members.append(draws.choice(kinds[asked[slot]]))
            continue
        free = [listed for kind, listed in kinds.items() if kind != asked[slot] or slot != other]
        members.append(draws.choice(draws.choice(free)))
    return LatentSentence(members[0], members[1], members[2], name)


def names(lang: Lang) -> int:
    """How many names there are for what a needle names."""
    return len(stems("E")) ** 2 if lang == "zh" else len(all_words("title")) * len(all_words("coin"))


def name(index: int, lang: Lang) -> str:
    """The name of a number below `names`."""
    if lang == "zh":
        first, second = divmod(index, len(stems("E")))
        return stems("E")[first] + stems("E")[second]
    first, second = divmod(index, len(all_words("coin")))
    return f"{all_words('title')[first]} {all_words('coin')[second]}"


def overlap(lang: Lang, one: str, other: str) -> set[str]:
    """The content words (in Chinese, characters) that two texts share, by their stems."""
    return _content(lang, one) & _content(lang, other)


def _content(lang: Lang, text: str) -> set[str]:
    if lang == "zh":
        return {character for character in text if "\u3400" <= character <= "\u9fff"} - _PLAIN["zh"]
    return {word[:5] for word in re.findall(r"[a-z]+", text.lower()) if word not in _PLAIN["en"] and len(word) > 1}


_KIND_OF: Final[dict[Lang, tuple[dict[str, str], ...]]] = {
    lang: tuple({member: kind for kind, members in kinds.items() for member in members} for kinds in slots)
    for lang, slots in KINDS.items()
}
