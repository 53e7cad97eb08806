"""The closed set of readers: which one turns which form of file into documents."""

from collections.abc import Mapping
from types import MappingProxyType

from carrara.sources.document import SourceReader
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

READERS: Mapping[str, SourceReader] = MappingProxyType(
    {
        reader.name: reader
        for reader in (
            SourceReader("articles_zh", 1, articles_zh.read),
            SourceReader("asqa", 1, tables=alce.asqa),
            SourceReader("banking77", 1, tables=labelled_forms.banking77),
            SourceReader("books", 1, books.read),
            SourceReader("clinc150", 1, tables=labelled_forms.clinc150),
            SourceReader("dbpedia", 1, tables=dbpedia.tables),
            SourceReader("derivations_en", 1, tables=derivations.english),
            SourceReader("derivations_zh", 1, tables=derivations.chinese),
            SourceReader("govreport", 1, reports.read_govreport),
            SourceReader("hotpotqa", 1, tables=multi_hop.hotpotqa),
            SourceReader("infbench", 1, tables=infbench.infbench),
            SourceReader("jsonl", 1, jsonl.read),
            SourceReader("leval", 1, reports.read_leval),
            SourceReader("meetingbank", 1, reports.read_meetingbank),
            SourceReader("msmarco", 1, tables=msmarco.tables),
            SourceReader("multilexsum", 1, tables=multilexsum.multilexsum),
            SourceReader("musique", 1, tables=multi_hop.musique),
            SourceReader("nlu", 1, tables=labelled_forms.nlu),
            SourceReader("narrativeqa", 1, tables=narrativeqa.narrativeqa),
            SourceReader("novels_zh", 1, novels_zh.zh_read),
            SourceReader("open_questions", 1, tables=open_questions.tables),
            SourceReader("passages", 1, tables=corpora.tables),
            SourceReader("pieces", 1, tables=pieces.tables),
            SourceReader("popqa", 1, tables=popqa.popqa_tables),
            SourceReader("qampari", 1, tables=alce.qampari),
            SourceReader("qmsum", 1, tables=qmsum.qmsum),
            SourceReader("qasper", 1, reports.read_qasper),
            SourceReader("squad", 1, tables=squad.tables),
            SourceReader("squality", 1, tables=squality.squality),
            SourceReader("tables", 1, tables=own_tables.english),
            SourceReader("tables_zh", 1, tables=own_tables.chinese),
            SourceReader("text_zip", 1, books.read_zip),
            SourceReader("trec_coarse", 1, tables=labelled_forms.trec_coarse),
            SourceReader("trec_fine", 1, tables=labelled_forms.trec_fine),
            SourceReader("wiki727k", 1, wiki727k.read),
        )
    }
)
