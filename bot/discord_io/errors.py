"""What can go wrong with Discord.

DiscordRefusedError (a BotError)   it will not have us, and trying again does not help
    LoginRefusedError          the token is wrong
    IntentsRefusedError        the application may not read messages
"""

from bot.errors import BotError


class DiscordRefusedError(BotError):
    """Discord refuses the bot, and goes on refusing until somebody changes a setting."""


class LoginRefusedError(DiscordRefusedError):
    """The token is not the token of a bot."""

    def __str__(self) -> str:
        return (
            "Discord does not know the bot's token. Copy it anew from "
            "https://discord.com/developers/applications (your application, Bot, Reset Token) "
            "into DISCORD_TOKEN."
        )


class IntentsRefusedError(DiscordRefusedError):
    """The application is not allowed to read what people write."""

    def __str__(self) -> str:
        return (
            "Discord does not let the bot read messages. Switch on 'Message Content Intent' at "
            "https://discord.com/developers/applications (your application, Bot, Privileged "
            "Gateway Intents), and start Papercup again."
        )
