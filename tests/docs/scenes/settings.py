"""Somebody sets a session in a channel that is bound, where its card is pinned."""

from simulator.messages_api import Say, Think, Use
from tests.docs.scenes.model import Held
from tests.docs.scenes.stage import Stage


async def play(stage: Stage) -> None:
    """Turn each knob, and see what becomes of the card and of the next answer."""
    mia = stage.person("mia")
    with stage.beside_the_picture():
        await stage.slash(mia, "pickup", name="tide watch")
    await stage.sees(mia, "📍 Active session", "effort as usual")
    await stage.sees_pin(mia)
    with stage.beside_the_picture():
        await stage.types(mia, "model", "name", "")
    await stage.slash(mia, "model", name="sonnet")
    await stage.slash(mia, "effort", level="high")
    with stage.beside_the_picture():
        await stage.slash(mia, "permissions", mode="plan")
    await stage.slash(mia, "permissions", mode="bypassPermissions")
    with stage.beside_the_picture():
        await stage.slash(mia, "permissions", mode="default")
        await stage.slash(mia, "mcp list")
        await stage.types(mia, "mcp enable", "name", "no")
    await stage.slash(mia, "mcp enable", name="notes")
    await stage.slash(mia, "streaming", detail="full")
    await _watch_it_work(stage)
    await stage.slash(mia, "notify", state="on")
    await stage.sees(mia, "📍 Active session", "effort `high`", "notices on")
    with stage.beside_the_picture():
        await stage.slash(mia, "mcp disable", name="notes")


async def _watch_it_work(stage: Stage) -> None:
    mia = stage.person("mia")
    held = Held(then=Say("In the blue folder: you noted that on Monday."))
    question = stage.say(
        mia,
        "Where did I put the tide tables?",
        Think(
            "That may stand in the notes, so I search them.",
            Use("mcp__notes__search", {"words": "tide tables"}),
        ),
        held,
        mention_bot=False,
    )
    await stage.sees(mia, "🤔 notes: search", "I search them", after=question)
    held.let_go.set()
    await stage.answered(mia, question, "on Monday.")
    await stage.sees(mia, "✅ Done", after=question)
