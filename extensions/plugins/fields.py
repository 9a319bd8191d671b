"""Reads what a plugin put into a request. Pure.

Fields that nobody knows are left alone: a later version of the protocol may have them.
"""

from collections.abc import Mapping
from typing import Any, cast


class BadFieldError(Exception):
    """A field is missing, or not what it has to be."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """A few words for the plugin's author, which name the field."""

    def __str__(self) -> str:
        return self.reason


class Fields:
    """The fields of a request. What is `null` counts as not there, but in `value`."""

    def __init__(self, params: Mapping[str, Any]) -> None:
        self._params = params

    @property
    def all(self) -> Mapping[str, Any]:
        """Everything, as it came."""
        return self._params

    def value(self, name: str) -> Any:
        """Return what stands there, whatever it is.

        Raises:
            BadFieldError: If nothing does.
        """
        if name not in self._params:
            raise BadFieldError(f"{name} is missing")
        return self._params[name]

    def text(self, name: str) -> str:
        """Return a text.

        Raises:
            BadFieldError: If there is none.
        """
        found = self.any_text(name)
        if found is None:
            raise BadFieldError(f"{name} is missing")
        return found

    def any_text(self, name: str) -> str | None:
        """Return a text; `None` if there is none.

        Raises:
            BadFieldError: If something else stands there.
        """
        found = self._params.get(name)
        if found is None or isinstance(found, str):
            return found
        raise BadFieldError(f"{name} has to be a string")

    def filled_text(self, name: str) -> str:
        """Return a text with something in it.

        Raises:
            BadFieldError: If there is none, or nothing in it.
        """
        found = self.text(name)
        if not found.strip():
            raise BadFieldError(f"{name} is empty")
        return found

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of texts.

        Raises:
            BadFieldError: If there is none.
        """
        found = self.value(name)
        items = cast("list[object]", found) if isinstance(found, list) else None
        texts = None if items is None else tuple(each for each in items if isinstance(each, str))
        if items is None or texts is None or len(texts) < len(items):
            raise BadFieldError(f"{name} has to be a list of strings")
        return texts

    def one_of(self, name: str, choices: Mapping[str, str], *, usual: str) -> str:
        """Return what a word stands for.

        Args:
            name: Of the field.
            choices: What each word stands for.
            usual: The word that counts if there is none.

        Raises:
            BadFieldError: If it is another word.
        """
        found = self.any_text(name) or usual
        if found not in choices:
            raise BadFieldError(f"{name} has to be one of {', '.join(choices)}")
        return choices[found]

    def mapping(self, name: str) -> Mapping[str, Any]:
        """Return an object.

        Raises:
            BadFieldError: If there is none.
        """
        found = self.value(name)
        if not isinstance(found, dict):
            raise BadFieldError(f"{name} has to be an object")
        return cast("dict[str, Any]", found)

    def share(self, name: str) -> float | None:
        """Return a number from 0 to 1; `None` if there is none.

        Raises:
            BadFieldError: If something else stands there.
        """
        found = self._params.get(name)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int | float) or not 0 <= found <= 1:
            raise BadFieldError(f"{name} has to be a number from 0 to 1")
        return float(found)

    def forbid_others(self, *known: str) -> None:
        """Take it that nothing but `known` may be there.

        Raises:
            BadFieldError: If something is.
        """
        others = sorted(self._params.keys() - set(known))
        if others:
            raise BadFieldError(f"{others[0]} is not known here")
