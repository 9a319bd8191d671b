"""Somebody keeps two sessions in a workshop's channel, and goes back to the first."""

from simulator.messages_api import Say
from tests.docs.scenes.stage import Stage


async def play(stage: Stage) -> None:
    """Open a session, rename it, begin another one, list both, and resume the first."""
    ida = stage.person("ida")
    await stage.slash(ida, "pickup", name="bike")
    await stage.ask(
        ida,
        "My chain skips on the small sprocket. What is worn?",
        Say("Most likely that sprocket, or the chain itself: measure the chain first."),
    )
    await stage.slash(ida, "rename", name="bike repair")
    await stage.slash(ida, "new", name="camping trip")
    await stage.ask(
        ida, "What do I cook on one small stove?", Say("One-pot pasta: the water becomes sauce.")
    )
    await stage.slash(ida, "sessions")
    (choice,) = await stage.types(ida, "resume", "name", "bike")
    await stage.picks(ida, "resume", "name", choice)
    await stage.ask(ida, "What was I to measure?", Say("The chain: on that bike it skips."))
