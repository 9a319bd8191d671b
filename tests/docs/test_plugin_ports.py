"""The page of ports shows what the examples do, and counts right."""

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

import papercup_plugin
from papercup_plugin import Plugin, render
from papercup_plugin.calls import Call
from papercup_plugin.context import Context
from papercup_plugin.facts import Facts
from papercup_plugin.link import Link
from papercup_plugin.loops import Loop
from tests.docs.pages import ROOT, page
from tests.docs.port_tables import codes, rows, squeezed

PORTS = page("docs/plugins/ports.md")
EXAMPLES = ROOT / "examples" / "plugins"

_LINK = re.compile(r"\[([\w.-]+)\]\(([^)]+)\)")
_NAME = re.compile(r"\b(ctx|plugin|render)((?:\.\w+)+)")
_WORD = re.compile(r"(?<![\w.])([A-Z]\w+|block|modify)(?=\()")
_OTHERS = {"Refused"}
"""Words that are called, and are those of an example in JavaScript."""
_NO_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


@dataclass(frozen=True)
class Port:
    """A port, as the first table of the page has it."""

    original: str
    names: tuple[str, ...]
    lines_here: int
    steps: str

    @cached_property
    def files(self) -> list[Path]:
        return [
            path
            for name in self.names
            for path in (EXAMPLES / name).iterdir()
            if path.suffix in {".py", ".mjs"}
        ]

    @cached_property
    def text(self) -> str:
        return "\n".join(path.read_text(encoding="utf-8") for path in self.files)

    @cached_property
    def rows(self) -> list[list[str]]:
        return rows(PORTS.section(self.original))

    @property
    def snippets(self) -> list[str]:
        return [code for _, here in self.rows if not is_missing(here) for code in codes(here)]


def is_missing(here: str) -> bool:
    return here.startswith("n/a")


def ports() -> list[Port]:
    """Return all that the page promises."""
    first = PORTS.text.partition("\n## ")[0]
    found: list[Port] = []
    for original, port, lines, steps in rows(first):
        names = tuple(name for name, _ in _LINK.findall(port))
        found.append(Port(_LINK.findall(original)[0][0], names, int(lines.split()[-1]), steps))
    return found


each_port = pytest.mark.parametrize("port", ports(), ids=lambda port: port.original)


def code_lines(path: Path) -> int:
    """Return how many lines of a program are neither empty, nor comments, nor docstrings."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".mjs":
        lines = [line.strip() for line in text.splitlines()]
        return len([line for line in lines if line and not line.startswith("//")])
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    used = [range(each.start[0], each.end[0] + 1) for each in tokens if each.type not in _NO_CODE]
    return len({number for numbers in used for number in numbers} - docstring_lines(text))


def docstring_lines(text: str) -> set[int]:
    return {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def test_the_page_has_at_least_eight_of_them() -> None:
    assert len(ports()) >= 8


@each_port
def test_what_is_shown_of_a_port_stands_in_its_example(port: Port) -> None:
    program = squeezed(port.text)

    assert len(port.files) == len(port.names)
    assert all(codes(here) or is_missing(here) for _, here in port.rows)
    assert [code for code in port.snippets if squeezed(code) not in program] == []


@each_port
def test_the_lines_and_steps_of_a_port_are_counted_right(port: Port) -> None:
    there = [here for _, here in port.rows if not is_missing(here)]

    assert port.lines_here == sum(map(code_lines, port.files))
    assert port.steps == f"{len(there)} of {len(port.rows)}"


def test_every_name_on_the_right_is_there() -> None:
    plugin = Plugin("x", version="1")
    ctx = Context(Call(Link(lambda _line: None), Facts(), Loop()))
    known: dict[str, Any] = {"ctx": ctx, "plugin": plugin, "render": render}
    shown = [code for port in ports() for code in port.snippets]
    for root, path in (found for code in shown for found in _NAME.findall(code)):
        thing = known[root]
        for name in path[1:].split("."):
            thing = getattr(thing, name)
    words = {word for code in shown for word in _WORD.findall(code)} - _OTHERS

    assert {"block", "modify", "RefusedError", "ToolResult", "Model"} <= words
    assert words <= set(papercup_plugin.__all__)
