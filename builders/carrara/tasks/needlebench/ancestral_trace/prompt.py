"""The wording of the ancestral trace: statements of kinship, questions and the text around them, in both languages.

The task and its solver share these constants. A change to any of them changes every released row.

A statement ties a younger person to an elder over one generation (a parent) or two (a grandparent), in one of several
wordings of different length. The kinship term follows from the generations, the side (0: through the father, 1: through
the mother) and the sex (0: woman, 1: man). No statement contains anything else that could be a hint.
"""

from collections.abc import Mapping
from typing import Final, Literal

from carrara.task import Lang

Topology = Literal["chain", "tree", "graph"]
KinshipQuestion = Literal["eldest", "ancestor", "descendant", "distance"]

LETTERS: Final = "ABCD"

# What an elder is to a younger person: [generations - 1][side][sex].
ELDER: Final[Mapping[Lang, tuple[tuple[tuple[str, str], tuple[str, str]], ...]]] = {
    "en": (
        (("mother", "father"), ("mother", "father")),
        (("paternal grandmother", "paternal grandfather"), ("maternal grandmother", "maternal grandfather")),
    ),
    "zh": (
        (("母亲", "父亲"), ("母亲", "父亲")),
        (("祖母", "祖父"), ("外祖母", "外祖父")),
    ),
}
# The same in everyday words.
CALLED: Final[Mapping[Lang, tuple[tuple[tuple[str, str], tuple[str, str]], ...]]] = {
    "en": ELDER["en"],
    "zh": (
        (("妈妈", "爸爸"), ("妈妈", "爸爸")),
        (("奶奶", "爷爷"), ("外婆", "外公")),
    ),
}
# What a younger person is to an elder one: [generations - 1][side][sex of the younger].
YOUNGER: Final[Mapping[Lang, tuple[tuple[tuple[str, str], tuple[str, str]], ...]]] = {
    "en": (
        (("daughter", "son"), ("daughter", "son")),
        (("granddaughter", "grandson"), ("granddaughter", "grandson")),
    ),
    "zh": (
        (("女儿", "儿子"), ("女儿", "儿子")),
        (("孙女", "孙子"), ("外孙女", "外孙")),
    ),
}
# A parent by sex; of two generations, the parent in between by side.
PARENT: Final[Mapping[Lang, tuple[str, str]]] = {"en": ("mother", "father"), "zh": ("母亲", "父亲")}
BETWEEN: Final[Mapping[Lang, tuple[str, str]]] = {"en": ("father", "mother"), "zh": ("父亲", "母亲")}

# Statements of one generation and of two.
STATEMENTS: Final[Mapping[Lang, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "en": (
        (
            "{elder} is the {elder_term} of {younger}.",
            "{younger}'s {elder_term} is {elder}.",
            "The {elder_term} of {younger} is {elder}.",
            "{younger} is a {younger_term} of {elder}.",
            "{elder} has a {younger_term} called {younger}.",
            "{younger} was brought up by {elder}, who is the {elder_term} of the child.",
            "In the parish register, {elder} is entered as the {elder_term} of {younger}.",
            "Old letters speak of {younger} as a {younger_term} of {elder}.",
            "It is well known that {younger}'s {elder_term} is {elder}.",
            "According to the family papers, {younger} is a {younger_term} of {elder}.",
            "Whoever asks in the village hears that {elder} is the {elder_term} of {younger}.",
        ),
        (
            "{elder} is the {elder_term} of {younger}.",
            "{younger}'s {elder_term} is {elder}.",
            "The {elder_term} of {younger} is {elder}.",
            "{younger} is a {younger_term} of {elder}.",
            "{elder} has a {younger_term} called {younger}.",
            "{elder} is the {parent} of {younger}'s {between}.",
            "The {parent} of {younger}'s {between} is {elder}.",
            "In the parish register, {elder} is entered as the {elder_term} of {younger}.",
            "Old letters speak of {younger} as a {younger_term} of {elder}.",
            "It is well known that {younger}'s {elder_term} is {elder}.",
            "According to the family papers, {younger} is a {younger_term} of {elder}.",
            "Whoever asks in the village hears that {elder} is the {elder_term} of {younger}.",
        ),
    ),
    "zh": (
        (
            "{elder}是{younger}的{elder_term}。",
            "{younger}的{elder_term}是{elder}。",
            "{younger}是{elder}的{younger_term}。",
            "{elder}有个{younger_term}，叫{younger}。",
            "{younger}把{elder}叫作{called}。",
            "据家谱记载，{elder}是{younger}的{elder_term}。",
            "户籍册上写着，{younger}的{elder_term}名叫{elder}。",
            "邻居们都知道，{younger}是{elder}的{younger_term}。",
            "{elder}时常跟人说起自己的{younger_term}{younger}。",
            "{younger}从小就听人提起自己的{elder_term}{elder}。",
            "墓碑上刻着，{elder}是{younger}的{elder_term}。",
        ),
        (
            "{elder}是{younger}的{elder_term}。",
            "{younger}的{elder_term}是{elder}。",
            "{younger}是{elder}的{younger_term}。",
            "{elder}有个{younger_term}，叫{younger}。",
            "{younger}把{elder}叫作{called}。",
            "{elder}是{younger}的{between}的{parent}。",
            "据家谱记载，{elder}是{younger}的{elder_term}。",
            "户籍册上写着，{younger}的{elder_term}名叫{elder}。",
            "邻居们都知道，{younger}是{elder}的{younger_term}。",
            "{elder}时常跟人说起自己的{younger_term}{younger}。",
            "{younger}从小就听人提起自己的{elder_term}{elder}。",
            "墓碑上刻着，{elder}是{younger}的{elder_term}。",
        ),
    ),
}

INTRODUCTION: Final[Mapping[Lang, str]] = {
    "en": (
        "You will read statements about kinship, in no particular order. A parent stands one generation above a child, "
        "a grandparent two. Everybody has a name of their own, and no one is mentioned under two names.\n"
    ),
    "zh": (
        "下面会给出一些关于亲属关系的陈述，先后次序没有任何含义。父母比子女高一代，祖父母和外祖父母高两代。"
        "每个人只有一个名字，任何两个人的名字都不相同。\n"
    ),
}
# The explanation of the question, given once.
TOLD: Final[Mapping[Lang, Mapping[KinshipQuestion, str]]] = {
    "en": {
        "eldest": (
            "The question is to whom a person can be traced back: start from that person, go to every parent and "
            "grandparent that the statements give, then to theirs, and so on as far as possible. The eldest ancestor "
            "is the one who stands the most generations above the person asked about.\n"
        ),
        "ancestor": (
            "The question is who stands a given number of generations above a person: start from that person, go to "
            "every parent and grandparent that the statements give, then to theirs, and count the generations.\n"
        ),
        "descendant": (
            "The question is who stands a given number of generations below a person: start from that person, go to "
            "every child and grandchild that the statements give, then to theirs, and count the generations.\n"
        ),
        "distance": (
            "The question is how many generations one person stands above another: trace the younger one back to the "
            "elder one through parents and grandparents, and count the generations.\n"
        ),
    },
    "zh": {
        "eldest": (
            "问题是某个人最远能追溯到谁：从这个人出发，找出陈述中提到的父母、祖父母和外祖父母，再继续往上找，直到无法再找为止。"
            "比这个人高出代数最多的那一位，就是最年长的祖先。\n"
        ),
        "ancestor": (
            "问题是比某个人高若干代的祖先是谁：从这个人出发，找出陈述中提到的父母、祖父母和外祖父母，再继续往上找，并数清代数。\n"
        ),
        "descendant": (
            "问题是比某个人低若干代的后代是谁：从这个人出发，找出陈述中提到的子女、孙子孙女和外孙外孙女，再继续往下找，并数清代数。\n"
        ),
        "distance": (
            "问题是一个人比另一个人高几代：从晚辈出发，经由父母、祖父母和外祖父母一直找到那位长辈，并数清代数。\n"
        ),
    },
}
EXAMPLES: Final[Mapping[Lang, tuple[str, str]]] = {
    "en": (
        "One example with its answer comes first.\n",
        "{count} examples with their answers come first.\n",
    ),
    "zh": ("先给出一个例题及其答案。\n", "先给出{count}个例题及其答案。\n"),
}
NUMBERS: Final[Mapping[Lang, tuple[str, ...]]] = {
    "en": ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight"),
    "zh": ("零", "一", "两", "三", "四", "五", "六", "七", "八"),
}
EXAMPLE: Final[Mapping[Lang, str]] = {"en": "\nExample {number}\n", "zh": "\n例题{number}\n"}
PROBLEM: Final[Mapping[Lang, str]] = {"en": "\nProblem\n", "zh": "\n正式题目\n"}
# Lines of words around the statements, so that their newlines meet no other white space.
BEGIN: Final[Mapping[Lang, str]] = {"en": "[The statements begin]\n", "zh": "【陈述开始】\n"}
END: Final[Mapping[Lang, str]] = {"en": "[The statements end]\n\n", "zh": "【陈述结束】\n\n"}
QUESTIONS: Final[Mapping[Lang, Mapping[KinshipQuestion, str]]] = {
    "en": {
        "eldest": "Question: Who is the eldest ancestor to whom {asked} can be traced back?\n",
        "ancestor": "Question: Which ancestor of {asked} stands {count} generations above {asked}?\n",
        "descendant": "Question: Which descendant of {asked} stands {count} generations below {asked}?\n",
        "distance": "Question: How many generations does {other} stand above {asked}?\n",
    },
    "zh": {
        "eldest": "问题：{asked}能追溯到的最年长的祖先是谁？\n",
        "ancestor": "问题：比{asked}高{count}代的祖先是谁？\n",
        "descendant": "问题：比{asked}低{count}代的后代是谁？\n",
        "distance": "问题：{other}比{asked}高几代？\n",
    },
}
OPTION: Final = "{letter}. {text}\n"
ANSWER: Final[Mapping[Lang, str]] = {"en": "Answer: {letter}\n", "zh": "答案：{letter}\n"}
ANSWER_PREFIX: Final[Mapping[Lang, tuple[str, str]]] = {"en": ("Answer:", "Reasoning:"), "zh": ("答案：", "推理：")}
# The last line of a prompt, direct and reasoned.
HOW: Final[Mapping[Lang, tuple[str, str]]] = {
    "en": (
        "Reply with one line of the form “Answer: X”, where X is the letter of the right option.\n",
        "Reason step by step from the person asked about, and end your reply with a line of the form “Answer: X”, "
        "where X is the letter of the right option.\n",
    ),
    "zh": (
        "请只写一行“答案：X”，其中X是正确选项的字母。\n",
        "请从所问的人开始逐步推理，并在回答的最后一行写“答案：X”，其中X是正确选项的字母。\n",
    ),
}

# The reasoning path of an example: one sentence a statement, then what follows from them.
REASONING: Final[Mapping[Lang, str]] = {"en": "Reasoning: ", "zh": "推理："}
STEP_UP: Final[Mapping[Lang, str]] = {
    "en": "{elder} is the {elder_term} of {younger}, {count} above {asked}. ",
    "zh": "{elder}是{younger}的{elder_term}，比{asked}高{count}。",
}
# Of a statement that does not say whether the elder is a man or a woman.
STEP_UP_UNTOLD: Final[Mapping[Lang, str]] = {
    "en": "{younger} is a {younger_term} of {elder}, who is {count} above {asked}. ",
    "zh": "{younger}是{elder}的{younger_term}，{elder}比{asked}高{count}。",
}
STEP_DOWN: Final[Mapping[Lang, str]] = {
    "en": "{younger} is a {younger_term} of {elder}, {count} below {asked}. ",
    "zh": "{younger}是{elder}的{younger_term}，比{asked}低{count}。",
}
GENERATIONS: Final[Mapping[Lang, tuple[str, str]]] = {
    "en": ("1 generation", "{count} generations"),
    "zh": ("1代", "{count}代"),
}
NO_FURTHER: Final[Mapping[Lang, str]] = {
    "en": "No parent or grandparent of {elder} is stated. ",
    "zh": "陈述中没有提到{elder}的父母或祖辈。",
}
OTHER_ROOT: Final[Mapping[Lang, str]] = {
    "en": "Another line from {asked} ends earlier, with {elder}, {count} above. ",
    "zh": "从{asked}往上的另一支只到{elder}，高{count}。",
}
CONCLUSION: Final[Mapping[Lang, Mapping[KinshipQuestion, str]]] = {
    "en": {
        "eldest": "So the eldest ancestor is {gold}.\n",
        "ancestor": "So the ancestor asked for is {gold}.\n",
        "descendant": "So the descendant asked for is {gold}.\n",
        "distance": "So the number of generations is {gold}.\n",
    },
    "zh": {
        "eldest": "所以最年长的祖先是{gold}。\n",
        "ancestor": "所以要找的祖先是{gold}。\n",
        "descendant": "所以要找的后代是{gold}。\n",
        "distance": "所以一共高{gold}代。\n",
    },
}
