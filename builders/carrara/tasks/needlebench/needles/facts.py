"""Needles that name a thing at a place: their facts, and the plan and prompt of the tasks that ask for the names.

No two items of a stream share a name or a place: each is a bijection from an index to words of the world's names under
a keyed permutation, so that fact j of a variant does not depend on the facts before it. Names are two words (stems in
Chinese), places two and what the place is; there are 10^8 and more of each, so that two streams share hardly one.
Must not change: the lists of places and objects, and fact j of a stream.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from carrara.stream import Draws, Permutation, Stream
from carrara.task import Budget, Draft, Inputs, Item, Key, Lang, Slot
from carrara.tasks.needlebench.needles.layout import (
    LayoutParams,
    LayoutPlan,
    NeedleWording,
    frame_parts,
    language,
    lay_out,
    placing,
)
from carrara.tasks.needlebench.needles.prompt import (
    ASK,
    DIRECT,
    HINT,
    INTRODUCTION,
    NEEDLES,
    QUESTION,
    RECALL,
)
from carrara.world import latent
from carrara.world.latent import LatentSentence
from carrara.world.names.chinese import stems
from carrara.world.names.english import all_words

# Names and places of decoys are counted from the end of their lists, so many to an item: no fact has them.
_DECOYS_PER_ITEM: Final = 4_096
# The most facts of an item: fact k of item i has number i * FACTS_PER_ITEM + k.
FACTS_PER_ITEM = 32
# What the fields of `facts` say of a row of single_needle and multi_needle.
NEEDLE_FACTS: Final = {
    "reference": "the sentences of the needles, in the order of the answers",
    "needles": "object, place and name of each needle; of a latent one its animal, place, name and owner",
    "depth": "where the needles were to stand, from 0 (top) to 1 (end)",
    "question": "whether the question stands after or before the text",
    "recall_step": "whether the prompt asks to write the needles down first",
    "hint": "whether the prompt tells how many sentences have nothing to do with the rest",
}


@dataclass(frozen=True, slots=True)
class NeedleFact:
    """One needle: an object, its place, its name, and the number of its wording; `owner` of a latent one alone."""

    object: str
    place: str
    name: str
    wording: int
    owner: str = ""

    def sentence(self, lang: Lang) -> str:
        """The needle as it stands in the text."""
        if self.owner:
            return latent.sentence(lang, self.said, self.wording)
        return NEEDLES[lang][self.wording].format(object=self.object, place=self.place, name=self.name)

    @property
    def said(self) -> LatentSentence:
        """What a latent needle says."""
        return LatentSentence(self.owner, self.object, self.place, self.name)

    def question(self, lang: Lang) -> str:
        """What is asked of it."""
        if self.owner:
            return latent.question(lang, self.said)
        return QUESTION[lang].format(object=self.object, place=self.place)


@dataclass(frozen=True, slots=True)
class NeedlePlan(LayoutPlan):
    """A layout and its facts, in the order asked; `stream` (of the variant) and `item` give its decoys."""

    facts: tuple[NeedleFact, ...]
    stream: Key
    item: int


def plan_needles(params: LayoutParams, item: Item, needles: int, stream: Stream) -> NeedlePlan:
    """The item's facts; they depend on neither length nor depth."""
    lang = language(item.variant)
    is_latent = item.variant.startswith("latent")
    return NeedlePlan(
        facts=(latent_fact(stream, lang, item.index),) if is_latent else draw_facts(stream, lang, item.index, needles),
        stream=stream.key,
        item=item.index,
        **placing(params, lang, needles, item.index, stream),
    )


def needle_parts(params: LayoutParams, variant: str) -> dict[str, str]:
    """The parts of a prompt with several needles that a recipe may word otherwise; `_one`: of a row that has one."""
    lang = language(variant)
    shown = {
        "introduction": (HINT if params.hint else INTRODUCTION)[lang],
        "request": (RECALL if params.recall_step else DIRECT)[lang],
    }
    own = {f"{name}{end}": text for name, texts in shown.items() for end, text in zip(("_one", ""), texts, strict=True)}
    asked = latent.QUESTION if variant.startswith("latent") else QUESTION
    return {**own, **frame_parts(params, lang), "question": asked[lang]}


def one_needle_parts(params: LayoutParams, variant: str) -> dict[str, str]:
    """The parts of a prompt with one needle that a recipe may word otherwise."""
    parts = needle_parts(params, variant)
    return {name.removesuffix("_one"): text for name, text in parts.items() if f"{name}_one" not in parts}


def render_needles(plan: NeedlePlan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The needles at the placement's depth in a haystack that fills the slot's length."""
    sentences = [fact.sentence(plan.lang) for fact in plan.facts]
    names = [name for fact in plan.facts for name in (fact.name, *([] if fact.owner else [fact.place]))]
    decoys = [decoy.sentence(plan.lang) for decoy in draw_decoys(plan, plan.decoy_count(len(sentences), slot.length))]
    laid = lay_out(plan, sentences, names, _wording(plan), slot, inputs, budget, decoys)
    return Draft(
        prompt=laid.prompt,
        answers=tuple(fact.name for fact in plan.facts),
        complexity=len(plan.facts),
        max_output_tokens=laid.max_output_tokens,
        depths=laid.depths,
        evidence=laid.evidence,
        facts={
            "reference": sentences,
            "needles": [
                {
                    "object": fact.object,
                    "place": fact.place,
                    "name": fact.name,
                    **({"owner": fact.owner} if fact.owner else {}),
                }
                for fact in plan.facts
            ],
            "depth": laid.depth,
            "question": plan.question,
            "recall_step": plan.recall_step,
            "hint": plan.hint,
        },
    )


def draw_facts(stream: Stream, lang: Lang, item: int, count: int) -> tuple[NeedleFact, ...]:
    """The facts of an item, in the order of the questions; `stream` is the variant's, not the item's."""
    if not 1 <= count <= FACTS_PER_ITEM:
        raise ValueError(f"an item has 1 to {FACTS_PER_ITEM} facts, not {count}")
    own = stream.child(item, "facts")
    names = Permutation(stream.child("names"), latent.names(lang))
    places = Permutation(stream.child("places"), _places(lang))
    materials, things = _OBJECTS[lang]
    objects = own.child("objects").sample(range(len(materials) * len(things)), count)
    facts = []
    for number, thing in enumerate(objects):
        index = item * FACTS_PER_ITEM + number
        material, kind = divmod(thing, len(things))
        facts.append(
            NeedleFact(
                object=materials[material] + things[kind],
                place=_place(places[index], lang),
                name=latent.name(names[index], lang),
                wording=own.below(len(NEEDLES[lang])),
            )
        )
    return tuple(facts)


def latent_fact(stream: Stream, lang: Lang, item: int) -> NeedleFact:
    """The latent fact of an item; its name is that of the item's first fact."""
    draws = Draws(stream.child(item, "latent"))
    name = latent.name(Permutation(stream.child("names"), latent.names(lang))[item * FACTS_PER_ITEM], lang)
    said = latent.drawn(lang, draws, name)
    return NeedleFact(said.animal, said.place, name, draws.below(len(latent.NEEDLES[lang])), said.owner)


def _latent_decoys(plan: NeedlePlan, names: Sequence[int], draws: Draws) -> list[NeedleFact]:
    lang, needle = plan.lang, plan.facts[0].said
    found = []
    for number, name in enumerate(names):
        said = latent.decoy(lang, needle, number, draws, latent.name(name, lang))
        wording = draws.below(len(latent.NEEDLES[lang]))
        found.append(NeedleFact(said.animal, said.place, said.name, wording, said.owner))
    return found


def draw_decoys(plan: NeedlePlan, count: int) -> list[NeedleFact]:
    """`count` decoys of an item, in no order. Of all objects and places, asked for or not, each stands in about three
    sentences, so that being named again tells nothing; no two sentences give one object at one place a name."""
    lang, stream = plan.lang, Stream(*plan.stream)
    draws = Draws(stream.child(plan.item, "decoys"))
    pool = -(-(count + len(plan.facts)) // 3)
    numbers = np.arange(max(count, pool)) + plan.item * _DECOYS_PER_ITEM
    named = latent.names(lang)
    names = Permutation(stream.child("names"), named).take(named - 1 - numbers % named)
    if plan.facts[0].owner:
        return _latent_decoys(plan, names.tolist(), draws)
    others = Permutation(stream.child("places"), _places(lang)).take(_places(lang) - 1 - numbers % _places(lang))
    places = [*(fact.place for fact in plan.facts), *(_place(int(other), lang) for other in others)]
    asked = [fact.object for fact in plan.facts]
    materials, things = _OBJECTS[lang]
    unasked = [material + thing for material in materials for thing in things if material + thing not in asked]
    objects = [*asked, *draws.shuffled(unasked)]
    pairs = [
        (one, (one + step) % pool)
        for step in range(3)
        for one in range(pool)
        if (one + step) % pool != one or (not step and one >= len(asked))
    ]
    return [
        NeedleFact(
            objects[one % len(objects)],
            places[place],
            latent.name(int(names[number]), lang),
            draws.below(len(NEEDLES[lang])),
        )
        for number, (one, place) in enumerate(draws.shuffled(pairs)[:count])
    ]


def _wording(plan: NeedlePlan) -> NeedleWording:
    lang, several = plan.lang, len(plan.facts) > 1
    questions = [fact.question(lang) for fact in plan.facts]
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(questions, 1)) if several else questions[0]
    return NeedleWording(
        introduction=(HINT if plan.hint else INTRODUCTION)[lang][several].format(count=len(plan.facts)),
        asked=ASK[lang][several] + listed,
        how=(RECALL if plan.recall_step else DIRECT)[lang][several],
        several=several,
    )


def _places(lang: Lang) -> int:
    """How many places there are."""
    pairs = len(stems("P")) ** 2 if lang == "zh" else len(all_words("firm")) * len(all_words("coin"))
    return pairs * len(_PLACE_KINDS[lang])


def _place(index: int, lang: Lang) -> str:
    index, kind = divmod(index, len(_PLACE_KINDS[lang]))
    if lang == "zh":
        first, second = divmod(index, len(stems("P")))
        return stems("P")[first] + stems("P")[second] + _PLACE_KINDS["zh"][kind]
    first, second = divmod(index, len(all_words("coin")))
    return f"{all_words('firm')[first]} {all_words('coin')[second]} {_PLACE_KINDS['en'][kind]}"


_PLACE_KINDS: dict[Lang, tuple[str, ...]] = {
    "en": (
        "Abbey", "Bridge", "Chapel", "Court", "Ferry", "Forge", "Grange", "Hall", "Harbour", "House", "Inn", "Library",
        "Lighthouse", "Lodge", "Manor", "Market", "Mill", "Observatory", "Orchard", "Priory", "Quarry", "School",
        "Station", "Tower",
    ),
    "zh": (
        "书院", "渡口", "客栈", "茶馆", "山庄", "祠堂", "钟楼", "驿站", "道观", "会馆", "码头", "药铺",
        "学堂", "花园", "古寺", "桥头", "戏台", "当铺", "染坊", "磨坊", "灯塔", "炮台", "粮仓", "渔村",
    ),
}  # fmt: skip
_OBJECTS: dict[Lang, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "en": (
        tuple(
            f"{material} "
            for material in (
                "amber", "ash-wood", "bone", "brass", "bronze", "cedar", "clay", "cobalt", "copper", "coral", "cork",
                "crystal", "ebony", "enamel", "flint", "glass", "granite", "horn", "iron", "ivory-white", "jade",
                "lacquer", "leather", "linen", "marble", "oak", "pewter", "pine", "porcelain", "quartz", "silver",
                "slate", "soapstone", "tin", "walnut", "willow",
            )
        ),
        (
            "astrolabe", "barometer", "bell", "bowl", "cabinet", "candlestick", "chessboard", "chest", "clock",
            "compass", "cradle", "drum", "flute", "globe", "goblet", "harp", "hourglass", "inkwell", "jug", "kite",
            "ladle", "lantern", "loom", "mask", "mirror", "music box", "pendant", "plough", "saddle", "sextant",
            "shield", "sundial", "teapot", "telescope", "tray", "vase", "violin", "weathervane", "whistle", "wreath",
        ),
    ),
    "zh": (
        (
            "青铜", "白玉", "紫檀", "黄铜", "琉璃", "象牙色", "黑漆", "乌木", "玛瑙", "珊瑚", "竹制", "锡制",
            "陶制", "银质", "铁铸", "石雕", "楠木", "水晶", "牛角", "彩绘", "藤编", "鎏金", "翡翠", "玳瑁纹",
        ),
        (
            "罗盘", "香炉", "圆镜", "酒壶", "花瓶", "棋盘", "屏风", "笔筒", "砚台", "灯笼", "古琴", "短笛",
            "药箱", "首饰盒", "座钟", "日晷", "算盘", "风筝", "面具", "茶盘", "烛台", "马鞍", "望远镜", "八音盒",
            "地球仪", "印章", "沙漏", "渔灯", "摇篮", "门环",
        ),
    ),
}  # fmt: skip
