"""What `/resume` and `/sessions` say; who may what stands in test_session_rights."""

from pathlib import Path

from bot.access import NOT_YOURS
from bot.conversation.resume_desk import NO_SESSIONS
from bot.conversation.session_words import ago
from tests.fakes.session_house import (
    ADMIN,
    ELSEWHERE,
    HERE,
    OTHER_USER,
    OWNER,
    THERE,
    USER,
    open_session_house,
    private,
)


async def test_the_newest_sessions_are_listed_with_where_and_when_they_were_used(
    tmp_path: Path,
) -> None:
    async with open_session_house(tmp_path) as house:
        nothing = await house.call("sessions")
        await house.call("pickup", at=private(USER), name="secret")
        house.clock.advance(60)
        await house.call("pickup", at=THERE, name="plans", model="opus")
        await house.call("hangup", at=THERE)
        house.clock.advance(60)
        await house.call("pickup", name="notes")
        listed = await house.call("sessions")
        from_private = await house.call("sessions", at=private(USER))
        others = await house.call("sessions", by=OTHER_USER)
        admins = await house.call("sessions", by=ADMIN)

    assert nothing == others == NO_SESSIONS
    assert listed.splitlines() == [
        "📍 **notes** · here · `sonnet` · <t:1780000120:R>",
        "⚪ **plans** · in <#12> · `opus` · <t:1780000060:R>",
        "🟢 **secret** · in direct messages · `sonnet` · <t:1780000000:R>",
    ]
    # What others said in a server stays there.
    assert from_private == "📍 **secret** · here · `sonnet` · <t:1780000000:R>"
    assert [line.split()[1] for line in admins.splitlines()] == ["**notes**", "**plans**"]


async def test_fifteen_sessions_are_listed_and_twenty_five_suggested(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        for number in range(30):
            house.clock.advance(60)
            await house.conversations.open(HERE, USER, new=True, name="x" * 50 + f"-{number}")
        listed = (await house.call("sessions")).splitlines()
        suggested = await house.complete("resume")

    assert (len(listed), len(suggested)) == (15, 25)
    assert "-29**" in listed[0]
    assert "-29 · " in suggested[0].label


async def test_a_suggestion_tells_how_old_the_session_is_and_where_it_was(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", at=private(USER), name="secret")
        await house.call("pickup", at=ELSEWHERE, name="far")
        house.clock.advance(2 * 24 * 3600)
        await house.call("pickup", at=THERE, name="there")
        house.clock.advance(3 * 3600)
        await house.call("pickup", name="here")
        labels = [each.label for each in await house.complete("resume")]
        typed = [each.label for each in await house.complete("resume", " HER")]
        chosen = (await house.complete("resume", "there"))[0].value
        by_id = await house.call("resume", name=chosen)

    assert labels == [
        "here · just now · here",
        "there · 3 hours ago · in another channel",
        "secret · 2 days ago · in direct messages",
    ]
    assert [label.split()[0] for label in typed] == ["here", "there"]
    assert by_id.startswith("Going on with **there** here.")


async def test_resume_moves_a_session_here_and_says_what_that_ends(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", at=THERE, name="Plans")
        house.began[house.session(THERE).id]("c1a0de")
        await house.call("pickup", name="notes")
        moved = await house.call("resume", name=" PLANS ")
        again = await house.call("resume", name="plans")
        back = await house.call("resume", name="notes")

        assert house.conversations.in_place(THERE) is None
        assert house.session().name == "notes"
        assert house.speaker().is_warm
        plans = await house.store.by_name("plans", lambda _: True)
    assert moved == (
        "Going on with **plans** here. It is hung up in <#12>. **notes** is hung up;"
        " `/resume` goes on with it."
    )
    assert again == "**plans** is open here already."
    assert back == (
        "Going on with **notes** here. **plans** is hung up; `/resume` goes on with it."
    )
    assert plans is not None
    assert (plans.place, plans.claude_session_id, plans.is_open) == (HERE, "c1a0de", False)


async def test_nothing_is_ended_for_it_that_is_somebody_elses(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", at=THERE, name="mine")
        await house.call("pickup", by=OWNER, name="theirs")
        said = await house.call("resume", name="mine")

        assert house.session().name == "theirs"
        assert house.session(THERE).name == "mine"
    assert said == (f"**theirs** is open here, and would have to end for that. {NOT_YOURS.reason}")


async def test_a_name_that_is_no_sessions_pings_nobody(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        said = await house.call("resume", name="`@everyone` <@1>")
    assert said.startswith("I know no session `'@\u200beveryone' <@\u200b1>` that")


def test_an_age_is_told_in_its_largest_unit() -> None:
    assert [ago(seconds) for seconds in (-5, 59, 60, 7199, 7200, 86_400, 3e6)] == [
        "just now",
        "just now",
        "1 minute ago",
        "1 hour ago",
        "2 hours ago",
        "1 day ago",
        "34 days ago",
    ]
