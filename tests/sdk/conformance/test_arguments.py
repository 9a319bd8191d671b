"""Arguments are made of schemas."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from papercup_plugin.conformance.arguments import fitting, misfits

SCHEMAS: list[dict[str, Any]] = [
    {},
    {"type": "object"},
    {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]},
    {
        "type": "object",
        "properties": {
            "text": {"type": "string", "minLength": 9, "maxLength": 12},
            "short": {"type": "string", "maxLength": 2},
            "word": {"enum": ["x", "y"]},
            "one": {"const": 5},
            "count": {"type": "integer", "minimum": 3},
            "above": {"type": "number", "exclusiveMinimum": 3},
            "small": {"type": "integer", "maximum": 0},
            "even": {"type": "integer", "multipleOf": 2},
            "flag": {"type": "boolean"},
            "nothing": {"type": "null"},
            "list": {"type": "array", "items": {"type": "integer"}, "minItems": 2},
            "either": {"type": ["integer", "null"]},
            "inner": {"$ref": "#/$defs/inner"},
            "some": {"anyOf": [{"type": "integer"}, {"type": "string"}]},
        },
        "required": [
            *("text", "short", "word", "one", "count", "above", "small", "even", "flag"),
            *("nothing", "list", "either", "inner", "some"),
        ],
        "additionalProperties": False,
        "$defs": {
            "inner": {
                "type": "object",
                "properties": {"deep": {"$ref": "#/$defs/leaf"}},
                "required": ["deep"],
            },
            "leaf": {"type": "string"},
        },
    },
]


@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_is_made_fits_the_schema(schema: dict[str, Any]) -> None:
    Draft202012Validator(schema).validate(fitting(schema))


@pytest.mark.parametrize("schema", SCHEMAS)
def test_what_does_not_fit_does_not(schema: dict[str, Any]) -> None:
    validator = Draft202012Validator(schema)
    assert [why for why, arguments in misfits(schema) if validator.is_valid(arguments)] == []


def test_what_the_author_gives_goes_first() -> None:
    schema = {
        "type": "object",
        "properties": {
            "throw": {"type": "string", "examples": ["2d6"], "default": "1d6"},
            "usual": {"type": "integer", "default": 4},
            "left": {"type": "string"},
        },
        "required": ["throw"],
    }
    assert fitting(schema) == {"throw": "2d6", "usual": 4}


def test_a_schema_that_never_ends_makes_something_all_the_same() -> None:
    schema = {
        "type": "object",
        "properties": {"a": {"$ref": "#"}, "b": {"$ref": "#/nowhere"}},
        "required": ["a", "b"],
    }
    assert "a" in fitting(schema)
    assert fitting({"$ref": "#"}) == {}
    assert list(misfits({"properties": 7, "required": 7})) == []


TREE = {
    "$defs": {
        "node": {
            "type": "object",
            "properties": {name: {"$ref": "#/$defs/node"} for name in "abcdef"},
            "required": [*"abcdef"],
        }
    }
}
WHOLE: list[dict[str, Any]] = [
    {"type": "array", "items": {"type": "array", "minItems": 10**9}, "minItems": 10**9},
    {"type": "string", "minLength": 10**12},
    {"$ref": "#/$defs/node"},
]


@pytest.mark.parametrize("schema", WHOLE)
def test_a_short_schema_that_stands_for_very_much_is_filled_in_part(schema: dict[str, Any]) -> None:
    made = fitting({"properties": {"any": schema}, "required": ["any"], **TREE})
    assert len(json.dumps(made)) < 1 << 20


@pytest.mark.parametrize(
    "wrong",
    [{"minimum": "1"}, {"type": [{}]}, {"minItems": "2"}, {"required": 7}, {"enum": {}}],
)
def test_nothing_is_made_of_a_schema_that_is_none(wrong: dict[str, Any]) -> None:
    schema = {"type": "object", "properties": {"any": {"type": "integer", **wrong}}}
    assert fitting({**schema, "required": ["any"]}) == {}
    assert list(misfits({**schema, "required": ["any"]})) == []
