"""What `papercup voice test` prints."""

import time
from dataclasses import asdict, dataclass
from pathlib import Path

import typer

from bot.cli.output import print_json, print_table
from bot.config import Config
from bot.voice_settings import hearing_settings
from voice.audio_files import read_audio
from voice.engines.opening import open_hearing
from voice.hearing_models import HearingModels
from voice.samples import FRAME_SAMPLES, FRAME_SECONDS, HEARING_RATE, Samples
from voice.segments import segments


@dataclass(frozen=True, slots=True, kw_only=True)
class HeardPart:
    """What was heard in one part of a recording, from pause to pause."""

    from_seconds: float
    to_seconds: float
    text: str
    complete: float
    """How likely the person had finished, from 0 to 1."""


def print_heard(config: Config, file: Path, *, as_json: bool) -> None:
    """Print what is heard in a recording, and by what.

    Raises:
        EngineError: If the recording cannot be read, or a model is missing or broken.
    """
    audio = read_audio(file)
    models = open_hearing(hearing_settings(config))
    began_at = time.perf_counter()
    parts = hear(audio, models)
    took = time.perf_counter() - began_at
    engines = (models.speech_to_text, models.voice_activity, models.end_of_turn)
    names = [engine.name for engine in engines]
    if as_json:
        rows = [asdict(part) for part in parts]
        print_json({"engines": names, "seconds": round(took, 3), "heard": rows})
        return
    if parts:
        print_table(None, ("From", "To", "Finished", "Heard"), [_row(part) for part in parts])
    else:
        typer.echo("Nobody talks in it.")
    seconds = audio.size / HEARING_RATE
    typer.echo(f"\n{seconds:.1f} s of audio in {took:.1f} s, by {', '.join(names)}.")


def hear(audio: Samples, models: HearingModels) -> list[HeardPart]:
    """Return what is heard in audio of `HEARING_RATE`."""
    stream = models.voice_activity.stream()
    ends = range(FRAME_SAMPLES, audio.size + 1, FRAME_SAMPLES)
    voiced = [stream.probability(audio[end - FRAME_SAMPLES : end]) for end in ends]
    parts: list[HeardPart] = []
    for segment in segments(voiced):
        said = audio[segment.first * FRAME_SAMPLES : segment.end * FRAME_SAMPLES]
        parts.append(
            HeardPart(
                from_seconds=round(segment.first * FRAME_SECONDS, 2),
                to_seconds=round(segment.end * FRAME_SECONDS, 2),
                text=models.speech_to_text.transcribe(said),
                complete=round(models.end_of_turn.probability(said), 2),
            )
        )
    return parts


def _row(part: HeardPart) -> tuple[str, ...]:
    return (
        f"{part.from_seconds:.1f} s",
        f"{part.to_seconds:.1f} s",
        f"{part.complete:.0%}",
        part.text or "(no words)",
    )
