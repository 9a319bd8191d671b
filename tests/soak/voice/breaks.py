"""Breaks of a voice connection: how soon people are understood again, or how it is told."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import median

from bot.conversation.line_table import Situation, step_after
from bot.discord_io.voice.options import VoiceOptions
from bot.voice_door import Lost, ThrownOut, VoiceEvent
from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.happenings import VoiceOpened
from simulator.discord.voice.opus import PACKET_SECONDS
from simulator.discord.voice.talker import Talker
from tests.fakes.voice_visit import VoiceVisit, running_voice_visit
from tests.fakes.waiting import until
from tests.soak.findings import Findings

UNDERSTOOD = "after a break, people are understood again within 2 s"
TOLD = "a break that cannot be mended is told in a sentence within 2 s"

LIMIT_SECONDS = 2.0
_GIVE_UP_SECONDS = 15.0
_CALM_SECONDS = 0.3
_SPURT_PACKETS = 50
"""After so many, a client says once more that somebody speaks, as after a pause."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """A line on which somebody talks without a pause, and another channel with somebody else."""

    visit: VoiceVisit
    lounge: VoiceChannel
    other: VoiceChannel

    @property
    def discord(self) -> DiscordSimulator:
        """Where it is."""
        return self.visit.discord


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Something that breaks a connection."""

    name: str
    come: Callable[[Stand], Awaitable[None]]
    is_speaking_told: bool = True


def closed(name: str, code: int | None, *, is_told: bool = True) -> Break:
    """Return the break of a connection that the voice server closes.

    Args:
        name: How it is told.
        code: With which number; `None`: without a word.
        is_told: Whether it is told afterwards who speaks.
    """

    async def come(stand: Stand) -> None:
        await stand.discord.drop_voice(code)

    return Break(name=name, come=come, is_speaking_told=is_told)


async def _move(stand: Stand) -> None:
    stand.discord.move_bot(stand.lounge if stand.other.has_bot else stand.other)


async def _other_server(stand: Stand) -> None:
    stand.discord.change_voice_server()


async def _both(stand: Stand) -> None:
    await stand.discord.drop_gateway()
    await stand.discord.drop_voice(None)


BREAKS: Sequence[Break] = (
    closed("4006, the session is not valid any more", 4006),
    closed("4009, the session has timed out", 4009),
    closed("4014, disconnected, and the bot is in the channel all the same", 4014),
    closed("4015, the voice server has crashed", 4015),
    closed("1006, cut without a word", None),
    closed("4006, and nobody tells who speaks (no op 5)", 4006, is_told=False),
    Break(name="another voice server", come=_other_server),
    Break(name="moved to another channel", come=_move),
    Break(name="the gateway and the voice connection at once", come=_both),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recovery:
    """How a break was survived."""

    seconds: float
    """From the break to the first packet that was understood on a new connection."""
    gap_seconds: float
    """From the last packet before that to it: how long nobody was understood."""


async def breaks(
    folder: Path, findings: Findings, *, times: int, kinds: Sequence[Break] = BREAKS
) -> list[Recovery | None]:
    """Break a connection in each way that often, with the limits that the bot has; see `survive`.

    Args:
        folder: For the Discord; must be empty.
        findings: Takes what is seen.
        times: How often each.
        kinds: In which ways.
    """
    survived: list[Recovery | None] = []
    async with standing(folder) as stand:
        for kind in kinds:
            stand.discord.voice.is_speaking_told = kind.is_speaking_told
            for number in range(times):
                recovery = await survive(stand, kind)
                survived.append(recovery)
                is_soon = recovery is not None and recovery.seconds <= LIMIT_SECONDS
                seen = None if is_soon else f"it took {recovery and recovery.seconds} s"
                findings.check(UNDERSTOOD, f"{kind.name} ({number + 1})", seen)
            findings.figures[kind.name] = _told([each for each in survived[-times:] if each])
    return survived


async def survive(stand: Stand, kind: Break) -> Recovery | None:
    """Break the connection, and return how long it took; `None` if it never came back."""
    visit, clock = stand.visit, asyncio.get_running_loop().time
    await asyncio.sleep(_CALM_SECONDS)
    del visit.heard[:]
    broke_at = clock()
    await kind.come(stand)

    def opened_at() -> float | None:
        found = [each.at_seconds for each in visit.discord.journal.of(VoiceOpened)]
        return found[-1] if found and found[-1] > broke_at else None

    def understood_at() -> float | None:
        opened = opened_at()
        later = [each.at for each in visit.heard if opened is not None and each.at >= opened]
        return later[0] if later else None

    try:
        await until(lambda: understood_at() is not None, timeout_seconds=_GIVE_UP_SECONDS)
    except TimeoutError:
        return None
    again_at, opened = understood_at(), opened_at()
    assert again_at is not None
    assert opened is not None
    before = [each.at for each in visit.heard if each.at < opened]
    return Recovery(
        seconds=again_at - broke_at, gap_seconds=again_at - max(before, default=broke_at)
    )


async def endings(folder: Path, findings: Findings) -> list[str]:
    """Break a connection for good in several ways, and return what people are told of each."""

    async def refuse(discord: DiscordSimulator) -> None:
        await discord.drop_voice(4017)

    async def refuse_again(discord: DiscordSimulator) -> None:
        discord.refuse_next_voice(4017)
        await discord.drop_voice(4006)

    async def throw_out(discord: DiscordSimulator) -> None:
        discord.throw_bot_out()

    ends: dict[str, Callable[[DiscordSimulator], Awaitable[None]]] = {
        "4017, end-to-end encryption is wanted": refuse,
        "4017 at the next connection": refuse_again,
        "thrown out": throw_out,
    }
    sentences = []
    async with standing(folder) as stand:
        for name, come in ends.items():
            if not stand.lounge.has_bot:
                await stand.visit.join(stand.lounge)
            del stand.visit.told[:]
            began_at = asyncio.get_running_loop().time()
            await come(stand.discord)
            event = await _end(stand)
            seconds = asyncio.get_running_loop().time() - began_at
            sentence = "" if event is None else step_after(event, Situation()).written
            is_clear = bool(sentence) and seconds <= LIMIT_SECONDS
            findings.check(TOLD, name, None if is_clear else f"{event} after {seconds:.2f} s")
            findings.figures[name] = f"told after {seconds:.2f} s: “{sentence}”"
            sentences.append(sentence)
    return sentences


@asynccontextmanager
async def standing(folder: Path) -> AsyncGenerator[Stand, None]:
    """Have a line in a channel while the block lasts, in which somebody talks all the time."""
    async with (
        running_discord(folder) as discord,
        running_voice_visit(discord, VoiceOptions()) as visit,
    ):
        lounge, other = discord.voice_channel("Lounge"), discord.voice_channel("Other")
        talkers = [
            discord.person("alice").join_voice(lounge),
            discord.person("bob").join_voice(other),
        ]
        async with asyncio.TaskGroup() as tasks:
            talking = [tasks.create_task(_talk(talker)) for talker in talkers]
            await visit.join(lounge)
            try:
                yield Stand(visit=visit, lounge=lounge, other=other)
            finally:
                for task in talking:
                    task.cancel()


async def _talk(talker: Talker) -> None:
    """Send a packet every 20 ms, until cancelled."""
    for number in count():
        if number % _SPURT_PACKETS == 0:
            talker.announce()
        talker.send_packet(bytes([0x78, *number.to_bytes(4), *range(40)]))
        await asyncio.sleep(PACKET_SECONDS)


async def _end(stand: Stand) -> VoiceEvent | None:
    def ends() -> list[VoiceEvent]:
        return [event for event in stand.visit.told if isinstance(event, Lost | ThrownOut)]

    try:
        await until(lambda: bool(ends()), timeout_seconds=_GIVE_UP_SECONDS)
    except TimeoutError:
        return None
    return ends()[0]


def _told(survived: Sequence[Recovery]) -> str:
    if not survived:
        return "never survived"
    seconds = [each.seconds for each in survived]
    gap = max(each.gap_seconds for each in survived)
    return (
        f"understood again after {median(seconds):.2f} s (p50), {max(seconds):.2f} s (at most) of"
        f" {len(survived)}; nobody was understood for {gap:.2f} s at most"
    )
