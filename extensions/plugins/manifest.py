"""What a plugin says of itself before it runs, as data. Pure.

Every kind of manifest is read into a `Manifest`, so nothing else has to know the kinds.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class Dialect(StrEnum):
    """Which wire format a plugin speaks."""

    STDIO = "stdio"
    """Of a `plugin.toml` with a table `[plugin]`."""
    SEP = "sep"
    """Of an `extension.toml`, or of a `package.json` with the key `smooth`."""


class Tier(StrEnum):
    """What a plugin is made of."""

    PROCESS = "process"
    """A program that stays up and speaks a dialect."""
    WRAPPER = "wrapper"
    """A command template: a program is run for each call."""
    BRIDGE = "bridge"
    """MCP servers alone."""


class Scope(StrEnum):
    """For whom a plugin was put where it was found."""

    SEARCH_PATH = "search path"
    """In a folder that the configuration names."""
    PROJECT = "project"
    """In `.papercup/plugins` of a project."""
    USER = "user"
    """In `~/.papercup/plugins`."""
    SMOOTH = "smooth"
    """In `~/.smooth/extensions`, which is only read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSpec:
    """How a program is started."""

    command: str
    """As the manifest says: found on PATH, or from the plugin's folder if it holds a `/`."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Variables that it gets; `${env:NAME}` in a value stands for a variable of the bot's."""
    sha256: str | None = None
    """What the program's file must hash to, in hexadecimal digits; `None`: anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperSpec:
    """A command template that is offered as one tool."""

    tool: str
    description: str
    command: tuple[str, ...]
    """Its arguments; `{{name}}` in one stands for what the call says."""
    placeholders: tuple[str, ...]
    """The names, in the order in which they first appear."""
    prompt_hint: str | None = None
    timeout_seconds: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class McpServerSpec:
    """An MCP server that is bridged."""

    command: str | None = None
    """Its program; `None` if it is reached by `url`."""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    url: str | None = None
    transport: str = "stdio"
    """`stdio`, `streamable_http`, `sse` or `auto`."""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """What a plugin declares that it does, and may do. Nothing else is granted."""

    tools: frozenset[str] | None = frozenset()
    """The tools by name that it may offer; `None`: whichever it registers."""
    commands: bool = False
    hooks: frozenset[str] | None = frozenset()
    """The hooks by their names in its dialect; `None`: whichever it registers."""
    events: frozenset[str] = frozenset()
    ui: bool = False
    exec: bool = False
    kv: bool = False
    bus: bool = False
    session: bool = False
    providers: frozenset[str] | None = frozenset()
    """By name; `None`: whichever it registers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requires:
    """What has to be there before a plugin is started."""

    bins: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """Folders and files that a plugin brings along, from its own folder."""

    skills: tuple[str, ...] = ()
    prompts: tuple[str, ...] = ()
    themes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What a plugin says of itself."""

    id: str
    """Valid: lower-case letters, digits, `-` and `_`, at most 64, the first a letter."""
    dialect: Dialect
    tier: Tier = Tier.PROCESS
    version: str
    name: str
    """What people are shown; the id if it has none."""
    description: str = ""
    protocol: int = 1
    """The version of the wire that it speaks; of `sep` alone."""
    run: RunSpec | None = None
    """Of a `PROCESS` alone."""
    wrapper: WrapperSpec | None = None
    """Of a `WRAPPER` alone."""
    mcp_servers: Mapping[str, McpServerSpec] = field(default_factory=dict[str, McpServerSpec])
    capabilities: Capabilities = field(default_factory=Capabilities)
    requires: Requires = field(default_factory=Requires)
    passes_context: bool = False
    """Whether `_meta` stands in the arguments of its tools."""
    resources: Resources = field(default_factory=Resources)
    hook_timeout_seconds: float | None = None
    """`None`: what is usual at each point."""
    priority: int = 0
    """Hooks of lower ones are asked first; then the id decides."""
    disabled: bool = False
    unserved: tuple[str, ...] = ()
    """What it asks that we do not serve: a sentence each. It is refused what they say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A plugin that was found."""

    manifest: Manifest
    folder: Path
    """Absolute, with links resolved."""
    manifest_path: Path
    """As people know it: from the root as it was configured."""
    scope: Scope
    root_index: int
    """Which of the roots it was found under, in their order."""
    project: Path | None = None
    """The project whose it is; of the scope `PROJECT` alone."""

    @property
    def id(self) -> str:
        """The plugin's id."""
        return self.manifest.id


class Level(StrEnum):
    """How bad a diagnostic is."""

    ERROR = "error"
    WARN = "warn"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Diagnostic:
    """Something amiss with what was found."""

    path: str
    """As people know it."""
    message: str
    level: Level


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscoveryReport:
    """What was found."""

    candidates: tuple[Candidate, ...]
    """By root, then by id; no two have the same id."""
    diagnostics: tuple[Diagnostic, ...]
    """By path, then by message."""
    scanned_folders: int
    """Those with a manifest."""
    disabled_count: int
    """How many were left out because the configuration disables them."""
    shadowed: tuple[Candidate, ...] = ()
    """Those that were left out because another with the same id came first, in that order."""
    left_out: tuple[Candidate, ...] = ()
    """Those that are disabled, or not on the list of what is allowed; by root, then by id."""

    @property
    def invalid_count(self) -> int:
        """How many errors there are."""
        return sum(each.level is Level.ERROR for each in self.diagnostics)
