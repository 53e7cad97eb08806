"""Read one class's text of the world: sample passages and questions, and how varied 240 passages are.

Two megabytes of passages hold about 240 of a class.
python -m benchmarks.world_text en film [SAMPLES]
"""

import sys
from typing import cast

from benchmarks.world_variety import figures
from carrara.stream import Stream
from carrara.task import Lang
from carrara.world.encyclopedia import Encyclopedia
from carrara.world.language.class_texts import class_text
from carrara.world.questions import WorldQuestions
from carrara.world.realm.realm import Reference
from carrara.world.realm.schema import ASPECTS, RELATIONS, EntityClass


def main() -> None:
    lang, class_ = cast(Lang, sys.argv[1]), cast(EntityClass, sys.argv[2])
    samples = int(sys.argv[3]) if len(sys.argv) > 3 else 6
    text = class_text(lang, class_)
    single = {relation.name: len(text.facts.get((relation.name,), ())) for relation in RELATIONS[class_]}
    print("wordings of each relation alone:", single)
    print("paragraphs:", {aspect: len(known) for aspect, known in text.paragraphs.by_aspect.items()})
    print("subtypes:", len(text.paragraphs.subtypes), "glosses:", len(text.glosses))
    encyclopedia = Encyclopedia(Stream("text", class_))
    questions = WorldQuestions(encyclopedia, lang)
    aspects = list(ASPECTS[class_])
    texts = []
    for number in range(240):
        entity = encyclopedia.entity(Reference(class_, number // len(aspects)))
        aspect = aspects[number % len(aspects)]
        if aspect in encyclopedia.aspects(entity):
            texts.append(encyclopedia.passage(lang, entity.reference, aspect).passage.text)
            if number < samples:
                print(f"\n[{aspect}] {texts[-1]}")
                print(*(f"    {question.text}" for question in questions.about(entity.reference)), sep="\n")
    print("\n", {name: round(figure, 4) for name, figure in figures(texts, lang).items()})


if __name__ == "__main__":
    main()
