"""Does to the bot's speech what people want by their words. Pure."""

from voice.barge_in import Effect, Verdict
from voice.commands import CancelWork, LineCommand
from voice.events import Guessed, StopCause, Utterance
from voice.interruptions import Words
from voice.scene import Scene
from voice.talkers import Talker


class SpeechDesk:
    """Pauses, resumes and ends what is spoken, and cancels what is worked on."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._cancelled: dict[int, float] = {}

    def guessed(self, guess: Guessed) -> list[LineCommand]:
        """Take what somebody seems to have said so far; matters only to what is being spoken."""
        scene = self._scene
        talker, speech = scene.talkers.get(guess.person_id), scene.interruptions.speech
        if talker is None or speech is None or talker.last_voice_at <= speech.began_at:
            return []
        if not scene.may_talk(guess.person_id) or talker.is_younger_than(guess.voiced_seconds):
            return []
        words = Words(
            person_id=guess.person_id,
            text=guess.text,
            meaning=scene.meaning(guess.text, is_unfinished=not talker.is_silent),
            reach=scene.reach(guess.person_id, guess.text, talker.began_at, guess.at),
            voiced_seconds=guess.voiced_seconds,
            began_at=talker.began_at,
            ended_at=talker.last_voice_at,
            is_silent=talker.is_silent,
        )
        if scene.interruptions.is_echo(words, scene.now):
            # Once the speech is paused, its echo ends; whoever goes on talks themselves.
            return scene.interruptions.echoed(words, scene.now) if talker.is_silent else []
        return self.carried_out(scene.interruptions.judged(words), words, talker)

    def faded(self, person_id: int) -> list[LineCommand]:
        """Take that what somebody seemed to say was nothing."""
        self._scene.gone.pop(person_id, None)
        self._scene.talkers.gone(person_id)
        return self._scene.interruptions.made_noise(person_id, self._scene.now)

    def carried_out(
        self, verdict: Verdict, words: Words, talker: Talker | None
    ) -> list[LineCommand]:
        """Do to the speech what somebody's words want."""
        scene = self._scene
        match verdict.effect:
            case Effect.STOP:
                return self._stopped(words.person_id, verdict)
            case Effect.WAIT:
                if words.meaning.has_words:
                    scene.interruptions.waits_for(words.person_id)
                return []
            case Effect.GO_ON:
                if talker is not None:
                    self._may_pause_again(talker, words)
                if words.is_noise(scene.options.short_word_seconds):
                    return scene.interruptions.made_noise(words.person_id, scene.now)
                return scene.interruptions.released(words.person_id, scene.now)

    def _may_pause_again(self, talker: Talker, words: Words) -> None:
        if words.can_say_anything:
            talker.pauses_from = talker.voiced_seconds + self._scene.options.pause_seconds
        else:
            talker.has_no_say = True

    def _stopped(self, person_id: int, verdict: Verdict) -> list[LineCommand]:
        scene = self._scene
        scene.waits.no_filler()
        commands = scene.interruptions.stopped(person_id, verdict.cause, scene.now)
        return [*commands, *(self.cancel(person_id) if verdict.cancels else [])]

    def cancel(self, person_id: int) -> list[LineCommand]:
        """Stop what is worked on, as somebody said so."""
        self._scene.waits.no_filler()
        self._cancelled[person_id] = self._scene.now
        return [CancelWork(by=person_id)]

    def has_cancelled(self, utterance: Utterance) -> bool:
        """Say whether somebody has cancelled the work since they began to say something."""
        return self._cancelled.get(utterance.person_id, float("-inf")) >= utterance.began_at

    def silenced(self, person_id: int) -> list[LineCommand]:
        """End what is spoken, or would be: somebody has asked for silence."""
        self._scene.waits.no_filler()
        return self._scene.interruptions.stopped(person_id, StopCause.STOP_WORD, self._scene.now)

    def answer_began(self) -> list[LineCommand]:
        """Take that an answer is spoken, which somebody may not want to hear any more."""
        by = self._scene.silenced_by
        return [] if by is None else self.silenced(by)

    def left(self, person_id: int) -> list[LineCommand]:
        """Take that somebody is gone, or may not talk to the bot any more."""
        self._cancelled.pop(person_id, None)
        return self._scene.interruptions.left(person_id, self._scene.now)
