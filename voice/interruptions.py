"""Pauses, resumes and ends the bot's speech when people talk into it. Pure."""

from dataclasses import dataclass

from voice.barge_in import Reach, Verdict, verdict
from voice.commands import LineCommand, ListenIn, PauseSpeech, ResumeSpeech, SpeechKind, StopSpeech
from voice.events import StopCause
from voice.interjections import Interjection
from voice.speech_track import Speech, SpeechTrack
from voice.talkers import Talker
from voice.turn_options import TurnOptions

_DISTRUSTED_FROM = 2
"""After so many noises, or echoes, somebody's voice alone does not pause the speech any more."""
_ECHO_FORGOTTEN_SECONDS = 300.0
"""Somebody may have put on headphones."""


@dataclass(slots=True, kw_only=True)
class _Hold:
    """Somebody's voice, for which the speech is paused."""

    until: float
    may_last_longer: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """What somebody has said into the speech, so far."""

    person_id: int
    text: str
    meaning: Interjection
    reach: Reach
    """What they may do by it."""
    voiced_seconds: float
    began_at: float
    ended_at: float
    is_silent: bool = False
    """Whether they have paused, and may have finished."""
    is_over: bool = False

    @property
    def can_say_anything(self) -> bool:
        """Whether they may end the speech by whatever they say."""
        return self.reach is Reach.ALL

    def is_noise(self, short_word_seconds: float) -> bool:
        """Say whether there are no words, or a single one so short that it is seldom right."""
        meaning = self.meaning
        if not meaning.has_words:
            return True
        is_single = meaning.content_words == 1 and not (meaning.asks or meaning.has_name)
        is_other = meaning.is_stop or meaning.is_no or meaning.is_cancel
        return is_single and not is_other and self.voiced_seconds < short_word_seconds


class Interruptions:
    """Knows for whose voice the speech is paused: each pause is ended by a resume or a stop."""

    def __init__(self, options: TurnOptions, track: SpeechTrack) -> None:
        self._options = options
        self._track = track
        self._holds: dict[int, _Hold] = {}
        self._noises: dict[int, int] = {}
        self._echoes: dict[int, list[float]] = {}
        self._stopped: dict[int, float] = {}

    @property
    def speech(self) -> Speech | None:
        """The speech that can be interrupted; a filler is over too soon."""
        present = self._track.present
        if present is None or present.is_stopped or present.kind is SpeechKind.FILLER:
            return None
        return present

    @property
    def is_paused(self) -> bool:
        """Whether the speech is paused for somebody's voice."""
        return bool(self._holds)

    @property
    def next_at(self) -> float | None:
        """When somebody's words have been waited for for long enough."""
        return min((hold.until for hold in self._holds.values()), default=None)

    def has_stopped(self, person_id: int, since: float) -> bool:
        """Say whether somebody has ended a speech since some time."""
        return self._stopped.get(person_id, float("-inf")) >= since

    def hears_echo_of(self, person_id: int, now: float) -> bool:
        """Say whether what comes from somebody is often the bot's own voice."""
        return self._recent_echoes(person_id, now) >= _DISTRUSTED_FROM

    # --- Voice. ---------------------------------------------------------------------------------

    def voice(self, talker: Talker, now: float) -> list[LineCommand]:
        """Take that somebody who may talk to the bot does, be it while the speech begins."""
        speech = self.speech
        if speech is None or talker.is_silent:
            return []
        commands: list[LineCommand] = []
        if self._may_pause(talker, speech, now):
            commands += self._hold(talker.person_id, speech, now)
        if talker.voiced_seconds >= talker.listens_from:
            times = 1 if talker.person_id in self._holds else 2
            talker.listens_from = talker.voiced_seconds + times * self._options.listen_in_seconds
            commands.append(ListenIn(person_id=talker.person_id))
        return commands

    def _may_pause(self, talker: Talker, speech: Speech, now: float) -> bool:
        person_id = talker.person_id
        if talker.has_no_say or person_id in self._holds:
            return False
        if self._noises.get(person_id, 0) >= _DISTRUSTED_FROM or self.hears_echo_of(person_id, now):
            return False
        # An answer may begin while somebody only clears their throat; a notice can wait.
        is_new = speech.kind is not SpeechKind.ANSWER and talker.began_at <= speech.began_at
        return is_new or talker.voiced_seconds >= talker.pauses_from

    def _hold(self, person_id: int, speech: Speech, now: float) -> list[LineCommand]:
        is_first = not self._holds
        self._holds[person_id] = _Hold(until=now + self._options.no_words_seconds)
        if not is_first:
            return []
        speech.fell_silent(now)
        return [PauseSpeech()]

    def released(self, person_id: int, now: float) -> list[LineCommand]:
        """Let the speech go on, if it is paused for nobody else."""
        if self._holds.pop(person_id, None) is None or self._holds:
            return []
        if self.speech is not None:
            self.speech.sounded(now)
        return [ResumeSpeech()]

    def made_noise(self, person_id: int, now: float) -> list[LineCommand]:
        """Take that somebody's voice was nothing."""
        if person_id in self._holds:
            self._noises[person_id] = self._noises.get(person_id, 0) + 1
        return self.released(person_id, now)

    def took_turn(self, person_id: int) -> None:
        """Trust somebody's voice again: they talk."""
        self._noises.pop(person_id, None)

    def left(self, person_id: int, now: float) -> list[LineCommand]:
        """Take that somebody is gone, or may not talk any more."""
        for kept in (self._noises, self._echoes, self._stopped):
            kept.pop(person_id, None)
        return self.released(person_id, now)

    def speech_ended(self) -> list[LineCommand]:
        """Take that the speech is over; if it was paused, nothing is any more."""
        was_paused = bool(self._holds)
        self._holds.clear()
        return [ResumeSpeech()] if was_paused else []

    # --- Words. ---------------------------------------------------------------------------------

    def is_echo(self, words: Words, now: float) -> bool:
        """Say whether words are the bot's own.

        Nothing but a stop word is taken for what it is, unless they often are the bot's.
        """
        if self.has_stopped(words.person_id, words.began_at):
            return False
        if words.meaning.is_command and not self.hears_echo_of(words.person_id, now):
            return False
        meaning = words.meaning
        is_plain = not (meaning.is_command or meaning.has_name)
        # What was cut in a word is written down badly, and the speech is paused anyway.
        is_unfinished = not (words.is_silent or words.is_over)
        has_echoed = self._recent_echoes(words.person_id, now) > 0
        return self._track.is_echo(
            words.text,
            words.began_at,
            words.ended_at,
            asks=meaning.asks or not is_plain,
            is_expected=is_plain and (is_unfinished or has_echoed),
        )

    def echoed(self, words: Words, now: float) -> list[LineCommand]:
        """Take that somebody's words were the bot's own."""
        earlier = self._echoes.get(words.person_id, [])
        if not earlier or earlier[-1] < words.began_at:
            self._echoes[words.person_id] = [*earlier, now][-_DISTRUSTED_FROM:]
        return self.released(words.person_id, now)

    def _recent_echoes(self, person_id: int, now: float) -> int:
        since = now - _ECHO_FORGOTTEN_SECONDS
        return sum(at > since for at in self._echoes.get(person_id, []))

    def judged(self, words: Words) -> Verdict:
        """Return what words do to the speech."""
        return verdict(
            words.meaning,
            reach=words.reach,
            voiced_seconds=words.voiced_seconds,
            short_word_seconds=self._options.short_word_seconds,
            is_silent=words.is_silent,
            is_over=words.is_over,
        )

    def waits_for(self, person_id: int) -> None:
        """Wait once more for the rest of somebody's words."""
        hold = self._holds.get(person_id)
        if hold is not None and hold.may_last_longer:
            hold.until += self._options.no_words_seconds
            hold.may_last_longer = False

    def stopped(self, by: int, cause: StopCause, now: float) -> list[LineCommand]:
        """End the speech, or keep it from beginning."""
        self._stopped[by] = now
        self._noises.pop(by, None)
        self._holds.clear()
        if self.speech is not None:
            self.speech.fell_silent(now)
            self.speech.is_stopped = True
        return [StopSpeech(by=by, cause=cause)]

    def passed(self, now: float) -> list[int]:
        """Return whose words have been waited for for long enough."""
        return [person_id for person_id, hold in self._holds.items() if hold.until <= now]
