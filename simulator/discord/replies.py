"""What a person gets back after a command or a button."""

from dataclasses import dataclass

from simulator.discord.commands import Choice
from simulator.discord.components import numbered
from simulator.discord.core import Core
from simulator.discord.errors import ApplicationDidNotRespondError, NoAnswerError
from simulator.discord.forms import Modal
from simulator.discord.interaction import CallbackKind, Interaction
from simulator.discord.model import Message, UploadedFile, items_of
from simulator.discord.widgets import Button, Menu


@dataclass(frozen=True, slots=True, kw_only=True)
class InteractionReply:
    """The bot's answer to a command or a button."""

    message: Message | None
    """`None` if the answer is a form."""
    modal: Modal | None = None
    is_update: bool = False
    """Whether it changed the message under which the button was, instead of posting one."""

    @property
    def text(self) -> str:
        """What it says."""
        return "" if self.message is None else self.message.text

    @property
    def files(self) -> tuple[UploadedFile, ...]:
        """The files that came with it."""
        return () if self.message is None else self.message.files

    @property
    def buttons(self) -> tuple[Button, ...]:
        """What can be pressed under it."""
        return () if self.message is None else self.message.buttons

    @property
    def menus(self) -> tuple[Menu, ...]:
        """What can be chosen from under it."""
        return () if self.message is None else self.message.menus

    @property
    def is_ephemeral(self) -> bool:
        """Whether only the person who asked sees it."""
        return self.message is not None and self.message.is_ephemeral


async def outcome(
    core: Core, interaction: Interaction, what: str, *, timeout_seconds: float
) -> InteractionReply | None:
    """Wait for the final answer; `None` if the bot only acknowledged it, or took it back.

    Raises:
        ApplicationDidNotRespondError: If it was not acknowledged in time.
        NoAnswerError: If it was acknowledged, but not answered in time.
    """
    kind = await acknowledgement(core, interaction, what)
    if kind is CallbackKind.DEFERRED_UPDATE:
        return None
    if kind is CallbackKind.MODAL:
        return InteractionReply(message=None, modal=_modal(interaction))
    answer_id = interaction.answer_id or 0

    def is_answered() -> bool | None:
        message = core.world.messages.get(answer_id)
        return None if message is not None and message.is_thinking else True

    try:
        await core.journal.until(is_answered, timeout_seconds=timeout_seconds)
    except TimeoutError:
        raise NoAnswerError(what) from None
    message = core.world.messages.get(answer_id)
    if message is None:
        return None
    return InteractionReply(message=message, is_update=kind is CallbackKind.UPDATE)


async def acknowledgement(core: Core, interaction: Interaction, what: str) -> CallbackKind:
    """Wait until the bot acknowledged it, and return how.

    Raises:
        ApplicationDidNotRespondError: If it did not in time.
    """
    try:
        return await core.journal.until(
            lambda: interaction.acknowledged, timeout_seconds=core.settings.acknowledge_seconds
        )
    except TimeoutError:
        raise ApplicationDidNotRespondError(what) from None


def choices_of(interaction: Interaction) -> tuple[Choice, ...]:
    """Return what the bot offers to complete."""
    offered = items_of(interaction.callback_data, "choices")
    return tuple(Choice(name=choice["name"], value=choice["value"]) for choice in offered)


def _modal(interaction: Interaction) -> Modal:
    data = interaction.callback_data
    return Modal(
        title=data["title"],
        custom_id=data["custom_id"],
        components=numbered(items_of(data, "components")),
        opened_by=interaction,
    )
