"""The acts of the demo of plugins: what people do, and what must come of it."""

import asyncio
import os
import signal
import time
from pathlib import Path

from simulator.demo.plugins_model import CLEAN_COMMAND, NOT_MINE
from simulator.demo.plugins_stage import PluginsStage
from simulator.discord.model import Message

SCENE_COUNT = 8

TRUSTED = ("dice", "todo", "permission_gate", "nosy")
"""Which of the plugins the operator comes to trust."""

_WIDGET = "🧩 **todo**"
"""How the message begins that shows its widget; answers of commands name it in small letters."""


async def perform(stage: PluginsStage) -> None:
    """Go through all acts."""
    await _find_them(stage)
    await _trust_some(stage)
    rolled = await _roll_dice(stage)
    await _keep_a_list(stage)
    await _pass_the_gate(stage, seen_since=rolled)
    await _kill_one(stage)
    await _ask_for_too_much(stage)
    await _change_one(stage)


async def _find_them(stage: PluginsStage) -> None:
    stage.chat.scene("Plugins lie in a folder; none runs that the operator does not trust")
    listed = await stage.command("plugin list")
    found = sorted(path.name for path in stage.plugins.iterdir() if path.is_dir())
    refused = [line for line in listed.splitlines() if line.startswith("🔴") and "trust" in line]
    running = [name for name in found if stage.process_of(name) is not None]
    stage.report.check(
        "what nobody trusted does not run",
        len(refused) == len(found) and not running,
        f"{len(found)} found, {len(refused)} refused, running: {', '.join(running) or 'none'}",
    )
    answer = await stage.says("/roll 2d6")
    stage.report.check(
        "a command that nobody offers goes to the speaker", answer.text == NOT_MINE, answer.text
    )


async def _trust_some(stage: PluginsStage) -> None:
    stage.chat.scene("The operator trusts four of them, one without what it asks for")
    began = time.monotonic()
    async with asyncio.TaskGroup() as tasks:
        told = [tasks.create_task(_trust(stage, name)) for name in TRUSTED]
    stage.report.time("trust_four_plugins", time.monotonic() - began)
    stage.report.check(
        "what is asked for is shown in plain words, and what is trusted runs at once",
        all("It may:" in each.result() and "and runs." in each.result() for each in told),
        "; ".join(each.result().splitlines()[-1] for each in told),
    )
    listed = await stage.command("plugin list")
    ready = [name for name in TRUSTED if f"🟢 **{name.replace('_', chr(92) + '_')}**" in listed]
    stage.report.check("people are shown which run", ready == [*TRUSTED], ", ".join(ready))


async def _trust(stage: PluginsStage, name: str) -> str:
    denied = ["--deny-exec"] if name == "nosy" else []
    is_read = name == "permission_gate"
    return await stage.operator("plugin", "trust", name, "--yes", *denied, shows_end=not is_read)


async def _roll_dice(stage: PluginsStage) -> Message:
    stage.chat.scene("A plugin's command is called, completed and typed")
    await stage.discord.commands_registered("roll", timeout_seconds=20)
    offered = await stage.alice.autocomplete(stage.channel, "roll", "args", "2d1")
    values = [str(choice.value) for choice in offered]
    stage.chat.act(stage.alice.account, f"/roll args:2d1▏  ({', '.join(values)})")
    stage.report.check(
        "what is typed is completed by the plugin",
        values == ["2d10", "2d12", "2d100"],
        ", ".join(values),
    )
    called = await stage.command("roll", args="2d12")
    typed = await stage.says("/roll 2d6", lambda text: "🎲" in text)
    named = await stage.says("/dice:roll d20", lambda text: "🎲" in text)
    stage.report.check(
        "a slash command and a typed one come to the same",
        "🎲 2d12" in called and "🎲 2d6" in typed.text and "🎲 d20" in named.text,
        f"{called}; {typed.text}",
    )
    refused = await stage.says("/roll seven", lambda text: "⚠️" in text)
    stage.report.check("what fails says why", "a throw is such as" in refused.text, refused.text)
    return refused


async def _keep_a_list(stage: PluginsStage) -> None:
    stage.chat.scene("A list that people and the model share is one message, edited in place")
    await stage.command("todo", args="milk")
    first = await stage.sees(lambda message: _is_list(message, "☐ milk"))
    answer = await stage.says("Put bread on the list, please.", lambda text: "bread" in text)
    both = await stage.sees(lambda message: _is_list(message, "☐ bread"))
    stage.report.check(
        "the model uses the plugin's tool", "☐ bread" in answer.text, answer.text.splitlines()[-1]
    )
    await stage.press(both, "✓ milk")
    ticked = await stage.sees(lambda message: _is_list(message, "☑ milk"))
    stage.report.check(
        "a pressed key reaches the plugin, and its widget is edited in place",
        first.id == both.id == ticked.id and ticked.is_edited,
        f"message {ticked.id}, version {len(ticked.versions)}",
    )
    labels = [button.label for button in ticked.buttons]
    stage.report.check("its keys change with it", labels == ["✓ bread", "Clear"], ", ".join(labels))


async def _pass_the_gate(stage: PluginsStage, *, seen_since: Message) -> None:
    stage.chat.scene("A job wants to remove files: a plugin asks Alice first")
    await stage.command("notify", state="on")
    begun = await stage.says("Remove the folder build.", lambda text: text.endswith("way."))
    first = await stage.sees(_is_question, after=begun)
    page = stage.discord.page_of(stage.channel, stage.alice, after=seen_since, width_pixels=720)
    stage.take_picture(page)
    stage.report.check(
        "a person is asked by buttons, and shown the command",
        CLEAN_COMMAND in first.text and [one.label for one in first.buttons] == ["Yes", "No"],
        f"{CLEAN_COMMAND}: {', '.join(button.label for button in first.buttons)}",
    )
    kept = stage.bot.job("clean-up")
    built = Path(kept["dir"]) / "build" / "old.o"
    await _answer_for_her(stage, first)
    await stage.press(first, "No")
    second = await stage.sees(_is_question, after=first)
    stage.report.check("after a no it is not run", built.exists(), f"{built.name} is there")
    await stage.press(second, "Yes")
    notice = await stage.sees(lambda message: message.text.startswith("🔔"), after=second)
    summary = str(stage.bot.job("clean-up")["summary"])
    stage.report.check(
        "the model is told why it was refused",
        "1. refused: " in summary and "a person said no" in summary,
        next((line for line in summary.splitlines() if line.startswith("1.")), summary),
    )
    stage.report.check(
        "after a yes it is run",
        "2. done" in summary and not built.exists(),
        notice.text.splitlines()[0],
    )
    questions = [m for m in stage.discord.bot_messages(stage.channel) if "asks <@" in m.text]
    stage.report.check(
        "what was allowed once is not asked again",
        "3. done" in summary and len(questions) == 2,  # noqa: PLR2004 - the no, and the yes
        f"{len(questions)} questions for 3 tries",
    )


async def _answer_for_her(stage: PluginsStage, question: Message) -> None:
    stage.chat.act(stage.bob.account, "[ Yes ]")
    refused = await stage.bob.click(question, label="Yes")
    assert refused is not None
    assert refused.message is not None
    stage.chat.show(refused.message)
    now = await stage.sees(lambda message: message.id == question.id)
    stage.report.check(
        "the yes of somebody who may talk to it, but was not asked, does not count",
        now.buttons,
        refused.text,
    )


async def _kill_one(stage: PluginsStage) -> None:
    stage.chat.scene("A plugin is killed, and comes back")
    process = stage.process_of("todo")
    assert process is not None, "it was trusted, and runs"
    os.kill(process, signal.SIGKILL)
    began = time.monotonic()
    shown = await stage.stands("todo", "🟡", "Restarted")
    down = shown.splitlines()[2]
    stage.report.check("people are shown that it was down", "🟢" not in down, down)
    await stage.stands("todo", "🟢")
    stage.report.time("killed_plugin_to_ready", time.monotonic() - began)
    other = stage.process_of("todo")
    answer = await stage.says("And butter, please.", lambda text: "butter" in text)
    again = await stage.sees(lambda message: _is_list(message, "☐ butter"))
    stage.report.check(
        "it comes back with its tools and all that it kept",
        "☑ milk" in answer.text and "☐ butter" in answer.text and other != process,
        f"process {process} was killed, process {other} serves",
    )
    stage.report.check(
        "its widget is still the same message",
        len([m for m in stage.discord.bot_messages(stage.channel) if _WIDGET in m.text]) == 1,
        f"message {again.id}, version {len(again.versions)}",
    )


async def _ask_for_too_much(stage: PluginsStage) -> None:
    stage.chat.scene("A plugin asks for what it was not granted, or did not declare")
    told = await stage.command("pry")
    stage.report.check(
        "a program that the operator did not grant is not run",
        "exec/run: -32002" in told,
        told.splitlines()[0],
    )
    stage.report.check(
        "what the manifest does not declare is refused",
        all(f"{each}: -32004" in told for each in ("kv/get", "ui/request", "session/state")),
        ", ".join(told.splitlines()[1:]),
    )
    log = await stage.operator("plugin", "log", "nosy", "--limit", "5")
    noted = [" ".join(line.split()[2:]) for line in log.splitlines() if "exec/run" in line]
    stage.report.check("the operator finds it in the log", noted, "; ".join(noted))


async def _change_one(stage: PluginsStage) -> None:
    stage.chat.scene("A trusted plugin's file is changed: it is trusted no more")
    with (stage.plugins / "dice" / "dice.py").open("a") as file:
        file.write("# One line more.\n")
    told = await stage.operator("plugin", "reload", "dice")
    stage.report.check(
        "what has changed since it was trusted does not run",
        "does not run" in told and "trust" in told and stage.process_of("dice") is None,
        told.splitlines()[-1],
    )
    answer = await stage.says("/roll 2d6", lambda text: text == NOT_MINE)
    stage.report.check("its commands are gone with it", answer.text == NOT_MINE, answer.text)


def _is_list(message: Message, wanted: str) -> bool:
    """Say whether it is the list's widget with that line in it."""
    lines = [" ".join(line.split()) for line in message.text.splitlines()]
    return _WIDGET in message.text and wanted in lines


def _is_question(message: Message) -> bool:
    return "asks <@" in message.text and bool(message.buttons)
