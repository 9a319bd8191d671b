"""The thread that sends packets, with a wire that keeps them."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bot.discord_io.voice.playing import Playing
from tests.fakes.waiting import until
from voice.events import SILENCE

SPEECH = [bytes([number]) for number in range(1, 11)]


class FakeWire:
    def __init__(self, *, is_ready: bool = True) -> None:
        self.is_ready = is_ready
        self.sent: list[bytes] = []

    def send(self, opus: bytes) -> bool:
        if self.is_ready:
            self.sent.append(opus)
        return self.is_ready


class BrokenWire(FakeWire):
    def send(self, opus: bytes) -> bool:
        if opus == SPEECH[0] and not self.sent:
            self.sent.append(b"broken")
            raise RuntimeError("broken")
        return super().send(opus)


@pytest.fixture
def told() -> list[bool]:
    return []


@pytest.fixture
async def playing(told: list[bool]) -> AsyncIterator[Playing]:
    made = Playing(told.append)
    made.has_listener = True
    async with made.running():
        yield made


async def test_packets_are_sent_in_order_and_then_silence(
    playing: Playing, told: list[bool]
) -> None:
    wire = FakeWire()
    playing.use(wire)
    playing.add(SPEECH)
    await playing.sent(10)
    assert (playing.sent_count, playing.heard_count, playing.waiting_count) == (10, 10, 0)
    await until(lambda: told == [True, False])
    assert wire.sent == [*SPEECH, *[SILENCE] * 5]


async def test_nothing_is_sent_without_a_wire_and_all_is_kept(playing: Playing) -> None:
    playing.add(SPEECH)
    wire = FakeWire()
    playing.use(wire)
    await playing.sent(3)
    playing.use(None)
    sent = list(wire.sent)
    second = FakeWire()
    playing.use(second)
    await playing.sent(10)
    assert [*sent, *second.sent][:10] == SPEECH
    assert wire.sent == sent


async def test_speech_waits_for_keys_as_long_as_somebody_is_there(playing: Playing) -> None:
    wire = FakeWire(is_ready=False)
    playing.use(wire)
    playing.add(SPEECH[:3])
    wire.is_ready = True
    await playing.sent(3)
    assert (wire.sent[:3], playing.heard_count) == (SPEECH[:3], 3)


async def test_speech_for_which_there_are_no_keys_for_long_goes_by_unheard() -> None:
    playing, wire = Playing(lambda _: None, patience_seconds=0.05), FakeWire(is_ready=False)
    playing.has_listener = True
    async with playing.running():
        playing.use(wire)
        playing.add(SPEECH[:5])
        await playing.sent(5)
        assert (playing.sent_count, playing.heard_count) == (5, 0)
        wire.is_ready = True
        playing.add(SPEECH[5:])
        await playing.sent(10)
        assert (playing.sent_count, playing.heard_count) == (10, 5)


async def test_with_nobody_there_speech_goes_by(playing: Playing) -> None:
    playing.has_listener = False
    playing.use(FakeWire(is_ready=False))
    playing.add(SPEECH[:3])
    await playing.sent(3)
    assert (playing.sent_count, playing.heard_count) == (3, 0)


async def test_a_pause_goes_on_with_the_very_packet(playing: Playing) -> None:
    wire = FakeWire()
    playing.use(wire)
    playing.add(SPEECH)
    await playing.sent(2)
    playing.pause()
    await until(lambda: wire.sent[-5:] == [SILENCE] * 5)
    waiting = playing.waiting_count
    assert waiting == 10 - playing.sent_count
    playing.resume()
    await playing.sent(10)
    assert [opus for opus in wire.sent if opus != SILENCE] == SPEECH


async def test_what_is_dropped_is_not_waited_for(playing: Playing) -> None:
    wire = FakeWire()
    playing.use(wire)
    playing.add(SPEECH)
    await playing.sent(2)
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        tasks.create_task(playing.sent(10))
        tasks.create_task(playing.sent(9))
        await asyncio.sleep(0)
        playing.drop()
    assert (playing.waiting_count, playing.sent_count < 10) == (0, True)
    async with asyncio.timeout(5):
        await playing.sent(10)


async def test_who_gives_up_waiting_harms_nobody(playing: Playing) -> None:
    playing.use(FakeWire())
    playing.add(SPEECH)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await playing.sent(10)
    await playing.sent(10)


async def test_a_packet_that_cannot_be_sent_is_tried_again(
    playing: Playing, caplog: pytest.LogCaptureFixture
) -> None:
    wire = BrokenWire()
    playing.use(wire)
    playing.add(SPEECH[:2])
    await playing.sent(2)
    assert wire.sent[:3] == [b"broken", *SPEECH[:2]]
    assert "a packet of speech could not be sent" in caplog.text


async def test_after_its_end_nothing_is_taken_or_waited_for() -> None:
    playing = Playing(lambda _: None)
    async with playing.running(), asyncio.TaskGroup() as tasks:
        playing.add(SPEECH)
        waiting = tasks.create_task(playing.sent(10))
        await asyncio.sleep(0)
        playing.drop()
    assert waiting.done()
    playing.add(SPEECH)
    await playing.sent(10)
    assert (playing.waiting_count, playing.sent_count) == (0, 0)
