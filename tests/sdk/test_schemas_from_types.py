"""What a tool's parameters look like to models, and what its function is given."""

import enum
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Annotated, Any, Literal, NewType, NotRequired, Optional, TypedDict, Union

import pytest

from papercup_plugin import Field
from papercup_plugin.errors import BadArgumentsError
from papercup_plugin.type_forms import form_of


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


class Size(enum.IntEnum):
    SMALL = 1
    LARGE = 2


@dataclass(frozen=True, kw_only=True)
class Point:
    """A place on the map.

    Args:
        x: From the left.
    """

    x: int
    y: int = 0
    tags: list[str] = field(default_factory=list)


@dataclass
class Even:
    number: int

    def __post_init__(self) -> None:
        if self.number % 2:
            raise ValueError(f"{self.number} is odd")


class Person(TypedDict):
    """Somebody."""

    name: str
    age: NotRequired[int]


Id = NewType("Id", str)

TEXT = {"type": "string"}
INTEGER = {"type": "integer"}
POINT = {
    "type": "object",
    "description": "A place on the map.",
    "properties": {
        "x": {"type": "integer", "description": "From the left."},
        "y": {"type": "integer", "default": 0},
        "tags": {"type": "array", "items": TEXT},
    },
    "required": ["x"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("hint", "schema"),
    [
        (str, TEXT),
        (int, INTEGER),
        (float, {"type": "number"}),
        (bool, {"type": "boolean"}),
        (None, {"type": "null"}),
        (Any, {}),
        (Id, TEXT),
        (list, {"type": "array", "items": {}}),
        (list[int], {"type": "array", "items": INTEGER}),
        (Sequence[str], {"type": "array", "items": TEXT}),
        (set[str], {"type": "array", "items": TEXT, "uniqueItems": True}),
        (tuple[int, ...], {"type": "array", "items": INTEGER}),
        (
            tuple[int, str],
            {"type": "array", "prefixItems": [INTEGER, TEXT], "minItems": 2, "maxItems": 2},
        ),
        (dict, {"type": "object", "additionalProperties": {}}),
        (Mapping[str, int], {"type": "object", "additionalProperties": INTEGER}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a", 1], {"enum": ["a", 1]}),
        (Colour, {"type": "string", "enum": ["red", "blue"]}),
        (Size, {"type": "integer", "enum": [1, 2]}),
        (int | None, {"type": ["integer", "null"]}),
        (Optional[str], {"type": ["string", "null"]}),  # noqa: UP045 - people write it
        (Union[list[int], str], {"anyOf": [{"type": "array", "items": INTEGER}, TEXT]}),  # noqa: UP007
        (Point, POINT),
        (
            Person,
            {
                "type": "object",
                "description": "Somebody.",
                "properties": {"name": TEXT, "age": INTEGER},
                "required": ["name"],
                "additionalProperties": False,
            },
        ),
        (datetime, {"type": "string", "format": "date-time"}),
        (date, {"type": "string", "format": "date"}),
        (time, {"type": "string", "format": "time"}),
        (Path, TEXT),
        (
            Annotated[int | None, Field("How many.", minimum=1)],
            {"anyOf": [{**INTEGER, "minimum": 1}, {"type": "null"}], "description": "How many."},
        ),
        (
            Annotated[list[int] | str, Field(max_length=3)],
            {
                "anyOf": [
                    {"type": "array", "items": INTEGER, "maxItems": 3},
                    {**TEXT, "maxLength": 3},
                ]
            },
        ),
        (Annotated[int, "How many."], {"type": "integer", "description": "How many."}),
        (
            Annotated[int, Field(minimum=1, maximum=6), ["no hash"]],
            {"type": "integer", "minimum": 1, "maximum": 6},
        ),
        (
            Annotated[list[str], Field("Words.", max_length=3)],
            {"type": "array", "items": TEXT, "description": "Words.", "maxItems": 3},
        ),
        (
            Annotated[str, Field(min_length=1, pattern="^[a-z]+$")],
            {"type": "string", "minLength": 1, "pattern": "^[a-z]+$"},
        ),
    ],
)
def test_each_type_has_a_schema(hint: Any, schema: dict[str, Any]) -> None:
    assert form_of(hint).schema() == schema


@pytest.mark.parametrize(
    ("hint", "sent", "given"),
    [
        (int, 6.0, 6),
        (float, 1, 1.0),
        (None, None, None),
        (set[int], [1, 2, 1], {1, 2}),
        (tuple[int, str], [1, "a"], (1, "a")),
        (Colour, "blue", Colour.BLUE),
        (Size, 2, Size.LARGE),
        (Literal[1, True], True, True),
        (int | str, "6", "6"),
        (Colour | None, None, None),
        (Point, {"x": 1}, Point(x=1)),
        (list[Point], [{"x": 1, "tags": ["a"]}], [Point(x=1, tags=["a"])]),
        (dict[str, Colour], {"sky": "blue"}, {"sky": Colour.BLUE}),
        (Person, {"name": "Ada"}, {"name": "Ada"}),
        (Annotated[Sequence[int], Field(min_length=1)], [1], [1]),
        (Annotated[int | None, Field(minimum=1)], None, None),
        (datetime, "2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)),
        (date, "2026-01-02", date(2026, 1, 2)),
        (time, "03:04", time(3, 4)),
        (Path, "a/b", Path("a/b")),
    ],
)
def test_what_a_model_sends_becomes_what_the_type_says(hint: Any, sent: Any, given: Any) -> None:
    read = form_of(hint).read(sent, "it")

    assert (read, type(read)) == (given, type(given))


@pytest.mark.parametrize(
    ("hint", "sent", "reason"),
    [
        (int, True, "`it` has to be an integer"),
        (int, 6.5, "`it` has to be an integer"),
        (int, "6", "`it` has to be an integer"),
        (str, None, "`it` has to be a text"),
        (None, 0, "`it` has to be null"),
        (Literal["a", 1], True, "`it` has to be one of 'a', 1"),
        (Colour, "green", "`it` has to be one of 'red', 'blue'"),
        (list[Point], [{"x": 1}, {"x": "2"}], "`it[1].x` has to be an integer"),
        (Point, {}, "`it.x` is missing"),
        (Point, {"x": 1, "z": 2}, "`it.z` is not known"),
        (Point, 7, "`it` has to be an object"),
        (tuple[int, str], [1], "`it` has to be a list of 2"),
        (dict[str, int], {"a": "b"}, "`it.a` has to be an integer"),
        (int | None, "x", "`it` has to be an integer or null"),
        (int | Point, {}, "`it` has to be an integer or `it.x` is missing"),
        (float, 10**400, "`it` has to be a number"),
        (float, math.inf, "`it` has to be a number"),
        (datetime, "soon", "`it` has to be a date and a time such as 2026-01-31T12:00:00Z"),
        (date, 7, "`it` has to be a date such as 2026-01-31"),
        (Path, 7, "`it` has to be a path"),
        (Even, {"number": 3}, "`it`: 3 is odd"),
        (Annotated[int | None, Field(minimum=1)], 0, "`it` has to be at least 1 or null"),
        (Annotated[int, Field(minimum=1)], 0, "`it` has to be at least 1"),
        (Annotated[float, Field(maximum=1)], 1.5, "`it` has to be at most 1"),
        (Annotated[str, Field(min_length=1)], "", "`it` has to be at least 1 long"),
        (Annotated[list[int], Field(max_length=1)], [1, 2], "`it` has to be at most 1 long"),
        (Annotated[str, Field(pattern="^a")], "b", "`it` has to be a text that matches ^a"),
    ],
)
def test_what_does_not_fit_is_named(hint: Any, sent: Any, reason: str) -> None:
    with pytest.raises(BadArgumentsError) as caught:
        form_of(hint).read(sent, "it")

    assert caught.value.reason == reason
