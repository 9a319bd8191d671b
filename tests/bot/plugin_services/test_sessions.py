import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

import pytest

from bot.access import Person, Place
from bot.conversation.conversation import Conversation
from bot.conversation.incoming import IncomingMessage
from bot.conversation.message_record import MessageState
from bot.conversation.message_store import MessageStore
from bot.conversation.turn import Turn
from bot.messenger import MessageRef, MessengerError
from bot.plugin_services import sessions
from bot.plugin_services.entry_store import EntryStore
from bot.plugin_services.known_person import KnownPersons
from bot.plugin_services.plugin_pace import MOST_A_MINUTE, MOST_IN_A_ROW
from bot.plugin_services.sessions import PluginSessions
from bot.plugin_services.turn_notes import TurnNotes
from bot.speaker.speaker import Answered, Knobs, PermissionMode, TextCame
from bot.text.layout import lay_out
from extensions.hooks import NOWHERE, Occasion
from extensions.plugins.services import Delivery, SessionActionError
from tests.fakes.session_house import (
    GUILD,
    HERE,
    OPERATOR,
    OPERATORS,
    OTHER_USER,
    POLICY,
    STRANGER,
    USER,
    USUAL,
    HouseOptions,
    SessionHouse,
    open_session_house,
)
from tests.fakes.waiting import until


@dataclass
class Desk:
    """A conversation in `HERE`, opened by `USER`, and what plugins may do there."""

    house: SessionHouse
    sessions: PluginSessions
    conversation: Conversation

    @property
    def at_users(self) -> Occasion:
        return self.occasion(USER)

    def occasion(self, person: Person) -> Occasion:
        return Occasion(
            session_id=self.conversation.session.id,
            person_id=person.id,
            guild_id=GUILD,
            channel_id=HERE.channel_id,
        )

    @property
    def posts(self) -> list[str]:
        return [message.text for message in self.house.messenger.messages]

    @property
    def asked(self) -> list[str]:
        return self.house.speaker().asked

    def answer(self, text: str = "fine") -> None:
        """Have the speaker end its running turn."""
        for event in (TextCame(text), Answered()):
            self.house.speaker().events.put_nowait(event)

    async def take(self, text: str, number: int, person: Person = USER) -> None:
        """Have a person say something, and wait until it is being answered."""
        ref = MessageRef(channel_id=HERE.channel_id, message_id=number)
        self.conversation.take(Turn(people=(person,), text=text, asked_in=ref))
        await until(lambda: any(text in said for said in self.asked))

    async def say(
        self, text: str, deliver_as: Delivery = Delivery.FOLLOW_UP, *, to: Occasion | None = None
    ) -> None:
        """Have the plugin say something in a person's stead."""
        await self.sessions.send_user_message(
            "todo", text, deliver_as=deliver_as, occasion=to or self.at_users
        )


@asynccontextmanager
async def desk_in(folder: Path, options: HouseOptions | None = None) -> AsyncGenerator[Desk, None]:
    ids = count(1)
    async with open_session_house(folder, options) as house:
        conversation, _ = await house.conversations.open(HERE, USER)
        plugin_sessions = PluginSessions(
            conversations=house.conversations,
            authorize=POLICY.authorize,
            messenger=house.messenger,
            messages=MessageStore(house.database),
            entries=EntryStore(house.database),
            notes=TurnNotes(),
            person_of=KnownPersons(house.database).find,
            lay_out=lay_out,
            usual=USUAL,
            clock=house.clock,
            new_id=lambda: str(next(ids)),
        )
        yield Desk(house, plugin_sessions, conversation)


async def test_a_message_is_posted_and_the_speaker_told_of_it(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.sessions.send_message(
            "todo",
            "**milk** [here](https://evil.example) @everyone",
            role="assistant",
            occasion=desk.at_users,
        )
        note = desk.sessions.notes.take(desk.conversation.session.id)

    (post,) = desk.posts
    assert post.startswith("-# 🧩 todo\n**milk** here")
    assert "https://evil.example" in post
    assert "@everyone" not in post
    assert note.startswith("[The plugin todo has posted here: ")


async def test_a_message_in_a_persons_stead_is_shown_as_such(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.take("hi", 5)
        await desk.sessions.send_message(
            "todo", "# I said\nthis", role="user", occasion=desk.at_users
        )

    assert desk.posts == ["-# 🧩 todo, in the stead of uwe:\n> \\# I said\n> this"]


async def test_a_long_message_ends_in_a_file(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.sessions.send_message(
            "todo", "many words " * 2500, role="assistant", occasion=desk.at_users
        )

    (message,) = desk.house.messenger.messages
    assert len(message.text) <= 2000
    assert len(message.versions[0].files) == 1


async def test_nothing_is_said_unseen_in_a_persons_stead(tmp_path: Path) -> None:
    text = "please\n" + "go on\n" * 30
    async with desk_in(tmp_path) as desk:
        await desk.say(text)
        await until(lambda: len(desk.asked) == 1)

    (message,) = desk.house.messenger.messages
    (file,) = message.versions[0].files
    assert file.content.decode() == text
    assert len(message.text) <= 2000


async def test_what_follows_up_is_answered_after_the_running_turn(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.take("one", 5)
        await desk.say("two")
        assert desk.conversation.waiting_turns == 1
        desk.answer()
        await until(lambda: len(desk.asked) == 2)
        desk.answer("done")
        await until(lambda: len(desk.house.surfaces[HERE.channel_id].shown) == 2)
        state = await MessageStore(desk.house.database).state_of(
            desk.house.messenger.messages[0].ref
        )

    assert desk.asked == ["uwe: one", "uwe: (the plugin todo says this in my stead:)\n> two"]
    assert desk.posts == ["-# 🧩 todo, in the stead of uwe:\n> two"]
    second = desk.house.surfaces[HERE.channel_id].shown[1]
    assert second.turn.asked_in == desk.house.messenger.messages[0].ref
    assert second.text == "done"
    assert state is MessageState.ANSWERED


async def test_what_steers_breaks_off_the_running_turn_and_comes_first(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.take("one", 5)
        await desk.say("later")
        await desk.say("stop that", Delivery.STEER)
        await until(lambda: len(desk.asked) == 2)
        shown = desk.house.surfaces[HERE.channel_id].shown

    stead = "(the plugin todo says this in my stead:)\n> "
    assert desk.asked[1] == f"uwe: {stead}stop that\n\n{stead}later"
    assert shown[0].text == "⚠️ Cancelled."


async def test_what_steers_where_nothing_runs_is_answered_at_once(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.say("go", Delivery.STEER)
        await until(lambda: len(desk.asked) == 1)

    assert desk.asked[0].endswith("\n> go")


async def test_what_several_said_is_never_said_again_in_one_name(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        refs = [MessageRef(channel_id=HERE.channel_id, message_id=number) for number in (5, 6)]
        joined = Turn(
            people=(OTHER_USER,), text="ute's secret", asked_in=refs[1], joined=(refs[0],)
        )
        desk.conversation.take(joined)
        await until(lambda: len(desk.asked) == 1)
        await desk.say("go on", Delivery.STEER)
        await until(lambda: len(desk.asked) == 2)

    assert desk.asked[1] == "somebody: (the plugin todo says this in my stead:)\n> go on"


async def test_what_waits_for_the_next_turn_is_told_with_it(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.say("remember the milk", Delivery.NEXT_TURN)
        note = desk.sessions.notes.take(desk.conversation.session.id)

    assert desk.posts == []
    assert "in somebody's stead" in note
    assert "remember the milk" in note


async def test_a_turn_of_a_plugin_survives_the_bot(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.take("one", 5)
        await desk.say("two")
        (kept,) = await MessageStore(desk.house.database).unanswered()

    assert kept.text == "(the plugin todo says this in my stead:)\n> two"
    assert kept.author.id == USER.id
    assert kept.state is MessageState.ACCEPTED


@pytest.mark.parametrize("deliver_as", list(Delivery))
async def test_whoever_may_not_talk_is_not_talked_for(tmp_path: Path, deliver_as: Delivery) -> None:
    async with desk_in(tmp_path) as desk:
        with pytest.raises(SessionActionError, match="not on this Papercup's list"):
            await desk.say("hi", deliver_as, to=desk.occasion(STRANGER))

    assert desk.posts == []
    assert desk.asked == []


async def test_in_a_session_that_asks_nobody_a_plugin_talks_for_owners_alone(
    tmp_path: Path,
) -> None:
    async with desk_in(tmp_path) as desk:
        session = desk.conversation.session
        freely = replace(session.knobs, permission_mode=PermissionMode.BYPASS)
        await desk.house.conversations.change(desk.conversation, replace(session, knobs=freely))
        with pytest.raises(SessionActionError, match="only Papercup's owners"):
            await desk.say("rm -rf /")

    assert desk.asked == []


async def test_roles_are_those_with_which_a_person_last_wrote(tmp_path: Path) -> None:
    message = IncomingMessage(
        ref=MessageRef(channel_id=HERE.channel_id, message_id=3),
        author=OPERATOR,
        place=HERE,
        text="hi",
        mentions_bot=True,
    )
    async with desk_in(tmp_path) as desk:
        known = KnownPersons(desk.house.database)
        with pytest.raises(SessionActionError):
            await desk.say("hi", to=desk.occasion(OPERATOR))
        await MessageStore(desk.house.database).accept(message, at=1.0)
        await desk.say("hi", to=desk.occasion(OPERATOR))
        await until(lambda: len(desk.asked) == 1)
        elsewhere = await known.find(OPERATOR.id, Place(guild_id=77, channel_id=1))

    assert desk.asked == ["otto: (the plugin todo says this in my stead:)\n> hi"]
    assert elsewhere.role_ids == frozenset()
    assert OPERATOR.role_ids == {OPERATORS}


async def test_a_plugin_cannot_answer_itself_for_ever(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.take("begin", 5)
        for number in range(MOST_IN_A_ROW):
            await desk.say(f"again {number}")
            desk.answer()
            wanted = f"again {number}"
            await until(lambda wanted=wanted: wanted in desk.asked[-1])  # type: ignore[misc]
        with pytest.raises(SessionActionError, match=sessions.TOO_MANY_TURNS):
            await desk.say("once more")
        desk.answer()
        await desk.take("a person speaks", 6)
        await desk.say("and again")

    assert len(desk.posts) == MOST_IN_A_ROW + 1


async def test_a_plugin_cannot_flood_a_place(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        for _ in range(MOST_A_MINUTE):
            await desk.sessions.send_message(
                "todo", "spam", role="assistant", occasion=desk.at_users
            )
        with pytest.raises(SessionActionError, match="20 messages a minute"):
            await desk.sessions.send_message(
                "todo", "spam", role="assistant", occasion=desk.at_users
            )

    assert len(desk.posts) == MOST_A_MINUTE


async def test_what_finds_no_room_in_the_queue_is_not_answered_later(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.take("one", 5)
        number = 6
        while desk.conversation.take(
            Turn(
                people=(USER,),
                text="x",
                asked_in=MessageRef(channel_id=HERE.channel_id, message_id=number),
            )
        ):
            number += 1
        with pytest.raises(SessionActionError, match=sessions.TOO_MANY_WAIT):
            await desk.say("two")
        unanswered = await MessageStore(desk.house.database).unanswered()

    assert unanswered == []


async def test_what_cannot_be_posted_is_not_said(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        desk.house.messenger.failures.append(MessengerError("Missing Access", is_final=True))
        with pytest.raises(SessionActionError, match="it could not be posted: Missing Access"):
            await desk.say("two")

    assert desk.asked == []


@pytest.mark.parametrize(
    ("occasion", "reason"),
    [
        (NOWHERE, sessions.NO_SESSION),
        (Occasion(session_id="gone", person_id=USER.id), sessions.NOT_OPEN),
    ],
)
async def test_without_an_open_session_nothing_is_done(
    tmp_path: Path, occasion: Occasion, reason: str
) -> None:
    async with desk_in(tmp_path) as desk:
        for attempt in (
            desk.say("hi", to=occasion),
            desk.sessions.send_message("todo", "hi", role="assistant", occasion=occasion),
            desk.sessions.append_entry("todo", {}, occasion),
            desk.sessions.set_model("todo", "m", provider=None, thinking=None, occasion=occasion),
            desk.sessions.state("todo", occasion),
        ):
            with pytest.raises(SessionActionError, match=reason):
                await attempt


async def test_nobody_is_talked_for_if_nobody_is_known(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        with pytest.raises(SessionActionError, match=sessions.NOBODY):
            await desk.say("hi", to=Occasion(session_id=desk.conversation.session.id))


async def test_the_model_is_set_from_the_next_turn_on(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.sessions.set_model(
            "todo", "opus", provider=None, thinking="off", occasion=desk.at_users
        )
        kept = await desk.house.store.find(desk.conversation.session.id)

    assert desk.house.speakers[desk.conversation.session.id].knobs == [
        Knobs(model="opus", effort="low")
    ]
    assert kept is not None
    assert kept.knobs.model == "opus"


@pytest.mark.parametrize(
    ("model", "provider", "thinking", "reason"),
    [
        ("--evil", None, None, sessions.NO_MODEL),
        ("opus", "corp", None, sessions.NO_PROVIDER),
        ("opus", None, "enormous", "thinking has to be one of off, minimal, low"),
    ],
)
async def test_a_model_that_cannot_be_is_refused(
    tmp_path: Path, model: str, provider: str | None, thinking: str | None, reason: str
) -> None:
    async with desk_in(tmp_path) as desk:
        with pytest.raises(SessionActionError, match=reason):
            await desk.sessions.set_model(
                "todo", model, provider=provider, thinking=thinking, occasion=desk.at_users
            )


async def test_somebody_elses_session_is_not_set_otherwise(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        with pytest.raises(SessionActionError, match="somebody else's"):
            await desk.sessions.set_model(
                "todo", "opus", provider=None, thinking=None, occasion=desk.occasion(OTHER_USER)
            )


async def test_a_plugin_is_told_how_the_session_stands(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.take("one", 5)
        await desk.sessions.append_entry("todo", {"done": 1}, desk.at_users)
        await desk.sessions.append_entry("dice", {"rolled": 6}, desk.at_users)
        state = await desk.sessions.state("todo", desk.at_users)
        session = desk.conversation.session

    assert state == {
        "session_id": session.id,
        "name": session.name,
        "mode": "text",
        "model": "sonnet",
        "thinking": None,
        "permission_mode": "dontAsk",
        "notify": "off",
        "streaming": "off",
        "created_at": session.created_at,
        "last_active_at": session.last_active_at,
        "is_answering": True,
        "waiting": 0,
        "entries": [{"at": 1_780_000_000.0, "entry": {"done": 1}}],
    }


async def test_what_cannot_be_stored_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with desk_in(tmp_path) as desk:
        await desk.house.database.run(lambda c: c.execute("DROP TABLE plugin_entries"))
        with pytest.raises(SessionActionError, match=sessions.NOT_STORED):
            await desk.sessions.append_entry("todo", {}, desk.at_users)
        with pytest.raises(SessionActionError, match=sessions.NOT_STORED):
            await desk.sessions.state("todo", desk.at_users)

    assert len(caplog.messages) == 2


async def test_two_that_say_something_at_once_are_both_answered(tmp_path: Path) -> None:
    async with desk_in(tmp_path) as desk:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(desk.say("one"))
            tasks.create_task(desk.say("two"))
        await until(lambda: len(desk.asked) == 1)

    assert len(desk.posts) == 2
