"""What functions of an author's look like, and the words that some arguments are.

For type checkers alone: no other module imports it when it runs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, TypeAlias, TypeVar

from papercup_plugin.async_context import AsyncContext
from papercup_plugin.context import Context
from papercup_plugin.hooks import Outcome
from papercup_plugin.models import Completion, CompletionRequest, Credentials, Delta
from papercup_plugin.render import Block
from papercup_plugin.results import CompletionItem

Level: TypeAlias = Literal["info", "warn", "error"]
"""How bad a message to people is."""
LogLevel: TypeAlias = Literal["trace", "debug", "info", "warn", "error"]
Role: TypeAlias = Literal["user", "assistant"]
"""In whose name a message is posted."""
Delivery: TypeAlias = Literal["steer", "follow_up", "next_turn"]
"""When what is said in a person's stead is taken: at once, after the turn, or with the next."""
HookName: TypeAlias = Literal[
    "tool_call",
    "user_bash",
    "tool_result",
    "input",
    "before_agent_start",
    "context",
    "before_provider_request",
    "message_end",
    "session_before_compact",
    "session_before_tree",
]
"""Where plugins are asked."""

Function: TypeAlias = Callable[..., Any]
FunctionT = TypeVar("FunctionT", bound=Function)

Said: TypeAlias = object
"""What a command returns: a text for people, or nothing."""
CommandFunction: TypeAlias = (
    Callable[[], Said]
    | Callable[[str], Said]
    | Callable[[Context], Said]
    | Callable[[str, Context], Said]
    | Callable[[AsyncContext], Awaitable[Said]]
    | Callable[[str, AsyncContext], Awaitable[Said]]
)
CommandT = TypeVar("CommandT", bound=CommandFunction)

Completions: TypeAlias = Iterable[str | CompletionItem | tuple[str, str | None]]
CompleteFunction: TypeAlias = (
    Callable[[str], Completions]
    | Callable[[str, Context], Completions]
    | Callable[[str], Awaitable[Completions]]
    | Callable[[str, AsyncContext], Awaitable[Completions]]
)

HookResult: TypeAlias = Outcome | Mapping[str, Any] | None
"""What a hook returns: nothing lets it pass, a mapping changes those members of the event."""
HookFunction: TypeAlias = (
    Callable[[Any], HookResult]
    | Callable[[Any, Context], HookResult]
    | Callable[[Any], Awaitable[HookResult]]
    | Callable[[Any, AsyncContext], Awaitable[HookResult]]
)
HookT = TypeVar("HookT", bound=HookFunction)

EventFunction: TypeAlias = (
    Callable[[], object]
    | Callable[[Any], object]
    | Callable[[Any, Context], object]
    | Callable[[Any, AsyncContext], Awaitable[object]]
)
EventT = TypeVar("EventT", bound=EventFunction)

Draw: TypeAlias = (
    Callable[[], Block]
    | Callable[[Context], Block]
    | Callable[[], Awaitable[Block]]
    | Callable[[AsyncContext], Awaitable[Block]]
)
Press: TypeAlias = (
    Callable[[], object]
    | Callable[[Context], object]
    | Callable[[AsyncContext], Awaitable[object]]
    | Callable[[str], object]
    | Callable[[str, Context], object]
    | Callable[[str, AsyncContext], Awaitable[object]]
)
PressT = TypeVar("PressT", bound=Press)

Piece: TypeAlias = str | Delta | Completion
Answer: TypeAlias = str | Completion
Granted: TypeAlias = Credentials | Mapping[str, Any]
Complete: TypeAlias = (
    Callable[[CompletionRequest], Answer | Iterator[Piece] | AsyncIterator[Piece]]
    | Callable[[CompletionRequest, Context], Answer | Iterator[Piece]]
    | Callable[[CompletionRequest, AsyncContext], Awaitable[Answer] | AsyncIterator[Piece]]
    | Callable[[CompletionRequest], Awaitable[Answer]]
)
CompleteT = TypeVar("CompleteT", bound=Complete)
Login: TypeAlias = (
    Callable[[], Granted]
    | Callable[[Context], Granted]
    | Callable[[], Awaitable[Granted]]
    | Callable[[AsyncContext], Awaitable[Granted]]
)
LoginT = TypeVar("LoginT", bound=Login)
Refresh: TypeAlias = (
    Callable[[str], Granted]
    | Callable[[str, Context], Granted]
    | Callable[[str], Awaitable[Granted]]
    | Callable[[str, AsyncContext], Awaitable[Granted]]
)
RefreshT = TypeVar("RefreshT", bound=Refresh)
