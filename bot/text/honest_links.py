"""Shows links so that nobody is misled about where they lead. Pure."""

import re

from bot.quoting import cleaned

_FORMAT = re.compile(r"[*_~|`\\]")
_WEB = re.compile(r"https?://", re.IGNORECASE)
_SCHEME = re.compile(r"^(?:[a-z][a-z0-9+.\-]*://)?(?:www\.)?", re.IGNORECASE)
_DOMAIN = re.compile(r"[\w\-]+(?:\.[\w\-]+)*\.(?P<last>[^\W\d_]{2,})(?P<path>/)?")
_COMMON = re.compile(
    r"app|biz|cloud|com|dev|edu|gov|info|int|link|live|mil|net|online|org|page|shop|site|store"
    r"|tech|top|xyz"
)
_SUFFIX_OF_FILES = re.compile(r"c[cs]|ex|go|[hj]s|kt|m[dkl]|p[lsy]|r[bs]|s[ho]|t[fs]|vb")
"""They end domains as well, but in the words of a link they are mostly parts of names."""
_OF_COUNTRIES = 2
_MOST_CHARACTERS = 500


def linked(words: str, address: str, *, as_written: str | None = None) -> str:
    """Return a link, or its two parts side by side if it would mislead.

    Args:
        words: What stands for the address.
        address: Where it leads.
        as_written: The link, if it was written as Discord takes it.
    """
    if not words.strip():
        return address
    if misleads(words, address):
        return f"{words} ({address})"
    return as_written or f"[{words}]({address})"


def is_of_the_web(address: str) -> bool:
    """Return whether Discord makes a link of an address that stands behind words."""
    return _WEB.match(address) is not None


def misleads(words: str, address: str) -> bool:
    """Return whether `words` pass for an address, but not for the one that they lead to."""
    shown = _FORMAT.sub("", cleaned(words)).strip()
    # So many words may hold anything; to look for addresses among them would take long.
    if len(shown) <= _MOST_CHARACTERS and not _is_like_an_address(shown):
        return False
    wanted = _SCHEME.sub("", shown).rstrip("/").casefold()
    given = _SCHEME.sub("", _FORMAT.sub("", address)).rstrip("/").casefold()
    return given != wanted and not given.startswith((f"{wanted}/", f"{wanted}?", f"{wanted}#"))


def _is_like_an_address(words: str) -> bool:
    if "://" in words or "www." in words.casefold():
        return True
    return any(_is_like_a_domain(found) for found in _DOMAIN.finditer(words))


def _is_like_a_domain(found: re.Match[str]) -> bool:
    last = found["last"].casefold()
    if found["path"] or _COMMON.fullmatch(last) or not found[0].isascii():
        return True
    return len(last) == _OF_COUNTRIES and _SUFFIX_OF_FILES.fullmatch(last) is None
