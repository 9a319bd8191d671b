"""Routes about messages and the reactions to them."""

from simulator.discord.core import Core
from simulator.discord.drafts import read_draft, read_edit
from simulator.discord.errors import ApiError, invalid_field
from simulator.discord.model import Channel, Json, Message
from simulator.discord.rest.call import NOTHING, Answer, Call, Route
from simulator.discord.wire import message_json

_PAGE = 50
_LARGEST_PAGE = 100
_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_REACTION = _MESSAGE + "/reactions/{emoji_name}/@me"


class MessageRoutes:
    """Messages as the bot posts, reads, edits and deletes them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        return [
            Route(method="GET", template=_MESSAGES, handler=self._history),
            Route(method="POST", template=_MESSAGES, handler=self._post),
            Route(method="GET", template=_MESSAGE, handler=self._message),
            Route(method="PATCH", template=_MESSAGE, handler=self._edit),
            Route(method="DELETE", template=_MESSAGE, handler=self._delete),
            Route(method="PUT", template=_REACTION, handler=self._react),
            Route(method="DELETE", template=_REACTION, handler=self._take_reaction_back),
        ]

    async def _post(self, call: Call) -> Answer:
        world = self._core.world
        channel = world.channel_to_write_in(call.params["channel_id"])
        message = self._core.board.post(world.bot, channel, read_draft(call.body, call.files))
        return Answer(body=message_json(world, message))

    async def _history(self, call: Call) -> Answer:
        channel = self._core.world.channel(call.params["channel_id"])
        page = self._page(channel, call)
        return Answer(body=[self._as_history(message) for message in page])

    def _as_history(self, message: Message) -> Json:
        told = message_json(self._core.world, message)
        if not self._core.settings.is_nonce_in_history:
            told.pop("nonce", None)
        return told

    def _page(self, channel: Channel, call: Call) -> list[Message]:
        limit = _number(call, "limit", _PAGE)
        if not 1 <= limit <= _LARGEST_PAGE:
            raise invalid_field(
                "limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100."
            )
        newest_first = self._core.world.history(channel.id)[::-1]
        if "around" in call.query:
            around = _number(call, "around", 0)
            older = [message for message in newest_first if message.id <= around]
            newer = [message for message in newest_first if message.id > around]
            return newer[-(limit // 2) :] + older[: limit - limit // 2]
        if "after" in call.query:
            after = _number(call, "after", 0)
            return [message for message in newest_first if message.id > after][-limit:]
        before = _number(call, "before", 1 << 63)
        return [message for message in newest_first if message.id < before][:limit]

    async def _message(self, call: Call) -> Answer:
        return Answer(body=message_json(self._core.world, self._wanted(call)))

    async def _edit(self, call: Call) -> Answer:
        message = self._wanted(call)
        if message.author != self._core.world.bot:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        now = self._core.clock.seconds()
        version = read_edit(message.versions[-1], call.body, call.files, at_seconds=now)
        edited = self._core.board.edit(message, version)
        return Answer(body=message_json(self._core.world, edited))

    async def _delete(self, call: Call) -> Answer:
        self._core.board.delete(self._wanted(call))
        return NOTHING

    async def _react(self, call: Call) -> Answer:
        return self._reacted(call, is_on=True)

    async def _take_reaction_back(self, call: Call) -> Answer:
        return self._reacted(call, is_on=False)

    def _reacted(self, call: Call, *, is_on: bool) -> Answer:
        emoji = call.params["emoji_name"]
        self._core.board.react(self._wanted(call), self._core.world.bot, emoji, is_on=is_on)
        return NOTHING

    def _wanted(self, call: Call) -> Message:
        channel = self._core.world.channel(call.params["channel_id"])
        message = self._core.world.message(call.params["message_id"], channel)
        # Only the token of its interaction leads to an ephemeral message.
        if message.is_ephemeral:
            raise ApiError(404, 10008, "Unknown Message")
        return message


def _number(call: Call, name: str, default: int) -> int:
    text = call.query.get(name)
    if text is None:
        return default
    if not text.isdecimal():
        raise invalid_field(name, "NUMBER_TYPE_COERCE", f'Value "{text}" is not a number.')
    return int(text)
