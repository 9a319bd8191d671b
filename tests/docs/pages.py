"""The documents, as the tests of this folder read them."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^( *)```(\w*)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"`([^`\n]+)`")


@dataclass(frozen=True)
class Page:
    """A document in Markdown."""

    path: Path

    @property
    def name(self) -> str:
        return str(self.path.relative_to(ROOT))

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def blocks(self) -> list[str]:
        """What stands in blocks of code."""
        return [body for _, _, body in _FENCE.findall(self.text)]

    @property
    def codes(self) -> list[str]:
        """What stands in lines as code."""
        return _CODE.findall(_FENCE.sub("", self.text))

    @property
    def prose(self) -> str:
        """The text without any code, and without the addresses of links."""
        text = _CODE.sub("", _FENCE.sub("", self.text))
        return re.sub(r"\]\([^)]*\)", "]", text)

    def section(self, title: str) -> str:
        """Return what stands below a heading, up to the next one of its kind."""
        found = re.search(
            rf"^(#+) {re.escape(title)}\n(.*?)(?=^\1 |\Z)", self.text, re.MULTILINE | re.DOTALL
        )
        assert found is not None, f"{self.name} has no heading {title!r}"
        return found[2]

    @property
    def commands(self) -> Iterator[list[str]]:
        """Each command that is to be typed, in words."""
        lines = [*self.codes, *(line for block in self.blocks for line in block.splitlines())]
        for line in lines:
            for command in re.split(r" && |; ", line):
                try:
                    yield shlex.split(command)
                except ValueError:
                    # It is no command, but an excerpt of something else.
                    continue


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of the tables in a text, row by row, without their heads."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    heads = {number - 1 for number, line in enumerate(lines) if set(line) <= set("|-: ")}
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for number, line in enumerate(lines)
        if number not in heads and number - 1 not in heads
    ]


def text_blocks(text: str) -> list[str]:
    """Return the lines of the blocks of plain text in a text."""
    blocks = re.findall(r"^```text\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def page(name: str) -> Page:
    return Page(ROOT / name)


def pages() -> list[Page]:
    """All documents, for users and for developers."""
    docs = ROOT / "docs"
    folders = (ROOT, ROOT / "data", docs, docs / "adr", docs / "commands", docs / "plugins")
    return [Page(path) for folder in folders for path in sorted(folder.glob("*.md"))]
