"""What the model gateway passes on, and what it keeps back. Pure."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Final

# Batches are not among them: what they cost is seen only where their results are fetched.
_FORWARDED: Final = (
    ("POST", re.compile(r"/v1/messages(?!/batches)(/[A-Za-z0-9_-]+)*")),
    ("GET", re.compile(r"/v1/models(/[A-Za-z0-9_-][A-Za-z0-9._-]*)?")),
    ("GET", re.compile(r"/")),
    ("HEAD", re.compile(r"/")),
)

_HOP_BY_HOP: Final = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_KEPT_FROM_UPSTREAM: Final = _HOP_BY_HOP | {
    "accept-encoding",
    "authorization",
    "content-length",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "x-api-key",
}
_KEPT_FROM_CALLER: Final = _HOP_BY_HOP | {
    "authorization",
    "set-cookie",
    "www-authenticate",
    "x-api-key",
}

ANSWERS: Final = "/v1/messages"
"""The path under which the model answers."""


def is_forwarded(method: str, path: str) -> bool:
    """Return whether a request of that method and bare path goes to the model's API at all."""
    return any(method == allowed and form.fullmatch(path) for allowed, form in _FORWARDED)


def token_of(headers: Mapping[str, str]) -> str | None:
    """Return the caller's token, which stands where an API key would."""
    if key := headers.get("x-api-key"):
        return key
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() or None if scheme.lower() == "bearer" else None


def headers_to_upstream(
    headers: Iterable[tuple[str, str]], *, api_key: str
) -> list[tuple[str, str]]:
    """Return the headers to send: the caller's, with the real key in place of its token."""
    passed = _without(headers, _KEPT_FROM_UPSTREAM)
    # Not compressed, so that the gateway can read along.
    return [*passed, ("accept-encoding", "identity"), ("x-api-key", api_key)]


def headers_to_caller(headers: Iterable[tuple[str, str]], *, api_key: str) -> list[tuple[str, str]]:
    """Return the headers to answer with: none that is the connection's own or shows the key."""
    return [(n, v) for n, v in _without(headers, _KEPT_FROM_CALLER) if api_key not in v]


def _without(headers: Iterable[tuple[str, str]], kept: frozenset[str]) -> list[tuple[str, str]]:
    pairs = list(headers)
    named = {
        token.strip().lower()
        for name, value in pairs
        if name.lower() == "connection"
        for token in value.split(",")
    }
    return [(n, v) for n, v in pairs if n.lower() not in kept and n.lower() not in named]


def error_body(kind: str, message: str) -> bytes:
    """Return an error in the Messages API's own form, so that Claude can say what is wrong."""
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return json.dumps(error).encode()


class KeyMask:
    """Blots the key out of bytes that pass by, wherever they are divided.

    As many bytes come out as went in. Nothing is held back but what may be the key's beginning.
    """

    def __init__(self, key: str) -> None:
        self._key = key.encode()
        self._blot = b"*" * len(self._key)
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """Return what can be passed on now."""
        data = (self._held + data).replace(self._key, self._blot)
        held = self._beginning_at_the_end_of(data)
        self._held = data[len(data) - held :]
        return data[: len(data) - held]

    def rest(self) -> bytes:
        """Return what was held back, when nothing more comes."""
        held, self._held = self._held, b""
        return held

    def _beginning_at_the_end_of(self, data: bytes) -> int:
        longest = min(len(self._key) - 1, len(data))
        return next((n for n in range(longest, 0, -1) if data.endswith(self._key[:n])), 0)
