"""A conversation on a voice line, for the picture of its status message.

How people are understood, and how fast, depends on the machine, so no test compares it.
"""

import json
from pathlib import Path

from simulator.discord import Person
from simulator.discord.voice.talker import Talker
from simulator.edge_tts import running_edge_tts
from simulator.messages_api import Say
from tests.docs.scenes.model import Held, SceneModel
from tests.docs.scenes.stage import SECONDS, Stage
from tests.fakes.house import open_house

_STORY = (
    "Once upon a time, an egg lived on a shelf in a kitchen. It had never seen a hen. One day the"
    " door opened, and in came the morning sun."
)

_TONE_SECONDS = 1.0
"""After that, what is heard of the bot is no more the tone that tells that something was heard."""


async def perform_line(folder: Path) -> Stage:
    """Play it, and return the stage; the last that it shows is the status message.

    Args:
        folder: Where everything is kept; empty.
    """
    model = SceneModel()
    async with open_house(folder, model) as house, running_edge_tts() as edge:
        people = [house.discord.person(name).id for name in ("nora", "ida")]
        settings = {
            "discord__allowed_user_ids": json.dumps(people),
            "endpoints__edge_tts": json.dumps(edge.url),
            "speech__engine": '"edge"',
        }
        stage = Stage(house, model, "kitchen")
        async with house.bot(**settings):
            await _play(stage)
    return stage


async def _play(stage: Stage) -> None:
    nora, ida = stage.person("nora"), stage.person("ida")
    stage.channel = table = stage.voice_channel("table")
    talker = nora.join_voice(table)
    stage.teach("soft egg", Say("Six minutes, if it comes out of the fridge."))
    stage.teach("story", Say(_STORY))
    with stage.beside_the_picture():
        await stage.slash(nora, "pickup", name="supper")
    await table.connected(timeout_seconds=SECONDS)
    await stage.sees(nora, "I am listening in this channel")
    await _says(stage, talker, "How many minutes does a soft egg need?", "Six minutes")
    other = ida.join_voice(table)
    await table.settled(timeout_seconds=SECONDS)
    await _says(stage, other, "I will set the table.", "💬")
    await _interrupt(stage, talker)
    await _think(stage, nora, other)


async def _interrupt(stage: Stage, talker: Talker) -> None:
    said = await talker.speak("Papercup, tell us a story.")
    await talker.hears_start(
        stage.house.discord.bot,
        after_seconds=said.ended_at_seconds + _TONE_SECONDS,
        timeout_seconds=SECONDS,
    )
    await _says(stage, talker, "Papercup, stop.", "(interrupted)")


async def _think(stage: Stage, nora: Person, other: Talker) -> None:
    held = Held(then=Say("Salt, and chives."))
    stage.teach("goes with", held)
    await other.speak("Papercup, what goes with eggs?")
    await held.reached.wait()
    await stage.sees(nora, "🤔 thinking", "goes with")
    held.let_go.set()


async def _says(stage: Stage, talker: Talker, text: str, wanted: str) -> None:
    """Have somebody say something, and wait until `wanted` stands in the status message."""
    await talker.speak(text)
    await stage.person("nora").sees(
        stage.channel,
        lambda one: "👂 listening" in one.text and wanted in one.text,
        timeout_seconds=SECONDS,
    )
