"""Runs a model by onnxruntime: all that is used of that package."""

from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, cast

import numpy.typing as npt

from voice.errors import EngineError


class OnnxModel:
    """A model that was loaded. It may be used from several threads at once."""

    def __init__(self, path: Path) -> None:
        """Load it, to run on one thread: several people are heard side by side instead.

        Raises:
            EngineError: If it cannot be loaded.
        """
        self._path = path
        try:
            # Not above: it takes 0.2 s, and it has no types that could be looked at.
            runtime = import_module("onnxruntime")
            options = runtime.SessionOptions()
            options.intra_op_num_threads = 1
            options.inter_op_num_threads = 1
            options.log_severity_level = 3
            self._session = runtime.InferenceSession(
                str(path), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:
            raise EngineError(f"{path} cannot be loaded: {error}") from error

    def run(self, inputs: Mapping[str, npt.NDArray[Any]]) -> Sequence[npt.NDArray[Any]]:
        """Return all outputs of the model for some inputs.

        Raises:
            EngineError: If it fails.
        """
        try:
            return cast("list[npt.NDArray[Any]]", self._session.run(None, inputs))
        except Exception as error:
            raise EngineError(f"{self._path.name} failed: {error}") from error
