"""Whether voice is installed. Only the standard library is needed for that."""

import importlib.util

_PACKAGES = {
    "av": "av",
    "edge-tts": "edge_tts",
    "hibari-tts": "hibari",
    "moonshine-voice": "moonshine_voice",
    "numpy": "numpy",
    "onnxruntime": "onnxruntime",
    "pipecat-ai": "pipecat",
    "sherpa-onnx": "sherpa_onnx",
}
"""What `papercup[voice]` installs, and what is imported of each."""

VOICE_MISSING = (
    "Voice is not installed here. Whoever runs the bot can add it with"
    ' `uv sync --extra voice`, or `pip install "papercup[voice]"`, and start it again.'
)


def packages() -> tuple[str, ...]:
    """Return the names of the packages that voice needs."""
    return tuple(_PACKAGES)


def missing() -> tuple[str, ...]:
    """Return which of the packages that voice needs are not installed; none of them is imported."""
    return tuple(
        package for package, module in _PACKAGES.items() if importlib.util.find_spec(module) is None
    )
