"""`papercup version`."""

import asyncio
import importlib.metadata
import platform
from pathlib import Path
from typing import Any

from bot.cli.output import print_json, print_table
from bot.config_reading import Surroundings, read_config
from bot.errors import ConfigError
from extensions.claude.binary import find_claude
from extensions.errors import ExtensionsError


def print_version(named: Path | None, where: Surroundings, *, as_json: bool) -> None:
    """Print the versions; what is wrong with `claude` stands in its place."""
    versions = {
        "papercup": importlib.metadata.version("papercup"),
        "python": platform.python_version(),
        "discord.py": importlib.metadata.version("discord.py"),
        "mcp": importlib.metadata.version("mcp"),
    }
    claude = _claude(named, where)
    if as_json:
        print_json({**versions, "claude": claude})
        return
    shown = "{version} ({source}: {path})" if "version" in claude else "none: {problem}"
    print_table(None, (), [*versions.items(), ("claude", shown.format(**claude))])


def _claude(named: Path | None, where: Surroundings) -> dict[str, Any]:
    """Return which `claude` would be used, or why there is none."""
    try:
        config = read_config(named, where).config
        binary = asyncio.run(find_claude(config.speaker.claude))
    except ConfigError:
        # Whoever looks into a broken set-up wants the other versions all the same.
        return {"problem": "the configuration has problems; see `papercup config check`"}
    except ExtensionsError as error:
        return {"problem": str(error)}
    return {"version": binary.version, "source": binary.source, "path": str(binary.path)}
