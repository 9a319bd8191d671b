"""The voices that the speech service lists."""

from collections.abc import Mapping
from typing import Any

_NAMES = (
    ("en-US-AvaNeural", "Female"),
    ("en-US-AndrewNeural", "Male"),
    ("en-US-EmmaMultilingualNeural", "Female"),
    ("en-GB-SoniaNeural", "Female"),
    ("de-DE-KatjaNeural", "Female"),
    ("de-DE-ConradNeural", "Male"),
    ("fr-FR-DeniseNeural", "Female"),
    ("es-ES-AlvaroNeural", "Male"),
    ("ja-JP-NanamiNeural", "Female"),
    ("ko-KR-SunHiNeural", "Female"),
    ("zh-CN-XiaoxiaoNeural", "Female"),
)


def _voice(short_name: str, gender: str) -> Mapping[str, Any]:
    language, region, name = short_name.split("-")
    return {
        "Name": f"Microsoft Server Speech Text to Speech Voice ({language}-{region}, {name})",
        "ShortName": short_name,
        "Gender": gender,
        "Locale": f"{language}-{region}",
        "SuggestedCodec": "audio-24khz-48kbitrate-mono-mp3",
        "FriendlyName": f"Microsoft {name.removesuffix('Neural')} Online (Natural)",
        "Status": "GA",
        "VoiceTag": {"ContentCategories": ["General"], "VoicePersonalities": ["Friendly"]},
    }


VOICES: Mapping[str, Mapping[str, Any]] = {name: _voice(name, gender) for name, gender in _NAMES}
"""By their short names, as the service describes them."""
