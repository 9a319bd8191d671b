"""What the model says in end-to-end tests: a speaker that starts jobs and looks at them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from simulator.messages_api import Answer, ModelRequest, Say, Script, Use

SPAWN = "mcp__papercup__spawn_extension"
CHECK = "mcp__papercup__check_extension"


def is_speaker(request: ModelRequest) -> bool:
    """Say whether a speaker asks, not a job."""
    return SPAWN in request.tools


def as_speaker(request: ModelRequest) -> Answer:
    """Start a job for "job NAME: TASK", look at one for "how is NAME", else talk."""
    said = request.last_user_text.partition(": ")[2]
    answer = request.last_tool_result
    if answer is not None:
        return Say(f"The tool says: {answer}")
    if said.startswith("job "):
        name, _, task = said.removeprefix("job ").partition(": ")
        return Use(SPAWN, {"name": name, "task": task})
    if said.startswith("how is "):
        return Use(CHECK, {"id": said.removeprefix("how is ")})
    return Say(f"You said: {said}")


@dataclass
class TwoVoices:
    """A model: `speaker` answers people, `job` does the work."""

    job: Script
    speaker: Script = field(default=as_speaker)

    def __call__(self, request: ModelRequest) -> Answer | Awaitable[Answer]:
        voice: Callable[[ModelRequest], Answer | Awaitable[Answer]]
        voice = self.speaker if is_speaker(request) else self.job
        return voice(request)
