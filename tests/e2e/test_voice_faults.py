"""Voice lines under faults; `just soak --only voice` does all of it for longer, and measures it."""

import asyncio
import random
from pathlib import Path

import pytest

from tests.fakes.waiting import until
from tests.soak.findings import Findings
from tests.soak.voice.breaks import breaks, closed, endings
from tests.soak.voice.crowd import Crowd
from tests.soak.voice.ground import Room, open_ground
from tests.soak.voice.long_talk import NETWORK
from tests.soak.voice.sounds import NO_WORDS, noises
from tests.soak.voice.words import SENTENCES, understood

NOISES = ("keys, fast", "chords", "breath", "siren", "drums", "white noise, loud")
UNDERSTOOD_SHARE = 0.5
"""Of the words: some are lost with their packets."""


async def test_a_connection_that_breaks_comes_back_with_the_bots_own_limits_or_it_is_told(
    tmp_path: Path,
) -> None:
    findings, kinds = Findings(), [closed("cut", None), closed("no op 5", 4006, is_told=False)]
    for name in ("breaks", "endings"):
        (tmp_path / name).mkdir()
    recoveries = await breaks(tmp_path / "breaks", findings, times=1, kinds=kinds)
    sentences = await endings(tmp_path / "endings", findings)
    assert [recovery is not None for recovery in recoveries] == [True, True]
    assert all(sentences)


@pytest.mark.timeout(120)
async def test_a_line_hears_people_and_not_noises_on_a_bad_network_that_breaks(
    tmp_path: Path,
) -> None:
    findings = Findings()
    async with asyncio.timeout(110), open_ground(tmp_path, 2) as ground:
        noisy, bad = ground.rooms
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(noises(ground, findings, NOISES, rooms=[noisy]))
            talking = tasks.create_task(talk_on_a_bad_network(bad))
        look = await ground.quiet()
        # Sentences that follow one another at once are written down as one utterance.
        shares = [understood(each.text, bad.text_of(each.talker)) for each in talking.result().said]
        errors = ground.logged_errors()

    assert findings.violations == []
    assert findings.looked_at[NO_WORDS] == len(NOISES)
    before, _, *after = shares  # what is said in the break itself may be lost
    assert len(after) == 2
    assert min(before, *after) >= UNDERSTOOD_SHARE, shares
    assert bad.turns()
    assert look.lines[bad.number].rejoins == 1
    assert (errors, [line.troubles for line in look.lines]) == ([], [[], []])


async def talk_on_a_bad_network(room: Room) -> Crowd:
    """Have somebody talk before a break, in it, and after it, and somebody new as well."""
    room.discord.worsen_network(NETWORK, of_bot=NETWORK)
    olga = room.discord.person("olga").join_voice(room.lounge)
    await room.lounge.settled()
    dice = random.Random(1)  # noqa: S311 - the same each time
    crowd = Crowd(room, dice, [olga])
    await crowd.talk(olga, SENTENCES[0])
    # While she is alone: once the guest is there, it need not be meant for the bot.
    await until(lambda: bool(room.turns()))
    await room.discord.drop_voice(None)
    await room.lounge.connected()
    await crowd.talk(olga, SENTENCES[1])
    await crowd.talk(olga, SENTENCES[2])
    await crowd.talk(await crowd.guest(), SENTENCES[3])
    return crowd
