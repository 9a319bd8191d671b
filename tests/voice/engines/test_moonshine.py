import base64
import threading
from pathlib import Path

import numpy as np
import pytest

from tests.fakes.real_models import moonshine, two_cities
from voice.engines.moonshine import open_moonshine, tokens_in
from voice.engines.protocols import EngineError
from voice.samples import HEARING_RATE


def test_it_writes_down_what_is_said() -> None:
    text = moonshine().transcribe(two_cities()[int(1.0 * HEARING_RATE) : int(5.0 * HEARING_RATE)])

    assert text.startswith("It was the best of times")
    assert "worst of times" in text


def test_too_little_audio_says_nothing() -> None:
    for samples in (0, 1, 1_599):
        assert moonshine().transcribe(two_cities()[:samples]) == ""


def test_silence_says_nothing() -> None:
    assert moonshine().transcribe(np.zeros(HEARING_RATE, np.float32)) == ""


def test_several_may_call_it_at_once() -> None:
    parts = [two_cities()[at : at + 24_000] for at in (20_000, 220_000, 330_000)]
    expected = [moonshine().transcribe(part) for part in parts]
    heard: dict[int, list[str]] = {}

    def hear(caller: int) -> None:
        heard[caller] = [moonshine().transcribe(part) for part in parts]

    threads = [threading.Thread(target=hear, args=(caller,)) for caller in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)

    assert heard == dict.fromkeys(range(3), expected)


def test_it_says_who_it_is() -> None:
    assert (moonshine().name, moonshine().language) == ("moonshine-tiny-en (sherpa-onnx)", "en")


@pytest.mark.parametrize(
    ("file", "tokens"),
    [
        (b"", []),
        (b"\x02ab\x01c", [b"ab", b"c"]),
        (b"\x00\x01c", [b"", b"c"]),
        (bytes([0x80 + 2, 1]) + b"x" * 130, [b"x" * 130]),
    ],
)
def test_tokens_stand_one_after_another_each_after_its_length(
    file: bytes, tokens: list[bytes]
) -> None:
    assert tokens_in(file) == tokens


@pytest.mark.parametrize("file", [b"\x02a", b"\x80", bytes([0x80 + 2, 1]) + b"x"])
def test_a_list_of_tokens_that_is_cut_off_is_an_error(file: bytes) -> None:
    with pytest.raises(EngineError, match="cut off"):
        tokens_in(file)


def test_the_tokens_are_written_as_sherpa_onnx_reads_them(tmp_path: Path) -> None:
    open_moonshine(tmp_path / "deep" / "cache")

    (written,) = (tmp_path / "deep" / "cache").iterdir()
    lines = written.read_text(encoding="ascii").splitlines()
    tokens = [base64.b64decode(line.split(" ")[0]) for line in lines]
    assert [line.split(" ")[1] for line in lines] == [str(n) for n in range(32_768)]
    assert all(tokens)
    assert b" the" in tokens


def test_a_cache_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(EngineError, match="cannot be written"):
        open_moonshine(tmp_path / "file" / "cache")
