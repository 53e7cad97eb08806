"""Writes the README's table of tasks: `make readme`, or what `carrara list --table` prints."""

from folders import ROOT

from carrara.card.task_table import markdown

README = ROOT / "README.md"
BEGIN = "<!-- The table of tasks: make readme writes it anew. -->"
END = "<!-- End of the table. -->"


def table_of(text: str) -> str:
    """What stands between the two marks."""
    _, begin, rest = text.partition(f"{BEGIN}\n")
    held, end, after = rest.partition(END)
    assert begin and end and BEGIN not in after and END not in after, "the README has both marks once"
    return held


def with_table(text: str, table: str) -> str:
    """The text with another table between its marks."""
    held = table_of(text)
    return text.replace(f"{BEGIN}\n{held}{END}", f"{BEGIN}\n{table}{END}")


if __name__ == "__main__":
    README.write_text(with_table(README.read_text(encoding="utf-8"), markdown()), encoding="utf-8")
