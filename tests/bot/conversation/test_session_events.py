from dataclasses import replace
from typing import Any

from bot.access import Place
from bot.conversation.session import Session
from bot.conversation.session_events import SessionEvents
from bot.speaker.speaker import Knobs
from extensions.hooks import Occasion
from tests.fakes.plugin_points import FakePlugins

SESSION = Session(
    id="5e55",
    name="call",
    place=Place(guild_id=1, channel_id=2),
    opened_by=7,
    created_at=0.0,
    last_active_at=0.0,
)
ABOUT = {"agent_id": "speaker", "session_id": "5e55"}


def told_after(*sessions: Session) -> list[tuple[str, dict[str, Any]]]:
    plugins = FakePlugins()
    events = SessionEvents(plugins)
    for session in sessions:
        events.session_changed(session)
    return plugins.told


def test_a_session_is_told_to_be_opened_once_and_closed_once() -> None:
    assert told_after(SESSION, replace(SESSION, name="other"), SESSION.closed()) == [
        ("session_start", {"reason": "new", **ABOUT}),
        ("session_shutdown", {"reason": "hangup", **ABOUT}),
    ]


def test_a_session_that_goes_on_is_told_to_be_resumed() -> None:
    told = told_after(replace(SESSION, claude_session_id="c1"))
    assert told == [("session_start", {"reason": "resume", **ABOUT})]


def test_another_model_is_told() -> None:
    changed = replace(SESSION, knobs=Knobs(model="opus"))
    assert told_after(SESSION, changed)[1:] == [
        ("model_select", {"model": "opus", "previous": None, **ABOUT})
    ]


def test_a_session_that_was_never_open_is_not_told_to_end() -> None:
    assert told_after(SESSION.closed()) == []


def test_plugins_that_have_just_been_started_are_told_what_is_open() -> None:
    plugins = FakePlugins()
    events = SessionEvents(plugins)
    events.session_changed(SESSION)
    events.plugins_started()
    assert plugins.told[-1] == ("session_start", {"reason": "startup", **ABOUT})
    assert plugins.occasions[-1] == Occasion(
        session_id="5e55", person_id=7, guild_id=1, channel_id=2
    )
