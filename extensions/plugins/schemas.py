"""Checks the arguments of plugins' tools against the schemas that plugins give. Pure.

A schema is somebody else's: it is looked at once, when the tool is registered, and may then neither
raise nor reach for anything outside of itself, nor take long, whatever it is given. What could take
long is left to the plugin to check: patterns, and whether all that a list holds is different.
"""

from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from itertools import count
from typing import Any, TypeAlias

from jsonschema import Draft202012Validator, validators
from referencing import Registry
from referencing.exceptions import Unresolvable

from extensions.plugins.json_values import as_list, as_object
from extensions.plugins.schema_form import wrong_rule

MOST_DEPTH = 32
"""How deep the objects and lists of a schema may lie in each other."""
MOST_PARTS = 2000
"""Of how many objects and lists a schema may consist."""
MOST_STEPS = 200_000
"""How much is looked at for one call: rules, and members and entries by them. A short schema can
stand for any number of rules."""

ArgumentCheck: TypeAlias = Callable[[Mapping[str, Any]], str | None]
"""Returns what is wrong with the arguments, as a sentence's end; `None` if they fit."""

_Test: TypeAlias = Callable[[Any], bool]
_REFERENCES = ("$ref", "$dynamicRef")
_REFERENCE_STEPS = 200
"""To find what is referred to takes so many times as long as most rules."""
_Rule: TypeAlias = Callable[[Any, Any, Any, Any], Iterator[Any] | None]

# What says nothing of which values fit.
_SILENT = frozenset({"description", "title", "default", "examples", "$schema"})
_PLAIN: Mapping[str, _Test] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) is float or type(value) is int,
    "boolean": lambda value: type(value) is bool,
}


class BadSchemaError(Exception):
    """A schema cannot be used."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """A sentence's end."""

    def __str__(self) -> str:
        return self.reason


def argument_check(schema: Mapping[str, Any]) -> ArgumentCheck:
    """Return what checks arguments against a schema.

    Raises:
        BadSchemaError: If the schema is none, or cannot be used.
    """
    surely_fits = _quick_test(schema)
    if surely_fits is None:
        _look_at(schema)
    nothing_else = Registry[Any]()
    validator: Any = _BoundedValidator(dict(schema), registry=nothing_else)

    def check(arguments: Mapping[str, Any]) -> str | None:
        if surely_fits is not None and surely_fits(arguments):
            return None
        _steps_left.set(MOST_STEPS)
        try:
            error: Any = next(validator.iter_errors(arguments), None)
        except RecursionError:
            return "they are nested too deeply"
        except Unresolvable:
            return "it refers to what is not in it"
        except (_TooLongError, ArithmeticError):
            return "they cannot be checked"
        return None if error is None else _complaint(error)

    return check


class _TooLongError(Exception):
    """A check takes too long. Never leaves this module."""


_steps_left: ContextVar[int] = ContextVar("steps left", default=0)
"""Of the check that is under way."""


def _counted(rule: _Rule, steps: int) -> _Rule:
    def look(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
        left = _steps_left.get() - steps - _size(value) - _size(instance)
        if left < 0:
            raise _TooLongError
        _steps_left.set(left)
        return rule(validator, value, instance, schema)

    return look


def _size(value: Any) -> int:
    return len(as_object(value) or as_list(value) or ())


def _additional(validator: Any, value: Any, instance: Any, schema: Any) -> Iterator[Any] | None:
    if "patternProperties" in schema:
        return None
    return _RULES["additionalProperties"](validator, value, instance, schema)


_RULES: Mapping[str, _Rule] = Draft202012Validator.VALIDATORS
_LEFT_OUT = frozenset(
    {"pattern", "patternProperties", "uniqueItems", "unevaluatedItems", "unevaluatedProperties"}
)


def _bounded_rules() -> dict[str, _Rule]:
    rules = {**_RULES, "additionalProperties": _additional}
    return {
        name: _counted(rule, _REFERENCE_STEPS if name in _REFERENCES else 1)
        for name, rule in rules.items()
        if name not in _LEFT_OUT
    }


_validators: Any = validators
_BoundedValidator: Any = _validators.create(
    meta_schema=Draft202012Validator.META_SCHEMA,
    validators=_bounded_rules(),
    type_checker=Draft202012Validator.TYPE_CHECKER,
    id_of=Draft202012Validator.ID_OF,
)


def _complaint(error: Any) -> str:
    # Not the error's own message: it repeats what was given.
    where = ".".join(str(part) for part in error.absolute_path)
    rule = f"the rule `{error.validator}`"
    if where and error.validator == "type":
        kinds = error.validator_value
        shown = kinds if isinstance(kinds, str) else " or ".join(map(str, kinds))
        return f"`{where}` has to be of the type {shown}"
    if error.validator == "required":
        missing = [name for name in error.validator_value if name not in error.instance]
        rule = f"`{missing[0]}` is required" if missing else rule
    return f"`{where}`: {rule}" if where else rule


def _look_at(schema: Mapping[str, Any]) -> None:
    _look_inside(schema, MOST_DEPTH, count(1))
    wrong = wrong_rule(schema)
    if wrong is not None:
        raise BadSchemaError(f"its schema is none: {wrong}")


def _look_inside(part: Any, depth_left: int, numbers: Iterator[int]) -> None:
    if depth_left == 0:
        raise BadSchemaError("its schema is nested too deeply")
    members, entries = as_object(part) or {}, as_list(part) or []
    if (members or entries) and next(numbers) > MOST_PARTS:
        raise BadSchemaError(f"its schema has more than {MOST_PARTS} parts")
    for key in _REFERENCES:
        target = members.get(key)
        if isinstance(target, str) and not target.startswith("#"):
            raise BadSchemaError(f"its schema refers to {target[:100]!r}, outside of itself")
    for each in (*members.values(), *entries):
        _look_inside(each, depth_left - 1, numbers)


def _quick_test(schema: Mapping[str, Any]) -> _Test | None:
    """Return a test that only says yes to what fits; `None` for schemas that are not plain.

    Most tools take an object of plain values, for which this is many times as fast.
    """
    properties = as_object(schema.get("properties", {}))
    required = as_list(schema.get("required", []))
    additional = schema.get("additionalProperties", True)
    known = {"type", "properties", "required", "additionalProperties"} | _SILENT
    if schema.get("type") != "object" or not known.issuperset(schema):
        return None
    if properties is None or required is None or not isinstance(additional, bool):
        return None
    tests = {name: _plain_test(each) for name, each in properties.items()}
    if None in tests.values() or not all(isinstance(name, str) for name in required):
        return None
    plain = {name: test for name, test in tests.items() if test is not None}
    return _object_test(plain, required, is_closed=not additional)


def _object_test(tests: Mapping[str, _Test], required: list[str], *, is_closed: bool) -> _Test:
    needed = frozenset(required)

    def fits(arguments: Any) -> bool:
        for name, value in arguments.items():
            test = tests.get(name)
            if is_closed if test is None else not test(value):
                return False
        return bool(arguments.keys() >= needed)

    return fits


def _plain_test(schema: Any) -> _Test | None:
    members = as_object(schema)
    if members is None or not ({"type"} | _SILENT).issuperset(members):
        return None
    name = members.get("type")
    return _PLAIN.get(name) if isinstance(name, str) else None
