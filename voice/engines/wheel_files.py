"""Finds model files that came inside other packages."""

import importlib.util
from pathlib import Path

from voice.errors import EngineError

_INSTALL = 'install the voice extra: uv sync --extra voice, or pip install "papercup[voice]"'


def file_of_package(package: str, *inside: str) -> Path:
    """Return a file inside an installed package, which is not imported for that.

    Raises:
        EngineError: If the package, or that file in it, is missing.
    """
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise EngineError(f"the package {package} is missing; {_INSTALL}")
    path = Path(spec.submodule_search_locations[0], *inside)
    if not path.is_file():
        raise EngineError(f"{path} is missing; install the very version that Papercup names")
    return path
