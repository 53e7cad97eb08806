"""Errors that a person reads: what was got, what was expected, what to do next.

Any other exception is a fault in Carrara: the command line prints its traceback and exits with `FAULT`.
"""

import importlib
import importlib.util
from typing import Any, Final

from carrara.text.extras import install

# EX_SOFTWARE of sysexits.h: an internal fault.
FAULT: Final = 70


class CarraraError(Exception):
    """Anything that stops a command; the command line prints it and exits with `exit_code`."""

    exit_code = 2

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message if not hint else f"{message}\n  {hint}")
        self.message = message
        self.hint = hint

    def __reduce__(self) -> tuple[type["CarraraError"], tuple[str, str]]:
        # Worker processes send their errors to the parent.
        return type(self), (self.message, self.hint)


class RecipeError(CarraraError):
    """A recipe that cannot be built as written."""


class SourceError(CarraraError):
    """A source that is missing, unpinned, altered or unreadable."""


class BudgetError(CarraraError):
    """A prompt that does not fit its length, or a haystack that does not fill it."""


class ProofError(CarraraError):
    """A row that an audit objects to: the build stops."""

    exit_code = 1


class ReleaseError(CarraraError):
    """A folder that is not a release, or a release that must not be changed."""


class MissingLibraryError(CarraraError):
    """A library that is not installed, because an extra of the package brings it."""


def library(name: str, extra: str) -> Any:
    """Import a module of a library that the extra `extra` brings. Raises MissingLibraryError, which names the extra.

    What building and scoring on embedded material take comes with the package itself (pyproject.toml).
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingLibraryError(
            f"the library {name.partition('.')[0]} is not installed ({error})", install(extra)
        ) from error


def need(name: str, extra: str) -> None:
    """Raise MissingLibraryError where a library is not installed. Imports nothing: for before a long or costly work."""
    if importlib.util.find_spec(name) is None:
        raise MissingLibraryError(f"the library {name} is not installed", install(extra))
