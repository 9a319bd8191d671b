"""Reads the configuration: a file, with the environment on top.

The file is the one that is named, else `config.toml` in the working folder, else the one in XDG's
folder for configuration, else none: then everything has its default. What `config/extensions.yaml`
beside it says of plugins counts where the file says nothing.
"""

import functools
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from bot.config import Config
from bot.config_extensions_yaml import YamlReading, read_extensions_yaml
from bot.config_keys import default_of, known_keys
from bot.config_layers import Layer, layer_of_environment, layer_of_table
from bot.config_mcp_layer import shown_mcp
from bot.config_plugins_layer import shown_plugins
from bot.errors import ConfigError, ConfigProblem

CONFIG_NAME = "config.toml"
EXTENSIONS_YAML = Path("config/extensions.yaml")
DEFAULT = "default"
"""The source of a value that nobody set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What decides where things are looked for."""

    working_folder: Path
    """Absolute."""
    environment: Mapping[str, str]

    @property
    def config_folder(self) -> Path:
        """XDG's folder for Papercup's configuration."""
        return self._xdg("XDG_CONFIG_HOME", ".config") / "papercup"

    @property
    def state_folder(self) -> Path:
        """XDG's folder for what Papercup keeps."""
        return self._xdg("XDG_STATE_HOME", ".local/state") / "papercup"

    @property
    def home(self) -> Path:
        """The person's home folder."""
        return Path(self.environment.get("HOME") or Path.home())

    def absolute(self, path: Path, *, base: Path) -> Path:
        """Return `path` with `~` replaced, and from `base` if it is relative."""
        if path.parts[:1] == ("~",):
            path = self.home.joinpath(*path.parts[1:])
        return Path(os.path.normpath(base / path))

    def _xdg(self, variable: str, fallback: str) -> Path:
        folder = Path(self.environment.get(variable, ""))
        # The XDG specification: a relative path is invalid and to be ignored.
        return folder if folder.is_absolute() else self.home / fallback


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigReading:
    """A configuration that was read, and where from."""

    config: Config
    file: Path | None
    """The file that was read; `None` if there is none."""
    sources: Mapping[str, str]
    """For each key `default`, the file's path, or the environment variable that set it."""
    notes: tuple[ConfigProblem, ...] = ()
    """What was read but has no effect."""


def these_surroundings() -> Surroundings:
    """Return this process's working folder and environment."""
    return Surroundings(working_folder=Path.cwd(), environment=dict(os.environ))


def find_config(named: Path | None, where: Surroundings) -> Path | None:
    """Return the file that holds the configuration; a named one need not exist."""
    if named is not None:
        return where.absolute(named, base=where.working_folder)
    for folder in (where.working_folder, where.config_folder):
        if (folder / CONFIG_NAME).exists():
            return folder / CONFIG_NAME
    return None


def read_config(named: Path | None, where: Surroundings) -> ConfigReading:
    """Read the configuration.

    Args:
        named: The file that the operator named, if they did.
        where: Where to look otherwise.

    Raises:
        ConfigError: If anything in it is wrong; it names all that is.
    """
    file = find_config(named, where)
    from_file = Layer(values={}, sources={}, problems=()) if file is None else _read_file(file)
    base = where.working_folder if file is None else file.parent
    from_yaml = _read_yaml(base / EXTENSIONS_YAML)
    from_environment = layer_of_environment(where.environment)
    problems = from_yaml.layer.problems + from_file.problems + from_environment.problems
    if problems:
        raise ConfigError(problems)
    values = {path: default_of(path) for path in known_keys() if path != "data_dir"}
    values |= {"data_dir": where.state_folder if file is None else base / "data"}
    values |= {**from_yaml.layer.values, **from_file.values}
    values = _with_absolute_paths(values, where, base=base)
    values |= _with_absolute_paths(from_environment.values, where, base=where.working_folder)
    return ConfigReading(
        config=_adapter().validate_python(_nested(values)),
        file=file,
        sources={
            **dict.fromkeys(known_keys(), DEFAULT),
            **from_yaml.layer.sources,
            **from_file.sources,
            **from_environment.sources,
        },
        notes=from_yaml.notes,
    )


def values_of(config: Config) -> dict[str, Any]:
    """Return every key's value by its path, as plain text, numbers and lists.

    Of MCP servers and single plugins only the keys that are set are there, and of MCP servers
    nothing that may be a secret.
    """
    plain = _adapter().dump_python(config, mode="json")
    plugins = shown_plugins(config.plugins.trusted, config.plugins.entries)
    values = {path: _look_up(plain, path) for path in known_keys()}
    return values | shown_mcp(config.mcp) | plugins


# Not on import: it takes as long as pydantic itself, and not every command reads a configuration.
@functools.cache
def _adapter() -> TypeAdapter[Config]:
    return TypeAdapter(Config)


def _read_file(file: Path) -> Layer:
    source = str(file)
    try:
        return layer_of_table(tomllib.loads(file.read_text(encoding="utf-8")), source=source)
    except tomllib.TOMLDecodeError as error:
        reason = f"is not valid TOML: {error}"
    except UnicodeDecodeError as error:
        reason = f"is not valid UTF-8 (byte {error.start})"
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    problem = ConfigProblem(source=source, key=None, reason=reason)
    return Layer(values={}, sources={}, problems=(problem,))


def _read_yaml(file: Path) -> YamlReading:
    try:
        return read_extensions_yaml(file.read_text(encoding="utf-8"), source=str(file))
    except FileNotFoundError:
        return YamlReading(layer=Layer(values={}, sources={}, problems=()))
    except UnicodeDecodeError as error:
        reason = f"is not valid UTF-8 (byte {error.start})"
    except OSError as error:
        reason = f"cannot be read: {error.strerror}"
    problem = ConfigProblem(source=str(file), key=None, reason=reason)
    return YamlReading(layer=Layer(values={}, sources={}, problems=(problem,)))


def _with_absolute_paths(
    values: Mapping[str, Any], where: Surroundings, *, base: Path
) -> dict[str, Any]:
    def absolute(value: Any) -> Any:
        return where.absolute(value, base=base) if isinstance(value, Path) else value

    keys = known_keys()
    return {
        path: tuple(absolute(one) for one in value)
        if path in keys and keys[path].is_list
        else absolute(value)
        for path, value in values.items()
    }


def _nested(values: Mapping[str, Any]) -> dict[str, Any]:
    nested: dict[str, Any] = {}
    for path, value in values.items():
        *sections, name = path.split(".")
        inner = nested
        for section in sections:
            inner = inner.setdefault(section, {})
        inner[name] = value
    return nested


def _look_up(nested: Mapping[str, Any], path: str) -> Any:
    found: Any = nested
    for name in path.split("."):
        found = found[name]
    return found
