"""What a line says: one speech at a time, with the tone and the fillers in between."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from voice.clips import Clips
from voice.commands import LineCommand, SpeechKind
from voice.events import Heard
from voice.floor import Floor
from voice.line_report import FIRST_SOUND, FIRST_WORDS
from voice.mouth import Mouth
from voice.pieces import of_text, pumped, with_first
from voice.stage_times import StageLog
from voice.turn_taking import TurnTaking

_NOTHING = Heard(text="", is_whole=False)


class LineVoice:
    """Speaks on one line, and tells the turn taking of it.

    Args:
        mouth: Speaks.
        clips: The tone and the fillers.
        turns: Told what is spoken.
        obey: Carries out what it decides then.
        stages: Told how long things took.
        clock: Gives seconds of a monotonic clock.
    """

    def __init__(
        self,
        *,
        mouth: Mouth,
        clips: Clips,
        turns: TurnTaking,
        obey: Callable[[Sequence[LineCommand]], None],
        stages: StageLog,
        clock: Callable[[], float],
    ) -> None:
        self._mouth = mouth
        self._clips = clips
        self._turns = turns
        self._obey = obey
        self._stages = stages
        self._clock = clock
        self._floor = Floor(self._notices_wait)
        self._clip_number = 0
        self._filler: asyncio.TimerHandle | None = None
        """While a filler is played: what tells that it has ended."""
        self.turn_taken_at: float | None = None
        """When the turn was taken whose first words are awaited."""

    async def answer(self, pieces: AsyncGenerator[str, None], *, to: int | None) -> Heard:
        """Speak an answer while it is written, and return what was heard of it."""
        async with aclosing(pieces), pumped(pieces) as written:
            first = await anext(written, None)
            if first is None:
                return _NOTHING
            first_at = self._clock()
            if self.turn_taken_at is not None:
                self._stages.took(FIRST_WORDS, first_at - self.turn_taken_at)
                self.turn_taken_at = None
            async with self._floor.taken():
                whole = with_first(first, written)
                return await self._speak(SpeechKind.ANSWER, whole, to, since=first_at)

    async def say(self, text: str) -> Heard:
        """Speak a text after what is spoken at present, before anything else."""
        async with self._floor.taken(is_urgent=True):
            return await self._speak(SpeechKind.SAID, of_text(text), None)

    async def announce(self, make_text: Callable[[], str]) -> Heard:
        """Speak a text once `call_notice` gives it the floor."""
        async with self._floor.taken_for_notice():
            if not (text := make_text()):
                return _NOTHING
            return await self._speak(SpeechKind.NOTICE, of_text(text), None)

    def call_notice(self) -> None:
        """Let the next notice be spoken, unless something is."""
        self._floor.call_notice()

    def pause(self) -> None:
        """Fall silent for now."""
        self._mouth.pause()

    def resume(self) -> None:
        """Go on with the very packet."""
        self._mouth.resume()

    def stop(self, by: int | None = None) -> None:
        """End what is spoken.

        Args:
            by: The id of the person who interrupted it.
        """
        self._mouth.stop(by)

    def play_tone(self) -> None:
        """Play the soft tone."""
        self._mouth.play_clip(self._clips.tone)

    def say_filler(self) -> None:
        """Say a word or two, if there is something in that voice."""
        clip = self._clips.filler(self._clip_number)
        self._clip_number += 1
        if clip is None:
            return
        self._obey(self._turns.speech_began(SpeechKind.FILLER, None, self._clock()))
        self._turns.speech_grew(clip.text)
        self._mouth.play_clip(clip)
        loop = asyncio.get_running_loop()
        self._filler = loop.call_later(clip.seconds, self._end_filler)

    def close(self) -> None:
        """Do nothing more by itself."""
        if self._filler is not None:
            self._filler.cancel()

    async def _speak(
        self,
        kind: SpeechKind,
        pieces: AsyncGenerator[str, None],
        to: int | None,
        *,
        since: float | None = None,
    ) -> Heard:
        def began() -> None:
            self._end_filler()
            now = self._clock()
            if since is not None:
                self._stages.took(FIRST_SOUND, now - since)
            self._obey(self._turns.speech_began(kind, to, now))

        heard = _NOTHING
        try:
            heard = await self._mouth.speak(pieces, began=began, grew=self._turns.speech_grew)
        finally:
            self._obey(self._turns.speech_ended(heard, self._clock()))
        return heard

    def _end_filler(self) -> None:
        if self._filler is not None:
            self._filler.cancel()
            self._filler = None
            self._obey(self._turns.speech_ended(_NOTHING, self._clock()))

    def _notices_wait(self, is_any: bool) -> None:  # noqa: FBT001 - what it tells is all there is
        self._obey(self._turns.notices_wait(is_any, self._clock()))
