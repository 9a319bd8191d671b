"""`papercup plugin install`, `update`, `remove`, `enable`, `disable` and `search`."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bot.cli.options import ConfigOption, JsonOption
from bot.cli.output import telling_errors
from bot.cli.platforms import require_linux
from bot.cli.plugin_trust_commands import NameArgument
from bot.config_reading import read_config, these_surroundings

if TYPE_CHECKING:
    from bot.cli.package_ground import PackageGround

TrialOption = Annotated[
    bool, typer.Option("--dry-run", help="Check all, say what would be done, and change nothing.")
]
ProjectOption = Annotated[
    bool,
    typer.Option("--project", help="In the project here, .papercup/plugins, not for this user."),
]
TrustOption = Annotated[
    bool, typer.Option("--trust", help="Show what it asks for, and trust it if you agree.")
]
YesOption = Annotated[bool, typer.Option("--yes", help="Ask nothing.")]


def add_package_commands(app: typer.Typer) -> None:
    """Add them to `papercup plugin`."""
    for command in (install, update, remove, enable, disable, search):
        app.command()(command)
    # What other programs call it. To who types that, `install` would be offered in its place.
    app.command("uninstall", hidden=True)(remove)


def install(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            # Not in square brackets: they are taken for marks of how it is shown.
            help="A folder, npm:@scope/NAME, pypi:NAME or git:HOST/USER/REPO; with @VERSION (of git"
            " a branch, tag or commit) behind it, just that one.",
        ),
    ],
    config: ConfigOption = None,
    *,
    link: Annotated[
        bool, typer.Option("--link", help="Copy nothing: the folder is found where it is.")
    ] = False,
    project: ProjectOption = False,
    trust: TrustOption = False,
    yes: YesOption = False,
    dry_run: TrialOption = False,
    as_json: JsonOption = False,
) -> None:
    """Install a plugin: all of it is copied, none of it is run before it is trusted."""
    with _packages(config) as ground:
        from bot.cli.plugin_packages import PackageWish, print_installed  # noqa: PLC0415

        wish = PackageWish(
            is_link=link,
            in_project=project,
            trusts=trust,
            is_sure=yes,
            is_trial=dry_run,
            as_json=as_json,
        )
        raise typer.Exit(print_installed(ground, source, wish))


def update(
    name: Annotated[
        str | None,
        typer.Argument(metavar="PLUGIN", help="Its id; without it, all are updated."),
    ] = None,
    config: ConfigOption = None,
    *,
    project: ProjectOption = False,
    trust: TrustOption = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Ask nothing, and replace what was changed in its place.")
    ] = False,
    dry_run: TrialOption = False,
    as_json: JsonOption = False,
) -> None:
    """Bring what plugins' sources have by now; what has changed has to be trusted again."""
    with _packages(config) as ground:
        from bot.cli.plugin_packages import PackageWish, print_updated  # noqa: PLC0415

        wish = PackageWish(
            in_project=project, trusts=trust, is_sure=yes, is_trial=dry_run, as_json=as_json
        )
        raise typer.Exit(print_updated(ground, name, wish))


def remove(
    name: NameArgument,
    config: ConfigOption = None,
    *,
    project: ProjectOption = False,
    purge: Annotated[
        bool, typer.Option("--purge", help="Throw away what it has kept, too.")
    ] = False,
    yes: YesOption = False,
    dry_run: TrialOption = False,
    as_json: JsonOption = False,
) -> None:
    """Remove a plugin that was installed; a running bot stops it at once."""
    with _packages(config) as ground:
        from bot.cli.plugin_removing import RemoveWish, print_removed  # noqa: PLC0415

        wish = RemoveWish(
            name=name,
            in_project=project,
            is_sure=yes,
            is_trial=dry_run,
            purges=purge,
            as_json=as_json,
        )
        raise typer.Exit(print_removed(ground, wish))


def enable(name: NameArgument, config: ConfigOption = None, *, as_json: JsonOption = False) -> None:
    """Have a plugin loaded again; a running bot starts it at once if it is trusted."""
    with _packages(config) as ground:
        from bot.cli.plugin_removing import print_enabled  # noqa: PLC0415

        raise typer.Exit(print_enabled(ground, name, is_enabled=True, as_json=as_json))


def disable(
    name: NameArgument, config: ConfigOption = None, *, as_json: JsonOption = False
) -> None:
    """Have a plugin not loaded any more, wherever it is; a running bot stops it at once."""
    with _packages(config) as ground:
        from bot.cli.plugin_removing import print_enabled  # noqa: PLC0415

        raise typer.Exit(print_enabled(ground, name, is_enabled=False, as_json=as_json))


def search(
    query: Annotated[
        str, typer.Argument(metavar="QUERY", help="Words; without any, all there are.")
    ] = "",
    config: ConfigOption = None,
    *,
    as_json: JsonOption = False,
) -> None:
    """Search for plugins: among those that come with Papercup, on npm and on PyPI."""
    with _packages(config) as ground:
        from bot.cli.plugin_search import print_found  # noqa: PLC0415

        print_found(query, ground.endpoints, as_json=as_json)


@contextmanager
def _packages(named: Path | None) -> Generator["PackageGround", None, None]:
    with telling_errors():
        require_linux(sys.platform)
        # Only here: it needs what only Linux has.
        from bot.cli.package_ground import package_ground, telling_package_errors  # noqa: PLC0415

        where = these_surroundings()
        with telling_package_errors():
            yield package_ground(read_config(named, where), where)
