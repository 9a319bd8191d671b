"""Routes about messages and the reactions to them."""

from simulator.discord.core import Core
from simulator.discord.drafts import edited_flags, read_draft, read_edit
from simulator.discord.errors import ApiError, invalid_field
from simulator.discord.message_wire import message_json
from simulator.discord.model import Channel, Json, Message, items_of
from simulator.discord.permissions import Permission
from simulator.discord.rest.call import NOTHING, Answer, Call, Route
from simulator.discord.rest.wanted import number_in, wanted_message

_PAGE = 50
_LARGEST_PAGE = 100
_MESSAGES = "/channels/{channel_id}/messages"
_MESSAGE = "/channels/{channel_id}/messages/{message_id}"
_BULK_DELETE = _MESSAGES + "/bulk-delete"
_BULK = range(2, 101)


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
            Route(method="POST", template=_BULK_DELETE, handler=self._delete_all),
        ]

    async def _post(self, call: Call) -> Answer:
        world = self._core.world
        channel = world.channel_to_write_in(call.params["channel_id"])
        draft = read_draft(
            call.body, call.files, most_file_bytes=self._core.settings.attachment_bytes
        )
        if draft.files:
            world.require(Permission.ATTACH_FILES, channel)
        message = self._core.board.post(world.bot, channel, draft)
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
        limit = number_in(call, "limit", _PAGE)
        if not 1 <= limit <= _LARGEST_PAGE:
            raise invalid_field(
                "limit", "NUMBER_TYPE_MAX", "int value should be between 1 and 100."
            )
        newest_first = self._core.world.history(channel.id)[::-1]
        if "around" in call.query:
            around = number_in(call, "around", 0)
            older = [message for message in newest_first if message.id <= around]
            newer = [message for message in newest_first if message.id > around]
            return newer[-(limit // 2) :] + older[: limit - limit // 2]
        if "after" in call.query:
            after = number_in(call, "after", 0)
            return [message for message in newest_first if message.id > after][-limit:]
        before = number_in(call, "before", 1 << 63)
        return [message for message in newest_first if message.id < before][:limit]

    async def _message(self, call: Call) -> Answer:
        return Answer(body=message_json(self._core.world, wanted_message(self._core, call)))

    async def _edit(self, call: Call) -> Answer:
        message = wanted_message(self._core, call)
        if message.author != self._core.world.bot:
            raise ApiError(403, 50005, "Cannot edit a message authored by another user")
        now = self._core.clock.seconds()
        version = read_edit(
            message.versions[-1],
            call.body,
            call.files,
            at_seconds=now,
            most_file_bytes=self._core.settings.attachment_bytes,
        )
        edited = self._core.board.edit(
            message,
            version,
            flags=edited_flags(message.flags, call.body),
            allowed_mentions=call.body.get("allowed_mentions"),
        )
        return Answer(body=message_json(self._core.world, edited))

    async def _delete(self, call: Call) -> Answer:
        message = wanted_message(self._core, call)
        if message.author != self._core.world.bot:
            self._core.world.require(Permission.MANAGE_MESSAGES, message.channel)
        self._core.board.delete(message)
        return NOTHING

    async def _delete_all(self, call: Call) -> Answer:
        world = self._core.world
        channel = world.channel(call.params["channel_id"])
        world.require(Permission.MANAGE_MESSAGES, channel)
        ids = [str(one) for one in items_of(call.body, "messages")]
        if len(set(ids)) not in _BULK:
            raise ApiError(400, 50016, "Provided too few or too many messages to delete.")
        found = [world.messages.get(int(one)) for one in ids if one.isdecimal()]
        here = [one for one in found if one is not None and one.channel == channel]
        self._core.board.delete_all(channel, here)
        return NOTHING
