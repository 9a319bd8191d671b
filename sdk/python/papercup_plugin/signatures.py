"""How a function wants to be called: read from the function itself.

Without the standard library's `inspect`, which takes longer to import than a plugin to start.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from papercup_plugin.records import Record

Function: TypeAlias = Callable[..., Any]

CONTEXT_NAME = "ctx"
CONTEXT_TYPES = ("Context", "AsyncContext")
_OTHER_TYPES = frozenset({"str", "int", "float", "bool", "list", "dict"})
"""Of what somebody has who means something else with `ctx`."""
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
        raise TypeError(f"{function!r} is not a function; write one that calls it")
    if code.co_flags & _VARARGS or code.co_posonlyargcount:
        raise TypeError(
            f"{name_of(bound)}: each of its parameters needs a name: no `*` and no `/`"
            " (what a decorator puts around it needs functools.wraps)"
        )
    if bound is inner and _is_method(bound, code):
        raise TypeError(f"{name_of(bound)} is a method; take that of an object: `thing.method`")
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


def name_of(function: Any) -> str:
    """Return how a function is called in its author's file."""
    return getattr(function, "__qualname__", repr(function))


def yields(function: Function) -> bool:
    """Say whether what a function returns has to be iterated."""
    code = getattr(function, "__code__", None)
    return bool(getattr(code, "co_flags", 0) & (_GENERATOR | _ASYNC_GENERATOR))


def hints_of(kind: Any) -> Mapping[str, Any]:
    """Return the types that are written in a class.

    Raises:
        TypeError: If a name in them means nothing.
    """
    return _evaluated(kind, name_of(kind))


def parameter_hints(function: Function, names: Iterable[str]) -> Mapping[str, Any]:
    """Return the types of some parameters of a function; nobody needs to know those of others.

    Raises:
        TypeError: If a name in them means nothing.
    """
    written = function.__annotations__
    hints: dict[str, Any] = {}
    for name in names:
        if name in written:
            one = {name: written[name]}
            alone = types.SimpleNamespace(
                __annotations__=one, __globals__=getattr(function, "__globals__", {})
            )
            hints |= _evaluated(alone, f"`{name}`")
    return hints


def _evaluated(owner: Any, where: str) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except (NameError, AttributeError, SyntaxError, TypeError) as error:
        advice = (
            "what it names has to be imported or written outside of functions and TYPE_CHECKING"
        )
        raise TypeError(f"{where}: the type means nothing here: {error}; {advice}") from error


def _is_method(function: Any, code: Any) -> bool:
    first = code.co_varnames[0] if code.co_argcount else ""
    return first in {"self", "cls"} and first not in function.__annotations__


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
        if _type_name(annotations.get(name)) in CONTEXT_TYPES:
            return name
    return CONTEXT_NAME if CONTEXT_NAME in names else None


def _check_context(function: Function, context_name: str | None, *, is_async: bool) -> None:
    """See to it that nobody awaits what waits, or the other way round."""
    annotations = getattr(function, "__annotations__", {})
    given = _type_name(annotations.get(context_name))
    wanted = CONTEXT_TYPES[is_async]
    if given in CONTEXT_TYPES and given != wanted:
        kind = "an async" if is_async else "a plain"
        name = name_of(function)
        raise TypeError(f"{name} is {kind} function, so its context is of the type {wanted}")
    if given in _OTHER_TYPES:
        raise TypeError(f"{name_of(function)}: `{context_name}` is the context; call it otherwise")


def _type_name(annotation: Any) -> str:
    text = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return text.rpartition(".")[2]
