"""The final answers of the needle tasks: which forms are right, which wrong, and the paper's formula."""

import json

import pytest

from carrara.scoring import METRICS
from carrara.scoring.scores import score_response

LABEL = {"en": "Answer:", "zh": "答案："}
NEEDLES = {
    "en": [
        ("marble telescope", "Nothosune Manor", "Testasin Homevune"),
        ("bronze ladle", "Thothutick Market", "Fifilel Vulmodick"),
        ("iron inkwell", "Brathidor Quarry", "Foberick Rirvusin"),
        ("ash-wood tray", "Fitabin Abbey", "Norkilune Saladick"),
    ],
    "zh": [
        ("珊瑚酒壶", "营夏朗磨坊", "骊蘅瀛蓼沚"),
        ("黄铜药箱", "华川朝古寺", "鹤湘珩瑾梓"),
        ("竹制门环", "泰潭盛药铺", "璇璇梓芊旻"),
        ("青铜罗盘", "高岭坡书院", "渌洄沚晟渝"),
    ],
}
SENTENCE = {"en": "The {} kept at {} is called {}.", "zh": "{1}收藏的{0}名叫{2}。"}
QUESTION = {"en": "What is the name of the {} at {}?", "zh": "{1}的{0}叫什么名字？"}
OTHER = {"en": "Wilober Brinman", "zh": "湘焕露橘蕤"}
CHAIN = {
    "en": {
        "asked": "Where did the father of Doran Velt live?",
        "names": ["Doran Velt", "Mira Osk", "Sora Lind"],
        "reference": [
            "The register names Mira Osk as the father of Doran Velt.",
            "Mira Osk spent a life at Sora Lind.",
        ],
    },
    "zh": {
        "asked": "甲乙丙的父亲住在哪里？",
        "names": ["甲乙丙", "丁戊己", "庚辛壬"],
        "reference": ["户籍册上写着，甲乙丙的父亲是丁戊己。", "丁戊己一辈子都住在庚辛壬。"],
    },
}


def row_of(answers, **facts):
    return {"metric": "needlebench/answer", "answers": answers, "facts": json.dumps(facts), "prompt": "far away " * 99}


def needles_row(lang, count):
    kept = NEEDLES[lang][:count]
    needles = [dict(zip(("object", "place", "name"), needle, strict=True)) for needle in kept]
    reference = [SENTENCE[lang].format(*needle) for needle in kept]
    return row_of([needle[2] for needle in kept], reference=reference, needles=needles)


def chain_row(lang):
    chain = CHAIN[lang]
    return row_of(chain["names"][-1:], accepted=chain["names"][-1:], **chain)


def value(row, response):
    score = score_response(row, response).value
    assert score is not None
    return score


# --- one needle -------------------------------------------------------------------------------------------------------

# {g}: the name, {w}: another, {s}: the needle's sentence.
ONE = {
    "en": (
        """{g}|{g}.|**{g}**|"{g}"|Answer: {g}|**Answer:** {g}|Name: {g}|The name is {g}.|Sure! It's {g}.
<answer>{g}</answer>
The marble telescope at Nothosune Manor is called {g}.|{s}|{s}⏎{g}|{s}⏎⏎Answer: {g}|"{s}" So the telescope is {g}.
{g}⏎⏎Let me know if you need anything else!|# Sentence⏎{s}⏎⏎# Answer⏎{g}|{"answer": "{g}"}|\\boxed{\\text{{g}}}
It is {g}, not {w}.|Not {w} but {g}.|{g} (at the top of the text)|Answer:⏎1. {g}
Answer: {g}⏎⏎It stands in the first line.
Looking at the text, the telescope's name is {g}.|Answer: The telescope is called {g}.""",
        """{w}|{s}⏎{w}|{s}⏎Answer: {w}|{g} or {w}|{g}, {w}|{g}⏎{w}|{w}⏎{g}|{w} ({g})|{g} / {w}|It is not {g}.
I don't know.|It might be {g} or {w}; I cannot tell.|Answer: {g} and {w}|The telescope is {w}. {g} is the jug.
Testasin|Nothosune Manor|The names are {w}, Braninus Nestlow, {g} and Yelavric Farnstead.
Answer: {w}⏎I first thought {g}.|{s}⏎I cannot tell.""",
    ),
    "zh": (
        """{g}|{g}。|答案：{g}|**答案：**{g}|答案是{g}。|名字是{g}|“{g}”|{s}|{s}⏎{g}|{s}⏎答案：{g}|它叫{g}|答：{g}|【答案】{g}
营夏朗磨坊的珊瑚酒壶叫{g}。|根据文章，酒壶叫作“{g}”。|原文：“{s}”⏎⏎所以，酒壶的名字是{g}。|{g}⏎⏎希望对您有帮助！
是{g}，不是{w}。|这件酒壶名为{g}，见于正文开头。|{g}（正文第一句）""",
        """{w}|{s}⏎{w}|{s}⏎答案：{w}|{g}或{w}|{g}、{w}|{g}，{w}|{g}⏎{w}|{w}⏎{g}|{w}（{g}）|名字不是{g}。|我不知道。|骊蘅
可能是{g}，也可能是{w}，我不确定。|要么是{g}，要么是{w}|答案是{g}和{w}|答案：{g}还是{w}？|酒壶叫{w}，{g}是别的。""",
    ),
}


def forms(lang, right):
    listed = ONE[lang][0 if right else 1].replace("\n", "|").split("|")
    gold, sentence = NEEDLES[lang][0][2], SENTENCE[lang].format(*NEEDLES[lang][0])
    for form in listed:
        yield (form.replace("⏎", "\n").replace("{g}", gold).replace("{w}", OTHER[lang]).replace("{s}", sentence))


@pytest.mark.parametrize("lang", NEEDLES)
def test_one_name(lang):
    row = needles_row(lang, 1)
    assert [form for form in forms(lang, True) if value(row, form) != 1] == []
    assert [form for form in forms(lang, False) if value(row, form) >= 0.5] == []
    assert value(row, "") == value(row, row["prompt"]) == 0
    assert value(row, row["answers"][0].upper()) == 1


# --- several ----------------------------------------------------------------------------------------------------------


def lists(lang, names):
    """A list of names in the forms that models write, each name for the question with its number."""
    keys = [needle[0] for needle in NEEDLES[lang]]
    asked = [QUESTION[lang].format(*needle) for needle in NEEDLES[lang]]
    pairs = list(enumerate(names, 1))
    yield from (
        "\n".join(names),
        ", ".join(names),
        "、".join(names),
        "; ".join(names),
        "\n".join(f"- {n}" for n in names),
    )
    yield ", ".join(names[:-1]) + (" and " if lang == "en" else "和") + names[-1]
    numbered = [
        "{}. {}",
        "{}) {}",
        "**{}.** **{}**",
        "{}、{}",
        "Q{}: {}",
        "Question {}: {}" if lang == "en" else "问题{}：{}",
    ]
    for form in numbered:
        yield "\n".join(form.format(*pair) for pair in pairs)
        yield "\n".join(form.format(*pair) for pair in pairs[::-1])
    yield " ".join(f"{number}. {name}" for number, name in pairs)
    yield ", ".join(f"Q{number}: {name}" for number, name in pairs)
    yield from (json.dumps(names, ensure_ascii=False, indent=indent) for indent in (None, 1))
    for heads in (map(str, range(1, 5)), keys):
        yield json.dumps(dict(zip(heads, names, strict=True)), ensure_ascii=False)
    yield "\n".join(f"{number}. {question} {name}" for (number, name), question in zip(pairs, asked, strict=True))
    yield "\n".join(f"{number}. {question}\n{name}" for (number, name), question in zip(pairs, asked, strict=True))
    yield "\n".join(f"{question}\n- {name}" for (_, name), question in zip(pairs, asked, strict=True))
    yield "\n".join(f"{key}: {name}" for key, name in zip(keys, names, strict=True))
    yield " / ".join(names)
    yield "\n".join(f"{LABEL[lang]} {name}" for name in names)
    told = (SENTENCE[lang].format(*needle) for needle in NEEDLES[lang])
    yield "\n".join(f"- {sentence}\n  {LABEL[lang]} {name}" for sentence, name in zip(told, names, strict=True))
    yield "| # | Name |\n|---|---|\n" + "\n".join(f"| {number} | {name} |" for number, name in pairs)
    rows = (f"| {thing} | {place} | {name} |" for (thing, place, _), name in zip(NEEDLES[lang], names, strict=True))
    yield "| Object | Place | Name |\n|---|---|---|\n" + "\n".join(rows)


@pytest.mark.parametrize("lang", NEEDLES)
def test_several_names_by_position(lang):
    row = needles_row(lang, 4)
    names = row["answers"]
    copied = "\n".join(json.loads(row["facts"])["reference"][::-1])
    shifted = [*names[1:], names[0]]
    for before in ("", f"{LABEL[lang]}\n", f"{copied}\n\n", f"{copied}\n{LABEL[lang]}\n"):
        assert [text for text in lists(lang, names) if value(row, before + text) != 1] == []
        assert [text for text in lists(lang, shifted) if value(row, before + text) != 0] == []
    assert value(row, copied) == 1
    # A name that is not found costs its own question.
    assert value(row, f"1. {names[0]}\n2. ?\n3. {names[2]}\n4. {names[3]}") == 0.75
    assert value(row, f"{names[0]}\n{OTHER[lang]}\n{names[2]}\n{names[3]}") == 0.75
    for cheat in (
        "\n".join(f"{number}. {', '.join(names)}" for number in range(1, 5)),
        "\n".join(f"{number}. {a} / {b}" for number, (a, b) in enumerate(zip(names, shifted, strict=True), 1)),
        "\n".join([*shifted, *names]),
        "\n".join(sorted([*names, *(OTHER[lang] + name for name in names)])),
        names[0],
    ):
        assert value(row, f"{LABEL[lang]}\n{cheat}") < 0.5, cheat


# --- an answer that follows from several needles ----------------------------------------------------------------------

FOLLOWS = {
    "en": (
        """{g}|Answer: {g}|{r}⏎Answer: {g}|{r}⏎{g}|{r}⏎⏎So the father of Doran Velt lived at {g}.|He lived at {g}.
{r} Therefore the answer is {g}.|Mira Osk, the father of Doran Velt, lived at {g}.|Answer: {g}, where Mira Osk lived.
The father of Doran Velt is Mira Osk, who lived at {g}.|{g}⏎⏎Explanation: Mira Osk is the father of Doran Velt.""",
        """{r}|{r}⏎{w}|{r}⏎Answer: {w}|{r}⏎Answer: {m}|{r}⏎So the answer is {m}.|{m}|{g} or {m}|{m}, {g}
Doran Velt, {m}, {g}|Answer: {g} and {m}|Doran Velt⏎{m}⏎{g}|{m} ({g})|{r}⏎I cannot tell.|It is not {g}.|{w} and {g}""",
    ),
    "zh": (
        """{g}|答案：{g}|{r}⏎答案：{g}|{r}⏎{g}|{r}⏎所以甲乙丙的父亲住在{g}。|答案是{g}。|{r}因此答案是{g}。|他住在{g}""",
        """{r}|{r}⏎{w}|{r}⏎答案：{w}|{r}⏎答案：{m}|{m}|{g}或{m}|{m}、{g}|甲乙丙、{m}、{g}|答案：{m}，{g}|甲乙丙⏎{m}⏎{g}
{w}和{g}|不是{g}。""",
    ),
}


@pytest.mark.parametrize("lang", CHAIN)
def test_an_answer_that_follows_from_several_needles(lang):
    row, chain = chain_row(lang), CHAIN[lang]
    for right, listed in zip((True, False), FOLLOWS[lang], strict=True):
        for form in listed.replace("\n", "|").split("|"):
            told = form.replace("⏎", "\n").replace("{g}", chain["names"][2]).replace("{m}", chain["names"][1])
            told = told.replace("{w}", OTHER[lang]).replace("{r}", "\n".join(chain["reference"]))
            assert (value(row, told) == 1) if right else (value(row, told) < 0.5), told


def test_an_answer_that_people_wrote_counts_by_every_accepted_name():
    row = row_of(["1,953 men"], accepted=["1,953 men", "1953 men"], reference=["A was B.", "B had 1,953 men."])
    assert value(row, "Answer: 1953 men") == value(row, "A was B.\nB had 1,953 men.\nSo it had 1,953 men.") == 1
    chinese = row_of(["奥兰多"], reference=["甲在乙。", "乙在奥兰多。"])
    assert (
        value(chinese, "答案是奥兰多。") == 1 and value(chinese, "奥兰多或10月1日") == value(chinese, "乙或奥兰多") == 0
    )
    assert value(row, "Answer: 1,953 men or 2,000 men") == value(row, "A was B.\nB had 1,953 men.") == 0


# --- the paper's formula ----------------------------------------------------------------------------------------------


def test_the_paper_s_score_is_a_record_s_mean():
    paper, row = METRICS["needlebench/paper"], needles_row("en", 4)
    names, references = row["answers"], json.loads(row["facts"])["reference"]
    one = needles_row("en", 1)
    for response in ("", names[0], "the telescope", references[0].replace(names[0], "X"), names[0].lower()):
        assert paper(response, one) == METRICS["needlebench/single/paper"](response, one)
    # Half of the names, in any order; of the others 0.2 x the similarity to their own sentence.
    half = paper(f"{names[2]} {names[0]}", row)
    assert 0.5 < half < 0.6 and paper("\n".join(names[::-1]), row) == 1
    # The published formula sees a name among copied sentences, the default its wrong conclusion.
    chain = chain_row("en")
    told = "\n".join([*CHAIN["en"]["reference"], "Answer: Mira Osk"])
    assert paper(told, chain) == 1 and value(chain, told) == 0
