"""Passes on what a provider of a plugin answers, piece by piece, to another process."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

from aiohttp import web

from bot.control.plugin_reports import ANSWER_LINE, AnswerLine
from bot.plugin_services.provider_asking import Ask, ProviderQuestion
from extensions.errors import PluginError

_MOST_CHARACTERS = 1 << 20
"""How much of an answer may wait to be sent; pieces beyond that are left out, and it is said."""


async def answered(
    request: web.Request, question: ProviderQuestion, ask: Ask
) -> web.StreamResponse:
    """Ask a provider, and answer `request` line by line as it does."""
    response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
    await response.prepare(request)
    pieces = _Pieces()
    async with asyncio.TaskGroup() as tasks:
        asking = tasks.create_task(_asked(question, ask, pieces))
        # Whoever asked may have gone; then nobody waits for the answer any more.
        with suppress(ConnectionError):
            async for line in pieces.lines():
                await response.write(ANSWER_LINE.as_json(line) + b"\n")
            await response.write_eof()
        asking.cancel()
    return response


async def _asked(question: ProviderQuestion, ask: Ask, pieces: "_Pieces") -> None:
    try:
        answer = await ask(question, pieces.add)
    except PluginError as error:
        pieces.end(AnswerLine(error=str(error)))
    else:
        pieces.end(AnswerLine(answer=answer, is_whole=pieces.is_whole))


class _Pieces:
    def __init__(self) -> None:
        self.is_whole = True
        self._waiting: list[str] = []
        self._characters = 0
        self._last: AnswerLine | None = None
        self._wake = asyncio.Event()

    def add(self, piece: str) -> None:
        if self._characters + len(piece) > _MOST_CHARACTERS:
            self.is_whole = False
            return
        self._waiting.append(piece)
        self._characters += len(piece)
        self._wake.set()

    def end(self, line: AnswerLine) -> None:
        self._last = line
        self._wake.set()

    async def lines(self) -> AsyncIterator[AnswerLine]:
        """Yield what is there as it comes, up to the end."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            last = self._last
            if self._waiting:
                piece = "".join(self._waiting)
                self._waiting.clear()
                self._characters = 0
                yield AnswerLine(delta=piece)
            if last is not None:
                yield last
                return
