"""`papercup demo`: the bot against simulated services, so that anyone can see it work."""

import asyncio
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from bot.cli.output import ExitCode, print_error
from simulator.demo import acts
from simulator.demo.progress import ProgressLine, showing_progress
from simulator.demo.report import Report
from simulator.demo.text_demo import text_demo
from voice.installed import VOICE_MISSING, missing

_BOT_COMMAND = (sys.executable, "-m", "bot", "run")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoWish:
    """What is to be shown, and what is to be kept of it."""

    text: bool
    voice: bool
    report: Path | None = None
    """Where what was seen is written."""
    wavs: Path | None = None
    """The folder of the recordings; unset: beside the report, or in a temporary one."""

    def made_wavs_folder(self) -> Path:
        """Make the folder of the recordings, and return it; a temporary one is another each time.

        Raises:
            OSError: If it cannot be made.
        """
        folder = self.wavs
        if folder is None and self.report is not None:
            folder = self.report.with_name(f"{self.report.stem}-wavs")
        if folder is None:
            return Path(tempfile.mkdtemp(prefix="papercup-demo-wavs-"))
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def run_demo(wish: DemoWish) -> int:
    """Show the demo, write its report if asked to, and return the exit code."""
    lacks = missing()
    if wish.voice and not wish.text and lacks:
        print_error(f"{VOICE_MISSING} Missing: {', '.join(lacks)}.")
        return ExitCode.WRONG_USAGE
    console = Console(highlight=False)
    report = Report()
    with_voice = wish.voice and not lacks
    try:
        wavs_folder = wish.made_wavs_folder() if with_voice else Path()
    except OSError as error:
        print_error(f"the recordings cannot be kept: {error}")
        return ExitCode.WRONG_USAGE
    with showing_progress(console, _scene_count(wish, with_voice=with_voice)) as progress:
        if wish.text:
            report = report.with_all_of(asyncio.run(text_demo(_BOT_COMMAND, console, progress)))
        if with_voice:
            report = report.with_all_of(_voice(wavs_folder, console, progress))
    report.print_on(console)
    if with_voice:
        _tell(console, f"What was said: {', '.join(report.wavs.values()) or 'nothing'}")
    elif wish.voice:
        _tell(console, f"The voice demo was left out. {VOICE_MISSING}")
    if wish.report is not None:
        wish.report.write_text(report.as_json(), encoding="utf-8")
    return ExitCode.OK if report.ok else ExitCode.FAILED


def _tell(console: Console, text: str) -> None:
    # Square brackets are part of it, and a path is one word.
    console.print(f"\n{text}", markup=False, soft_wrap=True)


def _voice(wavs_folder: Path, console: Console, progress: ProgressLine) -> Report:
    # Only here: without what `papercup[voice]` installs, none of them can be imported.
    from simulator.demo.voice_demo import voice_demo  # noqa: PLC0415
    from simulator.discord.voice.speech import resampled  # noqa: PLC0415
    from voice.engines.opening import open_speech_to_text  # noqa: PLC0415
    from voice.hearing_settings import HearingSettings  # noqa: PLC0415
    from voice.samples import HEARING_RATE, SPEECH_RATE, Samples  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="papercup-demo-models-") as name:
        folder = Path(name)
        engine = open_speech_to_text(HearingSettings(models_folder=folder, cache_folder=folder))

        def hear(audio: Samples) -> str:
            return engine.transcribe(resampled(audio, rate=SPEECH_RATE, to_rate=HEARING_RATE))

        return asyncio.run(
            voice_demo(_BOT_COMMAND, console, progress, hear=hear, wavs_folder=wavs_folder)
        )


def _scene_count(wish: DemoWish, *, with_voice: bool) -> int:
    count = acts.SCENE_COUNT if wish.text else 0
    if with_voice:
        from simulator.demo.voice_acts import SCENE_COUNT  # noqa: PLC0415 - as above

        count += SCENE_COUNT
    return count
