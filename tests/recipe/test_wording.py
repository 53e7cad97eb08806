"""A recipe's own wording of prompts: in, out again byte for byte, counted to the token, refused where it cannot be."""

import json
import tomllib
from string import Formatter

import pytest
from commands import here, is_refusal
from variants import folder, need, own_sources, source_of

from carrara.errors import RecipeError
from carrara.making.row_maker import RowMaker
from carrara.recipe.recipe import EMBEDDED, recipe_from_json, recipe_from_table
from carrara.recipe.wording import PromptWording, part_pattern
from carrara.tasks import TASKS

# In the fast loop a variant a task, of those alone that need no search: their rows cost a world and its index.
WORDED = [
    pytest.param(name, variant, marks=[pytest.mark.repeat] if number or task.variants[variant].search else [])
    for name, task in TASKS.items()
    if task.parts
    for number, variant in enumerate(
        sorted(task.variants, key=lambda variant: source_of(name, variant) not in {"", *EMBEDDED})
    )
]
RECIPE = {
    "name": "worded",
    "version": "1.0.0",
    "stream": "conformance/1",
    "tokenizer": "o200k_base",
    "buckets": {"4k": 4_096},
}
NEEDLE = {"task": "single_needle", "variants": ["en"], "questions": 1}


def recipe(cell, **more):
    return recipe_from_table({**RECIPE, "cell": [cell], **more})


def fields(text):
    return dict.fromkeys(field for _, field, _, _ in Formatter().parse(text) if field)


@pytest.mark.parametrize(("name", "variant"), WORDED)
def test_every_part_is_worded_otherwise_and_the_row_is_proven_to_the_token(name, variant):
    need(name, variant)
    task = TASKS[name]
    ours = task.parts(task.params(), variant)
    texts = {
        part: " | ".join([f"<<{part}>>", *(f"{{{field}}}" for field in fields(text)), "."])
        for part, text in ours.items()
    }
    cell = {"task": name, "variants": [variant], "questions": 2, "template": texts}
    if name == "in_context_learning":
        # The published samples are small.
        cell["params"] = {"repeat": True}
    made = recipe(cell, **({"source": sources} if (sources := own_sources(name, variant)) else {}))
    assert recipe_from_json(json.loads(json.dumps(made.to_json()))) == made
    config = made.configs()[0]
    maker = RowMaker(made, folder(name, variant))
    row = maker.make(config, config.slot(config.rows - 1)).row
    plain = recipe({**cell, "template": {}}, **({"source": sources} if sources else {})).configs()[0]
    before = RowMaker(made, folder(name, variant)).make(plain, plain.slot(config.rows - 1)).row
    held = [part for part, text in ours.items() if part_pattern(text, text).search(before.prompt)]
    assert len(held) > 1 and [part for part in held if f"<<{part}>>" not in row.prompt] == []
    assert row.tokens == maker.tokenizer.count(row.prompt)
    proven, moved = config.wording.unworded(row.prompt)
    for start, end in row.evidence:
        assert row.prompt[start:end] == proven[slice(*moved((start, end)))]


def test_a_wording_comes_out_again_with_its_fields_in_any_order():
    asked = ("ask", "Who is {name} of {place}?\n", "Of {place}: who is {name}?")
    wording = PromptWording((asked, ("end", "End.\n", "Fin.")))
    text = "A tale.\nWho is Ada of Ulm?\nEnd.\nMore."
    worded, moved = wording.worded(text)
    assert worded == "A tale.\nOf Ulm: who is Ada?\nFin.\nMore."
    assert wording.unworded(worded)[0] == text
    assert worded[slice(*moved((text.index("More"), len(text))))] == "More."


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ({"introductoin": "Read."}, "has no part 'introductoin'"),
        ({"introduction": " "}, "expected a text"),
        ({"introduction": 3}, "expected a text"),
        ({"question": "What is it called?"}, "has the fields none"),
        ({"question": "What is the {object} at {spot}?"}, "{object} and {spot}"),
        ({"question": "What is the {object!r} at {place}"}, "a name alone in braces"),
        ({"question": "What is the {object:>9} at {place}"}, "a name alone in braces"),
        ({"question": "What is the {object.x} at {place}"}, "a name alone in braces"),
        ({"introduction": "Read }"}, "Single '}'"),
        ({"introduction": "x" * 30_000}, "more than 20,000 characters"),
        ({"fr": {"introduction": "Lisez."}}, "has no part 'fr'"),
        ({"en": {"introductions": "Read."}}, "has no part 'introductions'"),
    ],
)
def test_what_is_no_wording_is_refused_with_what_to_do(template, said):
    with pytest.raises(RecipeError) as caught:
        recipe({**NEEDLE, "template": template})
    assert said in f"{caught.value.message} {caught.value.hint}"


def test_a_task_without_parts_takes_no_template():
    names = [name for name, task in TASKS.items() if task.parts is None]
    for name in names:
        variant = next(iter(TASKS[name].variants))
        with pytest.raises(RecipeError, match="no parts"):
            recipe({"task": name, "variants": [variant], "questions": 1, "template": {"introduction": "Read."}})


@pytest.mark.parametrize("name", [name for name, task in TASKS.items() if task.parts])
def test_the_template_that_a_task_prints_is_its_own_wording(name):
    printed = tomllib.loads(here("list", "--template", name).out)
    for variant in TASKS[name].variants:
        cell = {"task": name, "variants": [variant], "questions": 1, "template": printed}
        worded = recipe(cell).cells[0].template[variant]
        assert all(ours.strip() == theirs for _, ours, theirs in worded.parts), (name, variant)
        assert {part for part, _, _ in worded.parts} == set(TASKS[name].parts(TASKS[name].params(), variant))


def test_a_wording_that_also_stands_in_the_text_stops_the_build():
    made = recipe({**NEEDLE, "template": {"question": "{object} {place}"}})
    config = made.configs()[0]
    with pytest.raises(RecipeError, match="cannot be told from the text"):
        RowMaker(made, None).make(config, config.slot(0))


def test_a_template_beside_the_recipe_is_built_audited_and_built_again_from_the_release(tmp_path):
    (tmp_path / "mine.toml").write_text('introduction = "Here is a text."\n[zh]\nintroduction = "下面是一篇文章。"\n')
    (tmp_path / "worded.toml").write_text(
        'name = "worded"\nversion = "1.0.0"\nstream = "conformance/1"\ntokenizer = "o200k_base"\n'
        'buckets = { 4k = 4096 }\n[[cell]]\ntask = "single_needle"\nvariants = ["en", "zh"]\nquestions = 1\n'
        'params = { depths = 1 }\ntemplate = "mine.toml"\n'
    )
    done = here("build", tmp_path / "worded.toml", "--out", tmp_path / "a", "--workers", 1, "--quiet")
    built = tmp_path / "a" / "worded" / "1.0.0"
    assert done.code == 0, done
    assert here("audit", built).code == 0
    again = here("build", built / "recipe.json", "--out", tmp_path / "b", "--workers", 1, "--quiet")
    assert again.code == 0, again
    manifest = (built / "manifest.json").read_bytes()
    assert (tmp_path / "b" / "worded" / "1.0.0" / "manifest.json").read_bytes() == manifest
    assert "下面是一篇文章。".encode() in manifest
    assert "prompts of `single_needle` are in the recipe's own words" in (built / "README.md").read_text()
    (tmp_path / "outside.toml").write_text('introduction = "x"\n')
    (tmp_path / "mine.toml").write_text(".".join("a" * 5_000) + " = 1\n")
    assert is_refusal(here("plan", tmp_path / "worded.toml"), "more than 100 parts")
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "r.toml").write_text(
        (tmp_path / "worded.toml").read_text().replace("mine.toml", "../outside.toml")
    )
    assert is_refusal(here("plan", tmp_path / "in" / "r.toml"), "template")
