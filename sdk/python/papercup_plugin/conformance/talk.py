"""Talks with a plugin as a host does, and takes down what it says wrongly."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from papercup_plugin.conformance.answers import Answer, Answered, Refused, Silent
from papercup_plugin.conformance.frames import check
from papercup_plugin.conformance.lines import BadLine, read_line, shown
from papercup_plugin.conformance.notebook import Notebook
from papercup_plugin.conformance.obliging_host import ObligingHost
from papercup_plugin.conformance.program import Program, running
from papercup_plugin.conformance.subject import Subject

_END_SECONDS = 2.0
"""How long after its pipes were closed it may take until it is known how a program ended."""
_MOST_UNASKED = 10_000
"""Whoever says more than that without being asked is listened to no more."""
_MOST_COMPLAINED_BYTES = 1_000_000


class Pending:
    """A question that is open."""

    def __init__(self, number: int | str, why_silent: Callable[[float], Silent]) -> None:
        self.number = number
        self._why_silent = why_silent
        self._answer: Answer | None = None
        self.is_answered = asyncio.Event()
        """Set once it is."""

    def replied(self, answer: Answer) -> None:
        """Take the answer."""
        if self._answer is None:
            self._answer = answer
            self.is_answered.set()

    async def answer(self, timeout_seconds: float) -> Answer:
        """Wait for the answer."""
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await self.is_answered.wait()
        return self._answer or self._why_silent(timeout_seconds)


class Talk:
    """A program that is talked with. Get one from `talking`."""

    def __init__(self, program: Program, host: ObligingHost, notebook: Notebook) -> None:
        self.program = program
        self.host = host
        self.notebook = notebook
        self.has_ended = False
        """Whether it will not answer any more."""
        self.is_doubtful = False
        """Whether it has left a question unanswered."""
        self.was_missed = False
        """Whether it ended, and left a question unanswered by that."""
        self._numbers = itertools.count(1)
        self._pending: dict[int | str, Pending] = {}
        self._unasked = 0

    async def ask(self, method: str, params: Any, *, timeout_seconds: float) -> Answer:
        """Ask something, and return what came of it."""
        pending = await self.begin(method, params, timeout_seconds=timeout_seconds)
        return await pending.answer(timeout_seconds)

    async def begin(
        self,
        method: str,
        params: Any,
        *,
        timeout_seconds: float,
        number: int | str | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> Pending:
        """Ask something, and do not wait for the answer.

        Args:
            method: What is asked.
            params: `None` leaves them out.
            timeout_seconds: Until it has to be written.
            number: The id; another one each time, if not given.
            more: What else stands in the message.
        """
        number = next(self._numbers) if number is None else number
        pending = self._pending[number] = Pending(number, self._late)
        frame: dict[str, Any] = {"jsonrpc": "2.0", "id": number, "method": method, **(more or {})}
        if params is not None:
            frame["params"] = params
        line = json.dumps(frame).encode()
        if self.has_ended or not await self.program.write(line, timeout_seconds=timeout_seconds):
            await self.program.heard_out(_END_SECONDS)
            pending.replied(self._missed())
        return pending

    async def tell(self, method: str, params: Any, *, timeout_seconds: float) -> None:
        """Tell something."""
        frame = {"jsonrpc": "2.0", "method": method, "params": params}
        await self.write(json.dumps(frame).encode(), timeout_seconds=timeout_seconds)

    async def write(self, line: bytes, *, timeout_seconds: float) -> None:
        """Write a line, whatever it is."""
        await self.program.write(line, timeout_seconds=timeout_seconds)

    def silence(self) -> Silent:
        """Return why nothing comes any more."""
        code = self.program.exit_code
        if self.notebook.is_flooded:
            return Silent("it says too much")
        if code is None:
            return Silent("it has closed its output" if self.has_ended else "it does not read")
        how = f"with exit code {code}" if code >= 0 else f"by signal {-code}"
        return Silent(f"it has ended {how}", self.program.said, has_ended=True)

    async def listen(self) -> None:
        """Take what it says, until it says nothing more."""
        async with asyncio.TaskGroup() as tasks:
            async for line in self.program.lines():
                message = read_line(line)
                if isinstance(message, BadLine):
                    self._unasked += 1
                    self.notebook.wrong(message.what, message.mend)
                else:
                    self._take(message, tasks)
                if self._unasked > _MOST_UNASKED:
                    self.notebook.flooded(_MOST_UNASKED)
                    await self.program.end()
                    break
            self.has_ended = True
            await self.program.heard_out(_END_SECONDS)
            for pending in self._pending.values():
                if not pending.is_answered.is_set():
                    pending.replied(self._missed())

    def look_back(self) -> None:
        """Take down what is seen only when all has been asked."""
        if self.program.unfinished:
            begun = shown(self.program.unfinished)
            mend = "end each message with a line end"
            self.notebook.wrong(f"a line without an end: {begun}", mend)
        if self.program.complained_bytes > _MOST_COMPLAINED_BYTES:
            what = f"it wrote more than {_MOST_COMPLAINED_BYTES} bytes to its standard error"
            self.notebook.nuisance(what, "write less: hosts keep about 1 MB a minute")

    def _missed(self) -> Silent:
        self.is_doubtful = True
        self.was_missed = self.has_ended or self.program.exit_code is not None
        return self.silence()

    def _late(self, seconds: float) -> Silent:
        self.is_doubtful = True
        begun = self.program.unfinished
        rest = f"; what it wrote last has no line end: {shown(begun)}" if begun else ""
        return Silent(f"it did not answer within {seconds:g} s{rest}")

    def _take(self, message: dict[str, Any], tasks: asyncio.TaskGroup) -> None:
        if "method" not in message:
            self._replied(message)
            return
        self._unasked += 1
        if "id" in message:
            self.notebook.about("request", message, "a question")
            tasks.create_task(self._serve(message))
        else:
            self.notebook.about("notification", message, "a notification")
            self.host.told(message)

    def _replied(self, message: dict[str, Any]) -> None:
        is_failure = "error" in message
        if is_failure and "result" in message:
            what = "an answer with both a `result` and an `error`"
            self.notebook.wrong(what, "answer with one of them: hosts differ in which they heed")
            is_failure = message["error"] is not None
        else:
            self.notebook.about("failure" if is_failure else "success", message, "an answer")
        number: Any = message.get("id")
        if number is None and is_failure:
            self.notebook.errors_to_nobody += 1
            return
        pending = self._taken_back(number)
        if pending is None:
            self._not_asked(number)
        else:
            pending.replied(_answer(message, is_failure=is_failure))

    def _taken_back(self, number: Any) -> Pending | None:
        """Return the question of that id, which is not open any more."""
        match number:
            case bool():
                # True is 1, too.
                return None
            case int() | str() as known:
                return self._pending.pop(known, None)
            case _:
                return None

    def _not_asked(self, number: Any) -> None:
        asked = next((each for each in self._pending if str(each) == str(number)), None)
        if asked is not None:
            what = f"an answer whose id is {number!r}; the question's is {asked!r}"
            self.notebook.wrong(what, "give back the id as it came: a whole number or a text")
            return
        what = f"an answer to nothing, or a second one: its id is {repr(number)[:100]}"
        self.notebook.wrong(what, "answer each request once, and notifications not at all")

    async def _serve(self, message: dict[str, Any]) -> None:
        """Answer what it asks; before it is, see whether it heeds anything else meanwhile."""
        reply = await self.host.served(message, self)
        line = json.dumps({"jsonrpc": "2.0", "id": message["id"], **reply}).encode()
        await self.program.write(line, timeout_seconds=self.host.timeout_seconds)


@asynccontextmanager
async def talking(
    subject: Subject, notebook: Notebook, *, timeout_seconds: float
) -> AsyncGenerator[Talk, None]:
    """Run a plugin and talk with it, for as long as the block lasts.

    Raises:
        StartError: If it cannot be started.
    """
    failure: BaseException | None = None
    async with running(subject) as program, asyncio.TaskGroup() as tasks:
        host = ObligingHost(subject, notebook, timeout_seconds=timeout_seconds)
        talk = Talk(program, host, notebook)
        listening = tasks.create_task(talk.listen())
        complaining = tasks.create_task(program.listen_to_complaints())
        try:
            yield talk
        except BaseException as error:  # noqa: BLE001 - raised below: the group would wrap it
            failure = error
        for task in (listening, complaining):
            task.cancel()
        talk.look_back()
    if failure is not None:
        raise failure


def _answer(message: dict[str, Any], *, is_failure: bool) -> Answer:
    if not is_failure:
        return Answered(message.get("result"))
    error = message["error"]
    return Refused(None) if check("error", error) else Refused(error["code"], error["message"])
