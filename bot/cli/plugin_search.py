"""What `papercup plugin search` prints."""

import shlex
from dataclasses import asdict

import typer

from bot.cli.output import harmless, print_error, print_json
from bot.cli.package_ground import showing_progress
from extensions.plugins.packages.fetching import Endpoints
from extensions.plugins.packages.searching import search


def print_found(query: str, endpoints: Endpoints, *, as_json: bool) -> None:
    """Print the plugins that are found, and what could not be searched."""
    with showing_progress(is_quiet=as_json) as tell:
        findings = search(query, endpoints, tell)
    if as_json:
        hits = [asdict(each) for each in findings.hits]
        print_json({"query": query, "plugins": hits, "unreached": list(findings.unreached)})
        return
    for each in findings.hits:
        # Not as a table: what is to be typed would be broken up where the terminal is narrow.
        name = f"{each.name} {each.version}" if each.version else each.name
        typer.echo(
            harmless(f"{name} \N{EM DASH} {each.description or 'it says nothing of itself'}")
        )
        typer.echo(f"    papercup plugin install {harmless(shlex.quote(each.source))}")
    if not findings.hits:
        typer.echo("Nothing was found.")
    for why in findings.unreached:
        print_error(f"not searched: {harmless(why)}")
