"""Where a plugin is tested: talks with it, and starts it anew when it has ended."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from papercup_plugin.conformance.answers import Answer, Answered, Silent
from papercup_plugin.conformance.folders import snapshot
from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.conformance.notebook import Notebook
from papercup_plugin.conformance.offers import Offers, read_offers
from papercup_plugin.conformance.questions import Question, Questions
from papercup_plugin.conformance.subject import Subject
from papercup_plugin.conformance.talk import Pending, Talk, talking

_GRACE_SECONDS = {Dialect.SEP: 5.0, Dialect.STDIO: 3.0}
_PATIENCE_SECONDS = 2.0
"""How long it may take at most until it is plain whether a program hangs."""


class Bench:
    """What the checks work with. Get one from `testing_bench`."""

    def __init__(
        self,
        subject: Subject,
        stack: AsyncExitStack,
        *,
        timeout_seconds: float,
        start_seconds: float,
    ) -> None:
        self.subject = subject
        self.questions = Questions(subject)
        self.notebook = Notebook()
        self.timeout_seconds = timeout_seconds
        self.start_seconds = max(start_seconds, timeout_seconds)
        """How long the first answer may take: the program has only just been started."""
        self._stack = stack
        self._talk: Talk | None = None
        self.greeting: Answer = Silent("it was not started")
        """Its first answer to `initialize`."""
        self.first_ping: Answer = Silent("it was not asked")
        """Its answer to the first question after that."""
        self.offers = Offers()
        self.folder_before = snapshot(subject.folder)
        self.silent_count = 0
        """How many questions it has left unanswered."""

    @property
    def grace_seconds(self) -> float:
        """How long it may take to end."""
        return min(_GRACE_SECONDS[self.subject.dialect], self.timeout_seconds)

    @property
    def answers_pings(self) -> bool:
        """Whether it can be seen by pings how it is."""
        return not isinstance(self.first_ping, Silent)

    async def begin(self) -> None:
        """Start it, shake hands, and ask whether it is well; raises StartError."""
        talk = await self.talk()
        if isinstance(self.greeting, Answered):
            self.offers = read_offers(self.subject.dialect, self.greeting.result)
            self.first_ping = await self.ask(talk, self.questions.ping())

    async def talk(self) -> Talk:
        """Return a talk that goes on over several checks, after the handshake."""
        if self._talk is None or self._talk.has_ended or await self._hangs(self._talk):
            self.look_for_end()
            self._talk = None
            await self._stack.aclose()
            talking_now = talking(self.subject, self.notebook, timeout_seconds=self.timeout_seconds)
            talk = await self._stack.enter_async_context(talking_now)
            answer = await self.greet(talk)
            if not isinstance(self.greeting, Answered):
                self.greeting = answer
            self._talk = talk
        return self._talk

    def look_for_end(self) -> None:
        """Take down if the program has ended while it was asked nothing."""
        talk = self._talk
        if talk is not None and talk.program.exit_code is not None and not talk.was_missed:
            talk.was_missed = True
            self.notebook.ended(talk.silence())

    def look_back(self) -> None:
        """Take down what is seen only when all has been asked."""
        if self._talk is not None:
            self._talk.look_back()

    @asynccontextmanager
    async def fresh(self, *, is_greeted: bool = True) -> AsyncGenerator[Talk, None]:
        """Run another program of it while the block lasts."""
        talking_now = talking(self.subject, self.notebook, timeout_seconds=self.timeout_seconds)
        async with talking_now as talk:
            if is_greeted:
                await self.greet(talk)
            yield talk

    async def greet(self, talk: Talk, question: Question | None = None) -> Answer:
        """Shake hands."""
        greeting = question or self.questions.greeting()
        answer = await self.ask(talk, greeting, timeout_seconds=self.start_seconds)
        if isinstance(answer, Answered):
            talk.host.greeted(read_offers(self.subject.dialect, answer.result))
        return answer

    async def ask(
        self, talk: Talk, question: Question, *, timeout_seconds: float | None = None
    ) -> Answer:
        """Ask something, and return what came of it."""
        seconds = timeout_seconds or self.timeout_seconds
        return self._counted(
            await talk.ask(question.method, question.params, timeout_seconds=seconds)
        )

    async def ask_any(self, talk: Talk, method: str, params: Any) -> Answer:
        """Ask what is no question, and return what came of it."""
        return self._counted(await talk.ask(method, params, timeout_seconds=self.timeout_seconds))

    async def begin_asking(
        self, talk: Talk, question: Question, *, number: int | str | None = None
    ) -> Pending:
        """Ask something, and do not wait for the answer."""
        seconds = self.timeout_seconds
        return await talk.begin(
            question.method, question.params, timeout_seconds=seconds, number=number
        )

    async def tell(self, talk: Talk, method: str, params: Any) -> None:
        """Tell something."""
        await talk.tell(method, params, timeout_seconds=self.timeout_seconds)

    async def unanswered_ping(self, talk: Talk) -> Silent | None:
        """See whether it is well: return why it does not answer a ping; `None`: it does."""
        answer = await self.ask(talk, self.questions.ping())
        return answer if isinstance(answer, Silent) else None

    async def _hangs(self, talk: Talk) -> bool:
        """Say whether it answers nothing any more, so that it says nothing of the next check."""
        if not talk.is_doubtful:
            return False
        talk.is_doubtful, ping = False, self.questions.ping()
        seconds = min(_PATIENCE_SECONDS, self.timeout_seconds)
        return isinstance(await talk.ask(ping.method, ping.params, timeout_seconds=seconds), Silent)

    def _counted(self, answer: Answer) -> Answer:
        self.silent_count += isinstance(answer, Silent)
        return answer


@asynccontextmanager
async def testing_bench(
    subject: Subject, *, timeout_seconds: float, start_seconds: float
) -> AsyncGenerator[Bench, None]:
    """Test a plugin while the block lasts.

    Raises:
        StartError: If its program cannot be started.
    """
    async with AsyncExitStack() as stack:
        bench = Bench(subject, stack, timeout_seconds=timeout_seconds, start_seconds=start_seconds)
        await bench.begin()
        yield bench
