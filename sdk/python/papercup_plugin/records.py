"""Values: made of named parts, never changed, compared by what they hold.

As frozen dataclasses, whose module takes longer to import than all of this package.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, dataclass_transform


@dataclass_transform(frozen_default=True)
class Record:
    """A value of named parts. What has no default comes first; lists and objects are shared."""

    _parts: ClassVar[tuple[str, ...]] = ()
    _defaults: ClassVar[dict[str, Any]] = {}

    def __init_subclass__(cls) -> None:
        written = cls.__dict__.get("__annotations__", ())  # noqa: RUF063 - `inspect` is slow
        own = [name for name in written if name[0] != "_"]
        cls._parts = (*cls._parts, *own)
        cls._defaults = cls._defaults | {
            name: cls.__dict__[name] for name in own if name in cls.__dict__
        }

    def __init__(self, *values: Any, **named: Any) -> None:
        if len(values) > len(self._parts):
            raise TypeError(f"{type(self).__name__} has only {len(self._parts)} parts")
        given = dict(zip(self._parts, values, strict=False))
        if not named.keys().isdisjoint(given) or not named.keys() <= set(self._parts):
            raise TypeError(f"{type(self).__name__} has the parts {', '.join(self._parts)}")
        whole = {**self._defaults, **given, **named}
        if len(whole) < len(self._parts):
            missing = [name for name in self._parts if name not in whole]
            raise TypeError(f"{type(self).__name__} needs {', '.join(missing)}")
        self.__dict__.update(whole)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} cannot be changed")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.__dict__ == self.__dict__

    def __hash__(self) -> int:
        return hash(tuple(self.__dict__.items()))

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._parts)
        return f"{type(self).__name__}({parts})"

    def parts(self) -> dict[str, Any]:
        """Return its parts by their names."""
        return {name: self.__dict__[name] for name in self._parts}

    def replaced(self, **changes: Any) -> Self:
        """Return it with some parts otherwise."""
        return type(self)(**(self.parts() | changes))
