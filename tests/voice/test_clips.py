import asyncio

import numpy as np
import pytest

from tests.fakes.speaking import FakeVoice
from voice.clips import FILLERS, Clips, FillerShelf, fillers_for, tone
from voice.opus import OpusDecoder
from voice.reach import Reach
from voice.samples import SPEECH_RATE
from voice.voices import Voices


def test_the_tone_is_short_and_soft_and_made_once() -> None:
    clip = tone()
    decoder = OpusDecoder(SPEECH_RATE)
    audio = np.concatenate([decoder.decode(packet) for packet in clip.packets])
    assert clip.seconds == pytest.approx(0.18, abs=0.02)
    assert 0.02 < float(np.max(np.abs(audio))) < 0.1
    assert tone() is clip
    assert clip.text == ""


async def test_there_are_no_fillers_before_they_were_made() -> None:
    clips = Clips(Voices(None, FakeVoice()))
    assert clips.filler(0) is None
    await clips.prepare()
    filler = clips.filler(0)
    assert filler is not None
    assert filler.text == "Let me see."
    assert filler.seconds == pytest.approx(0.6, abs=0.04)


async def test_fillers_take_turns() -> None:
    clips = Clips(Voices(None, FakeVoice()))
    await clips.prepare()
    texts = [filler.text for number in range(6) if (filler := clips.filler(number))]
    assert texts == [*FILLERS["en"]] * 2


async def test_they_are_made_once_for_all_lines_with_a_voice() -> None:
    voice, shelf = FakeVoice(), FillerShelf()
    voices = Voices(None, voice)
    await Clips(voices, shelf).prepare()
    await Clips(voices.for_line(), shelf).prepare()
    assert len(voice.asked) == len(FILLERS["en"])


async def test_each_voice_has_its_own() -> None:
    clips = Clips(Voices(FakeVoice("edge-tts de-DE-KatjaNeural"), FakeVoice("hibari heart")))
    await clips.prepare()
    filler = clips.filler(0)
    assert filler is not None
    assert filler.text == "Mal sehen."


async def test_a_voice_that_cannot_speak_has_none_for_now() -> None:
    voice = FakeVoice(failures={"Let me see.": 0})
    clips = Clips(Voices(None, voice))
    await clips.prepare()
    assert clips.filler(0) is None
    voice.failures.clear()
    await clips.prepare()
    assert clips.filler(0) is not None


async def test_a_voice_that_turns_out_to_be_reachable_has_its_own_as_well() -> None:
    async def works() -> str:
        return ""

    reach = Reach(works, is_assumed=False)
    edge, hibari = FakeVoice("edge-tts de-DE-KatjaNeural"), FakeVoice("hibari heart")
    clips = Clips(Voices(edge, hibari, reach=reach))
    async with asyncio.timeout(5), asyncio.TaskGroup() as tasks:
        preparing = tasks.create_task(clips.prepare())
        probing = tasks.create_task(reach.run())
        await preparing
        probing.cancel()

    assert hibari.asked == [*FILLERS["en"]]
    filler = clips.filler(0)
    assert filler is not None
    assert filler.text == "Mal sehen."


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("hibari heart", "en"),
        ("edge-tts en-GB-SoniaNeural", "en"),
        ("edge-tts fr-FR-DeniseNeural", "fr"),
        ("piper de_DE-thorsten-medium", "de"),
        ("edge-tts cy-GB-NiaNeural", "en"),
        ("kokoro af_heart", "en"),
    ],
)
def test_fillers_are_in_the_language_of_the_voice(name: str, language: str) -> None:
    assert fillers_for(name) == FILLERS[language]
