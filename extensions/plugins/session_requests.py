"""What plugins ask of the session for which they work."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from extensions.hooks import Occasion
from extensions.plugins.contexts import ContextTier
from extensions.plugins.fields import BadFieldError, Fields
from extensions.plugins.served import ServedPlugin
from extensions.plugins.services import Delivery, SessionActionError, Sessions
from extensions.plugins.serving import Handler, occasion_in
from extensions.rpc.errors import ErrorCode, RpcError

LONGEST_TEXT = 32_000
"""Of a message, in characters."""

_ROLES = {role: role for role in ("user", "assistant")}
_DELIVERIES = {
    "steer": Delivery.STEER,
    "follow_up": Delivery.FOLLOW_UP,
    "followUp": Delivery.FOLLOW_UP,
    "next_turn": Delivery.NEXT_TURN,
    "nextTurn": Delivery.NEXT_TURN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionRequests:
    """Answers `session/...`."""

    sessions: Sessions

    def handlers(self) -> Mapping[str, Handler]:
        """Return what answers each method."""
        return {
            "session/send_message": self._send_message,
            "session/send_user_message": self._send_user_message,
            "session/append_entry": self._append_entry,
            "session/set_model": self._set_model,
            "session/state": self._state,
        }

    async def _send_message(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        occasion = _in_command(plugin, fields)
        text = _message(fields)
        role = fields.one_of("role", _ROLES, usual="assistant")
        try:
            await self.sessions.send_message(plugin.id, text, role=role, occasion=occasion)
        except SessionActionError as error:
            raise _refused(error) from error
        return {}

    async def _send_user_message(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        occasion = _in_command(plugin, fields)
        text = _message(fields)
        how = Delivery(fields.one_of("deliver_as", _DELIVERIES, usual=Delivery.FOLLOW_UP))
        try:
            await self.sessions.send_user_message(
                plugin.id, text, deliver_as=how, occasion=occasion
            )
        except SessionActionError as error:
            raise _refused(error) from error
        return {}

    async def _append_entry(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        occasion = _in_command(plugin, fields)
        try:
            await self.sessions.append_entry(plugin.id, fields.mapping("entry"), occasion)
        except SessionActionError as error:
            raise _refused(error) from error
        return {}

    async def _set_model(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        occasion = _in_command(plugin, fields)
        try:
            await self.sessions.set_model(
                plugin.id,
                fields.filled_text("model"),
                provider=fields.any_text("provider"),
                thinking=fields.any_text("thinking"),
                occasion=occasion,
            )
        except SessionActionError as error:
            raise _refused(error) from error
        return {}

    async def _state(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        occasion = _in_command(plugin, fields)
        try:
            return {"state": dict(await self.sessions.state(plugin.id, occasion))}
        except SessionActionError as error:
            raise _refused(error) from error


def _in_command(plugin: ServedPlugin, fields: Fields) -> Occasion:
    return occasion_in(plugin, fields, needs=ContextTier.COMMAND)


def _message(fields: Fields) -> str:
    text = fields.filled_text("text")
    if len(text) > LONGEST_TEXT:
        raise BadFieldError(f"text is longer than {LONGEST_TEXT} characters")
    return text


def _refused(error: SessionActionError) -> RpcError:
    return RpcError(ErrorCode.INVALID_PARAMS, error.reason)
