"""The closed set of readers: which one turns which form of file into documents."""

from collections.abc import Mapping
from types import MappingProxyType

from carrara.sources.document import Reader
from carrara.sources.readers import (
    alce,
    articles_zh,
    books,
    dbpedia,
    derivations,
    infbench,
    msmarco,
    multi_hop,
    narrativeqa,
    open_questions,
    own_tables,
    pieces,
    reports,
    squad,
    wiki727k,
)
from carrara.sources.readers import books as novels_zh
from carrara.sources.readers import labelled as labelled_forms
from carrara.sources.readers import open_questions as popqa
from carrara.sources.readers import own_documents as jsonl
from carrara.sources.readers import summaries as multilexsum
from carrara.sources.readers import summaries as qmsum
from carrara.sources.readers import summaries as squality
from carrara.sources.readers import wikipedia as corpora

READERS: Mapping[str, Reader] = MappingProxyType(
    {
        reader.name: reader
        for reader in (
            Reader("articles_zh", 1, articles_zh.read),
            Reader("asqa", 1, tables=alce.asqa),
            Reader("banking77", 1, tables=labelled_forms.banking77),
            Reader("books", 1, books.read),
            Reader("clinc150", 1, tables=labelled_forms.clinc150),
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
            Reader("nlu", 1, tables=labelled_forms.nlu),
            Reader("narrativeqa", 1, tables=narrativeqa.narrativeqa),
            Reader("novels_zh", 1, novels_zh.zh_read),
            Reader("open_questions", 1, tables=open_questions.tables),
            Reader("passages", 1, tables=corpora.tables),
            Reader("pieces", 1, tables=pieces.tables),
            Reader("popqa", 1, tables=popqa.popqa_tables),
            Reader("qampari", 1, tables=alce.qampari),
            Reader("qmsum", 1, tables=qmsum.qmsum),
            Reader("qasper", 1, reports.read_qasper),
            Reader("squad", 1, tables=squad.tables),
            Reader("squality", 1, tables=squality.squality),
            Reader("tables", 1, tables=own_tables.english),
            Reader("tables_zh", 1, tables=own_tables.chinese),
            Reader("text_zip", 1, books.read_zip),
            Reader("trec_coarse", 1, tables=labelled_forms.trec_coarse),
            Reader("trec_fine", 1, tables=labelled_forms.trec_fine),
            Reader("wiki727k", 1, wiki727k.read),
        )
    }
)
