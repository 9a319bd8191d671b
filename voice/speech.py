"""One speech: a text that is still being written, made into packets sentence by sentence."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import aclosing
from dataclasses import dataclass

from voice.engines.protocols import SpeechError, SpokenAudio
from voice.heard import SpeechLog
from voice.making import Chunk, Making
from voice.outlet import Outlet
from voice.sentences import SentenceSplitter
from voice.speech_audio import Packer
from voice.spoken_text import spoken_text
from voice.voices import TurnVoice

logger = logging.getLogger(__name__)

_AHEAD = 2
"""How many chunks are made, or wait in the link, beside the one that is being played."""
_IN_FLIGHT = 2
"""How many chunks an engine makes at the same time."""
_MOST_CHUNKS = 256
"""How much of a text is taken before it is spoken; its writer waits then."""
_TAIL_PACKETS = 25
"""By how much of its end it is judged whether a speech was heard to its end: half a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechHooks:
    """What is told of a speech while it goes on; each returns at once."""

    began: Callable[[], object]
    """Its first packet was given to the link."""
    grew: Callable[[str], object]
    """More of it will be given to the link; with all of it so far, as it is said."""


class Speech:
    """One speech while it goes on; `Mouth` runs it."""

    def __init__(
        self,
        *,
        outlet: Outlet,
        voice: TurnVoice,
        new_packer: Callable[[str], Packer],
        hooks: SpeechHooks,
    ) -> None:
        """Prepare it.

        Args:
            outlet: Takes the packets.
            voice: Speaks all of it.
            new_packer: Makes what packs one chunk, given the name of the voice that speaks it.
            hooks: Are told how it goes.
        """
        self._outlet = outlet
        self._voice = voice
        self._new_packer = new_packer
        self._hooks = hooks
        self._log = SpeechLog()
        self._said = ""
        self._has_begun = False
        self._is_heard = False
        self._before = (0, 0)
        """How much had been sent, and heard, when the newest packets were given to the link."""
        self._tasks: list[asyncio.Task[None]] = []
        self._chunks = asyncio.Queue[Chunk | None](_MOST_CHUNKS)
        self._makings = asyncio.Queue[Making | Chunk | None](_MOST_CHUNKS)
        self._room = asyncio.Semaphore(1 + _AHEAD)
        self._in_flight = asyncio.Semaphore(_IN_FLIGHT)

    async def run(self, pieces: AsyncGenerator[str, None]) -> None:
        """Speak a text to its end, or until `stop`.

        Raises:
            ExceptionGroup: With the error of `pieces`, if it raised one.
        """
        async with asyncio.TaskGroup() as tasks:
            self._start(tasks, self._read(pieces))
            self._start(tasks, self._make(tasks))
            self._start(tasks, self._hand_over_all(tasks))

    def stop(self) -> None:
        """End it at once; what was given to the link is the caller's to drop."""
        for task in self._tasks:
            task.cancel()

    def text(self, sent_count: int) -> str:
        """Return what had been sent by then, as it was written."""
        return self._log.text(sent_count)

    @property
    def is_heard(self) -> bool:
        """Whether all of it was sent, and somebody was there to hear its end."""
        return self._is_heard

    def _start(self, tasks: asyncio.TaskGroup, work: Coroutine[None, None, None]) -> None:
        self._tasks.append(tasks.create_task(work))

    async def _read(self, pieces: AsyncGenerator[str, None]) -> None:
        splitter = SentenceSplitter()
        async with aclosing(pieces):
            async for piece in pieces:
                await self._take(splitter.feed(piece))
        await self._take(splitter.finish())
        await self._chunks.put(None)

    async def _take(self, written: list[str]) -> None:
        for text in written:
            await self._chunks.put(Chunk(written=text, spoken=spoken_text(text)))

    async def _make(self, tasks: asyncio.TaskGroup) -> None:
        while (chunk := await self._chunks.get()) is not None:
            if not chunk.spoken:
                await self._makings.put(chunk)
                continue
            await self._room.acquire()
            making = self._begun(chunk, tasks)
            await self._makings.put(making)
            # Its first audio is wanted soonest; nothing else may delay it.
            await making.begun()
        await self._makings.put(None)

    def _begun(self, chunk: Chunk, tasks: asyncio.TaskGroup) -> Making:
        making = Making(chunk, self._voice)
        self._start(tasks, making.run(self._in_flight))
        return making

    async def _hand_over_all(self, tasks: asyncio.TaskGroup) -> None:
        previous_end: int | None = None
        while (made := await self._makings.get()) is not None:
            if isinstance(made, Chunk):
                self._log.begin(written=made.written, spoken="")
                continue
            await self._hand_over(self._begun(made.chunk, tasks) if made.is_outdated else made)
            # So there waits one chunk in the link beside the one that is being played.
            if previous_end is not None:
                await self._outlet.sent(previous_end)
                self._room.release()
            previous_end = self._log.end
        await self._play_out()

    async def _hand_over(self, making: Making) -> None:
        chunk = making.chunk
        self._log.begin(written=chunk.written, spoken=chunk.spoken)
        self._said = f"{self._said} {chunk.spoken}".strip()
        self._hooks.grew(self._said)
        packer = self._new_packer(self._voice.name)
        try:
            while (item := await making.next()) is not None:
                if isinstance(item, SpokenAudio):
                    self._play(packer, packer.feed(item.samples))
                    # Encoding takes a while; others want the loop, too.
                    await asyncio.sleep(0)
                else:
                    self._log.word(text_end=item.text_end, at_seconds=item.at_seconds)
        except SpeechError as error:
            logger.warning("a part of a speech is left out: %s", error)
            self._play(packer, packer.finish())
            self._log.left_out()
        else:
            self._play(packer, packer.finish())
            self._log.complete()

    def _play(self, packer: Packer, packets: list[bytes]) -> None:
        if not packets:
            return
        self._before = (self._outlet.sent_count, self._outlet.heard_count)
        self._log.skipped(packer.skipped_seconds)
        self._log.handed(start=self._outlet.play(packets), count=len(packets))
        if not self._has_begun:
            self._has_begun = True
            self._hooks.began()

    async def _play_out(self) -> None:
        """Wait until all has been sent, and note whether somebody heard its end."""
        if not self._has_begun:
            return
        outlet, end = self._outlet, self._log.end
        await outlet.sent(end - _TAIL_PACKETS)
        sent, heard = outlet.sent_count, outlet.heard_count
        if sent >= end:
            # The text was longer in coming than its speech: nothing is left to judge by.
            sent, heard = self._before
        is_sent = await outlet.sent(end)
        is_tail_heard = outlet.heard_count - heard >= end - sent
        self._is_heard = is_sent and is_tail_heard and self._log.is_complete
