"""`papercup plugin trust`, `untrust`, `log`, `reload` and `ask`."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import ConfigOption, JsonOption
from bot.cli.output import telling_errors
from bot.cli.platforms import require_linux
from bot.config_reading import read_config, these_surroundings

if TYPE_CHECKING:
    from bot.cli.plugin_ground import LocalTrust

NameArgument = Annotated[str, typer.Argument(metavar="PLUGIN", help="Its id.")]


def add_trust_commands(app: typer.Typer) -> None:
    """Add them to `papercup plugin`."""
    for command in (trust, untrust, log, reload, ask):
        app.command()(command)


def trust(
    name: NameArgument,
    config: ConfigOption = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Ask nothing.")] = False,
    deny_env: Annotated[
        list[str] | None,
        typer.Option(
            "--deny-env", metavar="NAME", help="A variable that it does not get; may be repeated."
        ),
    ] = None,
    deny_exec: Annotated[
        bool, typer.Option("--deny-exec", help="Have no programs run for it.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what a plugin asks for, and trust it as it is now; a running bot starts it at once."""
    with local_on_linux(config) as local:
        from bot.cli.plugin_trusting import TrustWish, print_trusted  # noqa: PLC0415

        denied = frozenset(deny_env or ())
        wish = TrustWish(name=name, is_sure=yes, denied_env=denied, denies_exec=deny_exec)
        raise typer.Exit(print_trusted(local, wish, as_json=as_json))


def untrust(
    name: NameArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Trust a plugin no more; a running bot stops it at once."""
    with local_on_linux(config) as local:
        from bot.cli.plugin_trusting import print_untrusted  # noqa: PLC0415

        raise typer.Exit(print_untrusted(local, name, as_json=as_json))


def log(
    name: Annotated[
        str | None, typer.Argument(metavar="PLUGIN", help="Its id; without it, all are shown.")
    ] = None,
    config: ConfigOption = None,
    *,
    limit: Annotated[int, typer.Option("--limit", min=1, max=1_000, help="How many at most.")] = 50,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on with new lines, until Ctrl-C.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Show what plugins did, and what was done with them, the newest last."""
    with local_on_linux(config) as local:
        from bot.cli.plugin_log import print_log  # noqa: PLC0415
        from bot.control.plugin_reports import LogWish  # noqa: PLC0415

        print_log(local, LogWish(limit=limit, name=name), follows=follow, as_json=as_json)


def reload(name: NameArgument, config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Have the running bot start a plugin anew; exit code 3 if none runs."""
    with local_on_linux(config) as local:
        from bot.cli.plugin_trusting import print_reloaded  # noqa: PLC0415

        raise typer.Exit(print_reloaded(local, name, as_json=as_json))


def ask(
    provider: Annotated[
        str, typer.Argument(metavar="PROVIDER", help="As PLUGIN/NAME, or its name alone.")
    ],
    prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What is asked; -: from stdin.")],
    config: ConfigOption = None,
    *,
    model: Annotated[
        str | None, typer.Option("--model", help="Which model; else the provider's first.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Have the running bot ask a model that a plugin gives access to; exit code 3 if none runs."""
    with local_on_linux(config) as local:
        from bot.cli.plugin_trusting import print_answer  # noqa: PLC0415
        from bot.plugin_services.provider_asking import ProviderQuestion  # noqa: PLC0415

        text = sys.stdin.read() if prompt == "-" else prompt
        question = ProviderQuestion(provider=provider, model=model, prompt=text)
        raise typer.Exit(print_answer(local, question, as_json=as_json))


@contextmanager
def local_on_linux(named: Path | None) -> Generator["LocalTrust", None, None]:
    """Yield what commands about trust work with; errors become sentences and exit codes."""
    with telling_errors():
        require_linux(sys.platform)
        # Only here: it needs what only Linux has.
        from bot.cli.plugin_ground import local_trust  # noqa: PLC0415

        where = these_surroundings()
        yield local_trust(read_config(named, where), where)
