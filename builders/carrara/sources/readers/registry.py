"""The closed set of readers: the function that makes documents or tables of each form of file.

A name and its version are part of a pin's fingerprint: neither changes while a reader reads the same.
"""

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
    labelled,
    msmarco,
    multi_hop,
    narrativeqa,
    open_questions,
    own_tables,
    pieces,
    running_text,
    squad,
    summaries,
    wikipedia,
)

READERS: Mapping[str, SourceReader] = MappingProxyType(
    {
        reader.name: reader
        for reader in (
            SourceReader("articles_zh", 1, articles_zh.read),
            SourceReader("asqa", 1, tables=alce.asqa),
            SourceReader("banking77", 1, tables=labelled.banking77),
            SourceReader("books", 1, books.read_books),
            SourceReader("clinc150", 1, tables=labelled.clinc150),
            SourceReader("dbpedia", 1, tables=dbpedia.tables),
            SourceReader("derivations_en", 1, tables=derivations.english),
            SourceReader("derivations_zh", 1, tables=derivations.chinese),
            SourceReader("govreport", 1, running_text.read_govreport),
            SourceReader("hotpotqa", 1, tables=multi_hop.hotpotqa),
            SourceReader("infbench", 1, tables=infbench.infbench),
            SourceReader("jsonl", 1, running_text.read_own_documents),
            SourceReader("leval", 1, running_text.read_leval),
            SourceReader("meetingbank", 1, running_text.read_meetingbank),
            SourceReader("msmarco", 1, tables=msmarco.tables),
            SourceReader("multilexsum", 1, tables=summaries.multilexsum),
            SourceReader("musique", 1, tables=multi_hop.musique),
            SourceReader("nlu", 1, tables=labelled.nlu),
            SourceReader("narrativeqa", 1, tables=narrativeqa.narrativeqa),
            SourceReader("novels_zh", 1, books.read_chinese_novels),
            SourceReader("open_questions", 1, tables=open_questions.open_questions),
            SourceReader("passages", 1, tables=wikipedia.tables),
            SourceReader("pieces", 1, tables=pieces.tables),
            SourceReader("popqa", 1, tables=open_questions.popqa),
            SourceReader("qampari", 1, tables=alce.qampari),
            SourceReader("qmsum", 1, tables=summaries.qmsum),
            SourceReader("qasper", 1, running_text.read_qasper),
            SourceReader("squad", 1, tables=squad.tables),
            SourceReader("squality", 1, tables=summaries.squality),
            SourceReader("tables", 1, tables=own_tables.english),
            SourceReader("tables_zh", 1, tables=own_tables.chinese),
            SourceReader("text_zip", 1, books.read_zip),
            SourceReader("trec_coarse", 1, tables=labelled.trec_coarse),
            SourceReader("trec_fine", 1, tables=labelled.trec_fine),
            SourceReader("wiki727k", 1, running_text.read_wiki727k),
        )
    }
)
