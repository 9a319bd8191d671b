"""A bot on the real discord.py that uses what the sample bot leaves out: menus, forms, threads."""

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import discord
from discord import app_commands

from simulator.discord import DiscordSimulator, loopback_connector
from tests.fakes.sample_bot import SampleBot, stop_heartbeats


class Chooser(discord.ui.View):
    """A menu and a button under it."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.select(
        custom_id="chooser:menu",
        placeholder="Which?",
        min_values=1,
        max_values=2,
        options=[
            discord.SelectOption(label=label, value=label.lower(), description=f"The {label}")
            for label in ("Red", "Green", "Blue")
        ],
    )
    async def chosen(
        self, choice: discord.Interaction, select: discord.ui.Select["Chooser"]
    ) -> None:
        await choice.response.send_message(", ".join(select.values), ephemeral=True)

    @discord.ui.button(label="Tell why", custom_id="chooser:why")
    async def why(self, press: discord.Interaction, button: discord.ui.Button["Chooser"]) -> None:
        del button
        await press.response.send_modal(Survey())


class Survey(discord.ui.Modal, title="A survey"):
    """A form with a text that has bounds, a menu, and a text that may be left out."""

    reason: discord.ui.Label["Survey"] = discord.ui.Label(
        text="Reason",
        component=discord.ui.TextInput(custom_id="reason", min_length=3, max_length=10),
    )
    colour: discord.ui.Label["Survey"] = discord.ui.Label(
        text="Colour",
        component=discord.ui.Select(
            custom_id="colour",
            options=[discord.SelectOption(label=name) for name in ("red", "green")],
        ),
    )
    more: discord.ui.TextInput["Survey"] = discord.ui.TextInput(
        label="More", custom_id="more", required=False, style=discord.TextStyle.long
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        reason, colour = self.reason.component, self.colour.component
        assert isinstance(reason, discord.ui.TextInput)
        assert isinstance(colour, discord.ui.Select)
        told = f"{colour.values[0]}: {reason.value}; {self.more.value or 'no more'}"
        if interaction.message is None:
            await interaction.response.send_message(told, ephemeral=True)
        else:
            await interaction.response.edit_message(content=told)


class RichBot(SampleBot):
    """A bot that notes what it hears of."""

    def __init__(self, connector: object, intents: discord.Intents) -> None:
        super().__init__(connector, intents)  # type: ignore[arg-type]
        self.events: list[str] = []
        self.changed = asyncio.Event()
        self.written: list[discord.Message] = []
        add_rich_commands(self.tree)

    async def setup_hook(self) -> None:
        self.add_view(Chooser())
        await super().setup_hook()

    def note(self, event: str) -> None:
        self.events.append(event)
        self.changed.set()

    async def on_message(self, message: discord.Message) -> None:
        self.written.append(message)
        await super().on_message(message)
        self.note(f"{message.type.name} in {message.channel}: {message.content}")

    async def on_message_edit(self, before: discord.Message, after: discord.Message) -> None:
        self.note(f"edit: {before.content} -> {after.content}")

    async def on_raw_message_delete(self, event: discord.RawMessageDeleteEvent) -> None:
        self.note(f"delete: {event.message_id}")

    async def on_raw_bulk_message_delete(self, event: discord.RawBulkMessageDeleteEvent) -> None:
        self.note(f"delete: {sorted(event.message_ids)}")

    async def on_thread_create(self, thread: discord.Thread) -> None:
        self.note(f"thread: {thread.name} in {thread.parent}")

    async def on_raw_thread_update(self, event: discord.RawThreadUpdateEvent) -> None:
        state = event.data["thread_metadata"]
        told = [key for key in ("archived", "locked") if state[key]]
        self.note(f"thread {event.data['name']}: {', '.join(told)}")

    async def on_thread_remove(self, thread: discord.Thread) -> None:
        self.note(f"left: {thread.name}")

    async def on_thread_delete(self, thread: discord.Thread) -> None:
        self.note(f"gone: {thread.name}")

    async def on_thread_member_join(self, member: discord.ThreadMember) -> None:
        self.note(f"joined: {member.id}")

    async def on_guild_channel_pins_update(
        self, channel: discord.abc.GuildChannel | discord.Thread, last_pin: object
    ) -> None:
        self.note(f"pins of {channel}: {'some' if last_pin else 'none'}")

    async def on_raw_reaction_add(self, event: discord.RawReactionActionEvent) -> None:
        self.note(f"+{event.emoji}")

    async def on_raw_reaction_remove(self, event: discord.RawReactionActionEvent) -> None:
        self.note(f"-{event.emoji}")

    async def hears(self, wanted: str) -> None:
        """Wait until it has heard of something."""
        async with asyncio.timeout(10):
            while wanted not in self.events:
                self.changed.clear()
                await self.changed.wait()


def add_rich_commands(tree: app_commands.CommandTree[SampleBot]) -> None:
    """Offer the bot's further commands."""

    @tree.context_menu(name="Ask Me")
    async def ask(interaction: discord.Interaction, message: discord.Message) -> None:
        files = ", ".join(file.filename for file in message.attachments)
        told = f"{message.author.name}: {message.content} [{files}]"
        await interaction.response.send_message(told, ephemeral=True)

    @tree.context_menu(name="Greet")
    async def greet(interaction: discord.Interaction, member: discord.Member) -> None:
        roles = ", ".join(role.name for role in member.roles)
        await interaction.response.send_message(f"hello {member.name} ({roles})")

    @tree.context_menu(name="Ask Back")
    async def ask_back(interaction: discord.Interaction, message: discord.Message) -> None:
        del message
        await interaction.response.send_modal(Survey())

    @tree.command(name="bind", description="Take a channel")
    async def bind(
        interaction: discord.Interaction,
        where: discord.TextChannel,
        who: discord.Member,
        role: discord.Role,
        what: discord.Attachment,
    ) -> None:
        told = f"{where.name} {who.name} {role.name} {what.filename} {what.size}"
        await interaction.response.send_message(told)

    @tree.command(name="moderate", description="For few")
    @app_commands.default_permissions(manage_messages=True)
    @app_commands.guild_only()
    async def moderate(interaction: discord.Interaction) -> None:
        limit = interaction.filesize_limit
        can = interaction.app_permissions.add_reactions
        await interaction.response.send_message(f"{limit} {can}")

    @tree.command(name="large", description="Send a file")
    async def large(interaction: discord.Interaction, size: int) -> None:
        file = discord.File(io.BytesIO(bytes(size)), "large.bin")
        try:
            await interaction.response.send_message("here", file=file)
        except discord.HTTPException as refused:
            await interaction.response.send_message(f"{refused.status} {refused.code}")

    @tree.command(name="many", description="Offer too much")
    @app_commands.autocomplete(what=_too_many)
    async def many(interaction: discord.Interaction, what: str, other: int = 0) -> None:
        await interaction.response.send_message(f"{what} {other}")


async def _too_many(
    interaction: discord.Interaction, current: str
) -> list[app_commands.Choice[str]]:
    given = getattr(interaction.namespace, "other", None)
    count = 26 if current == "much" else 25
    name = "n" * 101 if current == "long" else f"{current} {given}"
    return [
        app_commands.Choice(name=f"{name}{number or ''}", value=str(number))
        for number in range(count)
    ]


@asynccontextmanager
async def running_rich_bot(simulator: DiscordSimulator) -> AsyncIterator[RichBot]:
    """Run the bot while the block lasts; it is logged in and ready."""
    intents = discord.Intents(
        guilds=True, messages=True, message_content=True, reactions=True, members=True
    )
    connector = loopback_connector(port=simulator.tls_port, ca_path=simulator.ca_path)
    bot = RichBot(connector, intents)
    async with asyncio.TaskGroup() as tasks:
        running = tasks.create_task(bot.start(simulator.token))
        try:
            async with asyncio.timeout(20):
                await bot.ready.wait()
            yield bot
        finally:
            await bot.close()
            stop_heartbeats()
            running.cancel()
