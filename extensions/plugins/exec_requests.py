"""Has programs run for plugins: asked of the other plugins first, and kept in the log."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from extensions.hooks import Blocked, Changed, HookPoint, Occasion
from extensions.plugins.contexts import ContextTier
from extensions.plugins.fields import BadFieldError, Fields
from extensions.plugins.refusal_notes import RefusalNotes
from extensions.plugins.served import ServedPlugin
from extensions.plugins.services import AuditKind, AuditLog, ExecutionError, Executor
from extensions.plugins.serving import Handler, occasion_in
from extensions.rpc.errors import ErrorCode, RpcError

NOT_GRANTED = "the operator has not granted this plugin that programs are run for it"
MOST_ARGUMENTS = 1000
MOST_ARGUMENT_CHARACTERS = 100_000
"""Of a program and all its arguments together."""

_LONGEST_NOTE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecRequests:
    """Answers `exec/run`."""

    executor: Executor
    audit: AuditLog
    refusals: RefusalNotes

    def handlers(self) -> Mapping[str, Handler]:
        """Return what answers each method."""
        return {"exec/run": self._run}

    async def _run(self, plugin: ServedPlugin, fields: Fields) -> dict[str, Any]:
        if not plugin.is_exec_granted:
            self.refusals.note(plugin.id, "exec/run", "exec/run: it was not granted")
            raise RpcError(ErrorCode.NOT_TRUSTED, NOT_GRANTED)
        argv = _checked((fields.filled_text("command"), *_arguments(fields)))
        cwd = fields.any_text("cwd") or None
        if cwd is not None and "\0" in cwd:
            raise BadFieldError("cwd holds a NUL character")
        occasion = occasion_in(plugin, fields, needs=ContextTier.EVENT)
        argv = await _allowed(plugin, argv, cwd, occasion)
        self.audit.note(AuditKind.EXEC, plugin.id, f"runs {_shown(argv)}")
        try:
            done = await self.executor.run(
                plugin.id, argv, cwd=None if cwd is None else Path(cwd), occasion=occasion
            )
        except ExecutionError as error:
            self.audit.note(AuditKind.EXEC, plugin.id, f"{_shown(argv[:1])}: {error.reason}")
            raise RpcError(ErrorCode.INTERNAL_ERROR, error.reason) from error
        self.audit.note(
            AuditKind.EXEC, plugin.id, f"{_shown(argv[:1])} ended with {done.exit_code}"
        )
        return {"stdout": done.stdout, "stderr": done.stderr, "exit_code": done.exit_code}


async def _allowed(
    plugin: ServedPlugin, argv: tuple[str, ...], cwd: str | None, occasion: Occasion
) -> tuple[str, ...]:
    """Return what may be run once all plugins were asked."""
    value = {
        "command": shlex.join(argv),
        "argv": list(argv),
        "cwd": cwd,
        "plugin": plugin.id,
        "agent_id": occasion.agent_id,
        "session_id": occasion.session_id,
    }
    ruling = await plugin.host.hooks.fire(HookPoint.USER_BASH, value, occasion)
    if isinstance(ruling, Blocked):
        raise RpcError(ErrorCode.BLOCKED, ruling.reason, {"by": ruling.by})
    if not isinstance(ruling, Changed):
        return argv
    try:
        return _checked(Fields(ruling.value).texts("argv"))
    except BadFieldError as error:
        # What was wanted instead cannot be told, so nothing is run.
        reason = f"a user_bash hook asked for what cannot be run: {error.reason}"
        raise RpcError(ErrorCode.BLOCKED, reason, {"by": ruling.by[-1]}) from error


def _arguments(fields: Fields) -> tuple[str, ...]:
    return () if fields.all.get("args") is None else fields.texts("args")


def _checked(argv: tuple[str, ...]) -> tuple[str, ...]:
    if not argv or not argv[0].strip():
        raise BadFieldError("command is empty")
    if len(argv) > MOST_ARGUMENTS or sum(map(len, argv)) > MOST_ARGUMENT_CHARACTERS:
        raise BadFieldError("args are too long")
    if any("\0" in word for word in argv):
        raise BadFieldError("args hold a NUL character")
    return argv


def _shown(argv: tuple[str, ...]) -> str:
    shown = shlex.join(argv)
    return shown if len(shown) <= _LONGEST_NOTE else f"{shown[:_LONGEST_NOTE]}…"
