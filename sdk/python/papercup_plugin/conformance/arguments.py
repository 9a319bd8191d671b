"""Arguments for a tool, made of its schema: fitting ones, and ones that do not fit. Pure.

What the author gives as `examples`, `default`, `const` or `enum` goes before what is made up.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.conformance.schemas import wrong_rules
from papercup_plugin.json_values import as_list, as_object, as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEEPEST = 16
_MOST_VALUES = 1000
"""Of so many values arguments consist: a short schema can stand for any number."""
_LONGEST = 10_000
"""Of a text, or a list: nobody has a use for more."""


def fitting(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that fit the schema of a tool, as far as that can be told from it."""
    if wrong_rules(schema):
        return {}
    made = as_object(_Making(schema).value(schema, 0))
    return {} if made is None else made


def misfits(schema: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield arguments that do not fit the schema, each with what is wrong with them."""
    if wrong_rules(schema):
        return
    whole, making = fitting(schema), _Making(schema)
    properties = as_object(schema.get("properties")) or {}
    for name in as_list(schema.get("required")) or []:
        without = {key: value for key, value in whole.items() if key != name}
        yield f"without `{name}`", without
    for name, raw in properties.items():
        other = _of_another_type(making.resolved(as_object(raw) or {}))
        if other is not None:
            yield f"with `{name}` of another type", {**whole, name: other[0]}
    if schema.get("additionalProperties") is False:
        yield "with an argument that there is not", {**whole, "nobody_knows_this": 1}


class _Making:
    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._made = 0

    def value(self, schema: Mapping[str, Any], depth: int) -> Any:  # noqa: PLR0911 - one a type
        """Return a value that fits a schema."""
        schema = self.resolved(schema)
        given = _given(schema)
        if given is not None:
            return given[0]
        self._made += 1
        if depth > _DEEPEST or self._made > _MOST_VALUES:
            return None
        match _type_of(schema):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._list(schema, depth)
            case "string":
                return _text_of(schema)
            case "integer" | "number":
                return _number(schema)
            case "boolean":
                return True
            case "null":
                return None
            case _:
                return "text"

    def resolved(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return a schema, with what it refers to in its place."""
        for _ in range(_DEEPEST):
            followed = self._followed(schema)
            if followed is None:
                break
            schema = followed
        return schema

    def _followed(self, schema: Mapping[str, Any]) -> Mapping[str, Any] | None:
        rest = {key: schema[key] for key in schema if key not in {"$ref", "anyOf", "oneOf"}}
        reference = as_text(schema.get("$ref"))
        if reference is not None:
            return {**rest, **self._found(reference)}
        for name in ("anyOf", "oneOf"):
            for each in as_list(schema.get(name)) or []:
                return {**rest, **(as_object(each) or {})}
        return None

    def _found(self, reference: str) -> Mapping[str, Any]:
        found: Any = self._root
        path = reference.removeprefix("#").strip("/")
        for part in path.split("/") if path else ():
            found = (as_object(found) or {}).get(part.replace("~1", "/").replace("~0", "~"))
        return as_object(found) or {}

    def _list(self, schema: Mapping[str, Any], depth: int) -> list[Any]:
        items, least = as_object(schema.get("items")) or {}, _whole(schema.get("minItems"), 0)
        made: list[Any] = []
        while len(made) < least and self._made <= _MOST_VALUES:
            made.append(self.value(items, depth + 1))
        return made

    def _object(self, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        properties = as_object(schema.get("properties")) or {}
        required = as_list(schema.get("required")) or []
        made: dict[str, Any] = {}
        for name, raw in properties.items():
            inner = as_object(raw) or {}
            if name in required or _given(self.resolved(inner)) is not None:
                made[name] = self.value(inner, depth + 1)
        return made


def _given(schema: Mapping[str, Any]) -> tuple[Any] | None:
    """Return a value that the schema itself gives."""
    for name in ("examples", "enum"):
        values = as_list(schema.get(name))
        if values:
            return (values[0],)
    for name in ("const", "default"):
        if name in schema:
            return (schema[name],)
    return None


def _type_of(schema: Mapping[str, Any]) -> str | None:
    said = schema.get("type")
    named = as_text(said) or next(iter(as_list(said) or []), None)
    return "object" if named is None and "properties" in schema else as_text(named)


def _text_of(schema: Mapping[str, Any]) -> str:
    text = "text".ljust(_whole(schema.get("minLength"), 0), "x")
    return text[: _whole(schema.get("maxLength"), len(text))]


def _number(schema: Mapping[str, Any]) -> Any:
    step = schema.get("multipleOf", 1)
    for name, more in (("minimum", 0), ("exclusiveMinimum", step)):
        if name in schema:
            return schema[name] + more
    for name, less in (("maximum", 0), ("exclusiveMaximum", step)):
        if name in schema:
            return min(step, schema[name] - less)
    return step


def _whole(value: Any, usual: int) -> int:
    return min(int(value), _LONGEST) if isinstance(value, int | float) else usual


def _of_another_type(schema: Mapping[str, Any]) -> tuple[Any] | None:
    """Return something that no value of that schema is; `None` if anything may be."""
    types = schema.get("type")
    taken = {types} if isinstance(types, str) else set(as_list(types) or [])
    if not taken:
        return None
    others: dict[str, Any] = {"object": {"a": [None]}, "array": [{}], "string": "text"}
    return next(((value,) for name, value in others.items() if name not in taken), None)
