"""Templates: render blocks with `{{path}}` in them, for what a message says. Pure."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any, cast

from bot.plugin_services.blocks import DEEPEST, MOST_CHARACTERS, MOST_ROWS

_PATH = re.compile(r"\{\{\s*([A-Za-z0-9_.-]{1,200})\s*\}\}")
_LONGEST_VALUE = 2000
_MOST_ITEMS = 2 * MOST_ROWS
"""Of a list or an object in a block: more could not be shown."""
MOST_VALUES = 5000
"""Of all that nests in a block, however it nests."""
MOST_TEXT = 100_000
"""So many characters they have together."""


def filled(template: object, values: Mapping[str, Any]) -> Any:
    """Return a template with what `values` say in place of its `{{path}}`s.

    A path is the keys and numbers that lead to a value, with points between them; what leads
    nowhere is left out. A text that is nothing but a path becomes the value itself, so that a
    number stays one.
    """
    return with_texts(template, lambda text: _filled(text, values))


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


def _filled(text: str, values: Mapping[str, Any]) -> Any:
    if (whole := _PATH.fullmatch(text.strip())) is not None:
        found = _at(whole[1], values)
        return "" if found is None else found
    return _PATH.sub(lambda path: _words(_at(path[1], values)), text)


def _at(path: str, values: Mapping[str, Any]) -> Any:
    found: Any = values
    for key in path.split("."):
        if isinstance(found, Mapping):
            found = cast("Mapping[str, Any]", found).get(key)
        elif isinstance(found, list) and key.isdecimal() and len(key) < 10:  # noqa: PLR2004 - no list is longer
            items = cast("Sequence[Any]", found)
            found = items[int(key)] if int(key) < len(items) else None
        else:
            return None
    return found


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**50):
        return str(value)
    return value[:_LONGEST_VALUE] if isinstance(value, str) else ""
