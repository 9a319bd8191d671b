import subprocess
import sys

import pytest

from bot.assembly.voice import NO_VOICE
from voice.errors import EngineError
from voice.installed import VOICE_MISSING

_WITHOUT_VOICE = """
import sys
for name in ("av", "edge_tts", "hibari", "numpy", "onnxruntime", "sherpa_onnx"):
    sys.modules[name] = None  # as if it were not installed
import bot.app
import bot.cli.main
import simulator.discord
print("all there")
"""


def test_the_bot_and_the_simulator_need_no_package_of_voice_to_begin() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _WITHOUT_VOICE], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("all there\n", 0), done.stderr


async def test_where_voice_is_not_installed_it_is_said_how_to_add_it() -> None:
    assert (NO_VOICE.open_pipeline, NO_VOICE.missing) == (None, VOICE_MISSING)
    with pytest.raises(EngineError, match="voice"):
        await NO_VOICE.list_voices()
