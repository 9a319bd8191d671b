"""A kitchen's voice channel: a line is opened, set in other ways, tried, and ended."""

import asyncio

from simulator.discord import Person
from simulator.discord.voice.talker import Talker
from simulator.messages_api import Say
from tests.docs.scenes.stage import SECONDS, Stage


async def play(stage: Stage) -> None:
    """Ask for a line, write and have things said on it, change it, try it, and hang up."""
    nora = stage.person("nora")
    with stage.beside_the_picture():
        await stage.slash(nora, "say", text="Is anybody there?")
    await stage.slash(nora, "pickup", mode="voice")
    table = stage.voice_channel("table")
    talker = nora.join_voice(table)
    stage.happens("nora joins the voice channel table")
    await stage.slash(nora, "pickup", name="supper")
    await table.connected(timeout_seconds=SECONDS)
    stage.channel = table
    await stage.sees(nora, "I am listening in this channel")
    await _talk(stage, nora)
    await _change(stage, nora)
    await _try(stage, nora, talker)
    with stage.beside_the_picture():
        await stage.slash(nora, "status")
        await stage.slash(nora, "hangup")
        await stage.sees(nora, "hung up")


async def _talk(stage: Stage, nora: Person) -> None:
    await stage.ask(
        nora,
        "How long do I boil a soft egg?",
        Say("Six minutes, if it comes out of the fridge."),
        mention_bot=False,
    )
    await stage.slash(nora, "say", text="Supper is ready!")
    await stage.sees(nora, "👂 listening", "Supper is ready!")


async def _change(stage: Stage, nora: Person) -> None:
    await stage.slash(nora, "voice list", language="en")
    await stage.types(nora, "voice use", "name", "sonia")
    await stage.slash(nora, "voice use", name="en-GB-SoniaNeural")
    await stage.slash(nora, "voice mode", mode="push")
    await stage.sees(nora, "👂 listening", "Press the button, and talk.")
    with stage.beside_the_picture():
        await stage.slash(nora, "voice mode", mode="open")
        await stage.slash(nora, "voice mute", state="on")
        await stage.sees(nora, "🔇 not listening")
        await stage.slash(nora, "voice mute", state="off")


async def _try(stage: Stage, nora: Person, talker: Talker) -> None:
    async with asyncio.TaskGroup() as tasks:
        counting = tasks.create_task(_count(stage, talker))
        await stage.slash(nora, "voice doctor")
        await counting


async def _count(stage: Stage, talker: Talker) -> None:
    now = asyncio.get_running_loop().time()
    await talker.hears(stage.house.discord.bot, after_seconds=now, timeout_seconds=SECONDS)
    await talker.speak("One, two, three.")
