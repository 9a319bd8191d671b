"""Whether a JSON Schema is one: that the value of each rule is of the rule's kind. Pure.

It is what the schema of all schemas says, but looked at in a small part of the time: that one takes
seconds for what a plugin may register in one message, and nothing else happens meanwhile.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from extensions.plugins.json_values import as_list, as_object

_Test: TypeAlias = Callable[[Any], bool]

_TYPES = frozenset({"array", "boolean", "integer", "null", "number", "object", "string"})


def wrong_rule(schema: Any) -> str | None:
    """Return which rule of a schema has a value of another kind; `None` if none has.

    The schema must not be nested deeply.
    """
    if isinstance(schema, bool):
        return None
    rules = as_object(schema)
    if rules is None:
        return "it is neither an object nor true nor false"
    for name, value in rules.items():
        wrong = _wrong(name, value)
        if wrong is not None:
            return wrong
    return None


def _wrong(name: str, value: Any) -> str | None:
    is_right = _KINDS.get(name)
    if is_right is not None and not is_right(value):
        return f"`{name}` is of another kind"
    inner = _INNER.get(name)
    if inner is None:
        return None
    return next((wrong for each in inner(value) if (wrong := wrong_rule(each))), None)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and value == value // 1


def _is_type(value: Any) -> bool:
    names = as_list(value)
    if names is None:
        return _is_text(value) and value in _TYPES
    return bool(names) and all(_is_text(each) and each in _TYPES for each in names)


def _are_texts(value: Any) -> bool:
    texts = as_list(value)
    return texts is not None and all(_is_text(each) for each in texts)


def _are_texts_by_name(value: Any) -> bool:
    members = as_object(value)
    return members is not None and all(_are_texts(each) for each in members.values())


def _one(value: Any) -> Iterator[Any]:
    yield value


def _of_list(value: Any) -> Iterator[Any]:
    yield from as_list(value) or ()


def _of_object(value: Any) -> Iterator[Any]:
    yield from (as_object(value) or {}).values()


_ONE = (
    *("additionalProperties", "contains", "contentSchema", "else", "if", "items", "not"),
    *("propertyNames", "then", "unevaluatedItems", "unevaluatedProperties"),
)
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_OBJECTS = ("$defs", "definitions", "dependentSchemas", "patternProperties", "properties")
_COUNTS = (
    *("maxContains", "maxItems", "maxLength", "maxProperties"),
    *("minContains", "minItems", "minLength", "minProperties"),
)
_NUMBERS = ("exclusiveMaximum", "exclusiveMinimum", "maximum", "minimum")
_TEXTS = ("$anchor", "$dynamicAnchor", "$dynamicRef", "$id", "$ref", "description", "format")

_INNER: Mapping[str, Callable[[Any], Iterator[Any]]] = {
    **dict.fromkeys(_ONE, _one),
    **dict.fromkeys(_LISTS, _of_list),
    **dict.fromkeys(_OBJECTS, _of_object),
}
"""What returns the schemas within the value of a rule."""
_KINDS: Mapping[str, _Test] = {
    **dict.fromkeys(_LISTS, lambda value: bool(as_list(value))),
    **dict.fromkeys(_OBJECTS, lambda value: as_object(value) is not None),
    **dict.fromkeys(_COUNTS, _is_count),
    **dict.fromkeys(_NUMBERS, _is_number),
    **dict.fromkeys((*_TEXTS, "pattern", "title"), _is_text),
    "dependentRequired": _are_texts_by_name,
    "enum": lambda value: as_list(value) is not None,
    "multipleOf": lambda value: _is_number(value) and value > 0,
    "required": _are_texts,
    "type": _is_type,
    "uniqueItems": lambda value: isinstance(value, bool),
}
