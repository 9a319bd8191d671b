"""`/plugin` and `/x`, with real conversations behind the front desk."""

from pathlib import Path
from typing import Any

from bot.access import AccessPolicy, Person
from bot.conversation.incoming import Completion
from bot.plugin_services.plugin_words import NO_COMMANDS, NO_PLUGINS
from extensions.errors import PluginCallError
from extensions.plugins.registrations import PluginCompletion
from tests.fakes.office import HERE, Office, open_office
from tests.fakes.plugin_commands import brings

OWNER = Person(id=1, name="olga")
USER = Person(id=7, name="uwe")
POLICY = AccessPolicy(owner_ids=frozenset({1}), allowed_user_ids=frozenset({7}))

DICE: dict[str, Any] = {
    "id": "dice",
    "name": "Dice",
    "version": "1.2.0",
    "dialect": "sep",
    "scope": "user",
    "state": "ready",
    "restarts": 1,
    "tools": ["roll"],
    "commands": ["roll"],
    "hooks": ["tool_call"],
    "events": [{"name": "turn_end"}],
    "breaker": {"name": "ext:stdio:dice", "state": "open"},
    "shortcuts": [{"key": "ctrl+r", "command": "roll"}],
    "flags": ["loaded"],
    "path": "./plugins/dice/extension.toml",
    "description": "Rolls *dice*.",
}
GATE: dict[str, Any] = {"id": "gate", "state": "failed", "reason": "**it** ended at once"}


async def test_the_list_says_how_each_plugin_stands(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        assert await office.call(OWNER, "plugin list") == NO_PLUGINS
        office.plugins.reports = [DICE, GATE, *({"id": f"p{n}"} for n in range(50))]
        first, second, *_, last = (await office.call(OWNER, "plugin list")).splitlines()
    assert first == "🟢 **dice** 1.2.0 · ready · 1 tool, 1 command, 1 hook"
    assert second == r"🔴 **gate** · failed: \*\*it\*\* ended at once"
    assert last == "-# 12 more are not shown."


async def test_what_a_plugin_that_is_down_keeps_from_being_done_is_told(tmp_path: Path) -> None:
    closed = {**GATE, "reason": "its files have changed", "closes": ["tool_call", "user_bash"]}
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.reports = [closed]
        told = await office.call(OWNER, "plugin list")
    assert told == (
        "🔴 **gate** · failed: its files have changed;"
        " **as long as it is down, no tool is used and no program is run for a plugin**"
    )


async def test_of_one_plugin_all_is_told_that_it_offers(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.reports = [DICE]
        office.plugins.bring(brings("dice", "roll"), brings("dice", "status"))
        text = await office.call(OWNER, "plugin info", {"name": "dice"})
        unknown = await office.call(OWNER, "plugin info", {"name": "dyce"})
    assert text.splitlines() == [
        "**Dice** 1.2.0",
        r"Rolls \*dice\*.",
        "🟢 ready",
        "Dialect: sep",
        "Scope: user",
        "Manifest: ./plugins/dice/extension.toml",
        "Breaker: open",
        "Restarted: once",
        "Tools: `roll`",
        "Commands: `/roll`, `/dice-status`",
        "Hooks: `tool_call`",
        "Events: `turn_end`",
        "Flags: `loaded`",
        "Keys, which no place here has: `ctrl+r for /roll`",
    ]
    assert unknown == "There is no plugin `dyce`. `/plugin list` shows which are."


async def test_a_plugin_is_started_anew_and_it_is_said_what_came_of_it(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.reports = [DICE]
        started = await office.call(OWNER, "plugin reload", {"name": "dice"})
        office.plugins.down = "it is not trusted"
        down = await office.call(OWNER, "plugin reload", {"name": "dice"})
        gone = await office.call(OWNER, "plugin reload", {"name": "gone"})
    assert started == "`dice` was started anew."
    assert down == "`dice` does not run: it is not trusted"
    assert gone == "`gone` does not run: it is not found"


async def test_any_command_of_any_plugin_is_run_by_x(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        nothing = await office.call(USER, "x", {"plugin": "dice", "command": "roll"})
        office.plugins.bring(brings("dice", "roll"))
        given = {"plugin": "dice", "command": "/roll", "args": " 2d6 "}
        told = await office.call(USER, "x", given)
        wrong = await office.call(USER, "x", {"plugin": "dice", "command": "rool"})
        (ran,) = office.plugins.ran
    assert nothing == NO_COMMANDS
    assert told == "-# 🧩 dice\n3"
    assert wrong == "The plugin `dice` has no command `rool`."
    assert ran[:3] == ("dice", "roll", "2d6")


async def test_what_x_takes_is_completed_from_what_is_filled_in(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.reports = [DICE, GATE]
        office.plugins.completions = [PluginCompletion(value="2d6", description="two dice")]
        office.plugins.bring(brings("dice", "roll"), brings("echo", "say"))
        assert await office.complete(OWNER, "plugin info", "name") == ["dice", "gate"]
        assert await office.complete(USER, "plugin info", "name") == []
        assert await office.complete(USER, "x", "plugin") == ["dice", "echo"]
        assert await office.complete(USER, "x", "command") == ["roll", "say"]
        given = {"plugin": "dice"}
        assert await office.complete(USER, "x", "command", given=given) == ["roll"]
        assert await office.complete(USER, "x", "args", given=given) == []
        given["command"] = "roll"
        assert await office.complete(USER, "x", "args", given=given) == ["2d6"]
        assert office.plugins.completed == [("dice", "roll", "")]


async def failing(office: Office, error: PluginCallError) -> str:
    office.plugins.failure = error
    return await office.call(USER, "roll", {"args": "2d6"})


async def test_a_command_that_fails_says_why_and_formats_nothing(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll"))
        told = await failing(office, PluginCallError("dice", "/roll failed: **no** @everyone"))
    assert told == "⚠️ /roll failed: \\*\\*no\\*\\* @\u200beveryone"


async def test_help_names_the_commands_of_plugins_and_describes_them(tmp_path: Path) -> None:
    async with open_office(tmp_path, POLICY) as office:
        office.plugins.bring(brings("dice", "roll", "Rolls **dice**."))
        overview = await office.call(USER, "help")
        described = await office.call(USER, "help", {"command": "/roll"})
        typing = Completion(command="help", option="command", typed="/rol", person=USER, place=HERE)
        offered = await office.desk.completed(typing)
    assert "**Of plugins**: `/roll`" in overview.splitlines()
    assert "/plugin list" not in overview
    assert described.splitlines()[0] == r"`/roll`: Rolls \*\*dice\*\*."
    assert [(each.label, each.value) for each in offered] == [("/roll: Rolls **dice**.", "roll")]
