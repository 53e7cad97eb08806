"""Probes: strategies that read no context, scored once per item, summed up for the manifest and told in the card."""

import json
from pathlib import Path

import pytest
from unchecked import unchecked

from carrara.card import figures
from carrara.card.chance import chance, outcomes
from carrara.making import build
from carrara.making.build import Run
from carrara.making.probes import BINS, OUTCOMES, WRONG, probe, summary, with_chance
from carrara.making.proofs import release_audit
from carrara.making.row_maker import RowMaker
from carrara.making.sidecar import Sidecar
from carrara.recipe.recipe import recipe_from_table
from carrara.release.reader import open_release
from carrara.release.schema import ConfigFacts, Content
from carrara.stream import Stream
from carrara.task import Draft
from carrara.tasks import TASKS
from carrara.tasks.michelangelo.latent_list.program import length_chance, model_chance


class Silent:
    def start(self, config: str, rows: int) -> None: ...

    def advance(self, config: str, rows: int, tokens: int) -> None: ...

    def note(self, text: str) -> None: ...


def recipe(task: str, questions: int, **cell):
    return recipe_from_table(
        {
            "name": "probed",
            "version": "1.0.0",
            "stream": "probed/1",
            "tokenizer": "o200k_base",
            "buckets": {"4k": 4_096, "8k": 8_192},
            "cell": [{"task": task, "questions": questions, **cell}],
        }
    )


def test_the_papers_random_model_has_its_closed_form():
    assert [round(100 * length_chance(k), 2) for k in (1, 5, 20)] == [50.0, 36.81, 38.68]
    assert model_chance(Stream("chance"), "len", 5) == length_chance(5)
    # A guess of one of 8,001 numbers, each of two lengths: both empty, or both of one number.
    assert model_chance(Stream("chance"), "print", 1) == pytest.approx(0.25, abs=0.02)


def test_guesses_are_scored_in_every_bucket_and_wrong_answers_in_the_smallest(tmp_path: Path):
    made = recipe("latent_list", 15)
    folder = build.build(made, Run(tmp_path, None, 1, None, None), Silent())
    configs = open_release(folder).configs
    wrong = ({cell.probe for cell in configs[f"latent_list_{bucket}"].probes} & set(WRONG) for bucket in ("4k", "8k"))
    assert [len(names) for names in wrong] == [2, 0]
    assert {cell.probe for cell in configs["latent_list_8k"].probes} >= {"random model"}
    cells = [cell for cell in configs["latent_list_4k"].probes if cell.probe == "random model"]
    assert {(cell.view, cell.complexity) for cell in cells} == {
        (view, count) for view in ("print", "sum", "min", "max", "len") for count in (1, 5, 20)
    }
    assert all(cell.items == 1 and sum(cell.histogram) in {24, 2, 6, 21} for cell in cells)
    text = (folder / "DETAILS.md").read_text()
    assert "| len | 5 | 2 |" in text and "36.8 |" in text
    assert (folder / "figures" / "chance.svg").stat().st_size > 1_000


def test_a_strategy_with_many_outcomes_is_scored_on_some_of_them_drawn_by_key():
    draft = Draft("prompt", ("7",), 3, 16, facts={"view": "len"})
    task = TASKS["latent_list"]
    row = {"answers": ["7"], "facts": json.dumps(draft.facts), "prompt": "prompt", "metric": task.metrics[0]}

    class Many:
        name = task.name

        @staticmethod
        def guesses(draft, stream):
            return {"many": tuple(map(str, range(60)))}

        @staticmethod
        def view(draft):
            return "v"

        @staticmethod
        def chance(view, complexity):
            return {}

    first = probe(Many, draft, row, Stream("a"), {})
    assert first == probe(Many, draft, row, Stream("a"), {}) != probe(Many, draft, row, Stream("b"), {})
    assert sum(first.scores["many"].histogram) == OUTCOMES
    (cell,) = summary(Many, [first, first])
    assert cell.items == 2 and sum(cell.histogram) == 2 * OUTCOMES


def test_options_are_probed_without_a_word_of_the_task():
    draft = Draft("prompt", ("B",), 1, 16, choices=("one", "two", "three"))
    names = set(probe_names(draft))
    assert names == {"any option", "always A", "always B", "always C"}


def probe_names(draft: Draft):
    from carrara.making.probes import _options

    return _options(draft)


def test_the_card_turns_a_wide_table_and_keeps_a_narrow_one():
    def cells(count):
        return [
            {
                "view": "",
                "complexity": k,
                "probe": f"p{n}",
                "items": 2,
                "mean": 0.25,
                "histogram": [2] + [0] * (BINS - 1),
            }
            for k in (1, 2)
            for n in range(count)
        ]

    narrow = "\n".join(chance([unchecked(ConfigFacts, {"probes": cells(2)})]))
    assert "| complexity | questions | p0 | p1 |" in narrow and "| 1 | 2 | 25.0 | 25.0 |" in narrow
    wide = "\n".join(chance([unchecked(ConfigFacts, {"probes": cells(9)})]))
    assert "| p3 | 4 | 25.0 | 25.0 | 25.0 |" in wide
    assert (
        list(chance([unchecked(ConfigFacts, {"probes": []})])) == []
        and list(chance([unchecked(ConfigFacts, {})])) == []
    )
    assert outcomes([unchecked(ConfigFacts, {"probes": cells(2)})]) == {}


def test_nothing_to_draw_is_no_figure(tmp_path: Path):
    made = recipe("single_needle", 1, variants=["en"])
    assert not figures.chance_histograms(
        unchecked(Content, {"recipe": made.to_json(), "configs": {"single_needle_en_4k": {"task": "single_needle"}}}),
        tmp_path / "chance.svg",
    )


def sidecar(records) -> Sidecar:
    return Sidecar(key="", file="", sha256="", bytes=0, rows=tuple(records))


def test_a_given_size_in_too_large_a_bucket_is_objected_to():
    maker = RowMaker(recipe("numeric_sorting", 2, variants=["ascending"], lengths="given", params={"count": 300}), None)
    sidecars = {
        config.name: [sidecar(maker.make(config, slot).record for slot in config.file_slots(0))]
        for config in maker.recipe.configs()
    }
    found = [finding for finding in release_audit(maker.recipe, sidecars) if finding.what == "bucket"]
    assert [finding.detail.split(":")[0] for finding in found] == ["numeric_sorting_ascending_8k"]


def test_a_rows_chance_is_that_of_its_widest_strategy(tmp_path: Path):
    made = recipe("latent_list", 2)
    maker = RowMaker(made, None)
    config = made.configs()[0]
    row = maker.make(config, config.slot(0)).row.to_arrow()
    scores = json.loads(with_chance(row)["facts"])["chance"]
    assert 2 <= len(scores) <= OUTCOMES and all(0 <= score <= 1 for score in scores)
    assert with_chance({**row, "tokens": 40_000})["facts"] == row["facts"]
    assert with_chance({**row, "task": "unknown"}) == {**row, "task": "unknown"}


def test_sizes_that_follow_from_the_length_are_one_line_a_view():
    cells = [
        {"view": view, "complexity": 1_000 + n, "probe": "p", "items": 1, "mean": n / 10, "histogram": [1, *[0] * 19]}
        for view in ("copied", "grouped")
        for n in range(9)
    ]
    told = "\n".join(chance([unchecked(ConfigFacts, {"probes": cells})]))
    assert "| copied | 1,000–1,008 | 9 | 40.0 |" in told and told.count("| grouped |") == 1
