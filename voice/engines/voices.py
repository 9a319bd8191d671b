"""Opens what speaks, as it is configured."""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, assert_never

from voice.engines.edge import EdgeOptions, EdgeSpeech, VoiceInfo, list_edge_voices
from voice.engines.hibari import open_hibari
from voice.engines.kokoro import open_kokoro
from voice.engines.piper import open_piper
from voice.engines.protocols import EngineError, SpeechError, TextToSpeech
from voice.reach import Reach
from voice.voices import Voices

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechSettings:
    """What speaks."""

    engine: Literal["auto", "edge", "hibari", "piper", "kokoro"] = "auto"
    """`auto`: edge-tts where it can be reached, else hibari."""
    voice: str = "en-US-AvaNeural"
    """Of edge-tts or kokoro."""
    rate: str = "+0%"
    """How much faster edge-tts speaks than usual."""
    volume: str = "+0%"
    """How much louder edge-tts speaks than usual."""
    model: Path | None = None
    """The file of piper's voice; the folder of kokoro's files."""
    edge_url: str | None = None
    """Where edge-tts is in place of `https://speech.platform.bing.com`."""


@asynccontextmanager
async def open_voices(settings: SpeechSettings) -> AsyncGenerator[Voices, None]:
    """Load what speaks, and give it while the block lasts; `for_line` of it is for one line.

    A model is loaded once per process. edge-tts is tried in the background, and again later
    if it fails; hibari speaks meanwhile.

    Raises:
        EngineError: If an engine cannot be used; edge-tts that cannot be reached is no such case.
    """
    fallback = await asyncio.to_thread(open_hibari)
    match settings.engine:
        case "auto" | "edge":
            async with _edge_voices(settings, fallback) as voices:
                yield voices
        case "hibari":
            yield Voices(None, fallback)
        case "piper":
            yield Voices(await asyncio.to_thread(open_piper, settings.model), fallback)
        case "kokoro":
            yield await _kokoro_voices(settings, fallback)
        case _:
            assert_never(settings.engine)


async def list_voices(settings: SpeechSettings) -> tuple[VoiceInfo, ...]:
    """Return the voices that `Voices.use` takes, by language and name.

    Raises:
        EngineError: If the engine has no others than the one that is set.
        SpeechError: If edge-tts cannot be reached.
    """
    if settings.engine not in {"auto", "edge"}:
        raise EngineError(
            f"There are no voices to list: speech.engine is {settings.engine}, and only edge-tts"
            " has a list"
        )
    return await list_edge_voices(settings.edge_url)


@asynccontextmanager
async def _edge_voices(
    settings: SpeechSettings, fallback: TextToSpeech
) -> AsyncGenerator[Voices, None]:
    async with asyncio.TaskGroup() as tasks:
        edge = EdgeSpeech(_edge_options(settings, settings.voice), tasks)
        reach = Reach(edge.trouble, is_assumed=settings.engine == "edge")

        async def find(name: str) -> TextToSpeech:
            listed = await _listed(name, settings.edge_url)
            return EdgeSpeech(_edge_options(settings, listed), tasks)

        watching = tasks.create_task(reach.run())
        try:
            yield Voices(edge, fallback, reach=reach, find=find)
        finally:
            watching.cancel()


async def _listed(name: str, edge_url: str | None) -> str:
    """Return the name of a voice as it is listed; as it was given if there is no list now."""
    try:
        listed = await list_edge_voices(edge_url)
    except SpeechError as error:
        logger.warning("the voice is taken unseen: %s", error)
        return name
    names = {voice.name.casefold(): voice.name for voice in listed}
    if name.casefold() not in names:
        raise EngineError(f"edge-tts has no voice {name!r}; /voice list shows those it has")
    return names[name.casefold()]


def _edge_options(settings: SpeechSettings, voice: str) -> EdgeOptions:
    return EdgeOptions(
        voice=voice, rate=settings.rate, volume=settings.volume, url=settings.edge_url
    )


async def _kokoro_voices(settings: SpeechSettings, fallback: TextToSpeech) -> Voices:
    async def find(name: str) -> TextToSpeech:
        return await asyncio.to_thread(open_kokoro, settings.model, name)

    return Voices(await find(settings.voice), fallback, find=find)
