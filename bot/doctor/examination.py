"""The whole examination: every check, one after another or side by side."""

import asyncio
import logging
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from bot.config import Config, LogConfig
from bot.config_reading import Surroundings, read_config
from bot.doctor.claude import LOGIN, check_claude, check_jail
from bot.doctor.finding import Finding, fail, ok
from bot.doctor.machine import (
    check_disk,
    check_folder,
    check_lock,
    check_python,
    judge_limits,
)
from bot.doctor.services import check_api_key, check_discord
from bot.doctor.voice import check_voice
from bot.errors import ConfigError, SetupError
from bot.logs import logging_to_stderr
from bot.redaction import Redactor
from bot.secrets import ANTHROPIC_API_KEY, DISCORD_TOKEN, FoundSecrets, read_secrets
from extensions.process.cgroups import find_limit_keeping

logger = logging.getLogger(__name__)

_CHECK_SECONDS = 90.0

Check = Callable[[], Awaitable[list[Finding]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Setup:
    """What the operator has set up, as far as it can be read."""

    config: Config | None
    secrets: FoundSecrets | None
    findings: tuple[Finding, ...]

    @property
    def secret_texts(self) -> list[str]:
        """The secrets themselves."""
        known = () if self.secrets is None else self.secrets.by_name.values()
        return [found.secret.reveal() for found in known]


async def examine(named: Path | None, where: Surroundings) -> list[Finding]:
    """Look at everything that Papercup needs, and return what was found, secrets taken out.

    A bot that runs is not disturbed, and nothing is changed.

    Args:
        named: The configuration that the operator named, if they did.
        where: Where to look otherwise.
    """
    setup = _read_setup(named, where)
    findings = [check_python(sys.version_info[:3]), *setup.findings]
    redactor = Redactor(setup.secret_texts)
    if setup.config is not None:
        with logging_to_stderr(LogConfig(level="error"), redactor):
            findings += await _all_of(_checks(setup.config, setup.secrets))
    return [_without_secrets(finding, redactor) for finding in findings]


def _read_setup(named: Path | None, where: Surroundings) -> _Setup:
    try:
        reading = read_config(named, where)
    except ConfigError as error:
        mend = "See `papercup config check`."
        return _Setup(
            config=None, secrets=None, findings=(fail("Configuration", str(error), mend),)
        )
    found = ok("Configuration", str(reading.file or "no file, so all is as by default"))
    try:
        secrets = read_secrets(reading.file, where)
    except SetupError as error:
        wrong = fail("Secrets", str(error), "Mend that file.")
        return _Setup(config=reading.config, secrets=None, findings=(found, wrong))
    return _Setup(config=reading.config, secrets=secrets, findings=(found, _judge_secrets(secrets)))


def _judge_secrets(secrets: FoundSecrets) -> Finding:
    if not secrets.missing:
        sources = {found.source for found in secrets.by_name.values()}
        return ok("Secrets", f"both are set ({', '.join(sorted(sources))})")
    names = " and ".join(secrets.missing)
    mend = f"Set each in the environment, or in {secrets.file} (chmod 600)."
    return fail("Secrets", f"not set: {names}", mend)


def _checks(config: Config, secrets: FoundSecrets | None) -> list[tuple[str, Check]]:
    """Return the checks, each with the name of what it looks at, in the order of the findings."""
    checks: list[tuple[str, Check]] = [("claude", partial(_check_programs, config))]
    if secrets is not None and (key := secrets.by_name.get(ANTHROPIC_API_KEY)) is not None:
        checks.append(("API key", _one(partial(check_api_key, config.endpoints, key.secret))))
    if secrets is not None and (token := secrets.by_name.get(DISCORD_TOKEN)) is not None:
        checks.append(("Discord", partial(check_discord, config.endpoints, token.secret)))
    for name, look in (("Data folder", check_folder), ("Lock", check_lock), ("Disk", check_disk)):
        checks.append((name, _one(partial(_look_into, config.data_dir, look))))
    checks.append(("Voice", partial(check_voice, config)))
    return checks


async def _look_into(root: Path, look: Callable[[Path], Finding]) -> Finding:
    return await asyncio.to_thread(look, root)


def _one(check: Callable[[], Awaitable[Finding]]) -> Check:
    async def run() -> list[Finding]:
        return [await check()]

    return run


async def _check_programs(config: Config) -> list[Finding]:
    found, claude = await check_claude(config)
    jail = await check_jail(config, claude)
    return [found, LOGIN, jail, judge_limits(await asyncio.to_thread(find_limit_keeping))]


async def _all_of(checks: Sequence[tuple[str, Check]]) -> list[Finding]:
    async with asyncio.TaskGroup() as tasks:
        running = [tasks.create_task(_supervised(name, check)) for name, check in checks]
    return [finding for task in running for finding in task.result()]


async def _supervised(name: str, check: Check) -> Sequence[Finding]:
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            return await check()
    except TimeoutError:
        return [
            fail(name, f"the check did not end within {_CHECK_SECONDS:g} seconds", "Try again.")
        ]
    except Exception as error:  # one check that breaks must not hide what the others find
        logger.exception("the check of %s broke", name)
        mend = "This is a mistake in Papercup; please report it."
        return [fail(name, f"the check broke ({type(error).__name__}: {error})", mend)]


def _without_secrets(finding: Finding, redactor: Redactor) -> Finding:
    mend = None if finding.mend is None else redactor.redact(finding.mend)
    return replace(finding, text=redactor.redact(finding.text), mend=mend)
