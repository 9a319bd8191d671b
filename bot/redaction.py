"""Takes secrets out of text, in whatever form they stand there. Pure.

Those that the bot was given are known; others are told by their looks, such as a private key that
a job has found.
"""

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

_PIECE_CHARACTERS = 32_768
_AHEAD_CHARACTERS = 8192
"""How far beyond a piece it is looked for what begins in it; whatever is longer shows by then what
it is."""

_BETWEEN = r"(?:[\s>\"',]|\\[nrt])*+"
"""What may stand between the lines of a key: it may be quoted, or a text within a text."""
_PRIVATE_KEY = (
    r"-----BEGIN(?: [A-Z0-9]+)* PRIVATE KEY(?: BLOCK)?-----"
    rf"(?:{_BETWEEN}(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]*+)*+"
    # It may be cut off anywhere.
    rf"(?:{_BETWEEN}[A-Za-z0-9+/=]{{8,}}+)*+"
    rf"(?:{_BETWEEN}[A-Za-z0-9+/=]*+{_BETWEEN}-----END(?: [A-Z0-9]+)* PRIVATE KEY(?: BLOCK)?-----)?"
)
_AWS = (
    r"(?i:(?<=aws_secret_access_key)|(?<=secretaccesskey))"
    r"[\"']?\s*[=:]\s*[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+])"
)
_LOOKS = (
    _PRIVATE_KEY,
    r"sk-ant-[A-Za-z0-9_-]{12,}",
    # OpenAI and others.
    r"(?<![A-Za-z0-9_-])sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9]{20,}[A-Za-z0-9_-]*",
    # A Discord bot: its id in base64, a time, a signature.
    r"(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{17,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    # What opens a webhook or an interaction on Discord.
    r"(?<=/webhooks/)[0-9]{15,21}/[A-Za-z0-9_.-]{30,}",
    r"(?<=/interactions/)[0-9]{15,21}/[A-Za-z0-9_.-]{30,}",
    r"(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])",
    _AWS,
    r"(?<![A-Za-z0-9])gh[pousr]_[A-Za-z0-9]{30,}",
    r"(?<![A-Za-z0-9])github_pat_[A-Za-z0-9_]{30,}",
    r"(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20,}",
    r"(?<![A-Za-z0-9])xox[abeoprs]-[A-Za-z0-9-]{20,}",
    r"(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])",
)
"""What secrets of common services look like."""
_BY_LOOKS = re.compile("|".join(_LOOKS), re.ASCII)


class Redactor:
    """Takes a set of secrets out of text, and whatever else looks like one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        worthy = [secret for secret in secrets if len(secret) >= _LEAST_CHARACTERS]
        forms = {form for secret in worthy for form in _forms_of(secret)}
        # The longest first: where one form begins with another, all of it has to go.
        ordered = sorted(forms, key=lambda form: (-len(form), form))
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def redact(self, text: str) -> str:
        """Return `text` with each secret replaced: as it is, in base64, and URL-encoded."""
        known = text if self._known is None else self._known.sub(REDACTED, text)
        return _BY_LOOKS.sub(REDACTED, known)

    def redact_bytes(self, content: bytes) -> bytes:
        """Return the content of a file, text or not, with each secret replaced.

        That of a large one takes seconds: call it on a thread, where it lets others work meanwhile.
        """
        # Each byte is one character of Latin-1 and back, and secrets are ASCII.
        text = content.decode("latin-1")
        known = text if self._known is None else _in_pieces(self._known, text)
        redacted = _in_pieces(_BY_LOOKS, known)
        return content if redacted == text else redacted.encode("latin-1")


def _in_pieces(secrets: re.Pattern[str], text: str) -> str:
    """Replace what is found in a long text, piece by piece: no other thread runs during one."""
    kept: list[str] = []
    begin = position = 0
    while position < len(text):
        end = position + _PIECE_CHARACTERS
        found = secrets.search(text, position, end + _AHEAD_CHARACTERS)
        if found is None or found.start() >= end:
            position = end
        # Where the piece ends, more of it may follow, or what it is no secret with.
        elif (whole := secrets.match(text, found.start())) is None:
            position = found.start() + 1
        else:
            kept += [text[begin : whole.start()], REDACTED]
            begin = position = whole.end()
    return "".join([*kept, text[begin:]])


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
