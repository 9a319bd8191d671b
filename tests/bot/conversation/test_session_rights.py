"""Who may go on with which session, over everybody, everywhere, in every order of things."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.access import NOT_YOUR_RANK, Allowed, Person, Place, Standing
from bot.conversation.incoming import IncomingMessage
from bot.conversation.intake import Intake
from bot.conversation.message_store import MessageStore
from bot.conversation.session import Session
from bot.conversation.session_rights import OWNERS_ALONE, may_resume, may_take, mode_refusal
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from bot.speaker.speaker import Answered, Knobs, PermissionMode, TextCame
from tests.fakes.session_house import (
    ADMIN,
    ELSEWHERE,
    GUILD,
    HERE,
    OPERATOR,
    OTHER_GUILD,
    OTHER_USER,
    OWNER,
    POLICY,
    STRANGER,
    THERE,
    USER,
    open_session_house,
    private,
)
from tests.fakes.waiting import until

BOT = replace(OWNER, is_automatic=True)
PEOPLE = (OWNER, ADMIN, OPERATOR, USER, OTHER_USER, STRANGER, BOT)
EVERYBODY = (*PEOPLE, *(replace(person, guild_id=OTHER_GUILD) for person in PEOPLE))
PLACES = (HERE, THERE, ELSEWHERE, private(OWNER), private(USER), private(OPERATOR))
OPENERS = (OWNER, ADMIN, OPERATOR, USER, OTHER_USER)


def a_session(place: Place, opened_by: Person, number: int = 0) -> Session:
    return Session(
        id=f"s{number}",
        name=f"n{number}",
        place=place,
        opened_by=opened_by.id,
        created_at=1.0,
        last_active_at=float(number),
        is_open=False,
    )


def expected(session: Session, person: Person, place: Place) -> bool:
    """Say by a table of its own who may resume what."""
    standing = POLICY.standing_of(person, place)
    if standing in {Standing.STRANGER, Standing.AUTOMATON}:
        return False
    is_own = session.opened_by == person.id
    if session.place.guild_id not in {None, place.guild_id}:
        # It leaves its server, with all that others said there.
        return standing is Standing.OWNER and (is_own or place.guild_id is None)
    if is_own:
        return True
    if place.guild_id is None:
        return standing is Standing.OWNER
    is_of_this_server = session.place.guild_id == place.guild_id
    return is_of_this_server and standing in {Standing.OWNER, Standing.ADMIN}


@given(st.sampled_from(PLACES), st.sampled_from(OPENERS), st.sampled_from(EVERYBODY), st.data())
def test_nobody_goes_on_with_what_is_not_theirs_to_have(
    held_in: Place, opener: Person, person: Person, data: st.DataObject
) -> None:
    place = data.draw(st.sampled_from(PLACES))
    session = a_session(held_in, opener)
    assert may_resume(session, person, place, POLICY.authorize) is expected(session, person, place)


@pytest.mark.parametrize("person", PEOPLE, ids=lambda p: f"{p.name}{'-bot' * p.is_automatic}")
async def test_no_list_no_suggestion_and_no_resuming_gives_more_than_may_be_had(
    tmp_path: Path, person: Person
) -> None:
    sessions = [
        a_session(place, opener, number)
        for number, (place, opener) in enumerate(product(PLACES, OPENERS))
    ]
    async with open_session_house(tmp_path) as house:
        for session in sessions:
            await house.store.save(session)
        for place in PLACES:
            actor = person if place.guild_id else replace(person, guild_id=None)
            listed = await house.call("sessions", by=person, at=place)
            suggested = await house.complete("resume", by=actor, at=place)
            assert {each.value for each in suggested} <= {
                one.id for one in sessions if expected(one, actor, place)
            }
            for session in sessions:
                may = expected(session, actor, place)
                assert may or f"**{session.name}**" not in listed
                exact = await house.complete("resume", session.name, by=actor, at=place)
                assert (session.id in {each.value for each in exact}) is may


@pytest.mark.parametrize("by_id", [True, False])
@pytest.mark.parametrize("person", PEOPLE, ids=lambda p: f"{p.name}{'-bot' * p.is_automatic}")
async def test_resume_opens_what_may_be_had_and_says_nothing_of_the_rest(
    tmp_path: Path, person: Person, *, by_id: bool
) -> None:
    cases = list(product(PLACES, OPENERS, PLACES))
    async with open_session_house(tmp_path) as house:
        for number, (held_in, opener, place) in enumerate(cases):
            session = a_session(held_in, opener, number)
            await house.store.save(session)
            actor = person if place.guild_id else replace(person, guild_id=None)
            wanted = session.id if by_id else session.name
            answer = await house.call("resume", by=person, at=place, name=wanted)
            unknown = await house.call("resume", by=person, at=place, name="zz")
            open_now = house.conversations.of_session(session.id)
            assert (open_now is not None) is expected(session, actor, place)
            if open_now is None:
                assert answer == unknown.replace("`zz`", f"`{wanted}`")
            await house.conversations.close(place)


@pytest.mark.parametrize("mode", [None, *PermissionMode])
@pytest.mark.parametrize("person", PEOPLE)
def test_only_owners_are_answered_where_a_speaker_acts_without_asking(
    mode: PermissionMode | None, person: Person
) -> None:
    session = replace(a_session(HERE, OWNER), knobs=Knobs(permission_mode=mode))
    is_free = mode in {PermissionMode.AUTO, PermissionMode.BYPASS}
    alone, together = (
        may_take(session, people, POLICY.authorize) for people in ([person], [OWNER, person])
    )
    assert alone == together == (OWNERS_ALONE if is_free and person != OWNER else Allowed())


@pytest.mark.parametrize("mode", list(PermissionMode))
@pytest.mark.parametrize("person", [OWNER, ADMIN, OPERATOR, USER])
def test_only_an_owner_sets_a_mode_that_asks_nobody_and_only_in_a_jail(
    mode: PermissionMode, person: Person
) -> None:
    jailed = mode_refusal(mode, person, HERE, POLICY.authorize, lambda _: None)
    bare = mode_refusal(mode, person, HERE, POLICY.authorize, lambda _: "There is no jail.")
    if not mode.needs_jail:
        assert (jailed, bare) == (None, None)
    elif person == OWNER:
        assert (jailed, bare) == (None, "There is no jail.")
    else:
        assert jailed == bare == NOT_YOUR_RANK.reason


def turn(person: Person, number: int) -> Turn:
    asked_in = MessageRef(channel_id=HERE.channel_id, message_id=number)
    return Turn(people=(person,), text="go", asked_in=asked_in)


async def test_whoever_waits_while_a_session_begins_to_act_without_asking_is_told_why(
    tmp_path: Path,
) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup")
        conversation, speaker = house.conversations.in_place(HERE), house.speaker()
        assert conversation is not None
        for number, person in enumerate((USER, OTHER_USER, OWNER)):
            conversation.take(turn(person, number))
        await until(lambda: bool(speaker.asked))
        await house.call("permissions", by=OWNER, mode="auto")
        for _ in range(2):
            speaker.events.put_nowait(TextCame("Done."))
            speaker.events.put_nowait(Answered())
        await until(lambda: len(house.surfaces[HERE.channel_id].shown) == 3)

    assert speaker.asked == ["uwe: go", "olga: go"]
    assert [shown.text for shown in house.surfaces[HERE.channel_id].shown] == [
        "Done.",
        f"⚠️ {OWNERS_ALONE.reason}",
        "Done.",
    ]


@pytest.mark.parametrize("mentions_bot", [True, False])
async def test_who_is_not_answered_there_is_told_so_once_and_only_if_they_spoke_to_the_bot(
    tmp_path: Path, *, mentions_bot: bool
) -> None:
    async with open_session_house(tmp_path) as house:
        await house.call("pickup", by=OWNER, permission_mode="auto")
        intake = Intake(
            authorize=POLICY.authorize,
            conversations=house.conversations,
            messages=MessageStore(house.database),
            messenger=house.messenger,
            is_for_the_bot=lambda _: True,
            clock=house.clock,
        )
        for number in (5, 6):
            message = IncomingMessage(
                ref=MessageRef(channel_id=HERE.channel_id, message_id=number),
                author=USER,
                place=HERE,
                text="go",
                mentions_bot=mentions_bot,
            )
            await intake.arrived(message)
        told = [message.text for message in house.messenger.messages]
        assert house.speaker().asked == []

    assert told == ([OWNERS_ALONE.reason] if mentions_bot else [])


def test_the_places_are_those_of_two_servers() -> None:
    assert {place.guild_id for place in PLACES} == {GUILD, OTHER_GUILD, None}
