"""Where commands, buttons, menus and forms go: to the desk that takes care of them."""

from collections.abc import Iterable, Mapping, Sequence

from bot.access import Action, Authorize, Belonging, Refused
from bot.commands.spec import CommandSpec
from bot.commands.table import COMMANDS
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.desk import Completer, DeskOffer
from bot.conversation.incoming import ButtonPress, CommandCall, Completion, Suggestion
from bot.messenger import Form, MessageContent

UNKNOWN_BUTTON = MessageContent(text="This button does nothing any more.")

_MOST_SUGGESTIONS = 25


class CommandDesk:
    """Asks whether somebody may, and has the right desk do it."""

    def __init__(
        self,
        authorize: Authorize,
        conversations: Conversations,
        offers: Iterable[DeskOffer],
        commands: Sequence[CommandSpec] = COMMANDS,
    ) -> None:
        """Make it.

        Args:
            authorize: Who may do what.
            conversations: The open ones.
            offers: What the desks take care of.
            commands: All commands that people are offered.
        """
        self._authorize = authorize
        self._conversations = conversations
        self._commands: Mapping[str, CommandSpec] = {spec.name: spec for spec in commands}
        offers = list(offers)
        self._handlers = {name: do for offer in offers for name, do in offer.commands.items()}
        self._buttons = {verb: do for offer in offers for verb, do in offer.buttons.items()}
        self._completers = {what: do for offer in offers for what, do in offer.completers.items()}
        self._forms = {verb: make for offer in offers for verb, make in offer.forms.items()}

    async def carry_out(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return what to say."""
        spec, handler = self._commands.get(call.name), self._handlers.get(call.name)
        if spec is None or handler is None:
            return MessageContent(
                text=f"I do not know the command `/{call.name}` any more. Try again in a minute."
            )
        about = whose(self._conversations.in_place(call.place), call)
        verdict = self._authorize([call.person], spec.action, call.place, about=about)
        if isinstance(verdict, Refused):
            return MessageContent(text=verdict.reason)
        return await handler(call)

    async def complete(self, completion: Completion) -> Sequence[Suggestion]:
        """Return what an option may be completed to; nothing to whoever may not talk here."""
        verdict = self._authorize([completion.person], Action.TALK, completion.place)
        if isinstance(verdict, Refused):
            return ()
        completer = self._completer(completion)
        found = () if completer is None else await completer(completion)
        return found[:_MOST_SUGGESTIONS]

    def form_for(self, press: ButtonPress) -> Form | None:
        """Return the form that a button opens, if it opens one."""
        maker = self._forms.get(press.action.verb)
        return None if maker is None else maker(press)

    async def press(self, press: ButtonPress) -> MessageContent | None:
        """Do what a button, a menu or a form says."""
        handler = self._buttons.get(press.action.verb)
        return UNKNOWN_BUTTON if handler is None else await handler(press)

    def _completer(self, completion: Completion) -> Completer | None:
        spec = self._commands.get(completion.command)
        for option in () if spec is None else spec.options:
            if option.name == completion.option and option.completes is not None:
                return self._completers.get(option.completes)
        return None


def whose(conversation: Conversation | None, call: CommandCall) -> Belonging:
    """Return whose conversation a command is about: that in its place, else one still to open."""
    if conversation is None:
        return Belonging(person_id=call.person.id, guild_id=call.place.guild_id)
    session = conversation.session
    return Belonging(person_id=session.opened_by, guild_id=session.place.guild_id)
