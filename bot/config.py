"""The configuration, as data. Each field is a key of `config.toml`. Pure.

`config_reading` says where the values come from.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal, TypeAlias
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from bot.config_mcp import McpServerConfig
from bot.config_plugins import PluginsConfig

DiscordId: TypeAlias = Annotated[
    int, Field(ge=1, lt=2**63, description="a Discord id (a whole number)")
]
Name: TypeAlias = Annotated[str, Field(pattern=r"^\S+$", description="a name without spaces")]
SpokenName: TypeAlias = Annotated[
    str, Field(pattern=r"^\w[\w' -]{0,38}\w$", description="a name of 2 to 40 letters")
]
Effort: TypeAlias = Literal["low", "medium", "high", "xhigh", "max"]
Minutes: TypeAlias = Annotated[float, Field(gt=0, le=10_080, allow_inf_nan=False)]
"""At most a week."""

_LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "::1"})
_MAX_PORT = 65_535


def _host_and_port(text: str) -> str:
    parts = urlsplit(f"//{text}")
    if parts.netloc != text or "@" in text or not parts.hostname or not parts.port:
        raise ValueError
    return text


def _service_url(text: str) -> str:
    parts = urlsplit(text)
    is_safe = parts.scheme == "https" or parts.hostname in _LOOPBACK_NAMES
    if parts.scheme not in {"http", "https"} or not parts.hostname or not is_safe:
        raise ValueError
    if "@" in parts.netloc or parts.query or parts.fragment or (parts.port or 1) > _MAX_PORT:
        raise ValueError
    return text.rstrip("/")


HostAndPort: TypeAlias = Annotated[
    str, AfterValidator(_host_and_port), Field(description="a host and a port, as `127.0.0.1:8443`")
]
ServiceUrl: TypeAlias = Annotated[
    str,
    AfterValidator(_service_url),
    # Plain http would carry the API key over the network for all to read.
    Field(description="an https:// address, or an http:// one of this machine"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordConfig:
    """Who may talk to it, and where."""

    owner_ids: tuple[DiscordId, ...] = ()
    """Its owners; empty means the owner of the Discord application, or the members of its team."""
    allowed_user_ids: tuple[DiscordId, ...] = ()
    """Who else may talk to it, wherever they are."""
    admin_role_ids: tuple[DiscordId, ...] = ()
    """Roles whose members may do in their server all but what is the owner's alone."""
    operator_role_ids: tuple[DiscordId, ...] = ()
    """Roles whose members may see and cancel every job of their server."""
    user_role_ids: tuple[DiscordId, ...] = ()
    """Roles whose members may talk to it in their server."""
    guild_ids: tuple[DiscordId, ...] = ()
    """The servers in which it answers; empty means all that it is in."""
    bound_channel_ids: tuple[DiscordId, ...] = ()
    """Channels in which every message is meant for it; elsewhere it has to be mentioned."""
    command_guild_ids: tuple[DiscordId, ...] = ()
    """Servers that get the slash commands, at once; empty means everywhere."""
    threads: Literal["off", "auto"] = "off"
    """`auto` opens a thread for each conversation that is picked up in a server's channel."""

    @property
    def lets_others_in(self) -> bool:
        """Whether anybody but the owners may talk to it."""
        roles = self.admin_role_ids + self.operator_role_ids + self.user_role_ids
        return bool(self.allowed_user_ids + roles)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerConfig:
    """The Claude that answers."""

    model: Name | None = None
    """The model's name or alias; unset means what `claude` itself chooses."""
    effort: Effort | None = None
    """How hard it thinks; unset means what `claude` itself chooses."""
    models: tuple[Name, ...] = ("opus", "sonnet", "haiku", "fable")
    """What `/model` offers; any other name may be written all the same."""
    permission_mode: Literal["dontAsk", "acceptEdits", "plan"] = "dontAsk"
    """What it does where it would ask: refuse, edit files in its session's folder, or only plan."""
    claude: Path | None = None
    """The `claude` program, for jobs too; unset means that on PATH, else the one packed along."""
    turn_timeout_minutes: Minutes = 10.0
    """How long one answer may take before it is stopped."""
    idle_minutes: Minutes = 30.0
    """After how long without a message its process ends; the next message starts it again."""
    max_warm: Annotated[int, Field(ge=1, le=100)] = 8
    """How many such processes may run at the same time, one for each conversation."""
    session_days: Annotated[float, Field(gt=0, le=36_500, allow_inf_nan=False)] | None = None
    """After how many days without use a closed session is deleted; unset means never."""
    memory_mb: Annotated[int, Field(ge=512, le=10_000_000)] = 4096
    """With how much memory one in a jail is ended, with all that it started."""
    processes: Annotated[int, Field(ge=16, le=100_000)] = 256
    """With how many processes one in a jail is ended."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsConfig:
    """The background jobs."""

    limit: Annotated[int, Field(ge=1, le=64)] = 4
    """How many run at the same time."""
    limit_per_person: Annotated[int, Field(ge=1, le=64)] | None = None
    """How many of one person run at the same time; unset means as many as run in all."""
    limit_per_guild: Annotated[int, Field(ge=1, le=64)] | None = None
    """How many of one server run at the same time; unset means as many as run in all."""
    queue_limit: Annotated[int, Field(ge=1, le=10_000)] = 100
    """How many may wait for a free place before more are refused."""
    spawns_per_minute: Annotated[int, Field(ge=1, le=1_000)] = 5
    """How many one person may start within a minute."""
    model: Name | None = None
    """The model's name or alias; unset means what `claude` itself chooses."""
    effort: Effort | None = None
    """How hard it thinks; unset means what `claude` itself chooses."""
    tools: tuple[Name, ...] = ("Read", "Write", "Edit", "Glob", "Grep", "Bash")
    """Claude's own tools that a job has. Where no jail works, Bash is taken out."""
    permission_mode: Literal["acceptEdits", "dontAsk", "plan"] = "acceptEdits"
    """What Claude does where it would ask a person: edit in its folder, refuse, or only plan."""
    max_turns: Annotated[int, Field(ge=1, le=10_000)] = 100
    """After how many turns a job is ended."""
    run_minutes: Minutes = 60.0
    """After how long a job is ended."""
    output_mb: Annotated[int, Field(ge=1, le=10_000)] = 200
    """After how many megabytes of what `claude` prints a job is ended."""
    memory_mb: Annotated[int, Field(ge=64, le=10_000_000)] = 4096
    """With how many megabytes of memory, all of its processes together, a job is ended."""
    processes: Annotated[int, Field(ge=16, le=100_000)] = 256
    """With how many processes a job is ended."""
    keep_days: Annotated[float, Field(gt=0, le=36_500, allow_inf_nan=False)] = 30.0
    """For how long the files of a job are kept that has ended."""
    keep_gb: Annotated[float, Field(gt=0, le=1_000_000, allow_inf_nan=False)] = 10.0
    """How many gigabytes the files of all jobs may take; beyond that the oldest are removed."""
    jail: Literal["require", "prefer", "off"] = "prefer"
    """`require` starts no job without a jail; `prefer` starts it without Bash; `off` uses none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HearingConfig:
    """What writes down what people say."""

    engine: Literal["sherpa-onnx", "faster-whisper"] = "sherpa-onnx"
    """The program that runs the model."""
    model: Name = "moonshine-tiny-en"
    """Which model; `papercup voice models` lists those that can be had."""
    language: Name = "en"
    """The language that people speak, for models that know several; `auto`: whichever it is."""
    threads: Annotated[int, Field(ge=1, le=32)] = 2
    """How many utterances are written down at the same time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechConfig:
    """What speaks."""

    engine: Literal["auto", "edge", "hibari", "piper", "kokoro"] = "auto"
    """`auto`: Microsoft's edge-tts where it can be reached, else hibari on this machine."""
    voice: Name = "en-US-AvaNeural"
    """The voice of edge-tts or kokoro; `/voice list` shows those of edge-tts."""
    rate: Annotated[str, Field(pattern=r"^[+-]\d{1,3}%$", description="as `+10%`")] = "+0%"
    """How much faster or slower than usual edge-tts speaks."""
    volume: Annotated[str, Field(pattern=r"^[+-]\d{1,3}%$", description="as `+10%`")] = "+0%"
    """How much louder or softer than usual edge-tts speaks."""
    model: Path | None = None
    """The file of the voice, for piper; its folder, for kokoro."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceConfig:
    """Voice lines: what is heard and said in voice channels."""

    names: tuple[SpokenName, ...] = ("Papercup", "Paper cup")
    """What people call it, as it may be misheard, too; among several it answers to these."""
    mode: Literal["open", "name", "push"] = "open"
    """When somebody is taken to talk to it, on a new line; `/voice mode` changes it."""
    transcribe_others: bool = False
    """Whether it is also told what those say who may not talk to it."""
    transcript_days: Annotated[float, Field(ge=0, le=36_500, allow_inf_nan=False)] = 7.0
    """For how long it is kept what was said; 0: not at all. Audio is never kept."""
    alone_minutes: Minutes = 5.0
    """After how long alone in the channel it hangs up."""
    tone: bool = True
    """Whether a soft tone tells that something was heard."""
    filler: bool = True
    """Whether it says a word or two while the answer takes a while."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointsConfig:
    """Where the services are. Only tests, the demo and proxies need to set these."""

    discord: HostAndPort | None = None
    """Where to connect to in place of Discord's hosts; unset means Discord."""
    discord_ca: Path | None = None
    """A file of certificates that are trusted for `discord`; unset means the system's."""
    messages_api: ServiceUrl = "https://api.anthropic.com"
    """The Messages API, without a path such as `/v1`."""
    edge_tts: ServiceUrl | None = None
    """Where to connect to in place of Microsoft's speech service; unset means that."""
    models: ServiceUrl = "https://github.com"
    """From where speech models are downloaded."""
    npm: ServiceUrl = "https://registry.npmjs.org"
    """The npm registry, from which plugins are installed."""
    pypi: ServiceUrl = "https://pypi.org"
    """The Python Package Index, from which plugins are installed; without `/simple`."""

    @property
    def discord_address(self) -> tuple[str, int] | None:
        """The host and the port in `discord`."""
        if self.discord is None:
            return None
        parts = urlsplit(f"//{self.discord}")
        assert parts.hostname is not None
        assert parts.port is not None
        return parts.hostname, parts.port


@dataclass(frozen=True, slots=True, kw_only=True)
class LogConfig:
    """What is logged, to stderr."""

    level: Literal["debug", "info", "warning", "error"] = "info"
    """The least important level that is logged."""
    format: Literal["human", "json"] = "human"
    """Lines for people, or one JSON object on each line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """The whole configuration. Paths in it are absolute once it has been read."""

    data_dir: Path
    """Where everything is kept; unset means `data` beside the file, else XDG's state folder."""
    discord: DiscordConfig = field(default_factory=DiscordConfig)
    """Who may talk to it, and where."""
    speaker: SpeakerConfig = field(default_factory=SpeakerConfig)
    """The Claude that answers."""
    jobs: JobsConfig = field(default_factory=JobsConfig)
    """The background jobs."""
    voice: VoiceConfig = field(default_factory=VoiceConfig)
    """Voice lines."""
    hearing: HearingConfig = field(default_factory=HearingConfig)
    """What writes down what people say on them."""
    speech: SpeechConfig = field(default_factory=SpeechConfig)
    """What speaks on them."""
    plugins: PluginsConfig = field(default_factory=PluginsConfig)
    """The programs that add tools, commands, hooks and more."""
    endpoints: EndpointsConfig = field(default_factory=EndpointsConfig)
    """Where the services are."""
    log: LogConfig = field(default_factory=LogConfig)
    """What is logged."""
    mcp: Mapping[str, McpServerConfig] = field(default_factory=dict[str, McpServerConfig])
    """The MCP servers that may be enabled in a session, by their names."""
