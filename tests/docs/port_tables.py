"""The tables `there | here`, as the tests of the pages on porting read them."""

import re

_CELL = re.compile(r"(?<!\\)\|")
_CODE = re.compile(r"`([^`]+)`")


def rows(text: str) -> list[list[str]]:
    """Return the cells of the first table, without its head; `\\|` is no end of a cell."""
    table = re.search(r"(?:^\|.*\n)+", text, re.MULTILINE)
    assert table is not None
    return [
        [cell.strip().replace("\\|", "|") for cell in _CELL.split(line)[1:-1]]
        for line in table[0].splitlines()[2:]
    ]


def codes(cell: str) -> list[str]:
    """Return what stands in a cell as code."""
    return _CODE.findall(cell)


def squeezed(text: str) -> str:
    """Return a text without what a formatter may do to it."""
    return re.sub(r"\s+", " ", text)
