"""What `papercup plugin search` prints."""

from dataclasses import asdict

import typer

from bot.cli.output import harmless, print_error, print_json, print_table
from extensions.plugins.packages.fetching import Endpoints
from extensions.plugins.packages.searching import search


def print_found(query: str, endpoints: Endpoints, *, as_json: bool) -> None:
    """Print the plugins that are found, and what could not be searched."""
    findings = search(query, endpoints)
    if as_json:
        hits = [asdict(each) for each in findings.hits]
        print_json({"query": query, "plugins": hits, "unreached": list(findings.unreached)})
        return
    if findings.hits:
        columns = ("Plugin", "Version", "To install it", "What it says of itself")
        rows = [
            (each.name, each.version or "-", each.source, each.description)
            for each in findings.hits
        ]
        print_table(None, columns, rows)
    else:
        typer.echo("Nothing was found.")
    for why in findings.unreached:
        print_error(f"not searched: {harmless(why)}")
