"""Where a run without a jail looks for the bot: kept beside it, as the bot may have to move.

In a jail it looks for sockets whose place never changes.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extensions.disk import write_atomically

_NAME = "addresses.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """The addresses that a run was given when it started."""

    mcp_url: str
    api_url: str


def write_addresses(control: Path, addresses: Addresses) -> None:
    """Keep the addresses of a run in its control folder, which is made if it is not there.

    Raises:
        OSError: If they cannot be written.
    """
    control.mkdir(mode=0o700, parents=True, exist_ok=True)
    document = {"mcp_url": addresses.mcp_url, "api_url": addresses.api_url}
    write_atomically(control / _NAME, json.dumps(document).encode())


def read_addresses(control: Path) -> Addresses | None:
    """Return the addresses of a run; `None` if they never change, or cannot be read."""
    try:
        document: Any = json.loads((control / _NAME).read_bytes())
    except (OSError, ValueError):
        return None
    match document:
        case {"mcp_url": str(mcp_url), "api_url": str(api_url)}:
            return Addresses(mcp_url=mcp_url, api_url=api_url)
        case _:
            return None
