"""What a plugin says that it offers, in the same words for both dialects. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from papercup_plugin.conformance.methods import Dialect
from papercup_plugin.json_values import as_list, as_object, as_text


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedProvider:
    """A provider, and one of its models."""

    name: str
    model: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offers:
    """What a plugin offers; what cannot be read of it is left out."""

    tools: tuple[OfferedTool, ...] = ()
    commands: tuple[str, ...] = ()
    hooks: tuple[str, ...] | None = None
    """`None`: it did not say which."""
    events: tuple[str, ...] = ()
    providers: tuple[OfferedProvider, ...] = ()


def read_offers(dialect: Dialect, result: Any) -> Offers:
    """Return what the answer to `initialize` says."""
    members = as_object(result) or {}
    if dialect is Dialect.STDIO:
        hooks = _texts(members.get("hooks"))
        return Offers(tools=_tools(members.get("tools"), "input_schema"), hooks=hooks)
    offered = as_object(members.get("registrations")) or {}
    return Offers(
        tools=_tools(offered.get("tools"), "parameters"),
        commands=tuple(name for each in _objects(offered.get("commands")) if (name := _name(each))),
        hooks=None if offered.get("hooks") is None else _texts(offered.get("hooks")),
        events=_texts(offered.get("subscriptions")),
        providers=tuple(_providers(offered.get("providers"))),
    )


def _tools(raw: Any, schema_name: str) -> tuple[OfferedTool, ...]:
    return tuple(
        OfferedTool(
            name=name,
            description=as_text(each.get("description")) or "",
            schema=as_object(each.get(schema_name)) or {},
        )
        for each in _objects(raw)
        if (name := _name(each))
    )


def _providers(raw: Any) -> list[OfferedProvider]:
    found: list[OfferedProvider] = []
    for each in _objects(raw):
        models = [as_text(model.get("id")) for model in _objects(each.get("models"))]
        found.append(OfferedProvider(name=_name(each), model=next(filter(None, models), "any")))
    return [each for each in found if each.name]


def _objects(raw: Any) -> list[dict[str, Any]]:
    return [found for each in as_list(raw) or [] if (found := as_object(each)) is not None]


def _name(members: Mapping[str, Any]) -> str:
    return as_text(members.get("name")) or ""


def _texts(raw: Any) -> tuple[str, ...]:
    return tuple(each for each in as_list(raw) or [] if isinstance(each, str))
