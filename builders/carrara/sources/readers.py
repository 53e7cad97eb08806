"""The closed set of readers: which one turns which form of file into documents."""

from collections.abc import Mapping
from types import MappingProxyType

from carrara.sources import (
    alce,
    articles_zh,
    books,
    corpora,
    dbpedia,
    derivations,
    infbench,
    jsonl,
    msmarco,
    multi_hop,
    multilexsum,
    novels_zh,
    open_questions,
    own_tables,
    pieces,
    popqa,
    qmsum,
    reports,
    squality,
    wiki727k,
)
from carrara.sources.document import Reader

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        reader.name: reader
        for reader in (
            Reader("articles_zh", 1, articles_zh.read),
            Reader("asqa", 1, tables=alce.asqa),
            Reader("books", 1, books.read),
            Reader("dbpedia", 1, tables=dbpedia.tables),
            Reader("derivations_en", 1, tables=derivations.english),
            Reader("derivations_zh", 1, tables=derivations.chinese),
            Reader("govreport", 1, reports.read_govreport),
            Reader("hotpotqa", 1, tables=multi_hop.hotpotqa),
            Reader("infbench", 1, tables=infbench.infbench),
            Reader("jsonl", 1, jsonl.read),
            Reader("leval", 1, reports.read_leval),
            Reader("meetingbank", 1, reports.read_meetingbank),
            Reader("msmarco", 1, tables=msmarco.tables),
            Reader("multilexsum", 1, tables=multilexsum.multilexsum),
            Reader("musique", 1, tables=multi_hop.musique),
            Reader("novels_zh", 1, novels_zh.read),
            Reader("open_questions", 1, tables=open_questions.tables),
            Reader("passages", 1, tables=corpora.tables),
            Reader("pieces", 1, tables=pieces.tables),
            Reader("popqa", 1, tables=popqa.tables),
            Reader("qampari", 1, tables=alce.qampari),
            Reader("qmsum", 1, tables=qmsum.qmsum),
            Reader("qasper", 1, reports.read_qasper),
            Reader("squality", 1, tables=squality.squality),
            Reader("tables", 1, tables=own_tables.english),
            Reader("tables_zh", 1, tables=own_tables.chinese),
            Reader("text_zip", 1, books.read_zip),
            Reader("wiki727k", 1, wiki727k.read),
        )
    }
)
