"""What can go wrong in `bot`.

BotError
    SetupError                    the operator has something to mend before it can start
        ConfigError               the configuration has problems, all of them named
        SecretsFileError          secrets.toml cannot be used
        MissingSecretsError       a secret is not set
        UnsupportedPlatformError  it does not run on this operating system
    DataFolderError               the data folder cannot be used
    DataFolderBusyError           another bot holds the data folder
    ControlError                  a running bot does not answer properly
    ControlRefusedError           a running bot will not do what it was asked for
    NotRunningError               no bot runs that could do it
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigProblem:
    """One thing in the configuration that has to be mended."""

    source: str
    """The file's path, or `environment`."""
    key: str | None
    """The key's path (`jobs.limit`) or the variable's name; `None` if all of the file is meant."""
    reason: str
    """What is wrong, and what is allowed."""
    suggestion: str | None = None
    """The known key, or variable, that was probably meant."""

    def __str__(self) -> str:
        about = "" if self.key is None else f"`{self.key}` "
        meant = "" if self.suggestion is None else f" Did you mean `{self.suggestion}`?"
        return f"{self.source}: {about}{self.reason}.{meant}"


class BotError(Exception):
    """Base of every error that this package raises on purpose."""


class SetupError(BotError):
    """The operator has something to mend before it can start. Never raised itself."""


class ConfigError(SetupError):
    """The configuration has problems."""

    def __init__(self, problems: Sequence[ConfigProblem]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)

    def __str__(self) -> str:
        if len(self.problems) == 1:
            return str(self.problems[0])
        lines = "".join(f"\n  {problem}" for problem in self.problems)
        return f"{len(self.problems)} problems in the configuration:{lines}"


class SecretsFileError(SetupError):
    """`secrets.toml` cannot be used."""

    def __init__(self, path: Path, reason: str, mend: str) -> None:
        super().__init__(path, reason, mend)
        self.path = path
        self.reason = reason
        self.mend = mend
        """What the operator can do about it."""

    def __str__(self) -> str:
        return f"cannot use {self.path}: {self.reason}. {self.mend}"


class MissingSecretsError(SetupError):
    """A secret is not set."""

    def __init__(self, names: Sequence[str], file: Path) -> None:
        super().__init__(names, file)
        self.names = tuple(names)
        self.file = file
        """Where it may be put."""

    def __str__(self) -> str:
        names = " and ".join(self.names)
        verb, each = ("are", "them") if len(self.names) > 1 else ("is", "it")
        place = f"in the environment, or in {self.file} (chmod 600)"
        return f"{names} {verb} not set: set {each} {place}"


class UnsupportedPlatformError(SetupError):
    """It does not run on this operating system."""

    def __init__(self, platform: str) -> None:
        super().__init__(platform)
        self.platform = platform

    def __str__(self) -> str:
        return (
            f"Papercup runs on Linux, not on {self.platform}: on Windows use it inside WSL2 "
            "(`wsl --install`), elsewhere in a Linux virtual machine or container"
        )


class DataFolderError(BotError):
    """The data folder cannot be used."""

    def __init__(self, path: Path, reason: str, mend: str) -> None:
        super().__init__(path, reason, mend)
        self.path = path
        self.reason = reason
        self.mend = mend
        """What the operator can do about it."""

    def __str__(self) -> str:
        return f"cannot use the data folder {self.path}: {self.reason}. {self.mend}"


class DataFolderBusyError(BotError):
    """Another bot holds the data folder."""

    def __init__(self, path: Path, holder: str) -> None:
        super().__init__(path, holder)
        self.path = path
        self.holder = holder
        """Who holds it: its process id and since when, as far as that is known."""

    def __str__(self) -> str:
        return (
            f"another Papercup ({self.holder}) uses the data folder {self.path}: "
            "stop it first, or set another data_dir"
        )


class ControlError(BotError):
    """A running bot does not answer properly."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return (
            f"a Papercup listens on {self.path} but {self.reason}: look into its log, or restart it"
        )


class ControlRefusedError(BotError):
    """A running bot will not do what it was asked for."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return self.reason


class NotRunningError(BotError):
    """No bot runs that could do it."""

    def __init__(self, data_dir: Path) -> None:
        super().__init__(data_dir)
        self.data_dir = data_dir

    def __str__(self) -> str:
        return f"no Papercup runs on the data folder {self.data_dir}. Start it: papercup run"
