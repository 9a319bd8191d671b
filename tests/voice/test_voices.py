from collections.abc import AsyncGenerator

import numpy as np
import pytest

from tests.fakes.speaking import SECONDS_PER_WORD, FakeVoice
from voice.engines.protocols import (
    EngineError,
    SpeechError,
    SpokenAudio,
    SpokenWord,
    TextToSpeech,
)
from voice.reach import Reach
from voice.samples import SPEECH_RATE
from voice.voices import Voices

TEXT = "one two three four"


async def spoken(voice: TextToSpeech, text: str) -> tuple[float, list[tuple[int, float]]]:
    """Return the seconds of a speech, and its words."""
    samples, words = 0, list[tuple[int, float]]()
    async for item in voice.speak(text):
        if isinstance(item, SpokenAudio):
            samples += len(item.samples)
        else:
            words.append((item.text_end, round(item.at_seconds, 3)))
    return samples / SPEECH_RATE, words


async def never() -> str:
    raise AssertionError("nobody asked for that")


async def test_the_voice_that_is_wanted_speaks() -> None:
    primary, fallback = FakeVoice("primary"), FakeVoice("fallback")
    turn = Voices(primary, fallback).for_turn()
    assert (await spoken(turn, TEXT))[0] == pytest.approx(4 * SECONDS_PER_WORD)
    assert fallback.asked == []
    assert turn.name == "primary"


async def test_without_one_the_other_speaks() -> None:
    fallback = FakeVoice("fallback")
    await spoken(Voices(None, fallback).for_turn(), TEXT)
    assert fallback.asked == [TEXT]


async def test_once_it_has_failed_the_other_one_speaks_for_the_rest_of_the_turn() -> None:
    primary, fallback = FakeVoice("primary", failures={TEXT: 0}), FakeVoice("fallback")
    voices = Voices(primary, fallback)
    turn = voices.for_turn()
    await spoken(turn, TEXT)
    await spoken(turn, "and this")
    assert (primary.asked, fallback.asked) == ([TEXT], [TEXT, "and this"])
    assert turn.is_fallback
    await spoken(voices.for_turn(), "and that")
    assert primary.asked == [TEXT, "and that"]


async def test_the_other_one_goes_on_with_the_word_at_which_it_failed() -> None:
    primary, fallback = FakeVoice("primary", failures={TEXT: 2}), FakeVoice("fallback")
    seconds, words = await spoken(Voices(primary, fallback).for_turn(), TEXT)
    assert fallback.asked == [" three four"]
    assert seconds == pytest.approx(4 * SECONDS_PER_WORD)
    assert words == [(3, 0.2), (7, 0.4), (13, 0.6), (18, 0.8)]


async def test_without_word_times_it_goes_on_about_where_it_failed() -> None:
    text = "one two three four five six seven eight"
    primary = FakeVoice("primary", failures={text: 5}, tells_words=False)
    fallback = FakeVoice("fallback")
    await spoken(Voices(primary, fallback).for_turn(), text)
    assert fallback.asked == ["four five six seven eight"]


async def test_what_fails_after_the_last_word_is_not_said_again() -> None:
    class Late(FakeVoice):
        async def items(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
            async for item in super().items(text):
                yield item
            raise SpeechError("too late")

    fallback = FakeVoice("fallback")
    seconds, _ = await spoken(Voices(Late(), fallback).for_turn(), TEXT)
    assert fallback.asked == []
    assert seconds == pytest.approx(0.8)


async def test_that_neither_can_speak_is_an_error() -> None:
    turn = Voices(FakeVoice(failures={TEXT: 0}), FakeVoice(failures={TEXT: 0})).for_turn()
    with pytest.raises(SpeechError):
        await spoken(turn, TEXT)


async def test_a_voice_that_has_failed_is_left_out_until_it_has_been_tried() -> None:
    primary, fallback = FakeVoice("primary", failures={TEXT: 0}), FakeVoice("fallback")
    voices = Voices(primary, fallback, reach=Reach(never, is_assumed=True))
    await spoken(voices.for_turn(), TEXT)
    assert voices.name == "fallback"
    assert voices.trouble == "primary is hoarse; fallback speaks until it works again."
    await spoken(voices.for_line().for_turn(), "and that")
    assert primary.asked == [TEXT]
    assert voices.engines == (fallback,)


async def test_another_voice_speaks_on_one_line_alone() -> None:
    async def find(name: str) -> TextToSpeech:
        if name == "nobody":
            raise EngineError("there is no such voice")
        return FakeVoice(name)

    shared = Voices(FakeVoice("usual"), FakeVoice("fallback"), find=find)
    line = shared.for_line()
    await line.use("special")
    assert (line.name, shared.name) == ("special", "usual")
    with pytest.raises(EngineError):
        await line.use("nobody")
    assert line.name == "special"


async def test_where_there_is_one_voice_no_other_can_be_used() -> None:
    with pytest.raises(EngineError, match="only voice"):
        await Voices(None, FakeVoice("hibari heart")).use("another")


async def test_a_speech_is_audio_and_words() -> None:
    items = [item async for item in FakeVoice().speak("one")]
    assert items[0] == SpokenWord(text_end=3, at_seconds=0.2)
    assert isinstance(items[1], SpokenAudio)
    assert items[1].samples.dtype == np.float32
