"""Opus by the libopus that comes with the `av` package."""

import ctypes.util
import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from voice.engines.protocols import EngineError
from voice.events import SILENCE
from voice.opus import (
    PACKET_SAMPLES,
    OpusDecoder,
    OpusEncoder,
    OpusError,
    load_library,
    opus_library,
    opus_version,
)
from voice.samples import SPEECH_RATE, Samples


def hum(seconds: float) -> Samples:
    """Something like a voice: a low tone with overtones, whose loudness changes."""
    times = np.arange(round(seconds * SPEECH_RATE)) / SPEECH_RATE
    tone = sum(np.sin(2 * np.pi * 150 * order * times) / order for order in range(1, 8))
    samples: Samples = (0.2 * tone * (1 + np.sin(2 * np.pi * 4 * times))).astype(np.float32)
    return samples


def encoded(samples: Samples) -> list[bytes]:
    encoder = OpusEncoder()
    return [encoder.encode(piece) for piece in samples.reshape(-1, PACKET_SAMPLES)]


def noise_ratio(true: Samples, heard: Samples) -> float:
    """Return how much louder the true audio is than what is wrong with the heard one, in dB."""
    return float(10 * np.log10(np.square(true).sum() / np.square(true - heard).sum()))


def test_a_packet_of_20_ms_becomes_16_khz_mono() -> None:
    decoder = OpusDecoder()
    audio = np.concatenate([decoder.decode(packet) for packet in encoded(hum(1))])
    assert audio.shape == (16_000,)
    assert audio.dtype == np.float32
    spectrum = np.abs(np.fft.rfft(audio))
    assert spectrum.argmax() == 150
    assert 0.2 < np.abs(audio).max() < 1.2


def test_what_was_encoded_is_heard_again_at_48_khz() -> None:
    samples, decoder = hum(1), OpusDecoder(SPEECH_RATE)
    audio = np.concatenate([decoder.decode(packet) for packet in encoded(samples)])
    # The codec is late by some milliseconds.
    part = samples[9_600:38_400]
    likeness = [
        float(np.dot(part, late := audio[9_600 + by : 38_400 + by]))
        / float(np.linalg.norm(part) * np.linalg.norm(late))
        for by in range(960)
    ]
    assert max(likeness) > 0.85


def test_a_lost_packet_is_recovered_from_the_next_one_better_than_it_can_be_concealed() -> None:
    packets = encoded(hum(2))
    whole, recovered, concealed = OpusDecoder(), OpusDecoder(), OpusDecoder()
    heard: list[tuple[Samples, Samples, Samples]] = []
    for number, packet in enumerate(packets[:-1]):
        if number % 10 == 5:
            heard.append(
                (whole.decode(packet), recovered.recover(packets[number + 1]), concealed.conceal())
            )
        else:
            heard.append((whole.decode(packet), recovered.decode(packet), concealed.decode(packet)))
    true, by_next, by_guess = (np.concatenate(pieces) for pieces in zip(*heard, strict=True))
    assert noise_ratio(true, by_next) > noise_ratio(true, by_guess) + 2


def test_nothing_but_loss_fades_away_to_silence() -> None:
    decoder = OpusDecoder()
    for packet in encoded(hum(0.5)):
        decoder.decode(packet)
    lost = [decoder.conceal() for _ in range(25)]
    assert {piece.shape for piece in lost} == {(320,)}
    assert np.abs(lost[0]).max() > 0.05
    assert np.abs(lost[-1]).max() < 0.01


def test_so_many_samples_are_concealed_as_are_wanted() -> None:
    assert OpusDecoder().conceal(160).shape == (160,)


def test_the_silence_of_discord_clients_is_silence() -> None:
    assert np.abs(OpusDecoder().decode(SILENCE)).max() < 1e-9


@pytest.mark.parametrize("packet", [b"", b"\xff\xff\xff\xff", b"\x03"])
def test_what_is_not_opus_is_refused_and_the_next_packet_decoded(packet: bytes) -> None:
    decoder = OpusDecoder()
    with pytest.raises(OpusError):
        decoder.decode(packet)
    if packet:
        with pytest.raises(OpusError):
            decoder.recover(packet)
    assert decoder.decode(encoded(hum(0.02))[0]).shape == (320,)


def test_what_is_decoded_stays_when_more_is_decoded() -> None:
    decoder, packets = OpusDecoder(), encoded(hum(0.2))
    first = decoder.decode(packets[4])
    copy = first.copy()
    decoder.decode(packets[5])
    assert np.array_equal(first, copy)


@pytest.mark.parametrize("count", [0, 480, 961])
def test_a_packet_takes_20_ms_no_more_and_no_less(count: int) -> None:
    with pytest.raises(OpusError, match="960 samples"):
        OpusEncoder().encode(np.zeros(count, np.float32))


def test_samples_that_do_not_lie_side_by_side_are_encoded_all_the_same() -> None:
    samples = hum(0.02)
    apart = np.repeat(samples, 2)[::2]
    assert OpusEncoder().encode(apart) == OpusEncoder().encode(samples)


def test_a_packet_is_as_large_as_the_bitrate_says() -> None:
    sizes = [len(packet) for packet in encoded(hum(2))[10:]]
    assert 80 < sum(sizes) / len(sizes) < 180


def test_encoders_and_decoders_go_when_nobody_needs_them() -> None:
    codecs = [OpusDecoder(), OpusEncoder()]
    gone = [weakref.ref(codec) for codec in codecs]
    codecs.clear()
    gc.collect()
    assert [codec() for codec in gone] == [None, None]


def test_a_rate_that_opus_does_not_know_is_told() -> None:
    with pytest.raises(EngineError, match="no decoder"):
        OpusDecoder(44_100)


def test_the_library_is_loaded_once_and_tells_its_version() -> None:
    assert opus_library() is opus_library()
    assert opus_version().startswith("libopus 1.")


def test_a_missing_library_is_told_with_what_to_do() -> None:
    with pytest.raises(EngineError, match=r"install papercup\[voice\], or the system's libopus"):
        load_library(None)


def test_a_file_that_is_no_library_is_told(tmp_path: Path) -> None:
    broken = tmp_path / "libopus.so"
    broken.write_bytes(b"no library")
    with pytest.raises(EngineError, match=r"libopus\.so cannot be used"):
        load_library(str(broken))


def test_another_library_is_told() -> None:
    other = ctypes.util.find_library("c")
    with pytest.raises(EngineError, match="cannot be used"):
        load_library(other)
