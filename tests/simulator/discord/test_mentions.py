from typing import Any

import pytest

from simulator.discord.mentions import pings_of
from simulator.discord.model import Account

ALICE, BOB, CAROL = (Account(id=number, name=name) for number, name in enumerate("abc", start=1))
ACCOUNTS = {account.id: account for account in (ALICE, BOB, CAROL)}
TEXT = "<@1> and <@!2>, @everyone, <@99>"


@pytest.mark.parametrize(
    ("allowed", "pinged", "everyone"),
    [
        (None, (ALICE, BOB, CAROL), True),
        ({"parse": []}, (), False),
        ({"parse": ["users"]}, (ALICE, BOB), False),
        ({"parse": ["everyone"]}, (), True),
        ({"parse": [], "users": ["2"]}, (BOB,), False),
        ({"parse": [], "replied_user": True}, (CAROL,), False),
    ],
)
def test_only_those_are_pinged_whom_the_author_allows(
    allowed: dict[str, Any] | None, pinged: tuple[Account, ...], *, everyone: bool
) -> None:
    pings = pings_of(TEXT, allowed, accounts=ACCOUNTS, replied_to=CAROL)
    assert (pings.accounts, pings.everyone) == (pinged, everyone)
