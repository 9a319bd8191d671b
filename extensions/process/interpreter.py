"""Python itself, and the stand-alone programs of this package that it runs."""

import sys
from pathlib import Path

_PROGRAMS = Path(__file__).resolve().parent.parent / "programs"


def base_python() -> Path:
    """Return the interpreter beneath any virtual environment.

    It sees neither the environment's packages nor its settings, and so starts fast and small.
    """
    python = Path(sys.executable).resolve()
    if python.is_relative_to(Path(sys.base_prefix).resolve()):
        return python
    # The environment has a copy of it, not a link to it.
    return Path(sys.base_prefix, "bin", "python3").resolve()


def program_path(name: str) -> Path:
    """Return the file of the stand-alone program `name`."""
    return _PROGRAMS / f"{name}.py"


def program_command(name: str) -> list[str]:
    """Return the command that runs the stand-alone program `name`, without its arguments."""
    return [*python_command(base_python()), str(program_path(name))]


def python_command(python: Path) -> list[str]:
    """Return the command that runs a Python file alone, without packages and Python's variables."""
    return [str(python), "-I", "-S", "-E"]
