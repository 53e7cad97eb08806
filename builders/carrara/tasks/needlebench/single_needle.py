"""Single-needle retrieval: the name of one invented object, stated once in a long text (NeedleBench, section 3.1).

Differs from the paper: every item has a fact of its own, and no two items share a name; the needle stands between two
sentences, never inside a word or character; the prompt is filled exactly to its length. Decoys stand in the text:
sentences of the same wording about other objects and places, so that no form tells the needle (`decoys = 0`: none).
Of `latent_en` and `latent_zh` question and evidence share no word but those without content (`world/latent.py`).
Must not change: the fact of an item, which depends only on the stream, the variant and the item's number.
"""

from carrara.stream import Stream
from carrara.task import Inputs, Item, Task
from carrara.tasks.needlebench.needles.facts import (
    NEEDLE_FACTS,
    NeedlePlan,
    one_needle_parts,
    plan_needles,
    render_needles,
)
from carrara.tasks.needlebench.needles.layout import VARIANTS, LayoutParams, language, settled
from carrara.tasks.needlebench.needles.prompt import ANSWER_PREFIX
from carrara.tasks.needlebench.needles.solver import audit_needles, guesses, solve_needles


def plan(params: LayoutParams, item: Item, inputs: Inputs, stream: Stream) -> NeedlePlan:
    """The item's fact; it depends on neither length nor depth."""
    return plan_needles(params, item, 1, stream)


TASK = Task(
    name="single_needle",
    benchmark="needlebench",
    paper="NeedleBench (arXiv:2407.11963v1), section 3.1",
    asks="Find the one sentence of a long text that names an object, and give the name.",
    facts=NEEDLE_FACTS,
    metrics=(
        "needlebench/answer",
        "needlebench/keywords",
        "needlebench/single",
        "needlebench/first",
        "needlebench/paper",
        "needlebench/keywords/paper",
        "needlebench/single/paper",
    ),
    sources=("world",),
    variants={**VARIANTS, **{f"latent_{lang}": VARIANTS[lang] for lang in VARIANTS}},
    params=LayoutParams,
    plan_type=NeedlePlan,
    plan=plan,
    render=render_needles,
    solve=solve_needles,
    audit=audit_needles,
    guesses=guesses,
    settled=settled,
    unused=lambda params: params.buffer,
    answer_prefix=lambda params, variant: ANSWER_PREFIX[language(variant)],
    parts=one_needle_parts,
)
