"""What a button carries: Discord hands it back at every press, weeks later too. Pure."""

import re

from bot.messenger import ButtonAction

_PREFIX = "pc1"
_MOST_CHARACTERS = 100
_SHAPE = re.compile(rf"{_PREFIX}:([a-z][a-z0-9_]*):(.+)", re.DOTALL)


def custom_id_of(action: ButtonAction) -> str:
    """Return the id of a button, from which `action_of` makes the action again.

    Raises:
        ValueError: If Discord would not take it, or it would not come back the same.
    """
    custom_id = f"{_PREFIX}:{action.verb}:{action.subject}"
    if len(custom_id) > _MOST_CHARACTERS or action_of(custom_id) != action:
        raise ValueError(f"no button can carry {action!r}")
    return custom_id


def action_of(custom_id: str) -> ButtonAction | None:
    """Return what a pressed button asks for; `None` if it is not one of ours."""
    found = _SHAPE.fullmatch(custom_id)
    return ButtonAction(verb=found[1], subject=found[2]) if found else None
