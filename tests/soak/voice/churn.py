"""Joins and leaves of which each changes the keys, while somebody talks and nobody tells who."""

import asyncio
import random
from contextlib import suppress
from itertools import count
from pathlib import Path

from bot.discord_io.voice.options import VoiceOptions
from simulator.discord import running_discord
from simulator.discord.voice.channel import VoiceChannel
from simulator.discord.voice.happenings import CallRekeyed
from simulator.discord.voice.opus import PACKET_SECONDS
from simulator.discord.voice.peers import DaveyPeer
from simulator.discord.voice.talker import Talker
from tests.fakes.libdave_peer import LibdavePeer
from tests.fakes.voice_visit import VoiceVisit, running_voice_visit
from tests.fakes.waiting import until
from tests.soak.findings import Findings

DECRYPTED = "every packet is decrypted, and known to be whose it is, without op 5"

_MOST_PEOPLE = 7
_LEAVES = 0.45
_PACKETS_EACH = 3
_WAIT_SECONDS = 3.0


class _Talk:
    """Who says what: no two packets are the same."""

    def __init__(self) -> None:
        self.sent: dict[bytes, int] = {}
        """The packets that could be sent, and who sent them."""
        self._number = count()

    def send(self, talker: Talker) -> None:
        """Have somebody send a packet."""
        packet = bytes([0x78, *next(self._number).to_bytes(8), *range(30)])
        if talker.send_packet(packet):
            self.sent[packet] = talker.id

    async def go_on(self, talker: Talker) -> None:
        """Have somebody talk without a pause, until cancelled."""
        while True:
            self.send(talker)
            await asyncio.sleep(PACKET_SECONDS)


async def churn(folder: Path, findings: Findings, *, changes: int, seed: int) -> None:
    """Have people come and go that often, each by davey or libdave, and count packets.

    Args:
        folder: For the Discord; must be empty.
        findings: Takes what is seen.
        changes: How many joins and leaves.
        seed: Tells who comes and goes.
    """
    async with (
        running_discord(folder) as discord,
        running_voice_visit(discord, VoiceOptions()) as visit,
    ):
        discord.voice.is_speaking_told = False
        lounge = discord.voice_channel("Lounge")
        first = discord.person("alice").join_voice(lounge)
        line = await visit.join(lounge)
        talk, dice = _Talk(), random.Random(seed)  # noqa: S311 - it can be repeated
        async with asyncio.TaskGroup() as tasks:
            going_on = tasks.create_task(talk.go_on(first))
            joins = await _come_and_go(visit, lounge, talk, dice, changes)
            going_on.cancel()
        missing = await _missing(visit, talk)
        rekeyed = len(list(discord.journal.of(CallRekeyed)))
        counts = line.report().counts
    findings.looked_at[DECRYPTED] += len(talk.sent) - len(missing)
    for packet in missing:
        findings.check(DECRYPTED, packet.hex(), f"of person {talk.sent[packet]}: {counts}")
    findings.figures["joins and leaves without op 5"] = (
        f"{joins} and {changes - joins}, {rekeyed} times new keys;"
        f" {len(talk.sent) - len(missing)} of {len(talk.sent)} packets decrypted,"
        f" {counts.get('speaker found by trial', 0)} speakers found by trial"
    )


async def _come_and_go(
    visit: VoiceVisit, lounge: VoiceChannel, talk: _Talk, dice: random.Random, changes: int
) -> int:
    """Return how many joined."""
    guests: list[Talker] = []
    joins = 0
    for number in range(changes):
        if guests and (len(guests) >= _MOST_PEOPLE or dice.random() < _LEAVES):
            guests.pop(dice.randrange(len(guests))).leave()
        else:
            person, joins = visit.discord.person(f"guest {number}"), joins + 1
            # They hear nobody: only what the bot hears is looked at.
            peer = LibdavePeer if number % 2 else DaveyPeer
            guests.append(person.join_voice(lounge, is_deafened=True, make_peer=peer))
        await lounge.settled()
        for _ in range(_PACKETS_EACH):
            for guest in guests:
                talk.send(guest)
            await asyncio.sleep(PACKET_SECONDS)
    return joins


async def _missing(visit: VoiceVisit, talk: _Talk) -> list[bytes]:
    """Return the packets that were not decrypted, or taken for somebody else's."""

    with suppress(TimeoutError):
        await until(lambda: len(visit.heard) >= len(talk.sent), timeout_seconds=_WAIT_SECONDS)
    came = {packet.opus: packet.person_id for packet in visit.heard}
    return [packet for packet, who in talk.sent.items() if came.get(packet) != who]
