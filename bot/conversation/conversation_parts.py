"""What conversations are made of."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.access import Place
from bot.conversation.attachments import AttachmentRoom
from bot.conversation.conversation import Charge, Conversation, MayTake
from bot.conversation.session import Session
from bot.conversation.surface import Surface
from bot.conversation.turn_hooks import NO_PLUGINS, PluginPoints
from bot.conversation.turn_log import TurnLog
from bot.speaker.speaker import Speaker

ClaudeSessionBegan = Callable[[str], None]
"""Called with the id under which Claude keeps a session, in each turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationParts:
    """What all conversations have in common, and what makes the parts of each."""

    turns: TurnLog
    make_speaker: Callable[[Session, ClaudeSessionBegan], Speaker]
    make_surface: Callable[[Place], Surface]
    clock: Callable[[], float]
    """Gives Unix time, in seconds."""
    new_id: Callable[[], str]
    """Gives each session its id."""
    changed: Callable[[Session], None] = lambda _: None
    """Told each session that was opened, changed or closed, as it is by now."""
    as_held: Callable[[Session], Session] = lambda session: session
    """Returns a session as it is held in its place, with all that holds there alone."""
    attachments: AttachmentRoom | None = None
    """Brings the files that come with turns; without it, none are taken."""
    charge: Charge | None = None
    """Told what answers cost."""
    may_take: MayTake | None = None
    """Asked before each turn; without it, every turn is taken."""
    plugins: PluginPoints = NO_PLUGINS
    """Have a say in what is said, and are told of it."""

    def conversation(self, session: Session, began: ClaudeSessionBegan) -> Conversation:
        """Return a session's conversation, which does not run yet."""
        return Conversation(
            session,
            self.make_speaker(session, began),
            self.make_surface(session.place),
            self.turns,
            self.clock,
            attachments=self.attachments,
            charge=self.charge,
            may_take=self.may_take,
            plugins=self.plugins,
        )
