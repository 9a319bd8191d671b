"""The real edge-tts, against a stand-in of its service."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any

import numpy as np
import pytest

from simulator.edge_tts import EdgeTts, Fault, running_edge_tts
from tests.fakes.waiting import until
from voice.engines.edge import EdgeOptions, EdgeSpeech, VoiceInfo, list_edge_voices
from voice.engines.protocols import EngineError, SpeechError, SpokenAudio, SpokenWord
from voice.samples import SPEECH_RATE

TEXT = "Sure, I can do that for you & more."
QUICK = {"first_audio_seconds": 0.2, "retry_seconds": 0.2, "gap_seconds": 0.2}


@pytest.fixture
async def service() -> AsyncGenerator[EdgeTts, None]:
    async with running_edge_tts() as service:
        yield service


@pytest.fixture
async def tasks() -> AsyncGenerator[asyncio.TaskGroup, None]:
    async with asyncio.TaskGroup() as tasks:
        yield tasks


Opener = Callable[..., EdgeSpeech]


@pytest.fixture
def engine(service: EdgeTts, tasks: asyncio.TaskGroup) -> Opener:
    def opened(**options: Any) -> EdgeSpeech:
        return EdgeSpeech(EdgeOptions(url=service.url, **options), tasks)

    return opened


async def spoken(speech: EdgeSpeech, text: str = TEXT) -> tuple[float, list[SpokenWord]]:
    audio, words = [], []
    async for item in speech.speak(text):
        if isinstance(item, SpokenAudio):
            audio.append(item.samples)
        else:
            words.append(item)
    return len(np.concatenate(audio)) / SPEECH_RATE, words


async def test_a_text_is_spoken_with_the_times_of_its_words(engine: Opener) -> None:
    seconds, words = await spoken(engine())
    assert 2.0 < seconds < 5.0
    assert [TEXT[: word.text_end].rsplit(maxsplit=1)[-1] for word in words] == [
        word.strip(",.") for word in TEXT.split()
    ]
    times = [word.at_seconds for word in words]
    assert times == sorted(times)
    assert times[-1] < seconds


async def test_voice_rate_and_volume_are_asked_for(service: EdgeTts, engine: Opener) -> None:
    await spoken(engine(voice="en-GB-SoniaNeural", rate="+20%", volume="-10%"))
    (request,) = service.requests
    assert (request.text, request.voice) == (TEXT, "en-GB-SoniaNeural")
    assert request.rate == pytest.approx(1.2)
    assert request.volume == pytest.approx(0.9)
    assert request.with_words


@pytest.mark.parametrize(
    "faults",
    [
        [Fault.FORBIDDEN],
        [Fault.FORBIDDEN, Fault.FORBIDDEN],
        [Fault.UNAVAILABLE],
        [Fault.NO_AUDIO],
    ],
)
async def test_what_fails_before_its_first_audio_is_asked_for_again(
    service: EdgeTts, engine: Opener, faults: list[Fault]
) -> None:
    service.fail_next(*faults)
    assert (await spoken(engine()))[0] > 2.0


async def test_a_service_that_stalls_is_asked_again_without_waiting_for_it_to_close(
    service: EdgeTts, engine: Opener
) -> None:
    service.fail_next(Fault.STALL)
    async with asyncio.timeout(8):
        seconds, _ = await spoken(engine(first_audio_seconds=0.2, retry_seconds=7))
    assert seconds > 2.0


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (Fault.FORBIDDEN, "answered 403"),
        (Fault.UNAVAILABLE, "answered 503"),
        (Fault.NO_AUDIO, "No audio was received"),
        (Fault.STALL, r"no audio for 0\.2 s"),
    ],
)
async def test_what_fails_twice_is_an_error_that_tells_no_token(
    service: EdgeTts, engine: Opener, fault: Fault, reason: str
) -> None:
    service.fault = fault
    quick = QUICK if fault is Fault.STALL else {}
    with pytest.raises(SpeechError, match=reason) as raised:
        await spoken(engine(**quick))
    assert "Token" not in str(raised.value)


@pytest.mark.parametrize(
    ("fault", "reason"), [(Fault.CUT, "cut its speech off"), (Fault.STALL_HALFWAY, "no audio for")]
)
async def test_what_is_cut_off_is_an_error_after_what_has_come(
    service: EdgeTts, engine: Opener, fault: Fault, reason: str
) -> None:
    service.fail_next(fault)
    pieces = list[SpokenAudio]()

    async def speak() -> None:
        async for item in engine(gap_seconds=0.3).speak(TEXT):
            if isinstance(item, SpokenAudio):
                pieces.append(item)

    with pytest.raises(SpeechError, match=reason):
        await speak()
    assert sum(len(piece.samples) for piece in pieces) > SPEECH_RATE
    assert len(service.requests) == 1


async def test_a_speech_can_be_left_while_the_service_stalls(
    service: EdgeTts, engine: Opener
) -> None:
    service.fail_next(Fault.STALL)

    async def speak() -> None:
        await spoken(engine(first_audio_seconds=20))

    async with asyncio.timeout(8), asyncio.TaskGroup() as tasks:
        speaking = tasks.create_task(speak())
        await service.asked(1)
        speaking.cancel()
    await until(lambda: not service.connections)


async def test_a_service_that_is_not_there_is_an_error(tasks: asyncio.TaskGroup) -> None:
    nowhere = "http://127.0.0.1:9"
    with pytest.raises(SpeechError, match="edge-tts failed"):
        await spoken(EdgeSpeech(EdgeOptions(url=nowhere), tasks))
    with pytest.raises(SpeechError, match="does not list its voices"):
        await list_edge_voices(nowhere)


async def test_whether_the_service_speaks_can_be_tried(service: EdgeTts, engine: Opener) -> None:
    assert await engine().trouble() == ""
    service.fault = Fault.UNAVAILABLE
    assert "503" in await engine().trouble()


async def test_voices_are_listed_by_language(service: EdgeTts) -> None:
    voices = await list_edge_voices(service.url)
    assert VoiceInfo(name="de-DE-KatjaNeural", language="de-DE", gender="Female") in voices
    assert [voice.language for voice in voices] == sorted(voice.language for voice in voices)


async def test_a_refused_list_is_an_error(service: EdgeTts) -> None:
    service.fault = Fault.FORBIDDEN
    with pytest.raises(SpeechError, match="answered 403"):
        await list_edge_voices(service.url)


@pytest.mark.parametrize("voice", ["Ava", "en-US-Ava' /><x", ""])
def test_what_can_be_no_voice_is_refused(voice: str) -> None:
    with pytest.raises(EngineError, match="/voice list"):
        EdgeSpeech(EdgeOptions(voice=voice), asyncio.TaskGroup())


@pytest.mark.parametrize(
    "voice", ["en-US-AvaNeural", "zh-CN-liaoning-XiaobeiNeural", "fil-PH-AngeloNeural"]
)
def test_the_names_of_the_service_are_taken(voice: str) -> None:
    speech = EdgeSpeech(EdgeOptions(voice=voice), asyncio.TaskGroup())
    assert speech.name == f"edge-tts {voice}"
