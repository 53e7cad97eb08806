"""What scoring raises: a row that it cannot read, a metric or a judge that cannot be had, responses it cannot read."""


class RowError(ValueError):
    """A row without what scoring reads of it: which row, what was got, what was expected.

    Rows are a stranger's: whatever a metric reads of one is checked when it is read, and raises this.
    """

    def __init__(self, message: str, row_id: str = "") -> None:
        super().__init__(message, row_id)
        self.message = message
        self.row_id = row_id

    def __str__(self) -> str:
        return f"row {ascii(self.row_id)[:200]}: {self.message}" if self.row_id else self.message


class MetricError(ValueError):
    """A metric that is unknown, or whose model or library cannot be had."""


class JudgeError(RuntimeError):
    """A judge that gives no verdict: nothing can be scored with it."""


class ResponsesError(ValueError):
    """A file that cannot be read as responses: where, what was got, what was expected."""
