"""Reads the secrets: from the environment, else from `secrets.toml`, which nobody else may read."""

import os
import stat
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.config_keys import nearest
from bot.config_mcp import McpServerConfig
from bot.config_reading import Surroundings
from bot.errors import MissingSecretsError, SecretsFileError
from bot.redaction import Redactor

SECRETS_NAME = "secrets.toml"
DISCORD_TOKEN = "DISCORD_TOKEN"  # noqa: S105 - the name of one
ANTHROPIC_API_KEY = "ANTHROPIC_API_KEY"
SECRET_NAMES = (DISCORD_TOKEN, ANTHROPIC_API_KEY)
ENVIRONMENT = "environment"
"""The source of a secret that the environment holds."""

_OTHERS = stat.S_IRWXG | stat.S_IRWXO


class Secret:
    """Text that is not shown when it is printed, logged or compared in a failed test."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def reveal(self) -> str:
        """Return the text itself, to be handed to the service that it is for."""
        return self._text

    def __repr__(self) -> str:
        return "Secret(…)"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Secret) and other._text == self._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __reduce__(self) -> str:
        raise TypeError("a secret is not to be pickled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Secrets:
    """What lets Papercup into the services."""

    discord_token: Secret
    anthropic_api_key: Secret


def redactor_of(
    secrets: Secrets, servers: Iterable[McpServerConfig], environment: Mapping[str, str]
) -> Redactor:
    """Return what takes secrets out of text.

    Args:
        secrets: The bot's own.
        servers: The MCP servers of the configuration, whose variables hold secrets, too.
        environment: Where these variables are.
    """
    names = {name for server in servers for name in server.variables}
    given = [environment[name] for name in sorted(names) if name in environment]
    own = [secrets.discord_token.reveal(), secrets.anthropic_api_key.reveal()]
    return Redactor([*own, *given])


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSecret:
    """A secret, and where it was found."""

    secret: Secret
    source: str
    """`environment`, or the file's path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSecrets:
    """The secrets that are set."""

    by_name: Mapping[str, FoundSecret]
    file: Path
    """The file that was read or, if there is none, the one that would be read."""

    @property
    def missing(self) -> tuple[str, ...]:
        """The names of those that are not set."""
        return tuple(name for name in SECRET_NAMES if name not in self.by_name)

    def complete(self) -> Secrets:
        """Return them all.

        Raises:
            MissingSecretsError: If one is not set.
        """
        if self.missing:
            raise MissingSecretsError(self.missing, self.file)
        return Secrets(
            discord_token=self.by_name[DISCORD_TOKEN].secret,
            anthropic_api_key=self.by_name[ANTHROPIC_API_KEY].secret,
        )


def read_secrets(config_file: Path | None, where: Surroundings) -> FoundSecrets:
    """Read the secrets.

    Args:
        config_file: The configuration that was read; `secrets.toml` is looked for beside it
            (without one, in the working folder), then in XDG's folder for configuration.
        where: The environment, which goes before the file, and where XDG's folder is.

    Raises:
        SecretsFileError: If the file may be read by others, or holds what it should not.
    """
    beside = where.working_folder if config_file is None else config_file.parent
    candidates = [folder / SECRETS_NAME for folder in (beside, where.config_folder)]
    file = next((path for path in candidates if path.exists()), None)
    found = {} if file is None else _read_file(file)
    for name in SECRET_NAMES:
        if text := where.environment.get(name, "").strip():
            found[name] = FoundSecret(secret=Secret(text), source=ENVIRONMENT)
    return FoundSecrets(by_name=found, file=file or candidates[0])


def _read_file(path: Path) -> dict[str, FoundSecret]:
    try:
        # Asked of the open file, so that it cannot be exchanged between the look and the reading.
        with path.open("rb") as stream:
            _check_owner(path, os.fstat(stream.fileno()))
            table = tomllib.loads(stream.read().decode())
    except OSError as error:
        mend = "Make it readable for the user that runs Papercup."
        raise SecretsFileError(path, f"it cannot be read ({error.strerror})", mend) from error
    except ValueError:
        # The line that is wrong may hold a secret, so the reader's own words are not passed on.
        mend = 'Each line has to be like DISCORD_TOKEN = "…".'
        raise SecretsFileError(path, "it is not valid TOML", mend) from None
    return {name: _found(path, name, value) for name, value in table.items()}


def _check_owner(path: Path, status: os.stat_result) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise SecretsFileError(path, "it is not a file", "Put a file in its place.")
    if status.st_uid != os.geteuid():
        mend = f"Run `chown {os.geteuid()} {path}`."
        raise SecretsFileError(path, "it belongs to another user", mend)
    if status.st_mode & _OTHERS:
        mode = stat.S_IMODE(status.st_mode)
        mend = f"Run `chmod 600 {path}`, and have the secrets renewed if others could read them."
        raise SecretsFileError(path, f"other users may open it (mode {mode:04o})", mend)


def _found(path: Path, name: str, value: Any) -> FoundSecret:
    if name not in SECRET_NAMES:
        meant = nearest(name.upper(), SECRET_NAMES)
        mend = f"Did you mean {meant}?" if meant else f"It may hold {' and '.join(SECRET_NAMES)}."
        raise SecretsFileError(path, f"`{name}` is not a secret that is known", mend)
    text = value.strip() if isinstance(value, str) else ""
    if not text:
        raise SecretsFileError(path, f"`{name}` must be text", f'Write {name} = "…".')
    return FoundSecret(secret=Secret(text), source=str(path))
