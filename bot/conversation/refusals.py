"""How often somebody is told that they may not talk to the bot. Pure."""

from collections import OrderedDict

_MOST_REMEMBERED = 1000


class RefusalLimit:
    """Lets each person be refused aloud once a minute in a channel; else it is done in silence.

    So nobody who may not talk to the bot can keep it busy with saying so.
    """

    def __init__(self, seconds: float = 60.0) -> None:
        self._seconds = seconds
        self._said: OrderedDict[tuple[int, int], float] = OrderedDict()

    def may_say(self, person_id: int, channel_id: int, *, at: float) -> bool:
        """Say whether it is time to tell this person again; if so, it counts as told.

        Args:
            person_id: Who is refused.
            channel_id: Where.
            at: Unix time, in seconds.
        """
        key = (person_id, channel_id)
        said_at = self._said.get(key)
        if said_at is not None and at - said_at < self._seconds:
            return False
        self._said[key] = at
        self._said.move_to_end(key)
        if len(self._said) > _MOST_REMEMBERED:
            self._said.popitem(last=False)
        return True
