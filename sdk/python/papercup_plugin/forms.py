"""What a value has to look like: as JSON Schema for models, and to read what they sent. Pure."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from papercup_plugin.errors import BadArgumentsError
from papercup_plugin.json_values import as_list, as_object
from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

Schema: TypeAlias = dict[str, Any]


class Form(Protocol):
    """What one kind of value looks like."""

    def schema(self) -> Schema:
        """Return it as JSON Schema."""
        ...

    def read(self, value: Any, where: str) -> Any:
        """Return what a JSON value stands for.

        Raises:
            BadArgumentsError: If it is none of this kind; `where` says which value it is.
        """
        ...


def misfit(where: str, wanted: str) -> BadArgumentsError:
    """Return that a value is not what it has to be."""
    return BadArgumentsError(f"`{where}` has to be {wanted}")


class AnyForm:
    """Any JSON."""

    def schema(self) -> Schema:
        """Return that anything will do."""
        return {}

    def read(self, value: Any, where: str) -> Any:  # noqa: ARG002 - as all forms have it
        """Return it as it is."""
        return value


class ScalarForm(Record):
    """A text, a number, a truth value or nothing."""

    type_name: str
    """As JSON Schema calls it."""
    wanted: str
    """As people read it."""
    read_or_none: Callable[[Any], Any]
    """Returns it as Python has it; `None` if it is something else."""

    def schema(self) -> Schema:
        """Return its type."""
        return {"type": self.type_name}

    def read(self, value: Any, where: str) -> Any:
        """Return it."""
        found = self.read_or_none(value)
        if found is None and self.type_name != "null":
            raise misfit(where, self.wanted)
        if self.type_name == "null" and value is not None:
            raise misfit(where, self.wanted)
        return found


def _integer(value: Any) -> int | None:
    # 6.0 is an integer in JSON Schema, and True is none.
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    # Python reads more numbers in JSON than there are: 1e999, and integers of any length.
    return float(value) if abs(value) <= sys.float_info.max else None


def _of_type(kind: type) -> Callable[[Any], Any]:
    return lambda value: value if isinstance(value, kind) else None


SCALARS: Mapping[Any, Form] = {
    str: ScalarForm("string", "a text", _of_type(str)),
    int: ScalarForm("integer", "an integer", _integer),
    float: ScalarForm("number", "a number", _number),
    bool: ScalarForm("boolean", "true or false", _of_type(bool)),
    type(None): ScalarForm("null", "null", lambda _value: None),
}


class ChoiceForm(Record):
    """One of several given values: of a `Literal`, or of an enumeration."""

    choices: Sequence[tuple[Any, Any]]
    """Each as JSON has it, and as Python does."""

    def schema(self) -> Schema:
        """Return the choices."""
        values = [value for value, _ in self.choices]
        kinds: set[Any] = {type(value) for value in values}
        scalar = SCALARS.get(kinds.pop()) if len(kinds) == 1 else None
        return {**({} if scalar is None else scalar.schema()), "enum": values}

    def read(self, value: Any, where: str) -> Any:
        """Return the choice."""
        for choice, meant in self.choices:
            # 1 equals True.
            if choice == value and type(choice) is type(value):
                return meant
        shown = ", ".join(repr(choice) for choice, _ in self.choices)
        raise misfit(where, f"one of {shown}")


class ListForm(Record):
    """Any number of values of one kind."""

    item: Form
    make: Callable[[list[Any]], Any] = list
    is_unique: bool = False

    def schema(self) -> Schema:
        """Return the kind of its items."""
        unique = {"uniqueItems": True} if self.is_unique else {}
        return {"type": "array", "items": self.item.schema(), **unique}

    def read(self, value: Any, where: str) -> Any:
        """Return it, with each of its items read."""
        items = as_list(value)
        if items is None:
            raise misfit(where, "a list")
        return self.make(
            [self.item.read(each, f"{where}[{number}]") for number, each in enumerate(items)]
        )


class TupleForm(Record):
    """A fixed number of values, each of a kind of its own."""

    items: tuple[Form, ...]

    def schema(self) -> Schema:
        """Return their kinds."""
        size = len(self.items)
        kinds = [item.schema() for item in self.items]
        return {"type": "array", "prefixItems": kinds, "minItems": size, "maxItems": size}

    def read(self, value: Any, where: str) -> Any:
        """Return them."""
        items = as_list(value)
        if items is None or len(items) != len(self.items):
            raise misfit(where, f"a list of {len(self.items)}")
        pairs = enumerate(zip(self.items, items, strict=True))
        return tuple(item.read(each, f"{where}[{number}]") for number, (item, each) in pairs)


class MapForm(Record):
    """Values of one kind by any names."""

    value: Form

    def schema(self) -> Schema:
        """Return their kind."""
        return {"type": "object", "additionalProperties": self.value.schema()}

    def read(self, value: Any, where: str) -> Any:
        """Return them."""
        members = as_object(value)
        if members is None:
            raise misfit(where, "an object")
        return {key: self.value.read(each, f"{where}.{key}") for key, each in members.items()}


class Member(Record):
    """One member of an object."""

    form: Form
    is_required: bool
    description: str | None = None
    default: Any = None
    """As JSON has it; `None` says nothing."""

    def schema(self) -> Schema:
        """Return its kind, and what there is to say of it."""
        said = {"description": self.description, "default": self.default}
        named = {name: value for name, value in said.items() if value is not None}
        return self.form.schema() | named


class ObjectForm(Record):
    """Values of their own kinds by given names."""

    members: Mapping[str, Member]
    make: Callable[..., Any] = dict
    """Makes it of its members, by name; what was not sent is left out."""
    takes_more: bool = False
    """Whether there may be others."""
    description: str | None = None
    ignored: frozenset[str] = frozenset()
    """What may stand there and means nothing."""

    def schema(self) -> Schema:
        """Return its members."""
        named = {} if self.description is None else {"description": self.description}
        required = [name for name, member in self.members.items() if member.is_required]
        return {
            "type": "object",
            **named,
            "properties": {name: member.schema() for name, member in self.members.items()},
            **({"required": required} if required else {}),
            "additionalProperties": self.takes_more,
        }

    def read(self, value: Any, where: str) -> Any:
        """Return it."""
        members = as_object(value)
        if members is None:
            raise misfit(where, "an object")
        read = self.read_members(members, where)
        try:
            return self.make(**read)
        except ValueError as error:
            # What it is made into looks at itself.
            raise BadArgumentsError(f"`{where}`: {error}") from error

    def read_members(self, value: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Return its members, each of them read."""
        read: dict[str, Any] = {}
        before = f"{where}." if where else ""
        for name, each in value.items():
            if name in self.members:
                read[name] = self.members[name].form.read(each, f"{before}{name}")
            elif name in self.ignored:
                continue
            elif self.takes_more:
                read[name] = each
            else:
                raise BadArgumentsError(f"`{before}{name}` is not known")
        for name, member in self.members.items():
            if member.is_required and name not in read:
                raise BadArgumentsError(f"`{before}{name}` is missing")
        return read


class UnionForm(Record):
    """A value of one of several kinds; the first that fits counts."""

    forms: tuple[Form, ...]

    def schema(self) -> Schema:
        """Return the kinds."""
        kinds = [form.schema() for form in self.forms]
        if all(list(kind) == ["type"] for kind in kinds):
            return {"type": [kind["type"] for kind in kinds]}
        return {"anyOf": kinds}

    def read(self, value: Any, where: str) -> Any:
        """Return it."""
        reasons: list[str] = []
        for form in self.forms:
            try:
                return form.read(value, where)
            except BadArgumentsError as error:
                reasons.append(error.reason)
        first, *others = dict.fromkeys(reasons)
        same = misfit(where, "").reason
        raise BadArgumentsError(" or ".join([first, *(each.removeprefix(same) for each in others)]))
