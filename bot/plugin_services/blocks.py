"""Render blocks: what plugins want drawn, as far as there is room for it. Pure.

What is malformed, or of a kind that is not known, is the block's own text instead.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

MOST_CHARACTERS = 4000
"""Of one text in a block; what is beyond could not be shown."""
MOST_ROWS = 50
"""Of a table, or of keys with values; of more, it is said how many there are."""
MOST_COLUMNS = 12
MOST_CHILDREN = 50
MOST_KEYS = 25
"""So many buttons has a message."""
DEEPEST = 8

_CELL_CHARACTERS = 300
_TABLE_CELL_CHARACTERS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Markdown:
    """A text with formatting."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyValue:
    """Keys, each with its value."""

    title: str = ""
    rows: tuple[tuple[str, str], ...]
    more: int = 0
    """How many rows were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A table."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    more: int = 0
    """How many rows were left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """Changes to files."""

    patch: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far something has come."""

    label: str = ""
    value: float
    """From 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Blocks, one below the other."""

    children: tuple["Block", ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyBinding:
    """A key that people may press."""

    widget_id: str
    key: str
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Widget:
    """A block with keys."""

    widget_id: str
    body: "Block"
    keys: tuple[KeyBinding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """What stands for a block that cannot be drawn: its text, which may be empty."""

    text: str
    trouble: str | None = None
    """What is wrong with a block that has no text; `None`: nothing, it is empty on purpose."""


Block: TypeAlias = Markdown | KeyValue | Grid | Diff | Progress | Stack | Widget | Plain


def read_block(raw: object, *, depth: int = 0) -> Block:
    """Return a block as a plugin sent it."""
    if not isinstance(raw, Mapping):
        trouble = None if raw is None else "a block has to be an object"
        return Plain(text="", trouble=trouble)
    block = cast("Mapping[str, Any]", raw)
    kind = str(block.get("kind"))
    read = _READERS.get(kind)
    found = None if read is None or depth > DEEPEST else read(block, depth)
    if found is not None:
        return found
    text = _text(block.get("text"))
    return Plain(text=text or "", trouble=None if text or not block else _trouble(kind, depth))


def trouble_with(block: Block) -> str | None:
    """Return what is wrong with a block of which nothing can be drawn; `None` if nothing is."""
    match block:
        case Plain(trouble=trouble):
            return trouble
        case Widget(body=body):
            return trouble_with(body)
        case Stack(children=children) if is_empty(block):
            return next(filter(None, map(trouble_with, children)), None)
        case _:
            return None


def bindings_of(block: Block) -> tuple[KeyBinding, ...]:
    """Return the keys in a block, from the top; each once, and no more than fit."""
    match block:
        case Widget(body=body, keys=keys):
            found = (*keys, *bindings_of(body))
        case Stack(children=children):
            found = tuple(binding for child in children for binding in bindings_of(child))
        case _:
            return ()
    unique = dict[tuple[str, str], KeyBinding]()
    for binding in found:
        unique.setdefault((binding.widget_id, binding.key), binding)
    return tuple(unique.values())[:MOST_KEYS]


def is_empty(block: Block) -> bool:
    """Say whether there is nothing to be seen in a block."""
    match block:
        case Markdown(text=text) | Plain(text=text) | Diff(patch=text):
            return not text.strip()
        case KeyValue(title=title, rows=rows):
            return not title and not rows
        case Grid(columns=columns, rows=rows):
            return not columns and not rows
        case Stack(children=children):
            return all(map(is_empty, children))
        case Widget(body=body, keys=keys):
            return is_empty(body) and not keys
        case Progress():
            return False


def _markdown(raw: Mapping[str, Any], _depth: int) -> Block | None:
    text = _text(raw.get("text"))
    return None if text is None else Markdown(text=text)


def _key_value(raw: Mapping[str, Any], _depth: int) -> Block | None:
    rows = _list(raw.get("rows"))
    if rows is None:
        return None
    kept: list[tuple[str, str]] = []
    for row in rows[:MOST_ROWS]:
        if not isinstance(row, Mapping):
            return None
        pair = cast("Mapping[str, Any]", row)
        kept.append((_cell(pair.get("key")), _cell(pair.get("value"))))
    title = _cell(raw.get("title"))
    return KeyValue(title=title, rows=tuple(kept), more=len(rows) - len(kept))


def _grid(raw: Mapping[str, Any], _depth: int) -> Block | None:
    columns, rows = _list(raw.get("columns")), _list(raw.get("rows"))
    if columns is None or rows is None:
        return None
    kept = [_list(row) for row in rows[:MOST_ROWS]]
    return Grid(
        columns=tuple(_table_cell(column) for column in columns[:MOST_COLUMNS]),
        rows=tuple(tuple(_table_cell(cell) for cell in (row or ())[:MOST_COLUMNS]) for row in kept),
        more=len(rows) - len(kept),
    )


def _diff(raw: Mapping[str, Any], _depth: int) -> Block | None:
    patch = _text(raw.get("patch"))
    return None if patch is None else Diff(patch=patch)


def _progress(raw: Mapping[str, Any], _depth: int) -> Block | None:
    value = raw.get("value")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Before it is made a float: an integer may be too large for one.
    share = 0.0 if isinstance(value, float) and math.isnan(value) else min(max(value, 0), 1)
    return Progress(label=_cell(raw.get("label")), value=float(share))


def _stack(raw: Mapping[str, Any], depth: int) -> Block | None:
    children = _list(raw.get("children"))
    if children is None:
        return None
    kept = children[:MOST_CHILDREN]
    return Stack(children=tuple(read_block(child, depth=depth + 1) for child in kept))


def _widget(raw: Mapping[str, Any], depth: int) -> Block | None:
    widget_id, bindings = raw.get("widget_id"), _list(raw.get("keybindings"))
    if not isinstance(widget_id, str) or bindings is None or "body" not in raw:
        return None
    return Widget(
        widget_id=widget_id,
        body=read_block(raw["body"], depth=depth + 1),
        keys=tuple(
            binding
            for each in bindings[:MOST_KEYS]
            if (binding := _binding(widget_id, each)) is not None
        ),
    )


def _binding(widget_id: str, raw: object) -> KeyBinding | None:
    if not isinstance(raw, Mapping):
        return None
    binding = cast("Mapping[str, Any]", raw)
    key = binding.get("key")
    if not isinstance(key, str):
        return None
    description = _cell(binding.get("description"))
    return KeyBinding(widget_id=widget_id, key=key, description=description)


def _trouble(kind: str, depth: int) -> str:
    if kind not in _READERS:
        return f"kind has to be one of {', '.join(_READERS)}"
    if depth > DEEPEST:
        return f"blocks nest deeper than {DEEPEST}"
    return f"a {kind} has to have {_NEEDS[kind]}"


_NEEDS: Mapping[str, str] = {
    "markdown": "`text`, a string",
    "keyvalue": "`rows`, a list of objects",
    "table": "`columns` and `rows`, lists",
    "diff": "`patch`, a string",
    "progress": "`value`, a number",
    "stack": "`children`, a list",
    "widget": "`widget_id`, a string, `keybindings`, a list, and `body`",
}
_READERS: Mapping[str, Callable[[Mapping[str, Any], int], Block | None]] = {
    "markdown": _markdown,
    "keyvalue": _key_value,
    "table": _grid,
    "diff": _diff,
    "progress": _progress,
    "stack": _stack,
    "widget": _widget,
}


def _text(raw: object) -> str | None:
    return raw[:MOST_CHARACTERS] if isinstance(raw, str) else None


def _cell(raw: object) -> str:
    """Return what stands in a cell; numbers are no texts, but mean no harm."""
    if isinstance(raw, str):
        return raw[:_CELL_CHARACTERS]
    if isinstance(raw, bool):
        return "yes" if raw else "no"
    # A huge integer would not even be printed.
    is_number = isinstance(raw, float) or (isinstance(raw, int) and abs(raw) < 10**50)
    return f"{raw}" if is_number else ""


def _table_cell(raw: object) -> str:
    return _cell(raw)[:_TABLE_CELL_CHARACTERS]


def _list(raw: object) -> Sequence[Any] | None:
    return cast("Sequence[Any]", raw) if isinstance(raw, list) else None
