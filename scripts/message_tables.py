"""The models of the messages, as tables in Markdown. Pure."""

# ruff: noqa: INP001 - a part of `message_reference`, which is run with -m

from collections.abc import Iterator
from dataclasses import dataclass

from papercup_plugin.conformance.frames import FRAMES
from papercup_plugin.conformance.kinds import (
    Anything,
    Either,
    Flag,
    Kind,
    Later,
    ListOf,
    MapOf,
    Null,
    Number,
    Object,
    Tagged,
    Text,
)

PARTS = {name: kind for name, kind in FRAMES.items() if not name.startswith(("sep ", "stdio "))}
"""What has a name of its own, as it stands in several messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One member of an object, with all that is in it if that has no name of its own."""

    case: str
    """Of an object with several forms, the form; else empty."""
    path: str
    """Such as `host.name`, or `rows[].key`."""
    kind: Kind
    is_required: bool
    """Whether it has to be there, if what it is in is."""

    @property
    def name(self) -> str:
        """What it is called in `MEMBERS`, where its meaning stands."""
        return f"{self.case}.{self.path}" if self.case else self.path


def members_of(kind: Kind) -> list[Member]:
    """Return all members that an object may have; none of what is no object."""
    match kind:
        case Tagged():
            return [
                member for case, inner in kind.cases.items() for member in _below(inner, "", case)
            ]
        case Either():
            return members_of(kind.first)
        case _:
            return list(_below(kind, "", ""))


def part_of(kind: Kind) -> str | None:
    """Return the name that a kind has of its own; `None` if it has none."""
    inner = kind.kind() if isinstance(kind, Later) else kind
    return next((name for name, part in PARTS.items() if part is inner), None)


def tag_of(kind: Kind) -> str | None:
    """Return the member that says which form an object has, if it has several."""
    return kind.tag if isinstance(kind, Tagged) else None


def bare_cases(kind: Kind) -> list[str]:
    """Return the forms of an object in which it has no members but the one that says which."""
    if not isinstance(kind, Tagged):
        return []
    return [case for case, inner in kind.cases.items() if not members_of(inner)]


def kind_words(kind: Kind) -> str:  # noqa: C901, PLR0911 - one for each kind
    """Return what a value may be, in words; what has a name of its own as a link to it."""
    if (name := part_of(kind)) is not None:
        return f"[{name}](#{name.replace(' ', '-')})"
    match kind:
        case Text():
            return _one_of(kind.choices) if kind.choices else "text"
        case Flag():
            return "true or false"
        case Number():
            return _number_words(kind)
        case ListOf():
            return f"list; each: {kind_words(kind.each)}"
        case MapOf():
            inner = "" if isinstance(kind.each, Anything) else f"; each: {kind_words(kind.each)}"
            return f"object with any members{inner}"
        case Object(is_open=True):
            return "object; others than these may be in it"
        case Object() | Tagged():
            return "object"
        case Either():
            return _either_words(kind)
        case Later():
            return kind_words(kind.kind())
        case Null():
            return "null"
        case _:
            return "any JSON"


def _below(kind: Kind, where: str, case: str) -> Iterator[Member]:
    """Yield the members of an object, from the top."""
    if not isinstance(kind, Object):
        return
    for name, inner in {**kind.required, **kind.optional}.items():
        path = f"{where}{name}"
        yield Member(case=case, path=path, kind=inner, is_required=name in kind.required)
        inside, mark = (inner.each, "[].") if isinstance(inner, ListOf) else (inner, ".")
        if part_of(inside) is None:
            yield from _below(inside, f"{path}{mark}", case)


def _one_of(choices: tuple[str, ...]) -> str:
    shown = [f"`{choice}`" for choice in choices]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"


def _number_words(kind: Number) -> str:
    name = "whole number" if kind.is_whole else "number"
    match kind.least, kind.most:
        case None, None:
            return name
        case least, None:
            return f"{name}, {least:g} or more"
        case None, most:
            return f"{name}, at most {most:g}"
        case least, most:
            return f"{name}, {least:g} to {most:g}"


def _either_words(kind: Either) -> str:
    kinds = (kind.first, *kind.others)
    if any(isinstance(each, Anything) for each in kinds):
        return "any JSON"
    return " or ".join(dict.fromkeys(kind_words(each) for each in kinds))
