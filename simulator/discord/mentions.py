"""Whom a message pings. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from simulator.discord.model import Account, Json, items_of

_USER = re.compile(r"<@!?(\d+)>")
_EVERYONE = re.compile(r"@(everyone|here)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pings:
    """Whom a message pings."""

    accounts: tuple[Account, ...]
    everyone: bool


def pings_of(
    text: str,
    allowed: Json | None,
    *,
    accounts: Mapping[int, Account],
    replied_to: Account | None,
) -> Pings:
    """Say whom a message pings.

    Args:
        text: What it says.
        allowed: `allowed_mentions` as on the wire; `None`: all that it mentions.
        accounts: Everyone there is.
        replied_to: Who wrote what it replies to.
    """
    mentioned = dict.fromkeys(int(found) for found in _USER.findall(text))
    ids = [one for one in mentioned if _may_ping(one, allowed)]
    if replied_to is not None and (allowed is None or allowed.get("replied_user")):
        ids.append(replied_to.id)
    may_ping_everyone = allowed is None or "everyone" in items_of(allowed, "parse")
    return Pings(
        accounts=tuple(accounts[one] for one in dict.fromkeys(ids) if one in accounts),
        everyone=may_ping_everyone and _EVERYONE.search(text) is not None,
    )


def _may_ping(account_id: int, allowed: Json | None) -> bool:
    if allowed is None or "users" in items_of(allowed, "parse"):
        return True
    return str(account_id) in map(str, items_of(allowed, "users"))
