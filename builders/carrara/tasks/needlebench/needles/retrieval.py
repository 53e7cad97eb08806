"""Plans and draws the tasks that ask for invented names: one needle or several, each question of its own."""

from dataclasses import dataclass

from carrara.stream import Stream
from carrara.task import Budget, Draft, Inputs, Item, Lang, Slot
from carrara.tasks.needlebench.needles.facts import NeedleFact, draw_facts
from carrara.tasks.needlebench.needles.layout import LayoutParams, LayoutPlan, NeedleWording, lay_out, placing
from carrara.tasks.needlebench.needles.prompt import ANSWER_PREFIX, ASK, DIRECT, INTRODUCTION, QUESTION, RECALL


@dataclass(frozen=True, slots=True)
class NeedlePlan(LayoutPlan):
    """A layout and its facts, in the order asked."""

    facts: tuple[NeedleFact, ...]


def plan_needles(params: LayoutParams, item: Item, needles: int, stream: Stream) -> NeedlePlan:
    """The item's facts; nothing of them depends on length or depth."""
    lang: Lang = "zh" if item.variant == "zh" else "en"
    return NeedlePlan(
        facts=draw_facts(stream, lang, item.index, needles),
        **placing(params, lang, needles, item.index, stream),
    )


def render_needles(plan: NeedlePlan, slot: Slot, inputs: Inputs, budget: Budget) -> Draft:
    """The needles at the placement's depth in a haystack that fills the slot's length."""
    sentences = [fact.sentence(plan.lang) for fact in plan.facts]
    laid = lay_out(plan, sentences, _wording(plan), slot, inputs, budget)
    return Draft(
        prompt=laid.prompt,
        answers=tuple(fact.name for fact in plan.facts),
        complexity=len(plan.facts),
        max_output_tokens=laid.max_output_tokens,
        depths=laid.depths,
        evidence=laid.evidence,
        facts={
            "reference": sentences,
            "needles": [{"object": fact.object, "place": fact.place, "name": fact.name} for fact in plan.facts],
            "depth": laid.depth,
            "question": plan.question,
            "recall_step": plan.recall_step,
        },
        answer_prefix=ANSWER_PREFIX[plan.lang],
        kept_free=plan.buffer,
    )


def _wording(plan: NeedlePlan) -> NeedleWording:
    lang, several = plan.lang, len(plan.facts) > 1
    questions = [QUESTION[lang].format(object=fact.object, place=fact.place) for fact in plan.facts]
    listed = "\n".join(f"{number}. {text}" for number, text in enumerate(questions, 1)) if several else questions[0]
    return NeedleWording(
        introduction=INTRODUCTION[lang][several].format(count=len(plan.facts)),
        asked=ASK[lang][several] + listed,
        how=(RECALL if plan.recall_step else DIRECT)[lang][several],
        several=several,
    )
