"""Decides what becomes of what somebody says on a voice line. Pure."""

from voice.addressing import Saying
from voice.commands import LineCommand, Overhear, PlayTone, SpeechKind, TakeTurn
from voice.events import (
    EndReason,
    Heard,
    Participant,
    Remark,
    StopCause,
    Utterance,
)
from voice.interruptions import Words
from voice.scene import Scene
from voice.speech_desk import SpeechDesk
from voice.speech_track import asks
from voice.taken_turns import Spoken

_EARLY_ANSWER_SECONDS = 2.0
"""So long before the end of a question somebody may answer it."""


class UtteranceDesk:
    """Makes turns and remarks of what people have said."""

    def __init__(self, scene: Scene, speech: SpeechDesk) -> None:
        self._scene = scene
        self._speech = speech
        self._early: dict[int, Utterance] = {}

    def left(self, person_id: int) -> list[LineCommand]:
        """Take that somebody is gone, or may not talk to the bot any more."""
        scene = self._scene
        commands = self._speech.left(person_id)
        if person_id not in scene.people:
            self._early.pop(person_id, None)
            scene.addressing.left(person_id)
        held = scene.taken.left(person_id)
        return [*commands, *([] if held is None else self._overheard(held.utterance))]

    # --- What becomes of what somebody has said. ------------------------------------------------

    def ended(self, utterance: Utterance) -> list[LineCommand]:
        """Take what somebody has said."""
        scene, person_id = self._scene, utterance.person_id
        scene.talkers.ended(person_id, utterance.ended_at)
        gone = scene.gone.pop(person_id, None)
        person = scene.people.get(person_id)
        words = self._words(utterance)
        if scene.interruptions.is_echo(words, scene.now):
            return scene.interruptions.echoed(words, scene.now)
        if person is None or not person.may_talk or utterance.reason is EndReason.LEFT:
            released = scene.interruptions.released(person_id, scene.now)
            return [*released, *self._reported(utterance, person or gone)]
        speech = scene.interruptions.speech
        if speech is None or utterance.ended_at <= speech.began_at:
            released = scene.interruptions.released(person_id, scene.now)
            return [*released, *self._settled(utterance, words)]
        verdict = scene.interruptions.judged(words)
        return [*self._speech.carried_out(verdict, words, None), *self._settled(utterance, words)]

    def _words(self, utterance: Utterance) -> Words:
        scene = self._scene
        began_at, ended_at = utterance.began_at, utterance.ended_at
        return Words(
            person_id=utterance.person_id,
            text=utterance.text,
            meaning=scene.meaning(utterance.text),
            reach=scene.reach(utterance.person_id, utterance.text, began_at, ended_at),
            voiced_seconds=utterance.voiced_seconds,
            began_at=began_at,
            ended_at=ended_at,
            is_over=True,
        )

    def _reported(self, utterance: Utterance, person: Participant | None) -> list[LineCommand]:
        """Only keep in mind what was said: by somebody who may not talk, or who has left."""
        if person is None or not (person.may_talk or self._scene.options.transcribe_others):
            return []
        return self._overheard(utterance, is_of_other=not person.may_talk)

    def _overheard(self, utterance: Utterance, *, is_of_other: bool = False) -> list[LineCommand]:
        remark = Remark(
            person_id=utterance.person_id,
            text=utterance.text,
            at=utterance.began_at,
            is_of_other=is_of_other,
        )
        self._scene.remarks.add(remark)
        return [Overhear(remark=remark)]

    def _settled(self, utterance: Utterance, words: Words) -> list[LineCommand]:
        """Make a turn of it, or a remark, or nothing, once the speech has got its share."""
        scene, meaning = self._scene, words.meaning
        has_stopped = scene.interruptions.has_stopped(utterance.person_id, utterance.began_at)
        if meaning.is_command:
            return self._commanded(utterance, words, has_stopped=has_stopped)
        if has_stopped:
            is_answer = not meaning.is_only_no or scene.track.was_question
            cancelled = self._cancelled_before(utterance, words)
            return [*cancelled, *(self._turn(utterance) if is_answer else [])]
        if (murmured := self._murmured(utterance, words)) is not None:
            return murmured
        if not self._is_addressed(utterance, words):
            return self._overheard(utterance)
        is_awaited = scene.is_working and scene.is_waited_for_by(utterance.person_id)
        cancelled = self._cancelled_before(utterance, words) if is_awaited else []
        return [*cancelled, *self._turn(utterance)]

    def _cancelled_before(self, utterance: Utterance, words: Words) -> list[LineCommand]:
        """Take back what was asked before, if somebody began with that: `Never mind. ...`."""
        person_id = utterance.person_id
        if not words.meaning.is_cancel or self._speech.has_cancelled(utterance):
            return []
        self._scene.taken.answered(person_id)
        return self._speech.cancel(person_id)

    def _commanded(
        self, utterance: Utterance, words: Words, *, has_stopped: bool
    ) -> list[LineCommand]:
        """Obey words that only ask for silence, or take a question back; they are no turn."""
        scene, person_id, meaning = self._scene, utterance.person_id, words.meaning
        if self._speech.has_cancelled(utterance):
            return []
        if has_stopped:
            return self._speech.cancel(person_id) if meaning.is_cancel else []
        may_speak_for_it = scene.is_alone or meaning.has_name
        if scene.is_waited_for_by(person_id) or (scene.is_working and may_speak_for_it):
            if meaning.is_cancel:
                return self._taken_back(person_id)
            scene.silenced_by = person_id
            return self._speech.silenced(person_id)
        if not self._is_addressed(utterance, words):
            return self._overheard(utterance)
        return self._turn(utterance) if meaning.is_cancel else []

    def _taken_back(self, person_id: int) -> list[LineCommand]:
        was_taken = self._scene.taken.dropped(person_id)
        self._scene.taken.answered(person_id)
        return self._speech.cancel(person_id) if was_taken or self._scene.is_working else []

    def _murmured(self, utterance: Utterance, words: Words) -> list[LineCommand] | None:
        """Deal with words that ask for no answer; `None` if they may be for the bot after all."""
        scene, meaning = self._scene, words.meaning
        is_during = scene.track.is_mostly_during(utterance.began_at, utterance.ended_at)
        is_noise = is_during and words.is_noise(scene.options.short_word_seconds)
        if meaning.has_name or not (meaning.is_backchannel or is_noise):
            return None
        is_spoken_into = is_during and scene.interruptions.speech is not None
        if scene.addressing.is_asked and scene.interruptions.speech is None:
            return None
        if is_spoken_into and scene.track.was_question:
            self._early[utterance.person_id] = utterance
            return []
        if not (is_during or meaning.is_hum or scene.is_waited_for_by(utterance.person_id)):
            return None
        return [] if meaning.is_hum or is_noise else self._overheard(utterance)

    def _is_addressed(self, utterance: Utterance, words: Words) -> bool:
        scene, person_id = self._scene, utterance.person_id
        if scene.taken.goes_on(utterance) and not scene.calls_other(person_id, utterance.text):
            return True
        saying = Saying(
            person_id=person_id,
            text=utterance.text,
            has_name=words.meaning.has_name,
            began_at=utterance.began_at,
            ended_at=utterance.ended_at,
        )
        return scene.addressing.is_addressed(
            saying, scene.mode, is_alone=scene.is_alone, others=scene.others(person_id)
        )

    # --- Turns. ---------------------------------------------------------------------------------

    def _turn(self, utterance: Utterance) -> list[LineCommand]:
        scene = self._scene
        spoken = scene.taken.joined(utterance)
        talks_again = scene.talkers.get(utterance.person_id) is not None
        if scene.taken.held_back(spoken, talks_again=talks_again):
            return []
        return self.taken(spoken)

    def taken(self, spoken: Spoken) -> list[LineCommand]:
        """Have something answered."""
        scene, person_id = self._scene, spoken.utterance.person_id
        since = scene.taken.last_committed_at(person_id)
        seconds = 0.0
        if since is not None:
            seconds = scene.track.answer_seconds(person_id, since, scene.now)
        turn = scene.taken.taken(spoken, scene.remarks.taken(), answer_seconds=seconds)
        scene.addressing.turn_taken(person_id, spoken.utterance.ended_at)
        scene.interruptions.took_turn(person_id)
        scene.waits.turn_taken(scene.now)
        speech = scene.interruptions.speech
        commands: list[LineCommand] = []
        if (
            turn.is_merged
            and speech
            and speech.kind is SpeechKind.ANSWER
            and speech.to == person_id
        ):
            commands += scene.interruptions.stopped(person_id, StopCause.CONTENT, scene.now)
        commands.append(TakeTurn(turn=turn))
        if scene.options.tone and not turn.is_merged and scene.interruptions.speech is None:
            commands.append(PlayTone())
        return commands

    def speech_ended(self, heard: Heard) -> list[LineCommand]:
        """Take for answers what was said right before the end of a question."""
        scene, early = self._scene, list(self._early.values())
        self._early.clear()
        commands: list[LineCommand] = []
        is_open = heard.is_whole and asks(heard.text)
        for utterance in early:
            is_soon = utterance.ended_at >= scene.now - _EARLY_ANSWER_SECONDS
            meaning = scene.meaning(utterance.text)
            if is_open and is_soon and scene.may_talk(utterance.person_id):
                commands += self._turn(utterance)
                is_open = False
            elif not (meaning.is_hum or meaning.content_words):
                commands += self._overheard(utterance)
        return commands
