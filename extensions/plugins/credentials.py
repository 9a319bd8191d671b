"""Keeps what plugins' providers were granted when somebody logged in."""

import json
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from extensions.plugins.fields import BadFieldError, Fields

FILE_NAME = "credentials.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Credentials:
    """What a provider was granted. None of it may stand in a log or a message."""

    api_key: str | None = field(default=None, repr=False)
    access_token: str | None = field(default=None, repr=False)
    refresh_token: str | None = field(default=None, repr=False)
    expires_at: int | None = None
    """Unix time, in seconds; `None`: they do not expire, or nobody knows when."""
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any], repr=False)

    def renewed(self, newer: "Credentials") -> "Credentials":
        """Return what counts after `newer` was granted for these.

        Many services grant no other refresh token; then the old one still holds.
        """
        return Credentials(
            api_key=newer.api_key or self.api_key,
            access_token=newer.access_token or self.access_token,
            refresh_token=newer.refresh_token or self.refresh_token,
            expires_at=newer.expires_at,
            extra=newer.extra or self.extra,
        )


def read_credentials(result: Any) -> Credentials:
    """Return what a plugin says that was granted.

    Raises:
        BadFieldError: If it means nothing, or nothing was granted.
    """
    if not isinstance(result, dict):
        raise BadFieldError("the answer is not an object")
    fields = Fields(cast("dict[str, Any]", result))
    expires_at = fields.all.get("expires_at")
    if expires_at is not None and type(expires_at) is not int:
        raise BadFieldError("expires_at has to be an integer")
    found = Credentials(
        api_key=fields.any_text("api_key"),
        access_token=fields.any_text("access_token"),
        refresh_token=fields.any_text("refresh_token"),
        expires_at=expires_at,
        extra={} if fields.all.get("extra") is None else fields.mapping("extra"),
    )
    if not (found.api_key or found.access_token or found.refresh_token):
        raise BadFieldError("it holds neither a key nor a token")
    return found


class CredentialFiles:
    """Keeps credentials in a file for each plugin, which only the bot's own user can read.

    Each method blocks, and may raise OSError.
    """

    def __init__(self, plugins_folder: Path) -> None:
        """Make it.

        Args:
            plugins_folder: The folder in which each plugin has one that is called by its id.
        """
        self._folder = plugins_folder

    def load(self, plugin_id: str, provider: str) -> Credentials | None:
        """Return what is kept of a provider; `None` if there is nothing that could be used."""
        entry = self._read(plugin_id).get(provider)
        try:
            return None if entry is None else read_credentials(entry)
        except BadFieldError:
            return None

    def save(self, plugin_id: str, provider: str, credentials: Credentials) -> None:
        """Keep what a provider was granted, in place of what was kept before."""
        entries = self._read(plugin_id) | {provider: _written(credentials)}
        self._write(plugin_id, entries)

    def forget(self, plugin_id: str, provider: str) -> bool:
        """Keep nothing of a provider any more; `False` if nothing was kept."""
        entries = self._read(plugin_id)
        if entries.pop(provider, None) is None:
            return False
        self._write(plugin_id, entries)
        return True

    def _path(self, plugin_id: str) -> Path:
        return self._folder / plugin_id / FILE_NAME

    def _read(self, plugin_id: str) -> dict[str, Any]:
        try:
            found = json.loads(self._path(plugin_id).read_bytes())
        except (FileNotFoundError, ValueError):
            return {}
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}

    def _write(self, plugin_id: str, entries: Mapping[str, Any]) -> None:
        path = self._path(plugin_id)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Made readable by its owner alone.
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{FILE_NAME}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(entries, file)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


def _written(credentials: Credentials) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "api_key": credentials.api_key,
        "access_token": credentials.access_token,
        "refresh_token": credentials.refresh_token,
        "expires_at": credentials.expires_at,
        "extra": dict(credentials.extra) or None,
    }
    return {name: value for name, value in entry.items() if value is not None}
