"""Routes about threads, and about who is in them."""

from simulator.discord.account_wire import member_json
from simulator.discord.channel_wire import thread_json, thread_member_json
from simulator.discord.core import Core
from simulator.discord.errors import ApiError, invalid_field
from simulator.discord.model import Channel, ChannelKind
from simulator.discord.permissions import Permission
from simulator.discord.rest.call import NOTHING, Answer, Call, Route
from simulator.discord.rest.wanted import wanted_message

_ARCHIVE_MINUTES = 1440
_PRIVATE = 12
_IN_CHANNEL = "/channels/{channel_id}/threads"
_FROM_MESSAGE = "/channels/{channel_id}/messages/{message_id}/threads"
_ACTIVE = "/guilds/{guild_id}/threads/active"
_ARCHIVED = "/channels/{channel_id}/threads/archived/public"
_MEMBERS = "/channels/{channel_id}/thread-members"


class ThreadRoutes:
    """Threads as the bot opens, finds, joins and leaves them."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        served = (
            ("POST", _IN_CHANNEL, self._open),
            ("POST", _FROM_MESSAGE, self._open_from),
            ("GET", _ACTIVE, self._active),
            ("GET", _ARCHIVED, self._archived),
            ("GET", _MEMBERS, self._members),
            ("PUT", _MEMBERS + "/@me", self._join),
            ("DELETE", _MEMBERS + "/@me", self._leave),
        )
        return [
            Route(method=method, template=template, handler=handler)
            for method, template, handler in served
        ]

    async def _open(self, call: Call) -> Answer:
        parent = self._core.world.channel(call.params["channel_id"])
        self._core.world.require(Permission.CREATE_PUBLIC_THREADS, parent)
        # What is not said to be public is private.
        if (call.body.get("type") or _PRIVATE) != ChannelKind.THREAD:
            raise invalid_field("type", "BASE_TYPE_CHOICES", "Only public threads are simulated.")
        thread = self._core.opening.open(
            self._core.world.bot, parent, _name(call), archive_minutes=_minutes(call)
        )
        return self._created(thread)

    async def _open_from(self, call: Call) -> Answer:
        message = wanted_message(self._core, call)
        self._core.world.require(Permission.CREATE_PUBLIC_THREADS, message.channel)
        thread = self._core.opening.open_from(
            self._core.world.bot, message, _name(call), archive_minutes=_minutes(call)
        )
        return self._created(thread)

    def _created(self, thread: Channel) -> Answer:
        return Answer(status=201, body=thread_json(self._core.world, thread))

    async def _active(self, call: Call) -> Answer:
        self._core.world.check_guild(call.params["guild_id"])
        active = self._core.world.active_threads()
        return Answer(body=self._core.threads.as_list(active) | {"has_more": False})

    async def _archived(self, call: Call) -> Answer:
        parent = self._core.world.channel(call.params["channel_id"])
        archived = [one for one in self._core.world.threads(parent) if _is_archived(one)]
        return Answer(body=self._core.threads.as_list(archived[::-1]) | {"has_more": False})

    async def _members(self, call: Call) -> Answer:
        thread, world = self._thread(call), self._core.world
        assert thread.thread is not None, "it is one"
        with_member = call.query.get("with_member", "").lower() in {"1", "true"}
        told = [
            thread_member_json(world, thread, world.accounts[account_id])
            | ({"member": member_json(world, world.accounts[account_id])} if with_member else {})
            for account_id in thread.thread.members
        ]
        return Answer(body=told)

    async def _join(self, call: Call) -> Answer:
        self._core.threads.join(self._core.world.bot, self._thread(call))
        return NOTHING

    async def _leave(self, call: Call) -> Answer:
        self._core.threads.leave(self._core.world.bot, self._thread(call))
        return NOTHING

    def _thread(self, call: Call) -> Channel:
        channel = self._core.world.channel(call.params["channel_id"])
        if channel.thread is None:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        return channel


def _is_archived(thread: Channel) -> bool:
    return thread.thread is not None and thread.thread.is_archived


def _name(call: Call) -> str:
    name = call.body.get("name")
    if not isinstance(name, str):
        raise invalid_field("name", "BASE_TYPE_REQUIRED", "This field is required")
    return name


def _minutes(call: Call) -> int:
    minutes: int = call.body.get("auto_archive_duration") or _ARCHIVE_MINUTES
    return minutes
