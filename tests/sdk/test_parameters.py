"""What the parameters of a function are, and which of them cannot be offered."""

import functools
import math
from collections.abc import Callable
from dataclasses import InitVar, dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict

import pytest

from papercup_plugin import Context, Field
from papercup_plugin.signatures import signature_of
from papercup_plugin.type_forms import UnsupportedTypeError, arguments_form, form_of

if TYPE_CHECKING:
    from decimal import Decimal


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Nothing(Enum):
    pass


class Pair(Enum):
    BOTH = (1, 2)


class Node(TypedDict):
    next: "Node | None"


class Inner(TypedDict):
    raw: bytes


@dataclass
class Outer:
    inner: list[Inner]


@dataclass
class Point:
    x: int
    y: int = 0


@dataclass
class Given:
    seed: InitVar[int]
    size: int = 1


@pytest.mark.parametrize(
    ("hint", "reason"),
    [
        (bytes, "bytes has no form in JSON; take str, int, float, bool, list, dict, Literal, an"),
        (complex, "complex has no form in JSON; take"),
        (Callable[[], None], "Callable has no form in JSON; take"),
        (dict[int, str], "the keys of a dict have to be str, not int"),
        (Node, "`next`: Node holds itself, which cannot be described"),
        (Outer, "`inner.raw`: bytes has no form in JSON; take"),
        (Given, "an InitVar of Given cannot be sent; take a field"),
        (Nothing, "there is nothing to choose"),
        (Pair, "<Pair.BOTH: (1, 2)> has no form in JSON: take texts or numbers"),
        (Literal[b"x"], "b'x' has no form in JSON: take texts or numbers"),
        (set[list[int]], "no list[int] can be in a set; take a list"),
        (frozenset[Point], "no Point can be in a set; take a list"),
        ([int], "[<class 'int'>] is not a type; one such as list[int] is"),
        (Context, "a function has one context, in `ctx: Context` and no other way"),
        (Annotated[str, Field(minimum=1)], "`minimum` of its Field says nothing of such a value"),
        (
            Annotated[int | bool, Field(minimum=1, pattern="x")],
            "`pattern` of its Field says nothing of such a value",
        ),
        (Annotated[str, Field(pattern="(")], "the pattern '(' cannot be read: missing ), unter"),
    ],
)
def test_what_has_no_form_in_json_is_named_with_what_may_stand_there(
    hint: Any, reason: str
) -> None:
    with pytest.raises(UnsupportedTypeError) as caught:
        form_of(hint)

    assert str(caught.value).startswith(reason)


def test_parameters_have_the_descriptions_and_defaults_of_the_function() -> None:
    def roll(
        sides: int, colour: Colour = Colour.RED, note: str | None = None, *, ctx: object
    ) -> None:
        """Roll a die.

        Args:
            sides: How many it has.
            colour: Of the die:
                either will do.
        """

    assert arguments_form(roll, signature_of(roll)).schema() == {
        "type": "object",
        "properties": {
            "sides": {"type": "integer", "description": "How many it has."},
            "colour": {
                "type": "string",
                "enum": ["red", "blue"],
                "description": "Of the die: either will do.",
                "default": "red",
            },
            "note": {"type": ["string", "null"]},
        },
        "required": ["sides"],
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    ("default", "told"),
    [
        ([1, "a"], [1, "a"]),
        (("a",), ["a"]),
        (Point(1), {"x": 1, "y": 0}),
        (Path("a/b"), "a/b"),
        (math.inf, None),
        (b"x", None),
        (object(), None),
    ],
)
def test_defaults_are_told_as_far_as_json_has_them(default: Any, told: Any) -> None:
    def use(value: Any = default) -> None: ...

    described = arguments_form(use, signature_of(use)).schema()["properties"]["value"]

    assert described == ({} if told is None else {"default": told})


def test_a_decorated_function_keeps_its_parameters() -> None:
    def inner(phrase: str) -> str:
        return phrase

    @functools.wraps(inner)
    def outer(*args: Any, **more: Any) -> str:
        return inner(*args, **more).upper()

    assert [each.name for each in signature_of(outer).parameters] == ["phrase"]


class Dice:
    def roll(self, sides: int) -> int:
        return sides

    @classmethod
    def make(cls, sides: int) -> int:
        return sides

    @staticmethod
    def throw(sides: int) -> int:
        return sides


def test_a_method_has_no_parameter_for_what_it_belongs_to() -> None:
    for method in (Dice().roll, Dice.make, Dice.throw):
        assert [each.name for each in signature_of(method).parameters] == ["sides"]


def test_what_takes_any_argument_takes_any_argument() -> None:
    def anything(first: str, **more: Any) -> None: ...

    form = arguments_form(anything, signature_of(anything))

    assert form.schema()["additionalProperties"] is True
    assert form.read_members({"first": "a", "second": 2}, "") == {"first": "a", "second": 2}
    assert form.read_members({"first": "a", "_meta": {}}, "") == {"first": "a"}


def test_what_a_host_puts_beside_the_arguments_is_left_alone() -> None:
    def greet(name: str) -> None: ...

    form = arguments_form(greet, signature_of(greet))

    assert form.read_members({"name": "Ada", "_meta": {}}, "") == {"name": "Ada"}


def _starred(*names: str) -> None: ...


def _positional(name: str, /) -> None: ...


def _undecorated(_inner: Any) -> Any:
    def outer(*args: Any, **more: Any) -> None: ...

    return outer


def _other_ctx(ctx: str) -> None: ...


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (_starred, "_starred: each of its parameters needs a name: no `*` and no `/`"),
        (_positional, "_positional: each of its parameters needs a name"),
        (_undecorated(print), "what a decorator puts around it needs functools.wraps"),
        (_other_ctx, "_other_ctx: `ctx` is the context; call it otherwise"),
        (Dice.roll, "Dice.roll is a method; take that of an object: `thing.method`"),
        (Dice.__dict__["make"], "Dice.make is a method; take that of an object"),
        (print, "<built-in function print> is not a function; write one that calls it"),
        (functools.partial(print), "is not a function; write one that calls it"),
        (7, "7 is not a function"),
    ],
)
def test_what_cannot_be_called_by_name_is_no_tool(function: Any, reason: str) -> None:
    with pytest.raises(TypeError) as caught:
        signature_of(function)

    assert reason in str(caught.value)


@pytest.mark.parametrize("written", ["Nowhere", "Decimal", "list[", "Path.none"])
def test_a_type_that_means_nothing_is_named_with_its_parameter(written: str) -> None:
    def lost(what: str) -> None: ...

    lost.__annotations__["what"] = written
    with pytest.raises(TypeError, match="`what`: the type means nothing here: ") as caught:
        arguments_form(lost, signature_of(lost))

    assert "outside of functions and TYPE_CHECKING" in str(caught.value)


def test_only_the_types_of_parameters_have_to_be_known_when_it_runs() -> None:
    def pay(amount: int, ctx: Any) -> "Decimal": ...  # type: ignore[empty-body]

    pay.__annotations__["ctx"] = "absent.Context"

    assert arguments_form(pay, signature_of(pay)).members.keys() == {"amount"}
