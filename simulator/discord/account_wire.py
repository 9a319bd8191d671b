"""How accounts and members look on the wire."""

from simulator.discord.model import Account, AccountKind, Json
from simulator.discord.world import World


def user_json(account: Account) -> Json:
    """Return a user object."""
    return {
        "id": str(account.id),
        "username": account.name,
        "discriminator": "0",
        "global_name": None if account.kind is AccountKind.BOT else account.name,
        "avatar": None,
        "bot": account.kind is not AccountKind.PERSON,
        "public_flags": 0,
        "flags": 0,
        "primary_guild": None,
    }


def own_user_json(bot: Account) -> Json:
    """Return the bot's user as it sees itself."""
    return user_json(bot) | {
        "verified": True,
        "mfa_enabled": False,
        "locale": "en-US",
        "email": None,
        "premium_type": 0,
    }


def bare_member_json(world: World, account: Account) -> Json:
    """Return a member object without its user."""
    return {
        "nick": None,
        "avatar": None,
        "banner": None,
        "roles": [str(role_id) for role_id in world.roles_of(account)],
        "joined_at": world.clock.date_of(account.joined_at_seconds),
        "premium_since": None,
        "communication_disabled_until": None,
        "deaf": False,
        "mute": False,
        "pending": False,
        "flags": 0,
    }


def member_json(world: World, account: Account) -> Json:
    """Return a member object."""
    return bare_member_json(world, account) | {"user": user_json(account)}
