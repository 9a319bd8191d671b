"""What the model says in the voice demo, and when: short, as on a telephone.

It knows no more of how a job ends than what the tools gave back.
"""

import asyncio
import re
import time
from dataclasses import dataclass
from typing import Any

from simulator.demo.model import FIBONACCI_TASK, DemoModel
from simulator.messages_api import Answer, ModelRequest, Say, Use

LONG_STORY = (
    "Rabbits are easy. You begin with one pair. After a month there are two pairs, then three,"
    " then five, then eight. Each month there are as many as in the two months before, taken"
    " together. That is the whole secret of it."
)

_SPAWN = "mcp__papercup__spawn_extension"
_CHECK = "mcp__papercup__check_extension"
_WORD_SECONDS = 0.03
_LONGEST_JOB_SECONDS = 100.0
_ID_IN_NOTE = re.compile(r"The id of that job: (\w+)")

_ANSWERS = {
    "golden ratio": (
        "It is what you come near to when you divide a Fibonacci number by the one before it."
    ),
    "story": LONG_STORY,
    "how many": "There was one pair to begin with.",
    "capital of france": "The capital of France is Paris.",
    "read more": "There is a **book** about rabbits in the *library*, on the second floor.",
}
_DOES_NOT_KNOW = "I did not expect that."


@dataclass(slots=True, kw_only=True)
class ModelTurn:
    """One turn, as the model saw it."""

    told: str
    """What it was told, the news of the line before it included."""
    answered_at_seconds: float
    """Monotonic: when it began to answer."""
    meant: str = ""
    """All that it said."""


class VoiceModel:
    """The model behind the speaker and the job. It is a script of `simulator.messages_api`."""

    def __init__(self) -> None:
        self.turns: list[ModelTurn] = []
        """Those of the speaker."""
        self._job = DemoModel(longest_wait_seconds=_LONGEST_JOB_SECONDS)
        self._asked = asyncio.Event()

    @property
    def may_finish(self) -> asyncio.Event:
        """Until it is set, the job has not thought of its last words."""
        return self._job.may_finish

    async def __call__(self, request: ModelRequest) -> Answer:
        """Answer as the speaker or as the job, as the tools that are offered tell."""
        if _SPAWN not in request.tools:
            return await self._job(request)
        answer = _as_speaker(request)
        if request.step == 0:
            now = time.monotonic()
            self.turns.append(ModelTurn(told=request.last_user_text, answered_at_seconds=now))
        turn = self.turns[-1]
        turn.meant = f"{turn.meant} {answer.text}".strip()
        self._asked.set()
        self._asked = asyncio.Event()
        return answer

    async def turn(self, number: int, *, timeout_seconds: float) -> ModelTurn:
        """Wait until it was asked for so many turns in all, and return that one.

        Raises:
            TimeoutError: If it was not in time.
        """
        async with asyncio.timeout(timeout_seconds):
            while len(self.turns) < number:
                await self._asked.wait()
        return self.turns[number - 1]


def _as_speaker(request: ModelRequest) -> Say | Use:
    *_, said = request.last_user_text.splitlines()
    said = said.lower()
    if "script" in said:
        return _start(request)
    if "yes" in said:
        return _rundown(request)
    for words, answer in _ANSWERS.items():
        if words in said:
            return _slowly(answer)
    return _slowly(_DOES_NOT_KNOW)


def _start(request: ModelRequest) -> Say | Use:
    job: dict[str, Any] | None = request.last_tool_json
    if job is None:
        task = {"task": FIBONACCI_TASK, "name": "fibonacci"}
        return Use(_SPAWN, task, text="I hand that to a job.", chunk_seconds=_WORD_SECONDS)
    if "error" in job:
        return _slowly(f"That could not be started: {job['error']}")
    return _slowly(f"{job['name']} is {job['status']}.")


def _rundown(request: ModelRequest) -> Say | Use:
    """Tell of the job that the line has just announced; its id stands in the news."""
    told: dict[str, Any] | None = request.last_tool_json
    if told is None:
        found = _ID_IN_NOTE.search(request.last_user_text)
        return Use(_CHECK, {"id": found[1] if found else "the last one"})
    if "summary" not in told:
        return _slowly(f"I cannot tell: {told.get('error', 'it is not known')}")
    numbers = re.findall(r"\d+", str(told["summary"]).partition("printed:")[2])
    if not numbers:
        return _slowly(f"{told['name']} is {told['status']}: {told['summary']}")
    return _slowly(
        f"{told['name']} is {told['status']}. The script printed {len(numbers)} numbers, and the"
        f" last one is {numbers[-1]}."
    )


def _slowly(text: str) -> Say:
    return Say(text, chunk_seconds=_WORD_SECONDS)
