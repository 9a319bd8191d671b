"""Asks about plugins on a terminal before the bot starts; unattended, nobody is asked."""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import typer

from bot.cli.output import harmless
from bot.cli.plugin_ground import LocalTrust
from bot.cli.plugin_trusting import trust_lines
from bot.plugin_services.standing import Standing
from bot.plugin_services.trust_desk import TrustOrder, should_ask
from extensions.errors import PluginError

Say = Callable[[str], None]
Confirm = Callable[[str], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terminal:
    """Where the operator is asked."""

    say: Say
    confirm: Confirm
    """Shows a question, and returns whether the answer was yes."""


def this_terminal() -> Terminal | None:
    """Return where the operator can be asked; `None` if nobody is there."""
    if not sys.stdin.isatty() or not sys.stderr.isatty():
        return None
    return Terminal(say=_say, confirm=_confirm)


def ask_about_plugins(local: LocalTrust, terminal: Terminal) -> None:
    """Ask about each plugin that is new or has changed; the data folder has to be held already.

    One that is refused is not asked about again before it changes.

    Raises:
        DatabaseError: If the database cannot be used.
    """
    asked_about = [one for one in local.run_held(lambda desk: desk.standings()) if should_ask(one)]
    for standing in asked_about:
        terminal.say("\n".join(trust_lines(standing)))
        is_agreed = terminal.confirm(f"Trust {standing.id} with that?")
        try:
            _settle(local, standing, is_agreed=is_agreed)
        except PluginError as error:
            terminal.say(f"{harmless(str(error))}.")
        else:
            terminal.say(_outcome(standing, is_agreed=is_agreed))


def _settle(local: LocalTrust, standing: Standing, *, is_agreed: bool) -> None:
    name, seen = standing.id, standing.hash
    if seen is None:
        return
    if is_agreed:
        local.run_held(lambda desk: desk.trust(TrustOrder(name=name, hash=seen)))
    else:
        local.run_held(lambda desk: desk.refuse(name, seen))


def _outcome(standing: Standing, *, is_agreed: bool) -> str:
    if is_agreed:
        return f"{standing.id} is trusted."
    return f"{standing.id} stays out. To trust it later: papercup plugin trust {standing.id}"


def _say(text: str) -> None:
    typer.echo(text, err=True)


def _confirm(question: str) -> bool:
    return typer.confirm(question, default=False, err=True)
