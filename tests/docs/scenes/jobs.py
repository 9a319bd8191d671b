"""Jobs in a harbour's channel: one that ends well, and one that is stopped."""

from simulator.messages_api import Say, Use
from tests.docs.scenes.model import Held
from tests.docs.scenes.stage import Stage
from tests.fakes.model_script import SPAWN

TABLE = "day,high,low\nMonday,04:10,10:25\nTuesday,05:02,11:14\n"
TASK = "Write the high and low tides of Monday and Tuesday into tides.csv."
ENDED = """\
I wrote `tides.csv`, with a line for each day:
- Monday: high at 04:10, low at 10:25
- Tuesday: high at 05:02, low at 11:14"""


async def play(stage: Stage) -> None:
    """Have a job done while people look at it; start another one from a message, and stop it."""
    jan = stage.person("jan")
    with stage.beside_the_picture():
        await stage.slash(jan, "pickup", name="harbour")
        await stage.slash(jan, "notify", state="on")
    held = Held(then=Say(ENDED))
    await _start(stage, held)
    await _look_at_it(stage)
    held.let_go.set()
    await stage.sees(jan, "✅ **tide-table**")
    notice = await stage.sees(jan, "🔔 **tide-table**", "Want the rundown?")
    await stage.press(jan, notice, "Rundown")
    with stage.beside_the_picture():
        await stage.sees(jan, "🔔 **tide-table**", "Rundown below")
    await stage.answered(jan, notice, "Tuesday: high at 05:02")
    await stage.slash(jan, "jobs files", job="tide-table")
    with stage.beside_the_picture():
        await stage.slash(jan, "jobs logs", job="tide-table")
    await _start_from_a_message(stage)


async def _start(stage: Stage, held: Held) -> None:
    jan = stage.person("jan")
    stage.teach_job(
        TASK,
        Use("Write", {"file_path": "tides.csv", "content": TABLE}),
        Use("Bash", {"command": "wc -l tides.csv", "description": "Count the lines"}),
        held,
    )
    await stage.ask(
        jan,
        "Please make a table of the tides, as a file.",
        Use(SPAWN, {"name": "tide-table", "task": TASK}),
        Say("I have started the job *tide-table* for that."),
    )
    await stage.sees(jan, "⚙️ **tide-table**", "Bash wc", "wrote `tides.csv`", "2 turns")


async def _look_at_it(stage: Stage) -> None:
    jan = stage.person("jan")
    await stage.slash(jan, "jobs list")
    with stage.beside_the_picture():
        (choice,) = await stage.types(jan, "jobs show", "job", "tide")
        await stage.picks(jan, "jobs show", "job", choice)


async def _start_from_a_message(stage: Stage) -> None:
    jan, max_ = stage.person("jan"), stage.person("max")
    wish = "The links in the guide want checking."
    held = Held(then=Say("All links are good."))
    stage.teach_job(wish, held)
    message = stage.say(max_, wish, mention_bot=False)
    await stage.use_on(jan, message, "Start a job")
    await held.reached.wait()
    with stage.beside_the_picture():
        (choice,) = await stage.types(jan, "jobs cancel", "job", "")
        await stage.picks(jan, "jobs cancel", "job", choice)
    await stage.sees(jan, "🚫 **the-links")
    with stage.beside_the_picture():
        await stage.sees(jan, "🔔 **the-links", "cancelled")
    held.let_go.set()
