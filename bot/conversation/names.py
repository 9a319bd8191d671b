"""What sessions and models may be called. Pure."""

import re
import time
import unicodedata

from bot.commands.table import MODEL_LENGTH, NAME_LENGTH
from bot.quoting import cleaned

_LETTERS_AND_DIGITS = frozenset({"L", "N"})
_MARKS = frozenset({"Mn", "Mc"})
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@\[\]-]*")


def auto_name(*, at: float) -> str:
    """Return the name of a session that was given none, from the time in UTC."""
    return time.strftime("chat-%Y-%m-%d-%H%M", time.gmtime(at))


def session_name(wanted: str) -> str | None:
    """Return `wanted` as a session may be called; `None` if it has no letter and no digit.

    That is in small letters, with a hyphen for all that is neither letter nor digit: it formats
    nothing, mentions nobody, and two names that look alike are the same.
    """
    # Only the first characters can matter; to normalise a long text would take long.
    start = unicodedata.normalize("NFKC", wanted.strip()[: 10 * NAME_LENGTH]).lower()
    seen = unicodedata.normalize("NFKC", cleaned(start))
    words = "".join(character if _is_kept(character) else " " for character in seen).split()
    return "-".join(words)[:NAME_LENGTH].rstrip("-") or None


def model_name(wanted: str) -> str | None:
    """Return a model's name or alias as `claude` takes it; `None` if it can be none."""
    name = wanted.strip()
    return name if len(name) <= MODEL_LENGTH and _MODEL.fullmatch(name) else None


def _is_kept(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in _LETTERS_AND_DIGITS or category in _MARKS
