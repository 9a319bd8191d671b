"""Where it is told that a job has settled: the sessions that asked, and those that hear of all."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.access import AccessPolicy, Person, Place
from bot.conversation.incoming import IncomingMessage
from bot.conversation.message_store import MessageStore
from bot.conversation.notice_places import NoticePlaces, may_hear
from bot.conversation.people import KnownPeople
from bot.conversation.session import Notify, Session
from bot.conversation.store import SessionStore
from bot.messenger import MessageRef
from bot.migrations import migrations
from bot.notices.batch import Addressee
from extensions.database import open_database
from extensions.jobs.job import JobStatus, Outcome
from tests.fakes.example_job import JOB

GUILD, OTHER_GUILD, OPERATORS = 10, 20, 500
ASKED_IN = Place(guild_id=GUILD, channel_id=11)
ELSEWHERE = Place(guild_id=GUILD, channel_id=12)
IN_PRIVATE = Place(guild_id=None, channel_id=13)
OWNER = Person(id=7, name="olga", guild_id=GUILD)
ASKER = Person(id=1, name="uwe", guild_id=GUILD)
USER = Person(id=8, name="ute", guild_id=GUILD)
OPERATOR = Person(id=9, name="otto", guild_id=GUILD, role_ids=frozenset({OPERATORS}))
POLICY = AccessPolicy(
    owner_ids=frozenset({OWNER.id}),
    allowed_user_ids=frozenset({ASKER.id, USER.id}),
    operator_role_ids=frozenset({OPERATORS}),
)
# Asked for by ASKER in ASKED_IN.
SETTLED = JOB.started(at=1000.0).settled(Outcome(status=JobStatus.COMPLETED), at=1240.0)
SESSION = Session(
    id=JOB.origin.session_id,
    name="chat",
    place=ASKED_IN,
    opened_by=ASKER.id,
    created_at=1.0,
    last_active_at=1.0,
)


@pytest.mark.parametrize(
    ("people", "is_told"),
    [
        ([OWNER], True),
        ([OWNER, ASKER], True),
        ([OWNER, OPERATOR], True),
        ([OWNER, USER], False),
        ([OWNER, replace(OPERATOR, role_ids=frozenset())], False),
        ([], False),
    ],
)
def test_another_channel_of_the_server_hears_what_everyone_there_may_see(
    people: list[Person], *, is_told: bool
) -> None:
    assert may_hear(SETTLED, ELSEWHERE, people, POLICY.authorize) is is_told


def test_the_channel_in_which_it_was_asked_for_shows_it_to_all_anyway() -> None:
    assert may_hear(SETTLED, ASKED_IN, [OWNER, USER], POLICY.authorize)


@pytest.mark.parametrize("guild_id", [None, OTHER_GUILD])
def test_no_server_hears_of_what_was_asked_for_outside_of_it(guild_id: int | None) -> None:
    job = replace(SETTLED, origin=replace(SETTLED.origin, guild_id=guild_id, channel_id=99))
    assert not may_hear(job, ELSEWHERE, [OWNER], POLICY.authorize)


@pytest.mark.parametrize("guild_id", [None, GUILD, OTHER_GUILD])
def test_the_owner_hears_of_everything_in_private(guild_id: int | None) -> None:
    job = replace(SETTLED, origin=replace(SETTLED.origin, guild_id=guild_id))
    assert may_hear(job, IN_PRIVATE, [replace(OWNER, guild_id=None)], POLICY.authorize)
    assert not may_hear(job, IN_PRIVATE, [replace(USER, guild_id=None)], POLICY.authorize)


@dataclass
class Scene:
    sessions: SessionStore
    messages: MessageStore
    people: KnownPeople
    places: NoticePlaces
    owners_known: asyncio.Event

    async def says(self, person: Person, place: Place, message_id: int) -> None:
        message = IncomingMessage(
            ref=MessageRef(channel_id=place.channel_id, message_id=message_id),
            author=person,
            place=place,
            text="hi",
            mentions_bot=True,
        )
        await self.messages.accept(message, at=1.0)


@asynccontextmanager
async def scene(folder: Path) -> AsyncGenerator[Scene, None]:
    async with (
        asyncio.timeout(10),
        open_database(folder / "papercup.db", migrations()) as database,
    ):
        sessions, people = SessionStore(database), KnownPeople(database)
        owners_known = asyncio.Event()
        places = NoticePlaces(sessions, people, POLICY.authorize, owners_known=owners_known)
        yield Scene(sessions, MessageStore(database), people, places, owners_known)


@pytest.mark.parametrize("is_open", [True, False])
async def test_a_session_that_asked_hears_of_it_open_or_closed(
    tmp_path: Path, *, is_open: bool
) -> None:
    async with scene(tmp_path) as it:
        await it.sessions.save(replace(SESSION, notify=Notify.ON, is_open=is_open))
        told = await it.places.addressees(SETTLED)

    assert told == [Addressee(place=ASKED_IN, person_id=ASKER.id)]


async def test_a_session_without_notices_hears_nothing(tmp_path: Path) -> None:
    async with scene(tmp_path) as it:
        await it.sessions.save(SESSION)
        assert await it.places.addressees(SETTLED) == []


async def test_those_that_hear_of_all_hear_of_it_too_each_place_once(tmp_path: Path) -> None:
    async with scene(tmp_path) as it:
        for number, place in enumerate([ASKED_IN, ELSEWHERE, IN_PRIVATE]):
            one = replace(
                SESSION, id=f"s{number}", name=f"n{number}", place=place, notify=Notify.ALL
            )
            await it.sessions.save(replace(one, id=SESSION.id) if place == ASKED_IN else one)
        closed = replace(SESSION, id="c", name="closed", notify=Notify.ALL, is_open=False)
        await it.sessions.save(replace(closed, place=Place(guild_id=GUILD, channel_id=14)))
        told = await it.places.addressees(SETTLED)

    assert told == [
        Addressee(place=ASKED_IN, person_id=ASKER.id),
        Addressee(place=ELSEWHERE, person_id=None),
        Addressee(place=IN_PRIVATE, person_id=None),
    ]


async def test_who_may_hear_is_decided_when_the_owners_are_known(tmp_path: Path) -> None:
    async with scene(tmp_path) as it, asyncio.TaskGroup() as tasks:
        await it.says(OWNER, ELSEWHERE, 1)
        all_jobs = Addressee(place=ELSEWHERE, person_id=None)
        asked = tasks.create_task(it.places.may_hear(all_jobs, SETTLED))
        assert await it.places.may_hear(Addressee(place=ASKED_IN, person_id=1), SETTLED)
        assert not asked.done()
        it.owners_known.set()
        assert await asked


STRANGER = Person(id=99, name="sam", guild_id=GUILD)


@pytest.mark.parametrize(
    ("place", "asked_there", "people", "is_told"),
    [
        (ASKED_IN, True, [USER, STRANGER], True),
        (ELSEWHERE, False, [OWNER, OPERATOR], True),
        (ELSEWHERE, False, [OWNER, USER], False),
        (ELSEWHERE, False, [OWNER, STRANGER], False),
    ],
)
async def test_aloud_it_is_told_before_those_who_might_read_it_there(
    tmp_path: Path, place: Place, people: list[Person], *, asked_there: bool, is_told: bool
) -> None:
    addressee = Addressee(place=place, person_id=ASKER.id if asked_there else None)
    async with scene(tmp_path) as it:
        assert it.places.may_listen(addressee, SETTLED, people) is is_told


async def test_people_are_known_by_what_they_did_there_with_their_newest_roles(
    tmp_path: Path,
) -> None:
    async with scene(tmp_path) as it:
        await it.sessions.save(replace(SESSION, place=ELSEWHERE))
        await it.says(replace(OPERATOR, role_ids=frozenset({1})), ELSEWHERE, 1)
        await it.says(OPERATOR, ELSEWHERE, 2)
        await it.says(USER, ASKED_IN, 3)
        known = await it.people.of(ELSEWHERE)

    assert known == [replace(ASKER, name=""), replace(OPERATOR, name="")]
