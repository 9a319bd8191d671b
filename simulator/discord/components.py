"""Buttons, menus and other components: what Discord refuses of them, and what it adds. Pure."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from simulator.discord.errors import check_length, invalid_field
from simulator.discord.model import Json, items_of
from simulator.discord.widgets import all_in, menu_of

ACTION_ROW, BUTTON, STRING_SELECT, TEXT_INPUT = 1, 2, 3, 4
SELECTS = frozenset({3, 5, 6, 7, 8})
TEXT_DISPLAY, LABEL = 10, 18
_PER_ROW = 5
_ROWS = 5
_CUSTOM_ID_LENGTH = 100
_LABEL_LENGTH = 80
_OPTIONS = 25
_OPTION_LENGTH = 100
_PLACEHOLDER_LENGTH = 150
COMPONENTS_V2_FLAG = 1 << 15


def numbered(components: Sequence[Json]) -> list[Json]:
    """Return them as Discord gives them back: each with an integer id of its own."""
    taken = {component["id"] for component in all_in(components) if component.get("id")}
    free = (number for number in count(1) if number not in taken)
    return [_numbered(component, free) for component in components]


def check_components(components: Sequence[Json]) -> None:
    """Refuse what Discord refuses.

    Raises:
        ApiError: 50035, with the path of what is wrong.
    """
    if any(not isinstance(component.get("type"), int) for component in all_in(components)):
        raise invalid_field("components", "BASE_TYPE_REQUIRED", "Each needs its type")
    rows = [component for component in components if component.get("type") == ACTION_ROW]
    if len(rows) > _ROWS:
        raise invalid_field("components", "BASE_TYPE_BAD_LENGTH", "Must be between 0 and 5.")
    for index, component in enumerate(components):
        if component.get("type") == ACTION_ROW:
            _check_row(f"components.{index}", component)
    check_custom_ids(components)


def check_custom_ids(components: Sequence[Json]) -> None:
    """Refuse two components with the same custom id.

    Raises:
        ApiError: If there are such.
    """
    custom_ids = [c["custom_id"] for c in all_in(components) if c.get("custom_id")]
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
        where = f"{path}.components.{index}"
        if child.get("type") == BUTTON:
            _check_button(where, child)
        elif child.get("type") in SELECTS:
            if len(children) > 1:
                raise invalid_field(
                    f"{path}.components",
                    "COMPONENT_LAYOUT_WIDTH_EXCEEDED",
                    "A menu takes a row of its own",
                )
            check_select(where, child)
        else:
            raise invalid_field(where, "UNION_TYPE_CHOICES", "Value must be a button or a menu.")


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


def check_select(path: str, select: Json) -> None:
    """Refuse a menu that Discord refuses.

    Raises:
        ApiError: 50035, with the path of what is wrong.
    """
    check_length(f"{path}.custom_id", select.get("custom_id"), 1, _CUSTOM_ID_LENGTH)
    check_length(f"{path}.placeholder", select.get("placeholder"), 0, _PLACEHOLDER_LENGTH)
    least, most = select.get("min_values"), select.get("max_values")
    if least is not None and not 0 <= least <= _OPTIONS:
        raise invalid_field(f"{path}.min_values", "NUMBER_TYPE_MAX", "Must be between 0 and 25.")
    if most is not None and not 1 <= most <= _OPTIONS:
        raise invalid_field(f"{path}.max_values", "NUMBER_TYPE_MAX", "Must be between 1 and 25.")
    if select.get("type") == STRING_SELECT:
        _check_options(path, select)


def _check_options(path: str, select: Json) -> None:
    options: list[Json] = items_of(select, "options")
    if not 1 <= len(options) <= _OPTIONS:
        raise invalid_field(
            f"{path}.options", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 25 in length."
        )
    for index, option in enumerate(options):
        where = f"{path}.options.{index}"
        check_length(f"{where}.label", option.get("label"), 1, _OPTION_LENGTH)
        check_length(f"{where}.value", option.get("value"), 1, _OPTION_LENGTH)
        check_length(f"{where}.description", option.get("description"), 0, _OPTION_LENGTH)
    menu = menu_of(select)
    if len(set(menu.values)) != len(menu.values):
        raise invalid_field(
            f"{path}.options",
            "SELECT_COMPONENT_OPTION_VALUE_DUPLICATED",
            "The specified option value is already used",
        )
    if menu.least > menu.most or menu.most > len(menu.options):
        raise invalid_field(
            f"{path}.max_values", "SELECT_COMPONENT_MAX_VALUES_INVALID", "More than can be chosen"
        )
    if sum(option.is_default for option in menu.options) > menu.most:
        raise invalid_field(
            f"{path}.options", "SELECT_COMPONENT_TOO_MANY_DEFAULT_VALUES", "Too many are chosen"
        )


def _numbered(component: Json, free: Iterator[int]) -> Json:
    result: dict[str, Any] = {key: value for key, value in component.items() if value is not None}
    if not result.get("id"):
        result["id"] = next(free)
    if result.get("type") == STRING_SELECT:
        result = {"min_values": 1, "max_values": 1, **result}
    if "components" in result:
        result["components"] = [_numbered(child, free) for child in result["components"]]
    for key in ("accessory", "component"):
        if key in result:
            result[key] = _numbered(result[key], free)
    return result
