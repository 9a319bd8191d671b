"""How what a plugin offers may be called. Pure."""

from __future__ import annotations

from typing import Any

MOST_CHARACTERS = 128
_ONE_WORD = frozenset({"command"})


def checked_name(name: Any, what: str) -> str:
    """Return a name that hosts take.

    Args:
        name: The name.
        what: What is called that: such as `tool`.

    Raises:
        TypeError: If it is no text, such as the function itself, which a decorator was given.
        ValueError: If it is no name.
    """
    if not isinstance(name, str):
        raise TypeError(f'the name of the {what} is missing; write it first, as in ("name")')
    if name == "<lambda>":
        raise ValueError(f"a lambda has no name; give the {what} one")
    if not 0 < len(name) <= MOST_CHARACTERS or not name.isprintable() or name.isspace():
        raise ValueError(
            f"a {what} cannot be called {name[:MOST_CHARACTERS]!r}; take 1 to {MOST_CHARACTERS}"
            " characters that can be seen"
        )
    if what in _ONE_WORD and any(character.isspace() for character in name):
        raise ValueError(f"a {what} cannot be called {name!r}; take one word")
    return name
