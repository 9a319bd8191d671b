"""Draws render blocks as text that Discord formats. Pure.

A plugin's formatting is kept where it is meant to be one, in markdown; all else reads as it was
written. Nothing mentions anybody, and no address hides behind other words.
"""

import re
from collections.abc import Iterator
from typing import assert_never

from bot.plugin_services.blocks import (
    Block,
    Diff,
    Grid,
    KeyValue,
    Markdown,
    Plain,
    Progress,
    Stack,
    Widget,
    is_empty,
)
from bot.quoting import cleaned, plain, unmasked
from bot.text.fences import CLOSING, FENCE
from bot.text.readable import readable
from bot.text.splitting import split_message
from bot.text.tables import Table, table_lines
from bot.wording import shortened

MORE = "-# There is more, for which there is no room here."

_BAR_CELLS = 20
_KEY_CHARACTERS = 100
_VALUE_CHARACTERS = 300
_CELL_CHARACTERS = 80
_LABEL_CHARACTERS = 200
_PATCH_CHARACTERS = 1800
_PLAIN_CHARACTERS = 1800
_ROUNDING = 1e-6
"""So that 0.29 is 29 %; but 100 % is only what is whole."""
_LONGEST = 1_000_000
_NUMBER = re.compile(r"[-+]?[0-9][0-9.,]*\s?%?")


def drawn(block: Block, limit: int) -> str:
    """Return a block as text of at most `limit` characters; if not all fits, it says so.

    Args:
        block: What is to be drawn.
        limit: At least 150.
    """
    kept: list[str] = []
    length = 0
    for section in _sections(block):
        kept.append(section)
        length += len(section) + 1
        # What follows would not be seen, and to draw it takes time.
        if length > limit + 1:
            break
    whole = "\n".join(kept)
    if len(whole) <= limit:
        return whole
    first = split_message(whole, limit - len(MORE) - 1)[0]
    return f"{first}\n{MORE}"


def _sections(block: Block) -> Iterator[str]:  # noqa: C901 - one case for each
    """Yield what a block consists of, each part on lines of its own."""
    if is_empty(block):
        return
    match block:
        case Markdown():
            yield _markdown(block)
        case KeyValue():
            yield from _key_value(block)
        case Grid():
            yield from _grid(block)
        case Diff():
            yield _diff(block)
        case Progress():
            yield _progress(block)
        case Stack(children=children):
            for child in children:
                yield from _sections(child)
        case Widget(body=body):
            yield from _sections(body)
        case Plain():
            yield _plain(block)
        case _:
            assert_never(block)


def _markdown(block: Markdown) -> str:
    # As one message however long: so a fence that it leaves open is closed.
    return "\n".join(split_message(readable(unmasked(block.text)), _LONGEST))


def _key_value(block: KeyValue) -> list[str]:
    title = [f"**{plain(block.title, _LABEL_CHARACTERS)}**"] if block.title.strip() else []
    rows = [
        f"**{plain(key, _KEY_CHARACTERS)}**: {plain(value, _VALUE_CHARACTERS)}"
        for key, value in block.rows
    ]
    return [*title, *rows, *_more(block.more, "entry", "entries")]


def _grid(block: Grid) -> list[str]:
    rows = tuple(tuple(_cell(cell) for cell in row) for row in block.rows)
    table = Table(
        headers=tuple(_cell(column) for column in block.columns),
        alignments=tuple(_alignment(block, number) for number in range(len(block.columns))),
        rows=rows,
    )
    return ["\n".join(table_lines(table)), *_more(block.more, "row", "rows")]


def _cell(text: str) -> str:
    return plain(text, _CELL_CHARACTERS)


def _alignment(block: Grid, number: int) -> str:
    """Return that of a column: figures stand to the right."""
    cells = [row[number].strip() for row in block.rows if len(row) > number]
    written = [cell for cell in cells if cell]
    return ">" if written and all(_NUMBER.fullmatch(cell) for cell in written) else "<"


def _diff(block: Diff) -> str:
    patch = cleaned(block.patch).replace(FENCE, "'''").strip("\n")
    kept = shortened_lines(patch, _PATCH_CHARACTERS)
    # The ends of lines that begin with a backtick would join those of the fence.
    return f"{FENCE}diff\n{kept.rstrip('`')}{CLOSING}"


def shortened_lines(text: str, limit: int) -> str:
    """Return the first lines of a text, at most `limit` characters, with an ellipsis if cut."""
    if len(text) <= limit:
        return text
    kept = text[: limit - 2]
    whole_lines = kept.rpartition("\n")[0]
    return f"{whole_lines or kept}\n…"


def _progress(block: Progress) -> str:
    full = round(block.value * _BAR_CELLS)
    bar = "█" * full + "░" * (_BAR_CELLS - full)
    shown = f"`{bar}` {int(block.value * 100 + _ROUNDING)}%"
    return f"{plain(block.label, _LABEL_CHARACTERS)}\n{shown}" if block.label.strip() else shown


def _plain(block: Plain) -> str:
    lines = [plain(line, _VALUE_CHARACTERS) for line in cleaned(block.text).split("\n")]
    return shortened("\n".join(line for line in lines if line), _PLAIN_CHARACTERS)


def _more(count: int, one: str, several: str) -> list[str]:
    if not count:
        return []
    return [f"-# … and {count} more {one if count == 1 else several}."]
