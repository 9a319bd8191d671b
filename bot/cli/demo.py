"""`papercup demo`: the bot against simulated services, so that anyone can see it work."""

import asyncio
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console

from bot.cli.output import ExitCode, print_error
from simulator.demo import acts, authors_acts, plugins_acts
from simulator.demo.authors_demo import authors_demo
from simulator.demo.plugins_demo import plugins_demo
from simulator.demo.progress import ProgressLine, showing_progress
from simulator.demo.report import Report
from simulator.demo.text_demo import text_demo
from voice.installed import VOICE_MISSING, missing

_PAPERCUP = (sys.executable, "-m", "bot")
_BOT_COMMAND = (*_PAPERCUP, "run")
EXAMPLES = Path(__file__).parents[2] / "examples" / "plugins"


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoWish:
    """What is to be shown, and what is to be kept of it."""

    text: bool
    voice: bool
    plugins: bool = False
    authors: bool = False
    report: Path | None = None
    """Where what was seen is written."""
    wavs: Path | None = None
    """The folder of the recordings; unset: beside the report, or in a temporary one."""
    examples: Path = EXAMPLES
    """The folder of the plugins that are shown."""

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
    left_out = dict(_left_out(wish))
    shown = replace(
        wish,
        voice=wish.voice and "voice" not in left_out,
        plugins=wish.plugins and "plugins" not in left_out,
    )
    if not (shown.text or shown.voice or shown.plugins or shown.authors):
        print_error(" ".join(left_out.values()))
        return ExitCode.WRONG_USAGE
    console = Console(highlight=False)
    try:
        wavs_folder = shown.made_wavs_folder() if shown.voice else Path()
    except OSError as error:
        print_error(f"the recordings cannot be kept: {error}")
        return ExitCode.WRONG_USAGE
    report = _shown(shown, wavs_folder, console)
    report.print_on(console)
    if shown.voice:
        _tell(console, f"What was said: {', '.join(report.wavs.values()) or 'nothing'}")
    for part, reason in left_out.items():
        _tell(console, f"The {part} demo was left out. {reason}")
    if wish.report is not None:
        wish.report.write_text(report.as_json(), encoding="utf-8")
    return ExitCode.OK if report.ok else ExitCode.FAILED


def _left_out(wish: DemoWish) -> Iterator[tuple[str, str]]:
    """Yield what is wished for and cannot be shown here, and why."""
    if wish.plugins and not wish.examples.is_dir():
        yield "plugins", "It needs the example plugins: run it in the folder of the project."
    lacks = missing()
    if wish.voice and lacks:
        yield "voice", f"{VOICE_MISSING} Missing: {', '.join(lacks)}."


def _shown(wish: DemoWish, wavs_folder: Path, console: Console) -> Report:
    report = Report()
    with showing_progress(console, _scene_count(wish)) as progress:
        if wish.text:
            report = report.with_all_of(asyncio.run(text_demo(_BOT_COMMAND, console, progress)))
        if wish.plugins:
            seen = asyncio.run(plugins_demo(_PAPERCUP, console, progress, examples=wish.examples))
            report = report.with_all_of(seen)
        if wish.authors:
            seen = asyncio.run(authors_demo(_PAPERCUP, console, progress))
            report = report.with_all_of(seen)
        if wish.voice:
            report = report.with_all_of(_voice(wavs_folder, console, progress))
    return report


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


def _scene_count(wish: DemoWish) -> int:
    count = acts.SCENE_COUNT if wish.text else 0
    if wish.plugins:
        count += plugins_acts.SCENE_COUNT
    if wish.authors:
        count += authors_acts.SCENE_COUNT
    if wish.voice:
        from simulator.demo.voice_acts import SCENE_COUNT  # noqa: PLC0415 - as above

        count += SCENE_COUNT
    return count
