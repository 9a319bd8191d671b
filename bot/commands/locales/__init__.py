"""What commands, groups and options are for, in other languages than English; names stay English.

Each language has a file beside this one, named as Discord names it: `de.toml`. Its keys are the
whole names of commands and groups, as `jobs show`; an option's is that of its command, a colon
and its own name, as `jobs show:job`.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources

LANGUAGES = ("de", "es-ES", "fr", "ja", "ko")
LOCALES: Mapping[str, str] = {**{name: name for name in LANGUAGES}, "es-419": "es-ES"}
"""By the locales that Discord knows, in which of the languages their people are told: it has one
Spanish for Spain and another for Latin America, and none of the two stands in for the other."""


@cache
def descriptions_in(language: str) -> Mapping[str, str]:
    """Return every description in one of the languages, by its key."""
    file = resources.files(__name__) / f"{language}.toml"
    return tomllib.loads(file.read_text(encoding="utf-8"))


def descriptions_of(name: str, option: str | None = None) -> dict[str, str]:
    """Return by locale what something is for; a language without a word for it is left out.

    Args:
        name: The whole name of a command or a group.
        option: One of the command's options, if it is about that.
    """
    key = key_of(name, option)
    by_locale = {locale: descriptions_in(language).get(key) for locale, language in LOCALES.items()}
    return {locale: text for locale, text in by_locale.items() if text is not None}


def key_of(name: str, option: str | None = None) -> str:
    """Return under which key something stands in the files."""
    return name if option is None else f"{name}:{option}"
