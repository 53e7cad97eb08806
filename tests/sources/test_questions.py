"""Questions of real datasets: every layout as published and as on the Hub, what is dropped, what is refused."""

import hashlib
import json

import pytest
from made_files import nested, parquet, write

from carrara.errors import SourceError
from carrara.sources import files, open_source, tables
from carrara.sources.passages import content_id, dump_passage, passage
from carrara.sources.readers import alce, multi_hop, open_questions
from carrara.sources.readers import open_questions as popqa
from carrara.tables import Evidence, Question

ASKED = "who got the first nobel prize"
GOLD = {"title": "Nobel laureates", "text": "In 1901 it went to Röntgen, of Germany."}
GOLD_ID = passage(GOLD["title"], GOLD["text"]).id


def asked(make, found, kind=""):
    return list(make("mine", found).questions("en", kind, 0))


NQ_ROW = {
    "question": ASKED,
    "answers": ["Wilhelm Röntgen", "röntgen"],
    "ctxs": [
        {"title": "Other", "text": "Röntgen again.", "hasanswer": True, "isgold": False},
        {**GOLD, "hasanswer": True, "isgold": True},
    ],
    "nq_annotated_gold": {"title": "x"},
}
NQ_WANTED = Question(
    id=content_id(ASKED),
    kind="open",
    text=ASKED,
    answers=(("Wilhelm Röntgen", "röntgen"),),
    evidence=(Evidence(GOLD_ID, 19, 26),),
)


class TestOpen:
    def test_lines_with_passages(self, tmp_path):
        source = open_questions.open_questions("mine", write(tmp_path, a__jsonl__gz=[NQ_ROW]))
        assert list(source.questions("en", "", 0)) == [NQ_WANTED] == list(source.questions("en", "open", 5))
        assert [one.id for one in source.passages("en")] == [passage("Other", "Röntgen again.").id, GOLD_ID]

    def test_a_gold_passage_that_does_not_name_the_answer_is_evidence_as_a_whole(self, tmp_path):
        found = asked(open_questions.open_questions, write(tmp_path, a__jsonl=[{**NQ_ROW, "answers": ["a German"]}]))
        assert found[0].evidence == (Evidence(GOLD_ID, 0, len(GOLD["text"])),)

    def test_official_lines_and_the_hub(self, tmp_path):
        rows = [{"question": ASKED, "answer": ["Röntgen"]}, {"question": "when", "answer": ["1901", "in 1901"]}]
        for found in (write(tmp_path, a__jsonl=rows), parquet(tmp_path, "validation-00000-of-00001.parquet", rows)):
            one, other = asked(open_questions.open_questions, found)
            assert (one.text, one.answers, one.evidence) == (ASKED, (("Röntgen",),), ())
            assert (other.id, other.answers) == (content_id("when"), (("1901", "in 1901"),))
            with pytest.raises(SourceError, match="holds no passages"):
                list(open_questions.open_questions("mine", found).passages("en"))

    def test_topics_of_dpr(self, tmp_path):
        content = (
            "The VS-300 was what?\t['🚁', 'Helicopters', 'Copter']\r\n"
            '"Who is ""the girl""?"\t"[\'Gentleman\'\'s\', ""Lucy\'s""]"\r\n'.replace("''", "\\'")
            + "when\u2028then\t['拳闘', '1901']\r\n"
        )
        found = asked(open_questions.open_questions, write(tmp_path, topics__dpr__txt__gz=content))
        assert [(one.text, one.answers) for one in found] == [
            ("The VS-300 was what?", (("Helicopters", "Copter", "🚁"),)),
            ('Who is "the girl"?', (("Gentleman's", "Lucy's"),)),
            ("when then", (("1901", "拳闘"),)),
        ]

    def test_triviaqa_as_published_and_on_the_hub(self, tmp_path):
        official = {
            "Data": [
                {"Question": "Q?", "QuestionId": "tc_1", "Answer": {"Value": "A", "Aliases": ["B", "A"], "Type": "x"}}
            ],
            "Domain": "Web",
        }
        hub = [
            {"question": "Q?", "question_id": "tc_1", "answer": {"value": "A", "aliases": ["B"]}, "search_results": {}},
            {
                "question": "R?",
                "question_id": "tc_2",
                "answer": {"value": "<unk>", "aliases": []},
                "search_results": {},
            },
        ]
        hub = [{**row, "search_results": {"text": ["long"]}} for row in hub]
        for found in (write(tmp_path, web__json=official), parquet(tmp_path, "a.parquet", hub)):
            assert asked(open_questions.open_questions, found) == [Question("tc_1", "open", "Q?", (("A", "B"),))]

    def test_one_question_in_two_files_keeps_the_copy_with_evidence(self, tmp_path):
        found = write(
            tmp_path,
            a__jsonl=[{"question": ASKED, "answer": ["W. Röntgen"]}],
            b__jsonl=[NQ_ROW],
            c__jsonl=[{**NQ_ROW, "ctxs": [{"title": "X", "text": "Röntgen.", "isgold": True}]}],
        )
        source = open_questions.open_questions("mine", found)
        (one,) = source.questions("en", "", 0)
        assert one.answers == NQ_WANTED.answers and one.id == NQ_WANTED.id
        assert {evidence.passage for evidence in one.evidence} == {GOLD_ID, passage("X", "Röntgen.").id}
        assert source.dropped == {"repeated": 2}

    def test_two_questions_in_the_same_words_are_both_left_out(self, tmp_path):
        rows = [
            {"id": number, "question": text, "answers": [answer]}
            for number, (text, answer) in enumerate((("Who?", "A"), ("who?", "B"), ("Who?", "A"), ("When?", "C")))
        ]
        source = open_questions.open_questions("mine", write(tmp_path, a__jsonl=rows))
        assert [one.id for one in source.questions("en", "", 0)] == ["3"]
        assert source.dropped == {"same words, other answers": 3}

    def test_an_id_of_two_questions_is_refused(self, tmp_path):
        rows = [{"id": 1, "question": text, "answers": ["A"]} for text in ("Who?", "When?")]
        with pytest.raises(SourceError, match="two questions have the id '1'"):
            asked(open_questions.open_questions, write(tmp_path, a__jsonl=rows))

    def test_questions_without_an_answer_are_counted(self, tmp_path):
        rows = [{"question": "a", "answers": []}, {"question": " ", "answers": ["x"]}, {"question": "b", "answer": "y"}]
        source = open_questions.open_questions("mine", write(tmp_path, a__jsonl=rows))
        assert [one.answers for one in source.questions("en", "", 0)] == [(("y",),)]
        assert source.dropped == {"no answer": 2}

    @pytest.mark.parametrize(
        ("name", "content", "said"),
        [
            ("a__jsonl", [{"answers": ["x"]}, {}], "a.jsonl:1: question is None, expected text"),
            ("a__jsonl", [{"question": "a", "answers": "x", "ctxs": 1}, {}], "ctxs is 1, expected a list"),
            ("a__jsonl", [{"question": "a", "answers": [1]}, {}], "answers is 1, expected text in the list"),
            ("a__jsonl", [{"question": "a", "answers": 1}, {}], "answers is 1, expected a list"),
            ("a__jsonl", [{"question": "a", "answer": {"aliases": []}}, {}], "value is None"),
            ("a__jsonl", [{"question": "a", "answers": [], "ctxs": [{"text": "x", "isgold": 1}]}, {}], "isgold is 1"),
            ("a__jsonl", [{"question": "a", "answers": []}], "no questions found"),
            ("a__jsonl", '{"question": "a", "answers": ' + nested(400) + "}", "expected text in the list"),
            ("a__json", {"Data": 3}, "Data is 3, expected a list"),
            ("a__txt", "a\t['b']\tc\n", "a.txt:1: 3 cells, expected a question and a list"),
            ("a__txt", "a\t['b']\nc\t['d'\n", "a.txt:2: got \"['d'\", expected a list of texts"),
            ("a__txt", "a\t[__import__('os').system('true')]\n", "expected a list of texts"),
            ("a__txt", "a\t[" + "[" * 60_000 + "\n", "expected a list of texts"),
        ],
    )
    def test_what_is_refused(self, tmp_path, name, content, said):
        with pytest.raises(SourceError) as caught:
            asked(open_questions.open_questions, write(tmp_path, **{name: content}))
        assert said in str(caught.value) and len(str(caught.value)) < 500

    def test_kinds_counts_and_languages(self, tmp_path):
        rows = [{"question": f"q{number}", "answers": ["x"]} for number in range(5)]
        source = open_questions.open_questions("mine", write(tmp_path, a__jsonl=rows))
        sizes = [len(list(source.questions("en", "", each))) for each in (-1, 0, 2, 5, 10**9)]
        assert sizes == [5, 5, 2, 5, 5]
        with pytest.raises(SourceError, match="no questions of kind 'bridge', expected one of open"):
            source.questions("en", "bridge", 0)
        with pytest.raises(SourceError, match="is in en, asked for zh"):
            source.questions("zh", "", 0)


POPQA_ROW = {
    "id": 7,
    "subj": "George Rankin",
    "prop": "occupation",
    "obj": "politician",
    "s_wiki_title": "George Rankin (soldier)",
    "s_pop": 142,
    "question": "What is George Rankin's occupation?",
    "possible_answers": '["pol", "politician"]',
    "paragraphs": [
        {"title": "George Rankin (soldier)", "text": "He was a soldier and politician.", "is_supporting": True},
        {"title": "Politician", "text": "A politician is a person.", "is_supporting": True},
    ],
}
POPQA_WANTED = Question(
    "7",
    "occupation",
    "What is George Rankin's occupation?",
    (("politician", "pol"),),
    (Evidence(passage("George Rankin (soldier)", "He was a soldier and politician.").id, 21, 31),),
    popularity=142,
)


class TestPopqa:
    def test_the_list_with_paragraphs(self, tmp_path):
        assert asked(popqa.popqa, write(tmp_path, a__json__gz=[POPQA_ROW])) == [POPQA_WANTED]
        # The article about the object never states the relation; the subject's may not, either.
        silent = [{**POPQA_ROW["paragraphs"][0], "text": "He was a soldier."}, POPQA_ROW["paragraphs"][1]]
        assert asked(popqa.popqa, write(tmp_path, b__json=[{**POPQA_ROW, "paragraphs": silent}]))[0].evidence == ()

    def test_the_table_as_published(self, tmp_path):
        content = (
            "id\tsubj\tprop\tobj\ts_aliases\ts_wiki_title\ts_pop\tquestion\tpossible_answers\n"
            "7\tGeorge Rankin\toccupation\tpolitician\t[]\tGeorge Rankin (soldier)\t142\t"
            'What is George Rankin\'s occupation?\t"[""politician"", ""pol""]"\n'
        )
        (one,) = asked(popqa.popqa, write(tmp_path, test__tsv=content))
        assert one == Question("7", "occupation", POPQA_WANTED.text, (("politician", "pol"),), popularity=142)

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"possible_answers": "[politician]"}, "expected JSON"),
            ({"possible_answers": "[" * 100_000}, "expected JSON"),
            ({"possible_answers": "[1]"}, "possible_answers is 1"),
            ({"possible_answers": '{"a": 1}'}, "expected a list of texts"),
            ({"possible_answers": None}, "expected a list of texts"),
            ({"s_pop": "many"}, "s_pop is 'many', expected an integer"),
            ({"s_pop": True}, "s_pop is True"),
            ({"id": []}, "id is []"),
            ({"paragraphs": [{"title": "x"}]}, "paragraph_text is None"),
        ],
    )
    def test_what_is_refused(self, tmp_path, change, said):
        with pytest.raises(SourceError) as caught:
            asked(popqa.popqa, write(tmp_path, a__json=[{**POPQA_ROW, **change}]))
        assert said in str(caught.value) and "a.json, record 1" in str(caught.value)


HOTPOT_PAIRS = {
    "_id": "5a",
    "question": "Who founded the maker of X?",
    "answer": "Ann Marn",
    "type": "bridge",
    "level": "hard",
    "supporting_facts": [["Maker", 0], ["X", 1], ["Maker", 1]],
    "context": [
        ["X", ["X is a thing.", " Maker makes it."]],
        ["Y", ["Ann Marn knows Y."]],
        ["Maker", ["Maker was founded by Ann Marn.", "It is large."]],
    ],
}
HOTPOT_COLUMNS = {
    **{name: value for name, value in HOTPOT_PAIRS.items() if name not in ("_id", "context", "supporting_facts")},
    "id": "5a",
    "supporting_facts": {"title": ["Maker", "X", "Maker"], "sent_id": [0, 1, 1]},
    "context": {"title": ["X", "Y", "Maker"], "sentences": [text for _, text in HOTPOT_PAIRS["context"]]},
}
HOTPOT_WANTED = Question(
    "5a",
    "bridge",
    "Who founded the maker of X?",
    (("Ann Marn",),),
    (
        Evidence(passage("X", "X is a thing. Maker makes it.").id, 0, 29),
        Evidence(passage("Maker", "Maker was founded by Ann Marn. It is large.").id, 21, 29),
    ),
    hops=2,
)


class TestHotpotqa:
    def test_pairs_columns_and_parquet(self, tmp_path):
        for found in (
            write(tmp_path, a__json=[HOTPOT_PAIRS]),
            write(tmp_path, b__json=[HOTPOT_COLUMNS]),
            parquet(tmp_path, "c.parquet", [HOTPOT_COLUMNS]),
        ):
            source = multi_hop.hotpotqa("mine", found)
            assert list(source.questions("en", "", 0)) == [HOTPOT_WANTED] == list(source.questions("en", "bridge", 0))
            assert [one.title for one in source.passages("en")] == ["X", "Y", "Maker"]

    def test_questions_and_answers_alone(self, tmp_path):
        rows = [{name: HOTPOT_PAIRS[name] for name in ("question", "answer", "type")}]
        (one,) = asked(multi_hop.hotpotqa, write(tmp_path, a__json=rows))
        assert (one.id, one.evidence, one.hops, one.kind) == (content_id(one.text), (), 2, "bridge")
        # The same question with its passages is the same question.
        (one,) = asked(multi_hop.hotpotqa, write(tmp_path, a__json=rows, b__json=[HOTPOT_COLUMNS]))
        assert one.evidence == HOTPOT_WANTED.evidence

    def test_a_fact_whose_article_is_absent_leaves_no_evidence(self, tmp_path):
        (one,) = asked(
            multi_hop.hotpotqa, write(tmp_path, a__json=[{**HOTPOT_PAIRS, "context": HOTPOT_PAIRS["context"][:2]}])
        )
        assert one.evidence == () and one.hops == 2

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"supporting_facts": [["X"]]}, "supporting_facts: it is"),
            ({"supporting_facts": {"title": ["X"], "sent_id": []}}, "1 of title and 0 of sent_id"),
            ({"supporting_facts": 3}, "expected a list of pairs"),
            ({"context": [["X", [1]]]}, "context is 1"),
            ({"answer": 3}, "answer is 3, expected text"),
            ({"type": []}, "type is []"),
        ],
    )
    def test_what_is_refused(self, tmp_path, change, said):
        with pytest.raises(SourceError) as caught:
            asked(multi_hop.hotpotqa, write(tmp_path, a__json=[{**HOTPOT_PAIRS, **change}]))
        assert said in str(caught.value)


class TestMusique:
    def row(self, hops, **changes):
        paragraphs = [
            {"idx": number, "title": f"T{number}", "paragraph_text": f"Ann {number}.", "is_supporting": number < hops}
            for number in range(6)
        ]
        steps = [{"id": number, "question": "?", "answer": "x"} for number in range(hops)]
        return {
            "id": f"{hops}hop1__{hops}",
            "question": f"Who, {hops}?",
            "answer": "Ann",
            "answer_aliases": ["Annie"],
            "answerable": True,
            "question_decomposition": steps,
            "paragraphs": paragraphs,
        } | changes

    def test_two_to_four_hops(self, tmp_path):
        rows = [self.row(hops) for hops in (2, 3, 4)]
        for found in (write(tmp_path, a__json=rows), write(tmp_path, a__jsonl=rows)):
            read = asked(multi_hop.musique, found)
            assert [(one.kind, one.hops, len(one.evidence)) for one in read] == [
                ("2hop1", 2, 2),
                ("3hop1", 3, 3),
                ("4hop1", 4, 4),
            ]
            assert read[0].answers == (("Ann", "Annie"),) and read[0].evidence[1].end == 3

    def test_what_cannot_be_answered_is_left_out(self, tmp_path):
        source = multi_hop.musique("mine", write(tmp_path, a__json=[self.row(2), self.row(3, answerable=False)]))
        assert [one.hops for one in source.questions("en", "", 0)] == [2]
        assert source.dropped == {"not answerable": 1}


ALCE_DOCS = [
    {"id": "1", "title": "Football", "text": "Football Ali Daei scored.", "answers_found": [1, 0], "score": 0.5},
    {"id": "2", "title": "Rain", "text": "It rains.", "answers_found": [0, 0]},
    {"id": "3", "title": "Bican", "text": "It was Josef Bican, and Daei."},
]
ALCE_ASQA = {
    "sample_id": "-12",
    "question": "Who has the most goals?",
    "qa_pairs": [
        {"question": "Among men?", "short_answers": ["Daei", "Ali Daei"], "wikipage": None, "context": "x"},
        {"question": "Ever?", "short_answers": ["Bican"], "wikipage": "B", "context": "Bican scored most."},
        {"question": "Among women?", "short_answers": ["Sinclair"], "context": "No context provided"},
        {"question": "Nobody?", "short_answers": []},
    ],
    "annotations": [{"knowledge": [{"content": "Sinclair leads.", "wikipage": "S"}], "long_answer": "..."}],
    "docs": ALCE_DOCS,
    "answer": "...",
}


class TestAlce:
    def test_asqa_as_alce_evaluates_it(self, tmp_path):
        first, third = dump_passage("Football", "Football Ali Daei scored."), dump_passage("Bican", DOCUMENT)
        source = alce.asqa("mine", write(tmp_path, a__json=[ALCE_ASQA]))
        (one,) = source.questions("en", "", 0)
        assert (one.id, one.kind, one.text) == ("-12", "ambiguous", "Who has the most goals?")
        assert one.answers == (("Daei", "Ali Daei"), ("Bican",), ("Sinclair",))
        assert one.evidence == (Evidence(first.id, 4, 8), Evidence(third.id, 24, 28))
        assert first.text == "Ali Daei scored."
        assert [(each.id, each.text, len(each.evidence)) for each in one.readings] == [
            ("-12/1", "Among men?", 2),
            ("-12/2", "Ever?", 1),
            ("-12/3", "Among women?", 0),
        ]
        assert [each.title for each in source.passages("en")] == ["Football", "Rain", "Bican"]

    def test_asqa_as_published_and_on_the_hub(self, tmp_path):
        row = {name: value for name, value in ALCE_ASQA.items() if name in ("qa_pairs", "annotations")}
        row["ambiguous_question"] = ALCE_ASQA["question"]
        hub = [{**row, "sample_id": "-12"}]
        for found in (write(tmp_path, ASQA__json={"dev": {"-12": row}}), parquet(tmp_path, "dev.parquet", hub)):
            source = alce.asqa("mine", found)
            (one,) = source.questions("en", "ambiguous", 0)
            assert one.id == "-12" and [len(each.evidence) for each in one.readings] == [0, 1, 1]
            assert [(each.title, each.text) for each in source.passages("en")] == [
                ("", "x"),
                ("B", "Bican scored most."),
                ("S", "Sinclair leads."),
            ]

    def test_worked_examples_of_asqa_are_no_questions(self, tmp_path):
        demos = {"instruction": "x", "demos": [{"question": "Q?", "answer": EXAMPLE, "docs": ALCE_DOCS}]}
        source = alce.asqa("mine", write(tmp_path, a__json=demos, b__json=[ALCE_ASQA]))
        assert [one.kind for one in source.questions("en", "", 0)] == ["ambiguous"]
        (one,) = source.questions("en", "demonstration", 0)
        assert one.answers == (("Ali Daei leads",), ("but Bican, as some say, scored more",))
        ids = [dump_passage(each["title"], each["text"]).id for each in ALCE_DOCS]
        assert [evidence.passage for evidence in one.evidence] == [ids[0], ids[2]]

    def test_qampari(self, tmp_path):
        row = {
            "id": "q1",
            "question": "Who?",
            "answers": [["Ali Daei", "Daei"], ["Bican"], ["Pelé"], []],
            "docs": ALCE_DOCS,
        }
        (one,) = asked(alce.qampari, write(tmp_path, a__json=[row]))
        assert (one.id, one.kind, one.answers) == ("q1", "list", (("Ali Daei", "Daei"), ("Bican",), ("Pelé",)))
        assert len(one.evidence) == 2
        published = [
            {"qid": "q1", "question_text": "Who?", "answer_list": [{"answer_text": "Ali Daei", "aliases": ["Daei"]}]}
        ]
        (one,) = asked(alce.qampari, write(tmp_path, b__jsonl=published))
        assert one == Question("q1", "list", "Who?", (("Ali Daei", "Daei"),))

    def test_worked_examples_of_qampari_are_questions(self, tmp_path):
        answer = "Ali Daei [1], Bican [3], Ali Daei [3], rain [2][3]."
        demos = {"demo_sep": "x", "demos": [{"question": "Who?", "answer": answer, "docs": ALCE_DOCS}]}
        (one,) = asked(alce.qampari, write(tmp_path, a__json=demos))
        assert one.answers == (("Ali Daei",), ("Bican",), ("rain",)) and len(one.evidence) == 3

    @pytest.mark.parametrize(
        ("make", "row", "said"),
        [
            (alce.asqa, {"question": "Q?"}, "neither qa_pairs nor docs"),
            (
                alce.asqa,
                {"question": "Q?", "qa_pairs": [{"question": "x", "short_answers": "y"}]},
                "short_answers is 'y'",
            ),
            (alce.asqa, {"question": "Q?", "qa_pairs": [1]}, "qa_pairs[0]: got 1"),
            (alce.asqa, {"question": "Q?", "answer": "A [7].", "docs": ALCE_DOCS}, "cites passage 7, expected 1 to 3"),
            (alce.qampari, {"question": "Q?", "answers": [[1]]}, "answers is 1"),
            (alce.qampari, {"question": "Q?", "answers": {"a": 1}}, "answers is {'a': 1}, expected a list"),
            (alce.qampari, {"question": "Q?", "answer_list": [{"aliases": []}]}, "answer_text is None"),
        ],
    )
    def test_what_is_refused(self, tmp_path, make, row, said):
        with pytest.raises(SourceError) as caught:
            asked(make, write(tmp_path, a__json=[row]))
        assert said in str(caught.value)


DOCUMENT = "It was Josef Bican, and Daei."
EXAMPLE = "Ali Daei leads [1], but Bican, as some say, scored more [3][1]. The rest is not cited."


def test_a_source_on_the_hub_is_read_at_its_pinned_commit(tmp_path, monkeypatch):
    rows = [{"question": ASKED, "answer": ["Röntgen"]}]
    path = "nq_open/validation-00000-of-00001.parquet"
    file = parquet(tmp_path, "there.parquet", rows)["there.parquet"]
    seen = []
    monkeypatch.setattr(files, "hub_file", lambda *given: seen.append(given) or file)
    table = {
        "reader": "open_questions",
        "lang": "en",
        "licence": "CC-BY-SA-3.0",
        "hub": {"repo": "google-research-datasets/nq_open", "revision": "0123456789" * 4},
        "files": {path: hashlib.sha256(file.read_bytes()).hexdigest()},
    }
    source = open_source("nq_hub", None, {"nq_hub": table})
    assert [one.text for one in tables(source).questions("en", "", 0)] == [ASKED]
    assert seen == [("google-research-datasets/nq_open", "0123456789" * 4, path)]
    assert json.dumps(source.url) == '""'
