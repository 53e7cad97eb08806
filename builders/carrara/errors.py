"""Errors that a person reads: what was got, what was expected, what to do next."""


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
    """A folder that is no release, or a release that must not be touched."""
