#!/usr/bin/env python3
"""Gives access to a model, which says back what it is told: a provider, with the SDK."""

from collections.abc import Iterator
from typing import Any

from papercup_plugin import (
    Completion,
    CompletionRequest,
    Context,
    Credentials,
    Model,
    Plugin,
    RefusedError,
)

plugin = Plugin("parrot", version="1.0.0")
parrot = plugin.provider("parrot", models=[Model("parrot-1", "Parrot")])

PIECE = 4


@parrot.complete
def answer(request: CompletionRequest) -> Iterator[str | Completion]:
    """Answer. A real one would ask its service here, and yield the pieces as they come."""
    said = f"Squawk! {last_words(request)}"
    for start in range(0, len(said), PIECE):
        yield said[start : start + PIECE]
    yield Completion(resolved_model=request.model)


@parrot.oauth_login
def log_in(ctx: Context) -> Credentials:
    """Ask for a key. The host keeps what is returned; a real one is given it by its service."""
    key = ctx.ui.input("Which key does the parrot go by?")
    if not key:
        raise RefusedError("nobody gave a key")
    return Credentials(api_key=key, refresh_token=key)


@parrot.oauth_refresh
def renew(refresh_token: str) -> Credentials:
    """Renew what was granted."""
    return Credentials(api_key=refresh_token, refresh_token=refresh_token)


def last_words(request: CompletionRequest) -> str:
    """Return what the person said last."""
    said = [each.get("content") for each in request.messages if each.get("role") == "user"]
    return in_words(said[-1]) if said else "…"


def in_words(content: Any) -> str:
    """Return a message's text, which may come in blocks."""
    match content:
        case str():
            return content
        case [*blocks]:
            return " ".join(str(each["text"]) for each in blocks if "text" in each)
        case _:
            return "…"


if __name__ == "__main__":
    plugin.run()
