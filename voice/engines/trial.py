"""Tries a model of sherpa-onnx out in a process of its own.

Some broken models make sherpa-onnx end the whole process, with no exception that one could catch.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence

from voice.errors import EngineError

_SECONDS = 80.0
_SHOWN_CHARS = 300


def try_out(factory: str, files: Mapping[str, str], options: Mapping[str, str]) -> None:
    """Load a model in another process, and have it hear a second of silence.

    Raises:
        EngineError: If it cannot be used.
    """
    told = json.dumps({"factory": factory, "files": dict(files), "options": dict(options)})
    command = [sys.executable, "-m", "voice.engines.trial", told]
    try:
        done = subprocess.run(  # noqa: PLW1510 - its exit code is looked at
            command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_SECONDS
        )
    except subprocess.TimeoutExpired as error:
        raise EngineError(f"the model did not load within {_SECONDS:g} seconds") from error
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode(errors="replace").strip()
        last = said.splitlines()[-1] if said else f"exit code {done.returncode}"
        raise EngineError(f"the model cannot be loaded: {last[-_SHOWN_CHARS:]}")


def main(arguments: Sequence[str]) -> int:
    """Load the model that is told as JSON; exit code 1, and why on stderr, if that fails."""
    # Only here: whoever tries a model out has no need of them.
    import numpy as np  # noqa: PLC0415

    from voice.engines.sherpa import Recognizer  # noqa: PLC0415
    from voice.samples import HEARING_RATE  # noqa: PLC0415

    told = json.loads(arguments[0])
    try:
        recognizer = Recognizer(told["factory"], told["files"], **told["options"])
        recognizer.text_of(np.zeros(HEARING_RATE, np.float32))
    except EngineError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
