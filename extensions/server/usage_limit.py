"""When a usage limit ends, put where Claude Code passes it on. Pure.

With an API key Claude Code drops the headers that say so, and keeps the error's message; so the
time is written at its end, as Claude Code itself once did: `…|UNIX SECONDS`.
"""

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

_PREFIX, _RESET, _REMAINING = "anthropic-ratelimit-", "-reset", "-remaining"
_RETRY_AFTER = "retry-after"


def resets_at(headers: Mapping[str, str], *, now: float) -> int | None:
    """Return the Unix time at which the limit ends; `None` if the headers do not tell.

    Args:
        headers: Of an answer with status 429; the names in lower case.
        now: Unix time, in seconds.
    """
    exhausted = [
        value
        for name, value in headers.items()
        if name.startswith(_PREFIX)
        and name.endswith(_RESET)
        and headers.get(name.removesuffix(_RESET) + _REMAINING, "0") == "0"
    ]
    times = list(_times(exhausted))
    if times:
        return max(times)
    after = headers.get(_RETRY_AFTER, "")
    return int(now) + int(after) if after.isascii() and after.isdigit() else None


def with_reset(body: bytes, at: int) -> bytes:
    """Return the error with the time at the end of its message; another body as it is."""
    try:
        error: Any = json.loads(body)
        error["error"]["message"] = f"{error['error']['message']}|{at}"
    except (ValueError, TypeError, KeyError):
        return body
    return json.dumps(error).encode()


def _times(values: Iterable[str]) -> Iterable[int]:
    for value in values:
        try:
            yield int(value) if value.isdigit() else int(datetime.fromisoformat(value).timestamp())
        except ValueError:
            continue
