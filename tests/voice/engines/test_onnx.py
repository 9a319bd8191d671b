from pathlib import Path

import numpy as np
import pytest

from voice.engines.onnx import OnnxModel
from voice.engines.protocols import EngineError
from voice.engines.wheel_files import file_of_package


@pytest.mark.parametrize("content", [b"", b"no model at all"])
def test_a_broken_model_is_an_error_that_names_it(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "broken.onnx"
    path.write_bytes(content)

    with pytest.raises(EngineError, match=r"broken\.onnx cannot be loaded"):
        OnnxModel(path)


def test_a_model_that_is_cut_off_is_an_error(tmp_path: Path) -> None:
    whole = file_of_package("pipecat", "audio", "vad", "data", "silero_vad.onnx").read_bytes()
    path = tmp_path / "cut.onnx"
    path.write_bytes(whole[: len(whole) // 2])

    with pytest.raises(EngineError, match="cannot be loaded"):
        OnnxModel(path)


def test_what_a_model_does_not_take_is_an_error() -> None:
    model = OnnxModel(file_of_package("pipecat", "audio", "vad", "data", "silero_vad.onnx"))

    with pytest.raises(EngineError, match=r"silero_vad\.onnx failed"):
        model.run({"wrong": np.zeros(1, np.float32)})
