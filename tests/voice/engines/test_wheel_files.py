import pytest

from voice.engines.protocols import EngineError
from voice.engines.wheel_files import file_of_package


def test_a_file_is_found_without_its_package_being_imported() -> None:
    assert file_of_package("pipecat", "audio", "vad", "data", "silero_vad.onnx").is_file()


def test_a_package_that_is_missing_is_an_error_that_says_how_to_add_it() -> None:
    with pytest.raises(EngineError, match=r"package no_such_package is missing.*--extra voice"):
        file_of_package("no_such_package", "file")


def test_a_file_that_is_missing_is_an_error() -> None:
    with pytest.raises(EngineError, match=r"silero_vad_99\.onnx is missing"):
        file_of_package("pipecat", "silero_vad_99.onnx")
