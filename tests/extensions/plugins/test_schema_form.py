from typing import Any

import pytest
from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from extensions.plugins.schema_form import wrong_rule

VALUES: dict[str, list[Any]] = {
    "type": ["string", "text", ["null", "object"], [], 5, ["x"], [{}]],
    "required": [["a"], [], "a", [1]],
    "properties": [{}, {"a": {}}, {"a": True}, {"a": 5}, []],
    "items": [{}, False, [], "x", {"type": "x"}],
    "anyOf": [[{}], [], {}, [{"minLength": -1}]],
    "minLength": [0, 3, 3.0, 3.5, -1, "3", True],
    "maximum": [0, -2.5, "3", True, None],
    "multipleOf": [2, 0.5, 0, -1],
    "enum": [[1], [], "x"],
    "uniqueItems": [True, 1],
    "dependentRequired": [{"a": ["b"]}, {"a": "b"}, []],
    "pattern": ["a+", 5],
    "description": ["x", 5],
    "$defs": [{"die": {"type": "integer", "minimum": "1"}}],
    "not": [{"if": {"then": {"contains": {"const": 1, "$ref": 5}}}}],
    "anything": [{"type": 5}],
}
SCHEMAS: list[Any] = [
    *(True, False, {}, [], "x", 5, None),
    *({name: value} for name, values in VALUES.items() for value in values),
]


def is_taken(schema: Any) -> bool:
    """Say what the schema of all schemas says."""
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True


@pytest.mark.parametrize("schema", SCHEMAS)
def test_it_is_one_where_the_schema_of_all_schemas_takes_it(schema: Any) -> None:
    assert (wrong_rule(schema) is None) == is_taken(schema)


def test_the_rule_that_is_to_blame_is_named() -> None:
    assert wrong_rule({"properties": {"a": {"type": 5}}}) == "`type` is of another kind"
