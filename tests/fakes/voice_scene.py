"""People and a bot who talk on a voice line, on a virtual clock: what turn taking is tested by.

What the ears tell is made up as the real ones would: voice by frames, a guess at a pause, the words
once somebody has been silent for long enough. The bot's speech obeys what it is told.
"""

import heapq
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from voice.commands import (
    AnnounceNow,
    CancelWork,
    LineCommand,
    ListenIn,
    Overhear,
    PauseSpeech,
    PlayTone,
    ResumeSpeech,
    SayFiller,
    SpeechKind,
    StopSpeech,
    TakeTurn,
)
from voice.events import (
    EndReason,
    Guessed,
    Heard,
    HearingEvent,
    LineMode,
    LineState,
    Participant,
    Utterance,
    UtteranceEnded,
    VoiceBegan,
    VoiceFaded,
    VoicePaused,
    VoiceWentOn,
)
from voice.turn_options import TurnOptions
from voice.turn_taking import TurnTaking

FRAME = 0.032
WORD_SECONDS = 0.3
BREAK_SECONDS = 0.4
"""How long a `|` in what somebody says lasts."""
GUESS_AFTER = 0.21
"""A pause of 160 ms, and 50 ms to write it down."""
COMMIT_AFTER = 0.3
IDS = {"ann": 1, "bob": 2, "cat": 3, "dan": 4}
NAMES = {person_id: name for name, person_id in IDS.items()}


@dataclass
class _Speech:
    kind: SpeechKind
    text: str
    left: float
    since: float | None
    number: int


class VoiceScene:
    """One line. Say what happens when, then `run`."""

    def __init__(
        self,
        *people: str,
        mode: LineMode = LineMode.OPEN,
        strangers: tuple[str, ...] = (),
        options: TurnOptions | None = None,
    ) -> None:
        self.options = options or TurnOptions(mode=mode, tone=False, filler=False)
        self.turns = TurnTaking(self.options)
        self.log: list[tuple[float, LineCommand]] = []
        self.spoken_into: list[tuple[bool, LineCommand]] = []
        """Each command, and whether anybody talked, the bot included, when it was given."""
        self.states: list[tuple[float, tuple[LineState, int | None]]] = []
        self.strangers = set(strangers)
        self.here = list(people)
        self.now = 0.0
        self._number = itertools.count()
        self._queue: list[tuple[float, int, Callable[[], None]]] = []
        self._speech: _Speech | None = None
        self._talking: dict[str, Callable[[float], Guessed | None]] = {}
        self._participants()

    # --- What happens. --------------------------------------------------------------------------

    def at(self, at: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._queue, (at, next(self._number), action))

    def says(
        self,
        who: str,
        text: str,
        at: float,
        *,
        seconds: float | None = None,
        commit_after: float = COMMIT_AFTER,
        written_after: float = 0.0,
        reason: EndReason = EndReason.COMPLETE,
        voice_only: bool = False,
        guesses: tuple[str, ...] | None = None,
    ) -> float:
        """Let somebody talk; return when they have ended.

        Args:
            who: Their name.
            text: Their words; a `|` is a pause.
            at: When they begin.
            seconds: How long all words take.
            commit_after: After how much silence the utterance is over.
            written_after: How much later its words are known.
            reason: Why it is over.
            voice_only: Whether it turns out to be nothing.
            guesses: What is guessed at each pause, the last included, in place of the words.
        """
        parts = [part.split() for part in text.split("|")]
        words = [word for part in parts for word in part]
        total = seconds if seconds is not None else WORD_SECONDS * len(words)
        spans: list[tuple[float, float]] = []
        start = at
        for part in parts:
            end = start + total * len(part) / len(words)
            spans.append((start, end))
            start = end + BREAK_SECONDS
        self._voice(who, spans, [] if voice_only else words, parts, guesses)
        ended = spans[-1][1]
        committed = ended + commit_after
        utterance = Utterance(
            person_id=IDS[who],
            text=" ".join(words),
            began_at=at,
            ended_at=ended,
            committed_at=committed,
            voiced_seconds=total,
            reason=reason,
        )

        def over() -> None:
            self._talking.pop(who, None)
            self._participants()
            self._heard(UtteranceEnded(utterance=utterance))

        def faded() -> None:
            self._talking.pop(who, None)
            self._heard(VoiceFaded(person_id=IDS[who], at=self.now))

        self.at(committed + written_after, faded if voice_only else over)
        return ended

    def _voice(
        self,
        who: str,
        spans: list[tuple[float, float]],
        words: list[str],
        parts: list[list[str]],
        guesses: tuple[str, ...] | None,
    ) -> None:
        total = sum(end - start for start, end in spans)

        def voiced_until(now: float) -> float:
            return sum(max(0.0, min(end, now) - start) for start, end in spans if start < now)

        def guess(now: float) -> Guessed:
            share = voiced_until(now) / total
            return Guessed(
                person_id=IDS[who],
                text=" ".join(words[: round(share * len(words))]),
                voiced_seconds=voiced_until(now),
                at=now,
            )

        def began() -> None:
            self._talking[who] = guess
            self._participants()
            self._heard(VoiceBegan(person_id=IDS[who], at=self.now))

        def went_on() -> None:
            voiced = voiced_until(self.now)
            self._heard(VoiceWentOn(person_id=IDS[who], voiced_seconds=voiced, at=self.now))

        self.at(spans[0][0] + 2 * FRAME, began)
        said = 0
        for number, (start, end) in enumerate(spans):
            for frame in range(2, int((end - start) / FRAME) + 1):
                self.at(start + frame * FRAME, went_on)
            said += len(parts[number])
            text = " ".join(words[:said]) if guesses is None else guesses[number]
            self.at(end + 0.16, self._paused(who))
            self.at(end + GUESS_AFTER, self.guesses(who, text, voiced_until(end)))

    def _paused(self, who: str) -> Callable[[], None]:
        return lambda: self._heard(VoicePaused(person_id=IDS[who], at=self.now))

    def guesses(self, who: str, text: str, voiced: float) -> Callable[[], None]:
        return lambda: self._heard(
            Guessed(person_id=IDS[who], text=text, voiced_seconds=voiced, at=self.now)
        )

    def speaks(
        self,
        text: str,
        at: float,
        *,
        to: str | None = None,
        seconds: float | None = None,
        kind: SpeechKind = SpeechKind.ANSWER,
        is_known: bool = False,
    ) -> None:
        """Let the bot speak, `seconds` long unless it is paused or stopped.

        With `is_known`, its text was told before.
        """
        length = seconds if seconds is not None else WORD_SECONDS * len(text.split())

        def begin() -> None:
            if self._speech is not None:
                self.at(self.now + 0.05, begin)
                return
            if not (is_known or kind is SpeechKind.FILLER):
                self.turns.speech_grew(text)
            number = next(self._number)
            self._speech = _Speech(kind, text, length, self.now, number)
            self._obey(self.turns.speech_began(kind, IDS[to] if to else None, self.now))
            if kind is SpeechKind.FILLER:
                self.turns.speech_grew(text)
            self._schedule_end(number)

        self.at(at, begin)

    def works(self, who: str | None, at: float, until: float) -> None:
        """Let a turn of somebody be worked on."""
        person_id = IDS[who] if who else None
        self.at(at, lambda: self._obey(self.turns.answering(person_id, self.now)))
        self.at(until, lambda: self._obey(self.turns.answered(self.now)))

    def notices(self, at: float, *, wait: bool = True) -> None:
        self.at(at, lambda: self._obey(self.turns.notices_wait(wait, self.now)))

    def leaves(self, who: str, at: float) -> None:
        self._change(at, lambda: self.here.remove(who) if who in self.here else None)

    def joins(self, who: str, at: float) -> None:
        self._change(at, lambda: self.here.append(who))

    def forbids(self, who: str, at: float) -> None:
        self._change(at, lambda: self.strangers.add(who))

    def _change(self, at: float, change: Callable[[], None]) -> None:
        self.at(at, change)
        self.at(at, self._participants)

    def mode(self, mode: LineMode, at: float) -> None:
        self.at(at, lambda: self._obey(self.turns.set_mode(mode)))

    def pushes(self, who: str, at: float) -> None:
        self.at(at, lambda: self._obey(self.turns.pushed(IDS[who], self.now)))

    def cuts_speech(self, at: float) -> None:
        """Let the present speech be ended by a command."""
        self.at(at, lambda: self._end_speech(None))

    # --- What comes of it. ----------------------------------------------------------------------

    def run(self, until: float = 60.0) -> list[str]:
        """Let time pass, and return what was decided, in words."""
        while True:
            due = self.turns.next_at
            event_at = self._queue[0][0] if self._queue else None
            at = min((each for each in (due, event_at) if each is not None), default=None)
            if at is None or at > until:
                break
            self.now = max(self.now, at)
            if event_at is not None and event_at <= at:
                heapq.heappop(self._queue)[2]()
            else:
                self._obey(self.turns.passed(self.now))
                again = self.turns.next_at
                assert again is None or again > self.now, "it would be asked for ever"
        return self.words()

    def words(self) -> list[str]:
        """Return what was decided so far, but for listening in."""
        return [_in_words(command) for _, command in self.log if not isinstance(command, ListenIn)]

    def when(self, word: str) -> float:
        """Return when the first thing was decided that begins with a word."""
        return next(at for at, command in self.log if _in_words(command).startswith(word))

    def state_at(self, at: float) -> tuple[LineState, int | None]:
        return [state for since, state in self.states if since <= at][-1]

    def _participants(self) -> None:
        people = [
            Participant(person_id=IDS[who], name=who.title(), may_talk=who not in self.strangers)
            for who in self.here
        ]
        self._obey(self.turns.people(people))

    def _heard(self, event: HearingEvent) -> None:
        self._obey(self.turns.heard(event))

    def _obey(self, commands: list[LineCommand]) -> None:
        for command in commands:
            self.log.append((self.now, command))
            is_busy = self._speech is not None or not self._talking.keys().isdisjoint(self.here)
            self.spoken_into.append((is_busy, command))
            match command:
                case ListenIn(person_id=person_id):
                    self._listen_in(NAMES[person_id])
                case PauseSpeech():
                    self._pause()
                case ResumeSpeech():
                    self._resume()
                case StopSpeech(by=by):
                    self.at(self.now + 0.01, partial(self._end_speech, by))
                case _:
                    pass
        self.states.append((self.now, self.turns.state))

    def _listen_in(self, who: str) -> None:
        guess = self._talking.get(who)
        made = guess(self.now) if guess else None
        if made is not None:
            self.at(
                self.now + 0.05,
                self.guesses(who, made.text, made.voiced_seconds),
            )

    # --- The bot's speech. ----------------------------------------------------------------------

    def _schedule_end(self, number: int) -> None:
        speech = self._speech
        if speech is None or speech.since is None:
            return
        expected = speech.since + speech.left

        def end() -> None:
            now = self._speech
            if now is None or now.number != number or now.since is None:
                return
            if now.since + now.left <= self.now + 1e-9:
                self._end_speech(None)

        self.at(expected, end)

    def _pause(self) -> None:
        if self._speech is not None and self._speech.since is not None:
            self._speech.left -= self.now - self._speech.since
            self._speech.since = None

    def _resume(self) -> None:
        if self._speech is not None and self._speech.since is None:
            self._speech.since = self.now
            self._schedule_end(self._speech.number)

    def _end_speech(self, by: int | None) -> None:
        speech, self._speech = self._speech, None
        if speech is None:
            return
        if speech.since is not None:
            speech.left -= self.now - speech.since
        is_whole = speech.left <= 1e-9
        heard = Heard(text=speech.text if is_whole else "", is_whole=is_whole, interrupted_by=by)
        self._obey(self.turns.speech_ended(heard, self.now))


def _in_words(command: LineCommand) -> str:  # noqa: C901, PLR0911 - one for each
    match command:
        case TakeTurn(turn=turn):
            kind = "merged" if turn.is_merged else "turn"
            return f"{kind} {NAMES[turn.utterance.person_id]}: {turn.utterance.text}"
        case Overhear(remark=remark):
            kind = "stranger" if remark.is_of_other else "remark"
            return f"{kind} {NAMES[remark.person_id]}: {remark.text}"
        case StopSpeech(by=by, cause=cause):
            return f"stop {NAMES[by]}: {cause}"
        case CancelWork(by=by):
            return f"cancel {NAMES[by]}"
        case ListenIn(person_id=person_id):
            return f"listen in {NAMES[person_id]}"
        case PauseSpeech():
            return "pause"
        case ResumeSpeech():
            return "resume"
        case AnnounceNow():
            return "announce"
        case SayFiller():
            return "filler"
        case PlayTone():
            return "tone"
