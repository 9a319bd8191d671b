"""Routes about the bot itself, the people, the guild and the gateway's address."""

from simulator.discord.account_wire import member_json, own_user_json, user_json
from simulator.discord.core import Core
from simulator.discord.errors import ApiError
from simulator.discord.guild_wire import application_json, guild_json
from simulator.discord.model import AccountKind, Json
from simulator.discord.rest.call import Answer, Call, Route


class AccountRoutes:
    """Who is who."""

    def __init__(self, core: Core) -> None:
        self._core = core

    def routes(self) -> list[Route]:
        """Return what is served here."""
        return [
            Route(method="GET", template="/users/@me", handler=self._me),
            Route(method="GET", template="/users/{user_id}", handler=self._user),
            Route(method="GET", template="/oauth2/applications/@me", handler=self._application),
            Route(method="GET", template="/applications/@me", handler=self._application),
            Route(method="GET", template="/gateway", handler=self._gateway, needs_token=False),
            Route(method="GET", template="/gateway/bot", handler=self._gateway_for_bots),
            Route(method="GET", template="/guilds/{guild_id}", handler=self._guild),
            Route(
                method="GET", template="/guilds/{guild_id}/members/{user_id}", handler=self._member
            ),
        ]

    async def _me(self, call: Call) -> Answer:
        del call
        return Answer(body=own_user_json(self._core.world.bot))

    async def _user(self, call: Call) -> Answer:
        return Answer(body=user_json(self._core.world.account(call.params["user_id"])))

    async def _application(self, call: Call) -> Answer:
        del call
        is_allowed = self._core.settings.is_message_content_allowed
        return Answer(
            body=application_json(self._core.world, is_message_content_allowed=is_allowed)
        )

    async def _gateway(self, call: Call) -> Answer:
        del call
        return Answer(body={"url": self._core.settings.gateway_url})

    async def _gateway_for_bots(self, call: Call) -> Answer:
        del call
        limit = self._core.gateway.session_starts.as_json(now=self._core.clock.seconds())
        body: Json = {
            "url": self._core.settings.gateway_url,
            "shards": 1,
            "session_start_limit": limit,
        }
        return Answer(body=body)

    async def _guild(self, call: Call) -> Answer:
        self._core.world.check_guild(call.params["guild_id"])
        body = guild_json(self._core.world)
        if call.query.get("with_counts", "").lower() in {"1", "true"}:
            count = len(self._core.world.members())
            body |= {"approximate_member_count": count, "approximate_presence_count": count}
        return Answer(body=body)

    async def _member(self, call: Call) -> Answer:
        self._core.world.check_guild(call.params["guild_id"])
        account = self._core.world.account(call.params["user_id"])
        if account.kind is AccountKind.WEBHOOK:
            raise ApiError(404, 10007, "Unknown Member")
        return Answer(body=member_json(self._core.world, account))
