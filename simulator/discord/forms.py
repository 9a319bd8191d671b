"""Forms, which Discord calls modals: what it refuses of them, and what a person may send. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.discord.components import (
    ACTION_ROW,
    LABEL,
    STRING_SELECT,
    TEXT_DISPLAY,
    TEXT_INPUT,
    check_custom_ids,
    check_select,
)
from simulator.discord.errors import BadFieldError, check_length, invalid_field
from simulator.discord.interaction import Interaction
from simulator.discord.model import Json, items_of
from simulator.discord.widgets import all_in, menu_of

_TITLE_LENGTH = 45
_LABEL_LENGTH = 45
_CUSTOM_ID_LENGTH = 100
_DESCRIPTION_LENGTH = 100
_PLACEHOLDER_LENGTH = 100
_TEXT_LENGTH = 4000
_ROWS = 5
_STYLES = (1, 2)

FieldValue = str | Sequence[str]
"""A text, or for a menu what is chosen from it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """Something to fill in."""

    custom_id: str
    label: str
    is_required: bool
    component: Json
    """As on the wire."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Modal:
    """A form that the bot asks a person to fill in."""

    title: str
    custom_id: str
    components: Sequence[Json]
    """As on the wire."""
    opened_by: Interaction
    """What it is the answer to."""

    @property
    def fields(self) -> tuple[str, ...]:
        """The custom ids of what can be filled in."""
        return tuple(field.custom_id for field in self.form_fields)

    @property
    def form_fields(self) -> tuple[FormField, ...]:
        """What can be filled in."""
        return tuple(field for one in self.components for field in _fields_in(one))


def check_modal(data: Json) -> None:
    """Refuse a form that Discord refuses.

    Raises:
        ApiError: 50035, with the path of what is wrong.
    """
    check_length("data.title", data.get("title"), 1, _TITLE_LENGTH)
    check_length("data.custom_id", data.get("custom_id"), 1, _CUSTOM_ID_LENGTH)
    components: list[Json] = items_of(data, "components")
    if not 1 <= len(components) <= _ROWS:
        raise invalid_field(
            "data.components", "BASE_TYPE_BAD_LENGTH", "Must be between 1 and 5 in length."
        )
    for index, component in enumerate(components):
        _check_part(f"data.components.{index}", component)
    check_custom_ids(components)


def submission(modal: Modal, values: Mapping[str, FieldValue]) -> Json:
    """Return the data of the interaction that sending a form off sends.

    Args:
        modal: The form.
        values: What is filled in, by custom id; the others keep what stands in them.

    Raises:
        BadFieldError: If Discord would not let a person send it like that.
    """
    for name in values:
        if name not in modal.fields:
            raise BadFieldError(modal.title, name, f"there are {', '.join(modal.fields)}")
    filled = {
        field.custom_id: _filled(modal, field, values.get(field.custom_id))
        for field in modal.form_fields
    }
    return {
        "custom_id": modal.custom_id,
        "components": [_submitted(component, filled) for component in modal.components],
    }


def _check_part(path: str, component: Json) -> None:
    kind = component.get("type")
    if kind == LABEL:
        check_length(f"{path}.label", component.get("label"), 1, _LABEL_LENGTH)
        check_length(f"{path}.description", component.get("description"), 0, _DESCRIPTION_LENGTH)
        _check_field(f"{path}.component", component.get("component") or {})
    elif kind == ACTION_ROW:
        children = items_of(component, "components")
        if len(children) != 1 or children[0].get("type") != TEXT_INPUT:
            raise invalid_field(
                f"{path}.components", "BASE_TYPE_BAD_LENGTH", "Must be one text input."
            )
        check_length(f"{path}.components.0.label", children[0].get("label"), 1, _LABEL_LENGTH)
        _check_field(f"{path}.components.0", children[0])
    elif kind != TEXT_DISPLAY:
        raise invalid_field(
            f"{path}.type", "UNION_TYPE_CHOICES", "Value must be one of {1, 10, 18}."
        )


def _check_field(path: str, field: Json) -> None:
    kind = field.get("type")
    if kind == STRING_SELECT:
        check_select(path, field)
    elif kind == TEXT_INPUT:
        _check_text_input(path, field)
    else:
        raise invalid_field(f"{path}.type", "UNION_TYPE_CHOICES", "Value must be one of {3, 4}.")


def _check_text_input(path: str, field: Json) -> None:
    check_length(f"{path}.custom_id", field.get("custom_id"), 1, _CUSTOM_ID_LENGTH)
    check_length(f"{path}.placeholder", field.get("placeholder"), 0, _PLACEHOLDER_LENGTH)
    if field.get("style") not in _STYLES:
        raise invalid_field(f"{path}.style", "BASE_TYPE_CHOICES", "Value must be one of {1, 2}.")
    least, most = _bounds(field)
    if not 0 <= least <= _TEXT_LENGTH:
        raise invalid_field(f"{path}.min_length", "NUMBER_TYPE_MAX", "Must be 4000 or fewer.")
    if not max(1, least) <= most <= _TEXT_LENGTH:
        raise invalid_field(f"{path}.max_length", "NUMBER_TYPE_MAX", "Must be 4000 or fewer.")
    check_length(f"{path}.value", field.get("value"), 0, most)


def _bounds(field: Json) -> tuple[int, int]:
    least, most = field.get("min_length"), field.get("max_length")
    return least or 0, _TEXT_LENGTH if most is None else most


def _fields_in(part: Json) -> list[FormField]:
    return [
        FormField(
            custom_id=one["custom_id"],
            label=one.get("label") or part.get("label") or "",
            is_required=one.get("required") is not False,
            component=one,
        )
        for one in all_in([part])
        if one["type"] in {TEXT_INPUT, STRING_SELECT}
    ]


def _filled(modal: Modal, field: FormField, value: FieldValue | None) -> Json:
    if field.component["type"] == STRING_SELECT:
        return {"values": _chosen(modal, field, value)}
    text = (field.component.get("value") or "") if value is None else value
    if not isinstance(text, str):
        raise BadFieldError(modal.title, field.custom_id, "it takes a text")
    least, most = _bounds(field.component)
    if field.is_required and not text:
        raise BadFieldError(modal.title, field.custom_id, "it is required")
    if len(text) > most or (text and len(text) < least):
        reason = f"it takes {least} to {most} characters, not {len(text)}"
        raise BadFieldError(modal.title, field.custom_id, reason)
    return {"value": text}


def _chosen(modal: Modal, field: FormField, value: FieldValue | None) -> list[str]:
    menu = menu_of(field.component)
    if value is None:
        chosen = [option.value for option in menu.options if option.is_default]
    else:
        chosen = [value] if isinstance(value, str) else list(value)
    problem = menu.problem_with(chosen)
    if problem is not None and (chosen or field.is_required):
        raise BadFieldError(modal.title, field.custom_id, problem)
    return chosen


def _submitted(component: Json, filled: Mapping[str, Json]) -> Json:
    result: Json = {"type": component["type"], "id": component["id"]}
    custom_id: str = component.get("custom_id") or ""
    if custom_id in filled:
        return result | {"custom_id": custom_id} | filled[custom_id]
    if "component" in component:
        result["component"] = _submitted(component["component"], filled)
    if "components" in component:
        result["components"] = [_submitted(child, filled) for child in component["components"]]
    return result
