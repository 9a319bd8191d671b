"""A stand-in for the Messages API: it streams, and a test writes what the model says.

async def script(request: ModelRequest) -> Answer:
    if request.last_tool_result is None:
        return Use("Read", {"file_path": "notes.txt"})
    return Say(f"It says: {request.last_tool_result}")

async with running_messages_api(script) as api:
    ...  # run a client with ANTHROPIC_BASE_URL=api.url
"""

from simulator.messages_api.answers import (
    OVERLOADED,
    Answer,
    Cut,
    Hang,
    HttpError,
    Say,
    StreamError,
    Think,
    Tokens,
    ToolUse,
    Use,
    UseSeveral,
    usage_limit,
)
from simulator.messages_api.requests import (
    ModelRequest,
    ReceivedRequest,
    ShownImage,
    ToolResult,
)
from simulator.messages_api.scripts import Script, ScriptOverError, echo, scripted
from simulator.messages_api.server import MessagesApi, running_messages_api

__all__ = [
    "OVERLOADED",
    "Answer",
    "Cut",
    "Hang",
    "HttpError",
    "MessagesApi",
    "ModelRequest",
    "ReceivedRequest",
    "Say",
    "Script",
    "ScriptOverError",
    "ShownImage",
    "StreamError",
    "Think",
    "Tokens",
    "ToolResult",
    "ToolUse",
    "Use",
    "UseSeveral",
    "echo",
    "running_messages_api",
    "scripted",
    "usage_limit",
]
