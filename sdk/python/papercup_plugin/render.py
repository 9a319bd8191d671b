"""Render blocks: what is drawn in widgets and messages, whatever shows it. Pure.

    from papercup_plugin import render

    ctx.ui.set_widget(render.stack(render.progress(0.5, "Half"), render.markdown("*so far*")))

Each takes `text`, which stands for it where such a block cannot be drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias, cast

Block: TypeAlias = dict[str, Any]


def markdown(text: str) -> Block:
    """Return a text with formatting."""
    return {"kind": "markdown", "text": text}


def keyvalue(
    rows: Mapping[str, object] | Iterable[tuple[str, object]],
    *,
    title: str | None = None,
    text: str | None = None,
) -> Block:
    """Return keys, each with its value; not every host knows the title."""
    pairs: Iterable[tuple[str, object]]
    pairs = cast("Mapping[str, object]", rows).items() if isinstance(rows, Mapping) else rows
    entries = [{"key": str(key), "value": str(value)} for key, value in pairs]
    titled = {} if title is None else {"title": title}
    return _block("keyvalue", text, **titled, rows=entries)


def table(
    columns: Sequence[str], rows: Iterable[Sequence[object]], *, text: str | None = None
) -> Block:
    """Return a table."""
    cells = [[str(cell) for cell in row] for row in rows]
    return _block("table", text, columns=[*columns], rows=cells)


def diff(patch: str, *, text: str | None = None) -> Block:
    """Return changes to files, as `diff -u` writes them."""
    return _block("diff", text, patch=patch)


def progress(value: float, label: str | None = None, *, text: str | None = None) -> Block:
    """Return a bar that is filled from 0 to 1; what lies beyond counts as the end."""
    named = {} if label is None else {"label": label}
    return _block("progress", text, **named, value=min(max(value, 0.0), 1.0))


def stack(*children: Block, text: str | None = None) -> Block:
    """Return blocks, one below the other."""
    return _block("stack", text, children=[*children])


def widget(
    widget_id: str,
    body: Block,
    keybindings: Mapping[str, str | None] | Iterable[str] = (),
    *,
    text: str | None = None,
) -> Block:
    """Return a block with keys that people may press.

    Args:
        widget_id: Its name in this plugin.
        body: What is drawn.
        keybindings: The keys, with what people read on them if there is more to say.
        text: What stands for it where it cannot be drawn.
    """
    described: Mapping[str, str | None]
    if isinstance(keybindings, Mapping):
        described = cast("Mapping[str, str | None]", keybindings)
    else:
        described = dict.fromkeys(keybindings)
    keys = [
        {"key": key} if description is None else {"key": key, "description": description}
        for key, description in described.items()
    ]
    return _block("widget", text, widget_id=widget_id, body=body, keybindings=keys)


def _block(kind: str, text: str | None, **members: Any) -> Block:
    return {"kind": kind, **members} | ({} if text is None else {"text": text})
