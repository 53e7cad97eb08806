"""Read one class's text of the world with made-up values: sample passages, and how varied 240 of them are.

Two megabytes of passages hold about 240 of a class.
python -m benchmarks.world_text en film [SAMPLES]
"""

import sys
from typing import Any, cast

from benchmarks.world_variety import figures
from carrara.stream import Draws, Stream
from carrara.task import Lang
from carrara.world.language.class_texts import class_text
from carrara.world.language.grammar import Person
from carrara.world.passages import ALIKE, REPEATS, write_passage
from carrara.world.realm.schema import ASPECTS, PERSONS, RELATIONS, EntityClass

NAMES = {"en": "Nameone Nametwo", "zh": "甲乙丙"}


def values(lang: Lang, class_: EntityClass, draws: Draws) -> dict[str, str]:
    out = {}
    for relation in RELATIONS[class_]:
        number = draws.below(900) + 17
        year = 1700 + draws.below(300)
        if relation.kind == "date":
            out[relation.name] = (
                f"{1 + number % 28} March {year}" if lang == "en" else f"{year}年3月{1 + number % 28}日"
            )
        elif relation.kind == "year":
            out[relation.name] = str(year)
        elif relation.kind == "number":
            out[relation.name] = str(number)
        elif relation.kind == "term":
            out[relation.name] = ("term" if lang == "en" else "某类") + chr(97 + number % 26)
        else:
            out[relation.name] = NAMES[lang]
    return out


def main() -> None:
    lang, class_ = cast(Lang, sys.argv[1]), cast(EntityClass, sys.argv[2])
    samples = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    text = class_text(lang, class_)
    counts: dict[str, int] = {}
    for stated, phrases in text.facts.items():
        for name in stated:
            counts[name] = counts.get(name, 0) + len(phrases)
    print("wordings a relation:", counts)
    print("missing wordings:", [r.name for r in RELATIONS[class_] if counts.get(r.name, 0) < 8])
    print("single wordings missing:", [r.name for r in RELATIONS[class_] if (r.name,) not in text.facts])
    print("missing questions:", [r.name for r in RELATIONS[class_] if len(text.questions.get(r.name, ())) < 3])
    print("details:", {name: len(lines) for name, lines in text.details.items()}, "glosses:", len(text.glosses))
    templates = [one for many in (*text.facts.values(), *text.details.values()) for one in many]
    named = sum(one.alike > ALIKE or one.repeats > REPEATS for one in templates)
    print(f"templates that need the name, for want of choices: {named} of {len(templates)}")
    aspects = list(ASPECTS[class_])
    texts = []
    for number in range(240):
        draws = Draws(Stream("text", class_, number))
        made = values(lang, class_, draws)
        aspect = aspects[number % len(aspects)]
        short, pronouns = _called(lang, class_, draws)
        person = Person(NAMES[lang], short, pronouns, unique=class_ in PERSONS and bool(short))
        stated = {name: made[name] for name in ASPECTS[class_][aspect] if (name,) in text.facts}
        passage = write_passage(text, lang, draws, person, aspect, stated, 100)
        texts.append(passage.text)
        if number < samples:
            print(f"\n[{aspect}] {passage.text}")
    print("\n", {name: round(figure, 4) for name, figure in figures(texts, lang).items()})


def _called(lang: Lang, class_: EntityClass, draws: Draws) -> tuple[Any, Any]:
    if class_ in PERSONS:
        female = draws.below(2) == 1
        if lang == "zh":
            return (), (("她",) * 3 + ("她自己",)) if female else (("他",) * 3 + ("他自己",))
        return ("Nametwo",), ("she", "her", "her", "herself") if female else ("he", "him", "his", "himself")
    nouns = class_text(lang, class_).nouns
    if lang == "zh":
        return nouns, ("它", "它", "它", "它自己")
    return tuple(f"the {noun}" for noun in nouns), ("it", "it", "its", "itself")


if __name__ == "__main__":
    main()
