"""Buttons and other components: what Discord refuses of them, and what it adds. Pure."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from simulator.discord.errors import invalid_field
from simulator.discord.model import Json, items_of

_ACTION_ROW = 1
_BUTTON = 2
_STRING_SELECT = 3
_PER_ROW = 5
_ROWS = 5
_CUSTOM_ID_LENGTH = 100
_LABEL_LENGTH = 80
COMPONENTS_V2_FLAG = 1 << 15


def numbered(components: Sequence[Json]) -> list[Json]:
    """Return them as Discord gives them back: each with an integer id of its own."""
    taken = {component["id"] for component in _all(components) if component.get("id")}
    free = (number for number in count(1) if number not in taken)
    return [_numbered(component, free) for component in components]


def check_components(components: Sequence[Json]) -> None:
    """Refuse what Discord refuses.

    Raises:
        ApiError: 50035, with the path of what is wrong.
    """
    rows = [component for component in components if component.get("type") == _ACTION_ROW]
    if len(rows) > _ROWS:
        raise invalid_field("components", "BASE_TYPE_BAD_LENGTH", "Must be between 0 and 5.")
    for index, component in enumerate(components):
        if component.get("type") == _ACTION_ROW:
            _check_row(f"components.{index}", component)
    custom_ids = [c["custom_id"] for c in _all(components) if c.get("custom_id")]
    if len(custom_ids) != len(set(custom_ids)):
        raise invalid_field(
            "components",
            "COMPONENT_CUSTOM_ID_DUPLICATED",
            "Component custom id cannot be duplicated",
        )


def _check_row(path: str, row: Json) -> None:
    children: list[Json] = items_of(row, "components")
    if not 1 <= len(children) <= _PER_ROW:
        raise invalid_field(
            f"{path}.components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."
        )
    for index, child in enumerate(children):
        if child.get("type") == _BUTTON:
            _check_button(f"{path}.components.{index}", child)


def _check_button(path: str, button: Json) -> None:
    label = button.get("label") or ""
    custom_id = button.get("custom_id") or ""
    if len(label) > _LABEL_LENGTH:
        raise invalid_field(
            f"{path}.label", "BASE_TYPE_MAX_LENGTH", "Must be 80 or fewer in length."
        )
    if len(custom_id) > _CUSTOM_ID_LENGTH:
        raise invalid_field(
            f"{path}.custom_id", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 100 in length."
        )
    if not custom_id and not button.get("url"):
        raise invalid_field(f"{path}.custom_id", "BASE_TYPE_REQUIRED", "This field is required")
    if not label and not button.get("emoji"):
        raise invalid_field(path, "BUTTON_COMPONENT_EMPTY", "A label or emoji is required")


def _children(component: Json) -> list[Json]:
    children: list[Json] = list(items_of(component, "components"))
    children.extend(component[key] for key in ("accessory", "component") if component.get(key))
    return children


def _all(components: Sequence[Json]) -> Iterator[Json]:
    for component in components:
        yield component
        yield from _all(_children(component))


def _numbered(component: Json, free: Iterator[int]) -> Json:
    result: dict[str, Any] = {key: value for key, value in component.items() if value is not None}
    if not result.get("id"):
        result["id"] = next(free)
    if result.get("type") == _STRING_SELECT:
        result = {"min_values": 1, "max_values": 1, **result}
    if "components" in result:
        result["components"] = [_numbered(child, free) for child in result["components"]]
    for key in ("accessory", "component"):
        if key in result:
            result[key] = _numbered(result[key], free)
    return result
