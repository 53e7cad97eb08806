"""Entity grouping: which forms of an answer are read, what costs, copies in order, and hostile megabytes."""

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carrara.scoring import METRICS, score_response
from carrara.scoring.metrics.grouping import per_class

GROUPS = {
    "Company": ["Acme Ltd.", "Borealis SA"],
    "Office holder": ["Ilde Marn"],
    "Film": ["The Long Night (film)", "1984", "Star: A Story"],
}
NAMES = [name for names in GROUPS.values() for name in names]
GOLD = "\n".join(f"{label}: {'; '.join(names)}" for label, names in GROUPS.items())
PROMPT = f"Sort these names.\n\n{', '.join(NAMES)}\n\nThe classes are: Company, Office holder, Film.\n"
ROW = {
    "answers": [GOLD],
    "facts": json.dumps({"n": 6, "classes": list(GROUPS)}),
    "prompt": PROMPT,
    "metric": "grouping/f1",
}
COPY = {"answers": [", ".join(NAMES)], "facts": json.dumps({"n": 6}), "prompt": PROMPT, "metric": "grouping/f1"}
SOUND = ("grouping/f1", "grouping/category_recall", "grouping/global_recall")
ALL = (*SOUND, "grouping/category_recall/paper")


def score(response, metric="grouping/f1", row=ROW):
    return METRICS[metric](response, row)


def lines(**changed):
    """The gold with the names of some classes changed; a class without names is left out."""
    names = GROUPS | {label.replace("_", " "): names for label, names in changed.items()}
    return "\n".join(f"{label}: {'; '.join(each)}" for label, each in names.items() if each)


HEADINGS = "\n\n".join(f"## {label}\n" + "\n".join(f"- {name}" for name in names) for label, names in GROUPS.items())
RIGHT = {
    "gold": GOLD,
    "another order": "\n".join(reversed(GOLD.split("\n"))),
    "windows": GOLD.replace("\n", "\r\n\r\n"),
    "commas": GOLD.replace("; ", ", "),
    "one a line": GOLD.replace("; ", "\n").replace(": Acme", ":\nAcme"),
    "spaces": GOLD.replace("; ", " ;   ").replace("Ilde Marn", " Ilde  Marn "),
    "case of labels": GOLD.replace("Office holder", "OFFICE HOLDER").replace("Film:", "film :"),
    "bold labels": GOLD.replace("Company:", "**Company:**").replace("Film:", "- **Film**:"),
    "numbered labels": GOLD.replace("Company:", "1. Company:").replace("Film:", "3) Film:"),
    "headings": HEADINGS,
    "bold headings": HEADINGS.replace("## Company", "**Company**").replace("## Film", "### 3. Film (3)"),
    "star bullets": HEADINGS.replace("- ", "* "),
    "numbers": HEADINGS.replace("- Acme", "1. Acme").replace("- Borealis", "2. Borealis"),
    "quoted": HEADINGS.replace("- Ilde Marn", '- "Ilde Marn"').replace("- 1984", "- **1984**"),
    "an introduction": f"Here are the names, sorted:\n\n{GOLD}",
    "a full stop": GOLD.replace("Ilde Marn", "Ilde Marn."),
    "a fence": f"```\n{GOLD}\n```",
    "plurals": GOLD.replace("Company", "Companies").replace("holder", "holders").replace("Film:", "Films:"),
    "counts": GOLD.replace("Company:", "Company (2):").replace("Film:", "**Film (3)**:"),
    "kinds": GOLD.replace("Company:", "Class: Company:").replace("Film: ", "Category 3: Film\n"),
    "dashes": GOLD.replace("Company: ", "**Company** - ").replace("Film: ", "Film — "),
    "and": GOLD.replace("; Borealis", ", and Borealis").replace("; ", ", "),
    "a table": "| Class | Names |\n|---|---|\n" + "\n".join(f"| {c} | {'; '.join(n)} |" for c, n in GROUPS.items()),
    "a table with counts": "| Class | # | Names |\n|:--|--:|---|\n"
    + "\n".join(f"| **{c}** | {len(n)} | {'<br>'.join(n)} |" for c, n in GROUPS.items()),
    "a table of names": "| Name | Class |\n|---|---|\n"
    + "\n".join(f"| {name} | {c} |" for c, names in GROUPS.items() for name in names),
    "a table of columns": f"| {' | '.join(GROUPS)} |\n|---|---|---|\n"
    + "\n".join(f"| {' | '.join([*names[n:], ''][0] for names in GROUPS.values())} |" for n in range(3)),
    "an answer": f"The names are {', '.join(NAMES)}.\n\n**Answer:**\n{GOLD}",
    "a remark": f"{GOLD}\n\nLet me know, please, if you need anything else!",
    "json": json.dumps(GROUPS),
    "json in a fence": f"Sure [of it]!\n```json\n{json.dumps(GROUPS, indent=2)}\n```\nDone.",
    "json with other keys": json.dumps({"OfficeHolder": GROUPS["Office holder"], "company": GROUPS["Company"]})[:-1]
    + f', "FILM": {json.dumps(GROUPS["Film"])}}}',
    "json in a wrapper": json.dumps({"classes": list(GROUPS), "groups": GROUPS}),
    "json records": json.dumps([{"category": label, "entities": names} for label, names in GROUPS.items()]),
    "json pairs": json.dumps([{"entity": name, "class": label} for label, names in GROUPS.items() for name in names]),
    "json by name": json.dumps({name: label for label, names in GROUPS.items() for name in names}),
    "json with a number": json.dumps(GROUPS).replace('"1984"', "1984"),
    "json with a count": json.dumps([{"class": c, "count": len(n), "names": n} for c, n in GROUPS.items()]),
    "json with a key twice": json.dumps({"Company": ["Acme Ltd."], "Office holder": ["Ilde Marn"]})[:-1]
    + f', "Company": ["Borealis SA"], "Film": {json.dumps(GROUPS["Film"])}}}',
}


@pytest.mark.parametrize("form", RIGHT)
def test_every_form_of_the_right_answer_scores_1(form):
    assert {metric: score(RIGHT[form], metric) for metric in SOUND} == dict.fromkeys(SOUND, 1.0)


@pytest.mark.parametrize(
    ("what", "response", "f1", "category", "global_", "paper"),
    [
        ("nothing", "", 0, 0, 0, 0),
        ("no class", ", ".join(NAMES), 0, 0, 0, 0),
        ("left out", lines(Company=["Acme Ltd."]), 10 / 11, 2.5 / 3, 5 / 6, 2.5 / 3),
        ("a class left out", lines(Office_holder=[]), 10 / 11, 2 / 3, 5 / 6, 2 / 3),
        ("invented", lines(Company=["Acme Ltd.", "Borealis SA", "Made Up"]), 12 / 13, 1, 1, 1),
        ("twice in a class", lines(Company=["Acme Ltd.", "Acme Ltd.", "Borealis SA"]), 12 / 13, 1, 1, 1),
        ("under two classes", lines(Office_holder=["Ilde Marn", "1984"]), 10 / 13, (2 + 2 / 3) / 3, 1, 1),
        (
            "under the wrong class",
            lines(Company=["Acme Ltd."], Office_holder=["Ilde Marn", "Borealis SA"]),
            10 / 12,
            2.5 / 3,
            1,
            2.5 / 3,
        ),
        ("another case", GOLD.replace("Ilde", "ilde"), 1, 1, 1, 2 / 3),
        ("another apostrophe", GOLD.replace("SA", "S.A."), 10 / 12, 2.5 / 3, 5 / 6, 2.5 / 3),
        ("all under one", f"Film: {'; '.join(NAMES)}", 2 * 3 / 12, 1 / 3, 1, 1 / 3),
        ("all under all", "\n".join(f"{label}: {'; '.join(NAMES)}" for label in GROUPS), 0, 0, 1, 1),
        ("the prompt", PROMPT, 0, 0, 0, 0),
        ("the prompt and the gold", f"{PROMPT}\n{GOLD}", 0, 0, 0, None),
        ("an unknown class", json.dumps(GROUPS | {"Plant": ["Ilde Marn"]}), 12 / 13, 1, 1, 1),
        ("white space in JSON", json.dumps(GROUPS | {"Office holder": [" Ilde Marn"]}), 1, 1, 1, 2 / 3),
    ],
)
def test_what_costs(what, response, f1, category, global_, paper):
    found = [score(response, metric) for metric in ALL]
    wanted = [f1, category, global_, found[3] if paper is None else paper]
    assert found == pytest.approx(wanted), what


@pytest.mark.parametrize(
    "response",
    [
        "\n".join(NAMES),
        "\n".join(f"{n}. {name}" for n, name in enumerate(NAMES, 1)),
        json.dumps(NAMES),
        f"Here are the names:\n{', '.join(NAMES)}\n\nI hope that this helps!",
        f"Answer: {', '.join(NAMES)}.",
        "| # | Name |\n|---|---|\n" + "\n".join(f"| {n} | {name} |" for n, name in enumerate(NAMES, 1)),
    ],
)
def test_every_form_of_a_copy_scores_1(response):
    assert score(response, row=COPY) == 1


def test_the_published_recall_takes_names_as_they_stand():
    spaced = json.dumps(GROUPS | {"Office holder": [" Ilde Marn"]})
    assert score(spaced, "grouping/global_recall") == 1
    assert score(spaced, "grouping/global_recall/paper") == pytest.approx(5 / 6)


def test_recall_of_every_class():
    assert per_class(GOLD, ROW) == {"Company": 1, "Office holder": 1, "Film": 1}
    assert per_class(lines(Company=["Acme Ltd."], Film=["1984"]), ROW) == pytest.approx(
        {"Company": 0.5, "Office holder": 1, "Film": 1 / 3}
    )
    assert per_class("", ROW) == {"Company": 0, "Office holder": 0, "Film": 0}
    assert per_class(COPY["answers"][0], COPY) == {}


@pytest.mark.parametrize(
    ("response", "value"),
    [
        (", ".join(NAMES), 1),
        ("\n".join(NAMES), 1),
        ("; ".join(NAMES), 1),
        (json.dumps(NAMES), 1),
        ("Answer: " + ", ".join(NAMES), 1),
        ("\n".join(f"{number}. {name}" for number, name in enumerate(NAMES, 1)), 1),
        ("", 0),
        (", ".join(NAMES[1:]), 10 / 11),
        (", ".join([*NAMES, NAMES[0]]), 12 / 13),
        (", ".join([NAMES[0], *NAMES]), 12 / 13),
        (", ".join([NAMES[1], NAMES[0], *NAMES[2:]]), 10 / 12),
        (", ".join(reversed(NAMES)), 2 / 12),
        (", ".join(["Made Up", *NAMES]), 12 / 13),
        (PROMPT, 0),
    ],
)
def test_a_copy_is_scored_in_order(response, value):
    assert score(response, row=COPY) == pytest.approx(value)
    assert 0 <= score(response, "grouping/category_recall", COPY) == score(response, "grouping/global_recall", COPY)


def test_names_that_look_like_marks():
    names = ["1. FC Köln", "-ismist Recordings", "Dr. No", '"Weird Al"', "C*", "[untitled]", "If...."]
    row = {"answers": [f"Company: {'; '.join(names)}"], "facts": {"classes": ["Company"]}}
    for response in (
        row["answers"][0],
        "Company:\n" + "\n".join(names),
        "Company:\n" + "\n".join(f"- {name}" for name in names),
        "Company:\n" + "\n".join(f"{number}. {name}" for number, name in enumerate(names, 1)),
        "Company:\n" + "\n".join(f"* **{name}**" for name in names),
    ):
        assert score(response, row=row) == 1, response
    # The same letter, composed and not.
    assert score(row["answers"][0].replace("ö", "o\u0308"), row=row) == 1


def test_the_read_bound_only_lowers_a_score():
    assert score("x " * 20_000 + "\n" + GOLD) == 0
    assert score(GOLD + "\nMade Up" * 10_000) < 12 / 10_000
    assert score(GOLD + "\n" + " " * 100_000) == 1
    assert score("\n" * 19_000 + GOLD) == 1


def test_the_metric_of_the_row():
    assert score_response(ROW, GOLD).value == 1
    assert score_response(ROW, None).value is None
    assert score_response({**ROW, "facts": json.loads(ROW["facts"])}, GOLD).value == 1
    assert score(GOLD, row={"answers": [], "facts": ""}) == 0


# --- hostile text -----------------------------------------------------------------------------------------------------

LARGE = [f"Name {number} of Class {number % 14}" for number in range(10_000)]
LABELS = [f"Class {number}" for number in range(14)]
LARGE_ROW = {
    "answers": ["\n".join(f"{label}: {'; '.join(LARGE[number::14])}" for number, label in enumerate(LABELS))],
    "facts": json.dumps({"classes": LABELS}),
}
HOSTILE = (
    *("[", "{", '{"a":', '[{"Film":', "(", "]", "}", "a", "1", " ", "\n", "\n ", "\r", ";", ",", ":", "a;", "Film:"),
    *("Film: a\n", "\nFilm\n", "- ", "\n- a", "* ", "1. ", "#", "`", "```\n", '"', '\\"', "\x00", "\ud800", "\ufeff"),
    *(
        "\u0316\u0301",
        "a\u0301\u0316;",
        "İ",
        "月",
        "9,",
        "1;2,3\n",
        "Film: [",
        "{}",
        '["a"],',
        "**Film**\n",
        "Class 3: Name 3\n",
        "Answer:\n",
        "答案：",
    ),
)


@pytest.mark.repeat
@pytest.mark.parametrize("unit", HOSTILE)
def test_a_hostile_megabyte_takes_less_than_a_second(unit):
    text = unit * (1_000_000 // len(unit))
    for row in (ROW, COPY):
        for metric in ALL:
            assert took(text, metric, row) < 1, metric
    # A row of 300,000 tokens is read further.
    assert took(text, "grouping/f1", LARGE_ROW) < 2


def took(text, metric, row):
    """Seconds of this process: other work on the machine does not count."""
    start = time.process_time()
    assert 0 <= score(text, metric, row) <= 1
    return time.process_time() - start


def test_a_long_row_is_scored_in_a_second():
    assert took(LARGE_ROW["answers"][0], "grouping/f1", LARGE_ROW) < 1.5
    assert score(LARGE_ROW["answers"][0], row=LARGE_ROW) == 1


def test_ten_thousand_brackets():
    deep = "[" * 10_000 + '"Acme Ltd."' + "]" * 10_000
    objects = '{"Film": ' * 10_000 + "1" + "}" * 10_000
    for text in (deep, objects, f"{deep}\n{GOLD}", f"{objects}\n{GOLD}"):
        assert 0 <= score(text) <= 1
    assert score(f"{'[' * 10_000}\n{GOLD}") == 1


@given(
    st.text(
        st.one_of(st.characters(), st.sampled_from("[]{}:;,\"'`*#-\n 1984Film"), st.characters(categories=["Cs"])),
        max_size=200,
    )
)
def test_any_text_scores(text):
    for row in (ROW, COPY):
        for metric in ALL:
            for response in (text, f"Film: {text}", f"{GOLD}\n{text}", f'{{"Film": ["{text}"]}}'):
                value = score(response, metric, row)
                assert isinstance(value, float) and 0 <= value <= 1
        assert score(f"{text}", row=row) <= 1


@given(st.permutations(NAMES), st.lists(st.sampled_from([*NAMES, "Made Up"]), max_size=3))
def test_only_the_gold_scores_1(names, more):
    labels = iter(GROUPS)
    cut = [names[:2], names[2:3], names[3:]]
    response = "\n".join(f"{next(labels)}: {'; '.join(each)}" for each in cut) + "".join(f"; {name}" for name in more)
    right = [sorted(each) for each in cut] == [sorted(each) for each in GROUPS.values()] and not more
    assert (score(response) == 1) == right
    copied = ", ".join([*names, *more])
    assert (score(copied, row=COPY) == 1) == (names == NAMES and not more)
