"""How plugins and their tools may be called, and how their tools are called outside. Pure."""

import hashlib
import re

MAX_ID_LENGTH = 64
MAX_TOOL_NAME_LENGTH = 64
"""Of a public tool name: what every model takes."""
MAX_SERVER_NAME_LENGTH = 32
RESERVED_IDS = frozenset(
    {"agent", "browser", "core", "email", "heartbeat", "memory", "telegram", "whatsapp"}
)
"""Ids of what other hosts of `plugin.toml` have built in."""
OWN_ID = "papercup"
"""Of the bot itself: no plugin may pass for it."""

_PREFIX = "ext_"
_HASH_LENGTH = 6
_ID = re.compile(r"[a-z][a-z0-9_-]*")
_FREE_NAME = re.compile(r"[A-Za-z][A-Za-z0-9 ._-]*")
_CAPABILITY = re.compile(r"[a-z][a-z0-9_]*")
_UNUSABLE = re.compile(r"[^A-Za-z0-9_-]")
_PACKAGE_SCOPE = re.compile(r"@[A-Za-z0-9._~-]+/")


def is_valid_id(text: str) -> bool:
    """Say whether a plugin may have that id."""
    return len(text) <= MAX_ID_LENGTH and _ID.fullmatch(text) is not None


def id_of_name(name: str) -> str | None:
    """Return the id of a plugin whose manifest has a name alone; `None` if it can have none.

    Capital letters become small ones; spaces and full stops become `-`.
    """
    if _FREE_NAME.fullmatch(name) is None or len(name) > MAX_ID_LENGTH:
        return None
    return name.lower().replace(".", "-").replace(" ", "-")


def without_scope(package: str) -> str:
    """Return the name of a package without the `@scope/` before it."""
    return _PACKAGE_SCOPE.sub("", package, count=1)


def is_valid_capability(name: str) -> bool:
    """Say whether a tool, hook, channel or provider may be declared by that name."""
    return len(name) <= MAX_ID_LENGTH and _CAPABILITY.fullmatch(name) is not None


def is_valid_server_name(name: str) -> bool:
    """Say whether an MCP server of a plugin may be called that."""
    return len(name) <= MAX_SERVER_NAME_LENGTH and _ID.fullmatch(name) is not None


def public_tool_name(plugin_id: str, tool: str) -> str:
    """Return the name by which models know a plugin's tool: `ext_{id}_{tool}`.

    Characters that no tool's name may hold become `_`. A name that is too long is cut, and then
    ends in six digits that tell it from others that are cut alike.
    """
    whole = f"{_PREFIX}{plugin_id}_{_UNUSABLE.sub('_', tool)}"
    if len(whole) <= MAX_TOOL_NAME_LENGTH:
        return whole
    digest = hashlib.sha256(plugin_id.encode() + b"\0" + tool.encode("utf-8", "replace"))
    tail = "_" + digest.hexdigest()[:_HASH_LENGTH]
    return whole[: MAX_TOOL_NAME_LENGTH - len(tail)] + tail


def public_server_tool_name(plugin_id: str, server: str, tool: str) -> str:
    """Return the name by which models know a tool of an MCP server of a plugin."""
    return public_tool_name(plugin_id, f"{server}_{tool}")
