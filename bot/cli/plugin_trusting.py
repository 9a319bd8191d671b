"""What `papercup plugin trust`, `untrust`, `reload` and `ask` do and print.

Beside a running bot they go through it; else trust is changed in its place.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass

import typer

from bot.cli.output import ExitCode, harmless, print_error, print_json
from bot.cli.plugin_ground import LocalTrust
from bot.control.plugin_client import (
    ask_provider,
    read_standing,
    reload_plugin,
    trust_plugin,
    untrust_plugin,
)
from bot.control.plugin_reports import SETTLED
from bot.errors import NotRunningError
from bot.plugin_services.provider_asking import ProviderQuestion
from bot.plugin_services.standing import Standing
from bot.plugin_services.trust_desk import Settled, TrustOrder
from extensions.errors import PluginError


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustWish:
    """What the operator wants of a plugin."""

    name: str
    is_sure: bool
    """Whether nothing is asked any more."""
    denied_env: frozenset[str] = frozenset()
    """Variables that it asks for and does not get."""
    denies_exec: bool = False
    """Whether no programs are run for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustOutcome:
    """How a plugin stands that has just been trusted."""

    settled: Settled
    has_bot: bool
    """Whether a bot runs, that has started it if it could."""


def print_trusted(local: LocalTrust, wish: TrustWish, *, as_json: bool) -> ExitCode:
    """Show what a plugin asks for, have it trusted if the operator agrees, and print how it is.

    Raises:
        PluginError, ControlRefusedError: If there is no such plugin, or it cannot be trusted.
        ControlError: If a bot runs, but does not answer as it should.
        DataFolderBusyError: If a bot is just about to start, or to end.
    """
    outcome = ask_and_trust(local, wish, as_json=as_json)
    if outcome is None:
        return ExitCode.FAILED
    print_settled(outcome.settled, "is trusted", as_json=as_json)
    return ExitCode.OK


def ask_and_trust(local: LocalTrust, wish: TrustWish, *, as_json: bool) -> TrustOutcome | None:
    """Do the same, but do not print how it is; `None`: the operator does not agree.

    Raises:
        PluginError, ControlRefusedError: If there is no such plugin, or it cannot be trusted.
        ControlError: If a bot runs, but does not answer as it should.
        DataFolderBusyError: If a bot is just about to start, or to end.
    """
    standing = read_standing(local.socket, wish.name)
    if standing is None:
        standing = local.run(lambda desk: desk.standing(wish.name))
    if standing.hash is None:
        raise PluginError(standing.id, f"it cannot be trusted: {standing.reason}")
    if not as_json:
        typer.echo("\n".join(trust_lines(standing)))
    if not wish.is_sure and not _is_agreed(standing, as_json=as_json):
        return None
    order = TrustOrder(
        name=wish.name,
        hash=standing.hash,
        denied_env=wish.denied_env,
        denies_exec=wish.denies_exec,
    )
    settled = trust_plugin(local.socket, order)
    if settled is not None:
        return TrustOutcome(settled=settled, has_bot=True)
    return TrustOutcome(settled=local.run(lambda desk: desk.trust(order)), has_bot=False)


def print_untrusted(local: LocalTrust, name: str, *, as_json: bool) -> ExitCode:
    """Have a plugin trusted no more, and say so.

    Raises:
        PluginError, ControlRefusedError: If the configuration trusts it.
        ControlError: If a bot runs, but does not answer as it should.
        DataFolderBusyError: If a bot is just about to start, or to end.
    """
    changed = untrust_plugin(local.socket, name)
    if changed is None:
        changed = local.run(lambda desk: desk.untrust(name))
    if not changed and not _is_found(local, name):
        shown = "`papercup plugin list` shows which plugins are found"
        print_error(f"nobody has trusted {harmless(name)}; {shown}")
        return ExitCode.FAILED
    if as_json:
        print_json({"name": name, "changed": changed})
    else:
        typer.echo(f"{name} is trusted no more." if changed else f"{name} was not trusted.")
    return ExitCode.OK


def print_reloaded(local: LocalTrust, name: str, *, as_json: bool) -> ExitCode:
    """Have the running bot start a plugin anew, and print how it is.

    Raises:
        NotRunningError: If no bot runs.
        ControlRefusedError: If there is no such plugin.
        ControlError: If the bot does not answer as it should.
    """
    settled = reload_plugin(local.socket, name)
    if settled is None:
        raise NotRunningError(local.folder.root)
    print_settled(settled, "was started anew", as_json=as_json)
    return ExitCode.OK if settled.down is None else ExitCode.FAILED


def print_answer(local: LocalTrust, question: ProviderQuestion, *, as_json: bool) -> ExitCode:
    """Have the running bot ask a model of a plugin's provider, and print what it answers.

    Raises:
        NotRunningError: If no bot runs.
        ControlError: If the bot does not answer as it should.
    """
    shown: list[str] = []

    def show(piece: str) -> None:
        if not as_json:
            shown.append(piece)
            typer.echo(harmless(piece), nl=False)

    end = ask_provider(local.socket, question, show)
    if end is None:
        raise NotRunningError(local.folder.root)
    if as_json:
        print_json({"answer": end.answer, "error": end.error})
        return ExitCode.OK if end.error is None else ExitCode.FAILED
    if shown:
        typer.echo()
    if end.error is not None:
        print_error(harmless(end.error))
        return ExitCode.FAILED
    if not shown or not end.is_whole:
        typer.echo(harmless(end.answer or ""))
    return ExitCode.OK


def trust_lines(standing: Standing) -> Iterator[str]:
    """Yield in plain words, line by line, what a plugin asks to be trusted with."""
    yield f"Plugin {standing.title}"
    if standing.description:
        yield f'It says: "{standing.description}"'
    if standing.origin:
        yield f"It comes from: {standing.origin}"
    yield "It may:"
    yield from (f"  - {each}" for each in standing.may)
    if standing.variables:
        yield "It reads these variables of your environment:"
        yield from (f"  - {each.words}" for each in standing.variables)
    if standing.unserved:
        yield "It also asks for what it does not get:"
        yield from (f"  - {each}" for each in standing.unserved)
    yield f"All of its folder is {standing.hash}."
    if standing.reason is not None:
        # How to trust it is not said to whoever is just doing that.
        reason = standing.reason.partition(": `papercup plugin trust ")[0]
        yield f"So far it is not trusted: {harmless(reason)}."


def _is_found(local: LocalTrust, name: str) -> bool:
    report = local.ground.discover()
    return any(each.id == name for each in (*report.candidates, *report.left_out))


def _is_agreed(standing: Standing, *, as_json: bool) -> bool:
    if as_json or not sys.stdin.isatty():
        print_error("nobody can be asked here: to trust it all the same, say --yes")
        return False
    if typer.confirm(f"Trust {standing.id} with that?", default=False):
        return True
    typer.echo(f"{standing.id} is not trusted.")
    return False


def print_settled(settled: Settled, done: str, *, as_json: bool) -> None:
    """Print how a plugin is after something was done with it: `done`, the end of a sentence."""
    if as_json:
        print_json(SETTLED.plain(settled))
        return
    standing = settled.standing
    if settled.down is None:
        typer.echo(f"{standing.id} {done}, and runs.")
    elif standing.is_trusted:
        typer.echo(f"{standing.id} {done}, but does not run: {harmless(settled.down)}.")
    else:
        typer.echo(f"{standing.id} does not run: {harmless(settled.down)}.")
