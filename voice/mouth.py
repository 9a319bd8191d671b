"""Speaks on one line: texts while they are still being written, and short clips."""

from collections.abc import AsyncGenerator, Callable

from voice.clips import Clip
from voice.events import Heard
from voice.link import VoiceLink
from voice.opus import OpusEncoder
from voice.outlet import Outlet
from voice.speech import Speech, SpeechHooks
from voice.speech_audio import Leveller, Packer
from voice.voices import Voices


class Mouth:
    """Speaks on one line, one speech at a time. Nothing else may play on its link."""

    def __init__(self, link: VoiceLink, voices: Voices) -> None:
        """Speak with the voice of `voices`.

        Raises:
            EngineError: If there is no libopus.
        """
        self.voices = voices
        """What speaks; another one takes effect with the next speech."""
        self._link = link
        self._outlet = Outlet(link)
        self._encoder = OpusEncoder()
        self._levellers: dict[str, Leveller] = {}
        self._speech: Speech | None = None
        self._interrupted_by: int | None = None
        self._stopped_at: int | None = None

    @property
    def is_speaking(self) -> bool:
        """Whether a speech is going on, even if nothing of it can be heard yet, or it is paused."""
        return self._speech is not None

    async def speak(
        self,
        pieces: AsyncGenerator[str, None],
        *,
        began: Callable[[], object],
        grew: Callable[[str], object],
    ) -> Heard:
        """Speak a text, and return what people have heard of it once it has ended, or was stopped.

        It is spoken sentence by sentence, while it is written; what cannot be spoken is left out.
        If this is cancelled, nothing more is sent of it.

        Args:
            pieces: The text as it is written; it is closed in the end.
            began: Is called when its first packet was given to the link.
            grew: Is called with all that is said so far, before each further sentence.

        Returns:
            What was heard; not whole if something was left out, or if there was nothing to say.

        Raises:
            RuntimeError: If a speech is going on already.
        """
        if self._speech is not None:
            raise RuntimeError("a speech is going on already")
        hooks = SpeechHooks(began=began, grew=grew)
        speech = Speech(
            outlet=self._outlet,
            voice=self.voices.for_turn(),
            new_packer=self._new_packer,
            hooks=hooks,
        )
        self._speech, self._interrupted_by, self._stopped_at = speech, None, None
        try:
            await self._run(speech, pieces)
        finally:
            self._speech = None
        return self._heard(speech)

    async def _run(self, speech: Speech, pieces: AsyncGenerator[str, None]) -> None:
        try:
            await speech.run(pieces)
        except BaseExceptionGroup as group:
            self._outlet.drop()
            raise group.exceptions[0] from None
        except BaseException:
            self._outlet.drop()
            raise

    def _heard(self, speech: Speech) -> Heard:
        sent = self._outlet.sent_count if self._stopped_at is None else self._stopped_at
        return Heard(
            text=speech.text(sent),
            is_whole=speech.is_heard,
            interrupted_by=self._interrupted_by,
        )

    def stop(self, interrupted_by: int | None = None) -> None:
        """Be silent at once: `speak` returns what was heard, and a clip ends.

        Args:
            interrupted_by: The id of the person who interrupted it.
        """
        self._outlet.drop()
        if self._speech is not None:
            self._interrupted_by = interrupted_by
            self._stopped_at = self._outlet.sent_count
            self._speech.stop()

    def pause(self) -> None:
        """Fall silent for now."""
        self._link.pause()

    def resume(self) -> None:
        """Go on where it was paused, at the very packet."""
        self._link.resume()

    def play_clip(self, clip: Clip) -> None:
        """Play something short after what is being said; returns at once.

        A speech that begins meanwhile is made at once, and follows it.
        """
        self._outlet.play(clip.packets)

    def _new_packer(self, voice_name: str) -> Packer:
        leveller = self._levellers.setdefault(voice_name, Leveller())
        return Packer(self._encoder, leveller)
