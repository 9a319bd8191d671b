"""The stage of the demo: who is there, and what they do on it."""

from collections.abc import Callable
from dataclasses import dataclass

from simulator.demo.bot_process import BotProcess
from simulator.demo.chat import Chat
from simulator.demo.model import DemoModel
from simulator.demo.report import Report
from simulator.discord import DiscordSimulator, InteractionReply, Person, TextChannel
from simulator.discord.model import Message

_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """All that the acts have to do with."""

    discord: DiscordSimulator
    channel: TextChannel
    alice: Person
    mallory: Person
    bot: BotProcess
    model: DemoModel
    chat: Chat
    report: Report

    async def ask(self, person: Person, text: str, answered: Callable[[str], bool]) -> Message:
        """Have a person say something, and return the whole answer once it is as expected."""
        question = person.say(self.channel, text)
        self.chat.show(question)
        answer = await person.sees(
            self.channel,
            lambda message: message.reply_to == question.id and answered(message.text),
            after=question,
            timeout_seconds=_SECONDS,
        )
        self.chat.show(answer)
        return answer

    async def command(self, text: str, *, state: str | None = None) -> str:
        """Have Alice call a command, and return what it says."""
        self.chat.act(self.alice.account, f"/{text}" if state is None else f"/{text} state:{state}")
        if state is None:
            reply = await self.alice.slash(self.channel, text)
        else:
            reply = await self.alice.slash(self.channel, text, state=state)
        assert reply.message is not None, "a command answers with a message"
        self.chat.show(reply.message)
        return reply.message.text

    async def click(self, message: Message, label: str) -> InteractionReply | None:
        """Have Alice press a button, and return what she alone is told."""
        self.chat.act(self.alice.account, f"[ {label} ]")
        reply = await self.alice.click(message, label=label)
        if reply is not None and reply.message is not None:
            self.chat.show(reply.message)
        return reply

    async def sees(self, wanted: Callable[[Message], bool]) -> Message:
        """Wait until Alice sees such a message, and return it."""
        message = await self.alice.sees(self.channel, wanted, timeout_seconds=_SECONDS)
        self.chat.show(message)
        return message
