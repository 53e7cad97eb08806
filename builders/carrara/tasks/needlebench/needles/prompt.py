"""The wording of the needle tasks: needles, questions and the text around the haystack, in both languages.

The tasks and their solver share these constants. A change to any of them changes every released row.
"""

from carrara.task import Lang

# A needle states the name of one object at one place; the name ends the sentence.
NEEDLES: dict[Lang, tuple[str, ...]] = {
    "en": (
        "The {object} kept at {place} is called {name}.",
        "At {place}, the {object} goes by the name of {name}.",
        "Visitors to {place} are told that the {object} there is named {name}.",
        "The {object} at {place} has always borne the name {name}.",
        "An old label at {place} gives the name of the {object} as {name}.",
        "In the register of {place}, the {object} is entered as {name}.",
        "The people of {place} long ago named their {object} {name}.",
        "Whoever asks at {place} will hear that the {object} is known as {name}.",
    ),
    "zh": (
        "{place}收藏的{object}名叫{name}。",
        "在{place}，那件{object}的名字是{name}。",
        "据{place}的账册记载，{object}名为{name}。",
        "到过{place}的人都知道，那里的{object}叫作{name}。",
        "{place}的人一直把那件{object}称为{name}。",
        "{place}门口的旧木牌上写着，那件{object}的名字是{name}。",
        "听{place}的老人说，那件{object}从前就叫{name}。",
        "按照{place}的习惯，大家都管那件{object}叫{name}。",
    ),
}
QUESTION: dict[Lang, str] = {
    "en": "What is the name of the {object} at {place}?",
    "zh": "{place}的{object}叫什么名字？",
}
BEGIN: dict[Lang, str] = {"en": "[The text begins]\n\n", "zh": "【正文开始】\n\n"}
END: dict[Lang, str] = {"en": "[The text ends]\n\n", "zh": "【正文结束】\n\n"}
# (one needle, several). `HINT` is the paper's tip-off, which a recipe can ask for: what to look for, and how many.
INTRODUCTION: dict[Lang, tuple[str, str]] = {
    "en": (
        "You will read a long text and answer a question about it.\n\n",
        "You will read a long text and answer some questions about it.\n\n",
    ),
    "zh": ("请阅读下面这篇很长的文章，并回答一个问题。\n\n", "请阅读下面这篇很长的文章，并回答几个问题。\n\n"),
}
HINT: dict[Lang, tuple[str, str]] = {
    "en": (
        "You will read a long text. One sentence in it, which has nothing to do with the rest, says what a certain "
        "object is called.\n\n",
        "You will read a long text. In it stand {count} sentences that have nothing to do with the rest; each of them "
        "says what a certain object is called.\n\n",
    ),
    "zh": (
        "请阅读下面这篇很长的文章。其中有一句话与上下文无关，说明了某件物品叫什么名字。\n\n",
        "请阅读下面这篇很长的文章。其中有{count}句话与上下文无关，分别说明了某件物品叫什么名字。\n\n",
    ),
}
# (one needle, several). `ASKED_ABOVE` follows the text if the question stands before it.
ASK: dict[Lang, tuple[str, str]] = {"en": ("Question: ", "Questions:\n"), "zh": ("问题：", "问题：\n")}
ASKED_ABOVE: dict[Lang, tuple[str, str]] = {
    "en": (
        "Now answer the question that stands before the text.",
        "Now answer the questions that stand before the text.",
    ),
    "zh": ("现在请回答正文之前提出的问题。", "现在请回答正文之前提出的那些问题。"),
}
# The last line of a prompt, (one needle, several), without and with the step of copying the evidence first.
DIRECT: dict[Lang, tuple[str, str]] = {
    "en": (
        "Reply with one line of the form “Answer: NAME”, where NAME is the name alone.",
        "Reply with “Answer:” and below it a numbered list of the names alone, one on each line, in the order of the "
        "questions: “1. NAME”, “2. NAME” and so on.",
    ),
    "zh": (
        "请只写一行“答案：”，后面只写名字。",
        "请写“答案：”，然后按问题的顺序逐行列出名字，每行一个，只写编号和名字：“1. 名字”“2. 名字”，依此类推。",
    ),
}
RECALL: dict[Lang, tuple[str, str]] = {
    "en": (
        "First copy out the sentence of the text that says it, word for word. Then end your reply with a line of the "
        "form “Answer: NAME”, where NAME is the name alone.",
        "First copy out the sentences of the text that say it, word for word. Then end your reply with “Answer:” and "
        "below it a numbered list of the names alone, one on each line, in the order of the questions: “1. NAME”, "
        "“2. NAME” and so on.",
    ),
    "zh": (
        "请先一字不差地抄出文中与问题最相关的那句话，然后在回答的最后一行写“答案：”，后面只写名字。",
        "请先一字不差地抄出文中与这些问题最相关的那几句话，然后在回答的最后写“答案：”，按问题的顺序逐行列出名字，"
        "每行一个，只写编号和名字：“1. 名字”“2. 名字”，依此类推。",
    ),
}
ANSWER_PREFIX: dict[Lang, str] = {"en": "Answer:", "zh": "答案："}
# For the task whose answer follows from several needles together.
REASONING_HINT: dict[Lang, str] = {
    "en": (
        "You will read a long text. In it stand {count} sentences that have nothing to do with the rest. Taken "
        "together, they give the answer to one question.\n\n"
    ),
    "zh": "请阅读下面这篇很长的文章。其中有{count}句话与上下文无关，把它们合在一起，就能得出一个问题的答案。\n\n",
}
REASONING_DIRECT: dict[Lang, str] = {
    "en": "Reply with one line of the form “Answer: X”, where X is the answer alone.",
    "zh": "请只写一行“答案：”，后面只写答案本身。",
}
REASONING_RECALL: dict[Lang, str] = {
    "en": (
        "First copy out the sentences of the text from which the answer follows, word for word. Then end your reply "
        "with a line of the form “Answer: X”, where X is the answer alone."
    ),
    "zh": "请先一字不差地抄出文中能推出答案的那几句话，然后在回答的最后一行写“答案：”，后面只写答案本身。",
}
