"""Which updates of a message are edits. Pure.

Discord also tells of a message anew when it has fetched a preview, when it is pinned, or when a
thread is opened at it.
"""

from collections import OrderedDict
from datetime import datetime

_REMEMBERED = 1000


class Edits:
    """Remembers when messages were edited, so that each edit counts once."""

    def __init__(self) -> None:
        self._known: OrderedDict[int, datetime] = OrderedDict()

    def is_new(self, message_id: int, edited_at: datetime | None) -> bool:
        """Say whether an update is an edit that was not told of before.

        Args:
            message_id: Of which message.
            edited_at: When its author changed it last, as the update says.
        """
        if edited_at is None or self._known.get(message_id) == edited_at:
            return False
        self._known[message_id] = edited_at
        self._known.move_to_end(message_id)
        if len(self._known) > _REMEMBERED:
            self._known.popitem(last=False)
        return True
