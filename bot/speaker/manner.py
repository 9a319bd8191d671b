"""In which manner a speaker's `claude` works: its mode, its tools, its model. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bot.config_mcp import McpServerConfig
from bot.quoting import code
from bot.speaker.mcp_servers import GivenServers, given_servers
from bot.speaker.speaker import Knobs, PermissionMode

WRITTEN_PROMPT = "prompt.md"
SPOKEN_PROMPT = "prompt_spoken.md"
"""The files of this package that say how to answer: in writing, and on a voice line."""
EFFORTS = frozenset({"low", "medium", "high", "xhigh", "max"})
"""What `claude` knows; it passes over any other without a word."""

_LOOK = ("Read", "Glob", "Grep")
_EDIT = (*_LOOK, "Write", "Edit")
_ALL = (*_EDIT, "Bash")
_TOOLS: Mapping[PermissionMode, tuple[str, ...]] = {
    PermissionMode.DONT_ASK: _LOOK,
    PermissionMode.ACCEPT_EDITS: _EDIT,
    PermissionMode.PLAN: _LOOK,
    PermissionMode.AUTO: _ALL,
    PermissionMode.BYPASS: _ALL,
}
_EFFORT_CHARACTERS = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """What holds where a session's own knobs say nothing, and what may be chosen."""

    model: str | None = None
    effort: str | None = None
    permission_mode: PermissionMode = PermissionMode.DONT_ASK
    """One that needs no jail."""
    mcp: Mapping[str, McpServerConfig]
    """The configured MCP servers."""
    environment: Mapping[str, str]
    """The bot's own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How one `claude` works."""

    permission_mode: PermissionMode
    tools: tuple[str, ...]
    model: str | None
    effort: str | None
    servers: GivenServers
    prompt: str
    """The file of this package that says how to answer."""
    remarks: tuple[str, ...]
    """What cannot be as it was wished, as sentences."""


def manner_of(
    knobs: Knobs, usual: Usual, *, refusal_of: Callable[[PermissionMode], str | None]
) -> Manner:
    """Return the manner in which a session's speaker works.

    Args:
        knobs: What was set for the session.
        usual: What holds otherwise.
        refusal_of: Says why a mode cannot be had here; then the usual one holds.
    """
    mode = knobs.permission_mode or usual.permission_mode
    refusal = refusal_of(mode)
    if refusal is not None:
        mode = usual.permission_mode
    effort = knobs.effort or usual.effort
    wrong_effort = None
    if effort is not None and effort not in EFFORTS:
        wrong_effort = f"Claude knows no effort {code(effort, _EFFORT_CHARACTERS)}; I use its own."
        effort = None
    servers = given_servers(
        knobs.mcp_servers, usual.mcp, usual.environment, is_jailed=mode.needs_jail
    )
    wrong = [remark for remark in (refusal, wrong_effort) if remark is not None]
    return Manner(
        permission_mode=mode,
        tools=_TOOLS[mode],
        model=knobs.model or usual.model,
        effort=effort,
        servers=servers,
        prompt=SPOKEN_PROMPT if knobs.is_spoken else WRITTEN_PROMPT,
        remarks=(*wrong, *servers.remarks),
    )
