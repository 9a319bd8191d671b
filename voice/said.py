"""What somebody has said, until its transcript is there. Pure."""

from collections import deque
from dataclasses import dataclass

from voice.events import EndReason, Utterance, UtteranceTimes
from voice.transcripts import is_ghost, words_only

FRAME_SECONDS = 512 / 16_000
"""The same as in `voice.samples`, which needs numpy."""


@dataclass(slots=True, kw_only=True)
class Guess:
    """What the models make of it, as far as they are done."""

    number: int
    text: str | None = None
    """As the model wrote it; None if it is not done."""
    over: float | None = None
    """How likely it is that it was all."""
    has_failed: bool = False
    """Whether there will be no text."""
    transcribed_seconds: float = 0.0
    judged_seconds: float = 0.0

    @property
    def is_settled(self) -> bool:
        """Whether the text is there, or will never be."""
        return self.has_failed or self.text is not None


@dataclass(slots=True, kw_only=True)
class Said:
    """What is being said, or was."""

    began_at: float
    ended_at: float
    """When the last of the voice so far was heard."""
    voiced_frames: int
    frames_without_pause: int
    """How many of the last frames were voice."""
    is_paused: bool = False
    guess: Guess | None = None
    """Of what was said before the present pause."""

    @property
    def voiced_seconds(self) -> float:
        """How much voice there is in it."""
        return self.voiced_frames * FRAME_SECONDS

    def words(self, transcript: str, *, ghost_share: float) -> str:
        """Return what of a transcript can be believed; empty if there were no words.

        Args:
            transcript: As a model wrote it.
            ghost_share: Share of voice below which nothing is believed that noise may lead to.
        """
        text = words_only(transcript)
        seconds = max(self.ended_at - self.began_at, FRAME_SECONDS)
        if is_ghost(text) and self.voiced_seconds / seconds < ghost_share:
            return ""
        return text


@dataclass(slots=True, kw_only=True)
class Closing:
    """What was said to its end, and waits for its transcript."""

    said: Said
    reason: EndReason
    committed_at: float
    result: Guess

    def utterance(self, person_id: int, text: str) -> Utterance:
        """Return what is told of it, with the words that were believed."""
        return Utterance(
            person_id=person_id,
            text=text,
            began_at=self.said.began_at,
            ended_at=self.said.ended_at,
            committed_at=self.committed_at,
            voiced_seconds=self.said.voiced_seconds,
            reason=self.reason,
            times=UtteranceTimes(
                waited=self.committed_at - self.said.ended_at,
                transcribed=self.result.transcribed_seconds,
                decided=self.result.judged_seconds,
            ),
        )


class Closings:
    """Those of one person, in the order in which they were said."""

    def __init__(self) -> None:
        self._waiting = deque[Closing]()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def add(self, closing: Closing) -> None:
        """Take one more."""
        self._waiting.append(closing)

    def results(self) -> list[Guess]:
        """Return what is waited for."""
        return [closing.result for closing in self._waiting]

    def settled(self) -> list[Closing]:
        """Take out those at the front whose transcripts are there, or will never be."""
        settled: list[Closing] = []
        while self._waiting and self._waiting[0].result.is_settled:
            settled.append(self._waiting.popleft())
        return settled

    def clear(self) -> None:
        """Forget all."""
        self._waiting.clear()
