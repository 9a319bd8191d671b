"""What the model says in the scenes: each scene teaches it the answers to what is said in it."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from simulator.messages_api import Answer, ModelRequest, Say
from tests.fakes.model_script import is_speaker

HELD_SECONDS = 40.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """An answer that is kept back until the scene lets it go."""

    then: Answer
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    """Set once the model was asked for it."""
    let_go: asyncio.Event = field(default_factory=asyncio.Event)


Made = Callable[[ModelRequest], Answer]
"""Makes the answer of what is asked, and of what tools have said."""
Taught = Answer | Held | Made


@dataclass
class SceneModel:
    """Answers what it was taught to answer, step by step."""

    said: dict[str, tuple[Taught, ...]] = field(default_factory=dict[str, tuple[Taught, ...]])
    """What a speaker answers, by what stands in the message."""
    tasks: dict[str, tuple[Taught, ...]] = field(default_factory=dict[str, tuple[Taught, ...]])
    """What a job answers, by what stands in its task."""

    async def __call__(self, request: ModelRequest) -> Answer:
        taught = self.said if is_speaker(request) else self.tasks
        keys = [key for key in taught if key in request.last_user_text]
        if not keys:
            return Say("Yes?")
        steps = taught[max(keys, key=request.last_user_text.rfind)]
        step = steps[min(request.step, len(steps) - 1)]
        if isinstance(step, Held):
            step.reached.set()
            async with asyncio.timeout(HELD_SECONDS):
                await step.let_go.wait()
            return step.then
        return step(request) if callable(step) else step


def last_words(taught: Taught) -> str:
    """Return how an answer begins, by which it is known."""
    answer = taught.then if isinstance(taught, Held) else taught
    assert isinstance(answer, Say), "what comes last is said; else tell what is seen of it"
    return answer.text
