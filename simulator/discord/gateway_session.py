"""A gateway session: it outlives its websocket, so that a client can resume it."""

from collections import deque
from enum import IntFlag

from simulator.discord.gateway_link import GatewayLink
from simulator.discord.model import Json

BACKLOG_EVENTS = 2000
"""Events kept for a client that resumes; who missed more must identify anew."""


class Intent(IntFlag):
    """What a client wants to be told of."""

    NONE = 0
    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_VOICE_STATES = 1 << 7
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15


class GatewaySession:
    """Numbers the events of one client, and remembers the newest for a resume."""

    def __init__(self, session_id: str, *, intents: int, link: GatewayLink) -> None:
        self.id = session_id
        self.link: GatewayLink | None = link
        """The websocket over which it goes now, if there is one."""
        self._intents = intents
        self._sequence = 0
        self._backlog: deque[Json] = deque(maxlen=BACKLOG_EVENTS)

    def wants(self, intent: Intent) -> bool:
        """Say whether the client asked for such events; `NONE` are those that all get."""
        return self._intents & intent == intent

    def dispatch(self, name: str, data: Json) -> None:
        """Send an event, now or when the client resumes."""
        frame = self._numbered(name, data)
        self._backlog.append(frame)
        if self.link is not None:
            self.link.put(frame)

    def resume(self, link: GatewayLink, *, after: int) -> bool:
        """Go on over `link` behind the event numbered `after`; `False` if too much was missed."""
        oldest: int = self._backlog[0]["s"] if self._backlog else self._sequence + 1
        if after > self._sequence or after < oldest - 1:
            return False
        self.link = link
        for frame in self._backlog:
            if frame["s"] > after:
                link.put(frame)
        link.put(self._numbered("RESUMED", {}))
        return True

    def _numbered(self, name: str, data: Json) -> Json:
        self._sequence += 1
        return {"op": 0, "t": name, "s": self._sequence, "d": data}
