"""Lets in who shows a token, and says to the application who it is."""

import logging

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.types import ASGIApp, Receive, Scope, Send

from extensions.callers import Callers, token_hash
from extensions.server.http import Doorstep

CALLER = "papercup.caller"
"""The key in the ASGI scope under which the `Caller` stands."""
PATH = "/mcp"
HOOK_PATH = "/hook"

_SCHEME = b"bearer "

logger = logging.getLogger(__name__)


class Gate:
    """An ASGI application that hands on only the calls that come with a caller's token."""

    def __init__(
        self, app: ASGIApp, callers: Callers, doorstep: Doorstep, *, hook_door: ASGIApp
    ) -> None:
        """Make it.

        Args:
            app: Answers at `PATH`.
            callers: Who is let in.
            doorstep: Where connections wait that have shown no token yet.
            hook_door: Answers at `HOOK_PATH`.
        """
        self._app = app
        self._hook_door = hook_door
        self._callers = callers
        self._doorstep = doorstep

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one HTTP request."""
        token = _bearer_token(scope)
        caller = None if token is None else self._callers.resolve(token)
        if token is None or caller is None:
            logger.warning("refused a call with %s token", "no" if token is None else "an unknown")
            await _refuse(send, 401, b"unauthorized")
            return
        self._doorstep.let_in(scope["client"])
        if scope["path"] == HOOK_PATH and scope["method"] == "POST":
            await self._hook_door({**scope, CALLER: caller}, receive, send)
            return
        if scope["path"] != PATH:
            await _refuse(send, 404, b"not found")
            return
        # The session manager binds a session to this user, so that no other caller can use it.
        user = AuthenticatedUser(
            AccessToken(token=token_hash(token), client_id=str(caller), scopes=[])
        )
        await self._app({**scope, CALLER: caller, "user": user}, receive, send)


def _bearer_token(scope: Scope) -> str | None:
    values = [value for name, value in scope["headers"] if name == b"authorization"]
    if len(values) != 1 or values[0][: len(_SCHEME)].lower() != _SCHEME:
        return None
    token: str = values[0][len(_SCHEME) :].strip().decode("latin-1")
    return token or None


async def _refuse(send: Send, status: int, body: bytes) -> None:
    # No WWW-Authenticate: clients would look for an OAuth server then.
    headers = [(b"content-type", b"text/plain"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
