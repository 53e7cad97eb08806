"""The command that adds an extra to this installation, for whatever says that a library is missing."""

from pathlib import Path

from carrara.text.json import strict_json

_PACKAGE = Path(__file__).parents[1]


def install(extra: str) -> str:
    """What to type to have an extra: `pip install -e '.[plot]'` for a checkout, else from where carrara was installed.

    pip keeps where it took a package from (PEP 610): a wheel, a folder or a repository. Where it kept nothing, the
    package came from an index: `pip install 'carrara[plot]'`.
    """
    checkout = _PACKAGE.parents[1]
    if (checkout / "pyproject.toml").is_file() and _PACKAGE.parent.name == "builders":
        where = "." if checkout == Path.cwd() else checkout
        return f"pip install -e {_quoted(f'{where}[{extra}]')}"
    return f"pip install {_quoted(f'carrara[{extra}]{_origin()}')}"


def _origin() -> str:
    """The address of what pip installed, as a requirement ends with it; "" for an index."""
    # Only a failure needs it, and it takes longer to load than the package.
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        record = strict_json(distribution("carrara").read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, OSError, ValueError):
        return ""
    if not isinstance(record, dict) or not (url := record.get("url")):
        return ""
    vcs = record.get("vcs_info")
    if not isinstance(vcs, dict):
        return f" @ {url}"
    return f" @ {vcs['vcs']}+{url}@{vcs['commit_id']}" if {"vcs", "commit_id"} <= vcs.keys() else ""


def _quoted(text: str) -> str:
    """One word for a shell, always in quotes: zsh takes bare brackets for a pattern."""
    return "'" + text.replace("'", "'\\''") + "'"
