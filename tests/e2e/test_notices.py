"""Notices, from a settled job to the message on Discord, by a whole bot."""

import asyncio
from pathlib import Path

from simulator.discord.journal import MessagePosted
from simulator.discord.model import Message
from simulator.messages_api import Answer, ModelRequest, Say
from tests.fakes.house import House, open_house
from tests.fakes.model_script import TwoVoices
from tests.fakes.waiting import until

HARM = "@everyone [click](https://e.example) \u202e```\n# Big\n" + "x" * 25_000


def says_done(_: ModelRequest) -> Say:
    return Say("All done.")


class Together:
    """Jobs that end together: each waits until so many are there."""

    def __init__(self, count: int) -> None:
        self._barrier = asyncio.Barrier(count)

    async def __call__(self, _: ModelRequest) -> Answer:
        async with asyncio.timeout(45):
            await self._barrier.wait()
        return Say("Done with the others.")


def notices(house: House) -> list[Message]:
    """Return the notices that were posted anywhere, as they are now."""
    posted = [entry.message for entry in house.discord.journal.of(MessagePosted)]
    return [message for message in posted if message.text.startswith("🔔")]


async def test_jobs_that_settle_together_are_told_of_in_one_message_after_a_rate_limit(
    tmp_path: Path,
) -> None:
    async with (
        asyncio.timeout(58),
        open_house(tmp_path, TwoVoices(Together(3))) as house,
        house.bot(),
    ):
        await house.notify()
        for name in ("one", "two", "three"):
            await house.ask(f"job {name}: wait for the others", '"id"')
        cards = "🔔 3 jobs have settled: 3 completed."
        house.discord.limit_next(
            f"POST /channels/{house.channel.id}/messages", retry_after_seconds=0.5
        )
        notice = await house.sees(cards)

    assert [message.id for message in notices(house)] == [notice.id]
    assert all(f"**{name}** just finished" in notice.text for name in ("one", "two", "three"))
    assert sorted(button.label for button in notice.buttons) == [
        "Show one",
        "Show three",
        "Show two",
    ]


async def test_the_owner_hears_of_everyones_jobs_in_private_and_a_server_of_its_own_alone(
    tmp_path: Path,
) -> None:
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(says_done)) as house:
        uwe, other = house.discord.person("uwe"), house.discord.text_channel("other")
        private, uwes = house.olga.direct_messages(), uwe.direct_messages()
        async with house.bot(discord__allowed_user_ids=f"[{uwe.id}]"):
            for channel in (private, other):
                await house.olga.slash(channel, "pickup")
                told = await house.olga.slash(channel, "notify", state="all")
                assert "whoever asked for it" in told.text
            refused = await uwe.slash(uwes, "pickup")
            refused = await uwe.slash(uwes, "notify", state="all")
            asked = uwe.say(uwes, "job secret: in private")
            await uwe.sees(uwes, '"id"', after=asked, timeout_seconds=30)
            await house.ask("job open: for all to see", '"id"')
            await house.olga.sees(private, "**secret**", timeout_seconds=30)
            await house.olga.sees(private, "**open**", timeout_seconds=30)
            await house.olga.sees(other, "**open**", timeout_seconds=30)
            everywhere = notices(house)

    assert "does not allow" in refused.text
    where = {(one.channel.id, "**secret**" in one.text) for one in everywhere}
    assert (private.id, True) in where
    assert (other.id, True) not in where
    assert {channel for channel, _ in where} == {private.id, other.id}


async def test_where_the_bot_may_not_write_any_more_the_person_is_told_directly(
    tmp_path: Path,
) -> None:
    gate = asyncio.Event()

    async def job(_: ModelRequest) -> Answer:
        async with asyncio.timeout(45):
            await gate.wait()
        return Say("All done.")

    async with (
        asyncio.timeout(58),
        open_house(tmp_path, TwoVoices(job)) as house,
        house.bot() as bot,
    ):
        await house.notify()
        for name in ("first", "second"):
            await house.ask(f"job {name}: wait", '"id"')
        house.discord.delete_channel(house.channel)
        await until(lambda: "hung up, as its channel is gone" in bot.log.read_text())
        private = house.olga.direct_messages()
        gate.set()
        told = await house.olga.sees(private, "🔔", timeout_seconds=30)
        assert "I cannot write where you asked" in told.text
        # The other one may come in a message of its own.
        await until(lambda: any("**second**" in one.text for one in notices(house)))

        house.discord.refuse_direct_messages(house.olga)
        log = bot.log
        elsewhere = house.discord.text_channel("elsewhere")
        reply = await house.olga.slash(elsewhere, "status")
        assert "could not be delivered" not in reply.text
        await house.olga.slash(elsewhere, "pickup")
        await house.olga.slash(elsewhere, "notify", state="on")
        asked = house.olga.say(elsewhere, "job third: be quick")
        await house.olga.sees(elsewhere, '"id"', after=asked, timeout_seconds=30)
        house.discord.shut_out(elsewhere)
        await until(lambda: "its notice cannot be delivered" in log.read_text(), timeout_seconds=20)
        house.discord.let_in(elsewhere)
        status = await house.olga.slash(elsewhere, "status")

    assert len([one for one in notices(house) if "**second**" in one.text]) == 1
    assert "1 notice of the last week could not be delivered" in status.text


async def test_what_a_job_wrote_misleads_nobody_and_pings_nobody(tmp_path: Path) -> None:
    def job(_: ModelRequest) -> Say:
        return Say(HARM)

    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(job)) as house, house.bot():
        await house.notify()
        await house.ask("job harm: @everyone <@&1> ```", '"id"')
        notice = await house.sees("🔔 **harm** just finished")
        card = await house.sees("✅ **harm**")
        assert await house.olga.click(notice, label="Rundown") is None
        rundown = await house.olga.sees(
            house.channel, lambda message: message.reply_to == notice.id, timeout_seconds=30
        )
        wanted = await house.sees("for @olga.")
        jobs = await house.slash("jobs list")

    shown = [notice.text, card.text, rundown.text, wanted.text, jobs]
    assert not any("@everyone" in text or "](" in text.replace("\\](", "") for text in shown)
    assert all(len(text) <= 2000 and "\u202e" not in text for text in shown)
    # A reply may tell whom it replies to: the bot itself.
    posted = [notice, card, rundown, wanted]
    assert {account.name for each in posted for account in each.mentions} <= {"papercup"}
    assert not any(each.pings_everyone for each in posted)
    assert [file.name for file in rundown.files] == ["answer.md"]
