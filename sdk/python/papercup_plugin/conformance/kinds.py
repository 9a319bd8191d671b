"""What values of the wire look like, written down as data. Pure."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Protocol

from papercup_plugin.json_values import as_list, as_object

_LONGEST_SHOWN = 60
_MOST_COMPLAINTS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """Something in a value that is not as it has to be."""

    where: str
    """Such as `registrations.tools[0].name`; empty for the value itself."""
    what: str
    """The end of a sentence that begins with where it is."""
    is_unknown: bool = False
    """Whether it is only a member that nobody knows: whoever reads it passes over it."""

    def __str__(self) -> str:
        return f"`{self.where}` {self.what}" if self.where else f"it {self.what}"


class Kind(Protocol):
    """What a value may be."""

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        ...


def complaints_about(kind: Kind, value: Any) -> list[Complaint]:
    """Return what is wrong with a value, the worst first; of very much, a part."""
    try:
        found = list(islice(kind.complaints(value, ""), _MOST_COMPLAINTS))
    except RecursionError:
        return [Complaint(where="", what="is nested too deeply")]
    return sorted(found, key=lambda each: (each.is_unknown, each.where))


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON."""

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield nothing."""
        del value, where
        yield from ()


@dataclass(frozen=True, slots=True)
class Null:
    """Nothing."""

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        if value is not None:
            yield _other(value, where, "null")


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text."""

    choices: tuple[str, ...] = ()
    """Which there are; without any, all."""

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        if not isinstance(value, str):
            yield _other(value, where, "a text")
        elif self.choices and value not in self.choices:
            wanted = ", ".join(f"`{choice}`" for choice in self.choices)
            yield Complaint(where=where, what=f"is {_shown(value)}; it has to be one of {wanted}")


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        if not isinstance(value, bool):
            yield _other(value, where, "true or false")


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number."""

    least: float | None = None
    most: float | None = None
    is_whole: bool = False

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if not is_number or (self.is_whole and value % 1 != 0):
            yield _other(value, where, "a whole number" if self.is_whole else "a number")
        elif self.least is not None and value < self.least:
            yield Complaint(where=where, what=f"is {value}; {self.least:g} is the least")
        elif self.most is not None and value > self.most:
            yield Complaint(where=where, what=f"is {value}; {self.most:g} is the most")


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list, all of whose entries are of a kind."""

    each: Kind

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        entries = as_list(value)
        if entries is None:
            yield _other(value, where, "a list")
        for number, entry in enumerate(entries or ()):
            yield from self.each.complaints(entry, f"{where}[{number}]")


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object with members of any name, all of a kind."""

    each: Kind = field(default_factory=Anything)

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        members = as_object(value)
        if members is None:
            yield _other(value, where, "an object")
        for name, member in (members or {}).items():
            yield from self.each.complaints(member, _below(where, name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Object:
    """An object with members of these names."""

    required: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    optional: Mapping[str, Kind] = field(default_factory=dict[str, Kind])
    is_open: bool = False
    """Whether others may be there, too."""
    is_strict: bool = False
    """Whether others make it wrong; else they are passed over."""

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        members = as_object(value)
        if members is None:
            yield _other(value, where, "an object")
            return
        for name in self.required.keys() - members.keys():
            yield Complaint(where=_below(where, name), what="is missing")
        known = {**self.required, **self.optional}
        for name, member in members.items():
            if name in known:
                yield from known[name].complaints(member, _below(where, name))
            elif not self.is_open:
                what = (
                    "does not belong there" if self.is_strict else "is a member that nobody knows"
                )
                is_unknown = not self.is_strict
                yield Complaint(where=_below(where, name), what=what, is_unknown=is_unknown)


@dataclass(frozen=True, slots=True)
class Tagged:
    """An object, one of whose members says which others it has."""

    tag: str
    cases: Mapping[str, Object]
    """By what that member is; they need not name it."""

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        members = as_object(value)
        if members is None:
            yield _other(value, where, "an object")
            return
        tag = Text(choices=tuple(self.cases))
        outer = Object(required={self.tag: tag}, is_open=True)
        wrong = list(outer.complaints(members, where))
        if wrong:
            yield from wrong
            return
        others = {name: member for name, member in members.items() if name != self.tag}
        yield from self.cases[members[self.tag]].complaints(others, where)


@dataclass(frozen=True, slots=True)
class Either:
    """A value of one of several kinds; the complaints are those of the first."""

    first: Kind
    others: tuple[Kind, ...]

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        found = list(self.first.complaints(value, where))
        if found and all(any(kind.complaints(value, where)) for kind in self.others):
            yield from found


@dataclass(frozen=True, slots=True)
class Later:
    """A kind that holds itself."""

    kind: Callable[[], Kind]

    def complaints(self, value: Any, where: str) -> Iterator[Complaint]:
        """Yield what is wrong with a value."""
        yield from self.kind().complaints(value, where)


def _other(value: Any, where: str, wanted: str) -> Complaint:
    return Complaint(where=where, what=f"is {_shown(value)}; it has to be {wanted}")


def _shown(value: Any) -> str:
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case dict():
            return "an object"
        case list():
            return "a list"
        case _:
            shown = repr(value)
            return shown if len(shown) <= _LONGEST_SHOWN else f"{shown[:_LONGEST_SHOWN]}…"


def _below(where: str, name: str) -> str:
    shown = name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
    return f"{where}.{shown}" if where else shown
