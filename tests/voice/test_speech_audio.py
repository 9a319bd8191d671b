import numpy as np
import pytest

from tests.fakes.speaking import hum
from voice.opus import PACKET_SAMPLES, OpusDecoder, OpusEncoder
from voice.samples import SPEECH_RATE, Samples
from voice.speech_audio import Leveller, Packer, Trimmer


def silence(seconds: float) -> Samples:
    return np.zeros(round(seconds * SPEECH_RATE), np.float32)


def trimmed(*pieces: Samples) -> Samples:
    trimmer = Trimmer()
    return np.concatenate([*(trimmer.feed(piece) for piece in pieces), trimmer.finish()])


def levelled(audio: Samples, leveller: Leveller | None = None) -> Samples:
    leveller = leveller or Leveller()
    frames = audio[: len(audio) // PACKET_SAMPLES * PACKET_SAMPLES].reshape(-1, PACKET_SAMPLES)
    even = [leveller.feed(frame) for frame in frames] + [leveller.finish()]
    return np.concatenate([frame for frame in even if frame is not None])


def loudness(audio: Samples) -> float:
    return float(np.sqrt(np.mean(np.square(audio))))


@pytest.mark.parametrize("piece_seconds", [0.01, 0.07, 5.0])
def test_silence_around_speech_is_left_out_but_for_a_little(piece_seconds: float) -> None:
    audio = np.concatenate([silence(0.305), hum(1.0), silence(0.5), hum(0.5), silence(0.8)])
    step = int(piece_seconds * SPEECH_RATE)
    kept = trimmed(*(audio[at : at + step] for at in range(0, len(audio), step)))
    assert len(kept) / SPEECH_RATE == pytest.approx(0.02 + 1.0 + 0.5 + 0.5 + 0.12, abs=0.002)


def test_how_much_was_left_out_before_is_told() -> None:
    trimmer = Trimmer()
    trimmer.feed(silence(0.2))
    trimmer.feed(np.concatenate([silence(0.1), hum(0.1)]))
    assert trimmer.skipped_seconds == pytest.approx(0.28, abs=0.001)


def test_speech_without_silence_is_kept_as_it_is() -> None:
    audio = hum(0.3)[10:]
    assert len(audio) - len(trimmed(audio)) < 20


def test_nothing_but_silence_is_nothing() -> None:
    assert trimmed(silence(1.0)).size == 0


@pytest.mark.parametrize("amplitude", [0.02, 0.05, 0.14, 0.4, 0.9])
def test_a_loud_and_a_soft_voice_come_out_evenly_loud(amplitude: float) -> None:
    even = levelled(hum(8.0, amplitude=amplitude))
    plain = amplitude / np.sqrt(2)
    expected = min(max(0.1, plain / 4), plain * 4)
    assert loudness(even[-SPEECH_RATE:]) == pytest.approx(expected, rel=0.15)


def test_no_sample_is_ever_above_the_ceiling() -> None:
    random = np.random.default_rng(1)
    leveller = Leveller()
    levelled(hum(4.0, amplitude=0.03), leveller)
    bursts = np.concatenate(
        [
            hum(seconds, amplitude=amplitude)
            for seconds, amplitude in zip(
                random.uniform(0.02, 0.3, 60), random.uniform(0.01, 1.0, 60), strict=True
            )
        ]
    )
    assert float(np.max(np.abs(levelled(bursts, leveller)))) <= 0.84 + 1e-6


def test_the_gain_is_kept_from_one_chunk_to_the_next() -> None:
    leveller = Leveller()
    levelled(hum(8.0, amplitude=0.05), leveller)
    following = levelled(hum(0.5, amplitude=0.05), leveller)
    assert loudness(following) == pytest.approx(0.1, rel=0.15)


def test_pauses_do_not_make_it_louder() -> None:
    audio = np.concatenate([hum(3.0), silence(6.0), hum(1.0)])
    even = levelled(audio)
    assert loudness(even[-SPEECH_RATE // 2 :]) == pytest.approx(loudness(hum(1.0)), rel=0.1)


def test_the_gain_moves_without_steps() -> None:
    even = levelled(np.concatenate([hum(1.0, amplitude=0.1), hum(1.0, amplitude=0.8)]))
    tone = levelled(hum(2.0, amplitude=0.84))
    assert float(np.max(np.abs(np.diff(even)))) <= float(np.max(np.abs(np.diff(tone)))) * 1.1


@pytest.mark.parametrize("step", [100, 960, 4321, 100_000])
def test_packets_carry_all_of_a_chunk_however_it_comes(step: int) -> None:
    audio = hum(1.003)
    packer = Packer(OpusEncoder(), Leveller())
    packets = [p for at in range(0, len(audio), step) for p in packer.feed(audio[at : at + step])]
    packets += packer.finish()
    assert len(packets) == 51
    decoder = OpusDecoder(SPEECH_RATE)
    heard = np.concatenate([decoder.decode(packet) for packet in packets])
    assert loudness(heard[SPEECH_RATE // 2 : SPEECH_RATE]) == pytest.approx(0.1, rel=0.1)


def test_a_chunk_of_silence_makes_no_packets() -> None:
    packer = Packer(OpusEncoder(), Leveller())
    assert packer.feed(silence(0.5)) == []
    assert packer.finish() == []
