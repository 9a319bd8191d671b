from typing import Any

import pytest

from extensions.plugins.schemas import BadSchemaError, argument_check

PLAIN = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "description": "What."},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "loud": {"type": "boolean"},
    },
    "required": ["text"],
    "additionalProperties": False,
}
RICH = {
    "type": "object",
    "$defs": {"die": {"enum": ["d6", "d20"]}},
    "properties": {"dice": {"type": "array", "items": {"$ref": "#/$defs/die"}, "minItems": 1}},
}


@pytest.mark.parametrize(
    ("schema", "arguments", "complaint"),
    [
        (PLAIN, {"text": "x", "count": 1, "share": 0.5, "loud": True}, None),
        (PLAIN, {"text": "x", "share": 1}, None),
        # A whole number, though written as a fraction.
        (PLAIN, {"text": "x", "count": 1.0}, None),
        (PLAIN, {}, "`text` is required"),
        (PLAIN, {"text": 1}, "`text` has to be of the type string"),
        (PLAIN, {"text": "x", "count": True}, "`count` has to be of the type integer"),
        (PLAIN, {"text": "x", "other": 1}, "the rule `additionalProperties`"),
        (RICH, {"dice": ["d6"]}, None),
        (RICH, {"dice": []}, "`dice`: the rule `minItems`"),
        (RICH, {"dice": ["d6", "d7"]}, "`dice.1`: the rule `enum`"),
        ({"type": "object"}, {"anything": object}, None),
        ({"$ref": "#"}, {}, "they are nested too deeply"),
    ],
)
def test_arguments_are_checked_without_being_repeated(
    schema: dict[str, Any], arguments: dict[str, Any], complaint: str | None
) -> None:
    assert argument_check(schema)(arguments) == complaint


def nested(depth: int) -> dict[str, Any]:
    return {"properties": {"a": nested(depth - 1)}} if depth else {}


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "objekt"}, "its schema is none: "),
        ({"type": "object", "properties": {"a": {"type": 5}}}, "its schema is none: "),
        ({"type": "object", "required": "a"}, "its schema is none: "),
        ({"$ref": "http://127.0.0.1:1/x"}, "outside of itself"),
        ({"properties": {"a": {"$ref": "file:///etc/passwd"}}}, "outside of itself"),
        (nested(100), "its schema is nested too deeply"),
    ],
)
def test_a_schema_that_cannot_be_used_is_refused(schema: dict[str, Any], reason: str) -> None:
    with pytest.raises(BadSchemaError, match=reason):
        argument_check(schema)


def doubling(levels: int) -> dict[str, Any]:
    """Return a short schema that stands for very many rules."""
    rules = {f"r{n}": {"allOf": [{"$ref": f"#/$defs/r{n + 1}"}] * 2} for n in range(levels)}
    return {"type": "object", "$defs": {**rules, f"r{levels}": {}}, "$ref": "#/$defs/r0"}


def of(rule: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": rule}}


# Each of these would take years, or break, if it were looked at to its end.
@pytest.mark.parametrize(
    ("schema", "arguments", "complaint"),
    [
        (doubling(60), {}, "they cannot be checked"),
        (of({"pattern": "^(a+)+$"}), {"a": "a" * 200 + "!"}, None),
        (
            {"type": "object", "patternProperties": {"^(a+)+$": {}}, "additionalProperties": False},
            {"a" * 200 + "!": 1},
            None,
        ),
        (of({"uniqueItems": True}), {"a": [[n] if n % 2 else {"n": n} for n in range(9999)]}, None),
        (
            of({"items": {"enum": [str(n) for n in range(9999)]}}),
            {"a": ["9998"] * 99_999},
            "they cannot be checked",
        ),
        (of({"$ref": "#/nowhere"}), {"a": 1}, "it refers to what is not in it"),
    ],
)
def test_no_schema_makes_a_check_take_long(
    schema: dict[str, Any], arguments: dict[str, Any], complaint: str | None
) -> None:
    assert argument_check(schema)(arguments) == complaint


def test_a_schema_with_very_many_parts_is_refused() -> None:
    properties = {f"p{number}": {"minLength": 1} for number in range(2000)}
    with pytest.raises(BadSchemaError, match="its schema has more than 2000 parts"):
        argument_check({"type": "object", "properties": properties})
