"""What the page of the SDK shows is run."""

import inspect
import re
import tomllib
from typing import Any

from papercup_plugin import AsyncContext, async_context, context_base
from papercup_plugin.testing import create_test_host
from tests.docs.pages import page

PAGE = page("sdk/python/README.md")


def snippets(language: str) -> list[str]:
    """Return the blocks of code in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE.text, re.DOTALL)


def test_the_plugin_that_it_shows_passes_the_test_that_it_shows() -> None:
    plugin, test = snippets("python")
    names: dict[str, Any] = {"__name__": "dice"}
    exec(plugin, names)  # noqa: S102 - our own
    exec(test, names)  # noqa: S102 - our own

    names["test_who_says_no_gets_no_dice"]()


def test_the_manifest_that_it_shows_is_that_of_the_plugin() -> None:
    (manifest,) = map(tomllib.loads, snippets("toml"))

    assert (manifest["name"], manifest["protocol"]) == ("dice", 1)
    assert manifest["capabilities"] == {
        "tools": True,
        "commands": True,
        "ui": True,
        "hooks": [],
        "providers": [],
    }


def awaited(kind: type) -> dict[str, bool]:
    """Return the public methods of a class, and which of them have to be awaited."""
    found = inspect.getmembers(kind, inspect.isfunction)
    return {
        name: inspect.iscoroutinefunction(method)
        for name, method in found
        if not name.startswith("_")
    }


def test_what_an_async_function_awaits_and_what_it_does_not_is_said() -> None:
    asked = [async_context.AsyncUi, async_context.AsyncKv, async_context.AsyncSession]
    told = [context_base.Log, context_base.Bus]
    both = awaited(AsyncContext)

    assert [name for kind in asked for name, waits in awaited(kind).items() if not waits] == [
        "has_ui"
    ]
    assert not any(waits for kind in told for waits in awaited(kind).values())
    assert {name for name, waits in both.items() if waits} == {"exec", "set_active_tools"}
    assert "`ui`, `kv`, `session`, `exec`, `set_active_tools`. What only tells" in PAGE.text
    assert "`progress`, `on_update`, `log`, `bus.publish`" in PAGE.text


def test_all_that_the_test_host_takes_is_named() -> None:
    about = PAGE.section("Tests")
    options = {*inspect.signature(create_test_host).parameters} - {"plugin"}

    assert {name for name in options if not re.search(rf"[` ]{name}=", about)} == set()
