"""What `papercup plugin list`, `info`, `validate` and `doctor` print."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import typer

from bot.cli.output import harmless, print_error, print_json, print_table
from bot.cli.plugin_exit import PluginExit
from bot.cli.plugin_overview import FoundPlugin, Overview
from bot.cli.plugin_plain import (
    plain_diagnostic,
    plain_manifest,
    plain_overview,
    plain_plugin,
)
from bot.plugin_services.trust_words import origin_words
from extensions.plugins.discovery import DiscoverySettings, candidate_at
from extensions.plugins.manifest import Candidate, Diagnostic, Level, Tier
from extensions.plugins.tree_hash import TreeHash


def print_list(overview: Overview, *, as_json: bool) -> PluginExit:
    """Print the plugins that are found, and what is wrong with others."""
    if as_json:
        print_json(plain_overview(overview))
        return PluginExit.OK
    if not overview.is_enabled:
        typer.echo("No plugin is loaded: plugins.enabled is false.")
    if overview.note is not None:
        print_error(f"what is trusted is not known: {harmless(overview.note)}")
    if overview.plugins:
        columns = ("Plugin", "Version", "Kind", "Found in", "State")
        print_table(None, columns, [_row(each) for each in overview.plugins])
    else:
        typer.echo("No plugins are found. They are looked for in:")
        for root in overview.roots:
            typer.echo(
                f"  {harmless(str(root.path))}" + ("" if root.path.is_dir() else " (not there)")
            )
    for name in map(harmless, overview.not_found):
        order = f"`papercup plugin reload {name}` stops it"
        typer.echo(f"{name} runs, but is not found any more: {order}.")
    print_diagnostics(overview.report.diagnostics)
    return PluginExit.OK


def print_info(overview: Overview, wanted: str, *, as_json: bool) -> PluginExit:
    """Print all that is known of one plugin."""
    found = next((each for each in overview.plugins if each.candidate.id == wanted), None)
    if found is None:
        print_error(f"no plugin is called {wanted!r}; `papercup plugin list` shows which are found")
        return PluginExit.NOT_FOUND
    if as_json:
        print_json(plain_plugin(found))
    else:
        print_table(None, (), list(_info_rows(found)))
    return PluginExit.OK


def print_validation(path: Path, settings: DiscoverySettings, *, as_json: bool) -> PluginExit:
    """Print whether the manifest at `path`, or in that folder, is right."""
    if not path.exists():
        print_error(f"there is no {harmless(str(path))}")
        return PluginExit.NOT_FOUND
    candidate, diagnostics = candidate_at(path, settings)
    if as_json:
        plugin = None if candidate is None else plain_manifest(candidate.manifest)
        plain = [plain_diagnostic(each) for each in diagnostics]
        print_json({"valid": candidate is not None, "plugin": plugin, "diagnostics": plain})
    else:
        if candidate is not None:
            typer.echo(f"valid: {candidate.id} {candidate.manifest.version} ({_kind(candidate)})")
        print_diagnostics(diagnostics)
    return PluginExit.INVALID if candidate is None else PluginExit.OK


def print_diagnosis(overview: Overview, *, as_json: bool) -> PluginExit:
    """Print what keeps plugins from being found, or from being started."""
    if as_json:
        print_json(plain_overview(overview))
    else:
        report = overview.report
        typer.echo(f"scanned {report.scanned_folders} dirs")
        typer.echo(f"discovered {len(report.candidates)} candidates")
        if report.disabled_count:
            typer.echo(f"left out {report.disabled_count} that are disabled")
        print_diagnostics(report.diagnostics)
        if not report.diagnostics:
            typer.echo("no diagnostics.")
        for each in overview.plugins:
            if each.obstacle is not None and each.running is None:
                typer.echo(f"{each.candidate.id} is not loaded: {harmless(each.obstacle)}")
    return PluginExit.INVALID if overview.report.invalid_count else PluginExit.OK


def print_diagnostics(diagnostics: Sequence[Diagnostic]) -> None:
    """Print what is wrong with manifests, and where; nothing if nothing is."""
    for level, title in ((Level.ERROR, "ERRORS"), (Level.WARN, "WARNINGS")):
        some = [each for each in diagnostics if each.level is level]
        if some:
            typer.echo(f"{title} ({len(some)}):")
        for each in some:
            typer.echo(f"  {harmless(each.path)}: {harmless(each.message)}")


def _row(found: FoundPlugin) -> tuple[str, ...]:
    candidate = found.candidate
    return (
        candidate.id,
        found.manifest.version,
        _kind(candidate),
        candidate.scope.value,
        found.state,
    )


def _kind(candidate: Candidate) -> str:
    manifest = candidate.manifest
    return manifest.dialect.value if manifest.tier is Tier.PROCESS else manifest.tier.value


def _info_rows(found: FoundPlugin) -> Iterator[tuple[str, str]]:
    plain = plain_plugin(found)
    groups = ("capabilities", "requires", "resources", "missing")
    hidden = {*groups, "running", "hash", "unserved", "origin"}
    for name, value in plain.items():
        if name not in hidden and value not in (None, "", []):
            yield name.replace("_", " "), _shown(value)
    if found.looked.origin is not None:
        yield "origin", origin_words(found.looked.origin)
    for group in groups:
        for name, value in plain[group].items():
            if value:
                yield f"{group} {name}", _shown(value)
    for sentence in found.manifest.unserved:
        yield "not served", sentence
    yield "hash", found.tree.text if isinstance(found.tree, TreeHash) else str(found.tree)
    for name, value in (found.running or {}).items():
        if name not in plain and value not in (None, [], {}):
            yield f"now {name.replace('_', ' ')}", _shown(value)


def _shown(value: Any) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return value
        case list():
            return ", ".join(str(each) for each in value)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case _:
            return json.dumps(value, ensure_ascii=False)
