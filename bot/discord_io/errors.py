"""What can go wrong with Discord.

DiscordRefusedError (a BotError)   it will not have us, and trying again does not help
    LoginRefusedError          the token is wrong
    IntentsRefusedError        the application may not read messages
TooManyCommandsError (a BotError)  there are more commands than it takes
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


class TooManyCommandsError(BotError):
    """Discord takes fewer commands of a kind than there are."""

    def __init__(self, kind: str, number: int, most: int) -> None:
        super().__init__(kind, number, most)
        self.kind = kind
        self.number = number
        self.most = most

    def __str__(self) -> str:
        return (
            f"there are {self.number} {self.kind}, and Discord takes {self.most} at most. "
            "Whatever adds some of them has to offer fewer."
        )
