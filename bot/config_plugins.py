"""What the configuration says of plugins, as data. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import Field

DEFAULT_SEARCH_PATH = Path("./plugins")

PluginId: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^[a-z][a-z0-9_-]{0,63}$",
        description="the id of a plugin: small letters, digits, - and _, the first a letter",
    ),
]
Sha256: TypeAlias = Annotated[
    str,
    Field(
        pattern=r"^sha256:[0-9a-f]{64}$",
        description='"sha256:" and 64 digits, as `papercup plugin info` shows them',
    ),
]
_FolderName: TypeAlias = Annotated[
    str, Field(pattern=r"^[^/\x00]{1,255}$", description="the name of a folder, without a /")
]
_Flag: TypeAlias = bool | int | float | str
_Flags: TypeAlias = Annotated[
    Mapping[Annotated[str, Field(min_length=1, max_length=64)], _Flag],
    Field(description="a table of flags, each true, false, a number or a text"),
]
_ToolName: TypeAlias = Annotated[str, Field(min_length=1, max_length=256)]
_Tools: TypeAlias = Annotated[
    bool | tuple[_ToolName, ...], Field(description="true, false, or a list of its tools")
]
_Seconds: TypeAlias = Annotated[float, Field(gt=0, le=3600, allow_inf_nan=False)]


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginWatchConfig:
    """Whether changes to manifests are seen while the bot runs."""

    enabled: bool = False
    """Whether a changed manifest is logged."""
    debounce_ms: Annotated[int, Field(ge=10, le=60_000)] = 500
    """For how long nothing may have changed before it is looked at what did."""
    reload: bool = False
    """Whether the plugin of a changed manifest is also loaded anew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginEnvConfig:
    """Which variables of the environment plugins get."""

    passthrough: bool = False
    """Whether they get all but those whose names look like secrets, instead of a few."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginEntry:
    """What is said of one plugin."""

    flags: _Flags = field(default_factory=dict[str, _Flag])
    """What it is told when it starts."""
    jobs: _Tools = False
    """Whether jobs get its tools, too, or which of them."""
    hook_timeout_seconds: _Seconds | None = None
    """How long it may take for a hook; unset means what its manifest says."""

    @property
    def tools_for_jobs(self) -> frozenset[str] | None:
        """The tools, as the plugin calls them, that jobs get; `None` means all."""
        if isinstance(self.jobs, bool):
            return None if self.jobs else frozenset()
        return frozenset(self.jobs)


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginsConfig:
    """The programs that add tools, commands, hooks and more."""

    enabled: bool = True
    """Whether any is loaded."""
    search_paths: tuple[Path, ...] = (DEFAULT_SEARCH_PATH,)
    """Folders that are searched for them, besides those of projects and of the home folder."""
    disabled: tuple[PluginId, ...] = ()
    """Which are not loaded."""
    allowlist: tuple[PluginId, ...] = ()
    """Which alone are loaded; empty means all."""
    ignore_dirs: tuple[_FolderName, ...] = ("node_modules", ".git", "target")
    """Names of folders that are not searched."""
    max_depth: Annotated[int, Field(ge=1, le=64)] = 4
    """How many levels below a search path a manifest may be; 1: in it."""
    follow_links: bool = False
    """Whether linked folders are searched, if they are within the search path."""
    ui_timeout_seconds: Annotated[float, Field(gt=0, le=86_400, allow_inf_nan=False)] = 120.0
    """How long people have for an answer to a plugin's question."""
    watch: PluginWatchConfig = field(default_factory=PluginWatchConfig)
    """Whether changes to manifests are seen."""
    env: PluginEnvConfig = field(default_factory=PluginEnvConfig)
    """Which variables of the environment they get."""
    trusted: Mapping[PluginId, Sha256] = field(default_factory=dict[str, str])
    """What hash the files of plugins have that are trusted without being asked about."""
    entries: Mapping[PluginId, PluginEntry] = field(default_factory=dict[str, PluginEntry])
    """What is said of single plugins, by their ids."""

    def entry(self, plugin_id: str) -> PluginEntry:
        """Return what is said of a plugin."""
        return self.entries.get(plugin_id, PluginEntry())
