"""Text to speech by edge-tts: Microsoft's voices, over the internet; all that is used of it."""

import asyncio
import re
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from edge_tts import communicate, voices
from edge_tts.constants import VOICE_LIST, WSS_URL
from edge_tts.typing import TTSChunk

from voice.engines.boundaries import Boundaries
from voice.engines.edge_request import FAILURES, EdgeRequest, reason_of
from voice.engines.protocols import EngineError, SpeechError, SpokenAudio, SpokenWord
from voice.mp3 import Mp3Decoder, Mp3Error

_TICKS_PER_SECOND = 10_000_000
_BYTES_PER_SECOND = 6_000
"""edge-tts asks for 48 kbit/s."""
_LIST_SECONDS = 5.0
_PROBE = "Hi."
_PROBE_SECONDS = 2.0
_VOICE_NAME = re.compile(r"[a-z]{2,3}(-[A-Za-z]{2,})+-\w+Neural")


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeOptions:
    """How edge-tts speaks."""

    voice: str = "en-US-AvaNeural"
    rate: str = "+0%"
    """How much faster than usual."""
    volume: str = "+0%"
    """How much louder than usual."""
    url: str | None = None
    """Where to connect to in place of `https://speech.platform.bing.com`."""
    first_audio_seconds: float = 3.0
    """How long the first audio may take."""
    retry_seconds: float = 1.5
    """How long it may take when it is asked again."""
    gap_seconds: float = 3.0
    """How long further audio may take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceInfo:
    """A voice that can be had."""

    name: str
    """What it is chosen by, as `en-US-AvaNeural`."""
    language: str
    """As `en-US`."""
    gender: str
    """As `Female`."""


class EdgeSpeech:
    """Speaks by edge-tts. Implements `TextToSpeech`."""

    def __init__(self, options: EdgeOptions, tasks: asyncio.TaskGroup) -> None:
        """Prepare to speak; nothing is connected yet.

        Args:
            options: How to speak.
            tasks: Where connections run; some are closed after their speech has been left.

        Raises:
            EngineError: If there can be no such voice.
        """
        if not _VOICE_NAME.fullmatch(options.voice):
            raise EngineError(
                f"edge-tts has no voice {options.voice!r}: their names are like en-US-AvaNeural,"
                " and /voice list shows them"
            )
        self._options = options
        self._tasks = tasks

    @property
    def name(self) -> str:
        """The engine and its voice."""
        return f"edge-tts {self._options.voice}"

    async def speak(self, text: str) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
        """Yield the speech of a text; what fails before its first audio is asked for once more.

        Raises:
            SpeechError: If the service cannot be reached, refuses, is too slow, or was cut off.
        """
        options = self._options
        failure: SpeechError | None = None
        for seconds in (options.first_audio_seconds, options.retry_seconds):
            attempt = self._attempt(text, first_audio_seconds=seconds)
            try:
                async with aclosing(attempt.run()) as items:
                    async for item in items:
                        yield item
            except SpeechError as error:
                if attempt.has_audio:
                    raise
                failure = error
            else:
                return
        assert failure is not None
        raise failure

    async def trouble(self) -> str:
        """Try whether the service speaks, for 2 s at most; return what is wrong, or nothing."""
        attempt = self._attempt(_PROBE, first_audio_seconds=_PROBE_SECONDS)
        try:
            async with aclosing(attempt.run()) as items:
                async for _ in items:
                    if attempt.has_audio:
                        break
        except SpeechError as error:
            return str(error)
        return ""

    def _attempt(self, text: str, *, first_audio_seconds: float) -> "_Attempt":
        request = EdgeRequest(self._stream(text), self._tasks)
        return _Attempt(request, text, self._options, first_audio_seconds=first_audio_seconds)

    async def _stream(self, text: str) -> AsyncGenerator[TTSChunk, None]:
        options = self._options
        # edge-tts reads it when its stream is begun, before anything else can run.
        communicate.__dict__["WSS_URL"] = _moved(WSS_URL, options.url, is_socket=True)
        speech = communicate.Communicate(
            text,
            options.voice,
            rate=options.rate,
            volume=options.volume,
            boundary="WordBoundary",
        )
        async with aclosing(speech.stream()) as chunks:
            async for chunk in chunks:
                yield chunk


class _Attempt:
    """One request, and what is made of its answer."""

    def __init__(
        self, request: EdgeRequest, text: str, options: EdgeOptions, *, first_audio_seconds: float
    ) -> None:
        self._request = request
        self._wait_seconds = first_audio_seconds
        self._gap_seconds = options.gap_seconds
        self._decoder = Mp3Decoder()
        self._boundaries = Boundaries(text)
        self._bytes = 0

    @property
    def has_audio(self) -> bool:
        """Whether any audio has come."""
        return self._bytes > 0

    async def run(self) -> AsyncGenerator[SpokenAudio | SpokenWord, None]:
        loop = asyncio.get_running_loop()
        with self._request:
            deadline = loop.time() + self._wait_seconds
            while (chunk := await self._next(deadline)) is not None:
                item = self._audio(chunk) if chunk["type"] == "audio" else self._word(chunk)
                if item is not None:
                    yield item
                if self.has_audio:
                    self._wait_seconds = self._gap_seconds
                    deadline = loop.time() + self._wait_seconds
        yield self._rest()
        if self._boundaries.is_cut(self._bytes / _BYTES_PER_SECOND):
            raise SpeechError("edge-tts cut its speech off")

    async def _next(self, deadline: float) -> TTSChunk | None:
        try:
            async with asyncio.timeout_at(deadline):
                return await self._request.next()
        except TimeoutError as error:
            raise SpeechError(f"edge-tts sent no audio for {self._wait_seconds:g} s") from error

    def _audio(self, chunk: TTSChunk) -> SpokenAudio:
        data = chunk.get("data", b"")
        self._bytes += len(data)
        try:
            return SpokenAudio(self._decoder.feed(data))
        except Mp3Error as error:
            raise SpeechError(f"edge-tts failed: {error}") from error

    def _rest(self) -> SpokenAudio:
        try:
            return SpokenAudio(self._decoder.finish())
        except Mp3Error as error:
            raise SpeechError(f"edge-tts failed: {error}") from error

    def _word(self, chunk: TTSChunk) -> SpokenWord | None:
        end_ticks = chunk.get("offset", 0.0) + chunk.get("duration", 0.0)
        end_seconds = end_ticks / _TICKS_PER_SECOND
        text_end = self._boundaries.word(chunk.get("text", ""), end_seconds=end_seconds)
        if text_end is None:
            return None
        return SpokenWord(text_end=text_end, at_seconds=end_seconds)


async def list_edge_voices(url: str | None = None) -> tuple[VoiceInfo, ...]:
    """Return the voices that the service offers, by language and name.

    Args:
        url: Where to connect to in place of `https://speech.platform.bing.com`.

    Raises:
        SpeechError: If it cannot be reached, or refuses.
    """
    voices.__dict__["VOICE_LIST"] = _moved(VOICE_LIST, url, is_socket=False)
    try:
        async with asyncio.timeout(_LIST_SECONDS):
            listed = await voices.list_voices()
    except TimeoutError as error:
        raise SpeechError(f"edge-tts did not list its voices within {_LIST_SECONDS:g} s") from error
    except FAILURES as error:
        raise SpeechError(f"edge-tts does not list its voices: {reason_of(error)}") from error
    infos = (
        VoiceInfo(name=voice["ShortName"], language=voice["Locale"], gender=voice["Gender"])
        for voice in listed
    )
    return tuple(sorted(infos, key=lambda voice: (voice.language, voice.name)))


def _moved(address: str, url: str | None, *, is_socket: bool) -> str:
    """Return an address of the service at another place."""
    if url is None:
        return address
    place, original = urlsplit(url), urlsplit(address)
    scheme = place.scheme.replace("http", "ws") if is_socket else place.scheme
    path = place.path.rstrip("/") + original.path
    return urlunsplit((scheme, place.netloc, path, original.query, ""))
