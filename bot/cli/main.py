"""The command `papercup`."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli import (
    config_commands,
    jobs_commands,
    plugin_commands,
    project_commands,
    voice_commands,
)
from bot.cli.options import ConfigOption, JsonOption
from bot.cli.output import print_error, telling_errors
from bot.cli.platforms import require_linux
from bot.config import Config
from bot.config_reading import ConfigReading, Surroundings, read_config, these_surroundings
from bot.secrets import Secrets, read_secrets

if TYPE_CHECKING:
    from bot.data_folder import DataFolder

app = typer.Typer(
    name="papercup",
    help="A self-hosted Discord bot that one talks to, and that hands work to background jobs.",
    no_args_is_help=True,
    add_completion=False,
    # Its own rendering of an exception shows the values of variables.
    pretty_exceptions_enable=False,
)
app.add_typer(config_commands.app, name="config")
app.add_typer(jobs_commands.app, name="jobs")
app.add_typer(plugin_commands.app, name="plugin")
app.add_typer(project_commands.app, name="project")
app.add_typer(voice_commands.app, name="voice")


def main() -> None:
    """Run the command that the command line names."""
    app(prog_name="papercup")


@app.command()
def run(config: ConfigOption = None) -> None:
    """Run the bot, until Ctrl-C or SIGTERM ends it."""
    with telling_errors():
        require_linux(sys.platform)
        where = these_surroundings()
        reading = read_config(config, where)
        for note in reading.notes:
            print_error(str(note))
        secrets = read_secrets(reading.file, where).complete()
        # Only here: it needs what only Linux has.
        from bot.cli.run import run as run_until_told  # noqa: PLC0415

        prepare = _questions(reading, where)
        raise typer.Exit(run_until_told(_bot, reading.config, secrets, prepare=prepare))


@app.command()
def demo(
    *,
    text: Annotated[
        bool,
        typer.Option("--text", help="Show the conversation in writing alone; a minute at most."),
    ] = False,
    voice: Annotated[
        bool,
        typer.Option(
            "--voice", help="Show the conversation on a voice line alone; two minutes at most."
        ),
    ] = False,
    plugins: Annotated[
        bool,
        typer.Option("--plugins", help="Show what plugins do alone; a minute at most."),
    ] = False,
    authors: Annotated[
        bool,
        typer.Option(
            "--authors",
            help="Show the way of plugins from a template to Discord alone; a minute at most.",
        ),
    ] = False,
    report: Annotated[
        Path | None,
        typer.Option("--report", metavar="FILE", help="Write what was seen to FILE, as JSON."),
    ] = None,
    wavs: Annotated[
        Path | None,
        typer.Option(
            "--wavs",
            metavar="FOLDER",
            help="Keep what was said in FOLDER, as WAV files; else it is beside the report, or in a"
            " temporary folder.",
        ),
    ] = None,
) -> None:
    """Show whole conversations against a simulated Discord; it needs no account and no network."""
    with telling_errors():
        require_linux(sys.platform)
        # Only here: the simulator is large, and no other command needs it.
        from bot.cli.demo import DemoWish, run_demo  # noqa: PLC0415

        everything = not (text or voice or plugins or authors)
        wish = DemoWish(
            text=text or everything,
            voice=voice or everything,
            plugins=plugins or everything,
            authors=authors or everything,
            report=report,
            wavs=wavs,
        )
        raise typer.Exit(run_demo(wish))


@app.command()
def status(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Say how the running bot is; exit code 3 if none runs."""
    with telling_errors():
        require_linux(sys.platform)
        # Only here: unix sockets are not there on every system on which this file is imported.
        from bot.cli.status import print_status  # noqa: PLC0415

        reading = read_config(config, these_surroundings())
        raise typer.Exit(print_status(reading.config.data_dir, as_json=as_json))


@app.command()
def doctor(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Look for what keeps Papercup from working, and say how to mend it; exit code 1 if it is."""
    with telling_errors():
        require_linux(sys.platform)
        # Only here: it imports nearly everything.
        from bot.cli.doctor import print_findings  # noqa: PLC0415

        raise typer.Exit(print_findings(config, these_surroundings(), as_json=as_json))


@app.command()
def version(config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Print the versions of Papercup and of what it stands on."""
    # Only here: it imports what looks for `claude`.
    from bot.cli.version import print_version  # noqa: PLC0415

    print_version(config, these_surroundings(), as_json=as_json)


def _questions(reading: ConfigReading, where: Surroundings) -> Callable[[], None] | None:
    """Return what asks about new plugins before the bot starts; `None` if nobody can be asked."""
    # Only here, as above.
    from bot.cli.plugin_questions import ask_about_plugins, this_terminal  # noqa: PLC0415

    terminal = this_terminal()
    if terminal is None or not reading.config.plugins.enabled:
        return None
    from bot.cli.plugin_ground import local_trust  # noqa: PLC0415

    local = local_trust(reading, where)
    return lambda: ask_about_plugins(local, terminal)


async def _bot(config: Config, secrets: Secrets, folder: "DataFolder") -> int:
    # Only here: it takes a second to import, and no other command, nor a refusal, should wait.
    from bot.app import run_bot  # noqa: PLC0415

    return await run_bot(config, secrets, folder)
