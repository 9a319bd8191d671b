from extensions.hooks import Occasion
from extensions.plugins.services import SetStatus
from tests.fakes.example_plugins import ExampleHost
from tests.fakes.plugin_host import ELSEWHERE, HERE
from tests.fakes.waiting import until


def tell(host: ExampleHost, event: str, at: Occasion, **payload: str) -> None:
    host.plugins.tell(event, {"session_id": at.session_id, "agent_id": "speaker", **payload}, at)


async def test_turns_are_counted_for_each_session_and_shown_where_it_is() -> None:
    async with ExampleHost().running("status_line") as host:
        for place in (HERE, ELSEWHERE):
            tell(host, "session_start", place, reason="new")
            tell(host, "turn_start", place)
        tell(host, "turn_end", HERE, outcome="answered")
        tell(host, "turn_start", HERE)
        tell(host, "turn_end", HERE, outcome="failed")
        tell(host, "session_shutdown", HERE, reason="hangup")
        tell(host, "session_start", HERE, reason="new")
        await until(lambda: len(host.ui.asked) == 8)
        shown = [(request, at.session_id) for _, request, at in host.ui.asked]

    assert shown == [
        (SetStatus(status="Ready"), "chat"),
        (SetStatus(status="● Turn 1 …"), "chat"),
        (SetStatus(status="Ready"), "other"),
        (SetStatus(status="● Turn 1 …"), "other"),
        (SetStatus(status="✓ Turn 1: answered"), "chat"),
        (SetStatus(status="● Turn 2 …"), "chat"),
        (SetStatus(status="✗ Turn 2: failed"), "chat"),
        (SetStatus(status="Ready"), "chat"),
    ]
