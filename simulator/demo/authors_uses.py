"""What people on Discord do with plugins that began as templates, and what must come of it."""

from simulator.demo.authors_model import REMOVING
from simulator.demo.plugins_stage import PluginsStage
from simulator.discord.model import Message

SCENE_COUNT = 4

_COUNTER = "🧩 **counter**"
_MODE = "bypassPermissions"
_PICTURE_PIXELS = 720


async def use_them(stage: PluginsStage) -> None:
    """Use a command, notes, a widget and a gate."""
    await _call_a_command(stage)
    await _keep_notes(stage)
    await _press_buttons(stage)
    await _pass_the_gate(stage)


async def _call_a_command(stage: PluginsStage) -> None:
    stage.chat.scene("The command: completed while it is typed, called, and written as a message")
    await stage.discord.commands_registered("greet", timeout_seconds=30)
    offered = await stage.alice.autocomplete(stage.channel, "greet", "args", "mo")
    values = [str(choice.value) for choice in offered]
    stage.chat.act(stage.alice.account, f"/greet args:mo▏  ({', '.join(values)})")
    called = await stage.command("greet", args="morning")
    typed = await stage.says("/greet night", lambda text: "Good" in text)
    stage.report.check(
        "the command is completed, called and typed",
        values == ["morning"] and "Good morning!" in called and "Good night!" in typed.text,
        f"{', '.join(values)}; {_last_line(called)}; {_last_line(typed.text)}",
    )


async def _keep_notes(stage: PluginsStage) -> None:
    stage.chat.scene("Tool, hook and command together: notes that people and the model share")
    answer = await stage.says("nb: the tide is at six", lambda text: "tool" in text)
    told = await stage.command("notes")
    stage.report.check(
        "the hook writes the short form out, the tool keeps it, the command shows it",
        "That is note 1." in answer.text and "- the tide is at six" in told,
        f"{answer.text}; {_last_line(told)}",
    )


async def _press_buttons(stage: PluginsStage) -> None:
    stage.chat.scene("The widget: one message with buttons, edited in place")
    await stage.command("counter")
    first = await stage.sees(lambda message: _counts(message, 0))
    await stage.press(first, "+1")
    once = await stage.sees(lambda message: _counts(message, 1))
    await stage.press(once, "0")
    again = await stage.sees(lambda message: _counts(message, 0))
    stage.report.check(
        "each button changes the same message",
        first.id == once.id == again.id and again.is_edited,
        f"message {again.id}, version {len(again.versions)}",
    )


async def _pass_the_gate(stage: PluginsStage) -> None:
    stage.chat.scene("The gate: the speaker wants to remove a file, and Alice is asked")
    await stage.command("permissions", mode=_MODE)
    asked = stage.alice.say(stage.channel, "Throw the draft away.")
    stage.chat.show(asked)
    first = await stage.sees(_is_question, after=asked)
    stage.take_picture(
        stage.discord.page_of(stage.channel, stage.alice, after=asked, width_pixels=_PICTURE_PIXELS)
    )
    await stage.press(first, "No")
    second = await stage.sees(_is_question, after=first)
    await stage.press(second, "Yes")
    answer = await stage.sees(lambda message: "I tried twice." in message.text, after=second)
    told = {line[:2]: line for line in answer.text.splitlines()}
    stage.report.check(
        "the person who is asked sees the command",
        REMOVING in first.text and [one.label for one in first.buttons] == ["Yes", "No"],
        f"{REMOVING}: {', '.join(button.label for button in first.buttons)}",
    )
    stage.report.check(
        "after a no it is not run, and the model is told why",
        "refused" in told["1."] and "a person said no" in told["1."],
        told["1."],
    )
    stage.report.check("after a yes it is run", "2. done" in told["2."], told["2."])


def _counts(message: Message, count: int) -> bool:
    return _COUNTER in message.text and message.text.rstrip().endswith(str(count))


def _is_question(message: Message) -> bool:
    return "asks <@" in message.text and bool(message.buttons)


def _last_line(text: str) -> str:
    return text.splitlines()[-1]
