"""How much plugins may say of themselves in a session. Pure: times come in as arguments."""

from collections import OrderedDict, deque

MOST_A_MINUTE = 20
"""How many messages a plugin may post in a session within a minute."""
MOST_IN_A_ROW = 10
"""How many turns plugins may begin in a session, one out of the other, without a person's between:
else a plugin that answers every answer would go on for ever."""

_MINUTE = 60.0
_MOST_REMEMBERED = 1000


class PluginPace:
    """Counts what plugins say."""

    def __init__(self) -> None:
        self._said: OrderedDict[tuple[str, str], deque[float]] = OrderedDict()
        self._rows: OrderedDict[str, int] = OrderedDict()

    def may_say(self, plugin_id: str, session_id: str, *, at: float) -> bool:
        """Say whether a plugin may post one more message; if so, it counts as posted.

        Args:
            plugin_id: Which plugin.
            session_id: In which session.
            at: The time, in seconds.
        """
        said = self._said.setdefault((plugin_id, session_id), deque())
        self._said.move_to_end((plugin_id, session_id))
        while len(self._said) > _MOST_REMEMBERED:
            self._said.popitem(last=False)
        while said and at - said[0] >= _MINUTE:
            said.popleft()
        if len(said) >= MOST_A_MINUTE:
            return False
        said.append(at)
        return True

    def may_begin_turn(self, session_id: str, *, out_of_own: bool) -> bool:
        """Say whether a plugin may begin one more turn; if so, it counts as begun.

        Args:
            session_id: In which session.
            out_of_own: Whether a plugin began the turn that is being answered, too.
        """
        row = self._rows.get(session_id, 0) if out_of_own else 0
        if row >= MOST_IN_A_ROW:
            return False
        self._rows[session_id] = row + 1
        self._rows.move_to_end(session_id)
        while len(self._rows) > _MOST_REMEMBERED:
            self._rows.popitem(last=False)
        return True
