"""A plugin that rolls dice: its owner looks after it, and others call what it brings along."""

from tests.docs.scenes.stage import Stage

PLUGIN = "dice"
"""The example that has to run: it brings `/roll` along, and completes `2` to `2d6`."""


async def play(stage: Stage) -> None:
    """Look at the plugin, roll dice in each way, and start it anew."""
    olga, tom = stage.person("olga"), stage.person("tom")
    await stage.house.discord.commands_registered("roll")
    await stage.slash(olga, "plugin list")
    with stage.beside_the_picture():
        await stage.slash(olga, "plugin info", name=PLUGIN)
        await stage.types(tom, "roll", "args", "2")
    await stage.slash(tom, "roll", args="2d6")
    written = stage.say(tom, "/roll 3d6")
    await stage.answered(tom, written, "🎲 3d6: ")
    await stage.slash(tom, "x", plugin=PLUGIN, command="roll", args="4d6")
    await stage.slash(olga, "plugin reload", name=PLUGIN)
