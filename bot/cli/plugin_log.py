"""What `papercup plugin log` prints: of a running bot, or as the last one left it."""

import json
import time
from collections.abc import Sequence
from datetime import datetime

import typer

from bot.cli.output import harmless, print_json, print_table
from bot.cli.plugin_ground import LocalTrust
from bot.control.plugin_client import read_log
from bot.control.plugin_reports import LINES, LogWish
from extensions.database import Database
from extensions.plugins.audit import AuditLine, AuditReader

_LOOK_SECONDS = 1.0
"""How often it is looked for new lines."""
_MOST_AT_ONCE = 500


def print_log(local: LocalTrust, wish: LogWish, *, follows: bool, as_json: bool) -> None:
    """Print lines of the log, the oldest first.

    Args:
        local: Where it is, if no bot runs.
        wish: Which lines.
        follows: Whether new ones are printed as they come, until Ctrl-C; as JSON that is one
            object on each line.
        as_json: Whether they are printed as JSON.

    Raises:
        ControlError: If a bot runs, but does not answer as it should.
        DatabaseError: If none runs, and the database cannot be read.
    """
    running, lines = _read(local, wish)
    if not follows:
        _print_once(lines, is_running=running, as_json=as_json)
        return
    _print_more(lines, as_json=as_json)
    last = lines[-1].id if lines else _newest_id(local)
    while True:
        time.sleep(_LOOK_SECONDS)
        _, more = _read(local, LogWish(limit=_MOST_AT_ONCE, after=last, name=wish.name))
        _print_more(more, as_json=as_json)
        last = more[-1].id if more else last


def _newest_id(local: LocalTrust) -> int:
    _, newest = _read(local, LogWish(limit=1))
    return newest[-1].id if newest else 0


def _read(local: LocalTrust, wish: LogWish) -> tuple[bool, list[AuditLine]]:
    lines = read_log(local.socket, wish)
    if lines is not None:
        return True, lines

    async def look(database: Database) -> list[AuditLine]:
        reader = AuditReader(database)
        if wish.after is None:
            return await reader.newest(wish.limit, plugin_id=wish.name)
        return await reader.after(wish.after, wish.limit, plugin_id=wish.name)

    return False, local.read(look, [])


def _print_once(lines: Sequence[AuditLine], *, is_running: bool, as_json: bool) -> None:
    if as_json:
        print_json({"running": is_running, "lines": LINES.plain(list(lines))})
    elif not lines:
        typer.echo("Nothing is in the log.")
    else:
        print_table(None, ("When", "Plugin", "What", ""), [_row(line) for line in lines])


def _print_more(lines: Sequence[AuditLine], *, as_json: bool) -> None:
    for line, plain in zip(lines, LINES.plain(list(lines)), strict=True):
        shown = json.dumps(plain, ensure_ascii=False) if as_json else "  ".join(_row(line))
        typer.echo(harmless(shown))


def _row(line: AuditLine) -> tuple[str, str, str, str]:
    when = datetime.fromtimestamp(line.at).astimezone().isoformat(" ", "seconds")
    return when, line.plugin_id, line.kind, line.text
