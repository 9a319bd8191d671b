"""Has the models that hear work in their threads, and keeps account of what breaks."""

import logging
from collections.abc import Callable
from functools import partial
from typing import Protocol, TypeVar

from voice.engines.protocols import EngineError, VoiceStream
from voice.hearing_models import HearingModels
from voice.hearing_report import HearingLog
from voice.model_pool import PoolFullError, Priority
from voice.samples import Samples

logger = logging.getLogger(__name__)

T = TypeVar("T")


class Pool(Protocol):
    """What runs the work of models: a `ModelPool`, or a fake of it."""

    async def run(self, priority: Priority, work: Callable[[], T]) -> T:
        """Do some work in a thread, and return what comes of it.

        Raises:
            PoolFullError: If too much waits.
        """
        ...


class ModelCalls:
    """The models, as one line uses them. A model that broke is tried again each time."""

    def __init__(
        self,
        models: HearingModels,
        pool: Pool,
        log: HearingLog,
        broke: Callable[[EngineError], None],
    ) -> None:
        self._models = models
        self._pool = pool
        self._log = log
        self._tell_broke = broke

    def voice_stream(self) -> VoiceStream:
        """Return what judges the frames of one person."""
        return self._models.voice_activity.stream()

    def frame_judged(self, error: EngineError | None) -> None:
        """Know that voice activity failed, or, with None, that it works."""
        self._worked_or_broke(self._models.voice_activity.name, error)

    async def transcript(self, priority: Priority, audio: Samples) -> str | None:
        """Return what is said; None if that could not be written down, which is told."""
        engine = self._models.speech_to_text
        return await self._result(priority, engine.name, partial(engine.transcribe, audio))

    async def over(self, audio: Samples) -> float | None:
        """Return how likely somebody has finished; None if that could not be told."""
        engine = self._models.end_of_turn
        return await self._result(Priority.GUESS, engine.name, partial(engine.probability, audio))

    def broke(self, name: str, error: EngineError) -> None:
        """Keep in mind, and tell, that something cannot be used."""
        self._log.troubles[name] = str(error)
        self._tell_broke(error)

    async def _result(self, priority: Priority, name: str, work: Callable[[], T]) -> T | None:
        try:
            result = await self._pool.run(priority, work)
        except PoolFullError as error:
            self._log.counts["overloaded"] += 1
            logger.warning("%s: %s", name, error)
            return None
        except EngineError as error:
            self._worked_or_broke(name, error)
            return None
        except Exception as error:
            logger.exception("%s failed", name)
            self._worked_or_broke(name, EngineError(f"{name} failed: {error}"))
            return None
        self._worked_or_broke(name, None)
        return result

    def _worked_or_broke(self, name: str, error: EngineError | None) -> None:
        if error is None:
            self._log.troubles.pop(name, None)
        # Frames are judged thirty times a second: the same trouble is told once.
        elif self._log.troubles.get(name) != str(error):
            self.broke(name, error)
