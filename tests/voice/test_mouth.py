import asyncio
from collections.abc import AsyncGenerator, Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest

from tests.fakes.speaking import FakeVoice, Told, written
from tests.fakes.virtual_clock import run_on_virtual_clock
from tests.fakes.voice_link import FakeLink
from voice.clips import tone
from voice.engines.protocols import SpokenAudio, SpokenWord
from voice.events import Heard
from voice.mouth import Mouth
from voice.voices import Voices

USER = 7
SENTENCES = ("One two three four five. ", "Six seven eight. ", "Nine ten eleven. ", "Twelve. ")
ALL = "".join(SENTENCES).strip()


class Scene:
    """A mouth whose link and voices are at hand."""

    def __init__(self, primary: FakeVoice | None = None) -> None:
        self.link = FakeLink(people=[USER], listeners=[USER])
        self.primary = primary
        self.fallback = FakeVoice("fallback")
        self.mouth = Mouth(self.link, Voices(primary, self.fallback))
        self.told = Told()

    async def speak(self, *pieces: str) -> Heard:
        return await self.speak_all(written(*pieces))

    async def speak_all(self, pieces: AsyncGenerator[str, None]) -> Heard:
        told = self.told
        return await self.mouth.speak(pieces, began=told.note_began, grew=told.grew.append)


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    run_on_virtual_clock(scenario())


def test_a_text_is_spoken_sentence_by_sentence_and_heard_to_its_end() -> None:
    async def scenario() -> None:
        scene = Scene()
        heard = await scene.speak(*SENTENCES)
        assert heard == Heard(text=ALL, is_whole=True)
        assert scene.fallback.asked == [sentence.strip() for sentence in SENTENCES]
        assert len(scene.link.sent_packets) == pytest.approx(12 * 10, abs=4)
        assert not scene.mouth.is_speaking

    run(scenario)


def test_it_tells_of_its_first_packet_and_of_each_sentence() -> None:
    async def scenario() -> None:
        scene = Scene(FakeVoice(seconds_before=0.5))
        await scene.speak(*SENTENCES[:2])
        assert scene.told.began == [0.5]
        assert scene.told.grew == [
            "One two three four five.",
            "One two three four five. Six seven eight.",
        ]

    run(scenario)


def test_the_first_sentence_is_spoken_while_the_second_is_still_being_written() -> None:
    async def scenario() -> None:
        scene = Scene()

        async def pieces() -> AsyncGenerator[str, None]:
            yield "One two three. Four"
            await scene.link.sent(20)
            yield " five."

        assert await scene.speak_all(pieces()) == Heard(
            text="One two three. Four five.", is_whole=True
        )

    run(scenario)


def test_no_more_than_two_sentences_are_made_ahead() -> None:
    async def scenario() -> None:
        scene = Scene(FakeVoice())
        sentences = [f"Sentence number {number} is this. " for number in range(12)]
        ahead: list[int] = []

        async def watch() -> None:
            assert scene.primary is not None
            while True:
                await asyncio.sleep(0.1)
                sent = scene.link.sent_count // 50
                ahead.append(len(scene.primary.asked) - 1 - sent)

        async with asyncio.TaskGroup() as tasks:
            watching = tasks.create_task(watch())
            assert (await scene.speak(*sentences)).is_whole
            watching.cancel()
        assert max(ahead) == 2

    run(scenario)


def test_the_next_sentence_is_asked_for_while_the_first_is_being_played() -> None:
    async def scenario() -> None:
        scene = Scene(FakeVoice(seconds_before=0.3))
        await scene.speak(*SENTENCES[:3])
        times = [packet.at for packet in scene.link.sent_packets]
        pauses = [after - before for before, after in pairwise(times) if after - before > 0.03]
        assert pauses == []

    run(scenario)


def test_at_most_two_sentences_are_in_flight() -> None:
    async def scenario() -> None:
        voice = FakeVoice(seconds_before=5.0)
        await Scene(voice).speak(*SENTENCES)
        assert voice.most_in_flight <= 2

    run(scenario)


def test_who_interrupts_is_told_with_what_was_heard_until_then() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(75)
            scene.mouth.stop(USER)
        assert speaking.result() == Heard(
            text="One two three four five. Six seven", is_whole=False, interrupted_by=USER
        )
        assert scene.link.waiting_count == 0
        assert scene.link.sent_count == 75
        assert not scene.mouth.is_speaking

    run(scenario)


def test_it_is_interrupted_while_it_is_paused() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(30)
            scene.mouth.pause()
            await asyncio.sleep(1)
            scene.mouth.stop(USER)
        assert speaking.result().text == "One two three"
        assert not scene.link.is_paused

    run(scenario)


def test_a_pause_goes_on_with_the_very_packet() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(30)
            scene.mouth.pause()
            await asyncio.sleep(3)
            assert scene.link.sent_count == 30
            scene.mouth.resume()
        assert speaking.result() == Heard(text=ALL, is_whole=True)

    run(scenario)


def test_stopped_before_its_first_packet_nothing_was_heard() -> None:
    async def scenario() -> None:
        scene = Scene(FakeVoice(seconds_before=2.0))
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak(*SENTENCES))
            await asyncio.sleep(1)
            scene.mouth.stop()
        assert speaking.result() == Heard(text="", is_whole=False)
        assert scene.link.sent_count == 0
        assert scene.told.began == []

    run(scenario)


def test_after_an_interruption_the_next_speech_is_heard_whole() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(15)
            scene.mouth.stop(USER)
        assert await scene.speak("All right.") == Heard(text="All right.", is_whole=True)

    run(scenario)


def test_whoever_writes_is_closed_when_the_speech_is_stopped() -> None:
    async def scenario() -> None:
        scene = Scene()
        is_closed = asyncio.Event()

        async def pieces() -> AsyncGenerator[str, None]:
            try:
                yield SENTENCES[0]
                await asyncio.Event().wait()
            finally:
                is_closed.set()

        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(scene.speak_all(pieces()))
            await scene.link.sent(5)
            scene.mouth.stop()
        assert is_closed.is_set()

    run(scenario)


def test_an_error_of_the_writer_ends_the_speech_and_is_told() -> None:
    async def scenario() -> None:
        scene = Scene()

        async def pieces() -> AsyncGenerator[str, None]:
            yield SENTENCES[0]
            await scene.link.sent(5)
            raise LookupError("the answer is gone")

        with pytest.raises(LookupError):
            await scene.speak_all(pieces())
        assert scene.link.waiting_count == 0
        assert not scene.mouth.is_speaking

    run(scenario)


def test_cancelled_it_says_no_more() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(5)
            speaking.cancel()
        assert scene.link.waiting_count == 0
        assert speaking.cancelled()

    run(scenario)


def test_two_speeches_at_once_are_refused() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(5)
            with pytest.raises(RuntimeError):
                await scene.speak("Me too.")

    run(scenario)


def test_what_nobody_was_there_to_hear_is_not_heard_whole() -> None:
    async def scenario() -> None:
        scene = Scene()
        scene.link.listeners.clear()
        assert await scene.speak("Hello there.") == Heard(text="Hello there.", is_whole=False)

    run(scenario)


def test_who_left_before_the_end_has_not_heard_it_whole() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(110)
            scene.link.listeners.clear()
        assert not speaking.result().is_whole

    run(scenario)


def test_who_came_before_the_end_has_heard_it() -> None:
    async def scenario() -> None:
        scene = Scene()
        scene.link.listeners.clear()
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(50)
            scene.link.listeners.append(USER)
        assert speaking.result().is_whole

    run(scenario)


def test_what_nobody_was_there_to_hear_is_not_heard_whole_though_its_end_came_late() -> None:
    async def pieces() -> AsyncGenerator[str, None]:
        yield "Hello there. "
        await asyncio.sleep(60)

    async def scenario() -> None:
        scene = Scene()
        assert (await scene.speak_all(pieces())).is_whole
        scene.link.listeners.clear()
        assert await scene.speak_all(pieces()) == Heard(text="Hello there.", is_whole=False)

    run(scenario)


@pytest.mark.parametrize("text", ["", "   ", "---\n"])
def test_of_a_text_with_nothing_to_say_nothing_is_heard(text: str) -> None:
    async def scenario() -> None:
        scene = Scene()
        assert await scene.speak(text) == Heard(text="", is_whole=False)
        assert scene.link.sent_count == 0
        assert scene.told == Told()

    run(scenario)


def test_a_break_of_the_connection_only_delays_it() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak(*SENTENCES))
            await scene.link.sent(30)
            scene.link.is_connected = False
            await asyncio.sleep(5)
            scene.link.restore()
        assert speaking.result() == Heard(text=ALL, is_whole=True)

    run(scenario)


def test_a_voice_that_fails_is_not_heard_again_in_that_speech() -> None:
    async def scenario() -> None:
        primary = FakeVoice("primary", failures={"Six seven eight.": 1})
        scene = Scene(primary)
        assert await scene.speak(*SENTENCES) == Heard(text=ALL, is_whole=True)
        assert set(scene.fallback.asked) >= {"Six seven eight.", "Nine ten eleven.", "Twelve."}
        assert len(scene.link.sent_packets) == pytest.approx(12 * 10, abs=4)

    run(scenario)


def test_a_sentence_that_was_begun_by_the_failed_voice_is_made_anew() -> None:
    async def scenario() -> None:
        class Slow(FakeVoice):
            async def items(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
                async for item in super().items(text):
                    await asyncio.sleep(0.05 if text.startswith("One") else 0)
                    yield item

        primary = Slow("primary", failures={"One two three four five.": 4})
        scene = Scene(primary)
        assert await scene.speak(*SENTENCES) == Heard(text=ALL, is_whole=True)
        assert "Six seven eight." in primary.asked
        assert set(scene.fallback.asked) == {" five.", *map(str.strip, SENTENCES[1:])}
        assert len(scene.link.sent_packets) == pytest.approx(12 * 10, abs=4)

    run(scenario)


def test_what_no_voice_can_speak_is_left_out() -> None:
    async def scenario() -> None:
        scene = Scene()
        scene.fallback.failures["Six seven eight."] = 0
        heard = await scene.speak(*SENTENCES)
        assert heard == Heard(
            text="One two three four five. Nine ten eleven. Twelve.", is_whole=False
        )
        assert scene.fallback.asked[-1] == "Twelve."
        assert len(scene.link.sent_packets) == pytest.approx(9 * 10, abs=3)

    run(scenario)


def test_a_clip_is_played_after_what_is_being_said() -> None:
    async def scenario() -> None:
        scene = Scene()
        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak("One two."))
            await scene.link.sent(5)
            scene.mouth.play_clip(tone())
        assert speaking.result() == Heard(text="One two.", is_whole=True)
        await scene.link.sent(20 + len(tone().packets))
        packets = [packet.opus for packet in scene.link.sent_packets]
        assert tuple(packets[-len(tone().packets) :]) == tone().packets

    run(scenario)


def test_a_clip_between_two_sentences_does_not_count_as_speech() -> None:
    async def scenario() -> None:
        scene = Scene()

        async def pieces() -> AsyncGenerator[str, None]:
            yield "One two three four. "
            await scene.link.sent(40)
            scene.mouth.play_clip(tone())
            yield "Five six seven."

        async with asyncio.TaskGroup() as tasks:
            speaking = tasks.create_task(scene.speak_all(pieces()))
            await scene.link.sent(40 + len(tone().packets) + 10)
            scene.mouth.stop(USER)
        assert speaking.result().text == "One two three four. Five"

    run(scenario)


def test_stopping_ends_a_clip_too() -> None:
    async def scenario() -> None:
        scene = Scene()
        scene.mouth.play_clip(tone())
        scene.mouth.stop()
        assert scene.link.waiting_count == 0

    run(scenario)


def test_another_voice_takes_effect_with_the_next_speech() -> None:
    async def scenario() -> None:
        scene = Scene()
        other = FakeVoice("other")
        await scene.speak("One.")
        scene.mouth.voices = Voices(None, other)
        await scene.speak("Two.")
        assert (scene.fallback.asked, other.asked) == (["One."], ["Two."])

    run(scenario)


def test_markup_is_not_spoken_but_kept_in_what_was_heard() -> None:
    async def scenario() -> None:
        scene = Scene()
        heard = await scene.speak("It is **really** done.")
        assert scene.fallback.asked == ["It is really done."]
        assert heard.text == "It is **really** done."

    run(scenario)
