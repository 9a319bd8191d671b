"""What the page on porting and the README of the SDK name is there."""

import ast
import builtins
import re
from collections.abc import Iterator
from typing import Any

import pytest

import papercup_plugin
from papercup_plugin import Plugin, render
from papercup_plugin.async_context import AsyncContext
from papercup_plugin.calls import Call
from papercup_plugin.context import Context
from papercup_plugin.facts import Facts
from papercup_plugin.link import Link
from papercup_plugin.loops import Loop
from papercup_plugin.testing import create_test_host
from tests.docs.pages import page

PORTING = page("docs/plugins/porting.md")
README = page("sdk/python/README.md")

_ROW = re.compile(r"^\|(?P<there>.*?)\|(?P<here>.*)\|$", re.MULTILINE)
_NAME = re.compile(r"(?<![\w.\"'])@?(ctx|plugin|render|host|widget)((?:\.\w+)+)")
_WORD = re.compile(r"\b([A-Z]\w+|block|modify|proceed)(?=\()|^([A-Z]\w+Error)$")


def things(context: type[Context] | type[AsyncContext]) -> dict[str, Any]:
    """Return what the names at the beginning of a line of code stand for."""
    plugin = Plugin("x", version="1")
    call = Call(Link(lambda _line: None), Facts(), Loop())
    widget = plugin.widget("w")(lambda: render.markdown("x"))
    host = create_test_host(plugin)
    return {
        "ctx": context(call),
        "plugin": plugin,
        "render": render,
        "host": host,
        "widget": widget,
    }


def codes() -> Iterator[str]:
    """Yield what the tables say in code of this SDK."""
    for row in _ROW.finditer(PORTING.text):
        yield from re.findall(r"`([^`]+)`", row["here"])
    yield from README.codes


@pytest.mark.parametrize("context", [Context, AsyncContext])
def test_every_name_on_the_right_is_there(context: type[Context] | type[AsyncContext]) -> None:
    known = things(context)
    named: set[str] = set()
    for root, path in (found for code in codes() for found in _NAME.findall(code)):
        thing = known[root]
        for name in path[1:].split("."):
            thing = getattr(thing, name)
        named.add(root)

    assert named == known.keys()


def test_every_word_that_is_called_can_be_imported() -> None:
    words = {one or two for code in codes() for one, two in _WORD.findall(code)}

    assert "RefusedError" in words
    assert "block" in words
    assert words <= {*papercup_plugin.__all__, *vars(builtins)}


def test_every_method_of_a_context_is_on_the_page() -> None:
    named = {path for code in codes() for root, path in _NAME.findall(code) if root == "ctx"}
    ctx = things(Context)["ctx"]
    parts = {"ui": ctx.ui, "kv": ctx.kv, "session": ctx.session, "bus": ctx.bus}
    methods = {
        f".{part}.{name}" for part, thing in parts.items() for name in public_names(type(thing))
    }
    own = {f".{name}" for name in public_names(Context)}

    assert methods - named == {".ui.has_ui"}
    assert own - named == set()


def public_names(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_every_plugin_of_the_readme_does_what_it_says() -> None:
    code = "\n".join(body for body in README.blocks if "papercup_plugin" in body)
    ast.parse(code)
    names: dict[str, Any] = {"__name__": "readme"}
    exec(compile(code, "README.md", "exec"), names)  # noqa: S102 - it is ours

    names["test_who_says_no_gets_no_dice"]()
