"""What is asked of a running bot about plugins, and what it says. Pure."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar
from urllib.parse import urlencode

from pydantic import TypeAdapter, ValidationError

from bot.plugin_services.provider_asking import ProviderQuestion
from bot.plugin_services.standing import Standing
from bot.plugin_services.trust_desk import Settled, TrustOrder
from extensions.plugins.audit import AuditLine

T = TypeVar("T")

PLUGINS_PATH = "/api/ext"
"""Where it is asked how the plugins that are loaded do."""
RELOAD_PATH = "/api/ext/reload"
"""Where one is started anew, by POST."""
TRUST_PATH = "/api/ext/trust"
"""Where it is asked how those that are found stand, and where one is trusted, by POST."""
UNTRUST_PATH = "/api/ext/untrust"
FORGET_PATH = "/api/ext/forget"
"""Where what a plugin has kept is thrown away, by POST."""
LOG_PATH = "/api/ext/log"
ASK_PATH = "/api/ext/ask"
"""Where a provider of a plugin is asked, by POST; the answer comes line by line."""
PROJECTS_PATH = "/api/ext/projects"

MOST_LINES = 1_000
"""How many lines of the log can be asked for at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedPlugin:
    """Which plugin is meant."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectOrder:
    """That the plugins of a project may be loaded, or may not any more."""

    folder: Path
    """Absolute, with links resolved."""
    trusted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """Whether anything changed."""

    changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LogWish:
    """Which lines of the log are wanted."""

    limit: int
    after: int | None = None
    """Those after that line, the oldest first; `None`: the newest."""
    name: str | None = None
    """Those of this plugin alone."""

    @property
    def target(self) -> str:
        """Where they are asked for."""
        asked: dict[str, str | int] = {"limit": self.limit}
        if self.after is not None:
            asked["after"] = self.after
        if self.name is not None:
            asked["name"] = self.name
        return f"{LOG_PATH}?{urlencode(asked)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLine:
    """One line of a provider's answer: a piece of it, or its end."""

    delta: str | None = None
    answer: str | None = None
    """All of it."""
    error: str | None = None
    is_whole: bool = True
    """Whether all pieces were sent."""


class Wire(Generic[T]):
    """How one kind of value travels."""

    def __init__(self, kind: Any) -> None:
        self._adapter: TypeAdapter[T] = TypeAdapter(kind)

    def as_json(self, value: T) -> bytes:
        """Return a value as one line of JSON."""
        return self._adapter.dump_json(value)

    def of_json(self, text: bytes) -> T:
        """Return what `as_json` was given; what a newer bot adds is left out.

        Raises:
            ValueError: If it is none.
        """
        try:
            return self._adapter.validate_json(text)
        except ValidationError as error:
            raise ValueError(f"{error.error_count()} fields are not as expected") from error

    def plain(self, value: T) -> Any:
        """Return a value as plain text, numbers, lists and objects."""
        return self._adapter.dump_python(value, mode="json")


STANDING: Wire[Standing] = Wire(Standing)
STANDINGS: Wire[list[Standing]] = Wire(list[Standing])
SETTLED: Wire[Settled] = Wire(Settled)
ALL_SETTLED: Wire[list[Settled]] = Wire(list[Settled])
TRUST_ORDER: Wire[TrustOrder] = Wire(TrustOrder)
NAMED: Wire[NamedPlugin] = Wire(NamedPlugin)
PROJECT_ORDER: Wire[ProjectOrder] = Wire(ProjectOrder)
PROJECTS: Wire[dict[Path, float]] = Wire(dict[Path, float])
DONE: Wire[Done] = Wire(Done)
LINES: Wire[list[AuditLine]] = Wire(list[AuditLine])
QUESTION: Wire[ProviderQuestion] = Wire(ProviderQuestion)
ANSWER_LINE: Wire[AnswerLine] = Wire(AnswerLine)
REPORTS: Wire[list[dict[str, Any]]] = Wire(list[dict[str, Any]])


def standing_target(name: str) -> str:
    """Return where it is asked how one plugin stands."""
    return f"{TRUST_PATH}?{urlencode({'name': name})}"
