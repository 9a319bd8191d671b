"""People who talk in a room, and guests who come and go: each changes the keys of the call."""

import asyncio
import random
from dataclasses import dataclass, field
from itertools import count

from simulator.discord.voice.peers import DaveyPeer
from simulator.discord.voice.talker import Talker
from tests.fakes.libdave_peer import LibdavePeer
from tests.soak.voice.ground import Room
from tests.soak.voice.words import SENTENCES, understood

_PAUSE_SECONDS = (2.0, 9.0)
_STAY_SECONDS = (3.0, 9.0)
_AWAY_SECONDS = (2.0, 8.0)
_NAMED = 0.4
"""How often somebody says the bot's name first."""
_BEGAN_SECONDS = 0.5
"""By so much, the beginning of an utterance may be off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """Something that somebody has said."""

    room: Room
    talker: Talker
    text: str
    began_at: float
    ended_at: float

    def share_understood(self) -> float:
        """Return how much of it was understood, 0 to 1."""
        written = self.room.text_of(
            self.talker,
            since=self.began_at - _BEGAN_SECONDS,
            until=self.ended_at + _BEGAN_SECONDS,
        )
        return understood(self.text, written)


@dataclass
class Crowd:
    """The people of one room."""

    room: Room
    dice: random.Random
    residents: list[Talker]
    said: list[Sentence] = field(default_factory=list[Sentence])
    visits: int = 0
    """How often a guest came."""
    _guests: "count[int]" = field(default_factory=count)

    async def talk(self, talker: Talker, text: str) -> Sentence:
        """Have somebody say something, to the end."""
        spoken = await talker.speak(text)
        sentence = Sentence(
            room=self.room,
            talker=talker,
            text=text,
            began_at=spoken.started_at_seconds,
            ended_at=spoken.ended_at_seconds,
        )
        self.said.append(sentence)
        return sentence

    async def go_on(self, seconds: float) -> None:
        """Have all talk, and guests come and go, for so long; then no guest is there."""
        until = asyncio.get_running_loop().time() + seconds
        async with asyncio.TaskGroup() as tasks:
            for resident in self.residents:
                tasks.create_task(self._chat(resident, until))
            tasks.create_task(self._receive_guests(until))

    async def guest(self) -> Talker:
        """Have somebody come, by the one or the other implementation of the encryption."""
        number = next(self._guests)
        make_peer = LibdavePeer if number % 4 == 3 else DaveyPeer
        # The same few people, again and again: who is new each time has to be remembered.
        person = self.room.discord.person(f"guest {number % 6}")
        talker = person.join_voice(self.room.lounge, make_peer=make_peer, is_deafened=True)
        self.visits += 1
        await self.room.lounge.settled()
        return talker

    async def _chat(self, talker: Talker, until: float) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(self.dice.uniform(*_PAUSE_SECONDS))
            if clock() > until:
                return
            text = self.dice.choice(SENTENCES)
            if self.dice.random() < _NAMED:
                text = f"Papercup, {text[0].lower()}{text[1:]}"
            await self.talk(talker, text)

    async def _receive_guests(self, until: float) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            await asyncio.sleep(self.dice.uniform(*_AWAY_SECONDS))
            if clock() > until:
                return
            guest = await self.guest()
            await self.talk(guest, self.dice.choice(SENTENCES))
            await asyncio.sleep(self.dice.uniform(*_STAY_SECONDS))
            guest.leave()
