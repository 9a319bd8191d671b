"""Every way in gives the answer that the table of rights gives.

There is no form and no completion of options so far, so nothing comes in by these.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.access import (
    NO_AUTOMATONS,
    NOT_ON_THE_LIST,
    NOT_THIS_SERVER,
    NOT_YOUR_RANK,
    NOT_YOURS,
    AccessPolicy,
    Action,
    Allowed,
    Belonging,
    Person,
)
from bot.conversation.conversation import Conversation
from bot.conversation.job_rights import belonging_of
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.speaker.speaker import Answered
from extensions.callers import Caller, CallerKind
from extensions.jobs.backend import RunEnded
from extensions.jobs.job import Job, JobStatus, Outcome
from extensions.jobs.tools import job_tools
from extensions.tools import ToolCall
from tests.bot.conversation.test_conversations import HERE
from tests.bot.conversation.test_front_desk import Office, open_office
from tests.bot.test_access import OTHER_SERVER, PEOPLE, POLICY, SERVER
from tests.fakes.job_house import request
from tests.fakes.waiting import until

SOMEBODY = Person(id=77, name="somebody", guild_id=SERVER)
REFUSALS = {
    each.reason
    for each in (NOT_YOURS, NOT_YOUR_RANK, NOT_ON_THE_LIST, NO_AUTOMATONS, NOT_THIS_SERVER)
}
POLICIES = {
    "any server": POLICY,
    "another server": replace(POLICY, guild_ids=frozenset({OTHER_SERVER})),
}
ROLES_ELSEWHERE = {
    f"{who} of another server": replace(PEOPLE[who], guild_id=OTHER_SERVER)
    for who in ("admin", "operator", "user")
}
EVERYBODY = PEOPLE | ROLES_ELSEWHERE


@dataclass
class Scene:
    """A job, and a conversation in which `person` is just being answered."""

    office: Office
    person: Person
    job: Job
    conversation: Conversation

    async def by_message(self) -> bool:
        before = len(self.office.world.messenger.messages)
        await self.office.say(self.person)
        replies = [each.text for each in self.office.world.messenger.messages[before:]]
        assert set(replies) <= REFUSALS
        taken = self.conversation.waiting_turns > 0
        assert not (taken and replies)
        return taken

    async def by_command(self, name: str, **options: str) -> bool:
        return await self.office.call(self.person, name, **options) not in REFUSALS

    async def by_list(self) -> bool:
        return self.job.name in await self.office.call(self.person, "jobs list")

    async def by_button(self, verb: str) -> bool:
        return (await self.office.press(self.person, verb, self.job.id)).text not in REFUSALS

    async def by_tool(self, name: str, **arguments: str) -> bool:
        tools = {tool.name: tool for tool in job_tools(self.office.jobs, self.office.rights)}
        caller = Caller(CallerKind.SPEAKER, self.conversation.session.id)
        answer = await tools[name].handler(ToolCall(caller=caller, arguments=arguments))
        if answer.is_error:
            return False
        return name == "spawn_extension" or self.job.name in answer.text


Way = Callable[[Scene], Awaitable[bool]]

# The order matters: the last one ends the conversation.
WAYS: Mapping[str, tuple[Action, Way]] = {
    "message": (Action.TALK, Scene.by_message),
    "/pickup": (Action.TALK, lambda scene: scene.by_command("pickup")),
    "/status": (Action.TALK, lambda scene: scene.by_command("status")),
    "/jobs list": (Action.TALK, lambda scene: scene.by_command("jobs list")),
    "what /jobs list shows": (Action.SEE_JOB, Scene.by_list),
    "button Show all": (Action.SEE_JOB, lambda scene: scene.by_button("show")),
    "button Files": (Action.SEE_JOB, lambda scene: scene.by_button("files")),
    "button Cancel": (Action.CANCEL_JOB, lambda scene: scene.by_button("cancel")),
    "check_extension by id": (
        Action.SEE_JOB,
        lambda scene: scene.by_tool("check_extension", id=scene.job.id),
    ),
    "check_extension by name": (
        Action.SEE_JOB,
        lambda scene: scene.by_tool("check_extension", id=scene.job.name),
    ),
    "list_extensions": (Action.SEE_JOB, lambda scene: scene.by_tool("list_extensions")),
    "spawn_extension": (Action.SPAWN, lambda scene: scene.by_tool("spawn_extension", task="t")),
    "/notify": (Action.CHANGE_SESSION, lambda scene: scene.by_command("notify", state="on")),
    "/notify state:all": (
        Action.HEAR_OF_ALL,
        lambda scene: scene.by_command("notify", state="all"),
    ),
    "/cancel": (Action.TALK, lambda scene: scene.by_command("cancel")),
    "/hangup": (Action.CHANGE_SESSION, lambda scene: scene.by_command("hangup")),
}


async def settled_job(office: Office, owner: Person, guild_id: int) -> Job:
    """Return a job of that person, asked for in that server, that has ended."""
    wanted = request(name="fibonacci")
    origin = replace(wanted.origin, person_id=owner.id, guild_id=guild_id)
    job = await office.jobs.spawn(replace(wanted, origin=origin))
    await until(lambda: job.id in office.backend.runs)
    outcome = Outcome(status=JobStatus.COMPLETED, summary="done")
    office.backend.runs[job.id].emit(RunEnded(outcome))
    return await office.house.watcher.settled(job.id)


@asynccontextmanager
async def a_scene(
    folder: Path, policy: AccessPolicy, person: Person, owner: Person, guild_id: int
) -> AsyncGenerator[Scene, None]:
    async with open_office(folder, policy) as office:
        job = await settled_job(office, owner, guild_id)
        conversation, _ = await office.conversations.open(HERE, owner)
        # Whoever may not talk has no turn; it is forced here, so that the tools are asked all
        # the same.
        asked_in = MessageRef(channel_id=HERE.channel_id, message_id=1)
        conversation.take(Turn(people=(person,), text="hi", asked_in=asked_in))
        await until(lambda: conversation.running_turn is not None)
        yield Scene(office, person, job, conversation)
        for speaker in office.world.speakers.values():
            speaker.events.put_nowait(Answered())


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
        session = Belonging(person_id=owner.id, guild_id=HERE.guild_id)
        expected: dict[str, bool] = {}
        got: dict[str, bool] = {}
        for name, (action, come_in) in WAYS.items():
            about = session if action is Action.CHANGE_SESSION else belonging_of(scene.job)
            verdict = rules.authorize([person], action, HERE, about=about)
            expected[name] = isinstance(verdict, Allowed)
            got[name] = await come_in(scene)

    assert got == expected


async def test_a_turn_of_several_people_reaches_as_far_as_the_least_of_them(
    tmp_path: Path,
) -> None:
    operator, user = PEOPLE["operator"], PEOPLE["user"]
    async with open_office(tmp_path, POLICY) as office:
        job = await settled_job(office, SOMEBODY, SERVER)
        conversation, _ = await office.conversations.open(HERE, operator)
        asked_in = MessageRef(channel_id=HERE.channel_id, message_id=1)
        seen: list[bool] = []
        for people in ((operator,), (operator, user)):
            conversation.take(Turn(people=people, text="hi", asked_in=asked_in))
            await until(lambda: conversation.running_turn is not None)
            scene = Scene(office, operator, job, conversation)
            seen.append(await scene.by_tool("check_extension", id=job.id))
            (speaker,) = office.world.speakers.values()
            speaker.events.put_nowait(Answered())
            await until(lambda: conversation.running_turn is None)

    assert seen == [True, False]


async def test_however_often_a_model_asks_one_person_starts_so_many_jobs_a_minute(
    tmp_path: Path,
) -> None:
    async with a_scene(tmp_path, POLICY, PEOPLE["user"], SOMEBODY, SERVER) as scene:
        started = [await scene.by_tool("spawn_extension", task="t") for _ in range(100)]
        scene.office.house.clock.advance(61.0)
        later = await scene.by_tool("spawn_extension", task="t")

    assert started == [True] * 5 + [False] * 95
    assert later


# What means something to a shell, a file system, SQL or a regular expression.
STRANGE_IDS = [
    "missing",
    "../../etc",
    "../fibonacci",
    "fibonacci/",
    "*",
    "f?bonacci",
    "fib%",
    "fibonacc_",
    ".*",
    "' OR '1'='1",
    '"; DROP TABLE jobs; --',
    "fibonacci\x00",
    "FIBONACCI",
    "$(id)",
    "\u202efibonacci",
    "x" * 5000,
]


async def test_a_strange_id_is_no_job(tmp_path: Path) -> None:
    async with a_scene(tmp_path, POLICY, PEOPLE["owner"], SOMEBODY, SERVER) as scene:
        found = [await scene.by_tool("check_extension", id=wanted) for wanted in STRANGE_IDS]
        still_there = await scene.by_tool("check_extension", id=scene.job.id)

    assert found == [False] * len(STRANGE_IDS)
    assert still_there


async def test_a_job_of_somebody_else_and_no_job_at_all_are_refused_alike(tmp_path: Path) -> None:
    async with a_scene(tmp_path, POLICY, PEOPLE["user"], SOMEBODY, SERVER) as scene:
        tools = {tool.name: tool for tool in job_tools(scene.office.jobs, scene.office.rights)}
        caller = Caller(CallerKind.SPEAKER, scene.conversation.session.id)
        check = tools["check_extension"].handler
        texts = [
            (await check(ToolCall(caller=caller, arguments={"id": wanted}))).text
            for wanted in (scene.job.id, "00000000")
        ]

    assert texts[0].replace(scene.job.id, "ID") == texts[1].replace("00000000", "ID")
