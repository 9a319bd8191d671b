"""Things of one person, about which another one, or the same, may come in."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.access import (
    NO_AUTOMATONS,
    NOT_ON_THE_LIST,
    NOT_THIS_SERVER,
    NOT_YOUR_RANK,
    NOT_YOURS,
    AccessPolicy,
    Belonging,
    Person,
    Place,
)
from bot.conversation.conversation import Conversation
from bot.conversation.file_tool import file_tool
from bot.conversation.incoming import ButtonPress, IncomingMessage
from bot.conversation.session import Session
from bot.conversation.session_rights import OWNERS_ALONE
from bot.conversation.turn import Turn
from bot.conversation.voice_line import VoiceLine
from bot.messenger import ButtonAction, Form, MessageContent, MessageRef
from bot.notices.notice import notice
from bot.questions.question import Answer, Choice, FreeText, Question
from bot.speaker.speaker import Answered, Knobs, PermissionMode
from extensions.callers import Caller, CallerKind
from extensions.jobs.job import Job, JobRequest, JobStatus, Outcome
from extensions.jobs.tools import job_tools
from extensions.plugins.registrations import PluginCompletion
from extensions.tools import Tool, ToolAnswer, ToolCall
from tests.fakes.job_house import request
from tests.fakes.messenger import FakeMessage
from tests.fakes.office import HERE, Office, open_office
from tests.fakes.plugin_commands import brings
from tests.fakes.waiting import until

SOMEBODY = Person(id=77, name="somebody", guild_id=HERE.guild_id)
REFUSALS = {
    each.reason
    for each in (
        NOT_YOURS,
        NOT_YOUR_RANK,
        NOT_ON_THE_LIST,
        NO_AUTOMATONS,
        NOT_THIS_SERVER,
        OWNERS_ALONE,
    )
}
AFRESH, FREE, BOUND, NEW, NEW_FREE, LINE = (
    Place(guild_id=HERE.guild_id, channel_id=number) for number in range(14, 20)
)
"""Where a conversation is open that may begin afresh, where one is open in which nobody is asked,
what is bound, where nothing is open twice, and where a voice line is."""
SUMMARY = "It is all done."
PLUGIN, ROLL, ARGUMENTS = "dice", "roll", "2d6"
"""A plugin, the command that it brings along, and what that may be given."""

_DONE = Outcome(status=JobStatus.COMPLETED, summary=SUMMARY)
_LOST = Outcome(status=JobStatus.INTERRUPTED, error="The machine stopped.")
_RUNNING = ("command", "button", "tool")


@dataclass
class Scene:
    """Things of `owner`, and a turn in which `person` is just being answered."""

    office: Office
    person: Person
    owner: Person
    guild_id: int
    """Where all was asked for but the conversations that are open here."""
    conversation: Conversation
    """Open here."""
    elsewhere: Session
    """Open in a channel of that server."""
    job: Job
    """It has ended."""
    interrupted: Job
    running: Mapping[str, Job]
    """By the way in which it may be cancelled."""
    told: FakeMessage
    """The notice of `job`."""
    used: set[str] = field(default_factory=set)
    """The commands and tools that were called, what was completed, and the verbs of the buttons,
    menus and forms."""

    async def call(
        self,
        name: str,
        options: Mapping[str, str] | None = None,
        *,
        place: Place = HERE,
        target: IncomingMessage | None = None,
    ) -> str:
        """Have the person call a command."""
        self.used.add(name)
        return await self.office.call(self.person, name, options, place=place, target=target)

    async def press(
        self,
        action: ButtonAction,
        *,
        under: FakeMessage | None = None,
        chosen: tuple[str, ...] = (),
        filled: Mapping[str, str] | None = None,
        place: Place = HERE,
    ) -> MessageContent | None:
        """Have the person press a button, choose from a menu, or send a form."""
        self.used.add(action.verb)
        press = replace(self._press(action, under or self.told), place=place)
        return await self.office.desk.button_pressed(
            replace(press, chosen=chosen, filled=filled or {})
        )

    def form(self, action: ButtonAction, *, under: FakeMessage) -> Form | None:
        """Return the form that a button opens for the person."""
        return self.office.desk.form_for(self._press(action, under))

    async def complete(
        self, command: str, option: str, given: Mapping[str, str] | None = None
    ) -> list[str]:
        """Return what the person may complete an option to, with others filled in already."""
        (spec,) = [spec for spec in self.office.offered.all if spec.name == command]
        self.used.update(o.completes for o in spec.options if o.name == option and o.completes)
        return await self.office.complete(self.person, command, option, given=given)

    @property
    def tools(self) -> list[Tool]:
        """What the speaker and jobs are offered."""
        office = self.office
        sending = file_tool(
            office.conversations,
            office.jobs,
            office.messenger,
            office.sessions_folder,
            authorize=office.authorize,
        )
        return [*job_tools(office.jobs, office.rights), sending]

    async def tool(self, name: str, /, **arguments: str | int) -> ToolAnswer:
        """Have the speaker call a tool, in the turn of the person."""
        (tool,) = [tool for tool in self.tools if tool.name == name]
        self.used.add(name)
        caller = Caller(CallerKind.SPEAKER, self.conversation.session.id)
        return await tool.handler(ToolCall(caller=caller, arguments=arguments))

    async def asked(
        self, id_: str, *, choices: int = 0, free_text: FreeText | None = None
    ) -> FakeMessage:
        """Ask a question that is the owner's, and return it once it is posted."""
        offered = tuple(Choice(value=f"v{n}", label=f"Choice {n}") for n in range(choices))
        question = Question(
            id=id_,
            purpose="test",
            subject=self.job.id,
            text=f"Which {id_}?",
            place=HERE,
            choices=offered,
            free_text=free_text,
            belonging=Belonging(person_id=self.owner.id, guild_id=self.guild_id),
        )
        assert await self.office.asker.pose(question) is None
        await until(lambda: self._posted(question.text) != [])
        (message,) = self._posted(question.text)
        return message

    async def has_answered(self, question_id: str) -> bool:
        """Say whether the person's answer to a question counts."""
        stored = await self.office.questions.find(question_id)
        assert stored is not None
        return isinstance(stored.end, Answer) and stored.end.by.id == self.person.id

    @property
    def line(self) -> VoiceLine:
        """The owner's."""
        line = self.office.lines.line_at(LINE)
        assert line is not None
        return line

    def session(self, place: Place) -> Session | None:
        """Return the session that is open in a place."""
        conversation = self.office.conversations.in_place(place)
        return None if conversation is None else conversation.session

    def replies(self, ref: MessageRef) -> list[str]:
        """Return what was said in reply to a message."""
        return [each.text for each in self.office.messenger.messages if each.reply_to == ref]

    def is_told_to_end(self, job: Job) -> bool:
        return self.office.backend.runs[job.id].told != []

    def _press(self, action: ButtonAction, under: FakeMessage) -> ButtonPress:
        return ButtonPress(action=action, message=under.ref, person=self.person, place=HERE)

    def _posted(self, text: str) -> list[FakeMessage]:
        return [each for each in self.office.messenger.messages if each.text == text]


@asynccontextmanager
async def a_scene(
    folder: Path, policy: AccessPolicy, person: Person, owner: Person, guild_id: int
) -> AsyncGenerator[Scene, None]:
    """Set it up in an office of its own.

    Args:
        folder: Where everything is kept.
        policy: Who may do what.
        person: Who comes in, in the server of `HERE`.
        owner: Whose everything is.
        guild_id: The server in which the jobs and one of the sessions were asked for.
    """
    async with open_office(folder, policy) as office:
        scene = await _set_up(office, person, owner, guild_id)
        # Whoever may not talk has no turn; it is forced here, so that the tools are asked all
        # the same.
        asked_in = MessageRef(channel_id=HERE.channel_id, message_id=1)
        scene.conversation.take(Turn(people=(person,), text="hi", asked_in=asked_in))
        await until(lambda: scene.conversation.running_turn is not None)
        yield scene
        for speaker in office.speakers.values():
            speaker.events.put_nowait(Answered())


async def _set_up(office: Office, person: Person, owner: Person, guild_id: int) -> Scene:
    free = Knobs(permission_mode=PermissionMode.BYPASS)
    await office.conversations.open(FREE, owner, knobs=free)
    await office.conversations.open(AFRESH, owner)
    await _open_line(office, owner)
    there = Place(guild_id=guild_id, channel_id=12)
    elsewhere, _ = await office.conversations.open(there, owner, name="elsewhere")
    conversation, _ = await office.conversations.open(HERE, owner)
    job = await office.ended_job(_DONE, job_request("fibonacci", owner, guild_id))
    _leave_something(office, job)
    office.plugins.reports = [{"id": PLUGIN, "name": PLUGIN, "state": "ready"}]
    office.plugins.completions = [PluginCompletion(value=ARGUMENTS)]
    office.plugins.bring(brings(PLUGIN, ROLL))
    scene = Scene(
        office=office,
        person=person,
        owner=owner,
        guild_id=guild_id,
        conversation=conversation,
        elsewhere=elsewhere.session,
        job=job,
        interrupted=await office.ended_job(_LOST, job_request("lost", owner, guild_id)),
        running={
            way: await office.running_job(job_request(f"by-{way}", owner, guild_id))
            for way in _RUNNING
        },
        told=office.messenger.message(
            await office.messenger.post(HERE, notice(job), nonce="notice")
        ),
    )
    # All these jobs were started by one person, who may start no more within this minute.
    office.house.clock.advance(61.0)
    return scene


async def _open_line(office: Office, owner: Person) -> None:
    async def begin() -> Conversation:
        conversation, _ = await office.conversations.open(LINE, owner, name="line")
        return conversation

    assert isinstance(await office.lines.open(LINE, begin), VoiceLine)


def job_request(name: str, owner: Person, guild_id: int) -> JobRequest:
    """Return what somebody asks for in a server."""
    wanted = request(name=name)
    return replace(wanted, origin=replace(wanted.origin, person_id=owner.id, guild_id=guild_id))


def _leave_something(office: Office, job: Job) -> None:
    """Have a file and a log of a job."""
    (Path(job.folder) / "fib.py").write_text("print(1)")
    control = office.house.folder / "run" / job.id / "1"
    control.mkdir(parents=True)
    said = {"type": "text", "text": "I count."}
    line = {"type": "assistant", "message": {"id": "m", "content": [said]}}
    (control / "out.jsonl").write_text(json.dumps(line) + "\n")
