"""Decides whose turn it is on a voice line. Pure."""

from collections.abc import Sequence
from typing import assert_never

from voice.commands import LineCommand, SpeechKind
from voice.events import (
    Guessed,
    Heard,
    HearingEvent,
    LineMode,
    LineState,
    Participant,
    UtteranceEnded,
    VoiceBegan,
    VoiceFaded,
    VoicePaused,
    VoiceWentOn,
)
from voice.scene import Scene
from voice.speech_desk import SpeechDesk
from voice.speech_track import asks
from voice.talkers import Talker
from voice.turn_options import TurnOptions
from voice.utterance_desk import UtteranceDesk

__all__ = ["TurnOptions", "TurnTaking"]


class TurnTaking:
    """Is told what happens on a line, in the order in time, and says what to do.

    All times are seconds of one monotonic clock. Each method returns what to do now; `passed` has
    to be called when `next_at` has come.
    """

    def __init__(self, options: TurnOptions) -> None:
        """Begin with nobody in the channel."""
        self._scene = Scene(options)
        self._speech = SpeechDesk(self._scene)
        self._desk = UtteranceDesk(self._scene, self._speech)

    # --- People. --------------------------------------------------------------------------------

    def people(self, people: Sequence[Participant]) -> list[LineCommand]:
        """Say who is in the channel, and who of them may talk to the bot."""
        commands: list[LineCommand] = []
        for person_id in self._scene.changed(people):
            commands += self._desk.left(person_id)
        return commands

    def set_mode(self, mode: LineMode) -> list[LineCommand]:
        """Change when somebody is taken to talk to the bot; also for who talks already."""
        self._scene.mode = mode
        return []

    def pushed(self, person_id: int, now: float) -> list[LineCommand]:
        """Say that somebody has pressed the button to talk."""
        self._at(now)
        self._scene.addressing.pushed(person_id, now)
        return self._due()

    # --- What is heard. -------------------------------------------------------------------------

    def heard(self, event: HearingEvent) -> list[LineCommand]:
        """Take what the ears tell."""
        self._at(event.utterance.committed_at if isinstance(event, UtteranceEnded) else event.at)
        return [*self._heard(event), *self._due()]

    def _heard(self, event: HearingEvent) -> list[LineCommand]:
        talkers = self._scene.talkers
        match event:
            case VoiceBegan():
                return self._voice(talkers.began(event.person_id, event.at))
            case VoiceWentOn():
                return self._voice(talkers.went_on(event.person_id, event.voiced_seconds, event.at))
            case VoicePaused():
                talkers.paused(event.person_id, event.at)
                return []
            case Guessed():
                return self._speech.guessed(event)
            case UtteranceEnded():
                return self._desk.ended(event.utterance)
            case VoiceFaded():
                return self._speech.faded(event.person_id)
            case _:
                assert_never(event)

    def _voice(self, talker: Talker) -> list[LineCommand]:
        scene = self._scene
        if not scene.may_talk(talker.person_id):
            return []
        return scene.interruptions.voice(talker, scene.now)

    # --- What is answered. ----------------------------------------------------------------------

    def answering(self, person_id: int | None, now: float) -> list[LineCommand]:
        """Say that a turn is being worked on; `None`: nobody on the line waits for its answer."""
        self._at(now)
        self._scene.works_for(person_id)
        self._scene.waits.answering(now, is_awaited=person_id is not None)
        return self._due()

    def answered(self, now: float) -> list[LineCommand]:
        """Say that nothing more will be spoken of that turn."""
        self._at(now)
        scene = self._scene
        if scene.working_for is not None:
            scene.taken.answered(scene.working_for)
        scene.works_no_more()
        scene.waits.no_filler()
        return self._due()

    # --- What is spoken. ------------------------------------------------------------------------

    def speech_began(self, kind: SpeechKind, to: int | None, now: float) -> list[LineCommand]:
        """Say that the first packet of a speech is being sent."""
        self._at(now)
        scene = self._scene
        commands = scene.interruptions.speech_ended()
        scene.track.began(kind, to, now)
        if kind is SpeechKind.ANSWER:
            scene.waits.no_filler()
            commands += self._speech.answer_began()
        for talker in scene.talking:
            commands += scene.interruptions.voice(talker, now)
        return [*commands, *self._due()]

    def speech_grew(self, text: str) -> None:
        """Say what all the present speech consists of so far; also before it has begun."""
        self._scene.track.grew(text)

    def speech_ended(self, heard: Heard, now: float) -> list[LineCommand]:
        """Say that a speech is over, or that it came to none."""
        self._at(now)
        scene = self._scene
        commands = scene.interruptions.speech_ended()
        speech = scene.track.ended(now)
        if speech is not None and speech.kind is not SpeechKind.FILLER:
            asked = asks(heard.text)
            scene.addressing.answered(speech.to, now, asks=asked)
            scene.waits.spoken(now, asked=asked)
            commands += self._desk.speech_ended(heard)
        return [*commands, *self._due()]

    def notices_wait(self, waiting: bool, now: float) -> list[LineCommand]:  # noqa: FBT001 - it is all that is told
        """Say whether there are notices to be spoken."""
        self._at(now)
        self._scene.waits.notices_wait(is_any=waiting)
        return self._due()

    # --- Time. ----------------------------------------------------------------------------------

    def passed(self, now: float) -> list[LineCommand]:
        """Do what had to wait until now."""
        self._at(now)
        return self._due()

    @property
    def next_at(self) -> float | None:
        """When `passed` has to be called next, if nothing else happens before."""
        scene = self._scene
        times = [
            scene.interruptions.next_at,
            scene.talkers.next_at,
            scene.taken.next_at(scene.talking_ids),
            scene.waits.next_at(scene.surroundings()),
        ]
        return min((at for at in times if at is not None), default=None)

    def _at(self, now: float) -> None:
        self._scene.now = max(self._scene.now, now)

    def _due(self) -> list[LineCommand]:
        scene = self._scene
        commands: list[LineCommand] = []
        for talker in scene.talkers.lost(scene.now):
            commands += self._speech.faded(talker.person_id)
        for person_id in scene.interruptions.passed(scene.now):
            if talker_there := scene.talkers.get(person_id):
                talker_there.has_no_say = True
            commands += scene.interruptions.made_noise(person_id, scene.now)
        for spoken in scene.taken.due(scene.now, scene.talking_ids):
            commands += self._desk.taken(spoken)
        return [*commands, *scene.waits.due(scene.now, scene.surroundings())]

    @property
    def state(self) -> tuple[LineState, int | None]:
        """What the line does, and who talks if it hears somebody."""
        scene = self._scene
        talking = scene.talking
        speech = scene.track.present
        is_paused = scene.interruptions.is_paused and talking
        if speech is not None and not (speech.is_stopped or is_paused):
            return LineState.SPEAKING, None
        if talking:
            return LineState.HEARING, talking[0].person_id
        return (LineState.THINKING if scene.is_working else LineState.LISTENING), None
