"""The acts of the demo of plugins' authors: what they and the operator do, and what comes of it."""

import asyncio
import os
import time
from collections.abc import Mapping, Sequence

from simulator.demo import authors_uses
from simulator.demo.authors_model import NO_TOOL
from simulator.demo.plugins_stage import PluginsStage
from simulator.discord.model import Message

SCENE_COUNT = authors_uses.SCENE_COUNT + 6

BEGUN: Mapping[str, str] = {
    "words": "tool",
    "gate": "permission-gate",
    "greeter": "command",
    "notes": "provider-less",
    "counter": "widget",
}
"""What each plugin is called, and the template that it begins with."""

_COMMANDS: Mapping[str, str] = {"greeter": "greet", "notes": "notes", "counter": "counter"}
"""The command that each brings along, if it does."""
_FIRST = "words"
_BAD: Mapping[str, str] = {"leak": "passwd", "pipe": "wait", "mighty": "helper"}
"""Folders, and what stands in each that must not."""
_BAD_EXIT = 2
_MOST_TRIES = 5


async def perform(stage: PluginsStage) -> None:
    """Go through all acts."""
    await _go_the_whole_way(stage)
    await _begin_the_others(stage)
    await authors_uses.use_them(stage)
    await _bring_a_change(stage)
    await _install_what_is_bad(stage, _BAD)
    await _search(stage)
    await _remove_them(stage, [*_COMMANDS, *(name for name in BEGUN if name not in _COMMANDS)])


async def perform_with_one(stage: PluginsStage) -> None:
    """Go through the acts of the one that goes the whole way."""
    await _go_the_whole_way(stage)
    await _bring_a_change(stage)
    await _install_what_is_bad(stage, dict([*_BAD.items()][:1]))
    await _search(stage)
    await _remove_them(stage, [_FIRST])


async def _go_the_whole_way(stage: PluginsStage) -> None:
    stage.chat.scene("An author begins a plugin, and goes the whole way with it")
    began = time.monotonic()
    await _begin(stage, _FIRST)
    await _install(stage, _FIRST)
    stage.report.check(
        "what is installed does not run before it is trusted",
        stage.process_of(_FIRST) is None and (stage.plugins / _FIRST).is_dir(),
        "words stands in ~/.papercup/plugins, and has no process",
    )
    told = await _trust(stage, _FIRST)
    answer = await _have_counted(stage, "How many words has it?")
    stage.report.time("authors_way_to_the_first_answer", time.monotonic() - began)
    stage.report.check(
        "the bot that runs starts it once it is trusted", "and runs." in told, _last_line(told)
    )
    stage.report.check("the speaker uses its tool", "6 words" in answer.text, answer.text)


async def _begin_the_others(stage: PluginsStage) -> None:
    stage.chat.scene("The other templates: begun, held to the protocol, installed, trusted")
    others = [name for name in BEGUN if name != _FIRST]
    async with asyncio.TaskGroup() as tasks:
        for name in others:
            tasks.create_task(_begin(stage, name))
    for name in others:
        # One after the other: two that write into the same folder refuse each other.
        await _install(stage, name)
    async with asyncio.TaskGroup() as tasks:
        # All at once: Discord is told of new commands when none has come for two seconds.
        trusting = [tasks.create_task(_trust(stage, name)) for name in others]
    running = [each for each in BEGUN if stage.process_of(each) is not None]
    stage.report.check(
        "each template's plugin runs beside the bot",
        running == [*BEGUN] and all("and runs." in each.result() for each in trusting),
        ", ".join(f"{name} ({BEGUN[name]})" for name in running),
    )


async def _begin(stage: PluginsStage, name: str) -> None:
    template = BEGUN[name]
    made = await stage.terminal("plugin", "new", name, "--template", template)
    tested = await stage.terminal("plugin", "test", name, shows_end=True)
    stage.report.time(f"plugin_new_{template}", made.seconds)
    stage.report.time(f"plugin_test_{template}", tested.seconds)
    end = _last_line(tested.text)
    stage.report.check(
        f"the template {template} passes the kit as it is",
        made.code == 0 and tested.code == 0 and "0 fail" in end,
        f"{name}: {end}",
    )


async def _install(stage: PluginsStage, name: str) -> None:
    printed = await stage.terminal("plugin", "install", name, beside_bot=True)
    stage.report.time(f"plugin_install_{BEGUN[name]}", printed.seconds)


async def _trust(stage: PluginsStage, name: str) -> str:
    words = ("plugin", "trust", name, "--yes")
    printed = await stage.terminal(*words, beside_bot=True, shows_end=name != _FIRST)
    stage.report.time(f"plugin_trust_{BEGUN[name]}", printed.seconds)
    return printed.text


async def _bring_a_change(stage: PluginsStage) -> None:
    stage.chat.scene("The author changes the tool; the operator updates, and trusts it anew")
    program = stage.desk / _FIRST / "plugin.py"
    text = program.read_text(encoding="utf-8")
    program.write_text(text.replace(' words"', ' words, by the new way"'), encoding="utf-8")
    updated = await stage.operator("plugin", "update", _FIRST)
    is_stopped = stage.process_of(_FIRST) is None
    gone = await stage.says("How many words now?", _has_no_tool)
    stage.report.check(
        "an update takes trust away: it does not run, and its tool is gone",
        "It runs once it is trusted" in updated and is_stopped and _has_no_tool(gone.text),
        f"{_last_line(updated)}; {gone.text}",
    )
    told = await _trust(stage, _FIRST)
    answer = await _have_counted(stage, "And how many words now?")
    stage.report.check(
        "trusted anew, it works as it was changed",
        "and runs." in told and "6 words, by the new way" in answer.text,
        answer.text,
    )


async def _install_what_is_bad(stage: PluginsStage, bad: Mapping[str, str]) -> None:
    stage.chat.scene("Folders that no plugin may come from are refused, each by what is wrong")
    before = sorted(each.name for each in stage.plugins.iterdir())
    for name, entry in bad.items():
        _make_bad(stage, name, entry)
        told = await stage.terminal("plugin", "install", name, beside_bot=True)
        stage.report.check(
            f"refused by name: {name}/{entry}",
            told.code == _BAD_EXIT and entry in told.text,
            f"{told.text} (exit code {told.code})",
        )
    left = sorted(each.name for each in stage.plugins.iterdir())
    stage.report.check("nothing of them is left", left == before, ", ".join(left))


def _make_bad(stage: PluginsStage, name: str, entry: str) -> None:
    folder = stage.desk / name
    folder.mkdir()
    manifest = (stage.desk / _FIRST / "extension.toml").read_text(encoding="utf-8")
    (folder / "extension.toml").write_text(manifest.replace(_FIRST, name), encoding="utf-8")
    (folder / "plugin.py").write_text("", encoding="utf-8")
    match name:
        case "leak":
            (folder / entry).symlink_to("/etc/passwd")
        case "pipe":
            os.mkfifo(folder / entry)
        case _:
            (folder / entry).touch()
            # It would run as its owner, whoever starts it.
            (folder / entry).chmod(0o4755)


async def _search(stage: PluginsStage) -> None:
    stage.chat.scene("A search without a network finds what comes with Papercup, and says so")
    told = await stage.terminal("plugin", "search", "dice", beside_bot=True)
    found = [line for line in told.text.splitlines() if line.startswith("dice ")]
    unreached = [line for line in told.text.splitlines() if "not searched" in line]
    stage.report.check(
        "a search offline finds the index, and names what it did not reach",
        found and unreached and told.code == 0,
        f"{' '.join(found[0].split()) if found else 'nothing'}; {len(unreached)} not searched",
    )


async def _remove_them(stage: PluginsStage, names: Sequence[str]) -> None:
    stage.chat.scene("The operator removes them: gone from Discord, and from the disk")
    for name in names:
        printed = await stage.terminal("plugin", "remove", name, "--yes", beside_bot=True)
        stage.report.time(f"plugin_remove_{BEGUN[name]}", printed.seconds)
    running = [name for name in names if stage.process_of(name) is not None]
    left = [name for name in names if (stage.plugins / name).exists()]
    stage.report.check(
        "no process and no folder of them is left",
        not running and not left,
        f"running: {', '.join(running) or 'none'}; folders: {', '.join(left) or 'none'}",
    )
    commands = await stage.discord.commands_withdrawn(*_COMMANDS.values())
    answer = await stage.says("How many words has it?", _has_no_tool)
    stage.report.check(
        "their commands and their tools are gone",
        _has_no_tool(answer.text),
        f"none of {len(commands)} commands is theirs; {answer.text}",
    )


async def _have_counted(stage: PluginsStage, question: str) -> Message:
    """Ask until the tool is used: the speaker hears of it a moment after it runs."""
    for _ in range(_MOST_TRIES - 1):
        answer = await stage.says(question, lambda text: "tool" in text)
        if not _has_no_tool(answer.text):
            return answer
    return await stage.says(question, lambda text: "tool" in text)


def _has_no_tool(answer: str) -> bool:
    """Say whether the model was not offered the tool, or was told that there is none by now."""
    return answer == NO_TOOL or "No such tool" in answer


def _last_line(text: str) -> str:
    return text.splitlines()[-1] if text else "(nothing)"
