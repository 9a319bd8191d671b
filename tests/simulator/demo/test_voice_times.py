from itertools import chain

from simulator.demo.voice_demo import stage_seconds
from simulator.demo.voice_model import ModelTurn
from simulator.demo.voice_stage import SpokenTurn, start_of_speech
from simulator.discord.model import MessageVersion
from simulator.discord.voice.recording import HeardPacket, HeardSpeech
from simulator.discord.voice.talker import Said


def packets(*sounds: tuple[float, float]) -> list[HeardPacket]:
    """Return what is heard of sounds that begin and end then, in seconds."""
    times = (
        (began + 0.02 * number for number in range(round((ended - began) / 0.02)))
        for began, ended in sounds
    )
    return [
        HeardPacket(at_seconds=at, sequence=0, timestamp=0, opus=b"")
        for at in chain.from_iterable(times)
    ]


def test_a_short_sound_before_a_pause_is_no_speech() -> None:
    assert start_of_speech(packets((10.0, 10.2), (10.5, 12.0))) == 10.5


def test_speech_that_has_just_begun_may_yet_be_a_tone() -> None:
    assert start_of_speech([]) is None
    assert start_of_speech(packets((10.0, 10.2))) is None
    assert start_of_speech(packets((10.0, 10.2), (10.5, 10.6))) is None


def test_speech_begins_with_its_first_packet_whatever_pauses_it_has() -> None:
    assert start_of_speech(packets((10.0, 11.0), (11.5, 12.0))) == 10.0


def turn() -> SpokenTurn:
    """Return a turn whose answer was heard from 20 s on."""
    return SpokenTurn(
        label="question",
        said=Said(started_at_seconds=17, ended_at_seconds=19, packet_count=100),
        model=ModelTurn(told="", answered_at_seconds=19.4),
        speech=HeardSpeech(packets=tuple(packets((20.0, 22.0)))),
    )


def version(at: float, text: str) -> MessageVersion:
    """Return what a status message says from a moment on."""
    return MessageVersion(at_seconds=at, text=f"☎️ **a** · listening\n-# {text}")


def test_the_times_of_a_turn_are_the_newest_before_the_next_turn() -> None:
    versions = [
        version(15, "end of speech → transcript 9 ms"),
        version(22, "end of speech → transcript 302 ms · transcript → first words 1.2 s"),
        version(23, "hung up"),
        version(31, "end of speech → transcript 7 ms"),
    ]

    assert stage_seconds(versions, turn(), until_seconds=30) == {
        "end_of_speech_to_transcript": 0.302,
        "transcript_to_first_token": 1.2,
    }


def test_a_turn_whose_times_were_never_shown_has_none() -> None:
    assert (
        stage_seconds([version(15, "end of speech → transcript 9 ms")], turn(), until_seconds=30)
        == {}
    )
