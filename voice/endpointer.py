"""Finds where somebody begins to talk, pauses and ends. Pure.

Of one person. Silence is measured by the times that are handed in, not by counting frames: most
people send nothing while they are silent.
"""

from dataclasses import dataclass, field

from voice.endpointer_steps import Discard, EndpointerStep, Judge, Withdraw, WriteDown
from voice.events import (
    EndReason,
    Guessed,
    UtteranceEnded,
    VoiceBegan,
    VoiceFaded,
    VoicePaused,
    VoiceWentOn,
)
from voice.patience import Patience, PatienceOptions
from voice.said import FRAME_SECONDS, Closing, Closings, Guess, Said
from voice.transcripts import dangles, words_only


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointerOptions:
    """What begins and ends an utterance."""

    onset_frames: int = 2
    """So many frames of voice in a row begin it, or go on with it after a pause: not a click."""
    pause_seconds: float = 0.16
    """Silence after which what was said is written down and judged, in case it was all."""
    complete_seconds: float = 0.3
    """Silence that ends what sounds and reads as if it was complete."""
    patience: PatienceOptions = field(default_factory=PatienceOptions)
    """Silence that ends anything else."""
    over_from: float = 0.5
    """How likely it has to be, going by its sound, that somebody has finished."""
    least_voiced_seconds: float = 0.2
    """Less voice than that is no utterance."""
    longest_seconds: float = 15.0
    """What is longer is cut."""
    cut_back_seconds: float = 3.0
    """How far back it may be cut, between two words."""
    ghost_share: float = 0.5
    """Of what has less voice in it, a transcript that noise is known to lead to is not believed."""


class Endpointer:
    """What one person says, cut into utterances."""

    def __init__(self, person_id: int, options: EndpointerOptions) -> None:
        self._person_id = person_id
        self._options = options
        self._patience = Patience(options.patience)
        self._said: Said | None = None
        self._closings = Closings()
        self._onset_frames = 0
        self._last_ended_at: float | None = None
        self._last_number = 0

    @property
    def is_open(self) -> bool:
        """Whether they are saying something, or may go on with it."""
        return self._said is not None

    @property
    def voiced_seconds(self) -> float:
        """How much voice there is in what they are saying."""
        return 0.0 if self._said is None else self._said.voiced_seconds

    @property
    def next_at(self) -> float | None:
        """When `passed` has to be called at the latest, if no frame comes before."""
        if self._said is None or self._onset_frames:
            return None
        if self._said.is_paused:
            return self._said.ended_at + self._wait_seconds(self._said)
        return self._said.ended_at + self._options.pause_seconds

    def frame(self, *, is_voice: bool, at: float) -> list[EndpointerStep]:
        """Take the next frame of audio, which has ended at some time."""
        if is_voice:
            self._onset_frames += 1
            return self._voice(at)
        return self.fell_silent(at)

    def fell_silent(self, at: float) -> list[EndpointerStep]:
        """Know that no frame follows upon the last one: nothing is sent."""
        self._onset_frames = 0
        if self._said is not None:
            self._said.frames_without_pause = 0
        return self.passed(at)

    def passed(self, now: float) -> list[EndpointerStep]:
        """Do what is due by the time alone."""
        said = self._said
        # While there is voice, the next frame tells, or that none comes.
        if said is None or self._onset_frames:
            return []
        steps: list[EndpointerStep] = []
        silence = now - said.ended_at
        if not said.is_paused and _has_reached(silence, self._options.pause_seconds):
            steps += self._paused(said, now)
        if said.is_paused and _has_reached(silence, self._wait_seconds(said)):
            steps += self._committed(said, self._reason(said), now)
        return steps

    def written(
        self, number: int, text: str | None, *, seconds: float, at: float
    ) -> list[EndpointerStep]:
        """Take a transcript, which took so many seconds; None if it could not be made."""
        result = self._result(number)
        if result is None:
            return []
        result.text, result.has_failed = text, text is None
        result.transcribed_seconds = seconds
        if self._said is None or self._said.guess is not result:
            return self._released(at)
        if text is None:
            return self.passed(at)
        guessed = Guessed(
            person_id=self._person_id,
            text=words_only(text),
            voiced_seconds=self._said.voiced_seconds,
            at=at,
        )
        return [guessed, *self.passed(at)]

    def judged(
        self, number: int, over: float | None, *, seconds: float, at: float
    ) -> list[EndpointerStep]:
        """Take how likely they have finished; None if that could not be told."""
        result = self._result(number)
        if result is None:
            return []
        result.over, result.judged_seconds = over, seconds
        return self.passed(at)

    def left(self, at: float) -> list[EndpointerStep]:
        """End what they are saying: nothing more will come."""
        if self._said is None:
            return []
        return self._committed(self._said, EndReason.LEFT, at)

    def silenced(self, at: float) -> list[EndpointerStep]:
        """Forget what they are saying, and what they said that is not written down yet."""
        pending = self._closings.results()
        if self._said is not None and self._said.guess is not None:
            pending.append(self._said.guess)
        steps: list[EndpointerStep] = [Withdraw(number=guess.number) for guess in pending]
        if self._said is not None or self._closings:
            steps += [Discard(), self._faded(at)]
        self._said, self._onset_frames = None, 0
        self._closings.clear()
        return steps

    # --- Voice. ---------------------------------------------------------------------------------

    def _voice(self, at: float) -> list[EndpointerStep]:
        said = self._said
        has_set_in = self._onset_frames >= self._options.onset_frames
        if said is None:
            return self._began(at, frames=self._onset_frames) if has_set_in else []
        if said.is_paused and not has_set_in:
            return []
        steps = self._went_on(said, at)
        if at - said.began_at >= self._options.longest_seconds:
            steps += self._cut(said, at)
        return steps

    def _began(self, at: float, *, frames: int) -> list[EndpointerStep]:
        said = Said(
            began_at=at - frames * FRAME_SECONDS,
            ended_at=at,
            voiced_frames=frames,
            frames_without_pause=frames,
        )
        self._said = said
        if self._last_ended_at is not None:
            self._patience.went_on(said.began_at - self._last_ended_at)
            self._last_ended_at = None
        return [VoiceBegan(person_id=self._person_id, at=at), self._more_voice(said, at)]

    def _went_on(self, said: Said, at: float) -> list[EndpointerStep]:
        frames = self._onset_frames if said.is_paused else 1
        steps: list[EndpointerStep] = []
        if said.is_paused:
            self._patience.went_on(at - frames * FRAME_SECONDS - said.ended_at)
        if said.guess is not None:
            steps.append(Withdraw(number=said.guess.number))
        said.is_paused, said.guess = False, None
        said.ended_at = at
        said.voiced_frames += frames
        said.frames_without_pause += frames
        return [*steps, self._more_voice(said, at)]

    def _more_voice(self, said: Said, at: float) -> VoiceWentOn:
        return VoiceWentOn(person_id=self._person_id, voiced_seconds=said.voiced_seconds, at=at)

    def _cut(self, said: Said, at: float) -> list[EndpointerStep]:
        carried = said.frames_without_pause
        if carried * FRAME_SECONDS > self._options.cut_back_seconds:
            carried = 0
        said.voiced_frames -= carried
        said.ended_at = at - carried * FRAME_SECONDS
        steps = self._committed(said, EndReason.TOO_LONG, at, carried_frames=carried)
        # That was no pause of theirs.
        self._last_ended_at = None
        return [*steps, *self._began(at, frames=carried)]

    # --- Silence. -------------------------------------------------------------------------------

    def _paused(self, said: Said, now: float) -> list[EndpointerStep]:
        said.is_paused = True
        paused = VoicePaused(person_id=self._person_id, at=now)
        if not self._is_enough(said):
            return [paused]
        said.guess = Guess(number=self._new_number())
        return [paused, Judge(number=said.guess.number)]

    def _wait_seconds(self, said: Said) -> float:
        # Without a guess there was too little voice for an utterance.
        if said.guess is None or self._is_complete(said, said.guess):
            return self._options.complete_seconds
        return self._patience.seconds

    def _is_complete(self, said: Said, guess: Guess) -> bool:
        if guess.text is None:
            return False
        text = said.words(guess.text, ghost_share=self._options.ghost_share)
        if not text:
            return True
        return (
            guess.over is not None and guess.over >= self._options.over_from and not dangles(text)
        )

    def _reason(self, said: Said) -> EndReason:
        if said.guess is not None and self._is_complete(said, said.guess):
            return EndReason.COMPLETE
        return EndReason.SILENCE

    def _committed(
        self, said: Said, reason: EndReason, at: float, *, carried_frames: int = 0
    ) -> list[EndpointerStep]:
        self._said, self._onset_frames = None, 0
        if not self._is_enough(said):
            return [Discard(), self._faded(at)]
        self._last_ended_at = said.ended_at
        has_guess = said.guess is not None and not said.guess.has_failed
        result = said.guess if said.guess and has_guess else Guess(number=self._new_number())
        self._closings.add(Closing(said=said, reason=reason, committed_at=at, result=result))
        if has_guess:
            return [Discard(), *self._released(at)]
        return [WriteDown(number=result.number, carried_frames=carried_frames)]

    def _is_enough(self, said: Said) -> bool:
        return _has_reached(said.voiced_seconds, self._options.least_voiced_seconds)

    # --- Transcripts. ---------------------------------------------------------------------------

    def _result(self, number: int) -> Guess | None:
        results = self._closings.results()
        if self._said is not None and self._said.guess is not None:
            results.append(self._said.guess)
        return next((result for result in results if result.number == number), None)

    def _released(self, at: float) -> list[EndpointerStep]:
        steps: list[EndpointerStep] = []
        for closing in self._closings.settled():
            transcript = closing.result.text or ""
            text = closing.said.words(transcript, ghost_share=self._options.ghost_share)
            if text:
                utterance = closing.utterance(self._person_id, text)
                steps.append(UtteranceEnded(utterance=utterance))
            elif self._said is None:
                # If they talk again, it is all one, as far as anybody can tell.
                steps.append(self._faded(at))
        return steps

    def _faded(self, at: float) -> VoiceFaded:
        return VoiceFaded(person_id=self._person_id, at=at)

    def _new_number(self) -> int:
        self._last_number += 1
        return self._last_number


def _has_reached(seconds: float, wanted: float) -> bool:
    # Times are differences of sums: what is exactly so long may come out a little less.
    return seconds > wanted - 1e-9
