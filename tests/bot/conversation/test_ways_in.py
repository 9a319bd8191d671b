"""Every way in gives the answer that the table of rights gives.

These are what people write and what they change in it, commands, typed and in the menu of a
message, what an option is completed to, buttons, menus and forms, and the tools that a speaker
calls for whom it answers.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from bot.access import AccessPolicy, Action, Allowed, Belonging, Standing
from bot.commands.spec import Completes
from tests.bot.test_access import OTHER_SERVER, PEOPLE, POLICY, SERVER
from tests.fakes import ways_in
from tests.fakes.office import HERE, MCP_SERVER
from tests.fakes.scene import (
    ARGUMENTS,
    NEW,
    NEW_FREE,
    PLUGIN,
    ROLL,
    SOMEBODY,
    Scene,
    a_scene,
)

POLICIES = {
    "any server": POLICY,
    "another server": replace(POLICY, guild_ids=frozenset({OTHER_SERVER})),
}
ROLES_ELSEWHERE = {
    f"{who} of another server": replace(PEOPLE[who], guild_id=OTHER_SERVER)
    for who in ("admin", "operator", "user")
}
EVERYBODY = PEOPLE | ROLES_ELSEWHERE

Way = Callable[[Scene], Awaitable[bool]]


def command(called: str, /, **options: str) -> Way:
    return lambda scene: ways_in.command(scene, called, options)


def change(called: str, /, **options: str) -> Way:
    return lambda scene: ways_in.change(scene, called, options)


def line(called: str, /, **options: str) -> Way:
    return lambda scene: ways_in.change_of_line(scene, called, options)


def completion(
    name: str,
    option: str,
    wanted: Callable[[Scene], str],
    given: Mapping[str, str] | None = None,
) -> Way:
    return lambda scene: ways_in.completion(scene, name, option, wanted(scene), given)


def of_plugin(called: str, /, **options: str) -> Way:
    return lambda scene: ways_in.command_of_plugin(scene, called, options)


def tool(name: str, arguments: Callable[[Scene], dict[str, str | int]] = lambda _: {}) -> Way:
    return lambda scene: ways_in.tool(scene, name, **arguments(scene))


# The order matters: the last ones end the conversation.
WAYS: Mapping[str, tuple[Action, Way]] = {
    "a message": (Action.TALK, ways_in.message),
    "an edit": (Action.TALK, ways_in.edit),
    "a message where nobody is asked": (Action.RUN_FREELY, ways_in.message_where_nobody_is_asked),
    "Ask Papercup": (Action.TALK, ways_in.ask),
    "Ask Papercup where nobody is asked": (Action.RUN_FREELY, ways_in.ask_where_nobody_is_asked),
    "Start a job": (Action.SPAWN, ways_in.start_of_job),
    "/pickup": (Action.TALK, lambda scene: ways_in.pickup(scene, NEW)),
    "/pickup permission-mode:auto": (
        Action.RUN_FREELY,
        lambda scene: ways_in.pickup(scene, NEW_FREE, {"permission-mode": "auto"}),
    ),
    "/status": (Action.TALK, command("status")),
    "/say": (Action.TALK, command("say", text="hi")),
    "something that is said": (Action.TALK, ways_in.said_aloud),
    "/voice list": (Action.TALK, command("voice list")),
    "/voice doctor": (Action.TALK, command("voice doctor")),
    "/voice mode": (Action.CHANGE_SESSION, line("voice mode", mode="push")),
    "/voice mute": (Action.CHANGE_SESSION, line("voice mute", state="on")),
    "/voice use": (Action.CHANGE_SESSION, line("voice use", name="en-GB-Sonia")),
    "a voice that is typed": (
        Action.TALK,
        completion("voice use", "name", lambda _: "en-GB-Sonia"),
    ),
    "button Talk": (Action.TALK, ways_in.talk_button),
    "/whoami": (Action.TALK, command("whoami")),
    "/help": (Action.TALK, command("help")),
    "/sessions": (Action.TALK, command("sessions")),
    "what /sessions shows": (Action.CHANGE_SESSION, ways_in.list_of_sessions),
    "/mcp list": (Action.TALK, command("mcp list")),
    "/jobs list": (Action.TALK, command("jobs list")),
    "what /jobs list shows": (Action.SEE_JOB, ways_in.list_of_jobs),
    "/jobs show": (Action.SEE_JOB, ways_in.show_of_job),
    "/jobs logs": (Action.SEE_JOB, partial(ways_in.file_of_job, name="jobs logs")),
    "/jobs files": (Action.SEE_JOB, partial(ways_in.file_of_job, name="jobs files")),
    "/jobs cancel": (Action.CANCEL_JOB, ways_in.cancel_of_job),
    "a job that is typed": (
        Action.SEE_JOB,
        completion("jobs show", "job", lambda scene: scene.job.id),
    ),
    "an unsettled job that is typed": (
        Action.SEE_JOB,
        completion("jobs cancel", "job", lambda scene: scene.running["tool"].id),
    ),
    "a session that is typed": (
        Action.CHANGE_SESSION,
        completion("resume", "name", lambda scene: scene.elsewhere.id),
    ),
    "a model that is typed": (Action.TALK, completion("model", "name", lambda _: "opus")),
    "an MCP server that is typed": (
        Action.TALK,
        completion("mcp enable", "name", lambda _: MCP_SERVER),
    ),
    "a command that is typed": (Action.TALK, completion("help", "command", lambda _: "bind")),
    "/plugin list": (Action.ADMINISTER, command("plugin list")),
    "/plugin info": (Action.ADMINISTER, command("plugin info", name=PLUGIN)),
    "/plugin reload": (Action.ADMINISTER, ways_in.reload_of_plugin),
    "/x": (Action.TALK, of_plugin("x", plugin=PLUGIN, command=ROLL)),
    "a command of a plugin": (Action.TALK, of_plugin(ROLL, args=ARGUMENTS)),
    "a command of a plugin in a message": (Action.TALK, ways_in.typed_command),
    "a plugin that is typed": (
        Action.ADMINISTER,
        completion("plugin info", "name", lambda _: PLUGIN),
    ),
    "a plugin with commands that is typed": (
        Action.TALK,
        completion("x", "plugin", lambda _: PLUGIN),
    ),
    "a command of a plugin that is typed": (
        Action.TALK,
        completion("x", "command", lambda _: ROLL, {"plugin": PLUGIN}),
    ),
    "arguments that are typed": (
        Action.TALK,
        completion("x", "args", lambda _: ARGUMENTS, {"plugin": PLUGIN, "command": ROLL}),
    ),
    "arguments of a plugin's command that are typed": (
        Action.TALK,
        completion(ROLL, "args", lambda _: ARGUMENTS),
    ),
    "button Show": (Action.SEE_JOB, partial(ways_in.button, verb="show")),
    "button Files": (Action.SEE_JOB, partial(ways_in.button, verb="files")),
    "button Log": (Action.SEE_JOB, partial(ways_in.button, verb="log")),
    "button Rundown": (Action.SEE_JOB, ways_in.rundown),
    "button Cancel": (Action.CANCEL_JOB, ways_in.cancel_button),
    "button Resume": (Action.CANCEL_JOB, ways_in.resume_button),
    "button of a question": (Action.ANSWER, ways_in.button_of_question),
    "menu of a question": (Action.ANSWER, ways_in.menu_of_question),
    "form of a question": (Action.ANSWER, ways_in.form_of_question),
    "check_extension by id": (
        Action.SEE_JOB,
        tool("check_extension", lambda scene: {"id": scene.job.id}),
    ),
    "check_extension by name": (
        Action.SEE_JOB,
        tool("check_extension", lambda scene: {"id": scene.job.name}),
    ),
    "wait_extension": (
        Action.SEE_JOB,
        tool("wait_extension", lambda scene: {"id": scene.job.id, "seconds": 0}),
    ),
    "list_extensions": (Action.SEE_JOB, tool("list_extensions")),
    "cancel_extension": (Action.CANCEL_JOB, ways_in.cancel_tool),
    "spawn_extension": (Action.SPAWN, tool("spawn_extension", lambda _: {"task": "t"})),
    "send_file": (Action.TALK, ways_in.file_tool),
    "/rename": (Action.CHANGE_SESSION, change("rename", name="another")),
    "/model": (Action.CHANGE_SESSION, change("model", name="opus")),
    "/effort": (Action.CHANGE_SESSION, change("effort", level="high")),
    "/mcp enable": (Action.CHANGE_SESSION, change("mcp enable", name=MCP_SERVER)),
    "/mcp disable": (Action.CHANGE_SESSION, change("mcp disable", name=MCP_SERVER)),
    "/streaming": (Action.CHANGE_SESSION, change("streaming", detail="full")),
    "/notify": (Action.CHANGE_SESSION, change("notify", state="on")),
    "/notify state:all": (Action.HEAR_OF_ALL, change("notify", state="all")),
    "/permissions": (Action.CHANGE_SESSION, change("permissions", mode="plan")),
    "/permissions mode:auto": (Action.RUN_FREELY, change("permissions", mode="auto")),
    "/permissions mode:bypassPermissions": (
        Action.RUN_FREELY,
        change("permissions", mode="bypassPermissions"),
    ),
    "/bind": (Action.BIND, ways_in.bind),
    "/unbind": (Action.BIND, ways_in.unbind),
    "/new": (Action.CHANGE_SESSION, ways_in.new),
    "/cancel": (Action.TALK, command("cancel")),
    "/resume": (Action.CHANGE_SESSION, ways_in.resume),
    "/hangup": (Action.CHANGE_SESSION, ways_in.hangup),
}
OF_ELSEWHERE = {"what /sessions shows", "a session that is typed", "/resume"}
"""About the session that is open in another channel: of the server of the jobs."""


def is_expected(name: str, scene: Scene, rules: AccessPolicy) -> bool:
    """Say whether the table lets the person of a scene do what that way is for."""
    action, _ = WAYS[name]
    is_of_here = action is Action.CHANGE_SESSION and name not in OF_ELSEWHERE
    guild_id = SERVER if is_of_here else scene.guild_id
    about = Belonging(person_id=scene.owner.id, guild_id=guild_id)
    verdict = rules.authorize([scene.person], action, HERE, about=about)
    # It holds what others said there: nobody but an owner takes it out, and only their own.
    is_owners = POLICY.standing_of(scene.person, HERE) is Standing.OWNER
    stays_there = guild_id != SERVER and not (is_owners and scene.owner == scene.person)
    return isinstance(verdict, Allowed) and not (name in OF_ELSEWHERE and stays_there)


@pytest.mark.parametrize("guild_id", [SERVER, OTHER_SERVER])
@pytest.mark.parametrize("is_own", [True, False])
@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("who", EVERYBODY)
async def test_every_way_in_gives_the_same_answer(
    tmp_path: Path, who: str, policy: str, guild_id: int, *, is_own: bool
) -> None:
    person, rules = EVERYBODY[who], POLICIES[policy]
    owner = person if is_own else SOMEBODY
    async with a_scene(tmp_path, rules, person, owner, guild_id) as scene:
        expected = {name: is_expected(name, scene, rules) for name in WAYS}
        got = {name: await come_in(scene) for name, (_, come_in) in WAYS.items()}

    assert got == expected


async def test_no_way_in_is_left_out(tmp_path: Path) -> None:
    async with a_scene(tmp_path, POLICY, PEOPLE["owner"], PEOPLE["owner"], SERVER) as scene:
        for _, come_in in WAYS.values():
            await come_in(scene)
        offers = scene.office.offers
        verbs = {verb for offer in offers for verb in (*offer.buttons, *offer.forms)}
        tools = {tool.name for tool in scene.tools} - {"report_progress"}
        commands = {spec.name for spec in scene.office.offered.all}
        there_is = commands | verbs | tools | set(Completes)

    assert scene.used == there_is
