import asyncio
import dataclasses

import pytest

from simulator.edge_tts import Fault, running_edge_tts
from tests.fakes.speaking import Told, written
from tests.fakes.voice_link import FakeLink
from tests.fakes.waiting import until
from voice.engines.protocols import EngineError, SpeechError
from voice.engines.voices import SpeechSettings, list_voices, open_voices
from voice.events import Heard
from voice.mouth import Mouth

NOWHERE = "http://127.0.0.1:9"
TEXT = "Sure, I can do that for you. It is **done** now. Anything else?"


def fast_link() -> FakeLink:
    return FakeLink(people=[1], listeners=[1], packet_seconds=0)


async def said(mouth: Mouth) -> Heard:
    told = Told()
    return await mouth.speak(written(TEXT), began=told.note_began, grew=told.grew.append)


async def test_auto_is_edge_tts_where_it_can_be_reached() -> None:
    async with (
        running_edge_tts() as service,
        open_voices(SpeechSettings(edge_url=service.url)) as voices,
    ):
        await voices.known()
        assert voices.name == "edge-tts en-US-AvaNeural"
        assert await said(Mouth(fast_link(), voices)) == Heard(text=TEXT, is_whole=True)
        assert len(service.requests) == 4


async def test_auto_is_hibari_where_it_cannot() -> None:
    async with open_voices(SpeechSettings(edge_url=NOWHERE)) as voices:
        await voices.known()
        assert voices.name == "hibari heart"
        assert "edge-tts failed" in voices.trouble
        assert await said(Mouth(fast_link(), voices)) == Heard(text=TEXT, is_whole=True)


async def test_a_sentence_that_is_cut_off_is_ended_by_hibari() -> None:
    settings = SpeechSettings(engine="edge")
    async with (
        running_edge_tts() as service,
        open_voices(dataclasses.replace(settings, edge_url=service.url)) as voices,
    ):
        service.fail_next(Fault.CUT)
        assert await said(Mouth(fast_link(), voices)) == Heard(text=TEXT, is_whole=True)
        assert voices.name == "hibari heart"
        assert voices.trouble == (
            "edge-tts cut its speech off; hibari heart speaks until it works again."
        )


async def test_an_interruption_ends_the_requests() -> None:
    settings = SpeechSettings(engine="edge")
    async with (
        running_edge_tts(speed=1.0) as service,
        open_voices(dataclasses.replace(settings, edge_url=service.url)) as voices,
    ):
        mouth = Mouth(link := fast_link(), voices)
        async with asyncio.timeout(10), asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(said(mouth))
            await link.sent(20)
            mouth.stop(1)
        assert speaking.result().interrupted_by == 1
        await until(lambda: not service.connections)


async def test_hibari_alone_asks_no_service() -> None:
    async with open_voices(SpeechSettings(engine="hibari", edge_url=NOWHERE)) as voices:
        await voices.known()
        assert voices.name == "hibari heart"
        assert voices.trouble == ""
        with pytest.raises(EngineError, match="only voice"):
            await voices.use("en-US-AvaNeural")


async def test_another_voice_is_taken_as_it_is_listed() -> None:
    settings = SpeechSettings(engine="edge")
    async with (
        running_edge_tts() as service,
        open_voices(dataclasses.replace(settings, edge_url=service.url)) as voices,
    ):
        await voices.use("DE-de-katjaneural")
        assert voices.name == "edge-tts de-DE-KatjaNeural"
        with pytest.raises(EngineError, match="/voice list"):
            await voices.use("de-DE-NobodyNeural")
        service.fault = Fault.FORBIDDEN
        await voices.use("en-GB-RyanNeural")
        assert voices.name == "edge-tts en-GB-RyanNeural"


async def test_voices_are_listed_for_edge_tts_alone() -> None:
    async with running_edge_tts() as service:
        listed = await list_voices(SpeechSettings(edge_url=service.url))
    assert "en-US-AvaNeural" in {voice.name for voice in listed}
    with pytest.raises(EngineError):
        await list_voices(SpeechSettings(engine="hibari"))
    with pytest.raises(SpeechError):
        await list_voices(SpeechSettings(edge_url=NOWHERE))


@pytest.mark.parametrize("engine", ["piper", "kokoro"])
async def test_an_engine_that_lacks_its_files_is_an_error(engine: str) -> None:
    settings = SpeechSettings(engine="piper" if engine == "piper" else "kokoro")
    with pytest.raises(EngineError, match=r"speech\.model"):
        async with open_voices(settings):
            pass
