"""A reception's channel is bound, and set free again."""

from simulator.messages_api import Say
from tests.docs.scenes.stage import Stage


async def play(stage: Stage) -> None:
    """Bind the channel, be answered without a mention, and unbind it."""
    olga, kai = stage.person("olga"), stage.person("kai")
    await stage.slash(kai, "bind")
    await stage.slash(olga, "bind", channel=stage.channel)
    await stage.ask(
        kai,
        "Until when is breakfast served?",
        Say("Until ten; on Sundays until eleven."),
        mention_bot=False,
    )
    await stage.sees(kai, "📍 Active session")
    await stage.slash(olga, "unbind")
