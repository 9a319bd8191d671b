"""Nothing that is written to the bot stays unanswered, whatever becomes of it."""

import asyncio
import signal
from pathlib import Path

import pytest

from bot.conversation.marks import ANSWERED_TOGETHER
from simulator.discord import TextChannel
from simulator.discord.journal import GatewayOpened
from simulator.discord.model import Message
from simulator.messages_api import Answer, ModelRequest, Say
from tests.e2e.test_text import says_done, speakers_of
from tests.fakes.house import House, open_house
from tests.fakes.model_script import TwoVoices, as_speaker
from tests.fakes.waiting import until


class Stalling:
    """A model that does not come to an end until the test lets it."""

    def __init__(self, stalls_at: str) -> None:
        self.stalls_at = stalls_at
        self.reached = asyncio.Event()
        self.open = asyncio.Event()

    async def __call__(self, request: ModelRequest) -> Answer:
        heard = request.last_tool_result or request.last_user_text
        if self.stalls_at in heard and not self.open.is_set():
            self.reached.set()
            async with asyncio.timeout(40):
                await self.open.wait()
        return as_speaker(request)


def replies(house: House, question: Message) -> list[str]:
    """Return what the bot said in reply to a message."""
    said = house.discord.bot_messages(house.channel)
    return [message.text for message in said if message.reply_to == question.id]


def is_marked(house: House, question: Message) -> bool:
    """Say whether a message is marked as answered together with a later one."""
    now = house.discord.message(question)
    return now is not None and ANSWERED_TOGETHER in now.reactions


async def answered(
    house: House, question: Message, wanted: str, *, channel: TextChannel | None = None
) -> None:
    """Wait until the answer to a message holds `wanted`."""
    await house.olga.sees(
        channel or house.channel,
        lambda m: m.reply_to == question.id and wanted in m.text,
        after=question,
        timeout_seconds=30,
    )


async def test_a_killed_bot_leaves_no_message_unanswered_and_answers_none_twice(
    tmp_path: Path,
) -> None:
    model = Stalling("hello")
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(says_done, model)) as house:
        async with house.bot() as bot:
            await house.ask("good morning", "You said: good morning")
            asked = house.olga.say(house.channel, "hello")
            await model.reached.wait()
            waiting = house.olga.say(house.channel, "are you there?")
            bot.process.send_signal(signal.SIGKILL)
            await bot.process.wait()
        unheard = house.olga.say(house.channel, "nobody hears me")
        model.open.set()
        async with house.bot():
            await answered(house, unheard, "nobody hears me")
            await until(lambda: bool(replies(house, waiting)) or is_marked(house, waiting))
        found = [replies(house, question) for question in (asked, waiting, unheard)]
        marked = [is_marked(house, question) for question in (asked, waiting, unheard)]

    # The last two may have waited together; which was first, the answer or the last, is open.
    together = ["You said: are you there?\n\nnobody hears me"]
    apart = ["You said: are you there?"], ["You said: nobody hears me"]
    assert found in ([["You said: hello"], [], together], [["You said: hello"], *apart])
    assert marked == [False, not found[1], False]


async def test_what_was_written_while_no_bot_was_there_is_answered_in_a_channel_never_used_before(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(says_done)) as house:
        there, olga = house.discord.text_channel("elsewhere"), house.olga
        too_early = olga.say(there, "before the first start")
        async with house.bot() as bot:
            thread = olga.open_thread(house.channel, "ours")
            await house.ask("hello", "You said: hello")
            bot.process.send_signal(signal.SIGKILL)
            await bot.process.wait()
        among_themselves = olga.say(there, "what a day", mention_bot=False)
        wanted = [olga.say(channel, "anybody there?") for channel in (there, thread)]
        async with house.bot():
            for question, channel in zip(wanted, (there, thread), strict=True):
                await answered(house, question, "You said: anybody there?", channel=channel)
            said = house.discord.bot_messages(there)

    assert [message.reply_to for message in said] == [wanted[0].id]
    assert too_early.id < among_themselves.id < wanted[0].id


async def test_a_job_that_was_started_before_the_bot_was_killed_is_not_started_again(
    tmp_path: Path,
) -> None:
    model = Stalling('"id"')
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(says_done, model)) as house:
        async with house.bot() as bot:
            asked = house.olga.say(house.channel, "job once: be quick")
            await model.reached.wait()
            bot.process.send_signal(signal.SIGKILL)
            await bot.process.wait()
        async with house.bot() as bot:
            await answered(house, asked, "I had already started **once**")
            await house.sees("✅ **once**")
            folders = list((tmp_path / "data" / "extensions").iterdir())

    assert len(folders) == 1


@pytest.mark.parametrize("can_resume", [True, False])
async def test_what_is_written_while_the_connection_is_away_is_answered_once(
    tmp_path: Path, *, can_resume: bool
) -> None:
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(says_done)) as house:
        async with house.bot():
            await house.ask("hello", "You said: hello")
            await house.discord.drop_gateway(4000, can_resume=can_resume)
            meanwhile = house.olga.say(house.channel, "meanwhile")
            await answered(house, meanwhile, "You said: meanwhile")
            await house.ask("afterwards", "You said: afterwards")
        sessions = house.discord.journal.of(GatewayOpened)
        found = replies(house, meanwhile)

    assert [opened.was_resumed for opened in sessions] == [False, can_resume]
    assert found == ["You said: meanwhile"]


async def test_with_one_warm_speaker_two_conversations_take_turns_and_forget_nothing(
    tmp_path: Path,
) -> None:
    def remembers(request: ModelRequest) -> Say:
        said = " ".join(request.user_texts)
        return Say(f"You told me of {[cat for cat in ('Tom', 'Kit') if cat in said]}.")

    async with (
        asyncio.timeout(58),
        open_house(tmp_path, TwoVoices(says_done, remembers)) as house,
        house.bot(speaker__max_warm="1") as bot,
    ):
        there = house.discord.text_channel("elsewhere")
        at_first = len(speakers_of(bot))
        await house.ask("my cat is Tom", "['Tom']")
        question = house.olga.say(there, "my cat is Kit")
        await house.olga.sees(there, "['Kit']", after=question, timeout_seconds=30)
        warm = len(speakers_of(bot))
        await house.ask("what is my cat called?", "['Tom']")

    assert (at_first, warm) == (0, 1)
