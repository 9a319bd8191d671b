"""What a JSON Schema looks like, and what is wrong with that of a tool. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

from papercup_plugin.conformance.common_frames import ANYTHING, COUNT, FLAG, TEXT, TEXTS
from papercup_plugin.conformance.kinds import (
    Complaint,
    Either,
    Kind,
    Later,
    ListOf,
    MapOf,
    Number,
    Object,
    Text,
    complaints_about,
)
from papercup_plugin.json_values import as_list, as_object


def _schema() -> Kind:
    return SCHEMA


_TYPE = Text(choices=("array", "boolean", "integer", "null", "number", "object", "string"))
_INNER = Either(Later(_schema), (FLAG,))
_LIST = ListOf(_INNER)
_MAP = MapOf(_INNER)
_NUMBER = Number()

SCHEMA = Object(
    optional={
        "type": Either(_TYPE, (ListOf(_TYPE),)),
        "enum": ListOf(ANYTHING),
        **dict.fromkeys(("$ref", "$id", "$anchor", "description", "format", "pattern"), TEXT),
        **dict.fromkeys(("title", "$dynamicAnchor", "$dynamicRef"), TEXT),
        **dict.fromkeys(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"), _NUMBER),
        **dict.fromkeys(("minLength", "maxLength", "minItems", "maxItems"), COUNT),
        **dict.fromkeys(("minProperties", "maxProperties", "minContains", "maxContains"), COUNT),
        "multipleOf": Number(least=0),
        "uniqueItems": FLAG,
        "required": TEXTS,
        **dict.fromkeys(("properties", "patternProperties", "dependentSchemas"), _MAP),
        **dict.fromkeys(("$defs", "definitions"), _MAP),
        "dependentRequired": MapOf(TEXTS),
        **dict.fromkeys(("allOf", "anyOf", "oneOf", "prefixItems"), _LIST),
        **dict.fromkeys(("additionalProperties", "propertyNames", "items", "contains"), _INNER),
        **dict.fromkeys(("not", "if", "then", "else"), _INNER),
        **dict.fromkeys(("unevaluatedItems", "unevaluatedProperties", "contentSchema"), _INNER),
    },
    is_open=True,
)


def wrong_rules(schema: Mapping[str, Any]) -> list[Complaint]:
    """Return which rules of a schema are none: hosts leave out a tool that has such a one."""
    return complaints_about(SCHEMA, dict(schema))


def unnamed_required(schema: Mapping[str, Any]) -> Iterator[str]:
    """Yield what a schema requires and does not describe, unless anything may be there."""
    described = as_object(schema.get("properties")) or {}
    is_closed = schema.get("additionalProperties") is False
    for name in as_list(schema.get("required")) or []:
        if name not in described and (described or is_closed):
            yield str(name)
