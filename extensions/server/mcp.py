"""The MCP server through which every spawned Claude reaches the bot."""

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import mcp_types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.models import InitializationOptions
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request

from extensions.callers import Caller, Callers
from extensions.server.asgi import serving_asgi
from extensions.server.gate import CALLER, PATH, Gate
from extensions.server.hook_door import HookDoor
from extensions.server.http import Doorstep
from extensions.server.tool_calls import ToolCalls
from extensions.server.tool_hooks import Hooks
from extensions.tools import Tool, ToolCall, ToolRegistry

SERVER_NAME = "papercup"

_BODY_BYTES = 4 * 1024 * 1024
_MOST_SESSIONS = 256
_NOTIFY_SECONDS = 1.0
_TOOL_USE_ID = "claudecode/toolUseId"
_SESSION_ID = "mcp-session-id"

# Any port: in a jail the server is reached through another one.
_SECURITY = TransportSecuritySettings(
    allowed_hosts=["127.0.0.1", "localhost", "127.0.0.1:*", "localhost:*"],
    allowed_origins=[
        "http://127.0.0.1",
        "http://localhost",
        "http://127.0.0.1:*",
        "http://localhost:*",
    ],
)

if TYPE_CHECKING:
    from mcp.server.session import ServerSession

logger = logging.getLogger(__name__)

_Context = ServerRequestContext[Any, Request]


@dataclass(frozen=True, slots=True)
class McpServer:
    """An MCP server that is listening."""

    port: int

    @property
    def url(self) -> str:
        """Where clients on this machine reach it."""
        return f"http://127.0.0.1:{self.port}{PATH}"


@asynccontextmanager
async def serving_mcp(
    registry: ToolRegistry,
    callers: Callers,
    sock: socket.socket,
    *,
    instructions: str = "",
    doorstep: Doorstep | None = None,
    hooks: Hooks | None = None,
) -> AsyncGenerator[McpServer, None]:
    """Serve the tools of `registry` over MCP until the block is left; `sock` is closed then.

    The hooks of the callers are answered there, too.

    Args:
        registry: Each caller is offered what it may call; changes are told to those connected.
        callers: Who is let in.
        sock: Of `loopback_socket`.
        instructions: What every client is told about the server as a whole.
        doorstep: Where connections wait that have shown no token yet.
        hooks: Who has a say in what the callers do; `None` if nobody has.
    """
    doorstep = Doorstep() if doorstep is None else doorstep
    hooks = hooks or Hooks()
    desk = _Desk(registry, instructions, hooks)
    manager = StreamableHTTPSessionManager(
        desk.server,
        security_settings=_SECURITY,
        max_request_body_size=_BODY_BYTES,
        max_sessions=_MOST_SESSIONS,
    )
    gate = Gate(manager.handle_request, callers, doorstep, hook_door=HookDoor(hooks))
    port: int = sock.getsockname()[1]
    failure: BaseException | None = None
    async with asyncio.TaskGroup() as tasks, manager.run(), serving_asgi(gate, sock, doorstep):
        telling = tasks.create_task(desk.tell_changes())
        try:
            yield McpServer(port)
        except BaseException as error:  # noqa: BLE001 - raised below: the groups would wrap it
            failure = error
        telling.cancel()
        desk.stop()
    if failure is not None:
        raise failure


class _Server(Server[Any]):
    """Says to clients of the older protocol that its tools may change."""

    def create_initialization_options(
        self,
        notification_options: NotificationOptions | None = None,
        experimental_capabilities: dict[str, dict[str, Any]] | None = None,
        extensions: dict[str, dict[str, Any]] | None = None,
    ) -> InitializationOptions:
        return super().create_initialization_options(
            notification_options or NotificationOptions(tools_changed=True),
            experimental_capabilities,
            extensions,
        )


class _Desk:
    """Answers what MCP clients ask, and tells them when the tools have changed."""

    def __init__(self, registry: ToolRegistry, instructions: str, hooks: Hooks) -> None:
        self._registry = registry
        self._calls = ToolCalls(registry, hooks)
        self._bus = InMemorySubscriptionBus()
        self._listeners = ListenHandler(self._bus)
        self._sessions: dict[str, ServerSession] = {}
        self._changed = asyncio.Event()
        registry.watch(self._changed.set)
        self.server = _Server(
            SERVER_NAME,
            instructions=instructions or None,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_subscriptions_listen=self._listeners,
            # No tool takes arguments from headers; without this each call would list all tools.
            get_tool_input_schema=lambda _name: None,
        )

    def stop(self) -> None:
        """End what is under way, so that no connection has a reason to stay open."""
        self._calls.stop()
        self._listeners.close()

    async def tell_changes(self) -> None:
        """Tell every connected client of each change of the tools, for ever."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            await self._bus.publish(ToolsListChanged())
            for session_id, session in list(self._sessions.items()):
                if not await _is_told(session):
                    self._sessions.pop(session_id, None)

    async def _list_tools(
        self, ctx: _Context, _params: mcp_types.PaginatedRequestParams | None
    ) -> mcp_types.ListToolsResult:
        self._remember(ctx)
        tools = self._registry.visible_to(_caller(ctx))
        return mcp_types.ListToolsResult(tools=[_described(tool) for tool in tools])

    async def _call_tool(
        self, ctx: _Context, params: mcp_types.CallToolRequestParams
    ) -> mcp_types.CallToolResult:
        tool_use_id = (params.meta or {}).get(_TOOL_USE_ID)
        call = ToolCall(
            caller=_caller(ctx),
            arguments=params.arguments or {},
            tool_use_id=tool_use_id if isinstance(tool_use_id, str) else None,
        )
        answer = await self._calls.answer(params.name, call)
        # Text alone: where there is structured content, Claude's model is not shown the text.
        text = mcp_types.TextContent(type="text", text=answer.text)
        return mcp_types.CallToolResult(content=[text], is_error=answer.is_error)

    def _remember(self, ctx: _Context) -> None:
        """Keep the session of a client of the older protocol, to tell it of changes."""
        if ctx.protocol_version not in HANDSHAKE_PROTOCOL_VERSIONS or ctx.request is None:
            return
        session_id = ctx.request.headers.get(_SESSION_ID)
        if session_id is not None:
            self._sessions.pop(session_id, None)
            self._sessions[session_id] = ctx.session
        # The manager does not say when one ends; telling an ended one does nothing.
        if len(self._sessions) > _MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]


async def _is_told(session: "ServerSession") -> bool:
    """Tell a client of the older protocol that the tools have changed."""
    try:
        async with asyncio.timeout(_NOTIFY_SECONDS):
            await session.send_tool_list_changed()
    except TimeoutError:
        logger.warning("a client does not read what it is sent; it is told nothing more")
        return False
    except Exception:
        logger.exception("a client could not be told of a change of the tools")
        return False
    return True


def _caller(ctx: _Context) -> Caller:
    assert ctx.request is not None
    caller = ctx.request.scope[CALLER]
    assert isinstance(caller, Caller)
    return caller


def _described(tool: Tool) -> mcp_types.Tool:
    return mcp_types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=dict(tool.input_schema),
        annotations=mcp_types.ToolAnnotations(read_only_hint=tool.read_only),
    )
