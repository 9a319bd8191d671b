"""How what people write for other programs is written here. Pure."""

import re

_NPM = r"(?:@[a-z0-9~-][a-z0-9._~-]*/)?[a-z0-9~-][a-z0-9._~-]*"
_PYPI = r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_HOST = r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?"
_KNOWN_HOST = r"(?:github|gitlab|bitbucket|codeberg)"
_PATH = r"[A-Za-z0-9_~][A-Za-z0-9._~-]*(?:/[A-Za-z0-9_~][A-Za-z0-9._~-]*)*"
_REPOSITORY = r"[A-Za-z0-9_~][A-Za-z0-9._~-]*/[A-Za-z0-9_~][A-Za-z0-9._~-]*"
_REF = r"[A-Za-z0-9][A-Za-z0-9._/-]*"
_HERE = "here it is written"

_FORMS = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (rf"npm:({_NPM})@.*", r"one version is needed, or a tag, as in npm:\1@1.2.3"),
        (rf"pypi:({_PYPI})\s*==\s*([A-Za-z0-9.+!_-]+)", rf"{_HERE} pypi:\1@\2"),
        (rf"pypi:({_PYPI})\s*[@=<>~!].*", r"one version is needed, as in pypi:\1@1.2.3"),
        (rf"pypi:({_PYPI})\[.*", r"extras cannot be chosen, so it is written pypi:\1"),
        (rf"https://(?:www\.)?npmjs\.com/package/({_NPM})/?", rf"{_HERE} npm:\1"),
        (rf"https://pypi\.org/project/({_PYPI})/?", rf"{_HERE} pypi:\1"),
        (rf"({_KNOWN_HOST}):({_REPOSITORY})", rf"{_HERE} git:\1.com/\2"),
        (rf"({_KNOWN_HOST}):({_REPOSITORY})[#@]({_REF})", rf"{_HERE} git:\1.com/\2@\3"),
        (
            rf"https://({_KNOWN_HOST}\.[a-z]+/{_REPOSITORY})/(?:-/)?tree/({_REF})",
            rf"{_HERE} git:\1@\2",
        ),
        (rf"(?:ssh://)?git@({_HOST})[:/]({_PATH})", rf"{_HERE} git:\1/\2"),
        (rf"(?:git[:+])?https?://({_HOST}/{_PATH})/?", rf"{_HERE} git:\1"),
        (rf"(?:git:|(?:git[:+])?https?://)({_HOST}/{_PATH})[#@]({_REF})", rf"{_HERE} git:\1@\2"),
        (rf"({_KNOWN_HOST}\.(?:com|org)/{_REPOSITORY})", rf"{_HERE} git:\1"),
        (rf"(@[a-z0-9][a-z0-9._-]*/{_NPM}(?:@[A-Za-z0-9][A-Za-z0-9.+-]*)?)", rf"{_HERE} npm:\1"),
        (
            r"([a-z0-9](?:[a-z0-9_-]*[a-z0-9])?)",
            r"`papercup plugin search \1` looks for it; it is written npm:NAME or pypi:NAME",
        ),
    )
)
"""What is written, and what is said of it; the first that fits counts."""


def how_it_is_written(text: str) -> str | None:
    """Return how what a text may mean is written here, the end of a sentence; `None`: who knows.

    Args:
        text: What is no source, and short.
    """
    for pattern, said in _FORMS:
        if (found := pattern.fullmatch(text)) is not None:
            return found.expand(said)
    return None
