"""What a plugin offers once it runs, and what it gives back, as data. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRegistration:
    """A tool of a plugin."""

    name: str
    """As the plugin calls it."""
    description: str = ""
    schema: Mapping[str, Any] = field(default_factory=lambda: {"type": "object"})
    """JSON Schema of its arguments."""
    deferred: bool = False
    """Whether models need not see it before they look for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandRegistration:
    """A command of a plugin."""

    name: str
    """Without the slash."""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortcutRegistration:
    """A key that stands for a command; no surface of ours has such keys."""

    key: str
    command: str
    description: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRegistration:
    """A model of a provider."""

    id: str
    display_name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRegistration:
    """Models that a plugin gives access to."""

    name: str
    base_url: str | None = None
    api_key_env: str | None = None
    oauth: bool = False
    models: tuple[ModelRegistration, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RendererRegistration:
    """How messages with a tag are drawn."""

    tag: str
    template: Mapping[str, Any]
    """A render block, in which `{{path}}` stands for what the message says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Registrations:
    """All that a plugin offers."""

    tools: tuple[ToolRegistration, ...] = ()
    commands: tuple[CommandRegistration, ...] = ()
    flags: tuple[str, ...] = ()
    shortcuts: tuple[ShortcutRegistration, ...] = ()
    subscriptions: frozenset[str] = frozenset()
    """The events that it wants to be told."""
    providers: tuple[ProviderRegistration, ...] = ()
    hooks: frozenset[str] | None = None
    """By the names in its dialect; `None`: it did not say, so it is asked at every point."""
    renderers: tuple[RendererRegistration, ...] = ()


# A tuple, as one is made for each call, and tuples in a third of the time.
class PluginAnswer(NamedTuple):
    """What a tool of a plugin gives back."""

    text: str
    is_error: bool = False
    details: Any = None
    """For people's eyes; models do not see it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginCompletion:
    """Something that the arguments of a command may be completed to."""

    value: str
    description: str | None = None
