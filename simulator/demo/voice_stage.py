"""The stage of the voice demo: who is in the channel, what they say, and what they hear."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from simulator.demo.bot_process import BotProcess
from simulator.demo.chat import Chat
from simulator.demo.report import Report, SpokenWords
from simulator.demo.voice_model import ModelTurn, VoiceModel
from simulator.demo.wavs import Sound
from simulator.demo.wording import sounds_like
from simulator.discord import DiscordSimulator, Person
from simulator.discord.model import Account, Message
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.opus import Samples
from simulator.discord.voice.recording import HeardPacket, HeardSpeech
from simulator.discord.voice.speech import resampled, silence, synthesised, trimmed
from simulator.discord.voice.talker import Said, Talker
from simulator.edge_tts import EdgeTts

Hear = Callable[[Samples], str]
"""Writes down what is said in audio at 48 kHz; called in a worker thread."""

SECONDS = 20.0
"""How long anything is waited for."""

_PAUSE_SECONDS = 0.7
"""So long a silence is the end of what the bot says."""
_RUN_SECONDS = 0.06
"""Packets that are nearer to each other belong to the same sound."""
_LONGEST_TONE_SECONDS = 0.3
_SILENCE_AFTER_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Guest:
    """Somebody in the voice channel."""

    person: Person
    talker: Talker
    slowness: float = 1.0
    """How much slower, and so deeper, they speak than the voice that is shipped."""

    @property
    def account(self) -> Account:
        """Who it is."""
        return self.person.account


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """Something that was said to the bot, and what it answered."""

    label: str
    """What its times are called."""
    said: Said
    model: ModelTurn
    """What reached the model, and what it answered."""
    speech: HeardSpeech
    """What the bot said, as it was heard."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceStage:
    """All that the acts have to do with."""

    discord: DiscordSimulator
    lounge: VoiceChannel
    alice: Guest
    bot: BotProcess
    model: VoiceModel
    edge: EdgeTts
    hear: Hear
    chat: Chat
    report: Report
    sounds: list[Sound] = field(default_factory=list[Sound])
    """What people said."""
    turns: list[SpokenTurn] = field(default_factory=list[SpokenTurn])

    # --- What people do. ------------------------------------------------------------------------

    def come(self, person: Person, *, slowness: float = 1.0) -> Guest:
        """Have somebody join the channel."""
        self.chat.act(person.account, f"joins {self.lounge.name}")
        return Guest(person=person, talker=person.join_voice(self.lounge), slowness=slowness)

    async def say(self, who: Guest, text: str) -> Said:
        """Have somebody say something, and return when it was said."""
        samples = await asyncio.to_thread(synthesised, text)
        # Played slower, the same voice is another person's.
        other = resampled(samples, rate=100, to_rate=round(100 * who.slowness))
        return await self.play(who, other, text)

    async def play(self, who: Guest, samples: Samples, shown: str) -> Said:
        """Have somebody's microphone take up audio at 48 kHz."""
        self.chat.speech(who.account, shown)
        said = await who.talker.speak(samples)
        self.sounds.append(
            Sound(who=who.account.name, at_seconds=said.started_at_seconds, samples=samples)
        )
        return said

    async def ask(self, who: Guest, text: str, *, label: str) -> SpokenTurn:
        """Have somebody say something to the bot, and return its whole answer."""
        number = len(self.model.turns) + 1
        return await self.answer(await self.say(who, text), number, text, label=label)

    async def answer(self, said: Said, number: int, text: str, *, label: str) -> SpokenTurn:
        """Wait for the whole answer to what was just said.

        Args:
            said: When it was said.
            number: Which turn of the model it is.
            text: What was said.
            label: What its times are called.
        """
        turn = await self.model.turn(number, timeout_seconds=SECONDS)
        speech = await self.listen(after_seconds=turn.answered_at_seconds)
        self.understood(text, turn)
        await self.check_heard(label, turn.meant, speech)
        spoken = SpokenTurn(label=label, said=said, model=turn, speech=speech)
        self.turns.append(spoken)
        return spoken

    async def command(self, text: str, **options: str) -> str:
        """Have Alice call a command, and return what it says."""
        given = "".join(f" {key}:{value}" for key, value in options.items())
        self.chat.act(self.alice.account, f"/{text}{given}")
        reply = await self.alice.person.slash(
            self.lounge, text, timeout_seconds=2 * SECONDS, **options
        )
        assert reply.message is not None, "a command answers with a message"
        self.chat.show(reply.message)
        return reply.message.text

    async def sees(self, wanted: Callable[[Message], bool]) -> Message:
        """Wait until Alice sees such a message, and return it."""
        message = await self.alice.person.sees(self.lounge, wanted, timeout_seconds=SECONDS)
        self.chat.show(message)
        return message

    # --- What is heard. -------------------------------------------------------------------------

    async def listen(self, *, after_seconds: float) -> HeardSpeech:
        """Wait until the bot has said something to its end.

        Args:
            after_seconds: What was heard before is no part of it.
        """
        start = await self.hears_start(after_seconds=after_seconds)
        return await self.alice.talker.hears(
            self.discord.bot, after_seconds=start, pause_seconds=_PAUSE_SECONDS
        )

    async def hears_start(self, *, after_seconds: float) -> float:
        """Wait until the bot begins to say something, and return when that was."""
        recording, bot = self.alice.talker.recording, self.discord.bot
        async with asyncio.timeout(SECONDS):
            while True:
                packets = recording.packets(bot, after_seconds=after_seconds)
                if (start := start_of_speech(packets)) is not None:
                    return start
                await recording.changed()

    def packets_since(self, moment: float) -> list[HeardPacket]:
        """Return what Alice has heard of the bot since a moment."""
        return self.alice.talker.recording.packets(self.discord.bot, after_seconds=moment)

    async def says_nothing(self, *, after: Said, seconds: float) -> bool:
        """Wait a while, and say whether the bot has said nothing since somebody spoke."""
        since = after.ended_at_seconds
        await asyncio.sleep(max(0.0, since + seconds - self.discord.seconds()))
        return not self.packets_since(after.started_at_seconds)

    async def check_heard(self, label: str, meant: str, speech: HeardSpeech) -> str:
        """Check by speech-to-text that what was heard is what was meant; returns the former."""
        heard = await self.write_down(speech)
        self.spoke(meant, heard, speech)
        self.report.check(
            f"what it says aloud is what it means ({label})",
            sounds_like(meant, heard),
            f"meant: {meant} · heard: {heard}",
        )
        return heard

    async def write_down(self, speech: HeardSpeech) -> str:
        """Return what is heard in a speech."""
        # Long silence makes models hear things, and so does an end without any.
        audio = np.concatenate([trimmed(speech.samples), silence(_SILENCE_AFTER_SECONDS)])
        return await asyncio.to_thread(self.hear, audio)

    def spoke(self, meant: str, heard: str, speech: HeardSpeech) -> None:
        """Show and keep what the bot said."""
        self.chat.speech(self.discord.bot, meant, remark=f"heard again: {heard}")
        self.report.spoken.append(
            SpokenWords(
                author=self.discord.bot.name,
                meant=meant,
                heard=heard,
                at_seconds=speech.started_at_seconds,
                seconds=speech.ended_at_seconds - speech.started_at_seconds,
            )
        )

    def understood(self, meant: str, turn: ModelTurn) -> None:
        """Check that what somebody said reached the model as they said it."""
        *_, told = turn.told.splitlines()
        heard = told.partition("): ")[2]
        self.report.check(
            "what is said to it is understood",
            sounds_like(meant, heard),
            f"said: {meant} · told the model: {told}",
        )


def start_of_speech(packets: Sequence[HeardPacket]) -> float | None:
    """Return when speech began in what was heard; `None` if that is not known yet.

    What soon ends, with a pause after it, is no speech: it is the tone that tells that a turn was
    heard.
    """
    times = [packet.at_seconds for packet in packets]
    if not times:
        return None
    began = times[0]
    for end, start in pairwise(times):
        if end - began > _LONGEST_TONE_SECONDS:
            break
        if start - end > _RUN_SECONDS:
            began = start
    return began if times[-1] - began > _LONGEST_TONE_SECONDS else None
