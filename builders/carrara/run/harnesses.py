"""Asks a model the rows of a run, through Inspect or lm-evaluation-harness: their providers, retries and logs.

Both get the row's prompt as the user's message, to the byte, and at most its max_output_tokens with the tokens for
thinking on top. What comes back is kept by `RunFolder` before anything else is done with it. A row that has an answer
gets that one, so that the log of the last session is of all rows. Of a refusal, a prompt too long or a failure the row
keeps the reason, and the others are asked all the same, but for what no row would get past: a key that is not accepted,
a model that is not there, failures one after the other.

Nothing of a release names an endpoint: it comes from who runs this, and a key goes to that endpoint alone. A `.env`
file, which may lie in a release, is not read.
"""

import logging
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from carrara.errors import CarraraError, library
from carrara.export import lm_eval as tasks
from carrara.release.hub_store import Remote
from carrara.release.reader import Release, checked_rows_at
from carrara.row import ArrowRow
from carrara.run.record import AskedRow, KeptAnswer, RunFolder
from carrara.scoring import recorded, row_metric, score_response
from carrara.scoring.responses.inspect import answered
from carrara.scoring.responses.reading import is_cut, parts

INTERRUPTED: Final = "interrupted"
LOGS: Final = "logs"
TASKS: Final = "tasks"
# Statuses that every other row would get too, unless rows were answered.
_FATAL: Final = {
    401: "check the key: --key-env names the variable that holds it",
    403: "check the key, and what it may use",
    404: "check --model and --base-url, which ends before /chat/completions",
}
_OWN: Final = (400, 403, 413, 422)
_REFUSED: Final = (*_FATAL, *_OWN)
_SHORTEST_SECRET: Final = 8
_MAX_SAID: Final = 300


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a model answers: what makes another run of it. `extra` are parameters of a request."""

    reasoning_tokens: int = 0
    most_tokens: int | None = None
    temperature: float = 0.0
    extra: Mapping[str, object] = field(default_factory=dict)

    def budget(self, row: AskedRow) -> int:
        """The tokens that a model may write for a row: its answer, and thoughts before it, up to `most_tokens`."""
        wanted = row.max_output_tokens + self.reasoning_tokens
        return wanted if self.most_tokens is None else min(wanted, self.most_tokens)


@dataclass(slots=True)
class Work:
    """What is asked of whom, and how.

    `retries` are tries after the first, `seconds` the time that one may take, `workers` requests at a time.
    `begin` is called when a row is sent, `tell` when it has an answer or none will come,
    `note` with what else a person may want to know.
    """

    release: Release
    run: RunFolder
    model: str
    how: Decoding = field(default_factory=Decoding)
    base_url: str = ""
    key: str = field(default="", repr=False)
    workers: int = 8
    seconds: int = 600
    retries: int = 8
    begin: Callable[[], None] = lambda: None
    tell: Callable[[AskedRow, KeptAnswer], None] = lambda row, answer: None
    note: Callable[[str], None] = lambda text: None
    # Why no more rows are asked; "" while they are.
    stopped: str = ""
    _failed_in_a_row: int = 0

    def keep(self, row: AskedRow, answer: KeptAnswer, own: bool = False) -> None:
        """Keep what came of a row, and stop asking where nothing comes of any. `own`: only this row is refused."""
        if self.stopped == INTERRUPTED:
            return
        answer = replace(answer, reason=self.safe(answer.reason))
        try:
            self.run.add(row.id, answer)
        except CarraraError as error:
            self.stopped = self.stopped or str(error)
            return
        if answer.text is not None or not own:
            self._failed_in_a_row = 0 if answer.text is not None else self._failed_in_a_row + 1
        if self._failed_in_a_row >= max(8, 2 * self.workers):
            self.stopped = self.stopped or f"{self._failed_in_a_row} rows one after the other failed: {answer.reason}"
        self.tell(row, answer)

    def failed(self, row: AskedRow, error: BaseException) -> None:
        """Keep why a row has no answer."""
        if type(error).__name__ in ("RetryError", "ModelGenerateError") and error.__cause__ is not None:
            # Inspect's say that every try failed, and what was sent, the prompt and all.
            error = error.__cause__
        status, said = _status(error), self.safe(_told(error))
        works = any(answer.text is not None for answer in self.run.answers.values())
        if status == 401 or (status in _FATAL and not works):
            self.stopped = self.stopped or f"the endpoint answered {status}: {said}\n  {_FATAL[status]}"
        # Where rows were answered, it is this request that is refused: its prompt is too long, or its words are.
        own = works and status in _OWN
        self.keep(row, KeptAnswer(None, f"error {status}: {said}" if status else f"error: {said}"), own)

    def safe(self, said: str) -> str:
        """What an endpoint says, on one line, without any key that this process was given."""
        secrets = {value for name, value in os.environ.items() if name.endswith(("_KEY", "_TOKEN"))} | {self.key}
        for secret in secrets:
            if len(secret) >= _SHORTEST_SECRET:
                said = said.replace(secret, "<key>")
        return " ".join("".join(one if one.isprintable() else " " for one in said).split())[:_MAX_SAID]


def _status(error: BaseException) -> int:
    """The HTTP status of an error of a provider's library; 0 without one."""
    for one in (error, getattr(error, "response", None)):
        status = getattr(one, "status_code", None) or getattr(one, "status", None)
        if type(status) is int:
            return status
    return 0


def _told(error: BaseException) -> str:
    if type(error).__module__.startswith("requests"):
        # It names the status alone, not what the endpoint said.
        said = getattr(getattr(error, "response", None), "text", "")
        return f"{said or error}"
    cause = error.__cause__
    more = f" ({type(cause).__name__}: {cause})" if cause is not None and str(cause) not in str(error) else ""
    return f"{type(error).__name__}: {error}{more}"


# Inspect


def _inspect(part: str = "") -> Any:
    return library(f"inspect_ai.{part}" if part else "inspect_ai", "inspect")


def ask_inspect(work: Work) -> str:
    """Ask through Inspect; its log goes to `logs`. Why it ended early, "" where it did not.

    Raises CarraraError for a model that Inspect does not know; KeyboardInterrupt.
    """
    # Before Inspect is imported: it reads `.env` of the folder that one is in, and of those above.
    os.environ["PYTHON_DOTENV_DISABLED"] = "1"
    inspect_ai = _inspect()
    model = _inspect_model(work)
    _watch_retries(work)
    logs = inspect_ai.eval(
        _inspect_task(work),
        model=model,
        log_dir=str(work.run.folder.resolve() / LOGS),
        display="none",
        log_level="error",
        ctl_server=False,
        # The answers are kept here, so that Inspect need not keep them too.
        log_realtime=False,
        log_model_api=False,
        log_buffer=max(10, len(work.run.asked) // 20),
        max_samples=work.workers,
        fail_on_error=False,
        score_display=False,
        # The samples stand in the log: they are not read back.
        log_header_only=True,
    )
    # Inspect swallows Control-C, and gives no log of what it broke off.
    if not logs or logs[0].status == "cancelled":
        raise KeyboardInterrupt
    if logs[0].status == "error" and not work.stopped:
        work.stopped = work.safe(f"Inspect ended with {logs[0].error.message if logs[0].error else 'an error'}")
    return work.stopped


def _inspect_model(work: Work) -> Any:
    """The model, at the endpoint that was named or at its provider's own."""
    models = _inspect("model")
    errors = _inspect("_util.error")
    # What Inspect has an option for, every provider gets in its own words; the rest goes into the request as it is.
    options = {name: value for name, value in work.how.extra.items() if name in models.GenerateConfig.model_fields}
    body = {name: value for name, value in work.how.extra.items() if name not in options}
    options |= {"temperature": work.how.temperature, "max_connections": work.workers, "max_retries": work.retries}
    try:
        config = models.GenerateConfig(**options, attempt_timeout=work.seconds, extra_body=body or None)
    except ValueError as error:
        raise CarraraError(f"got --extra that Inspect does not take: {work.safe(str(error))}", "mend it") from error
    # A server that wants no key gets a word that is none: without one the library would look for another key.
    name, where = work.model, {"api_key": work.key} if work.key else {}
    if work.base_url:
        name = f"openai-api/carrara/{work.model}"
        where = {"base_url": work.base_url, "api_key": work.key or "none"}
    try:
        return models.get_model(name, config=config, memoize=False, **where)
    except (errors.PrerequisiteError, ValueError, ImportError) as error:
        hint = "give PROVIDER/NAME, such as openai/gpt-5, or --base-url URL and the name that the server knows"
        raise CarraraError(work.safe(_plain(error)), hint) from error


def _plain(error: BaseException) -> str:
    """The message of an error of Inspect, which may hold rich markup."""
    from rich.text import Text

    said = str(getattr(error, "message", None) or error)
    try:
        return Text.from_markup(said).plain
    except ValueError:
        return said


def _inspect_task(work: Work) -> Any:
    inspect_ai = _inspect()
    dataset = _inspect("dataset")
    rows = {row.id: row for row in work.run.asked}
    name = f"{work.release.name}@{work.release.version}"
    # The prompt is read when its turn comes: a release may hold gigabytes.
    samples = [dataset.Sample(input=row.id, id=row.id, metadata={"config": row.config}) for row in work.run.asked]
    reader = _RowReader(work)
    return inspect_ai.Task(
        dataset=dataset.MemoryDataset(samples, name=name, location=work.release.place.label),
        solver=_inspect_solver(work, rows, reader),
        scorer=_inspect_scorer(work, rows, reader),
        name=f"{work.release.name}_{work.release.version}",
        version=work.release.version,
        metadata={"release": name, "root": work.release.root},
    )


def _inspect_solver(work: Work, rows: dict[str, AskedRow], reader: "_RowReader") -> Any:
    models, solvers = _inspect("model"), _inspect("solver")

    async def solve(state: Any, generate: Any) -> Any:
        row = rows[state.sample_id]
        kept = work.run.answers.get(row.id)
        if kept is not None and kept.text is not None:
            state.messages = [models.ChatMessageUser(content=reader.row(row)["prompt"])]
            state.output = models.ModelOutput.from_content(str(state.model), kept.text)
            state.messages.append(state.output.message)
        elif not work.stopped:
            state.messages = [models.ChatMessageUser(content=reader.row(row)["prompt"])]
            work.begin()
            try:
                state = await generate(state, max_tokens=work.how.budget(row))
            # Whatever a provider's library raises: the row has no answer, the others may.
            except Exception as error:
                work.failed(row, error)
            else:
                # The provider says that this prompt is too long for the model, or that it is filtered.
                work.keep(row, _inspect_answer(state.output), own=True)
        return state

    return solvers.solver(name="carrara")(lambda: solve)()


def _inspect_answer(output: Any) -> KeptAnswer:
    text, why = answered(output.model_dump(mode="json"))
    usage, message = output.usage, output.choices[0].message if output.choices else None
    contents = message.content if message is not None and isinstance(message.content, list) else ()
    return KeptAnswer(
        text,
        why,
        "" if output.stop_reason == "stop" else str(output.stop_reason),
        max(0, usage.input_tokens) if usage else 0,
        max(0, usage.output_tokens) if usage else 0,
        "\n".join(part.reasoning for part in contents if part.type == "reasoning"),
    )


def _inspect_scorer(work: Work, rows: dict[str, AskedRow], reader: "_RowReader") -> Any:
    scorers = _inspect("scorer")

    async def score(state: Any, target: Any) -> Any:
        row = rows[state.sample_id]
        full = reader.done(row)
        kept = work.run.answers.get(row.id)
        if kept is None or kept.text is None:
            why = kept.reason if kept is not None else "not asked"
            return scorers.Score(value=0.0, reason="no_response", explanation=why)
        metric = row_metric(full, work.release.configs[row.config].metric)
        found = score_response(full, kept.text)
        told = {"metric": recorded(metric)}
        return scorers.Score(
            value=found.value or 0.0, answer=kept.text[:1_000], explanation=found.reason, metadata=told
        )

    return scorers.scorer(name="carrara", metrics=[scorers.mean()])(lambda: score)()


def _watch_retries(work: Work) -> None:
    """Have it said when the endpoint is asked again, at most once in a while."""
    hooks = _inspect("hooks")
    _RETRIES.work, _RETRIES.told = work, 0
    if _RETRIES.watched:
        return
    _RETRIES.watched = True

    async def on_model_retry(self: Any, data: Any) -> None:
        _RETRIES.tell(data.status_code or data.exception_type, data.wait_time)

    retries = type("Retries", (hooks.Hooks,), {"on_model_retry": on_model_retry})
    hooks.hooks(name="carrara_run", description="Says when an endpoint is asked again.")(retries)


@dataclass(slots=True)
class _Retries:
    """Inspect keeps a hook as long as the process lives: which work it is of, and how often it spoke."""

    work: Work | None = None
    told: int = 0
    watched: bool = False

    def tell(self, what: Any, wait: float) -> None:
        self.told += 1
        # The 1st, 2nd, 4th, 8th time.
        if self.work is not None and self.told & (self.told - 1) == 0:
            self.work.note(f"no answer ({what}), asked again after {wait:.0f} s; {self.told:,} times so far")


_RETRIES: Final = _Retries()


class _RowReader:
    """The rows of a run in about the order of asking, each read once: row groups are large."""

    def __init__(self, work: Work) -> None:
        self._release = work.release
        wanted: dict[str, list[int]] = {}
        for row in work.run.asked:
            wanted.setdefault(row.config, []).append(row.index)
        self._wanted = wanted
        self._open: dict[str, Iterator[tuple[int, ArrowRow]]] = {}
        self._held: dict[tuple[str, int], ArrowRow] = {}

    def row(self, row: AskedRow) -> ArrowRow:
        """A row, held until it is done. Raises ReleaseError."""
        key = (row.config, row.index)
        if key not in self._held and row.config not in self._open:
            self._open[row.config] = checked_rows_at(self._release, row.config, self._wanted[row.config])
        while key not in self._held:
            found = next(self._open[row.config], None)
            if found is None:
                # It was read and let go: begin again.
                [(_, self._held[key])] = checked_rows_at(self._release, row.config, [row.index])
                break
            self._held[row.config, found[0]] = found[1]
        return self._held[key]

    def done(self, row: AskedRow) -> ArrowRow:
        """A row that is needed no longer."""
        found = self.row(row)
        del self._held[row.config, row.index]
        return found


# lm-evaluation-harness

# Providers by the names that both harnesses' commands go by, else the harness's own: vllm, hf, local-chat-completions.
_LM_EVAL: Final = {"openai": "openai-chat-completions", "anthropic": "anthropic-chat-completions"}


def _lm_eval(part: str) -> Any:
    return library(f"lm_eval.{part}", "lm-eval")


def ask_lm_eval(work: Work) -> str:
    """Ask through lm-evaluation-harness; its results and samples go to `logs`. Why it ended early, "" if it did not.

    Raises CarraraError for a model that the harness does not know; KeyboardInterrupt.
    """
    # Its warnings repeat what is kept as the reason of a row.
    evaluator, loggers = _lm_eval("evaluator"), _lm_eval("loggers")
    logging.getLogger("lm_eval").setLevel(logging.CRITICAL)
    folder, place = work.run.folder.resolve(), work.release.place
    repo, revision = (place.repository, place.commit) if isinstance(place, Remote) else (None, None)
    tasks.write(work.release, folder / TASKS, repo, revision)
    names = {row.config: tasks.task_name(work.release, row.config) for row in work.run.asked}
    manager = _lm_eval("tasks").TaskManager(
        include_path=str(folder / TASKS), include_defaults=False, verbosity="CRITICAL"
    )
    lm = _lm_eval_model(work)
    lm.generate_until = _Asking(work, lm)
    samples: dict[str, list[int]] = {name: [] for name in names.values()}
    for row in work.run.asked:
        samples[names[row.config]].append(row.index)
    loaded = manager.load(list(samples))
    results = evaluator.evaluate(
        lm=lm, task_dict=loaded, samples=samples, apply_chat_template=True, bootstrap_iters=0, log_samples=True
    )
    tracker = loggers.EvaluationTracker(output_path=str(folder / LOGS))
    kind, name = _lm_eval_name(work)
    tracker.general_config_tracker.log_experiment_args(kind, {"model": name}, None, None, False)
    kept = results.pop("samples")
    results["config"] = {"model": kind, "model_args": {"model": name}}
    tracker.save_results_aggregated(results=results, samples=kept)
    for task, lines in kept.items():
        tracker.save_results_samples(task_name=task, samples=lines)
    return work.stopped


def _lm_eval_name(work: Work) -> tuple[str, str]:
    """The harness's kind of model and the name of the model."""
    if work.base_url:
        return "local-chat-completions", work.model
    provider, _, name = work.model.partition("/")
    return _LM_EVAL.get(provider, provider), name


def _lm_eval_model(work: Work) -> Any:
    kind, name = _lm_eval_name(work)
    _lm_eval("models")
    api = _lm_eval("models.api_models").TemplateAPI
    hint = "give openai/NAME, anthropic/NAME, vllm/NAME, hf/NAME, or --base-url URL and the name that the server knows"
    try:
        known = _lm_eval("api.registry").get_model(kind)
        if not name:
            raise ValueError(f"got {work.model}, expected PROVIDER/NAME")
        if not issubclass(known, api):
            here = {"device": _device()} if kind.startswith("hf") else {}
            return known.create_from_arg_obj({"pretrained": name}, here)
        arguments: dict[str, object] = {"model": name, "num_concurrent": 1, "max_retries": work.retries + 1}
        arguments["timeout"] = work.seconds
        if work.key and not work.base_url:
            raise ValueError("it reads the key of a provider from the variable of its own: drop --key-env")
        if work.base_url:
            # A header of its own, with or without a key: else the harness sends whatever OPENAI_API_KEY holds.
            arguments["base_url"] = f"{work.base_url.rstrip('/')}/chat/completions"
            arguments["header"] = {"Authorization": f"Bearer {work.key or 'none'}"}
        return known.create_from_arg_obj(arguments)
    # A model that is loaded here raises whatever its libraries do: a file, memory or a device that is not there.
    except Exception as error:
        raise CarraraError(f"lm-eval has no model {work.model!r}: {work.safe(_told(error))}", hint) from error


def _device() -> str:
    """Where a model of this process runs: the harness takes a GPU for granted."""
    torch = _lm_eval("models.huggingface").torch
    return "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"


class _RefusedRequest(BaseException):
    """What the harness would ask again, as it does whatever is an Exception: it would be refused again."""

    def __init__(self, why: Exception) -> None:
        super().__init__(str(why))
        self.why = why


class _Asking:
    """Takes the place of a model's `generate_until`: answers that are kept are given, every other one is asked for.

    A model behind an endpoint is asked row by row, so that one that fails does not end the others, and each row has
    its own budget. A model in this process is asked for all at once, and its answers are kept as they come.
    """

    def __init__(self, work: Work, lm: Any) -> None:
        self._work, self._lm, self._ask = work, lm, lm.generate_until
        self._rows = {row.id: row for row in work.run.asked}
        self._one_by_one = isinstance(lm, _lm_eval("models.api_models").TemplateAPI)
        # What the endpoint answered to the request that a thread is about; the harness itself keeps the text alone.
        self._here = threading.local()
        if self._one_by_one:
            self._parse, lm.parse_generations = lm.parse_generations, self._seen
            self._call, lm.model_call = lm.model_call, self._called

    def __call__(self, requests: list[Any], disable_tqdm: bool = False) -> list[str | None]:
        """The answers to these requests, None where there is none."""
        rows = [self._rows[request.doc["id"]] for request in requests]
        new = [(row, self._own(row, one)) for row, one in zip(rows, requests, strict=True) if not self._has(row)]
        if self._one_by_one:
            self._each(new)
        elif new:
            self._all(new)
        answers = self._work.run.answers
        return [answers[row.id].text if row.id in answers else None for row in rows]

    def _has(self, row: AskedRow) -> bool:
        return self._work.run.has(row.id)

    def _own(self, row: AskedRow, request: Any) -> Any:
        """The request with the row's own budget."""
        text, options = request.args
        more = {"max_gen_toks": self._work.how.budget(row), "temperature": self._work.how.temperature}
        more["do_sample"] = self._work.how.temperature > 0
        return replace(request, arguments=(text, {**options, **self._work.how.extra, **more}))

    def _each(self, new: list[tuple[AskedRow, Any]]) -> None:
        waiting, taking = iter(new), threading.Lock()

        def ask() -> None:
            while True:
                with taking:
                    found = next(waiting, None)
                if found is None or self._work.stopped:
                    return
                self._one(*found)

        # Threads that end with the process: interrupted, nobody waits for what is under way.
        threads = [threading.Thread(target=ask, daemon=True) for _ in range(min(self._work.workers, len(new)))]
        for thread in threads:
            thread.start()
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            self._work.stopped = INTERRUPTED
            raise

    def _one(self, row: AskedRow, request: Any) -> None:
        self._work.begin()
        self._here.body = None
        try:
            [text] = self._ask([request], disable_tqdm=True)
        except _RefusedRequest as error:
            self._work.failed(row, error.why)
        # Whatever a provider's library raises: the row has no answer, the others may.
        except Exception as error:
            self._work.failed(row, error)
        else:
            self._work.keep(row, _lm_eval_answer(text, self._here.body))

    def _called(self, *arguments: Any, **more: Any) -> Any:
        try:
            return self._call(*arguments, **more)
        # Any error goes on as it is, but for a status that no other attempt would change.
        except Exception as error:
            if _status(error) in _REFUSED:
                raise _RefusedRequest(error) from error
            raise

    def _seen(self, outputs: Any, **more: Any) -> Any:
        self._here.body = outputs[0] if isinstance(outputs, list) and outputs else outputs
        return self._parse(outputs=outputs, **more)

    def _all(self, new: list[tuple[AskedRow, Any]]) -> None:
        waiting: dict[str, list[AskedRow]] = {}
        fitting = []
        for row, request in new:
            text, most = str(request.args[0]), int(self._lm.max_length)
            tokens, wanted = len(self._lm.tok_encode(text)), self._work.how.budget(row)
            # The harness would cut the prompt from the left, and say nothing.
            if tokens + wanted > most:
                told = f"model_length: {tokens:,} tokens and {wanted:,} to write, the model takes {most:,}"
                self._work.keep(row, KeptAnswer(None, told), own=True)
                continue
            waiting.setdefault(text, []).append(row)
            fitting.append(request)

        def partly(kind: str, asked: Any, text: Any) -> None:
            for row in waiting.pop(str(asked[0]), ()):
                self._work.keep(row, KeptAnswer(str(text)))

        self._lm.cache_hook.add_partial = partly
        self._work.begin()
        if fitting:
            self._ask(fitting, disable_tqdm=True)


def _lm_eval_answer(text: str | None, body: object) -> KeptAnswer:
    """An answer of the harness, with what the endpoint's own words (OpenAI's or Anthropic's) say of it."""
    table = body if isinstance(body, dict) else {}
    choices, usage = table.get("choices"), table.get("usage")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else table
    usage = usage if isinstance(usage, dict) else {}
    counts = [usage.get(name) for name in ("prompt_tokens", "input_tokens", "completion_tokens", "output_tokens")]
    tokens = [number if type(number) is int and 0 <= number < 1 << 32 else 0 for number in counts]
    stop = choice.get("finish_reason") or choice.get("stop_reason")
    stop = {"length": "max_tokens", "stop": "", "end_turn": ""}.get(stop, stop) if isinstance(stop, str) else ""
    message = choice.get("message")
    thoughts = parts(message)[1] if isinstance(message, dict) else ""
    if text is None and (thoughts or is_cut(stop)):
        # It thought, and came to no answer.
        text = ""
    if text is None or (not text and stop == "content_filter"):
        return KeptAnswer(None, stop or "no output")
    return KeptAnswer(text, "", stop, sum(tokens[:2]), sum(tokens[2:]), thoughts)


ASK: Final[dict[str, Callable[[Work], str]]] = {"inspect": ask_inspect, "lm-eval": ask_lm_eval}
