"""Which form a type stands for."""

from __future__ import annotations

import enum
import json
import types
import typing
from collections import abc
from typing import Annotated, Any, Literal

from papercup_plugin.constraints import Field, constrained
from papercup_plugin.docstrings import read_docstring
from papercup_plugin.forms import (
    SCALARS,
    AnyForm,
    ChoiceForm,
    Form,
    ListForm,
    MapForm,
    Member,
    ObjectForm,
    TupleForm,
    UnionForm,
)
from papercup_plugin.framing import plain
from papercup_plugin.records import Record
from papercup_plugin.signatures import (
    CONTEXT_TYPES,
    NOTHING,
    Function,
    Signature,
    hints_of,
    parameter_hints,
    unwrapped,
)
from papercup_plugin.text_forms import text_form

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_LISTS: Mapping[Any, tuple[Callable[[list[Any]], Any], bool]] = {
    list: (list, False),
    abc.Sequence: (list, False),
    abc.MutableSequence: (list, False),
    abc.Iterable: (list, False),
    abc.Collection: (list, False),
    set: (set, True),
    abc.Set: (frozenset, True),
    abc.MutableSet: (set, True),
    frozenset: (frozenset, True),
}
_MAPS = (dict, abc.Mapping, abc.MutableMapping)
_IGNORED = frozenset({"_meta"})
"""What hosts put beside the arguments of tools."""
_KNOWN = "str, int, float, bool, list, dict, Literal, an Enum, a dataclass or a TypedDict"


class UnsupportedTypeError(TypeError):
    """A type has no form in JSON that is known here."""

    def __init__(self, reason: str, where: str = "") -> None:
        super().__init__(reason, where)
        self.reason = reason
        self.where = where
        """The parameter, and what within it."""

    def __str__(self) -> str:
        return f"`{self.where}`: {self.reason}" if self.where else self.reason

    def under(self, name: str) -> UnsupportedTypeError:
        """Return it as what is wrong within what is called that."""
        return UnsupportedTypeError(self.reason, f"{name}.{self.where}" if self.where else name)


def form_of(hint: Any) -> Form:
    """Return the form of a type.

    Raises:
        UnsupportedTypeError: If there is none.
        TypeError: If a name in it means nothing.
    """
    return _form_of(hint, ())


def arguments_form(function: Function, signature: Signature) -> ObjectForm:
    """Return what the arguments of a function look like; raises as `form_of` does."""
    function = unwrapped(function)
    hints = parameter_hints(function, [each.name for each in signature.parameters])
    said = read_docstring(function.__doc__).arguments
    members = {
        each.name: _member(each.name, hints.get(each.name, Any), each.default, said, ())
        for each in signature.parameters
    }
    return ObjectForm(members, dict, takes_more=signature.takes_more, ignored=_IGNORED)


def _form_of(hint: Any, within: tuple[Any, ...]) -> Form:  # noqa: PLR0911 - one for each kind
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    # First, as what stands in it need not have a hash.
    if origin is Annotated:
        return _annotated(hint, within)
    if not _has_hash(hint):
        raise UnsupportedTypeError(f"{hint!r} is not a type; one such as list[int] is")
    if hint in (Any, object):
        return AnyForm()
    scalar = SCALARS.get(type(None) if hint is None else hint)
    if scalar is not None:
        return scalar
    if origin is Literal:
        return _choices([(value, value) for value in arguments])
    if origin in (typing.Union, types.UnionType):
        return UnionForm(tuple(_form_of(each, within) for each in arguments))
    if origin is not None or hint in _LISTS or hint in (*_MAPS, tuple):
        return _collection(origin or hint, arguments, within)
    for alias in ("__supertype__", "__value__"):
        if not isinstance(hint, type) and (meant := getattr(hint, alias, None)) is not None:
            return _form_of(meant, within)
    return _class_form(hint, within)


def _annotated(hint: Any, within: tuple[Any, ...]) -> Form:
    form = _form_of(hint.__origin__, within)
    for said in hint.__metadata__:
        if isinstance(said, str):
            form = constrained(form, Field(description=said))
        elif isinstance(said, Field):
            try:
                form = constrained(form, said)
            except ValueError as error:
                raise UnsupportedTypeError(str(error)) from error
    return form


def _collection(origin: Any, arguments: tuple[Any, ...], within: tuple[Any, ...]) -> Form:
    if origin in _LISTS:
        make, is_unique = _LISTS[origin]
        if is_unique and arguments and not _can_be_in_a_set(arguments[0]):
            raise UnsupportedTypeError(f"no {_name(arguments[0])} can be in a set; take a list")
        return ListForm(_form_of(arguments[0] if arguments else Any, within), make, is_unique)
    if origin in _MAPS:
        key, value = arguments or (str, Any)
        if key is not str:
            raise UnsupportedTypeError(f"the keys of a dict have to be str, not {_name(key)}")
        return MapForm(_form_of(value, within))
    if origin is tuple and (not arguments or arguments[-1] is Ellipsis):
        return ListForm(_form_of(arguments[0] if arguments else Any, within), tuple)
    if origin is tuple:
        return TupleForm(tuple(_form_of(each, within) for each in arguments))
    raise _formless(origin)


def _class_form(hint: Any, within: tuple[Any, ...]) -> Form:
    if hint in within:
        raise UnsupportedTypeError(f"{hint.__name__} holds itself, which cannot be described")
    if isinstance(hint, enum.EnumMeta):
        members: list[Any] = list(hint)
        return _choices([(each.value, each) for each in members])
    if isinstance(hint, type):
        if (form := text_form(hint)) is not None:
            return form
        if hasattr(hint, "__dataclass_fields__"):
            return _dataclass_form(hint, (*within, hint))
        if hasattr(hint, "__required_keys__"):
            return _typed_dict_form(hint, (*within, hint))
    if _name(hint) in CONTEXT_TYPES:
        raise UnsupportedTypeError("a function has one context, in `ctx: Context` and no other way")
    raise _formless(hint)


def _choices(choices: list[tuple[Any, Any]]) -> Form:
    for value, meant in choices:
        if not isinstance(value, str | int | float | None):
            raise UnsupportedTypeError(f"{meant!r} has no form in JSON: take texts or numbers")
    if not choices:
        raise UnsupportedTypeError("there is nothing to choose")
    return ChoiceForm(choices)


def _formless(hint: Any) -> UnsupportedTypeError:
    return UnsupportedTypeError(f"{_name(hint)} has no form in JSON; take {_KNOWN}")


def _name(hint: Any) -> str:
    return hint.__name__ if isinstance(hint, type) else str(hint).removeprefix("typing.")


def _has_hash(hint: Any) -> bool:
    try:
        hash(hint)
    except TypeError:
        return False
    return True


def _can_be_in_a_set(hint: Any) -> bool:
    # Of what may be changed, it is `None`.
    return getattr(typing.get_origin(hint) or hint, "__hash__", None) is not None


def _dataclass_form(kind: Any, within: tuple[Any, ...]) -> Form:
    import dataclasses  # noqa: PLC0415 - whoever has one has it already; others do without

    hints, said = hints_of(kind), read_docstring(_own_doc(kind))
    members: dict[str, Member] = {}
    for each in dataclasses.fields(kind):
        if not each.init:
            continue
        default = NOTHING if each.default is dataclasses.MISSING else each.default
        member = _member(each.name, hints[each.name], default, said.arguments, within)
        if each.default_factory is not dataclasses.MISSING:
            member = member.replaced(is_required=False)
        members[each.name] = member
    given = {name for name, hint in hints.items() if isinstance(hint, dataclasses.InitVar)}
    if given:
        raise UnsupportedTypeError(f"an InitVar of {kind.__name__} cannot be sent; take a field")
    return ObjectForm(members, kind, description=said.text or None)


def _own_doc(kind: Any) -> str | None:
    """Return what was written of a dataclass; Python itself writes how it is made."""
    doc = kind.__doc__
    return None if doc is None or doc.startswith(f"{kind.__name__}(") else doc


def _typed_dict_form(kind: Any, within: tuple[Any, ...]) -> Form:
    said = read_docstring(kind.__doc__)
    members: dict[str, Member] = {}
    for name, hint in hints_of(kind).items():
        key = _key(hint, is_required=name in kind.__required_keys__)
        form = _named_form(name, key.hint, within)
        members[name] = Member(form, key.is_required, said.arguments.get(name))
    return ObjectForm(members, dict, description=said.text or None)


class _Key(Record):
    hint: Any
    is_required: bool


def _key(hint: Any, *, is_required: bool) -> _Key:
    """Return what is said of a key of a `TypedDict`."""
    while (origin := typing.get_origin(hint)) in (typing.Required, typing.NotRequired):
        is_required = origin is typing.Required
        (hint,) = typing.get_args(hint)
    return _Key(hint, is_required)


def _member(
    name: str, hint: Any, default: Any, said: Mapping[str, str], within: tuple[Any, ...]
) -> Member:
    is_required = default is NOTHING
    return Member(
        form=_named_form(name, hint, within),
        is_required=is_required,
        description=said.get(name) or None,
        default=None if is_required else _in_json(default),
    )


def _named_form(name: str, hint: Any, within: tuple[Any, ...]) -> Form:
    try:
        return _form_of(hint, within)
    except UnsupportedTypeError as error:
        raise error.under(name) from error


def _in_json(default: Any) -> Any:
    """Return a default as JSON has it; `None` if it has no such thing."""
    try:
        return json.loads(json.dumps(default, default=plain, allow_nan=False))
    except (TypeError, ValueError, RecursionError):
        return None
