"""Who calls: one token for each Claude that was spawned.

Pure: tokens come in as arguments. Only their hashes are kept, so nothing here can be stolen, and
a job's hash can be stored and admitted again after a restart.
"""

import hashlib
from dataclasses import dataclass
from enum import StrEnum


class CallerKind(StrEnum):
    """What sort of Claude calls."""

    SPEAKER = "speaker"
    JOB = "job"


@dataclass(frozen=True, slots=True)
class Caller:
    """One spawned Claude."""

    kind: CallerKind
    subject: str
    """The session's id for a speaker, the job's id for a job."""

    def __str__(self) -> str:
        return f"{self.kind}:{self.subject}"


def token_hash(token: str) -> str:
    """Return what is kept of `token`: its SHA-256, as 64 hexadecimal digits."""
    # What stands in a request's header need not be UTF-8; then it is nobody's token.
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


class Callers:
    """The callers that are let in at present."""

    def __init__(self) -> None:
        self._callers: dict[str, Caller] = {}

    def admit(self, caller: Caller, hashed: str) -> None:
        """Let `caller` in with the token whose hash this is; an older token of it still works."""
        self._callers[hashed] = caller

    def resolve(self, token: str) -> Caller | None:
        """Return whose token this is; `None` if it is nobody's.

        The look-up is by hash, so how long it takes says nothing about any token.
        """
        return self._callers.get(token_hash(token))

    def revoke(self, caller: Caller) -> None:
        """Let `caller` in no more, with any of its tokens."""
        self._callers = {hashed: c for hashed, c in self._callers.items() if c != caller}
