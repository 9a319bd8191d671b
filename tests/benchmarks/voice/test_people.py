import asyncio
import time

import numpy as np

from benchmarks.voice.clips import Clip
from benchmarks.voice.loopback_link import running_link
from benchmarks.voice.people import running_people
from voice.events import SILENCE, HeardPacket
from voice.samples import HEARING_RATE

CLIP = Clip(
    name="noise",
    text="",
    audio=np.random.default_rng(1).uniform(-0.1, 0.1, HEARING_RATE // 10).astype(np.float32),
)


async def test_somebody_says_a_clip_and_hears_what_a_line_plays() -> None:
    heard: list[HeardPacket] = []
    is_over = asyncio.Event()

    def hear(packet: HeardPacket) -> None:
        heard.append(packet)
        if len(heard) == 10:
            is_over.set()

    async with (
        asyncio.timeout(10),
        running_people() as people,
        running_link(7, people.port) as link,
    ):
        link.listen(hear)
        await people.learn(CLIP)
        began = time.monotonic()
        people.say(CLIP, port=link.port, person_id=7, at=began, seed=1)
        await is_over.wait()
        link.play([b"\x78one", b"\x78two"])
        await link.sent(2)

    assert [packet.opus == SILENCE for packet in heard] == [False] * 5 + [True] * 5
    assert [packet.sequence for packet in heard] == list(range(10))
    assert {packet.person_id for packet in heard} == {7}
    assert heard[-1].at >= began + 10 * 0.02 - 0.01
    assert len(link.sent_at) == 2
    assert people.lateness.p99 >= people.lateness.p50 >= 0
