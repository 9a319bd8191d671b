"""Makes tables readable, which Discord does not draw. Pure.

A narrow one becomes a fenced block with aligned columns; a wide one, or one with links in it, a
list with an entry for each row.
"""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import zip_longest

from bot.text.fences import FENCE, outside_fences
from bot.text.links import BARE_LINK, MASKED_LINK

WIDEST = 60
"""How many columns of a fenced block a table takes at most; a narrow window shows no more."""

_GAP = "  "
_RULE = "─"
_CELLS = re.compile(r"(?<!\\)\|")
_SEPARATOR = re.compile(
    r"[ \t]*+\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+:?[ \t]*+"
)
_LINK = re.compile(f"{MASKED_LINK}|{BARE_LINK}")
_BREAK = re.compile(r"(?<![ \t])[ \t]*+<br[ \t]*/?>[ \t]*+", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~<>])")
_MARKS = re.compile(
    r"(?<![\\\w])(?P<marks>\*\*\*|\*\*|__|~~|\|\||\*|_)(?=\S)(?P<words>.+?)(?<=\S)(?P=marks)(?!\w)"
)
_CODE = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_BACKTICKS = re.compile("`{3,}")
_IN_ONE_LINE = " / "
_NOTHING = "-"
_DEEPEST = 3
"""How many formats one word may have, such as bold, struck out and slanted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table as it was written."""

    headers: tuple[str, ...]
    alignments: tuple[str, ...]
    """For each column `<`, `^` or `>`."""
    rows: tuple[tuple[str, ...], ...]
    """They may have fewer cells than there are columns, or more."""


def with_readable_tables(text: str, *, widest: int = WIDEST) -> str:
    """Return `text` with each table turned into what Discord can show.

    A table is one from the line below its headers on; a row of it that is still being written
    stays as it is, below the table.
    """
    pieces: list[str] = []
    for piece, is_outside in outside_fences(text):
        lines = piece.split("\n") if is_outside else [piece]
        pieces.append("\n".join(_with_tables(lines, widest)) if is_outside else piece)
    return "".join(pieces)


def columns_of(text: str) -> int:
    """Return how many columns `text` takes where each character is as wide as the others."""
    width = 0
    for character in text:
        if unicodedata.category(character) in {"Mn", "Me", "Cf"}:
            continue
        width += 2 if unicodedata.east_asian_width(character) in {"W", "F"} else 1
    return width


def table_lines(table: Table, *, widest: int = WIDEST) -> list[str]:
    """Return the lines of a table, or of a list that stands for it."""
    if not any(_LINK.search(cell) for row in (table.headers, *table.rows) for cell in row):
        block = _aligned(table)
        if max(map(columns_of, block)) <= widest:
            return [FENCE, *block, FENCE]
    return _as_list(table)


def _with_tables(lines: Sequence[str], widest: int) -> Iterator[str]:
    position = 0
    while position < len(lines):
        if not _is_table(lines, position):
            yield lines[position]
            position += 1
            continue
        end = position + 2
        while end < len(lines) and _is_row(
            lines[end], lines[position], is_last=end + 1 == len(lines)
        ):
            end += 1
        yield from table_lines(_table(lines[position:end]), widest=widest)
        position = end


def _is_table(lines: Sequence[str], position: int) -> bool:
    if position + 1 >= len(lines):
        return False
    header, separator = lines[position], lines[position + 1]
    if "|" not in header or "|" not in separator or not _SEPARATOR.fullmatch(separator):
        return False
    is_framed = header.lstrip().startswith("|") and separator.lstrip().startswith("|")
    return is_framed or len(_cells(header)) == len(_cells(separator))


def _is_row(line: str, header: str, *, is_last: bool) -> bool:
    if _CELLS.search(line) is None:
        return False
    is_whole = not header.rstrip().endswith("|") or line.rstrip().endswith("|")
    return is_whole or not is_last


def _table(lines: Sequence[str]) -> Table:
    header, separator, *rows = lines
    headers = _cells(header)
    alignments = [_alignment(cell) for cell in _cells(separator)]
    return Table(
        headers=tuple(headers),
        alignments=tuple(
            alignment for _, alignment in zip_longest(headers, alignments, fillvalue="<")
        ),
        rows=tuple(tuple(_cells(row)) for row in rows),
    )


def _cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    return [cell.strip().replace("\\|", "|") for cell in _CELLS.split(inner)]


def _alignment(cell: str) -> str:
    if cell.endswith(":"):
        return "^" if cell.startswith(":") else ">"
    return "<"


def _aligned(table: Table) -> list[str]:
    """Return the lines of the table, its columns one below the other."""
    rows = [[_bare(cell) for cell in row] for row in (table.headers, *table.rows)]
    count = max(map(len, rows))
    columns = list(zip_longest(*rows, fillvalue=""))
    widths = [max(map(columns_of, column)) for column in columns]
    alignments = [*table.alignments, *["<"] * count][:count]
    padded = [
        [_padded(cell, width, alignment) for cell in column]
        for column, width, alignment in zip(columns, widths, alignments, strict=True)
    ]
    header, *lines = (_GAP.join(cells).rstrip() for cells in zip(*padded, strict=True))
    return [header, _GAP.join(_RULE * max(width, 1) for width in widths), *lines]


def _padded(cell: str, width: int, alignment: str) -> str:
    room = width - columns_of(cell)
    before = {"<": 0, "^": room // 2, ">": room}[alignment]
    return " " * before + cell + " " * (room - before)


def _bare(cell: str) -> str:
    """Return the words of a cell without what would format them."""
    words: list[str] = []
    position = 0
    for code in _CODE.finditer(cell):
        words += [_unformatted(cell[position : code.start()]), code[2]]
        position = code.end()
    words.append(_unformatted(cell[position:]))
    # Else they would end the block.
    return _BACKTICKS.sub(lambda ticks: "'" * len(ticks[0]), "".join(words))


def _unformatted(text: str) -> str:
    words = _BREAK.sub(_IN_ONE_LINE, text)
    for _ in range(_DEEPEST):
        words = _MARKS.sub(r"\g<words>", words)
    return unescape(_ESCAPE.sub(r"\1", words))


def _as_list(table: Table) -> list[str]:
    headers = [_bare(header).replace("*", "") for header in table.headers]
    if not table.rows:
        return [" · ".join(f"**{header}**" for header in headers if header)]
    columns = zip_longest(*table.rows, fillvalue="")
    filled = [any(column) for column in columns]
    # A header is not lost, even if nothing stands below it.
    blanks = ["" if any(filled[at : at + 1]) else _NOTHING for at in range(len(headers))]
    return [line for row in table.rows for line in _entry(headers, row, blanks)]


def _entry(headers: Sequence[str], row: Sequence[str], blanks: Sequence[str]) -> list[str]:
    """Return the lines of a row.

    Args:
        headers: What its cells are.
        row: Its cells.
        blanks: What stands for a cell without words, for each header.
    """
    lines = [
        f"**{header}**: {words}" if header else words
        for header, cell, blank in zip_longest(headers, row, blanks, fillvalue="")
        for words in [_BREAK.sub(_IN_ONE_LINE, cell) or (header and blank)]
        if words
    ]
    return [("- " if number == 0 else "  ") + line for number, line in enumerate(lines)]
