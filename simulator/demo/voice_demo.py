"""The voice demo: puts everything up, has it performed, and tells how it went."""

import json
import math
import re
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from simulator.demo.bot_process import end_runs, running_bot
from simulator.demo.chat import Chat
from simulator.demo.performance import look_back, play, stop
from simulator.demo.progress import ProgressLine
from simulator.demo.report import Report
from simulator.demo.voice_acts import is_status, perform
from simulator.demo.voice_group_acts import BOB
from simulator.demo.voice_model import VoiceModel
from simulator.demo.voice_stage import Guest, Hear, SpokenTurn, VoiceStage
from simulator.demo.wavs import Sound, write_wavs
from simulator.discord import DiscordSimulator, running_discord
from simulator.discord.model import MessageVersion
from simulator.edge_tts import EdgeTts, running_edge_tts
from simulator.messages_api import running_messages_api

INTRODUCTION = """\
[bold]Papercup, on a voice line.[/bold]
Simulated: Discord, Microsoft's speech service, and the model (what it says is scripted).
Real: the bot, discord.py, Opus, RTP, the encryption (DAVE), all that hears and speaks, the
[cyan]claude[/cyan] command, jobs. People speak with a voice that is shipped; what the bot says is
recorded and heard again. Nothing leaves this machine."""

_STAGES = {
    "end of speech → transcript": "end_of_speech_to_transcript",
    "transcript → first words": "transcript_to_first_token",
    "first words → first sound": "first_token_to_first_packet",
}
"""As the line's status message calls them, and as the report does."""
_STAGE_TIME = re.compile(rf"({'|'.join(_STAGES)}) ([\d.]+) (ms|s)\b")


async def voice_demo(
    bot_command: Sequence[str],
    console: Console,
    progress: ProgressLine,
    *,
    hear: Hear,
    wavs_folder: Path,
) -> Report:
    """Show a conversation on a voice line on `console`, and return what was found out.

    Args:
        bot_command: What starts the bot; the path of its configuration is added.
        console: Where it is shown.
        progress: Told of each scene.
        hear: Writes down what the bot says.
        wavs_folder: Where the recordings go; it is made if it is not there.
    """
    console.print(INTRODUCTION)
    model = VoiceModel()
    with tempfile.TemporaryDirectory(prefix="papercup-demo-") as name:
        folder = Path(name)
        async with (
            running_discord(folder) as discord,
            running_messages_api(model) as api,
            running_edge_tts() as edge,
        ):
            settings = _settings(discord, edge)
            alice = discord.person("Alice", is_owner=True)
            lounge = discord.voice_channel("Lounge")
            try:
                async with running_bot(bot_command, folder, discord, api, settings) as bot:
                    stage = VoiceStage(
                        discord=discord,
                        lounge=lounge,
                        alice=Guest(person=alice, talker=alice.join_voice(lounge)),
                        bot=bot,
                        model=model,
                        edge=edge,
                        hear=hear,
                        chat=Chat(console, discord.bot, progress.scene),
                        report=Report(),
                    )
                    await _perform(stage, console)
            finally:
                model.may_finish.set()  # so that no job waits for a show that is over
                end_runs(folder / "data")
            _tell_times(stage)
            _write_wavs(stage, wavs_folder)
            look_back(discord, stage.report)
            _look_into_log(stage)
            stage.report.messages = lounge.messages_for(alice)
    return stage.report


def _settings(discord: DiscordSimulator, edge: EdgeTts) -> dict[str, str]:
    return {
        "discord.allowed_user_ids": json.dumps([discord.person(BOB).id]),
        "endpoints.edge_tts": json.dumps(edge.url),
    }


async def _perform(stage: VoiceStage, console: Console) -> None:
    began = time.monotonic()
    await play(stage, "voice_start_to_ready", perform, console)
    stage.report.time("voice_whole_conversation", time.monotonic() - began)
    await stop(stage.bot, stage.report, timing="voice_stop")


def _tell_times(stage: VoiceStage) -> None:
    """Note how long each turn took: as the line measured it, and as Alice heard it."""
    versions = [
        version
        for message in stage.lounge.messages_for(stage.alice.person)
        if is_status(message)
        for version in message.versions
    ]
    for turn in stage.turns:
        end = _next_words_end(stage.sounds, turn.speech.started_at_seconds)
        label = f"voice_{turn.label.replace(' ', '_')}"
        for name, seconds in stage_seconds(versions, turn, until_seconds=end).items():
            stage.report.time(f"{label}_{name}", seconds)
        heard_after = turn.speech.started_at_seconds - turn.said.ended_at_seconds
        stage.report.time(f"{label}_end_of_speech_to_first_packet", heard_after)


def _next_words_end(sounds: Sequence[Sound], moment: float) -> float:
    """Return when people had said what they said next; from then on it may tell of that."""
    ends = [sound.ends_at_seconds for sound in sounds if sound.at_seconds > moment]
    return min(ends, default=math.inf)


def stage_seconds(
    versions: Sequence[MessageVersion], turn: SpokenTurn, *, until_seconds: float
) -> dict[str, float]:
    """Return how long the stages of a turn took, as the line's status message tells.

    Args:
        versions: All that the message has said.
        turn: The turn.
        until_seconds: From when on it may tell of the next turn.
    """
    began = turn.speech.started_at_seconds
    told = [_STAGE_TIME.findall(v.text) for v in versions if began <= v.at_seconds < until_seconds]
    for found in filter(None, reversed(told)):
        return {
            _STAGES[stage]: float(number) / (1000 if unit == "ms" else 1)
            for stage, number, unit in found
        }
    return {}


def _write_wavs(stage: VoiceStage, folder: Path) -> None:
    """Keep what both sides said, each in a file."""
    recording, bot = stage.alice.talker.recording, stage.discord.bot
    sounds = list(stage.sounds)
    if packets := recording.packets(bot):
        samples = recording.samples(bot)
        sounds.append(Sound(who=bot.name, at_seconds=packets[0].at_seconds, samples=samples))
    files = write_wavs(folder, sounds)
    stage.report.wavs = {who: str(path) for who, path in files.items()}
    stage.report.check(
        "what both sides said is kept as WAV files",
        {stage.alice.account.name, bot.name} <= files.keys(),
        ", ".join(path.name for path in files.values()) or "none",
    )


def _look_into_log(stage: VoiceStage) -> None:
    lines = stage.bot.log.read_text(encoding="utf-8", errors="replace").splitlines()
    errors = [line for line in lines if " ERROR " in line or line.startswith("Traceback")]
    stage.report.check(
        "nothing went wrong in the bot's log", not errors, errors[0] if errors else "no error"
    )
