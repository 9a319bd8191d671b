"""How the bot is at present, for commands and for other processes."""

import os
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from typing import Literal

from bot.control.status import StatusReport
from bot.conversation.conversations import Conversations
from bot.discord_io.link import DiscordLink, DiscordState
from bot.notices.delivery import NoticeFailures
from bot.presence import presence_text
from bot.quoting import plain
from bot.spending.costs import CostBook
from extensions.claude.binary import ClaudeBinary
from extensions.jobs.manager import JobManager

_DISCORD: Mapping[DiscordState, Literal["connecting", "connected", "disconnected"]] = {
    DiscordState.CONNECTING: "connecting",
    DiscordState.CONNECTED: "connected",
    DiscordState.RECONNECTING: "disconnected",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Looks at the parts of a running bot, and says how they are."""

    started_at: float
    """Unix time, in seconds."""
    claude: ClaudeBinary
    jail_reason: str | None
    """Why there is no jail, or a weaker one."""
    mcp_url: str
    discord: DiscordLink
    jobs: JobManager
    conversations: Conversations
    lost_notices: NoticeFailures
    costs: CostBook

    def report(self) -> StatusReport:
        """Return how everything is now."""
        identity = self.discord.identity
        unsettled = [*self.jobs.running(), *self.jobs.queued()]
        return StatusReport(
            pid=os.getpid(),
            started_at=self.started_at,
            version=metadata.version("papercup"),
            discord=_DISCORD[self.discord.state],
            bot_user=None if identity is None else identity.name,
            jail=self.jobs.jail,
            jail_reason=self.jail_reason,
            claude_version=self.claude.version,
            jobs=Counter(job.status.value for job in unsettled),
            conversations=len(self.conversations),
            mcp_url=self.mcp_url,
            lost_notices=self.lost_notices.known.count,
        )

    def described(self) -> str:
        """Return the same in a few words, for people."""
        report = self.report()
        counts = ", ".join(f"{number} {state}" for state, number in report.jobs.items())
        jail = f"jail: {report.jail}"
        if report.jail == "none":
            jail = f"⚠️ no jail, so jobs have no Bash ({report.jail_reason or 'switched off'})"
        described = f"🤖 claude {report.claude_version} · {jail} · jobs: {counts or 'none'}"
        return "\n".join([described, *self._lost()])

    async def presence(self) -> str:
        """Return what stands under the bot's name.

        Raises:
            sqlite3.Error: If what today has cost cannot be read.
        """
        return presence_text(
            running=len(self.jobs.running()),
            queued=len(self.jobs.queued()),
            cost_today_usd=await self.costs.today(time.time()),
        )

    def _lost(self) -> list[str]:
        lost = self.lost_notices.known
        if not lost.count:
            return []
        how_many = "1 notice" if lost.count == 1 else f"{lost.count} notices"
        reason = plain(lost.newest_reason or "", 200)
        return [f"⚠️ {how_many} of the last week could not be delivered: {reason}"]
