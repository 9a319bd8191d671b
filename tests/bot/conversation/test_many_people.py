"""Ten people of mixed rights who talk at once in one channel."""

import asyncio
from pathlib import Path

from bot.access import NOT_ON_THE_LIST, AccessPolicy, Action, Allowed, Person
from bot.conversation.incoming import IncomingMessage
from bot.conversation.job_rights import JobRights
from bot.conversation.turn import Turn
from bot.messenger import MessageRef
from extensions.callers import Caller, CallerKind
from extensions.jobs.job import Origin
from tests.fakes.talk_house import HERE, Talk, TalkHouse, message
from tests.fakes.waiting import until

POLICY = AccessPolicy(
    owner_ids=frozenset({1}),
    allowed_user_ids=frozenset({6}),
    admin_role_ids=frozenset({100}),
    operator_role_ids=frozenset({200}),
    user_role_ids=frozenset({300}),
)
ROUNDS = 2


def member(number: int, *roles: int, is_automatic: bool = False) -> Person:
    return Person(
        id=number,
        name=f"person{number}",
        guild_id=10,
        role_ids=frozenset(roles),
        is_automatic=is_automatic,
    )


PEOPLE = (
    member(1),
    member(2, 100),
    member(3, 200),
    member(4, 300),
    member(5, 300, 999),
    member(6),
    member(7, 999),
    member(8),
    member(9, 200),
    member(10, 100, is_automatic=True),
)
MAY_TALK = tuple(
    person
    for person in PEOPLE
    if isinstance(POLICY.authorize([person], Action.TALK, HERE), Allowed)
)


def said(person: Person, round_: int) -> IncomingMessage:
    """What a person says; in the second round nobody mentions the bot, as the channel is bound."""
    return message(
        100 * round_ + person.id,
        f"round {round_}",
        author=person,
        mentions=round_ == 0,
        age_seconds=1.0,
    )


async def answered_one_by_one(talk: Talk, count: int) -> list[Turn]:
    """Answer so many turns; meanwhile everyone else's messages are marked, and nobody else's."""
    turns: list[Turn] = []
    for _ in range(count):
        await until(lambda: len(talk.asked) == len(turns) + 1)
        running = talk.conversation.running_turn
        assert running is not None
        await others_are_marked(talk, running)
        assert talk.asked[-1].startswith(f"{running.people[0].name}: ")
        assert job_origin(talk).person_id == running.people[0].id
        turns.append(running)
        talk.answer()
    await until(lambda: len(talk.surface.shown) == count)
    return turns


async def others_are_marked(talk: Talk, running: Turn) -> None:
    unanswered = {each.ref for each in await talk.messages.unanswered()}
    await until(lambda: unanswered - {*running.messages} <= {*talk.surface.marked})


def job_origin(talk: Talk) -> Origin:
    """In whose name the speaker may start a job now."""
    rights = JobRights(POLICY.authorize, talk.conversations)
    origin = rights.origin_of(Caller(CallerKind.SPEAKER, talk.conversation.session.id))
    assert isinstance(origin, Origin)
    return origin


async def test_each_is_answered_with_their_own_rights_or_told_that_they_may_not(
    tmp_path: Path,
) -> None:
    house = TalkHouse(tmp_path, policy=POLICY, bound_channel_ids={HERE.channel_id})
    everything = [said(person, round_) for round_ in range(ROUNDS) for person in PEOPLE]
    wanted = [each for each in everything if each.author in MAY_TALK]
    async with house.open() as talk:
        async with asyncio.TaskGroup() as tasks:
            for each in everything:
                tasks.create_task(talk.intake.arrived(each))
        turns = await answered_one_by_one(talk, len(wanted))
        await until(lambda: talk.surface.marked == [])

        assert len(MAY_TALK) == 7
        assert by_message(turns) == {each.ref: (each.author,) for each in wanted}
        # Only what is addressed to the bot is refused aloud, and bots are not even told.
        refused = [said(person, 0).ref for person in PEOPLE if person.id in {7, 8}]
        assert talk.replies == [(each, NOT_ON_THE_LIST.reason) for each in refused]
        assert await talk.waiting() == []


async def test_what_one_writes_between_the_words_of_another_takes_nobodys_rights(
    tmp_path: Path,
) -> None:
    owner, user = PEOPLE[0], PEOPLE[3]
    house = TalkHouse(tmp_path, policy=POLICY)
    writers = (owner, owner, user, owner, user, user)
    async with house.open() as talk:
        await talk.intake.arrived(message(0, author=PEOPLE[5]))
        await talk.is_asked("person6: text 0")
        for number, person in enumerate(writers, start=1):
            await talk.intake.arrived(message(number, author=person))
        turns = await answered_one_by_one(talk, 5)

    assert [turn.people for turn in turns[1:]] == [(owner,), (user,), (owner,), (user,)]
    assert [len(turn.messages) for turn in turns[1:]] == [2, 1, 1, 2]


def by_message(turns: list[Turn]) -> dict[MessageRef, tuple[Person, ...]]:
    return {ref: turn.people for turn in turns for ref in turn.messages}
