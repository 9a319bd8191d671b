"""What a line knows: who is there, who talks, what is said and what is worked on. Pure."""

from collections.abc import Sequence

from voice.addressing import Addressing, Windows
from voice.barge_in import Reach
from voice.events import LineMode, Participant
from voice.interjections import Interjection, read_interjection
from voice.interruptions import Interruptions
from voice.names import calls_other
from voice.remarks import Remarks
from voice.speech_track import SpeechTrack
from voice.taken_turns import TakenTurns
from voice.talkers import Talker, Talkers
from voice.turn_options import TurnOptions
from voice.waits import Surroundings, Waits


class Scene:
    """All that a line remembers; nothing is decided here that takes more than one part of it."""

    def __init__(self, options: TurnOptions) -> None:
        self.options = options
        self.mode = options.mode
        self.now = float("-inf")
        self.is_working = False
        self.working_for: int | None = None
        self.silenced_by: int | None = None
        """Who has asked for silence while it thinks: the answer is not spoken."""
        self.people: dict[int, Participant] = {}
        self.gone: dict[int, Participant] = {}
        """Those who have left while they talked: what they have said is still to come."""
        self.talkers = Talkers(
            pauses_from=options.pause_seconds, listens_from=options.listen_in_seconds
        )
        self.track = SpeechTrack(options)
        self.interruptions = Interruptions(options, self.track)
        self.addressing = Addressing(
            Windows(
                reply_seconds=options.reply_seconds,
                question_seconds=options.question_seconds,
                follow_up_seconds=options.follow_up_seconds,
                push_seconds=options.push_seconds,
            )
        )
        self.taken = TakenTurns(merge_seconds=options.merge_seconds)
        self.remarks = Remarks()
        self.waits = Waits(options)

    # --- People. --------------------------------------------------------------------------------

    @property
    def is_alone(self) -> bool:
        """Whether only one person is in the channel."""
        return len(self.people) == 1

    def may_talk(self, person_id: int) -> bool:
        """Say whether somebody is here, and may talk to the bot."""
        person = self.people.get(person_id)
        return person is not None and person.may_talk

    def changed(self, people: Sequence[Participant]) -> list[int]:
        """Take who is here now, and return those who may not talk any more, or are gone."""
        before = self.people
        self.people = {person.person_id: person for person in people}
        for talker in self.talkers.keep(self.people):
            if talker.person_id in before:
                self.gone[talker.person_id] = before[talker.person_id]
        for person_id in self.people:
            self.gone.pop(person_id, None)
        return [
            person_id
            for person_id, person in before.items()
            if person.may_talk and not self.may_talk(person_id)
        ]

    def others(self, person_id: int) -> tuple[str, ...]:
        """Return the names of all others."""
        return tuple(
            person.name for person in self.people.values() if person.person_id != person_id
        )

    # --- Words. ---------------------------------------------------------------------------------

    def meaning(self, text: str, *, is_unfinished: bool = False) -> Interjection:
        """Return what words mean by themselves."""
        return read_interjection(text, self.options.names, is_unfinished=is_unfinished)

    def calls_other(self, person_id: int, text: str) -> bool:
        """Say whether somebody calls another person."""
        return calls_other(text, self.others(person_id))

    def reach(self, person_id: int, text: str, began_at: float, ended_at: float) -> Reach:
        """Return what somebody's words may do to the present speech."""
        speech = self.track.present
        if self.addressing.is_pushed(person_id, began_at, ended_at):
            return Reach.ALL
        if self.mode is LineMode.PUSH:
            return Reach.STOP_WORD
        is_answered = speech is not None and speech.to == person_id
        is_trusted = not self.interruptions.hears_echo_of(person_id, self.now)
        is_partner = is_answered or (self.is_alone and self.mode is LineMode.OPEN)
        if is_partner and is_trusted and not self.calls_other(person_id, text):
            return Reach.ALL
        return Reach.NAME

    def works_for(self, person_id: int | None) -> None:
        """Know that a turn is being worked on, and for whom."""
        self.is_working, self.working_for, self.silenced_by = True, person_id, None

    def works_no_more(self) -> None:
        """Know that the work on it has ended."""
        self.is_working, self.working_for, self.silenced_by = False, None, None

    def is_waited_for_by(self, person_id: int) -> bool:
        """Say whether somebody waits for an answer."""
        is_for_them = self.is_working and self.working_for == person_id
        return is_for_them or self.taken.is_unanswered(person_id)

    # --- Time. ----------------------------------------------------------------------------------

    @property
    def talking(self) -> list[Talker]:
        """Those who talk, and may talk to the bot."""
        return [talker for talker in self.talkers if self.may_talk(talker.person_id)]

    @property
    def talking_ids(self) -> set[int]:
        """The ids of all who talk."""
        return {talker.person_id for talker in self.talkers}

    def surroundings(self) -> Surroundings:
        """Return what goes on."""
        return Surroundings(
            is_talking=len(self.talkers) > 0 or self.taken.holds_any,
            is_speaking=self.track.present is not None,
            is_working=self.is_working,
            last_voice_at=self.talkers.last_voice_at,
        )
