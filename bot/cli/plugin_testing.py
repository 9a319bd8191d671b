"""What `papercup plugin test` does and prints."""

import asyncio
import sys
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

import typer

from bot.cli.interruption import ended_like_ctrl_c
from bot.cli.output import harmless, print_error, print_json
from bot.cli.plugin_exit import PluginExit
from bot.cli.plugin_listing import print_diagnostics, print_validation
from bot.cli.plugin_plain import plain_diagnostic
from bot.cli.plugin_settings import validation_settings
from bot.config_reading import these_surroundings
from extensions.plugins.discovery import DiscoverySettings, candidate_at
from papercup_plugin.conformance import (
    CHECKS,
    ManifestError,
    Printer,
    TestReport,
    as_text,
    conform,
    read_subject,
)
from papercup_plugin.conformance import as_json as plain_report


@dataclass(frozen=True, slots=True, kw_only=True)
class TestWish:
    """What is tested."""

    __test__ = False
    """For pytest, which would take it for a test."""

    path: Path | None
    is_of_host: bool
    only: Collection[str]
    timeout_seconds: float


def print_test(wish: TestWish, *, as_json: bool) -> PluginExit:
    """Test a plugin or the host, and print what was found."""
    if wish.is_of_host == (wish.path is not None):
        print_error("name a plugin, or give --host")
        return PluginExit.INVALID
    settings = validation_settings(these_surroundings())
    if wish.path is None:
        return _print_host(wish.only, settings.host.version, as_json=as_json)
    return _print_plugin(wish.path, wish, settings, as_json=as_json)


def _print_plugin(
    path: Path, wish: TestWish, settings: DiscoverySettings, *, as_json: bool
) -> PluginExit:
    unknown = sorted(set(wish.only) - {check.name for check in CHECKS})
    if unknown:
        names = ", ".join(check.name for check in CHECKS)
        print_error(f"there is no check {unknown[0]!r}: {names}")
        return PluginExit.INVALID
    candidate, diagnostics = candidate_at(path, settings) if path.exists() else (None, ())
    if candidate is None:
        return print_validation(path, settings, as_json=as_json)
    try:
        subject = read_subject(path)
    except ManifestError as error:
        print_error(harmless(str(error)))
        return PluginExit.INVALID
    if not as_json:
        print_diagnostics(diagnostics)
    printer = None if as_json else Printer(subject, sys.stdout, only=wish.only)
    tested = conform(
        subject, only=wish.only, timeout_seconds=wish.timeout_seconds, audience=printer
    )
    with ended_like_ctrl_c():
        report = asyncio.run(tested)
    if printer is None:
        plain = [plain_diagnostic(each) for each in diagnostics]
        print_json({"diagnostics": plain, **plain_report(report)})
    else:
        printer.finish(report)
    return _exit_of(report)


def _print_host(only: Collection[str], version: str, *, as_json: bool) -> PluginExit:
    # Only here: it imports the whole host, of which the test of a plugin needs nothing.
    from bot.cli.plugin_host_trial import try_host, unknown_beginnings  # noqa: PLC0415

    for unknown in unknown_beginnings(only):
        print_error(f"there is no case whose name begins with {unknown!r}; without --only all are")
        return PluginExit.INVALID
    with ended_like_ctrl_c():
        report = asyncio.run(try_host(only=only, version=version))
    if as_json:
        print_json(plain_report(report))
    else:
        typer.echo(as_text(report))
    return _exit_of(report)


def _exit_of(report: TestReport) -> PluginExit:
    return PluginExit.CHECK_FAILED if report.has_failed else PluginExit.OK
