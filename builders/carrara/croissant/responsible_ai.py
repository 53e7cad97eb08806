"""The responsible-AI part of croissant.json: the card's hand-written sections, and what follows from the manifest.

Sections are found by their `## ` headings; one that nobody wrote gives no property, or what the manifest knows alone.
Of the fields that NeurIPS asks for, biases and personal data can only be written by hand.
"""

import re

from carrara.croissant.vocabulary import JsonObject
from carrara.recipe.recipe import EMBEDDED
from carrara.release.schema import Content
from carrara.text.markdown import number, one_line

# Headings of the hand-written sections, by the first word (the deviations are from one paper or from several).
SECTIONS = ("Intended", "Limits", "Biases", "Personal", "Collection", "Maintenance", "Deviations")
# What NeurIPS' Evaluations & Datasets track asks of every dataset (2026).
ASKED = (
    "rai:dataLimitations",
    "rai:dataBiases",
    "rai:personalSensitiveInformation",
    "rai:dataUseCases",
    "rai:dataSocialImpact",
    "rai:hasSyntheticData",
    "prov:wasDerivedFrom",
    "prov:wasGeneratedBy",
)
_MAX_STATEMENTS = 60
_MARKS = re.compile(r"\*\*|`")
_BULLET = re.compile(r"[-*] ")
# Tasks of these make up what they ask for, whatever the text around it is.
_INVENTING = frozenset(("michelangelo", "needlebench"))
_SOCIAL_IMPACT = (
    "Scores on these rows say how well a model handles long inputs of these kinds; research and buyers go by them. They"
    " say nothing of how safe, fair or true a model is otherwise: a good score is no ground for relying on a model"
    " where people can come to harm. Rows that leak into training data make scores worthless: the release carries a"
    " canary line by which they are found, and its recipe gives a twin with other rows."
)
_PREPROCESSING = (
    "Texts are cut at the ends of sentences, lines or passages, and fill a prompt to the wanted number of tokens under"
    " one pinned tokenizer; what answers the question is placed at stated depths.",
    "Before a row is written its prompt is counted again, its answer is audited, the answer must get full marks under"
    " the row's metric, and made-up wrong answers less.",
)
_ANNOTATION = (
    "Answers of rows made of invented material are computed, and (but for summaries) a program that reads the prompt"
    " alone must find the same. Answers of rows made of outside material are those of their source."
)


def responsible(content: Content) -> JsonObject:
    """The properties with the prefix rai:, those without anything to say left out."""
    sections = written_sections(content.written)
    tokenizer = one_line(content.tokenizer.name, 200)
    lengths = f"Lengths are counted with the tokenizer {tokenizer}: another counts otherwise."
    properties = {
        "rai:dataUseCases": [
            "Testing: measuring language models on long inputs. Not for training.",
            *sections.get("Intended", ()),
        ],
        "rai:dataLimitations": [*sections.get("Limits", ()), lengths],
        "rai:dataBiases": list(sections.get("Biases", ())),
        "rai:personalSensitiveInformation": list(sections.get("Personal", ())),
        "rai:dataSocialImpact": _SOCIAL_IMPACT,
        "rai:hasSyntheticData": has_synthetic_data(content),
        "rai:dataCollection": " ".join([*sections.get("Collection", ()), _collection(content)]),
        "rai:dataCollectionType": _collection_types(content),
        "rai:dataCollectionRawData": _raw_data(content),
        "rai:dataCollectionMissingData": "None: every column of every row has a value; lists may be empty.",
        "rai:dataPreprocessingProtocol": [*_PREPROCESSING, *sections.get("Deviations", ())],
        "rai:dataAnnotationProtocol": _ANNOTATION,
        "rai:dataReleaseMaintenancePlan": " ".join(sections.get("Maintenance", ())),
    }
    return {name: value for name, value in properties.items() if value not in ("", [])}


def written_sections(markdown: str) -> dict[str, list[str]]:
    """The statements of every known section, by the first word of its heading: a paragraph or list item each."""
    sections: dict[str, list[str]] = {}
    current: list[str] | None = None
    is_open = False
    for line in markdown.splitlines():
        if line.startswith("## "):
            first = (line.removeprefix("## ").split() or [""])[0].rstrip(",:")
            current = sections.setdefault(first, []) if first in SECTIONS else None
            is_open = False
        elif current is not None:
            text = line.strip()
            if not text or _BULLET.match(text):
                is_open = False
            if text and is_open:
                current[-1] += f" {text}"
            elif text and len(current) < _MAX_STATEMENTS:
                current.append(_BULLET.sub("", text, count=1))
                is_open = True
    return {name: [_plain(text) for text in statements] for name, statements in sections.items()}


def has_synthetic_data(content: Content) -> bool:
    """Whether any row holds made-up material: the world's, what a task makes up, or pieces that a model wrote."""
    written_by_models = {name for name, pin in content.recipe.own_sources.items() if pin.reader == "pieces"}
    return any(
        facts.source in {"", *EMBEDDED} or facts.benchmark in _INVENTING or facts.source in written_by_models
        for facts in content.configs.values()
    )


def _plain(text: str) -> str:
    return one_line(_MARKS.sub("", text), 4_000)


def _outside(content: Content) -> list[str]:
    return [name for name in sorted(content.sources) if name not in EMBEDDED]


def _collection(content: Content) -> str:
    rows = sum(facts.rows for facts in content.configs.values())
    return (
        f"{number(rows)} rows were built from a recipe (recipe.json) by the program Carrara; nothing was collected from"
        " people for this release."
    )


def _collection_types(content: Content) -> list[str]:
    kinds = ["Secondary Data analysis"] if _outside(content) else []
    return [*kinds, "Others: written by rules"] if has_synthetic_data(content) else kinds


def _raw_data(content: Content) -> str:
    titles = [one_line(content.sources[name].title or name, 500) for name in _outside(content)[:_MAX_STATEMENTS]]
    if not titles:
        return "No outside data: every text is written by rules from the release's stream."
    return f"Of outside data: {'; '.join(titles)}. Sizes, hashes and licences stand in manifest.json."
