"""What the placeholders of `tests/scoring/natural/*.toml` stand for in a row.

A placeholder is a text ({gold}) or a list in a form ({golds_numbered}: `golds`, numbered). `ways` fills in those of a
file that hold for a row: of the group "every" and of the kinds of row that the row is.
"""

import calendar
import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from folders import ROOT

from carrara.text.fold import fold

FOLDER = ROOT / "tests" / "scoring" / "natural"
WHO = ("chat", "reasoning", "base", "lazy")
Row = Mapping[str, Any]


def _numbered(items: Sequence[str], form: str = "{}. {}", joint: str = "\n") -> str:
    return joint.join(form.format(number, item) for number, item in enumerate(items, 1))


def _and(items: Sequence[str], joint: str = ", ", last: str = " and ") -> str:
    return last.join(filter(None, (joint.join(items[:-1]), items[-1])))


FORMS: dict[str, Callable[[Sequence[str]], str]] = {
    "commas": ", ".join,
    "commas_and": _and,
    "semicolons": "; ".join,
    "tight": ",".join,
    "spaces": " ".join,
    "paragraph": " ".join,
    "lines": "\n".join,
    "blank_lines": "\n\n".join,
    "paragraphs": "\n\n".join,
    "arrows": " > ".join,
    "tight_arrows": ">".join,
    "dun": "、".join,
    "zh_commas": "，".join,
    "zh_and": lambda items: _and(items, "、", "和"),
    "numbered": _numbered,
    "bold_numbered": lambda items: _numbered(items, "{}. **{}**"),
    "quoted_numbered": lambda items: _numbered(items, '{}. "{}"'),
    "parens": lambda items: _numbered(items, "{}) {}"),
    "inline": lambda items: _numbered(items, joint=" "),
    "zh_numbered": lambda items: _numbered(items, "{}、{}"),
    "zh_parens": lambda items: _numbered(items, "（{}）{}"),
    "circled": lambda items: "\n".join(chr(0x2460 + place) + item for place, item in enumerate(items)),
    "bullets": lambda items: "\n".join(f"- {item}" for item in items),
    "stars": lambda items: "\n".join(f"* {item}" for item in items),
    "dashes": lambda items: "\n".join(f"– {item}" for item in items),
    "quotes": lambda items: "\n".join(f"> {item}" for item in items),
    "quoted": lambda items: "\n".join(f'"{item}"' for item in items),
    "rows": lambda items: _numbered(items, "| {} | {} |"),
    "table": lambda items: "| # | Answer |\n|---|---|\n" + _numbered(items, "| {} | {} |"),
    "json": lambda items: json.dumps(list(items), ensure_ascii=False),
    "numbers_json": lambda items: json.dumps([int(item) for item in items]),
}


@dataclass(frozen=True, slots=True)
class Said:
    """The kinds of row that a row is, and what its placeholders stand for."""

    kinds: frozenset[str]
    texts: dict[str, str]
    lists: dict[str, list[str]] = field(default_factory=dict)

    def fill(self, template: str) -> str:
        """Fill in a way of saying it. Raises KeyError for a placeholder that nothing stands for."""
        # In JSON texts stand in quotes.
        is_json = template.strip().startswith(('{"', "```json"))

        def filled(place: re.Match[str]) -> str:
            text = self.texts[place[1]] if place[1] in self.texts else self._listed(place[1])
            return json.dumps(text, ensure_ascii=False)[1:-1] if is_json and not place[1].endswith("_json") else text

        return re.sub(r"\{([a-z_0-9]+)\}", filled, template)

    def _listed(self, place: str) -> str:
        for at in range(len(place) - 1, 0, -1):
            if place[at] == "_" and place[:at] in self.lists and place[at + 1 :] in FORMS:
                return FORMS[place[at + 1 :]](self.lists[place[:at]])
        raise KeyError(place)


@cache
def file_of(task: str, lang: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / f"{task}_{lang}.toml").read_text(encoding="utf-8"))


def language(variant: str) -> str:
    return "zh" if variant == "zh" or variant.endswith("_zh") else "en"


def ways(said: Said, task: str, lang: str) -> Iterator[tuple[str, str, str, str]]:
    """Each way of saying it that holds for a row: right or wrong, who says it, the template, the text."""
    for kind, sides in file_of(task, lang).items():
        if kind == "every" or kind in said.kinds:
            for side, by_whom in sides.items():
                for who, templates in by_whom.items():
                    for template in templates:
                        yield side, who, template, said.fill(template)


def said_in(rows: Sequence[Row], place: int) -> Said:
    """What stands for the placeholders in a row, beside other rows of its variant."""
    row = rows[place]
    others = [one for one in (*rows[place + 1 :], *rows[:place]) if one["answers"] != row["answers"]]
    return _READERS[row["task"]](row, others)


def _facts(row: Row) -> dict[str, Any]:
    return json.loads(row["facts"])


def _unlike(answers: Sequence[str], others: Sequence[str], taken: Sequence[str] = ()) -> list[str]:
    """Those of `others` that neither hold an answer nor stand in one, then made-up ones."""
    told = [fold(answer) for answer in (*answers, *taken)]
    kept: list[str] = []
    for other in (*others, "Ambrose Pell", "Winifred Oake", "Tobias Quill"):
        text = fold(other)
        if not any(text in one or one in text for one in (*told, *map(fold, kept))):
            kept.append(other)
    return kept


_MONTHS = list(calendar.month_name)[1:]
_DATE = re.compile(rf"\b([0-9]{{1,2}}) ({'|'.join(_MONTHS)}) ([0-9]{{4}})\b")


def _rewritten(gold: str) -> tuple[str, str]:
    """An answer in two other notations, where it has others."""
    if date := _DATE.search(gold):
        day, month = int(date[1]), _MONTHS.index(date[2]) + 1
        ending = "th" if 10 < day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        return _DATE.sub(rf"{day}{ending} \2 \3", gold), _DATE.sub(rf"\3-{month:02}-{day:02}", gold)
    if re.fullmatch("[0-9]{1,3}(,[0-9]{3})+", gold):
        return gold.replace(",", ""), gold
    if "&" in gold or gold.endswith(" Limited"):
        plain = gold.replace(" & ", " and ")
        return plain, re.sub(" Limited$", " Ltd.", plain)
    return gold, gold


def _one(row: Row, others: Sequence[Row], kinds: Sequence[str] = ()) -> Said:
    """A row with one short answer."""
    facts, gold = _facts(row), row["answers"][0]
    accepted = [*row["answers"], *facts.get("accepted", ())]
    wrong = _unlike(accepted, [other["answers"][0] for other in others])
    rewritten, rewritten2 = _rewritten(gold)
    return Said(
        frozenset(kinds),
        {
            "gold": gold,
            "lower": gold.lower(),
            "upper": gold.upper(),
            "wrong": wrong[0],
            "wrong2": wrong[1],
            "rewritten": rewritten,
            "rewritten2": rewritten2,
            "question": facts.get("question") or facts.get("asked") or "",
        },
        {"candidates": [wrong[0], gold, *wrong[1:3]]},
    )


def _needle(row: Row, others: Sequence[Row]) -> Said:
    said, facts = _one(row, others), _facts(row)
    (needle,) = facts["needles"]
    said.texts.update(
        object=needle["object"],
        place=needle["place"],
        sentence=facts["reference"][0],
        wrong_sentence=_facts(others[0])["reference"][0],
    )
    return said


def _needles(row: Row, others: Sequence[Row]) -> Said:
    said, facts, lang = _one(row, others), _facts(row), language(row["variant"])
    golds = list(row["answers"])
    shifted, needles = [*golds[1:], *golds[:1]], facts["needles"]
    names = {"golds": golds, "shifted": shifted}
    tell, label, head, either, unknown, deny = {
        "en": ("The {} at {} is called {}.", "{} at {}: {}", "| Object | Name |", " or ", "unknown", "not "),
        "zh": ("{1}的{0}叫{2}。", "{1}的{0}：{2}", "| 物品 | 名字 |", "或", "不知道", "不是"),
    }[lang]
    for which, prefix in (("golds", ""), ("shifted", "mis")):
        pairs = list(zip(needles, names[which], strict=True))
        for name, form in (("told", tell), ("labelled", label)):
            said.lists[prefix + name] = [form.format(one["object"], one["place"], gold) for one, gold in pairs]
        table = [f"| {one['object']} | {gold} |" for one, gold in pairs]
        said.texts[f"{prefix}labelled_table"] = "\n".join((head, "|---|---|", *table))
    other = list(others[0]["answers"])
    said.lists.update(
        names,
        others=other,
        every=[*other, *golds, *others[1]["answers"]],
        either=[f"{gold}{either}{wrong}" for gold, wrong in zip(golds, shifted, strict=True)],
        unknown=[unknown] * len(golds),
        denied=[deny + gold for gold in golds],
        objects=[needle["object"] for needle in needles],
        sentences=facts["reference"],
        lower=[gold.lower() for gold in golds],
        upper=[gold.upper() for gold in golds],
    )
    return said


def _reasoned(row: Row, others: Sequence[Row]) -> Said:
    said, facts = _one(row, others), _facts(row)
    names = [name for name in facts["names"] if name not in facts["accepted"]]
    said.texts.update(middle=names[-1], asked=facts["asked"])
    said.lists["sentences"] = facts["reference"]
    return said


def _choice(row: Row, others: Sequence[Row], kinds: Sequence[str] = ("choice",)) -> Said:
    facts, gold = _facts(row), row["answers"][0]
    options = row["choices"] or facts["options"]
    letters = [chr(ord("A") + place) for place in range(len(options))]
    wrong = [place for place, letter in enumerate(letters) if letter != gold]
    if row["task"] == "idk":
        wrong = sorted((place for place in wrong if place < 3), key=lambda place: options[place] != facts["held"])
    right = options[letters.index(gold)]
    texts = {"letter": gold, "option": right, "gold": gold, "lower": gold.lower(), "lower_option": right.lower()}
    for number, place in enumerate(wrong[:2], 2):
        texts.update({f"letter{number}": letters[place], f"option{number}": options[place]})
    marked = [f"({letter}) {option}" for letter, option in zip(letters, options, strict=True)]
    return Said(frozenset(kinds), texts, {"letters": letters, "options": marked})


def _idk(row: Row, others: Sequence[Row]) -> Said:
    said = _choice(row, others, ["unknown" if row["answers"] == ["D"] else "known"])
    person, person2 = _facts(row)["names"][0]
    said.texts.update(person=person, person2=person2)
    return said


def _latent_list(row: Row, others: Sequence[Row]) -> Said:
    facts, gold = _facts(row), row["answers"][0]
    call = "len(a)" if facts["view"] == "len" else "a[{}:{}]".format(*facts["slice"])
    if facts["view"] not in ("len", "print"):
        call = f"{facts['view']}({call})"
    if not gold.startswith("["):
        number = int(gold)
        away = 1 if number >= 0 else -1
        texts = {
            "gold": gold,
            "wrong": str(2 * number + 7 * away),
            "wrong2": str(3 * number + 11 * away),
            "grouped": f"{number:,}",
            "minus": gold.replace("-", "\u2212"),
            "call": call,
        }
        return Said(frozenset({"number"}), texts)
    items = json.loads(gold)
    wrong = [item + 5 for item in items] or [1]
    texts = {
        "gold": gold,
        "wrong": str(wrong),
        "items": gold.strip("[]"),
        "tight": gold.replace(" ", ""),
        "lines": "\n".join(map(str, items)),
        "longer": str([*items, 1]),
        "reversed": str(items[::-1] if items[::-1] != items else [*items, *items]),
        "call": call,
    }
    return Said(frozenset({"list"}), texts)


def _straight(text: str) -> str:
    return text.translate(str.maketrans("“”‘’", "\"\"''"))


def _mrcr(row: Row, others: Sequence[Row]) -> Said:
    string, other = _facts(row)["string"], _facts(others[0])["string"]
    piece = row["answers"][0].removeprefix(string)
    return Said(
        frozenset(),
        {
            "string": string,
            "piece": piece,
            "other": others[0]["answers"][0].removeprefix(other),
            "wrong_string": other,
            "piece_quoted": "\n".join(f"> {line}".rstrip() for line in piece.split("\n")),
            "piece_straight": _straight(piece),
            "piece_one_line": " ".join(piece.split()),
            "scrap": piece[:40],
            "letters": "abcdefghijklmnopqrstuvwxyz " * (len(piece) // 27),
        },
    )


def _shuffled(items: Sequence[str]) -> list[str]:
    return sorted(items, key=lambda item: hashlib.sha256(item.encode()).digest())


def _numbers(row: Row, others: Sequence[Row]) -> Said:
    golds, order = row["answers"][0].split(", "), _facts(row)["order"]
    values = sorted(map(int, golds))
    step = (values[-1] - values[0]) // len(golds)
    spaced = [str(values[0] + step // 2 + place * step) for place in range(len(golds))]
    lists = {
        "golds": golds,
        "golds_reversed": golds[::-1],
        "grouped": [f"{int(gold):,}" for gold in golds],
        "listed": sorted(golds, key=row["prompt"].rfind),
        "ordered": list(map(str, values)),
        "spaced": spaced[::-1] if order == "descending" else spaced,
        "others": others[0]["answers"][0].split(", "),
        "scrambled": _shuffled(golds),
        "few": golds[: len(golds) // 10],
    }
    return Said(
        frozenset({"verbatim" if order == "verbatim" else "sorted"}), {"first": golds[0], "last": golds[-1]}, lists
    )


_PLURALS = {"Company": "Companies", "Mean of transportation": "Means of transportation"}
Groups = Mapping[str, Sequence[str]]


def _of_groups(groups: Groups, form: str, joint: str = "; ", between: str = "\n") -> str:
    return between.join(
        form.format(name, joint.join(names), number) for number, (name, names) in enumerate(groups.items(), 1)
    )


GROUP_FORMS: dict[str, Callable[[Groups], str]] = {
    "lines": lambda groups: _of_groups(groups, "{}: {}"),
    "bold": lambda groups: _of_groups(groups, "**{}:** {}"),
    "bold_bullets": lambda groups: _of_groups(groups, "- **{}**: {}"),
    "headings": lambda groups: _of_groups(groups, "### {}\n\n- {}", "\n- ", "\n\n"),
    "bullets": lambda groups: _of_groups(groups, "- {}: {}"),
    "numbered": lambda groups: _of_groups(groups, "{2}. {0}: {1}"),
    "numbered_bold": lambda groups: _of_groups(groups, "{2}. **{0}:** {1}"),
    "table": lambda groups: "| Class | Names |\n|---|---|\n" + _of_groups(groups, "| {} | {} |"),
    "row_table": lambda groups: (
        "| Name | Class |\n|---|---|\n"
        + "\n".join(f"| {name} | {group} |" for group, names in groups.items() for name in names)
    ),
    "json": lambda groups: json.dumps(groups, ensure_ascii=False, indent=2),
    "commas": lambda groups: _of_groups(groups, "{}: {}", ", "),
    "plural": lambda groups: _of_groups(_plural(groups), "{}: {}"),
    "plural_headings": lambda groups: _of_groups(_plural(groups), "## {}\n{}\n", "\n"),
    "plural_lower": lambda groups: _of_groups(_plural(groups), "{}: {}").replace("\n", "\n\n"),
    "upper": lambda groups: _of_groups({name.upper(): names for name, names in groups.items()}, "{}: {}"),
    "lower": lambda groups: _of_groups(groups, "{}: {}").lower(),
    "reversed": lambda groups: _of_groups(dict(reversed(groups.items())), "{}: {}"),
    "spaced": lambda groups: _of_groups(groups, "{}:\n{}", between="\n\n"),
    "nested": lambda groups: _of_groups(groups, "- {}:\n  - {}", "\n  - "),
    "tight": lambda groups: _of_groups(groups, "{}:{}", ";"),
    "dashes": lambda groups: _of_groups(groups, "{} – {}"),
}


def _plural(groups: Groups) -> Groups:
    return {_PLURALS.get(name, f"{name}s"): names for name, names in groups.items()}


def _groups_of(row: Row) -> dict[str, list[str]]:
    lines = (line.partition(": ") for line in row["answers"][0].split("\n"))
    return {name: names.split("; ") for name, _, names in lines}


def _grouping(row: Row, others: Sequence[Row]) -> Said:
    if not _facts(row).get("classes"):
        golds = row["answers"][0].split(", ")
        lists = {
            "golds": golds,
            "golds_lower": [gold.lower() for gold in golds],
            "golds_reversed": golds[::-1],
            "golds_shuffled": _shuffled(golds),
            "golds_few": golds[: len(golds) // 10],
            "others": others[0]["answers"][0].split(", "),
        }
        return Said(frozenset({"verbatim"}), {}, lists)
    groups = _groups_of(row)
    names = sorted((name for listed in groups.values() for name in listed), key=row["prompt"].find)
    classes = list(groups)
    written = {
        "groups": groups,
        "rotated": dict(zip(classes, [*list(groups.values())[1:], *list(groups.values())[:1]], strict=True)),
        "single": {classes[0]: names},
        "everywhere": dict.fromkeys(classes, names),
        "others_groups": _groups_of(others[0]),
    }
    texts = {f"{which}_{form}": write(of) for which, of in written.items() for form, write in GROUP_FORMS.items()}
    texts["groups_first_class"] = f"{classes[0]}: {'; '.join(groups[classes[0]])}"
    texts["classes_lines"] = "\n".join(f"{name}:" for name in classes)
    texts["classes_headings"] = "\n\n".join(f"### {name}" for name in classes)
    return Said(frozenset({"classes"}), texts, {"classes": classes, "prompt": names})


def _sentences(row: Row, others: Sequence[Row]) -> Said:
    golds = list(row["answers"])
    lists = {
        "golds": golds,
        "golds_reversed": golds[::-1],
        "golds_shuffled": _shuffled(golds),
        "golds_few": golds[: max(1, len(golds) // 10)],
        "golds_lower": [gold.lower() for gold in golds],
        "golds_unpointed": [gold.rstrip(".") for gold in golds],
        "golds_straight": [_straight(gold) for gold in golds],
        "golds_first_words": [" ".join(gold.split()[:3]) for gold in golds],
        "golds_ends": [" ".join(gold.split()[-2:]) for gold in golds],
        "listed": sorted(golds, key=row["prompt"].find),
        "others": list(others[0]["answers"]),
    }
    texts = {"golds_first_many": "\n".join(golds[:1] * len(golds)), "golds_last": golds[-1]}
    return Said(frozenset({"verbatim" if row["variant"].endswith("verbatim") else "text"}), texts, lists)


def _ranking(row: Row, others: Sequence[Row]) -> Said:
    golds, grades = row["answers"][0].split(" > "), _facts(row)["grades"]
    shown = re.findall(r"^ID: (\d{6})$", row["prompt"][_facts(row)["body"][0] :], re.MULTILINE)
    useless = [one for one in shown if one not in grades]
    lists = {
        "golds": golds,
        "golds_bracket": [f"[{gold}]" for gold in golds],
        "golds_id": [f"ID {gold}" for gold in golds],
        "golds_reason": [f"{gold} – it is about the subject of the question" for gold in golds],
        "useless": useless[:10],
        "useless_first": [*useless[:10], *(golds if len(useless) >= 10 else ())],
        "worst": useless[:10] if len(useless) >= 10 else useless,
        "others": others[0]["answers"][0].split(" > "),
    }
    return Said(frozenset(), {}, lists)


_CITED = re.compile(r"(.+?) ?((?:\[\d+\])+)(?:, |\.?$)")


def _citations(row: Row, others: Sequence[Row]) -> Said:
    facts, gold = _facts(row), row["answers"][0]
    kind = facts["kind"]
    supporting = {number for numbers in facts["support"] for number in numbers}
    wrong = next(number for number in range(1, facts["passages"] + 1) if number not in supporting)

    def parts(text: str) -> list[str]:
        if kind == "statements":
            return re.split(r"(?<=\]\.) ", text)
        return [f"{cited[1]} {cited[2]}" for cited in _CITED.finditer(text)]

    golds = parts(gold)
    cited = [_CITED.match(one.rstrip(".")) for one in golds]
    pairs = [(one[1], one[2]) for one in cited if one]
    lists = {
        "golds": golds,
        "others": parts(others[0]["answers"][0]),
        "miscited": [f"{name} [{wrong}]{'.' if kind == 'statements' else ''}" for name, _ in pairs],
        "lower": [f"{name.lower()} {marks}" for name, marks in pairs],
        "tight": [f"{name}{marks}" for name, marks in pairs],
        "bold": [f"**{name}** {marks}" for name, marks in pairs],
        "quoted": [f"“{name}” {marks}" for name, marks in pairs],
        "before_stop": [f"{name} {marks}." for name, marks in pairs],
        "spaced": [f"{name}  {marks}{'.' if kind == 'statements' else ''}" for name, marks in pairs],
    }
    moved = " ".join(f"{name}. {marks}" for name, marks in pairs)
    return Said(frozenset({kind}), {"gold": gold, "moved": moved, "question": facts["question"]}, lists)


def _summary(row: Row, others: Sequence[Row]) -> Said:
    facts, gold = _facts(row), row["answers"][0]
    sentences = re.split(r"(?<=[.!?]) (?=[A-Z])", gold)
    other = next((one["answers"][0] for one in others if one["answers"][0] != gold), "")
    texts = {
        "gold": gold,
        "other": other,
        "lower": gold.lower(),
        "upper": gold.upper(),
        "unpointed": gold.rstrip("."),
        "gold_bold": " ".join(f"**{sentence}**" for sentence in sentences),
        "request": facts["request"],
        "beginning": row["prompt"][facts["body"][0] :][:300],
    }
    return Said(frozenset(), texts, {"gold": sentences, "other": re.split(r"(?<=[.!?]) (?=[A-Z])", other)})


def _label(row: Row, others: Sequence[Row]) -> Said:
    facts, gold = _facts(row), row["answers"][0]
    wrong, wrong2 = (str((int(gold) + away) % facts["labels"]) for away in (3, 4))
    return Said(frozenset(), {"gold": gold, "wrong": wrong, "wrong2": wrong2, "text": facts["question"]})


def _long_document(row: Row, others: Sequence[Row]) -> Said:
    if row["metric"] == "choice":
        return _choice(row, others)
    said = _one(row, others, ["open" if row["metric"] == "subem" else "rouge"])
    said.texts["unlike"] = "Perhaps because nobody knew why"
    return said


def _recall(row: Row, others: Sequence[Row]) -> Said:
    golds, facts = list(row["answers"]), _facts(row)
    if len(golds) == 1 or facts.get("accepted"):
        return _one(row, others, ["one"])
    keyed = len(facts.get("asked") or ()) > 1 if row["variant"].startswith("niah") else False
    other = [answer for one in others for answer in one["answers"] if answer not in golds]
    if row["variant"].startswith("niah"):
        every = [needle[1] for needle in facts["needles"]]
    elif row["variant"].startswith("vt"):
        every = [name for chain in facts["chains"] for name in chain["names"]]
    else:
        every = re.findall(rf"\b[a-z]{{{len(golds[0])}}}\b", row["prompt"])
    every = list(dict.fromkeys([*every, *other]))[: 6 * len(golds)]
    lists = {
        "golds": golds,
        "golds_reversed": golds[::-1],
        "shifted": [*golds[1:], *golds[:1]],
        "others": other[: len(golds)],
        "every": [one for one in every if one not in golds] + golds,
    }
    return Said(frozenset({"several", "keyed" if keyed else "unordered"}), {}, lists)


_READERS: dict[str, Callable[[Row, Sequence[Row]], Said]] = {
    "ancestral_trace": _choice,
    "citations": _citations,
    "entity_grouping": _grouping,
    "idk": _idk,
    "in_context_learning": _label,
    "latent_list": _latent_list,
    "long_document_qa": _long_document,
    "mrcr": _mrcr,
    "multi_needle": _needles,
    "needle_reasoning": _reasoned,
    "numeric_sorting": _numbers,
    "rag": _one,
    "reranking": _ranking,
    "sentence_arrangement": _sentences,
    "single_needle": _needle,
    "summarization": _summary,
    "synthetic_recall": _recall,
}
