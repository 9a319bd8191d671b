"""The same calls to the simulated Discord and to simcord, which knows nothing of it.

Each was written by itself after Discord's documentation: where they agree, neither has misread
it alone. Every call is made through the real discord.py.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import discord as discord_py
import pytest
import simcord
from discord.http import Route

from simulator.discord import DiscordSimulator, InteractionReply, running_discord
from simulator.discord.errors import SimulatorError
from simulator.discord.model import Message
from tests.fakes.rich_bot import RichBot, running_rich_bot

BUTTON = {"type": 2, "style": 1, "label": "Go", "custom_id": "go"}
BOUNDS = {"min_values": 1, "max_values": 1}
MENU = {"type": 3, "custom_id": "m", "options": [{"label": "Red", "value": "red"}]}
_COMPARED = (
    "type content flags pinned tts mention_everyone name archived locked auto_archive_duration"
    " has_more custom_id label style value disabled min_values max_values placeholder options"
    " count me emoji components attachments reactions thread_metadata items message threads"
    " referenced_message topic description choices required autocomplete default_member_permissions"
    " description_localizations channel_types"
)
COMPARED = frozenset(_COMPARED.split())
"""What is looked at in an answer; the rest are ids, times, and things that few clients read."""


def row(*components: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"type": 1, "components": list(components)}]


@dataclass(frozen=True, slots=True)
class Call:
    """A request; `{name}` in its path or body is an id that was kept before."""

    method: str
    path: str
    body: Any = None
    keep: str = ""
    """As what the id in the answer is kept."""
    why: str = ""
    """Why simcord answers otherwise; empty: it does not."""


CHANNEL = "/channels/{channel}"
MESSAGES = CHANNEL + "/messages"
CALLS = (
    Call("GET", CHANNEL),
    Call("GET", "/channels/1"),
    Call("GET", "/users/1"),
    # Messages.
    Call("POST", MESSAGES, {"content": "one"}, keep="one"),
    Call("POST", MESSAGES, {"content": ""}, why="Discord answers with 50006"),
    Call("POST", MESSAGES, {"content": "x" * 2001}),
    Call("POST", MESSAGES, {"content": "quiet", "flags": 4096}, keep="quiet"),
    Call("POST", MESSAGES, {"content": "x", "flags": 64}, why="only answers are ephemeral"),
    Call("POST", MESSAGES, {"content": "@everyone", "allowed_mentions": {"parse": []}}),
    Call("POST", MESSAGES, {"content": "re", "message_reference": {"message_id": "{one}"}}, "re"),
    Call(
        "POST",
        MESSAGES,
        {"content": "re", "message_reference": {"message_id": "1"}},
        why="what is replied to must exist, unless it is said that it need not",
    ),
    Call(
        "POST",
        MESSAGES,
        {"content": "re", "message_reference": {"message_id": "1", "fail_if_not_exists": False}},
        why="then it is no reply",
    ),
    Call("GET", MESSAGES + "/{one}"),
    Call("GET", MESSAGES + "/1"),
    Call("PATCH", MESSAGES + "/{one}", {"content": "ONE"}),
    Call("PATCH", MESSAGES + "/{quiet}", {"flags": 4}),
    Call("PATCH", MESSAGES + "/{quiet}", {"content": "still"}),
    Call("PATCH", MESSAGES + "/{quiet}", {"content": ""}, why="an empty message is refused"),
    Call("PATCH", MESSAGES + "/{said}", {"content": "mine"}),
    Call("DELETE", MESSAGES + "/{re}"),
    Call("DELETE", MESSAGES + "/{re}"),
    # Components.
    Call("POST", MESSAGES, {"content": "go", "components": row(BUTTON)}),
    Call("POST", MESSAGES, {"content": "go", "components": row(MENU | BOUNDS)}),
    Call("POST", MESSAGES, {"content": "go", "components": row(MENU, BUTTON)}),
    Call("POST", MESSAGES, {"content": "go", "components": row(BUTTON, BUTTON)}),
    Call("POST", MESSAGES, {"content": "go", "components": row()}),
    Call("POST", MESSAGES, {"content": "go", "components": row(*[BUTTON] * 6)}),
    Call("POST", MESSAGES, {"content": "go", "components": row({**BUTTON, "label": "l" * 81})}),
    Call("POST", MESSAGES, {"content": "go", "components": row({**MENU, "options": []})}),
    Call(
        "POST",
        MESSAGES,
        {"content": "go", "components": row({**MENU, "max_values": 2})},
        why="more cannot be chosen than there are",
    ),
    # Reactions.
    Call("PUT", MESSAGES + "/{said}/reactions/👀/@me"),
    Call("PUT", MESSAGES + "/{said}/reactions/👀/@me"),
    Call("GET", MESSAGES + "/{said}"),
    Call("DELETE", MESSAGES + "/{said}/reactions/👀/@me"),
    Call("GET", MESSAGES + "/{said}"),
    # Pins.
    Call("PUT", MESSAGES + "/pins/{one}"),
    Call("PUT", MESSAGES + "/pins/{one}"),
    Call("GET", MESSAGES + "/pins"),
    Call("GET", MESSAGES + "/{one}"),
    Call("DELETE", MESSAGES + "/pins/{one}"),
    Call("GET", MESSAGES + "/pins"),
    Call("PUT", MESSAGES + "/pins/1"),
    # Threads.
    Call("POST", CHANNEL + "/threads", {"name": "Plans", "type": 11}, keep="thread"),
    Call("POST", CHANNEL + "/threads", {"name": "", "type": 11}),
    Call(
        "POST",
        CHANNEL + "/threads",
        {"name": "n" * 101, "type": 11},
        why="a title has at most 100 characters",
    ),
    Call("POST", MESSAGES + "/{said}/threads", {"name": "Said"}, keep="from"),
    Call("GET", "/channels/{from}"),
    Call("POST", "/channels/{thread}/messages", {"content": "inside"}, keep="inside"),
    Call("GET", "/channels/{thread}/messages/{inside}"),
    Call("PATCH", "/channels/{thread}", {"name": "Decided", "auto_archive_duration": 60}),
    Call("PATCH", "/channels/{thread}", {"archived": True}),
    Call("GET", "/channels/{thread}"),
    Call("PATCH", "/channels/{thread}", {"archived": False, "locked": True}),
    Call("DELETE", "/channels/{from}"),
    Call("GET", "/channels/{from}"),
    Call(
        "POST",
        MESSAGES + "/{one}/threads",
        {"name": "Once"},
        keep="once",
    ),
    Call(
        "POST",
        MESSAGES + "/{one}/threads",
        {"name": "Twice"},
        why="a message has one thread at most",
    ),
    Call(
        "POST",
        "/channels/{thread}/threads",
        {"name": "Nested", "type": 11},
        why="there are no threads in threads",
    ),
    # What is said of interactions that never were.
    Call("POST", "/webhooks/{bot}/made-up", {"content": "x"}),
    Call(
        "GET",
        "/applications/{bot}/commands?with_localizations=true",
        why="simcord gives permissions back as numbers, Discord as texts",
    ),
)


Act = Callable[["Alice"], Awaitable[Any]]
PANEL = row(
    {"type": 3, "custom_id": "chooser:menu", "max_values": 2, "min_values": 1}
    | {"options": [{"label": name, "value": name} for name in ("red", "green", "blue")]}
) + row(
    {"type": 2, "style": 2, "label": "Tell why", "custom_id": "chooser:why"},
    {"type": 2, "style": 2, "label": "Off", "custom_id": "off", "disabled": True},
)
ACTS: tuple[Act, ...] = (
    lambda alice: alice.slash("say", text="ping", loudly=True),
    lambda alice: alice.slash("later", how=1),
    lambda alice: alice.slash("later", how=2),
    lambda alice: alice.slash("jobs list"),
    lambda alice: alice.slash("why"),
    lambda alice: alice.complete("a"),
    lambda alice: alice.use_on_message("Ask Me"),
    lambda alice: alice.use_on_message("Ask Back"),
    lambda alice: alice.fill_in(reason="because", colour="green", more="of it"),
    lambda alice: alice.fill_in(reason="because", colour="green"),
    lambda alice: alice.choose("red"),
    lambda alice: alice.choose("red", "blue"),
    lambda alice: alice.click("Tell why"),
)
IMPOSSIBLE: tuple[Act, ...] = (
    lambda alice: alice.slash("say"),
    lambda alice: alice.slash("say", text=5),
    lambda alice: alice.slash("later", how=4),
    lambda alice: alice.slash("jobs"),
    lambda alice: alice.slash("Ask Me"),
    lambda alice: alice.use_on_message("Greet"),
    lambda alice: alice.choose(),
    lambda alice: alice.choose("pink"),
    lambda alice: alice.choose("red", "green", "blue"),
    lambda alice: alice.click("Off"),
    lambda alice: alice.click("No such"),
    lambda alice: alice.fill_in(reason="x", colour="green"),
    lambda alice: alice.fill_in(reason="x" * 11, colour="green"),
    lambda alice: alice.fill_in(reason="because", colour="blue"),
    lambda alice: alice.fill_in(colour="green"),
)


class Alice(Protocol):
    """What she does; each returns what the bot answered, and whether she alone sees it."""

    async def slash(self, name: str, **options: Any) -> Any: ...
    async def complete(self, typed: str) -> Any: ...
    async def use_on_message(self, name: str) -> Any: ...
    async def choose(self, *values: str) -> Any: ...
    async def click(self, label: str) -> Any: ...
    async def fill_in(self, **values: str) -> Any: ...


class OurAlice:
    def __init__(self, discord: DiscordSimulator) -> None:
        self._alice = discord.person("alice")
        self._general = discord.text_channel("general")
        self.said = self._alice.say(self._general, "look", mention_bot=False)

    async def slash(self, name: str, **options: Any) -> Any:
        return self._seen(await self._alice.slash(self._general, name, **options))

    async def complete(self, typed: str) -> Any:
        choices = await self._alice.autocomplete(self._general, "say", "text", typed)
        return [(choice.name, choice.value) for choice in choices]

    async def use_on_message(self, name: str) -> Any:
        return self._seen(await self._alice.use_on(self.said, name))

    async def choose(self, *values: str) -> Any:
        return self._seen(await self._alice.choose(await self._panel(), *values))

    async def click(self, label: str) -> Any:
        return self._seen(await self._alice.click(await self._panel(), label=label))

    async def fill_in(self, **values: str) -> Any:
        form = await self._alice.use_on(self.said, "Ask Back")
        return self._seen(await self._alice.submit(form, values))

    async def _panel(self) -> Message:
        return await self._alice.sees(self._general, lambda message: bool(message.menus))

    def _seen(self, reply: InteractionReply | None) -> Any:
        assert reply is not None
        if reply.modal is not None:
            return reply.modal.title
        return reply.text, reply.is_ephemeral


class TheirAlice:
    def __init__(self, alice: simcord.MemberActor, general: simcord.ChannelHandle) -> None:
        self._alice = alice
        self._general = general
        self.said: Any = None

    async def slash(self, name: str, **options: Any) -> Any:
        return self._seen(await self._alice.slash(self._general, name, **options))

    async def complete(self, typed: str) -> Any:
        choices = await self._alice.autocomplete(self._general, "say", "text", typed)
        return [(choice["name"], choice["value"]) for choice in choices]

    async def use_on_message(self, name: str) -> Any:
        return self._seen(await self._alice.context_menu(self._general, name, self.said))

    async def choose(self, *values: str) -> Any:
        return self._seen(await self._alice.select(self._panel(), values))

    async def click(self, label: str) -> Any:
        return self._seen(await self._alice.click(self._panel(), label=label))

    async def fill_in(self, **values: str) -> Any:
        form = await self._alice.context_menu(self._general, "Ask Back", self.said)
        filled = {key: [one] if key == "colour" else one for key, one in values.items()}
        return self._seen(await self._alice.submit_modal(form, filled))

    def _panel(self) -> Any:
        return next(message for message in self._general.history() if message.content == "panel")

    def _seen(self, result: simcord.InteractionResult) -> Any:
        if result.modal is not None:
            return result.modal["title"]
        assert result.response is not None
        return result.response.content, result.response.ephemeral


class Ground:
    """A Discord on which the bot is logged in, and alice."""

    def __init__(self, bot: RichBot, alice: Alice, ids: dict[str, int]) -> None:
        self._bot = bot
        self._ids = {name: str(one) for name, one in ids.items()}
        self.alice = alice

    async def ask(self, call: Call) -> Any:
        """Make a request, and return what can be compared of the answer."""
        path, _, query = _filled(call.path, self._ids).partition("?")
        options: dict[str, Any] = {}
        if call.body is not None:
            options["json"] = _filled(call.body, self._ids)
        if query:
            options["params"] = dict([query.split("=")])
        try:
            answer = await self._bot.http.request(Route(call.method, path), **options)
        except discord_py.HTTPException as refused:
            return refused.status, refused.code
        if call.keep:
            self._ids[call.keep] = answer["id"]
        return _comparable(answer or None)


@asynccontextmanager
async def ours(folder: Path) -> AsyncIterator[Ground]:
    async with running_discord(folder) as discord, running_rich_bot(discord) as bot:
        alice = OurAlice(discord)
        channel = discord.text_channel("general").id
        ids = {"channel": channel, "said": alice.said.id, "bot": discord.bot.id}
        yield Ground(bot, alice, ids)


@asynccontextmanager
async def theirs() -> AsyncIterator[Ground]:
    bot = RichBot(None, discord_py.Intents.all())
    async with simcord.run(bot) as env:
        guild = env.create_guild()
        general = guild.create_text_channel("general")
        alice = TheirAlice(guild.add_member(env.create_user("alice")), general)
        alice.said = await alice._alice.send(general, "look")
        assert bot.user is not None
        ids = {"channel": general.id, "said": alice.said.id, "bot": bot.user.id}
        yield Ground(bot, alice, ids)


def _filled(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _filled(one, ids) for key, one in value.items()}
    if isinstance(value, str):
        for name, one in ids.items():
            value = value.replace(f"{{{name}}}", one)
    return value


def _comparable(value: Any) -> Any:
    if isinstance(value, list):
        return [_comparable(one) for one in value]
    if not isinstance(value, dict):
        return value
    kept = {key: _comparable(value[key]) for key in COMPARED if key in value}
    return {key: one for key, one in kept.items() if one not in (None, [], {}, False, 0, "")}


async def test_both_answer_the_bot_alike(tmp_path: Path) -> None:
    differ: list[Call] = []
    async with ours(tmp_path) as one, theirs() as other:
        for call in CALLS:
            answers = await one.ask(call), await other.ask(call)
            if answers[0] != answers[1]:
                differ.append(call)
            assert bool(call.why) == (answers[0] != answers[1]), (call, *answers)
    assert len(differ) < len(CALLS) / 4


async def test_both_carry_what_people_do_and_the_answers_alike(tmp_path: Path) -> None:
    async with ours(tmp_path) as one, theirs() as other:
        for ground in (one, other):
            await ground.ask(Call("POST", MESSAGES, {"content": "panel", "components": PANEL}))
        for act in ACTS:
            seen = await act(one.alice), await act(other.alice)
            assert seen[0] == seen[1]


async def test_what_a_person_cannot_send_neither_sends(tmp_path: Path) -> None:
    async with ours(tmp_path) as one, theirs() as other:
        for ground in (one, other):
            await ground.ask(Call("POST", MESSAGES, {"content": "panel", "components": PANEL}))
        for act in IMPOSSIBLE:
            with pytest.raises(SimulatorError):
                await act(one.alice)
            with pytest.raises((simcord.SetupError, simcord.BackendError)):
                await act(other.alice)
