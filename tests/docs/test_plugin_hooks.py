"""The page on hooks shows every point, and which change has an effect there."""

import re
from typing import Any

import pytest

from extensions.hooks import HookPoint, Occasion
from extensions.plugins.dialects.dialect import CallMark
from extensions.plugins.dialects.stdio import StdioWire
from extensions.plugins.hook_patches import BadPatch, effective_patch
from extensions.server.hook_values import ToolUse, gave_back
from extensions.tools import ToolAnswer
from tests.docs.pages import ROOT, page, rows_of
from tests.docs.told_plugins import told_plugins

PAGE = page("docs/plugins/hooks.md")
POINTS = {cells[0].strip("`"): cells for cells in rows_of(PAGE.section("The points"))}
SAMPLES: dict[str, Any] = {
    **dict.fromkeys(("text", "prompt", "system_prompt", "content", "custom_instructions"), ""),
    **{key: {} for key in ("payload", "arguments")},
    "messages": [],
    "argv": ["true"],
    "command": "true",
    "is_error": True,
}
"""A value of its kind for all that may be changed anywhere."""
ABOUT = {"agent_id", "session_id"}
OCCASION = Occasion(session_id="5e55")
USE = ToolUse(tool="Bash", call_id="t1", arguments={}, occasion=OCCASION)

each_point = pytest.mark.parametrize("point", HookPoint)


def _codes(cell: str) -> set[str]:
    return set(re.findall("`([^`]+)`", cell))


def _named(title: str, column: int) -> dict[str, set[str]]:
    """Return what is named in a column, by the points; what stands in brackets aside."""
    rows = rows_of(PAGE.section(title))
    return {
        cells[0].strip("`"): _codes(re.sub(r"\([^)]*\)", "", cells[column].split(":")[0]))
        for cells in rows
    }


def test_the_page_has_every_point_in_order() -> None:
    assert list(POINTS) == list(HookPoint)


@each_point
def test_a_row_says_what_the_point_is_called_and_how_long_a_plugin_has(point: HookPoint) -> None:
    _, stdio, _, changes, silence, time = POINTS[point]
    name = StdioWire().hook_name(point)
    assert _codes(stdio) == ({name} if name else set())
    assert time == f"{point.timeout_seconds:g} s"
    assert silence == ("is forbidden" if point.fails_closed else "goes on")
    patch = effective_patch(point, SAMPLES, {}, is_own_tool=True)
    assert not isinstance(patch, BadPatch)
    assert _codes(changes) == set(patch)


def test_where_a_change_takes_effect_is_said_of_every_point_that_is_asked() -> None:
    said = [cells[0].strip("`") for cells in rows_of(PAGE.section("Where a change takes effect"))]
    values = [cells[0].strip("`") for cells in rows_of(PAGE.section("What a plugin sees"))]
    asked_at = [point for point in HookPoint if point is not HookPoint.SESSION_BEFORE_TREE]
    assert said == values == asked_at


async def test_what_a_plugin_sees_at_each_point_is_what_the_page_shows() -> None:
    shown = _named("What a plugin sees", 1)
    seen = {point: set(value) for point, value in (await told_plugins()).asked}
    assert {point: shown[point] | ABOUT for point in seen} == seen
    # Of these two a program is asked.
    assert shown.keys() - seen == {"user_bash", "session_before_compact"}


def test_what_a_stdio_plugin_is_told_is_what_the_page_shows() -> None:
    seen = _named("What a plugin sees", 2)
    value = {**gave_back(USE, ToolAnswer(""), seconds=0), "text": "", "source": "text"}
    mark = CallMark(call_id="c", occasion=OCCASION)
    for point in HookPoint:
        if StdioWire().hook_name(point) is not None:
            params = StdioWire().hook(point, value, mark).params
            assert seen[point] | ABOUT == set(params)


def test_every_place_where_plugins_are_asked_is_on_the_page() -> None:
    fired = {
        name
        for folder in ("bot", "extensions")
        for path in (ROOT / folder).rglob("*.py")
        for name in re.findall(r"fire\(\s*HookPoint\.(\w+)", path.read_text(encoding="utf-8"))
    }
    # Its name is given to a variable first.
    fired.add("BEFORE_PROVIDER_REQUEST")
    assert {point.name for point in HookPoint} - fired == {"SESSION_BEFORE_TREE"}
