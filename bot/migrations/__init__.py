"""The database's numbered migrations."""

from importlib import resources


def migrations() -> list[str]:
    """Return the SQL scripts, in the order in which they are applied."""
    files = [f for f in resources.files(__name__).iterdir() if f.name.endswith(".sql")]
    return [f.read_text(encoding="utf-8") for f in sorted(files, key=lambda f: f.name)]
