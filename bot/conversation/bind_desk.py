"""Binding channels, and setting them free."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from bot.access import Place
from bot.conversation.bound_channels import BoundChannels, Unbinding
from bot.conversation.conversations import Conversations
from bot.conversation.desk import DeskOffer
from bot.conversation.incoming import CommandCall
from bot.conversation.session import Session
from bot.messenger import MessageContent

IN_PRIVATE = "In direct messages everything is for me already."
NO_CHANNEL = "That is no channel of this server."

_PAST_ALL_IDS = 2**63
_MOST_DIGITS = 19


@dataclass(frozen=True, slots=True, kw_only=True)
class BindDesk:
    """Carries out `/bind` and `/unbind`."""

    bound: BoundChannels
    conversations: Conversations
    session_changed: Callable[[Session], None]
    """Told the session that is open in a channel that was bound or set free."""

    def offer(self) -> DeskOffer:
        """Return what this desk takes care of."""
        return DeskOffer(commands={"bind": self._bind, "unbind": self._unbind})

    async def _bind(self, call: CommandCall) -> MessageContent:
        place = _wanted(call)
        if isinstance(place, str):
            return MessageContent(text=place)
        channel = f"<#{place.channel_id}>"
        if not await self.bound.bind(place, by=call.person.id):
            return MessageContent(text=f"I answer everything in {channel} already.")
        self._tell_session(place)
        return MessageContent(
            text=f"I answer everything in {channel} and its threads from now on, of everyone who"
            " may talk to me. `/unbind` ends that."
        )

    async def _unbind(self, call: CommandCall) -> MessageContent:
        place = _wanted(call)
        if isinstance(place, str):
            return MessageContent(text=place)
        channel = f"<#{place.channel_id}>"
        unbinding = await self.bound.unbind(place)
        match unbinding:
            case Unbinding.DONE:
                self._tell_session(place)
                text = f"In {channel} I answer only what mentions me from now on."
            case Unbinding.CONFIGURED:
                text = (
                    f"{channel} is bound by `discord.bound_channel_ids` in the configuration;"
                    " whoever runs me can take it out there."
                )
            case Unbinding.NOT_BOUND:
                text = f"{channel} is not bound."
                if self.bound.is_bound(place):
                    text += f" Its channel is: <#{place.parent_id}>."
            case _:
                assert_never(unbinding)
        return MessageContent(text=text)

    def _tell_session(self, place: Place) -> None:
        if (conversation := self.conversations.in_place(place)) is not None:
            self.session_changed(conversation.session)


def _wanted(call: CommandCall) -> Place | str:
    """Return the channel that a call is about, or why there is none."""
    if call.place.guild_id is None:
        return IN_PRIVATE
    digits = str(call.options.get("channel") or "")
    if not digits or digits == str(call.place.channel_id):
        return call.place
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= _MOST_DIGITS
    if not is_number or int(digits) >= _PAST_ALL_IDS:
        return NO_CHANNEL
    # It counts in this server alone: the id of a channel elsewhere binds nothing.
    return Place(guild_id=call.place.guild_id, channel_id=int(digits))
