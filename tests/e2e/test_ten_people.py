"""Ten people of mixed rights who talk at once in one channel, to a whole bot."""

import asyncio
import re
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path

from bot.access import NOT_ON_THE_LIST
from bot.conversation.marks import ANSWERED_TOGETHER, QUEUED
from simulator.discord import Person
from simulator.discord.model import Message
from simulator.messages_api import Answer, ModelRequest, Say, Use
from tests.fakes.house import House, open_house
from tests.fakes.model_script import SPAWN, TwoVoices
from tests.fakes.waiting import until

ROLES = {
    "ada": "admins",
    "otto": "operators",
    "olaf": "operators",
    "uwe": "users",
    "ulla": "users",
    "sara": "others",
}
LISTED = "lis"
STRANGERS = ("sara", "sven")
WITH_A_JOB = ("ada", "otto", "uwe", LISTED)
SEE_ALL = ("olga", "ada", "otto", "olaf")
UNHEARD = (*STRANGERS, "robot")
SECONDS = 40.0

Said = Mapping[str, tuple[Message, Message]]
"""What each of them has said, by their names."""

_WISH = re.compile(r"start (job-\w+)")


class Crowded:
    """A speaker that is asked by many: it answers the first when all others have spoken."""

    def __init__(self) -> None:
        self.begun = asyncio.Event()
        self.all_have_spoken = asyncio.Event()

    async def __call__(self, request: ModelRequest) -> Answer:
        said = request.last_user_text
        if "wait for the others" in said:
            self.begun.set()
            async with asyncio.timeout(SECONDS):
                await self.all_have_spoken.wait()
        wish = _WISH.search(said)
        if wish is not None and request.step == 0:
            return Use(SPAWN, {"name": wish[1], "task": f"Be {wish[1]}."})
        # The name of whoever speaks stands before what they say.
        return Say(answer_for(said.partition(":")[0]))


def answer_for(name: str) -> str:
    return f"That was for {name}."


def says_done(_: ModelRequest) -> Say:
    return Say("All done.")


def crowd(house: House) -> dict[str, Person]:
    """Return the ten by their names; the last is a bot."""
    discord = house.discord
    people = {name: discord.person(name) for name in ("olga", *ROLES, LISTED, "sven")}
    for name, role in ROLES.items():
        people[name].give(discord.role(role))
    return people | {"robot": discord.add_bot_person("robot")}


def settings(house: House, people: Mapping[str, Person]) -> dict[str, str]:
    role = house.discord.role
    return {
        "discord__allowed_user_ids": f"[{people[LISTED].id}]",
        "discord__admin_role_ids": f"[{role('admins').id}]",
        "discord__operator_role_ids": f"[{role('operators').id}]",
        "discord__user_role_ids": f"[{role('users').id}]",
    }


def speak(house: House, people: Mapping[str, Person]) -> Said:
    """Have each of them write two messages in a row, one person after the other."""
    wishes = {name: f"and start job-{name}" for name in WITH_A_JOB}
    return {
        name: (
            person.say(house.channel, f"hello from {name}"),
            person.say(house.channel, wishes.get(name, f"and once more from {name}")),
        )
        for name, person in people.items()
    }


def marked_by_bot(house: House, message: Message, emoji: str) -> bool:
    now = house.discord.message(message)
    return now is not None and house.discord.bot.id in now.reactions.get(emoji, ())


def flat(said: Said) -> Iterator[Message]:
    return chain.from_iterable(said.values())


def answers_to(house: House, message: Message) -> list[str]:
    return [
        one.text for one in house.discord.bot_messages(house.channel) if one.reply_to == message.id
    ]


def is_answered(house: House, message: Message, text: str) -> bool:
    return answers_to(house, message) == [text]


async def marks_are(house: House, messages: list[Message], emoji: str, *, there: bool) -> None:
    """Wait until the bot's reaction is under all of the messages, or under none."""

    def are() -> bool | None:
        return all(marked_by_bot(house, one, emoji) is there for one in messages) or None

    await house.discord.journal.until(are, timeout_seconds=SECONDS)


async def all_are_answered(house: House, heard: Said) -> None:
    """Wait until each is answered, with a mark under what was answered in reply to a later one."""
    for name, (_, last) in heard.items():
        is_so = partial(is_answered, house, last, answer_for(name))
        await until(is_so, timeout_seconds=SECONDS)
    first = [first for first, _ in heard.values()]
    await marks_are(house, first, ANSWERED_TOGETHER, there=True)
    await marks_are(house, [*flat(heard)], QUEUED, there=False)
    for name in WITH_A_JOB:
        await house.sees(f"✅ **job-{name}**")


async def test_ten_people_who_talk_at_once_get_each_what_is_theirs(tmp_path: Path) -> None:
    speaker = Crowded()
    script = TwoVoices(says_done, speaker)
    async with asyncio.timeout(58), open_house(tmp_path, script) as house:
        people = crowd(house)
        async with house.bot(**settings(house, people)):
            house.olga.say(house.channel, "wait for the others")
            await speaker.begun.wait()
            said = speak(house, people)
            heard = {name: pair for name, pair in said.items() if name not in UNHEARD}
            await marks_are(house, [*flat(heard)], QUEUED, there=True)
            speaker.all_have_spoken.set()
            await all_are_answered(house, heard)
            askers = {name: await asker_of(house, f"job-{name}") for name in WITH_A_JOB}
            seen = {name: await jobs_seen_by(house, people[name]) for name in heard}
        answered = {name: [answers_to(house, one) for one in pair] for name, pair in said.items()}

    # Who is refused hears it once a minute; a bot hears nothing at all.
    refused = {name: [[NOT_ON_THE_LIST.reason], []] for name in STRANGERS}
    expected = {name: [[], [answer_for(name)]] for name in heard}
    assert answered == expected | refused | {"robot": [[], []]}
    assert askers == {name: people[name].id for name in WITH_A_JOB}
    assert {name: jobs for name, jobs in seen.items() if name not in SEE_ALL} == {
        "uwe": {"job-uwe"},
        "ulla": set(),
        LISTED: {f"job-{LISTED}"},
    }
    assert all(seen[name] == {f"job-{one}" for one in WITH_A_JOB} for name in SEE_ALL)


async def asker_of(house: House, job: str) -> int:
    """Return the id of the person who asked for a job, as the owner is told."""
    reply = await house.olga.slash(house.channel, "jobs show", job=job)
    found = re.search(r"Asked for by <@(\d+)>", reply.text)
    assert found is not None, reply.text
    return int(found[1])


async def jobs_seen_by(house: House, person: Person) -> set[str]:
    """Return the names of the jobs that somebody is shown."""
    reply = await person.slash(house.channel, "jobs list")
    return set(re.findall(r"\*\*(job-\w+)\*\*", reply.text))
