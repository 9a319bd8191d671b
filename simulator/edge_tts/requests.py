"""What a client asks of the speech service, read as strictly as the service reads it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast
from xml.etree import ElementTree as ET

OUTPUT_FORMAT = "audio-24khz-48kbitrate-mono-mp3"
"""The only format that the stand-in makes."""

_SPEECH = "{http://www.w3.org/2001/10/synthesis}"
_TOKEN = re.compile(r"[0-9A-F]{16}-[0-9A-F]{64}")
_VERSION = re.compile(r"2-\d+(\.\d+){3}")
_COOKIE = re.compile(r"muid=[0-9A-F]{32}")
_PERCENT = re.compile(r"([+-]\d+)%")


class BadRequestError(Exception):
    """The service would not take this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechRequest:
    """What was to be spoken."""

    text: str
    voice: str
    """As `en-US-AvaNeural`."""
    rate: float
    """1.1 for `+10%`."""
    volume: float
    with_words: bool
    """Whether the times of words were wanted; otherwise those of sentences."""
    request_id: str


def is_let_in(query: Mapping[str, str], headers: Mapping[str, str]) -> bool:
    """Return whether a client shows all that Microsoft's browser shows.

    Whether its token is the right one for this hour is not looked at.
    """
    return (
        bool(query.get("TrustedClientToken"))
        and _TOKEN.fullmatch(query.get("Sec-MS-GEC", "")) is not None
        and _VERSION.fullmatch(query.get("Sec-MS-GEC-Version", "")) is not None
        and re.fullmatch(r"[0-9a-f]{32}", query.get("ConnectionId", "")) is not None
        and headers.get("Origin", "").startswith("chrome-extension://")
        and _COOKIE.match(headers.get("Cookie", "")) is not None
    )


def parsed_message(message: str) -> tuple[Mapping[str, str], str]:
    """Return the headers and the body of a text message.

    Raises:
        BadRequestError: If it has no headers.
    """
    head, separator, body = message.partition("\r\n\r\n")
    if not separator:
        raise BadRequestError("a message without headers")
    pairs = (line.partition(":") for line in head.split("\r\n"))
    return {name: value for name, _, value in pairs}, body


def wants_words(config: str) -> bool:
    """Return whether a `speech.config` message wants the times of words.

    Raises:
        BadRequestError: If it wants a format that is not made here, or is malformed.
    """
    try:
        audio: dict[str, Any] = json.loads(config)["context"]["synthesis"]["audio"]
        if audio["outputFormat"] != OUTPUT_FORMAT:
            raise BadRequestError(f"the format {audio['outputFormat']}")
        options: dict[str, str] = audio["metadataoptions"]
        return options["wordBoundaryEnabled"] == "true"
    except (ValueError, KeyError, TypeError) as error:
        raise BadRequestError(f"a malformed speech.config: {error}") from error


def speech_request(ssml: str, *, request_id: str, with_words: bool) -> SpeechRequest:
    """Return what an `ssml` message asks for.

    Raises:
        BadRequestError: If it is malformed.
    """
    try:
        # What a client sends is limited in size, and comes from a test.
        speak = ET.fromstring(ssml)  # noqa: S314
    except ET.ParseError as error:
        raise BadRequestError(f"malformed SSML: {error}") from error
    voice = speak.find(f"{_SPEECH}voice")
    prosody = None if voice is None else voice.find(f"{_SPEECH}prosody")
    if voice is None or prosody is None:
        raise BadRequestError("SSML without voice and prosody")
    return SpeechRequest(
        text="".join(prosody.itertext()),
        voice=_short_name(voice.get("name", "")),
        rate=_factor(prosody.get("rate", "+0%")),
        volume=_factor(prosody.get("volume", "+0%")),
        with_words=with_words,
        request_id=request_id,
    )


def _short_name(long_name: str) -> str:
    """Make `en-US-AvaNeural` of `Microsoft Server Speech ... Voice (en-US, AvaNeural)`."""
    found = re.search(r"\((.+), (.+)\)", long_name)
    return f"{found[1]}-{found[2]}" if found else long_name


def _factor(percent: str) -> float:
    found = _PERCENT.fullmatch(percent)
    if found is None:
        raise BadRequestError(f"{percent!r} is no change in percent")
    return 1 + int(cast("str", found[1])) / 100
