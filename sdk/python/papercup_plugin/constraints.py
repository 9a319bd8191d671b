"""What else is said of a value in `Annotated[...]`. Pure."""

from __future__ import annotations

import re
from typing import Any

from papercup_plugin.forms import Form, Schema, misfit
from papercup_plugin.records import Record


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

    def schema(self, kind: Any) -> Schema:
        """Return it as JSON Schema, for a value of that kind."""
        length = {"array": "Items", "object": "Properties"}.get(kind, "Length")
        said = {
            "description": self.description,
            "minimum": self.minimum,
            "maximum": self.maximum,
            f"min{length}": self.min_length,
            f"max{length}": self.max_length,
            "pattern": self.pattern,
        }
        return {name: value for name, value in said.items() if value is not None}

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
        return schema | self.field.schema(schema.get("type"))

    def read(self, value: Any, where: str) -> Any:
        """Return it."""
        found = self.form.read(value, where)
        self.field.check(found, where)
        return found
