"""What is kept of installed plugins: the file `packages.lock.toml` beside them. Pure.

It is read by people, too, and can be kept in a repository.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, cast

from extensions.plugins.naming import is_valid_id
from extensions.plugins.packages.errors import SourceError
from extensions.plugins.packages.sources import FolderSource, read_source

FILE_NAME = "packages.lock.toml"
_VERSION = 1
_SPECIAL = re.compile(r"[^ !#-\[\]-~]")
"""What does not stand for itself in a file that all can read."""
_HEAD = "# Written by `papercup plugin`: where the plugins beside it come from, and what they were."


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """One plugin that was installed."""

    id: str
    version: str
    """As its manifest says."""
    source: str
    """Where it is updated from."""
    resolved: str
    """What exactly was had from there."""
    integrity: str | None = None
    """What that hashed to; `None`: nobody had said what it should."""
    hash: str | None = None
    """Of its folder when it was put there, as `sha256:…`; `None`: it is a link."""
    sdk: str | None = None
    """The version of the SDK that was put beside it; `None`: none was."""
    at: str
    """When: date and time with their offset, as ISO 8601 has them."""

    @property
    def linked_folder(self) -> Path | None:
        """Where it stands, if it is only looked at there; `None`: it was installed."""
        if self.hash is not None:
            return None
        source = read_source(self.source)
        return source.path if isinstance(source, FolderSource) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Packages:
    """All that is kept."""

    by_id: Mapping[str, Package] = field(default_factory=dict[str, Package])
    disabled: frozenset[str] = frozenset()
    """The ids of plugins that are not to be loaded, installed or not."""

    def with_package(self, package: Package) -> "Packages":
        """Return it with that one, in place of the one of its id."""
        return replace(self, by_id={**self.by_id, package.id: package})

    def without(self, plugin_id: str) -> "Packages":
        """Return it with nothing of that id."""
        by_id = {name: each for name, each in self.by_id.items() if name != plugin_id}
        return Packages(by_id=by_id, disabled=self.disabled - {plugin_id})

    def enabling(self, plugin_id: str, *, is_enabled: bool) -> "Packages":
        """Return it with that one to be loaded, or not."""
        disabled = self.disabled - {plugin_id}
        return replace(self, disabled=disabled if is_enabled else disabled | {plugin_id})


def packages_of_text(text: str) -> Packages:
    """Return what a file holds.

    Raises:
        ValueError: If it is not such a file.
    """
    document = tomllib.loads(text)
    if document.get("version") != _VERSION:
        raise ValueError(f"its version is not {_VERSION}")
    disabled = document.get("disabled", [])
    tables = document.get("packages", {})
    if not isinstance(disabled, list) or not isinstance(tables, dict):
        raise ValueError("disabled has to be a list, and packages a table")  # noqa: TRY004 - said above
    ids = cast("list[object]", disabled)
    packages = [_package(*each) for each in cast("dict[str, Any]", tables).items()]
    return Packages(
        by_id={each.id: each for each in packages},
        disabled=frozenset(_checked_id(each) for each in ids),
    )


def text_of_packages(packages: Packages) -> str:
    """Return what a file holds that says so."""
    return "\n".join([*_lines(packages), ""])


def _lines(packages: Packages) -> Iterator[str]:
    yield _HEAD
    yield f"version = {_VERSION}"
    if packages.disabled:
        yield f"disabled = [{', '.join(_quoted(each) for each in sorted(packages.disabled))}]"
    for _, package in sorted(packages.by_id.items()):
        yield ""
        yield f"[packages.{package.id}]"
        for key in ("version", "source", "resolved", "integrity", "hash", "sdk", "at"):
            value = getattr(package, key)
            if value is not None:
                yield f"{key} = {_quoted(value)}"


def _package(plugin_id: str, table: object) -> Package:
    if not isinstance(table, dict):
        raise ValueError(f"packages.{plugin_id} is not a table")  # noqa: TRY004 - as above
    values = cast("dict[str, Any]", table)

    def text(key: str) -> str:
        value = optional(key)
        if value is None:
            raise ValueError(f"packages.{plugin_id}.{key} is missing")
        return value

    def optional(key: str) -> str | None:
        value = values.get(key)
        if value is not None and not isinstance(value, str):
            raise ValueError(f"packages.{plugin_id}.{key} is not a text")
        return value

    try:
        source = str(read_source(text("source")))
    except SourceError as error:
        raise ValueError(f"packages.{plugin_id}: {error}") from error
    return Package(
        id=_checked_id(plugin_id),
        version=text("version"),
        source=source,
        resolved=text("resolved"),
        integrity=optional("integrity"),
        hash=optional("hash"),
        sdk=optional("sdk"),
        at=text("at"),
    )


def _checked_id(value: object) -> str:
    if not isinstance(value, str) or not is_valid_id(value):
        raise ValueError(f"{value!a} is no plugin's id")
    return value


def _quoted(text: str) -> str:
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(found: re.Match[str]) -> str:
    return f"\\U{ord(found[0]):08x}"
