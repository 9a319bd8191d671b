"""What the `claude` of a job tells."""

from dataclasses import replace

from extensions.claude.events import Event, TurnBegan, TurnEnded
from extensions.claude.usage import Usage
from extensions.jobs.trace import RunTrace

SESSION = "3f0c1f9e-0000-4000-8000-000000000000"
BEGAN = TurnBegan(claude_session_id=SESSION, model="sonnet", tools=("Write",), failed_servers=())
ENDED = TurnEnded(
    text="Created `hello.txt`.",
    is_error=False,
    subtype="success",
    terminal_reason="completed",
    api_error_status=None,
    turns=2,
    cost_usd=0.184,
    usage=Usage(),
    refused_actions=(),
    queued_turns=0,
    errors=(),
    claude_session_id=SESSION,
    duration_seconds=12.0,
)
NO_SUCH_KEY = replace(
    ENDED,
    text="Invalid API key",
    is_error=True,
    terminal_reason="api_error",
    api_error_status=401,
)


def traced(*events: Event) -> RunTrace:
    """Return what is known once these were seen."""
    trace = RunTrace()
    for event in events:
        trace = trace.after(event)
    return trace
