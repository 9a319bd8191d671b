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


def page(name: str) -> Page:
    return Page(ROOT / name)


def pages() -> list[Page]:
    """All documents, for users and for developers."""
    docs = ROOT / "docs"
    folders = (ROOT, ROOT / "data", docs, docs / "adr", docs / "commands")
    return [Page(path) for folder in folders for path in sorted(folder.glob("*.md"))]
