"""`carrara pieces` against a real server: what is asked, retried, counted and kept; the file as a source."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import tomllib
from collections import Counter
from pathlib import Path

import pytest
from commands import PACKAGE, Running, here, is_refusal, wait_for
from endpoint import completion, endpoint, text_of

from carrara.llm.client import Answer, Cache, Endpoint, Request
from carrara.llm.pieces import Commission, PieceOrder, judged
from carrara.sources import open_source, tables
from carrara.sources.readers.pieces import objection
from carrara.tables import PieceKey
from carrara.world.pieces import FORMATS, STYLES, TOPICS

__all__ = ["endpoint"]
SECRET = "sk-carrara-0123456789abcdef"


@pytest.fixture
def ask(endpoint, tmp_path, monkeypatch):
    """Run the command in this process against the endpoint, with a cache of its own."""
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)

    def run(*words, count=24, out="mine.jsonl", cache="cache"):
        return here(*arguments(endpoint, tmp_path, *words, count=count, out=out, cache=cache))

    return run


def arguments(endpoint, folder, *words, count=24, out="mine.jsonl", cache="cache"):
    fixed = ("--base-url", endpoint.url, "--model", "tester", "--stream", "test", "--count", count, "--yes")
    return ("pieces", *fixed, "--out", folder / out, "--cache", folder / cache, *words)


def bank(folder, table):
    own = tomllib.loads(table)["source"]
    [name] = own
    own[name]["licence"] = own[name]["licence"] or "test"
    return tables(open_source(name, folder, own)).pieces()


def rows(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def cached(folder):
    return [path for path in folder.rglob("*.json") if not path.name.startswith(".")]


# --- end to end -------------------------------------------------------------------------------------------------------


def test_a_file_is_made_and_opens_as_a_source(ask, endpoint, tmp_path):
    done = ask("--price-in", 1, "--price-out", 10, "--licence", 'CC "0"', out="My-2nd bank.jsonl")
    assert done.code == 0, done
    assert (tmp_path / "My-2nd bank.jsonl").is_file() and endpoint.requests == 24
    assert endpoint.authorizations == {f"Bearer {SECRET}"}
    # 24 answers of 100 tokens in and 200 out, as the endpoint says.
    assert "asked 24, 2.4k tokens in, 4.8k out, cost 0.05" in done.out
    assert "24 pieces of 3 keys: 24 to ask, 0 in the cache" in done.err
    assert "cost about 0.07, at most 0.22, in the currency of the prices" in done.err
    assert "pieces: 24 pieces, 24 asked, cost 0.05, done after" in done.err
    table = done.out[done.out.index("[source.") :]
    assert tomllib.loads(table)["source"]["my_2nd_bank"]["licence"] == 'CC "0"'
    opened = bank(tmp_path, table)
    order = PieceOrder("test", "tester", 24)
    commission = Commission(order, len)
    assert list(opened.keys()) == sorted(commission.keys, key=lambda key: (key.format, key.topic, key.style))
    sent = {body["messages"][1]["content"]: [] for body in endpoint.bodies}
    for body in endpoint.bodies:
        sent[body["messages"][1]["content"]].append(text_of(body))
    for key in commission.keys:
        assert opened.count(key) == 8
        for number in range(8):
            # The answer to that number's request, under the wording that was sent.
            wording = opened.request(key, number)
            assert wording == commission.wording(key, number)
            assert opened.piece(key, number) in sent[wording]
    assert len({opened.piece(key, number) for key in commission.keys for number in range(8)}) == 24


def test_a_second_run_asks_nothing_and_writes_the_same_bytes(ask, endpoint, tmp_path):
    first = ask()
    before, asked = (tmp_path / "mine.jsonl").read_bytes(), endpoint.requests
    endpoint.answer = lambda body: completion("another answer " * 20)
    again = ask(out="again.jsonl")
    assert again.code == 0 and endpoint.requests == asked == 24
    assert (tmp_path / "again.jsonl").read_bytes() == before
    assert "24 pieces of 3 keys: the cache holds the answers" in again.err and "asked 0," in again.out
    assert re.findall(r"sha256 ([0-9a-f]{64})", first.out) == re.findall(r"sha256 ([0-9a-f]{64})", again.out)
    # Behind another address, without asking whether that is all right, and with no endpoint at all.
    words = [word for word in arguments(endpoint, tmp_path, out="third.jsonl") if word != "--yes"]
    words[words.index("--base-url") + 1] = "http://127.0.0.1:9/v1"
    assert here(*words).code == 0 and (tmp_path / "third.jsonl").read_bytes() == before


def test_a_larger_order_asks_only_for_more(ask, endpoint, tmp_path):
    ask(count=24)
    assert ask(count=36).code == 0
    assert endpoint.requests == 36
    found = Counter((row["format"], row["topic"], row.get("style")) for row in rows(tmp_path / "mine.jsonl"))
    assert sorted(found.values()) == [4, 8, 8, 8, 8]


def test_another_stream_model_or_parameter_is_asked_anew(ask, endpoint):
    ask(count=2)
    for words in (("--stream", "twin"), ("--model", "other"), ("--temperature", 0.5), ("--extra", '{"top_p": 0.5}')):
        before = endpoint.requests
        assert ask(*words, count=2).code == 0
        assert endpoint.requests == before + 2
    assert endpoint.bodies[-1]["top_p"] == 0.5 and endpoint.bodies[-1]["max_tokens"] == 900
    assert ask("--max-tokens-field", "max_completion_tokens", "--max-tokens", 4000, count=2).code == 0
    assert endpoint.bodies[-1]["max_completion_tokens"] == 4000 and "max_tokens" not in endpoint.bodies[-1]


def test_json_for_a_machine(ask, endpoint, tmp_path):
    done = ask("--json", "--quiet", "--price-in", 1, "--price-out", 1, count=9)
    facts = json.loads(done.out)
    assert (facts["pieces"], facts["keys"], facts["full_keys"], facts["asked"]) == (9, 2, 1, 9)
    assert facts["cost"] == 0.0027 and facts["bytes"] == (tmp_path / "mine.jsonl").stat().st_size
    assert bank(tmp_path, facts["source"])
    # Said whatever is kept quiet.
    assert done.err == f"the key in OPENAI_API_KEY goes to {endpoint.url}\n"


def test_an_endpoint_that_does_not_count_is_counted_for(ask, endpoint):
    endpoint.answer = lambda body: {"choices": completion(text_of(body))["choices"]}
    facts = json.loads(ask("--json", "--price-in", 1, "--price-out", 1, count=4).out)
    assert 4 * 80 < facts["tokens_in"] < 4 * 160 and 4 * 60 < facts["tokens_out"] < 4 * 200
    assert facts["cost"] == round((facts["tokens_in"] + facts["tokens_out"]) / 1e6, 6)


# --- faults of the endpoint -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "fault",
    [
        *("429", "drop", "garbage", "huge"),
        *(pytest.param(fault, marks=pytest.mark.repeat) for fault in ("500", "503", "408", "half", "other")),
    ],
)
def test_what_fails_is_asked_again(ask, endpoint, tmp_path, fault):
    clean = ask(out="clean.jsonl", cache="clean", count=6)
    endpoint.faults = [fault] * 2
    done = ask("--concurrency", 1, "--retries", 2, count=6)
    assert done.code == clean.code == 0, done
    assert endpoint.requests == 6 + 2 + 6
    assert (tmp_path / "mine.jsonl").read_bytes() == (tmp_path / "clean.jsonl").read_bytes()


def test_a_silent_endpoint_is_given_up_and_asked_again(ask, endpoint):
    endpoint.faults = ["hang"]
    done = ask("--timeout", 0.4, "--retries", 1, count=3)
    assert done.code == 0 and endpoint.requests == 4
    # A byte now and then is no answer either.
    endpoint.faults = ["drip"]
    assert ask("--timeout", 0.4, "--stream", "c", count=3).code == 0 and endpoint.requests == 8
    endpoint.faults = ["hang"] * 2
    done = ask("--timeout", 0.4, "--retries", 0, "--stream", "b", count=3)
    assert is_refusal(done, "2 requests got no answer", "no answer within 0.4 seconds")


@pytest.mark.parametrize(
    ("fault", "said"),
    [("401", "--key-env"), ("403", "what it may use"), ("404", "--model"), ("400", "--max-tokens-field")],
)
def test_what_no_other_request_would_mend_stops_at_once(ask, endpoint, tmp_path, fault, said):
    endpoint.faults = [fault] * 100
    done = ask("--concurrency", 2, count=100)
    assert is_refusal(done, f"the endpoint answered {fault}", said)
    assert endpoint.requests <= 4 and not (tmp_path / "mine.jsonl").exists()


def test_failures_one_after_the_other_stop(ask, endpoint):
    endpoint.faults = ["500"] * 1000
    done = ask("--retries", 0, "--concurrency", 3, count=200)
    assert is_refusal(done, "requests in a row failed", "answered 500")
    assert endpoint.requests <= 12


def test_no_endpoint_at_all(ask):
    done = ask("--base-url", "http://127.0.0.1:9/v1", "--retries", 0, count=2)
    assert is_refusal(done, "2 requests got no answer", "no connection")


def test_no_more_at_a_time_than_allowed(ask, endpoint):
    endpoint.seconds = 0.03
    assert ask("--concurrency", 3, count=30).code == 0
    assert endpoint.most_at_once == 3


# --- answers that do not count ----------------------------------------------------------------------------------------


def bad_once(bad):
    """Every third request gets a bad answer; the next number of the key a good one."""
    asked = []

    def answer(body):
        asked.append(body)
        return bad(body) if len(asked) % 3 == 0 else completion(text_of(body))

    return answer


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (lambda body: completion(""), "empty"),
        (lambda body: completion(None), "empty"),
        (lambda body: completion(text_of(body, 400)), "too long"),
        (lambda body: completion(text_of(body), "length"), "too long"),
        (lambda body: completion(text_of(body), "content_filter"), "refused"),
        (lambda body: completion(None, refusal="No."), "refused"),
        (lambda body: completion("I'm sorry, but I can't help with that. " * 5), "refused"),
        (lambda body: completion(f"Sure! Here is your poem:\n\n{text_of(body)}"), "talks about itself"),
        (lambda body: completion(f"{text_of(body)}\nUser: More, please."), "unfit"),
        (
            lambda body: completion("The same text for whoever asks, as some models do it, word by word."),
            "like another",
        ),
    ],
)
def test_another_is_asked_for_in_its_place(ask, endpoint, tmp_path, bad, reason):
    endpoint.answer = bad_once(bad)
    done = ask("--concurrency", 1, "--per-key", 4, count=12)
    assert done.code == 0, done
    assert f" {reason}" in done.out.split("did not count: ")[1].splitlines()[0]
    found = rows(tmp_path / "mine.jsonl")
    assert Counter(row["format"] + row["topic"] + row.get("style", "") for row in found).most_common(3)[2][1] == 4
    assert all(objection(row["text"]) == "" for row in found) and endpoint.requests > 12
    # What did not count is kept, too, and asked for no more.
    before = endpoint.requests
    assert ask("--per-key", 4, count=12, out="again.jsonl").code == 0
    assert endpoint.requests == before
    assert (tmp_path / "again.jsonl").read_bytes() == (tmp_path / "mine.jsonl").read_bytes()


def test_a_model_of_no_use_is_stopped_early(ask, endpoint, tmp_path):
    endpoint.answer = lambda body: completion("no")
    done = ask(count=400)
    # Answers that were under way may come in before the run ends.
    assert is_refusal(done, "answers cannot be used: 2", " unfit", "another model")
    assert endpoint.requests < 24 + 16
    done = ask("--stream", "b", count=4)
    assert is_refusal(done, "none of the answers can be used: 12 unfit")
    assert not (tmp_path / "mine.jsonl").exists()


@pytest.mark.parametrize(
    ("text", "finish", "reason"),
    [
        ("  \n", "stop", "empty"),
        ("I cannot write that for you, as it is beyond me entirely.", "stop", "refused"),
        ("I cannot believe that it rained all day, and nobody came to the old harbour.", "stop", ""),
        ("I am sorry that I have not written sooner, dear aunt, but the rain would not stop.", "stop", ""),
        ("Here is a poem about rain:\n" + "drip " * 20, "stop", "talks about itself"),
        ("Here is the rain\nthat fell last night,\nhere is the lamp that made it bright.", "stop", ""),
        ("word " * 513, "stop", "too long"),
        ("word " * 512, "", ""),
        ("<think>Which rhyme?</think>\n\n" + "drip " * 20, "stop", ""),
        ("<think>Which rhyme? " + "drip " * 20, "stop", "talks about itself"),
    ],
)
def test_which_answers_count(text, finish, reason):
    found, why = judged(Answer(text, finish, False, 1, 1), lambda one: len(one.split()))
    assert why == reason and "Which rhyme" not in (found if not why else "")


# --- kill and resume --------------------------------------------------------------------------------------------------


@pytest.mark.integration
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_stopped_run_goes_on(ask, endpoint, tmp_path, how):
    assert ask(out="whole.jsonl", cache="whole", count=60).code == 0
    before, endpoint.seconds = endpoint.requests, 0.8
    words = arguments(endpoint, tmp_path, "--concurrency", 4, count=60)
    running = Running(*words, env={"OPENAI_API_KEY": SECRET, "NO_PROXY": "127.0.0.1"})
    assert wait_for(lambda: endpoint.requests >= before + 16, 60)
    running.process.send_signal(how)
    stopped = running.done()
    assert stopped.code != 0 and "Traceback" not in stopped.err and not (tmp_path / "mine.jsonl").exists()
    assert how == signal.SIGKILL or "run the same command to go on" in stopped.err
    assert wait_for(lambda: endpoint.at_once == 0, 10)
    kept, sent = len(cached(tmp_path / "cache")), endpoint.requests - before
    # At most what was under way is lost.
    assert 0 < sent - 2 * 4 <= kept < 60
    endpoint.seconds = 0.0
    assert ask(count=60).code == 0
    assert endpoint.requests == before + sent + 60 - kept
    assert (tmp_path / "mine.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert [path.name for path in tmp_path.iterdir() if "partial" in path.name] == []


def test_a_damaged_answer_in_the_cache_is_asked_for_again(ask, endpoint, tmp_path):
    ask(count=9)
    before = (tmp_path / "mine.jsonl").read_bytes()
    damaged = sorted(cached(tmp_path / "cache"))[:6]
    damage = (b"", b"{", b"[1]", b'{"request": {}, "answer": {}}', b"\xff" * 9, damaged[8 % 6].read_bytes()[:-30])
    for path, data in zip(damaged, damage, strict=True):
        path.write_bytes(data)
    sent = endpoint.requests
    assert ask(count=9).code == 0
    assert endpoint.requests == sent + 6 and (tmp_path / "mine.jsonl").read_bytes() == before
    # An answer in the place of another's.
    one, other = sorted(cached(tmp_path / "cache"))[:2]
    one.write_bytes(other.read_bytes())
    assert ask(count=9).code == 0 and endpoint.requests == sent + 7


# --- the key ----------------------------------------------------------------------------------------------------------


def test_the_key_reaches_the_endpoint_and_nothing_else(ask, endpoint, tmp_path):
    outputs = []
    endpoint.faults = ["429", "500"]
    outputs.append(ask("--price-in", 1, "--price-out", 1))
    # This endpoint repeats the whole header in its errors.
    endpoint.faults = ["401"] * 99
    outputs.append(ask("--stream", "b"))
    assert "told to say 401 to Bearer <key>" in outputs[-1].err
    endpoint.faults = []
    endpoint.answer = lambda body: completion(f"{text_of(body)} {SECRET}")
    outputs.append(ask("--stream", "c"))
    assert is_refusal(outputs[-1], "the endpoint sent the key back in an answer")
    # Cut off in the middle, too: what is told of a bad answer is short.
    endpoint.answer = lambda body: "a" * 290 + SECRET
    outputs.append(ask("--stream", "d", "--retries", 0, count=1))
    assert is_refusal(outputs[-1], "expected a chat completion")
    assert endpoint.authorizations == {f"Bearer {SECRET}"}
    for done in outputs:
        assert SECRET not in done.out + done.err and SECRET[:12] not in done.out + done.err
    for path in tmp_path.rglob("*"):
        assert not path.is_file() or SECRET.encode() not in path.read_bytes()
    assert SECRET not in repr(Endpoint("https://host/v1", SECRET))


def test_where_the_key_comes_from(ask, endpoint, monkeypatch):
    monkeypatch.setenv("OTHER_KEY", f" {SECRET}-2\n")
    assert ask("--key-env", "OTHER_KEY", count=1).code == 0
    assert endpoint.authorizations == {f"Bearer {SECRET}-2"}
    monkeypatch.delenv("OTHER_KEY")
    assert is_refusal(ask("--key-env", "OTHER_KEY", count=1), "got --key-env OTHER_KEY, and no such variable is set")
    monkeypatch.delenv("OPENAI_API_KEY")
    assert ask("--stream", "b", count=1).code == 0
    assert endpoint.authorizations == {f"Bearer {SECRET}-2", "Bearer none"}
    monkeypatch.setenv("OPENAI_API_KEY", "two words")
    assert is_refusal(ask("--stream", "c", count=1), "contains white space or characters that a header cannot hold")


def test_a_key_is_not_sent_on_an_open_road(ask):
    done = ask("--base-url", "http://nowhere.invalid/v1", "--retries", 0, count=1)
    assert is_refusal(done, "the key would be sent unencrypted: use https, or unset OPENAI_API_KEY")


# --- what is refused before anything is asked -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--base-url", "ftp://host/v1"), "not a plain address"),
        (("--base-url", "https://me:hidden@host/v1"), "without user, password or query"),
        (("--base-url", "https://host/v1?key=hidden"), "without user, password or query"),
        (("--base-url", "http://[::1"), "not a plain address"),
        (("--formats", "poem,sonnet"), "got the unknown format 'sonnet'"),
        (("--topics", "tides,tides"), "none twice"),
        (("--styles", "none,odd"), "got the unknown style 'odd'"),
        (("--per-key", 65), "65 a key"),
        (("--formats", "poem", "--topics", "tides", "--styles", "none", "--count", 9), "expected 1 to 8"),
        (("--extra", "[1]"), "expected a JSON object"),
        (("--extra", "{"), "expected a JSON object"),
        (("--extra", '{"stream": true}'), "got 'stream' in --extra"),
        (("--extra", '{"x": NaN}'), "NaN is no JSON number"),
        (("--out", "mine.txt"), "a name that ends in .jsonl"),
        (("--out", "no/such/mine.jsonl"), "expected a folder that exists"),
    ],
)
def test_wrong_words_are_refused(ask, endpoint, words, said):
    done = ask(*words)
    assert is_refusal(done, said) and endpoint.requests == 0
    assert "hidden" not in done.err


def test_the_library_is_named_where_it_is_missing(ask, endpoint, monkeypatch):
    monkeypatch.setitem(sys.modules, "openai", None)
    assert is_refusal(ask(count=1), "openai is not installed", "[judge]'") and endpoint.requests == 0


@pytest.mark.parametrize(("typed", "asked"), [(b"y\n", 2), pytest.param(b"n\n", 0, marks=pytest.mark.repeat)])
def test_cost_is_confirmed(endpoint, tmp_path, typed, asked):
    words = [word for word in arguments(endpoint, tmp_path, "--quiet", count=2) if word != "--yes"]
    done = here(*words)
    assert is_refusal(done, "add --yes") and endpoint.requests == 0
    assert "2 to ask" in done.err and "cost unknown: give --price-in and --price-out" in done.err
    environment = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "OPENAI_API_KEY": SECRET}
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "carrara", *map(str, words)],
        stdin=theirs,
        stderr=theirs,
        stdout=subprocess.PIPE,
        env=environment,
    )
    os.close(theirs)
    os.write(ours, typed)
    out, _ = process.communicate(timeout=60)
    os.close(ours)
    assert (process.returncode == 0) == (asked == 2) and endpoint.requests == asked
    assert (b"[source.mine]" in out) == (asked == 2)


# --- what is ordered --------------------------------------------------------------------------------------------------


def test_keys_overlap_and_a_larger_order_begins_with_a_smaller_one():
    large = Commission(PieceOrder("test", "m", 4000), len).keys
    assert len(set(large)) == len(large) == 500
    for count in (8, 9, 80, 200, 800):
        keys = Commission(PieceOrder("test", "m", count), len).keys
        assert keys == large[: -(-count // 8)]
    keys = large[:25]
    formats, topics = Counter(key.format for key in keys), Counter(key.topic for key in keys)
    # A row or column that is just begun may hold one key.
    assert sum(formats[key.format] >= 3 and topics[key.topic] >= 3 for key in keys) >= 20
    same = Counter((key.format, key.topic) for key in keys)
    assert sum(number > 1 for number in same.values()) >= 4
    assert 6 <= sum(not key.style for key in keys) <= 19
    assert Commission(PieceOrder("twin", "m", 200), len).keys != keys
    every = Commission(
        PieceOrder("test", "m", 12, 1, ("poem", "essay"), ("tea", "jam"), ("", "wry", "plain")), len
    ).keys
    assert len(set(every)) == 12


def test_all_keys_that_there_are():
    most = len(FORMATS) * len(TOPICS) * (len(STYLES) + 1)
    assert len(set(Commission(PieceOrder("test", "m", most, 1), len).keys)) == most


def test_requests_differ_by_number_and_stream():
    one, twin = (Commission(PieceOrder(stream, "m", 400), len) for stream in ("test", "twin"))
    digests = [request.digest() for request in one.first_requests()]
    assert len(set(digests)) == 400 and not set(digests) & {request.digest() for request in twin.first_requests()}
    key = PieceKey("letter", "letters", "wry")
    request = one.request(key, 3)
    assert request.messages[1] == ("user", one.wording(key, 3))
    assert "{" not in request.messages[0][1]
    assert (
        Request("m", request.messages, {"b": 1, "a": 2}).digest()
        == Request("m", request.messages, {"a": 2, "b": 1}).digest()
    )


def test_a_request_in_the_cache_is_named_by_what_it_says(tmp_path):
    # Must not change: whoever has paid for answers finds them under these names.
    request = Request("m", (("user", "Wörter"),), {"max_tokens": 5})
    assert (
        request.canonical()
        == '{"messages":[{"content":"W\\u00f6rter","role":"user"}],"model":"m","parameters":{"max_tokens":5}}'
    )
    cache = Cache(tmp_path)
    assert cache.get(request) is None
    answer = Answer("\ud800 lone", "stop", False, 1, 2)
    cache.put(request, answer)
    assert cache.get(request) == answer
    digest = request.digest()
    assert [path.relative_to(tmp_path) for path in cached(tmp_path)] == [Path(digest[:2]) / f"{digest}.json"]
