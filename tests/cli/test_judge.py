"""`carrara judge`, `carrara agreement` and `carrara score --verdicts` against a real server, also killed and away."""

import json
import os
import re
import signal

import pytest
from commands import Running, common, here, is_refusal, release, run, wait_for
from endpoint import completion, endpoint
from judges import (
    BASE_ID,
    QA_CONFIGS,
    SUMMARY_CONFIG,
    SUMMARY_IDS,
    is_by_paper,
    judge,
    judged_release,
    kind_of,
    material,
    rows_of,
)

from carrara.scoring.judge.verdicts import read_verdicts

__all__ = ["common", "endpoint", "release"]
SECRET = "sk-judge-0123456789abcdef"
SUMMARY = "The mill of valley 0 burned. Nobody was hurt. A dragon came."


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    # Tables and lines are read here as they are printed.
    monkeypatch.setenv("COLUMNS", "240")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.delenv("CARRARA_JUDGE_KEY", raising=False)


@pytest.fixture
def place(release, tmp_path):
    """A release with eight questions to judge and two summaries, and one row of another metric."""
    return judged_release(release, tmp_path)


def answers(place):
    """Of the questions the first is right, the second in part, the others wrong; one summary says nothing."""
    ids = {row["id"]: row for row in rows_of(place, *QA_CONFIGS)}
    texts = {row_id: f"Nothing of {number}." for number, row_id in enumerate(ids)}
    first, second = list(ids)[:2]
    texts |= {first: ids[first]["answers"][0], second: ids[second]["answers"][0].split()[0] + " perhaps"}
    return texts | dict(zip(SUMMARY_IDS, (SUMMARY, ""), strict=True))


def lines(folder, texts, name="responses.jsonl"):
    path = folder / name
    path.write_text("".join(json.dumps({"id": one, "response": text}) + "\n" for one, text in texts.items()))
    return path


def words(server, place, path, *more, out="verdicts.jsonl"):
    return (
        "judge",
        place,
        path,
        "--base-url",
        server.url,
        "--model",
        "tester",
        "--out",
        path.parent / out,
        "--yes",
        *more,
    )


def scored(place, path, *more, out="verdicts.jsonl"):
    done = here("score", place, path, "--json", "--verdicts", path.parent / out, *more)
    assert done.code == 0, done
    table = json.loads(done.out)
    return table, {row["id"]: row for row in table["scores"]}


# --- end to end -------------------------------------------------------------------------------------------------------


def test_responses_are_judged_and_scored(endpoint, place, tmp_path):
    endpoint.answer = judge
    texts = answers(place)
    path = lines(tmp_path, texts)
    done = here(*words(endpoint, place, path, "--price-in", 1, "--price-out", 10))
    assert done.code == 0, done
    # Eight answers, and three questions about the one summary that says something.
    assert endpoint.requests == 11 and sorted(map(kind_of, endpoint.bodies)).count("qa") == 8
    assert "10 of 10 rows are answered: 11 questions to ask, 0 judged before" in done.err
    assert "judge: 11 verdicts, 11 answers, cost 0.023, done after" in done.err
    assert "verdicts.jsonl: 10 of 10 rows judged, 0 unjudged, 0 without a response" in done.out
    assert "questions: 11 judged, 0 judged before, 0 unjudged" in done.out
    assert "11 answers, 1.1k tokens in, 2.2k out, cost 0.023" in done.out
    kept = (tmp_path / "verdicts.jsonl").read_text()
    assert SECRET not in kept + done.out + done.err and "127.0.0.1" not in kept and len(kept.splitlines()) == 12
    table, rows = scored(place, path)
    first, second, third = [row_id for row_id in texts if "needle" in row_id][:3]
    assert [rows[one]["score"] for one in (first, second, third)] == pytest.approx([1, 1 / 3, 0])
    # Two of three key points, and of three sentences "Nobody was hurt." stands in the long summary word by word.
    assert rows[SUMMARY_IDS[0]]["score"] == pytest.approx(2 * (2 / 3) * (1 / 3) / (2 / 3 + 1 / 3))
    assert rows[SUMMARY_IDS[1]]["score"] == 0 and "nothing was said" in rows[SUMMARY_IDS[1]]["reason"]
    assert re.fullmatch(r"judge/qa@tester#[0-9a-f]{8}", rows[first]["metric"])
    assert table["unjudged"] == {"count": 0, "first": []}
    assert table["configs"][SUMMARY_CONFIG]["mean"] == pytest.approx(rows[SUMMARY_IDS[0]]["score"] / 2)


def test_every_sample_of_a_row_is_judged(endpoint, place, tmp_path):
    endpoint.answer = judge
    key, *_ = texts = {name: text for name, text in answers(place).items() if "needle" in name}
    said = [{"id": key, "response": texts[other], "sample": number} for number, other in enumerate([*texts][:3])]
    path = tmp_path / "responses.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in [*said, {**said[0], "sample": 3}]))
    assert here(*words(endpoint, place, path)).code == 0 and endpoint.requests == 3
    table, rows = scored(place, path)
    assert len(rows[key]["samples"]) == 4 and rows[key]["samples"][0] == rows[key]["samples"][3]
    assert table["unjudged"]["count"] == 0 and table["samples"]["unscored"] == 0


def test_without_verdicts_the_table_says_what_compared_words(place, tmp_path):
    path = lines(tmp_path, answers(place))
    table = json.loads(here("score", place, path, "--json").out)
    assert table["configs"][QA_CONFIGS[0]]["metrics"] == ["rouge_l"]
    assert table["configs"][SUMMARY_CONFIG]["metrics"] == ["summary_overlap"]
    reasons = {row["reason"] for row in table["scores"] if "needle" in row["id"] and "_en" in row["id"]}
    assert reasons == {"rouge_l, no judge for judge/qa"} and '"judge/qa"' not in json.dumps(table)
    assert "10 rows scored by words in common with a reference: no model judged them" in here("score", place, path).out


def test_a_judges_scores_are_not_compared_with_rouge(endpoint, place, tmp_path):
    endpoint.answer = judge
    path = lines(tmp_path, answers(place))
    here(*words(endpoint, place, path))
    by = ("--verdicts", tmp_path / "verdicts.jsonl")
    for name, more in (("rouge", ()), ("judged", by), ("chance", (*by, "--chance"))):
        assert here("score", place, path, "--out", tmp_path / f"{name}.json", *more).code == 0
    refused = here("compare", tmp_path / "rouge.json", tmp_path / "judged.json")
    assert is_refusal(refused, "'rouge_l'", "'judge/qa@tester#", "score both alike")
    same = here("compare", tmp_path / "judged.json", tmp_path / "chance.json", "--json")
    assert same.code == 0 and all(one["difference"] == 0 for one in json.loads(same.out)["differences"])
    assert re.fullmatch("Judged by tester#[0-9a-f]{8}: .*", json.loads(same.out)["judges"][0])
    assert "Judged by tester#" in here("compare", tmp_path / "judged.json", tmp_path / "chance.json").out


def test_what_was_judged_is_not_asked_again(endpoint, place, tmp_path):
    endpoint.answer = judge
    texts = answers(place)
    path = lines(tmp_path, texts)
    here(*words(endpoint, place, path))
    before = (tmp_path / "verdicts.jsonl").read_bytes()
    again = here(*words(endpoint, place, path))
    assert again.code == 0 and endpoint.requests == 11 and (tmp_path / "verdicts.jsonl").read_bytes() == before
    assert "0 questions to ask, 11 judged before" in again.err and "tokens in (o200k" not in again.err
    # Another model's file: what it says alike is known, one row differs.
    changed = lines(tmp_path, texts | {BASE_ID.format(3): "Something else."}, "other.jsonl")
    assert here(*words(endpoint, place, changed)).code == 0
    assert endpoint.requests == 12 and (tmp_path / "verdicts.jsonl").read_bytes().startswith(before)
    # The same text twice to the same question is one question; here every question names its row.
    one = lines(tmp_path, dict.fromkeys(texts, "Nobody knows."), "same.jsonl")
    fresh = here(*words(endpoint, place, one, out="fresh.jsonl"))
    # Fluency and precision of the second summary are other questions: its key points and its reference differ.
    assert fresh.code == 0 and "13 questions to ask" in fresh.err and endpoint.requests == 12 + 13


def test_thoughts_are_neither_shown_nor_paid_for(endpoint, place, tmp_path):
    endpoint.answer = judge
    texts = answers(place)
    here(*words(endpoint, place, lines(tmp_path, texts)))
    asked = endpoint.requests
    thought = {one: f"<think>It is {text}?</think>\n\n{text}" for one, text in texts.items()}
    # The same is said: no question is new. A thought without an end says nothing.
    unclosed = next(row_id for row_id in texts if "needle" in row_id)
    path = lines(tmp_path, thought | {unclosed: f"<think>It is {texts[unclosed]}"}, "thoughts.jsonl")
    again = here(*words(endpoint, place, path))
    assert again.code == 0 and endpoint.requests == asked and "0 questions to ask, 10 judged before" in again.err
    _, rows = scored(place, path)
    assert rows[unclosed]["score"] == 0 and rows[unclosed]["reason"].endswith("nothing was said")
    before, _ = scored(place, tmp_path / "responses.jsonl")
    told = {row["id"]: row["score"] for row in before["scores"]}
    assert {one: row["score"] for one, row in rows.items()} == told | {unclosed: 0} and told[unclosed] == 1


def test_the_papers_rubric_has_its_own_verdicts_and_its_own_name(endpoint, place, tmp_path):
    endpoint.answer = judge
    path = lines(tmp_path, answers(place))
    ours, paper = words(endpoint, place, path), words(endpoint, place, path, "--rubric", "paper", out="paper.jsonl")
    estimates = [json.loads(here(*args, "--estimate", "--json").out) for args in (ours, paper)]
    assert estimates[1]["tokens_out"] > 3 * estimates[0]["tokens_out"]
    assert here(*ours).code == 0 and not any(map(is_by_paper, endpoint.bodies))
    assert here(*paper).code == 0 and sum(map(is_by_paper, endpoint.bodies)) == 11 and endpoint.requests == 22
    # Reasons are kept with the verdict.
    assert '"reasons": "Word by word."' in (tmp_path / "paper.jsonl").read_text()
    assert (
        read_verdicts(tmp_path / "paper.jsonl")
        .known.keys()
        .isdisjoint(read_verdicts(tmp_path / "verdicts.jsonl").known)
    )
    assert is_refusal(here(*words(endpoint, place, path, out="paper.jsonl")), "give another file")
    table, rows = scored(place, path, out="paper.jsonl")
    metric = rows[SUMMARY_IDS[0]]["metric"]
    assert re.fullmatch(r"judge/summary/paper@tester#[0-9a-f]{8}", metric)
    named = f"{metric.partition('@')[2]} by HELMET's rubric"
    by = ("--verdicts", tmp_path / "paper.jsonl")
    for words_of in ((), ("--details",), ("--format", "md"), ("--format", "csv"), ("--format", "latex")):
        assert named in here("score", place, path, *by, *words_of).out.replace("\\", "")
    assert scored(place, path)[0]["scores"][0]["score"] == table["scores"][0]["score"]
    asked_for = here("score", place, path, "--metric", "judge/qa/paper", "--verdicts", tmp_path / "verdicts.jsonl")
    assert is_refusal(asked_for, "--rubric paper")
    assert here("page", place, "--responses", path, *by, "--out", tmp_path / "page.html").code == 0
    assert f"Judged by {named}: " in (tmp_path / "page.html").read_text().replace("&#x27;", "'")
    assert is_refusal(here("page", place, *by), "got --verdicts without --responses")


def test_an_estimate_asks_nothing_and_writes_nothing(endpoint, place, tmp_path):
    path = lines(tmp_path, answers(place))
    base = words(endpoint, place, path, "--estimate", "--price-input", 2.5, "--price-output", 10)
    base = tuple(word for word in base if word != "--yes")
    done = here(*base)
    assert done.code == 0 and endpoint.requests == 0 and not (tmp_path / "verdicts.jsonl").exists()
    told = re.search(
        r"11 questions to ask, 0 judged before; about (\S+)k tokens in \(o200k_base\) and (\d+) out", done.out
    )
    assert told and 3 < float(told[1]) < 8 and 180 < int(told[2]) < 300, done.out
    facts = json.loads(here(*base, "--json").out)
    assert facts["calls"] == 11 and facts["rows"] == 10 and facts["cached"] == 0
    assert facts["cost"] == pytest.approx((2.5 * facts["tokens_in"] + 10 * facts["tokens_out"]) / 1e6, abs=1e-6)
    endpoint.answer = judge
    one = here(*words(endpoint, place, path, "--config", QA_CONFIGS[0]))
    assert one.code == 0 and endpoint.requests == 4
    assert json.loads(here(*base, "--json").out)["calls"] == 7


def test_limits_and_consent(endpoint, place, tmp_path):
    path = lines(tmp_path, answers(place))
    assert is_refusal(here(*words(endpoint, place, path, "--limit-tokens", 1_000)), "over --limit-tokens 1,000")
    silent = tuple(word for word in words(endpoint, place, path) if word != "--yes")
    assert is_refusal(here(*silent), "add --yes")
    assert endpoint.requests == 0 and not (tmp_path / "verdicts.jsonl").exists()


# --- a judge that fails -----------------------------------------------------------------------------------------------


def test_what_is_unjudged_is_named_counts_0_and_is_asked_again(endpoint, place, tmp_path):
    bad = BASE_ID.format(2)
    endpoint.answer = lambda body: (
        completion("Perhaps.") if bad in json.dumps(material(body)) or kind_of(body) == "recall" else judge(body)
    )
    path = lines(tmp_path, {one: text for one, text in answers(place).items() if one != BASE_ID.format(3)})
    done = here(*words(endpoint, place, path, "--retries", 0))
    assert done.code == 1 and "Traceback" not in done.err
    assert "7 of 10 rows judged, 2 unjudged, 1 without a response" in done.out
    assert f"{bad}  qa: 3 answers of another form, the last: got no JSON object" in done.out
    assert f"{SUMMARY_IDS[0]}  recall: 3 answers of another form" in done.out
    table, rows = scored(place, path)
    assert table["unjudged"] == {"count": 2, "first": [bad, SUMMARY_IDS[0]]}
    assert table["missing"]["first"][0] == BASE_ID.format(3)
    assert rows[bad]["score"] is None and rows[bad]["reason"].startswith("unjudged: qa: 3 answers")
    cell = table["configs"][QA_CONFIGS[0]]
    assert (cell["rows"], cell["scored"], cell["missing"], cell["unjudged"]) == (4, 2, 1, 1)
    assert cell["mean"] < cell["mean_answered"]
    shown = here("score", place, path, "--verdicts", tmp_path / "verdicts.jsonl").out
    assert "judged by tester#" in shown and "ROUGE" not in shown
    assert f"2 rows with a response that no judge judged, counted 0 ({bad}, {SUMMARY_IDS[0]})" in shown
    machine = json.loads(here(*words(endpoint, place, path, "--retries", 0, "--json")).out)
    assert machine["unjudged"]["count"] == 2 and list(machine["unjudged"]["first"]) == [bad, SUMMARY_IDS[0]]
    # A judge that is well again is asked for these alone.
    endpoint.answer, before = judge, endpoint.requests
    assert here(*words(endpoint, place, path)).code == 0 and endpoint.requests == before + 2
    table, rows = scored(place, path)
    assert table["unjudged"]["count"] == 0 and rows[bad]["score"] == 0


def test_a_judge_of_many_faults_gives_the_same_verdicts(endpoint, place, tmp_path):
    path = lines(tmp_path, answers(place))
    endpoint.answer = judge
    here(*words(endpoint, place, path, out="calm.jsonl"))
    endpoint.faults = ["500", "429", "drop", "half", "garbage", "other", "huge", "hang", "503"] * 2
    done = here(*words(endpoint, place, path, "--retries", 20, "--timeout", 0.5))
    assert done.code == 0, done
    calm, rough = (read_verdicts(tmp_path / name) for name in ("calm.jsonl", "verdicts.jsonl"))
    assert calm.known == rough.known and len(calm.known) == 11
    assert scored(place, path)[0]["scores"] == scored(place, path, out="calm.jsonl")[0]["scores"]


def test_a_refused_key_ends_the_asking_and_loses_nothing(endpoint, place, tmp_path):
    endpoint.answer = judge
    endpoint.faults = ["", "", "", "401"]
    path = lines(tmp_path, answers(place))
    done = here(*words(endpoint, place, path, "--workers", 1))
    assert done.code == 1 and endpoint.requests == 4
    assert "asking ended early: the endpoint answered 401" in done.out and SECRET not in done.out + done.err
    assert "questions: 3 judged, 0 judged before, 8 unjudged" in done.out
    assert len(read_verdicts(tmp_path / "verdicts.jsonl").known) == 3
    again = here(*words(endpoint, place, path))
    assert again.code == 0 and endpoint.requests == 4 + 8 and "8 questions to ask, 3 judged before" in again.err


def test_no_judge_at_all(place, tmp_path):
    path = lines(tmp_path, answers(place))
    args = (
        "judge",
        place,
        path,
        "--base-url",
        "http://127.0.0.1:9/v1",
        "--model",
        "m",
        "--out",
        tmp_path / "v.jsonl",
        "--yes",
    )
    done = here(*args, "--retries", 0)
    assert done.code == 1 and "1 of 10 rows judged, 9 unjudged" in done.out and "no connection" in done.out
    shown = here("score", place, path, "--verdicts", tmp_path / "v.jsonl")
    assert shown.code == 0 and "9 rows with a response that no judge judged, counted 0" in shown.out


@pytest.mark.parametrize("signal_sent", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.integration
def test_a_killed_run_goes_on_where_it_stopped(endpoint, place, tmp_path, signal_sent):
    endpoint.answer, endpoint.seconds = judge, 0.15
    path = lines(tmp_path, answers(place))
    args = words(endpoint, place, path, "--workers", 2)
    out = tmp_path / "verdicts.jsonl"
    running = Running(*args)
    assert wait_for(lambda: endpoint.finished >= 4, 60)
    os.kill(running.process.pid, signal_sent)
    done = running.done()
    assert done.code != 0 and running.leaves_no_orphan()
    held = len(read_verdicts(out).known)
    assert 2 <= held < 11
    if signal_sent == signal.SIGINT:
        assert "Traceback" not in done.err and f"stopped, {held} verdicts kept" in done.err, done
    # A torn line, as a kill in the middle of a write would leave.
    with out.open("ab") as stream:
        stream.write(b'{"key": "0123')
    endpoint.seconds, before = 0.0, endpoint.requests
    again = run(*args)
    assert again.code == 0, again
    # What was under way when the run was killed is asked again, nothing else.
    assert (
        endpoint.requests - before == 11 - held and f"{11 - held} questions to ask, {held} judged before" in again.err
    )
    assert len(read_verdicts(out).known) == 11 and len(out.read_text().splitlines()) == 12


def test_no_more_questions_at_a_time_than_workers(endpoint, place, tmp_path):
    endpoint.answer, endpoint.seconds = judge, 0.05
    path = lines(tmp_path, answers(place))
    assert here(*words(endpoint, place, path, "--workers", 3)).code == 0
    assert endpoint.most_at_once == 3


# --- what is refused --------------------------------------------------------------------------------------------------


def test_what_judge_refuses(endpoint, place, release, tmp_path, monkeypatch):
    path = lines(tmp_path, answers(place))
    out = ("--out", tmp_path / "v.jsonl", "--yes")
    by = ("--base-url", endpoint.url, "--model", "m")
    strange = lines(tmp_path, {"a/b/4k/00000": "x"}, "strange.jsonl")
    other = tmp_path / "notes.jsonl"
    other.write_text("my notes\n")
    for arguments, said in (
        (("judge", release, path, *by, *out), "has a metric for a judge"),
        (("judge", place, path, *by, *out, "--config", "single_needle_zh_4k"), "has a metric for a judge"),
        (("judge", place, path, *by, *out, "--config", "charm"), "got config 'charm'"),
        (("judge", place, strange, *by, *out), "answers none of the 10 rows"),
        (("judge", place, other, *by, *out), "notes.jsonl, line 1"),
        (("judge", tmp_path, path, *by, *out), "is not a release"),
        (("judge", place, path, "--base-url", f"{endpoint.url}#m", "--model", "m", *out), "plain address"),
        (("judge", place, path, "--base-url", "http://example.org/v1", "--model", "m", *out), "unencrypted"),
        (("judge", place, path, *by, "--out", tmp_path / "v.txt", "--yes"), ".jsonl"),
        (("judge", place, path, *by, "--out", tmp_path / "none" / "v.jsonl", "--yes"), "in a folder that exists"),
        (("judge", place, path, *by, "--out", other, "--yes"), "notes.jsonl, line 1"),
        (("judge", place, path, *by, *out, "--extra", '{"model": "x"}'), "'model' in --extra"),
        (("judge", place, path, *by, *out, "--extra", '{"a": 1e999}'), "too large"),
    ):
        assert is_refusal(here(*arguments), said), arguments
    assert other.read_text() == "my notes\n" and not (tmp_path / "v.jsonl").exists() and endpoint.requests == 0
    endpoint.answer = judge
    assert here("judge", place, path, *by, *out).code == 0
    before = (tmp_path / "v.jsonl").read_bytes()
    for arguments in (("--base-url", endpoint.url, "--model", "another"), (*by, "--extra", '{"top_p": 0.5}')):
        assert is_refusal(here("judge", place, path, *arguments, *out), "give another file")
    assert (tmp_path / "v.jsonl").read_bytes() == before


def test_what_score_refuses_of_verdicts(endpoint, place, release, tmp_path):
    endpoint.answer = judge
    path = lines(tmp_path, answers(place))
    here(*words(endpoint, place, path))
    by = ("--verdicts", tmp_path / "verdicts.jsonl")
    others = lines(tmp_path, {one: f"Other {one}" for one in answers(place)}, "others.jsonl")
    for arguments, said in (
        (("score", place, "--gold", *by), "got --gold with --verdicts"),
        (("score", place, "--gold", "--first", 2), "or --first"),
        (("score", release, path, *by), "no row has a metric"),
        (("score", place, path, *by, "--metric", "subem"), "no row has a metric"),
        (("score", place, others, *by), "no verdict on any of these 10 responses"),
        (("score", place, path, "--verdicts", path), "expected a verdicts file"),
        (("score", place, path, "--verdicts", tmp_path / "none.jsonl"), "none.jsonl"),
    ):
        assert is_refusal(here(*arguments), said), arguments


# --- people -----------------------------------------------------------------------------------------------------------


def test_agreement_with_people(endpoint, place, tmp_path):
    endpoint.answer = judge
    texts = answers(place)
    here(*words(endpoint, place, lines(tmp_path, texts)))
    ids = [one for one in texts if "needle" in one]
    labels = [
        {"id": one, "fluency": 1, "correctness": grade}
        for one, grade in zip(ids, (3, 2, 0, 0, 1, 0, 0, 0), strict=True)
    ]
    labels += [{"id": SUMMARY_IDS[0], "fluency": 1, "recall": [True, True, False], "precision": [True, True, False]}]
    labels += [{"id": "a/b/4k/00000", "fluency": 1}]
    path = tmp_path / "labels.jsonl"
    path.write_text("".join(f"{json.dumps(one)}\n" for one in labels))
    done = here("agreement", tmp_path / "verdicts.jsonl", path)
    assert done.code == 0 and "nan" not in done.out.lower(), done
    table = json.loads(here("agreement", tmp_path / "verdicts.jsonl", path, "--json").out)
    found = table["agreement"]
    assert found["qa correctness"]["n"] == found["qa correctness"]["responses"] == 8
    # 6 of 8 alike; by chance 1 x 1 + 5 x 6 + 1 x 1 of 64.
    assert found["qa correctness"]["kappa"] == pytest.approx((6 / 8 - 32 / 64) / (1 - 32 / 64))
    assert found["qa correctness"]["quadratic"]["kappa"] > 0.8
    assert found["qa fluency"]["kappa"] is None and "same grade" in found["qa fluency"]["reason"]
    assert found["recall"]["kappa"] == 1 and found["recall"]["n"] == 3
    assert found["precision"]["table"] == [[1, 0], [1, 1]]
    assert table["left_out"]["count"] == 1 and "labels left out: 1" in done.out
    for word in ("qa correctness, quadratic weights", "undefined", "judge: tester#", "0.50"):
        assert word in done.out, done.out
    path.write_text('{"id": "a"}\n')
    assert is_refusal(here("agreement", tmp_path / "verdicts.jsonl", path), "labels.jsonl, line 1")
    assert is_refusal(here("agreement", path, path), "expected a verdicts file")
