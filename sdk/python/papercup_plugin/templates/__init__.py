"""Begins plugins: copies a template into a folder of its own, with this package beside it."""

import os
import re
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.errors import PluginError
from papercup_plugin.templates.copies import PACKAGE, CopyState, copy_into, state_of

_HERE = Path(__file__).parent
_PLACEHOLDER = "plugin_name"
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")
_RESERVED = frozenset(
    {
        "agent",
        "browser",
        "core",
        "email",
        "heartbeat",
        "memory",
        "papercup",
        "papercup_plugin",
        "telegram",
        "whatsapp",
    }
)
_MANIFESTS: Mapping[Dialect, str] = {
    Dialect.SEP: "extension.toml",
    Dialect.STDIO: "plugin.toml",
}
_MOST_SHOWN = 80

TEMPLATES: Mapping[str, str] = {
    "tool": "a tool for models",
    "permission-gate": "a hook that asks people before a tool is used",
    "command": "a slash command whose argument is completed",
    "provider-less": "a tool, a command, a hook and an event together, and values that are kept",
    "widget": "a message with buttons that is edited in place",
}
"""What there is to begin with, and what each shows."""


class ScaffoldError(PluginError):
    """A plugin cannot be begun like that."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What plugin is begun."""

    name: str
    template: str
    """Of TEMPLATES."""
    dialect: Dialect = Dialect.SEP
    has_sdk: bool = True
    """Whether this package is put beside it, so that it needs no environment."""


def scaffold(wish: Wish, parent: Path) -> Path:
    """Begin a plugin in a folder of its own, and return that; nothing is ever overwritten.

    Raises:
        ScaffoldError: If there is no such template, the name cannot be one, or it is taken.
        OSError: If it cannot be written.
    """
    source = _template(wish)
    if _NAME.fullmatch(wish.name) is None or wish.name in _RESERVED:
        rule = "small letters, digits, `-` and `_`, the first a letter, at most 64, none reserved"
        raise ScaffoldError(f"{wish.name[:_MOST_SHOWN]!r} can be no plugin's name: {rule}")
    target = parent / wish.name
    if target.exists() or target.is_symlink():
        raise ScaffoldError(f"{target} is there already")
    parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".new-", dir=parent) as made:
        folder = Path(made, wish.name)
        folder.mkdir()
        _fill(folder, source, wish)
        if wish.has_sdk:
            copy_into(folder)
        # Whole, or not at all; and if it has come into being meanwhile, not at all.
        os.rename(folder, target)  # noqa: PTH104 - Path.rename may replace
    return target


def vendor(folder: Path) -> Path:
    """Put this package beside a plugin, in place of the one that is there, and return where.

    Raises:
        ScaffoldError: If that is no plugin's folder, or somebody has changed the copy in it.
        OSError: If it cannot be written.
    """
    if not any((folder / name).is_file() for name in (*_MANIFESTS.values(), "package.json")):
        raise ScaffoldError(f"{folder} is no plugin's folder: there is no manifest in it")
    target = folder / PACKAGE.name
    state = state_of(target)
    if state is CopyState.NO_COPY:
        raise ScaffoldError(f"{target} is no copy of the SDK as it was made: move it away first")
    if state is CopyState.NEWEST:
        return target
    with tempfile.TemporaryDirectory(prefix=".sdk-", dir=folder) as made:
        copy_into(Path(made))
        if state is CopyState.ANOTHER:
            os.rename(target, Path(made, "before"))  # noqa: PTH104 - both are folders
        os.rename(Path(made, PACKAGE.name), target)  # noqa: PTH104 - as above
    return target


def has_newest(folder: Path) -> bool:
    """Say whether this very package is beside a plugin; raises OSError."""
    return state_of(folder / PACKAGE.name) is CopyState.NEWEST


def _template(wish: Wish) -> Path:
    if wish.template not in TEMPLATES:
        raise ScaffoldError(f"there is no template `{wish.template}`: {', '.join(TEMPLATES)}")
    folder = _HERE / wish.template.replace("-", "_")
    if not (folder / _MANIFESTS[wish.dialect]).is_file():
        whole = f"the template `{wish.template}` is there for `sep` alone"
        raise ScaffoldError(f"{whole}: `{wish.dialect}` has tools and hooks, and nothing else")
    return folder


def _fill(folder: Path, source: Path, wish: Wish) -> None:
    others = set(_MANIFESTS.values()) - {_MANIFESTS[wish.dialect]}
    for file in sorted(source.iterdir()):
        if file.is_file() and file.name not in others:
            text = file.read_text(encoding="utf-8").replace(_PLACEHOLDER, wish.name)
            name = file.name.removesuffix(".txt")
            (folder / name).write_text(text, encoding="utf-8")
            shutil.copymode(file, folder / name)
