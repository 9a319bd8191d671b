"""The keys that the configuration knows, and how a value for one is read. Pure."""

import difflib
import json
import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache
from typing import Any, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError

from bot.config import Config

_ENVIRONMENT_PREFIX = "PAPERCUP_"
_LIKENESS = 0.6
"""Below this, one key is no misspelling of another."""
_SHOWN_CHARACTERS = 60
MCP = "mcp"
"""The table whose tables are called as the operator likes; see `config_mcp_layer`."""
PLUGIN_TABLES = frozenset({"plugins.trusted", "plugins.entries"})
"""Tables whose keys are called as plugins are; see `config_plugins_layer`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One key of the configuration."""

    path: str
    """With its section: `jobs.limit`."""
    allowed: str
    """What it may be, for people: `a whole number from 1 to 64`."""
    adapter: TypeAdapter[Any]
    is_list: bool

    @property
    def variable(self) -> str:
        """The environment variable that sets it: `PAPERCUP_JOBS__LIMIT`."""
        return _ENVIRONMENT_PREFIX + self.path.replace(".", "__").upper()

    def read_value(self, value: object) -> Any:
        """Return a TOML value as the field's type; nothing but paths is converted.

        Raises:
            ValueError: If it is not allowed.
        """
        # By way of JSON: there a strict reading still turns an array into a tuple, and text
        # into a path. A TOML date, which JSON lacks, becomes what no key accepts.
        text = json.dumps(value, default=lambda _: {})
        try:
            return self.adapter.validate_json(text, strict=True)
        except ValidationError as error:
            raise ValueError(self.allowed) from error

    def read_text(self, text: str) -> Any:
        """Return an environment variable's value as the field's type.

        A list is `[1, 2]`, as in TOML, or `1, 2`.

        Raises:
            ValueError: If it is not allowed.
        """
        if self.is_list and text.lstrip().startswith("["):
            return self.read_value(tomllib.loads(f"value = {text}")["value"])
        value = [part.strip() for part in text.split(",")] if self.is_list else text
        try:
            return self.adapter.validate_python(value)
        except ValidationError as error:
            raise ValueError(self.allowed) from error


@cache
def known_keys() -> Mapping[str, Key]:
    """Return every key, by its path, but for those of MCP servers and of single plugins."""
    return {key.path: key for key in _keys_in(Config, "")}


@cache
def known_sections() -> frozenset[str]:
    """Return the paths of the tables."""
    return frozenset(_sections_in(Config, ""))


def default_of(path: str) -> Any:
    """Return the value of a key that nobody set.

    Raises:
        KeyError: If it has none, or there is no such key.
    """
    owner: Any = Config
    *sections, name = path.split(".")
    for section in sections:
        owner = get_type_hints(owner)[section]
    (default,) = [field.default for field in fields(owner) if field.name == name]
    if default is MISSING:
        raise KeyError(path)
    return default


def nearest(wanted: str, known: Collection[str]) -> str | None:
    """Return the one of `known` that was probably meant: the same in another section, or alike."""
    leaf = wanted.rpartition(".")[2]
    moved = [path for path in known if path.rpartition(".")[2] == leaf]
    close = difflib.get_close_matches(
        wanted, moved or known, n=1, cutoff=0.0 if moved else _LIKENESS
    )
    return close[0] if close else None


def wrong_value(key: Key, value: object) -> str:
    """Say what is wrong with a value that a key does not allow."""
    shown = value if isinstance(value, str) else json.dumps(value, default=str)
    if len(shown) > _SHOWN_CHARACTERS:
        shown = shown[:_SHOWN_CHARACTERS] + "…"
    return f"must be {key.allowed}, not {json.dumps(shown) if isinstance(value, str) else shown}"


def _keys_in(owner: type, prefix: str) -> Iterator[Key]:
    for name, hint in get_type_hints(owner, include_extras=True).items():
        path = prefix + name
        if is_dataclass(hint):
            yield from _keys_in(cast("type", hint), f"{path}.")
        elif path != MCP and path not in PLUGIN_TABLES:
            yield key_of(path, hint)


def _sections_in(owner: type, prefix: str) -> Iterator[str]:
    for name, hint in get_type_hints(owner).items():
        if is_dataclass(hint):
            yield prefix + name
            yield from _sections_in(cast("type", hint), f"{prefix}{name}.")


def key_of(path: str, hint: Any) -> Key:
    """Return the key at `path`, of the type that `hint` names."""
    adapter: TypeAdapter[Any] = TypeAdapter(hint)
    schema = adapter.json_schema()
    return Key(
        path=path,
        allowed=_describe(schema),
        adapter=adapter,
        is_list=schema.get("type") == "array",
    )


def _describe(schema: Mapping[str, Any]) -> str:
    """Say what a JSON schema allows, as far as the types in `Config` need it."""
    match schema:
        case {"description": description}:
            return str(description)
        case {"anyOf": [what, {"type": "null"}]}:
            return _describe(what)
        case {"enum": values}:
            return "one of " + ", ".join(f'"{value}"' for value in values)
        case {"type": "array", "items": items}:
            return f"a list, each {_describe(items)}"
        case {"format": "path"}:
            return "a path, as text"
        case _:
            return _describe_plain(schema)


def _describe_plain(schema: Mapping[str, Any]) -> str:
    match schema:
        case {"type": "boolean"}:
            return "true or false"
        case {"type": "integer", "minimum": low, "maximum": high}:
            return f"a whole number from {low} to {high}"
        case {"type": "number", "exclusiveMinimum": low, "maximum": high}:
            return f"a number above {low:g}, at most {high:g}"
        case {"type": "number", "minimum": low, "maximum": high}:
            return f"a number from {low:g} to {high:g}"
        case _:
            raise TypeError(schema)
