"""What can be pressed or chosen under a message. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_BUTTON = 2
_STRING_SELECT = 3
_LINK_STYLE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something to press under a message."""

    label: str
    custom_id: str | None
    """`None` for a link."""
    is_disabled: bool
    component_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuOption:
    """Something to choose."""

    label: str
    value: str
    description: str | None
    is_default: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Menu:
    """A list to choose from, under a message or in a form."""

    custom_id: str
    options: tuple[MenuOption, ...]
    placeholder: str | None
    least: int
    """How many have to be chosen."""
    most: int
    """How many may be chosen."""
    is_disabled: bool
    component_id: int

    @property
    def values(self) -> tuple[str, ...]:
        """What can be chosen."""
        return tuple(option.value for option in self.options)

    def problem_with(self, chosen: Sequence[str]) -> str | None:
        """Say why a person could not choose that; `None` if they can."""
        strange = [value for value in chosen if value not in self.values]
        if strange:
            return f"there is no {', '.join(map(repr, strange))} in it"
        if len(set(chosen)) != len(chosen):
            return "each can be chosen once"
        if not self.least <= len(chosen) <= self.most:
            return f"{self.least} to {self.most} must be chosen, not {len(chosen)}"
        return None


def children_of(component: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the components in a component."""
    children: list[dict[str, Any]] = list(component.get("components") or [])
    children.extend(component[key] for key in ("accessory", "component") if component.get(key))
    return children


def all_in(components: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Return components with all that is in them, outermost first."""
    for component in components:
        yield dict(component)
        yield from all_in(children_of(component))


def buttons_in(components: Sequence[Mapping[str, Any]]) -> tuple[Button, ...]:
    """Return the buttons."""
    return tuple(_button(one) for one in all_in(components) if one["type"] == _BUTTON)


def menus_in(components: Sequence[Mapping[str, Any]]) -> tuple[Menu, ...]:
    """Return the menus whose options are listed."""
    return tuple(menu_of(one) for one in all_in(components) if one["type"] == _STRING_SELECT)


def menu_of(component: Mapping[str, Any]) -> Menu:
    """Return a string select as what can be chosen from it."""
    least: int | None = component.get("min_values")
    return Menu(
        custom_id=component["custom_id"],
        options=tuple(_option(option) for option in component["options"]),
        placeholder=component.get("placeholder"),
        least=1 if least is None else least,
        most=component.get("max_values") or 1,
        is_disabled=bool(component.get("disabled")),
        component_id=component.get("id") or 0,
    )


def _option(option: Mapping[str, Any]) -> MenuOption:
    return MenuOption(
        label=option["label"],
        value=option["value"],
        description=option.get("description"),
        is_default=bool(option.get("default")),
    )


def _button(component: Mapping[str, Any]) -> Button:
    return Button(
        label=component.get("label") or "",
        custom_id=None if component["style"] == _LINK_STYLE else component.get("custom_id"),
        is_disabled=bool(component.get("disabled")),
        component_id=component["id"],
    )
