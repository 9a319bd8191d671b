"""Threads: who is in them, what becomes of them, and that the bot hears of it."""

from dataclasses import replace

from simulator.discord.account_wire import member_json
from simulator.discord.channel_wire import thread_json, thread_member_json
from simulator.discord.errors import ApiError, invalid_field
from simulator.discord.herald import CHANNELS, Herald
from simulator.discord.model import Account, Channel, ChannelKind, Json, ThreadState
from simulator.discord.world import World

NAME_LENGTH = 100
ARCHIVE_MINUTES = (60, 1440, 4320, 10080)


class Threads:
    """What becomes of threads."""

    def __init__(self, world: World, herald: Herald) -> None:
        self._world = world
        self._herald = herald

    def open(
        self, owner: Account, parent: Channel, name: str, *, at: int, archive_minutes: int = 1440
    ) -> Channel:
        """Open a thread in a channel; who opens it is in it.

        Args:
            owner: Who opens it.
            parent: In which channel.
            name: Its title.
            at: Its id: that of the message from which it is opened, or a new one.
            archive_minutes: After how long without a word it is put away.

        Raises:
            ApiError: If it cannot be opened there.
        """
        check_name(name)
        check_archive_minutes(archive_minutes)
        if parent.kind is not ChannelKind.TEXT:
            raise ApiError(400, 50024, "Cannot execute action on this channel type")
        if at in self._world.channels:
            raise ApiError(400, 160004, "A thread has already been created for this message")
        now = self._world.clock.seconds()
        state = ThreadState(
            owner=owner,
            created_at_seconds=now,
            members={owner.id: now},
            archive_changed_at_seconds=now,
            auto_archive_minutes=archive_minutes,
        )
        thread = self._world.add_thread(parent, name, state, at=at)
        told = thread_json(self._world, thread) | {"newly_created": True}
        self._herald.tell("THREAD_CREATE", told, channel=thread, topic=CHANNELS)
        return thread

    def rename(self, thread: Channel, name: str) -> Channel:
        """Give a thread another title.

        Raises:
            ApiError: If the title is too long or empty.
        """
        check_name(name)
        return self._updated(replace(thread, name=name))

    def change(
        self,
        thread: Channel,
        *,
        is_archived: bool | None = None,
        is_locked: bool | None = None,
        archive_minutes: int | None = None,
    ) -> Channel:
        """Put a thread away or bring it back; what is `None` stays.

        Raises:
            ApiError: If it cannot be put away after that long.
        """
        state = _state(thread)
        if archive_minutes is not None:
            check_archive_minutes(archive_minutes)
            state = replace(state, auto_archive_minutes=archive_minutes)
        if is_locked is not None:
            state = replace(state, is_locked=is_locked)
        if is_archived is not None and is_archived != state.is_archived:
            now = self._world.clock.seconds()
            state = replace(state, is_archived=is_archived, archive_changed_at_seconds=now)
        return self._updated(replace(thread, thread=state))

    def join(self, account: Account, thread: Channel) -> None:
        """Let somebody be in a thread."""
        state = _state(thread)
        if account.id in state.members:
            return
        members = {**state.members, account.id: self._world.clock.seconds()}
        joined = self._kept(replace(thread, thread=replace(state, members=members)))
        told = thread_member_json(self._world, joined, account)
        told |= {"member": member_json(self._world, account), "presence": None}
        self._tell_members(joined, {"added_members": [told]})

    def leave(self, account: Account, thread: Channel) -> None:
        """Let somebody be in a thread no more."""
        state = _state(thread)
        members = {key: when for key, when in state.members.items() if key != account.id}
        left = self._kept(replace(thread, thread=replace(state, members=members)))
        self._tell_members(left, {"removed_member_ids": [str(account.id)]})

    def posted(self, author: Account, thread: Channel, *, is_system: bool) -> None:
        """Take note that somebody wrote in a thread, which brings it back and them into it."""
        now = self._world.channels[thread.id]
        if _state(now).is_archived:
            now = self.change(now, is_archived=False)
        if is_system:
            return
        state = _state(now)
        counted = replace(
            state,
            message_count=state.message_count + 1,
            total_message_count=state.total_message_count + 1,
        )
        now = self._kept(replace(now, thread=counted))
        self.join(author, now)

    def unposted(self, thread: Channel) -> None:
        """Take note that a message in a thread is gone."""
        now = self._world.channels.get(thread.id)
        if now is not None:
            state = _state(now)
            count = max(0, state.message_count - 1)
            self._kept(replace(now, thread=replace(state, message_count=count)))

    def as_list(self, threads: list[Channel]) -> Json:
        """Return threads, and the bot's membership in them."""
        bot = self._world.bot
        mine = [one for one in threads if bot.id in _state(one).members]
        return {
            "threads": [thread_json(self._world, thread) for thread in threads],
            "members": [thread_member_json(self._world, thread, bot) for thread in mine],
        }

    def sync(self, parent: Channel) -> None:
        """Tell the bot of the threads of a channel that it has just come to see."""
        active = [one for one in self._world.threads(parent) if not _state(one).is_archived]
        told = {"channel_ids": [str(parent.id)]} | self.as_list(active)
        self._herald.tell("THREAD_LIST_SYNC", told, channel=parent, topic=CHANNELS)

    def _kept(self, thread: Channel) -> Channel:
        self._world.channels[thread.id] = thread
        return thread

    def _updated(self, thread: Channel) -> Channel:
        self._kept(thread)
        told = thread_json(self._world, thread)
        self._herald.tell("THREAD_UPDATE", told, channel=thread, topic=CHANNELS)
        return thread

    def _tell_members(self, thread: Channel, change: Json) -> None:
        told = {"id": str(thread.id), "member_count": len(_state(thread).members)} | change
        self._herald.tell("THREAD_MEMBERS_UPDATE", told, channel=thread, topic=CHANNELS)


def check_name(name: str) -> None:
    """Refuse a title that Discord would refuse.

    Raises:
        ApiError: If it is empty or too long.
    """
    if not 1 <= len(name) <= NAME_LENGTH:
        raise invalid_field("name", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length.")


def check_archive_minutes(minutes: int) -> None:
    """Refuse any time but those that Discord offers.

    Raises:
        ApiError: If it is another.
    """
    if minutes not in ARCHIVE_MINUTES:
        raise invalid_field(
            "auto_archive_duration", "BASE_TYPE_CHOICES", f"Value must be one of {ARCHIVE_MINUTES}."
        )


def _state(thread: Channel) -> ThreadState:
    assert thread.thread is not None, "not a thread"
    return thread.thread
