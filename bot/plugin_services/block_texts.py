"""Changes the texts of a render block, as far as it is looked at. Pure."""

from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from bot.plugin_services.blocks import DEEPEST, MOST_CHARACTERS, MOST_ROWS

_MOST_ITEMS = 2 * MOST_ROWS
"""Of a list or an object in a block: more could not be shown."""
MOST_VALUES = 5000
"""Of all that nests in a block, however it nests."""
MOST_TEXT = 100_000
"""So many characters they have together."""


def with_texts(raw: object, change: Callable[[str], Any]) -> Any:
    """Return JSON with all its texts changed; what nests too deep, or is too much, is left out."""
    return _Walk(change).over(raw, depth=0)


class _Walk:
    """Goes over JSON once."""

    def __init__(self, change: Callable[[str], Any]) -> None:
        self._change = change
        self._left = MOST_VALUES
        self._room = MOST_TEXT

    def over(self, raw: object, *, depth: int) -> Any:
        """Return a value with its texts changed."""
        self._left -= 1
        if self._left < 0 or depth > 2 * DEEPEST:
            return None
        if isinstance(raw, str):
            text = raw[: min(MOST_CHARACTERS, self._room)]
            self._room -= len(text)
            return self._change(text)
        if isinstance(raw, Mapping):
            items = islice(cast("Mapping[str, Any]", raw).items(), _MOST_ITEMS)
            return {key: self.over(value, depth=depth + 1) for key, value in items}
        if isinstance(raw, list):
            values = cast("Sequence[Any]", raw)
            kept = [self.over(value, depth=depth + 1) for value in values[:_MOST_ITEMS]]
            # How many there are is still told by the length.
            return [*kept, *([None] * (len(values) - len(kept)))]
        return raw
