"""Routes by which the bot answers interactions; their own tokens open them."""

from simulator.discord.core import Core
from simulator.discord.errors import ApiError
from simulator.discord.message_wire import message_json
from simulator.discord.rest.call import NOTHING, Answer, Call, Route

_CALLBACK = "/interactions/{interaction_id}/{interaction_token}/callback"
_HOOK = "/webhooks/{webhook_id}/{webhook_token}"
_ORIGINAL = _HOOK + "/messages/@original"
_MESSAGE = _HOOK + "/messages/{message_id}"


class InteractionRoutes:
    """The first answer to an interaction, and those that follow."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        served = [("POST", _CALLBACK, self._acknowledge), ("POST", _HOOK, self._follow_up)]
        for template in (_ORIGINAL, _MESSAGE):
            served += [
                ("GET", template, self._message),
                ("PATCH", template, self._edit),
                ("DELETE", template, self._delete),
            ]
        return [
            Route(method=method, template=template, handler=handler, needs_token=False)
            for method, template, handler in served
        ]

    async def _acknowledge(self, call: Call) -> Answer:
        receipt = self._core.interactions.acknowledge(
            call.params["interaction_id"], call.params["interaction_token"], call.body, call.files
        )
        wants_it = call.query.get("with_response", "").lower() in {"1", "true"}
        return Answer(body=receipt) if wants_it else NOTHING

    async def _follow_up(self, call: Call) -> Answer:
        message = self._core.interactions.follow_up(self._token(call), call.body, call.files)
        return Answer(body=message_json(self._core.world, message))

    async def _message(self, call: Call) -> Answer:
        message = self._core.interactions.answer(self._token(call), _message_id(call))
        return Answer(body=message_json(self._core.world, message))

    async def _edit(self, call: Call) -> Answer:
        message = self._core.interactions.edit(
            self._token(call), _message_id(call), call.body, call.files
        )
        return Answer(body=message_json(self._core.world, message))

    async def _delete(self, call: Call) -> Answer:
        message = self._core.interactions.answer(self._token(call), _message_id(call))
        self._core.board.delete(message)
        return NOTHING

    def _token(self, call: Call) -> str:
        if call.params["webhook_id"] != str(self._core.world.bot.id):
            raise ApiError(404, 10015, "Unknown Webhook")
        return call.params["webhook_token"]


def _message_id(call: Call) -> str:
    return call.params.get("message_id", "@original")
