"""Somebody new asks for help, and what they may do."""

from tests.docs.scenes.stage import Stage


async def play(stage: Stage) -> None:
    """Ask for help, in general and with one command; ask what one may do."""
    ben, sven = stage.person("ben"), stage.person("sven")
    await stage.slash(ben, "help")
    with stage.beside_the_picture():
        (choice,) = await stage.types(ben, "help", "command", "not")
    await stage.picks(ben, "help", "command", choice)
    await stage.slash(ben, "whoami")
    await stage.slash(sven, "whoami")
    with stage.beside_the_picture():
        await stage.slash(stage.person("olga"), "whoami")
