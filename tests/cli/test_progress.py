"""Progress: quiet lines without a terminal, a bar on one, nothing when quiet; text of others is never obeyed."""

import io

from carrara.cli.progress import Progress


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


class Terminal(io.StringIO):
    def isatty(self):
        return True


def lines(stream):
    return stream.getvalue().splitlines()


def test_lines_are_few():
    clock, stream = Clock(), io.StringIO()
    with Progress(100, 10_000, stream=stream, clock=clock) as progress:
        clock.now += 60
        progress.start("a_4k", 50)
        progress.start("b_4k", 50)
        for _ in range(49):
            clock.now += 1
            progress.advance("a_4k", 1, 100)
        progress.advance("a_4k", 1, 100)
        clock.now += 10
        progress.advance("b_4k", 25, 2_500)
        progress.advance("b_4k", 25, 2_500)
    # What is done before the first row is no part of the rate.
    assert lines(stream)[:2] == [
        "1%: 1/100 rows, 1/s, 100 tokens/s, 0/2 configs, ETA 1 min 39 s",
        "11%: 11/100 rows, 1/s, 100 tokens/s, 0/2 configs, ETA 1 min 29 s",
    ]
    assert lines(stream)[-2:] == [
        "75%: 75/100 rows, 1.3/s, 127 tokens/s, 1/2 configs, ETA 20 s",
        "all: 100 rows, 10k tokens, done after 1 min 59 s",
    ]
    assert len(lines(stream)) == 7


def test_lines_of_long_work_are_fewer():
    clock, stream = Clock(), io.StringIO()
    with Progress(100_000, 0, stream=stream, clock=clock) as progress:
        for _ in range(20_000):
            clock.now += 1
            progress.advance("a", 1, 0)
    assert 90 < len(lines(stream)) < 110


def test_the_time_left_is_told_once_there_is_a_rate():
    clock, stream = Clock(), io.StringIO()
    with Progress(10, 1_000, stream=stream, clock=clock) as progress:
        progress.start("a", 10)
        # The files of a build that is resumed.
        progress.advance("a", 5, 500)
        clock.now += 20
        progress.advance("a", 0, 0)
        clock.now += 20
        progress.advance("a", 1, 100)
    assert lines(stream)[:2] == [
        "50%: 5/10 rows, ETA -",
        "60%: 6/10 rows, 0.025/s, 2 tokens/s, ETA 2 min 40 s",
    ]


def test_quiet_says_nothing():
    for stream in (io.StringIO(), Terminal()):
        with Progress(1, 1, quiet=True, stream=stream) as progress:
            progress.start("a", 1)
            progress.note("x")
            progress.advance("a", 1, 1)
        assert stream.getvalue() == ""


def test_notes_are_made_safe():
    for stream in (io.StringIO(), Terminal()):
        with Progress(1, 1, stream=stream) as progress:
            progress.note("[red]here[/red] \x1b]0;title\x07 \u202e")
        text = stream.getvalue()
        assert "[red]here[/red] ␛]0;title␇ <U+202E>" in text
        assert "\x1b]0" not in text
        assert "\u202e" not in text


def test_a_terminal_gets_bars(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    clock, stream = Clock(), Terminal()
    with Progress(1_000, 1_000_000, stream=stream, clock=clock) as progress:
        progress.start("ancestral_trace_reasoned_en_128k", 400)
        progress.start("b_4k", 600)
        clock.now += 10
        progress.advance("ancestral_trace_reasoned_en_128k", 40, 40_000)
        progress._bars.refresh()
        clock.now += 10
        progress.advance("ancestral_trace_reasoned_en_128k", 360, 360_000)
        progress.advance("b_4k", 600, 600_000)
    text = stream.getvalue()
    assert "40/1,000 rows, 4/s, 4k tokens/s" in text
    assert "ancestral_t…oned_en_128k" in text
    assert "1,000/1,000 rows, 50/s, 50k tokens/s" in text


def test_a_dumb_terminal_gets_lines(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    with Progress(1, 1, stream=stream) as progress:
        progress.advance("never_started", 1, 1)
    assert "\x1b" not in stream.getvalue()


def test_empty_totals_and_errors_pass_through():
    stream = io.StringIO()
    try:
        with Progress(0, 0, stream=stream) as progress:
            progress.start("a", 0)
            progress.advance("a", 0, 0)
            raise KeyError("x")
    except KeyError:
        pass
    assert lines(stream) == []
    with Progress(0, 0, stream=stream) as progress:
        progress.advance("a", 0, 0)
    assert lines(stream) == ["a: 0 rows, 0 tokens, done after 0.0 s"]


def test_other_things_than_rows_are_counted():
    clock, stream = Clock(), io.StringIO()
    with Progress(100, 0, stream=stream, clock=clock, unit="pieces", aside=lambda: "cost 0.0\x1b5") as progress:
        progress.start("pieces", 100)
        for step in (20, 1, -1, 30, 50):
            clock.now += 6.0
            progress.advance("pieces", step, 0)
    assert lines(stream) == [
        "21%: 21/100 pieces, 1.8/s, cost 0.0␛5, ETA 45 s",
        "50%: 50/100 pieces, 2.1/s, cost 0.0␛5, ETA 24 s",
        "pieces: 100 pieces, cost 0.0␛5, done after 30 s",
    ]
    clock, stream = Clock(), Terminal()
    with Progress(4, 0, stream=stream, clock=clock, unit="pieces", aside=lambda: "cost 0.05") as progress:
        progress.advance("pieces", 2, 0)
        clock.now += 2.0
        progress.advance("pieces", 1, 0)
    assert "3/4 pieces, 0.5/s, cost 0.05" in stream.getvalue() and "tokens" not in stream.getvalue()
