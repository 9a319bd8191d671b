"""Keeps a voice line connected: whatever breaks is made anew, and each end is told."""

import asyncio
import contextlib
import logging
from collections.abc import Callable
from typing import NoReturn

from bot.access import Place
from bot.discord_io.voice.attendance import Attendance
from bot.discord_io.voice.close_codes import Sequel, sequel_of
from bot.discord_io.voice.connection import Connection
from bot.discord_io.voice.deafness import Deafness
from bot.discord_io.voice.dialing import dial, leave
from bot.discord_io.voice.discord_link import DiscordVoiceLink
from bot.discord_io.voice.endings import Broke, ChannelDeleted, Ending, Removed
from bot.discord_io.voice.options import VoiceOptions
from bot.discord_io.voice.reach import Reach, VoiceChannel
from bot.discord_io.voice.roster import Roster
from bot.voice_door import (
    ChannelGone,
    Interrupted,
    JoinTrouble,
    Lost,
    Moved,
    Restored,
    ThrownOut,
    VoiceEvent,
    VoiceJoinError,
)

logger = logging.getLogger(__name__)

_TRIES = 2
"""Of joining: a message may get lost."""
_SILENCE_EVERY = 3
"""At each third sign of life, a frame of silence is sent, too."""

_HOPELESS = {JoinTrouble.NO_PERMISSION, JoinTrouble.FULL, JoinTrouble.NO_ENCRYPTION}


class Supervisor:
    """Looks after one line, from the first connection until it is over.

    Args:
        place: The voice channel.
        reach: The client of the moment.
        roster: Who people are.
        tell: Told what happens.
        options: Limits.
    """

    def __init__(
        self,
        place: Place,
        reach: Reach,
        roster: Roster,
        tell: Callable[[VoiceEvent], None],
        options: VoiceOptions,
    ) -> None:
        self.link = DiscordVoiceLink()
        self.attendance = Attendance(place, reach, roster, self.link, self._say)
        self._reach = reach
        self._tell = tell
        self._options = options
        self._deafness = Deafness(options.deafness)
        self._departed = asyncio.Event()
        """Set while the bot is known to be in no channel."""
        self._serving: Connection | None = None

    @property
    def place(self) -> Place:
        """Where the bot is, or is to be."""
        return self.attendance.place

    async def join(self) -> Connection:
        """Connect for the first time, and learn who is there.

        Raises:
            VoiceJoinError: If it was not possible.
        """
        connection = await self._dialled()
        try:
            await self.attendance.look(is_first=True)
        except BaseException:
            await connection.close()
            raise
        return connection

    async def run(self, connection: Connection) -> None:
        """Keep the line up, beginning with its first connection, until it is over or cancelled."""
        try:
            async with self.link.running():
                last = await self._until_over(connection)
            self._say(last)
        except Exception:
            logger.exception("the supervision of a voice line failed")
            self._say(Lost(trouble=JoinTrouble.TIMED_OUT))

    def bot_is_in(self, place: Place | None) -> None:
        """Know which channel the bot is in; `None`: in none any more."""
        if place is None:
            self._departed.set()
            self.end(Removed())
        elif place != self.place:
            self.attendance.place = place
            self._say(Moved(place=place))

    def end(self, ending: Ending) -> None:
        """Have the present connection end."""
        if self._serving is not None:
            self._serving.end(ending)

    def _say(self, event: VoiceEvent) -> None:
        logger.info("voice line: %s", type(event).__name__)
        try:
            self._tell(event)
        except Exception:
            logger.exception("what happened on a voice line could not be told")

    async def _until_over(self, connection: Connection) -> VoiceEvent:
        """Serve one connection after the other; return what is to be told in the end."""
        while True:
            try:
                ending = await self._serve(connection)
                last = await self._last_word(ending)
            finally:
                await self._hang_up(connection)
            if last is not None:
                return last
            again = await self._redialled(ending)
            if not isinstance(again, Connection):
                return again
            connection = again

    async def _serve(self, connection: Connection) -> Ending:
        self._serving = connection
        self._departed.clear()
        self.link.attach(connection)
        if self.link.rejoins:
            self._say(Restored())
        try:
            async with asyncio.TaskGroup() as tasks:
                chores = [
                    tasks.create_task(self._keep_alive(connection)),
                    tasks.create_task(self._tell_speaking(connection)),
                    tasks.create_task(self.attendance.follow()),
                ]
                ending = await connection.ended_with
                for chore in chores:
                    chore.cancel()
            return ending
        finally:
            self._serving = None
            self.link.detach()

    async def _last_word(self, ending: Ending) -> VoiceEvent | None:
        """Return what is to be told if nothing can be done about an end."""
        sequel = sequel_of(ending.code) if isinstance(ending, Broke) else None
        if sequel is Sequel.NO_ENCRYPTION:
            return Lost(trouble=JoinTrouble.NO_ENCRYPTION)
        if isinstance(ending, ChannelDeleted):
            return ChannelGone()
        if isinstance(ending, Removed) or (sequel is Sequel.ASK_WHY and await self._has_left()):
            return await self._why_out()
        return None

    async def _has_left(self) -> bool:
        """Wait a little for the word that the bot is in no channel any more."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._options.departure_seconds):
                await self._departed.wait()
        return self._departed.is_set()

    async def _why_out(self) -> VoiceEvent:
        """Tell whether the bot was thrown out, or the channel deleted, which is told separately."""
        if self._reach.channel(self.place) is not None:
            await asyncio.sleep(self._options.departure_seconds)
        return ChannelGone() if self._reach.channel(self.place) is None else ThrownOut()

    async def _hang_up(self, connection: Connection) -> None:
        """Leave the channel, and wait for word of it."""
        self._departed.clear()
        await connection.close()
        await self._is_out()

    async def _is_out(self) -> None:
        """Wait for the word that the bot is in no channel, unless there can be none."""
        if self._reach.is_online and self._channel_now() is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._options.leave_seconds):
                    await self._departed.wait()

    def _channel_now(self) -> VoiceChannel | None:
        guild_id = self.place.guild_id
        return None if guild_id is None else self._reach.channel_of(self._reach.own_id, guild_id)

    async def _leave_first(self) -> None:
        """Be in no channel: whoever asks for the one that they are in is not answered.

        When the gateway broke, too, Discord may not have heard that the bot has left.
        """
        channel = self._channel_now()
        if channel is not None:
            self._departed.clear()
            await leave(channel)
            await self._is_out()

    async def _redialled(self, ending: Ending) -> Connection | VoiceEvent:
        """Connect anew; return what is to be told if that is not possible."""
        self._say(Interrupted())
        self.link.rejoins += 1
        trouble = JoinTrouble.OFFLINE
        try:
            async with asyncio.timeout(self._options.give_up_seconds):
                if isinstance(ending, Broke) and sequel_of(ending.code) is Sequel.REDIAL_LATER:
                    await asyncio.sleep(self._options.rate_limited_seconds)
                for pause_seconds in self._options.pauses():
                    await asyncio.sleep(pause_seconds)
                    await self._reach.online()
                    again = await self._tried()
                    if isinstance(again, Connection):
                        return again
                    trouble = again
                    if trouble is JoinTrouble.GONE:
                        return ChannelGone()
                    if trouble in _HOPELESS:
                        break
        except TimeoutError:
            logger.info("a voice line was given up")
        return Lost(trouble=trouble)

    async def _tried(self) -> Connection | JoinTrouble:
        try:
            return await self._dial()
        except VoiceJoinError as error:
            logger.info("a voice line could not be mended yet: %s", error)
            return error.trouble

    async def _dialled(self) -> Connection:
        for _ in range(_TRIES - 1):
            try:
                return await self._dial()
            except VoiceJoinError as error:
                if error.trouble is not JoinTrouble.TIMED_OUT:
                    raise
                logger.info("a voice channel is dialled again: %s", error)
        return await self._dial()

    async def _dial(self) -> Connection:
        await self._leave_first()
        connection = Connection(self.link, self._deafness, self._options)
        await dial(self._reach, self.place, connection, self._options)
        return connection

    async def _keep_alive(self, connection: Connection) -> NoReturn:
        beats = 0
        while True:
            await asyncio.sleep(self._options.keepalive_seconds)
            connection.beat(has_people=bool(self.link.people))
            beats += 1
            if beats % _SILENCE_EVERY == 0:
                self.link.breathe(1)

    async def _tell_speaking(self, connection: Connection) -> NoReturn:
        told = (connection.sessions, False)
        while True:
            await self.link.speaking_changed.wait()
            self.link.speaking_changed.clear()
            # A new session has been told that nobody speaks.
            if connection.sessions != told[0]:
                told = (connection.sessions, False)
                self.link.breathe()
            if told[1] is not self.link.is_speaking:
                told = (connection.sessions, self.link.is_speaking)
                await connection.tell_speaking(is_speaking=told[1])
