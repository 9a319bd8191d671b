"""Plays the scenes with a real bot."""

import json
import shutil
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path

from extensions.plugins.tree_hash import TreeHash, hash_tree
from simulator.edge_tts import running_edge_tts
from tests.docs.pages import ROOT
from tests.docs.scenes import (
    channels,
    conversation,
    files,
    jobs,
    plugins,
    sessions,
    settings,
    voice,
    you,
)
from tests.docs.scenes.model import SceneModel
from tests.docs.scenes.stage import Stage
from tests.fakes.house import House, open_house

EXAMPLES = ROOT / "examples" / "plugins"
USERS = ("uwe", "ida", "mia", "jan", "kai", "ben", "lea", "nora", "tom")
"""People who may talk to the bot. Each scene has its own, who see nothing of the others."""
BOUND = "settings"
"""The scene that is played in a channel in which every message is meant for the bot."""
THREADED = "conversation"
"""The scene that goes on with a bot that opens threads."""

PLUGGED = "plugins"
"""The scene that is played with a bot that has a plugin."""

NOTES_SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("notes")

@server.tool()
def search(words: str) -> str:
    return "Monday: the tide tables are in the blue folder."

server.run("stdio")
"""

Play = Callable[[Stage], Awaitable[None]]
SCENES: Mapping[str, tuple[str, Play]] = {
    "conversation": ("garden", conversation.play),
    "sessions": ("workshop", sessions.play),
    "settings": ("lookout", settings.play),
    "jobs": ("harbour", jobs.play),
    "channels": ("reception", channels.play),
    "you": ("lobby", you.play),
    "files": ("office", files.play),
    "voice": ("kitchen", voice.play),
    "plugins": ("parlour", plugins.play),
}
"""For each group of commands: the channel in which its scene is played, and what happens."""
PERFORMANCES = (
    ("conversation", "sessions", "settings"),
    ("jobs", "channels", "you", "files"),
    ("voice",),
    ("plugins",),
)
"""The scenes that are played one after the other, with the same bot."""


async def perform(groups: Sequence[str], folder: Path) -> dict[str, Stage]:
    """Play some scenes, and return the stages by the groups of commands.

    Args:
        groups: Which scenes.
        folder: Where everything is kept; empty.
    """
    model = SceneModel()
    async with open_house(folder, model) as house, running_edge_tts() as edge:
        stages = {group: Stage(house, model, SCENES[group][0]) for group in groups}
        lines = {**_settings(house, folder), "endpoints__edge_tts": json.dumps(edge.url)}
        if PLUGGED in stages:
            lines |= _trusted_plugin(folder)
        async with house.bot(**lines):
            for group, stage in stages.items():
                _, play = SCENES[group]
                await play(stage)
        if THREADED in stages:
            async with house.bot(**lines, discord__threads='"auto"'):
                await conversation.play_in_a_thread(stages[THREADED])
    return stages


def _settings(house: House, folder: Path) -> dict[str, str]:
    notes = folder / "notes.py"
    notes.write_text(NOTES_SERVER, encoding="utf-8")
    people = [house.discord.person(name).id for name in USERS]
    bound = house.discord.text_channel(SCENES[BOUND][0])
    return {
        "discord__allowed_user_ids": json.dumps(people),
        "discord__bound_channel_ids": json.dumps([bound.id]),
        "mcp__notes__command": json.dumps(sys.executable),
        "mcp__notes__args": json.dumps([str(notes)]),
        "mcp__tickets__url": '"https://tickets.example/mcp"',
        "speech__engine": '"edge"',
    }


def _trusted_plugin(folder: Path) -> dict[str, str]:
    """Put a copy of an example where it is found, and return the settings that trust it."""
    found = folder / "plugins"
    copy = shutil.copytree(EXAMPLES / plugins.PLUGIN, found / plugins.PLUGIN)
    tree = hash_tree(copy)
    assert isinstance(tree, TreeHash)
    return {
        "plugins__search_paths": json.dumps([str(found)]),
        "plugins__trusted": f'{{ {plugins.PLUGIN} = "{tree.text}" }}',
    }
