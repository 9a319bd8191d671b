"""A conversation in a garden's channel: opening it, waiting in line, stopping it, a thread."""

from simulator.messages_api import Say
from tests.docs.scenes.model import Held
from tests.docs.scenes.stage import Stage


async def play(stage: Stage) -> None:
    """Talk, wait, cancel, have somebody else's message answered, begin afresh, and hang up."""
    olga, uwe, max_ = stage.person("olga"), stage.person("uwe"), stage.person("max")
    await stage.slash(olga, "pickup", name="garden")
    await stage.ask(
        olga,
        "When do I sow carrots?",
        Say(
            "From March on, once the soil crumbles. They dislike to be moved, so sow them in place."
        ),
    )
    await _wait_in_line(stage)
    note = stage.say(max_, "Are those white moths bad for the cabbage?", mention_bot=False)
    stage.teach("white moths", Say("Their caterpillars are. A net over the bed keeps them off."))
    await stage.use_on(uwe, note, "Ask Papercup")
    await stage.answered(uwe, note, "keeps them off.")
    with stage.beside_the_picture():
        await stage.slash(olga, "new", name="harvest")
        await stage.slash(olga, "hangup")


async def play_in_a_thread(stage: Stage) -> None:
    """Pick up where each conversation gets a thread."""
    olga = stage.person("olga")
    await stage.slash(olga, "pickup", name="greenhouse")
    thread = await stage.sees_thread(olga, "greenhouse")
    await stage.ask(
        olga,
        "Which tomato stays small?",
        Say("“Tiny Tim” does: knee-high, and happy in a pot."),
        mention_bot=False,
        channel=thread,
    )


async def _wait_in_line(stage: Stage) -> None:
    olga, uwe = stage.person("olga"), stage.person("uwe")
    held = Held(then=Say("Week 1: …"))
    plan = stage.say(olga, "Plan the whole year for me, week by week.", held)
    await held.reached.wait()
    first = stage.say(uwe, "And peas?")
    stage.teach("And peas?", Say("Both from April on; give the peas something to climb."))
    await stage.sees_mark(uwe, first, "👀")
    second = stage.say(uwe, "And beans, in the same bed?")
    stage.teach("And beans", Say("Peas from March, beans from May on. They share a bed well."))
    await stage.sees_mark(uwe, second, "👀")
    with stage.beside_the_picture():
        await stage.slash(olga, "status")
    await stage.slash(olga, "cancel")
    await stage.answered(olga, plan, "⚠️")
    await stage.answered(uwe, second, "share a bed well.")
    await stage.sees_mark(uwe, first, "✅")
    await stage.sees_no_mark(uwe, second, "👀")
    held.let_go.set()
