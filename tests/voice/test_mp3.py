import numpy as np
import pytest

from simulator.edge_tts.requests import SpeechRequest
from simulator.edge_tts.speaking import Speech, speech_of
from tests.fakes.speaking import hum
from voice.mp3 import Mp3Decoder, Mp3Error
from voice.samples import SPEECH_RATE, Samples

REQUEST = SpeechRequest(
    text="Sure, I can do that.", voice="", rate=1, volume=1, with_words=True, request_id=""
)


@pytest.fixture(scope="module")
def speech() -> Speech:
    return speech_of(REQUEST)


def decoded(data: bytes, *, step: int) -> list[Samples]:
    decoder = Mp3Decoder()
    pieces = [decoder.feed(data[at : at + step]) for at in range(0, len(data), step)]
    return [*pieces, decoder.finish()]


@pytest.mark.parametrize("step", [100, 720, 100_000])
def test_a_stream_is_decoded_while_it_arrives(speech: Speech, step: int) -> None:
    data = b"".join(speech.mp3())
    audio = np.concatenate(decoded(data, step=step))
    assert len(audio) / SPEECH_RATE == pytest.approx(len(speech.audio) / 24_000, abs=0.1)
    assert float(np.max(np.abs(audio))) == pytest.approx(
        float(np.max(np.abs(speech.audio))), rel=0.1
    )


def test_the_first_message_of_the_service_gives_audio(speech: Speech) -> None:
    data = b"".join(speech.mp3())
    assert Mp3Decoder().feed(data[:720]).size > 0.05 * SPEECH_RATE


def test_no_bytes_are_no_audio_and_not_the_end(speech: Speech) -> None:
    data = b"".join(speech.mp3())
    decoder = Mp3Decoder()
    assert decoder.feed(b"").size == 0
    assert decoder.feed(data).size > 0


def test_what_is_no_mp3_is_refused_or_gives_nothing() -> None:
    decoder = Mp3Decoder()
    noise = hum(1.0).tobytes()
    try:
        audio = np.concatenate([decoder.feed(noise), decoder.finish()])
    except Mp3Error:
        return
    assert audio.size < 0.2 * SPEECH_RATE
