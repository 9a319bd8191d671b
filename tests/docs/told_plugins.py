"""What plugins are asked and told, played with everything that asks and tells them."""

from collections.abc import AsyncGenerator
from dataclasses import replace

from bot.access import Person, Place
from bot.conversation.session import Session
from bot.conversation.session_events import SessionEvents
from bot.conversation.turn import Turn
from bot.conversation.turn_hooks import TurnHooks
from bot.job_events import JobEvents
from bot.messenger import MessageRef
from bot.speaker.speaker import Answered, Knobs, ParagraphEnded, SpeakerEvent, TextCame
from extensions.callers import Caller, CallerKind
from extensions.hooks import HookPoint, Pass
from extensions.jobs.job import JobStatus
from extensions.server.hook_values import COMPACTED, on_behalf
from extensions.server.model_hooks import ModelHooks
from extensions.server.tool_hooks import Hooks, ToolHooks
from extensions.tools import ToolAnswer
from tests.fakes.example_job import JOB
from tests.fakes.hook_chain import occasion_of
from tests.fakes.plugin_points import FakePlugins

_SESSION = Session(
    id="5e55",
    name="call",
    place=Place(guild_id=1, channel_id=2),
    opened_by=7,
    created_at=0.0,
    last_active_at=0.0,
)
_TURN = Turn(
    people=(Person(id=7, name="uwe"),),
    text="hello",
    asked_in=MessageRef(channel_id=2, message_id=3),
)
_SPEAKER = Caller(CallerKind.SPEAKER, _SESSION.id)


async def told_plugins() -> FakePlugins:
    """Return plugins that were asked and told everything for which no program is needed."""
    plugins = FakePlugins(dict.fromkeys(HookPoint, Pass()))
    await _answer(plugins)
    hooks = Hooks(chain=plugins, observers=plugins, occasion_of=occasion_of)
    await ModelHooks(hooks).revised(_SPEAKER, b'{"messages": []}')
    await ModelHooks(hooks).answered(_SPEAKER, 200)
    tools = ToolHooks(hooks)
    use = await tools.use_of(_SPEAKER, "Bash", "t1", {})
    await tools.before(use)
    await tools.after(use, ToolAnswer("done"), seconds=0.1)
    plugins.tell(COMPACTED, on_behalf(use.occasion), use.occasion)
    _open_and_close(plugins)
    return plugins


async def _answer(plugins: FakePlugins) -> None:
    hooks = TurnHooks(plugins.points, _TURN, _SESSION)
    await hooks.heard()
    await hooks.prompted("hello")
    async for _ in hooks.answering(_answered()):
        pass


async def _answered() -> AsyncGenerator[SpeakerEvent, None]:
    yield TextCame("Hi.")
    yield ParagraphEnded("Hi.")
    yield Answered()


def _open_and_close(plugins: FakePlugins) -> None:
    sessions, jobs = SessionEvents(plugins), JobEvents(plugins)
    other = replace(_SESSION, knobs=Knobs(model="opus"))
    for session in (_SESSION, other, other.closed()):
        sessions.session_changed(session)
    for status in (JobStatus.RUNNING, JobStatus.COMPLETED):
        jobs.job_changed(replace(JOB, status=status))
