"""What a running bot says of itself. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import TypeAdapter, ValidationError

STATUS_PATH = "/api/status"
"""Where it is asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusReport:
    """How a running bot is."""

    pid: int
    started_at: float
    """Unix time, in seconds."""
    version: str
    """Papercup's."""
    discord: Literal["connecting", "connected", "disconnected"]
    """`connecting` until the first connection stands; `disconnected` while it comes back."""
    bot_user: str | None
    """The bot's name on Discord; `None` until it is known."""
    jail: str
    """What confines jobs: `bubblewrap` or `none`."""
    jail_reason: str | None = None
    """Why there is no jail, or a weaker one; `None` if nothing is amiss."""
    claude_version: str
    jobs: Mapping[str, int]
    """How many jobs there are in each state, by its name."""
    conversations: int
    """How many are open."""
    lost_notices: int = 0
    """How many notices of the last seven days could not be delivered."""
    mcp_url: str
    """Where spawned Claudes reach the MCP server; without a token it answers nobody."""


_REPORT: TypeAdapter[StatusReport] = TypeAdapter(StatusReport)


def report_as_json(report: StatusReport) -> bytes:
    """Return the report as a JSON object."""
    return _REPORT.dump_json(report)


def report_of_json(text: bytes) -> StatusReport:
    """Return what `report_as_json` was given; what a newer bot adds is left out.

    Raises:
        ValueError: If it is no report.
    """
    try:
        return _REPORT.validate_json(text)
    except ValidationError as error:
        raise ValueError(f"{error.error_count()} fields are not as expected") from error
