"""Plugins that reach people on a simulated Discord, with all of ours between them but Claude."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from bot.access import AccessPolicy
from bot.cards.cards import keeping_cards
from bot.cards.store import CardStore
from bot.conversation.incoming import ButtonPress
from bot.conversation.question_desk import QuestionDesk
from bot.discord_io.link import DiscordLink
from bot.messenger import Form, MessageContent
from bot.plugin_services.key_desk import KeyDesk
from bot.plugin_services.last_places import LastPlaces
from bot.plugin_services.ui_parts import UiParts
from bot.plugin_services.ui_questions import PURPOSE
from bot.plugin_services.user_interface import PluginUi, open_user_interface
from bot.questions.asker import open_questions
from bot.questions.store import QuestionStore
from extensions.hooks import Occasion
from extensions.plugins.services import UiAnswer, UiRequest
from simulator.discord import DiscordSimulator, Person, TextChannel, running_discord
from simulator.discord.model import Message
from tests.fakes.discord_bot import bot_on
from tests.fakes.inline_database import InlineDatabase
from tests.fakes.line_house import open_line_house
from tests.fakes.listener import FakeListener
from tests.fakes.plugin_ui import FakeAudit, FakeLines, FakeTitles


class DeskListener(FakeListener):
    """Hands what people press to the desks."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: QuestionDesk | None = None
        self.keys: KeyDesk | None = None

    def form_for(self, press: ButtonPress) -> Form | None:
        assert self.questions is not None
        make = self.questions.offer().forms.get(press.action.verb)
        return None if make is None else make(press)

    async def button_pressed(self, press: ButtonPress) -> MessageContent | None:
        assert self.questions is not None
        assert self.keys is not None
        handlers = {**self.questions.offer().buttons, **self.keys.offer().buttons}
        return await handlers[press.action.verb](press)


@dataclass
class PluginStage:
    """It stands while `open_plugin_stage` lasts."""

    discord: DiscordSimulator
    channel: TextChannel
    anna: Person
    bob: Person
    interface: PluginUi
    tasks: asyncio.TaskGroup
    pressed: list[tuple[str, str | None, str, int | None]] = field(default_factory=list)

    def key_pressed(self, plugin_id: str, widget_id: str | None, key: str, at: Occasion) -> None:
        self.pressed.append((plugin_id, widget_id, key, at.person_id))

    @property
    def occasion(self) -> Occasion:
        """Anna's."""
        return Occasion(
            person_id=self.anna.id,
            guild_id=self.discord.guild.id,
            channel_id=self.channel.id,
        )

    def ask(self, request: UiRequest, *, by: str = "todo") -> "asyncio.Task[UiAnswer]":
        """Have a plugin ask, and go on meanwhile."""
        return self.tasks.create_task(self.interface.ask(by, request, self.occasion))

    async def sees(self, wanted: str) -> Message:
        """Return the newest message that holds that, once there is one."""
        return await self.anna.sees(self.channel, wanted)

    async def tell(self, request: UiRequest, *, by: str = "todo") -> None:
        """Have a plugin show something."""
        assert await self.interface.ask(by, request, self.occasion) == UiAnswer()


@asynccontextmanager
async def open_plugin_stage(folder: Path) -> AsyncGenerator[PluginStage, None]:
    """Put it up."""
    database, listener = InlineDatabase(), DeskListener()
    async with asyncio.timeout(60), running_discord(folder) as discord:
        anna, bob = discord.person("anna"), discord.person("bob")
        policy = AccessPolicy(
            owner_ids=frozenset({1}), allowed_user_ids=frozenset({anna.id, bob.id})
        )
        link = DiscordLink()
        async with (
            open_line_house() as house,
            bot_on(discord, listener, link=link),
            keeping_cards(link.messenger, CardStore(database)) as cards,
            open_questions(
                link.messenger,
                QuestionStore(database),
                authorize=policy.authorize,
                on_answer={},
                fleeting={PURPOSE},
                clock=time.time,
            ) as asker,
            open_user_interface(
                UiParts(
                    asker=asker,
                    messenger=link.messenger,
                    cards=cards,
                    places=LastPlaces(database),
                    titles=FakeTitles(),
                    audit=FakeAudit(),
                    lines=FakeLines(),
                    owner_ids=lambda: {1},
                    clock=time.time,
                )
            ) as interface,
            asyncio.TaskGroup() as tasks,
        ):
            channel = discord.text_channel("general")
            stage = PluginStage(discord, channel, anna, bob, interface, tasks)
            listener.questions = QuestionDesk(asker)
            listener.keys = KeyDesk(
                policy.authorize, house.conversations, interface.cards, stage, lambda _: True
            )
            yield stage
