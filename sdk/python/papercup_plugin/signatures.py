"""How a function wants to be called: read from the function itself.

Without the standard library's `inspect`, which takes longer to import than a plugin to start.
"""

from __future__ import annotations

import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from papercup_plugin.records import Record

Function: TypeAlias = Callable[..., Any]

CONTEXT_NAME = "ctx"
_CONTEXT_TYPES = ("Context", "AsyncContext")
_VARARGS, _VARKEYWORDS = 0x04, 0x08
_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200

NOTHING: Any = object()
"""Stands for a default that there is not."""


class Parameter(Record):
    """One parameter of a function."""

    name: str
    default: Any = NOTHING

    @property
    def is_required(self) -> bool:
        """Whether there is no default."""
        return self.default is NOTHING


class Signature(Record):
    """The parameters of a function, but for that of the context."""

    parameters: tuple[Parameter, ...]
    context_name: str | None = None
    """The parameter that the context is given as; `None`: it wants none."""
    takes_more: bool = False
    """Whether it takes any other arguments by name."""
    is_async: bool = False
    is_generator: bool = False
    """Whether it yields."""


def signature_of(function: Function) -> Signature:
    """Return the signature of a function, or of what it wraps.

    Raises:
        TypeError: If it is no function, or one that cannot be called by name.
    """
    inner = unwrapped(function)
    bound = getattr(inner, "__func__", inner)
    code = getattr(bound, "__code__", None)
    if code is None:
        raise TypeError(f"{function!r} is not a function")
    if code.co_flags & _VARARGS or code.co_posonlyargcount:
        raise TypeError(f"{code.co_name}: each of its parameters needs a name: no `*` and no `/`")
    flags = code.co_flags | getattr(getattr(function, "__code__", code), "co_flags", 0)
    parameters = _parameters(bound, code)[1 if bound is not inner else 0 :]
    names = [each.name for each in parameters]
    context_name = _context_name(bound, names)
    is_async = bool(flags & (_COROUTINE | _ASYNC_GENERATOR))
    _check_context(bound, context_name, is_async=is_async)
    return Signature(
        parameters=tuple(each for each in parameters if each.name != context_name),
        context_name=context_name,
        takes_more=bool(code.co_flags & _VARKEYWORDS),
        is_async=is_async,
        is_generator=bool(flags & (_GENERATOR | _ASYNC_GENERATOR)),
    )


def unwrapped(function: Function) -> Function:
    """Return what decorators were put around."""
    while (inner := getattr(function, "__wrapped__", None)) is not None:
        function = inner
    return function


def hints_of(owner: Any) -> Mapping[str, Any]:
    """Return the types that are written at a function or a class.

    Raises:
        TypeError: If a name in them means nothing.
    """
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except NameError as error:
        name = getattr(owner, "__qualname__", owner)
        raise TypeError(f"{name}: the type {error.name!r} is not known here") from error


def _parameters(function: Function, code: Any) -> list[Parameter]:
    names = code.co_varnames[: code.co_argcount]
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    last: tuple[Any, ...] = getattr(function, "__defaults__", None) or ()
    defaults = dict(zip(names[len(names) - len(last) :], last, strict=True))
    defaults |= getattr(function, "__kwdefaults__", None) or {}
    return [Parameter(name, defaults.get(name, NOTHING)) for name in (*names, *by_name)]


def _context_name(function: Function, names: list[str]) -> str | None:
    annotations = getattr(function, "__annotations__", {})
    for name in names:
        if _type_name(annotations.get(name)) in _CONTEXT_TYPES:
            return name
    return CONTEXT_NAME if CONTEXT_NAME in names else None


def _check_context(function: Function, context_name: str | None, *, is_async: bool) -> None:
    """See to it that nobody awaits what waits, or the other way round."""
    annotations = getattr(function, "__annotations__", {})
    given = _type_name(annotations.get(context_name))
    wanted = _CONTEXT_TYPES[is_async]
    if given in _CONTEXT_TYPES and given != wanted:
        kind = "an async" if is_async else "a plain"
        name = getattr(function, "__qualname__", "it")
        raise TypeError(f"{name} is {kind} function, so its context is of the type {wanted}")


def _type_name(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.rpartition(".")[2]
