"""Where commands, buttons, menus and forms go: to the desk that takes care of them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from bot.access import Action, Allowed, Authorize, Belonging, Place, Refused, Verdict
from bot.commands.spec import AboutLine, CommandSpec
from bot.commands.table import COMMANDS
from bot.conversation.conversation import Conversation
from bot.conversation.conversations import Conversations
from bot.conversation.desk import CommandHandler, Completer, DeskOffer
from bot.conversation.incoming import ButtonPress, CommandCall, Completion, Suggestion
from bot.conversation.more_commands import MoreCommands, NoMoreCommands, unknown_command
from bot.conversation.session_words import as_message
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
        line_in: Callable[[int | None], Place | None] = lambda _: None,
        more: MoreCommands | None = None,
    ) -> None:
        """Make it.

        Args:
            authorize: Who may do what.
            conversations: The open ones.
            offers: What the desks take care of.
            commands: All commands that people are offered.
            line_in: Returns where the voice line of a server is.
            more: Takes care of commands that are in no table; of those of the same name, the ones
                in `commands` are meant.
        """
        self._authorize = authorize
        self._conversations = conversations
        self._line_in = line_in
        self._more = more or NoMoreCommands()
        self._commands: Mapping[str, CommandSpec] = {spec.name: spec for spec in commands}
        offers = list(offers)
        self._handlers = {name: do for offer in offers for name, do in offer.commands.items()}
        self._buttons = {verb: do for offer in offers for verb, do in offer.buttons.items()}
        self._completers = {what: do for offer in offers for what, do in offer.completers.items()}
        self._forms = {verb: make for offer in offers for verb, make in offer.forms.items()}

    async def carry_out(self, call: CommandCall) -> MessageContent:
        """Carry out a command, and return what to say."""
        spec, handler = self._found(call.name)
        if spec is None or handler is None:
            return unknown_command(call.name)
        meant = replace(call, place=self._meant(spec, call.place))
        verdict = self._verdict(spec, meant)
        if isinstance(verdict, Refused):
            return MessageContent(text=verdict.reason)
        content = await handler(meant)
        return content if meant.place == call.place else _on_line(meant.place, content)

    def is_for_all(self, call: CommandCall) -> bool:
        """Say whether everybody in the place sees what a command answers; at once."""
        spec, _ = self._found(call.name)
        if spec is None or not spec.is_for_all:
            return False
        meant = replace(call, place=self._meant(spec, call.place))
        return isinstance(self._verdict(spec, meant), Allowed)

    async def complete(self, completion: Completion) -> Sequence[Suggestion]:
        """Return what an option may be completed to; nothing to whoever may not talk here."""
        verdict = self._authorize([completion.person], Action.TALK, completion.place)
        if isinstance(verdict, Refused):
            return ()
        if self._commands.get(completion.command) is None:
            found = await self._more.complete(completion)
            return found[:_MOST_SUGGESTIONS]
        completer = self._completer(completion)
        if (spec := self._commands.get(completion.command)) is not None:
            completion = replace(completion, place=self._meant(spec, completion.place))
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

    def _found(self, name: str) -> tuple[CommandSpec | None, CommandHandler | None]:
        """Return a command, and what carries it out."""
        spec = self._commands.get(name)
        if spec is not None:
            return spec, self._handlers.get(name)
        return self._more.find(name), self._more.carry_out

    def _verdict(self, spec: CommandSpec, call: CommandCall) -> Verdict:
        about = whose(self._conversations.in_place(call.place), call)
        return self._authorize([call.person], spec.action, call.place, about=about)

    def _meant(self, spec: CommandSpec, place: Place) -> Place:
        """Return about which place a command is that is called in `place`."""
        line = self._line_in(place.guild_id)
        if line is None or spec.about_line is AboutLine.NEVER:
            return place
        is_open_here = self._conversations.in_place(place) is not None
        return place if is_open_here and spec.about_line is not AboutLine.ALWAYS else line

    def _completer(self, completion: Completion) -> Completer | None:
        spec = self._commands.get(completion.command)
        for option in () if spec is None else spec.options:
            if option.name == completion.option and option.completes is not None:
                return self._completers.get(option.completes)
        return None


def _on_line(place: Place, content: MessageContent) -> MessageContent:
    """Return what is said of a command that is about the line, and was called elsewhere."""
    lines = [f"-# On the line in <#{place.channel_id}>:", *content.text.splitlines()]
    return replace(content, text=as_message(lines))


def whose(conversation: Conversation | None, call: CommandCall) -> Belonging:
    """Return whose conversation a command is about: that in its place, else one still to open."""
    if conversation is None:
        return Belonging(person_id=call.person.id, guild_id=call.place.guild_id)
    session = conversation.session
    return Belonging(person_id=session.opened_by, guild_id=session.place.guild_id)
