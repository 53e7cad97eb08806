"""Carrara builds, proves, freezes, publishes and scores long-context benchmark datasets.

    import carrara

    rows = carrara.load("quickstart@3.0.0", bucket="32k")
    answers = {row.id: ask(row.prompt, row.max_output_tokens) for row in rows}
    print(carrara.score(rows, answers, model="mine").table())

The names below are imported on first use, so that `import carrara` alone is quick. `carrara.api` describes them.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from carrara.api import (
        Rows,
        assemble,
        build,
        build_part,
        compare,
        load,
        open_release,
        plan,
        reproduce,
        score,
        verify,
    )
    from carrara.engine.processes import Watch
    from carrara.errors import (
        BudgetError,
        CarraraError,
        MissingLibraryError,
        ProofError,
        RecipeError,
        ReleaseError,
        SourceError,
    )
    from carrara.making.forecast import BuildPlan
    from carrara.making.reproduce import Reproduction
    from carrara.recipe.recipe import Recipe
    from carrara.release.hub_store import HubError
    from carrara.release.reader import Release
    from carrara.release.verify import Verification
    from carrara.row import Row
    from carrara.scoring.compare import Comparison, Comparisons
    from carrara.scoring.report import Report

__version__ = "0.2.0"
__all__ = [
    "BudgetError",
    "BuildPlan",
    "CarraraError",
    "Comparison",
    "Comparisons",
    "HubError",
    "MissingLibraryError",
    "ProofError",
    "Recipe",
    "RecipeError",
    "Release",
    "ReleaseError",
    "Report",
    "Reproduction",
    "Row",
    "Rows",
    "SourceError",
    "Verification",
    "Watch",
    "assemble",
    "build",
    "build_part",
    "compare",
    "load",
    "open_release",
    "plan",
    "reproduce",
    "score",
    "verify",
]

# Where each name lives, below `carrara`; all others are of `carrara.api`.
_HOMES = {
    "BudgetError": "errors",
    "BuildPlan": "making.forecast",
    "CarraraError": "errors",
    "Comparison": "scoring.compare",
    "Comparisons": "scoring.compare",
    "HubError": "release.hub_store",
    "MissingLibraryError": "errors",
    "ProofError": "errors",
    "Recipe": "recipe.recipe",
    "RecipeError": "errors",
    "Release": "release.reader",
    "ReleaseError": "errors",
    "Report": "scoring.report",
    "Reproduction": "making.reproduce",
    "Row": "row",
    "SourceError": "errors",
    "Verification": "release.verify",
    "Watch": "engine.processes",
}

# A type checker that saw this would take every name for one of ours.
if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'carrara' has no attribute {name!r}")
        return getattr(import_module(f"carrara.{_HOMES.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
