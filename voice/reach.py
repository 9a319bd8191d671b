"""Whether a service can be used at the moment."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)


class Reach:
    """Keeps in mind whether a service works, and tries again later if it does not."""

    def __init__(
        self,
        probe: Callable[[], Awaitable[str]],
        *,
        is_assumed: bool,
        retry_seconds: float = 60.0,
    ) -> None:
        """Start without having asked it.

        Args:
            probe: Tries the service, and returns what is wrong; empty if it works.
            is_assumed: Whether it counts as working until it is known that it does not;
                if not, it is probed at once.
            retry_seconds: After how long it is probed again if it did not work.
        """
        self._probe = probe
        self._retry_seconds = retry_seconds
        self._is_reachable = is_assumed
        self._trouble = ""
        self._known = asyncio.Event()
        self._asked = asyncio.Event()
        if is_assumed:
            self._known.set()

    @property
    def is_reachable(self) -> bool:
        """Whether it works, as far as is known."""
        return self._is_reachable

    @property
    def trouble(self) -> str:
        """What went wrong when it was last used; empty if nothing did."""
        return self._trouble

    def failed(self, trouble: str) -> None:
        """Take it as not working, until it has been tried again."""
        self._is_reachable = False
        self._trouble = trouble
        self._known.set()
        self._asked.set()

    async def known(self) -> None:
        """Wait until it has been tried."""
        await self._known.wait()

    async def run(self) -> None:
        """Try it whenever it is not known whether it works; never returns."""
        if not self._known.is_set():
            await self._try()
        while True:
            await self._asked.wait()
            await asyncio.sleep(self._retry_seconds)
            await self._try()

    async def _try(self) -> None:
        try:
            self._trouble = await self._probe()
        except Exception:
            logger.exception("a service could not be tried")
            self._trouble = "it could not be tried; the operator finds it in the log"
        self._is_reachable = not self._trouble
        self._known.set()
        if self._trouble:
            self._asked.set()
        else:
            self._asked.clear()
