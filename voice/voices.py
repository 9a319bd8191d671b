"""Which engine speaks: the one that is wanted, or another one for as long as that cannot."""

import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from voice.engines.protocols import EngineError, SpeechError, SpokenAudio, SpokenWord, TextToSpeech
from voice.reach import Reach
from voice.samples import SPEECH_RATE

logger = logging.getLogger(__name__)

_CHARACTERS_PER_SECOND = 14.0
_WORD_START = re.compile(r"(?<=\s)\S")


Finder = Callable[[str], Awaitable[TextToSpeech]]
"""Finds a voice by its name; raises EngineError if there is none."""


class Voices:
    """The voice that is wanted on a line, and the one that steps in."""

    def __init__(
        self,
        primary: TextToSpeech | None,
        fallback: TextToSpeech,
        *,
        reach: Reach | None = None,
        find: Finder | None = None,
    ) -> None:
        """Speak with these.

        Args:
            primary: Speaks as long as it can be reached; `None`: never.
            fallback: Speaks in its place, for the rest of a turn, once it has failed.
            reach: Knows whether `primary` can be reached; `None`: it always can.
            find: Finds another `primary` by its name; `None`: there is no other.
        """
        self._primary = primary
        self._fallback = fallback
        self._reach = reach
        self._find = find

    @property
    def name(self) -> str:
        """The engine and the voice of the next turn, as people read it in `/voice doctor`."""
        return self.for_turn().name

    @property
    def trouble(self) -> str:
        """Why the voice that is wanted does not speak, and which does; empty if it does."""
        trouble = self._reach.trouble if self._primary and self._reach else ""
        return f"{trouble}; {self._fallback.name} speaks until it works again." if trouble else ""

    @property
    def engines(self) -> tuple[TextToSpeech, ...]:
        """What may speak at present."""
        usable = self._usable
        return (self._fallback,) if usable is None else (usable, self._fallback)

    def for_turn(self) -> "TurnVoice":
        """Return what speaks one turn: at most once in it does the voice change."""
        return TurnVoice(self._usable, self._fallback, self._reach)

    def for_line(self) -> "Voices":
        """Return the same for another line, where another voice may be chosen."""
        return Voices(self._primary, self._fallback, reach=self._reach, find=self._find)

    async def use(self, name: str) -> None:
        """Speak in another voice from the next turn on.

        Raises:
            EngineError: If there is no such voice.
        """
        if self._find is None:
            raise EngineError(f"{self._fallback.name} is the only voice of its engine")
        self._primary = await self._find(name)

    async def known(self) -> None:
        """Wait until it is known whether the voice that is wanted can be reached; 2 s at most."""
        if self._reach is not None:
            await self._reach.known()

    @property
    def _usable(self) -> TextToSpeech | None:
        return self._primary if self._reach is None or self._reach.is_reachable else None


class TurnVoice:
    """Speaks one turn. Implements `TextToSpeech`."""

    def __init__(
        self, primary: TextToSpeech | None, fallback: TextToSpeech, reach: Reach | None
    ) -> None:
        self._primary = primary
        self._fallback = fallback
        self._reach = reach

    @property
    def name(self) -> str:
        """The engine and the voice that speak now."""
        return (self._primary or self._fallback).name

    @property
    def is_fallback(self) -> bool:
        """Whether the voice that is wanted does not speak, or no more in this turn."""
        return self._primary is None

    async def speak(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
        """Yield the speech of a text; what one voice cannot end, the other one does.

        Raises:
            SpeechError: If neither can speak it.
        """
        said = _Said()
        if self._primary is not None:
            try:
                async with aclosing(self._primary.speak(text)) as speech:
                    async for item in speech:
                        said.note(item)
                        yield item
            except SpeechError as error:
                self._give_up(error)
            else:
                return
        start = said.text_end(text)
        if said.seconds and not any(map(str.isalnum, text[start:])):
            return
        async with aclosing(self._fallback.speak(text[start:])) as speech:
            async for item in speech:
                yield _shifted(item, start, said.seconds)

    def _give_up(self, error: SpeechError) -> None:
        if self._primary is None:
            # Another sentence, made at the same time, has failed before.
            return
        logger.warning("%s does not speak for the rest of the turn: %s", self.name, error)
        self._primary = None
        if self._reach is not None:
            self._reach.failed(str(error))


class _Said:
    """How much of a text has been spoken so far."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self._words: list[SpokenWord] = []

    def note(self, item: SpokenAudio | SpokenWord) -> None:
        if isinstance(item, SpokenWord):
            self._words.append(item)
        else:
            self.seconds += len(item.samples) / SPEECH_RATE

    def text_end(self, text: str) -> int:
        """Return where in the text another voice has to go on."""
        if not self.seconds:
            return 0
        said = [word.text_end for word in self._words if word.at_seconds <= self.seconds]
        if self._words:
            return max(said, default=0)
        guess = int(self.seconds * _CHARACTERS_PER_SECOND)
        return max((m.start() for m in _WORD_START.finditer(text) if m.start() <= guess), default=0)


def _shifted(
    item: SpokenAudio | SpokenWord, characters: int, seconds: float
) -> SpokenAudio | SpokenWord:
    if isinstance(item, SpokenAudio):
        return item
    return SpokenWord(text_end=item.text_end + characters, at_seconds=item.at_seconds + seconds)
