"""What is tested: a plugin, as its manifest describes it."""

import json
import os
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.errors import PluginError
from papercup_plugin.json_values import as_list, as_object, as_text

GRANTS = ("tools", "commands", "ui", "exec", "kv", "bus", "session", "providers")
"""What a manifest can declare, but for hooks and events."""
_PASSED = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "TERM", "SystemRoot")
_REFERENCE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")


_STATE_FOLDER = "NEXO_EXTENSION_STATE_ROOT"
_MANIFESTS = ("extension.toml", "plugin.toml", "package.json")
_NAMES = f"those that can be tested are called {', '.join(_MANIFESTS)}"


class ManifestError(PluginError):
    """A plugin cannot be tested: what starts it is not known."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A plugin that is tested."""

    folder: Path
    dialect: Dialect
    name: str
    version: str
    command: str
    """Found on PATH, or from the folder if it holds a `/`."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that it gets; `${env:NAME}` stands for one of the caller's."""
    wanted_env: tuple[str, ...] = ()
    """Variables of the caller's that it gets."""
    declares: frozenset[str] = frozenset()
    """Of GRANTS."""
    tools: frozenset[str] | None = None
    """Which it may offer; `None`: any."""
    hooks: frozenset[str] | None = None
    """Which it may have; `None`: any."""
    events: frozenset[str] = frozenset()
    """Which it may subscribe to."""

    def environment(self, own: Mapping[str, str], folder: Path) -> dict[str, str]:
        """Return what its program gets.

        Args:
            own: The caller's own.
            folder: Where it may keep files; empty.
        """
        passed = {name: own[name] for name in (*_PASSED, *self.wanted_env) if name in own}
        set_by_it = {
            name: _REFERENCE.sub(lambda found: own.get(found[1], ""), value)
            for name, value in self.env.items()
        }
        return {
            **passed,
            **set_by_it,
            "AGENT_VERSION": "1.0.0",
            "AGENT_EXTENSION_ID": self.name.lower(),
            _STATE_FOLDER: str(folder),
            # Running a plugin must not change its folder.
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def argv(self) -> tuple[str, ...]:
        """Return what is started."""
        own = str(self.folder / self.command) if "/" in self.command else self.command
        return (own, *self.args)


def state_mark(folder: Path) -> str:
    """Return what stands in the environment of all that was started with that folder."""
    return f"{_STATE_FOLDER}={folder}"


def read_subject(path: Path) -> Subject:
    """Read the manifest of a plugin, or that in its folder.

    Only what is needed to start it is looked at: `papercup plugin validate` looks at the rest.

    Raises:
        ManifestError: If there is none, or it names no program that speaks a dialect.
    """
    file = path if path.is_file() else _manifest_in(path)
    if file.name not in _MANIFESTS:
        raise ManifestError(file, f"no program speaks a dialect there: {_NAMES}")
    try:
        raw = _parsed(file)
    except OSError as error:
        raise ManifestError(file, error.strerror or str(error)) from error
    except (ValueError, RecursionError) as error:
        raise ManifestError(file, str(error)) from error
    folder = Path(os.path.abspath(file.parent))  # noqa: PTH100 - links stay as they are
    if file.name == "plugin.toml":
        return _stdio(file, folder, raw)
    return _sep(file, folder, raw)


def _manifest_in(folder: Path) -> Path:
    if not folder.exists():
        raise ManifestError(folder, "it is not there")
    for name in _MANIFESTS:
        if (folder / name).is_file():
            return folder / name
    raise ManifestError(folder, f"there is no manifest of a plugin in it: {_NAMES}")


def _parsed(file: Path) -> Mapping[str, Any]:
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".toml":
        return tomllib.loads(text)
    package = as_object(json.loads(text)) or {}
    return {**_part(package, "smooth"), "package": package}


def _sep(file: Path, folder: Path, raw: Mapping[str, Any]) -> Subject:
    run, granted = _part(raw, "run"), _part(raw, "capabilities")
    package = _part(raw, "package")
    usual = as_text(package.get("name")) or ""
    return Subject(
        folder=folder,
        dialect=Dialect.SEP,
        name=as_text(raw.get("name")) or usual.rpartition("/")[2] or folder.name,
        version=str(raw.get("version", package.get("version", ""))),
        command=_command(file, run, "[run]" if file.suffix == ".toml" else "`smooth.run`"),
        args=_texts(run.get("args")),
        env={name: str(value) for name, value in _part(run, "env").items()},
        wanted_env=_texts(_part(raw, "requires").get("env")),
        declares=_granted({"providers": True, **granted}),
        tools=_names(granted.get("tools", False)),
        hooks=_names(granted.get("hooks", True)),
        events=frozenset(_texts(granted.get("events"))),
    )


def _stdio(file: Path, folder: Path, raw: Mapping[str, Any]) -> Subject:
    about, granted = _part(raw, "plugin"), _part(raw, "capabilities")
    transport = _part(raw, "transport")
    if not about:
        reason = "it wraps a command, which speaks no dialect: there is no table [plugin]"
        raise ManifestError(file, reason)
    return Subject(
        folder=folder,
        dialect=Dialect.STDIO,
        name=as_text(about.get("id")) or folder.name,
        version=str(about.get("version", "")),
        command=_command(file, transport, "[transport]"),
        args=_texts(transport.get("args")),
        wanted_env=_texts(_part(raw, "requires").get("env")),
        declares=frozenset({"tools"} if granted.get("tools") else ()),
        tools=frozenset(_texts(granted.get("tools"))),
        hooks=frozenset(_texts(granted.get("hooks"))),
    )


def _command(file: Path, run: Mapping[str, Any], where: str) -> str:
    command = as_text(run.get("command"))
    if not command:
        raise ManifestError(file, f"it names no program: there is no `command` in {where}")
    return command


def _granted(raw: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(name for name in GRANTS if raw.get(name) not in (None, False, []))


def _names(raw: Any) -> frozenset[str] | None:
    if isinstance(raw, bool):
        return None if raw else frozenset()
    return frozenset(_texts(raw))


def _texts(raw: Any) -> tuple[str, ...]:
    return tuple(str(each) for each in as_list(raw) or ())


def _part(raw: Mapping[str, Any], name: str) -> dict[str, Any]:
    return as_object(raw.get(name)) or {}
