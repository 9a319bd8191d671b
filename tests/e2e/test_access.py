"""Who gets in, and what stands open: a whole bot, with people of every kind around it."""

import asyncio
import socket
import stat
from pathlib import Path

from bot.access import NOT_ON_THE_LIST, NOT_YOURS
from simulator.demo.key_hunt import descendants
from simulator.discord import Person
from simulator.discord.model import Message
from simulator.messages_api import ModelRequest, Say
from tests.fakes.house import House, open_house
from tests.fakes.model_script import TwoVoices

_LISTENING = "0A"
REFUSALS = {NOT_ON_THE_LIST.reason, NOT_YOURS.reason}


def says_done(_: ModelRequest) -> Say:
    return Say("All done.")


async def seen_by(house: House, person: Person, notice: Message) -> tuple[bool, ...]:
    """Say whether a person is answered, and has a job listed, suggested, shown, and its files."""
    heard = await house.ask("hello", person=person)
    listed = await person.slash(house.channel, "jobs list")
    suggested = await person.autocomplete(house.channel, "jobs show", "job", "")
    shown = await person.slash(house.channel, "jobs show", job="small")
    fetched = await person.click(notice, label="Files")
    assert fetched is not None
    return (
        heard.text not in REFUSALS,
        "**small**" in listed.text,
        len(suggested) == 1,
        "**small**" in shown.text,
        fetched.text not in REFUSALS,
    )


async def rundown_for(house: House, person: Person, notice: Message) -> bool:
    """Say whether a person may have the rundown of a job posted."""
    told = await person.click(notice, label="Rundown")
    if told is not None:
        assert told.text in REFUSALS
        return False
    await person.sees(house.channel, f"for @{person.name}.", timeout_seconds=30)
    return True


async def test_everybody_gets_what_the_table_says(tmp_path: Path) -> None:
    async with asyncio.timeout(58), open_house(tmp_path, TwoVoices(says_done)) as house:
        discord = house.discord
        roles = {name: discord.role(name) for name in ("admins", "operators", "users", "others")}
        listed = discord.person("lis")
        people = {"owner": house.olga, "listed": listed, "stranger": discord.person("sven")}
        for role in roles.values():
            people[role.name] = discord.person(f"one of {role.name}")
            people[role.name].give(role)
        author = discord.person("uwe")
        author.give(roles["users"])
        async with house.bot(
            discord__allowed_user_ids=f"[{listed.id}]",
            discord__admin_role_ids=f"[{roles['admins'].id}]",
            discord__operator_role_ids=f"[{roles['operators'].id}]",
            discord__user_role_ids=f"[{roles['users'].id}]",
        ):
            await house.notify()
            await house.ask("job small: say something", '"id"', person=author)
            notice = await house.sees("🔔 **small** just finished")
            by_author = await seen_by(house, author, notice)
            seen = {who: await seen_by(house, person, notice) for who, person in people.items()}
            # Whoever may have it comes last, as it is posted once.
            wanted = ("stranger", "others", "listed", "users", "operators")
            given = {who: await rundown_for(house, people[who], notice) for who in wanted}
            admin = people["admins"]
            said = admin.say(admin.direct_messages(), "hello")
            in_private = await admin.sees(admin.direct_messages(), NOT_ON_THE_LIST.reason)
            before = len(discord.bot_messages(house.channel))
            discord.add_bot_person("robot").say(house.channel, "hello")
            discord.add_webhook("hook").say(house.channel, "hello")
            await house.ask("are you there?", "You said")
            after = len(discord.bot_messages(house.channel))

    everything, only_an_answer = (True,) * 5, (True, False, False, False, False)
    assert by_author == everything
    assert seen == {
        "owner": everything,
        "admins": everything,
        "operators": everything,
        "users": only_an_answer,
        "listed": only_an_answer,
        "others": (False,) * 5,
        "stranger": (False,) * 5,
    }
    assert given == {who: who == "operators" for who in wanted}
    assert in_private.reply_to == said.id
    assert after == before + 1


async def test_only_this_machine_and_this_user_can_reach_anything_of_a_running_bot(
    tmp_path: Path,
) -> None:
    at_work = asyncio.Event()
    may_end = asyncio.Event()

    async def waits(_: ModelRequest) -> Say:
        at_work.set()
        await may_end.wait()
        return Say("Done.")

    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(waits)) as house,
        house.bot() as bot,
    ):
        await house.ask("job gate: wait", '"id"')
        await at_work.wait()
        pid = bot.process.pid
        addresses = {address for each in [pid, *descendants(pid)] for address in listened_on(each)}
        open_to_others = [path for path in bot.data.rglob("*") if is_open_to_others(path)]
        may_end.set()
        await house.sees("✅ **gate**")

    assert len(addresses) >= 2
    assert {address.rpartition(":")[0] for address in addresses} == {"127.0.0.1"}
    assert open_to_others == []


async def test_what_looks_like_an_option_or_a_file_is_only_text(tmp_path: Path) -> None:
    odd = "--mcp-config=/etc/passwd -p @/etc/passwd --version"
    asked: list[ModelRequest] = []

    def job(request: ModelRequest) -> Say:
        asked.append(request)
        return Say("Done.")

    async with (
        asyncio.timeout(55),
        open_house(tmp_path, TwoVoices(job)) as house,
        house.bot() as bot,
    ):
        answer = await house.ask(odd, "You said")
        await house.ask(f"job {odd}: {odd}", '"id"')
        await house.sees("✅ ")
        (stored,) = bot.jobs()
        everything = "".join(str(request.body) for request in house.api.model_requests)

    assert answer.text == f"You said: {odd}"
    assert stored["status"] == "completed"
    assert asked[0].last_user_text.endswith(odd)
    assert "root:x:0" not in everything


def is_open_to_others(path: Path) -> bool:
    """Say whether another user could open it, if they got there."""
    mode = path.lstat().st_mode
    return not stat.S_ISLNK(mode) and bool(mode & (stat.S_IRWXG | stat.S_IRWXO))


def listened_on(pid: int) -> set[str]:
    """Return the TCP addresses on which a process listens; those in a jail's own net count too."""
    inodes: set[str] = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        try:
            inodes.add(str(entry.readlink()))
        except OSError:  # it was closed meanwhile
            continue
    found: set[str] = set()
    for name in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == _LISTENING and f"socket:[{fields[9]}]" in inodes:
                found.add(_address(fields[1]))
    return found


def _address(field: str) -> str:
    address, _, port = field.partition(":")
    if len(address) != 8:
        return f"[{address}]:{int(port, 16)}"
    return f"{socket.inet_ntoa(bytes.fromhex(address)[::-1])}:{int(port, 16)}"
