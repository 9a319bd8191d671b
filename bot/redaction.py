"""Takes secrets out of text, in whatever form they stand there. Pure."""

import base64
import json
import re
from collections.abc import Iterable, Iterator
from urllib.parse import quote, quote_plus

REDACTED = "[redacted]"

_LEAST_CHARACTERS = 6
"""No service gives a shorter secret; taking one out would blank out ordinary words."""
_LEAST_ENCODED_CHARACTERS = 8
"""A shorter piece of base64 might stand in any text by chance."""


class Redactor:
    """Takes a set of secrets out of text."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        worthy = [secret for secret in secrets if len(secret) >= _LEAST_CHARACTERS]
        forms = {form for secret in worthy for form in _forms_of(secret)}
        # The longest first: where one form begins with another, all of it has to go.
        ordered = sorted(forms, key=lambda form: (-len(form), form))
        self._pattern = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def redact(self, text: str) -> str:
        """Return `text` with each secret replaced: as it is, in base64, and URL-encoded."""
        return text if self._pattern is None else self._pattern.sub(REDACTED, text)


def _forms_of(secret: str) -> Iterator[str]:
    yield secret
    yield json.dumps(secret)[1:-1]
    for quoted in (quote(secret, safe=""), quote(secret), quote_plus(secret)):
        yield quoted
        yield re.sub("%..", lambda escape: escape[0].lower(), quoted)
    for encoded in _in_base64(secret.encode()):
        if len(encoded) >= _LEAST_ENCODED_CHARACTERS:
            yield encoded
            yield encoded.replace("+", "-").replace("/", "_")


def _in_base64(secret: bytes) -> Iterator[str]:
    """Yield what of the secret is seen in base64, where it stands alone or within other text.

    Three bytes become four characters, so there are three ways in which it can be cut. What its
    neighbours also have a part in is left out at both ends.
    """
    for before in range(3):
        # The first character that is the secret's alone, and the first that is not any more.
        begin = (before * 8 + 5) // 6
        end = (before + len(secret)) * 8 // 6
        yield base64.b64encode(bytes(before) + secret).decode()[begin:end]
