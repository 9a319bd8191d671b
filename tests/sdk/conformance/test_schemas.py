"""What is wrong with the schema of a tool is found, as the host finds it."""

from typing import Any

import pytest

from extensions.plugins.schemas import BadSchemaError, argument_check
from papercup_plugin.conformance.schemas import unnamed_required, wrong_rules

TEXT = {"type": "string"}
WRONG: dict[str, tuple[dict[str, Any], str]] = {
    "a type that there is not": (
        {"properties": {"a": {"type": "text"}}},
        "`properties.a.type` is 'text'; it has to be one of `array`, `boolean`, `integer`, ",
    ),
    "a list of types with another": ({"type": ["string", 7]}, "`type` is a list; "),
    "required that is no list": ({"required": "a"}, "`required` is 'a'; it has to be a list"),
    "required by themselves": (
        {"properties": {"a": {"required": True}}},
        "`properties.a.required` is true; it has to be a list",
    ),
    "properties that are a list": ({"properties": ["a"]}, "`properties` is a list; "),
    "a limit that is a text": (
        {"properties": {"a": {"minimum": "1"}}},
        "`properties.a.minimum` is '1'; it has to be a number",
    ),
    "a length below nothing": ({"minLength": -1}, "`minLength` is -1; 0 is the least"),
    "one of no list": ({"anyOf": TEXT}, "`anyOf` is an object; it has to be a list"),
    "a schema that is none": ({"items": [TEXT]}, "`items` is a list; it has to be an object"),
    "deep within": (
        {"$defs": {"a": {"allOf": [{"not": {"enum": 7}}]}}},
        "`$defs.a.allOf[0].not.enum` is 7; it has to be a list",
    ),
}
RIGHT: list[dict[str, Any]] = [
    {},
    {"type": "object", "properties": {"a": TEXT, "b": True}, "additionalProperties": False},
    {"type": ["object", "null"], "anyOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": TEXT}},
    {"properties": {"a": {"type": "array", "items": TEXT, "minItems": 1.0}}, "x-own": [7]},
]


@pytest.mark.parametrize("name", WRONG)
def test_a_rule_that_is_none_is_named_and_the_host_does_not_take_it(name: str) -> None:
    schema, what = WRONG[name]
    assert str(wrong_rules(schema)[0]).startswith(what)
    with pytest.raises(BadSchemaError):
        argument_check(schema)


@pytest.mark.parametrize("schema", RIGHT)
def test_a_right_schema_is_taken_as_the_host_does(schema: dict[str, Any]) -> None:
    assert wrong_rules(schema) == []
    argument_check(schema)


@pytest.mark.parametrize("depth", [50, 5000])
def test_however_deep_a_schema_is_it_is_looked_at_without_harm(depth: int) -> None:
    schema: dict[str, Any] = {"type": 7}
    for _ in range(depth):
        schema = {"anyOf": [schema]}
    assert wrong_rules(schema) != []


def test_what_is_required_and_not_described_is_named() -> None:
    schema = {"properties": {"a": TEXT}, "required": ["a", "b"]}
    assert list(unnamed_required(schema)) == ["b"]
    assert list(unnamed_required({"required": ["a"]})) == []
    assert list(unnamed_required({"required": ["a"], "additionalProperties": False})) == ["a"]
