"""The errors of scoring: unreadable rows or responses, a metric or a judge that is not available."""


class RowError(ValueError):
    """A row that lacks a column or fact that scoring reads; the message says got and expected.

    Rows are untrusted: every value is checked when a metric reads it. `row_id` is "" where the row has no id.
    """

    def __init__(self, message: str, row_id: str = "") -> None:
        super().__init__(message, row_id)
        self.message = message
        self.row_id = row_id

    def __str__(self) -> str:
        return f"row {ascii(self.row_id)[:200]}: {self.message}" if self.row_id else self.message


class MetricError(ValueError):
    """An unknown metric, or one whose model or library is not available."""


class JudgeError(RuntimeError):
    """A judge that returns no verdict, so that nothing can be scored."""


class ResponsesError(ValueError):
    """A file of responses that cannot be read; the message says where, got and expected."""
