"""The small values that all else is made of."""

import enum
import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import papercup_plugin.framing as framing_module
from papercup_plugin import CompletionItem, ToolResult, render
from papercup_plugin.framing import FrameTooLargeError, LineReader, encoded
from papercup_plugin.hooks import Outcome, block, modify, proceed, read_outcome
from papercup_plugin.models import Credentials
from papercup_plugin.records import Record


class Sides(Record):
    count: int
    colour: str = "red"


def test_a_record_is_made_of_its_parts_and_compared_by_them() -> None:
    assert Sides(6) == Sides(count=6, colour="red") != Sides(6, "blue")
    assert hash(Sides(6)) == hash(Sides(6))
    assert repr(Sides(6)) == "Sides(count=6, colour='red')"
    assert Sides(6).replaced(colour="blue").parts() == {"count": 6, "colour": "blue"}
    assert Sides(6) != ToolResult()


@pytest.mark.parametrize(
    ("values", "named"), [((), {}), ((1, "a", 2), {}), ((1,), {"count": 2}), ((1,), {"size": 2})]
)
def test_a_record_with_other_parts_is_refused(values: Any, named: Any) -> None:
    with pytest.raises(TypeError):
        Sides(*values, **named)


def test_a_record_cannot_be_changed() -> None:
    sides: Any = Sides(6)
    with pytest.raises(AttributeError):
        sides.count = 7
    with pytest.raises(AttributeError):
        del sides.count


def test_credentials_do_not_show_what_they_hold() -> None:
    assert "secret" not in repr(Credentials(api_key="secret"))


def test_lines_are_put_together_however_they_come() -> None:
    reader = LineReader()

    assert list(reader.feed(b"one\ntw")) == [b"one"]
    assert list(reader.feed(b"")) == []
    assert list(reader.feed(b"o\n\nthree")) == [b"two", b""]
    assert list(reader.feed(b"\n")) == [b"three"]


def test_a_line_that_is_too_long_is_left_out_and_the_next_is_read() -> None:
    reader = LineReader(most_bytes=4)

    assert list(reader.feed(b"12345\n1234\n123")) == [None, b"1234"]
    assert list(reader.feed(b"456")) == []
    assert list(reader.feed(b"7\nnext\n")) == [None, b"next"]


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    colour: Colour


def test_what_python_has_becomes_json() -> None:
    value = [Point(1, Colour.RED), {2}, Path("a/b"), datetime(2026, 1, 2, tzinfo=UTC), "\ud800"]

    assert json.loads(encoded({"result": value})) == {
        "jsonrpc": "2.0",
        "result": [{"x": 1, "colour": "red"}, [2], "a/b", "2026-01-02T00:00:00+00:00", "?"],
    }


@pytest.mark.parametrize("value", [object(), math.nan])
def test_what_is_no_json_is_not_sent(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        encoded({"result": value})


def test_what_is_too_long_is_not_sent() -> None:
    with pytest.raises(FrameTooLargeError, match="are too many for one message"):
        encoded({"result": "x" * framing_module.MOST_FRAME_BYTES})


@pytest.mark.parametrize(
    ("returned", "outcome"),
    [
        (None, Outcome()),
        (proceed(), Outcome()),
        ({}, Outcome()),
        (block("no"), Outcome("block", "no")),
        ({"block": True, "reason": "no"}, Outcome("block", "no")),
        ({"cancel": True}, Outcome("block")),
        ({"block": False}, Outcome()),
        ({"action": "block", "reason": 7}, Outcome("block")),
        ({"action": "continue"}, Outcome()),
        ({"text": "HI"}, Outcome("modify", patch={"text": "HI"})),
        (modify({"a": 1}, b=2), Outcome("modify", patch={"a": 1, "b": 2})),
        ({"action": "transform", "text": "HI"}, Outcome("modify", patch={"text": "HI"})),
        ({"action": "modify", "patch": {"a": 1}}, Outcome("modify", patch={"a": 1})),
    ],
)
def test_what_a_hook_returns_says_what_it_wants(returned: Any, outcome: Outcome) -> None:
    assert read_outcome(returned) == outcome


@pytest.mark.parametrize(
    "returned", [True, "no", {"action": "handled"}, {"block": "why"}, {"cancel": 1}]
)
def test_what_a_hook_returns_must_mean_something(returned: Any) -> None:
    with pytest.raises(TypeError):
        read_outcome(returned)


def test_blocks_are_drawn_as_the_wire_has_them() -> None:
    drawn = render.stack(
        render.markdown("*a*"),
        render.keyvalue({"a": 1}),
        render.keyvalue([("b", "c")], title="T", text="b: c"),
        render.table(["n"], [[1], [2]]),
        render.diff("+a"),
        render.progress(1.5, "Half"),
    )

    assert render.widget("w", drawn, {"x": "Cross", "y": None}, text="fallback") == {
        "kind": "widget",
        "widget_id": "w",
        "body": {
            "kind": "stack",
            "children": [
                {"kind": "markdown", "text": "*a*"},
                {"kind": "keyvalue", "rows": [{"key": "a", "value": "1"}]},
                {
                    "kind": "keyvalue",
                    "title": "T",
                    "rows": [{"key": "b", "value": "c"}],
                    "text": "b: c",
                },
                {"kind": "table", "columns": ["n"], "rows": [["1"], ["2"]]},
                {"kind": "diff", "patch": "+a"},
                {"kind": "progress", "label": "Half", "value": 1.0},
            ],
        },
        "keybindings": [{"key": "x", "description": "Cross"}, {"key": "y"}],
        "text": "fallback",
    }


def test_a_completion_item_may_have_a_description() -> None:
    assert CompletionItem("a") == CompletionItem("a", None)
