"""The datasets of the papers' recipes in their published formats, small and with the world's content."""

import csv
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from made_squad import hotpot_rows, squad_table, world
from tasks import test_long_document_qa as books
from tasks.test_summarization import a_book, a_case
from variants import articles

from carrara.stream import Stream
from carrara.tables import ENTITY_CLASSES, Lang, Passage
from carrara.world.utterances import INTENTS, utterances
from carrara.world.world import World

Contents = Mapping[str, bytes]
ASKED = 120


@cache
def made() -> World:
    return World("recall questions/files")


def lines(rows: Iterator[Any] | Sequence[Any]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def parquet(rows: Sequence[Mapping[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), sink)
    return sink.getvalue()


def table(rows: Sequence[Sequence[object]], **form: Any) -> bytes:
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n", **form).writerows(rows)
    return sink.getvalue().encode()


def hotpot_columns() -> list[dict[str, Any]]:
    """Rows of HotpotQA as the Hub has them."""
    return [
        {
            "id": row["_id"],
            "question": row["question"],
            "answer": row["answer"],
            "type": row["type"],
            "level": "hard",
            "supporting_facts": {"title": [title for title, _ in row["supporting_facts"]], "sent_id": [0, 0]},
            "context": {
                "title": [title for title, _ in row["context"]],
                "sentences": [texts for _, texts in row["context"]],
            },
        }
        for row in hotpot_rows()
    ]


def kilt() -> Contents:
    """Articles of KILT: the passages of one title are its paragraphs; and HotpotQA's own paragraphs."""
    articles_of: dict[str, list[Passage]] = {}
    for passage in world()[0]:
        articles_of.setdefault(passage.title, []).append(passage)
    rows = [
        {"_id": str(n), "wikipedia_title": title, "text": [f"{title}\n", *(f"{one.text}\n" for one in few)]}
        for n, (title, few) in enumerate(articles_of.items())
    ]
    return {"kilt_knowledgesource.json": lines(rows), "hotpotqa.parquet": parquet(hotpot_columns())}


def asked(path: str) -> Contents:
    rows = [{"question": one.text, "answer": list(one.answers[0])} for one in world()[1][:400]]
    return {path: parquet(rows)}


def trivia(path: str) -> Contents:
    rows = [
        {
            "question": one.text,
            "question_id": one.id,
            "answer": {"value": one.answers[0][0], "aliases": list(one.answers[0])},
        }
        for one in world()[1][:400]
    ]
    return {path: parquet(rows)}


def popular(path: str) -> Contents:
    head = ["id", "subj", "prop", "obj", "s_wiki_title", "s_pop", "question", "possible_answers"]
    rows = [
        [n, "", one.kind, one.answers[0][0], "", 100, one.text, json.dumps(list(one.answers[0]))]
        for n, one in enumerate(world()[1][:400])
    ]
    return {path: table([head, *rows], delimiter="\t")}


def marco() -> Contents:
    judged = list(made().judgements("en", 30))
    qrels = [f"{q.id} 0 {one.passage} {one.grade}\n" for q, found in judged for one in found]
    topics = [f"{question.id}\t{question.text}\n" for question, _ in judged]
    passages = [f"{passage.id}\t{passage.text}\n" for passage in made().passages("en")]
    half = len(topics) // 2
    return {
        "collection.tsv": "".join(passages).encode(),
        "qrels.dl19-passage.txt": "".join(qrels).encode(),
        "qrels.dl20-passage.txt": b"",
        "topics.dl19-passage.txt": "".join(topics[:half]).encode(),
        "topics.dl20.txt": "".join(topics[half:]).encode(),
    }


def ambiguous(path: str) -> Contents:
    rows = []
    for one in made().questions("en", "ambiguous", ASKED):
        pairs = [
            {"question": reading.text, "short_answers": list(reading.answers[0]), "context": "", "wikipage": ""}
            for reading in one.readings
        ]
        rows.append({"ambiguous_question": one.text, "qa_pairs": pairs, "sample_id": one.id, "annotations": []})
    return {path: lines(rows) if path.endswith("jsonl") else parquet_asqa(rows)}


def parquet_asqa(rows: list[dict[str, Any]]) -> bytes:
    noted = [{"knowledge": [{"content": "", "wikipage": ""}], "long_answer": "It depends."}]
    return parquet([{**row, "annotations": noted} for row in rows])


def lists(path: str) -> Contents:
    found = made().questions("en", "list", ASKED)
    rows = [
        {"id": one.id, "question": one.text, "answers": [list(group) for group in one.answers], "docs": []}
        for one in found
    ]
    return {path: json.dumps(rows).encode()}


def stories(path: str) -> Contents:
    rows = []
    for number, text in enumerate(books.doubled()):
        for index in range(3, 10):
            answer = " ".join(text[index].split()[:6])
            document = {"id": f"d{number}", "kind": "gutenberg", "text": "\n\n".join(text)}
            document["summary"] = {"text": "It is long.", "title": f"Story {number}"}
            question = {"text": f"How does paragraph {index} of {number} begin?"}
            rows.append({"document": document, "question": question, "answers": [{"text": answer}]})
    return {path: parquet(rows)}


def cases() -> Contents:
    rows = [a_case(n, *one) for n, one in enumerate(summarized())]
    return {"multilexsum/test.parquet": parquet(rows[:5]), "multilexsum/train.parquet": parquet(rows[5:])}


def summarized() -> Iterator[tuple[str, str, str]]:
    """Text, summary and short summary of some documents."""
    for number, text in enumerate(articles()):
        told = [f"Of {number}, {' '.join(paragraph.split()[:6]).rstrip('.')}." for paragraph in text[:20]]
        yield "\n\n".join(text), " ".join(told), " ".join(told[:8])


def labels(part: str, count: int) -> Iterator[tuple[str, str]]:
    for intent in range(0, len(INTENTS), 9):
        for one in utterances(Stream("papers"), intent, part)[:count]:
            yield one.text.replace("\n", " ").replace(";", ","), one.label


def trec() -> Contents:
    def said(part: str, count: int) -> bytes:
        told = (f"{label[:4].upper()}:{label.replace('_', '')} {text}\n" for text, label in labels(part, count))
        return "".join(told).encode("latin-1", "ignore")

    return {"train_5500.label": said("demonstration", 40), "TREC_10.label": said("test", 10)}


def banking() -> Contents:
    head = ["text", "category"]
    return {
        "train.csv": table([head, *labels("demonstration", 40)]),
        "test.csv": table([head, *labels("test", 10)]),
    }


def clinc() -> Contents:
    parts = {"train": ("demonstration", 40), "test": ("test", 10)}
    told: dict[str, list[list[str]]] = {name: [[*one] for one in labels(*part)] for name, part in parts.items()}
    told |= {"oos_train": [["What is love?", "oos"]], "oos_test": [["Who am I?", "oos"]], "val": [], "oos_val": []}
    return {"data_full.json": json.dumps(told).encode()}


def robot(path: str) -> Contents:
    head = ["scenario", "intent", "answer_normalised", "answer"]
    rows = [[label.split("_")[0], label, text, text] for text, label in labels("demonstration", 80)]
    return {path: table([head, *rows], delimiter=";")}


def derived(lang: Lang) -> Callable[[], Contents]:
    def write() -> Contents:
        rows = [
            {"_id": one.id, "question": one.question, "answer": one.answers[0], "derivations": list(one.facts)}
            for hops in (2, 3, 4, 5)
            for one in list(made().derivations(lang, hops)[:12])
        ]
        return {f"multi_needle_reasoning_{lang}.json": json.dumps(rows, ensure_ascii=False).encode()}

    return write


def meetings() -> Contents:
    rows = [{"id": f"M{n}", "transcript": "\n\n".join(text)} for n, text in enumerate(articles())]
    return {"train.json": lines(rows[:4]), "validation.json": lines(rows[4:6]), "test.json": lines(rows[6:])}


def reports() -> Contents:
    rows = [{"report": "\n\n".join(text), "summary": "It reports."} for text in articles()]
    return {"train.jsonl": lines(rows[:4]), "validation.jsonl": lines(rows[4:6]), "test.jsonl": lines(rows[6:])}


def papers() -> Contents:
    def part(first: int, last: int) -> bytes:
        told = {
            f"P{n}": {"title": f"Paper {n}", "abstract": text[0], "full_text": [_section(text[1:])]}
            for n, text in enumerate(articles()[first:last], first)
        }
        return json.dumps(told).encode()

    names = ("train", "dev", "test")
    return {f"qasper-{name}-v0.3.json": part(3 * n, 3 * n + 3) for n, name in enumerate(names)}


def _section(paragraphs: list[str]) -> dict[str, Any]:
    return {"section_name": "Body", "paragraphs": paragraphs}


def wiki() -> Contents:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for n, text in enumerate(articles()):
            # A date of its own would make every archive another one.
            member = zipfile.ZipInfo(f"wiki_727K/train/{n}")
            archive.writestr(member, "========,1,preface.\n" + "\n".join(text) + "\n")
    return {"wiki_727K.zip": sink.getvalue()}


def titles() -> Contents:
    rows = [
        [ENTITY_CLASSES.index(one.class_) + 1, one.name, "It is one."]
        for one in made().entities("en")
        if one.class_ in ENTITY_CLASSES
    ]
    return {"train.csv": table(rows[::2], quoting=csv.QUOTE_ALL), "test.csv": table(rows[1::2], quoting=csv.QUOTE_ALL)}


def _text(files: Mapping[str, str]) -> Contents:
    return {name: text.encode() for name, text in files.items()}


# By the name that the papers' recipes have.
WRITTEN: Mapping[str, Callable[[], Contents]] = {
    "kilt_wikipedia": kilt,
    "nq_full": lambda: asked("nq_open/validation-00000-of-00001.parquet"),
    "triviaqa_full": lambda: trivia("rc.nocontext/validation-00000-of-00001.parquet"),
    "popqa_full": lambda: popular("test.tsv"),
    "hotpotqa_full": lambda: {"distractor/validation-00000-of-00001.parquet": parquet(hotpot_columns())},
    "msmarco_full": marco,
    "asqa_full": lambda: ambiguous("data/dev-00000-of-00001.parquet"),
    "qampari_full": lambda: lists("qampari_eval_gtr_top100.json"),
    "narrativeqa": lambda: stories("narrativeqa/test.parquet"),
    "infbench_qa": lambda: _text(books.books(False)),
    "infbench_choice": lambda: _text(books.books(True)),
    "infbench_sum": lambda: {"longbook_sum_eng.jsonl": lines([a_book(n, *one) for n, one in enumerate(summarized())])},
    "multilexsum": cases,
    "trec_coarse": trec,
    "trec_fine": trec,
    "banking77": banking,
    "clinc150": clinc,
    "nlu_full": lambda: robot("AnnotatedData/NLU-Data-Home-Domain-Annotated-All.csv"),
    "needlebench_reasoning_en": derived("en"),
    "needlebench_reasoning_zh": derived("zh"),
    "squad": lambda: {"dev-v2.0.json": json.dumps(squad_table()).encode()},
    "meetingbank": meetings,
    "govreport_full": reports,
    "qasper_full": papers,
    "wiki727k": wiki,
    "dbpedia_full": titles,
}
