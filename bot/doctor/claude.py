"""Checks of the `claude` program, and of the jail in which jobs run it."""

import os
import tempfile
import uuid
from pathlib import Path

from bot.config import Config
from bot.doctor.finding import Finding, fail, ok, warn
from bot.job_machine import is_jail_required
from extensions.claude.binary import ClaudeBinary, find_claude
from extensions.claude.command import SpeakerOptions, claude_environment, speaker_command
from extensions.claude.process import running_claude
from extensions.errors import ClaudeNotFoundError, ClaudeStartError, ExtensionsError
from extensions.process.jail.probe import JailReport, probe_jail

_READY_SECONDS = 30.0
_NOBODY = "http://127.0.0.1:9"
"""Where nothing listens: to become ready, `claude` needs neither of the bot's servers."""
_INSTALL = (
    "Install Claude Code (https://code.claude.com/docs), or name it in speaker.claude; or install"
    " Papercup anew, which brings one along."
)
LOGIN = ok("Login", "by API key, which the bot alone holds; no login of `claude` itself is used")


async def check_claude(config: Config) -> tuple[Finding, ClaudeBinary | None]:
    """Say which `claude` is used, and whether it starts; return it if it does."""
    try:
        claude = await find_claude(config.speaker.claude)
    except ClaudeNotFoundError as error:
        return fail("claude", str(error), _INSTALL), None
    shown = f"{claude.version} ({claude.source}: {claude.path})"
    try:
        await _start(claude)
    except (ClaudeStartError, OSError) as error:
        return fail("claude", f"{shown} does not start: {error}", _INSTALL), None
    return ok("claude", f"{shown}, which starts"), claude


async def check_jail(config: Config, claude: ClaudeBinary | None) -> Finding:
    """Say whether jobs run in a jail, and if not, what follows from that."""
    if config.jobs.jail == "off":
        mend = 'Set jobs.jail to "prefer".'
        return warn("Jail", "switched off, so jobs have no Bash", mend)
    with tempfile.TemporaryDirectory(prefix="papercup-doctor-") as folder:
        try:
            report = await probe_jail(Path(folder), claude=None if claude is None else claude.path)
        except ExtensionsError as error:
            report = JailReport(jail=None, reasons=(str(error),))
    return judge_jail(report, is_required=is_jail_required(config))


def judge_jail(report: JailReport, *, is_required: bool) -> Finding:
    """Say what is found by trying the jail out."""
    mend = (
        "Allow user namespaces for this user (`sysctl kernel.unprivileged_userns_clone=1`; on"
        " Ubuntu an AppArmor profile for bwrap), or install your system's bubblewrap."
    )
    if report.jail is None:
        follows = "no job can be started" if is_required else "jobs have no Bash"
        grade = fail if is_required else warn
        return grade("Jail", f"none works, so {follows}: {report.reason}", mend)
    filtered = "" if report.seccomp else ", without a filter of system calls"
    found = f"{report.tier} ({report.jail.bwrap}){filtered}"
    if not report.reason:
        return ok("Jail", found)
    return ok("Jail", f"{found}; tried before: {report.reason}")


async def _start(claude: ClaudeBinary) -> None:
    """Start it as a speaker is started, in a home of its own, and end it again.

    Raises:
        ClaudeStartError: If it does not become ready.
        OSError: If it cannot be run at all.
    """
    with tempfile.TemporaryDirectory(prefix="papercup-doctor-") as name:
        folder = Path(name)
        prompt = folder / "prompt.md"
        prompt.write_text("Say nothing.\n", encoding="utf-8")
        command = speaker_command(
            SpeakerOptions(
                claude=claude.path,
                claude_session_id=str(uuid.uuid4()),
                is_resumed=False,
                system_prompt_file=prompt,
            )
        )
        environment = claude_environment(
            home=folder,
            tmp=folder,
            path=os.environ.get("PATH", os.defpath),
            token="none",  # noqa: S106 - it opens nothing
            mcp_url=f"{_NOBODY}/mcp",
            api_url=_NOBODY,
            max_retries=0,
        )
        async with running_claude(command, cwd=folder, env=environment, grace_seconds=1) as process:
            await process.ready(_READY_SECONDS)
