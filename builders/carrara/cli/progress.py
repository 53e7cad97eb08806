"""How a build goes on: bars on a terminal, a line now and then elsewhere, nothing when asked for nothing.

Nothing here reaches a release: it alone of the builder's parts reads a clock while rows are made.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self, TextIO

from rich.console import Console
from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bars

from carrara.cli.tables import duration
from carrara.text.display import count, visible

# Without a terminal, one line in so many seconds at most; of long work, one in a tenth of the time that it took so far.
LINE_SECONDS = 10.0
_MOST_SECONDS = 300.0
# What is done so soon was there before: the files of a build that is resumed.
_AT_ONCE = 1.0
_MAX_NAME = 48
# In a narrow terminal the bar, the rates and the time left need the rest of the line.
_NARROW, _NARROW_NAME = 100, 24
_MAX_BARS = 8


@dataclass(slots=True)
class _Config:
    """What is known of one config; `bar` is on the screen while it is under way."""

    rows: int
    done: int
    bar: TaskID | None


class Progress:
    """Counts rows and tokens of a build and tells of them on `stream`. Use it as a context manager.

    Of another `unit` than rows it tells no tokens. Where none are expected (`total_tokens` 0), the rows say how much is
    done. `aside` gives words for every line.
    """

    def __init__(
        self,
        total_rows: int,
        total_tokens: int,
        quiet: bool = False,
        stream: TextIO | None = None,
        clock: Callable[[], float] = time.monotonic,
        unit: str = "rows",
        aside: Callable[[], str] | None = None,
    ) -> None:
        self._unit = unit
        self._tells_tokens = unit == "rows"
        self._aside = aside
        self._total_rows = total_rows
        self._total_tokens = total_tokens
        self._quiet = quiet
        self._stream = stream if stream is not None else sys.stderr
        self._clock = clock
        self._configs: dict[str, _Config] = {}
        self._rows = self._tokens = 0
        # Rows and tokens that were there at once, and when the first config began.
        self._kept = (0, 0)
        self._began: float | None = None
        self._started = self._told = clock()
        console = Console(file=self._stream, markup=False, highlight=False, emoji=False)
        self._bars: Bars | None = None
        self._all: TaskID | None = None
        if not quiet and console.is_terminal and not console.is_dumb_terminal:
            self._bars = Bars(
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=20),
                TextColumn("{task.fields[text]}", markup=False),
                TimeRemainingColumn(compact=True),
                console=console,
                get_time=clock,
            )
            self._all = self._bars.add_task("all", total=max(1, total_tokens or total_rows), text=self._state())

    def __enter__(self) -> Self:
        self._started = self._told = self._clock()
        if self._bars:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars:
            self._bars.stop()
        elif self._configs and not self._quiet and kind is None:
            name = visible(next(iter(self._configs)), 200) if len(self._configs) == 1 else "all"
            tokens = f", {count(self._tokens)} tokens" if self._tells_tokens else ""
            spent = duration(self._clock() - self._started)
            self._line(f"{name}: {self._rows:,} {self._unit}{tokens}{self._words()}, done after {spent}")

    def start(self, config: str, rows: int) -> None:
        """A config of so many rows is to be made."""
        if self._began is None:
            self._began = self._clock()
        self._configs[config] = _Config(rows, 0, None)

    def advance(self, config: str, rows: int, tokens: int) -> None:
        """So many more rows of a config are done, of so many tokens, prompt and answer."""
        if config not in self._configs:
            self.start(config, rows)
        state = self._configs[config]
        state.done += rows
        self._rows += rows
        self._tokens += tokens
        if self._began is not None and self._clock() - self._began < _AT_ONCE:
            self._kept = (self._rows, self._tokens)
        if self._bars:
            self._show(config, state)
        elif not self._quiet:
            self._tell()

    def note(self, text: str) -> None:
        """Something a person may want to know."""
        if self._bars:
            self._bars.console.print(visible(text))
        elif not self._quiet:
            self._line(visible(text))

    def _show(self, config: str, state: _Config) -> None:
        if self._bars is None or self._all is None:
            return
        done, total = self._done()
        self._bars.update(self._all, completed=min(done, total), text=self._state())
        if state.done >= state.rows:
            if state.bar is not None:
                self._bars.remove_task(state.bar)
                state.bar = None
            return
        text = f"{state.done:,}/{state.rows:,} {self._unit}"
        if state.bar is None:
            if sum(other.bar is not None for other in self._configs.values()) >= _MAX_BARS:
                return
            state.bar = self._bars.add_task(_short(config, self._bars.console.width), total=state.rows, text=text)
        self._bars.update(state.bar, completed=state.done, text=text)

    def _tell(self) -> None:
        now = self._clock()
        if now - self._told >= min(_MOST_SECONDS, max(LINE_SECONDS, (now - self._started) / 10)):
            done, total = self._done()
            configs = ""
            if len(self._configs) > 1:
                whole = sum(state.done >= state.rows for state in self._configs.values())
                configs = f", {whole:,}/{len(self._configs):,} configs"
            self._line(f"{min(1.0, done / total):.0%}: {self._state()}{configs}, ETA {self._left()}")
            self._told = now

    def _left(self) -> str:
        """The time that is left, at the rate so far; "-" while there is none."""
        done, total = self._done()
        rate = self._rates()[1 if self._total_tokens else 0]
        return duration(max(0, total - done) / rate) if rate else "-"

    def _rates(self) -> tuple[float, float]:
        """Rows and tokens a second since the first config began; 0 where nothing is known yet."""
        spent = 0.0 if self._began is None else self._clock() - self._began
        if spent < _AT_ONCE:
            return 0.0, 0.0
        return max(0, self._rows - self._kept[0]) / spent, max(0, self._tokens - self._kept[1]) / spent

    def _state(self) -> str:
        told = f"{self._rows:,}/{self._total_rows:,} {self._unit}"
        rows, tokens = self._rates()
        if rows:
            told += f", {_rate(rows)}/s"
        if tokens and self._tells_tokens:
            told += f", {count(tokens)} tokens/s"
        return told + self._words()

    def _done(self) -> tuple[int, int]:
        """How much is done, of how much, in whatever is counted on."""
        if self._total_tokens:
            return self._tokens, self._total_tokens
        return self._rows, max(1, self._total_rows)

    def _words(self) -> str:
        words = self._aside() if self._aside else ""
        return f", {visible(words)}" if words else ""

    def _line(self, text: str) -> None:
        print(text, file=self._stream, flush=True)


def _rate(number: float) -> str:
    return count(number) if number >= 100 else f"{number:.2g}"


def _short(config: str, width: int) -> str:
    """The name with its middle left out where it is too long: task and bucket stay."""
    limit = _NARROW_NAME if width < _NARROW else _MAX_NAME
    half = limit // 2
    name = visible(config, 200)
    return name if len(name) <= limit else f"{name[: half - 1]}…{name[-half:]}"
