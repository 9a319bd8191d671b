"""Opens the plugins that are a command template: one tool, for which a program is run each time.

The program is run in the plugin's folder, so that what stands there can be named in the template;
where people's files are stands in the variable `PAPERCUP_WORKSPACE`. What the plugin's folder holds
is looked at before each run, as before each start of a plugin's own program.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from extensions.errors import PluginCallError, PluginError
from extensions.hooks import Occasion
from extensions.plugins.lifecycle import Failed, PluginState, Ready
from extensions.plugins.manifest import Candidate, WrapperSpec
from extensions.plugins.parts import (
    HostSettings,
    Offer,
    OfferedTool,
    TierView,
    nothing_refused,
)
from extensions.plugins.program import BadProgram, find_program
from extensions.plugins.registrations import PluginAnswer, ToolRegistration
from extensions.plugins.wrapper_arguments import BadArgumentError, command_for
from extensions.plugins.wrapper_manifest import WrapperTemplate
from extensions.plugins.wrapper_output import Ran, shown
from extensions.plugins.wrapper_runs import run_program
from extensions.rpc.errors import PeerStartError

WORKSPACE_NAME = "PAPERCUP_WORKSPACE"

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperParts:
    """What command templates are run with."""

    environment_of: Callable[[Candidate], Mapping[str, str]]
    """Returns the whole environment of a plugin's program."""
    workspace_of: Callable[[str, Occasion], Path]
    """Returns where a plugin, by its id, works on that occasion."""
    refusal_of: Callable[[Candidate], Awaitable[str | None]] = nothing_refused
    """Asked right before each run: why it may not be; `None`: it may."""
    host: HostSettings = field(default_factory=HostSettings)
    """What a program may use."""
    most_at_once: int = 4
    """How many programs of one plugin run at once; others wait."""
    most_calls: int = 32


class Wrappers:
    """Opens command templates. It satisfies `TierOpener`."""

    def __init__(self, parts: WrapperParts) -> None:
        self._parts = parts

    @asynccontextmanager
    async def __call__(self, candidate: Candidate, offer: Offer) -> AsyncGenerator[TierView, None]:
        """Offer the tool of a plugin for as long as the block lasts; then its programs are ended.

        Raises:
            PluginError: If it has no command.
        """
        template = candidate.manifest.wrapper
        if template is None:
            raise PluginError(candidate.id, "its manifest has no command")
        wrapper = _Wrapper(candidate, template, self._parts, offer)
        wrapper.open()
        try:
            yield wrapper
        finally:
            wrapper.close()


class _Wrapper:
    """A command template that is offered. It satisfies `TierView`."""

    def __init__(
        self, candidate: Candidate, template: WrapperSpec, parts: WrapperParts, offer: Offer
    ) -> None:
        self._candidate = candidate
        self._template = template
        self._parts = parts
        self._offer = offer
        self._at_once = asyncio.Semaphore(parts.most_at_once)
        self._limits: set[asyncio.Timeout] = set()
        self._is_closed = False
        self._state: PluginState = Ready()

    @property
    def state(self) -> PluginState:
        """`Failed` once its files are no more those that were trusted."""
        return self._state

    def report(self, *, now: float) -> Sequence[Mapping[str, Any]]:  # noqa: ARG002 - of nothing
        """Return nothing: it has no MCP server."""
        return ()

    def open(self) -> None:
        """Offer its tool."""
        registration = _registration(self._template)
        self._offer((OfferedTool(registration=registration, call=self._call),))

    def close(self) -> None:
        """End the programs that run."""
        self._is_closed = True
        now = asyncio.get_running_loop().time()
        for limit in self._limits:
            limit.reschedule(now)

    async def _call(self, arguments: Mapping[str, Any], occasion: Occasion) -> PluginAnswer:
        try:
            command = command_for(self._template, arguments)
        except BadArgumentError as error:
            return PluginAnswer(text=f"It was not run: {error}.", is_error=True)
        if self._is_closed or len(self._limits) >= self._parts.most_calls:
            reason = "is being stopped" if self._is_closed else "has too much to do"
            raise PluginCallError(self._candidate.id, reason)
        limit = asyncio.timeout(self._template.timeout_seconds)
        self._limits.add(limit)
        try:
            async with limit, self._at_once:
                ran = await self._run(command, occasion)
        except TimeoutError:
            raise PluginCallError(self._candidate.id, self._stopped()) from None
        except PeerStartError as error:
            raise PluginCallError(self._candidate.id, f"cannot be run: {error}") from error
        finally:
            self._limits.discard(limit)
        return PluginAnswer(text=shown(ran), is_error=ran.is_failure)

    async def _run(self, command: Sequence[str], occasion: Occasion) -> Ran:
        refusal = await self._parts.refusal_of(self._candidate)
        if refusal is not None:
            self._refuse(refusal)
            raise PluginCallError(self._candidate.id, f"may not be run: {refusal}")
        candidate, host = self._candidate, self._parts.host
        environment = self._parts.environment_of(candidate)
        program = find_program(command[0], candidate.folder, environment.get("PATH", ""))
        if isinstance(program, BadProgram):
            raise PluginCallError(candidate.id, f"cannot be run: {program}")
        workspace = self._parts.workspace_of(candidate.id, occasion)
        return await run_program(
            (str(program), *command[1:]),
            cwd=candidate.folder,
            env={**environment, WORKSPACE_NAME: str(workspace)},
            limits=replace(host.limits, data_bytes=host.memory_bytes),
        )

    def _refuse(self, reason: str) -> None:
        logger.warning("plugin %s is not run any more: %s", self._candidate.id, reason)
        self._state = Failed(reason)
        self._offer(())

    def _stopped(self) -> str:
        if self._is_closed:
            return "is being stopped"
        return f"took longer than {self._template.timeout_seconds:g} seconds, and was stopped"


def _registration(template: WrapperSpec) -> ToolRegistration:
    said = (template.description, template.prompt_hint)
    description = "\n".join(text for text in said if text)
    if isinstance(template, WrapperTemplate):
        return ToolRegistration(name=template.tool, description=description, schema=template.schema)
    texts = {name: {"type": "string"} for name in template.placeholders}
    schema = {"type": "object", "properties": texts, "required": list(texts)}
    return ToolRegistration(name=template.tool, description=description, schema=schema)
