"""Says what is wrong with a tool's arguments, so that a model can put it right. Pure."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from jsonschema import Draft202012Validator

_MOST_COMPLAINTS = 3
_MOST_CHARACTERS = 200

_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}

_WORDED = frozenset(
    {"type", "enum", "const", "anyOf", "oneOf", "minimum", "maximum"}
    | {"minLength", "maxLength", "minItems", "maxItems"}
)
"""The rules that `described` puts into words."""


def complaint(tool: str, schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> str | None:
    """Return what is wrong with `arguments`, in sentences; `None` if they fit `schema`.

    What was given is not repeated, only what is allowed.
    """
    sentences = list(dict.fromkeys(_sentence(tool, each) for each in _misfits(schema, arguments)))
    return " ".join(sentences[:_MOST_COMPLAINTS]) or None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Misfit:
    """One place where a value does not fit its schema."""

    keyword: str
    schema: Mapping[str, Any]
    value: Any
    here: str
    """Where it is: `limit`, `files.0.name`; empty for the arguments as a whole."""


def _misfits(schema: Mapping[str, Any], arguments: Mapping[str, Any]) -> list[_Misfit]:
    validator: Any = Draft202012Validator(schema)
    misfits = [
        _Misfit(
            keyword=error.validator,
            # A schema may be just `false`.
            schema={} if isinstance(error.schema, bool) else error.schema,
            value=error.instance,
            here=".".join(str(part) for part in error.absolute_path),
        )
        for error in validator.iter_errors(arguments)
    ]
    return sorted(misfits, key=lambda misfit: misfit.here)


def described(schema: Mapping[str, Any]) -> str:
    """Return in words which values `schema` allows: `a whole number from 1 to 50`."""
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return " or ".join(dict.fromkeys(described(each) for each in schema[choice]))
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    return " or ".join(_TYPES.get(name, name) + _limits(name, schema) for name in _names(schema))


def _names(schema: Mapping[str, Any]) -> list[str]:
    names = schema.get("type", [])
    return [names] if isinstance(names, str) else list(names)


def _limits(type_name: str, schema: Mapping[str, Any]) -> str:
    match type_name:
        case "integer" | "number":
            return _range(schema.get("minimum"), schema.get("maximum"))
        case "string":
            return _range(schema.get("minLength"), schema.get("maxLength"), "characters")
        case "array":
            return _range(schema.get("minItems"), schema.get("maxItems"), "items")
        case _:
            return ""


def _range(low: float | None, high: float | None, what: str = "") -> str:
    start, end = (" of", f" {what}") if what else ("", "")
    match low, high:
        case None, None:
            return ""
        case _, None:
            return f"{start} at least {low}{end}"
        case None, _:
            return f"{start} at most {high}{end}"
        case _ if what:
            return f"{start} {low} to {high}{end}"
        case _:
            return f" from {low} to {high}"


def _sentence(tool: str, misfit: _Misfit) -> str:
    if misfit.keyword == "required":
        missing = [name for name in misfit.schema["required"] if name not in misfit.value]
        return f"{tool} needs {_listed(missing, misfit)}."
    if misfit.keyword == "additionalProperties":
        return _unknown(tool, misfit)
    subject = f"`{misfit.here}` of {tool}" if misfit.here else f"What {tool} takes"
    if misfit.keyword in _WORDED:
        return f"{subject} must be {described(misfit.schema)}."
    rule = json.dumps(misfit.schema.get(misfit.keyword, False))[:_MOST_CHARACTERS]
    return f"{subject} must fit the rule `{misfit.keyword}: {rule}`."


def _unknown(tool: str, misfit: _Misfit) -> str:
    known = misfit.schema.get("properties", {})
    unknown = [f"`{name[:_MOST_CHARACTERS]}`" for name in misfit.value if name not in known]
    takes = f"it takes {_listed(known, misfit)}" if known else "it takes no arguments"
    return f"{tool} does not know {', '.join(unknown[:_MOST_COMPLAINTS])}; {takes}."


def _listed(names: Iterable[str], misfit: _Misfit) -> str:
    """Return `names` with what each may be: `` `task` (text), `limit` (a whole number) ``."""
    properties = misfit.schema.get("properties", {})
    before = f"{misfit.here}." if misfit.here else ""
    return ", ".join(f"`{before}{name}`{_in_brackets(properties.get(name, {}))}" for name in names)


def _in_brackets(schema: Mapping[str, Any]) -> str:
    allowed = described(schema)
    return f" ({allowed})" if allowed else ""
