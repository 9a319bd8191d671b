"""A small bot on the real discord.py, as the simulator's tests need it."""

import asyncio
import io
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import aiohttp
import discord
from discord import app_commands
from discord.gateway import KeepAliveHandler

from simulator.discord import DiscordSimulator, loopback_connector


class Panel(discord.ui.View):
    """Three buttons, each answered in another way."""

    def __init__(self) -> None:
        super().__init__(timeout=None)

    @discord.ui.button(label="Tell me", custom_id="panel:tell")
    async def tell(self, press: discord.Interaction, button: discord.ui.Button["Panel"]) -> None:
        del button
        await press.response.defer(ephemeral=True, thinking=True)
        await press.edit_original_response(content=f"psst, {press.user.name}")

    @discord.ui.button(label="Change", custom_id="panel:change")
    async def change(self, press: discord.Interaction, button: discord.ui.Button["Panel"]) -> None:
        del button
        await press.response.edit_message(content="changed", view=None)

    @discord.ui.button(label="Ignore", custom_id="panel:ignore")
    async def ignore(self, press: discord.Interaction, button: discord.ui.Button["Panel"]) -> None:
        del button
        await press.response.defer()


class Why(discord.ui.Modal, title="Why?"):
    """A form with one field."""

    reason: discord.ui.Label["Why"] = discord.ui.Label(
        text="Reason", component=discord.ui.TextInput(custom_id="reason")
    )

    async def on_submit(self, interaction: discord.Interaction) -> None:
        field = self.reason.component
        assert isinstance(field, discord.ui.TextInput)
        await interaction.response.send_message(f"because {field.value}", ephemeral=True)


class SampleBot(discord.Client):
    """Greets who says hi, and has a few commands."""

    def __init__(self, connector: aiohttp.BaseConnector, intents: discord.Intents) -> None:
        super().__init__(
            intents=intents,
            connector=connector,
            guild_ready_timeout=0.05,
            allowed_mentions=discord.AllowedMentions.none(),
        )
        self.tree = app_commands.CommandTree(self)
        self.ready = asyncio.Event()
        self.resumed = asyncio.Event()
        self.heard: list[str] = []
        add_commands(self.tree)

    async def setup_hook(self) -> None:
        self.add_view(Panel())
        await self.tree.sync()

    async def on_ready(self) -> None:
        self.ready.set()

    async def on_resumed(self) -> None:
        self.resumed.set()

    async def on_message(self, message: discord.Message) -> None:
        if message.author == self.user:
            return
        self.heard.append(message.content)
        if message.content.endswith("hi"):
            file = discord.File(io.BytesIO(b"for you"), "greeting.txt")
            await message.reply(f"hello {message.author.name}", file=file, mention_author=True)

    def channel(self, channel_id: int) -> discord.TextChannel:
        """Return a channel that it knows."""
        channel = self.get_channel(channel_id)
        assert isinstance(channel, discord.TextChannel)
        return channel


def add_commands(tree: app_commands.CommandTree[SampleBot]) -> None:
    """Offer the bot's commands."""
    jobs = app_commands.Group(name="jobs", description="Work in the background")

    @tree.command(name="say", description="Say something")
    async def say(interaction: discord.Interaction, text: str, loudly: bool = False) -> None:  # noqa: FBT001, FBT002 - discord.py makes options of plain parameters
        said = text.upper() if loudly else text
        await interaction.response.send_message(said, view=Panel())
        await interaction.followup.send("more")

    @say.autocomplete("text")
    async def complete(
        interaction: discord.Interaction, current: str
    ) -> list[app_commands.Choice[str]]:
        del interaction
        return [app_commands.Choice(name=current + end, value=current + end) for end in "12"]

    @tree.command(name="later", description="Answer after a while")
    async def later(interaction: discord.Interaction, how: app_commands.Range[int, 1, 3]) -> None:
        await interaction.response.defer(ephemeral=True)
        if how == 1:
            file = discord.File(io.BytesIO(b"1"), "one.txt")
            await interaction.edit_original_response(content="at last", attachments=[file])
        elif how == 2:
            await interaction.followup.send("followed up")
        else:
            await interaction.delete_original_response()

    @tree.command(name="why", description="Ask")
    async def why(interaction: discord.Interaction) -> None:
        await interaction.response.send_modal(Why())

    @tree.command(name="notes", description="Post, read, change and delete a follow-up")
    async def notes(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("notes", ephemeral=True)
        await interaction.original_response()
        note = await interaction.followup.send("a note", wait=True)
        await interaction.followup.fetch_message(note.id)
        await note.edit(content="a better note")
        await note.delete()
        await interaction.edit_original_response(content="done")

    @tree.command(name="silent", description="Never answer")
    async def silent(interaction: discord.Interaction) -> None:
        del interaction

    @jobs.command(name="list", description="List the jobs")
    async def jobs_list(interaction: discord.Interaction) -> None:
        await interaction.response.send_message("no jobs", ephemeral=True)

    tree.add_command(jobs)


@asynccontextmanager
async def running_sample_bot(
    simulator: DiscordSimulator, *, intents: discord.Intents | None = None
) -> AsyncIterator[SampleBot]:
    """Run the bot while the block lasts; it is logged in and ready."""
    wanted = intents or discord.Intents(guilds=True, messages=True, message_content=True)
    connector = loopback_connector(port=simulator.tls_port, ca_path=simulator.ca_path)
    bot = SampleBot(connector, wanted)
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


def stop_heartbeats() -> None:
    """End the heartbeats of connections that discord.py forgot while they were being made."""
    for thread in threading.enumerate():
        if isinstance(thread, KeepAliveHandler):
            thread.stop()
