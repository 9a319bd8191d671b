"""Routes about pinned messages: the present ones, and those that they replaced."""

import datetime as dt

from simulator.discord.core import Core
from simulator.discord.errors import invalid_field
from simulator.discord.message_wire import message_json
from simulator.discord.model import Json, Message
from simulator.discord.permissions import Permission
from simulator.discord.rest.call import NOTHING, Answer, Call, Route
from simulator.discord.rest.wanted import number_in, wanted_message

_PINS = "/channels/{channel_id}/messages/pins"
_OLD_PINS = "/channels/{channel_id}/pins"
_PAGE = 50


class PinRoutes:
    """Pinning, and what is pinned."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        return [
            Route(method="GET", template=_PINS, handler=self._page),
            Route(method="GET", template=_OLD_PINS, handler=self._all),
            *(
                Route(method=method, template=template + "/{message_id}", handler=handler)
                for template in (_PINS, _OLD_PINS)
                for method, handler in (("PUT", self._pin), ("DELETE", self._unpin))
            ),
        ]

    async def _page(self, call: Call) -> Answer:
        limit = number_in(call, "limit", _PAGE)
        if not 1 <= limit <= _PAGE:
            raise invalid_field("limit", "NUMBER_TYPE_MAX", "Must be between 1 and 50.")
        pinned = self._pinned(call)
        if before := call.query.get("before"):
            moment = _moment(before)
            pinned = [one for one in pinned if _moment(self._date(one)) < moment]
        items: list[Json] = [
            {"pinned_at": self._date(one), "message": message_json(self._core.world, one)}
            for one in pinned[:limit]
        ]
        return Answer(body={"items": items, "has_more": len(pinned) > limit})

    async def _all(self, call: Call) -> Answer:
        world = self._core.world
        return Answer(body=[message_json(world, one) for one in self._pinned(call)[:_PAGE]])

    async def _pin(self, call: Call) -> Answer:
        self._core.pins.pin(self._core.world.bot, self._wanted(call))
        return NOTHING

    async def _unpin(self, call: Call) -> Answer:
        self._core.pins.unpin(self._wanted(call))
        return NOTHING

    def _wanted(self, call: Call) -> Message:
        message = wanted_message(self._core, call)
        self._core.world.require(Permission.PIN_MESSAGES, message.channel)
        return message

    def _pinned(self, call: Call) -> list[Message]:
        return self._core.world.pinned(self._core.world.channel(call.params["channel_id"]))

    def _date(self, message: Message) -> str:
        return self._core.world.clock.date_of(message.pinned_at_seconds or 0.0)


def _moment(text: str) -> dt.datetime:
    try:
        # A plus sign that was not escaped arrives as a space.
        return dt.datetime.fromisoformat(text.replace(" ", "+"))
    except ValueError as error:
        raise invalid_field("before", "DATE_TIME_TYPE_PARSE", "Could not be read.") from error
