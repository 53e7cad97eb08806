"""What scoring raises: a judge that gives no verdict, a file of responses that cannot be read."""


class JudgeError(RuntimeError):
    """A judge that gives no verdict: nothing can be scored with it."""


class ResponsesError(ValueError):
    """A file that cannot be read as responses: where, what was got, what was expected."""
