"""Values of a kind, made of the kind alone: right ones, and ones that are wrong. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from papercup_plugin.conformance.kinds import (
    Anything,
    Either,
    Flag,
    Kind,
    Later,
    ListOf,
    MapOf,
    Number,
    Object,
    Tagged,
    Text,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_NAME = "nobody_knows_this"


def right(kind: Kind, *, is_full: bool = True) -> Any:  # noqa: C901, PLR0911 - one for each kind
    """Return a value of a kind, with or without what may be missing."""
    match kind:
        case Text():
            return kind.choices[0] if kind.choices else "text"
        case Flag():
            return True
        case Number():
            return 1 if kind.least is None else max(kind.least, 1 if kind.most is None else 0)
        case ListOf():
            return [right(kind.each, is_full=is_full)] if is_full else []
        case MapOf():
            return {"any": right(kind.each)} if is_full else {}
        case Object():
            named = {**kind.required, **(kind.optional if is_full else {})}
            return {name: right(member, is_full=is_full) for name, member in named.items()}
        case Tagged():
            return _of_case(kind, next(iter(kind.cases)), is_full=is_full)
        case Either():
            return right(kind.first, is_full=is_full)
        case Later():
            return right(kind.kind(), is_full=False)
        case Anything():
            return "anything"
        case _:
            return None


def all_right(kind: Kind) -> Iterator[Any]:
    """Yield right values of all forms that a kind has."""
    match kind:
        case Tagged():
            for tag in kind.cases:
                yield from (_of_case(kind, tag, is_full=full) for full in (True, False))
        case Either():
            yield from (right(each) for each in (kind.first, *kind.others))
        case Text(choices=(_, *_)):
            yield from kind.choices
        case Anything():
            yield from ("anything", None, {"any": [1]})
        case _:
            yield from (right(kind, is_full=full) for full in (True, False))


def wrong(kind: Kind) -> Iterator[tuple[str, Any]]:
    """Yield values that are wrong, each with what is wrong with it; some of each sort."""
    match kind:
        case Text():
            yield "no text", 7
            if kind.choices:
                yield "a word that there is not", _NO_NAME
        case Flag():
            yield "neither true nor false", "yes"
        case Number():
            yield from _wrong_numbers(kind)
        case ListOf():
            yield "no list", {}
            yield from ((f"an entry: {why}", [each]) for why, each in wrong(kind.each))
        case MapOf():
            yield "no object", []
            yield from ((f"a member: {why}", {"any": each}) for why, each in wrong(kind.each))
        case Object():
            yield from _wrong_objects(kind)
        case Tagged():
            yield from _wrong_cases(kind)
        case Either() | Later():
            yield "a list", []
        case _:
            return


def _of_case(kind: Tagged, tag: str, *, is_full: bool) -> dict[str, Any]:
    return {kind.tag: tag, **right(kind.cases[tag], is_full=is_full)}


def _wrong_numbers(kind: Number) -> Iterator[tuple[str, Any]]:
    yield "no number", "one"
    yield "true", True
    if kind.is_whole:
        yield "a broken number", (kind.least or 0) + 0.5
    if kind.least is not None:
        yield "too small a number", kind.least - 1
    if kind.most is not None:
        yield "too large a number", kind.most + 1


def _wrong_objects(kind: Object) -> Iterator[tuple[str, Any]]:
    yield "no object", []
    whole: dict[str, Any] = right(kind)
    for name in kind.required:
        yield f"{name} is missing", {key: whole[key] for key in whole if key != name}
    for name, member in {**kind.required, **kind.optional}.items():
        yield from ((f"{name}: {why}", {**whole, name: value}) for why, value in wrong(member))
    if not kind.is_open:
        yield "a member that nobody knows", {**whole, _NO_NAME: 1}


def _wrong_cases(kind: Tagged) -> Iterator[tuple[str, Any]]:
    yield "no object", []
    first = _of_case(kind, next(iter(kind.cases)), is_full=True)
    yield f"{kind.tag} is missing", {key: first[key] for key in first if key != kind.tag}
    yield f"{kind.tag}: a word that there is not", {**first, kind.tag: _NO_NAME}
    for tag, case in kind.cases.items():
        for why, value in wrong(case):
            if isinstance(value, dict):
                yield f"{tag}: {why}", {**value, kind.tag: tag}
