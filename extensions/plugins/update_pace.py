"""How often a plugin may change what it offers. Pure: the time comes in as an argument."""

MOST_UPDATES = 30
"""Within a minute: each is looked through, and models and people are told of it."""

_MINUTE = 60.0


class UpdatePace:
    """Counts the changes of each plugin."""

    def __init__(self) -> None:
        self._minutes: dict[str, tuple[float, int]] = {}

    def takes(self, plugin_id: str, *, at: float) -> bool:
        """Say whether a plugin may change it once more; if so, that counts."""
        began_at, count = self._minutes.get(plugin_id, (at, 0))
        if at - began_at >= _MINUTE:
            began_at, count = at, 0
        if count >= MOST_UPDATES:
            return False
        self._minutes[plugin_id] = (began_at, count + 1)
        return True
