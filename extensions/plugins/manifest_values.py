"""Takes typed values out of a manifest, and says what is wrong with it. Pure."""

import re
from collections.abc import Collection, Mapping
from pathlib import PurePosixPath
from typing import Any, cast

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_PROGRAM = re.compile(r"[^/\0\s]{1,255}")
_SHOWN_LENGTH = 400
MAX_TEXT_LENGTH = 65_536
"""Of one value; more is a mistake, or meant to do harm."""


class ManifestError(Exception):
    """A manifest is not right."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class Table:
    """A table of a manifest, whose values are taken out one by one."""

    def __init__(
        self, values: Mapping[str, Any], path: str = "", *, notation: str = "TOML"
    ) -> None:
        self._values = values
        self._path = path
        self._notation = notation
        self._asked: set[str] = set()

    def has(self, key: str) -> bool:
        """Say whether the key is there, whatever it holds."""
        return key in self._values

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text.

        Raises:
            ManifestError: If there is none and no default, or it is something else.
        """
        value = self.optional_text(key)
        if value is not None:
            return value
        if default is None:
            raise self.wrong(f"missing field `{self._named(key)}`")
        return default

    def optional_text(self, key: str) -> str | None:
        """Return a text, or `None` if the key is not there."""
        value = self._take(key)
        return None if value is None else self._text_of(value, key)

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts; empty if the key is not there."""
        value = self._take(key)
        if value is None:
            return ()
        if not isinstance(value, list):
            raise self.wrong(f"`{self._named(key)}` must be a list of texts")
        each = cast("list[object]", value)
        return tuple([self._text_of(one, key) for one in each])

    def text_or_texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, which may be written as a single one."""
        value = self._values.get(key)
        return (self.text(key),) if isinstance(value, str) else self.texts(key)

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return true or false."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(f"`{self._named(key)}` must be true or false")
        return value

    def flag_or_names(self, key: str, *, default: bool = False) -> frozenset[str] | None:
        """Return names that are listed; `None` if all are meant, by `true`."""
        if isinstance(self._values.get(key), list):
            return frozenset(self.texts(key))
        return None if self.flag(key, default=default) else frozenset()

    def integer(self, key: str, default: int, *, lowest: int, highest: int) -> int:
        """Return a whole number within bounds."""
        value = self._take(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            allowed = f"a whole number from {lowest} to {highest}"
            raise self.wrong(f"`{self._named(key)}` must be {allowed}")
        return value

    def number(self, key: str, *, highest: float) -> float | None:
        """Return a number above 0, or `None` if the key is not there."""
        value = self._take(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise self.wrong(f"`{self._named(key)}` must be a number")
        if not 0 < value <= highest:
            raise self.wrong(f"`{self._named(key)}` must be above 0, at most {highest:g}")
        return float(value)

    def table(self, key: str) -> "Table":
        """Return a table within this one; an empty one if the key is not there."""
        value = self._take(key)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(f"`{self._named(key)}` must be a table")
        inner = cast("dict[str, Any]", value or {})
        return Table(inner, self._named(key), notation=self._notation)

    def tables(self, key: str) -> dict[str, "Table"]:
        """Return the tables within a table, by their names."""
        outer = self.table(key)
        return {name: outer.table(name) for name in outer.names()}

    def variables(self, key: str) -> dict[str, str]:
        """Return a table of variables of the environment and their values."""
        outer = self.table(key)
        for name in outer.names():
            if not is_variable(name):
                raise self.wrong(f"`{self._named(key)}` names the variable `{shown(name)}`")
        return {name: outer.text(name) for name in outer.names()}

    def names(self) -> list[str]:
        """Return the keys that are there."""
        return list(self._values)

    def raw(self, key: str) -> Any:
        """Return whatever the key holds; `None` if it is not there."""
        return self._take(key)

    def unknown(self) -> list[str]:
        """Return the paths of the keys that nobody has asked for."""
        if self._asked.issuperset(self._values):
            return []
        return [self._named(shown(key)) for key in self._values if key not in self._asked]

    def refuse_unknown(self) -> None:
        """Make sure that every key has been asked for.

        Raises:
            ManifestError: If one has not; it says which there are.
        """
        for name in self.unknown():
            known = ", ".join(f"`{key}`" for key in sorted(self._asked))
            raise self.wrong(f"unknown field `{name}`, expected one of {known}")

    def wrong(self, reason: str) -> ManifestError:
        """Return the error that a key is not what it should be."""
        return ManifestError(f"failed to parse {self._notation}: {reason}")

    def _take(self, key: str) -> Any:
        self._asked.add(key)
        return self._values.get(key)

    def _named(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key

    def _text_of(self, value: object, key: str) -> str:
        if not isinstance(value, str):
            raise self.wrong(f"`{self._named(key)}` must be text")
        if "\0" in value or len(value) > MAX_TEXT_LENGTH:
            reason = f"holds a NUL, or is longer than {MAX_TEXT_LENGTH}"
            raise self.wrong(f"`{self._named(key)}` {reason}")
        return value


def shown(text: str) -> str:
    """Return a text of a manifest's so that it can stand in a diagnostic, on one line."""
    plain = text.encode("unicode_escape", "backslashreplace").decode("ascii")
    return plain if len(plain) <= _SHOWN_LENGTH else plain[:_SHOWN_LENGTH] + "…"


def is_variable(name: str) -> bool:
    """Say whether a variable of the environment may be called that."""
    return _VARIABLE.fullmatch(name) is not None


def checked_requires(bins: Collection[str], variables: Collection[str]) -> None:
    """Make sure that what a plugin requires could be there.

    Raises:
        ManifestError: If a name cannot be one of a program, or of a variable.
    """
    for name in bins:
        if _PROGRAM.fullmatch(name) is None:
            raise ManifestError(f"requires.bins name `{shown(name)}` is no name of a program")
    for name in variables:
        if not is_variable(name):
            raise ManifestError(f"requires.env name `{shown(name)}` is no name of a variable")


def checked_command(command: str, what: str) -> str:
    """Return a command, if it does not lead out of the plugin's folder.

    Raises:
        ManifestError: If it does, by `..`.
    """
    if is_outside(command):
        raise ManifestError(f"{what} `{shown(command)}` leads out of the plugin's folder")
    return command


def is_outside(path: str) -> bool:
    """Say whether a relative path leads out of the folder that it starts in."""
    depth = 0
    for part in PurePosixPath(path).parts:
        depth += -1 if part == ".." else 1
        if depth < 0:
            return True
    return False
