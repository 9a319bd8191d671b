"""What hears and speaks on voice lines, as the configuration says; loaded for the first line.

Needs what `papercup[voice]` installs: import it only if `voice.installed.missing()` is empty.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from bot.config import Config
from bot.conversation.line_pipeline import LineOptions, LinePipeline
from bot.voice_settings import hearing_settings, speech_settings
from voice.clips import Clips, FillerShelf
from voice.engines.edge import VoiceInfo
from voice.engines.opening import OpenHearing
from voice.engines.protocols import EngineError
from voice.engines.voices import list_voices, open_voices
from voice.hearing_models import HearingModels
from voice.line_listener import LineListener
from voice.link import VoiceLink
from voice.model_pool import ModelPool, open_model_pool
from voice.pipeline import open_pipeline
from voice.pipeline_parts import PipelineParts
from voice.turn_taking import TurnOptions
from voice.voices import Voices

logger = logging.getLogger(__name__)

_LISTED_SECONDS = 600.0
"""For so long a list of voices is good: it is wanted with each letter that is typed."""


@dataclass(frozen=True, slots=True)
class _Heard:
    models: HearingModels | None
    troubles: tuple[str, ...] = ()


class VoiceEngines:
    """The engines of all lines. Get it from `voice_engines`."""

    def __init__(self, config: Config, pool: ModelPool, tasks: asyncio.TaskGroup) -> None:
        self._config = config
        self._pool = pool
        self._tasks = tasks
        self._hearing = OpenHearing(hearing_settings(config))
        self._shelf = FillerShelf()
        self._voices: Voices | None = None
        self._opening = asyncio.Lock()
        self._keeping: asyncio.Task[None] | None = None
        self._listed: Sequence[VoiceInfo] = ()
        self._listed_until = float("-inf")
        self._listing = asyncio.Lock()

    def open_pipeline(
        self, link: VoiceLink, listener: LineListener, options: LineOptions
    ) -> AbstractAsyncContextManager[LinePipeline]:
        """Open what hears and speaks on a link; see `OpenPipeline`.

        Entering it raises EngineError if nothing can speak at all.
        """
        return self._open(link, listener, options)

    async def voices(self) -> Sequence[VoiceInfo]:
        """Return the voices that a line may speak in.

        Raises:
            EngineError: If there is none but the one that is configured.
            SpeechError: If the service that knows them cannot be reached.
        """
        async with self._listing:
            now = asyncio.get_running_loop().time()
            if now >= self._listed_until:
                self._listed = await list_voices(speech_settings(self._config))
                self._listed_until = now + _LISTED_SECONDS
            return self._listed

    def stop(self) -> None:
        """Let the voices go."""
        if self._keeping is not None:
            self._keeping.cancel()

    @asynccontextmanager
    async def _open(
        self, link: VoiceLink, listener: LineListener, options: LineOptions
    ) -> AsyncGenerator[LinePipeline, None]:
        config = self._config.voice
        heard = await self._models()
        voices = (await self._shared_voices()).for_line()
        troubles = [*heard.troubles]
        if options.voice is not None:
            try:
                await voices.use(options.voice)
            except EngineError as error:
                troubles.append(str(error))
        clips = Clips(voices, self._shelf)
        parts = PipelineParts(
            link=link,
            listener=listener,
            models=heard.models,
            pool=self._pool,
            voices=voices,
            clips=clips,
            turns=TurnOptions(
                names=options.names,
                mode=options.mode,
                transcribe_others=config.transcribe_others,
                tone=config.tone,
                filler=config.filler,
            ),
            is_muted=options.is_muted,
            troubles=tuple(troubles),
            clock=asyncio.get_running_loop().time,
        )
        async with open_pipeline(parts) as pipeline:
            yield pipeline

    async def _models(self) -> _Heard:
        try:
            return _Heard(await asyncio.to_thread(self._hearing.models))
        except EngineError as error:
            logger.error("lines cannot hear: %s", error)  # noqa: TRY400 - its text says all
            return _Heard(None, (str(error),))

    async def _shared_voices(self) -> Voices:
        async with self._opening:
            if self._voices is None:
                opened: asyncio.Future[Voices] = asyncio.get_running_loop().create_future()
                # Of its own: what is entered in one task must be left in the same.
                self._keeping = self._tasks.create_task(self._keep_voices(opened))
                self._voices = await opened
            return self._voices

    async def _keep_voices(self, opened: asyncio.Future[Voices]) -> None:
        try:
            async with open_voices(speech_settings(self._config)) as voices:
                opened.set_result(voices)
                await asyncio.Event().wait()
        except EngineError as error:
            if opened.done():
                raise
            opened.set_exception(error)


@asynccontextmanager
async def voice_engines(config: Config) -> AsyncGenerator[VoiceEngines, None]:
    """Have the engines of all lines meanwhile; nothing is loaded before the first line."""
    async with open_model_pool(config.hearing.threads) as pool, asyncio.TaskGroup() as tasks:
        engines = VoiceEngines(config, pool, tasks)
        try:
            yield engines
        finally:
            engines.stop()
