from benchmarks.rows import Target
from benchmarks.voice.conditions import arrivals
from benchmarks.voice.corpus import readings
from benchmarks.voice.simulated_hearing import hear
from benchmarks.voice.understanding import error_row, heard_by
from tests.fakes.real_models import real_models


def test_recorded_speech_is_understood_through_real_opus_and_real_models() -> None:
    clip = readings()[0]

    heard = heard_by(real_models(), [clip], lambda clip, seed: arrivals(clip.audio, seed=seed))

    assert clip.text == "It was the best of times, it was the worst of times,"
    (one,) = heard
    assert one.errors.errors == 0
    assert not one.is_early
    row = error_row("recorded speech", heard, 6.0, "a reading")
    assert (row.value, row.target, row.ok) == (0.0, Target("≤", 6.0), True)
    assert row.against == "1 clips, 12 words: a reading"


def test_what_is_said_after_a_long_pause_is_another_utterance() -> None:
    first, second = readings()[-2:]
    packets = arrivals(first.audio, seed=1)
    later = packets[-1].at + 2.0
    packets += [
        type(packet)(opus=packet.opus, number=packet.number + 200, at=packet.at + later)
        for packet in arrivals(second.audio, seed=2)
    ]

    hearing = hear(real_models(), packets)

    assert len(hearing.utterances) == 2
    assert hearing.utterances[1].began_at > later
