from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.access import NOT_YOUR_RANK, NOT_YOURS, Person, Place
from bot.conversation.asked_session import NO_MODEL, NO_NAME
from bot.conversation.session import Notify, Streaming
from bot.conversation.session_words import NOT_OPEN
from bot.conversation.turn import Turn
from bot.messenger import MessageRef, MessengerError
from bot.speaker.speaker import Answered, Knobs, PermissionMode
from tests.fakes.messenger import THREADS
from tests.fakes.session_house import (
    ADMIN,
    BOUND,
    HERE,
    OTHER_USER,
    OWNER,
    THERE,
    USER,
    HouseOptions,
    SessionHouse,
    open_session_house,
    private,
)
from tests.fakes.waiting import until
from voice.installed import VOICE_MISSING

CHAT = "chat-2026-05-28-2026"
THREAD = Place(guild_id=HERE.guild_id, channel_id=THREADS + 1, parent_id=HERE.channel_id)


async def test_pickup_opens_a_conversation_and_gets_its_speaker_ready(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        said = await house.call("pickup")
        again = await house.call("pickup", by=OTHER_USER, name="other")

        assert house.speaker().is_warm
        assert house.session().opened_by == USER.id
    assert said.startswith(f"Picked up: **{CHAT}**. Mention me")
    assert again == (f"**{CHAT}** is open here already. `/hangup` ends it, `/new` begins afresh.")


@pytest.mark.parametrize("place", [private(USER), BOUND])
async def test_nobody_is_told_to_mention_the_bot_where_all_is_for_it(
    tmp_path: Path, place: Place
) -> None:
    async with open_session_house(tmp_path) as house:
        said = await house.call("pickup", at=place)

    assert said.startswith(f"Picked up: **{CHAT}**. Everything that is written here is for me;")


async def test_pickup_opens_the_session_that_is_described(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call(
            "pickup",
            name="Release notes!",
            mode="text",
            model="opus",
            effort="high",
            permission_mode="plan",
        )
        session = house.session()

    assert session.name == "release-notes"
    assert session.knobs == Knobs(model="opus", effort="high", permission_mode=PermissionMode.PLAN)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"mode": "voice"}, VOICE_MISSING),
        ({"name": "🎉"}, NO_NAME),
        ({"model": "--x"}, NO_MODEL),
        ({"permission_mode": "auto"}, NOT_YOUR_RANK.reason),
        ({"permission_mode": "bypassPermissions"}, NOT_YOUR_RANK.reason),
    ],
)
@pytest.mark.parametrize("threads", [True, False])
async def test_pickup_opens_nothing_that_cannot_be_or_may_not_be(
    tmp_path: Path, options: dict[str, Any], reason: str, *, threads: bool
) -> None:
    async with open_session_house(tmp_path, HouseOptions(threads=threads)) as house:
        assert await house.call("pickup", by=ADMIN, **options) == reason
        assert len(house.conversations) == 0
        assert house.messenger.threads == []


async def test_without_a_jail_not_even_the_owner_opens_what_asks_nobody(tmp_path: Path) -> None:
    async with open_session_house(tmp_path, HouseOptions(no_jail="There is no jail.")) as house:
        said = await house.call("pickup", by=OWNER, permission_mode="auto")
        assert len(house.conversations) == 0
    assert said == "There is no jail."


async def test_pickup_goes_on_with_what_was_open_here_last_unless_it_describes_another(
    tmp_path: Path,
) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup")
        first = house.session().id
        hung_up = await house.call("hangup")
        again = await house.call("pickup", by=OTHER_USER)
        assert house.session().id == first
        await house.call("hangup")
        fresh = await house.call("pickup", effort="low")
        assert house.session().id != first

    assert hung_up.startswith(f"Hung up on **{CHAT}**. Its jobs go on;")
    assert again == f"Picked up again: **{CHAT}**. `/new` begins afresh."
    assert fresh.startswith(f"Picked up: **{CHAT}-2**.")


async def test_new_keeps_the_old_session_and_all_settings_but_the_notices(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", model="opus", permission_mode="plan")
        await house.call("mcp enable", name="github")
        await house.call("streaming", detail="full")
        await house.call("notify", state="on")
        old = house.session()
        house.clock.advance(60)
        said = await house.call("new", name="Next")
        fresh = house.session()
        kept = await house.store.find(old.id)
        await house.call("hangup")
        await house.call("new")

        assert house.session().knobs == old.knobs
    assert said == f"Begun afresh: **next**. What was said before is kept in **{CHAT}**."
    assert (fresh.knobs, fresh.streaming, fresh.notify) == (
        old.knobs,
        Streaming.FULL,
        Notify.OFF,
    )
    assert fresh.claude_session_id is None
    assert kept == old.closed()


async def test_new_hands_nobody_what_only_an_owner_may_set(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", by=OWNER, permission_mode="auto", model="opus")
        assert await house.call("new", by=USER) == NOT_YOURS.reason
        said = await house.call("new", by=ADMIN)
        assert house.session().knobs == Knobs(model="opus")
        assert house.session().opened_by == ADMIN.id
        await house.call("permissions", by=OWNER, mode="bypassPermissions")
        await house.call("hangup", by=OWNER)
        await house.call("new", by=USER)
        assert house.session().knobs == Knobs(model="opus")
        await house.call("permissions", by=OWNER, mode="auto")
        await house.call("new", by=OWNER)
        assert house.session().knobs.permission_mode is PermissionMode.AUTO

    assert said.endswith("mode is not: only owners may set that, and only in a jail.")


async def test_rename_gives_a_name_that_nothing_else_has(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", at=THERE, name="notes")
        await house.call("pickup")
        same = await house.call("rename", name=CHAT.upper())
        said = await house.call("rename", name="Notes")
        nothing = await house.call("rename", name="***")
        name = house.session().name

    assert same == f"**{CHAT}** is called that already."
    assert said == f"**{CHAT}** is called **notes-2** now."
    assert nothing == NO_NAME
    assert name == "notes-2"


@pytest.mark.parametrize("command", ["hangup", "rename", "model", "mcp list", "notify"])
async def test_where_nothing_is_open_there_is_nothing_to_change(
    tmp_path: Path, command: str
) -> None:
    async with open_session_house(tmp_path) as house:
        assert await house.call(command, name="x", state="on") == NOT_OPEN


async def test_status_tells_how_the_session_is_set_and_how_everything_is(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        nothing = await house.call("status")
        await house.call("pickup", name="notes", effort="high")
        await house.call("mcp enable", name="github")
        before = await house.call("status")
        await says(house, "hello", 5)
        await until(lambda: bool(house.speaker().asked))
        await says(house, "and", 6)
        busy = await house.call("status")
        for _ in range(2):
            house.speaker().events.put_nowait(Answered())

    assert nothing == f"{NOT_OPEN}\nAll is well.\nNo jobs for uwe in 11."
    assert before == (
        "📍 **notes** · text · listening\n"
        "model `sonnet` · effort `high` · permissions `dontAsk` · MCP servers: `github`"
        " · notices off · streaming off\n"
        "All is well.\n"
        "No jobs for uwe in 11."
    )
    assert busy.startswith("📍 **notes** · text · answering, 1 waiting\n")


async def says(house: SessionHouse, text: str, number: int) -> None:
    conversation, _ = await house.conversations.open(HERE, USER)
    asked_in = MessageRef(channel_id=HERE.channel_id, message_id=number)
    conversation.take(Turn(people=(USER,), text=text, asked_in=asked_in))


async def test_nothing_is_said_aloud_without_a_voice_line(tmp_path: Path) -> None:
    async with open_session_house(tmp_path) as house:
        assert await house.call("say", text="hello") == VOICE_MISSING
        await house.call("pickup")
        assert await house.call("say", text="hello") == VOICE_MISSING


async def test_with_threads_each_pickup_gets_one_that_is_titled_by_the_session(
    tmp_path: Path,
) -> None:
    options = HouseOptions(threads=True)
    async with open_session_house(tmp_path, options) as house:
        said = await house.call("pickup", name="Notes", model="opus")
        session = house.session(THREAD)
        second = await house.call("pickup", name="notes")

        assert house.conversations.in_place(HERE) is None
        assert house.conversations.owns_thread(THREAD.channel_id)
        assert house.speaker(THREAD).is_warm
    assert said.startswith(f"Picked up: **notes**, in <#{THREAD.channel_id}>.")
    assert f"<#{THREAD.channel_id + 1}>" in second
    assert options.messenger.threads == ["notes", "notes-2"]
    assert (session.has_own_thread, session.knobs.model, session.place) == (True, "opus", THREAD)


@pytest.mark.parametrize("place", [THREAD, private(USER)])
async def test_there_are_no_threads_in_threads_and_in_direct_messages(
    tmp_path: Path, place: Place
) -> None:
    async with open_session_house(tmp_path, HouseOptions(threads=True)) as house:
        assert (await house.call("pickup", at=place)).startswith("Picked up: ")
        assert house.conversations.in_place(place) is not None
        assert house.messenger.threads == []


async def test_where_no_thread_can_be_opened_the_conversation_is_held_in_the_channel(
    tmp_path: Path,
) -> None:
    options = HouseOptions(threads=True)
    async with open_session_house(tmp_path, options) as house:
        options.messenger.failures.append(MessengerError("Missing Permissions", is_final=True))
        said = await house.call("pickup", name="notes")
        assert not house.session(HERE).has_own_thread

    assert said.startswith("Picked up: **notes**. Mention me")
    assert said.endswith("\nI could open no thread for it: Missing Permissions")


async def test_a_sessions_own_thread_is_titled_by_what_it_is_called_by_now(tmp_path: Path) -> None:
    options = HouseOptions(threads=True)
    async with open_session_house(tmp_path, options) as house:
        await house.call("pickup", name="notes")
        renamed = await house.call("rename", at=THREAD, name="plans")
        titles = [*options.messenger.threads]
        options.messenger.failures.append(MessengerError("Too many requests"))
        refused = await house.call("rename", at=THREAD, name="ideas")
        titles += options.messenger.threads
        await house.call("new", at=THREAD, name="more")
        titles += options.messenger.threads
        assert house.session(THREAD).has_own_thread

    assert renamed == "**notes** is called **plans** now."
    assert refused == (
        "**plans** is called **ideas** now. The thread keeps its title: Too many requests"
    )
    assert titles == ["plans", "plans", "more"]


async def test_a_title_that_has_to_wait_is_given_up_in_plain_words(tmp_path: Path) -> None:
    options = HouseOptions(threads=True)
    async with open_session_house(tmp_path, options) as house:
        await house.call("pickup", name="notes")
        error = MessengerError("Retry in 586.36 seconds.", retry_after_seconds=586.36)
        options.messenger.failures.append(error)
        said = await house.call("rename", at=THREAD, name="plans")

    assert said == (
        "**notes** is called **plans** now. The thread keeps its title: Discord does not take"
        " another one so soon."
    )


@pytest.mark.parametrize("by", [USER, OTHER_USER, ADMIN, OWNER])
async def test_only_whoever_may_change_it_ends_or_renames_a_session(
    tmp_path: Path, by: Person
) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", by=USER)
        for command in ("rename", "new", "hangup"):
            said = await house.call(command, by=by, name="x")
            assert (said == NOT_YOURS.reason) is (by == OTHER_USER)
        assert (house.conversations.in_place(HERE) is None) is (by != OTHER_USER)


async def test_a_thread_of_a_bound_channel_is_no_sessions_own(tmp_path: Path) -> None:
    thread = replace(THREAD, parent_id=BOUND.channel_id)
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", at=thread)
        assert not house.conversations.owns_thread(thread.channel_id)
