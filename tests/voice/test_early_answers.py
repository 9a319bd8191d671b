"""An answer right before the end of the bot's question."""

from tests.fakes.voice_scene import VoiceScene
from voice.commands import SpeechKind


def question(text: str, *, seconds: float = 3.0) -> VoiceScene:
    scene = VoiceScene("ann", "bob")
    scene.speaks(text, 0.0, kind=SpeechKind.NOTICE, seconds=seconds)
    return scene


def test_a_yes_right_before_the_end_of_a_question_answers_it() -> None:
    scene = question("The build has finished. Want the rundown?")
    scene.says("bob", "Yes.", 2.6)

    assert scene.run(10.0) == ["pause", "resume", "turn bob: Yes."]


def test_a_yes_in_the_midst_of_a_long_speech_is_no_answer() -> None:
    scene = question("The build has finished. Want the rundown?", seconds=8.0)
    scene.says("bob", "Yes.", 2.6)

    assert scene.run(15.0) == ["pause", "resume", "remark bob: Yes."]


def test_a_no_into_a_question_ends_it_and_answers_it() -> None:
    scene = VoiceScene("ann")
    scene.speaks("Shall I delete all of it?", 0.0, to="ann", seconds=3.0)
    scene.says("ann", "No.", 2.6)

    assert scene.run(10.0) == ["pause", "stop ann: stop word", "turn ann: No."]
