"""How `claude` is called: its arguments and its environment. Pure.

No argument and no file holds a secret: the MCP configuration names environment variables, and
the key that the command knows is only its token for the bot's own servers.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from extensions.claude.hook_settings import hook_settings

MCP_SERVER = "papercup"
"""The name by which Claude knows the bot's MCP server."""

_MCP_TIMEOUT_MILLISECONDS = 600_000
_STREAM_JSON = ("-p", "--input-format=stream-json", "--output-format=stream-json", "--verbose")
_CLOSED = ("--strict-mcp-config", "--permission-prompts=none")
"""It has no other MCP servers than those that are named, and what nobody allowed is refused."""
_CONFINED = ("--restricted", *_CLOSED)
"""Besides, it reads no settings of the user or the folder, and its file tools stay in there."""
_UNCONFINED = ("--setting-sources=", *_CLOSED)
"""Besides, it reads no settings of the user or the folder."""
_BYPASS = "bypassPermissions"
"""The permission mode that claude refuses where it is restricted."""
_ALWAYS_SET = {
    "LANG": "C.UTF-8",
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "CLAUDE_CODE_DISABLE_FILE_MENTIONS": "1",
    # Else one message could be answered by several turns, and turns begin that nobody asked for.
    "CLAUDE_CODE_DISABLE_BACKGROUND_TASKS": "1",
    "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
    # Else the skills that plugins bring along would stand among a dozen of its own.
    "CLAUDE_CODE_DISABLE_BUNDLED_SKILLS": "1",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerOptions:
    """How the Claude of a conversation is called."""

    claude: Path
    """The program."""
    claude_session_id: str
    """A UUID."""
    is_resumed: bool
    """Whether that session exists already and goes on."""
    system_prompt_file: Path
    tools: Sequence[str] = ("Read", "Glob", "Grep")
    permission_mode: str = "dontAsk"
    """With `bypassPermissions` nothing confines it: only for a jail."""
    model: str | None = None
    effort: str | None = None
    mcp_servers: Mapping[str, Mapping[str, Any]] = field(default_factory=dict[str, dict[str, Any]])
    """MCP servers besides the bot's own, as `claude` configures them."""
    mcp_tools: Sequence[str] = ()
    """What of these it may use unasked: `mcp__NAME`, or `mcp__NAME__TOOL`."""
    hook_relay: Sequence[str] | None = None
    """What runs the program `hook_relay`, by which plugins are asked; `None` to ask nobody."""
    skills: Sequence[Path] = ()
    """Folders of skills, as `SkillShelf` has them."""
    may_open_skills: bool = False
    """Whether it may read what stands beside them: only where it cannot write there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobOptions:
    """How the Claude of a job's run is called."""

    claude: Path
    """The program, as the jail sees it."""
    claude_session_id: str
    """A UUID."""
    is_resumed: bool
    """Whether that session exists already and goes on."""
    append_system_prompt_file: Path
    """What is added to Claude's own system prompt, as the jail sees it."""
    tools: Sequence[str]
    """The tools that it has; each may be used without anyone being asked."""
    permission_mode: str = "acceptEdits"
    max_turns: int = 100
    model: str | None = None
    effort: str | None = None
    hook_relay: Sequence[str] | None = None
    """What runs the program `hook_relay`, as the jail sees it; `None` to ask no plugins."""
    skills: Sequence[Path] = ()
    """Folders of skills, as `SkillShelf` has them."""
    may_open_skills: bool = False
    """Whether it may read what stands beside them: only where it cannot write there."""


def speaker_command(options: SpeakerOptions) -> list[str]:
    """Return the arguments that start a speaker."""
    return [
        str(options.claude),
        *_STREAM_JSON,
        "--include-partial-messages",
        *(_UNCONFINED if options.permission_mode == _BYPASS else _CONFINED),
        f"--permission-mode={options.permission_mode}",
        f"--tools={','.join(_tools(options.tools, options.skills))}",
        f"--allowedTools={','.join((f'mcp__{MCP_SERVER}', *options.mcp_tools))}",
        f"--mcp-config={mcp_config(options.mcp_servers)}",
        f"--system-prompt-file={options.system_prompt_file}",
        # Else a session that is resumed keeps the prompt that it began with.
        "--system-prompt-snapshot=off",
        *_settings(options.hook_relay),
        *_skills(options.skills, may_open=options.may_open_skills),
        *_session(options.claude_session_id, is_resumed=options.is_resumed),
        *_model(options.model, options.effort),
    ]


def job_command(options: JobOptions) -> list[str]:
    """Return the arguments that start a run of a job."""
    tools = _tools(options.tools, options.skills)
    # `acceptEdits` alone lets Bash run only a few harmless commands.
    allowed = [f"mcp__{MCP_SERVER}", *tools]
    return [
        str(options.claude),
        *_STREAM_JSON,
        *_CONFINED,
        f"--permission-mode={options.permission_mode}",
        f"--tools={','.join(tools)}",
        f"--allowedTools={','.join(allowed)}",
        f"--mcp-config={mcp_config()}",
        f"--append-system-prompt-file={options.append_system_prompt_file}",
        f"--max-turns={options.max_turns}",
        *_settings(options.hook_relay),
        *_skills(options.skills, may_open=options.may_open_skills),
        *_session(options.claude_session_id, is_resumed=options.is_resumed),
        *_model(options.model, options.effort),
    ]


def mcp_config(others: Mapping[str, Mapping[str, Any]] | None = None) -> str:
    """Return the MCP configuration; where the server is and the token come by environment.

    Args:
        others: Servers besides the bot's own, as `claude` configures them.
    """
    server = {
        "type": "http",
        "url": "${PAPERCUP_MCP_URL}",
        "headers": {"Authorization": "Bearer ${PAPERCUP_TOKEN}"},
        # Else its tools stand behind a search that costs the model a step.
        "alwaysLoad": True,
        "timeout": _MCP_TIMEOUT_MILLISECONDS,
    }
    return json.dumps({"mcpServers": {**(others or {}), MCP_SERVER: server}})


def claude_environment(
    *,
    home: Path,
    tmp: Path,
    path: str,
    token: str,
    mcp_url: str,
    api_url: str,
    max_retries: int,
) -> dict[str, str]:
    """Return the whole environment of a `claude`.

    Args:
        home: Where it keeps its state.
        tmp: Its own folder for what is temporary; it leaves things there.
        path: Where it and its Bash find programs.
        token: What it calls the bot's own servers with; it knows no other key.
        mcp_url: Where the bot's MCP server is.
        api_url: Where the bot's model gateway is.
        max_retries: How often a request to the API is made again before the turn fails. The
            pauses between grow: 3 take about 4 seconds in all, 10 about three minutes.
    """
    return {
        **_ALWAYS_SET,
        "PATH": path,
        "HOME": str(home),
        "TMPDIR": str(tmp),
        "ANTHROPIC_API_KEY": token,
        "ANTHROPIC_BASE_URL": api_url,
        "CLAUDE_CODE_MAX_RETRIES": str(max_retries),
        "PAPERCUP_MCP_URL": mcp_url,
        "PAPERCUP_TOKEN": token,
    }


def _settings(hook_relay: Sequence[str] | None) -> list[str]:
    if hook_relay is None:
        return []
    return [f"--settings={hook_settings(hook_relay, own_server=MCP_SERVER)}"]


def _tools(tools: Sequence[str], skills: Sequence[Path]) -> list[str]:
    return [*tools, "Skill"] if skills else list(tools)


def _skills(folders: Sequence[Path], *, may_open: bool) -> list[str]:
    opened = [f"--add-dir={folder}" for folder in folders] if may_open else []
    return [*(f"--plugin-dir={folder}" for folder in folders), *opened]


def _session(claude_session_id: str, *, is_resumed: bool) -> list[str]:
    return [f"--{'resume' if is_resumed else 'session-id'}={claude_session_id}"]


def _model(model: str | None, effort: str | None) -> list[str]:
    chosen = [] if model is None else [f"--model={model}"]
    return chosen if effort is None else [*chosen, f"--effort={effort}"]
