"""What else is said of a value in `Annotated[...]`. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from papercup_plugin.forms import Form, Schema, UnionForm, misfit
from papercup_plugin.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

_NUMBERS = frozenset({"integer", "number"})
_SIZED = frozenset({"string", "array", "object"})
_SAID_OF: Mapping[str, frozenset[str]] = {
    "minimum": _NUMBERS,
    "maximum": _NUMBERS,
    "min_length": _SIZED,
    "max_length": _SIZED,
    "pattern": frozenset({"string"}),
}
"""Of which kinds of values each limit says something."""
_LENGTHS = {"array": "Items", "object": "Properties"}


class Field(Record):
    """What a value has to be besides its type: `Annotated[int, Field(minimum=1)]`."""

    description: str | None = None
    """For the model."""
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    """Of a text in characters, of a list in items."""
    max_length: int | None = None
    pattern: str | None = None
    """A regular expression that is found in the text."""

    def limits(self, kind: str | None) -> frozenset[str]:
        """Return which of its limits say something of a kind of values; `None` is any kind."""
        given = {name for name in _SAID_OF if self.parts()[name] is not None}
        return frozenset(name for name in given if kind is None or kind in _SAID_OF[name])

    def schema(self, kind: str | None) -> Schema:
        """Return it as JSON Schema, for a value of that kind."""
        length = _LENGTHS.get(kind or "", "Length")
        names = {"min_length": f"min{length}", "max_length": f"max{length}"}
        limits = {names.get(name, name): self.parts()[name] for name in sorted(self.limits(kind))}
        return limits if self.description is None else {"description": self.description, **limits}

    def check(self, value: Any, where: str) -> None:
        """See to it that a value is like that.

        Raises:
            BadArgumentsError: If it is not.
        """
        if isinstance(value, bool):
            return
        if isinstance(value, int | float):
            self._check_size(value, where)
        elif hasattr(value, "__len__"):
            self._check_length(len(value), where)
        if not isinstance(value, str) or self.pattern is None:
            return
        if re.search(self.pattern, value) is None:
            raise misfit(where, f"a text that matches {self.pattern}")

    def _check_size(self, value: float, where: str) -> None:
        if self.minimum is not None and value < self.minimum:
            raise misfit(where, f"at least {self.minimum}")
        if self.maximum is not None and value > self.maximum:
            raise misfit(where, f"at most {self.maximum}")

    def _check_length(self, length: int, where: str) -> None:
        if self.min_length is not None and length < self.min_length:
            raise misfit(where, f"at least {self.min_length} long")
        if self.max_length is not None and length > self.max_length:
            raise misfit(where, f"at most {self.max_length} long")


class ConstrainedForm(Record):
    """A value of some kind of which more is said."""

    form: Form
    field: Field

    def schema(self) -> Schema:
        """Return its kind, and what more is said."""
        schema = self.form.schema()
        return schema | self.field.schema(_kind(self.form))

    def read(self, value: Any, where: str) -> Any:
        """Return it."""
        found = self.form.read(value, where)
        self.field.check(found, where)
        return found


def constrained(form: Form, field: Field) -> Form:
    """Return the form of values of which more is said; of a union, what it says of each kind.

    Raises:
        ValueError: If it says nothing of such values.
    """
    each_form = form.forms if isinstance(form, UnionForm) else (form,)
    of_each = [field.limits(_kind(each)) for each in each_form]
    idle = field.limits(None).difference(*of_each)
    if idle:
        raise ValueError(f"`{min(idle)}` of its Field says nothing of such a value")
    _check_pattern(field.pattern)
    if not isinstance(form, UnionForm) or not field.limits(None):
        return ConstrainedForm(form, field)
    limits = field.replaced(description=None)
    pairs = zip(each_form, of_each, strict=True)
    kinds = tuple(ConstrainedForm(each, limits) if said else each for each, said in pairs)
    return ConstrainedForm(UnionForm(kinds), Field(field.description))


def _check_pattern(pattern: str | None) -> None:
    try:
        re.compile(pattern or "")
    except re.error as error:
        raise ValueError(f"the pattern {pattern!r} cannot be read: {error}") from error


def _kind(form: Form) -> str | None:
    """Return what kind of values a form has; `None` if it may be any, or one of several."""
    kind = form.schema().get("type")
    return kind if isinstance(kind, str) else None
