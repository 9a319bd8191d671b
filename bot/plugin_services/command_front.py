"""All that has to do with the commands of plugins, joined together."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from bot.access import Authorize
from bot.commands.offered import OfferedCommands
from bot.conversation.conversations import Conversations
from bot.conversation.message_store import MessageStore
from bot.messenger import Messenger
from bot.plugin_services.brought_commands import BroughtCommands
from bot.plugin_services.command_book import CommandBook
from bot.plugin_services.command_runs import CommandRuns
from bot.plugin_services.plugin_commands import PluginCommands, Reload
from bot.plugin_services.plugin_desk import PluginDesk
from bot.plugin_services.plugin_resources import (
    PluginResources,
    ResourceParts,
    keeping_resources,
)
from bot.plugin_services.typed_commands import TypedCommands, TypedParts, taking_typed_commands
from bot.text.layout import Layout


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandParts:
    """What the commands of plugins need."""

    authorize: Authorize
    plugins: PluginCommands
    reload: Reload
    offered: OfferedCommands
    """Is told which commands people are to be offered."""
    resources: ResourceParts | None = None
    """Where skills and prompts come from; `None`: there are none."""
    conversations: Conversations
    messages: MessageStore
    messenger: Messenger
    lay_out: Callable[[str], Layout]
    """Returns the messages that a text makes, without any secret."""
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandFront:
    """What takes care of the commands of plugins."""

    desk: PluginDesk
    """Of `/plugin` and `/x`."""
    brought: BroughtCommands
    """Of the commands that plugins bring along, as they are called on Discord."""
    typed: TypedCommands
    """Of those that stand in messages."""


@asynccontextmanager
async def open_command_front(parts: CommandParts) -> AsyncGenerator[CommandFront, None]:
    """Take care of the commands of plugins while the block lasts, whichever there are by then."""
    async with AsyncExitStack() as stack:
        resources = None
        if parts.resources is not None:
            resources = await stack.enter_async_context(keeping_resources(parts.resources))
        book = _opened_book(parts, resources)
        runs = CommandRuns(
            plugins=parts.plugins,
            conversations=parts.conversations,
            messages=parts.messages,
            messenger=parts.messenger,
            clock=parts.clock,
        )
        brought = BroughtCommands(book=book, runs=runs)
        typed = await stack.enter_async_context(
            taking_typed_commands(
                TypedParts(
                    book=book,
                    runs=runs,
                    messages=parts.messages,
                    messenger=parts.messenger,
                    lay_out=parts.lay_out,
                )
            )
        )
        yield CommandFront(
            desk=PluginDesk(
                authorize=parts.authorize,
                plugins=parts.plugins,
                reload=parts.reload,
                brought=brought,
                themes_of=_no_themes if resources is None else resources.themes_of,
            ),
            brought=brought,
            typed=typed,
        )


def _opened_book(parts: CommandParts, resources: PluginResources | None) -> CommandBook:
    """Return the book, which is kept up to date from now on."""
    if resources is None:
        book = CommandBook(parts.plugins, parts.offered)
    else:
        book = CommandBook(
            parts.plugins,
            parts.offered,
            prompts=lambda: resources.prompts,
            skills=lambda: resources.skills,
        )
        resources.changed = book.refresh
        parts.plugins.watch(resources.look)
        resources.look()
    parts.plugins.watch(book.refresh)
    book.refresh()
    return book


def _no_themes(_plugin_id: str) -> tuple[str, ...]:
    return ()
